// SPDX-License-Identifier: Apache-2.0
//
// What a table has, without a policy that asks for anything: the k, l, t, beta and delta it reaches on its quasi columns,
// each with the worst group. Done by the verifier, with requirements that cannot fail.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/models/verify/verifier.h"

namespace cordon::engine {

// A value reached and the group that has it. Values as in Verdict.
struct Reached {
  double value = 0;
  std::string text;
  std::string shown;
  std::optional<Witness> witness;  // none for a table without rows
};

struct MeasuredColumn {
  std::string sensitive;
  Reached distinct_l;
  Reached entropy_l;
  Reached recursive_c;  // least c, exclusive, of recursive (c, 2)-diversity
  Reached t_equal;
  std::optional<Reached> t_ordered;       // numbers and dates
  std::optional<Reached> t_hierarchical;  // categories with a hierarchy of more than one level
  Reached beta;                           // greatest gain (q - p) / p
  Reached delta;
  // By who has which value; only if the release tells people apart.
  std::optional<Reached> distinct_l_by_person;
  std::optional<Reached> t_equal_by_person;
  std::optional<Reached> t_ordered_by_person;  // numbers and dates
  std::optional<Reached> beta_by_person;
};

struct Measured {
  Reached k;
  std::uint64_t groups = 0;
  std::vector<MeasuredColumn> columns;  // the sensitive columns, in their order
};

// REQUIRES of the release only roles; sensitive columns without a domain are measured without order.
Result<Measured> MeasureRelease(const Release& release, const VerifyOptions& options, const Run& run);

}  // namespace cordon::engine
