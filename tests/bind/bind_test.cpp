// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/bind.h"

#include <gtest/gtest.h>

#include "cordon/base/digest.h"
#include "cordon/base/random.h"
#include "cordon/bind/rewrite.h"
#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

constexpr const char* kPrivacy = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n";

Policy PolicyOf(const std::string& text, const std::filesystem::path& directory = {}) {
  auto policy = ParsePolicy(text + kPrivacy, directory, "p.toml");
  EXPECT_TRUE(policy.ok()) << Told(policy);
  return policy.value();
}
// One quasi column "a" with these keys.
Policy QuasiPolicy(const std::string& keys, const std::string& data = "") {
  return PolicyOf(data + "[attributes.a]\nrole = \"quasi\"\n" + keys);
}
Result<Microdata> BindOne(const Policy& policy, std::vector<std::string> cells) {
  return Bind(policy, TableOf({{"a", std::move(cells)}}), {});
}

std::vector<Code> CodesOf(const Codes& codes) {
  std::vector<Code> all;
  for (std::size_t i = 0; i < codes.size(); ++i) all.push_back(codes[i]);
  return all;
}
// What each row publishes on its own.
std::vector<std::string> Shown(const Microdata& data, std::size_t column = 0) {
  std::vector<std::string> texts;
  for (const Code code : CodesOf(data.columns[column].codes))
    texts.push_back(data.columns[column].attribute.domain->Publish(code, code));
  return texts;
}
using Texts = std::vector<std::string>;

TEST(Bind, DropsIdentifiersAndKeepsTheOrderOfTheData) {
  const Policy policy = PolicyOf(
      "[attributes.s]\nrole = \"sensitive\"\n[attributes.name]\nrole = \"identifier\"\n[attributes.c]\nrole = \"class\"\n"
      "[attributes.a]\nrole = \"quasi\"\nweight = 3\n[attributes.i]\nrole = \"insensitive\"\n");
  const auto data = Bind(
      policy,
      TableOf({{"name", {"Ann", "Bob"}}, {"a", {"x", "y"}}, {"s", {"flu", "flu"}}, {"c", {"+", "-"}}, {"i", {"1", "2"}}}), {});
  ASSERT_TRUE(data.ok()) << Told(data);
  ASSERT_EQ(data.value().columns.size(), 4u);
  EXPECT_EQ(data.value().columns[0].attribute.name, "a");
  EXPECT_EQ(data.value().columns[0].attribute.weight, 3);
  EXPECT_TRUE(data.value().columns[0].text.codes.empty());
  EXPECT_EQ(data.value().columns[1].attribute.role, Role::kSensitive);
  EXPECT_EQ(data.value().columns[1].text.cell(1).bytes(), "flu");
  EXPECT_EQ(CodesOf(data.value().columns[1].codes), (std::vector<Code>{0, 0}));
  EXPECT_EQ(data.value().columns[2].text.cell(1).bytes(), "-");
  EXPECT_EQ(data.value().columns[2].attribute.domain, nullptr);
  EXPECT_EQ(data.value().columns[3].text.cell(0).bytes(), "1");
  EXPECT_EQ(data.value().num_rows, 2u);
  EXPECT_EQ(data.value().num_persons, 2u);
  EXPECT_TRUE(data.value().persons.empty());
  EXPECT_EQ(SkipColumns(policy), std::set<std::string>{"name"});
}

TEST(Bind, ColumnsOfDataAndPolicyMustMatch) {
  const Policy policy = PolicyOf("[attributes.age]\nrole = \"quasi\"\n[attributes.zip]\nrole = \"quasi\"\n");
  EXPECT_EQ(Told(Bind(policy, TableOf({{"age", {"1"}}, {"zipp", {"1"}}, {"extra", {"1"}}}), {})),
            "the data has 'zipp', 'extra', which the policy does not describe; the policy describes 'zip', which the data does "
            "not have"
            " / is 'zip' of the policy 'zipp' of the data?");
  EXPECT_EQ(Told(Bind(policy, TableOf({{"age", {"1"}}, {"zip", {"1"}}, {"ssn", {"1"}}}), {})),
            "the data has 'ssn', which the policy does not describe / every column needs a role: in [attributes.ssn], "
            "role = \"identifier\" leaves it out, role = \"quasi\" generalizes it");
  EXPECT_EQ(Told(Bind(policy, TableOf({{"age", {"1"}}, {"zpi", {"1"}}}), {})),
            "the data has 'zpi', which the policy does not describe; the policy describes 'zip', which the data does not have"
            " / is 'zip' of the policy 'zpi' of the data?");
  EXPECT_EQ(
      Told(Bind(policy, TableOf({{"age", {"1"}}}), {})),
      "the policy describes 'zip', which the data does not have / take the column out of the policy, or check data.columns");
  EXPECT_EQ(Told(Bind(policy, TableOf({{"age", {"1"}}, {"zip", {"1"}}, {"age", {"1"}}}), {})),
            "the data has two columns 'age'");
}

TEST(Bind, AHeaderThatIsDataIsNotQuoted) {
  const Policy policy = PolicyOf("[attributes.age]\nrole = \"quasi\"\n");
  const auto result = Bind(policy, TableOf({{"Ann", {"Bob"}}, {"HIV", {"flu"}}}), {});
  EXPECT_EQ(Told(result),
            "no column of the data is in the policy / if the file has no header, set header = false and columns = [...] in "
            "[data]: cordon inspect FILE --no-header --write-policy P drafts both; check the delimiter too");
}

TEST(Bind, NoRowsIsAnError) { EXPECT_EQ(Told(BindOne(QuasiPolicy(""), {})), "the data has no rows"); }

TEST(Bind, NumbersAreExactAndInOrder) {
  const Microdata data = BindOne(QuasiPolicy("type = \"numeric\"\n"), {"10", "9.50", "-1", "1e1", "9.5", "+10.0"}).value();
  EXPECT_EQ(Shown(data), (Texts{"10", "9.5", "-1", "10", "9.5", "10"}));
  const Domain& domain = *data.columns[0].attribute.domain;
  EXPECT_EQ(domain.size(), 3);
  EXPECT_EQ(domain.scale(), 1);
  EXPECT_EQ(domain.numeric().range_lo, -10);
  EXPECT_EQ(domain.numeric().range_hi, 100);
  EXPECT_EQ(domain.Publish(0, 2), "[-1,10]");
}

TEST(Bind, NumberErrorsNameTheFirstRowAndCountTheRest) {
  EXPECT_EQ(Told(BindOne(QuasiPolicy("type = \"numeric\"\n"), {"1", "2", "secret", "3", "x", "secret"})),
            "row 3, column a: not a number, or one of more than 18 digits; 2 distinct values, 3 rows / if it means missing, "
            "add it to data.missing; if these are not "
            "numbers, set type = \"categorical\"");
  EXPECT_EQ(Told(BindOne(QuasiPolicy("type = \"date\"\n"), {"2024-01-01", "01.02.2024"})),
            "row 2, column a: not a date; 1 distinct value, 1 row / if it means missing, add it to data.missing; dates are "
            "written 2024-02-29, or as format says");
  EXPECT_EQ(Told(BindOne(QuasiPolicy("type = \"numeric\"\n"), {"0.000000001", "123456789012"})),
            "row 2, column a: with the 9 digits after the point that the column has, the number needs more than 18 digits; 1 "
            "distinct "
            "value, 1 row / scale or shorten the numbers, or set type = \"categorical\"");
  EXPECT_EQ(Told(BindOne(QuasiPolicy("type = \"numeric\"\nrange = [0, 10]\n"), {"3", "11", "-1", "11"})),
            "row 2, column a: a value is outside the declared range; 2 distinct values, 3 rows / widen range in "
            "[attributes.a], or set "
            "bottom and top to clamp values");
  EXPECT_EQ(Told(BindOne(QuasiPolicy("type = \"numeric\"\nvalues = [1, 2]\n"), {"1", "3"})),
            "row 2, column a: a value is not among its declared values; 1 distinct value, 1 row / add it to values in "
            "[attributes.a], or "
            "leave values out");
}

TEST(Bind, TopBottomAndRoundComeBeforeTheRange) {
  EXPECT_EQ(
      Shown(BindOne(QuasiPolicy("type = \"numeric\"\nrange = [0, 90]\ntop = 90\nbottom = 18\n"), {"5", "18", "40", "90", "117"})
                .value()),
      (Texts{"18", "18", "40", "90", "90"}));
  EXPECT_EQ(Shown(BindOne(QuasiPolicy("type = \"numeric\"\nround = 5\n"), {"2", "2.5", "7.4", "7.5", "-2.5", "-2.6"}).value()),
            (Texts{"0", "5", "5", "10", "0", "-5"}));
  // A rounded value may leave the range, which then grows to hold it.
  const Microdata data = BindOne(QuasiPolicy("type = \"numeric\"\nround = 20\nrange = [1, 95]\n"), {"1", "95"}).value();
  EXPECT_EQ(Shown(data), (Texts{"0", "100"}));
  EXPECT_EQ(data.columns[0].attribute.domain->Loss(0, 1), 1);
}

TEST(Bind, GridCellsAreHalfOpenAndAlignedToTheRange) {
  EXPECT_EQ(Shown(BindOne(QuasiPolicy("type = \"numeric\"\ngrid = 10\n"), {"0", "9.9", "10", "-0.1"}).value()),
            (Texts{"[0,10)", "[0,10)", "[10,20)", "[-10,0)"}));
  const Microdata data =
      BindOne(QuasiPolicy("type = \"numeric\"\ngrid = 10\nrange = [1, 100]\n"), {"1", "10", "11", "100"}).value();
  EXPECT_EQ(Shown(data), (Texts{"[1,11)", "[1,11)", "[11,21)", "[91,101)"}));
  EXPECT_EQ(data.columns[0].attribute.domain->Publish(0, 1), "[1,21)");
}

TEST(Bind, DatesAreDays) {
  const Microdata data = BindOne(QuasiPolicy("type = \"date\"\nhierarchy = { dates = [\"month\", \"year\"] }\n"),
                                 {"2024-03-01", "2024-02-29T10:00:00", "2024-02-29"})
                             .value();
  EXPECT_EQ(Shown(data), (Texts{"2024-03-01", "2024-02-29", "2024-02-29"}));
  const Domain& domain = *data.columns[0].attribute.domain;
  EXPECT_EQ(domain.kind(), Domain::Kind::kDate);
  const auto february = domain.Read("2024-02");
  ASSERT_TRUE(february.has_value());
  EXPECT_EQ(february->lo, *ParseDate("2024-02-01"));
  EXPECT_EQ(february->hi, *ParseDate("2024-02-29"));
}

TEST(Bind, IntervalsBecomeTheLevelsOfNumbers) {
  const Microdata data =
      BindOne(QuasiPolicy("type = \"numeric\"\nhierarchy = { intervals = [10, 20] }\n"), {"25", "31", "7"}).value();
  const Hierarchy& labels = *data.columns[0].attribute.domain->hierarchy();
  EXPECT_EQ(labels.num_levels(), 4);
  EXPECT_EQ(labels.label(labels.node_at_level(labels.FindLeaf("25").value(), 1)), "[20,30)");
}

TEST(Bind, DeclaredLevelsSayWhereIntervalsEnd) {
  const auto shown = [](const std::string& keys, Texts cells) {
    const Microdata data = BindOne(QuasiPolicy(keys), std::move(cells)).value();
    const Domain& domain = *data.columns[0].attribute.domain;
    return domain.Publish(0, domain.size() - 1);
  };
  EXPECT_EQ(shown("type = \"numeric\"\nhierarchy = { intervals = [10, 20] }\n", {"25", "31"}), "[20,40)");
  EXPECT_EQ(shown("type = \"numeric\"\nrange = [1, 100]\nhierarchy = { intervals = [10, 20] }\n", {"25", "31"}), "[21,41)");
  EXPECT_EQ(shown("type = \"numeric\"\ngrid = 5\nhierarchy = { intervals = [10, 20] }\n", {"25", "31"}), "[25,35)");
  EXPECT_EQ(shown("type = \"date\"\nhierarchy = { dates = [\"month\", \"year\"] }\n", {"2023-12-02", "2024-03-26"}),
            "[2023-12-01,2024-04-01)");
  EXPECT_EQ(shown("type = \"date\"\nhierarchy = { dates = [\"year\"] }\n", {"2023-12-02", "2024-03-26"}),
            "[2023-01-01,2025-01-01)");
  EXPECT_EQ(Told(BindOne(QuasiPolicy("type = \"date\"\nhierarchy = { dates = [\"year\"] }\n"), {"9999-12-31", "9998-01-01"})),
            "row 1, column a: the next step of 'dates' is beyond the year 9999; 1 distinct value, 1 row / set top in "
            "[attributes.a] to clamp such values; if they mean missing, add them to data.missing");
}

TEST(Bind, CellsOfOtherNotationsBecomeThoseOfReleases) {
  EXPECT_EQ(Shown(BindOne(QuasiPolicy("type = \"date\"\nformat = [\"DD.MM.YYYY\", \"YYYY-MM-DD\"]\n",
                                      "[data]\nmissing = [\"\", \"unbekannt\"]\n"),
                          {"21.04.1946", "1946-04-21", "unbekannt"})
                      .value()),
            (Texts{"1946-04-21", "1946-04-21", ""}));
  EXPECT_EQ(Shown(BindOne(QuasiPolicy("type = \"numeric\"\nformat = \"1.234,56\"\n"), {"2.941,69", "66,9", "1.000"}).value()),
            (Texts{"2941.69", "66.9", "1000"}));
  // Columns that are published as they are, too.
  const Policy policy = PolicyOf(
      "[attributes.a]\nrole = \"quasi\"\n[attributes.s]\nrole = \"insensitive\"\ntype = \"numeric\"\nformat = \"1234,56\"\n");
  const Microdata data = Bind(policy, TableOf({{"a", {"x", "x"}}, {"s", {"1,5", "<null>"}}}), {}).value();
  EXPECT_EQ(data.columns[1].text.cell(0).bytes(), "1.5");
  EXPECT_EQ(data.columns[1].text.codes[1], kNull);
}

TEST(Bind, ErrorsNameTheFormatThatWouldFit) {
  EXPECT_EQ(Told(BindOne(QuasiPolicy("type = \"date\"\n"), {"21.04.1946", "01.12.1950", "2024-01-01"})),
            "row 1, column a: not a date; 2 distinct values, 2 rows / 2 of 3 rows look like DD.MM.YYYY: set format = "
            "\"DD.MM.YYYY\" in "
            "[attributes.a]");
  EXPECT_EQ(Told(BindOne(QuasiPolicy("type = \"numeric\"\n"), {"2.941,69", "66,9", "3"})),
            "row 1, column a: not a number, or one of more than 18 digits; 2 distinct values, 2 rows / 3 of 3 rows look like "
            "1.234,56: set format = "
            "\"1.234,56\" in [attributes.a]");
  EXPECT_EQ(
      Told(BindOne(QuasiPolicy("type = \"date\"\nformat = \"MM/DD/YYYY\"\n"), {"04/21/1946", "21.04.1946", "22.04.1946"})),
      "row 2, column a: not a date written MM/DD/YYYY; 2 distinct values, 2 rows / 2 of 3 rows look like DD.MM.YYYY: add it to "
      "format in "
      "[attributes.a]");
}

TEST(Bind, NotationsAreFoundOut) {
  const auto guessed = [](Domain::Kind type, Texts cells) {
    DataPolicy data;
    data.missing = {"", "?"};
    Texts texts;
    for (const Notation& notation : GuessNotations(TableOf({{"a", std::move(cells)}}).columns[0], data, type)) {
      texts.push_back(notation.text());
    }
    return texts;
  };
  const auto numbers = [&](Texts cells) { return guessed(Domain::Kind::kNumeric, std::move(cells)); };
  const auto dates = [&](Texts cells) { return guessed(Domain::Kind::kDate, std::move(cells)); };
  EXPECT_EQ(numbers({"12.5", "3", "?"}), Texts{});
  EXPECT_EQ(numbers({"12,5", "3", "?"}), Texts{"1234,56"});
  EXPECT_EQ(numbers({"1.234,5", "3,25"}), Texts{"1.234,56"});
  EXPECT_EQ(numbers({"12,345", "950"}), Texts{"1,234.56"});
  EXPECT_EQ(numbers({"0,123", "1,234"}), Texts{"1234,56"});
  EXPECT_EQ(numbers({"1,331", "1950"}), Texts{"1234,56"});
  EXPECT_EQ(numbers({"1,331", "1950", "1,234,567"}), Texts{"1,234.56"});
  EXPECT_EQ(numbers({"1 234,5", "7"}), Texts{"1 234,56"});
  EXPECT_EQ(numbers({"12,5", "x"}), Texts{});
  EXPECT_EQ(dates({"21.04.1946", "01.12.1950", ""}), Texts{"DD.MM.YYYY"});
  EXPECT_EQ(dates({"04/21/1946", "01/12/1950"}), Texts{"MM/DD/YYYY"});
  EXPECT_EQ(dates({"1/2/1946", "31/12/1950"}), Texts{"D/M/YYYY"});
  EXPECT_EQ(dates({"21.04.1946", "22.04.1946", "1946-04-21"}), (Texts{"DD.MM.YYYY", "YYYY-MM-DD"}));
  EXPECT_EQ(dates({"1946-04-21"}), Texts{});
  EXPECT_EQ(dates({"21.04.1946", "soon"}), Texts{});
}

TEST(Bind, FloatingPointIsReadToFifteenDigits) {
  const Microdata data =
      BindOne(QuasiPolicy("type = \"numeric\"\n"), {"1.2000000000000002", "0.1", "12345.678901234567", "1.2"}).value();
  EXPECT_EQ(Shown(data), (Texts{"1.2", "0.1", "12345.6789012346", "1.2"}));
  // A sensitive column, too: what is published is what was judged.
  const Policy policy = PolicyOf(
      "[attributes.a]\nrole = \"quasi\"\n[attributes.s]\nrole = \"sensitive\"\ntype = \"numeric\"\nunguarded = \"a test\"\n");
  const Microdata sensitive = Bind(policy, TableOf({{"a", {"x", "x"}}, {"s", {"0.30000000000000004", "1e-20"}}}), {}).value();
  EXPECT_EQ(sensitive.columns[1].text.cell(0).bytes(), "0.3");
  EXPECT_EQ(sensitive.columns[1].text.cell(1).bytes(), "0");
}

TEST(Bind, CategoriesWithoutHierarchyAreFlatAndSorted) {
  const Microdata data = BindOne(QuasiPolicy(""), {"pear", "apple", "fig", "apple"}).value();
  EXPECT_EQ(CodesOf(data.columns[0].codes), (std::vector<Code>{2, 0, 1, 0}));
  EXPECT_EQ(data.columns[0].attribute.domain->Publish(0, 2), "*");
  const Microdata declared =
      BindOne(QuasiPolicy("values = [\"pear\", \"fig\", \"apple\", \"plum\"]\n"), {"pear", "apple"}).value();
  EXPECT_EQ(CodesOf(declared.columns[0].codes), (std::vector<Code>{0, 2}));
  EXPECT_EQ(declared.columns[0].attribute.domain->size(), 4);
}

TEST(Bind, ValuesOutsideTheDomainAreCountedNotNamed) {
  const ScratchFolder folder;
  folder.Write("h.csv", "a;vowel;*\nb;other;*\n");
  const Policy policy = PolicyOf("[attributes.a]\nrole = \"quasi\"\nhierarchy = \"h.csv\"\n", folder.path());
  const std::string path = (folder.path() / "h.csv").string();
  EXPECT_EQ(Shown(BindOne(policy, {"b", "a"}).value()), (Texts{"b", "a"}));
  EXPECT_EQ(Told(BindOne(policy, {"a", "secret", "b", "vowel", "secret"})),
            "row 2, column a: a value is not in its hierarchy (" + path +
                "); 2 distinct values, 3 rows / cordon hierarchy check " + path +
                " INPUT a lists the values that are missing; other = \"LABEL\" in [attributes.a] takes them in");
  EXPECT_EQ(Told(BindOne(QuasiPolicy("values = [\"x\"]\n"), {"x", "y"})),
            "row 2, column a: a value is not among its declared values; 1 distinct value, 1 row / add it to values in "
            "[attributes.a], or "
            "leave values out");
  EXPECT_EQ(Told(BindOne(QuasiPolicy(""), {"x", "*"})),
            "row 2, column a: the cell is *, which is published for suppressed cells; 1 distinct value, 1 row / if it means "
            "missing, add "
            "it to data.missing behind another marker");
}

TEST(Bind, PrefixesMakeTheHierarchyOfCodes) {
  const Microdata data = BindOne(QuasiPolicy("hierarchy = { prefix = 5 }\n"), {"53710", "53703", "60601"}).value();
  const Domain& domain = *data.columns[0].attribute.domain;
  EXPECT_EQ(Shown(data), (Texts{"53710", "53703", "60601"}));
  EXPECT_EQ(domain.Publish(*domain.Encode("53703"), *domain.Encode("53710")), "537*");
}

TEST(Bind, MissingCellsAreOneMoreValue) {
  const std::string markers = "[data]\nmissing = [\"?\", \"\", \"NA\"]\n";
  const Microdata numbers = BindOne(QuasiPolicy("type = \"numeric\"\n", markers), {"3", "?", "", "<null>", "1", "NA"}).value();
  EXPECT_EQ(Shown(numbers), (Texts{"3", "?", "?", "?", "1", "?"}));
  const Domain& domain = *numbers.columns[0].attribute.domain;
  EXPECT_EQ(domain.missing(), 2);
  EXPECT_EQ(domain.Publish(0, 2), "*");
  const Microdata categories = BindOne(QuasiPolicy("", markers), {"x", "NA", "<null>"}).value();
  EXPECT_EQ(Shown(categories), (Texts{"x", "?", "?"}));
  EXPECT_TRUE(categories.columns[0].attribute.domain->missing().has_value());
  // No missing cell, no missing value.
  EXPECT_FALSE(
      BindOne(QuasiPolicy("type = \"numeric\"\n", markers), {"3"}).value().columns[0].attribute.domain->missing().has_value());
  EXPECT_FALSE(BindOne(QuasiPolicy("", markers), {"x"}).value().columns[0].attribute.domain->missing().has_value());
  // Nothing but missing cells.
  EXPECT_EQ(Shown(BindOne(QuasiPolicy("", markers), {"?", "NA"}).value()), (Texts{"?", "?"}));
  EXPECT_EQ(Shown(BindOne(QuasiPolicy("type = \"numeric\"\n", markers), {"?", ""}).value()), (Texts{"?", "?"}));
}

TEST(Bind, AMissingMarkerThatIsAnInnerLabelIsRefused) {
  const ScratchFolder folder;
  folder.Write("h.csv", "a;?;*\nb;?;*\n");
  const Policy policy =
      PolicyOf("[data]\nmissing = [\"?\"]\n[attributes.a]\nrole = \"quasi\"\nhierarchy = \"h.csv\"\n", folder.path());
  const auto result = BindOne(policy, {"a", "?"});
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().message().starts_with("column a: the missing marker '?' cannot be a leaf of its hierarchy"))
      << Told(result);
}

TEST(Bind, DropLeavesOutRowsWithMissingQuasiOrSensitiveCells) {
  const Policy policy = PolicyOf(
      "[data]\nmissing = [\"?\"]\non_missing = \"drop\"\n[attributes.a]\nrole = \"quasi\"\ntype = \"numeric\"\n"
      "[attributes.s]\nrole = \"sensitive\"\n[attributes.i]\nrole = \"insensitive\"\n[attributes.p]\nrole = \"person\"\n");
  const Microdata data = Bind(policy,
                              TableOf({{"a", {"?", "2", "1000", "3", "<null>"}},
                                       {"s", {"x", "y", "?", "z", "x"}},
                                       {"i", {"1", "?", "3", "4", "5"}},
                                       {"p", {"u", "v", "w", "v", "z"}}}),
                              {})
                             .value();
  EXPECT_EQ(data.num_rows, 2u);
  EXPECT_EQ(data.dropped_rows, 3u);
  EXPECT_EQ(data.input_rows, (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(Shown(data), (Texts{"2", "3"}));
  EXPECT_EQ(data.columns[0].attribute.domain->numeric().range_hi, 3);  // the dropped 1000 leaves no trace
  EXPECT_EQ(data.columns[1].attribute.domain->size(), 2);
  EXPECT_EQ(data.columns[1].text.cell(1).bytes(), "z");
  EXPECT_EQ(data.columns[2].text.cell(0).bytes(), "?");  // insensitive cells may be missing
  EXPECT_EQ(data.num_persons, 1u);
  EXPECT_EQ(CodesOf(data.persons), (std::vector<Code>{0, 0}));
  EXPECT_EQ(
      Told(Bind(policy, TableOf({{"a", {"?"}}, {"s", {"x"}}, {"i", {"1"}}, {"p", {"u"}}}), {})),
      "every row has a missing quasi or sensitive cell, so on_missing = \"drop\" leaves none / check missing in [data], or set "
      "on_missing = \"leaf\"");
  // An error behind a dropped row still names the row of the input.
  EXPECT_TRUE(
      Told(
          Bind(policy, TableOf({{"a", {"?", "1", "x"}}, {"s", {"x", "x", "x"}}, {"i", {"", "", ""}}, {"p", {"", "", ""}}}), {}))
          .starts_with("row 3, column a: not a number"));
}

TEST(Bind, MissingSensitiveCellsShowOneMarker) {
  const Policy policy = PolicyOf(
      "[data]\nmissing = [\"?\", \"\"]\n[attributes.a]\nrole = \"quasi\"\n[attributes.s]\nrole = \"sensitive\"\ntype = "
      "\"numeric\"\n");
  const Microdata data = Bind(policy, TableOf({{"a", {"x", "x", "x"}}, {"s", {"5", "", "<null>"}}}), {}).value();
  EXPECT_EQ(data.columns[1].text.cell(0).bytes(), "5");
  EXPECT_EQ(data.columns[1].text.cell(1).bytes(), "?");
  EXPECT_EQ(data.columns[1].text.cell(2).bytes(), "?");
  EXPECT_EQ(CodesOf(data.columns[1].codes), (std::vector<Code>{0, 1, 1}));
}

TEST(Bind, SensitiveDomainsAreDeclaredOrPresent) {
  const std::string head = "[attributes.a]\nrole = \"quasi\"\n[attributes.s]\nrole = \"sensitive\"\n";
  const Table table = TableOf({{"a", {"x", "x"}}, {"s", {"30", "5"}}});
  EXPECT_EQ(CodesOf(Bind(PolicyOf(head), table, {}).value().columns[1].codes), (std::vector<Code>{0, 1}));  // as text
  EXPECT_EQ(CodesOf(Bind(PolicyOf(head + "type = \"numeric\"\n"), table, {}).value().columns[1].codes),
            (std::vector<Code>{1, 0}));
  const Microdata declared = Bind(PolicyOf(head + "type = \"numeric\"\nvalues = [30, 5, 10]\n"), table, {}).value();
  EXPECT_EQ(CodesOf(declared.columns[1].codes), (std::vector<Code>{2, 0}));
  EXPECT_EQ(declared.columns[1].attribute.domain->size(), 3);
}

TEST(Bind, MissingPersonsAreOneCommonPerson) {
  const Policy policy = PolicyOf("[attributes.a]\nrole = \"quasi\"\n[attributes.p]\nrole = \"person\"\n");
  const Microdata data =
      Bind(policy, TableOf({{"a", {"x", "x", "x", "x", "x"}}, {"p", {"u", "", "v", "<null>", "u"}}}), {}).value();
  EXPECT_EQ(data.columns.size(), 1u);
  EXPECT_EQ(data.num_persons, 3u);
  EXPECT_EQ(CodesOf(data.persons), (std::vector<Code>{0, 2, 1, 2, 0}));
}

TEST(Bind, PseudonymsAreKeyedDigests) {
  const ScratchFolder folder;
  const std::string key = "0123456789abcdef";
  folder.Write("k", key);
  const std::string text =
      "[attributes.id]\nrole = \"identifier\"\npseudonym = { key_file = \"k\" }\n[attributes.a]\nrole = \"quasi\"\n";
  const Policy policy = PolicyOf(text, folder.path());
  EXPECT_TRUE(SkipColumns(policy).empty());
  const Table table = TableOf({{"id", {"Ann", "Bob", "Ann", ""}}, {"a", {"x", "x", "x", "x"}}});
  const Microdata data = Bind(policy, table, {}).value();
  EXPECT_EQ(data.columns[0].attribute.role, Role::kInsensitive);
  EXPECT_EQ(data.columns[0].text.cell(0).bytes(), ToHex(HmacSha256(key, "Ann")));
  EXPECT_EQ(data.columns[0].text.cell(2).bytes(), data.columns[0].text.cell(0).bytes());
  EXPECT_NE(data.columns[0].text.cell(1).bytes(), data.columns[0].text.cell(0).bytes());
  EXPECT_EQ(data.columns[0].text.cell(3).bytes(), "");
  folder.Write("k", "short");
  EXPECT_EQ(Told(Bind(policy, table, {})),
            "the key of 'id' (k) has fewer than 16 bytes / make one: head -c 32 /dev/urandom > k");
  std::filesystem::remove(folder.path() / "k");
  EXPECT_EQ(Bind(policy, table, {}).error().kind(), ErrorKind::kIo);
}

TEST(Bind, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(Bind(QuasiPolicy(""), TableOf({{"a", {"x"}}}), {.stop = stop.get_token()}).error().kind(), ErrorKind::kCancelled);
}

TEST(BindProperty, EveryCellSurvivesEncodingAndPublishing) {
  const Policy policy = PolicyOf(
      "[attributes.n]\nrole = \"quasi\"\ntype = \"numeric\"\n[attributes.d]\nrole = \"quasi\"\ntype = \"date\"\n"
      "[attributes.c]\nrole = \"quasi\"\n[attributes.z]\nrole = \"quasi\"\nhierarchy = { prefix = 4 }\n"
      "[attributes.g]\nrole = \"quasi\"\ntype = \"numeric\"\ngrid = 0.25\n");
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::size_t rows = 1 + random.Below(60);
    std::vector<NamedCells> cells = {{"n", {}}, {"d", {}}, {"c", {}}, {"z", {}}, {"g", {}}};
    for (std::size_t row = 0; row < rows; ++row) {
      const bool missing = random.Below(8) == 0;
      const auto number = static_cast<std::int64_t>(random.Below(2000)) - 1000;
      cells[0].second.push_back(missing ? "" : FormatDecimal(number, static_cast<int>(random.Below(4))));
      cells[1].second.push_back(FormatDate(static_cast<std::int64_t>(random.Below(40000)) - 5000));
      cells[2].second.push_back(std::string(1, static_cast<char>('a' + random.Below(9))));
      cells[3].second.push_back(std::to_string(random.Below(12000)));
      cells[4].second.push_back(FormatDecimal(number, 2));
    }
    const Table table = TableOf(cells);
    const Microdata data = Bind(policy, table, {}).value();
    for (std::size_t column = 0; column < 5; ++column) {
      const Domain& domain = *data.columns[column].attribute.domain;
      for (std::size_t row = 0; row < rows; ++row) {
        const Code code = data.columns[column].codes[row];
        const std::string shown = domain.Publish(code, code);
        const auto meaning = domain.Read(shown);
        ASSERT_TRUE(meaning.has_value());
        EXPECT_TRUE(domain.Covers(*meaning, code));
        if (column != 4) {
          EXPECT_EQ(shown, cells[column].second[row]);
        }
        if (domain.missing() != code) {
          EXPECT_EQ(domain.Encode(cells[column].second[row]), code);
        }
      }
    }
  }
}

TEST(BindProperty, ThreadsChangeNothing) {
  const std::size_t rows = 3 * kChunkRows / 2;
  Random random = Random::FromSeed(7);
  std::vector<NamedCells> cells = {{"a", {}}, {"s", {}}, {"p", {}}};
  for (std::size_t row = 0; row < rows; ++row) {
    cells[0].second.push_back(random.Below(50) == 0 ? "?" : std::to_string(random.Below(90)));
    cells[1].second.push_back(std::string(1, static_cast<char>('a' + random.Below(5))));
    cells[2].second.push_back(std::to_string(random.Below(1000)));
  }
  const Table table = TableOf(cells);
  for (const char* on_missing : {"leaf", "drop"}) {
    const Policy policy =
        PolicyOf("[data]\nmissing = [\"?\"]\non_missing = \"" + std::string(on_missing) +
                 "\"\n[attributes.a]\nrole = \"quasi\"\ntype = \"numeric\"\n[attributes.s]\nrole = \"sensitive\"\n"
                 "[attributes.p]\nrole = \"person\"\n");
    const Microdata one = Bind(policy, table, {.threads = 1}).value();
    const Microdata four = Bind(policy, table, {.threads = 4}).value();
    EXPECT_EQ(one.input_rows, four.input_rows);
    EXPECT_EQ(CodesOf(one.persons), CodesOf(four.persons));
    for (std::size_t i = 0; i < one.columns.size(); ++i)
      EXPECT_EQ(CodesOf(one.columns[i].codes), CodesOf(four.columns[i].codes));
  }
}

TEST(BindAttributes, NeedsDeclaredDomainsOnly) {
  const ScratchFolder folder;
  folder.Write("h.csv", "a;*\nb;*\n");
  const Policy policy = PolicyOf(
      "[attributes.id]\nrole = \"identifier\"\n[attributes.who]\nrole = \"person\"\n"
      "[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\nrange = [1, 100]\n"
      "[attributes.pay]\nrole = \"quasi\"\ntype = \"numeric\"\nrange = [0, 10]\nround = 0.5\n"
      "[attributes.cell]\nrole = \"quasi\"\ntype = \"numeric\"\nrange = [0, 10]\ngrid = 5\n"
      "[attributes.job]\nrole = \"quasi\"\nhierarchy = \"h.csv\"\n[attributes.s]\nrole = \"sensitive\"\nvalues = [\"y\", "
      "\"x\"]\n"
      "[attributes.i]\nrole = \"insensitive\"\n",
      folder.path());
  const auto bound = BindAttributes(policy);
  ASSERT_TRUE(bound.ok()) << Told(bound);
  ASSERT_EQ(bound.value().size(), 6u);
  EXPECT_EQ(bound.value()[0].name, "age");
  EXPECT_EQ(bound.value()[0].domain->size(), 101);  // the missing value included
  EXPECT_EQ(bound.value()[0].domain->Encode("37"), 36);
  EXPECT_EQ(bound.value()[1].domain->size(), 22);
  EXPECT_EQ(bound.value()[2].domain->Encode("7"), 1);
  EXPECT_EQ(bound.value()[3].domain->size(), 3);
  EXPECT_EQ(bound.value()[4].domain->Encode("x"), 1);
  EXPECT_EQ(bound.value()[5].domain, nullptr);
}

TEST(BindAttributes, SaysWhichDomainIsNotDeclared) {
  EXPECT_EQ(Told(BindAttributes(QuasiPolicy("type = \"numeric\"\n"))),
            "[attributes.a] needs 'range': without rows its domain must be declared");
  EXPECT_EQ(Told(BindAttributes(QuasiPolicy(""))),
            "[attributes.a] needs 'values' or a hierarchy file: without rows its domain must be declared");
  EXPECT_EQ(Told(BindAttributes(QuasiPolicy("type = \"numeric\"\nrange = [0, 1000000000]\n"))),
            "[attributes.a]: the range holds more than 4194304 values / set grid or round");
}

}  // namespace
}  // namespace cordon::engine
