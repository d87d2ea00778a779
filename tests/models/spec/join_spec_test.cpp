// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/spec/join_spec.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

using Count = XyAnonymitySpec::Count;
using Columns = std::vector<std::vector<std::string>>;
using Place = ResolvedJoin::Place;

std::vector<ColumnRef> Refs(const std::vector<std::string>& texts) {
  std::vector<ColumnRef> refs;
  for (const std::string& text : texts) refs.push_back(ParseColumnRef(text));
  return refs;
}
JoinSpec People(const std::vector<std::string>& x, std::int64_t k = 2) { return XyAnonymitySpec{.x = Refs(x), .k = k}; }
JoinSpec Linked(const std::vector<std::string>& x, const std::string& y, Rational h = Rational(1, 2)) {
  return XyLinkabilitySpec{.x = Refs(x), .values = {{ParseColumnRef(y), {"HIV", "flu"}}}, .h = h};
}

// The message of an error.
template <typename T>
std::string Message(const Result<T>& result) {
  return result.ok() ? "no error" : result.error().message();
}

TEST(JoinSpecs, ColumnsAreNamedByTheirRelease) {
  EXPECT_EQ(ParseColumnRef("job"), (ColumnRef{0, "job"}));
  EXPECT_EQ(ParseColumnRef("previous.zip"), (ColumnRef{ColumnRef::kOnlyPrevious, "zip"}));
  EXPECT_EQ(ParseColumnRef("previous2.zip"), (ColumnRef{2, "zip"}));
  EXPECT_EQ(ParseColumnRef("previous.zip.code"), (ColumnRef{ColumnRef::kOnlyPrevious, "zip.code"}));
  // Names that only look like it are columns of the current table.
  for (const char* name :
       {"previous", "previous.", "previous0.zip", "previous-1.zip", "previousx.zip", "previously", "a.previous.b"}) {
    EXPECT_EQ(ParseColumnRef(name), (ColumnRef{0, name})) << name;
  }
  for (const char* name : {"job", "previous.zip", "previous2.zip", "previous12.a.b"}) {
    EXPECT_EQ(Describe(ParseColumnRef(name)), name);
  }
}

TEST(JoinSpecs, AreDescribedAsTheyAreWritten) {
  EXPECT_EQ(Describe(People({"job", "previous.zip"}, 5)), "xy-anonymity(job+previous.zip -> person, k=5)");
  EXPECT_EQ(Describe(JoinSpec(XyAnonymitySpec{.x = Refs({"a"}), .count = Count::kPairs, .k = 2})),
            "xy-anonymity(a -> pairs, k=2)");
  EXPECT_EQ(Describe(JoinSpec(XyAnonymitySpec{.x = Refs({"a"}), .count = Count::kPreviousRows, .previous = 2, .k = 2})),
            "xy-anonymity(a -> rows of previous2, k=2)");
  EXPECT_EQ(
      Describe(JoinSpec(XyAnonymitySpec{.x = Refs({"a"}), .count = Count::kColumns, .y = Refs({"b", "previous.c"}), .k = 2})),
      "xy-anonymity(a -> b+previous.c, k=2)");
  EXPECT_EQ(Describe(Linked({"a"}, "previous.ill", Rational(2, 3))), "xy-linkability(a -> previous.ill=HIV|flu, h=2/3)");
}

TEST(JoinSpecs, ParametersAreInTheirRanges) {
  EXPECT_TRUE(Validate(People({"a"}, 1)).ok());
  EXPECT_FALSE(Validate(People({"a"}, 0)).ok());
  EXPECT_FALSE(Validate(People({})).ok());
  EXPECT_FALSE(Validate(People({"a", "a"})).ok());
  EXPECT_TRUE(Validate(People({"a", "previous.a"})).ok());
  EXPECT_TRUE(Validate(Linked({"a"}, "b", Rational(1))).ok());
  EXPECT_FALSE(Validate(Linked({"a"}, "b", Rational(0))).ok());
  EXPECT_FALSE(Validate(Linked({"a"}, "b", Rational(3, 2))).ok());
  EXPECT_FALSE(Validate(Linked({"a"}, "a")).ok());
  EXPECT_FALSE(Validate(JoinSpec(XyLinkabilitySpec{.x = Refs({"a"}), .values = {}, .h = Rational(1, 2)})).ok());
  EXPECT_FALSE(Validate(JoinSpec(XyAnonymitySpec{.x = Refs({"a"}), .count = Count::kColumns, .k = 2})).ok());
}

TEST(JoinSpecs, SomeGuardNothing) {
  EXPECT_TRUE(AlwaysHolds(People({"a"}, 1)));
  EXPECT_FALSE(AlwaysHolds(People({"a"}, 2)));
  EXPECT_TRUE(AlwaysHolds(Linked({"a"}, "b", Rational(1))));
  EXPECT_FALSE(AlwaysHolds(Linked({"a"}, "b", Rational(99, 100))));
}

const Columns kTwo = {{"job", "sex", "test"}, {"sex", "zip"}};
const Columns kThree = {{"job", "sex"}, {"sex", "zip"}, {"zip", "ill"}};

TEST(JoinSpecs, AColumnThatSeveralHaveStandsForAllItsCopies) {
  const ResolvedJoin resolved = Resolve(People({"job", "sex"}), kTwo, {}).value();
  EXPECT_EQ(resolved.x, (std::vector<Place>{{0, "job"}, {0, "sex"}, {1, "sex"}}));
  EXPECT_EQ(resolved.keys, (std::vector<std::size_t>{0}));
  EXPECT_EQ(resolved.y_tables, (std::vector<std::size_t>{0}));
  EXPECT_EQ(Resolve(People({"job", "previous.sex"}), kTwo, {}).value().x, resolved.x);
}

TEST(JoinSpecs, TheRegimeIsClosedIfAllThatJoinsIsInX) {
  EXPECT_TRUE(Resolve(People({"job", "sex"}), kTwo, {}).value().closed);
  EXPECT_FALSE(Resolve(People({"job"}), kTwo, {}).value().closed);
  EXPECT_FALSE(Resolve(People({"job", "sex"}), kThree, {}).value().closed);  // previous releases join each other by zip
  EXPECT_TRUE(Resolve(People({"job", "sex", "previous1.zip"}), kThree, {}).value().closed);
  const std::vector<ImpossiblePairs> pairs = {{"job", "zip", {{"a", "b"}}}};
  EXPECT_FALSE(Resolve(People({"sex"}), kTwo, pairs).value().closed);
  EXPECT_TRUE(Resolve(People({"sex", "job", "previous.zip"}), kTwo, pairs).value().closed);
}

TEST(JoinSpecs, ColumnsThatAreNotThereAreNamed) {
  EXPECT_EQ(Message(Resolve(People({"age"}), kTwo, {})), "the current release has no column 'age'");
  EXPECT_EQ(Message(Resolve(People({"previous.age"}), kTwo, {})), "no previous release has a column 'age'");
  EXPECT_EQ(Message(Resolve(People({"previous1.age"}), kTwo, {})), "that previous release has no column 'age'");
  EXPECT_EQ(Message(Resolve(People({"previous2.zip"}), kTwo, {})),
            "'previous2.zip' names the previous release 2, and 1 were given");
  EXPECT_EQ(Message(Resolve(People({"previous.zip"}), kThree, {})), "2 previous releases have a column 'zip'");
  EXPECT_NE(Message(Resolve(Linked({"previous.zip"}, "zip"), {{"zip"}, {"zip"}}, {})).find("in x and in y"), std::string::npos);
}

TEST(JoinSpecs, RowsOfWhichRelease) {
  const auto rows = [](int previous) {
    return JoinSpec(XyAnonymitySpec{.x = Refs({"job"}), .count = Count::kPreviousRows, .previous = previous, .k = 2});
  };
  EXPECT_EQ(Resolve(rows(ColumnRef::kOnlyPrevious), kTwo, {}).value().keys, (std::vector<std::size_t>{1}));
  EXPECT_EQ(Resolve(rows(2), kThree, {}).value().keys, (std::vector<std::size_t>{2}));
  EXPECT_FALSE(Resolve(rows(ColumnRef::kOnlyPrevious), kThree, {}).ok());
  EXPECT_FALSE(Resolve(rows(3), kThree, {}).ok());
  const JoinSpec pairs = XyAnonymitySpec{.x = Refs({"job"}), .count = Count::kPairs, .k = 2};
  EXPECT_EQ(Resolve(pairs, kThree, {}).value().keys, (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace cordon::engine
