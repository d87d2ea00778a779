// SPDX-License-Identifier: Apache-2.0
//
// The state of CASTLE and its steps. References between the members: it does not move.
#pragma once

#include <limits>

#include "cordon/algorithms/castle/castle.h"
#include "cordon/algorithms/castle/castle_split.h"
#include "cordon/algorithms/castle/loss_history.h"
#include "cordon/algorithms/castle/open_clusters.h"
#include "cordon/algorithms/castle/reuse_set.h"
#include "cordon/algorithms/castle/suppression_pool.h"
#include "cordon/algorithms/engine/departure_buffer.h"

namespace cordon::engine {

class CastleState {
 public:
  using Lane = OpenClusters::Lane;

  CastleState(StreamSchema schema, GroupRequirements needs, CastleOptions options, const Random& random);
  CastleState(const CastleState&) = delete;

  void Push(const Tuple& tuple, std::vector<Departure>& out);
  void Advance(EventTime now, std::vector<Departure>& out);
  void Flush(std::vector<Departure>& out);
  std::string Save() const;
  Result<void> Restore(const std::string& snapshot);

  StreamGauges gauges() const {
    return {clusters_.held() + stage_.num_tuples() + pool_.size(), clusters_.num_clusters(), reuse_.size()};
  }
  double threshold() const { return history_.mean(); }
  const ReuseSet& reusable() const { return reuse_; }

  const StreamSchema& schema() const { return schema_; }
  const CastleOptions& options() const { return options_; }
  const GroupRequirements& needs() const { return needs_; }
  Random FreshRandom() const { return choices_; }

 private:
  Lane Best(Position position);
  void Place(Position position);
  void ExpireDue();
  void Expire(Position position);
  bool IsOutlier(Lane lane) const;
  bool TryReuse(Position position);
  void Suppress(Position position);
  void EmitSuppressed(std::vector<Position> positions);
  void Output(Lane lane);
  void Emit(std::vector<Position> positions, const LossBox& box);
  bool Admit(double loss, const std::vector<AxisRange>& box);
  std::optional<Lane> OldestUnready() const;
  bool IsDue(Position position) const;
  std::int64_t Clock() const { return options_.delay_ms > 0 ? now_ : clusters_.last(); }
  std::string Fingerprint() const;
  void Load(ByteReader& reader);

  StreamSchema schema_;
  GroupRequirements needs_;
  CastleOptions options_;
  std::int64_t delay_tuples_;  // what is left of it within a batch
  BoxLoss loss_;
  OpenClusters clusters_;
  ReuseSet reuse_;
  LossHistory history_;
  SuppressionPool pool_;
  Splitter splitter_;
  DepartureBuffer stage_;
  Random choices_;
  EventTime now_ = std::numeric_limits<EventTime>::min();
  std::int64_t last_cluster_ = 0;
  std::int64_t last_group_ = 0;
  // Kept for their memory.
  std::vector<double> joined_;
  std::vector<double> increase_;
  std::vector<std::int64_t> cells_;
};

}  // namespace cordon::engine
