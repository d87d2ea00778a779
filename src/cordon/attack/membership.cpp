// SPDX-License-Identifier: Apache-2.0
//
// Shadow tables: half of some people are published, and the attacker says who. He learns on one such release what members
// look like, and is judged on a second one.
#include <algorithm>
#include <bit>
#include <map>

#include "cordon/attack/attacks.h"
#include "cordon/attack/sample.h"

namespace cordon::engine {
namespace {

// A table of some rows, each a separate person.
Microdata SomeRows(const Microdata& data, std::span<const RowId> rows) {
  const auto pick = [&](const Codes& codes) {
    if (codes.empty()) return Codes();
    return Codes::Generate(rows.size(), 1, [&](std::size_t row) { return codes[rows[row]]; });
  };
  Microdata some;
  some.num_rows = rows.size();
  some.num_persons = rows.size();
  for (const MicrodataColumn& column : data.columns) {
    some.columns.push_back(
        {column.attribute, pick(column.codes), {column.text.name, column.text.dictionary, pick(column.text.codes)}});
  }
  return some;
}

// What he sees of a person: candidates with the person's value, and all candidates; large numbers by their size alone.
using Sight = std::pair<std::size_t, std::size_t>;

Sight SightOf(std::uint64_t with_value, std::uint64_t all) {
  const auto coarse = [](std::uint64_t rows) { return rows < 8 ? rows : 4 + std::bit_width(rows); };
  return {coarse(with_value), static_cast<std::size_t>(std::bit_width(all))};
}

struct Shadow {
  std::vector<Sight> sights;  // by person
  std::vector<bool> member;
};

Result<Shadow> MakeShadow(const Scene& scene, const std::vector<RowId>& people, std::uint64_t number) {
  QuickRandom random = scene.Draws("shadow", number);
  const std::vector<std::size_t> inside = SampleNumbers(people.size(), people.size() / 2, random);
  Shadow shadow;
  shadow.member.resize(people.size());
  std::vector<RowId> rows;
  for (const std::size_t i : inside) {
    shadow.member[i] = true;
    rows.push_back(people[i]);
  }
  CORDON_TRY(const Release release, scene.input.republish(SomeRows(scene.original(), rows), number));
  std::vector<std::string> known;
  for (const KnownColumn& column : scene.seen.columns) known.push_back(column.name);
  CORDON_TRY(const Seen seen, SeeRelease(scene.original(), release, known, scene.run));
  CORDON_TRY(std::vector<TargetColumn> secrets, SecretsOf(scene.original(), release, scene.run));
  if (secrets.size() > 1) secrets.resize(1);
  CORDON_TRY(const CandidateRows found, FindCandidates(seen, ClassIndex(seen), secrets, people, scene.run));
  for (std::size_t i = 0; i < people.size(); ++i) {
    const std::uint64_t all = found.rows[found.point_of[i]];
    std::uint64_t with_value = all;
    if (!secrets.empty()) {
      const Code truth = (*secrets[0].truth)[people[i]];
      with_value = 0;
      for (const ValueRows& each : found.values[0][found.point_of[i]]) with_value += each.value == truth ? each.rows : 0;
    }
    shadow.sights.push_back(SightOf(with_value, all));
  }
  return shadow;
}

}  // namespace

Result<Attacked> Membership(const Scene& scene) {
  if (!scene.input.republish) return Attacked{{}, "the policy alone does not make a table"};
  QuickRandom random = scene.Draws("shadow people");
  std::vector<RowId> people;
  for (const std::size_t i : SampleNumbers(scene.targets.size(), scene.options.shadow_people, random)) {
    people.push_back(scene.targets[i]);
  }
  if (people.size() % 2 == 1) people.pop_back();  // exactly half are members
  if (people.empty()) return Attacked{{}, "there are too few people"};
  std::vector<Shadow> shadows;
  for (const std::uint64_t number : {1, 2}) {
    Result<Shadow> shadow = MakeShadow(scene, people, number);
    if (!shadow.ok() && shadow.error().kind() != ErrorKind::kCancelled) {
      return Attacked{{}, "half of the people cannot be published by this policy"};
    }
    CORDON_TRY(Shadow made, std::move(shadow));
    shadows.push_back(std::move(made));
  }
  struct Learned {
    std::uint64_t members = 0;
    std::uint64_t others = 0;
  };
  std::map<Sight, Learned> learned;
  for (std::size_t i = 0; i < people.size(); ++i) {
    Learned& counts = learned[shadows[0].sights[i]];
    ++(shadows[0].member[i] ? counts.members : counts.others);
  }
  std::vector<Score> scores;
  for (std::size_t i = 0; i < people.size(); ++i) {
    const auto at = learned.find(shadows[1].sights[i]);
    const Learned counts = at == learned.end() ? Learned{} : at->second;
    // A sight that he has not learned about: with no candidate of the value, the person is not in it.
    const bool unknown = counts.members == counts.others;
    const bool says = unknown ? shadows[1].sights[i].first > 0 : counts.members > counts.others;
    const double belief = static_cast<double>(std::max(counts.members, counts.others) + 1) /
                          static_cast<double>(counts.members + counts.others + 2);
    scores.push_back({says == shadows[1].member[i] ? 1.0 : 0.0, 0.5, belief});
  }
  return Attacked{{scene.Sum({"membership", "shadow tables"}, scores)}};
}

}  // namespace cordon::engine
