// SPDX-License-Identifier: Apache-2.0
#include "cordon/joint/party_keys.h"

#include <filesystem>

#include "cordon/base/digest.h"
#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {
namespace {

using Bytes32 = std::array<std::uint8_t, 32>;

Result<void> WriteSecret(const std::string& path, const Bytes32& bytes) {
  if (std::filesystem::exists(path)) {
    return Error::Io("{} is there already", path).WithHint("who loses a key can no longer prove who it is; give another name");
  }
  return WriteFile(path, ToHex(bytes) + "\n", AtomicFile::Access::kPrivate);
}

Result<void> ReadSecret(const std::string& path, const char* what, Bytes32& bytes) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (fs::is_directory(path, failed)) return Error::InvalidData("{} is a folder, not a {}", path, what);
  const fs::perms access = fs::status(path, failed).permissions();
  if (!failed && (access & (fs::perms::group_all | fs::perms::others_all)) != fs::perms::none) {
    return Error::InvalidData("{}: others may read the {}", path, what).WithHint("chmod 600 {}", path);
  }
  CORDON_TRY(std::string text, ReadFile(path, kMebibyte).WithContext("reading the {}", what));
  if (!text.empty() && text.back() == '\n') text.pop_back();
  const bool read = FromHex(text, bytes);
  WipeMemory(text.data(), text.size());
  if (!read) return Error::InvalidData("{} is not a {}: 64 hexadecimal digits", path, what);
  return {};
}

}  // namespace

Result<std::string> MakePartyKey(const std::string& path) {
  const SigningKey key = SigningKey::Draw(OperatingSystemBytes());
  CORDON_RETURN_IF_ERROR(WriteSecret(path, *key.seed()));
  return ToHex(key.verify_key());
}

Result<void> MakePepper(const std::string& path) {
  Secret<Bytes32> pepper;
  OperatingSystemBytes()(*pepper);
  return WriteSecret(path, *pepper);
}

Result<SigningKey> ReadPartyKey(const std::string& path) {
  Secret<SigningKey::Seed> seed;
  CORDON_RETURN_IF_ERROR(ReadSecret(path, "key of a party", *seed));
  return SigningKey::FromSeed(seed);
}

Result<Pepper> ReadPepper(const std::string& path) {
  Pepper pepper;
  CORDON_RETURN_IF_ERROR(ReadSecret(path, "pepper", pepper));
  return pepper;
}

}  // namespace cordon::engine
