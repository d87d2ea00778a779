// SPDX-License-Identifier: Apache-2.0
//
// How CASTLE cuts a large cluster that is about to leave into smaller groups, each of which has what groups need. The
// tuples are numbered 0, 1, ... in order of arrival.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/box_lanes.h"
#include "cordon/algorithms/box_loss.h"
#include "cordon/algorithms/group_needs.h"
#include "cordon/base/random.h"

namespace cordon {

struct SplitTuple {
  const double* point = nullptr;
  std::int32_t person = 0;               // small numbers; equal for equal people
  const std::int32_t* values = nullptr;  // of the attributes that GroupNeeds lists
};

struct SplitPart {
  std::vector<std::int32_t> tuples;
  LossBox box;  // tight
};

class Splitter {
 public:
  Splitter(const BoxLoss& loss, const GroupNeeds& needs) : loss_(&loss), needs_(&needs), points_(loss), parts_(loss) {}

  // The parts in the order they were made; all tuples are in one of them. A single part where no cut is possible.
  // REQUIRES: the tuples together satisfy the needs.
  std::vector<SplitPart> Split(std::span<const SplitTuple> tuples, Random& random);

 private:
  using Tuples = std::span<const SplitTuple>;

  std::vector<SplitPart> SplitByPerson(Tuples tuples, Random& random);
  std::vector<SplitPart> SplitByValue(Tuples tuples, std::size_t need, std::int64_t l, Random& random);
  void PlaceNearest(Tuples tuples, std::int32_t tuple, std::vector<SplitPart>& parts);
  bool Satisfies(Tuples tuples, const SplitPart& part) const;
  void Repair(Tuples tuples, std::vector<SplitPart>& parts);
  std::vector<std::vector<std::int32_t>> ByPerson(Tuples tuples);

  const BoxLoss* loss_;
  const GroupNeeds* needs_;
  // Kept for their memory.
  PointLanes points_;
  BoxLanes parts_;
  std::vector<double> joined_;
  std::vector<double> increase_;
  std::vector<std::int32_t> bucket_of_person_;
};

// How many tuples of each bucket go into one part of k: shares in proportion to the sizes, rounded by largest remainder to a
// sum of k, then mended so that at least l buckets give one. REQUIRES: l <= k <= sum of sizes, at least l sizes above 0.
std::vector<std::int64_t> CastleQuotas(std::span<const std::int64_t> sizes, std::int64_t k, std::int64_t l);

}  // namespace cordon
