// SPDX-License-Identifier: Apache-2.0
//
// A current table and previous releases of a few rows, a search over them, and the same as the oracle sees it.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cordon/algorithms/tdssa/tdssa.h"
#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/top_down/join_oracle.h"
#include "tests/algorithms/top_down/top_down_table.h"
#include "tests/models/verify/linked_builder.h"

namespace cordon::engine::testing {

class SequentialTable {
 public:
  // Of the current table: its columns, rows of cells, and the class of each row (empty: none).
  SequentialTable(const std::string& columns, std::vector<std::string> rows, std::vector<Code> classes = {})
      : columns_(Words(columns)), rows_(std::move(rows)) {
    labels_.of_row = std::move(classes);
    if (!labels_.of_row.empty()) labels_.num_classes = 1 + *std::max_element(labels_.of_row.begin(), labels_.of_row.end());
  }
  // A quasi column with its tree: each path "leaf level ... root". Columns without one are published as they are.
  SequentialTable& Tree(const std::string& column, const std::vector<std::string>& paths) {
    trees_[column] = paths;
    return *this;
  }
  SequentialTable& Previous(const std::string& columns, const std::vector<std::string>& rows) {
    previous_.emplace_back(columns, rows);
    return *this;
  }
  SequentialTable& Impossible(const std::string& current, const std::string& previous,
                              const std::vector<std::pair<std::string, std::string>>& pairs) {
    impossible_.push_back({current, previous, pairs});
    return *this;
  }
  SequentialTable& Ask(JoinSpec spec) {
    specs_.push_back(std::move(spec));
    return *this;
  }
  SequentialTable& OnlyX() {
    generalize_joining_ = false;
    return *this;
  }
  SequentialTable& Models(std::vector<ModelSpec> models) {
    models_ = std::move(models);
    return *this;
  }

  Result<std::unique_ptr<TopDown>> Search(TopDownOptions options = {}, int threads = 1) {
    Build();
    if (labels_.of_row.empty()) options.utility = TopDownUtility::kDistortion;
    options.zero_gain = true;
    const TopDownInput input{*view_, models_, *model_, *reference_, *counted_, maskings_, labels_};
    sequential_ = std::make_unique<SequentialInput>(
        SequentialInput{linked_, axes_, LinkedBuilder::kMissing, specs_, impossible_, generalize_joining_});
    return MakeTdssa(input, *sequential_, options, {.threads = threads});
  }

  // As the oracle sees it; keys are columns that begin with '#'.
  OracleJoin Oracle() const {
    OracleJoin join;
    for (const auto& [column, paths] : trees_) {
      for (const std::string& path : paths) {
        const std::vector<std::string> labels = Words(path);
        for (std::size_t i = 0; i + 1 < labels.size(); ++i) {
          if (labels[i] != labels[i + 1]) join.parents[column][labels[i]] = labels[i + 1];
        }
      }
    }
    for (const ImpossiblePairs& each : impossible_) {
      join.forbidden.push_back({each.current, each.previous, {each.pairs.begin(), each.pairs.end()}});
    }
    return join;
  }
  std::vector<OracleTable> OracleTables() const {
    std::vector<OracleTable> tables = {Rows(columns_, rows_, "#k0")};
    for (std::size_t i = 0; i < previous_.size(); ++i) {
      tables.push_back(Rows(Words(previous_[i].first), previous_[i].second, "#k" + std::to_string(i + 1)));
    }
    return tables;
  }
  const LinkedTables& linked() const { return linked_; }

 private:
  static OracleTable Rows(const std::vector<std::string>& columns, const std::vector<std::string>& rows,
                          const std::string& key) {
    OracleTable table;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      OracleRow& made = table.emplace_back();
      made[key] = std::to_string(row);
      const std::vector<std::string> cells = Words(rows[row]);
      for (std::size_t i = 0; i < columns.size(); ++i) made[columns[i]] = cells[i];
    }
    return table;
  }

  void Build() {
    LinkedBuilder builder;
    for (const auto& [column, paths] : trees_) builder.Tree(column, paths);
    builder.Table(Join(columns_), rows_);
    for (const auto& [columns, rows] : previous_) builder.Table(columns, rows);
    for (const ImpossiblePairs& each : impossible_) builder.Impossible(each.current, each.previous, each.pairs);
    linked_ = builder.Build();
    axes_ = builder.axes();
    data_ = Microdata();
    data_.num_rows = data_.num_persons = rows_.size();
    maskings_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      MicrodataColumn& column = data_.columns.emplace_back();
      std::vector<std::string> cells;
      for (const std::string& row : rows_) cells.push_back(Words(row)[i]);
      const auto tree = trees_.find(columns_[i]);
      const bool quasi = tree != trees_.end();
      std::vector<std::vector<std::string>> paths;
      for (const std::string& path : quasi ? tree->second : std::vector<std::string>()) paths.push_back(Words(path));
      const std::set<std::string> values(cells.begin(), cells.end());
      Hierarchy hierarchy = quasi ? Hierarchy::FromPaths(paths).value()
                                  : Hierarchy::Flat(std::vector<std::string>(values.begin(), values.end())).value();
      auto domain = std::make_shared<const Domain>(
          Domain::Categorical(std::make_shared<const Hierarchy>(std::move(hierarchy)), std::nullopt));
      column.attribute = {columns_[i], quasi ? Role::kQuasi : Role::kSensitive, domain, 1};
      std::vector<Code> codes;
      for (const std::string& cell : cells) codes.push_back(domain->Encode(cell).value());
      column.codes = CodesOf(codes);
      if (quasi) maskings_.push_back(Masking::kTaxonomy);
    }
    view_ = std::make_unique<View>(View::All(data_));
    reference_ = std::make_unique<Reference>(ReferenceOf(data_, view_->rows()));
    model_ = std::make_unique<AllOf>(AllOf::Make(models_, *reference_).value());
    counted_ = std::make_unique<CountedColumns>(data_, data_.ColumnsOf(Role::kSensitive), true);
  }
  static std::string Join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  std::vector<std::string> columns_;
  std::vector<std::string> rows_;
  ClassLabels labels_;
  std::map<std::string, std::vector<std::string>> trees_;
  std::vector<std::pair<std::string, std::vector<std::string>>> previous_;
  std::vector<ImpossiblePairs> impossible_;
  std::vector<JoinSpec> specs_;
  std::vector<ModelSpec> models_;
  bool generalize_joining_ = true;

  LinkedTables linked_;
  std::map<std::string, SharedAxis> axes_;
  Microdata data_;
  std::vector<Masking> maskings_;
  std::unique_ptr<View> view_;
  std::unique_ptr<Reference> reference_;
  std::unique_ptr<AllOf> model_;
  std::unique_ptr<CountedColumns> counted_;
  std::unique_ptr<SequentialInput> sequential_;
};

}  // namespace cordon::engine::testing
