// SPDX-License-Identifier: Apache-2.0
//
// All that a continuation depends on, as one file: engine, verifier, randomness, the tuples held, how far the input was
// read and the outputs were written. A checkpoint is made between two records, after everything written so far is
// durable; it appears whole, or the one before it stays the last.
//
// A restart cuts the outputs to where the checkpoint stands and goes on from there. The same randomness makes the same
// rows again, byte for byte, so a reader who saw rows beyond the checkpoint sees no tuple twice under two boxes.
//
//   file      "cordon stream checkpoint\n", version, body, SHA-256 of all before it
//   folder    checkpoint-000000000007, ... the last few; ticks (see TickJournal)
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/io/files/file_system.h"
#include "cordon/io/text/record_reader.h"
#include "cordon/stream/stream_metrics.h"

namespace cordon::engine {

struct StreamSnapshot {
  // What must be the same for it to be continued; each in words for a message.
  std::string policy;   // digest
  std::string columns;  // of the input, in order
  std::string options;  // algorithm, formats, what the output shows

  std::string random;  // Random::Save: the randomness of the whole run
  InputPlace input;
  EventTime event_clock = 0;
  EventTime engine_clock = 0;
  Position position = 0;
  std::uint64_t out_length = 0;
  std::uint64_t audit_length = 0;
  std::uint64_t dead_length = 0;
  std::string chain;           // of the audit log
  std::uint64_t out_tail = 0;  // hash of the last bytes of the output: it is the file it was
  std::string engine;
  std::string verifier;
  std::string sink;
  std::string payloads;
  StreamMetrics metrics;
  bool finished = false;  // the stream has ended, everything was flushed

  std::string Encode() const;
  // A damaged snapshot is an error, never a crash.
  static Result<StreamSnapshot> Decode(std::string_view bytes);
};

// Of the last bytes before `length`: whether a file is still the one that was written.
Result<std::uint64_t> TailDigest(FileSystem& files, const std::string& path, std::uint64_t length);

class CheckpointFolder {
 public:
  // `keep`: how many to keep.
  CheckpointFolder(FileSystem& files, std::string path, std::size_t keep)
      : files_(files), path_(std::move(path)), keep_(keep) {}

  // Makes the folder if it is not there, and locks it. Finds the checkpoints in it, and sees to it that they are private.
  Result<void> Open();
  bool empty() const { return numbers_.empty(); }
  const std::string& path() const { return path_; }
  // The last one with at most this many rows written; nothing if there is none.
  Result<std::optional<StreamSnapshot>> Latest(std::optional<std::uint64_t> most_rows);
  // Removes those after the one that Latest gave, once it is sure that the run goes on from it: they tell of rows that are
  // made again, and must not be taken up by the next restart.
  Result<void> ForgetLater();
  Result<void> Write(const StreamSnapshot& snapshot);
  Result<void> RemoveAll();

 private:
  std::string NameOf(std::uint64_t number) const;

  FileSystem& files_;
  std::string path_;
  std::size_t keep_;
  std::unique_ptr<FolderLock> lock_;
  std::deque<std::uint64_t> numbers_;  // ascending
  std::optional<std::uint64_t> taken_;
};

// Wall-clock ticks of a live stream cannot be made again, and rows leave because of them: so each is made durable before
// anything leaves because of it, and a restart repeats it after the same record.
class TickJournal {
 public:
  struct Tick {
    std::uint64_t records = 0;  // read before it
    EventTime now = 0;
  };
  // Reads what is there; a last tick that was cut off was never acted upon.
  static Result<TickJournal> Open(FileSystem& files, const std::string& folder);

  const std::vector<Tick>& ticks() const { return ticks_; }
  Result<void> Add(const Tick& tick);

 private:
  std::vector<Tick> ticks_;
  std::unique_ptr<WritableFile> file_;
};

}  // namespace cordon::engine
