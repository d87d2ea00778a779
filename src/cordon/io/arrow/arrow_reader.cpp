// SPDX-License-Identifier: Apache-2.0
//
// The stream as a Source: arrays are cut into batches of a bounded size, and columns are taken side by side, each by one
// thread from top to bottom.
#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/parallel_for.h"
#include "cordon/io/arrow/arrow_array_internal.h"
#include "cordon/io/arrow/arrow_intake_internal.h"
#include "cordon/io/arrow/arrow_stream.h"
#include "cordon/io/text/source.h"
#include "cordon/io/text/text_check.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kRowsPerTake = std::size_t{1} << 17;
constexpr std::size_t kCellsPerThread = std::size_t{1} << 16;  // fewer are not worth a thread
constexpr std::size_t kMaxCodes = std::numeric_limits<Code>::max();

// A structure that another party filled, released when it goes. A null `release` means that it holds nothing.
template <typename Struct>
class Held {
 public:
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { Release(); }

  // What a call that failed has left behind is not ours.
  void Forget() { value_.release = nullptr; }
  void Release() {
    if (value_.release != nullptr) value_.release(&value_);
    value_ = {};
  }
  void Swap(Held& other) { std::swap(value_, other.value_); }
  bool empty() const { return value_.release == nullptr; }
  const Struct* operator->() const { return &value_; }
  const Struct& operator*() const { return value_; }
  Struct* get() { return &value_; }

 private:
  Struct value_ = {};
};

// Its own message may hold cells, and is not shown.
Error ProducerFailed(int code) {
  return Error::Io("the program that made the stream failed (error {})", code)
      .WithHint("its own message may hold cells and is not shown; read the stream there to see it");
}

Error WrongSchema(const char* what) {
  return Error::InvalidData("the schema is malformed: {}", what).WithHint("the program that made the stream has a bug");
}

// "column age", or its number if it has no proper name.
Result<std::string> NameOf(const ArrowSchema& column, std::size_t i, std::set<std::string>& seen) {
  std::string name = column.name == nullptr ? "" : column.name;
  if (name.empty()) return Error::InvalidData("column {} has no name", i + 1);
  if (FindBadByte(name)) return Error::InvalidData("the name of column {} is not valid UTF-8", i + 1);
  if (!seen.insert(name).second) return Error::InvalidData("two columns are called '{}'", name);
  return name;
}

class ArrowSource final : public Source {
 public:
  // Releases the stream at its end.
  explicit ArrowSource(ArrowArrayStream& stream) : stream_(stream) {}
  ArrowSource(const ArrowSource&) = delete;
  ArrowSource& operator=(const ArrowSource&) = delete;
  ~ArrowSource() override {
    array_.Release();
    before_.Release();
    if (stream_.release != nullptr) stream_.release(&stream_);
  }

  Result<void> ReadSchema();

  const std::vector<std::string>& column_names() const override { return names_; }
  std::shared_ptr<const Dictionary> dictionary(std::size_t column) const override { return dictionaries_[column]; }
  std::string InputDigest() override { return ""; }  // nothing that could be read again
  // REQUIRES: no error so far.
  Result<std::optional<Batch>> Next(const Run& run) override;

 private:
  Result<bool> NextArray();
  Result<void> CheckRecords() const;
  Result<void> BeginColumn(std::size_t column);

  ArrowArrayStream& stream_;
  std::vector<std::string> names_;
  std::vector<bool> coded_;  // by column: it comes with a dictionary
  std::vector<std::shared_ptr<Dictionary>> dictionaries_;
  std::vector<std::unique_ptr<ArrowIntake>> intakes_;
  Held<ArrowArray> array_;
  Held<ArrowArray> before_;  // kept until the intakes have seen that they get the same dictionaries again
  std::int64_t taken_ = 0;   // rows of array_
  std::uint64_t rows_ = 0;
};

Result<void> ArrowSource::ReadSchema() {
  if (stream_.release == nullptr) {
    return Error::InvalidData("it was read before, and can be read only once").WithHint("make a new stream of the table");
  }
  if (stream_.get_schema == nullptr || stream_.get_next == nullptr) return WrongSchema("a callback of the stream is missing");
  Held<ArrowSchema> schema;
  if (const int code = stream_.get_schema(&stream_, schema.get()); code != 0) {
    schema.Forget();
    return ProducerFailed(code);
  }
  if (schema.empty()) return WrongSchema("it was released");
  if (schema->format == nullptr || std::string_view(schema->format) != "+s" || schema->dictionary != nullptr)
    return Error::InvalidData("it is not a table").WithHint("give a table, a data frame or a stream of record batches");
  if (schema->n_children < 0 || (schema->n_children > 0 && schema->children == nullptr))
    return WrongSchema("its columns are missing");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < static_cast<std::size_t>(schema->n_children); ++i) {
    const ArrowSchema* column = schema->children[i];
    if (column == nullptr || column->release == nullptr) return WrongSchema("a column is missing");
    if (column->dictionary != nullptr && column->dictionary->release == nullptr) return WrongSchema("a dictionary is missing");
    CORDON_TRY(std::string name, NameOf(*column, i, seen));
    dictionaries_.push_back(std::make_shared<Dictionary>());
    CORDON_TRY(auto intake, MakeArrowIntake(*column, *dictionaries_.back()).WithContext("column {}", name));
    intakes_.push_back(std::move(intake));
    coded_.push_back(column->dictionary != nullptr);
    names_.push_back(std::move(name));
  }
  return {};
}

// The structure of a record batch, its columns aside.
Result<void> ArrowSource::CheckRecords() const {
  CORDON_RETURN_IF_ERROR(CheckArray(*array_, 1, Buffers::kExactly));
  if (array_->dictionary != nullptr) return MalformedArray("it has a dictionary, unlike its schema");
  if (array_->n_children != static_cast<std::int64_t>(names_.size()))
    return MalformedArray("its schema has another number of columns");
  if (!names_.empty() && array_->children == nullptr) return MalformedArray("its columns are missing");
  if (rows_ + static_cast<std::uint64_t>(array_->length) > kMaxRows)
    return Error::InvalidData("there are more than {} rows", kMaxRows);
  const Validity validity(*array_);
  for (std::int64_t row = 0; array_->buffers[0] != nullptr && row < array_->length; ++row) {
    if (!validity[row]) return Error::InvalidData("row {} is null as a whole", rows_ + static_cast<std::uint64_t>(row) + 1);
  }
  return {};
}

Result<void> ArrowSource::BeginColumn(std::size_t i) {
  const ArrowArray* column = array_->children[i];
  if (column == nullptr || column->release == nullptr) return MalformedArray("it is missing");
  if (column->n_children != 0) return MalformedArray("it has children, unlike its type");
  if ((column->dictionary != nullptr) != coded_[i]) return MalformedArray("its schema says otherwise about a dictionary");
  CORDON_RETURN_IF_ERROR(intakes_[i]->Begin(*column));
  if (column->length < array_->offset + array_->length) return MalformedArray("it is shorter than the batch");
  return {};
}

// False: there are no more.
Result<bool> ArrowSource::NextArray() {
  before_.Release();
  before_.Swap(array_);
  taken_ = 0;
  if (const int code = stream_.get_next(&stream_, array_.get()); code != 0) {
    array_.Forget();
    return ProducerFailed(code);
  }
  if (array_.empty()) return false;
  CORDON_RETURN_IF_ERROR(CheckRecords());
  for (std::size_t i = 0; i < names_.size(); ++i)
    CORDON_RETURN_IF_ERROR(BeginColumn(i).WithContext("rows from {}: column {}", rows_ + 1, names_[i]));
  return true;
}

Result<std::optional<Batch>> ArrowSource::Next(const Run& run) {
  while (taken_ == array_->length) {
    if (run.Stopped()) return Error::Cancelled();
    CORDON_TRY(const bool more, NextArray());
    if (!more) return std::optional<Batch>();
  }
  if (run.Stopped()) return Error::Cancelled();
  Batch batch;
  batch.num_rows = std::min(kRowsPerTake, static_cast<std::size_t>(array_->length - taken_));
  batch.columns.resize(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (dictionaries_[i]->size() > kMaxCodes - kRowsPerTake)
      return Error::InvalidData("column {} has more than {} distinct values", names_[i], kMaxCodes - kRowsPerTake);
  }
  std::vector<std::optional<BadCell>> bad(names_.size());
  const int threads = batch.num_rows * names_.size() < kCellsPerThread ? 1 : run.threads;
  ParallelFor(threads, names_.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
    batch.columns[i].resize(batch.num_rows);
    bad[i] = intakes_[i]->Take(array_->offset + taken_, batch.columns[i]);
  });
  for (std::size_t i = 0; i < bad.size(); ++i) {
    if (bad[i]) return Error::InvalidData("row {}: column {} {}", rows_ + bad[i]->row + 1, names_[i], bad[i]->what);
  }
  taken_ += static_cast<std::int64_t>(batch.num_rows);
  rows_ += batch.num_rows;
  run.Report("read", rows_, 0);
  return std::optional<Batch>(std::move(batch));
}

Result<Table> ReadAll(ArrowArrayStream& stream, const Run& run) {
  ArrowSource source(stream);
  CORDON_RETURN_IF_ERROR(source.ReadSchema());
  return ReadTable(source, run);
}

}  // namespace

Result<Table> ReadArrowStream(ArrowArrayStream* stream, const Run& run) {
  if (stream == nullptr) return Error::InvalidData("there is no Arrow stream").WithHint("the pointer to it is null");
  return ReadAll(*stream, run).WithContext("reading an Arrow stream");
}

}  // namespace cordon::engine
