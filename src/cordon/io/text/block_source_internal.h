// SPDX-License-Identifier: Apache-2.0
//
// The engine under every text format: blocks of rows are parsed side by side, each worker with dictionaries of its
// own, and merged in the order of the file. So codes follow the order of first appearance in the file, and rows,
// codes, batches and the first error are the same for any number of threads.
//
//   ByteInput -> BlockReader -> (queue) -> RowParser x threads -> merge -> Batch
//
// Memory in addition to dictionaries and codes is a few batches of blocks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cordon/io/text/block_reader_internal.h"
#include "cordon/io/text/local_dictionary_internal.h"
#include "cordon/io/text/source.h"

namespace cordon::engine {

// What is wrong with a row. Places are counted from 0 within the block; the engine knows what came before it.
struct RowError {
  std::size_t offset = 0;  // the first byte that shows it: of two errors the one with the lower offset is reported
  std::uint64_t row = 0;
  std::uint64_t line = 0;  // on which the row starts
  std::string what;        // goes on after "row 7 (line 8) "
  std::string hint;
};

struct CodeBuffer {
  std::unique_ptr<Code[]> codes;
  std::size_t capacity = 0;
  void Reserve(std::size_t rows) {
    if (rows <= capacity) return;
    codes = std::make_unique_for_overwrite<Code[]>(rows);
    capacity = rows;
  }
};

// The rows of one block, in codes of the worker that parsed it.
struct ParsedBlock {
  std::size_t num_rows = 0;
  std::uint64_t num_lines = 0;
  std::vector<CodeBuffer> columns;  // none for a column that is not kept
  std::optional<RowError> error;
  std::optional<RowError> trailing_blank;  // a blank line after the last row: an error if another row follows
  std::size_t worker = 0;
  std::vector<std::size_t> known;  // per column: entries of the worker's dictionary after this block
};

// Parses blocks of one format. One instance a worker: it is used by one thread at a time, on blocks in file order.
class RowParser {
 public:
  virtual ~RowParser() = default;
  // Fills num_rows, num_lines, columns, error and trailing_blank.
  virtual void Parse(const Block& block, ParsedBlock& rows) = 0;

  std::vector<LocalDictionary> dictionaries;

  // Of formats that have types: which of them a column has shown. Empty: texts.
  struct Shown {
    bool text = false;
    bool number = false;
    bool boolean = false;
    bool null = false;
    bool absent = false;  // a row does not name the column
  };
  std::vector<Shown> shown;
};

struct Schema {
  std::vector<std::string> names;
  std::vector<bool> kept;  // false: only checked for form
};

class BlockFormat {
 public:
  virtual ~BlockFormat() = default;
  virtual const Schema& schema() const = 0;
  virtual std::unique_ptr<RowParser> NewParser() const = 0;
  // "row 7 (line 8) has ..." or "line 8: ...".
  virtual std::string Locate(std::uint64_t row, std::uint64_t line, const std::string& what) const = 0;
};

// Blocks in order, read ahead on a separate thread if the options say so.
class BlockFeed {
 public:
  BlockFeed(std::unique_ptr<BlockReader> reader, const BlockOptions& options);
  ~BlockFeed();

  // The next block, or nothing at the end.
  Result<std::optional<Block>> Next(const std::stop_token& stop);
  // Puts a block that Next gave back in front.
  void Return(Block block) { returned_.push_front(std::move(block)); }
  void Recycle(Block block);

  const ByteInput& input() const { return reader_->input(); }
  const std::string& digest() const { return digest_; }  // empty before the end

 private:
  Result<std::optional<Block>> Read(const std::stop_token& stop);
  void ReadAhead(const std::stop_token& stop);

  std::unique_ptr<BlockReader> reader_;
  std::size_t depth_;       // blocks read ahead
  std::size_t keep_bytes_;  // larger blocks are not used again
  std::string digest_;
  std::deque<Block> returned_;
  bool ended_ = false;

  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<Result<std::optional<Block>>> queue_;
  std::vector<Block> spare_;

  std::jthread thread_;  // last: stops before the rest goes
};

// `lines_before`: lines of the file in front of the first row.
std::unique_ptr<Source> MakeBlockSource(std::unique_ptr<BlockFeed> feed, std::unique_ptr<BlockFormat> format,
                                        std::uint64_t lines_before, const BlockOptions& options, std::string name);

}  // namespace cordon::engine
