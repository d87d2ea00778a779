// SPDX-License-Identifier: Apache-2.0
//
// CASTLE written down from its definition, slowly: clusters are lists of positions, every loss is worked out from the cells.
// It makes every decision that is not random itself, takes the random ones (how a large cluster was cut, which group was
// joined) from the engine's departures, and checks that they were possible. Exact where domains and numbers of axes are powers
// of two, so that ties are ties in both.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "cordon/algorithms/castle/castle.h"
#include "tests/algorithms/stream_run.h"

namespace cordon::engine::test {

class CastleOracle {
 public:
  using Box = std::vector<AxisRange>;
  using Members = std::vector<Position>;

  CastleOracle(StreamSchema schema, std::int64_t k, std::vector<std::int64_t> l, CastleOptions options)
      : schema_(std::move(schema)), k_(k), l_(std::move(l)), options_(options) {}

  void Push(Position position, const Arrival& arrival, const std::vector<Departure>& departures) {
    Read(departures);
    tuples_[position] = arrival;
    Place(position);
    last_ = position;
    now_ = std::max(now_, arrival.time);
    ExpireDue();
    EXPECT_TRUE(left_.empty()) << "more left than had to";
  }
  void Advance(EventTime now, const std::vector<Departure>& departures) {
    Read(departures);
    now_ = std::max(now_, now);
    if (options_.delay_ms > 0) ExpireDue();
    EXPECT_TRUE(left_.empty());
  }
  void Flush(const std::vector<Departure>& departures) {
    Read(departures);
    for (const Position position : Held()) {
      if (!Ready(Owner(position)->members)) TryReuse(position);
    }
    for (auto poor = OldestUnready(); poor != open_.end() && open_.size() > 1; poor = OldestUnready()) MergeNearest(poor->id);
    for (const Cluster& cluster : std::vector<Cluster>(open_)) {
      if (Ready(cluster.members)) Output(cluster.id);
    }
    for (const Position position : Held()) Suppress(position);
    EXPECT_TRUE(left_.empty());
  }

  double threshold() const {
    const std::size_t size = std::min<std::size_t>(losses_.size(), static_cast<std::size_t>(options_.history));
    double sum = 0;
    for (std::size_t i = losses_.size() - size; i < losses_.size(); ++i) sum += losses_[i];
    return size == 0 ? 0 : sum / static_cast<double>(size);
  }
  std::vector<Box> reusable() const {
    std::vector<Box> boxes;
    for (const Closed& closed : closed_) boxes.push_back(closed.box);
    return boxes;
  }
  std::size_t num_clusters() const { return open_.size(); }
  std::size_t num_held() const { return Held().size(); }

 private:
  struct Cluster {
    std::int64_t id;
    Members members;
  };
  struct Closed {
    Box box;
    std::int64_t group;
    std::int64_t since;
  };
  using Clusters = std::vector<Cluster>;

  void Read(const std::vector<Departure>& departures) {
    for (const Departure& departure : departures) {
      for (const Position position : departure.positions) left_[position] = departure;
    }
  }
  Clusters::iterator Owner(Position position) {
    return std::find_if(open_.begin(), open_.end(), [&](const Cluster& cluster) {
      return std::find(cluster.members.begin(), cluster.members.end(), position) != cluster.members.end();
    });
  }
  Clusters::iterator Find(std::int64_t id) {
    return std::find_if(open_.begin(), open_.end(), [&](const Cluster& cluster) { return cluster.id == id; });
  }
  Members Held() const {
    Members held;
    for (const Cluster& cluster : open_) held.insert(held.end(), cluster.members.begin(), cluster.members.end());
    std::sort(held.begin(), held.end());
    return held;
  }

  Box BoxOf(const Members& members) const {
    Box box;
    for (std::size_t axis = 0; axis < schema_.quasi.size(); ++axis) {
      AxisRange range{INT64_MAX, INT64_MIN};
      for (const Position position : members) {
        range.lo = std::min(range.lo, tuples_.at(position).quasi[axis]);
        range.hi = std::max(range.hi, tuples_.at(position).quasi[axis]);
      }
      if (const Hierarchy* hierarchy = schema_.quasi[axis].hierarchy.get()) {
        AxisRange best{hierarchy->first_leaf(kRoot), hierarchy->last_leaf(kRoot)};  // the smallest node that covers them
        for (NodeId node = 0; node < hierarchy->num_nodes(); ++node) {
          const AxisRange under{hierarchy->first_leaf(node), hierarchy->last_leaf(node)};
          if (under.lo <= range.lo && under.hi >= range.hi && under.hi - under.lo < best.hi - best.lo) best = under;
        }
        range = best;
      }
      box.push_back(range);
    }
    return box;
  }
  double LossOf(const Box& box) const {
    double sum = 0;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      const StreamAxis& its = schema_.quasi[axis];
      const auto width = static_cast<double>(box[axis].hi - box[axis].lo);
      const auto domain = static_cast<double>(its.hi - its.lo);
      if (domain == 0 || width == 0) continue;
      const bool thesis = its.hierarchy != nullptr && options_.loss == BoxLoss::Form::kThesis;
      sum += thesis ? (width + 1) / (domain + 1) : width / domain;
    }
    return sum / static_cast<double>(box.size());
  }
  double LossOf(const Members& members) const { return LossOf(BoxOf(members)); }
  static Members Union(Members a, const Members& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  std::size_t People(const Members& members) const {
    std::set<PersonId> people;
    for (const Position position : members) people.insert(tuples_.at(position).person);
    return people.size();
  }
  bool Ready(const Members& members) const {
    if (static_cast<std::int64_t>(People(members)) < k_) return false;
    for (std::size_t i = 0; i < l_.size(); ++i) {
      std::set<std::int32_t> values;
      for (const Position position : members) {
        if (tuples_.at(position).sensitive[i] != kNull) values.insert(tuples_.at(position).sensitive[i]);
      }
      if (static_cast<std::int64_t>(values.size()) < l_[i]) return false;
    }
    return true;
  }

  void Place(Position position) {
    double least = 2;
    for (const Cluster& cluster : open_) least = std::min(least, Enlargement(cluster, position));
    Cluster* best = nullptr;
    for (const bool any : {false, true}) {
      if (any && static_cast<std::int64_t>(open_.size()) < options_.max_open) break;
      for (Cluster& cluster : open_) {
        if (Enlargement(cluster, position) != least) continue;
        if (!any && LossOf(Union(cluster.members, {position})) > threshold()) continue;
        if (best == nullptr || People(cluster.members) < People(best->members)) best = &cluster;
      }
      if (best != nullptr) break;
    }
    if (best == nullptr) {
      open_.push_back({++last_id_, {position}});
    } else {
      best->members.push_back(position);
    }
  }
  double Enlargement(const Cluster& cluster, Position position) const {
    return LossOf(Union(cluster.members, {position})) - LossOf(cluster.members);
  }

  bool Due(Position position) const {
    return options_.delay_ms > 0 ? now_ - tuples_.at(position).time >= options_.delay_ms
                                 : last_ - position >= options_.delay_tuples;
  }
  void ExpireDue() {
    for (Members held = Held(); !held.empty() && Due(held.front()); held = Held()) Expire(held.front());
  }
  void Expire(Position position) {
    const std::int64_t id = Owner(position)->id;
    if (!Ready(Find(id)->members)) {
      if (TryReuse(position)) return;
      std::size_t larger = 0;
      for (const Cluster& cluster : open_) larger += People(cluster.members) > People(Find(id)->members) ? 1 : 0;
      if ((options_.outlier && 2 * larger > open_.size()) || !Ready(Held())) return Suppress(position);
      while (!Ready(Find(id)->members)) MergeNearest(id);
    }
    Output(id);
  }
  void MergeNearest(std::int64_t id) {
    const Members own = Find(id)->members;
    const Cluster* nearest = nullptr;
    for (const Cluster& cluster : open_) {
      if (cluster.id == id) continue;
      if (nearest == nullptr || LossOf(Union(own, cluster.members)) < LossOf(Union(own, nearest->members))) nearest = &cluster;
    }
    const std::int64_t other = nearest->id;
    Find(id)->members = Union(own, nearest->members);
    open_.erase(Find(other));
  }
  Clusters::iterator OldestUnready() {
    for (const Position position : Held()) {
      if (!Ready(Owner(position)->members)) return Owner(position);
    }
    return open_.end();
  }

  bool TryReuse(Position position) {
    const std::int64_t clock = options_.delay_ms > 0 ? now_ : last_;
    const std::int64_t life = options_.reuse_ttl.value_or(10 * std::max(options_.delay_tuples, options_.delay_ms));
    while (!closed_.empty() && closed_.front().since < clock - life) closed_.pop_front();
    std::vector<const Closed*> covering;
    for (const Closed& closed : closed_) {
      bool inside = true;
      for (std::size_t axis = 0; axis < closed.box.size(); ++axis) {
        const std::int64_t value = tuples_.at(position).quasi[axis];
        inside = inside && closed.box[axis].lo <= value && value <= closed.box[axis].hi;
      }
      if (inside) covering.push_back(&closed);
    }
    if (covering.empty()) return false;
    EXPECT_TRUE(left_.contains(position)) << position;
    const Departure departure = left_[position];
    const auto taken =
        std::find_if(covering.begin(), covering.end(), [&](const Closed* closed) { return closed->group == departure.group; });
    EXPECT_TRUE(taken != covering.end()) << position << " joined no group that covers it";
    if (taken != covering.end()) {
      EXPECT_EQ((*taken)->box, departure.box);
    }
    Drop(position);
    return true;
  }
  void Suppress(Position position) {
    EXPECT_TRUE(left_.contains(position)) << position;
    EXPECT_EQ(left_[position].kind, Departure::Kind::kSuppressed) << position;
    Drop(position);
  }
  void Drop(Position position) {
    const auto owner = Owner(position);
    std::erase(owner->members, position);
    if (owner->members.empty()) open_.erase(owner);
    left_.erase(position);
  }

  void Output(std::int64_t id) {
    const Members members = Find(id)->members;
    open_.erase(Find(id));
    std::map<std::int64_t, Members> parts;  // in the order they were made
    for (const Position position : members) {
      ASSERT_TRUE(left_.contains(position)) << position << " should have left";
      ASSERT_EQ(left_[position].kind, Departure::Kind::kGroup) << position;
      parts[left_[position].group].push_back(position);
    }
    const bool large = static_cast<std::int64_t>(People(members)) >= 2 * k_;
    EXPECT_TRUE(large || parts.size() == 1) << "a small cluster was cut";
    EXPECT_TRUE(!large || !l_.empty() || parts.size() >= 2) << "a large cluster was not cut";
    for (const auto& [group, part] : parts) {
      const Departure departure = left_[part.front()];
      EXPECT_TRUE(Ready(part)) << "a part has too little";
      EXPECT_EQ(departure.box, BoxOf(part)) << "not tight";
      Close(group, departure);
      for (const Position position : part) left_.erase(position);
    }
  }
  void Close(std::int64_t group, const Departure& departure) {
    losses_.push_back(LossOf(departure.box));
    bool admitted = options_.reuse != CastleOptions::Reuse::kOff && losses_.back() < threshold() && options_.reuse_cap > 0;
    for (const Closed& closed : closed_) {
      bool apart = false;
      for (std::size_t axis = 0; axis < closed.box.size(); ++axis) {
        apart = apart || closed.box[axis].hi < departure.box[axis].lo || closed.box[axis].lo > departure.box[axis].hi;
      }
      if (closed.box == departure.box || (!apart && options_.reuse == CastleOptions::Reuse::kDisjoint)) admitted = false;
    }
    EXPECT_EQ(departure.reusable, admitted);
    if (!admitted) return;
    closed_.push_back({departure.box, group, options_.delay_ms > 0 ? now_ : last_});
    if (static_cast<std::int64_t>(closed_.size()) > options_.reuse_cap) closed_.pop_front();
  }

  StreamSchema schema_;
  std::int64_t k_;
  std::vector<std::int64_t> l_;  // by sensitive attribute
  CastleOptions options_;
  std::map<Position, Arrival> tuples_;
  Clusters open_;  // by age
  std::deque<Closed> closed_;
  std::vector<double> losses_;
  std::map<Position, Departure> left_;  // by the engine, not yet explained
  Position last_ = 0;
  EventTime now_ = INT64_MIN / 2;
  std::int64_t last_id_ = 0;
};

}  // namespace cordon::engine::test
