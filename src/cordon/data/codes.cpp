// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/codes.h"

#include "cordon/base/parallel_for.h"

namespace cordon::engine {

Codes Codes::Filled(std::size_t size, int threads, const std::function<void(std::size_t, std::span<Code>)>& fill) {
  std::vector<Chunk> chunks(NumChunks(size, kChunkRows));
  ParallelFor(threads, size, kChunkRows, [&](std::size_t number, std::size_t begin, std::size_t end) {
    chunks[number].resize(end - begin);
    fill(begin, chunks[number]);
  });
  Codes codes;
  for (Chunk& chunk : chunks) codes.Append(std::move(chunk));
  return codes;
}

}  // namespace cordon::engine
