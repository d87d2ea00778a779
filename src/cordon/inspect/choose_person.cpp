// SPDX-License-Identifier: Apache-2.0
//
// Which column of a table tells people apart, and whether people have several rows if none does.
#include <algorithm>
#include <optional>

#include "cordon/inspect/profile.h"
#include "cordon/inspect/words.h"
#include "cordon/metrics/several_rows.h"

namespace cordon::engine {
namespace {

constexpr double kSeldom = 0.1;  // what people have in common by chance

CodedColumn CodedOf(const Column& column) { return {&column.codes, column.dictionary->size()}; }

bool Repeats(const ColumnProfile& column, std::uint64_t rows) { return column.distinct * 10 < (rows - column.missing) * 9; }

// The day of a visit differs between the rows of a person; the day of birth does not.
bool IsDayOfEvent(const ColumnProfile& column) {
  return column.type == Domain::Kind::kDate && !Mentions(WordsOf(column.name), Meant::kBirth);
}

// Whether each value of `a` has one value of `b`, cells without a value left out.
bool Determines(const Column& a, const Column& b, const std::vector<std::string>& missing) {
  const auto is_missing = [&](const Column& column) {
    std::vector<char> flags(column.dictionary->size());
    for (const std::string& marker : missing) {
      if (const auto code = column.dictionary->Find(marker)) flags[static_cast<std::size_t>(*code)] = 1;
    }
    return flags;
  };
  const std::vector<char> no_a = is_missing(a);
  const std::vector<char> no_b = is_missing(b);
  std::vector<Code> of(a.dictionary->size(), kNull);
  for (std::size_t row = 0; row < a.codes.size(); ++row) {
    const Code from = a.codes[row];
    const Code to = b.codes[row];
    if (from == kNull || to == kNull || no_a[static_cast<std::size_t>(from)] || no_b[static_cast<std::size_t>(to)]) continue;
    Code& known = of[static_cast<std::size_t>(from)];
    if (known != kNull && known != to) return false;
    known = to;
  }
  return true;
}

// Two people may have one name, and a family one telephone: then there are only a few fewer of them.
bool HasFewer(const ColumnProfile& b, int rank_b, const ColumnProfile& a, int rank_a) {
  if (rank_a <= rank_b || rank_a <= kBareKey) return b.distinct < a.distinct;
  if (rank_b == kKeyOfPeople || rank_b == kOfficialNumber) return 10 * b.distinct < 9 * a.distinct;
  return 2 * b.distinct <= a.distinct;
}

// What the reader has to say of the column that tells people apart.
std::string AskOfPerson(const ColumnProfile& column, int rank, bool in_doubt) {
  constexpr std::uint64_t kFewNames = 20;
  constexpr const char* kOut = "then take out the lines counts = \"persons\"";
  if (in_doubt || (rank == kNamesOfPeople && column.distinct < kFewNames)) {
    return fmt::format(
        "person, if each value is that of one person, who has several rows; identifier, if several people share one or it is "
        "somebody else: {}",
        kOut);
  }
  if (rank == kKindOfPeople)
    return fmt::format("person, if its values tell people apart; quasi, if they say what kind of people they are: {}", kOut);
  return "";
}

// By counting alone what people share, such as a telephone, would replace what tells them apart.
bool MayReplace(int rank, int best) { return rank >= kNamesOfPeople && (rank != kWayToReach || best < kOfficialNumber); }

// Whether rows of one name are of different people. They differ then in all that tells people apart; rows of one person agree
// in some of it, such as the day of birth.
bool AreHomonyms(std::size_t names, const Table& table, const Profile& profile, const Run& run) {
  constexpr double kNearlyAll = 0.8;
  const CodedColumn name = CodedOf(table.columns[names]);
  const double pairs = AgreeingPairs(std::vector{name}, table.num_rows, run);
  double tell_apart = 1;  // the chance that two people agree in all columns that could show it
  double agree = 1;       // and in those in which rows of one name do
  for (std::size_t i = 0; i < profile.columns.size(); ++i) {
    const ColumnProfile& column = profile.columns[i];
    if (column.role != Role::kQuasi || IsDayOfEvent(column)) continue;
    const double chance = 1 - column.separation;
    tell_apart *= chance;
    const double both = AgreeingPairs(std::vector{name, CodedOf(table.columns[i])}, table.num_rows, run);
    if (both >= kNearlyAll * pairs) agree *= chance;
  }
  return tell_apart <= kSeldom && agree > kSeldom;
}

void MakePerson(ColumnProfile& column) {
  if (column.role == Role::kPerson) return;
  if (column.role == Role::kQuasi) column.why = "its name may say that it is a key of people";
  column.role = Role::kPerson;
  column.why += ", and values repeat: rows of one person?";
}

// Whether all columns follow from one of them: a job, its department and its grade. Such rows agree because of their code,
// whoever they are about. A column of days or postcodes is not a code: it helps to tell people apart.
bool FollowFromCode(const std::vector<std::size_t>& set, const Table& table, const Profile& profile) {
  const auto is_of_person = [&](std::size_t i) {
    const ColumnProfile& column = profile.columns[i];
    const bool born = Mentions(WordsOf(column.name), Meant::kBirth);
    return column.role != Role::kQuasi || column.type == Domain::Kind::kDate || column.postcode || born;
  };
  if (std::any_of(set.begin(), set.end(), is_of_person)) return false;
  return std::any_of(set.begin(), set.end(), [&](std::size_t code) {
    return std::all_of(set.begin(), set.end(), [&](std::size_t other) {
      return Determines(table.columns[code], table.columns[other], profile.missing);
    });
  });
}

// Sets of quasi columns, and of columns left out as identifiers that repeat: all of them, those without days of events, and
// these without each one, since it may differ between the visits of a person. A set that follows from a code says nothing.
std::vector<std::vector<std::size_t>> SetsToTry(const Table& table, const Profile& profile) {
  constexpr std::size_t kMostColumns = 16;
  std::vector<std::size_t> all;
  std::vector<std::size_t> lasting;
  for (std::size_t i = 0; i < profile.columns.size(); ++i) {
    const ColumnProfile& column = profile.columns[i];
    const bool left_out = column.role == Role::kIdentifier && column.distinct > 1 && Repeats(column, profile.rows);
    if (column.role != Role::kQuasi && !left_out) continue;
    all.push_back(i);
    if (!IsDayOfEvent(column)) lasting.push_back(i);
  }
  std::vector<std::vector<std::size_t>> sets = {all};
  const auto add = [&](const std::vector<std::size_t>& set) {
    if (!FollowFromCode(set, table, profile)) sets.push_back(set);
  };
  if (lasting.size() < all.size()) add(lasting);
  for (std::size_t i = 0; i < lasting.size() && lasting.size() <= kMostColumns; ++i) {
    std::vector<std::size_t> fewer = lasting;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    add(fewer);
  }
  return sets;
}

}  // namespace

void ChoosePerson(const Table& table, const std::vector<int>& ranks, Profile& profile, const Run& run) {
  std::vector<ColumnProfile>& columns = profile.columns;
  std::vector<int> usable = ranks;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool shared = usable[i] == kNamesOfPeople || usable[i] == kWayToReach;
    if (shared && AreHomonyms(i, table, profile, run)) usable[i] = 0;
  }
  const auto most = std::max_element(usable.begin(), usable.end());
  std::optional<std::size_t> best;
  if (most != usable.end() && *most > 0) best = static_cast<std::size_t>(most - usable.begin());
  for (bool better = best.has_value(); better;) {
    better = false;
    for (std::size_t i = 0; i < columns.size() && !better; ++i) {
      better = i != *best && MayReplace(usable[i], usable[*best]) &&
               HasFewer(columns[i], usable[i], columns[*best], usable[*best]) &&
               Determines(table.columns[*best], table.columns[i], profile.missing);
      if (better) best = i;
    }
  }
  // Rows of one telephone that are of different people: a doctor's, or those of a log that says nothing else of a person.
  const auto shared = std::find(ranks.begin(), ranks.end(), kWayToReach);
  const bool in_doubt = !best && shared != ranks.end();
  if (in_doubt) best = static_cast<std::size_t>(shared - ranks.begin());
  if (best) columns[*best].ask = AskOfPerson(columns[*best], in_doubt ? kWayToReach : usable[*best], in_doubt);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i == best) {
      MakePerson(columns[i]);
    } else if (columns[i].role == Role::kPerson) {
      columns[i].role = Role::kIdentifier;
      columns[i].why = "its name says that it is a key; another column tells people apart";
    }
  }
}

void LookForSeveralRows(const Table& table, Profile& profile, const Run& run) {
  const bool known = std::any_of(profile.columns.begin(), profile.columns.end(),
                                 [](const ColumnProfile& column) { return column.role == Role::kPerson; });
  if (known) return;
  for (const std::vector<std::size_t>& columns : SetsToTry(table, profile)) {
    std::vector<CodedColumn> coded;
    for (const std::size_t i : columns) coded.push_back(CodedOf(table.columns[i]));
    const auto found = FindSeveralRows(coded, table.num_rows, run);
    if (!found) continue;
    profile.several_rows = {found->share, static_cast<double>(profile.rows) / static_cast<double>(found->groups), {}};
    // A column that was left out and has about as many values as there are people may be their key.
    for (const std::size_t i : columns) {
      const ColumnProfile& column = profile.columns[i];
      const std::uint64_t most = profile.several_rows->column ? profile.columns[*profile.several_rows->column].distinct : 0;
      if (column.role == Role::kIdentifier && 2 * column.distinct >= found->groups && column.distinct > most)
        profile.several_rows->column = i;
    }
    return;
  }
}

}  // namespace cordon::engine
