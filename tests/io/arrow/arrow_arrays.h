// SPDX-License-Identifier: Apache-2.0
//
// Arrow streams made by hand, right or wrong. Every buffer is an allocation of its exact size, so that a sanitizer sees a byte
// read beyond it, and every structure is counted until it is released.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/arrow_c_data.h"
#include "cordon/base/check.h"

namespace cordon::engine {

// An array and its type. Every field may be made wrong before it is exported.
struct TestArray {
  std::string format;
  std::string name;
  std::int64_t length = 0;
  std::int64_t offset = 0;
  std::int64_t null_count = -1;
  std::vector<std::optional<std::string>> buffers;  // nothing: a null pointer
  std::vector<TestArray> children;
  std::vector<TestArray> dictionary;  // one or none
  bool no_release = false;            // of the array

  TestArray Named(std::string new_name) && {
    name = std::move(new_name);
    return std::move(*this);
  }
  // The same buffers, of which `from` rows are skipped and `rows` shown.
  TestArray Slice(std::int64_t from, std::int64_t rows) && {
    offset += from;
    length = rows;
    return std::move(*this);
  }
};

// Structures of one stream that are not yet released.
using Alive = std::shared_ptr<int>;

namespace test_arrow {

template <typename Struct>
struct Owned {
  Alive alive;
  std::string format;
  std::string name;
  std::vector<std::unique_ptr<char[]>> bytes;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<Struct>> parts;
  std::vector<Struct*> children;

  explicit Owned(Alive a) : alive(std::move(a)) { ++*alive; }
  ~Owned() { --*alive; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  static void Release(Struct* object) {
    CORDON_CHECK(object->release != nullptr);
    auto* owned = static_cast<Owned*>(object->private_data);
    for (const auto& part : owned->parts) {
      if (part->release != nullptr) part->release(part.get());
    }
    object->release = nullptr;
    delete owned;
  }
};

inline void FillSchema(const TestArray& array, const Alive& alive, ArrowSchema* out) {
  auto* owned = new Owned<ArrowSchema>(alive);
  owned->format = array.format;
  owned->name = array.name;
  const auto part = [&](const TestArray& of) {
    FillSchema(of, alive, owned->parts.emplace_back(std::make_unique<ArrowSchema>()).get());
    return owned->parts.back().get();
  };
  *out = {};
  for (const TestArray& child : array.children) owned->children.push_back(part(child));
  if (!array.dictionary.empty()) out->dictionary = part(array.dictionary[0]);
  out->format = owned->format.c_str();
  out->name = owned->name.c_str();
  out->n_children = static_cast<std::int64_t>(owned->children.size());
  out->children = owned->children.data();
  out->release = Owned<ArrowSchema>::Release;
  out->private_data = owned;
}

inline void FillArray(const TestArray& array, const Alive& alive, ArrowArray* out) {
  auto* owned = new Owned<ArrowArray>(alive);
  const auto part = [&](const TestArray& of) {
    FillArray(of, alive, owned->parts.emplace_back(std::make_unique<ArrowArray>()).get());
    return owned->parts.back().get();
  };
  *out = {};
  for (const auto& buffer : array.buffers) {
    owned->buffers.push_back(nullptr);
    if (!buffer) continue;
    owned->bytes.push_back(std::make_unique<char[]>(buffer->size()));
    std::memcpy(owned->bytes.back().get(), buffer->data(), buffer->size());
    owned->buffers.back() = owned->bytes.back().get();
  }
  for (const TestArray& child : array.children) owned->children.push_back(part(child));
  if (!array.dictionary.empty()) out->dictionary = part(array.dictionary[0]);
  out->length = array.length;
  out->offset = array.offset;
  out->null_count = array.null_count;
  out->n_buffers = static_cast<std::int64_t>(owned->buffers.size());
  out->buffers = owned->buffers.data();
  out->n_children = static_cast<std::int64_t>(owned->children.size());
  out->children = owned->children.data();
  out->release = Owned<ArrowArray>::Release;
  out->private_data = owned;
}

// A child that claims to be released is one that its parent still has to free.
inline void HideReleases(const TestArray& array, ArrowArray& out) {
  for (std::size_t i = 0; i < array.children.size(); ++i) {
    const bool in_dictionary = !array.children[i].dictionary.empty() && array.children[i].dictionary[0].no_release;
    if (in_dictionary) out.children[i]->dictionary->release(out.children[i]->dictionary);
    if (!array.children[i].no_release) continue;
    out.children[i]->release(out.children[i]);
  }
}

}  // namespace test_arrow

struct TestStream {
  TestArray schema;  // its buffers are not looked at
  std::vector<TestArray> batches;
  int schema_error = 0;                      // what get_schema returns
  std::optional<std::size_t> failing_batch;  // get_next fails instead of giving this one
  bool released_schema = false;
  Alive alive = std::make_shared<int>(0);
  std::shared_ptr<int> releases = std::make_shared<int>(0);  // of the stream

  ArrowArrayStream Open() const;
};

namespace test_arrow {

struct OpenStream {
  TestStream stream;
  std::size_t next = 0;

  static OpenStream& Of(ArrowArrayStream* stream) { return *static_cast<OpenStream*>(stream->private_data); }
};

}  // namespace test_arrow

inline ArrowArrayStream TestStream::Open() const {
  using test_arrow::OpenStream;
  ArrowArrayStream stream = {};
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    const TestStream& of = OpenStream::Of(self).stream;
    if (of.schema_error != 0) return of.schema_error;
    test_arrow::FillSchema(of.schema, of.alive, out);
    if (of.released_schema) out->release(out);
    return 0;
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    OpenStream& state = OpenStream::Of(self);
    if (state.stream.failing_batch == state.next) return 5;
    *out = {};
    if (state.next == state.stream.batches.size()) return 0;
    const TestArray& batch = state.stream.batches[state.next++];
    test_arrow::FillArray(batch, state.stream.alive, out);
    test_arrow::HideReleases(batch, *out);
    return 0;
  };
  stream.get_last_error = [](ArrowArrayStream*) { return "SECRETCELL"; };
  stream.release = [](ArrowArrayStream* self) {
    ++*OpenStream::Of(self).stream.releases;
    delete &OpenStream::Of(self);
    self->release = nullptr;
  };
  stream.private_data = new OpenStream{*this, 0};
  return stream;
}

template <typename Value>
std::string BytesOf(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

inline std::string BitsOf(const std::vector<bool>& bits) {
  std::string bytes((bits.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < bits.size(); ++i) bytes[i / 8] = static_cast<char>(bytes[i / 8] | (bits[i] ? 1 << i % 8 : 0));
  return bytes;
}

// The bitmap of what is there; nothing if all is.
template <typename Value>
std::optional<std::string> BitmapOf(const std::vector<std::optional<Value>>& cells) {
  std::vector<bool> there;
  bool all = true;
  for (const auto& cell : cells) {
    there.push_back(cell.has_value());
    all = all && cell.has_value();
  }
  return all ? std::nullopt : std::optional<std::string>(BitsOf(there));
}

template <typename Value>
using Cells = std::vector<std::optional<Value>>;

template <typename Value>
TestArray FixedArray(std::string format, const Cells<Value>& cells) {
  std::vector<Value> values;
  for (const auto& cell : cells) values.push_back(cell.value_or(Value{}));
  return {.format = std::move(format),
          .length = static_cast<std::int64_t>(cells.size()),
          .buffers = {BitmapOf(cells), BytesOf(values)}};
}

inline TestArray BoolArray(const Cells<bool>& cells) {
  std::vector<bool> bits;
  for (const auto& cell : cells) bits.push_back(cell.value_or(true));
  return {.format = "b", .length = static_cast<std::int64_t>(cells.size()), .buffers = {BitmapOf(cells), BitsOf(bits)}};
}

inline TestArray NullArray(std::int64_t length) { return {.format = "n", .length = length, .null_count = length}; }

template <typename Offset = std::int32_t>
TestArray TextArray(const Cells<std::string>& cells) {
  std::string bytes;
  std::vector<Offset> offsets = {0};
  for (const auto& cell : cells) {
    bytes += cell.value_or("hidden");  // what lies under a null must not come out
    offsets.push_back(static_cast<Offset>(bytes.size()));
  }
  return {.format = sizeof(Offset) == 4 ? "u" : "U",
          .length = static_cast<std::int64_t>(cells.size()),
          .buffers = {BitmapOf(cells), BytesOf(offsets), bytes}};
}

// Long texts go to the buffers in turn.
inline TestArray ViewArray(const Cells<std::string>& cells, std::size_t num_buffers = 2) {
  std::string views;
  std::vector<std::string> texts(num_buffers);
  std::size_t turn = 0;
  for (const auto& cell : cells) {
    const std::string text = cell.value_or("");
    std::string view = BytesOf<std::int32_t>({static_cast<std::int32_t>(text.size())});
    if (text.size() <= 12) {
      view += text;
    } else {
      const std::size_t to = turn++ % num_buffers;
      view += text.substr(0, 4) +
              BytesOf<std::int32_t>({static_cast<std::int32_t>(to), static_cast<std::int32_t>(texts[to].size())});
      texts[to] += text;
    }
    view.resize(16);
    views += cell ? view : std::string(16, '\xff');
  }
  TestArray array{.format = "vu", .length = static_cast<std::int64_t>(cells.size()), .buffers = {BitmapOf(cells), views}};
  std::vector<std::int64_t> sizes;
  for (const std::string& text : texts) {
    sizes.push_back(static_cast<std::int64_t>(text.size()));
    array.buffers.emplace_back(text);
  }
  array.buffers.emplace_back(BytesOf(sizes));
  return array;
}

template <typename Index>
TestArray DictionaryArray(std::string format, const Cells<Index>& indices, TestArray entries) {
  TestArray array = FixedArray<Index>(std::move(format), indices);
  array.dictionary.push_back(std::move(entries));
  return array;
}

inline TestArray BatchOf(std::vector<TestArray> columns) {
  const std::int64_t length = columns.empty() ? 0 : columns[0].length;
  return {.format = "+s", .length = length, .null_count = 0, .buffers = {std::nullopt}, .children = std::move(columns)};
}

// The type of the first batch is that of the stream.
inline TestStream StreamOf(std::vector<TestArray> batches) {
  TestArray schema = batches.at(0);
  return {.schema = std::move(schema), .batches = std::move(batches)};
}

}  // namespace cordon::engine
