// SPDX-License-Identifier: Apache-2.0
//
// Streams in memory: the rows that `cordon stream` would write, also over a saved state.
#include <limits>

#include "tests/api/support.h"

namespace cordon {
namespace {

using test::Rows;
using Lines = std::vector<std::vector<std::string>>;

Policy StreamPolicy(const std::string& algorithm, PolicyKeys stream = {{"delay", 40}}) {
  return PolicyBuilder()
      .Person("id")
      .Quasi("age", {{"type", "numeric"}, {"range", PolicyValue::Array{0, 99}}})
      .Quasi("sex", {{"values", PolicyValue::Array{"F", "M"}}})
      .Insensitive("note")
      .Model("ks-anonymity", {{"k", 4}})
      .Set("algorithm", {{"name", algorithm}})
      .Set("algorithm.stream-rtree", {{"active", 20}})
      .Set("stream", std::move(stream))
      .Build()
      .value();
}

Table RowsFrom(int first, int count) {
  std::vector<std::string> id, age, sex, note;
  for (int i = first; i < first + count; ++i) {
    id.push_back(std::to_string(i % 90));
    age.push_back(std::to_string(i * 31 % 100));
    sex.push_back(i * 17 % 5 < 2 ? "F" : "M");
    note.push_back("note " + std::to_string(i));
  }
  return TableBuilder().Column("id", id).Column("age", age).Column("sex", sex).Column("note", note).Build().value();
}

const std::vector<std::string> kColumns = {"id", "age", "sex", "note"};

void Add(Lines& lines, const Result<StreamOutput>& out) {
  ASSERT_TRUE(out.ok()) << out.error().message();
  for (auto& row : Rows(out.value().rows)) lines.push_back(std::move(row));
}

// All 400 rows, `portion` at a time; the state is saved and restored before each one of `restarts`.
Lines Publish(const Policy& policy, int portion, const std::vector<int>& restarts) {
  StreamAnonymizer stream =
      StreamAnonymizer::Start(policy, kColumns, {.algorithm = "", .group_column = true, .seed = 5}).value();
  Lines lines;
  for (int first = 0; first < 400; first += portion) {
    for (const int restart : restarts) {
      if (restart >= first && restart < first + portion)
        stream = StreamAnonymizer::Restore(policy, stream.Save().value()).value();
    }
    Add(lines, stream.Push(RowsFrom(first, std::min(portion, 400 - first))));
  }
  Add(lines, stream.Flush());
  return lines;
}

TEST(StreamAnonymizer, PublishesEveryRowInAGroupOfK) {
  for (const char* algorithm : {"castle", "stream-rtree"}) {
    const Lines lines = Publish(StreamPolicy(algorithm), 50, {});
    EXPECT_EQ(lines.size(), 400u) << algorithm;
    std::map<std::string, int> sizes;
    for (const auto& line : lines) ++sizes[line.back()];
    for (const auto& [group, size] : sizes) EXPECT_GE(size, 4) << algorithm;
  }
}

TEST(StreamAnonymizer, PortionsAndRestartsChangeNothing) {
  for (const char* algorithm : {"castle", "stream-rtree"}) {
    const Policy policy = StreamPolicy(algorithm);
    const Lines whole = Publish(policy, 400, {});
    EXPECT_EQ(Publish(policy, 1, {}), whole) << algorithm;
    EXPECT_EQ(Publish(policy, 7, {3, 70, 211, 399}), whole) << algorithm;
  }
}

TEST(StreamAnonymizer, RefusesRowsAndSaysWhy) {
  StreamAnonymizer stream = StreamAnonymizer::Start(StreamPolicy("castle"), kColumns).value();
  const Table rows = TableBuilder()
                         .Column("id", {"1", "2", "3"})
                         .Column("age", {"30", "300", "x"})
                         .Column("sex", {"F", "F", "F"})
                         .Column("note", {"", "", ""})
                         .Build()
                         .value();
  const StreamOutput out = stream.Push(rows).value();
  ASSERT_EQ(out.refused.size(), 2u);
  EXPECT_EQ(out.refused[0].row, 2u);
  EXPECT_EQ(out.refused[0].reason.find("300"), std::string::npos);
  EXPECT_NE(out.refused[0].reason.find("age"), std::string::npos);
  EXPECT_EQ(stream.figures().pushed, 3u);
  EXPECT_EQ(stream.figures().refused, 2u);
  EXPECT_EQ(stream.figures().waiting, 1u);
  EXPECT_EQ(out.rows.num_rows(), 0u);
  EXPECT_EQ(out.rows.num_columns(), 3u);  // the columns are there although no row is
}

TEST(StreamAnonymizer, OtherColumnsChangeNothing) {
  StreamAnonymizer stream = StreamAnonymizer::Start(StreamPolicy("castle"), kColumns).value();
  EXPECT_FALSE(stream.Push(TableBuilder().Column("id", {"1"}).Build().value()).ok());
  EXPECT_TRUE(stream.Push(RowsFrom(0, 10)).ok());
}

TEST(StreamAnonymizer, EndsWithTheFlush) {
  StreamAnonymizer stream = StreamAnonymizer::Start(StreamPolicy("castle"), kColumns).value();
  ASSERT_TRUE(stream.Push(RowsFrom(0, 10)).ok());
  EXPECT_EQ(stream.Flush().value().rows.num_rows(), 10u);
  EXPECT_FALSE(stream.Push(RowsFrom(10, 10)).ok());
  EXPECT_FALSE(stream.Flush().ok());
}

TEST(StreamAnonymizer, TooManyBadRowsEndIt) {
  StreamAnonymizer stream =
      StreamAnonymizer::Start(StreamPolicy("castle", {{"delay", 40}, {"max_dead_letters", 1}}), kColumns).value();
  const Table bad = TableBuilder()
                        .Column("id", {"1", "2"})
                        .Column("age", {"x", "x"})
                        .Column("sex", {"F", "F"})
                        .Column("note", {"", ""})
                        .Build()
                        .value();
  const std::string message = stream.Push(bad).error().message();
  EXPECT_EQ(stream.Push(RowsFrom(0, 1)).error().message(), message);
  EXPECT_FALSE(stream.Save().ok());
}

TEST(StreamAnonymizer, AClockMovesOnWithoutRows) {
  const Policy policy = PolicyBuilder()
                            .Quasi("age", {{"type", "numeric"}, {"range", PolicyValue::Array{0, 99}}})
                            .Insensitive("at")
                            .Model("ks-anonymity", {{"k", 2}})
                            .Set("stream", {{"delay", "10s"}, {"event_time", "at"}})
                            .Build()
                            .value();
  StreamAnonymizer stream = StreamAnonymizer::Start(policy, {"age", "at"}).value();
  const Table rows = TableBuilder().Column("age", {"20", "30", "40"}).Column("at", {"1000", "1001", "1002"}).Build().value();
  EXPECT_EQ(stream.Push(rows).value().rows.num_rows(), 0u);
  EXPECT_EQ(stream.Advance(1'005'000).value().rows.num_rows(), 0u);
  EXPECT_GE(stream.Advance(1'011'000).value().rows.num_rows(), 2u);
  // A delay that counts tuples has no clock.
  StreamAnonymizer counted = StreamAnonymizer::Start(StreamPolicy("castle"), kColumns).value();
  EXPECT_FALSE(counted.Advance(1).ok());
  EXPECT_TRUE(counted.Push(RowsFrom(0, 1)).ok());
}

TEST(StreamAnonymizer, ADamagedStateIsAnError) {
  const Policy policy = StreamPolicy("castle");
  StreamAnonymizer stream = StreamAnonymizer::Start(policy, kColumns).value();
  ASSERT_TRUE(stream.Push(RowsFrom(0, 30)).ok());
  const std::string saved = stream.Save().value();
  EXPECT_FALSE(StreamAnonymizer::Restore(policy, "").ok());
  EXPECT_FALSE(StreamAnonymizer::Restore(policy, saved.substr(0, saved.size() / 2)).ok());
  for (std::size_t at = 0; at < saved.size(); at += 97) {
    std::string changed = saved;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(StreamAnonymizer::Restore(policy, changed).ok()) << at;
  }
  EXPECT_FALSE(StreamAnonymizer::Restore(StreamPolicy("stream-rtree"), saved).ok());
  EXPECT_TRUE(StreamAnonymizer::Restore(policy, saved).ok());
}

TEST(StreamAnonymizer, NeedsAPolicyOfStreams) {
  const Policy table = PolicyBuilder().Quasi("age").KAnonymity(2).Build().value();
  EXPECT_EQ(StreamAnonymizer::Start(table, {"age"}).error().kind(), ErrorKind::kInvalidPolicy);
  EXPECT_FALSE(StreamAnonymizer::Start(StreamPolicy("castle"), {"id", "age"}).ok());
}

TEST(StreamAnonymizer, RowsBehindTheClockThatWasMovedAreLate) {
  const auto policy = [](const char* lateness) {
    return PolicyBuilder()
        .Quasi("age", {{"type", "numeric"}, {"range", PolicyValue::Array{0, 99}}})
        .Insensitive("at")
        .Model("ks-anonymity", {{"k", 2}})
        .Set("stream", {{"delay", "10s"}, {"event_time", "at"}, {"lateness", lateness}})
        .Build()
        .value();
  };
  const auto row = [](const char* at) { return TableBuilder().Column("age", {"20"}).Column("at", {at}).Build().value(); };
  const Policy exact = policy("0s");
  StreamAnonymizer stream = StreamAnonymizer::Start(exact, {"age", "at"}).value();
  ASSERT_TRUE(stream.Push(row("1000")).value().refused.empty());
  ASSERT_TRUE(stream.Push(row("1000")).value().refused.empty());
  EXPECT_EQ(stream.Advance(4'600'000).value().rows.num_rows(), 2u);
  const StreamOutput late = stream.Push(row("1001")).value();
  ASSERT_EQ(late.refused.size(), 1u);
  EXPECT_NE(late.refused[0].reason.find("later"), std::string::npos) << late.refused[0].reason;
  EXPECT_EQ(stream.figures().waiting, 0u);
  // Backwards: nothing changes. Also over a saved state.
  ASSERT_TRUE(stream.Advance(1'000'000).ok());
  StreamAnonymizer restored = StreamAnonymizer::Restore(exact, stream.Save().value()).value();
  EXPECT_EQ(restored.Push(row("4599")).value().refused.size(), 1u);
  EXPECT_TRUE(restored.Push(row("4600")).value().refused.empty());
  // Times that no row can have are refused, and end nothing.
  EXPECT_FALSE(restored.Advance(std::numeric_limits<std::int64_t>::max()).ok());
  EXPECT_FALSE(restored.Advance(std::numeric_limits<std::int64_t>::min()).ok());
  EXPECT_TRUE(restored.Push(row("4601")).ok());
  // What lateness allows still comes in.
  StreamAnonymizer patient = StreamAnonymizer::Start(policy("60s"), {"age", "at"}).value();
  ASSERT_TRUE(patient.Advance(4'600'000).ok());
  EXPECT_TRUE(patient.Push(row("4540")).value().refused.empty());
  EXPECT_EQ(patient.Push(row("4539")).value().refused.size(), 1u);
}

TEST(StreamAnonymizer, ANameThatASavedStateCannotHoldIsRefused) {
  const std::string name =
      "a\x1f"
      "b";
  const Policy policy = PolicyBuilder()
                            .Quasi(name, {{"type", "numeric"}, {"range", PolicyValue::Array{0, 99}}})
                            .Insensitive("page")
                            .Model("ks-anonymity", {{"k", 3}})
                            .Set("stream", {{"delay", 10}})
                            .Build()
                            .value();
  const auto stream = StreamAnonymizer::Start(policy, {name, "page"});
  ASSERT_FALSE(stream.ok());
  EXPECT_EQ(stream.error().message(), "the name of column 1 holds the control character U+001F");
}

}  // namespace
}  // namespace cordon
