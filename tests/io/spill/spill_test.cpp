// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "cordon/io/sink.h"
#include "cordon/io/spill/row_spill.h"
#include "cordon/io/spill/shuffled_release.h"
#include "tests/io/release_of.h"
#include "tests/scratch_folder.h"

namespace cordon::engine {
namespace {

std::vector<Code> RowsIn(const RowSpill& spill, std::size_t bucket) {
  std::vector<Code> codes;
  EXPECT_TRUE(spill
                  .Each(bucket, {},
                        [&](std::span<const Code> block) {
                          codes.insert(codes.end(), block.begin(), block.end());
                          return Result<void>();
                        })
                  .ok());
  return codes;
}

TEST(RowSpill, RowsComeBackInTheirOrderBucketByBucket) {
  const test::ScratchFolder folder;
  RowSpill spill = RowSpill::Create(folder.path().string(), 3, 5).value();
  std::vector<std::vector<Code>> expected(5);
  for (Code row = 0; row < 200'000; ++row) {
    const std::size_t bucket = static_cast<std::size_t>(std::int64_t{row} * row % 7 % 4);  // the last one stays empty
    const Code cells[] = {row, kNull, -row};
    ASSERT_TRUE(spill.Add(bucket, cells).ok());
    expected[bucket].insert(expected[bucket].end(), std::begin(cells), std::end(cells));
  }
  ASSERT_TRUE(spill.Flush().ok());
  EXPECT_EQ(spill.rows(), 200'000u);
  for (std::size_t bucket = 0; bucket < 5; ++bucket) {
    EXPECT_EQ(spill.rows(bucket) * 3, expected[bucket].size());
    EXPECT_EQ(RowsIn(spill, bucket), expected[bucket]);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nobody can open the rows";
}

TEST(RowSpill, MoreBucketsThanFilesMayBeOpen) {
  const test::ScratchFolder folder;
  RowSpill spill = RowSpill::Create(folder.path().string(), 1, 5000).value();
  for (Code row = 0; row < 20'000; ++row) ASSERT_TRUE(spill.Add(static_cast<std::size_t>(row) % 5000, std::span(&row, 1)).ok());
  ASSERT_TRUE(spill.Flush().ok());
  EXPECT_EQ(RowsIn(spill, 4999), (std::vector<Code>{4999, 9999, 14'999, 19'999}));
}

TEST(RowSpill, AFolderThatIsNotThereIsAnError) {
  const auto spill = RowSpill::Create("/nowhere/at/all", 1, 1);
  ASSERT_FALSE(spill.ok());
  EXPECT_EQ(spill.error().kind(), ErrorKind::kIo);
}

// A column over a dictionary that the parts share, as those of a large release do.
ReleaseColumn Part(const ReleaseColumn& like, std::size_t from, std::size_t to) {
  ReleaseColumn part = like;
  CodesBuilder codes;
  for (std::size_t row = from; row < to; ++row) codes.Add(like.text.codes[row]);
  part.text.codes = codes.Finish();
  return part;
}

class Shuffled : public ::testing::Test {
 protected:
  Shuffled() {
    std::vector<std::string> numbers;
    std::vector<std::string> words;
    for (int row = 0; row < 1000; ++row) {
      numbers.push_back(fmt::format("{}", row));
      words.push_back(row % 10 == 3 ? std::string(kAbsent) : fmt::format("w{}", row % 7));
    }
    whole_ = ReleaseOf({MakeColumn(Named("n"), numbers), MakeColumn(Named("w"), words)});
  }

  ShuffledRelease Add(const Random& random, std::size_t buckets) {
    ShuffledRelease shuffled = ShuffledRelease::Create(folder_.path().string(), 2, buckets, random).value();
    for (std::size_t from = 0; from < 1000; from += 250) {
      Release part = ReleaseOf({Part(whole_.columns[0], from, from + 250), Part(whole_.columns[1], from, from + 250)});
      EXPECT_TRUE(shuffled.Add(Verifier::Pass(std::move(part)), {}).ok());
    }
    return shuffled;
  }
  static std::vector<std::pair<Code, Code>> RowsOf(ShuffledRelease& shuffled) {
    std::vector<std::pair<Code, Code>> rows;
    EXPECT_TRUE(shuffled
                    .Each({},
                          [&](const Release& part) {
                            for (std::size_t row = 0; row < part.num_rows; ++row)
                              rows.emplace_back(part.columns[0].text.codes[row], part.columns[1].text.codes[row]);
                            return Result<void>();
                          })
                    .ok());
    return rows;
  }

  test::ScratchFolder folder_;
  Release whole_;
};

TEST_F(Shuffled, EveryRowOnceWithItsOwnCellsInAnotherOrder) {
  ShuffledRelease shuffled = Add(Random::FromSeed(1), 7);
  EXPECT_EQ(shuffled.num_rows(), 1000u);
  const auto rows = RowsOf(shuffled);
  ASSERT_EQ(rows.size(), 1000u);
  std::set<Code> seen;
  std::size_t in_place = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(seen.insert(rows[i].first).second);
    EXPECT_EQ(rows[i].second, whole_.columns[1].text.codes[static_cast<std::size_t>(rows[i].first)]);
    in_place += rows[i].first == static_cast<Code>(i) ? 1 : 0;
  }
  EXPECT_LT(in_place, 20u);
}

TEST_F(Shuffled, TheOrderIsThatOfTheRandomNumbers) {
  ShuffledRelease one = Add(Random::FromSeed(5), 3);
  ShuffledRelease same = Add(Random::FromSeed(5), 3);
  ShuffledRelease other = Add(Random::FromSeed(6), 3);
  const auto rows = RowsOf(one);
  EXPECT_EQ(rows, RowsOf(same));
  EXPECT_NE(rows, RowsOf(other));
}

// The first row of a part must not be likelier in the first places: over many keys, each quarter of the order has about as many
// rows of each part.
TEST_F(Shuffled, PartsAreSpreadOverTheWholeOrder) {
  std::map<std::pair<std::size_t, std::size_t>, int> counts;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ShuffledRelease shuffled = Add(Random::FromSeed(seed), 4);
    const auto rows = RowsOf(shuffled);
    for (std::size_t i = 0; i < rows.size(); ++i) ++counts[{static_cast<std::size_t>(rows[i].first) / 250, i / 250}];
  }
  for (const auto& [pair, count] : counts) EXPECT_NEAR(count, 40 * 1000 / 16, 200);
}

// A bucket is what Each gives at a time. If all were shuffled by the same numbers, the row that came first would be at about
// the same place in each.
TEST_F(Shuffled, EachBucketHasAnOrderOfItsOwn) {
  double spread = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ShuffledRelease shuffled = Add(Random::FromSeed(seed), 8);
    std::vector<std::size_t> places;  // of the least row, in each bucket
    const auto take = [&](const Release& part) {
      std::size_t least = 0;
      for (std::size_t row = 1; row < part.num_rows; ++row) {
        if (part.columns[0].text.codes[row] < part.columns[0].text.codes[least]) least = row;
      }
      places.push_back(least);
      return Result<void>();
    };
    ASSERT_TRUE(shuffled.Each({}, take).ok());
    ASSERT_EQ(places.size(), 8u);
    const auto [first, last] = std::minmax_element(places.begin(), places.end());
    spread += static_cast<double>(*last - *first) / 10;
  }
  EXPECT_GT(spread, 60) << "of 125 places; 97 are expected";
}

TEST_F(Shuffled, WritesTheSameRowsAsAReleaseInMemory) {
  ShuffledRelease shuffled = Add(Random::FromSeed(2), 3);
  const std::string path = folder_ / "out.csv";
  StagedRelease staged = StageRelease(shuffled, path, {}, {}).value();
  ASSERT_TRUE(staged.Commit().ok());
  const std::string at_once = folder_ / "whole.csv";
  ASSERT_TRUE(WriteRelease(Verifier::Pass(whole_), at_once, {}, {}).ok());
  const auto lines = [](const std::string& file) {
    std::multiset<std::string> found;
    std::string line;
    for (std::ifstream in(file); std::getline(in, line);) found.insert(line);
    return found;
  };
  EXPECT_EQ(lines(path), lines(at_once));
  EXPECT_EQ(lines(path).size(), 1001u);
}

}  // namespace
}  // namespace cordon::engine
