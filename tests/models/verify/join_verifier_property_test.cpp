// SPDX-License-Identifier: Apache-2.0
//
// Random joins: the two routes of the verifier against each other, forced links against all permutations, and what is known of
// the closed regime.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "cordon/models/verify/forced_links.h"
#include "cordon/models/verify/join_pairs_internal.h"
#include "cordon/models/verify/join_verifier.h"
#include "tests/models/verify/linked_builder.h"

namespace cordon::engine {
namespace {

const std::vector<std::vector<std::string>> kPaths = {{"a", "ab", "*"}, {"b", "ab", "*"}, {"c", "cd", "*"}, {"d", "cd", "*"}};

struct RandomJoin {
  std::mt19937_64 random;
  explicit RandomJoin(std::uint64_t seed) : random(seed) {}

  std::size_t Below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); }
  std::string Shown(std::size_t leaf, bool local, std::size_t level) { return kPaths[leaf][local ? Below(3) : level]; }

  // People with two shared columns, one of each release alone, and cells as each release shows them: by one level (a cut), or
  // each by its own (recoded locally). Numbers are shown as overlapping ranges.
  LinkedBuilder Make(std::size_t num_releases, std::size_t people, bool local) {
    LinkedBuilder builder;
    std::vector<std::string> paths;
    for (const auto& path : kPaths) paths.push_back(path[0] + " " + path[1] + " " + path[2]);
    builder.Tree("p", paths).Numbers("age", 0, 20);
    std::vector<std::size_t> leaf(people);
    std::vector<std::size_t> age(people);
    for (std::size_t i = 0; i < people; ++i) leaf[i] = Below(4), age[i] = Below(20);
    for (std::size_t release = 0; release < num_releases; ++release) {
      std::vector<std::string> rows;
      const std::size_t level = Below(3);
      const std::size_t width = 1 + Below(8);
      for (std::size_t i = 0; i < people; ++i) {
        const std::size_t lo = local ? age[i] - Below(1 + std::min<std::size_t>(age[i], 4)) : age[i] / width * width;
        const std::size_t hi = local ? age[i] + Below(4) : lo + width - 1;
        rows.push_back(Shown(leaf[i], local, level) + " [" + std::to_string(lo) + "," + std::to_string(hi) + "] v" +
                       std::to_string(Below(3)) + " s" + std::to_string(Below(2)));
      }
      const std::string own = std::to_string(release);
      std::shuffle(rows.begin(), rows.end(), random);
      builder.Table("p age v" + own + " s" + own, rows);
    }
    return builder;
  }
};

TEST(JoinVerifierProperty, TheDefinitionAndTheCountsAgree) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    RandomJoin make(seed);
    const std::size_t releases = seed % 5 == 0 ? 3 : 2;
    LinkedBuilder builder = make.Make(releases, 2 + make.Below(7), seed % 2 == 0);
    if (seed % 3 == 0) builder.Impossible("v0", "v1", {{"v0", "v1"}, {"v2", "v2"}});
    const std::string x = seed % 4 == 0 ? "p v0 previous1.v1" : (seed % 4 == 1 ? "v0 previous1.v1" : "p age v0 previous1.v1");
    const std::vector<JoinSpec> specs = {
        Persons(x, 2),
        Pairs(x, 2),
        Different(x, "s0 previous1.s1", 2),
        Share(x, "s0", {"s1"}, Rational(1, 2)),
        Share(x, "previous1.s1", {}, Rational(2, 3)),
        XyAnonymitySpec{.x = Refs(x), .count = XyAnonymitySpec::Count::kPreviousRows, .y = {}, .previous = 1, .k = 2}};
    const LinkedTables linked = builder.Build();
    const auto pairs = JudgeJoin(linked, specs, builder.impossible(), {}, {});
    const auto counted = JudgeJoin(linked, specs, builder.impossible(), {.most_tuples = 0}, {});
    ASSERT_TRUE(pairs.ok() && counted.ok());
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const JoinVerdict& a = pairs.value().verdicts[i];
      const JoinVerdict& b = counted.value().verdicts[i];
      EXPECT_EQ(a.holds, b.holds);
      EXPECT_EQ(a.join ? a.join->Text() : "", b.join ? b.join->Text() : "");
      EXPECT_EQ(a.alone ? a.alone->Text() : "", b.alone ? b.alone->Text() : "");
      EXPECT_EQ(a.reduced ? a.reduced->Text() : "", b.reduced ? b.reduced->Text() : "");
    }
    EXPECT_TRUE(pairs.value().tuples == counted.value().tuples);
  }
}

TEST(JoinVerifierProperty, ForcedLinksAreThoseInNoPermutation) {
  int done = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    RandomJoin make(seed);
    const std::size_t people = 2 + make.Below(5);
    LinkedBuilder builder = make.Make(2, people, true);
    if (seed % 3 == 0) builder.Impossible("v0", "v1", {{"v0", "v1"}, {"v2", "v2"}});
    const LinkedTables linked = builder.Build();
    const ForcedLinks links = FindForcedLinks(linked, 0, 1, {}).value();
    std::vector<std::vector<char>> possible(people, std::vector<char>(people));
    std::vector<std::size_t> order(people);
    std::iota(order.begin(), order.end(), std::size_t{0});
    bool any = false;
    do {
      bool all = true;
      for (std::size_t i = 0; i < people && all; ++i) all = internal::RowsMatch(linked, 0, i, 1, order[i]);
      for (std::size_t i = 0; i < people && all; ++i) possible[i][order[i]] = 1;
      any = any || all;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(any, links.answer != ForcedLinks::Answer::kNotApplicable);
    if (!any) continue;
    ++done;
    for (std::size_t i = 0; i < people; ++i) {
      for (std::size_t j = 0; j < people; ++j) {
        if (!internal::RowsMatch(linked, 0, i, 1, j)) continue;
        EXPECT_EQ(links.Excludes(i, j), possible[i][j] == 0);
      }
    }
  }
  EXPECT_GT(done, 200);
}

// Spec 2.1: closed, cuts on both sides, one-sided Y.
TEST(JoinVerifierProperty, TheClosedRegimeIsOneTableAlone) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    RandomJoin make(seed);
    const LinkedBuilder builder = make.Make(2, 2 + make.Below(9), false);
    const LinkedTables linked = builder.Build();
    LinkedTables swapped;
    swapped.tables = {linked.tables[1], linked.tables[0]};
    const auto judge = [](const LinkedTables& tables, const JoinSpec& spec) {
      return JudgeJoin(tables, std::vector<JoinSpec>{spec}, {}, {.allow_unequal = true}, {}).value().verdicts[0];
    };
    const std::string x = "p age v0 previous.v1";
    const std::string back = "p age v1 previous.v0";
    for (const JoinSpec& spec : {Persons(x, 1), Different(x, "s0", 1), Share(x, "s0", {}, Rational(1))}) {
      const JoinVerdict verdict = judge(linked, spec);
      EXPECT_TRUE(verdict.closed);
      EXPECT_EQ(verdict.join->Text(), verdict.alone->Text());
    }
    EXPECT_EQ(judge(linked, PreviousRows(x, 1)).join->Text(), judge(swapped, Persons(back, 1)).alone->Text());
    EXPECT_EQ(judge(linked, Share(x, "previous.s1", {}, Rational(1))).join->Text(),
              judge(swapped, Share(back, "s1", {}, Rational(1))).alone->Text());
  }
}

}  // namespace
}  // namespace cordon::engine
