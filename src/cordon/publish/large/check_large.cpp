// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/large/check_large.h"

#include "cordon/io/foreign/foreign.h"
#include "cordon/io/text/text_format.h"

namespace cordon::engine {
namespace {

Error NotServed(std::string_view what, std::string_view way_out) {
  return Error::InvalidPolicy("--memory does not serve {}", what).WithHint("{}, or leave --memory out", way_out);
}

Result<void> CheckLargeFlags(const AnonymizeRequest& request) {
  if (*request.memory < kLeastMemory && !request.shard_rows) {
    return Error::InvalidPolicy("--memory needs at least {}MiB", kLeastMemory >> 20).WithHint("--memory 2GiB");
  }
  if (request.row_map) return NotServed("--row-map", "leave it out");
  if (request.html || request.html_public) return NotServed("--html and --html-public", "take --report");
  if (request.recoding || request.save_recoding) return NotServed("--recoding and --save-recoding", "leave them out");
  if (request.registry) return NotServed("--registry", "leave it out");
  if (request.group_column) return NotServed("--group-column", "leave it out");
  if (request.seconds) return NotServed("--seconds", "take --effort low");
  if (request.order.value_or(RowOrder::kShuffled) != RowOrder::kShuffled) {
    return NotServed("an order other than shuffled", "sort the release afterwards");
  }
  if (request.measure.queries || request.measure.kl_level || request.measure.statistics) {
    return NotServed("--queries, --kl and --statistics", "ask cordon evaluate of a part");
  }
  return {};
}

Result<void> CheckLargeFormats(const AnonymizeRequest& request) {
  const auto foreign = [](const std::string& path, std::optional<FileFormat> format) {
    if (!format) {
      const auto by_path = FormatOfPath(path);
      if (by_path.ok()) format = by_path.value().format;
    }
    return format && IsForeign(*format);
  };
  if (request.input.table == nullptr && foreign(request.input.name, request.input_format)) {
    return NotServed("files that are read as a whole", "save the input as .csv or .parquet");
  }
  if (!request.output.empty() && foreign(request.output, request.output_format)) {
    return NotServed("workbooks", "write .csv or .parquet");
  }
  return {};
}

Result<void> CheckLargePolicy(const Policy& policy, const AlgorithmEntry& algorithm) {
  if (!algorithm.serves_shards && !algorithm.counts_weights) {
    return NotServed(fmt::format("the algorithm {}", algorithm.name),
                     "take partition, mondrian, closeness, likeness, full-domain, tdr or tdd");
  }
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.role != Role::kPerson) continue;
    return NotServed(fmt::format("a person column ('{}')", attribute.name), "see that each person has one row");
  }
  for (std::size_t i = 0; i < policy.models.size(); ++i) {
    const std::string place = fmt::format("{}:{}: ", policy.name, policy.model_lines[i]);
    if (!algorithm.counts_weights && !GroupingColumns(policy.models[i]).empty()) {
      return NotServed(fmt::format("a model on some columns ({}{}) by {}", place, ModelName(policy.models[i]), algorithm.name),
                       "leave `on` out, or take full-domain, tdr or tdd");
    }
    if (ComparesWithWhole(policy.models[i]) && policy.algorithm.suppression_limit > Rational(0)) {
      return NotServed(fmt::format("suppression together with {}, as suppressed rows change what groups are compared with",
                                   ModelName(policy.models[i])),
                       "set suppression_limit = 0");
    }
  }
  if (policy.algorithm.objective == Objective::kQueryError) {
    return NotServed("objective = \"query-error\"", "take information-loss");
  }
  return {};
}

}  // namespace

Result<void> CheckServesLarge(const AnonymizeRequest& request, const Policy& policy, const AlgorithmEntry& algorithm) {
  CORDON_RETURN_IF_ERROR(CheckLargeFlags(request));
  CORDON_RETURN_IF_ERROR(CheckLargeFormats(request));
  return CheckLargePolicy(policy, algorithm);
}

}  // namespace cordon::engine
