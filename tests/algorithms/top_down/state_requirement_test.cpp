// SPDX-License-Identifier: Apache-2.0
//
// Requirements of the whole state: what they reach may rise, and a start that fails proves nothing.
#include <gtest/gtest.h>

#include <array>

#include "tests/algorithms/top_down/join_oracle.h"
#include "tests/algorithms/top_down/top_down_table.h"

namespace cordon::engine::testing {
namespace {

// At least k different Y for every x of the join, by the definition.
class JoinOf final : public StateRequirement {
 public:
  JoinOf(OracleJoin join, OracleTable raw, OracleTable previous, std::vector<Place> x, std::vector<Place> y, std::int64_t k,
         bool monotone = false)
      : join_(std::move(join)),
        raw_(std::move(raw)),
        previous_(std::move(previous)),
        x_(std::move(x)),
        y_(std::move(y)),
        k_(k),
        monotone_(monotone) {}

  std::string Describe() const override { return "anonymity of the join"; }
  void Settle(const TopDown& state, std::span<const std::uint32_t>) override { now_ = Of(Shown(state, raw_)); }
  Reached Now() const override { return now_; }
  Reached After(const TopDown& state, const Refinement& refinement) const override {
    return Of(Shown(state, raw_, &refinement));
  }
  bool Worse(const Bound& a, const Bound& b) const override { return a.above < b.above; }
  Requirement::Loss loss() const override { return Requirement::Loss::kRows; }
  bool Concerns(std::size_t) const override { return true; }
  bool monotone() const override { return monotone_; }

 private:
  Reached Of(OracleTable shown) const {
    const std::int64_t least = LeastDistinct(join_, {std::move(shown), previous_}, x_, y_);
    return {{least, 1}, least >= k_};
  }

  OracleJoin join_;
  OracleTable raw_;
  OracleTable previous_;
  std::vector<Place> x_;
  std::vector<Place> y_;
  std::int64_t k_;
  bool monotone_;
  Reached now_;
};

struct Joined {
  TopDownTable table;
  OracleJoin join;
  OracleTable raw;
  OracleTable previous;
  std::vector<Place> x;
  std::vector<Place> y;

  std::unique_ptr<StateRequirement> Asking(std::int64_t k, bool monotone = false) const {
    return std::make_unique<JoinOf>(join, raw, previous, x, y, k, monotone);
  }
  Result<std::unique_ptr<TopDown>> Search(std::int64_t k, TopDownOptions options, bool monotone = false) {
    (void)table.Search({});  // binds the view
    TopDown::Plan plan;
    for (std::size_t i = 0; i < table.data().columns.size(); ++i) plan.masked.push_back({i, Masking::kTaxonomy});
    plan.labels = table.labels();
    plan.state_requirements.push_back(Asking(k, monotone));
    options.utility = TopDownUtility::kDistortion;
    return TopDown::Make(table.view(), std::move(plan), options, {});
  }
};

// Spec E1a: ten people, T1(C, D), T2(D, E), Y = {K1, K2}; C is published as it is.
Joined PairsOfKeys() {
  Joined made{TopDownTable({"d2 1 0", "d1 1 0", "d1 4 0", "d2 4 0"}), {}, {}, {}, {}, {}};
  made.table.Tree("d", {"d1 ANY", "d2 ANY"});
  made.join.parents["d"] = {{"d1", "ANY"}, {"d2", "ANY"}};
  const std::vector<std::array<std::string, 3>> people = {
      {"c2", "d2", "e2"}, {"c9", "d1", "e1"}, {"c9", "d1", "e2"}, {"c9", "d1", "e2"}, {"c9", "d1", "e2"},
      {"c9", "d1", "e2"}, {"c9", "d2", "e2"}, {"c9", "d2", "e2"}, {"c9", "d2", "e2"}, {"c9", "d2", "e2"}};
  for (std::size_t i = 0; i < people.size(); ++i) {
    made.raw.push_back({{"c", people[i][0]}, {"d", people[i][1]}, {"#k1", std::to_string(i)}});
    made.previous.push_back({{"d", people[i][1]}, {"e", people[i][2]}, {"#k2", std::to_string(i)}});
  }
  made.x = {{0, "c"}, {0, "d"}, {1, "d"}, {1, "e"}};
  made.y = {{0, "#k1"}, {1, "#k2"}};
  return made;
}

// Spec E1b: eleven people, T1(Job, P, S), T2(P, S, Zip); S joins and is not known to the attacker.
Joined LinkedByAColumnOutsideX(const Place& y) {
  Joined made{TopDownTable({"UK 1 0", "UK 5 0", "US 5 0"}), {}, {}, {}, {}, {}};
  made.table.Tree("p", {"UK ANY", "US ANY"});
  made.join.parents["p"] = {{"UK", "ANY"}, {"US", "ANY"}};
  for (std::size_t i = 0; i < 11; ++i) {
    const bool us = i > 5;
    const std::string p = us ? "US" : "UK";
    const std::string s = i == 0 || us ? "F" : "M";
    made.raw.push_back({{"job", us ? "c9" : "c2"}, {"p", p}, {"s", s}, {"#k1", std::to_string(i)}});
    made.previous.push_back({{"p", p}, {"s", s}, {"zip", us ? "Z1" : "Z3"}, {"#k2", std::to_string(i)}});
  }
  made.x = {{0, "job"}, {0, "p"}, {1, "p"}, {1, "zip"}};
  made.y = {y};
  return made;
}

TEST(TopDown, AMeasureThatRisesIsSeenToRise) {
  std::vector<Joined> cases;
  cases.push_back(PairsOfKeys());
  cases.push_back(LinkedByAColumnOutsideX({0, "#k1"}));
  cases.push_back(LinkedByAColumnOutsideX({1, "#k2"}));
  for (Joined& each : cases) {
    auto made = each.Search(1, {});
    ASSERT_TRUE(made.ok());
    TopDown& search = *made.value();
    EXPECT_EQ(search.state_reached(0).bound.above, 1);
    const std::optional<Refinement> best = search.Best();
    ASSERT_TRUE(best);
    EXPECT_EQ(search.StandingOf(*best).bounds.back().above, 5);
    search.Apply(*best);
    EXPECT_EQ(search.state_reached(0).bound.above, 5);
  }
}

TEST(TopDown, AStartThatFailsIsReportedAndNoProof) {
  Joined each = LinkedByAColumnOutsideX({0, "#k1"});
  const auto refused = each.Search(2, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnsatisfiable);
  EXPECT_NE(refused.error().message().find("a more detailed one may still satisfy"), std::string::npos);
  auto further = each.Search(2, {.on_start = TopDownOptions::OnStart::kSearchFurther});
  ASSERT_TRUE(further.ok());
  EXPECT_FALSE(further.value()->Holds());
  ASSERT_TRUE(further.value()->ToTheEnd({}).ok());
  EXPECT_TRUE(further.value()->Holds());
  EXPECT_EQ(further.value()->num_refinements(), 1);
  // What no state satisfies is refused at the end.
  auto never = each.Search(6, {.on_start = TopDownOptions::OnStart::kSearchFurther});
  ASSERT_TRUE(never.ok());
  EXPECT_EQ(never.value()->ToTheEnd({}).error().kind(), ErrorKind::kUnsatisfiable);
}

TEST(TopDown, AStartThatFailsProvesIfNothingCanRise) {
  Joined each = LinkedByAColumnOutsideX({0, "#k1"});
  const auto refused = each.Search(2, {.on_start = TopDownOptions::OnStart::kSearchFurther}, true);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("no release satisfies"), std::string::npos);
}

TEST(TopDown, TheStateIsJudgedBesideTheGroups) {
  // d may be refined by the join (it rises to 5), and k-anonymity alone forbids it.
  Joined each = PairsOfKeys();
  (void)each.table.Search({});
  TopDown::Plan plan;
  plan.masked.push_back({0, Masking::kTaxonomy});
  plan.state_requirements.push_back(each.Asking(1));
  plan.requirements.push_back(std::make_unique<const MinCount>("k", std::vector<std::size_t>{0}, 6, nullptr));
  auto made = TopDown::Make(each.table.view(), std::move(plan), {.utility = TopDownUtility::kDistortion}, {});
  ASSERT_TRUE(made.ok());
  EXPECT_FALSE(made.value()->Best());
}

}  // namespace
}  // namespace cordon::engine::testing
