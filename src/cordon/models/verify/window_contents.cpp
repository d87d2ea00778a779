// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/window_contents.h"

#include <algorithm>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kFirstCapacity = 64;

}  // namespace

WindowContents::WindowContents(std::size_t num_quasi, std::size_t num_sensitive)
    : num_quasi_(num_quasi),
      num_sensitive_(num_sensitive),
      stride_(kQuasi + num_quasi + num_sensitive),
      mask_(kFirstCapacity - 1),
      cells_(kFirstCapacity * stride_) {}

void WindowContents::Grow() {
  const std::size_t old_mask = mask_;
  const std::vector<Cell> old = std::move(cells_);
  mask_ = 2 * old_mask + 1;
  cells_.assign((mask_ + 1) * stride_, 0);
  for (Position position = first_; position <= last_; ++position) {
    const Cell* from = old.data() + (static_cast<std::size_t>(position) & old_mask) * stride_;
    std::copy_n(from, stride_, cells_.data() + Slot(position));
  }
}

void WindowContents::Add(const Tuple& tuple) {
  CORDON_CHECK_EQ(tuple.position, last_ + 1);
  if (static_cast<std::size_t>(tuple.position - first_) > mask_) Grow();
  last_ = tuple.position;
  Cell* row = cells_.data() + Slot(last_);
  row[kHeld] = 1;
  row[kTime] = tuple.time;
  row[kPerson] = static_cast<Cell>(tuple.person);
  std::copy(tuple.quasi.begin(), tuple.quasi.end(), row + kQuasi);
  std::copy(tuple.sensitive.begin(), tuple.sensitive.end(), row + kQuasi + num_quasi_);
  ++in_ring_;
}

bool WindowContents::Holds(Position position) const {
  if (position >= first_ && position <= last_) return cells_[Slot(position) + kHeld] != 0;
  return aside_.contains(position);
}

WindowContents::Row WindowContents::RowAt(Position position, const Cell* cells, bool aside) const {
  return {position,
          cells[kTime],
          static_cast<PersonId>(cells[kPerson]),
          {cells + kQuasi, num_quasi_},
          {cells + kQuasi + num_quasi_, num_sensitive_},
          aside};
}

WindowContents::Row WindowContents::Get(Position position) const {
  CORDON_CHECK(Holds(position));
  if (position >= first_) return RowAt(position, cells_.data() + Slot(position), false);
  return RowAt(position, aside_.find(position)->second.data(), true);
}

void WindowContents::Leave(Position position) {
  cells_[Slot(position) + kHeld] = 0;
  --in_ring_;
  while (first_ <= last_ && cells_[Slot(first_) + kHeld] == 0) ++first_;
}

void WindowContents::Remove(Position position) {
  CORDON_CHECK(Holds(position));
  if (position >= first_) {
    Leave(position);
  } else {
    aside_.erase(position);
  }
}

void WindowContents::SetAside(Position position) {
  CORDON_CHECK(Holds(position));
  if (position < first_) return;
  const Cell* row = cells_.data() + Slot(position);
  aside_.emplace(position, std::vector<Cell>(row, row + stride_));
  Leave(position);
}

void WindowContents::Save(ByteWriter& writer) const {
  const auto save = [&](const Cell* row) {
    writer.Word(static_cast<std::uint64_t>(row[kPerson]));
    writer.Whole(row[kTime]);
    for (std::size_t i = kQuasi; i < stride_; ++i) writer.Whole(row[i]);
  };
  writer.Whole(last_);
  writer.Count(static_cast<std::uint64_t>(last_ - first_ + 1));
  for (Position position = first_; position <= last_; ++position) {
    const Cell* row = cells_.data() + Slot(position);
    writer.Flag(row[kHeld] != 0);
    if (row[kHeld] != 0) save(row);
  }
  writer.Count(aside_.size());
  for (const auto& [position, row] : aside_) {
    writer.Whole(position);
    save(row.data());
  }
}

void WindowContents::Restore(ByteReader& reader) {
  std::vector<Cell> row(stride_);
  const auto load = [&] {
    row[kHeld] = 1;
    row[kPerson] = static_cast<Cell>(reader.Word());
    row[kTime] = reader.Whole();
    for (std::size_t i = kQuasi; i < stride_; ++i) row[i] = reader.Whole();
  };
  const std::size_t num_quasi = num_quasi_;
  *this = WindowContents(num_quasi, num_sensitive_);
  const Position last = reader.Whole(0, INT64_MAX - 1);
  const std::size_t length = reader.Length();
  if (!reader.ok() || static_cast<std::uint64_t>(last) < length) return reader.Fail();
  first_ = last - static_cast<Position>(length) + 1;
  last_ = first_ - 1;
  while (reader.ok() && last_ < last) {
    const bool held = reader.Flag();
    if (last_ < first_ && !held) return reader.Fail();  // the first of the ring is always held
    if (held) load();
    if (static_cast<std::size_t>(last_ + 1 - first_) > mask_) Grow();
    ++last_;
    std::copy(row.begin(), row.end(), cells_.begin() + static_cast<std::ptrdiff_t>(Slot(last_)));
    cells_[Slot(last_) + kHeld] = held ? 1 : 0;
    in_ring_ += held ? 1 : 0;
  }
  for (std::size_t left = reader.Length(); left > 0 && reader.ok(); --left) {
    const Position position = reader.Whole(1, first_ - 1);
    load();
    if (!aside_.emplace(position, row).second) return reader.Fail();
  }
}

}  // namespace cordon::engine
