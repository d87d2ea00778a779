// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "cordon/cordon.h"
#include "cordon/python/call.h"
#include "cordon/python/module.h"

namespace cordon::python {
namespace {

using Texts = std::vector<std::string>;

template <typename Value>
Value Named(const char* what, const std::string& name, std::initializer_list<std::pair<const char*, Value>> known) {
  std::string names;
  for (const auto& [each, value] : known) {
    if (name == each) return value;
    names += (names.empty() ? "" : ", ") + std::string(each);
  }
  throw Failure(Error(ErrorKind::kInvalidPolicy, std::string("there is no ") + what + " '" + name + "'", "known: " + names));
}

nb::dict Figures(const std::string& json, const std::string& text) {
  nb::dict made;
  made["json"] = TextOf(json);
  made["text"] = TextOf(text);
  return made;
}

nb::object BoundOf(const std::optional<LossBound>& bound) {
  if (!bound) return nb::none();
  nb::dict made;
  made["information_loss"] = bound->information_loss;
  made["ratio"] = nb::cast(bound->ratio);
  made["confidence"] = bound->confidence;
  made["cut_short"] = bound->cut_short;
  return made;
}

nb::dict DictOf(const Report& report) {
  nb::dict made = Figures(report.json, report.text);
  made["algorithm"] = TextOf(report.algorithm);
  made["rows"] = report.rows;
  made["people"] = report.people;
  made["suppressed"] = report.suppressed;
  made["dropped"] = report.dropped;
  made["information_loss"] = report.information_loss;
  made["bound"] = BoundOf(report.bound);
  made["privacy"] = VerdictsOf(report.privacy);
  nb::list warnings;
  for (const Warning& warning : report.warnings) warnings.append(nb::make_tuple(TextOf(warning.code), TextOf(warning.text)));
  made["warnings"] = warnings;
  return made;
}

struct AnonymizeArgs {
  std::string algorithm, effort, order;
  std::optional<double> seconds;
  bool group_column, risk, bound;
  std::optional<std::uint64_t> seed;
  bool insecure_seed;
  std::string registry, person_key;
  std::vector<Table> whole;
};

AnonymizeOptions OptionsOf(const AnonymizeArgs& args) {
  using Options = AnonymizeOptions;
  Options options;
  options.algorithm = args.algorithm;
  options.effort = Named<Options::Effort>(
      "effort", args.effort,
      {{"low", Options::Effort::kLow}, {"normal", Options::Effort::kNormal}, {"high", Options::Effort::kHigh}});
  if (!args.order.empty()) {
    options.order = Named<Options::Order>(
        "order", args.order,
        {{"shuffled", Options::Order::kShuffled}, {"sorted", Options::Order::kSorted}, {"input", Options::Order::kInput}});
  }
  options.seconds = args.seconds;
  options.group_column = args.group_column;
  options.risk = args.risk;
  options.bound = args.bound;
  options.seed = args.seed;
  options.insecure_seed = args.insecure_seed;
  options.registry = args.registry;
  options.person_key = args.person_key;
  options.whole = args.whole;
  return options;
}

nb::bytes InputRows(const Release& release) {
  const auto rows = release.input_rows();
  return nb::bytes(rows.data(), rows.size_bytes());
}

nb::dict DictOf(const Verification& found) {
  nb::dict made = Figures(found.json, found.text);
  made["holds"] = found.holds;
  made["rows"] = found.rows;
  made["counts_people"] = found.counts_people;
  made["privacy"] = VerdictsOf(found.privacy);
  made["true_of_original"] = found.true_of_original ? nb::cast(*found.true_of_original) : nb::none();
  made["notes"] = TextsOf(found.notes);
  return made;
}

nb::dict DictOf(const Evaluation& found) {
  nb::dict made = Figures(found.json, found.text);
  made["rows"] = found.rows;
  made["input_rows"] = found.input_rows;
  made["groups"] = found.groups;
  made["information_loss"] = found.information_loss;
  nb::dict columns;
  for (const auto& [name, loss] : found.loss_by_column) columns[TextOf(name)] = loss;
  made["loss_by_column"] = columns;
  made["median_query_error"] = nb::cast(found.median_query_error);
  made["bound"] = BoundOf(found.bound);
  return made;
}

nb::dict DictOf(const Attacked& found) {
  nb::dict made = Figures(found.json, found.text);
  made["rows"] = found.rows;
  made["people"] = found.people;
  made["targets"] = found.targets;
  nb::list figures;
  for (const AttackFigure& each : found.figures) {
    nb::dict one;
    one["attack"] = TextOf(each.attack);
    one["variant"] = TextOf(each.variant);
    one["column"] = TextOf(each.column);
    one["targets"] = each.targets;
    one["guesses"] = each.guesses;
    one["right"] = each.right;
    one["share"] = each.share;
    one["baseline"] = each.baseline;
    one["gain"] = each.gain;
    one["gain_interval"] = nb::make_tuple(each.gain_interval.first, each.gain_interval.second);
    one["highest"] = each.highest;
    figures.append(one);
  }
  made["figures"] = figures;
  nb::dict left_out;
  for (const auto& [attack, why] : found.left_out) left_out[TextOf(attack)] = TextOf(why);
  made["left_out"] = left_out;
  return made;
}

nb::dict DictOf(const RegisteredRelease& release) {
  nb::dict made;
  made["number"] = release.number;
  made["population"] = TextOf(release.population);
  made["published"] = TextOf(release.published);
  made["command"] = TextOf(release.command);
  made["algorithm"] = TextOf(release.algorithm);
  made["path"] = TextOf(release.path);
  made["rows"] = release.rows;
  return made;
}

nb::dict DictOf(const History& found) {
  nb::dict made = Figures(found.json, found.text);
  const auto listed = [](const std::vector<RegisteredRelease>& releases) {
    nb::list all;
    for (const RegisteredRelease& each : releases) all.append(DictOf(each));
    return all;
  };
  made["releases"] = listed(found.releases);
  made["pending"] = listed(found.pending);
  made["checked"] = found.checked;
  made["holds"] = found.holds;
  return made;
}

nb::dict DictOf(const Checked& found) {
  nb::dict made = Figures(found.json, found.text);
  made["rows"] = found.rows;
  made["groups"] = found.groups;
  nb::list privacy;
  for (const Measured& each : found.privacy) {
    nb::dict one;
    one["model"] = TextOf(each.model);
    one["value"] = each.value;
    one["reached"] = TextOf(each.reached);
    one["worst_row"] = nb::cast(each.worst_row);
    privacy.append(one);
  }
  made["privacy"] = privacy;
  return made;
}

nb::dict DictOf(const Comparison& found) {
  nb::dict made = Figures(found.json, found.text);
  nb::list releases;
  for (const ComparedRelease& each : found.releases) {
    nb::dict one;
    one["name"] = TextOf(each.name);
    one["rows"] = each.rows;
    one["suppressed"] = each.suppressed;
    one["groups"] = each.groups;
    one["information_loss"] = each.information_loss;
    one["median_query_error"] = nb::cast(each.median_query_error);
    one["highest_risk"] = nb::cast(each.highest_risk);
    one["privacy"] = VerdictsOf(each.privacy);
    releases.append(one);
  }
  made["releases"] = releases;
  return made;
}

nb::dict DictOf(const Swept& found) {
  nb::dict made = Figures(found.json, found.text);
  nb::list points;
  for (const SweepPoint& each : found.points) {
    nb::dict one;
    one["algorithm"] = TextOf(each.algorithm);
    nb::dict parameters;
    for (const auto& [name, value] : each.parameters) parameters[TextOf(name)] = TextOf(value);
    one["parameters"] = parameters;
    one["satisfiable"] = each.satisfiable;
    one["why_not"] = TextOf(each.why_not);
    one["rows"] = each.rows;
    one["suppressed"] = each.suppressed;
    one["groups"] = each.groups;
    one["information_loss"] = each.satisfiable ? nb::cast(each.information_loss) : nb::none();
    one["median_query_error"] = nb::cast(each.median_query_error);
    points.append(one);
  }
  made["points"] = points;
  made["svg"] = TextOf(found.svg);
  return made;
}

nb::dict DictOf(const Inspection& found) {
  nb::dict made = Figures(found.json, found.text);
  made["rows"] = found.rows;
  nb::list columns;
  for (const ColumnProfile& each : found.columns) {
    nb::dict one;
    one["name"] = TextOf(each.name);
    one["type"] = TextOf(each.type);
    one["distinct"] = each.distinct;
    one["missing"] = each.missing;
    one["unique_rows"] = each.unique_rows;
    one["distinction"] = each.distinction;
    one["separation"] = each.separation;
    one["role"] = TextOf(each.role);
    one["why"] = TextOf(each.why);
    columns.append(one);
  }
  made["columns"] = columns;
  return made;
}

std::vector<Input> InputsOf(const std::vector<AnyInput>& inputs) {
  std::vector<Input> made;
  for (const AnyInput& each : inputs) made.push_back(InputOf(each));
  return made;
}

void AddRelease(nb::module_& module) {
  nb::class_<Release>(module, "Release")
      .def_prop_ro("table", [](const Release& release) { return release.table(); })
      .def_prop_ro("report", [](const Release& release) { return DictOf(release.report()); })
      .def_prop_ro("input_rows", &InputRows)
      .def("html", [](const Release& release) { return ValueOf({}, [&](const RunOptions& run) { return release.Html(run); }); })
      .def("write",
           [](const Release& release, const std::string& path, const std::string& format, std::optional<bool> bounds,
              bool force) { ValueOf({}, [&](const RunOptions&) { return release.Write(path, {format, bounds, force}); }); });
}

void AddMakers(nb::module_& module) {
  module.def(
      "anonymize", [](const AnyInput& input, const Policy& policy, const std::string& algorithm, const std::string& effort,
                      const std::string& order, std::optional<double> seconds, bool group_column, bool risk, bool bound,
                      std::optional<std::uint64_t> seed, bool insecure_seed, const std::string& registry,
                      const std::string& person_key, const std::vector<Table>& whole, int threads, Progress progress) {
        AnonymizeOptions options = OptionsOf(
            {algorithm, effort, order, seconds, group_column, risk, bound, seed, insecure_seed, registry, person_key, whole});
        return ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) {
          options.run = run;
          return Anonymize(InputOf(input), policy, options);
        });
      });
  module.def("release_next", [](const AnyInput& input, const std::vector<AnyInput>& previous, const Policy& policy,
                                bool allow_unequal, bool allow_dangling, bool through_violation, const std::string& registry,
                                const std::string& person_key, int threads, Progress progress) {
    return ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) {
      return ReleaseNext(InputOf(input), InputsOf(previous), policy,
                         {allow_unequal, allow_dangling, through_violation, registry, person_key, run});
    });
  });
}

void AddJudges(nb::module_& module) {
  module.def("verify_sql", [](const Policy& policy, const std::string& dialect, const std::string& table) {
    return ValueOf(VerifySql(policy, dialect, table));
  });
  module.def("verify", [](const AnyInput& release, const Policy& policy, const std::optional<AnyInput>& original,
                          bool input_order, bool exempt_suppressed, const std::vector<AnyInput>& previous, bool allow_unequal,
                          int threads, Progress progress) {
    return DictOf(ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) {
      return Verify(InputOf(release), policy,
                    {.original = original ? std::optional(InputOf(*original)) : std::nullopt,
                     .input_order = input_order,
                     .exempt_suppressed = exempt_suppressed,
                     .previous = InputsOf(previous),
                     .allow_unequal = allow_unequal,
                     .run = run});
    }));
  });
  module.def("evaluate",
             [](const AnyInput& release, const AnyInput& original, const Policy& policy, std::optional<std::uint64_t> queries,
                std::uint64_t seed, bool risk, bool bound, int threads, Progress progress) {
               return DictOf(ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) {
                 return Evaluate(InputOf(release), InputOf(original), policy, {queries, seed, risk, bound, run});
               }));
             });
  module.def("attack", [](const AnyInput& release, const AnyInput& original, const Policy& policy, const Texts& known,
                          const std::string& row_map, const std::optional<AnyInput>& second, std::uint64_t seed,
                          std::optional<std::uint64_t> max_targets, int threads, Progress progress) {
    return DictOf(ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) {
      return Attack(InputOf(release), InputOf(original), policy,
                    {.known = known,
                     .row_map = row_map,
                     .second = second ? std::optional(InputOf(*second)) : std::nullopt,
                     .seed = seed,
                     .max_targets = max_targets,
                     .run = run});
    }));
  });
  module.def("check", [](const AnyInput& table, const Texts& quasi, const Texts& sensitive, const std::string& delimiter,
                         bool exempt_suppressed, int threads, Progress progress) {
    return DictOf(ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) {
      return Check(InputOf(table), {quasi, sensitive, delimiter, exempt_suppressed, run});
    }));
  });
  module.def("compare",
             [](const std::vector<std::pair<std::string, AnyInput>>& releases, const AnyInput& original, const Policy& policy,
                std::uint64_t queries, std::uint64_t seed, bool exempt_suppressed, int threads, Progress progress) {
               std::vector<NamedInput> inputs;
               for (const auto& [name, release] : releases) inputs.push_back({name, InputOf(release)});
               return DictOf(ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) {
                 return Compare(inputs, InputOf(original), policy, {queries, seed, exempt_suppressed, run});
               }));
             });
  module.def("sweep",
             [](const AnyInput& input, const Policy& policy, const Texts& k, const Texts& l, const Texts& t, const Texts& beta,
                const Texts& algorithms, std::uint64_t queries, std::uint64_t seed, int threads, Progress progress) {
               return DictOf(ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) {
                 return Sweep(InputOf(input), policy, {k, l, t, beta, algorithms, queries, seed, run});
               }));
             });
  module.def("inspect", [](const AnyInput& table, const std::string& delimiter, const std::string& write_policy,
                           std::optional<std::int64_t> k, bool force, int threads, Progress progress) {
    return DictOf(ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) {
      return Inspect(InputOf(table), {delimiter, write_policy, k, force, run});
    }));
  });
}

void AddRegistry(nb::module_& module) {
  module.def("registry", [](const std::string& path, bool check) {
    return DictOf(ValueOf({}, [&](const RunOptions&) -> Result<History> {
      const Result<Registry> registry = Registry::Open(path);
      if (!registry.ok()) return registry.error();
      return check ? registry.value().Check() : registry.value().List();
    }));
  });
}

}  // namespace

void AddRequests(nb::module_& module) {
  AddRelease(module);
  AddMakers(module);
  AddJudges(module);
  AddRegistry(module);
}

}  // namespace cordon::python
