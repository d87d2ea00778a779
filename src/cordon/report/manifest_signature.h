// SPDX-License-Identifier: Apache-2.0
//
// A signature in a manifest, so that nobody but the holder of the key can have written it (docs/certificate.md).
//
//   "format": 2, "signed_at": "2026-05-01T10:00:00Z", "signatures": [{"keyid": "<hex>", "sig": "<base64>"}]
//
// What is signed is the manifest without `signatures`, in its canonical form, as the payload of a DSSE envelope: the text
// "DSSEv1 <length> <type> <length> <payload>". The type keeps a signature of one kind of document from serving for another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/base/result.h"
#include "cordon/crypto/signature.h"

namespace cordon::engine {

inline constexpr const char* kManifestType = "application/vnd.cordon.manifest+json";
inline constexpr const char* kStoreType = "application/vnd.cordon.store+json";
inline constexpr const char* kCheckpointType = "application/vnd.cordon.checkpoint+json";

// The text that is signed: DSSE's pre-authentication encoding.
std::string SignedText(std::string_view type, std::string_view payload);

// Sets `format` to 2, the time and the signature. A signature that was there goes.
Result<void> Sign(Json& document, const char* type, const SigningKey& key);
// Takes signature and time away: what is left is of format 1.
void TakeSignature(Json& document);
bool IsSigned(const Json& document);

// Whether one of the trusted keys has signed this document.
struct SignatureMatch {
  bool holds = false;
  std::string what;  // why not; or the key and the time

  std::string Explain() const;
};
SignatureMatch CheckSignature(const Json& document, const char* type, const std::vector<VerifyKey>& trusted);
// The same, and that it was signed for this policy.
SignatureMatch CheckCertificate(const Json& document, const char* type, const std::vector<VerifyKey>& trusted,
                                const std::string& policy_digest);

}  // namespace cordon::engine
