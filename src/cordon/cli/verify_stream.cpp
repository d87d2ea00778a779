// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/verify_stream.h"

#include <filesystem>

#include "cordon/cli/inputs.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/publish/verify_stream.h"
#include "cordon/report/report.h"
#include "cordon/stream/audit_log.h"

namespace cordon {
namespace {

Json AuditJson(const StreamAudit& audit) {
  Json json = {{"format", 1},
               {"rows", audit.rows},
               {"people", audit.people ? Json(*audit.people) : Json()},
               {"departures", audit.departures},
               {"groups", audit.groups},
               {"suppressed", audit.suppressed},
               {"longest_delay_tuples", audit.longest_delay},
               {"ended", audit.ended},
               {"privacy", Json::array()},
               {"each_group", Json::array()},
               {"findings", audit.findings},
               // Neither true nor false: part of what was promised could not be judged.
               {"holds", audit.holds() || audit.fails() ? Json(audit.holds()) : Json()}};
  for (const Verdict& verdict : audit.whole) json["privacy"].push_back(ToJson(verdict));
  for (const Verdict& verdict : audit.by_departure) json["each_group"].push_back(ToJson(verdict));
  if (!audit.window_models.empty()) {
    json["windows"] = {{"models", Json::array()}, {"groups", audit.windows_judged}, {"unknown", audit.windows_unknown}};
    for (const ModelSpec& spec : audit.window_models) json["windows"]["models"].push_back(ToJson(spec));
  }
  return json;
}

void Print(const StreamAudit& audit, Console& console) {
  const std::string people = audit.people ? fmt::format(" of {} people", *audit.people) : "";
  console.Print("{} rows{} in {} groups, {} suppressed; longest delay {} tuples{}", audit.rows, people, audit.groups,
                audit.suppressed, audit.longest_delay, audit.ended ? "" : "; the stream has not ended");
  for (const Verdict& verdict : audit.whole) console.Print("{}", Explain(verdict));
  for (const Verdict& verdict : audit.by_departure) console.Print("each group when it was published: {}", Explain(verdict));
  for (const ModelSpec& spec : audit.window_models) {
    console.Print("{}: {} groups held against their windows", Describe(spec), audit.windows_judged);
  }
  if (audit.windows_unknown > 0) {
    console.Print(
        "{} groups cannot be held against theirs: too many tuples of them were not published; whether they hold is not known",
        audit.windows_unknown);
  }
  for (const std::string& finding : audit.findings) console.Print("fault: {}", finding);
  if (audit.findings.empty()) console.Print("every row and every tuple is accounted for, once and in time");
}

Result<Answer> Tell(Result<StreamAudit> audited, bool json, Console& console) {
  CORDON_TRY(const StreamAudit audit, std::move(audited));
  if (json) {
    console.Out(Dump(AuditJson(audit)));
  } else {
    Print(audit, console);
  }
  return audit.holds() ? Answer::kYes : Answer::kNo;
}

}  // namespace

Result<Answer> VerifyStreamFiles(const std::string& out, const std::string& audit_path, const Policy& policy,
                                 std::optional<FileFormat> format, bool json, Console& console, const Run& run) {
  CORDON_TRY(const std::string log, ReadFile(audit_path));
  if (std::error_code failed; std::filesystem::file_size(out, failed) == 0 && !failed) {  // JSON Lines without a row
    CORDON_TRY(const std::vector<std::string> names, AuditedColumns(log).WithContext("reading {}", audit_path));
    Table nothing;
    for (const std::string& name : names) nothing.columns.push_back({name, std::make_shared<Dictionary>(), Codes()});
    return Tell(VerifyStream(policy, nothing, log, run).WithContext("verifying {}", out), json, console);
  }
  TextFormat text = policy.data.text;
  text.skip = 0;
  if (!text.columns.empty()) {  // the policy names the columns of the input; the log those of the output
    CORDON_TRY(text.columns, AuditedColumns(log).WithContext("reading {}", audit_path));
  }
  CORDON_TRY(const Table table, ReadTableFile(out, text, format, run));
  return Tell(VerifyStream(policy, table, log, run).WithContext("verifying {}", out), json, console);
}

}  // namespace cordon
