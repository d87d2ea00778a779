// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cordon/report/charts.h"
#include "cordon/report/html_parts_internal.h"

namespace cordon::engine::internal {
namespace {

std::string Tile(std::string_view name, const std::string& value, std::string_view note = "") {
  return fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", EscapeXml(name), EscapeXml(value),
                     note.empty() ? "" : fmt::format("<small>{}</small>", EscapeXml(note)));
}

std::string Count(std::uint64_t number) { return ShortNumber(static_cast<double>(number)); }

// Values in bins of a round width; what lies far above nearly all of them shares the last one.
struct Histogram {
  std::vector<ChartColumn> columns;
  double first = 0;
  double step = 1;
};

// REQUIRES: ascending, finite, not empty.
Histogram MakeHistogram(const std::vector<double>& values, bool whole) {
  constexpr int kMaxBins = 14;
  const double least = values.front();
  const double high = values[(values.size() - 1) * 98 / 100];
  const double most = values.back() > 2 * high - least ? high : values.back();
  Histogram made;
  const std::vector<double> ticks = NiceTicks(std::max(most - least, whole      ? kMaxBins - 2.0
                                                                     : most > 0 ? most * 1e-3
                                                                                : 1.0),
                                              kMaxBins - 2);
  made.step = ticks[1];
  if (whole) made.step = std::max(1.0, std::round(made.step));
  made.first = std::floor(least / made.step) * made.step;
  const auto bins = static_cast<std::size_t>(std::floor((most - made.first) / made.step * (1 + 1e-12))) + 1;
  for (std::size_t i = 0; i < bins; ++i)
    made.columns.push_back({ShortNumber(made.first + made.step * static_cast<double>(i)), {0}});
  if (most < values.back())
    made.columns.push_back({"\u2265" + ShortNumber(made.first + made.step * static_cast<double>(bins)), {0}});
  for (const double value : values) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, std::floor((value - made.first) / made.step * (1 + 1e-12))));
    ++made.columns[std::min(bin, made.columns.size() - 1)].values[0];
  }
  return made;
}

// The value that the model's worst group may reach, for a line in its picture.
std::optional<std::pair<const char*, double>> Bound(const ModelSpec& spec) {
  std::optional<std::pair<const char*, double>> bound;
  std::visit(
      [&](const auto& s) {
        if constexpr (requires { s.t.ToDouble(); }) bound = {"t", s.t.ToDouble()};
        if constexpr (requires { s.l.ToDouble(); }) bound = {"l", s.l.ToDouble()};
        if constexpr (requires { s.beta.ToDouble(); }) bound = {"beta", s.beta.ToDouble()};
        if constexpr (requires { s.delta.ToDouble(); }) bound = {"delta", s.delta.ToDouble()};
        if constexpr (requires { s.alpha.ToDouble(); }) bound = {"alpha", s.alpha.ToDouble()};
        if constexpr (requires { s.h.ToDouble(); }) bound = {"h", s.h.ToDouble()};
      },
      spec);
  return bound;
}

std::string VerdictCard(const Verdict& verdict) {
  const auto bound = Bound(verdict.spec);
  std::vector<double> values;
  for (const double value : verdict.per_group) {
    if (std::isfinite(value)) values.push_back(value);
  }
  if (!bound || values.size() < 2) return "";  // k has the picture of group sizes
  std::sort(values.begin(), values.end());
  const bool whole = std::all_of(values.begin(), values.end(), [](double value) { return value == std::floor(value); });
  const Histogram histogram = MakeHistogram(values, whole);
  ColumnChart chart{.title = fmt::format("Groups by the value they reach for {}", verdict.text),
                    .x_name = fmt::format("{} reached by a group", bound->first),
                    .columns = histogram.columns,
                    .percent = false,
                    .mark = {},
                    .mark_name = fmt::format("{} = {}", bound->first, ShortNumber(bound->second))};
  const double place = (bound->second - histogram.first) / histogram.step;
  // What is asked for may lie beyond the groups: then the line stands at the edge, and an arrow says where to.
  const auto last = static_cast<double>(histogram.columns.size());
  chart.mark = std::clamp(place, 0.0, last);
  if (place < 0) chart.mark_name = "\u2190 " + chart.mark_name;
  if (place > last) chart.mark_name += " \u2192";
  const std::size_t unbounded = verdict.per_group.size() - values.size();
  return Card(verdict.text, DrawColumns(chart),
              fmt::format("{} groups; the worst reaches {}{}.", Count(verdict.per_group.size()), verdict.reached_shown,
                          unbounded == 0 ? "" : fmt::format("; {} reach no finite value and are not drawn", Count(unbounded))));
}

std::string Table(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<div class=\"wide\"><table>\n<thead><tr>";
  for (std::size_t i = 0; i < heads.size(); ++i) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", i == 0 ? "" : " class=\"n\"", EscapeXml(heads[i]));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      html += i == 0 ? fmt::format("<th scope=\"row\">{}</th>", EscapeXml(row[i]))
                     : fmt::format("<td class=\"n\">{}</td>", EscapeXml(row[i]));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

// {"a": {"b": 1}} -> "a.b", "1": numbers as the JSON writes them.
void Flatten(const std::string& path, const Json& json, std::vector<std::pair<std::string, std::string>>& out) {
  if (json.is_object() && !json.empty()) {
    for (const auto& [key, value] : json.items()) Flatten(path + (path.empty() ? "" : ".") + key, value, out);
  } else if (json.is_array() && !json.empty() && json.front().is_structured()) {
    for (std::size_t i = 0; i < json.size(); ++i) Flatten(fmt::format("{}[{}]", path, i), json[i], out);
  } else if (json.is_array()) {
    std::string list;
    for (const Json& value : json)
      list += (list.empty() ? "" : ", ") + (value.is_string() ? value.get<std::string>() : value.dump());
    out.emplace_back(path, list);
  } else {
    out.emplace_back(path, json.is_string() ? json.get<std::string>() : json.dump());
  }
}

std::string QueryCard(const QueryError& error) {
  if (error.quantiles.empty()) return Card("Query error", "", "None of the queries finds a row in the original.");
  LineChart chart{.title = "Relative error of counting queries by share of queries",
                  .x_name = "share of the queries with at most this error, %",
                  .y_name = "relative error",
                  .places = {},
                  .lines = {{"", {}}},
                  .missing_name = ""};
  for (std::size_t i = 1; i + 1 < error.quantiles.size(); ++i) {  // the extremes would flatten the rest
    chart.places.push_back(std::to_string(i * 10));
    chart.lines[0].values.emplace_back(error.quantiles[i]);
  }
  return Card(
      "Query error", DrawLines(chart, 360, 240),
      fmt::format(
          "Random counting queries answered from the release: median {}, mean {}, worst {} over {} queries; {} more find "
          "no row in the original.",
          Percent(error.median), Percent(error.mean), Percent(error.quantiles.back()), Count(error.queries - error.empty),
          Count(error.empty)));
}

}  // namespace

std::string VerdictSection(const Report& report) {
  std::string html = "<ul class=\"verdicts\">\n";
  for (const Verdict& verdict : report.privacy) {
    html += fmt::format("<li{}><b>{}</b><span class=\"says\">{}</span>, reached {}", verdict.holds ? "" : " class=\"no\"",
                        EscapeXml(verdict.text), verdict.holds ? "\u2713 holds" : "\u2717 does not hold",
                        EscapeXml(verdict.reached_shown + AskedFor(verdict)));
    if (verdict.witness) {
      html +=
          fmt::format("<small>worst group: {} row{}, the first is row {} of the release{}</small>", verdict.witness->rows,
                      verdict.witness->rows == 1 ? "" : "s", verdict.witness->first_row,
                      verdict.failing_groups == 0 ? ""
                                                  : fmt::format("; {} group{} with {} rows fail", verdict.failing_groups,
                                                                verdict.failing_groups == 1 ? "" : "s", verdict.failing_rows));
    }
    html += "</li>\n";
  }
  for (const UnguardedColumn& each : report.unguarded) {
    html += fmt::format("<li><b>{}</b> is guarded by no model: {}</li>\n", EscapeXml(each.column), EscapeXml(each.reason));
  }
  return html + "</ul>\n";
}

std::string SummarySection(const Report& report) {
  const Discernibility& sizes = report.utility.discernibility;
  std::string tiles = "<dl class=\"tiles\">\n";
  if (!report.algorithm.empty()) tiles += Tile("algorithm", report.algorithm, report.why);
  tiles += Tile("rows published", Count(report.rows));
  if (report.people > 0) tiles += Tile("people", Count(report.people));
  tiles += Tile("rows suppressed", Count(report.suppressed),
                report.dropped == 0 ? "" : fmt::format("{} more dropped for missing cells", report.dropped));
  tiles += Tile("groups", Count(sizes.groups),
                fmt::format("of {} to {} rows, {:.4g} on average", sizes.min_group, sizes.max_group, sizes.mean_group));
  for (const SmallGroups& below : report.small_groups) {
    tiles += Tile(fmt::format("rows in groups below k = {}", below.k), Count(below.rows),
                  below.groups == 0 ? "" : fmt::format("{} group{}", below.groups, below.groups == 1 ? "" : "s"));
  }
  tiles += Tile("information loss", ShortNumber(report.utility.loss.information_loss), "0: nothing lost, 1: nothing left");
  if (report.bound) {
    tiles += Tile("what any release must lose", ShortNumber(report.bound->information_loss),
                  Sentence(*report.bound, report.utility.loss.information_loss));
  }
  if (report.utility.queries && !report.utility.queries->quantiles.empty()) {
    tiles += Tile("query error", Percent(report.utility.queries->median), "median of counting queries");
  }
  if (report.utility.kl) {
    const KlDivergence& kl = *report.utility.kl;
    tiles += Tile("KL divergence", ShortNumber(kl.mean),
                  fmt::format("nats, mean of {} group-bys of {} quasi columns; {} at most", kl.group_bys, kl.level,
                              ShortNumber(kl.greatest)));
  }
  if (report.risk) {
    tiles += Tile("highest risk", Percent(report.risk->release.prosecutor.highest),
                  "of re-identifying a person (original: " + Percent(report.risk->original.prosecutor.highest) + ")");
  }
  return Section("What was done", "", tiles + "</dl>\n");
}

std::string LossSection(const HtmlFacts& facts) {
  const InformationLoss& loss = facts.report.utility.loss;
  BarChart chart{"Information loss of each quasi column", {}, 1};
  for (const auto& [name, value] : loss.per_attribute) chart.bars.push_back({name, {value}, ShortNumber(value)});
  std::string cards = "<div class=\"cards\">\n";
  if (!chart.bars.empty()) {
    cards += Card("Loss per column", DrawBars(chart),
                  fmt::format("Mean {}; {} if an exact category counts as 1 / all values. Discernibility {}.",
                              ShortNumber(loss.information_loss), ShortNumber(loss.information_loss_thesis),
                              Count(facts.report.utility.discernibility.discernibility)));
  }
  std::vector<double> sizes(facts.group_sizes.begin(), facts.group_sizes.end());
  if (!sizes.empty()) {
    ColumnChart columns{.title = "Groups by their number of rows",
                        .x_name = "rows of a group",
                        .columns = MakeHistogram(sizes, true).columns,
                        .percent = false,
                        .mark = {},
                        .mark_name = ""};
    cards += Card("Group sizes", DrawColumns(columns), "Number of groups. Small groups lose less; large ones hide better.");
  }
  if (facts.report.utility.queries) cards += QueryCard(*facts.report.utility.queries);
  return Section("What it cost", "The share of its domain that a published cell leaves open, and how many rows look alike.",
                 cards + "</div>\n");
}

std::string GroupSection(const HtmlFacts& facts) {
  std::string cards;
  for (const Verdict& verdict : facts.report.privacy) cards += VerdictCard(verdict);
  if (cards.empty()) return "";
  return Section("How the groups meet each requirement",
                 "Every group is checked against each requirement; the dashed line is what is asked for.",
                 "<div class=\"cards\">\n" + cards + "</div>\n");
}

std::string DistributionSection(const HtmlFacts& facts) {
  if (facts.distributions.empty()) return "";
  std::string cards = SeriesKey() + "<div class=\"cards\">\n";
  for (const Distribution& distribution : facts.distributions) {
    if (distribution.ordered && distribution.bins.size() > 1) {
      ColumnChart chart{.title = distribution.name + ": share of rows, original and release",
                        .x_name = distribution.name,
                        .columns = {},
                        .percent = true,
                        .mark = {},
                        .mark_name = ""};
      for (const DistributionBin& bin : distribution.bins) {
        chart.columns.push_back({bin.label, {bin.original, bin.released}, bin.missing});
      }
      cards += Card(distribution.name, DrawColumns(chart), "");
      continue;
    }
    BarChart chart{distribution.name + ": share of rows, original and release", {}, 0};
    for (const DistributionBin& bin : distribution.bins) {
      chart.bars.push_back(
          {bin.label, {bin.original, bin.released}, Percent(bin.original) + " \u2192 " + Percent(bin.released)});
      chart.most = std::max({chart.most, bin.original, bin.released});
    }
    cards += Card(distribution.name, DrawBars(chart), "");
  }
  return Section(
      "Original against release",
      fmt::format(
          "Shares of the rows; a published range is spread evenly over the values it stands for. Values of fewer than {} "
          "people are joined with others.",
          kFewestPeople),
      cards + "</div>\n");
}

std::string RiskSection(const Report& report) {
  if (!report.risk) return "";
  const RiskReport& risk = *report.risk;
  const std::string above = "rows above " + risk.options.threshold.ToShortString();
  BarChart chart{"Risk of the original and of the release", {}, 1};
  const auto bar = [&](const std::string& name, double before, double after) {
    chart.bars.push_back({name, {before, after}, Percent(before) + " \u2192 " + Percent(after)});
  };
  bar("prosecutor, highest", risk.original.prosecutor.highest, risk.release.prosecutor.highest);
  bar("prosecutor, average", risk.original.prosecutor.average, risk.release.prosecutor.average);
  bar("prosecutor, " + above, risk.original.prosecutor.share_above, risk.release.prosecutor.share_above);
  if (risk.options.sampling_fraction < 1) {
    bar("journalist, highest", risk.original.journalist.highest, risk.release.journalist.highest);
    bar("journalist, average", risk.original.journalist.average, risk.release.journalist.average);
    bar("journalist, " + above, risk.original.journalist.share_above, risk.release.journalist.share_above);
  }
  bar("marketer", risk.original.marketer, risk.release.marketer);
  bar("unique in the table", risk.original.sample_uniqueness, risk.release.sample_uniqueness);
  if (risk.options.sampling_fraction < 1) {
    bar("unique in the population (estimate)", risk.original.population.share, risk.release.population.share);
  }
  const std::string attackers =
      "<figure><figcaption>Attacker models</figcaption><p><strong>Prosecutor</strong>: knows that a person is in the table, "
      "and "
      "picks "
      "among the rows that fit.</p><p><strong>Journalist</strong>: knows only that the table is a sample of a population that "
      "the "
      "person belongs to" +
      std::string(risk.options.sampling_fraction < 1
                      ? fmt::format("; here a sample of {}", Percent(risk.options.sampling_fraction))
                      : "; here the table is taken for the whole population, which makes the journalist a prosecutor") +
      ".</p><p><strong>Marketer</strong>: wants many people, no one in particular; the share of rows that are tied to the "
      "right "
      "person.</p></figure>\n";
  std::string knows =
      "Original against release. The attacker is assumed to know the quasi columns of a person, and nothing else.";
  if (risk.exact) {
    knows +=
        fmt::format(" If the attacker also knows the columns that are published as they are ({}), {} of the rows are unique.",
                    fmt::join(risk.exact->columns, ", "), Percent(risk.exact->unique_with_quasi));
  }
  return Section("Risk of re-identification", knows,
                 SeriesKey() + "<div class=\"cards\">\n" + Card("Risk", DrawBars(chart), "") + attackers + "</div>\n");
}

// What an analyst computes, before and after.
std::string StatisticsSection(const Report& report) {
  if (!report.statistics) return "";
  const Statistics& statistics = *report.statistics;
  std::string rows;
  const auto row = [&](const std::string& name, const std::string& before, const std::string& after) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", EscapeXml(name), EscapeXml(before),
                        EscapeXml(after));
  };
  for (const NumberStatistics& each : statistics.numbers) {
    row(each.column + ", mean", ShownNumber(each.original.mean, each.date), ShownNumber(each.release.mean, each.date));
    row(each.column + ", variance", ShownNumber(each.original.variance, false), ShownNumber(each.release.variance, false));
    for (std::size_t i = 0; i < std::min(each.original.quantiles.size(), each.release.quantiles.size()); ++i) {
      row(fmt::format("{}, {:g} % quantile", each.column, 100 * kQuantiles[i]),
          ShownNumber(each.original.quantiles[i], each.date), ShownNumber(each.release.quantiles[i], each.date));
    }
  }
  for (const PairStatistics& each : statistics.correlations) {
    row(fmt::format("correlation of {} and {}", each.first, each.second), fmt::format("{:.4f}", each.original),
        fmt::format("{:.4f}", each.release));
  }
  for (const TableStatistics& each : statistics.tables) {
    row(fmt::format("{} by {}, Cramer's V", each.cramers_v.first, each.cramers_v.second),
        fmt::format("{:.4f}", each.cramers_v.original),
        fmt::format("{:.4f} ({} of the table moved)", each.cramers_v.release, Percent(each.distance)));
  }
  for (const Regression& each : statistics.regressions) {
    for (const RegressionTerm& term : each.terms) {
      row(fmt::format("{} by least squares: {}", each.target, term.column.empty() ? "constant" : term.column),
          fmt::format("{:.4g} \u00b1 {:.2g}", term.original.value, term.original.error),
          fmt::format("{:.4g} \u00b1 {:.2g}", term.release.value, term.release.error));
    }
  }
  if (rows.empty()) return "";
  return Section(
      "Statistics",
      "What an analyst gets from the original and from the release. An interval is read as uniform over it, a star over "
      "the column's range, a label over the values below it; missing cells are left out. Quantiles are means of at "
      "least 10 values around them; there are none if people have several rows. Regressions have 95 % intervals.",
      "<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">figure</th><th scope=\"col\">original</th><th "
      "scope=\"col\">release</th></tr></thead>\n<tbody>\n" +
          rows + "</tbody></table></div>\n");
}

// Column by column: what its cells mean, and the values behind each label.
std::string CodebookSection(const Json& codebook) {
  if (codebook.is_null()) return "";
  std::string rows;
  for (const Json& column : codebook["columns"]) {
    std::string labels;
    const Json listed = column.value("labels", Json::object());  // items() does not keep it
    for (const auto& [label, values] : listed.items()) {
      labels += fmt::format("<li><b>{}</b>: {}</li>\n", EscapeXml(label),
                            EscapeXml(fmt::format("{}", fmt::join(values.get<std::vector<std::string>>(), ", "))));
    }
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}{}</td></tr>\n",
                        EscapeXml(column["name"].get<std::string>()), EscapeXml(column["role"].get<std::string>()),
                        EscapeXml(column["meaning"].get<std::string>()),
                        labels.empty() ? "" : "<details><summary>labels</summary><ul>\n" + labels + "</ul></details>");
  }
  return Section("Codebook", "What a reader of the release needs to know. It is also in the codebook file next to the release.",
                 "<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">column</th><th scope=\"col\">role</th><th "
                 "scope=\"col\">cells</th></tr></thead>\n<tbody>\n" +
                     rows + "</tbody></table></div>\n");
}

std::string RunSection(const Report& report) {
  std::string html;
  if (!report.warnings.empty()) {
    std::string list = "<ul class=\"warnings\">\n";
    for (const Warning& warning : report.warnings) {
      list += fmt::format("<li><strong>{}</strong>: {}</li>\n", EscapeXml(warning.code), EscapeXml(warning.fix));
    }
    html += Section("Warnings", "", list + "</ul>\n");
  }
  if (!report.tried.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const Tried& tried : report.tried) {
      const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; };
      std::string outcome = tried.left_out.empty() ? tried.failed : "left out: " + tried.left_out;
      if (tried.kept) outcome = report.tried.size() > 1 ? "kept" : "";
      if (tried.cut_short) outcome += outcome.empty() ? "out of time" : ", out of time";
      rows.push_back({tried.algorithm, number(tried.information_loss), number(tried.objective),
                      tried.left_out.empty() ? fmt::format("{:.3f}", tried.seconds) : "", outcome});
    }
    const std::string objective = report.objective ? report.objective->name : "objective";
    BarChart chart{"Information loss of each algorithm that was tried", {}, 1};
    for (const Tried& tried : report.tried) {
      if (!tried.information_loss) continue;
      chart.bars.push_back(
          {tried.algorithm + (tried.kept ? " (kept)" : ""), {*tried.information_loss}, ShortNumber(*tried.information_loss)});
    }
    const std::string picture =
        chart.bars.size() < 2
            ? ""
            : "<div class=\"cards\">\n" + Card("Information loss of the alternatives", DrawBars(chart), "") + "</div>\n";
    html += Section("Algorithms tried",
                    report.time_up ? "The time given was used up: with more, the loss may be less." : "Lower is better.",
                    picture + Table({"algorithm", "information loss", "objective: " + objective, "seconds", "outcome"}, rows));
  }
  if (!report.seconds.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [step, seconds] : report.seconds) rows.push_back({step, fmt::format("{:.3f}", seconds)});
    html += Section("Time", fmt::format("Peak memory {:.1f} MB.", report.peak_rss_mb), Table({"step", "seconds"}, rows));
  }
  return html;
}

std::string FigureSection(const Report& report) {
  Json json = {{"privacy", Json::array()}, {"utility", ToJson(report.utility)}};
  for (const Verdict& verdict : report.privacy) json["privacy"].push_back(ToJson(verdict));
  if (report.risk) json["risk"] = ToJson(*report.risk);
  std::vector<std::pair<std::string, std::string>> figures;
  Flatten("", json, figures);
  std::string table =
      "<div class=\"wide\"><table class=\"figures\">\n<thead><tr><th scope=\"col\">figure</th><th "
      "scope=\"col\">value</th></tr></thead>\n<tbody>\n";
  for (const auto& [name, value] : figures) {
    table += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", EscapeXml(name), EscapeXml(value));
  }
  return Section("Every figure", "As the JSON report has them.", table + "</tbody></table></div>\n");
}

}  // namespace cordon::engine::internal
