// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/seen.h"

#include <algorithm>
#include <bit>

#include "cordon/base/check.h"
#include "cordon/metrics/grouping.h"
#include "cordon/metrics/published_ranges.h"

namespace cordon::engine {
namespace {

KnownColumn KnownColumnOf(const Microdata& original, const std::string& name) {
  const std::size_t index = *original.Find(name);
  const MicrodataColumn& column = original.columns[index];
  if (column.attribute.role == Role::kQuasi) return {name, index, &column.codes, 0, column.attribute.domain->size()};
  return {name, index, &column.text.codes, 1, static_cast<Code>(column.text.dictionary->size()) + 1};
}

// By text code + 1, as PublishedRanges: the place of the same text in the original; an empty range if it has none.
std::vector<CodeRange> RangesOfTexts(const Column& released, const Column& original) {
  std::vector<CodeRange> ranges(released.dictionary->size() + 1, CodeRange{0, -1});
  ranges[0] = {0, 0};
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    const auto code = original.dictionary->Find((*released.dictionary)[static_cast<Code>(i) - 1].bytes());
    if (code) ranges[i] = {*code + 1, *code + 1};
  }
  return ranges;
}

}  // namespace

void Seen::PointOf(RowId row, std::vector<Code>& point) const {
  point.clear();
  for (const KnownColumn& column : columns) point.push_back(column.place(row));
}

Result<Seen> SeeRelease(const Microdata& original, const Release& release, std::span<const std::string> known, const Run& run) {
  Seen seen;
  seen.rows = release.num_rows;
  std::vector<CodedColumn> coded;
  std::vector<std::vector<CodeRange>> ranges;  // by column and text
  for (const std::string& name : known) {
    const ReleaseColumn* column = release.Find(name);
    CORDON_CHECK(column != nullptr);
    seen.columns.push_back(KnownColumnOf(original, name));
    const MicrodataColumn& behind = original.columns[seen.columns.back().index];
    if (behind.attribute.role == Role::kQuasi) {
      CORDON_TRY(std::vector<CodeRange> read, PublishedRanges(*column, *behind.attribute.domain, release.num_rows));
      ranges.push_back(std::move(read));
    } else {
      ranges.push_back(RangesOfTexts(column->text, behind.text));
    }
    coded.push_back({&column->text.codes, column->text.dictionary->size()});
  }
  RowGroups groups = NumberRows(coded, release.num_rows, run);
  seen.class_of_row = std::move(groups.of_row);
  seen.first_row = std::move(groups.first_row);
  seen.sizes.resize(seen.first_row.size());
  for (const std::uint32_t number : seen.class_of_row) ++seen.sizes[number];
  for (const RowId row : seen.first_row) {
    for (std::size_t i = 0; i < coded.size(); ++i) {
      seen.ranges.push_back(ranges[i][static_cast<std::size_t>((*coded[i].codes)[row] + 1)]);
    }
  }
  return seen;
}

std::vector<double> CellShares(const Seen& seen, std::size_t num_rows) {
  std::vector<double> shares(seen.ranges.size());
  for (std::size_t i = 0; i < seen.columns.size(); ++i) {
    const KnownColumn& column = seen.columns[i];
    std::vector<std::uint64_t> up_to(static_cast<std::size_t>(column.size) + 1);
    for (std::size_t row = 0; row < num_rows; ++row)
      ++up_to[static_cast<std::size_t>(column.place(static_cast<RowId>(row))) + 1];
    for (std::size_t place = 1; place < up_to.size(); ++place) up_to[place] += up_to[place - 1];
    for (std::size_t number = 0; number < seen.num_classes(); ++number) {
      const CodeRange range = seen.box(number)[i];
      if (range.lo > range.hi) continue;
      shares[number * seen.columns.size() + i] =
          static_cast<double>(up_to[static_cast<std::size_t>(range.hi) + 1] - up_to[range.lo]) / static_cast<double>(num_rows);
    }
  }
  return shares;
}

ClassIndex::ClassIndex(const Seen& seen) : seen_(seen), words_((seen.num_classes() + 63) / 64) {
  constexpr std::size_t kMaxBlocks = 256;
  constexpr std::size_t kMaxWords = std::size_t{1} << 22;  // of a column: 32 MB
  for (std::size_t i = 0; i < seen.columns.size(); ++i) {
    Axis axis;
    axis.size = std::max<Code>(1, seen.columns[i].size);
    const std::size_t most = std::clamp<std::size_t>(kMaxWords / std::max<std::size_t>(1, words_), 1, kMaxBlocks);
    axis.blocks = std::min(most, static_cast<std::size_t>(axis.size));
    axis.exact = axis.blocks == static_cast<std::size_t>(axis.size);
    axis.bits.resize(axis.blocks * words_);
    for (std::size_t number = 0; number < seen.num_classes(); ++number) {
      const CodeRange range = seen.box(number)[i];
      if (range.lo > range.hi) continue;
      for (std::size_t block = Block(axis, range.lo); block <= Block(axis, range.hi); ++block) {
        axis.bits[block * words_ + number / 64] |= std::uint64_t{1} << (number % 64);
      }
    }
    axes_.push_back(std::move(axis));
  }
}

void ClassIndex::Find(std::span<const Code> point, std::vector<std::uint32_t>& classes, std::size_t skip) const {
  classes.clear();
  std::vector<const std::uint64_t*> maps;
  std::vector<std::size_t> ask;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (i == skip) continue;
    maps.push_back(axes_[i].bits.data() + Block(axes_[i], point[i]) * words_);
    if (!axes_[i].exact) ask.push_back(i);
  }
  for (std::size_t word = 0; word < words_; ++word) {
    const std::size_t here = std::min<std::size_t>(64, seen_.num_classes() - word * 64);
    std::uint64_t bits = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
    for (std::size_t i = 0; i < maps.size() && bits != 0; ++i) bits &= maps[i][word];
    for (; bits != 0; bits &= bits - 1) {
      const auto number = static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      const auto box = seen_.box(number);
      const bool covers =
          std::all_of(ask.begin(), ask.end(), [&](std::size_t i) { return box[i].lo <= point[i] && point[i] <= box[i].hi; });
      if (covers) classes.push_back(number);
    }
  }
}

}  // namespace cordon::engine
