// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/run_algorithms.h"

#include <algorithm>
#include <functional>

#include "cordon/algorithms/buckets/burel.h"
#include "cordon/algorithms/buckets/sabre.h"
#include "cordon/algorithms/closeness/closeness_search.h"
#include "cordon/algorithms/full_domain/full_domain.h"
#include "cordon/algorithms/grouping/group_merge.h"
#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/algorithms/partition/partition.h"
#include "cordon/algorithms/suppression/suppression.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

// Of a full-domain search next to other algorithms: some seconds. Adult comes to its end within it, whatever the models.
constexpr std::uint64_t kComparedWork = std::uint64_t{1} << 26;

// The rows that the policy allows to be suppressed. Rows that missing cells took away before count as published.
std::uint64_t MaxSuppressed(const AlgorithmInput& input) {
  const Rational limit = input.policy.algorithm.suppression_limit;
  const auto rows = static_cast<Int128>(input.view.weight() + input.view.data().dropped_rows);
  return static_cast<std::uint64_t>(rows * limit.numerator() / limit.denominator());
}

SuppressedRows SuppressedBy(const AlgorithmInput& input) {
  return input.policy.algorithm.suppressed == Suppression::kStar ? SuppressedRows::kStar : SuppressedRows::kDrop;
}

template <typename Spec>
Result<void> CheckAsks(const Policy& policy, const char* algorithm, const char* model) {
  const bool asks = std::any_of(policy.models.begin(), policy.models.end(),
                                [](const ModelSpec& spec) { return std::holds_alternative<Spec>(spec); });
  if (asks) return {};
  return Error::InvalidPolicy("{} is made for {}, and the policy asks for none", algorithm, model)
      .WithHint("add a [[privacy]] entry with model = \"{}\", or take another algorithm", model);
}

// The first model of a kind, which an algorithm is made for, and all others together.
template <typename Spec>
struct Split {
  Spec own;
  AllOf rest;
};

template <typename Spec>
Result<Split<Spec>> SplitModels(const AlgorithmInput& input) {
  std::vector<ModelSpec> rest = input.policy.models;
  const auto own =
      std::find_if(rest.begin(), rest.end(), [](const ModelSpec& spec) { return std::holds_alternative<Spec>(spec); });
  CORDON_CHECK(own != rest.end());  // the registry's check was asked before
  const Spec spec = std::get<Spec>(*own);
  rest.erase(own);
  CORDON_TRY(AllOf all, AllOf::Make(rest, input.reference));
  return Split<Spec>{spec, std::move(all)};
}

// The forms of the papers deal out the rows of the reference, value by value: they need the histogram of their own rows.
Result<void> CheckOwnHistogram(const AlgorithmInput& input, const char* algorithm) {
  const auto& columns = input.reference.sensitive;
  const bool shard = std::any_of(columns.begin(), columns.end(), [](const Attribute& each) { return each.whole != nullptr; });
  if (!shard) return {};
  return Error::InvalidPolicy("{} needs the histogram of the rows that it groups, not that of a larger table", algorithm)
      .WithHint("take closeness or likeness, which serve part of a table");
}

template <Neighbours kNeighbours>
Result<Groups> RunPaperSabre(const AlgorithmInput& input, Random& random, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckOwnHistogram(input, kNeighbours == Neighbours::kHilbert ? "sabre-ak" : "sabre-knn"));
  CORDON_TRY(const auto models, SplitModels<TClosenessSpec>(input));
  SabreOptions options{.neighbours = kNeighbours};
  if (input.policy.algorithm.Option<std::string>("sabre", "bound") == "tight") options.bound = SabreBound::kTight;
  return Sabre(input.view, models.own, models.rest, input.reference, input.counted, options, random, run);
}

std::vector<std::size_t> SensitiveOf(const AlgorithmInput& input) {
  std::vector<std::size_t> sensitive;
  for (const Attribute& attribute : input.reference.sensitive) sensitive.push_back(*input.view.data().Find(attribute.name));
  return sensitive;
}

// The input with fewer rows, and the models as they hold for these.
AlgorithmInput Of(const RemainingRows& kept, const AlgorithmInput& input, Depth depth) {
  return {kept.view,
          kept.model,
          kept.reference,
          input.counted,
          input.policy,
          input.notes,
          depth == Depth::kTrial ? Effort::kLow : input.effort,
          input.compared};
}

// The search on all rows, or, if rows may be suppressed, on those it is better to keep.
Result<Groups> SearchWithSuppression(const AlgorithmInput& input, const Run& run,
                                     const std::function<Result<Groups>(const AlgorithmInput&, std::uint64_t)>& search) {
  const std::uint64_t max_rows = MaxSuppressed(input);
  if (max_rows == 0 || SuppressedBy(input) == SuppressedRows::kStar || !input.model.merge_closed()) return search(input, 0);
  const std::vector<std::size_t> sensitive = SensitiveOf(input);
  const SuppressionProblem problem{input.view, input.policy.models, sensitive, input.counted};
  return SearchLeavingOut(
      problem, max_rows,
      [&](const RemainingRows& kept, Depth depth, std::uint64_t more) { return search(Of(kept, input, depth), more); }, run);
}

// Groups that are published alike are one group to a reader: it is admitted as well if models are merge-closed.
Result<Groups> AsRead(Result<Groups> groups, const AlgorithmInput& input, const Run& run) {
  if (!groups.ok() || input.model.merge_closed()) return groups;
  return MergeUntilReadAsAdmitted(input.view, std::move(groups).value(), input.model, input.counted, run);
}

Result<Groups> PartitionFrom(PartitionOptions::Start start, const AlgorithmInput& input, const Run& run) {
  return SearchWithSuppression(input, run, [&](const AlgorithmInput& kept, std::uint64_t more) {
    const PartitionOptions options{.effort = kept.effort, .start = start, .max_suppressed = more};
    return Partition(kept.view, kept.model, kept.counted, options, run);
  });
}

// The search takes all models together, and the groups of a form of the papers as one way to begin.
Result<Groups> RunSearch(const AlgorithmInput& input, Random& random, const Run& run,
                         Result<Groups> (*paper_form)(const AlgorithmInput&, Random&, const Run&)) {
  return SearchWithSuppression(input, run, [&](const AlgorithmInput& kept, std::uint64_t) {
    ClosenessSearchOptions options{.effort = kept.effort};
    Random own = random.Substream("paper form");
    // A policy it refuses, such as one that no model bounds the size of groups in, the search may still serve.
    if (Result<Groups> groups = paper_form(kept, own, run); groups.ok()) options.starts.push_back(std::move(groups).value());
    if (run.Stopped()) return Result<Groups>(Error::Cancelled());
    return ClosenessSearch(kept.view, kept.policy.models, kept.model, kept.reference, kept.counted, options, random, run);
  });
}

// What the models ask of the size of groups. None of it looks at a sensitive value.
std::vector<ModelSpec> SizesIn(const Policy& policy) {
  std::vector<ModelSpec> sizes;
  for (const ModelSpec& spec : policy.models) {
    if (std::holds_alternative<KAnonymitySpec>(spec) || std::holds_alternative<KsAnonymitySpec>(spec)) sizes.push_back(spec);
    if (const auto* alpha = std::get_if<AlphaKSpec>(&spec)) sizes.push_back(KAnonymitySpec{alpha->k, {}});
  }
  return sizes;
}

// The order of a file may follow its sensitive values, and a search goes by the order if rows are equal. Here rows are in
// the order of their quasi values, and equal ones in a random order.
View OrderedByQuasi(const View& view, Random& random) {
  std::vector<RowId> rows(view.rows().begin(), view.rows().end());
  random.Shuffle(std::span(rows));
  const std::vector<std::size_t> quasi = view.data().ColumnsOf(Role::kQuasi);
  std::stable_sort(rows.begin(), rows.end(), [&](RowId a, RowId b) {
    for (const std::size_t column : quasi) {
      const Codes& codes = view.data().columns[column].codes;
      if (codes[a] != codes[b]) return codes[a] < codes[b];
    }
    return false;
  });
  return View(view.data(), std::move(rows));
}

}  // namespace

Result<void> CheckAsksSize(const Policy& policy, const char* algorithm) {
  if (!SizesIn(policy).empty()) return {};
  return Error::InvalidPolicy("{} makes groups by k alone, and the policy has none", algorithm)
      .WithHint("add a [[privacy]] entry with model = \"k-anonymity\", or take another algorithm");
}

Result<void> CheckAsksCloseness(const Policy& policy, const char* algorithm) {
  return CheckAsks<TClosenessSpec>(policy, algorithm, "t-closeness");
}

Result<void> CheckAsksLikeness(const Policy& policy, const char* algorithm) {
  return CheckAsks<BetaLikenessSpec>(policy, algorithm, "beta-likeness");
}

Result<Groups> RunMondrian(const AlgorithmInput& input, Random&, const Run& run) {
  const AlgorithmPolicy& policy = input.policy.algorithm;
  MondrianOptions options;
  const auto dims = policy.Option<std::string>("mondrian", "dims");
  if (dims == "widest") options.dims = MondrianOptions::Dims::kWidest;
  if (dims == "widest-only") options.dims = MondrianOptions::Dims::kWidestOnly;
  if (policy.Option<std::string>("mondrian", "categorical") == "ordered") {
    options.categorical = MondrianOptions::Categorical::kOrdered;
  }
  options.relaxed = policy.Option<bool>("mondrian", "relaxed").value_or(false);
  return AsRead(Mondrian(input.view, input.model, input.counted, options, run), input, run);
}

Result<Groups> RunFullDomain(const AlgorithmInput& input, Random&, const Run& run) {
  FullDomainOptions options{.max_suppressed = MaxSuppressed(input), .suppressed = SuppressedBy(input)};
  if (const auto checks = input.policy.algorithm.Option<std::int64_t>("full-domain", "checks")) {
    options.checks = static_cast<std::uint64_t>(*checks);
  }
  if (input.compared) options.exact_work = kComparedWork;
  const std::vector<std::size_t> sensitive = SensitiveOf(input);
  CORDON_TRY(FullDomainResult result, FullDomain(input.view, input.policy.models, sensitive, options, run));
  if (input.notes != nullptr) input.notes->lines.push_back(Describe(result, input.view.data()));
  return std::move(result.groups);
}

Result<Groups> RunPartition(const AlgorithmInput& input, Random&, const Run& run) {
  return AsRead(PartitionFrom(PartitionOptions::Start::kAuto, input, run), input, run);
}

Result<Groups> RefineByPartition(const AlgorithmInput& input, const Groups& groups, const Run& run) {
  return RefineGroups(input.view, groups, input.model, input.counted, {.effort = input.effort}, run);
}

Result<Groups> RunPeel(const AlgorithmInput& input, Random&, const Run& run) {
  return PartitionFrom(PartitionOptions::Start::kPeel, input, run);
}

Result<Groups> RunCloseness(const AlgorithmInput& input, Random& random, const Run& run) {
  return RunSearch(input, random, run, RunSabreAk);
}

Result<Groups> RunSabreAk(const AlgorithmInput& input, Random& random, const Run& run) {
  return RunPaperSabre<Neighbours::kHilbert>(input, random, run);
}

Result<Groups> RunSabreKnn(const AlgorithmInput& input, Random& random, const Run& run) {
  return RunPaperSabre<Neighbours::kExact>(input, random, run);
}

Result<Groups> RunLikeness(const AlgorithmInput& input, Random& random, const Run& run) {
  return RunSearch(input, random, run, RunBurelPaper);
}

Result<Groups> RunBurelPaper(const AlgorithmInput& input, Random& random, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckOwnHistogram(input, "burel-paper"));
  CORDON_TRY(const auto models, SplitModels<BetaLikenessSpec>(input));
  const AlgorithmPolicy& policy = input.policy.algorithm;
  BurelOptions options;
  if (policy.Option<std::string>("burel", "neighbours") == "exact") options.neighbours = Neighbours::kExact;
  options.margin = policy.Option<Rational>("burel", "margin").value_or(Rational(0));
  return Burel(input.view, models.own, models.rest, input.reference, input.counted, options, random, run);
}

Result<Groups> RunBlind(const AlgorithmInput& input, Random& random, const Run& run) {
  CORDON_TRY(const AllOf sizes, AllOf::Make(SizesIn(input.policy), Reference{}));
  const CountedColumns people = ColumnsFor(sizes, input.view.data(), {});
  const bool drops = SuppressedBy(input) == SuppressedRows::kDrop;
  const PartitionOptions options{.effort = input.effort, .max_suppressed = drops ? MaxSuppressed(input) : 0};
  return Partition(OrderedByQuasi(input.view, random), sizes, people, options, run);
}

}  // namespace cordon::engine
