// SPDX-License-Identifier: Apache-2.0
//
// Drives a stream engine as the runtime does, with the verifier before every departure, and writes down what left when.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cordon/algorithms/castle/castle.h"
#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/models/verify/stream_verifier.h"

namespace cordon::engine::test {

// A tuple that owns its cells.
struct Arrival {
  PersonId person = 0;
  std::vector<std::int64_t> quasi;
  std::vector<std::int32_t> sensitive = {};
  EventTime time = 0;
};

// What left, with the step it left at: the position of the newest tuple then.
struct Left {
  Departure departure;
  Position step = 0;
};

inline StreamSchema NumericSchema(std::size_t axes, std::int64_t lo, std::int64_t hi) {
  StreamSchema schema;
  for (std::size_t i = 0; i < axes; ++i) schema.quasi.push_back({.name = "q" + std::to_string(i), .lo = lo, .hi = hi});
  return schema;
}

inline StreamAxis CategoryAxis(std::string name, Hierarchy hierarchy) {
  StreamAxis axis{.name = std::move(name), .lo = 0, .hi = hierarchy.num_leaves() - 1};
  axis.hierarchy = std::make_shared<const Hierarchy>(std::move(hierarchy));
  return axis;
}

class StreamRun {
 public:
  StreamRun(StreamEngine& engine, StreamVerifier& verifier) : engine_(&engine), verifier_(&verifier) {}

  void Push(const Arrival& arrival) {
    const Tuple tuple{++position_, arrival.time, arrival.person, arrival.quasi, arrival.sensitive};
    Expect(verifier_->Arrive(tuple));
    std::vector<Departure> out;
    engine_->Push(tuple, out);
    Take(std::move(out));
    Expect(verifier_->EndStep());
  }
  void Advance(EventTime now) {
    Expect(verifier_->Advance(now));
    std::vector<Departure> out;
    engine_->Advance(now, out);
    Take(std::move(out));
    Expect(verifier_->EndStep());
  }
  void Flush() {
    std::vector<Departure> out;
    engine_->Flush(out);
    Take(std::move(out));
    Expect(verifier_->EndStep());
    Expect(verifier_->Finish());
  }

  const std::vector<Left>& left() const { return left_; }
  Position position() const { return position_; }
  void ContinueFrom(Position position) { position_ = position; }

 private:
  static void Expect(const Result<void>& result) { ASSERT_TRUE(result.ok()) << result.error().message(); }
  void Take(std::vector<Departure> out) {
    for (Departure& departure : out) {
      auto verified = verifier_->Accept(std::move(departure));
      ASSERT_TRUE(verified.ok()) << verified.error().message();
      left_.push_back({verified.value().departure(), position_});
    }
  }

  StreamEngine* engine_;
  StreamVerifier* verifier_;
  Position position_ = 0;
  std::vector<Left> left_;
};

inline StreamVerifier VerifierFor(const StreamSchema& schema, const std::vector<ModelSpec>& models,
                                  const CastleOptions& options) {
  return StreamVerifier::Make(schema, models,
                              {.delay_tuples = options.delay_tuples,
                               .delay_ms = options.delay_ms,
                               .pool = options.pool,
                               .reuse_cap = static_cast<std::size_t>(options.reuse_cap)})
      .value();
}

// "step 4: group [10,12] 1 2 | group [50,80] 3 4", positions ascending, departures by their first position.
inline std::string Told(std::vector<Left> left) {
  static constexpr const char* kKinds[] = {"group", "reuse", "suppressed", "pooled"};
  for (Left& each : left) std::sort(each.departure.positions.begin(), each.departure.positions.end());
  std::sort(left.begin(), left.end(),
            [](const Left& a, const Left& b) { return a.departure.positions < b.departure.positions; });
  std::string text;
  for (const Left& each : left) {
    text += text.empty() ? "" : " | ";
    text += kKinds[static_cast<int>(each.departure.kind)];
    for (const AxisRange& range : each.departure.box) text += fmt::format(" [{},{}]", range.lo, range.hi);
    for (const Position position : each.departure.positions) text += fmt::format(" {}", position);
  }
  return text;
}

}  // namespace cordon::engine::test
