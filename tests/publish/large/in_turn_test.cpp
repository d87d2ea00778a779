// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/large/in_turn.h"

#include <gtest/gtest.h>

#include <mutex>
#include <new>
#include <random>
#include <thread>
#include <vector>

namespace cordon::engine {
namespace {

// Steps that take a little while, and what was seen of them.
class InTurn : public ::testing::Test {
 protected:
  struct Plan {
    std::vector<std::uint64_t> bytes;
    std::vector<std::size_t> after;
    std::size_t fails = 1000;       // this step and all behind it
    bool fails_at_the_end = false;  // in its turn
    bool throws = false;
  };

  Result<void> Try(const Plan& plan, int at_once, std::uint64_t bytes) {
    ended_.clear();
    under_way_ = most_ = steps_ = most_steps_ = 0;
    const auto failure = [&](std::size_t step) -> Result<void> {
      if (step < plan.fails) return {};
      if (plan.throws) throw std::bad_alloc();
      return Error::Io("step {}", step);
    };
    const StepsInTurn steps{.num_steps = plan.bytes.size(),
                            .after = [&](std::size_t step) { return plan.after.empty() ? 0 : plan.after[step]; },
                            .bytes = [&](std::size_t step) { return plan.bytes[step]; },
                            .work = [&](std::size_t step) -> Result<StepsInTurn::End> {
                              {
                                const std::lock_guard lock(mutex_);
                                EXPECT_GE(ended_.size(), plan.after.empty() ? 0 : plan.after[step]);
                                most_ = std::max(most_, under_way_ += plan.bytes[step]);
                                most_steps_ = std::max(most_steps_, ++steps_);
                              }
                              std::this_thread::sleep_for(std::chrono::milliseconds((step * 7 + 3) % 5));
                              if (!plan.fails_at_the_end) CORDON_RETURN_IF_ERROR(failure(step));
                              return StepsInTurn::End([&, step]() -> Result<void> {
                                if (plan.fails_at_the_end) CORDON_RETURN_IF_ERROR(failure(step));
                                const std::lock_guard lock(mutex_);
                                ended_.push_back(step);
                                under_way_ -= plan.bytes[step];
                                --steps_;
                                return {};
                              });
                            }};
    return RunInTurn(steps, at_once, bytes);
  }

  static std::vector<std::size_t> UpTo(std::size_t number) {
    std::vector<std::size_t> steps;
    for (std::size_t step = 0; step < number; ++step) steps.push_back(step);
    return steps;
  }

  std::mutex mutex_;
  std::vector<std::size_t> ended_;
  std::uint64_t under_way_ = 0;  // bytes
  std::uint64_t most_ = 0;
  int steps_ = 0;
  int most_steps_ = 0;
};

TEST_F(InTurn, StepsEndInTheirOrderWithinTheirBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    Plan plan;
    for (int i = 0; i < 12; ++i) plan.bytes.push_back(1 + random() % 100);
    for (std::size_t i = 0; i < 12; ++i) plan.after.push_back(i < 6 ? 0 : random() % (i + 1));
    for (const int at_once : {1, 2, 5}) {
      ASSERT_TRUE(Try(plan, at_once, 150).ok());
      EXPECT_EQ(ended_, UpTo(12));
      EXPECT_LE(most_, 150u);
      EXPECT_LE(most_steps_, at_once);
    }
  }
}

TEST_F(InTurn, StepsThatFitRunSideBySide) {
  ASSERT_TRUE(Try({.bytes = std::vector<std::uint64_t>(30, 10)}, 3, 30).ok());
  EXPECT_EQ(most_steps_, 3);
  ASSERT_TRUE(Try({.bytes = std::vector<std::uint64_t>(30, 10)}, 3, 29).ok());
  EXPECT_EQ(most_steps_, 2);
}

TEST_F(InTurn, AStepThatIsAloneAlwaysFits) {
  ASSERT_TRUE(Try({.bytes = {50, 10, 50}}, 3, 20).ok());
  EXPECT_EQ(ended_, UpTo(3));
  EXPECT_EQ(most_steps_, 1);
}

TEST_F(InTurn, TheFirstStepThatFailsIsTold) {
  for (const bool at_the_end : {false, true}) {
    for (const int at_once : {1, 2, 5}) {
      const Result<void> made = Try({std::vector<std::uint64_t>(12, 1), {}, 4, at_the_end}, at_once, 100);
      ASSERT_FALSE(made.ok());
      EXPECT_EQ(made.error().message(), "step 4");
      EXPECT_EQ(ended_, UpTo(4));
    }
  }
}

TEST_F(InTurn, AnExceptionGoesOnAndNobodyWaitsForItsStep) {
  for (const int at_once : {1, 3}) {
    EXPECT_THROW((void)Try({.bytes = std::vector<std::uint64_t>(12, 1), .fails = 4, .throws = true}, at_once, 100),
                 std::bad_alloc);
    EXPECT_EQ(ended_, UpTo(4));
  }
}

}  // namespace
}  // namespace cordon::engine
