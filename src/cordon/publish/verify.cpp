// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/verify.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "cordon/base/canonical_json.h"
#include "cordon/base/digest.h"
#include "cordon/bind/join_bounds.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/open_source.h"
#include "cordon/publish/previous_releases.h"
#include "cordon/publish/stream/stream_certificate.h"
#include "cordon/report/key_file.h"
#include "cordon/report/manifest.h"
#include "cordon/report/manifest_check.h"
#include "cordon/report/report.h"
#include "cordon/stream/audit_log.h"

namespace cordon::engine {
namespace {

// Which row of the original is behind each row of the release, if that can be known.
Result<std::optional<std::vector<RowId>>> Mapping(const VerifyRequest& request, const Release& release,
                                                  const Microdata& original, const Run& run) {
  if (!request.row_map.empty()) {
    CORDON_TRY(std::vector<RowId> rows, ReadRowMap(request.row_map, release, original, run));
    return std::optional(std::move(rows));
  }
  if (!request.input_order) return std::optional<std::vector<RowId>>();
  if (release.num_rows != original.num_rows) {
    return Error::InvalidData("--input-order needs the same number of rows in the release ({}) and the original ({})",
                              release.num_rows, original.num_rows)
        .WithHint("rows were suppressed: use the row map that anonymize --row-map writes");
  }
  std::vector<RowId> rows(release.num_rows);
  std::iota(rows.begin(), rows.end(), RowId{0});
  return std::optional(std::move(rows));
}

void TakePersons(Release& release, const Microdata& original, const std::vector<RowId>& rows, const Run& run) {
  if (original.persons.empty()) return;
  release.persons = Codes::Generate(rows.size(), run.threads, [&](std::size_t row) { return original.persons[rows[row]]; });
}

bool HasPersonColumn(const Policy& policy) {
  return std::any_of(policy.attributes.begin(), policy.attributes.end(),
                     [](const AttributePolicy& attribute) { return attribute.role == Role::kPerson; });
}

// What the holder of a trusted key has signed is this very release, for this very policy.
SignatureMatch CertificateOf(const FileAudit& file, const std::vector<VerifyKey>& keys, const Policy& policy) {
  if (!file.manifest) return {false, "there is no manifest next to the release"};
  return CheckCertificate(*file.manifest, file.help ? kStoreType : kManifestType, keys, policy.digest);
}

Result<void> CheckPrevious(const VerifyRequest& request, const Policy& policy) {
  if (policy.join_models.empty() == request.previous.empty()) return {};
  if (request.previous.empty()) {
    return Error::InvalidPolicy("{}:{}: {} is judged together with the releases before it", policy.name, policy.join_lines[0],
                                ModelName(policy.join_models[0]))
        .WithHint("give --previous FILE, once per release");
  }
  return Error::InvalidPolicy("--previous: {} asks nothing of the release together with others", policy.name)
      .WithHint("add [[privacy]] with model = \"xy-anonymity\" or \"xy-linkability\", or leave --previous out");
}

// A release does not tell people apart, and counting rows in their place would prove nothing.
Result<void> CheckTellsPeople(const Policy& policy, const Release& release) {
  if (!release.persons.empty()) return {};
  for (std::size_t i = 0; i < policy.models.size(); ++i) {
    if (!CountsPersons(policy.models[i])) continue;
    return Error::InvalidPolicy("{}:{}: {} counts people, and a release does not tell them apart", policy.name,
                                policy.model_lines[i], Describe(policy.models[i]))
        .WithHint("give --original with --row-map, the file that anonymize --row-map writes");
  }
  return {};
}

std::string Described(const UpperEnds& ends) {
  Json json = Json::object();
  for (const auto& [column, end] : ends) json[column] = ToJson(end);
  return json.dump();
}

// Of a release that was made of tables in memory the manifest has digests of their cells, which a file may have as well.
Result<void> TakeDigestsOfCells(const Json& manifest, std::vector<PreviousTable>& given, const Run& run) {
  for (PreviousTable& table : given) {
    const auto names = [&](const std::string& digest) {
      return std::any_of(manifest["previous"].begin(), manifest["previous"].end(),
                         [&](const Json& each) { return each["sha256"] == digest; });
    };
    if (names(table.sha256)) continue;
    const TableInput cells(std::make_shared<const Table>(table.table));
    CORDON_TRY(const std::unique_ptr<Source> source, OpenSource(cells, {}));
    CORDON_TRY(const Table read, ReadTable(*source, run));
    if (const std::string digest = source->InputDigest(); names(digest)) table.sha256 = digest;
  }
  return {};
}

// The previous releases in the order of the manifest, which names them by their digests and may say what their ends mean.
Result<std::vector<PreviousTable>> AsNamed(const Json& manifest, const std::string& release, std::vector<PreviousTable> given) {
  std::vector<PreviousTable> named;
  for (const Json& each : manifest["previous"]) {
    const std::string digest = each["sha256"].get<std::string>();
    const auto found = std::find_if(given.begin(), given.end(), [&](const auto& table) { return table.sha256 == digest; });
    if (found == given.end()) {
      return Error::InvalidData("no file that --previous gives has the digest of the previous release {} in {}.manifest.json",
                                each["name"].get<std::string>(), release)
          .WithHint("give the very files that release-next was given");
    }
    named.push_back(*found);
    const UpperEnds ends = EndsOf({{"output", {{"columns", each.value("columns", Json::array())}}}});
    if (found->ends.empty()) named.back().ends = ends;
    if (!ends.empty() && Described(named.back().ends) != Described(ends)) {
      return Error::InvalidData("{}.manifest.json says other ends of the ranges of {} than its own manifest", release,
                                found->name);
    }
  }
  for (const PreviousTable& table : given) {
    const bool is_named =
        std::any_of(named.begin(), named.end(), [&](const auto& each) { return each.sha256 == table.sha256; });
    if (is_named) continue;
    return Error::InvalidData("{} is not one of the previous releases that {}.manifest.json names", table.name, release)
        .WithHint("leave it out, or move the manifest away to judge the rows alone");
  }
  return named;
}

// Whether the one claim of a store is a model of the policy. REQUIRES: it has the form of a claim.
bool AsksFor(const Policy& policy, const Json& manifest) {
  Json claim = manifest["privacy"][0];
  claim.erase("text");
  claim.erase("holds");
  return std::any_of(policy.models.begin(), policy.models.end(), [&](const ModelSpec& spec) {
    return CanonicalJson(ToJson(spec)).value() == CanonicalJson(claim).value();
  });
}

void CheckManifest(const VerifyRequest& request, const Policy& policy, const Release& release,
                   const std::vector<std::string>& shared, Verification& made) {
  if (!made.file.manifest) return;
  const Json digest = made.file.manifest->value("policy_sha256", Json());
  if (digest.is_string() && digest != policy.digest) {
    made.notes.push_back(fmt::format("the release was made by another policy than {}, as its manifest says; it is judged by {}",
                                     policy.name, policy.name));
  }
  if (made.file.help && made.file.help->holds) {
    for (const Json& column : (*made.file.manifest)["columns"]) {
      const ReleaseColumn* is = release.Find(column["name"].get<std::string>());
      if (is == nullptr || column["role"] == RoleName(is->attribute.role)) continue;
      made.file.help->holds = false;
      made.file.help->wrong = fmt::format("manifest.json: the role of '{}' is not that of the policy", is->attribute.name);
    }
  }
  if (made.file.help && made.file.help->holds && digest == policy.digest && !AsksFor(policy, *made.file.manifest)) {
    made.file.help->holds = false;
    made.file.help->wrong = "manifest.json: 'privacy' claims a model that the policy that it names does not ask for";
  }
  if (!made.file.set || !made.file.set->holds) return;
  const PathFormat by_path =
      FormatOfPath(request.release.name).ok() ? FormatOfPath(request.release.name).value() : PathFormat{};
  const std::string& delimiter = policy.data.text.delimiter;
  std::error_code failed;
  const std::uint64_t bytes = std::filesystem::file_size(request.release.name, failed);
  const JudgedRelease judged{.policy = policy,
                             .release = release,
                             .verdicts = made.verdicts,
                             .names = made.file.names,
                             .format = request.format.value_or(by_path.format),
                             .delimiter = by_path.tabs && delimiter == "," ? "\t" : delimiter,
                             .bytes = failed ? std::nullopt : std::optional(bytes),
                             .compare_counts = !request.exempt_suppressed,
                             .persons = HasPersonColumn(policy),
                             .join = made.join ? std::optional(JudgedJoin{*made.join, shared}) : std::nullopt};
  const std::string fault = ManifestFault(*made.file.manifest, judged);
  if (!fault.empty()) made.file.set = SetMatch{false, fmt::format("{}.manifest.json {}", request.release.name, fault)};
}

std::vector<std::string> NotesOf(const Policy& policy, const Release& release) {
  std::vector<std::string> notes;
  if (!release.permuted.empty()) {
    notes.push_back(fmt::format(
        "judged by the groups that the column 'group' names; no release can show that '{}' was shuffled inside them",
        release.permuted));
  }
  if (HasPersonColumn(policy) && release.persons.empty()) {
    notes.push_back(
        "the release has no person column, so k was counted in rows. To count people, give --original with --row-map");
  }
  return notes;
}

}  // namespace

bool Verification::holds() const {
  return (!truth || truth->holds) && (!file.help || file.help->holds) && (!file.set || file.set->holds) &&
         (!join || join->holds()) && (!certificate || certificate->holds) &&
         std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) { return verdict.holds; });
}

Result<Verification> Verify(const VerifyRequest& request, const Policy& policy, const Run& run) {
  if (request.original.empty() && (request.input_order || !request.row_map.empty())) {
    return Error::InvalidPolicy("--row-map and --input-order need --original");
  }
  CORDON_RETURN_IF_ERROR(CheckPrevious(request, policy));
  for (const TableInput& previous : request.previous) {
    if (previous.table == nullptr) CORDON_RETURN_IF_ERROR(RequireRegularFile(previous.name));
  }
  CORDON_TRY(const std::vector<VerifyKey> keys, ReadVerifyKeys(request.keys));
  if (!keys.empty() && (request.release.table != nullptr || request.release.name == "-")) {
    return Error::InvalidPolicy("--key needs a release that is a file or a store: its manifest has the signature");
  }
  Verification made;
  std::optional<Microdata> original;
  if (!request.original.empty()) {
    CORDON_TRY(original, ReadOriginal(request.original, policy, run));
  }
  CORDON_TRY(Release release, ReadReleaseFile(request.release, policy, original ? &*original : nullptr, request.format, run,
                                              &made.file, request.row_map));
  if (!keys.empty()) made.certificate = CertificateOf(made.file, keys, policy);
  if (original) {
    CORDON_TRY(const std::optional<std::vector<RowId>> rows, Mapping(request, release, *original, run));
    if (rows) TakePersons(release, *original, *rows, run);
    const auto behind = rows ? std::optional(std::span<const RowId>(*rows)) : std::nullopt;
    CORDON_TRY(made.truth, CheckAgainstOriginal(release, *original, behind, run));
  }
  CORDON_RETURN_IF_ERROR(CheckTellsPeople(policy, release));
  made.rows = release.num_rows;
  made.counts_people = !release.persons.empty();
  made.notes = NotesOf(policy, release);
  CORDON_TRY(made.verdicts, Verifier(policy.models, {.exempt_suppressed = request.exempt_suppressed})
                                .Judge(release, run)
                                .WithContext("judging {}", request.release.name));
  CORDON_TRY(made.small_groups, CountSmallGroups(release, {.exempt_suppressed = request.exempt_suppressed}, run));
  std::vector<std::string> shared;
  if (!request.previous.empty()) {
    if (!made.file.ends_not_known.empty()) return EndsNotKnown(request.release.name, made.file.ends_not_known.front());
    CORDON_TRY(std::vector<PreviousTable> previous, ReadPreviousTables(request.previous, run));
    if (made.file.set && made.file.manifest && made.file.manifest->contains("previous")) {
      CORDON_RETURN_IF_ERROR(TakeDigestsOfCells(*made.file.manifest, previous, run));
      CORDON_TRY(previous, AsNamed(*made.file.manifest, request.release.name, std::move(previous)));
    }
    CORDON_TRY(const LinkedReleases linked, LinkRelease(policy, release, request.release.name, previous));
    CORDON_RETURN_IF_ERROR(CheckNamedValues(policy, linked, false));
    CORDON_TRY(made.join,
               JudgeJoin(linked.linked, policy.join_models, policy.impossible, {.allow_unequal = request.allow_unequal}, run));
    for (const auto& [column, axis] : linked.axes) shared.push_back(column);
  }
  CheckManifest(request, policy, release, shared, made);
  return made;
}

Json ToJson(const Verification& made) {
  Json json = {{"format", 1},
               {"rows", made.rows},
               {"counts", made.counts_people ? "persons" : "rows"},  // what k counted
               {"privacy", Json::array()},
               {"warnings", Json::array()}};
  for (const Verdict& verdict : made.verdicts) {
    json["privacy"].push_back(ToJson(verdict));
    for (const std::string& warning : verdict.warnings) json["warnings"].push_back(warning);
  }
  if (!made.small_groups.empty()) json["rows_below"] = ToJson(made.small_groups);
  if (made.truth) {
    json["truth"] = {
        {"holds", made.truth->holds}, {"necessary_only", made.truth->necessary_only}, {"text", made.truth->Explain()}};
  }
  if (made.file.help) json["help"] = ToJson(*made.file.help);
  if (made.file.set) json["files"] = {{"holds", made.file.set->holds}, {"text", made.file.set->Explain()}};
  if (made.certificate) json["certificate"] = {{"holds", made.certificate->holds}, {"text", made.certificate->Explain()}};
  if (made.join) json["join"] = ToJson(*made.join);
  json["holds"] = made.holds();
  return json;
}

std::string Describe(const Verification& made) {
  std::string text;
  for (const Verdict& verdict : made.verdicts) text += Explain(verdict) + "\n";
  if (AnyBelow(made.small_groups)) text += Describe(made.small_groups) + "\n";
  if (made.join) {
    for (const JoinVerdict& verdict : made.join->verdicts) text += Explain(verdict) + "\n";
    text += Explain(*made.join) + "\n";
  }
  if (made.file.help) text += made.file.help->Explain() + "\n";
  if (made.truth) text += made.truth->Explain() + "\n";
  if (made.file.set && !made.file.set->holds) text += made.file.set->Explain() + "\n";
  if (made.certificate) text += made.certificate->Explain() + "\n";
  return text;
}

namespace {

// Holds the chain of a log against its lines and the bytes of the output. The first line that does not fit is told: what comes
// after it hangs on it.
class ChainCheck {
 public:
  ChainCheck(const std::string& output, const std::vector<SignedStream::Point>& points)
      : output_(output, std::ios::binary), points_(points) {}

  Result<void> Take(const AuditLink& link) {
    Sha256 digest;
    digest.Update(chain_);
    digest.Update(link.text);
    std::string piece;
    for (std::uint64_t left = link.written; left > 0 && output_; left -= piece.size()) {
      piece.resize(std::min<std::uint64_t>(left, kMebibyte));
      output_.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      piece.resize(static_cast<std::size_t>(output_.gcount()));
      digest.Update(piece);
      if (!points_.empty()) all_.Update(piece);
    }
    bytes_ += link.written;
    if (wrong_.empty() && ToHex(digest.Finish()) != link.chain) {
      wrong_ = fmt::format("line {} of the log, or the rows that belong to it, are not as they were written", link.line);
    }
    chain_ = link.chain;
    for (; signed_ < points_.size() && points_[signed_].chain == chain_; ++signed_) {
      const SignedStream::Point& point = points_[signed_];
      if (wrong_.empty() && (point.bytes != bytes_ || point.sha256 != ToHex(all_.Clone().Finish()))) {
        wrong_ = fmt::format("signed checkpoint {} is not of these rows", signed_ + 1);
      }
    }
    return {};
  }

  const std::string& chain() const { return chain_; }
  std::uint64_t bytes() const { return bytes_; }
  std::string wrong() const {
    if (!wrong_.empty() || signed_ == points_.size()) return wrong_;
    return fmt::format("the log does not come to signed checkpoint {}", signed_ + 1);
  }

 private:
  std::ifstream output_;
  const std::vector<SignedStream::Point>& points_;
  std::size_t signed_ = 0;   // points that the log has come to
  std::uint64_t bytes_ = 0;  // of the output
  Sha256 all_;
  std::string chain_;
  std::string wrong_;
};

// With keys, all of the output and of the log must be signed; what comes after the last checkpoint is told or refused.
void CheckSigned(const VerifyStreamRequest& request, const SignedStream& signed_stream, const ChainCheck& check,
                 StreamAudit& audit) {
  if (!signed_stream.wrong.empty()) {
    audit.findings.push_back("the certificate does not hold: " + signed_stream.wrong);
    return;
  }
  const SignedStream::Point& last = signed_stream.points.back();
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(request.output, failed);
  const std::uint64_t after = failed || size < last.bytes ? 0 : size - last.bytes;
  audit.signed_part = {signed_stream.signer, last.rows, last.bytes, after};
  if (last.ended && after > 0) {
    audit.findings.emplace_back("the stream was signed as one that has ended, and the output goes on");
  } else if (!request.signed_prefix && (after > 0 || check.chain() != last.chain)) {
    audit.findings.push_back(fmt::format(
        "{} bytes of the output after row {} are not signed yet: --signed-prefix judges what is", after, last.rows));
  }
}

Result<void> CheckChain(const VerifyStreamRequest& request, std::string_view log, const SignedStream& signed_stream,
                        StreamAudit& audit) {
  ChainCheck check(request.output, signed_stream.points);
  CORDON_RETURN_IF_ERROR(ReadAudit(log, {.on_link = [&](const AuditLink& link) { return check.Take(link); }})
                             .WithContext("reading {}", request.audit));
  audit.chain = check.chain();
  if (!check.wrong().empty()) audit.findings.push_back(check.wrong());
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(request.output, failed);
  if (!failed && !audit.chain.empty() && !request.signed_prefix && size > check.bytes()) {
    audit.findings.push_back(
        fmt::format("the output has {} bytes, the log accounts for {}: something was added at its end", size, check.bytes()));
  }
  if (!request.keys.empty()) CheckSigned(request, signed_stream, check, audit);
  if (request.chain && *request.chain != audit.chain) {
    audit.findings.emplace_back("the log does not end with the chain that was given: lines are missing, or were added");
  }
  return {};
}

// Nothing: all of it. The rows of a stream that is still written to are those up to a point.
Result<Table> ReadStreamRows(const VerifyStreamRequest& request, TextFormat text, std::optional<std::uint64_t> bytes,
                             const Run& run) {
  if (!bytes) return ReadTableFile(request.output, text, request.format, run);
  CORDON_TRY(const PathFormat by_path, FormatOfPath(request.output).WithContext("reading {}", request.output));
  if (by_path.tabs && text.delimiter == ",") text.delimiter = "\t";
  std::string read(*bytes, '\0');
  std::ifstream file(request.output, std::ios::binary);
  file.read(read.data(), static_cast<std::streamsize>(read.size()));
  read.resize(static_cast<std::size_t>(file.gcount()));
  CORDON_TRY(const std::unique_ptr<Source> source,
             SourceFromBytes(std::move(read), request.format.value_or(by_path.format), {.text = text, .stop = run.stop}));
  return ReadTable(*source, run);
}

Result<StreamAudit> VerifyRows(const VerifyStreamRequest& request, const std::string& log, std::optional<std::uint64_t> bytes,
                               const Policy& policy, const Run& run) {
  CORDON_TRY(const UpperEnds ends, AuditedUpperEnds(log).WithContext("reading {}", request.audit));
  if (std::error_code failed; (bytes && *bytes == 0) || (!bytes && std::filesystem::file_size(request.output, failed) == 0 &&
                                                         !failed)) {  // JSON Lines without a row
    CORDON_TRY(const std::vector<std::string> names, AuditedColumns(log).WithContext("reading {}", request.audit));
    Table nothing;
    for (const std::string& name : names) nothing.columns.push_back({name, std::make_shared<Dictionary>(), Codes()});
    CORDON_TRY(nothing, JoinBounds(std::move(nothing), ends));
    return VerifyStream(policy, nothing, log, run).WithContext("verifying {}", request.output);
  }
  TextFormat text = policy.data.text;
  text.encoding = Encoding::kUtf8;  // as releases are, whatever the input was
  text.skip = 0;
  text.trim = false;
  if (!text.columns.empty()) {  // the policy names the columns of the input; the log those of the output
    CORDON_TRY(text.columns, AuditedColumns(log).WithContext("reading {}", request.audit));
  }
  CORDON_TRY(Table table, ReadStreamRows(request, text, bytes, run));
  CORDON_TRY(const std::vector<std::string> names, AuditedColumns(log).WithContext("reading {}", request.audit));
  const bool same_names = std::equal(table.columns.begin(), table.columns.end(), names.begin(), names.end(),
                                     [](const Column& column, const std::string& name) { return column.name == name; });
  CORDON_TRY(table, JoinBounds(std::move(table), ends).WithContext("reading {}", request.output));
  CORDON_TRY(StreamAudit audit, VerifyStream(policy, table, log, run).WithContext("verifying {}", request.output));
  if (!same_names) audit.findings.emplace_back("the columns of the output are not those that the log names");
  return audit;
}

}  // namespace

Result<StreamAudit> VerifyStream(const VerifyStreamRequest& request, const Policy& policy, const Run& run) {
  if (request.chain && request.chain->empty())
    return Error::InvalidPolicy("--chain is empty").WithHint("leave it out, or give \"chain\" in the report of the run");
  CORDON_RETURN_IF_ERROR(RequireRegularFile(request.output));
  CORDON_RETURN_IF_ERROR(RequireRegularFile(request.audit));
  CORDON_TRY(std::string log, ReadFile(request.audit));
  SignedStream signed_stream;
  std::optional<std::uint64_t> bytes;
  if (!request.keys.empty()) {
    CORDON_TRY(const std::vector<VerifyKey> keys, ReadVerifyKeys(request.keys));
    CORDON_TRY(signed_stream, ReadStreamCertificate(request.output, keys, policy.digest, request.signed_prefix));
  }
  if (request.signed_prefix && signed_stream.wrong.empty()) {
    const std::string last = fmt::format(",\"chain\":\"{}\"}}\n", signed_stream.points.back().chain);
    const std::size_t end = log.find(last);
    if (end != std::string::npos) log.resize(end + last.size());  // if it is not there, the check of the chain says so
    bytes = signed_stream.points.back().bytes;
  }
  CORDON_TRY(StreamAudit audit, VerifyRows(request, log, bytes, policy, run));
  CORDON_RETURN_IF_ERROR(CheckChain(request, log, signed_stream, audit));
  return audit;
}

Json ToJson(const StreamAudit& audit) {
  Json json = {{"format", 1},
               {"rows", audit.rows},
               {"people", audit.people ? Json(*audit.people) : Json()},
               {"departures", audit.departures},
               {"groups", audit.groups},
               {"suppressed", audit.suppressed},
               {"longest_delay_tuples", audit.longest_delay},
               {"ended", audit.ended},
               {"chain", audit.chain.empty() ? Json() : Json(audit.chain)},
               {"privacy", Json::array()},
               {"each_group", Json::array()},
               {"findings", audit.findings},
               // Neither true nor false: part of what was promised could not be judged.
               {"holds", audit.holds() || audit.fails() ? Json(audit.holds()) : Json()}};
  if (!audit.warnings.empty()) json["warnings"] = audit.warnings;
  if (audit.signed_part) {
    json["signed"] = {{"text", audit.signed_part->signer},
                      {"rows", audit.signed_part->rows},
                      {"bytes", audit.signed_part->bytes},
                      {"bytes_after", audit.signed_part->bytes_after}};
  }
  for (const Verdict& verdict : audit.whole) json["privacy"].push_back(ToJson(verdict));
  for (const Verdict& verdict : audit.by_departure) json["each_group"].push_back(ToJson(verdict));
  if (!audit.window_models.empty()) {
    json["windows"] = {{"models", Json::array()}, {"groups", audit.windows_judged}, {"unknown", audit.windows_unknown}};
    for (const ModelSpec& spec : audit.window_models) json["windows"]["models"].push_back(ToJson(spec));
  }
  return json;
}

std::string Describe(const StreamAudit& audit) {
  const std::string people = audit.people ? fmt::format(" of {} people", *audit.people) : "";
  std::string text =
      fmt::format("{} rows{} in {} groups, {} suppressed; longest delay {} tuples{}\n", audit.rows, people, audit.groups,
                  audit.suppressed, audit.longest_delay, audit.ended ? "" : "; the stream has not ended");
  for (const Verdict& verdict : audit.whole) text += Explain(verdict) + "\n";
  for (const Verdict& verdict : audit.by_departure) {
    text += fmt::format("each group when it was published: {}\n", Explain(verdict));
  }
  for (const ModelSpec& spec : audit.window_models) {
    text += fmt::format("{}: {} groups checked against their windows\n", Describe(spec), audit.windows_judged);
  }
  if (audit.windows_unknown > 0) {
    text += fmt::format(
        "{} groups cannot be checked against theirs: too many tuples of them were not published; whether they hold is not "
        "known\n",
        audit.windows_unknown);
  }
  if (audit.chain.empty()) text += "the log has no chain: it is of an earlier version, and changed cells cannot be seen\n";
  if (audit.signed_part) {
    text += fmt::format("certificate: {}, up to row {}", audit.signed_part->signer, audit.signed_part->rows);
    text += audit.signed_part->bytes_after > 0
                ? fmt::format("; the {} bytes after it are not signed\n", audit.signed_part->bytes_after)
                : "\n";
  }
  for (const std::string& finding : audit.findings) text += fmt::format("fault: {}\n", finding);
  if (audit.findings.empty()) text += "every row and every tuple is accounted for, once and in time\n";
  return text;
}

}  // namespace cordon::engine
