// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/html.h"

#include <algorithm>
#include <filesystem>

#include "cordon/base/json.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/metrics/grouping.h"
#include "cordon/report/charts.h"
#include "cordon/report/html_parts_internal.h"
#include "cordon/report/version.h"

namespace cordon::engine {
namespace {

// File names need not be UTF-8; a page must be.
std::string ValidUtf8(const std::string& text) {
  return ParseJson(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

bool AnyFails(const Report& report) {
  return std::any_of(report.privacy.begin(), report.privacy.end(), [](const Verdict& verdict) { return !verdict.holds; });
}

std::string Headline(const Report& report) {
  const auto failing = std::count_if(report.privacy.begin(), report.privacy.end(), [](const Verdict& v) { return !v.holds; });
  if (failing > 0) {
    return fmt::format("{} of {} requirements {} not hold", failing, report.privacy.size(), failing == 1 ? "does" : "do");
  }
  return report.privacy.size() == 1 ? "The requirement holds" : fmt::format("All {} requirements hold", report.privacy.size());
}

std::string ReportHead(const std::string& plain_title, std::string_view mark, const std::string& date,
                       const std::string& headline) {
  const std::string title = EscapeXml(ValidUtf8(plain_title));
  return internal::PageHead(title, mark) + fmt::format("<header>\n<p>cordon report on {}{}</p>\n<h1>{}</h1>\n</header>\n",
                                                       title, date.empty() ? "" : ", " + date, EscapeXml(headline));
}

std::string ReportFoot() { return internal::PageFoot("Figures are defined in docs/metrics.md and docs/report.md of cordon."); }

}  // namespace

namespace internal {

std::string PageTitle(const std::string& path) {
  return EscapeXml(ValidUtf8(path == "-" ? "standard input" : std::filesystem::path(path).filename().string()));
}

std::string PageHead(std::string_view title, std::string_view mark) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"robots\" content=\"noindex\">\n<title>{}{}\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n",
      title, mark, ChartStyle(), PageStyle());
}

std::string PageFoot(std::string_view text) {
  return fmt::format("<footer>cordon {}. {}</footer>\n</main>\n</body>\n</html>\n", kVersion, EscapeXml(text));
}

std::string Card(std::string_view heading, const std::string& body, std::string_view note) {
  return fmt::format("<figure><figcaption>{}</figcaption>{}{}</figure>\n", EscapeXml(heading), body,
                     note.empty() ? "" : fmt::format("<p>{}</p>", EscapeXml(note)));
}

std::string Section(std::string_view heading, std::string_view lead, const std::string& body) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}{}</section>\n", EscapeXml(heading),
                     lead.empty() ? "" : fmt::format("<p class=\"lead\">{}</p>\n", EscapeXml(lead)), body);
}

std::string SeriesKey() {
  return "<ul class=\"key\"><li><span style=\"background:var(--s0)\"></span>original</li>"
         "<li><span style=\"background:var(--s1)\"></span>release</li></ul>";
}

}  // namespace internal

std::string InputTitle(const std::string& input) {
  if (input == "-") return "standard input";
  if (input.starts_with("sql:")) return "a query";  // its text is long, and a part of it reads like a file
  return std::filesystem::path(input).filename().string();
}

Result<HtmlFacts> GatherHtmlFacts(const std::string& path, const Report& report, const Microdata& original,
                                  const Release& release, const Run& run) {
  HtmlFacts facts{InputTitle(path), report, GroupSizesOf(release, run).groups, {}};
  std::sort(facts.group_sizes.begin(), facts.group_sizes.end());
  CORDON_TRY(facts.distributions, MeasureDistributions(original, release, run));
  return facts;
}

std::string HtmlReport(const HtmlFacts& facts) {
  const Report& report = facts.report;
  const bool fails = AnyFails(report);
  std::string page = ReportHead(facts.title, kPrivatePageMark, facts.date, Headline(report));
  page += internal::VerdictSection(report);
  page += fmt::format(
      "<p class=\"private\"><strong>For the data custodian; do not publish this page.</strong> It shows how the original is "
      "distributed and how exposed it is. {}</p>\n",
      fails ? "The release does not hold what is asked for: do not publish it either."
            : "The release, its manifest and its codebook are made to be published; this page, the run record and a row map "
              "are not.");
  page += internal::SummarySection(report);
  page += internal::PolicySection(facts.policy);
  page += internal::LossSection(facts);
  page += internal::GroupSection(facts);
  page += internal::DistributionSection(facts);
  page += internal::StatisticsSection(report);
  page += internal::RiskSection(report);
  page += internal::CodebookSection(facts.codebook);
  page += internal::RunSection(report);
  page += internal::FigureSection(report);
  return page + ReportFoot();
}

std::string PublicHtmlReport(const std::string& title, const Report& report, const Json& codebook) {
  std::string page = ReportHead(title, kPublicPageMark, "", Headline(report));
  page += internal::VerdictSection(report);
  page += internal::Section(
      "The release", "",
      fmt::format("<p>{} rows were published; {} were suppressed. The release was made by {}. The verdicts can be checked by "
                  "another program, from the release and its manifest.</p>\n",
                  report.rows, report.suppressed, EscapeXml(report.algorithm)));
  page += internal::CodebookSection(codebook);
  return page + ReportFoot();
}

std::string MapPage(const std::string& title, std::string_view mark, const std::string& headline,
                    const std::vector<MapEntry>& entries, const std::string& more) {
  MapChart map{.title = "Risk against information loss", .x_name = "information loss", .y_name = "highest risk", .points = {}};
  std::string rows;
  for (const MapEntry& entry : entries) {
    const std::string name = ValidUtf8(entry.name);
    map.points.push_back({name, entry.information_loss, entry.risk});
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{:.4f}</td><td>{:.4f}</td><td>{}</td></tr>\n", EscapeXml(name),
                        entry.information_loss, entry.risk, EscapeXml(entry.note));
  }
  std::string page = ReportHead(title, mark, "", headline);
  page +=
      "<p class=\"private\"><strong>For the data custodian; do not publish this page.</strong> It was computed from the "
      "original.</p>\n";
  page +=
      internal::Section("Risk and loss",
                        "Each point is a release: the lower, the smaller the highest risk of an attacker who knows that the "
                        "target is in the table; the further left, the less was lost. Both axes are to scale.",
                        internal::Card("Risk against information loss", DrawMap(map, 640, 420), "") + more);
  page +=
      internal::Section("Figures", "",
                        "<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">release</th><th scope=\"col\">information "
                        "loss</th><th scope=\"col\">highest risk</th><th scope=\"col\">note</th></tr></thead>\n<tbody>\n" +
                            rows + "</tbody></table></div>\n");
  return page + ReportFoot();
}

}  // namespace cordon::engine
