// SPDX-License-Identifier: Apache-2.0
//
// What a release published, kept to publish a later batch of rows in the same way: its distinct boxes, as the texts
// their rows show in the quasi columns. Holds nothing that the release does not show, but for the labels above a
// published one in its hierarchy, by which a changed hierarchy is noticed.
//
// Rows recoded so are a release like any other: a verifier judges it by its own rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/recode.h"
#include "cordon/data/release.h"
#include "cordon/data/view.h"

namespace cordon::engine {

class Recoding {
 public:
  struct Column {
    std::string name;
    Domain::Kind kind = Domain::Kind::kCategorical;
    std::vector<std::string> cells;               // distinct published texts, in byte order
    std::vector<std::vector<std::string>> above;  // categorical: of each cell, the labels from its parent to the root
  };

  // The same for any order of the rows. Rows that are "*" throughout are not a box if rows were published as stars.
  static Recoding FromRelease(const Release& release);
  // Refuses what ToJson did not write.
  static Result<Recoding> FromJson(std::string_view text);
  std::string ToJson() const;

  std::span<const Column> columns() const { return columns_; }
  std::size_t num_boxes() const { return columns_.empty() ? 0 : boxes_.size() / columns_.size(); }
  // Place of the box's text in columns()[column].cells.
  std::uint32_t cell(std::size_t box, std::size_t column) const { return boxes_[box * columns_.size() + column]; }

 private:
  std::vector<Column> columns_;
  std::vector<std::uint32_t> boxes_;  // one cell per column, box after box, ascending
};

// The boxes that cover each row of a view, those of least loss first.
struct CoveringBoxes {
  std::vector<std::size_t> starts;  // of the row's boxes, and an end
  std::vector<std::uint32_t> boxes;

  std::span<const std::uint32_t> operator[](std::size_t row) const {
    return std::span(boxes).subspan(starts[row], starts[row + 1] - starts[row]);
  }
};
// At most `most` of each row. An error if the recoding is not of these quasi columns.
Result<CoveringBoxes> Cover(const Recoding& recoding, const View& view, std::size_t most, const Run& run);

// What each box covers on each quasi column of the view, box after box; lo > hi: no value here.
Result<std::vector<CodeRange>> BoxRanges(const Recoding& recoding, const View& view);

struct AppliedRecoding {
  Groups groups;     // one for each box that covers a row, in the order of the boxes
  GroupCells texts;  // the boxes' texts, as they were saved
};

// Every row joins the box of least loss among those that cover it, the first of equals; rows that no box covers are
// suppressed. An error if the recoding is not of these quasi columns.
inline constexpr std::uint32_t kNoBox = ~std::uint32_t{0};
// The same with the box of each row of the view given; kNoBox: it is suppressed.
AppliedRecoding ApplyBoxes(const Recoding& recoding, const View& view, std::span<const std::uint32_t> box_of);
Result<AppliedRecoding> Apply(const Recoding& recoding, const View& view, const Run& run);

}  // namespace cordon::engine
