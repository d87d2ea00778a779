// SPDX-License-Identifier: Apache-2.0
//
// The bytes of an input: a file, standard input or memory, decompressed if they are gzip, and hashed as they
// come (the raw bytes, before decompression). read(2), never mmap: mapped pages would count as memory in use.
//
// One thread reads; raw_read() may be asked from any.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/digest.h"
#include "cordon/base/result.h"

namespace cordon::engine {

class RawInput {
 public:
  virtual ~RawInput() = default;
  // Fills `to` as far as there are bytes: fewer than `size` only at the end.
  virtual Result<std::size_t> Read(char* to, std::size_t size, const std::stop_token& stop) = 0;
  virtual std::uint64_t total() const = 0;  // 0: unknown
};

Result<std::unique_ptr<RawInput>> OpenRawFile(const std::string& path);  // "-" is standard input
std::unique_ptr<RawInput> RawFromMemory(std::string bytes);

// Hands the bytes of a file to `take`, part by part, until it fails.
template <typename Take>
Result<void> ReadParts(const std::string& path, const std::stop_token& stop, const Take& take) {
  CORDON_TRY(const std::unique_ptr<RawInput> input, OpenRawFile(path));
  std::string part(std::size_t{1} << 20, '\0');
  while (true) {
    CORDON_TRY(const std::size_t size, input->Read(part.data(), part.size(), stop));
    CORDON_RETURN_IF_ERROR(take(std::string_view(part).substr(0, size)));
    if (size < part.size()) return {};
  }
}

enum class GzipHint { kByContent, kExpected };  // kExpected: the name ends in .gz

class ByteInput {
 public:
  ByteInput(std::unique_ptr<RawInput> raw, GzipHint hint);
  ~ByteInput();

  // Decompressed bytes; fewer than `size` only at the end.
  Result<std::size_t> Read(char* to, std::size_t size, const std::stop_token& stop);

  std::uint64_t raw_read() const { return raw_read_.load(std::memory_order_relaxed); }
  std::uint64_t raw_total() const { return raw_->total(); }
  // SHA-256 of all raw bytes, in hexadecimal. REQUIRES: Read has reached the end; called once.
  std::string FinishDigest();

 private:
  struct Inflater;

  Result<std::size_t> ReadRaw(char* to, std::size_t size, const std::stop_token& stop);
  Result<void> Start(const std::stop_token& stop);
  Result<std::size_t> ReadPlain(char* to, std::size_t size, const std::stop_token& stop);
  Result<std::size_t> ReadGzip(char* to, std::size_t size, const std::stop_token& stop);
  Result<bool> EndOfMember(const std::stop_token& stop);  // true: another member follows

  std::unique_ptr<RawInput> raw_;
  GzipHint hint_;
  Sha256 sha256_;
  std::atomic<std::uint64_t> raw_read_ = 0;
  bool started_ = false;
  std::string head_;  // bytes read to tell gzip from plain, not yet handed out
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace cordon::engine
