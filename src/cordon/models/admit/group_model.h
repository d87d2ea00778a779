// SPDX-License-Identifier: Apache-2.0
//
// A model decided group by group, so that a search may ask it before it commits to a split. Exact: no
// floating point decides, except where logarithms enter, and there it rounds towards refusing.
//
// Models are merge-closed: the union of two admitted groups is admitted. Hence a partition whose
// groups are admitted also satisfies the model on any subset of the quasi columns (its groups are unions),
// and boxes that happen to be equal do no harm. Those that go by who has which value are not, as people may be in both
// groups; they say so, and few searches take them. Those that are also monotone (adding any row keeps an
// admitted group admitted) say so; k and distinct l are.
//
// Nothing here is used by the verifier.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/microdata.h"
#include "cordon/models/admit/group_counts.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

// Against what the groups are held: the sensitive attributes and how often each value occurs among the rows
// that will be published. An input, so that a leaf, a window or a shard can be compared with a larger whole.
struct Reference {
  std::vector<Attribute> sensitive;                   // in the order of the histograms in GroupCounts
  std::vector<std::vector<std::int64_t>> histograms;  // by code of the attribute's domain
  std::int64_t rows = 0;
};

// Over the given rows of the data, or of a shard over its whole table: the given sensitive columns, or all of them in their
// order.
Reference ReferenceOf(const Microdata& data, std::span<const std::size_t> sensitive, std::span<const RowId> rows);
Reference ReferenceOf(const Microdata& data, std::span<const RowId> rows);

// The place of a sensitive column in the reference; an error with the nearest name as hint if it is not there.
Result<std::size_t> FindSensitive(const Reference& reference, const std::string& column);
// This many different values of a histogram, or people, in every group.
struct DistinctNeed {
  std::optional<std::size_t> histogram;  // none: people
  std::int64_t least = 1;
  std::optional<Code> missing = {};  // does not count
};

class GroupModel {
 public:
  virtual ~GroupModel() = default;

  virtual std::string Describe() const = 0;
  virtual bool Admits(const GroupCounts& group) const = 0;

  // No group with fewer rows is admitted: a bound for pruning.
  virtual std::int64_t MinRows() const { return 1; }
  virtual bool monotone() const { return false; }
  virtual bool merge_closed() const { return true; }
  // This many rows may join or leave an admitted group, whichever they are, and it stays admitted: a bound that saves asking
  // again about large groups. 0 if the model does not know.
  virtual std::int64_t Room(const GroupCounts&) const { return 0; }
  // Whether Admits looks at histograms / at persons / at holdings; a search need not keep what nobody looks at.
  virtual bool uses_histograms() const { return true; }
  virtual bool uses_persons() const { return false; }
  virtual bool uses_holdings() const { return false; }
  // If such needs are all that the model asks: a search may count them as it likes, and need not keep histograms of
  // many values for many groups. Nothing if it asks more.
  virtual std::optional<std::vector<DistinctNeed>> only_distinct() const { return std::nullopt; }
};

// What the model looks at of these columns.
CountedColumns ColumnsFor(const GroupModel& model, const Microdata& data, const std::vector<std::size_t>& sensitive);

}  // namespace cordon::engine
