// SPDX-License-Identifier: Apache-2.0
#include "cordon/joint/check_party.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "cordon/bind/bind.h"
#include "cordon/plan/run_top_down.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {
namespace {

template <typename... Args>
Error AtAttribute(const Policy& policy, const AttributePolicy& attribute, fmt::format_string<Args...> text, Args&&... args) {
  return Error::InvalidPolicy("{}:{}: column '{}' {}", policy.name, attribute.line, attribute.name,
                              fmt::format(text, std::forward<Args>(args)...));
}

Result<void> CheckRole(const Policy& policy, const AttributePolicy& attribute) {
  switch (attribute.role) {
    case Role::kSensitive:
      return AtAttribute(policy, attribute, "is sensitive, and the other party would learn it person by person")
          .WithHint("two parties publish quasi columns and a class; leave the column out of both files");
    case Role::kInsensitive:
      return AtAttribute(policy, attribute, "is insensitive, and two parties publish only what a template covers")
          .WithHint("make it quasi and put it into a template, or leave it out as identifier");
    case Role::kIdentifier:
      if (!attribute.pseudonym_key_file) return {};
      return AtAttribute(policy, attribute, "has a pseudonym, which would tie the rows of a joint table to people")
          .WithHint("leave pseudonym out");
    default: return {};
  }
}

// Both parties must know the whole domain of a column, of which one has the values.
Result<void> CheckQuasi(const Policy& policy, const AttributePolicy& attribute) {
  if (attribute.mask == Mask::kSuppress) {
    return AtAttribute(policy, attribute, "has mask = \"suppress\", which would list its values to the other party")
        .WithHint("leave mask out and give the column a hierarchy");
  }
  if (attribute.type != Domain::Kind::kCategorical) {
    if (attribute.values || (attribute.range && attribute.grid)) return {};
    return AtAttribute(policy, attribute, "needs range and grid, or values: a split at a value of the data would tell it")
        .WithHint("such as range = [0, 100] and grid = 5");
  }
  if (attribute.hierarchy.kind == HierarchySource::Kind::kNone) {
    return AtAttribute(policy, attribute, "is a category without a hierarchy, so its values would be listed one by one")
        .WithHint("give it a hierarchy file; cordon hierarchy build makes a draft");
  }
  if (attribute.hierarchy.kind == HierarchySource::Kind::kPrefix && !attribute.values) {
    return AtAttribute(policy, attribute, "has a prefix hierarchy made of the values present")
        .WithHint("declare all of them: values = [...], or a hierarchy file");
  }
  return {};
}

Result<const AttributePolicy*> TheOnly(const Policy& policy, Role role, const char* why) {
  const AttributePolicy* found = nullptr;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.role != role) continue;
    if (found != nullptr) return AtAttribute(policy, attribute, "is a second {} column", RoleName(role));
    found = &attribute;
  }
  if (found != nullptr) return found;
  return Error::InvalidPolicy("{}: no column has role \"{}\": {}", policy.name, RoleName(role), why);
}

Result<void> CheckModels(const Policy& policy) {
  if (!policy.join_models.empty() || policy.stream) {
    return Error::InvalidPolicy("{}: two parties make one table; leave out {}", policy.name,
                                policy.stream ? "[stream]" : "the models on joins");
  }
  for (std::size_t i = 0; i < policy.models.size(); ++i) {
    if (std::holds_alternative<KAnonymitySpec>(policy.models[i])) continue;
    return Error::InvalidPolicy("{}:{}: two parties can keep k-anonymity only, not {}", policy.name, policy.model_lines[i],
                                ModelName(policy.models[i]));
  }
  return {};
}

Result<void> CheckAlgorithm(const Policy& policy) {
  if (policy.algorithm.name != "tdr") {
    return Error::InvalidPolicy("{}: two parties refine a table by tdr, and the policy says \"{}\"", policy.name,
                                policy.algorithm.name)
        .WithHint("set name = \"tdr\" in [algorithm]");
  }
  if (policy.algorithm.Option<std::string>("tdr", "utility") == "distortion") {
    return Error::InvalidPolicy("{}: two parties refine a table for its class; leave out utility = \"distortion\"",
                                policy.name);
  }
  if (policy.algorithm.Option<std::int64_t>("tdr", "max_refinements")) {
    return Error::InvalidPolicy("{}: two parties refine a table to its end; leave out max_refinements", policy.name);
  }
  return CheckTopDown(policy, "tdr");
}

bool InSomeTemplate(const Policy& policy, const std::string& column) {
  return std::any_of(policy.models.begin(), policy.models.end(), [&](const ModelSpec& spec) {
    const std::vector<std::string> on = GroupingColumns(spec);
    return on.empty() || std::find(on.begin(), on.end(), column) != on.end();
  });
}

// The meaning of the policy, and the order of columns and models, by which ties are broken.
Sha256Digest JointDigest(const Policy& policy) {
  std::string text = "cordon joint policy 1\n" + policy.digest + "\n";
  const auto add = [&](const std::string& item) { text += fmt::format("{}:{}\n", item.size(), item); };
  for (const AttributePolicy& attribute : policy.attributes) add(attribute.name);
  for (const ModelSpec& spec : policy.models) add(Describe(spec));
  return Sha256Of(text);
}

}  // namespace

Result<CheckedParty> CheckParty(const Policy& policy, const std::string& party) {
  if (!policy.joint) {
    return Error::InvalidPolicy("{}: the policy has no [parties.NAME]", policy.name)
        .WithHint("a joint policy names both parties, and the owner of every column");
  }
  const PartyPolicy* const own = policy.joint->Find(party);
  if (own == nullptr) {
    return Error::InvalidPolicy("{}: there is no party '{}'", policy.name, party)
        .WithHint("known: {}, {}", policy.joint->parties[0].name, policy.joint->parties[1].name);
  }
  CORDON_TRY(const AttributePolicy* person,
             TheOnly(policy, Role::kPerson, "it is the id by which both parties know the same people"));
  CORDON_TRY(const AttributePolicy* label,
             TheOnly(policy, Role::kClass, "two parties refine a table for a class that both know"));
  if (policy.data.on_missing == OnMissing::kLeaf) {
    return Error::InvalidPolicy("{}: on_missing = \"leaf\" would tell the other party whose cells are missing", policy.name)
        .WithHint("set on_missing = \"drop\" in [data]: a person with a missing cell takes no part");
  }
  if (!policy.data.text.header) {
    return Error::InvalidPolicy("{}: the files of two parties have different columns, so each needs a header", policy.name);
  }
  CORDON_RETURN_IF_ERROR(CheckModels(policy));
  CORDON_RETURN_IF_ERROR(CheckAlgorithm(policy));
  const PartyPolicy& peer = policy.joint->parties[own == &policy.joint->parties[0] ? 1 : 0];
  CheckedParty checked{.name = own->name,
                       .peer = peer.name,
                       .role = own == &policy.joint->parties[0] ? PartyRole::kA : PartyRole::kB,
                       .max_ids = own->max_ids,
                       .max_peer_ids = peer.max_ids,
                       .key = own->key,
                       .peer_key = peer.key,
                       .person = person->name,
                       .label = label->name,
                       .digest = JointDigest(policy),
                       .tells_scores = policy.joint->compare == JointPolicy::Compare::kPlain};
  for (const AttributePolicy& attribute : policy.attributes) {
    CORDON_RETURN_IF_ERROR(CheckRole(policy, attribute));
    if (attribute.role != Role::kQuasi) continue;
    CORDON_RETURN_IF_ERROR(CheckQuasi(policy, attribute));
    if (!InSomeTemplate(policy, attribute.name)) {
      return AtAttribute(policy, attribute, "is in no template, so it would be published as it is")
          .WithHint("put it into a k-anonymity template, or leave it out as identifier");
    }
    (*attribute.owner == party ? checked.own : checked.foreign).push_back(attribute.name);
  }
  for (const ModelSpec& spec : policy.models) checked.templates.push_back(Describe(spec));
  CORDON_RETURN_IF_ERROR(BindAttributes(policy).WithContext("{}", policy.name));  // both must come to the same domains
  return checked;
}

std::string Describe(const CheckedParty& checked) {
  const auto listed = [](const std::vector<std::string>& names) {
    return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "));
  };
  std::string text = fmt::format("{} with {}: {} is {}\n", checked.name, checked.peer, checked.name,
                                 checked.role == PartyRole::kA ? "A, the first of the policy" : "B, the second of the policy");
  text += fmt::format("  columns of {}: {}\n  columns of {}: {}\n", checked.name, listed(checked.own), checked.peer,
                      listed(checked.foreign));
  text += fmt::format("  both have: {} (who is who), {} (the class)\n", checked.person, checked.label);
  text += fmt::format("  must hold: {}\n", fmt::join(checked.templates, "; "));
  text +=
      fmt::format("  people: at most {} of {}, {} of {}\n", checked.max_ids, checked.name, checked.max_peer_ids, checked.peer);
  text += fmt::format("  scores: {}\n",
                      checked.tells_scores ? "told to the other party; exact counts follow from them" : "compared in private");
  return text + fmt::format("  joint policy: {}\n", ToHex(checked.digest));
}

}  // namespace cordon::engine
