// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/read_ahead.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kAhead = 4;
constexpr std::size_t kMaxRecords = 2048;
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

}  // namespace

RecordReadAhead::RecordReadAhead(RecordReader& reader, TupleCoder& coder)
    : reader_(reader), coder_(coder), thread_([this](const std::stop_token& stop) { Work(stop); }) {}

RecordReadAhead::~RecordReadAhead() {
  thread_.request_stop();
  changed_.notify_all();
}

void RecordReadAhead::Work(const std::stop_token& stop) {
  CodedBatch batch;
  InputRecord record;
  Result<void> failure;
  std::size_t dead_bytes = 0;
  try {
    while (!stop.stop_requested()) {
      auto next = reader_.Read(record, batch.entries.empty(), stop);
      if (!next.ok()) {
        failure = std::move(next).error();
        break;
      }
      if (next.value() == RecordReader::Next::kEnd) break;
      if (next.value() == RecordReader::Next::kRecord) {
        coder_.Add(record, batch);
        if (batch.entries.back().kind == CodedBatch::Entry::Kind::kDead) dead_bytes += record.raw.size();
        if (batch.entries.size() < kMaxRecords && batch.payload.size() + dead_bytes < kMaxBytes) continue;
      }
      if (!Hand(std::move(batch), stop)) return;
      dead_bytes = 0;
      const std::lock_guard lock(mutex_);
      batch = {};
      if (!spare_.empty()) {
        batch = std::move(spare_.back());
        spare_.pop_back();
      }
    }
  } catch (const std::exception&) {  // out of memory: the driver is told
    failure = Error::Io("out of memory while reading");
  }
  if (!batch.entries.empty()) (void)Hand(std::move(batch), stop);
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  ended_ = true;
  changed_.notify_all();
}

bool RecordReadAhead::Hand(CodedBatch&& batch, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [&] { return ready_.size() < kAhead; })) return false;
  ready_.push_back(std::move(batch));
  changed_.notify_all();
  return true;
}

Result<RecordReadAhead::Got> RecordReadAhead::Next(CodedBatch& batch, std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, most, [&] { return !ready_.empty() || ended_; })) return Got::kNothingYet;
  if (ready_.empty()) {
    if (!failure_.ok()) return failure_.error();
    return Got::kEnd;
  }
  batch = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  return Got::kBatch;
}

bool RecordReadAhead::idle() const {
  const std::lock_guard lock(mutex_);
  return ready_.empty();
}

void RecordReadAhead::Recycle(CodedBatch batch) {
  batch.Clear();
  const std::lock_guard lock(mutex_);
  if (spare_.size() < kAhead) spare_.push_back(std::move(batch));
}

}  // namespace cordon::engine
