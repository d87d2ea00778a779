// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/suggest_suppression.h"

#include <algorithm>

#include "cordon/data/recode.h"
#include "cordon/models/verify/verifier.h"

namespace cordon::engine {
namespace {

struct Guarded {
  std::string column;
  std::vector<std::string> values;  // empty: every one
  Rational limit;
};

std::vector<Guarded> GuardedBy(const ModelSpec& spec) {
  std::vector<Guarded> guarded;
  if (const auto* alpha = std::get_if<AlphaKSpec>(&spec)) guarded.push_back({alpha->sensitive, {alpha->value}, alpha->alpha});
  if (const auto* confidence = std::get_if<ConfidenceSpec>(&spec)) {
    for (const auto& [column, values] : confidence->values) guarded.push_back({column, values, confidence->h});
  }
  return guarded;
}

// Rows of each code, and 0 for codes that are not guarded.
std::vector<std::int64_t> CountGuarded(const View& view, const MicrodataColumn& column, const Guarded& guarded) {
  const Domain& domain = *column.attribute.domain;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(domain.size()));
  for (const RowId row : view.rows()) ++counts[column.codes[row]];
  if (guarded.values.empty()) return counts;
  std::vector<std::int64_t> of_guarded(counts.size());
  for (const std::string& value : guarded.values) {
    if (const auto code = domain.Encode(value)) of_guarded[*code] = counts[*code];
  }
  return of_guarded;
}

// The least s such that s rows, taken from the values with more than cap = limit * (rows - s), leave none of them with more.
// What has to go only grows with s, so going on from what had to go comes to the least; nothing if it comes to all rows.
struct Cut {
  std::int64_t rows = 0;
  std::int64_t cap = 0;
  const MicrodataColumn* column = nullptr;
  std::vector<std::int64_t> counts;  // rows of its codes, if they are guarded
};
std::optional<Cut> LeastCut(const View& view, const Guarded& guarded) {
  constexpr int kMaxSteps = 10'000;
  const auto place = view.data().Find(guarded.column);
  if (!place || guarded.limit < Rational(0) || guarded.limit >= Rational(1)) return std::nullopt;
  const auto rows = static_cast<std::int64_t>(view.size());
  const Rational& limit = guarded.limit;
  Cut cut;
  cut.column = &view.data().columns[*place];
  cut.counts = CountGuarded(view, *cut.column, guarded);
  for (int step = 0; step < kMaxSteps; ++step) {
    cut.cap = static_cast<std::int64_t>(static_cast<Int128>(rows - cut.rows) * limit.numerator() / limit.denominator());
    std::int64_t above = 0;
    for (const std::int64_t count : cut.counts) above += std::max<std::int64_t>(0, count - cut.cap);
    if (above >= rows) return std::nullopt;
    if (above == cut.rows) return cut;
    cut.rows = above;
  }
  return std::nullopt;
}

}  // namespace

Release AsOneGroup(const View& view, const Run& run) {
  Groups one;
  one.Add(view.rows());
  Random random = Random::FromSeed(0);  // nothing of this is published
  return Recode(view, one, {.order = RowOrder::kInput}, random, run);
}

Result<std::string> RowsToSuppress(const View& view, const ModelSpec& failing, const Policy& policy, const Run& run) {
  Cut cut;  // of the column that asks for most; whether the others are then content, the rows will tell
  for (const Guarded& guarded : GuardedBy(failing)) {
    std::optional<Cut> least = LeastCut(view, guarded);
    if (!least) return std::string();
    if (least->rows > cut.rows) cut = *std::move(least);
  }
  if (cut.rows == 0 || cut.cap == 0) return std::string();  // a run never takes the last row of a value
  std::int64_t values = 0;
  for (const std::int64_t count : cut.counts) values += count > cut.cap ? 1 : 0;
  std::vector<RowId> kept;
  for (const RowId row : view.rows()) {
    std::int64_t& left = cut.counts[cut.column->codes[row]];
    if (left > cut.cap) {
      --left;
    } else {
      kept.push_back(row);
    }
  }
  const Release rest = AsOneGroup(View(view.data(), std::move(kept)), run);
  CORDON_TRY(const std::vector<Verdict> verdicts, Verifier(policy.models).Judge(rest, run));
  if (std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) { return !verdict.holds; }))
    return std::string();
  return fmt::format("leave out {} row{} with the most frequent guarded value{}", cut.rows, cut.rows == 1 ? "" : "s",
                     values == 1 ? "" : "s");
}

}  // namespace cordon::engine
