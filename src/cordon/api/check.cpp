// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/check.h"

#include "cordon/api/convert_internal.h"
#include "cordon/check.h"

namespace cordon {

Result<Checked> Check(const Input& table, const CheckOptions& options) {
  internal::EngineRun run(options.run);
  engine::CheckRequest request;
  request.table = internal::InputOf(table);
  request.quasi = options.quasi;
  request.sensitive = options.sensitive;
  request.delimiter = options.delimiter;
  request.exempt_suppressed = options.exempt_suppressed;
  CORDON_TRY(const engine::Checked found, internal::ForCaller(engine::Check(request, run.run())));
  Checked made;
  made.rows = found.rows;
  made.groups = found.measured.groups;
  for (const engine::MeasuredLine& line : engine::Lines(found)) {
    made.privacy.push_back({line.name, line.reached.value, line.reached.text, std::nullopt});
    if (line.reached.witness) made.privacy.back().worst_row = line.reached.witness->first_row;
  }
  made.json = engine::Dump(engine::ToJson(found));
  made.text = engine::Describe(found);
  return made;
}

}  // namespace cordon
