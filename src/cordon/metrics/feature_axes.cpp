// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/feature_axes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace cordon::engine {

// A leaf's atom changes wherever a cell begins or ends. On an unordered axis stretches that the same cells cover are one atom,
// wherever they lie.
FeatureAxis::FeatureAxis(const FeatureColumn& training)
    : ordered_(training.ordered), atom_of_leaf_(static_cast<std::size_t>(training.num_leaves)) {
  std::vector<char> begins(atom_of_leaf_.size() + 1);
  for (const LeafSet& cell : training.cells) {
    for (const CodeRange& range : cell) begins[range.lo] = begins[static_cast<std::size_t>(range.hi) + 1] = 1;
  }
  Code next = -1;
  for (std::size_t leaf = 0; leaf < atom_of_leaf_.size(); ++leaf) {
    if (leaf == 0 || begins[leaf] != 0) ++next;
    atom_of_leaf_[leaf] = next;
  }
  if (!ordered_) {
    std::vector<std::vector<Code>> covered_by(static_cast<std::size_t>(next) + 1);
    for (std::size_t cell = 0; cell < training.cells.size(); ++cell) {
      for (const CodeRange& range : training.cells[cell]) {
        for (Code stretch = atom_of_leaf_[range.lo]; stretch <= atom_of_leaf_[range.hi]; ++stretch) {
          covered_by[stretch].push_back(static_cast<Code>(cell));
        }
      }
    }
    std::map<std::vector<Code>, Code> atoms;
    std::vector<Code> atom_of_stretch;
    for (const auto& cells : covered_by) {
      atom_of_stretch.push_back(atoms.try_emplace(cells, static_cast<Code>(atoms.size())).first->second);
    }
    for (Code& atom : atom_of_leaf_) atom = atom_of_stretch[atom];
    next = static_cast<Code>(atoms.size()) - 1;
  }
  sizes_.resize(static_cast<std::size_t>(next) + 1);
  for (const Code atom : atom_of_leaf_) ++sizes_[atom];
}

std::vector<AxisShare> FeatureAxis::Shares(const LeafSet& cell) const {
  std::vector<std::pair<Code, std::int64_t>> leaves;  // atom, how many of its leaves in a row
  std::int64_t all = 0;
  for (const CodeRange& range : cell) {
    for (Code leaf = range.lo; leaf <= range.hi; ++leaf) {
      const Code atom = atom_of_leaf_[leaf];
      if (leaves.empty() || leaves.back().first != atom) leaves.emplace_back(atom, 0);
      ++leaves.back().second;
    }
    all += range.hi - range.lo + 1;
  }
  if (!ordered_) std::sort(leaves.begin(), leaves.end());
  std::vector<AxisShare> shares;
  for (auto each = leaves.begin(); each != leaves.end();) {
    const Code atom = each->first;
    std::int64_t count = 0;
    for (; each != leaves.end() && each->first == atom; ++each) count += each->second;
    shares.push_back({atom, static_cast<double>(count) / static_cast<double>(all),
                      static_cast<double>(count) / static_cast<double>(sizes_[atom])});
  }
  return shares;
}

}  // namespace cordon::engine
