// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/rows_less.h"

#include <algorithm>

#include "cordon/models/verifier.h"
#include "cordon/publish/feasible.h"

namespace cordon {
namespace {

struct Guarded {
  std::string column;
  std::vector<std::string> values;  // empty: every one
  Rational limit;
};

std::optional<Guarded> GuardedBy(const ModelSpec& spec) {
  if (const auto* alpha = std::get_if<AlphaKSpec>(&spec)) return Guarded{alpha->sensitive, {alpha->value}, alpha->alpha};
  const auto* confidence = std::get_if<ConfidenceSpec>(&spec);
  if (confidence == nullptr || confidence->values.size() != 1) return std::nullopt;
  return Guarded{confidence->values.begin()->first, confidence->values.begin()->second, confidence->h};
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
// What has to go only grows with s, so going on from what had to go comes to the least; nothing where it comes to all rows.
struct Cut {
  std::int64_t rows = 0;
  std::int64_t cap = 0;
};
std::optional<Cut> LeastCut(const std::vector<std::int64_t>& counts, std::int64_t rows, const Rational& limit) {
  constexpr int kMostSteps = 10'000;
  Cut cut;
  for (int step = 0; step < kMostSteps; ++step) {
    cut.cap = static_cast<std::int64_t>(static_cast<Int128>(rows - cut.rows) * limit.numerator() / limit.denominator());
    std::int64_t above = 0;
    for (const std::int64_t count : counts) above += std::max<std::int64_t>(0, count - cut.cap);
    if (above >= rows) return std::nullopt;
    if (above == cut.rows) return cut;
    cut.rows = above;
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> RowsLess(const View& view, const ModelSpec& failing, const Policy& policy, const Run& run) {
  const std::optional<Guarded> guarded = GuardedBy(failing);
  if (!guarded || guarded->limit < Rational(0) || guarded->limit >= Rational(1)) return std::string();
  const auto place = view.data().Find(guarded->column);
  if (!place) return std::string();
  const MicrodataColumn& column = view.data().columns[*place];
  std::vector<std::int64_t> counts = CountGuarded(view, column, *guarded);
  const std::optional<Cut> cut = LeastCut(counts, static_cast<std::int64_t>(view.size()), guarded->limit);
  if (!cut || cut->rows == 0 || cut->cap == 0) return std::string();  // a run never takes the last row of a value
  const auto values = std::count_if(counts.begin(), counts.end(), [&](std::int64_t count) { return count > cut->cap; });
  std::vector<RowId> kept;
  for (const RowId row : view.rows()) {
    std::int64_t& left = counts[column.codes[row]];
    if (left > cut->cap) {
      --left;
    } else {
      kept.push_back(row);
    }
  }
  const Release rest = AsOneGroup(View(view.data(), std::move(kept)), run);
  CORDON_TRY(const std::vector<Verdict> verdicts, Verifier(policy.models).Judge(rest, run));
  if (std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) { return !verdict.holds; }))
    return std::string();
  return fmt::format("{} row{} less of the most frequent guarded value{}", cut->rows, cut->rows == 1 ? "" : "s",
                     values == 1 ? "" : "s");
}

}  // namespace cordon
