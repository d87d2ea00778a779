// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/anonymize.h"

#include <charconv>

#include "cordon/anonymize.h"
#include "cordon/api/convert_internal.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/publish/release_next.h"
#include "cordon/publish/write_outputs.h"
#include "cordon/release_next.h"
#include "cordon/report/html.h"

namespace cordon {

struct Release::Parts {
  Policy policy;
  engine::AnonymizeRequest request;
  engine::Anonymized made;
  cordon::Table table;
  Report report;
};

namespace {

void SetRegistry(const std::string& registry, const std::string& person_key, engine::AnonymizeRequest& request) {
  if (!registry.empty()) request.registry = registry;
  if (!person_key.empty()) request.person_key = person_key;
}

engine::Result<engine::WholeTable> WholeOf(const std::vector<Table>& tables) {
  engine::WholeTable whole;
  for (const Table& table : tables) {
    if (table.num_columns() != 2) {
      return engine::Error::InvalidData("a column of the whole table is given by two columns: its values and their rows");
    }
    engine::WholeColumn column{table.column_name(0), {}, {}};
    for (std::size_t row = 0; row < table.num_rows(); ++row) {
      const auto value = table.cell(row, 0);
      const std::string_view digits = table.cell(row, 1).value_or("");
      std::int64_t rows = 0;
      const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), rows);
      if (failed != std::errc() || end != digits.data() + digits.size()) {
        return engine::Error::InvalidData("the whole table, column '{}': a number of rows is not one", column.name);
      }
      column.values.push_back(value ? std::optional<std::string>(*value) : std::nullopt);
      column.rows.push_back(rows);
    }
    whole.columns.push_back(std::move(column));
  }
  return whole;
}

engine::Result<engine::AnonymizeRequest> RequestOf(const Input& input, const AnonymizeOptions& options) {
  engine::AnonymizeRequest request;
  request.input = internal::InputOf(input);
  request.algorithm = options.algorithm;
  switch (options.effort) {
    case AnonymizeOptions::Effort::kLow: request.effort = engine::Effort::kLow; break;
    case AnonymizeOptions::Effort::kNormal: break;
    case AnonymizeOptions::Effort::kHigh: request.effort = engine::Effort::kHigh; break;
  }
  if (options.order) {
    switch (*options.order) {
      case AnonymizeOptions::Order::kShuffled: request.order = engine::RowOrder::kShuffled; break;
      case AnonymizeOptions::Order::kSorted: request.order = engine::RowOrder::kSorted; break;
      case AnonymizeOptions::Order::kInput: request.order = engine::RowOrder::kInput; break;
    }
  }
  request.seconds = options.seconds;
  request.group_column = options.group_column;
  if (options.risk) request.measure.risk = engine::RiskOptions();
  if (options.bound) request.bound = engine::LossBoundOptions();
  request.seed = options.seed;
  request.insecure_seed = options.insecure_seed;
  SetRegistry(options.registry, options.person_key, request);
  if (!options.whole.empty()) {
    CORDON_TRY(request.whole, WholeOf(options.whole));
  }
  return request;
}

Report ReportOf(const engine::Report& report) {
  Report made;
  made.algorithm = report.algorithm;
  made.rows = report.rows;
  made.people = report.people;
  made.suppressed = report.suppressed;
  made.dropped = report.dropped;
  made.information_loss = report.utility.loss.information_loss;
  made.bound = internal::BoundOf(report.bound, made.information_loss);
  made.privacy = internal::VerdictsOf(report.privacy);
  for (const engine::Warning& warning : report.warnings) made.warnings.push_back({warning.code, warning.fix});
  made.json = engine::Dump(engine::ToJson(report));
  made.text = engine::Summary(report);
  return made;
}

// The column with texts that rows show and no others: a dictionary of the engine may also have those of rows that were left
// out, and a Table hands its dictionaries on.
engine::Column Shown(const engine::Column& column, std::size_t num_rows) {
  std::vector<engine::Code> code_of(column.dictionary->size(), engine::kNull);
  auto dictionary = std::make_shared<engine::Dictionary>();
  engine::CodesBuilder codes;
  for (std::size_t row = 0; row < num_rows; ++row) {
    const engine::Code code = column.codes[row];
    if (code == engine::kNull) {
      codes.Add(engine::kNull);
      continue;
    }
    engine::Code& shown = code_of[static_cast<std::size_t>(code)];
    if (shown == engine::kNull) shown = dictionary->Intern((*column.dictionary)[code].bytes());
    codes.Add(shown);
  }
  return {column.name, std::move(dictionary), codes.Finish()};
}

Table TableOf(const engine::Release& release) {
  auto table = std::make_shared<engine::Table>();
  table->num_rows = release.num_rows;
  for (const engine::ReleaseColumn& column : release.columns) table->columns.push_back(Shown(column.text, release.num_rows));
  return Table(std::move(table));
}

Release ReleaseOf(const Policy& policy, engine::AnonymizeRequest request, engine::Anonymized made) {
  Report report = ReportOf(made.report);
  Table table = TableOf(made.verified.release());
  return Release(std::make_shared<const Release::Parts>(
      Release::Parts{policy, std::move(request), std::move(made), std::move(table), std::move(report)}));
}

}  // namespace

Release::Release(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

const Table& Release::table() const { return parts_->table; }
const Report& Release::report() const { return parts_->report; }
std::span<const std::uint64_t> Release::input_rows() const { return parts_->made.verified.release().input_rows; }

Result<void> Release::Write(const std::string& path, const WriteOptions& options) const {
  const RunOptions run_options;
  internal::EngineRun run(run_options);
  engine::AnonymizeRequest request = parts_->request;
  request.output = path;
  CORDON_TRY(request.output_format, internal::FormatOf(options.format));
  request.bounds = options.bounds;
  request.force = options.force;
  if (!options.sign.empty()) request.sign = options.sign;
  const engine::Policy& policy = parts_->policy.inner();
  if (path.empty()) return engine::Error::InvalidPolicy("where should the release go?").WithHint("give the path of a file");
  if (request.whole) {
    return engine::Error::InvalidPolicy(
               "a shard is not a release: its manifest would claim what holds for the whole table only")
        .WithHint("write the rows of all shards as one table");
  }
  CORDON_RETURN_IF_ERROR(engine::CheckPath(path));
  if (const auto checked = engine::CheckFiles(request, policy); !checked.ok()) return internal::ForCaller(checked.error());
  const engine::Anonymized& made = parts_->made;
  std::optional<engine::Registration> registration;
  if (made.registration) {
    CORDON_TRY(registration, internal::ForCaller(made.registration->WithOutput(path)));
  }
  const auto written = engine::WriteOutputs(request, policy, made.data, made.verified, made.record, made.report, run.run(),
                                            registration ? &*registration : nullptr);
  if (!written.ok()) return internal::ForCaller(written.error());
  return {};
}

Result<std::string> Release::Html(const RunOptions& options) const {
  internal::EngineRun run(options);
  const engine::Anonymized& made = parts_->made;
  CORDON_TRY(engine::HtmlFacts facts,
             engine::GatherHtmlFacts(parts_->request.input.name, made.report, made.data, made.verified.release(), run.run()));
  facts.policy = &parts_->policy.inner();
  return engine::HtmlReport(facts);
}

Result<Release> Anonymize(const Input& input, const Policy& policy, const AnonymizeOptions& options) {
  internal::EngineRun run(options.run);
  CORDON_TRY(engine::AnonymizeRequest request, RequestOf(input, options));
  CORDON_TRY(engine::Anonymized made, internal::ForCaller(engine::MakeAnonymized(request, policy.inner(), run.run())));
  return ReleaseOf(policy, std::move(request), std::move(made));
}

Result<Release> ReleaseNext(const Input& input, const std::vector<Input>& previous, const Policy& policy,
                            const ReleaseNextOptions& options) {
  internal::EngineRun run(options.run);
  engine::AnonymizeRequest request;
  request.input = internal::InputOf(input);
  request.measure.risk = engine::RiskOptions();
  request.previous = {.tables = internal::PreviousOf(previous),
                      .allow_unequal = options.allow_unequal,
                      .allow_dangling = options.allow_dangling,
                      .through_violation = options.through_violation};
  SetRegistry(options.registry, options.person_key, request);
  CORDON_TRY(engine::Anonymized made, internal::ForCaller(engine::MakeReleaseNext(request, policy.inner(), run.run())));
  return ReleaseOf(policy, std::move(request), std::move(made));
}

}  // namespace cordon
