// SPDX-License-Identifier: Apache-2.0
#include "cordon/policy/catalog.h"

#include <algorithm>

#include "cordon/algorithms/buckets/burel.h"
#include "cordon/algorithms/castle/castle.h"
#include "cordon/algorithms/full_domain/full_domain.h"
#include "cordon/algorithms/sabre_w/sabre_w.h"
#include "cordon/algorithms/stream_rtree/stream_rtree.h"

namespace cordon::engine {
namespace {

using Option = AlgorithmOption;
using Value = AlgorithmOption::Value;
using MadeFor = AlgorithmFacts::MadeFor;

constexpr unsigned kSearches = kUsesEffort | kUsesWeights | kUsesLimit;

Option Flag(const char* key, bool standard, const char* what) { return {key, Option::Type::kFlag, what, standard}; }
Option Whole(const char* key, std::optional<std::int64_t> standard, const char* what) {
  return {key, Option::Type::kWhole, what, standard ? std::optional<Value>(*standard) : std::nullopt};
}
Option Whole(const char* key, std::optional<Value> (*standard_of)(const Policy&), const char* what) {
  return {key, Option::Type::kWhole, what, std::nullopt, {}, standard_of};
}
Option Exact(const char* key, Rational standard, const char* what) { return {key, Option::Type::kExact, what, standard}; }
// The shortest decimal that is read back as the number; none if there is no exact one.
Option Exact(const char* key, double standard, const char* what) {
  const Result<Rational> read = Rational::Parse(fmt::format("{}", standard));
  return {key, Option::Type::kExact, what, read.ok() ? std::optional<Value>(read.value()) : std::nullopt};
}
Option Choice(const char* key, const char* standard, std::vector<std::string> choices, const char* what) {
  return {key, Option::Type::kChoice, what, std::string(standard), std::move(choices)};
}

std::optional<Value> Utility(const Policy& policy) {
  const bool has_class = std::any_of(policy.attributes.begin(), policy.attributes.end(),
                                     [](const AttributePolicy& attribute) { return attribute.role == Role::kClass; });
  return std::string(has_class ? "class" : "distortion");
}

std::optional<Value> CastleLife(const Policy& policy) {
  CastleOptions castle;
  if (policy.stream) {
    castle.delay_tuples = policy.stream->delay_tuples.value_or(0);
    castle.delay_ms = policy.stream->delay_ms.value_or(0);
  }
  return castle.life();
}

std::optional<Value> WindowStep(const Policy& policy) { return SabreWOptions::DefaultStep(WindowOf(policy)); }

std::optional<Value> MostHeld(const Policy& policy) {
  StreamRtreeOptions rtree;
  rtree.active = policy.algorithm.Option<std::int64_t>("stream-rtree", "active").value_or(rtree.active);
  if (rtree.active >= std::int64_t{1} << 60) return std::nullopt;
  return rtree.held_cap();
}

// Of the three that refine from the top down.
std::vector<Option> Refinements() {
  return {{"utility", Option::Type::kChoice, "what a refinement is good for", std::nullopt, {"class", "distortion"}, Utility},
          Choice("score", "gain-per-loss", {"gain-per-loss", "gain"}, "by what the next refinement is chosen"),
          Whole("max_refinements", std::optional<std::int64_t>(), "stop after this many")};
}

std::vector<Option> OfCastle() {
  const CastleOptions own;
  return {Whole("max_open", own.max_open, "open clusters"),
          Whole("history", own.history, "groups whose mean loss is the threshold"),
          Choice("reuse", "uniform", {"uniform", "disjoint", "off"}, "whether later tuples may join groups that have left"),
          Whole("reuse_cap", own.reuse_cap, "groups that can be joined; the oldest gives way"),
          Flag("outlier", own.outlier, "suppress an expiring tuple if its cluster has fewer people than most"),
          Whole("reuse_ttl", CastleLife, "how long a group can be joined, in the unit of the delay"),
          Choice("loss", "paper", {"paper", "thesis"}, "the loss of a category"),
          Whole("batch", own.batch, "groups leave at every batch-th arrival only"),
          Whole("pool_cap", own.pool_cap, "tuples that may wait for company if suppressed = \"pool\""),
          Choice("cuts", "best", {"seeds", "best"}, "how a large cluster is cut"),
          Whole("split_tries", own.split_tries, "random cuts, of which the one that loses least is taken")};
}

std::vector<Option> OfSabreW() {
  const SabreWOptions own;
  return {Whole("step", WindowStep, "tuples by which the window advances"),
          Choice("partition", "closeness", {"closeness", "sabre-ak", "mondrian", "full-domain"},
                 "how the rows of a window are grouped"),
          Choice("mondrian_dims", "all", {"all", "widest", "widest-only"},
                 "which columns a cut may be along if partition = \"mondrian\""),
          Exact("sweeps", own.sweeps, "annealing of the groups, in steps per tuple"),
          Exact("rho", own.rho, "groups of an earlier window go first if their distance is rho times t or more"),
          Flag("lazy", own.lazy, "only groups with tuples that must leave are published"),
          Choice("short", "static", {"static", "strict"}, "what a stream shorter than the window is compared with")};
}

std::vector<Option> OfStreamRtree() {
  const StreamRtreeOptions own;
  return {Choice("method", "full", {"min-delay", "basic", "density-aware", "full"}, "what decides which leaf leaves"),
          Whole("active", own.active, "tuples that wait at a time, hence the mean delay"),
          Exact("alpha", own.alpha, "what one arrival of delay costs"),
          Whole("sample", own.sample, "points of the sample"),
          Whole("sample_window", own.sample_window, "arrivals that the sample is drawn from"),
          Whole("max_holds", own.max_holds, "how often a tuple may be held back"),
          Whole("max_held", MostHeld, "tuples that may wait at all"),
          Choice("control", "proportional", {"fixed", "proportional", "literal"}, "how the number of waiting tuples is kept")};
}

std::vector<AlgorithmFacts> MakeCatalog() {
  return {
      {.name = "partition",
       .summary = "cuts from the top down and by peeling, then refined until no single move helps; least loss",
       .uses = kSearches,
       .rank = 6,
       .counts_persons = true},
      {.name = "closeness",
       .alias = "sabre",
       .summary = "t-closeness with least loss: groups grown, filled and annealed",
       .made_for = MadeFor::kCloseness,
       .uses = kSearches,
       .rank = 8,
       .options_table = "sabre",
       .options = {Choice("bound", "thesis", {"thesis", "tight"}, "the worst case of a bucket of categories")}},
      {.name = "likeness",
       .alias = "burel",
       .summary = "beta-likeness with least loss: groups grown, filled and annealed",
       .made_for = MadeFor::kLikeness,
       .uses = kSearches,
       .rank = 7,
       .options_table = "burel",
       .options = {Exact("margin", BurelOptions().margin, "the share of the bound that buckets leave unused"),
                   Choice("neighbours", "hilbert", {"hilbert", "exact"}, "how the nearest rows are found")}},
      {.name = "mondrian",
       .summary = "top-down cuts at medians and hierarchy nodes, for any combination of models",
       .uses = kUsesWeights,
       .rank = 1,
       .counts_persons = true,
       .options = {Choice("dims", "all", {"all", "widest", "widest-only"}, "which columns a cut may be along"),
                   Choice("categorical", "hierarchy", {"hierarchy", "ordered"}, "how categories are cut"),
                   Flag("relaxed", false, "rows at the median go to either side")}},
      {.name = "full-domain",
       .summary = "one generalization level per column, chosen for the least loss; any combination of models",
       .uses = kUsesWeights | kUsesLimit | kUsesLimitOfStars,
       .rank = 2,
       .slow_on_many_rows = true,
       .groups_by_template = true,
       .options = {Whole("checks", static_cast<std::int64_t>(FullDomainOptions().checks),
                         "nodes looked at in a lattice of more than 2^20")}},
      {.name = "peel",
       .summary = "groups that satisfy under one recoding, again on the rest, then refined",
       .uses = kSearches,
       .rank = 5},
      {.name = "tdr",
       .summary = "top-down refinement: k over several quasi-identifiers, for classification",
       .made_for = MadeFor::kClassification,
       .rank = 9,
       .groups_by_template = true,
       .options = Refinements()},
      {.name = "tdd",
       .summary = "top-down disclosure: bounds the confidence of inferences, for classification",
       .made_for = MadeFor::kClassification,
       .rank = 10,
       .groups_by_template = true,
       .options = Refinements()},
      {.name = "tdssa",
       .summary = "top-down refinement against the join with previous releases (release-next)",
       .made_for = MadeFor::kJoin,
       .rank = 11,
       .groups_by_template = true,
       .options = Refinements()},
      {.name = "sabre-ak",
       .summary = "t-closeness by bucketization, neighbours on the Hilbert curve",
       .made_for = MadeFor::kCloseness,
       .rank = 3,
       .options_table = "sabre"},
      {.name = "sabre-knn",
       .summary = "t-closeness by bucketization, exact nearest neighbours",
       .made_for = MadeFor::kCloseness,
       .uses = kUsesWeights,
       .rank = 12,
       .slow_on_many_rows = true,
       .options_table = "sabre"},
      {.name = "burel-paper",
       .summary = "beta-likeness by bucketization",
       .made_for = MadeFor::kLikeness,
       .rank = 4,
       .options_table = "burel"},
      {.name = "ke",
       .summary = "(k,e)-anonymity: exact quasi columns, one number column shuffled inside groups of least total range",
       .made_for = MadeFor::kPermutation,
       .uses = kUsesLimit,
       .rank = 13},
      {.name = "blind",
       .summary = "groups by quasi columns and k alone, so that they tell nothing of sensitive values; judged by all models",
       .made_for = MadeFor::kBlindness,
       .uses = kSearches,
       .rank = 14},  // counts_persons: whether such a model holds depends on who has which value, so a refusal would tell
      {.name = "castle",
       .summary = "clusters that leave when a tuple's time is up; l-diversity and reuse of groups",
       .of_streams = true,
       .options = OfCastle()},
      {.name = "dynamic-group",
       .summary = "condensation: the nearest of groups around centroids, split when large",
       .of_streams = true},
      {.name = "stream-rtree",
       .summary = "leaves of an R-tree that leave by chance; no deadline, waiting costs",
       .of_streams = true,
       .options = OfStreamRtree()},
      {.name = "sabre-w",
       .summary = "groups that look like a window of the stream: closeness or likeness, with k",
       .of_streams = true,
       .options = OfSabreW()},
  };
}

}  // namespace

std::int64_t WindowOf(const Policy& policy) {
  std::int64_t window = 0;
  for (const ModelSpec& spec : policy.models) window = std::max(window, WindowOf(spec).value_or(0));
  return window;
}

const std::vector<AlgorithmFacts>& AlgorithmCatalog() {
  static const std::vector<AlgorithmFacts> catalog = MakeCatalog();
  return catalog;
}

const AlgorithmFacts* FindAlgorithm(std::string_view name) {
  const auto& catalog = AlgorithmCatalog();
  const auto found = std::find_if(catalog.begin(), catalog.end(), [&](const AlgorithmFacts& each) {
    return each.name == name || (!name.empty() && each.alias == name);
  });
  return found == catalog.end() ? nullptr : &*found;
}

const AlgorithmFacts* FindOptions(std::string_view table) {
  const auto& catalog = AlgorithmCatalog();
  const auto found = std::find_if(catalog.begin(), catalog.end(),
                                  [&](const AlgorithmFacts& each) { return !each.options.empty() && each.table() == table; });
  return found == catalog.end() ? nullptr : &*found;
}

std::string CurrentName(std::string_view name) {
  const AlgorithmFacts* found = FindAlgorithm(name);
  return std::string(found == nullptr ? name : found->name);
}

}  // namespace cordon::engine
