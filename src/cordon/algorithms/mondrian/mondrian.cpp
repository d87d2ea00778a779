// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/mondrian/mondrian.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "cordon/algorithms/grouping/packed_rows.h"
#include "cordon/algorithms/grouping/satisfiable.h"
#include "cordon/algorithms/mondrian/mondrian_cuts.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

// Runs above this are cut one after the other, level by level; below it a whole subtree is one task. It fits a cache.
constexpr std::size_t kTaskRows = 1 << 14;
constexpr std::size_t kNodesPerStopCheck = 256;
// Counts of this many parts are kept for the next cuts; of more they would fill the memory, and are taken again.
constexpr std::size_t kCountsKept = 64;

// A run of rows that is admitted. Whether it is cut further depends on its rows alone, so nodes can be worked on in
// any order and by any thread; the places of their runs give the groups their order.
struct Node {
  RowRun run;
  bool closed = false;                  // no cut is admitted, or none was worth a try
  std::vector<CodeRange> bounds;        // of its codes; empty if it is closed
  std::unique_ptr<GroupCounts> counts;  // taken when first needed
};

// What all nodes share.
struct Search {
  PackedRows& rows;
  std::span<const Attribute> attributes;
  const GroupModel& model;
  const CountedColumns& counted;
  const MondrianOptions& options;
  std::size_t min_rows;  // no group with fewer is admitted
  bool rows_decide;      // and each with that many is
};

// Cuts nodes; one per task.
class Cutter {
 public:
  explicit Cutter(const Search& search) : search_(search), finder_(search.rows, search.attributes, search.options) {}

  // The parts of the first admitted cut, in order, or nothing: then the node is closed.
  std::vector<Node> TryCut(Node& node);

 private:
  std::vector<Node> Children(const Node& node, const Cut& cut);
  bool LargeEnough(const Cut& cut) const;
  void Move(const RowRun& run, const Cut& cut);
  bool Admitted(Node& node, const Cut& cut);
  void CountRows(const RowRun& run, GroupCounts& counts);

  const Search& search_;
  CutFinder finder_;
  std::vector<std::size_t> starts_;  // of the parts of the cut at hand
  std::vector<std::uint32_t> part_of_code_;
  std::vector<RowId> row_ids_;
  std::vector<std::unique_ptr<GroupCounts>> part_counts_;  // by part; null if not kept
};

std::vector<Node> Cutter::TryCut(Node& node) {
  if (!node.closed && node.run.size() >= 2 * search_.min_rows) {
    finder_.Survey(node.run, node.bounds);
    for (const std::size_t attribute : finder_.Order()) {
      const Cut& cut = finder_.Along(attribute);
      if (LargeEnough(cut)) {
        Move(node.run, cut);
        if (search_.rows_decide || Admitted(node, cut)) return Children(node, cut);
      }
      if (search_.options.dims == MondrianOptions::Dims::kWidestOnly) break;
    }
  }
  node.closed = true;
  node.bounds = {};
  node.counts.reset();
  return {};
}

std::vector<Node> Cutter::Children(const Node& node, const Cut& cut) {
  std::vector<Node> children(cut.parts.size());
  for (std::size_t part = 0; part < children.size(); ++part) {
    Node& child = children[part];
    child.run = {starts_[part], starts_[part] + cut.parts[part].rows, 1 - node.run.buffer};
    child.closed = child.run.size() < 2 * search_.min_rows;
    if (child.closed) continue;
    child.bounds = node.bounds;
    child.bounds[cut.attribute] = cut.parts[part].box;
    if (!search_.rows_decide) child.counts = std::move(part_counts_[part]);
  }
  return children;
}

bool Cutter::LargeEnough(const Cut& cut) const {
  return std::all_of(cut.parts.begin(), cut.parts.end(), [&](const Cut::Part& part) { return part.rows >= search_.min_rows; });
}

// The rows go to the other buffer, part after part. A refused cut leaves nothing behind but bytes nobody reads.
void Cutter::Move(const RowRun& run, const Cut& cut) {
  starts_.clear();
  std::size_t start = run.begin;
  for (const Cut::Part& part : cut.parts) {
    starts_.push_back(start);
    start += part.rows;
  }
  CORDON_CHECK_EQ(start, run.end);
  const auto move = [&](const auto& part_of) {
    search_.rows.Partition(run.buffer, run.begin, run.end, cut.attribute, part_of, starts_);
  };
  const Code border = cut.parts[1].box.lo;
  if (cut.parts.size() == 2 && cut.shared_left == 0)
    return move([&](Code code) { return static_cast<std::size_t>(code >= border); });
  if (cut.parts.size() == 2) {
    std::size_t left = cut.shared_left;
    return move([&](Code code) -> std::size_t {
      if (code != border || left == 0) return code >= border;
      --left;
      return 0;
    });
  }
  const Code lo = cut.parts.front().box.lo;
  const auto width = static_cast<std::size_t>(cut.parts.back().box.hi - lo) + 1;
  if (width <= std::max<std::size_t>(64, 4 * run.size())) {
    part_of_code_.resize(width);
    for (std::size_t part = 0; part < cut.parts.size(); ++part) {
      const CodeRange box = cut.parts[part].box;
      std::fill(part_of_code_.begin() + (box.lo - lo), part_of_code_.begin() + (box.hi - lo) + 1,
                static_cast<std::uint32_t>(part));
    }
    return move([&](Code code) { return part_of_code_[code - lo]; });
  }
  move([&](Code code) {
    const auto after = std::upper_bound(cut.parts.begin(), cut.parts.end(), code,
                                        [](Code left, const Cut::Part& part) { return left < part.box.lo; });
    return static_cast<std::size_t>(after - cut.parts.begin()) - 1;
  });
}

void Cutter::CountRows(const RowRun& run, GroupCounts& counts) {
  row_ids_.clear();
  for (std::size_t place = run.begin; place < run.end; ++place) {
    row_ids_.push_back(PackedRows::row(search_.rows.record(run.buffer, place)));
  }
  counts.Add(row_ids_);
}

// REQUIRES: the rows were moved. All parts but the largest are counted; what is left of the node's counts is the largest.
bool Cutter::Admitted(Node& node, const Cut& cut) {
  if (node.counts == nullptr) {
    node.counts = std::make_unique<GroupCounts>(search_.counted);
    CountRows(node.run, *node.counts);
  }
  const auto by_rows = [](const Cut::Part& a, const Cut::Part& b) { return a.rows < b.rows; };
  const auto largest =
      static_cast<std::size_t>(std::max_element(cut.parts.begin(), cut.parts.end(), by_rows) - cut.parts.begin());
  const bool keep = cut.parts.size() <= kCountsKept;
  part_counts_.clear();
  part_counts_.resize(cut.parts.size());
  GroupCounts& rest = *node.counts;
  bool admitted = true;
  for (std::size_t part = 0; admitted && part < cut.parts.size(); ++part) {
    if (part == largest) continue;
    auto counts = std::make_unique<GroupCounts>(search_.counted);
    CountRows({starts_[part], starts_[part] + cut.parts[part].rows, 1 - node.run.buffer}, *counts);
    rest.Split(*counts);
    admitted = search_.model.Admits(*counts);
    if (keep) part_counts_[part] = std::move(counts);
  }
  admitted = admitted && search_.model.Admits(rest);
  if (admitted) {
    part_counts_[largest] = std::move(node.counts);
  } else if (keep) {
    for (const auto& counts : part_counts_) {
      if (counts != nullptr) rest.Merge(*counts);
    }
  } else {
    node.counts.reset();
  }
  return admitted;
}

// All nodes above kTaskRows cut, level by level: what is left, in order.
std::vector<Node> CutLargeNodes(const Search& search, Node root, const Run& run) {
  std::vector<Node> level;
  level.push_back(std::move(root));
  const auto is_open = [](const Node& node) { return !node.closed && node.run.size() > kTaskRows; };
  while (std::any_of(level.begin(), level.end(), is_open) && !run.Stopped()) {
    std::vector<std::vector<Node>> parts(level.size());
    ParallelFor(run.threads, level.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
      if (is_open(level[i]) && !run.Stopped()) parts[i] = Cutter(search).TryCut(level[i]);
    });
    std::vector<Node> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (parts[i].empty()) next.push_back(std::move(level[i]));
      std::move(parts[i].begin(), parts[i].end(), std::back_inserter(next));
    }
    level = std::move(next);
  }
  return level;
}

struct Found {
  std::vector<std::size_t> starts;  // of the groups
  std::vector<CodeRange> boxes;     // and what they span: here the rows of a group lie side by side
};

void AddBox(const PackedRows& rows, const RowRun& run, std::size_t num_columns, std::vector<CodeRange>& boxes) {
  for (std::size_t column = 0; column < num_columns; ++column) {
    CodeRange box{std::numeric_limits<Code>::max(), std::numeric_limits<Code>::min()};
    rows.ForEachCode(run.buffer, run.begin, run.end, column, [&](auto stored) {
      const Code code = static_cast<Code>(stored);
      box.lo = std::min(box.lo, code);
      box.hi = std::max(box.hi, code);
    });
    boxes.push_back(box);
  }
}

// Cuts the node and all that comes of it. Gives the groups and puts their rows in place.
Found CutToTheEnd(const Search& search, Node node, std::span<RowId> rows_out, const Run& run) {
  Cutter cutter(search);
  Found found;
  std::vector<Node> open;
  open.push_back(std::move(node));
  for (std::size_t count = 1; !open.empty(); ++count) {
    if (count % kNodesPerStopCheck == 0 && run.Stopped()) break;
    Node next = std::move(open.back());
    open.pop_back();
    std::vector<Node> parts = cutter.TryCut(next);
    std::move(parts.rbegin(), parts.rend(), std::back_inserter(open));
    if (!parts.empty()) continue;
    found.starts.push_back(next.run.begin);
    AddBox(search.rows, next.run, search.attributes.size(), found.boxes);
    for (std::size_t place = next.run.begin; place < next.run.end; ++place) {
      rows_out[place] = PackedRows::row(search.rows.record(next.run.buffer, place));
    }
  }
  return found;
}

}  // namespace

Result<Groups> Mondrian(const View& view, const GroupModel& model, const CountedColumns& counted,
                        const MondrianOptions& options, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckSatisfiable(view, model, counted));
  const std::vector<std::size_t> quasi = view.data().ColumnsOf(Role::kQuasi);
  std::vector<Attribute> attributes;
  Node root;
  for (const std::size_t column : quasi) {
    attributes.push_back(view.data().columns[column].attribute);
    root.bounds.push_back({0, attributes.back().domain->size() - 1});
  }
  PackedRows rows(view, quasi, run);
  root.run = {0, rows.size(), 0};
  const auto min_rows = static_cast<std::size_t>(std::max<std::int64_t>(model.MinRows(), 1));
  const Search search{rows, attributes, model, counted, options, min_rows, RowsDecide(view, model, counted)};

  std::vector<Node> nodes = CutLargeNodes(search, std::move(root), run);

  Groups groups;
  groups.rows.resize(view.size());
  std::vector<Found> found(nodes.size());
  std::atomic<std::uint64_t> done = 0;
  ParallelFor(run.threads, nodes.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
    const std::size_t size = nodes[i].run.size();
    if (run.Stopped()) return;
    found[i] = CutToTheEnd(search, std::move(nodes[i]), groups.rows, run);
    run.Report("mondrian", done.fetch_add(size) + size, view.size());
  });
  if (run.Stopped()) return Error::Cancelled();

  for (const Found& each : found) {
    groups.starts.insert(groups.starts.end(), each.starts.begin(), each.starts.end());
    groups.boxes.insert(groups.boxes.end(), each.boxes.begin(), each.boxes.end());
  }
  groups.starts.push_back(view.size());
  return groups;
}

}  // namespace cordon::engine
