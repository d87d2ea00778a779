// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/generate.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "cordon/base/nearest.h"
#include "cordon/synthetic/census.h"
#include "cordon/synthetic/patients.h"
#include "cordon/synthetic/powerlaw.h"
#include "cordon/synthetic/sal.h"
#include "cordon/synthetic/transactions.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kMaxRows = std::numeric_limits<RowId>::max();
constexpr std::size_t kPortion = std::size_t{1} << 20;

Error UnknownName(const std::string& name) {
  const std::vector<std::string> known = GeneratorNames();
  Error error = Error::InvalidPolicy("there is no generator '{}'; known: {}", name, fmt::join(known, ", "));
  if (const auto nearest = Nearest(name, known)) return std::move(error).WithHint("did you mean '{}'?", *nearest);
  return error;
}

// Options that mean something to one generator only.
Result<void> CheckOwner(const GenerateOptions& options, std::string_view option, bool given, std::string_view owner) {
  const std::vector<std::string> known = GeneratorNames();
  if (!given || options.name == owner || std::find(known.begin(), known.end(), options.name) == known.end()) return {};
  return Error::InvalidPolicy("{} has no {}", options.name, option).WithHint("only {} takes it", owner);
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

std::vector<std::string> GeneratorNames() { return {"census", "patients", "powerlaw", "sal", "transactions"}; }

Result<Generated> Generate(const GenerateOptions& options, const Run& run) {
  if (options.rows && *options.rows == 0)
    return Error::InvalidPolicy("rows = 0 makes no table").WithHint("ask for at least one row");
  if (options.rows && *options.rows > kMaxRows) {
    return Error::InvalidPolicy("rows = {} is more than a table can hold", *options.rows).WithHint("the most is {}", kMaxRows);
  }
  CORDON_RETURN_IF_ERROR(CheckOwner(options, "rho", options.rho.has_value(), "census"));
  CORDON_RETURN_IF_ERROR(CheckOwner(options, "alpha", options.alpha.has_value(), "powerlaw"));
  CORDON_RETURN_IF_ERROR(CheckOwner(options, "items", options.items.has_value(), "transactions"));
  if (options.name == "census") {
    CensusOptions census{
        .rows = options.rows.value_or(CensusOptions{}.rows), .seed = options.seed, .rho = options.rho.value_or(0)};
    return GenerateCensus(census, run);
  }
  if (options.name == "patients") {
    return GeneratePatients({.rows = options.rows.value_or(PatientsOptions{}.rows), .seed = options.seed}, run);
  }
  if (options.name == "powerlaw") {
    return GeneratePowerlaw({.rows = options.rows.value_or(PowerlawOptions{}.rows),
                             .seed = options.seed,
                             .alpha = options.alpha.value_or(PowerlawOptions{}.alpha)});
  }
  if (options.name == "sal") {
    return GenerateSal({.rows = options.rows.value_or(SalOptions{}.rows), .seed = options.seed});
  }
  if (options.name == "transactions") {
    return GenerateTransactions({.rows = options.rows.value_or(TransactionsOptions{}.rows),
                                 .seed = options.seed,
                                 .items = options.items.value_or(TransactionsOptions{}.items)});
  }
  return UnknownName(options.name);
}

Result<void> WriteCsv(const Generated& generated, const std::function<Result<void>(std::string_view)>& write, const Run& run) {
  const Table& table = generated.table;
  std::string text = generated.header;
  std::vector<std::vector<std::string>> cells;
  const Generated::RowWriter next = generated.rows ? generated.rows() : nullptr;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const char after = i + 1 < table.columns.size() ? ',' : '\n';
    text += CsvCell(table.columns[i].name) + after;
    cells.push_back(CsvCells(table.columns[i], after));
  }
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    if (next) next(text);
    for (std::size_t i = 0; i < cells.size(); ++i) text += cells[i][table.columns[i].codes[row]];
    if (text.size() < kPortion) continue;
    if (run.Stopped()) return Error::Cancelled();
    CORDON_RETURN_IF_ERROR(write(text));
    text.clear();
    run.Report("write", row + 1, table.num_rows);
  }
  return write(text);
}

}  // namespace cordon::engine
