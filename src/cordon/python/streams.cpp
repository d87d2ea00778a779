// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cordon/python/call.h"
#include "cordon/python/module.h"
#include "cordon/stream.h"

namespace cordon::python {
namespace {

class Stream {
 public:
  explicit Stream(StreamAnonymizer made) : made_(std::move(made)) {}

  nb::tuple Push(const Table& rows) {
    return Step([&] { return made_.Push(rows); });
  }
  nb::tuple Advance(std::int64_t milliseconds) {
    return Step([&] { return made_.Advance(milliseconds); });
  }
  nb::tuple Flush() {
    return Step([&] { return made_.Flush(); });
  }
  nb::bytes Save() {
    const OneAtATime only(mutex_, "stream");
    const std::string saved = ValueOf({}, [&](const RunOptions&) { return made_.Save(); });
    return nb::bytes(saved.data(), saved.size());
  }
  nb::dict Figures() {
    const OneAtATime only(mutex_, "stream");
    const StreamFigures figures = made_.figures();
    nb::dict made;
    made["pushed"] = figures.pushed;
    made["published"] = figures.published;
    made["suppressed"] = figures.suppressed;
    made["refused"] = figures.refused;
    made["waiting"] = figures.waiting;
    made["information_loss"] = figures.information_loss;
    return made;
  }

 private:
  // A step runs to its end: half of one could not be taken back.
  template <typename Work>
  nb::tuple Step(const Work& work) {
    const OneAtATime only(mutex_, "stream");
    StreamOutput out = ValueOf({}, [&](const RunOptions&) { return work(); });
    nb::list refused;
    for (const RefusedRow& row : out.refused) refused.append(nb::make_tuple(row.row, TextOf(row.reason)));
    return nb::make_tuple(nb::cast(std::move(out.rows)), refused);
  }

  StreamAnonymizer made_;
  std::mutex mutex_;
};

}  // namespace

void AddStreams(nb::module_& module) {
  nb::class_<Stream>(module, "Stream")
      .def_static(
          "start",
          [](const Policy& policy, std::vector<std::string> columns, const std::string& algorithm, bool group_column,
             std::optional<std::uint64_t> seed) {
            return new Stream(ValueOf(StreamAnonymizer::Start(policy, std::move(columns), {algorithm, group_column, seed})));
          },
          nb::rv_policy::take_ownership)
      .def_static(
          "restore",
          [](const Policy& policy, const nb::bytes& saved) {
            return new Stream(ValueOf(StreamAnonymizer::Restore(policy, std::string_view(saved.c_str(), saved.size()))));
          },
          nb::rv_policy::take_ownership)
      .def("push", &Stream::Push)
      .def("advance", &Stream::Advance)
      .def("flush", &Stream::Flush)
      .def("save", &Stream::Save)
      .def("figures", &Stream::Figures);
}

}  // namespace cordon::python
