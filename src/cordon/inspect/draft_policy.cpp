// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/draft_policy.h"

#include <algorithm>
#include <set>

#include "cordon/data/decimal.h"
#include "cordon/inspect/build_hierarchy.h"
#include "cordon/policy/hierarchy_source.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kMostDays = 390 * 366;
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
  Drafter(const Table& table, const Profile& profile) : table_(table), profile_(profile) {}

  Result<Draft> Make(const TextFormat& text, std::optional<std::int64_t> k) {
    draft_.policy =
        "# A draft by `cordon inspect`. Roles are guesses from names and contents: read every one of them.\n"
        "# Only what nobody outside can know may be insensitive.\n";
    AddData(text);
    for (std::size_t i = 0; i < profile_.columns.size(); ++i) CORDON_RETURN_IF_ERROR(AddAttribute(i));
    if (profile_.all.columns.empty()) {
      return Error::InvalidData("no column looks like one by which people could be recognized")
          .WithHint("write the policy by hand: at least one column must be quasi");
    }
    AddPrivacy(k);
    return std::move(draft_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> text, Args&&... args) {
    draft_.policy += fmt::format(text, std::forward<Args>(args)...) + "\n";
  }

  void AddData(const TextFormat& text) {
    Line("\n[data]");
    if (text.delimiter != ",") Line("delimiter = {}", TomlText(text.delimiter));
    Line("missing = {}", TomlList(profile_.missing));
  }

  Result<void> AddAttribute(std::size_t index) {
    const ColumnProfile& column = profile_.columns[index];
    Line("\n[attributes.{}]", TomlKey(column.name));
    Line("role = \"{}\"  # {}", RoleName(column.role), column.why);
    if (column.role != Role::kQuasi && column.role != Role::kSensitive) return {};
    if (column.role == Role::kQuasi && column.codes && column.distinct > 20) {
      Line("type = \"categorical\"");
      Line("hierarchy = {{ prefix = {} }}  # 12345, 1234*, 123*, ...", column.longest);
      return {};
    }
    Line("type = \"{}\"", TypeName(column.type));
    if (column.role == Role::kSensitive) return {};
    switch (column.type) {
      case Domain::Kind::kNumeric: return AddIntervals(table_.columns[index]);
      case Domain::Kind::kDate: return AddDates(table_.columns[index]);
      case Domain::Kind::kCategorical: return AddFrequencies(table_.columns[index]);
    }
    return {};
  }

  // Least and greatest of the values, by a reader of one.
  template <typename Read>
  std::pair<std::int64_t, std::int64_t> Range(const Column& column, const Read& read) const {
    std::pair<std::int64_t, std::int64_t> range = {INT64_MAX, INT64_MIN};
    for (const Counted& value : CountValues(column, profile_.missing)) {
      if (const std::optional<std::int64_t> number = read(value.first)) {
        range.first = std::min(range.first, *number);
        range.second = std::max(range.second, *number);
      }
    }
    return range;
  }

  // Cuts of numbers are free; the levels are for algorithms that go by levels.
  Result<void> AddIntervals(const Column& column) {
    int scale = 0;
    for (const Counted& value : CountValues(column, profile_.missing)) {
      if (const auto number = ParseDecimal(value.first)) scale = std::max(scale, number->scale);
    }
    const auto [lo, hi] = Range(column, [&](const std::string& text) -> std::optional<std::int64_t> {
      const auto number = ParseDecimal(text);
      return number ? Rescale(*number, scale) : std::nullopt;
    });
    if (lo >= hi || hi - lo < 8) return {};
    std::vector<std::string> widths;
    for (const std::int64_t width : NiceWidths(lo, hi)) widths.push_back(FormatDecimal(width, scale));
    Line("hierarchy = {{ intervals = [{}] }}", fmt::join(widths, ", "));
    return {};
  }

  Result<void> AddDates(const Column& column) {
    const auto [lo, hi] = Range(column, [](const std::string& text) { return ParseDate(text); });
    if (lo < hi && hi - lo < kMostDays) Line("hierarchy = {{ dates = [\"month\", \"quarter\", \"year\"] }}");
    return {};
  }

  Result<void> AddFrequencies(const Column& column) {
    std::vector<Counted> values = CountValues(column, profile_.missing);
    if (values.size() <= kFewValues || values.size() > kMostLeaves) return {};
    const auto made = FrequencyHierarchy(std::move(values), "other");
    // Values that no hierarchy file can hold (* or a line end) leave the column flat.
    if (!made.ok()) return {};
    std::string text = HierarchyText(made.value());
    const auto back = ParseHierarchy(text, column.name);
    if (!back.ok() || back.value().Digest() != made.value().Digest()) return {};
    const std::string file = FileFor(column.name);
    Line("hierarchy = {}  # by frequency: better is one by meaning", TomlText(file));
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
    Line("model = \"k-anonymity\"");
    if (k) {
      Line("k = {}", *k);
    } else {
      Line("# k =   FILL IN: every person hides among at least this many; 5 to 20 are common");
    }
    for (std::size_t i = 0; i < profile_.columns.size(); ++i) {
      if (profile_.columns[i].role == Role::kSensitive) AddGuard(i);
    }
    Line("\n[algorithm]");
    Line("name = \"auto\"");
    Line("suppression_limit = 0  # share of the rows that may be left out");
  }

  // A model that the values of a sensitive column make sense of: different values if none of them dominates, else a
  // distribution close to that of the table; of numbers the latter, since different numbers may be nearly the same.
  void AddGuard(std::size_t index) {
    const ColumnProfile& column = profile_.columns[index];
    std::uint64_t most = 0;
    for (const Counted& value : CountValues(table_.columns[index], profile_.missing)) most = std::max(most, value.second);
    const std::uint64_t l = most == 0 ? 0 : std::min<std::uint64_t>(profile_.rows / most, 4);
    const bool ordered = column.type != Domain::Kind::kCategorical && column.distinct > kFewValues;
    const double share = profile_.rows == 0 ? 0 : 100 * static_cast<double>(most) / static_cast<double>(profile_.rows);
    if (ordered) {
      Line("\n[[privacy]]  # different numbers may be nearly the same, so each group is held against the whole table");
    } else if (l >= 2) {
      Line("\n[[privacy]]  # the most frequent value has {:.0f} % of the rows, so {} different ones in a group are possible",
           share, l);
    } else {
      Line("\n[[privacy]]  # one value has {:.0f} % of the rows, so each group is held against the whole table", share);
    }
    Line("model = \"{}\"", ordered || l < 2 ? "t-closeness" : "l-diversity");
    Line("sensitive = {}", TomlText(column.name));
    if (ordered || l < 2) {
      Line("t = 0.3  # how far a group may be from the table; less protects more");
      Line("distance = \"{}\"", ordered ? "ordered" : "equal");
    } else {
      Line("kind = \"distinct\"");
      Line("l = {}", l);
    }
  }

  const Table& table_;
  const Profile& profile_;
  Draft draft_;
  std::set<std::string> files_;
};

}  // namespace

Result<Draft> DraftPolicy(const Table& table, const Profile& profile, const TextFormat& text, std::optional<std::int64_t> k) {
  return Drafter(table, profile).Make(text, k);
}

}  // namespace cordon::engine
