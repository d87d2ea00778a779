// SPDX-License-Identifier: Apache-2.0
//
// Which rows a search leaves out, if a policy lets it. A row that is left out counts as wholly lost, so only what costs
// the others more than that goes:
//
//   what makes it satisfiable   rows of values too frequent for any release (remaining_rows.h)
//   rare values                 each row of a value under beta-likeness or delta-disclosure needs a large group around it; a
//                               value of few rows may cost the table more than they are worth. All of its rows go, or none:
//                               the fewer stay, the larger the groups that the rest needs
//   outliers                    rows that no group of the usual size takes up for less than they lose
//
// Every candidate is settled by a search over the rows that stay, with the models measured against those rows: what comes out
// is admitted as published, and nothing in a search has to know of it. The best by loss is kept, nothing among them.
//
// Rows are left out to be dropped. Starring them never loses less: the starred rows are published, so every model has to
// admit them as a group, and as a group like any other they would show a box that is no wider than "*" everywhere.
#pragma once

#include <functional>

#include "cordon/algorithms/suppression/remaining_rows.h"
#include "cordon/base/run.h"

namespace cordon::engine {

enum class Depth {
  kTrial,  // quick: only compared with other trials
  kFull,
};

// Groups of all rows that are kept, each admitted by the model of these rows; it may drop up to `more` further ones,
// which is 0 if some model compares with the published rows.
using SearchKept = std::function<Result<Groups>(const RemainingRows& kept, Depth depth, std::uint64_t more)>;

// Drops at most `max_rows` rows, at least 1.
Result<Groups> SearchLeavingOut(const SuppressionProblem& problem, std::uint64_t max_rows, const SearchKept& search,
                                const Run& run);

}  // namespace cordon::engine
