// SPDX-License-Identifier: Apache-2.0
#include "cordon/policy/hierarchy_source.h"

#include <algorithm>
#include <chrono>

#include "cordon/data/decimal.h"
#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {
namespace {

using Path = std::vector<std::string>;

constexpr std::int64_t kMaxDays = 400 * 366;

// Bytes of the character that starts here, 0 if it is not well-formed UTF-8.
std::size_t CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : (lead >= 0xE0 ? 3 : 2);
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond the last plane.
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

char DelimiterOf(std::string_view first_line) {
  std::string bare;  // what stands outside quotes
  bool quoted = false;
  for (const char c : first_line) {
    if (c == '"')
      quoted = !quoted;
    else if (!quoted)
      bare += c;
  }
  for (const char delimiter : {';', ',', '\t'}) {
    if (bare.find(delimiter) != std::string::npos) return delimiter;
  }
  return ';';
}

// The labels of one line; nothing if a quote does not close or text follows a closing quote.
std::optional<Path> SplitLine(std::string_view line, char delimiter) {
  Path labels(1);
  std::size_t at = 0;
  while (true) {
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size()) return std::nullopt;
        if (line[at] == '"') {
          if (at + 1 >= line.size() || line[at + 1] != '"') break;
          ++at;
        }
        labels.back() += line[at];
      }
      ++at;
    } else {
      while (at < line.size() && line[at] != delimiter) labels.back() += line[at++];
    }
    if (at >= line.size()) return labels;
    if (line[at] != delimiter) return std::nullopt;
    ++at;
    labels.emplace_back();
  }
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// The first `count` characters.
std::string_view Prefix(std::string_view text, int count) {
  std::size_t bytes = 0;
  for (int i = 0; i < count && bytes < text.size(); ++i) bytes += std::max<std::size_t>(1, CharacterLength(text.substr(bytes)));
  return text.substr(0, bytes);
}

int NumCharacters(std::string_view text) {
  int count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(std::max<std::size_t>(1, CharacterLength(text)));
  return count;
}

std::int64_t FloorTo(std::int64_t value, std::int64_t width, std::int64_t origin) {
  const Int128 offset = static_cast<Int128>(value) - origin;
  const Int128 rest = ((offset % width) + width) % width;
  return static_cast<std::int64_t>(value - rest);
}

std::chrono::year_month_day DateOf(std::int64_t day) {
  return std::chrono::year_month_day{std::chrono::sys_days(std::chrono::days(day))};
}

}  // namespace

Result<Hierarchy> ParseHierarchy(std::string_view text, const std::string& name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::vector<std::string_view> lines = Lines(text);
  const char delimiter = lines.empty() ? ';' : DelimiterOf(lines[0]);
  std::vector<Path> paths;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto here = [&](Error error) { return std::move(error).WithContext("{}:{}", name, i + 1); };
    if (!IsUtf8(lines[i]))
      return here(Error::InvalidData("the line is not UTF-8").WithHint("convert the file, for instance with iconv"));
    if (lines[i].find('\0') != std::string_view::npos) return here(Error::InvalidData("the line holds a zero byte"));
    if (lines[i].empty())
      return here(Error::InvalidData("the line is empty").WithHint("write one line per leaf: leaf;level1;...;root"));
    std::optional<Path> path = SplitLine(lines[i], delimiter);
    if (!path)
      return here(Error::InvalidData("a quoted label does not end where the cell ends")
                      .WithHint("a quote inside a quoted label is doubled"));
    for (std::size_t level = 0; level + 1 < path->size(); ++level) {
      // Above a "*" there may be only "*".
      if ((*path)[level] != "*" || (*path)[level + 1] == "*") {
        if ((*path)[level] == "*" && level == 0)
          return here(Error::InvalidData("* cannot be a leaf: it is published for everything"));
        continue;
      }
      return here(Error::InvalidData("* stands below another label: it can only be the root"));
    }
    paths.push_back(*std::move(path));
  }
  return Hierarchy::FromPaths(paths).WithContext("{}", name);
}

Result<Hierarchy> ReadHierarchy(const std::string& path) {
  CORDON_TRY(const std::string text, ReadFile(path, 256 * kMebibyte));
  return ParseHierarchy(text, path);
}

Result<Hierarchy> PrefixHierarchy(std::vector<std::string> values, int length) {
  std::sort(values.begin(), values.end());
  std::vector<Path> paths;
  for (const std::string& value : values) {
    const int size = NumCharacters(value);
    Path path = {value};
    for (int keep = length - 1; keep >= 0; --keep) path.push_back(size < keep ? value : std::string(Prefix(value, keep)) + "*");
    paths.push_back(std::move(path));
  }
  Result<Hierarchy> made = Hierarchy::FromPaths(paths);
  if (made.ok() || values.empty()) return made;
  return Error::InvalidData("a value looks like a generalized one: it ends in *")
      .WithHint("use a hierarchy file for this column");
}

Result<Hierarchy> IntervalHierarchy(std::span<const std::int64_t> values, int scale, std::int64_t cell,
                                    std::span<const std::int64_t> widths, std::int64_t origin) {
  const auto interval = [&](std::int64_t from, std::int64_t width) {
    return fmt::format("[{},{})", FormatDecimal(from, scale), FormatDecimal(from + width, scale));
  };
  std::vector<Path> paths;
  for (const std::int64_t value : values) {
    Path path = {cell > 0 ? interval(value, cell) : FormatDecimal(value, scale)};
    for (const std::int64_t width : widths) path.push_back(interval(FloorTo(value, width, origin), width));
    path.emplace_back("*");
    paths.push_back(std::move(path));
  }
  return Hierarchy::FromPaths(paths);
}

std::string DateLabel(std::int64_t day, DateUnit unit) {
  const auto date = DateOf(day);
  const int year = static_cast<int>(date.year());
  const unsigned month = static_cast<unsigned>(date.month());
  switch (unit) {
    case DateUnit::kMonth: return fmt::format("{:04}-{:02}", year, month);
    case DateUnit::kQuarter: return fmt::format("{:04}-Q{}", year, (month - 1) / 3 + 1);
    case DateUnit::kYear: return fmt::format("{:04}", year);
  }
  return "";
}

std::optional<DaySpan> ParseDateLabel(std::string_view label) {
  // Each form is completed to the first day it covers; the label of that day must then be the label itself.
  const std::string text(label);
  for (const DateUnit unit : {DateUnit::kMonth, DateUnit::kQuarter, DateUnit::kYear}) {
    std::string day = text + (unit == DateUnit::kMonth ? "-01" : "-01-01");
    if (unit == DateUnit::kQuarter) {
      if (text.size() != 7 || text[5] != 'Q' || text[6] < '1' || text[6] > '4') continue;
      day = fmt::format("{}{:02}-01", text.substr(0, 5), (text[6] - '1') * 3 + 1);
    }
    const auto first = ParseDate(day);
    if (first && DateLabel(*first, unit) == text) {
      const StepSpan days = UnitAround(*first, unit);
      return DaySpan{days.from, days.to - 1};
    }
  }
  return std::nullopt;
}

Result<Hierarchy> DateHierarchy(std::int64_t first, std::int64_t last, std::span<const DateUnit> units) {
  if (!units.empty()) {
    first = UnitAround(first, units.back()).from;
    last = UnitAround(last, units.back()).to - 1;
  }
  if (last - first > kMaxDays) {
    return Error::InvalidData("the dates span more than 400 years")
        .WithHint("set bottom and top, or list the marker of unknown dates in data.missing");
  }
  std::vector<Path> paths;
  for (std::int64_t day = first; day <= last; ++day) {
    Path path = {FormatDate(day)};
    for (const DateUnit unit : units) path.push_back(DateLabel(day, unit));
    path.emplace_back("*");
    paths.push_back(std::move(path));
  }
  return Hierarchy::FromPaths(paths);
}

}  // namespace cordon::engine
