// SPDX-License-Identifier: Apache-2.0
//
// A release about people of whom something was published before: joining it with all previous releases keeps what the policy
// asks of the join (models xy-anonymity and xy-linkability).
#pragma once

#include <vector>

#include "cordon/anonymize.h"

namespace cordon {

struct ReleaseNextOptions {
  bool allow_unequal = false;      // the releases need not list the same people; forced links are not audited then
  bool allow_dangling = false;     // rows may match nothing in another release
  bool through_violation = false;  // searches on if the most general release violates
  std::string registry = {};       // of releases (cordon/registry.h): `Release::Write` enters it there; empty: none
  std::string person_key = {};     // file of the key by which the registry knows people; empty: it does not
  RunOptions run = {};
};

// `previous` may be empty if there is a registry: then all releases that it lists of the population are taken.
CORDON_API Result<Release> ReleaseNext(const Input& input, const std::vector<Input>& previous, const Policy& policy,
                                       const ReleaseNextOptions& options = {});

}  // namespace cordon
