// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/stream/stream_parts.h"

#include <algorithm>
#include <cstring>

#include "cordon/bind/bind_stream.h"

namespace cordon::engine {

Result<void> StreamParts::Choose(const Policy& policy, const std::string& name) {
  CORDON_TRY(algorithm_, ChooseStreamAlgorithm(name.empty() ? policy.algorithm.name : name, policy));
  return {};
}

Result<void> StreamParts::Bind(const Policy& policy, std::span<const std::string> columns, RowOptions options) {
  CORDON_TRY(layout_, BindStream(policy, columns));
  row_options_ = std::move(options);
  row_options_.group_column = row_options_.group_column || algorithm_->group_column;
  CORDON_TRY(rows_, RowFormat::Make(layout_, row_options_));
  return {};
}

Result<void> StreamParts::Start(const Policy& policy, const Random& random, std::uint64_t resume_after) {
  const StreamSchema schema = layout_.Schema();
  CORDON_TRY(engine_, algorithm_->make(schema, policy, random.Substream(algorithm_->name)));
  CORDON_TRY(verifier_, StreamVerifier::Make(schema, policy.models, algorithm_->verifier(policy)));
  Random key = random.Substream("persons");
  const std::uint64_t words[] = {key.Next(), key.Next()};
  PersonKey::Bytes bytes;
  static_assert(sizeof bytes == sizeof words);
  std::memcpy(bytes.data(), words, sizeof words);
  persons_.emplace(bytes);
  RowSinkOptions options;
  options.order =
      policy.stream->order == StreamPolicy::Order::kArrival ? RowSinkOptions::Order::kArrival : RowSinkOptions::Order::kReady;
  options.blank_suppressed = policy.algorithm.suppressed == Suppression::kBlank;
  options.resume_after = resume_after;
  sink_.emplace(*rows_, options, random.Substream("groups"));
  flow_.emplace(layout_, *engine_, *verifier_, *sink_, policy.stream->delay_ms.has_value());
  return {};
}

std::optional<StreamWarning> WarnOfPersons(const Policy& policy, std::uint64_t repeating_groups, std::uint64_t groups) {
  std::vector<std::string> guarded;
  for (const ModelSpec& spec : policy.models) {
    for (std::string& column : SensitiveColumns(spec)) guarded.push_back(std::move(column));
  }
  if (repeating_groups == 0 || guarded.empty()) return std::nullopt;
  std::sort(guarded.begin(), guarded.end());
  guarded.erase(std::unique(guarded.begin(), guarded.end()), guarded.end());
  return StreamWarning{"persons-repeat", std::move(guarded),
                       fmt::format("in {} of {} groups a person has several rows: one person's rows can make a group look "
                                   "diverse; models of a stream count rows",
                                   repeating_groups, groups)};
}

}  // namespace cordon::engine
