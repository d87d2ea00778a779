// SPDX-License-Identifier: Apache-2.0
//
// Reads and codes on a separate thread, a few batches ahead and no more: if the engine is slower than the input, the
// input waits, and memory stays bounded. Where batches end changes nothing but when things happen.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cordon/io/text/record_reader.h"
#include "cordon/stream/tuple_coder.h"

namespace cordon::engine {

class RecordReadAhead {
 public:
  // `reader` and `coder` outlive the pump and belong to its thread from now on.
  RecordReadAhead(RecordReader& reader, TupleCoder& coder);
  ~RecordReadAhead();

  enum class Got { kBatch, kNothingYet, kEnd };
  // Waits up to `most` for the next batch.
  Result<Got> Next(CodedBatch& batch, std::chrono::milliseconds most);
  // Whether Next would wait.
  bool idle() const;
  void Recycle(CodedBatch batch);

 private:
  void Work(const std::stop_token& stop);
  bool Hand(CodedBatch&& batch, const std::stop_token& stop);

  RecordReader& reader_;
  TupleCoder& coder_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<CodedBatch> ready_;
  std::vector<CodedBatch> spare_;
  Result<void> failure_;
  bool ended_ = false;

  std::jthread thread_;  // last: stops before the rest goes
};

}  // namespace cordon::engine
