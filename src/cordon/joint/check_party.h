// SPDX-License-Identifier: Apache-2.0
//
// What a joint policy asks of its two parties, and all that is refused before anything is sent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/digest.h"
#include "cordon/base/result.h"
#include "cordon/crypto/run_id.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// What stands in the manual, in a dry run and in the manifest.
inline constexpr std::string_view kSemiHonest =
    "semi-honest security: both parties are trusted to follow the protocol on true tables. A party that lies can make groups "
    "smaller than k, and only a replay on both tables (cordon party replay) shows it.";
inline constexpr std::string_view kPeerLearns =
    "k does not protect against the other party: it learns, person by person, the values that the release shows.";

struct CheckedParty {
  std::string name, peer;
  PartyRole role = PartyRole::kA;  // the first party of the policy is A
  std::int64_t max_ids = 0, max_peer_ids = 0;
  std::string key, peer_key;              // hexadecimal
  std::string person, label;              // columns that both have
  std::vector<std::string> own, foreign;  // quasi columns, in the order of the policy
  std::vector<std::string> templates;
  Sha256Digest digest{};  // of the joint policy: both parties approve it
  bool tells_scores = false;
};

// Whether two parties can make a table by the policy, and what one of them has to know.
Result<CheckedParty> CheckParty(const Policy& policy, const std::string& party);

// For people, line by line.
std::string Describe(const CheckedParty& checked);

}  // namespace cordon::engine
