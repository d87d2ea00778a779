// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/sabre_w/sorted_runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "cordon/algorithms/grouping/box_spans.h"
#include "cordon/algorithms/grouping/hilbert.h"
#include "cordon/base/radix_sort.h"

namespace cordon::engine {
namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMaxSizes = 8;  // of a run that are tried, between the least and twice that
constexpr std::size_t kNear = 3;      // runs before one that is not admitted from which joining it is looked at

// Categories in the order they are sorted by, and numbers: places among the quasi columns.
struct SortedColumns {
  std::vector<std::size_t> categories;
  std::vector<std::size_t> numbers;

  explicit SortedColumns(const BoxSpans& spans) {
    for (std::size_t q = 0; q < spans.width(); ++q) (spans.domain(q).is_categorical() ? categories : numbers).push_back(q);
    std::stable_sort(categories.begin(), categories.end(),
                     [&](std::size_t a, std::size_t b) { return spans.domain(a).size() < spans.domain(b).size(); });
  }
};

struct KeyedRow {
  std::uint64_t key;
  RowId row;
};

// Where the rows lie on the curve over the columns of numbers, and how many bits that has, at most `most`.
struct CurvePlaces {
  std::vector<std::uint64_t> keys;
  int bits = 0;
};

CurvePlaces PlacesOnCurve(const Microdata& data, std::span<const std::size_t> columns, int most) {
  std::vector<Code> sizes;
  for (const std::size_t column : columns) sizes.push_back(data.columns[column].attribute.domain->size());
  const HilbertCurve curve(sizes);
  const View all = View::All(data);
  CurvePlaces places;
  places.bits = std::min(most, curve.key_bits());
  const int cut = curve.key_bits() - places.bits;  // a prefix of a key is the key of a coarser grid
  if (curve.key_bits() <= 64) {
    places.keys = curve.Keys<std::uint64_t>(all, columns, {});
    for (std::uint64_t& key : places.keys) key = cut < 64 ? key >> cut : 0;
  } else {
    for (const UInt128 key : curve.Keys<UInt128>(all, columns, {})) {
      places.keys.push_back(cut < 128 ? static_cast<std::uint64_t>(key >> cut) : 0);
    }
  }
  return places;
}

std::vector<RowId> OrderOf(const Microdata& data, std::span<const std::size_t> quasi, const BoxSpans& spans) {
  std::vector<KeyedRow> rows(data.num_rows);
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = {0, static_cast<RowId>(row)};
  std::vector<std::uint8_t> turned(data.num_rows, 0);
  const SortedColumns sorted(spans);
  int left = 64;
  for (const std::size_t q : sorted.categories) {
    const Code last = spans.domain(q).size() - 1;
    const int width = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(last)));
    const int bits = std::min(left, width);  // what no longer fits is cut off from below
    if (bits == 0) continue;
    const Codes& codes = data.columns[quasi[q]].codes;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Code code = turned[row] != 0 ? last - codes[row] : codes[row];
      turned[row] ^= static_cast<std::uint8_t>(code & 1);
      rows[row].key = (rows[row].key << (bits & 63)) | (static_cast<std::uint64_t>(code) >> (width - bits));
    }
    left -= bits;
  }
  if (left > 0 && !sorted.numbers.empty()) {
    std::vector<std::size_t> columns;
    for (const std::size_t q : sorted.numbers) columns.push_back(quasi[q]);
    const CurvePlaces places = PlacesOnCurve(data, columns, left);
    const std::uint64_t all = places.bits < 64 ? (std::uint64_t{1} << places.bits) - 1 : ~std::uint64_t{0};
    for (std::size_t row = 0; row < rows.size() && places.bits > 0; ++row) {
      const std::uint64_t place = turned[row] != 0 ? all - places.keys[row] : places.keys[row];
      rows[row].key = (places.bits < 64 ? rows[row].key << places.bits : 0) | place;
    }
  }
  RadixSort(rows, [](const KeyedRow& row) { return row.key; });
  std::vector<RowId> order(rows.size());
  std::transform(rows.begin(), rows.end(), order.begin(), [](const KeyedRow& each) { return each.row; });
  return order;
}

// The boxes of runs: codes row by row, in the order, eight lanes to a block. Lanes are 16 bits wide if all codes fit, which
// any machine compares eight at a time.
template <typename Lane>
class RunBoxes {
 public:
  RunBoxes(const Microdata& data, std::span<const std::size_t> quasi, std::span<const RowId> order, const BoxSpans& spans)
      : spans_(spans),
        stride_((quasi.size() + kLanes - 1) / kLanes),
        rows_(order.size() * stride_),
        lo_(stride_),
        hi_(stride_) {
    for (std::size_t q = 0; q < quasi.size(); ++q) {
      const Codes& codes = data.columns[quasi[q]].codes;
      for (std::size_t i = 0; i < order.size(); ++i) {
        rows_[i * stride_ + q / kLanes].codes[q % kLanes] = static_cast<Lane>(codes[order[i]]);
      }
    }
    CopyTables();
  }

  void Begin(std::size_t at) {
    for (std::size_t block = 0; block < stride_; ++block) lo_[block] = hi_[block] = rows_[at * stride_ + block];
  }
  void Add(std::size_t at) {
    for (std::size_t block = 0; block < stride_; ++block) {
      const typename Block::Lanes row = rows_[at * stride_ + block].codes;
      lo_[block].codes = row < lo_[block].codes ? row : lo_[block].codes;
      hi_[block].codes = row > hi_[block].codes ? row : hi_[block].codes;
    }
  }
  CodeRange side(std::size_t q) const { return {lo_[q / kLanes].codes[q % kLanes], hi_[q / kLanes].codes[q % kLanes]}; }
  float Loss() const {
    float loss = 0;
    if (tables_.empty()) {
      for (std::size_t q = 0; q < spans_.width(); ++q) loss += spans_.Span(q, side(q).lo, side(q).hi);
      return loss;
    }
    // Most columns have one value in a run, which loses nothing: only the others are looked up.
    for (std::size_t block = 0; block < stride_; ++block) {
      const auto differ = std::bit_cast<std::array<std::uint64_t, sizeof(Block) / 8>>(lo_[block].codes != hi_[block].codes);
      for (std::size_t word = 0; word < differ.size(); ++word) {
        for (std::uint64_t bits = differ[word]; bits != 0;) {
          const int lane = std::countr_zero(bits) / kLaneBits;
          bits &= ~(kLaneMask << (lane * kLaneBits));
          const std::size_t at = word * (64 / kLaneBits) + static_cast<std::size_t>(lane);
          const Table& table = tables_[block * kLanes + at];
          const auto lo = static_cast<std::size_t>(lo_[block].codes[at]);
          loss += losses_[table.begin + lo * table.size + static_cast<std::size_t>(hi_[block].codes[at])];
        }
      }
    }
    return loss;
  }

 private:
  static constexpr std::size_t kLanes = 8;
  static constexpr Code kSmall = 256;  // codes of a domain whose losses are copied
  struct Block {
    typedef Lane Lanes __attribute__((vector_size(kLanes * sizeof(Lane))));
    Lanes codes;
  };
  static constexpr int kLaneBits = 8 * static_cast<int>(sizeof(Lane));
  static constexpr std::uint64_t kLaneMask = (std::uint64_t{1} << kLaneBits) - 1;
  struct Table {
    std::size_t begin;
    std::size_t size;
  };

  // If all domains are small and single values lose nothing, the losses side by side: looked up without a call.
  void CopyTables() {
    for (std::size_t q = 0; q < spans_.width(); ++q) {
      if (spans_.domain(q).size() > kSmall) return;
      for (Code code = 0; code < spans_.domain(q).size(); ++code) {
        if (spans_.Span(q, code, code) != 0) return;
      }
    }
    for (std::size_t q = 0; q < spans_.width(); ++q) {
      const Code size = spans_.domain(q).size();
      tables_.push_back({losses_.size(), static_cast<std::size_t>(size)});
      for (Code lo = 0; lo < size; ++lo) {
        for (Code hi = 0; hi < size; ++hi) losses_.push_back(lo <= hi ? spans_.Span(q, lo, hi) : 0);
      }
    }
  }

  const BoxSpans& spans_;
  std::size_t stride_;  // blocks to a row
  std::vector<Block> rows_;
  std::vector<Block> lo_;
  std::vector<Block> hi_;
  std::vector<Table> tables_;  // none: some domain is large
  std::vector<float> losses_;
};

// Runs of an order: where each ends, and what the runs up to there cost.
struct Runs {
  std::vector<std::size_t> ends;
  std::vector<float> costs;  // up to the end of each
};

// The runs of least loss, each of at least `least` rows. A larger box loses no less: where even the loss of a smaller one
// that ends in the same place is too much, it is not looked up.
template <typename Boxes>
Runs CutRuns(Boxes& boxes, std::size_t rows, std::size_t least) {
  const std::size_t stride = std::max<std::size_t>(1, least / kMaxSizes);
  std::vector<float> best(rows + 1, kNever);
  std::vector<std::uint32_t> from(rows + 1, 0);
  best[0] = 0;
  for (std::size_t end = std::min(least, rows); end <= rows; ++end) {
    const std::size_t shortest = std::min(least, rows);
    boxes.Begin(end - 1);
    for (std::size_t size = 2; size < shortest; ++size) boxes.Add(end - size);
    float loss = 0;
    float cheapest = kNever;
    const std::size_t most = rows < 2 * least ? rows : std::min(2 * least - 1, end);
    for (std::size_t size = shortest; size <= most && size <= end; ++size) {
      const std::size_t begin = end - size;
      boxes.Add(begin);
      if ((size - shortest) % stride != 0 && end != rows) continue;
      const auto count = static_cast<float>(size);
      if (best[begin] + loss * count >= cheapest) continue;
      loss = boxes.Loss();
      const float cost = best[begin] + loss * count;
      if (cost < cheapest) {
        cheapest = cost;
        from[end] = static_cast<std::uint32_t>(begin);
      }
    }
    best[end] = cheapest;
  }
  Runs runs;
  for (std::size_t end = rows; end > 0; end = from[end]) {
    runs.ends.push_back(end);
    runs.costs.push_back(best[end]);
  }
  std::reverse(runs.ends.begin(), runs.ends.end());
  std::reverse(runs.costs.begin(), runs.costs.end());
  return runs;
}

// Joins runs until the model admits each.
template <typename Boxes>
class RunJoiner {
 public:
  RunJoiner(Boxes& boxes, std::span<const RowId> order, Runs runs, const GroupModel& model, const CountedColumns& counted)
      : boxes_(boxes),
        order_(order),
        ends_(std::move(runs.ends)),
        costs_(std::move(runs.costs)),
        model_(model),
        counts_(counted) {}

  std::vector<std::size_t> Join() {
    FindRefused();
    if (next_refused_[0] == kNowhere) return std::move(ends_);
    std::vector<std::size_t> joined = JoinBest();
    return joined.empty() ? JoinGreedily() : joined;
  }

 private:
  std::size_t size() const { return ends_.size(); }
  std::size_t begin_of(std::size_t run) const { return run == 0 ? 0 : ends_[run - 1]; }
  void Count(std::size_t run) { counts_.Add(order_.subspan(begin_of(run), ends_[run] - begin_of(run))); }

  void FindRefused() {
    next_refused_.assign(size() + 1, kNowhere);
    for (std::size_t run = size(); run-- > 0;) {
      counts_.Clear();
      Count(run);
      next_refused_[run] = model_.Admits(counts_) ? next_refused_[run + 1] : run;
    }
  }

  // Only unions around a refused run: of admitted ones the parts cost no more than the whole. From each run on, about twice
  // only those that it takes to be admitted are looked at. Nothing if that does not come out at the end.
  std::vector<std::size_t> JoinBest() {
    std::vector<float> best(size() + 1, kNever);
    std::vector<std::size_t> from(size() + 1, 0);
    best[0] = 0;
    for (std::size_t run = 0; run < size(); ++run) {
      if (best[run] == kNever) continue;
      const bool alone = next_refused_[run] != run;
      const bool near = next_refused_[run] != kNowhere && next_refused_[run] - run <= kNear;
      if (alone) {
        const float cost = best[run] + (costs_[run] - (run == 0 ? 0 : costs_[run - 1]));
        if (cost < best[run + 1]) {
          best[run + 1] = cost;
          from[run + 1] = run;
        }
      }
      if (!near) continue;
      counts_.Clear();
      boxes_.Begin(begin_of(run));
      std::size_t limit = size();
      for (std::size_t last = run; last < limit; ++last) {
        for (std::size_t at = begin_of(last); at < ends_[last]; ++at) boxes_.Add(at);
        Count(last);
        if (last == run || last < next_refused_[run] || !model_.Admits(counts_)) continue;
        const float cost = best[run] + boxes_.Loss() * static_cast<float>(ends_[last] - begin_of(run));
        if (cost < best[last + 1]) {
          best[last + 1] = cost;
          from[last + 1] = run;
        }
        limit = std::min(limit, last + (last - run) + 2);
      }
    }
    if (best[size()] == kNever) return {};
    std::vector<std::size_t> ends;
    for (std::size_t run = size(); run > 0; run = from[run]) ends.push_back(ends_[run - 1]);
    std::reverse(ends.begin(), ends.end());
    return ends;
  }

  // From the left, each as soon as it is admitted; the rest joins what is before it until it is. All together are.
  std::vector<std::size_t> JoinGreedily() {
    std::vector<std::size_t> ends;
    counts_.Clear();
    bool open = false;
    for (std::size_t run = 0; run < size(); ++run) {
      Count(run);
      open = !model_.Admits(counts_);
      if (open) continue;
      ends.push_back(ends_[run]);
      counts_.Clear();
    }
    while (open && !ends.empty()) {
      ends.pop_back();
      counts_.Clear();
      const std::size_t begin = ends.empty() ? 0 : ends.back();
      counts_.Add(order_.subspan(begin));
      open = !model_.Admits(counts_);
    }
    if (ends.empty() || ends.back() != order_.size()) ends.push_back(order_.size());
    return ends;
  }

  Boxes& boxes_;
  std::span<const RowId> order_;
  std::vector<std::size_t> ends_;
  std::vector<float> costs_;
  const GroupModel& model_;
  GroupCounts counts_;
  std::vector<std::size_t> next_refused_;  // the first refused run from here on
};

template <typename Lane>
Groups Cut(const Microdata& data, std::span<const std::size_t> quasi, std::span<const RowId> order, const BoxSpans& spans,
           const GroupModel& model, const CountedColumns& counted) {
  RunBoxes<Lane> boxes(data, quasi, order, spans);
  const auto least = static_cast<std::size_t>(std::max<std::int64_t>(1, model.MinRows()));
  Groups groups;
  std::size_t begin = 0;
  for (const std::size_t end : RunJoiner(boxes, order, CutRuns(boxes, order.size(), least), model, counted).Join()) {
    groups.Add(order.subspan(begin, end - begin));
    boxes.Begin(begin);
    for (std::size_t at = begin + 1; at < end; ++at) boxes.Add(at);
    for (std::size_t q = 0; q < quasi.size(); ++q) groups.boxes.push_back(boxes.side(q));
    begin = end;
  }
  return groups;
}

}  // namespace

Groups SortedRuns(const Microdata& data, const GroupModel& model, const CountedColumns& counted) {
  const BoxSpans spans(data);
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  const std::vector<RowId> order = OrderOf(data, quasi, spans);
  Code largest = 0;
  for (std::size_t q = 0; q < spans.width(); ++q) largest = std::max(largest, spans.domain(q).size());
  const bool narrow = largest <= std::numeric_limits<std::int16_t>::max();
  return narrow ? Cut<std::int16_t>(data, quasi, order, spans, model, counted)
                : Cut<Code>(data, quasi, order, spans, model, counted);
}

}  // namespace cordon::engine
