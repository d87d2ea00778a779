// SPDX-License-Identifier: Apache-2.0
//
// What SABRE_W asks of counts of sensitive values, before any group is made: may these tuples be divided into groups that
// look like the window? All deciding is exact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cordon/data/stream.h"
#include "cordon/models/admit/beta_likeness.h"
#include "cordon/models/admit/emd.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

// How often each value occurs, by counted column and code.
struct ValueCounts {
  std::vector<std::vector<std::int64_t>> counts;
  std::int64_t rows = 0;
  friend bool operator==(const ValueCounts&, const ValueCounts&) = default;
};

class WindowModels {
 public:
  // Models that SABRE_W cannot promise are refused.
  static Result<WindowModels> Make(const StreamSchema& schema, std::span<const ModelSpec> specs);

  std::int64_t window() const { return window_; }
  std::int64_t k() const { return k_; }
  // As of a table whose rows are the window's.
  std::span<const ModelSpec> specs() const { return specs_; }
  // The columns that models look at: places in the schema, and their domains.
  std::span<const std::size_t> columns() const { return columns_; }
  std::span<const Attribute> attributes() const { return attributes_; }
  // The code of a column's value in its domain here: a missing one is a separate value.
  Code CodeOf(std::size_t column, std::int32_t value) const {
    return value >= 0 ? value : attributes_[column].domain->missing().value_or(0);
  }

  // Those among them that window models look at.
  std::vector<std::size_t> window_columns() const;
  // Whether one of these has a single value.
  bool IsHomogeneous(const ValueCounts& window) const;

  ValueCounts NoCounts() const;
  Reference ReferenceOf(const ValueCounts& window) const;

  // Whether every model but k holds of the tuples as one group, closeness with room to spare: distance < t.
  bool Fit(const ValueCounts& tuples, const ValueCounts& window) const;
  // Whether the tuples are so far from the window that groups of an earlier one are to be preferred: a distance of rho * t or
  // more, or that share of what likeness allows. Preference only.
  bool Strays(const ValueCounts& tuples, const ValueCounts& window, const Rational& rho) const;
  // Where Fit says no: the value (counted column and code) of which one tuple should go first. Nothing: no tuple's going
  // helps.
  struct Value {
    std::size_t column;
    Code code;
  };
  std::optional<Value> WorstValue(const ValueCounts& tuples, const ValueCounts& window) const;

 private:
  struct Closeness {
    TClosenessSpec spec;
    std::size_t column;
    EarthMover distance;
  };
  struct Likeness {
    BetaLikenessSpec spec;
    std::size_t column;
  };
  struct Diversity {
    std::int64_t l;
    std::size_t column;
  };

  WindowModels() = default;
  Result<void> Add(const StreamSchema& schema, const ModelSpec& spec);
  Result<std::size_t> CountColumn(const StreamSchema& schema, const ModelSpec& spec);
  // cost / (scale * rows * window rows)
  static Int128 Cost(const Closeness& closeness, const ValueCounts& tuples, const ValueCounts& window);
  bool IsClose(const Closeness& closeness, const ValueCounts& tuples, const ValueCounts& window) const;
  Code Farthest(const Closeness& closeness, const ValueCounts& tuples, const ValueCounts& window) const;

  std::int64_t window_ = 0;
  std::int64_t k_ = 0;
  std::vector<ModelSpec> specs_;
  std::vector<std::size_t> columns_;
  std::vector<Attribute> attributes_;
  std::vector<Closeness> closeness_;
  std::vector<Likeness> likeness_;
  std::vector<Diversity> diversity_;
};

}  // namespace cordon::engine
