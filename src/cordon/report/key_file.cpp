// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/key_file.h"

#include <sodium.h>
#include <sys/stat.h>

#include <cstring>

#include "cordon/base/digest.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kMaxKeyFile = kMebibyte;

// What stands before the 32 bytes of a key in DER (RFC 8410).
constexpr std::array<std::uint8_t, 16> kPrivateHead = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                                       0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
constexpr std::array<std::uint8_t, 12> kPublicHead = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

template <std::size_t N>
std::vector<std::uint8_t> KeyDer(const std::array<std::uint8_t, N>& head, std::span<const std::uint8_t> key) {
  std::vector<std::uint8_t> der(head.begin(), head.end());
  der.insert(der.end(), key.begin(), key.end());
  return der;
}

std::string KeyPem(std::string_view label, std::span<const std::uint8_t> der) {
  InitializeSodium();
  std::string text(sodium_base64_ENCODED_LEN(der.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), der.data(), der.size(), sodium_base64_VARIANT_ORIGINAL);
  return fmt::format("-----BEGIN {}-----\n{}\n-----END {}-----\n", label, text.c_str(), label);
}

// The 32 bytes behind `head`; false if the text is not such a key.
template <std::size_t N>
bool KeyFromPem(std::string_view text, std::string_view label, const std::array<std::uint8_t, N>& head,
                std::array<std::uint8_t, 32>& key) {
  InitializeSodium();
  const std::string begin = fmt::format("-----BEGIN {}-----", label);
  const std::size_t start = text.find(begin);
  const std::size_t end = text.find(fmt::format("-----END {}-----", label));
  if (start == std::string_view::npos || end == std::string_view::npos || end < start + begin.size()) return false;
  const std::string_view body = text.substr(start + begin.size(), end - start - begin.size());
  Secret<std::array<std::uint8_t, N + 32>> der;
  std::size_t size = 0;
  const char* behind = nullptr;
  const bool read = sodium_base642bin(der->data(), der->size(), body.data(), body.size(), " \r\n\t", &size, &behind,
                                      sodium_base64_VARIANT_ORIGINAL) == 0;
  if (!read || behind != body.data() + body.size() || size != N + 32) return false;
  if (std::memcmp(der->data(), head.data(), N) != 0) return false;
  std::memcpy(key.data(), der->data() + N, key.size());
  return true;
}

}  // namespace

std::string KeyId(const VerifyKey& key) {
  const std::vector<std::uint8_t> der = KeyDer(kPublicHead, key);
  return ToHex(Sha256Of({reinterpret_cast<const char*>(der.data()), der.size()}));
}

std::string PrivatePem(const SigningKey& key) { return KeyPem("PRIVATE KEY", KeyDer(kPrivateHead, *key.seed())); }
std::string PublicPem(const VerifyKey& key) { return KeyPem("PUBLIC KEY", KeyDer(kPublicHead, key)); }

Result<SigningKey> ParsePrivatePem(std::string_view text) {
  Secret<SigningKey::Seed> seed;
  if (!KeyFromPem(text, "PRIVATE KEY", kPrivateHead, *seed)) {
    return Error::InvalidData("this is not a private Ed25519 key").WithHint("cordon keygen KEY makes one");
  }
  return SigningKey::FromSeed(seed);
}

Result<VerifyKey> ParsePublicPem(std::string_view text) {
  VerifyKey key;
  if (!KeyFromPem(text, "PUBLIC KEY", kPublicHead, key)) {
    return Error::InvalidData("this is not a public Ed25519 key")
        .WithHint("give the file KEY.pub that cordon keygen KEY wrote");
  }
  return key;
}

Result<std::string> MakeKeyFiles(const std::string& path) {
  const std::string shown = path + ".pub";
  if (path.empty() || path == "-" || IsSpecialFile(path)) return Error::InvalidPolicy("a key needs the name of a file");
  Outputs outputs;
  CORDON_RETURN_IF_ERROR(outputs.Reserve(path, AtomicFile::Access::kPrivate));
  CORDON_RETURN_IF_ERROR(outputs.Reserve(shown, AtomicFile::Access::kPublic));
  if (::access(path.c_str(), F_OK) == 0 || ::access(shown.c_str(), F_OK) == 0) {
    return Error::InvalidPolicy("{} is there already", ::access(path.c_str(), F_OK) == 0 ? path : shown)
        .WithHint("a key that is lost cannot be made again: give another name, or move the old one away");
  }
  const SigningKey key = SigningKey::Draw(OperatingSystemBytes());
  CORDON_RETURN_IF_ERROR(outputs.Write(path, PrivatePem(key)));
  CORDON_RETURN_IF_ERROR(outputs.Write(shown, PublicPem(key.verify_key())));
  CORDON_RETURN_IF_ERROR(outputs.Show(shown));
  return KeyId(key.verify_key());
}

Result<SigningKey> ReadSigningKey(const std::string& path) {
  CORDON_RETURN_IF_ERROR(RequireRegularFile(path));
  struct stat found{};
  if (::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & 077) != 0) {
    return Error::InvalidPolicy("{}: other users may read this private key", path).WithHint("chmod 600 {}", path);
  }
  CORDON_TRY(std::string text, ReadFile(path, kMaxKeyFile));
  auto key = ParsePrivatePem(text).WithContext("reading {}", path);
  WipeMemory(text.data(), text.size());
  return key;
}

Result<std::vector<VerifyKey>> ReadVerifyKeys(const std::vector<std::string>& paths) {
  std::vector<VerifyKey> keys;
  for (const std::string& path : paths) {
    CORDON_RETURN_IF_ERROR(RequireRegularFile(path));
    CORDON_TRY(const std::string text, ReadFile(path, kMaxKeyFile));
    CORDON_TRY(const VerifyKey key, ParsePublicPem(text).WithContext("reading {}", path));
    keys.push_back(key);
  }
  return keys;
}

}  // namespace cordon::engine
