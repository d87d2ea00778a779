// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/parquet/thrift_compact.h"

#include <algorithm>
#include <limits>

namespace cordon::engine {
namespace {

using Type = ThriftValue::Type;

constexpr int kDeepest = 32;
constexpr std::size_t kDoubleBytes = 8;
constexpr std::size_t kUuidBytes = 16;
constexpr std::uint64_t kShortSize = 15;  // a list of fewer elements has its size in its first byte

std::uint64_t ZigZag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t UnZigZag(std::uint64_t value) { return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

bool IsBoolean(Type type) { return type == Type::kTrue || type == Type::kFalse; }

// After the first thing that does not fit every read gives nothing, and ok() is false.
class Parser {
 public:
  explicit Parser(std::string_view bytes) : rest_(bytes) {}

  ThriftValue Structure(int depth) {
    ThriftValue made;
    std::int64_t id = 0;
    while (ok_) {
      const std::uint8_t header = Byte();
      if (!ok_ || header == 0) break;
      id = header >> 4 != 0 ? id + (header >> 4) : UnZigZag(Varint());
      if (id < std::numeric_limits<std::int16_t>::min() || id > std::numeric_limits<std::int16_t>::max()) Fail();
      ThriftValue field = Value(TypeOf(header & 15), Place::kField, depth);
      field.id = static_cast<std::int16_t>(id);
      made.items.push_back(std::move(field));
    }
    return made;
  }
  bool AtEnd() const { return ok_ && rest_.empty(); }

 private:
  enum class Place { kField, kElement };

  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  std::uint8_t Byte() {
    if (rest_.empty()) {
      Fail();
      return 0;
    }
    const auto byte = static_cast<std::uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = Byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
    Fail();
    return 0;
  }
  std::string Bytes(std::uint64_t size) {
    if (size > rest_.size()) Fail();
    std::string taken(rest_.substr(0, ok_ ? size : 0));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  Type TypeOf(unsigned code) {
    if (code >= static_cast<unsigned>(Type::kTrue) && code <= static_cast<unsigned>(Type::kUuid))
      return static_cast<Type>(code);
    Fail();
    return Type::kTrue;
  }
  // Each element takes a byte at least: more of them than bytes are damage.
  void Elements(std::uint64_t count, ThriftValue& to, int depth) {
    if (count > rest_.size()) return Fail();
    to.items.reserve(count);
    for (std::uint64_t i = 0; i < count && ok_; ++i) to.items.push_back(Value(to.element, Place::kElement, depth));
  }
  void Map(ThriftValue& to, int depth) {
    const std::uint64_t count = Varint();
    if (count == 0 || !ok_) return;
    const std::uint8_t types = Byte();
    to.element = TypeOf(types >> 4);
    to.mapped = TypeOf(types & 15);
    if (count > rest_.size() / 2) return Fail();
    to.items.reserve(2 * count);
    for (std::uint64_t i = 0; i < count && ok_; ++i) {
      to.items.push_back(Value(to.element, Place::kElement, depth));
      to.items.push_back(Value(to.mapped, Place::kElement, depth));
    }
  }
  ThriftValue Value(Type type, Place place, int depth) {
    if (depth >= kDeepest) Fail();
    if (!ok_) return {};
    if (type == Type::kStruct) return Structure(depth + 1);
    ThriftValue made;
    made.type = type;
    switch (type) {
      case Type::kTrue:
      case Type::kFalse:
        if (place == Place::kElement) made.number = Byte();
        break;
      case Type::kByte: made.number = Byte(); break;
      case Type::kI16:
      case Type::kI32:
      case Type::kI64: made.number = UnZigZag(Varint()); break;
      case Type::kDouble: made.bytes = Bytes(kDoubleBytes); break;
      case Type::kUuid: made.bytes = Bytes(kUuidBytes); break;
      case Type::kBinary: made.bytes = Bytes(Varint()); break;
      case Type::kList:
      case Type::kSet: {
        const std::uint8_t header = Byte();
        made.element = TypeOf(header & 15);
        const std::uint64_t size = header >> 4;
        Elements(size < kShortSize ? size : Varint(), made, depth + 1);
        break;
      }
      case Type::kMap: Map(made, depth + 1); break;
      case Type::kStruct: break;
    }
    return made;
  }

  std::string_view rest_;
  bool ok_ = true;
};

class Writer {
 public:
  void Structure(const ThriftValue& value) {
    int last = 0;
    for (const ThriftValue& field : value.items) {
      const int step = field.id - last;
      const bool near = step >= 1 && step <= 15;
      Byte(static_cast<unsigned>((near ? step << 4 : 0) | static_cast<int>(field.type)));
      if (!near) Varint(ZigZag(field.id));
      if (!IsBoolean(field.type)) Value(field);
      last = field.id;
    }
    Byte(0);
  }
  std::string Take() && { return std::move(bytes_); }

 private:
  void Byte(unsigned byte) { bytes_.push_back(static_cast<char>(byte)); }
  void Varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) Byte(static_cast<unsigned>(value & 127) | 128u);
    Byte(static_cast<unsigned>(value));
  }
  void Value(const ThriftValue& value) {
    switch (value.type) {
      case Type::kTrue:
      case Type::kFalse:
      case Type::kByte: Byte(static_cast<std::uint8_t>(value.number)); break;
      case Type::kI16:
      case Type::kI32:
      case Type::kI64: Varint(ZigZag(value.number)); break;
      case Type::kDouble:
      case Type::kUuid: bytes_ += value.bytes; break;
      case Type::kBinary:
        Varint(value.bytes.size());
        bytes_ += value.bytes;
        break;
      case Type::kList:
      case Type::kSet: {
        const std::uint64_t size = value.items.size();
        Byte(static_cast<unsigned>(std::min(size, kShortSize) << 4) | static_cast<unsigned>(value.element));
        if (size >= kShortSize) Varint(size);
        for (const ThriftValue& item : value.items) Value(item);
        break;
      }
      case Type::kMap:
        Varint(value.items.size() / 2);
        if (value.items.empty()) break;
        Byte(static_cast<unsigned>(value.element) << 4 | static_cast<unsigned>(value.mapped));
        for (const ThriftValue& item : value.items) Value(item);
        break;
      case Type::kStruct: Structure(value); break;
    }
  }

  std::string bytes_;
};

}  // namespace

const ThriftValue* ThriftValue::Find(std::int16_t field, Type of) const {
  for (const ThriftValue& item : items) {
    if (item.id == field) return item.type == of ? &item : nullptr;
  }
  return nullptr;
}

ThriftValue* ThriftValue::Find(std::int16_t field, Type of) {
  return const_cast<ThriftValue*>(static_cast<const ThriftValue*>(this)->Find(field, of));
}

std::optional<std::int64_t> ThriftValue::Number(std::int16_t field, Type of) const {
  const ThriftValue* found = Find(field, of);
  return found != nullptr ? std::optional(found->number) : std::nullopt;
}

bool ThriftValue::Has(std::int16_t field) const {
  return std::any_of(items.begin(), items.end(), [&](const ThriftValue& item) { return item.id == field; });
}

void ThriftValue::Erase(std::int16_t field) {
  std::erase_if(items, [&](const ThriftValue& item) { return item.id == field; });
}

Result<ThriftValue> ParseThrift(std::string_view bytes) {
  Parser parser(bytes);
  ThriftValue made = parser.Structure(0);
  if (!parser.AtEnd()) return Error::InvalidData("the bytes are no structure in Thrift's compact form");
  return made;
}

std::string SerializeThrift(const ThriftValue& structure) {
  Writer writer;
  writer.Structure(structure);
  return std::move(writer).Take();
}

}  // namespace cordon::engine
