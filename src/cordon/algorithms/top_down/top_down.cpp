// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/top_down/top_down.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxPairs = std::size_t{1} << 26;  // values of a masked attribute times guarded values

std::vector<std::size_t> PackedColumns(const TopDown::Plan& plan) {
  std::vector<std::size_t> columns;
  for (const MaskedColumn& masked : plan.masked) columns.push_back(masked.column);
  columns.insert(columns.end(), plan.counted.begin(), plan.counted.end());
  return columns;
}

}  // namespace

Result<std::unique_ptr<TopDown>> TopDown::Make(const View& view, Plan plan, const TopDownOptions& options, const Run& run) {
  if (view.size() == 0) return Error::Unsatisfiable("no release satisfies the policy: there are no rows");
  std::int64_t guarded = 0;
  for (const auto& requirement : plan.requirements) guarded = std::max(guarded, requirement->num_guarded());
  for (const MaskedColumn& masked : plan.masked) {
    const Attribute& attribute = view.data().columns[masked.column].attribute;
    if (static_cast<Int128>(attribute.domain->size()) * guarded > static_cast<Int128>(kMaxPairs)) {
      return Error::InvalidPolicy("column '{}' has {} values and a template guards {}: too many pairs to count", attribute.name,
                                  attribute.domain->size(), guarded)
          .WithHint("list the values that need guarding, or give the column a hierarchy, grid or round");
    }
  }
  CORDON_RETURN_IF_ERROR(CheckForeign(view, plan, options));
  std::unique_ptr<TopDown> made(new TopDown(view, std::move(plan), options, run));
  RequirementScratch scratch;
  std::string failing;
  for (std::size_t i = 0; i < made->reached_.size(); ++i) {
    const Requirement& requirement = made->requirement(i);
    made->reached_[i] = requirement.Of({made->rows_, made->runs_}, scratch);
    if (!requirement.Holds(made->reached_[i])) failing += (failing.empty() ? "" : " and ") + requirement.Describe();
  }
  if (!failing.empty()) {
    const bool counts_people = !view.data().persons.empty() && view.size() == view.data().num_rows;
    return Error::Unsatisfiable("no release satisfies {}: even one group of all {} rows{} does not", failing, view.weight(),
                                counts_people ? fmt::format(" ({} people)", view.data().num_persons) : "");
  }
  made->JudgeAll();
  made->JudgeState(made->AllLeavesInOrder());
  const auto proves = [](const auto& each) { return !each->WhyNone().empty(); };
  const auto& of_state = made->plan_.state_requirements;
  if (std::any_of(of_state.begin(), of_state.end(), proves) ||
      (options.on_start == TopDownOptions::OnStart::kRefuse && !made->Holds())) {
    return made->Violates();
  }
  return made;
}

bool TopDown::Holds() const {
  return std::all_of(plan_.state_requirements.begin(), plan_.state_requirements.end(),
                     [](const auto& each) { return each->Now().holds; });
}

Error TopDown::Violates() const {
  std::string failing;
  std::string why;
  for (const auto& each : plan_.state_requirements) {
    if (each->Now().holds) continue;
    if (why.empty()) why = each->WhyNone();
    failing += fmt::format("{}{}, which is at {}", failing.empty() ? "" : " and ", each->Describe(), each->ReachedText());
  }
  if (!why.empty()) return Error::Unsatisfiable("no release satisfies {}: {}", failing, why);
  if (options_.on_start == TopDownOptions::OnStart::kSearchFurther) {
    return Error::Unsatisfiable("the search ended after {} refinements, and the release still violates {}", num_refinements_,
                                failing)
        .WithHint("choose weaker models");
  }
  return Error::Unsatisfiable("the most general release violates {}; a more detailed one may still satisfy", failing)
      .WithHint("search on with --through-violation, or choose weaker models");
}

TopDown::TopDown(const View& view, Plan plan, const TopDownOptions& options, const Run& run)
    : view_(&view),
      plan_(std::move(plan)),
      options_(options),
      run_(run),
      logs_(view.size()),  // with weights counts may be greater, and few are
      rows_(view, PackedColumns(plan_), run),
      reached_(plan_.requirements.size()),
      runs_{{0, view.size(), 0}},
      shown_(plan_.masked.size()) {
  std::vector<std::unique_ptr<MaskedAttribute>> made(plan_.masked.size());
  ParallelFor(run.threads, made.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
    const MicrodataColumn& column = view.data().columns[plan_.masked[i].column];
    const Code num_codes = column.attribute.domain->size();
    made[i] = std::make_unique<MaskedAttribute>(
        column.attribute, plan_.masked[i].masking,
        plan_.masked[i].foreign ? Marginal(num_codes) : Marginal(view, column.codes, num_codes, plan_.labels), options.utility,
        logs_);
  });
  for (auto& masked : made) attributes_.push_back({*std::move(masked), {}, {}, {}, {}, {}});
  MakeGroupings();
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    Welcome(i);
    attributes_[i].leaves[0] = {0};
  }
}

void TopDown::MakeGroupings() {
  for (std::size_t i = 0; i < plan_.requirements.size(); ++i) {
    const Requirement& requirement = *plan_.requirements[i];
    share_units_ = share_units_ || requirement.loss() == Requirement::Loss::kShare;
    const std::vector<std::size_t> on(requirement.on().begin(), requirement.on().end());
    for (const std::size_t attribute : on) attributes_[attribute].requirements.push_back(i);
    auto found = std::find_if(groupings_.begin(), groupings_.end(), [&](const Grouping& g) { return g.on == on; });
    if (found == groupings_.end()) found = groupings_.insert(found, Grouping{on, {}, 1});
    found->requirements.push_back(i);
  }
  groups_.resize(groupings_.size());
  for (const auto& each : plan_.state_requirements) {
    share_units_ = share_units_ || each->loss() == Requirement::Loss::kShare;
  }
}

// Makes room for nodes that have appeared, and opens the refinements that came with them.
void TopDown::Welcome(std::size_t attribute) {
  AttributeState& state = attributes_[attribute];
  const std::size_t known = state.alive.size();
  state.alive.resize(state.masked.num_nodes(), 2);  // 2: not asked yet
  state.leaves.resize(state.masked.num_nodes());
  state.would.resize(state.masked.num_nodes() * state.requirements.size());
  for (std::size_t node = known; node < state.alive.size(); ++node) {
    for (std::size_t place = 0; place < state.requirements.size(); ++place) {
      state.would[node * state.requirements.size() + place] = requirement(state.requirements[place]).Best();
    }
  }
  if (state.masked.foreign()) return;
  for (const int node : state.masked.Refinements()) {
    if (state.alive[node] == 2) state.alive[node] = 1;
  }
}

std::vector<std::uint32_t> TopDown::LeavesInOrder(const Refinement& refinement) const {
  const AttributeState& state = attributes_[refinement.attribute];
  std::vector<std::uint32_t> leaves = state.leaves[state.masked.source(refinement.node)];
  std::sort(leaves.begin(), leaves.end(), [&](std::uint32_t a, std::uint32_t b) { return runs_[a].begin < runs_[b].begin; });
  return leaves;
}

std::vector<std::uint32_t> TopDown::AllLeavesInOrder() const {
  std::vector<std::uint32_t> leaves(runs_.size());
  std::iota(leaves.begin(), leaves.end(), 0u);
  std::sort(leaves.begin(), leaves.end(), [&](std::uint32_t a, std::uint32_t b) { return runs_[a].begin < runs_[b].begin; });
  return leaves;
}

// Moves the rows of every leaf, part after part: sizes of the parts, leaf after leaf.
template <typename MakePartOf>
std::vector<std::size_t> TopDown::MoveRows(const Refinement& refinement, std::span<const std::uint32_t> leaves,
                                           const MakePartOf& make_part_of) {
  const std::size_t num_parts = attributes_[refinement.attribute].masked.num_parts(refinement.node);
  std::vector<std::size_t> sizes(leaves.size() * num_parts);
  ParallelFor(run_.threads, leaves.size(), 4, [&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<std::size_t> starts(num_parts);
    for (std::size_t i = begin; i < end; ++i) {
      RowRun& run = runs_[leaves[i]];
      std::size_t* const own = sizes.data() + i * num_parts;
      auto count_part = make_part_of(i);
      rows_.ForEachCode(run.buffer, run.begin, run.end, refinement.attribute, [&](Code code) { ++own[count_part(code)]; });
      if (std::count(own, own + num_parts, std::size_t{0}) + 1 == static_cast<std::ptrdiff_t>(num_parts)) continue;
      // Under suppression the rest comes first or last as its part number says; runs follow the part numbers.
      std::size_t start = run.begin;
      for (std::size_t part = 0; part < num_parts; ++part) {
        starts[part] = start;
        start += own[part];
      }
      auto move_part = make_part_of(i);
      rows_.Partition(
          run.buffer, run.begin, run.end, refinement.attribute,
          [&](Code code) { return static_cast<std::size_t>(move_part(code)); }, starts);
      run.buffer = 1 - run.buffer;
    }
  });
  return sizes;
}

void TopDown::Apply(const Refinement& refinement) {
  const MaskedAttribute& masked = attributes_[refinement.attribute].masked;
  const std::vector<std::uint32_t> leaves = LeavesInOrder(refinement);
  std::vector<std::size_t> sizes;
  if (masked.one_by_one()) {
    const Code shown_code = refinement.node - 1;
    sizes = MoveRows(refinement, leaves, [&](std::size_t) { return [=](Code code) { return code != shown_code; }; });
  } else {
    const std::int32_t* const part_of = masked.part_of().data();
    sizes = MoveRows(refinement, leaves, [&](std::size_t) { return [=](Code code) { return part_of[code]; }; });
  }
  const std::size_t num_requirements = attributes_[refinement.attribute].requirements.size();
  std::vector<Bound> reached;
  for (std::size_t place = 0; place < num_requirements; ++place) {
    reached.push_back(Then(refinement.attribute, refinement.node, place));
  }
  Settle(refinement, leaves, sizes, reached);
}

Result<void> TopDown::Apply(const ToldStep& step) {
  const Refinement& refinement = step.refinement;
  if (refinement.attribute < attributes_.size() && !attributes_[refinement.attribute].masked.foreign()) {
    return Error::Protocol("a step refines a column that its sender does not hold");
  }
  CORDON_TRY(const std::vector<Bound> reached, ReachedBy(step));
  MaskedAttribute& masked = attributes_[refinement.attribute].masked;
  if (masked.masking() == Masking::kIntervals) masked.SetSplit(refinement.node, step.split);
  const std::vector<std::uint32_t> leaves = LeavesInOrder(refinement);
  std::vector<const std::uint32_t*> starts;
  const std::uint32_t* next_leaf = step.child_numbers.data();
  for (const std::uint32_t leaf : leaves) {
    starts.push_back(next_leaf);
    next_leaf += runs_[leaf].size();
  }
  const std::vector<std::size_t> sizes =
      MoveRows(refinement, leaves, [&](std::size_t i) { return [next = starts[i]](Code) mutable { return *next++; }; });
  Settle(refinement, leaves, sizes, reached);
  return {};
}

// The rows are in place: new leaves, new groups, and what the refinements left now face.
void TopDown::Settle(const Refinement& refinement, std::span<const std::uint32_t> leaves, std::span<const std::size_t> sizes,
                     std::span<const Bound> reached) {
  AttributeState& state = attributes_[refinement.attribute];
  for (std::size_t place = 0; place < reached.size(); ++place) reached_[state.requirements[place]] = reached[place];
  const std::size_t num_parts = state.masked.num_parts(refinement.node);
  state.leaves[state.masked.source(refinement.node)].clear();
  const std::vector<int> nodes = state.masked.Refine(refinement.node);
  state.alive[refinement.node] = 0;
  Welcome(refinement.attribute);
  // The last part that has rows keeps the number of the leaf, and with it its place on the other attributes' lists. (Under
  // suppression that is what stays hidden.)
  std::vector<std::uint32_t> part_leaves(sizes.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const std::size_t* const own = sizes.data() + i * num_parts;
    std::size_t left = static_cast<std::size_t>(num_parts - std::count(own, own + num_parts, std::size_t{0}));
    std::size_t start = runs_[leaves[i]].begin;
    for (std::size_t part = 0; part < num_parts; ++part) {
      if (own[part] == 0) continue;
      std::uint32_t leaf = leaves[i];
      if (--left > 0) {
        leaf = static_cast<std::uint32_t>(runs_.size());
        runs_.push_back({0, 0, runs_[leaves[i]].buffer});
        for (std::size_t other = 0; other < attributes_.size(); ++other) {
          shown_.push_back(shown(leaves[i], other));
          if (other != refinement.attribute) attributes_[other].leaves[shown_.back()].push_back(leaf);
        }
        for (std::size_t g = 0; g < groupings_.size(); ++g) groups_.push_back(group_of(leaves[i], g));
      }
      part_leaves[i * num_parts + part] = leaf;
      runs_[leaf].begin = start;
      runs_[leaf].end = start += own[part];
      shown(leaf, refinement.attribute) = nodes[part];
      state.leaves[nodes[part]].push_back(leaf);
    }
  }
  ++num_refinements_;
  const std::vector<std::vector<Changed>> changed = Regroup(refinement.attribute, leaves, sizes, part_leaves);
  if (options_.prune) {
    for (std::size_t g = 0; g < groupings_.size(); ++g) {
      if (!changed[g].empty()) JudgeGroups(groupings_[g], changed[g]);
    }
    Cull();
  } else {
    JudgeAll();
  }
  last_step_ = {refinement.attribute, {}};
  for (std::size_t i = 0; i < part_leaves.size(); ++i) {
    if (sizes[i] > 0) last_step_.leaves.push_back(part_leaves[i]);
  }
  JudgeState(last_step_.leaves);
}

// New groups in the groupings that have the attribute: a group and a part of it make one. Under suppression a group
// without the value stays as it is.
std::vector<std::vector<TopDown::Changed>> TopDown::Regroup(std::size_t attribute, std::span<const std::uint32_t> leaves,
                                                            std::span<const std::size_t> sizes,
                                                            std::span<const std::uint32_t> part_leaves) {
  std::vector<std::vector<Changed>> changed(groupings_.size());
  const std::size_t num_parts = leaves.empty() ? 0 : sizes.size() / leaves.size();
  const bool one_by_one = attributes_[attribute].masked.one_by_one();
  for (std::size_t g = 0; g < groupings_.size(); ++g) {
    Grouping& grouping = groupings_[g];
    if (!std::binary_search(grouping.on.begin(), grouping.on.end(), attribute)) continue;
    std::vector<std::uint32_t> old(leaves.size());
    std::unordered_map<std::uint32_t, bool> has_value;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      old[i] = group_of(leaves[i], g);
      has_value[old[i]] |= !one_by_one || sizes[i * num_parts] > 0;
    }
    std::unordered_map<std::uint64_t, std::uint32_t> made;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (!has_value[old[i]]) continue;
      for (std::size_t part = 0; part < num_parts; ++part) {
        if (sizes[i * num_parts + part] == 0) continue;
        const auto [found, is_new] = made.try_emplace((static_cast<std::uint64_t>(old[i]) << 32) | part, grouping.num_groups);
        if (is_new) ++grouping.num_groups;
        const std::uint32_t leaf = part_leaves[i * num_parts + part];
        group_of(leaf, g) = found->second;
        changed[g].push_back({found->second, leaf});
      }
    }
  }
  return changed;
}

Result<void> TopDown::ToTheEnd(const Run& run) {
  while (!options_.max_refinements || num_refinements_ < *options_.max_refinements) {
    if (run.Stopped()) return Error::Cancelled();
    if (run.ShouldStop()) break;  // out of time; what is refined so far holds
    const std::optional<Refinement> best = Best();
    if (!best) break;
    Apply(*best);
    run.Report("refine", static_cast<std::uint64_t>(num_refinements_), 0);
  }
  if (Holds()) return {};
  return Violates();
}

}  // namespace cordon::engine
