// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include "cordon/base/parallel_for.h"
#include "cordon/io/text/block_source_internal.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxCodes = std::numeric_limits<Code>::max();
// A worker's dictionary that outgrows this starts over: it is a cache in front of the column's own.
constexpr std::size_t kLocalEntries = std::size_t{1} << 16;
constexpr std::size_t kLocalBytes = std::size_t{4} << 20;

class BlockSource : public Source {
 public:
  BlockSource(std::unique_ptr<BlockFeed> feed, std::unique_ptr<BlockFormat> format, std::uint64_t lines_before,
              const BlockOptions& options, std::string name)
      : feed_(std::move(feed)), format_(std::move(format)), options_(options), name_(std::move(name)), lines_(lines_before) {
    for (std::size_t i = 0; i < format_->schema().names.size(); ++i) dictionaries_.push_back(std::make_shared<Dictionary>());
  }

  const std::vector<std::string>& column_names() const override { return format_->schema().names; }
  std::shared_ptr<const Dictionary> dictionary(std::size_t column) const override { return dictionaries_[column]; }
  std::string InputDigest() override { return feed_->digest(); }
  CellType column_type(std::size_t column) const override {
    RowParser::Shown shown;
    for (const std::unique_ptr<RowParser>& worker : workers_) {
      if (worker->shown.empty()) return CellType::kText;
      shown.text |= worker->shown[column].text;
      shown.number |= worker->shown[column].number;
      shown.boolean |= worker->shown[column].boolean;
      shown.null |= worker->shown[column].null;
      shown.absent |= worker->shown[column].absent;
    }
    if (shown.text + shown.number + shown.boolean > 1 || (shown.null && shown.absent)) return CellType::kSeveral;
    if (shown.text || shown.number == shown.boolean) return CellType::kText;
    return shown.number ? CellType::kNumber : CellType::kBoolean;
  }

  Result<std::optional<Batch>> Next(const Run& run) override {
    if (failed_) return *failed_;
    Result<std::optional<Batch>> batch = NextBatch(run);
    if (!batch.ok() && !name_.empty()) batch = std::move(batch).WithContext("reading {}", name_);
    if (!batch.ok()) failed_ = batch.error();
    return batch;
  }

 private:
  Result<std::optional<Batch>> NextBatch(const Run& run);
  Result<std::vector<Block>> TakeBlocks(const Run& run);
  void Parse(std::vector<Block>& blocks, const Run& run);
  Result<std::size_t> CheckInOrder(const std::vector<Block>& blocks);  // the rows of all blocks
  Result<void> Merge(std::size_t num_blocks, const Run& run);
  Batch Collect(std::size_t num_blocks, std::size_t num_rows, const Run& run) const;
  Error Locate(const RowError& error) const;
  void BoundLocalDictionaries();

  std::unique_ptr<BlockFeed> feed_;
  std::unique_ptr<BlockFormat> format_;
  BlockOptions options_;
  std::string name_;
  std::vector<std::shared_ptr<Dictionary>> dictionaries_;
  std::vector<std::unique_ptr<RowParser>> workers_;
  std::vector<ParsedBlock> parsed_;
  std::uint64_t rows_ = 0;  // before the current block
  std::uint64_t lines_ = 0;
  std::optional<Error> pending_blank_;
  std::optional<Error> failed_;
};

Result<std::vector<Block>> BlockSource::TakeBlocks(const Run& run) {
  std::vector<Block> blocks;
  while (blocks.size() < options_.blocks_per_batch) {
    if (run.Stopped()) return Error::Cancelled();
    CORDON_TRY(std::optional<Block> block, feed_->Next(run.stop));
    if (!block) break;
    blocks.push_back(std::move(*block));
  }
  return blocks;
}

// A worker takes blocks in ascending order, so its dictionary grows in the order of the file, with gaps.
void BlockSource::Parse(std::vector<Block>& blocks, const Run& run) {
  const std::size_t num_workers = std::min<std::size_t>(static_cast<std::size_t>(std::max(run.threads, 1)), blocks.size());
  while (workers_.size() < num_workers) workers_.push_back(format_->NewParser());
  if (parsed_.size() < blocks.size()) parsed_.resize(blocks.size());
  std::atomic<std::size_t> next = 0;
  ParallelFor(run.threads, num_workers, 1, [&](std::size_t worker, std::size_t, std::size_t) {
    RowParser& parser = *workers_[worker];
    for (std::size_t i = next.fetch_add(1); i < blocks.size(); i = next.fetch_add(1)) {
      ParsedBlock& rows = parsed_[i];
      rows.num_rows = rows.num_lines = 0;
      rows.error.reset();
      rows.trailing_blank.reset();
      rows.worker = worker;
      if (!blocks[i].too_long) parser.Parse(blocks[i], rows);
      rows.known.clear();
      for (const LocalDictionary& dictionary : parser.dictionaries) rows.known.push_back(dictionary.size());
    }
  });
}

Error BlockSource::Locate(const RowError& error) const {
  Error located(ErrorKind::kInvalidData, format_->Locate(rows_ + error.row + 1, lines_ + error.line + 1, error.what));
  return error.hint.empty() ? std::move(located) : std::move(located).WithHint("{}", error.hint);
}

Result<std::size_t> BlockSource::CheckInOrder(const std::vector<Block>& blocks) {
  std::size_t num_rows = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ParsedBlock& rows = parsed_[i];
    if (pending_blank_ && (rows.num_rows > 0 || rows.error || blocks[i].too_long)) return *pending_blank_;
    if (blocks[i].too_long) {
      return Locate({0, 0, 0, fmt::format("is longer than {} MiB", options_.max_row_bytes >> 20), "is a quote left open?"});
    }
    if (rows.error) return Locate(*rows.error);
    if (rows.trailing_blank && !pending_blank_) pending_blank_ = Locate(*rows.trailing_blank);
    num_rows += rows.num_rows;
    rows_ += rows.num_rows;
    lines_ += rows.num_lines;
    if (rows_ > kMaxRows) return Error::InvalidData("the file has more than {} rows", kMaxRows);
  }
  return num_rows;
}

// Gives every new local entry its code in the column. Columns are independent of each other; within one, blocks go
// in order.
Result<void> BlockSource::Merge(std::size_t num_blocks, const Run& run) {
  ParallelFor(run.threads, dictionaries_.size(), 1, [&](std::size_t column, std::size_t, std::size_t) {
    for (std::size_t i = 0; i < num_blocks; ++i) {
      LocalDictionary& local = workers_[parsed_[i].worker]->dictionaries[column];
      while (local.global.size() < parsed_[i].known[column]) {
        if (dictionaries_[column]->size() >= kMaxCodes) return;
        local.global.push_back(dictionaries_[column]->Intern(local.text(local.global.size())));
      }
    }
  });
  for (std::size_t column = 0; column < dictionaries_.size(); ++column) {
    if (dictionaries_[column]->size() < kMaxCodes) continue;
    return Error::InvalidData("column {} has more than {} distinct values", column_names()[column], kMaxCodes);
  }
  return {};
}

Batch BlockSource::Collect(std::size_t num_blocks, std::size_t num_rows, const Run& run) const {
  Batch batch;
  batch.num_rows = num_rows;
  batch.columns.resize(dictionaries_.size());
  ParallelFor(run.threads, dictionaries_.size(), 1, [&](std::size_t column, std::size_t, std::size_t) {
    std::vector<Code>& to = batch.columns[column];
    if (!format_->schema().kept[column]) {
      to.assign(num_rows, kNull);
      return;
    }
    to.resize(num_rows);
    Code* at = to.data();
    for (std::size_t i = 0; i < num_blocks; ++i) {
      const ParsedBlock& rows = parsed_[i];
      const Code* global = workers_[rows.worker]->dictionaries[column].global.data();
      const Code* from = rows.columns[column].codes.get();
      for (std::size_t row = 0; row < rows.num_rows; ++row) *at++ = from[row] == kNull ? kNull : global[from[row]];
    }
  });
  return batch;
}

void BlockSource::BoundLocalDictionaries() {
  for (const auto& worker : workers_) {
    for (LocalDictionary& local : worker->dictionaries) {
      if (local.size() > kLocalEntries || local.num_bytes() > kLocalBytes) local.Clear();
    }
  }
}

Result<std::optional<Batch>> BlockSource::NextBatch(const Run& run) {
  while (true) {
    CORDON_TRY(std::vector<Block> blocks, TakeBlocks(run));
    if (blocks.empty()) return std::optional<Batch>();
    Parse(blocks, run);
    CORDON_TRY(const std::size_t num_rows, CheckInOrder(blocks));
    CORDON_RETURN_IF_ERROR(Merge(blocks.size(), run));
    std::optional<Batch> batch;
    if (num_rows > 0) batch = Collect(blocks.size(), num_rows, run);
    BoundLocalDictionaries();
    for (Block& block : blocks) feed_->Recycle(std::move(block));
    run.Report("read", feed_->input().raw_read(), feed_->input().raw_total());
    if (batch) return batch;
  }
}

}  // namespace

BlockFeed::BlockFeed(std::unique_ptr<BlockReader> reader, const BlockOptions& options)
    : reader_(std::move(reader)), depth_(2 * options.blocks_per_batch), keep_bytes_(2 * options.block_bytes) {
  if (options.read_ahead) thread_ = std::jthread([this](const std::stop_token& stop) { ReadAhead(stop); });
}

BlockFeed::~BlockFeed() = default;

Result<std::optional<Block>> BlockFeed::Read(const std::stop_token& stop) {
  std::optional<Block> block;
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      block = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (!block) block.emplace();
  CORDON_TRY(const bool more, reader_->Next(*block, stop));
  if (!more) block.reset();
  return block;
}

void BlockFeed::ReadAhead(const std::stop_token& stop) {
  while (true) {
    auto block = [&]() -> Result<std::optional<Block>> {
      try {
        return Read(stop);
      } catch (const std::bad_alloc&) {
        return Error::Io("out of memory while reading");
      }
    }();
    const bool last = !block.ok() || !block.value();
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return queue_.size() < depth_; })) return;
    queue_.push_back(std::move(block));
    changed_.notify_all();
    if (last) return;
  }
}

Result<std::optional<Block>> BlockFeed::Next(const std::stop_token& stop) {
  if (!returned_.empty()) {
    Block block = std::move(returned_.front());
    returned_.pop_front();
    return std::optional<Block>(std::move(block));
  }
  if (ended_) return std::optional<Block>();
  const auto take = [&]() -> Result<std::optional<Block>> {
    if (!thread_.joinable()) return Read(stop);
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return !queue_.empty(); })) return Error::Cancelled();
    Result<std::optional<Block>> block = std::move(queue_.front());
    queue_.pop_front();
    changed_.notify_all();
    return block;
  };
  Result<std::optional<Block>> block = take();
  if (!block.ok() || block.value()) return block;
  ended_ = true;
  digest_ = reader_->FinishDigest();  // the reading thread has left the reader behind
  return block;
}

void BlockFeed::Recycle(Block block) {
  if (block.capacity() > keep_bytes_) return;  // grown for one long row
  const std::lock_guard lock(mutex_);
  if (spare_.size() < depth_) spare_.push_back(std::move(block));
}

std::unique_ptr<Source> MakeBlockSource(std::unique_ptr<BlockFeed> feed, std::unique_ptr<BlockFormat> format,
                                        std::uint64_t lines_before, const BlockOptions& options, std::string name) {
  return std::make_unique<BlockSource>(std::move(feed), std::move(format), lines_before, options, std::move(name));
}

}  // namespace cordon::engine
