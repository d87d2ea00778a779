// SPDX-License-Identifier: Apache-2.0
//
// What a stream has done so far: counts, losses and delays, without a cell of the data. Part of a checkpoint, so that they
// go on after a restart.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/base/bytes.h"
#include "cordon/data/stream.h"
#include "cordon/stream/layout.h"

namespace cordon::engine {

// Counts of values by size, exact below 64 and within 1/32 above.
class Histogram {
 public:
  void Add(std::uint64_t value, std::uint64_t times = 1);
  // The least value with at least this share of all values at or below it, as exact as the buckets are.
  std::uint64_t Quantile(double share) const;
  std::uint64_t count() const { return count_; }
  std::uint64_t max() const { return max_; }

  void Save(ByteWriter& out) const;
  void Restore(ByteReader& in);

 private:
  static constexpr std::size_t kBuckets = 64 + 32 * 58;
  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

struct StreamMetrics {
  std::uint64_t records = 0;  // read: tuples, dead letters and dropped ones
  std::uint64_t tuples = 0;   // taken in
  std::uint64_t dead_letters = 0;
  std::uint64_t dropped = 0;   // by on_missing = "drop"
  std::uint64_t released = 0;  // tuples published in a group, old or new
  std::uint64_t reused = 0;    // of these, in a group published before
  std::uint64_t pooled = 0;    // of these, under the widest box
  std::uint64_t suppressed = 0;
  std::uint64_t groups = 0;
  std::uint64_t rows = 0;         // written
  std::uint64_t least_group = 0;  // tuples in the smallest group that was new
  std::uint64_t most_group = 0;
  std::uint64_t checkpoints = 0;
  double loss_sum = 0;              // over released tuples: mean over the quasi attributes
  std::vector<double> axis_losses;  // the same, by attribute
  Histogram delay_tuples;
  Histogram delay_ms;   // of event time, if the delay is one
  StreamGauges gauges;  // of this moment; not saved

  // `now` and `clock`: of the step that it leaves in.
  void Take(const Departure& departure, const StreamLayout& layout, Position now);

  std::uint64_t left() const { return released + suppressed; }
  // Suppressed tuples count 1.
  double information_loss() const {
    return left() == 0 ? 0 : (loss_sum + static_cast<double>(suppressed)) / static_cast<double>(left());
  }
  double released_loss() const { return released == 0 ? 0 : loss_sum / static_cast<double>(released); }

  void Save(ByteWriter& out) const;
  void Restore(ByteReader& in);
};

// The text format of Prometheus, version 0.0.4.
std::string PrometheusText(const StreamMetrics& metrics);

// Where the driver leaves its metrics for anyone who asks, now and then.
class MetricsBoard {
 public:
  void Post(const StreamMetrics& metrics) {
    const std::lock_guard lock(mutex_);
    metrics_ = metrics;
  }
  StreamMetrics Read() const {
    const std::lock_guard lock(mutex_);
    return metrics_;
  }

 private:
  mutable std::mutex mutex_;
  StreamMetrics metrics_;
};

}  // namespace cordon::engine
