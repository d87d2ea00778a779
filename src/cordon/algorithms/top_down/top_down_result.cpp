// SPDX-License-Identifier: Apache-2.0
//
// What a top-down search has come to: its digest, its leaves, and the groups it hands on.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "cordon/algorithms/top_down/top_down.h"
#include "cordon/base/check.h"
#include "cordon/base/digest.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

// Puts rows that are alike in the columns side by side, in the order of their codes.
void SortByCodes(const Microdata& data, std::span<const std::size_t> columns, std::span<RowId> rows) {
  if (columns.empty()) return;
  std::stable_sort(rows.begin(), rows.end(), [&](RowId a, RowId b) {
    for (const std::size_t column : columns) {
      const Code left = data.columns[column].codes[a];
      const Code right = data.columns[column].codes[b];
      if (left != right) return left < right;
    }
    return false;
  });
}

bool Alike(const Microdata& data, std::span<const std::size_t> columns, RowId a, RowId b) {
  return std::all_of(columns.begin(), columns.end(),
                     [&](std::size_t column) { return data.columns[column].codes[a] == data.columns[column].codes[b]; });
}

}  // namespace

std::string TopDown::Digest() const {
  Sha256 hash;
  hash.Update("cordon top-down state 1\n");
  HashReached(hash);
  for (std::size_t i = 0; i < attributes_.size(); ++i) HashCut(i, hash);
  HashLeaves(AllLeavesInOrder(), hash);
  return ToHex(hash.Finish());
}

std::string TopDown::StepDigest(std::string_view before) const {
  CORDON_CHECK(!last_step_.leaves.empty());
  Sha256 hash;
  hash.Update(fmt::format("cordon top-down step 1\n{}\n", before));
  HashReached(hash);
  HashCut(last_step_.attribute, hash);
  for (const std::uint32_t leaf : last_step_.leaves) {
    hash.Update(fmt::format("{} {}\n", runs_[leaf].begin, runs_[leaf].end));
  }
  HashLeaves(last_step_.leaves, hash);
  return ToHex(hash.Finish());
}

void TopDown::HashReached(Sha256& hash) const {
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    const std::int64_t common = std::gcd(reached_[i].above, reached_[i].below);
    hash.Update(fmt::format("{} {}/{}\n", requirement(i).Describe(), reached_[i].above / common, reached_[i].below / common));
  }
  for (const auto& each : plan_.state_requirements) {
    const Bound bound = each->Now().bound;
    const std::int64_t common = std::max<std::int64_t>(1, std::gcd(bound.above, bound.below));
    hash.Update(fmt::format("{} {}/{}\n", each->Describe(), bound.above / common, bound.below / common));
  }
}

void TopDown::HashCut(std::size_t attribute, Sha256& hash) const {
  const AttributeState& state = attributes_[attribute];
  hash.Update(fmt::format("{}:", state.masked.attribute().name));
  for (std::size_t node = 0; node < state.leaves.size(); ++node) {
    if (!state.leaves[node].empty()) hash.Update(state.masked.Text(static_cast<int>(node)) + "\n");
  }
}

void TopDown::HashLeaves(std::span<const std::uint32_t> leaves, Sha256& hash) const {
  std::vector<std::unordered_map<int, std::string>> texts(attributes_.size());  // a text is made once per node
  std::string key;
  std::vector<RowId> rows;
  for (const std::uint32_t leaf : leaves) {
    key.clear();
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      const auto [found, is_new] = texts[i].try_emplace(shown(leaf, i));
      if (is_new) found->second = attributes_[i].masked.Text(shown(leaf, i)) + "\n";
      key += found->second;
    }
    hash.Update(key);
    rows.clear();
    RowsOf(leaf).AppendRowIds(rows);
    hash.Update({reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(RowId)});
  }
}

std::size_t TopDown::num_shown(std::size_t attribute) const {
  const auto& leaves = attributes_[attribute].leaves;
  return static_cast<std::size_t>(std::count_if(leaves.begin(), leaves.end(), [](const auto& each) { return !each.empty(); }));
}

std::vector<TopDown::LeafView> TopDown::Leaves() const {
  std::vector<LeafView> views;
  for (const std::uint32_t leaf : AllLeavesInOrder()) {
    LeafView& view = views.emplace_back();
    for (std::size_t i = 0; i < attributes_.size(); ++i) view.shown.push_back(shown(leaf, i));
    GroupRows{rows_, std::span(&runs_[leaf], 1)}.AppendRowIds(view.rows);
  }
  return views;
}

Groups TopDown::ToGroups(const Run& run) const {
  const Microdata& data = view_->data();
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  std::vector<std::size_t> masked_at(data.columns.size(), attributes_.size());  // column -> attribute
  for (std::size_t i = 0; i < attributes_.size(); ++i) masked_at[plan_.masked[i].column] = i;
  std::vector<std::size_t> raw;
  for (const std::size_t column : quasi) {
    if (masked_at[column] == attributes_.size()) raw.push_back(column);
  }
  // 1. Rows, leaf after leaf.
  Groups groups;
  groups.rows.reserve(view_->size());
  groups.starts.push_back(0);
  std::vector<std::uint32_t> leaf_of_group;
  for (const std::uint32_t leaf : AllLeavesInOrder()) {
    const std::size_t first = groups.rows.size();
    GroupRows{rows_, std::span(&runs_[leaf], 1)}.AppendRowIds(groups.rows);
    SortByCodes(data, raw, std::span(groups.rows).subspan(first));
    for (std::size_t at = first + 1; at <= groups.rows.size(); ++at) {
      if (at < groups.rows.size() && Alike(data, raw, groups.rows[at - 1], groups.rows[at])) continue;
      groups.starts.push_back(at);
      leaf_of_group.push_back(leaf);
    }
  }
  // 2. What they show: a text is made once per node, or per value of a column that is not masked.
  auto cells = std::make_shared<GroupCells>();
  cells->dictionaries.resize(quasi.size());
  cells->codes.resize(quasi.size());
  ParallelFor(run.threads, quasi.size(), 1, [&](std::size_t q, std::size_t, std::size_t) {
    const MicrodataColumn& column = data.columns[quasi[q]];
    const std::size_t attribute = masked_at[quasi[q]];
    const bool masked = attribute < attributes_.size();
    auto dictionary = std::make_shared<Dictionary>();
    std::vector<Code> known;
    cells->codes[q].resize(leaf_of_group.size());
    for (std::size_t group = 0; group < leaf_of_group.size(); ++group) {
      const Code own = masked ? shown(leaf_of_group[group], attribute) : column.codes[groups.rows[groups.starts[group]]];
      if (known.size() <= static_cast<std::size_t>(own)) known.resize(static_cast<std::size_t>(own) + 1, kNull);
      if (known[own] == kNull) {
        known[own] =
            dictionary->Intern(masked ? attributes_[attribute].masked.Text(own) : column.attribute.domain->Publish(own, own));
      }
      cells->codes[q][group] = known[own];
    }
    cells->dictionaries[q] = std::move(dictionary);
  });
  groups.cells = std::move(cells);
  return groups;
}

}  // namespace cordon::engine
