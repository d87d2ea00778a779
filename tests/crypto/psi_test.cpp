// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/psi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stop_token>

#include "tests/crypto/crypto_vectors.h"

namespace cordon::engine {
namespace {

using Ids = std::vector<std::string>;

std::vector<std::string_view> Views(const Ids& ids) { return {ids.begin(), ids.end()}; }

PsiParty MakePsiParty(const Ids& ids, std::uint64_t seed, std::uint64_t order, const Pepper& pepper = {}) {
  return PsiParty::Make(Views(ids), pepper, TestBytes(seed), Random::FromSeed(order), {}).value();
}

struct Aligned {
  std::vector<std::size_t> a, b;
};
Aligned AlignBoth(PsiParty a, PsiParty b) {
  const std::vector<Point> a_twice = b.Raise(a.masked(), {}).value();  // PSI1, PSI2
  const std::vector<Point> b_twice = a.Raise(b.masked(), {}).value();  // PSI3
  return {std::move(a).Align(a_twice, b_twice).value(), std::move(b).Align(b_twice, a_twice).value()};
}

TEST(Psi, IsThatOfTheReference) {
  const Json vectors = ReadVectors("psi");
  const Pepper pepper = ArrayOfHex<Pepper>(vectors.at("pepper"));
  std::vector<PsiParty> parties;
  for (const char* side : {"a", "b"}) {
    const Ids ids = vectors.at("ids").at(side);
    std::vector<std::string> masked;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(ToHex(PointOfId(pepper, ids[i])), vectors.at(side).at("points")[i]);
    }
    parties.push_back(MakePsiParty(ids, vectors.at("seeds").at(side), 1, pepper));
    for (const Point& point : parties.back().masked()) masked.push_back(ToHex(point));
    std::vector<std::string> expected = vectors.at(side).at("masked");
    EXPECT_TRUE(std::is_permutation(masked.begin(), masked.end(), expected.begin(), expected.end()));
  }
  std::vector<std::string> twice;
  const std::vector<Point> raised = parties[1].Raise(parties[0].masked(), {}).value();
  for (const Point& point : raised) twice.push_back(ToHex(point));
  const std::vector<std::string> expected = vectors.at("a").at("masked_by_both");
  EXPECT_TRUE(std::is_permutation(twice.begin(), twice.end(), expected.begin(), expected.end()));
  const Aligned aligned = AlignBoth(std::move(parties[0]), std::move(parties[1]));
  EXPECT_EQ(aligned.a, vectors.at("a").at("rows").get<std::vector<std::size_t>>());
  EXPECT_EQ(aligned.b, vectors.at("b").at("rows").get<std::vector<std::size_t>>());
}

TEST(PsiProperty, BothNumberExactlyTheCommonPeopleAlike) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    Ids a, b;
    std::set<std::string> common;
    for (int person = 0; person < 20; ++person) {
      const std::string id = "person " + std::to_string(person);
      const std::uint64_t where = random.Below(4);  // nowhere, a, b, both
      if ((where & 1) != 0) a.push_back(id);
      if ((where & 2) != 0) b.push_back(id);
      if (where == 3) common.insert(id);
    }
    random.Shuffle(std::span<std::string>(a));
    random.Shuffle(std::span<std::string>(b));
    const Aligned aligned = AlignBoth(MakePsiParty(a, 2 * seed, seed), MakePsiParty(b, 2 * seed + 1, seed + 100));
    ASSERT_EQ(aligned.a.size(), common.size());
    ASSERT_EQ(aligned.b.size(), common.size());
    std::set<std::string> seen;
    for (std::size_t i = 0; i < common.size(); ++i) {
      EXPECT_EQ(a[aligned.a[i]], b[aligned.b[i]]);
      seen.insert(a[aligned.a[i]]);
    }
    EXPECT_EQ(seen, common);
  }
}

TEST(Psi, NumbersDoNotDependOnTheOrderOfTheRows) {
  Ids a = {"x", "y", "z", "w"};
  const Ids b = {"w", "z", "x", "v"};
  const auto people = [&](const Ids& ids, std::uint64_t order) {
    std::vector<std::string> of;
    for (const std::size_t row : AlignBoth(MakePsiParty(ids, 1, order), MakePsiParty(b, 2, 7)).a) of.push_back(ids[row]);
    return of;
  };
  const std::vector<std::string> first = people(a, 5);
  std::reverse(a.begin(), a.end());
  EXPECT_EQ(people(a, 6), first);
}

TEST(Psi, TheListComesInAnOrderOfItsOwn) {
  Ids ids;
  for (int i = 0; i < 30; ++i) ids.push_back(std::to_string(i));
  const PsiParty one = MakePsiParty(ids, 1, 1), two = MakePsiParty(ids, 1, 2);
  EXPECT_NE(one.masked(), two.masked());
  EXPECT_TRUE(std::is_permutation(one.masked().begin(), one.masked().end(), two.masked().begin()));
}

TEST(Psi, ThreadsChangeNothing) {
  Ids ids;
  for (int i = 0; i < 600; ++i) ids.push_back(std::to_string(i));
  const auto masked = [&](int threads) {
    return PsiParty::Make(Views(ids), {}, TestBytes(1), Random::FromSeed(1), {.threads = threads}).value().masked();
  };
  EXPECT_EQ(masked(1), masked(4));
}

TEST(Psi, AnIdThatIsThereTwiceIsRefusedByItsRows) {
  const Ids ids = {"a", "b", "secret-id", "c", "secret-id"};
  const auto made = PsiParty::Make(Views(ids), {}, TestBytes(1), Random::FromSeed(1), {});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind(), ErrorKind::kInvalidData);
  EXPECT_EQ(made.error().message(), "rows 3 and 5 have the same id");
  const Ids empty = {"a", ""};
  EXPECT_EQ(PsiParty::Make(Views(empty), {}, TestBytes(1), Random::FromSeed(1), {}).error().message(), "row 2 has no id");
}

TEST(Psi, APeerThatBreaksTheRulesIsRefused) {
  const PsiParty party = MakePsiParty({"a", "b"}, 1, 1);
  const std::vector<Point> good = MakePsiParty({"a", "c", "d"}, 2, 1).masked();
  const auto refused = [&](std::vector<Point> list) { return !party.Raise(list, {}).ok(); };
  EXPECT_FALSE(refused(good));
  EXPECT_TRUE(refused({good[0], good[1], good[0]}));  // a person twice
  EXPECT_TRUE(refused({good[0], Point{}}));           // the identity
  Point bad = good[1];
  bad[0] ^= 1;  // negative: not an encoding
  EXPECT_TRUE(refused({good[0], bad}));
  EXPECT_EQ(party.Raise(std::vector<Point>{bad}, {}).error().kind(), ErrorKind::kProtocol);

  EXPECT_FALSE(MakePsiParty({"a", "b"}, 1, 1).Align(std::vector<Point>{good[0]}, good).ok());
  EXPECT_FALSE(MakePsiParty({"a", "b"}, 1, 1).Align(std::vector<Point>{good[0], good[0]}, good).ok());
}

TEST(Psi, AnotherPepperFindsNobody) {
  Pepper other{};
  other[0] = 1;
  const Aligned aligned = AlignBoth(MakePsiParty({"a", "b"}, 1, 1), MakePsiParty({"a", "b"}, 2, 1, other));
  EXPECT_TRUE(aligned.a.empty());
}

TEST(Psi, CanBeStopped) {
  std::stop_source stop;
  stop.request_stop();
  const Ids ids = {"a"};
  const auto made = PsiParty::Make(Views(ids), {}, TestBytes(1), Random::FromSeed(1), {.stop = stop.get_token()});
  EXPECT_EQ(made.error().kind(), ErrorKind::kCancelled);
}

}  // namespace
}  // namespace cordon::engine
