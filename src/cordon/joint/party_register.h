// SPDX-License-Identifier: Apache-2.0
//
// Which people a party has entered into runs, and by which joint policy. Two different cuts of one column intersect to
// something finer than either, so a second run over the same people by another policy is refused.
//
// A folder: `key`, and a file per run with a line of JSON and a keyed hash of eight bytes per person, ascending. Private: who
// has the folder can test whether a person is in it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/digest.h"
#include "cordon/base/result.h"
#include "cordon/io/files/file_system.h"

namespace cordon::engine {

class PartyRegister {
 public:
  // Makes the folder and its key if they are not there. An error if people were entered and the key is gone: who they were
  // can no longer be told.
  static Result<PartyRegister> Open(FileSystem& files, const std::string& folder);

  // An error if one of these people was entered by another policy.
  Result<void> Check(const Sha256Digest& joint_policy, std::span<const std::string_view> ids) const;
  // Checks and enters in one: of two runs at once by different policies, one is refused. Durable on return. `why`: what the
  // user gave as reason for entering people again, who then are not checked; may be empty.
  Result<void> Enter(const Sha256Digest& joint_policy, std::span<const std::string_view> ids, const std::string& why);

 private:
  PartyRegister(FileSystem& files, std::string folder, const SipKey& key)
      : files_(&files), folder_(std::move(folder)), key_(key) {}
  std::vector<std::uint64_t> Hashed(std::span<const std::string_view> ids) const;

  FileSystem* files_;
  std::string folder_;
  SipKey key_;
};

}  // namespace cordon::engine
