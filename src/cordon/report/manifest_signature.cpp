// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/manifest_signature.h"

#include <fmt/chrono.h>
#include <sodium.h>

#include <chrono>

#include "cordon/base/canonical_json.h"
#include "cordon/base/digest.h"
#include "cordon/report/key_file.h"

namespace cordon::engine {
namespace {

constexpr const char* kSignatures = "signatures";
constexpr const char* kSignedAt = "signed_at";

std::string TimeNow() {
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

std::string SignatureText(const Signature& signature) {
  InitializeSodium();
  std::string text(sodium_base64_ENCODED_LEN(signature.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), signature.data(), signature.size(), sodium_base64_VARIANT_ORIGINAL);
  text.resize(text.size() - 1);  // the end of a C string
  return text;
}

bool ReadSignature(const Json& entry, Signature& signature) {
  if (!entry.is_object() || !entry.contains("sig") || !entry["sig"].is_string()) return false;
  const std::string text = entry["sig"].get<std::string>();
  std::size_t size = 0;
  const char* end = nullptr;
  return sodium_base642bin(signature.data(), signature.size(), text.data(), text.size(), nullptr, &size, &end,
                           sodium_base64_VARIANT_ORIGINAL) == 0 &&
         end == text.data() + text.size() && size == signature.size();
}

Result<std::string> Payload(Json document, const char* type) {
  document.erase(kSignatures);
  CORDON_TRY(const std::string payload, CanonicalJson(document));
  return SignedText(type, payload);
}

}  // namespace

std::string SignedText(std::string_view type, std::string_view payload) {
  return fmt::format("DSSEv1 {} {} {} {}", type.size(), type, payload.size(), payload);
}

void TakeSignature(Json& document) {
  document.erase(kSignatures);
  document.erase(kSignedAt);
  document["format"] = 1;
}

bool IsSigned(const Json& document) { return document.is_object() && document.contains(kSignatures); }

Result<void> Sign(Json& document, const char* type, const SigningKey& key) {
  TakeSignature(document);
  document["format"] = 2;
  document[kSignedAt] = TimeNow();
  document = ParseJson(Dump(document));  // as a reader will find it: names of files that are not UTF-8 are shown so
  CORDON_TRY(const std::string text, Payload(document, type));
  document[kSignatures] = Json::array({{{"keyid", KeyId(key.verify_key())}, {"sig", SignatureText(key.Sign(text))}}});
  return {};
}

std::string SignatureMatch::Explain() const {
  return fmt::format("certificate: {}; {}", holds ? "holds" : "does not hold", what);
}

SignatureMatch CheckSignature(const Json& document, const char* type, const std::vector<VerifyKey>& trusted) {
  if (!IsSigned(document)) return {false, "it is not signed"};
  const Json& signatures = document[kSignatures];
  const Json format = document.value("format", Json());
  if (!signatures.is_array() || format != 2) return {false, "its signature is not of a form that this version knows"};
  const Result<std::string> text = Payload(document, type);
  if (!text.ok()) return {false, text.error().message()};
  bool known = false;
  for (const Json& entry : signatures) {
    Signature signature;
    if (!ReadSignature(entry, signature)) continue;
    for (const VerifyKey& key : trusted) {
      known = known || entry.value("keyid", Json()) == KeyId(key);
      if (!VerifySignature(key, text.value(), signature)) continue;  // the id is a hint: only the key itself decides
      const Json time = document.value(kSignedAt, Json());
      return {true, fmt::format("signed by key {}{}", KeyId(key), time.is_string() ? " at " + time.get<std::string>() : "")};
    }
  }
  return {false, known ? "it was changed after it was signed" : "no key that was given has signed it"};
}

SignatureMatch CheckCertificate(const Json& document, const char* type, const std::vector<VerifyKey>& trusted,
                                const std::string& policy_digest) {
  SignatureMatch match = CheckSignature(document, type, trusted);
  if (match.holds && document.value("policy_sha256", Json()) != policy_digest)
    return {false, "it was signed for another policy"};
  return match;
}

}  // namespace cordon::engine
