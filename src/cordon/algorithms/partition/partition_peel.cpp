// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/partition_peel.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include "cordon/algorithms/partition/rank_lanes.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr double kAboveAll = 1.05;                  // times what a suppressed row loses: even the widest groups lose less
constexpr std::size_t kMaxInsertions = 50'000'000;  // boxes looked at to place rows that are left over

template <typename Lane>
class Peeling {
 public:
  Peeling(const View& view, const RankSpace& space, GroupGate& gate, const LatticeCells& cells, double price)
      : space_(space),
        gate_(gate),
        cells_(cells),
        price_(price),
        left_(cells.all()),
        place_of_(view.data().num_rows),
        width_(Lanes::Width(space.num_quasi())) {
    for (std::size_t place = 0; place < view.size(); ++place) place_of_[view.rows()[place]] = static_cast<Place>(place);
    quasi_.resize(space.num_quasi());
    std::iota(quasi_.begin(), quasi_.end(), std::size_t{0});
    ranks_.resize(cells.num_cells() * width_);
    for (std::size_t cell = 0; cell < cells.num_cells(); ++cell) {
      for (std::size_t q = 0; q < quasi_.size(); ++q) {
        ranks_[cell * width_ + q] = static_cast<Lane>(space.rank_of(q, cells.code(q, cell)));
      }
    }
  }

  RowSets Run(const cordon::engine::Run& run) {
    Begin(run);
    LevelVector levels = top_;
    while (!left_.cells.empty() && !run.Stopped()) {
      Climb(levels);
      if (SetAside(levels)) continue;
      if (levels == top_) break;
      levels = top_;
      if (!SetAside(levels)) break;
    }
    PlaceTheRest();
    return std::move(groups_);
  }

  // Only groups that lose less than the price are set aside, and the price rises from where the first share of the rows goes.
  // It rises whenever less than that share would go, up to the price of saying nothing, so it ends.
  RowSets RunFinest(const PartitionTuning& tuning, const FinestSteps& steps, const cordon::engine::Run& run) {
    Begin(run);
    capped_ = true;
    const double whole = space_.suppressed_loss();
    const auto least_rows =
        std::max<std::size_t>(1, static_cast<std::size_t>(tuning.finest_share * static_cast<double>(space_.num_rows())));
    LevelVector levels = top_;
    for (price_ = whole * kAboveAll; price_ > tuning.finest_price * whole && !run.Stopped(); price_ *= steps.fall) {
      LevelVector next = levels;
      Climb(next);
      if (NumAdmitted(next) < least_rows) break;
      levels = std::move(next);
    }
    while (!left_.cells.empty() && !run.Stopped() && price_ <= whole) {
      Climb(levels);
      if (NumAdmitted(levels) >= least_rows) {
        SetAside(levels);
        continue;
      }
      price_ *= steps.rise;
      if (steps.from == FinestSteps::From::kTop) levels = DownTo(price_, steps.fall);
    }
    capped_ = false;
    if (!left_.cells.empty()) SetAside(top_);
    PlaceTheRest();
    return std::move(groups_);
  }

 private:
  using Lanes = internal::RankLanes<Lane>;

  // How the cells that are left fall into groups at some levels. Keeps its memory: one per thread.
  struct Look {
    Look(const LatticeCells& cells, const GroupGate& asked) : grouper(cells), gate(asked) {}
    CellGrouper grouper;
    GroupGate gate;
    std::vector<std::uint32_t> rows;  // by group
    std::vector<char> admitted;
    std::vector<double> losses;
    std::vector<Lane> boxes;
    std::vector<std::uint32_t> starts;
    std::vector<std::uint32_t> by_group;
    std::vector<Place> members;
  };

  void Begin(const cordon::engine::Run& run) {
    // One for each thread, and no more than there are neighbours.
    const auto workers = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(run.threads, 1)), 1, 2 * quasi_.size());
    for (std::size_t i = 0; i < workers; ++i) looks_.emplace_back(cells_, gate_);
    top_ = cells_.Top();
  }

  // Where climbing leads from the top while the price falls to the given one: each optimum is near the one before.
  LevelVector DownTo(double price, double fall) {
    LevelVector levels = top_;
    for (price_ = space_.suppressed_loss() * kAboveAll; price_ > price; price_ *= fall) Climb(levels);
    price_ = price;
    return levels;
  }

  // Rows.
  std::size_t NumAdmitted(const LevelVector& levels) {
    Look& look = looks_[0];
    Group(look, levels);
    Fit(look);
    std::size_t rows = 0;
    for (std::size_t group = 0; group < look.rows.size(); ++group) rows += look.admitted[group] != 0 ? look.rows[group] : 0;
    return rows;
  }

  // The losses of the boxes of admitted groups. If they are capped, those that lose the price or more are not admitted.
  void Fit(Look& look) const {
    const std::size_t size = 2 * width_;
    if (look.boxes.size() < look.rows.size() * size) look.boxes.resize(look.rows.size() * size);
    for (std::size_t group = 0; group < look.rows.size(); ++group) {
      if (look.admitted[group] != 0) Lanes::Empty(&look.boxes[group * size], width_);
    }
    for (std::size_t i = 0; i < left_.cells.size(); ++i) {
      const std::uint32_t group = look.grouper.group_of(i);
      if (look.admitted[group] != 0) Lanes::Include(&look.boxes[group * size], &ranks_[left_.cells[i] * width_], width_);
    }
    look.losses.assign(look.rows.size(), 0);
    for (std::size_t group = 0; group < look.rows.size(); ++group) {
      if (look.admitted[group] == 0) continue;
      const Lane* const box = &look.boxes[group * size];
      double loss = 0;
      for (std::size_t q = 0; q < quasi_.size(); ++q) loss += space_.Span(q, box[q], box[width_ + q]);
      look.losses[group] = loss;
      if (capped_ && loss >= price_) look.admitted[group] = 0;
    }
  }

  struct Near {
    LevelVector levels;
    double score = std::numeric_limits<double>::infinity();
  };

  std::vector<Near> NearTo(const LevelVector& levels) const {
    std::vector<Near> all;
    for (std::size_t q = 0; q < levels.size(); ++q) {
      for (const int step : {-1, 1}) {
        const int level = levels[q] + step;
        if (level < 0 || level > top_[q]) continue;
        all.push_back({levels});
        all.back().levels[q] = static_cast<std::uint8_t>(level);
      }
    }
    return all;
  }

  void Climb(LevelVector& levels) {
    double score = Score(looks_[0], levels, std::numeric_limits<double>::infinity());
    while (true) {
      std::vector<Near> all = NearTo(levels);
      std::atomic<std::size_t> next = 0;
      // What one thread has seen spares it the rest of those that are not better. It takes them in order, so the first of the
      // best is always scored to the end, whichever thread takes it.
      ParallelFor(static_cast<int>(looks_.size()), looks_.size(), 1, [&](std::size_t worker, std::size_t, std::size_t) {
        double least = score - kGainMargin;
        for (std::size_t i = next++; i < all.size(); i = next++) {
          const double at = Score(looks_[worker], all[i].levels, least);
          if (at >= least) continue;
          least = at;
          all[i].score = at;
        }
      });
      const auto best =
          std::min_element(all.begin(), all.end(), [](const Near& a, const Near& b) { return a.score < b.score; });
      if (best == all.end() || best->score == std::numeric_limits<double>::infinity()) return;
      levels = best->levels;
      score = best->score;
    }
  }

  // Which groups at these levels are admitted, and how many rows are not in one.
  std::size_t Group(Look& look, const LevelVector& levels) const {
    const std::size_t num_groups = look.grouper.Group(left_, quasi_, levels);
    look.rows.assign(num_groups, 0);
    for (std::size_t i = 0; i < left_.cells.size(); ++i) look.rows[look.grouper.group_of(i)] += left_.rows[i];
    look.admitted.assign(num_groups, 0);
    for (std::size_t group = 0; group < num_groups; ++group) look.admitted[group] = look.rows[group] >= gate_.min_rows();
    if (!gate_.rows_decide()) AskModel(look, num_groups);
    std::size_t rest = 0;
    for (std::size_t group = 0; group < num_groups; ++group) rest += look.admitted[group] != 0 ? 0 : look.rows[group];
    return rest;
  }

  void AskModel(Look& look, std::size_t num_groups) const {
    look.starts.assign(num_groups + 1, 0);
    for (const std::uint32_t group : look.grouper.groups()) ++look.starts[group + 1];
    std::partial_sum(look.starts.begin(), look.starts.end(), look.starts.begin());
    look.by_group.resize(left_.cells.size());
    std::vector<std::uint32_t> next(look.starts.begin(), look.starts.end() - 1);
    for (std::size_t i = 0; i < look.by_group.size(); ++i) look.by_group[next[look.grouper.group_of(i)]++] = left_.cells[i];
    for (std::size_t group = 0; group < num_groups; ++group) {
      if (look.admitted[group] == 0) continue;
      look.members.clear();
      for (std::uint32_t i = look.starts[group]; i < look.starts[group + 1]; ++i) {
        for (const RowId row : cells_.rows(look.by_group[i])) look.members.push_back(place_of_[row]);
      }
      look.admitted[group] = look.gate.Admits(look.members);
    }
  }

  // Loss of the admitted groups' boxes plus the price of the rest; anything not below the bound if it cannot be.
  double Score(Look& look, const LevelVector& levels, double bound) const {
    const std::size_t rest = Group(look, levels);
    double score = price_ * static_cast<double>(rest);
    if (score >= bound) return score;
    Fit(look);
    score = 0;
    for (std::size_t group = 0; group < look.rows.size(); ++group) {
      score += look.rows[group] * (look.admitted[group] != 0 ? look.losses[group] : price_);
    }
    return score;
  }

  // False if no group is admitted at these levels.
  bool SetAside(const LevelVector& levels) {
    Look& look = looks_[0];
    Group(look, levels);
    if (capped_) Fit(look);
    const std::size_t first = groups_.size();
    std::vector<std::size_t> number(look.rows.size());
    for (std::size_t group = 0; group < look.rows.size(); ++group) {
      number[group] = groups_.size();
      if (look.admitted[group] != 0) groups_.emplace_back();
    }
    CellSet left{left_.levels, {}, {}, std::vector<std::vector<Code>>(quasi_.size())};
    for (std::size_t i = 0; i < left_.cells.size(); ++i) {
      const std::uint32_t cell = left_.cells[i];
      const std::uint32_t group = look.grouper.group_of(i);
      if (look.admitted[group] != 0) {
        for (const RowId row : cells_.rows(cell)) groups_[number[group]].push_back(place_of_[row]);
        continue;
      }
      left.cells.push_back(cell);
      left.rows.push_back(left_.rows[i]);
      for (std::size_t q = 0; q < quasi_.size(); ++q) left.codes[q].push_back(left_.codes[q][i]);
    }
    left_ = std::move(left);
    for (std::size_t group = first; group < groups_.size(); ++group) std::sort(groups_[group].begin(), groups_[group].end());
    return groups_.size() > first;
  }

  // Rows that alone are not a group join the groups that take them up most cheaply, or, if a model could mind
  // that, are put together with whole groups until it does not.
  void PlaceTheRest() {
    std::vector<Place> rest;
    for (const std::uint32_t cell : left_.cells) {
      for (const RowId row : cells_.rows(cell)) rest.push_back(place_of_[row]);
    }
    if (rest.empty()) return;
    std::sort(rest.begin(), rest.end());
    if (gate_.model().monotone() && !groups_.empty() && rest.size() * groups_.size() <= kMaxInsertions) {
      for (const Place row : rest) JoinCheapest(row);
      return;
    }
    while (!groups_.empty() && !gate_.Admits(rest)) {
      rest.insert(rest.end(), groups_.back().begin(), groups_.back().end());
      groups_.pop_back();
    }
    std::sort(rest.begin(), rest.end());
    groups_.push_back(std::move(rest));
  }

  void JoinCheapest(Place row) {
    const std::size_t d = quasi_.size();
    if (group_boxes_.empty()) {
      for (const std::vector<Place>& rows : groups_) {
        for (std::size_t q = 0; q < d; ++q) {
          Rank lo = space_.row(rows[0])[q];
          Rank hi = lo;
          for (const Place each : rows) {
            lo = std::min(lo, space_.row(each)[q]);
            hi = std::max(hi, space_.row(each)[q]);
          }
          group_boxes_.push_back(lo);
          group_boxes_.push_back(hi);
        }
      }
    }
    const Rank* const ranks = space_.row(row);
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      double before = 0;
      double after = 0;
      for (std::size_t q = 0; q < d; ++q) {
        const Rank lo = group_boxes_[(group * d + q) * 2];
        const Rank hi = group_boxes_[(group * d + q) * 2 + 1];
        before += space_.Span(q, lo, hi);
        after += space_.Span(q, std::min(lo, ranks[q]), std::max(hi, ranks[q]));
      }
      const double cost = after + static_cast<double>(groups_[group].size()) * (after - before);
      if (cost < least) {
        least = cost;
        best = group;
      }
    }
    groups_[best].push_back(row);
    for (std::size_t q = 0; q < d; ++q) {
      Rank* const ends = &group_boxes_[(best * d + q) * 2];
      ends[0] = std::min(ends[0], ranks[q]);
      ends[1] = std::max(ends[1], ranks[q]);
    }
  }

  const RankSpace& space_;
  GroupGate& gate_;
  const LatticeCells& cells_;
  double price_;
  bool capped_ = false;  // groups that lose the price or more are not set aside
  LevelVector top_;
  CellSet left_;
  std::vector<Place> place_of_;
  std::vector<std::size_t> quasi_;
  std::size_t width_;        // lanes of a cell
  std::vector<Lane> ranks_;  // by cell
  std::vector<Look> looks_;
  std::vector<Rank> group_boxes_;
  RowSets groups_;
};

Result<std::vector<std::vector<Level>>> LevelsOfAll(const View& view) {
  std::vector<std::vector<Level>> levels;
  for (const std::size_t column : view.data().ColumnsOf(Role::kQuasi)) {
    CORDON_TRY(std::vector<Level> made, LevelsOf(view.data().columns[column].attribute));
    if (made.size() > 255)
      return Error::InvalidPolicy("column {}: too many levels", view.data().columns[column].attribute.name);
    levels.push_back(std::move(made));
  }
  return levels;
}

}  // namespace

Result<RowSets> Peel(const View& view, const RankSpace& space, GroupGate& gate, double price, const Run& run) {
  CORDON_TRY(std::vector<std::vector<Level>> levels, LevelsOfAll(view));
  const LatticeCells cells(view, std::move(levels), run);
  if (space.narrow()) return Peeling<std::int16_t>(view, space, gate, cells, price).Run(run);
  return Peeling<std::int32_t>(view, space, gate, cells, price).Run(run);
}

Result<RowSets> PeelFinest(const View& view, const RankSpace& space, GroupGate& gate, const PartitionTuning& tuning,
                           const FinestSteps& steps, const Run& run) {
  CORDON_TRY(std::vector<std::vector<Level>> levels, LevelsOfAll(view));
  const LatticeCells cells(view, std::move(levels), run);
  if (space.narrow()) return Peeling<std::int16_t>(view, space, gate, cells, 0).RunFinest(tuning, steps, run);
  return Peeling<std::int32_t>(view, space, gate, cells, 0).RunFinest(tuning, steps, run);
}

}  // namespace cordon::engine
