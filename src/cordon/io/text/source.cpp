// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/text/source.h"

#include <algorithm>

#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

// Batches into chunks of a fixed size.
class ColumnFiller {
 public:
  void Add(std::span<const Code> codes) {
    while (!codes.empty()) {
      if (open_.capacity() == 0) open_.reserve(kChunkRows);
      const std::size_t taken = std::min(codes.size(), kChunkRows - open_.size());
      open_.insert(open_.end(), codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(taken));
      codes = codes.subspan(taken);
      if (open_.size() == kChunkRows) Close();
    }
  }
  Codes Finish() {
    open_.shrink_to_fit();
    Close();
    return std::move(codes_);
  }

 private:
  void Close() {
    codes_.Append(std::move(open_));
    open_ = {};
  }
  Codes codes_;
  Codes::Chunk open_;
};

}  // namespace

Result<Table> ReadTable(Source& source, const Run& run) {
  const std::size_t num_columns = source.column_names().size();
  std::vector<ColumnFiller> columns(num_columns);
  Table table;
  while (true) {
    CORDON_TRY(const std::optional<Batch> batch, source.Next(run));
    if (!batch) break;
    table.num_rows += batch->num_rows;
    ParallelFor(run.threads, num_columns, 1,
                [&](std::size_t i, std::size_t, std::size_t) { columns[i].Add(batch->columns[i]); });
  }
  for (std::size_t i = 0; i < num_columns; ++i) {
    table.columns.push_back({source.column_names()[i], source.dictionary(i), columns[i].Finish()});
  }
  return table;
}

CellTypes TypesOf(const Source& source) {
  CellTypes types;
  for (std::size_t i = 0; i < source.column_names().size(); ++i) {
    const CellType type = source.column_type(i);
    if (type != CellType::kText && type != CellType::kSeveral) types[source.column_names()[i]] = type;
  }
  return types;
}

}  // namespace cordon::engine
