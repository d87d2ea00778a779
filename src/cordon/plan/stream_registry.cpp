// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/stream_registry.h"

#include <algorithm>
#include <array>

#include "cordon/algorithms/castle/castle.h"
#include "cordon/algorithms/castle/dynamic_group.h"
#include "cordon/algorithms/sabre_w/sabre_w.h"
#include "cordon/algorithms/stream_rtree/stream_rtree.h"
#include "cordon/base/nearest.h"
#include "cordon/policy/catalog.h"

namespace cordon::engine {
namespace {

using MadeEngine = Result<std::unique_ptr<StreamEngine>>;

template <typename Engine>
MadeEngine AsEngine(Result<Engine> made) {
  CORDON_TRY(Engine engine, std::move(made));
  return std::unique_ptr<StreamEngine>(std::make_unique<Engine>(std::move(engine)));
}

// The delay of [stream], for algorithms that count it either way.
template <typename Options>
void TakeDelay(const Policy& policy, Options& options) {
  options.delay_tuples = policy.stream->delay_tuples.value_or(0);
  options.delay_ms = policy.stream->delay_ms.value_or(0);
}

CastleOptions CastleOptionsOf(const Policy& policy) {
  const AlgorithmPolicy& algorithm = policy.algorithm;
  CastleOptions options;
  TakeDelay(policy, options);
  const auto whole = [&](const char* key, std::int64_t& value) {
    value = algorithm.Option<std::int64_t>("castle", key).value_or(value);
  };
  whole("max_open", options.max_open);
  whole("history", options.history);
  whole("reuse_cap", options.reuse_cap);
  whole("pool_cap", options.pool_cap);
  whole("batch", options.batch);
  whole("split_tries", options.split_tries);
  options.reuse_ttl = algorithm.Option<std::int64_t>("castle", "reuse_ttl");
  const auto reuse = algorithm.Option<std::string>("castle", "reuse");
  if (reuse == "disjoint") options.reuse = CastleOptions::Reuse::kDisjoint;
  if (reuse == "off") options.reuse = CastleOptions::Reuse::kOff;
  if (algorithm.Option<std::string>("castle", "loss") == "thesis") options.loss = BoxLoss::Form::kThesis;
  if (algorithm.Option<std::string>("castle", "cuts") == "seeds") options.cuts = Splitter::Cuts::kSeeds;
  options.outlier = algorithm.Option<bool>("castle", "outlier").value_or(false);
  options.pool = algorithm.suppressed == Suppression::kPool;
  return options;
}

MadeEngine MakeCastle(const StreamSchema& schema, const Policy& policy, Random random) {
  return AsEngine(Castle::Make(schema, policy.models, CastleOptionsOf(policy), random));
}

StreamVerifierOptions VerifyCastle(const Policy& policy) {
  const CastleOptions options = CastleOptionsOf(policy);
  StreamVerifierOptions verify;
  TakeDelay(policy, verify);
  verify.pool = options.pool;
  verify.reuse_cap =
      options.reuse == CastleOptions::Reuse::kOff ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(0, options.reuse_cap));
  return verify;
}

DynamicGroupOptions DynamicGroupOptionsOf(const Policy& policy) {
  DynamicGroupOptions options;
  TakeDelay(policy, options);
  return options;
}

Result<void> RefusePool(const Policy& policy, const char* name) {
  if (policy.algorithm.suppressed != Suppression::kPool) return {};
  return Error::InvalidPolicy("{}:{}: {} has no pool of suppressed tuples", policy.name, policy.algorithm.line, name)
      .WithHint("use suppressed = \"drop\" or \"blank\", or castle");
}

MadeEngine MakeDynamicGroup(const StreamSchema& schema, const Policy& policy, Random random) {
  CORDON_RETURN_IF_ERROR(RefusePool(policy, "dynamic-group"));
  return AsEngine(DynamicGroup::Make(schema, policy.models, DynamicGroupOptionsOf(policy), random));
}

StreamVerifierOptions VerifyDynamicGroup(const Policy& policy) {
  StreamVerifierOptions verify;
  TakeDelay(policy, verify);
  return verify;
}

SabreWOptions SabreWOptionsOf(const Policy& policy) {
  const AlgorithmPolicy& algorithm = policy.algorithm;
  const std::int64_t window = WindowOf(policy);
  SabreWOptions options;
  options.step = algorithm.Option<std::int64_t>("sabre-w", "step").value_or(SabreWOptions::DefaultStep(window));
  const auto partition = algorithm.Option<std::string>("sabre-w", "partition");
  if (partition == "sabre-ak") options.partition = WindowMethod::kSabreAk;
  if (partition == "mondrian") options.partition = WindowMethod::kMondrian;
  if (partition == "full-domain") options.partition = WindowMethod::kFullDomain;
  const auto dims = algorithm.Option<std::string>("sabre-w", "mondrian_dims");
  if (dims == "widest") options.mondrian_dims = MondrianOptions::Dims::kWidest;
  if (dims == "widest-only") options.mondrian_dims = MondrianOptions::Dims::kWidestOnly;
  options.sweeps = algorithm.Option<Rational>("sabre-w", "sweeps").value_or(Rational(0)).ToDouble();
  options.rho = algorithm.Option<Rational>("sabre-w", "rho").value_or(Rational(1));
  options.lazy = algorithm.Option<bool>("sabre-w", "lazy").value_or(false);
  if (algorithm.Option<std::string>("sabre-w", "short") == "strict") options.short_stream = SabreWOptions::Short::kStrict;
  return options;
}

MadeEngine MakeSabreW(const StreamSchema& schema, const Policy& policy, Random random) {
  CORDON_RETURN_IF_ERROR(RefusePool(policy, "sabre-w"));
  const SabreWOptions options = SabreWOptionsOf(policy);
  CORDON_TRY(SabreW engine, SabreW::Make(schema, policy.models, options, random));
  const std::int64_t delay = WindowOf(policy) + options.step - 1;
  if (policy.stream->delay_ms || policy.stream->delay_tuples.value_or(delay) < delay) {
    return Error::InvalidPolicy("{}:{}: under sabre-w a tuple waits for up to window + step - 1 = {} others", policy.name,
                                policy.stream->line, delay)
        .WithHint("leave delay out, or take a smaller window");
  }
  return std::unique_ptr<StreamEngine>(std::make_unique<SabreW>(std::move(engine)));
}

StreamVerifierOptions VerifySabreW(const Policy& policy) {
  const SabreWOptions options = SabreWOptionsOf(policy);
  StreamVerifierOptions verify;
  verify.delay_tuples = WindowOf(policy) + options.step - 1;
  verify.short_window = options.short_stream == SabreWOptions::Short::kStatic;
  return verify;
}

StreamRtreeOptions StreamRtreeOptionsOf(const Policy& policy) {
  using Method = StreamRtreeOptions::Method;
  using Control = StreamRtreeOptions::Control;
  const AlgorithmPolicy& algorithm = policy.algorithm;
  StreamRtreeOptions options;
  const auto whole = [&](const char* key, std::int64_t& value) {
    value = algorithm.Option<std::int64_t>("stream-rtree", key).value_or(value);
  };
  whole("active", options.active);
  whole("sample", options.sample);
  whole("sample_window", options.sample_window);
  whole("max_holds", options.max_holds);
  options.max_held = algorithm.Option<std::int64_t>("stream-rtree", "max_held");
  if (const auto alpha = algorithm.Option<Rational>("stream-rtree", "alpha")) options.alpha = alpha->ToDouble();
  const auto method = algorithm.Option<std::string>("stream-rtree", "method");
  if (method == "min-delay") options.method = Method::kMinDelay;
  if (method == "basic") options.method = Method::kBasic;
  if (method == "density-aware") options.method = Method::kDensityAware;
  const auto control = algorithm.Option<std::string>("stream-rtree", "control");
  if (control == "fixed") options.control = Control::kFixed;
  if (control == "literal") options.control = Control::kLiteral;
  options.delay_tuples = policy.stream->delay_tuples.value_or(0);
  return options;
}

MadeEngine MakeStreamRtree(const StreamSchema& schema, const Policy& policy, Random random) {
  CORDON_RETURN_IF_ERROR(RefusePool(policy, "stream-rtree"));
  if (policy.stream->delay_ms) {
    return Error::InvalidPolicy("{}:{}: stream-rtree counts its delay in arrivals, not in time", policy.name,
                                policy.stream->line)
        .WithHint("give a delay in tuples, or none: 'active' in [algorithm.stream-rtree] is the mean delay");
  }
  if (policy.stream->order == StreamPolicy::Order::kArrival && !policy.stream->delay_tuples) {
    return Error::InvalidPolicy(
               "{}:{}: order = \"arrival\" needs a delay: without one a tuple may wait for long, and all later "
               "rows with it",
               policy.name, policy.stream->line)
        .WithHint("give a delay in tuples, or order = \"ready\"");
  }
  return AsEngine(StreamRtree::Make(schema, policy.models, StreamRtreeOptionsOf(policy), random));
}

StreamVerifierOptions VerifyStreamRtree(const Policy& policy) {
  const StreamRtreeOptions options = StreamRtreeOptionsOf(policy);
  StreamVerifierOptions verify;
  verify.delay_tuples = options.delay_tuples;
  verify.most_held = options.held_cap();
  return verify;
}

constexpr std::array kStreamAlgorithms = {
    StreamAlgorithmEntry{"castle", MakeCastle, VerifyCastle},
    StreamAlgorithmEntry{"dynamic-group", MakeDynamicGroup, VerifyDynamicGroup},
    StreamAlgorithmEntry{"stream-rtree", MakeStreamRtree, VerifyStreamRtree, false},
    StreamAlgorithmEntry{"sabre-w", MakeSabreW, VerifySabreW, false, true},
};

}  // namespace

std::span<const StreamAlgorithmEntry> StreamAlgorithms() { return kStreamAlgorithms; }

bool IsStreamAlgorithm(std::string_view name) {
  const AlgorithmFacts* facts = FindAlgorithm(name);
  return facts != nullptr && facts->of_streams;
}

Result<const StreamAlgorithmEntry*> ChooseStreamAlgorithm(std::string_view name, const Policy& policy) {
  for (std::size_t i = 0; i < policy.models.size(); ++i) {
    if (!CountsPersons(policy.models[i])) continue;
    return Error::InvalidPolicy("{}:{}: streams do not serve counts = \"persons\"", policy.name, policy.model_lines[i])
        .WithHint("use counts = \"rows\"");
  }
  std::vector<std::string> names = {"auto"};
  for (const StreamAlgorithmEntry& entry : kStreamAlgorithms) {
    names.emplace_back(entry.name);
    const char* automatic = WindowOf(policy) > 0 ? "sabre-w" : kStreamAlgorithms[0].name;
    if ((name == "auto" ? automatic : name) != entry.name) continue;
    if (!entry.needs_delay || policy.stream->delay_tuples || policy.stream->delay_ms) return &entry;
    return Error::InvalidPolicy("{}:{}: {} needs 'delay' in [stream]", policy.name, policy.stream->line, entry.name)
        .WithHint("delay = 10000 (tuples), or delay = \"30s\" of event time");
  }
  Error error = Error::InvalidPolicy("there is no stream algorithm '{}'", name);
  if (const auto near = Nearest(name, names)) return std::move(error).WithHint("did you mean '{}'?", *near);
  return std::move(error).WithHint("known: {}", fmt::join(names, ", "));
}

std::optional<std::int64_t> StreamDelay(const Policy& policy) {
  if (WindowOf(policy) > 0) return VerifySabreW(policy).delay_tuples;
  return policy.stream->delay_tuples;
}

}  // namespace cordon::engine
