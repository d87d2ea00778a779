// SPDX-License-Identifier: Apache-2.0
//
// SABRE_W: groups of a stream whose sensitive values look like those of a window of the stream. A window of `window` tuples
// advances by `step`; the tuples that it is about to lose leave in groups made out of all tuples of the window that have not
// left yet (DIRECT), or, if these no longer look like the window, in groups that an earlier window had made (INDIRECT).
//
// Guarantee   every group that leaves lies in a window of exactly `window` consecutive tuples, satisfies the window models
//             against it, and has k different people (and l different values where asked for); a tuple leaves once, when at
//             most window + step - 1 more have arrived.
// Source      J. Cao, PhD thesis, NUS 2010, chapter 6, with chapters 3 and 4 for what divides a window.
// Departures  listed, with reasons, in docs/algorithms/sabre_w.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/algorithms/sabre_w/window_partition.h"
#include "cordon/base/random.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

struct SabreWOptions {
  enum class Short {
    kStatic,  // a stream that ends before it fills a window is its own window
    kStrict,  // nothing of it is published
  };

  std::int64_t step = 0;                                              // tuples by which the window advances; divides the window
  WindowMethod partition = WindowMethod::kCloseness;                  // how the tuples of a window are divided into groups
  MondrianOptions::Dims mondrian_dims = MondrianOptions::Dims::kAll;  // kMondrian: which columns a cut may be along
  double sweeps = 0;                                                  // kCloseness: annealing of the groups, in steps per tuple
  Rational rho = 1;   // groups of an earlier window go first if the distance is rho * t or more
  bool lazy = false;  // INDIRECT: only groups with tuples that have to leave
  Short short_stream = Short::kStatic;

  // A quarter of the window, or all of it where 4 does not divide it.
  static std::int64_t DefaultStep(std::int64_t window) { return window % 4 == 0 ? window / 4 : window; }
};

class SabreWState;

class SabreW final : public StreamEngine {
 public:
  // Takes window-closeness and window-likeness, all with one window, with ks-anonymity or k-anonymity, and l-diversity of kind
  // distinct next to them. The random stream protects: in production it comes from the operating system.
  static Result<SabreW> Make(StreamSchema schema, std::span<const ModelSpec> models, SabreWOptions options, Random random);
  // The same with another way to divide a window, for tests.
  static Result<SabreW> Make(StreamSchema schema, std::span<const ModelSpec> models, SabreWOptions options, Random random,
                             std::shared_ptr<const WindowPartition> partition);
  SabreW(SabreW&&) noexcept;
  SabreW& operator=(SabreW&&) noexcept;
  ~SabreW() override;

  void Push(const Tuple& tuple, std::vector<Departure>& out) override;
  void Advance(EventTime now, std::vector<Departure>& out) override;
  void Flush(std::vector<Departure>& out) override;
  StreamGauges gauges() const override;
  std::vector<StreamWarning> warnings() const override;
  std::string Save() const override;
  Result<void> Restore(const std::string& snapshot) override;

  // How often the window found what, so far.
  struct Cases {
    std::int64_t nothing_due = 0;
    std::int64_t direct = 0;
    std::int64_t indirect = 0;
    std::int64_t suppressed = 0;
    std::int64_t homogeneous = 0;  // windows with a single value in a column that a window model looks at
    friend bool operator==(const Cases&, const Cases&) = default;
  };
  const Cases& cases() const;

 private:
  explicit SabreW(std::unique_ptr<SabreWState> state);
  std::unique_ptr<SabreWState> state_;
};

}  // namespace cordon::engine
