// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/all_of.h"

#include <algorithm>

#include "cordon/base/toml_text.h"
#include "cordon/models/admit/beta_likeness.h"
#include "cordon/models/admit/by_person.h"
#include "cordon/models/admit/confidence.h"
#include "cordon/models/admit/k_anonymity.h"
#include "cordon/models/admit/ke_anonymity.h"
#include "cordon/models/admit/l_diversity.h"
#include "cordon/models/admit/t_closeness.h"

namespace cordon::engine {
namespace {

using Made = Result<std::unique_ptr<const GroupModel>>;

template <typename Model, typename... Args>
std::unique_ptr<const GroupModel> New(Args&&... args) {
  return std::make_unique<const Model>(std::forward<Args>(args)...);
}

// A guarded value stands in the policy, so it may be named. One that cannot occur is refused: it is far more likely
// misspelt than meant, and would guard nothing.
Result<Code> FindValue(const Attribute& attribute, const std::string& value) {
  if (attribute.domain->missing() && attribute.domain->numeric().missing == value) return *attribute.domain->missing();
  if (const auto code = attribute.domain->Encode(value)) return *code;
  return Error::InvalidPolicy("'{}' is not a value of column '{}'", value, attribute.name)
      .WithHint("check the spelling; a value that is not in the data can be declared by a hierarchy or values = [...]");
}

Made Make(const KAnonymitySpec& spec, const Reference&) { return New<KAnonymity>(spec); }
Made Make(const KsAnonymitySpec& spec, const Reference&) { return New<KAnonymity>(spec); }

Made Make(const LDiversitySpec& spec, const Reference& reference) {
  CORDON_TRY(const std::size_t at, FindSensitive(reference, spec.sensitive));
  if (spec.counts == CountBy::kPersons) return New<LDiversityByPerson>(spec, at, reference.sensitive[at].domain->missing());
  return New<LDiversity>(spec, at, reference.sensitive[at].domain->missing());
}

Made Make(const TClosenessSpec& spec, const Reference& reference) {
  CORDON_TRY(const std::size_t at, FindSensitive(reference, spec.sensitive));
  CORDON_TRY(EarthMover distance,
             EarthMover::Make(*reference.sensitive[at].domain, spec.distance).WithContext("column '{}'", spec.sensitive));
  if (spec.counts == CountBy::kPersons) {
    return New<TClosenessByPerson>(spec, at, reference.histograms[at], reference.sensitive[at].domain->hierarchy());
  }
  return New<TCloseness>(spec, EmdToReference(std::move(distance), reference.histograms[at], reference.rows), at);
}

Made Make(const BetaLikenessSpec& spec, const Reference& reference) {
  CORDON_TRY(const std::size_t at, FindSensitive(reference, spec.sensitive));
  if (spec.counts == CountBy::kPersons) return New<BetaLikenessByPerson>(spec, at, reference.histograms[at]);
  CORDON_TRY(SetLimits sets, SetLimits::Make(spec, *reference.sensitive[at].domain, reference.histograms[at], reference.rows)
                                 .WithContext("column '{}'", spec.sensitive));
  return New<BetaLikeness>(spec, at, ShareLimits::Beta(spec, reference.histograms[at], reference.rows), std::move(sets));
}

Made Make(const DeltaDisclosureSpec& spec, const Reference& reference) {
  CORDON_TRY(const std::size_t at, FindSensitive(reference, spec.sensitive));
  return New<DeltaDisclosure>(spec, at, reference.histograms[at], reference.rows);
}

Made Make(const AlphaKSpec& spec, const Reference& reference) {
  CORDON_TRY(const std::size_t at, FindSensitive(reference, spec.sensitive));
  CORDON_TRY(const Code value, FindValue(reference.sensitive[at], spec.value));
  return New<AlphaK>(spec, at, value);
}

Made Make(const ConfidenceSpec& spec, const Reference& reference) {
  std::vector<Confidence::Guarded> guarded;
  for (const auto& [column, values] : spec.values) {
    CORDON_TRY(const std::size_t at, FindSensitive(reference, column));
    Confidence::Guarded each{at, {}};
    for (const std::string& value : values) {
      CORDON_TRY(const Code code, FindValue(reference.sensitive[at], value));
      each.values.push_back(code);
    }
    for (Code code = 0; values.empty() && code < reference.sensitive[at].domain->size(); ++code) each.values.push_back(code);
    guarded.push_back(std::move(each));
  }
  return New<Confidence>(spec, std::move(guarded));
}

Made Make(const KeAnonymitySpec& spec, const Reference& reference) {
  CORDON_TRY(const std::size_t at, FindSensitive(reference, spec.sensitive));
  if (reference.sensitive[at].domain->is_categorical()) {
    return Error::InvalidPolicy("'{}' has categories, a range needs numbers", spec.sensitive)
        .WithHint("set type = \"numeric\" in [attributes.{}]", TomlKey(spec.sensitive));
  }
  return New<KeAnonymity>(spec, at, reference.sensitive[at].domain);
}

// Searches compare groups with one window at a time, by WithinWindow; a table has none.
Error NeedsStream(const ModelSpec& spec) {
  return Error::InvalidPolicy("{} is for streams: a table has no windows", ModelName(spec))
      .WithHint("use t-closeness or beta-likeness, or cordon stream");
}
Made Make(const WindowClosenessSpec& spec, const Reference&) { return NeedsStream(spec); }
Made Make(const WindowLikenessSpec& spec, const Reference&) { return NeedsStream(spec); }

}  // namespace

Result<void> CheckOfTable(const ModelSpec& spec) {
  if (WindowOf(spec)) return NeedsStream(spec);
  return {};
}

Result<std::unique_ptr<const GroupModel>> MakeGroupModel(const ModelSpec& spec, const Reference& reference) {
  CORDON_RETURN_IF_ERROR(Validate(spec));
  return std::visit([&](const auto& each) { return Make(each, reference); }, spec).WithContext("{}", ModelName(spec));
}

Result<AllOf> AllOf::Make(std::span<const ModelSpec> specs, const Reference& reference) {
  AllOf all;
  for (const ModelSpec& spec : specs) {
    CORDON_TRY(auto model, MakeGroupModel(spec, reference));
    all.models_.push_back(std::move(model));
  }
  return all;
}

std::string AllOf::Describe() const {
  std::string text;
  for (const auto& model : models_) text += (text.empty() ? "" : " and ") + model->Describe();
  return text;
}

bool AllOf::Admits(const GroupCounts& group) const {
  if (group.rows() == 0) return false;
  return std::all_of(models_.begin(), models_.end(), [&](const auto& model) { return model->Admits(group); });
}

std::int64_t AllOf::MinRows() const {
  std::int64_t most = 1;
  for (const auto& model : models_) most = std::max(most, model->MinRows());
  return most;
}

std::int64_t AllOf::Room(const GroupCounts& group) const {
  std::int64_t room = group.rows();
  for (const auto& model : models_) room = room > 0 ? std::min(room, model->Room(group)) : 0;
  return room;
}

bool AllOf::monotone() const {
  return std::all_of(models_.begin(), models_.end(), [](const auto& model) { return model->monotone(); });
}

bool AllOf::uses_histograms() const {
  return std::any_of(models_.begin(), models_.end(), [](const auto& model) { return model->uses_histograms(); });
}

std::optional<std::vector<DistinctNeed>> AllOf::only_distinct() const {
  std::vector<DistinctNeed> all;
  for (const auto& model : models_) {
    const auto own = model->only_distinct();
    if (!own) return std::nullopt;
    all.insert(all.end(), own->begin(), own->end());
  }
  return all;
}

bool AllOf::uses_holdings() const {
  return std::any_of(models_.begin(), models_.end(), [](const auto& model) { return model->uses_holdings(); });
}

bool AllOf::merge_closed() const {
  return std::all_of(models_.begin(), models_.end(), [](const auto& model) { return model->merge_closed(); });
}

bool AllOf::uses_persons() const {
  return std::any_of(models_.begin(), models_.end(), [](const auto& model) { return model->uses_persons(); });
}

}  // namespace cordon::engine
