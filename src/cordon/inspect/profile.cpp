// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/profile.h"

#include <algorithm>
#include <set>

#include "cordon/base/parallel_for.h"
#include "cordon/base/toml_text.h"
#include "cordon/data/decimal.h"
#include "cordon/inspect/texts.h"
#include "cordon/inspect/words.h"
#include "cordon/metrics/grouping.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxPairs = 5;
constexpr std::size_t kPairColumns = 16;  // of which pairs are tried
// What files say instead of a value, in several languages.
constexpr const char* kMarkers[] = {
    "",         "?",        "NA",        "N/A",         "n/a",         "#N/A",        "NULL",
    "null",     "NaN",      "nan",       "None",        "-",           "--",          ".",
    "unknown",  "Unknown",  "unbekannt", "Unbekannt",   "k.A.",        "k. A.",       "keine Angabe",
    "inconnu",  "Inconnu",  "inconnue",  "desconocido", "Desconocido", "sconosciuto", "Sconosciuto",
    "onbekend", "Onbekend", "n.v.t.",    "n.d.",        "missing"};

int NumCharacters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

// Rows of each code; the last entry counts absent cells.
std::vector<std::uint64_t> CountCodes(const Column& column) {
  std::vector<std::uint64_t> counts(column.dictionary->size() + 1);
  for (std::size_t chunk = 0; chunk < column.codes.num_chunks(); ++chunk) {
    for (const Code code : column.codes.chunk(chunk))
      ++counts[code == kNull ? counts.size() - 1 : static_cast<std::size_t>(code)];
  }
  return counts;
}

// What a text that usually means "no value" is in a column that has it.
struct MarkerUse {
  bool among_points = false;  // all else are numbers or dates: no value
  bool is_value = false;      // next to +, a frequent one of two values, or a frequent None: no allergy is an answer
};

MarkerUse UseOf(const Column& column, std::string_view marker, std::size_t rows) {
  const std::vector<std::uint64_t> counts = CountCodes(column);
  std::size_t others = 0;
  std::uint64_t marked = 0;
  bool plus = false;
  bool points = true;
  for (std::size_t code = 0; code + 1 < counts.size(); ++code) {
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    if (counts[code] == 0 || text.empty()) continue;
    if (text == marker) {
      marked = counts[code];
      continue;
    }
    ++others;
    plus = plus || text == "+";
    points = points && (IsQuantity(text) || ParseDate(text).has_value());
  }
  constexpr std::uint64_t kOneInTwenty = 20;
  const bool frequent = marked * kOneInTwenty >= rows;
  if (marked == 0) return {};
  return {others > 0 && points, frequent && ((marker == "-" && plus) || others == 1 || (others > 0 && marker == "None"))};
}

// A policy names its markers once for all columns: one that a column of numbers needs stays a marker.
bool IsValueOf(const Table& table, std::string_view marker) {
  bool value = false;
  if (marker == "?") return false;
  for (const Column& column : table.columns) {
    if (!column.dictionary->Find(marker)) continue;
    const MarkerUse use = UseOf(column, marker, table.num_rows);
    if (use.among_points) return false;
    value = value || use.is_value;
  }
  return value;
}

// One length, mostly digits and capitals: what a prefix generalizes well.
bool LooksLikeCodes(const std::vector<std::string_view>& values) {
  std::vector<std::size_t> of_length(33);
  std::size_t with_digits = 0;
  for (const std::string_view value : values) {
    ++of_length[std::min<std::size_t>(value.size(), 32)];
    const bool plain = std::all_of(value.begin(), value.end(), [](char c) {
      return ('0' <= c && c <= '9') || ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z') || c == '-' || c == '.';
    });
    const bool digits = std::any_of(value.begin(), value.end(), [](char c) { return '0' <= c && c <= '9'; });
    with_digits += plain && digits ? 1 : 0;
  }
  const auto most = std::max_element(of_length.begin(), of_length.end());
  const auto length = most - of_length.begin();
  return 10 * *most >= 9 * values.size() && 10 * with_digits >= 9 * values.size() && 3 <= length && length <= 12;
}

bool NamesCodes(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const char* word : {"zip", "post", "plz", "code", "icd"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

// Up to ten characters with a digit: 53710, 1012 AB, SW1A 1AA.
bool ArePostcodes(const std::vector<std::string_view>& values) {
  const auto fits = [](std::string_view value) {
    return value.size() <= 10 && std::any_of(value.begin(), value.end(), [](char c) { return '0' <= c && c <= '9'; });
  };
  return 10 * static_cast<std::size_t>(std::count_if(values.begin(), values.end(), fits)) >= 9 * values.size();
}

// Of a column that would be numbers or dates, were it not for a few cells such as inf.
ColumnProfile::OddCells OddCellsOf(const Column& column, const std::vector<std::uint64_t>& counts,
                                   const std::vector<std::string>& markers) {
  constexpr std::uint64_t kOneInTwenty = 20;
  for (const Domain::Kind kind : {Domain::Kind::kNumeric, Domain::Kind::kDate}) {
    ColumnProfile::OddCells odd{kind, 0, 0};
    std::vector<char> is_odd(counts.size());
    std::uint64_t fitting = 0;
    for (std::size_t code = 0; code + 1 < counts.size(); ++code) {
      const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
      if (std::find(markers.begin(), markers.end(), text) != markers.end()) continue;
      is_odd[code] = kind == Domain::Kind::kNumeric ? !IsQuantity(text) : !ParseDate(text).has_value();
      (is_odd[code] != 0 ? odd.cells : fitting) += counts[code];
    }
    if (odd.cells == 0 || odd.cells * kOneInTwenty > fitting) continue;
    for (std::size_t row = 0; row < column.codes.size() && odd.first_row == 0; ++row) {
      if (column.codes[row] != kNull && is_odd[static_cast<std::size_t>(column.codes[row])] != 0) odd.first_row = row + 1;
    }
    return odd;
  }
  return {};
}

// Sentences that one row has, of a column whose texts that repeat are rarely such: "Essential (primary) hypertension of unknown
// cause" may be long as well, but then others are.
std::uint64_t CountRemarks(const Column& column, const std::vector<std::uint64_t>& counts) {
  std::uint64_t unique = 0;
  std::uint64_t unique_remarks = 0;
  std::uint64_t repeated = 0;
  std::uint64_t repeated_remarks = 0;
  for (std::size_t code = 0; code + 1 < counts.size(); ++code) {
    if (counts[code] == 0) continue;
    const bool remark = IsRemark((*column.dictionary)[static_cast<Code>(code)].bytes());
    (counts[code] == 1 ? unique : repeated) += 1;
    (counts[code] == 1 ? unique_remarks : repeated_remarks) += remark ? 1 : 0;
  }
  return unique_remarks * repeated >= 2 * repeated_remarks * unique ? unique_remarks : 0;
}

ColumnProfile ProfileColumn(const Column& column, std::uint64_t rows, const std::vector<std::string>& markers, int& rank) {
  ColumnProfile profile;
  profile.name = column.name;
  const std::vector<std::uint64_t> counts = CountCodes(column);
  profile.missing = counts.back();
  ColumnTexts distinct;
  std::vector<std::string_view>& values = distinct.texts;
  bool numbers = true;
  bool dates = true;
  double equal_pairs = 0;
  for (std::size_t code = 0; code + 1 < counts.size(); ++code) {
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    const auto count = static_cast<double>(counts[code]);
    equal_pairs += count * (count - 1);
    if (std::find(markers.begin(), markers.end(), text) != markers.end()) {
      profile.missing += counts[code];
      continue;
    }
    values.push_back(text);
    distinct.rows.push_back(counts[code]);
    profile.unique_rows += counts[code] == 1 ? 1 : 0;
    profile.longest = std::max(profile.longest, NumCharacters(text));
    numbers = numbers && IsQuantity(text);
    dates = dates && ParseDate(text).has_value();
  }
  const auto absent = static_cast<double>(counts.back());
  equal_pairs += absent * (absent - 1);
  profile.distinct = values.size();
  if (!values.empty() && dates) profile.type = Domain::Kind::kDate;
  if (!values.empty() && numbers) profile.type = Domain::Kind::kNumeric;
  // Numbers of one length are codes only if the name says so: salaries may all have five digits.
  profile.codes = !values.empty() && !dates && (!numbers || NamesCodes(column.name)) && LooksLikeCodes(values);
  profile.postcode = !values.empty() && !dates && Mentions(WordsOf(column.name), Meant::kPostcode) && ArePostcodes(values);
  profile.codes = profile.codes || profile.postcode;
  if (profile.codes) profile.type = Domain::Kind::kCategorical;
  if (!dates) profile.content = Recognize(values);
  profile.some_contacts = !dates && !numbers && SomeReachPeople(values);
  if (!dates && !numbers && !profile.postcode && !NamesCodes(column.name)) profile.odd = OddCellsOf(column, counts, markers);
  if (const auto star = column.dictionary->Find("*")) profile.stars = counts[static_cast<std::size_t>(*star)];
  if (profile.type == Domain::Kind::kCategorical) profile.remarks = CountRemarks(column, counts);
  const auto n = static_cast<double>(rows);
  profile.distinction = rows == 0 ? 0 : static_cast<double>(profile.distinct) / n;
  profile.separation = rows < 2 ? 0 : 1 - equal_pairs / (n * (n - 1));
  profile.named_sensitive = Mentions(WordsOf(column.name), Meant::kSensitive);
  Suggestion suggested = SuggestRole(profile, rows, distinct);
  profile.role = suggested.role;
  profile.why = std::move(suggested.why);
  rank = suggested.rank;
  return profile;
}

Singled SingledBy(const std::vector<const Column*>& columns, std::size_t rows, const Run& run) {
  Singled singled;
  std::vector<CodedColumn> coded;
  for (const Column* column : columns) {
    coded.push_back({&column->codes, column->dictionary->size()});
    singled.columns.push_back(column->name);
  }
  const std::vector<std::uint64_t> counts = CountCombinations(coded, rows, run);
  singled.groups = counts.size();
  singled.unique_rows = static_cast<std::uint64_t>(std::count(counts.begin(), counts.end(), 1));
  return singled;
}

std::vector<Singled> WorstPairs(const std::vector<const Column*>& quasi, std::size_t rows, const Run& run) {
  std::vector<std::vector<const Column*>> pairs;
  const std::size_t count = std::min(quasi.size(), kPairColumns);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) pairs.push_back({quasi[i], quasi[j]});
  }
  std::vector<Singled> singled(pairs.size());
  ParallelFor(run.threads, pairs.size(), 1,
              [&](std::size_t i, std::size_t, std::size_t) { singled[i] = SingledBy(pairs[i], rows, {.threads = 1}); });
  std::stable_sort(singled.begin(), singled.end(), [](const Singled& a, const Singled& b) {
    return std::pair(a.unique_rows, a.groups) > std::pair(b.unique_rows, b.groups);
  });
  singled.resize(std::min(singled.size(), kMaxPairs));
  return singled;
}

}  // namespace

bool IsQuantity(std::string_view text) {
  if (text.size() > 1 && text[0] == '0' && text[1] != '.') return false;
  return ParseRounded(text).has_value();
}

std::vector<std::string> MarkersIn(const Table& table) {
  std::vector<std::string> found = {""};
  for (const char* marker : kMarkers) {
    const bool used = std::any_of(table.columns.begin(), table.columns.end(),
                                  [&](const Column& column) { return column.dictionary->Find(marker).has_value(); });
    if (used && *marker != '\0' && !IsValueOf(table, marker)) found.emplace_back(marker);
  }
  return found;
}

bool MeansMissing(std::string_view text) {
  return std::any_of(std::begin(kMarkers), std::end(kMarkers), [&](const char* marker) { return text == marker; });
}

std::string DescribeOdd(const ColumnProfile::OddCells& odd) {
  const char* what = odd.others == Domain::Kind::kDate ? "date" : "number";
  if (odd.cells == 1) return fmt::format("1 of its cells is not a {} (row {})", what, odd.first_row);
  return fmt::format("{} of its cells are not {}s (the first is in row {})", odd.cells, what, odd.first_row);
}

bool HasStars(const ColumnProfile& column) {
  return column.stars > 0 && (column.role == Role::kQuasi || column.role == Role::kSensitive);
}

std::string DescribeStars(const ColumnProfile& column) {
  return fmt::format(
      "{} of its cells {} \"*\", which would read as suppressed, so anonymize refuses the table: change them, or "
      "list \"*\" in missing behind another marker",
      column.stars, column.stars == 1 ? "is" : "are");
}

bool HasSensitive(const Profile& profile) {
  return std::any_of(profile.columns.begin(), profile.columns.end(),
                     [](const ColumnProfile& column) { return column.role == Role::kSensitive; });
}

bool LooksSensitive(const Profile& profile) {
  return std::any_of(profile.columns.begin(), profile.columns.end(),
                     [](const ColumnProfile& column) { return column.role == Role::kSensitive || column.named_sensitive; });
}

std::string DescribeSeveralRows(const SeveralRowsEach& several) {
  return fmt::format(
      "the rows look as if each person had several, {:.1f} on average ({:.0f} % agree with another one in all "
      "that tells people apart), so a group of 5 rows may be one person",
      several.rows_each, 100 * several.share);
}

std::string AskOfTexts(const Profile& profile) {
  constexpr std::size_t kNamedColumns = 8;
  std::vector<std::string> texts;
  for (const ColumnProfile& column : profile.columns) {
    if (column.role == Role::kQuasi && column.type == Domain::Kind::kCategorical && !column.postcode)
      texts.push_back(TomlKey(column.name));
  }
  if (texts.empty()) return "";
  const std::size_t more = texts.size() - std::min(texts.size(), kNamedColumns);
  texts.resize(texts.size() - more);
  return fmt::format("is any other column sensitive ({}{})? Then it needs role = \"sensitive\" and a model",
                     fmt::join(texts, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

Profile ProfileTable(const Table& table, const Run& run) {
  Profile profile;
  profile.rows = table.num_rows;
  profile.missing = MarkersIn(table);
  profile.columns.resize(table.columns.size());
  std::vector<int> ranks(table.columns.size());
  ParallelFor(run.threads, table.columns.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
    profile.columns[i] = ProfileColumn(table.columns[i], table.num_rows, profile.missing, ranks[i]);
  });
  ChoosePerson(table, ranks, profile, run);
  LookForSeveralRows(table, profile, run);
  std::vector<const Column*> quasi;
  for (std::size_t i = 0; i < profile.columns.size(); ++i) {
    if (profile.columns[i].role == Role::kQuasi) quasi.push_back(&table.columns[i]);
  }
  profile.pairs = WorstPairs(quasi, table.num_rows, run);
  profile.all = SingledBy(quasi, table.num_rows, run);
  return profile;
}

}  // namespace cordon::engine
