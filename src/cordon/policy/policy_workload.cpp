// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "cordon/io/files/atomic_file.h"
#include "cordon/policy/workload.h"

namespace cordon::engine::internal {
namespace {

constexpr std::size_t kMaxQueries = 100'000;

// What can be asked about: identifiers are not published, and what other columns hold is published as it is.
QuerySchema SchemaOf(const Policy& policy) {
  QuerySchema schema;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.role != Role::kQuasi && attribute.role != Role::kSensitive) continue;
    auto type = QueryColumn::Type::kText;
    if (attribute.type == Domain::Kind::kNumeric) type = QueryColumn::Type::kNumber;
    if (attribute.type == Domain::Kind::kDate) type = QueryColumn::Type::kDate;
    schema.columns.push_back({attribute.name, type});
  }
  return schema;
}

Result<void> Check(const WorkloadQuery& query, const Policy& policy, const std::string& path) {
  std::set<std::string> sensitive;
  for (const WorkloadTest& test : query.tests) {
    const AttributePolicy& attribute = *policy.Find(test.column);
    if (attribute.role == Role::kSensitive) sensitive.insert(test.column);
    if (attribute.type != Domain::Kind::kCategorical || attribute.hierarchy.hierarchy == nullptr) continue;
    for (const std::string& value : test.values) {
      if (attribute.hierarchy.hierarchy->FindNode(value) || policy.data.IsMissing(value)) continue;
      return Error::InvalidPolicy("{}:{}: the hierarchy of '{}' has no value or label '{}'", path, query.line, test.column,
                                  value)
          .WithHint("cordon hierarchy show {} lists them", attribute.hierarchy.path);
    }
  }
  if (sensitive.size() > 1) {
    return Error::InvalidPolicy("{}:{}: a query asks about one sensitive column at most", path, query.line)
        .WithHint("the release does not change which of their values go together inside a group: no search can help");
  }
  return {};
}

}  // namespace

Result<void> ReadWorkload(Policy& policy) {
  if (policy.algorithm.workload.empty()) return {};
  const std::string path = (policy.directory / policy.algorithm.workload).string();
  Result<std::string> text = ReadFile(path, 64 * kMebibyte);
  if (!text.ok()) return std::move(text).error().WithContext("{}:{}: workload", policy.name, policy.algorithm.line);
  CORDON_TRY(std::vector<WorkloadQuery> queries, ParseWorkload(text.value(), SchemaOf(policy), path));
  if (queries.size() > kMaxQueries) return Error::InvalidPolicy("{} has more than {} queries", path, kMaxQueries);
  for (const WorkloadQuery& query : queries) CORDON_RETURN_IF_ERROR(Check(query, policy, path));
  policy.algorithm.queries = std::make_shared<const std::vector<WorkloadQuery>>(std::move(queries));
  return {};
}

}  // namespace cordon::engine::internal
