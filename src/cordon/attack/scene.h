// SPDX-License-Identifier: Apache-2.0
//
// What all attacks on a release start from: the people to attack, what is known of them, and what the release shows.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/attack/candidates.h"
#include "cordon/attack/figure.h"
#include "cordon/attack/members.h"
#include "cordon/base/random.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

// Publishes a table of the same columns by the policy behind the release. An error if there is no release.
using Republish = std::function<Result<Release>(const Microdata&, std::uint64_t number)>;

struct AttackOptions {
  std::vector<std::string> known;    // empty: every quasi column
  std::uint64_t seed = 1;            // of samples and resamples; protects nothing
  std::size_t max_targets = 50'000;  // people; of more, this many are drawn
  std::size_t attempts = 2'000;      // of singling-out; people of linkability and inference
  std::size_t shadow_people = 20'000;
};

struct AttackInput {
  const Microdata& original;
  const Release& release;
  std::optional<std::vector<RowId>> row_map = std::nullopt;  // row of the original behind each released row
  const Release* second = nullptr;                           // another release of the same people
  std::span<const ModelSpec> models = {};                    // that the release satisfies
  Republish republish = {};                                  // none: attacks that need it are left out
};

struct Scene {
  const AttackInput& input;
  const AttackOptions& options;
  const Run& run;
  Random random;
  std::vector<RowId> targets = {};  // a row of the original per person
  Seen seen = {};
  std::optional<ClassIndex> index = {};  // of what is seen: a scene stays where it is
  std::vector<TargetColumn> secrets = {};
  CandidateRows candidates = {};
  std::vector<std::uint64_t> people_of_class = {};  // of all people, how many each class covers
  std::vector<double> cell_shares = {};  // class after class, per column: the share of the original that the cell covers
  std::optional<Members> members = {};   // if every quasi column is known

  const Microdata& original() const { return input.original; }
  const Release& release() const { return input.release; }
  const ClassIndex& cover() const { return *index; }
  std::span<const double> cell_shares_of(std::size_t number) const {
    return std::span(cell_shares).subspan(number * seen.columns.size(), seen.columns.size());
  }
  std::span<const ValueRows> values(std::size_t secret, std::size_t target) const {
    return candidates.values[secret][candidates.point_of[target]];
  }
  std::uint64_t rows(std::size_t target) const { return candidates.rows[candidates.point_of[target]]; }
  QuickRandom Draws(std::string_view purpose, std::uint64_t number = 0) const {
    return QuickRandom(random.Substream(purpose, number));
  }
  // Each figure draws its own resamples.
  Figure Sum(AttackName name, std::span<const Score> scores) const {
    const std::string purpose = "resample " + name.attack + " " + name.variant + " " + name.column;
    return Summarize(std::move(name), scores, Draws(purpose));
  }
};

}  // namespace cordon::engine
