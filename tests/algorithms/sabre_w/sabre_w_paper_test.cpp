// SPDX-License-Identifier: Apache-2.0
//
// SABRE_W on the worked examples: a stream of twenty tuples that goes through all cases (the pattern 2, 2, 1, 3, 1, 2 of
// Example 6.1 of the thesis), its end, and the small facts that the method rests on.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cordon/algorithms/sabre_w/sabre_w.h"
#include "tests/algorithms/stream_run.h"

namespace cordon::engine {
namespace {

using test::Arrival;
using test::Left;

constexpr std::array<std::array<int, 2>, 20> kTrace = {{{3, 1}, {1, 1}, {9, 0}, {0, 0}, {7, 1}, {3, 1}, {1, 0},
                                                        {6, 1}, {0, 0}, {5, 0}, {9, 1}, {9, 0}, {2, 0}, {5, 1},
                                                        {9, 0}, {7, 1}, {5, 1}, {5, 1}, {5, 1}, {5, 1}}};

StreamSchema TraceSchema() {
  StreamSchema schema = test::NumericSchema(1, 0, 9);
  schema.sensitive.push_back({.name = "sa", .num_values = 2});
  return schema;
}

std::vector<ModelSpec> TraceModels(std::int64_t k = 1) {
  return {WindowClosenessSpec{"sa", 8, Rational(1, 8), Distance::kOrdered}, KsAnonymitySpec{k}};
}

// What the thesis' phases give when the seed is the oldest tuple left and the nearest in each bucket, ties the oldest, follow.
class Listed final : public WindowPartition {
 public:
  Groups Divide(const WindowTask& task, Random&) const override {
    static const std::map<std::vector<Position>, std::vector<std::vector<Position>>> kGroups = {
        {{1, 2, 3, 4, 5, 6, 7, 8}, {{1, 6, 7}, {2, 4}, {3, 5, 8}}},
        {{3, 5, 8, 9, 10}, {{3, 5, 10}, {8, 9}}},
        {{11, 12, 13, 14, 15, 16, 17, 18}, {{11, 12, 16}, {13, 14}, {15, 17, 18}}},
        {{13, 14, 15, 17, 18, 19, 20}, {{13, 14, 17, 18}, {15, 19, 20}}},
    };
    Groups groups;
    for (const std::vector<Position>& group : kGroups.at({task.positions.begin(), task.positions.end()})) {
      std::vector<RowId> rows;
      for (const Position position : group) {
        const auto at = std::find(task.positions.begin(), task.positions.end(), position);
        rows.push_back(static_cast<RowId>(at - task.positions.begin()));
      }
      groups.Add(rows);
    }
    return groups;
  }
};

StreamVerifier TraceVerifier(const std::vector<ModelSpec>& models) {
  return StreamVerifier::Make(TraceSchema(), models, {.delay_tuples = 9, .short_window = true}).value();
}

// "10: 1 6 7 in 1-8 | 2 4 in 1-8", step by step.
std::string TellTrace(const std::vector<Left>& left) {
  std::map<Position, std::set<std::string>> steps;
  for (const Left& each : left) {
    std::vector<Position> positions = each.departure.positions;
    std::sort(positions.begin(), positions.end());
    steps[each.step].insert(
        fmt::format("{} in {}-{}", fmt::join(positions, " "), each.departure.window.first, each.departure.window.last));
  }
  std::string text;
  for (const auto& [step, groups] : steps) text += fmt::format("{}: {}\n", step, fmt::join(groups, " | "));
  return text;
}

TEST(SabreWPaper, TwentyTuplesGoThroughAllCases) {
  for (const bool lazy : {false, true}) {
    SabreW engine = SabreW::Make(TraceSchema(), TraceModels(), {.step = 2, .lazy = lazy}, Random::FromSeed(1),
                                 std::make_unique<const Listed>())
                        .value();
    StreamVerifier verifier = TraceVerifier(TraceModels());
    test::StreamRun run(engine, verifier);
    std::string cases;
    SabreW::Cases before;
    PersonId person = 0;
    for (const auto& [q, sa] : kTrace) {
      run.Push({.person = ++person, .quasi = {q}, .sensitive = {sa}});
      const SabreW::Cases& now = engine.cases();
      if (now.nothing_due > before.nothing_due) cases += "1";
      if (now.direct > before.direct) cases += "2";
      if (now.indirect > before.indirect) cases += "3";
      before = now;
    }
    EXPECT_EQ(cases, "221312");
    EXPECT_EQ(TellTrace(run.left()),
              "10: 1 6 7 in 1-8 | 2 4 in 1-8\n"
              "12: 3 5 10 in 3-10\n"
              "16: 8 9 in 3-10\n"
              "20: 11 12 16 in 11-18\n");
    run.Flush();  // example 6.2
    EXPECT_EQ(TellTrace(run.left()),
              "10: 1 6 7 in 1-8 | 2 4 in 1-8\n"
              "12: 3 5 10 in 3-10\n"
              "16: 8 9 in 3-10\n"
              "20: 11 12 16 in 11-18 | 13 14 17 18 in 13-20 | 15 19 20 in 13-20\n");
  }
}

// The same stream divided by every method: whatever comes out, the verifier accepts it.
TEST(SabreWPaper, EveryMethodServesTheTrace) {
  for (const WindowMethod method :
       {WindowMethod::kCloseness, WindowMethod::kSabreAk, WindowMethod::kMondrian, WindowMethod::kFullDomain}) {
    for (const std::int64_t k : {1, 2}) {
      SabreW engine =
          SabreW::Make(TraceSchema(), TraceModels(k), {.step = 2, .partition = method}, Random::FromSeed(1)).value();
      StreamVerifier verifier = TraceVerifier(TraceModels(k));
      test::StreamRun run(engine, verifier);
      PersonId person = 0;
      for (const auto& [q, sa] : kTrace) run.Push({.person = ++person, .quasi = {q}, .sensitive = {sa}});
      run.Flush();
      std::size_t tuples = 0;
      for (const Left& each : run.left()) tuples += each.departure.positions.size();
      EXPECT_EQ(tuples, kTrace.size());
    }
  }
}

// Example 6.5: three values of ten, ranked among themselves, are nearer than they are.
TEST(SabreWPaper, TheDeclaredDomainDecidesTheDistance) {
  StreamSchema schema = test::NumericSchema(1, 0, 9);
  schema.sensitive.push_back({.name = "sa", .num_values = 10});
  const auto judge = [&](const Rational& t) {
    const std::vector<ModelSpec> models = {WindowClosenessSpec{"sa", 9, t, Distance::kOrdered}, KsAnonymitySpec{1}};
    StreamVerifier verifier = StreamVerifier::Make(schema, models, {.delay_tuples = 17}).value();
    const std::vector<std::int32_t> values = {0, 1, 1, 0, 0, 1, 9, 9, 9};  // a third each; the group is the first three
    Position position = 0;
    for (const std::int32_t value : values) {
      const std::int64_t q = 5;
      EXPECT_TRUE(verifier.Arrive({++position, 0, static_cast<PersonId>(position), {&q, 1}, {&value, 1}}).ok());
    }
    Departure departure{Departure::Kind::kGroup, 1, {{5, 5}}, {1, 2, 3}, false, {1, 9}};
    return verifier.Accept(departure).ok();
  };
  EXPECT_FALSE(judge(Rational(1, 5)));  // re-ranked it would be 1/6
  EXPECT_FALSE(judge(Rational(2962, 10000)));
  EXPECT_TRUE(judge(Rational(8, 27)));
}

// Example 6.6: the limits of likeness come from the window, whatever the tuples that are left look like.
TEST(SabreWPaper, LikenessTakesItsLimitsFromTheWindow) {
  StreamSchema schema = test::NumericSchema(1, 0, 9);
  schema.sensitive.push_back({.name = "sa", .num_values = 2});
  const std::vector<ModelSpec> models = {WindowLikenessSpec{"sa", 40, 1, BetaLikenessSpec::Kind::kBasic}, KsAnonymitySpec{1}};
  const auto judge = [&](std::size_t rare) {
    StreamVerifier verifier = StreamVerifier::Make(schema, models, {.delay_tuples = 79}).value();
    Departure departure{Departure::Kind::kGroup, 1, {{5, 5}}, {}, false, {1, 40}};
    // A tenth of the window is rare. The group has ten tuples, `rare` of them are.
    for (Position position = 1; position <= 40; ++position) {
      const std::int64_t q = 5;
      const std::int32_t value = position <= 4 ? 1 : 0;
      EXPECT_TRUE(verifier.Arrive({position, 0, static_cast<PersonId>(position), {&q, 1}, {&value, 1}}).ok());
      if (position > 4 - static_cast<Position>(rare) && departure.positions.size() < 10)
        departure.positions.push_back(position);
    }
    return verifier.Accept(departure).ok();
  };
  EXPECT_TRUE(judge(2));   // 0.2 = (1 + beta) 0.1
  EXPECT_FALSE(judge(3));  // an additive budget on top of 0.15 would have let 0.225 pass
}

// A window of `rows` tuples with `ones` of value 1, those first; may a group of positions leave as close to it?
bool AcceptsGroup(const std::vector<std::pair<Position, Position>>& windows, const std::vector<int>& ones, const Rational& t,
                  const std::vector<Position>& group, std::pair<Position, Position> window) {
  StreamSchema schema = test::NumericSchema(1, 0, 9);
  schema.sensitive.push_back({.name = "sa", .num_values = 2});
  const Position width = windows[0].second - windows[0].first + 1;
  const std::vector<ModelSpec> models = {WindowClosenessSpec{"sa", static_cast<std::int64_t>(width), t, Distance::kEqual},
                                         KsAnonymitySpec{1}};
  StreamVerifier verifier = StreamVerifier::Make(schema, models, {.delay_tuples = 1000}).value();
  Position position = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    for (Position at = windows[i].first; at <= windows[i].second; ++at) {
      const std::int64_t q = 5;
      const std::int32_t value = static_cast<int>(at - windows[i].first) < ones[i] ? 1 : 0;
      EXPECT_TRUE(verifier.Arrive({++position, 0, static_cast<PersonId>(position), {&q, 1}, {&value, 1}}).ok());
    }
  }
  return verifier.Accept({Departure::Kind::kGroup, 1, {{5, 5}}, group, false, {window.first, window.second}}).ok();
}

// Example 6.7: two groups that are each close to a window of their own; taken together they are close to neither.
TEST(SabreWPaper, GroupsOfDifferentWindowsAreHeldApart) {
  const std::vector<std::pair<Position, Position>> windows = {{1, 100}, {101, 200}};
  const std::vector<int> ones = {20, 80};
  std::vector<Position> first = {1, 2};  // two of ten have the value 1
  for (Position at = 21; at <= 28; ++at) first.push_back(at);
  std::vector<Position> second;  // eight of ten
  for (Position at = 101; at <= 108; ++at) second.push_back(at);
  second.insert(second.end(), {181, 182});
  std::vector<Position> both = first;
  both.insert(both.end(), second.begin(), second.end());
  const Rational t(1, 10);
  EXPECT_TRUE(AcceptsGroup(windows, ones, t, first, windows[0]));
  EXPECT_TRUE(AcceptsGroup(windows, ones, t, second, windows[1]));
  EXPECT_FALSE(AcceptsGroup(windows, ones, t, both, windows[0]));
  EXPECT_FALSE(AcceptsGroup(windows, ones, t, both, windows[1]));
  EXPECT_FALSE(AcceptsGroup(windows, ones, t, first, windows[1]));
}

// Example 6.8: the union of two groups is not farther than the farther of the two. Distances 1/24, 1/8, and 1/40 together.
TEST(SabreWPaper, UnionsStayClose) {
  const auto accepts = [](const std::vector<Position>& group, const Rational& t) {
    return AcceptsGroup({{1, 8}}, {5}, t, group, {1, 8});
  };
  const auto reaches = [&](const std::vector<Position>& group, std::int64_t part) {  // 1/part, and no less
    return accepts(group, Rational(1, part)) && !accepts(group, Rational(1000, 1000 * part + 1));
  };
  EXPECT_TRUE(reaches({1, 2, 6}, 24));
  EXPECT_TRUE(reaches({3, 7}, 8));
  EXPECT_TRUE(reaches({1, 2, 3, 6, 7}, 40));
}

// Example 6.9: where everybody has the same value every group is close, and tells all. Asking for l = 2 suppresses instead.
TEST(SabreWPaper, AHomogeneousWindowIsCloseToItself) {
  for (const std::int64_t l : {1, 2}) {
    std::vector<ModelSpec> models = TraceModels(2);
    if (l > 1) models.push_back(LDiversitySpec{"sa", l, LDiversitySpec::Kind::kDistinct, {}});
    SabreW engine = SabreW::Make(TraceSchema(), models, {.step = 4}, Random::FromSeed(1)).value();
    StreamVerifier verifier = StreamVerifier::Make(TraceSchema(), models, {.delay_tuples = 11}).value();
    test::StreamRun run(engine, verifier);
    for (PersonId person = 1; person <= 20; ++person) run.Push({.person = person, .quasi = {3}, .sensitive = {1}});
    run.Flush();
    for (const Left& each : run.left()) {
      EXPECT_EQ(each.departure.kind, l == 1 ? Departure::Kind::kGroup : Departure::Kind::kSuppressed);
    }
  }
}

}  // namespace
}  // namespace cordon::engine
