// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/stream_report.h"

#include <algorithm>
#include <cmath>

namespace cordon::engine {
namespace {

double Rounded(double value, double unit) { return std::round(value / unit) * unit; }

Json Quantiles(const Histogram& delays) {
  return {{"p50", delays.Quantile(0.5)}, {"p90", delays.Quantile(0.9)}, {"p99", delays.Quantile(0.99)}, {"max", delays.max()}};
}

std::string Spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

const char* EndName(const StreamReport& report) {
  switch (report.end) {
    case StreamDriver::End::kEnded: return "end of input";
    case StreamDriver::End::kInterrupted: return "interrupted";
    case StreamDriver::End::kClosed: return "output closed";
  }
  return "";
}

}  // namespace

Json ToJson(const StreamReport& report) {
  const StreamMetrics& m = report.metrics;
  Json json = {{"format", 1},
               {"algorithm", report.algorithm},
               {"ended_by", EndName(report)},
               {"records", m.records},
               {"tuples", m.tuples},
               {"dead_letters", m.dead_letters},
               {"dropped", m.dropped},
               {"released", m.released},
               {"reused", m.reused},
               {"pooled", m.pooled},
               {"suppressed", m.suppressed},
               {"rows", m.rows},
               {"groups", m.groups},
               {"group_size", {{"min", m.least_group}, {"max", m.most_group}}},
               {"privacy", Json::array()}};
  if (!report.chain.empty()) json["chain"] = report.chain;
  for (const ModelSpec& spec : report.privacy) {
    Json model = ToJson(spec);
    model["text"] = Describe(spec);
    model["holds"] = true;  // of every group, or the run would have stopped
    json["privacy"].push_back(std::move(model));
  }
  for (const UnguardedColumn& each : report.unguarded) {
    json["unguarded"].push_back({{"column", each.column}, {"reason", each.reason}});
  }
  Json per_attribute = Json::object();
  for (std::size_t i = 0; i < report.quasi.size() && i < m.axis_losses.size(); ++i) {
    per_attribute[report.quasi[i]] =
        m.left() == 0 ? 0 : (m.axis_losses[i] + static_cast<double>(m.suppressed)) / static_cast<double>(m.left());
  }
  json["utility"] = {
      {"information_loss", m.information_loss()}, {"released_loss", m.released_loss()}, {"per_attribute", per_attribute}};
  for (const auto& [name, figure] : report.figures) json["figures"][name] = JsonNumber(figure);
  json["delay_tuples"] = Quantiles(m.delay_tuples);
  if (m.delay_ms.count() > 0) json["delay_ms"] = Quantiles(m.delay_ms);
  for (const StreamWarning& warning : report.warnings) {
    json["warnings"].push_back({{"code", warning.code}, {"columns", warning.columns}, {"fix", warning.fix}});
  }
  json["checkpoints"] = m.checkpoints;
  if (report.resumed_from > 0) json["resumed_from"] = report.resumed_from;
  json["seconds"] = Rounded(report.seconds, 1e-4);
  json["tuples_per_second"] = report.seconds > 0 ? std::round(static_cast<double>(report.tuples_here) / report.seconds) : 0;
  json["peak_rss_mb"] = Rounded(report.peak_rss_mb, 0.1);
  return json;
}

std::string Summary(const StreamReport& report) {
  const StreamMetrics& m = report.metrics;
  std::string text;
  if (report.had_ended) text += "the stream had ended already: nothing was done\n";
  text += fmt::format("{} tuples, {} released in {} groups, {} suppressed, by {}\n", m.tuples, m.released, m.groups,
                      m.suppressed, report.algorithm);
  if (m.reused > 0) text += fmt::format("{} of them joined a group that was published before\n", m.reused);
  if (m.dropped > 0) text += fmt::format("{} row{} with missing cells dropped\n", m.dropped, m.dropped == 1 ? "" : "s");
  if (m.dead_letters > 0) {
    text += fmt::format("{} dead letter{}{}{}\n", m.dead_letters, m.dead_letters == 1 ? "" : "s",
                        report.dead_letters.empty() ? ", not kept: give --dead-letters FILE" : " in " + report.dead_letters,
                        report.dead_letters_gone ? ", which no longer exists" : "");
  }
  for (const ModelSpec& spec : report.privacy) text += fmt::format("{}: holds in every group\n", Describe(spec));
  for (const UnguardedColumn& each : report.unguarded) {
    text += fmt::format("no model guards '{}': {}\n", each.column, each.reason);
  }
  text += fmt::format("information loss {:.4f}, of released rows {:.4f}\n", m.information_loss(), m.released_loss());
  text += fmt::format("delay in tuples: median {}, 99 % {}, most {}\n", m.delay_tuples.Quantile(0.5),
                      m.delay_tuples.Quantile(0.99), m.delay_tuples.max());
  std::string figures;
  for (const auto& [name, figure] : report.figures) {
    figures += fmt::format("{}{} {:.4g}", figures.empty() ? "" : ", ", Spaced(name), figure);
  }
  if (!figures.empty()) text += figures + "\n";
  for (const StreamWarning& warning : report.warnings) text += fmt::format("warning: {}\n", warning.fix);
  return text;
}

}  // namespace cordon::engine
