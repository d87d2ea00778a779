// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <limits>

#include "tests/io/arrow/arrow_support.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
constexpr auto kNoBuffer = std::nullopt;

// What is said of a column that was made wrong.
std::string Wrong(TestArray array, const std::function<void(TestArray&)>& spoil) {
  spoil(array);
  TestArray batch = BatchOf({std::move(array).Named("x")});
  batch.length = 2;
  return ArrowFailure(StreamOf({batch}));
}

std::string Malformed(const std::string& what) {
  return "reading an Arrow stream: rows from 1: column x: the array is malformed: " + what +
         " | the program that made the stream has a bug";
}
std::string BadCellAt(int row, const std::string& what) {
  return "reading an Arrow stream: row " + std::to_string(row) + ": column x is malformed: " + what;
}

std::vector<TestArray> OneOfEachLayout() {
  return {FixedArray<std::int32_t>("i", {1, 2}),
          BoolArray({true, false}),
          TextArray({"a", "b"}),
          TextArray<std::int64_t>({"a", "b"}),
          ViewArray({"a", "a longer text than that"}),
          DictionaryArray<std::int8_t>("c", {0, 1}, TextArray({"a", "b"}))};
}

TEST(ArrowMalformed, SizesOfAColumn) {
  for (const TestArray& good : OneOfEachLayout()) {
    SCOPED_TRACE(good.format);
    EXPECT_EQ(Wrong(good, [](TestArray&) {}), "no error");
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.length = -1; }), Malformed("its length is negative"));
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.offset = -1; }), Malformed("its offset is negative"));
    const std::string large = Malformed("its length and offset are impossibly large");
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.offset = kHuge; }), large);
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.length = kHuge; }), large);
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.length = a.offset = kHuge / 2 + 1; }), large);
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.length = 1; }), Malformed("it is shorter than the batch"));
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.null_count = -2; }), Malformed("its count of nulls is impossible"));
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.null_count = 3; }), Malformed("its count of nulls is impossible"));
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.null_count = 1; }), Malformed("it has nulls, but no bitmap says where"));
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.no_release = true; }), Malformed("it is missing"));
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.children.push_back(NullArray(0)); }),
              Malformed("it has children, unlike its type"));
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.buffers.clear(); }), Malformed("its type has another number of buffers"));
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.buffers.resize(1); }), Malformed("its type has another number of buffers"));
    EXPECT_EQ(Wrong(good, [](TestArray& a) { a.buffers[1] = kNoBuffer; }), Malformed("a buffer is missing"));
  }
  EXPECT_EQ(Wrong(TextArray({"a", "b"}), [](TestArray& a) { a.buffers.pop_back(); }),
            Malformed("its type has another number of buffers"));
  EXPECT_EQ(Wrong(TextArray({"a", "b"}), [](TestArray& a) { a.buffers.emplace_back(""); }),
            Malformed("its type has another number of buffers"));
}

TEST(ArrowMalformed, Offsets) {
  const auto with = [](const std::vector<std::int32_t>& offsets) {
    return Wrong(TextArray({"ab", "cd"}), [&](TestArray& a) { a.buffers[1] = BytesOf(offsets); });
  };
  EXPECT_EQ(with({0, 2, 4}), "no error");
  EXPECT_EQ(with({-1, 2, 4}), BadCellAt(1, "its offsets do not ascend"));
  EXPECT_EQ(with({0, 4, 4}), "no error");
  EXPECT_EQ(with({0, 2, 1}), BadCellAt(1, "its offsets do not ascend"));
  EXPECT_EQ(with({0, 200'000'000, 2}), BadCellAt(1, "its offsets do not ascend"));  // no byte there is read
  EXPECT_EQ(with({0, -2, 4}), BadCellAt(1, "its offsets do not ascend"));
  const auto with_large = [](const std::vector<std::int64_t>& offsets) {
    return Wrong(TextArray<std::int64_t>({"ab", "cd"}), [&](TestArray& a) { a.buffers[1] = BytesOf(offsets); });
  };
  EXPECT_EQ(with_large({0, std::numeric_limits<std::int64_t>::min(), 4}), BadCellAt(1, "its offsets do not ascend"));
  // Also under a null.
  EXPECT_EQ(Wrong(TextArray({"ab", std::nullopt}), [](TestArray& a) { a.buffers[1] = BytesOf<std::int32_t>({0, 2, 1}); }),
            BadCellAt(1, "its offsets do not ascend"));
  EXPECT_EQ(Wrong(TextArray({"", "cd"}), [](TestArray& a) { a.buffers[2] = kNoBuffer; }),
            BadCellAt(2, "it has no buffer of texts"));
  EXPECT_EQ(Wrong(TextArray({"", ""}), [](TestArray& a) { a.buffers[2] = kNoBuffer; }), "no error");
}

TEST(ArrowMalformed, Views) {
  const auto with = [](std::int32_t size, std::int32_t buffer, std::int32_t at) {
    return Wrong(ViewArray({"fifteen bytes..", "x"}, 1),
                 [&](TestArray& a) { a.buffers[1]->replace(0, 16, BytesOf<std::int32_t>({size, 0, buffer, at})); });
  };
  EXPECT_EQ(with(15, 0, 0), "no error");
  EXPECT_EQ(with(13, 0, 2), "no error");
  const std::string outside = BadCellAt(1, "it lies outside of its buffer");
  EXPECT_EQ(with(16, 0, 0), outside);
  EXPECT_EQ(with(15, 0, 1), outside);
  EXPECT_EQ(with(15, 0, -1), outside);
  EXPECT_EQ(with(15, 1, 0), outside);
  EXPECT_EQ(with(15, -1, 0), outside);
  EXPECT_EQ(with(-1, 0, 0), outside);
  EXPECT_EQ(with(std::numeric_limits<std::int32_t>::max(), 0, std::numeric_limits<std::int32_t>::max()), outside);
  const TestArray good = ViewArray({"fifteen bytes..", "x"}, 1);
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.buffers[2] = kNoBuffer; }), outside);
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.buffers[3] = kNoBuffer; }), Malformed("a buffer is missing"));
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.buffers[3] = BytesOf<std::int64_t>({-1}); }), outside);
}

TEST(ArrowMalformed, Dictionaries) {
  const TestArray good = DictionaryArray<std::int8_t>("c", {0, 1}, TextArray({"a", "b"}));
  const std::string missing = BadCellAt(2, "its dictionary has no such entry");
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.buffers[1] = std::string("\0\2", 2); }), missing);
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.buffers[1] = std::string("\0\xff", 2); }), missing);
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.dictionary[0].length = 1; }), missing);
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.dictionary[0].length = 0; }), BadCellAt(1, "its dictionary has no such entry"));
  Cells<std::string> many;  // more than an int8 can count
  for (int i = 0; i < 300; ++i) many.emplace_back(std::to_string(i));
  EXPECT_EQ(Wrong(DictionaryArray<std::int8_t>("c", {127, -1}, TextArray(many)), [](TestArray&) {}), missing);
  EXPECT_EQ(Wrong(DictionaryArray<std::uint8_t>("C", {127, 255}, TextArray(many)), [](TestArray&) {}), "no error");
  EXPECT_EQ(Wrong(DictionaryArray<std::uint64_t>("L", {0, ~std::uint64_t{0}}, TextArray({"a"})), [](TestArray&) {}), missing);
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.dictionary[0].length = -1; }), Malformed("its length is negative"));
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.dictionary[0].buffers[1] = kNoBuffer; }), Malformed("a buffer is missing"));
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.dictionary[0].no_release = true; }), Malformed("its dictionary is missing"));
  EXPECT_EQ(Wrong(good, [](TestArray& a) { a.dictionary[0].buffers[1] = BytesOf<std::int32_t>({0, 2, 1}); }),
            BadCellAt(1, "its offsets do not ascend"));
  const std::string otherwise = Malformed("its schema says otherwise about a dictionary");
  TestStream without = StreamOf({BatchOf({TestArray(good).Named("x")})});
  without.batches[0].children[0].dictionary.clear();
  EXPECT_EQ(ArrowFailure(without), otherwise);
  TestStream with = StreamOf({BatchOf({FixedArray<std::int8_t>("c", {0, 1}).Named("x")})});
  with.batches[0].children[0].dictionary.push_back(TextArray({"a"}));
  EXPECT_EQ(ArrowFailure(with), otherwise);
}

TEST(ArrowMalformed, Batches) {
  const TestStream good = StreamOf({BatchOf({FixedArray<std::int32_t>("i", {1, 2}).Named("x")})});
  const auto wrong = [&](const std::function<void(TestArray&)>& spoil) {
    TestStream made = good;
    spoil(made.batches[0]);
    return ArrowFailure(made);
  };
  const auto malformed = [](const std::string& what) {
    return "reading an Arrow stream: the array is malformed: " + what + " | the program that made the stream has a bug";
  };
  EXPECT_EQ(ArrowFailure(good), "no error");
  EXPECT_EQ(wrong([](TestArray& a) { a.length = -1; }), malformed("its length is negative"));
  EXPECT_EQ(wrong([](TestArray& a) { a.offset = -1; }), malformed("its offset is negative"));
  EXPECT_EQ(wrong([](TestArray& a) { a.offset = 1; }), Malformed("it is shorter than the batch"));
  EXPECT_EQ(wrong([](TestArray& a) { a.offset = kHuge; }), malformed("its length and offset are impossibly large"));
  EXPECT_EQ(wrong([](TestArray& a) { a.buffers.clear(); }), malformed("its type has another number of buffers"));
  EXPECT_EQ(wrong([](TestArray& a) { a.null_count = 1; }), malformed("it has nulls, but no bitmap says where"));
  EXPECT_EQ(wrong([](TestArray& a) { a.children.clear(); }), malformed("its schema has another number of columns"));
  EXPECT_EQ(wrong([](TestArray& a) { a.children.push_back(NullArray(2)); }),
            malformed("its schema has another number of columns"));
  EXPECT_EQ(wrong([](TestArray& a) { a.dictionary.push_back(NullArray(2)); }),
            malformed("it has a dictionary, unlike its schema"));
  EXPECT_EQ(wrong([](TestArray& a) { a.length = std::int64_t{1} << 32; }),
            "reading an Arrow stream: there are more than 4294967294 rows");
}

TEST(ArrowMalformed, NoStreamAtAll) { EXPECT_EQ(ReadArrowStream(nullptr, {}).error().message(), "there is no Arrow stream"); }

TEST(ArrowMalformed, MoreRowsThanATableHolds) {
  TestArray batch = BatchOf({});
  batch.length = (std::int64_t{1} << 32) - 2;
  TestArray one = BatchOf({});
  one.length = 1;
  EXPECT_EQ(ArrowFailure(StreamOf({one, batch})), "reading an Arrow stream: there are more than 4294967294 rows");
}

TEST(ArrowMalformed, Schemas) {
  const std::string bug = " | the program that made the stream has a bug";
  TestStream made = StreamOf({BatchOf({NullArray(1).Named("x")})});
  made.schema.format = "i";
  EXPECT_EQ(ArrowFailure(made),
            "reading an Arrow stream: it is not a table | give a table, a data frame or a stream of record batches");
  made.schema.format = "+s";
  made.schema.dictionary.push_back(NullArray(0));
  EXPECT_EQ(ArrowFailure(made),
            "reading an Arrow stream: it is not a table | give a table, a data frame or a stream of record batches");
  made.schema.dictionary.clear();
  EXPECT_EQ(ArrowFailure(made), "no error");
  made.released_schema = true;
  EXPECT_EQ(ArrowFailure(made), "reading an Arrow stream: the schema is malformed: it was released" + bug);
}

// The pointers themselves.
TEST(ArrowMalformed, NullPointersInASchema) {
  const TestStream made = StreamOf({BatchOf({NullArray(1).Named("x")})});
  const auto failure = [&](int (*spoiled)(ArrowArrayStream*, ArrowSchema*)) {
    ArrowArrayStream stream = made.Open();
    stream.get_schema = spoiled;
    const Result<Table> table = ReadArrowStream(&stream, {});
    EXPECT_EQ(*made.alive, 0);
    return table.ok() ? "no error" : table.error().message();
  };
  static int (*get_schema)(ArrowArrayStream*, ArrowSchema*) = nullptr;
  ArrowArrayStream good = made.Open();
  get_schema = good.get_schema;
  good.release(&good);
  EXPECT_EQ(failure([](ArrowArrayStream* self, ArrowSchema* out) {
              const int code = get_schema(self, out);
              out->format = nullptr;
              return code;
            }),
            "reading an Arrow stream: it is not a table");
  EXPECT_EQ(failure([](ArrowArrayStream* self, ArrowSchema* out) {
              const int code = get_schema(self, out);
              out->children = nullptr;
              return code;
            }),
            "reading an Arrow stream: the schema is malformed: its columns are missing");
  EXPECT_EQ(failure([](ArrowArrayStream* self, ArrowSchema* out) {
              const int code = get_schema(self, out);
              out->n_children = -1;
              return code;
            }),
            "reading an Arrow stream: the schema is malformed: its columns are missing");
  EXPECT_EQ(failure([](ArrowArrayStream* self, ArrowSchema* out) {
              const int code = get_schema(self, out);
              out->children[0] = nullptr;
              return code;
            }),
            "reading an Arrow stream: the schema is malformed: a column is missing");
  EXPECT_EQ(failure([](ArrowArrayStream* self, ArrowSchema* out) {
              const int code = get_schema(self, out);
              out->children[0]->name = nullptr;
              return code;
            }),
            "reading an Arrow stream: column 1 has no name");
  EXPECT_EQ(failure([](ArrowArrayStream* self, ArrowSchema* out) {
              const int code = get_schema(self, out);
              out->children[0]->format = nullptr;
              return code;
            }),
            "reading an Arrow stream: column x: its type (unknown) cannot be read");
}

TEST(ArrowMalformed, NullPointersInAnArray) {
  const TestStream made = StreamOf({BatchOf({FixedArray<std::int32_t>("i", {1}).Named("x")})});
  const auto failure = [&](int (*spoiled)(ArrowArrayStream*, ArrowArray*)) {
    ArrowArrayStream stream = made.Open();
    stream.get_next = spoiled;
    const Result<Table> table = ReadArrowStream(&stream, {});
    EXPECT_EQ(*made.alive, 0);
    return table.ok() ? "no error" : table.error().message();
  };
  static int (*get_next)(ArrowArrayStream*, ArrowArray*) = nullptr;
  ArrowArrayStream good = made.Open();
  get_next = good.get_next;
  good.release(&good);
  const std::string of_column = "reading an Arrow stream: rows from 1: column x: the array is malformed: ";
  EXPECT_EQ(failure([](ArrowArrayStream* self, ArrowArray* out) {
              const int code = get_next(self, out);
              out->buffers = nullptr;
              return code;
            }),
            "reading an Arrow stream: the array is malformed: its buffers are missing");
  EXPECT_EQ(failure([](ArrowArrayStream* self, ArrowArray* out) {
              const int code = get_next(self, out);
              out->children = nullptr;
              return code;
            }),
            "reading an Arrow stream: the array is malformed: its columns are missing");
  EXPECT_EQ(failure([](ArrowArrayStream* self, ArrowArray* out) {
              const int code = get_next(self, out);
              out->children[0] = nullptr;
              return code;
            }),
            of_column + "it is missing");
  EXPECT_EQ(failure([](ArrowArrayStream* self, ArrowArray* out) {
              const int code = get_next(self, out);
              out->children[0]->buffers = nullptr;
              return code;
            }),
            of_column + "its buffers are missing");
}

TEST(ArrowMalformed, AProducerThatFails) {
  const std::string hint = " | its own message may hold cells and is not shown; read the stream there to see it";
  const TestArray batch = BatchOf({FixedArray<std::int32_t>("i", {1, 2}).Named("x")});
  TestStream made = StreamOf({batch, batch});
  made.failing_batch = 0;
  EXPECT_EQ(ArrowFailure(made), "reading an Arrow stream: the program that made the stream failed (error 5)" + hint);
  made.failing_batch = 1;
  EXPECT_EQ(ArrowFailure(made), "reading an Arrow stream: the program that made the stream failed (error 5)" + hint);
  made.failing_batch = 2;  // at the end
  EXPECT_EQ(ArrowFailure(made), "reading an Arrow stream: the program that made the stream failed (error 5)" + hint);
  made.schema_error = 22;
  EXPECT_EQ(ArrowFailure(made), "reading an Arrow stream: the program that made the stream failed (error 22)" + hint);
}

TEST(ArrowMalformed, AStreamThatWasRead) {
  const TestStream made = StreamOf({BatchOf({NullArray(1).Named("x")})});
  ArrowArrayStream stream = made.Open();
  EXPECT_TRUE(ReadArrowStream(&stream, {}).ok());
  const auto again = ReadArrowStream(&stream, {});
  EXPECT_EQ(Failure(again.error()),
            "reading an Arrow stream: it was read before, and can be read only once | make a new stream of the table");
  EXPECT_EQ(*made.releases, 1);
}

TEST(ArrowMalformed, AStreamWithoutCallbacks) {
  const TestStream made = StreamOf({BatchOf({NullArray(1).Named("x")})});
  ArrowArrayStream stream = made.Open();
  stream.get_next = nullptr;
  EXPECT_EQ(ReadArrowStream(&stream, {}).error().message(),
            "reading an Arrow stream: the schema is malformed: a callback of the stream is missing");
  EXPECT_EQ(*made.releases, 1);
}

}  // namespace
}  // namespace cordon::engine
