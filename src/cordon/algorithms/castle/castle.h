// SPDX-License-Identifier: Apache-2.0
//
// CASTLE: groups of a stream under a bound on the delay. Each tuple joins the open cluster that it widens least, or opens a
// new one; when a tuple's time is up its cluster leaves, if need be after a merge, or the tuple joins a group that has left.
//
// Guarantee   every group that leaves has k different people (and l different values where asked for); no tuple waits longer
//             than the delay; a tuple leaves once.
// Source      J. Cao, B. Carminati, E. Ferrari, K.-L. Tan, CASTLE, TDSC 2011; J. Cao, PhD thesis, NUS 2010, chapter 5.
// Departures  listed, with reasons, in docs/algorithms/castle.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/algorithms/castle/castle_split.h"
#include "cordon/algorithms/engine/box_loss.h"
#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/base/random.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

struct CastleOptions {
  enum class Reuse {
    kUniform,   // any of the groups that hold the tuple, each with the same chance
    kDisjoint,  // a group may be joined only if it overlaps no other such group: there is never a choice
    kOff,
  };

  // How long a tuple may wait: in arrivals or in event time. Exactly one is above 0.
  std::int64_t delay_tuples = 0;
  EventTime delay_ms = 0;
  std::int64_t max_open = 50;                   // open clusters (beta in the paper, eta in the thesis)
  std::int64_t history = 100;                   // groups whose mean loss is the threshold of a new one (mu)
  Reuse reuse = Reuse::kUniform;                // may later tuples join groups that have left?
  std::int64_t reuse_cap = 4096;                // groups that can be joined; the oldest gives way
  std::optional<std::int64_t> reuse_ttl;        // and for how long after they left, in the unit of the delay; default 10 delays
  Splitter::Cuts cuts = Splitter::Cuts::kBest;  // how a large cluster that leaves is cut
  std::int64_t split_tries = 2;                 // random cuts among which the one of least loss is taken
  BoxLoss::Form loss = BoxLoss::Form::kPaper;   // the loss of a category
  bool outlier = false;                         // suppress a tuple whose cluster is smaller than most, as the paper does
  bool pool = false;                            // suppressed tuples wait for others, to leave together under the widest box
  std::int64_t pool_cap = 4096;                 // tuples that may wait so
  std::int64_t batch = 1;  // departures only at every batch-th arrival; within the delay, which is in arrivals

  std::int64_t life() const;  // of a group that can be joined: reuse_ttl, or its default
  Result<void> Validate() const;
};

class CastleState;

class Castle final : public StreamEngine {
 public:
  // Takes ks-anonymity, k-anonymity and l-diversity of kind distinct. The random stream protects: in production it comes from
  // the operating system.
  static Result<Castle> Make(StreamSchema schema, std::span<const ModelSpec> models, CastleOptions options, Random random);
  Castle(Castle&&) noexcept;
  Castle& operator=(Castle&&) noexcept;
  ~Castle() override;

  void Push(const Tuple& tuple, std::vector<Departure>& out) override;
  void Advance(EventTime now, std::vector<Departure>& out) override;
  void Flush(std::vector<Departure>& out) override;
  StreamGauges gauges() const override;
  std::string Save() const override;
  Result<void> Restore(const std::string& snapshot) override;

  double threshold() const;                              // tau: mean loss of the groups last closed
  std::vector<std::vector<AxisRange>> reusable() const;  // boxes that may be joined, the oldest first

 private:
  explicit Castle(std::unique_ptr<CastleState> state);
  std::unique_ptr<CastleState> state_;
};

}  // namespace cordon::engine
