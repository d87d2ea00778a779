// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/private_compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "cordon/base/random.h"
#include "cordon/crypto/compare_circuit.h"
#include "cordon/crypto/payload.h"
#include "tests/crypto/crypto_vectors.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

constexpr UInt128 kTopKey = (UInt128{1} << 96) - 1;

UInt128 KeyOfHex(const std::string& hex) {
  UInt128 key = 0;
  for (const char digit : hex) key = key << 4 | static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  return key;
}

UInt128 RandomKey(Random& random) { return (UInt128{random.Next()} << 64 | random.Next()) >> 32; }

CompareOutcome TrueOutcome(UInt128 garbler, UInt128 evaluator) {
  if (garbler == 0 && evaluator == 0) return CompareOutcome::kNeither;
  return garbler > evaluator ? CompareOutcome::kGarbler : CompareOutcome::kEvaluator;
}

// Two parties after their set-up.
struct Table {
  RunId run{};
  ByteSource bytes;
  CompareGarbler garbler;
  CompareEvaluator evaluator;
};
Table MakeTable(std::size_t comparisons, std::uint64_t seed) {
  const ByteSource bytes = TestBytes(seed);
  OtEnds ends = SetUpTransfers({}, comparisons * kCompareInputs, bytes, bytes);
  return {{}, bytes, CompareGarbler({}, std::move(ends.sender)), CompareEvaluator({}, std::move(ends.receiver))};
}

CompareOutcome CompareBoth(Table& table, const CompareId& id, UInt128 garbler, UInt128 evaluator) {
  const CompareChoices choices = table.evaluator.Start(id, MakeCompareKey(evaluator)).value();
  const CompareTable sent = table.garbler.Start(id, MakeCompareKey(garbler), choices, table.bytes).value();
  const CompareEvaluator::Finished finished = table.evaluator.Finish(sent).value();
  EXPECT_EQ(table.garbler.Finish(finished.result).value(), finished.outcome);
  return finished.outcome;
}

TEST(PrivateCompare, IsThatOfTheReference) {
  const Json vectors = ReadVectors("compare");
  const RunId run = ArrayOfHex<RunId>(vectors.at("run"));
  OtEnds ends = SetUpTransfers({run, 0}, vectors.at("transfers"), TestBytes(vectors.at("receiver_seed")),
                               TestBytes(vectors.at("sender_seed")));
  CompareGarbler garbler(run, std::move(ends.sender));
  CompareEvaluator evaluator(run, std::move(ends.receiver));
  ASSERT_EQ(vectors.at("comparisons").size(), 3U);
  for (const Json& each : vectors.at("comparisons")) {
    const CompareId id{each.at("round"), each.at("attempt")};
    const CompareChoices choices = evaluator.Start(id, MakeCompareKey(KeyOfHex(each.at("evaluator_key")))).value();
    EXPECT_EQ(HexOf(MakeFrame(choices).payload), each.at("choices"));
    const CompareTable table =
        garbler.Start(id, MakeCompareKey(KeyOfHex(each.at("garbler_key"))), choices, TestBytes(each.at("seed"))).value();
    EXPECT_EQ(HexOf(MakeFrame(table).payload), each.at("table"));
    const CompareEvaluator::Finished finished = evaluator.Finish(table).value();
    EXPECT_EQ(HexOf(MakeFrame(finished.result).payload), each.at("result"));
    const char* const names[] = {"garbler", "evaluator", "neither"};
    EXPECT_EQ(names[static_cast<int>(finished.outcome)], each.at("outcome"));
    EXPECT_EQ(garbler.Finish(finished.result).value(), finished.outcome);
  }
}

// The scores of the specification's worked runs, compared in private, give its winners.
TEST(PrivateCompare, FindsTheWinnersOfTheWorkedRuns) {
  const Json runs = ReadVectors("runs");
  for (const char* name : {"W2", "W3"}) {
    Table table = MakeTable(runs.at(name).size(), 1);
    std::uint32_t round = 0;
    for (const Json& each : runs.at(name)) {
      const CompareOutcome outcome =
          CompareBoth(table, {++round, 0}, KeyOfHex(each.at("keys").at("A")), KeyOfHex(each.at("keys").at("B")));
      const CompareOutcome expected = each.at("winner").is_null() ? CompareOutcome::kNeither
                                      : each.at("winner") == "A"  ? CompareOutcome::kGarbler
                                                                  : CompareOutcome::kEvaluator;
      EXPECT_EQ(outcome, expected) << name << " round " << round;
    }
  }
}

TEST(PrivateCompare, NoKeyLosesAndTwoOfThemEndTheRun) {
  Table table = MakeTable(8, 2);
  std::uint32_t round = 0;
  const auto compare = [&](UInt128 garbler, UInt128 evaluator) { return CompareBoth(table, {++round, 0}, garbler, evaluator); };
  EXPECT_EQ(compare(0, 0), CompareOutcome::kNeither);
  EXPECT_EQ(compare(1, 0), CompareOutcome::kGarbler);
  EXPECT_EQ(compare(0, 1), CompareOutcome::kEvaluator);
  EXPECT_EQ(compare(kTopKey, 0), CompareOutcome::kGarbler);
  EXPECT_EQ(compare(0, kTopKey), CompareOutcome::kEvaluator);
  EXPECT_EQ(compare(kTopKey, kTopKey - 1), CompareOutcome::kGarbler);
  EXPECT_EQ(compare(kTopKey - 1, kTopKey), CompareOutcome::kEvaluator);
  EXPECT_EQ(compare(UInt128{1} << 95, (UInt128{1} << 95) - 1), CompareOutcome::kGarbler);
}

// 10^5 random pairs, or some of them, in four parts: independent ones, ones that share their high bits, neighbours, and no key.
class PrivateComparePairs : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, PrivateComparePairs, testing::Range<std::uint64_t>(0, 4));

TEST_P(PrivateComparePairs, TheGreaterKeyWins) {
  const std::uint32_t num_pairs = SomeOrAll(1'500u, 25'000u);
  const Circuit circuit = CompareCircuit(kCompareBits);
  Random random = Random::FromSeed(GetParam());
  Random labels_random = random.Substream("labels");
  const ByteSource bytes = [&](std::span<std::uint8_t> to) {
    for (std::uint8_t& byte : to) byte = static_cast<std::uint8_t>(labels_random.Next());
  };
  std::vector<std::uint8_t> inputs(circuit.num_inputs());
  SecretVector<Block> labels(circuit.num_inputs());
  for (std::uint32_t pair = 0; pair < num_pairs; ++pair) {
    const UInt128 x = RandomKey(random);
    const UInt128 low_bits = (UInt128{1} << random.Below(97)) - 1;
    const UInt128 y = pair % 16 == 0 ? 0 : (x & ~low_bits) | (RandomKey(random) & low_bits);
    for (std::uint32_t i = 0; i < kCompareBits; ++i) {
      inputs[i] = static_cast<std::uint8_t>(x >> i & 1);
      inputs[kCompareInputs + i] = static_cast<std::uint8_t>(y >> i & 1);
    }
    inputs[kCompareBits] = x == 0 ? 1 : 0;
    inputs[kCompareInputs + kCompareBits] = y == 0 ? 1 : 0;
    const GarblingId id{{}, {pair, 0}};
    const Garbled garbled = Garble(circuit, id, bytes);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = garbled.garbling.InputLabel(i, inputs[i]);
    const auto outputs = EvaluateGarbled(circuit, id, garbled.table, labels);
    ASSERT_TRUE(outputs.ok()) << pair;
    ASSERT_EQ(outputs.value().bits[0], x > y ? 1 : 0) << pair;
    ASSERT_EQ(outputs.value().bits[1], x == 0 && y == 0 ? 1 : 0) << pair;
  }
}

TEST(PrivateCompareProperty, TheWholeProtocolAgreesWithTheKeys) {
  Table table = MakeTable(300, 4);
  Random random = Random::FromSeed(4);
  for (std::uint32_t round = 1; round <= 300; ++round) {
    const UInt128 garbler = random.Below(5) == 0 ? 0 : RandomKey(random);
    const UInt128 evaluator = random.Below(5) == 0 ? 0 : RandomKey(random);
    EXPECT_EQ(CompareBoth(table, {round, 0}, garbler, evaluator), TrueOutcome(garbler, evaluator)) << round;
  }
}

// How often each bit of the evaluator's view is 1.
using View = std::vector<std::uint32_t>;
View CountView(std::uint32_t comparisons, std::uint64_t seed, const std::function<UInt128(Random&)>& garbler_key,
               UInt128 evaluator_key) {
  Table table = MakeTable(comparisons, seed);
  Random random = Random::FromSeed(seed);
  View ones;
  for (std::uint32_t round = 1; round <= comparisons; ++round) {
    const UInt128 key = garbler_key(random);
    const CompareChoices choices = table.evaluator.Start({round, 0}, MakeCompareKey(evaluator_key)).value();
    const CompareTable sent = table.garbler.Start({round, 0}, MakeCompareKey(key), choices, table.bytes).value();
    const CompareEvaluator::Finished finished = table.evaluator.Finish(sent).value();
    EXPECT_EQ(finished.outcome, CompareOutcome::kEvaluator);
    const std::string view = MakeFrame(sent).payload + MakeFrame(finished.result).payload;
    ones.resize(8 * view.size());
    for (std::size_t i = 0; i < ones.size(); ++i) ones[i] += static_cast<std::uint8_t>(view[i / 8]) >> (i % 8) & 1U;
  }
  return ones;
}

// How two samples differ, by the chi-square statistic of each bit.
struct Difference {
  double sum = 0;    // over all bits, in standard deviations from what equal distributions give
  double worst = 0;  // of one bit; above 40 once in 60,000 samples of 62,000 equal bits
};
Difference DifferenceOf(const View& a, const View& b, double comparisons) {
  Difference difference;
  double freedom = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double ones = a[i] + b[i], zeros = 2 * comparisons - ones;
    if (ones == 0 || zeros == 0) continue;  // a constant: the number of the attempt
    const double apart = static_cast<double>(a[i]) - b[i];
    const double statistic = apart * apart * 2 * comparisons / (ones * zeros);
    difference.sum += statistic;
    difference.worst = std::max(difference.worst, statistic);
    freedom += 1;
  }
  EXPECT_LT(60'000, freedom);
  difference.sum = (difference.sum - freedom) / std::sqrt(2 * freedom);
  return difference;
}

TEST(PrivateCompare, TheEvaluatorCannotTellAPeerWithoutACandidateFromOneThatLoses) {
  constexpr std::uint32_t kComparisons = 400;
  const UInt128 own = kTopKey - 12345;
  const View none = CountView(kComparisons, 5, [](Random&) { return UInt128{0}; }, own);
  const View loses = CountView(kComparisons, 6, [&](Random& random) { return RandomKey(random) % own; }, own);
  const View loses_narrowly = CountView(kComparisons, 7, [&](Random&) { return own - 1; }, own);
  for (const View* other : {&loses, &loses_narrowly}) {
    const Difference difference = DifferenceOf(none, *other, kComparisons);
    EXPECT_LT(std::abs(difference.sum), 6);
    EXPECT_LT(difference.worst, 40);
  }
  // The test has teeth: one label of the garbler whose color was its bit would show.
  constexpr std::size_t kFirstLabel = 4 + kCompareInputs * 32 + kCompareOutputs * 32;
  View shown = loses_narrowly;
  shown[8 * (kFirstLabel + 16 * std::size_t{kCompareBits - 1})] = kComparisons;
  EXPECT_LT(40, DifferenceOf(none, shown, kComparisons).worst);
}

TEST(PrivateCompare, NothingSentRepeats) {
  Table table = MakeTable(60, 9);
  std::set<Block> seen;
  const auto is_new = [&](const Block& block) { return seen.insert(block).second; };
  for (std::uint32_t i = 0; i < 60; ++i) {
    const CompareId id{i / 3, i % 3};  // the same keys, again and again, as attempts of 20 rounds
    const CompareChoices choices = table.evaluator.Start(id, MakeCompareKey(77)).value();
    const CompareTable sent = table.garbler.Start(id, MakeCompareKey(77), choices, table.bytes).value();
    for (const auto* pairs : {&sent.table.gates, &sent.table.outputs, &sent.pads}) {
      for (const BlockPair& pair : *pairs) EXPECT_TRUE(is_new(pair[0]) && is_new(pair[1]));
    }
    for (const Block& label : sent.garbler_labels) EXPECT_TRUE(is_new(label));
  }
}

TEST(PrivateCompare, AnAttemptIsNeverMadeTwice) {
  Table table = MakeTable(10, 10);
  const CompareKey key = MakeCompareKey(5);
  const CompareChoices choices = table.evaluator.Start({2, 1}, key).value();
  EXPECT_TRUE(table.garbler.Start({2, 1}, key, choices, table.bytes).ok());
  for (const CompareId& old : {CompareId{2, 1}, CompareId{2, 0}, CompareId{1, 9}}) {
    EXPECT_EQ(table.evaluator.Start(old, key).error().kind(), ErrorKind::kProtocol);
    CompareChoices again = choices;
    again.id = old;
    EXPECT_FALSE(table.garbler.Start(old, key, again, table.bytes).ok());
  }
  CompareChoices replayed = choices;
  replayed.id = {2, 2};  // choices of old transfers under a new attempt
  EXPECT_FALSE(table.garbler.Start({2, 2}, key, replayed, table.bytes).ok());
  // The next attempt goes on with its own transfers.
  EXPECT_EQ(CompareBoth(table, {2, 3}, 5, 6), CompareOutcome::kEvaluator);
}

TEST(PrivateCompare, AnAnswerCountsOnce) {
  Table table = MakeTable(2, 11);
  const CompareChoices choices = table.evaluator.Start({1, 0}, MakeCompareKey(5)).value();
  const CompareTable sent = table.garbler.Start({1, 0}, MakeCompareKey(6), choices, table.bytes).value();
  const CompareEvaluator::Finished finished = table.evaluator.Finish(sent).value();
  EXPECT_FALSE(table.evaluator.Finish(sent).ok());
  CompareResult other = finished.result;
  other.id.attempt = 1;
  EXPECT_FALSE(table.garbler.Finish(other).ok());
  EXPECT_EQ(table.garbler.Finish(finished.result).value(), CompareOutcome::kGarbler);
  EXPECT_FALSE(table.garbler.Finish(finished.result).ok());
}

// A changed message is refused, or was changed where nobody looks: the outcome is never another one.
TEST(PrivateCompareProperty, ChangedMessagesNeverChangeTheOutcome) {
  constexpr std::uint32_t kTrials = 400;
  Table table = MakeTable(kTrials, 12);
  Random random = Random::FromSeed(12);
  std::size_t refused = 0;
  for (std::uint32_t round = 1; round <= kTrials; ++round) {
    SCOPED_TRACE(round);
    const UInt128 garbler = RandomKey(random), evaluator = RandomKey(random);
    const CompareChoices choices = table.evaluator.Start({round, 0}, MakeCompareKey(evaluator)).value();
    CompareChoices received = choices;
    if (round % 4 == 0) received.choices.flips[random.Below(kCompareInputs)] ^= 1;
    const CompareTable sent = table.garbler.Start({round, 0}, MakeCompareKey(garbler), received, table.bytes).value();
    Frame frame = MakeFrame(sent);
    if (round % 4 != 0) {
      char& byte = frame.payload[4 + random.Below(frame.payload.size() - 4)];
      byte = static_cast<char>(byte ^ (1 << random.Below(8)));
    }
    const auto finished = table.evaluator.Finish(ReadPayload<CompareTable>(frame).value());
    if (!finished.ok()) {
      EXPECT_EQ(finished.error().kind(), ErrorKind::kProtocol);
      ++refused;
    } else {
      EXPECT_EQ(finished.value().outcome, TrueOutcome(garbler, evaluator));
    }
  }
  EXPECT_LT(kTrials / 3, refused);
}

TEST(PrivateCompare, AChangedAnswerIsRefused) {
  for (std::size_t bit = 0; bit < 2 * 128; bit += SomeOrAll(29u, 7u)) {
    Table table = MakeTable(1, 13);
    const CompareChoices choices = table.evaluator.Start({1, 0}, MakeCompareKey(5)).value();
    const CompareTable sent = table.garbler.Start({1, 0}, MakeCompareKey(6), choices, table.bytes).value();
    CompareResult result = table.evaluator.Finish(sent).value().result;
    result.labels[bit / 128][bit % 128 / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    EXPECT_EQ(table.garbler.Finish(result).error().kind(), ErrorKind::kProtocol) << bit;
  }
}

}  // namespace
}  // namespace cordon::engine
