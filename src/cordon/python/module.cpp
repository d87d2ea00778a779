// SPDX-License-Identifier: Apache-2.0
#include "cordon/python/module.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cordon/cli/command_line.h"
#include "cordon/duckdb.h"
#include "cordon/python/call.h"
#include "cordon/version.h"

namespace cordon::python {

Input InputOf(const AnyInput& input) {
  if (const auto* table = std::get_if<Table>(&input)) return *table;
  return std::get<std::string>(input);
}

nb::str TextOf(const std::string& text) { return nb::str(text.data(), text.size()); }

nb::list TextsOf(const std::vector<std::string>& texts) {
  nb::list made;
  for (const std::string& text : texts) made.append(TextOf(text));
  return made;
}

nb::list VerdictsOf(const std::vector<Verdict>& verdicts) {
  nb::list made;
  for (const Verdict& verdict : verdicts) {
    nb::dict one;
    one["model"] = TextOf(verdict.model);
    one["holds"] = verdict.holds;
    one["reached"] = TextOf(verdict.reached);
    one["failing_groups"] = verdict.failing_groups;
    made.append(one);
  }
  return made;
}

namespace {

int RunCommandLine(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const nb::gil_scoped_release release;
  return engine::CommandLine(static_cast<int>(words.size()), argv.data());
}

}  // namespace

}  // namespace cordon::python

NB_MODULE(_core, module) {
  using namespace cordon::python;
  module.attr("__version__") = cordon::Version();
  RegisterFailure();
  AddFrames(module);
  AddPolicies(module);
  AddRequests(module);
  AddStores(module);
  AddStreams(module);
  module.def("name_duckdb", &cordon::NameDuckDb);
  module.def("command_line", &RunCommandLine);
}
