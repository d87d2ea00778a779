// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/full_domain/lattice_levels.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "cordon/base/rational.h"

namespace cordon::engine {
namespace {

constexpr int kFinestParts = 16;  // of the range, if a number has neither labels nor a grid

// Bins in the order of the first code that lies in each.
class LevelBuilder {
 public:
  explicit LevelBuilder(const Domain& domain) : domain_(domain) {}

  // Consecutive codes mostly share a cell; `key` tells equal cells.
  void Add(std::int64_t key, const Meaning& shown) {
    const auto [found, is_new] = bins_.try_emplace(key, level_.num_bins());
    if (is_new) {
      level_.shown.push_back(shown);
      level_.loss.push_back(domain_.Loss(shown));
    }
    level_.bin_of.push_back(found->second);
  }
  Level Done(int source) {
    level_.source = source;
    return std::move(level_);
  }

 private:
  const Domain& domain_;
  Level level_;
  std::map<std::int64_t, Code> bins_;
};

constexpr std::int64_t kMissingKey = std::numeric_limits<std::int64_t>::min();

Level CategoricalLevel(const Domain& domain, int source) {
  const Hierarchy& hierarchy = *domain.hierarchy();
  LevelBuilder level(domain);
  for (Code code = 0; code < domain.size(); ++code) {
    const NodeId node = hierarchy.node_at_level(code, source);
    level.Add(node, {Meaning::Kind::kNode, 0, 0, false, node});
  }
  return level.Done(source);
}

Level ExactNumbers(const Domain& domain) {
  LevelBuilder level(domain);
  const std::int64_t cell = domain.numeric().cell;
  for (Code code = 0; code < domain.size(); ++code) {
    if (code == domain.missing()) {
      level.Add(kMissingKey, {Meaning::Kind::kMissing});
    } else {
      const std::int64_t value = domain.value(code);
      level.Add(value, {Meaning::Kind::kInterval, value, value + cell, cell > 0, kRoot});
    }
  }
  return level.Done(0);
}

Level Everything(const Domain& domain, int source) {
  LevelBuilder level(domain);
  for (Code code = 0; code < domain.size(); ++code) level.Add(0, Meaning{});
  return level.Done(source);
}

// Runs of `width` from the lower end of the range; the last one ends with the range. Without a grid the published
// interval is closed: at the scale of the column [20,29] and [20,30) hold the same numbers, and the former says more.
Level Runs(const Domain& domain, std::int64_t width, int source) {
  const Domain::NumericSpec& spec = domain.numeric();
  LevelBuilder level(domain);
  for (Code code = 0; code < domain.size(); ++code) {
    if (code == domain.missing()) {
      level.Add(kMissingKey, {Meaning::Kind::kMissing});
      continue;
    }
    const Int128 run = (static_cast<Int128>(domain.value(code)) - spec.range_lo) / width;
    const auto from = static_cast<std::int64_t>(spec.range_lo + run * width);
    const Int128 end = static_cast<Int128>(from) + width;
    const Int128 last = std::max<Int128>(spec.range_hi, static_cast<Int128>(domain.value(code)) + spec.cell);
    const auto to = static_cast<std::int64_t>(std::min(spec.cell > 0 ? end : end - 1, last));
    level.Add(from, {Meaning::Kind::kInterval, from, to, spec.cell > 0, kRoot});
  }
  return level.Done(source);
}

std::vector<Level> BuiltLevels(const Domain& domain) {
  const Domain::NumericSpec& spec = domain.numeric();
  std::vector<Level> levels = {ExactNumbers(domain)};
  const Int128 range = static_cast<Int128>(spec.range_hi) - spec.range_lo;
  int source = 1;
  if (spec.cell > 0) {
    for (Int128 width = static_cast<Int128>(spec.cell) * 2; width < range; width *= 2) {
      levels.push_back(Runs(domain, static_cast<std::int64_t>(width), source++));
    }
  } else {
    const Int128 finest = range / kFinestParts + 1;
    for (Int128 width = finest; width <= range; width *= 2) {
      levels.push_back(Runs(domain, static_cast<std::int64_t>(width), source++));
    }
  }
  levels.push_back(Everything(domain, source));
  return levels;
}

Result<Level> LabelledLevel(const Attribute& attribute, int source) {
  const Domain& domain = *attribute.domain;
  const Hierarchy& labels = *domain.hierarchy();
  std::map<std::int64_t, Meaning> intervals;  // by lower end
  for (Code leaf = 0; leaf < labels.num_leaves(); ++leaf) {
    const auto meaning = domain.Read(labels.label(labels.node_at_level(leaf, source)));
    if (!meaning || meaning->kind == Meaning::Kind::kEverything) return Everything(domain, source);
    if (meaning->kind == Meaning::Kind::kInterval) intervals.emplace(meaning->lo, *meaning);
  }
  LevelBuilder level(domain);
  for (Code code = 0; code < domain.size(); ++code) {
    if (code == domain.missing()) {
      level.Add(kMissingKey, {Meaning::Kind::kMissing});
      continue;
    }
    const auto above = intervals.upper_bound(domain.value(code));
    const auto found = above == intervals.begin() ? intervals.end() : std::prev(above);
    if (found == intervals.end() || !domain.Covers(found->second, code)) {
      return Error::InvalidData("column {}: level {} of its hierarchy has no label for some value of the data", attribute.name,
                                source)
          .WithHint("add the missing leaves, or leave the hierarchy out: levels are then built from the range");
    }
    level.Add(found->first, found->second);
  }
  return level.Done(source);
}

bool Nests(const Level& fine, const Level& coarse) {
  std::vector<Code> above(fine.shown.size(), kNull);
  for (std::size_t code = 0; code < fine.bin_of.size(); ++code) {
    Code& bin = above[fine.bin_of[code]];
    if (bin == kNull) bin = coarse.bin_of[code];
    if (bin != coarse.bin_of[code]) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<Level>> LevelsOf(const Attribute& attribute) {
  const Domain& domain = *attribute.domain;
  std::vector<Level> all;
  if (domain.is_categorical()) {
    for (int source = 0; source <= domain.hierarchy()->height(); ++source) all.push_back(CategoricalLevel(domain, source));
  } else if (domain.hierarchy() == nullptr) {
    all = BuiltLevels(domain);
  } else {
    all.push_back(ExactNumbers(domain));
    for (int source = 1; source <= domain.hierarchy()->height(); ++source) {
      CORDON_TRY(Level level, LabelledLevel(attribute, source));
      all.push_back(std::move(level));
    }
    if (all.back().num_bins() > 1) all.push_back(Everything(domain, domain.hierarchy()->height() + 1));
  }
  std::vector<Level> levels;
  for (Level& level : all) {
    if (!levels.empty() && !Nests(levels.back(), level)) {
      return Error::InvalidData("column {}: level {} of its hierarchy is not made of whole intervals of the level below",
                                attribute.name, level.source)
          .WithHint("labels of numbers are read as intervals: order the leaves and let each label cover a run of them");
    }
    // The same bins with wider cells would only lose more.
    if (!levels.empty() && level.bin_of == levels.back().bin_of) continue;
    if (domain.hierarchy() == nullptr) level.source = static_cast<int>(levels.size());
    levels.push_back(std::move(level));
  }
  return levels;
}

}  // namespace cordon::engine
