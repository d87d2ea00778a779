// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/inspect.h"

#include "cordon/api/convert_internal.h"
#include "cordon/inspect.h"
#include "cordon/policy/policy.h"

namespace cordon {

Result<Inspection> Inspect(const Input& table, const InspectOptions& options) {
  internal::EngineRun run(options.run);
  engine::InspectRequest request;
  request.input = internal::InputOf(table);
  request.delimiter = options.delimiter;
  request.write_policy = options.write_policy;
  request.k = options.k;
  request.force = options.force;
  const engine::Result<engine::Inspection> inspected = engine::Inspect(request, run.run());
  if (!inspected.ok()) return internal::ForCaller(inspected.error());
  const engine::Inspection& found = inspected.value();
  if (found.no_draft) return *found.no_draft;
  Inspection made;
  made.rows = found.profile.rows;
  for (const engine::ColumnProfile& column : found.profile.columns) {
    made.columns.push_back({.name = column.name,
                            .type = std::string(engine::TypeName(column.type)),
                            .distinct = column.distinct,
                            .missing = column.missing,
                            .unique_rows = column.unique_rows,
                            .distinction = column.distinction,
                            .separation = column.separation,
                            .role = std::string(engine::RoleName(column.role)),
                            .why = column.why});
  }
  made.json = engine::Dump(engine::ToJson(found.profile));
  made.text = engine::Describe(found.profile);
  return made;
}

}  // namespace cordon
