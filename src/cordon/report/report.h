// SPDX-License-Identifier: Apache-2.0
//
// What a run did and what it cost, as the JSON that scripts rely on. Holds no cell of the data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/data/upper_end.h"
#include "cordon/models/verify/join_verifier.h"
#include "cordon/models/verify/small_groups.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/report/loss_bound.h"
#include "cordon/report/utility.h"

namespace cordon::engine {

struct Warning {
  std::string code;
  std::vector<std::string> columns;
  std::string fix;
};

// An algorithm, and what it came to. One that made no release says why.
struct Tried {
  std::string algorithm;
  std::optional<double> information_loss = std::nullopt;
  std::optional<double> objective = std::nullopt;  // less is better; as long as there is no other, the weighted loss
  double seconds = 0;                              // of the search
  std::string left_out = "";                       // why it was not run
  std::string failed = "";                         // why there is no release of it
  bool kept = false;
  bool cut_short = false;  // its time was used up
};

// A sensitive column that no model guards, and the policy's reason.
struct UnguardedColumn {
  std::string column;
  std::string reason;
};

struct ObjectiveReached {
  std::string name;
  double value = 0;
};

// What was published before, and how the release stands together with it.
struct PreviousFile {
  std::string name;  // the file's own name, no folder
  std::string sha256;
  std::uint64_t rows = 0;
  UpperEnds ends = {};
};
struct JoinReport {
  std::vector<PreviousFile> previous;
  std::vector<std::string> shared;  // columns that several releases have
  JoinVerification verification;
};

struct Report {
  std::string algorithm;
  std::string why;  // of an automatic choice
  std::uint64_t rows = 0;
  std::uint64_t people = 0;
  std::uint64_t suppressed = 0;
  std::uint64_t dropped = 0;  // rows with missing cells, if the policy drops them
  std::vector<Verdict> privacy;
  std::vector<SmallGroups> small_groups;
  std::optional<JoinReport> join;  // of release-next
  std::vector<UnguardedColumn> unguarded;
  Utility utility;
  std::optional<LossBound> bound;  // what any release must lose
  std::optional<RiskReport> risk;
  std::optional<Statistics> statistics;
  std::vector<std::pair<std::string, std::int64_t>> details;  // of the algorithm's run
  std::optional<ObjectiveReached> objective;
  std::vector<Tried> tried;
  bool time_up = false;            // a search was cut short, or an algorithm left out, by the time given
  std::vector<std::string> notes;  // what the algorithm says of its search
  std::vector<Warning> warnings;
  std::vector<std::pair<std::string, double>> seconds;
  double peak_rss_mb = 0;
};

// Whether the report tells how the values of one of these models are spread over the groups: t-closeness and
// beta-likeness. It needs Verdict::per_group.
bool ShowsSpread(std::span<const ModelSpec> specs);

// Exact parameters as fractions: "t": "1/5".
Json ToJson(const ModelSpec& spec);
Json ToJson(const Verdict& verdict);
Json ToJson(const std::vector<SmallGroups>& below);
Json ToJson(const JoinSpec& spec);
Json ToJson(const JoinVerification& verification);
Json ToJson(const Report& report);

// What a person reads after a run.
std::string Summary(const Report& report);

double PeakRssMb();

}  // namespace cordon::engine
