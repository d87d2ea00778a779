// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/manifest_check.h"

#include <algorithm>
#include <set>

#include "cordon/base/canonical_json.h"
#include "cordon/data/decimal.h"
#include "cordon/report/manifest.h"
#include "cordon/report/report.h"

namespace cordon::engine {
namespace {

bool IsText(const Json& json) { return json.is_string(); }
bool IsDelimiter(const Json& json) { return IsText(json) && !json.get_ref<const std::string&>().empty(); }
bool IsQuote(const Json& json) { return IsText(json) && json.get_ref<const std::string&>().size() <= 1; }  // none: no quoting
bool IsFlag(const Json& json) { return json.is_boolean(); }
bool IsCount(const Json& json) { return json.is_number_unsigned(); }
bool IsObject(const Json& json) { return json.is_object(); }
bool IsObjects(const Json& json) { return json.is_array() && std::all_of(json.begin(), json.end(), IsObject); }
bool IsTexts(const Json& json) { return json.is_array() && std::all_of(json.begin(), json.end(), IsText); }
bool IsLists(const Json& json) { return json.is_object() && std::all_of(json.begin(), json.end(), IsTexts); }
bool IsPairs(const Json& json) {
  return json.is_array() &&
         std::all_of(json.begin(), json.end(), [](const Json& pair) { return IsTexts(pair) && pair.size() == 2; });
}
bool IsVersion(const Json& json) { return json.is_number_integer() && (json == 1 || json == 2); }
bool IsEnd(const Json& json) { return json == "included" || json == "excluded"; }
bool IsCounted(const Json& json) { return json == "rows" || json == "persons"; }
bool IsKnownFormat(const Json& json) { return json.is_string() && FormatOfName(json.get<std::string>()).ok(); }
bool IsRole(const Json& json) {
  constexpr Role kRoles[] = {Role::kIdentifier, Role::kPerson,      Role::kQuasi, Role::kSensitive,
                             Role::kClass,      Role::kInsensitive, Role::kGroup};
  return std::any_of(std::begin(kRoles), std::end(kRoles), [&](Role role) { return json == RoleName(role); });
}
bool IsTime(const Json& json) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (!IsText(json) || json.get_ref<const std::string&>().size() != kForm.size()) return false;
  const auto& text = json.get_ref<const std::string&>();
  const bool formed = std::equal(kForm.begin(), kForm.end(), text.begin(),
                                 [](char form, char is) { return form == '0' ? is >= '0' && is <= '9' : is == form; });
  return formed && text.substr(0, 4) != "0000" && ParseDate(text.substr(0, 10)) && text.substr(11, 2) < "24" &&
         text[14] < '6' && text[17] < '6';
}
bool IsList(const Json& json) { return json.is_array(); }
bool IsTextOrNull(const Json& json) { return json.is_null() || IsText(json); }
bool IsPathsOrLists(const Json& json) {
  return IsLists(json) && std::none_of(json.begin(), json.end(), [](const Json& path) { return path.empty(); });
}
bool IsRoute(const Json& json) { return json == "definition" || json == "counting"; }
bool IsRegime(const Json& json) { return json == "closed" || json == "linking"; }
bool IsAudit(const Json& json) { return json == "not needed" || json == "done" || json == "not applicable"; }
bool IsMatch(const Json& json) { return json == "text" || json == "paths" || json == "numeric" || json == "date"; }
bool IsColumnType(const Json& json) { return json == "numeric" || json == "date" || json == "categorical"; }

// A key, what its value must be, and whether it must be there.
struct FormField {
  const char* key;
  bool (*fits)(const Json&);
  bool required = false;
};

constexpr FormField kManifestFields[] = {
    {"format", IsVersion, true}, {"tool", IsText},           {"policy_sha256", IsText}, {"algorithm", IsText},
    {"suppressed", IsCount},     {"permuted", IsText},       {"set", IsTexts},          {"previous", IsObjects},
    {"join", IsObject},          {"output", IsObject, true}, {"privacy", IsObjects},    {"signed_at", IsTime},
    {"signatures", IsList}};
constexpr FormField kOutputFields[] = {{"name", IsText},     {"sha256", IsText, true},    {"bytes", IsCount},
                                       {"rows", IsCount},    {"format", IsKnownFormat},   {"delimiter", IsDelimiter},
                                       {"quote", IsQuote},   {"header", IsFlag},          {"names", IsTexts},
                                       {"missing", IsTexts}, {"columns", IsObjects, true}};
constexpr FormField kColumnFields[] = {
    {"name", IsText, true}, {"role", IsRole, true}, {"type", IsColumnType}, {"upper_end", IsEnd}, {"closed", IsPairs}};
constexpr FormField kClaimFields[] = {{"model", IsText, true},   {"text", IsText},      {"holds", IsFlag, true},
                                      {"reached", IsText},       {"counts", IsCounted}, {"order", IsTexts},
                                      {"paths", IsPathsOrLists}, {"prefix", IsCount}};
constexpr FormField kPreviousFields[] = {{"name", IsText, true}, {"sha256", IsText, true}, {"columns", IsObjects}};
constexpr FormField kEndFields[] = {{"name", IsText, true}, {"upper_end", IsEnd, true}, {"closed", IsPairs}};
constexpr FormField kJoinFields[] = {
    {"tuples", IsText}, {"route", IsRoute},          {"forced_links", IsObject},     {"privacy", IsObjects, true},
    {"holds", IsFlag},  {"columns", IsObject, true}, {"impossible", IsObjects, true}};
constexpr FormField kForcedLinksFields[] = {{"audit", IsAudit}, {"ruled_out", IsCount}, {"why", IsText}};
constexpr FormField kJoinClaimFields[] = {{"model", IsText, true},
                                          {"text", IsText},
                                          {"regime", IsRegime},
                                          {"holds", IsFlag, true},
                                          {"reached", IsTextOrNull},
                                          {"reached_alone", IsTextOrNull},
                                          {"reached_without_forced_links", IsTextOrNull}};
constexpr FormField kMatchFields[] = {{"match", IsMatch, true}, {"paths", IsPathsOrLists}};
constexpr FormField kImpossibleFields[] = {{"current", IsText, true}, {"previous", IsText, true}, {"pairs", IsPairs, true}};

// The first field that does not fit; empty: none.
template <std::size_t kFields>
std::string FieldFault(const Json& object, const FormField (&fields)[kFields]) {
  for (const FormField& field : fields) {
    const bool there = object.contains(field.key);
    if (there ? !field.fits(object[field.key]) : field.required) return field.key;
  }
  return "";
}

// Visits the fields of a model (model_spec.h) and takes them from a claim. Numbers are whole numbers or texts such as "1/5".
struct FieldsOfClaim {
  const Json& claim;
  bool good = true;

  std::optional<Rational> Number(const char* key) {
    if (!claim.contains(key)) return std::nullopt;
    const Json& json = claim[key];
    if (json.is_string()) {
      if (auto number = Rational::Parse(json.get<std::string>()); number.ok()) return number.value();
    } else if (json.is_number_integer()) {
      if (auto number = Rational::Parse(json.dump()); number.ok()) return number.value();
    }
    good = false;
    return std::nullopt;
  }
  void Text(const char* key, std::string& text) {
    good = good && claim.contains(key) && claim[key].is_string();
    if (good) text = claim[key].get<std::string>();
  }
  void Sensitive(const char* key, std::string& column) { Text(key, column); }
  void Value(const char* key, std::string& value) { Text(key, value); }
  void Grouping(const char* key, std::vector<std::string>& columns) {
    if (!claim.contains(key)) return;
    good = good && IsTexts(claim[key]);
    if (good) columns = claim[key].get<std::vector<std::string>>();
  }
  void Whole(const char* key, std::optional<std::int64_t>& number, int) {
    const std::optional<Rational> found = Number(key);
    good = good && (!found || found->denominator() == 1);
    if (good && found) number = found->numerator();
  }
  void Whole(const char* key, std::int64_t& number, int least) {
    std::optional<std::int64_t> found;
    Whole(key, found, least);
    good = good && found;
    if (good) number = *found;
  }
  void Exact(const char* key, std::optional<Rational>& number) { number = Number(key); }
  void Exact(const char* key, Rational& number) {
    const std::optional<Rational> found = Number(key);
    good = good && found;
    if (good) number = *found;
  }
  void Choice(const char* key, auto& choice, const auto& names) {
    if (!claim.contains(key)) return;
    const auto at = std::find_if(names.begin(), names.end(), [&](const char* name) { return claim[key] == name; });
    good = good && at != names.end();
    if (good) choice = static_cast<std::decay_t<decltype(choice)>>(at - names.begin());
  }
  void Counts(const char* key, CountBy& counts) { Choice(key, counts, kCounts); }
  void Values(const char* key, std::map<std::string, std::vector<std::string>>& columns) {
    good = good && claim.contains(key) && IsLists(claim[key]);
    if (good) columns = claim[key].get<std::map<std::string, std::vector<std::string>>>();
  }
};

// The same of a model on joins (join_spec.h).
struct FieldsOfJoinClaim : FieldsOfClaim {
  void Known(const char* key, std::vector<ColumnRef>& columns) {
    good = good && claim.contains(key) && IsTexts(claim[key]);
    for (std::size_t i = 0; good && i < claim[key].size(); ++i) {
      columns.push_back(ParseColumnRef(claim[key][i].get_ref<const std::string&>()));
    }
  }
  void Counted(const char* key, XyAnonymitySpec& spec) {
    if (claim.contains(key) && claim[key].is_array()) {
      spec.count = XyAnonymitySpec::Count::kColumns;
      return Known(key, spec.y);
    }
    std::string text;
    Text(key, text);
    constexpr std::string_view kRows = "rows of previous";
    spec.count = text == "pairs" ? XyAnonymitySpec::Count::kPairs : XyAnonymitySpec::Count::kPersons;
    if (text == "person" || text == "pairs") return;
    spec.count = XyAnonymitySpec::Count::kPreviousRows;
    if (text == kRows) return;
    spec.previous = text.starts_with(kRows) ? ParseColumnRef("previous" + text.substr(kRows.size()) + ".x").release : 0;
    good = good && spec.previous > 0;
  }
  void Guarded(const char* key, std::vector<std::pair<ColumnRef, std::vector<std::string>>>& columns) {
    good = good && claim.contains(key) && IsLists(claim[key]);
    if (!good) return;
    for (const auto& [name, listed] : claim[key].items()) {
      columns.emplace_back(ParseColumnRef(name), listed.get<std::vector<std::string>>());
    }
  }
};

std::optional<JoinSpec> JoinModelOf(const Json& claim) {
  for (JoinSpec& spec : EveryJoinModel()) {
    if (claim.value("model", "") != ModelName(spec)) continue;
    FieldsOfJoinClaim fields{{claim}};
    std::visit([&](auto& each) { each.VisitFields(each, fields); }, spec);
    if (!fields.good || !Validate(spec).ok()) return std::nullopt;
    return spec;
  }
  return std::nullopt;
}

std::optional<ModelSpec> ModelOf(const Json& claim) {
  for (ModelSpec& spec : EveryModel()) {
    if (claim.value("model", "") != ModelName(spec)) continue;
    FieldsOfClaim fields{claim};
    std::visit([&](auto& each) { each.VisitFields(each, fields); }, spec);
    if (!fields.good || !Validate(spec).ok()) return std::nullopt;
    return spec;
  }
  return std::nullopt;
}

// Of `output.columns`: the names that the columns have in the file, which shows a range by two.
std::set<std::string> NamesOf(const Json& columns, const std::vector<std::string>& names) {
  const std::set<std::string> there(names.begin(), names.end());
  std::set<std::string> found;
  for (const Json& column : columns) {
    const auto name = column["name"].get<std::string>();
    const bool two = !there.contains(name) && there.contains(name + "_lo");
    if (!two) found.insert(name);
    if (two) found.insert({name + "_lo", name + "_hi"});
  }
  return found;
}

// What is said of the upper ends of ranges: of two columns alone, in the form in which MakeManifest says it of these cells.
std::string EndsFault(const Json& columns, const JudgedRelease& judged) {
  const std::set<std::string> names(judged.names.begin(), judged.names.end());
  for (const Json& column : columns) {
    if (!column.contains("upper_end") && !column.contains("closed")) continue;
    const auto name = column["name"].get<std::string>();
    const Domain* domain = judged.release.Find(name)->attribute.domain.get();
    const bool two = !names.contains(name) && names.contains(name + "_lo") && names.contains(name + "_hi");
    if (!two || !column.contains("upper_end") || domain == nullptr || domain->is_categorical()) {
      return fmt::format("says how ranges of '{}' end, and it does not show them by their ends", name);
    }
    const UpperEnd said = EndsOf({{"output", {{"columns", {column}}}}}).at(name);
    const UpperEnd is = UpperEndOf(*judged.release.Find(name)).value_or(UpperEnd{});
    if (said.open != is.open || said.closed != is.closed)
      return fmt::format("says of ranges of '{}' how they end that are not there", name);
  }
  return "";
}

// The file itself, whatever the policy.
std::string FileFault(const Json& output, const JudgedRelease& judged) {
  const std::uint64_t rows = judged.release.num_rows;
  if (output.contains("rows") && output["rows"] != rows) {
    return fmt::format("says that there are {} rows, and there are {}", output["rows"].dump(), rows);
  }
  if (judged.bytes && output.contains("bytes") && output["bytes"] != *judged.bytes) {
    return fmt::format("says that the file has {} bytes, and it has {}", output["bytes"].dump(), *judged.bytes);
  }
  if (output.contains("format") && output["format"] != FormatName(judged.format)) {
    return fmt::format("says that the file is {}, and it is {}", output["format"].get<std::string>(),
                       FormatName(judged.format));
  }
  const bool named = judged.format == FileFormat::kCsv || judged.format == FileFormat::kJsonLines ||
                     judged.format == FileFormat::kParquet;  // other formats may not hold every name
  if (!named) return "";
  if (output.contains("names") && output["names"] != Json(judged.names)) return "names other columns than the file has";
  if (NamesOf(output["columns"], judged.names) != std::set<std::string>(judged.names.begin(), judged.names.end())) {
    return "describes other columns than the file has";
  }
  for (const Json& column : output["columns"]) {  // the ends of one column are not two columns of any role
    const auto name = column["name"].get<std::string>();
    if (judged.release.Find(name) == nullptr)
      return fmt::format("describes a column '{}', which the policy does not have", name);
  }
  return EndsFault(output["columns"], judged);
}

// What the policy says of the file and its columns. REQUIRES: the manifest names this very policy.
std::string PolicyFault(const Json& manifest, const JudgedRelease& judged) {
  const Json& output = manifest["output"];
  const TextFormat& text = judged.policy.data.text;
  const auto differs = [&](const char* key, const Json& is) { return output.contains(key) && output[key] != is; };
  if (judged.format == FileFormat::kCsv &&
      (differs("delimiter", judged.delimiter) || differs("header", text.header) ||
       differs("quote", text.quote == '\0' ? std::string() : std::string(1, text.quote)))) {
    return "says that the file is written in another way than it is";
  }
  if (differs("missing", judged.policy.data.missing)) return "has other markers of missing cells than the policy that it names";
  for (const Json& column : output["columns"]) {
    const ReleaseColumn* is = judged.release.Find(column["name"].get<std::string>());
    if (is == nullptr) continue;
    const bool typed = is->attribute.domain != nullptr && column.contains("type");
    if (column["role"] != RoleName(is->attribute.role) || (typed && column["type"] != TypeName(is->attribute.domain->kind()))) {
      return "describes a column in another way than the policy that it names";
    }
  }
  if (manifest.value("permuted", "") != judged.release.permuted) return "says that another column was shuffled";
  return "";
}

// Whether the figure of a model is one of the published cells alone. If the policy has a column of persons, k counts people,
// which no cell shows; other models do if they say so.
bool IsOfCells(const ModelSpec& spec, bool persons) {
  const bool counts_k = std::holds_alternative<KAnonymitySpec>(spec) || std::holds_alternative<KsAnonymitySpec>(spec) ||
                        std::holds_alternative<AlphaKSpec>(spec);
  return !(counts_k && persons) && !CountsPersons(spec);
}

bool Same(const Json& a, const Json& b) {  // whatever the order of the keys
  const auto one = CanonicalJson(a);
  const auto two = CanonicalJson(b);
  return one.ok() && two.ok() && one.value() == two.value();
}

// The order, or the paths, without missing cells: an input may have had some, and its release none.
Json PlainDomain(const Json& domain, const std::vector<std::string>& missing) {
  const auto is_missing = [&](const std::string& text) {
    return std::find(missing.begin(), missing.end(), text) != missing.end();
  };
  Json plain = domain;
  if (domain.is_array()) plain = Json::array();
  for (const auto& [name, path] : domain.items()) {
    if (domain.is_object() && is_missing(name)) plain.erase(name);
    if (domain.is_array() && !is_missing(path.get<std::string>())) plain.push_back(PlainEnd(path.get<std::string>()));
  }
  return plain;
}

// Whether the claim orders the values of its column as the policy does.
bool HasDomainOf(const Json& claim, const Verdict& verdict, const JudgedRelease& judged) {
  const Json is = DomainOf(verdict.spec, judged.policy, judged.release);
  for (const char* key : {"order", "paths", "prefix"}) {
    if (!claim.contains(key)) continue;
    if (!is.contains(key)) return false;
    const std::vector<std::string>& missing = judged.policy.data.missing;
    const bool same = claim[key].is_structured() ? Same(PlainDomain(claim[key], missing), PlainDomain(is[key], missing))
                                                 : claim[key] == is[key];
    if (!same) return false;
  }
  return true;
}

// Whether the claim asks for the model of the verdict. A claim may leave out what has a default, but not the columns it is on.
bool IsClaimOf(const Json& claim, const Verdict& verdict) {
  const std::optional<ModelSpec> model = ModelOf(claim);
  const Json told = ToJson(*model);
  const Json asked = ToJson(verdict.spec);
  for (const auto& [key, value] : asked.items()) {
    if ((key == "model" || key == "on" || claim.contains(key)) && told.value(key, Json()) != value) return false;
  }
  for (const auto& [key, value] : told.items()) {
    if (claim.contains(key) && !asked.contains(key)) return false;
  }
  return true;
}

// Every model of the policy is claimed, and nothing else; counts are those of the rows.
std::string ClaimsFault(const Json& claims, const JudgedRelease& judged) {
  std::vector<bool> claimed(judged.verdicts.size());
  for (const Json& claim : claims) {
    bool asked = false;
    for (std::size_t i = 0; i < judged.verdicts.size(); ++i) {
      const Verdict& verdict = judged.verdicts[i];
      if (!IsClaimOf(claim, verdict)) continue;
      asked = claimed[i] = true;
      if (!HasDomainOf(claim, verdict, judged)) {
        return fmt::format("has other values, or another order of them, for {} than the policy that it names", verdict.text);
      }
      const bool counted = judged.compare_counts && IsOfCells(verdict.spec, judged.persons) && claim.contains("reached");
      if (counted && claim["reached"] != verdict.reached_text) {
        return fmt::format("says that {} reached another figure than {}", verdict.text, verdict.reached_text);
      }
    }
    if (!asked) return "claims a model that the policy that it names does not ask for";
  }
  const auto missing = std::find(claimed.begin(), claimed.end(), false);
  if (missing == claimed.end()) return "";
  return fmt::format("does not claim {}", judged.verdicts[static_cast<std::size_t>(missing - claimed.begin())].text);
}

// What a claim on the join says that is not so. People with several rows are counted once, and no cell shows them.
std::string JoinClaimFault(const Json& claim, const JoinVerdict& verdict) {
  if (claim.value("y", Json()) == "person" || claim.value("reached", Json()).is_null()) return "";
  const std::string reached = verdict.join ? verdict.join->Text() : "0";
  if (claim["reached"] == reached) return "";
  return fmt::format("says that {} reached another figure than {}", verdict.text, reached);
}

// What is known of the keys of an object; others say nothing.
Json KnownOf(const Json& object, std::initializer_list<const char*> keys) {
  Json known = Json::object();
  for (const char* key : keys) {
    if (object.contains(key)) known[key] = object[key];
  }
  return known;
}

bool JoinsAs(const Json& join, const JudgedRelease& judged) {
  Json said = Json::object();
  Json columns = Json::object();
  Json impossible = Json::array();
  for (const auto& [name, how] : join["columns"].items()) {
    said[name] = how["match"] == "paths" ? KnownOf(how, {"match", "paths"}) : KnownOf(how, {"match"});
  }
  for (const std::string& name : judged.join->shared) columns[name] = HowToMatch(name, judged.policy, judged.release);
  for (const Json& each : join["impossible"]) impossible.push_back(KnownOf(each, {"current", "previous", "pairs"}));
  return Same(said, columns) && Same(impossible, ImpossibleOf(judged.policy));
}

// The text and the verdict of each claim on the join; of the models of the policy also that all of them are there, and their
// figures if the join was judged.
std::string JoinFault(const Json& join, const JudgedRelease& judged, bool own_policy) {
  if (join["privacy"].empty()) return "claims nothing of the join";
  if (!join.value("holds", true)) return "says itself that the join does not hold";
  for (const Json& claim : join["privacy"]) {
    if (claim.contains("text") && claim["text"] != Describe(*JoinModelOf(claim))) {
      return fmt::format("has a text of {} that is not that of its parameters", claim["model"].get<std::string>());
    }
    if (!claim["holds"].get<bool>()) return "says itself that a model does not hold";
  }
  if (!judged.join) return "";
  const std::vector<JoinVerdict>& verdicts = judged.join->verification.verdicts;
  std::vector<bool> claimed(verdicts.size());
  for (const Json& claim : join["privacy"]) {
    const Json told = ToJson(*JoinModelOf(claim));
    bool asked = false;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (!Same(told, ToJson(verdicts[i].spec))) continue;
      asked = claimed[i] = true;
      if (std::string fault = JoinClaimFault(claim, verdicts[i]); !fault.empty()) return fault;
    }
    if (!asked && own_policy) return "claims a model on the join that the policy that it names does not ask for";
  }
  const Json audit = join.value("forced_links", Json::object()).value("audit", Json());
  const bool made = judged.join->verification.audit != JoinVerification::Audit::kNotApplicable;
  if (audit.is_string() && (audit != "not applicable") != made) {
    return made ? "says that forced links cannot be looked for, and they can"
                : "says that forced links were looked for, and they cannot be";
  }
  if (!own_policy) return "";
  const auto missing = std::find(claimed.begin(), claimed.end(), false);
  if (missing != claimed.end()) {
    return fmt::format("does not claim {}", verdicts[static_cast<std::size_t>(missing - claimed.begin())].text);
  }
  if (!JoinsAs(join, judged)) {
    return "joins the releases in another way than the policy that it names";
  }
  return "";
}

// The place of the first part of the join or of the previous releases that is not of its form; empty: none.
std::string JoinFormFault(const Json& manifest) {
  const auto fault = [](const Json& object, const auto& fields, const std::string& where) {
    const std::string key = FieldFault(object, fields);
    return key.empty() ? "" : where + "." + key;
  };
  const Json previous = manifest.value("previous", Json::array());
  for (const Json& each : previous) {
    if (std::string at = fault(each, kPreviousFields, "previous"); !at.empty()) return at;
    for (const Json& column : each.value("columns", Json::array())) {
      if (std::string at = fault(column, kEndFields, "previous.columns"); !at.empty()) return at;
    }
  }
  if (!manifest.contains("join")) return previous.empty() ? "" : "join";
  if (previous.empty()) return "previous";
  const Json& join = manifest["join"];
  if (std::string at = fault(join, kJoinFields, "join"); !at.empty()) return at;
  if (join.contains("forced_links")) {
    if (std::string at = fault(join["forced_links"], kForcedLinksFields, "join.forced_links"); !at.empty()) return at;
  }
  for (const auto& [name, how] : join["columns"].items()) {
    if (!how.is_object()) return "join.columns";
    if (std::string at = fault(how, kMatchFields, "join.columns"); !at.empty()) return at;
    if (how["match"] == "paths" && !how.contains("paths")) return "join.columns.paths";
  }
  for (const Json& pairs : join["impossible"]) {
    if (std::string at = fault(pairs, kImpossibleFields, "join.impossible"); !at.empty()) return at;
  }
  for (const Json& claim : join["privacy"]) {
    if (std::string at = fault(claim, kJoinClaimFields, "join.privacy"); !at.empty()) return at;
    if (!JoinModelOf(claim)) return "join.privacy";
  }
  return "";
}

}  // namespace

Result<void> CheckManifestForm(const Json& manifest, const std::string& path) {
  const auto refuse = [&](const std::string& where, const std::string& key) {
    return Error::InvalidData("{} cannot be read: '{}{}' is missing or is not what a manifest has there", path, where, key)
        .WithHint("use the manifest that was published with the release, or remove it to judge the rows alone");
  };
  if (const std::string key = FieldFault(manifest, kManifestFields); !key.empty()) return refuse("", key);
  if (const std::string key = FieldFault(manifest["output"], kOutputFields); !key.empty()) return refuse("output.", key);
  std::set<std::string> names;
  for (const Json& column : manifest["output"]["columns"]) {
    if (const std::string key = FieldFault(column, kColumnFields); !key.empty()) return refuse("output.columns.", key);
    if (!names.insert(column["name"].get<std::string>()).second) return refuse("output.columns.", "name");
  }
  const Json claims = manifest.value("privacy", Json::array());
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const std::string where = fmt::format("privacy[{}]", i);
    if (const std::string key = FieldFault(claims[i], kClaimFields); !key.empty()) return refuse(where + ".", key);
    if (!ModelOf(claims[i])) return refuse(where, "");
  }
  if (const std::string at = JoinFormFault(manifest); !at.empty()) return refuse("", at);
  return {};
}

std::string ManifestFault(const Json& manifest, const JudgedRelease& judged) {
  if (std::string fault = FileFault(manifest["output"], judged); !fault.empty()) return fault;
  const Json claims = manifest.value("privacy", Json::array());
  if (claims.empty() && !manifest.contains("join")) return "claims nothing";
  for (const Json& claim : claims) {
    if (claim.contains("text") && claim["text"] != Describe(*ModelOf(claim))) {
      return fmt::format("has a text of {} that is not that of its parameters", claim["model"].get<std::string>());
    }
    if (!claim["holds"].get<bool>()) return "says itself that a model does not hold";
  }
  const bool own_policy = manifest.value("policy_sha256", "") == judged.policy.digest;
  if (manifest.contains("join")) {
    if (std::string fault = JoinFault(manifest["join"], judged, own_policy); !fault.empty()) return fault;
  }
  if (!own_policy) return "";
  if (judged.join && !manifest.contains("join")) {
    return fmt::format("does not claim {}", judged.join->verification.verdicts.front().text);
  }
  if (std::string fault = PolicyFault(manifest, judged); !fault.empty()) return fault;
  return ClaimsFault(claims, judged);
}

}  // namespace cordon::engine
