// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/large/large_table.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "cordon/bind/bind.h"
#include "cordon/io/open_source.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kShareForTexts = 4;  // of the memory, one in this many

// A column that is kept, as the file has it.
struct ReadColumn {
  const AttributePolicy* attribute = nullptr;
  std::size_t place = 0;                            // in the file
  std::shared_ptr<const Dictionary> texts;          // of the source, growing
  std::vector<std::uint64_t> first_row = {kNever};  // by code + 1: where it comes first

  void Meet(Code code, std::uint64_t row) {
    std::uint64_t& first = first_row[static_cast<std::size_t>(code + 1)];
    if (first == kNever) first = row;
  }
  // Offsets, hashes, slots, and what is kept here and in LargeColumn.
  std::uint64_t bytes() const { return texts->offsets()[texts->size()] + 48 * texts->size(); }
};

// The cells that occur, each once, and where first.
struct DistinctCells {
  Column cells;
  std::vector<std::uint64_t> first_rows;
};

DistinctCells CellsIn(const ReadColumn& column) {
  DistinctCells distinct{{column.attribute->name, column.texts, {}}, {}};
  CodesBuilder codes;
  for (std::size_t place = 0; place < column.first_row.size(); ++place) {
    if (column.first_row[place] == kNever) continue;
    codes.Add(static_cast<Code>(place) - 1);
    distinct.first_rows.push_back(column.first_row[place]);
  }
  distinct.cells.codes = codes.Finish();
  return distinct;
}

Result<std::vector<ReadColumn>> ColumnsToKeep(const Policy& policy, const Source& source) {
  CORDON_TRY(const std::vector<const AttributePolicy*> attributes, MatchColumns(policy, source.column_names()));
  std::vector<ReadColumn> columns;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const AttributePolicy* attribute = attributes[i];
    if (attribute == nullptr || (attribute->role == Role::kIdentifier && !attribute->pseudonym_key_file)) continue;
    columns.push_back({attribute, i, nullptr});
  }
  return columns;
}

Result<void> CheckTextsFit(const std::vector<ReadColumn>& columns, std::uint64_t memory) {
  std::uint64_t bytes = 0;
  const ReadColumn* largest = nullptr;
  for (const ReadColumn& column : columns) {
    bytes += column.bytes();
    if (largest == nullptr || column.bytes() > largest->bytes()) largest = &column;
  }
  if (bytes <= memory / kShareForTexts) return {};
  return Error::InvalidData("the distinct values of the columns do not fit in --memory; '{}' alone has {} and more",
                            largest->attribute->name, largest->texts->size())
      .WithHint("give more --memory, or leave the column out: role = \"identifier\"");
}

Result<void> ReadRows(Source& source, std::vector<ReadColumn>& columns, std::uint64_t memory, RowSpill& rows, const Run& run) {
  std::vector<Code> row(columns.size());
  std::uint64_t number = 0;
  while (true) {
    CORDON_TRY(const std::optional<Batch> batch, source.Next(run));
    if (!batch) break;
    for (ReadColumn& column : columns) {
      column.texts = source.dictionary(column.place);
      column.first_row.resize(column.texts->size() + 1, kNever);
    }
    for (std::size_t i = 0; i < batch->num_rows; ++i, ++number) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        row[c] = batch->columns[columns[c].place][i];
        columns[c].Meet(row[c], number);
      }
      CORDON_RETURN_IF_ERROR(rows.Add(0, row));
    }
    CORDON_RETURN_IF_ERROR(CheckTextsFit(columns, memory));
  }
  return rows.Flush();
}

bool GuardsPeople(const AttributePolicy& attribute) {
  return attribute.role == Role::kQuasi || attribute.role == Role::kSensitive;
}

// Leaves out the rows that have a missing quasi or sensitive cell. A value that only these rows have is dropped from its
// domain.
Result<std::uint64_t> DropIncomplete(const Policy& policy, const std::string& folder, std::vector<ReadColumn>& columns,
                                     RowSpill& rows, const Run& run) {
  std::vector<std::vector<bool>> missing(columns.size());  // by code + 1
  bool any = false;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    missing[c].resize(columns[c].first_row.size());
    if (!GuardsPeople(*columns[c].attribute)) continue;
    const DistinctCells distinct = CellsIn(columns[c]);
    CORDON_TRY(const std::vector<bool> cells, MissingCells(policy, *columns[c].attribute, distinct.cells, run));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      missing[c][static_cast<std::size_t>(distinct.cells.codes[i] + 1)] = cells[i];
      any = any || cells[i];
    }
  }
  if (!any) return std::uint64_t{0};
  std::vector<std::vector<std::uint64_t>> before;
  for (ReadColumn& column : columns) {
    before.push_back(column.first_row);
    std::fill(column.first_row.begin(), column.first_row.end(), kNever);
  }
  CORDON_TRY(RowSpill kept, RowSpill::Create(folder, columns.size(), 1));
  const auto keep = [&](std::span<const Code> block) -> Result<void> {
    for (std::size_t at = 0; at < block.size(); at += columns.size()) {
      const std::span<const Code> row = block.subspan(at, columns.size());
      bool complete = true;
      for (std::size_t c = 0; c < columns.size(); ++c) complete = complete && !missing[c][static_cast<std::size_t>(row[c] + 1)];
      if (!complete) continue;
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c].Meet(row[c], before[c][static_cast<std::size_t>(row[c] + 1)]);
      CORDON_RETURN_IF_ERROR(kept.Add(0, row));
    }
    return {};
  };
  CORDON_RETURN_IF_ERROR(rows.Each(0, run, keep));
  CORDON_RETURN_IF_ERROR(kept.Flush());
  const std::uint64_t dropped = rows.rows() - kept.rows();
  rows = std::move(kept);
  if (rows.rows() > 0) return dropped;
  return Error::InvalidData("every row has a missing quasi or sensitive cell, so on_missing = \"drop\" leaves none")
      .WithHint("check missing in [data], or set on_missing = \"leaf\"");
}

Result<LargeColumn> BindLarge(const Policy& policy, const ReadColumn& column, const Run& run) {
  const DistinctCells distinct = CellsIn(column);
  CORDON_TRY(const MicrodataColumn bound, BindCells(policy, *column.attribute, distinct.cells, distinct.first_rows, run));
  LargeColumn made{bound.attribute, {}, bound.text.dictionary, {}};
  const auto by_text = [&](const Codes& codes) {
    std::vector<Code> table(column.first_row.size(), kNull);
    for (std::size_t i = 0; i < codes.size(); ++i) table[static_cast<std::size_t>(distinct.cells.codes[i] + 1)] = codes[i];
    return table;
  };
  if (!bound.codes.empty()) made.codes = by_text(bound.codes);
  if (!bound.text.codes.empty()) made.text_codes = by_text(bound.text.codes);
  return made;
}

}  // namespace

std::vector<std::size_t> LargeTable::ColumnsOf(Role role) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].attribute.role == role) found.push_back(i);
  }
  return found;
}

Result<LargeTable> ReadLargeTable(const TableInput& input, const Policy& policy, const LargeTableOptions& options,
                                  const Run& run) {
  CORDON_TRY(const std::unique_ptr<Source> source, OpenSource(input, options.source));
  auto kept = ColumnsToKeep(policy, *source);
  CORDON_TRY(std::vector<ReadColumn> columns, std::move(kept).WithContext("binding {} to {}", input.name, policy.name));
  CORDON_TRY(RowSpill rows, RowSpill::Create(options.folder, columns.size(), 1));
  CORDON_RETURN_IF_ERROR(ReadRows(*source, columns, options.memory, rows, run).WithContext("reading {}", input.name));
  if (rows.rows() == 0) {
    return Error::InvalidData("{} has no rows to publish", input.name).WithHint("a header alone is not a table");
  }
  LargeTable table{{}, std::move(rows), 0, 0, source->InputDigest(), TypesOf(*source)};
  if (policy.data.on_missing == OnMissing::kDrop) {
    CORDON_TRY(table.dropped_rows, DropIncomplete(policy, options.folder, columns, table.rows, run));
  }
  table.num_rows = table.rows.rows();
  for (const ReadColumn& column : columns) {
    if (run.Stopped()) return Error::Cancelled();
    auto bound = BindLarge(policy, column, run).WithContext("binding {} to {}", input.name, policy.name);
    CORDON_TRY(LargeColumn made, std::move(bound));
    table.columns.push_back(std::move(made));
    table.bytes += column.bytes();
  }
  return table;
}

MicrodataBuilder::MicrodataBuilder(const LargeTable& table, std::vector<std::size_t> columns)
    : table_(table), used_(std::move(columns)), codes_(table.columns.size()), texts_(table.columns.size()) {}

MicrodataBuilder::MicrodataBuilder(const LargeTable& table)
    : table_(table), used_(table.columns.size()), codes_(table.columns.size()), texts_(table.columns.size()) {
  std::iota(used_.begin(), used_.end(), std::size_t{0});
}

void MicrodataBuilder::Add(std::span<const Code> row) {
  ++num_rows_;
  for (const std::size_t i : used_) {
    const LargeColumn& column = table_.columns[i];
    const auto text = static_cast<std::size_t>(row[i] + 1);
    if (!column.codes.empty()) codes_[i].Add(column.codes[text]);
    if (!column.text_codes.empty()) texts_[i].Add(column.text_codes[text]);
  }
}

Microdata MicrodataBuilder::Finish() {
  Microdata data;
  data.num_rows = num_rows_;
  data.num_persons = num_rows_;
  for (std::size_t i = 0; i < table_.columns.size(); ++i) {
    const LargeColumn& column = table_.columns[i];
    MicrodataColumn made{column.attribute, codes_[i].Finish(), {}};
    if (column.texts != nullptr) made.text = {column.attribute.name, column.texts, texts_[i].Finish()};
    data.columns.push_back(std::move(made));
  }
  return data;
}

Result<Microdata> LoadRows(const RowSpill& spill, std::span<const std::size_t> buckets, MicrodataBuilder rows, const Run& run,
                           const std::function<void(std::size_t bucket, std::span<const Code> row)>& more) {
  for (const std::size_t bucket : buckets) {
    CORDON_RETURN_IF_ERROR(spill.Each(bucket, run, [&](std::span<const Code> block) {
      for (std::size_t at = 0; at < block.size(); at += spill.width()) {
        rows.Add(block.subspan(at, rows.width()));
        if (more) more(bucket, block.subspan(at, spill.width()));
      }
      return Result<void>();
    }));
  }
  return rows.Finish();
}

Result<void> CountWhole(LargeTable& table, std::span<const std::size_t> sensitive, const Run& run) {
  std::vector<std::vector<std::int64_t>> counts;
  for (const std::size_t column : sensitive) {
    counts.emplace_back(static_cast<std::size_t>(table.columns[column].attribute.domain->size()));
  }
  if (sensitive.empty()) return {};
  CORDON_RETURN_IF_ERROR(table.rows.Each(0, run, [&](std::span<const Code> block) {
    for (std::size_t at = 0; at < block.size(); at += table.columns.size()) {
      for (std::size_t i = 0; i < sensitive.size(); ++i) {
        ++counts[i][static_cast<std::size_t>(table.code(sensitive[i], block[at + sensitive[i]]))];
      }
    }
    return Result<void>();
  }));
  for (std::size_t i = 0; i < sensitive.size(); ++i) {
    table.columns[sensitive[i]].attribute.whole = std::make_shared<const std::vector<std::int64_t>>(std::move(counts[i]));
  }
  return {};
}

}  // namespace cordon::engine
