// SPDX-License-Identifier: Apache-2.0
//
// What a data custodian asks for: the form of the file, the role of every column, what must hold, and how to
// get there. A plain value; its reader (read_policy.cpp) has checked it as a whole, so a Policy that
// came out of ReadPolicy or ParsePolicy is consistent: columns that models name exist and have the right role,
// parameters are in their ranges, hierarchy files are read. docs/policy.md is the reference of the text form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/base/result.h"
#include "cordon/data/attribute.h"
#include "cordon/data/decimal.h"
#include "cordon/data/hierarchy.h"
#include "cordon/data/notation.h"
#include "cordon/data/steps.h"
#include "cordon/io/text/text_format.h"
#include "cordon/models/spec/join_spec.h"
#include "cordon/models/spec/model_spec.h"
#include "cordon/query/workload.h"

namespace cordon::engine {

// Where the hierarchy of an attribute comes from.
struct HierarchySource {
  enum class Kind {
    kNone,       // flat: every value under "*"
    kFile,       // one line per leaf: leaf;level1;...;root
    kPrefix,     // codes lose their last characters, one per level
    kIntervals,  // numbers fall into cells of growing width
    kDates,      // days fall into months, quarters, years
  };
  Kind kind = Kind::kNone;
  std::string path;                            // kFile: from where the program runs, not from the policy
  std::shared_ptr<const Hierarchy> hierarchy;  // kFile: as read
  int prefix = 0;                              // kPrefix: length of the longest code
  std::vector<Decimal> widths;                 // kIntervals: ascending, each a multiple of the one before
  std::vector<DateUnit> units;                 // kDates: ascending
};

enum class Mask { kGeneralize, kSuppress };

struct AttributePolicy {
  std::string name;
  Role role = Role::kInsensitive;
  Domain::Kind type = Domain::Kind::kCategorical;
  std::vector<Notation> notations;  // numbers, dates: how cells of the input are written; none: as releases write them
  // Numeric and date columns. Dates are days since 1970-01-01 at scale 0; grid and round of dates are days.
  std::optional<std::pair<Decimal, Decimal>> range;  // the domain of the loss
  std::optional<Decimal> grid;                       // cell width
  std::optional<Decimal> top;                        // larger values become this one
  std::optional<Decimal> bottom;                     // smaller values become this one
  std::optional<Decimal> round;                      // to the nearest multiple, half up
  double weight = 1;
  HierarchySource hierarchy;
  Mask mask = Mask::kGeneralize;
  std::optional<std::vector<std::string>> values;  // the declared domain, in the order written
  std::optional<std::string> other;                // quasi categories: the leaf of values that the domain lacks
  std::optional<std::string> pseudonym_key_file;   // identifiers: relative to the policy
  std::optional<std::string> unguarded;            // sensitive: why no model guards it
  std::optional<std::string> owner;                // the party that has the column; its domain is the declared one
  int line = 0;                                    // of the policy file
};

// Whether the domain of a column is what the policy declares, whatever values the rows have: another party has the rows, or
// will compare its own domain with this one.
inline bool HasDeclaredDomain(const AttributePolicy& attribute) {
  if (!attribute.owner) return false;
  if (attribute.type == Domain::Kind::kCategorical) {
    return attribute.values || attribute.hierarchy.kind == HierarchySource::Kind::kFile;
  }
  return attribute.values || (attribute.range && attribute.grid);
}

// Whether a release has the column: identifiers without a pseudonym and the person column it has not.
inline bool IsPublished(const AttributePolicy& attribute) {
  return attribute.role != Role::kPerson && (attribute.role != Role::kIdentifier || attribute.pseudonym_key_file.has_value());
}

enum class OnMissing {
  kLeaf,  // one more value, under the root
  kDrop,  // rows with a missing quasi or sensitive cell are dropped and counted
};

struct DataPolicy {
  TextFormat text;
  std::vector<std::string> missing = {""};  // the first one is what is published
  OnMissing on_missing = OnMissing::kLeaf;
  // Whether losses count the leaf of missing cells as one more value. Not in streams: there it must be in every column
  // before anybody knows whether a cell will be missing.
  bool missing_counts = true;

  // What is published for a missing cell.
  std::string marker() const { return missing.empty() ? "" : missing.front(); }
  bool IsMissing(std::string_view cell) const {
    for (const std::string& marker : missing) {
      if (cell == marker) return true;
    }
    return false;
  }
};

enum class Suppression {
  kDrop,   // not published, only counted
  kStar,   // "*" in every quasi column: one more group, judged like any other
  kBlank,  // streams
  kPool,   // streams
};

// One key of a table [algorithm.NAME], of the type that key has.
struct OptionValue {
  std::variant<bool, std::int64_t, Rational, std::string> value;
  int line = 0;
};

// What is to be small, of several releases that satisfy.
enum class Objective { kInformationLoss, kDiscernibility, kQueryError };

struct AlgorithmPolicy {
  std::string name = "auto";           // as the catalog has it today
  std::vector<std::string> old_names;  // earlier names of algorithms by which the policy calls them
  Objective objective = Objective::kInformationLoss;
  std::string workload;  // kQueryError: a file, relative to the policy; empty: random queries
  std::shared_ptr<const std::vector<WorkloadQuery>> queries;  // kQueryError: the file as read
  Rational suppression_limit;                                 // share of rows that may be suppressed
  Suppression suppressed = Suppression::kDrop;
  std::map<std::string, std::map<std::string, OptionValue>> options;  // NAME of [algorithm.NAME] -> key -> value
  int line = 0;

  // The value of a key as T (bool, std::int64_t, Rational, std::string) if the policy has it.
  // REQUIRES: T is the type of that key.
  template <typename T>
  std::optional<T> Option(const std::string& table, const std::string& key) const {
    const auto own = options.find(table);
    if (own == options.end()) return std::nullopt;
    const auto found = own->second.find(key);
    if (found == own->second.end()) return std::nullopt;
    const T* value = std::get_if<T>(&found->second.value);
    CORDON_CHECK(value != nullptr);
    return *value;
  }
};

struct StreamPolicy {
  enum class Order { kReady, kArrival };
  std::optional<std::int64_t> delay_tuples;  // one of these two at most; window methods need neither
  std::optional<std::int64_t> delay_ms;      // of event time
  std::optional<std::string> event_time;     // column
  std::int64_t lateness_ms = 0;
  std::optional<std::int64_t> max_jump_ms;  // how far one tuple may move the clock; none: any way
  Order order = Order::kReady;
  std::int64_t max_dead_letters = 1000;
  bool drop_unknown = false;  // keys and columns that the policy lacks are left out; else they are refused
  int line = 0;
};

// Two organizations whose columns become one table (docs/party.md).
struct PartyPolicy {
  std::string name;
  std::string key;           // Ed25519, hexadecimal
  std::int64_t max_ids = 0;  // people it may enter
  int line = 0;
};
struct JointPolicy {
  enum class Compare {
    kPrivate,  // by a garbled circuit: tells who wins
    kPlain,    // tells the scores
  };
  std::vector<PartyPolicy> parties;  // two, in the order of the file
  Compare compare = Compare::kPrivate;

  const PartyPolicy* Find(std::string_view party) const {
    for (const PartyPolicy& each : parties) {
      if (each.name == party) return &each;
    }
    return nullptr;
  }
};

struct Policy {
  std::string name;                    // of the file, for messages
  std::string text;                    // as it was read, overrides included
  std::vector<std::string> overrides;  // of the command line: "privacy[0].k=7"
  std::filesystem::path directory;     // base of relative paths
  std::string population;              // whose people these are, for a registry of releases; empty: not said
  DataPolicy data;
  std::vector<AttributePolicy> attributes;  // in the order of the file
  std::vector<ModelSpec> models;
  std::vector<int> model_lines;  // line of each model
  // What must hold of the release together with previous ones.
  std::vector<JoinSpec> join_models;
  std::vector<int> join_lines;
  std::vector<ImpossiblePairs> impossible;
  bool generalize_joining = true;  // columns that several releases have are generalized, in addition to those in x
  AlgorithmPolicy algorithm;
  std::optional<StreamPolicy> stream;
  std::optional<JointPolicy> joint;
  std::string digest;  // SHA-256 over the meaning, hierarchies included: layout and comments do not change it

  const AttributePolicy* Find(std::string_view column) const {
    for (const AttributePolicy& attribute : attributes) {
      if (attribute.name == column) return &attribute;
    }
    return nullptr;
  }
  // Whether a model says something of the sensitive column that not every release satisfies.
  bool IsGuarded(const std::string& column) const {
    const bool here = std::any_of(models.begin(), models.end(), [&](const ModelSpec& model) {
      const std::vector<std::string> guarded = SensitiveColumns(model);
      return !AlwaysHolds(model) && std::find(guarded.begin(), guarded.end(), column) != guarded.end();
    });
    return here || std::any_of(join_models.begin(), join_models.end(), [&](const JoinSpec& model) {
             const std::vector<ColumnRef> guarded = GuardedColumns(model);
             return !AlwaysHolds(model) && std::find(guarded.begin(), guarded.end(), ColumnRef{0, column}) != guarded.end();
           });
  }
  // Cells are published as they came and no model speaks of them. An attacker who knows them sees more than the quasi columns.
  std::vector<std::string> ColumnsPublishedAsIs() const {
    std::vector<std::string> columns;
    for (const AttributePolicy& attribute : attributes) {
      const bool open = attribute.role == Role::kSensitive && !IsGuarded(attribute.name);
      if (open || attribute.role == Role::kInsensitive || attribute.role == Role::kClass) columns.push_back(attribute.name);
    }
    return columns;
  }
};

// Policy::digest of a policy; REQUIRES nothing of how it was made.
std::string PolicyDigest(const Policy& policy);

// "information-loss", "discernibility", "query-error".
const char* ObjectiveName(Objective objective);

// "numeric", "categorical", "date".
const char* TypeName(Domain::Kind type);

}  // namespace cordon::engine
