// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/suppression/suppression.h"

#include <algorithm>
#include <limits>
#include <set>

#include "cordon/algorithms/grouping/box_spans.h"
#include "cordon/algorithms/partition/partition.h"
#include "cordon/data/recode.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

// What was tuned by hand. Evidence is the loss at half and at twice the number: adult, k = 5, at most 5 % of the rows, equal t
// = 0.2, beta = 1 and beta = 4. It is the same to the last digit in every case, so all four only save time.
struct SuppressionTuning {
  int patience = 2;  // trials without gain before no more values are tried
  // A trial that gains more than this is believed; closer ones are settled by two full searches, and so are small tables.
  double clear_gain = 0.1;
  std::size_t small_table = 10'000;
  std::size_t few_outliers = 2'000;  // a smaller share than one in this many rows is not worth a separate search
};
constexpr SuppressionTuning kSuppression;

// What the search pays: rows times the loss of their boxes, a suppressed row the whole.
double CostOf(const Microdata& data, const Groups& groups, std::size_t left_out) {
  const BoxSpans spans(data);
  const Boxes boxes = BoxesOf(data, groups, {});
  double cost = static_cast<double>(spans.Whole()) * static_cast<double>(left_out + groups.suppressed.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    double loss = 0;
    for (std::size_t q = 0; q < spans.width(); ++q) loss += spans.Span(q, boxes.at(group, q).lo, boxes.at(group, q).hi);
    cost += loss * static_cast<double>(groups[group].size());
  }
  return cost;
}

// Columns under a model that caps what a group may have of a value.
std::set<std::size_t> CappedColumns(const SuppressionProblem& problem) {
  std::set<std::size_t> columns;
  for (const ModelSpec& spec : problem.specs) {
    const bool caps = std::holds_alternative<BetaLikenessSpec>(spec) || std::holds_alternative<DeltaDisclosureSpec>(spec);
    if (caps) columns.insert(*problem.view.data().Find(SensitiveColumns(spec)[0]));
  }
  return columns;
}

// Of one value alone every group has the mix of the whole: such a model would say nothing, and who is missing, everything.
bool LeavesAMix(const SuppressionProblem& problem, const std::vector<RowId>& left_out) {
  for (const std::size_t column : CappedColumns(problem)) {
    const MicrodataColumn& data = problem.view.data().columns[column];
    std::set<Code> all, kept;
    for (const RowId row : problem.view.rows()) {
      if (all.size() < 2) all.insert(data.codes[row]);
      if (kept.size() < 2 && !std::binary_search(left_out.begin(), left_out.end(), row)) kept.insert(data.codes[row]);
    }
    if (kept.size() < all.size()) return false;
  }
  return true;
}

// The rows of each value under a model that caps what a group may have of it, the rarest value first.
std::vector<std::vector<RowId>> RowsOfRareValues(const SuppressionProblem& problem, const RemainingRows& kept,
                                                 std::uint64_t most) {
  std::vector<std::vector<RowId>> rare;
  for (const std::size_t column : CappedColumns(problem)) {
    const MicrodataColumn& data = problem.view.data().columns[column];
    std::vector<std::int64_t> rows(static_cast<std::size_t>(data.attribute.domain->size()));
    for (const RowId row : kept.view.rows()) ++rows[data.codes[row]];
    std::vector<std::vector<RowId>> of_value(rows.size());
    for (const RowId row : kept.view.rows()) {
      if (rows[data.codes[row]] <= static_cast<std::int64_t>(most)) of_value[data.codes[row]].push_back(row);
    }
    for (std::vector<RowId>& each : of_value) {
      if (!each.empty()) rare.push_back(std::move(each));
    }
  }
  std::stable_sort(rare.begin(), rare.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return rare;
}

// Rows that groups of about this size, whatever they hold, would rather do without.
Result<std::vector<RowId>> Outliers(const RemainingRows& kept, std::size_t group_rows, std::uint64_t most, const Run& run) {
  const CountedColumns rows_alone(kept.view.data(), {}, false);
  const std::vector<ModelSpec> specs = {KAnonymitySpec{static_cast<std::int64_t>(std::max<std::size_t>(group_rows, 2)), {}}};
  CORDON_TRY(const AllOf model, AllOf::Make(specs, {}));
  const PartitionOptions options{.effort = PartitionOptions::Effort::kLow, .max_suppressed = most};
  Result<Groups> groups = Partition(kept.view, model, rows_alone, options, run);
  if (!groups.ok() && groups.error().kind() == ErrorKind::kUnsatisfiable) return std::vector<RowId>{};  // too few rows
  if (!groups.ok()) return groups.error();
  return std::move(groups.value().suppressed);
}

class LeavingOut {
 public:
  LeavingOut(const SuppressionProblem& problem, std::uint64_t max_rows, const SearchKept& search, const Run& run)
      : problem_(problem), max_rows_(max_rows), search_(search), run_(run) {}

  Result<Groups> Search() {
    CORDON_TRY(needed_, LeaveOutToSatisfy(problem_, max_rows_));
    return ComparesWithPublished(problem_.specs) ? AgainstWhatStays() : InPlace();
  }

 private:
  std::uint64_t budget() const { return max_rows_ - needed_.size(); }

  // A search that was stopped may come back with what it had; no other begins then.
  Result<Groups> Take(const RemainingRows& kept, Depth depth, std::uint64_t more) {
    if (run_.Stopped()) return Error::Cancelled();
    CORDON_TRY(Groups groups, search_(kept, depth, more));
    groups.suppressed.insert(groups.suppressed.end(), kept.left_out.begin(), kept.left_out.end());
    std::sort(groups.suppressed.begin(), groups.suppressed.end());
    return groups;
  }

  Result<Groups> Full(std::vector<RowId> left_out) {
    CORDON_TRY(const RemainingRows kept, KeepWithout(problem_, std::move(left_out)));
    return Take(kept, Depth::kFull, 0);
  }

  double Cost(const Groups& groups) const { return CostOf(problem_.view.data(), groups, 0); }

  // The models do not change with the rows that go, so the search itself chooses them.
  Result<Groups> InPlace() {
    CORDON_TRY(const RemainingRows kept, KeepWithout(problem_, needed_));
    CORDON_TRY(Groups groups, Take(kept, Depth::kFull, budget()));
    std::vector<RowId> left_out = groups.suppressed;
    if (!GiveBackLastOfValues(problem_, left_out)) return groups;
    CORDON_TRY(groups, Full(std::move(left_out)));
    return NoWorseThanNothing(std::move(groups));
  }

  Result<Groups> NoWorseThanNothing(Groups groups) {
    if (run_.Stopped()) return Error::Cancelled();
    CORDON_TRY(Groups whole, Full(needed_));
    return Cost(whole) <= Cost(groups) ? std::move(whole) : std::move(groups);
  }

  struct Trial {
    std::vector<RowId> left_out;
    double cost = std::numeric_limits<double>::infinity();
    std::size_t mean_rows = 0;  // of a group
  };

  Result<Trial> Try(std::vector<RowId> left_out) {
    std::sort(left_out.begin(), left_out.end());
    CORDON_TRY(const RemainingRows kept, KeepWithout(problem_, left_out));
    const Result<Groups> groups = Take(kept, Depth::kTrial, 0);
    if (!groups.ok() && groups.error().kind() == ErrorKind::kUnsatisfiable) return Trial{};  // too few rows are left
    if (!groups.ok()) return groups.error();
    if (groups.value().size() == 0) return Trial{};  // no row is left
    return Trial{std::move(left_out), Cost(groups.value()), groups.value().rows.size() / groups.value().size()};
  }

  bool Fits(const std::vector<RowId>& left_out) const {
    return left_out.size() <= max_rows_ && left_out.size() < problem_.view.size() && LeavesAMix(problem_, left_out);
  }

  Result<Groups> AgainstWhatStays() {
    CORDON_TRY(const Trial nothing, Try(needed_));
    if (run_.Stopped()) return Error::Cancelled();
    if (nothing.mean_rows == 0) return Full(needed_);
    Trial best = nothing;
    CORDON_RETURN_IF_ERROR(TryRareValues(best));
    CORDON_RETURN_IF_ERROR(TryOutliers(best));
    if (run_.Stopped()) return Error::Cancelled();
    if (best.left_out.size() == needed_.size()) return Full(needed_);
    CORDON_TRY(Groups groups, Full(best.left_out));
    const bool clear =
        best.cost < (1 - kSuppression.clear_gain) * nothing.cost && problem_.view.size() > kSuppression.small_table;
    return clear ? std::move(groups) : NoWorseThanNothing(std::move(groups));
  }

  Result<void> TryRareValues(Trial& best) {
    CORDON_TRY(const RemainingRows kept, KeepWithout(problem_, needed_));
    std::vector<RowId> left_out = needed_;
    int without_gain = 0;
    for (const std::vector<RowId>& rows : RowsOfRareValues(problem_, kept, budget())) {
      left_out.insert(left_out.end(), rows.begin(), rows.end());
      std::sort(left_out.begin(), left_out.end());
      left_out.erase(std::unique(left_out.begin(), left_out.end()), left_out.end());
      std::vector<RowId> candidate = left_out;
      GiveBackLastOfValues(problem_, candidate);
      if (!Fits(candidate) || without_gain >= kSuppression.patience || run_.ShouldStop()) break;
      if (candidate == best.left_out) continue;
      CORDON_TRY(Trial trial, Try(std::move(candidate)));
      without_gain = trial.cost < best.cost ? 0 : without_gain + 1;
      if (trial.cost < best.cost) best = std::move(trial);
    }
    return {};
  }

  Result<void> TryOutliers(Trial& best) {
    CORDON_TRY(const RemainingRows kept, KeepWithout(problem_, best.left_out));
    if (best.left_out.size() >= max_rows_ || run_.ShouldStop()) return {};
    CORDON_TRY(std::vector<RowId> left_out, Outliers(kept, best.mean_rows, max_rows_ - best.left_out.size(), run_));
    if (left_out.size() <= kept.view.size() / kSuppression.few_outliers) return {};
    left_out.insert(left_out.end(), best.left_out.begin(), best.left_out.end());
    std::sort(left_out.begin(), left_out.end());
    GiveBackLastOfValues(problem_, left_out);
    if (!Fits(left_out)) return {};
    CORDON_TRY(Trial trial, Try(std::move(left_out)));
    if (trial.cost < best.cost) best = std::move(trial);
    return {};
  }

  const SuppressionProblem& problem_;
  std::uint64_t max_rows_;
  const SearchKept& search_;
  const Run& run_;
  std::vector<RowId> needed_;
};

}  // namespace

Result<Groups> SearchLeavingOut(const SuppressionProblem& problem, std::uint64_t max_rows, const SearchKept& search,
                                const Run& run) {
  return LeavingOut(problem, max_rows, search, run).Search();
}

}  // namespace cordon::engine
