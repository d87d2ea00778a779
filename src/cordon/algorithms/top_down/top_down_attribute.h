// SPDX-License-Identifier: Apache-2.0
//
// One attribute under top-down refinement: what its values are shown as, how that can be refined next, and what a
// refinement would tell about the class. Masking is global: a value is shown the same way in every row, so an attribute
// has one state, and everything here follows from how often each value occurs with each class. No row is read again.
//
//   taxonomy      a cut through the hierarchy; a node is refined into its children
//   suppression   every value starts as "*"; one value at a time is shown
//   intervals     a binary tree that grows: an interval is refined at the threshold of greatest gain, fixed by its rows
//
// Nodes are numbered. Number 0 is the top. A taxonomy has all its nodes from the start, in pre-order; intervals get
// theirs as they appear; under suppression 0 is "*" and 1 + code the value. A refinement is named by the node it
// refines, under suppression by the node it shows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cordon/algorithms/top_down/top_down_score.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"

namespace cordon::engine {

enum class Masking { kTaxonomy, kSuppression, kIntervals };

enum class TopDownUtility {
  kClass,       // information gain about the class
  kDistortion,  // rows that are shown more exactly
};

// Class numbers 0..num_classes-1 by row of the microdata; kNull: the row's class is missing. Empty: no class.
struct ClassLabels {
  std::vector<Code> of_row;
  Code num_classes = 0;
};

// How often each code occurs, and with which classes.
class Marginal {
 public:
  struct Entry {
    Code class_number;
    std::int64_t count;
  };

  Marginal(const View& view, const Codes& codes, Code num_codes, const ClassLabels& labels);
  // Of a column that somebody else holds: nothing is known.
  explicit Marginal(Code num_codes);

  bool known() const { return known_; }

  Code num_codes() const { return static_cast<Code>(rows_.size()); }
  Code num_classes() const { return num_classes_; }
  std::int64_t rows(Code code) const { return rows_[code]; }  // those without a class included
  std::span<const Entry> classes(Code code) const {
    return std::span(entries_).subspan(starts_[code], starts_[code + 1] - starts_[code]);
  }

 private:
  bool known_ = true;
  Code num_classes_;
  std::vector<std::int64_t> rows_;
  std::vector<std::size_t> starts_;
  std::vector<Entry> entries_;
};

class MaskedAttribute {
 public:
  // `logs` outlives it.
  MaskedAttribute(const Attribute& attribute, Masking masking, Marginal marginal, TopDownUtility utility, const LogTable& logs);

  const Attribute& attribute() const { return attribute_; }
  Masking masking() const { return masking_; }
  bool one_by_one() const { return masking_ == Masking::kSuppression; }
  // Somebody else holds the column: which refinement is made next, and where an interval is split, has to be told.
  bool foreign() const { return !marginal_.known(); }
  std::size_t num_nodes() const { return nodes_.size(); }

  // What is left to refine, in the order of the cut: taxonomies and intervals from left to right, values by code.
  std::vector<int> Refinements() const;
  // All values that are shown, in the same order, those that cannot be refined and those without rows included.
  std::vector<int> Cut() const;
  // The node whose rows the refinement moves.
  int source(int refinement) const { return one_by_one() ? 0 : refinement; }
  std::size_t num_parts(int refinement) const { return one_by_one() ? 2 : Parts(refinement); }
  // Part of each code under the refinement of the node that shows it; under suppression, the code itself.
  std::span<const std::int32_t> part_of() const { return part_of_; }

  // |rows| * information gain * 2^32, and those rows. Under kDistortion: rows * rows shown more exactly.
  Int128 gain(int refinement) const { return nodes_[refinement].gain; }
  std::int64_t scored_rows(int refinement) const { return nodes_[refinement].scored_rows; }
  // Whether the rows moved are of more than one class; under kDistortion, whether any row changes.
  bool beneficial(int refinement) const { return nodes_[refinement].beneficial; }

  // Where a foreign interval will be split. REQUIRES: a code of the interval but its least.
  void SetSplit(int refinement, Code split);
  // Makes the refinement: the nodes that its parts show. REQUIRES: it is among Refinements().
  std::vector<int> Refine(int refinement);

  // What is published for the node.
  std::string Text(int node) const;
  // What the parts of a refinement that is not made yet would show. REQUIRES: it is among Refinements().
  std::vector<std::string> PartTexts(int refinement) const;
  // Intervals: the least code of the upper part, kNull if only missing values are split off.
  Code split(int node) const { return nodes_[node].split; }
  CodeRange codes(int node) const { return nodes_[node].codes; }

 private:
  enum class State : std::uint8_t { kAhead, kOnCut, kRefined };
  struct Node {
    CodeRange codes;
    State state = State::kAhead;
    bool beneficial = false;
    bool with_missing = false;  // intervals: the missing values belong to it
    NodeId label = kRoot;       // taxonomies
    Code split = kNull;
    bool can_split = false;
    std::int64_t scored_rows = 0;
    Int128 gain = 0;
    std::vector<int> children;
  };

  std::size_t Parts(int node) const;
  std::string IntervalText(CodeRange codes) const;
  void GrowTaxonomy();
  void GrowSuppression();
  void UpdateSuppression();
  int AddInterval(CodeRange codes, bool with_missing);
  bool StartsStep(Code before, Code code) const;
  void FindSplit(Node& node);
  void ShowParts(int node);
  std::vector<std::int64_t> ClassesOf(CodeRange codes) const;
  void AddClasses(Code code, std::vector<std::int64_t>& classes) const;

  Attribute attribute_;
  Masking masking_;
  Marginal marginal_;
  TopDownUtility utility_;
  const LogTable* logs_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> part_of_;
};

}  // namespace cordon::engine
