// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/top_down/top_down_plan.h"

#include <algorithm>
#include <set>

namespace cordon::engine {
namespace {

using Columns = std::set<std::string>;

Columns OnOf(const ModelSpec& spec, const Microdata& data) {
  const std::vector<std::string> names = GroupingColumns(spec);
  if (!names.empty()) return {names.begin(), names.end()};
  Columns all;
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) all.insert(data.columns[column].attribute.name);
  return all;
}

bool PartOf(const Columns& a, const Columns& b) { return std::includes(b.begin(), b.end(), a.begin(), a.end()); }

// Whether every value that `a` guards is guarded by `b`.
bool GuardsNoMore(const ConfidenceSpec& a, const ConfidenceSpec& b) {
  return std::all_of(a.values.begin(), a.values.end(), [&](const auto& each) {
    const auto other = b.values.find(each.first);
    if (other == b.values.end()) return false;
    if (other->second.empty()) return true;
    const std::set<std::string> wide(other->second.begin(), other->second.end());
    return !each.second.empty() &&
           std::all_of(each.second.begin(), each.second.end(), [&](const std::string& value) { return wide.contains(value); });
  });
}

bool Implies(const ModelSpec& strong, const ModelSpec& weak, const Microdata& data) {
  if (!PartOf(OnOf(weak, data), OnOf(strong, data))) return false;
  if (const auto *a = std::get_if<KAnonymitySpec>(&weak), *b = std::get_if<KAnonymitySpec>(&strong); a != nullptr) {
    return b != nullptr && a->k <= b->k;
  }
  if (const auto *a = std::get_if<ConfidenceSpec>(&weak), *b = std::get_if<ConfidenceSpec>(&strong); a != nullptr) {
    return b != nullptr && a->h >= b->h && GuardsNoMore(*a, *b);
  }
  return false;
}

// The guarded values of a template as numbers by code, and the packed columns that hold them.
Result<std::unique_ptr<const Requirement>> MakeShare(const ConfidenceSpec& spec, std::vector<std::size_t> on,
                                                     const Microdata& data, std::size_t num_masked,
                                                     std::vector<std::size_t>& counted) {
  std::vector<MaxShare::Guarded> guarded;
  std::int32_t next = 0;
  for (const auto& [name, values] : spec.values) {
    const auto column = data.Find(name);
    if (!column) return Error::InvalidPolicy("there is no column '{}'", name);
    auto place = std::find(counted.begin(), counted.end(), *column);
    if (place == counted.end()) place = counted.insert(place, *column);
    const Domain& domain = *data.columns[*column].attribute.domain;
    MaxShare::Guarded each{num_masked + static_cast<std::size_t>(place - counted.begin()),
                           std::vector<std::int32_t>(static_cast<std::size_t>(domain.size()), -1)};
    for (std::int32_t& value : each.value_of) {
      if (values.empty()) value = next++;
    }
    for (const std::string& value : values) {
      const bool missing = domain.missing() && domain.numeric().missing == value;
      const std::optional<Code> code = missing ? domain.missing() : domain.Encode(value);
      if (!code) return Error::InvalidPolicy("'{}' is not a value of column '{}'", value, name);
      if (each.value_of[*code] < 0) each.value_of[*code] = next++;
    }
    guarded.push_back(std::move(each));
  }
  return std::unique_ptr<const Requirement>(std::make_unique<const MaxShare>(Describe(spec), std::move(on), std::move(guarded),
                                                                             static_cast<std::size_t>(next), spec.h));
}

}  // namespace

std::vector<std::size_t> WithoutImplied(std::span<const ModelSpec> specs, const Microdata& data) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    bool implied = false;
    for (std::size_t j = 0; j < specs.size() && !implied; ++j) {
      // Of two that imply each other the first stays.
      implied = i != j && Implies(specs[j], specs[i], data) && (j < i || !Implies(specs[i], specs[j], data));
    }
    if (!implied) kept.push_back(i);
  }
  return kept;
}

Result<TopDown::Plan> MakePlan(const TopDownInput& input) {
  const Microdata& data = input.view.data();
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  CORDON_CHECK_EQ(quasi.size(), input.maskings.size());
  const std::vector<std::size_t> kept = WithoutImplied(input.specs, data);
  Columns masked(input.also_masked.begin(), input.also_masked.end());
  for (const std::size_t i : kept) masked.merge(OnOf(input.specs[i], data));
  TopDown::Plan plan;
  plan.labels = input.labels;
  std::vector<std::string> names;
  for (std::size_t q = 0; q < quasi.size(); ++q) {
    const std::string& name = data.columns[quasi[q]].attribute.name;
    if (!masked.contains(name)) continue;
    plan.masked.push_back({quasi[q], input.maskings[q], data.columns[quasi[q]].codes.empty()});
    names.push_back(name);
  }
  const Codes* const persons = data.num_persons < data.num_rows ? input.counted.persons() : nullptr;
  for (const std::size_t i : kept) {
    const ModelSpec& spec = input.specs[i];
    const Columns columns = OnOf(spec, data);
    std::vector<std::size_t> on;
    for (std::size_t place = 0; place < names.size(); ++place) {
      if (columns.contains(names[place])) on.push_back(place);
    }
    if (const auto* k = std::get_if<KAnonymitySpec>(&spec)) {
      plan.requirements.push_back(std::make_unique<const MinCount>(Describe(spec), std::move(on), k->k, persons));
    } else if (const auto* confidence = std::get_if<ConfidenceSpec>(&spec)) {
      CORDON_TRY(auto made, MakeShare(*confidence, std::move(on), data, plan.masked.size(), plan.counted));
      plan.requirements.push_back(std::move(made));
    } else {
      plan.requirements.push_back(
          std::make_unique<const Admitted>(Describe(spec), std::move(on), *input.model.models()[i], input.counted));
    }
  }
  return plan;
}

TopDownFacts FactsOf(const TopDown& search) {
  TopDownFacts facts;
  facts.refinements = search.num_refinements();
  facts.stopped_early = search.Best().has_value();
  for (std::size_t i = 0; i < search.num_attributes(); ++i) {
    facts.shown.emplace_back(search.attribute(i).attribute().name, search.num_shown(i));
  }
  return facts;
}

Result<Groups> RefineToGroups(const TopDownInput& input, const TopDownOptions& options, TopDownFacts* facts, const Run& run) {
  CORDON_TRY(TopDown::Plan plan, MakePlan(input));
  CORDON_TRY(const std::unique_ptr<TopDown> search, TopDown::Make(input.view, std::move(plan), options, run));
  CORDON_RETURN_IF_ERROR(search->ToTheEnd(run));
  if (facts != nullptr) *facts = FactsOf(*search);
  return search->ToGroups(run);
}

}  // namespace cordon::engine
