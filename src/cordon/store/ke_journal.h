// SPDX-License-Identifier: Apache-2.0
//
// What appends have changed since the files of a store were last made durable, in one file of the private half. An append has
// happened once its entry is durable: that is its one fsync. Its files are in place by then or right after, and reach the disk
// when the system sees fit. If the machine stops before they do, the entries say what they were (ke_recover.h).
//
// An entry that was not written to its end is none, and neither is what follows it. Each has the number of its private state,
// so that a journal that has lost entries is known by a state that is ahead of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/base/result.h"

namespace cordon::engine {

struct JournalEntry {
  std::string boot;          // under which it was written
  std::string base;          // digest of the manifest before
  std::string next;          // and after; the same where nothing was published
  std::string state;         // the name of the private state after
  std::uint64_t number = 0;  // and what it is counted as
  struct Tail {              // bytes that follow those that a table had
    std::string table;
    std::uint64_t at = 0;
    std::string bytes;
  };
  std::vector<Tail> tails;
  struct File {
    std::string name;
    std::string bytes;
  };
  std::vector<File> files;  // new ones of the private half, the state among them
  std::string manifest;     // its text; empty where nothing was published

  std::uint64_t num_bytes() const;
};

struct Journal {
  std::vector<JournalEntry> entries;
  std::uint64_t bytes = 0;  // of what holds them
  bool has_more = false;    // bytes that are no entry: one was not finished, or is damaged

  // With so much in it, it is better to make the files themselves durable, and start afresh.
  static constexpr std::uint64_t kLargestEntry = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kLargest = std::uint64_t{8} << 20;
  bool HasRoomFor(const JournalEntry& entry) const;
};

// No entries where there is no journal.
Result<Journal> ReadJournal(const std::string& private_directory);
// Durable on return. REQUIRES: `journal` is what is there. On an error it is as it was.
Result<void> AddToJournal(const std::string& private_directory, const Journal& journal, const JournalEntry& entry);
// What was added since is not there: for an append that could not be put into place after all.
Result<void> CutJournal(const std::string& private_directory, const Journal& before);
// An empty one, durable on return but for its name where there was none.
Result<void> ClearJournal(const std::string& private_directory);

// Changes whenever the machine starts: what was written under another may not have reached the disk. Empty where the system
// does not tell.
std::string BootId();

}  // namespace cordon::engine
