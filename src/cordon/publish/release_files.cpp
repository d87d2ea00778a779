// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/release_files.h"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <unordered_map>

#include "cordon/base/canonical_json.h"
#include "cordon/base/digest.h"
#include "cordon/base/json.h"
#include "cordon/bind/bind.h"
#include "cordon/bind/published_scale.h"
#include "cordon/bind/read_release.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/io/open_source.h"
#include "cordon/metrics/grouping.h"
#include "cordon/plan/registry.h"
#include "cordon/plan/run_ke.h"
#include "cordon/report/manifest.h"
#include "cordon/report/manifest_check.h"
#include "cordon/report/utility.h"
#include "cordon/store/store_change.h"

namespace cordon::engine {
namespace {

std::optional<std::uint64_t> RowNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number - 1;
}

std::string ManifestPathOf(const std::string& path) { return path + ".manifest.json"; }
// A link that leads nowhere is there, too.
bool IsThere(const std::string& path) {
  std::error_code failed;
  return std::filesystem::exists(std::filesystem::symlink_status(path, failed));
}
std::string RecordPathOf(const std::string& path) { return path + ".private.json"; }

// A text of a JSON object; empty if there is none.
std::string TextAt(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

// A manifest that is there and cannot be read is an error: what it says of the file is not known.
Result<Json> ReadSealed(const std::string& path, const char* what) {
  CORDON_RETURN_IF_ERROR(RequireRegularFile(path));
  CORDON_TRY(const std::string text, ReadFile(path, 256 * kMebibyte));
  Json json = ParseJsonOnce(text);
  if (json.is_object()) return json;
  return Error::InvalidData("{} is not a {}", path, what).WithHint("if it belongs to something else, move it away");
}

std::optional<Json> ManifestBeside(const std::string& path) {
  if (IsSpecialFile(ManifestPathOf(path))) return std::nullopt;
  const Result<std::string> text = ReadFile(ManifestPathOf(path), 256 * kMebibyte);
  if (!text.ok()) return std::nullopt;
  Json manifest = ParseJsonOnce(text.value());
  if (!manifest.is_object() || !manifest.contains("output") || !manifest["output"].is_object()) return std::nullopt;
  return manifest;
}

// Rows that are "*" throughout may be a group or suppressed rows: the manifest of exactly this file says how many were
// suppressed, and those that are not left out are stars. Nothing if there is none, or the rows do not bear it out.
std::optional<std::uint64_t> StarredBeside(const std::string& path, const std::string& digest, const Release& release) {
  const std::optional<Json> manifest = ManifestBeside(path);
  if (!manifest || (*manifest)["output"].value("sha256", Json()) != digest) return std::nullopt;
  const Json said = manifest->value("suppressed", Json());
  const std::uint64_t left_out = RowsLeftOut(release);
  if (!said.is_number_unsigned() || left_out < release.dropped) return std::nullopt;
  const auto suppressed = said.get<std::uint64_t>();
  if (suppressed < left_out - release.dropped) return std::nullopt;
  const std::uint64_t starred = suppressed - (left_out - release.dropped);
  return starred <= StarredRows(release) ? std::optional(starred) : std::nullopt;
}

// A release without a header may have ends instead of a number, and a group column: its manifest names the columns. Taken
// only if they are the published ones in their order, but for that.
std::optional<std::vector<std::string>> NamesBeside(const std::string& path, const std::vector<std::string>& published,
                                                    const Policy& policy) {
  const std::optional<Json> manifest = ManifestBeside(path);
  if (!manifest) return std::nullopt;
  const Json names = (*manifest)["output"].value("names", Json());
  if (!names.is_array()) return std::nullopt;
  std::vector<std::string> found;
  std::vector<std::string> bare;
  for (const Json& name : names) {
    if (!name.is_string()) return std::nullopt;
    found.push_back(name.get<std::string>());
    const std::string& each = found.back();
    const bool known = policy.Find(each) != nullptr;
    if (known) bare.push_back(each);
    if (!known && each.ends_with("_lo")) bare.push_back(each.substr(0, each.size() - 3));
    if (!known && !each.ends_with("_lo") && !each.ends_with("_hi") && each != "group") return std::nullopt;
  }
  return bare == published ? std::optional(found) : std::nullopt;
}

// Whether the file has names that the policy must not replace: then two columns could change places unseen.
bool NamesItsColumns(const std::string& path, std::optional<FileFormat> format) {
  if (IsSql(path)) return false;
  const auto by_path = FormatOfPath(path);
  return format.value_or(by_path.ok() ? by_path.value().format : FileFormat::kCsv) != FileFormat::kCsv;
}

struct StoreRows {
  Table table;
  std::string sensitive;  // what its manifest says was shuffled inside the groups
  std::optional<HelpAudit> help;
  Json manifest;
};
Result<StoreRows> ReadStoreRows(const std::string& store, bool with_help, const Run& run) {
  CORDON_TRY(const StoreManifest manifest, OpenStore(store));
  if (::access(PrivatePath(store).c_str(), R_OK | X_OK) == 0) {  // where the store was made: the other half must be whole, too
    CORDON_RETURN_IF_ERROR(CheckPrivateHalf(store, manifest));
  }
  CORDON_RETURN_IF_ERROR(RequireNamedPartsOnly(store, manifest));
  CORDON_TRY(const std::unique_ptr<Source> source, OpenStoreTable(store, manifest));
  CORDON_TRY(Table table, ReadTable(*source, run));
  std::optional<HelpAudit> help;
  if (with_help) {
    CORDON_TRY(help, AuditHelp(store, manifest, table, run));
  }
  return StoreRows{std::move(table), manifest.json.value("sensitive", ""), std::move(help), manifest.json};
}

// Cells are compared by their texts. Readers of JSON tell 1 from "1" and null from a key that is not there: a release with both
// in one column would mark rows of one group. A column that no model looks at may have what it likes.
Result<void> CheckOneType(const Source& source, const Policy& policy) {
  for (std::size_t i = 0; i < source.column_names().size(); ++i) {
    if (source.column_type(i) != CellType::kSeveral) continue;
    const std::string& name = source.column_names()[i];
    const AttributePolicy* attribute = policy.Find(name);
    const bool end = attribute == nullptr && (name.ends_with("_lo") || name.ends_with("_hi"));
    if (end) attribute = policy.Find(name.substr(0, name.size() - 3));
    const bool judged = attribute == nullptr || attribute->role == Role::kQuasi || attribute->role == Role::kSensitive;
    if (!judged) continue;
    return Error::InvalidData("column {}: some of its cells are texts and others are numbers, true or false, or not there",
                              name)
        .WithHint("the cells of a quasi or sensitive column of a release have one type, and every line has every key");
  }
  return {};
}

// A name that could well be meant for a store.
bool IsMissingStore(const std::string& path) {
  std::error_code failed;
  return path != "-" && !IsSql(path) && !std::filesystem::path(path).has_extension() && !std::filesystem::exists(path, failed);
}

}  // namespace

TextFormat ReleaseText(const std::string& path, const Policy& policy, std::optional<FileFormat> format) {
  TextFormat text = policy.data.text;
  text.encoding = Encoding::kUtf8;  // as releases are, whatever the input was
  text.skip = 0;
  text.trim = false;  // they are compared as they stand: blanks would mark rows
  if (NamesItsColumns(path, format)) text.columns.clear();
  if (text.columns.empty()) return text;
  std::vector<std::string> published;
  for (const std::string& name : text.columns) {
    const AttributePolicy* attribute = policy.Find(name);
    const bool hidden = attribute != nullptr && !IsPublished(*attribute);
    if (!hidden) published.push_back(name);
  }
  text.columns = NamesBeside(path, published, policy).value_or(published);
  return text;
}

Result<void> CheckBytesBeside(const std::string& path, const std::string& digest) {
  const std::string manifest = ManifestPathOf(path);
  if (path == "-" || IsSql(path) || !IsThere(manifest)) return {};
  CORDON_TRY(const Json said, ReadSealed(manifest, "manifest"));
  if (TextAt(said.value("output", Json()), "sha256") == digest) return {};
  return Error::InvalidData("the bytes of {} are not those that {} names", path, manifest)
      .WithHint("give the previous release as it was published, with its own manifest");
}

UpperEnds EndsBeside(const std::string& path, const std::string& digest) {
  const std::optional<Json> manifest = ManifestBeside(path);
  if (!manifest || (*manifest)["output"].value("sha256", Json()) != digest) return {};
  return EndsOf(*manifest);
}

Result<Microdata> ReadOriginal(const TableInput& input, const Policy& policy, const Run& run) {
  CORDON_TRY(const Table table, ReadTableFile(input, policy.data.text, std::nullopt, run));
  return Bind(policy, table, run).WithContext("binding {} to {}", input.name, policy.name);
}

std::string SetMatch::Explain() const {
  return holds ? "files: hold; they are those of one run" : fmt::format("files: do not hold; {}", what);
}

Result<std::optional<SetMatch>> MatchSet(const std::string& path, const std::string& digest, const std::string& row_map,
                                         std::optional<Json>* kept) {
  const std::string manifest = ManifestPathOf(path);
  const std::string record = RecordPathOf(path);
  const bool has_manifest = IsThere(manifest);
  const bool has_record = ::access(record.c_str(), R_OK) == 0;  // private: only where it was made
  if (path == "-" || IsSql(path) || (!has_manifest && !has_record)) return std::optional<SetMatch>();
  SetMatch match{true, ""};
  const auto check = [&](const std::string& said, const std::string& is, const std::string& file, const std::string& by) {
    if (!match.holds || said == is) return;
    match = {false, fmt::format("the bytes of {} are not those that {} names", file, by)};
  };
  if (has_manifest) {
    CORDON_TRY(const Json said, ReadSealed(manifest, "manifest"));
    const std::string sha256 = TextAt(said.value("output", Json()), "sha256");
    if (sha256.empty()) return Error::InvalidData("{} does not name the bytes of a release", manifest);
    CORDON_RETURN_IF_ERROR(CheckManifestForm(said, manifest));
    check(sha256, digest, path, manifest);
    if (kept != nullptr) *kept = said;
  }
  if (!has_record) return std::optional(match);
  CORDON_TRY(const Json said, ReadSealed(record, "run record"));
  check(TextAt(said, "output_sha256"), digest, path, record);
  for (const auto& [key, file] :
       {std::pair{"manifest_sha256", has_manifest ? manifest : ""}, std::pair{"row_map_sha256", row_map}}) {
    if (file.empty() || TextAt(said, key).empty()) continue;
    CORDON_TRY(const std::string bytes, ReadFile(file));
    check(TextAt(said, key), ToHex(Sha256Of(bytes)), file, record);
  }
  return std::optional(match);
}

Result<Release> ReadReleaseFile(const TableInput& input, const Policy& policy, Microdata* original,
                                std::optional<FileFormat> format, const Run& run, FileAudit* audit,
                                const std::string& row_map) {
  const std::string& path = input.name;
  if (std::error_code failed; input.table == nullptr && std::filesystem::is_directory(path, failed)) {
    const std::string store = StorePath(path);
    CORDON_TRY(const StoreRows read, ReadConsistent(store, run, [&] { return ReadStoreRows(store, audit != nullptr, run); }));
    CORDON_TRY(Release release, ReadRelease(policy, read.table, original, run).WithContext("reading {}", path));
    release.permuted = read.sensitive;
    if (audit != nullptr) {
      audit->help = read.help;
      audit->manifest = read.manifest;
    }
    return release;
  }
  if (input.table == nullptr && IsMissingStore(path) && !format) {
    return Error::Io("reading {}: there is no such file or store", path)
        .WithHint("cordon permute INPUT --policy P.toml --output STORE makes a store; a table has a name such as table.csv");
  }
  if (audit != nullptr && input.table == nullptr && path != "-" && !IsSql(path)) {
    CORDON_RETURN_IF_ERROR(RequireRegularFile(path));
  }
  CleanFolderOnce(DirectoryOf(path));  // a killed run may be about to put it there
  CORDON_TRY(
      const std::unique_ptr<Source> source,
      OpenSource(
          input,
          {.text = ReleaseText(path, policy, format), .format = format, .stop = run.stop, .skip_columns = {}, .exact = true}));
  CORDON_TRY(const Table table, ReadTable(*source, run));
  CORDON_RETURN_IF_ERROR(CheckOneType(*source, policy).WithContext("reading {}", path));
  if (audit != nullptr && input.table == nullptr) {
    CORDON_TRY(audit->set, MatchSet(path, source->InputDigest(), row_map, &audit->manifest));
    for (const Column& column : table.columns) audit->names.push_back(column.name);
  }
  if (original != nullptr) WidenScale(table, *original);
  const UpperEnds ends = input.table == nullptr ? EndsBeside(path, source->InputDigest()) : UpperEnds{};
  if (audit != nullptr) audit->ends_not_known = RangesWithoutEnds(policy, table, ends);
  CORDON_TRY(Release release, ReadRelease(policy, table, original, run, ends).WithContext("reading {}", path));
  if (original != nullptr && input.table == nullptr) {
    release.starred = StarredBeside(path, source->InputDigest(), release);
  }
  // Under a policy that ke serves, the groups that a release names are those inside which it was shuffled.
  const auto choice = ChooseAlgorithm(policy.algorithm.name, policy);
  if (choice.ok() && choice.value().algorithm->permutes() && !release.ColumnsOf(Role::kGroup).empty()) {
    CORDON_TRY(release.permuted, ColumnToPermute(policy));
  }
  return release;
}

Result<std::vector<RowId>> ReadRowMap(const std::string& path, const Release& release, const Microdata& original,
                                      const Run& run) {
  CORDON_TRY(const Table table, ReadTableFile(path, {}, std::nullopt, run));
  const Column* released = table.Find("released_row");
  const Column* input = table.Find("input_row");
  if (released == nullptr || input == nullptr) {
    return Error::InvalidData("{} is not a row map", path)
        .WithHint("a row map has the columns released_row,input_row (anonymize --row-map)");
  }
  std::unordered_map<std::uint64_t, RowId> row_of_input;
  for (RowId row = 0; row < original.num_rows; ++row) row_of_input.emplace(original.input_row(row), row);
  std::vector<RowId> map(release.num_rows);
  std::vector<bool> seen(release.num_rows);
  for (std::size_t line = 0; line < table.num_rows; ++line) {
    const auto to = RowNumber(released->cell(line).bytes());
    const auto from = RowNumber(input->cell(line).bytes());
    const auto found = from ? row_of_input.find(*from) : row_of_input.end();
    if (!to || *to >= release.num_rows || found == row_of_input.end() || seen[*to]) {
      return Error::InvalidData("{}: row {} does not fit the release and the original", path, line + 1);
    }
    map[*to] = found->second;
    seen[*to] = true;
  }
  if (table.num_rows != release.num_rows) {
    return Error::InvalidData("{} has {} rows, the release has {}", path, table.num_rows, release.num_rows);
  }
  return map;
}

}  // namespace cordon::engine
