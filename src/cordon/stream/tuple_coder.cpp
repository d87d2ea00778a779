// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/tuple_coder.h"

#include <sodium.h>

#include <cstring>

#include "cordon/base/digest.h"
#include "cordon/data/codes.h"
#include "cordon/data/unique_share.h"

namespace cordon::engine {

PersonId PersonKey::Of(std::string_view person) const {
  static_assert(crypto_shorthash_KEYBYTES == std::tuple_size<Bytes>() && crypto_shorthash_BYTES == sizeof(PersonId));
  PersonId id = 0;
  crypto_shorthash(reinterpret_cast<unsigned char*>(&id), reinterpret_cast<const unsigned char*>(person.data()), person.size(),
                   bytes_.data());
  return id == kNobody ? 1 : id;
}

void CodedBatch::Clear() {
  entries.clear();
  quasi.clear();
  sensitive.clear();
  persons.clear();
  as_is.clear();
  payload.clear();
  payload_ends.clear();
  dead.clear();
}

std::string TupleCoder::CodeColumn(const InputColumn& column, std::string_view cell, CodedBatch& batch, bool& dropped) {
  const auto wrong = [&](const char* what) { return fmt::format("column {}: {}", column.name, what); };
  const bool missing = layout_.IsMissing(cell);
  if (column.event_time) {
    const auto time = missing ? std::nullopt : ParseEventTime(cell);
    if (!time) return wrong(missing ? "a missing event time" : "not an event time");
    if (clock_.IsLate(*time)) {
      clock_.Refuse(*time);
      return wrong("an event later than stream.lateness allows");
    }
    if (clock_.IsAhead(*time)) return wrong("an event further ahead of the clock than stream.max_jump allows");
    time_ = *time;
  }
  if (column.axis >= 0) {
    const DeclaredAxis& axis = layout_.axes[static_cast<std::size_t>(column.axis)];
    std::int64_t place = 0;
    if (missing && layout_.drop_missing) {
      dropped = true;
    } else if (missing && !axis.missing()) {
      return wrong("a missing cell, which has no place on an axis of numbers");
    } else if (missing) {
      place = *axis.missing();
    } else if (const char* what = axis.Place(cell, place)) {
      return wrong(what);
    }
    batch.quasi.push_back(place);
  } else if (column.sensitive >= 0) {
    std::int32_t code = kNull;
    if (missing && layout_.drop_missing) {
      dropped = true;
    } else if (missing && layout_.sensitive[static_cast<std::size_t>(column.sensitive)].required) {
      return wrong("a missing cell, which a window has no place for");
    } else if (!missing) {
      if (const char* what = layout_.sensitive[static_cast<std::size_t>(column.sensitive)].Place(cell, code))
        return wrong(what);
    }
    batch.sensitive.push_back(code);
  } else if (column.role == Role::kPerson) {
    person_ = missing ? PersonKey::kNobody : persons_.Of(cell);
  }
  return "";
}

// Cells in the notation of releases; what is wrong with one otherwise.
std::string TupleCoder::Rewrite(std::span<const std::string_view> cells) {
  rewritten_.assign(cells.begin(), cells.end());
  texts_.resize(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const InputColumn& column = layout_.columns[i];
    if (column.notations.empty() || cells[i].data() == nullptr || layout_.IsMissing(cells[i])) continue;
    auto canonical = CanonicalBy(column.notations, cells[i]);
    if (!canonical) return fmt::format("column {}: not written as its format says", column.name);
    texts_[i] = *std::move(canonical);
    rewritten_[i] = texts_[i];
  }
  return "";
}

// What was rewritten is a text.
std::span<const std::uint8_t> TupleCoder::Bare(const InputRecord& record, std::span<const std::string_view> cells) {
  if (record.bare.empty() || !has_notations_) return record.bare;
  bare_.assign(record.bare.begin(), record.bare.end());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].data() != record.cells[i].data()) bare_[i] = 0;
  }
  return bare_;
}

std::string TupleCoder::Code(const InputRecord& record, CodedBatch& batch, bool& dropped) {
  if (!record.fault.empty()) return record.fault;
  std::span<const std::string_view> cells = record.cells;
  if (has_notations_) {
    if (std::string wrong = Rewrite(record.cells); !wrong.empty()) return wrong;
    cells = rewritten_;
  }
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    if (std::string wrong = CodeColumn(layout_.columns[i], cells[i], batch, dropped); !wrong.empty()) return wrong;
  }
  if (dropped) return "";
  if (const char* what = rows_.AppendPayload(cells, Bare(record, cells), batch.payload, scratch_)) return what;
  as_is_.clear();
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    if (layout_.columns[i].as_is) as_is_.push_back(cells[i]);
  }
  if (!as_is_.empty()) batch.as_is.push_back(CombinationOf(as_is_));
  return "";
}

void TupleCoder::Add(const InputRecord& record, CodedBatch& batch) {
  const std::size_t quasi = batch.quasi.size();
  const std::size_t sensitive = batch.sensitive.size();
  bool dropped = false;
  std::string wrong = Code(record, batch, dropped);
  CodedBatch::Entry entry;
  entry.end = record.end;
  if (!wrong.empty() || dropped) {
    batch.quasi.resize(quasi);
    batch.sensitive.resize(sensitive);
    entry.kind = wrong.empty() ? CodedBatch::Entry::Kind::kDropped : CodedBatch::Entry::Kind::kDead;
    entry.index = static_cast<std::uint32_t>(batch.dead.size());
    if (!wrong.empty()) batch.dead.push_back({record.line, std::move(wrong), std::string(record.raw), clock_.worst_jump()});
  } else {
    entry.index = static_cast<std::uint32_t>(batch.num_tuples());
    if (layout_.has_person) batch.persons.push_back(person_);
    batch.payload_ends.push_back(batch.payload.size());
    if (layout_.has_event_time) clock_.Observe(time_, record.line);
  }
  entry.clock = clock_.now();
  batch.entries.push_back(entry);
}

}  // namespace cordon::engine
