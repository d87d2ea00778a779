// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/sabre_w/window_models.h"

#include <algorithm>
#include <numeric>

#include "cordon/base/nearest.h"
#include "cordon/base/toml_text.h"
#include "cordon/data/stream_domain.h"

namespace cordon::engine {
namespace {

long double Ratio(Int128 top, Int128 bottom) { return static_cast<long double>(top) / static_cast<long double>(bottom); }

// Values without order, and a code for none: what l-diversity needs to know of a column.
std::shared_ptr<const Domain> CountedDomain(const StreamSensitive& sensitive) {
  Domain::NumericSpec spec;
  spec.values.resize(static_cast<std::size_t>(sensitive.num_values));
  std::iota(spec.values.begin(), spec.values.end(), std::int64_t{0});
  spec.range_hi = sensitive.num_values - 1;
  spec.missing = "";
  return std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
}

}  // namespace

Result<std::size_t> WindowModels::CountColumn(const StreamSchema& schema, const ModelSpec& spec) {
  const std::string name = SensitiveColumns(spec).front();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < schema.sensitive.size(); ++i) {
    const StreamSensitive& sensitive = schema.sensitive[i];
    names.push_back(sensitive.name);
    if (sensitive.name != name) continue;
    if (sensitive.num_values <= 0) {
      return Error::InvalidPolicy("sabre-w needs the declared domain of '{}'", name)
          .WithHint("add values = [...] or a hierarchy file to [attributes.{}]", TomlKey(name));
    }
    const auto known = std::find(columns_.begin(), columns_.end(), i);
    const auto place = static_cast<std::size_t>(known - columns_.begin());
    if (known == columns_.end()) {
      columns_.push_back(i);
      attributes_.push_back({name, Role::kSensitive, CountedDomain(sensitive), 1});
    }
    if (WindowOf(spec)) attributes_[place].domain = DeclaredDomain(sensitive);  // no value of it may be missing
    return place;
  }
  Error error = Error::InvalidPolicy("'{}' is not a sensitive column of the stream", name);
  if (const auto nearest = Nearest(name, names)) return std::move(error).WithHint("did you mean '{}'?", *nearest);
  return error;
}

Result<void> WindowModels::Add(const StreamSchema& schema, const ModelSpec& spec) {
  CORDON_RETURN_IF_ERROR(Validate(spec));
  if (const auto window = WindowOf(spec)) {
    if (window_ != 0 && window_ != *window) {
      return Error::InvalidPolicy("sabre-w has one window for all models, here are {} and {}", window_, *window)
          .WithHint("give every window model the same window");
    }
    window_ = *window;
  }
  const ModelSpec within = WithinWindow(spec);
  if (const auto* k = std::get_if<KAnonymitySpec>(&within)) {
    k_ = std::max(k_, k->k);  // on some of the columns it asks for no more than on all
    specs_.push_back(KsAnonymitySpec{k->k});
    return {};
  }
  if (const auto* ks = std::get_if<KsAnonymitySpec>(&within)) {
    k_ = std::max(k_, ks->k);
  } else if (const auto* t = std::get_if<TClosenessSpec>(&within); t != nullptr && WindowOf(spec)) {
    CORDON_TRY(const std::size_t column, CountColumn(schema, spec));
    CORDON_TRY(EarthMover distance,
               EarthMover::Make(*attributes_[column].domain, t->distance).WithContext("column '{}'", t->sensitive));
    closeness_.push_back({*t, column, std::move(distance)});
  } else if (const auto* beta = std::get_if<BetaLikenessSpec>(&within); beta != nullptr && WindowOf(spec)) {
    CORDON_TRY(const std::size_t column, CountColumn(schema, spec));
    likeness_.push_back({*beta, column});
  } else if (const auto* l = std::get_if<LDiversitySpec>(&within); l != nullptr && l->kind == LDiversitySpec::Kind::kDistinct) {
    CORDON_TRY(const std::size_t column, CountColumn(schema, spec));
    diversity_.push_back({l->l.numerator(), column});
  } else {
    return Error::InvalidPolicy("sabre-w cannot promise {}", Describe(spec))
        .WithHint("it takes window-closeness, window-likeness, ks-anonymity and l-diversity of kind distinct");
  }
  specs_.push_back(within);
  return {};
}

Result<WindowModels> WindowModels::Make(const StreamSchema& schema, std::span<const ModelSpec> specs) {
  WindowModels models;
  // Those of windows first: they settle what a column's domain is, and lead the search.
  for (const ModelSpec& spec : specs) {
    if (WindowOf(spec)) CORDON_RETURN_IF_ERROR(models.Add(schema, spec));
  }
  if (models.window_ == 0) {
    return Error::InvalidPolicy("sabre-w needs window-closeness or window-likeness")
        .WithHint("add one of them, or use castle for k and l alone");
  }
  for (const ModelSpec& spec : specs) {
    if (!WindowOf(spec)) CORDON_RETURN_IF_ERROR(models.Add(schema, spec));
  }
  if (models.k_ == 0) {
    return Error::InvalidPolicy("sabre-w needs ks-anonymity in addition to its window models")
        .WithHint("add ks-anonymity with k of at least 2: without it a group of one tuple may look enough like the window");
  }
  if (models.k_ > models.window_) {
    return Error::InvalidPolicy("k = {} people do not fit into a window of {} tuples", models.k_, models.window_)
        .WithHint("a window of thousands of times k leaves room for small groups");
  }
  for (const Diversity& need : models.diversity_) {
    if (need.l <= models.window_) continue;
    return Error::InvalidPolicy("l = {} values do not fit into a window of {} tuples", need.l, models.window_);
  }
  return models;
}

std::vector<std::size_t> WindowModels::window_columns() const {
  std::vector<std::size_t> columns;
  for (const Closeness& closeness : closeness_) columns.push_back(closeness.column);
  for (const Likeness& likeness : likeness_) columns.push_back(likeness.column);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

bool WindowModels::IsHomogeneous(const ValueCounts& window) const {
  const std::vector<std::size_t> columns = window_columns();
  return std::any_of(columns.begin(), columns.end(), [&](std::size_t column) {
    const std::vector<std::int64_t>& counts = window.counts[column];
    return window.rows > 0 && *std::max_element(counts.begin(), counts.end()) == window.rows;
  });
}

ValueCounts WindowModels::NoCounts() const {
  ValueCounts none;
  for (const Attribute& attribute : attributes_) none.counts.emplace_back(static_cast<std::size_t>(attribute.domain->size()));
  return none;
}

Reference WindowModels::ReferenceOf(const ValueCounts& window) const {
  return {{attributes_.begin(), attributes_.end()}, window.counts, window.rows};
}

Int128 WindowModels::Cost(const Closeness& closeness, const ValueCounts& tuples, const ValueCounts& window) {
  return closeness.distance.Cost(tuples.counts[closeness.column], tuples.rows, window.counts[closeness.column], window.rows);
}

bool WindowModels::IsClose(const Closeness& closeness, const ValueCounts& tuples, const ValueCounts& window) const {
  const Int128 whole = static_cast<Int128>(tuples.rows) * window.rows * closeness.distance.scale();
  return Cost(closeness, tuples, window) * closeness.spec.t.denominator() < whole * closeness.spec.t.numerator();
}

bool WindowModels::Fit(const ValueCounts& tuples, const ValueCounts& window) const {
  if (tuples.rows == 0) return false;
  for (const Closeness& closeness : closeness_) {
    if (!IsClose(closeness, tuples, window)) return false;
  }
  for (const Likeness& likeness : likeness_) {
    const ShareLimits limits = ShareLimits::Beta(likeness.spec, window.counts[likeness.column], window.rows);
    if (!limits.Admit(ValueHistogram(tuples.counts[likeness.column]), tuples.rows)) return false;
  }
  for (const Diversity& need : diversity_) {
    const auto missing = attributes_[need.column].domain->missing();
    std::int64_t values = 0;
    for (std::size_t code = 0; code < tuples.counts[need.column].size(); ++code) {
      values += tuples.counts[need.column][code] > 0 && missing != static_cast<Code>(code) ? 1 : 0;
    }
    if (values < need.l) return false;
  }
  return true;
}

bool WindowModels::Strays(const ValueCounts& tuples, const ValueCounts& window, const Rational& rho) const {
  for (const Closeness& closeness : closeness_) {
    const Int128 whole = static_cast<Int128>(tuples.rows) * window.rows * closeness.distance.scale();
    const long double distance = Ratio(Cost(closeness, tuples, window), whole);
    const long double bound =
        Ratio(rho.numerator(), rho.denominator()) * Ratio(closeness.spec.t.numerator(), closeness.spec.t.denominator());
    if (distance >= bound) return true;
  }
  for (const Likeness& likeness : likeness_) {
    const std::vector<std::int64_t>& inside = tuples.counts[likeness.column];
    const std::vector<std::int64_t>& whole = window.counts[likeness.column];
    for (std::size_t code = 0; code < inside.size(); ++code) {
      if (inside[code] == 0) continue;
      const ShareLimit limit = ShareLimit::Beta(likeness.spec, whole[code], window.rows);
      const long double p = Ratio(whole[code], window.rows);
      const long double room = Ratio(limit.most, limit.weight) - p;
      if (Ratio(inside[code], tuples.rows) - p >= Ratio(rho.numerator(), rho.denominator()) * room && rho < Rational(1))
        return true;
    }
  }
  return false;
}

// The value of which one tuple less brings the others nearest to the window; of equally good ones the least code.
Code WindowModels::Farthest(const Closeness& closeness, const ValueCounts& tuples, const ValueCounts& window) const {
  ValueCounts rest = tuples;
  std::vector<std::int64_t>& counts = rest.counts[closeness.column];
  --rest.rows;
  Code best = kNull;
  Int128 least = 0;
  for (std::size_t code = 0; code < counts.size(); ++code) {
    if (counts[code] == 0) continue;
    --counts[code];
    const Int128 cost = Cost(closeness, rest, window);
    ++counts[code];
    if (best != kNull && cost >= least) continue;
    best = static_cast<Code>(code);
    least = cost;
  }
  return best;
}

std::optional<WindowModels::Value> WindowModels::WorstValue(const ValueCounts& tuples, const ValueCounts& window) const {
  if (tuples.rows < 2) return std::nullopt;
  for (const Closeness& closeness : closeness_) {
    if (!IsClose(closeness, tuples, window)) return Value{closeness.column, Farthest(closeness, tuples, window)};
  }
  for (const Likeness& likeness : likeness_) {
    const std::vector<std::int64_t>& inside = tuples.counts[likeness.column];
    std::optional<Value> worst;
    long double most = 0;
    for (std::size_t code = 0; code < inside.size(); ++code) {
      if (inside[code] == 0) continue;
      const ShareLimit limit = ShareLimit::Beta(likeness.spec, window.counts[likeness.column][code], window.rows);
      if (limit.most > 0 && limit.Admit(inside[code], tuples.rows)) continue;
      const long double over = limit.most == 0 ? 1e30L : Ratio(inside[code], tuples.rows) / Ratio(limit.most, limit.weight);
      if (worst && over <= most) continue;
      worst = Value{likeness.column, static_cast<Code>(code)};
      most = over;
    }
    if (worst) return worst;
  }
  return std::nullopt;  // too few values: fewer tuples have no more
}

}  // namespace cordon::engine
