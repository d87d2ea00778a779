// SPDX-License-Identifier: Apache-2.0
//
// SABRE_W's state as bytes: the tuples from the window's first on, the groups that wait, and the random streams. Counts are
// taken again. Private: it holds data and the random stream.
#include "cordon/algorithms/engine/stream_fingerprint.h"
#include "cordon/algorithms/sabre_w/sabre_w_internal.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::string_view kWhat = "the snapshot of sabre-w";

}  // namespace

std::string SabreWState::Fingerprint() const {
  ByteWriter writer;
  FingerprintAxes(schema_, writer);
  for (const Attribute& attribute : models_.attributes()) {
    writer.Text(attribute.name);
    writer.Whole(attribute.domain->size());
    const auto& tree = attribute.domain->hierarchy();
    writer.Text(tree != nullptr ? tree->Digest() : "");
  }
  for (const ModelSpec& spec : models_.specs()) writer.Text(Describe(spec));
  for (const std::int64_t option :
       {window(), options_.step, static_cast<std::int64_t>(options_.partition),
        static_cast<std::int64_t>(options_.mondrian_dims), options_.rho.numerator(), options_.rho.denominator(),
        static_cast<std::int64_t>(options_.lazy), static_cast<std::int64_t>(options_.short_stream)}) {
    writer.Whole(option);
  }
  writer.Real(options_.sweeps);
  return std::move(writer).Take();
}

std::string SabreWState::Save() const {
  ByteWriter writer;
  writer.Count(kVersion);
  writer.Text(Fingerprint());
  writer.Text(choices_.Save());
  stage_.Save(writer);
  for (const std::int64_t count : {cases_.nothing_due, cases_.direct, cases_.indirect, cases_.suppressed, cases_.homogeneous})
    writer.Whole(count);
  writer.Whole(last_group_);
  writer.Whole(base_);
  writer.Whole(ring_.last());
  for (Position position = base_; position <= ring_.last(); ++position) {
    const bool gone = ring_.Gone(position);
    writer.Flag(gone);
    for (const Code code : ring_.values(position)) writer.Whole(code);
    if (gone) continue;
    writer.Word(ring_.person(position));
    for (const std::int64_t place : ring_.quasi(position)) writer.Whole(place);
  }
  writer.Whole(made_in_.first);
  writer.Whole(made_in_.last);
  writer.Count(pending_.size());
  for (const Pending& group : pending_) {
    for (const AxisRange& range : group.box) {
      writer.Whole(range.lo);
      writer.Whole(range.hi);
    }
    writer.Count(group.positions.size());
    for (const Position position : group.positions) writer.Whole(position);
  }
  return std::move(writer).Take();
}

void SabreWState::Load(ByteReader& reader) {
  Result<Random> choices = Random::Restore(reader.Text());
  if (!choices.ok()) return reader.Fail();
  choices_ = std::move(choices).value();
  stage_.Restore(reader, schema_.quasi.size());
  for (std::int64_t* count : {&cases_.nothing_due, &cases_.direct, &cases_.indirect, &cases_.suppressed, &cases_.homogeneous}) {
    *count = reader.Whole(0, INT64_MAX - 1);
  }
  last_group_ = reader.Whole(0, INT64_MAX - 1);
  base_ = reader.Whole(1, INT64_MAX / 2);
  const Position last = reader.Whole(base_ - 1, base_ + window() + options_.step - 2);
  if (!reader.ok() || (base_ - 1) % options_.step != 0) return reader.Fail();

  ring_.StartAfter(base_ - 1);
  std::vector<std::int64_t> quasi(schema_.quasi.size());
  std::vector<std::int32_t> sensitive(schema_.sensitive.size(), kNull);
  for (Position position = base_; position <= last; ++position) {
    const bool gone = reader.Flag();
    for (std::size_t i = 0; i < models_.columns().size(); ++i) {
      sensitive[models_.columns()[i]] = static_cast<std::int32_t>(reader.Whole(0, models_.attributes()[i].domain->size() - 1));
    }
    const PersonId person = gone ? 0 : reader.Word();
    for (std::size_t axis = 0; axis < quasi.size(); ++axis) {
      const StreamAxis& its = schema_.quasi[axis];
      quasi[axis] = gone ? its.lo : reader.Whole(its.lo, its.hi);
    }
    if (!reader.ok()) return;
    ring_.Add({position, 0, person, quasi, sensitive});
    held_ += gone ? 0 : 1;
    if (gone) ring_.Leave(position);
    if (position > window_end()) continue;
    ring_.Count(position, 1, counts_);
    if (!gone) ring_.Count(position, 1, open_);
  }

  made_in_.first = reader.Whole(0, base_);
  made_in_.last = reader.Whole(0, last);
  std::vector<bool> taken(static_cast<std::size_t>(last - base_ + 1));
  for (std::size_t left = reader.Length(); left > 0 && reader.ok(); --left) {
    Pending group;
    for (const StreamAxis& axis : schema_.quasi) {
      const std::int64_t lo = reader.Whole(axis.lo, axis.hi);
      group.box.push_back({lo, reader.Whole(axis.lo, axis.hi)});
    }
    group.positions.resize(reader.Length());
    for (Position& position : group.positions) {
      position = reader.Whole(base_, last);
      if (!reader.ok() || ring_.Gone(position) || taken[static_cast<std::size_t>(position - base_)]) return reader.Fail();
      taken[static_cast<std::size_t>(position - base_)] = true;
    }
    if (group.positions.empty()) return reader.Fail();
    pending_.push_back(std::move(group));
  }
}

Result<void> SabreWState::Restore(const std::string& snapshot) {
  ByteReader reader(snapshot);
  CORDON_RETURN_IF_ERROR(CheckSnapshotHead(reader, kVersion, Fingerprint(), kWhat));
  Load(reader);
  return reader.Finish(kWhat);
}

}  // namespace cordon::engine
