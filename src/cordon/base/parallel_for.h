// SPDX-License-Identifier: Apache-2.0
//
// Runs a body over fixed chunks on up to `threads` threads. Chunk borders depend on the sizes alone, never
// on the thread count: a body that writes its result by chunk number, reduced in chunk order afterwards,
// gives the same answer however many threads there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace cordon::engine {

inline std::size_t NumChunks(std::size_t count, std::size_t chunk) { return (count + chunk - 1) / chunk; }

// body(chunk_number, begin, end) for each chunk of [0, count). If a body throws (out of memory), the rest is left
// out and one of the exceptions goes on in the caller's thread.
template <typename Body>
void ParallelFor(int threads, std::size_t count, std::size_t chunk, const Body& body) {
  const std::size_t num_chunks = NumChunks(count, chunk);
  std::atomic<std::size_t> next = 0;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next.fetch_add(1); i < num_chunks; i = next.fetch_add(1)) {
        body(i, i * chunk, std::min(count, (i + 1) * chunk));
      }
    } catch (...) {
      next = num_chunks;
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  };
  const std::size_t workers = std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), num_chunks);
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < workers; ++i) pool.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cordon::engine
