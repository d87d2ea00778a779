// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/suppression/remaining_rows.h"

#include <algorithm>
#include <map>
#include <set>

#include "cordon/algorithms/grouping/satisfiable.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

bool Admitted(const GroupModel& model, const CountedColumns& counted, std::span<const RowId> rows) {
  if (rows.empty()) return false;
  GroupCounts all(counted);
  all.Add(rows);
  return model.Admits(all);
}

std::vector<RowId> Without(std::span<const RowId> rows, std::span<const RowId> left_out) {
  std::vector<RowId> kept;
  kept.reserve(rows.size() - left_out.size());
  std::set_difference(rows.begin(), rows.end(), left_out.begin(), left_out.end(), std::back_inserter(kept));
  return kept;
}

// Values of sensitive columns that must not vanish; an empty set stands for all of a column.
std::map<std::string, std::set<std::string>> Bound(std::span<const ModelSpec> specs) {
  std::map<std::string, std::set<std::string>> bound;
  std::set<std::string> whole;
  for (const ModelSpec& spec : specs) {
    if (const auto* t = std::get_if<TClosenessSpec>(&spec); t != nullptr && t->distance != Distance::kEqual) {
      whole.insert(t->sensitive);
    } else if (const auto* beta = std::get_if<BetaLikenessSpec>(&spec); beta != nullptr && (beta->range || beta->min_depth)) {
      whole.insert(beta->sensitive);
    } else if (const auto* alpha = std::get_if<AlphaKSpec>(&spec)) {
      bound[alpha->sensitive].insert(alpha->value);
    } else if (const auto* confidence = std::get_if<ConfidenceSpec>(&spec)) {
      for (const auto& [column, values] : confidence->values) {
        if (!values.empty()) bound[column].insert(values.begin(), values.end());
      }
    }
  }
  for (const std::string& column : whole) bound[column].clear();
  return bound;
}

std::optional<Code> CodeOf(const Domain& domain, const std::string& value) {
  if (domain.missing() && !domain.is_categorical() && domain.numeric().missing == value) return domain.missing();
  return domain.Encode(value);
}

// Rows of the values beyond the first `most` of each; of all values, or of those given.
std::vector<RowId> Beyond(const Codes& codes, std::span<const RowId> rows, const std::vector<char>& which, std::int64_t most) {
  std::vector<std::int64_t> seen(which.size());
  std::vector<RowId> beyond;
  for (const RowId row : rows) {
    const Code code = codes[row];
    if (which[code] != 0 && ++seen[code] > most) beyond.push_back(row);
  }
  return beyond;
}

// The fewest rows to leave out, by letting each of the values have no more than a limit.
std::vector<RowId> LeaveOutFor(const SuppressionProblem& problem, const ModelSpec& spec, std::span<const RowId> rows) {
  std::vector<RowId> fewest;
  bool found = false;
  for (const std::size_t column : problem.sensitive) {
    const MicrodataColumn& data = problem.view.data().columns[column];
    const std::vector<std::string> named = SensitiveColumns(spec);
    if (std::find(named.begin(), named.end(), data.attribute.name) == named.end()) continue;
    std::vector<char> which(static_cast<std::size_t>(data.attribute.domain->size()), 1);
    if (const auto bound = Bound(std::span(&spec, 1)); bound.contains(data.attribute.name)) {
      if (const auto& values = bound.at(data.attribute.name); !values.empty()) {
        std::fill(which.begin(), which.end(), 0);
        for (const std::string& value : values) {
          if (const auto code = CodeOf(*data.attribute.domain, value)) which[*code] = 1;
        }
      }
    }
    // Fewer rows of the frequent values make it easier, so the greatest number that does is found by halving.
    std::int64_t low = 0;
    auto high = static_cast<std::int64_t>(rows.size());
    std::optional<std::vector<RowId>> best;
    while (low < high) {
      const std::int64_t most = (low + high) / 2;
      std::vector<RowId> beyond = Beyond(data.codes, rows, which, most);
      const std::vector<RowId> kept = Without(rows, beyond);
      const Reference reference = ReferenceOf(problem.view.data(), problem.sensitive, kept);
      const auto model = MakeGroupModel(spec, reference);
      if (model.ok() && Admitted(*model.value(), problem.counted, kept)) {
        best = std::move(beyond);
        low = most + 1;
      } else {
        high = most;
      }
    }
    if (!best || (found && best->size() >= fewest.size())) continue;
    found = true;
    fewest = std::move(*best);
  }
  return fewest;
}

}  // namespace

Result<RemainingRows> KeepWithout(const SuppressionProblem& problem, std::vector<RowId> left_out) {
  std::sort(left_out.begin(), left_out.end());
  View view(problem.view.data(), Without(problem.view.rows(), left_out));
  Reference reference = ReferenceOf(view.data(), problem.sensitive, view.rows());
  CORDON_TRY(AllOf model, AllOf::Make(problem.specs, reference));
  return RemainingRows{std::move(view), std::move(reference), std::move(model), std::move(left_out)};
}

bool ComparesWithPublished(std::span<const ModelSpec> specs) {
  return std::any_of(specs.begin(), specs.end(), ComparesWithWhole);
}

bool GiveBackLastOfValues(const SuppressionProblem& problem, std::vector<RowId>& left_out) {
  const auto bound = Bound(problem.specs);
  std::set<RowId> back;
  for (const std::size_t column : problem.sensitive) {
    const MicrodataColumn& data = problem.view.data().columns[column];
    const auto found = bound.find(data.attribute.name);
    if (found == bound.end()) continue;
    std::vector<std::int64_t> rows(static_cast<std::size_t>(data.attribute.domain->size()));
    for (const RowId row : problem.view.rows()) ++rows[data.codes[row]];
    std::vector<std::int64_t> gone(rows.size());
    for (const RowId row : left_out) ++gone[data.codes[row]];
    std::vector<char> named(rows.size(), found->second.empty() ? 1 : 0);
    for (const std::string& value : found->second) {
      if (const auto code = CodeOf(*data.attribute.domain, value)) named[*code] = 1;
    }
    for (const RowId row : left_out) {
      const Code code = data.codes[row];
      if (named[code] == 0 || gone[code] < rows[code]) continue;
      back.insert(row);
      --gone[code];
    }
  }
  std::erase_if(left_out, [&](RowId row) { return back.contains(row); });
  return !back.empty();
}

Result<std::vector<RowId>> LeaveOutToSatisfy(const SuppressionProblem& problem, std::uint64_t most) {
  CORDON_TRY(const RemainingRows all, KeepWithout(problem, {}));
  const Result<void> satisfiable = CheckSatisfiable(problem.view, all.model, problem.counted);
  std::vector<RowId> left_out;
  if (satisfiable.ok()) return left_out;
  if (problem.view.size() == 0 || most == 0) return satisfiable.error();
  std::vector<RowId> rows(problem.view.rows().begin(), problem.view.rows().end());
  for (const ModelSpec& spec : problem.specs) {
    CORDON_TRY(const auto model, MakeGroupModel(spec, ReferenceOf(problem.view.data(), problem.sensitive, rows)));
    if (Admitted(*model, problem.counted, rows)) continue;
    const std::vector<RowId> now = LeaveOutFor(problem, spec, rows);
    left_out.insert(left_out.end(), now.begin(), now.end());
    rows = Without(rows, now);
  }
  std::sort(left_out.begin(), left_out.end());
  GiveBackLastOfValues(problem, left_out);
  const std::uint64_t needed = left_out.size();
  const std::string text = satisfiable.error().message();
  if (needed > most) {
    return Error::Unsatisfiable("{}, and {} rows would have to be suppressed, more than the {} that may", text, needed, most);
  }
  if (left_out.size() == problem.view.size()) return satisfiable.error();
  CORDON_TRY(const RemainingRows kept, KeepWithout(problem, left_out));
  if (!Admitted(kept.model, problem.counted, kept.view.rows())) return satisfiable.error();
  return left_out;
}

}  // namespace cordon::engine
