// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/ledger.h"

#include <gtest/gtest.h>

#include "tests/party/two_sides.h"
#include "tests/some_or_all.h"

namespace cordon::engine::testing {
namespace {

std::vector<InstructPayload> Steps(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::map<std::uint32_t, InstructPayload> by_round;
  for (const auto* sent : {&a, &b}) {
    for (const std::string& frame : *sent) {
      const FrameHeader header = DecodeFrameHeader(frame).value();
      if (header.type != FrameType::kInstruct) continue;
      by_round[header.round] =
          ReadPayload<InstructPayload>({header.type, header.round, frame.substr(kFrameHeaderBytes)}).value();
    }
  }
  std::vector<InstructPayload> steps;
  for (auto& [round, step] : by_round) steps.push_back(std::move(step));
  return steps;
}

Ledger LedgerOf(const Joint& joint) {
  std::vector<Ledger::Column> columns;
  const std::vector<std::size_t> quasi = joint.data.ColumnsOf(Role::kQuasi);
  for (std::size_t q = 0; q < quasi.size(); ++q) {
    columns.push_back({joint.data.columns[quasi[q]].attribute, joint.maskings[q]});
  }
  std::vector<Ledger::Template> templates;
  for (const ModelSpec& spec : joint.specs) {
    Ledger::Template made{{}, std::get<KAnonymitySpec>(spec).k, Describe(spec)};
    for (const std::string& name : GroupingColumns(spec)) {
      for (std::size_t q = 0; q < columns.size(); ++q) {
        if (columns[q].attribute.name == name) made.columns.push_back(q);
      }
    }
    templates.push_back(std::move(made));
  }
  return Ledger(columns, std::move(templates));
}

// What the instructions say is the published table, row by row, without its class.
TEST(LedgerProperty, HoldsTheFinalTable) {
  std::size_t steps = 0;
  const auto cases = SomeOrAll<std::size_t>(12, 40);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    const Joint joint = RandomJoint(7000 + seed);
    std::vector<bool> of_a;
    for (std::size_t i = 0; i < joint.maskings.size(); ++i) of_a.push_back((seed >> i & 1) != 0);
    TwoSides sides(joint, of_a, seed);
    const TwoSides::Ended ended = sides.Run();
    if (!ended.a.ok() || ended.a.value().rounds == 0) continue;
    Ledger ledger = LedgerOf(joint);
    for (const InstructPayload& step : Steps(ended.sent_by_a, ended.sent_by_b)) {
      ASSERT_TRUE(ledger.Apply(step).ok());
      ++steps;
    }
    std::map<std::vector<std::string>, std::uint64_t> published;
    const TopDown& search = *ended.a.value().search;
    for (const TopDown::LeafView& leaf : search.Leaves()) {
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < leaf.shown.size(); ++i) texts.push_back(search.attribute(i).Text(leaf.shown[i]));
      published[texts] += leaf.rows.size();
    }
    EXPECT_EQ(ledger.Rows(), published);
    EXPECT_EQ(ledger.num_records(), joint.data.num_rows);
  }
  EXPECT_GT(steps, cases * 3 / 2);
}

TEST(Ledger, AnInstructionThatDoesNotFollowIsRefused) {
  TwoSides sides(Table7(true), {true, false, false}, 1);
  const TwoSides::Ended ended = sides.Run();
  const std::vector<InstructPayload> steps = Steps(ended.sent_by_a, ended.sent_by_b);
  ASSERT_EQ(steps.size(), 5u);
  const auto refused = [&](const std::function<void(std::vector<InstructPayload>&)>& change) {
    std::vector<InstructPayload> changed = steps;
    change(changed);
    Ledger ledger = LedgerOf(sides.joint());
    for (const InstructPayload& step : changed) {
      const Result<void> applied = ledger.Apply(step);
      if (!applied.ok()) return applied.error().message();
    }
    return std::string();
  };
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_NE(refused([](auto& all) { std::swap(all[1], all[2]); }), "");
  EXPECT_NE(refused([](auto& all) { all[2].node = 0; }), "");
  EXPECT_NE(refused([](auto& all) { all[0].split = all[0].hi + 1; }), "");
  EXPECT_NE(refused([](auto& all) { all[3].column = 7; }), "");
  EXPECT_NE(refused([](auto& all) { all[1].children = PackedNumbers::Pack(std::vector<std::uint32_t>(33), 2); }), "");
  std::vector<std::uint32_t> one(34);
  one[5] = 1;
  EXPECT_EQ(refused([&](auto& all) { all[0].children = PackedNumbers::Pack(one, 2); }),
            "an instruction breaks k-anonymity(k=11, on Sex+Salary): a group has 1 records");
}

}  // namespace
}  // namespace cordon::engine::testing
