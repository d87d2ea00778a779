// SPDX-License-Identifier: Apache-2.0
//
// The values of the whole table are appended to the shard as rows, everything is bound together, and these rows are taken away
// again. So digits, rounding, hierarchies and missing cells are settled by the same code as for a table in one piece.
#include "cordon/bind/bind_shard.h"

#include <algorithm>

#include "cordon/bind/bind.h"

namespace cordon::engine {
namespace {

const WholeColumn* Find(const WholeTable& whole, const std::string& name) {
  const auto found =
      std::find_if(whole.columns.begin(), whole.columns.end(), [&](const WholeColumn& each) { return each.name == name; });
  return found == whole.columns.end() ? nullptr : &*found;
}

bool IsQuasiOrSensitive(const AttributePolicy* attribute) {
  return attribute != nullptr && (attribute->role == Role::kQuasi || attribute->role == Role::kSensitive);
}

Result<void> CheckWholeColumn(const WholeColumn* column, const std::string& name, const DataPolicy& data) {
  if (column == nullptr || column->values.empty()) {
    return Error::InvalidData("the whole table lacks the values of column '{}'", name)
        .WithHint("give the values of every quasi and sensitive column, and how many rows have each");
  }
  CORDON_CHECK_EQ(column->values.size(), column->rows.size());
  if (std::any_of(column->rows.begin(), column->rows.end(), [](std::int64_t rows) { return rows < 0; })) {
    return Error::InvalidData("the whole table, column '{}': a number of rows is below 0", name);
  }
  const auto is_missing = [&](const std::optional<std::string>& value) { return !value || data.IsMissing(*value); };
  if (data.on_missing == OnMissing::kDrop && std::any_of(column->values.begin(), column->values.end(), is_missing)) {
    return Error::InvalidData("the whole table has missing cells in column '{}', which on_missing = \"drop\" leaves out", name)
        .WithHint("count the rows without a missing quasi or sensitive cell only");
  }
  return {};
}

// The column with the values of the whole behind its rows, filled up to `more` rows; other columns repeat their first cell.
Column Appended(const Column& column, std::size_t num_rows, const WholeColumn* whole, std::size_t more, int threads) {
  std::vector<Code> behind(more, column.codes[0]);
  auto dictionary = std::make_shared<Dictionary>(*column.dictionary);
  if (whole != nullptr) {
    for (std::size_t i = 0; i < more; ++i) {
      const std::optional<std::string>& value = whole->values[std::min(i, whole->values.size() - 1)];
      behind[i] = value ? dictionary->Intern(*value) : kNull;
    }
  }
  return {column.name, std::move(dictionary), Codes::Generate(num_rows + more, threads, [&](std::size_t row) {
            return row < num_rows ? column.codes[row] : behind[row - num_rows];
          })};
}

Codes FirstOf(const Codes& codes, std::size_t num_rows, int threads) {
  if (codes.empty()) return codes;
  return Codes::Generate(num_rows, threads, [&](std::size_t row) { return codes[row]; });
}

// How many rows of the whole have each value of the domain; an error if the shard has more.
Result<std::vector<std::int64_t>> HistogramOf(const MicrodataColumn& column, const WholeColumn& whole, std::size_t num_rows) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(column.attribute.domain->size()));
  for (std::size_t i = 0; i < whole.values.size(); ++i) rows[column.codes[num_rows + i]] += whole.rows[i];
  std::vector<std::int64_t> left = rows;
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (--left[column.codes[row]] < 0) {
      return Error::InvalidData("column '{}' has a value more often than the table that the rows are a shard of", whole.name)
          .WithHint("the table changed between counting and sharding; keep its rows fixed and start again");
    }
  }
  return rows;
}

}  // namespace

Result<Microdata> BindShard(const Policy& policy, const Table& shard, const WholeTable& whole, const Run& run) {
  if (shard.num_rows == 0) return Error::InvalidData("the shard has no rows");
  std::size_t more = 0;
  for (const Column& column : shard.columns) {
    if (!IsQuasiOrSensitive(policy.Find(column.name))) continue;
    const WholeColumn* const values = Find(whole, column.name);
    CORDON_RETURN_IF_ERROR(CheckWholeColumn(values, column.name, policy.data));
    more = std::max(more, values->values.size());
  }
  Table both;
  both.num_rows = shard.num_rows + more;
  for (const Column& column : shard.columns) {
    const WholeColumn* const values = IsQuasiOrSensitive(policy.Find(column.name)) ? Find(whole, column.name) : nullptr;
    both.columns.push_back(Appended(column, shard.num_rows, values, more, run.threads));
  }
  CORDON_TRY(Microdata data, Bind(policy, both, run));
  data.num_rows -= more;
  if (data.num_rows == 0) return Error::InvalidData("every row of the shard has a missing quasi or sensitive cell");
  if (!data.input_rows.empty()) data.input_rows.resize(data.num_rows);
  if (data.persons.empty()) data.num_persons = data.num_rows;
  for (MicrodataColumn& column : data.columns) {
    const WholeColumn* const values = column.attribute.domain != nullptr ? Find(whole, column.attribute.name) : nullptr;
    if (values != nullptr) {
      CORDON_TRY(std::vector<std::int64_t> histogram, HistogramOf(column, *values, data.num_rows));
      if (column.attribute.role == Role::kSensitive) {
        column.attribute.whole = std::make_shared<const std::vector<std::int64_t>>(std::move(histogram));
      }
    }
    column.codes = FirstOf(column.codes, data.num_rows, run.threads);
    column.text.codes = FirstOf(column.text.codes, data.num_rows, run.threads);
  }
  data.persons = FirstOf(data.persons, data.num_rows, run.threads);
  return data;
}

}  // namespace cordon::engine
