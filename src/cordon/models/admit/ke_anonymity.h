// SPDX-License-Identifier: Apache-2.0
//
// (k,e)-anonymity of a group: at least k different values that span at least e, and none with more than max_share of the
// rows. A missing value does not count: it is left out of the counts. Merge-closed: a union has the values of both, spans no
// less, and the share of a value in it lies between its shares in the two. Monotone without max_share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

class KeAnonymity final : public GroupModel {
 public:
  KeAnonymity(KeAnonymitySpec spec, std::size_t histogram, std::shared_ptr<const Domain> domain);

  std::string Describe() const override { return cordon::engine::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override;
  std::int64_t MinRows() const override { return spec_.k; }
  bool monotone() const override { return !spec_.max_share.has_value(); }

 private:
  KeAnonymitySpec spec_;
  std::size_t histogram_;
  std::shared_ptr<const Domain> domain_;
  Int128 e_;  // the least width, at the domain's scale, that is at least e
};

}  // namespace cordon::engine
