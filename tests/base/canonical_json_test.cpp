// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/canonical_json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

namespace cordon::engine {
namespace {

std::string Canonical(std::string_view text) {
  const auto made = CanonicalJson(ParseJsonOnce(text));
  return made.ok() ? made.value() : "refused";
}

// RFC 8785, section 3.2.2.
TEST(CanonicalJson, WritesTheSampleOfTheRfc) {
  EXPECT_EQ(Canonical(R"({
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  })"),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

// RFC 8785, section 3.2.3: by UTF-16 code units, so a character outside of the basic plane comes before U+FB33.
TEST(CanonicalJson, OrdersNamesAsTheRfc) {
  EXPECT_EQ(Canonical(R"({"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7})"),
            "{\"\\r\":2,\"1\":4,\"\xc2\x80\":6,\"\xc3\xb6\":7,\"\xe2\x82\xac\":1,\"\xf0\x9f\x98\x80\":5,\"\xef\xac\xb3\":3}");
}

// RFC 8785, appendix B.
TEST(CanonicalJson, WritesTheNumbersOfTheRfc) {
  const std::pair<std::uint64_t, const char*> vectors[] = {
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  };
  for (const auto& [bits, text] : vectors) EXPECT_EQ(CanonicalNumber(std::bit_cast<double>(bits)), text);
}

TEST(CanonicalJson, RefusesWhatHasNoExactForm) {
  EXPECT_EQ(Canonical("9007199254740992"), "9007199254740992");
  EXPECT_EQ(Canonical("9007199254740993"), "refused");
  EXPECT_EQ(Canonical("-9007199254740993"), "refused");
  EXPECT_FALSE(CanonicalJson(Json("\xff")).ok());
  EXPECT_FALSE(CanonicalJson(Json("\xed\xa0\x80")).ok()) << "half of a surrogate pair";
  EXPECT_FALSE(CanonicalJson(Json(std::string("\xc0\x80", 2))).ok()) << "a longer form than need be";
}

TEST(CanonicalJson, NothingComesBeforeOrAfterADocument) {
  using namespace std::string_literals;
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  for (const std::string& text : {"{}\0{\"a\":1}"s, "{}\0"s, "\0{}"s, "{\"a\":\"\0\"}"s, "\xef\xbb\xbf{}"s, "{} {}"s, "{}x"s,
                                  nested(201), nested(1000000), std::string(1000000, '[')}) {
    EXPECT_TRUE(ParseJson(text).is_discarded()) << text.substr(0, 20);
    EXPECT_TRUE(ParseJsonOnce(text).is_discarded()) << text.substr(0, 20);
  }
  for (const std::string& text : {" {} \n"s, nested(200), "\"" + std::string(500, '[') + "\\\"[\""}) {
    EXPECT_FALSE(ParseJson(text).is_discarded()) << text.substr(0, 20);
    EXPECT_FALSE(ParseJsonOnce(text).is_discarded()) << text.substr(0, 20);
  }
}

TEST(CanonicalJson, ANameThatStandsTwiceIsNotRead) {
  EXPECT_TRUE(ParseJsonOnce(R"({"a":1,"b":{"a":2}})").is_object());
  EXPECT_TRUE(ParseJsonOnce(R"({"a":1,"a":1})").is_discarded());
  EXPECT_TRUE(ParseJsonOnce(R"([{"b":{"a":1,"c":2,"a":3}}])").is_discarded());
}

}  // namespace
}  // namespace cordon::engine
