// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/secret.h"

#include <sodium.h>

#include "cordon/base/digest.h"

namespace cordon::engine {

void WipeMemory(void* memory, std::size_t size) {
  if (size > 0) sodium_memzero(memory, size);
}

bool SameBytes(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

ByteSource OperatingSystemBytes() {
  InitializeSodium();
  return [](std::span<std::uint8_t> bytes) { randombytes_buf(bytes.data(), bytes.size()); };
}

}  // namespace cordon::engine
