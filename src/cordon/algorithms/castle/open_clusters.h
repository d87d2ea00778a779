// SPDX-License-Identifier: Apache-2.0
//
// The tuples that wait, and the open clusters they are gathered in. Tuples lie in a ring by position; a cluster is a list
// through the ring, a box in a lane, and counts. People count once a cluster however many tuples they have: a person with
// one waiting tuple, the common case, needs no entry for that; others are counted by (cluster, person). As long as every
// person is known by the position of its tuple, as in a stream without a column of people, there is nobody to number.
//
// A cluster's box is always tight around its tuples when it is read, so nothing depends on the way it came about: a restored
// state goes on exactly like the saved one.
#pragma once

#include <cstdint>
#include <vector>

#include "cordon/algorithms/engine/box_lanes.h"
#include "cordon/algorithms/engine/group_requirements.h"
#include "cordon/base/hash_map.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

class OpenClusters {
 public:
  using Lane = std::int32_t;
  static constexpr Lane kNone = -1;

  OpenClusters(const BoxLoss& loss, const GroupRequirements& needs);

  // ---- the tuples
  // REQUIRES: tuple.position == last() + 1; it is in no cluster yet, and has to be put into one before anything is asked.
  void Arrive(const Tuple& tuple);
  Position first() const { return first_; }  // the oldest that waits; last() + 1 where none does
  Position last() const { return last_; }
  std::size_t held() const { return held_; }
  bool Holds(Position position) const { return position >= first_ && position <= last_ && owner_[Slot(position)] != kNone; }
  Lane owner(Position position) const { return owner_[Slot(position)]; }
  const double* point(Position position) const { return points_.data() + Slot(position) * loss_->num_axes(); }
  EventTime time(Position position) const { return times_[Slot(position)]; }
  PersonId person(Position position) const {
    return all_apart_ ? static_cast<PersonId>(position) : people_[person_[Slot(position)]].id;
  }
  // Small, and equal for equal people among those that wait.
  std::int32_t person_number(Position position) const {
    return all_apart_ ? static_cast<std::int32_t>(Slot(position)) : person_[Slot(position)];
  }
  // Of the attributes that GroupRequirements lists, in its order.
  const std::int32_t* values(Position position) const { return values_.data() + Slot(position) * needs_->diversity.size(); }

  // ---- the clusters
  std::size_t num_clusters() const { return num_clusters_; }
  std::size_t num_lanes() const { return clusters_.size(); }  // some are free: is_open
  bool is_open(Lane lane) const { return clusters_[lane].rows > 0; }
  std::int64_t id(Lane lane) const { return clusters_[lane].id; }
  std::int64_t people(Lane lane) const { return clusters_[lane].people; }
  bool Ready(Lane lane) const;
  // Whether all that waits would make one group.
  bool Feasible() const;
  LossBox box(Lane lane);
  BoxLanes& boxes();  // tight

  Lane Open(Position position, std::int64_t id);
  void Join(Lane lane, Position position);
  // The tuple leaves; its cluster becomes smaller, or is gone.
  void Remove(Position position);
  // The cluster `from` goes up in `into`, which may change its lane, not its id. Returns the lane.
  Lane Merge(Lane into, Lane from);
  // Nearest to the cluster by the enlargement it needs, then by age. REQUIRES: there is another.
  Lane Nearest(Lane lane);
  // All tuples of the cluster leave; they can be read until the next one arrives. In order of position.
  std::vector<Position> Close(Lane lane);

  // ---- for snapshots: sets where the ring starts, before the first Arrive.
  void StartAfter(Position position) {
    first_ = position + 1;
    last_ = position;
  }
  // The next position is that of a tuple that has left.
  void Skip();

 private:
  struct Cluster {
    std::int64_t id = 0;
    std::int64_t people = 0;
    std::size_t rows = 0;
    Position head = 0;
    Position tail = 0;
    bool loose = false;  // the box may be wider than its tuples
  };
  struct Person {
    PersonId id = 0;
    std::uint32_t rows = 0;
    Position only = 0;  // its one tuple; 0: counted in by_cluster_
  };

  std::size_t Slot(Position position) const { return static_cast<std::size_t>(position) & mask_; }
  static std::uint64_t Key(Lane lane, std::int32_t item) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(lane)) << 32 | static_cast<std::uint32_t>(item);
  }
  void Grow();
  void NumberPeople();
  std::int32_t Intern(PersonId id);
  void Release(std::int32_t person);
  void Link(Lane lane, Position position);
  void Unlink(Lane lane, Position position);
  void Count(Lane lane, Position position);
  void Discount(Lane lane, Position position);
  void CountPerson(Lane lane, Position position);
  void DiscountPerson(Lane lane, Position position);
  void CountEverywhere(Position position);
  void DiscountEverywhere(Position position);
  void Leave(Position position);
  void Loosen(Lane lane, Position position);
  void Tighten();
  void FreeLane(Lane lane);

  const BoxLoss* loss_;
  const GroupRequirements* needs_;

  // the ring
  std::size_t mask_;
  Position first_ = 1;
  Position last_ = 0;
  std::size_t held_ = 0;
  std::vector<double> points_;
  std::vector<EventTime> times_;
  std::vector<std::int32_t> person_;
  std::vector<std::int32_t> values_;
  std::vector<Lane> owner_;
  std::vector<Position> next_;
  std::vector<Position> previous_;

  // the people who wait
  bool all_apart_ = true;  // every tuple's person is its position, so no two are the same; nothing below is used
  KeyCounts person_of_;    // id -> number + 1
  std::vector<Person> people_;
  std::vector<std::int32_t> free_people_;
  KeyCounts by_cluster_;  // (lane, person) -> rows

  // by need: the values in each lane, and in lane kNone those of all that waits
  std::vector<KeyCounts> value_counts_;
  std::vector<std::int64_t> distinct_;          // lane x need
  std::vector<std::int64_t> distinct_overall_;  // by need

  std::vector<Cluster> clusters_;  // by lane
  std::vector<Lane> free_lanes_;
  std::vector<Lane> loose_;
  std::size_t num_clusters_ = 0;
  BoxLanes boxes_;
  std::vector<double> joined_;
};

}  // namespace cordon::engine
