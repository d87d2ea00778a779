// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/stream_rtree/stream_rtree.h"

#include <algorithm>

#include "cordon/algorithms/engine/group_requirements.h"
#include "cordon/algorithms/stream_rtree/stream_rtree_internal.h"
#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kMaxActive = 10'000'000;
constexpr std::int64_t kMaxHeld = 100 * kMaxActive;
constexpr std::int64_t kMaxWindow = 1'000'000;
constexpr std::int64_t kMaxHolds = 1'000'000;
constexpr double kMaxExponent = 600;  // so that weights are numbers
constexpr double kMaxAlpha = 1e6;

}  // namespace

Result<void> StreamRtreeOptions::Validate(std::int64_t k) const {
  if (k < 2) return Error::InvalidPolicy("stream-rtree needs a k of at least 2, not {}", k);
  if (!(alpha >= 0 && alpha <= kMaxAlpha)) {
    return Error::InvalidPolicy("stream-rtree: alpha = {} is not from 0 to {}", alpha, kMaxAlpha)
        .WithHint("alpha is what an arrival of delay costs: 0 for nothing, 0.001 for a thousandth");
  }
  if (k > kMaxActive / 2) {
    return Error::InvalidPolicy("stream-rtree needs a k of at most {}, not {}", kMaxActive / 2, k)
        .WithHint("at least 2k tuples wait, and no more than {} can", kMaxActive);
  }
  if (active < 2 * k || active > kMaxActive) {
    return Error::InvalidPolicy("stream-rtree: active = {} is not from 2k = {} to {}", active, 2 * k, kMaxActive)
        .WithHint("this many tuples wait at a time, which is their mean delay; {} is a good choice",
                  10 * k <= kMaxActive ? fmt::format("10k = {}", 10 * k) : fmt::format("{}", kMaxActive));
  }
  if (sample < 1) {
    return Error::InvalidPolicy("stream-rtree: sample must be at least 1").WithHint("leave it out: 3000 points do well");
  }
  if (sample_window < sample) {
    return Error::InvalidPolicy("stream-rtree: sample_window = {} is less than sample = {}", sample_window, sample)
        .WithHint("the sample is drawn from the last sample_window arrivals");
  }
  if (sample_window > kMaxWindow) {
    return Error::InvalidPolicy("stream-rtree: sample_window = {} is more than {}", sample_window, kMaxWindow)
        .WithHint("that many points would be kept in memory");
  }
  if (max_held && (*max_held < active || *max_held > kMaxHeld)) {
    const std::string wrong =
        *max_held < active ? fmt::format("less than active = {}", active) : fmt::format("more than {}", kMaxHeld);
    return Error::InvalidPolicy("stream-rtree: max_held = {} is {}", *max_held, wrong)
        .WithHint("leave it out: then twice active may wait");
  }
  if (delay_tuples != 0 && delay_tuples < k - 1) {
    return Error::InvalidPolicy("stream-rtree: {} tuples wait at most, so no group can have {} people", delay_tuples + 1, k)
        .WithHint("a delay of at least {} is needed", k - 1);
  }
  if (delay_tuples != 0 && method != StreamRtreeOptions::Method::kMinDelay && delay_tuples < active) {
    return Error::InvalidPolicy("stream-rtree: the delay of {} is less than active = {}, the mean delay", delay_tuples, active)
        .WithHint("set active to at most half of the delay, or leave the delay out");
  }
  if (max_holds > kMaxHolds) {
    return Error::InvalidPolicy("stream-rtree: max_holds = {} is more than {}", max_holds, kMaxHolds)
        .WithHint("more than a few change nothing");
  }
  CORDON_CHECK(most_exponent >= 0 && most_exponent <= kMaxExponent && max_holds >= 0);
  return {};
}

Result<StreamRtree> StreamRtree::Make(StreamSchema schema, std::span<const ModelSpec> models, StreamRtreeOptions options,
                                      Random random) {
  CORDON_RETURN_IF_ERROR(BoxLoss::Check(schema));
  CORDON_TRY(GroupRequirements needs, GroupRequirements::From(models, schema, "stream-rtree"));
  CORDON_RETURN_IF_ERROR(options.Validate(needs.k));
  return StreamRtree(std::make_unique<StreamRtreeState>(std::move(schema), std::move(needs), options, random));
}

StreamRtree::StreamRtree(std::unique_ptr<StreamRtreeState> state) : state_(std::move(state)) {}
StreamRtree::StreamRtree(StreamRtree&&) noexcept = default;
StreamRtree& StreamRtree::operator=(StreamRtree&&) noexcept = default;
StreamRtree::~StreamRtree() = default;

void StreamRtree::Push(const Tuple& tuple, std::vector<Departure>& out) { state_->Push(tuple, out); }
void StreamRtree::Advance(EventTime, std::vector<Departure>&) {}
void StreamRtree::Flush(std::vector<Departure>& out) { state_->Flush(out); }
std::vector<std::pair<std::string, double>> StreamRtree::figures() const {
  const PublishedSums& sums = state_->published_sums();
  const double tuples = std::max(1.0, sums.tuples);
  return {{"penalty", sums.penalty / tuples}, {"cost", sums.cost / tuples}, {"mean_delay", sums.delay / tuples}};
}
StreamGauges StreamRtree::gauges() const { return state_->gauges(); }
std::string StreamRtree::Save() const { return state_->Save(); }

// Into a fresh state, so that a damaged snapshot leaves this one as it was.
Result<void> StreamRtree::Restore(const std::string& snapshot) {
  auto fresh = std::make_unique<StreamRtreeState>(state_->schema(), state_->needs(), state_->options(), state_->random());
  CORDON_RETURN_IF_ERROR(fresh->Restore(snapshot));
  state_ = std::move(fresh);
  return {};
}

}  // namespace cordon::engine
