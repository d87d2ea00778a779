// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/uniqueness.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "cordon/base/parallel_for.h"

namespace cordon {
namespace {

Separation Summarize(std::vector<std::size_t> columns, std::span<const std::uint64_t> sizes, std::size_t num_rows) {
  Separation found{std::move(columns), 0, 0, 0, 0};
  std::uint64_t ordered_pairs = 0;  // of two rows that look alike; below 2^64, as rows are below 2^32
  for (const std::uint64_t size : sizes) {
    if (size == 0) continue;
    ++found.combinations;
    found.unique_rows += size == 1;
    ordered_pairs += size * (size - 1);
  }
  const auto rows = static_cast<double>(num_rows);
  if (num_rows > 0) found.distinction = static_cast<double>(found.combinations) / rows;
  if (num_rows > 1) found.separation = 1 - static_cast<double>(ordered_pairs) / (rows * (rows - 1));
  return found;
}

// The rows by their combination of the columns chosen so far: dense numbers, refined column by column.
struct Partition {
  std::vector<std::uint32_t> of_row;
  std::vector<std::uint64_t> sizes;
};

// A slot for every pair (number, code) where that is not much more than the rows, else an open-addressing table.
class Refiner {
 public:
  Partition Refine(const Partition& coarse, const CodedColumn& column) {
    const std::uint64_t width = column.size + 1;  // kNull first
    const std::uint64_t pairs = coarse.sizes.size() * width;
    const bool direct = pairs <= kDirect || pairs <= coarse.of_row.size();
    const std::size_t slots = direct ? pairs : std::bit_ceil(coarse.of_row.size() * 2 + 2);
    numbers_.assign(slots, 0);
    if (!direct) keys_.resize(slots);
    Partition fine;
    fine.of_row.resize(coarse.of_row.size());
    for (std::size_t row = 0; row < coarse.of_row.size(); ++row) {
      const std::uint64_t key = coarse.of_row[row] * width + static_cast<std::uint64_t>((*column.codes)[row] + 1);
      std::uint32_t& number = numbers_[direct ? key : Slot(key, slots - 1)];
      if (number == 0) {
        fine.sizes.push_back(0);
        number = static_cast<std::uint32_t>(fine.sizes.size());
      }
      ++fine.sizes[number - 1];
      fine.of_row[row] = number - 1;
    }
    return fine;
  }

 private:
  static constexpr std::uint64_t kDirect = std::uint64_t{1} << 16;

  std::size_t Slot(std::uint64_t key, std::size_t mask) {
    std::size_t slot = (key * 0x9e3779b97f4a7c15ULL >> 20) & mask;
    while (numbers_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & mask;
    keys_[slot] = key;
    return slot;
  }

  std::vector<std::uint32_t> numbers_;  // number + 1; 0: not met yet
  std::vector<std::uint64_t> keys_;
};

// Subsets that begin with `chosen`, in lexicographic order.
void Extend(std::span<const CodedColumn> columns, std::size_t max_columns, std::vector<std::size_t>& chosen,
            const Partition& partition, Refiner& refiner, const Run& run, std::vector<Separation>& found) {
  found.push_back(Summarize(chosen, partition.sizes, partition.of_row.size()));
  if (chosen.size() == max_columns) return;
  for (std::size_t next = chosen.back() + 1; next < columns.size() && !run.Stopped(); ++next) {
    chosen.push_back(next);
    Extend(columns, max_columns, chosen, refiner.Refine(partition, columns[next]), refiner, run, found);
    chosen.pop_back();
  }
}

// The greatest subset size, at least 1, with which the number of subsets stays within the limit.
std::size_t SizeWithin(std::size_t num_columns, const SubsetOptions& options) {
  std::size_t size = 1;
  double choices = static_cast<double>(num_columns);  // subsets of `size` columns
  double total = choices;
  while (size < std::min(options.max_columns, num_columns)) {
    choices *= static_cast<double>(num_columns - size) / static_cast<double>(size + 1);
    total += choices;
    if (total > static_cast<double>(options.max_subsets)) break;
    ++size;
  }
  return size;
}

}  // namespace

Separation MeasureSeparation(std::span<const CodedColumn> columns, std::size_t num_rows, const Run& run) {
  std::vector<std::size_t> all(columns.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return Summarize(std::move(all), CountCombinations(columns, num_rows, run), num_rows);
}

std::vector<Separation> SeparationOfSubsets(std::span<const CodedColumn> columns, std::size_t num_rows,
                                            const SubsetOptions& options, const Run& run) {
  const std::size_t max_columns = SizeWithin(columns.size(), options);
  const Partition whole{std::vector<std::uint32_t>(num_rows), {num_rows}};
  std::vector<std::vector<Separation>> parts(columns.size());
  ParallelFor(run.threads, columns.size(), 1, [&](std::size_t first, std::size_t, std::size_t) {
    Refiner refiner;
    std::vector<std::size_t> chosen = {first};
    Extend(columns, max_columns, chosen, refiner.Refine(whole, columns[first]), refiner, run, parts[first]);
  });
  std::vector<Separation> all;
  for (auto& part : parts) std::move(part.begin(), part.end(), std::back_inserter(all));
  std::stable_sort(all.begin(), all.end(), [](const Separation& a, const Separation& b) {
    const auto rank = [](const Separation& s) { return std::tuple(-s.separation, -s.distinction, s.columns.size()); };
    return rank(a) < rank(b);
  });
  return all;
}

}  // namespace cordon
