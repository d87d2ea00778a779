// SPDX-License-Identifier: Apache-2.0
//
// Values in Thrift's compact protocol as a tree, without knowing what they mean: what a footer of Parquet is written in. Fields
// that nobody here has heard of are kept as they are, so a tree can be read, changed in a few places and written again.
//
// Bytes that are no such value are an error: nesting has a limit, and no size is believed that the bytes left cannot hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"

namespace cordon::engine {

struct ThriftValue {
  enum class Type : std::uint8_t {
    kTrue = 1,  // a boolean field is its type
    kFalse,
    kByte,
    kI16,
    kI32,
    kI64,
    kDouble,
    kBinary,
    kList,
    kSet,
    kMap,
    kStruct,
    kUuid,
  };

  Type type = Type::kStruct;
  Type element = Type::kTrue;      // kList, kSet; the keys of a kMap
  Type mapped = Type::kTrue;       // the values of a kMap
  std::int16_t id = 0;             // as a field of a structure
  std::int64_t number = 0;         // whole numbers; booleans that are elements, as their byte
  std::string bytes;               // kBinary, kDouble, kUuid
  std::vector<ThriftValue> items;  // elements, keys and values by turns, or fields

  bool operator==(const ThriftValue&) const = default;

  // Fields of a structure. Nothing where there is none of that number and type.
  const ThriftValue* Find(std::int16_t field, Type of) const;
  ThriftValue* Find(std::int16_t field, Type of);
  std::optional<std::int64_t> Number(std::int16_t field, Type of) const;
  bool Has(std::int16_t field) const;
  void Erase(std::int16_t field);
};

// A structure that takes all of the bytes.
Result<ThriftValue> ParseThrift(std::string_view bytes);
std::string SerializeThrift(const ThriftValue& structure);

}  // namespace cordon::engine
