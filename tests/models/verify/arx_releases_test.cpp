// SPDX-License-Identifier: Apache-2.0
//
// Releases of UCI Adult made by another tool (ARX 3.9.2), against what an independent check found in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "cordon/data/view.h"
#include "cordon/models/verify/check_against_original.h"
#include "cordon/models/verify/verifier.h"
#include "tests/models/build_microdata.h"

namespace cordon::engine::test {
namespace {

std::vector<Texts> ReadLines(const std::string& path) {
  std::ifstream file(path);
  std::vector<Texts> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    Texts cells;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
      end = line.find(';', begin);
      cells.push_back(line.substr(begin, end == std::string::npos ? end : end - begin));
    }
    lines.push_back(std::move(cells));
  }
  return lines;
}

const std::string kAdult = std::string(CORDON_DATA) + "/adult/";

std::vector<TestColumn> ReadColumns(const std::string& name, const std::string& sensitive) {
  const std::vector<Texts> lines = ReadLines(kAdult + name);
  std::vector<TestColumn> columns;
  for (std::size_t i = 0; i < lines.at(0).size(); ++i) {
    const std::string& column = lines[0][i];
    columns.push_back({column,
                       column == sensitive ? Role::kSensitive : Role::kQuasi,
                       Tree(ReadLines(kAdult + "adult_hierarchy_" + column + ".csv")),
                       {}});
    for (std::size_t row = 1; row < lines.size(); ++row) columns.back().cells.push_back(lines[row][i]);
  }
  return columns;
}

Verdict JudgeOne(const Release& release, const ModelSpec& spec, bool exempt) {
  return Verifier({spec}, {.exempt_suppressed = exempt, .keep_per_group = true})
      .Judge(release, cordon::engine::Run{.threads = 2})
      .value()[0];
}

TEST(ArxReleases, GlobalRecodingHasK5With222GroupsAnd506SuppressedRows) {
  const Release release = BuildRelease(ReadColumns("arx_k5_global.csv", ""));
  ASSERT_EQ(release.num_rows, 30162u);
  const Verdict with = JudgeOne(release, KAnonymitySpec{5, {}}, false);
  EXPECT_TRUE(with.holds);
  EXPECT_EQ(with.reached_text, "5");
  EXPECT_EQ(with.per_group.size(), 223u);
  EXPECT_EQ(std::count(with.per_group.begin(), with.per_group.end(), 506.0), 1);
  EXPECT_EQ(JudgeOne(release, KAnonymitySpec{5, {}}, true).per_group.size(), 222u);
  EXPECT_FALSE(JudgeOne(release, KAnonymitySpec{6, {}}, true).holds);
}

TEST(ArxReleases, LocalRecodingHasK5With4540Groups) {
  const Release release = BuildRelease(ReadColumns("arx_k5_local.csv", ""));
  const Verdict verdict = JudgeOne(release, KAnonymitySpec{5, {}}, false);
  EXPECT_TRUE(verdict.holds);
  EXPECT_EQ(verdict.reached_text, "5");
  EXPECT_EQ(verdict.per_group.size(), 4540u);
}

TEST(ArxReleases, SuppressedRowsBreakTCloseness) {
  const Release release = BuildRelease(ReadColumns("arx_t02_equal_local.csv", "occupation"));
  const TClosenessSpec spec{"occupation", Rational(1, 5), Distance::kEqual};
  const Verdict with = JudgeOne(release, spec, false);
  EXPECT_FALSE(with.holds);
  EXPECT_EQ(with.failing_groups, 1u);
  EXPECT_NEAR(with.reached, .29, .005);
  EXPECT_EQ(with.witness->rows, 1090u);
  const Verdict without = JudgeOne(release, spec, true);
  EXPECT_TRUE(without.holds);
  EXPECT_NEAR(without.reached, .19986, .00001);
  EXPECT_EQ(without.per_group.size() + 1, with.per_group.size());
}

TEST(ArxReleases, SuppressedRowsBreakBetaLikeness) {
  const Release release = BuildRelease(ReadColumns("arx_beta4_local.csv", "occupation"));
  const BetaLikenessSpec spec{"occupation", 4, BetaLikenessSpec::Kind::kBasic};
  const Verdict with = JudgeOne(release, spec, false);
  EXPECT_FALSE(with.holds);
  EXPECT_EQ(with.failing_groups, 1u);
  EXPECT_NEAR(with.reached, 11.8, .05);
  EXPECT_EQ(with.witness->rows, 2352u);
  const Verdict without = JudgeOne(release, spec, true);
  EXPECT_TRUE(without.holds);
  EXPECT_NEAR(without.reached, 3.98958, .00001);
}

// Input order, so that every cell can be compared with the true one.
TEST(ArxReleases, EveryCellCoversTheTrueValue) {
  const Microdata original = BuildMicrodata(ReadColumns("adult.csv", ""));
  const Release release = BuildRelease(ReadColumns("arx_k5_local.csv", ""));
  const View all = View::All(original);
  EXPECT_EQ(CheckAgainstOriginal(release, original, all.rows(), cordon::engine::Run{.threads = 2}).value().Explain(),
            "truth: holds");
  EXPECT_TRUE(CheckAgainstOriginal(release, original, std::nullopt, cordon::engine::Run{}).value().holds);
}

}  // namespace
}  // namespace cordon::engine::test
