// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/large/combinations.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kMaxWeight = std::numeric_limits<std::uint32_t>::max();  // of all weights together
constexpr std::size_t kMaxBuckets = 4096;

}  // namespace

std::uint64_t CodeKeys::HashOf(std::span<const Code> key) {
  std::uint64_t hash = 0;
  for (const Code code : key) hash = KeyHash::Of((hash ^ (hash >> 32)) + static_cast<std::uint32_t>(code));
  return hash;
}

std::uint32_t CodeKeys::FindOrAdd(std::span<const Code> key) {
  const auto is_it = [&](std::uint32_t number) { return std::equal(key.begin(), key.end(), (*this)[number].begin()); };
  const std::size_t before = size();
  const std::uint32_t number = index_.FindOrAdd(HashOf(key), is_it);
  if (number < before) return number;
  if ((number & (kChunkRows - 1)) == 0) chunks_.push_back(std::make_unique_for_overwrite<Code[]>(kChunkRows * width_));
  std::copy(key.begin(), key.end(), chunks_.back().get() + (number & (kChunkRows - 1)) * width_);
  return number;
}

std::uint32_t CodeKeys::Find(std::span<const Code> key) const {
  const auto is_it = [&](std::uint32_t number) { return std::equal(key.begin(), key.end(), (*this)[number].begin()); };
  const std::optional<std::uint32_t> found = index_.Find(HashOf(key), is_it);
  CORDON_CHECK(found.has_value());
  return *found;
}

Combinations::Combinations(const LargeTable& table, std::vector<std::size_t> columns)
    : table_(&table),
      columns_(std::move(columns)),
      keys_(columns_.size()),
      weights_(std::make_shared<std::vector<std::uint32_t>>()) {}

// Places on the domain, as several texts may mean one; texts of columns without a domain.
void Combinations::KeyOf(std::span<const Code> row, std::vector<Code>& key) const {
  key.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const LargeColumn& column = table_->columns[columns_[i]];
    const auto text = static_cast<std::size_t>(row[columns_[i]] + 1);
    key[i] = column.codes.empty() ? column.text_codes[text] : column.codes[text];
  }
}

Result<Combinations> Combinations::Count(const LargeTable& table, std::vector<std::size_t> columns,
                                         const CombinationsOptions& options, const Run& run) {
  if (table.num_rows > kMaxWeight) {
    return Error::InvalidData("the table has {} rows, more than {}, which is the maximum if combinations are counted",
                              table.num_rows, kMaxWeight)
        .WithHint("take partition, mondrian, closeness or likeness");
  }
  Combinations made(table, std::move(columns));
  const std::uint64_t left = options.memory > options.taken ? options.memory - options.taken : 0;
  const std::uint64_t most = std::min<std::uint64_t>(left / options.bytes_of_one, kMaxWeight);
  bool fits = true;
  std::uint64_t done = 0;
  std::vector<Code> key;
  CORDON_RETURN_IF_ERROR(table.rows.Each(0, run, [&](std::span<const Code> block) {
    for (std::size_t at = 0; fits && at < block.size(); at += table.columns.size()) {
      made.KeyOf(block.subspan(at, table.columns.size()), key);
      const std::uint32_t number = made.keys_.FindOrAdd(key);
      if (number == made.weights_->size()) made.weights_->push_back(0);
      ++(*made.weights_)[number];
      fits = made.keys_.size() <= most;
    }
    run.Report("combine", done += block.size() / table.columns.size(), table.num_rows);
    return Result<void>();
  }));
  if (fits) return made;
  made.keys_ = CodeKeys(made.columns_.size());
  made.weights_ = nullptr;
  CORDON_TRY(const std::uint64_t number, made.CountExactly(options, run));
  return Error::InvalidPolicy(
             "the table has {} different combinations of the {} columns that decide, which do not fit in --memory", number,
             made.columns_.size())
      .WithHint("give --memory {}MiB; or take partition, mondrian, closeness or likeness, which search part after part",
                (options.taken + number * options.bytes_of_one) / kMebibyte + 1);
}

// Deals the rows out by hash, so that each bucket fits.
Result<std::uint64_t> Combinations::CountExactly(const CombinationsOptions& options, const Run& run) const {
  const std::uint64_t bytes = table_->num_rows * (columns_.size() * sizeof(Code) + 40);
  const std::uint64_t room = std::max<std::uint64_t>(options.memory / 8, 1);
  const auto num_buckets = static_cast<std::size_t>(std::min<std::uint64_t>(bytes / room + 1, kMaxBuckets));
  CORDON_TRY(RowSpill buckets, RowSpill::Create(options.folder, columns_.size(), num_buckets));
  std::vector<Code> key;
  const auto deal_out = [&](std::span<const Code> block) -> Result<void> {
    for (std::size_t at = 0; at < block.size(); at += table_->columns.size()) {
      KeyOf(block.subspan(at, table_->columns.size()), key);
      CORDON_RETURN_IF_ERROR(buckets.Add(CodeKeys::HashOf(key) % num_buckets, key));
    }
    return {};
  };
  CORDON_RETURN_IF_ERROR(table_->rows.Each(0, run, deal_out));
  CORDON_RETURN_IF_ERROR(buckets.Flush());
  std::uint64_t number = 0;
  for (std::size_t bucket = 0; bucket < num_buckets; ++bucket) {
    CodeKeys keys(columns_.size());
    CORDON_RETURN_IF_ERROR(buckets.Each(bucket, run, [&](std::span<const Code> block) {
      for (std::size_t at = 0; at < block.size(); at += columns_.size()) keys.FindOrAdd(block.subspan(at, columns_.size()));
      return Result<void>();
    }));
    number += keys.size();
  }
  return number;
}

Microdata Combinations::Rows() const {
  Microdata data;
  data.num_rows = data.num_persons = keys_.size();
  data.dropped_rows = table_->dropped_rows;
  data.weights = weights_;
  for (const LargeColumn& column : table_->columns)
    data.columns.push_back({column.attribute, {}, {column.attribute.name, column.texts, {}}});
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    CodesBuilder codes;
    for (std::uint32_t number = 0; number < keys_.size(); ++number) codes.Add(keys_[number][i]);
    MicrodataColumn& column = data.columns[columns_[i]];
    (table_->columns[columns_[i]].codes.empty() ? column.text.codes : column.codes) = codes.Finish();
  }
  return data;
}

std::uint32_t Combinations::NumberOf(std::span<const Code> row) const {
  thread_local std::vector<Code> key;
  KeyOf(row, key);
  return keys_.Find(key);
}

}  // namespace cordon::engine
