// SPDX-License-Identifier: Apache-2.0
//
// A snapshot is all that a continuation depends on: an engine that takes it up goes on like the one that made it.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "tests/algorithms/stream_run.h"

namespace cordon::engine::test {

inline bool SameDeparture(const Departure& a, const Departure& b) {
  return a.kind == b.kind && a.group == b.group && a.box == b.box && a.positions == b.positions && a.reusable == b.reusable &&
         a.window == b.window;
}

// Two engines and, if there are any, their verifiers; the second of each is restored from the first before every tuple, and
// must do the same with it.
struct Restored {
  StreamEngine& kept;
  StreamEngine& restored;
  StreamVerifier* verifier = nullptr;
  StreamVerifier* verifier_restored = nullptr;
  Position position = 0;

  void RunWhole(std::span<const Arrival> arrivals) {
    for (const Arrival& arrival : arrivals) {
      ASSERT_NO_FATAL_FAILURE(Restore());
      ASSERT_NO_FATAL_FAILURE(Push(arrival));
    }
    // Once more, and to the end.
    ASSERT_NO_FATAL_FAILURE(Restore());
    std::vector<Departure> out_kept;
    std::vector<Departure> out_restored;
    kept.Flush(out_kept);
    restored.Flush(out_restored);
    ExpectSame(out_kept, out_restored);
  }

  void Restore() {
    const std::string saved = kept.Save();
    const auto result = restored.Restore(saved);
    ASSERT_TRUE(result.ok()) << result.error().message();
    ASSERT_EQ(restored.Save(), saved);
    if (verifier == nullptr) return;
    ASSERT_TRUE(verifier_restored->Restore(verifier->Save()).ok());
    ASSERT_EQ(verifier_restored->Save(), verifier->Save());
  }

  void Push(const Arrival& arrival) {
    const Tuple tuple{++position, arrival.time, arrival.person, arrival.quasi, arrival.sensitive};
    for (StreamVerifier* each : {verifier, verifier_restored}) {
      if (each != nullptr) {
        ASSERT_TRUE(each->Arrive(tuple).ok());
      }
    }
    std::vector<Departure> out_kept;
    std::vector<Departure> out_restored;
    kept.Push(tuple, out_kept);
    restored.Push(tuple, out_restored);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(out_kept, out_restored));
    for (StreamVerifier* each : {verifier, verifier_restored}) {
      if (each != nullptr) {
        ASSERT_TRUE(each->EndStep().ok());
      }
    }
  }

  void ExpectSame(const std::vector<Departure>& a, const std::vector<Departure>& b) {
    ASSERT_EQ(a.size(), b.size()) << "at " << position;
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_TRUE(SameDeparture(a[i], b[i])) << "at " << position;
      if (verifier != nullptr) {
        ASSERT_TRUE(verifier->Accept(a[i]).ok());
      }
      if (verifier_restored != nullptr) {
        ASSERT_TRUE(verifier_restored->Accept(b[i]).ok());
      }
    }
  }
};

}  // namespace cordon::engine::test
