// SPDX-License-Identifier: Apache-2.0
//
// A uniform sample of the last `window` arrivals: independent chains, each of which has one of them, drawn with the same
// chance. A chain knows its sample and, in a queue, who follows when that one has left the window; the successor was chosen
// on arrival, so nothing is drawn from the past and an expired point is never a sample, not for one step.
//
// Step i does what every chain would do on its own (the successor of a sample that expires; else a coin of 1 / min(i, window)
// to start over with the arrival; a place in the queue if it was its turn), but touches only the chains to which something
// happens: which of them start over is found by skipping, whose sample expires and whose turn it is stands in two calendars.
//
// Source  B. Babcock, M. Datar, R. Motwani, Sampling from a moving window over streaming data, SODA 2002.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/stream_rtree/leaf_kernels.h"
#include "cordon/base/bytes.h"
#include "cordon/base/random.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

class ChainSampler {
 public:
  // Coordinates on axis a are whole numbers from 0 to ranges[a].
  ChainSampler(std::vector<double> ranges, std::int64_t sample, std::int64_t window, Random random);

  void Step(const double* point);

  Position steps() const { return steps_; }
  std::size_t num_chains() const { return chains_.size(); }
  // The number of the arrival that a chain has as its sample, and where that lies. REQUIRES: steps() > 0.
  Position arrival(std::size_t chain) const { return chains_[chain].queue.front(); }
  const double* point(std::size_t chain) const { return samples_.data() + chain * ranges_.size(); }

  // Samples in a closed box.
  std::int64_t CountWithin(std::span<const double> lo, std::span<const double> hi) const;
  // Their chains, ascending.
  void FindWithin(std::span<const double> lo, std::span<const double> hi, std::vector<std::int32_t>& chains) const;

  void Save(ByteWriter& writer) const;
  // `steps`: as the caller knows it.
  void Restore(ByteReader& reader, Position steps);

 private:
  struct Chain {
    std::vector<Position> queue;  // the sample and its successors that have arrived
    Position next = 0;            // whose turn it is after them
  };
  // Chains by a step modulo the window, each in at most one place.
  class Calendar {
   public:
    Calendar(std::size_t chains, std::size_t window) : first_(window, -1), links_(chains) {}
    void Put(std::int32_t chain, Position step);
    void Remove(std::int32_t chain);
    // Takes them out, ascending.
    void Take(Position step, std::vector<std::int32_t>& chains);

   private:
    struct Link {
      std::int32_t before = -1;
      std::int32_t after = -1;
      std::int64_t place = -1;
    };
    std::vector<std::int32_t> first_;
    std::vector<Link> links_;
  };

  const double* PointOf(Position arrival) const {
    return points_.data() + static_cast<std::size_t>(arrival % window_) * ranges_.size();
  }
  double* PointOf(Position arrival) { return points_.data() + static_cast<std::size_t>(arrival % window_) * ranges_.size(); }
  std::uint8_t CodeOf(std::size_t axis, double x) const;
  void NewSample(std::int32_t chain);  // its queue has a new front
  void Append(std::int32_t chain);
  void FindRestarts();
  std::size_t MarkWithin(std::span<const double> lo, std::span<const double> hi) const;
  template <typename Visit>
  void ForEachMarked(const Visit& visit) const;
  std::size_t Sieve(std::span<const double> lo, std::span<const double> hi) const;
  void LoadChain(ByteReader& reader, std::int32_t chain, const std::vector<Position>& arrivals);

  std::vector<double> ranges_;
  std::int64_t window_;
  Random random_;
  Position steps_ = 0;
  std::vector<double> points_;  // the last `window` arrivals, in a ring
  std::vector<Chain> chains_;
  std::vector<double> samples_;  // by chain, where its sample lies: all in one place
  Calendar expiry_;
  Calendar turns_;
  // By axis and chain, a byte of each coordinate of the sample. If an axis has more than 256 values the bytes keep their
  // order but not all of them apart: then they are a sieve, and the points decide.
  std::vector<std::uint8_t> codes_;
  std::vector<double> code_scales_;
  bool exact_codes_ = true;

  std::vector<std::int32_t> expired_;  // of this step
  std::vector<std::int32_t> restarts_;
  std::vector<std::int32_t> turning_;
  mutable std::vector<internal::CodeTest> tests_;
  mutable std::vector<std::uint8_t> marks_;
};

}  // namespace cordon::engine
