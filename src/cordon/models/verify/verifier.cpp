// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/verifier.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <unordered_set>

#include "cordon/base/nearest.h"
#include "cordon/base/parallel_for.h"
#include "cordon/base/rounded.h"
#include "cordon/models/verify/join_verifier.h"
#include "cordon/models/verify/verify_internal.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kGroupsPerTask = 4096;

// Whether every model on the join was judged, and all hold.
bool HoldsOnTheJoin(const std::vector<JoinSpec>& specs, const JoinVerification* join) {
  if (specs.empty()) return true;
  if (join == nullptr || !join->holds()) return false;
  return std::all_of(specs.begin(), specs.end(), [&](const JoinSpec& spec) {
    return std::any_of(join->verdicts.begin(), join->verdicts.end(),
                       [&](const JoinVerdict& verdict) { return verdict.text == Describe(spec); });
  });
}

Error NoSuchColumn(const Release& release, const std::string& name, Role role) {
  std::vector<std::string> names;
  for (const std::size_t i : release.ColumnsOf(role)) names.push_back(release.columns[i].attribute.name);
  auto error = release.Find(name) == nullptr ? Error::InvalidPolicy("the release has no column '{}'", name)
                                             : Error::InvalidPolicy("'{}' is not a {} column", name, RoleName(role));
  if (const auto nearest = Nearest(name, names)) return std::move(error).WithHint("did you mean '{}'?", *nearest);
  return error;
}

Result<std::size_t> FindColumn(const Release& release, const std::string& name, Role role) {
  for (const std::size_t i : release.ColumnsOf(role)) {
    if (release.columns[i].attribute.name == name) return i;
  }
  return NoSuchColumn(release, name, role);
}

// The columns that make a model's groups, ascending: equal sets share a tally. A published group name tells rows apart
// like any cell an attacker knows, so it takes part in every grouping.
Result<std::vector<std::size_t>> Grouping(const Release& release, const ModelSpec& spec) {
  const std::vector<std::string> names = GroupingColumns(spec);
  std::vector<std::size_t> columns = release.ColumnsOf(Role::kGroup);
  // Permuted values belong to nobody in particular: anyone who finds a row by its exact cells learns its group.
  const auto* ke = std::get_if<KeAnonymitySpec>(&spec);
  if (ke != nullptr && !columns.empty() && release.permuted == ke->sensitive) return columns;
  if (names.empty()) {
    const std::vector<std::size_t> quasi = release.ColumnsOf(Role::kQuasi);
    columns.insert(columns.end(), quasi.begin(), quasi.end());
  }
  for (const std::string& name : names) {
    CORDON_TRY(const std::size_t column, FindColumn(release, name, Role::kQuasi));
    columns.push_back(column);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// What each text of a sensitive column means. Absent and empty cells and the domain's marker are the missing value.
struct ValueMap {
  std::vector<Code> value_of;  // by text code + 1
  Code num_values = 0;
  std::optional<Code> missing;
};

ValueMap MapTexts(const ReleaseColumn& column) {
  const Dictionary& texts = *column.text.dictionary;
  const Domain* const domain = column.attribute.domain.get();
  ValueMap map;
  map.value_of.resize(texts.size() + 1, kNull);
  if (domain == nullptr) {
    map.num_values = static_cast<Code>(texts.size()) + 1;
    map.missing = texts.Find("").value_or(static_cast<Code>(texts.size()));
    map.value_of[0] = *map.missing;
    for (std::size_t code = 0; code < texts.size(); ++code) map.value_of[code + 1] = static_cast<Code>(code);
    return map;
  }
  map.num_values = domain->size();
  map.missing = domain->missing();
  map.value_of[0] = map.missing.value_or(kNull);
  for (std::size_t code = 0; code < texts.size(); ++code) {
    const std::string_view text = texts[static_cast<Code>(code)].bytes();
    std::optional<Code> value;
    if (map.missing && domain->numeric().missing == text) value = map.missing;
    if (!value) value = domain->Encode(text);
    if (!value && text.empty()) value = map.missing;
    map.value_of[code + 1] = value.value_or(kNull);
  }
  return map;
}

struct Wanted {                        // one set of grouping columns
  std::vector<std::size_t> models;     // places in the list of specs
  std::vector<std::size_t> sensitive;  // columns of the release, each once
  std::set<std::size_t> held;          // those for which a model asks who has which value
};

// Every pair of a person and a value that some row shows, and the place of each row's own.
struct Held {
  std::vector<Holder> holders;
  Codes place_of_row;
};

Held HeldIn(const Release& release, const Codes& texts, const ValueMap& map, const Run& run) {
  const auto pair_of = [&](std::size_t row) { return std::pair(release.persons[row], map.value_of[texts[row] + 1]); };
  std::vector<std::pair<Code, Code>> pairs(release.num_rows);
  for (std::size_t row = 0; row < release.num_rows; ++row) pairs[row] = pair_of(row);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  Held held;
  for (const auto& [person, value] : pairs) held.holders.push_back({person, value});
  held.place_of_row = Codes::Generate(release.num_rows, run.threads, [&](std::size_t row) {
    return static_cast<Code>(std::lower_bound(pairs.begin(), pairs.end(), pair_of(row)) - pairs.begin());
  });
  return held;
}

// The rows are a shard: a reader knows the distribution of the whole table, of which no value can be rarer.
Result<void> TakeWhole(const std::vector<std::int64_t>& whole, SensitiveFacts& facts) {
  bool part = whole.size() == facts.counts.size();
  for (std::size_t value = 0; part && value < whole.size(); ++value) part = facts.counts[value] <= whole[value];
  if (!part) return Error::InvalidData("column '{}' has values more often than the table that it is a shard of", facts.name);
  facts.counts = whole;
  facts.rows = 0;
  for (const std::int64_t rows : whole) facts.rows += rows;
  return {};
}

// The column over all published rows, exempt or not: that is what a reader of the release knows of everybody.
Result<SensitiveFacts> FactsOf(const ReleaseColumn& column, const ValueMap& map) {
  SensitiveFacts facts{column.attribute.name,
                       column.attribute.domain,
                       column.text.dictionary,
                       map.missing,
                       std::vector<std::int64_t>(static_cast<std::size_t>(map.num_values)),
                       0};
  const Codes& codes = column.text.codes;
  for (std::size_t chunk = 0; chunk < codes.num_chunks(); ++chunk) {
    for (const Code code : codes.chunk(chunk)) {
      const Code value = map.value_of[code + 1];
      ++facts.rows;
      if (value == kNull) {
        return Error::InvalidData("row {}: the cell of column '{}' is not a value of its domain", facts.rows, facts.name)
            .WithHint(
                "sensitive cells are published as they are; check the column's type, hierarchy, values and missing markers");
      }
      ++facts.counts[value];
    }
  }
  if (column.attribute.whole != nullptr) CORDON_RETURN_IF_ERROR(TakeWhole(*column.attribute.whole, facts));
  return facts;
}

Result<Evidence> Gather(const Release& release, const std::vector<std::size_t>& grouping, const Wanted& wanted,
                        const VerifyOptions& options, const Run& run) {
  TallyPlan plan(release, grouping);
  if (options.exempt_suppressed) plan.ExemptStars(release, release.ColumnsOf(Role::kQuasi));
  std::vector<SensitiveFacts> columns;
  std::deque<Codes> places;  // the plan refers to them
  for (const std::size_t i : wanted.sensitive) {
    const ReleaseColumn& column = release.columns[i];
    ValueMap map = MapTexts(column);
    CORDON_TRY(SensitiveFacts facts, FactsOf(column, map));
    if (options.whole != nullptr) {
      facts.counts = options.whole->values.at(facts.name);
      facts.rows = options.whole->rows;
    }
    if (wanted.held.contains(i)) {
      Held held = HeldIn(release, column.text.codes, map, run);
      facts.holders = std::move(held.holders);
      places.push_back(std::move(held.place_of_row));
    }
    columns.push_back(std::move(facts));
    plan.AddHistogram(column.text.codes, std::move(map.value_of), map.num_values);
  }
  const bool persons = !release.persons.empty();
  if (persons) plan.AddHistogram(release.persons, {}, 0);
  for (const Codes& place_of_row : places) plan.AddHistogram(place_of_row, {}, 0);

  CORDON_TRY(Tally tally, Tally::CountAll(plan, run));
  return Evidence(std::move(tally), std::move(columns), persons);
}

// The worst of some groups.
struct Worst {
  bool any = false;
  std::size_t group = 0;
  Measure value;

  void Take(std::size_t candidate, const Measure& its_value, bool smaller_is_worse) {
    const int order = any ? Measure::Compare(its_value, value) : 0;
    if (!any || (smaller_is_worse ? order < 0 : order > 0)) *this = {true, candidate, its_value};
  }
};

struct Partial {
  Worst worst;
  Worst worst_failing;
  std::uint64_t failing = 0;
  std::uint64_t failing_rows = 0;
  std::vector<std::size_t> failing_groups;
};

// A person may be in several of the groups.
std::uint64_t PeopleIn(const Evidence& evidence, const std::vector<Partial>& partials) {
  std::unordered_set<Code> people;
  for (const Partial& partial : partials) {
    for (const std::size_t group : partial.failing_groups) {
      for (const Tally::Entry& entry : evidence.people(group)) people.insert(entry.value);
    }
  }
  return people.size();
}

// A value in its final form, the judge's common denominator included.
struct Told {
  double number;
  std::string text;
  std::string shown;
};

// What a model asks for, if it is not a whole number.
struct Asked {
  const char* how = "";
  std::optional<Rational> bound = {};
  std::string more = {};
};

struct AskedOfModel {
  static constexpr const char* kAtMost = "at most";
  static constexpr const char* kBelow = "below";

  Asked operator()(const auto&) const { return {}; }
  Asked operator()(const LDiversitySpec& m) const {
    if (m.kind == LDiversitySpec::Kind::kDistinct) return {};
    return m.kind == LDiversitySpec::Kind::kEntropy ? Asked{"at least", m.l} : Asked{kBelow, m.c};
  }
  Asked operator()(const TClosenessSpec& m) const { return {kAtMost, m.t}; }
  Asked operator()(const WindowClosenessSpec& m) const { return {kAtMost, m.t}; }
  Asked operator()(const BetaLikenessSpec& m) const { return Gain(m.beta, m.kind); }
  Asked operator()(const WindowLikenessSpec& m) const { return Gain(m.beta, m.kind); }
  Asked operator()(const DeltaDisclosureSpec& m) const { return {kBelow, m.delta}; }
  Asked operator()(const AlphaKSpec& m) const { return {kAtMost, m.alpha, fmt::format(", k={}", m.k)}; }
  Asked operator()(const ConfidenceSpec& m) const { return {kAtMost, m.h}; }

  static Asked Gain(const Rational& beta, BetaLikenessSpec::Kind kind) {
    return {kAtMost, beta, kind == BetaLikenessSpec::Kind::kEnhanced ? ", less for frequent values" : ""};
  }
};

Asked AskedOf(const ModelSpec& spec) { return std::visit(AskedOfModel(), spec); }

// A real number is computed with an error in its last digits, which must not make a value that holds look like one that fails.
std::string ShownReal(double number, Rounding rounding, bool holds) {
  constexpr double kUnit = 1e4;
  constexpr double kMaxShown = 1e15;
  if (number > kMaxShown) return fmt::format("{:.6g}", number);
  const double slack = holds ? 1e-6 : 0;
  const double scaled = rounding == Rounding::kUp ? std::ceil(number * kUnit - slack) : std::floor(number * kUnit + slack);
  return Rounded(static_cast<UInt128>(std::max(scaled, 0.0)), static_cast<UInt128>(kUnit), rounding);
}

double NumberOf(const Measure& value, UInt128 common) {
  if (value.is_real) return static_cast<double>(value.real);
  if (value.denominator == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(static_cast<long double>(value.numerator) / static_cast<long double>(value.denominator * common));
}

Told Tell(const Measure& value, const GroupJudge& judge, const Verdict& verdict) {
  const UInt128 common = judge.common_denominator();
  const Rounding rounding = judge.smaller_is_worse() ? Rounding::kDown : Rounding::kUp;
  const double number = NumberOf(value, common);
  if (std::isinf(number)) return {number, "infinite", "infinite"};
  if (value.is_real) return {number, fmt::format("{:.6g}", number), ShownReal(number, rounding, verdict.holds)};
  UInt128 top = value.numerator;
  UInt128 bottom = value.denominator * common;  // below 2^96
  UInt128 a = top;
  UInt128 b = bottom;
  while (b != 0) {
    const UInt128 rest = a % b;
    a = b;
    b = rest;
  }
  top /= a;
  bottom /= a;
  const std::string exact = bottom == 1 ? fmt::format("{}", top) : fmt::format("{}/{}", top, bottom);
  const auto bound = AskedOf(verdict.spec).bound;  // reached exactly, it is written as the policy writes it
  return {number, exact, bound && bound->ToString() == exact ? bound->ToShortString() : Rounded(top, bottom, rounding)};
}

void JudgeGroups(const GroupJudge& judge, const Evidence& evidence, const VerifyOptions& options, const Run& run,
                 Verdict& verdict) {
  const std::size_t groups = evidence.num_groups();
  std::vector<Partial> partials(NumChunks(groups, kGroupsPerTask));
  if (options.keep_per_group) verdict.per_group.resize(groups);
  const bool tells_people = evidence.knows_people() && !judge.counts_rows();
  ParallelFor(run.threads, groups, kGroupsPerTask, [&](std::size_t task, std::size_t begin, std::size_t end) {
    Partial& partial = partials[task];
    for (std::size_t group = begin; group < end; ++group) {
      const Finding finding = judge.Judge(evidence, group);
      partial.worst.Take(group, finding.value, judge.smaller_is_worse());
      if (!finding.holds) {
        ++partial.failing;
        partial.failing_rows += static_cast<std::uint64_t>(evidence.rows(group));
        if (tells_people) partial.failing_groups.push_back(group);
        partial.worst_failing.Take(group, finding.value, judge.smaller_is_worse());
      }
      if (options.keep_per_group) verdict.per_group[group] = NumberOf(finding.value, judge.common_denominator());
    }
  });
  Partial all;
  for (const Partial& partial : partials) {
    all.failing += partial.failing;
    all.failing_rows += partial.failing_rows;
    all.worst.Take(partial.worst.group, partial.worst.value, judge.smaller_is_worse());
    if (partial.worst_failing.any)
      all.worst_failing.Take(partial.worst_failing.group, partial.worst_failing.value, judge.smaller_is_worse());
  }
  verdict.failing_groups = all.failing;
  verdict.failing_rows = all.failing_rows;
  if (tells_people) verdict.failing_people = PeopleIn(evidence, partials);
  verdict.holds = all.failing == 0;
  const Told told = Tell(all.worst.value, judge, verdict);
  verdict.reached = told.number;
  verdict.reached_text = told.text + judge.Note(evidence, GroupJudge::Numbers::kExact);
  verdict.reached_shown = told.shown + judge.Note(evidence, GroupJudge::Numbers::kShown);
  const std::size_t witness = all.worst_failing.any ? all.worst_failing.group : all.worst.group;
  verdict.witness = Witness{evidence.first_row(witness) + 1, static_cast<std::uint64_t>(evidence.rows(witness))};
}

// Whether the model could count people instead.
bool CouldCountPersons(const ModelSpec& spec) {
  return std::visit(
      [](const auto& each) {
        if constexpr (requires { each.counts; }) {
          auto by_persons = each;
          by_persons.counts = CountBy::kPersons;
          return Validate(by_persons).ok();
        } else {
          return false;
        }
      },
      spec);
}

std::vector<std::string> PersonWarnings(const ModelSpec& spec, const Evidence& evidence) {
  std::size_t groups = 0;
  for (std::size_t group = 0; group < evidence.num_groups(); ++group)
    groups += evidence.persons(group) < evidence.rows(group) ? 1 : 0;
  if (groups == 0) return {};
  return {fmt::format("in {} of {} groups a person has several rows: one person's rows can make a group look diverse; {}",
                      groups, evidence.num_groups(),
                      CouldCountPersons(spec) ? "set counts = \"persons\" to count people" : "this model counts rows only")};
}

Result<Verdict> JudgeModel(const ModelSpec& spec, const Evidence& evidence, const VerifyOptions& options, const Run& run) {
  Verdict verdict;
  verdict.spec = spec;
  verdict.text = Describe(spec);
  CORDON_TRY(const std::unique_ptr<const GroupJudge> judge,
             std::visit([&](const auto& each) { return MakeJudge(each, evidence); }, spec).WithContext("{}", ModelName(spec)));
  if (evidence.num_groups() == 0) {  // nothing is said about anybody
    verdict.holds = true;
    verdict.reached_text = "nothing";
    verdict.reached_shown = verdict.reached_text;
    return verdict;
  }
  verdict.less_is_worse = judge->smaller_is_worse();
  JudgeGroups(*judge, evidence, options, run, verdict);
  verdict.warnings = judge->Warnings(evidence);
  if (judge->counts_rows()) {
    for (std::string& warning : PersonWarnings(spec, evidence)) verdict.warnings.push_back(std::move(warning));
  }
  return verdict;
}

}  // namespace

std::optional<Code> SensitiveFacts::Find(const std::string& text) const {
  if (domain == nullptr) return texts->Find(text);
  if (missing && domain->numeric().missing == text) return missing;
  return domain->Encode(text);
}

Evidence::Evidence(Tally tally, std::vector<SensitiveFacts> columns, bool persons)
    : tally_(std::move(tally)), columns_(std::move(columns)), persons_(persons) {}

std::vector<Holder> Evidence::holders(std::size_t column, std::size_t group) const {
  std::size_t histogram = columns_.size() + (persons_ ? 1 : 0);
  for (std::size_t i = 0; i < column; ++i) histogram += columns_[i].holders.empty() ? 0 : 1;
  std::vector<Holder> found;
  for (const Tally::Entry& entry : tally_.histogram(histogram, group)) {
    const Holder& holder = columns_[column].holders[entry.value];
    found.push_back({holder.person, holder.value, entry.count});
  }
  return found;
}

HeldValues HeldValuesOf(std::span<const Holder> holders) {
  HeldValues held;
  std::map<Code, std::uint32_t> counts;
  for (std::size_t i = 0; i < holders.size();) {
    std::int64_t rows = 0;
    for (const Code person = holders[i].person; i < holders.size() && holders[i].person == person; ++i) {
      rows += holders[i].rows;
      ++counts[holders[i].value];
    }
    ++held.people;
    ++held.people_by_rows[rows];
  }
  for (const auto& [value, count] : counts) held.values.push_back({value, count});
  return held;
}

Int128 HeldValues::Unexpected(std::int64_t set_rows, std::int64_t whole_rows) const {
  Int128 unexpected = 0;
  for (const auto& [rows, number] : people_by_rows) {
    const Int128 left = whole_rows - static_cast<Int128>(rows) * set_rows;
    if (left > 0) unexpected += left * number;
  }
  return unexpected;
}

std::size_t Evidence::Find(const std::string& column) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == column) return i;
  }
  CORDON_CHECK(false);
  return 0;
}

int Measure::Compare(const Measure& a, const Measure& b) {
  CORDON_CHECK_EQ(a.is_real, b.is_real);
  if (a.is_real) return a.real < b.real ? -1 : (a.real > b.real ? 1 : 0);
  const UInt128 left = a.numerator * b.denominator;
  const UInt128 right = b.numerator * a.denominator;
  return left < right ? -1 : (left > right ? 1 : 0);
}

std::string AskedFor(const Verdict& verdict) {
  const Asked asked = AskedOf(verdict.spec);
  if (!asked.bound || !verdict.witness) return "";
  return fmt::format(", asked for {} {}{}", asked.how, asked.bound->ToShortString(), asked.more);
}

std::string Explain(const Verdict& verdict) {
  std::string text =
      fmt::format("{}: {}; reached {}", verdict.text, verdict.holds ? "holds" : "does not hold", verdict.reached_shown);
  if (!verdict.holds && verdict.witness) text += fmt::format(" in the group of row {}", verdict.witness->first_row);
  text += AskedFor(verdict);
  if (verdict.failing_groups > 0) {
    const std::uint64_t people = verdict.failing_people.value_or(0);
    text += fmt::format("; {} group{} with {} row{}{} fail{}", verdict.failing_groups, verdict.failing_groups == 1 ? "" : "s",
                        verdict.failing_rows, verdict.failing_rows == 1 ? "" : "s",
                        people == 0 ? "" : fmt::format(" of {} {}", people, people == 1 ? "person" : "people"),
                        verdict.failing_groups == 1 ? "s" : "");
  }
  return text;
}

Verifier::Verifier(std::vector<ModelSpec> specs, VerifyOptions options, std::vector<JoinSpec> join_specs)
    : specs_(std::move(specs)), options_(options), join_specs_(std::move(join_specs)) {}

Result<std::vector<Verdict>> Verifier::Judge(const Release& release, const Run& run) const {
  if (release.num_rows >= std::numeric_limits<std::uint32_t>::max()) {
    return Error::InvalidData("the release has {} rows, more than {} cannot be judged at once", release.num_rows,
                              std::numeric_limits<std::uint32_t>::max() - 1);
  }
  const auto by_person = std::find_if(specs_.begin(), specs_.end(), CountsPersons);
  if (by_person != specs_.end() && release.persons.empty() && release.num_rows > 0) {
    return Error::InvalidPolicy("{} counts people, and it is not known whose the rows are", Describe(*by_person));
  }
  // 1. Models with the same grouping columns share one count.
  std::map<std::vector<std::size_t>, Wanted> groupings;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    CORDON_TRY(std::vector<std::size_t> grouping, Grouping(release, specs_[i]).WithContext("{}", ModelName(specs_[i])));
    Wanted& wanted = groupings[std::move(grouping)];
    wanted.models.push_back(i);
    for (const std::string& name : SensitiveColumns(specs_[i])) {
      CORDON_TRY(const std::size_t column, FindColumn(release, name, Role::kSensitive).WithContext("{}", ModelName(specs_[i])));
      if (std::find(wanted.sensitive.begin(), wanted.sensitive.end(), column) == wanted.sensitive.end())
        wanted.sensitive.push_back(column);
      if (CountsPersons(specs_[i])) wanted.held.insert(column);
    }
  }
  // 2. Count, then judge.
  std::vector<Verdict> verdicts(specs_.size());
  for (const auto& [grouping, wanted] : groupings) {
    CORDON_TRY(const Evidence evidence, Gather(release, grouping, wanted, options_, run));
    for (const std::size_t i : wanted.models) {
      if (run.Stopped()) return Error::Cancelled();
      CORDON_TRY(verdicts[i], JudgeModel(specs_[i], evidence, options_, run));
    }
  }
  return verdicts;
}

Result<void> Verifier::Count(const Release& part, WholeCounts& whole) const {
  std::set<std::string> names;
  for (const ModelSpec& spec : specs_) {
    for (const std::string& name : SensitiveColumns(spec)) names.insert(name);
  }
  for (const std::string& name : names) {
    CORDON_TRY(const std::size_t column, FindColumn(part, name, Role::kSensitive));
    CORDON_TRY(const SensitiveFacts facts, FactsOf(part.columns[column], MapTexts(part.columns[column])));
    std::vector<std::int64_t>& counts = whole.values[name];
    counts.resize(std::max(counts.size(), facts.counts.size()));
    for (std::size_t value = 0; value < facts.counts.size(); ++value) counts[value] += facts.counts[value];
  }
  whole.rows += static_cast<std::int64_t>(part.num_rows);
  return {};
}

Result<VerifiedRelease> Verifier::Accept(Release release, const Run& run, std::vector<Verdict>* verdicts,
                                         const JoinVerification* join) const {
  CORDON_TRY(std::vector<Verdict> judged, Judge(release, run));
  const auto failed = std::find_if(judged.begin(), judged.end(), [](const Verdict& verdict) { return !verdict.holds; });
  std::optional<Error> refusal;
  if (failed != judged.end()) {
    refusal = Error::Unsatisfiable("{}", Explain(*failed));
  } else if (!HoldsOnTheJoin(join_specs_, join)) {
    refusal =
        Error::Unsatisfiable("the release was not written: it was not found safe to join with what was published before")
            .WithHint("cordon release-next makes one that is; a saved recoding and a permuted column are not made for it");
  }
  if (verdicts != nullptr) *verdicts = std::move(judged);
  if (refusal) return *std::move(refusal);
  return VerifiedRelease(std::move(release));
}

}  // namespace cordon::engine
