// SPDX-License-Identifier: Apache-2.0
#include "cordon/table.h"

#include <vector>

#include "cordon/api/convert_internal.h"
#include "cordon/bind/table_as_release.h"
#include "cordon/data/table.h"
#include "cordon/io/arrow/arrow_stream.h"
#include "cordon/io/open_source.h"
#include "cordon/io/text/text_check.h"

namespace cordon {

Table::Table(std::shared_ptr<const engine::Table> table) : table_(std::move(table)) {}

Result<Table> Table::Read(const std::string& path, const std::string& delimiter, const RunOptions& options) {
  internal::EngineRun run(options);
  CORDON_TRY(const engine::TextFormat text, engine::GuessTextFormat(path, delimiter, std::nullopt, run.run().stop));
  CORDON_TRY(engine::Table table, engine::ReadTableFile(path, text, std::nullopt, run.run()));
  return Table(std::make_shared<const engine::Table>(std::move(table)));
}

Result<Table> Table::FromArrow(ArrowArrayStream* stream, const RunOptions& options) {
  internal::EngineRun run(options);
  CORDON_TRY(engine::Table table, engine::ReadArrowStream(stream, run.run()));
  return Table(std::make_shared<const engine::Table>(std::move(table)));
}

void Table::ToArrow(ArrowArrayStream* stream) const { engine::ExportArrowStream(table_, stream); }

std::size_t Table::num_rows() const { return table_->num_rows; }
std::size_t Table::num_columns() const { return table_->columns.size(); }
const std::string& Table::column_name(std::size_t column) const {
  CORDON_CHECK_LT(column, num_columns());
  return table_->columns[column].name;
}

std::optional<std::string_view> Table::cell(std::size_t row, std::size_t column) const {
  CORDON_CHECK_LT(column, num_columns());
  CORDON_CHECK_LT(row, num_rows());
  const engine::Column& found = table_->columns[column];
  if (found.codes[row] == engine::kNull) return std::nullopt;
  return found.cell(row).bytes();
}

struct TableBuilder::Parts {
  engine::Table table;
  std::optional<engine::Error> error;  // the first

  template <typename Cells, typename TextOf>
  void Add(std::string name, const Cells& cells, const TextOf& text_of);
};

template <typename Cells, typename TextOf>
void TableBuilder::Parts::Add(std::string name, const Cells& cells, const TextOf& text_of) {
  if (error) return;
  if (name.empty()) {
    error = engine::Error::InvalidData("column {} has no name", table.columns.size() + 1);
  } else if (const auto bad = engine::FindBadByte(name)) {
    error = engine::Error::InvalidData("the name of column {} {}", table.columns.size() + 1, bad->what());
  } else if (table.Find(name) != nullptr) {
    error = engine::Error::InvalidData("two columns are called '{}'", name);
  } else if (!table.columns.empty() && cells.size() != table.num_rows) {
    error = engine::Error::InvalidData("column '{}' has {} cells, the columns before it have {}", name, cells.size(),
                                       table.num_rows);
  }
  if (error) return;
  auto dictionary = std::make_shared<engine::Dictionary>();
  engine::CodesBuilder codes;
  std::size_t row = 0;
  for (const auto& cell : cells) {
    ++row;
    const std::optional<std::string_view> text = text_of(cell);
    const std::size_t known = dictionary->size();
    codes.Add(text ? dictionary->Intern(*text) : engine::kNull);
    if (dictionary->size() == known) continue;
    if (const auto bad = engine::FindBadByte(*text)) {
      error =
          engine::Error::InvalidData("row {}, column '{}': the cell {}", row, name, bad->what()).WithHint("{}", bad->hint());
      return;
    }
  }
  table.num_rows = cells.size();
  table.columns.push_back({std::move(name), std::move(dictionary), codes.Finish()});
}

TableBuilder::TableBuilder() : parts_(std::make_unique<Parts>()) {}
TableBuilder::~TableBuilder() = default;
TableBuilder::TableBuilder(TableBuilder&&) noexcept = default;
TableBuilder& TableBuilder::operator=(TableBuilder&&) noexcept = default;

TableBuilder& TableBuilder::Column(std::string name, std::span<const std::string_view> cells) {
  parts_->Add(std::move(name), cells, [](std::string_view cell) { return std::optional(cell); });
  return *this;
}

TableBuilder& TableBuilder::Column(std::string name, std::initializer_list<std::string_view> cells) {
  return Column(std::move(name), std::span(cells.begin(), cells.size()));
}

TableBuilder& TableBuilder::Column(std::string name, std::span<const std::string> cells) {
  parts_->Add(std::move(name), cells, [](const std::string& cell) { return std::optional<std::string_view>(cell); });
  return *this;
}

TableBuilder& TableBuilder::Column(std::string name, std::span<const std::optional<std::string>> cells) {
  parts_->Add(std::move(name), cells, [](const std::optional<std::string>& cell) {
    return cell ? std::optional<std::string_view>(*cell) : std::nullopt;
  });
  return *this;
}

Result<Table> TableBuilder::Build() {
  Parts made;
  std::swap(made, *parts_);
  if (made.error) return *std::move(made.error);
  return Table(std::make_shared<const engine::Table>(std::move(made.table)));
}

}  // namespace cordon
