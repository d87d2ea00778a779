// SPDX-License-Identifier: Apache-2.0
//
// The optimal sum-error grouping of (k,e)-anonymity under appended values, kept exactly: after any appends the cost and the
// groups are those of starting over (ke.h). For experiments and tests: a store never groups published rows again.
//
// A value that has two rows already changes nothing. Otherwise it enters the list, and the recurrence is run again from
// its place until it is certain that everything to the right only moves by one place and by one constant cost. The
// source stops when a group looks as before; that is unsound (docs/algorithms/ke.md has counterexamples). Here it stops
// when all the costs that later entries can read have moved by the same amount: with h the latest start for the next entry
// and lo that for the entry before h, these are the costs from lo on, since an optimal group cannot be split in two.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "cordon/algorithms/ke/ke.h"

namespace cordon::engine {

class KeList;

class IncrementalKe {
 public:
  // REQUIRES: k >= 2, e >= 0; values within kKeLargest here and in Append.
  IncrementalKe(const KeAxis& axis, const KeRequirement& requirement);
  explicit IncrementalKe(const KeRequirement& requirement);
  IncrementalKe(IncrementalKe&&) noexcept;
  IncrementalKe& operator=(IncrementalKe&&) noexcept;
  ~IncrementalKe();

  // One more row with this value; gives the number of entries that were computed again.
  std::size_t Append(std::int64_t value);

  // The least sum over groups of (greatest - least); nothing if not even all rows are a group. 0 without rows.
  std::optional<std::int64_t> least_error() const;
  KeAxis axis() const;
  // As CutBySum(axis(), requirement).
  std::optional<KeCut> Cut() const;

 private:
  std::size_t Recompute(std::size_t chunk, std::size_t at);

  KeRequirement requirement_;
  std::unique_ptr<KeList> list_;
};

}  // namespace cordon::engine
