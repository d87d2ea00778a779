// SPDX-License-Identifier: Apache-2.0
//
// A first policy for a table, with the hierarchies it names: roles as the profile suggests them, one comment per column saying
// why. It runs as it stands once the privacy parameters are chosen; they are not chosen here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/table.h"
#include "cordon/inspect/known_hierarchies.h"
#include "cordon/inspect/profile.h"
#include "cordon/io/text/text_format.h"

namespace cordon::engine {

struct Draft {
  std::string policy;                                            // TOML
  std::vector<std::pair<std::string, std::string>> hierarchies;  // name of the file next to the policy, its text
  std::vector<std::string> used;                                 // files of the folder that were taken
  std::vector<PassedOver> passed_over;                           // and those that were not
  bool counts_persons = false;                                   // a model counts people: verify will need a row map
};

struct DraftOptions {
  TextFormat text;  // as the input was read
  std::optional<std::int64_t> k;
  std::string hierarchies;    // a folder of hierarchy files to use; empty: none
  std::string policy_folder;  // paths of the draft start here
  bool stream = false;        // of a stream, of which the table is a sample: every domain is declared
};

// Without `k` the line is left for the reader to fill in, and reading the policy says so.
// REQUIRES: the table is in the notation of releases, and a column of the profile is quasi.
Result<Draft> DraftPolicy(const Table& table, const Profile& profile, const DraftOptions& options, const Run& run);

}  // namespace cordon::engine
