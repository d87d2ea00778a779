// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cordon::engine {
namespace {

constexpr double kWidth = 360;
constexpr const char* kSeries[] = {"s0", "s1", "s2", "s3", "s4", "s5"};
constexpr std::size_t kNumSeries = std::size(kSeries);

std::string Open(std::string_view title, double width, double height) {
  return fmt::format("<svg class=\"chart\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\"><title>{}</title>",
                     width, height, EscapeXml(title), EscapeXml(title));
}

std::string Text(double x, double y, std::string_view anchor, std::string_view text, std::string_view classes = "t") {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", classes, x, y, anchor,
                     EscapeXml(text));
}

std::string Rect(std::string_view classes, double x, double y, double width, double height) {
  return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", classes, x, y,
                     std::max(width, 0.0), std::max(height, 0.0));
}

std::string Rule(std::string_view classes, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", classes, x1, y1, x2, y2);
}

// About six units a character of the 12-unit font; longer labels lose their middle.
std::string Fit(const std::string& label, double width) {
  std::vector<std::size_t> starts;  // of characters, as bytes
  for (std::size_t i = 0; i < label.size(); ++i) {
    if ((static_cast<unsigned char>(label[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  const auto most = static_cast<std::size_t>(std::max(4.0, width / 6.4));
  if (starts.size() <= most) return label;
  const std::size_t tail = (most - 1) / 3;
  const std::size_t head = most - 1 - tail;
  return label.substr(0, starts[head]) + "\u2026" + label.substr(starts[starts.size() - tail]);
}

}  // namespace

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      case '\t':
      case '\n': escaped += ' '; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) escaped += c;  // XML has no other control characters
    }
  }
  return escaped;
}

std::string_view ChartStyle() {
  return R"(:root{--ink:#1b2430;--soft:#5a6675;--line:#d5dbe3;--paper:#ffffff;--s0:#8a97a8;--s1:#0b6bcb;--s2:#c2410c;--s3:#15803d;--s4:#7c3aed;--s5:#0e7490;--bad:#b42318;--good:#157347}
@media (prefers-color-scheme:dark){:root{--ink:#e6ebf2;--soft:#a3afbf;--line:#364252;--paper:#151b23;--s0:#7d8a9c;--s1:#5aa9ff;--s2:#fb923c;--s3:#4ade80;--s4:#c4a5ff;--s5:#22d3ee;--bad:#ff8a80;--good:#5fd38d}}
@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--s0:#8a97a8;--s1:#0b6bcb;--s2:#c2410c;--s3:#15803d;--s4:#7c3aed;--s5:#0e7490;--bad:#b42318;--good:#157347}}
.chart{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.chart text{fill:var(--ink)}.chart .soft{fill:var(--soft);font-size:11px}.chart .grid{stroke:var(--line);stroke-width:1}.chart .axis{stroke:var(--soft);stroke-width:1}
.chart .track{fill:var(--line);opacity:.45}.chart .mark{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:4 3}.chart .cross{stroke:var(--bad);stroke-width:2;fill:none}
.chart .s0{fill:var(--s0)}.chart .s1{fill:var(--s1)}.chart .s2{fill:var(--s2)}.chart .s3{fill:var(--s3)}.chart .s4{fill:var(--s4)}.chart .s5{fill:var(--s5)}
.chart polyline[class]{fill:none;stroke-width:2}.chart polyline.s0{stroke:var(--s0)}.chart polyline.s1{stroke:var(--s1)}.chart polyline.s2{stroke:var(--s2)}.chart polyline.s3{stroke:var(--s3)}.chart polyline.s4{stroke:var(--s4)}.chart polyline.s5{stroke:var(--s5)}
.chart polyline,.chart .s1,.chart .s2,.chart .s3,.chart .s4,.chart .s5,.chart .s0{print-color-adjust:exact;-webkit-print-color-adjust:exact}
)";
}

std::string ShortNumber(double value) {
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e15 || size < 1e-4) return fmt::format("{:.3g}", value);
  std::string text = size >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
  if (size < 1000) return text;
  for (std::size_t place = text.size(); place > 3 + (text[0] == '-');) text.insert(place -= 3, ",");
  return text;
}

std::string Percent(double share) {
  const double percent = share * 100;
  if (percent == 0 || percent >= 99.95) return fmt::format("{:.0f} %", percent);
  return percent < 0.1 ? "< 0.1 %" : fmt::format("{:.1f} %", percent);
}

std::vector<double> NiceTicks(double most, int count) {
  if (!(most > 0) || !std::isfinite(most)) return {0, 1};
  double step = std::pow(10, std::floor(std::log10(most / count)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (step * factor * count >= most * (1 - 1e-9)) {
      step *= factor;
      break;
    }
  }
  std::vector<double> ticks = {0};
  while (ticks.back() < most * (1 - 1e-9)) ticks.push_back(step * static_cast<double>(ticks.size()));
  return ticks;
}

std::string DrawBars(const BarChart& chart) {
  constexpr double kTextHeight = 18;
  constexpr double kGap = 9;
  double height = 0;
  for (const Bar& bar : chart.bars) height += kTextHeight + 9 * static_cast<double>(bar.values.size()) + kGap;
  std::string svg = Open(chart.title, kWidth, height);
  double y = 0;
  for (const Bar& bar : chart.bars) {
    svg += Text(0, y + 13, "start", Fit(bar.label, kWidth - 6.4 * static_cast<double>(bar.text.size()) - 12));
    svg += Text(kWidth, y + 13, "end", bar.text);
    y += kTextHeight;
    const std::size_t first = bar.values.size() == 1 ? 1 : 0;  // a single series has the main colour
    for (std::size_t i = 0; i < bar.values.size(); ++i) {
      const double share = chart.most > 0 ? std::clamp(bar.values[i] / chart.most, 0.0, 1.0) : 0;
      svg += Rect("track", 0, y, kWidth, 7) + Rect(kSeries[(first + i) % kNumSeries], 0, y, kWidth * share, 7);
      y += 9;
    }
    y += kGap;
  }
  return svg + "</svg>";
}

std::string DrawColumns(const ColumnChart& chart) {
  constexpr double kLeft = 46;
  constexpr double kRight = 8;
  constexpr double kTop = 16;
  constexpr double kPlot = 140;
  double most = 0;
  for (const ChartColumn& column : chart.columns) {
    for (const double value : column.values) most = std::max(most, value);
  }
  const std::vector<double> ticks = NiceTicks(most, 4);
  const double top = ticks.back();
  std::string svg = Open(chart.title, kWidth, kTop + kPlot + 42);
  for (const double tick : ticks) {
    const double y = kTop + kPlot * (1 - tick / top);
    svg += Rule(tick == 0 ? "axis" : "grid", kLeft, y, kWidth - kRight, y);
    svg += Text(kLeft - 6, y + 4, "end", chart.percent ? fmt::format("{:.4g} %", tick * 100) : ShortNumber(tick), "soft");
  }
  const double slot = (kWidth - kLeft - kRight) / static_cast<double>(std::max<std::size_t>(1, chart.columns.size()));
  std::size_t longest = 1;
  for (const ChartColumn& column : chart.columns) longest = std::max(longest, column.label.size());
  const auto every = static_cast<std::size_t>(std::ceil((static_cast<double>(longest) * 6.2 + 8) / slot));
  const bool apart = !chart.columns.empty() && chart.columns.back().apart;
  const double label_start = apart ? kWidth - kRight - 6.2 * static_cast<double>(chart.columns.back().label.size()) - 6 : 0;
  for (std::size_t i = 0; i < chart.columns.size(); ++i) {
    const ChartColumn& column = chart.columns[i];
    const double left = kLeft + slot * static_cast<double>(i);
    const std::size_t first = column.values.size() == 1 ? 1 : 0;
    const double width = std::min(slot * 0.86, 60.0) / static_cast<double>(column.values.size());
    const double start = left + (slot - width * static_cast<double>(column.values.size())) / 2;
    for (std::size_t j = 0; j < column.values.size(); ++j) {
      const double height = kPlot * column.values[j] / top;
      svg +=
          Rect(kSeries[(first + j) % kNumSeries], start + width * static_cast<double>(j), kTop + kPlot - height, width, height);
    }
    if (column.apart) {
      svg += Rule("axis", left, kTop, left, kTop + kPlot);
      svg += Text(kWidth - kRight, kTop + kPlot + 15, "end", column.label, "soft");
    } else if (i % every == 0 && (!apart || left + slot / 2 + 3.1 * static_cast<double>(column.label.size()) < label_start)) {
      svg += Text(left + slot / 2, kTop + kPlot + 15, "middle", column.label, "soft");
    }
  }
  if (chart.mark) {
    const double x = kLeft + slot * *chart.mark;
    const bool right = x > kWidth / 2;
    svg += Rule("mark", x, 4, x, kTop + kPlot);
    svg += Text(right ? x - 4 : x + 4, 12, right ? "end" : "start", chart.mark_name, "soft");
  }
  svg += Text((kLeft + kWidth - kRight) / 2, kTop + kPlot + 34, "middle", chart.x_name, "soft");
  return svg + "</svg>";
}

namespace {

// Where the places of an axis stand, 0 to 1: to scale if all are numbers and ascend, else at equal steps.
std::vector<double> PlacesAcross(const std::vector<std::string>& places) {
  std::vector<double> across;
  bool scale = places.size() > 1;
  for (const std::string& place : places) {
    double value = 0;
    const auto [end, failed] = std::from_chars(place.data(), place.data() + place.size(), value);
    scale = scale && failed == std::errc() && end == place.data() + place.size() && (across.empty() || value > across.back());
    across.push_back(value);
  }
  const double first = across.empty() ? 0 : across.front();
  const double last = across.empty() ? 1 : across.back();
  for (std::size_t i = 0; i < across.size(); ++i) {
    across[i] = scale ? (across[i] - first) / (last - first)
                      : (places.size() == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(places.size() - 1));
  }
  return across;
}

}  // namespace

std::string DrawLines(const LineChart& chart, int width, int height) {
  constexpr double kLeft = 52;
  constexpr double kRight = 16;
  constexpr double kTop = 30;
  const auto named = std::count_if(chart.lines.begin(), chart.lines.end(), [](const Line& line) { return !line.name.empty(); });
  const double legend = 20 * static_cast<double>(named);
  const double plot = height - kTop - 50 - legend;
  double most = 0;
  bool missing = false;
  for (const Line& line : chart.lines) {
    for (const auto& value : line.values) {
      if (value) most = std::max(most, *value);
      missing = missing || !value;
    }
  }
  const std::vector<double> ticks = NiceTicks(most, 5);
  const double top = ticks.back();
  std::string svg = Open(chart.title, width, height + (missing ? 20 : 0));
  svg += Text(0, 14, "start", chart.y_name, "soft");
  for (const double tick : ticks) {
    const double y = kTop + plot * (1 - tick / top);
    svg += Rule(tick == 0 ? "axis" : "grid", kLeft, y, width - kRight, y) +
           Text(kLeft - 6, y + 4, "end", ShortNumber(tick), "soft");
  }
  const std::vector<double> across = PlacesAcross(chart.places);
  const auto x_of = [&](std::size_t i) {
    const double margin = (width - kLeft - kRight) / 2 / static_cast<double>(chart.places.size());
    return kLeft + margin + (width - kLeft - kRight - 2 * margin) * across[i];
  };
  double free_from = 0;  // labels that would run into each other are left out
  for (std::size_t i = 0; i < chart.places.size(); ++i) {
    const double half = 4.0 * static_cast<double>(chart.places[i].size());
    if (x_of(i) - half < free_from) continue;
    svg += Text(x_of(i), kTop + plot + 17, "middle", chart.places[i], "soft");
    free_from = x_of(i) + half + 2;
  }
  svg += Text((kLeft + width - kRight) / 2, kTop + plot + 36, "middle", chart.x_name, "soft");
  const auto cross = [&](double x, double y) {
    return fmt::format("<path class=\"cross\" d=\"M{:.1f} {:.1f}l8 8m0 -8l-8 8\"/>", x - 4, y - 4);
  };
  double key = kTop + plot + 50;
  for (std::size_t n = 0; n < chart.lines.size(); ++n) {
    const char* series = kSeries[(n + 1) % kNumSeries];
    std::string points;
    std::string marks;
    const auto flush = [&] {
      if (!points.empty()) svg += fmt::format("<polyline class=\"{}\" points=\"{}\"/>", series, points);
      points.clear();
    };
    for (std::size_t i = 0; i < chart.places.size(); ++i) {
      if (!chart.lines[n].values[i]) {
        flush();
        marks +=
            cross(x_of(i) + 10 * (static_cast<double>(n) - static_cast<double>(chart.lines.size() - 1) / 2), kTop + plot - 7);
        continue;
      }
      const double y = kTop + plot * (1 - *chart.lines[n].values[i] / top);
      points += fmt::format("{:.1f},{:.1f} ", x_of(i), y);
      marks += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"><title>{}</title></circle>", series,
                           x_of(i), y, ShortNumber(*chart.lines[n].values[i]));
    }
    flush();
    svg += marks;
    if (chart.lines[n].name.empty()) continue;
    svg += Rect(series, kLeft, key, 12, 12) + Text(kLeft + 18, key + 10, "start", chart.lines[n].name);
    key += 20;
  }
  if (missing) svg += cross(kLeft + 6, key + 6) + Text(kLeft + 18, key + 10, "start", chart.missing_name);
  return svg + "</svg>";
}

std::string DrawMap(const MapChart& chart, int width, int height) {
  constexpr double kLeft = 52;
  constexpr double kRight = 24;
  constexpr double kTop = 30;
  const double across = width - kLeft - kRight;
  const double plot = height - kTop - 46;
  double most_x = 0;
  double most_y = 0;
  for (const MapPoint& point : chart.points) {
    most_x = std::max(most_x, point.x);
    most_y = std::max(most_y, point.y);
  }
  const std::vector<double> x_ticks = NiceTicks(most_x, 5);
  const std::vector<double> y_ticks = NiceTicks(most_y, 5);
  const auto x_of = [&](double x) { return kLeft + across * x / x_ticks.back(); };
  const auto y_of = [&](double y) { return kTop + plot * (1 - y / y_ticks.back()); };
  std::string svg = Open(chart.title, width, height);
  svg += Text(0, 14, "start", chart.y_name, "soft");
  for (const double tick : y_ticks) {
    svg += Rule(tick == 0 ? "axis" : "grid", kLeft, y_of(tick), width - kRight, y_of(tick)) +
           Text(kLeft - 6, y_of(tick) + 4, "end", ShortNumber(tick), "soft");
  }
  for (const double tick : x_ticks) svg += Text(x_of(tick), kTop + plot + 17, "middle", ShortNumber(tick), "soft");
  svg += Text(kLeft + across / 2, kTop + plot + 36, "middle", chart.x_name, "soft");
  std::vector<std::pair<double, double>> labels;  // a label that would cover another one is left to the title and the table
  for (std::size_t i = 0; i < chart.points.size(); ++i) {
    const MapPoint& point = chart.points[i];
    const double x = x_of(point.x);
    const double y = y_of(point.y);
    svg += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}</title></circle>",
                       kSeries[(i + 1) % kNumSeries], x, y, EscapeXml(point.name));
    const bool covers = std::any_of(labels.begin(), labels.end(), [&](const auto& other) {
      return std::fabs(other.first - x) < 110 && std::fabs(other.second - y) < 15;
    });
    if (covers) continue;
    const bool right = x > kLeft + across * 0.7;
    svg += Text(right ? x - 8 : x + 8, y - 6, right ? "end" : "start", point.name);
    labels.emplace_back(x, y);
  }
  return svg + "</svg>";
}

}  // namespace cordon::engine
