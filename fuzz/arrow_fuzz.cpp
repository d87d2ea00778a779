// SPDX-License-Identifier: Apache-2.0
//
// Bytes choose a stream: types, sizes, offsets, nulls and contents, right or wrong. Wrong is all that a reader can see; buffers
// are as long as the lengths say, in allocations of exactly that size. The reader refuses it with a message, or gives a table
// whose dictionaries hold what its rows show, and which is the same by several threads and after a way out and in. Either
// way, everything is released.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/check.h"
#include "cordon/io/arrow/arrow_stream.h"
#include "cordon/io/text/text_check.h"
#include "tests/io/arrow/arrow_arrays.h"

namespace cordon::engine {
namespace {

class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}

  std::uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  std::int64_t Below(std::int64_t bound) { return bound <= 0 ? 0 : Byte() % bound; }
  bool Rarely() { return Byte() == 0xff; }
  std::string Take(std::int64_t size) {
    std::string taken(bytes_.substr(0, static_cast<std::size_t>(size)));
    bytes_.remove_prefix(taken.size());
    taken.resize(static_cast<std::size_t>(size));
    return taken;
  }
  std::int32_t Int32() {
    std::int32_t value;
    std::memcpy(&value, Take(sizeof(value)).data(), sizeof(value));
    return value;
  }

 private:
  std::string_view bytes_;
};

struct Layout {
  const char* format;
  int bytes;  // of a value; or one of these
};
constexpr int kBits = -1, kText = -2, kLargeText = -3, kViews = -4, kNothing = -5;
constexpr Layout kLayouts[] = {{"c", 1},
                               {"C", 1},
                               {"s", 2},
                               {"S", 2},
                               {"i", 4},
                               {"I", 4},
                               {"l", 8},
                               {"L", 8},
                               {"e", 2},
                               {"f", 4},
                               {"g", 8},
                               {"b", kBits},
                               {"u", kText},
                               {"U", kLargeText},
                               {"vu", kViews},
                               {"n", kNothing},
                               {"tdD", 4},
                               {"tdm", 8},
                               {"tss:", 8},
                               {"tsm:UTC", 8},
                               {"tsu:", 8},
                               {"tsn:", 8},
                               {"tsn:UTC", 8},
                               {"tts", 4},
                               {"ttm", 4},
                               {"ttu", 8},
                               {"ttn", 8},
                               {"d:9,2", 16},
                               {"d:5,5,32", 4},
                               {"d:18,0,64", 8},
                               {"d:38,10,128", 16},
                               {"d:76,-3,256", 32},
                               {"+l", kNothing},
                               {"z", kText}};
constexpr std::int64_t kIndexTypes = 8;  // the first ones

std::optional<std::string> Bitmap(Choices& choices, std::int64_t places) {
  if (choices.Below(2) == 0) return std::nullopt;
  return choices.Take((places + 7) / 8);
}

// Offsets within the texts, mostly ascending.
template <typename Offset>
std::string Offsets(Choices& choices, std::int64_t places, std::int64_t size) {
  std::vector<Offset> offsets;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i <= places; ++i) {
    offsets.push_back(static_cast<Offset>(choices.Rarely() ? choices.Below(2 * size + 1) - size : at));
    at = std::min(size, at + choices.Below(20));
  }
  return BytesOf(offsets);
}

void AddTexts(Choices& choices, TestArray& array, std::int64_t places, bool large) {
  const std::string texts = choices.Take(choices.Byte());
  const auto size = static_cast<std::int64_t>(texts.size());
  array.buffers.emplace_back(large ? Offsets<std::int64_t>(choices, places, size)
                                   : Offsets<std::int32_t>(choices, places, size));
  array.buffers.emplace_back(texts);
}

void AddViews(Choices& choices, TestArray& array, std::int64_t places) {
  std::vector<std::string> texts(static_cast<std::size_t>(choices.Below(4)));
  std::vector<std::int64_t> sizes;
  for (std::string& text : texts) {
    text = choices.Take(choices.Byte());
    sizes.push_back(static_cast<std::int64_t>(text.size()));
  }
  std::string views;
  for (std::int64_t i = 0; i < places; ++i) {
    switch (choices.Below(3)) {
      case 0: views += choices.Take(16); break;
      case 1: views += BytesOf<std::int32_t>({static_cast<std::int32_t>(choices.Below(13))}) + choices.Take(12); break;
      default:
        views +=
            BytesOf<std::int32_t>({static_cast<std::int32_t>(choices.Byte()), choices.Int32(),
                                   static_cast<std::int32_t>(choices.Below(4)), static_cast<std::int32_t>(choices.Byte())});
    }
  }
  array.buffers.emplace_back(views);
  for (const std::string& text : texts) array.buffers.emplace_back(text);
  array.buffers.emplace_back(BytesOf(sizes));
}

// `rows` cells of a layout behind an offset.
TestArray ArrayOf(Choices& choices, const Layout& layout, std::int64_t rows) {
  TestArray array{.format = layout.format, .length = rows, .offset = choices.Below(20)};
  const std::int64_t places = array.offset + rows;
  if (layout.bytes != kNothing) array.buffers.push_back(Bitmap(choices, places));
  switch (layout.bytes) {
    case kNothing: break;
    case kBits: array.buffers.emplace_back(choices.Take((places + 7) / 8)); break;
    case kText: AddTexts(choices, array, places, false); break;
    case kLargeText: AddTexts(choices, array, places, true); break;
    case kViews: AddViews(choices, array, places); break;
    default: array.buffers.emplace_back(choices.Take(places * layout.bytes));
  }
  return array;
}

// What a reader can see to be wrong.
void Spoil(Choices& choices, TestArray& array) {
  const bool views = array.format == "vu";
  switch (choices.Below(10)) {
    case 0: array.length = -array.length - 1; break;
    case 1: array.offset = -array.offset - 1; break;
    case 2: array.offset = INT64_MAX - choices.Below(50); break;
    case 3: array.null_count = choices.Int32(); break;
    case 4: array.buffers.clear(); break;
    case 5:
      if (!views && !array.buffers.empty()) array.buffers.pop_back();
      break;
    case 6:
      if (!views) array.buffers.emplace_back("");
      break;
    case 7:
      if (!array.buffers.empty())
        array.buffers[static_cast<std::size_t>(choices.Below(static_cast<std::int64_t>(array.buffers.size())))] = std::nullopt;
      break;
    case 8: array.no_release = true; break;
    default: array.dictionary.clear();
  }
}

TestArray ColumnOf(Choices& choices, const Layout& layout, const Layout* entries, std::int64_t rows) {
  TestArray array = ArrayOf(choices, layout, rows);
  if (entries != nullptr) {
    array.dictionary.push_back(ArrayOf(choices, *entries, choices.Below(100)));
    if (choices.Rarely()) Spoil(choices, array.dictionary[0]);
  }
  if (choices.Rarely()) Spoil(choices, array);
  return array;
}

TestStream StreamFrom(Choices& choices) {
  struct Type {
    const Layout* layout;
    const Layout* entries;
  };
  std::vector<Type> types;
  TestStream made{.schema = BatchOf({})};
  for (std::int64_t i = choices.Below(4); i > 0; --i) {
    Type type{&kLayouts[choices.Below(std::size(kLayouts))], nullptr};
    if (choices.Below(3) == 0) type = {&kLayouts[choices.Below(kIndexTypes)], type.layout};
    TestArray column{.format = type.layout->format, .name = std::string(1, static_cast<char>('a' + i))};
    if (type.entries != nullptr) column.dictionary.push_back({.format = type.entries->format});
    if (choices.Rarely()) column.name = choices.Take(choices.Below(4));
    made.schema.children.push_back(std::move(column));
    types.push_back(type);
  }
  // A format of any bytes comes without arrays: nobody could say how long their buffers must be.
  if (choices.Rarely() && !types.empty()) {
    made.schema.children[0].format = choices.Take(choices.Below(12));
    return made;
  }
  for (std::int64_t i = choices.Below(4); i > 0; --i) {
    TestArray batch = BatchOf({});
    batch.length = choices.Below(60);
    batch.offset = choices.Below(10);
    batch.buffers = {std::nullopt};
    if (choices.Rarely()) batch.buffers = {choices.Take((batch.offset + batch.length + 7) / 8)};
    for (const Type& type : types)
      batch.children.push_back(ColumnOf(choices, *type.layout, type.entries, batch.offset + batch.length));
    if (choices.Rarely()) Spoil(choices, batch);
    if (choices.Rarely() && !batch.children.empty()) batch.children.pop_back();
    made.batches.push_back(std::move(batch));
  }
  if (choices.Rarely()) made.failing_batch = static_cast<std::size_t>(choices.Below(4));
  return made;
}

Result<Table> ReadAndRelease(const TestStream& made, int threads) {
  ArrowArrayStream stream = made.Open();
  Result<Table> table = ReadArrowStream(&stream, {.threads = threads});
  CORDON_CHECK(stream.release == nullptr);
  CORDON_CHECK_EQ(*made.alive, 0);
  return table;
}

void CheckSame(const Table& a, const Table& b) {
  CORDON_CHECK_EQ(a.num_rows, b.num_rows);
  CORDON_CHECK_EQ(a.columns.size(), b.columns.size());
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    CORDON_CHECK(a.columns[i].name == b.columns[i].name);
    for (std::size_t row = 0; row < a.num_rows; ++row) {
      CORDON_CHECK_EQ(a.columns[i].codes[row], b.columns[i].codes[row]);
      CORDON_CHECK(a.columns[i].cell(row) == b.columns[i].cell(row));
    }
  }
}

// Codes are handed out as rows show them, and stand for good texts.
void CheckDictionaries(const Table& table) {
  for (const Column& column : table.columns) {
    CORDON_CHECK_EQ(column.codes.size(), table.num_rows);
    Code next = 0;
    for (std::size_t row = 0; row < table.num_rows; ++row) {
      const Code code = column.codes[row];
      CORDON_CHECK_LE(kNull, code);
      CORDON_CHECK_LE(code, next);
      if (code == next) ++next;
    }
    CORDON_CHECK_EQ(static_cast<std::size_t>(next), column.dictionary->size());
    for (Code code = 0; code < next; ++code) CORDON_CHECK(!FindBadByte((*column.dictionary)[code].bytes()));
  }
}

}  // namespace
}  // namespace cordon::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cordon::engine;
  Choices choices(std::string_view(reinterpret_cast<const char*>(data), size));
  const TestStream made = StreamFrom(choices);
  const Result<Table> table = ReadAndRelease(made, 1);
  const Result<Table> again = ReadAndRelease(made, 3);
  CORDON_CHECK_EQ(table.ok(), again.ok());
  if (!table.ok()) {
    CORDON_CHECK(table.error().message() == again.error().message());
    CORDON_CHECK(table.error().message().find("SECRETCELL") == std::string::npos);
    return 0;
  }
  CheckSame(table.value(), again.value());
  CheckDictionaries(table.value());
  ArrowArrayStream out;
  ExportArrowStream(std::make_shared<const Table>(table.value()), &out);
  CheckSame(table.value(), ReadArrowStream(&out, {}).value());
  return 0;
}
