// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/census.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "cordon/base/parallel_for.h"
#include "cordon/base/random.h"
#include "cordon/base/rational.h"
#include "cordon/synthetic/census_attributes.h"
#include "cordon/synthetic/normal_scores.h"

namespace cordon::engine {
namespace {

using Value = std::uint8_t;  // no attribute has more than 83

// s = (latent * z + own * e) / 2^30, all whole numbers.
struct Mixture {
  static constexpr int kBits = 30;
  std::int64_t latent;
  std::int64_t own;

  // std::sqrt is correctly rounded by IEEE 754, unlike the rest of <cmath>.
  explicit Mixture(double rho)
      : latent(static_cast<std::int64_t>(std::sqrt(rho) * (1 << kBits) + 0.5)),
        own(static_cast<std::int64_t>(std::sqrt(1 - rho) * (1 << kBits) + 0.5)) {}

  std::int32_t operator()(std::int32_t z, std::int32_t e) const {
    return static_cast<std::int32_t>((latent * z + own * e) >> kBits);
  }
};

// The scores at which the next value begins.
std::vector<std::int32_t> Thresholds(const std::vector<std::uint32_t>& weights) {
  const std::uint64_t total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  std::vector<std::int32_t> thresholds;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    below += weights[i];
    thresholds.push_back(NormalQuantile(below, total));
  }
  return thresholds;
}

Value ValueAt(const std::vector<std::int32_t>& thresholds, std::int32_t score) {
  return static_cast<Value>(std::upper_bound(thresholds.begin(), thresholds.end(), score) - thresholds.begin());
}

struct CensusRows {
  std::array<std::vector<Value>, kCensusQuasi> quasi;
  std::vector<std::uint64_t> salary_keys;  // salary score (order kept, made unsigned) * 2^32 + row
};

// Each chunk of rows has its own substream; each row takes nine words: Z, then E_1 to E_8.
CensusRows Draw(const CensusOptions& options, std::span<const CensusAttribute> attributes, const Run& run) {
  const NormalScores normal;
  const Mixture mixture(options.rho);
  const Random random = Random::FromSeed(options.seed).Substream("census");
  std::array<std::vector<std::int32_t>, kCensusQuasi> thresholds;
  CensusRows rows;
  for (std::size_t i = 0; i < kCensusQuasi; ++i) {
    thresholds[i] = Thresholds(attributes[i].weights);
    rows.quasi[i].resize(options.rows);
  }
  rows.salary_keys.resize(options.rows);
  ParallelFor(run.threads, options.rows, kChunkRows, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    if (run.Stopped()) return;
    Random words = random.Substream("rows", chunk);
    for (std::size_t row = begin; row < end; ++row) {
      const std::int32_t z = normal(words.Next());
      for (std::size_t i = 0; i < kCensusQuasi; ++i)
        rows.quasi[i][row] = ValueAt(thresholds[i], mixture(z, normal(words.Next())));
      const std::uint32_t score = static_cast<std::uint32_t>(mixture(z, normal(words.Next()))) ^ 0x80000000u;
      rows.salary_keys[row] = static_cast<std::uint64_t>(score) << 32 | row;
    }
    run.Report("generate", end, options.rows);
  });
  return rows;
}

// The lowest scores get class 0, and so on: exactly the wanted counts, ties by row.
std::vector<Value> SalariesByRank(std::vector<std::uint64_t> keys) {
  std::sort(keys.begin(), keys.end());
  const std::vector<std::uint64_t> counts = CensusSalaryCounts(keys.size());
  std::vector<Value> salaries(keys.size());
  std::size_t rank = 0;
  for (std::size_t salary = 0; salary < counts.size(); ++salary) {
    for (std::uint64_t i = 0; i < counts[salary]; ++i) salaries[keys[rank++] & 0xffffffff] = static_cast<Value>(salary);
  }
  return salaries;
}

// Dictionaries hold the values in use, in order of first appearance, as if the table had been read.
Column MakeColumn(const CensusAttribute& attribute, std::vector<Value> values, const Run& run) {
  std::vector<Code> codes(attribute.labels.size(), kNull);
  auto dictionary = std::make_shared<Dictionary>();
  for (const Value value : values) {
    if (codes[value] == kNull) codes[value] = dictionary->Intern(attribute.labels[value]);
  }
  return {attribute.name, std::move(dictionary),
          Codes::Generate(values.size(), run.threads, [&](std::size_t row) { return codes[values[row]]; })};
}

}  // namespace

Result<void> CensusOptions::Validate() const {
  if (!(rho >= 0 && rho < 1)) return Error::InvalidPolicy("rho = {} is not in [0, 1)", rho);
  if (rows == 0) return Error::InvalidPolicy("rows = 0 makes no table");
  return {};
}

std::vector<std::uint64_t> CensusSalaryCounts(std::uint64_t rows) {
  const std::span<const std::uint64_t> weights = CensusSalaryWeights();
  const std::uint64_t total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  std::vector<std::uint64_t> counts;
  std::vector<std::pair<std::uint64_t, std::size_t>> rests;  // what rounding down lost, by class
  std::uint64_t left = rows;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const UInt128 exact = static_cast<UInt128>(weights[i]) * rows;
    counts.push_back(static_cast<std::uint64_t>(exact / total));
    rests.emplace_back(static_cast<std::uint64_t>(exact % total), i);
    left -= counts.back();
  }
  std::sort(rests.begin(), rests.end(),
            [](const auto& a, const auto& b) { return a.first > b.first || (a.first == b.first && a.second < b.second); });
  for (std::uint64_t i = 0; i < left; ++i) ++counts[rests[i].second];
  return counts;
}

Result<Generated> GenerateCensus(const CensusOptions& options, const Run& run) {
  CORDON_RETURN_IF_ERROR(options.Validate());
  const std::vector<CensusAttribute> attributes = CensusAttributes();
  CensusRows rows = Draw(options, attributes, run);
  if (run.Stopped()) return Error::Cancelled();

  Generated made;
  made.table_file = "census.csv";
  made.table.num_rows = options.rows;
  const CensusAttribute& salary = attributes[kCensusQuasi];
  Column salaries = MakeColumn(salary, SalariesByRank(std::move(rows.salary_keys)), run);
  for (std::size_t i = 0; i < kCensusQuasi; ++i)
    made.table.columns.push_back(MakeColumn(attributes[i], std::move(rows.quasi[i]), run));
  made.table.columns.push_back(std::move(salaries));

  made.files.emplace_back("policy.toml", CensusPolicy());
  for (const CensusAttribute& attribute : attributes) {
    if (!attribute.hierarchy.empty()) made.files.emplace_back(attribute.name + ".csv", attribute.hierarchy);
  }
  return made;
}

}  // namespace cordon::engine
