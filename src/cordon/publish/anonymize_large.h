// SPDX-License-Identifier: Apache-2.0
//
// The main job for a table that is larger than memory (docs/scale.md):
//
//   1. read     every row once, to disk as codes; domains and the histograms of sensitive columns are those of all rows
//   2. plan     boxes learned from a sample, counted exactly: each shard is admitted as a whole
//   3. search   shard by shard, compared with the whole table; what is to be published goes to disk
//   4. verify   all published rows, those that look alike together, against the distribution of all of them
//   5. write    in random order, across shards
#pragma once

#include "cordon/base/run.h"
#include "cordon/plan/request.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// REQUIRES: request.memory.
Result<Report> AnonymizeLarge(const AnonymizeRequest& request, const Policy& policy, const Run& run);

}  // namespace cordon::engine
