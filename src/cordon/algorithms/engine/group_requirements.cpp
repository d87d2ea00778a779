// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/engine/group_requirements.h"

#include <algorithm>

#include "cordon/base/nearest.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kMost = 1'000'000'000;  // people: far more than can wait

Result<std::size_t> FindSensitive(const StreamSchema& schema, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < schema.sensitive.size(); ++i) {
    if (schema.sensitive[i].name == name) return i;
    names.push_back(schema.sensitive[i].name);
  }
  Error error = Error::InvalidPolicy("'{}' is not a sensitive column of the stream", name);
  if (const auto nearest = Nearest(name, names)) return std::move(error).WithHint("did you mean '{}'?", *nearest);
  return error;
}

void Add(GroupRequirements& needs, std::size_t sensitive, std::int64_t l) {
  for (GroupRequirements::Diversity& known : needs.diversity) {
    if (known.sensitive != sensitive) continue;
    known.l = std::max(known.l, l);
    return;
  }
  needs.diversity.push_back({sensitive, l});
}

}  // namespace

Result<GroupRequirements> GroupRequirements::From(std::span<const ModelSpec> specs, const StreamSchema& schema,
                                                  std::string_view algorithm) {
  GroupRequirements needs;
  for (const ModelSpec& spec : specs) {
    CORDON_RETURN_IF_ERROR(Validate(spec));
    if (const auto* ks = std::get_if<KsAnonymitySpec>(&spec)) {
      needs.k = std::max(needs.k, ks->k);
    } else if (const auto* k = std::get_if<KAnonymitySpec>(&spec)) {
      needs.k = std::max(needs.k, k->k);  // on some of the columns it asks for no more than on all
    } else if (const auto* l = std::get_if<LDiversitySpec>(&spec); l != nullptr && l->kind == LDiversitySpec::Kind::kDistinct) {
      CORDON_TRY(const std::size_t sensitive, FindSensitive(schema, l->sensitive));
      Add(needs, sensitive, l->l.numerator());
      needs.k = std::max(needs.k, l->l.numerator());
    } else {
      return Error::InvalidPolicy("{} cannot promise {}", algorithm, Describe(spec))
          .WithHint("it takes ks-anonymity and l-diversity of kind distinct");
    }
  }
  if (specs.empty()) return Error::InvalidPolicy("{} needs a privacy model", algorithm).WithHint("add ks-anonymity with a k");
  if (needs.k > kMost) return Error::InvalidPolicy("k = {} is more than {} can hold", needs.k, algorithm);
  return needs;
}

}  // namespace cordon::engine
