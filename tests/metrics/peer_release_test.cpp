// SPDX-License-Identifier: Apache-2.0
//
// Releases of adult made by ARX; what an independent check finds in them is in the README next to the files.
#include <gtest/gtest.h>

#include <string>

#include "cordon/metrics/discernibility.h"
#include "cordon/metrics/information_loss.h"
#include "tests/algorithms/adult.h"
#include "tests/metrics/small_release.h"

namespace cordon::engine {
namespace {

const std::string kFolder = std::string(CORDON_DATA) + "/adult";

// Age is read by its hierarchy here: the peer publishes its labels.
Release ReadPeerRelease(const std::string& file, const std::string& sensitive) {
  const auto lines = testing::ReadSemicolonFile(kFolder + "/" + file);
  Release release;
  release.num_rows = lines.size() - 1;
  for (std::size_t column = 0; column < lines[0].size(); ++column) {
    const std::string& name = lines[0][column];
    const auto paths = testing::ReadSemicolonFile(kFolder + "/adult_hierarchy_" + name + ".csv");
    auto hierarchy = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
    std::vector<std::string> texts;
    for (std::size_t row = 1; row < lines.size(); ++row) texts.push_back(lines[row][column]);
    release.columns.push_back({{name, name == sensitive ? Role::kSensitive : Role::kQuasi,
                                std::make_shared<const Domain>(Domain::Categorical(hierarchy, std::nullopt)), 1},
                               testing::TextColumn(name, texts)});
  }
  return release;
}

void ExpectMeasured(const std::string& file, const std::string& sensitive, double loss, std::uint64_t suppressed) {
  SCOPED_TRACE(file);
  const Release release = ReadPeerRelease(file, sensitive);
  EXPECT_EQ(release.num_rows, 30162u);
  EXPECT_NEAR(MeasureInformationLoss(release, {}).value().information_loss, loss, 0.00005 + 1e-9);
  EXPECT_EQ(MeasureDiscernibility(release, {}).suppressed, suppressed);
}

TEST(PeerRelease, LossAndSuppressedRowsAreThoseOfAnIndependentCheck) {
  ExpectMeasured("arx_k5_global.csv", "", 0.3575, 506);
  ExpectMeasured("arx_k5_local.csv", "", 0.0589, 0);
  ExpectMeasured("arx_t02_equal_local.csv", "occupation", 0.4425, 1090);
  ExpectMeasured("arx_beta4_local.csv", "occupation", 0.1484, 2352);
}

TEST(PeerRelease, GroupsAreThoseOfAnIndependentCheck) {
  const Discernibility global = MeasureDiscernibility(ReadPeerRelease("arx_k5_global.csv", ""), {});
  EXPECT_EQ(global.groups, 222u);
  EXPECT_GE(global.min_group, 5u);
  EXPECT_EQ(MeasureDiscernibility(ReadPeerRelease("arx_k5_local.csv", ""), {}).groups, 4540u);
}

}  // namespace
}  // namespace cordon::engine
