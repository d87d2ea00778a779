// SPDX-License-Identifier: Apache-2.0
//
// The adult table with all nine columns, age with its labels: the optima that another tool's search to the end finds.
#include <gtest/gtest.h>

#include "cordon/algorithms/full_domain/full_domain.h"
#include "tests/algorithms/adult.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

Microdata AdultWithLabels() {
  Microdata data = testing::ReadAdult(CORDON_DATA "/adult");
  for (MicrodataColumn& column : data.columns) {
    if (column.attribute.name != "age") continue;
    Domain::NumericSpec spec = column.attribute.domain->numeric();
    const auto paths = testing::ReadSemicolonFile(CORDON_DATA "/adult/adult_hierarchy_age.csv");
    spec.labels = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
    column.attribute.domain = std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
  }
  return data;
}

TEST(FullDomainAdult, ReachesTheKnownOptima) {
  const Microdata data = AdultWithLabels();
  const View view = View::All(data);
  const auto strict = FullDomain(view, std::vector{testing::K(5)}, {}, {}, {}).value();
  EXPECT_EQ(strict.groups.size(), 24U);
  EXPECT_NEAR(strict.loss, .6355, .00005);
  EXPECT_EQ(strict.nodes, 12960U);

  const auto loose = FullDomain(view, std::vector{testing::K(5)}, {}, {.max_suppressed = data.num_rows / 50}, {}).value();
  EXPECT_EQ(loose.groups.size(), 222U);
  EXPECT_EQ(loose.groups.suppressed.size(), 506U);
  EXPECT_NEAR(loose.loss, .3575, .00005);
}

}  // namespace
}  // namespace cordon::engine
