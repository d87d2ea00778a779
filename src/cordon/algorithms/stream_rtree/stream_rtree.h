// SPDX-License-Identifier: Apache-2.0
//
// Groups of a stream without a deadline: tuples wait in the leaves of an R-tree, boxes of k to 2k - 1 people, and each leaf
// leaves by chance, the sooner the less it loses. Waiting costs (1 + alpha) an arrival; about `active` tuples wait at a time,
// which is their mean delay.
//
// Guarantee   every group that leaves has k different people, one tuple each, and l different values where asked for; a tuple
//             leaves once; no more than held_cap() tuples wait.
// Source      B. Zhou, Y. Han, J. Pei, B. Jiang, Y. Tao, Y. Jia, Continuous privacy preserving publishing of data streams,
//             EDBT 2009.
// Departures  listed, with reasons, in docs/algorithms/stream_rtree.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/algorithms/stream_rtree/leaf_store.h"
#include "cordon/base/random.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

struct StreamRtreeOptions {
  enum class Method {
    kMinDelay,      // a group leaves as soon as it has k people; no tree
    kBasic,         // the chance of a leaf goes by its loss
    kDensityAware,  // and by how long it would have to wait for more tuples
    kFull,          // and tuples that will soon have better company are held back
  };
  enum class Control {
    kProportional,  // the more wait, the more leave: about `active` wait
    kFixed,         // proportional until it is known how much leaves, then the chances stay as they are
    kLiteral,       // the number that leaves is the number that arrives, whatever waits: it wanders
  };

  Method method = Method::kFull;
  Control control = Control::kProportional;
  std::int64_t active = 1000;            // tuples to wait at a time (n in the paper)
  double alpha = 0.001;                  // what an arrival of delay costs
  std::int64_t sample = 3000;            // points that tell how dense the stream is (omega)
  std::int64_t sample_window = 10'000;   // arrivals that they are drawn from (W)
  std::int64_t max_holds = 2;            // how often a tuple may be held back
  std::optional<std::int64_t> max_held;  // tuples that may wait at all; absent: twice `active`
  std::int64_t delay_tuples = 0;         // arrivals that a tuple may wait; 0: no bound

  double most_exponent = 13.815510557964274;  // log of the most that sparseness may multiply a chance by
  // Changes only the time taken.
  LeafStore::Search search = LeafStore::Search::kAuto;

  std::int64_t held_cap() const { return max_held.value_or(2 * active); }
  Result<void> Validate(std::int64_t k) const;
};

class StreamRtreeState;

class StreamRtree final : public StreamEngine {
 public:
  // Takes ks-anonymity and k-anonymity, with l-diversity of kind distinct next to them. The random stream protects: in
  // production it comes from the operating system.
  static Result<StreamRtree> Make(StreamSchema schema, std::span<const ModelSpec> models, StreamRtreeOptions options,
                                  Random random);
  StreamRtree(StreamRtree&&) noexcept;
  StreamRtree& operator=(StreamRtree&&) noexcept;
  ~StreamRtree() override;

  void Push(const Tuple& tuple, std::vector<Departure>& out) override;
  void Advance(EventTime now, std::vector<Departure>& out) override;  // nothing: delays are counted in arrivals
  void Flush(std::vector<Departure>& out) override;
  StreamGauges gauges() const override;
  std::vector<std::pair<std::string, double>> figures() const override;  // penalty, cost, mean_delay
  std::string Save() const override;
  Result<void> Restore(const std::string& snapshot) override;

  const StreamRtreeState& state() const { return *state_; }  // for tests: stream_rtree_internal.h

 private:
  explicit StreamRtree(std::unique_ptr<StreamRtreeState> state);
  std::unique_ptr<StreamRtreeState> state_;
};

}  // namespace cordon::engine
