// SPDX-License-Identifier: Apache-2.0
//
// The cost of EarthMover (emd.h) of groups that are all compared with one whole, from the values that a group has. What the
// whole has between them is summed up once, so a group of r values costs O(r) (ordered, equal) or O(r x depth) (hierarchical),
// however many values there are.
#pragma once

#include <vector>

#include "cordon/models/admit/emd.h"
#include "cordon/models/admit/value_histogram.h"

namespace cordon::engine {

class EmdToReference {
 public:
  // REQUIRES: whole_rows is the sum of whole, above 0.
  EmdToReference(EarthMover mover, std::vector<std::int64_t> whole, std::int64_t whole_rows);

  std::int64_t scale() const { return mover_.scale(); }
  std::int64_t whole_rows() const { return whole_rows_; }
  // EarthMover's cost, exactly. REQUIRES: group_rows is the sum of the group's counts, above 0.
  Int128 Cost(const ValueHistogram& group, std::int64_t group_rows) const;

 private:
  using Listed = std::span<const ValueCount>;

  std::size_t FirstAbove(std::int64_t rows) const;
  template <typename Wide>
  Wide Ordered(Listed group, std::int64_t group_rows) const;
  template <typename Wide>
  Wide Equal(Listed group, std::int64_t group_rows) const;
  Int128 Hierarchical(Listed group, std::int64_t group_rows) const;

  EarthMover mover_;
  std::vector<std::int64_t> whole_;
  std::int64_t whole_rows_;
  std::vector<std::int64_t> up_to_;  // by value: rows of the whole with no greater value
  std::vector<std::int64_t> area_;   // the sum of up_to_ of all smaller values: below 2^31 * 2^32
  // Where up_to_ first exceeds i << shift_, about two for each value: from there it is not far to any number of rows.
  std::vector<std::uint32_t> first_above_;
  int shift_ = 0;
};

}  // namespace cordon::engine
