// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/anonymize.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cordon/data/recoding.h"
#include "cordon/io/atomic_file.h"
#include "cordon/io/sink.h"
#include "cordon/io/source.h"
#include "cordon/models/truth.h"
#include "cordon/publish/bind.h"
#include "cordon/publish/bind_column_internal.h"
#include "cordon/publish/manifest.h"
#include "cordon/publish/registry.h"

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
  const SourceOptions options{.text = policy.data.text, .format = request.input_format, .skip_columns = SkipColumns(policy)};
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

struct Made {
  Release release;
  std::string algorithm;
  std::string why;
};

Result<Made> MakeByRecoding(const View& view, const std::string& path, const RecodeOptions& recode, Random& random,
                            const Run& run) {
  CORDON_TRY(const std::string text, ReadFile(path));
  CORDON_TRY(const Recoding recoding, Recoding::FromJson(text).WithContext("reading {}", path));
  CORDON_TRY(const AppliedRecoding applied, Apply(recoding, view, run).WithContext("applying {}", path));
  return Made{Recode(view, applied.groups, applied.texts, recode, random, run), "recoding", ""};
}

// What would do where nothing does: the least strict groups there are, all rows in one, and what they reach.
Result<std::string> Feasible(const View& view, const Policy& policy, const Run& run) {
  Groups one;
  one.Add(view.rows());
  Random random = Random::FromOperatingSystem();
  const Release whole = Recode(view, one, {.order = RowOrder::kInput}, random, run);
  CORDON_TRY(const std::vector<Verdict> verdicts, Verifier(policy.models).Judge(whole, run));
  std::string text;
  for (const Verdict& verdict : verdicts) {
    if (verdict.holds) continue;
    text += text.empty() ? "the most these rows can give: " : ", ";
    text += fmt::format("{} for {}", verdict.reached_text, verdict.text);
  }
  return text;
}

Result<Made> MakeByAlgorithm(const View& view, std::string_view name, const Policy& policy, const RecodeOptions& recode,
                             Random& random, const Run& run) {
  CORDON_TRY(const Choice choice, ChooseAlgorithm(name, policy));
  const Reference reference = ReferenceOf(view.data(), view.rows());
  CORDON_TRY(const AllOf model, AllOf::Make(policy.models, reference));
  const CountedColumns counted(view.data(),
                               model.uses_histograms() ? view.data().ColumnsOf(Role::kSensitive) : std::vector<std::size_t>{},
                               model.uses_persons());
  Random own = random.Substream(choice.algorithm->name);
  auto groups = choice.algorithm->run({view, model, reference, counted, policy}, own, run);
  if (!groups.ok() && groups.error().kind() == ErrorKind::kUnsatisfiable) {
    CORDON_TRY(const std::string feasible, Feasible(view, policy, run));
    if (!feasible.empty()) return std::move(groups).error().WithHint("{}", feasible);
  }
  CORDON_TRY(const Groups found, std::move(groups));
  return Made{Recode(view, found, recode, random, run), choice.algorithm->name, choice.why};
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
    for (const std::string& text : verdict.warnings)
      warnings.push_back({"several-rows-per-person", SensitiveColumns(verdict.spec), text});
  }
  return warnings;
}

// A set of files that appear together: all are complete on disk before the first is renamed into place.
class Outputs {
 public:
  Result<void> Add(const std::string& path, std::string_view bytes, AtomicFile::Access access) {
    CORDON_TRY(AtomicFile file, AtomicFile::Create(path, access));
    CORDON_RETURN_IF_ERROR(file.Write(bytes));
    files_.push_back(std::move(file));
    return {};
  }
  Result<void> Commit() {
    for (AtomicFile& file : files_) CORDON_RETURN_IF_ERROR(file.Commit());
    return {};
  }

 private:
  std::vector<AtomicFile> files_;
};

Result<void> Write(const AnonymizeRequest& request, const Policy& policy, const VerifiedRelease& verified,
                   const RunRecord& run_record, Report& report, const Run& run) {
  Stopwatch watch;
  const Release& release = verified.release();
  Outputs outputs;
  if (request.row_map) CORDON_RETURN_IF_ERROR(outputs.Add(*request.row_map, RowMapText(release), AtomicFile::Access::kPrivate));
  if (request.save_recoding) {
    CORDON_RETURN_IF_ERROR(
        outputs.Add(*request.save_recoding, Recoding::FromRelease(release).ToJson() + "\n", AtomicFile::Access::kPublic));
  }
  const SinkOptions sink{.text = policy.data.text, .format = request.output_format, .bounds = request.bounds};
  CORDON_TRY(StagedRelease staged, StageRelease(verified, request.output, sink, run));
  if (request.output != "-") {
    const ManifestFacts facts{
        policy,          release, report.privacy, report.algorithm, std::filesystem::path(request.output).filename().string(),
        staged.written()};
    RunRecord record = run_record;
    record.output_sha256 = staged.written().sha256;
    CORDON_RETURN_IF_ERROR(
        outputs.Add(request.output + ".private.json", MakeRunRecord(record).dump(2) + "\n", AtomicFile::Access::kPrivate));
    CORDON_RETURN_IF_ERROR(
        outputs.Add(request.output + ".manifest.json", MakeManifest(facts).dump(2) + "\n", AtomicFile::Access::kPublic));
  }
  report.seconds.emplace_back("write", watch.Lap());
  report.peak_rss_mb = PeakRssMb();
  if (request.report)
    CORDON_RETURN_IF_ERROR(outputs.Add(*request.report, ToJson(report).dump(2) + "\n", AtomicFile::Access::kPublic));
  if (run.Stopped()) return Error::Cancelled();
  CORDON_RETURN_IF_ERROR(staged.Commit());
  return outputs.Commit();
}

}  // namespace

Result<Report> Anonymize(const AnonymizeRequest& request, const Policy& policy, const Run& run) {
  Report report;
  CORDON_TRY(const Input input, Read(request, policy, run, report.seconds));
  Random random = request.seed ? Random::FromSeed(*request.seed) : Random::FromOperatingSystem();
  const std::string random_key = random.Save();

  Stopwatch watch;
  const View view = View::All(input.data);
  const RecodeOptions recode{
      .order = request.order,
      .suppressed = policy.algorithm.suppressed == Suppression::kStar ? SuppressedRows::kStar : SuppressedRows::kDrop,
      .group_column = request.group_column};
  const std::string& name = request.algorithm.empty() ? policy.algorithm.name : request.algorithm;
  auto making = request.recoding ? MakeByRecoding(view, *request.recoding, recode, random, run)
                                 : MakeByAlgorithm(view, name, policy, recode, random, run);
  CORDON_TRY(Made made, std::move(making));
  CORDON_RETURN_IF_ERROR(CheckSuppression(made.release, policy));
  const double anonymize_seconds = watch.Lap();
  report.seconds.emplace_back("anonymize", anonymize_seconds);

  // The verdicts, and whether every cell tells the truth, are settled on the very rows that will be written.
  CORDON_RETURN_IF_ERROR(RequireTruth(made.release, input.data, run));
  if (made.release.suppressed > 0) CORDON_RETURN_IF_ERROR(NarrowSensitiveDomains(policy, made.release));
  const Verifier verifier(policy.models);
  CORDON_TRY(const VerifiedRelease verified, verifier.Accept(std::move(made.release), run, &report.privacy));
  report.seconds.emplace_back("verify", watch.Lap());

  CORDON_TRY(report.utility, MeasureUtility(verified.release(), run));
  report.seconds.emplace_back("metrics", watch.Lap());
  report.algorithm = made.algorithm;
  report.why = made.why;
  report.rows = verified.release().num_rows;
  report.people = input.data.num_persons;
  report.suppressed = verified.release().suppressed;
  report.dropped = input.data.dropped_rows;
  report.tried = {{made.algorithm, report.utility.loss.information_loss, anonymize_seconds}};
  report.warnings = WarningsOf(report.privacy);
  report.peak_rss_mb = PeakRssMb();
  if (request.output.empty()) return report;
  const RunRecord record{request.input, input.sha256, policy.digest, "", random_key};
  CORDON_RETURN_IF_ERROR(Write(request, policy, verified, record, report, run));
  return report;
}

}  // namespace cordon
