// SPDX-License-Identifier: Apache-2.0
//
// Charts as SVG, drawn 360 units wide so that their text is readable if they are shown 360 pixels wide, as on a
// telephone; a page puts several side by side if there is room. Colours are classes (ChartStyle), with a light, a dark
// and a printed form. Every chart has a title that a screen reader speaks and shows its numbers as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cordon::engine {

std::string EscapeXml(std::string_view text);

// Rules for the classes that charts use, without <style>.
std::string_view ChartStyle();

// 0.1234 -> "0.1234", 12345 -> "12,345", 1.5e-7 -> "1.5e-07": a number that a person reads.
std::string ShortNumber(double value);
std::string Percent(double share);  // "12.3 %"
// 0, step, ..., the last at least `most`: steps of 1, 2 or 5 times a power of ten, at most `count` of them.
std::vector<double> NiceTicks(double most, int count);

// A label with one bar for each series, one below the other.
struct Bar {
  std::string label;
  std::vector<double> values;
  std::string text;  // shown at the right end
};
struct BarChart {
  std::string title;  // spoken, not shown
  std::vector<Bar> bars;
  double most = 1;  // the value of a full bar
};
std::string DrawBars(const BarChart& chart);

// Columns over an axis, side by side if there are two series.
struct ChartColumn {
  std::string label;
  std::vector<double> values;
  bool apart = false;  // not on the axis: the last one, behind a line, its label always shown
};
struct ColumnChart {
  std::string title;
  std::string x_name;
  std::vector<ChartColumn> columns;
  bool percent = false;  // values are shares
  // A line between columns: after `mark` of them (a fraction is a place inside a column).
  std::optional<double> mark;
  std::string mark_name;
};
std::string DrawColumns(const ColumnChart& chart);

// Values over named places of an axis, a line for each series; a place without a value is marked as such.
struct Line {
  std::string name;  // in the key; empty: not in it
  std::vector<std::optional<double>> values;
};
struct LineChart {
  std::string title;
  std::string x_name;
  std::string y_name;
  std::vector<std::string> places;
  std::vector<Line> lines;
  std::string missing_name;  // what a cross means: "no release"
};
std::string DrawLines(const LineChart& chart, int width, int height);

// Named points over two axes, both to scale and from 0.
struct MapPoint {
  std::string name;
  double x = 0;
  double y = 0;
};
struct MapChart {
  std::string title;
  std::string x_name;
  std::string y_name;
  std::vector<MapPoint> points;
};
std::string DrawMap(const MapChart& chart, int width, int height);

}  // namespace cordon::engine
