// SPDX-License-Identifier: Apache-2.0
//
// Tables that are cut into shards, small ones with a tiny size of shards. Every release is judged by the verifier, read from
// its file, and by scripts/verify_release.py, which shares no code with it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "cordon/base/json.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/anonymize.h"
#include "cordon/publish/evaluate.h"
#include "cordon/publish/verify.h"
#include "tests/scratch_folder.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{256} << 20;

constexpr const char* kLargeColumns = R"(
[attributes.age]
role = "quasi"
type = "numeric"
[attributes."home-town"]
role = "quasi"
hierarchy = { prefix = 2 }
[attributes."it's"]
role = "quasi"
[attributes.disease]
role = "sensitive"
[attributes.note]
role = "insensitive"
)";

std::string LargeModel(const std::string& name, const std::string& rest) {
  return fmt::format("[[privacy]]\nmodel = \"{}\"\n{}\n", name, rest);
}

// A sensitive column that no model guards needs a reason.
std::string ColumnsFor(const std::string& models) {
  std::string columns = kLargeColumns;
  const std::string sensitive = "role = \"sensitive\"\n";
  if (models.find("\"disease\"") == std::string::npos)
    columns.insert(columns.find(sensitive) + sensitive.size(), "unguarded = \"a test of sizes\"\n");
  return columns;
}

struct LargeRow {
  std::string age, town, its, disease, note;
};

std::string Csv(const std::vector<LargeRow>& rows) {
  std::string text = "age,home-town,it's,disease,note\n";
  for (const LargeRow& row : rows) text += fmt::format("{},{},{},{},{}\n", row.age, row.town, row.its, row.disease, row.note);
  return text;
}

class Large : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }

  Policy PolicyOf(const std::string& models) {
    const std::string text = ColumnsFor(models) + models;
    EXPECT_TRUE(WriteFile(Path("policy.toml"), text).ok());
    Result<Policy> policy = ReadPolicy(Path("policy.toml"));
    EXPECT_TRUE(policy.ok()) << policy.error().message();
    return std::move(policy).value();
  }

  AnonymizeRequest RequestOf(std::uint64_t shard_rows, const std::string& output = "out.csv") const {
    AnonymizeRequest request;
    request.input = Path("in.csv");
    request.output = Path(output);
    request.memory = kMemory;
    request.shard_rows = shard_rows;
    request.force = true;
    request.effort = Effort::kLow;
    return request;
  }

  Result<Report> Make(const std::vector<LargeRow>& rows, const Policy& policy, std::uint64_t shard_rows,
                      const std::string& output = "out.csv") {
    EXPECT_TRUE(WriteFile(Path("in.csv"), Csv(rows)).ok());
    return Anonymize(RequestOf(shard_rows, output), policy, {.threads = 2});
  }

  // By the library, from the file, with the original next to it.
  void ExpectHolds(const Policy& policy, const std::string& output = "out.csv") {
    VerifyRequest verify;
    verify.release = Path(output);
    verify.original = Path("in.csv");
    const Result<Verification> verified = Verify(verify, policy, {});
    ASSERT_TRUE(verified.ok()) << verified.error().message();
    for (const Verdict& verdict : verified.value().verdicts) EXPECT_TRUE(verdict.holds) << Explain(verdict);
    ASSERT_TRUE(verified.value().truth);
    EXPECT_TRUE(verified.value().truth->holds) << verified.value().truth->Explain();
  }
  void ExpectSecondVerifierAgrees(const std::string& output = "out.csv") {
    const std::string script = std::string(CORDON_TEST_DATA) + "/../../scripts/verify_release.py";
    const std::string command = fmt::format("python3 '{}' '{}' > '{}'", script, Path(output), Path("second.txt"));
    EXPECT_EQ(std::system(command.c_str()), 0) << ReadFile(Path("second.txt")).value();
  }

  std::multiset<std::string> Lines(const std::string& name) const {
    std::multiset<std::string> lines;
    std::string line;
    for (std::ifstream in(Path(name)); std::getline(in, line);) lines.insert(line);
    return lines;
  }
  // How often each pair of cells occurs that are published as they are.
  std::map<std::string, int> Kept(const std::string& name) const {
    std::map<std::string, int> kept;
    for (const std::string& line : Lines(name)) {
      const std::size_t note = line.rfind(',');
      ++kept[line.substr(line.rfind(',', note - 1))];
    }
    return kept;
  }

  test::ScratchFolder folder_;
};

std::vector<LargeRow> RandomRows(std::mt19937& random, std::size_t num_rows) {
  std::vector<LargeRow> rows;
  const unsigned long ages = 1 + random() % 60;
  const unsigned long diseases = 2 + random() % 5;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const unsigned long age = 20 + random() % ages;
    const bool missing = random() % 20 == 0;
    rows.push_back({missing ? "" : fmt::format("{}", age), fmt::format("{:02}", random() % 40),
                    fmt::format("v{}", random() % 4), fmt::format("d{}", random() % (1 + random() % diseases)),
                    fmt::format("n{}", random() % 9)});
  }
  return rows;
}

std::string RandomModels(std::mt19937& random) {
  std::string models = LargeModel("k-anonymity", fmt::format("k = {}", 2 + random() % 4));
  switch (random() % 5) {
    case 0: break;
    case 1: models += LargeModel("l-diversity", "sensitive = \"disease\"\nl = 2"); break;
    case 2: models += LargeModel("t-closeness", "sensitive = \"disease\"\nt = 0.4\ndistance = \"equal\""); break;
    case 3: models += LargeModel("beta-likeness", "sensitive = \"disease\"\nbeta = 3"); break;
    default: models += LargeModel("l-diversity", "sensitive = \"disease\"\nl = 1.5\nkind = \"entropy\""); break;
  }
  return models;
}

TEST_F(Large, EveryReleaseHoldsByTwoVerifiersHoweverTheTableIsCut) {
  std::size_t cut = 0;
  const unsigned cases = SomeOrAll(20u, 60u);
  for (unsigned seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Policy policy = PolicyOf(RandomModels(random));
    const std::vector<LargeRow> rows = RandomRows(random, 40 + random() % 400);
    const Result<Report> report = Make(rows, policy, 10 + random() % 80);
    if (!report.ok()) {
      EXPECT_EQ(report.error().kind(), ErrorKind::kUnsatisfiable) << report.error().message();
      AnonymizeRequest at_once = RequestOf(1);
      at_once.memory.reset();
      EXPECT_FALSE(Anonymize(at_once, policy, {}).ok()) << "a release that shards do not find";
      continue;
    }
    EXPECT_EQ(report.value().rows, rows.size());
    cut += report.value().notes.at(0).starts_with("in one shard") ? 0 : 1;
    ExpectHolds(policy);
    EXPECT_EQ(Kept("out.csv"), Kept("in.csv"));
    if (seed % 6 == 0) ExpectSecondVerifierAgrees();
  }
  EXPECT_GT(cut, cases * 2 / 3) << "most tables must have been cut";
}

TEST_F(Large, WhatIsToldIsWhatTheFileShows) {
  std::mt19937 random(3);
  const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 3") +
                                 LargeModel("t-closeness", "sensitive = \"disease\"\nt = 0.5\ndistance = \"equal\""));
  const Report report = Make(RandomRows(random, 500), policy, 60).value();
  const Report measured = [&] {
    VerifyRequest verify;
    verify.release = Path("out.csv");
    const Verification verified = Verify(verify, policy, {}).value();
    Report told;
    told.privacy = verified.verdicts;
    return told;
  }();
  for (std::size_t i = 0; i < measured.privacy.size(); ++i)
    EXPECT_EQ(report.privacy[i].reached_text, measured.privacy[i].reached_text);
  const Json manifest = ParseJson(ReadFile(Path("out.csv.manifest.json")).value());
  EXPECT_EQ(manifest["output"]["rows"], 500);
  EXPECT_FALSE(manifest.dump().find("shard") != std::string::npos) << "the manifest says nothing of shards";
  EXPECT_TRUE(std::filesystem::exists(Path("out.csv.codebook.json")));
}

// Loss and groups are added up over parts; the file has to have them.
TEST_F(Large, FiguresAreThoseOfTheFile) {
  for (unsigned seed = 20; seed < 26; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 3"));
    const std::vector<LargeRow> rows = RandomRows(random, 400);
    const Report report = Make(rows, policy, 40).value();
    EvaluateRequest evaluate;
    evaluate.release = Path("out.csv");
    evaluate.original = Path("in.csv");
    const Result<Evaluation> measured = Evaluate(evaluate, policy, {});
    ASSERT_TRUE(measured.ok()) << measured.error().message();
    EXPECT_NEAR(report.utility.loss.information_loss, measured.value().utility.loss.information_loss, 1e-9);
    std::map<std::string, std::uint64_t> groups;
    for (const std::string& line : Lines("out.csv")) {
      if (!line.starts_with("age,")) ++groups[line.substr(0, line.rfind(',', line.rfind(',') - 1))];
    }
    const Discernibility& told = report.utility.discernibility;
    std::uint64_t squares = 0;
    std::uint64_t least = rows.size();
    for (const auto& [cells, size] : groups) {
      squares += size * size;
      least = std::min(least, size);
    }
    EXPECT_EQ(told.groups, groups.size());
    for (const SmallGroups& small : report.small_groups) {
      std::uint64_t smaller = 0;
      std::uint64_t rows_in = 0;
      for (const auto& [cells, size] : groups) {
        smaller += size < static_cast<std::uint64_t>(small.k) ? 1 : 0;
        rows_in += size < static_cast<std::uint64_t>(small.k) ? size : 0;
      }
      EXPECT_EQ(small.groups, smaller) << small.k;
      EXPECT_EQ(small.rows, rows_in) << small.k;
    }
    EXPECT_EQ(told.min_group, least);
    EXPECT_EQ(told.discernibility, squares);
    EXPECT_EQ(report.privacy[0].reached_text, fmt::format("{}", least));
  }
}

TEST_F(Large, ASeedAndARecordRepeatTheBytes) {
  std::mt19937 random(8);
  const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 3"));
  ASSERT_TRUE(WriteFile(Path("in.csv"), Csv(RandomRows(random, 300))).ok());
  ASSERT_TRUE(Anonymize(RequestOf(50, "one.csv"), policy, {.threads = 1}).ok());
  AnonymizeRequest again = RequestOf(50, "two.csv");
  again.memory.reset();
  again.repeat = Path("one.csv.private.json");
  ASSERT_TRUE(Anonymize(again, policy, {.threads = 2}).ok());
  EXPECT_EQ(ReadFile(Path("one.csv")).value(), ReadFile(Path("two.csv")).value());

  again.memory = 2 * kMemory;
  const auto other = Anonymize(again, policy, {});
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message().find("--memory 256MiB"), std::string::npos) << other.error().message();
  again.memory.reset();
  again.shard_rows = 20;
  EXPECT_FALSE(Anonymize(again, policy, {}).ok()) << "cut in another way";
}

TEST_F(Large, RowsAreShuffledAcrossShards) {
  std::vector<LargeRow> rows;
  for (int i = 0; i < 2000; ++i) rows.push_back({fmt::format("{}", i / 20), "11", "v", "d", fmt::format("n{}", i)});
  const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 2"));
  ASSERT_TRUE(Make(rows, policy, 100).ok());
  std::ifstream in(Path("out.csv"));
  std::string line;
  std::getline(in, line);
  double sum = 0;  // of |place - input row|; a third of the rows if the order is random
  for (int place = 0; std::getline(in, line); ++place) sum += std::abs(place - std::stoi(line.substr(line.rfind('n') + 1)));
  EXPECT_GT(sum / 2000, 500);
}

// Neither the place of a row nor its neighbours say which shard it was in, over several keys.
TEST_F(Large, NeighboursAreOfOneShardNoMoreOftenThanByChance) {
  std::vector<LargeRow> rows;  // 20 shards of 100 rows
  for (int i = 0; i < 2000; ++i) rows.push_back({fmt::format("{}", i / 100), "11", "v", "d", fmt::format("n{}", i)});
  const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 2"));
  std::size_t neighbours = 0;
  std::size_t after = 0;          // rows that follow the row that they follow in the input
  std::vector<double> place(20);  // mean, of the rows of a shard
  constexpr int kKeys = 8;
  for (int key = 0; key < kKeys; ++key) {
    ASSERT_TRUE(Make(rows, policy, 100).ok());
    std::ifstream in(Path("out.csv"));
    std::string line;
    std::getline(in, line);
    int last = -1;
    for (int at = 0; std::getline(in, line); ++at) {
      const int number = std::stoi(line.substr(line.rfind('n') + 1));
      neighbours += last >= 0 && number / 100 == last / 100 ? 1 : 0;
      after += last >= 0 && number == last + 1 ? 1 : 0;
      place[static_cast<std::size_t>(number / 100)] += at / (100.0 * kKeys);
      last = number;
    }
  }
  EXPECT_NEAR(static_cast<double>(neighbours), kKeys * 2000 * 99 / 1999.0, 150);  // 5 deviations
  EXPECT_LT(after, 30u);                                                          // 8 by chance
  for (const double mean : place) EXPECT_NEAR(mean, 1000, 110);                   // 5 deviations
}

// Adversarial tables. Each says what a plan that is blind to it would get wrong.

TEST_F(Large, AValueInOneCornerAloneDoesNotLeaveAShardWithoutTwo) {
  std::vector<LargeRow> rows;
  for (int i = 0; i < 400; ++i) {
    const int age = 20 + i % 50;
    rows.push_back({fmt::format("{}", age), fmt::format("{:02}", i % 30), "v", age >= 65 && i % 2 == 0 ? "rare" : "flu", "n"});
  }
  const Policy policy =
      PolicyOf(LargeModel("k-anonymity", "k = 2") + LargeModel("l-diversity", "sensitive = \"disease\"\nl = 2"));
  const Result<Report> report = Make(rows, policy, 30);
  ASSERT_TRUE(report.ok()) << report.error().message();
  ExpectHolds(policy);
  ExpectSecondVerifierAgrees();
}

TEST_F(Large, ASensitiveColumnThatFollowsTheCutColumnStaysClose) {
  std::vector<LargeRow> rows;
  for (int i = 0; i < 600; ++i) {
    const int age = 20 + i % 60;
    rows.push_back({fmt::format("{}", age), fmt::format("{:02}", i % 7), "v", fmt::format("d{}", age / 20), "n"});
  }
  for (const char* model : {"t-closeness", "beta-likeness"}) {
    const bool close = model == std::string("t-closeness");
    const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 3") +
                                   LargeModel(model, close ? "sensitive = \"disease\"\nt = 0.3\ndistance = \"equal\""
                                                           : "sensitive = \"disease\"\nbeta = 1"));
    const Result<Report> report = Make(rows, policy, 60);
    ASSERT_TRUE(report.ok()) << report.error().message();
    ExpectHolds(policy);
    ExpectSecondVerifierAgrees();
  }
}

TEST_F(Large, HalfOfAllRowsAreEqual) {
  std::mt19937 random(4);
  std::vector<LargeRow> rows = RandomRows(random, 300);
  for (int i = 0; i < 300; ++i) rows.push_back({"40", "11", "v1", fmt::format("d{}", i % 3), "n"});
  const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 4"));
  ASSERT_TRUE(Make(rows, policy, 40).ok());
  ExpectHolds(policy);
  // No other group takes part of them, so they are shown as they are.
  std::size_t exact = 0;
  for (const std::string& line : Lines("out.csv")) exact += line.starts_with("40,11,v1,") ? 1 : 0;
  EXPECT_GE(exact, 290u);
}

TEST_F(Large, AllRowsAreEqual) {
  const std::vector<LargeRow> rows(500, LargeRow{"40", "11", "v", "d", "n"});
  const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 5"));
  const Report report = Make(rows, policy, 20).value();
  EXPECT_EQ(report.utility.loss.information_loss, 0);
  EXPECT_EQ(report.utility.discernibility.groups, 1u);
  EXPECT_TRUE(report.notes.at(0).starts_with("in one shard"));
}

TEST_F(Large, FewerRowsThanKTimesTheShards) {
  std::mt19937 random(5);
  const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 9"));
  ASSERT_TRUE(Make(RandomRows(random, 20), policy, 2).ok());
  ExpectHolds(policy);
  const Result<Report> none = Make(RandomRows(random, 8), policy, 2);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind(), ErrorKind::kUnsatisfiable);
}

TEST_F(Large, MissingCellsAreDroppedOrAValue) {
  std::mt19937 random(6);
  std::vector<LargeRow> rows = RandomRows(random, 400);
  for (std::size_t i = 0; i < rows.size(); i += 9) rows[i].disease = "";
  std::uint64_t complete = 0;
  for (const LargeRow& row : rows) complete += row.age.empty() || row.disease.empty() ? 0 : 1;
  const Policy leaf = PolicyOf(LargeModel("k-anonymity", "k = 3"));
  EXPECT_EQ(Make(rows, leaf, 50).value().rows, 400u);
  ExpectHolds(leaf);
  const Policy drop = PolicyOf("[data]\non_missing = \"drop\"\n" + LargeModel("k-anonymity", "k = 3"));
  const Report report = Make(rows, drop, 50).value();
  EXPECT_EQ(report.rows, complete);
  EXPECT_EQ(report.dropped, 400 - complete);
  AnonymizeRequest at_once = RequestOf(50, "at_once.csv");
  at_once.memory.reset();
  EXPECT_EQ(Anonymize(at_once, drop, {}).value().dropped, report.dropped);
  ExpectHolds(drop);
}

TEST_F(Large, ValuesThatTheHierarchyLacksAreOther) {
  ASSERT_TRUE(WriteFile(Path("tree.csv"), "v0;low;*\nv1;low;*\nv2;high;*\n").ok());
  std::string text = ColumnsFor("");
  const std::string its = "[attributes.\"it's\"]\nrole = \"quasi\"\n";
  text.replace(text.find(its), its.size(), its + "hierarchy = \"tree.csv\"\nother = \"else\"\n");
  ASSERT_TRUE(WriteFile(Path("policy.toml"), text + LargeModel("k-anonymity", "k = 3")).ok());
  const Result<Policy> policy = ReadPolicy(Path("policy.toml"));
  ASSERT_TRUE(policy.ok()) << policy.error().message();
  std::mt19937 random(7);
  const Result<Report> report = Make(RandomRows(random, 300), policy.value(), 40);
  ASSERT_TRUE(report.ok()) << report.error().message();
  ExpectHolds(policy.value());
}

// A cell that cannot be bound is named by its row in the file, like in a run that holds all rows.
TEST_F(Large, ABadCellIsNamedByItsRow) {
  std::mt19937 random(9);
  std::vector<LargeRow> rows = RandomRows(random, 50);
  rows[30].age = "forty";
  const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 3"));
  const Result<Report> report = Make(rows, policy, 10);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message().find("row 31, column age"), std::string::npos) << report.error().message();
  EXPECT_EQ(report.error().message().find("forty"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(Path("out.csv")));
}

TEST_F(Large, RowsMayBeSuppressedByEachShardsShareOfTheLimit) {
  std::mt19937 random(10);
  std::vector<LargeRow> rows = RandomRows(random, 600);
  for (int i = 0; i < 6; ++i) rows[static_cast<std::size_t>(i) * 90].age = fmt::format("{}", 500 + 100 * i);
  const Policy policy = PolicyOf("[algorithm]\nsuppression_limit = 0.05\n" + LargeModel("k-anonymity", "k = 4"));
  const Report report = Make(rows, policy, 100).value();
  EXPECT_LE(report.suppressed, 30u);
  EXPECT_EQ(report.rows + report.suppressed, 600u);
  ExpectHolds(policy);
  ExpectSecondVerifierAgrees();
}

// Eight shards of 50 rows, each with one row that is far from all others. 1.9 % of 50 rows are none; of all rows, seven.
TEST_F(Large, TheShareOfAShardIsRoundedDown) {
  std::vector<LargeRow> rows;
  for (int i = 0; i < 400; ++i) {
    const bool far = i % 50 == 49;
    rows.push_back({fmt::format("{}", i / 50 * 10), far ? "99" : "11", far ? "far" : "v1", "d", "n"});
  }
  const auto suppressed = [&](const std::string& limit, const std::string& how) {
    const Policy policy = PolicyOf(fmt::format("[algorithm]\nsuppression_limit = {}\nsuppressed = \"{}\"\n", limit, how) +
                                   LargeModel("k-anonymity", "k = 6"));
    const Result<Report> report = Make(rows, policy, 50);
    EXPECT_TRUE(report.ok()) << report.error().message();
    EXPECT_TRUE(report.value().notes.at(0).starts_with("in 8 shards of 50 to 50 rows")) << report.value().notes.at(0);
    ExpectHolds(policy);
    return report.value().suppressed;
  };
  EXPECT_EQ(suppressed("0.019", "drop"), 0u);
  EXPECT_EQ(suppressed("0.02", "drop"), 8u) << "one of each shard";
  EXPECT_EQ(suppressed("0.019", "star"), 0u);
  EXPECT_LE(suppressed("0.02", "star"), 8u);
}

TEST_F(Large, SensitiveValuesThatSingleOutRowsAreWarnedOf) {
  const Policy policy =
      PolicyOf(LargeModel("k-anonymity", "k = 3") + LargeModel("l-diversity", "sensitive = \"disease\"\nl = 2"));
  const auto warned = [](const Report& report) {
    std::string text;
    for (const Warning& warning : report.warnings) text += warning.code == "sensitive-as-is" ? warning.fix : "";
    return text;
  };
  for (const int different : {400, 79, 10}) {  // of 400 rows; the others have one value
    SCOPED_TRACE(different);
    std::mt19937 random(13);
    std::vector<LargeRow> rows = RandomRows(random, 400);
    for (int i = 0; i < 400; ++i) rows[static_cast<std::size_t>(i)].disease = i < different ? fmt::format("d{}", i) : "flu";
    const Result<Report> report = Make(rows, policy, 60);
    AnonymizeRequest at_once = RequestOf(60, "at_once.csv");
    at_once.memory.reset();
    const Result<Report> whole = Anonymize(at_once, policy, {});
    ASSERT_EQ(report.ok(), whole.ok());
    if (!report.ok()) continue;  // too few values
    EXPECT_EQ(warned(report.value()), warned(whole.value()));
    EXPECT_EQ(warned(report.value()).starts_with("100 % of the rows are unique by their sensitive values (disease)"),
              different == 400);
    EXPECT_EQ(warned(report.value()).empty(), different != 400);
  }
}

TEST_F(Large, ParquetAndJsonLinesHaveTheSameRowsAsCsv) {
  std::mt19937 random(11);
  const Policy policy = PolicyOf(LargeModel("k-anonymity", "k = 3"));
  const std::vector<LargeRow> rows = RandomRows(random, 300);
  for (const char* output : {"out.jsonl", "out.csv.gz", "out.parquet"}) {
    SCOPED_TRACE(output);
    if (output == std::string("out.parquet") && !DuckDbVersion().ok()) continue;  // a build without it
    const Result<Report> report = Make(rows, policy, 50, output);
    ASSERT_TRUE(report.ok()) << report.error().message();
    ExpectHolds(policy, output);
  }
}

TEST_F(Large, WhatIsNotServedIsRefusedByNameBeforeAnyWork) {
  std::mt19937 random(12);
  ASSERT_TRUE(WriteFile(Path("in.csv"), Csv(RandomRows(random, 50))).ok());
  const std::string k = LargeModel("k-anonymity", "k = 3");
  const auto refused = [&](const Policy& policy, const std::function<void(AnonymizeRequest&)>& change) {
    AnonymizeRequest request = RequestOf(10);
    change(request);
    const Result<Report> report = Anonymize(request, policy, {});
    EXPECT_FALSE(report.ok());
    if (report.ok()) return std::string();
    EXPECT_FALSE(report.error().hint().empty());
    EXPECT_FALSE(std::filesystem::exists(Path("out.csv")));
    return report.error().message();
  };
  const auto nothing = [](AnonymizeRequest&) {};
  const Policy plain = PolicyOf(k);
  EXPECT_NE(refused(plain, [&](auto& r) { r.row_map = Path("map.csv"); }).find("--row-map"), std::string::npos);
  EXPECT_NE(refused(plain, [&](auto& r) { r.html = Path("r.html"); }).find("--html"), std::string::npos);
  EXPECT_NE(refused(plain, [&](auto& r) { r.save_recoding = Path("r.json"); }).find("--save-recoding"), std::string::npos);
  EXPECT_NE(refused(plain, [&](auto& r) { r.registry = Path("r.db"); }).find("--registry"), std::string::npos);
  EXPECT_NE(refused(plain, [&](auto& r) { r.group_column = true; }).find("--group-column"), std::string::npos);
  EXPECT_NE(refused(plain, [&](auto& r) { r.order = RowOrder::kInput; }).find("order"), std::string::npos);
  EXPECT_NE(refused(plain, [&](auto& r) { r.algorithm = "blind"; }).find("blind"), std::string::npos);
  EXPECT_NE(refused(plain,
                    [&](auto& r) {
                      r.shard_rows.reset();
                      r.memory = 1024;
                    })
                .find("256MiB"),
            std::string::npos);
  EXPECT_NE(refused(PolicyOf(LargeModel("k-anonymity", "k = 3\non = [\"age\"]")), nothing).find("k-anonymity"),
            std::string::npos);
  EXPECT_NE(refused(PolicyOf("[algorithm]\nsuppression_limit = 0.1\n" + k +
                             LargeModel("t-closeness", "sensitive = \"disease\"\nt = 0.5\ndistance = \"equal\"")),
                    nothing)
                .find("t-closeness"),
            std::string::npos);
  EXPECT_NE(refused(PolicyOf(LargeModel("t-closeness", "sensitive = \"disease\"\nt = 0.5\ndistance = \"equal\"")),
                    [](auto& r) { r.algorithm = "sabre-ak"; })
                .find("sabre-ak"),
            std::string::npos);
}

}  // namespace
}  // namespace cordon::engine
