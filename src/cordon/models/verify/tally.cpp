// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/tally.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "cordon/base/parallel_for.h"
#include "cordon/models/verify/group_table_internal.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kBatch = 256;                   // rows looked up together; divides kChunkRows
constexpr std::size_t kRowsPerPart = 4 * kChunkRows;  // a separate thread is not worth less
constexpr std::uint32_t kExempt = ~std::uint32_t{0};

using Entry = Tally::Entry;

// Appends the values of one group, counted and ascending. `dense` is scratch, all zero before and after.
void CountGroup(std::span<Code> values, Code num_values, std::vector<std::uint32_t>& dense, std::vector<Entry>& entries) {
  if (num_values > 0 && static_cast<std::size_t>(num_values) <= 4 * values.size()) {
    for (const Code value : values) ++dense[value];
    for (Code value = 0; value < num_values; ++value) {
      if (dense[value] > 0) entries.push_back({value, dense[value]});
      dense[value] = 0;
    }
    return;
  }
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i;
    while (end < values.size() && values[end] == values[i]) ++end;
    entries.push_back({values[i], static_cast<std::uint32_t>(end - i)});
    i = end;
  }
}

void MergeEntries(std::span<const Entry> a, std::span<const Entry> b, std::vector<Entry>& out) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].value < b[j].value)) {
      out.push_back(a[i++]);
    } else if (i == a.size() || b[j].value < a[i].value) {
      out.push_back(b[j++]);
    } else {
      out.push_back({a[i].value, a[i].count + b[j].count});
      ++i;
      ++j;
    }
  }
}

}  // namespace

TallyPlan::TallyPlan(const Release& release, std::span<const std::size_t> grouping) : num_rows_(release.num_rows) {
  std::size_t word = 0;
  int used = 0;
  for (const std::size_t column : grouping) {
    const Column& text = release.columns[column].text;
    // Codes and kNull, moved up by one, are 0..size.
    const int bits = static_cast<int>(std::bit_width(text.dictionary == nullptr ? 0 : text.dictionary->size()));
    if (bits == 0) continue;  // a column without texts tells no rows apart
    if (used + bits > 64) {
      ++word;
      used = 0;
    }
    key_.push_back({&text.codes, word, used});
    used += bits;
  }
  key_words_ = word + 1;
}

void TallyPlan::AddHistogram(const Codes& codes, std::vector<Code> value_of, Code num_values) {
  counted_.push_back({&codes, std::move(value_of), num_values});
}

void TallyPlan::ExemptStars(const Release& release, std::span<const std::size_t> columns) {
  stars_.clear();
  for (const std::size_t column : columns) {
    const Column& text = release.columns[column].text;
    const auto star = text.dictionary == nullptr ? std::nullopt : text.dictionary->Find("*");
    if (!star) {  // a column without stars: no row has them everywhere
      stars_.clear();
      return;
    }
    stars_.push_back({&text.codes, *star});
  }
}

// One part of the rows on its way to a Tally.
class TallyBuilder {
 public:
  TallyBuilder(const TallyPlan& plan, std::size_t begin, std::size_t end)
      : plan_(plan), begin_(begin), end_(end), table_(plan.key_words_), words_(plan.key_words_ * kBatch) {}

  Tally Build(const Run& run) {
    if (!plan_.counted_.empty()) group_of_.resize(end_ - begin_);
    std::size_t row = begin_;
    while (row < end_ && !run.Stopped()) {
      const std::size_t batch_end = std::min(end_, (row / kBatch + 1) * kBatch);
      AddBatch(row, batch_end - row);
      row = batch_end;
    }
    Tally tally;
    tally.key_words_ = plan_.key_words_;
    TakeGroups(table_, tally);
    if (row == end_) CountHistograms(tally);
    return tally;
  }

  static void TakeGroups(const GroupTable& table, Tally& tally) {
    tally.keys_.clear();
    tally.rows_.clear();
    tally.first_rows_.clear();
    tally.keys_.reserve(table.size() * tally.key_words_);
    tally.rows_.reserve(table.size());
    tally.first_rows_.reserve(table.size());
    for (std::size_t group = 0; group < table.size(); ++group) {
      tally.keys_.insert(tally.keys_.end(), table.key(group), table.key(group) + tally.key_words_);
      tally.rows_.push_back(table.rows(group));
      tally.first_rows_.push_back(table.first_row(group));
    }
  }

 private:
  const Code* CodesAt(const Codes& codes, std::size_t row) const {
    return codes.chunk(row >> kChunkBits).data() + (row & (kChunkRows - 1));
  }

  // Rows row .. row + count - 1, all in one chunk.
  void AddBatch(std::size_t row, std::size_t count) {
    const std::size_t width = plan_.key_words_;
    std::fill(words_.begin(), words_.end(), 0);
    for (const TallyPlan::KeyColumn& column : plan_.key_) {
      const Code* const codes = CodesAt(*column.codes, row);
      std::uint64_t* const words = words_.data() + column.word;
      for (std::size_t i = 0; i < count; ++i) {
        words[i * width] |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(codes[i] + 1)) << column.shift;
      }
    }
    exempt_.fill(plan_.stars_.empty() ? 0 : 1);
    for (const TallyPlan::Star& star : plan_.stars_) {
      const Code* const codes = CodesAt(*star.codes, row);
      for (std::size_t i = 0; i < count; ++i) exempt_[i] &= codes[i] == star.star ? 1 : 0;
    }
    for (std::size_t i = 0; i < count; ++i) {
      hashes_[i] = GroupTable::Hash({words_.data() + i * width, width});
      table_.PrefetchSlot(hashes_[i]);
    }
    for (std::size_t i = 0; i < count; ++i) table_.PrefetchRecord(hashes_[i]);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t group = kExempt;
      if (exempt_[i] == 0) group = table_.Add(words_.data() + i * width, hashes_[i], 1, static_cast<std::uint32_t>(row + i));
      if (!group_of_.empty()) group_of_[row + i - begin_] = group;
    }
  }

  void CountHistograms(Tally& tally) {
    std::vector<std::uint64_t> starts(tally.num_groups() + 1);
    for (std::size_t group = 0; group < tally.num_groups(); ++group) starts[group + 1] = starts[group] + tally.rows(group);
    std::vector<Code> values(starts.back());
    for (const TallyPlan::Counted& column : plan_.counted_) {
      Tally::Histograms made;
      std::vector<std::uint64_t> next(starts.begin(), starts.end() - 1);
      for (std::size_t row = begin_; row < end_; ++row) {
        const std::uint32_t group = group_of_[row - begin_];
        if (group == kExempt) continue;
        const Code code = (*column.codes)[row];
        values[next[group]++] = column.value_of.empty() ? code : column.value_of[code + 1];
      }
      std::vector<std::uint32_t> dense(static_cast<std::size_t>(std::max<Code>(column.num_values, 1)));
      made.starts.reserve(tally.num_groups() + 1);
      for (std::size_t group = 0; group < tally.num_groups(); ++group) {
        CountGroup(std::span(values).subspan(starts[group], starts[group + 1] - starts[group]), column.num_values, dense,
                   made.entries);
        made.starts.push_back(made.entries.size());
      }
      tally.histograms_.push_back(std::move(made));
    }
  }

  const TallyPlan& plan_;
  std::size_t begin_;
  std::size_t end_;
  GroupTable table_;
  std::vector<std::uint64_t> words_;
  std::array<std::uint64_t, kBatch> hashes_{};
  std::array<std::uint8_t, kBatch> exempt_{};
  std::vector<std::uint32_t> group_of_;  // by row of this part; only where something is counted
};

Tally Tally::Count(const TallyPlan& plan, std::size_t begin, std::size_t end, const Run& run) {
  return TallyBuilder(plan, begin, end).Build(run);
}

void Tally::Merge(const Tally& other) {
  CORDON_CHECK_EQ(key_words_, other.key_words_);
  CORDON_CHECK_EQ(histograms_.size(), other.histograms_.size());
  // 1. Groups of both, those in order of first row.
  GroupTable table(key_words_);
  struct Sides {
    std::uint32_t left = ~std::uint32_t{0};
    std::uint32_t right = ~std::uint32_t{0};
  };
  std::vector<Sides> sides;
  const auto add = [&](const Tally& from, std::uint32_t group) {
    const std::uint64_t* const key = from.keys_.data() + group * key_words_;
    const std::uint32_t merged =
        table.Add(key, GroupTable::Hash({key, key_words_}), from.rows_[group], from.first_rows_[group]);
    if (merged == sides.size()) sides.emplace_back();
    (&from == this ? sides[merged].left : sides[merged].right) = group;
  };
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  while (i < num_groups() || j < other.num_groups()) {
    if (j == other.num_groups() || (i < num_groups() && first_rows_[i] < other.first_rows_[j])) {
      add(*this, i++);
    } else {
      add(other, j++);
    }
  }
  // 2. Their histograms.
  for (std::size_t h = 0; h < histograms_.size(); ++h) {
    Histograms merged;
    merged.starts.reserve(sides.size() + 1);
    merged.entries.reserve(histograms_[h].entries.size());
    for (const Sides& side : sides) {
      MergeEntries(side.left == ~std::uint32_t{0} ? std::span<const Entry>() : histogram(h, side.left),
                   side.right == ~std::uint32_t{0} ? std::span<const Entry>() : other.histogram(h, side.right), merged.entries);
      merged.starts.push_back(merged.entries.size());
    }
    histograms_[h] = std::move(merged);
  }
  TallyBuilder::TakeGroups(table, *this);
}

Tally Tally::OneGroup(std::uint32_t rows, std::vector<Entry> entries) {
  Tally tally;
  tally.rows_ = {rows};
  tally.first_rows_ = {0};
  tally.histograms_.resize(1);
  tally.histograms_[0].starts.push_back(entries.size());
  tally.histograms_[0].entries = std::move(entries);
  return tally;
}

Result<Tally> Tally::CountAll(const TallyPlan& plan, const Run& run) {
  // One part per thread: merging is what parts cost. The result is the same for any number of them.
  const std::size_t wanted = std::max<std::size_t>(
      1, std::min<std::size_t>(static_cast<std::size_t>(std::max(run.threads, 1)), plan.num_rows() / kRowsPerPart));
  const std::size_t rows_per_part =
      std::max<std::size_t>(kChunkRows, NumChunks(NumChunks(plan.num_rows(), wanted), kChunkRows) * kChunkRows);
  std::vector<Tally> parts(std::max<std::size_t>(1, NumChunks(plan.num_rows(), rows_per_part)));
  std::atomic<std::uint64_t> done = 0;
  run.Report("verify", 0, plan.num_rows());
  ParallelFor(run.threads, parts.size(), 1, [&](std::size_t part, std::size_t, std::size_t) {
    const std::size_t begin = part * rows_per_part;
    const std::size_t end = std::min(plan.num_rows(), begin + rows_per_part);
    parts[part] = Count(plan, begin, end, run);
    run.Report("verify", done += end - begin, plan.num_rows());
  });
  // Neighbours pair up, pairs pair up, and so on.
  for (std::size_t step = 1; step < parts.size() && !run.Stopped(); step *= 2) {
    ParallelFor(run.threads, NumChunks(parts.size(), 2 * step), 1, [&](std::size_t pair, std::size_t, std::size_t) {
      const std::size_t left = pair * 2 * step;
      if (left + step >= parts.size()) return;
      parts[left].Merge(parts[left + step]);
      parts[left + step] = Tally();
    });
  }
  if (run.Stopped()) return Error::Cancelled();
  return std::move(parts[0]);
}

}  // namespace cordon::engine
