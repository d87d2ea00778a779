// SPDX-License-Identifier: Apache-2.0
//
// Judging beta-likeness and delta-disclosure. With p = whole count / whole rows and q = count / rows, q / p is the
// fraction (count * whole rows) / (whole count * rows) of numbers below 2^64.
//
// Where logarithms enter, the margins here are smaller than those of the group models (2^-54 of a limit), so a group that
// those admit is not refused here for rounding.
#include <cmath>
#include <limits>
#include <map>

#include "cordon/models/verify/verify_internal.h"

namespace cordon::engine {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the margins below are for a long double of at least 64 bits");

struct Ratio {  // q : p
  UInt128 group;
  UInt128 whole;
};

Ratio RatioOf(const Tally::Entry& entry, const SensitiveFacts& whole, std::int64_t rows) {
  return {static_cast<UInt128>(entry.count) * static_cast<UInt128>(whole.rows),
          static_cast<UInt128>(whole.counts[entry.value]) * static_cast<UInt128>(rows)};
}

// Takes the gains of values and sets of values, one after the other.
class GainBook {
 public:
  GainBook(const BetaLikenessSpec& spec, std::int64_t whole_rows, std::int64_t rows)
      : spec_(spec), whole_rows_(static_cast<UInt128>(whole_rows)), rows_(static_cast<UInt128>(rows)) {}

  // What `count` rows of the group and `whole` rows of the table have.
  void Enter(std::uint64_t count, std::uint64_t whole) {
    const Ratio ratio{count * whole_rows_, whole * rows_};
    if (ratio.group <= ratio.whole) return;  // no gain
    const Measure gain = Measure::Fraction(ratio.group - ratio.whole, ratio.whole);
    if (Measure::Compare(gain, most_) > 0) most_ = gain;
    if (spec_.kind == BetaLikenessSpec::Kind::kEnhanced && !BelowSurprise(gain, whole)) holds_ = false;
  }

  bool holds() const { return holds_; }
  // Enhanced: whether these numbers of rows, of the group and of the whole, are clearly within the bound.
  bool Keeps(std::uint64_t count, std::uint64_t whole) const {
    const Ratio ratio{count * whole_rows_, whole * rows_};
    return ratio.group <= ratio.whole ||
           BelowSurprise(Measure::Fraction(ratio.group - ratio.whole, ratio.whole), whole, std::ldexp(1.0L, -56));
  }

  // Basic: the largest gain decides. 2^64 * 2^30.
  Finding Close() const {
    const bool basic = most_.numerator * static_cast<UInt128>(spec_.beta.denominator()) <=
                       most_.denominator * static_cast<UInt128>(spec_.beta.numerator());
    return {holds_ && basic, most_};
  }

 private:
  // gain <= -ln p, as p * exp(gain) <= 1. Equality is impossible: gain is a fraction above 0 and p one below 1. If the
  // two are near, gain < 23, and the left side comes out within 2^-58 of itself; the margin is 2^-57.
  bool BelowSurprise(const Measure& gain, std::uint64_t whole, long double margin = std::ldexp(1.0L, -57)) const {
    const long double p = static_cast<long double>(whole) / static_cast<long double>(whole_rows_);
    const long double grown =
        p * std::exp(static_cast<long double>(gain.numerator) / static_cast<long double>(gain.denominator));
    return grown <= 1 - margin;
  }

  const BetaLikenessSpec& spec_;
  UInt128 whole_rows_;
  UInt128 rows_;
  bool holds_ = true;
  Measure most_ = Measure::Fraction(0, 1);
};

// The value is the largest gain (q - p) / p, also for the enhanced kind, and of sets if the spec names some.
class BetaJudge final : public GroupJudge {
 public:
  BetaJudge(BetaLikenessSpec spec, const Evidence& evidence)
      : spec_(std::move(spec)), column_(evidence.Find(spec_.sensitive)), whole_(evidence.column(column_)), before_{0} {
    for (const std::int64_t count : whole_.counts) before_.push_back(before_.back() + static_cast<std::uint64_t>(count));
  }

  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    const auto values = evidence.values(column_, group);
    GainBook book(spec_, whole_.rows, evidence.rows(group));
    for (const Tally::Entry& entry : values) book.Enter(entry.count, static_cast<std::uint64_t>(whole_.counts[entry.value]));
    if (spec_.range) EnterRuns(values, book);
    if (spec_.min_depth) EnterNodes(values, book);
    return book.Close();
  }

 private:
  // Rows of the whole with values first..last.
  std::uint64_t WholeRows(Code first, Code last) const { return before_[static_cast<std::size_t>(last) + 1] - before_[first]; }

  // Runs that start and end with values of the group: one that reaches further has the same rows of the group, more of
  // the whole, and so a smaller gain and a larger bound.
  //
  // No run gains more than the best of its values: (a + b) / (c + d) is at most the larger of a / c and b / d. So runs
  // matter to the enhanced kind alone, whose bound falls as p grows.
  void EnterRuns(std::span<const Tally::Entry> values, GainBook& book) const {
    if (spec_.kind != BetaLikenessSpec::Kind::kEnhanced) return;
    Runs runs{{}, {0}, 1};
    for (const Tally::Entry& entry : values) {
      if (entry.value == whole_.missing) continue;
      runs.values.push_back(entry.value);
      runs.before.push_back(runs.before.back() + entry.count);
    }
    for (int digit = 0; digit < whole_.domain->scale(); ++digit) runs.steps *= 10;
    const std::size_t size = runs.values.size();
    if (size > 0) EnterRunsOf({0, size - 1}, {0, size - 1}, runs, book);
  }

  // Of one group, in ascending order.
  struct Runs {
    std::vector<Code> values;
    std::vector<std::uint64_t> before;  // rows with values at smaller places
    Int128 steps;                       // of the domain's last digit in 1; at most 10^15
  };
  struct Places {  // first and last
    std::size_t first;
    std::size_t last;
  };

  // All runs from a place of `from` to one of `to`. Where even the most rows of the group that such a run can have, and the
  // fewest of the whole, keep the bound, all of them do: p * exp((q - p) / p) grows with q, and falls as p grows to q.
  // Else both are halved. Groups that are like the whole are settled in few steps, however many values they have.
  void EnterRunsOf(Places from, Places to, const Runs& runs, GainBook& book) const {
    to.first = std::max(to.first, from.first);
    from.last = std::min(from.last, to.last);
    if (!book.holds() || from.first > from.last || to.first > to.last) return;
    // The least of these runs goes from the last start to the first end; where both overlap it is a single value.
    const bool apart = from.last <= to.first;
    if (apart && TooWide(runs, from.last, to.first)) return;
    const std::uint64_t most = runs.before[to.last + 1] - runs.before[from.first];
    const std::uint64_t least_whole = apart ? WholeRows(runs.values[from.last], runs.values[to.first]) : 1;
    if (book.Keeps(most, least_whole)) return;
    if (from.first == from.last && to.first == to.last) {
      if (from.first < to.first && !TooWide(runs, from.first, to.first)) {
        book.Enter(most, WholeRows(runs.values[from.first], runs.values[to.first]));
      }
      return;
    }
    const auto middle = [](const Places& places) { return places.first + (places.last - places.first) / 2; };
    if (from.last - from.first >= to.last - to.first) {
      EnterRunsOf({from.first, middle(from)}, to, runs, book);
      EnterRunsOf({middle(from) + 1, from.last}, to, runs, book);
    } else {
      EnterRunsOf(from, {to.first, middle(to)}, runs, book);
      EnterRunsOf(from, {middle(to) + 1, to.last}, runs, book);
    }
  }

  // Greatest - least > range, in steps of the domain's last digit.
  bool TooWide(const Runs& runs, std::size_t first, std::size_t last) const {
    const Domain& domain = *whole_.domain;
    const Int128 apart = static_cast<Int128>(domain.value(runs.values[last])) - domain.value(runs.values[first]);
    return apart * spec_.range->denominator() > runs.steps * spec_.range->numerator();
  }

  // The inner nodes above the group's values: their leaves are a run, so are the group's values among them.
  void EnterNodes(std::span<const Tally::Entry> values, GainBook& book) const {
    const Hierarchy& tree = *whole_.domain->hierarchy();
    std::map<NodeId, std::uint64_t> counts;
    for (const Tally::Entry& entry : values) {
      for (NodeId node = tree.parent(tree.leaf_node(entry.value)); node >= 0 && tree.depth(node) >= *spec_.min_depth;
           node = tree.parent(node)) {
        counts[node] += entry.count;
      }
    }
    for (const auto& [node, count] : counts) book.Enter(count, WholeRows(tree.first_leaf(node), tree.last_leaf(node)));
  }

  BetaLikenessSpec spec_;
  std::size_t column_;
  const SensitiveFacts& whole_;        // of the evidence, which outlives the judge
  std::vector<std::uint64_t> before_;  // rows of the whole with smaller values
};

// q is the share of people who have the value, and p what is expected of people with this many rows (counts_persons.md). Both
// times people and all rows: what is expected is what is not unexpected.
class BetaByPersonJudge final : public GroupJudge {
 public:
  BetaByPersonJudge(BetaLikenessSpec spec, const Evidence& evidence)
      : spec_(std::move(spec)), column_(evidence.Find(spec_.sensitive)), whole_(evidence.column(column_)) {}

  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    const HeldValues held = HeldValuesOf(evidence.holders(column_, group));
    const Int128 everybody = static_cast<Int128>(held.people) * whole_.rows;
    Finding finding{true, Measure::Fraction(0, 1)};
    for (const Tally::Entry& entry : held.values) {
      const Int128 expected = everybody - held.Unexpected(whole_.counts[entry.value], whole_.rows);
      const Int128 more = static_cast<Int128>(entry.count) * whole_.rows - expected;
      if (more <= 0) continue;
      const Measure gain = Measure::Fraction(static_cast<UInt128>(more), static_cast<UInt128>(expected));
      if (Measure::Compare(gain, finding.value) > 0) finding.value = gain;
      finding.holds = finding.holds && more * spec_.beta.denominator() <= expected * spec_.beta.numerator();
      if (spec_.kind == BetaLikenessSpec::Kind::kEnhanced)
        finding.holds = finding.holds && BelowSurprise(more, expected, everybody);
    }
    return finding;
  }
  bool counts_rows() const override { return false; }

 private:
  // p exp(gain) <= 1, with the margin that is told of above. If people are expected to have it for certain, none are more.
  static bool BelowSurprise(Int128 more, Int128 expected, Int128 everybody) {
    const long double p = static_cast<long double>(expected) / static_cast<long double>(everybody);
    return p * std::exp(static_cast<long double>(more) / static_cast<long double>(expected)) <= 1 - std::ldexp(1.0L, -57);
  }

  BetaLikenessSpec spec_;
  std::size_t column_;
  const SensitiveFacts& whole_;
};

class DeltaJudge final : public GroupJudge {
 public:
  DeltaJudge(const DeltaDisclosureSpec& spec, const Evidence& evidence)
      : delta_(static_cast<long double>(spec.delta.numerator()) / static_cast<long double>(spec.delta.denominator())),
        column_(evidence.Find(spec.sensitive)),
        whole_(evidence.column(column_)) {
    for (const std::int64_t count : whole_.counts) num_values_ += count > 0 ? 1 : 0;
  }

  // The logarithms are below 45, each within 2^-57 of the truth, so their difference is within the margin of 2^-55. With
  // delta above 45 any ratio passes.
  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    const auto values = evidence.values(column_, group);
    if (values.size() < num_values_) return {false, Measure::Real(std::numeric_limits<long double>::infinity())};
    long double most = 0;
    for (const Tally::Entry& entry : values) {
      const Ratio ratio = RatioOf(entry, whole_, evidence.rows(group));
      if (ratio.group == ratio.whole) continue;
      most = std::max(
          most, std::fabs(std::log(static_cast<long double>(ratio.group)) - std::log(static_cast<long double>(ratio.whole))));
    }
    return {most < delta_ - std::ldexp(1.0L, -55), Measure::Real(most)};
  }

 private:
  long double delta_;
  std::size_t column_;
  const SensitiveFacts& whole_;
  std::size_t num_values_ = 0;
};

}  // namespace

JudgeResult MakeJudge(const BetaLikenessSpec& spec, const Evidence& evidence) {
  const SensitiveFacts& column = evidence.column(evidence.Find(spec.sensitive));
  if (spec.range && (column.domain == nullptr || column.domain->is_categorical())) {
    return Error::InvalidPolicy("column '{}': range needs numbers or dates", column.name);
  }
  if (spec.min_depth && (column.domain == nullptr || !column.domain->is_categorical())) {
    return Error::InvalidPolicy("column '{}': min_depth needs a categorical column", column.name);
  }
  if (spec.counts == CountBy::kPersons) return JudgeResult(std::make_unique<const BetaByPersonJudge>(spec, evidence));
  return JudgeResult(std::make_unique<const BetaJudge>(spec, evidence));
}
JudgeResult MakeJudge(const DeltaDisclosureSpec& spec, const Evidence& evidence) {
  return JudgeResult(std::make_unique<const DeltaJudge>(spec, evidence));
}

}  // namespace cordon::engine
