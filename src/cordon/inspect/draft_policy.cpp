// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/draft_policy.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "cordon/data/decimal.h"
#include "cordon/inspect/build_hierarchy.h"
#include "cordon/inspect/known_hierarchies.h"
#include "cordon/policy/hierarchy_source.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kMostDays = 390 * 366;
constexpr int kDraftDelay = 10'000;
constexpr std::int64_t kMostStep = std::int64_t{1} << 50;
constexpr std::size_t kFewValues = 4;        // of so few values no hierarchy is made
constexpr std::size_t kMostLeaves = 20'000;  // of so many neither

std::string TomlText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", static_cast<int>(static_cast<unsigned char>(c)));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

bool IsPlain(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' || c == '-';
}

std::string TomlKey(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsPlain) ? name : TomlText(name);
}

std::string TomlList(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(TomlText(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

class Drafter {
 public:
  Drafter(const Table& table, const Profile& profile, const DraftOptions& options)
      : table_(table), profile_(profile), options_(options) {}

  Result<Draft> Make() {
    if (!options_.hierarchies.empty()) {
      CORDON_TRY(known_, ReadHierarchyFolder(options_.hierarchies));
    }
    draft_.policy =
        "# A draft by `cordon inspect`. Roles are guesses from names and contents: read every one of them.\n"
        "# Only what nobody outside can know may be insensitive.\n";
    if (options_.stream) {
      Line(
          "# Ranges, values and hierarchies come from the sample, with room around it: rows outside them will be dead "
          "letters.");
    }
    AddData(options_.text);
    if (options_.stream) AddStream();
    for (std::size_t i = 0; i < profile_.columns.size(); ++i) CORDON_RETURN_IF_ERROR(AddAttribute(i));
    AddPrivacy(options_.k);
    return std::move(draft_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> text, Args&&... args) {
    draft_.policy += fmt::format(text, std::forward<Args>(args)...) + "\n";
  }

  void AddData(const TextFormat& text) {
    Line("\n[data]");
    if (text.encoding != Encoding::kUtf8) Line("encoding = \"{}\"", EncodingNames()[static_cast<std::size_t>(text.encoding)]);
    if (text.delimiter != ",") Line("delimiter = {}", TomlText(text.delimiter));
    if (text.trim) Line("trim = true");
    if (!text.header) {
      Line("header = false  # the first line looks like a row");
      Line("columns = {}  # better: names that say what they hold, here and in the tables below", TomlList(text.columns));
    }
    Line("missing = {}", TomlList(profile_.missing));
  }

  void AddStream() {
    Line("\n[stream]");
    Line("delay = {}  # this many rows may arrive before a row must have left; more gives less loss", kDraftDelay);
    Line("unknown = \"reject\"  # or \"drop\": keys and columns not listed here are dropped");
  }

  Result<void> AddAttribute(std::size_t index) {
    const ColumnProfile& column = profile_.columns[index];
    Line("\n[attributes.{}]", TomlKey(column.name));
    if (options_.stream && column.role == Role::kSensitive && !HasStreamGuard(index)) {
      Line("role = \"identifier\"  # sensitive ({}), and no model of streams suits its values: left out", column.why);
      return {};
    }
    Line("role = \"{}\"  # {}", RoleName(column.role), column.why);
    if (column.role != Role::kQuasi && column.role != Role::kSensitive) return {};
    if (column.role == Role::kQuasi && AddKnown(index)) return {};
    if (column.role == Role::kQuasi && column.codes && (column.postcode || column.distinct > 20)) {
      Line("type = \"categorical\"");
      if (options_.stream) return AddPrefixes(table_.columns[index], column.longest);
      Line("hierarchy = {{ prefix = {} }}  # 12345, 1234*, 123*, ...", column.longest);
      return {};
    }
    Line("type = \"{}\"", TypeName(column.type));
    if (!column.unclear.empty() && column.type == Domain::Kind::kNumeric) {
      Line("format = \"FILL IN\"  # {} or {}: the cells fit both, and nothing tells whether the point marks thousands",
           TomlText(column.unclear[0]), TomlText(column.unclear[1]));
      return {};
    }
    if (!column.unclear.empty()) {
      Line("# format =   FILL IN: {} or {}; the cells fit both, and nothing tells which day is meant",
           TomlText(column.unclear[0]), TomlText(column.unclear[1]));
    } else if (column.format.size() == 1)
      Line("format = {}  # how the input is written; a release has {}", TomlText(column.format[0]),
           column.type == Domain::Kind::kDate ? "2024-02-29" : "1234.56");
    if (column.unclear.empty() && column.format.size() > 1)
      Line("format = {}  # a cell is read by the first that fits", TomlList(column.format));
    if (column.role == Role::kSensitive) {
      AddRound(index);
      return {};
    }
    switch (column.type) {
      case Domain::Kind::kNumeric: return AddIntervals(table_.columns[index]);
      case Domain::Kind::kDate: return AddDates(table_.columns[index]);
      case Domain::Kind::kCategorical: return AddFrequencies(table_.columns[index]);
    }
    return {};
  }

  // A file of the folder that is for this column. A column of numbers becomes one of categories: then the labels of the file
  // are what is published, where cuts of numbers would be free.
  bool AddKnown(std::size_t index) {
    const ColumnProfile& column = profile_.columns[index];
    const std::vector<Counted> values = CountValues(table_.columns[index], profile_.missing);
    const KnownHierarchy* found = FindHierarchy(known_, column.name, values);
    if (found == nullptr) return false;
    const std::filesystem::path base = options_.policy_folder.empty() ? "." : options_.policy_folder;
    std::error_code failed;
    const std::filesystem::path path = std::filesystem::proximate(found->path, base, failed);
    draft_.used.push_back(found->path);
    Line("type = \"categorical\"");
    Line("hierarchy = {}", TomlText(failed ? found->path : path.generic_string()));
    return true;
  }

  // Values at one scale, each with its rows, ascending.
  template <typename Read>
  std::vector<std::pair<std::int64_t, std::uint64_t>> NumbersOf(const Column& column, const Read& read) const {
    std::vector<std::pair<std::int64_t, std::uint64_t>> numbers;
    for (const Counted& value : CountValues(column, profile_.missing)) {
      if (const std::optional<std::int64_t> number = read(value.first)) numbers.emplace_back(*number, value.second);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  // The number below which this share of the rows is.
  static std::int64_t Quantile(const std::vector<std::pair<std::int64_t, std::uint64_t>>& numbers, double share) {
    std::uint64_t rows = 0;
    for (const auto& [number, count] : numbers) rows += count;
    double left = share * static_cast<double>(rows);
    for (const auto& [number, count] : numbers) {
      left -= static_cast<double>(count);
      if (left < 0) return number;
    }
    return numbers.back().first;
  }

  static std::int64_t HalfUp(std::int64_t value, std::int64_t step) {
    const std::int64_t rest = ((value % step) + step) % step;
    return value - rest + (2 * rest >= step ? step : 0);
  }
  // Digits after the point that the numbers of the column have, as far as they matter.
  int ScaleOf(const Column& column) const {
    constexpr int kFineEnough = 9;
    int scale = 0;
    for (const Counted& value : CountValues(column, profile_.missing)) {
      if (const auto number = ParseRounded(value.first)) scale = std::max(scale, number->scale);
    }
    return std::min(scale, kFineEnough);
  }
  std::vector<std::pair<std::int64_t, std::uint64_t>> NumbersAt(const Column& column, int scale) const {
    return NumbersOf(column, [&](const std::string& text) -> std::optional<std::int64_t> {
      const auto number = ParseRounded(text);
      return number ? RoundTo(*number, scale) : std::nullopt;
    });
  }

  // The least of 1, 2, 5, 10, ... that leaves fewer than one row in twenty unique; at most the coarsest.
  std::int64_t StepOf(const std::vector<std::pair<std::int64_t, std::uint64_t>>& numbers, std::int64_t coarsest) const {
    constexpr std::uint64_t kOneInTwenty = 20;
    std::int64_t step = 1;
    for (std::int64_t unit = 1; unit < kMostStep; unit *= 10) {
      for (const std::int64_t each : {unit, 2 * unit, 5 * unit}) {
        if (each > coarsest) return step;
        step = each;
        std::uint64_t unique = 0;
        for (const auto& [number, count] : RoundedTo(step, numbers)) unique += count == 1 ? 1 : 0;
        if (unique * kOneInTwenty < profile_.rows) return step;
      }
    }
    return step;
  }
  static std::vector<std::pair<std::int64_t, std::uint64_t>> RoundedTo(
      std::int64_t step, const std::vector<std::pair<std::int64_t, std::uint64_t>>& numbers) {
    std::vector<std::pair<std::int64_t, std::uint64_t>> rounded;
    for (const auto& [number, count] : numbers) {
      const std::int64_t value = HalfUp(number, step);
      if (rounded.empty() || rounded.back().first != value) rounded.emplace_back(value, 0);
      rounded.back().second += count;
    }
    return rounded;
  }

  // Sensitive numbers are published as they are. If many are unique, who knows one finds its row: they are rounded until few
  // are, but no more coarsely than quasi columns would be.
  void AddRound(std::size_t index) {
    constexpr std::uint64_t kOneInFive = 5;
    constexpr std::uint64_t kFewRows = 20;
    const ColumnProfile& column = profile_.columns[index];
    if (options_.stream || column.unique_rows * kOneInFive < profile_.rows || column.unique_rows < kFewRows) return;
    const auto share = 100 * static_cast<double>(column.unique_rows) / static_cast<double>(profile_.rows);
    if (column.type != Domain::Kind::kNumeric) {
      Line("# {:.0f} % of the rows have a unique value: anyone who knows it finds the row. Can it be left out?", share);
      return;
    }
    const int scale = ScaleOf(table_.columns[index]);
    const auto numbers = NumbersAt(table_.columns[index], scale);
    const std::int64_t coarsest = NiceWidths(Quantile(numbers, 0.05), Quantile(numbers, 0.95)).front();
    const std::int64_t step = StepOf(numbers, coarsest);
    rounded_[index] = step;
    Line("round = {}  # {:.0f} % of the rows have a unique value: anyone who knows it finds the row",
         FormatDecimal(step, scale), share);
  }

  // A grid about as wide as a sixteenth of where nine in ten values are: no interval then ends at the value of a person. The
  // levels above are for algorithms that go by levels. So few values that each has many people need no grid.
  Result<void> AddIntervals(const Column& column) {
    const int scale = ScaleOf(column);
    const auto numbers = NumbersAt(column, scale);
    if (numbers.empty()) return {};
    const std::int64_t lo = numbers.front().first;
    const std::int64_t hi = numbers.back().first;
    if (options_.stream) AddNumberRange(lo, hi, scale);
    if (hi - lo < 8) return {};
    std::int64_t from = Quantile(numbers, 0.05);
    std::int64_t to = Quantile(numbers, 0.95);
    if (to - from < 8) from = lo, to = hi;
    std::vector<std::int64_t> widths = NiceWidths(from, to);
    while (widths.size() < 7 && widths.back() < (hi - lo) / 2) widths.push_back(widths.back() * 2);
    if (options_.stream) {  // the range starts at a round number, and so do the cells of its grid
      if (widths[0] > 1)
        Line("grid = {}  # intervals end at its multiples, not at a person's value", FormatDecimal(widths[0], scale));
      return {};
    }
    if (widths[0] > 1)
      Line("grid = {}  # intervals end at its multiples, not at a person's value", FormatDecimal(widths[0], scale));
    std::vector<std::string> levels;
    for (std::size_t i = 1; i < widths.size(); ++i) levels.push_back(FormatDecimal(widths[i], scale));
    if (!levels.empty()) Line("hierarchy = {{ intervals = [{}] }}", fmt::join(levels, ", "));
    return {};
  }

  // As wide again as what the sample has, to round numbers; more digits than the sample has are rounded away.
  void AddNumberRange(std::int64_t lo, std::int64_t hi, int scale) {
    std::int64_t step = 1;
    while (step <= std::max<std::int64_t>(hi - lo, 1) / 2 && step < kMostStep) step *= 10;
    const std::int64_t span = std::max<std::int64_t>(hi - lo, 1);
    const auto down = [&](std::int64_t value) { return (value >= 0 ? value / step : -((-value + step - 1) / step)) * step; };
    const std::int64_t from = lo >= 0 && lo < span ? 0 : down(lo - span / 2);
    const std::int64_t to = down(hi + span / 2) + step;
    Line("range = [{}, {}]  # the sample, and room around it: check it", FormatDecimal(from, scale), FormatDecimal(to, scale));
    if (scale > 0) Line("round = {}", FormatDecimal(1, scale));
  }

  Result<void> AddDates(const Column& column) {
    const auto days = NumbersOf(column, [](const std::string& text) { return ParseDate(text); });
    if (days.empty()) return {};
    if (options_.stream) {
      constexpr std::int64_t kRoom = 3653;  // days: ten years
      Line("range = [{}, {}]  # the sample, and ten years around it: check it", FormatDate(days.front().first - kRoom),
           FormatDate(days.back().first + kRoom));
    }
    if (days.back().first - days.front().first < kMostDays) {
      Line(
          "hierarchy = {{ dates = [\"month\", \"quarter\", \"year\"] }}  # intervals end where months do; a day that a whole "
          "group shares is shown, unless grid = 7 (days) or so is set");
    } else {
      Line("grid = 365  # days: no interval ends at a person's day");
    }
    return {};
  }

  Result<void> AddFrequencies(const Column& column) {
    std::vector<Counted> values = CountValues(column, profile_.missing);
    if (options_.stream && values.size() <= kFewValues) {
      std::vector<std::string> texts;
      for (const Counted& value : values) texts.push_back(value.first);
      std::sort(texts.begin(), texts.end());
      Line("values = {}  # those of the sample", TomlList(texts));
      Line("other = \"other\"  # values to come");
      return {};
    }
    if (values.size() <= kFewValues || values.size() > kMostLeaves) return {};
    return AddFile(column.name, FrequencyHierarchy(std::move(values), "other"), "by frequency: one by meaning is better");
  }

  // The codes of a stream are declared, so their prefixes are a file.
  Result<void> AddPrefixes(const Column& column, int longest) {
    std::vector<std::string> codes;
    for (const Counted& value : CountValues(column, profile_.missing)) codes.push_back(value.first);
    if (codes.size() > kMostLeaves) return {};
    return AddFile(column.name, PrefixHierarchy(std::move(codes), longest), "12345, 1234*, 123*, ...");
  }

  Result<void> AddFile(const std::string& column, const Result<Hierarchy>& made, const char* why) {
    // Values that no hierarchy file can hold (* or a line end) leave the column flat.
    if (!made.ok()) return {};
    std::string text = HierarchyText(made.value());
    const auto back = ParseHierarchy(text, column);
    if (!back.ok() || back.value().Digest() != made.value().Digest()) return {};
    const std::string file = FileFor(column);
    Line("hierarchy = {}  # {}", TomlText(file), why);
    Line("other = \"other\"  # values to come that the file does not have");
    draft_.hierarchies.emplace_back(file, std::move(text));
    return {};
  }

  std::string FileFor(const std::string& column) {
    std::string stem;
    for (const char c : column.substr(0, 60)) stem += IsPlain(c) ? c : '_';
    std::string file = stem + ".hierarchy.csv";
    for (int i = 2; !files_.insert(file).second; ++i) file = fmt::format("{}_{}.hierarchy.csv", stem, i);
    return file;
  }

  void AddPrivacy(std::optional<std::int64_t> k) {
    Line("\n# What must hold. The models of sensitive columns are proposals: read each one.");
    Line("[[privacy]]");
    Line("model = \"{}\"", options_.stream ? "ks-anonymity" : "k-anonymity");
    if (k) {
      Line("k = {}", *k);
    } else {
      Line("# k =   FILL IN: every person hides among at least this many; 5 to 20 are common");
    }
    for (std::size_t i = 0; i < profile_.columns.size(); ++i) {
      const bool guarded = profile_.columns[i].role == Role::kSensitive && (!options_.stream || HasStreamGuard(i));
      if (guarded) AddGuard(i);
    }
    if (!HasSensitive(profile_)) Line("\n# {}.", kNoneSensitive);
    Line("\n[algorithm]");
    Line("name = \"auto\"");
    Line("suppression_limit = 0  # share of the rows that may be left out");
  }

  // Rows of the most frequent value.
  std::uint64_t MostFrequent(std::size_t index) const {
    std::uint64_t most = 0;
    for (const Counted& value : CountValues(table_.columns[index], profile_.missing)) most = std::max(most, value.second);
    return most;
  }
  // How many different values every group may have at most.
  std::uint64_t LargestL(std::size_t index) const {
    const std::uint64_t most = MostFrequent(index);
    return most == 0 ? 0 : std::min<std::uint64_t>({profile_.rows / most, profile_.columns[index].distinct, 4});
  }
  bool IsOrdered(const ColumnProfile& column) const {
    return column.type != Domain::Kind::kCategorical && column.distinct > kFewValues;
  }
  // Streams hold groups against a window only where the values are declared, so the draft has l-diversity alone.
  bool HasStreamGuard(std::size_t index) const { return !IsOrdered(profile_.columns[index]) && LargestL(index) >= 2; }

  // The values as they will be published, in their order, with the rows of each.
  std::vector<std::pair<std::int64_t, std::uint64_t>> PlacesOf(std::size_t index, bool ordered) const {
    const Column& column = table_.columns[index];
    if (ordered && profile_.columns[index].type == Domain::Kind::kDate)
      return NumbersOf(column, [](const std::string& text) { return ParseDate(text); });
    const auto rounded = rounded_.find(index);
    if (ordered) return RoundedTo(rounded == rounded_.end() ? 1 : rounded->second, NumbersAt(column, ScaleOf(column)));
    std::int64_t place = 0;
    return NumbersOf(column, [&place](const std::string&) { return std::optional(place++); });
  }

  // The distance to the table of the group that has one value alone and is closest; none if no value repeats.
  std::optional<double> OneValueDistance(std::size_t index, bool ordered) const {
    auto values = PlacesOf(index, ordered);
    const std::size_t present = values.size();
    if (profile_.columns[index].missing > 0) values.emplace_back(0, profile_.columns[index].missing);  // they come last
    const auto rows = static_cast<double>(profile_.rows);
    double above = 0;  // sum over the values of rows x steps from the one at hand
    for (std::size_t i = 0; i < values.size(); ++i) above += static_cast<double>(i) * static_cast<double>(values[i].second);
    double below = 0;
    double rows_below = 0;
    std::optional<double> least;
    for (std::size_t i = 0; i < present; ++i) {
      const auto count = static_cast<double>(values[i].second);
      const double steps = static_cast<double>(std::max<std::size_t>(values.size(), 2) - 1);
      const double distance = ordered ? (above + below) / (steps * rows) : 1 - count / rows;
      if (values[i].second > 1) least = std::min(least.value_or(distance), distance);
      rows_below += count;
      below += rows_below;
      above -= rows - rows_below;
    }
    return least;
  }

  // Not so much that a group in which everybody has the same value passes, with room for rows that are left out.
  void AddT(std::size_t index, bool ordered) {
    constexpr double kUsual = 0.3;
    constexpr double kRoom = 0.8;
    const std::optional<double> one_value = OneValueDistance(index, ordered);
    if (!one_value || kRoom * *one_value >= kUsual || *one_value <= 0) {
      Line("t = {}  # how far a group may be from the table; less protects more", kUsual);
      return;
    }
    const double unit = std::pow(10, std::floor(std::log10(kRoom * *one_value)) - 1);
    Line("t = {:.6g}  # less protects more; from {:.2g} on a group passes in which everybody has the same value",
         std::floor(kRoom * *one_value / unit * (1 + 1e-12)) * unit, *one_value);
  }

  // A model that the values of a sensitive column make sense of: different values if none of them dominates, else a
  // distribution close to that of the table; of numbers the latter, since different numbers may be nearly the same.
  void AddGuard(std::size_t index) {
    const ColumnProfile& column = profile_.columns[index];
    const std::uint64_t most = MostFrequent(index);
    const std::uint64_t l = LargestL(index);
    const bool ordered = IsOrdered(column);
    const double share = profile_.rows == 0 ? 0 : 100 * static_cast<double>(most) / static_cast<double>(profile_.rows);
    if (ordered) {
      Line("\n[[privacy]]  # different numbers may be nearly the same, so each group is compared with the whole table");
    } else if (l >= 2) {
      Line("\n[[privacy]]  # the most frequent value has {:.0f} % of the rows, so {} different ones in a group are possible",
           share, l);
    } else {
      Line("\n[[privacy]]  # one value has {:.0f} % of the rows, so each group is compared with the whole table", share);
    }
    Line("model = \"{}\"", ordered || l < 2 ? "t-closeness" : "l-diversity");
    Line("sensitive = {}", TomlText(column.name));
    if (ordered || l < 2) {
      AddT(index, ordered);
      Line("distance = \"{}\"", ordered ? "ordered" : "equal");
    } else {
      Line("kind = \"distinct\"");
      Line("l = {}", l);
    }
  }

  const Table& table_;
  const Profile& profile_;
  const DraftOptions& options_;
  std::vector<KnownHierarchy> known_;
  Draft draft_;
  std::set<std::string> files_;
  std::map<std::size_t, std::int64_t> rounded_;  // sensitive columns that are rounded: to multiples of this
};

}  // namespace

Result<Draft> DraftPolicy(const Table& table, const Profile& profile, const DraftOptions& options) {
  return Drafter(table, profile, options).Make();
}

}  // namespace cordon::engine
