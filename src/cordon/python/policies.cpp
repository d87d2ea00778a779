// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include "cordon/policy.h"
#include "cordon/python/call.h"
#include "cordon/python/module.h"

namespace cordon::python {
namespace {

PolicyKeys KeysOf(const nb::dict& dict);

// REQUIRES: plain values alone, as python/pycordon/policy.py makes them.
PolicyValue PolicyValueOf(const nb::handle& value) {
  if (PyBool_Check(value.ptr())) return PolicyValue(nb::cast<bool>(value));
  if (PyLong_Check(value.ptr())) return PolicyValue(nb::cast<std::int64_t>(value));
  if (PyFloat_Check(value.ptr())) return PolicyValue(nb::cast<double>(value));
  if (PyDict_Check(value.ptr())) return PolicyValue(KeysOf(nb::borrow<nb::dict>(value)));
  if (PyList_Check(value.ptr())) {
    PolicyValue::Array array;
    for (const nb::handle& each : nb::borrow<nb::list>(value)) array.push_back(PolicyValueOf(each));
    return PolicyValue(std::move(array));
  }
  return PolicyValue(nb::cast<std::string>(value));
}

PolicyKeys KeysOf(const nb::dict& dict) {
  PolicyKeys keys;
  for (const auto& [key, value] : dict) keys.emplace_back(nb::cast<std::string>(key), PolicyValueOf(value));
  return keys;
}

}  // namespace

void AddPolicies(nb::module_& module) {
  nb::class_<Policy>(module, "Policy")
      .def_static("from_file", [](const std::string& path) { return ValueOf(Policy::FromFile(path)); })
      .def_static("from_toml",
                  [](const std::string& text, const std::string& folder) { return ValueOf(Policy::FromToml(text, folder)); })
      .def_prop_ro("digest", [](const Policy& policy) { return policy.digest(); });
  module.def("policy_to_toml", [](const nb::dict& keys) { return PolicyToToml(KeysOf(keys)); });
}

}  // namespace cordon::python
