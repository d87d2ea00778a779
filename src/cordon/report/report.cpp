// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/report.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

namespace cordon::engine {
namespace {

Json SizesJson(const Discernibility& sizes) {
  return {{"min", sizes.min_group}, {"mean", JsonNumber(sizes.mean_group)}, {"max", sizes.max_group}};
}

bool IsSpread(const ModelSpec& spec) {
  return std::holds_alternative<TClosenessSpec>(spec) || std::holds_alternative<BetaLikenessSpec>(spec);
}

// Least, quartiles, 95 % and greatest of what the groups reach: the value at place share * (groups - 1), rounded down.
Json SpreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](std::size_t percent) { return JsonNumber(values[(values.size() - 1) * percent / 100]); };
  return {{"min", at(0)}, {"p25", at(25)}, {"median", at(50)}, {"p75", at(75)}, {"p95", at(95)}, {"max", at(100)}};
}

Json TriedJson(const Tried& tried) {
  Json json = {{"algorithm", tried.algorithm}};
  if (!tried.left_out.empty()) {
    json["left_out"] = tried.left_out;
    return json;
  }
  if (tried.information_loss) json["information_loss"] = *tried.information_loss;
  if (tried.objective) json["objective"] = JsonNumber(*tried.objective);
  if (!tried.failed.empty()) json["failed"] = tried.failed;
  json["seconds"] = tried.seconds;
  if (tried.kept) json["kept"] = true;
  if (tried.cut_short) json["cut_short"] = true;
  return json;
}

// "   (age 0.123, zip 0.456)"; of very many columns those that lose most.
template <typename Losses>
std::string LossByColumn(const Losses& per_attribute) {
  constexpr std::size_t kMaxNamed = 40;
  constexpr std::size_t kNamedOfMany = 10;
  std::vector<std::pair<std::string, double>> losses(per_attribute.begin(), per_attribute.end());
  const std::size_t all = losses.size();
  if (all > kMaxNamed) {
    std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    losses.resize(kNamedOfMany);
  }
  std::string text;
  for (const auto& [name, loss] : losses) text += fmt::format("{}{} {:.3f}", text.empty() ? "   (" : ", ", name, loss);
  if (all > losses.size()) text += fmt::format(" and {} columns that lose no more", all - losses.size());
  return text.empty() ? "" : text + ")";
}

// If there was a choice: one line per algorithm.
std::string TriedLines(const Report& report) {
  if (report.tried.size() < 2) return "";
  const bool other = report.objective && report.objective->name != "information-loss";
  std::string text = fmt::format("tried {:>18}{}  seconds\n", "information loss", other ? "  " + report.objective->name : "");
  for (const Tried& tried : report.tried) {
    if (!tried.left_out.empty()) continue;
    text += fmt::format("  {:<11} ", tried.algorithm);
    if (tried.information_loss) {
      text += fmt::format("{:>10.4f}", *tried.information_loss);
      if (other) text += fmt::format("  {:>{}.6g}", tried.objective.value_or(0), report.objective->name.size());
      text += fmt::format("  {:>7.2f}", tried.seconds);
    } else {
      text += tried.failed;
    }
    text += fmt::format("{}{}\n", tried.cut_short ? "  out of time" : "", tried.kept ? "  kept" : "");
  }
  return text;
}

}  // namespace

bool ShowsSpread(std::span<const ModelSpec> specs) { return std::any_of(specs.begin(), specs.end(), IsSpread); }

namespace {

// Visits the fields of a model (model_spec.h, join_spec.h).
struct FieldsAsJson {
  Json json;

  void Sensitive(const char* key, const std::string& column) { json[key] = column; }
  void Grouping(const char* key, const std::vector<std::string>& columns) {
    if (!columns.empty()) json[key] = columns;
  }
  void Whole(const char* key, std::int64_t number, int) { json[key] = number; }
  void Whole(const char* key, const std::optional<std::int64_t>& number, int) {
    if (number) json[key] = *number;
  }
  void Exact(const char* key, const Rational& number) { json[key] = number.ToString(); }
  void Exact(const char* key, const std::optional<Rational>& number) {
    if (number) json[key] = number->ToString();
  }
  void Choice(const char* key, auto choice, const auto& names) { json[key] = names[static_cast<std::size_t>(choice)]; }
  void Counts(const char* key, CountBy counts) {
    if (counts == CountBy::kPersons) json[key] = "persons";
  }
  void Value(const char* key, const std::string& value) { json[key] = value; }
  void Values(const char* key, const std::map<std::string, std::vector<std::string>>& columns) { json[key] = columns; }
  void Known(const char* key, const std::vector<ColumnRef>& columns) {
    json[key] = Json::array();
    for (const ColumnRef& ref : columns) json[key].push_back(Describe(ref));
  }
  void Counted(const char* key, const XyAnonymitySpec& spec) {
    if (spec.count == XyAnonymitySpec::Count::kColumns) return Known(key, spec.y);
    json[key] = YAsText(spec);
  }
  void Guarded(const char* key, const std::vector<std::pair<ColumnRef, std::vector<std::string>>>& columns) {
    for (const auto& [ref, values] : columns) json[key][Describe(ref)] = values;
  }
};

template <typename Variant>
Json FieldsOf(const Variant& spec) {
  FieldsAsJson fields{{{"model", ModelName(spec)}}};
  std::visit([&](const auto& each) { each.VisitFields(each, fields); }, spec);
  return std::move(fields.json);
}

}  // namespace

Json ToJson(const ModelSpec& spec) { return FieldsOf(spec); }

Json ToJson(const JoinSpec& spec) { return FieldsOf(spec); }

Json ToJson(const Verdict& verdict) {
  Json json = ToJson(verdict.spec);
  json["text"] = verdict.text;
  json["reached"] = JsonNumber(verdict.reached);
  json["reached_exact"] = verdict.reached_text;
  json["holds"] = verdict.holds;
  json["failing_groups"] = verdict.failing_groups;
  json["failing_rows"] = verdict.failing_rows;
  if (verdict.failing_people) json["failing_people"] = *verdict.failing_people;
  if (IsSpread(verdict.spec) && !verdict.per_group.empty()) json["per_group"] = SpreadOf(verdict.per_group);
  if (verdict.witness) json["witness"] = {{"first_row", verdict.witness->first_row}, {"rows", verdict.witness->rows}};
  return json;
}

Json ToJson(const std::vector<SmallGroups>& below) {
  Json json = Json::array();
  for (const SmallGroups& each : below) {
    json.push_back({{"k", each.k}, {"rows", each.rows}, {"groups", each.groups}});
    if (each.people) json.back()["people"] = *each.people;
  }
  return json;
}

Json ToJson(const JoinVerification& made) {
  static constexpr const char* kAudits[] = {"not needed", "done", "not applicable"};
  Json json = {{"tuples", fmt::format("{}", made.tuples)},
               {"route", made.by_definition ? "definition" : "counting"},
               {"forced_links", {{"audit", kAudits[static_cast<int>(made.audit)]}, {"ruled_out", made.excluded_pairs}}},
               {"privacy", Json::array()}};
  if (!made.why_not.empty()) json["forced_links"]["why"] = made.why_not;
  for (const JoinVerdict& verdict : made.verdicts) {
    Json each = ToJson(verdict.spec);
    each["text"] = verdict.text;
    each["regime"] = verdict.closed ? "closed" : "linking";
    each["holds"] = verdict.holds;
    each["reached"] = verdict.join ? Json(verdict.join->Text()) : Json();
    each["reached_alone"] = verdict.alone ? Json(verdict.alone->Text()) : Json();
    each["reached_without_forced_links"] = verdict.reduced ? Json(verdict.reduced->Text()) : Json();
    json["privacy"].push_back(std::move(each));
  }
  json["holds"] = made.holds();
  return json;
}

Json ToJson(const Report& report) {
  Json json = {{"format", 1},
               {"algorithm", report.algorithm},
               {"rows", report.rows},
               {"people", report.people},
               {"suppressed", report.suppressed},
               {"dropped", report.dropped},
               {"groups", report.utility.discernibility.groups},
               {"group_size", SizesJson(report.utility.discernibility)}};
  if (!report.why.empty()) json["why"] = report.why;
  json["privacy"] = Json::array();
  for (const Verdict& verdict : report.privacy) json["privacy"].push_back(ToJson(verdict));
  if (!report.small_groups.empty()) json["rows_below"] = ToJson(report.small_groups);
  if (report.join) {
    json["join"] = ToJson(report.join->verification);
    for (const PreviousFile& file : report.join->previous) {
      json["join"]["previous"].push_back({{"name", file.name}, {"sha256", file.sha256}, {"rows", file.rows}});
    }
  }
  for (const UnguardedColumn& each : report.unguarded) {
    json["unguarded"].push_back({{"column", each.column}, {"reason", each.reason}});
  }
  json["utility"] = ToJson(report.utility);
  if (report.bound) json["bound"] = ToJson(*report.bound, report.utility.loss.information_loss);
  if (report.risk) json["risk"] = ToJson(*report.risk);
  if (report.statistics) json["statistics"] = ToJson(*report.statistics);
  if (!report.details.empty()) json["details"] = Json::object();
  for (const auto& [name, count] : report.details) json["details"][name] = count;
  json["tried"] = Json::array();
  for (const Tried& tried : report.tried) {
    json["tried"].push_back(TriedJson(tried));
  }
  if (report.objective) json["objective"] = {{"name", report.objective->name}, {"value", JsonNumber(report.objective->value)}};
  if (report.time_up) json["time_up"] = true;
  if (!report.notes.empty()) json["search"] = report.notes;
  json["warnings"] = Json::array();
  for (const Warning& warning : report.warnings) {
    json["warnings"].push_back({{"code", warning.code}, {"columns", warning.columns}, {"fix", warning.fix}});
  }
  json["seconds"] = Json::object();
  for (const auto& [step, seconds] : report.seconds) json["seconds"][step] = std::round(seconds * 1e4) / 1e4;
  json["peak_rss_mb"] = std::round(report.peak_rss_mb * 10) / 10;
  return json;
}

std::string Summary(const Report& report) {
  const auto& made = report.utility.discernibility;
  const std::string groups = made.groups == 1
                                 ? fmt::format("1 group of {} row{}", made.max_group, made.max_group == 1 ? "" : "s")
                                 : fmt::format("{} groups of {} to {} rows", made.groups, made.min_group, made.max_group);
  std::string text = fmt::format("{} rows, {} people, {}, by {}{}\n", report.rows, report.people, groups, report.algorithm,
                                 report.why.empty() ? "" : " (" + report.why + ")");
  for (const std::string& note : report.notes) text += note + "\n";
  if (report.suppressed > 0) text += fmt::format("{} row{} suppressed\n", report.suppressed, report.suppressed == 1 ? "" : "s");
  if (report.dropped > 0)
    text += fmt::format("{} row{} with missing cells dropped\n", report.dropped, report.dropped == 1 ? "" : "s");
  for (const Verdict& verdict : report.privacy) text += Explain(verdict) + "\n";
  if (AnyBelow(report.small_groups)) text += Describe(report.small_groups) + "\n";
  if (report.join) {
    for (const JoinVerdict& verdict : report.join->verification.verdicts) text += Explain(verdict) + "\n";
    text += Explain(report.join->verification) + "\n";
  }
  for (const UnguardedColumn& each : report.unguarded) {
    text += fmt::format("no model guards '{}': {}\n", each.column, each.reason);
  }
  text += fmt::format("information loss {:.4f}", report.utility.loss.information_loss);
  text += LossByColumn(report.utility.loss.per_attribute) + "\n";
  if (report.bound) text += Sentence(*report.bound, report.utility.loss.information_loss) + "\n";
  if (report.time_up) text += "the time given was used up: with more, the loss may be less\n";
  return text + Describe(report.utility) + TriedLines(report);
}

double PeakRssMb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace cordon::engine
