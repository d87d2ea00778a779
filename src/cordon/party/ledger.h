// SPDX-License-Identifier: Apache-2.0
//
// What the instructions of a run say, followed without any table: which values are shown, by how many records each combination,
// and whether every template holds after every step. Counts are made of the child numbers alone, by code that shares nothing
// with the search but the trees.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cordon/algorithms/top_down/top_down_attribute.h"
#include "cordon/base/result.h"
#include "cordon/crypto/payload.h"

namespace cordon::engine {

class Ledger {
 public:
  struct Column {
    Attribute attribute;  // with its declared domain
    Masking masking;
  };
  struct Template {
    std::vector<std::size_t> columns;
    std::int64_t k = 0;
    std::string text;  // as the policy has it
  };
  Ledger(const std::vector<Column>& columns, std::vector<Template> templates);

  // One instruction. An error if it does not follow from those before it, or breaks a template.
  Result<void> Apply(const InstructPayload& instruct);

  // Of all records that are told apart: by what they show, column by column, how many. Empty before the first instruction.
  std::map<std::vector<std::string>, std::uint64_t> Rows() const;
  std::uint64_t num_records() const { return num_records_; }
  std::size_t num_columns() const { return columns_.size(); }
  const MaskedAttribute& column(std::size_t i) const { return columns_[i]; }
  // Different values that records show.
  std::size_t num_shown(std::size_t column) const;
  // The smallest group of a template now.
  std::uint64_t SmallestGroup(std::size_t number) const;
  const std::vector<Template>& templates() const { return templates_; }

  // The instruction that was applied last: the size of each part of each leaf it moved, in order.
  const std::vector<std::uint64_t>& moved() const { return moved_; }

 private:
  struct Leaf {
    std::vector<int> shown;  // node by column
    std::uint64_t rows = 0;
  };

  std::unique_ptr<LogTable> logs_ = std::make_unique<LogTable>(1);  // columns point to it
  std::vector<MaskedAttribute> columns_;
  std::vector<Template> templates_;
  std::vector<Leaf> leaves_;
  std::vector<std::uint64_t> moved_;
  std::uint64_t num_records_ = 0;
};

}  // namespace cordon::engine
