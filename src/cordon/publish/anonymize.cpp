// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/anonymize.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <unordered_set>

#include "cordon/data/recoding.h"
#include "cordon/io/atomic_file.h"
#include "cordon/io/duckdb.h"
#include "cordon/io/sink.h"
#include "cordon/io/source.h"
#include "cordon/models/truth.h"
#include "cordon/publish/bind.h"
#include "cordon/publish/bind_column_internal.h"
#include "cordon/publish/feasible.h"
#include "cordon/publish/html.h"
#include "cordon/publish/manifest.h"
#include "cordon/publish/outputs.h"
#include "cordon/publish/registry.h"
#include "cordon/publish/run_ke.h"
#include "cordon/publish/run_top_down.h"

namespace cordon {
namespace {

class Stopwatch {
 public:
  // Seconds since the last call.
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

struct Input {
  Microdata data;
  std::string sha256;
};

Result<Input> Read(const AnonymizeRequest& request, const Policy& policy, const Run& run,
                   std::vector<std::pair<std::string, double>>& seconds) {
  Stopwatch watch;
  const SourceOptions options{
      .text = policy.data.text, .format = request.input_format, .stop = run.stop, .skip_columns = SkipColumns(policy)};
  CORDON_TRY(const std::unique_ptr<Source> source, OpenSource(request.input, options));
  CORDON_TRY(const Table table, ReadTable(*source, run));
  seconds.emplace_back("read", watch.Lap());
  CORDON_TRY(Microdata data, Bind(policy, table, run).WithContext("binding {} to {}", request.input, policy.name));
  seconds.emplace_back("bind", watch.Lap());
  if (data.num_rows == 0) {
    return Error::InvalidData("{} has no rows to publish", request.input)
        .WithHint("{}", data.dropped_rows > 0 ? "on_missing = \"drop\" left none; use \"leaf\" or mend the missing cells"
                                              : "a header alone is no table");
  }
  return Input{std::move(data), source->InputDigest()};
}

std::string AlgorithmName(const AnonymizeRequest& request, const Policy& policy) {
  return request.algorithm.empty() ? policy.algorithm.name : request.algorithm;
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
  return {};
}

// A shuffled release is what it is only in a random order, and has no boxes.
Result<void> CheckPermutes(const AnonymizeRequest& request, const Policy& policy) {
  CORDON_RETURN_IF_ERROR(ColumnToPermute(policy));
  if (request.order && *request.order != RowOrder::kShuffled) {
    return Error::InvalidPolicy("ke publishes rows in random order, whatever --order says").WithHint("leave --order out");
  }
  if (request.save_recoding) {
    return Error::InvalidPolicy("ke generalizes nothing, so there is no recoding to save")
        .WithHint("cordon permute makes a store to which later batches can be appended");
  }
  if (policy.algorithm.suppressed == Suppression::kStar) {
    return Error::InvalidPolicy("{}:{}: ke leaves rows without a value out: suppressed = \"drop\"", policy.name,
                                policy.algorithm.line);
  }
  return {};
}

// What this door does not do is refused, not passed over.
Result<void> CheckServed(const AnonymizeRequest& request, const Policy& policy) {
  CORDON_TRY(const Choice choice, ChooseAlgorithm(AlgorithmName(request, policy), policy));
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.mask == Mask::kSuppress && !request.recoding && !choice.algorithm->masks_values) {
      return Error::InvalidPolicy("{}:{}: {} does not serve mask = \"suppress\" (column '{}')", policy.name, attribute.line,
                                  choice.algorithm->name, attribute.name)
          .WithHint("use tdr or tdd, or leave mask out: values are then generalized along the hierarchy");
    }
  }
  if (choice.algorithm->permutes && !request.recoding) CORDON_RETURN_IF_ERROR(CheckPermutes(request, policy));
  if (request.group_column && policy.Find("group") != nullptr) {
    return Error::InvalidPolicy("--group-column would make a second column 'group'").WithHint("rename the column in the data");
  }
  if (policy.algorithm.suppressed == Suppression::kBlank || policy.algorithm.suppressed == Suppression::kPool) {
    return Error::InvalidPolicy("{}:{}: suppressed = \"blank\" and \"pool\" are for streams", policy.name,
                                policy.algorithm.line)
        .WithHint("use \"drop\" or \"star\"");
  }
  return {};
}

// The operating system's, that of a seed, or that of an earlier run.
Result<Random> RandomOf(const AnonymizeRequest& request) {
  if (request.seed) return Random::FromSeed(*request.seed);
  if (!request.repeat) return Random::FromOperatingSystem();
  CORDON_TRY(const std::string text, ReadFile(*request.repeat));
  const Json record = Json::parse(text, nullptr, false);
  if (!record.is_object() || !record.contains("random") || !record["random"].is_string()) {
    return Error::InvalidData("{} is no run record", *request.repeat).WithHint("give the OUT.private.json of an earlier run");
  }
  return Random::Restore(record["random"].get<std::string>()).WithContext("reading {}", *request.repeat);
}

// Releases of one global recoding are sorted by what they show, others shuffled.
RowOrder OrderOf(const AnonymizeRequest& request, const Policy& policy) {
  if (request.order) return *request.order;
  const auto choice = ChooseAlgorithm(AlgorithmName(request, policy), policy);
  return choice.ok() && choice.value().algorithm->masks_values ? RowOrder::kSorted : RowOrder::kShuffled;
}

struct Made {
  Release release;
  std::string algorithm;
  std::string why;
  AlgorithmNotes notes = {};
  bool masks_values = false;
};

// The sensitive columns that some model looks at: no other is counted.
std::vector<std::size_t> NamedColumns(const Microdata& data, const Policy& policy) {
  std::vector<std::size_t> named;
  for (const std::size_t column : data.ColumnsOf(Role::kSensitive)) {
    const auto names_it = [&](const ModelSpec& spec) {
      const std::vector<std::string> columns = SensitiveColumns(spec);
      return std::find(columns.begin(), columns.end(), data.columns[column].attribute.name) != columns.end();
    };
    if (std::any_of(policy.models.begin(), policy.models.end(), names_it)) named.push_back(column);
  }
  return named;
}

// Boxes of an earlier batch may hold too few of this one: groups that the models refuse are suppressed, until those that
// stay hold against each other. Whether so many rows may go is the policy's suppression limit's to say.
Result<AppliedRecoding> KeepAdmitted(AppliedRecoding applied, const View& view, const Policy& policy) {
  const std::vector<std::size_t> sensitive = NamedColumns(view.data(), policy);
  for (bool changed = true; changed && applied.groups.size() > 0;) {
    const Reference reference = ReferenceOf(view.data(), sensitive, applied.groups.rows);
    CORDON_TRY(const AllOf model, AllOf::Make(policy.models, reference));
    const CountedColumns counted(view.data(), sensitive, model.uses_persons());
    AppliedRecoding kept;
    kept.groups.suppressed = applied.groups.suppressed;
    kept.texts.dictionaries = applied.texts.dictionaries;
    kept.texts.codes.resize(applied.texts.codes.size());
    changed = false;
    for (std::size_t group = 0; group < applied.groups.size(); ++group) {
      const std::span<const RowId> rows = applied.groups[group];
      GroupCounts counts(counted);
      counts.Add(rows);
      if (!model.Admits(counts)) {
        kept.groups.suppressed.insert(kept.groups.suppressed.end(), rows.begin(), rows.end());
        changed = true;
        continue;
      }
      kept.groups.Add(rows);
      for (std::size_t q = 0; q < kept.texts.codes.size(); ++q) kept.texts.codes[q].push_back(applied.texts.codes[q][group]);
    }
    applied = std::move(kept);
  }
  return applied;
}

Result<Made> MakeByRecoding(const View& view, const std::string& path, const Policy& policy, const RecodeOptions& recode,
                            Random& random, const Run& run) {
  CORDON_TRY(const std::string text, ReadFile(path));
  CORDON_TRY(const Recoding recoding, Recoding::FromJson(text).WithContext("reading {}", path));
  CORDON_TRY(AppliedRecoding fitted, Apply(recoding, view, run).WithContext("applying {}", path));
  CORDON_TRY(const AppliedRecoding applied, KeepAdmitted(std::move(fitted), view, policy));
  return Made{Recode(view, applied.groups, applied.texts, recode, random, run), "recoding", ""};
}

Result<Made> MakeByAlgorithm(const View& view, std::string_view name, Effort effort, const Policy& policy,
                             const RecodeOptions& recode, Random& random, const Run& run) {
  CORDON_TRY(const Choice choice, ChooseAlgorithm(name, policy));
  const std::vector<std::size_t> sensitive = NamedColumns(view.data(), policy);
  const Reference reference = ReferenceOf(view.data(), sensitive, view.rows());
  CORDON_TRY(const AllOf model, AllOf::Make(policy.models, reference));
  const CountedColumns counted(view.data(), sensitive, model.uses_persons());
  Random own = random.Substream(choice.algorithm->name);
  AlgorithmNotes notes;
  auto groups = choice.algorithm->run({view, model, reference, counted, policy, &notes, effort}, own, run);
  if (!groups.ok() && groups.error().kind() == ErrorKind::kUnsatisfiable && !choice.algorithm->permutes) {
    CORDON_TRY(const std::string feasible, WhatWouldDo(view, policy, run));
    if (!feasible.empty()) return std::move(groups).error().WithHint("{}", feasible);
  }
  CORDON_TRY(const Groups found, std::move(groups));
  run.Report("recode", 0, 0);
  if (choice.algorithm->permutes) {
    CORDON_TRY(const std::string column, ColumnToPermute(policy));
    CORDON_TRY(Release release, PermuteRelease(view, found, column, random, run));
    return Made{std::move(release), choice.algorithm->name, choice.why, std::move(notes)};
  }
  return Made{Recode(view, found, recode, random, run), choice.algorithm->name, choice.why, std::move(notes),
              choice.algorithm->masks_values};
}

// More suppressed rows than the policy allows is an answer, not a release.
Result<void> CheckSuppression(const Release& release, const Policy& policy) {
  const Rational limit = policy.algorithm.suppression_limit;
  const Int128 suppressed = static_cast<Int128>(release.suppressed) * limit.denominator();
  if (suppressed <= static_cast<Int128>(release.input_size) * limit.numerator()) return {};
  return Error::Unsatisfiable("{} of {} rows would have to be suppressed, more than algorithm.suppression_limit = {}",
                              release.suppressed, release.input_size, limit.ToShortString())
      .WithHint("allow at least {:.4f}, or choose weaker models",
                static_cast<double>(release.suppressed) / static_cast<double>(release.input_size));
}

// A release of ours that is not true is a bug; it is stopped here like one that does not hold.
Result<void> RequireTruth(const Release& release, const Microdata& data, const Run& run) {
  std::vector<RowId> rows(release.num_rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::uint64_t input = release.input_rows[row];
    if (data.input_rows.empty()) {
      rows[row] = static_cast<RowId>(input);
    } else {  // ascending: rows are dropped, never moved
      rows[row] =
          static_cast<RowId>(std::lower_bound(data.input_rows.begin(), data.input_rows.end(), input) - data.input_rows.begin());
    }
  }
  CORDON_TRY(const Truth truth, CheckTruth(release, data, std::span<const RowId>(rows), run));
  if (truth.holds) return {};
  return Error::InvalidData("the release was not written: {}", truth.Explain());
}

// Where rows were left out, an axis that was read off the data is that of the rows that stay: a reader of the release
// sees no other, and the place of a value on it counts for the ordered distance.
Result<void> NarrowSensitiveDomains(const Policy& policy, Release& release) {
  for (ReleaseColumn& column : release.columns) {
    const AttributePolicy* attribute = policy.Find(column.attribute.name);
    if (attribute == nullptr || column.attribute.role != Role::kSensitive) continue;
    const auto view = internal::ViewOf(column.text, nullptr, internal::MissingTexts(column.text, policy.data));
    CORDON_TRY(internal::BoundColumn bound, internal::BindColumn(*attribute, policy.data, view, internal::DomainFrom::kData));
    column.attribute.domain = std::move(bound.domain);
  }
  return {};
}

std::uint64_t PeopleIn(const Release& release) {
  if (release.persons.empty()) return release.num_rows;
  std::unordered_set<Code> people;
  for (std::size_t row = 0; row < release.num_rows; ++row) people.insert(release.persons[row]);
  return people.size();
}

std::string RowMapText(const Release& release) {
  std::string text = "released_row,input_row\n";
  for (std::size_t row = 0; row < release.input_rows.size(); ++row) {
    fmt::format_to(std::back_inserter(text), "{},{}\n", row + 1, release.input_rows[row] + 1);
  }
  return text;
}

std::vector<Warning> WarningsOf(const std::vector<Verdict>& verdicts) {
  std::vector<Warning> warnings;
  for (const Verdict& verdict : verdicts) {
    for (const std::string& text : verdict.warnings) {
      warnings.push_back({ModelName(verdict.spec), SensitiveColumns(verdict.spec), text});
    }
  }
  return warnings;
}

// A stream of bytes has no name beside which other files could stand.
bool HasSideFiles(const AnonymizeRequest& request) {
  return !request.output.empty() && request.output != "-" && !IsSpecialFile(request.output);
}
std::string ManifestPath(const AnonymizeRequest& request) { return request.output + ".manifest.json"; }
std::string RecordPath(const AnonymizeRequest& request) { return request.output + ".private.json"; }

// Every path the run reads or writes, with what it is for.
Result<std::vector<std::pair<std::string, std::string>>> Paths(const AnonymizeRequest& request, const Policy& policy) {
  std::vector<std::pair<std::string, std::string>> paths = {{"the policy", policy.name}, {"--output", request.output}};
  CORDON_TRY(const std::vector<std::string> inputs, FilesOfInput(request.input));
  for (const std::string& input : inputs) paths.insert(paths.begin(), {"the input", input});
  if (request.recoding) paths.emplace_back("--recoding", *request.recoding);
  if (request.report) paths.emplace_back("--report", *request.report);
  if (request.html) paths.emplace_back("--html", *request.html);
  if (request.row_map) paths.emplace_back("--row-map", *request.row_map);
  if (request.save_recoding) paths.emplace_back("--save-recoding", *request.save_recoding);
  if (HasSideFiles(request)) {
    paths.emplace_back("the manifest", ManifestPath(request));
    paths.emplace_back("the run record", RecordPath(request));
  }
  return paths;
}

// Side files go to files: standard output belongs to the release or to the report in words.
Result<void> CheckSideFiles(const AnonymizeRequest& request) {
  for (const auto& [flag, path] :
       {std::pair{"--report", request.report}, std::pair{"--html", request.html}, std::pair{"--row-map", request.row_map},
        std::pair{"--save-recoding", request.save_recoding}}) {
    if (path && (path->empty() || *path == "-")) {
      return Error::InvalidPolicy("{} needs the name of a file", flag).WithHint("--json prints the report");
    }
  }
  return {};
}

Result<void> ReserveReports(const AnonymizeRequest& request, Outputs& outputs) {
  if (request.report) CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.report, AtomicFile::Access::kPublic));
  if (request.html) CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.html, AtomicFile::Access::kPrivate));
  return {};
}

Result<void> WriteReports(const AnonymizeRequest& request, const Report& report, const Microdata& data, const Release& release,
                          Outputs& outputs, const Run& run) {
  if (request.report) CORDON_RETURN_IF_ERROR(outputs.Write(*request.report, Dump(ToJson(report))));
  if (!request.html) return {};
  CORDON_TRY(const HtmlFacts facts, GatherHtmlFacts(request.input, report, data, release, run));
  return outputs.Write(*request.html, HtmlReport(facts));
}

Result<void> ReserveSideFiles(const AnonymizeRequest& request, Outputs& outputs) {
  CORDON_RETURN_IF_ERROR(ReserveReports(request, outputs));
  if (request.row_map) CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.row_map, AtomicFile::Access::kPrivate));
  if (request.save_recoding) CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.save_recoding, AtomicFile::Access::kPublic));
  if (!HasSideFiles(request)) return {};
  CORDON_RETURN_IF_ERROR(outputs.Reserve(RecordPath(request), AtomicFile::Access::kPrivate));
  return outputs.Reserve(ManifestPath(request), AtomicFile::Access::kPublic);
}

Result<void> Write(const AnonymizeRequest& request, const Policy& policy, const Microdata& data,
                   const VerifiedRelease& verified, RunRecord record, Report& report, const Run& run) {
  Stopwatch watch;
  const Release& release = verified.release();
  Outputs outputs;
  CORDON_RETURN_IF_ERROR(ReserveSideFiles(request, outputs));
  const SinkOptions sink{.text = policy.data.text, .format = request.output_format, .bounds = request.bounds};
  CORDON_TRY(StagedRelease staged, StageRelease(verified, request.output, sink, run));
  if (request.row_map) CORDON_RETURN_IF_ERROR(outputs.Write(*request.row_map, RowMapText(release)));
  if (request.save_recoding) {
    CORDON_RETURN_IF_ERROR(outputs.Write(*request.save_recoding, Recoding::FromRelease(release).ToJson() + "\n"));
  }
  if (HasSideFiles(request)) {
    const std::string name = std::filesystem::path(request.output).filename().string();
    const ManifestFacts facts{policy, release, report.privacy, report.algorithm, name, staged.written()};
    record.output_sha256 = staged.written().sha256;
    CORDON_RETURN_IF_ERROR(outputs.Write(RecordPath(request), Dump(MakeRunRecord(record))));
    CORDON_RETURN_IF_ERROR(outputs.Write(ManifestPath(request), Dump(MakeManifest(facts))));
  }
  report.seconds.emplace_back("write", watch.Lap());
  report.peak_rss_mb = PeakRssMb();
  CORDON_RETURN_IF_ERROR(WriteReports(request, report, data, release, outputs, run));
  CORDON_RETURN_IF_ERROR(outputs.Sync());
  CORDON_RETURN_IF_ERROR(staged.Sync());
  if (run.Stopped()) return Error::Cancelled();
  CORDON_RETURN_IF_ERROR(outputs.Show());
  return staged.Commit();  // last: where the release is, its manifest is
}

// From bound rows to a release that may be written, and everything the report says of it.
Result<VerifiedRelease> Produce(const AnonymizeRequest& request, const Policy& policy, const Microdata& data, Random& random,
                                Report& report, const Run& run) {
  Stopwatch watch;
  const View view = View::All(data);
  const RecodeOptions recode{
      .order = OrderOf(request, policy),
      .suppressed = policy.algorithm.suppressed == Suppression::kStar ? SuppressedRows::kStar : SuppressedRows::kDrop,
      .group_column = request.group_column};
  const std::string name = AlgorithmName(request, policy);
  auto making = request.recoding ? MakeByRecoding(view, *request.recoding, policy, recode, random, run)
                                 : MakeByAlgorithm(view, name, request.effort, policy, recode, random, run);
  CORDON_TRY(Made made, std::move(making));
  if (run.Stopped()) return Error::Cancelled();
  CORDON_RETURN_IF_ERROR(CheckSuppression(made.release, policy));
  const double anonymize_seconds = watch.Lap();
  report.seconds.emplace_back("anonymize", anonymize_seconds);

  // The verdicts, and whether every cell tells the truth, are settled on the very rows that will be written.
  CORDON_RETURN_IF_ERROR(RequireTruth(made.release, data, run));
  if (made.release.suppressed > 0) CORDON_RETURN_IF_ERROR(NarrowSensitiveDomains(policy, made.release));
  const Verifier verifier(policy.models, {.keep_per_group = request.html.has_value() || ShowsSpread(policy.models)});
  CORDON_TRY(VerifiedRelease verified, verifier.Accept(std::move(made.release), run, &report.privacy));
  report.seconds.emplace_back("verify", watch.Lap());
  if (run.Stopped()) return Error::Cancelled();

  CORDON_TRY(report.utility, MeasureUtility(verified.release(), data, request.measure, run));
  report.risk = MeasureRisks(verified.release(), data, request.measure, run);
  report.seconds.emplace_back("metrics", watch.Lap());
  report.algorithm = made.algorithm;
  report.why = made.why;
  report.notes = made.notes.lines;
  report.rows = verified.release().num_rows;
  report.people = PeopleIn(verified.release());
  report.suppressed = verified.release().suppressed;
  report.dropped = data.dropped_rows;
  report.tried = {{made.algorithm, report.utility.loss.information_loss, anonymize_seconds}};
  report.details = made.notes.counts;
  report.warnings = WarningsOf(report.privacy);
  if (made.masks_values) {
    for (Warning& warning : TopDownWarnings(policy, data, verified.release(), run)) {
      report.warnings.push_back(std::move(warning));
    }
  }
  report.peak_rss_mb = PeakRssMb();
  return verified;
}

}  // namespace

Result<Report> Anonymize(const AnonymizeRequest& request, const Policy& policy, const Run& run) {
  Report report;
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  CORDON_RETURN_IF_ERROR(CheckSideFiles(request));
  CORDON_RETURN_IF_ERROR(CheckOutputFormat(request));
  CORDON_TRY(const auto paths, Paths(request, policy));
  CORDON_RETURN_IF_ERROR(CheckDistinct(paths));
  CORDON_RETURN_IF_ERROR(CheckServed(request, policy));
  CORDON_TRY(const Input input, Read(request, policy, run, report.seconds));
  CORDON_TRY(Random random, RandomOf(request));
  const std::string random_key = random.Save();
  CORDON_TRY(const VerifiedRelease verified, Produce(request, policy, input.data, random, report, run));
  if (request.output.empty()) {
    Outputs outputs;
    CORDON_RETURN_IF_ERROR(ReserveReports(request, outputs));
    CORDON_RETURN_IF_ERROR(WriteReports(request, report, input.data, verified.release(), outputs, run));
    CORDON_RETURN_IF_ERROR(outputs.Sync());
    CORDON_RETURN_IF_ERROR(outputs.Show());
    return report;
  }
  CORDON_RETURN_IF_ERROR(
      Write(request, policy, input.data, verified, {request.input, input.sha256, policy.digest, "", random_key}, report, run));
  return report;
}

Result<Report> TryPolicy(const AnonymizeRequest& request, const Policy& policy, const Microdata& data, const Run& run) {
  Report report;
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  CORDON_RETURN_IF_ERROR(CheckServed(request, policy));
  CORDON_TRY(Random random, RandomOf(request));
  CORDON_RETURN_IF_ERROR(Produce(request, policy, data, random, report, run));
  return report;
}

}  // namespace cordon
