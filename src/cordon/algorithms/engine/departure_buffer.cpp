// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/engine/departure_buffer.h"

#include <algorithm>
#include <map>
#include <span>

namespace cordon::engine {

using Kind = Departure::Kind;

// Departures of one group become one, at the place of the first; so do the suppressed tuples.
void DepartureBuffer::Coalesce() {
  std::map<std::int64_t, std::size_t> place_of_group;
  std::vector<Departure> whole;
  for (Departure& departure : waiting_) {
    const bool joins = departure.kind == Kind::kGroup || departure.kind == Kind::kReuse;
    if (departure.kind == Kind::kPooled) {
      whole.push_back(std::move(departure));
      continue;
    }
    const auto [known, is_new] = place_of_group.emplace(joins ? departure.group : -1, whole.size());
    if (is_new) {
      whole.push_back(std::move(departure));
    } else {
      Departure& first = whole[known->second];
      first.positions.insert(first.positions.end(), departure.positions.begin(), departure.positions.end());
    }
  }
  waiting_ = std::move(whole);
}

void DepartureBuffer::Release(std::vector<Departure>& out) {
  if (waiting_.empty()) return;
  if (waiting_.size() > 1) {
    Coalesce();
    random_.Shuffle(std::span(waiting_));
  }
  for (Departure& departure : waiting_) {
    if (auto& positions = departure.positions; !std::is_sorted(positions.begin(), positions.end())) {
      std::sort(positions.begin(), positions.end());  // so that only the random stream decides
    }
    random_.Shuffle(std::span(departure.positions));
    out.push_back(std::move(departure));
  }
  waiting_.clear();
}

std::size_t DepartureBuffer::num_tuples() const {
  std::size_t tuples = 0;
  for (const Departure& departure : waiting_) tuples += departure.positions.size();
  return tuples;
}

void DepartureBuffer::Save(ByteWriter& writer) const {
  writer.Text(random_.Save());
  writer.Count(waiting_.size());
  for (const Departure& departure : waiting_) {
    writer.Count(static_cast<std::uint64_t>(departure.kind));
    writer.Whole(departure.group);
    writer.Flag(departure.reusable);
    for (const AxisRange& range : departure.box) {
      writer.Whole(range.lo);
      writer.Whole(range.hi);
    }
    writer.Count(departure.positions.size());
    for (const Position position : departure.positions) writer.Whole(position);
  }
}

void DepartureBuffer::Restore(ByteReader& reader, std::size_t num_axes) {
  Result<Random> random = Random::Restore(reader.Text());
  if (!random.ok()) return reader.Fail();
  random_ = std::move(random).value();
  waiting_.clear();
  for (std::size_t left = reader.Length(); left > 0 && reader.ok(); --left) {
    Departure departure;
    const std::uint64_t kind = reader.Count();
    if (kind > static_cast<std::uint64_t>(Kind::kPooled)) return reader.Fail();
    departure.kind = static_cast<Kind>(kind);
    departure.group = reader.Whole();
    departure.reusable = reader.Flag();
    if (departure.kind != Kind::kSuppressed) departure.box.resize(num_axes);
    for (AxisRange& range : departure.box) range = {reader.Whole(), reader.Whole()};
    departure.positions.resize(reader.Length());
    for (Position& position : departure.positions) position = reader.Whole();
    waiting_.push_back(std::move(departure));
  }
}

}  // namespace cordon::engine
