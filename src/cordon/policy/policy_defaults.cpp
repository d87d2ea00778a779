// SPDX-License-Identifier: Apache-2.0
//
// Options that are spelled out as they would be anyway say nothing: they are left out of a policy that was read, so that its
// digest, and whatever else goes by the options, is the same. Defaults are those of the algorithms' own options.
#include <algorithm>

#include "cordon/algorithms/buckets/burel.h"
#include "cordon/algorithms/castle/castle.h"
#include "cordon/algorithms/full_domain/full_domain.h"
#include "cordon/algorithms/sabre_w/sabre_w.h"
#include "cordon/algorithms/stream_rtree/stream_rtree.h"
#include "cordon/policy/policy_reader.h"

namespace cordon::engine::internal {
namespace {

using Value = std::variant<bool, std::int64_t, Rational, std::string>;
using Defaults = std::map<std::string, std::map<std::string, Value>>;

std::int64_t WindowOf(const Policy& policy) {
  std::int64_t window = 0;
  for (const ModelSpec& spec : policy.models) window = std::max(window, WindowOf(spec).value_or(0));
  return window;
}

bool HasClass(const Policy& policy) {
  return std::any_of(policy.attributes.begin(), policy.attributes.end(),
                     [](const AttributePolicy& attribute) { return attribute.role == Role::kClass; });
}

// The shortest decimal that is read back as the number; none where there is no exact one.
std::optional<Rational> Exactly(double value) {
  const Result<Rational> read = Rational::Parse(fmt::format("{}", value));
  return read.ok() ? std::optional(read.value()) : std::nullopt;
}

// Keys that have no default of their own (how many refinements at most, say) are not here.
Defaults DefaultsOf(const Policy& policy) {
  const std::string utility = HasClass(policy) ? "class" : "distortion";
  CastleOptions castle;
  if (policy.stream) {
    castle.delay_tuples = policy.stream->delay_tuples.value_or(0);
    castle.delay_ms = policy.stream->delay_ms.value_or(0);
  }
  StreamRtreeOptions rtree;
  rtree.active = policy.algorithm.Option<std::int64_t>("stream-rtree", "active").value_or(rtree.active);
  const SabreWOptions window;
  Defaults defaults = {
      {"mondrian", {{"dims", "all"}, {"categorical", "hierarchy"}, {"relaxed", false}}},
      {"full-domain", {{"checks", static_cast<std::int64_t>(FullDomainOptions().checks)}}},
      {"sabre", {{"bound", "thesis"}}},
      {"burel", {{"margin", BurelOptions().margin}, {"neighbours", "hilbert"}}},
      {"tdr", {{"utility", utility}, {"score", "gain-per-loss"}}},
      {"tdd", {{"utility", utility}, {"score", "gain-per-loss"}}},
      {"tdssa", {{"utility", utility}, {"score", "gain-per-loss"}}},
      {"castle",
       {{"max_open", castle.max_open},
        {"history", castle.history},
        {"reuse", "uniform"},
        {"reuse_cap", castle.reuse_cap},
        {"reuse_ttl", castle.life()},
        {"outlier", castle.outlier},
        {"loss", "paper"},
        {"batch", castle.batch},
        {"pool_cap", castle.pool_cap},
        {"cuts", "best"},
        {"split_tries", castle.split_tries}}},
      {"sabre-w",
       {{"step", SabreWOptions::DefaultStep(WindowOf(policy))},
        {"partition", "sabre"},
        {"rho", window.rho},
        {"lazy", window.lazy},
        {"short", "static"}}},
      {"stream-rtree",
       {{"method", "full"},
        {"active", StreamRtreeOptions().active},
        {"sample", rtree.sample},
        {"sample_window", rtree.sample_window},
        {"max_holds", rtree.max_holds},
        {"control", "proportional"}}},
  };
  if (const auto alpha = Exactly(rtree.alpha)) defaults["stream-rtree"]["alpha"] = *alpha;
  if (const auto sweeps = Exactly(window.sweeps)) defaults["sabre-w"]["sweeps"] = *sweeps;
  if (rtree.active < std::int64_t{1} << 60) defaults["stream-rtree"]["max_held"] = rtree.held_cap();
  return defaults;
}

}  // namespace

void LeaveOutDefaults(Policy& policy) {
  const Defaults defaults = DefaultsOf(policy);
  for (auto& [algorithm, options] : policy.algorithm.options) {
    const auto of = defaults.find(algorithm);
    if (of == defaults.end()) continue;
    std::erase_if(options, [&](const auto& option) {
      const auto found = of->second.find(option.first);
      return found != of->second.end() && found->second == option.second.value;
    });
  }
  std::erase_if(policy.algorithm.options, [](const auto& table) { return table.second.empty(); });
  // A window gives the delay.
  const std::int64_t window = WindowOf(policy);
  const bool by_window = window > 0 && (policy.algorithm.name == "auto" || policy.algorithm.name == "sabre-w");
  if (!policy.stream || !by_window) return;
  const std::int64_t step =
      policy.algorithm.Option<std::int64_t>("sabre-w", "step").value_or(SabreWOptions::DefaultStep(window));
  std::int64_t delay = 0;
  if (!__builtin_add_overflow(window - 1, step, &delay) && policy.stream->delay_tuples == delay) {
    policy.stream->delay_tuples.reset();
  }
}

}  // namespace cordon::engine::internal
