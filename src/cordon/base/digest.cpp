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
