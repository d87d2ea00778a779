// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/warn_several_rows.h"

#include <fmt/ranges.h>

#include "cordon/metrics/several_rows.h"

namespace cordon::engine {

namespace {

// The quasi columns, and these without a date: the days of visits differ between the rows of a person, the day of birth does
// not.
std::vector<std::vector<std::size_t>> SetsToTry(const Microdata& data) {
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  std::vector<std::vector<std::size_t>> sets = {quasi};
  for (const std::size_t date : quasi) {
    if (data.columns[date].attribute.domain->kind() != Domain::Kind::kDate) continue;
    std::vector<std::size_t>& set = sets.emplace_back(quasi);
    std::erase(set, date);
  }
  return sets;
}

}  // namespace

std::optional<Warning> WarnOfSeveralRows(const Microdata& data, const Run& run) {
  if (!data.persons.empty() || data.weights != nullptr) return std::nullopt;
  for (const std::vector<std::size_t>& set : SetsToTry(data)) {
    std::vector<CodedColumn> columns;
    std::vector<std::string> names;
    for (const std::size_t i : set) {
      const Attribute& attribute = data.columns[i].attribute;
      columns.push_back({&data.columns[i].codes, static_cast<std::size_t>(attribute.domain->size())});
      names.push_back(attribute.name);
    }
    const auto found = FindSeveralRows(columns, data.num_rows, run);
    if (!found) continue;
    std::string text = fmt::format(
        "{:.0f} % of the rows agree with another row in {}, which chance does not explain: people seem to have {:.1f} rows "
        "each. "
        "No person column is declared, so models count rows, and a group may be a single person; give the column that tells "
        "people apart role = \"person\", or join the rows of a person before the run",
        100 * found->share, fmt::join(names, ", "), static_cast<double>(data.num_rows) / static_cast<double>(found->groups));
    return Warning{"rows-of-one-person", std::move(names), std::move(text)};
  }
  return std::nullopt;
}

std::optional<Warning> WarnOfMissingPersons(const Microdata& data, const std::string& person) {
  if (data.rows_of_nobody == 0) return std::nullopt;
  std::string text = fmt::format(
      "{} row{} no value of {}. In each group such rows count as one person together, who may be one of the others there; "
      "leave "
      "these rows out before the run, or fill in the key",
      data.rows_of_nobody, data.rows_of_nobody == 1 ? " has" : "s have", person);
  return Warning{"persons-missing", {person}, std::move(text)};
}

}  // namespace cordon::engine
