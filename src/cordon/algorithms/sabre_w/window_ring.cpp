// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/sabre_w/window_ring.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <unordered_set>

namespace cordon::engine {
namespace {

constexpr std::size_t kFirstCapacity = 64;
constexpr std::int64_t kListed = 4096;  // numbers of an axis up to which its domain is made once
constexpr std::int64_t kFanOut = 4;     // intervals below an interval, for searches that go by levels

// Intervals of 4, 16, 64, ... numbers, up to all of them.
std::shared_ptr<const Hierarchy> Intervals(const StreamAxis& axis) {
  const std::int64_t size = axis.hi - axis.lo + 1;
  std::vector<std::vector<std::string>> paths(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) {
    std::vector<std::string>& path = paths[static_cast<std::size_t>(i)];
    path.push_back(std::to_string(axis.lo + i));
    for (std::int64_t width = kFanOut; width < size; width *= kFanOut) {
      const std::int64_t begin = axis.lo + i / width * width;
      const std::int64_t end = std::min(begin + width - 1, axis.hi);
      path.push_back(begin == end ? std::to_string(begin) : "[" + std::to_string(begin) + "," + std::to_string(end) + "]");
    }
    path.push_back("*");
  }
  Result<Hierarchy> made = Hierarchy::FromPaths(paths);
  return made.ok() ? std::make_shared<const Hierarchy>(std::move(made).value()) : nullptr;
}

std::shared_ptr<const Domain> ListedDomain(const StreamAxis& axis) {
  if (axis.hierarchy != nullptr) return std::make_shared<const Domain>(Domain::Categorical(axis.hierarchy, std::nullopt));
  if (axis.hi - axis.lo >= kListed) return nullptr;
  Domain::NumericSpec spec;
  spec.values.resize(static_cast<std::size_t>(axis.hi - axis.lo + 1));
  std::iota(spec.values.begin(), spec.values.end(), axis.lo);
  spec.range_lo = axis.lo;
  spec.range_hi = axis.hi;
  spec.labels = Intervals(axis);
  return std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
}

}  // namespace

WindowRing::WindowRing(const StreamSchema& schema, const WindowModels& models, std::int64_t capacity)
    : schema_(schema),
      models_(models),
      capacity_(std::bit_ceil(static_cast<std::size_t>(capacity))),
      num_quasi_(schema.quasi.size()),
      num_values_(models.columns().size()) {
  for (const StreamAxis& axis : schema.quasi) domains_.push_back(ListedDomain(axis));
  const std::size_t size = std::min(kFirstCapacity, capacity_);
  quasi_.resize(size * num_quasi_);
  values_.resize(size * num_values_);
  persons_.resize(size);
  gone_.resize(size);
}

void WindowRing::Grow() {
  const std::size_t old_size = gone_.size();
  const std::size_t size = std::min(2 * old_size, capacity_);
  WindowRing larger(*this);
  larger.quasi_.assign(size * num_quasi_, 0);
  larger.values_.assign(size * num_values_, 0);
  larger.persons_.assign(size, 0);
  larger.gone_.assign(size, 0);
  const Position first = std::max<Position>(1, last_ - static_cast<Position>(old_size) + 1);
  for (Position position = first; position <= last_; ++position) {
    const std::size_t to = larger.Slot(position);
    std::copy_n(quasi(position).data(), num_quasi_, larger.quasi_.data() + to * num_quasi_);
    std::copy_n(values(position).data(), num_values_, larger.values_.data() + to * num_values_);
    larger.persons_[to] = person(position);
    larger.gone_[to] = Gone(position) ? 1 : 0;
  }
  quasi_.swap(larger.quasi_);
  values_.swap(larger.values_);
  persons_.swap(larger.persons_);
  gone_.swap(larger.gone_);
}

void WindowRing::Add(const Tuple& tuple) {
  CORDON_CHECK_EQ(tuple.position, last_ + 1);
  if (last_ >= static_cast<Position>(gone_.size()) && gone_.size() < capacity_) Grow();
  last_ = tuple.position;
  const std::size_t slot = Slot(last_);
  std::copy_n(tuple.quasi.data(), num_quasi_, quasi_.data() + slot * num_quasi_);
  for (std::size_t i = 0; i < num_values_; ++i) {
    values_[slot * num_values_ + i] = models_.CodeOf(i, tuple.sensitive[models_.columns()[i]]);
  }
  persons_[slot] = tuple.person;
  gone_[slot] = 0;
}

void WindowRing::Count(Position position, std::int64_t times, ValueCounts& counts) const {
  const std::span<const Code> codes = values(position);
  for (std::size_t i = 0; i < codes.size(); ++i) counts.counts[i][static_cast<std::size_t>(codes[i])] += times;
  counts.rows += times;
}

bool WindowRing::HasPeople(std::span<const Position> positions, std::int64_t least) const {
  if (static_cast<std::int64_t>(positions.size()) < least) return false;
  std::unordered_set<PersonId> seen;
  for (const Position position : positions) {
    seen.insert(person(position));
    if (static_cast<std::int64_t>(seen.size()) >= least) return true;
  }
  return least <= 0;
}

std::vector<AxisRange> WindowRing::BoxOf(std::span<const Position> positions) const {
  std::vector<AxisRange> box(num_quasi_);
  for (std::size_t axis = 0; axis < num_quasi_; ++axis) {
    const std::int64_t first = quasi_[Slot(positions.front()) * num_quasi_ + axis];
    box[axis] = {first, first};
  }
  for (const Position position : positions) {
    const std::int64_t* places = quasi_.data() + Slot(position) * num_quasi_;
    for (std::size_t axis = 0; axis < num_quasi_; ++axis) {
      box[axis].lo = std::min(box[axis].lo, places[axis]);
      box[axis].hi = std::max(box[axis].hi, places[axis]);
    }
  }
  for (std::size_t axis = 0; axis < num_quasi_; ++axis) {
    const Hierarchy* tree = schema_.quasi[axis].hierarchy.get();
    if (tree == nullptr) continue;
    const NodeId node = tree->Lca(static_cast<Code>(box[axis].lo), static_cast<Code>(box[axis].hi));
    box[axis] = {tree->first_leaf(node), tree->last_leaf(node)};
  }
  return box;
}

MicrodataColumn WindowRing::QuasiColumn(std::size_t axis, std::span<const Position> positions) const {
  const StreamAxis& declared = schema_.quasi[axis];
  const auto place = [&](std::size_t row) { return quasi_[Slot(positions[row]) * num_quasi_ + axis]; };
  MicrodataColumn column{{declared.name, Role::kQuasi, domains_[axis], declared.weight}, {}, {}};
  if (domains_[axis] != nullptr) {
    column.codes =
        Codes::Generate(positions.size(), 1, [&](std::size_t row) { return static_cast<Code>(place(row) - declared.lo); });
    return column;
  }
  Domain::NumericSpec spec;
  for (std::size_t row = 0; row < positions.size(); ++row) spec.values.push_back(place(row));
  std::sort(spec.values.begin(), spec.values.end());
  spec.values.erase(std::unique(spec.values.begin(), spec.values.end()), spec.values.end());
  spec.range_lo = declared.lo;
  spec.range_hi = declared.hi;
  const std::vector<std::int64_t> values = spec.values;
  column.attribute.domain = std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
  column.codes = Codes::Generate(positions.size(), 1, [&](std::size_t row) {
    return static_cast<Code>(std::lower_bound(values.begin(), values.end(), place(row)) - values.begin());
  });
  return column;
}

// None if every tuple is another person's: so it is if the stream has no person column.
void WindowRing::SetPersons(std::span<const Position> positions, Microdata& table) const {
  std::vector<PersonId> people;
  people.reserve(positions.size());
  for (const Position position : positions) people.push_back(person(position));
  table.num_persons = people.size();
  if (std::adjacent_find(people.begin(), people.end(), std::greater_equal<>()) == people.end()) return;
  std::sort(people.begin(), people.end());
  people.erase(std::unique(people.begin(), people.end()), people.end());
  if (people.size() == positions.size()) return;
  table.num_persons = people.size();
  table.persons = Codes::Generate(positions.size(), 1, [&](std::size_t row) {
    return static_cast<Code>(std::lower_bound(people.begin(), people.end(), person(positions[row])) - people.begin());
  });
}

Microdata WindowRing::TableOf(std::span<const Position> positions) const {
  Microdata table;
  table.num_rows = positions.size();
  for (std::size_t axis = 0; axis < num_quasi_; ++axis) table.columns.push_back(QuasiColumn(axis, positions));
  for (std::size_t i = 0; i < num_values_; ++i) {
    MicrodataColumn column{models_.attributes()[i], {}, {}};
    column.codes =
        Codes::Generate(positions.size(), 1, [&](std::size_t row) { return values_[Slot(positions[row]) * num_values_ + i]; });
    table.columns.push_back(std::move(column));
  }
  SetPersons(positions, table);
  return table;
}

}  // namespace cordon::engine
