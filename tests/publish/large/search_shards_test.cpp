// SPDX-License-Identifier: Apache-2.0
//
// What happens at the borders of shards, with searches that are seen through: tests hand in their own way to make groups and to
// refine them, so what has to come out is known row by row.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "cordon/io/files/atomic_file.h"
#include "cordon/plan/registry.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/large/judge_parts.h"
#include "cordon/publish/make_release.h"
#include "cordon/publish/search_large.h"
#include "tests/scratch_folder.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kBorderMemory = std::uint64_t{256} << 20;

struct BorderRow {
  int age = 0;
  int town = 0;
  std::string disease = "d";
};

std::vector<BorderRow> RandomBorderRows(std::mt19937& random, std::size_t num_rows) {
  std::vector<BorderRow> rows;
  const int ages = 5 + static_cast<int>(random() % 60);
  for (std::size_t i = 0; i < num_rows; ++i) {
    const auto disease = random() % 4;
    rows.push_back({static_cast<int>(random() % 1000) % ages, static_cast<int>(random() % 40), fmt::format("d{}", disease)});
  }
  return rows;
}

// A group as the search gave it, by the notes of its rows: each row has its own.
using Notes = std::vector<std::string>;

// What a search or a refinement was asked, and what it gave.
struct Step {
  Notes rows;  // in the order that they have in the shard
  std::vector<Notes> before;
  std::vector<Notes> after;
  std::vector<std::vector<std::int64_t>> histograms;  // that groups are compared with
  std::int64_t reference_rows = 0;
  std::uint64_t random = 0;  // the first number that a search would draw
  bool admitted = true;      // all groups that were given
};

// Functions that are handed in have no state, so it is here.
struct Seen {
  std::mutex mutex;
  std::vector<Step> searches;
  std::vector<Step> refinements;
  AlgorithmEntry::RunGroups run = nullptr;
  AlgorithmEntry::RefineGroups refine = nullptr;
};
Seen& TheSeen() {
  static Seen seen;
  return seen;
}

Notes NotesOf(const Microdata& data, std::span<const RowId> rows) {
  const MicrodataColumn& column = data.columns[*data.Find("note")];
  Notes notes;
  for (const RowId row : rows) notes.emplace_back(column.text.cell(row).bytes());
  std::sort(notes.begin(), notes.end());
  return notes;
}

std::vector<Notes> NotesOf(const Microdata& data, const Groups& groups) {
  std::vector<Notes> notes;
  for (std::size_t group = 0; group < groups.size(); ++group) notes.push_back(NotesOf(data, groups[group]));
  return notes;
}

Step StepOf(const AlgorithmInput& input) {
  Step step;
  const MicrodataColumn& column = input.view.data().columns[*input.view.data().Find("note")];
  for (const RowId row : input.view.rows()) step.rows.emplace_back(column.text.cell(row).bytes());
  step.histograms = input.reference.histograms;
  step.reference_rows = input.reference.rows;
  return step;
}

Result<Groups> SearchSeen(const AlgorithmInput& input, Random& random, const Run& run) {
  Step step = StepOf(input);
  Random copy = random;
  step.random = copy.Next();
  CORDON_TRY(Groups groups, TheSeen().run(input, random, run));
  step.after = NotesOf(input.view.data(), groups);
  const std::lock_guard lock(TheSeen().mutex);
  TheSeen().searches.push_back(std::move(step));
  return groups;
}

Result<Groups> RefineSeen(const AlgorithmInput& input, const Groups& groups, const Run& run) {
  Step step = StepOf(input);
  step.before = NotesOf(input.view.data(), groups);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    GroupCounts counts(input.counted);
    counts.Add(groups[group]);
    step.admitted = step.admitted && input.model.Admits(counts);
  }
  CORDON_TRY(Groups refined, TheSeen().refine(input, groups, run));
  step.after = NotesOf(input.view.data(), refined);
  const std::lock_guard lock(TheSeen().mutex);
  TheSeen().refinements.push_back(std::move(step));
  return refined;
}

Result<Groups> AsTheyAre(const AlgorithmInput&, const Groups& groups, const Run&) { return groups; }

Result<Groups> AllInOne(const AlgorithmInput& input, const Groups& groups, const Run&) {
  Groups one;
  std::vector<RowId> rows = groups.rows;
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows.size(), input.view.size());
  one.Add(rows);
  return one;
}

// Pairs of rows one after the other, whatever the models ask; a last one joins the pair before it.
Result<Groups> PairsOfRows(const AlgorithmInput& input, Random&, const Run&) {
  Groups groups;
  const std::span<const RowId> rows = input.view.rows();
  for (std::size_t at = 0; at < rows.size();) {
    const std::size_t size = rows.size() - at == 3 ? 3 : std::min<std::size_t>(2, rows.size() - at);
    groups.Add(rows.subspan(at, size));
    at += size;
  }
  return groups;
}

Result<Groups> OneGroupOfAll(const AlgorithmInput& input, Random&, const Run&) {
  Groups groups;
  groups.Add(input.view.rows());
  return groups;
}

Result<Groups> GroupsByAge(const AlgorithmInput& input, Random&, const Run&) {
  std::map<Code, std::vector<RowId>> sets;
  for (const RowId row : input.view.rows()) sets[input.view.data().columns[0].codes[row]].push_back(row);
  Groups groups;
  for (const auto& [age, set] : sets) groups.Add(set);
  return groups;
}

Result<Groups> FailsOfOldPeople(const AlgorithmInput& input, Random& random, const Run& run) {
  if (input.view.data().columns[0].codes[0] > 3) return Error::Io("a shard of {} rows", input.view.size());
  return OneGroupOfAll(input, random, run);
}

// Only the first two change what is made.
struct HowToSearch {
  std::optional<std::uint64_t> part_rows = std::nullopt;  // half of so many may wait; none: as many as make a shard
  Effort effort = Effort::kLow;
  int threads = 2;
  std::uint64_t bytes = kBorderMemory;
};

class Shards : public ::testing::Test {
 protected:
  static std::string KOf(int k) { return fmt::format("[[privacy]]\nmodel = \"k-anonymity\"\nk = {}\n", k); }
  static std::string Closely() {
    return "[[privacy]]\nmodel = \"t-closeness\"\nsensitive = \"disease\"\nt = 0.4\ndistance = \"equal\"\n";
  }

  Policy PolicyOf(const std::string& models) {
    const bool guarded = models.find("\"disease\"") != std::string::npos;
    const std::string text = fmt::format(
        "[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\n[attributes.town]\nrole = \"quasi\"\ntype = \"numeric\"\n"
        "[attributes.disease]\nrole = \"sensitive\"\n{}[attributes.note]\nrole = \"insensitive\"\n{}",
        guarded ? "" : "unguarded = \"a test of sizes\"\n", models);
    EXPECT_TRUE(WriteFile(folder_ / "policy.toml", text).ok());
    Result<Policy> policy = ReadPolicy(folder_ / "policy.toml");
    EXPECT_TRUE(policy.ok()) << policy.error().message();
    return std::move(policy).value();
  }

  // The notes of rows are n0, n1, ... Numbers are written with and without a zero in front: they are the same numbers.
  LargeTable TableOf(const std::vector<BorderRow>& rows, const Policy& policy) {
    std::string text = "age,town,disease,note\n";
    for (std::size_t i = 0; i < rows.size(); ++i)
      text += fmt::format("{}{},{},{},n{}\n", i % 3 == 0 ? "0" : "", rows[i].age, rows[i].town, rows[i].disease, i);
    EXPECT_TRUE(WriteFile(folder_ / "in.csv", text).ok());
    return ReadLargeTable(folder_ / "in.csv", policy, {{.text = policy.data.text}, Folder(), kBorderMemory}, {}).value();
  }

  // A table under these models, and how it was cut.
  struct Given {
    Policy policy;
    LargeTable table;
    CutTable cut;
  };
  std::function<Result<Groups>(const View&, const Policy&)> search_;  // of the plan; none: every cut is as good
  Given Cut(const std::string& models, const std::vector<BorderRow>& rows, std::uint64_t shard_rows) {
    Policy policy = PolicyOf(models);
    LargeTable table = TableOf(rows, policy);
    const std::vector<std::size_t> sensitive = NamedColumns(MicrodataBuilder(table).Finish(), policy);
    std::vector<Warning> warnings;
    const auto search = [&](const View& tried) { return search_ ? search_(tried, policy) : Result<Groups>(Groups()); };
    const CutOptions options{policy, sensitive, {kBorderMemory, 0, shard_rows}, Folder(), search};
    Result<CutTable> cut = CutIntoShards(table, options, Random::FromSeed(1), warnings, {});
    EXPECT_TRUE(cut.ok()) << cut.error().message();
    return {std::move(policy), std::move(table), std::move(cut).value()};
  }

  // An algorithm that tells what it is asked.
  static AlgorithmEntry Algorithm(const Policy& policy, AlgorithmEntry::RunGroups run = nullptr,
                                  AlgorithmEntry::RefineGroups refine = nullptr) {
    AlgorithmEntry entry = *ChooseAlgorithm("auto", policy).value().algorithm;
    TheSeen().searches.clear();
    TheSeen().refinements.clear();
    TheSeen().run = run == nullptr ? entry.run : run;
    TheSeen().refine = refine == nullptr ? entry.refine : refine;
    entry.run = SearchSeen;
    entry.refine = RefineSeen;
    return entry;
  }
  static AlgorithmEntry WithoutBorders(AlgorithmEntry algorithm) {
    algorithm.refine = nullptr;
    return algorithm;
  }

  Result<Unjudged> TrySearch(const Given& given, const AlgorithmEntry& algorithm, const HowToSearch& how) {
    const std::uint64_t part_rows = how.part_rows.value_or(given.cut.shard_rows);
    const SearchLargeOptions options{given.policy, algorithm, how.effort, Folder(), part_rows, how.bytes};
    return SearchShards(given.table, given.cut, options, Random::FromSeed(2), {.threads = how.threads});
  }
  Unjudged Search(const Given& given, const AlgorithmEntry& algorithm, const HowToSearch& how = {}) {
    Result<Unjudged> made = TrySearch(given, algorithm, how);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return std::move(made).value();
  }

  // What is published, as texts, row by row in the order in which it was.
  static std::vector<std::vector<std::string>> RowsOf(const Unjudged& made) {
    std::vector<std::vector<std::string>> rows;
    const std::size_t width = made.columns.size();
    for (std::size_t part = 0; part < made.parts.num_buckets(); ++part) {
      EXPECT_TRUE(made.parts
                      .Each(part, {},
                            [&](std::span<const Code> block) {
                              for (std::size_t at = 0; at < block.size(); ++at) {
                                if (at % width == 0) rows.emplace_back();
                                const Dictionary& texts = *made.columns[at % width].text.dictionary;
                                rows.back().emplace_back(block[at] == kNull ? "" : texts[block[at]].bytes());
                              }
                              return Result<void>();
                            })
                      .ok());
    }
    return rows;
  }
  static std::multiset<std::vector<std::string>> Sorted(const Unjudged& made) {
    const auto rows = RowsOf(made);
    return {rows.begin(), rows.end()};
  }
  static std::map<std::string, std::string> QuasiOf(const Unjudged& made) {
    std::map<std::string, std::string> shown;
    for (const auto& row : RowsOf(made))
      EXPECT_TRUE(shown.emplace(row[3], row[0] + " " + row[1]).second) << "twice: " << row[3];
    return shown;
  }

  std::string Folder() const { return folder_.path().string(); }

  test::ScratchFolder folder_;
};

// If borders change nothing, the release is that without borders: whatever waits comes back once, in its own group, with its
// own cells.
TEST_F(Shards, GroupsThatWaitComeBackAsTheyWere) {
  std::size_t waited = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::vector<BorderRow> rows = RandomBorderRows(random, 100 + random() % 300);
    const Given given = Cut(KOf(2 + static_cast<int>(seed % 3)) + (seed % 4 == 3 ? Closely() : ""), rows, 20 + random() % 60);
    const Unjudged without = Search(given, WithoutBorders(Algorithm(given.policy)));
    const Unjudged with = Search(given, Algorithm(given.policy, nullptr, AsTheyAre));
    EXPECT_EQ(Sorted(with), Sorted(without));
    EXPECT_EQ(with.rows, rows.size());
    EXPECT_NEAR(with.loss.information_loss, without.loss.information_loss, 1e-9);
    for (const Step& step : TheSeen().refinements) {
      waited += step.rows.size();
      EXPECT_TRUE(step.admitted);
      EXPECT_LE(step.rows.size(), given.cut.shard_rows) << "more rows than fit";
      EXPECT_EQ(step.before, step.after);
    }
  }
  EXPECT_GT(waited, 3000u);
}

// Each group that a border is given is one that a shard, or a border below, has made: none is torn, joined or made up.
TEST_F(Shards, ABorderIsGivenTheGroupsOfTheStepsBelow) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Given given = Cut(KOf(2), RandomBorderRows(random, 300), 40);
    ASSERT_GT(given.cut.shards.size(), 4u);
    Search(given, Algorithm(given.policy));
    std::set<Notes> made;
    for (const Step& step : TheSeen().searches) made.insert(step.after.begin(), step.after.end());
    for (const Step& step : TheSeen().refinements) {
      for (const Notes& group : step.before) EXPECT_EQ(made.erase(group), 1u) << "a group that no step has left waiting";
      made.insert(step.after.begin(), step.after.end());
    }
    ASSERT_FALSE(TheSeen().refinements.empty());
  }
}

// Rows show the box of the group that they ended in, not that of the group that waited.
TEST_F(Shards, RowsAreShownAsTheLastGroupThatTheyWereIn) {
  for (const auto refine : {AlgorithmEntry::RefineGroups(AllInOne), AlgorithmEntry::RefineGroups(nullptr)}) {
    for (unsigned seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(seed);
      std::mt19937 random(seed);
      const std::vector<BorderRow> rows = RandomBorderRows(random, 250);
      const Given given = Cut(KOf(3), rows, 50);
      const Unjudged made = Search(given, Algorithm(given.policy, nullptr, refine));
      std::map<std::string, const Notes*> last;
      for (const auto* steps : {&TheSeen().searches, &TheSeen().refinements}) {
        for (const Step& step : *steps) {
          for (const Notes& group : step.after) {
            for (const std::string& note : group) last[note] = &group;
          }
        }
      }
      const std::map<std::string, std::string> shown = QuasiOf(made);
      ASSERT_EQ(shown.size(), rows.size());
      const auto text = [](int lo, int hi) { return lo == hi ? fmt::format("{}", lo) : fmt::format("[{},{}]", lo, hi); };
      for (const auto& [note, group] : last) {
        BorderRow lo{1000, 1000};
        BorderRow hi{-1, -1};
        for (const std::string& each : *group) {
          const BorderRow& row = rows[std::stoul(each.substr(1))];
          lo = {std::min(lo.age, row.age), std::min(lo.town, row.town)};
          hi = {std::max(hi.age, row.age), std::max(hi.town, row.town)};
        }
        EXPECT_EQ(shown.at(note), text(lo.age, hi.age) + " " + text(lo.town, hi.town)) << note;
      }
    }
  }
}

// The costliest groups wait, with half as many rows as fit, and no group waits that loses nothing.
TEST_F(Shards, TheCostliestGroupsWait) {
  std::vector<BorderRow> rows;  // pairs: the second of pair i is i % 10 towns away
  for (int i = 0; i < 80; ++i) {
    rows.push_back({i / 2, 0});
    rows.push_back({i / 2, i % 10});
  }
  rows.insert(rows.end(), {{0, 0}, {0, 1000}, {39, 0}, {39, 1000}});  // so no cut is by town
  const Given given = Cut(KOf(2), rows, 90);
  ASSERT_EQ(given.cut.shards.size(), 2u);
  Search(given, Algorithm(given.policy, PairsOfRows, AsTheyAre), {40});
  ASSERT_EQ(TheSeen().refinements.size(), 1u);
  std::map<int, int> waiting;  // by what a pair loses
  for (const Notes& group : TheSeen().refinements[0].before) {
    ASSERT_EQ(group.size(), 2u);
    int town = 0;
    for (const std::string& note : group) town = std::max(town, rows[std::stoul(note.substr(1))].town);
    ++waiting[town];
  }
  // 20 rows are 10 pairs on each side: one loses 1000, four each lose 9, 8 and 7.
  EXPECT_EQ(waiting, (std::map<int, int>{{7, 2}, {8, 8}, {9, 8}, {1000, 2}}));
}

TEST_F(Shards, GroupsThatLoseNothingDoNotWait) {
  std::vector<BorderRow> rows;
  for (int i = 0; i < 200; ++i) rows.push_back({i / 4, i / 100});
  const Given given = Cut(KOf(2), rows, 60);
  ASSERT_GT(given.cut.shards.size(), 2u);
  const Unjudged made = Search(given, Algorithm(given.policy));
  EXPECT_TRUE(TheSeen().refinements.empty());
  EXPECT_EQ(made.loss.information_loss, 0);
  EXPECT_EQ(made.rows, 200u);
}

// In the towns 0 and 2 one group has people of all ages. A cut by age takes more loss away, but goes through both.
TEST_F(Shards, ACutGoesBetweenTheGroupsOfAQuickSearch) {
  std::vector<BorderRow> rows;
  for (int i = 0; i < 90; ++i) rows.insert(rows.end(), {{i, 0}, {i, 1}, {i, 2}});
  for (int i = 0; i < 30; ++i) rows.push_back({3 * i, 1});
  std::size_t searches = 0;
  search_ = [&](const View& tried, const Policy& policy) {
    ++searches;
    EXPECT_EQ(tried.size(), rows.size()) << "all rows, if they are few";
    return SearchShard(Algorithm(policy), tried, policy, Effort::kLow, Random::FromSeed(3), {});
  };
  const Given given = Cut(KOf(50), rows, 220);
  ASSERT_EQ(given.cut.plan.cuts().size(), 1u);
  EXPECT_EQ(given.cut.plan.cuts()[0].quasi, 1u) << "by town";
  EXPECT_EQ(searches, 1u);
  EXPECT_EQ(Cut(KOf(50), rows, 300).cut.shards.size(), 1u);
  EXPECT_EQ(searches, 1u) << "a table that fits needs no search";
}

TEST_F(Shards, IfTheRowsThatAreTriedHaveNoReleaseCutsAreEven) {
  std::vector<BorderRow> rows;
  for (int i = 0; i < 100; ++i) rows.push_back({i, 0});
  search_ = [](const View&, const Policy&) { return Result<Groups>(Error::Unsatisfiable("too few rows")); };
  const Given given = Cut(KOf(2), rows, 60);
  ASSERT_EQ(given.cut.plan.cuts().size(), 1u);
  EXPECT_EQ(given.cut.plan.cuts()[0].at, 50);
}

// Two rows on one side of a cut and one on the other are alike but for one year; all others are far away.
TEST_F(Shards, AGroupCrossesACutIfItLosesLess) {
  std::vector<BorderRow> rows;
  for (int age = 0; age < 20; ++age) {
    for (int i = 0; i < 5; ++i) rows.push_back({age, 0});
  }
  rows.insert(rows.end(), {{9, 90}, {9, 90}, {10, 90}});
  const Given given = Cut(KOf(3), rows, 60);
  ASSERT_EQ(given.cut.plan.cuts().size(), 1u);
  ASSERT_EQ(given.cut.plan.cuts()[0].at, 10) << "the test is about rows on two sides";
  const Unjudged without = Search(given, WithoutBorders(Algorithm(given.policy)), {60, Effort::kNormal});
  const Unjudged made = Search(given, Algorithm(given.policy), {60, Effort::kNormal});
  const std::map<std::string, std::string> shown = QuasiOf(made);
  for (const char* note : {"n100", "n101", "n102"}) EXPECT_EQ(shown.at(note), "[9,10] 90");
  EXPECT_LT(made.loss.information_loss, without.loss.information_loss);
}

TEST_F(Shards, BordersNeverLoseMore) {
  std::size_t better = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Given given = Cut(KOf(3) + (seed % 2 == 1 ? Closely() : ""), RandomBorderRows(random, 300), 60);
    const Unjudged without = Search(given, WithoutBorders(Algorithm(given.policy)));
    const Unjudged with = Search(given, Algorithm(given.policy));
    EXPECT_LE(with.loss.information_loss, without.loss.information_loss + 1e-9);
    better += with.loss.information_loss < without.loss.information_loss - 1e-9 ? 1 : 0;
  }
  EXPECT_GE(better, 15u);
}

// Every search and every border compares with all rows of the table, and each row is searched in one shard.
TEST_F(Shards, EveryStepComparesWithTheWholeTable) {
  std::mt19937 random(1);
  std::vector<BorderRow> rows = RandomBorderRows(random, 400);
  for (BorderRow& row : rows) {
    if (row.age > 20 && row.disease == "d0") row.disease = "d1";
  }
  std::vector<std::int64_t> counts(4);
  for (const BorderRow& row : rows) ++counts[static_cast<std::size_t>(row.disease[1] - '0')];
  const Given given = Cut(KOf(2) + Closely(), rows, 60);
  ASSERT_GT(given.cut.shards.size(), 3u);
  Search(given, Algorithm(given.policy));
  ASSERT_EQ(TheSeen().searches.size(), given.cut.shards.size());
  ASSERT_FALSE(TheSeen().refinements.empty());
  std::set<std::string> searched;
  for (const auto* steps : {&TheSeen().searches, &TheSeen().refinements}) {
    for (const Step& step : *steps) {
      EXPECT_EQ(step.histograms, std::vector<std::vector<std::int64_t>>{counts});
      EXPECT_EQ(step.reference_rows, 400);
      EXPECT_TRUE(step.admitted);
      if (steps == &TheSeen().refinements) continue;
      for (const std::string& note : step.rows) EXPECT_TRUE(searched.insert(note).second);
    }
  }
  EXPECT_EQ(searched.size(), rows.size());
}

// If shards drew the same numbers, those of one would tell those of another. Ten shards of twenty equal rows each: both what
// the search is given and the order in which rows leave differ from shard to shard.
TEST_F(Shards, EachShardHasItsOwnRandomNumbers) {
  std::vector<BorderRow> rows;
  for (int i = 0; i < 200; ++i) rows.push_back({i / 20, 0});
  const Given given = Cut(KOf(2), rows, 20);
  ASSERT_EQ(given.cut.shards.size(), 10u);
  const Unjudged made = Search(given, WithoutBorders(Algorithm(given.policy, OneGroupOfAll)), {1000});
  std::set<std::uint64_t> drawn;
  for (const Step& step : TheSeen().searches) EXPECT_TRUE(drawn.insert(step.random).second);
  std::map<unsigned long, std::vector<unsigned long>> orders;
  ASSERT_EQ(made.parts.num_buckets(), 1u);
  for (const auto& row : RowsOf(made)) {
    const unsigned long number = std::stoul(row[3].substr(1));
    orders[number / 20].push_back(number % 20);
  }
  std::set<std::vector<unsigned long>> different;
  for (const auto& [shard, order] : orders) EXPECT_TRUE(different.insert(order).second) << "the order of another shard";
  EXPECT_EQ(different.size(), 10u);
}

// So has a border: as many rows leave it as leave a shard, in another order.
TEST_F(Shards, ABorderHasItsOwnRandomNumbers) {
  std::vector<BorderRow> rows;  // of each shard, 40 equal rows, and 20 in pairs that lose something
  for (int i = 0; i < 120; ++i) rows.push_back({i / 60, i % 60 < 40 ? 0 : i % 60 - 30});
  const Given given = Cut(KOf(2), rows, 60);
  ASSERT_EQ(given.cut.shards.size(), 2u);
  ASSERT_EQ(given.cut.plan.cuts()[0].quasi, 0u);
  const Unjudged made = Search(given, Algorithm(given.policy, PairsOfRows, AsTheyAre), {1000});
  ASSERT_EQ(TheSeen().refinements.size(), 1u);
  ASSERT_EQ(TheSeen().refinements[0].rows.size(), 40u);
  ASSERT_EQ(made.parts.num_buckets(), 1u);
  std::vector<std::vector<unsigned long>> orders(3);  // of two shards and the border
  for (const auto& row : RowsOf(made)) {
    const unsigned long number = std::stoul(row[3].substr(1));
    const unsigned long shard = number / 60;
    const unsigned long at = number % 60;
    if (at < 40) orders[shard].push_back(at);
    if (at >= 40) orders[2].push_back(20 * shard + at - 40);
  }
  for (const auto& order : orders) ASSERT_EQ(order.size(), 40u);
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[0], orders[2]);
  EXPECT_NE(orders[1], orders[2]);
}

// Boxes that are too small to be a shard join others, which may lie on other sides of some cuts.
TEST_F(Shards, AShardOfSeveralBoxesIsSearchedOnce) {
  std::size_t joined = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::vector<BorderRow> rows = RandomBorderRows(random, 200);
    const Given given = Cut(KOf(12), rows, 16);
    for (const auto& boxes : given.cut.shards) joined += boxes.size() > 1 ? 1 : 0;
    const Unjudged without = Search(given, WithoutBorders(Algorithm(given.policy)));
    const Unjudged with = Search(given, Algorithm(given.policy, nullptr, AsTheyAre));
    EXPECT_EQ(TheSeen().searches.size(), given.cut.shards.size());
    EXPECT_EQ(with.rows, rows.size());
    EXPECT_EQ(Sorted(with), Sorted(without));
  }
  EXPECT_GT(joined, 10u) << "the test is about these";
}

// Equal cells, however they are written, are in one box.
TEST_F(Shards, EqualRowsAreNeverParted) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::vector<BorderRow> rows = RandomBorderRows(random, 500);
    const Given given = Cut(KOf(2), rows, 30);
    ASSERT_GT(given.cut.boxes.num_buckets(), 4u);
    std::map<std::pair<Code, Code>, std::size_t> box_of;
    std::size_t seen = 0;
    for (std::size_t box = 0; box < given.cut.boxes.num_buckets(); ++box) {
      const std::size_t one[] = {box};
      const Microdata data = LoadRows(given.cut.boxes, one, MicrodataBuilder(given.table), {}).value();
      seen += data.num_rows;
      for (std::size_t row = 0; row < data.num_rows; ++row) {
        const auto place = box_of.emplace(std::pair{data.columns[0].codes[row], data.columns[1].codes[row]}, box).first;
        EXPECT_EQ(place->second, box);
      }
    }
    EXPECT_EQ(seen, rows.size());
  }
}

// Steps that run side by side leave what they leave one after the other: the same rows in the same order.
TEST_F(Shards, ThreadsAndMemoryDoNotChangeTheRowsOrTheirOrder) {
  for (unsigned seed = 0; seed < 2; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto num_rows = SomeOrAll<std::size_t>(120, 400);
    const Given given = Cut(KOf(3) + (seed % 2 == 1 ? Closely() : ""), RandomBorderRows(random, num_rows), num_rows / 10);
    ASSERT_GT(given.cut.shards.size(), 4u);
    const AlgorithmEntry algorithm = Algorithm(given.policy);
    const Unjudged alone = Search(given, algorithm, {.effort = Effort::kNormal, .threads = 1});
    const auto rows = RowsOf(alone);
    for (const int threads : {2, 5}) {
      for (const std::uint64_t bytes : {std::uint64_t{0}, given.cut.bytes[0] + given.cut.bytes[1], kBorderMemory}) {
        const Unjudged made = Search(given, algorithm, {.effort = Effort::kNormal, .threads = threads, .bytes = bytes});
        EXPECT_EQ(RowsOf(made), rows);
        EXPECT_EQ(made.loss.information_loss, alone.loss.information_loss);
      }
    }
  }
}

// The shard that fails is told, whichever others are under way, and those before it come to their end.
TEST_F(Shards, AShardThatFailsEndsTheSearch) {
  std::mt19937 random(1);
  const Given given = Cut(KOf(2), RandomBorderRows(random, 300), 40);
  ASSERT_GT(given.cut.shards.size(), 4u);
  const auto alone = TrySearch(given, Algorithm(given.policy, FailsOfOldPeople), {.threads = 1});
  ASSERT_FALSE(alone.ok());
  for (const int threads : {2, 4}) {
    const auto made = TrySearch(given, Algorithm(given.policy, FailsOfOldPeople), {.threads = threads});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().message(), alone.error().message());
  }
}

// A combination with rows enough is one group, whatever its size. The others make one of every k rows at most.
TEST_F(Shards, AShardTakesMemoryForTheGroupsThatItCanHave) {
  std::vector<BorderRow> equal(1000);
  std::vector<BorderRow> different;
  for (int i = 0; i < 1000; ++i) different.push_back({i, i});
  const std::uint64_t of_rows = 1000 * (40 + 8 * 4);
  const std::uint64_t of_a_group = 500 + 60 * 4;
  EXPECT_EQ(Cut(KOf(4), equal, 5000).cut.bytes, std::vector<std::uint64_t>{of_rows + of_a_group});
  EXPECT_EQ(Cut(KOf(4), different, 5000).cut.bytes, std::vector<std::uint64_t>{of_rows + 250 * of_a_group});
  std::vector<BorderRow> both = equal;
  both.insert(both.end(), different.begin() + 1, different.end());
  EXPECT_EQ(Cut(KOf(4), both, 5000).cut.bytes, std::vector<std::uint64_t>{1999 * of_rows / 1000 + 250 * of_a_group});
  // A model that looks at more than the number of rows may divide equal rows.
  EXPECT_EQ(Cut(KOf(4) + Closely(), equal, 5000).cut.bytes, std::vector<std::uint64_t>{of_rows + 250 * of_a_group});
}

// The verdict on rows that some search has made badly. It must not rest on what the search believes.

TEST_F(Shards, ASingleBadGroupIsRefusedWhereverItIs) {
  for (int bad = 0; bad < 30; ++bad) {
    SCOPED_TRACE(bad);
    std::vector<BorderRow> rows;  // the search makes a group of each age
    for (int i = 0; i < 90; ++i) {
      if (i != 3 * bad) rows.push_back({i / 3, 0});
    }
    const Given given = Cut(KOf(3), rows, 20);
    const AlgorithmEntry algorithm = WithoutBorders(Algorithm(given.policy, GroupsByAge));
    const Unjudged made = Search(given, algorithm);
    ASSERT_GT(made.parts.num_buckets(), 4u);
    const auto judged = JudgeParts(made, {given.policy, algorithm, Folder()}, Random::FromSeed(3), {});
    ASSERT_FALSE(judged.ok()) << "a group of two";
    EXPECT_EQ(judged.error().kind(), ErrorKind::kUnsatisfiable);
    const Policy less = PolicyOf(KOf(2));
    const auto holds = JudgeParts(made, {less, algorithm, Folder()}, Random::FromSeed(3), {});
    ASSERT_TRUE(holds.ok()) << holds.error().message();
    EXPECT_EQ(holds.value().rows.num_rows(), rows.size());
    EXPECT_EQ(holds.value().verdicts[0].reached_text, "2");
    EXPECT_EQ(holds.value().discernibility.groups, 30u);
    EXPECT_EQ(holds.value().discernibility.min_group, 2u);
  }
}

// Each shard has one disease: all of its groups are as the shard is, and far from the table.
TEST_F(Shards, GroupsLikeTheirShardAreJudgedByTheTable) {
  std::vector<BorderRow> rows;
  for (int i = 0; i < 120; ++i) rows.push_back({i % 2, i / 2, i % 2 == 0 ? "d0" : i % 4 == 1 ? "d1" : "d2"});
  const Given given = Cut(KOf(2) + Closely(), rows, 1000);
  const AlgorithmEntry algorithm = WithoutBorders(Algorithm(given.policy, GroupsByAge));
  const Unjudged made = Search(given, algorithm, {20});
  const auto judged = JudgeParts(made, {given.policy, algorithm, Folder()}, Random::FromSeed(3), {});
  ASSERT_FALSE(judged.ok());
  EXPECT_EQ(judged.error().kind(), ErrorKind::kUnsatisfiable);
}

}  // namespace
}  // namespace cordon::engine
