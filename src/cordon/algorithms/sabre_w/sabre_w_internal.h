// SPDX-License-Identifier: Apache-2.0
//
// The state of SABRE_W and its steps. References between the members: it does not move.
//
//   base .. base+window-1   the window W; counts_ are those of all its tuples, open_ of those that have not left
//   up to step-1 more       arrived, not in the window yet
//   pending_                groups that the window `made_in_` made and that have not left (S_G); empty: none
#pragma once

#include "cordon/algorithms/engine/departure_buffer.h"
#include "cordon/algorithms/sabre_w/sabre_w.h"
#include "cordon/algorithms/sabre_w/window_models.h"
#include "cordon/algorithms/sabre_w/window_ring.h"
#include "cordon/base/bytes.h"

namespace cordon::engine {

class SabreWState {
 public:
  SabreWState(StreamSchema schema, WindowModels models, SabreWOptions options, const Random& random,
              std::shared_ptr<const WindowPartition> partition);
  SabreWState(const SabreWState&) = delete;

  void Push(const Tuple& tuple, std::vector<Departure>& out);
  void Flush(std::vector<Departure>& out);
  std::string Save() const;
  Result<void> Restore(const std::string& snapshot);  // REQUIRES: it is as it was made
  std::unique_ptr<SabreWState> Fresh() const;         // as this one was made

  StreamGauges gauges() const { return {held_, pending_.size(), 0}; }
  std::vector<StreamWarning> warnings() const;
  const SabreW::Cases& cases() const { return cases_; }

 private:
  struct Pending {
    std::vector<AxisRange> box;
    std::vector<Position> positions;
  };

  std::int64_t window() const { return models_.window(); }
  Position window_end() const { return base_ + window() - 1; }
  std::vector<Position> Open(Position first, Position last) const;  // tuples that have not left
  bool ArePending(std::span<const Position> positions) const;
  void Step();   // what the window is about to lose leaves
  void Slide();  // the window advances
  std::vector<Pending> Divide(std::span<const Position> open, const ValueCounts& window) const;
  void MakePending(std::span<const Position> open);
  void LeaveWith(Position first, Position last);  // pending groups with tuples among these, and only they
  void Emit(Pending group, const PositionRange& made_in);
  void Suppress(std::vector<Position> positions);
  void Gone(Position position);
  void FlushShort();
  void FlushRest(const PositionRange& end, const ValueCounts& window);
  bool EmitDivided(const PositionRange& window, const ValueCounts& counts);
  std::vector<AxisRange> CodedBox(const Microdata& table, const Groups& groups, std::size_t group) const;
  std::vector<AxisRange> ShownBox(const Groups& groups, std::size_t group) const;
  std::string Fingerprint() const;
  void Load(ByteReader& reader);

  StreamSchema schema_;
  WindowModels models_;
  SabreWOptions options_;
  WindowRing ring_;
  DepartureBuffer stage_;
  Random choices_;
  std::shared_ptr<const WindowPartition> partition_;
  ValueCounts counts_;
  ValueCounts open_;
  Position base_ = 1;
  PositionRange made_in_ = {};
  std::vector<Pending> pending_;
  std::int64_t last_group_ = 0;
  std::size_t held_ = 0;
  SabreW::Cases cases_;
};

}  // namespace cordon::engine
