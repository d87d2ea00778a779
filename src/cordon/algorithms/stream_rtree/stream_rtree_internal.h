// SPDX-License-Identifier: Apache-2.0
//
// The state of the R-tree publisher. An instant is an arrival: the tuple is placed, then the clock moves on, then the leaves
// that are due by it leave.
//
// The clock. Under a fixed gamma it counts instants, and a leaf's wait is geometric. Otherwise gamma, and with it every
// chance, changes at each instant; the clock then moves by gamma, and a leaf is due when it has moved by E * |C| / weight,
// E exponential with mean 1: the chance of an instant is 1 - exp(-Pr), and no leaf is looked at that has not changed.
#pragma once

#include <optional>

#include "cordon/algorithms/engine/box_loss.h"
#include "cordon/algorithms/engine/departure_buffer.h"
#include "cordon/algorithms/engine/group_requirements.h"
#include "cordon/algorithms/stream_rtree/chain_sampler.h"
#include "cordon/algorithms/stream_rtree/due_queue.h"
#include "cordon/algorithms/stream_rtree/postponed_tuples.h"
#include "cordon/algorithms/stream_rtree/stream_rtree.h"

namespace cordon::engine {

// Sums over the tuples published in groups: the penalty of the group's box, penalty x (1 + alpha)^delay, and the delay.
struct PublishedSums {
  double tuples = 0, penalty = 0, cost = 0, delay = 0;
};

class StreamRtreeState {
 public:
  using Index = LeafStore::Index;
  static constexpr Index kNone = LeafStore::kNone;

  StreamRtreeState(StreamSchema schema, GroupRequirements needs, StreamRtreeOptions options, Random random);
  StreamRtreeState(const StreamRtreeState&) = delete;

  void Push(const Tuple& tuple, std::vector<Departure>& out);
  void Flush(std::vector<Departure>& out);
  std::string Save() const;
  Result<void> Restore(const std::string& snapshot);
  StreamGauges gauges() const { return {leaves_.num_held(), leaves_.num_leaves(), 0}; }

  const StreamSchema& schema() const { return schema_; }
  const GroupRequirements& needs() const { return needs_; }
  const StreamRtreeOptions& options() const { return options_; }
  const Random& random() const { return random_; }
  const LeafStore& leaves() const { return leaves_; }
  const DueQueue& queue() const { return queue_; }
  const std::optional<ChainSampler>& sampler() const { return sampler_; }
  bool warm() const { return warm_; }
  double clock() const { return clock_; }
  std::optional<double> fixed_gamma() const { return fixed_gamma_; }
  // What multiplies the weights to chances at this moment; 0 if no leaf has a weight.
  double Gamma() const;
  // Of a leaf to leave in an instant.
  double Chance(Index slot) const;
  // Leaves published because too many tuples waited, tuples suppressed for that reason, and weights that met their cap.
  std::int64_t forced() const { return forced_; }
  std::int64_t overflowed() const { return overflowed_; }
  std::int64_t capped() const { return capped_; }
  const PublishedSums& published_sums() const { return sums_; }

 private:
  bool sampled() const {
    return options_.method == StreamRtreeOptions::Method::kDensityAware || options_.method == StreamRtreeOptions::Method::kFull;
  }
  bool geometric() const { return fixed_gamma_.has_value(); }
  void PlaceFirst(Index tuple);
  void Insert(Index tuple);
  void Grown(Index slot);  // a leaf has one more: halve it if it is full, and draw when it is due
  void Schedule(Index slot);
  double WeightOf(Index slot);
  void ScheduleAll();
  void MoveClock();
  void Calibrate();
  void PublishDue();
  void Publish(Index slot, std::span<const Index> held);
  void Suppress(Index tuple);
  void RemoveLeaf(Index slot);
  void RescueStarved();
  bool MoveToMature(Index tuple);  // the leaf it comes from may be left empty
  void KeepDelay();
  void KeepCap();
  Index LikeliestLeaf() const;
  std::vector<AxisRange> BoxOf(std::span<const Index> tuples) const;
  void AddToSums(std::span<const Index> leaving);

  std::string Fingerprint() const;
  void LoadTuples(ByteReader& reader, std::vector<Index>& tuples);
  void LoadLeaves(ByteReader& reader, const std::vector<Index>& tuples);

  StreamSchema schema_;
  GroupRequirements needs_;
  std::int64_t k_;
  StreamRtreeOptions options_;
  double log_growth_;
  Random random_;  // as it was given
  Random waits_;
  BoxLoss loss_;  // for coordinates and published boxes
  DepartureBuffer stage_;
  LeafStore leaves_;
  DueQueue queue_;
  std::optional<ChainSampler> sampler_;
  PostponedTuples hold_on_;

  Position now_ = 0;
  std::int64_t last_group_ = 0;
  bool warm_ = false;
  double clock_ = 0;
  std::optional<double> fixed_gamma_;
  double gamma_sum_ = 0;
  std::int64_t gamma_count_ = 0;
  std::int64_t forced_ = 0;
  std::int64_t overflowed_ = 0;
  std::int64_t capped_ = 0;
  PublishedSums sums_;

  bool published_ = false;     // in this instant
  std::vector<double> point_;  // of the tuple that arrives
  std::vector<std::int32_t> values_;
  std::vector<double> box_lo_;  // scratch
  std::vector<double> box_hi_;
  std::vector<Index> held_back_;
};

}  // namespace cordon::engine
