// SPDX-License-Identifier: Apache-2.0
#include "cordon/store.h"

#include "cordon/api/convert_internal.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/store/ke_append.h"
#include "cordon/store/ke_permute.h"
#include "cordon/store/ke_query.h"
#include "cordon/store/store_manifest.h"

namespace cordon {
namespace {

std::optional<std::string> NamedFile(const std::string& name) { return name.empty() ? std::nullopt : std::optional(name); }

StoreReport ReportOf(const engine::KeReport& report) {
  return {.rows = report.rows,
          .groups = report.groups,
          .waiting = report.pending,
          .warnings = report.warnings,
          .json = engine::Dump(engine::ToJson(report)),
          .text = engine::Summary(report)};
}

}  // namespace

Result<Store> Store::Create(const std::string& path, const Input& input, const Policy& policy, StoreReport* report,
                            const CreateOptions& options) {
  if (path.empty()) return engine::Error::InvalidPolicy("where should the store go?").WithHint("give the path of a directory");
  CORDON_RETURN_IF_ERROR(engine::CheckPath(path));
  internal::EngineRun run(options.run);
  engine::PermuteRequest request;
  request.input = internal::InputOf(input);
  request.output = path;
  request.sign = NamedFile(options.sign);
  request.registry = NamedFile(options.registry);
  request.person_key = NamedFile(options.person_key);
  CORDON_TRY(const engine::KeReport made, internal::ForCaller(engine::Permute(request, policy.inner(), run.run())));
  if (report != nullptr) *report = ReportOf(made);
  return Store(path);
}

Result<Store> Store::Open(const std::string& path) {
  CORDON_RETURN_IF_ERROR(engine::CheckPath(path));
  CORDON_RETURN_IF_ERROR(internal::ForCaller(engine::OpenStore(engine::StorePath(path))));
  return Store(path);
}

Result<StoreReport> Store::Append(const Input& rows, const AppendOptions& options) {
  internal::EngineRun run(options.run);
  engine::AppendRequest request;
  request.store = path_;
  request.input = internal::InputOf(rows);
  request.again = options.again;
  request.sign = NamedFile(options.sign);
  request.registry = NamedFile(options.registry);
  request.person_key = NamedFile(options.person_key);
  CORDON_TRY(const engine::KeReport made, internal::ForCaller(engine::Append(request, run.run())));
  return ReportOf(made);
}

Result<QueryAnswer> Store::Query(const std::string& query, const RunOptions& options) const {
  internal::EngineRun run(options);
  CORDON_TRY(const engine::QueryAnswer answer, internal::ForCaller(engine::AskStore(path_, query, run.run())));
  return QueryAnswer{engine::JsonText(answer), engine::Summary(answer)};
}

Result<Verification> Store::Verify(const Policy& policy, const VerifyOptions& options) const {
  return cordon::Verify(Input(path_), policy, options);
}

}  // namespace cordon
