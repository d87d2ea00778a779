// SPDX-License-Identifier: Apache-2.0
//
// Which tuples of a leaf that leaves are better held back. Around a tuple a small box is grown over the samples inside of
// the leaf, the one that widens it least each time, until it holds the share of k - 1 arrivals. How much smaller it is than
// the leaf tells how long waiting for such company pays; those for whom it pays longest are held, as long as k are left.
#pragma once

#include <cstdint>
#include <vector>

#include "cordon/algorithms/stream_rtree/chain_sampler.h"
#include "cordon/algorithms/stream_rtree/leaf_store.h"

namespace cordon::engine {

class PostponedTuples {
 public:
  using Index = LeafStore::Index;
  struct Rules {
    std::int64_t k = 0;
    std::int64_t need = 0;  // samples of a small box
    double log_growth = 0;
    std::int64_t max_holds = 0;
    Position not_before = 0;  // older tuples are not held
  };

  // Appends the tuples to hold, those that it pays longest for first.
  void Select(const LeafStore& leaves, Index slot, const ChainSampler& sampler, const Rules& rules, std::vector<Index>& held);

  // The penalty of the small box around a member of the leaf that Select looked at last; infinite: samples ran out.
  double SmallPenalty(const LeafStore& leaves, Index tuple, std::int64_t need);

 private:
  void Gather(const LeafStore& leaves, Index slot, const ChainSampler& sampler);

  struct Candidate {
    double time;
    Position position;
    Index tuple;
  };
  std::vector<std::int32_t> chains_;
  std::vector<Position> arrivals_;  // of the samples inside
  std::vector<double> points_;      // axis x sample
  std::vector<double> penalties_;   // of the small box joined with each
  std::vector<double> used_;        // infinite if a sample is in the small box, else 0
  std::vector<double> box_lo_;
  std::vector<double> box_hi_;
  std::vector<Candidate> candidates_;
};

}  // namespace cordon::engine
