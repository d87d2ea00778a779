// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/parquet/thrift_compact.h"

#include <gtest/gtest.h>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

using Type = ThriftValue::Type;

ThriftValue RandomValue(Random& random, Type type, int depth);

Type RandomType(Random& random, int depth) {
  return static_cast<Type>(1 + random.Below(depth > 3 ? 8 : 13));  // nothing that nests
}

ThriftValue RandomStructure(Random& random, int depth) {
  ThriftValue made;
  int id = 0;
  for (std::uint64_t field = random.Below(6); field > 0; --field) {
    id += static_cast<int>(1 + random.Below(random.Below(4) == 0 ? 300 : 3));
    ThriftValue value = RandomValue(random, RandomType(random, depth), depth + 1);
    if (value.type == Type::kTrue || value.type == Type::kFalse) value.number = 0;
    value.id = static_cast<std::int16_t>(id);
    made.items.push_back(std::move(value));
  }
  return made;
}

ThriftValue RandomValue(Random& random, Type type, int depth) {
  if (type == Type::kStruct) return RandomStructure(random, depth);
  ThriftValue made;
  made.type = type;
  switch (type) {
    case Type::kTrue:
    case Type::kFalse: made.number = static_cast<std::int64_t>(1 + random.Below(2)); break;
    case Type::kByte: made.number = static_cast<std::int64_t>(random.Below(256)); break;
    case Type::kI16: made.number = static_cast<std::int16_t>(random.Next()); break;
    case Type::kI32: made.number = static_cast<std::int32_t>(random.Next()); break;
    case Type::kI64: made.number = static_cast<std::int64_t>(random.Next() >> random.Below(64)); break;
    case Type::kDouble: made.bytes = "12345678"; break;
    case Type::kUuid: made.bytes = "0123456789abcdef"; break;
    case Type::kBinary: made.bytes = std::string(random.Below(200), 'x'); break;
    case Type::kList:
    case Type::kSet:
      made.element = RandomType(random, depth);
      for (std::uint64_t i = random.Below(20); i > 0; --i) made.items.push_back(RandomValue(random, made.element, depth + 1));
      break;
    case Type::kMap: {
      const std::uint64_t size = random.Below(4);
      if (size == 0) break;
      made.element = RandomType(random, depth);
      made.mapped = RandomType(random, depth);
      for (std::uint64_t i = 0; i < size; ++i) {
        made.items.push_back(RandomValue(random, made.element, depth + 1));
        made.items.push_back(RandomValue(random, made.mapped, depth + 1));
      }
      break;
    }
    case Type::kStruct: break;
  }
  return made;
}

TEST(ThriftCompact, ReadsBytesWrittenByHand) {
  // 1: i32 = 1 (zigzag 2), 2: binary "ab", 20: true, -1: i64 = -3 (long form: zigzag of the number)
  const std::string bytes(
      "\x15\x02\x18\x02"
      "ab\x01\x28\x06\x01\x05\x00",
      13);
  const auto tree = ParseThrift(std::string_view(bytes).substr(0, 12));
  ASSERT_TRUE(tree.ok()) << tree.error().message();
  EXPECT_EQ(tree.value().Number(1, Type::kI32), 1);
  EXPECT_EQ(tree.value().Number(1, Type::kI64), std::nullopt);
  EXPECT_EQ(tree.value().Find(2, Type::kBinary)->bytes, "ab");
  EXPECT_TRUE(tree.value().Has(20));
  EXPECT_EQ(tree.value().Number(-1, Type::kI64), -3);
  EXPECT_EQ(SerializeThrift(tree.value()), bytes.substr(0, 12));
  EXPECT_FALSE(ParseThrift(bytes).ok());  // a byte more
}

TEST(ThriftCompact, WhatIsWrittenReadsTheSame) {
  Random random = Random::FromSeed(7);
  for (int run = 0; run < 2000; ++run) {
    const ThriftValue tree = RandomStructure(random, 0);
    const std::string bytes = SerializeThrift(tree);
    const auto again = ParseThrift(bytes);
    ASSERT_TRUE(again.ok()) << run;
    ASSERT_EQ(again.value(), tree) << run;
    ASSERT_EQ(SerializeThrift(again.value()), bytes);
    EXPECT_FALSE(ParseThrift(std::string_view(bytes).substr(0, bytes.size() - 1)).ok());
  }
}

TEST(ThriftCompact, DamageIsAnErrorAndNothingElse) {
  Random random = Random::FromSeed(8);
  for (int run = 0; run < 3000; ++run) {
    std::string bytes = SerializeThrift(RandomStructure(random, 0));
    for (std::uint64_t change = 1 + random.Below(4); change > 0; --change)
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    const auto read = ParseThrift(bytes);
    if (!read.ok()) continue;
    const auto again = ParseThrift(SerializeThrift(read.value()));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again.value(), read.value());
  }
}

TEST(ThriftCompact, SizesAndNestingAreNotBelieved) {
  EXPECT_FALSE(ParseThrift("").ok());
  EXPECT_FALSE(ParseThrift(std::string("\x18\xff\xff\xff\xff\x07\x00", 7)).ok());               // 2^31 bytes of text
  EXPECT_FALSE(ParseThrift(std::string("\x19\xfc\xff\xff\xff\xff\xff\xff\x7f\x00", 10)).ok());  // a list of structures
  EXPECT_FALSE(ParseThrift(std::string("\x1b\xff\xff\xff\xff\x07\x55\x00", 8)).ok());           // a map
  EXPECT_FALSE(ParseThrift(std::string(100'000, '\x1c')).ok());                                 // structures in structures
  EXPECT_FALSE(ParseThrift(std::string(100'000, '\x19')).ok());                                 // lists in lists
  EXPECT_TRUE(ParseThrift(std::string("\0", 1)).ok());
}

}  // namespace
}  // namespace cordon::engine
