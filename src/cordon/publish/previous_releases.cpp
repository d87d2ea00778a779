// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/previous_releases.h"

#include "cordon/bind/open_release.h"
#include "cordon/io/open_source.h"
#include "cordon/models/verify/forced_links.h"

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
  if (!request.allow_unequal && links.answer == ForcedLinks::Answer::kNotApplicable) {
    return Error::InvalidData("the rows of {} ({}) and {} ({}) cannot be paired one to one: they do not list the same people",
                              current_name, links.rows_a, previous_name, links.rows_b)
        .WithHint(
            "rows that were added, removed or changed in between are not covered by these models. --allow-unequal releases "
            "nevertheless, without the audit of forced links");
  }
  return {};
}

}  // namespace

Result<std::vector<PreviousTable>> ReadPreviousTables(const std::vector<TableInput>& inputs, const Run& run) {
  std::vector<PreviousTable> tables;
  for (const TableInput& input : inputs) {
    CORDON_TRY(const TextFormat text, GuessTextFormat(input, "", std::nullopt));
    CORDON_TRY(const std::unique_ptr<Source> source,
               OpenSource(input, {.text = text, .format = std::nullopt, .stop = run.stop, .skip_columns = {}}));
    CORDON_TRY(Table table, ReadTable(*source, run));
    tables.push_back({input.name, source->InputDigest(), std::move(table)});
  }
  return tables;
}

Result<PreviousReleases> TieToPrevious(const AnonymizeRequest& request, const Policy& policy, const Microdata& data,
                                       const Run& run) {
  PreviousReleases previous;
  CORDON_TRY(previous.tables, ReadPreviousTables(request.previous.tables, run));
  CORDON_TRY(previous.linked, LinkMicrodata(policy, data, request.input.name, previous.tables));
  previous.allow_unequal = request.previous.allow_unequal || request.previous.allow_dangling;
  previous.through_violation = request.previous.through_violation;
  for (std::size_t table = 1; table < previous.linked.linked.tables.size(); ++table) {
    PreviousRequest asked = request.previous;
    asked.allow_unequal = previous.allow_unequal;
    CORDON_RETURN_IF_ERROR(CheckSamePeople(previous.linked.linked, table, asked, run));
  }
  return previous;
}

}  // namespace cordon::engine
