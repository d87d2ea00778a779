// SPDX-License-Identifier: Apache-2.0
//
// The rows of a stream's output against the models: all together, each group alone, and each against its window.
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "cordon/bind/read_release.h"
#include "cordon/models/verify/window_verifier.h"
#include "cordon/publish/stream/verify_stream_internal.h"

namespace cordon::engine::internal {

Result<Release> Auditor::ReleaseOf(const std::vector<std::size_t>& rows) const {
  Table table;
  table.num_rows = rows.size();
  for (const Column& column : out_.columns) {
    if (column.name == "sequence" && policy_.Find("sequence") == nullptr) continue;
    table.columns.push_back({column.name, column.dictionary, Codes::Generate(rows.size(), run_.threads, [&](std::size_t row) {
                               return column.codes[rows[row]];
                             })});
  }
  CORDON_TRY(Release release, ReadRelease(policy_, table, nullptr, run_));
  std::unordered_map<PersonId, Code> people;
  std::vector<Code> person_of(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    person_of[row] = people.try_emplace(rows_[rows[row]].person, static_cast<Code>(people.size())).first->second;
  }
  release.persons = Codes::Generate(rows.size(), run_.threads, [&](std::size_t row) { return person_of[row]; });
  return release;
}

// All rows of one group show one box.
void Auditor::CheckBoxes(const Release& release, const std::vector<std::size_t>& rows) {
  const std::vector<std::size_t> quasi = release.ColumnsOf(Role::kQuasi);
  std::unordered_map<std::int64_t, std::size_t> first;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::int64_t group = log_.departures[rows_[rows[row]].departure].group;
    const std::size_t other = first.try_emplace(group, row).first->second;
    const bool same = std::all_of(quasi.begin(), quasi.end(), [&](std::size_t column) {
      return release.columns[column].text.codes[row] == release.columns[column].text.codes[other];
    });
    if (!same) {
      Find(fmt::format("rows {} and {} are of one group and show different boxes", rows[other] + 1, rows[row] + 1));
      return;
    }
  }
}

// Groups that are compared with windows are promised under their names: boxes may be alike.
void Auditor::CheckNames() {
  if (audit_.window_models.empty() || rows_.empty()) return;
  const Column* names = policy_.Find("group") == nullptr ? out_.Find("group") : nullptr;
  if (names == nullptr) return Find("the output has no column 'group': groups of different windows cannot be told apart");
  std::unordered_map<std::int64_t, std::string_view> name_of;
  std::unordered_map<std::string_view, std::int64_t> group_of;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const AuditedDeparture& departure = log_.departures[rows_[row].departure];
    if (departure.kind == Departure::Kind::kSuppressed) continue;
    const std::string_view name = names->cell(row).bytes();
    if (name_of.try_emplace(departure.group, name).first->second != name ||
        group_of.try_emplace(name, departure.group).first->second != departure.group) {
      return Find(fmt::format("the group named in row {} is not the one of the log", row + 1));
    }
  }
}

Result<void> Auditor::Judge() {
  std::vector<std::size_t> shown;
  std::vector<std::size_t> founding;  // rows of new groups
  std::unordered_set<PersonId> people;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const Departure::Kind kind = log_.departures[rows_[row].departure].kind;
    if (kind == Departure::Kind::kSuppressed) continue;
    shown.push_back(row);
    people.insert(rows_[row].person);
    if (kind != Departure::Kind::kReuse) founding.push_back(row);
  }
  audit_.people = people.size();
  CORDON_TRY(const Release whole, ReleaseOf(shown));
  CheckBoxes(whole, shown);
  CORDON_TRY(audit_.whole, Verifier(models_).Judge(whole, run_));

  // The same models for each departure alone: rows of other departures are told apart by one more column.
  CORDON_TRY(Release alone, ReleaseOf(founding));
  std::erase_if(alone.columns, [](const ReleaseColumn& column) { return column.attribute.role == Role::kGroup; });
  auto names = std::make_shared<Dictionary>();
  std::vector<Code> name_of(founding.size());
  for (std::size_t row = 0; row < founding.size(); ++row) {
    name_of[row] = names->Intern(fmt::format_int(rows_[founding[row]].departure).c_str());
  }
  ReleaseColumn departure{{"group", Role::kGroup, nullptr, 1}, {"group", std::move(names), {}}};
  departure.text.codes = Codes::Generate(founding.size(), run_.threads, [&](std::size_t row) { return name_of[row]; });
  alone.columns.push_back(std::move(departure));
  CORDON_TRY(audit_.by_departure, Verifier(models_).Judge(alone, run_));
  return {};
}

// The sensitive codes of every tuple, position by position; kNull if nothing of it was published.
Result<std::vector<std::vector<std::int32_t>>> Auditor::ValuesByPosition(const std::vector<SensitiveCoder>& coders) const {
  // Tuples that the log names before they came are faults of their own.
  std::vector<std::vector<std::int32_t>> values(static_cast<std::size_t>(last_at_) + 1,
                                                std::vector<std::int32_t>(coders.size(), kNull));
  for (std::size_t i = 0; i < coders.size(); ++i) {
    const Column* column = out_.Find(coders[i].attribute.name);
    if (column == nullptr) return Error::InvalidData("the output has no column '{}'", coders[i].attribute.name);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (log_.departures[rows_[row].departure].kind == Departure::Kind::kSuppressed) continue;
      std::int32_t code = kNull;
      if (const char* what = coders[i].Place(column->cell(row).bytes(), code)) {
        return Error::InvalidData("row {}, column {}: {}", row + 1, column->name, what);
      }
      const Position position = rows_[row].position;
      if (position >= 1 && position <= last_at_) values[static_cast<std::size_t>(position)][i] = code;
    }
  }
  return values;
}

// Each group against the window that the log claims, with the values that the output shows; of tuples that were not published
// nothing is known.
Result<void> Auditor::JudgeWindows() {
  if (audit_.window_models.empty()) return {};
  std::vector<SensitiveCoder> coders;
  StreamSchema schema;
  std::int64_t window = 0;
  for (const ModelSpec& spec : audit_.window_models) {
    window = std::max(window, *WindowOf(spec));
    const std::string name = SensitiveColumns(spec).front();
    if (std::any_of(coders.begin(), coders.end(), [&](const SensitiveCoder& coder) { return coder.attribute.name == name; }))
      continue;
    CORDON_TRY(SensitiveCoder coder, BindSensitive(policy_, *policy_.Find(name)));
    schema.sensitive.push_back(coder.attribute);
    coders.push_back(std::move(coder));
  }
  CORDON_TRY(const auto values, ValuesByPosition(coders));
  const bool short_window = log_.end && policy_.algorithm.Option<std::string>("sabre-w", "short") != "strict";
  CORDON_TRY(WindowVerifier verifier,
             WindowVerifier::Make(schema, audit_.window_models, {window + delay_.value_or(0) + 1, short_window, true}));
  for (std::size_t number = 0; number < log_.departures.size(); ++number) {
    const AuditedDeparture& departure = log_.departures[number];
    while (verifier.newest() < departure.at) {
      if (const char* what = verifier.Arrive(values[static_cast<std::size_t>(verifier.newest()) + 1])) {
        Find(fmt::format("tuple {} {}", verifier.newest() + 1, what));
        return {};
      }
    }
    if (departure.kind == Departure::Kind::kSuppressed) continue;
    std::vector<std::vector<std::int64_t>> codes;
    for (const Position position : departure.positions) {
      const bool known = position >= 1 && static_cast<std::size_t>(position) < values.size();
      const std::vector<std::int32_t>& each = values[known ? static_cast<std::size_t>(position) : 0];
      codes.emplace_back(each.begin(), each.end());
    }
    // A log may be ahead of its output: of such a group not all values are known.
    const bool whole = std::none_of(codes.begin(), codes.end(), [](const auto& each) {
      return std::find(each.begin(), each.end(), std::int64_t{kNull}) != each.end();
    });
    WindowVerifier::Judgement judgement{WindowVerifier::Answer::kUnknown, ""};
    if (whole) {
      const std::vector<WindowVerifier::Codes> spans(codes.begin(), codes.end());
      judgement = verifier.Judge(departure.window, departure.positions, spans);
    }
    if (judgement.answer == WindowVerifier::Answer::kFails) Find(fmt::format("departure {}: {}", number + 1, judgement.what));
    ++(judgement.answer == WindowVerifier::Answer::kUnknown ? audit_.windows_unknown : audit_.windows_judged);
  }
  return {};
}

}  // namespace cordon::engine::internal
