// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include "cordon/python/call.h"
#include "cordon/python/module.h"
#include "cordon/store.h"

namespace cordon::python {
namespace {

nb::dict DictOf(const StoreReport& report) {
  nb::dict made;
  made["rows"] = report.rows;
  made["groups"] = report.groups;
  made["waiting"] = report.waiting;
  made["warnings"] = TextsOf(report.warnings);
  made["json"] = TextOf(report.json);
  made["text"] = TextOf(report.text);
  return made;
}

}  // namespace

// A store is its directory: nothing of it stays open between two calls.
void AddStores(nb::module_& module) {
  module.def("store_create", [](const std::string& path, const AnyInput& input, const Policy& policy,
                                const std::string& registry, const std::string& person_key, int threads, Progress progress) {
    StoreReport report;
    (void)ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) {
      return Store::Create(path, InputOf(input), policy, &report,
                           {.sign = {}, .registry = registry, .person_key = person_key, .run = run});
    });
    return DictOf(report);
  });
  module.def("store_open",
             [](const std::string& path) { (void)ValueOf({}, [&](const RunOptions&) { return Store::Open(path); }); });
  module.def("store_append", [](const std::string& path, const AnyInput& rows, bool again, const std::string& registry,
                                const std::string& person_key, int threads, Progress progress) {
    return DictOf(ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) -> Result<StoreReport> {
      Result<Store> store = Store::Open(path);
      if (!store.ok()) return store.error();
      return store.value().Append(InputOf(rows),
                                  {.again = again, .sign = {}, .registry = registry, .person_key = person_key, .run = run});
    }));
  });
  module.def("store_query", [](const std::string& path, const std::string& query, int threads, Progress progress) {
    const QueryAnswer answer = ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) -> Result<QueryAnswer> {
      const Result<Store> store = Store::Open(path);
      if (!store.ok()) return store.error();
      return store.value().Query(query, run);
    });
    return nb::make_tuple(TextOf(answer.json), TextOf(answer.text));
  });
}

}  // namespace cordon::python
