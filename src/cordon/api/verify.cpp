// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/verify.h"

#include "cordon/api/convert_internal.h"
#include "cordon/publish/verify_sql.h"
#include "cordon/verify.h"

namespace cordon {

Result<Verification> Verify(const Input& release, const Policy& policy, const VerifyOptions& options) {
  internal::EngineRun run(options.run);
  engine::VerifyRequest request;
  request.release = internal::InputOf(release);
  if (options.original) request.original = internal::InputOf(*options.original);
  request.input_order = options.input_order;
  request.exempt_suppressed = options.exempt_suppressed;
  request.keys = options.keys;
  request.previous = internal::PreviousOf(options.previous);
  request.allow_unequal = options.allow_unequal;
  const auto judged = engine::Verify(request, policy.inner(), run.run());
  if (!judged.ok() && judged.error().hint().find("--row-map") != std::string::npos) {  // there is none here
    return Error(judged.error().kind(), judged.error().message(),
                 "give original with its rows in the order of the release (Release::input_rows), and set input_order");
  }
  CORDON_TRY(const engine::Verification found, internal::ForCaller(judged));
  Verification made;
  made.holds = found.holds();
  made.rows = found.rows;
  made.counts_people = found.counts_people;
  made.privacy = internal::VerdictsOf(found.verdicts);
  if (found.truth) made.true_of_original = found.truth->holds;
  made.notes = found.notes;
  made.json = engine::Dump(engine::ToJson(found));
  made.text = engine::Describe(found);
  return made;
}

Result<std::string> VerifySql(const Policy& policy, const std::string& dialect, const std::string& table) {
  engine::VerifySqlRequest request;
  CORDON_TRY(request.dialect, engine::ParseDialect(dialect));
  request.table = table;
  CORDON_TRY(std::string statement, engine::VerifySql(request, policy.inner()));
  return statement;
}

}  // namespace cordon
