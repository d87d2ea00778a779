// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the snapshot of a stream engine or of the stream's verifier: refused, or taken and then saved as the same
// bytes, and whatever was taken runs to its end. The first byte says whose snapshot it is; version and policy, which would
// be refused at once, are put before the rest.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cordon/algorithms/castle/castle.h"
#include "cordon/algorithms/castle/dynamic_group.h"
#include "cordon/algorithms/sabre_w/sabre_w.h"
#include "cordon/algorithms/stream_rtree/stream_rtree.h"
#include "cordon/base/bytes.h"
#include "cordon/base/check.h"
#include "cordon/models/verify/stream_verifier.h"

namespace cordon::engine {
namespace {

const std::vector<ModelSpec>& Models() {
  static const std::vector<ModelSpec> models = {KsAnonymitySpec{2},
                                                LDiversitySpec{"s", 2, LDiversitySpec::Kind::kDistinct, {}}};
  return models;
}

StreamSchema Schema(bool categories) {
  StreamSchema schema;
  schema.quasi.push_back({.name = "a", .lo = -5, .hi = 100});
  schema.quasi.push_back({.name = "b", .lo = 0, .hi = 2});
  if (categories) {
    schema.quasi.back().hierarchy =
        std::make_shared<const Hierarchy>(Hierarchy::Flat(std::vector<std::string>{"x", "y", "z"}).value());
  }
  schema.sensitive.push_back({.name = "s"});
  return schema;
}

// Version and policy, as any snapshot of this kind begins.
std::string StartOf(const std::string& saved) {
  ByteReader reader(saved);
  reader.Count();
  const std::string_view policy = reader.Text();
  return saved.substr(0, static_cast<std::size_t>(policy.data() + policy.size() - saved.data()));
}

void TryEngine(StreamEngine& engine, std::string_view rest) {
  const std::string snapshot = StartOf(engine.Save()) + std::string(rest);
  const Result<void> restored = engine.Restore(snapshot);
  if (!restored.ok()) {
    CORDON_CHECK(restored.error().kind() == ErrorKind::kInvalidData);
    return;
  }
  const std::string saved = engine.Save();
  CORDON_CHECK(engine.Restore(saved).ok());
  CORDON_CHECK(engine.Save() == saved);
  std::vector<Departure> out;
  engine.Advance(1'000'000, out);
  engine.Flush(out);
  CORDON_CHECK_EQ(engine.gauges().held, std::size_t{0});
}

void TryVerifier(std::string_view rest) {
  StreamVerifier verifier =
      StreamVerifier::Make(Schema(true), Models(), {.delay_tuples = 4, .pool = true, .reuse_cap = 3}).value();
  const std::string snapshot = StartOf(verifier.Save()) + std::string(rest);
  if (!verifier.Restore(snapshot).ok()) return;
  const std::string saved = verifier.Save();
  CORDON_CHECK(verifier.Restore(saved).ok());
  CORDON_CHECK(verifier.Save() == saved);
  (void)verifier.Accept({Departure::Kind::kGroup, 7, {{-5, 100}, {0, 2}}, {1, 2, 3}, true});
  (void)verifier.EndStep();
  (void)verifier.Finish();
}

Castle MakeCastle(const CastleOptions& options) {
  return Castle::Make(Schema(true), Models(), options, Random::FromSeed(1)).value();
}

StreamRtree MakeTree(StreamRtreeOptions::Method method) {
  const StreamRtreeOptions options{.method = method, .active = 6, .sample = 4, .sample_window = 9, .max_held = 12};
  return StreamRtree::Make(Schema(true), {{KsAnonymitySpec{2}}}, options, Random::FromSeed(1)).value();
}

SabreW MakeSabreW() {
  StreamSchema schema = Schema(true);
  schema.sensitive[0].num_values = 3;
  const std::vector<ModelSpec> models = {WindowClosenessSpec{"s", 8, Rational(1, 2), Distance::kOrdered}, KsAnonymitySpec{2}};
  return SabreW::Make(std::move(schema), models, {.step = 2}, Random::FromSeed(1)).value();
}

}  // namespace
}  // namespace cordon::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cordon::engine;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 7) {
    case 0: {
      Castle castle = MakeCastle({.delay_tuples = 6, .max_open = 3, .history = 4, .reuse_cap = 5, .batch = 2});
      TryEngine(castle, rest);
      break;
    }
    case 1: {
      Castle castle = MakeCastle({.delay_ms = 50, .max_open = 3, .history = 4, .reuse_cap = 5, .pool = true, .pool_cap = 4});
      TryEngine(castle, rest);
      break;
    }
    case 2: {
      DynamicGroup groups = DynamicGroup::Make(Schema(false), Models(), {.delay_tuples = 20}, Random::FromSeed(1)).value();
      TryEngine(groups, rest);
      break;
    }
    case 4: {
      StreamRtree tree = MakeTree(StreamRtreeOptions::Method::kFull);
      TryEngine(tree, rest);
      break;
    }
    case 5: {
      StreamRtree tree = MakeTree(StreamRtreeOptions::Method::kMinDelay);
      TryEngine(tree, rest);
      break;
    }
    case 6: {
      SabreW windows = MakeSabreW();
      TryEngine(windows, rest);
      break;
    }
    default: TryVerifier(rest);
  }
  return 0;
}
