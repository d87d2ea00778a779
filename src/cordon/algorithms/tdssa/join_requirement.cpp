// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/tdssa/join_requirement.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kMaxTuples = std::int64_t{1} << 62;

// Counters that are zero between calls, by number, and which of them are not.
template <typename Count>
struct Tallies {
  std::vector<Count> counts;
  std::vector<std::uint32_t> touched;

  void Add(std::uint32_t number, Count count) {
    if (number >= counts.size()) counts.resize(number + std::size_t{1});
    if (counts[number] == 0) touched.push_back(number);
    counts[number] += count;
  }
  void Clear() {
    for (const std::uint32_t number : touched) counts[number] = 0;
    touched.clear();
  }
};

template <typename Function>
void ForEachClass(std::span<const std::vector<std::uint64_t>* const> masks, std::uint32_t num_classes, const Function& f) {
  const std::size_t words = (num_classes + 63) / 64;
  for (std::size_t word = 0; word < words; ++word) {
    std::uint64_t bits = ~std::uint64_t{0};
    for (const auto* mask : masks) bits &= (*mask)[word];
    if (word + 1 == words && num_classes % 64 != 0) bits &= (std::uint64_t{1} << (num_classes % 64)) - 1;
    for (; bits != 0; bits &= bits - 1)
      f(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
  }
}

std::vector<std::vector<std::string>> NamesOf(const LinkedTables& linked) {
  std::vector<std::vector<std::string>> names;
  for (const LinkedTable& table : linked.tables) {
    names.emplace_back();
    for (const LinkedColumn& column : table.columns) names.back().push_back(column.name);
  }
  return names;
}

// The guarded values as numbers from 0 over all places.
std::vector<GuardedTexts> NumberGuarded(const LinkedTables& linked, const ResolvedJoin& join, std::size_t& num_guarded) {
  std::vector<GuardedTexts> guarded;
  for (const ResolvedJoin::Guarded& y : join.y) {
    GuardedTexts texts{y.place.table, *linked.tables[y.place.table].Find(y.place.column), {}};
    const Dictionary& known = *linked.tables[texts.table].columns[texts.column].texts;
    texts.number_of.resize(known.size() + 1, -1);
    if (y.values.empty()) {
      for (std::size_t code = 1; code < texts.number_of.size(); ++code)
        texts.number_of[code] = static_cast<std::int32_t>(num_guarded++);
    }
    for (const std::string& value : y.values) {
      if (const auto code = known.Find(value))
        texts.number_of[static_cast<std::size_t>(*code) + 1] = static_cast<std::int32_t>(num_guarded++);
    }
    guarded.push_back(std::move(texts));
  }
  return guarded;
}

}  // namespace

struct JoinRequirement::Scratch {
  Tallies<std::int64_t> by_class;          // rows of the current table
  Tallies<std::int64_t> by_class_guarded;  // class * guarded values + value
  Tallies<std::int64_t> by_x;
  Tallies<std::int64_t> by_x_guarded;
  std::vector<std::uint64_t> stamps;  // by x, or by (x, unit)
  std::uint64_t stamp = 0;
};

JoinRequirement::JoinRequirement(const JoinSpec& spec, const SequentialInput& sequential, ResolvedJoin join)
    : sequential_(&sequential), join_(std::move(join)), text_(cordon::engine::Describe(spec)) {
  if (const auto* linkability = std::get_if<XyLinkabilitySpec>(&spec)) {
    shares_ = true;
    h_ = linkability->h;
  } else {
    const auto& anonymity = std::get<XyAnonymitySpec>(spec);
    k_ = anonymity.k;
    y_ = YAsText(anonymity);
  }
}

Result<std::unique_ptr<JoinRequirement>> JoinRequirement::Make(const JoinSpec& spec, const SequentialInput& sequential,
                                                               const std::vector<std::string>& masked, const Run& run) {
  CORDON_TRY(ResolvedJoin join,
             Resolve(spec, NamesOf(sequential.linked), sequential.impossible).WithContext("{}", ModelName(spec)));
  Int128 tuples = 1;
  for (const LinkedTable& table : sequential.linked.tables) {
    tuples *= static_cast<Int128>(std::max<std::size_t>(1, table.num_rows));
    if (tuples > kMaxTuples) {
      return Error::InvalidData("the join of {} releases is too large to be counted", sequential.linked.tables.size());
    }
  }
  std::unique_ptr<JoinRequirement> made(new JoinRequirement(spec, sequential, std::move(join)));
  made->threads_ = run.threads;
  CORDON_RETURN_IF_ERROR(made->Number(masked));
  return made;
}

Result<void> JoinRequirement::Number(const std::vector<std::string>& masked) {
  const LinkedTables& linked = sequential_->linked;
  const LinkedTable& current = linked.tables[0];
  masked_ = masked;
  std::vector<GuardedTexts> guarded;
  if (shares_) {
    guarded = NumberGuarded(linked, join_, num_guarded_);
    for (const GuardedTexts& texts : guarded) (texts.table == 0 ? any_guarded_here_ : any_guarded_there_) = true;
  }
  CORDON_TRY(previous_, MakePreviousClasses(*sequential_, join_, guarded));

  in_x_.resize(masked.size());
  in_join_.resize(masked.size());
  for (std::size_t i = 0; i < masked.size(); ++i) {
    in_x_[i] = std::find(join_.x.begin(), join_.x.end(), ResolvedJoin::Place{0, masked[i]}) != join_.x.end();
    for (const PreviousClasses::Link& link : previous_.links) in_join_[i] = in_join_[i] != 0 || link.column == masked[i];
  }
  NumberExactCells(masked);
  if (any_guarded_here_) {
    std::map<std::vector<std::uint32_t>, std::uint32_t> known;
    for (std::size_t row = 0; row < current.num_rows; ++row) {
      std::vector<std::uint32_t> set;
      for (const GuardedTexts& texts : guarded) {
        if (texts.table != 0) continue;
        const std::int32_t number = texts.number_of[static_cast<std::size_t>(current.columns[texts.column].codes[row] + 1)];
        if (number >= 0) set.push_back(static_cast<std::uint32_t>(number));
      }
      const auto [found, is_new] = known.try_emplace(set, static_cast<std::uint32_t>(guarded_sets_.size()));
      if (is_new) guarded_sets_.push_back(set);
      guarded_set_.push_back(found->second);
    }
  }
  if (shares_) return {};
  const bool counts_here = !join_.y_tables.empty() && join_.y_tables[0] == 0;
  if (!counts_here) return {};
  if (join_.y.empty()) {  // people; or pairs of rows, which need no units
    rows_are_units_ = current.persons.empty() || join_.keys.size() > 1;
    for (std::size_t row = 0; row < current.num_rows && !rows_are_units_; ++row) {
      unit_.push_back(static_cast<std::uint32_t>(current.persons[row]));
    }
    return {};
  }
  std::map<std::vector<Code>, std::uint32_t> known;
  for (std::size_t row = 0; row < current.num_rows; ++row) {
    std::vector<Code> values;
    for (const ResolvedJoin::Guarded& y : join_.y) {
      if (y.place.table == 0) values.push_back(current.columns[*current.Find(y.place.column)].codes[row]);
    }
    unit_.push_back(known.try_emplace(values, static_cast<std::uint32_t>(known.size())).first->second);
  }
  return {};
}

// Joining columns and columns of X that the search leaves as they are.
void JoinRequirement::NumberExactCells(const std::vector<std::string>& masked) {
  const LinkedTable& current = sequential_->linked.tables[0];
  std::vector<std::size_t> columns;
  std::vector<char> of_x;
  for (std::size_t i = 0; i < current.columns.size(); ++i) {
    const std::string& name = current.columns[i].name;
    if (std::find(masked.begin(), masked.end(), name) != masked.end()) continue;
    const bool in_x = std::find(join_.x.begin(), join_.x.end(), ResolvedJoin::Place{0, name}) != join_.x.end();
    const bool joins = std::any_of(previous_.links.begin(), previous_.links.end(),
                                   [&](const PreviousClasses::Link& link) { return link.column == name; });
    if (!in_x && !joins) continue;
    columns.push_back(i);
    of_x.push_back(in_x);
  }
  exact_masks_.resize(1);
  exact_x_.resize(1);
  if (columns.empty()) return;
  exact_masks_.clear();
  exact_x_.clear();
  std::map<std::vector<Code>, std::uint32_t> known;
  std::map<std::vector<Code>, std::uint32_t> known_x;
  for (std::size_t row = 0; row < current.num_rows; ++row) {
    std::vector<Code> cells;
    std::vector<Code> cells_of_x;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      cells.push_back(current.columns[columns[i]].codes[row]);
      if (of_x[i] != 0) cells_of_x.push_back(cells.back());
    }
    const auto [found, is_new] = known.try_emplace(cells, static_cast<std::uint32_t>(known.size()));
    exact_.push_back(found->second);
    if (!is_new) continue;
    exact_x_.push_back(known_x.try_emplace(cells_of_x, static_cast<std::uint32_t>(known_x.size())).first->second);
    std::vector<const Bits*>& masks = exact_masks_.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const LinkedColumn& column = current.columns[columns[i]];
      const bool joins = std::any_of(previous_.links.begin(), previous_.links.end(),
                                     [&](const PreviousClasses::Link& link) { return link.column == column.name; });
      if (!joins) continue;
      std::optional<std::string> text;
      if (cells[i] != kNull) text = std::string((*column.texts)[cells[i]].bytes());
      masks.push_back(MaskOf(column.name, text));
    }
  }
}

// The classes that a cell of the current table can be compared with.
const JoinRequirement::Bits* JoinRequirement::MaskOf(const std::string& column, const std::optional<std::string>& cell) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Bits>& found = masks_[{column, cell}];
  if (found != nullptr) return found.get();
  found = std::make_unique<Bits>((previous_.num_classes + std::size_t{63}) / 64, ~std::uint64_t{0});
  const auto& missing = sequential_->missing;
  const std::string text = cell.value_or("");
  const bool is_missing = !cell || std::find(missing.begin(), missing.end(), text) != missing.end();
  const auto forbid = [&](std::size_t number) { (*found)[number / 64] &= ~(std::uint64_t{1} << (number % 64)); };
  for (const PreviousClasses::Link& link : previous_.links) {
    if (link.column != column) continue;
    if (link.pairs == nullptr) {
      const auto axis = sequential_->axes.find(column);
      const std::optional<Extent> extent = axis != sequential_->axes.end() ? axis->second.Read(text, is_missing) : std::nullopt;
      CORDON_CHECK(extent.has_value());
      for (std::size_t i = 0; i < link.extents.size(); ++i) {
        if (!extent->Overlaps(link.extents[i])) forbid(i);
      }
      continue;
    }
    std::unordered_map<std::string, bool> known;
    for (std::size_t i = 0; i < link.texts.size(); ++i) {
      const auto [impossible, is_new] = known.try_emplace(link.texts[i], false);
      if (is_new) {
        const std::string& here = link.is_current ? text : link.texts[i];
        const std::string& there = link.is_current ? link.texts[i] : text;
        impossible->second =
            AreImpossible(link.pairs->current, here, link.pairs->previous, there, link.pairs->pairs, sequential_->axes);
      }
      if (impossible->second) forbid(i);
    }
  }
  return found.get();
}

const JoinRequirement::Bits* JoinRequirement::MaskOf(const TopDown& state, std::size_t attribute, int node) const {
  return MaskOf(masked_[attribute], state.attribute(attribute).Text(node));
}

std::vector<JoinRequirement::Cell> JoinRequirement::CellsOf(const TopDown& state, std::span<const std::uint32_t> leaves,
                                                            const Refinement* refinement) const {
  std::vector<Cell> cells;
  constexpr std::size_t kNoCell = ~std::size_t{0};
  std::vector<std::size_t> by_part;                      // of the leaf: cell, if there are no exact cells
  std::unordered_map<std::uint64_t, std::size_t> known;  // else part and exact cells -> cell
  std::vector<const Bits*> part_masks;
  bool cut_in_x = false;
  if (refinement != nullptr) {
    cut_in_x = in_x_[refinement->attribute] != 0;
    if (in_join_[refinement->attribute] != 0 && !IsAlone()) {
      for (const std::string& text : state.attribute(refinement->attribute).PartTexts(refinement->node)) {
        part_masks.push_back(MaskOf(masked_[refinement->attribute], text));
      }
    }
  }
  const bool by_row = !guarded_set_.empty() || !unit_.empty();
  std::vector<RowId> rows;
  std::vector<std::int32_t> parts;
  for (const std::uint32_t leaf : leaves) {
    const bool cut = refinement != nullptr && state.shown(leaf, refinement->attribute) == refinement->node;
    std::vector<const Bits*> masks;
    for (std::size_t i = 0; i < in_join_.size(); ++i) {
      if (IsAlone() || in_join_[i] == 0 || (cut && i == refinement->attribute)) continue;
      masks.push_back(MaskOf(state, i, state.shown(leaf, i)));
    }
    const GroupRows own = state.RowsOf(leaf);
    const auto add = [&](std::int32_t part, std::uint32_t exact) -> Cell& {
      Cell& cell = cells.emplace_back();
      cell.x = (static_cast<std::uint64_t>(cut_in_x ? part + 1 : 0) << 32) | exact_x_[exact];
      cell.masks = masks;
      if (cut && !part_masks.empty()) cell.masks.push_back(part_masks[static_cast<std::size_t>(part)]);
      cell.masks.insert(cell.masks.end(), exact_masks_[exact].begin(), exact_masks_[exact].end());
      if (any_guarded_here_) cell.guarded.resize(num_guarded_);
      return cell;
    };
    if (!cut && exact_.empty() && !by_row) {
      add(0, 0).rows = static_cast<std::int64_t>(own.size());
      continue;
    }
    parts.clear();
    if (cut) {
      const std::span<const std::int32_t> part_of = state.attribute(refinement->attribute).part_of();
      own.ForEachCode(refinement->attribute, [&](Code code) { parts.push_back(part_of[code]); });
    }
    rows.clear();
    if (by_row || !exact_.empty()) own.AppendRowIds(rows);
    known.clear();
    by_part.assign(cut ? state.attribute(refinement->attribute).num_parts(refinement->node) : 1, kNoCell);
    const auto cell_of = [&](std::int32_t part, std::uint32_t exact) -> Cell& {
      std::size_t& place = exact_.empty()
                               ? by_part[static_cast<std::size_t>(part)]
                               : known.try_emplace((static_cast<std::uint64_t>(part) << 32) | exact, kNoCell).first->second;
      if (place == kNoCell) {
        place = cells.size();
        add(part, exact);
      }
      return cells[place];
    };
    const std::size_t size = own.size();
    for (std::size_t i = 0; i < size; ++i) {
      Cell& cell = cell_of(cut ? parts[i] : 0, exact_.empty() ? 0 : exact_[rows[i]]);
      ++cell.rows;
      if (!guarded_set_.empty()) {
        for (const std::uint32_t number : guarded_sets_[guarded_set_[rows[i]]]) ++cell.guarded[number];
      }
      if (!unit_.empty()) cell.units.push_back(unit_[rows[i]]);
    }
  }
  return cells;
}

JoinRequirement::Value JoinRequirement::Evaluate(const TopDown& state, std::span<const std::uint32_t> leaves,
                                                 const Refinement* refinement, Scratch& scratch) const {
  const std::vector<Cell> cells = CellsOf(state, leaves, refinement);
  std::vector<const Cell*> order;
  for (const Cell& cell : cells) order.push_back(&cell);
  std::stable_sort(order.begin(), order.end(), [](const Cell* a, const Cell* b) { return a->x < b->x; });
  Value worst{Best(), Best()};
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && order[end]->x == order[begin]->x) ++end;
    const std::span<const Cell* const> own = std::span(order).subspan(begin, end - begin);
    const Bound alone = Alone(own);
    worst = WorseOf(worst, {IsAlone() ? alone : OfJoin(own, scratch), alone});
  }
  return worst;
}

Bound JoinRequirement::Alone(std::span<const Cell* const> cells) const {
  std::int64_t rows = 0;
  for (const Cell* cell : cells) rows += cell->rows;
  if (shares_) {
    if (!any_guarded_here_) return Best();
    Bound worst = {0, 1};
    for (std::size_t number = 0; number < num_guarded_; ++number) {
      std::int64_t with = 0;
      for (const Cell* cell : cells) with += cell->guarded[number];
      if (const Bound bound{with, rows}; Worse(bound, worst)) worst = bound;
    }
    return worst;
  }
  if (join_.y_tables != std::vector<std::size_t>{0}) return Best();
  if (rows_are_units_) return {rows, 1};
  std::unordered_set<std::uint32_t> units;
  for (const Cell* cell : cells) units.insert(cell->units.begin(), cell->units.end());
  return {static_cast<std::int64_t>(units.size()), 1};
}

Bound JoinRequirement::OfJoin(std::span<const Cell* const> cells, Scratch& scratch) const {
  return shares_ ? ShareOfJoin(cells, scratch) : CountOfJoin(cells, scratch);
}

Bound JoinRequirement::ShareOfJoin(std::span<const Cell* const> cells, Scratch& scratch) const {
  for (const Cell* cell : cells) {
    ForEachClass(cell->masks, previous_.num_classes, [&](std::uint32_t number) {
      scratch.by_class.Add(number, cell->rows);
      for (std::size_t value = 0; value < cell->guarded.size(); ++value) {
        if (cell->guarded[value] == 0) continue;
        scratch.by_class_guarded.Add(static_cast<std::uint32_t>(number * num_guarded_ + value), cell->guarded[value]);
      }
    });
  }
  for (const std::uint32_t number : scratch.by_class.touched) {
    const std::int64_t rows = scratch.by_class.counts[number];
    for (std::uint32_t i = previous_.starts[number]; i < previous_.starts[number + 1]; ++i) {
      const PreviousClasses::Entry& entry = previous_.entries[i];
      scratch.by_x.Add(entry.x, rows * entry.rows);
      if (any_guarded_there_) {
        for (const std::uint32_t value : previous_.guarded_sets[entry.unit]) {
          scratch.by_x_guarded.Add(static_cast<std::uint32_t>(entry.x * num_guarded_ + value), rows * entry.rows);
        }
      }
    }
  }
  for (const std::uint32_t place : scratch.by_class_guarded.touched) {
    const auto number = static_cast<std::uint32_t>(place / num_guarded_);
    const std::size_t value = place % num_guarded_;
    for (std::uint32_t i = previous_.starts[number]; i < previous_.starts[number + 1]; ++i) {
      const PreviousClasses::Entry& entry = previous_.entries[i];
      scratch.by_x_guarded.Add(static_cast<std::uint32_t>(entry.x * num_guarded_ + value),
                               scratch.by_class_guarded.counts[place] * entry.rows);
    }
  }
  Bound worst = {0, 1};
  for (const std::uint32_t place : scratch.by_x_guarded.touched) {
    const Bound bound{scratch.by_x_guarded.counts[place], scratch.by_x.counts[place / num_guarded_]};
    if (Worse(bound, worst)) worst = bound;
  }
  scratch.by_class.Clear();
  scratch.by_class_guarded.Clear();
  scratch.by_x.Clear();
  scratch.by_x_guarded.Clear();
  return worst;
}

Bound JoinRequirement::CountOfJoin(std::span<const Cell* const> cells, Scratch& scratch) const {
  const bool here = !join_.y_tables.empty() && join_.y_tables[0] == 0;
  const bool there = !join_.y_tables.empty() && join_.y_tables.back() > 0;
  Tallies<std::int64_t>& by_x = scratch.by_x;
  const auto once = [&](std::uint32_t number) {
    if (scratch.stamps.size() <= number) scratch.stamps.resize(number + std::size_t{1});
    if (scratch.stamps[number] == scratch.stamp) return false;
    scratch.stamps[number] = scratch.stamp;
    return true;
  };
  if (join_.keys.size() > 1) {  // tuples of rows
    for (const Cell* cell : cells) {
      ForEachClass(cell->masks, previous_.num_classes, [&](std::uint32_t number) {
        for (std::uint32_t i = previous_.starts[number]; i < previous_.starts[number + 1]; ++i) {
          by_x.Add(previous_.entries[i].x, cell->rows * previous_.entries[i].rows);
        }
      });
    }
  } else if (here && !there && rows_are_units_) {  // each row of a cell once per x, whatever classes it meets
    for (const Cell* cell : cells) {
      ++scratch.stamp;
      ForEachClass(cell->masks, previous_.num_classes, [&](std::uint32_t number) {
        for (std::uint32_t i = previous_.starts[number]; i < previous_.starts[number + 1]; ++i) {
          if (once(previous_.entries[i].x)) by_x.Add(previous_.entries[i].x, cell->rows);
        }
      });
    }
  } else if (there && !here) {  // each previous row, or value, once per x, whatever rows meet it
    ++scratch.stamp;
    for (const Cell* cell : cells) {
      ForEachClass(cell->masks, previous_.num_classes, [&](std::uint32_t number) {
        for (std::uint32_t i = previous_.starts[number]; i < previous_.starts[number + 1]; ++i) {
          if (once(previous_.entries[i].pair)) by_x.Add(previous_.entries[i].x, previous_.entries[i].unit_weight);
        }
      });
    }
  } else {  // different (value here, value there) per x
    std::unordered_set<std::uint64_t> seen;
    for (const Cell* cell : cells) {
      std::vector<std::uint32_t> units = cell->units;
      std::sort(units.begin(), units.end());
      units.erase(std::unique(units.begin(), units.end()), units.end());
      ++scratch.stamp;
      ForEachClass(cell->masks, previous_.num_classes, [&](std::uint32_t number) {
        for (std::uint32_t i = previous_.starts[number]; i < previous_.starts[number + 1]; ++i) {
          const PreviousClasses::Entry& entry = previous_.entries[i];
          if (!once(entry.pair)) continue;
          for (const std::uint32_t unit : units) {
            if (seen.insert((static_cast<std::uint64_t>(entry.pair) << 32) | unit).second) by_x.Add(entry.x, 1);
          }
        }
      });
    }
  }
  Bound worst = Best();
  for (const std::uint32_t x : by_x.touched) worst.above = std::min(worst.above, by_x.counts[x]);
  by_x.Clear();
  return worst;
}

Bound JoinRequirement::Best() const { return shares_ ? Bound{0, 1} : Bound{std::numeric_limits<std::int64_t>::max(), 1}; }

bool JoinRequirement::Worse(const Bound& a, const Bound& b) const {
  return shares_ ? static_cast<Int128>(a.above) * b.below > static_cast<Int128>(b.above) * a.below : a.above < b.above;
}

JoinRequirement::Value JoinRequirement::WorseOf(const Value& a, const Value& b) const {
  return {Worse(b.join, a.join) ? b.join : a.join, Worse(b.alone, a.alone) ? b.alone : a.alone};
}

bool JoinRequirement::ShouldStop(const Bound& bound) const {
  if (!shares_) return bound.above >= k_;
  return static_cast<Int128>(bound.above) * h_.denominator() <= static_cast<Int128>(bound.below) * h_.numerator();
}

bool JoinRequirement::Touches(const TopDown& state, const Group& group, const Refinement& refinement) const {
  return std::any_of(group.leaves.begin(), group.leaves.end(),
                     [&](std::uint32_t leaf) { return state.shown(leaf, refinement.attribute) == refinement.node; });
}

void JoinRequirement::Settle(const TopDown& state, std::span<const std::uint32_t> leaves) {
  std::vector<char> changed(state.num_leaves());
  for (const std::uint32_t leaf : leaves) changed[leaf] = 1;
  // 1. Leaves by what they show in X. A group without a changed leaf is what it was.
  std::map<std::vector<int>, Group> groups;
  std::vector<int> key;
  for (std::uint32_t leaf = 0; leaf < state.num_leaves(); ++leaf) {
    key.clear();
    for (std::size_t i = 0; i < in_x_.size(); ++i) {
      if (in_x_[i] != 0) key.push_back(state.shown(leaf, i));
    }
    groups[key].leaves.push_back(leaf);
  }
  std::vector<Group*> stale;
  for (auto& [shown, group] : groups) {
    const bool any =
        std::any_of(group.leaves.begin(), group.leaves.end(), [&](std::uint32_t leaf) { return changed[leaf] != 0; });
    if (any) {
      stale.push_back(&group);
      continue;
    }
    Group& known = groups_.at(shown);
    group.now = known.now;
    group.would = std::move(known.would);
  }
  groups_ = std::move(groups);
  // 2. What the new groups reach, and would reach.
  ParallelFor(threads_, stale.size(), 1, [&](std::size_t task, std::size_t, std::size_t) {
    Group& group = *stale[task];
    Scratch scratch;
    group.now = Evaluate(state, group.leaves, nullptr, scratch);
    for (std::size_t i = 0; i < in_x_.size(); ++i) {
      if (!Concerns(i)) continue;
      for (const int node : state.attribute(i).Refinements()) {
        const Refinement refinement{i, node};
        if (!state.IsOpen(refinement) || !Touches(state, group, refinement)) continue;
        group.would.push_back({refinement, Evaluate(state, group.leaves, &refinement, scratch)});
      }
    }
  });
  // 3. The whole.
  worst_first_.clear();
  for (const auto& [shown, group] : groups_) worst_first_.push_back(&group);
  worst_first_alone_ = worst_first_;
  std::stable_sort(worst_first_.begin(), worst_first_.end(),
                   [&](const Group* a, const Group* b) { return Worse(a->now.join, b->now.join); });
  std::stable_sort(worst_first_alone_.begin(), worst_first_alone_.end(),
                   [&](const Group* a, const Group* b) { return Worse(a->now.alone, b->now.alone); });
  value_ = {worst_first_.front()->now.join, worst_first_alone_.front()->now.alone};
  now_ = ReachedBy(value_);
}

StateRequirement::Reached JoinRequirement::After(const TopDown& state, const Refinement& refinement) const {
  if (!Concerns(refinement.attribute)) return now_;
  Value value{Best(), Best()};
  std::unordered_set<const Group*> touched;
  Scratch scratch;
  for (const auto& [shown, group] : groups_) {
    const auto known =
        std::find_if(group.would.begin(), group.would.end(), [&](const Would& each) { return each.refinement == refinement; });
    if (known == group.would.end() && !Touches(state, group, refinement)) continue;
    touched.insert(&group);
    value = WorseOf(value, known != group.would.end() ? known->value : Evaluate(state, group.leaves, &refinement, scratch));
  }
  const auto rest = [&](const std::vector<const Group*>& order) {
    return std::find_if(order.begin(), order.end(), [&](const Group* group) { return !touched.contains(group); });
  };
  if (const auto first = rest(worst_first_); first != worst_first_.end()) value = WorseOf(value, {(*first)->now.join, Best()});
  if (const auto first = rest(worst_first_alone_); first != worst_first_alone_.end()) {
    value = WorseOf(value, {Best(), (*first)->now.alone});
  }
  return ReachedBy(value);
}

std::string JoinRequirement::ReachedText() const {
  if (IsAlone()) return value_.alone.Text();
  const std::string alone = fmt::format("{} in the current release alone", value_.alone.Text());
  if (ShouldStop(value_.join)) return alone;
  return fmt::format("{} on the join{}", value_.join.Text(), ShouldStop(value_.alone) ? "" : " and " + alone);
}

std::int64_t JoinRequirement::MostY() const {
  const auto& tables = sequential_->linked.tables;
  std::int64_t most = 1;
  if (join_.keys.size() > 1) {  // tuples of rows
    for (const std::size_t table : join_.keys) most *= static_cast<std::int64_t>(tables[table].num_rows);
    return most;
  }
  if (join_.y_tables.front() == 0) {
    const std::unordered_set<std::uint32_t> units(unit_.begin(), unit_.end());
    most = static_cast<std::int64_t>(rows_are_units_ ? tables[0].num_rows : units.size());
  }
  if (join_.y_tables.back() > 0) {
    std::unordered_map<std::uint32_t, std::int64_t> units;
    for (const PreviousClasses::Entry& entry : previous_.entries) units[entry.unit] = entry.unit_weight;
    std::int64_t there = 0;
    for (const auto& [unit, weight] : units) there += weight;
    most *= there;
  }
  return most;
}

std::string JoinRequirement::WhyNone() const {
  if (now_.holds) return "";
  if (!shares_ && MostY() < k_) {
    return fmt::format("there are {} {} in all", MostY(),
                       y_ == "person"    ? "people"
                       : join_.y.empty() ? y_
                                         : "different values of " + y_);
  }
  if (!monotone() || join_.y_tables[0] == 0) return StateRequirement::WhyNone();
  return fmt::format("{} alone violates it, and nothing in the current release can change that",
                     sequential_->linked.tables[join_.y_tables[0]].name);
}

JoinFacts JoinRequirement::Facts() const { return {text_, join_.closed, previous_.num_classes, previous_.entries.size()}; }

}  // namespace cordon::engine
