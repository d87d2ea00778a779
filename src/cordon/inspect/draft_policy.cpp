// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/draft_policy.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cordon/base/toml_text.h"
#include "cordon/data/decimal.h"
#include "cordon/inspect/build_hierarchy.h"
#include "cordon/inspect/column_numbers.h"
#include "cordon/inspect/draft_guards.h"
#include "cordon/inspect/known_hierarchies.h"
#include "cordon/inspect/round_sensitive.h"
#include "cordon/inspect/unknown_codes.h"
#include "cordon/policy/hierarchy_source.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kMaxDays = 390 * 366;
constexpr int kDraftDelay = 10'000;
constexpr std::int64_t kMaxStep = std::int64_t{1} << 50;
constexpr std::int64_t kSmallUsualK = 5;
constexpr std::int64_t kLargeUsualK = 20;   // for drafts that leave k to be filled in
constexpr std::size_t kFewValues = 4;       // of so few values no hierarchy is made
constexpr std::size_t kMaxLeaves = 20'000;  // of this many neither

bool IsPlain(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' || c == '-';
}

// The first and the last day of whole decades that reach ten years beyond both days, and show neither of them.
std::pair<std::string, std::string> DecadesAround(std::int64_t first, std::int64_t last) {
  const auto decade = [](std::int64_t day) { return std::stoi(FormatDate(day).substr(0, 4)) / 10 * 10; };
  return {fmt::format("{:04}-01-01", std::max(decade(first) - 10, 1)),
          fmt::format("{:04}-12-31", std::min(decade(last) + 19, 9999))};
}

class Drafter {
 public:
  Drafter(const Table& table, const Profile& profile, const DraftOptions& options, const Run& run)
      : table_(table),
        profile_(profile),
        options_(options),
        rounding_(RoundSensitive(table, profile, run)),
        guards_(table, profile, rounding_) {}

  Result<Draft> Make() {
    if (!options_.hierarchies.empty()) {
      CORDON_TRY(HierarchyFolder folder, ReadHierarchyFolder(options_.hierarchies));
      known_ = std::move(folder.known);
      draft_.passed_over = std::move(folder.passed_over);
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
    AddPassedOver();
    return std::move(draft_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> text, Args&&... args) {
    draft_.policy += fmt::format(text, std::forward<Args>(args)...) + "\n";
  }

  void AddData(const TextFormat& text) {
    Line("\n[data]");
    if (text.encoding != Encoding::kUtf8)
      Line("encoding = \"{}\"{}", EncodingNames()[static_cast<std::size_t>(text.encoding)],
           text.encoding == Encoding::kWindows1252
               ? "  # a guess, because the file is not UTF-8: see that its letters are right"
               : "");
    if (text.delimiter != ",") Line("delimiter = {}", TomlText(text.delimiter));
    if (text.trim) Line("trim = true");
    if (!text.header) {
      Line("header = false  # the first line looks like a row");
      Line("columns = {}  # better: names that say what they hold, here and in the tables below", TomlList(text.columns));
    }
    if (profile_.names_in_doubt)
      Line("header = \"FILL IN\"  # true, if the first line names the columns; if it is a row, run inspect with --no-header");
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
    if (options_.stream && column.role == Role::kSensitive && !guards_.HasStreamGuard(index)) {
      Line("role = \"identifier\"  # sensitive ({}), and no model of streams suits its values: left out", column.why);
      return {};
    }
    if (profile_.several_rows && profile_.several_rows->column == index) {
      Line("# {}.", DescribeSeveralRows(*profile_.several_rows));
      Line(
          "role = \"FILL IN\"  # identifier, if each row is another person ({}); person, if this column tells people apart: "
          "then "
          "models of sensitive columns need counts = \"persons\"",
          column.why);
      return {};
    }
    if (!column.ask.empty()) {
      Line("role = \"FILL IN\"  # {}", column.ask);
      if (column.role == Role::kPerson) AskOfNobody(index);
      return {};
    }
    Line("role = \"{}\"  # {}", RoleName(column.role), column.why);
    if (column.role == Role::kPerson) AskOfNobody(index);
    if (column.role != Role::kQuasi && column.role != Role::kSensitive) return {};
    if (HasStars(column)) Line("# {}", DescribeStars(column));
    if (column.role == Role::kQuasi && AddKnown(index)) return {};
    if (column.role == Role::kQuasi && column.codes && (column.postcode || column.distinct > 20)) {
      Line("type = \"categorical\"");
      if (options_.stream) return AddPrefixes(table_.columns[index], column.longest);
      Line("hierarchy = {{ prefix = {} }}  # 12345, 1234*, 123*, ...", column.longest);
      return {};
    }
    Line("type = \"{}\"{}", TypeName(column.type), column.odd.cells == 0 ? "" : "  # " + DescribeOdd(column.odd));
    if (!column.unclear.empty() && column.type == Domain::Kind::kNumeric) {
      Line("format = \"FILL IN\"  # {} or {}: the cells fit both, and nothing tells whether the {} marks thousands",
           TomlText(column.unclear[0]), TomlText(column.unclear[1]), column.unclear[0] == "1234,56" ? "comma" : "point");
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
    if (column.type == Domain::Kind::kNumeric) AddUnknown(table_.columns[index]);
    if (column.type == Domain::Kind::kCategorical) AskOfMarkers(table_.columns[index]);
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

  void AddPassedOver() {
    for (const KnownHierarchy& each : known_) {
      if (std::find(draft_.used.begin(), draft_.used.end(), each.path) == draft_.used.end())
        draft_.passed_over.push_back({each.path, WhyNotUsed(each)});
    }
    std::sort(draft_.passed_over.begin(), draft_.passed_over.end(),
              [](const PassedOver& a, const PassedOver& b) { return a.path < b.path; });
  }
  std::string WhyNotUsed(const KnownHierarchy& hierarchy) const {
    for (std::size_t i = 0; i < profile_.columns.size(); ++i) {
      const ColumnProfile& column = profile_.columns[i];
      if (!SaysColumn(hierarchy.path, column.name)) continue;
      if (column.role != Role::kQuasi) return fmt::format("the draft has {} as {}", column.name, RoleName(column.role));
      const std::vector<Counted> values = CountValues(table_.columns[i], profile_.missing);
      const std::size_t lacking = NumLacking(hierarchy.hierarchy, values);
      if (lacking > 0) return fmt::format("it lacks {} of {} values of {}", lacking, values.size(), column.name);
      return fmt::format("another file serves {}", column.name);
    }
    return "it is not clear for which column it is";
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

  void AddRound(std::size_t index) {
    const ColumnProfile& column = profile_.columns[index];
    const auto found = rounding_.columns.find(index);
    const double share = 100 * static_cast<double>(column.unique_rows) / static_cast<double>(profile_.rows);
    const bool alone = SinglesOutMany(column.unique_rows, profile_.rows);
    if (options_.stream || (!alone && found == rounding_.columns.end())) return;
    if (column.type != Domain::Kind::kNumeric) {
      Line("# {:.0f} % of the rows have a unique value: anyone who knows it finds the row. Can it be left out?", share);
    } else if (found != rounding_.columns.end()) {
      Line("round = {}  # {}", FormatDecimal(found->second.step, found->second.scale),
           alone ? fmt::format("{:.0f} % of the rows have a unique value: anyone who knows it finds the row", share)
                 : "together with the other sensitive columns it makes many rows unique");
      AddStillUnique(table_.columns[index], found->second);
    }
  }

  // The largest incomes stay alone however they are rounded.
  void AddStillUnique(const Column& column, const Rounding& rounding) {
    std::uint64_t rows = 0;
    for (const auto& [number, count] : RoundedTo(rounding.step, NumbersAt(column, rounding.scale, profile_.missing)))
      rows += count == 1 ? 1 : 0;
    if (rows == 0) return;
    Line("# {} row{} a unique value even so, such as the largest ones: cut them off at a limit before the run, or leave it out",
         rows, rows == 1 ? " has" : "s have");
  }

  // What is missing in other columns may be an answer in this one.
  void AskOfMarkers(const Column& column) {
    constexpr std::uint64_t kOneInTwenty = 20;
    for (const char* marker : {"None", "-", "--", ".", "NA"}) {
      if (std::find(profile_.missing.begin(), profile_.missing.end(), marker) == profile_.missing.end()) continue;
      const std::vector<Counted> counted = CountValues(column, {});
      const auto found =
          std::find_if(counted.begin(), counted.end(), [&](const Counted& each) { return each.first == marker; });
      if (found == counted.end() || found->second * kOneInTwenty < profile_.rows) continue;
      Line("# {} rows have \"{}\", which counts as missing: is it an answer here? Then take it out of missing in [data]",
           found->second, marker);
    }
  }

  // A placeholder would be one person with the rows of many.
  void AskOfNobody(std::size_t index) {
    for (const auto& [text, rows] : Placeholders(table_.columns[index], profile_.missing)) {
      Line("# {} rows have {}: does that mean that nobody knows who it is? Then add it to missing in [data], for all columns",
           rows, TomlText(text));
    }
    const std::uint64_t nobody = profile_.columns[index].missing;
    if (nobody > 0)
      Line("# {} row{} no value: they count as one person together. Leave them out, or fill in the key", nobody,
           nobody == 1 ? " has" : "s have");
  }

  // A code for "unknown" among numbers would be published as a quantity.
  void AddUnknown(const Column& column) {
    for (const auto& [code, rows] : CodesForUnknown(column, profile_.missing)) {
      Line("# {} row{} {}: does that mean \"unknown\"? Then add \"{}\" to missing in [data], for all columns", rows,
           rows == 1 ? " has" : "s have", code, code);
    }
  }

  // A grid about as wide as a sixteenth of where nine in ten values are: no interval then ends at the value of a person. The
  // levels above are for algorithms that go by levels. So few values that each has many people need no grid.
  Result<void> AddIntervals(const Column& column) {
    const int scale = ScaleOf(column, profile_.missing);
    const CountedNumbers numbers = NumbersAt(column, scale, profile_.missing);
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
    while (step <= std::max<std::int64_t>(hi - lo, 1) / 2 && step < kMaxStep) step *= 10;
    const std::int64_t span = std::max<std::int64_t>(hi - lo, 1);
    const auto down = [&](std::int64_t value) { return (value >= 0 ? value / step : -((-value + step - 1) / step)) * step; };
    const std::int64_t from = lo >= 0 && lo < span ? 0 : down(lo - span / 2);
    const std::int64_t to = down(hi + span / 2) + step;
    Line("range = [{}, {}]  # the sample, and room around it: check it", FormatDecimal(from, scale), FormatDecimal(to, scale));
    if (scale > 0) Line("round = {}", FormatDecimal(1, scale));
  }

  Result<void> AddDates(const Column& column) {
    const auto days = DaysOf(column, profile_.missing);
    if (days.empty()) return {};
    std::int64_t span = days.back().first - days.front().first;
    if (options_.stream) {
      const auto [from, to] = DecadesAround(days.front().first, days.back().first);
      Line("range = [{}, {}]  # decades, ten years or more around the sample: check it", from, to);
      span = ParseDate(to).value() - ParseDate(from).value();
    }
    if (span < kMaxDays) {
      Line(
          "hierarchy = {{ dates = [\"month\", \"quarter\", \"year\"] }}  # intervals end where months do; a day that a whole "
          "group shares is shown, unless grid = 7 (days) or so is set");
    } else {
      Line("grid = 365  # days: no interval ends at a person's day");
    }
    return {};
  }

  // Files that list the labels of a release are public: what fewer than k people have is "other" there.
  Result<void> AddFrequencies(const Column& column) {
    const std::uint64_t least = MinPeople();
    std::vector<Counted> values = FoldRare(column, PersonColumn(), profile_.missing, least, "other");
    if (options_.stream && values.size() <= kFewValues) {
      std::vector<std::string> texts;
      for (const Counted& value : values) texts.push_back(value.first);
      std::sort(texts.begin(), texts.end());
      Line("values = {}  # those of the sample", TomlList(texts));
      Line("other = \"other\"  # values to come, and those of fewer than {} people", least);
      return {};
    }
    if (values.size() <= kFewValues || values.size() > kMaxLeaves) return {};
    return AddFile(column.name, FrequencyHierarchy(std::move(values), "other"), "by frequency: one by meaning is better",
                   ValuesLeftOut(least));
  }

  // The codes of a stream are declared, so their prefixes are a file. It lists no code of fewer than k people either.
  Result<void> AddPrefixes(const Column& column, int longest) {
    const std::uint64_t least = MinPeople();
    std::vector<std::string> codes;
    for (const Counted& value : FoldRare(column, PersonColumn(), profile_.missing, least, "other"))
      if (value.first != "other") codes.push_back(value.first);
    if (codes.size() > kMaxLeaves) return {};
    if (codes.empty()) {
      Line(
          "# hierarchy =   FILL IN: a file of the codes that may come, a line per code: 123;12*;1*;*. The sample has none of "
          "{} people",
          least);
      return {};
    }
    return AddFile(column.name, PrefixHierarchy(std::move(codes), longest), "12345, 1234*, 123*, ...", ValuesLeftOut(least));
  }

  // The fewest people that a value which a file lists has.
  std::uint64_t MinPeople() const { return static_cast<std::uint64_t>(options_.k.value_or(kLargeUsualK)); }
  const Column* PersonColumn() const { return guards_.person() ? &table_.columns[*guards_.person()] : nullptr; }
  static std::string ValuesLeftOut(std::uint64_t least) {
    return fmt::format("values that the file does not have: those of fewer than {} people, and those to come", least);
  }

  Result<void> AddFile(const std::string& column, const Result<Hierarchy>& made, const char* why, const std::string& others) {
    // Values that no hierarchy file can hold (* or a line end) leave the column flat.
    if (!made.ok()) return {};
    std::string text = HierarchyText(made.value());
    const auto back = ParseHierarchy(text, column);
    if (!back.ok() || back.value().Digest() != made.value().Digest()) return {};
    const std::string file = FileFor(column);
    Line("hierarchy = {}  # {}", TomlText(file), why);
    Line("other = \"other\"  # {}", others);
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
    if (profile_.several_rows && !profile_.several_rows->column) {
      Line("# {}.", DescribeSeveralRows(*profile_.several_rows));
      Line(
          "# Give the column that tells people apart role = \"person\", or join the rows of a person into one before the run.");
      Line("k = \"FILL IN\"  # {}, if each row is another person", k.value_or(kSmallUsualK));
    } else if (k) {
      Line("k = {}", *k);
    } else {
      Line("# k =   FILL IN: every person hides among at least this many; 5 to 20 are common");
    }
    draft_.counts_persons = !options_.stream && HasSensitive(profile_) && guards_.counts_persons();
    if (draft_.counts_persons) Line("\n# {}. Keep the file of --row-map: verify needs it to count them.", guards_.WhyPersons());
    for (std::size_t i = 0; i < profile_.columns.size(); ++i) {
      const bool guarded = profile_.columns[i].role == Role::kSensitive && (!options_.stream || guards_.HasStreamGuard(i));
      if (guarded) draft_.policy += guards_.Draft(i, options_.stream);
    }
    if (const std::string asked = LooksSensitive(profile_) ? AskOfTexts(profile_) : kNoneSensitive; !asked.empty())
      Line("\n# {}.", asked);
    if (!options_.stream && SinglesOutMany(rounding_.unique_rows, profile_.rows)) {
      Line(
          "\n# {:.0f} % of the rows are unique by their sensitive values, which are published as they are: leave out what is "
          "not needed.",
          100 * static_cast<double>(rounding_.unique_rows) / static_cast<double>(profile_.rows));
    }
    Line("\n[algorithm]");
    Line("name = \"auto\"");
    Line("suppression_limit = 0  # share of the rows that may be left out");
  }

  const Table& table_;
  const Profile& profile_;
  const DraftOptions& options_;
  SensitiveRounding rounding_;
  GuardDrafter guards_;  // refers to the rounding
  std::vector<KnownHierarchy> known_;
  Draft draft_;
  std::set<std::string> files_;
};

}  // namespace

Result<Draft> DraftPolicy(const Table& table, const Profile& profile, const DraftOptions& options, const Run& run) {
  return Drafter(table, profile, options, run).Make();
}

}  // namespace cordon::engine
