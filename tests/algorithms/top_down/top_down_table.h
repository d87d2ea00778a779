// SPDX-License-Identifier: Apache-2.0
//
// Tables of weighted rows as papers print them, and top-down searches over them.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cordon/algorithms/top_down/top_down_plan.h"
#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine::testing {

inline std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class TopDownTable {
 public:
  // Rows "cell cell ... count-of-first-class count-of-second-class", cells in the order of the columns.
  explicit TopDownTable(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      std::vector<std::string> cells = Words(line);
      const int no = std::stoi(cells.back());
      const int yes = std::stoi(cells[cells.size() - 2]);
      cells.resize(cells.size() - 2);
      for (int i = 0; i < yes + no; ++i) {
        cells_.push_back(cells);
        labels_.of_row.push_back(i < yes ? 0 : 1);
      }
    }
    labels_.num_classes = 2;
    data_.num_rows = data_.num_persons = cells_.size();
  }

  // The next column of the lines, with a tree: each path "leaf level ... root".
  TopDownTable& Tree(const std::string& name, const std::vector<std::string>& paths) {
    std::vector<std::vector<std::string>> split;
    for (const std::string& path : paths) split.push_back(Words(path));
    maskings_.push_back(Masking::kTaxonomy);
    return Categorical(name, Role::kQuasi, Hierarchy::FromPaths(split).value());
  }
  TopDownTable& Suppressed(const std::string& name) {
    maskings_.push_back(Masking::kSuppression);
    return Categorical(name, Role::kQuasi, Hierarchy::Flat(Values()).value());
  }
  TopDownTable& Sensitive(const std::string& name) {
    return Categorical(name, Role::kSensitive, Hierarchy::Flat(Values()).value());
  }
  TopDownTable& Numeric(const std::string& name, std::int64_t lo, std::int64_t hi) {
    maskings_.push_back(Masking::kIntervals);
    Domain::NumericSpec spec;
    for (const std::string& value : Values()) spec.values.push_back(std::stoll(value));
    std::sort(spec.values.begin(), spec.values.end());
    spec.range_lo = lo;
    spec.range_hi = hi;
    return Add(name, Role::kQuasi, Domain::Numeric(spec));
  }

  // Leaves a column of the lines out.
  TopDownTable& Skip() {
    ++next_;
    return *this;
  }

  std::unique_ptr<TopDown> Search(const std::vector<ModelSpec>& specs, const TopDownOptions& options = {}, int threads = 1) {
    view_ = std::make_unique<View>(View::All(data_));
    reference_ = std::make_unique<Reference>(ReferenceOf(data_, view_->rows()));
    model_ = std::make_unique<AllOf>(AllOf::Make(specs, *reference_).value());
    counted_ = std::make_unique<CountedColumns>(data_, data_.ColumnsOf(Role::kSensitive), true);
    specs_ = specs;
    const TopDownInput input{*view_, specs_, *model_, *reference_, *counted_, maskings_, labels_};
    auto made = TopDown::Make(*view_, MakePlan(input).value(), options, {.threads = threads});
    if (!made.ok()) {
      error_ = made.error().message();
      return nullptr;
    }
    return std::move(made).value();
  }

  Microdata& data() { return data_; }
  ClassLabels& labels() { return labels_; }
  const View& view() const { return *view_; }
  const std::string& error() const { return error_; }
  const std::vector<std::string>& row(std::size_t i) const { return cells_[i]; }

 private:
  std::vector<std::string> Values() const {
    std::vector<std::string> values;
    for (const auto& row : cells_) values.push_back(row[next_]);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }
  TopDownTable& Categorical(const std::string& name, Role role, Hierarchy hierarchy) {
    return Add(name, role, Domain::Categorical(std::make_shared<const Hierarchy>(std::move(hierarchy)), std::nullopt));
  }
  TopDownTable& Add(const std::string& name, Role role, Domain domain) {
    MicrodataColumn& column = data_.columns.emplace_back();
    column.attribute = {name, role, std::make_shared<const Domain>(std::move(domain)), 1};
    std::vector<Code> codes;
    for (const auto& row : cells_) codes.push_back(column.attribute.domain->Encode(row[next_]).value());
    column.codes = CodesOf(codes);
    ++next_;
    return *this;
  }

  std::vector<std::vector<std::string>> cells_;
  std::size_t next_ = 0;
  Microdata data_;
  ClassLabels labels_;
  std::vector<Masking> maskings_;
  std::unique_ptr<View> view_;
  std::unique_ptr<Reference> reference_;
  std::unique_ptr<AllOf> model_;
  std::unique_ptr<CountedColumns> counted_;
  std::vector<ModelSpec> specs_;
  std::string error_;
};

// "Job:ANY_Job": what is refined; a suppressed value "Job:Cook" is what is shown.
inline std::string NameOf(const TopDown& search, const Refinement& refinement) {
  const MaskedAttribute& masked = search.attribute(refinement.attribute);
  return masked.attribute().name + ":" + masked.Text(refinement.node);
}

inline Refinement Find(const TopDown& search, const std::string& name) {
  for (std::size_t i = 0; i < search.num_attributes(); ++i) {
    for (const int node : search.attribute(i).Refinements()) {
      if (NameOf(search, {i, node}) == name) return {i, node};
    }
  }
  return {search.num_attributes(), -1};
}

inline double GainOf(const TopDown& search, const Refinement& r) {
  return static_cast<double>(search.attribute(r.attribute).gain(r.node)) /
         static_cast<double>(search.attribute(r.attribute).scored_rows(r.node)) / 4294967296.0;
}
inline double ScoreOf(const TopDown& search, const Refinement& r) {
  return static_cast<double>(search.StandingOf(r).score) / 4503599627370496.0;
}

// Winners to the end.
inline std::vector<std::string> RunToTheEnd(TopDown& search) {
  std::vector<std::string> winners;
  while (const auto best = search.Best()) {
    winners.push_back(NameOf(search, *best));
    search.Apply(*best);
  }
  return winners;
}

// "text/text" -> rows, over all masked attributes.
inline std::map<std::string, std::size_t> LeafSizes(const TopDown& search) {
  std::map<std::string, std::size_t> sizes;
  for (const TopDown::LeafView& leaf : search.Leaves()) {
    std::string key;
    for (std::size_t i = 0; i < leaf.shown.size(); ++i) key += (i == 0 ? "" : "/") + search.attribute(i).Text(leaf.shown[i]);
    sizes[key] += leaf.rows.size();
  }
  return sizes;
}

inline ModelSpec KOn(std::int64_t k, std::vector<std::string> on) { return KAnonymitySpec{.k = k, .on = std::move(on)}; }

}  // namespace cordon::engine::testing
