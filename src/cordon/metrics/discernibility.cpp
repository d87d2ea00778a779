// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/discernibility.h"

#include <algorithm>

#include "cordon/metrics/grouping.h"

namespace cordon::engine {

Discernibility MeasureDiscernibility(const Release& release, const Run& run) {
  const GroupSizes sizes = GroupSizesOf(release, run);
  const std::uint64_t left_out = RowsLeftOut(release);
  Discernibility measured;
  measured.groups = sizes.groups.size();
  measured.dropped = std::min(release.dropped, left_out);
  measured.starred = sizes.star_rows;
  measured.suppressed = sizes.star_rows + left_out - measured.dropped;
  measured.discernibility = (release.num_rows + left_out) * (measured.suppressed + measured.dropped);
  if (sizes.groups.empty()) return measured;
  const auto [least, most] = std::minmax_element(sizes.groups.begin(), sizes.groups.end());
  measured.min_group = *least;
  measured.max_group = *most;
  for (const std::uint64_t rows : sizes.groups) measured.discernibility += rows * rows;
  measured.mean_group = static_cast<double>(release.num_rows - sizes.star_rows) / static_cast<double>(measured.groups);
  return measured;
}

}  // namespace cordon::engine
