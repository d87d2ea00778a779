// SPDX-License-Identifier: Apache-2.0
//
// What a registry says of one release. Names, digests, counts and verdicts: no cell of the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/base/result.h"

namespace cordon::engine {

struct RegisteredFile {
  std::string role;    // "release", "manifest", "recoding", "table"
  std::string path;    // relative to the folder of the registry
  std::string sha256;  // empty: still being written, by a stream
};

// What the release was made from.
struct InputFacts {
  std::string sha256;         // empty: a table in memory
  std::uint64_t people = 0;   // rows, if the policy has no person column
  std::string person_key;     // names the key of the digests by which people are known; empty: there are none
  std::string people_sha256;  // of these digests
};

struct RegisteredRelease {
  std::string population;
  std::string published;  // "2025-03-01T12:00:00Z"
  std::string command;
  std::string algorithm;
  std::string tool;
  std::string policy_sha256;
  std::optional<InputFacts> input;  // none: a stream
  std::uint64_t rows = 0;
  std::vector<std::string> columns;   // published, sorted
  std::vector<RegisteredFile> files;  // never empty; the release itself first
  struct Previous {
    std::string name;
    std::string sha256;
  };
  std::vector<Previous> previous;  // that the join was judged with
  Json models = Json::array();     // with parameters, and what the release reached

  const RegisteredFile& release() const { return files.front(); }
  // The manifest of the store that it is in (permute, append); null: its files are all that there is of it. Appends replace
  // the manifest and merge parts, so what a store is now is told by the last release in it.
  const RegisteredFile* store() const;
  bool InStoreOf(const RegisteredRelease& other) const;
};

Json ToJson(const RegisteredRelease& entry);
// An error if a member is missing or of another type.
Result<RegisteredRelease> ReadEntry(const std::string& text);

}  // namespace cordon::engine
