// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/host_box.h"

#include <algorithm>

namespace cordon {
namespace {

class Widener {
 public:
  Widener(const SearchRows& rows, const BoxSpans& spans, const MixOutlook& outlook, std::span<const std::uint32_t> alive,
          std::size_t seed, std::int64_t size)
      : rows_(rows), spans_(spans), outlook_(outlook), alive_(alive), size_(size), box_(rows.width), nearly_(rows.width) {
    for (std::size_t q = 0; q < rows.width; ++q) box_[q] = {rows.row(seed)[q], rows.row(seed)[q]};
    Code most = 0;
    for (const Code value : rows.values) most = std::max(most, value);
    inside_.resize(static_cast<std::size_t>(most) + 1);
  }

  std::size_t num_values() const { return inside_.size(); }

  void Widen() {
    for (Count(); Captured(inside_) < size_ && Step(); Count()) {
    }
  }

  std::vector<std::uint32_t> Rows() const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t row : alive_) {
      if (Outside(row).first == 0) found.push_back(row);
    }
    std::stable_sort(found.begin(), found.end(), [&](std::uint32_t a, std::uint32_t b) {
      return outlook_.Need(rows_.values[a]) > outlook_.Need(rows_.values[b]);
    });
    return found;
  }

 private:
  // How many attributes of the row miss the box (counted to 2), and the first of them.
  std::pair<int, std::size_t> Outside(std::size_t row) const {
    const Code* const codes = rows_.row(row);
    int missed = 0;
    std::size_t first = 0;
    for (std::size_t q = 0; q < rows_.width && missed < 2; ++q) {
      if (codes[q] >= box_[q].lo && codes[q] <= box_[q].hi) continue;
      if (missed++ == 0) first = q;
    }
    return {missed, first};
  }

  void Count() {
    std::fill(inside_.begin(), inside_.end(), 0);
    for (auto& rows : nearly_) rows.clear();
    for (const std::uint32_t row : alive_) {
      const auto [missed, q] = Outside(row);
      if (missed == 0) ++inside_[rows_.values[row]];
      if (missed == 1) nearly_[q].push_back(row);
    }
  }

  std::int64_t Captured(const std::vector<std::int64_t>& counts) const {
    std::int64_t sum = 0;
    for (std::size_t value = 0; value < counts.size(); ++value) {
      sum += std::min(counts[value], outlook_.Cap(static_cast<Code>(value), size_));
    }
    return std::min(sum, size_);
  }

  bool Step() {
    const std::int64_t now = Captured(inside_);
    double best = -1;
    std::size_t best_q = 0;
    CodeRange best_range;
    const auto consider = [&](std::size_t q, Code lo, Code hi) {
      if (lo == box_[q].lo && hi == box_[q].hi) return;
      std::vector<std::int64_t> counts = inside_;
      for (const std::uint32_t row : nearly_[q]) {
        const Code code = rows_.row(row)[q];
        if (code >= lo && code <= hi) ++counts[rows_.values[row]];
      }
      const double cost = spans_.Span(q, lo, hi) - spans_.Span(q, box_[q].lo, box_[q].hi);
      const double score = (static_cast<double>(Captured(counts) - now) + 0.01) / (cost + 1e-6);
      if (score > best) {
        best = score;
        best_q = q;
        best_range = {lo, hi};
      }
    };
    for (std::size_t q = 0; q < rows_.width; ++q) Options(q, consider);
    if (best < 0) return false;
    box_[best_q] = best_range;
    return true;
  }

  template <typename Consider>
  void Options(std::size_t q, const Consider& consider) const {
    const Domain& domain = spans_.domain(q);
    const CodeRange box = box_[q];
    const Code last = domain.size() - 1;
    if (domain.is_categorical()) {
      const Hierarchy& hierarchy = *domain.hierarchy();
      for (NodeId node = hierarchy.Lca(box.lo, box.hi); node >= 0; node = hierarchy.parent(node)) {
        consider(q, hierarchy.first_leaf(node), hierarchy.last_leaf(node));
      }
      return;
    }
    for (const Code step : {1, 2, 4, 8, 16, 32}) {
      const Code lo = std::max<Code>(0, box.lo - step);
      const Code hi = std::min<Code>(last, box.hi + step);
      consider(q, lo, box.hi);
      consider(q, box.lo, hi);
      consider(q, lo, hi);
    }
    consider(q, 0, last);
  }

  const SearchRows& rows_;
  const BoxSpans& spans_;
  const MixOutlook& outlook_;
  std::span<const std::uint32_t> alive_;
  std::int64_t size_;
  std::vector<CodeRange> box_;
  std::vector<std::int64_t> inside_;                // by value: alive rows in the box
  std::vector<std::vector<std::uint32_t>> nearly_;  // by attribute: rows that miss the box there alone
};

}  // namespace

HostBox WidenHostBox(const SearchRows& rows, const BoxSpans& spans, const MixOutlook& outlook,
                     std::span<const std::uint32_t> alive, std::size_t seed, std::int64_t size) {
  Widener widener(rows, spans, outlook, alive, seed, size);
  widener.Widen();
  return {widener.Rows(), widener.num_values()};
}

}  // namespace cordon
