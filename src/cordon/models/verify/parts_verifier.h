// SPDX-License-Identifier: Apache-2.0
//
// Judges a release that is larger than memory, part by part, by the same judgements as any other (verifier.h). All parts are
// counted first, so that every group is compared with the distribution of all published rows. Then each part is judged, and
// let pass on its own.
//
// That every part holds is enough, however rows are dealt out to parts: models are merge-closed, so a group that lies in two
// parts holds as a whole if both of its pieces hold. What was reached is exact if no group lies in two parts: equal rows
// belong into one.
#pragma once

#include <cstdint>
#include <vector>

#include "cordon/models/verify/verifier.h"

namespace cordon::engine {

class PartsVerifier {
 public:
  // REQUIRES: Validate(spec) for each; none counts people.
  explicit PartsVerifier(std::vector<ModelSpec> specs);

  // First every part. REQUIRES: all of them share columns, dictionaries and domains; none was accepted yet.
  Result<void> Count(const Release& part);
  // Then each again. Unsatisfiable if it does not hold.
  Result<VerifiedRelease> Accept(Release part, const Run& run);
  // What the parts reached together, a verdict per model. An error if fewer or more rows were accepted than counted.
  Result<std::vector<Verdict>> Finish() const;

 private:
  std::vector<ModelSpec> specs_;
  WholeCounts whole_;
  std::int64_t accepted_ = 0;
  std::vector<Verdict> verdicts_;  // of the parts so far; empty before the first
};

}  // namespace cordon::engine
