// SPDX-License-Identifier: Apache-2.0
//
// The digest of a policy. It stands in what was published, so it never changes (tests/policy/policy_digest_test.cpp).
#include <algorithm>

#include "cordon/base/digest.h"
#include "cordon/policy/catalog.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {
namespace {

// A text that says what a policy means and nothing about how it was written down: every default spelled out,
// fixed order, every text preceded by its length so that no two policies read the same.
class Canonical {
 public:
  Canonical& operator()(std::string_view key, std::string_view value) {
    text_ += fmt::format("{}={}:{}\n", key, value.size(), value);
    return *this;
  }
  Canonical& operator()(std::string_view key, std::int64_t value) { return (*this)(key, std::to_string(value)); }
  Canonical& operator()(std::string_view key, const Rational& value) { return (*this)(key, value.ToString()); }
  Canonical& operator()(std::string_view key, const Decimal& value) {
    return (*this)(key, FormatDecimal(value.mantissa, value.scale));
  }
  Canonical& operator()(std::string_view key, const std::vector<std::string>& values) {
    (*this)(key, static_cast<std::int64_t>(values.size()));
    for (const std::string& value : values) (*this)("item", value);
    return *this;
  }
  template <typename T>
  Canonical& operator()(std::string_view key, const std::optional<T>& value) {
    return value ? (*this)(key, *value) : *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <typename Enum>
std::int64_t Number(Enum value) {
  return static_cast<std::int64_t>(value);
}

std::vector<std::string> Sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::string CanonicalOf(const DataPolicy& data) {
  Canonical form;
  form("delimiter", data.text.delimiter)("quote", std::string_view(&data.text.quote, 1))("header", Number(data.text.header));
  form("columns", data.text.columns)("skip", static_cast<std::int64_t>(data.text.skip))("trim", Number(data.text.trim));
  if (data.text.encoding != Encoding::kUtf8) form("encoding", Number(data.text.encoding));
  // The first marker is published; the others are only looked for.
  std::vector<std::string> markers = data.missing;
  if (markers.size() > 2) std::sort(markers.begin() + 1, markers.end());
  return form("missing", markers)("on_missing", Number(data.on_missing)).text();
}

std::string CanonicalOf(const HierarchySource& source) {
  Canonical form;
  form("kind", Number(source.kind));
  if (source.kind == HierarchySource::Kind::kFile) {
    source.hierarchy != nullptr ? form("digest", source.hierarchy->Digest()) : form("path", source.path);
  }
  form("prefix", std::int64_t{source.prefix});
  for (const Decimal& width : source.widths) form("width", width);
  for (const DateUnit unit : source.units) form("unit", Number(unit));
  return form.text();
}

std::string CanonicalOf(const AttributePolicy& attribute) {
  Canonical form;
  form("name", attribute.name)("role", Number(attribute.role))("type", Number(attribute.type));
  if (attribute.range) form("from", attribute.range->first)("to", attribute.range->second);
  form("grid", attribute.grid)("top", attribute.top)("bottom", attribute.bottom)("round", attribute.round);
  form("weight", fmt::format("{}", attribute.weight))("hierarchy", CanonicalOf(attribute.hierarchy));
  for (const Notation& notation : attribute.notations) form("format", notation.text());
  form("mask", Number(attribute.mask))("values", attribute.values)("other", attribute.other)("owner", attribute.owner);
  return form("pseudonym", Number(attribute.pseudonym_key_file.has_value())).text();  // the key stays out of it
}

// Visits the fields of a model (model_spec.h).
class CanonicalModel {
 public:
  void Sensitive(const char* key, const std::string& column) { form_(key, column); }
  void Grouping(const char* key, const std::vector<std::string>& columns) { form_(key, Sorted(columns)); }
  void Whole(const char* key, const auto& number, int) { form_(key, number); }
  void Exact(const char* key, const auto& number) { form_(key, number); }
  void Choice(const char* key, auto choice, const auto&) { form_(key, Number(choice)); }
  // Rows are not written: policies that say nothing keep their digest.
  void Counts(const char* key, CountBy counts) {
    if (counts == CountBy::kPersons) form_(key, "persons");
  }
  void Value(const char* key, const std::string& value) { form_(key, value); }
  void Values(const char* key, const std::map<std::string, std::vector<std::string>>& columns) {
    for (const auto& [column, values] : columns) last_("column", column)(key, Sorted(values));
  }
  std::string text() const { return form_.text() + last_.text(); }

 private:
  Canonical form_;
  Canonical last_;  // values have always stood after the other fields
};

std::string CanonicalOf(const ModelSpec& spec) {
  CanonicalModel model;
  std::visit([&](const auto& each) { each.VisitFields(each, model); }, spec);
  return Canonical()("model", ModelName(spec)).text() + model.text();
}

std::string CanonicalOf(const OptionValue& option) {
  Canonical form;
  std::visit(
      [&](const auto& value) {
        using Type = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Type, bool>)
          form("flag", Number(value));
        else
          form("value", value);
      },
      option.value);
  return form.text();
}

std::string CanonicalOf(const std::vector<WorkloadQuery>& queries) {
  Canonical form;
  for (const WorkloadQuery& query : queries) {
    form("query", std::int64_t{1});
    for (const WorkloadTest& test : query.tests) {
      form("column", test.column)("values", test.values);
      for (const auto& end : {test.low, test.high}) {
        if (end) form("end", end->value)("included", Number(end->included));
      }
    }
  }
  return form.text();
}

std::string CanonicalOf(const AlgorithmPolicy& algorithm) {
  const AlgorithmFacts* facts = FindAlgorithm(algorithm.name);
  Canonical form;
  form("name", facts == nullptr ? algorithm.name : facts->lasting_name())("limit", algorithm.suppression_limit)(
      "suppressed", Number(algorithm.suppressed));
  if (algorithm.objective != Objective::kInformationLoss) form("objective", Number(algorithm.objective));
  if (!algorithm.workload.empty()) {
    algorithm.queries != nullptr ? form("queries", CanonicalOf(*algorithm.queries)) : form("workload", algorithm.workload);
  }
  for (const auto& [name, options] : algorithm.options) {
    for (const auto& [key, option] : options) form("of", name)("key", key)("option", CanonicalOf(option));
  }
  return form.text();
}

std::string CanonicalOf(const StreamPolicy& stream) {
  Canonical form;
  form("tuples", stream.delay_tuples)("ms", stream.delay_ms)("event_time", stream.event_time);
  form("lateness", stream.lateness_ms)("max_jump", stream.max_jump_ms)("order", Number(stream.order));
  if (stream.drop_unknown) form("unknown", "drop");
  return form("dead", stream.max_dead_letters).text();
}

std::string CanonicalOf(const JointPolicy& joint) {
  Canonical form;
  form("compare", Number(joint.compare));
  for (const PartyPolicy& party : joint.parties) form("party", party.name)("key", party.key)("max_ids", party.max_ids);
  return form.text();
}

std::string CanonicalOfJoins(const Policy& policy) {
  std::vector<std::string> models;
  for (const JoinSpec& spec : policy.join_models) models.push_back(Describe(spec));  // says all there is
  Canonical form;
  form("models", Sorted(models))("generalize", Number(policy.generalize_joining));
  for (const ImpossiblePairs& each : policy.impossible) {
    form("current", each.current)("previous", each.previous);
    for (const auto& [current, previous] : each.pairs) form("pair", current)("with", previous);
  }
  return form.text();
}

}  // namespace

std::string PolicyDigest(const Policy& policy) {
  std::vector<std::string> attributes;
  for (const AttributePolicy& attribute : policy.attributes) attributes.push_back(CanonicalOf(attribute));
  std::vector<std::string> models;
  for (const ModelSpec& spec : policy.models) models.push_back(CanonicalOf(spec));
  Canonical form;
  form("cordon policy", 1)("data", CanonicalOf(policy.data))("attributes", Sorted(attributes))("models", Sorted(models));
  form("algorithm", CanonicalOf(policy.algorithm));
  if (policy.stream) form("stream", CanonicalOf(*policy.stream));
  if (!policy.join_models.empty()) form("joins", CanonicalOfJoins(policy));
  if (policy.joint) form("joint", CanonicalOf(*policy.joint));
  if (!policy.population.empty()) form("population", policy.population);
  return ToHex(Sha256Of(form.text()));
}

}  // namespace cordon::engine
