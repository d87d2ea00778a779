// SPDX-License-Identifier: Apache-2.0
//
// How often each value of one sensitive column occurs in a group. If the column has few values, every one of them has a
// count; if it has very many, a group has few of them, and only those are listed. So what a group costs depends on its
// own rows, not on how many values others have. A view: it shows what a GroupCounts holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "cordon/data/codes.h"

namespace cordon::engine {

struct ValueCount {
  Code value = 0;
  std::uint32_t count = 0;
  friend bool operator==(const ValueCount&, const ValueCount&) = default;
};

class ValueHistogram {
 public:
  explicit ValueHistogram(std::span<const std::int64_t> counts) : counts_(counts) {}
  explicit ValueHistogram(std::span<const ValueCount> listed) : listed_(listed), sparse_(true) {}

  // Whether only the values that occur are there.
  bool sparse() const { return sparse_; }
  // By value; none if it is sparse.
  std::span<const std::int64_t> counts() const { return counts_; }
  // Those that occur, ascending; none if it is not.
  std::span<const ValueCount> listed() const { return listed_; }

  std::int64_t operator[](Code value) const {
    if (!sparse_) return counts_[static_cast<std::size_t>(value)];
    const auto found = std::lower_bound(listed_.begin(), listed_.end(), value,
                                        [](const ValueCount& each, Code wanted) { return each.value < wanted; });
    return found != listed_.end() && found->value == value ? found->count : 0;
  }

  // f(value, count) for the values that occur, ascending.
  template <typename Function>
  void ForEach(const Function& f) const {
    for (const ValueCount& each : listed_) f(each.value, static_cast<std::int64_t>(each.count));
    for (std::size_t value = 0; value < counts_.size(); ++value) {
      if (counts_[value] > 0) f(static_cast<Code>(value), counts_[value]);
    }
  }

 private:
  std::span<const std::int64_t> counts_;
  std::span<const ValueCount> listed_;
  bool sparse_ = false;
};

}  // namespace cordon::engine
