// SPDX-License-Identifier: Apache-2.0
//
// The parts of a stream, made from a policy: what its columns are, the algorithm, its verifier, how rows are written. A run
// over files and a session in memory are made of the same ones.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cordon/base/random.h"
#include "cordon/plan/stream_registry.h"
#include "cordon/policy/policy.h"
#include "cordon/stream/flow.h"
#include "cordon/stream/row_format.h"

namespace cordon::engine {

// Not to be moved: the parts refer to each other.
class StreamParts {
 public:
  StreamParts() = default;
  StreamParts(const StreamParts&) = delete;
  StreamParts& operator=(const StreamParts&) = delete;

  // `name`: empty takes the policy's.
  Result<void> Choose(const Policy& policy, const std::string& name);
  void Use(const StreamAlgorithmEntry* algorithm) { algorithm_ = algorithm; }
  // REQUIRES: an algorithm.
  Result<void> Bind(const Policy& policy, std::span<const std::string> columns, RowOptions options);
  // REQUIRES: Bind. `resume_after`: rows up to this number are made again, not written.
  Result<void> Start(const Policy& policy, const Random& random, std::uint64_t resume_after);

  const StreamAlgorithmEntry& algorithm() const { return *algorithm_; }
  const StreamLayout& layout() const { return layout_; }
  const RowOptions& row_options() const { return row_options_; }
  const RowFormat& rows() const { return *rows_; }
  const PersonKey& persons() const { return *persons_; }
  const StreamEngine& engine() const { return *engine_; }
  StreamFlow& flow() { return *flow_; }
  const StreamFlow& flow() const { return *flow_; }

 private:
  const StreamAlgorithmEntry* algorithm_ = nullptr;
  StreamLayout layout_;
  RowOptions row_options_;
  std::optional<RowFormat> rows_;
  std::unique_ptr<StreamEngine> engine_;
  std::optional<StreamVerifier> verifier_;
  std::optional<PersonKey> persons_;
  std::optional<RowSink> sink_;
  std::optional<StreamFlow> flow_;
};

// If a model of sensitive values was asked for and people have several rows in some groups; nothing if not.
std::optional<StreamWarning> WarnOfPersons(const Policy& policy, std::uint64_t repeating_groups, std::uint64_t groups);

}  // namespace cordon::engine
