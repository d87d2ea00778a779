// SPDX-License-Identifier: Apache-2.0
//
// How CASTLE cuts a large cluster that is about to leave into smaller groups, each of which has what groups need. The
// tuples are numbered 0, 1, ... in order of arrival.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cordon/algorithms/engine/box_lanes.h"
#include "cordon/algorithms/engine/box_loss.h"
#include "cordon/algorithms/engine/group_requirements.h"
#include "cordon/base/random.h"

namespace cordon::engine {
namespace internal {

struct Candidate {
  double distance;
  std::int32_t tuple;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.tuple < b.tuple;
  }
};

// The `count` nearest, in order. Counting how many lie in each stretch of distances finds out how far they reach without
// comparing one with another, so few are left to be sorted. `most`: about the largest distance, 0 if it is not known; it
// changes only the time taken.
class NearestTuples {
 public:
  const std::vector<Candidate>& Find(std::span<const double> distances, std::span<const std::int32_t> tuples, std::size_t count,
                                     double most);

 private:
  static constexpr std::size_t kStretches = 512;
  std::array<std::uint32_t, kStretches> counts_;
  std::vector<std::uint16_t> stretch_;
  std::vector<Candidate> kept_;
};

// The middle of some values, and what lies on each side of it.
struct Sides {
  double median = 0;
  std::size_t below = 0;                                       // how many are less
  std::size_t up_to = 0;                                       // how many are not greater
  double below_hi = -std::numeric_limits<double>::infinity();  // the greatest of those below
  double above_lo = std::numeric_limits<double>::infinity();   // the least of those above
};

// Reorders `values`. REQUIRES: there are some, all of them whole numbers from `lo` to `hi`.
class Median {
 public:
  Sides Find(std::vector<double>& values, double lo, double hi);

 private:
  std::vector<std::uint32_t> counts_;
};

}  // namespace internal

struct SplitTuple {
  const double* point = nullptr;
  std::int32_t person = 0;               // small numbers; equal for equal people
  const std::int32_t* values = nullptr;  // of the attributes that GroupRequirements lists
};

struct SplitPart {
  std::vector<std::int32_t> tuples;
  LossBox box;  // tight
};

class Splitter {
 public:
  enum class Cuts {
    kSeeds,  // around random seeds, as the paper has it
    kBest,   // these, and one by halves
  };

  // Of `tries` random cuts, and with kBest one by halves, the one of least loss is taken.
  Splitter(const BoxLoss& loss, const GroupRequirements& needs, Cuts cuts, int tries)
      : loss_(&loss),
        needs_(&needs),
        cuts_(cuts),
        tries_(tries),
        all_points_(loss),
        at_(loss.num_axes()),
        points_(loss),
        parts_(loss) {}

  // The parts in the order they were made; all tuples are in one of them. A single part if no cut is possible.
  // REQUIRES: the tuples together satisfy the needs.
  std::vector<SplitPart> Split(std::span<const SplitTuple> tuples, Random& random);

 private:
  using Tuples = std::span<const SplitTuple>;
  class PersonCut;

  std::vector<SplitPart> SplitAtRandom(Tuples tuples, Random& random);
  std::vector<SplitPart> SplitByPerson(Tuples tuples, Random& random);
  std::vector<SplitPart> SplitByValue(Tuples tuples, std::size_t need, std::int64_t l, Random& random);
  std::vector<PointLanes> ValueBuckets(Tuples tuples, const std::vector<std::vector<std::int32_t>>& people,
                                       std::size_t need) const;
  std::optional<SplitPart> TakePart(Tuples tuples, std::vector<PointLanes>& buckets, std::int64_t l, Random& random);
  void TakeNearest(Tuples tuples, PointLanes& bucket, std::int64_t count, SplitPart& part);
  void PlaceUnchosen(Tuples tuples, const std::vector<std::vector<std::int32_t>>& people, std::vector<SplitPart>& parts);
  std::vector<SplitPart> SplitByHalves(Tuples tuples);
  template <typename Consider>
  void FindHalvings(const SplitPart& whole, std::size_t axis, const Consider& consider);
  SplitPart PartOf(std::vector<std::int32_t> numbers) const;
  void PlaceNearest(Tuples tuples, std::int32_t tuple, std::vector<SplitPart>& parts);
  bool Satisfies(Tuples tuples, const std::vector<std::int32_t>& numbers) const;
  void Repair(Tuples tuples, std::vector<SplitPart>& parts);
  void FindPeople(Tuples tuples);
  const std::vector<internal::Candidate>& FindNearest(std::int32_t seed_person, const std::vector<std::int32_t>& live,
                                                      std::size_t count);

  const BoxLoss* loss_;
  const GroupRequirements* needs_;
  Cuts cuts_;
  int tries_;
  // Of the tuples at hand: person of each, and the tuples of each person in order of arrival.
  std::vector<std::int32_t> person_of_;
  std::vector<std::int32_t> rows_of_person_;
  std::vector<std::int32_t> first_of_person_;
  std::vector<std::int32_t> tuples_of_person_;
  PointLanes all_points_;
  std::vector<std::vector<double>> at_;  // by axis: where each tuple lies
  double widest_ = 0;                    // what a box of all of them costs
  // Kept for their memory.
  PointLanes points_;
  BoxLanes parts_;
  std::vector<double> joined_;
  std::vector<double> increase_;
  std::vector<std::int32_t> person_place_;
  std::vector<double> values_;
  internal::Median median_;
  internal::NearestTuples nearest_;
  std::vector<internal::Candidate> nearest_of_person_;
  std::vector<double> distances_;
  std::vector<std::int32_t> nearest_tuples_;
};

// How many tuples of each bucket go into one part of k: shares in proportion to the sizes, rounded by largest remainder to a
// sum of k, then mended so that at least l buckets give one. REQUIRES: l <= k <= sum of sizes, at least l sizes above 0.
std::vector<std::int64_t> CastleQuotas(std::span<const std::int64_t> sizes, std::int64_t k, std::int64_t l);

}  // namespace cordon::engine
