// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/previous_releases.h"

#include <algorithm>

#include "cordon/bind/table_as_release.h"
#include "cordon/io/open_source.h"
#include "cordon/models/verify/forced_links.h"
#include "cordon/publish/release_files.h"

namespace cordon::engine {
namespace {

// With exact cells in the current table: everybody's row must match a row of the previous release, and the other way round.
Result<void> CheckSamePeople(const LinkedTables& linked, std::size_t previous, const PreviousRequest& request, const Run& run) {
  CORDON_TRY(const ForcedLinks links, FindForcedLinks(linked, 0, previous, run));
  const std::string& current_name = linked.tables[0].name;
  const std::string& previous_name = linked.tables[previous].name;
  if (links.unmatched_a == links.rows_a) {
    return Error::InvalidData("no row of {} matches a row of {}: the join is empty, and says nothing about anybody",
                              current_name, previous_name)
        .WithHint("check that the columns with the same names mean the same, and that the files are about the same people");
  }
  if (!request.allow_dangling && (links.unmatched_a > 0 || links.unmatched_b > 0)) {
    return Error::InvalidData("{} of {} rows of {} match no row of {}, and {} of {} the other way round", links.unmatched_a,
                              links.rows_a, current_name, previous_name, links.unmatched_b, links.rows_b)
        .WithHint(
            "the releases must list the same people; rows that were added, removed or changed in between can be told by "
            "their absence. --allow-dangling releases nevertheless");
  }
  const bool dangling = links.unmatched_a > 0 || links.unmatched_b > 0;  // allowed, and then no pairing has all rows
  if (!request.allow_unequal && !dangling && links.answer == ForcedLinks::Answer::kNotApplicable) {
    return Error::InvalidData("the rows of {} ({}) and {} ({}) cannot be paired one to one: they do not list the same people",
                              current_name, links.rows_a, previous_name, links.rows_b)
        .WithHint(
            "rows that were added, removed or changed in between are not covered by these models. --allow-unequal releases "
            "nevertheless, without the audit of forced links");
  }
  return {};
}

// Whether a cell of the column shows the value, or the policy declares it.
bool IsValue(const Policy& policy, const LinkedReleases& releases, std::size_t table, const std::string& column,
             const std::string& value) {
  const LinkedTable& rows = releases.linked.tables[table];
  const std::vector<std::string>& missing = policy.data.missing;
  if (std::find(missing.begin(), missing.end(), value) != missing.end()) return true;
  const LinkedColumn& cells = rows.columns[*rows.Find(column)];
  if (cells.texts->Find(value)) return true;
  const AttributePolicy* attribute = policy.Find(column);
  if (attribute == nullptr || attribute->type != Domain::Kind::kCategorical) return false;
  const auto& listed = attribute->values;
  if (listed && std::find(listed->begin(), listed->end(), value) != listed->end()) return true;
  return attribute->hierarchy.hierarchy != nullptr && attribute->hierarchy.hierarchy->FindLeaf(value).has_value();
}

Error NotAValue(const std::string& value, const std::string& column, const std::string& file) {
  return Error::InvalidPolicy("'{}' is not a value of column '{}' of {}", value, column, file)
      .WithHint("check the spelling; a value that is not in the data can be declared by a hierarchy or values = [...]");
}

// Of the releases that have the column, one must know the value.
Result<void> CheckImpossibleValue(const Policy& policy, const LinkedReleases& releases, const std::string& column,
                                  const std::string& value, bool exact) {
  const LinkedTable* first = nullptr;
  for (std::size_t table = 0; table < releases.linked.tables.size(); ++table) {
    const LinkedTable& rows = releases.linked.tables[table];
    if (!rows.Find(column)) continue;
    if ((table == 0 && !exact) || IsValue(policy, releases, table, column, value)) return {};
    if (first == nullptr) first = &rows;
  }
  if (first == nullptr) return {};
  return NotAValue(value, column, first->name).WithContext("[[impossible]]");
}

}  // namespace

Result<void> CheckNamedValues(const Policy& policy, const LinkedReleases& releases, bool exact) {
  std::vector<std::vector<std::string>> names;
  for (const LinkedTable& table : releases.linked.tables) {
    names.emplace_back();
    for (const LinkedColumn& column : table.columns) names.back().push_back(column.name);
  }
  for (const JoinSpec& spec : policy.join_models) {
    CORDON_TRY(const ResolvedJoin join, Resolve(spec, names, policy.impossible).WithContext("{}", ModelName(spec)));
    for (const auto& [place, values] : join.y) {
      if (place.table == 0 && !exact) continue;
      for (const std::string& value : values) {
        if (IsValue(policy, releases, place.table, place.column, value)) continue;
        return NotAValue(value, place.column, releases.linked.tables[place.table].name).WithContext("{}", ModelName(spec));
      }
    }
  }
  for (const ImpossiblePairs& each : policy.impossible) {
    for (const auto& [current, previous] : each.pairs) {
      CORDON_RETURN_IF_ERROR(CheckImpossibleValue(policy, releases, each.current, current, exact));
      CORDON_RETURN_IF_ERROR(CheckImpossibleValue(policy, releases, each.previous, previous, exact));
    }
  }
  return {};
}

Result<std::vector<PreviousTable>> ReadPreviousTables(const std::vector<TableInput>& inputs, const Run& run) {
  std::vector<PreviousTable> tables;
  for (const TableInput& input : inputs) {
    CORDON_TRY(const TextFormat text, GuessTextFormat(input, "", std::nullopt, run.stop));
    CORDON_TRY(const std::unique_ptr<Source> source,
               OpenSource(input, {.text = text, .format = std::nullopt, .stop = run.stop, .skip_columns = {}, .exact = true}));
    CORDON_TRY(Table table, ReadTable(*source, run));
    const std::string digest = source->InputDigest();
    if (input.table == nullptr) CORDON_RETURN_IF_ERROR(CheckBytesBeside(input.name, digest));
    const UpperEnds ends = input.table == nullptr ? EndsBeside(input.name, digest) : UpperEnds{};
    tables.push_back({input.name, digest, std::move(table), ends});
  }
  return tables;
}

Result<PreviousReleases> TieToPrevious(const AnonymizeRequest& request, const Policy& policy, const Microdata& data,
                                       const Run& run) {
  PreviousReleases previous;
  CORDON_TRY(previous.tables, ReadPreviousTables(request.previous.tables, run));
  CORDON_TRY(previous.linked, LinkMicrodata(policy, data, request.input.name, previous.tables));
  CORDON_RETURN_IF_ERROR(CheckNamedValues(policy, previous.linked, true));
  previous.allow_unequal = request.previous.allow_unequal || request.previous.allow_dangling;
  previous.through_violation = request.previous.through_violation;
  for (std::size_t table = 1; table < previous.linked.linked.tables.size(); ++table) {
    CORDON_RETURN_IF_ERROR(CheckSamePeople(previous.linked.linked, table, request.previous, run));
  }
  return previous;
}

}  // namespace cordon::engine
