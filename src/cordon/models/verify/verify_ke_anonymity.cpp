// SPDX-License-Identifier: Apache-2.0
//
// Judging (k,e)-anonymity. A missing value counts as none. The range is compared with e as a fraction, the shares value by
// value.
#include <algorithm>

#include "cordon/base/rounded.h"
#include "cordon/base/toml_text.h"
#include "cordon/data/decimal.h"
#include "cordon/models/verify/verify_internal.h"

namespace cordon::engine {
namespace {

struct GroupFacts {
  std::int64_t distinct = 0;
  std::int64_t rows = 0;
  std::int64_t most = 0;
  Int128 range = 0;  // at the domain's scale
};

class KeJudge final : public GroupJudge {
 public:
  KeJudge(KeAnonymitySpec spec, const Evidence& evidence) : spec_(std::move(spec)), column_(evidence.Find(spec_.sensitive)) {
    for (int digit = 0; digit < evidence.column(column_).domain->scale(); ++digit) unit_ *= 10;
  }

  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    const GroupFacts facts = FactsOf(evidence, group);
    bool holds = facts.distinct >= spec_.k && facts.range * spec_.e.denominator() >= unit_ * spec_.e.numerator();
    for (const Tally::Entry& entry : evidence.values(column_, group)) {
      if (!spec_.max_share || entry.value == evidence.column(column_).missing) continue;
      holds &= static_cast<Int128>(entry.count) * spec_.max_share->denominator() <=
               static_cast<Int128>(facts.rows) * spec_.max_share->numerator();
    }
    return {holds, Measure::Fraction(static_cast<UInt128>(facts.distinct), 1)};
  }
  bool smaller_is_worse() const override { return true; }

  // The other two numbers, each for its own worst group.
  std::string Note(const Evidence& evidence, Numbers numbers) const override {
    Int128 range = FactsOf(evidence, 0).range;
    Rational share(0);
    for (std::size_t group = 0; group < evidence.num_groups(); ++group) {
      const GroupFacts facts = FactsOf(evidence, group);
      range = std::min(range, facts.range);
      if (facts.rows > 0) share = std::max(share, Rational(facts.most, facts.rows));
    }
    return fmt::format(" distinct values, range {}, share {}",
                       FormatDecimal(static_cast<std::int64_t>(range), evidence.column(column_).domain->scale()),
                       numbers == Numbers::kExact ? share.ToString() : ShownShare(share));
  }

 private:
  std::string ShownShare(const Rational& share) const {
    if (spec_.max_share == share) return share.ToShortString();
    return Rounded(static_cast<UInt128>(share.numerator()), static_cast<UInt128>(share.denominator()), Rounding::kUp);
  }
  // Differences of neighbours add up to the range: entries ascend by value.
  GroupFacts FactsOf(const Evidence& evidence, std::size_t group) const {
    const SensitiveFacts& column = evidence.column(column_);
    GroupFacts facts;
    std::optional<std::int64_t> before;
    for (const Tally::Entry& entry : evidence.values(column_, group)) {
      if (entry.value == column.missing) continue;
      const std::int64_t value = column.domain->value(entry.value);
      if (before) facts.range += static_cast<Int128>(value) - *before;
      before = value;
      ++facts.distinct;
      facts.rows += entry.count;
      facts.most = std::max<std::int64_t>(facts.most, entry.count);
    }
    return facts;
  }

  KeAnonymitySpec spec_;
  std::size_t column_;
  Int128 unit_ = 1;  // 10^scale
};

}  // namespace

JudgeResult MakeJudge(const KeAnonymitySpec& spec, const Evidence& evidence) {
  const SensitiveFacts& column = evidence.column(evidence.Find(spec.sensitive));
  if (column.domain == nullptr || column.domain->is_categorical()) {
    return Error::InvalidPolicy("'{}' has categories, a range needs numbers", spec.sensitive)
        .WithHint("set type = \"numeric\" in [attributes.{}]", TomlKey(spec.sensitive));
  }
  return JudgeResult(std::make_unique<const KeJudge>(spec, evidence));
}

}  // namespace cordon::engine
