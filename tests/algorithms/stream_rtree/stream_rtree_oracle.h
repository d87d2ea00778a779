// SPDX-License-Identifier: Apache-2.0
//
// The R-tree publisher once more, slowly and from its definition: leaves are lists of tuples, every box, penalty, sample count
// and sum is made again when it is asked for, the leaf of a tuple is found by comparing all of them, and due leaves by looking
// at all. It draws from the same random streams in the same order, so its departures must be those of the engine.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "cordon/algorithms/stream_rtree/chain_sampler.h"
#include "cordon/algorithms/stream_rtree/release_probability.h"
#include "cordon/algorithms/stream_rtree/stream_rtree.h"
#include "tests/algorithms/stream_run.h"

namespace cordon::engine::test {

class RtreeOracle {
 public:
  using Method = StreamRtreeOptions::Method;
  using Control = StreamRtreeOptions::Control;
  struct Member {
    Position position;
    PersonId person;
    std::vector<double> point;
    int holds = 0;
    std::int32_t value = 0;  // of the first sensitive attribute
  };
  struct Leaf {
    std::int64_t id;
    std::vector<Member> members;
    double due = std::numeric_limits<double>::infinity();
    std::optional<double> weight = {};
  };
  // Positions of what left together, ascending; of a group or of suppressed tuples.
  using Gone = std::pair<bool, std::vector<Position>>;

  // l: different values that a group needs; 0: they do not count.
  RtreeOracle(StreamSchema schema, std::int64_t k, StreamRtreeOptions options, const Random& random, std::int64_t l = 0)
      : schema_(std::move(schema)), k_(k), l_(l), options_(options), waits_(random.Substream("stream-rtree.waits")) {
    std::vector<double> ranges;
    for (const StreamAxis& axis : schema_.quasi) ranges.push_back(static_cast<double>(axis.hi - axis.lo));
    if (Sampled()) {
      sampler_.emplace(ranges, options.sample, options.sample_window, random.Substream("stream-rtree.sample"));
    }
  }

  std::set<Gone> Push(const Arrival& arrival) {
    gone_.clear();
    ++now_;
    Member member{now_, arrival.person, {}};
    if (l_ > 0) member.value = arrival.sensitive[0];
    for (std::size_t axis = 0; axis < schema_.quasi.size(); ++axis) {
      member.point.push_back(static_cast<double>(arrival.quasi[axis] - schema_.quasi[axis].lo));
    }
    if (Sampled()) sampler_->Step(member.point.data());
    if (options_.method == Method::kMinDelay) {
      MinDelay(member);
    } else {
      Insert(member);
      if (!warm_ && Held() >= options_.active) {
        warm_ = true;
        for (Leaf& leaf : leaves_) Schedule(leaf);
      }
      if (warm_) Instant();
    }
    KeepDelay();
    KeepCap();
    return Taken();
  }

  std::set<Gone> Flush() {
    gone_.clear();
    std::vector<Member> stranded;
    for (const Leaf& leaf : leaves_) {
      if (!Mature(leaf)) stranded.insert(stranded.end(), leaf.members.begin(), leaf.members.end());
    }
    std::sort(stranded.begin(), stranded.end(), [](const Member& a, const Member& b) { return a.position < b.position; });
    for (const Member& member : stranded) MoveToMature(member);
    while (!leaves_.empty()) {
      Leaf leaf = leaves_.back();
      leaves_.pop_back();
      if (leaf.members.empty()) continue;
      Gone gone{Mature(leaf), {}};
      for (const Member& member : leaf.members) gone.second.push_back(member.position);
      gone_.push_back(gone);
    }
    return Taken();
  }

  const std::vector<Leaf>& leaves() const { return leaves_; }

  double Penalty(const std::vector<Member>& members) const {
    double penalty = 0;
    for (std::size_t axis = 0; axis < schema_.quasi.size(); ++axis) {
      const auto [lo, hi] = Side(members, axis);
      penalty += (hi - lo) * Scale(axis);
    }
    return penalty;
  }

 private:
  bool Sampled() const { return options_.method == Method::kDensityAware || options_.method == Method::kFull; }
  bool Mature(const Leaf& leaf) const { return ShouldStop(leaf.members); }
  bool Full(const Leaf& leaf) const { return static_cast<std::int64_t>(leaf.members.size()) == 2 * k_; }
  bool ShouldStop(const std::vector<Member>& members) const {
    std::set<std::int32_t> values;
    for (const Member& member : members) {
      if (member.value != kNull) values.insert(member.value);
    }
    return static_cast<std::int64_t>(members.size()) >= k_ && static_cast<std::int64_t>(values.size()) >= l_;
  }
  std::int64_t Held() const {
    std::int64_t held = 0;
    for (const Leaf& leaf : leaves_) held += static_cast<std::int64_t>(leaf.members.size());
    return held;
  }
  double Scale(std::size_t axis) const {
    const StreamAxis& its = schema_.quasi[axis];
    return its.hi > its.lo ? its.weight / static_cast<double>(its.hi - its.lo) : 0;
  }
  static std::pair<double, double> Side(const std::vector<Member>& members, std::size_t axis) {
    double lo = members[0].point[axis];
    double hi = lo;
    for (const Member& member : members) {
      lo = std::min(lo, member.point[axis]);
      hi = std::max(hi, member.point[axis]);
    }
    return {lo, hi};
  }
  bool Inside(const double* point, const std::vector<Member>& members) const {
    for (std::size_t axis = 0; axis < schema_.quasi.size(); ++axis) {
      const auto [lo, hi] = Side(members, axis);
      if (point[axis] < lo || point[axis] > hi) return false;
    }
    return true;
  }
  static bool Has(const Leaf& leaf, PersonId person) {
    return std::any_of(leaf.members.begin(), leaf.members.end(), [&](const Member& m) { return m.person == person; });
  }

  std::optional<std::size_t> Nearest(const Member& member, bool mature) const {
    std::optional<std::size_t> best;
    std::tuple<double, double, std::size_t, std::int64_t> least;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const Leaf& leaf = leaves_[i];
      if (leaf.members.empty() || Full(leaf) || Has(leaf, member.person) || (mature && !Mature(leaf))) continue;
      double distance = 0;
      for (std::size_t axis = 0; axis < schema_.quasi.size(); ++axis) {
        const auto [lo, hi] = Side(leaf.members, axis);
        distance += std::max({lo - member.point[axis], member.point[axis] - hi, 0.0}) * Scale(axis);
      }
      const std::tuple key(distance, Penalty(leaf.members), leaf.members.size(), leaf.id);
      if (best && key >= least) continue;
      best = i;
      least = key;
    }
    return best;
  }

  void Insert(const Member& member) {
    std::optional<std::size_t> at = Nearest(member, false);
    if (!at) {
      leaves_.push_back({next_id_++, {}});
      at = leaves_.size() - 1;
    }
    Add(*at, member);
  }

  void Add(std::size_t at, const Member& member) {
    leaves_[at].members.push_back(member);
    if (Full(leaves_[at]) && Split(at)) Schedule(leaves_.back());
    Schedule(leaves_[at]);
  }

  // False: it has enough values, and no cut leaves enough on both sides.
  bool Split(std::size_t at) {
    std::vector<Member> best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t axis = 0; axis < std::max<std::size_t>(1, schema_.quasi.size()); ++axis) {
      std::vector<Member> sorted = leaves_[at].members;
      std::sort(sorted.begin(), sorted.end(), [&](const Member& a, const Member& b) {
        const double of_a = axis < a.point.size() ? a.point[axis] : 0;
        const double of_b = axis < b.point.size() ? b.point[axis] : 0;
        return std::tuple(of_a, a.position) < std::tuple(of_b, b.position);
      });
      const std::vector<Member> lower(sorted.begin(), sorted.begin() + k_);
      const std::vector<Member> upper(sorted.begin() + k_, sorted.end());
      const double cost = Penalty(lower) + Penalty(upper);
      if (cost >= least || (Mature(leaves_[at]) && !(ShouldStop(lower) && ShouldStop(upper)))) continue;
      least = cost;
      best = sorted;
    }
    if (best.empty()) return false;
    leaves_[at].id = next_id_++;
    leaves_[at].members.assign(best.begin(), best.begin() + k_);
    leaves_.push_back({next_id_++, {best.begin() + k_, best.end()}});
    return true;
  }

  std::int64_t SamplesIn(const Leaf& leaf) const {
    std::int64_t inside = 0;
    for (std::size_t chain = 0; chain < sampler_->num_chains(); ++chain) {
      inside += Inside(sampler_->point(chain), leaf.members) ? 1 : 0;
    }
    return inside;
  }

  void Schedule(Leaf& leaf) {
    leaf.due = std::numeric_limits<double>::infinity();
    leaf.weight.reset();
    if (!warm_ || !Mature(leaf)) return;
    const double penalty = Penalty(leaf.members);
    if (penalty == 0) {
      leaf.due = clock_;
      return;
    }
    const auto size = static_cast<std::int64_t>(leaf.members.size());
    double exponent = 0;
    if (Sampled()) {
      exponent = WaitExponent(size, k_, SmoothedShare(SamplesIn(leaf), options_.sample), std::log1p(options_.alpha),
                              options_.most_exponent);
    }
    leaf.weight = std::exp(LogWeight(penalty, exponent));
    const double unit = 1 - waits_.Unit();
    const auto of = static_cast<double>(size);
    leaf.due = clock_ + (gamma_ ? 1 + GeometricWait(std::min(1.0, *gamma_ * *leaf.weight / of), unit)
                                : -std::log(unit) * of / *leaf.weight);
    if (Full(leaf)) leaf.due = clock_;
  }

  void Instant() {
    double total = 0;
    for (const Leaf& leaf : leaves_) total += leaf.weight.value_or(0);
    if (gamma_) {
      clock_ = static_cast<double>(now_);
    } else if (total > 0) {
      clock_ +=
          (options_.control == Control::kLiteral ? 1 : static_cast<double>(Held()) / static_cast<double>(options_.active)) /
          total;
    }
    std::vector<Member> held;
    const bool published = PublishDue(held);
    std::sort(held.begin(), held.end(), [](const Member& a, const Member& b) { return a.position < b.position; });
    for (const Member& member : held) Insert(member);
    if (published) Rescue();
    Calibrate();
  }

  bool PublishDue(std::vector<Member>& held) {
    bool published = false;
    for (;;) {
      std::optional<std::size_t> next;
      for (std::size_t i = 0; i < leaves_.size(); ++i) {
        if (leaves_[i].due > clock_) continue;
        if (!next || std::tuple(leaves_[i].due, leaves_[i].id) < std::tuple(leaves_[*next].due, leaves_[*next].id)) next = i;
      }
      if (!next) return published;
      const std::vector<Position> holds = options_.method == Method::kFull ? Hold(leaves_[*next]) : std::vector<Position>{};
      for (Member member : leaves_[*next].members) {
        if (std::find(holds.begin(), holds.end(), member.position) == holds.end()) continue;
        ++member.holds;
        held.push_back(member);
      }
      Publish(*next, holds);
      published = true;
    }
  }

  std::vector<Position> Hold(const Leaf& leaf) const {
    std::vector<std::tuple<double, Position>> candidates;  // by minus the time, minus the position
    const std::int64_t need = SamplesNeeded(k_, options_.sample, options_.sample_window);
    for (const Member& member : leaf.members) {
      if (member.holds >= options_.max_holds) continue;
      if (options_.delay_tuples > 0 && member.position < now_ - options_.delay_tuples + 2) continue;
      std::vector<Member> box = {member};
      std::vector<std::size_t> unused;
      for (std::size_t chain = 0; chain < sampler_->num_chains(); ++chain) {
        if (sampler_->arrival(chain) != member.position && Inside(sampler_->point(chain), leaf.members))
          unused.push_back(chain);
      }
      bool enough = true;
      for (std::int64_t round = 0; round < need && enough; ++round) {
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        enough = false;
        for (std::size_t i = 0; i < unused.size(); ++i) {
          std::vector<Member> joined = box;
          joined.push_back(Sample(unused[i]));
          if (const double penalty = Penalty(joined); penalty < least) {
            least = penalty;
            best = i;
            enough = true;
          }
        }
        if (!enough) break;
        box.push_back(Sample(unused[best]));
        unused.erase(unused.begin() + static_cast<std::ptrdiff_t>(best));
      }
      if (!enough) continue;
      const double time = HoldTime(Penalty(leaf.members), Penalty(box), std::log1p(options_.alpha));
      if (time > 1) candidates.emplace_back(-time, -member.position);
    }
    std::sort(candidates.begin(), candidates.end());
    std::vector<Position> positions;
    std::vector<Member> staying = leaf.members;
    for (const auto& [time, minus] : candidates) {
      std::vector<Member> fewer;
      for (const Member& member : staying) {
        if (member.position != -minus) fewer.push_back(member);
      }
      if (!ShouldStop(fewer)) continue;
      staying = fewer;
      positions.push_back(-minus);
    }
    return positions;
  }
  Member Sample(std::size_t chain) const {
    return {0, 0, {sampler_->point(chain), sampler_->point(chain) + schema_.quasi.size()}};
  }

  void Publish(std::size_t at, const std::vector<Position>& held) {
    Gone gone{true, {}};
    for (const Member& member : leaves_[at].members) {
      if (std::find(held.begin(), held.end(), member.position) == held.end()) gone.second.push_back(member.position);
    }
    gone_.push_back(gone);
    Remove(at);
  }
  // The last takes the place, as in the engine: where ids tie nothing depends on it, but sums do by a last bit.
  void Remove(std::size_t at) {
    std::swap(leaves_[at], leaves_.back());
    leaves_.pop_back();
  }

  std::size_t LeafOf(Position position) const {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      for (const Member& member : leaves_[i].members) {
        if (member.position == position) return i;
      }
    }
    ADD_FAILURE() << "position " << position << " is in no leaf";
    return 0;
  }
  Position Oldest(const Leaf& leaf) const {
    Position oldest = std::numeric_limits<Position>::max();
    for (const Member& member : leaf.members) oldest = std::min(oldest, member.position);
    return oldest;
  }
  bool MoveToMature(const Member& member) {
    const auto to = Nearest(member, true);
    if (!to) return false;
    std::erase_if(leaves_[LeafOf(member.position)].members, [&](const Member& m) { return m.position == member.position; });
    Add(*to, member);
    return true;
  }
  void DropEmpty() {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i].members.empty()) return Remove(i);
    }
  }

  void Rescue() {
    std::optional<std::size_t> starved;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (Mature(leaves_[i]) || now_ - Oldest(leaves_[i]) <= 2 * options_.active) continue;
      if (!starved || Oldest(leaves_[i]) < Oldest(leaves_[*starved])) starved = i;
    }
    if (!starved) return;
    std::vector<Member> members = leaves_[*starved].members;
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.position < b.position; });
    for (const Member& member : members) MoveToMature(member);
    DropEmpty();
  }

  void Calibrate() {
    const std::int64_t end = std::max<std::int64_t>(5000, 5 * options_.active);
    if (options_.control != Control::kFixed || gamma_ || now_ > end) return;
    double sum = 0;
    for (const Leaf& leaf : leaves_) {
      if (Mature(leaf) && Penalty(leaf.members) > 0) sum += 1 / Penalty(leaf.members);
    }
    if (now_ > 2 * end / 5 && sum > 0) gammas_.push_back(1 / sum);
    if (now_ < end || gammas_.empty()) return;
    double mean = 0;
    for (const double gamma : gammas_) mean += gamma;
    gamma_ = mean / static_cast<double>(gammas_.size());
    clock_ = static_cast<double>(now_);
    for (Leaf& leaf : leaves_) Schedule(leaf);
  }

  void MinDelay(const Member& member) {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (!Full(leaves_[i]) && !Has(leaves_[i], member.person) && (!first || leaves_[i].id < leaves_[*first].id)) first = i;
    }
    if (!first) {
      leaves_.push_back({next_id_++, {}});
      first = leaves_.size() - 1;
    }
    leaves_[*first].members.push_back(member);
    if (Mature(leaves_[*first])) Publish(*first, {});
  }

  void Suppress(Position position) {
    gone_.push_back({false, {position}});
    const std::size_t at = LeafOf(position);
    std::erase_if(leaves_[at].members, [&](const Member& m) { return m.position == position; });
    if (leaves_[at].members.empty()) return Remove(at);
    Schedule(leaves_[at]);
  }
  std::optional<Position> OldestHeld() const {
    std::optional<Position> oldest;
    for (const Leaf& leaf : leaves_) oldest = std::min(oldest.value_or(Oldest(leaf)), Oldest(leaf));
    return oldest;
  }

  void KeepDelay() {
    while (options_.delay_tuples > 0 && OldestHeld() && *OldestHeld() <= now_ - options_.delay_tuples) {
      const Position position = *OldestHeld();
      std::size_t at = LeafOf(position);
      if (!Mature(leaves_[at])) {
        const auto member = *std::find_if(leaves_[at].members.begin(), leaves_[at].members.end(),
                                          [&](const Member& m) { return m.position == position; });
        if (options_.method == Method::kMinDelay || !MoveToMature(member)) {
          Suppress(position);
          continue;
        }
        DropEmpty();
        at = LeafOf(position);
      }
      Publish(at, {});
    }
  }

  void KeepCap() {
    while (Held() > options_.held_cap()) {
      std::optional<std::size_t> likeliest;
      std::tuple<double, std::int64_t> most;
      for (std::size_t i = 0; i < leaves_.size(); ++i) {
        if (!Mature(leaves_[i])) continue;
        const double chance = Penalty(leaves_[i].members) == 0
                                  ? std::numeric_limits<double>::infinity()
                                  : leaves_[i].weight.value_or(0) / static_cast<double>(leaves_[i].members.size());
        const std::tuple key(chance, -leaves_[i].id);
        if (likeliest && key <= most) continue;
        likeliest = i;
        most = key;
      }
      if (likeliest) {
        Publish(*likeliest, {});
      } else {
        Suppress(*OldestHeld());
      }
    }
  }

  // Suppressed tuples of one step leave as one.
  std::set<Gone> Taken() {
    std::set<Gone> taken;
    Gone suppressed{false, {}};
    for (Gone& gone : gone_) {
      if (!gone.first) {
        suppressed.second.insert(suppressed.second.end(), gone.second.begin(), gone.second.end());
        continue;
      }
      std::sort(gone.second.begin(), gone.second.end());
      taken.insert(gone);
    }
    std::sort(suppressed.second.begin(), suppressed.second.end());
    if (!suppressed.second.empty()) taken.insert(suppressed);
    return taken;
  }

  StreamSchema schema_;
  std::int64_t k_;
  std::int64_t l_;
  StreamRtreeOptions options_;
  Random waits_;
  std::optional<ChainSampler> sampler_;
  Position now_ = 0;
  bool warm_ = false;
  double clock_ = 0;
  std::optional<double> gamma_;
  std::vector<double> gammas_;
  std::int64_t next_id_ = 1;
  std::vector<Leaf> leaves_;
  std::vector<Gone> gone_;
};

}  // namespace cordon::engine::test
