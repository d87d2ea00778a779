// SPDX-License-Identifier: Apache-2.0
//
// Released columns as the bytes to be written. Each distinct cell is rendered once, with its quotes and whatever
// follows it up to the next cell; a row is then a few copies.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/release.h"
#include "cordon/io/text/cell_type.h"
#include "cordon/io/text/text_format.h"

namespace cordon::engine {

class RenderedColumn {
 public:
  // `source`: the place of the column among those of the release.
  RenderedColumn(Codes codes, std::size_t source) : codes_(std::move(codes)), source_(source) {}

  const Codes& codes() const { return codes_; }
  // Other rows with the same dictionary.
  void Show(const Release& rows) { codes_ = rows.columns[source_].text.codes; }
  std::size_t longest() const { return longest_; }
  // Takes the pieces of kNull and then of code 0, 1, ... in turn.
  void Add(std::string_view piece);
  void Finish() { bytes_.append(kOverlap, '\0'); }

  // Copies the piece of `code` and returns where the next one goes. May touch kOverlap bytes beyond it.
  char* Copy(Code code, char* to) const {
    const std::size_t from = starts_[static_cast<std::size_t>(code) + 1];
    const std::size_t size = starts_[static_cast<std::size_t>(code) + 2] - from;
    std::memcpy(to, bytes_.data() + from, kOverlap);
    if (size > kOverlap) std::memcpy(to + kOverlap, bytes_.data() + from + kOverlap, size - kOverlap);
    return to + size;
  }

  static constexpr std::size_t kOverlap = 16;

 private:
  Codes codes_;  // shared with the release
  std::size_t source_;
  std::string bytes_;
  std::vector<std::size_t> starts_ = {0};
  std::size_t longest_ = 0;
};

struct Rendered {
  std::vector<std::string> names;  // of the columns in the file
  std::string header;              // with its line end; empty if there is none
  std::vector<RenderedColumn> columns;
  std::size_t num_rows = 0;

  // Takes other rows of the same release, whose columns have the same dictionaries.
  void Show(const Release& rows);
  // The bytes of rows begin..end-1, appended.
  void AppendRows(std::size_t begin, std::size_t end, std::string& to) const;
};

// All that can fail about writing a release, other than the writing.
Result<Rendered> RenderCsv(const Release& release, const TextFormat& text, bool bounds);
Result<Rendered> RenderJsonLines(const Release& release, bool bounds, const CellTypes& types);

}  // namespace cordon::engine
