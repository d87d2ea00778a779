// SPDX-License-Identifier: Apache-2.0
//
// The frequency guard of (k,e)-anonymity. k distinct values do not bound an attacker's confidence: one of them may hold
// most rows. A union of two groups that pass passes, and so does k or e, but a longer run may fail where a shorter one
// passes; so the guard is not part of the recurrence, and groups are merged afterwards.
#include <algorithm>
#include <deque>

#include "cordon/algorithms/ke/ke.h"

namespace cordon::engine {
namespace {

// A run of the sorted rows. Values first..last of the axis, the outer two perhaps with a part of their rows only.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t first_rows = 0;  // of value `first` in this group
  std::int64_t last_rows = 0;
  std::int64_t most = 0;  // rows of the most frequent value
  std::size_t before = 0;
  std::size_t after = 0;  // neighbours; kNone at the ends
  bool gone = false;
};
constexpr std::size_t kNone = ~std::size_t{0};

std::vector<Stretch> StretchesOf(const KeAxis& axis, const KeCut& cut) {
  std::vector<Stretch> stretches;
  std::size_t v = 0;
  std::uint64_t used = 0;  // rows of v in earlier groups
  for (std::size_t g = 0; g < cut.size(); ++g) {
    Stretch stretch{.begin = cut.starts[g], .end = cut.starts[g + 1], .first = v};
    stretch.before = g == 0 ? kNone : g - 1;
    stretch.after = g + 1 == cut.size() ? kNone : g + 1;
    for (std::uint64_t at = stretch.begin; at < stretch.end;) {
      const std::uint64_t here = std::min(static_cast<std::uint64_t>(axis.counts[v]) - used, stretch.end - at);
      stretch.last = v;
      stretch.last_rows = static_cast<std::int64_t>(here);
      if (v == stretch.first) stretch.first_rows = stretch.last_rows;
      stretch.most = std::max(stretch.most, stretch.last_rows);
      at += here;
      used += here;
      if (used == static_cast<std::uint64_t>(axis.counts[v])) {
        ++v;
        used = 0;
      }
    }
    stretches.push_back(stretch);
  }
  return stretches;
}

bool Passes(const Stretch& stretch, const Rational& max_share) {
  return static_cast<Int128>(stretch.most) * max_share.denominator() <=
         static_cast<Int128>(stretch.end - stretch.begin) * max_share.numerator();
}

Stretch Merged(const Stretch& left, const Stretch& right) {
  Stretch stretch = left;
  stretch.end = right.end;
  stretch.last = right.last;
  stretch.after = right.after;
  stretch.most = std::max(left.most, right.most);
  const bool shared = left.last == right.first;
  if (shared) stretch.most = std::max(stretch.most, left.last_rows + right.first_rows);
  stretch.last_rows = right.last_rows;
  if (shared && right.last == right.first) stretch.last_rows += left.last_rows;
  if (shared && left.last == left.first) stretch.first_rows += right.first_rows;
  return stretch;
}

// What merging adds: to the sum, the gap between the two; for the maximum, how wide the result is.
std::int64_t CostOfMerging(const KeAxis& axis, const Stretch& left, const Stretch& right,
                           KeAnonymitySpec::Objective objective) {
  if (objective == KeAnonymitySpec::Objective::kMax) return axis.values[right.last] - axis.values[left.first];
  return axis.values[right.first] - axis.values[left.last];
}

KeCut CutOf(const KeAxis& axis, const std::vector<Stretch>& stretches, std::size_t head) {
  KeCut cut;
  cut.starts.push_back(0);
  for (std::size_t g = head; g != kNone; g = stretches[g].after) {
    cut.starts.push_back(stretches[g].end);
    const std::int64_t width = axis.values[stretches[g].last] - axis.values[stretches[g].first];
    cut.sum_error += width;
    cut.max_error = std::max(cut.max_error, width);
  }
  return cut;
}

}  // namespace

std::optional<KeCut> LimitShare(const KeAxis& axis, KeCut cut, const Rational& max_share,
                                KeAnonymitySpec::Objective objective) {
  if (cut.size() == 0) return cut;
  std::vector<Stretch> stretches = StretchesOf(axis, cut);
  std::size_t head = 0;
  std::deque<std::size_t> offenders;
  for (std::size_t g = 0; g < stretches.size(); ++g) {
    if (!Passes(stretches[g], max_share)) offenders.push_back(g);
  }
  while (!offenders.empty()) {
    const std::size_t g = offenders.front();
    offenders.pop_front();
    if (stretches[g].gone || Passes(stretches[g], max_share)) continue;
    const std::size_t before = stretches[g].before;
    const std::size_t after = stretches[g].after;
    if (before == kNone && after == kNone) return std::nullopt;
    const bool left = after == kNone || (before != kNone && CostOfMerging(axis, stretches[before], stretches[g], objective) <=
                                                                CostOfMerging(axis, stretches[g], stretches[after], objective));
    const std::size_t into = left ? before : g;
    const std::size_t from = left ? g : after;
    stretches[into] = Merged(stretches[into], stretches[from]);
    stretches[from].gone = true;
    if (stretches[into].after != kNone) stretches[stretches[into].after].before = into;
    offenders.push_back(into);  // looked at again when its turn comes
  }
  while (stretches[head].gone) ++head;
  return CutOf(axis, stretches, head);
}

Rational GreatestShare(const KeAxis& axis, const KeCut& cut) {
  std::int64_t most = 0;
  std::int64_t rows = 1;
  for (const Stretch& stretch : StretchesOf(axis, cut)) {
    const std::int64_t size = static_cast<std::int64_t>(stretch.end - stretch.begin);
    if (static_cast<Int128>(stretch.most) * rows <= static_cast<Int128>(most) * size) continue;
    most = stretch.most;
    rows = size;
  }
  return Rational(most, rows);
}

}  // namespace cordon::engine
