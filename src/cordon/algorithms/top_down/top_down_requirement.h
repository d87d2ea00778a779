// SPDX-License-Identifier: Apache-2.0
//
// What must hold of every group over some of the attributes, in the form a top-down search asks it: what does a group
// reach, and what would its parts reach if a refinement were made?
//
// A search may drop a refinement for good once a part fails, provided that no group which fails can be cut into parts
// that all hold. So it is for counts of people, for shares, and for every group model (all are merge-closed).
//
// What is not of that kind is a StateRequirement: it is judged on the state as a whole, and what it reaches may rise as well
// as fall. A join with another table is one (a pair of rows that no longer match takes its group out of the join).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/algorithms/grouping/packed_rows.h"
#include "cordon/models/admit/group_counts.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

// What a group reaches: a count, a share of rows, or yes (1) and no (0).
struct Bound {
  std::int64_t above = 0;
  std::int64_t below = 1;

  std::string Text() const;  // "3", "2/3", in lowest terms
};

// The rows of a group, in a few runs.
struct GroupRows {
  const PackedRows& rows;
  std::span<const RowRun> runs;

  std::size_t size() const {  // in records
    std::size_t sum = 0;
    for (const RowRun& run : runs) sum += run.size();
    return sum;
  }
  // Rows of the input: a record with a weight stands for several.
  std::int64_t num_rows() const {
    std::uint64_t sum = 0;
    for (const RowRun& run : runs) sum += rows.Weight(run);
    return static_cast<std::int64_t>(sum);
  }
  // f(code, weight)
  template <typename Function>
  void ForEachCount(std::size_t column, const Function& f) const {
    for (const RowRun& run : runs) rows.ForEachCount(run.buffer, run.begin, run.end, column, f);
  }
  template <typename Function>
  void ForEachCode(std::size_t column, const Function& f) const {
    for (const RowRun& run : runs) rows.ForEachCode(run.buffer, run.begin, run.end, column, f);
  }
  void AppendRowIds(std::vector<RowId>& ids) const {
    for (const RowRun& run : runs) {
      const std::size_t first = ids.size();
      ids.resize(first + run.size());
      for (std::size_t i = 0; i < run.size(); ++i) ids[first + i] = PackedRows::row(rows.record(run.buffer, run.begin + i));
    }
  }
};

// How a refinement would cut a group.
struct GroupCut {
  std::size_t column;                     // packed column of the attribute
  std::span<const std::int32_t> part_of;  // by code
  std::size_t num_parts;
  // Each part is a separate refinement, against the rest: suppression. Else the parts are one refinement.
  bool one_by_one = false;
  std::span<const char> wanted = {};  // one by one: by part, whether anybody asks
};

struct PartBound {
  std::int32_t part;  // 0 if the parts are one refinement
  Bound bound;        // the worse of the part and the rest; of all parts
};

// Memory that is kept from group to group; one per thread. Counters are zero between calls.
struct RequirementScratch {
  std::vector<std::uint32_t> counts;
  std::vector<std::int32_t> touched;
  std::vector<std::uint32_t> pair_counts;
  std::vector<std::size_t> touched_pairs;
  std::vector<std::int32_t> parts;
  std::vector<std::uint64_t> keys;
  std::vector<RowId> row_ids;
  std::vector<RowId> ordered;
};

class Requirement {
 public:
  // `on`: places of its attributes among those that are masked, ascending.
  Requirement(std::string text, std::vector<std::size_t> on) : text_(std::move(text)), on_(std::move(on)) {}
  virtual ~Requirement() = default;

  const std::string& Describe() const { return text_; }
  std::span<const std::size_t> on() const { return on_; }

  virtual Bound Of(const GroupRows& group, RequirementScratch& scratch) const = 0;
  // The same out of the number of its rows, for requirements that ask nothing else of a group.
  virtual std::optional<Bound> OfSize(std::int64_t) const { return std::nullopt; }
  // Appends what the parts that have rows would reach.
  virtual void Judge(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch,
                     std::vector<PartBound>& out) const = 0;

  virtual bool Holds(const Bound& bound) const = 0;
  virtual bool Worse(const Bound& a, const Bound& b) const = 0;
  // Better than anything a group reaches.
  virtual Bound Best() const = 0;

  enum class Loss {
    kNone,   // holds or not: does not enter the score
    kRows,   // a count that goes down
    kShare,  // a share that goes up
  };
  virtual Loss loss() const = 0;
  // Values counted in addition to the rows of a part.
  virtual std::int64_t num_guarded() const { return 0; }

 private:
  std::string text_;
  std::vector<std::size_t> on_;
};

// At least k rows, or people, in every group.
class MinCount final : public Requirement {
 public:
  // `persons` by row of the microdata; null: each row is a separate person.
  MinCount(std::string text, std::vector<std::size_t> on, std::int64_t k, const Codes* persons);

  Bound Of(const GroupRows& group, RequirementScratch& scratch) const override;
  std::optional<Bound> OfSize(std::int64_t rows) const override {
    return persons_ == nullptr ? std::optional(Bound{rows, 1}) : std::nullopt;
  }
  void Judge(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch,
             std::vector<PartBound>& out) const override;
  bool Holds(const Bound& bound) const override { return bound.above >= k_; }
  bool Worse(const Bound& a, const Bound& b) const override { return a.above < b.above; }
  Bound Best() const override;
  Loss loss() const override { return Loss::kRows; }

 private:
  void JudgeRows(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch, std::vector<PartBound>& out) const;
  void JudgePersons(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch,
                    std::vector<PartBound>& out) const;

  std::int64_t k_;
  const Codes* persons_;
};

// No guarded value is more than the share h of any group.
class MaxShare final : public Requirement {
 public:
  struct Guarded {
    std::size_t column;                  // packed column of the sensitive attribute
    std::vector<std::int32_t> value_of;  // by code: number of the guarded value, from 0 over all columns; -1: not guarded
  };
  MaxShare(std::string text, std::vector<std::size_t> on, std::vector<Guarded> guarded, std::size_t num_values, Rational h);

  Bound Of(const GroupRows& group, RequirementScratch& scratch) const override;
  void Judge(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch,
             std::vector<PartBound>& out) const override;
  // Counts below 2^32, parts of h below 2^30.
  bool Holds(const Bound& bound) const override { return bound.above * h_.denominator() <= bound.below * h_.numerator(); }
  bool Worse(const Bound& a, const Bound& b) const override {
    return static_cast<Int128>(a.above) * b.below > static_cast<Int128>(b.above) * a.below;
  }
  Bound Best() const override { return {0, 1}; }
  Loss loss() const override { return Loss::kShare; }
  std::int64_t num_guarded() const override { return static_cast<std::int64_t>(num_values_); }

 private:
  std::vector<Guarded> guarded_;
  std::size_t num_values_;
  Rational h_;
};

class TopDown;

struct Refinement {
  std::size_t attribute = 0;  // place among the masked columns
  int node = 0;               // as in MaskedAttribute
  friend bool operator==(const Refinement&, const Refinement&) = default;
};

// What must hold of the whole state.
class StateRequirement {
 public:
  // What is reached, and whether that is enough.
  struct Reached {
    Bound bound;
    bool holds = true;
  };

  virtual ~StateRequirement() = default;
  virtual std::string Describe() const = 0;

  // The leaves that are new or show something else than before; at first all of them. Called before Now and After.
  virtual void Settle(const TopDown& state, std::span<const std::uint32_t> leaves) = 0;
  virtual Reached Now() const = 0;
  // As if the refinement were made. Nothing but it may be assumed of the state that follows.
  virtual Reached After(const TopDown& state, const Refinement& refinement) const = 0;

  virtual bool Worse(const Bound& a, const Bound& b) const = 0;
  virtual Requirement::Loss loss() const = 0;
  // Whether refining the attribute can change what is reached: then the loss enters the score.
  virtual bool Concerns(std::size_t attribute) const = 0;
  // Whether it can only get worse by refining: then a refinement that was refused once is refused for good, and nothing
  // satisfies if the start does not.
  virtual bool monotone() const = 0;
  // What is reached now, for a person.
  virtual std::string ReachedText() const { return Now().bound.Text(); }
  // Why no state satisfies it, if that is proved; else "".
  virtual std::string WhyNone() const { return monotone() && !Now().holds ? "even the most general one does not" : ""; }
};

// Any group model: it admits every group, or not.
class Admitted final : public Requirement {
 public:
  // Both outlive it.
  Admitted(std::string text, std::vector<std::size_t> on, const GroupModel& model, const CountedColumns& counted)
      : Requirement(std::move(text), std::move(on)), model_(&model), counted_(&counted) {}

  Bound Of(const GroupRows& group, RequirementScratch& scratch) const override;
  void Judge(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch,
             std::vector<PartBound>& out) const override;
  bool Holds(const Bound& bound) const override { return bound.above == 1; }
  bool Worse(const Bound& a, const Bound& b) const override { return a.above < b.above; }
  Bound Best() const override { return {1, 1}; }
  Loss loss() const override { return Loss::kNone; }

 private:
  bool Admits(const GroupCounts& counts) const { return model_->Admits(counts); }

  const GroupModel* model_;
  const CountedColumns* counted_;
};

}  // namespace cordon::engine
