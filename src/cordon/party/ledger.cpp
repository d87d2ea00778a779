// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/ledger.h"

#include <algorithm>
#include <set>

#include "cordon/party/instruct.h"

namespace cordon::engine {

Ledger::Ledger(const std::vector<Column>& columns, std::vector<Template> templates) : templates_(std::move(templates)) {
  columns_.reserve(columns.size());
  for (const Column& column : columns) {
    columns_.emplace_back(column.attribute, column.masking, Marginal(column.attribute.domain->size()), TopDownUtility::kClass,
                          *logs_);
  }
}

Result<void> Ledger::Apply(const InstructPayload& instruct) {
  if (instruct.column >= columns_.size()) return Error::Protocol("there is no such column");
  if (leaves_.empty()) {  // all records show the most general values: the first instruction is about all of them
    num_records_ = instruct.children.count;
    leaves_.push_back({std::vector<int>(columns_.size(), 0), num_records_});
  }
  MaskedAttribute& column = columns_[instruct.column];
  CORDON_TRY(const ToldStep step, StepOf(column, instruct));
  const int node = step.refinement.node;
  if (step.split != kNull) {
    const CodeRange codes = column.codes(node);
    if (step.split <= codes.lo || step.split > codes.hi) return Error::Protocol("a split is outside its interval");
    column.SetSplit(node, step.split);
  }
  const std::vector<int> children = column.Refine(node);
  std::vector<Leaf> leaves;
  moved_.clear();
  std::size_t next = 0;
  for (Leaf& leaf : leaves_) {
    if (leaf.shown[instruct.column] != node) {
      leaves.push_back(std::move(leaf));
      continue;
    }
    if (step.child_numbers.size() - next < leaf.rows) return Error::Protocol("an instruction is about too few records");
    std::vector<std::uint64_t> parts(children.size());
    for (std::uint64_t i = 0; i < leaf.rows; ++i) ++parts[step.child_numbers[next++]];
    for (std::size_t part = 0; part < parts.size(); ++part) {
      moved_.push_back(parts[part]);
      if (parts[part] == 0) continue;
      Leaf made = leaf;
      made.shown[instruct.column] = children[part];
      made.rows = parts[part];
      leaves.push_back(std::move(made));
    }
  }
  if (next != step.child_numbers.size()) return Error::Protocol("an instruction is about too many records");
  leaves_ = std::move(leaves);
  for (std::size_t i = 0; i < templates_.size(); ++i) {
    if (SmallestGroup(i) >= static_cast<std::uint64_t>(templates_[i].k)) continue;
    return Error::Protocol("an instruction breaks {}: a group has {} records", templates_[i].text, SmallestGroup(i));
  }
  return {};
}

std::map<std::vector<std::string>, std::uint64_t> Ledger::Rows() const {
  std::map<std::vector<std::string>, std::uint64_t> rows;
  for (const Leaf& leaf : leaves_) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < columns_.size(); ++i) texts.push_back(columns_[i].Text(leaf.shown[i]));
    rows[std::move(texts)] += leaf.rows;
  }
  return rows;
}

std::size_t Ledger::num_shown(std::size_t column) const {
  std::set<int> shown;
  for (const Leaf& leaf : leaves_) shown.insert(leaf.shown[column]);
  return shown.size();
}

std::uint64_t Ledger::SmallestGroup(std::size_t number) const {
  std::map<std::vector<int>, std::uint64_t> groups;
  for (const Leaf& leaf : leaves_) {
    std::vector<int> key;
    for (const std::size_t column : templates_[number].columns) key.push_back(leaf.shown[column]);
    groups[std::move(key)] += leaf.rows;
  }
  std::uint64_t smallest = num_records_;
  for (const auto& [key, rows] : groups) smallest = std::min(smallest, rows);
  return smallest;
}

}  // namespace cordon::engine
