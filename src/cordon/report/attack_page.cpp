// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/attack_page.h"

#include <fmt/ranges.h>

#include <filesystem>

#include "cordon/io/files/atomic_file_set.h"
#include "cordon/report/charts.h"
#include "cordon/report/html_parts_internal.h"

namespace cordon::engine {
namespace {

std::string ShareCell(const Share& share) {
  return fmt::format("{}<br>[{}, {}]", Percent(share.value), Percent(share.interval.lo), Percent(share.interval.hi));
}

// The attacks in their order, those of one name together: a chart each.
std::string AttackCharts(const AttackReport& report) {
  std::string cards;
  for (std::size_t i = 0; i < report.figures.size();) {
    const std::string& attack = report.figures[i].name.attack;
    BarChart chart{fmt::format("Shares that {} gets right, with the release and without it", attack), {}, 1};
    for (; i < report.figures.size() && report.figures[i].name.attack == attack; ++i) {
      const Figure& figure = report.figures[i];
      std::string label = figure.name.variant;
      if (!figure.name.column.empty()) label += (label.empty() ? "" : ": ") + figure.name.column;
      if (label.empty()) label = attack;
      chart.bars.push_back({label,
                            {figure.baseline.value, figure.share.value},
                            Percent(figure.baseline.value) + " \u2192 " + Percent(figure.share.value)});
    }
    cards += internal::Card(attack, DrawBars(chart), "");
  }
  return "<ul class=\"key\"><li><span style=\"background:var(--s0)\"></span>without the release</li>"
         "<li><span style=\"background:var(--s1)\"></span>with the release</li></ul><div class=\"cards\">\n" +
         cards + "</div>\n";
}

std::string AttackTable(const AttackReport& report) {
  std::string rows;
  for (const Figure& figure : report.figures) {
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{} of {} {}</td><td class=\"n\">{} ({} right)</td><td>{}</td></tr>\n",
        EscapeXml(Title(figure.name)), ShareCell(figure.share), ShareCell(figure.baseline), ShareCell(figure.gain),
        figure.guesses, figure.targets, EscapeXml(figure.name.counts), figure.sure, figure.sure_right,
        figure.reference_name.empty() ? ""
                                      : EscapeXml(fmt::format("{}: {}", figure.reference_name, Percent(figure.reference))));
  }
  return "<div class=\"wide\"><table><thead><tr><th>attack</th><th class=\"n\">right</th><th class=\"n\">without the "
         "release</th><th class=\"n\">gain</th><th class=\"n\">guessed</th><th class=\"n\">belief of 0.9 or more</th>"
         "<th>simpler attack</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string LeftOutList(const AttackReport& report) {
  std::string list = "<ul class=\"warnings\">\n";
  for (const LeftOut& each : report.left_out) {
    list += fmt::format("<li><strong>{}</strong>: {}</li>\n", EscapeXml(each.attack), EscapeXml(each.why));
  }
  return list + "</ul>\n";
}

}  // namespace

std::string AttackPage(const std::string& path, const AttackReport& report) {
  const std::string title = internal::PageTitle(path);
  std::string page = internal::PageHead(title, kAttackPageMark);
  page += fmt::format(
      "<header>\n<p>cordon attack on {}</p>\n<h1>What attackers get right</h1>\n</header>\n"
      "<p class=\"private\"><strong>For the data custodian; do not publish this page.</strong> It tells how exposed people "
      "are, "
      "and by which attack. No attack here proves that a release is safe: others may know more.</p>\n",
      title);
  page += internal::Section("Shares",
                            fmt::format("{} of {} people attacked, in {} released rows. Known of them: {}.", report.targets,
                                        report.people, report.rows, fmt::join(report.known, ", ")),
                            AttackCharts(report));
  page += internal::Section("Figures",
                            "With 95 % bootstrap intervals over the targets. The gain is the share less what is right without "
                            "the release.",
                            AttackTable(report));
  if (!report.left_out.empty()) page += internal::Section("Not run", "", LeftOutList(report));
  page += internal::PageFoot("What each attack assumes is in docs/attack.md of cordon.");
  return page;
}

}  // namespace cordon::engine
