// SPDX-License-Identifier: Apache-2.0
//
// The rows that one search, or one block of it, works on: numbered 0..size-1, quasi codes row by row, and the class of
// the sensitive value that steers the search. Up to kMaxClasses values are their own classes; of more, neighbours on the
// axis share one, so that tables by class stay small. Classes steer; whether a group is admitted, the model says.
#pragma once

#include <span>
#include <vector>

#include "cordon/data/view.h"

namespace cordon::engine {

class ValueClasses {
 public:
  static constexpr std::size_t kMaxClasses = 128;

  // `histogram`: how often each code of the domain occurs. Classes are runs of codes of about equal frequency.
  explicit ValueClasses(std::span<const std::int64_t> histogram);

  std::size_t size() const { return rows_.size(); }
  // Whether a class is a single value.
  bool exact() const { return exact_; }
  std::uint8_t of(Code value) const { return class_of_[value]; }
  std::int64_t rows(std::size_t value_class) const { return rows_[value_class]; }
  std::int64_t total() const { return total_; }
  double share(std::size_t value_class) const { return static_cast<double>(rows_[value_class]) / static_cast<double>(total_); }

 private:
  bool exact_ = true;
  std::vector<std::uint8_t> class_of_;  // by code
  std::vector<std::int64_t> rows_;      // by class
  std::int64_t total_ = 0;
};

struct SearchRows {
  std::size_t width = 0;
  std::vector<RowId> ids;                   // the row of the microdata
  std::vector<Code> codes;                  // size x width
  std::vector<Code> values;                 // the sensitive value that steers
  std::vector<std::uint8_t> value_classes;  // its class

  // `sensitive`: the column of the data whose values steer.
  static SearchRows Of(const Microdata& data, std::size_t sensitive, const ValueClasses& classes, std::span<const RowId> rows);

  std::size_t size() const { return ids.size(); }
  const Code* row(std::size_t i) const { return codes.data() + i * width; }
};

}  // namespace cordon::engine
