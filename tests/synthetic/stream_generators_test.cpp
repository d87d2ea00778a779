// SPDX-License-Identifier: Apache-2.0
//
// The generated streams: shapes that were asked for, and bytes that never change.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "cordon/base/digest.h"
#include "cordon/synthetic/powerlaw.h"
#include "cordon/synthetic/sal.h"
#include "cordon/synthetic/transactions.h"
#include "tests/synthetic/generated_text.h"

namespace cordon::engine {
namespace {

GenerateOptions Powerlaw(std::uint64_t rows, double alpha = 1, std::uint64_t seed = 1) {
  return {.name = "powerlaw", .rows = rows, .seed = seed, .rho = {}, .alpha = alpha};
}

GenerateOptions Transactions(std::uint64_t rows, std::uint64_t items = 10, std::uint64_t seed = 1) {
  return {.name = "transactions", .rows = rows, .seed = seed, .rho = {}, .alpha = {}, .items = items};
}

GenerateOptions Sal(std::uint64_t rows, std::uint64_t seed = 1) {
  return {.name = "sal", .rows = rows, .seed = seed, .rho = {}, .alpha = {}, .items = {}};
}

std::string DigestOf(const GenerateOptions& options) { return ToHex(Sha256Of(CsvOf(Made(options)))); }

std::vector<std::vector<std::string>> LinesOf(const GenerateOptions& options) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream text(CsvOf(Made(options)));
  for (std::string line; std::getline(text, line);) {
    std::istringstream cells(line);
    lines.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) lines.back().push_back(cell);
  }
  return lines;
}

// Figures are quoted of these streams: a change of these digests is a change of the data.
TEST(StreamGenerators, BytesAreFrozen) {
  EXPECT_EQ(DigestOf(Powerlaw(1000)), "ed2c84f71d0ea860f103f5d9559f8389378b5a33d8449a515cb16ba32ea2350d");
  EXPECT_EQ(DigestOf(Powerlaw(1000, 1.5, 7)), "1188205de8c48960339958a9a1bb31a9a9105454cebd134e62d3cc5b4e1e5baa");
  EXPECT_EQ(DigestOf(Transactions(1000)), "50038d0ddd2178620737556eed99f4fba5875073aa23d6ea725c96bbd15953b9");
  EXPECT_EQ(DigestOf(Sal(1000)), "a0ff6d19b1e709a472017283ea20ae5701c8419de6b539c42c50bf98f12019a8");
  EXPECT_EQ(DigestOf(Sal(1000, 7)), "df06f2c3346326c050ee6725e5a50fe95aaae7cf69a583934b2a285c78a2e2cb");
  EXPECT_EQ(DigestOf(Transactions(1000, 5, 7)), "d142bec978ed8b090f9af148a81ab950d434f13c1523f884b4d654a95230db26");
}

TEST(StreamGenerators, ALongerStreamBeginsLikeAShorterOne) {
  for (const GenerateOptions& options : {Powerlaw(500), Transactions(500), Sal(500)}) {
    GenerateOptions longer = options;
    longer.rows = 2000;
    EXPECT_TRUE(CsvOf(Made(longer)).starts_with(CsvOf(Made(options))));
    const Generated made = Made(options);
    EXPECT_EQ(CsvOf(made), CsvOf(made));  // writing does not use it up
  }
}

TEST(Powerlaw, SharesFollowTheLaw) {
  constexpr std::uint64_t kRows = 100'000;
  for (const double alpha : {0.0, .5, 1.0, 2.0}) {
    double sum = 0;
    for (int value = 1; value <= 1000; ++value) sum += std::pow(value, -alpha);
    const auto lines = LinesOf(Powerlaw(kRows, alpha));
    ASSERT_EQ(lines.size(), kRows + 1);
    for (std::size_t column = 0; column < 4; ++column) {
      std::map<int, double> counts;
      for (std::size_t row = 1; row <= kRows; ++row) ++counts[std::stoi(lines[row][column])];
      EXPECT_GE(counts.begin()->first, 1);
      EXPECT_LE(counts.rbegin()->first, 1000);
      for (const int value : {1, 2, 10, 500}) {
        const double expected = kRows * std::pow(value, -alpha) / sum;
        EXPECT_NEAR(counts[value], expected, 6 * std::sqrt(expected) + 1) << alpha << " " << value;
      }
    }
  }
}

TEST(Transactions, ACustomerAlwaysLooksTheSameAndABasketSharesAllButTheItem) {
  const auto lines = LinesOf(Transactions(60'000, 5));
  std::map<std::string, std::vector<std::string>> of_customer;
  std::map<std::string, std::set<std::string>> items_of_basket;
  std::uint64_t time = 0;
  for (std::size_t row = 1; row < lines.size(); ++row) {
    const std::vector<std::string>& cells = lines[row];
    ASSERT_EQ(cells.size(), 8u);
    const std::vector<std::string> looks(cells.begin() + 3, cells.begin() + 7);
    EXPECT_EQ(of_customer.emplace(cells[0], looks).first->second, looks);
    EXPECT_EQ(std::stoull(cells[1]), (row - 1) / 5 + 1);
    EXPECT_TRUE(items_of_basket[cells[1]].insert(cells[7]).second) << "an item twice in a basket";
    EXPECT_GE(std::stoull(cells[2]), time);
    time = std::stoull(cells[2]);
  }
  EXPECT_GT(of_customer.size(), 9000u);    // of 12,000 transactions
  EXPECT_LT(of_customer.size(), 11'500u);  // some came again
  EXPECT_EQ(items_of_basket.size(), 12'000u);
  EXPECT_EQ(items_of_basket["12"].size(), 5u);
}

// The papers' numbers of values, all of which occur, and their share of rows that look like another.
TEST(Sal, HasTheCardinalitiesAndRepetitionsOfThePapers) {
  constexpr std::size_t kRows = 100'000;
  const std::size_t cardinalities[] = {79, 2, 6, 57, 17, 25, 8, 50};
  const auto lines = LinesOf(Sal(kRows));
  ASSERT_EQ(lines.size(), kRows + 1);
  EXPECT_EQ(lines[0], (std::vector<std::string>{"age", "gender", "marital_status", "birth_place", "education", "occupation",
                                                "race", "salary"}));
  std::vector<std::set<std::string>> values(8);
  std::map<std::vector<std::string>, std::size_t> looks;
  for (std::size_t row = 1; row <= kRows; ++row) {
    ASSERT_EQ(lines[row].size(), 8u);
    for (std::size_t column = 0; column < 8; ++column) values[column].insert(lines[row][column]);
    ++looks[{lines[row].begin(), lines[row].begin() + 7}];
  }
  for (std::size_t column = 0; column < 8; ++column) EXPECT_EQ(values[column].size(), cardinalities[column]) << column;
  std::size_t shared = 0;
  for (const auto& [look, count] : looks) shared += count > 1 ? count : 0;
  EXPECT_GT(shared, kRows * 4 / 10);
  EXPECT_LT(shared, kRows / 2);
}

TEST(Sal, HierarchiesHoldEveryValue) {
  const Generated made = Made(Sal(2000));
  const std::vector<CensusAttribute> attributes = SalAttributes();
  for (const std::size_t column : {1, 2, 3, 5, 6}) {
    const Hierarchy hierarchy = HierarchyOf(made, attributes[column].name + ".csv");
    EXPECT_EQ(static_cast<std::size_t>(hierarchy.num_leaves()), attributes[column].labels.size());
    for (const std::string& label : attributes[column].labels) EXPECT_TRUE(hierarchy.FindLeaf(label).has_value()) << label;
  }
}

// The young are unmarried, occupations go with schooling, a degree pays.
TEST(Sal, ColumnsDependOnEachOther) {
  SalRows rows(3);
  double young = 0, young_single = 0, single = 0, pay = 0, graduates = 0, graduate_pay = 0, graduate_managers = 0, managers = 0;
  constexpr int kRows = 50'000;
  for (int i = 0; i < kRows; ++i) {
    const SalRows::Row row = rows.Next();
    single += row[2] == 0;
    young += row[0] < 8;
    young_single += row[0] < 8 && row[2] == 0;
    pay += static_cast<double>(row[7]);
    graduates += row[4] >= 13;
    graduate_pay += row[4] >= 13 ? static_cast<double>(row[7]) : 0;
    managers += row[5] == 0;
    graduate_managers += row[4] >= 13 && row[5] == 0;
  }
  EXPECT_GT(young_single / young, 1.4 * single / kRows);
  EXPECT_GT(graduate_pay / graduates, 1.2 * pay / kRows);
  EXPECT_GT(graduate_managers / graduates, 2 * managers / kRows);
}

TEST(StreamGenerators, WhatMeansNothingIsRefused) {
  EXPECT_EQ(Generate({.name = "sal", .rows = 10, .rho = .5}, Threads(1)).error().message(), "sal has no rho");
  const auto told = [](const GenerateOptions& options) { return Generate(options, Threads(1)).error().message(); };
  EXPECT_EQ(told(Powerlaw(10, .7)), "alpha = 0.7 is not one of 0, 0.5, 1, ..., 4");
  EXPECT_EQ(told(Powerlaw(10, -1)), "alpha = -1 is not one of 0, 0.5, 1, ..., 4");
  EXPECT_EQ(told(Powerlaw(10, 4.5)), "alpha = 4.5 is not one of 0, 0.5, 1, ..., 4");
  EXPECT_EQ(told(Powerlaw(10, std::nan(""))), "alpha = nan is not one of 0, 0.5, 1, ..., 4");
  EXPECT_EQ(told(Transactions(10, 0)), "items = 0 is not from 1 to 100");
  EXPECT_EQ(told(Transactions(10, 101)), "items = 101 is not from 1 to 100");
  EXPECT_EQ(told({.name = "census", .rows = 10, .rho = {}, .alpha = 1.0}), "census has no alpha");
  EXPECT_EQ(told({.name = "powerlaw", .rows = 10, .rho = .5}), "powerlaw has no rho");
  EXPECT_EQ(told({.name = "powerlaw", .rows = 10, .rho = {}, .alpha = {}, .items = 5}), "powerlaw has no items");
}

}  // namespace
}  // namespace cordon::engine
