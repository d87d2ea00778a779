// SPDX-License-Identifier: Apache-2.0
//
// beta-likeness of sets of related values. If the bound of a set is linear it is the sum of the bounds of its values,
// and those hold already: only sets with p > e^-beta are kept. With the basic kind there are none.
#include <algorithm>
#include <cmath>

#include "cordon/models/admit/beta_likeness.h"

namespace cordon::engine {
namespace {

// At most this many sets are looked at for every group; they take 64 bytes each.
constexpr std::size_t kMaxSets = std::size_t{1} << 20;

struct CodeRun {
  Code first;
  Code last;
  std::int64_t rows;
};

Result<void> CheckNumber(std::size_t number) {
  if (number <= kMaxSets) return {};
  return Error::InvalidPolicy("more than {} runs of values lie within the range", kMaxSets)
      .WithHint("take a smaller range, or round the column");
}

// Runs of two values or more that somebody has, with greatest - least <= range.
template <typename Keep>
Result<void> ForEachRun(const Rational& range, const Domain& domain, const std::vector<std::int64_t>& whole, const Keep& keep) {
  std::vector<Code> present;
  for (Code code = 0; code < domain.size(); ++code) {
    if (whole[code] > 0 && domain.missing() != code) present.push_back(code);
  }
  // range as a whole number of the domain's last digit, times the denominator: at most 10^9 * 10^15.
  Int128 widest = range.numerator();
  for (int digit = 0; digit < domain.scale(); ++digit) widest *= 10;
  for (std::size_t i = 0; i < present.size(); ++i) {
    std::int64_t rows = whole[present[i]];
    for (std::size_t j = i + 1; j < present.size(); ++j) {
      const Int128 width = static_cast<Int128>(domain.value(present[j])) - domain.value(present[i]);
      if (width * range.denominator() > widest) break;
      rows += whole[present[j]];
      CORDON_RETURN_IF_ERROR(keep(CodeRun{present[i], present[j], rows}));
    }
  }
  return {};
}

// The leaves under each inner node that is deep enough.
template <typename Keep>
Result<void> ForEachNode(std::int64_t min_depth, const Hierarchy& hierarchy, const std::vector<std::int64_t>& whole,
                         const Keep& keep) {
  for (NodeId node = 0; node < hierarchy.num_nodes(); ++node) {
    if (hierarchy.is_leaf(node) || hierarchy.depth(node) < min_depth) continue;
    CodeRun run{hierarchy.first_leaf(node), hierarchy.last_leaf(node), 0};
    for (Code leaf = run.first; leaf <= run.last; ++leaf) run.rows += whole[leaf];
    CORDON_RETURN_IF_ERROR(keep(run));
  }
  return {};
}

}  // namespace

Result<SetLimits> SetLimits::Make(const BetaLikenessSpec& spec, const Domain& domain, const std::vector<std::int64_t>& whole,
                                  std::int64_t whole_rows) {
  SetLimits made;
  const auto keep = [&](const CodeRun& run) -> Result<void> {
    if (run.rows == 0 || run.rows == whole_rows) return {};
    const ShareLimit limit = ShareLimit::Beta(spec, run.rows, whole_rows);
    if (limit.logarithmic) made.sets_.push_back({run.first, run.last, limit});
    return CheckNumber(made.sets_.size());
  };
  if (spec.range) {
    if (domain.is_categorical()) {
      return Error::InvalidPolicy("a range needs numbers or dates").WithHint("categories with a hierarchy have min_depth");
    }
    if (spec.kind == BetaLikenessSpec::Kind::kEnhanced) {
      CORDON_RETURN_IF_ERROR(ForEachRun(*spec.range, domain, whole, keep));
    }
  }
  if (spec.min_depth) {
    if (!domain.is_categorical()) {
      return Error::InvalidPolicy("min_depth needs a categorical column").WithHint("numbers and dates have range");
    }
    CORDON_RETURN_IF_ERROR(ForEachNode(*spec.min_depth, *domain.hierarchy(), whole, keep));
  }
  return made;
}

bool SetLimits::Admit(const ValueHistogram& counts, std::int64_t rows) const {
  if (sets_.empty()) return true;
  static thread_local std::vector<std::int64_t> before;  // rows with smaller codes, or of entries that are listed earlier
  before.assign(1, 0);
  const auto all_admit = [&](const auto& place) {
    return std::all_of(sets_.begin(), sets_.end(), [&](const Set& set) {
      const std::int64_t count = before[place(set.last + 1)] - before[place(set.first)];
      return count == 0 || set.limit.Admit(count, rows);
    });
  };
  if (counts.sparse()) {
    const std::span<const ValueCount> listed = counts.listed();
    for (const ValueCount& each : listed) before.push_back(before.back() + each.count);
    return all_admit([&](Code code) {
      const auto found = std::lower_bound(listed.begin(), listed.end(), code,
                                          [](const ValueCount& each, Code wanted) { return each.value < wanted; });
      return static_cast<std::size_t>(found - listed.begin());
    });
  }
  for (const std::int64_t count : counts.counts()) before.push_back(before.back() + count);
  return all_admit([](Code code) { return static_cast<std::size_t>(code); });
}

}  // namespace cordon::engine
