// SPDX-License-Identifier: Apache-2.0
//
// What the cells of a release mean, for its readers: publishable, next to the release. It lists the values behind a label of a
// hierarchy, and says how intervals, stars and missing cells are to be read.
//
// A label stands for the values that the policy declares below it, in every group: a list of those that occur in one group
// would tell its people's values. A value that occurs in rows that were left out or suppressed, and in no other, is not listed.
#pragma once

#include <string>

#include "cordon/base/json.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

struct CodebookFacts {
  const Policy& policy;
  const Release& release;
  const Microdata& data;    // the rows behind it; the release knows which: input_rows
  std::string output_name;  // the file's own name, no folder
  bool bounds = false;      // numbers and dates are two columns
};
Json MakeCodebook(const CodebookFacts& facts);

}  // namespace cordon::engine
