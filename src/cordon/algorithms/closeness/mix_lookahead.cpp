// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/mix_lookahead.h"

#include <algorithm>
#include <cmath>

namespace cordon::engine {
namespace {

constexpr double kSlack = 1e-9;
constexpr double kMeanDeviation = 0.7979;  // of a normal variable, of its standard deviation: sqrt(2 / pi)

double AsDouble(const Rational& value) {
  return static_cast<double>(value.numerator()) / static_cast<double>(value.denominator());
}

}  // namespace

MixLookahead::MixLookahead(std::span<const ModelSpec> specs, const Reference& reference, std::size_t histogram,
                           const ValueClasses& classes)
    : caps_(reference.histograms[histogram].size(), 1.0), needs_(caps_.size(), 1), histogram_(reference.histograms[histogram]) {
  const Attribute& attribute = reference.sensitive[histogram];
  for (std::size_t c = 0; c < classes.size(); ++c) class_shares_.push_back(classes.share(c));
  for (std::size_t value = 0; value < caps_.size(); ++value) class_of_.push_back(classes.of(static_cast<Code>(value)));
  const auto share = [&](std::size_t value) {
    return static_cast<double>(histogram_[value]) / static_cast<double>(reference.rows);
  };
  std::vector<double> most(caps_.size(), 1.0);
  for (const ModelSpec& spec : specs) {
    if (const auto* t = std::get_if<TClosenessSpec>(&spec); t != nullptr && t->sensitive == attribute.name) {
      AddDistance(*t, attribute, classes);
    } else if (const auto* beta = std::get_if<BetaLikenessSpec>(&spec); beta != nullptr && beta->sensitive == attribute.name) {
      for (std::size_t value = 0; value < most.size(); ++value) {
        double factor = AsDouble(beta->beta);
        if (beta->kind == BetaLikenessSpec::Kind::kEnhanced && share(value) > 0)
          factor = std::min(factor, -std::log(share(value)));
        most[value] = std::min(most[value], share(value) * (1 + factor));
      }
    } else if (const auto* alpha = std::get_if<AlphaKSpec>(&spec); alpha != nullptr && alpha->sensitive == attribute.name) {
      if (const auto code = attribute.domain->Encode(alpha->value)) most[*code] = std::min(most[*code], AsDouble(alpha->alpha));
    } else if (const auto* bound = std::get_if<ConfidenceSpec>(&spec);
               bound != nullptr && bound->values.contains(attribute.name)) {
      const std::vector<std::string>& values = bound->values.at(attribute.name);
      for (std::size_t value = 0; values.empty() && value < most.size(); ++value) {
        most[value] = std::min(most[value], AsDouble(bound->h));
      }
      for (const std::string& value : values) {
        if (const auto code = attribute.domain->Encode(value)) most[*code] = std::min(most[*code], AsDouble(bound->h));
      }
    } else if (const auto* delta = std::get_if<DeltaDisclosureSpec>(&spec);
               delta != nullptr && delta->sensitive == attribute.name) {
      for (std::size_t value = 0; value < most.size(); ++value) {
        most[value] = std::min(most[value], share(value) * std::exp(AsDouble(delta->delta)));
      }
    }
  }
  AddCaps(most);
}

void MixLookahead::AddCaps(std::span<const double> most_share) {
  for (std::size_t value = 0; value < caps_.size(); ++value) {
    caps_[value] = std::min(1.0, most_share[value]);
    if (caps_[value] < 1) has_caps_ = true;
    if (histogram_[value] > 0 && caps_[value] > 0) {
      needs_[value] = static_cast<std::int64_t>(std::ceil(1 / caps_[value] - kSlack));
    }
  }
}

void MixLookahead::AddDistance(const TClosenessSpec& spec, const Attribute& attribute, const ValueClasses& classes) {
  const double t = AsDouble(spec.t);
  if (spec.distance == Distance::kOrdered) {
    ordered_t_.push_back(t);
    return;
  }
  NestedDistance distance{t, {}, {}, std::vector<std::vector<std::size_t>>(classes.size())};
  const auto add_set = [&](double weight, std::span<const std::size_t> members) {
    double share = 0;
    for (const std::size_t member : members) {
      distance.sets[member].push_back(distance.weights.size());
      share += class_shares_[member];
    }
    distance.weights.push_back(weight);
    distance.shares.push_back(share);
  };
  if (spec.distance == Distance::kEqual || !classes.exact()) {
    for (std::size_t c = 0; c < classes.size(); ++c) add_set(0.5, std::span(&c, 1));
  } else {
    // What has to cross the edge above a node pays for the height it climbs, on either side of its way.
    const Hierarchy& hierarchy = *attribute.domain->hierarchy();
    for (NodeId node = 1; node < hierarchy.num_nodes(); ++node) {
      const double climb = hierarchy.height(hierarchy.parent(node)) - hierarchy.height(node);
      std::vector<std::size_t> members;
      for (Code leaf = hierarchy.first_leaf(node); leaf <= hierarchy.last_leaf(node); ++leaf) {
        members.push_back(static_cast<std::size_t>(leaf));
      }
      add_set(climb / (2.0 * std::max(hierarchy.height(), 1)), members);
    }
  }
  nested_.push_back(std::move(distance));
}

std::int64_t MixLookahead::Cap(Code value, std::int64_t size) const {
  return static_cast<std::int64_t>(std::floor(caps_[value] * static_cast<double>(size) + kSlack));
}

double MixLookahead::ShareNeeding(std::int64_t size) const {
  double needed = 0;
  double rows = 0;
  for (std::size_t value = 0; value < needs_.size(); ++value) {
    rows += static_cast<double>(histogram_[value]);
    if (needs_[value] >= size) needed += static_cast<double>(histogram_[value]) * static_cast<double>(needs_[value]);
  }
  return rows > 0 ? needed / rows : 0;
}

double MixLookahead::LeastDistance(const NestedDistance& distance, std::span<const std::int32_t> counts, std::int64_t rows,
                                   std::int64_t size, std::span<const std::int64_t> left) const {
  const double one = 1.0 / static_cast<double>(size);
  static thread_local std::vector<double> excess;  // by set
  static thread_local std::vector<std::int64_t> room;
  excess.resize(distance.weights.size());
  for (std::size_t set = 0; set < excess.size(); ++set) excess[set] = -distance.shares[set];
  room.assign(left.begin(), left.end());
  for (std::size_t c = 0; c < counts.size(); ++c) {
    room[c] -= counts[c];
    for (const std::size_t set : distance.sets[c]) excess[set] += counts[c] * one;
  }
  for (std::int64_t filled = rows; filled < size; ++filled) {
    double least = kRefused;
    std::size_t best = counts.size();
    for (std::size_t c = 0; c < counts.size(); ++c) {
      if (room[c] <= 0) continue;
      double change = 0;
      for (const std::size_t set : distance.sets[c]) {
        change += distance.weights[set] * (std::abs(excess[set] + one) - std::abs(excess[set]));
      }
      if (change < least) {
        least = change;
        best = c;
      }
    }
    if (best == counts.size()) return kRefused;
    --room[best];
    for (const std::size_t set : distance.sets[best]) excess[set] += one;
  }
  double sum = 0;
  for (std::size_t set = 0; set < excess.size(); ++set) sum += distance.weights[set] * std::abs(excess[set]);
  return sum;
}

double MixLookahead::OrderedDistance(std::span<const std::int32_t> counts, std::int64_t rows) const {
  if (counts.size() < 2) return 0;
  double ahead = 0;
  double sum = 0;
  for (std::size_t c = 0; c + 1 < counts.size(); ++c) {
    ahead += static_cast<double>(counts[c]) / static_cast<double>(rows) - class_shares_[c];
    sum += std::abs(ahead);
  }
  return sum / static_cast<double>(counts.size() - 1);
}

bool MixLookahead::Reaches(std::size_t value_class, std::span<std::int32_t> counts, std::int64_t rows, std::int64_t size,
                           std::span<const std::int64_t> left) const {
  if (left[value_class] <= counts[value_class]) return false;
  ++counts[value_class];
  const bool reached = std::all_of(nested_.begin(), nested_.end(), [&](const NestedDistance& distance) {
    return LeastDistance(distance, counts, rows + 1, size, left) <= distance.t + kSlack;
  });
  --counts[value_class];
  return reached;
}

void MixLookahead::Charge(std::span<std::int32_t> counts, std::int64_t rows, std::int64_t size,
                          std::vector<float>& charges) const {
  charges.assign(counts.size(), 0);
  const double full = static_cast<double>(rows + 1) / static_cast<double>(size);
  for (const double t : ordered_t_) {
    for (std::size_t c = 0; c < counts.size(); ++c) {
      ++counts[c];
      charges[c] += static_cast<float>(std::max(0.0, OrderedDistance(counts, rows + 1) - t) * full * full);
      --counts[c];
    }
  }
}

// The share of `size` random rows with values up to some one, F of all rows, is off by sqrt(F (1 - F) / size) x sqrt(2 / pi)
// on average, and the distance is the mean of that over the values but the last.
bool MixLookahead::UsuallyClose(std::int64_t size) const {
  if (ordered_t_.empty() || histogram_.size() < 2) return true;
  double rows = 0;
  for (const std::int64_t count : histogram_) rows += static_cast<double>(count);
  double below = 0;
  double sum = 0;
  for (std::size_t value = 0; value + 1 < histogram_.size(); ++value) {
    below += static_cast<double>(histogram_[value]) / rows;
    sum += std::sqrt(std::max(0.0, below * (1 - below)));
  }
  const double usual = sum / static_cast<double>(histogram_.size() - 1) * kMeanDeviation / std::sqrt(static_cast<double>(size));
  return usual <= *std::min_element(ordered_t_.begin(), ordered_t_.end());
}

bool MixLookahead::HasMix(std::int64_t size) const {
  const std::vector<std::int32_t> none(class_shares_.size());
  const std::vector<std::int64_t> plenty(class_shares_.size(), size);
  for (const NestedDistance& distance : nested_) {
    if (LeastDistance(distance, none, 0, size, plenty) > distance.t + kSlack) return false;
  }
  for (const double t : ordered_t_) {
    // Rows at the middles of `size` equal parts of the whole come about as close to it as this many rows can.
    std::vector<std::int32_t> counts(class_shares_.size());
    double below = 0;
    std::int64_t next = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      below += class_shares_[c];
      while (next < size && (static_cast<double>(next) + 0.5) / static_cast<double>(size) <= below + kSlack) {
        ++counts[c];
        ++next;
      }
    }
    if (OrderedDistance(counts, size) > t + kSlack) return false;
  }
  std::int64_t room = 0;
  for (std::size_t value = 0; has_caps_ && value < caps_.size() && room < size; ++value) {
    room += std::min(Cap(static_cast<Code>(value), size), histogram_[value]);
  }
  return !has_caps_ || room >= size;
}

std::int64_t MixLookahead::LeastSize(std::int64_t size, std::int64_t most) const {
  // Small sizes one by one: which of them have a mix depends on how the shares happen to round.
  while (size < most && !HasMix(size)) size += std::max<std::int64_t>(1, size / 16);
  return std::min(size, most);
}

}  // namespace cordon::engine
