// SPDX-License-Identifier: Apache-2.0
//
// A release as an attacker sees it who knows some columns of people. Released rows that show the same in these columns form a
// class; a class covers a person if every cell may stand for the person's value. What is known of a person is a point: one
// place per known column.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"

namespace cordon::engine {

// A column of the original on an axis of places 0 to size - 1: codes of a domain, or texts that are published as they are.
struct KnownColumn {
  std::string name;
  std::size_t index = 0;            // in the original
  const Codes* original = nullptr;  // outlives it
  Code shift = 0;                   // place = code + shift: absent texts come first
  Code size = 0;

  Code place(RowId row) const { return (*original)[row] + shift; }
};

struct Seen {
  std::vector<KnownColumn> columns;
  std::vector<std::uint32_t> class_of_row;  // by released row
  std::vector<RowId> first_row;             // by class
  std::vector<std::uint64_t> sizes;         // rows, by class
  std::vector<CodeRange> ranges;            // class after class, a range per column
  std::uint64_t rows = 0;                   // released

  std::size_t num_classes() const { return sizes.size(); }
  std::span<const CodeRange> box(std::size_t number) const {
    return std::span(ranges).subspan(number * columns.size(), columns.size());
  }
  void PointOf(RowId row, std::vector<Code>& point) const;
};

// REQUIRES: the columns are in both tables, with the role quasi, insensitive or class. `original` outlives what is returned.
Result<Seen> SeeRelease(const Microdata& original, const Release& release, std::span<const std::string> known, const Run& run);

// Class after class, per column: the share of the original's rows that the cell covers.
std::vector<double> CellShares(const Seen& seen, std::size_t num_rows);

// Which classes cover a point. A bitmap of classes per column and place (of large domains: per run of places, and then each
// class is asked); the bitmaps of a point's places are intersected. Immutable; safe to share between threads.
class ClassIndex {
 public:
  explicit ClassIndex(const Seen& seen);  // outlives it

  static constexpr std::size_t kNone = ~std::size_t{0};
  // The classes in ascending order. `skip`: a column that is not known.
  void Find(std::span<const Code> point, std::vector<std::uint32_t>& classes, std::size_t skip = kNone) const;

 private:
  struct Axis {
    std::size_t blocks = 0;
    Code size = 0;
    std::vector<std::uint64_t> bits;  // block after block, words_ each
    bool exact = false;               // a block is one place
  };
  std::size_t Block(const Axis& axis, Code place) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(place) * axis.blocks / static_cast<std::uint64_t>(axis.size));
  }

  const Seen& seen_;
  std::size_t words_ = 0;
  std::vector<Axis> axes_;
};

}  // namespace cordon::engine
