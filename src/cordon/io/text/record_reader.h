// SPDX-License-Identifier: Apache-2.0
//
// One record after another from bytes that come in pieces: CSV or JSON Lines. A record that cannot be read is handed on
// as a fault, and reading goes on with the next line; nothing but the world itself stops it.
//
// What a fault is depends on the bytes alone, not on how they were cut into pieces. A fault takes its record with
// it, up to the end of the line outside quotes: the inside of a quote is never read as records, or a cell could make people
// up. A record has at most kMaxRecordLines lines and kMaxRecordBytes bytes; longer ones are faults.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/io/files/live_input.h"
#include "cordon/io/text/text_format.h"

namespace cordon::engine {

// Where a record ends.
struct InputPlace {
  std::uint64_t offset = 0;  // of the byte behind it
  std::uint64_t line = 0;    // lines that end before it
  std::uint64_t digest = 0;  // of all bytes before it: equal places of equal inputs
  friend bool operator==(const InputPlace&, const InputPlace&) = default;
};

struct InputRecord {
  std::uint64_t line = 0;                        // on which it starts, from 1
  std::string_view raw;                          // its bytes, without the line end
  std::span<const std::string_view> cells = {};  // by column; data() == nullptr: absent (JSON null)
  std::span<const std::uint8_t> bare = {};       // by column: a JSON number, true or false; empty: none is
  std::string fault;                             // why it cannot be read; empty: it can. Holds no cell
  InputPlace end;
};

struct RecordOptions {
  FileFormat format = FileFormat::kCsv;
  TextFormat text;
  std::vector<std::string> columns;  // JSON Lines: the keys there may be. CSV has its header, or text.columns
  bool drop_unknown = false;         // JSON Lines: other keys are left out; else a record that has one is a fault
};

inline constexpr std::size_t kMaxRecordBytes = std::size_t{1} << 20;
inline constexpr std::uint64_t kMaxRecordLines = 64;

class RecordReader {
 public:
  enum class Next {
    kRecord,
    kWait,  // nothing more can be read without waiting; only if the caller asked not to
    kEnd,   // of the input, or a stop was asked for
  };

  virtual ~RecordReader() = default;

  virtual const std::vector<std::string>& columns() const = 0;
  // The next record, valid until the next call. `wait` false: only from bytes that were read already.
  virtual Result<Next> Read(InputRecord& record, bool wait, const std::stop_token& stop) = 0;
  // Passes over what came before `place`, whose digest must agree: else it is another input.
  virtual Result<void> SkipTo(const InputPlace& place, const std::stop_token& stop) = 0;
  virtual InputPlace place() const = 0;
};

}  // namespace cordon::engine
