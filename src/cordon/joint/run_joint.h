// SPDX-License-Identifier: Apache-2.0
//
// One party's side of a run: from its file and the joint policy to the release that both parties get. What can be refused is
// refused before the connection is made; nothing is sent that is not in the journal; nothing is written that was not judged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/io/files/written_files.h"
#include "cordon/io/table_input.h"
#include "cordon/io/text/text_format.h"
#include "cordon/joint/check_party.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

struct JointRequest {
  TableInput input;  // the party's own table
  std::optional<FileFormat> input_format;
  std::string party;        // who this is, of the policy
  std::string approved;     // digest of the joint policy that this side has approved
  std::string key;          // file
  std::string pepper;       // file
  std::string register_in;  // folder
  std::string journal;      // file
  std::string output;
  std::optional<FileFormat> output_format;
  std::string listen, connect;  // HOST:PORT; one of them
  std::string again;            // why people may be entered by another policy than before
  int timeout_seconds = 900;
  bool resume = false;   // go on with the run of the journal
  bool dry_run = false;  // nothing is sent or written
  bool force = false;    // replaces a release that is there

  // What a user at the terminal wants to know while it goes on: the address that was opened.
  std::function<void(const std::string&)> tell;
};

struct JointReport {
  CheckedParty party;
  std::uint64_t own_rows = 0;  // that take part: no missing cell
  std::uint64_t dropped = 0;
  bool dry_run = false;

  std::string run;            // id, hexadecimal
  std::uint64_t records = 0;  // common people
  std::uint64_t rounds = 0;
  std::vector<Verdict> privacy;
  std::uint64_t sent_bytes = 0, received_bytes = 0;
  double cpu_seconds = 0;
  bool served = true;  // a run that is at its end already: whether the other party asked for its last frame
};

Result<JointReport> RunJoint(const JointRequest& request, const Policy& policy, const Run& run);
// What the run leaves: nothing if it sent nothing, or had been at its end before.
WrittenFiles FilesWritten(const JointRequest& request, const JointReport& report);

std::string Describe(const JointReport& report);
Json ToJson(const JointReport& report);

}  // namespace cordon::engine
