// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/unknown_codes.h"

#include <algorithm>

#include "cordon/inspect/build_hierarchy.h"
#include "cordon/inspect/column_numbers.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kNeighbours = 5;
constexpr std::uint64_t kManyTimes = 5;  // as many rows as a neighbour has

bool IsUsualCode(std::int64_t number) {
  for (std::int64_t nines = 9; nines < 1'000'000; nines = 10 * nines + 9) {
    for (const std::int64_t code : {nines, nines - 1, nines - 2, nines / 9 * 8, -nines, -nines + 1, -nines + 2}) {
      if (number == code && (number < 0 || number > 6)) return true;
    }
  }
  return number == -1;
}

// Values next to one end of the others, and how they are spread.
struct Others {
  std::uint64_t rows = 0;  // of a neighbour, on average
  std::int64_t nearest = 0;
  std::int64_t spread = 0;
};

Others OthersOf(const CountedNumbers& ordinary, bool above) {
  Others others{0, above ? ordinary.back().first : ordinary.front().first, ordinary.back().first - ordinary.front().first};
  const std::size_t count = std::min(kNeighbours, ordinary.size());
  for (std::size_t i = 0; i < count; ++i) others.rows += ordinary[above ? ordinary.size() - 1 - i : i].second;
  others.rows = std::max<std::uint64_t>(others.rows / count, 1);
  return others;
}

// Frequent if its neighbours are rare, or negative if no other is, or far from all of them: `gap` is the widest one
// between them and the value.
bool StandsOut(const std::pair<std::int64_t, std::uint64_t>& value, const Others& others, std::int64_t gap) {
  constexpr std::int64_t kFar = 4;
  if (value.second < 2) return false;
  const bool below_zero = value.first < 0 && others.nearest >= 0;
  return below_zero || value.second >= kManyTimes * others.rows || kFar * gap > others.spread + kFar;
}

bool LooksLikeNobody(std::string_view text) {
  std::string bare;
  for (const char c : text) {
    if (c != ' ' && c != '-' && c != '.' && c != '/') bare += 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  if (bare.empty()) return true;
  for (const char* word : {"none", "null", "na", "unknown", "unbekannt", "inconnu", "desconocido", "sconosciuto", "onbekend",
                           "missing", "anonymous", "anonym", "anonyme", "nobody", "dummy", "test", "xxx"}) {
    if (bare == word) return true;
  }
  const std::size_t same = std::min(bare.find_first_not_of(bare[0]), bare.size());
  if (bare[0] < '0' || bare[0] > '9') return false;
  if (same + 1 == bare.size() && same >= 3 && bare[0] == '9') return bare.back() == '8' || bare.back() == '7';
  constexpr std::size_t kManyDigits = 5;  // of fewer, such as 111, somebody may be the number
  return same == bare.size() && (same >= kManyDigits || bare[0] == '0' || (same >= 2 && bare[0] == '9'));
}

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> Placeholders(const Column& column, const std::vector<std::string>& missing) {
  constexpr std::uint64_t kSeveralTimes = 3;
  std::vector<std::pair<std::string, std::uint64_t>> found;
  std::uint64_t others = 0;
  std::uint64_t rows = 0;
  for (const auto& [text, count] : CountValues(column, missing)) {
    if (LooksLikeNobody(text)) {
      found.emplace_back(text, count);
    } else {
      ++others;
      rows += count;
    }
  }
  std::erase_if(found, [&](const auto& each) { return each.second * others <= kSeveralTimes * rows; });
  return found;
}

std::vector<std::pair<std::int64_t, std::uint64_t>> CodesForUnknown(const Column& column,
                                                                    const std::vector<std::string>& missing) {
  if (ScaleOf(column, missing) > 0) return {};
  CountedNumbers ordinary = NumbersAt(column, 0, missing);
  CountedNumbers codes;
  const auto take = [&](bool above) {
    CountedNumbers ends;
    while (ordinary.size() > 2 && IsUsualCode(above ? ordinary.back().first : ordinary.front().first)) {
      ends.push_back(above ? ordinary.back() : ordinary.front());
      ordinary.erase(above ? std::prev(ordinary.end()) : ordinary.begin());
    }
    const Others others = OthersOf(ordinary, above);
    std::int64_t gap = 0;
    std::int64_t next = others.nearest;
    for (auto end = ends.rbegin(); end != ends.rend(); next = end->first, ++end) {  // outwards
      gap = std::max(gap, std::abs(end->first - next));
      if (StandsOut(*end, others, gap)) codes.push_back(*end);
    }
  };
  if (ordinary.size() <= 2) return {};
  take(true);
  take(false);
  // Next to a code above, a frequent 0 is often "not applicable"; alone it is a quantity.
  const bool zero = !codes.empty() && ordinary.size() > 2 && ordinary.front().first == 0;
  const std::uint64_t zero_rows = ordinary.front().second;
  if (zero) {
    ordinary.erase(ordinary.begin());
    if (zero_rows >= kManyTimes * OthersOf(ordinary, false).rows) codes.emplace_back(0, zero_rows);
  }
  std::sort(codes.begin(), codes.end());
  return codes;
}

}  // namespace cordon::engine
