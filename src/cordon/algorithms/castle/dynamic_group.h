// SPDX-License-Identifier: Apache-2.0
//
// Condensation of a stream into groups around centroids: the comparator of the CASTLE experiments. Each tuple joins the group
// with the nearest centroid; a group that reaches 2k people is halved along its longest axis. All groups leave together, with
// their bounding boxes, when the oldest tuple's time is up, and at the end.
//
// Guarantee   every group that leaves has k different people (and l different values where asked for); no tuple waits longer
//             than the delay; a tuple leaves once.
// Source      C. Aggarwal, P. Yu, A condensation approach to privacy preserving data mining, EDBT 2004, as CASTLE's authors
//             compare themselves with it: a delay as long as the stream gives their setting.
// Departures  listed, with reasons, in docs/algorithms/dynamic_group.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/base/random.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

struct DynamicGroupOptions {
  // How long a tuple may wait: in arrivals or in event time. Exactly one is above 0.
  std::int64_t delay_tuples = 0;
  EventTime delay_ms = 0;

  Result<void> Validate() const;
};

class DynamicGroupState;

class DynamicGroup final : public StreamEngine {
 public:
  // Numbers and dates only: categories have no centroid.
  static Result<DynamicGroup> Make(StreamSchema schema, std::span<const ModelSpec> models, DynamicGroupOptions options,
                                   Random random);
  DynamicGroup(DynamicGroup&&) noexcept;
  DynamicGroup& operator=(DynamicGroup&&) noexcept;
  ~DynamicGroup() override;

  void Push(const Tuple& tuple, std::vector<Departure>& out) override;
  void Advance(EventTime now, std::vector<Departure>& out) override;
  void Flush(std::vector<Departure>& out) override;
  StreamGauges gauges() const override;
  std::string Save() const override;
  Result<void> Restore(const std::string& snapshot) override;

 private:
  explicit DynamicGroup(std::unique_ptr<DynamicGroupState> state);
  std::unique_ptr<DynamicGroupState> state_;
};

}  // namespace cordon::engine
