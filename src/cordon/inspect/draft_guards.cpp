// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/draft_guards.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "cordon/base/toml_text.h"
#include "cordon/data/decimal.h"
#include "cordon/inspect/column_numbers.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kFewOrdered = 4;  // numbers of so few values are categories
constexpr std::uint64_t kUsualL = 4;
constexpr const char* kCountsPersons = "counts = \"persons\"\n";

double Share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// The values of a column whose rows are one group, by who has them. A person with m rows is expected to have a value of a set
// with the probability min(1, m x the set's share of the rows).
class WholeByPerson {
 public:
  WholeByPerson(std::vector<std::pair<std::uint64_t, std::size_t>> rows, std::vector<std::uint64_t> rows_of_value)
      : rows_(std::move(rows)), rows_of_value_(std::move(rows_of_value)) {  // rows: person and place of each
    std::sort(rows_.begin(), rows_.end());
    for (std::size_t i = 0; i < rows_.size();) {
      const std::size_t begin = i;
      while (i < rows_.size() && rows_[i].first == rows_[begin].first) ++i;
      ++people_by_rows_[i - begin];
      ++people_;
      least_.push_back(rows_[begin].second);
      greatest_.push_back(rows_[i - 1].second);
    }
    std::sort(least_.begin(), least_.end());
    std::sort(greatest_.begin(), greatest_.end());
  }

  double EqualRise() const {
    std::vector<std::uint64_t> having(rows_of_value_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) having[rows_[i].second] += i == 0 || rows_[i] != rows_[i - 1] ? 1 : 0;
    double rise = 0;
    for (std::size_t value = 0; value < having.size(); ++value) rise += Above(having[value], rows_of_value_[value]);
    return rise;
  }
  double OrderedRise() const {
    double rise = 0;
    std::uint64_t rows_up_to = 0;
    for (std::size_t value = 0; value + 1 < rows_of_value_.size(); ++value) {
      rows_up_to += rows_of_value_[value];
      const auto up_to = std::upper_bound(least_.begin(), least_.end(), value) - least_.begin();
      const auto beyond = greatest_.end() - std::upper_bound(greatest_.begin(), greatest_.end(), value);
      rise += Above(static_cast<std::uint64_t>(up_to), rows_up_to) +
              Above(static_cast<std::uint64_t>(beyond), rows_.size() - rows_up_to);
    }
    return rise / static_cast<double>(std::max<std::size_t>(rows_of_value_.size(), 2) - 1);
  }

 private:
  double Above(std::uint64_t having, std::uint64_t rows_of_set) const {
    double expected = 0;
    for (const auto& [rows, people] : people_by_rows_) {
      expected += static_cast<double>(people) * std::min(1.0, static_cast<double>(rows) * Share(rows_of_set, rows_.size()));
    }
    return std::max(0.0, (static_cast<double>(having) - expected) / static_cast<double>(people_));
  }

  std::vector<std::pair<std::uint64_t, std::size_t>> rows_;
  std::vector<std::uint64_t> rows_of_value_;
  std::map<std::size_t, std::uint64_t> people_by_rows_;
  std::uint64_t people_ = 0;
  std::vector<std::size_t> least_;  // of each person, ascending
  std::vector<std::size_t> greatest_;
};

// The distance to the table of the group that has one value alone and is closest; none if no value repeats.
std::optional<double> OneValueDistance(const std::vector<std::uint64_t>& rows_of, std::size_t present, bool ordered) {
  const auto rows = static_cast<double>(std::accumulate(rows_of.begin(), rows_of.end(), std::uint64_t{0}));
  double above = 0;  // sum over the values of rows x steps from the one at hand
  for (std::size_t i = 0; i < rows_of.size(); ++i) above += static_cast<double>(i) * static_cast<double>(rows_of[i]);
  double below = 0;
  double rows_below = 0;
  std::optional<double> least;
  for (std::size_t i = 0; i < present; ++i) {
    const auto count = static_cast<double>(rows_of[i]);
    const double steps = static_cast<double>(std::max<std::size_t>(rows_of.size(), 2) - 1);
    const double distance = ordered ? (above + below) / (steps * rows) : 1 - count / rows;
    if (rows_of[i] > 1) least = std::min(least.value_or(distance), distance);
    rows_below += count;
    below += rows_below;
    above -= rows - rows_below;
  }
  return least;
}

}  // namespace

GuardDrafter::GuardDrafter(const Table& table, const Profile& profile, const SensitiveRounding& rounding)
    : table_(table), profile_(profile), rounding_(rounding) {
  for (std::size_t i = 0; i < profile.columns.size(); ++i) {
    const ColumnProfile& column = profile.columns[i];
    if (column.role != Role::kPerson) continue;
    person_ = i;
    several_rows_ = column.distinct + (column.missing > 0 ? 1 : 0) < profile.rows;
  }
}

bool GuardDrafter::IsOrdered(std::size_t column) const {
  return profile_.columns[column].type != Domain::Kind::kCategorical && profile_.columns[column].distinct > kFewOrdered;
}

bool GuardDrafter::IsMissing(std::string_view text) const {
  return std::find(profile_.missing.begin(), profile_.missing.end(), text) != profile_.missing.end();
}

std::optional<std::int64_t> GuardDrafter::NumberOf(std::string_view text, std::size_t column, const Rounding& rounding) const {
  if (profile_.columns[column].type == Domain::Kind::kDate) return ParseDate(text);
  const auto number = ParseRounded(text);
  const auto whole = number ? RoundTo(*number, rounding.scale) : std::nullopt;
  return whole ? std::optional(HalfUp(*whole, rounding.step)) : std::nullopt;
}

GuardDrafter::Values GuardDrafter::ValuesOf(std::size_t column, bool ordered) const {
  const Column& cells = table_.columns[column];
  const auto found = rounding_.columns.find(column);
  const Rounding rounding = found != rounding_.columns.end() ? found->second : Rounding{1, ScaleOf(cells, profile_.missing)};
  const auto size = cells.dictionary->size();
  std::vector<bool> used(size + 1);
  for (std::size_t row = 0; row < table_.num_rows; ++row) used[static_cast<std::size_t>(cells.codes[row] + 1)] = true;
  std::vector<std::optional<std::int64_t>> number_of(size + 1);  // by code + 1; only of those that occur
  std::map<std::int64_t, std::size_t> place_of;
  for (std::size_t i = 1; i <= size; ++i) {
    const auto code = static_cast<Code>(i - 1);
    if (used[i]) number_of[i] = ordered ? NumberOf((*cells.dictionary)[code].bytes(), column, rounding) : code;
    if (used[i] && IsMissing((*cells.dictionary)[code].bytes())) number_of[i] = std::nullopt;
    if (number_of[i]) place_of.emplace(*number_of[i], 0);
  }
  std::size_t next = 0;
  for (auto& [number, place] : place_of) place = next++;
  Values values;
  for (const auto& number : number_of) values.of_code.push_back(number ? place_of.at(*number) : place_of.size());
  values.rows.resize(place_of.size() + 1);
  for (std::size_t row = 0; row < table_.num_rows; ++row) ++values.rows[values.of_code[cells.codes[row] + 1]];
  if (values.rows.back() == 0) {
    values.rows.pop_back();
  } else {
    values.missing = place_of.size();
  }
  return values;
}

GuardDrafter::People GuardDrafter::PeopleOf(std::size_t column, const Values& values, bool ordered) const {
  const Codes& cells = table_.columns[column].codes;
  const Column& persons = table_.columns[*person_];
  std::vector<std::pair<std::uint64_t, std::size_t>> rows(table_.num_rows);
  for (std::size_t row = 0; row < table_.num_rows; ++row) {
    const Code code = persons.codes[row];
    const bool nobody = code == kNull || IsMissing((*persons.dictionary)[code].bytes());
    rows[row] = {nobody ? 0 : static_cast<std::uint64_t>(code) + 1, values.of_code[cells[row] + 1]};
  }
  People people;
  people.having.resize(values.rows.size());
  const std::set<std::pair<std::uint64_t, std::size_t>> pairs(rows.begin(), rows.end());
  std::set<std::uint64_t> with_value;
  for (const auto& [person, place] : pairs) {
    if (place == values.missing) continue;
    ++people.having[place];
    with_value.insert(person);
  }
  people.people = with_value.size();
  const WholeByPerson whole(std::move(rows), values.rows);
  people.rise = ordered ? whole.OrderedRise() : whole.EqualRise();
  return people;
}

std::uint64_t GuardDrafter::MostFrequent(const Values& values, const std::vector<std::uint64_t>& having) {
  const auto end = having.begin() + static_cast<std::ptrdiff_t>(values.num_present());
  return values.num_present() == 0 ? 0 : *std::max_element(having.begin(), end);
}

// How many different values every group may have at most.
std::uint64_t GuardDrafter::LargestL(const Values& values, const People& people) {
  const std::uint64_t most = MostFrequent(values, people.having);
  return most == 0 ? 0 : std::min<std::uint64_t>({people.people / most, values.num_present(), kUsualL});
}

bool GuardDrafter::HasStreamGuard(std::size_t column) const {
  if (IsOrdered(column)) return false;
  const Values values = ValuesOf(column, false);
  return LargestL(values, {profile_.rows, values.rows, 0}) >= 2;
}

// Not so much that a group in which everybody has the same value passes, with room for rows that are left out.
double GuardDrafter::UsualT(const Values& values, bool ordered, std::string* why) const {
  constexpr double kUsual = 0.3;
  constexpr double kRoom = 0.8;
  const auto one_value = OneValueDistance(values.rows, values.num_present(), ordered);
  if (!one_value || kRoom * *one_value >= kUsual || *one_value <= 0) {
    *why = "how far a group may be from the table; less protects more";
    return kUsual;
  }
  const double unit = std::pow(10, std::floor(std::log10(kRoom * *one_value)) - 1);
  *why = fmt::format("less protects more; from {:.2g} on a group passes in which everybody has the same value", *one_value);
  return std::floor(kRoom * *one_value / unit * (1 + 1e-12)) * unit;
}

std::string GuardDrafter::WhyPersons() const {
  return fmt::format("{} people have {} rows, so models count people: one person's rows cannot make a group look diverse",
                     profile_.columns[*person_].distinct, profile_.rows);
}

std::string GuardDrafter::Diversity(std::size_t column, std::uint64_t l, bool persons) const {
  return fmt::format("model = \"l-diversity\"\nsensitive = {}\nkind = \"distinct\"\nl = {}\n{}",
                     TomlText(profile_.columns[column].name), l, persons ? kCountsPersons : "");
}

std::string GuardDrafter::Draft(std::size_t column, bool stream) const {
  constexpr double kRoom = 0.5;  // of t that the whole table may use up
  const bool ordered = IsOrdered(column);
  const Values values = ValuesOf(column, ordered);
  const bool persons = several_rows_ && !stream;
  const People people = persons ? PeopleOf(column, values, ordered) : People{profile_.rows, values.rows, 0};
  const std::uint64_t most = MostFrequent(values, people.having);
  const std::string share = fmt::format(fmt::runtime(persons ? "{:.0f} % of the people have the most frequent value"
                                                             : "the most frequent value has {:.0f} % of the rows"),
                                        100 * Share(most, people.people));
  // Two different values may be one person against all the others, so that column is compared with the whole. A stream cannot.
  if (const std::uint64_t l = LargestL(values, people); !ordered && l >= (stream ? 2u : 3u)) {
    return fmt::format("\n[[privacy]]  # {}, so {} different ones in a group are possible\n", share, l) +
           Diversity(column, l, persons);
  }
  std::string why;
  const double t = UsualT(values, ordered, &why);
  std::string text = fmt::format(
      "\n[[privacy]]  # {}, so each group is compared with the whole table\n"
      "model = \"t-closeness\"\nsensitive = {}\nt = {:.6g}  # {}\ndistance = \"{}\"\n",
      ordered ? "different numbers may be nearly the same" : share, TomlText(profile_.columns[column].name), t, why,
      ordered ? "ordered" : "equal");
  if (persons && people.rise <= kRoom * t) text += kCountsPersons;
  if (persons && most < people.people) {
    text += "\n[[privacy]]  # and no group in which everybody has the same value, however many rows people have\n" +
            Diversity(column, 2, persons);
  }
  return text;
}

}  // namespace cordon::engine
