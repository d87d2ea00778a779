// SPDX-License-Identifier: Apache-2.0
//
// The public library: tables in memory give what files give, and everything bad is an Error.
#include <atomic>
#include <latch>
#include <limits>
#include <thread>

#include "cordon/arrow_c_data.h"
#include "tests/api/support.h"

namespace cordon {
namespace {

using test::Bytes;
using test::Put;
using test::Rows;
using test::ScratchFolder;

// 300 rows of a fixed shape: age, zip, disease.
struct Cells {
  std::vector<std::string> age, zip, disease;
};
Cells Patients() {
  Cells cells;
  for (int i = 0; i < 300; ++i) {
    cells.age.push_back(std::to_string(20 + (i * 37) % 60));
    cells.zip.push_back(std::to_string(100 + (i * 13) % 40));
    cells.disease.push_back(std::vector<std::string>{"flu", "cold", "angina", "gout"}[static_cast<std::size_t>(i * 7 % 4)]);
  }
  return cells;
}

Table PatientTable() {
  const Cells cells = Patients();
  return TableBuilder().Column("age", cells.age).Column("zip", cells.zip).Column("disease", cells.disease).Build().value();
}

std::string PatientCsv() {
  const Cells cells = Patients();
  std::string csv = "age,zip,disease\n";
  for (std::size_t i = 0; i < cells.age.size(); ++i) csv += cells.age[i] + "," + cells.zip[i] + "," + cells.disease[i] + "\n";
  return csv;
}

PolicyBuilder PatientPolicy() {
  PolicyBuilder policy;
  policy.Quasi("age", {{"type", "numeric"}, {"grid", 5}, {"range", PolicyValue::Array{0, 100}}})
      .Quasi("zip", {{"hierarchy", PolicyKeys{{"prefix", 3}}}})
      .Sensitive("disease")
      .KAnonymity(5)
      .Model("t-closeness", {{"sensitive", "disease"}, {"t", 0.4}});
  return policy;
}

TEST(Table, HoldsWhatTheBuilderGot) {
  const std::vector<std::optional<std::string>> second = {"x", std::nullopt, ""};
  const Table table = TableBuilder().Column("a", {"1", "2", "1"}).Column("b", second).Build().value();
  EXPECT_EQ(table.num_rows(), 3u);
  EXPECT_EQ(table.num_columns(), 2u);
  EXPECT_EQ(table.column_name(1), "b");
  EXPECT_EQ(table.cell(2, 0), "1");
  EXPECT_EQ(table.cell(1, 1), std::nullopt);
  EXPECT_EQ(table.cell(2, 1), "");
}

TEST(Table, TheBuilderRefusesWhatIsNotATable) {
  const auto error = [](TableBuilder& builder) { return builder.Build().error().message(); };
  TableBuilder twice;
  EXPECT_EQ(error(twice.Column("a", {"1"}).Column("a", {"2"})), "two columns are called 'a'");
  TableBuilder uneven;
  EXPECT_EQ(error(uneven.Column("a", {"1"}).Column("b", {"1", "2"})), "column 'b' has 2 cells, the columns before it have 1");
  TableBuilder unnamed;
  EXPECT_EQ(error(unnamed.Column("", {"1"})), "column 1 has no name");
  TableBuilder name;
  EXPECT_EQ(error(name.Column("a", {"1"}).Column("\xff", {"1"})), "the name of column 2 is not valid UTF-8");
  TableBuilder zero_name;
  EXPECT_EQ(error(zero_name.Column(std::string("a\0b", 3), {"1"})), "the name of column 1 holds a zero byte");
  TableBuilder bytes;
  EXPECT_EQ(error(bytes.Column("a", {"good", "\xff"})), "row 2, column 'a': the cell is not valid UTF-8");
  TableBuilder zero;
  EXPECT_EQ(error(zero.Column("a", {std::string_view("a\0b", 3)})), "row 1, column 'a': the cell holds a zero byte");
}

TEST(Table, GoesThroughArrowAndBack) {
  const std::vector<std::optional<std::string>> second = {"x", std::nullopt, "", "x"};
  const Table table = TableBuilder().Column("a", {"1", "2", "1", "ü"}).Column("b", second).Build().value();
  ArrowArrayStream stream;
  table.ToArrow(&stream);
  const Table back = Table::FromArrow(&stream).value();
  EXPECT_EQ(back.column_name(0), "a");
  EXPECT_EQ(Rows(back), Rows(table));
  EXPECT_EQ(back.cell(1, 1), std::nullopt);
}

// The texts that a stream hands on for its columns, used or not.
std::set<std::string> TextsInArrow(const Table& table) {
  ArrowArrayStream stream;
  table.ToArrow(&stream);
  std::set<std::string> texts;
  while (true) {
    ArrowArray batch;
    EXPECT_EQ(stream.get_next(&stream, &batch), 0);
    if (batch.release == nullptr) break;
    for (std::int64_t i = 0; i < batch.n_children; ++i) {
      const ArrowArray& dictionary = *batch.children[i]->dictionary;
      const auto* ends = static_cast<const std::int64_t*>(dictionary.buffers[1]);
      const auto* bytes = static_cast<const char*>(dictionary.buffers[2]);
      for (std::int64_t entry = 0; entry < dictionary.length; ++entry) {
        texts.emplace(bytes + ends[entry], static_cast<std::size_t>(ends[entry + 1] - ends[entry]));
      }
    }
    batch.release(&batch);
  }
  stream.release(&stream);
  return texts;
}

TEST(Release, ItsArrowStreamHoldsNoTextOfRowsThatWereLeftOut) {
  std::vector<std::string> age(20, "30"), disease(20, "flu");
  for (std::size_t i = 0; i < 20; i += 2) disease[i] = "cold";
  age.push_back("99");
  disease.push_back("plague");  // of the one person who is suppressed
  const Table table = TableBuilder().Column("age", age).Column("disease", disease).Build().value();
  const Policy policy = PolicyBuilder()
                            .Quasi("age")
                            .Sensitive("disease")
                            .KAnonymity(5)
                            .LDiversity("disease", 2)
                            .Set("algorithm", {{"name", "partition"}, {"suppression_limit", 0.1}})
                            .Build()
                            .value();
  const Release release = Anonymize(table, policy).value();
  ASSERT_EQ(release.report().suppressed, 1u);
  EXPECT_EQ(TextsInArrow(release.table()), (std::set<std::string>{"30", "flu", "cold"}));
}

TEST(PolicyBuilder, MeansWhatTheFileMeans) {
  const auto built = PatientPolicy().Build();
  ASSERT_TRUE(built.ok()) << built.error().message();
  const Policy text = Policy::FromToml(R"(
[attributes.age]
role = "quasi"
type = "numeric"
grid = 5
range = [0, 100]
[attributes.zip]
role = "quasi"
hierarchy = { prefix = 3 }
[attributes.disease]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 5
[[privacy]]
model = "t-closeness"
sensitive = "disease"
t = 0.4
)")
                          .value();
  EXPECT_EQ(built.value().digest(), text.digest());
  EXPECT_EQ(Policy::FromToml(PatientPolicy().ToToml()).value().digest(), text.digest());
}

TEST(PolicyBuilder, QuotesNamesAndTexts) {
  const std::string odd = "a \"b\"\\.\n[x]";
  const auto policy = PolicyBuilder().Quasi(odd).Sensitive("s", {{"unguarded", "line\ntwo \"x\""}}).KAnonymity(2).Build();
  ASSERT_TRUE(policy.ok()) << policy.error().message();
  const Table table = TableBuilder().Column(odd, {"1", "1"}).Column("s", {"a", "b"}).Build().value();
  EXPECT_TRUE(Anonymize(table, policy.value()).ok());
}

TEST(PolicyBuilder, SaysWhatIsWrong) {
  const auto policy = PolicyBuilder().Quasi("age", {{"tpye", "numeric"}}).KAnonymity(2).Build();
  ASSERT_FALSE(policy.ok());
  EXPECT_EQ(policy.error().kind(), ErrorKind::kInvalidPolicy);
  EXPECT_NE(policy.error().message().find("tpye"), std::string::npos);
  EXPECT_NE(policy.error().hint().find("type"), std::string::npos);
  EXPECT_FALSE(Policy::FromFile("/no/such/policy.toml").ok());
}

TEST(Anonymize, InMemoryGivesTheBytesOfAFile) {
  const ScratchFolder folder;
  Put(folder / "in.csv", PatientCsv());
  const Policy policy = PatientPolicy().Build().value();
  AnonymizeOptions options;
  options.seed = 7;
  const auto by_file = Anonymize(folder / "in.csv", policy, options);
  const auto by_table = Anonymize(PatientTable(), policy, options);
  ASSERT_TRUE(by_table.ok()) << by_table.error().message();
  EXPECT_EQ(Rows(by_file.value().table()), Rows(by_table.value().table()));
  ASSERT_TRUE(by_file.value().Write(folder / "a.csv").ok());
  const auto written = by_table.value().Write(folder / "b.csv");
  ASSERT_TRUE(written.ok()) << written.error().message();
  EXPECT_EQ(Bytes(folder / "a.csv"), Bytes(folder / "b.csv"));
  EXPECT_TRUE(std::filesystem::exists(folder / "b.csv.manifest.json"));
  EXPECT_TRUE(std::filesystem::exists(folder / "b.csv.codebook.json"));
  EXPECT_TRUE(std::filesystem::exists(folder / "b.csv.private.json"));
  // A file that is there is not replaced unless that is asked for.
  EXPECT_EQ(by_table.value().Write(folder / "b.csv").error().hint(), "nothing was written; give another name, or set force");
  EXPECT_TRUE(by_table.value().Write(folder / "b.csv", {.format = "", .bounds = true, .force = true}).ok());
  EXPECT_NE(Bytes(folder / "b.csv").find("age_lo"), std::string::npos);
}

// The keys of RFC 8410.
TEST(Anonymize, SignsWhatItWrites) {
  const ScratchFolder folder;
  Put(folder / "key",
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE "
      "KEY-----\n");
  Put(folder / "key.pub",
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n");
  std::filesystem::permissions(folder / "key", std::filesystem::perms::owner_read);
  const Policy policy = PatientPolicy().Build().value();
  const auto release = Anonymize(PatientTable(), policy);
  ASSERT_TRUE(release.ok());
  WriteOptions options;
  options.sign = folder / "key";
  const auto written = release.value().Write(folder / "signed.csv", options);
  ASSERT_TRUE(written.ok()) << written.error().message();
  ASSERT_TRUE(release.value().Write(folder / "plain.csv").ok());
  VerifyOptions asked;
  asked.keys = {folder / "key.pub"};
  EXPECT_TRUE(Verify(folder / "signed.csv", policy, asked).value().holds);
  EXPECT_FALSE(Verify(folder / "plain.csv", policy, asked).value().holds);
  EXPECT_TRUE(Verify(folder / "plain.csv", policy).value().holds);
}

TEST(Anonymize, ReportsWhatItReached) {
  const Table table = PatientTable();
  const auto release = Anonymize(table, PatientPolicy().Build().value());
  ASSERT_TRUE(release.ok());
  const Report& report = release.value().report();
  EXPECT_EQ(report.rows, 300u);
  EXPECT_EQ(report.privacy.size(), 2u);
  EXPECT_EQ(report.privacy[0].model, "k-anonymity(k=5)");
  EXPECT_TRUE(report.privacy[0].holds);
  EXPECT_GT(report.information_loss, 0);
  EXPECT_NE(report.json.find("\"algorithm\""), std::string::npos);
  EXPECT_FALSE(report.text.empty());
  EXPECT_EQ(release.value().input_rows().size(), 300u);
}

TEST(Anonymize, SaysWhyThereIsNoRelease) {
  const Table few =
      TableBuilder().Column("age", {"1", "2"}).Column("zip", {"100", "101"}).Column("disease", {"a", "b"}).Build().value();
  const auto unsatisfiable = Anonymize(few, PatientPolicy().Build().value());
  ASSERT_FALSE(unsatisfiable.ok());
  EXPECT_EQ(unsatisfiable.error().kind(), ErrorKind::kUnsatisfiable);

  const Table other = TableBuilder().Column("age", {"1"}).Build().value();
  EXPECT_FALSE(Anonymize(other, PatientPolicy().Build().value()).ok());
  const Table none = TableBuilder().Column("age", {}).Column("zip", {}).Column("disease", {}).Build().value();
  EXPECT_EQ(Anonymize(none, PatientPolicy().Build().value()).error().message(),
            "binding the table to the policy: the data has no rows");
  EXPECT_EQ(Anonymize("/no/such/file.csv", PatientPolicy().Build().value()).error().kind(), ErrorKind::kIo);

  const auto unguarded = PolicyBuilder().Quasi("age").Quasi("zip").Sensitive("disease").KAnonymity(2).Build();
  EXPECT_EQ(Anonymize(PatientTable(), unguarded.value()).error().kind(), ErrorKind::kInvalidPolicy);
}

TEST(Anonymize, StopsAndTellsHowFarItIs) {
  std::stop_source source;
  AnonymizeOptions options;
  options.run.stop = source.get_token();
  bool told = false;
  options.run.threads = 1;
  options.run.progress = [&](std::string_view, std::uint64_t, std::uint64_t) { told = true; };
  ASSERT_TRUE(Anonymize(PatientTable(), PatientPolicy().Build().value(), options).ok());
  EXPECT_TRUE(told);
  source.request_stop();
  EXPECT_EQ(Anonymize(PatientTable(), PatientPolicy().Build().value(), options).error().kind(), ErrorKind::kCancelled);
}

TEST(Verify, JudgesTablesAndFiles) {
  const ScratchFolder folder;
  const Policy policy = PatientPolicy().Build().value();
  const Table table = PatientTable();
  const Release release = Anonymize(table, policy).value();
  ASSERT_TRUE(release.Write(folder / "out.csv").ok());
  const Verification of_table = Verify(release.table(), policy, {.original = Input(table)}).value();
  const Verification of_file = Verify(folder / "out.csv", policy, {.original = Input(table)}).value();
  EXPECT_TRUE(of_table.holds);
  EXPECT_EQ(of_table.true_of_original, true);
  EXPECT_EQ(of_table.text, of_file.text);
  // The raw table is not a release of itself.
  EXPECT_FALSE(Verify(table, policy).value().holds);
  // Nor is one that says something untrue.
  const Table false_one = TableBuilder()
                              .Column("age", {"[5,10)", "[5,10)"})
                              .Column("zip", {"100", "100"})
                              .Column("disease", {"flu", "flu"})
                              .Build()
                              .value();
  EXPECT_EQ(Verify(false_one, policy, {.original = Input(table)}).value().true_of_original, false);
}

TEST(Evaluate, MeasuresTablesAndFiles) {
  const ScratchFolder folder;
  const Policy policy = PatientPolicy().Build().value();
  const Table table = PatientTable();
  const Release release = Anonymize(table, policy).value();
  ASSERT_TRUE(release.Write(folder / "out.csv").ok());
  const Evaluation of_table = Evaluate(release.table(), table, policy, {.queries = 200}).value();
  const Evaluation of_file = Evaluate(folder / "out.csv", table, policy, {.queries = 200}).value();
  EXPECT_DOUBLE_EQ(of_table.information_loss, release.report().information_loss);
  EXPECT_EQ(of_table.json, of_file.json);
  EXPECT_EQ(of_table.loss_by_column.size(), 2u);
  ASSERT_TRUE(of_table.median_query_error.has_value());
  EXPECT_FALSE(of_table.bound.has_value());
}

TEST(Evaluate, TellsWhatAnyReleaseMustLose) {
  const Policy policy = PatientPolicy().Build().value();
  const Table table = PatientTable();
  const Release release = Anonymize(table, policy, {.bound = true}).value();
  const std::optional<LossBound> bound = release.report().bound;
  ASSERT_TRUE(bound.has_value());
  EXPECT_GT(bound->information_loss, 0);
  EXPECT_LE(bound->information_loss, release.report().information_loss);
  EXPECT_DOUBLE_EQ(bound->ratio.value(), release.report().information_loss / bound->information_loss);
  EXPECT_EQ(bound->confidence, 1);
  const Evaluation found = Evaluate(release.table(), table, policy, {.bound = true}).value();
  EXPECT_EQ(found.bound.value().information_loss, bound->information_loss);
}

TEST(Table, IsReadFromAFile) {
  const ScratchFolder folder;
  Put(folder / "in.csv", "a;b\n1;2\n");
  const Table table = Table::Read(folder / "in.csv").value();
  EXPECT_EQ(Rows(table), (std::vector<std::vector<std::string>>{{"1", "2"}}));
  EXPECT_EQ(Table::Read(folder / "none.csv").error().kind(), ErrorKind::kIo);
}

TEST(Write, ANameThatIsTooLongLosesNothing) {
  const ScratchFolder folder;
  const Release release = Anonymize(PatientTable(), PatientPolicy().Build().value()).value();
  const std::string path = folder / (std::string(240, 'b') + ".csv");  // the names next to it have more than 255 bytes
  Put(path, "an older table");
  for (const bool force : {false, true}) {
    EXPECT_FALSE(release.Write(path, {.force = force}).ok());
    EXPECT_EQ(Bytes(path), "an older table");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  }
}

TEST(Write, OneOfManyWritersToAPathSucceeds) {
  const Release release = Anonymize(PatientTable(), PatientPolicy().Build().value()).value();
  for (int trial = 0; trial < 5; ++trial) {
    const ScratchFolder folder;
    const std::string path = folder / "out.csv";
    std::atomic<int> written = 0;
    std::latch together(4);
    {
      std::vector<std::jthread> writers;
      for (int i = 0; i < 4; ++i) {
        writers.emplace_back([&] {
          together.arrive_and_wait();
          if (release.Write(path).ok()) ++written;
        });
      }
    }
    EXPECT_LE(written, 1);
    EXPECT_EQ(std::filesystem::exists(path), written == 1);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      EXPECT_TRUE(entry.path().filename().string().starts_with("out.csv")) << entry.path();
    }
  }
}

TEST(Paths, AZeroByteIsRefusedAtEveryDoor) {
  const ScratchFolder folder;
  Put(folder / "in", "a\n1\n");
  const std::string read = folder / "in" + std::string("\0.csv", 5);
  const Policy policy = PatientPolicy().Build().value();
  const Release release = Anonymize(PatientTable(), policy).value();
  const auto refused = [](const auto& result) {
    return !result.ok() && result.error().message().find("a path holds a zero byte") != std::string::npos;
  };
  EXPECT_TRUE(refused(release.Write(folder / "out" + std::string("\0x.csv", 6))));
  EXPECT_TRUE(refused(release.Write(folder / "out" + std::string("\0x", 2), {.format = "csv"})));
  EXPECT_TRUE(refused(Table::Read(read)));
  EXPECT_TRUE(refused(Policy::FromFile(read)));
  EXPECT_TRUE(refused(Anonymize(Input(read), policy)));
  EXPECT_TRUE(refused(Store::Open(read)));
  EXPECT_TRUE(refused(Store::Create(read, PatientTable(), policy)));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(PolicyBuilder, RefusesWhatIsGivenTwice) {
  const auto said = [](const Result<Policy>& policy) { return policy.ok() ? "no error" : policy.error().message(); };
  EXPECT_EQ(said(PolicyBuilder().Quasi("a").Sensitive("a").KAnonymity(2).Build()), "column 'a' is given twice");
  EXPECT_EQ(said(PolicyBuilder()
                     .Quasi("a")
                     .KAnonymity(2)
                     .Set("algorithm", {{"name", "auto"}})
                     .Set("algorithm", {{"suppression_limit", 0.1}})
                     .Build()),
            "table 'algorithm' is set twice");
}

TEST(PolicyBuilder, AWholeNumberThatIsTooLargeIsNotAnother) {
  const std::string text = PolicyToToml({{"k", std::numeric_limits<std::uint64_t>::max()}, {"l", std::uint64_t{7}}, {"m", -1}});
  EXPECT_EQ(text.find("\"k\" = -1"), std::string::npos) << text;
  EXPECT_NE(text.find("\"l\" = 7\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"m\" = -1\n"), std::string::npos) << text;
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  EXPECT_FALSE(PolicyBuilder().Quasi("a").Model("k-anonymity", {{"k", huge}}).Build().ok());
}

}  // namespace
}  // namespace cordon
