// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/beta_likeness.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cordon::engine {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the margins below are for a long double of at least 64 bits");

// A limit that is not a fraction is kept as a multiple of 2^-60: count * n * 2^60 against limit * rows, with counts,
// n and rows below 2^32 and the limit at most n * 2^60, stays below 2^124. The limit is at least 2^60, so the grid
// costs no more than 2^-60 of it.
constexpr int kGridBits = 60;

// How far limits with a logarithm are moved towards refusing, relative to the limit. Their computation takes fewer than
// ten long double operations, each within 2^-63 of its result and none of them cancelling: an error below 2^-58.
const long double kMargin = std::ldexp(1.0L, -54);
// Near -ln p = beta the two forms of the enhanced bound differ by less than this; the logarithmic one, which has the
// margin, is taken there.
const long double kBorder = std::ldexp(1.0L, -56);

long double AsReal(const Rational& value) {
  return static_cast<long double>(value.numerator()) / static_cast<long double>(value.denominator());
}

// share * whole_rows, already moved to the safe side, on the grid; never above all rows.
Int128 OnGrid(long double share_of_rows, std::int64_t whole_rows) {
  if (share_of_rows >= static_cast<long double>(whole_rows)) return static_cast<Int128>(whole_rows) << kGridBits;
  return static_cast<Int128>(std::floor(std::ldexp(share_of_rows, kGridBits)));
}

}  // namespace

ShareLimit ShareLimit::Beta(const BetaLikenessSpec& spec, std::int64_t count, std::int64_t whole_rows) {
  // Linear: q <= (1 + beta) p. What nobody has gets 0 and is refused.
  ShareLimit limit{static_cast<Int128>(whole_rows) * spec.beta.denominator(),
                   static_cast<Int128>(count) * (spec.beta.denominator() + spec.beta.numerator())};
  if (spec.kind == BetaLikenessSpec::Kind::kBasic || count == 0) return limit;
  const long double surprise = std::log(static_cast<long double>(whole_rows) / static_cast<long double>(count));  // -ln p
  if (surprise > AsReal(spec.beta) + kBorder) return limit;
  limit.logarithmic = true;
  limit.weight = static_cast<Int128>(whole_rows) << kGridBits;
  // A value that everybody has may fill a group: p = 1, no logarithm and no margin.
  limit.most =
      count == whole_rows ? limit.weight : OnGrid(static_cast<long double>(count) * (1 + surprise) * (1 - kMargin), whole_rows);
  return limit;
}

ShareLimits ShareLimits::Beta(const BetaLikenessSpec& spec, const std::vector<std::int64_t>& whole, std::int64_t whole_rows) {
  ShareLimits made;
  Int128 smallest_group = whole_rows;
  for (const std::int64_t count : whole) {
    const ShareLimit limit = ShareLimit::Beta(spec, count, whole_rows);
    // One row of it is 1 / rows: no smaller group may hold the value.
    if (limit.most > 0) smallest_group = std::min(smallest_group, (limit.weight + limit.most - 1) / limit.most);
    made.limits_.push_back(limit);
  }
  made.min_rows_ = std::max<std::int64_t>(static_cast<std::int64_t>(smallest_group), 1);
  return made;
}

ShareLimits ShareLimits::Delta(const DeltaDisclosureSpec& spec, const std::vector<std::int64_t>& whole,
                               std::int64_t whole_rows) {
  ShareLimits made;
  // |ln(q / p)| is below ln 2^64 < 45 for any counts: a larger delta asks only that every value be there.
  const long double factor = std::exp(std::min(AsReal(spec.delta), 45.0L));
  for (const std::int64_t count : whole) {
    const long double rows = static_cast<long double>(count);
    ShareLimit limit{static_cast<Int128>(whole_rows) << kGridBits};
    if (count > 0) {
      limit.most = OnGrid(rows * factor * (1 - kMargin), whole_rows);
      limit.least = OnGrid(rows / factor * (1 + kMargin), whole_rows) + 1;
      ++made.num_wanted_;
    }
    made.limits_.push_back(limit);
  }
  made.min_rows_ = std::max<std::int64_t>(static_cast<std::int64_t>(made.num_wanted_), 1);
  return made;
}

bool ShareLimits::Admit(const ValueHistogram& counts, std::int64_t rows) const {
  if (rows == 0) return false;
  if (counts.sparse()) {
    std::size_t wanted = 0;
    for (const ValueCount& each : counts.listed()) {
      if (!limits_[each.value].Admit(each.count, rows)) return false;
      wanted += limits_[each.value].least > 0 ? 1 : 0;
    }
    return wanted == num_wanted_;
  }
  const std::span<const std::int64_t> all = counts.counts();
  CORDON_CHECK_EQ(all.size(), limits_.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == 0 ? limits_[i].least > 0 : !limits_[i].Admit(all[i], rows)) return false;
  }
  return true;
}

}  // namespace cordon::engine
