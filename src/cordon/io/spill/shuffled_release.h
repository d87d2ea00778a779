// SPDX-License-Identifier: Apache-2.0
//
// A release that is larger than memory, on its way to a file. It takes rows out of verified releases alone, and gives them back
// in random order: each row is thrown into a random bucket on disk, and each bucket is shuffled when it is read. That is
// uniform like a shuffle of everything, so the order says nothing about the parts that the rows came in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"
#include "cordon/io/spill/row_spill.h"

namespace cordon::engine {

class ShuffledRelease {
 public:
  // `num_buckets`: one of them is in memory at a time.
  static Result<ShuffledRelease> Create(const std::string& folder, std::size_t num_columns, std::size_t num_buckets,
                                        const Random& random);

  // REQUIRES: all parts have the same columns over the same dictionaries.
  Result<void> Add(const VerifiedRelease& part, const Run& run);

  std::uint64_t num_rows() const { return rows_.rows(); }
  // What the columns are, and each text that some row shows, once: all that decides how a column is written. Its rows mean
  // nothing. REQUIRES: some part was added.
  Release Legend() const;

  // The rows in random order, some at a time; no row is given twice.
  Result<void> Each(const Run& run, const std::function<Result<void>(const Release&)>& take);

 private:
  ShuffledRelease(RowSpill rows, const Random& random);

  RowSpill rows_;
  Random buckets_;  // which bucket a row goes to
  Random within_;
  std::vector<ReleaseColumn> columns_;   // without rows
  std::vector<std::vector<bool>> used_;  // by column, by code + 1
};

}  // namespace cordon::engine
