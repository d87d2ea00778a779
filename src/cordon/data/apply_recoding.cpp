// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "cordon/base/parallel_for.h"
#include "cordon/data/box_index.h"
#include "cordon/data/decimal.h"
#include "cordon/data/recoding.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kRowsPerTask = 1 << 12;

// What a saved cell says about the values of the table at hand.
struct Reading {
  CodeRange codes{0, -1};  // those it covers; none: lo > hi
  double loss = 0;
};

// The labels above a node, as they were when the recoding was made. The root may be called otherwise: it is "*" as soon
// as there are missing values.
bool StandsUnder(const Hierarchy& hierarchy, NodeId node, std::span<const std::string> above) {
  NodeId at = hierarchy.parent(node);
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (at < 0 || (at == kRoot) != (i + 1 == above.size())) return false;
    if (at != kRoot && hierarchy.label(at) != above[i]) return false;
    at = hierarchy.parent(at);
  }
  return at < 0;
}

// "12.5", "[12.5,20]": written by a column of numbers, unlike a missing marker.
bool LooksNumeric(std::string_view cell) {
  if (!cell.empty() && cell.front() == '[') cell.remove_prefix(1);
  return ParseDecimal(cell.substr(0, cell.find(','))).has_value();
}

// Texts that mean nothing here cover nothing: if a hierarchy comes from the data, a value may be absent from a batch,
// and so may missing cells. A number means something in every batch.
Result<std::vector<Reading>> ReadCells(const Recoding::Column& column, const Attribute& attribute) {
  const Domain& domain = *attribute.domain;
  if (column.kind != domain.kind())
    return Error::InvalidPolicy("column '{}' has another type than in the recoding", column.name);
  std::vector<Reading> readings(column.cells.size());
  std::size_t readable = 0;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const auto meaning = domain.Read(column.cells[i]);
    if (!meaning && !domain.is_categorical() && LooksNumeric(column.cells[i])) {
      return Error::InvalidData("column '{}': the recoding has numbers that this column cannot hold", column.name)
          .WithHint(
              "declare the column's range in the policy, with the same number of digits after the point as the earlier batch");
    }
    if (!meaning) continue;
    ++readable;
    if (meaning->kind == Meaning::Kind::kNode && !StandsUnder(*domain.hierarchy(), meaning->node, column.above[i])) {
      return Error::InvalidPolicy("column '{}': its hierarchy is not the one the recoding was made with", column.name)
          .WithHint("use the earlier hierarchy, or make a new release without --recoding");
    }
    readings[i] = {domain.CoveredCodes(*meaning), domain.Loss(*meaning) * attribute.weight};
  }
  if (readable == 0 && !readings.empty()) {
    return Error::InvalidPolicy("column '{}': no cell of the recoding means anything here", column.name)
        .WithHint("use the hierarchy that the recoding was made with");
  }
  return readings;
}

// The recoding's column of each quasi column of the table.
Result<std::vector<std::size_t>> MatchColumns(const Recoding& recoding, const Microdata& data,
                                              std::span<const std::size_t> quasi) {
  std::vector<std::size_t> matched;
  for (const std::size_t column : quasi) {
    const std::string& name = data.columns[column].attribute.name;
    const auto found =
        std::find_if(recoding.columns().begin(), recoding.columns().end(), [&](const auto& each) { return each.name == name; });
    if (found == recoding.columns().end()) {
      return Error::InvalidPolicy("column '{}' is quasi and not in the recoding", name)
          .WithHint("a recoding serves tables with the same quasi columns");
    }
    matched.push_back(static_cast<std::size_t>(found - recoding.columns().begin()));
  }
  for (const Recoding::Column& column : recoding.columns()) {
    const auto found = data.Find(column.name);
    if (!found || data.columns[*found].attribute.role != Role::kQuasi) {
      return Error::InvalidPolicy("column '{}' of the recoding is not a quasi column here", column.name)
          .WithHint("a recoding serves tables with the same quasi columns");
    }
  }
  return matched;
}

// Boxes that may cover a row, the ones of least loss first.
struct Ranked {
  std::vector<std::uint32_t> boxes;
  std::vector<CodeRange> ranges;
};

Ranked RankBoxes(const Recoding& recoding, std::span<const std::size_t> matched,
                 const std::vector<std::vector<Reading>>& readings) {
  Ranked ranked;
  std::vector<double> loss(recoding.num_boxes());
  for (std::size_t box = 0; box < recoding.num_boxes(); ++box) {
    bool empty = false;
    for (std::size_t q = 0; q < matched.size(); ++q) {
      const Reading& reading = readings[q][recoding.cell(box, matched[q])];
      loss[box] += reading.loss;
      empty |= reading.codes.lo > reading.codes.hi;
    }
    if (!empty) ranked.boxes.push_back(static_cast<std::uint32_t>(box));
  }
  std::stable_sort(ranked.boxes.begin(), ranked.boxes.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return loss[a] < loss[b]; });
  for (const std::uint32_t box : ranked.boxes) {
    for (std::size_t q = 0; q < matched.size(); ++q) ranked.ranges.push_back(readings[q][recoding.cell(box, matched[q])].codes);
  }
  return ranked;
}

// Rows by box, in the order of the boxes; a box without a row is not a group.
Groups GroupRows(const View& view, std::span<const std::uint32_t> box_of, std::size_t num_boxes,
                 std::vector<std::size_t>& used) {
  Groups groups;
  std::vector<std::size_t> next(num_boxes + 1);
  for (const std::uint32_t box : box_of) {
    if (box != kNoBox) ++next[box + 1];
  }
  groups.starts.push_back(0);
  for (std::size_t box = 0; box < num_boxes; ++box) {
    if (next[box + 1] > 0) used.push_back(box);
    next[box + 1] += next[box];
    if (next[box + 1] > next[box]) groups.starts.push_back(next[box + 1]);
  }
  groups.rows.resize(next[num_boxes]);
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (box_of[i] == kNoBox) {
      groups.suppressed.push_back(view.rows()[i]);
    } else {
      groups.rows[next[box_of[i]]++] = view.rows()[i];
    }
  }
  return groups;
}

}  // namespace

Result<CoveringBoxes> Cover(const Recoding& recoding, const View& view, std::size_t most, const Run& run) {
  const Microdata& data = view.data();
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  if (quasi.empty()) return Error::InvalidPolicy("there is no quasi column to apply a recoding to");
  CORDON_TRY(const std::vector<std::size_t> matched, MatchColumns(recoding, data, quasi));
  std::vector<std::vector<Reading>> readings;
  for (std::size_t q = 0; q < quasi.size(); ++q) {
    CORDON_TRY(auto read, ReadCells(recoding.columns()[matched[q]], data.columns[quasi[q]].attribute));
    readings.push_back(std::move(read));
  }

  Ranked ranked = RankBoxes(recoding, matched, readings);
  const BoxIndex index(std::move(ranked.ranges), quasi.size());
  struct Part {
    std::vector<std::uint32_t> boxes;
    std::vector<std::size_t> sizes;
  };
  std::vector<Part> parts(NumChunks(view.size(), kRowsPerTask));
  ParallelFor(run.threads, view.size(), kRowsPerTask, [&](std::size_t number, std::size_t begin, std::size_t end) {
    if (run.Stopped()) return;
    Part& part = parts[number];
    std::vector<Code> point(quasi.size());
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t q = 0; q < quasi.size(); ++q) point[q] = data.columns[quasi[q]].codes[view.rows()[i]];
      const std::size_t before = part.boxes.size();
      if (most > 1) {
        index.LeastCovering(point, most, part.boxes);
      } else if (const auto found = index.FirstCovering(point)) {
        part.boxes.push_back(static_cast<std::uint32_t>(*found));
      }
      part.sizes.push_back(part.boxes.size() - before);
    }
    for (std::uint32_t& box : part.boxes) box = ranked.boxes[box];
  });
  if (run.Stopped()) return Error::Cancelled();
  CoveringBoxes covering;
  covering.starts.push_back(0);
  for (const Part& part : parts) {
    for (const std::size_t size : part.sizes) covering.starts.push_back(covering.starts.back() + size);
    covering.boxes.insert(covering.boxes.end(), part.boxes.begin(), part.boxes.end());
  }
  return covering;
}

Result<std::vector<CodeRange>> BoxRanges(const Recoding& recoding, const View& view) {
  const std::vector<std::size_t> quasi = view.data().ColumnsOf(Role::kQuasi);
  CORDON_TRY(const std::vector<std::size_t> matched, MatchColumns(recoding, view.data(), quasi));
  std::vector<CodeRange> ranges(recoding.num_boxes() * quasi.size());
  for (std::size_t q = 0; q < quasi.size(); ++q) {
    CORDON_TRY(const std::vector<Reading> readings,
               ReadCells(recoding.columns()[matched[q]], view.data().columns[quasi[q]].attribute));
    for (std::size_t box = 0; box < recoding.num_boxes(); ++box) {
      ranges[box * quasi.size() + q] = readings[recoding.cell(box, matched[q])].codes;
    }
  }
  return ranges;
}

AppliedRecoding ApplyBoxes(const Recoding& recoding, const View& view, std::span<const std::uint32_t> box_of) {
  AppliedRecoding applied;
  std::vector<std::size_t> used;
  applied.groups = GroupRows(view, box_of, recoding.num_boxes(), used);
  for (const std::size_t column : view.data().ColumnsOf(Role::kQuasi)) {
    const std::string& name = view.data().columns[column].attribute.name;
    const auto matched =
        std::find_if(recoding.columns().begin(), recoding.columns().end(), [&](const auto& each) { return each.name == name; });
    const auto place = static_cast<std::size_t>(matched - recoding.columns().begin());
    auto dictionary = std::make_shared<Dictionary>();
    std::vector<Code> codes;
    for (const std::size_t box : used) codes.push_back(dictionary->Intern(matched->cells[recoding.cell(box, place)]));
    applied.texts.dictionaries.push_back(std::move(dictionary));
    applied.texts.codes.push_back(std::move(codes));
  }
  return applied;
}

Result<AppliedRecoding> Apply(const Recoding& recoding, const View& view, const Run& run) {
  CORDON_TRY(const CoveringBoxes covering, Cover(recoding, view, 1, run));
  std::vector<std::uint32_t> box_of(view.size(), kNoBox);
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (!covering[i].empty()) box_of[i] = covering[i].front();
  }
  return ApplyBoxes(recoding, view, box_of);
}

}  // namespace cordon::engine
