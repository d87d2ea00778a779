// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/castle/dynamic_group.h"

#include <algorithm>
#include <limits>

#include "cordon/algorithms/engine/box_loss.h"
#include "cordon/algorithms/engine/departure_buffer.h"
#include "cordon/algorithms/engine/group_requirements.h"
#include "cordon/algorithms/engine/stream_fingerprint.h"
#include "cordon/base/check.h"
#include "cordon/base/hash_map.h"
#include "cordon/data/codes.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kGroupVersion = 2;
constexpr std::string_view kGroupWhat = "the snapshot of dynamic-group";

// Counts people and values of a run of tuples, and says when they are enough.
class Tallied {
 public:
  explicit Tallied(const GroupRequirements& needs) : needs_(&needs), values_(needs.diversity.size()) {}
  void Add(PersonId person, const std::int32_t* values) {
    people_.Increment(person);
    for (std::size_t need = 0; need < values_.size(); ++need) {
      if (values[need] != kNull) values_[need].Increment(static_cast<std::uint64_t>(values[need]));
    }
  }
  std::int64_t people() const { return static_cast<std::int64_t>(people_.size()); }
  bool ShouldStop() const {
    if (people() < needs_->k) return false;
    for (std::size_t need = 0; need < values_.size(); ++need) {
      if (static_cast<std::int64_t>(values_[need].size()) < needs_->diversity[need].l) return false;
    }
    return true;
  }

 private:
  const GroupRequirements* needs_;
  KeyCounts people_;
  std::vector<KeyCounts> values_;
};

}  // namespace

Result<void> DynamicGroupOptions::Validate() const {
  if (delay_tuples < 0 || delay_ms < 0 || (delay_tuples > 0) == (delay_ms > 0)) {
    return Error::InvalidPolicy("dynamic-group needs a delay above 0, in tuples or in time, not both");
  }
  return {};
}

// Positions first_.. wait, in groups that partition them. Only while there is a single group may it have too little.
class DynamicGroupState {
 public:
  DynamicGroupState(StreamSchema schema, GroupRequirements needs, DynamicGroupOptions options, Random random)
      : schema_(std::move(schema)),
        needs_(std::move(needs)),
        options_(options),
        loss_(schema_, BoxLoss::Form::kPaper),
        random_(random),
        stage_(random.Substream("dynamic-group.order")) {}
  DynamicGroupState(const DynamicGroupState&) = delete;

  void Push(const Tuple& tuple, std::vector<Departure>& out);
  void Advance(EventTime now, std::vector<Departure>& out);
  void Flush(std::vector<Departure>& out);
  std::string Save() const;
  Result<void> Restore(const std::string& snapshot);
  StreamGauges gauges() const { return {held(), groups_.size(), 0}; }

  const StreamSchema& schema() const { return schema_; }
  const GroupRequirements& needs() const { return needs_; }
  const DynamicGroupOptions& options() const { return options_; }
  const Random& random() const { return random_; }

 private:
  struct Group {
    std::vector<std::int32_t> tuples;  // in the order they joined
    std::vector<double> sums;          // of the coordinates, by axis, added in that order
    Tallied tallied;
    std::int64_t cut_at = 0;  // people at which a cut is tried next
  };

  std::size_t held() const { return times_.size(); }
  std::size_t num_axes() const { return schema_.quasi.size(); }
  double coordinate(std::int32_t tuple, std::size_t axis) const {
    return points_[static_cast<std::size_t>(tuple) * num_axes() + axis] * loss_.scale(axis);
  }
  void Hold(const Tuple& tuple);
  Group Empty() const { return {{}, std::vector<double>(num_axes()), Tallied(needs_), 2 * needs_.k}; }
  void Join(Group& group, std::int32_t tuple) const;
  Group& Nearest(std::int32_t tuple);
  void Cut(std::size_t at);
  std::size_t LongestAxis(const Group& group) const;
  bool OldestIsDue() const;
  void LetGo();
  std::string Fingerprint() const;
  void Load(ByteReader& reader);

  StreamSchema schema_;
  GroupRequirements needs_;
  DynamicGroupOptions options_;
  BoxLoss loss_;
  Random random_;
  DepartureBuffer stage_;
  Position first_ = 1;  // the oldest that waits; with none, the next to come
  EventTime now_ = std::numeric_limits<EventTime>::min();
  std::int64_t last_group_ = 0;
  std::vector<double> points_;  // tuple x axis
  std::vector<EventTime> times_;
  std::vector<PersonId> people_;
  std::vector<std::int32_t> values_;  // tuple x need
  std::vector<Group> groups_;
};

void DynamicGroupState::Hold(const Tuple& tuple) {
  CORDON_CHECK_EQ(tuple.position, first_ + static_cast<Position>(held()));
  CORDON_CHECK_EQ(tuple.quasi.size(), num_axes());
  for (std::size_t axis = 0; axis < num_axes(); ++axis) points_.push_back(loss_.ToPoint(axis, tuple.quasi[axis]));
  for (const GroupRequirements::Diversity& need : needs_.diversity) values_.push_back(tuple.sensitive[need.sensitive]);
  times_.push_back(tuple.time);
  people_.push_back(tuple.person);
}

void DynamicGroupState::Join(Group& group, std::int32_t tuple) const {
  group.tuples.push_back(tuple);
  for (std::size_t axis = 0; axis < num_axes(); ++axis) group.sums[axis] += coordinate(tuple, axis);
  group.tallied.Add(people_[tuple], values_.data() + static_cast<std::size_t>(tuple) * needs_.diversity.size());
}

DynamicGroupState::Group& DynamicGroupState::Nearest(std::int32_t tuple) {
  Group* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (Group& group : groups_) {
    double distance = 0;
    for (std::size_t axis = 0; axis < num_axes(); ++axis) {
      const double gap = coordinate(tuple, axis) - group.sums[axis] / static_cast<double>(group.tuples.size());
      distance += gap * gap;
    }
    if (nearest != nullptr && distance >= least) continue;
    nearest = &group;
    least = distance;
  }
  return *nearest;
}

std::size_t DynamicGroupState::LongestAxis(const Group& group) const {
  std::size_t longest = 0;
  double most = -1;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    double lo = std::numeric_limits<double>::infinity();
    double hi = -lo;
    for (const std::int32_t tuple : group.tuples) {
      lo = std::min(lo, coordinate(tuple, axis));
      hi = std::max(hi, coordinate(tuple, axis));
    }
    if (hi - lo > most) {
      most = hi - lo;
      longest = axis;
    }
  }
  return longest;
}

// Halves the group as near the middle as both halves have enough; if no place will do, it is tried again when the group
// has twice the people.
void DynamicGroupState::Cut(std::size_t at) {
  std::vector<std::int32_t> sorted = groups_[at].tuples;
  if (num_axes() > 0) {
    const std::size_t axis = LongestAxis(groups_[at]);
    std::sort(sorted.begin(), sorted.end(), [&](std::int32_t a, std::int32_t b) {
      const double of_a = coordinate(a, axis);
      const double of_b = coordinate(b, axis);
      return of_a != of_b ? of_a < of_b : a < b;
    });
  }
  // From which place on the left has enough, and up to which the right: both are monotone.
  const auto enough_after = [&](const auto& begin, const auto& end) {
    Tallied tallied(needs_);
    std::size_t taken = 0;
    for (auto it = begin; it != end && !tallied.ShouldStop(); ++it, ++taken) {
      tallied.Add(people_[*it], values_.data() + static_cast<std::size_t>(*it) * needs_.diversity.size());
    }
    return tallied.ShouldStop() ? taken : sorted.size() + 1;
  };
  const std::size_t least = enough_after(sorted.begin(), sorted.end());
  const std::size_t right = enough_after(sorted.rbegin(), sorted.rend());
  if (least + right > sorted.size()) {
    groups_[at].cut_at = 2 * groups_[at].tallied.people();
    return;
  }
  const std::size_t place = std::clamp(sorted.size() / 2, least, sorted.size() - right);
  Group left = Empty();
  Group rest = Empty();
  for (std::size_t i = 0; i < sorted.size(); ++i) Join(i < place ? left : rest, sorted[i]);
  groups_[at] = std::move(left);
  groups_.push_back(std::move(rest));
}

void DynamicGroupState::Push(const Tuple& tuple, std::vector<Departure>& out) {
  Hold(tuple);
  now_ = std::max(now_, tuple.time);
  const auto number = static_cast<std::int32_t>(held() - 1);
  if (groups_.empty()) groups_.push_back(Empty());
  Group& group = groups_.size() == 1 ? groups_[0] : Nearest(number);
  Join(group, number);
  if (group.tallied.people() >= group.cut_at) Cut(static_cast<std::size_t>(&group - groups_.data()));
  if (OldestIsDue()) LetGo();
  stage_.Release(out);
}

void DynamicGroupState::Advance(EventTime now, std::vector<Departure>& out) {
  now_ = std::max(now_, now);
  if (options_.delay_ms > 0 && OldestIsDue()) LetGo();
  stage_.Release(out);
}

void DynamicGroupState::Flush(std::vector<Departure>& out) {
  LetGo();
  stage_.Release(out);
}

bool DynamicGroupState::OldestIsDue() const {
  if (held() == 0) return false;
  if (options_.delay_ms == 0) return static_cast<std::int64_t>(held()) > options_.delay_tuples;
  return static_cast<std::uint64_t>(now_) - static_cast<std::uint64_t>(times_[0]) >=
         static_cast<std::uint64_t>(options_.delay_ms);
}

void DynamicGroupState::LetGo() {
  for (const Group& group : groups_) {
    std::vector<Position> positions;
    for (const std::int32_t tuple : group.tuples) positions.push_back(first_ + tuple);
    if (!group.tallied.ShouldStop()) {
      stage_.Add({Departure::Kind::kSuppressed, 0, {}, std::move(positions), false});
      continue;
    }
    const auto point = [&](std::int32_t tuple) { return points_.data() + static_cast<std::size_t>(tuple) * num_axes(); };
    LossBox box = loss_.Of(point(group.tuples[0]));
    for (const std::int32_t tuple : group.tuples) loss_.Extend(box, point(tuple));
    stage_.Add({Departure::Kind::kGroup, ++last_group_, loss_.Publish(box), std::move(positions), false});
  }
  first_ += static_cast<Position>(held());
  points_.clear();
  times_.clear();
  people_.clear();
  values_.clear();
  groups_.clear();
}

std::string DynamicGroupState::Fingerprint() const {
  ByteWriter writer;
  FingerprintAxes(schema_, writer);
  FingerprintNeeds(schema_, needs_, writer);
  writer.Whole(options_.delay_tuples);
  writer.Whole(options_.delay_ms);
  return std::move(writer).Take();
}

std::string DynamicGroupState::Save() const {
  ByteWriter writer;
  writer.Count(kGroupVersion);
  writer.Text(Fingerprint());
  stage_.Save(writer);
  writer.Whole(now_);
  writer.Whole(last_group_);
  writer.Whole(first_);
  writer.Count(held());
  for (std::size_t i = 0; i < held(); ++i) {
    writer.Whole(times_[i]);
    writer.Word(people_[i]);
    for (std::size_t axis = 0; axis < num_axes(); ++axis) {
      writer.Count(static_cast<std::uint64_t>(points_[i * num_axes() + axis]));
    }
    for (std::size_t need = 0; need < needs_.diversity.size(); ++need)
      writer.Whole(values_[i * needs_.diversity.size() + need]);
  }
  writer.Count(groups_.size());
  for (const Group& group : groups_) {
    writer.Whole(group.cut_at);
    writer.Count(group.tuples.size());
    for (const std::int32_t tuple : group.tuples) writer.Whole(tuple);
  }
  return std::move(writer).Take();
}

void DynamicGroupState::Load(ByteReader& reader) {
  stage_.Restore(reader, num_axes());
  now_ = reader.Whole();
  last_group_ = reader.Whole(0, INT64_MAX - 1);
  first_ = reader.Whole(1, INT64_MAX / 2);
  std::vector<std::int64_t> quasi(num_axes());
  std::vector<std::int32_t> sensitive(schema_.sensitive.size(), kNull);
  const std::size_t count = reader.Length();
  for (std::size_t i = 0; i < count && reader.ok(); ++i) {
    const EventTime time = reader.Whole(INT64_MIN, now_);
    const PersonId person = reader.Word();
    for (std::size_t axis = 0; axis < num_axes(); ++axis) {
      const std::uint64_t offset = reader.Count();
      const StreamAxis& its = schema_.quasi[axis];
      if (offset > static_cast<std::uint64_t>(its.hi) - static_cast<std::uint64_t>(its.lo)) reader.Fail();
      quasi[axis] = its.lo + static_cast<std::int64_t>(reader.ok() ? offset : 0);
    }
    for (const GroupRequirements::Diversity& need : needs_.diversity) {
      sensitive[need.sensitive] = static_cast<std::int32_t>(reader.Whole(kNull, INT32_MAX));
    }
    if (reader.ok()) Hold({first_ + static_cast<Position>(i), time, person, quasi, sensitive});
  }
  std::vector<bool> in_group(held());
  std::size_t grouped = 0;
  for (std::size_t left = reader.Length(); left > 0 && reader.ok(); --left) {
    Group group = Empty();
    group.cut_at = reader.Whole(2 * needs_.k, INT64_MAX / 4);
    for (std::size_t size = reader.Length(); size > 0 && reader.ok(); --size) {
      const auto tuple = static_cast<std::int32_t>(reader.Whole(0, static_cast<std::int64_t>(held()) - 1));
      if (!reader.ok() || in_group[tuple]) return reader.Fail();
      in_group[tuple] = true;
      ++grouped;
      Join(group, tuple);
    }
    if (group.tuples.empty()) return reader.Fail();
    groups_.push_back(std::move(group));
  }
  if (grouped != held()) reader.Fail();
}

Result<void> DynamicGroupState::Restore(const std::string& snapshot) {
  ByteReader reader(snapshot);
  CORDON_RETURN_IF_ERROR(CheckSnapshotHead(reader, kGroupVersion, Fingerprint(), kGroupWhat));
  Load(reader);
  return reader.Finish(kGroupWhat);
}

Result<DynamicGroup> DynamicGroup::Make(StreamSchema schema, std::span<const ModelSpec> models, DynamicGroupOptions options,
                                        Random random) {
  CORDON_RETURN_IF_ERROR(options.Validate());
  CORDON_RETURN_IF_ERROR(BoxLoss::Check(schema));
  for (const StreamAxis& axis : schema.quasi) {
    if (axis.hierarchy != nullptr) {
      return Error::InvalidPolicy("dynamic-group takes numbers and dates only; '{}' is categorical", axis.name)
          .WithHint("use castle");
    }
  }
  CORDON_TRY(GroupRequirements needs, GroupRequirements::From(models, schema, "dynamic-group"));
  return DynamicGroup(std::make_unique<DynamicGroupState>(std::move(schema), std::move(needs), options, random));
}

DynamicGroup::DynamicGroup(std::unique_ptr<DynamicGroupState> state) : state_(std::move(state)) {}
DynamicGroup::DynamicGroup(DynamicGroup&&) noexcept = default;
DynamicGroup& DynamicGroup::operator=(DynamicGroup&&) noexcept = default;
DynamicGroup::~DynamicGroup() = default;

void DynamicGroup::Push(const Tuple& tuple, std::vector<Departure>& out) { state_->Push(tuple, out); }
void DynamicGroup::Advance(EventTime now, std::vector<Departure>& out) { state_->Advance(now, out); }
void DynamicGroup::Flush(std::vector<Departure>& out) { state_->Flush(out); }
StreamGauges DynamicGroup::gauges() const { return state_->gauges(); }
std::string DynamicGroup::Save() const { return state_->Save(); }

// Into a fresh state, so that a damaged snapshot leaves this one as it was.
Result<void> DynamicGroup::Restore(const std::string& snapshot) {
  auto fresh = std::make_unique<DynamicGroupState>(state_->schema(), state_->needs(), state_->options(), state_->random());
  CORDON_RETURN_IF_ERROR(fresh->Restore(snapshot));
  state_ = std::move(fresh);
  return {};
}

}  // namespace cordon::engine
