// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/sabre_w/window_partition.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cordon/algorithms/buckets/bucket_draw.h"
#include "cordon/algorithms/buckets/bucket_halving.h"
#include "cordon/algorithms/buckets/burel_buckets.h"
#include "cordon/algorithms/buckets/sabre_buckets.h"
#include "cordon/algorithms/closeness/closeness_block.h"
#include "cordon/algorithms/full_domain/full_domain.h"
#include "cordon/algorithms/grouping/group_merge.h"
#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/algorithms/sabre_w/sorted_runs.h"
#include "cordon/models/admit/emd.h"

namespace cordon::engine {
namespace {

Groups OneGroup(const Microdata& rows) {
  Groups groups;
  groups.Add(View::All(rows).rows());
  return groups;
}

std::size_t SensitiveAt(const WindowTask& task, const std::string& name) {
  const Result<std::size_t> at = FindSensitive(task.window, name);
  CORDON_CHECK(at.ok());
  return at.value();
}

// The values of the rows themselves.
Reference ReferenceOfRows(const WindowTask& task) {
  const View all = View::All(task.rows);
  return ReferenceOf(task.rows, all.rows());
}

// The largest multiple of 1 / parts below a bound, but not below 0. The bound carries errors of far less than 10^-6 / parts.
Rational Below(long double bound, std::int64_t parts) {
  const long double whole = std::floor(bound * static_cast<long double>(parts) - 1e-6L);
  return Rational(static_cast<std::int64_t>(std::max(0.0L, whole)), parts);
}

// What the distance D of the rows to the window leaves of t: a group within t - D of the rows is within t of the window.
Rational RestOfT(const WindowTask& task, const TClosenessSpec& spec, const Reference& rows) {
  const std::size_t at = SensitiveAt(task, spec.sensitive);
  const EarthMover distance = EarthMover::Make(*task.window.sensitive[at].domain, spec.distance).value();
  const Int128 cost = distance.Cost(rows.histograms[at], rows.rows, task.window.histograms[at], task.window.rows);
  if (cost == 0) return spec.t;
  const Int128 whole = static_cast<Int128>(rows.rows) * task.window.rows * distance.scale();
  const Int128 left = whole * spec.t.numerator() - cost * spec.t.denominator();
  return Below(
      static_cast<long double>(left) / static_cast<long double>(whole) / static_cast<long double>(spec.t.denominator()),
      1'000'000'000);
}

// The largest beta such that (1 + beta) times its share of the rows is within every value's limit in the window: relative
// bounds multiply, so it is not a difference.
Rational RestOfBeta(const WindowTask& task, const BetaLikenessSpec& spec, const Reference& rows) {
  const std::size_t at = SensitiveAt(task, spec.sensitive);
  const ShareLimits limits = ShareLimits::Beta(spec, task.window.histograms[at], task.window.rows);
  long double least = 900;  // more than any use
  for (std::size_t code = 0; code < rows.histograms[at].size(); ++code) {
    if (rows.histograms[at][code] == 0) continue;
    const long double share = static_cast<long double>(rows.histograms[at][code]) / static_cast<long double>(rows.rows);
    const ShareLimit& limit = limits[code];
    least = std::min(least, static_cast<long double>(limit.most) / static_cast<long double>(limit.weight) / share);
  }
  return Below(least - 1, 1'000'000);
}

// ---- sabre

class SearchedOrder final : public WindowPartition {
 public:
  explicit SearchedOrder(double sweeps) : sweeps_(sweeps) {}
  Groups Divide(const WindowTask& task, Random& random) const override {
    Groups groups = SortedRuns(task.rows, task.model, task.counted);
    return sweeps_ > 0 && groups.size() > 1 ? Annealed(task, groups, random) : groups;
  }

 private:
  Groups Annealed(const WindowTask& task, const Groups& cut, const Random& random) const {
    const View all = View::All(task.rows);
    const std::string steering = SensitiveColumns(task.specs.front()).front();
    const std::size_t at = SensitiveAt(task, steering);
    const ValueClasses classes(task.window.histograms[at]);
    const ClosenessProblem problem{task.rows,
                                   *task.rows.Find(steering),
                                   task.model,
                                   task.counted,
                                   classes,
                                   BoxSpans(task.rows),
                                   MixLookahead(task.specs, task.window, at, classes)};
    ClosenessBlock block(problem, all.rows(), random);
    std::vector<RowGroup> start;
    for (std::size_t group = 0; group < cut.size(); ++group) start.emplace_back(cut[group].begin(), cut[group].end());
    block.BeginWith(start);
    QuickRandom quick(random.Substream("improve"));
    block.Improve(sweeps_, problem.tuning.starts_heat, quick, {});
    Groups groups;
    for (const RowGroup& group : block.Result()) groups.Add(group);
    return groups;
  }

  double sweeps_;
};

// ---- sabre-ak

class ThesisGroups final : public WindowPartition {
 public:
  Groups Divide(const WindowTask& task, Random& random) const override {
    // The first model is of a window (window_models.h).
    const auto* closeness = std::get_if<TClosenessSpec>(&task.specs.front());
    return closeness != nullptr ? Sabre(task, *closeness, random)
                                : Burel(task, std::get<BetaLikenessSpec>(task.specs.front()), random);
  }

 private:
  static std::int64_t LeastRows(const WindowTask& task) {
    std::int64_t least = 1;
    for (const ModelSpec& spec : task.specs) {
      if (const auto* k = std::get_if<KsAnonymitySpec>(&spec)) least = std::max(least, k->k);
    }
    return least;
  }

  static Groups Draw(const WindowTask& task, std::size_t at, std::vector<std::uint32_t> of_code, std::size_t number,
                     const HalvedBuckets& sizes, Random& random) {
    const View all = View::All(task.rows);
    Result<Groups> drawn = DrawGroups(all, {task.counted.codes(at), std::move(of_code), number}, sizes, Neighbours::kHilbert,
                                      random, "sabre-w", {});
    CORDON_CHECK(drawn.ok());
    Result<Groups> merged = MergeUntilAdmitted(all, std::move(drawn).value(), task.model, task.counted, {});
    CORDON_CHECK(merged.ok());
    return std::move(merged).value();
  }

  static Groups Sabre(const WindowTask& task, const TClosenessSpec& closeness, Random& random) {
    const Reference rows = ReferenceOfRows(task);
    const std::size_t at = SensitiveAt(task, closeness.sensitive);
    const SabreBuckets buckets(*rows.sensitive[at].domain, closeness.distance, rows.histograms[at],
                               RestOfT(task, closeness, rows), SabreBound::kThesis);
    const HalvedBuckets sizes =
        HalveBuckets(buckets.sizes(), LeastRows(task),
                     [&](const BucketArray& array, std::int64_t size) { return buckets.Within(array, size); });
    return Draw(task, at, buckets.bucket_of_code(), buckets.buckets().size(), sizes, random);
  }

  static Groups Burel(const WindowTask& task, const BetaLikenessSpec& likeness, Random& random) {
    const Reference rows = ReferenceOfRows(task);
    const std::size_t at = SensitiveAt(task, likeness.sensitive);
    const ShareLimits limits = ShareLimits::Beta(likeness, task.window.histograms[at], task.window.rows);
    const BurelBuckets buckets(limits, rows.histograms[at], 0, task.window.histograms[at]);
    const HalvedBuckets sizes =
        HalveBuckets(buckets.sizes(), LeastRows(task),
                     [&](const BucketArray& array, std::int64_t size) { return buckets.Eligible(array, size); });
    return Draw(task, at, buckets.bucket_of_code(), buckets.buckets().size(), sizes, random);
  }
};

// ---- comparators

class MondrianCuts final : public WindowPartition {
 public:
  explicit MondrianCuts(MondrianOptions::Dims dims) : options_{.dims = dims} {}
  Groups Divide(const WindowTask& task, Random&) const override {
    Result<Groups> groups = Mondrian(View::All(task.rows), task.model, task.counted, options_, {});
    CORDON_CHECK(groups.ok());
    return std::move(groups).value();
  }

 private:
  MondrianOptions options_;
};

// It compares groups with the rows it divides, so the models are tightened by what these rows are away from the window.
class FullDomainLevels final : public WindowPartition {
 public:
  Groups Divide(const WindowTask& task, Random&) const override {
    const Reference rows = ReferenceOfRows(task);
    std::vector<ModelSpec> specs;
    for (const ModelSpec& spec : task.specs) {
      if (const auto* closeness = std::get_if<TClosenessSpec>(&spec)) {
        specs.push_back(TClosenessSpec{closeness->sensitive, RestOfT(task, *closeness, rows), closeness->distance});
      } else if (const auto* likeness = std::get_if<BetaLikenessSpec>(&spec)) {
        const Rational beta = RestOfBeta(task, *likeness, rows);
        if (beta <= Rational(0)) return OneGroup(task.rows);
        specs.push_back(BetaLikenessSpec{likeness->sensitive, beta, BetaLikenessSpec::Kind::kBasic, {}, {}});
      } else {
        specs.push_back(spec);
      }
    }
    Result<FullDomainResult> found =
        FullDomain(View::All(task.rows), specs, task.rows.ColumnsOf(Role::kSensitive), {.checks = 400}, {});
    CORDON_CHECK(found.ok());  // all rows together satisfy, so the top of the lattice does
    return std::move(found).value().groups;
  }
};

}  // namespace

std::unique_ptr<const WindowPartition> MakeWindowPartition(WindowMethod method, double sweeps, MondrianOptions::Dims dims) {
  switch (method) {
    case WindowMethod::kCloseness: return std::make_unique<const SearchedOrder>(sweeps);
    case WindowMethod::kSabreAk: return std::make_unique<const ThesisGroups>();
    case WindowMethod::kMondrian: return std::make_unique<const MondrianCuts>(dims);
    case WindowMethod::kFullDomain: return std::make_unique<const FullDomainLevels>();
  }
  return nullptr;
}

}  // namespace cordon::engine
