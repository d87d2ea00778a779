// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/manifest_signature.h"

#include <gtest/gtest.h>

#include "cordon/report/key_file.h"

namespace cordon::engine {
namespace {

SigningKey KeyOfByte(std::uint8_t byte) {
  Secret<SigningKey::Seed> seed;
  seed->fill(byte);
  return SigningKey::FromSeed(seed);
}

Json Document() { return {{"format", 1}, {"policy_sha256", "ab"}, {"output", {{"rows", 7}, {"share", 0.5}}}}; }

// The example of the DSSE specification (protocol.md): its encoding of the message.
TEST(Certificate, EncodesAsDsse) {
  EXPECT_EQ(SignedText("http://example.com/HelloWorld", "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

TEST(Certificate, HoldsOfWhatWasSignedAlone) {
  const SigningKey key = KeyOfByte(1), other = KeyOfByte(2);
  Json document = Document();
  EXPECT_FALSE(CheckSignature(document, kManifestType, {key.verify_key()}).holds);
  ASSERT_TRUE(Sign(document, kManifestType, key).ok());
  EXPECT_EQ(document["format"], 2);
  EXPECT_TRUE(CheckSignature(document, kManifestType, {other.verify_key(), key.verify_key()}).holds);
  EXPECT_FALSE(CheckSignature(document, kManifestType, {other.verify_key()}).holds);
  EXPECT_FALSE(CheckSignature(document, kManifestType, {}).holds);
  EXPECT_FALSE(CheckSignature(document, kStoreType, {key.verify_key()}).holds);
  EXPECT_TRUE(CheckCertificate(document, kManifestType, {key.verify_key()}, "ab").holds);
  EXPECT_FALSE(CheckCertificate(document, kManifestType, {key.verify_key()}, "cd").holds);
  const Json read = ParseJson(Dump(document));  // as it comes back from a file
  EXPECT_TRUE(CheckSignature(read, kManifestType, {key.verify_key()}).holds);
  for (const char* name : {"format", "policy_sha256", "signed_at", "output"}) {
    Json changed = read;
    changed[name] = 3;
    EXPECT_FALSE(CheckSignature(changed, kManifestType, {key.verify_key()}).holds) << name;
    changed.erase(name);
    EXPECT_FALSE(CheckSignature(changed, kManifestType, {key.verify_key()}).holds) << name;
  }
  Json more = read;
  more["more"] = 1;
  EXPECT_FALSE(CheckSignature(more, kManifestType, {key.verify_key()}).holds);
}

TEST(Certificate, ASecondSignatureReplacesTheFirst) {
  const SigningKey key = KeyOfByte(1), other = KeyOfByte(2);
  Json document = Document();
  ASSERT_TRUE(Sign(document, kManifestType, key).ok());
  ASSERT_TRUE(Sign(document, kManifestType, other).ok());
  EXPECT_FALSE(CheckSignature(document, kManifestType, {key.verify_key()}).holds);
  EXPECT_TRUE(CheckSignature(document, kManifestType, {other.verify_key()}).holds);
  TakeSignature(document);
  EXPECT_EQ(document, Document());
}

// Files that are not UTF-8 have names, too: what is signed is what the file shows.
TEST(Certificate, SignsTheTextThatIsWritten) {
  const SigningKey key = KeyOfByte(1);
  Json document = {{"format", 1}, {"name", "out\xff.csv"}};
  ASSERT_TRUE(Sign(document, kManifestType, key).ok());
  EXPECT_TRUE(CheckSignature(ParseJson(Dump(document)), kManifestType, {key.verify_key()}).holds);
}

// RFC 8410, section 10: the example keys. The private one has the form without attributes.
TEST(KeyFile, ReadsTheKeysOfTheRfc) {
  const auto key = ParsePrivatePem(
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE "
      "KEY-----\n");
  const auto shown = ParsePublicPem(
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n");
  ASSERT_TRUE(key.ok());
  ASSERT_TRUE(shown.ok());
  EXPECT_EQ(key.value().verify_key(), shown.value());
  EXPECT_EQ(ParsePrivatePem(PrivatePem(key.value())).value().verify_key(), shown.value());
  EXPECT_EQ(ParsePublicPem(PublicPem(shown.value())).value(), shown.value());
}

TEST(KeyFile, RefusesWhatIsNoKey) {
  const std::string pem = PublicPem(KeyOfByte(1).verify_key());
  EXPECT_TRUE(ParsePublicPem("a note\r\n" + pem).ok());
  EXPECT_FALSE(ParsePrivatePem(pem).ok());
  EXPECT_FALSE(ParsePublicPem("").ok());
  for (std::size_t at = 0; at + 1 < pem.size(); ++at) {
    std::string changed = pem;
    changed[at] = changed[at] == '!' ? '?' : '!';
    EXPECT_FALSE(ParsePublicPem(changed).ok()) << at;
    EXPECT_FALSE(ParsePublicPem(pem.substr(0, at)).ok()) << at;
  }
}

}  // namespace
}  // namespace cordon::engine
