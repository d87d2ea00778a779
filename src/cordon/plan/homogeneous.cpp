// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/homogeneous.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cordon/data/view.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/emd_to_reference.h"

namespace cordon::engine {
namespace {

// A model that a group of one value may pass, and what its parameter is called; "" if it bounds values by name: then no
// parameter keeps a group of one other value from passing.
struct Loose {
  const ModelSpec* spec;
  std::string column;
  std::string_view parameter;
};

std::vector<Loose> LooseModels(const Policy& policy) {
  std::vector<Loose> models;
  for (const ModelSpec& spec : policy.models) {
    if (AlwaysHolds(spec)) continue;  // it guards nothing, and the policy says why
    if (const auto* close = std::get_if<TClosenessSpec>(&spec)) models.push_back({&spec, close->sensitive, "t"});
    const auto* like = std::get_if<BetaLikenessSpec>(&spec);
    // The enhanced kind forbids it: (1 - ln p) p < 1 for every share p below 1.
    if (like != nullptr && like->kind == BetaLikenessSpec::Kind::kBasic) models.push_back({&spec, like->sensitive, "beta"});
    if (const auto* alpha = std::get_if<AlphaKSpec>(&spec)) models.push_back({&spec, alpha->sensitive, ""});
    if (const auto* confidence = std::get_if<ConfidenceSpec>(&spec)) {
      for (const auto& [column, values] : confidence->values) models.push_back({&spec, column, ""});
    }
  }
  // Of a column, models that bound a distance come first: they say more.
  std::stable_partition(models.begin(), models.end(), [](const Loose& loose) { return !loose.parameter.empty(); });
  return models;
}

// People that every group has at least.
std::int64_t SmallestGroup(const Policy& policy) {
  std::int64_t least = 2;
  for (const ModelSpec& spec : policy.models) {
    if (const auto* k = std::get_if<KAnonymitySpec>(&spec)) least = std::max(least, k->on.empty() ? k->k : 0);
    if (const auto* ks = std::get_if<KsAnonymitySpec>(&spec)) least = std::max(least, ks->k);
    if (const auto* alpha = std::get_if<AlphaKSpec>(&spec)) least = std::max(least, alpha->k);
  }
  return least;
}

// Whether it judges the groups that all quasi columns make.
bool JudgesWholeGroups(const ModelSpec& spec, const Policy& policy) {
  const std::vector<std::string> on = GroupingColumns(spec);
  return on.empty() || std::all_of(policy.attributes.begin(), policy.attributes.end(), [&](const AttributePolicy& attribute) {
           return attribute.role != Role::kQuasi || std::find(on.begin(), on.end(), attribute.name) != on.end();
         });
}

// The models that look at the values of the column in whole groups, without the one that bounds a distance. How large a group
// is was asked already.
std::vector<ModelSpec> OtherModels(const Policy& policy, const Loose& loose) {
  std::vector<ModelSpec> models;
  for (const ModelSpec& spec : policy.models) {
    const std::vector<std::string> columns = SensitiveColumns(spec);
    const bool about =
        std::find(columns.begin(), columns.end(), loose.column) != columns.end() && JudgesWholeGroups(spec, policy);
    if ((&spec == loose.spec && !loose.parameter.empty()) || !about) continue;
    models.push_back(spec);
    if (auto* alpha = std::get_if<AlphaKSpec>(&models.back())) alpha->k = 1;
    if (auto* confidence = std::get_if<ConfidenceSpec>(&models.back())) {
      *confidence = {{}, {{loose.column, confidence->values.at(loose.column)}}, confidence->h};
    }
  }
  return models;
}

// What a group of one value reaches.
class Reach {
 public:
  static Result<Reach> Make(const ModelSpec& spec, const Reference& whole) {
    Reach reach(whole);
    if (const auto* close = std::get_if<TClosenessSpec>(&spec)) {
      CORDON_TRY(EarthMover mover, EarthMover::Make(*whole.sensitive[0].domain, close->distance));
      reach.distance_.emplace(std::move(mover), whole.histograms[0], whole.rows);
    }
    return reach;
  }
  double operator()(Code value) const {
    if (!distance_) {
      const auto count = static_cast<double>(whole_->histograms[0][static_cast<std::size_t>(value)]);
      return static_cast<double>(whole_->rows) / count - 1;
    }
    const ValueCount one[] = {{value, 1}};
    const auto cost = static_cast<double>(distance_->Cost(ValueHistogram(std::span<const ValueCount>(one)), 1));
    return cost / (static_cast<double>(distance_->scale()) * static_cast<double>(whole_->rows));
  }

 private:
  explicit Reach(const Reference& whole) : whole_(&whole) {}
  const Reference* whole_;
  std::optional<EmdToReference> distance_;  // t-closeness
};

double ParameterOf(const ModelSpec& spec) {
  const auto* close = std::get_if<TClosenessSpec>(&spec);
  return (close != nullptr ? close->t : std::get<BetaLikenessSpec>(spec).beta).ToDouble();
}

// Not above the number: two digits that say something.
std::string RoundedDown(double number) {
  if (number <= 0) return "0";
  const double unit = std::pow(10, std::floor(std::log10(number)) - 1);
  return fmt::format("{:.6g}", std::floor(number / unit * (1 + 1e-12)) * unit);
}

Warning Allowed(const Loose& loose, const std::string& cure) {
  return {"homogeneous-allowed",
          {loose.column},
          fmt::format("{} lets a group pass in which everybody has the same value of {}: {}", Describe(*loose.spec),
                      loose.column, cure)};
}

// The least that a group of one value reaches, over the values that enough people have for one and that other models let pass.
Result<std::optional<double>> LeastReached(const Policy& policy, const Loose& loose, const Microdata& data) {
  const View view = View::All(data);
  const std::optional<std::size_t> column = data.Find(loose.column);
  if (!column || data.num_rows == 0) return std::optional<double>();
  const std::vector<std::size_t> sensitive = {*column};
  const Reference whole = ReferenceOf(data, sensitive, view.rows());
  const std::vector<ModelSpec> specs = OtherModels(policy, loose);
  CORDON_TRY(const AllOf others, AllOf::Make(specs, whole));
  CORDON_TRY(const Reach reach, Reach::Make(*loose.spec, whole));
  const CountedColumns counted = ColumnsFor(others, data, sensitive);
  const Codes& codes = data.columns[*column].codes;
  const std::int64_t smallest = SmallestGroup(policy);
  std::vector<bool> seen(whole.histograms[0].size());
  std::optional<double> least;
  for (std::size_t row = 0; row < data.num_rows; ++row) {
    const Code value = codes[row];
    const std::int64_t count = whole.histograms[0][static_cast<std::size_t>(value)];
    const bool skip = seen[static_cast<std::size_t>(value)] || count < smallest || count == whole.rows;
    seen[static_cast<std::size_t>(value)] = true;
    if (skip || whole.sensitive[0].domain->missing() == value) continue;
    GroupCounts group(counted);
    group.Add(static_cast<RowId>(row));
    if (!others.Admits(group)) continue;
    if (loose.parameter.empty()) return std::optional(0.0);
    least = std::min(least.value_or(reach(value)), reach(value));
  }
  return least;
}

}  // namespace

Result<std::vector<Warning>> HomogeneousAllowed(const Policy& policy, const Microdata& data) {
  std::vector<Warning> warnings;
  for (const Loose& loose : LooseModels(policy)) {
    const bool told = std::any_of(warnings.begin(), warnings.end(),
                                  [&](const Warning& warning) { return warning.columns.front() == loose.column; });
    if (loose.parameter.empty() && told) continue;
    CORDON_TRY(const std::optional<double> least, LeastReached(policy, loose, data));
    if (!least) continue;
    if (loose.parameter.empty()) {
      warnings.push_back(Allowed(loose, "add l-diversity with l = 2, or bound every value in all groups"));
      continue;
    }
    if (*least > ParameterOf(*loose.spec)) continue;
    warnings.push_back(
        Allowed(loose, fmt::format("set {} below {}, or add l-diversity with l = 2", loose.parameter, RoundedDown(*least))));
  }
  return warnings;
}

// The most frequent of m values has a share of 1/m or more. On a line of values the median is within 1/2 of the others.
std::vector<Warning> HomogeneousAllowed(const Policy& policy) {
  std::vector<Warning> warnings;
  for (const Loose& loose : LooseModels(policy)) {
    if (loose.parameter.empty() || !OtherModels(policy, loose).empty()) continue;
    const AttributePolicy* column = policy.Find(loose.column);
    const double values = column != nullptr && column->values ? static_cast<double>(column->values->size()) : 0;
    const auto* close = std::get_if<TClosenessSpec>(loose.spec);
    std::optional<double> sure;
    if (values > 1) sure = close != nullptr ? 1 - 1 / values : values - 1;
    if (close != nullptr && close->distance == Distance::kOrdered) sure = 0.5;
    if (!sure || ParameterOf(*loose.spec) < *sure) continue;
    warnings.push_back(Allowed(
        loose, fmt::format("set {} well below {}, or add l-diversity with l = 2", loose.parameter, RoundedDown(*sure))));
  }
  return warnings;
}

}  // namespace cordon::engine
