// SPDX-License-Identifier: Apache-2.0
//
// The tables [joint] and [parties.NAME]: who the two organizations are whose columns the attributes name as owners.
#include <algorithm>

#include "cordon/base/digest.h"
#include "cordon/base/toml_text.h"
#include "cordon/policy/policy_reader.h"
#include "cordon/policy/policy_table_internal.h"

namespace cordon::engine::internal {
namespace {

constexpr std::int64_t kMaxIds = std::int64_t{1} << 26;

Result<PartyPolicy> ReadParty(const std::string& name, const toml::table& toml, const std::string& file) {
  CORDON_TRY(const PolicyTable table, PolicyTable::Open(toml, file, fmt::format("[parties.{}]", name), {"key", "max_ids"}));
  PartyPolicy party;
  party.name = name;
  party.line = table.line();
  CORDON_TRY(const auto key, table.Text("key"));
  if (!key) return table.Missing("key", "a party").WithHint("the line that cordon party keygen prints");
  std::array<std::uint8_t, 32> bytes;
  if (!FromHex(*key, bytes)) {
    return table.AtKey("key", "'key' in {} must be 64 hexadecimal digits", table.where())
        .WithHint("the line that cordon party keygen prints");
  }
  party.key = ToHex(bytes);
  CORDON_TRY(const auto most, table.Whole("max_ids"));
  if (!most) return table.Missing("max_ids", "a party").WithHint("the number of people that it may enter");
  if (*most < 1 || *most > kMaxIds) {
    return table.AtKey("max_ids", "'max_ids' in {} must be from 1 to {}", table.where(), kMaxIds);
  }
  party.max_ids = *most;
  return party;
}

Result<JointPolicy::Compare> ReadCompare(const toml::table& toml, const std::string& file) {
  CORDON_TRY(const PolicyTable table, PolicyTable::Open(toml, file, "[joint]", {"compare", "score_disclosure"}));
  CORDON_TRY(const auto compare, table.Choice("compare", {"gc", "plain"}));
  CORDON_TRY(const auto accepted, table.Choice("score_disclosure", {"accepted"}));
  const bool plain = compare == std::size_t{1};
  if (plain && !accepted) {
    return table.AtKey("compare", "compare = \"plain\" tells each party the other's scores, and exact counts follow from them")
        .WithHint("leave it out, or set score_disclosure = \"accepted\"");
  }
  if (!plain && accepted) {
    return table.AtKey("score_disclosure", "scores are not disclosed unless compare = \"plain\"").WithHint("leave it out");
  }
  return plain ? JointPolicy::Compare::kPlain : JointPolicy::Compare::kPrivate;
}

Result<void> CheckOwners(const JointPolicy& joint, const std::vector<AttributePolicy>& attributes, const std::string& file) {
  for (const AttributePolicy& attribute : attributes) {
    if (attribute.role == Role::kClass || attribute.role == Role::kPerson) continue;
    if (!attribute.owner) {
      return Error::InvalidPolicy("{}:{}: [attributes.{}] needs 'owner': which party has the column?", file, attribute.line,
                                  TomlKey(attribute.name));
    }
    if (joint.Find(*attribute.owner) != nullptr) continue;
    std::vector<std::string> names;
    for (const PartyPolicy& party : joint.parties) names.push_back(party.name);
    return Error::InvalidPolicy("{}:{}: [attributes.{}]: there is no party '{}'", file, attribute.line, TomlKey(attribute.name),
                                *attribute.owner)
        .WithHint("{}", NearestHint(*attribute.owner, names));
  }
  return {};
}

}  // namespace

Result<std::optional<JointPolicy>> ReadJoint(const PolicyTable& top, const std::vector<AttributePolicy>& attributes) {
  const toml::node* const parties = top.Node("parties");
  const toml::node* const settings = top.Node("joint");
  for (const auto& [key, node] : {std::pair("parties", parties), std::pair("joint", settings)}) {
    if (node != nullptr && !node->is_table()) return top.WrongType(key, *node, "a table");
  }
  if (parties == nullptr) {
    const auto owned = std::find_if(attributes.begin(), attributes.end(), [](const auto& each) { return each.owner; });
    if (owned == attributes.end() && settings == nullptr) return std::optional<JointPolicy>();
    return Error::InvalidPolicy("{}:{}: the policy has {}, and no [parties.NAME]", top.file(),
                                owned != attributes.end() ? owned->line : static_cast<int>(settings->source().begin.line),
                                owned != attributes.end() ? "an owner" : "[joint]")
        .WithHint("add [parties.NAME] with key and max_ids for both parties");
  }
  JointPolicy joint;
  if (settings != nullptr) {
    CORDON_TRY(joint.compare, ReadCompare(*settings->as_table(), top.file()));
  }
  for (const auto& [name, node] : InFileOrder(*parties->as_table())) {
    if (!node->is_table()) return top.At(node->source(), "[parties] holds '{}', which is not a table", name);
    CORDON_TRY(PartyPolicy party, ReadParty(name, *node->as_table(), top.file()));
    joint.parties.push_back(std::move(party));
  }
  if (joint.parties.size() != 2) {
    Error wrong = top.AtKey("parties", "a joint table is made by two parties, and the policy names {}", joint.parties.size());
    if (joint.parties.size() < 2) return std::move(wrong).WithHint("add [parties.NAME] with key and max_ids for both");
    return std::move(wrong).WithHint(
        "among three, comparing scores would tell who comes second, or the scores themselves (docs/party.md)");
  }
  if (joint.parties[0].key == joint.parties[1].key) {
    return top.AtKey("parties", "both parties have the same key").WithHint("each makes its own: cordon party keygen");
  }
  CORDON_RETURN_IF_ERROR(CheckOwners(joint, attributes, top.file()));
  return std::optional(std::move(joint));
}

}  // namespace cordon::engine::internal
