// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/sweep.h"

#include <algorithm>

#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/plan/check_guarded.h"
#include "cordon/plan/check_supported.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/release_files.h"
#include "cordon/report/charts.h"
#include "cordon/report/html.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxPoints = 1000;

// Sets a parameter wherever a model has one of that name, and says how many have. Kinds of models that come later are
// served without a word here.
int Set(std::vector<ModelSpec>& models, std::string_view name, const Rational& value) {
  int found = 0;
  const auto set = [&](auto& spec) {
    const auto put = [&](std::string_view member, auto& place, const auto& number) {
      if (name != member) return;
      place = number;
      ++found;
    };
    if constexpr (requires { spec.k = std::int64_t{}; }) put("k", spec.k, value.numerator());
    if constexpr (requires { spec.l = value; }) put("l", spec.l, value);
    if constexpr (requires { spec.t = value; }) put("t", spec.t, value);
    if constexpr (requires { spec.beta = value; }) put("beta", spec.beta, value);
  };
  for (ModelSpec& model : models) std::visit(set, model);
  return found;
}

struct Parameter {
  std::string name;
  std::vector<Rational> values;
};

std::vector<Parameter> ParametersOf(const SweepRequest& request) {
  std::vector<Parameter> parameters;
  for (const auto& [name, values] :
       {std::pair{"k", &request.k}, std::pair{"l", &request.l}, std::pair{"t", &request.t}, std::pair{"beta", &request.beta}}) {
    if (!values->empty()) parameters.push_back({name, *values});
  }
  return parameters;
}

// The policy with one value of each parameter.
Result<Policy> PolicyAt(const Policy& policy, const std::vector<Parameter>& parameters, const std::vector<std::size_t>& place) {
  Policy changed = policy;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Rational& value = parameters[i].values[place[i]];
    if (Set(changed.models, parameters[i].name, value) > 0) continue;
    if (parameters[i].name != "k") {
      return Error::InvalidPolicy("no model of {} has a parameter {}", policy.name, parameters[i].name)
          .WithHint("add the model whose {} is to vary to the policy, with any value", parameters[i].name);
    }
    changed.models.push_back(KAnonymitySpec{.k = value.numerator(), .on = {}});
  }
  for (const ModelSpec& model : changed.models) CORDON_RETURN_IF_ERROR(Validate(model));
  for (AttributePolicy& attribute : changed.attributes) {  // t = 1 guards nothing, but nothing is published
    if (attribute.role == Role::kSensitive && !attribute.unguarded) attribute.unguarded = "a point of a sweep";
  }
  return changed;
}

// The next combination, the last parameter running fastest; false after the last.
bool Advance(std::vector<std::size_t>& place, const std::vector<Parameter>& parameters) {
  for (std::size_t i = place.size(); i > 0; --i) {
    if (++place[i - 1] < parameters[i - 1].values.size()) return true;
    place[i - 1] = 0;
  }
  return false;
}

Result<SweepPoint> MeasurePoint(const SweepRequest& request, const std::string& algorithm, const Policy& policy,
                                const Microdata& data, const Run& run) {
  AnonymizeRequest attempt;
  attempt.algorithm = algorithm;
  attempt.measure = request.measure;
  attempt.seed = request.seed;
  attempt.insecure_seed = true;  // nothing is published
  SweepPoint point;
  point.algorithm = AlgorithmName(attempt, policy);
  auto report = TryPolicy(attempt, policy, data, run);
  if (report.ok()) {
    point.report = std::move(report).value();
  } else if (report.error().kind() == ErrorKind::kUnsatisfiable) {
    point.why_not = report.error().message();
  } else {
    return std::move(report).error();
  }
  return point;
}

const std::string* Find(const SweepPoint& point, const std::string& parameter) {
  for (const auto& [name, value] : point.parameters) {
    if (name == parameter) return &value;
  }
  return nullptr;
}

std::size_t DistinctValues(const std::vector<SweepPoint>& points, const std::string& parameter) {
  std::vector<std::string> seen;
  for (const SweepPoint& point : points) {
    const std::string* value = Find(point, parameter);
    if (value != nullptr && std::find(seen.begin(), seen.end(), *value) == seen.end()) seen.push_back(*value);
  }
  return seen.size();
}

// "mondrian, t = 0.2": everything but the axis.
std::string LineName(const SweepPoint& point, const std::string& axis) {
  std::string name = point.algorithm;
  for (const auto& [parameter, value] : point.parameters) {
    if (parameter != axis) name += fmt::format(", {} = {}", parameter, value);
  }
  return name;
}

}  // namespace

Result<std::vector<Rational>> ParseSweepValues(std::string_view parameter, std::string_view name,
                                               const std::vector<std::string>& texts) {
  std::vector<Rational> numbers;
  for (const std::string& text : texts) {
    Result<Rational> parsed = Rational::Parse(text);
    if (parameter == "k" && (!parsed.ok() || parsed.value().denominator() != 1 || parsed.value().numerator() < 1)) {
      return Error::InvalidPolicy("{} takes whole numbers from 1, not '{}'", name, text).WithHint("{} 2,5,10", name);
    }
    CORDON_TRY(const Rational number, std::move(parsed).WithContext("{}", name));
    numbers.push_back(number);
  }
  return numbers;
}

Result<std::vector<SweepPoint>> Sweep(const SweepRequest& request, const Policy& policy, const Microdata& data,
                                      const Run& run) {
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  CORDON_RETURN_IF_ERROR(CheckStandsAlone(policy));
  CORDON_RETURN_IF_ERROR(CheckGuarded(policy));
  const std::vector<Parameter> parameters = ParametersOf(request);
  const std::vector<std::string> algorithms = request.algorithms.empty() ? std::vector<std::string>{""} : request.algorithms;
  std::size_t total = algorithms.size();
  for (const Parameter& parameter : parameters) total = std::min(total * parameter.values.size(), kMaxPoints + 1);
  if (total > kMaxPoints) return Error::InvalidPolicy("a sweep has at most {} points", kMaxPoints);
  std::vector<Policy> policies;  // all are checked before the first is tried
  std::vector<std::vector<std::size_t>> places;
  std::vector<std::size_t> place(parameters.size());
  do {
    CORDON_TRY(Policy changed, PolicyAt(policy, parameters, place));
    policies.push_back(std::move(changed));
    places.push_back(place);
  } while (Advance(place, parameters));

  std::vector<SweepPoint> points;
  for (const std::string& algorithm : algorithms) {
    for (std::size_t i = 0; i < policies.size(); ++i) {
      run.Report("sweep", points.size(), total);
      CORDON_TRY(SweepPoint point, MeasurePoint(request, algorithm, policies[i], data, run));
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        point.parameters.emplace_back(parameters[p].name, parameters[p].values[places[i][p]].ToShortString());
      }
      points.push_back(std::move(point));
    }
  }
  return points;
}

Json ToJson(const std::vector<SweepPoint>& points) {
  Json json = Json::array();
  for (const SweepPoint& point : points) {
    Json one = {{"algorithm", point.report ? point.report->algorithm : point.algorithm}};
    for (const auto& [name, value] : point.parameters) {
      one[name] = name == "k" ? Json(std::stoll(value)) : Json(value);
    }
    one["satisfiable"] = point.report.has_value();
    if (point.report) {
      const Json report = ToJson(*point.report);
      for (const char* key : {"rows", "suppressed", "groups", "group_size", "privacy", "utility", "risk", "seconds"}) {
        if (report.contains(key)) one[key] = report[key];
      }
    } else {
      one["why_not"] = point.why_not;
    }
    json.push_back(std::move(one));
  }
  return json;
}

std::string SweepTable(const std::vector<SweepPoint>& points) {
  if (points.empty()) return "";
  std::size_t width = 9;
  for (const SweepPoint& point : points) {
    width = std::max({width, point.algorithm.size(), point.report ? point.report->algorithm.size() : 0});
  }
  const bool queries = std::any_of(points.begin(), points.end(),
                                   [](const SweepPoint& point) { return point.report && point.report->utility.queries; });
  std::string text = fmt::format("{:<{}}", "algorithm", width);
  for (const auto& [name, value] : points.front().parameters) text += fmt::format(" {:>8}", name);
  text += fmt::format(" {:>8} {:>8} {:>10} {:>10}", "loss", "groups", "mean rows", "suppressed");
  text += queries ? fmt::format(" {:>11}\n", "query error") : "\n";
  for (const SweepPoint& point : points) {
    text += fmt::format("{:<{}}", point.report ? point.report->algorithm : point.algorithm, width);
    for (const auto& [name, value] : point.parameters) text += fmt::format(" {:>8}", value);
    if (!point.report) {
      text += fmt::format(" no release: {}\n", point.why_not);
      continue;
    }
    const Utility& utility = point.report->utility;
    text += fmt::format(" {:>8.4f} {:>8} {:>10.1f} {:>10}", utility.loss.information_loss, utility.discernibility.groups,
                        utility.discernibility.mean_group, point.report->suppressed);
    if (utility.queries) text += fmt::format(" {:>11.4f}", utility.queries->median);
    text += "\n";
  }
  return text;
}

namespace {

LineChart SweepChart(const std::vector<SweepPoint>& points) {
  std::string axis;
  std::size_t most = 0;
  for (const auto& [name, value] : points.empty() ? decltype(SweepPoint::parameters){} : points.front().parameters) {
    const std::size_t values = DistinctValues(points, name);
    if (values > most) axis = name;
    most = std::max(most, values);
  }
  LineChart chart{.title = "Information loss against " + axis,
                  .x_name = axis,
                  .y_name = "information loss",
                  .places = {},
                  .lines = {},
                  .missing_name = "no release satisfies it"};
  for (const SweepPoint& point : points) {
    const std::string* value = Find(point, axis);
    if (value != nullptr && std::find(chart.places.begin(), chart.places.end(), *value) == chart.places.end()) {
      chart.places.push_back(*value);
    }
  }
  if (chart.places.empty()) chart.places.emplace_back("");
  for (const SweepPoint& point : points) {
    const std::string* value = Find(point, axis);
    const auto at = value == nullptr ? 0 : std::find(chart.places.begin(), chart.places.end(), *value) - chart.places.begin();
    const std::string name = LineName(point, axis);
    const auto known =
        std::find_if(chart.lines.begin(), chart.lines.end(), [&](const Line& line) { return line.name == name; });
    const auto number = static_cast<std::size_t>(known - chart.lines.begin());
    if (known == chart.lines.end()) chart.lines.push_back({name, std::vector<std::optional<double>>(chart.places.size())});
    if (point.report) chart.lines[number].values[static_cast<std::size_t>(at)] = point.report->utility.loss.information_loss;
  }
  return chart;
}

std::string DrawSweep(const LineChart& chart) { return DrawLines(chart, 640, 380 + 20 * static_cast<int>(chart.lines.size())); }

std::string SweepPage(const std::string& input, const std::vector<SweepPoint>& points) {
  std::vector<MapEntry> entries;
  for (const SweepPoint& point : points) {
    if (!point.report) continue;
    std::string name = point.report->algorithm;
    for (const auto& [parameter, value] : point.parameters) name += fmt::format(" {}={}", parameter, value);
    entries.push_back(
        {std::move(name), point.report->utility.loss.information_loss,
         point.report->risk ? point.report->risk->release.prosecutor.highest : 0,
         fmt::format("{} groups, {} rows suppressed", point.report->utility.discernibility.groups, point.report->suppressed)});
  }
  const LineChart chart = SweepChart(points);
  return MapPage(InputTitle(input), kSweepPageMark,
                 fmt::format("{} of {} settings have a release", entries.size(), points.size()), entries,
                 fmt::format("<figure><figcaption>{}</figcaption>{}</figure>\n", EscapeXml(chart.title), DrawSweep(chart)));
}

}  // namespace

std::string SweepSvg(const std::vector<SweepPoint>& points) {
  std::string svg = DrawSweep(SweepChart(points));
  const auto end = svg.find('>');
  // A separate file needs the name space and the colours.
  return svg.substr(0, end) + " xmlns=\"http://www.w3.org/2000/svg\"><style>" + std::string(ChartStyle()) +
         "svg{background:var(--paper)}</style>" + std::string(kChartMark) + svg.substr(end + 1) + "\n";
}

Result<std::vector<SweepPoint>> Sweep(const SweepRequest& request, const Policy& policy, const Run& run) {
  if (request.k.empty() && request.l.empty() && request.t.empty() && request.beta.empty()) {
    return Error::InvalidPolicy("what is to vary?").WithHint("give --k 2,5,10, --l, --t or --beta");
  }
  if (request.svg && (request.svg->empty() || *request.svg == "-"))
    return Error::InvalidPolicy("--svg needs the name of a file");
  if (request.html && (request.html->empty() || *request.html == "-"))
    return Error::InvalidPolicy("--html needs the name of a file");
  std::vector<std::pair<std::string, std::string>> paths = FilesOfPolicy(policy);
  if (request.input.table == nullptr) {
    CORDON_TRY(const std::vector<std::string> inputs, FilesOfInput(request.input.name));
    for (const std::string& input : inputs) paths.emplace_back("the input", input);
  }
  if (request.svg) paths.emplace_back("--svg", *request.svg);
  if (request.html) paths.emplace_back("--html", *request.html);
  CORDON_RETURN_IF_ERROR(CheckDistinct(paths));
  if (request.svg) CORDON_RETURN_IF_ERROR(CheckReplaces(*request.svg, kChartMark));
  if (request.html) CORDON_RETURN_IF_ERROR(CheckReplaces(*request.html, kSweepPageMark));
  CORDON_TRY(const Microdata data, ReadOriginal(request.input, policy, run));
  if (data.num_rows == 0) return Error::InvalidData("{} has no rows to publish", request.input.name);
  CORDON_TRY(std::vector<SweepPoint> points, Sweep(request, policy, data, run));
  if (request.svg) CORDON_RETURN_IF_ERROR(WriteFile(*request.svg, SweepSvg(points)));
  if (request.html) {
    CORDON_RETURN_IF_ERROR(WriteFile(*request.html, SweepPage(request.input.name, points), AtomicFile::Access::kPrivate));
  }
  return points;
}

}  // namespace cordon::engine
