// SPDX-License-Identifier: Apache-2.0
//
// What is known of every algorithm before any data: its options and their defaults, what of a policy it looks at, what it is
// made for, how long it takes. The reader of policies, the schema, the warnings and the choice of an algorithm read it here;
// plan/registry.cpp and plan/stream_registry.cpp say how each is run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cordon/policy/policy.h"

namespace cordon::engine {

struct AlgorithmOption {
  enum class Type { kFlag, kWhole, kExact, kChoice };
  using Value = decltype(OptionValue::value);

  std::string key;
  Type type;
  std::string what;                                                     // one line
  std::optional<Value> standard = std::nullopt;                         // what holds if the policy does not say
  std::vector<std::string> choices = {};                                // of kChoice
  std::optional<Value> (*standard_of)(const Policy& policy) = nullptr;  // if the standard depends on the policy
};

// What of a policy and of a request an algorithm looks at, in addition to what all do.
enum AlgorithmUses : unsigned {
  kUsesEffort = 1,        // --effort and --seconds
  kUsesWeights = 2,       // weights of the columns
  kUsesLimit = 4,         // suppression_limit if suppressed rows are dropped
  kUsesLimitOfStars = 8,  // suppression_limit if they are published as stars
};

struct AlgorithmFacts {
  enum class MadeFor { kAnyModel, kCloseness, kLikeness, kClassification, kPermutation, kJoin, kBlindness };

  const char* name;        // as policies and the command line spell it
  const char* alias = "";  // its name in earlier versions, which is still accepted
  const char* summary;     // one line for --help and docs
  bool of_streams = false;
  MadeFor made_for = MadeFor::kAnyModel;
  unsigned uses = 0;                // AlgorithmUses
  int rank = 0;                     // among those of tables by the time they take: 1 is the quickest
  bool slow_on_many_rows = false;   // loses more than the searches, and takes longer than all of them together
  bool groups_by_template = false;  // a model that names columns holds for groups by these, not by all quasi columns
  bool counts_persons = false;      // serves counts = "persons"
  const char* options_table = "";   // NAME of [algorithm.NAME], which holds its options; empty: its own name
  std::vector<AlgorithmOption> options = {};

  // Recodes globally: serves mask = "suppress", publishes sorted unless told otherwise.
  bool masks_values() const { return made_for == MadeFor::kClassification || made_for == MadeFor::kJoin; }
  // Shuffles the sensitive column inside its groups, and leaves quasi cells exact.
  bool permutes() const { return made_for == MadeFor::kPermutation; }
  // Its groups do not depend on sensitive values.
  bool chooses_blindly() const { return made_for == MadeFor::kBlindness; }
  std::string_view table() const { return *options_table == '\0' ? name : options_table; }
  // What digests of policies and the randomness of a run go by: it never changes, so what was published under an earlier name
  // still verifies, and a run under it repeats.
  const char* lasting_name() const { return *alias == '\0' ? name : alias; }
};

// Those of tables first, in the order in which --help lists them.
const std::vector<AlgorithmFacts>& AlgorithmCatalog();
// By its name or an earlier one. Null if there is none.
const AlgorithmFacts* FindAlgorithm(std::string_view name);
// The one that lists the options of [algorithm.TABLE]. Null if there is none.
const AlgorithmFacts* FindOptions(std::string_view table);
// What an algorithm is called today. Other words stay as they are.
std::string CurrentName(std::string_view name);

// The largest window of the policy's models; 0 if none has one.
std::int64_t WindowOf(const Policy& policy);

}  // namespace cordon::engine
