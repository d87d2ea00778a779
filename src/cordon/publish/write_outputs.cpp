// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/write_outputs.h"

#include <filesystem>
#include <functional>

#include "cordon/base/digest.h"
#include "cordon/data/recoding.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/foreign/foreign.h"
#include "cordon/io/sink.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/stopwatch.h"
#include "cordon/report/codebook.h"
#include "cordon/report/html.h"
#include "cordon/report/key_file.h"
#include "cordon/report/manifest_signature.h"

namespace cordon::engine {
namespace {

// A stream of bytes has no name next to which other files could stand.
bool HasSideFiles(const AnonymizeRequest& request) {
  return !request.output.empty() && request.output != "-" && !IsSpecialFile(request.output);
}

// A format that cannot be written is found before the work, not after it.
Result<void> CheckOutputFormat(const AnonymizeRequest& request) {
  if (request.output.empty()) return {};
  FileFormat format = FileFormat::kCsv;
  if (request.output_format) {
    format = *request.output_format;
  } else {
    CORDON_TRY(const PathFormat by_path, FormatOfPath(request.output).WithContext("writing {}", request.output));
    format = by_path.format;
  }
  if (format == FileFormat::kParquet) CORDON_RETURN_IF_ERROR(DuckDbVersion().WithContext("writing {}", request.output));
  if (IsForeign(format)) CORDON_RETURN_IF_ERROR(CanWrite(format).WithContext("writing {}", request.output));
  if (IsForeign(format) && !HasSideFiles(request)) {
    return Error::InvalidPolicy("a workbook cannot go to standard output").WithHint("give --output FILE.xlsx");
  }
  return {};
}

std::string RowMapText(const Release& release) {
  std::string text = "released_row,input_row\n";
  for (std::size_t row = 0; row < release.input_rows.size(); ++row) {
    fmt::format_to(std::back_inserter(text), "{},{}\n", row + 1, release.input_rows[row] + 1);
  }
  return text;
}

// The format of what is written; CSV if nothing is.
FileFormat OutputFormat(const AnonymizeRequest& request) {
  if (request.output_format) return *request.output_format;
  const auto by_path = FormatOfPath(request.output);
  return by_path.ok() ? by_path.value().format : FileFormat::kCsv;
}

// JSON Lines and Parquet get numbers, unless that is not asked for. Cells of a permuted release are exact: one column does.
bool HasBounds(const AnonymizeRequest& request, const Release& release) {
  const FileFormat format = OutputFormat(request);
  const bool typed = format == FileFormat::kJsonLines || format == FileFormat::kParquet;
  return request.bounds.value_or(typed && release.permuted.empty());
}

// How pages and the codebook call the release.
std::string OutputTitle(const AnonymizeRequest& request) {
  return request.output.empty() || request.output == "-" ? "a release" : InputTitle(request.output);
}

// Fewer rows than this satisfy no release.
std::int64_t SmallestBatch(const Policy& policy) {
  std::int64_t least = 1;
  for (const ModelSpec& spec : policy.models) {
    std::visit(
        [&](const auto& model) {
          if constexpr (requires { model.k; }) least = std::max<std::int64_t>(least, model.k);
          if constexpr (requires { model.l.numerator(); }) {
            least = std::max(least, (model.l.numerator() + model.l.denominator() - 1) / model.l.denominator());
          }
        },
        spec);
  }
  return least;
}

std::string ManifestPath(const AnonymizeRequest& request) { return request.output + ".manifest.json"; }
std::string CodebookPath(const AnonymizeRequest& request) { return request.output + ".codebook.json"; }
std::string RecordPath(const AnonymizeRequest& request) { return request.output + ".private.json"; }

// Every path the run reads or writes, with what it is for.
Result<std::vector<std::pair<std::string, std::string>>> Paths(const AnonymizeRequest& request, const Policy& policy) {
  std::vector<std::pair<std::string, std::string>> paths = FilesOfPolicy(policy);
  paths.emplace_back("--output", request.output);
  if (request.input.table == nullptr) {
    CORDON_TRY(const std::vector<std::string> inputs, FilesOfInput(request.input.name));
    for (const std::string& input : inputs) paths.insert(paths.begin(), {"the input", input});
  }
  for (const TableInput& previous : request.previous.tables) {
    if (previous.table == nullptr) paths.emplace_back("--previous", previous.name);
  }
  if (request.registry) paths.emplace_back("--registry", *request.registry);
  if (request.person_key) paths.emplace_back("--person-key", *request.person_key);
  if (request.recoding) paths.emplace_back("--recoding", *request.recoding);
  if (request.sign) paths.emplace_back("--sign", *request.sign);
  if (request.report) paths.emplace_back("--report", *request.report);
  if (request.html) paths.emplace_back("--html", *request.html);
  if (request.html_public) paths.emplace_back("--html-public", *request.html_public);
  if (request.row_map) paths.emplace_back("--row-map", *request.row_map);
  if (request.save_recoding) paths.emplace_back("--save-recoding", *request.save_recoding);
  if (HasSideFiles(request)) {
    paths.emplace_back("the manifest", ManifestPath(request));
    paths.emplace_back("the codebook", CodebookPath(request));
    paths.emplace_back("the run record", RecordPath(request));
  }
  return paths;
}

// Side files go to files: standard output belongs to the release or to the report in words.
Result<void> CheckSideFiles(const AnonymizeRequest& request) {
  for (const auto& [flag, path] : {std::pair{"--report", request.report}, std::pair{"--html", request.html},
                                   std::pair{"--html-public", request.html_public}, std::pair{"--row-map", request.row_map},
                                   std::pair{"--save-recoding", request.save_recoding}}) {
    if (path && (path->empty() || *path == "-")) {
      return Error::InvalidPolicy("{} needs the name of a file", flag).WithHint("--json prints the report");
    }
  }
  if (request.row_map) {
    const auto format = FormatOfPath(*request.row_map);
    const bool csv = format.ok() && format.value().format == FileFormat::kCsv && !format.value().tabs &&
                     format.value().compression == Compression::kNone;
    if (!csv) return Error::InvalidPolicy("a row map is CSV, not what '{}' says", *request.row_map).WithHint("name it .csv");
  }
  return {};
}

// A key that cannot be used is found before the work.
Result<void> CheckKey(const AnonymizeRequest& request) {
  if (!request.sign) return {};
  if (!request.output.empty() && !HasSideFiles(request)) {
    return Error::InvalidPolicy("--sign needs an output that is a file: the signature is in its manifest");
  }
  CORDON_RETURN_IF_ERROR(ReadSigningKey(*request.sign));
  return {};
}

Result<void> ReserveReports(const AnonymizeRequest& request, Outputs& outputs) {
  if (request.report) CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.report, AtomicFile::Access::kPrivate));
  if (request.html) CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.html, AtomicFile::Access::kPrivate));
  if (request.html_public) CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.html_public, AtomicFile::Access::kPublic));
  return {};
}

Result<void> WriteReports(const AnonymizeRequest& request, const Report& report, const Policy& policy, const Microdata& data,
                          const Release& release, Outputs& outputs, const Run& run) {
  if (request.report) CORDON_RETURN_IF_ERROR(outputs.Write(*request.report, Dump(ToJson(report))));
  if (!request.html && !request.html_public) return {};
  const Json codebook = MakeCodebook({policy, release, data, OutputTitle(request), HasBounds(request, release)});
  if (request.html_public) {
    CORDON_RETURN_IF_ERROR(outputs.Write(*request.html_public, PublicHtmlReport(OutputTitle(request), report, codebook)));
  }
  if (!request.html) return {};
  CORDON_TRY(HtmlFacts facts, GatherHtmlFacts(request.input.name, report, data, release, run));
  facts.codebook = codebook;
  facts.policy = &policy;
  facts.date = Today();
  return outputs.Write(*request.html, HtmlReport(facts));
}

Result<void> ReserveSideFiles(const AnonymizeRequest& request, Outputs& outputs) {
  CORDON_RETURN_IF_ERROR(ReserveReports(request, outputs));
  if (request.row_map) CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.row_map, AtomicFile::Access::kPrivate));
  if (request.save_recoding) CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.save_recoding, AtomicFile::Access::kPublic));
  if (!HasSideFiles(request)) return {};
  CORDON_RETURN_IF_ERROR(outputs.Reserve(RecordPath(request), AtomicFile::Access::kPrivate));
  CORDON_RETURN_IF_ERROR(outputs.Reserve(CodebookPath(request), AtomicFile::Access::kPublic));
  return outputs.Reserve(ManifestPath(request), AtomicFile::Access::kPublic);
}

// What is there already and cannot be made again. Reports can: they are replaced. A name that readers of a release know never
// gets the private page, also with --force.
Result<void> CheckNothingIsLost(const AnonymizeRequest& request) {
  if (request.html) CORDON_RETURN_IF_ERROR(CheckReplaces(*request.html, kPrivatePageMark));
  if (request.html_public) CORDON_RETURN_IF_ERROR(CheckReplaces(*request.html_public, kPublicPageMark));
  if (request.force) return {};
  if (request.report) CORDON_RETURN_IF_ERROR(CheckReplaces(*request.report, kJsonReportMark));
  if (request.output.empty()) return {};
  std::vector<std::string> paths = {request.output};
  if (HasSideFiles(request)) {
    paths.push_back(ManifestPath(request));
    paths.push_back(CodebookPath(request));
    paths.push_back(RecordPath(request));
  }
  if (request.row_map) paths.push_back(*request.row_map);
  if (request.save_recoding) paths.push_back(*request.save_recoding);
  return CheckNotThere(paths);
}

// Tries to make every file in its folder, and removes it again.
Result<void> TryOutputs(const AnonymizeRequest& request) {
  Outputs outputs;
  if (request.output.empty()) return ReserveReports(request, outputs);
  if (HasSideFiles(request)) CORDON_RETURN_IF_ERROR(outputs.Reserve(request.output, AtomicFile::Access::kPublic));
  return ReserveSideFiles(request, outputs);
}

RegisteredRelease EntryOf(const AnonymizeRequest& request, const Registration& registration, const RunRecord& record,
                          const std::string& recoding_sha256, const Report& report) {
  RegisteredRelease entry = registration.NewEntry(report.join ? "release-next" : "anonymize", report.algorithm);
  entry.rows = report.rows;
  entry.files = {registration.FileOf("release", request.output, record.output_sha256),
                 registration.FileOf("manifest", ManifestPath(request), record.manifest_sha256)};
  if (request.save_recoding) {
    entry.files.push_back(registration.FileOf("recoding", *request.save_recoding, recoding_sha256));
  }
  for (const Verdict& verdict : report.privacy) entry.models.push_back(ModelEntry(verdict));
  if (!report.join) return entry;
  for (const PreviousFile& file : report.join->previous) entry.previous.push_back({file.name, file.sha256});
  const Json join = ToJson(report.join->verification);
  for (const Json& verdict : join["privacy"]) entry.models.push_back(verdict);
  return entry;
}

}  // namespace

Result<void> CheckFiles(const AnonymizeRequest& request, const Policy& policy) {
  CORDON_RETURN_IF_ERROR(CheckSideFiles(request));
  CORDON_RETURN_IF_ERROR(CheckKey(request));
  CORDON_RETURN_IF_ERROR(CheckOutputFormat(request));
  CORDON_TRY(const auto paths, Paths(request, policy));
  CORDON_RETURN_IF_ERROR(CheckDistinct(paths));
  CORDON_RETURN_IF_ERROR(CheckNothingIsLost(request));
  return TryOutputs(request);
}

WrittenFiles FilesWritten(const AnonymizeRequest& request) {
  WrittenFiles files;
  if (!request.output.empty()) {
    if (request.output != "-") files.open.push_back(request.output);
    if (HasSideFiles(request)) {
      files.open.push_back(ManifestPath(request));
      files.open.push_back(CodebookPath(request));
      files.secret.push_back(RecordPath(request));
    }
    if (request.save_recoding) files.open.push_back(*request.save_recoding);
    if (request.row_map) files.secret.push_back(*request.row_map);
  }
  if (request.report) files.secret.push_back(*request.report);
  if (request.html_public) files.open.push_back(*request.html_public);
  if (request.html) files.secret.push_back(*request.html);
  return files;
}

Result<void> WriteReportsAlone(const AnonymizeRequest& request, const Report& report, const Policy& policy,
                               const Microdata& data, const Release& release, const Run& run) {
  Outputs outputs;
  CORDON_RETURN_IF_ERROR(ReserveReports(request, outputs));
  CORDON_RETURN_IF_ERROR(WriteReports(request, report, policy, data, release, outputs, run));
  return outputs.Show("");
}

namespace {

using Stage = std::function<Result<StagedRelease>(const SinkOptions&)>;

// `release`: what is written, as far as the files next to it tell of it. `stage` writes its rows.
Result<Report> WriteStaged(const AnonymizeRequest& request, const Policy& policy, const Microdata& data, const Release& release,
                           const Stage& stage, RunRecord record, Report report, const Run& run,
                           const Registration* registration) {
  Stopwatch watch;
  Outputs outputs;
  CORDON_RETURN_IF_ERROR(ReserveSideFiles(request, outputs));
  const bool bounds = HasBounds(request, release);
  const SinkOptions sink{.text = policy.data.text, .format = request.output_format, .bounds = bounds, .types = record.types};
  CORDON_TRY(StagedRelease staged, stage(sink));
  if (request.row_map) {
    const std::string map = RowMapText(release);
    record.row_map_sha256 = ToHex(Sha256Of(map));
    CORDON_RETURN_IF_ERROR(outputs.Write(*request.row_map, map));
  }
  std::string recoding_sha256;
  if (request.save_recoding) {
    const Recoding recoding = Recoding::FromRelease(release);
    const std::string boxes = recoding.ToJson() + "\n";
    recoding_sha256 = ToHex(Sha256Of(boxes));
    CORDON_RETURN_IF_ERROR(outputs.Write(*request.save_recoding, boxes));
    report.notes.push_back(fmt::format(
        "saved {} boxes: a later batch of about {} rows keeps most of them, a smaller one merges some; the smallest batch "
        "they can serve has {} rows",
        recoding.num_boxes(), release.num_rows, SmallestBatch(policy)));
  }
  if (HasSideFiles(request)) {
    const std::string name = std::filesystem::path(request.output).filename().string();
    const ManifestFacts facts{policy, release, report.privacy, report.algorithm, name, staged.written(), report.join};
    Json made = MakeManifest(facts);
    if (request.sign) {
      CORDON_TRY(const SigningKey key, ReadSigningKey(*request.sign));
      CORDON_RETURN_IF_ERROR(Sign(made, kManifestType, key));
    }
    const std::string manifest = Dump(made);
    record.output_sha256 = staged.written().sha256;
    record.manifest_sha256 = ToHex(Sha256Of(manifest));
    CORDON_RETURN_IF_ERROR(outputs.Write(RecordPath(request), Dump(MakeRunRecord(record))));
    CORDON_RETURN_IF_ERROR(outputs.Write(ManifestPath(request), manifest));
    CORDON_RETURN_IF_ERROR(outputs.Write(CodebookPath(request), Dump(MakeCodebook({policy, release, data, name, bounds}))));
  }
  report.seconds.emplace_back("write", watch.Lap());
  report.peak_rss_mb = PeakRssMb();
  CORDON_RETURN_IF_ERROR(WriteReports(request, report, policy, data, release, outputs, run));
  if (auto file = staged.Take()) CORDON_RETURN_IF_ERROR(outputs.Adopt(request.output, *std::move(file)));
  CORDON_RETURN_IF_ERROR(CheckNothingIsLost(request));  // again: another run may have ended since the first look
  if (run.Stopped()) return Error::Cancelled();
  const auto show = [&] { return outputs.Show(request.output); };
  if (registration == nullptr) {
    CORDON_RETURN_IF_ERROR(show());
  } else {
    CORDON_RETURN_IF_ERROR(registration->Publish(EntryOf(request, *registration, record, recoding_sha256, report), show));
  }
  return report;
}

}  // namespace

Result<Report> WriteOutputs(const AnonymizeRequest& request, const Policy& policy, const Microdata& data,
                            const VerifiedRelease& verified, RunRecord record, Report report, const Run& run,
                            const Registration* registration) {
  const auto stage = [&](const SinkOptions& sink) { return StageRelease(verified, request.output, sink, run); };
  return WriteStaged(request, policy, data, verified.release(), stage, std::move(record), std::move(report), run, registration);
}

Result<Report> WriteLargeRun(const AnonymizeRequest& request, const Policy& policy, ShuffledRelease& rows, RunRecord record,
                             Report report, const Run& run) {
  Release release = rows.Legend();
  Microdata data;
  for (const ReleaseColumn& column : release.columns) data.columns.push_back({column.attribute, {}, {}});
  release.num_rows = rows.num_rows();
  release.suppressed = report.suppressed;
  if (request.output.empty()) {
    CORDON_RETURN_IF_ERROR(WriteReportsAlone(request, report, policy, data, release, run));
    return report;
  }
  const auto stage = [&](const SinkOptions& sink) { return StageRelease(rows, request.output, sink, run); };
  return WriteStaged(request, policy, data, release, stage, std::move(record), std::move(report), run, nullptr);
}

}  // namespace cordon::engine
