// SPDX-License-Identifier: Apache-2.0
//
// What a release costs against what is asked of it: the policy again and again with other parameters, perhaps by several
// algorithms. Every point is a release that was made and verified, and then thrown away.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/publish/anonymize.h"

namespace cordon::engine {

// Every combination of the values given; a parameter without values stays the policy's.
struct SweepRequest {
  TableInput input;
  std::optional<std::string> svg;   // where the chart goes
  std::optional<std::string> html;  // private: a page with the chart and a map of risk against loss
  std::vector<Rational> k;          // whole; see ParseSweepValues
  std::vector<Rational> l;
  std::vector<Rational> t;
  std::vector<Rational> beta;
  std::vector<std::string> algorithms;  // empty: the policy's
  MeasureOptions measure;
  std::uint64_t seed = 1;  // nothing is published: a repeatable sweep gives nobody away
};

// The values of "k", "l", "t" or "beta" as a person writes them: "5", "0.2", "2/3". Values of k are whole, from 1. `name`
// stands in messages.
Result<std::vector<Rational>> ParseSweepValues(std::string_view parameter, std::string_view name,
                                               const std::vector<std::string>& texts);

struct SweepPoint {
  std::string algorithm;                                        // as asked for
  std::vector<std::pair<std::string, std::string>> parameters;  // those that vary or were given: {"k", "5"}, {"t", "0.2"}
  std::optional<Report> report;                                 // none: no release satisfies it
  std::string why_not;
};

// In the order of the lists: algorithm, then k, l, t, beta, the last running fastest. An error if a point is invalid;
// one that cannot be satisfied is a point. `k` is added to a policy that asks for none; l, t and beta need a model to belong
// to.
Result<std::vector<SweepPoint>> Sweep(const SweepRequest& request, const Policy& policy, const Microdata& data, const Run& run);
// The same of the table that the request names; draws the chart if it is asked for.
Result<std::vector<SweepPoint>> Sweep(const SweepRequest& request, const Policy& policy, const Run& run);

Json ToJson(const std::vector<SweepPoint>& points);
std::string SweepTable(const std::vector<SweepPoint>& points);
// Loss against the parameter with the most values, a line for everything else: a separate file.
std::string SweepSvg(const std::vector<SweepPoint>& points);

}  // namespace cordon::engine
