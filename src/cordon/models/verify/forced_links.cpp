// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/forced_links.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cordon/models/verify/join_pairs_internal.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kMaxLinks = 20'000'000;
constexpr std::uint32_t kUnseen = ~std::uint32_t{0};

struct Link {
  std::uint32_t a;
  std::uint32_t b;
  std::int64_t flow = 0;
};

// A flow that sends the rows of every class of a to classes of b. Links are sorted by a.
class Pairing {
 public:
  Pairing(std::vector<Link> links, std::vector<std::int64_t> rows_a, std::vector<std::int64_t> rows_b)
      : links_(std::move(links)), left_a_(std::move(rows_a)), left_b_(std::move(rows_b)) {
    starts_.resize(left_a_.size() + 1);
    for (const Link& link : links_) ++starts_[link.a + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    starts_back_.resize(left_b_.size() + 1);
    for (const Link& link : links_) ++starts_back_[link.b + 1];
    std::partial_sum(starts_back_.begin(), starts_back_.end(), starts_back_.begin());
    back_.resize(links_.size());
    std::vector<std::uint32_t> next(starts_back_.begin(), starts_back_.end() - 1);
    for (std::uint32_t i = 0; i < links_.size(); ++i) back_[next[links_[i].b]++] = i;
  }

  // Dinic's rounds of shortest augmenting paths, after a greedy start.
  void Fill() {
    for (Link& link : links_) Send(link, std::min(left_a_[link.a], left_b_[link.b]));
    while (Layer()) {
      next_a_.assign(starts_.begin(), starts_.end() - 1);
      next_b_.assign(starts_back_.begin(), starts_back_.end() - 1);
      for (std::uint32_t a = 0; a < left_a_.size(); ++a) {
        while (left_a_[a] > 0 && Augment(a)) {
        }
      }
    }
  }

  std::int64_t left() const { return std::accumulate(left_a_.begin(), left_a_.end(), std::int64_t{0}); }
  const std::vector<Link>& links() const { return links_; }

  // By class of a, then of b: number of its strongly connected part. REQUIRES: all rows are paired.
  std::vector<std::uint32_t> ConnectedParts() const;

 private:
  void Send(Link& link, std::int64_t rows) {
    link.flow += rows;
    left_a_[link.a] -= rows;
    left_b_[link.b] -= rows;
  }

  // Distances from classes of a with rows left. Whether some class of b with room left is reached.
  bool Layer() {
    depth_a_.assign(left_a_.size(), kUnseen);
    depth_b_.assign(left_b_.size(), kUnseen);
    std::vector<std::uint32_t> open;
    for (std::uint32_t a = 0; a < left_a_.size(); ++a) {
      if (left_a_[a] == 0) continue;
      depth_a_[a] = 0;
      open.push_back(a);
    }
    bool reached = false;
    for (std::uint32_t depth = 0; !open.empty() && !reached; depth += 2) {
      std::vector<std::uint32_t> further;
      for (const std::uint32_t a : open) {
        for (std::uint32_t i = starts_[a]; i < starts_[a + 1]; ++i) {
          const std::uint32_t b = links_[i].b;
          if (depth_b_[b] != kUnseen) continue;
          depth_b_[b] = depth + 1;
          reached = reached || left_b_[b] > 0;
          for (std::uint32_t k = starts_back_[b]; k < starts_back_[b + 1]; ++k) {
            const Link& link = links_[back_[k]];
            if (link.flow == 0 || depth_a_[link.a] != kUnseen) continue;
            depth_a_[link.a] = depth + 2;
            further.push_back(link.a);
          }
        }
      }
      open = std::move(further);
    }
    return reached;
  }

  // One path from `start` along the layers, without recursion: paths may be as long as there are classes.
  bool Augment(std::uint32_t start) {
    std::vector<std::uint32_t> path;  // links, forward and back in turn
    std::uint32_t a = start;
    while (true) {
      bool advanced = false;
      for (; next_a_[a] < starts_[a + 1]; ++next_a_[a]) {
        const std::uint32_t b = links_[next_a_[a]].b;
        if (depth_b_[b] != depth_a_[a] + 1) continue;
        if (left_b_[b] > 0) {
          path.push_back(next_a_[a]);
          Push(start, b, path);
          return true;
        }
        for (; next_b_[b] < starts_back_[b + 1]; ++next_b_[b]) {
          const Link& link = links_[back_[next_b_[b]]];
          if (link.flow > 0 && depth_a_[link.a] == depth_b_[b] + 1) break;
        }
        if (next_b_[b] == starts_back_[b + 1]) continue;
        path.push_back(next_a_[a]);
        path.push_back(back_[next_b_[b]]);
        a = links_[path.back()].a;
        advanced = true;
        break;
      }
      if (advanced) continue;
      if (path.empty()) return false;
      const std::uint32_t b = links_[path.back()].b;  // a dead end: try the next way out of b
      ++next_b_[b];
      path.pop_back();
      a = links_[path.back()].a;
      path.pop_back();
    }
  }

  void Push(std::uint32_t start, std::uint32_t end, const std::vector<std::uint32_t>& path) {
    std::int64_t rows = std::min(left_a_[start], left_b_[end]);
    for (std::size_t i = 1; i < path.size(); i += 2) rows = std::min(rows, links_[path[i]].flow);
    for (std::size_t i = 0; i < path.size(); ++i) links_[path[i]].flow += i % 2 == 0 ? rows : -rows;
    left_a_[start] -= rows;
    left_b_[end] -= rows;
  }

  std::vector<Link> links_;
  std::vector<std::int64_t> left_a_;  // rows not sent yet
  std::vector<std::int64_t> left_b_;  // room left
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> starts_back_;
  std::vector<std::uint32_t> back_;  // links by class of b
  std::vector<std::uint32_t> depth_a_;
  std::vector<std::uint32_t> depth_b_;
  std::vector<std::uint32_t> next_a_;
  std::vector<std::uint32_t> next_b_;
};

// Tarjan's, without recursion. A class of a leads to all it matches; one of b to those it takes rows from.
std::vector<std::uint32_t> Pairing::ConnectedParts() const {
  const auto num_a = static_cast<std::uint32_t>(left_a_.size());
  const std::uint32_t num_nodes = num_a + static_cast<std::uint32_t>(left_b_.size());
  std::vector<std::uint32_t> part(num_nodes, kUnseen);
  std::vector<std::uint32_t> order(num_nodes, kUnseen);
  std::vector<std::uint32_t> low(num_nodes);
  std::vector<std::uint32_t> next(num_nodes);
  std::vector<std::uint32_t> stack;
  std::vector<std::uint32_t> trail;
  std::uint32_t time = 0;
  std::uint32_t parts = 0;
  const auto first = [&](std::uint32_t v) { return v < num_a ? starts_[v] : starts_back_[v - num_a]; };
  const auto last = [&](std::uint32_t v) { return v < num_a ? starts_[v + 1] : starts_back_[v - num_a + 1]; };
  const auto to = [&](std::uint32_t v, std::uint32_t i) {
    if (v < num_a) return num_a + links_[i].b;
    return links_[back_[i]].flow > 0 ? links_[back_[i]].a : kUnseen;
  };
  for (std::uint32_t root = 0; root < num_nodes; ++root) {
    if (order[root] != kUnseen) continue;
    trail.push_back(root);
    while (!trail.empty()) {
      const std::uint32_t v = trail.back();
      if (order[v] == kUnseen) {
        order[v] = low[v] = time++;
        next[v] = first(v);
        stack.push_back(v);
      }
      bool deeper = false;
      for (; next[v] < last(v) && !deeper; ++next[v]) {
        const std::uint32_t w = to(v, next[v]);
        if (w == kUnseen) continue;
        if (order[w] == kUnseen) {
          trail.push_back(w);
          deeper = true;
          --next[v];  // looked at again on the way back, for its low
        } else if (part[w] == kUnseen) {
          low[v] = std::min(low[v], low[w]);
        }
      }
      if (deeper) continue;
      if (low[v] == order[v]) {
        std::uint32_t w = kUnseen;
        do {
          w = stack.back();
          stack.pop_back();
          part[w] = parts;
        } while (w != v);
        ++parts;
      }
      trail.pop_back();
    }
  }
  return part;
}

std::uint64_t RowsWithout(const std::vector<char>& matched, const internal::RowClasses& classes) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < matched.size(); ++i) rows += matched[i] != 0 ? 0 : static_cast<std::uint64_t>(classes.rows[i]);
  return rows;
}

}  // namespace

Result<ForcedLinks> FindForcedLinks(const LinkedTables& linked, std::size_t a, std::size_t b, const Run& run) {
  const internal::RowClasses classes_a = internal::ClassesBy(linked.tables[a], internal::JoiningColumns(linked, a, b));
  const internal::RowClasses classes_b = internal::ClassesBy(linked.tables[b], internal::JoiningColumns(linked, b, a));
  const internal::PairIndex index(linked, a, classes_a, b, classes_b);
  ForcedLinks made;
  made.rows_a = linked.tables[a].num_rows;
  made.rows_b = linked.tables[b].num_rows;
  if (index.complete()) {
    made.paired = made.rows_a;
    return made;
  }
  std::vector<Link> links;
  std::vector<char> matched_a(classes_a.size());
  std::vector<char> matched_b(classes_b.size());
  std::uint64_t count = 0;
  index.ForEach([&](std::uint32_t x, std::uint32_t y) {
    matched_a[x] = matched_b[y] = 1;
    if (++count <= kMaxLinks) links.push_back({x, y});
  });
  if (run.Stopped()) return Error::Cancelled();
  made.unmatched_a = RowsWithout(matched_a, classes_a);
  made.unmatched_b = RowsWithout(matched_b, classes_b);
  made.answer = ForcedLinks::Answer::kNotApplicable;
  if (made.rows_a != made.rows_b || made.unmatched_a > 0 || made.unmatched_b > 0) return made;
  if (count > kMaxLinks) {
    return Error::InvalidData("{} pairs of different rows of {} and {} match; the audit of forced links can hold {}", count,
                              linked.tables[a].name, linked.tables[b].name, kMaxLinks)
        .WithHint("publish with fewer different cells in the columns that both releases have");
  }
  std::stable_sort(links.begin(), links.end(), [](const Link& x, const Link& y) { return x.a < y.a; });
  Pairing pairing(std::move(links), classes_a.rows, classes_b.rows);
  pairing.Fill();
  made.paired = made.rows_a - static_cast<std::uint64_t>(pairing.left());
  if (pairing.left() > 0) return made;
  const std::vector<std::uint32_t> part = pairing.ConnectedParts();
  for (const Link& link : pairing.links()) {
    if (link.flow > 0 || part[link.a] == part[classes_a.size() + link.b]) continue;
    made.excluded.insert((static_cast<std::uint64_t>(link.a) << 32) | link.b);
    made.excluded_pairs += static_cast<std::uint64_t>(classes_a.rows[link.a] * classes_b.rows[link.b]);
  }
  made.answer = ForcedLinks::Answer::kDone;
  made.class_a = classes_a.class_of;
  made.class_b = classes_b.class_of;
  return made;
}

}  // namespace cordon::engine
