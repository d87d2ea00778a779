// SPDX-License-Identifier: Apache-2.0
//
// What an attacker finds in a release about each target: how many rows fit what he knows, and which sensitive values they
// show. People of whom he knows the same share one entry.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cordon/attack/seen.h"

namespace cordon::engine {

struct ValueRows {
  Code value = 0;
  std::uint32_t rows = 0;
};

// Lists of values, one after the other, values ascending in each.
struct ValueLists {
  std::vector<ValueRows> items;
  std::vector<std::size_t> starts = {0};

  std::size_t size() const { return starts.size() - 1; }
  std::span<const ValueRows> operator[](std::size_t list) const {
    return std::span(items).subspan(starts[list], starts[list + 1] - starts[list]);
  }
  void Close() { starts.push_back(items.size()); }
};

// A sensitive column of both tables, by codes of the original's domain.
struct TargetColumn {
  std::string name;
  std::size_t index = 0;                 // in the original
  const Codes* truth = nullptr;          // by row of the original
  std::vector<std::uint64_t> frequency;  // in the original, by value
  Codes shown;                           // by released row
};

// The sensitive columns of a release. An error names the first cell that is not a value of the original.
Result<std::vector<TargetColumn>> SecretsOf(const Microdata& original, const Release& release, const Run& run);

// How often each value stands in each class. `class_of_row` by released row.
ValueLists ValuesByClass(std::span<const std::uint32_t> class_of_row, std::size_t num_classes, const Codes& shown);

struct CandidateRows {
  std::vector<std::uint32_t> point_of;         // by target: its place in the lists below
  std::vector<RowId> example;                  // by point: a row of the original that has it
  std::vector<std::uint64_t> rows;             // by point: released rows that fit
  std::vector<ValueLists> values;              // by secret, then point: what these rows show
  std::vector<std::uint64_t> people_of_class;  // targets whom each class covers
};

// `targets`: rows of the original.
Result<CandidateRows> FindCandidates(const Seen& seen, const ClassIndex& cover, const std::vector<TargetColumn>& secrets,
                                     std::span<const RowId> targets, const Run& run);

// The value with the most rows; ties go to the one that is more frequent in the original, then to the first.
// REQUIRES: values is not empty.
ValueRows MostFrequent(std::span<const ValueRows> values, std::span<const std::uint64_t> frequency);
std::uint64_t RowsOf(std::span<const ValueRows> values);
// All values of the original, as a list.
std::vector<ValueRows> ListOf(std::span<const std::uint64_t> frequency);

}  // namespace cordon::engine
