// SPDX-License-Identifier: Apache-2.0
//
// Steps between parties: one that holds a column tells the refinement it makes, one that does not checks it by counting rows.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cordon/algorithms/top_down/top_down.h"

namespace cordon::engine {
namespace {

constexpr int kPositionBits = 24;
constexpr int kKeyBits = 96;

}  // namespace

Result<void> TopDown::CheckForeign(const View& view, const Plan& plan, const TopDownOptions& options) {
  const auto foreign =
      std::find_if(plan.masked.begin(), plan.masked.end(), [](const MaskedColumn& each) { return each.foreign; });
  const Microdata& data = view.data();
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) {
    const auto masked =
        std::find_if(plan.masked.begin(), plan.masked.end(), [&](const auto& each) { return each.column == column; });
    if (masked == plan.masked.end() && data.columns[column].codes.empty()) {
      return Error::InvalidPolicy("column '{}' belongs to another party and is in no model",
                                  data.columns[column].attribute.name)
          .WithHint("leave it out of the policy, or put it into a model");
    }
  }
  if (foreign == plan.masked.end()) return {};
  for (const MaskedColumn& each : plan.masked) {
    const Attribute& attribute = data.columns[each.column].attribute;
    if (each.masking == Masking::kSuppression) {
      return Error::InvalidPolicy("column '{}' is shown value by value, which would list its values to the other party",
                                  attribute.name)
          .WithHint("give it a hierarchy");
    }
    if (each.masking == Masking::kIntervals && attribute.domain->missing()) {
      return Error::InvalidPolicy("column '{}' may lack numbers, which two parties cannot refine together", attribute.name)
          .WithHint("set on_missing = \"drop\"");
    }
  }
  const auto by_size = [](const auto& requirement) { return requirement->OfSize(0).has_value(); };
  if (!plan.state_requirements.empty() || !std::all_of(plan.requirements.begin(), plan.requirements.end(), by_size)) {
    return Error::InvalidPolicy("two parties can refine together for k-anonymity of rows only")
        .WithHint("remove other models, and rows of the same person");
  }
  if (options.utility != TopDownUtility::kClass || plan.labels.num_classes == 0) {
    return Error::InvalidPolicy("two parties need a class that both know to refine together");
  }
  return {};
}

UInt128 TopDown::KeyOf(const Refinement& refinement) const {
  std::size_t position = 0;
  for (std::size_t i = 0; i < refinement.attribute; ++i) position += attributes_[i].masked.Cut().size();
  const std::vector<int> cut = attributes_[refinement.attribute].masked.Cut();
  position += static_cast<std::size_t>(std::find(cut.begin(), cut.end(), refinement.node) - cut.begin());
  const UInt128 score = ScoreOf(refinement.attribute, refinement.node);
  CORDON_CHECK_LT(position, (std::size_t{1} << kPositionBits) - 1);
  CORDON_CHECK(score >> (kKeyBits - kPositionBits) == 0);
  return score << kPositionBits | ((std::size_t{1} << kPositionBits) - 1 - position);
}

ToldStep TopDown::Tell(const Refinement& refinement) const {
  const MaskedAttribute& masked = attributes_[refinement.attribute].masked;
  CORDON_CHECK(!masked.foreign());
  ToldStep step{refinement, masked.masking() == Masking::kIntervals ? masked.split(refinement.node) : kNull, {}};
  const std::vector<std::uint32_t> leaves = LeavesInOrder(refinement);
  std::size_t num_rows = 0;
  for (const std::uint32_t leaf : leaves) num_rows += runs_[leaf].size();
  step.child_numbers.resize(num_rows);
  std::uint32_t* next = step.child_numbers.data();
  const bool one_by_one = masked.one_by_one();
  const std::int32_t* const part_of = masked.part_of().data();
  for (const std::uint32_t leaf : leaves) {
    const RowRun& run = runs_[leaf];
    rows_.ForEachCode(run.buffer, run.begin, run.end, refinement.attribute, [&](Code code) {
      *next++ = one_by_one ? code != refinement.node - 1 : static_cast<std::uint32_t>(part_of[code]);
    });
  }
  return step;
}

Result<void> TopDown::CheckStep(const ToldStep& step) const {
  CORDON_RETURN_IF_ERROR(ReachedBy(step));
  return {};
}

// What the requirements of its attribute, in order, reach after the step. V3 to V9 are the checks of the specification.
Result<std::vector<Bound>> TopDown::ReachedBy(const ToldStep& step) const {
  const auto& [refinement, split, numbers] = step;
  if (refinement.attribute >= attributes_.size()) return Error::Protocol("there is no such column");
  const AttributeState& state = attributes_[refinement.attribute];
  const MaskedAttribute& masked = state.masked;
  const std::vector<int> open = masked.Refinements();
  if (std::find(open.begin(), open.end(), refinement.node) == open.end()) {  // V3, V7
    return Error::Protocol("the value to refine is not on the cut, or has nothing below it");
  }
  const bool is_interval = masked.masking() == Masking::kIntervals;
  const CodeRange codes = masked.codes(refinement.node);
  const bool splits = is_interval && masked.foreign() ? codes.lo < split && split <= codes.hi
                                                      : split == (is_interval ? masked.split(refinement.node) : kNull);
  if (!splits) return Error::Protocol("a value is not refined as its tree or its range says");  // V4

  const std::vector<std::uint32_t> leaves = LeavesInOrder(refinement);
  const std::size_t num_parts = masked.num_parts(refinement.node);
  std::size_t num_rows = 0;
  for (const std::uint32_t leaf : leaves) num_rows += runs_[leaf].size();
  if (numbers.size() != num_rows) {  // V5
    return Error::Protocol("{} child numbers are given for {} rows", numbers.size(), num_rows);
  }
  std::vector<std::int64_t> sizes(leaves.size() * num_parts);  // by leaf and part
  std::vector<std::int64_t> part_rows(num_parts);
  std::size_t next = 0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (const std::size_t end = next + runs_[leaves[i]].size(); next < end; ++next) {
      if (numbers[next] >= num_parts) return Error::Protocol("a child number is not below {}", num_parts);  // V6
      ++sizes[i * num_parts + numbers[next]];
      ++part_rows[numbers[next]];
    }
  }
  if (is_interval && std::count(part_rows.begin(), part_rows.end(), 0) > 0) {  // V7
    return Error::Protocol("a half of an interval has no rows");
  }

  // V8: the groups that the step would make, counted from the child numbers alone.
  std::vector<Bound> reached;
  for (const std::size_t number : state.requirements) {
    const auto grouping = static_cast<std::size_t>(
        std::find_if(groupings_.begin(), groupings_.end(),
                     [&](const Grouping& each) {
                       return std::find(each.requirements.begin(), each.requirements.end(), number) != each.requirements.end();
                     }) -
        groupings_.begin());
    std::map<std::pair<std::uint32_t, std::size_t>, std::int64_t> groups;  // by group and part
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      for (std::size_t part = 0; part < num_parts; ++part) {
        if (const std::int64_t rows = sizes[i * num_parts + part]; rows > 0) {
          groups[{groups_[leaves[i] * groupings_.size() + grouping], part}] += rows;
        }
      }
    }
    Bound worst = reached_[number];
    for (const auto& [group_and_part, rows] : groups) {
      const std::optional<Bound> bound = requirement(number).OfSize(rows);
      CORDON_CHECK(bound.has_value());
      if (requirement(number).Worse(*bound, worst)) worst = *bound;
    }
    if (!requirement(number).Holds(worst)) return Error::Protocol("a step breaks {}", requirement(number).Describe());
    reached.push_back(worst);
  }

  // V9: the rows that move have more than one class.
  Code seen = kNull;
  for (const std::uint32_t leaf : leaves) {
    for (std::size_t place = runs_[leaf].begin; place < runs_[leaf].end; ++place) {
      const Code label = plan_.labels.of_row[PackedRows::row(rows_.record(runs_[leaf].buffer, place))];
      if (label == kNull) continue;
      if (seen != kNull && label != seen) return reached;
      seen = label;
    }
  }
  return Error::Protocol("the rows of a step are all of one class");
}

}  // namespace cordon::engine
