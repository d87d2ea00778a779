// SPDX-License-Identifier: Apache-2.0
//
// Where suppressed tuples wait until there are enough of them to leave together under the widest box. At most `cap` wait:
// the oldest is given up first, whatever the data, so that one person's tuples cannot fill the memory.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cordon/algorithms/engine/group_requirements.h"
#include "cordon/base/bytes.h"
#include "cordon/base/hash_map.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

class SuppressionPool {
 public:
  SuppressionPool(const GroupRequirements& needs, std::size_t cap)
      : needs_(&needs), cap_(cap), values_(needs.diversity.size()) {}

  std::size_t size() const { return waiting_.size(); }
  // The values are those of the attributes that GroupRequirements lists.
  void Add(Position position, PersonId person, const std::int32_t* values);
  // All that wait, once they satisfy the needs; nothing before.
  std::vector<Position> TakeIfEnough();
  // What has to be given up to keep the cap; everything at the end.
  std::optional<Position> TakeBeyondCap();
  std::vector<Position> TakeAll();

  void Save(ByteWriter& writer) const;
  void Restore(ByteReader& reader);

 private:
  struct Waiting {
    Position position;
    PersonId person;
    std::vector<std::int32_t> values;
  };

  bool ShouldStop() const;
  void Uncount(const Waiting& tuple);

  const GroupRequirements* needs_;
  std::size_t cap_;
  std::deque<Waiting> waiting_;
  KeyCounts people_;
  std::vector<KeyCounts> values_;
};

}  // namespace cordon::engine
