// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "tests/io/arrow/arrow_support.h"

namespace cordon::engine {
namespace {

using Texts = std::vector<std::string>;

std::shared_ptr<const Table> TableOf(const Texts& names, const Rows& rows) {
  auto table = std::make_shared<Table>();
  table->num_rows = rows.size();
  for (std::size_t column = 0; column < names.size(); ++column) {
    auto dictionary = std::make_shared<Dictionary>();
    CodesBuilder codes;
    for (const auto& row : rows) codes.Add(row[column] == kAbsent ? kNull : dictionary->Intern(row[column]));
    table->columns.push_back({names[column], std::move(dictionary), codes.Finish()});
  }
  return table;
}

Table RoundTrip(std::shared_ptr<const Table> table) {
  ArrowArrayStream stream;
  ExportArrowStream(std::move(table), &stream);
  Result<Table> read = ReadArrowStream(&stream, {});
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : Failure(read.error()));
  return std::move(read).value();
}

template <typename Struct>
class Holder {
 public:
  Holder() = default;
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    if (value.release != nullptr) value.release(&value);
  }
  Struct value = {};
};

TEST(ArrowExport, ATableComesBackAsItWas) {
  const Rows rows = {{"a", "1"},
                     {kAbsent, ""},
                     {"a", kAbsent},
                     {"Gr\xc3\xbc\xc3\x9f"
                      "e",
                      "a longer text than that"}};
  const Table read = RoundTrip(TableOf({"name", "n"}, rows));
  EXPECT_EQ(NamesOf(read), (Texts{"name", "n"}));
  EXPECT_EQ(RowsOf(read), rows);
}

TEST(ArrowExport, TablesOfAnyLength) {
  for (const std::size_t size : {std::size_t{1}, kChunkRows - 1, kChunkRows, kChunkRows + 1, 3 * kChunkRows}) {
    Rows rows;
    for (std::size_t i = 0; i < size; ++i) rows.push_back({i % 7 == 0 ? kAbsent : std::to_string(i % 1000)});
    EXPECT_EQ(RowsOf(RoundTrip(TableOf({"x"}, rows))), rows) << size;
  }
}

TEST(ArrowExport, NoRowsAndNoColumns) {
  const Table no_rows = RoundTrip(TableOf({"a", "b"}, {}));
  EXPECT_EQ(NamesOf(no_rows), (Texts{"a", "b"}));
  EXPECT_EQ(no_rows.num_rows, std::size_t{0});
  EXPECT_EQ(RoundTrip(std::make_shared<Table>()).columns.size(), std::size_t{0});
  auto no_columns = std::make_shared<Table>();
  no_columns->num_rows = kChunkRows + 3;
  EXPECT_EQ(RoundTrip(no_columns).num_rows, kChunkRows + 3);
  Holder<ArrowArrayStream> stream;
  Holder<ArrowArray> array;
  ExportArrowStream(TableOf({"a"}, {}), &stream.value);
  EXPECT_EQ(stream.value.get_next(&stream.value, &array.value), 0);
  EXPECT_EQ(array.value.release, nullptr);
}

TEST(ArrowExport, ColumnsAreDictionariesOverTheCodesThemselves) {
  const auto table = TableOf({"x"}, {{"b"}, {kAbsent}, {"a"}, {"b"}});
  Holder<ArrowArrayStream> stream;
  Holder<ArrowSchema> schema;
  Holder<ArrowArray> array;
  ExportArrowStream(table, &stream.value);
  ASSERT_EQ(stream.value.get_schema(&stream.value, &schema.value), 0);
  ASSERT_EQ(stream.value.get_next(&stream.value, &array.value), 0);
  EXPECT_STREQ(schema.value.format, "+s");
  ASSERT_EQ(schema.value.n_children, 1);
  EXPECT_STREQ(schema.value.children[0]->format, "i");
  EXPECT_STREQ(schema.value.children[0]->name, "x");
  EXPECT_EQ(schema.value.children[0]->flags, ARROW_FLAG_NULLABLE);
  EXPECT_STREQ(schema.value.children[0]->dictionary->format, "U");
  const ArrowArray& column = *array.value.children[0];
  EXPECT_EQ(column.length, 4);
  EXPECT_EQ(column.null_count, 1);
  EXPECT_EQ(*static_cast<const std::uint8_t*>(column.buffers[0]), 0b1101);
  EXPECT_EQ(column.buffers[1], table->columns[0].codes.chunk(0).data());
  EXPECT_EQ(column.dictionary->length, 2);
  EXPECT_EQ(column.dictionary->buffers[1], table->columns[0].dictionary->offsets());
  EXPECT_EQ(std::string(static_cast<const char*>(column.dictionary->buffers[2]), 2), "ba");
}

TEST(ArrowExport, ATextThatNoRowShowsDoesNotLeave) {
  auto dictionary = std::make_shared<Dictionary>();
  for (const char* text : {"SUPPRESSED", "shown", "also suppressed", "shown too"}) dictionary->Intern(text);
  auto table = std::make_shared<Table>();
  CodesBuilder codes;
  for (const Code code : {3, kNull, 1, 3}) codes.Add(code);
  table->num_rows = 4;
  table->columns.push_back({"x", dictionary, codes.Finish()});
  Holder<ArrowArrayStream> stream;
  Holder<ArrowArray> array;
  ExportArrowStream(table, &stream.value);
  ASSERT_EQ(stream.value.get_next(&stream.value, &array.value), 0);
  const ArrowArray& texts = *array.value.children[0]->dictionary;
  EXPECT_EQ(texts.length, 2);
  EXPECT_EQ(std::string(static_cast<const char*>(texts.buffers[2]),
                        static_cast<std::size_t>(static_cast<const std::int64_t*>(texts.buffers[1])[2])),
            "shownshown too");
  EXPECT_EQ(RowsOf(RoundTrip(table)), (Rows{{"shown too"}, {kAbsent}, {"shown"}, {"shown too"}}));
}

// Whatever is released last still has what it needs.
TEST(ArrowExport, EveryPartKeepsWhatItNeeds) {
  auto table = TableOf({"x", "y"}, {{"text", "1"}, {kAbsent, "2"}});
  const std::weak_ptr<const Dictionary> dictionary = table->columns[0].dictionary;
  ArrowArray column = {};
  ArrowSchema type = {};
  {
    Holder<ArrowArrayStream> stream;
    Holder<ArrowSchema> schema;
    Holder<ArrowArray> array;
    ExportArrowStream(std::move(table), &stream.value);
    table.reset();
    ASSERT_EQ(stream.value.get_schema(&stream.value, &schema.value), 0);
    ASSERT_EQ(stream.value.get_next(&stream.value, &array.value), 0);
    stream.value.release(&stream.value);
    // A consumer moves a child out, and lets its parent go.
    column = *array.value.children[0];
    array.value.children[0]->release = nullptr;
    type = *schema.value.children[0];
    schema.value.children[0]->release = nullptr;
  }
  ASSERT_FALSE(dictionary.expired());
  EXPECT_STREQ(type.name, "x");
  EXPECT_STREQ(type.dictionary->format, "U");
  ArrowArray texts = *column.dictionary;
  column.dictionary->release = nullptr;
  std::thread([&] {
    column.release(&column);
    type.release(&type);
  }).join();
  EXPECT_EQ(column.release, nullptr);
  EXPECT_EQ(type.release, nullptr);
  ASSERT_FALSE(dictionary.expired());
  EXPECT_EQ(std::string(static_cast<const char*>(texts.buffers[2]), 4), "text");
  texts.release(&texts);
  EXPECT_TRUE(dictionary.expired());
}

TEST(ArrowExport, AStreamThatNobodyReads) {
  auto table = TableOf({"x"}, {{"text"}});
  const std::weak_ptr<const Dictionary> dictionary = table->columns[0].dictionary;
  ArrowArrayStream stream;
  ExportArrowStream(std::move(table), &stream);
  EXPECT_EQ(stream.get_last_error(&stream), nullptr);
  table.reset();
  EXPECT_FALSE(dictionary.expired());
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_TRUE(dictionary.expired());
}

TEST(ArrowExport, AfterTheEndThereIsNoMore) {
  Holder<ArrowArrayStream> stream;
  ExportArrowStream(TableOf({"x"}, {{"text"}}), &stream.value);
  for (int i = 0; i < 3; ++i) {
    Holder<ArrowArray> array;
    EXPECT_EQ(stream.value.get_next(&stream.value, &array.value), 0);
    EXPECT_EQ(array.value.release != nullptr, i == 0);
    Holder<ArrowSchema> schema;
    EXPECT_EQ(stream.value.get_schema(&stream.value, &schema.value), 0);
    EXPECT_EQ(schema.value.n_children, 1);
  }
}

}  // namespace
}  // namespace cordon::engine
