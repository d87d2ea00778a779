// SPDX-License-Identifier: Apache-2.0
//
// From the public types to those of the engine, and back.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/evaluate.h"
#include "cordon/io/table_input.h"
#include "cordon/io/text/text_format.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/report/loss_bound.h"
#include "cordon/run.h"
#include "cordon/table.h"
#include "cordon/verdict.h"

namespace cordon::internal {

// Hands progress to a function. Outlives the run that it gives.
class EngineRun final : public engine::Progress {
 public:
  explicit EngineRun(const RunOptions& options);
  engine::Run run();
  void Report(std::string_view stage, std::uint64_t done, std::uint64_t total) override;

 private:
  const RunOptions& options_;
};

engine::TableInput InputOf(const Input& input);
// Tables among them are called "previous table 1", ... in messages.
std::vector<engine::TableInput> PreviousOf(const std::vector<Input>& previous);
std::vector<Verdict> VerdictsOf(const std::vector<engine::Verdict>& verdicts);
// Of a release of this information loss.
std::optional<LossBound> BoundOf(const std::optional<engine::LossBound>& bound, double information_loss);
// "csv", "jsonl", "parquet"; empty: none.
engine::Result<std::optional<engine::FileFormat>> FormatOf(const std::string& name);
// An error in the words of a caller of the library, who sets an option `through_violation` where the command line has the flag
// --through-violation.
Error ForCaller(const engine::Error& error);
template <typename T>
Result<T> ForCaller(engine::Result<T> result) {
  if (!result.ok()) return ForCaller(result.error());
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return std::move(result).value();
  }
}

}  // namespace cordon::internal
