// SPDX-License-Identifier: Apache-2.0
//
// Ed25519 keys in files, in the forms that OpenSSL reads and writes: PEM with PKCS #8 (RFC 8410) for the private key, PEM with
// SubjectPublicKeyInfo for the public one. The id of a key is the SHA-256 of its SubjectPublicKeyInfo, in hexadecimal:
//   openssl pkey -pubin -in KEY.pub -outform DER | sha256sum
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/crypto/signature.h"

namespace cordon::engine {

std::string KeyId(const VerifyKey& key);

std::string PrivatePem(const SigningKey& key);
std::string PublicPem(const VerifyKey& key);
// An error says what the text is not; it never holds a part of it.
Result<SigningKey> ParsePrivatePem(std::string_view text);
Result<VerifyKey> ParsePublicPem(std::string_view text);

// Draws a key of the operating system's randomness and writes `path` (mode 0600) and `path`.pub. Neither may be there. Returns
// the id.
Result<std::string> MakeKeyFiles(const std::string& path);

// Refuses a private key that others may read.
Result<SigningKey> ReadSigningKey(const std::string& path);
Result<std::vector<VerifyKey>> ReadVerifyKeys(const std::vector<std::string>& paths);

}  // namespace cordon::engine
