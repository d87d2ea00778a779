// SPDX-License-Identifier: Apache-2.0
//
// The parts of the module pycordon._core. Nothing is decided here: every function calls that of the library (include/cordon)
// and gives its fields back as a dict, which python/pycordon turns into its own classes.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <variant>
#include <vector>

#include "cordon/table.h"
#include "cordon/verdict.h"

namespace cordon::python {

namespace nb = nanobind;

void AddFrames(nb::module_& module);
void AddPolicies(nb::module_& module);
void AddRequests(nb::module_& module);
void AddStores(nb::module_& module);
void AddStreams(nb::module_& module);

// A table, or the path of one.
using AnyInput = std::variant<Table, std::string>;
Input InputOf(const AnyInput& input);

nb::str TextOf(const std::string& text);
nb::list TextsOf(const std::vector<std::string>& texts);
nb::list VerdictsOf(const std::vector<Verdict>& verdicts);

}  // namespace cordon::python
