// SPDX-License-Identifier: Apache-2.0
//
// The rows to be published, as the texts that will be written: a claim, until a verifier has judged it.
// Columns are dictionary-encoded, so two cells show the same text exactly if their codes are equal; that is
// what a reader of the file can see, and all that the verifier goes by.
//
// A VerifiedRelease is a claim that was checked. Only the verifier (models) can make one, and only a
// VerifiedRelease can be written (io): no path leads from an algorithm to a file around the verdicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/data/attribute.h"
#include "cordon/data/table.h"

namespace cordon::engine {

struct ReleaseColumn {
  Attribute attribute;
  Column text;
};

struct Release {
  std::size_t num_rows = 0;
  std::vector<ReleaseColumn> columns;

  // The sensitive column whose cells were shuffled inside the groups that the group column names; empty: none was, every
  // cell is its row's own.
  std::string permuted;

  // Kept with the published rows and never written with them:
  Codes persons;                          // person of each row, if known; empty: each row its own
  std::vector<std::uint64_t> input_rows;  // row of the input behind each row, if known
  std::uint64_t suppressed = 0;           // rows left out, or published as stars
  std::optional<std::uint64_t> starred;   // of these, rows published as stars; none: not known, all that look it are taken so
  std::uint64_t dropped = 0;              // rows that missing cells took away before any was suppressed
  std::uint64_t input_size = 0;           // rows of the input, published, suppressed or dropped (0: unknown)

  std::vector<std::size_t> ColumnsOf(Role role) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].attribute.role == role) found.push_back(i);
    }
    return found;
  }
  const ReleaseColumn* Find(std::string_view name) const {
    for (const ReleaseColumn& column : columns) {
      if (column.attribute.name == name) return &column;
    }
    return nullptr;
  }
};

class VerifiedRelease {
 public:
  const Release& release() const { return release_; }

 private:
  friend class Verifier;
  explicit VerifiedRelease(Release release) : release_(std::move(release)) {}
  Release release_;
};

}  // namespace cordon::engine
