// SPDX-License-Identifier: Apache-2.0
//
// What flows through a stream engine. An engine sees where a tuple lies on the axes of the quasi attributes, whose it
// is, and the codes of its sensitive values; it never sees a cell. It answers with positions and boxes, and its
// driver keeps the cells of the tuples it still holds. So an engine has no clock, no file and nothing to leak.
//
// All domains are declared: nothing is learned from the stream, or losses and published stars would tell of its
// private extremes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cordon/data/hierarchy.h"

namespace cordon::engine {

using Position = std::int64_t;   // 1, 2, 3, ... in the order of arrival; what was refused has none
using EventTime = std::int64_t;  // milliseconds; only differences matter to an engine
using PersonId = std::uint64_t;  // equal ids, equal person; the driver sees to it, also across a restart

// One axis of the box: numbers and dates as whole multiples of 10^-scale, categories as leaves numbered from the left.
struct StreamAxis {
  std::string name;
  std::int64_t lo = 0;  // declared: the loss of [a, b] is (b - a) / (hi - lo), 0 if hi == lo
  std::int64_t hi = 0;
  std::shared_ptr<const Hierarchy> hierarchy;  // categories only; then lo = 0 and hi = leaves - 1
  double weight = 1;

  // The widest range of declared values: the leaf of missing cells is not one of them.
  std::int64_t width() const { return hierarchy != nullptr ? hierarchy->num_counted() - 1 : hi - lo; }
};

// A sensitive attribute: codes 0..num_values-1 of its declared domain, kNull if the cell is missing.
struct StreamSensitive {
  std::string name;
  std::int32_t num_values = 0;                 // 0: not declared; codes still tell values apart
  std::shared_ptr<const Hierarchy> hierarchy;  // optional
};

struct StreamSchema {
  std::vector<StreamAxis> quasi;
  std::vector<StreamSensitive> sensitive;
};

// The spans live as long as the call they are handed to.
struct Tuple {
  Position position = 0;
  EventTime time = 0;
  PersonId person = 0;
  std::span<const std::int64_t> quasi;
  std::span<const std::int32_t> sensitive;
};

// Positions first..last; 0..0: none.
struct PositionRange {
  Position first = 0;
  Position last = 0;
  friend bool operator==(const PositionRange&, const PositionRange&) = default;
};

struct AxisRange {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  friend bool operator==(const AxisRange&, const AxisRange&) = default;
};

// Tuples that leave together. Of categories the box holds the leaves under the published node.
struct Departure {
  enum class Kind {
    kGroup,       // a new group: everything that justifies it is here
    kReuse,       // tuples that join a group published before, under its box
    kSuppressed,  // nothing is published of them (or a blank row, as the policy says)
    kPooled,      // suppressed tuples that together satisfy the models under the widest box
  };
  Kind kind = Kind::kGroup;
  std::int64_t group = 0;           // equal for equal boxes of kGroup and the kReuse that follow; never reused otherwise
  std::vector<AxisRange> box;       // empty for kSuppressed
  std::vector<Position> positions;  // in the order they are to be written
  bool reusable = false;            // kGroup: later tuples may join it
  PositionRange window = {};        // kGroup: the tuples that window models compare it with, its own among them
};

// A departure that was judged. Only the stream's verifier (models) can make one, and only such a one may be written.
class VerifiedDeparture {
 public:
  const Departure& departure() const { return departure_; }

 private:
  friend class StreamVerifier;
  explicit VerifiedDeparture(Departure departure) : departure_(std::move(departure)) {}
  Departure departure_;
};

}  // namespace cordon::engine
