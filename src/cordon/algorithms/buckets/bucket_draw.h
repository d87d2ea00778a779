// SPDX-License-Identifier: Apache-2.0
//
// Drawing groups out of buckets, when it is settled how many rows each takes from each bucket: a row is picked at random,
// and every bucket gives the rows nearest to it among those it still has. Which rows these are is a matter of loss alone;
// what a group may hold was settled by the numbers.
//
//   hilbert   nearest by the key on the Hilbert curve: each bucket lies in the order of its keys, and what it gives is a run
//             of what is left of it, around the place of the picked row
//   exact     nearest by Euclidean distance, every column stretched to the same width
//
// The picked row: a bucket uniformly among those that give rows, then a row of it uniformly among those left.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cordon/algorithms/buckets/bucket_halving.h"
#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"

namespace cordon::engine {

enum class Neighbours { kHilbert, kExact };

// Which rows are in which bucket: by the code of one column.
struct Buckets {
  const Codes& codes;
  std::vector<std::uint32_t> of_code;
  std::size_t number = 0;
};

// Group i takes sizes[i][b] rows from bucket b; together they take all rows of the view. `stage` names the work for those
// who watch it. Random numbers are drawn in the order of the groups, whatever the number of threads.
Result<Groups> DrawGroups(const View& view, const Buckets& buckets, const HalvedBuckets& sizes, Neighbours neighbours,
                          Random& random, std::string_view stage, const Run& run);

}  // namespace cordon::engine
