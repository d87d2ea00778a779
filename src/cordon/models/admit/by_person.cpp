// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/by_person.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace cordon::engine {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the margin below is for a long double of at least 64 bits");

// f(the values of one person), person by person.
template <typename Function>
void ForEachPerson(std::span<const Holding> holdings, const Function& f) {
  for (std::size_t begin = 0; begin < holdings.size();) {
    std::size_t end = begin + 1;
    while (end < holdings.size() && holdings[end].person == holdings[begin].person) ++end;
    f(holdings.subspan(begin, end - begin));
    begin = end;
  }
}

// f(value, people who have it) for the values that somebody has, in no particular but always the same order.
template <typename Function>
void ForEachHeld(std::span<const Holding> holdings, const Function& f) {
  static thread_local std::vector<std::int64_t> people;  // by value; all zero between calls
  static thread_local std::vector<Code> values;
  values.clear();
  for (const Holding& each : holdings) {
    const auto value = static_cast<std::size_t>(each.value);
    if (value >= people.size()) people.resize(value + 1);
    if (people[value]++ == 0) values.push_back(each.value);
  }
  for (const Code value : values) {
    f(value, people[static_cast<std::size_t>(value)]);
    people[static_cast<std::size_t>(value)] = 0;
  }
}

// People by their number of rows.
class RowsOfPeople {
 public:
  explicit RowsOfPeople(std::span<const Holding> holdings) {
    ForEachPerson(holdings, [&](std::span<const Holding> own) {
      std::int64_t rows = 0;
      for (const Holding& each : own) rows += each.rows;
      const auto found =
          std::find_if(people_of_.begin(), people_of_.end(), [&](const auto& each) { return each.first == rows; });
      if (found == people_of_.end()) {
        people_of_.emplace_back(rows, 1);
      } else {
        ++found->second;
      }
      ++people_;
    });
  }

  std::int64_t people() const { return people_; }
  // How many are expected to have what set_rows of all rows have, times whole_rows: below 2^64.
  Int128 Expected(std::int64_t set_rows, std::int64_t whole_rows) const {
    Int128 expected = 0;
    for (const auto& [rows, people] : people_of_) {
      expected += people * std::min<Int128>(whole_rows, static_cast<Int128>(rows) * set_rows);
    }
    return expected;
  }

 private:
  std::vector<std::pair<std::int64_t, Int128>> people_of_;  // few: rows of one person in one group
  std::int64_t people_ = 0;
};

}  // namespace

LDiversityByPerson::Standing LDiversityByPerson::StandingOf(const GroupCounts& group) const {
  const std::span<const Holding> holdings = group.holdings(histogram_);
  std::int64_t rest = 0;  // people with a value, then those whom the most widespread ones may leave
  ForEachPerson(holdings,
                [&](std::span<const Holding> own) { rest += own.size() > 1 || own.front().value != missing_ ? 1 : 0; });
  static thread_local std::vector<std::int64_t> holders;
  holders.clear();
  ForEachHeld(holdings, [&](Code value, std::int64_t people) {
    if (value != missing_) holders.push_back(people);
  });
  const auto others = static_cast<std::size_t>(spec_.l.numerator()) - 1;
  if (holders.size() <= others) return {};  // each person has one of them
  const auto middle = holders.begin() + static_cast<std::ptrdiff_t>(others);
  std::nth_element(holders.begin(), middle, holders.end(), std::greater<>());
  rest = std::accumulate(holders.begin(), middle, rest, std::minus<>());
  return {*std::max_element(holders.begin(), middle + 1), rest};
}

bool LDiversityByPerson::Admits(const GroupCounts& group) const {
  const auto [most, rest] = StandingOf(group);
  if (spec_.kind == LDiversitySpec::Kind::kDistinct) return rest > 0;
  return static_cast<Int128>(most) * spec_.c->denominator() < static_cast<Int128>(rest) * spec_.c->numerator();
}

// Recursive: (most + room) < c (rest - room).
std::int64_t LDiversityByPerson::Room(const GroupCounts& group) const {
  const auto [most, rest] = StandingOf(group);
  if (spec_.kind == LDiversitySpec::Kind::kDistinct) return std::max<std::int64_t>(rest - 1, 0);
  const Int128 above = static_cast<Int128>(rest) * spec_.c->numerator() - static_cast<Int128>(most) * spec_.c->denominator();
  if (above <= 0) return 0;
  return static_cast<std::int64_t>((above - 1) / (static_cast<Int128>(spec_.c->numerator()) + spec_.c->denominator()));
}

BetaLikenessByPerson::BetaLikenessByPerson(BetaLikenessSpec spec, std::size_t histogram, std::vector<std::int64_t> whole)
    : spec_(std::move(spec)),
      histogram_(histogram),
      whole_(std::move(whole)),
      whole_rows_(std::accumulate(whole_.begin(), whole_.end(), std::int64_t{0})) {}

bool BetaLikenessByPerson::Admits(const GroupCounts& group) const {
  const std::span<const Holding> holdings = group.holdings(histogram_);
  const RowsOfPeople people(holdings);
  bool admitted = people.people() > 0;
  const Int128 everybody = static_cast<Int128>(people.people()) * whole_rows_;
  ForEachHeld(holdings, [&](Code value, std::int64_t holders) {
    admitted =
        admitted && Within(static_cast<Int128>(holders) * whole_rows_, people.Expected(whole_[value], whole_rows_), everybody);
  });
  return admitted;
}

// All three times the number of all rows, below 2^64. If the logarithm decides, gain <= -ln p is asked with a margin of
// 2^-53, far more than the error of the few operations on numbers below 45.
bool BetaLikenessByPerson::Within(Int128 holders, Int128 expected, Int128 everybody) const {
  if (holders <= expected) return true;
  if ((holders - expected) * spec_.beta.denominator() > expected * spec_.beta.numerator()) return false;
  if (spec_.kind == BetaLikenessSpec::Kind::kBasic) return true;
  const long double gain = static_cast<long double>(holders - expected) / static_cast<long double>(expected);
  const long double surprise = std::log(static_cast<long double>(everybody) / static_cast<long double>(expected));
  return gain + std::ldexp(1 + surprise, -53) <= surprise;
}

TClosenessByPerson::TClosenessByPerson(TClosenessSpec spec, std::size_t histogram, std::vector<std::int64_t> whole,
                                       std::shared_ptr<const Hierarchy> hierarchy)
    : spec_(std::move(spec)),
      histogram_(histogram),
      hierarchy_(std::move(hierarchy)),
      whole_rows_(std::accumulate(whole.begin(), whole.end(), std::int64_t{0})),
      whole_(std::move(whole)) {
  switch (spec_.distance) {
    case Distance::kEqual: break;
    case Distance::kOrdered:
      scale_ = std::max<std::int64_t>(static_cast<std::int64_t>(whole_.size()) - 1, 1);
      std::partial_sum(whole_.begin(), whole_.end(), whole_.begin());
      break;
    case Distance::kHierarchical: {
      scale_ = std::max(hierarchy_->height(), 1);
      std::vector<std::int64_t> below(static_cast<std::size_t>(hierarchy_->num_nodes()));
      for (Code leaf = 0; leaf < hierarchy_->num_leaves(); ++leaf) {
        for (NodeId node = hierarchy_->leaf_node(leaf); node != kRoot; node = hierarchy_->parent(node))
          below[node] += whole_[leaf];
      }
      whole_ = std::move(below);
    }
  }
}

// Shares are (people of the group) x (all rows), below 2^64. A group has fewer than 2^32 pairs of a person and a value, each in
// sets of a total weight of at most twice the scale: the sum is below 2^97.
bool TClosenessByPerson::Admits(const GroupCounts& group) const {
  const std::span<const Holding> holdings = group.holdings(histogram_);
  if (holdings.empty()) return false;
  const Int128 rise = spec_.distance == Distance::kEqual     ? EqualRise(holdings)
                      : spec_.distance == Distance::kOrdered ? OrderedRise(holdings)
                                                             : HierarchicalRise(holdings);
  const Int128 one = static_cast<Int128>(group.persons()) * whole_rows_ * scale_;
  return rise * spec_.t.denominator() <= one * spec_.t.numerator();
}

Int128 TClosenessByPerson::EqualRise(std::span<const Holding> group) const {
  const RowsOfPeople people(group);
  Int128 rise = 0;
  ForEachHeld(group, [&](Code value, std::int64_t holders) {
    rise += std::max<Int128>(static_cast<Int128>(holders) * whole_rows_ - people.Expected(whole_[value], whole_rows_), 0);
  });
  return rise;
}

// "A value or a smaller one" is had by those whose least value is there, "a larger one" by those whose greatest is.
Int128 TClosenessByPerson::OrderedRise(std::span<const Holding> group) const {
  const RowsOfPeople people(group);
  std::vector<Code> least;
  std::vector<Code> greatest;
  ForEachPerson(group, [&](std::span<const Holding> own) {
    least.push_back(own.front().value);
    greatest.push_back(own.back().value);
  });
  std::sort(least.begin(), least.end());
  std::sort(greatest.begin(), greatest.end(), std::greater<>());
  const Code last = static_cast<Code>(whole_.size()) - 1;
  Int128 rise = 0;
  std::size_t holders = 0;
  const auto add = [&](std::int64_t set_rows) {
    rise += std::max<Int128>(static_cast<Int128>(holders) * whole_rows_ - people.Expected(set_rows, whole_rows_), 0);
  };
  for (Code value = least.front(); value < last; ++value) {
    while (holders < least.size() && least[holders] <= value) ++holders;
    add(whole_[value]);
  }
  holders = 0;
  for (Code value = greatest.front() - 1; value >= 0; --value) {
    while (holders < greatest.size() && greatest[holders] > value) ++holders;
    add(whole_rows_ - whole_[value]);
  }
  return rise;
}

// A person counts once below a node, however many values there are the person's.
Int128 TClosenessByPerson::HierarchicalRise(std::span<const Holding> group) const {
  static thread_local std::vector<std::uint64_t> seen;  // by node, the last person who was there
  static thread_local std::uint64_t mark = 0;
  static thread_local std::vector<std::int64_t> holders;  // all zero between calls
  static thread_local std::vector<NodeId> touched;
  if (seen.size() < whole_.size()) seen.resize(whole_.size());
  if (holders.size() < whole_.size()) holders.resize(whole_.size());
  touched.clear();
  ForEachPerson(group, [&](std::span<const Holding> own) {
    ++mark;
    for (const Holding& each : own) {
      for (NodeId node = hierarchy_->leaf_node(each.value); node != kRoot && seen[node] != mark;
           node = hierarchy_->parent(node)) {
        seen[node] = mark;
        if (holders[node]++ == 0) touched.push_back(node);
      }
    }
  });
  const RowsOfPeople people(group);
  Int128 rise = 0;
  for (const NodeId node : touched) {
    const int weight = hierarchy_->height(hierarchy_->parent(node)) - hierarchy_->height(node);
    const Int128 more = static_cast<Int128>(holders[node]) * whole_rows_ - people.Expected(whole_[node], whole_rows_);
    if (more > 0) rise += more * weight;
    holders[node] = 0;
  }
  return rise;
}

}  // namespace cordon::engine
