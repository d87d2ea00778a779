// SPDX-License-Identifier: Apache-2.0
//
// A schema or array owns its content by private_data, and so do its children: a consumer may move a child out and release it
// long after its parent. The structures of children and dictionaries themselves belong to the parent's content.
#include <algorithm>
#include <cerrno>
#include <deque>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "cordon/io/arrow/arrow_stream.h"

namespace cordon::engine {
namespace {

// Calls `release` of a structure that is part of another one, unless somebody has moved it out.
template <typename Struct>
void ReleasePart(Struct& part) {
  if (part.release != nullptr) part.release(&part);
}

struct SchemaContent {
  std::string name;
  std::deque<ArrowSchema> parts;  // children, or the dictionary
  std::vector<ArrowSchema*> children;

  static void Release(ArrowSchema* schema) {
    auto* content = static_cast<SchemaContent*>(schema->private_data);
    for (ArrowSchema& part : content->parts) ReleasePart(part);
    delete content;
    schema->release = nullptr;
  }
};

struct ArrayContent {
  std::shared_ptr<const Table> table;  // owns the buffers that are not below
  std::vector<std::uint8_t> bitmap;
  std::vector<const void*> buffers;
  std::deque<ArrowArray> parts;
  std::vector<ArrowArray*> children;

  static void Release(ArrowArray* array) {
    auto* content = static_cast<ArrayContent*>(array->private_data);
    for (ArrowArray& part : content->parts) ReleasePart(part);
    delete content;
    array->release = nullptr;
  }
};

// Makes `schema` hold new content, so that from here on it can be released.
SchemaContent& Fill(ArrowSchema& schema, const char* format, const std::string& name) {
  auto* content = new SchemaContent{.name = name};
  schema = {};
  schema.format = format;
  schema.name = content->name.c_str();
  schema.flags = ARROW_FLAG_NULLABLE;
  schema.release = SchemaContent::Release;
  schema.private_data = content;
  return *content;
}

ArrayContent& Fill(ArrowArray& array, std::shared_ptr<const Table> table, std::size_t length,
                   std::vector<const void*> buffers) {
  auto* content = new ArrayContent{.table = std::move(table), .buffers = std::move(buffers)};
  array = {};
  array.length = static_cast<std::int64_t>(length);
  array.n_buffers = static_cast<std::int64_t>(content->buffers.size());
  array.buffers = content->buffers.data();
  array.release = ArrayContent::Release;
  array.private_data = content;
  return *content;
}

template <typename Struct, typename Content>
Struct& AddChild(Struct& parent, Content& content) {
  Struct& child = content.parts.emplace_back();
  content.children.push_back(&child);
  parent.children = content.children.data();
  parent.n_children = static_cast<std::int64_t>(content.children.size());
  return child;
}

void FillSchema(ArrowSchema& schema, const Table& table) {
  SchemaContent& content = Fill(schema, "+s", "");
  schema.flags = 0;  // a row is never null
  for (const Column& column : table.columns) {
    ArrowSchema& child = AddChild(schema, content);
    SchemaContent& codes = Fill(child, "i", column.name);
    child.dictionary = &codes.parts.emplace_back();
    Fill(*child.dictionary, "U", "");
  }
}

// One bit per row, set if the cell is there; empty if all are.
std::vector<std::uint8_t> BitmapOf(std::span<const Code> codes, std::int64_t& num_nulls) {
  std::vector<std::uint8_t> bits((codes.size() + 7) / 8);
  num_nulls = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] == kNull) {
      ++num_nulls;
    } else {
      bits[i >> 3] = static_cast<std::uint8_t>(bits[i >> 3] | 1u << (i & 7));
    }
  }
  if (num_nulls == 0) bits.clear();
  return bits;
}

void FillColumn(ArrowArray& array, const std::shared_ptr<const Table>& table, const Column& column, std::size_t chunk) {
  const std::span<const Code> codes = column.codes.chunk(chunk);
  ArrayContent& content = Fill(array, table, codes.size(), {nullptr, codes.data()});
  content.bitmap = BitmapOf(codes, array.null_count);
  if (!content.bitmap.empty()) content.buffers[0] = content.bitmap.data();
  const Dictionary& texts = *column.dictionary;
  array.dictionary = &content.parts.emplace_back();
  Fill(*array.dictionary, table, texts.size(), {nullptr, texts.offsets(), texts.bytes()});
}

void FillBatch(ArrowArray& array, const std::shared_ptr<const Table>& table, std::size_t chunk) {
  const std::size_t rows = std::min(kChunkRows, table->num_rows - chunk * kChunkRows);
  ArrayContent& content = Fill(array, table, rows, {nullptr});
  for (const Column& column : table->columns) FillColumn(AddChild(array, content), table, column, chunk);
}

struct StreamContent {
  std::shared_ptr<const Table> table;
  std::size_t next_chunk = 0;
  const char* error = nullptr;

  static StreamContent& Of(ArrowArrayStream* stream) { return *static_cast<StreamContent*>(stream->private_data); }

  // Runs `fill` on the structure, which is left empty if memory runs out.
  template <typename Struct, typename FillOut>
  int Give(Struct* out, const FillOut& fill) {
    *out = {};
    try {
      fill(*out);
      return 0;
    } catch (const std::bad_alloc&) {
      ReleasePart(*out);
      error = "out of memory";
      return ENOMEM;
    }
  }
  static int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
    return Of(stream).Give(out, [&](ArrowSchema& schema) { FillSchema(schema, *Of(stream).table); });
  }
  static int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
    StreamContent& content = Of(stream);
    return content.Give(out, [&](ArrowArray& array) {
      if (content.next_chunk * kChunkRows >= content.table->num_rows) return;
      FillBatch(array, content.table, content.next_chunk);
      ++content.next_chunk;
    });
  }
  static const char* GetLastError(ArrowArrayStream* stream) { return Of(stream).error; }
  static void Release(ArrowArrayStream* stream) {
    delete &Of(stream);
    stream->release = nullptr;
  }
};

// Which texts some row shows.
std::vector<bool> Shown(const Column& column) {
  std::vector<bool> shown(column.dictionary->size());
  for (std::size_t i = 0; i < column.codes.num_chunks(); ++i) {
    for (const Code code : column.codes.chunk(i)) {
      if (code != kNull) shown[static_cast<std::size_t>(code)] = true;
    }
  }
  return shown;
}

// The column as it is, or without the texts that no row shows.
Column OnlyShown(const Column& column) {
  const std::vector<bool> shown = Shown(column);
  if (std::find(shown.begin(), shown.end(), false) == shown.end()) return column;
  auto dictionary = std::make_shared<Dictionary>();
  std::vector<Code> new_code(shown.size(), kNull);
  for (std::size_t code = 0; code < shown.size(); ++code) {
    if (shown[code]) new_code[code] = dictionary->Intern((*column.dictionary)[static_cast<Code>(code)].bytes());
  }
  const auto code_of = [&](std::size_t row) {
    const Code code = column.codes[row];
    return code == kNull ? kNull : new_code[static_cast<std::size_t>(code)];
  };
  return {column.name, std::move(dictionary), Codes::Generate(column.codes.size(), 1, code_of)};
}

}  // namespace

void ExportArrowStream(const std::shared_ptr<const Table>& table, ArrowArrayStream* out) {
  auto shown = std::make_shared<Table>();
  shown->num_rows = table->num_rows;
  for (const Column& column : table->columns) {
    CORDON_CHECK_EQ(column.codes.size(), table->num_rows);
    shown->columns.push_back(OnlyShown(column));
  }
  *out = {};
  out->get_schema = StreamContent::GetSchema;
  out->get_next = StreamContent::GetNext;
  out->get_last_error = StreamContent::GetLastError;
  out->release = StreamContent::Release;
  out->private_data = new StreamContent{.table = std::move(shown)};
}

}  // namespace cordon::engine
