// SPDX-License-Identifier: Apache-2.0
//
// Tables by the Arrow PyCapsule interface, in and out.
#include <nanobind/stl/string.h>

#include "cordon/arrow_c_data.h"
#include "cordon/python/call.h"
#include "cordon/python/module.h"

namespace cordon::python {
namespace {

constexpr const char* kStream = "arrow_array_stream";

Table FromCapsule(const nb::object& capsule, int threads, Progress progress) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kStream));
  if (stream == nullptr) nb::raise_python_error();
  if (stream->release == nullptr) {
    throw Failure(Error(ErrorKind::kInvalidData, "the Arrow stream was read before", "make a new one for each call"));
  }
  return ValueOf({threads, std::move(progress)}, [&](const RunOptions& run) { return Table::FromArrow(stream, run); });
}

nb::object ToCapsule(const Table& table) {
  auto* stream = new ArrowArrayStream();
  table.ToArrow(stream);
  return nb::capsule(stream, kStream, [](void* pointer) noexcept {
    auto* owned = static_cast<ArrowArrayStream*>(pointer);
    if (owned->release != nullptr) owned->release(owned);
    delete owned;
  });
}

nb::list NamesOf(const Table& table) {
  nb::list names;
  for (std::size_t column = 0; column < table.num_columns(); ++column) names.append(TextOf(table.column_name(column)));
  return names;
}

}  // namespace

void AddFrames(nb::module_& module) {
  nb::class_<Table>(module, "Table")
      .def_static("from_capsule", &FromCapsule)
      .def_static("read",
                  [](const std::string& path, const std::string& delimiter, int threads, Progress progress) {
                    return ValueOf({threads, std::move(progress)},
                                   [&](const RunOptions& run) { return Table::Read(path, delimiter, run); });
                  })
      .def("to_capsule", &ToCapsule)
      .def_prop_ro("num_rows", &Table::num_rows)
      .def_prop_ro("column_names", &NamesOf);
}

}  // namespace cordon::python
