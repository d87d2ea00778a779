// SPDX-License-Identifier: Apache-2.0
#include "tests/algorithms/ke/ke_incremental.h"

#include <algorithm>

#include "tests/algorithms/ke/ke_incremental_internal.h"

namespace cordon::engine {
namespace {

using Place = KeList::Place;

// A place with its distance from the inserted entry: negative to the left of it.
struct Cursor {
  Place place;
  std::int64_t offset = 0;
};

// The running minimum of the recurrence, taken up at any place: the entry before it holds all that is needed.
class Resumed {
 public:
  Resumed(const KeList& list, const KeRequirement& requirement, const Place& at) : list_(list), requirement_(requirement) {
    Place before = at;
    const bool any = list.Previous(before);
    start_ = {Place{0, 0}, 0};
    if (any && list.reach(before) != KeList::kNone) {  // continue after the latest start of the entry before
      latest_ = -1 - static_cast<std::int64_t>(list.reach(before));
      best_ = list.cost(before) - list.value(before);
      best_start_ = -1 - static_cast<std::int64_t>(list.back(before));
      start_ = {list.Back(before, list.reach(before)), latest_};
      Step();
    } else {
      Place first = at;  // nothing before makes a group: fewer entries than one group has
      std::int64_t offset = 0;
      while (list.Previous(first)) --offset;
      start_ = {first, offset};
    }
    for (Place p = start_.place; p != at; list.Next(p)) distinct_ += p == start_.place || list.is_first_copy(p) ? 1 : 0;
  }

  // The end of the group moves to `end`, the next entry.
  void MoveTo(const Cursor& end) {
    distinct_ += end.place == start_.place || list_.is_first_copy(end.place) ? 1 : 0;
    while (distinct_ >= requirement_.k && list_.value(end.place) - list_.value(start_.place) >= requirement_.e) {
      TakeStart();
      latest_ = start_.offset;
      Step();
      distinct_ -= list_.is_first_copy(start_.place) ? 1 : 0;
    }
  }
  bool finite() const { return best_ != KeTable::kInfinite; }
  std::int64_t best() const { return best_; }
  std::int64_t best_start() const { return best_start_; }
  std::int64_t latest() const { return latest_; }

 private:
  void Step() {
    list_.Next(start_.place);
    ++start_.offset;
  }
  void TakeStart() {
    Place before = start_.place;
    std::int64_t cost = 0;
    if (list_.Previous(before)) {
      if (list_.back(before) == KeList::kNone) return;
      cost = list_.cost(before);
    }
    const std::int64_t g = cost - list_.value(start_.place);
    if (g > best_) return;
    best_ = g;
    best_start_ = start_.offset;
  }

  const KeList& list_;
  KeRequirement requirement_;
  Cursor start_;               // the place after the latest start
  std::int64_t distinct_ = 0;  // values from start_ to the end of the group
  std::int64_t latest_ = 0;
  std::int64_t best_ = KeTable::kInfinite;
  std::int64_t best_start_ = 0;
};

}  // namespace

IncrementalKe::IncrementalKe(const KeRequirement& requirement) : requirement_(requirement), list_(std::make_unique<KeList>()) {}
IncrementalKe::IncrementalKe(IncrementalKe&&) noexcept = default;
IncrementalKe& IncrementalKe::operator=(IncrementalKe&&) noexcept = default;
IncrementalKe::~IncrementalKe() = default;

IncrementalKe::IncrementalKe(const KeAxis& axis, const KeRequirement& requirement) : IncrementalKe(requirement) {
  const std::vector<std::int64_t> list = TwoCopies(axis);
  const KeTable table = FillKeTable(list, requirement);
  std::size_t i = 0;
  for (std::size_t v = 0; v < axis.values.size(); ++v) {
    for (int copy = 0; copy < (axis.counts[v] > 1 ? 2 : 1); ++copy) {
      ++i;
      const bool finite = table.start[i] != 0;
      list_->Append(axis.values[v], copy == 0 ? axis.counts[v] : 0, finite ? table.cost[i] : 0,
                    finite ? static_cast<std::uint32_t>(i - table.start[i]) : KeList::kNone,
                    finite ? static_cast<std::uint32_t>(i - table.latest[i]) : KeList::kNone);
    }
  }
}

std::size_t IncrementalKe::Append(std::int64_t value) {
  Place place = list_->Find(value);
  const bool present = !list_->AtEnd(place) && list_->value(place) == value;
  if (present && ++list_->rows(place) > 2) return 0;  // two copies are in the list already
  if (present) list_->Next(place);
  const Place inserted = list_->Insert(place, value, present ? 0 : 1);
  return Recompute(inserted.chunk, inserted.at);
}

std::size_t IncrementalKe::Recompute(std::size_t chunk, std::size_t at) {
  KeList& list = *list_;
  Cursor end{{chunk, at}, 0};
  Resumed ends(list, requirement_, end.place);
  Cursor before_h = end;  // moves with the latest start of the next entry, one place before it
  std::int64_t moved_by = 0;
  std::int64_t same_since = KeTable::kInfinite;  // first offset of the run on which costs have moved by the same amount
  for (std::size_t computed = 1;; ++computed) {
    // 1. The entry at `end`, by the recurrence.
    const bool was_finite = end.offset > 0 && list.back(end.place) != KeList::kNone;
    const std::int64_t old_cost = was_finite ? list.cost(end.place) : 0;
    ends.MoveTo(end);
    if (ends.finite()) {
      list.Set(end.place, list.value(end.place) + ends.best(), static_cast<std::uint32_t>(end.offset - ends.best_start()),
               static_cast<std::uint32_t>(end.offset - ends.latest()));
    } else {
      list.Set(end.place, 0, KeList::kNone, KeList::kNone);
    }
    // 2. By how much its cost has moved, and since when by that.
    if (!was_finite || !ends.finite()) {
      same_since = KeTable::kInfinite;
    } else if (const std::int64_t amount = list.cost(end.place) - old_cost;
               same_since == KeTable::kInfinite || amount != moved_by) {
      moved_by = amount;
      same_since = end.offset;
    }
    Cursor next = end;
    list.Next(next.place);
    ++next.offset;
    if (list.AtEnd(next.place)) return computed;
    // 3. Whether all later entries read moved costs only. The next entry still holds its old reach; entries up to here hold
    // new ones, which say the same of starts to the right of the inserted entry.
    if (same_since != KeTable::kInfinite && list.reach(next.place) != KeList::kNone) {
      const std::int64_t h = next.offset - static_cast<std::int64_t>(list.reach(next.place));
      while (before_h.offset < h - 1) {
        list.Next(before_h.place);
        ++before_h.offset;
      }
      if (before_h.offset == h - 1 && list.reach(before_h.place) != KeList::kNone) {
        const std::int64_t lo = before_h.offset - static_cast<std::int64_t>(list.reach(before_h.place));
        if (lo >= 1 && lo >= same_since) {
          list.ShiftAfter(end.place, moved_by);
          return computed;
        }
      }
    }
    end = next;
  }
}

std::optional<std::int64_t> IncrementalKe::least_error() const {
  if (list_->size() == 0) return 0;
  Place last = list_->End();
  list_->Previous(last);
  if (list_->back(last) == KeList::kNone) return std::nullopt;
  return list_->cost(last);
}

KeAxis IncrementalKe::axis() const {
  KeAxis axis;
  for (Place p{0, 0}; !list_->AtEnd(p); list_->Next(p)) {
    if (!list_->is_first_copy(p)) continue;
    axis.values.push_back(list_->value(p));
    axis.counts.push_back(list_->rows(p));
  }
  return axis;
}

std::optional<KeCut> IncrementalKe::Cut() const {
  if (list_->size() == 0) return KeCut{{0}};
  if (!least_error()) return std::nullopt;
  std::vector<std::uint32_t> starts = {static_cast<std::uint32_t>(list_->size())};
  Place last = list_->End();
  list_->Previous(last);
  while (true) {
    const std::uint32_t back = list_->back(last);
    starts.push_back(starts.back() - back - 1);
    if (starts.back() == 0) break;
    last = list_->Back(last, back + 1);
  }
  std::reverse(starts.begin(), starts.end());
  return SpreadCopies(axis(), starts);
}

}  // namespace cordon::engine
