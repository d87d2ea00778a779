// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/sabre_w/sabre_w.h"

#include <gtest/gtest.h>

#include "tests/algorithms/stream_run.h"

namespace cordon::engine {
namespace {

using test::Left;

StreamSchema Schema() {
  StreamSchema schema = test::NumericSchema(2, 0, 99);
  schema.sensitive.push_back({.name = "salary", .num_values = 4});
  schema.sensitive.push_back({.name = "disease"});
  return schema;
}

WindowClosenessSpec Closeness(std::int64_t window = 8, Rational t = Rational(1, 2)) {
  return {"salary", window, t, Distance::kOrdered};
}

std::string Refusal(const std::vector<ModelSpec>& models, const SabreWOptions& options) {
  const auto made = SabreW::Make(Schema(), models, options, Random::FromSeed(1));
  return made.ok() ? "" : made.error().message();
}

TEST(SabreW, ParametersThatCannotBeServedAreRefused) {
  const SabreWOptions two{.step = 2};
  EXPECT_EQ(Refusal({Closeness(), KsAnonymitySpec{2}}, two), "");
  EXPECT_EQ(Refusal({Closeness(), KsAnonymitySpec{9}}, two), "k = 9 people do not fit into a window of 8 tuples");
  EXPECT_EQ(Refusal({Closeness(), KsAnonymitySpec{2}}, {.step = 0}),
            "sabre-w: step is 0, it must be from 1 to the window of 8");
  EXPECT_EQ(Refusal({Closeness(), KsAnonymitySpec{2}}, {.step = 9}),
            "sabre-w: step is 9, it must be from 1 to the window of 8");
  EXPECT_EQ(Refusal({Closeness(), KsAnonymitySpec{2}}, {.step = 3}), "sabre-w: the window of 8 is not a multiple of step = 3");
  EXPECT_EQ(Refusal({Closeness(8, 0), KsAnonymitySpec{2}}, two), "window-closeness: t is 0, it must be above 0 and at most 1");
  EXPECT_EQ(Refusal({Closeness(0), KsAnonymitySpec{2}}, two),
            "window-closeness: window is 0, it must be a number of tuples from 1 to 1000000000");
  EXPECT_EQ(Refusal({KsAnonymitySpec{2}}, two), "sabre-w needs window-closeness or window-likeness");
  EXPECT_EQ(Refusal({Closeness()}, two), "sabre-w needs ks-anonymity in addition to its window models");
  EXPECT_EQ(Refusal({Closeness(), WindowLikenessSpec{"salary", 6, 1}, KsAnonymitySpec{2}}, two),
            "sabre-w has one window for all models, here are 8 and 6");
  EXPECT_EQ(Refusal({WindowClosenessSpec{"disease", 8, 1, Distance::kEqual}, KsAnonymitySpec{2}}, two),
            "sabre-w needs the declared domain of 'disease'");
  EXPECT_EQ(Refusal({WindowClosenessSpec{"salry", 8, 1, Distance::kEqual}, KsAnonymitySpec{2}}, two),
            "'salry' is not a sensitive column of the stream");
  EXPECT_EQ(Refusal({WindowClosenessSpec{"salary", 8, 1, Distance::kHierarchical}, KsAnonymitySpec{2}}, two),
            "column 'salary': the distance hierarchical needs a categorical column");
  EXPECT_EQ(Refusal({Closeness(), KsAnonymitySpec{2}, TClosenessSpec{"salary", 1, Distance::kOrdered}}, two),
            "sabre-w cannot promise t-closeness(salary, t=1, ordered)");
  EXPECT_EQ(Refusal({Closeness(), KsAnonymitySpec{2}}, {.step = 2, .rho = 2}), "sabre-w: rho is 2, it must be from 0 to 1");
}

struct Streamed {
  std::vector<Left> left;
  SabreW::Cases cases;
};

Streamed RunStream(const std::vector<ModelSpec>& models, const SabreWOptions& options, int length, std::int64_t window) {
  SabreW engine = SabreW::Make(Schema(), models, options, Random::FromSeed(7)).value();
  StreamVerifier verifier = StreamVerifier::Make(Schema(), models,
                                                 {.delay_tuples = window + options.step - 1,
                                                  .short_window = options.short_stream == SabreWOptions::Short::kStatic})
                                .value();
  test::StreamRun run(engine, verifier);
  Random random = Random::FromSeed(3);
  for (int i = 0; i < length; ++i) {
    run.Push({.person = static_cast<PersonId>(i),
              .quasi = {static_cast<std::int64_t>(random.Below(100)), static_cast<std::int64_t>(random.Below(100))},
              .sensitive = {static_cast<std::int32_t>(random.Below(4)), kNull}});
  }
  run.Flush();
  return {run.left(), engine.cases()};
}

TEST(SabreW, AStreamShorterThanItsWindowIsItsOwnOrNothing) {
  const std::vector<ModelSpec> models = {Closeness(), KsAnonymitySpec{2}};
  const Streamed as_table = RunStream(models, {.step = 2}, 5, 8);
  ASSERT_FALSE(as_table.left.empty());
  for (const Left& each : as_table.left) {
    EXPECT_EQ(each.departure.kind, Departure::Kind::kGroup);
    EXPECT_EQ(each.departure.window, (PositionRange{1, 5}));
  }
  const Streamed strict = RunStream(models, {.step = 2, .short_stream = SabreWOptions::Short::kStrict}, 5, 8);
  ASSERT_EQ(strict.left.size(), 1u);
  EXPECT_EQ(strict.left[0].departure.kind, Departure::Kind::kSuppressed);
  EXPECT_TRUE(RunStream(models, {.step = 2}, 0, 8).left.empty());
}

TEST(SabreW, AShortWindowIsAcceptedAtTheEndOnly) {
  const std::vector<ModelSpec> models = {Closeness(), KsAnonymitySpec{1}};
  for (const bool agreed : {false, true}) {
    StreamVerifier verifier = StreamVerifier::Make(Schema(), models, {.delay_tuples = 9, .short_window = agreed}).value();
    const std::vector<std::int64_t> quasi = {1, 1};
    const std::vector<std::int32_t> sensitive = {1, kNull};
    for (Position position = 1; position <= 3; ++position) {
      ASSERT_TRUE(verifier.Arrive({position, 0, static_cast<PersonId>(position), quasi, sensitive}).ok());
    }
    const Departure early{Departure::Kind::kGroup, 1, {{1, 1}, {1, 1}}, {1}, false, {1, 2}};
    EXPECT_FALSE(verifier.Accept(early).ok());
    const Departure whole{Departure::Kind::kGroup, 1, {{1, 1}, {1, 1}}, {1, 2, 3}, false, {1, 3}};
    EXPECT_EQ(verifier.Accept(whole).ok(), agreed);
    EXPECT_EQ(verifier.Arrive({4, 0, 4, quasi, sensitive}).ok(), !agreed);
  }
}

TEST(SabreW, WindowsThatAreClaimedWronglyAreRefused) {
  const std::vector<ModelSpec> models = {Closeness(4, Rational(1, 4)), KsAnonymitySpec{1}};
  StreamVerifier verifier = StreamVerifier::Make(Schema(), models, {.delay_tuples = 5}).value();
  const std::vector<std::int64_t> quasi = {1, 1};
  for (Position position = 1; position <= 6; ++position) {
    const std::vector<std::int32_t> sensitive = {static_cast<std::int32_t>(position % 4), kNull};
    ASSERT_TRUE(verifier.Arrive({position, 0, static_cast<PersonId>(position), quasi, sensitive}).ok());
  }
  const auto told = [&](std::vector<Position> positions, PositionRange window) {
    const auto result = verifier.Accept({Departure::Kind::kGroup, 1, {{1, 1}, {1, 1}}, std::move(positions), false, window});
    return result.ok() ? std::string() : result.error().message().substr(43);
  };
  EXPECT_EQ(told({2, 3}, {}), "it names no window");
  EXPECT_EQ(told({2, 3}, {1, 3}), "its window has 3 tuples instead of 4");
  EXPECT_EQ(told({2, 3}, {4, 7}), "its window reaches beyond what has arrived");
  EXPECT_EQ(told({2, 3}, {3, 6}), "position 2 is outside its window");
  EXPECT_EQ(told({2, 3}, {1, 4}),
            "window-closeness(salary, window=4, t=0.25, ordered) does not hold for its 2 rows, the first at position 2, in the "
            "window 1 to 4");
  EXPECT_EQ(told({1, 2, 3, 4}, {1, 4}), "");
}

TEST(SabreW, AMissingValueOfAWindowsColumnNeverArrives) {
  StreamVerifier verifier = StreamVerifier::Make(Schema(), {Closeness(), KsAnonymitySpec{1}}, {.delay_tuples = 9}).value();
  const std::vector<std::int64_t> quasi = {1, 1};
  const std::vector<std::int32_t> sensitive = {kNull, 1};
  EXPECT_FALSE(verifier.Arrive({1, 0, 1, quasi, sensitive}).ok());
}

// The wider axis of the two is the one that tells: order and cuts keep it narrow where they can.
TEST(SabreW, LessIsLostThanByTheThesisGroups) {
  const std::vector<ModelSpec> models = {Closeness(400, Rational(7, 20)), KsAnonymitySpec{5}};
  using Dims = MondrianOptions::Dims;
  const auto loss = [&](WindowMethod method, double sweeps, Dims dims = Dims::kAll) {
    double sum = 0;
    const SabreWOptions options{.step = 100, .partition = method, .mondrian_dims = dims, .sweeps = sweeps};
    for (const Left& each : RunStream(models, options, 2000, 400).left) {
      for (const AxisRange& range : each.departure.box) {
        sum += static_cast<double>((range.hi - range.lo) * static_cast<std::int64_t>(each.departure.positions.size()));
      }
    }
    return sum;
  };
  const double thesis = loss(WindowMethod::kSabreAk, 0);
  EXPECT_LT(loss(WindowMethod::kCloseness, 0), thesis);
  EXPECT_LT(loss(WindowMethod::kCloseness, 5), thesis);
  EXPECT_LT(loss(WindowMethod::kMondrian, 0), loss(WindowMethod::kFullDomain, 0));
  EXPECT_LT(loss(WindowMethod::kMondrian, 0), loss(WindowMethod::kMondrian, 0, Dims::kWidestOnly));
}

}  // namespace
}  // namespace cordon::engine
