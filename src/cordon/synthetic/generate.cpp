// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/generate.h"

#include <fmt/ranges.h>

#include <limits>

#include "cordon/base/nearest.h"
#include "cordon/synthetic/census.h"
#include "cordon/synthetic/patients.h"

namespace cordon {
namespace {

constexpr std::uint64_t kMaxRows = std::numeric_limits<RowId>::max();
constexpr std::size_t kPortion = std::size_t{1} << 20;

Error UnknownName(const std::string& name) {
  const std::vector<std::string> known = GeneratorNames();
  Error error = Error::InvalidPolicy("there is no generator '{}'; known: {}", name, fmt::join(known, ", "));
  if (const auto nearest = Nearest(name, known)) return std::move(error).WithHint("did you mean '{}'?", *nearest);
  return error;
}

std::string CsvCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// A column's cells as they will stand in the file, each with what follows it.
std::vector<std::string> CsvCells(const Column& column, char after) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < column.dictionary->size(); ++i) {
    cells.push_back(CsvCell((*column.dictionary)[static_cast<Code>(i)].bytes()) + after);
  }
  return cells;
}

}  // namespace

std::vector<std::string> GeneratorNames() { return {"census", "patients"}; }

Result<Generated> Generate(const GenerateOptions& options, const Run& run) {
  if (options.rows && *options.rows == 0)
    return Error::InvalidPolicy("rows = 0 makes no table").WithHint("ask for at least one row");
  if (options.rows && *options.rows > kMaxRows) {
    return Error::InvalidPolicy("rows = {} is more than a table can hold", *options.rows).WithHint("the most is {}", kMaxRows);
  }
  if (options.name == "census") {
    CensusOptions census{
        .rows = options.rows.value_or(CensusOptions{}.rows), .seed = options.seed, .rho = options.rho.value_or(0)};
    return GenerateCensus(census, run);
  }
  if (options.name == "patients") {
    if (options.rho) return Error::InvalidPolicy("patients has no rho").WithHint("only census takes it");
    return GeneratePatients({.rows = options.rows.value_or(PatientsOptions{}.rows), .seed = options.seed}, run);
  }
  return UnknownName(options.name);
}

Result<void> WriteCsv(const Generated& generated, const std::function<Result<void>(std::string_view)>& write, const Run& run) {
  const Table& table = generated.table;
  std::string text;
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const char after = i + 1 < table.columns.size() ? ',' : '\n';
    text += CsvCell(table.columns[i].name) + after;
    cells.push_back(CsvCells(table.columns[i], after));
  }
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) text += cells[i][table.columns[i].codes[row]];
    if (text.size() < kPortion) continue;
    if (run.Stopped()) return Error::Cancelled();
    CORDON_RETURN_IF_ERROR(write(text));
    text.clear();
    run.Report("write", row + 1, table.num_rows);
  }
  return write(text);
}

}  // namespace cordon
