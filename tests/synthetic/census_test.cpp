// SPDX-License-Identifier: Apache-2.0
//
// The census table: the shape the SABRE and BUREL chapters describe, and bytes that never change.
#include "cordon/synthetic/census.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

#include "cordon/base/digest.h"
#include "cordon/synthetic/census_attributes.h"
#include "tests/synthetic/generated_text.h"

namespace cordon::engine {
namespace {

GenerateOptions Census(std::uint64_t rows, std::uint64_t seed = 1, double rho = 0) {
  return {.name = "census", .rows = rows, .seed = seed, .rho = rho};
}

std::string CsvDigest(const GenerateOptions& options, int threads = 1) {
  return ToHex(Sha256Of(CsvOf(Made(options, threads))));
}

double Number(const Column& column, std::size_t row) {
  const std::string_view text = column.cell(row).bytes();
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double Correlation(const Table& table, std::string_view a, std::string_view b) {
  const Column& x = *table.Find(a);
  const Column& y = *table.Find(b);
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    const double u = Number(x, row), v = Number(y, row);
    sx += u, sy += v, sxx += u * u, syy += v * v, sxy += u * v;
  }
  const double n = static_cast<double>(table.num_rows);
  return (n * sxy - sx * sy) / std::sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
}

// Comparisons are made on these tables: a change of these digests is a change of the data, not of the code.
TEST(Census, BytesAreFrozen) {
  EXPECT_EQ(CsvDigest(Census(1000)), "4b8f83a9e8de132ca4047624d842953a5923ebf81fb87fb628337e2f6e214366");
  EXPECT_EQ(CsvDigest(Census(20000)), "5f83dae348aee2d36fbe9300367fd8cd40b2831e32235f505b534fbbe3e22bd0");
  EXPECT_EQ(CsvDigest(Census(1000, 1, .3)), "50035eb7327d3aa84d55cec907f78e41229336c3b172dcc8cdcefff8839c145c");
  EXPECT_EQ(CsvDigest(Census(20000, 1, .3)), "da0ec1d5ca8e4d9895f68774a2aa2c70727bed68aa9ac8922148a826e96a4083");
}

TEST(Census, HierarchiesAreFrozen) {
  Sha256 digest;
  for (const auto& [name, text] : Made(Census(1)).files) {
    if (name != "policy.toml") digest.Update(name + "\n" + text);
  }
  EXPECT_EQ(ToHex(digest.Finish()), "0c38a0abc7dc2ce05fd2e3bbaa81d4af6b110233b7e32597e1e542323738ae7e");
}

TEST(Census, ThreadsDoNotChangeTheTable) {
  const GenerateOptions options = Census(3 * kChunkRows + 17, 5, .6);
  EXPECT_EQ(CsvDigest(options, 1), CsvDigest(options, 4));
}

TEST(Census, SeedAndRhoChangeTheTable) {
  const std::set<std::string> digests = {CsvDigest(Census(500)), CsvDigest(Census(500, 2)), CsvDigest(Census(500, 1, .5))};
  EXPECT_EQ(digests.size(), 3u);
}

TEST(Census, SalaryWeightsFollowTheFormula) {
  const double top = .048402;
  const double ratio = std::pow(.002018 / top, 1.0 / 37);
  const std::span<const std::uint64_t> weights = CensusSalaryWeights();
  ASSERT_EQ(weights.size(), 50u);
  EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}), 1'000'000'000'000u);
  for (int i = 0; i < 50; ++i) {
    const double share = i >= 12 ? top * std::pow(ratio, i - 12) : top - .00187807372785260 * (12 - i);
    EXPECT_NEAR(static_cast<double>(weights[i]) * 1e-12, share, 3e-12) << i;
  }
}

TEST(Census, SalaryCountsAt100000AreTheKnownOnes) {
  const std::vector<std::uint64_t> expected = {2586, 2774, 2962, 3150, 3338, 3526, 3713, 3901, 4089, 4277, 4465, 4652, 4840,
                                               4442, 4076, 3741, 3433, 3151, 2891, 2653, 2435, 2235, 2051, 1882, 1727, 1585,
                                               1455, 1335, 1225, 1124, 1032, 947,  869,  797,  732,  671,  616,  566,  519,
                                               476,  437,  401,  368,  338,  310,  284,  261,  240,  220,  202};
  EXPECT_EQ(CensusSalaryCounts(100'000), expected);
}

TEST(Census, TableHasExactlyTheSalaryCounts) {
  for (const std::uint64_t rows : {1u, 2u, 49u, 1000u, 70'001u}) {
    const Generated made = Made(Census(rows, 3, .4), 2);
    std::vector<std::uint64_t> counts(50);
    for (std::size_t row = 0; row < rows; ++row) ++counts[static_cast<std::size_t>(Number(made.table.columns[7], row))];
    EXPECT_EQ(counts, CensusSalaryCounts(rows)) << rows;
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), rows);
  }
}

TEST(Census, AttributesHaveTheirCardinalitiesAt100000) {
  const Generated made = Made(Census(100'000), 2);
  const std::vector<std::pair<std::string, std::size_t>> expected = {{"age", 79},           {"sex", 2},    {"education", 17},
                                                                     {"marital_status", 6}, {"race", 9},   {"work_class", 10},
                                                                     {"birth_place", 83},   {"salary", 50}};
  ASSERT_EQ(made.table.columns.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(made.table.columns[i].name, expected[i].first);
    EXPECT_EQ(made.table.columns[i].dictionary->size(), expected[i].second) << expected[i].first;
  }
}

TEST(Census, HierarchiesHaveTheirHeightsAndCoverEveryValue) {
  const Generated made = Made(Census(100'000), 2);
  const std::vector<std::pair<std::string, int>> expected = {
      {"age", 4}, {"sex", 1}, {"education", 4}, {"marital_status", 2}, {"race", 1}, {"work_class", 3}, {"birth_place", 2}};
  for (const auto& [name, height] : expected) {
    const Hierarchy hierarchy = HierarchyOf(made, name + ".csv");
    const Dictionary& values = *made.table.Find(name)->dictionary;
    EXPECT_EQ(hierarchy.height(), height) << name;
    EXPECT_EQ(hierarchy.label(kRoot), "*") << name;
    EXPECT_EQ(static_cast<std::size_t>(hierarchy.num_leaves()), values.size()) << name;
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_TRUE(hierarchy.FindLeaf(values[static_cast<Code>(i)].bytes())) << name << " " << i;
  }
}

TEST(Census, IntervalHierarchiesDoubleTheirWidths) {
  const Generated made = Made(Census(1));
  EXPECT_EQ(FileOf(made, "age.csv").substr(0, 29), "17;[17,21];[17,26];[17,36];*\n");
  EXPECT_NE(FileOf(made, "age.csv").find("\n95;[92,95];[87,95];[77,95];*\n"), std::string::npos);
  EXPECT_NE(FileOf(made, "education.csv").find("\n16;[15,16];[13,16];[9,16];*\n17;17;17;17;*\n"), std::string::npos);
}

TEST(Census, SharesFollowTheWeights) {
  const std::size_t rows = 200'000;
  for (const double rho : {0.0, .7}) {
    const Generated made = Made(Census(rows, 9, rho), 2);
    const std::vector<CensusAttribute> attributes = CensusAttributes();
    for (std::size_t i = 0; i < kCensusQuasi; ++i) {
      const Column& column = made.table.columns[i];
      std::vector<double> counts(column.dictionary->size());
      for (std::size_t row = 0; row < rows; ++row) ++counts[column.codes[row]];
      const double total = std::accumulate(attributes[i].weights.begin(), attributes[i].weights.end(), 0.0);
      for (std::size_t value = 0; value < attributes[i].labels.size(); ++value) {
        const double share = attributes[i].weights[value] / total;
        const auto code = column.dictionary->Find(attributes[i].labels[value]);
        ASSERT_TRUE(code) << column.name << " " << value;
        // Six standard deviations of a binomial count.
        EXPECT_NEAR(counts[*code] / rows, share, 6 * std::sqrt(share / rows)) << column.name << " " << value;
      }
    }
  }
}

TEST(Census, CorrelationGrowsWithRho) {
  double before = -1;
  for (const double rho : {0.0, .3, .6, .9}) {
    const Table table = Made(Census(50'000, 1, rho), 2).table;
    const double age = Correlation(table, "age", "salary");
    EXPECT_GT(age, before);
    EXPECT_NEAR(age, rho, .05) << "of the values; of the scores it is rho itself";
    EXPECT_NEAR(Correlation(table, "age", "education"), rho, .09);
    before = age;
  }
}

TEST(Census, RhoOutsideItsRangeIsRefused) {
  for (const double rho : {-.1, 1.0, 1.5, std::nan("")}) {
    const auto made = Generate(Census(10, 1, rho), Threads(1));
    ASSERT_FALSE(made.ok()) << rho;
    EXPECT_EQ(made.error().kind(), ErrorKind::kInvalidPolicy);
  }
}

TEST(Census, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  auto run = Threads(1);
  run.stop = stop.get_token();
  EXPECT_EQ(Generate(Census(1000), run).error().kind(), ErrorKind::kCancelled);
}

}  // namespace
}  // namespace cordon::engine
