// SPDX-License-Identifier: Apache-2.0
//
// Reads the fields of a model from its entry [[privacy]]: what all visitors that read have in common (model_spec.h). A field
// that may be left out keeps its value.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "cordon/policy/policy.h"
#include "cordon/policy/policy_reader.h"
#include "cordon/policy/policy_table_internal.h"

namespace cordon::engine::internal {

class FieldReader {
 public:
  FieldReader(const PolicyTable& table, const std::vector<AttributePolicy>& attributes)
      : table_(table), attributes_(attributes) {}

  void Whole(const char* key, std::int64_t& number, int) {
    Step([&] { return Must(key, table_.Whole(key), number); });
  }
  void Whole(const char* key, std::optional<std::int64_t>& number, int) {
    Step([&] { return May(table_.Whole(key), number); });
  }
  void Exact(const char* key, Rational& number) {
    Step([&] { return Must(key, table_.Exact(key), number); });
  }
  void Exact(const char* key, std::optional<Rational>& number) {
    Step([&] { return May(table_.Exact(key), number); });
  }

  // The first error, if there was one.
  Result<void> Done() && { return std::move(read_); }

 protected:
  // Nothing is read after an error.
  template <typename Read>
  void Step(Read read) {
    if (read_.ok()) read_ = read();
  }
  template <typename Read, typename T>
  Result<void> Must(const char* key, Result<std::optional<Read>> read, T& field) const {
    CORDON_TRY(std::optional<Read> value, std::move(read));
    if (!value) return table_.Missing(key, table_.where());
    field = *std::move(value);
    return {};
  }
  template <typename T>
  Result<void> May(Result<std::optional<T>> read, std::optional<T>& field) const {
    CORDON_TRY(field, std::move(read));
    return {};
  }

  const PolicyTable& table_;
  const std::vector<AttributePolicy>& attributes_;

 private:
  Result<void> read_;
};

}  // namespace cordon::engine::internal
