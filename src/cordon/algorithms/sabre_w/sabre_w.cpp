// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/sabre_w/sabre_w.h"

#include <algorithm>

#include "cordon/algorithms/sabre_w/sabre_w_internal.h"
#include "cordon/base/check.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

Result<void> CheckOptions(const SabreWOptions& options, std::int64_t window) {
  if (options.step < 1 || options.step > window) {
    return Error::InvalidPolicy("sabre-w: step is {}, it must be from 1 to the window of {}", options.step, window)
        .WithHint("a quarter of the window is usual: step = {}", std::max<std::int64_t>(1, window / 4));
  }
  if (window % options.step != 0) {
    return Error::InvalidPolicy("sabre-w: the window of {} is not a multiple of step = {}", window, options.step)
        .WithHint("what a window loses must lie in earlier windows as a whole; window = {} would do",
                  window / options.step * options.step);
  }
  if (options.rho < Rational(0) || options.rho > Rational(1)) {
    return Error::InvalidPolicy("sabre-w: rho is {}, it must be from 0 to 1", options.rho.ToShortString());
  }
  if (!(options.sweeps >= 0 && options.sweeps <= 1000)) {
    return Error::InvalidPolicy("sabre-w: sweeps is {}, it must be from 0 to 1000", options.sweeps);
  }
  return {};
}

}  // namespace

SabreWState::SabreWState(StreamSchema schema, WindowModels models, SabreWOptions options, const Random& random,
                         std::shared_ptr<const WindowPartition> partition)
    : schema_(std::move(schema)),
      models_(std::move(models)),
      options_(options),
      ring_(schema_, models_, models_.window() + options_.step),
      stage_(random.Substream("sabre-w.order")),
      choices_(random.Substream("sabre-w.choices")),
      partition_(std::move(partition)),
      counts_(models_.NoCounts()),
      open_(models_.NoCounts()) {}

std::unique_ptr<SabreWState> SabreWState::Fresh() const {
  return std::make_unique<SabreWState>(schema_, models_, options_, choices_, partition_);
}

// ---- arrival

void SabreWState::Push(const Tuple& tuple, std::vector<Departure>& out) {
  ring_.Add(tuple);
  ++held_;
  if (tuple.position <= window_end()) {
    ring_.Count(tuple.position, 1, counts_);
    ring_.Count(tuple.position, 1, open_);
  }
  if (tuple.position < window_end() + options_.step) return;
  Step();
  Slide();
  stage_.Release(out);
}

std::vector<Position> SabreWState::Open(Position first, Position last) const {
  std::vector<Position> open;
  for (Position position = first; position <= last; ++position) {
    if (!ring_.Gone(position)) open.push_back(position);
  }
  return open;
}

bool SabreWState::ArePending(std::span<const Position> positions) const {
  if (pending_.empty()) return false;
  // What of the window in which they were made has not left is in these groups: no look at each is needed.
  return positions.back() <= made_in_.last;
}

std::vector<StreamWarning> SabreWState::warnings() const {
  std::vector<std::string> columns;
  for (const std::size_t column : models_.window_columns()) columns.push_back(models_.attributes()[column].name);
  std::vector<StreamWarning> warnings;
  warnings.push_back(
      {"window-is-the-prior", columns,
       "groups look like their window, not like the whole stream: choose a window that is large against bursts"});
  warnings.push_back({"groups-of-windows", columns,
                      "rows of different groups may show the same cells; keep the column group: their union need not look like "
                      "any window"});
  if (!options_.lazy) {
    warnings.push_back(
        {"release-times", {}, "many groups at once tell that the window had changed; lazy = true hides most of it"});
  }
  if (cases_.homogeneous > 0) {
    warnings.push_back(
        {"homogeneous-windows", columns,
         fmt::format("{} windows had a single value, which every group of theirs tells: add l-diversity", cases_.homogeneous)});
  }
  if (ring_.last() > 0 && ring_.last() < window()) {
    warnings.push_back(
        {"short-stream", columns,
         fmt::format("{} tuples do not fill a window of {}{}", ring_.last(), window(),
                     options_.short_stream == SabreWOptions::Short::kStatic ? ": groups were compared with all of them"
                                                                            : ": nothing was published")});
  }
  return warnings;
}

void SabreWState::Step() {
  if (models_.IsHomogeneous(counts_)) ++cases_.homogeneous;
  const Position due_end = base_ + options_.step - 1;
  std::vector<Position> due = Open(base_, due_end);
  if (due.empty()) {
    ++cases_.nothing_due;
    return;
  }
  const std::vector<Position> open = Open(base_, window_end());
  const bool direct = models_.Fit(open_, counts_) && ring_.HasPeople(open, models_.k());
  const bool indirect = ArePending(due);
  if (direct && !(indirect && models_.Strays(open_, counts_, options_.rho))) {
    ++cases_.direct;
    MakePending(open);
    LeaveWith(base_, due_end);
  } else if (indirect) {
    ++cases_.indirect;
    LeaveWith(base_, options_.lazy ? due_end : window_end());
  } else {
    // Nothing of this window has left, so it is close to itself: it is people or different values that it lacks.
    ++cases_.suppressed;
    Suppress(std::move(due));
  }
}

void SabreWState::Slide() {
  for (Position position = base_; position < base_ + options_.step; ++position) ring_.Count(position, -1, counts_);
  base_ += options_.step;
  for (Position position = window_end() - options_.step + 1; position <= window_end(); ++position) {
    ring_.Count(position, 1, counts_);
    ring_.Count(position, 1, open_);
  }
}

// ---- groups

std::vector<AxisRange> SabreWState::ShownBox(const Groups& groups, std::size_t group) const {
  std::vector<AxisRange> box;
  for (std::size_t axis = 0; axis < schema_.quasi.size(); ++axis) {
    const StreamAxis& declared = schema_.quasi[axis];
    const Meaning& meaning = groups.shown[group * schema_.quasi.size() + axis];
    AxisRange range{declared.lo, declared.hi};
    if (meaning.kind == Meaning::Kind::kInterval) {
      range = {std::max(declared.lo, meaning.lo), std::min(declared.hi, meaning.open_above ? meaning.hi - 1 : meaning.hi)};
    } else if (meaning.kind == Meaning::Kind::kNode) {
      range = {declared.hierarchy->first_leaf(meaning.node), declared.hierarchy->last_leaf(meaning.node)};
    }
    box.push_back(range);
  }
  return box;
}

std::vector<AxisRange> SabreWState::CodedBox(const Microdata& table, const Groups& groups, std::size_t group) const {
  std::vector<AxisRange> box;
  box.reserve(schema_.quasi.size());
  for (std::size_t axis = 0; axis < schema_.quasi.size(); ++axis) {
    const CodeRange& codes = groups.boxes[group * schema_.quasi.size() + axis];
    if (const Hierarchy* tree = schema_.quasi[axis].hierarchy.get()) {
      const NodeId node = tree->Lca(codes.lo, codes.hi);
      box.push_back({tree->first_leaf(node), tree->last_leaf(node)});
    } else {
      const Domain& domain = *table.columns[axis].attribute.domain;
      box.push_back({domain.value(codes.lo), domain.value(codes.hi)});
    }
  }
  return box;
}

std::vector<SabreWState::Pending> SabreWState::Divide(std::span<const Position> open, const ValueCounts& window) const {
  const Microdata table = ring_.TableOf(open);
  const Reference reference = models_.ReferenceOf(window);
  const Result<AllOf> model = AllOf::Make(models_.specs(), reference);
  CORDON_CHECK(model.ok());  // WindowModels has tried them
  const CountedColumns counted(table, table.ColumnsOf(Role::kSensitive), model.value().uses_persons());
  const WindowTask task{table, open, models_.specs(), reference, model.value(), counted};
  Random random = choices_.Substream("window", static_cast<std::uint64_t>(ring_.last()));
  const Groups groups = partition_->Divide(task, random);
  std::vector<Pending> made;
  made.reserve(groups.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    Pending pending;
    pending.positions.reserve(groups[group].size());
    for (const RowId row : groups[group]) pending.positions.push_back(open[row]);
    pending.box = !groups.shown.empty()   ? ShownBox(groups, group)
                  : !groups.boxes.empty() ? CodedBox(table, groups, group)
                                          : ring_.BoxOf(pending.positions);
    made.push_back(std::move(pending));
  }
  return made;
}

void SabreWState::MakePending(std::span<const Position> open) {
  pending_ = Divide(open, counts_);
  made_in_ = {base_, window_end()};
}

void SabreWState::LeaveWith(Position first, Position last) {
  std::vector<Pending> left;
  for (Pending& group : pending_) {
    const bool leaves = std::any_of(group.positions.begin(), group.positions.end(),
                                    [&](Position position) { return position >= first && position <= last; });
    if (leaves) {
      Emit(std::move(group), made_in_);
    } else {
      left.push_back(std::move(group));
    }
  }
  pending_ = std::move(left);
}

void SabreWState::Gone(Position position) {
  ring_.Leave(position);
  --held_;
  if (position <= window_end()) ring_.Count(position, -1, open_);
}

void SabreWState::Emit(Pending group, const PositionRange& made_in) {
  for (const Position position : group.positions) Gone(position);
  Departure departure;
  departure.kind = Departure::Kind::kGroup;
  departure.group = ++last_group_;
  departure.box = std::move(group.box);
  departure.positions = std::move(group.positions);
  departure.window = made_in;
  stage_.Add(std::move(departure));
}

void SabreWState::Suppress(std::vector<Position> positions) {
  if (positions.empty()) return;
  for (const Position position : positions) Gone(position);
  Departure departure;
  departure.kind = Departure::Kind::kSuppressed;
  departure.positions = std::move(positions);
  stage_.Add(std::move(departure));
}

// ---- the end of the stream

void SabreWState::Flush(std::vector<Departure>& out) {
  const Position last = ring_.last();
  if (last > 0 && last < window()) {
    FlushShort();
  } else if (last > 0) {
    if (last > window_end()) Step();
    // The last window is one of `window` tuples too, if not one that the steps would come to. All that is left is in it: what
    // came before has left with the steps.
    const PositionRange end{last - window() + 1, last};
    ValueCounts counts = models_.NoCounts();
    for (Position position = end.first; position <= end.last; ++position) ring_.Count(position, 1, counts);
    FlushRest(end, counts);
  }
  pending_.clear();
  stage_.Release(out);
}

void SabreWState::FlushShort() {
  const PositionRange all{1, ring_.last()};
  if (options_.short_stream == SabreWOptions::Short::kStatic && EmitDivided(all, counts_)) return;
  Suppress(Open(all.first, all.last));
}

// Whether what is left could be divided in this window; then it has left.
bool SabreWState::EmitDivided(const PositionRange& window, const ValueCounts& counts) {
  const std::vector<Position> open = Open(window.first, window.last);
  ValueCounts inside = models_.NoCounts();
  for (const Position position : open) ring_.Count(position, 1, inside);
  if (!models_.Fit(inside, counts) || !ring_.HasPeople(open, models_.k())) return false;
  if (models_.IsHomogeneous(counts)) ++cases_.homogeneous;
  for (Pending& group : Divide(open, counts)) Emit(std::move(group), window);
  return true;
}

// If what is left cannot be divided, what an earlier window made leaves first; of the rest single tuples are given up,
// those that spoil the mix most, until it can be divided or there are too few people.
void SabreWState::FlushRest(const PositionRange& end, const ValueCounts& window) {
  std::vector<Position> left = Open(end.first, end.last);
  if (left.empty() || EmitDivided(end, window)) return;
  LeaveWith(end.first, end.last);
  left = Open(end.first, end.last);
  ValueCounts inside = models_.NoCounts();
  for (const Position position : left) ring_.Count(position, 1, inside);
  std::vector<Position> given_up;
  while (!left.empty() && !models_.Fit(inside, window) && ring_.HasPeople(left, models_.k())) {
    const auto worst = models_.WorstValue(inside, window);
    if (!worst) break;
    const auto oldest = std::find_if(left.begin(), left.end(),
                                     [&](Position position) { return ring_.values(position)[worst->column] == worst->code; });
    ring_.Count(*oldest, -1, inside);
    given_up.push_back(*oldest);
    left.erase(oldest);
  }
  Suppress(std::move(given_up));
  if (!left.empty() && !EmitDivided(end, window)) Suppress(std::move(left));
}

// ---- the engine

SabreW::SabreW(std::unique_ptr<SabreWState> state) : state_(std::move(state)) {}
SabreW::SabreW(SabreW&&) noexcept = default;
SabreW& SabreW::operator=(SabreW&&) noexcept = default;
SabreW::~SabreW() = default;

Result<SabreW> SabreW::Make(StreamSchema schema, std::span<const ModelSpec> models, SabreWOptions options, Random random) {
  return Make(std::move(schema), models, options, std::move(random),
              MakeWindowPartition(options.partition, options.sweeps, options.mondrian_dims));
}

Result<SabreW> SabreW::Make(StreamSchema schema, std::span<const ModelSpec> models, SabreWOptions options, Random random,
                            std::shared_ptr<const WindowPartition> partition) {
  CORDON_TRY(WindowModels made, WindowModels::Make(schema, models));
  CORDON_RETURN_IF_ERROR(CheckOptions(options, made.window()));
  return SabreW(std::make_unique<SabreWState>(std::move(schema), std::move(made), options, random, std::move(partition)));
}

void SabreW::Push(const Tuple& tuple, std::vector<Departure>& out) { state_->Push(tuple, out); }
void SabreW::Advance(EventTime, std::vector<Departure>&) {}
void SabreW::Flush(std::vector<Departure>& out) { state_->Flush(out); }
StreamGauges SabreW::gauges() const { return state_->gauges(); }
std::string SabreW::Save() const { return state_->Save(); }

Result<void> SabreW::Restore(const std::string& snapshot) {
  auto fresh = state_->Fresh();
  CORDON_RETURN_IF_ERROR(fresh->Restore(snapshot));
  state_ = std::move(fresh);
  return {};
}

std::vector<StreamWarning> SabreW::warnings() const { return state_->warnings(); }
const SabreW::Cases& SabreW::cases() const { return state_->cases(); }

}  // namespace cordon::engine
