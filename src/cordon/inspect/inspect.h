// SPDX-License-Identifier: Apache-2.0
//
// What is in a table, and a first policy for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cordon/base/json.h"
#include "cordon/inspect/draft_policy.h"
#include "cordon/inspect/profile.h"
#include "cordon/io/table_input.h"
#include "cordon/io/text/source.h"

namespace cordon::engine {

struct InspectRequest {
  TableInput input;
  std::string delimiter;   // empty: the one that the first line has most of
  bool no_header = false;  // the first line is a row; else that is guessed
  std::optional<FileFormat> format;
  std::string write_policy;       // empty: no draft is made; else where it goes, its hierarchies next to it
  std::optional<std::int64_t> k;  // of the draft
  std::string hierarchies;        // a folder of hierarchy files for the draft to use; empty: none
  bool stream = false;            // the draft is one of a stream, of which the input is a sample
  bool force = false;             // replaces files that are there
};

struct Inspection {
  Profile profile;
  TextFormat text;                // as the input was read
  std::optional<Draft> draft;     // as it was written
  std::optional<Error> no_draft;  // why the draft that was asked for was not made; the profile holds all the same
};

Result<Inspection> Inspect(const InspectRequest& request, const Run& run);

Json ToJson(const Profile& profile);
std::string Describe(const Profile& profile);

}  // namespace cordon::engine
