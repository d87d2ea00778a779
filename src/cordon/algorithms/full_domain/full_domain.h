// SPDX-License-Identifier: Apache-2.0
//
// Full-domain recoding: one level of generalization for each quasi column, the same for all rows; of all such choices
// the one that loses least.
//
// Guarantee   what is published satisfies every model, or there is no release. If the lattice of levels is searched
//             to the end, no other choice of levels within the suppression limit loses less; else a bound says how much
//             less there could be.
// Source      the lattice and its pruning go back to Samarati 2001, LeFevre et al. 2005 (Incognito) and Kohlmayer et
//             al. 2012 (Flash). With t-closeness it is what papers call tIncognito.
// Departures  listed, with reasons, in docs/algorithms/full_domain.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/algorithms/full_domain/full_domain_options.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/recode.h"
#include "cordon/data/view.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

struct FullDomainResult {
  Groups groups;
  std::vector<int> levels;    // per quasi column, as the hierarchy counts them
  std::uint64_t nodes = 0;    // of the lattice; the greatest number if there are more
  std::uint64_t checked = 0;  // nodes that were looked at
  bool optimal = false;       // no node that could lose less is left
  double loss = 0;            // weighted, mean over rows and weights; a suppressed row counts 1
  double loss_at_least = 0;   // no choice of levels loses less than this
};

// Groups in the order of their first rows. `specs` are the models of the policy, each on the columns that it names;
// `sensitive` are the columns that they look at. Unsatisfiable if no node satisfies.
Result<FullDomainResult> FullDomain(const View& view, std::span<const ModelSpec> specs, std::span<const std::size_t> sensitive,
                                    const FullDomainOptions& options, const Run& run);

// What was searched and found, in words.
std::string Describe(const FullDomainResult& result, const Microdata& data);

}  // namespace cordon::engine
