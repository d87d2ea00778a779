// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/random.h"

#include <sodium.h>

#include <charconv>
#include <cstring>

#include "cordon/base/digest.h"

namespace cordon::engine {
namespace {

constexpr unsigned char kNonce[crypto_stream_chacha20_NONCEBYTES] = {};
constexpr std::uint64_t kWordsPerBlock = 8;  // a ChaCha block has 64 bytes

}  // namespace

Random Random::FromOperatingSystem() {
  InitializeSodium();
  Key key;
  randombytes_buf(key.data(), key.size());
  return Random(key);
}

Random Random::FromSeed(std::uint64_t seed) {
  Key key{};
  std::memcpy(key.data(), &seed, sizeof seed);
  return Random(key).Substream("seed");
}

Random Random::Substream(std::string_view name, std::uint64_t number) const {
  InitializeSodium();
  crypto_generichash_state state;
  Key key;
  crypto_generichash_init(&state, key_.data(), key_.size(), key.size());
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(&number), sizeof number);
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(name.data()), name.size());
  crypto_generichash_final(&state, key.data(), key.size());
  return Random(key);
}

void Random::Refill() {
  InitializeSodium();
  first_ = position_ - position_ % kWordsPerBlock;
  buffer_.fill(0);
  auto* bytes = reinterpret_cast<unsigned char*>(buffer_.data());
  crypto_stream_chacha20_xor_ic(bytes, bytes, sizeof buffer_, kNonce, first_ / kWordsPerBlock, key_.data());
}

std::uint64_t Random::Next() {
  if (position_ < first_ || position_ >= first_ + kWords) Refill();
  return buffer_[position_++ - first_];
}

std::uint64_t Random::Below(std::uint64_t bound) {
  CORDON_CHECK_LT(std::uint64_t{0}, bound);
  __extension__ using Wide = unsigned __int128;
  // Lemire's method: the low half tells whether the draw falls into the uneven rest.
  for (;;) {
    const Wide product = static_cast<Wide>(Next()) * bound;
    const auto low = static_cast<std::uint64_t>(product);
    if (low >= bound || low >= (0 - bound) % bound) return static_cast<std::uint64_t>(product >> 64);
  }
}

double Random::Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

std::string Random::Save() const { return ToHex(key_) + ":" + std::to_string(position_); }

Result<Random> Random::Restore(std::string_view saved) {
  const auto colon = saved.find(':');
  Key key;
  std::uint64_t position = 0;
  if (colon == 2 * key.size() && FromHex(saved.substr(0, colon), key)) {
    const char* end = saved.data() + saved.size();
    const auto [stop, code] = std::from_chars(saved.data() + colon + 1, end, position);
    if (code == std::errc() && stop == end) return Random(key, position);
  }
  return Error::InvalidData("a saved random stream is damaged");
}

}  // namespace cordon::engine
