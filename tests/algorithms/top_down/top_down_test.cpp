// SPDX-License-Identifier: Apache-2.0
//
// Corners of the core: ties, missing values, one-child chains, grids, people, bad requests.
#include "cordon/algorithms/top_down/top_down.h"

#include <gtest/gtest.h>

#include "cordon/algorithms/top_down/tdd.h"
#include "cordon/algorithms/top_down/tdr.h"
#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/top_down/top_down_table.h"

namespace cordon::engine::testing {
namespace {

using Strings = std::vector<std::string>;
using Sizes = std::map<std::string, std::size_t>;

// A masked attribute over codes and classes.
struct Lone {
  SmallTable table;
  ClassLabels labels;
  LogTable logs;
  MaskedAttribute masked;

  Lone(std::shared_ptr<const Domain> domain, Masking masking, const std::vector<Code>& codes, const std::vector<Code>& classes,
       TopDownUtility utility = TopDownUtility::kClass)
      : table(SmallTable(codes.size()).Add("a", Role::kQuasi, domain, codes)),
        labels{classes, classes.empty() ? Code{0} : 1 + *std::max_element(classes.begin(), classes.end())},
        logs(codes.size()),
        masked(table.data.columns[0].attribute, masking,
               Marginal(View::All(table.data), table.data.columns[0].codes, domain->size(), labels), utility, logs) {}

  Strings Texts(const std::vector<int>& nodes) const {
    Strings texts;
    for (const int node : nodes) texts.push_back(masked.Text(node));
    return texts;
  }
};

TEST(TopDown, MissingNumbersPartAtTheFirstSplit) {
  Lone lone(Numbers(4, true), Masking::kIntervals, {0, 1, 2, 3, 4, 4}, {0, 0, 1, 1, 0, 1});
  EXPECT_EQ(lone.masked.Text(0), "*");
  ASSERT_EQ(lone.masked.Refinements(), (std::vector<int>{0}));
  EXPECT_EQ(lone.masked.num_parts(0), 3u);
  EXPECT_EQ(lone.Texts(lone.masked.Refine(0)), (Strings{"[0,2)", "[2,3]", "?"}));
  // Pure intervals are refined no further, but may be.
  for (const int node : lone.masked.Refinements()) EXPECT_FALSE(lone.masked.beneficial(node));
}

TEST(TopDown, OneNumberAndMissingCells) {
  Lone lone(Numbers(1, true), Masking::kIntervals, {0, 0, 1}, {0, 1, 1});
  ASSERT_EQ(lone.masked.Refinements(), (std::vector<int>{0}));
  EXPECT_EQ(lone.Texts(lone.masked.Refine(0)), (Strings{"0", "?"}));
  EXPECT_TRUE(lone.masked.Refinements().empty());
  Lone none(Numbers(1, true), Masking::kIntervals, {1, 1}, {0, 1});
  EXPECT_TRUE(none.masked.Refinements().empty());
  EXPECT_EQ(none.masked.Text(0), "*");
  Lone one(Numbers(1), Masking::kIntervals, {0, 0}, {0, 1});
  EXPECT_TRUE(one.masked.Refinements().empty());
}

TEST(TopDown, ThresholdsAreValuesThatOccur) {
  // 0 and 9 of ten declared values occur.
  Lone lone(Numbers(10), Masking::kIntervals, {0, 0, 9, 9}, {0, 0, 1, 1});
  EXPECT_EQ(lone.Texts(lone.masked.Refine(0)), (Strings{"[0,9)", "9"}));
}

TEST(TopDown, SplitTiesGoToTheSmallestThreshold) {
  // Thresholds 1 and 2 part the classes equally well: 1 | 2 and 2 | 1 of three values with mixed ends.
  Lone lone(Numbers(3), Masking::kIntervals, {0, 1, 1, 2}, {0, 0, 1, 1});
  EXPECT_EQ(lone.masked.split(0), 1);
  Lone balanced(Numbers(5), Masking::kIntervals, {0, 1, 2, 3, 4}, {}, TopDownUtility::kDistortion);
  EXPECT_EQ(balanced.masked.split(0), 2);  // 2 | 3, as good as 3 | 2
}

TEST(TopDown, GridsAndDatesAreShownAsDeclared) {
  Domain::NumericSpec spec;
  spec.values = {0, 50, 100};
  spec.cell = 50;
  spec.range_lo = 0;
  spec.range_hi = 200;
  Lone grid(std::make_shared<const Domain>(Domain::Numeric(spec)), Masking::kIntervals, {0, 1, 2}, {0, 1, 1});
  EXPECT_EQ(grid.masked.Text(0), "[0,200)");
  EXPECT_EQ(grid.Texts(grid.masked.Refine(0)), (Strings{"[0,50)", "[50,200)"}));
  Domain::NumericSpec days;
  days.kind = Domain::Kind::kDate;
  days.values = {0, 31};
  days.range_lo = -365;
  days.range_hi = 364;
  Lone date(std::make_shared<const Domain>(Domain::Numeric(days)), Masking::kIntervals, {0, 1}, {0, 1});
  EXPECT_EQ(date.Texts(date.masked.Refine(0)), (Strings{"[1969-01-01,1970-02-01)", "[1970-02-01,1970-12-31]"}));
}

TEST(TopDown, OneChildChainsAreOneNode) {
  const std::vector<std::vector<std::string>> paths = {{"a", "x", "X", "*"}, {"b", "y", "Y", "*"}, {"c", "z", "Y", "*"}};
  auto hierarchy = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
  Lone lone(std::make_shared<const Domain>(Domain::Categorical(hierarchy, std::nullopt)), Masking::kTaxonomy, {0, 1, 2, 2},
            {0, 1, 0, 1});
  EXPECT_EQ(lone.Texts(lone.masked.Refine(0)), (Strings{"a", "Y"}));
  ASSERT_EQ(lone.masked.Refinements().size(), 1u);
  EXPECT_EQ(lone.Texts(lone.masked.Refine(lone.masked.Refinements()[0])), (Strings{"b", "c"}));
}

TEST(TopDown, WhatHasNoRowsIsNoRefinement) {
  Lone tree(Categories(6, 2), Masking::kTaxonomy, {0, 1, 0}, {0, 1, 1});
  tree.masked.Refine(0);
  EXPECT_EQ(tree.masked.Refinements().size(), 1u);
  Lone values(Categories(6, 1), Masking::kSuppression, {0, 1, 0}, {0, 1, 1});
  EXPECT_EQ(values.masked.Refinements(), (std::vector<int>{1, 2}));
}

TEST(TopDown, TiesGoToTheFirstColumnAndTheLeftmostValue) {
  // Two equal columns; two hidden values of a column always tie.
  TopDownTable table({"b b 3 1", "a a 1 3"});
  table.Suppressed("p").Suppressed("q");
  const auto search = table.Search({KOn(2, {"p"}), KOn(2, {"q"})});
  ASSERT_NE(search, nullptr);
  EXPECT_EQ(RunToTheEnd(*search), (Strings{"p:a", "q:a", "p:b", "q:b"}));
}

TEST(TopDown, PeopleAreCountedOnce) {
  TopDownTable table({"a 3 1", "b 1 3"});
  table.Suppressed("p");
  std::vector<Code> persons = {0, 0, 0, 0, 1, 2, 3, 4};
  table.data().persons = CodesOf(persons);
  table.data().num_persons = 5;
  EXPECT_FALSE(table.Search({KOn(2, {"p"})})->Best());  // all rows with a are of one person
  EXPECT_TRUE(table.Search({KOn(1, {"p"})})->Best());
  EXPECT_EQ(table.Search({KOn(6, {"p"})}), nullptr);
  EXPECT_NE(table.error().find("k-anonymity(k=6, on p)"), std::string::npos);
}

TEST(TopDown, EveryRequirementThatFailsIsNamed) {
  TopDownTable table({"a x 2 1", "b x 1 2"});
  table.Suppressed("p").Sensitive("s");
  EXPECT_EQ(table.Search({KOn(7, {"p"}), LDiversitySpec{.sensitive = "s", .l = Rational(2)}}), nullptr);
  EXPECT_NE(table.error().find("k-anonymity(k=7, on p) and l-diversity(s, l=2, distinct)"), std::string::npos);
}

TEST(TopDown, TddNeedsAConfidenceTemplate) {
  TopDownTable table({"a x 2 1", "b y 1 2"});
  table.Suppressed("p").Sensitive("s");
  ASSERT_NE(table.Search({KOn(2, {"p"})}), nullptr);
  const View view = View::All(table.data());
  const std::vector<ModelSpec> specs = {KOn(2, {"p"})};
  const Reference reference = ReferenceOf(table.data(), view.rows());
  const AllOf model = AllOf::Make(specs, reference).value();
  const CountedColumns counted(table.data(), {}, true);
  const TopDownInput input{view, specs, model, reference, counted, {Masking::kSuppression}, table.labels()};
  EXPECT_EQ(Tdd(input, {}, nullptr, {}).error().kind(), ErrorKind::kInvalidPolicy);
  TopDownFacts facts;
  const auto groups = Tdr(input, {}, &facts, {});
  ASSERT_TRUE(groups.ok());
  EXPECT_EQ(groups.value().size(), 2u);
  EXPECT_EQ(facts.refinements, 2);
  EXPECT_FALSE(facts.stopped_early);
}

}  // namespace
}  // namespace cordon::engine::testing
