// SPDX-License-Identifier: Apache-2.0
//
// Judging k-anonymity, (alpha, k) and confidence templates: people and shares.
#include <algorithm>

#include "cordon/models/verify/verify_internal.h"

namespace cordon::engine {
namespace {

class KJudge final : public GroupJudge {
 public:
  explicit KJudge(std::int64_t k) : k_(k) {}
  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    const std::int64_t persons = evidence.persons(group);
    return {persons >= k_, Measure::Fraction(static_cast<UInt128>(persons), 1)};
  }
  bool smaller_is_worse() const override { return true; }
  bool counts_rows() const override { return false; }

 private:
  std::int64_t k_;
};

// A guarded value that the release does not know holds trivially; somebody should know.
std::string NotThere(const std::string& value, const std::string& column) {
  return "the value '" + value + "' does not occur in column '" + column + "'";
}

std::int64_t CountOf(std::span<const Tally::Entry> entries, Code value) {
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), value, [](const Tally::Entry& e, Code v) { return e.value < v; });
  return found != entries.end() && found->value == value ? found->count : 0;
}

// count / rows <= bound, told as bound.numerator * rows - count * bound.denominator >= 0: below 2^62 each.
bool WithinShare(std::int64_t count, std::int64_t rows, const Rational& bound) {
  return bound.numerator() * rows - count * bound.denominator() >= 0;
}

class AlphaKJudge final : public GroupJudge {
 public:
  AlphaKJudge(AlphaKSpec spec, const Evidence& evidence)
      : spec_(std::move(spec)), column_(evidence.Find(spec_.sensitive)), value_(evidence.column(column_).Find(spec_.value)) {}

  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    const std::int64_t rows = evidence.rows(group);
    const std::int64_t count = value_ ? CountOf(evidence.values(column_, group), *value_) : 0;
    return {evidence.persons(group) >= spec_.k && WithinShare(count, rows, spec_.alpha),
            Measure::Fraction(static_cast<UInt128>(count), static_cast<UInt128>(rows))};
  }
  std::string Note(const Evidence& evidence, Numbers) const override {
    std::int64_t least = evidence.persons(0);
    for (std::size_t group = 1; group < evidence.num_groups(); ++group) least = std::min(least, evidence.persons(group));
    return ", k=" + std::to_string(least);
  }
  std::vector<std::string> Warnings(const Evidence&) const override {
    if (value_) return {};
    return {NotThere(spec_.value, spec_.sensitive)};
  }

 private:
  AlphaKSpec spec_;
  std::size_t column_;
  std::optional<Code> value_;
};

class ConfidenceJudge final : public GroupJudge {
 public:
  ConfidenceJudge(const ConfidenceSpec& spec, const Evidence& evidence) : h_(spec.h) {
    for (const auto& [name, values] : spec.values) {
      Guarded guarded{evidence.Find(name), values.empty(), {}};
      for (const std::string& value : values) {
        if (const auto code = evidence.column(guarded.column).Find(value)) {
          guarded.values.push_back(*code);
        } else {
          warnings_.push_back(NotThere(value, name));
        }
      }
      guarded_.push_back(std::move(guarded));
    }
  }

  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    std::int64_t most = 0;
    for (const Guarded& guarded : guarded_) {
      const auto entries = evidence.values(guarded.column, group);
      for (const Tally::Entry& entry : entries) {
        const bool is_guarded =
            guarded.every || std::find(guarded.values.begin(), guarded.values.end(), entry.value) != guarded.values.end();
        if (is_guarded) most = std::max<std::int64_t>(most, entry.count);
      }
    }
    const std::int64_t rows = evidence.rows(group);
    return {WithinShare(most, rows, h_), Measure::Fraction(static_cast<UInt128>(most), static_cast<UInt128>(rows))};
  }
  std::vector<std::string> Warnings(const Evidence&) const override { return warnings_; }

 private:
  struct Guarded {
    std::size_t column;
    bool every;
    std::vector<Code> values;
  };
  Rational h_;
  std::vector<Guarded> guarded_;
  std::vector<std::string> warnings_;
};

}  // namespace

JudgeResult MakeJudge(const KAnonymitySpec& spec, const Evidence&) {
  return JudgeResult(std::make_unique<const KJudge>(spec.k));
}
JudgeResult MakeJudge(const KsAnonymitySpec& spec, const Evidence&) {
  return JudgeResult(std::make_unique<const KJudge>(spec.k));
}
JudgeResult MakeJudge(const AlphaKSpec& spec, const Evidence& evidence) {
  return JudgeResult(std::make_unique<const AlphaKJudge>(spec, evidence));
}
JudgeResult MakeJudge(const ConfidenceSpec& spec, const Evidence& evidence) {
  return JudgeResult(std::make_unique<const ConfidenceJudge>(spec, evidence));
}

}  // namespace cordon::engine
