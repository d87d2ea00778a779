// SPDX-License-Identifier: Apache-2.0
//
// What every call from Python shares: it runs without the interpreter's lock, stops on Ctrl-C, tells how far it is, and its
// errors become exceptions of pycordon.errors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cordon/result.h"
#include "cordon/run.h"

namespace cordon::python {

namespace nb = nanobind;

// An Error on its way to Python.
class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message().c_str(); }

 private:
  Error error_;
};
void RegisterFailure();

// Called as progress(stage, done, total), on the thread of the call.
using Progress = std::optional<nb::object>;

// How a call is to run, as its arguments say.
struct Asked {
  int threads = 0;
  Progress progress = {};
};

// Runs `work` on another thread. Meanwhile this one lets other threads of Python run, asks twenty times a second whether a
// signal came, and passes progress on. An exception of a signal handler or of `progress` stops the work and is raised once the
// work has ended. REQUIRES: the caller holds the interpreter's lock; `work` does not touch Python.
void RunApart(const Asked& asked, const std::function<void(const RunOptions&)>& work);

// The value of `call(RunOptions)`, which gives a Result.
template <typename Call>
auto ValueOf(const Asked& asked, const Call& call) {
  using Answer = decltype(call(std::declval<const RunOptions&>()));
  std::optional<Answer> answer;
  RunApart(asked, [&](const RunOptions& run) { answer.emplace(call(run)); });
  if (!answer->ok()) throw Failure(std::move(*answer).error());
  if constexpr (!std::is_same_v<Answer, Result<void>>) return std::move(*answer).value();
}

// The same of what is done at once.
template <typename T>
T ValueOf(Result<T> result) {
  if (!result.ok()) throw Failure(std::move(result).error());
  return std::move(result).value();
}

// One call at a time: a second one from another thread is refused, since it would have to wait while it holds what the first
// needs.
class OneAtATime {
 public:
  OneAtATime(std::mutex& mutex, std::string_view what);

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace cordon::python
