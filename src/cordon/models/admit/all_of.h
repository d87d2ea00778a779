// SPDX-License-Identifier: Apache-2.0
//
// The models of a policy as the one that a search asks: each made from its spec, all of them together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/models/admit/group_model.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

// An error if the model is about the windows of a stream, which a table does not have.
Result<void> CheckOfTable(const ModelSpec& spec);

// The model of one spec, with the sensitive columns it names found in the reference.
Result<std::unique_ptr<const GroupModel>> MakeGroupModel(const ModelSpec& spec, const Reference& reference);

// All of them together; what searches take.
class AllOf final : public GroupModel {
 public:
  static Result<AllOf> Make(std::span<const ModelSpec> specs, const Reference& reference);

  std::string Describe() const override;
  bool Admits(const GroupCounts& group) const override;
  std::int64_t MinRows() const override;
  bool monotone() const override;
  std::int64_t Room(const GroupCounts& group) const override;
  bool uses_histograms() const override;
  bool uses_persons() const override;
  bool uses_holdings() const override;
  bool merge_closed() const override;
  std::optional<std::vector<DistinctNeed>> only_distinct() const override;

  std::span<const std::unique_ptr<const GroupModel>> models() const { return models_; }

 private:
  std::vector<std::unique_ptr<const GroupModel>> models_;
};

}  // namespace cordon::engine
