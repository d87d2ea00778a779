// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/join_verifier.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "cordon/base/rounded.h"
#include "cordon/models/verify/forced_links.h"
#include "cordon/models/verify/join_pairs_internal.h"

namespace cordon::engine {
namespace {

using internal::ClassesBy;
using internal::PairIndex;
using internal::RowClasses;

constexpr std::uint64_t kMaxStoredPairs = 200'000'000;

std::uint64_t Packed(std::uint32_t high, std::uint32_t low) { return (static_cast<std::uint64_t>(high) << 32) | low; }

// Pairs of numbers as one number each, from 0.
class Numbering {
 public:
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) {
    return known_.try_emplace(Packed(a, b), static_cast<std::uint32_t>(known_.size())).first->second;
  }
  std::size_t size() const { return known_.size(); }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

struct GuardedCell {
  std::size_t table;
  std::size_t column;
  Code code;
};

// A requirement as questions about rows: of which x is a row of each release, of which y, has it a guarded cell?
struct Question {
  ResolvedJoin join;
  bool shares = false;                              // linkability
  std::vector<std::vector<std::size_t>> x_columns;  // by table
  std::vector<std::vector<std::size_t>> y_columns;
  std::vector<RowClasses> x;  // by table
  std::vector<RowClasses> y;  // anonymity: by table, over the columns of Y
  std::vector<GuardedCell> guarded;
  std::vector<char> keys;  // by table: whether Y counts its rows or people

  bool HasGuarded(std::size_t cell, const LinkedTables& linked, std::size_t row) const {
    const GuardedCell& each = guarded[cell];
    return linked.tables[each.table].columns[each.column].codes[row] == each.code;
  }
};

Result<Question> Ask(const LinkedTables& linked, const JoinSpec& spec, const std::vector<ImpossiblePairs>& impossible) {
  std::vector<std::vector<std::string>> names;
  for (const LinkedTable& table : linked.tables) {
    names.emplace_back();
    for (const LinkedColumn& column : table.columns) names.back().push_back(column.name);
  }
  Question asked;
  CORDON_TRY(asked.join, Resolve(spec, names, impossible));
  asked.shares = std::holds_alternative<XyLinkabilitySpec>(spec);
  const std::size_t num_tables = linked.tables.size();
  asked.x_columns.resize(num_tables);
  asked.y_columns.resize(num_tables);
  asked.keys.resize(num_tables);
  for (const ResolvedJoin::Place& place : asked.join.x) {
    asked.x_columns[place.table].push_back(*linked.tables[place.table].Find(place.column));
  }
  for (const ResolvedJoin::Guarded& guarded : asked.join.y) {
    const std::size_t table = guarded.place.table;
    const std::size_t column = *linked.tables[table].Find(guarded.place.column);
    asked.y_columns[table].push_back(column);
    if (!asked.shares) continue;
    const Dictionary& texts = *linked.tables[table].columns[column].texts;
    for (std::size_t code = 0; code < texts.size() && guarded.values.empty(); ++code) {
      asked.guarded.push_back({table, column, static_cast<Code>(code)});
    }
    for (const std::string& value : guarded.values) {  // one that nobody has is in no share
      if (const auto code = texts.Find(value)) asked.guarded.push_back({table, column, *code});
    }
  }
  for (const std::size_t table : asked.join.keys) asked.keys[table] = 1;
  for (std::size_t table = 0; table < num_tables; ++table) {
    asked.x.push_back(ClassesBy(linked.tables[table], asked.x_columns[table]));
    asked.y.push_back(ClassesBy(linked.tables[table], asked.shares ? std::vector<std::size_t>() : asked.y_columns[table]));
  }
  return asked;
}

// What was counted of each x.
struct Tallied {
  UInt128 all = 0;  // tuples of the join
  std::vector<UInt128> tuples;
  std::vector<std::vector<UInt128>> guarded;  // by x and guarded cell
  std::vector<UInt128> distinct;
  std::vector<std::uint32_t> first_row;  // of the current release

  void Reach(std::uint32_t x, std::uint32_t row, std::size_t num_guarded) {
    if (x < tuples.size()) return;
    tuples.resize(x + 1);
    distinct.resize(x + 1);
    guarded.resize(x + 1, std::vector<UInt128>(num_guarded));
    first_row.resize(x + 1, row);
  }
};

using Audits = std::vector<std::vector<ForcedLinks>>;  // by tables i < j: audits[i][j - i - 1]

bool Excluded(const Audits* audits, std::size_t i, std::size_t row_i, std::size_t j, std::size_t row_j) {
  if (audits == nullptr) return false;
  return i < j ? (*audits)[i][j - i - 1].Excludes(row_i, row_j) : (*audits)[j][i - j - 1].Excludes(row_j, row_i);
}

// Every tuple of rows, from the definition.
class ByDefinition {
 public:
  ByDefinition(const LinkedTables& linked, const Question& asked, const Audits* audits)
      : linked_(linked), asked_(asked), audits_(audits), rows_(linked.tables.size()), x_(linked.tables.size()), y_(x_.size()) {}

  Tallied Count() {
    Extend(0, 0, 0);
    for (const std::uint64_t each : seen_) tallied_.distinct[each >> 32] += 1;
    return std::move(tallied_);
  }

 private:
  void Extend(std::size_t table, std::uint32_t x, std::uint32_t y) {
    if (table == linked_.tables.size()) return Take(x, y);
    for (std::size_t row = 0; row < linked_.tables[table].num_rows; ++row) {
      bool matches = true;
      for (std::size_t other = 0; other < table && matches; ++other) {
        matches = internal::RowsMatch(linked_, other, rows_[other], table, row) &&
                  !Excluded(audits_, other, rows_[other], table, row);
      }
      if (!matches) continue;
      rows_[table] = row;
      Extend(table + 1, x_[table](x, asked_.x[table].class_of[row]), asked_.shares ? 0 : y_[table](y, UnitOf(table, row)));
    }
  }
  // What Y is of the row: the row, its person, or its values.
  std::uint32_t UnitOf(std::size_t table, std::size_t row) const {
    if (asked_.keys[table] == 0) return asked_.y[table].class_of[row];
    const Codes& persons = linked_.tables[table].persons;
    return persons.empty() ? static_cast<std::uint32_t>(row) : static_cast<std::uint32_t>(persons[row]);
  }
  void Take(std::uint32_t x, std::uint32_t y) {
    tallied_.Reach(x, static_cast<std::uint32_t>(rows_[0]), asked_.guarded.size());
    tallied_.all += 1;
    tallied_.tuples[x] += 1;
    for (std::size_t i = 0; i < asked_.guarded.size(); ++i) {
      if (asked_.HasGuarded(i, linked_, rows_[asked_.guarded[i].table])) tallied_.guarded[x][i] += 1;
    }
    if (!asked_.shares) seen_.insert(Packed(x, y));
  }

  const LinkedTables& linked_;
  const Question& asked_;
  const Audits* audits_;
  std::vector<std::size_t> rows_;
  std::vector<Numbering> x_;
  std::vector<Numbering> y_;
  std::unordered_set<std::uint64_t> seen_;
  Tallied tallied_;
};

// Distinct rows and how many there are of each. The release that Y counts comes first, so that each of its classes meets an x
// in one go.
class ByCounting {
 public:
  ByCounting(const LinkedTables& linked, const Question& asked, const Audits* audits)
      : linked_(linked), asked_(asked), audits_(audits), x_(linked.tables.size()), y_(linked.tables.size()) {
    const std::size_t first = asked.join.keys.size() == 1 ? asked.join.keys[0] : 0;
    order_.push_back(first);
    for (std::size_t table = 0; table < linked.tables.size(); ++table) {
      if (table != first) order_.push_back(table);
      std::vector<std::size_t> columns = asked.x_columns[table];
      columns.insert(columns.end(), asked.y_columns[table].begin(), asked.y_columns[table].end());
      for (std::size_t other = 0; other < linked.tables.size(); ++other) {
        if (other == table) continue;
        const std::vector<std::size_t> joining = internal::JoiningColumns(linked, table, other);
        columns.insert(columns.end(), joining.begin(), joining.end());
      }
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      classes_.push_back(ClassesBy(linked.tables[table], columns));
    }
    rows_.resize(linked.tables.size());
    if (asked.join.keys.size() != 1) return;
    const Codes& persons = linked.tables[first].persons;
    if (persons.empty()) return;
    people_.resize(classes_[first].size());
    for (std::size_t row = 0; row < linked.tables[first].num_rows; ++row) {
      people_[classes_[first].class_of[row]].push_back(static_cast<std::uint32_t>(persons[row]));
    }
  }

  Result<Tallied> Count(const Run& run) {
    if (order_.size() == 1) {
      for (std::uint32_t each = 0; each < classes_[order_[0]].size(); ++each) Start(each), Finish();
      return Done();
    }
    const PairIndex index(linked_, order_[0], classes_[order_[0]], order_[1], classes_[order_[1]]);
    CORDON_RETURN_IF_ERROR(CheckSize(index, order_[1]));
    CORDON_RETURN_IF_ERROR(Store(run));
    index.ForEach([&](std::uint32_t a, std::uint32_t b) {
      rows_[order_[0]] = a;
      if (Admits(1, b)) {
        rows_[order_[1]] = b;
        Extend(2);
      }
    });
    if (run.Stopped()) return Error::Cancelled();
    return Done();
  }

 private:
  void Start(std::uint32_t each) { rows_[order_[0]] = each; }

  std::size_t FirstRow(std::size_t table) const { return classes_[table].first_row[rows_[table]]; }

  // The pairs of the first release with the third and later ones.
  Result<void> Store(const Run& run) {
    stored_.resize(order_.size());
    for (std::size_t place = 2; place < order_.size(); ++place) {
      const PairIndex index(linked_, order_[0], classes_[order_[0]], order_[place], classes_[order_[place]]);
      CORDON_RETURN_IF_ERROR(CheckSize(index, order_[place]));
      if (index.candidate_pairs() > kMaxStoredPairs) return TooMany(index.candidate_pairs(), order_[place], kMaxStoredPairs);
      stored_[place].resize(classes_[order_[0]].size());
      index.ForEach([&](std::uint32_t a, std::uint32_t b) { stored_[place][a].push_back(b); });
      if (run.Stopped()) return Error::Cancelled();
    }
    return {};
  }
  Result<void> CheckSize(const PairIndex& index, std::size_t table) const {
    if (index.candidate_pairs() <= PairIndex::kMaxPairs) return {};
    return TooMany(index.candidate_pairs(), table, PairIndex::kMaxPairs);
  }
  Error TooMany(std::uint64_t pairs, std::size_t table, std::uint64_t most) const {
    return Error::InvalidData("{} pairs of different rows of {} and {} may match, more than the {} that can be counted", pairs,
                              linked_.tables[order_[0]].name, linked_.tables[table].name, most)
        .WithHint("generalize the columns that both releases have, or leave some of them out");
  }

  // Whether the class of the release at `place` goes with those chosen so far.
  bool Admits(std::size_t place, std::uint32_t candidate) const {
    const std::size_t table = order_[place];
    const std::size_t row = classes_[table].first_row[candidate];
    for (std::size_t before = 0; before < place; ++before) {
      const std::size_t other = order_[before];
      // The index has matched it with the first one.
      if (before > 0 && !internal::RowsMatch(linked_, other, FirstRow(other), table, row)) return false;
      if (Excluded(audits_, other, FirstRow(other), table, row)) return false;
    }
    return true;
  }
  void Extend(std::size_t place) {
    if (place == order_.size()) return Finish();
    for (const std::uint32_t candidate : stored_[place][rows_[order_[0]]]) {
      if (!Admits(place, candidate)) continue;
      rows_[order_[place]] = candidate;
      Extend(place + 1);
    }
  }

  void Finish() {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    UInt128 tuples = 1;
    for (std::size_t table = 0; table < rows_.size(); ++table) {
      x = x_[table](x, asked_.x[table].class_of[FirstRow(table)]);
      if (!asked_.shares) y = y_[table](y, asked_.y[table].class_of[FirstRow(table)]);
      tuples *= static_cast<UInt128>(classes_[table].rows[rows_[table]]);
    }
    tallied_.Reach(x, static_cast<std::uint32_t>(FirstRow(0)), asked_.guarded.size());
    tallied_.all += tuples;
    tallied_.tuples[x] += tuples;
    for (std::size_t i = 0; i < asked_.guarded.size(); ++i) {
      if (asked_.HasGuarded(i, linked_, FirstRow(asked_.guarded[i].table))) tallied_.guarded[x][i] += tuples;
    }
    if (asked_.shares) return;
    if (asked_.join.keys.size() == 1 && people_.empty()) {
      if (last_.size() <= x) last_.resize(x + 1, ~std::uint32_t{0});
      const std::uint32_t unit = rows_[order_[0]];
      if (last_[x] == unit) return;
      last_[x] = unit;
      tallied_.distinct[x] += static_cast<UInt128>(classes_[order_[0]].rows[unit]);
    } else if (asked_.join.keys.size() == 1) {
      for (const std::uint32_t person : people_[rows_[order_[0]]]) seen_.insert(Packed(x, person));
    } else if (!asked_.join.keys.empty()) {
      tallied_.distinct[x] += tuples;
    } else {
      seen_.insert(Packed(x, y));
    }
  }
  Tallied Done() {
    for (const std::uint64_t each : seen_) tallied_.distinct[each >> 32] += 1;
    return std::move(tallied_);
  }

  const LinkedTables& linked_;
  const Question& asked_;
  const Audits* audits_;
  std::vector<std::size_t> order_;
  std::vector<RowClasses> classes_;                              // by table
  std::vector<std::vector<std::uint32_t>> people_;               // by class of the first release
  std::vector<std::vector<std::vector<std::uint32_t>>> stored_;  // by place and class of the first release
  std::vector<std::uint32_t> rows_;                              // class chosen, by table
  std::vector<Numbering> x_;
  std::vector<Numbering> y_;
  std::vector<std::uint32_t> last_;  // by x: the unit counted last
  std::unordered_set<std::uint64_t> seen_;
  Tallied tallied_;
};

// Closed, two releases, Y of one of them: rows with the same x meet the same rows of the other release, or none. So the other
// one only tells which x occur, and Y is counted in its own release alone.
bool IsOneTable(const Question& asked, const LinkedTables& linked) {
  return asked.join.closed && asked.join.y_tables.size() == 1 && linked.tables.size() == 2;
}

Result<Tallied> CountOneTable(const LinkedTables& linked, const Question& asked, const Audits* audits, const Run& run) {
  const std::size_t own = asked.join.y_tables[0];
  const std::size_t other = 1 - own;
  const RowClasses classes = ClassesBy(linked.tables[own], internal::JoiningColumns(linked, own, other));
  const RowClasses others = ClassesBy(linked.tables[other], internal::JoiningColumns(linked, other, own));
  const PairIndex index(linked, own, classes, other, others);
  if (index.candidate_pairs() > PairIndex::kMaxPairs) {
    return Error::InvalidData("{} pairs of different rows may match, more than the {} that can be counted",
                              index.candidate_pairs(), PairIndex::kMaxPairs);
  }
  Tallied tallied;
  constexpr std::uint32_t kUnmet = ~std::uint32_t{0};
  std::vector<std::uint32_t> met(classes.size(), kUnmet);  // a row of the other release
  index.ForEach([&](std::uint32_t a, std::uint32_t b) {
    if (Excluded(audits, own, classes.first_row[a], other, others.first_row[b])) return;
    met[a] = std::min(met[a], others.first_row[b]);
    tallied.all += static_cast<UInt128>(classes.rows[a]) * static_cast<UInt128>(others.rows[b]);
  });
  if (run.Stopped()) return Error::Cancelled();
  std::vector<std::uint32_t> number(asked.x[own].size(), kUnmet);  // x that occur
  std::uint32_t next = 0;
  std::unordered_set<std::uint64_t> seen;
  const LinkedTable& table = linked.tables[own];
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    const std::uint32_t partner = met[classes.class_of[row]];
    if (partner == kUnmet) continue;
    std::uint32_t& x = number[asked.x[own].class_of[row]];
    if (x == kUnmet) x = next++;
    tallied.Reach(x, own == 0 ? static_cast<std::uint32_t>(row) : partner, asked.guarded.size());
    tallied.tuples[x] += 1;
    for (std::size_t i = 0; i < asked.guarded.size(); ++i) {
      if (asked.HasGuarded(i, linked, row)) tallied.guarded[x][i] += 1;
    }
    if (asked.shares) continue;
    if (asked.keys[own] == 0) {
      seen.insert(Packed(x, asked.y[own].class_of[row]));
    } else if (table.persons.empty()) {
      tallied.distinct[x] += 1;
    } else {
      seen.insert(Packed(x, static_cast<std::uint32_t>(table.persons[row])));
    }
  }
  for (const std::uint64_t each : seen) tallied.distinct[each >> 32] += 1;
  return tallied;
}

bool WorseMeasure(const JoinMeasure& a, const JoinMeasure& b, bool shares) {
  return shares ? a.above * b.below > b.above * a.below : a.above < b.above;
}

bool ShouldStop(const JoinMeasure& measure, const JoinSpec& spec) {
  if (const auto* anonymity = std::get_if<XyAnonymitySpec>(&spec)) return measure.above >= static_cast<UInt128>(anonymity->k);
  const Rational h = std::get<XyLinkabilitySpec>(spec).h;
  return measure.above * static_cast<UInt128>(h.denominator()) <= measure.below * static_cast<UInt128>(h.numerator());
}

JoinMeasure LowestTerms(JoinMeasure measure) {
  UInt128 a = measure.above;
  UInt128 b = measure.below;
  while (b != 0) {
    const UInt128 rest = a % b;
    a = b;
    b = rest;
  }
  return a == 0 ? measure : JoinMeasure{measure.above / a, measure.below / a};
}

struct WorstTuple {
  std::optional<JoinMeasure> measure;
  std::uint64_t row = 0;
};

WorstTuple WorstOf(const Tallied& tallied, bool shares) {
  WorstTuple worst;
  const auto take = [&](const JoinMeasure& candidate, std::size_t x) {
    const JoinMeasure lowest = LowestTerms(candidate);
    if (worst.measure && !WorseMeasure(lowest, *worst.measure, shares)) return;
    worst = {lowest, tallied.first_row[x] + std::uint64_t{1}};
  };
  for (std::size_t x = 0; x < tallied.tuples.size(); ++x) {
    if (!shares) take({tallied.distinct[x], 1}, x);
    if (shares) take({0, 1}, x);
    for (const UInt128 count : tallied.guarded[x]) take({count, tallied.tuples[x]}, x);
  }
  return worst;
}

// The current release alone, with what Y is of it.
Result<std::optional<JoinMeasure>> MeasureAlone(const LinkedTables& linked, const Question& asked, const Run& run) {
  const bool of_current = asked.shares ? std::any_of(asked.guarded.begin(), asked.guarded.end(),
                                                     [](const GuardedCell& each) { return each.table == 0; })
                                       : asked.join.y_tables == std::vector<std::size_t>{0};
  if (!of_current) return std::optional<JoinMeasure>();
  LinkedTables alone;
  alone.tables.push_back(linked.tables[0]);
  Question own;
  own.join = asked.join;
  own.shares = asked.shares;
  own.x_columns = {asked.x_columns[0]};
  own.y_columns = {asked.y_columns[0]};
  own.x = {asked.x[0]};
  own.y = {asked.y[0]};
  own.keys = {asked.keys[0]};
  for (const GuardedCell& each : asked.guarded) {
    if (each.table == 0) own.guarded.push_back(each);
  }
  CORDON_TRY(const Tallied tallied, ByCounting(alone, own, nullptr).Count(run));
  return WorstOf(tallied, asked.shares).measure;
}

Result<Audits> MakeAudits(const LinkedTables& linked, JoinVerification& made, const Run& run) {
  Audits audits(linked.tables.size());
  for (std::size_t i = 0; i < linked.tables.size(); ++i) {
    for (std::size_t j = i + 1; j < linked.tables.size(); ++j) {
      CORDON_TRY(ForcedLinks links, FindForcedLinks(linked, i, j, run));
      if (links.answer == ForcedLinks::Answer::kNotApplicable) {
        made.audit = JoinVerification::Audit::kNotApplicable;
        if (made.why_not.empty()) {
          made.why_not = fmt::format(
              "the rows of {} and {} cannot be paired one to one ({} and {} rows, {} and {} of them match nothing)",
              linked.tables[i].name, linked.tables[j].name, links.rows_a, links.rows_b, links.unmatched_a, links.unmatched_b);
        }
      } else if (links.answer == ForcedLinks::Answer::kDone && made.audit == JoinVerification::Audit::kNotNeeded) {
        made.audit = JoinVerification::Audit::kDone;
      }
      made.excluded_pairs += links.excluded_pairs;
      audits[i].push_back(std::move(links));
    }
  }
  return audits;
}

UInt128 NumTuples(const LinkedTables& linked) {
  UInt128 product = 1;
  for (const LinkedTable& table : linked.tables) product *= std::max<std::size_t>(1, table.num_rows);
  return product;
}

}  // namespace

std::string JoinMeasure::Text() const {
  const JoinMeasure lowest = LowestTerms(*this);
  return lowest.below == 1 ? fmt::format("{}", lowest.above) : fmt::format("{}/{}", lowest.above, lowest.below);
}

bool JoinVerification::holds() const {
  return std::all_of(verdicts.begin(), verdicts.end(), [](const JoinVerdict& verdict) { return verdict.holds; });
}

Result<JoinVerification> JudgeJoin(const LinkedTables& linked, std::span<const JoinSpec> specs,
                                   const std::vector<ImpossiblePairs>& impossible, const JoinOptions& options, const Run& run) {
  JoinVerification made;
  constexpr UInt128 kMaxProduct = UInt128{1} << 90;
  if (linked.tables.size() > 16 || NumTuples(linked) > kMaxProduct) {
    return Error::InvalidData("the join of {} releases is too large to be counted", linked.tables.size());
  }
  made.by_definition = NumTuples(linked) <= options.most_tuples;
  CORDON_TRY(const Audits audits, MakeAudits(linked, made, run));
  const bool paired = made.audit != JoinVerification::Audit::kNotApplicable || options.allow_unequal;
  const auto count = [&](const Question& asked, const Audits* excluded) -> Result<Tallied> {
    if (made.by_definition) return ByDefinition(linked, asked, excluded).Count();
    if (IsOneTable(asked, linked)) return CountOneTable(linked, asked, excluded, run);
    return ByCounting(linked, asked, excluded).Count(run);
  };
  for (const JoinSpec& spec : specs) {
    JoinVerdict verdict;
    verdict.spec = spec;
    verdict.text = Describe(spec);
    CORDON_TRY(const Question asked, Ask(linked, spec, impossible).WithContext("{}", ModelName(spec)));
    verdict.closed = asked.join.closed;
    CORDON_TRY(const Tallied tallied, count(asked, nullptr));
    made.tuples = tallied.all;
    const WorstTuple worst = WorstOf(tallied, asked.shares);
    verdict.join = worst.measure;
    verdict.worst_row = worst.row;
    CORDON_TRY(verdict.alone, MeasureAlone(linked, asked, run));
    if (made.excluded_pairs > 0) {
      CORDON_TRY(const Tallied left, count(asked, &audits));
      verdict.reduced = WorstOf(left, asked.shares).measure;
    }
    verdict.holds = paired;
    for (const auto& measure : {verdict.join, verdict.alone, verdict.reduced}) {
      verdict.holds = verdict.holds && (!measure || ShouldStop(*measure, spec));
    }
    made.verdicts.push_back(std::move(verdict));
    if (run.Stopped()) return Error::Cancelled();
  }
  return made;
}

std::string Explain(const JoinVerdict& verdict) {
  const auto* shares = std::get_if<XyLinkabilitySpec>(&verdict.spec);
  const auto shown = [&](const JoinMeasure& measure) {
    const std::string exact = measure.Text();
    if (shares != nullptr && exact == shares->h.ToString()) return shares->h.ToShortString();
    const bool rounded_is_longer =
        exact.ends_with("/3") || exact.ends_with("/6") || exact.ends_with("/7") || exact.ends_with("/9");
    return rounded_is_longer ? exact : Rounded(measure.above, measure.below, Rounding::kUp);
  };
  std::string text = fmt::format("{}: {}; reached {} on the join", verdict.text, verdict.holds ? "holds" : "does not hold",
                                 verdict.join ? shown(*verdict.join) : "nothing");
  if (verdict.alone) text += fmt::format(", {} in the current release alone", shown(*verdict.alone));
  if (verdict.reduced) text += fmt::format(", {} without the links that cannot be", shown(*verdict.reduced));
  if (shares != nullptr) text += fmt::format(", asked for at most {}", shares->h.ToShortString());
  if (!verdict.holds && verdict.worst_row > 0) text += fmt::format("; worst at row {}", verdict.worst_row);
  return text + (verdict.closed ? " (closed)" : " (linking)");
}

std::string Explain(const JoinVerification& made) {
  std::string text = fmt::format("{} tuples, {}; forced links: ", made.tuples,
                                 made.by_definition ? "each one judged" : "counted by distinct rows");
  switch (made.audit) {
    case JoinVerification::Audit::kNotNeeded: return text + "none are possible";
    case JoinVerification::Audit::kDone: return text + fmt::format("checked, {} pairs of rows ruled out", made.excluded_pairs);
    case JoinVerification::Audit::kNotApplicable: return text + "not applicable, " + made.why_not;
  }
  return text;
}

}  // namespace cordon::engine
