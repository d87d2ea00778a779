// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/spill/shuffled_release.h"

#include <algorithm>

#include "cordon/data/recode.h"

namespace cordon::engine {

ShuffledRelease::ShuffledRelease(RowSpill rows, const Random& random)
    : rows_(std::move(rows)), buckets_(random.Substream("bucket of a row")), within_(random.Substream("order in a bucket")) {}

Result<ShuffledRelease> ShuffledRelease::Create(const std::string& folder, std::size_t num_columns, std::size_t num_buckets,
                                                const Random& random) {
  CORDON_TRY(RowSpill rows, RowSpill::Create(folder, num_columns, num_buckets));
  return ShuffledRelease(std::move(rows), random);
}

Result<void> ShuffledRelease::Add(const VerifiedRelease& part, const Run& run) {
  const Release& release = part.release();
  CORDON_CHECK_EQ(release.columns.size(), rows_.width());
  if (columns_.empty()) {
    for (const ReleaseColumn& column : release.columns) {
      columns_.push_back({column.attribute, {column.text.name, column.text.dictionary, {}}});
      used_.emplace_back(column.text.dictionary->size() + 1, false);
    }
  }
  for (std::size_t i = 0; i < columns_.size(); ++i)
    CORDON_CHECK(release.columns[i].text.dictionary == columns_[i].text.dictionary);
  std::vector<Code> cells(columns_.size());
  for (std::size_t row = 0; row < release.num_rows; ++row) {
    if (row % kChunkRows == 0 && run.Stopped()) return Error::Cancelled();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] = release.columns[i].text.codes[row];
      used_[i][static_cast<std::size_t>(cells[i] + 1)] = true;
    }
    CORDON_RETURN_IF_ERROR(rows_.Add(buckets_.Below(rows_.num_buckets()), cells));
  }
  return {};
}

Release ShuffledRelease::Legend() const {
  Release legend;
  legend.columns = columns_;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    CodesBuilder codes;
    for (std::size_t place = 0; place < used_[i].size(); ++place) {
      if (used_[i][place]) codes.Add(static_cast<Code>(place) - 1);
    }
    legend.columns[i].text.codes = codes.Finish();
  }
  return legend;
}

Result<void> ShuffledRelease::Each(const Run& run, const std::function<Result<void>(const Release&)>& take) {
  CORDON_RETURN_IF_ERROR(rows_.Flush());
  for (std::size_t bucket = 0; bucket < rows_.num_buckets(); ++bucket) {
    const std::size_t num_rows = rows_.rows(bucket);
    if (num_rows == 0) continue;
    std::vector<Code> cells;
    cells.reserve(num_rows * rows_.width());
    CORDON_RETURN_IF_ERROR(rows_.Each(bucket, run, [&](std::span<const Code> rows) {
      cells.insert(cells.end(), rows.begin(), rows.end());
      return Result<void>();
    }));
    const std::vector<RowId> order = RandomOrder(num_rows, within_.Substream("bucket", bucket), run.threads);
    Release part;
    part.num_rows = num_rows;
    part.columns = columns_;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      part.columns[i].text.codes =
          Codes::Generate(num_rows, run.threads, [&](std::size_t row) { return cells[order[row] * rows_.width() + i]; });
    }
    cells = {};
    CORDON_RETURN_IF_ERROR(take(part));
  }
  return {};
}

}  // namespace cordon::engine
