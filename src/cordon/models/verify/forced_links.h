// SPDX-License-Identifier: Apache-2.0
//
// What one-to-one knowledge tells of two releases. Everybody has one row in each, so the true pairing is a perfect matching of
// rows that match; a pair in no perfect matching can be ruled out, and what is left may tell more than the whole join.
//
// Rows that are alike in what joins are one class. A flow from classes of the one release to those of the other, along pairs
// that match, is a pairing; a pair of classes without flow is in some other pairing exactly if both lie in one strongly
// connected part of the residual graph.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/linked.h"

namespace cordon::engine {

struct ForcedLinks {
  enum class Answer {
    kNotNeeded,      // every pair that matches is in some pairing, by the shape of the cells alone
    kDone,           // checked
    kNotApplicable,  // there is no pairing of all rows
  };
  Answer answer = Answer::kNotNeeded;
  std::uint64_t rows_a = 0;
  std::uint64_t rows_b = 0;
  std::uint64_t unmatched_a = 0;  // rows that match no row of the other release
  std::uint64_t unmatched_b = 0;
  std::uint64_t paired = 0;          // rows in the largest pairing, if it was looked for
  std::uint64_t excluded_pairs = 0;  // pairs of rows that match and are in no pairing of all rows

  // kDone: by row, its class; and the pairs of classes that are ruled out.
  std::vector<std::uint32_t> class_a;
  std::vector<std::uint32_t> class_b;
  std::unordered_set<std::uint64_t> excluded;  // class of a << 32 | class of b

  bool Excludes(std::size_t row_a, std::size_t row_b) const {
    return !excluded.empty() && excluded.contains((static_cast<std::uint64_t>(class_a[row_a]) << 32) | class_b[row_b]);
  }
};

// Of releases a and b. An error if more pairs of classes match than can be held.
Result<ForcedLinks> FindForcedLinks(const LinkedTables& linked, std::size_t a, std::size_t b, const Run& run);

}  // namespace cordon::engine
