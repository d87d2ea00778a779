// SPDX-License-Identifier: Apache-2.0
//
// Algorithms that count weights, on tables larger than memory: the release has the rows of the search in memory, cell by cell.
#include "cordon/publish/large/combinations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <set>

#include "cordon/base/json.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/plan/registry.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/anonymize.h"
#include "cordon/publish/search_large.h"
#include "cordon/publish/verify.h"
#include "tests/scratch_folder.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kCombinationsMemory = std::uint64_t{256} << 20;

class CombinationsRun : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }

  Policy PolicyOf(const std::string& text) {
    EXPECT_TRUE(WriteFile(Path("policy.toml"), text).ok());
    Result<Policy> policy = ReadPolicy(Path("policy.toml"));
    EXPECT_TRUE(policy.ok()) << policy.error().message();
    return std::move(policy).value();
  }

  // `part_rows`: of parts that are judged, and of blocks that are published; none: in memory.
  AnonymizeRequest RequestOf(std::optional<std::uint64_t> part_rows, const std::string& output) const {
    AnonymizeRequest request;
    request.input = Path("in.csv");
    request.output = Path(output);
    if (part_rows) request.memory = kCombinationsMemory;
    request.shard_rows = part_rows;
    request.force = true;
    return request;
  }

  std::multiset<std::string> Lines(const std::string& name) const {
    std::multiset<std::string> lines;
    std::string line;
    for (std::ifstream in(Path(name)); std::getline(in, line);) lines.insert(line);
    return lines;
  }

  test::ScratchFolder folder_;
};

std::string RandomCsv(std::mt19937& random, std::size_t num_rows) {
  std::string text = "age,home-town,it's,disease,note\n";
  const unsigned long ages = 1 + random() % 12;
  const unsigned long diseases = 2 + random() % 4;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const bool padded = random() % 7 == 0;  // another text of the same number
    const std::string age = fmt::format("{}{}", padded ? "0" : "", 20 + random() % ages);
    text += fmt::format("{},{:02},v{},{},n{}\n", random() % 25 == 0 ? "" : age, random() % 9, random() % 3,
                        random() % 30 == 0 ? "" : fmt::format("d{}", random() % (1 + random() % diseases)), random() % 3);
  }
  return text;
}

std::string RandomPolicy(std::mt19937& random) {
  const char* const algorithms[] = {"full-domain", "tdr", "tdd"};
  const std::string algorithm = algorithms[random() % 3];
  const std::string model = algorithm == "tdd" ? "confidence" : std::vector<std::string>{"", "l", "t", "beta"}[random() % 4];
  const bool guarded = !model.empty();
  std::string text = fmt::format("[data]\non_missing = \"{}\"\n", random() % 2 == 0 ? "drop" : "leaf");
  text += "[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\n";
  text += "[attributes.\"home-town\"]\nrole = \"quasi\"\nhierarchy = { prefix = 2 }\n";
  text += fmt::format("[attributes.\"it's\"]\nrole = \"quasi\"\n");
  text += fmt::format("[attributes.disease]\nrole = \"sensitive\"\n{}", guarded ? "" : "unguarded = \"a test of sizes\"\n");
  text += fmt::format("[attributes.note]\nrole = \"{}\"\n", random() % 2 == 0 ? "class" : "insensitive");
  text += fmt::format("[[privacy]]\nmodel = \"k-anonymity\"\nk = {}\n", 2 + random() % 5);
  if (random() % 4 == 0) text += "[[privacy]]\nmodel = \"k-anonymity\"\nk = 9\non = [\"age\", \"it's\"]\n";
  if (random() % 6 == 0) text += "[[privacy]]\nmodel = \"k-anonymity\"\nk = 7\non = [\"home-town\"]\n";
  if (model == "l") text += "[[privacy]]\nmodel = \"l-diversity\"\nsensitive = \"disease\"\nl = 2\n";
  if (model == "t") text += "[[privacy]]\nmodel = \"t-closeness\"\nsensitive = \"disease\"\nt = 0.4\ndistance = \"equal\"\n";
  if (model == "beta") text += "[[privacy]]\nmodel = \"beta-likeness\"\nsensitive = \"disease\"\nbeta = 3\n";
  if (model == "confidence") text += "[[privacy]]\nmodel = \"confidence\"\nvalues = { disease = [] }\nh = 0.8\n";
  text += fmt::format("[algorithm]\nname = \"{}\"\n", algorithm);
  if (algorithm == "full-domain" && (model.empty() || model == "l") && random() % 2 == 0) {
    text += fmt::format("suppression_limit = 0.2\nsuppressed = \"{}\"\n", random() % 2 == 0 ? "star" : "drop");
  }
  return text;
}

TEST_F(CombinationsRun, TheReleaseIsThatOfTheSearchInMemory) {
  std::size_t made = 0;
  std::size_t suppressed = 0;
  const unsigned cases = SomeOrAll(40u, 120u);
  for (unsigned seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::string text = RandomPolicy(random);
    SCOPED_TRACE(text);
    const Policy policy = PolicyOf(text);
    ASSERT_TRUE(WriteFile(Path("in.csv"), RandomCsv(random, 20 + random() % 400)).ok());
    const Result<Report> at_once = Anonymize(RequestOf(std::nullopt, "at_once.csv"), policy, {.threads = 2});
    const Result<Report> report = Anonymize(RequestOf(5 + random() % 90, "out.csv"), policy, {.threads = 2});
    ASSERT_EQ(at_once.ok(), report.ok()) << (report.ok() ? at_once : report).error().message();
    if (!report.ok()) {
      EXPECT_EQ(report.error().message(), at_once.error().message());
      continue;
    }
    ++made;
    suppressed += report.value().suppressed > 0 ? 1 : 0;
    EXPECT_EQ(Lines("out.csv"), Lines("at_once.csv"));
    EXPECT_NEAR(report.value().utility.loss.information_loss, at_once.value().utility.loss.information_loss, 1e-12);
    const Discernibility& groups = report.value().utility.discernibility;
    const Discernibility& expected = at_once.value().utility.discernibility;
    EXPECT_EQ(groups.groups, expected.groups);
    EXPECT_EQ(groups.min_group, expected.min_group);
    EXPECT_EQ(groups.max_group, expected.max_group);
    EXPECT_EQ(groups.discernibility, expected.discernibility);
    EXPECT_EQ(groups.starred, expected.starred);
    EXPECT_DOUBLE_EQ(groups.mean_group, expected.mean_group);
    EXPECT_EQ(report.value().rows, at_once.value().rows);
    EXPECT_EQ(report.value().suppressed, at_once.value().suppressed);
    EXPECT_EQ(report.value().dropped, at_once.value().dropped);
    EXPECT_EQ(report.value().details, at_once.value().details);
    for (std::size_t i = 0; i < report.value().privacy.size(); ++i)
      EXPECT_EQ(report.value().privacy[i].reached_text, at_once.value().privacy[i].reached_text);
    std::set<std::string> warned;
    for (const Warning& warning : report.value().warnings) warned.insert(warning.fix);
    for (const Warning& warning : at_once.value().warnings) {
      EXPECT_TRUE(warned.contains(warning.fix)) << warning.fix;
    }
    VerifyRequest verify;
    verify.release = Path("out.csv");
    verify.original = Path("in.csv");
    const Result<Verification> verified = Verify(verify, policy, {});
    ASSERT_TRUE(verified.ok()) << verified.error().message();
    EXPECT_TRUE(verified.value().truth->holds) << verified.value().truth->Explain();
  }
  EXPECT_GT(made, cases * 2 / 3);
  EXPECT_GT(suppressed, cases / 24);
}

TEST_F(CombinationsRun, ARecordNamesTheTierAndRepeatsTheBytes) {
  std::mt19937 random(1);
  const Policy policy = PolicyOf(
      "[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\n[attributes.disease]\nrole = \"class\"\n"
      "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n[algorithm]\nname = \"tdr\"\n");
  std::string rows = "age,disease\n";
  for (int i = 0; i < 200; ++i) rows += fmt::format("{},d{}\n", random() % 30, random() % 2);
  ASSERT_TRUE(WriteFile(Path("in.csv"), rows).ok());
  ASSERT_TRUE(Anonymize(RequestOf(30, "one.csv"), policy, {.threads = 1}).ok());
  const Json record = ParseJson(ReadFile(Path("one.csv.private.json")).value());
  EXPECT_EQ(record["shards"]["tier"], "combinations");
  EXPECT_EQ(ReadFile(Path("one.csv.manifest.json")).value().find("combinations"), std::string::npos);
  AnonymizeRequest again = RequestOf(30, "two.csv");
  again.memory.reset();
  again.repeat = Path("one.csv.private.json");
  ASSERT_TRUE(Anonymize(again, policy, {.threads = 2}).ok());
  EXPECT_EQ(ReadFile(Path("one.csv")).value(), ReadFile(Path("two.csv")).value());
}

TEST_F(CombinationsRun, CountsEachAndRefusesTooMany) {
  const Policy policy = PolicyOf(
      "[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\n[attributes.job]\nrole = \"quasi\"\n"
      "[attributes.note]\nrole = \"insensitive\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n");
  ASSERT_TRUE(WriteFile(Path("in.csv"), "age,job,note\n5,a,x\n5,b,y\n05,a,z\n6,a,x\n5,b,x\n5,a,y\n").ok());
  const LargeTable table =
      ReadLargeTable(Path("in.csv"), policy, {{.text = policy.data.text}, Path(""), kCombinationsMemory}, {}).value();
  const CombinationsOptions fits{Path(""), 1000, 1300, 100};
  const Combinations combinations = Combinations::Count(table, {0, 1}, fits, {}).value();
  ASSERT_EQ(combinations.size(), 3u);
  EXPECT_EQ(combinations.weight(0), 3u);  // "5" and "05" are one number
  EXPECT_EQ(combinations.weight(1), 2u);
  EXPECT_EQ(combinations.weight(2), 1u);
  const Microdata rows = combinations.Rows();
  EXPECT_EQ(View::All(rows).weight(), 6u);
  EXPECT_TRUE(rows.columns[2].text.codes.empty());

  const CombinationsOptions one_short{Path(""), std::uint64_t{1} << 20, (std::uint64_t{1} << 20) + 299, 100};
  const auto refused = Combinations::Count(table, {0, 1}, one_short, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("3 different combinations of the 2 columns"), std::string::npos);
  EXPECT_NE(refused.error().hint().find("--memory 2MiB"), std::string::npos) << refused.error().hint();
}

// Equal rows count by their number, not as one combination.
TEST_F(CombinationsRun, RowsThatAreJudgedTogetherHaveToFit) {
  const Policy policy = PolicyOf(
      "[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\n[attributes.note]\nrole = \"insensitive\"\n"
      "[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n[algorithm]\nname = \"full-domain\"\n");
  std::string rows = "age,note\n";
  for (int i = 0; i < 100; ++i) rows += fmt::format("{},n\n", i < 90 ? 5 : 6);
  ASSERT_TRUE(WriteFile(Path("in.csv"), rows).ok());
  const LargeTable table =
      ReadLargeTable(Path("in.csv"), policy, {{.text = policy.data.text}, Path(""), kCombinationsMemory}, {}).value();
  const AlgorithmEntry& algorithm = *ChooseAlgorithm("full-domain", policy).value().algorithm;
  const CombinationsOptions all{Path(""), 0, kCombinationsMemory, 100};
  const Combinations combinations = Combinations::Count(table, ColumnsThatDecide(table, policy, algorithm), all, {}).value();
  ASSERT_EQ(combinations.size(), 2u);
  const auto search = [&](std::uint64_t bytes) {
    CombinationsNotes notes;
    return SearchCombinations(table, combinations, {policy, algorithm, Effort::kNormal, Path(""), 1000, bytes},
                              Random::FromSeed(1), notes, {});
  };
  const std::uint64_t enough = 100 * (40 + 8 * 2);  // one group of all rows: bytes of a row, and of its columns
  EXPECT_TRUE(search(enough).ok());
  const auto refused = search(enough - 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("100 rows have to be judged together"), std::string::npos)
      << refused.error().message();
  EXPECT_NE(refused.error().hint().find("1MiB more"), std::string::npos) << refused.error().hint();
}

}  // namespace
}  // namespace cordon::engine
