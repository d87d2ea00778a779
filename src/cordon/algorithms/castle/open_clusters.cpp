// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/castle/open_clusters.h"

#include <algorithm>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kFirstCapacity = 64;

}  // namespace

OpenClusters::OpenClusters(const BoxLoss& loss, const GroupRequirements& needs)
    : loss_(&loss),
      needs_(&needs),
      mask_(kFirstCapacity - 1),
      points_(kFirstCapacity * loss.num_axes()),
      times_(kFirstCapacity),
      person_(kFirstCapacity),
      values_(kFirstCapacity * needs.diversity.size()),
      owner_(kFirstCapacity, kNone),
      next_(kFirstCapacity),
      previous_(kFirstCapacity),
      value_counts_(needs.diversity.size()),
      distinct_overall_(needs.diversity.size()),
      boxes_(loss) {}

// ---- the tuples

void OpenClusters::Grow() {
  const std::size_t old_mask = mask_;
  mask_ = 2 * old_mask + 1;
  const auto move = [&](auto& values, std::size_t width, auto fill) {
    auto old = std::move(values);
    values.assign((mask_ + 1) * width, fill);
    for (Position position = first_; position <= last_; ++position) {
      const std::size_t from = (static_cast<std::size_t>(position) & old_mask) * width;
      std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(from), width,
                  values.begin() + static_cast<std::ptrdiff_t>(Slot(position) * width));
    }
  };
  move(points_, loss_->num_axes(), 0.0);
  move(times_, 1, EventTime{0});
  move(person_, 1, 0);
  move(values_, needs_->diversity.size(), 0);
  move(owner_, 1, kNone);
  move(next_, 1, Position{0});
  move(previous_, 1, Position{0});
}

std::int32_t OpenClusters::Intern(PersonId id) {
  if (const std::uint32_t known = person_of_.Get(id); known != 0) return static_cast<std::int32_t>(known - 1);
  if (free_people_.empty()) {
    free_people_.push_back(static_cast<std::int32_t>(people_.size()));
    people_.emplace_back();
  }
  const std::int32_t number = free_people_.back();
  free_people_.pop_back();
  people_[number] = {id, 0, 0};
  person_of_.Set(id, static_cast<std::uint32_t>(number) + 1);
  return number;
}

// From now on people are told apart by their ids.
void OpenClusters::NumberPeople() {
  all_apart_ = false;
  for (Position position = first_; position <= last_; ++position) {
    if (owner(position) == kNone) continue;
    const std::int32_t number = Intern(static_cast<PersonId>(position));
    people_[number].rows = 1;
    people_[number].only = position;
    person_[Slot(position)] = number;
  }
}

void OpenClusters::Release(std::int32_t person) {
  if (all_apart_) return;
  Person& who = people_[person];
  if (--who.rows > 0) return;
  person_of_.Erase(who.id);
  free_people_.push_back(person);
}

void OpenClusters::Arrive(const Tuple& tuple) {
  CORDON_CHECK_EQ(tuple.position, last_ + 1);
  CORDON_CHECK_EQ(tuple.quasi.size(), loss_->num_axes());
  if (static_cast<std::size_t>(tuple.position - first_) > mask_) Grow();
  if (all_apart_ && tuple.person != static_cast<PersonId>(tuple.position)) NumberPeople();
  last_ = tuple.position;
  const std::size_t slot = Slot(last_);
  double* point = points_.data() + slot * loss_->num_axes();
  for (std::size_t axis = 0; axis < loss_->num_axes(); ++axis) point[axis] = loss_->ToPoint(axis, tuple.quasi[axis]);
  times_[slot] = tuple.time;
  for (std::size_t need = 0; need < needs_->diversity.size(); ++need) {
    values_[slot * needs_->diversity.size() + need] = tuple.sensitive[needs_->diversity[need].sensitive];
  }
  owner_[slot] = kNone;
  if (!all_apart_) person_[slot] = Intern(tuple.person);
  CountEverywhere(last_);
  ++held_;
}

void OpenClusters::Skip() {
  if (static_cast<std::size_t>(last_ + 1 - first_) > mask_) Grow();
  owner_[Slot(++last_)] = kNone;
}

void OpenClusters::Leave(Position position) {
  owner_[Slot(position)] = kNone;
  --held_;
  while (first_ <= last_ && owner_[Slot(first_)] == kNone) ++first_;
}

// ---- counting

void OpenClusters::CountEverywhere(Position position) {
  if (!all_apart_) people_[person_[Slot(position)]].rows += 1;
  for (std::size_t need = 0; need < value_counts_.size(); ++need) {
    const std::int32_t value = values(position)[need];
    if (value != kNull && value_counts_[need].Increment(Key(kNone, value)) == 1) ++distinct_overall_[need];
  }
}

void OpenClusters::DiscountEverywhere(Position position) {
  for (std::size_t need = 0; need < value_counts_.size(); ++need) {
    const std::int32_t value = values(position)[need];
    if (value != kNull && value_counts_[need].Decrement(Key(kNone, value)) == 0) --distinct_overall_[need];
  }
}

void OpenClusters::Count(Lane lane, Position position) {
  CountPerson(lane, position);
  for (std::size_t need = 0; need < value_counts_.size(); ++need) {
    const std::int32_t value = values(position)[need];
    if (value != kNull && value_counts_[need].Increment(Key(lane, value)) == 1) {
      ++distinct_[lane * value_counts_.size() + need];
    }
  }
}

void OpenClusters::CountPerson(Lane lane, Position position) {
  if (all_apart_) {
    ++clusters_[lane].people;
    return;
  }
  const std::int32_t number = person_[Slot(position)];
  Person& who = people_[number];
  if (who.rows == 1) {
    who.only = position;
    ++clusters_[lane].people;
  } else {
    if (who.only != 0 && who.only != position) by_cluster_.Set(Key(owner(who.only), number), 1);
    who.only = 0;
    if (by_cluster_.Increment(Key(lane, number)) == 1) ++clusters_[lane].people;
  }
}

void OpenClusters::Discount(Lane lane, Position position) {
  DiscountPerson(lane, position);
  for (std::size_t need = 0; need < value_counts_.size(); ++need) {
    const std::int32_t value = values(position)[need];
    if (value != kNull && value_counts_[need].Decrement(Key(lane, value)) == 0) {
      --distinct_[lane * value_counts_.size() + need];
    }
  }
}

void OpenClusters::DiscountPerson(Lane lane, Position position) {
  if (all_apart_) {
    --clusters_[lane].people;
    return;
  }
  const std::int32_t number = person_[Slot(position)];
  if (people_[number].only == position || by_cluster_.Decrement(Key(lane, number)) == 0) --clusters_[lane].people;
}

bool OpenClusters::Ready(Lane lane) const {
  if (clusters_[lane].people < needs_->k) return false;
  for (std::size_t need = 0; need < needs_->diversity.size(); ++need) {
    if (distinct_[lane * needs_->diversity.size() + need] < needs_->diversity[need].l) return false;
  }
  return true;
}

bool OpenClusters::Feasible() const {
  if (static_cast<std::int64_t>(all_apart_ ? held_ : person_of_.size()) < needs_->k) return false;
  for (std::size_t need = 0; need < needs_->diversity.size(); ++need) {
    if (distinct_overall_[need] < needs_->diversity[need].l) return false;
  }
  return true;
}

// ---- the clusters

void OpenClusters::Link(Lane lane, Position position) {
  Cluster& cluster = clusters_[lane];
  const std::size_t slot = Slot(position);
  owner_[slot] = lane;
  previous_[slot] = cluster.tail;
  next_[slot] = 0;
  (cluster.tail != 0 ? next_[Slot(cluster.tail)] : cluster.head) = position;
  cluster.tail = position;
  ++cluster.rows;
}

void OpenClusters::Unlink(Lane lane, Position position) {
  Cluster& cluster = clusters_[lane];
  const Position before = previous_[Slot(position)];
  const Position after = next_[Slot(position)];
  (before != 0 ? next_[Slot(before)] : cluster.head) = after;
  (after != 0 ? previous_[Slot(after)] : cluster.tail) = before;
  --cluster.rows;
}

OpenClusters::Lane OpenClusters::Open(Position position, std::int64_t id) {
  if (free_lanes_.empty()) {
    free_lanes_.push_back(static_cast<Lane>(boxes_.Add()));
    clusters_.emplace_back();
    distinct_.resize(clusters_.size() * value_counts_.size());
  }
  const Lane lane = free_lanes_.back();
  free_lanes_.pop_back();
  clusters_[lane] = {};
  clusters_[lane].id = id;
  ++num_clusters_;
  Link(lane, position);
  Count(lane, position);
  boxes_.Set(lane, loss_->Of(point(position)));
  return lane;
}

void OpenClusters::Join(Lane lane, Position position) {
  Link(lane, position);
  Count(lane, position);
  boxes_.Extend(lane, point(position));
}

void OpenClusters::FreeLane(Lane lane) {
  boxes_.Free(lane);
  clusters_[lane] = {};
  free_lanes_.push_back(lane);
  --num_clusters_;
}

// The box shrinks only if the tuple stood at one of its ends.
void OpenClusters::Loosen(Lane lane, Position position) {
  Cluster& cluster = clusters_[lane];
  if (cluster.loose) return;
  const LossBox box = boxes_.box(lane);
  const double* at = point(position);
  for (std::size_t axis = 0; axis < loss_->num_axes(); ++axis) {
    if (at[axis] != box.lo[axis] && at[axis] != box.hi[axis]) continue;
    if (box.lo[axis] == box.hi[axis]) continue;
    cluster.loose = true;
    loose_.push_back(lane);
    return;
  }
}

void OpenClusters::Tighten() {
  for (const Lane lane : loose_) {
    if (!clusters_[lane].loose) continue;  // closed or merged since
    clusters_[lane].loose = false;
    LossBox box = loss_->Of(point(clusters_[lane].head));
    for (Position at = clusters_[lane].head; at != 0; at = next_[Slot(at)]) loss_->Extend(box, point(at));
    boxes_.Set(lane, box);
  }
  loose_.clear();
}

BoxLanes& OpenClusters::boxes() {
  if (!loose_.empty()) Tighten();
  return boxes_;
}

LossBox OpenClusters::box(Lane lane) { return boxes().box(lane); }

void OpenClusters::Remove(Position position) {
  const Lane lane = owner(position);
  Unlink(lane, position);
  Discount(lane, position);
  DiscountEverywhere(position);
  Release(person_[Slot(position)]);
  clusters_[lane].rows == 0 ? FreeLane(lane) : Loosen(lane, position);
  Leave(position);
}

OpenClusters::Lane OpenClusters::Merge(Lane into, Lane from) {
  const std::int64_t id = clusters_[into].id;
  LossBox box = boxes().box(into);
  loss_->Extend(box, boxes_.box(from));
  if (clusters_[into].rows < clusters_[from].rows) std::swap(into, from);
  for (Position at = clusters_[from].head; at != 0;) {
    const Position next = next_[Slot(at)];
    Discount(from, at);
    Link(into, at);
    Count(into, at);
    at = next;
  }
  FreeLane(from);
  clusters_[into].id = id;
  boxes_.Set(into, box);
  return into;
}

OpenClusters::Lane OpenClusters::Nearest(Lane lane) {
  const LossBox own = box(lane);
  const double own_loss = boxes_.loss(lane);
  boxes_.Join(own, joined_);
  Lane nearest = kNone;
  double least = 0;
  for (Lane other = 0; other < static_cast<Lane>(clusters_.size()); ++other) {
    if (other == lane || !is_open(other)) continue;
    const double more = joined_[other] - own_loss;
    if (nearest == kNone || more < least || (more == least && id(other) < id(nearest))) {
      nearest = other;
      least = more;
    }
  }
  CORDON_CHECK(nearest != kNone);
  return nearest;
}

std::vector<Position> OpenClusters::Close(Lane lane) {
  std::vector<Position> positions;
  positions.reserve(clusters_[lane].rows);
  for (Position at = clusters_[lane].head; at != 0; at = next_[Slot(at)]) positions.push_back(at);
  if (!std::is_sorted(positions.begin(), positions.end())) std::sort(positions.begin(), positions.end());
  for (const Position position : positions) {
    Discount(lane, position);
    DiscountEverywhere(position);
    Release(person_[Slot(position)]);
  }
  for (const Position position : positions) Leave(position);
  FreeLane(lane);
  return positions;
}

}  // namespace cordon::engine
