// SPDX-License-Identifier: Apache-2.0
//
// Between an engine's decisions and its departures: holds what leaves until the step, or the batch, is over, then lets it go
// in an order that tells nothing of the order of arrival. Tuples that join the same group within it leave as one, with the
// group itself if that is among them: who joined later does not show.
#pragma once

#include <cstdint>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/base/random.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

class DepartureBuffer {
 public:
  explicit DepartureBuffer(const Random& random) : random_(random) {}

  void Add(Departure departure) { waiting_.push_back(std::move(departure)); }
  void Release(std::vector<Departure>& out);
  std::size_t num_tuples() const;

  void Save(ByteWriter& writer) const;
  // Boxes have `num_axes` sides.
  void Restore(ByteReader& reader, std::size_t num_axes);

 private:
  void Coalesce();

  Random random_;
  std::vector<Departure> waiting_;
};

}  // namespace cordon::engine
