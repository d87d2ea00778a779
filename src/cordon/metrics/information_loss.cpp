// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/information_loss.h"

#include <algorithm>
#include <optional>

#include "cordon/base/parallel_for.h"
#include "cordon/metrics/grouping.h"
#include "cordon/metrics/published_ranges.h"

namespace cordon::engine {
namespace {

// How often each text occurs; place 0 is that of absent cells.
std::vector<std::uint64_t> CountTexts(const Column& column, std::size_t num_rows, int threads) {
  constexpr std::size_t kRowsPerTask = std::size_t{1} << 20;
  std::vector<std::vector<std::uint64_t>> parts(NumChunks(num_rows, kRowsPerTask));
  ParallelFor(threads, num_rows, kRowsPerTask, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t>& counts = parts[chunk];
    counts.resize(column.dictionary->size() + 1);
    for (std::size_t row = begin; row < end; ++row) ++counts[column.codes[row] + 1];
  });
  std::vector<std::uint64_t> all(column.dictionary->size() + 1);
  for (const auto& part : parts) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += part[i];
  }
  return all;
}

struct Sums {
  double loss = 0;
  double thesis = 0;
};

// Over the rows that are not suppressed. Texts in the order of the dictionary: the sum is the same for any threads.
// `starred` of the stars are those of suppressed rows.
Result<Sums> SumOf(const ReleaseColumn& column, std::uint64_t starred, std::size_t num_rows, int threads) {
  if (column.attribute.domain == nullptr)
    return Error::InvalidPolicy("column '{}' is quasi and has no domain", column.attribute.name);
  const Domain& domain = *column.attribute.domain;
  std::vector<std::uint64_t> counts = CountTexts(column.text, num_rows, threads);
  if (starred > 0) counts[*column.text.dictionary->Find("*") + 1] -= starred;
  Sums sums;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const Code code = static_cast<Code>(i) - 1;
    const auto meaning = domain.Read(code == kNull ? std::string_view() : (*column.text.dictionary)[code].bytes());
    if (!meaning) return UnreadableCell(column, code, num_rows);
    sums.loss += static_cast<double>(counts[i]) * domain.Loss(*meaning);
    sums.thesis += static_cast<double>(counts[i]) * domain.LossThesis(*meaning);
  }
  return sums;
}

}  // namespace

Result<InformationLoss> MeasureInformationLoss(const Release& release, const Run& run) {
  const std::vector<std::size_t> quasi = release.ColumnsOf(Role::kQuasi);
  const std::uint64_t starred = StarredRows(release);
  const std::uint64_t suppressed = RowsLeftOut(release) + starred;
  const auto rows = static_cast<double>(release.num_rows + RowsLeftOut(release));

  InformationLoss measured;
  for (const std::size_t i : quasi) {
    CORDON_TRY(const Sums sums, SumOf(release.columns[i], starred, release.num_rows, run.threads));
    const double loss = rows == 0 ? 0 : (sums.loss + static_cast<double>(suppressed)) / rows;
    const double thesis = rows == 0 ? 0 : (sums.thesis + static_cast<double>(suppressed)) / rows;
    measured.per_attribute.emplace_back(release.columns[i].attribute.name, loss);
    measured.information_loss += loss / static_cast<double>(quasi.size());
    measured.information_loss_thesis += thesis / static_cast<double>(quasi.size());
  }
  return measured;
}

}  // namespace cordon::engine
