// SPDX-License-Identifier: Apache-2.0
//
// Top-down refinement: every masked attribute starts at its most general state, and one refinement at a time is made,
// the one with the best ratio of what it tells to what it costs in privacy, as long as every requirement holds. The
// shared core of tdr and tdd, and of whatever else refines a table from the top: a caller may run it to the end, or take
// it step by step (Best, Apply) as a protocol between parties does.
//
// State       leaves: runs of rows that look alike on all masked attributes, in the order in which cuts have put them. A
//             cut leaf is replaced in place by its parts, rows keeping their order.
// Invariant   every requirement holds after every step, so the search may stop at any (but see OnStart).
// Cost        a refinement reads the rows it moves, and scores come from counts. What a refinement would do to a
//             requirement is worked out for the groups that are new, and the worst over time is kept; that is exact.
//
// The result does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/algorithms/top_down/top_down_attribute.h"
#include "cordon/algorithms/top_down/top_down_requirement.h"
#include "cordon/base/digest.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"

namespace cordon::engine {

struct TopDownOptions {
  enum class Choice {
    kGainPerLoss,  // gain / (loss of privacy + 1)
    kGain,         // gain alone
  };

  // What a refinement is good for.
  TopDownUtility utility = TopDownUtility::kClass;
  // By what the next refinement is chosen.
  Choice choice = Choice::kGainPerLoss;
  // Stops after this many refinements, at a state in which everything holds.
  std::optional<std::int64_t> max_refinements;
  // Whether a refinement that was refused once is never asked again. Right for all requirements here but state
  // requirements that are not monotone, which are always asked again; off, every refinement is judged again after every step.
  bool prune = true;
  // Whether a refinement that tells nothing about the class may be made. It is made after all others, and lowers distortion.
  bool zero_gain = false;
  // A start at which a state requirement fails that is not monotone proves nothing: a later state may satisfy.
  enum class OnStart {
    kRefuse,        // reported as an error that says so
    kSearchFurther  // refined, towards the least violation, until all hold
  };
  OnStart on_start = OnStart::kRefuse;
};

struct MaskedColumn {
  std::size_t column;  // of the microdata
  Masking masking;
  // Another party holds the column: there is a tree or a declared domain, and no codes. Its refinements are told (ToldStep).
  bool foreign = false;
};

// A refinement as the party that holds the column tells it to the others.
struct ToldStep {
  Refinement refinement;
  Code split = kNull;                        // intervals: the least code of the upper part
  std::vector<std::uint32_t> child_numbers;  // the part each row of the refined value goes to, leaf after leaf
};

class TopDown {
 public:
  // What a search is made of. Requirements speak of packed columns: the masked ones, then `counted`.
  struct Plan {
    std::vector<MaskedColumn> masked;
    std::vector<std::size_t> counted;
    std::vector<std::unique_ptr<const Requirement>> requirements;
    ClassLabels labels;
    std::vector<std::unique_ptr<StateRequirement>> state_requirements;
  };

  // Unsatisfiable if a requirement does not hold of all rows together. The view outlives the search. With foreign columns
  // every requirement is a number of rows, classes are known for all rows, and no number is missing.
  static Result<std::unique_ptr<TopDown>> Make(const View& view, Plan plan, const TopDownOptions& options, const Run& run);

  // The refinement to make next, of the columns that are not foreign: valid, beneficial, of the highest score; the first in the
  // order of the attributes and of the cut among equals. Nothing: the search is at its end.
  std::optional<Refinement> Best() const;
  // What two parties compare: the score, then the place on the cut, the first one the greatest. Not 0, below 2^96, and no
  // two refinements have the same. The greatest of all parties is what Best of one that holds all columns would be.
  UInt128 KeyOf(const Refinement& refinement) const;
  // REQUIRES: the column is not foreign.
  ToldStep Tell(const Refinement& refinement) const;
  // REQUIRES: the refinement is among Refinements() of its attribute.
  void Apply(const Refinement& refinement);
  // Whether the step may be made: the value is on the cut and can be refined so, there is a child number for each of its
  // rows, no half of an interval is empty, every requirement holds afterwards, and the rows have more than one class. Counts
  // rows and nothing else, so it also checks a step of one's own in a second way. REQUIRES: all requirements are numbers of
  // rows.
  Result<void> CheckStep(const ToldStep& step) const;
  // Makes a step of a foreign column. An error, and nothing changed, if CheckStep finds one or the column is not foreign.
  Result<void> Apply(const ToldStep& step);
  // Refines until nothing is left, the limit is reached or the run is stopped. Unsatisfiable if a state requirement fails
  // at the end.
  Result<void> ToTheEnd(const Run& run);

  // Of the whole state: cuts, leaves with their rows, what the requirements reach. Equal states have equal digests.
  std::string Digest() const;
  // Of all that the last step has changed, on top of the digest `before` it. Costs in proportion to the rows of the step. From
  // equal states on, searches that make the same steps have equal digests. REQUIRES: a step was made.
  std::string StepDigest(std::string_view before) const;

  // The leaves as groups that show their cut values. Quasi columns that are not masked are shown as they are, and cut the
  // leaves further.
  Groups ToGroups(const Run& run) const;

  std::int64_t num_refinements() const { return num_refinements_; }
  std::size_t num_attributes() const { return attributes_.size(); }
  const MaskedAttribute& attribute(std::size_t i) const { return attributes_[i].masked; }
  // Different values that some row shows.
  std::size_t num_shown(std::size_t attribute) const;
  const Requirement& requirement(std::size_t i) const { return *plan_.requirements[i]; }
  // What requirement i reaches now.
  const Bound& reached(std::size_t i) const { return reached_[i]; }
  std::size_t num_state_requirements() const { return plan_.state_requirements.size(); }
  const StateRequirement& state_requirement(std::size_t i) const { return *plan_.state_requirements[i]; }
  StateRequirement::Reached state_reached(std::size_t i) const { return plan_.state_requirements[i]->Now(); }
  // Whether every state requirement holds now.
  bool Holds() const;

  // Whether the refinement was never refused by a requirement of groups, or by a monotone one of the state.
  bool IsOpen(const Refinement& refinement) const { return attributes_[refinement.attribute].alive[refinement.node] == 1; }

  // Leaves are numbered from 0 in no order.
  std::uint32_t num_leaves() const { return static_cast<std::uint32_t>(runs_.size()); }
  int shown(std::uint32_t leaf, std::size_t attribute) const { return shown_[leaf * attributes_.size() + attribute]; }
  GroupRows RowsOf(std::uint32_t leaf) const { return {rows_, std::span(&runs_[leaf], 1)}; }

  // What is known of a refinement: for tests, and for code that explains a choice.
  struct Standing {
    bool alive = false;         // valid, beneficial and not refused
    std::vector<Bound> bounds;  // what the requirements with its attribute, in order, then all of the state would reach
    UInt128 score = 0;
  };
  Standing StandingOf(const Refinement& refinement) const;

  struct LeafView {
    std::vector<int> shown;  // node by attribute
    std::vector<RowId> rows;
  };
  std::vector<LeafView> Leaves() const;

 private:
  struct AttributeState {
    MaskedAttribute masked;
    std::vector<std::size_t> requirements;           // that speak of it
    std::vector<char> alive;                         // by node
    std::vector<Bound> would;                        // by node and requirement: the worst part it would make
    std::vector<std::vector<std::uint32_t>> leaves;  // by node: those that show it
    // By node and state requirement, of refinements that are alive.
    std::vector<StateRequirement::Reached> after;
  };
  // Requirements on the same attributes share their groups.
  struct Grouping {
    std::vector<std::size_t> on;
    std::vector<std::size_t> requirements;
    std::uint32_t num_groups = 1;
  };
  struct Changed {  // a leaf of a new group
    std::uint32_t group;
    std::uint32_t leaf;
  };
  struct Judged;  // what a task found

  TopDown(const View& view, Plan plan, const TopDownOptions& options, const Run& run);
  void MakeGroupings();
  std::uint32_t& group_of(std::uint32_t leaf, std::size_t grouping) { return groups_[leaf * groupings_.size() + grouping]; }
  int& shown(std::uint32_t leaf, std::size_t attribute) { return shown_[leaf * attributes_.size() + attribute]; }
  std::vector<std::uint32_t> LeavesInOrder(const Refinement& refinement) const;
  std::vector<std::uint32_t> AllLeavesInOrder() const;

  // part_at(i, code): part of the next record of the i-th leaf.
  template <typename MakePartOf>
  std::vector<std::size_t> MoveRows(const Refinement& refinement, std::span<const std::uint32_t> leaves,
                                    const MakePartOf& make_part_of);
  void Settle(const Refinement& refinement, std::span<const std::uint32_t> leaves, std::span<const std::size_t> sizes,
              std::span<const Bound> reached);
  static Result<void> CheckForeign(const View& view, const Plan& plan, const TopDownOptions& options);
  Result<std::vector<Bound>> ReachedBy(const ToldStep& step) const;
  std::vector<std::vector<Changed>> Regroup(std::size_t attribute, std::span<const std::uint32_t> leaves,
                                            std::span<const std::size_t> sizes, std::span<const std::uint32_t> part_leaves);
  void HashReached(Sha256& hash) const;
  void HashCut(std::size_t attribute, Sha256& hash) const;
  void HashLeaves(std::span<const std::uint32_t> leaves, Sha256& hash) const;
  void Welcome(std::size_t attribute);
  void JudgeAll();
  void JudgeGroups(const Grouping& grouping, std::vector<Changed> changed);
  void JudgeTask(const Grouping& grouping, std::size_t attribute, std::span<const Changed> changed, Judged& judged) const;
  void Take(const Grouping& grouping, std::size_t attribute, const Judged& judged);
  void Cull();
  void JudgeState(std::span<const std::uint32_t> leaves);
  std::span<const StateRequirement::Reached> After(std::size_t attribute, int node) const;
  bool StateAllows(std::size_t attribute, int node) const;
  std::optional<Refinement> LeastViolation() const;
  Error Violates() const;
  LossSum StateLoss(std::size_t attribute, int node) const;
  Bound Then(std::size_t attribute, int node, std::size_t place) const;
  UInt128 ScoreOf(std::size_t attribute, int node) const;

  const View* view_;
  Plan plan_;
  TopDownOptions options_;
  Run run_;
  LogTable logs_;
  PackedRows rows_;
  std::vector<AttributeState> attributes_;
  std::vector<Grouping> groupings_;
  std::vector<Bound> reached_;         // by requirement
  bool share_units_ = false;           // losses are shares: some requirement is one
  std::vector<RowRun> runs_;           // by leaf
  std::vector<int> shown_;             // by leaf and attribute
  std::vector<std::uint32_t> groups_;  // by leaf and grouping
  std::int64_t num_refinements_ = 0;
  struct {
    std::size_t attribute = 0;
    std::vector<std::uint32_t> leaves;  // in order
  } last_step_;
};

}  // namespace cordon::engine
