// SPDX-License-Identifier: Apache-2.0
//
// All that the publisher's continuation depends on, as bytes and back. Slots are saved in their order, since sums over them
// are added in it; penalties, weights and boxes are made again from the members. The tree is not saved: its shape changes no
// answer.
#include <algorithm>
#include <cmath>

#include "cordon/algorithms/engine/stream_fingerprint.h"
#include "cordon/algorithms/stream_rtree/stream_rtree_internal.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kVersion = 4;
constexpr std::string_view kWhat = "the snapshot of stream-rtree";
constexpr Position kMaxPosition = INT64_MAX / 2;

}  // namespace

std::string StreamRtreeState::Fingerprint() const {
  ByteWriter writer;
  FingerprintAxes(schema_, writer);
  writer.Whole(k_);
  for (const GroupRequirements::Diversity& each : needs_.diversity) {
    writer.Count(each.sensitive);
    writer.Whole(each.l);
  }
  writer.Count(static_cast<std::uint64_t>(options_.method));
  writer.Count(static_cast<std::uint64_t>(options_.control));
  for (const std::int64_t option : {options_.active, options_.sample, options_.sample_window, options_.max_holds,
                                    options_.held_cap(), options_.delay_tuples}) {
    writer.Whole(option);
  }
  writer.Real(options_.alpha);
  writer.Real(options_.most_exponent);
  return std::move(writer).Take();
}

std::string StreamRtreeState::Save() const {
  ByteWriter writer;
  writer.Count(kVersion);
  writer.Text(Fingerprint());
  stage_.Save(writer);
  writer.Text(waits_.Save());
  for (const std::int64_t number : {now_, last_group_, gamma_count_, forced_, overflowed_, capped_}) writer.Whole(number);
  writer.Flag(warm_);
  writer.Real(clock_);
  writer.Real(gamma_sum_);
  for (const double sum : {sums_.tuples, sums_.penalty, sums_.cost, sums_.delay}) writer.Real(sum);
  writer.Flag(fixed_gamma_.has_value());
  if (fixed_gamma_) writer.Real(*fixed_gamma_);
  writer.Count(leaves_.num_held());
  std::vector<std::int64_t> number_of;  // by tuple
  std::int64_t number = 0;
  for (Index at = leaves_.oldest(); at != kNone; at = leaves_.tuple(at).newer) {
    const LeafStore::Waiting& tuple = leaves_.tuple(at);
    if (number_of.size() <= static_cast<std::size_t>(at)) number_of.resize(static_cast<std::size_t>(at) + 1);
    number_of[static_cast<std::size_t>(at)] = number++;
    writer.Whole(tuple.position);
    writer.Word(tuple.person);
    writer.Whole(tuple.holds);
    for (std::size_t axis = 0; axis < leaves_.num_axes(); ++axis) {
      writer.Count(static_cast<std::uint64_t>(leaves_.point(at)[axis]));
    }
    for (const std::int32_t value : leaves_.values(at)) writer.Whole(value);
  }
  writer.Whole(leaves_.next_id());
  writer.Count(leaves_.num_leaves());
  for (Index slot = 0; slot < static_cast<Index>(leaves_.num_leaves()); ++slot) {
    writer.Whole(leaves_.leaf(slot).id);
    writer.Whole(leaves_.leaf(slot).inside);
    writer.Real(queue_.due(static_cast<std::size_t>(slot)));
    writer.Count(leaves_.members(slot).size());
    for (const Index member : leaves_.members(slot)) writer.Whole(number_of[static_cast<std::size_t>(member)]);
  }
  if (sampler_) sampler_->Save(writer);
  return std::move(writer).Take();
}

void StreamRtreeState::LoadTuples(ByteReader& reader, std::vector<Index>& tuples) {
  const std::size_t count = reader.Length();
  if (static_cast<std::int64_t>(count) > options_.held_cap()) return reader.Fail();
  Position least = options_.delay_tuples > 0 ? std::max<Position>(1, now_ - options_.delay_tuples + 1) : 1;
  for (std::size_t i = 0; i < count && reader.ok(); ++i) {
    const Position position = reader.Whole(least, now_);
    least = position + 1;
    const PersonId person = reader.Word();
    const std::int64_t holds = reader.Whole(0, options_.max_holds);
    for (std::size_t axis = 0; axis < point_.size(); ++axis) {
      const std::uint64_t offset = reader.Count();
      const StreamAxis& its = schema_.quasi[axis];
      if (offset > static_cast<std::uint64_t>(its.hi) - static_cast<std::uint64_t>(its.lo)) reader.Fail();
      point_[axis] = static_cast<double>(offset);
    }
    for (std::int32_t& value : values_) value = static_cast<std::int32_t>(reader.Whole(kNull, INT32_MAX));
    if (!reader.ok()) return;
    tuples.push_back(leaves_.Hold(position, person, point_.data(), values_.data()));
    leaves_.SetHolds(tuples.back(), static_cast<std::int32_t>(holds));
  }
}

void StreamRtreeState::LoadLeaves(ByteReader& reader, const std::vector<Index>& tuples) {
  const std::int64_t next_id = reader.Whole(1, INT64_MAX - 1);
  // A leaf that lacks values may be full.
  const std::int64_t most = !needs_.diversity.empty()                                  ? 2 * k_
                            : options_.method == StreamRtreeOptions::Method::kMinDelay ? k_ - 1
                                                                                       : 2 * k_ - 1;
  const std::size_t count = reader.Length();
  std::size_t placed = 0;
  std::vector<std::int64_t> ids;
  std::vector<PersonId> people;
  for (std::size_t i = 0; i < count && reader.ok(); ++i) {
    ids.push_back(reader.Whole(1, next_id - 1));
    const std::int64_t inside = reader.Whole(0, options_.sample);
    const double due = reader.Real();
    const std::size_t size = reader.Length();
    if (!reader.ok() || size == 0 || static_cast<std::int64_t>(size) > most) return reader.Fail();
    const Index slot = leaves_.NewLeaf(ids.back());
    people.clear();
    for (std::size_t j = 0; j < size; ++j) {
      const std::int64_t number = reader.Whole(0, static_cast<std::int64_t>(tuples.size()) - 1);
      if (!reader.ok() || leaves_.tuple(tuples[static_cast<std::size_t>(number)]).leaf != kNone) return reader.Fail();
      leaves_.Join(tuples[static_cast<std::size_t>(number)], slot);
      people.push_back(leaves_.tuple(tuples[static_cast<std::size_t>(number)]).person);
    }
    std::sort(people.begin(), people.end());
    if (std::adjacent_find(people.begin(), people.end()) != people.end()) return reader.Fail();
    placed += size;
    leaves_.SetInside(slot, inside);
    const bool can_leave = warm_ && leaves_.mature(slot);
    if (std::isnan(due) || (!can_leave && due != DueQueue::kNever)) return reader.Fail();
    const double weight = can_leave && leaves_.leaf(slot).penalty > 0 ? WeightOf(slot) : 0;
    queue_.Set(static_cast<std::size_t>(slot), ids.back(), due, weight);
  }
  std::sort(ids.begin(), ids.end());
  if (placed != tuples.size() || std::adjacent_find(ids.begin(), ids.end()) != ids.end()) return reader.Fail();
  leaves_.SetNextId(next_id);
}

Result<void> StreamRtreeState::Restore(const std::string& snapshot) {
  ByteReader reader(snapshot);
  CORDON_RETURN_IF_ERROR(CheckSnapshotHead(reader, kVersion, Fingerprint(), kWhat));
  stage_.Restore(reader, point_.size());
  if (stage_.num_tuples() != 0) reader.Fail();  // it is empty between two steps
  Result<Random> waits = Random::Restore(reader.Text());
  if (waits.ok()) {
    waits_ = std::move(waits).value();
  } else {
    reader.Fail();
  }
  now_ = reader.Whole(0, kMaxPosition);
  last_group_ = reader.Whole(0, kMaxPosition);
  gamma_count_ = reader.Whole(0, kMaxPosition);
  forced_ = reader.Whole(0, kMaxPosition);
  overflowed_ = reader.Whole(0, kMaxPosition);
  const std::int64_t capped = reader.Whole(0, kMaxPosition);
  warm_ = reader.Flag();
  clock_ = reader.Real();
  gamma_sum_ = reader.Real();
  for (double* sum : {&sums_.tuples, &sums_.penalty, &sums_.cost, &sums_.delay}) {
    *sum = reader.Real();
    if (!(*sum >= 0)) reader.Fail();  // a cost may have become infinite
  }
  if (reader.Flag()) fixed_gamma_ = reader.Real();
  const bool numbers = std::isfinite(clock_) && std::isfinite(gamma_sum_) && gamma_sum_ >= 0 &&
                       (!fixed_gamma_ || (std::isfinite(*fixed_gamma_) && *fixed_gamma_ >= 0 && warm_ &&
                                          options_.control == StreamRtreeOptions::Control::kFixed));
  if (!numbers) reader.Fail();
  std::vector<Index> tuples;
  LoadTuples(reader, tuples);
  LoadLeaves(reader, tuples);
  capped_ = capped;
  if (sampler_ && reader.ok()) sampler_->Restore(reader, now_);
  return reader.Finish(kWhat);
}

}  // namespace cordon::engine
