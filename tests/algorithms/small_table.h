// SPDX-License-Identifier: Apache-2.0
//
// Microdata written down column by column, for tests of algorithms.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cordon/data/microdata.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine::testing {

inline Codes CodesOf(const std::vector<Code>& codes) {
  return Codes::Generate(codes.size(), 1, [&](std::size_t row) { return codes[row]; });
}

// 0 to size - 1, each a different value; with missing values, code size is theirs.
inline std::shared_ptr<const Domain> Numbers(Code size, bool missing = false) {
  Domain::NumericSpec spec;
  for (Code value = 0; value < size; ++value) spec.values.push_back(value);
  spec.range_hi = size - 1;
  if (missing) spec.missing = "?";
  return std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
}

// Leaves "0", "1", ... under nodes of `fanout` each, these under the root; fanout 1: flat. With missing values, a last leaf
// "?" under the root.
inline std::shared_ptr<const Domain> Categories(Code leaves, Code fanout, bool missing = false) {
  std::vector<std::vector<std::string>> paths;
  for (Code leaf = 0; leaf < leaves; ++leaf) {
    const std::string name = std::to_string(leaf);
    paths.push_back({name, fanout == 1 ? name : "n" + std::to_string(leaf / fanout), "*"});
  }
  Hierarchy hierarchy = Hierarchy::FromPaths(paths).value();
  if (missing) hierarchy = hierarchy.WithLeaf("?").value();
  return std::make_shared<const Domain>(Domain::Categorical(std::make_shared<const Hierarchy>(std::move(hierarchy)),
                                                            missing ? std::optional<std::string>("?") : std::nullopt));
}

struct SmallTable {
  Microdata data;

  explicit SmallTable(std::size_t num_rows) { data.num_rows = data.num_persons = num_rows; }

  SmallTable& Add(const std::string& name, Role role, std::shared_ptr<const Domain> domain, const std::vector<Code>& codes) {
    MicrodataColumn& column = data.columns.emplace_back();
    column.attribute.name = name;
    column.attribute.role = role;
    column.attribute.domain = std::move(domain);
    column.codes = CodesOf(codes);
    return *this;
  }
  SmallTable& Persons(const std::vector<Code>& persons) {
    data.persons = CodesOf(persons);
    std::vector<Code> distinct = persons;
    std::sort(distinct.begin(), distinct.end());
    data.num_persons = static_cast<std::size_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
    return *this;
  }
};

// A model with what it counts, over all rows.
struct CountedModel {
  AllOf model;
  CountedColumns counted;

  CountedModel(const Microdata& data, const std::vector<ModelSpec>& specs)
      : model(Make(data, specs)), counted(data, data.ColumnsOf(Role::kSensitive), true) {}

  static AllOf Make(const Microdata& data, const std::vector<ModelSpec>& specs) {
    std::vector<RowId> rows(data.num_rows);
    std::iota(rows.begin(), rows.end(), RowId{0});
    return AllOf::Make(specs, ReferenceOf(data, rows)).value();
  }
};

inline ModelSpec K(std::int64_t k) { return KAnonymitySpec{.k = k, .on = {}}; }

}  // namespace cordon::engine::testing
