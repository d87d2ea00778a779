// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/large/in_turn.h"

#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>

#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

class Turns {
 public:
  Turns(const StepsInTurn& steps, std::uint64_t bytes) : steps_(steps), bytes_(bytes) {}

  void Step(std::size_t step) {
    try {
      const Result<void> done = Work(step);
      if (!done.ok()) Fail(step, done.error());
    } catch (...) {
      Fail(step, std::nullopt);  // or others would wait for it
      throw;
    }
  }

  Result<void> result() const { return error_ ? Result<void>(*error_) : Result<void>(); }

 private:
  Result<void> Work(std::size_t step) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ < step || MayBegin(step); });
    if (failed_ < step) return {};
    const std::uint64_t bytes = steps_.bytes(step);
    begun_ = step + 1;
    taken_ += bytes;
    lock.unlock();
    changed_.notify_all();
    {
      CORDON_TRY(const StepsInTurn::End end, steps_.work(step));
      lock.lock();
      changed_.wait(lock, [&] { return failed_ < step || ended_ == step; });
      if (failed_ < step) return {};
      lock.unlock();
      CORDON_RETURN_IF_ERROR(end());
    }
    lock.lock();
    ended_ = step + 1;
    taken_ -= bytes;
    changed_.notify_all();
    return {};
  }

  bool MayBegin(std::size_t step) const {
    if (begun_ != step || ended_ < steps_.after(step)) return false;
    return begun_ == ended_ || taken_ + steps_.bytes(step) <= bytes_;
  }

  // Steps before it may still fail, and theirs is the error then.
  void Fail(std::size_t step, std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    if (failed_ < step) return;
    failed_ = step;
    error_ = std::move(error);
    changed_.notify_all();
  }

  const StepsInTurn& steps_;
  std::uint64_t bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t begun_ = 0;  // steps
  std::size_t ended_ = 0;
  std::uint64_t taken_ = 0;  // bytes, by steps that are under way
  std::size_t failed_ = std::numeric_limits<std::size_t>::max();
  std::optional<Error> error_;
};

}  // namespace

Result<void> RunInTurn(const StepsInTurn& steps, int at_once, std::uint64_t bytes) {
  Turns turns(steps, bytes);
  ParallelFor(at_once, steps.num_steps, 1, [&](std::size_t step, std::size_t, std::size_t) { turns.Step(step); });
  return turns.result();
}

}  // namespace cordon::engine
