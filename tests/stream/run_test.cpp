// SPDX-License-Identifier: Apache-2.0
//
// Whole runs in memory: what is promised of any stream, and that the audit finds what breaks it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cordon/io/open_source.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/stream/run_stream.h"
#include "cordon/publish/stream/verify_stream.h"
#include "tests/stream/cases.h"
#include "tests/stream/world.h"

namespace cordon::engine::testing {
namespace {

struct Outcome {
  StreamReport report;
  std::string out, audit, dead;
};

Result<Outcome> RunIn(Disk& disk, const Policy& policy, const std::string& input, StreamRequest request = {},
                      std::size_t at_once = 4096) {
  request.input = request.input == "-" ? "in.csv" : request.input;
  if (request.output.empty()) request.output = "out.csv";
  request.audit = "audit.jsonl";
  if (!request.seed) request.seed = 1;
  StreamWorld world;
  world.files = &disk;
  world.open = [&](const std::string&) { return Result<std::unique_ptr<LiveInput>>(LiveFromMemory(input, at_once)); };
  CORDON_TRY(StreamReport report, RunStream(request, policy, world, {}));
  return Outcome{std::move(report), disk.Bytes(request.output), disk.Bytes("audit.jsonl"),
                 disk.Bytes(request.output + ".dead-letters.csv")};
}

Result<StreamAudit> AuditOf(const Policy& policy, const std::string& out, const std::string& audit,
                            FileFormat format = FileFormat::kCsv) {
  CORDON_TRY(const auto source, SourceFromBytes(out, format, {.text = policy.data.text, .format = format}));
  CORDON_TRY(const Table table, ReadTable(*source, {}));
  return VerifyStream(policy, table, audit, {});
}

TEST(StreamRun, EveryStreamIsAccountedFor) {
  const char* suppressed[] = {"drop", "blank", "pool"};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    StreamCase c;
    c.k = 2 + static_cast<std::int64_t>(seed % 7);
    c.delay = std::to_string(10 + seed % 40);
    c.algorithm = fmt::format("suppressed = \"{}\"\n[algorithm.castle]\nreuse = \"{}\"\nmax_open = {}", suppressed[seed % 3],
                              seed % 4 == 0 ? "off" : (seed % 4 == 1 ? "disjoint" : "uniform"), 1 + seed % 9);
    if (seed % 5 == 0 && seed % 3 != 2) c.stream = "order = \"arrival\"";
    if (seed % 6 == 0) c.privacy = "[[privacy]]\nmodel = \"l-diversity\"\nsensitive = \"disease\"\nl = 2";
    const Policy policy = PolicyOf(c);
    Disk disk;
    StreamRequest request;
    request.group_column = seed % 2 == 0;
    request.sequence = seed % 3 == 0;
    const auto run = RunIn(disk, policy, RandomRows(seed, 30 + seed * 10, 8), request, 1 + seed * 13);
    ASSERT_TRUE(run.ok()) << run.error().message();
    const StreamMetrics& m = run.value().report.metrics;
    EXPECT_EQ(m.records, m.tuples + m.dead_letters + m.dropped);
    EXPECT_EQ(m.left(), m.tuples);
    EXPECT_EQ(m.rows, m.released + (seed % 3 == 1 ? m.suppressed : 0));
    const auto audit = AuditOf(policy, run.value().out, run.value().audit);
    ASSERT_TRUE(audit.ok()) << audit.error().message();
    EXPECT_TRUE(audit.value().holds()) << (audit.value().findings.empty() ? "" : audit.value().findings[0]);
    EXPECT_TRUE(audit.value().ended);
    EXPECT_EQ(audit.value().suppressed, m.suppressed);
    EXPECT_GE(std::count(run.value().dead.begin(), run.value().dead.end(), '\n'),
              static_cast<std::ptrdiff_t>(m.dead_letters == 0 ? 0 : m.dead_letters + 1));
  }
}

TEST(StreamRun, RowsAreTrueAndPayloadGoesWithItsTuple) {
  const Policy policy = PolicyOf({});
  Disk disk;
  const std::string input = RandomRows(5, 300, 0);
  const auto run = RunIn(disk, policy, input).value();
  // Notes are all different, so they tell which input row is behind an output row.
  const auto rows = [](const std::string& text, const std::string& policy_columns) {
    const auto source = SourceFromBytes(text, FileFormat::kCsv, {}).value();
    (void)policy_columns;
    return ReadTable(*source, {}).value();
  };
  const Table in = rows(input, "");
  const Table out = rows(run.out, "");
  std::map<std::string, std::size_t> by_note;
  for (std::size_t row = 0; row < in.num_rows; ++row) by_note[std::string(in.Find("note")->cell(row).bytes())] = row;
  std::set<std::string> notes;
  for (std::size_t row = 0; row < out.num_rows; ++row) {
    const std::string note(out.Find("note")->cell(row).bytes());
    EXPECT_TRUE(notes.insert(note).second) << "published twice";
    const std::size_t source = by_note.at(note);
    EXPECT_EQ(out.Find("disease")->cell(row).bytes(), in.Find("disease")->cell(source).bytes());
    const std::string_view sex = out.Find("sex")->cell(row).bytes();
    EXPECT_TRUE(sex == "*" || sex == in.Find("sex")->cell(source).bytes());
    const std::string age(out.Find("age")->cell(row).bytes());
    const int exact = std::stoi(std::string(in.Find("age")->cell(source).bytes()));
    int lo = 0;
    int hi = 0;
    if (std::sscanf(age.c_str(), "[%d,%d]", &lo, &hi) != 2) lo = hi = std::stoi(age);
    EXPECT_LE(lo, exact);
    EXPECT_GE(hi, exact);
  }
  EXPECT_EQ(out.num_rows, run.report.metrics.released);
}

TEST(StreamRun, PiecesOfInputChangeNothing) {
  const Policy policy = PolicyOf({});
  const std::string input = RandomRows(6, 500, 7);
  Disk first;
  const auto whole = RunIn(first, policy, input, {}, 1 << 20).value();
  for (const std::size_t at_once : {1, 17, 999}) {
    Disk disk;
    const auto pieces = RunIn(disk, policy, input, {}, at_once).value();
    EXPECT_EQ(pieces.out, whole.out);
    EXPECT_EQ(pieces.audit, whole.audit);
    EXPECT_EQ(pieces.dead, whole.dead);
  }
}

TEST(StreamRun, JsonLinesInAndOut) {
  const Policy policy = PolicyOf({});
  std::string input;
  for (int i = 0; i < 50; ++i) {
    input +=
        fmt::format("{{\"id\":\"p{}\",\"age\":{},\"sex\":\"F\",\"disease\":null,\"note\":\"say \\\"{}\\\"\"}}\n", i, 20 + i, i);
  }
  input += "{\"id\":1,\"nobody\":2}\n";
  StreamRequest request;
  request.input = "in.jsonl";
  request.output = "out.jsonl";
  request.sequence = true;
  request.bounds = false;
  Disk disk;
  const auto run = RunIn(disk, policy, input, request);
  ASSERT_TRUE(run.ok()) << run.error().message();
  EXPECT_EQ(run.value().report.metrics.dead_letters, 1u);
  EXPECT_TRUE(run.value().out.starts_with("{\"sequence\":1,\"age\":\"["));
  EXPECT_NE(run.value().out.find("\"disease\":null,\"note\":\"say \\\""), std::string::npos);
  EXPECT_TRUE(AuditOf(policy, run.value().out, run.value().audit, FileFormat::kJsonLines).value().holds());
}

TEST(StreamRun, TooManyDeadLettersStopTheStream) {
  const Policy policy = PolicyOf({.stream = ""});
  Policy strict = policy;
  strict.stream->max_dead_letters = 2;
  Disk disk;
  const auto run = RunIn(disk, strict, RandomRows(1, 200, 4));
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().kind(), ErrorKind::kInvalidData);
  EXPECT_NE(run.error().message().find("more than 2 dead letters; the last is line "), std::string::npos);
  EXPECT_NE(disk.Bytes("out.csv.dead-letters.csv").find("line,reason,record\n"), std::string::npos);
}

TEST(StreamRun, ReasonsHoldNoCell) {
  const Policy policy = PolicyOf({});
  const std::string input =
      "id,age,sex,disease,note\nSECRET1,SECRET2,F,flu,x\np,30,SECRET3,flu,x\np,30,F,SE\"CRET,x\nSECRET4\n";
  Disk disk;
  const auto run = RunIn(disk, policy, input).value();
  EXPECT_EQ(run.report.metrics.dead_letters, 4u);
  const auto source = SourceFromBytes(run.dead, FileFormat::kCsv, {}).value();
  const Table dead = ReadTable(*source, {}).value();
  for (std::size_t row = 0; row < dead.num_rows; ++row) {
    EXPECT_EQ(dead.Find("reason")->cell(row).bytes().find("SE"), std::string_view::npos);
    EXPECT_NE(dead.Find("record")->cell(row).bytes().find("SE"), std::string_view::npos);
  }
}

TEST(StreamRun, EventTimeReleasesWhatIsDue) {
  Policy policy = PolicyOf({.k = 2, .delay = "\"10s\"", .stream = "event_time = \"note\"\nlateness = \"2s\""});
  std::string input = "id,age,sex,disease,note\n";
  for (int second = 0; second < 100; ++second) input += fmt::format("p{},{},F,flu,{}\n", second, 20 + second % 5, second);
  input += "late,20,F,flu,90\nfine,20,F,flu,97\n";
  Disk disk;
  const auto run = RunIn(disk, policy, input);
  ASSERT_TRUE(run.ok()) << run.error().message();
  EXPECT_EQ(run.value().report.metrics.dead_letters, 1u);
  EXPECT_EQ(run.value().report.metrics.delay_ms.max(), 10'000u);
  const auto audit = AuditOf(policy, run.value().out, run.value().audit);
  ASSERT_TRUE(audit.ok()) << audit.error().message();
  EXPECT_TRUE(audit.value().holds()) << audit.value().findings[0];
}

// Dates, grids, rounding, clamping, missing categories, rows dropped for missing cells: rows hold and are accounted for.
TEST(StreamRun, EveryKindOfAxis) {
  constexpr const char* kText = R"(
[data]
missing = ["?"]
on_missing = "{}"
[attributes.day]
role = "quasi"
type = "date"
range = [2020-01-01, 2020-12-31]
[attributes.pay]
role = "quasi"
type = "numeric"
range = [0, 1000]
grid = 250
top = 900
[attributes.size]
role = "quasi"
type = "numeric"
range = [0, 2]
round = 0.25
[attributes.town]
role = "quasi"
values = ["A", "B", "C"]
[attributes.item]
role = "sensitive"
type = "numeric"
unguarded = "of no matter here"
values = [1, 2, 3]
[[privacy]]
model = "ks-anonymity"
k = 3
[stream]
delay = 25
)";
  Random random = Random::FromSeed(4);
  std::string input = "day,pay,size,town,item\n";
  for (int row = 0; row < 300; ++row) {
    input += fmt::format("2020-{:02}-{:02},{},{}.{:03},{},{}\n", 1 + random.Below(12), 1 + random.Below(28), random.Below(1001),
                         random.Below(2), random.Below(1000),
                         random.Below(9) == 0 ? "?" : std::string(1, "ABC"[random.Below(3)]), 1 + random.Below(3));
  }
  for (const char* mode : {"leaf", "drop"}) {
    const Policy policy = ParsePolicy(fmt::format(kText, mode), ".", "axes.toml").value();
    Disk disk;
    const auto run = RunIn(disk, policy, input);
    ASSERT_TRUE(run.ok()) << run.error().message();
    const StreamMetrics& m = run.value().report.metrics;
    EXPECT_EQ(m.dead_letters, 0u);
    EXPECT_EQ(m.dropped > 0, std::string(mode) == "drop");
    const auto audit = AuditOf(policy, run.value().out, run.value().audit);
    ASSERT_TRUE(audit.ok()) << audit.error().message();
    EXPECT_TRUE(audit.value().holds()) << (audit.value().findings.empty() ? "" : audit.value().findings[0]);
  }
}

class AuditFinds : public ::testing::Test {
 protected:
  void SetUp() override {
    Disk disk;
    run_ = std::make_unique<Outcome>(RunIn(disk, policy_, RandomRows(9, 200, 0)).value());
    ASSERT_TRUE(AuditOf(policy_, run_->out, run_->audit).value().holds());
  }
  std::string Line(const std::string& text, std::size_t number) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < number; ++i) at = text.find('\n', at) + 1;
    return text.substr(at, text.find('\n', at) - at + 1);
  }
  std::string FirstFinding(const std::string& out, const std::string& audit) const {
    const auto found = AuditOf(policy_, out, audit);
    if (!found.ok()) return found.error().message();
    if (!found.value().findings.empty()) return found.value().findings[0];
    return found.value().holds() ? "" : "a model does not hold";
  }
  Policy policy_ = PolicyOf({});
  std::unique_ptr<Outcome> run_;
};

TEST_F(AuditFinds, ARowThatIsNotAccountedFor) {
  EXPECT_EQ(FirstFinding(run_->out + Line(run_->out, 1), run_->audit), "the output has 201 rows, the log accounts for 200");
}

TEST_F(AuditFinds, ATupleThatLeftTwice) {
  const std::string twice = Line(run_->audit, 1);
  std::string audit = run_->audit;
  audit.insert(audit.find(twice) + twice.size(), twice);
  EXPECT_TRUE(FirstFinding(run_->out, audit).ends_with("left twice"));
}

TEST_F(AuditFinds, ATupleThatNeverLeft) {
  std::string audit = run_->audit;
  const std::string gone = Line(audit, 3);
  audit.erase(audit.find(gone), gone.size());
  EXPECT_NE(FirstFinding(run_->out, audit).find("never left"), std::string::npos);
}

TEST_F(AuditFinds, ADelayThatWasTooLong) {
  Policy hasty = policy_;
  hasty.stream->delay_tuples = 19;
  const auto found = AuditOf(hasty, run_->out, run_->audit);
  ASSERT_TRUE(found.ok());
  EXPECT_NE(found.value().findings.at(0).find("the delay is 19"), std::string::npos);
}

TEST_F(AuditFinds, APersonTooFew) {
  std::string audit = run_->audit;  // the first group becomes one of a single person
  std::string group = Line(audit, 1);
  const std::size_t list = group.find("\"persons\":[") + 11;
  std::string same = group.substr(0, list);
  const std::size_t end = group.find(']', list);
  const std::string persons = group.substr(list, end - list);
  const auto members = static_cast<std::size_t>(std::count(persons.begin(), persons.end(), ',')) + 1;
  for (std::size_t i = 0; i < members; ++i) same += i == 0 ? "7" : ",7";
  audit.replace(audit.find(group), group.size(), same + group.substr(end));
  EXPECT_EQ(FirstFinding(run_->out, audit), "a model does not hold");
}

TEST_F(AuditFinds, ABoxThatIsNotItsGroups) {
  std::string out = run_->out;
  const std::string row = Line(out, 1);
  out.replace(out.find(row), row.size(), "\"[0,99]\"" + row.substr(row.find(']') + 2));
  EXPECT_NE(FirstFinding(out, run_->audit).find("show different boxes"), std::string::npos);
}

TEST_F(AuditFinds, AnotherPolicyAndNoLogAtAll) {
  EXPECT_NE(FirstFinding(run_->out, "").find("empty"), std::string::npos);
  EXPECT_NE(FirstFinding(run_->out, "{}\n").find("not an audit log"), std::string::npos);
  EXPECT_NE(FirstFinding(run_->out, run_->audit.substr(0, run_->audit.size() - 3)).find("cut off"), std::string::npos);
  const auto other = AuditOf(PolicyOf({.k = 4}), run_->out, run_->audit);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message().find("another policy"), std::string::npos);
}

}  // namespace
}  // namespace cordon::engine::testing
