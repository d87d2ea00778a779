// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/extent.h"

namespace cordon::engine {
namespace {

constexpr Extent kMissingPlace = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};

}  // namespace

std::optional<Extent> SharedAxis::Read(std::string_view text, bool missing) const {
  if (text == "*") return Extent();
  if (missing) return kMissingPlace;
  if (domain_ == nullptr) {
    const std::int64_t place = texts_->Intern(text);
    return Extent{place, place};
  }
  const std::optional<Meaning> meaning = domain_->Read(text);
  if (!meaning) return std::nullopt;
  switch (meaning->kind) {
    case Meaning::Kind::kEverything: return Extent();
    case Meaning::Kind::kMissing: return kMissingPlace;
    case Meaning::Kind::kInterval: return Extent{meaning->lo, meaning->hi - (meaning->open_above ? 1 : 0)};
    case Meaning::Kind::kNode: break;
  }
  const Hierarchy& hierarchy = *domain_->hierarchy();
  if (meaning->node == kRoot && !hierarchy.is_leaf(kRoot)) return Extent();
  if (domain_->missing() && meaning->node == hierarchy.leaf_node(*domain_->missing())) return kMissingPlace;
  return Extent{hierarchy.first_leaf(meaning->node), hierarchy.last_leaf(meaning->node)};
}

std::optional<CodeRange> SharedAxis::Leaves(std::string_view text) const {
  if (domain_ == nullptr || !domain_->is_categorical()) return std::nullopt;
  if (text == "*") return CodeRange{0, domain_->hierarchy()->num_leaves() - 1};
  const std::optional<NodeId> node = domain_->hierarchy()->FindNode(text);
  if (!node) return std::nullopt;
  return CodeRange{domain_->hierarchy()->first_leaf(*node), domain_->hierarchy()->last_leaf(*node)};
}

}  // namespace cordon::engine
