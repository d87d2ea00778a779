// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/read_release.h"

#include <gtest/gtest.h>

#include "cordon/bind/bind.h"
#include "cordon/data/recode.h"
#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

constexpr const char* kPolicy = R"(
[attributes.name]
role = "identifier"
[attributes.who]
role = "person"
[attributes.age]
role = "quasi"
type = "numeric"
[attributes.job]
role = "quasi"
[attributes.disease]
role = "sensitive"
[attributes.note]
role = "insensitive"
[[privacy]]
model = "k-anonymity"
k = 2
)";

Policy ReleasePolicy(const std::string& text, const std::filesystem::path& directory = {}) {
  auto policy = ParsePolicy(text, directory, "p.toml");
  EXPECT_TRUE(policy.ok()) << Told(policy);
  return policy.value();
}
// One quasi column "a" with these keys.
Policy QuasiReleasePolicy(const std::string& keys, const std::filesystem::path& directory = {}) {
  return ReleasePolicy("[attributes.a]\nrole = \"quasi\"\n" + keys + "[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n",
                       directory);
}
Result<Release> ReadOne(const Policy& policy, std::vector<std::string> cells) {
  return ReadRelease(policy, TableOf({{"a", std::move(cells)}}), nullptr, {});
}

TEST(ReadRelease, FindsTheColumnsAndCountsSuppressedRows) {
  const auto release = ReadRelease(ReleasePolicy(kPolicy),
                                   TableOf({{"age", {"[20,30]", "*", "[20,30]", "*"}},
                                            {"job", {"clerk", "*", "*", "*"}},
                                            {"disease", {"flu", "flu", "hiv", "hiv"}},
                                            {"note", {"", "", "", ""}},
                                            {"group", {"1", "2", "1", "2"}}}),
                                   nullptr, {});
  ASSERT_TRUE(release.ok()) << Told(release);
  EXPECT_EQ(release.value().num_rows, 4u);
  EXPECT_EQ(release.value().suppressed, 2u);
  ASSERT_EQ(release.value().columns.size(), 5u);
  EXPECT_EQ(release.value().columns[4].attribute.role, Role::kGroup);
  EXPECT_EQ(release.value().Find("age")->attribute.domain->numeric().range_lo, 20);
  EXPECT_EQ(release.value().Find("age")->attribute.domain->numeric().range_hi, 30);
  EXPECT_EQ(release.value().Find("disease")->attribute.domain->size(), 2);
}

TEST(ReadRelease, ColumnsMustBeThoseOfThePolicy) {
  const Policy policy = ReleasePolicy(kPolicy);
  const std::vector<NamedCells> good = {{"age", {"1"}}, {"job", {"x"}}, {"disease", {"flu"}}, {"note", {""}}};
  auto with = [&](const NamedCells& more) {
    std::vector<NamedCells> columns = good;
    columns.push_back(more);
    return Told(ReadRelease(policy, TableOf(columns), nullptr, {}));
  };
  EXPECT_EQ(with({"name", {"Ann"}}),
            "the release has the column 'name', whose role is \"identifier\": it must not be published");
  EXPECT_EQ(with({"who", {"7"}}), "the release has the column 'who', whose role is \"person\": it must not be published");
  EXPECT_EQ(with({"jobb", {"x"}}), "the release has 'jobb', which the policy does not describe / did you mean 'job'?");
  EXPECT_EQ(with({"age", {"1"}}), "the release has two columns 'age'");
  EXPECT_EQ(Told(ReadRelease(policy, TableOf({{"age", {"1"}}, {"job", {"x"}}}), nullptr, {})),
            "the release lacks 'disease' and 'note', which the policy describes");
  EXPECT_EQ(Told(ReadRelease(policy, TableOf({{"39", {"1"}}, {"clerk", {"x"}}}), nullptr, {})),
            "no column of the release is in the policy / if the file has no header, set header = false and columns = [...] in "
            "[data]; "
            "check the delimiter too");
}

TEST(ReadRelease, BoundsBecomeRanges) {
  const Policy policy = QuasiReleasePolicy("type = \"numeric\"\n");
  const auto release =
      ReadRelease(policy, TableOf({{"a_lo", {"1", "5", "*", ""}}, {"a_hi", {"9", "5", "*", ""}}}), nullptr, {});
  ASSERT_TRUE(release.ok()) << Told(release);
  ASSERT_EQ(release.value().columns.size(), 1u);
  const Column& text = release.value().columns[0].text;
  EXPECT_EQ(text.name, "a");
  EXPECT_EQ(text.cell(0).bytes(), "[1,9]");
  EXPECT_EQ(text.cell(1).bytes(), "5");
  EXPECT_EQ(text.cell(2).bytes(), "*");
  EXPECT_EQ(text.cell(3).bytes(), "") << "missing, not suppressed";
  EXPECT_EQ(release.value().suppressed, 1u);
  EXPECT_EQ(Told(ReadRelease(policy, TableOf({{"a_lo", {"1", "5"}}, {"a_hi", {"9", ""}}}), nullptr, {})),
            "row 2: only one of a_lo and a_hi is a bound");
  EXPECT_EQ(Told(ReadRelease(policy, TableOf({{"a_lo", {"1"}}}), nullptr, {})),
            "no column of the release is in the policy / if the file has no header, set header = false and columns = [...] in "
            "[data]; "
            "check the delimiter too");
}

TEST(ReadRelease, AbsentBoundsAreAMissingCellWhateverTheMarkerIs) {
  const Policy policy = ReleasePolicy(
      "[data]\nmissing = [\"?\"]\n[attributes.a]\nrole = \"quasi\"\ntype = \"numeric\"\n[[privacy]]\nmodel = \"k-anonymity\"\n"
      "k = 2\n");
  const auto release = ReadRelease(policy, TableOf({{"a_lo", {"1", "<null>"}}, {"a_hi", {"9", "<null>"}}}), nullptr, {});
  ASSERT_TRUE(release.ok()) << Told(release);
  EXPECT_EQ(release.value().columns[0].text.cell(1).bytes(), "?");
}

TEST(ReadRelease, EveryQuasiCellMustBeReadable) {
  EXPECT_EQ(
      Told(ReadOne(QuasiReleasePolicy("type = \"numeric\"\n"), {"1", "[1,2]", "[2,1]", "young"})),
      "row 3, column a: neither a number nor a range of numbers; 2 distinct values, 2 rows / a release shows a value, [lo,hi], "
      "[lo,hi), a label of the hierarchy, or * for everything");
  EXPECT_TRUE(ReadOne(QuasiReleasePolicy("type = \"numeric\"\n"), {"1", "[1,2)", "[0.5,2]", "*"}).ok());
  EXPECT_EQ(Told(ReadOne(QuasiReleasePolicy("type = \"date\"\n"), {"[2024-01-01,2024-02-01]", "March"})),
            "row 2, column a: neither a date nor a range of dates; 1 distinct value, 1 row / a release shows a value, [lo,hi], "
            "[lo,hi), a "
            "label of the hierarchy, or * for everything");
  const ScratchFolder folder;
  folder.Write("h.csv", "a;x;*\nb;x;*\n");
  const Policy policy = QuasiReleasePolicy("hierarchy = \"h.csv\"\n", folder.path());
  EXPECT_TRUE(ReadOne(policy, {"a", "x", "*"}).ok());
  EXPECT_EQ(Told(ReadOne(policy, {"a", "x", "y"})),
            "row 3, column a: not a label of its hierarchy (" + (folder.path() / "h.csv").string() +
                "); 1 distinct value, 1 row / a release shows labels of the hierarchy, or * for everything");
}

TEST(ReadRelease, DomainsComeFromThePolicyThenFromTheCells) {
  const auto range = [](const Result<Release>& release) {
    const Domain::NumericSpec& spec = release.value().columns[0].attribute.domain->numeric();
    return std::pair(FormatDecimal(spec.range_lo, spec.scale), FormatDecimal(spec.range_hi, spec.scale));
  };
  EXPECT_EQ(range(ReadOne(QuasiReleasePolicy("type = \"numeric\"\nrange = [0, 100]\n"), {"[20,30]"})),
            (std::pair<std::string, std::string>("0", "100")));
  EXPECT_EQ(range(ReadOne(QuasiReleasePolicy("type = \"numeric\"\n"), {"[20,30)", "17.5", "*"})),
            (std::pair<std::string, std::string>("17.5", "30")));
  const ScratchFolder folder;
  folder.Write("h.csv", "1;low;*\n2;low;*\n3;high;*\n4;high;*\n5;top;*\n");
  const auto labelled =
      ReadOne(QuasiReleasePolicy("type = \"numeric\"\nhierarchy = \"h.csv\"\n", folder.path()), {"high", "2"});
  ASSERT_TRUE(labelled.ok()) << Told(labelled);
  EXPECT_EQ(range(labelled), (std::pair<std::string, std::string>("2", "4")));
  const auto dates =
      ReadOne(QuasiReleasePolicy("type = \"date\"\nhierarchy = { dates = [\"month\", \"quarter\", \"year\"] }\n"),
              {"2024-Q1", "2023-12", "2024-05-01"});
  ASSERT_TRUE(dates.ok()) << Told(dates);
  EXPECT_EQ(dates.value().columns[0].attribute.domain->Read("2024-Q1")->hi, *ParseDate("2024-03-31"));
  const auto prefixes = ReadOne(QuasiReleasePolicy("hierarchy = { prefix = 5 }\n"), {"537*", "53710", "*"});
  ASSERT_TRUE(prefixes.ok()) << Told(prefixes);
  EXPECT_TRUE(ReadOne(QuasiReleasePolicy(""), {"*", "*"}).ok());
  EXPECT_TRUE(ReadOne(QuasiReleasePolicy("type = \"numeric\"\n"), {"*", "*"}).ok());
  EXPECT_TRUE(ReadOne(QuasiReleasePolicy(""), {}).ok());
  const std::vector<NamedCells> no_rows = {{"age", {}}, {"job", {}}, {"disease", {}}, {"note", {}}};
  EXPECT_TRUE(ReadRelease(ReleasePolicy(kPolicy), TableOf(no_rows), nullptr, {}).ok());
}

TEST(ReadRelease, MissingCellsAreReadAsTheirMarker) {
  const std::string head = "[data]\nmissing = [\"?\", \"NA\", \"*\"]\n[attributes.a]\nrole = \"quasi\"\n";
  const std::string tail = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n";
  for (const char* type : {"", "type = \"numeric\"\n"}) {
    const auto release = ReadOne(ReleasePolicy(head + type + tail), {"1", "NA", "NA", "*"});
    ASSERT_TRUE(release.ok()) << Told(release);
    const ReleaseColumn& column = release.value().columns[0];
    EXPECT_EQ(column.text.cell(1).bytes(), "?");
    EXPECT_EQ(column.text.cell(3).bytes(), "*");  // suppressed, not missing
    EXPECT_TRUE(column.attribute.domain->missing().has_value());
    EXPECT_EQ(release.value().suppressed, 1u);
    // Rows are told apart by their texts: two markers may not become one group.
    for (const std::vector<std::string>& cells : {std::vector<std::string>{"NA", "?"}, {"NA", "<null>"}}) {
      EXPECT_EQ(
          Told(ReadOne(ReleasePolicy(head + type + tail), cells)).substr(0, 63),
          "row 1, column a: missing cells are shown by several markers; " + std::to_string(cells[1] == "?" ? 2 : 1) + " ");
    }
  }
}

TEST(ReadRelease, TakesTheQuasiDomainsOfTheOriginal) {
  const Policy policy = ReleasePolicy(kPolicy);
  const Microdata original = Bind(policy,
                                  TableOf({{"name", {"A", "B", "C"}},
                                           {"who", {"1", "2", "3"}},
                                           {"age", {"10", "25", "90"}},
                                           {"job", {"x", "y", "z"}},
                                           {"disease", {"flu", "hiv", "flu"}},
                                           {"note", {"", "", ""}}}),
                                  {})
                                 .value();
  const auto read = [&](const std::string& age, const std::string& job, const std::string& disease) {
    return ReadRelease(policy, TableOf({{"age", {age}}, {"job", {job}}, {"disease", {disease}}, {"note", {""}}}), &original,
                       {});
  };
  const auto release = read("[10,25]", "x", "flu");
  ASSERT_TRUE(release.ok()) << Told(release);
  EXPECT_EQ(release.value().Find("age")->attribute.domain, original.columns[0].attribute.domain);
  EXPECT_EQ(release.value().input_size, 3u);
  EXPECT_EQ(Told(read("[10,25]", "w", "flu")),
            "row 1, column job: not a label that generalizes its values; 1 distinct value, 1 row / a release shows labels of "
            "the hierarchy, "
            "or * for everything");
  // The axis of a sensitive column is that of the rows that were published, whatever the original had.
  EXPECT_EQ(release.value().Find("disease")->attribute.domain->size(), 1);
  EXPECT_TRUE(read("[10,25]", "x", "gout").ok()) << "that the original lacks it is a matter of truth";
}

TEST(ReadReleaseProperty, ReadsBackWhatRecodeMakes) {
  const Policy policy = ReleasePolicy(
      "[data]\nmissing = [\"?\"]\n[attributes.n]\nrole = \"quasi\"\ntype = \"numeric\"\n"
      "[attributes.d]\nrole = \"quasi\"\ntype = \"date\"\n[attributes.z]\nrole = \"quasi\"\nhierarchy = { prefix = 3 }\n"
      "[attributes.g]\nrole = \"quasi\"\ntype = \"numeric\"\ngrid = 10\n[attributes.s]\nrole = \"sensitive\"\ntype = "
      "\"numeric\"\n"
      "[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n");
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::size_t rows = 4 + random.Below(40);
    std::vector<NamedCells> cells = {{"n", {}}, {"d", {}}, {"z", {}}, {"g", {}}, {"s", {}}};
    for (std::size_t row = 0; row < rows; ++row) {
      const auto maybe = [&](std::string text) { return random.Below(6) == 0 ? std::string("?") : text; };
      cells[0].second.push_back(maybe(FormatDecimal(static_cast<std::int64_t>(random.Below(300)), 1)));
      cells[1].second.push_back(maybe(FormatDate(static_cast<std::int64_t>(random.Below(3000)))));
      cells[2].second.push_back(maybe(std::to_string(100 + random.Below(300))));
      cells[3].second.push_back(maybe(std::to_string(random.Below(100))));
      cells[4].second.push_back(maybe(std::to_string(random.Below(5))));
    }
    const Microdata data = Bind(policy, TableOf(cells), {}).value();
    Groups groups;
    std::vector<RowId> some;
    for (RowId row = 0; row < rows; ++row) {
      if (random.Below(10) == 0) {
        groups.suppressed.push_back(row);
        continue;
      }
      some.push_back(row);
      if (some.size() == 3) {
        groups.Add(some);
        some.clear();
      }
    }
    groups.suppressed.insert(groups.suppressed.end(), some.begin(), some.end());
    const Release made =
        Recode(View::All(data), groups, {.suppressed = SuppressedRows::kStar, .group_column = true}, random, {});
    Table published;
    published.num_rows = made.num_rows;
    for (const ReleaseColumn& column : made.columns) published.columns.push_back(column.text);
    const auto alone = ReadRelease(policy, published, nullptr, {});
    ASSERT_TRUE(alone.ok()) << Told(alone);
    std::uint64_t stars = 0;  // a group may come to all stars, if each column mixes missing cells and values
    for (std::size_t row = 0; row < made.num_rows; ++row) {
      bool all = true;
      for (std::size_t i = 0; i < 4; ++i) all = all && made.columns[i].text.cell(row).bytes() == "*";
      stars += all;
    }
    EXPECT_EQ(alone.value().suppressed, stars);
    EXPECT_GE(stars, groups.suppressed.size());
    const auto against = ReadRelease(policy, published, &data, {});
    ASSERT_TRUE(against.ok()) << Told(against);
    for (std::size_t i = 0; i < made.columns.size(); ++i) {
      for (std::size_t row = 0; row < made.num_rows; ++row) {
        EXPECT_EQ(alone.value().columns[i].text.cell(row).bytes(), made.columns[i].text.cell(row).bytes());
        if (made.columns[i].attribute.role != Role::kQuasi) continue;
        const Domain& domain = *against.value().columns[i].attribute.domain;
        const auto meaning = domain.Read(made.columns[i].text.cell(row).bytes());
        EXPECT_TRUE(domain.Covers(*meaning, data.columns[i].codes[static_cast<RowId>(made.input_rows[row])]));
      }
    }
  }
}

}  // namespace
}  // namespace cordon::engine
