// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/stream_verifier.h"

#include <algorithm>
#include <limits>

#include "cordon/models/verify/stream_judge_internal.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kSnapshotVersion = 2;
constexpr EventTime kBeforeAll = std::numeric_limits<EventTime>::min();

template <typename... Args>
Error Refused(fmt::format_string<Args...> text, Args&&... args) {
  return Error::Unsatisfiable(text, std::forward<Args>(args)...).WithContext("the stream's verifier refuses a departure");
}

// Whether lo..hi are the leaves of one node: climbs from the first leaf until the last is covered.
bool IsNode(const Hierarchy& hierarchy, const AxisRange& range) {
  NodeId node = hierarchy.leaf_node(static_cast<Code>(range.lo));
  while (hierarchy.last_leaf(node) < range.hi) node = hierarchy.parent(node);
  return hierarchy.first_leaf(node) == range.lo && hierarchy.last_leaf(node) == range.hi;
}

}  // namespace

Result<void> StreamVerifierOptions::Validate() const {
  const bool bounded = (delay_tuples > 0) != (delay_ms > 0) || (delay_tuples == 0 && delay_ms == 0 && most_held > 0);
  if (delay_tuples < 0 || delay_ms < 0 || most_held < 0 || !bounded) {
    return Error::InvalidPolicy("a stream needs a delay above 0, in tuples or in time, not both");
  }
  return {};
}

StreamVerifier::StreamVerifier(StreamSchema schema, StreamVerifierOptions options, WindowVerifier windows)
    : schema_(std::move(schema)),
      options_(options),
      tuples_(schema_.quasi.size(), schema_.sensitive.size()),
      windows_(std::move(windows)),
      now_(kBeforeAll) {}
StreamVerifier::StreamVerifier(StreamVerifier&&) noexcept = default;
StreamVerifier& StreamVerifier::operator=(StreamVerifier&&) noexcept = default;
StreamVerifier::~StreamVerifier() = default;

Result<StreamVerifier> StreamVerifier::Make(StreamSchema schema, const std::vector<ModelSpec>& specs,
                                            StreamVerifierOptions options) {
  CORDON_RETURN_IF_ERROR(options.Validate());
  if (specs.empty()) return Error::InvalidPolicy("a stream needs a privacy model");
  std::int64_t window = 0;
  for (const ModelSpec& spec : specs) window = std::max(window, WindowOf(spec).value_or(0));
  if (window > 0 && options.delay_tuples == 0) {
    return Error::InvalidPolicy("window models need a delay in tuples, not in time");
  }
  // A group may claim the window it was made in, as long as its members may wait.
  const WindowVerifier::Options window_options{window + options.delay_tuples + 1, options.short_window, false};
  CORDON_TRY(WindowVerifier windows, WindowVerifier::Make(schema, specs, window_options));
  StreamVerifier verifier(std::move(schema), options, std::move(windows));
  for (const ModelSpec& spec : specs) {
    if (WindowOf(spec)) continue;
    CORDON_TRY(std::unique_ptr<const StreamJudge> judge, MakeStreamJudge(spec, verifier.schema_));
    verifier.judges_.push_back(std::move(judge));
  }
  return verifier;
}

Result<void> StreamVerifier::Arrive(const Tuple& tuple) {
  const auto broken = [&](std::string_view what) {
    return Error::InvalidData("position {} of the stream {}", tuple.position, what);
  };
  if (tuple.position != tuples_.last() + 1) return broken("is out of turn");
  if (options_.delay_ms > 0 && tuple.time < now_) return broken("goes back in time");
  if (tuple.quasi.size() != schema_.quasi.size() || tuple.sensitive.size() != schema_.sensitive.size()) {
    return broken("lacks cells");
  }
  for (std::size_t i = 0; i < tuple.quasi.size(); ++i) {
    if (tuple.quasi[i] < schema_.quasi[i].lo || tuple.quasi[i] > schema_.quasi[i].hi) return broken("leaves its domain");
  }
  if (const char* what = windows_.Arrive(tuple.sensitive)) return broken(what);
  now_ = std::max(now_, tuple.time);
  tuples_.Add(tuple);
  return {};
}

Result<void> StreamVerifier::Advance(EventTime now) {
  if (now < now_) return Error::InvalidData("the stream's clock goes back");
  now_ = now;
  return {};
}

Result<std::vector<WindowContents::Row>> StreamVerifier::Members(const Departure& departure) const {
  if (departure.positions.empty()) return Refused("it is empty");
  std::vector<Position> sorted = departure.positions;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return Refused("a position occurs twice");
  constexpr std::size_t kAhead = 8;  // tuples to have fetched from memory before they are looked at
  const std::size_t size = departure.positions.size();
  std::vector<WindowContents::Row> members;
  members.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    const Position position = departure.positions[i];
    if (i + kAhead < size) tuples_.Fetch(departure.positions[i + kAhead]);
    if (!tuples_.Holds(position)) return Refused("position {} has left before or never came", position);
    members.push_back(tuples_.Get(position));
  }
  return members;
}

Result<void> StreamVerifier::CheckBox(const Box& box) const {
  if (box.size() != schema_.quasi.size()) return Refused("its box has {} sides of {}", box.size(), schema_.quasi.size());
  for (std::size_t i = 0; i < box.size(); ++i) {
    const StreamAxis& axis = schema_.quasi[i];
    if (box[i].lo < axis.lo || box[i].hi > axis.hi || box[i].lo > box[i].hi) {
      return Refused("its box leaves the domain of '{}'", axis.name);
    }
    if (axis.hierarchy != nullptr && !IsNode(*axis.hierarchy, box[i])) {
      return Refused("its box is not a node of the hierarchy of '{}'", axis.name);
    }
  }
  return {};
}

Result<void> StreamVerifier::CheckCovered(const Departure& departure, const std::vector<WindowContents::Row>& members) const {
  for (const WindowContents::Row& member : members) {
    if (member.aside && HasDelay()) return Refused("position {} is late", member.position);
    for (std::size_t i = 0; i < departure.box.size(); ++i) {
      if (member.quasi[i] < departure.box[i].lo || member.quasi[i] > departure.box[i].hi) {
        return Refused("position {} is outside its box in '{}'", member.position, schema_.quasi[i].name);
      }
    }
  }
  return {};
}

Result<void> StreamVerifier::CheckModels(const Departure& departure, const std::vector<WindowContents::Row>& members) const {
  for (const auto& judge : judges_) {
    if (!judge->Holds(members)) {
      return Refused("{} does not hold for its {} rows, the first at position {}", judge->text(), members.size(),
                     *std::min_element(departure.positions.begin(), departure.positions.end()));
    }
  }
  return {};
}

Result<void> StreamVerifier::CheckWindow(const Departure& departure, const std::vector<WindowContents::Row>& members) {
  if (windows_.empty()) return {};
  std::vector<WindowVerifier::Codes> sensitive;
  sensitive.reserve(members.size());
  for (const WindowContents::Row& member : members) sensitive.push_back(member.sensitive);
  const WindowVerifier::Judgement judgement = windows_.Judge(departure.window, departure.positions, sensitive);
  if (judgement.answer != WindowVerifier::Answer::kHolds) return Refused("{}", judgement.what);
  return {};
}

Result<void> StreamVerifier::CheckGroup(const Departure& departure, const std::vector<WindowContents::Row>& members) {
  if (departure.group <= newest_before_step_) return Refused("its group number {} was given before", departure.group);
  CORDON_RETURN_IF_ERROR(CheckBox(departure.box));
  CORDON_RETURN_IF_ERROR(CheckCovered(departure, members));
  CORDON_RETURN_IF_ERROR(CheckWindow(departure, members));
  return CheckModels(departure, members);
}

Result<void> StreamVerifier::CheckReuse(const Departure& departure, const std::vector<WindowContents::Row>& members) const {
  if (!windows_.empty()) return Refused("a window model allows no tuple to join a group later");
  const auto group = groups_.find(departure.group);
  if (group == groups_.end()) return Refused("group {} may not be joined", departure.group);
  if (group->second != departure.box) return Refused("its box is not that of group {}", departure.group);
  return CheckCovered(departure, members);
}

Result<void> StreamVerifier::CheckPooled(const Departure& departure, const std::vector<WindowContents::Row>& members) const {
  if (!options_.pool) return Refused("this stream has no pool");
  if (!windows_.empty()) return Refused("a window model allows no pool");
  if (departure.box.size() != schema_.quasi.size()) return Refused("a pool leaves at the widest box");
  for (std::size_t i = 0; i < departure.box.size(); ++i) {
    if (departure.box[i] != AxisRange{schema_.quasi[i].lo, schema_.quasi[i].hi}) {
      return Refused("a pool leaves at the widest box");
    }
  }
  return CheckModels(departure, members);
}

Result<void> StreamVerifier::Check(const Departure& departure, const std::vector<WindowContents::Row>& members) {
  switch (departure.kind) {
    case Departure::Kind::kGroup: return CheckGroup(departure, members);
    case Departure::Kind::kReuse: return CheckReuse(departure, members);
    case Departure::Kind::kPooled: return CheckPooled(departure, members);
    case Departure::Kind::kSuppressed:
      if (!departure.box.empty()) return Refused("suppressed tuples have no box");
      return {};
  }
  return Refused("it is of no known kind");
}

Result<VerifiedDeparture> StreamVerifier::Accept(Departure departure) {
  CORDON_TRY(const std::vector<WindowContents::Row> members, Members(departure));
  CORDON_RETURN_IF_ERROR(Check(departure, members));
  for (const Position position : departure.positions) tuples_.Remove(position);
  if (departure.kind == Departure::Kind::kGroup) {
    newest_group_ = std::max(newest_group_, departure.group);
    if (departure.reusable && options_.reuse_cap > 0) groups_[departure.group] = departure.box;
  }
  return VerifiedDeparture(std::move(departure));
}

bool StreamVerifier::IsOverdue(const WindowContents::Row& row) const {
  if (options_.delay_tuples > 0) return tuples_.last() - row.position >= options_.delay_tuples;
  // Both differences fit: now_ is at least the time of every tuple that came.
  return static_cast<std::uint64_t>(now_) - static_cast<std::uint64_t>(row.time) >=
         static_cast<std::uint64_t>(options_.delay_ms);
}

// Without a delay a few tuples may wait for long: set aside, they do not stretch the ring of the others.
Result<void> StreamVerifier::CheckHeld() {
  const auto held = static_cast<std::int64_t>(tuples_.size());
  if (options_.most_held > 0 && held > options_.most_held) {
    return Refused("{} tuples wait, {} may", held, options_.most_held);
  }
  constexpr Position kShortRing = 1024;
  while (!HasDelay() && tuples_.last() - tuples_.first() >= kShortRing + 4 * held) tuples_.SetAside(tuples_.first());
  return {};
}

Result<void> StreamVerifier::EndStep() {
  CORDON_RETURN_IF_ERROR(CheckHeld());
  while (HasDelay() && tuples_.first() <= tuples_.last() && IsOverdue(tuples_.Get(tuples_.first()))) {
    if (!options_.pool) return Refused("position {} is overdue and still held", tuples_.first());
    tuples_.SetAside(tuples_.first());
  }
  // Later groups have later numbers, so these are the groups that the engine has forgotten by now.
  while (groups_.size() > options_.reuse_cap) groups_.erase(groups_.begin());
  newest_before_step_ = newest_group_;
  return {};
}

Result<void> StreamVerifier::Finish() {
  if (tuples_.size() > 0) return Refused("the stream has ended and {} tuples are still held", tuples_.size());
  return {};
}

std::string StreamVerifier::Fingerprint() const {
  ByteWriter writer;
  for (const StreamAxis& axis : schema_.quasi) {
    writer.Text(axis.name);
    writer.Whole(axis.lo);
    writer.Whole(axis.hi);
    writer.Text(axis.hierarchy != nullptr ? axis.hierarchy->Digest() : "");
  }
  for (const StreamSensitive& sensitive : schema_.sensitive) writer.Text(sensitive.name);
  for (const auto& judge : judges_) writer.Text(judge->text());
  writer.Whole(options_.delay_tuples);
  writer.Whole(options_.delay_ms);
  writer.Whole(options_.most_held);
  writer.Flag(options_.pool);
  writer.Count(options_.reuse_cap);
  writer.Text(windows_.Fingerprint());
  return std::move(writer).Take();
}

std::string StreamVerifier::Save() const {
  ByteWriter writer;
  writer.Count(kSnapshotVersion);
  writer.Text(Fingerprint());
  writer.Whole(now_);
  writer.Whole(newest_group_);
  writer.Whole(newest_before_step_);
  tuples_.Save(writer);
  windows_.Save(writer);
  writer.Count(groups_.size());
  for (const auto& [group, box] : groups_) {
    writer.Whole(group);
    for (const AxisRange& range : box) {
      writer.Whole(range.lo);
      writer.Whole(range.hi);
    }
  }
  return std::move(writer).Take();
}

Result<void> StreamVerifier::Restore(const std::string& snapshot) {
  constexpr std::string_view kWhat = "the snapshot of the stream's verifier";
  ByteReader reader(snapshot);
  if (const std::uint64_t version = reader.Count(); reader.ok() && version != kSnapshotVersion) {
    return Error::InvalidData("{} has version {}, this program reads {}", kWhat, version, kSnapshotVersion);
  }
  if (reader.Text() != Fingerprint() && reader.ok()) {
    return Error::InvalidData("{} was made under another policy", kWhat);
  }
  const EventTime now = reader.Whole();
  const std::int64_t newest = reader.Whole();
  const std::int64_t newest_before = reader.Whole();
  WindowContents tuples(schema_.quasi.size(), schema_.sensitive.size());
  tuples.Restore(reader);
  windows_.Restore(reader);
  std::map<std::int64_t, Box> groups;
  for (std::size_t left = reader.Length(); left > 0 && reader.ok(); --left) {
    const std::int64_t group = reader.Whole();
    Box box(schema_.quasi.size());
    for (AxisRange& range : box) range = {reader.Whole(), reader.Whole()};
    if (!reader.ok() || !CheckBox(box).ok() || group > newest || !groups.emplace(group, std::move(box)).second) reader.Fail();
  }
  CORDON_RETURN_IF_ERROR(reader.Finish(kWhat));
  now_ = now;
  newest_group_ = newest;
  newest_before_step_ = newest_before;
  tuples_ = std::move(tuples);
  groups_ = std::move(groups);
  return {};
}

}  // namespace cordon::engine
