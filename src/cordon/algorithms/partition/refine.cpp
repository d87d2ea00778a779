// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/refine.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cordon::engine {

GroupRefinement::GroupRefinement(const RankSpace& space, GroupGate& gate, RowPlaces& places, RowSets groups,
                                 const RefineOptions& options, const PartitionTuning& tuning)
    : space_(space),
      gate_(gate),
      options_(options),
      tuning_(tuning),
      groups_(space, gate, places),
      tree_(space, groups_, gate.min_rows(), options.max_visits, tuning),
      top_down_(space, gate, tuning),
      trimmed_(space, gate),
      counts_(space, gate, trimmed_),
      places_(places),
      visits_(options.max_visits),
      box_(space) {
  for (std::vector<Place>& rows : groups) groups_.Add(std::move(rows));
  BuildTree();
}

void GroupRefinement::BuildTree() {
  tree_.Build();
  groups_in_tree_ = groups_.size();
}

void GroupRefinement::Rounds(const Run& run) {
  double before = total();
  std::vector<GroupId> order;
  for (int round = 0; round < options_.rounds; ++round) {
    if (round == 1 && 2 * order.size() > groups_.size()) BuildTree();  // few groups change after the first round
    order.clear();
    for (GroupId g = 0; g < groups_.size(); ++g) {
      if (groups_.alive(g) && groups_.dirty(g)) order.push_back(g);
    }
    std::stable_sort(order.begin(), order.end(), [&](GroupId a, GroupId b) { return groups_.loss(a) > groups_.loss(b); });
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i % 64 == 0) {
        if (run.ShouldStop()) return;
        run.Report("refine", static_cast<std::size_t>(round) * order.size() + i,
                   static_cast<std::size_t>(options_.rounds) * order.size());
      }
      if (groups_.alive(order[i]) && groups_.dirty(order[i])) RefineGroup(order[i]);
    }
    TakeBack();
    const double now = total();
    if (before - now <= options_.least_gain * before) break;
    before = now;
  }
}

void GroupRefinement::RefineGroup(GroupId g) {
  groups_.set_dirty(g, false);
  Relocate(g);
  Trim(g);
  if (groups_.alive(g)) Split(g);
  if (!groups_.alive(g) || groups_.loss(g) < kGainMargin || (!options_.swap && options_.resplit == 0)) return;
  std::vector<GroupId> near;
  tree_.Nearest(g, std::max(tuning_.swap_near, options_.resplit), options_.max_near, near);
  if (options_.swap && Swap(g, std::span(near).first(std::min(near.size(), tuning_.swap_near)))) {
    tree_.Nearest(g, options_.resplit, options_.max_near, near);
  }
  if (options_.resplit > 0) Resplit(g, std::span(near).first(std::min(near.size(), options_.resplit)));
}

void GroupRefinement::SetRefined() {
  for (GroupId g = 0; g < groups_.size(); ++g) groups_.set_dirty(g, false);
}

// What a group gains by a group of another home is a row that goes there, or all rows of which some do.
bool GroupRefinement::ReachesOther(GroupId g) {
  if (groups_.loss(g) < kGainMargin) return false;
  const std::span<const Place> rows = groups_.rows(g);
  const auto min_rows = static_cast<double>(gate_.min_rows());
  if (tree_.ReachesOther(g, min_rows / static_cast<double>(rows.size()), tuning_.dissolve_look * groups_.loss(g))) return true;
  if (rows.size() <= gate_.min_rows()) return false;
  double gain = 0;
  for (const Place row : rows) gain = std::max(gain, groups_.RemoveGain(g, row));
  return tree_.ReachesOther(g, min_rows, gain);
}

void GroupRefinement::LookAcross(std::span<const std::uint32_t> homes) {
  tree_.SetHomes(homes);
  for (GroupId g = 0; g < groups_.size(); ++g) {
    if (homes[g] != BoxTree::kNoHome && !ReachesOther(g)) groups_.set_dirty(g, false);
  }
}

void GroupRefinement::SetPrice(double price) {
  options_.price = price;
  failed_.clear();  // at another price they may go
  for (GroupId g = 0; g < groups_.size(); ++g) groups_.set_dirty(g, true);
}

// Rows that some group now takes up for less than they are reckoned to lose.
void GroupRefinement::TakeBack() {
  const std::vector<Place> rows = left_out_;
  for (const Place row : rows) {
    const BoxTree::Found found = SearchGroups(row, options_.price - kGainMargin, kNoGroup);
    if (found.group != kNoGroup) Move(row, found.group);
  }
}

BoxTree::Found GroupRefinement::Search(Place row, double bound, GroupId except) {
  if (!MayLeaveOut() || bound <= options_.price) return SearchGroups(row, bound, except);
  const BoxTree::Found found = SearchGroups(row, options_.price, except);
  return found.group != kNoGroup ? found : BoxTree::Found{kLeftOut, options_.price};
}

BoxTree::Found GroupRefinement::SearchGroups(Place row, double bound, GroupId except) {
  if (gate_.model().monotone()) return tree_.Cheapest(space_.row(row), bound, except, nullptr, visits_);
  const std::function<bool(GroupId)> allowed = [&](GroupId g) { return groups_.CanInsert(g, row); };
  return tree_.Cheapest(space_.row(row), bound, except, &allowed, visits_);
}

void GroupRefinement::Move(Place row, GroupId to) {
  const GroupId from = groups_.group_of(row);
  if (from == kNoGroup) {
    left_out_[places_.at[row]] = left_out_.back();
    places_.at[left_out_.back()] = places_.at[row];
    left_out_.pop_back();
  } else {
    groups_.Remove(row);
    if (groups_.alive(from)) tree_.Update(from);
  }
  Enter(row, to);
}

void GroupRefinement::Enter(Place row, GroupId to) {
  if (to == kLeftOut) {
    places_.at[row] = static_cast<std::uint32_t>(left_out_.size());
    left_out_.push_back(row);
    return;
  }
  groups_.Insert(to, row);
  tree_.Update(to);
}

// A row of the group whose surroundings are at hand. REQUIRES: bound <= around_bound_.
BoxTree::Found GroupRefinement::SearchAround(Place row, double bound) {
  BoxTree::Found found{kNoGroup, bound};
  if (MayLeaveOut() && options_.price < bound) found = {kLeftOut, options_.price};
  for (const BoxTree::Candidate& each : around_) {
    if (each.bound >= found.cost) continue;
    const double cost = groups_.InsertCost(each.group, space_.row(row));
    if (cost < found.cost && groups_.CanInsert(each.group, row)) found = {each.group, cost};
  }
  return found;
}

// The rows of a group lie close together: what may take up any of them is found by one search.
void GroupRefinement::Relocate(GroupId g) {
  if (groups_.rows(g).size() <= gate_.min_rows()) return;
  around_bound_ = -1;
  int looks = groups_.rows(g).size() <= tuning_.largest_look ? tuning_.looks : 0;
  const bool ask_last = gate_.asks_long() && groups_.rows(g).size() >= tuning_.many_rows;
  std::optional<Place> before;  // the last that went
  bool moved = true;
  for (int sweep = 0; moved && sweep < tuning_.sweeps; ++sweep) {
    moved = false;
    const std::vector<Place> rows(groups_.rows(g).begin(), groups_.rows(g).end());
    for (const Place row : rows) {
      if (groups_.loss(g) < kGainMargin) return;
      if (groups_.group_of(row) != g) continue;
      const double gain = groups_.RemoveGain(g, row);
      if (gain < kGainMargin || (!ask_last && !groups_.CanRemove(g, row))) continue;
      if (gain > around_bound_ && looks > 0) {
        --looks;
        around_bound_ = gain;
        for (const Place each : groups_.rows(g)) around_bound_ = std::max(around_bound_, groups_.RemoveGain(g, each));
        if (!tree_.Around(g, static_cast<double>(gate_.min_rows()), around_bound_, around_)) {
          around_bound_ = -1;
          looks = 0;
        }
      }
      const BoxTree::Found found =
          gain <= around_bound_ ? SearchAround(row, gain - kGainMargin) : SearchNext(row, gain - kGainMargin, g, before);
      if (found.group == kNoGroup || (ask_last && !groups_.CanRemove(g, row))) continue;
      Move(row, found.group);
      before = row;
      for (BoxTree::Candidate& each : around_) {
        if (each.group == found.group) each.bound = 0;  // it has grown: more may fit
      }
      moved = true;
    }
  }
}

void GroupRefinement::Trim(GroupId g) {
  for (int i = 0; i < tuning_.trims && groups_.alive(g) && groups_.loss(g) >= kGainMargin; ++i) {
    if (!TrimOnce(g)) return;
  }
}

// Large blocks take long to move and back. One that could not go for what it was worth will not for hardly more.
bool GroupRefinement::FailedBefore(GroupId g, const TrimCut& cut, std::size_t rows) const {
  const auto found = rows >= tuning_.remembered ? failed_.find(g) : failed_.end();
  if (found == failed_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const TrimCut& each) {
    return each.attribute == cut.attribute && each.lo == cut.lo && each.hi == cut.hi &&
           cut.per_row < tuning_.worth_more * each.per_row;
  });
}

bool GroupRefinement::TrimOnce(GroupId g) {
  std::vector<TrimCut> cuts;
  if (groups_.rows(g).size() > gate_.min_rows()) FindTrims(g, cuts);
  std::stable_sort(cuts.begin(), cuts.end(), [](const TrimCut& a, const TrimCut& b) { return a.per_row > b.per_row; });
  trimmed_.Pop(0);
  const bool counted = counts_.usable();
  if (counted && !cuts.empty()) counts_.Begin(trimmed_.Push(groups_.rows(g)), groups_.rows(g).size());
  std::vector<Place> kept;
  std::vector<Place> block;
  std::size_t tried = 0;
  for (std::size_t i = 0; i < cuts.size() && tried < tuning_.trims_tried; ++i) {
    const TrimCut& cut = cuts[i];
    if (counted && !counts_.AdmitsInside(cut.attribute, cut.lo, cut.hi)) continue;
    kept.clear();
    block.clear();
    for (const Place row : groups_.rows(g)) {
      const Rank rank = space_.row(row)[cut.attribute];
      (rank < cut.lo || rank > cut.hi ? block : kept).push_back(row);
    }
    if (!counted && !gate_.Admits(kept)) continue;
    ++tried;
    if (block.size() > tuning_.largest_block || FailedBefore(g, cuts[i], block.size())) continue;
    SortBlock(block);
    if (MoveBlock(g, block, cuts[i].potential)) return true;
    if (block.size() >= tuning_.remembered) failed_[g].push_back(cuts[i]);
  }
  if (groups_.rows(g).size() > tuning_.largest_block || CannotDissolve(g)) return false;
  block.assign(groups_.rows(g).begin(), groups_.rows(g).end());
  SortBlock(block);
  if (!MoveBlock(g, block, groups_.total(g))) return false;
  tree_.Erase(g);
  return true;
}

// Rows S of a group of m that join H pay |S| s + |H| (s - loss(H)), s the loss of H's box with all of them: at least the sum
// over S of s(row) + |H| / m (s(row) - loss(H)), each with that row alone. So no way to place all rows costs less than the
// sum of the least of these; of those above a limit the limit is known to be a lower bound.
bool GroupRefinement::CannotDissolve(GroupId g) {
  const std::span<const Place> rows = groups_.rows(g);
  const auto size = static_cast<double>(rows.size());
  const double limit = tuning_.dissolve_look * groups_.loss(g);
  if (!tree_.Around(g, static_cast<double>(gate_.min_rows()) / size, limit, around_)) return false;
  CountKinds(rows);
  const double most = MayLeaveOut() ? std::min(limit, options_.price) : limit;
  for (Kind& kind : kinds_) kind.least = most;
  for (const BoxTree::Candidate& each : around_) {
    const double weight = static_cast<double>(groups_.rows(each.group).size()) / size;
    for (Kind& kind : kinds_) {
      if (each.bound >= kind.least) continue;
      const double with = groups_.LossWith(each.group, space_.row(kind.row));
      kind.least = std::min(kind.least, with + weight * (with - groups_.loss(each.group)));
    }
  }
  double sum = 0;
  for (const Kind& kind : kinds_) sum += kind.rows * kind.least;
  return sum >= groups_.total(g);
}

void GroupRefinement::GrowingBox::Add(Place row) {
  const Rank* const ranks = space_.row(row);
  for (std::size_t q = 0; q < lo_.size(); ++q) {
    lo_[q] = empty_ ? ranks[q] : std::min(lo_[q], ranks[q]);
    hi_[q] = empty_ ? ranks[q] : std::max(hi_[q], ranks[q]);
  }
  empty_ = false;
}

double GroupRefinement::GrowingBox::Loss() const {
  double sum = 0;
  for (std::size_t q = 0; q < lo_.size(); ++q) sum += space_.Span(q, lo_[q], hi_[q]);
  return sum;
}

// Rows of ranks in lo..hi, in any order where they are equal.
void GroupRefinement::SortByRank(std::vector<Place>& rows, std::size_t q, Rank lo, Rank hi) {
  const auto rank = [&](Place row) { return space_.row(row)[q]; };
  if (rows.size() < tuning_.many_rows || static_cast<std::size_t>(hi - lo) > rows.size()) {
    std::sort(rows.begin(), rows.end(), [&](Place a, Place b) { return rank(a) < rank(b); });
    return;
  }
  std::vector<std::uint32_t> next(static_cast<std::size_t>(hi - lo) + 2, 0);
  for (const Place row : rows) ++next[static_cast<std::size_t>(rank(row) - lo) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  sorted_.resize(rows.size());
  for (const Place row : rows) sorted_[next[static_cast<std::size_t>(rank(row) - lo)]++] = row;
  rows.swap(sorted_);
}

// All that would gain, whether the model allows them or not.
void GroupRefinement::FindTrims(GroupId g, std::vector<TrimCut>& cuts) {
  const std::size_t size = groups_.rows(g).size();
  const std::size_t spare = size - gate_.min_rows();
  std::vector<Place> rows(groups_.rows(g).begin(), groups_.rows(g).end());
  std::vector<double> losses(size);
  for (std::size_t q = 0; q < space_.num_quasi(); ++q) {
    const Rank lo = groups_.lo(g, q);
    const Rank hi = groups_.hi(g, q);
    if (lo == hi) continue;
    const auto rank = [&](std::size_t i) { return space_.row(rows[i])[q]; };
    SortByRank(rows, q, lo, hi);
    // Rows first..last in this order are kept; all rows of their ranks are among them.
    const auto consider = [&](std::size_t first, std::size_t last, double loss) {
      const std::size_t kept = last + 1 - first;
      if (kept == size || kept < gate_.min_rows()) return;
      const double potential = groups_.total(g) - loss * static_cast<double>(kept);
      if (potential < kGainMargin) return;
      cuts.push_back({potential / static_cast<double>(size - kept), potential, q, rank(first), rank(last)});
    };
    if (!space_.has_nodes(q)) {
      box_.Clear();
      for (std::size_t i = size; i-- > 1;) {
        box_.Add(rows[i]);
        if (i <= spare) losses[i] = box_.Loss();
      }
      for (std::size_t i = 1; i <= spare; ++i) {
        if (rank(i) != rank(i - 1)) consider(i, size - 1, losses[i]);
      }
      box_.Clear();
      for (std::size_t i = 0; i + 1 < size; ++i) {
        box_.Add(rows[i]);
        if (i + 1 + spare >= size) losses[i] = box_.Loss();
      }
      for (std::size_t i = 1; i <= spare; ++i) {
        if (rank(size - i) != rank(size - i - 1)) consider(0, size - i - 1, losses[size - i - 1]);
      }
      continue;
    }
    int depth = 0;
    while (depth < space_.depth(q) && space_.ancestor(q, lo, depth) == space_.ancestor(q, hi, depth)) ++depth;
    for (; depth < space_.depth(q); ++depth) {
      for (std::size_t first = 0; first < size;) {
        box_.Clear();
        box_.Add(rows[first]);
        std::size_t last = first;
        while (last + 1 < size && space_.ancestor(q, rank(last + 1), depth) == space_.ancestor(q, rank(first), depth)) {
          box_.Add(rows[++last]);
        }
        consider(first, last, box_.Loss());
        first = last + 1;
      }
    }
  }
}

// Equal rows together, each kind where its first row is: where one went tells where the next goes.
void GroupRefinement::SortBlock(std::vector<Place>& rows) const {
  const std::size_t width = space_.num_quasi();
  const auto end_of = [&](Place row) { return space_.row(row) + width; };
  std::sort(rows.begin(), rows.end(), [&](Place a, Place b) {
    const auto [one, other] = std::mismatch(space_.row(a), end_of(a), space_.row(b));
    return one == end_of(a) ? a < b : *one < *other;
  });
  std::vector<std::pair<Place, Place>> firsts;  // the first of its kind, the row
  for (const Place row : rows) {
    const bool same = !firsts.empty() && std::equal(space_.row(row), end_of(row), space_.row(firsts.back().second));
    firsts.emplace_back(same ? firsts.back().first : row, row);
  }
  std::sort(firsts.begin(), firsts.end());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = firsts[i].second;
}

// In large groups many rows are equal.
void GroupRefinement::CountKinds(std::span<const Place> rows) {
  std::vector<Place> sorted(rows.begin(), rows.end());
  if (rows.size() >= tuning_.many_rows) SortBlock(sorted);
  kinds_.clear();
  for (const Place row : sorted) {
    if (kinds_.empty() || rows.size() < tuning_.many_rows || !Equal(row, kinds_.back().row)) kinds_.push_back({row});
    ++kinds_.back().rows;
  }
}

bool GroupRefinement::Equal(Place a, Place b) const {
  return std::equal(space_.row(a), space_.row(a) + space_.num_quasi(), space_.row(b));
}

// Where a row of a block costs least. The group that took up the row before it is a good guess, so that less is looked at;
// of an equal row it is the answer: no other group took that one up for less than this one costs there now.
BoxTree::Found GroupRefinement::SearchNext(Place row, double bound, GroupId except, std::optional<Place> before) {
  const GroupId last = before ? groups_.group_of(*before) : kNoGroup;
  if (last == kNoGroup) return Search(row, bound, except);
  const double cost = groups_.InsertCost(last, space_.row(row));
  if (cost >= bound || !groups_.CanInsert(last, row)) return Search(row, bound, except);
  if (Equal(row, *before)) return {last, cost};
  const BoxTree::Found found = Search(row, cost, except);
  return found.group != kNoGroup ? found : BoxTree::Found{last, cost};
}

// Moves the rows one by one to where they cost least; later rows see what earlier ones widened. All go, for less than the
// potential, or none. Large blocks are given up if the first
// rows cost more than their share: most of them would fail, after all of the work.
bool GroupRefinement::MoveBlock(GroupId g, std::span<const Place> rows, double potential) {
  const bool was_dirty = groups_.dirty(g);
  std::vector<std::pair<GroupId, bool>> moved;
  std::optional<Place> before;
  if (rows.size() >= tuning_.large_block) visits_ = std::min(visits_, tuning_.block_visits);
  double cost = 0;
  for (const Place row : rows) {
    const double bound = potential - cost - kGainMargin;
    const BoxTree::Found found = bound > 0 ? SearchNext(row, bound, g, before) : BoxTree::Found{};
    if (found.group == kNoGroup) break;
    moved.emplace_back(found.group, found.group != kLeftOut && groups_.dirty(found.group));
    cost += found.cost;
    Move(row, found.group);
    before = row;
    const bool too_dear = cost * static_cast<double>(rows.size()) >= potential * static_cast<double>(tuning_.block_look);
    if (moved.size() == tuning_.block_look && too_dear) break;
  }
  visits_ = options_.max_visits;
  if (moved.size() == rows.size() && cost < potential - kGainMargin) return true;
  for (std::size_t i = moved.size(); i-- > 0;) {
    Move(rows[i], g);
    if (moved[i].first != kLeftOut) groups_.set_dirty(moved[i].first, moved[i].second);
  }
  groups_.set_dirty(g, was_dirty);
  return false;
}

// Divides all rows of the groups again; the parts take their places if they lose less.
bool GroupRefinement::ReplaceIfBetter(std::span<const GroupId> old) {
  std::vector<Place> rows;
  double before = 0;
  for (const GroupId g : old) {
    rows.insert(rows.end(), groups_.rows(g).begin(), groups_.rows(g).end());
    before += groups_.total(g);
  }
  std::sort(rows.begin(), rows.end());
  RowSets parts;
  const double hopeless = old.size() > 1 ? tuning_.hopeless * before : std::numeric_limits<double>::infinity();
  if (top_down_.DivideWithForesight(std::move(rows), tuning_.foresight, hopeless, parts) >= before - kGainMargin) return false;
  for (std::size_t i = 0; i < std::max(old.size(), parts.size()); ++i) {
    if (i < old.size() && i < parts.size()) {
      groups_.Replace(old[i], std::move(parts[i]));
      tree_.Update(old[i]);
    } else if (i < old.size()) {
      groups_.Replace(old[i], {});
      tree_.Erase(old[i]);
    } else {
      tree_.Insert(groups_.Add(std::move(parts[i])), old[0]);
    }
  }
  // They hang one below the other: of one group with thousands of parts that is a list, and searches see little of it.
  if (groups_.size() > 2 * groups_in_tree_) BuildTree();
  return true;
}

void GroupRefinement::Split(GroupId g) {
  if (groups_.rows(g).size() < 2 * gate_.min_rows() || groups_.loss(g) < kGainMargin) return;
  const GroupId old[] = {g};
  ReplaceIfBetter(old);
}

void GroupRefinement::Resplit(GroupId g, std::span<const GroupId> near) {
  if (groups_.loss(g) < kGainMargin) return;
  std::vector<GroupId> old{g};
  old.insert(old.end(), near.begin(), near.end());
  std::size_t rows = 0;
  for (const GroupId each : old) rows += groups_.rows(each).size();
  if (old.size() > 1 && rows <= tuning_.largest_union) ReplaceIfBetter(old);
}

// Whether any were.
bool GroupRefinement::Swap(GroupId g, std::span<const GroupId> near) {
  bool swapped = false;
  const std::vector<Place> rows(groups_.rows(g).begin(), groups_.rows(g).end());
  for (const Place row : rows) {
    if (!groups_.alive(g) || groups_.group_of(row) != g) continue;
    if (groups_.LossWithout(g, row) < groups_.loss(g) - kGainMargin) swapped |= SwapRow(g, row, near);
  }
  return swapped;
}

// The best of: the row and one of a near group change places; the other replaces it and it goes where it costs least.
bool GroupRefinement::SwapRow(GroupId g, Place row, std::span<const GroupId> near) {
  struct Candidate {
    Place other;
    GroupId from;
    double gain;     // of the row's group
    double leaving;  // of the other's, if nothing comes back
  };
  const auto size = static_cast<double>(groups_.rows(g).size());
  std::vector<Candidate> candidates;
  double most = 0;
  const std::size_t d = space_.num_quasi();
  const Rank* const gone = space_.row(row);
  without_.resize(d);
  for (std::size_t q = 0; q < d; ++q) {
    const Rank lo = groups_.lo(g, q);
    const Rank hi = groups_.hi(g, q);
    without_[q] = {gone[q] == lo ? groups_.lows(g)[d + q] : lo, gone[q] == hi ? groups_.highs(g)[d + q] : hi};
  }
  // Of the box without the row, with what lies next to it from `hi` down and from `lo` up.
  const auto loss_with = [&](const Rank* lo, const Rank* hi) {
    double sum = 0;
    for (std::size_t q = 0; q < d; ++q) {
      sum += space_.Span(q, std::min(without_[q].first, hi[q]), std::max(without_[q].second, lo[q]));
    }
    return sum;
  };
  for (const GroupId from : near) {
    // Nearly all groups, and nearly all rows of the others, give nothing.
    if (!groups_.alive(from) || loss_with(groups_.lows(from), groups_.highs(from)) >= groups_.loss(g)) continue;
    for (const Place other : groups_.rows(from)) {
      const double gain = size * (groups_.loss(g) - loss_with(space_.row(other), space_.row(other)));
      if (gain <= 0) continue;
      candidates.push_back({other, from, gain, groups_.RemoveGain(from, other)});
      most = std::max(most, gain + candidates.back().leaving);
    }
  }
  if (candidates.empty()) return false;
  const BoxTree::Found third = Search(row, most, g);
  double best = kGainMargin;
  Place best_other = 0;
  GroupId best_to = kNoGroup;  // where the row goes
  for (const Candidate& each : candidates) {
    const auto from_size = static_cast<double>(groups_.rows(each.from).size());
    const double swapped = each.gain + from_size * (groups_.loss(each.from) - groups_.LossSwapped(each.from, each.other, row));
    if (swapped > best && groups_.CanSwap(g, row, each.other) && groups_.CanSwap(each.from, each.other, row)) {
      best = swapped;
      best_other = each.other;
      best_to = each.from;
    }
    if (third.group == kNoGroup || third.group == each.from) continue;
    const double chained = each.gain + each.leaving - third.cost;
    if (chained > best && groups_.CanRemove(each.from, each.other) && groups_.CanSwap(g, row, each.other)) {
      best = chained;
      best_other = each.other;
      best_to = third.group;
    }
  }
  if (best_to == kNoGroup) return false;
  Move(row, best_to);
  Move(best_other, g);
  return true;
}

RowSets GroupRefinement::Take() const {
  RowSets sets;
  for (GroupId g = 0; g < groups_.size(); ++g) {
    if (!groups_.alive(g)) continue;
    sets.emplace_back(groups_.rows(g).begin(), groups_.rows(g).end());
    std::sort(sets.back().begin(), sets.back().end());
  }
  return sets;
}

std::vector<bool> GroupRefinement::Settled() const {
  std::vector<bool> settled;
  for (GroupId g = 0; g < groups_.size(); ++g) {
    if (groups_.alive(g)) settled.push_back(!groups_.dirty(g));
  }
  return settled;
}

}  // namespace cordon::engine
