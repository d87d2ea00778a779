// SPDX-License-Identifier: Apache-2.0
//
// Tables whose columns two parties hold between them, and the searches of each.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cordon/data/recode.h"
#include "tests/algorithms/top_down/top_down_table.h"

namespace cordon::engine::testing {

// What both parties know: schema, trees, declared domains, models and the class. Codes are the owners'.
struct Joint {
  Microdata data;
  std::vector<Masking> maskings;
  ClassLabels labels;
  std::vector<ModelSpec> specs;
};

// Who holds the columns that `holds` says yes to; the codes of the others are not there. Outlives its searches.
class JointParty {
 public:
  JointParty(const Joint& joint, const std::vector<bool>& holds) : joint_(joint), data_(joint.data) {
    const std::vector<std::size_t> quasi = data_.ColumnsOf(Role::kQuasi);
    for (std::size_t q = 0; q < quasi.size(); ++q) {
      if (!holds[q]) data_.columns[quasi[q]].codes = Codes();
    }
    view_ = std::make_unique<View>(View::All(data_));
    reference_ = std::make_unique<Reference>(ReferenceOf(data_, view_->rows()));
    model_ = std::make_unique<AllOf>(AllOf::Make(joint_.specs, *reference_).value());
    counted_ = std::make_unique<CountedColumns>(data_, data_.ColumnsOf(Role::kSensitive), true);
  }
  JointParty(const JointParty&) = delete;
  JointParty& operator=(const JointParty&) = delete;

  Result<std::unique_ptr<TopDown>> Make(const TopDownOptions& options = {}) const {
    const TopDownInput input{*view_, joint_.specs, *model_, *reference_, *counted_, joint_.maskings, joint_.labels};
    CORDON_TRY(TopDown::Plan plan, MakePlan(input));
    return TopDown::Make(*view_, std::move(plan), options, {});
  }
  // The rows of the release, line by line.
  std::string Published(const TopDown& search) const {
    Random random = Random::FromSeed(1);
    const Release release = Recode(*view_, search.ToGroups({}), {.order = RowOrder::kSorted}, random, {});
    std::string text;
    for (std::size_t row = 0; row < release.num_rows; ++row) {
      for (const ReleaseColumn& column : release.columns) {
        text += std::string((*column.text.dictionary)[column.text.codes[row]].bytes()) + ",";
      }
      text += "\n";
    }
    return text;
  }

 private:
  Joint joint_;
  Microdata data_;
  std::unique_ptr<View> view_;
  std::unique_ptr<Reference> reference_;
  std::unique_ptr<AllOf> model_;
  std::unique_ptr<CountedColumns> counted_;
};

inline void AddClass(Joint& joint, const std::vector<std::string>& names, std::vector<Code> labels) {
  auto texts = std::make_shared<Dictionary>();
  for (const std::string& name : names) texts->Intern(name);
  MicrodataColumn& column = joint.data.columns.emplace_back();
  column.attribute.name = "class";
  column.attribute.role = Role::kClass;
  column.text = {"class", texts, CodesOf(labels)};
  joint.labels = {std::move(labels), static_cast<Code>(names.size())};
}

// The same people in another order.
inline Joint WithRows(const Joint& joint, const std::vector<std::size_t>& rows) {
  Joint moved = joint;
  const auto move = [&](const Codes& codes) {
    return codes.empty() ? Codes() : Codes::Generate(rows.size(), 1, [&](std::size_t row) { return codes[rows[row]]; });
  };
  moved.data.num_rows = moved.data.num_persons = rows.size();
  for (MicrodataColumn& column : moved.data.columns) {
    column.codes = move(column.codes);
    column.text.codes = move(column.text.codes);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) moved.labels.of_row[i] = joint.labels.of_row[rows[i]];
  moved.labels.of_row.resize(rows.size());
  return moved;
}

inline Joint RandomJoint(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<Code>(random() % n); };
  const std::size_t rows = 12 + random() % 39;
  SmallTable table(rows);
  Joint joint;
  std::vector<std::string> names;
  const std::size_t columns = 2 + random() % 3;
  for (std::size_t i = 0; i < columns; ++i) {
    names.push_back("q" + std::to_string(i));
    const bool numbers = below(2) == 0;
    const Code size = 2 + below(7);
    std::vector<Code> codes;
    const auto used = static_cast<std::size_t>(1 + below(static_cast<std::size_t>(size)));  // some values nobody has
    for (std::size_t row = 0; row < rows; ++row) codes.push_back(below(used));
    joint.maskings.push_back(numbers ? Masking::kIntervals : Masking::kTaxonomy);
    table.Add(names.back(), Role::kQuasi, numbers ? Numbers(size) : Categories(size, 1 + below(3)), codes);
  }
  joint.data = std::move(table.data);
  const auto classes = static_cast<std::size_t>(2 + below(2));
  std::vector<Code> labels;
  for (std::size_t row = 0; row < rows; ++row) labels.push_back(below(classes));
  AddClass(joint, {"no", "yes", "maybe"}, std::move(labels));
  const std::size_t templates = 1 + random() % 3;
  for (std::size_t i = 0; i < templates; ++i) {
    std::vector<std::string> on;
    for (std::size_t column = 0; column < columns; ++column) {
      if (column % templates == i || below(2) == 0) on.push_back(names[column]);  // every column is in some template
    }
    if (!on.empty()) joint.specs.push_back(KAnonymitySpec{.k = 1 + below(6), .on = on});
  }
  return joint;
}

// Chapter 7's 34 records, as in the specification; A holds Sex, B the others.
inline Joint Table7(bool with_salary) {
  Joint joint;
  TopDownTable table({"M Janitor 30 0 3", "M Mover 32 0 4", "M Carpenter 35 2 3", "F Technician 37 3 1", "F Manager 42 4 2",
                      "F Manager 44 3 0", "M Accountant 44 3 0", "F Accountant 44 3 0", "M Lawyer 44 2 0", "F Lawyer 44 1 0"});
  table.Tree("Sex", {"M ANY_Sex", "F ANY_Sex"})
      .Tree("Job", {"Janitor Non_Technical Blue_Collar ANY_Job", "Mover Non_Technical Blue_Collar ANY_Job",
                    "Carpenter Technical Blue_Collar ANY_Job", "Technician Technical Blue_Collar ANY_Job",
                    "Manager Manager White_Collar ANY_Job", "Accountant Professional White_Collar ANY_Job",
                    "Lawyer Professional White_Collar ANY_Job"});
  joint.maskings = {Masking::kTaxonomy, Masking::kTaxonomy};
  joint.specs = {KOn(4, {"Sex", "Job"})};
  if (with_salary) {
    table.Numeric("Salary", 1, 99);
    joint.maskings.push_back(Masking::kIntervals);
    joint.specs.push_back(KOn(11, {"Sex", "Salary"}));
  }
  joint.data = table.data();
  AddClass(joint, {"Y", "N"}, table.labels().of_row);
  return joint;
}

}  // namespace cordon::engine::testing
