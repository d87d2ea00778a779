// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/printable.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

TEST(Printable, OrdinaryTextStaysAsItIs) {
  for (const char* text : {"", "plain", "a\\b \"c\"", "Zürich, 東京, 😀, ‰ €"}) EXPECT_EQ(Printable(text), text);
}

TEST(Printable, WhatATerminalObeysIsSpelledOut) {
  EXPECT_EQ(Printable("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(Printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(Printable(std::string("\0\x07\x7f", 3)), "\\x00\\x07\\x7f");
  EXPECT_EQ(Printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m");                              // C1: a control sequence in one character
  EXPECT_EQ(Printable("x\xE2\x80\xAEy"), "x\\u202ey");  // right-to-left override
  EXPECT_EQ(Printable("\xE2\x81\xA6\xE2\x80\xA8"), "\\u2066\\u2028");
}

TEST(Printable, CutCharactersDoNotRunOverTheEnd) {
  for (const char* text : {"\xC2", "\xE2", "\xE2\x80"}) EXPECT_EQ(Printable(text), text);
}

}  // namespace
}  // namespace cordon::engine
