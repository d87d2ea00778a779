// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cordon/base/nearest.h"
#include "cordon/data/codes.h"
#include "cordon/models/verify/stream_judge_internal.h"

namespace cordon::engine {
namespace {

// How many different items there are.
template <typename Item>
std::int64_t Distinct(std::vector<Item> items) {
  std::sort(items.begin(), items.end());
  std::int64_t distinct = 0;
  for (std::size_t i = 0; i < items.size(); ++i) distinct += i == 0 || items[i] != items[i - 1] ? 1 : 0;
  return distinct;
}

class PeopleJudge final : public StreamJudge {
 public:
  PeopleJudge(const ModelSpec& spec, std::int64_t k) : StreamJudge(spec), k_(k) {}
  bool Holds(std::span<const WindowContents::Row> members) const override {
    if (static_cast<std::int64_t>(members.size()) < k_) return false;
    std::vector<PersonId> people;
    people.reserve(members.size());
    for (const WindowContents::Row& member : members) people.push_back(member.person);
    return Distinct(std::move(people)) >= k_;
  }

 private:
  std::int64_t k_;
};

// A missing value does not count.
class DistinctValuesJudge final : public StreamJudge {
 public:
  DistinctValuesJudge(const LDiversitySpec& spec, std::size_t sensitive)
      : StreamJudge(spec), l_(spec.l.numerator()), sensitive_(sensitive) {}
  bool Holds(std::span<const WindowContents::Row> members) const override {
    std::vector<std::int64_t> values;
    for (const WindowContents::Row& member : members) {
      if (member.sensitive[sensitive_] != kNull) values.push_back(member.sensitive[sensitive_]);
    }
    return Distinct(std::move(values)) >= l_;
  }

 private:
  std::int64_t l_;
  std::size_t sensitive_;
};

using Made = Result<std::unique_ptr<const StreamJudge>>;

Made MakeDiversity(const LDiversitySpec& spec, const StreamSchema& schema) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < schema.sensitive.size(); ++i) {
    if (schema.sensitive[i].name == spec.sensitive) return Made(std::make_unique<const DistinctValuesJudge>(spec, i));
    names.push_back(schema.sensitive[i].name);
  }
  Error error = Error::InvalidPolicy("'{}' is not a sensitive column of the stream", spec.sensitive);
  if (const auto nearest = Nearest(spec.sensitive, names)) return std::move(error).WithHint("did you mean '{}'?", *nearest);
  return error;
}

}  // namespace

Made MakeStreamJudge(const ModelSpec& spec, const StreamSchema& schema) {
  CORDON_RETURN_IF_ERROR(Validate(spec));
  if (const auto* ks = std::get_if<KsAnonymitySpec>(&spec)) return Made(std::make_unique<const PeopleJudge>(spec, ks->k));
  // On some columns it asks for less than on all of them: groups there are unions of groups here.
  if (const auto* k = std::get_if<KAnonymitySpec>(&spec)) return Made(std::make_unique<const PeopleJudge>(spec, k->k));
  const auto* l = std::get_if<LDiversitySpec>(&spec);
  if (l != nullptr && l->kind == LDiversitySpec::Kind::kDistinct) return MakeDiversity(*l, schema);
  return Error::InvalidPolicy("{} cannot be promised of a stream", Describe(spec))
      .WithHint("streams take ks-anonymity, l-diversity of kind distinct, and window models");
}

}  // namespace cordon::engine
