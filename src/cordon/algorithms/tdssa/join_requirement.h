// SPDX-License-Identifier: Apache-2.0
//
// One requirement of the join, as a top-down search asks it. Every x of the join belongs to one x of the current table, so the
// measure is the worst over groups of the current table by X, and a group is counted again only if one of its leaves has
// changed. Of a group, the rows that are alike in what joins meet the same classes of previous rows, found by bit sets.
//
// With each group is kept what every refinement would make of it. What a refinement makes of the whole is the worst over the
// groups it touches, as they would be, and all others, as they are: nothing is carried over, so the measure may rise.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cordon/algorithms/tdssa/previous_classes.h"
#include "cordon/algorithms/top_down/top_down.h"

namespace cordon::engine {

class JoinRequirement final : public StateRequirement {
 public:
  // `masked`: names of the masked columns in the order of the plan. `sequential` outlives it.
  static Result<std::unique_ptr<JoinRequirement>> Make(const JoinSpec& spec, const SequentialInput& sequential,
                                                       const std::vector<std::string>& masked, const Run& run);

  std::string Describe() const override { return text_; }
  void Settle(const TopDown& state, std::span<const std::uint32_t> leaves) override;
  Reached Now() const override { return now_; }
  Reached After(const TopDown& state, const Refinement& refinement) const override;
  bool Worse(const Bound& a, const Bound& b) const override;
  Requirement::Loss loss() const override { return shares_ ? Requirement::Loss::kShare : Requirement::Loss::kRows; }
  bool Concerns(std::size_t attribute) const override { return in_x_[attribute] != 0 || in_join_[attribute] != 0; }
  bool monotone() const override { return join_.closed && join_.y_tables.size() == 1; }

  std::string ReachedText() const override;
  std::string WhyNone() const override;

  JoinFacts Facts() const;

 private:
  using Bits = std::vector<std::uint64_t>;

  // What a group reaches: on the join, and alone.
  struct Value {
    Bound join;
    Bound alone;
  };
  struct Would {
    Refinement refinement;
    Value value;
  };
  struct Group {
    std::vector<std::uint32_t> leaves;
    Value now;
    std::vector<Would> would;
  };
  // Rows of a group that meet the same classes.
  struct Cell {
    std::uint64_t x = 0;             // part of a cut and number of exact cells: with the group, the x of the rows
    std::vector<const Bits*> masks;  // classes that all of them allow
    std::int64_t rows = 0;
    std::vector<std::int64_t> guarded;  // rows by guarded value of the current table
    std::vector<std::uint32_t> units;   // what Y counts of the current table, row by row
  };
  struct Scratch;

  JoinRequirement(const JoinSpec& spec, const SequentialInput& sequential, ResolvedJoin join);
  Result<void> Number(const std::vector<std::string>& masked);
  void NumberExactCells(const std::vector<std::string>& masked);

  const Bits* MaskOf(const std::string& column, const std::optional<std::string>& cell) const;  // nothing: the cell is absent
  const Bits* MaskOf(const TopDown& state, std::size_t attribute, int node) const;
  std::vector<Cell> CellsOf(const TopDown& state, std::span<const std::uint32_t> leaves, const Refinement* refinement) const;
  Value Evaluate(const TopDown& state, std::span<const std::uint32_t> leaves, const Refinement* refinement,
                 Scratch& scratch) const;
  Bound OfJoin(std::span<const Cell* const> cells, Scratch& scratch) const;
  Bound ShareOfJoin(std::span<const Cell* const> cells, Scratch& scratch) const;
  Bound CountOfJoin(std::span<const Cell* const> cells, Scratch& scratch) const;
  Bound Alone(std::span<const Cell* const> cells) const;
  bool Touches(const TopDown& state, const Group& group, const Refinement& refinement) const;
  // Closed, and Y of the current table: all rows of an x meet the same previous rows, and the join weighs them alike.
  bool IsAlone() const { return join_.closed && join_.y_tables.size() == 1 && join_.y_tables[0] == 0; }
  Bound Best() const;
  Value WorseOf(const Value& a, const Value& b) const;
  // xy-anonymity: the different Y that there are in all.
  std::int64_t MostY() const;
  bool ShouldStop(const Bound& bound) const;
  Reached ReachedBy(const Value& value) const { return {value.join, ShouldStop(value.join) && ShouldStop(value.alone)}; }

  const SequentialInput* sequential_;
  ResolvedJoin join_;
  std::string text_;
  std::string y_;  // xy-anonymity: what Y counts, in words
  bool shares_ = false;
  Rational h_;
  std::int64_t k_ = 0;
  int threads_ = 1;

  PreviousClasses previous_;
  std::size_t num_guarded_ = 0;  // values, of all releases
  bool any_guarded_here_ = false;
  bool any_guarded_there_ = false;

  // Of the current table, by row:
  std::vector<std::uint32_t> exact_;    // number of its cells in joining columns and columns of X that are not masked
  std::vector<std::uint32_t> exact_x_;  // by that number: of the columns of X among them
  std::vector<std::vector<const Bits*>> exact_masks_;  // by that number
  std::vector<std::uint32_t> unit_;                    // what Y counts; empty: nothing of this table, or each row alone
  bool rows_are_units_ = false;
  std::vector<std::uint32_t> guarded_set_;  // empty: nothing is guarded here
  std::vector<std::vector<std::uint32_t>> guarded_sets_;

  std::vector<char> in_x_;     // by masked column
  std::vector<char> in_join_;  // by masked column
  std::vector<std::string> masked_;

  mutable std::mutex mutex_;  // of masks_
  mutable std::map<std::pair<std::string, std::optional<std::string>>, std::unique_ptr<Bits>> masks_;

  std::map<std::vector<int>, Group> groups_;  // by what is shown in the masked columns of X
  std::vector<const Group*> worst_first_;     // on the join
  std::vector<const Group*> worst_first_alone_;
  Value value_;  // of the whole
  Reached now_;
};

}  // namespace cordon::engine
