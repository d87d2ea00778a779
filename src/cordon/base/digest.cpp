// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/digest.h"

#include <openssl/evp.h>
#include <sodium.h>

#include <algorithm>
#include <mutex>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

void InitializeSodium() {
  static std::once_flag once;
  std::call_once(once, [] { CORDON_CHECK_LE(0, sodium_init()); });
}

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  CORDON_CHECK_EQ(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr), 1);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::Update(std::string_view bytes) {
  CORDON_CHECK_EQ(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()), 1);
}

Sha256 Sha256::Clone() const {
  Sha256 made;
  CORDON_CHECK_EQ(EVP_MD_CTX_copy_ex(made.state_->context, state_->context), 1);
  return made;
}

Sha256Digest Sha256::Finish() {
  Sha256Digest digest;
  CORDON_CHECK_EQ(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr), 1);
  return digest;
}

Sha256Digest Sha256Of(std::string_view bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.Finish();
}

struct ResumableSha256::State {
  crypto_hash_sha256_state sha256;
};

namespace {

// Words as little-endian bytes, so that a saved state means the same on every machine.
template <typename Word>
void PutWord(std::uint8_t* to, Word word) {
  for (std::size_t i = 0; i < sizeof word; ++i) to[i] = static_cast<std::uint8_t>(word >> (8 * i));
}
template <typename Word>
Word GetWord(const std::uint8_t* from) {
  Word word = 0;
  for (std::size_t i = 0; i < sizeof word; ++i) word |= static_cast<Word>(from[i]) << (8 * i);
  return word;
}

constexpr std::size_t kWords = 8;
constexpr std::size_t kBlock = 64;
using SavedSha256 = std::array<std::uint8_t, 4 * kWords + 8 + kBlock>;

}  // namespace

ResumableSha256::ResumableSha256() : state_(std::make_unique<State>()) {
  InitializeSodium();
  crypto_hash_sha256_init(&state_->sha256);
}
ResumableSha256::ResumableSha256(ResumableSha256&&) noexcept = default;
ResumableSha256& ResumableSha256::operator=(ResumableSha256&&) noexcept = default;
ResumableSha256::~ResumableSha256() = default;

std::optional<ResumableSha256> ResumableSha256::Resume(std::string_view saved) {
  SavedSha256 bytes;
  if (!FromHex(saved, bytes)) return std::nullopt;
  ResumableSha256 made;
  crypto_hash_sha256_state& state = made.state_->sha256;
  for (std::size_t i = 0; i < kWords; ++i) state.state[i] = GetWord<std::uint32_t>(bytes.data() + 4 * i);
  state.count = GetWord<std::uint64_t>(bytes.data() + 4 * kWords);
  if (state.count % 8 != 0) return std::nullopt;  // it counts bits, and there are whole bytes only
  std::copy_n(bytes.data() + 4 * kWords + 8, kBlock, state.buf);
  return made;
}

void ResumableSha256::Update(std::string_view bytes) { crypto_hash_sha256_update(&state_->sha256, Bytes(bytes), bytes.size()); }

std::uint64_t ResumableSha256::num_bytes() const { return state_->sha256.count / 8; }

Sha256Digest ResumableSha256::Digest() const {
  crypto_hash_sha256_state copy = state_->sha256;
  Sha256Digest digest;
  crypto_hash_sha256_final(&copy, digest.data());
  return digest;
}

std::string ResumableSha256::Saved() const {
  const crypto_hash_sha256_state& state = state_->sha256;
  SavedSha256 bytes = {};
  for (std::size_t i = 0; i < kWords; ++i) PutWord(bytes.data() + 4 * i, state.state[i]);
  PutWord(bytes.data() + 4 * kWords, state.count);
  std::copy_n(state.buf, num_bytes() % kBlock, bytes.data() + 4 * kWords + 8);
  return ToHex(bytes);
}

Sha256Digest HmacSha256(std::string_view key, std::string_view bytes) {
  InitializeSodium();
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, Bytes(key), key.size());
  crypto_auth_hmacsha256_update(&state, Bytes(bytes), bytes.size());
  Sha256Digest digest;
  crypto_auth_hmacsha256_final(&state, digest.data());
  return digest;
}

std::array<std::uint64_t, 2> SipHash(const SipKey& key, std::string_view bytes) {
  static_assert(crypto_shorthash_siphashx24_KEYBYTES == std::tuple_size_v<SipKey>);
  std::array<std::uint64_t, 2> hash;
  static_assert(crypto_shorthash_siphashx24_BYTES == sizeof hash);
  crypto_shorthash_siphashx24(reinterpret_cast<unsigned char*>(hash.data()),
                              reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), key.data());
  return hash;
}

std::string ToHex(std::span<const std::uint8_t> bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

bool FromHex(std::string_view text, std::span<std::uint8_t> bytes) {
  if (text.size() != bytes.size() * 2) return false;
  if (bytes.empty()) return true;
  std::size_t written = 0;
  const int code = sodium_hex2bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &written, nullptr);
  return code == 0 && written == bytes.size();
}

}  // namespace cordon::engine
