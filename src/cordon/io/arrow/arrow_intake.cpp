// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cordon/io/arrow/arrow_array_internal.h"
#include "cordon/io/arrow/arrow_intake_internal.h"
#include "cordon/io/arrow/arrow_text_internal.h"

namespace cordon::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "wide numbers are read word by word, the lowest first");

// Null: a column of nothing.
class NullArrays final : public ArrowIntake {
 public:
  // None has a meaning, but polars gives one.
  Result<void> Begin(const ArrowArray& array) override { return CheckArray(array, 0, Buffers::kAtLeast); }
  std::optional<BadCell> Take(std::int64_t, std::span<Code> codes) override {
    std::fill(codes.begin(), codes.end(), kNull);
    return std::nullopt;
  }
};

// Bits.
class BoolArrays final : public ArrowIntake {
 public:
  explicit BoolArrays(Dictionary& dictionary) : dictionary_(dictionary) {}

  Result<void> Begin(const ArrowArray& array) override {
    CORDON_RETURN_IF_ERROR(CheckArray(array, 2, Buffers::kExactly));
    CORDON_TRY(bits_, BufferOf(array, 1, array.length > 0));
    validity_ = Validity(array);
    offset_ = array.offset;
    return {};
  }
  std::optional<BadCell> Take(std::int64_t first, std::span<Code> codes) override {
    for (Code& code : codes) {
      code = validity_[first] ? CodeOf(LoadBit(bits_, offset_ + first)) : kNull;
      ++first;
    }
    return std::nullopt;
  }

 private:
  Code CodeOf(bool value) {
    Code& code = codes_[value ? 1 : 0];
    if (code == kNull) code = dictionary_.Intern(value ? "true" : "false");
    return code;
  }
  Dictionary& dictionary_;
  std::array<Code, 2> codes_ = {kNull, kNull};
  const char* bits_ = nullptr;
  Validity validity_;
  std::int64_t offset_ = 0;
};

// Values of a fixed size. `text_of` writes one out; empty: it has no text, which `problem` explains.
template <typename Value, typename TextOf>
class NumberArrays final : public ArrowIntake {
 public:
  NumberArrays(Dictionary& dictionary, TextOf text_of, const char* problem)
      : dictionary_(dictionary), text_of_(std::move(text_of)), problem_(problem) {}

  Result<void> Begin(const ArrowArray& array) override {
    CORDON_RETURN_IF_ERROR(CheckArray(array, 2, Buffers::kExactly));
    CORDON_TRY(values_, BufferOf(array, 1, array.length > 0));
    validity_ = Validity(array);
    offset_ = array.offset;
    return {};
  }
  std::optional<BadCell> Take(std::int64_t first, std::span<Code> codes) override {
    for (std::size_t i = 0; i < codes.size(); ++i, ++first) {
      codes[i] = kNull;
      if (!validity_[first]) continue;
      codes[i] = cache_.Intern(LoadValue<Value>(values_, offset_ + first), dictionary_, text_of_);
      if (codes[i] == kNull) return BadCell{i, problem_};
    }
    return std::nullopt;
  }

 private:
  Dictionary& dictionary_;
  TextOf text_of_;
  const char* problem_;
  NumberCache<Value> cache_;
  const char* values_ = nullptr;
  Validity validity_;
  std::int64_t offset_ = 0;
};

// Texts one behind the other, and where each begins.
template <typename Offset>
class TextArrays final : public ArrowIntake {
 public:
  explicit TextArrays(Dictionary& dictionary) : dictionary_(dictionary) {}

  Result<void> Begin(const ArrowArray& array) override {
    CORDON_RETURN_IF_ERROR(CheckArray(array, 3, Buffers::kExactly));
    CORDON_TRY(offsets_, BufferOf(array, 1, array.length > 0));
    CORDON_TRY(bytes_, BufferOf(array, 2, false));
    validity_ = Validity(array);
    offset_ = array.offset;
    last_ = array.length > 0 ? LoadValue<Offset>(offsets_, offset_ + array.length) : 0;
    return {};
  }
  std::optional<BadCell> Take(std::int64_t first, std::span<Code> codes) override {
    for (std::size_t i = 0; i < codes.size(); ++i, ++first) {
      codes[i] = kNull;
      const auto begin = LoadValue<Offset>(offsets_, offset_ + first);
      const auto end = LoadValue<Offset>(offsets_, offset_ + first + 1);
      if (begin < 0 || end < begin || end > last_) return BadCell{i, "is malformed: its offsets do not ascend"};
      if (!validity_[first]) continue;
      if (bytes_ == nullptr && begin < end) return BadCell{i, "is malformed: it has no buffer of texts"};
      const std::string_view text = begin == end ? "" : std::string_view(bytes_ + begin, static_cast<std::size_t>(end - begin));
      if (const char* what = cache_.Intern(text, dictionary_, codes[i])) return BadCell{i, what};
    }
    return std::nullopt;
  }

 private:
  Dictionary& dictionary_;
  TextCache cache_;
  const char* offsets_ = nullptr;
  const char* bytes_ = nullptr;
  Validity validity_;
  std::int64_t offset_ = 0;
  Offset last_ = 0;  // all texts end before it: an offset in the middle that lies beyond is not followed
};

// Texts of up to 12 bytes in place, longer ones in any number of further buffers, whose sizes stand in the last one.
class ViewArrays final : public ArrowIntake {
 public:
  explicit ViewArrays(Dictionary& dictionary) : dictionary_(dictionary) {}

  Result<void> Begin(const ArrowArray& array) override {
    constexpr std::int64_t kFixed = 3;  // bitmap, views, sizes
    CORDON_RETURN_IF_ERROR(CheckArray(array, kFixed, Buffers::kAtLeast));
    num_texts_ = array.n_buffers - kFixed;
    CORDON_TRY(views_, BufferOf(array, 1, array.length > 0));
    CORDON_TRY(sizes_, BufferOf(array, array.n_buffers - 1, num_texts_ > 0));
    texts_ = array.buffers + 2;
    validity_ = Validity(array);
    offset_ = array.offset;
    return {};
  }
  std::optional<BadCell> Take(std::int64_t first, std::span<Code> codes) override {
    for (std::size_t i = 0; i < codes.size(); ++i, ++first) {
      codes[i] = kNull;
      if (!validity_[first]) continue;
      const char* view = views_ + (offset_ + first) * kViewSize;
      const auto size = LoadValue<std::int32_t>(view, 0);
      const char* text = size < 0 ? nullptr : size <= kInPlace ? view + sizeof(size) : Elsewhere(view, size);
      if (text == nullptr) return BadCell{i, "is malformed: it lies outside of its buffer"};
      const char* what = cache_.Intern({text, static_cast<std::size_t>(size)}, dictionary_, codes[i]);
      if (what != nullptr) return BadCell{i, what};
    }
    return std::nullopt;
  }

 private:
  static constexpr std::int64_t kViewSize = 16;
  static constexpr std::int32_t kInPlace = 12;

  const char* Elsewhere(const char* view, std::int32_t size) const {
    const auto buffer = LoadValue<std::int32_t>(view, 2);
    const auto at = LoadValue<std::int32_t>(view, 3);
    if (buffer < 0 || buffer >= num_texts_ || at < 0) return nullptr;
    if (texts_[buffer] == nullptr || std::int64_t{at} + size > LoadValue<std::int64_t>(sizes_, buffer)) return nullptr;
    return static_cast<const char*>(texts_[buffer]) + at;
  }
  Dictionary& dictionary_;
  TextCache cache_;
  const char* views_ = nullptr;
  const char* sizes_ = nullptr;
  const void** texts_ = nullptr;
  std::int64_t num_texts_ = 0;
  Validity validity_;
  std::int64_t offset_ = 0;
};

// Places in a dictionary, which may be another one in every array. An entry is read when a row first shows it; most producers
// give all arrays the same one, and then only once.
template <typename Index>
class DictionaryArrays final : public ArrowIntake {
 public:
  explicit DictionaryArrays(std::unique_ptr<ArrowIntake> entries) : entries_(std::move(entries)) {}

  Result<void> Begin(const ArrowArray& array) override {
    CORDON_RETURN_IF_ERROR(CheckArray(array, 2, Buffers::kExactly));
    CORDON_TRY(indices_, BufferOf(array, 1, array.length > 0));
    if (array.dictionary == nullptr || array.dictionary->release == nullptr) return MalformedArray("its dictionary is missing");
    CORDON_RETURN_IF_ERROR(entries_->Begin(*array.dictionary));
    validity_ = Validity(array);
    offset_ = array.offset;
    constexpr std::uint64_t kMax = std::numeric_limits<Index>::max();
    num_entries_ = static_cast<std::uint64_t>(array.dictionary->length);
    if (num_entries_ > kMax) num_entries_ = kMax + 1;
    if (IsSame(*array.dictionary)) return {};
    codes_.clear();
    sparse_.clear();
    // A filtered table may show few entries of a huge dictionary.
    if (num_entries_ <= 4 * static_cast<std::uint64_t>(array.length) + kCacheEntries) codes_.assign(num_entries_, kUnread);
    return {};
  }
  std::optional<BadCell> Take(std::int64_t first, std::span<Code> codes) override {
    for (std::size_t i = 0; i < codes.size(); ++i, ++first) {
      codes[i] = kNull;
      if (!validity_[first]) continue;
      // Without its sign: a negative index is beyond the largest, and so beyond all entries.
      const std::uint64_t index = LoadValue<std::make_unsigned_t<Index>>(indices_, offset_ + first);
      if (index >= num_entries_) return BadCell{i, "is malformed: its dictionary has no such entry"};
      Code& code = codes_.empty() ? sparse_.try_emplace(index, kUnread).first->second : codes_[index];
      if (code == kUnread) {
        if (const auto bad = entries_->Take(static_cast<std::int64_t>(index), {&code, 1})) return BadCell{i, bad->what};
      }
      codes[i] = code;
    }
    return std::nullopt;
  }

 private:
  static constexpr Code kUnread = kNull - 1;

  // The array before is not yet released, so that equal places are the same bytes.
  bool IsSame(const ArrowArray& dictionary) {
    std::vector<std::intptr_t> place = {static_cast<std::intptr_t>(dictionary.length), dictionary.offset};
    for (std::int64_t i = 0; i < dictionary.n_buffers; ++i)
      place.push_back(reinterpret_cast<std::intptr_t>(dictionary.buffers[i]));
    std::swap(place, place_);
    return place == place_;
  }

  std::unique_ptr<ArrowIntake> entries_;
  const char* indices_ = nullptr;
  Validity validity_;
  std::int64_t offset_ = 0;
  std::uint64_t num_entries_ = 0;
  std::vector<std::intptr_t> place_;                // of the dictionary: its length, its offset, its buffers
  std::vector<Code> codes_;                         // by entry
  std::unordered_map<std::uint64_t, Code> sparse_;  // the same, if there are many more entries than rows
};

using Intake = std::unique_ptr<ArrowIntake>;

template <typename Value, typename TextOf>
Intake Numbers(Dictionary& dictionary, TextOf text_of, const char* problem = "") {
  return std::make_unique<NumberArrays<Value, TextOf>>(dictionary, std::move(text_of), problem);
}

template <typename Value>
Intake Integers(Dictionary& dictionary) {
  return Numbers<Value>(dictionary, [](Value value) { return fmt::format_int(value).str(); });
}

// "d:19,10" or "d:19,10,64"; nothing if it is not one of ours.
Intake Decimals(std::string_view format, Dictionary& dictionary) {
  constexpr int kMaxDigits = 76;
  std::array<int, 3> parts = {0, 0, 128};  // precision, scale, bits
  const char* at = format.data() + 1;
  const char* const end = format.data() + format.size();
  std::size_t num_parts = 0;
  for (; num_parts < parts.size() && at != end && *at == (num_parts == 0 ? ':' : ','); ++num_parts) {
    const auto [next, error] = std::from_chars(at + 1, end, parts[num_parts]);
    if (error != std::errc()) return nullptr;
    at = next;
  }
  if (num_parts < 2 || at != end) return nullptr;
  const DecimalForm form{parts[0], parts[1]};
  if (form.precision < 1 || form.precision > kMaxDigits || std::abs(form.scale) > kMaxDigits) return nullptr;
  const auto narrow = [form](std::int64_t value) {
    const auto word = static_cast<std::uint64_t>(value);
    return DecimalText({&word, 1}, form);
  };
  const auto wide = [form](const auto& words) { return DecimalText(words, form); };
  switch (parts[2]) {
    case 32: return Numbers<std::int32_t>(dictionary, narrow);
    case 64: return Numbers<std::int64_t>(dictionary, narrow);
    case 128: return Numbers<std::array<std::uint64_t, 2>>(dictionary, wide);
    case 256: return Numbers<std::array<std::uint64_t, 4>>(dictionary, wide);
    default: return nullptr;
  }
}

Intake DatesInMilliseconds(Dictionary& dictionary) {
  const auto text_of = [](std::int64_t milliseconds) -> std::string {
    constexpr std::int64_t kDay = 86'400'000;
    const std::int64_t day = milliseconds / kDay;
    return milliseconds % kDay != 0 || !std::in_range<std::int32_t>(day) ? "" : DateText(static_cast<std::int32_t>(day));
  };
  return Numbers<std::int64_t>(dictionary, text_of, "holds a date that is not a whole day");
}

// Units in a second by the letter of a format, 0: none.
std::int64_t PerSecond(char unit) {
  switch (unit) {
    case 's': return 1;
    case 'm': return 1'000;
    case 'u': return 1'000'000;
    case 'n': return 1'000'000'000;
    default: return 0;
  }
}

Intake Times(std::int64_t per_second, Dictionary& dictionary) {
  const auto text_of = [per_second](std::int64_t value) { return TimeText(value, per_second); };
  constexpr const char* kProblem = "holds a time outside of 0 to 24 hours, or finer than microseconds";
  if (per_second <= 1'000) return Numbers<std::int32_t>(dictionary, text_of, kProblem);
  return Numbers<std::int64_t>(dictionary, text_of, kProblem);
}

Intake Timestamps(std::int64_t per_second, Zone zone, Dictionary& dictionary) {
  const auto text_of = [per_second, zone](std::int64_t value) { return TimestampText(value, per_second, zone); };
  return Numbers<std::int64_t>(dictionary, text_of,
                               "holds a timestamp that is out of range, or, with a time zone, finer than microseconds");
}

// "tdD", "tdm", "tts", "tsu:UTC" and so on.
Intake Temporals(std::string_view format, Dictionary& dictionary) {
  if (format == "tdD") return Numbers<std::int32_t>(dictionary, DateText);
  if (format == "tdm") return DatesInMilliseconds(dictionary);
  const std::int64_t per_second = format.size() < 3 ? 0 : PerSecond(format[2]);
  if (per_second == 0) return nullptr;
  if (format.size() == 3 && format[1] == 't') return Times(per_second, dictionary);
  if (format[1] != 's' || !format.substr(3).starts_with(':')) return nullptr;
  return Timestamps(per_second, format.size() == 4 ? Zone::kNone : Zone::kUtc, dictionary);
}

// Of the types whose format is one letter.
Intake Plain(char letter, Dictionary& dictionary) {
  switch (letter) {
    case 'n': return std::make_unique<NullArrays>();
    case 'b': return std::make_unique<BoolArrays>(dictionary);
    case 'c': return Integers<std::int8_t>(dictionary);
    case 'C': return Integers<std::uint8_t>(dictionary);
    case 's': return Integers<std::int16_t>(dictionary);
    case 'S': return Integers<std::uint16_t>(dictionary);
    case 'i': return Integers<std::int32_t>(dictionary);
    case 'I': return Integers<std::uint32_t>(dictionary);
    case 'l': return Integers<std::int64_t>(dictionary);
    case 'L': return Integers<std::uint64_t>(dictionary);
    // Floating numbers by their bits: 0.0 and -0.0 are two texts.
    case 'e': return Numbers<std::uint16_t>(dictionary, [](std::uint16_t bits) { return FloatText(FromHalf(bits)); });
    case 'f':
      return Numbers<std::uint32_t>(dictionary, [](std::uint32_t bits) { return FloatText(std::bit_cast<float>(bits)); });
    case 'g':
      return Numbers<std::uint64_t>(dictionary, [](std::uint64_t bits) { return DoubleText(std::bit_cast<double>(bits)); });
    case 'u': return std::make_unique<TextArrays<std::int32_t>>(dictionary);
    case 'U': return std::make_unique<TextArrays<std::int64_t>>(dictionary);
    default: return nullptr;
  }
}

Intake OfFormat(std::string_view format, Dictionary& dictionary) {
  if (format.size() == 1) return Plain(format[0], dictionary);
  if (format == "vu") return std::make_unique<ViewArrays>(dictionary);
  if (format.starts_with("d:")) return Decimals(format, dictionary);
  if (format.starts_with('t')) return Temporals(format, dictionary);
  return nullptr;
}

Intake OfIndices(std::string_view format, Intake entries) {
  switch (format.size() == 1 ? format[0] : ' ') {
    case 'c': return std::make_unique<DictionaryArrays<std::int8_t>>(std::move(entries));
    case 'C': return std::make_unique<DictionaryArrays<std::uint8_t>>(std::move(entries));
    case 's': return std::make_unique<DictionaryArrays<std::int16_t>>(std::move(entries));
    case 'S': return std::make_unique<DictionaryArrays<std::uint16_t>>(std::move(entries));
    case 'i': return std::make_unique<DictionaryArrays<std::int32_t>>(std::move(entries));
    case 'I': return std::make_unique<DictionaryArrays<std::uint32_t>>(std::move(entries));
    case 'l': return std::make_unique<DictionaryArrays<std::int64_t>>(std::move(entries));
    case 'L': return std::make_unique<DictionaryArrays<std::uint64_t>>(std::move(entries));
    default: return nullptr;
  }
}

// The name of a type that is not read. Formats are not shown: they come from outside, and may be anything.
const char* NameOfType(std::string_view format) {
  constexpr std::array<std::pair<std::string_view, const char*>, 16> kNames = {{
      {"z", "binary"},
      {"Z", "large binary"},
      {"vz", "binary view"},
      {"w:", "fixed-size binary"},
      {"d:", "decimal of an unknown form"},
      {"tD", "duration"},
      {"ti", "interval"},
      {"+l", "list"},
      {"+L", "large list"},
      {"+vl", "list view"},
      {"+vL", "large list view"},
      {"+w:", "fixed-size list"},
      {"+s", "struct"},
      {"+m", "map"},
      {"+u", "union"},
      {"+r", "run-end encoded"},
  }};
  for (const auto& [start, name] : kNames) {
    if (format.starts_with(start)) return name;
  }
  return "unknown";
}

Error NotRead(const char* name) {
  return Error::InvalidData("its type ({}) cannot be read", name).WithHint("cast the column to text, or leave it out");
}

}  // namespace

Result<std::unique_ptr<ArrowIntake>> MakeArrowIntake(const ArrowSchema& schema, Dictionary& dictionary) {
  const ArrowSchema& cells = schema.dictionary == nullptr ? schema : *schema.dictionary;
  if (schema.format == nullptr || cells.format == nullptr) return NotRead("unknown");
  if (cells.dictionary != nullptr) return NotRead("dictionary of dictionaries");
  Intake intake = OfFormat(cells.format, dictionary);
  if (intake == nullptr) return NotRead(NameOfType(cells.format));
  if (&cells == &schema) return intake;
  intake = OfIndices(schema.format, std::move(intake));
  if (intake == nullptr) return NotRead("dictionary with indices that are not integers");
  return intake;
}

}  // namespace cordon::engine
