// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "cordon/io/duckdb/column_intake_internal.h"
#include "cordon/io/text/local_dictionary_internal.h"
#include "cordon/io/text/text_check.h"

namespace cordon::engine {
namespace {

// A cache in front of the column's dictionary that outgrows this starts over.
constexpr std::size_t kCacheEntries = std::size_t{1} << 16;
constexpr std::size_t kCacheBytes = std::size_t{4} << 20;

// A zero byte among the first `size`: keys of short texts could not tell it from the end.
bool HoldsZero(const ShortKey& key, std::size_t size) {
  const auto zero_in = [](std::uint64_t word) { return ((word - 0x0101010101010101u) & ~word & 0x8080808080808080u) != 0; };
  const auto fill = [](std::uint64_t word, std::size_t used) {
    return used >= 8 ? word : word | (~std::uint64_t{0} << (8 * used));
  };
  return zero_in(fill(key.lo, size)) || (size > 8 && zero_in(fill(key.hi, size - 8)));
}

class TextIntake final : public ColumnIntake {
 public:
  bool reads(duckdb_type type) const override { return type == DUCKDB_TYPE_VARCHAR; }

  std::optional<BadCell> Take(const void* data, const std::uint64_t* valid, std::span<Code> codes) override {
    const auto* texts = static_cast<const duckdb_string_t*>(data);
    std::optional<BadCell> bad;
    std::size_t row = 0;
    for (; row < codes.size() && !bad; ++row) {
      codes[row] = kNull;
      if (!IsValid(valid, row)) continue;
      const std::size_t before = local_.size();
      const char* what = Intern(texts[row], codes[row]);
      if (what == nullptr && local_.size() > before) what = Problem(local_.text(before));
      if (what != nullptr) bad = BadCell{row, what};
    }
    while (local_.global.size() < local_.size())
      local_.global.push_back(dictionary_->Intern(local_.text(local_.global.size())));
    for (std::size_t i = 0; i < row; ++i) codes[i] = codes[i] == kNull ? kNull : local_.global[codes[i]];
    if (local_.size() > kCacheEntries || local_.num_bytes() > kCacheBytes) local_.Clear();
    return bad;
  }

 private:
  static const char* Problem(std::string_view text) {
    const auto bad = FindBadByte(text);
    return bad ? bad->what() : nullptr;
  }
  const char* Intern(const duckdb_string_t& text, Code& code) {
    const std::size_t size = text.value.inlined.length;
    const bool inlined = size <= sizeof(text.value.inlined.inlined);
    const char* bytes = inlined ? text.value.inlined.inlined : text.value.pointer.ptr;
    if (size > kShortText) {
      code = local_.InternLong({bytes, size});
      return nullptr;
    }
    ShortKey key = {0, 0};  // short texts lie in places that need not go on for 16 bytes
    std::memcpy(&key, bytes, size);
    if (HoldsZero(key, size)) return "holds a zero byte";
    code = local_.InternShort(key, size);
    return nullptr;
  }
  LocalDictionary local_;
};

template <typename Number>
class NumberIntake final : public ColumnIntake {
 public:
  explicit NumberIntake(duckdb_type type) : type_(type) { Clear(); }
  bool reads(duckdb_type type) const override { return type == type_; }

  std::optional<BadCell> Take(const void* data, const std::uint64_t* valid, std::span<Code> codes) override {
    const auto* numbers = static_cast<const Number*>(data);
    for (std::size_t row = 0; row < codes.size(); ++row) codes[row] = IsValid(valid, row) ? CodeOf(numbers[row]) : kNull;
    return std::nullopt;
  }

 private:
  struct Slot {
    Number number = 0;
    Code code = kNull;
  };
  Code CodeOf(Number number) {
    for (std::size_t at = Hash(number) >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].code != kNull && slots_[at].number == number) return slots_[at].code;
      if (slots_[at].code != kNull) continue;
      const Code code = dictionary_->Intern(fmt::format_int(number).str());
      slots_[at] = {number, code};
      if (2 * ++used_ > slots_.size()) Grow();
      return code;
    }
  }
  void Grow() {
    if (used_ > kCacheEntries) return Clear();
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    shift_ -= 2;
    for (const Slot& slot : old) {
      if (slot.code == kNull) continue;
      std::size_t at = Hash(slot.number) >> shift_;
      while (slots_[at].code != kNull) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }
  void Clear() {
    slots_.assign(64, {});
    shift_ = 64 - 6;
    used_ = 0;
  }
  static std::uint64_t Hash(Number number) { return static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u; }

  duckdb_type type_;
  std::vector<Slot> slots_;  // open addressing, at most half full
  int shift_ = 0;
  std::size_t used_ = 0;
};

class NoIntake final : public ColumnIntake {
 public:
  bool reads(duckdb_type) const override { return true; }
  std::optional<BadCell> Take(const void*, const std::uint64_t*, std::span<Code> codes) override {
    std::fill(codes.begin(), codes.end(), kNull);
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<ColumnIntake> MakeIntake(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_TINYINT: return std::make_unique<NumberIntake<std::int8_t>>(type);
    case DUCKDB_TYPE_SMALLINT: return std::make_unique<NumberIntake<std::int16_t>>(type);
    case DUCKDB_TYPE_INTEGER: return std::make_unique<NumberIntake<std::int32_t>>(type);
    case DUCKDB_TYPE_BIGINT: return std::make_unique<NumberIntake<std::int64_t>>(type);
    case DUCKDB_TYPE_UTINYINT: return std::make_unique<NumberIntake<std::uint8_t>>(type);
    case DUCKDB_TYPE_USMALLINT: return std::make_unique<NumberIntake<std::uint16_t>>(type);
    case DUCKDB_TYPE_UINTEGER: return std::make_unique<NumberIntake<std::uint32_t>>(type);
    case DUCKDB_TYPE_UBIGINT: return std::make_unique<NumberIntake<std::uint64_t>>(type);
    case DUCKDB_TYPE_SQLNULL: return std::make_unique<NoIntake>();
    default: return std::make_unique<TextIntake>();
  }
}

}  // namespace cordon::engine
