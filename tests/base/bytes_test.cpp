// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/bytes.h"

#include <gtest/gtest.h>

#include <limits>

namespace cordon::engine {
namespace {

constexpr std::int64_t kWholes[] = {
    0, -1, 1, 63, -64, 64, 1'000'000, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};

std::string Everything() {
  ByteWriter writer;
  for (const std::int64_t whole : kWholes) writer.Whole(whole);
  writer.Count(std::numeric_limits<std::uint64_t>::max());
  writer.Word(0x0123456789abcdefULL);
  writer.Real(-0.1);
  writer.Flag(true);
  writer.Text("text");
  return std::move(writer).Take();
}

TEST(Bytes, WhatIsWrittenIsRead) {
  const std::string bytes = Everything();
  ByteReader reader(bytes);
  for (const std::int64_t whole : kWholes) EXPECT_EQ(reader.Whole(), whole);
  EXPECT_EQ(reader.Count(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(reader.Word(), 0x0123456789abcdefULL);
  EXPECT_EQ(reader.Real(), -0.1);
  EXPECT_TRUE(reader.Flag());
  EXPECT_EQ(reader.Text(), "text");
  EXPECT_TRUE(reader.Finish("it").ok());
}

TEST(Bytes, ACutAnywhereIsNoticed) {
  const std::string bytes = Everything();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(std::string_view(bytes).substr(0, size));
    for (std::size_t i = 0; i < std::size(kWholes); ++i) reader.Whole();
    reader.Count();
    reader.Word();
    reader.Real();
    reader.Flag();
    reader.Text();
    EXPECT_FALSE(reader.ok()) << size;
    EXPECT_EQ(reader.Finish("the snapshot").error().message(), "the snapshot is damaged");
  }
}

TEST(Bytes, WhatIsLeftOverIsDamage) {
  const std::string bytes = Everything() + "x";
  ByteReader reader(bytes);
  reader.Whole();
  EXPECT_FALSE(reader.Finish("it").ok());
}

TEST(Bytes, NumbersOutOfBoundsAreDamage) {
  ByteWriter writer;
  writer.Count(1'000'000'000);  // a length that would ask for a gigabyte
  ByteReader length(writer.bytes());
  EXPECT_EQ(length.Length(), 0u);
  EXPECT_FALSE(length.ok());
  ByteReader flag(writer.bytes());
  flag.Flag();
  EXPECT_FALSE(flag.ok());
  ByteReader range(writer.bytes());
  EXPECT_EQ(range.Whole(0, 10), 0);
  EXPECT_FALSE(range.ok());
  const std::string endless(11, '\xff');  // a varint that never ends, and one of more than 64 bits
  ByteReader varint(endless);
  varint.Count();
  EXPECT_FALSE(varint.ok());
}

}  // namespace
}  // namespace cordon::engine
