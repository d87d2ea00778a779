// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a query: refused with a message, or the condition that comes out is SQL of known parts: read again as the
// condition of a query, it comes out with the same tests.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/base/check.h"
#include "cordon/query/query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const cordon::engine::QuerySchema schema = {{{"age", cordon::engine::QueryColumn::Type::kNumber},
                                               {"sex", cordon::engine::QueryColumn::Type::kText},
                                               {"a \"b\"", cordon::engine::QueryColumn::Type::kText}},
                                              "salary"};
  const auto query = cordon::engine::ParseQuery(std::string_view(reinterpret_cast<const char*>(data), size), schema);
  if (!query.ok()) {
    CORDON_CHECK(!query.error().message().empty());
    return 0;
  }
  CORDON_CHECK(!query.value().items.empty());
  if (query.value().condition.empty()) return 0;
  const auto again = cordon::engine::ParseQuery("SELECT COUNT(*) WHERE " + query.value().condition, schema);
  // What is written again has a pair of parentheses more: near the limit of nesting it may be too deep.
  CORDON_CHECK(again.ok() || again.error().message().find("nested") != std::string::npos);
  return 0;
}
