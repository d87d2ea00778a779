// SPDX-License-Identifier: Apache-2.0
//
// What happens at an instant: a tuple is placed, the clock moves, leaves that are due leave, and what the bounds ask for.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cordon/algorithms/stream_rtree/release_probability.h"
#include "cordon/algorithms/stream_rtree/stream_rtree_internal.h"
#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

using Control = StreamRtreeOptions::Control;
using Method = StreamRtreeOptions::Method;

// A fixed gamma is the mean over the last three fifths of this many instants.
std::int64_t CalibrationEnd(const StreamRtreeOptions& options) { return std::max<std::int64_t>(5000, 5 * options.active); }

std::vector<double> RangesOf(const StreamSchema& schema) {
  std::vector<double> ranges;
  for (const StreamAxis& axis : schema.quasi) ranges.push_back(static_cast<double>(axis.hi - axis.lo));
  return ranges;
}

std::vector<double> ScalesOf(const StreamSchema& schema) {
  std::vector<double> scales;
  for (const StreamAxis& axis : schema.quasi) {
    scales.push_back(axis.width() > 0 ? axis.weight / static_cast<double>(axis.width()) : 0);
  }
  return scales;
}

std::vector<std::int64_t> DiversityOf(const GroupRequirements& needs) {
  std::vector<std::int64_t> diversity;
  for (const GroupRequirements::Diversity& each : needs.diversity) diversity.push_back(each.l);
  return diversity;
}

}  // namespace

StreamRtreeState::StreamRtreeState(StreamSchema schema, GroupRequirements needs, StreamRtreeOptions options, Random random)
    : schema_(std::move(schema)),
      needs_(std::move(needs)),
      k_(needs_.k),
      options_(options),
      log_growth_(std::log1p(options.alpha)),
      random_(random),
      waits_(random.Substream("stream-rtree.waits")),
      loss_(schema_, BoxLoss::Form::kPaper),
      stage_(random.Substream("stream-rtree.order")),
      leaves_(ScalesOf(schema_), k_, options.search, DiversityOf(needs_)),
      point_(schema_.quasi.size()),
      values_(needs_.diversity.size()) {
  if (sampled()) {
    sampler_.emplace(RangesOf(schema_), options.sample, options.sample_window, random.Substream("stream-rtree.sample"));
  }
}

double StreamRtreeState::Gamma() const {
  if (fixed_gamma_) return *fixed_gamma_;
  const double total = queue_.total_weight();
  if (!(total > 0)) return 0;
  const double balance = 1 / total;  // the number that leaves is the number that arrives
  if (options_.control == Control::kLiteral) return balance;
  return static_cast<double>(leaves_.num_held()) / static_cast<double>(options_.active) * balance;
}

double StreamRtreeState::Chance(Index slot) const {
  if (!warm_ || !leaves_.mature(slot)) return 0;
  if (leaves_.leaf(slot).penalty == 0) return 1;
  return std::min(1.0, Gamma() * queue_.weight(static_cast<std::size_t>(slot)) / leaves_.leaf(slot).size);
}

double StreamRtreeState::WeightOf(Index slot) {
  const LeafStore::Leaf& leaf = leaves_.leaf(slot);
  double exponent = 0;
  if (sampler_) {
    const double share = SmoothedShare(leaf.inside, options_.sample);
    exponent = WaitExponent(leaf.size, k_, share, log_growth_, options_.most_exponent);
    if (exponent == options_.most_exponent) ++capped_;
  }
  return std::exp(LogWeight(leaf.penalty, exponent));
}

// Waits have no memory: to draw again after a change is as good as a coin at every instant.
void StreamRtreeState::Schedule(Index slot) {
  const LeafStore::Leaf& leaf = leaves_.leaf(slot);
  const auto at = static_cast<std::size_t>(slot);
  if (!warm_ || !leaves_.mature(slot)) return queue_.Set(at, leaf.id, DueQueue::kNever, 0);
  if (leaf.penalty == 0) return queue_.Set(at, leaf.id, clock_, 0);  // waiting cannot better it
  if (sampler_) {
    leaves_.CopyBox(slot, box_lo_, box_hi_);
    leaves_.SetInside(slot, sampler_->CountWithin(box_lo_, box_hi_));
  }
  const double weight = WeightOf(slot);
  const double unit = 1 - waits_.Unit();
  // The clock stands at the end of the last instant that has had its departures: the next one is the first that counts.
  // A leaf that is full still cannot be halved: it takes no more, so waiting cannot better it.
  const double wait = leaves_.full(slot) ? 0
                      : geometric()      ? 1 + GeometricWait(std::min(1.0, *fixed_gamma_ * weight / leaf.size), unit)
                                         : -std::log(unit) * leaf.size / weight;
  queue_.Set(at, leaf.id, clock_ + wait, weight);
}

void StreamRtreeState::ScheduleAll() {
  for (Index slot = 0; slot < static_cast<Index>(leaves_.num_leaves()); ++slot) Schedule(slot);
}

void StreamRtreeState::RemoveLeaf(Index slot) {
  const Index moved = leaves_.RemoveLeaf(slot);
  if (moved == kNone) return queue_.Clear(static_cast<std::size_t>(slot));
  const auto from = static_cast<std::size_t>(moved);
  queue_.Set(static_cast<std::size_t>(slot), leaves_.leaf(slot).id, queue_.due(from), queue_.weight(from));
  queue_.Clear(from);
}

void StreamRtreeState::Grown(Index slot) {
  if (leaves_.full(slot)) {
    if (const Index upper = leaves_.Split(slot); upper != kNone) Schedule(upper);
  }
  Schedule(slot);
}

void StreamRtreeState::Insert(Index tuple) {
  Index slot = leaves_.Nearest(tuple, LeafStore::Among::kAll);
  if (slot == kNone) slot = leaves_.NewLeaf();
  leaves_.Join(tuple, slot);
  Grown(slot);
}

// Min-delay: the first class without this person; one that is complete leaves.
void StreamRtreeState::PlaceFirst(Index tuple) {
  Index slot = leaves_.FirstWithout(tuple);
  if (slot == kNone) slot = leaves_.NewLeaf();
  leaves_.Join(tuple, slot);
  if (leaves_.mature(slot)) Publish(slot, {});
}

void StreamRtreeState::Calibrate() {
  const std::int64_t end = CalibrationEnd(options_);
  if (options_.control != Control::kFixed || fixed_gamma_ || now_ > end) return;
  if (now_ > 2 * end / 5) {
    double sum = 0;  // the form of alpha = 0, for every method
    for (Index slot = 0; slot < static_cast<Index>(leaves_.num_leaves()); ++slot) {
      if (leaves_.mature(slot) && leaves_.leaf(slot).penalty > 0) sum += 1 / leaves_.leaf(slot).penalty;
    }
    if (sum > 0) {
      gamma_sum_ += 1 / sum;
      ++gamma_count_;
    }
  }
  if (now_ < end || gamma_count_ == 0) return;
  fixed_gamma_ = gamma_sum_ / static_cast<double>(gamma_count_);
  clock_ = static_cast<double>(now_);
  ScheduleAll();
}

void StreamRtreeState::MoveClock() {
  if (geometric()) {
    clock_ = static_cast<double>(now_);
  } else {
    clock_ += Gamma();
  }
}

std::vector<AxisRange> StreamRtreeState::BoxOf(std::span<const Index> tuples) const {
  LossBox box = loss_.Of(leaves_.point(tuples[0]));
  for (const Index tuple : tuples) loss_.Extend(box, leaves_.point(tuple));
  return loss_.Publish(box);
}

void StreamRtreeState::AddToSums(std::span<const Index> leaving) {
  const double penalty = leaves_.PenaltyOf(leaving);
  for (const Index tuple : leaving) {
    const auto delay = static_cast<double>(now_ - leaves_.tuple(tuple).position);
    sums_.tuples += 1;
    sums_.penalty += penalty;
    sums_.cost += penalty * std::exp(log_growth_ * delay);
    sums_.delay += delay;
  }
}

// `held` are taken out of the leaf and left in no leaf.
void StreamRtreeState::Publish(Index slot, std::span<const Index> held) {
  std::vector<Index> leaving;
  for (const Index member : leaves_.members(slot)) {
    if (std::find(held.begin(), held.end(), member) == held.end()) leaving.push_back(member);
  }
  CORDON_CHECK_LE(k_, static_cast<std::int64_t>(leaving.size()));
  CORDON_CHECK(leaves_.Diverse(leaving));
  Departure departure;
  departure.group = ++last_group_;
  departure.box = BoxOf(leaving);
  AddToSums(leaving);
  for (const Index member : leaving) departure.positions.push_back(leaves_.tuple(member).position);
  stage_.Add(std::move(departure));
  leaves_.Vacate(slot);
  for (const Index member : leaving) leaves_.Drop(member);
  for (const Index member : held) leaves_.CountHold(member);
  RemoveLeaf(slot);
  published_ = true;
}

// REQUIRES: in a leaf.
void StreamRtreeState::Suppress(Index tuple) {
  const Index slot = leaves_.tuple(tuple).leaf;
  Departure departure;
  departure.kind = Departure::Kind::kSuppressed;
  departure.positions = {leaves_.tuple(tuple).position};
  stage_.Add(std::move(departure));
  leaves_.Leave(tuple);
  leaves_.Drop(tuple);
  if (leaves_.leaf(slot).size == 0) {
    RemoveLeaf(slot);
  } else {
    Schedule(slot);
  }
}

void StreamRtreeState::PublishDue() {
  held_back_.clear();
  while (queue_.earliest() <= clock_) {
    const auto slot = static_cast<Index>(queue_.top());
    const std::size_t before = held_back_.size();
    if (options_.method == Method::kFull) {
      const PostponedTuples::Rules rules{.k = k_,
                                         .need = SamplesNeeded(k_, options_.sample, options_.sample_window),
                                         .log_growth = log_growth_,
                                         .max_holds = options_.max_holds,
                                         .not_before = options_.delay_tuples > 0 ? now_ - options_.delay_tuples + 2 : 0};
      hold_on_.Select(leaves_, slot, *sampler_, rules, held_back_);
    }
    Publish(slot, std::span(held_back_).subspan(before));
  }
  // Only now: a tuple that is held can neither join another leaf that is due nor leave in this instant.
  std::sort(held_back_.begin(), held_back_.end(),
            [&](Index a, Index b) { return leaves_.tuple(a).position < leaves_.tuple(b).position; });
  for (const Index tuple : held_back_) Insert(tuple);
}

bool StreamRtreeState::MoveToMature(Index tuple) {
  const Index to = leaves_.Nearest(tuple, LeafStore::Among::kMature);
  if (to == kNone) return false;
  leaves_.Leave(tuple);
  leaves_.Join(tuple, to);
  Grown(to);
  return true;
}

// If people repeat, leaves may be left that lack people; after two mean delays theirs go where they can.
void StreamRtreeState::RescueStarved() {
  if (!published_ || leaves_.num_immature() == 0) return;
  Index starved = kNone;
  for (Index slot = 0; slot < static_cast<Index>(leaves_.num_leaves()); ++slot) {
    if (leaves_.mature(slot) || now_ - leaves_.leaf(slot).oldest <= 2 * options_.active) continue;
    if (starved == kNone || leaves_.leaf(slot).oldest < leaves_.leaf(starved).oldest) starved = slot;
  }
  if (starved == kNone) return;
  const std::int64_t id = leaves_.leaf(starved).id;
  std::vector<Index> tuples(leaves_.members(starved).begin(), leaves_.members(starved).end());
  std::sort(tuples.begin(), tuples.end(),
            [&](Index a, Index b) { return leaves_.tuple(a).position < leaves_.tuple(b).position; });
  for (const Index tuple : tuples) MoveToMature(tuple);
  CORDON_CHECK_EQ(leaves_.leaf(starved).id, id);  // nothing was removed, so it stands where it stood
  if (leaves_.leaf(starved).size == 0) RemoveLeaf(starved);
}

// The policy's delay: whose time is up leaves with its leaf, with another that has room for it, or not at all.
void StreamRtreeState::KeepDelay() {
  if (options_.delay_tuples == 0) return;
  while (leaves_.oldest() != kNone && leaves_.tuple(leaves_.oldest()).position <= now_ - options_.delay_tuples) {
    const Index tuple = leaves_.oldest();
    const Index slot = leaves_.tuple(tuple).leaf;
    if (!leaves_.mature(slot)) {
      if (options_.method == Method::kMinDelay || !MoveToMature(tuple)) {
        Suppress(tuple);
        continue;
      }
      if (leaves_.leaf(slot).size == 0) RemoveLeaf(slot);
    }
    Publish(leaves_.tuple(tuple).leaf, {});
  }
}

StreamRtreeState::Index StreamRtreeState::LikeliestLeaf() const {
  Index likeliest = kNone;
  double most = -1;
  for (Index slot = 0; slot < static_cast<Index>(leaves_.num_leaves()); ++slot) {
    if (!leaves_.mature(slot)) continue;
    const LeafStore::Leaf& leaf = leaves_.leaf(slot);
    const double chance =
        leaf.penalty == 0 ? std::numeric_limits<double>::infinity() : queue_.weight(static_cast<std::size_t>(slot)) / leaf.size;
    const bool better = likeliest == kNone || chance > most || (chance == most && leaf.id < leaves_.leaf(likeliest).id);
    if (!better) continue;
    likeliest = slot;
    most = chance;
  }
  return likeliest;
}

// Memory is bounded whatever arrives: above the cap the likeliest leaf goes, and where none may, the oldest tuple.
void StreamRtreeState::KeepCap() {
  while (static_cast<std::int64_t>(leaves_.num_held()) > options_.held_cap()) {
    if (const Index slot = LikeliestLeaf(); slot != kNone) {
      ++forced_;
      Publish(slot, {});
    } else {
      ++overflowed_;
      Suppress(leaves_.oldest());
    }
  }
}

void StreamRtreeState::Push(const Tuple& tuple, std::vector<Departure>& out) {
  CORDON_CHECK_EQ(tuple.position, now_ + 1);
  CORDON_CHECK_EQ(tuple.quasi.size(), point_.size());
  now_ = tuple.position;
  published_ = false;
  for (std::size_t axis = 0; axis < point_.size(); ++axis) point_[axis] = loss_.ToPoint(axis, tuple.quasi[axis]);
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = tuple.sensitive[needs_.diversity[i].sensitive];
  const Index arrived = leaves_.Hold(tuple.position, tuple.person, point_.data(), values_.data());
  if (sampler_) sampler_->Step(point_.data());
  if (options_.method == Method::kMinDelay) {
    PlaceFirst(arrived);
  } else {
    Insert(arrived);
    if (!warm_ && static_cast<std::int64_t>(leaves_.num_held()) >= options_.active) {
      warm_ = true;
      ScheduleAll();
    }
    if (warm_) {
      MoveClock();
      PublishDue();
      RescueStarved();
      Calibrate();
    }
  }
  KeepDelay();
  KeepCap();
  stage_.Release(out);
}

void StreamRtreeState::Flush(std::vector<Departure>& out) {
  std::vector<Index> stranded;
  for (Index tuple = leaves_.oldest(); tuple != kNone; tuple = leaves_.tuple(tuple).newer) {
    if (!leaves_.mature(leaves_.tuple(tuple).leaf)) stranded.push_back(tuple);
  }
  for (const Index tuple : stranded) {
    const Index from = leaves_.tuple(tuple).leaf;
    if (MoveToMature(tuple) && leaves_.leaf(from).size == 0) RemoveLeaf(from);
  }
  while (leaves_.num_leaves() > 0) {
    const auto slot = static_cast<Index>(leaves_.num_leaves() - 1);
    if (leaves_.mature(slot)) {
      Publish(slot, {});
    } else {
      Suppress(leaves_.members(slot)[0]);
    }
  }
  stage_.Release(out);
}

}  // namespace cordon::engine
