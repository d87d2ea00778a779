// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a stream as they come: a read returns what is there, so a row can leave before its pipe is full. Files
// may be gzip; offsets count the bytes after decompression.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "cordon/base/result.h"

namespace cordon::engine {

class LiveInput {
 public:
  virtual ~LiveInput() = default;
  // Waits for at least one byte; 0 at the end, or if a stop was asked for.
  virtual Result<std::size_t> Read(char* to, std::size_t size, const std::stop_token& stop) = 0;
  // Whether more may come in its own time: a pipe, a socket, a terminal. Not a file.
  virtual bool live() const = 0;
};

Result<std::unique_ptr<LiveInput>> OpenLiveInput(const std::string& path);  // "-" is standard input
std::unique_ptr<LiveInput> LiveFromMemory(std::string bytes, std::size_t most_at_once);

}  // namespace cordon::engine
