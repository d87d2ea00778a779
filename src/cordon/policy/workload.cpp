// SPDX-License-Identifier: Apache-2.0
#include "cordon/policy/workload.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "cordon/base/rational.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxBoxes = 4096;  // of one query
// What is not asked about keeps so much of a weight: of two groups that serve the queries alike, the smaller box is better.
constexpr double kUnasked = 0.02;

using Runs = std::vector<CodeRange>;  // ascending, apart

std::optional<Decimal> NumberOf(const Domain& domain, const std::string& text) {
  if (domain.kind() != Domain::Kind::kDate) return ParseDecimal(text);
  const auto days = ParseDate(text);
  return days ? std::optional(Decimal{*days, 0}) : std::nullopt;
}

Int128 PowerOfTen(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// Whether the value, at the domain's scale, is below the number. Both have at most 18 digits, so the products fit.
bool Below(std::int64_t value, int scale, const Decimal& number) {
  return static_cast<Int128>(value) * PowerOfTen(number.scale) < static_cast<Int128>(number.mantissa) * PowerOfTen(scale);
}

// The first code at or above the number; above it where `past`.
Code FirstFrom(const Domain& domain, const Decimal& number, bool past) {
  const std::vector<std::int64_t>& values = domain.numeric().values;
  const auto found = std::partition_point(values.begin(), values.end(), [&](std::int64_t value) {
    if (Below(value, domain.scale(), number)) return true;
    return past && static_cast<Int128>(value) * PowerOfTen(number.scale) ==
                       static_cast<Int128>(number.mantissa) * PowerOfTen(domain.scale());
  });
  return static_cast<Code>(found - values.begin());
}

CodeRange Between(const Domain& domain, const std::optional<WorkloadTest::End>& low,
                  const std::optional<WorkloadTest::End>& high) {
  CodeRange range{0, static_cast<Code>(domain.numeric().values.size()) - 1};
  if (low) range.lo = FirstFrom(domain, *NumberOf(domain, low->value), !low->included);
  if (high) range.hi = FirstFrom(domain, *NumberOf(domain, high->value), high->included) - 1;
  return range;
}

Runs Sorted(Runs runs) {
  std::erase_if(runs, [](const CodeRange& run) { return run.lo > run.hi; });
  std::sort(runs.begin(), runs.end(), [](const CodeRange& a, const CodeRange& b) { return a.lo < b.lo; });
  Runs joined;
  for (const CodeRange& run : runs) {
    if (!joined.empty() && run.lo <= joined.back().hi + 1) {
      joined.back().hi = std::max(joined.back().hi, run.hi);
    } else {
      joined.push_back(run);
    }
  }
  return joined;
}

Runs RunsOf(const Domain& domain, const WorkloadTest& test) {
  if (test.values.empty()) return Sorted({Between(domain, test.low, test.high)});
  Runs runs;
  for (const std::string& value : test.values) {
    if (!domain.is_categorical()) {
      const WorkloadTest::End end{value, true};
      runs.push_back(Between(domain, end, end));
    } else if (const auto meaning = domain.Read(value)) {
      runs.push_back(domain.CoveredCodes(*meaning));
    }
  }
  return Sorted(std::move(runs));
}

Runs Intersection(const Runs& a, const Runs& b) {
  Runs common;
  for (const CodeRange& x : a) {
    for (const CodeRange& y : b) common.push_back({std::max(x.lo, y.lo), std::min(x.hi, y.hi)});
  }
  return Sorted(std::move(common));
}

// By column, quasi columns first: what the estimator expects.
Result<void> AddBoxes(const WorkloadQuery& query, const Microdata& data, Workload& workload) {
  std::map<std::pair<bool, std::size_t>, Runs> by_column;
  for (const WorkloadTest& test : query.tests) {
    const std::size_t column = *data.Find(test.column);
    const Attribute& attribute = data.columns[column].attribute;
    const Runs runs = RunsOf(*attribute.domain, test);
    const auto [place, is_new] = by_column.try_emplace({attribute.role != Role::kQuasi, column}, runs);
    if (!is_new) place->second = Intersection(place->second, runs);
  }
  std::vector<CountQuery> boxes(1);
  for (const auto& [key, runs] : by_column) {
    if (boxes.size() * runs.size() > kMaxBoxes) {
      return Error::InvalidPolicy("line {} asks for more than {} boxes", query.line, kMaxBoxes)
          .WithHint("name labels of the hierarchy instead of many values, or split the query");
    }
    std::vector<CountQuery> longer;
    for (const CountQuery& box : boxes) {
      for (const CodeRange& run : runs) {
        longer.push_back(box);
        longer.back().push_back({key.second, run});
      }
    }
    boxes = std::move(longer);
  }
  for (CountQuery& box : boxes) {
    workload.boxes.push_back(std::move(box));
    workload.query_of_box.push_back(static_cast<std::uint32_t>(workload.queries));
  }
  ++workload.queries;
  return {};
}

}  // namespace

Result<std::optional<Workload>> WorkloadOf(const Policy& policy, const Microdata& data) {
  if (policy.algorithm.objective != Objective::kQueryError) return std::optional<Workload>();
  Workload workload;
  if (policy.algorithm.queries == nullptr) {
    workload.boxes = MakeQueries(data, {});
    workload.queries = workload.boxes.size();
    workload.query_of_box.resize(workload.boxes.size());
    std::iota(workload.query_of_box.begin(), workload.query_of_box.end(), 0U);
    return std::optional(std::move(workload));
  }
  for (const WorkloadQuery& query : *policy.algorithm.queries) {
    CORDON_RETURN_IF_ERROR(AddBoxes(query, data, workload).WithContext("{}", policy.algorithm.workload));
  }
  return std::optional(std::move(workload));
}

Microdata WithWorkloadWeights(const Policy& policy, const Microdata& data) {
  Microdata steered = data;
  if (policy.algorithm.objective != Objective::kQueryError || policy.algorithm.queries == nullptr) return steered;
  const std::vector<WorkloadQuery>& queries = *policy.algorithm.queries;
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) {
    Attribute& attribute = steered.columns[column].attribute;
    const auto asks = [&](const WorkloadQuery& query) {
      return std::any_of(query.tests.begin(), query.tests.end(),
                         [&](const WorkloadTest& test) { return test.column == attribute.name; });
    };
    const auto asking = static_cast<double>(std::count_if(queries.begin(), queries.end(), asks));
    attribute.weight *= std::max(kUnasked, asking / static_cast<double>(queries.size()));
  }
  return steered;
}

}  // namespace cordon::engine
