// SPDX-License-Identifier: Apache-2.0
#include "cordon/permute/permuted_release.h"

#include <algorithm>

#include "cordon/bind/bind.h"
#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

// The domain of the numbers that are published, for the judge.
std::shared_ptr<const Domain> DomainOf(const KeRows& rows) {
  Domain::NumericSpec spec;
  spec.scale = rows.scale;
  spec.values = rows.values;
  std::sort(spec.values.begin(), spec.values.end());
  spec.values.erase(std::unique(spec.values.begin(), spec.values.end()), spec.values.end());
  if (!spec.values.empty()) {
    spec.range_lo = spec.values.front();
    spec.range_hi = spec.values.back();
  }
  return std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
}

// A header alone: the columns that would be published, without a cell.
Result<KeRows> BindNoRows(const Policy& policy, const KeAnonymitySpec& model, const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  CORDON_TRY(const std::vector<const AttributePolicy*> attributes, MatchColumns(policy, names));
  KeRows made;
  for (const AttributePolicy* attribute : attributes) {
    if (attribute == nullptr || !IsPublished(*attribute)) continue;
    if (attribute->name == model.sensitive) made.sensitive = made.columns.size();
    const Role role = attribute->role == Role::kIdentifier ? Role::kInsensitive : attribute->role;
    made.columns.push_back({{attribute->name, role, nullptr, attribute->weight},
                            {attribute->name, std::make_shared<Dictionary>(), CodesBuilder().Finish()}});
  }
  return made;
}

}  // namespace

std::vector<std::int64_t> NumbersOf(const Column& column, int scale) {
  std::vector<std::int64_t> by_code(column.dictionary->size());
  for (std::size_t code = 0; code < by_code.size(); ++code) {
    const auto number = ParseDecimal((*column.dictionary)[static_cast<Code>(code)].bytes());
    const auto scaled = number ? Rescale(*number, scale) : std::nullopt;
    CORDON_CHECK(scaled.has_value());
    by_code[code] = *scaled;
  }
  std::vector<std::int64_t> numbers(column.codes.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) numbers[row] = by_code[column.codes[row]];
  return numbers;
}

Result<KeAnonymitySpec> KeModelOf(const Policy& policy) {
  const KeAnonymitySpec* found = nullptr;
  for (std::size_t i = 0; i < policy.models.size(); ++i) {
    const auto* ke = std::get_if<KeAnonymitySpec>(&policy.models[i]);
    if (ke == nullptr || found != nullptr) {
      return Error::InvalidPolicy("{}:{}: a permuted release supports exactly one model: ke-anonymity", policy.name,
                                  policy.model_lines[i])
          .WithHint("{}", ke == nullptr ? "its quasi columns stay exact; cordon anonymize serves other models" : "leave one");
    }
    found = ke;
  }
  if (found == nullptr) {
    return Error::InvalidPolicy("{}: there is no ke-anonymity model", policy.name)
        .WithHint("add [[privacy]] model = \"ke-anonymity\", sensitive, k and e");
  }
  if (policy.algorithm.name != "auto" && policy.algorithm.name != "ke") {
    return Error::InvalidPolicy("{}:{}: permute knows the algorithm \"ke\", not \"{}\"", policy.name, policy.algorithm.line,
                                policy.algorithm.name);
  }
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.name == kGroupColumn) {
      return Error::InvalidPolicy("{}:{}: the release adds its own column '{}'", policy.name, attribute.line, kGroupColumn)
          .WithHint("rename the column in the data");
    }
    if (attribute.role != Role::kSensitive) continue;
    if (attribute.name != found->sensitive) {
      return Error::InvalidPolicy("{}:{}: '{}' is sensitive too; one column can be permuted", policy.name, attribute.line,
                                  attribute.name)
          .WithHint("leave it out: role = \"identifier\"; or make it quasi");
    }
    if (attribute.grid) {
      return Error::InvalidPolicy("{}:{}: '{}' is to be permuted, so it cannot be put on a grid", policy.name, attribute.line,
                                  attribute.name)
          .WithHint("use round = ...");
    }
  }
  return *found;
}

Result<KeRows> BindKeRows(const Policy& policy, const KeAnonymitySpec& model, const Table& table, const Run& run) {
  if (table.num_rows == 0) return BindNoRows(policy, model, table);
  CORDON_TRY(const Microdata data, Bind(policy, table, run));
  KeRows made;
  made.sensitive = *data.Find(model.sensitive);
  const MicrodataColumn& sensitive = data.columns[made.sensitive];
  const Domain& domain = *sensitive.attribute.domain;
  made.scale = domain.scale();
  std::vector<RowId> rows;
  for (RowId row = 0; row < data.num_rows; ++row) {
    const Code code = sensitive.codes[row];
    if (code == domain.missing()) continue;
    rows.push_back(row);
    made.values.push_back(domain.value(code));
    made.table_rows.push_back(data.input_row(row));
  }
  made.excluded = table.num_rows - rows.size();
  made.columns = ExactCells(data, rows, MissingAs::kNullCell, run);
  if (!data.persons.empty()) {
    made.persons = Codes::Generate(rows.size(), run.threads, [&](std::size_t i) { return data.persons[rows[i]]; });
  }
  return made;
}

Result<KePublication> PublishRows(KeRows rows, const KeGroups& groups, std::uint64_t first_group, const KeAnonymitySpec& model,
                                  const Random& random, const Run& run) {
  const int scale = rows.scale;
  const std::size_t sensitive = rows.sensitive;
  rows.columns[sensitive].attribute.domain = DomainOf(rows);
  const std::vector<std::int64_t> values = rows.values;
  Permuted permuted = PermuteWithinGroups(
      {std::move(rows.columns), sensitive, std::move(rows.values), scale, groups.rows, groups.starts, first_group}, random,
      run);
  if (!rows.persons.empty()) {
    permuted.release.persons =
        Codes::Generate(permuted.order.size(), run.threads, [&](std::size_t row) { return rows.persons[permuted.order[row]]; });
  }
  if (run.Stopped()) return Error::Cancelled();
  std::vector<Verdict> verdicts;
  CORDON_TRY(VerifiedRelease verified, Verifier({model}).Accept(std::move(permuted.release), run, &verdicts));
  KePublication made(std::move(verified));
  made.verdict = std::move(verdicts[0]);
  made.scale = scale;
  made.groups = groups.size();
  const Release& release = made.verified.release();
  const std::vector<std::int64_t> shown = NumbersOf(release.columns[sensitive].text, scale);
  made.group_of_row = NumbersOf(release.columns.back().text, 0);
  made.true_values.resize(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) made.true_values[row] = values[permuted.order[row]];
  CORDON_RETURN_IF_ERROR(RequireShuffle({made.group_of_row, shown, made.true_values}));
  CORDON_TRY(made.tables, MakeHelpTables(made.group_of_row, shown));
  made.figures = FiguresOf(made.tables);
  return made;
}

}  // namespace cordon::engine
