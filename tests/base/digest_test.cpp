// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/digest.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

TEST(Digest, Sha256OfKnownBytes) {  // FIPS 180-2, examples B.1 and of the empty message
  EXPECT_EQ(ToHex(Sha256Of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ToHex(Sha256Of("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Digest, PiecesGiveTheDigestOfTheWhole) {
  Sha256 hash;
  hash.Update("a");
  hash.Update("");
  hash.Update("bc");
  EXPECT_EQ(hash.Finish(), Sha256Of("abc"));
}

TEST(Digest, HmacOfKnownBytes) {  // RFC 4231, test case 2
  EXPECT_EQ(ToHex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Digest, HexadecimalReadsBackOrIsRefused) {
  std::array<std::uint8_t, 3> bytes{};
  EXPECT_TRUE(FromHex("00ff7a", bytes));
  EXPECT_EQ(ToHex(bytes), "00ff7a");
  EXPECT_FALSE(FromHex("00ff7", bytes));
  EXPECT_FALSE(FromHex("00ff7a00", bytes));
  EXPECT_FALSE(FromHex("00ff7g", bytes));
  EXPECT_TRUE(FromHex("", {}));
  EXPECT_FALSE(FromHex("00", {}));
}

}  // namespace
}  // namespace cordon::engine
