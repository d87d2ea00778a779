// SPDX-License-Identifier: Apache-2.0
//
// The rows of a stream as bytes. All cells that are published as they are get rendered when a tuple arrives, with the
// delimiters around them: its payload, one piece between any two quasi cells. When it leaves, a row is those pieces and the
// texts of its box in turn. Pieces that hold no cell are the same in all rows: they are rendered once a departure, with the
// box (RowFrame).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/upper_end.h"
#include "cordon/io/text/cell_text.h"
#include "cordon/io/text/text_format.h"
#include "cordon/stream/layout.h"

namespace cordon::engine {

struct RowOptions {
  FileFormat format = FileFormat::kCsv;
  TextFormat text;
  bool sequence = false;      // a first column that counts the rows, from 1
  bool group_column = false;  // a last column with an opaque name for each group
  bool bounds = false;        // numbers and dates as two columns, name_lo and name_hi
};

// What all rows of a departure share: the text before each piece that holds cells, and what ends a row.
struct RowFrame {
  std::vector<std::string> before;
  std::string end;
};

class RowFormat {
 public:
  // `layout` outlives this. An error if a column would be there twice, or a label needs quotes that there are none of.
  static Result<RowFormat> Make(const StreamLayout& layout, const RowOptions& options);

  const std::string& header() const { return header_; }  // with its line end; empty if there is none
  std::vector<std::string> columns() const;
  bool shows_group() const { return options_.group_column; }
  UpperEnds upper_ends() const;  // of the columns that are two

  // Appends the payload of a tuple. What is wrong with a cell, or null; then nothing is appended. `bare`, by column: the cell
  // is a JSON number, true or false, and stays one in JSON; empty: none is.
  const char* AppendPayload(std::span<const std::string_view> cells, std::span<const std::uint8_t> bare, std::string& to,
                            std::string& scratch) const;
  const std::string& blank_payload() const { return blank_; }  // every cell absent

  // Empty ranges: all "*". `group`: the name of the group, if the rows have one; it shows only in a column for it.
  RowFrame Frame(std::span<const AxisRange> box, std::optional<std::string_view> group) const;

  // A row without what comes before it.
  void AppendBody(const RowFrame& frame, std::string_view payload, std::string& to) const;
  // What comes before the body: the sequence number, if it is asked for.
  void AppendStart(std::uint64_t sequence, std::string& to) const;

 private:
  RowFormat(const StreamLayout& layout, const RowOptions& options);
  Result<void> CheckTexts(const DeclaredAxis& axis) const;
  bool AppendCell(std::string_view cell, std::string& to) const;  // data() == nullptr: absent
  std::string Name(const std::string& name) const;
  std::string RenderSide(std::span<const AxisRange> box, std::size_t axis) const;
  // An end of a number or date: bare in JSON.
  bool AppendEnd(std::string_view text, const DeclaredAxis& axis, std::string& to) const;
  bool IsTwo(const InputColumn& column) const {
    return options_.bounds && column.axis >= 0 && layout_->axes[static_cast<std::size_t>(column.axis)].is_number();
  }

  const StreamLayout* layout_;
  RowOptions options_;
  CsvCell csv_;
  std::string header_;
  std::string blank_;
  // Before each published column: delimiter or `,"name":`.
  std::vector<std::string> before_;
  std::vector<std::string> before_hi_;  // by axis; empty: one column
  std::string before_group_;
  // By piece: its text if it is the same in all rows; nothing if it holds cells.
  std::vector<std::optional<std::string>> fixed_;
};

}  // namespace cordon::engine
