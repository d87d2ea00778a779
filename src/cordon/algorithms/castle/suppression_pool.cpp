// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/castle/suppression_pool.h"

#include "cordon/data/codes.h"

namespace cordon::engine {

void SuppressionPool::Add(Position position, PersonId person, const std::int32_t* values) {
  waiting_.push_back({position, person, {values, values + values_.size()}});
  people_.Increment(person);
  for (std::size_t need = 0; need < values_.size(); ++need) {
    if (values[need] != kNull) values_[need].Increment(static_cast<std::uint64_t>(values[need]));
  }
}

void SuppressionPool::Uncount(const Waiting& tuple) {
  people_.Decrement(tuple.person);
  for (std::size_t need = 0; need < values_.size(); ++need) {
    if (tuple.values[need] != kNull) values_[need].Decrement(static_cast<std::uint64_t>(tuple.values[need]));
  }
}

bool SuppressionPool::ShouldStop() const {
  if (static_cast<std::int64_t>(people_.size()) < needs_->k) return false;
  for (std::size_t need = 0; need < values_.size(); ++need) {
    if (static_cast<std::int64_t>(values_[need].size()) < needs_->diversity[need].l) return false;
  }
  return true;
}

std::vector<Position> SuppressionPool::TakeIfEnough() { return ShouldStop() ? TakeAll() : std::vector<Position>(); }

std::optional<Position> SuppressionPool::TakeBeyondCap() {
  if (waiting_.size() <= cap_) return std::nullopt;
  const Position oldest = waiting_.front().position;
  Uncount(waiting_.front());
  waiting_.pop_front();
  return oldest;
}

std::vector<Position> SuppressionPool::TakeAll() {
  std::vector<Position> positions;
  for (const Waiting& tuple : waiting_) positions.push_back(tuple.position);
  waiting_.clear();
  people_ = {};
  for (KeyCounts& counts : values_) counts = {};
  return positions;
}

void SuppressionPool::Save(ByteWriter& writer) const {
  writer.Count(waiting_.size());
  for (const Waiting& tuple : waiting_) {
    writer.Whole(tuple.position);
    writer.Word(tuple.person);
    for (const std::int32_t value : tuple.values) writer.Whole(value);
  }
}

void SuppressionPool::Restore(ByteReader& reader) {
  TakeAll();
  std::vector<std::int32_t> values(values_.size());
  for (std::size_t left = reader.Length(); left > 0 && reader.ok(); --left) {
    const Position position = reader.Whole(1, INT64_MAX);
    const PersonId person = reader.Word();
    for (std::int32_t& value : values) value = static_cast<std::int32_t>(reader.Whole(kNull, INT32_MAX));
    if (reader.ok()) Add(position, person, values.data());
  }
}

}  // namespace cordon::engine
