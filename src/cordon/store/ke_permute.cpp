// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/ke_permute.h"

#include <chrono>
#include <filesystem>

#include "cordon/algorithms/ke/ke.h"
#include "cordon/bind/bind.h"
#include "cordon/data/decimal.h"
#include "cordon/io/open_source.h"
#include "cordon/plan/check_supported.h"
#include "cordon/plan/unused_settings.h"
#include "cordon/report/key_file.h"
#include "cordon/report/version.h"
#include "cordon/store/batch_fingerprint.h"
#include "cordon/store/ke_permute_internal.h"
#include "cordon/store/store_change.h"
#include "cordon/store/store_entry.h"

namespace cordon::engine {
namespace {

Result<Table> ReadInput(const TableInput& input, std::optional<FileFormat> format, const Policy& policy, const Run& run,
                        std::string& sha256) {
  CORDON_TRY(
      const std::unique_ptr<Source> source,
      OpenSource(input, {.text = policy.data.text, .format = format, .stop = run.stop, .skip_columns = SkipColumns(policy)}));
  CORDON_TRY(Table table, ReadTable(*source, run));
  sha256 = source->InputDigest();
  return table;
}

// Where the hierarchy files are, for appends from anywhere. The directory of a policy given by its bare name is empty.
Result<std::string> AbsoluteDirectory(const std::filesystem::path& directory) {
  std::error_code failed;
  const auto path = std::filesystem::canonical(directory.empty() ? std::filesystem::path(".") : directory, failed);
  if (failed) return Error::Io("looking for {}: {}", directory.empty() ? "." : directory.string(), failed.message());
  return path.string();
}

Json NewManifest(const KePublication& publication, const std::vector<StoreColumn>& columns, const Policy& policy,
                 const KeAnonymitySpec& model) {
  Json described = Json::array();
  for (const StoreColumn& column : columns) described.push_back(ToJson(column));
  return {{"format", 2},
          {"kind", "ke-store"},
          {"tool", std::string("cordon ") + kVersion},
          {"policy_sha256", policy.digest},
          {"algorithm", "ke"},
          {"sensitive", model.sensitive},
          {"rows", publication.verified.release().num_rows},
          {"groups", publication.groups},
          {"next_group", publication.groups + 1},
          {"columns", described},
          {"privacy", Json::array({internal::PrivacyEntry(publication.verdict)})},
          {"releases", Json::array({internal::ReleaseEntry(publication, "first")})}};
}

// The release is the table; the other files are of it.
std::string ReleaseOf(const PermuteRequest& request) {
  return request.output.empty() ? "" : StorePath(request.output) + "/" + PartFile("table", 1);
}

Result<void> MakeStore(const PermuteRequest& request, const KePublication& publication, const Policy& policy,
                       const KeAnonymitySpec& model, Json own, const Registration* registration, const Run& run) {
  CORDON_TRY(NewStore made, NewStore::Begin(StorePath(request.output)));
  CORDON_TRY(const std::vector<StoreColumn> columns, ColumnsOfRelease(publication.verified.release(), policy));
  CORDON_RETURN_IF_ERROR(WritePart(publication, columns, publication.scale, policy, made.stage(), 1, run));
  Json manifest = NewManifest(publication, columns, policy, model);
  CORDON_RETURN_IF_ERROR(SetFirstPart(manifest, made.stage()));
  CORDON_TRY(const std::shared_ptr<const SigningKey> key, KeyFor(StorePath(request.output), manifest, request.sign));
  CORDON_TRY(StoreManifest sealed, SignAndSeal(std::move(manifest), key.get()));
  CORDON_TRY(own["policy_directory"], AbsoluteDirectory(policy.directory));
  RememberRegistry(registration, own);
  const StoreState state{std::move(sealed), "", std::move(own)};
  const auto commit = [&] { return made.Commit(state, policy.text); };
  if (run.Stopped()) return Error::Cancelled();
  return CommitAndEnter({"permute", StorePath(request.output), state.manifest, &publication}, registration, commit);
}

std::string Percent(const std::string& share) {
  const auto number = Rational::Parse(share);
  return number.ok() ? fmt::format("{:.1f} %", 100 * number.value().ToDouble()) : share;
}

}  // namespace

namespace internal {

KeReport ReportOf(const KePublication& publication, std::uint64_t excluded, std::string mode) {
  KeReport report;
  report.rows = publication.verified.release().num_rows;
  report.groups = publication.groups;
  report.excluded = excluded;
  report.sum_error = FormatDecimal(publication.figures.sum_error, publication.scale);
  report.max_error = FormatDecimal(publication.figures.max_error, publication.scale);
  report.greatest_share = publication.figures.greatest_share.ToString();
  report.least_quartile_range = FormatDecimal(publication.tables.groups.least_quartile_range, publication.scale);
  report.privacy = {publication.verdict};
  report.warnings = publication.verdict.warnings;
  report.mode = std::move(mode);
  return report;
}

Json ReleaseEntry(const KePublication& publication, const std::string& mode) {
  const KeReport report = ReportOf(publication, 0, mode);
  return {{"mode", mode},
          {"rows", report.rows},
          {"groups", report.groups},
          {"sum_error", report.sum_error},
          {"max_error", report.max_error},
          {"greatest_share", report.greatest_share},
          {"least_quartile_range", report.least_quartile_range},
          {"reached", publication.verdict.reached_text}};
}

Json PrivacyEntry(const Verdict& verdict) {
  Json json = ToJson(verdict.spec);
  json["text"] = verdict.text;
  json["holds"] = verdict.holds;
  return json;
}

std::string PendingText(const Table& table, const std::vector<std::uint64_t>& rows) {
  std::string text;
  for (const std::uint64_t row : rows) {
    Json object = Json::object();
    for (const Column& column : table.columns) {
      const Code code = column.codes[row];
      object[column.name] = code == kNull ? Json() : Json(std::string((*column.dictionary)[code].bytes()));
    }
    text += object.dump() + "\n";
  }
  return text;
}

}  // namespace internal

Result<KeReport> Permute(const PermuteRequest& request, const Policy& policy, const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  CORDON_TRY(const KeAnonymitySpec model, KeModelOf(policy));
  AnonymizeRequest asked;  // what anonymize would refuse of a table that is shuffled
  asked.algorithm = "ke";
  CORDON_RETURN_IF_ERROR(ChooseSupported(asked, policy));
  CORDON_RETURN_IF_ERROR(DuckDbVersion());  // before any work
  if (request.sign) CORDON_RETURN_IF_ERROR(ReadSigningKey(*request.sign));
  std::optional<Registration> registration;
  if (request.registry) {
    CORDON_TRY(registration, Registration::Begin(*request.registry, policy, ReleaseOf(request)));
  } else if (request.person_key) {
    return Error::InvalidPolicy("--person-key needs --registry");
  }
  if (!request.output.empty()) CORDON_RETURN_IF_ERROR(NewStore::CheckName(StorePath(request.output)));
  std::string sha256;
  CORDON_TRY(const Table table, ReadInput(request.input, request.input_format, policy, run, sha256));
  if (registration) CORDON_RETURN_IF_ERROR(registration->CheckInput(table, sha256, request.person_key, false));
  Json own = Json::object();
  if (table.num_rows > 0) RememberBatch(DescribeBatch(table, std::move(sha256), policy, model.sensitive, own, run), own);
  CORDON_TRY(KeRows rows,
             BindKeRows(policy, model, table, run).WithContext("binding {} to {}", request.input.name, policy.name));
  const std::uint64_t excluded = rows.excluded;
  Random random = request.seed ? Random::FromSeed(*request.seed) : Random::FromOperatingSystem();
  if (rows.values.empty() && table.num_rows > 0) {
    return Error::InvalidData("{} has no row with a value of '{}'", request.input.name, model.sensitive);
  }
  KeGroups groups{.starts = {0}};  // of no rows: none, an empty store that can grow
  if (!rows.values.empty()) {
    CORDON_TRY(groups, Ke(rows.values, rows.scale, model, random));
  }
  if (run.Stopped()) return Error::Cancelled();
  CORDON_TRY(const KePublication publication, PublishRows(std::move(rows), groups, 1, model, random, run));
  if (!request.output.empty()) {
    CORDON_RETURN_IF_ERROR(
        MakeStore(request, publication, policy, model, std::move(own), registration ? &*registration : nullptr, run));
  }
  KeReport report = internal::ReportOf(publication, excluded, "first");
  std::vector<Warning> warnings = UnusedSettingsOfPermute(policy);
  if (registration) {
    for (Warning& warning : registration->SecondRelease()) warnings.push_back(std::move(warning));
  }
  for (const Warning& warning : warnings) report.warnings.push_back(fmt::format("{}: {}", warning.code, warning.fix));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

Json ToJson(const KeReport& report) {
  Json json = {{"format", 1},
               {"algorithm", "ke"},
               {"mode", report.mode},
               {"rows", report.rows},
               {"groups", report.groups},
               {"excluded", report.excluded},
               {"pending", report.pending}};
  if (report.groups > 0) {
    json["sum_error"] = report.sum_error;
    json["max_error"] = report.max_error;
    json["greatest_share"] = report.greatest_share;
    json["least_quartile_range"] = report.least_quartile_range;
  }
  json["privacy"] = Json::array();
  for (const Verdict& verdict : report.privacy) json["privacy"].push_back(ToJson(verdict));
  json["warnings"] = report.warnings;
  json["seconds"] = report.seconds;
  json["peak_rss_mb"] = PeakRssMb();
  return json;
}

std::string Summary(const KeReport& report) {
  std::string text;
  if (report.mode == "compact") return "compacted: all parts of the store are one\n";
  if (report.groups > 0) {
    text += fmt::format("published: {} rows, {} groups; ranges add up to {}, the widest is {}\n", report.rows, report.groups,
                        report.sum_error, report.max_error);
    text += fmt::format("one value has at most {} of a group; the middle half of a group spans at least {}\n",
                        Percent(report.greatest_share), report.least_quartile_range);
  } else {
    text += report.mode == "first" ? "published: a store without rows\n" : "published: nothing\n";
  }
  for (const Verdict& verdict : report.privacy) text += Explain(verdict) + "\n";
  if (report.pending > 0) text += fmt::format("rows that wait until they can form groups: {}\n", report.pending);
  if (report.excluded > 0) text += fmt::format("rows without a value, left out: {}\n", report.excluded);
  return text;
}

}  // namespace cordon::engine
