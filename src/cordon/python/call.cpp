// SPDX-License-Identifier: Apache-2.0
#include "cordon/python/call.h"

#include <chrono>
#include <condition_variable>
#include <stop_token>
#include <thread>

namespace cordon::python {
namespace {

constexpr auto kLook = std::chrono::milliseconds(50);

const char* ClassOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidPolicy: return "InvalidPolicy";
    case ErrorKind::kInvalidData: return "InvalidData";
    case ErrorKind::kUnsatisfiable: return "Unsatisfiable";
    case ErrorKind::kIo: return "InputOutputError";
    case ErrorKind::kProtocol: return "Error";
    case ErrorKind::kCancelled: return "Cancelled";
  }
  return "Error";
}

// What the work reported last.
class Latest {
 public:
  void Put(std::string_view stage, std::uint64_t done, std::uint64_t total) {
    const std::lock_guard lock(mutex_);
    stage_ = stage;
    done_ = done;
    total_ = total;
    fresh_ = true;
  }
  void TellTo(const nb::object& progress) {
    std::unique_lock lock(mutex_);
    if (!fresh_) return;
    fresh_ = false;
    const std::string stage = stage_;
    const std::uint64_t done = done_;
    const std::uint64_t total = total_;
    lock.unlock();
    progress(nb::str(stage.data(), stage.size()), done, total);
  }

 private:
  std::mutex mutex_;
  std::string stage_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  bool fresh_ = false;
};

// A thread, and whether it has come to its end.
class Worker {
 public:
  explicit Worker(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          std::exception_ptr failed;
          try {
            work();
          } catch (...) {
            failed = std::current_exception();
          }
          const std::lock_guard lock(mutex_);
          failed_ = failed;
          ended_ = true;
          wake_.notify_all();
        }) {}

  bool EndsWithin(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, time, [this] { return ended_; });
  }
  // REQUIRES: it has ended.
  void Join() {
    thread_.join();
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::exception_ptr failed_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

void RegisterFailure() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      const Error& error = failure.error();
      const nb::object type = nb::module_::import_("pycordon.errors").attr(ClassOf(error.kind()));
      const nb::object made =
          type(nb::str(error.message().data(), error.message().size()), nb::str(error.hint().data(), error.hint().size()));
      PyErr_SetObject(type.ptr(), made.ptr());
    }
  });
}

void RunApart(const Asked& asked, const std::function<void(const RunOptions&)>& work) {
  std::stop_source stop;
  Latest latest;
  const bool telling = asked.progress.has_value();
  RunOptions run{.threads = asked.threads, .stop = stop.get_token()};
  if (telling) {
    run.progress = [&latest](std::string_view stage, std::uint64_t done, std::uint64_t total) {
      latest.Put(stage, done, total);
    };
  }
  Worker worker([&] { work(run); });
  const auto ended = [&] {
    const nb::gil_scoped_release release;
    return worker.EndsWithin(kLook);
  };
  std::exception_ptr raised;
  while (!ended()) {
    if (raised) continue;
    try {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      if (telling) latest.TellTo(*asked.progress);
    } catch (const nb::python_error&) {
      raised = std::current_exception();
      stop.request_stop();
    }
  }
  worker.Join();
  if (raised) std::rethrow_exception(raised);
  if (telling) latest.TellTo(*asked.progress);
}

OneAtATime::OneAtATime(std::mutex& mutex, std::string_view what) : lock_(mutex, std::try_to_lock) {
  if (!lock_.owns_lock()) {
    throw Failure(Error(ErrorKind::kInvalidPolicy, "another thread is in a call of the same " + std::string(what),
                        "one call at a time: use a lock, or one of them per thread"));
  }
}

}  // namespace cordon::python
