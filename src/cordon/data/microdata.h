// SPDX-License-Identifier: Apache-2.0
//
// A table with roles and domains and without direct identifiers: an algorithm cannot leak what it never saw.
// Immutable after Bind; columns are shared, so a copy is cheap.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cordon/data/attribute.h"
#include "cordon/data/codes.h"
#include "cordon/data/table.h"

namespace cordon::engine {

struct MicrodataColumn {
  Attribute attribute;
  Codes codes;  // quasi, sensitive: places on attribute.domain
  Column text;  // sensitive, class, insensitive: the cells to publish as they are
};

struct Microdata {
  std::size_t num_rows = 0;
  std::vector<MicrodataColumn> columns;   // the published columns, in the order of the input
  Codes persons;                          // dense person numbers; empty if every row is a separate person
  std::size_t num_persons = 0;            // distinct people; num_rows if there is no person column
  std::uint64_t rows_of_nobody = 0;       // rows whose person is missing: one person together
  std::vector<std::uint64_t> input_rows;  // row -> row of the input, from 0; empty: the same
  std::uint64_t dropped_rows = 0;         // rows that on_missing = "drop" left out
  // How many rows of the input each row stands for; null: one each. Together below 2^32. Only algorithms that count weights
  // (AlgorithmEntry::counts_weights) are given such data.
  std::shared_ptr<const std::vector<std::uint32_t>> weights = nullptr;

  std::vector<std::size_t> ColumnsOf(Role role) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].attribute.role == role) found.push_back(i);
    }
    return found;
  }
  std::optional<std::size_t> Find(std::string_view name) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].attribute.name == name) return i;
    }
    return std::nullopt;
  }
  std::uint32_t weight(RowId row) const { return weights == nullptr ? 1 : (*weights)[row]; }
  std::uint64_t input_row(RowId row) const { return input_rows.empty() ? row : input_rows[row]; }
};

}  // namespace cordon::engine
