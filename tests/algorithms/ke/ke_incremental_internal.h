// SPDX-License-Identifier: Apache-2.0
//
// The list under IncrementalKe: the ascending values, each once or, if it has several rows, twice, with the entries of
// the recurrence next to them, in chunks.
//
// What an insertion shifts is kept relative, so that it need not be touched. A start is stored as its distance from the
// end of the group, so moving both by one place changes nothing. A cost is stored less an amount of its chunk, so adding a
// constant to all costs to the right is one addition per chunk.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cordon/algorithms/ke/ke.h"

namespace cordon::engine {

class KeList {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;  // no such start: the cost is infinite
  static constexpr std::size_t kFull = 2048;          // a chunk is cut in two when it has this many

  struct Chunk {
    std::vector<std::int64_t> values;
    std::vector<std::int64_t> costs;   // less shifts[chunk]
    std::vector<std::uint32_t> back;   // place minus start of the last group
    std::vector<std::uint32_t> reach;  // place minus latest start
    std::vector<std::int64_t> rows;    // of the value; 0 at its second copy
    std::size_t size() const { return values.size(); }
  };

  // A place in the list. Ends of the list are the places before the first and after the last entry.
  struct Place {
    std::size_t chunk = 0;
    std::size_t at = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  // The positioning index: where the first copy of `value` is or would be.
  Place Find(std::int64_t value) const;
  bool AtEnd(const Place& place) const { return place.chunk >= chunks_.size(); }
  Place End() const { return {chunks_.size(), 0}; }
  void Next(Place& place) const {
    if (++place.at == chunks_[place.chunk]->size()) place = {place.chunk + 1, 0};
  }
  // False at the first entry.
  bool Previous(Place& place) const {
    if (place.at == 0 && place.chunk == 0) return false;
    if (place.at == 0) {
      --place.chunk;
      place.at = chunks_[place.chunk]->size();
    }
    --place.at;
    return true;
  }
  // REQUIRES: there are this many entries before.
  Place Back(Place place, std::size_t distance) const;

  std::int64_t value(const Place& p) const { return chunks_[p.chunk]->values[p.at]; }
  std::int64_t cost(const Place& p) const { return chunks_[p.chunk]->costs[p.at] + shifts_[p.chunk]; }
  std::uint32_t back(const Place& p) const { return chunks_[p.chunk]->back[p.at]; }
  std::uint32_t reach(const Place& p) const { return chunks_[p.chunk]->reach[p.at]; }
  std::int64_t& rows(const Place& p) { return chunks_[p.chunk]->rows[p.at]; }
  std::int64_t rows(const Place& p) const { return chunks_[p.chunk]->rows[p.at]; }
  bool is_first_copy(const Place& p) const { return rows(p) > 0; }

  void Set(const Place& p, std::int64_t cost, std::uint32_t back, std::uint32_t reach) {
    Chunk& chunk = *chunks_[p.chunk];
    chunk.costs[p.at] = cost - shifts_[p.chunk];
    chunk.back[p.at] = back;
    chunk.reach[p.at] = reach;
  }

  // A new entry before `place`; gives its place. Other places are no longer valid.
  Place Insert(Place place, std::int64_t value, std::int64_t rows);
  // Adds to the costs of all entries after `place`.
  void ShiftAfter(const Place& place, std::int64_t amount);

  std::size_t size() const { return size_; }
  // Built from the left.
  void Append(std::int64_t value, std::int64_t rows, std::int64_t cost, std::uint32_t back, std::uint32_t reach);

 private:
  void SplitFull(std::size_t chunk);

  std::vector<std::unique_ptr<Chunk>> chunks_;  // none of them empty
  std::vector<std::int64_t> firsts_;            // first value of each
  std::vector<std::int64_t> shifts_;
  std::size_t size_ = 0;
};

}  // namespace cordon::engine
