// SPDX-License-Identifier: Apache-2.0
//
// The audit of a stream, shared by its two halves.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cordon/bind/bind_stream.h"
#include "cordon/data/release.h"
#include "cordon/plan/stream_registry.h"
#include "cordon/publish/stream/verify_stream.h"
#include "cordon/stream/audit_log.h"

namespace cordon::engine::internal {

inline constexpr std::size_t kMaxFindings = 20;

struct Log {
  std::vector<AuditedDeparture> departures;
  std::optional<AuditedEnd> end;
};

// Judges one output by its log. verify_stream.cpp reads the log and compares it with the rows; judge_stream.cpp judges the rows
// by the models.
class Auditor {
 public:
  Auditor(const Policy& policy, const Table& out, const Run& run)
      : policy_(policy), out_(out), run_(run), delay_(policy.stream ? StreamDelay(policy) : std::nullopt) {
    for (const ModelSpec& spec : policy.models) (WindowOf(spec) ? audit_.window_models : models_).push_back(spec);
  }

  Result<StreamAudit> Audit(std::string_view text);

 private:
  Result<void> ReadLog(std::string_view text);
  void CheckDeparture(std::size_t number);
  void CheckDelay(std::size_t number);
  void CheckPositions();
  void CheckSequence();
  void CheckBlankRows();
  void CheckBoxes(const Release& release, const std::vector<std::size_t>& rows);
  void CheckNames();
  Result<void> Judge();
  Result<void> JudgeWindows();
  Result<std::vector<std::vector<std::int32_t>>> ValuesByPosition(const std::vector<SensitiveCoder>& coders) const;
  Result<Release> ReleaseOf(const std::vector<std::size_t>& rows) const;
  void Find(std::string what) {
    if (audit_.findings.size() < kMaxFindings) audit_.findings.push_back(std::move(what));
  }

  const Policy& policy_;
  const Table& out_;
  const Run& run_;
  std::optional<std::int64_t> delay_;  // in tuples
  std::vector<ModelSpec> models_;      // those that a table can be checked against
  Log log_;
  StreamAudit audit_;
  std::vector<bool> seen_;  // positions
  std::set<std::int64_t> groups_;
  Position last_at_ = 0;
  Position newest_ = 0;                    // no later tuple can be meant: what has arrived has left or waits
  std::optional<EventTime> clock_;         // of the last departure
  std::optional<EventTime> before_clock_;  // the one before it that differs
  std::vector<AuditedRow> rows_;           // by row of the output
  std::uint64_t repeating_groups_ = 0;     // in which a person has several rows
};

}  // namespace cordon::engine::internal
