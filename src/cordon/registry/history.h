// SPDX-License-Identifier: Apache-2.0
//
// cordon history: the releases of a registry, and whether their files are still those that were published.
#pragma once

#include <string>
#include <vector>

#include "cordon/registry/release_registry.h"

namespace cordon::engine {

struct FileFinding {
  enum class State {
    kAsPublished,
    kChanged,
    kMissing,
    kReplaced,  // of a store: a later append has replaced the manifest, or merged the part
  };
  std::string path;
  State state = State::kAsPublished;
};

struct History {
  std::string registry;
  RegistryContents contents;
  bool checked = false;
  std::vector<std::vector<FileFinding>> files;  // of each release, if checked

  bool holds() const;  // nothing is missing, changed or left over
};

// A registry that does not exist is an error.
Result<History> ReadHistory(const std::string& registry, bool check);

Json ToJson(const History& history);
std::string Describe(const History& history);

}  // namespace cordon::engine
