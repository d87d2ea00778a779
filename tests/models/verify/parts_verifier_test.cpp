// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/parts_verifier.h"

#include <gtest/gtest.h>

#include <random>

namespace cordon::engine {
namespace {

// Rows of a release with a quasi and a sensitive column over dictionaries that all parts share.
class PartsRelease {
 public:
  PartsRelease(std::vector<int> quasi, std::vector<int> sensitive)
      : quasi_(std::move(quasi)), sensitive_(std::move(sensitive)) {
    Domain::NumericSpec spec;
    for (int value = 0; value < 10; ++value) spec.values.push_back(value);
    spec.range_hi = 9;
    domain_ = std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
    auto texts = std::make_shared<Dictionary>();
    for (int value = 0; value < 10; ++value) texts->Intern(std::to_string(value));
    texts_ = std::move(texts);
  }

  // The rows whose quasi value is in the part.
  template <typename InPart>
  Release Part(const InPart& in_part) const {
    CodesBuilder quasi;
    CodesBuilder sensitive;
    Release release;
    for (std::size_t row = 0; row < quasi_.size(); ++row) {
      if (!in_part(quasi_[row])) continue;
      quasi.Add(quasi_[row]);
      sensitive.Add(sensitive_[row]);
      ++release.num_rows;
    }
    release.columns.push_back({{"q", Role::kQuasi, domain_, 1}, {"q", texts_, quasi.Finish()}});
    release.columns.push_back({{"s", Role::kSensitive, domain_, 1}, {"s", texts_, sensitive.Finish()}});
    return release;
  }
  Release Whole() const {
    return Part([](int) { return true; });
  }

 private:
  std::vector<int> quasi_;
  std::vector<int> sensitive_;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const Dictionary> texts_;
};

TClosenessSpec Close(Rational t) { return {.sensitive = "s", .t = t, .distance = Distance::kEqual}; }

// Two parts, each with one value: each is its own whole table by itself, and half of it together.
TEST(PartsVerifier, ComparesWithTheRowsOfAllParts) {
  const PartsRelease release({0, 0, 1, 1}, {3, 3, 7, 7});
  const Release left = release.Part([](int q) { return q == 0; });
  std::vector<Verdict> alone;
  EXPECT_TRUE(Verifier({Close({1, 5})}).Accept(left, {}, &alone).ok());

  PartsVerifier verifier({Close({1, 5})});
  ASSERT_TRUE(verifier.Count(left).ok());
  ASSERT_TRUE(verifier.Count(release.Part([](int q) { return q == 1; })).ok());
  const auto refused = verifier.Accept(left, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnsatisfiable);
}

TEST(PartsVerifier, RowsThatWereCountedAndNotJudgedAreNoticed) {
  const PartsRelease release({0, 0, 1, 1}, {1, 2, 1, 2});
  PartsVerifier verifier({KAnonymitySpec{2, {}}});
  const Release left = release.Part([](int q) { return q == 0; });
  ASSERT_TRUE(verifier.Count(release.Whole()).ok());
  ASSERT_TRUE(verifier.Accept(left, {}).ok());
  EXPECT_FALSE(verifier.Finish().ok());
}

// However the groups are dealt out, the verdicts are those of the release as a whole.
TEST(PartsVerifierProperty, SaysWhatIsSaidOfTheWhole) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<int> quasi;
    std::vector<int> sensitive;
    const std::size_t rows = 1 + random() % 60;
    for (std::size_t row = 0; row < rows; ++row) {
      quasi.push_back(static_cast<int>(random() % 6));
      sensitive.push_back(static_cast<int>(random() % (1 + random() % 5)));
    }
    const PartsRelease release(quasi, sensitive);
    const std::vector<ModelSpec> specs = {
        KAnonymitySpec{static_cast<std::int64_t>(1 + random() % 3), {}},
        LDiversitySpec{.sensitive = "s", .l = Rational(static_cast<std::int64_t>(1 + random() % 2))},
        Close({static_cast<std::int64_t>(3 + random() % 7), 10}),
        TClosenessSpec{.sensitive = "s", .t = {static_cast<std::int64_t>(2 + random() % 8), 10}},
        BetaLikenessSpec{.sensitive = "s", .beta = Rational(static_cast<std::int64_t>(2 + random() % 30))}};
    const std::vector<Verdict> whole = Verifier(specs).Judge(release.Whole(), {}).value();
    const bool holds = std::all_of(whole.begin(), whole.end(), [](const Verdict& verdict) { return verdict.holds; });

    const int cut = static_cast<int>(random() % 6);
    const Release parts[] = {release.Part([&](int q) { return q <= cut; }), release.Part([&](int q) { return q > cut; })};
    PartsVerifier verifier(specs);
    for (const Release& part : parts) ASSERT_TRUE(verifier.Count(part).ok());
    bool accepted = true;
    for (const Release& part : parts) {
      if (part.num_rows > 0) accepted = verifier.Accept(part, {}).ok() && accepted;
    }
    ASSERT_EQ(accepted, holds);
    if (!holds) continue;
    const std::vector<Verdict> together = verifier.Finish().value();
    for (std::size_t i = 0; i < specs.size(); ++i) EXPECT_EQ(together[i].reached_text, whole[i].reached_text) << whole[i].text;
  }
}

}  // namespace
}  // namespace cordon::engine
