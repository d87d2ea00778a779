// SPDX-License-Identifier: Apache-2.0
//
// What can still become of a group while it grows: would one more row of this class leave a way to a group of the
// wanted size that the models admit? It steers a search and decides nothing, so it works with classes of values and with
// floating point; the finished group is put to the models themselves.
//
//   equal, hierarchical t   exact look-ahead: the distance is a sum over nested sets of values, so filling the group up
//                           greedily gives the least distance that is left
//   ordered t               a penalty on the distance so far: such models are loose, and the penalty leaves more choice
//   beta, alpha, confidence a cap on each value's count at the wanted size
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cordon/algorithms/closeness/search_rows.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

class MixLookahead {
 public:
  // Of the models among `specs` that look at the sensitive column `histogram` of the reference.
  MixLookahead(std::span<const ModelSpec> specs, const Reference& reference, std::size_t histogram,
               const ValueClasses& classes);

  // How many rows of the value a group of this size may hold, and the least size of a group that may hold one.
  std::int64_t Cap(Code value, std::int64_t size) const;
  std::int64_t Need(Code value) const { return needs_[value]; }
  // How much of the table is in the groups of values that need at least this many rows; of the rarest, it may come to more
  // than 1.
  double ShareNeeding(std::int64_t size) const;
  // Whether some value needs a larger group than one row.
  bool HasCaps() const { return has_caps_; }
  // Whether some model asks for shares in sets of values: then not any rows will do, however many there are.
  bool LooksAhead() const { return !nested_.empty(); }
  // Whether this many rows, taken at random, are within the distances of all ordered models on average.
  bool UsuallyClose(std::int64_t size) const;
  // About the least size from `size` on for which some mix of values looks admissible; `most` if there is none up to it.
  std::int64_t LeastSize(std::int64_t size, std::int64_t most) const;

  static constexpr float kRefused = 1e9F;  // more than any box or penalty
  // Whether one more row of a class leaves a way to a group of `size` rows. If it does not, it does not for any group
  // with these rows among its own, either.
  // counts: rows of each class in the group, `rows` in all; left: rows of each class outside of groups, these included.
  bool Reaches(std::size_t value_class, std::span<std::int32_t> counts, std::int64_t rows, std::int64_t size,
               std::span<const std::int64_t> left) const;
  // For each class: what taking one more row of it is charged on top of that, by what an ordered distance is above its t.
  void Charge(std::span<std::int32_t> counts, std::int64_t rows, std::int64_t size, std::vector<float>& charges) const;

 private:
  // A distance that is a sum over sets of classes: weight * |share in the group - share in the whole|.
  struct NestedDistance {
    double t = 0;
    std::vector<double> weights;                 // by set
    std::vector<double> shares;                  // by set
    std::vector<std::vector<std::size_t>> sets;  // by class: the sets that hold it
  };
  void AddDistance(const TClosenessSpec& spec, const Attribute& attribute, const ValueClasses& classes);
  void AddCaps(std::span<const double> most_share);
  double LeastDistance(const NestedDistance& distance, std::span<const std::int32_t> counts, std::int64_t rows,
                       std::int64_t size, std::span<const std::int64_t> left) const;
  double OrderedDistance(std::span<const std::int32_t> counts, std::int64_t rows) const;
  bool HasMix(std::int64_t size) const;

  std::vector<double> class_shares_;
  std::vector<NestedDistance> nested_;
  std::vector<double> ordered_t_;  // the t of each ordered model
  std::vector<double> caps_;       // by value: greatest share
  std::vector<std::int64_t> needs_;
  std::vector<std::uint8_t> class_of_;
  std::vector<std::int64_t> histogram_;
  bool has_caps_ = false;
};

}  // namespace cordon::engine
