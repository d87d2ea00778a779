// SPDX-License-Identifier: Apache-2.0
//
// What was published about whom: the releases of a registry (docs/registry.md). Releases are entered by the `registry` of
// AnonymizeOptions, ReleaseNextOptions, CreateOptions and AppendOptions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cordon/export.h"
#include "cordon/result.h"

namespace cordon {

struct RegisteredRelease {
  std::uint64_t number = 0;  // from 1; 0: it was not entered
  std::string population;
  std::string published;  // "2025-03-01T12:00:00Z"
  std::string command;    // "anonymize", "release-next", "permute", "append", "stream"
  std::string algorithm;
  std::string path;  // of the release, relative to the folder of the registry
  std::uint64_t rows = 0;
};

struct History {
  std::vector<RegisteredRelease> releases;  // the oldest first
  std::vector<RegisteredRelease> pending;   // announced by runs that go on, or were killed
  bool checked = false;                     // the files were read again
  bool holds = true;                        // nothing was found missing, changed or left over
  std::string json;                         // all of it, as `cordon history --json` prints it
  std::string text;                         // for a person
};

class CORDON_API Registry {
 public:
  // An error unless there is a registry that is not damaged.
  static Result<Registry> Open(const std::string& path);

  const std::string& path() const { return path_; }
  Result<History> List() const;
  Result<History> Check() const;  // reads the files of all releases again

 private:
  explicit Registry(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace cordon
