// SPDX-License-Identifier: Apache-2.0
//
// CASTLE's state as bytes: what the continuation depends on and cannot be derived. Boxes, counts and lists are built again
// from the tuples. Private: it holds data and the random stream.
#include <map>

#include "cordon/algorithms/castle/castle_internal.h"
#include "cordon/algorithms/engine/stream_fingerprint.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kSnapshotVersion = 1;
constexpr std::string_view kSnapshotWhat = "the snapshot of castle";

void SaveBox(ByteWriter& writer, const std::vector<AxisRange>& box) {
  for (const AxisRange& range : box) {
    writer.Whole(range.lo);
    writer.Whole(range.hi);
  }
}

std::vector<AxisRange> LoadBox(ByteReader& reader, const StreamSchema& schema) {
  std::vector<AxisRange> box;
  for (const StreamAxis& axis : schema.quasi) {
    const std::int64_t lo = reader.Whole(axis.lo, axis.hi);
    box.push_back({lo, reader.Whole(axis.lo, axis.hi)});
    if (box.back().hi < lo) reader.Fail();
  }
  return box;
}

}  // namespace

std::string CastleState::Fingerprint() const {
  ByteWriter writer;
  FingerprintAxes(schema_, writer);
  FingerprintNeeds(schema_, needs_, writer);
  for (const std::int64_t option : {options_.delay_tuples, options_.delay_ms, options_.max_open, options_.history,
                                    options_.reuse_cap, options_.reuse_ttl.value_or(0), options_.pool_cap, options_.batch,
                                    options_.split_tries, static_cast<std::int64_t>(options_.reuse),
                                    static_cast<std::int64_t>(options_.loss), static_cast<std::int64_t>(options_.cuts),
                                    static_cast<std::int64_t>(options_.outlier), static_cast<std::int64_t>(options_.pool)}) {
    writer.Whole(option);
  }
  return std::move(writer).Take();
}

std::string CastleState::Save() const {
  ByteWriter writer;
  writer.Count(kSnapshotVersion);
  writer.Text(Fingerprint());
  writer.Text(choices_.Save());
  stage_.Save(writer);
  history_.Save(writer);
  pool_.Save(writer);
  writer.Whole(now_);
  writer.Whole(last_cluster_);
  writer.Whole(last_group_);

  writer.Whole(reuse_.inserted());
  writer.Count(reuse_.size());
  for (std::size_t i = 0; i < reuse_.size(); ++i) {
    writer.Whole(reuse_.entry(i).group);
    writer.Whole(reuse_.entry(i).since);
    SaveBox(writer, reuse_.entry(i).box);
  }

  writer.Whole(clusters_.last());
  writer.Count(static_cast<std::uint64_t>(clusters_.last() - clusters_.first() + 1));
  for (Position position = clusters_.first(); position <= clusters_.last(); ++position) {
    writer.Flag(clusters_.Holds(position));
    if (!clusters_.Holds(position)) continue;
    writer.Whole(clusters_.id(clusters_.owner(position)));
    writer.Whole(clusters_.time(position));
    writer.Word(clusters_.person(position));
    for (std::size_t axis = 0; axis < schema_.quasi.size(); ++axis) {
      writer.Count(static_cast<std::uint64_t>(clusters_.point(position)[axis]));
    }
    for (std::size_t need = 0; need < needs_.diversity.size(); ++need) writer.Whole(clusters_.values(position)[need]);
  }
  return std::move(writer).Take();
}

void CastleState::Load(ByteReader& reader) {
  Result<Random> choices = Random::Restore(reader.Text());
  if (!choices.ok()) return reader.Fail();
  choices_ = std::move(choices).value();
  stage_.Restore(reader, schema_.quasi.size());
  history_.Restore(reader);
  pool_.Restore(reader);
  now_ = reader.Whole();
  last_cluster_ = reader.Whole(0, INT64_MAX - 1);
  last_group_ = reader.Whole(0, INT64_MAX - 1);

  const std::int64_t inserted = reader.Whole(0, INT64_MAX - 1);
  const std::size_t reusable = reader.Length();
  if (reusable > static_cast<std::size_t>(options_.reuse_cap) || static_cast<std::int64_t>(reusable) > inserted) {
    return reader.Fail();
  }
  reuse_.StartAt(inserted - static_cast<std::int64_t>(reusable));
  for (std::size_t i = 0; i < reusable && reader.ok(); ++i) {
    const std::int64_t group = reader.Whole(1, last_group_);
    const std::int64_t since = reader.Whole();
    std::vector<AxisRange> box = LoadBox(reader, schema_);
    if (reader.ok()) reuse_.Insert({group, since, std::move(box)});
  }

  const Position last = reader.Whole(0, INT64_MAX - 1);
  const std::size_t length = reader.Length();
  if (!reader.ok() || static_cast<std::uint64_t>(last) < length) return reader.Fail();
  clusters_.StartAfter(last - static_cast<Position>(length));
  std::map<std::int64_t, Lane> lane_of;
  std::vector<std::int64_t> quasi(schema_.quasi.size());
  std::vector<std::int32_t> sensitive(schema_.sensitive.size(), kNull);
  for (std::size_t i = 0; i < length; ++i) {
    const bool held = reader.Flag();
    if (!held && i > 0 && reader.ok()) {
      clusters_.Skip();
      continue;
    }
    const std::int64_t id = reader.Whole(1, last_cluster_);
    const EventTime time = reader.Whole(INT64_MIN, now_);
    const PersonId person = reader.Word();
    for (std::size_t axis = 0; axis < quasi.size(); ++axis) {
      const std::uint64_t offset = reader.Count();
      const StreamAxis& its = schema_.quasi[axis];
      if (offset > static_cast<std::uint64_t>(its.hi) - static_cast<std::uint64_t>(its.lo)) reader.Fail();
      quasi[axis] = its.lo + static_cast<std::int64_t>(reader.ok() ? offset : 0);
    }
    for (const GroupRequirements::Diversity& need : needs_.diversity) {
      sensitive[need.sensitive] = static_cast<std::int32_t>(reader.Whole(kNull, INT32_MAX));
    }
    if (!reader.ok() || !held) return reader.Fail();  // the oldest of the ring is always held
    clusters_.Arrive({clusters_.last() + 1, time, person, quasi, sensitive});
    const auto [known, is_new] = lane_of.emplace(id, OpenClusters::kNone);
    if (is_new) {
      if (static_cast<std::int64_t>(lane_of.size()) > options_.max_open) return reader.Fail();
      known->second = clusters_.Open(clusters_.last(), id);
    } else {
      clusters_.Join(known->second, clusters_.last());
    }
  }
}

Result<void> CastleState::Restore(const std::string& snapshot) {
  ByteReader reader(snapshot);
  CORDON_RETURN_IF_ERROR(CheckSnapshotHead(reader, kSnapshotVersion, Fingerprint(), kSnapshotWhat));
  Load(reader);
  return reader.Finish(kSnapshotWhat);
}

}  // namespace cordon::engine
