// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/group_growth.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "cordon/algorithms/closeness/live_rows.h"
#include "cordon/algorithms/closeness/rare_value_box.h"

namespace cordon::engine {
namespace {

class Grower {
 public:
  Grower(SearchGroups& groups, const SearchRows& rows, const NeighbourOrders& orders, const MixLookahead& outlook,
         const BoxSpans& spans, const ValueClasses& classes, const GrowthOptions& options, const ClosenessTuning& tuning,
         QuickRandom& random)
      : groups_(groups),
        rows_(rows),
        orders_(orders),
        outlook_(outlook),
        spans_(spans),
        classes_(classes),
        options_(options),
        tuning_(tuning),
        random_(random),
        alive_(orders, std::min(tuning.growth_orders, orders.size())),
        left_(classes.size()),
        stamps_(rows_.size()),
        hosts_(rows_, spans, outlook),
        scratch_(groups.Add({})) {
    for (Place row = 0; row < rows_.size(); ++row) {
      if (groups_.group_of(row) == kNoGroup) {
        ++left_[rows_.value_classes[row]];
        ++num_left_;
      } else {
        alive_.Remove(row);
      }
    }
  }

  // Rows of values that need larger groups than the cores, those of the largest need first; of those that need boxes, the
  // one with the narrowest is next. What it takes makes the others' wider, never narrower, so most need not be looked at
  // again before their turn.
  void Rare(const Run& run) {
    std::vector<std::uint32_t> seeds;
    for (const std::uint32_t row : ShuffledRows()) {
      if (outlook_.Need(rows_.values[row]) > options_.size) seeds.push_back(row);
    }
    std::stable_sort(seeds.begin(), seeds.end(), [&](std::uint32_t a, std::uint32_t b) {
      return outlook_.Need(rows_.values[a]) > outlook_.Need(rows_.values[b]);
    });
    std::size_t next = 0;
    while (next < seeds.size() && !run.ShouldStop()) {
      const std::int64_t need = outlook_.Need(rows_.values[seeds[next]]);
      const std::size_t first = next;
      while (next < seeds.size() && next < tuning_.most_hosts && outlook_.Need(rows_.values[seeds[next]]) == need) ++next;
      if (need >= tuning_.host_size && next > first) {
        HostAll(std::span(seeds).subspan(first, next - first), need, run);
        continue;
      }
      next = first + 1;
      const std::uint32_t seed = seeds[first];
      if (groups_.group_of(seed) == kNoGroup && num_left_ >= need) Grow(seed, need, MixLookahead::kRefused);
    }
  }

  // Until `cover` of the rows are in groups: seeds of the rows that are left would make wide ones.
  void Cores(const Run& run) {
    const bool narrow =
        options_.cover < tuning_.nearly_all;  // else all but the last seeds are to make groups, wide as they may be
    const float most_loss = narrow ? tuning_.most_loss * spans_.Whole() : MixLookahead::kRefused;
    const double enough = options_.cover < 1 ? (1 - options_.cover) * static_cast<double>(rows_.size()) : 0;
    std::size_t attempts = rows_.size();
    if (narrow) attempts = 2 * rows_.size() / static_cast<std::size_t>(options_.size) + 1;
    for (const std::uint32_t seed : ShuffledRows()) {
      if (groups_.group_of(seed) != kNoGroup) continue;
      if (static_cast<double>(num_left_) < enough || num_left_ < options_.size || attempts-- == 0 || run.ShouldStop()) return;
      Grow(seed, options_.size, most_loss);
    }
  }

 private:
  struct Candidate {
    std::uint32_t row = 0;
    float loss = 0;  // of the box with it, when that was last computed
    std::uint8_t value_class = 0;
  };

  std::vector<std::uint32_t> ShuffledRows() {
    std::vector<std::uint32_t> all(rows_.size());
    std::iota(all.begin(), all.end(), 0U);
    for (std::size_t left = all.size(); left > 1; --left) std::swap(all[left - 1], all[random_.Below(left)]);
    return all;
  }

  void Grow(Place seed, std::int64_t size, float most_loss) { Fill(seed, size, most_loss) ? Keep() : GiveBack(); }

  // Into the scratch group. False if it does not come to an admitted group.
  bool Fill(Place seed, std::int64_t size, float most_loss) {
    GatherPool(seed, size);
    Take(seed);
    std::int64_t target = 0;
    while (num_taken() < size || !groups_.Admitted(scratch_)) {
      const std::int64_t rows = num_taken();
      // Where rounding keeps the mix from fitting, more rows may do.
      if (rows >= (outlook_.HasCaps() ? size : 2 * size)) return false;
      if (const std::int64_t wanted = std::max(size, rows + 1); wanted != target) {
        target = wanted;
        closed_.assign(classes_.size(), false);
      }
      const std::size_t best = Next(rows, target);
      if (best == pool_.size()) return false;
      Take(pool_[best].row);
      if (groups_.loss(scratch_) > most_loss) return false;
      pool_[best] = pool_.back();
      pool_.pop_back();
    }
    return true;
  }

  // Of the pool: the row that widens the box least and leaves a way to the wanted size. Looking ahead costs most, so it is
  // done for the best row only, and a class that leads nowhere is not looked at again.
  std::size_t Next(std::int64_t rows, std::int64_t target) {
    outlook_.Charge(counts_, rows, target, charges_);
    for (std::size_t c = 0; c < charges_.size(); ++c) charges_[c] += bias_[c];
    for (;;) {
      float least = MixLookahead::kRefused / 2;
      std::size_t best = pool_.size();
      for (std::size_t i = 0; i < pool_.size(); ++i) {
        Candidate& candidate = pool_[i];
        const float charge = charges_[candidate.value_class];
        // What it was in a smaller box is no more than what it is.
        if (candidate.loss + charge >= least || closed_[candidate.value_class]) continue;
        candidate.loss = groups_.LossWith(scratch_, groups_.ranks(candidate.row));
        const float score = candidate.loss + charge;
        if (score < least && WithinCap(candidate.row, target)) {
          least = score;
          best = i;
        }
      }
      if (best == pool_.size()) return best;
      const std::size_t value_class = pool_[best].value_class;
      if (outlook_.Reaches(value_class, counts_, rows, target, left_)) return best;
      closed_[value_class] = true;
    }
  }

  bool WithinCap(std::size_t row, std::int64_t size) const {
    if (!outlook_.HasCaps()) return true;
    const Code value = rows_.values[row];
    std::int64_t held = 0;
    for (const Place member : groups_.rows(scratch_)) held += rows_.values[member] == value;
    return held + 1 <= outlook_.Cap(value, size);
  }

  void GatherPool(Place seed, std::int64_t size) {
    ++stamp_;
    stamps_[seed] = stamp_;
    pool_.clear();
    const std::size_t reach = std::max(tuning_.least_reach, static_cast<std::size_t>(size) / 4);
    for (std::size_t order = 0; order < alive_.num_orders(); ++order) {
      for (std::size_t c = 0; c < classes_.size(); ++c) {
        alive_.ForNeighbours(order, c, orders_.FindInClass(order, c, orders_.position(order, seed)), reach,
                             [&](std::uint32_t row) {
                               if (stamps_[row] == stamp_) return;
                               stamps_[row] = stamp_;
                               pool_.push_back({row, 0, rows_.value_classes[row]});
                             });
      }
    }
    counts_.assign(classes_.size(), 0);
    bias_.assign(classes_.size(), 0);
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      if (classes_.rows(c) == 0) continue;
      const double share = classes_.share(c);
      bias_[c] = -tuning_.supply_bias *
                 static_cast<float>((static_cast<double>(left_[c]) / static_cast<double>(num_left_) - share) / share);
    }
  }

  void HostAll(std::span<const std::uint32_t> seeds, std::int64_t size, const Run& run) {
    struct Turn {
      float loss;
      std::uint32_t number;
      bool operator<(const Turn& other) const { return std::pair(loss, number) > std::pair(other.loss, other.number); }
    };
    std::priority_queue<Turn> turns;
    for (std::uint32_t number = 0; number < seeds.size(); ++number) turns.push({0, number});
    std::vector<std::uint32_t> alive;
    for (std::size_t row = 0; row < rows_.size(); ++row) alive.push_back(static_cast<std::uint32_t>(row));
    bool stale = true;  // some of them are in groups
    while (!turns.empty() && num_left_ >= size && !run.ShouldStop()) {
      const Turn turn = turns.top();
      turns.pop();
      const std::uint32_t seed = seeds[turn.number];
      if (groups_.group_of(seed) != kNoGroup) continue;
      if (stale) std::erase_if(alive, [&](std::uint32_t row) { return groups_.group_of(row) != kNoGroup; });
      stale = false;
      const RareValueBoxes::Box box = hosts_.Around(seed, size, alive);
      if (turns.empty() || box.loss <= tuning_.narrowest * turns.top().loss) {
        Host(seed, size, box.rows);
        stale = true;
      } else {
        turns.push({box.loss, turn.number});
      }
    }
  }

  void Host(Place seed, std::int64_t size, std::span<const std::uint32_t> around) {
    counts_.assign(classes_.size(), 0);
    Take(seed);
    std::vector<std::int64_t> held(hosts_.num_values());
    ++held[rows_.values[seed]];
    for (const std::uint32_t row : around) {
      if (num_taken() >= size) break;
      std::int64_t& of_value = held[rows_.values[row]];
      if (of_value + 1 > outlook_.Cap(rows_.values[row], size)) continue;
      ++of_value;
      Take(row);
    }
    groups_.Admitted(scratch_) ? Keep() : GiveBack();
  }

  void Take(Place row) {
    groups_.Insert(scratch_, row);
    ++counts_[rows_.value_classes[row]];
  }

  void Keep() {
    for (const Place row : groups_.rows(scratch_)) {
      alive_.Remove(row);
      --left_[rows_.value_classes[row]];
      --num_left_;
    }
    scratch_ = groups_.Add({});
  }

  void GiveBack() {
    while (num_taken() > 0) groups_.Remove(groups_.rows(scratch_).back());
  }

  std::int64_t num_taken() const { return static_cast<std::int64_t>(groups_.rows(scratch_).size()); }

  SearchGroups& groups_;
  const SearchRows& rows_;
  const NeighbourOrders& orders_;
  const MixLookahead& outlook_;
  const BoxSpans& spans_;
  const ValueClasses& classes_;
  const GrowthOptions& options_;
  const ClosenessTuning& tuning_;
  QuickRandom& random_;
  LiveRows alive_;
  std::vector<std::int64_t> left_;  // rows in no group, by class
  std::int64_t num_left_ = 0;
  std::vector<std::uint32_t> stamps_;  // by row: the pool it was last put into
  std::uint32_t stamp_ = 0;
  std::vector<Candidate> pool_;
  std::vector<std::int32_t> counts_;  // of the scratch group, by class
  std::vector<float> charges_;
  std::vector<float> bias_;
  std::vector<bool> closed_;  // classes of which no row leaves a way to the wanted size
  RareValueBoxes hosts_;
  GroupId scratch_;
};

}  // namespace

void GrowGroups(SearchGroups& groups, const SearchRows& rows, const NeighbourOrders& orders, const MixLookahead& outlook,
                const BoxSpans& spans, const ValueClasses& classes, const GrowthOptions& options, const ClosenessTuning& tuning,
                QuickRandom& random, const Run& run) {
  Grower grower(groups, rows, orders, outlook, spans, classes, options, tuning, random);
  if (outlook.HasCaps()) grower.Rare(run);
  grower.Cores(run);
}

}  // namespace cordon::engine
