// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/attack.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cordon/attack/attacks.h"
#include "cordon/attack/sample.h"
#include "cordon/base/nearest.h"

namespace cordon::engine {
namespace {

bool MayBeKnown(const Microdata& original, const Release& release, const MicrodataColumn& column) {
  const Role role = column.attribute.role;
  if (role == Role::kQuasi) return true;
  if (role != Role::kInsensitive && role != Role::kClass) return false;
  return original.Find(column.attribute.name) && release.Find(column.attribute.name) != nullptr;
}

Result<std::vector<std::string>> KnownColumns(const AttackInput& input, const AttackOptions& options) {
  std::vector<std::string> quasi;
  std::vector<std::string> allowed;
  for (const MicrodataColumn& column : input.original.columns) {
    if (column.attribute.role == Role::kQuasi) quasi.push_back(column.attribute.name);
    if (MayBeKnown(input.original, input.release, column)) allowed.push_back(column.attribute.name);
  }
  for (const std::string& name : options.known) {
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) {
      if (std::count(options.known.begin(), options.known.end(), name) == 1) continue;
      return Error::InvalidPolicy("--known names '{}' twice", name);
    }
    if (const auto index = input.original.Find(name);
        index && input.original.columns[*index].attribute.role == Role::kSensitive) {
      return Error::InvalidPolicy("--known: '{}' is sensitive: it is what the attacker is after", name)
          .WithHint("a column that attackers know is a quasi column; known may be: {}", fmt::join(allowed, ", "));
    }
    Error error = Error::InvalidPolicy("--known: the release has no column '{}' that an attacker could know", name);
    if (const auto near = Nearest(name, allowed)) return std::move(error).WithHint("did you mean '{}'?", *near);
    return std::move(error).WithHint("known may be: {}", fmt::join(allowed, ", "));
  }
  if (!options.known.empty()) return options.known;
  if (quasi.empty()) {
    return Error::InvalidPolicy("the policy has no quasi column, so nothing is known of people")
        .WithHint("name columns that are published as they are by --known");
  }
  return quasi;
}

Result<void> CheckInput(const AttackInput& input, const AttackOptions& options) {
  if (options.max_targets == 0) return Error::InvalidPolicy("--max-targets must be at least 1");
  if (input.original.num_rows == 0) return Error::InvalidData("the original has no rows: nobody can be attacked");
  if (input.release.num_rows == 0) return Error::InvalidData("the release has no rows: there is nothing to attack");
  for (const Release* release : {&input.release, input.second}) {
    if (release == nullptr || release->permuted.empty()) continue;
    return Error::InvalidData("the release is permuted: '{}' was shuffled inside its groups, and attack does not read that",
                              release->permuted)
        .WithHint("attack reads releases of anonymize with other models than ke-anonymity");
  }
  return {};
}

// The first row of each person.
std::vector<RowId> RowPerPerson(const Microdata& original) {
  std::vector<RowId> rows;
  std::vector<bool> seen(original.persons.empty() ? 0 : original.num_persons);
  for (std::size_t row = 0; row < original.num_rows; ++row) {
    if (!seen.empty()) {
      if (seen[original.persons[row]]) continue;
      seen[original.persons[row]] = true;
    }
    rows.push_back(static_cast<RowId>(row));
  }
  return rows;
}

bool KnowsAllQuasi(const Microdata& original, const std::vector<std::string>& known) {
  return std::all_of(original.columns.begin(), original.columns.end(), [&](const MicrodataColumn& column) {
    return column.attribute.role != Role::kQuasi || std::find(known.begin(), known.end(), column.attribute.name) != known.end();
  });
}

// Nine decimals: sums in another order differ after that.
double Shown(double value) { return std::round(value * 1e9) / 1e9 + 0.0; }

Json ShareJson(const Share& share) {
  return {{"value", Shown(share.value)}, {"interval", {Shown(share.interval.lo), Shown(share.interval.hi)}}};
}

std::string Line(const std::string& title, const std::string& right, const std::string& interval, const std::string& without,
                 const std::string& simpler, const std::string& guessed, const std::string& sure) {
  std::string line =
      fmt::format("{:<46}{:>8}{:>15}{:>10}{:>10}   {:<26}{}", title, right, interval, without, simpler, guessed, sure);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string LineOf(const Figure& figure) {
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  const Interval& interval = figure.share.interval;
  return Line(Title(figure.name), percent(figure.share.value),
              fmt::format("{:.1f} to {:.1f}", 100 * interval.lo, 100 * interval.hi), percent(figure.baseline.value),
              figure.reference_name.empty() ? "" : percent(figure.reference),
              fmt::format("{} of {} {}", figure.guesses, figure.targets, figure.name.counts),
              figure.sure == 0 ? "0" : fmt::format("{}, {} right", figure.sure, figure.sure_right));
}

struct KnownAttack {
  const char* name;
  Result<Attacked> (*run)(const Scene&);
  bool of_values;  // needs a sensitive column
};

constexpr std::array kAttacks = {
    KnownAttack{"linkage", Linkage, false},
    KnownAttack{"homogeneity", Homogeneity, true},
    KnownAttack{"skewness", Skewness, true},
    KnownAttack{"background", Background, true},
    KnownAttack{"bayes", Bayes, true},
    KnownAttack{"definetti", DeFinetti, true},
    KnownAttack{"minimality, cuts", MinimalityByCuts, true},
    KnownAttack{"minimality, algorithm", MinimalityByAlgorithm, true},
    KnownAttack{"intersection", Intersection, true},
    KnownAttack{"membership", Membership, false},
    KnownAttack{"singling-out", SinglingOut, false},
    KnownAttack{"linkability", Linkability, false},
    KnownAttack{"inference", Inference, false},
};

}  // namespace

Result<AttackReport> RunAttacks(const AttackInput& input, const AttackOptions& options, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckInput(input, options));
  CORDON_TRY(const std::vector<std::string> known, KnownColumns(input, options));
  const std::vector<RowId> people = RowPerPerson(input.original);
  Scene scene{input, options, run, Random::FromSeed(options.seed)};
  QuickRandom draws = scene.Draws("targets");
  for (const std::size_t i : SampleNumbers(people.size(), options.max_targets, draws)) scene.targets.push_back(people[i]);
  CORDON_TRY(scene.seen, SeeRelease(input.original, input.release, known, run));
  scene.index.emplace(scene.seen);
  CORDON_TRY(scene.secrets, SecretsOf(input.original, input.release, run));
  CORDON_TRY(scene.candidates, FindCandidates(scene.seen, scene.cover(), scene.secrets, scene.targets, run));
  scene.people_of_class = scene.candidates.people_of_class;
  if (scene.targets.size() < people.size()) {
    CORDON_TRY(CandidateRows all, FindCandidates(scene.seen, scene.cover(), {}, people, run));
    scene.people_of_class = std::move(all.people_of_class);
  }
  scene.cell_shares = CellShares(scene.seen, input.original.num_rows);
  if (KnowsAllQuasi(input.original, known) && !input.original.ColumnsOf(Role::kQuasi).empty()) {
    CORDON_TRY(scene.members, FindMembers(input.original, input.release, input.row_map, run));
  }

  AttackReport report;
  report.rows = input.release.num_rows;
  report.people = people.size();
  report.targets = scene.targets.size();
  report.placed = scene.members ? scene.members->placed : 0;
  report.seed = options.seed;
  report.known = known;
  for (const KnownAttack& attack : kAttacks) {
    if (run.Stopped()) return Error::Cancelled();
    run.Report(attack.name, 0, 0);
    if (attack.of_values && scene.secrets.empty()) {
      report.left_out.push_back({attack.name, "the policy has no sensitive column"});
      continue;
    }
    CORDON_TRY(Attacked made, attack.run(scene));
    for (Figure& figure : made.figures) report.figures.push_back(std::move(figure));
    if (!made.left_out.empty()) report.left_out.push_back({attack.name, made.left_out});
  }
  return report;
}

std::string Title(const AttackName& name) {
  std::string title = name.attack;
  if (!name.variant.empty()) title += ", " + name.variant;
  if (!name.column.empty()) title += ": " + name.column;
  return title;
}

Json ToJson(const AttackReport& report) {
  Json json = {{"format", 1},
               {"rows", report.rows},
               {"people", report.people},
               {"targets", report.targets},
               {"placed", report.placed},
               {"known", report.known},
               {"seed", report.seed},
               {"attacks", Json::array()},
               {"left_out", Json::array()}};
  for (const Figure& figure : report.figures) {
    Json each = {{"attack", figure.name.attack},   {"variant", figure.name.variant},   {"column", figure.name.column},
                 {"counts", figure.name.counts},   {"targets", figure.targets},        {"guesses", figure.guesses},
                 {"right", Shown(figure.right)},   {"share", ShareJson(figure.share)}, {"baseline", ShareJson(figure.baseline)},
                 {"gain", ShareJson(figure.gain)}, {"highest", figure.highest},        {"sure", figure.sure},
                 {"sure_right", figure.sure_right}};
    if (figure.exact) each["right"] = static_cast<std::uint64_t>(figure.right);
    if (!figure.reference_name.empty()) each["reference"] = {{"name", figure.reference_name}, {"share", figure.reference}};
    json["attacks"].push_back(std::move(each));
  }
  for (const LeftOut& each : report.left_out) json["left_out"].push_back({{"attack", each.attack}, {"why", each.why}});
  return json;
}

std::string Describe(const AttackReport& report) {
  std::string text = fmt::format("{} of {} people attacked, in {} released rows; known of them: {}\n", report.targets,
                                 report.people, report.rows, fmt::join(report.known, ", "));
  text += "What an attacker gets right; without: the guess without the release; simpler: by the most frequent value;\n";
  text += "sure: guesses with a belief of 0.9 or more.\n\n";
  text += Line("", "right", "95 % interval", "without", "simpler", "guessed", "sure");
  for (const Figure& figure : report.figures) text += LineOf(figure);
  if (!report.left_out.empty()) text += "\nnot run:\n";
  for (const LeftOut& each : report.left_out) text += fmt::format("  {}: {}\n", each.attack, each.why);
  text += "\nAn attack that finds little proves nothing about other attacks. docs/attack.md says what each one assumes.\n";
  return text;
}

}  // namespace cordon::engine
