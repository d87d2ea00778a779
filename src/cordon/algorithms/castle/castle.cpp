// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/castle/castle.h"

#include <algorithm>

#include "cordon/algorithms/castle/castle_internal.h"
#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kMost = 1'000'000'000;
constexpr std::int64_t kDefaultLifeInDelays = 10;

Error OutOfRange(std::string_view option, std::int64_t value, std::string_view allowed) {
  return Error::InvalidPolicy("castle: {} is {}, it must be {}", option, value, allowed);
}

}  // namespace

std::int64_t CastleOptions::life() const {
  return reuse_ttl.value_or(kDefaultLifeInDelays *
                            std::max(std::min<std::int64_t>(delay_tuples, kMost), std::min<EventTime>(delay_ms, kMost * 1000)));
}

Result<void> CastleOptions::Validate() const {
  if (delay_tuples < 0) return OutOfRange("delay", delay_tuples, "at least 1");
  if (delay_ms < 0) return OutOfRange("delay", delay_ms, "at least a millisecond");
  if ((delay_tuples > 0) == (delay_ms > 0)) {
    return Error::InvalidPolicy("castle needs a delay above 0, in tuples or in time, not both");
  }
  if (delay_tuples > kMost) return OutOfRange("delay", delay_tuples, "at most 1000000000 tuples");
  if (max_open < 1 || max_open > kMost) return OutOfRange("max_open", max_open, "from 1 to 1000000000");
  if (history < 1 || history > kMost) return OutOfRange("history", history, "from 1 to 1000000000");
  if (reuse_cap < 0 || reuse_cap > 1'000'000) return OutOfRange("reuse_cap", reuse_cap, "from 0 to 1000000");
  if (reuse_ttl && *reuse_ttl < 1) return OutOfRange("reuse_ttl", *reuse_ttl, "at least 1");
  if (split_tries < 1 || split_tries > 1000) return OutOfRange("split_tries", split_tries, "from 1 to 1000");
  if (pool_cap < 1 || pool_cap > kMost) return OutOfRange("pool_cap", pool_cap, "from 1 to 1000000000");
  if (batch < 1) return OutOfRange("batch", batch, "at least 1");
  if (batch > 1 && delay_ms > 0) return Error::InvalidPolicy("castle: batches need a delay in tuples");
  if (batch > 1 && batch > delay_tuples) {
    return OutOfRange("batch", batch, fmt::format("at most the delay of {}", delay_tuples));
  }
  return {};
}

CastleState::CastleState(StreamSchema schema, GroupRequirements needs, CastleOptions options, const Random& random)
    : schema_(std::move(schema)),
      needs_(std::move(needs)),
      options_(options),
      delay_tuples_(options.delay_tuples - (options.batch - 1)),
      loss_(schema_, options_.loss),
      clusters_(loss_, needs_),
      reuse_(schema_, static_cast<std::size_t>(options_.reuse_cap)),
      history_(static_cast<std::size_t>(options_.history)),
      pool_(needs_, static_cast<std::size_t>(options_.pool_cap)),
      splitter_(loss_, needs_, options_.cuts, static_cast<int>(options_.split_tries)),
      stage_(random.Substream("castle.order")),
      choices_(random.Substream("castle.choices")) {}

// ---- arrival

// The cluster that the tuple widens least, if it stays within the threshold or there may be no more clusters; else none.
CastleState::Lane CastleState::Best(Position position) {
  if (clusters_.num_clusters() == 0) return OpenClusters::kNone;
  const double least = clusters_.boxes().Join(clusters_.point(position), joined_, increase_);
  const double threshold = history_.mean();
  Lane best = OpenClusters::kNone;
  bool best_within = false;
  for (Lane lane = 0; lane < static_cast<Lane>(increase_.size()); ++lane) {
    if (increase_[lane] != least) continue;
    const bool within = joined_[lane] <= threshold;
    if (best != OpenClusters::kNone) {
      if (within < best_within) continue;
      const auto rank = [&](Lane each) { return std::pair(clusters_.people(each), clusters_.id(each)); };
      if (within == best_within && rank(best) < rank(lane)) continue;
    }
    best = lane;
    best_within = within;
  }
  const bool full = static_cast<std::int64_t>(clusters_.num_clusters()) >= options_.max_open;
  return best_within || full ? best : OpenClusters::kNone;
}

void CastleState::Place(Position position) {
  const Lane best = Best(position);
  if (best == OpenClusters::kNone) {
    clusters_.Open(position, ++last_cluster_);
  } else {
    clusters_.Join(best, position);
  }
}

void CastleState::Push(const Tuple& tuple, std::vector<Departure>& out) {
  clusters_.Arrive(tuple);
  Place(tuple.position);
  now_ = std::max(now_, tuple.time);
  ExpireDue();
  if (tuple.position % options_.batch == 0) stage_.Release(out);
}

void CastleState::Advance(EventTime now, std::vector<Departure>& out) {
  now_ = std::max(now_, now);
  if (options_.delay_ms == 0) return;
  ExpireDue();
  stage_.Release(out);
}

// ---- expiry

bool CastleState::IsDue(Position position) const {
  if (options_.delay_ms == 0) return clusters_.last() - position >= delay_tuples_;
  return static_cast<std::uint64_t>(now_) - static_cast<std::uint64_t>(clusters_.time(position)) >=
         static_cast<std::uint64_t>(options_.delay_ms);  // now_ is at least the time of every tuple
}

void CastleState::ExpireDue() {
  while (clusters_.first() <= clusters_.last() && IsDue(clusters_.first())) Expire(clusters_.first());
}

void CastleState::Expire(Position position) {
  Lane lane = clusters_.owner(position);
  if (!clusters_.Ready(lane)) {
    if (TryReuse(position)) return;
    if ((options_.outlier && IsOutlier(lane)) || !clusters_.Feasible()) return Suppress(position);
    while (!clusters_.Ready(lane)) lane = clusters_.Merge(lane, clusters_.Nearest(lane));
  }
  Output(lane);
}

// Most clusters have more people.
bool CastleState::IsOutlier(Lane lane) const {
  std::size_t larger = 0;
  for (Lane other = 0; other < static_cast<Lane>(clusters_.num_lanes()); ++other) {
    larger += clusters_.is_open(other) && clusters_.people(other) > clusters_.people(lane) ? 1 : 0;
  }
  return 2 * larger > clusters_.num_clusters();
}

// A random choice among all groups that hold the tuple: taking the one of least loss would tell where the tuple is not.
bool CastleState::TryReuse(Position position) {
  const std::int64_t life = options_.life();
  std::int64_t oldest = 0;
  if (!__builtin_sub_overflow(Clock(), life, &oldest)) reuse_.DropBefore(oldest);
  if (reuse_.size() == 0) return false;
  cells_.clear();
  for (std::size_t axis = 0; axis < schema_.quasi.size(); ++axis) {
    cells_.push_back(schema_.quasi[axis].lo + static_cast<std::int64_t>(clusters_.point(position)[axis]));
  }
  const auto& covering = reuse_.Covering(cells_);
  if (covering.empty()) return false;
  const ReuseSet::Entry& entry = *covering[choices_.Below(covering.size())];
  stage_.Add({Departure::Kind::kReuse, entry.group, entry.box, {position}, false});
  clusters_.Remove(position);
  return true;
}

void CastleState::Suppress(Position position) {
  if (!options_.pool) {
    clusters_.Remove(position);
    return EmitSuppressed({position});
  }
  pool_.Add(position, clusters_.person(position), clusters_.values(position));
  clusters_.Remove(position);
  if (std::vector<Position> together = pool_.TakeIfEnough(); !together.empty()) {
    stage_.Add({Departure::Kind::kPooled, ++last_group_, loss_.Widest(), std::move(together), false});
  } else if (const auto given_up = pool_.TakeBeyondCap()) {
    EmitSuppressed({*given_up});
  }
}

void CastleState::EmitSuppressed(std::vector<Position> positions) {
  stage_.Add({Departure::Kind::kSuppressed, 0, {}, std::move(positions), false});
}

// ---- output

void CastleState::Output(Lane lane) {
  const bool large = clusters_.people(lane) >= 2 * needs_.k;
  const LossBox box = clusters_.box(lane);
  std::vector<Position> positions = clusters_.Close(lane);
  if (!large) return Emit(std::move(positions), box);
  std::vector<SplitTuple> tuples;
  tuples.reserve(positions.size());
  for (const Position position : positions) {
    tuples.push_back({clusters_.point(position), clusters_.person_number(position), clusters_.values(position)});
  }
  for (const SplitPart& part : splitter_.Split(tuples, choices_)) {
    std::vector<Position> own;
    own.reserve(part.tuples.size());
    for (const std::int32_t tuple : part.tuples) own.push_back(positions[tuple]);
    Emit(std::move(own), part.box);
  }
}

void CastleState::Emit(std::vector<Position> positions, const LossBox& box) {
  const double loss = loss_.Loss(box);
  history_.Push(loss);  // before the test: the first group is never better than the mean
  std::vector<AxisRange> published = loss_.Publish(box);
  const bool reusable = Admit(loss, published);
  ++last_group_;
  if (reusable) reuse_.Insert({last_group_, Clock(), published});
  stage_.Add({Departure::Kind::kGroup, last_group_, std::move(published), std::move(positions), reusable});
}

bool CastleState::Admit(double loss, const std::vector<AxisRange>& box) {
  if (options_.reuse == CastleOptions::Reuse::kOff || options_.reuse_cap == 0 || !(loss < history_.mean())) return false;
  return options_.reuse == CastleOptions::Reuse::kDisjoint ? !reuse_.Overlaps(box) : !reuse_.Contains(box);
}

// ---- the end

std::optional<CastleState::Lane> CastleState::OldestUnready() const {
  for (Position position = clusters_.first(); position <= clusters_.last(); ++position) {
    if (clusters_.Holds(position) && !clusters_.Ready(clusters_.owner(position))) return clusters_.owner(position);
  }
  return std::nullopt;
}

// What fits a group that has left joins it; what is short of people joins its neighbour, a ready one included, before the
// ready ones leave: nothing is lost as long as one cluster is ready.
void CastleState::Flush(std::vector<Departure>& out) {
  for (Position position = clusters_.first(); position <= clusters_.last(); ++position) {
    if (clusters_.Holds(position) && !clusters_.Ready(clusters_.owner(position))) TryReuse(position);
  }
  for (auto lane = OldestUnready(); lane && clusters_.num_clusters() > 1; lane = OldestUnready()) {
    clusters_.Merge(*lane, clusters_.Nearest(*lane));
  }
  std::vector<std::pair<std::int64_t, Lane>> ready;
  for (Lane lane = 0; lane < static_cast<Lane>(clusters_.num_lanes()); ++lane) {
    if (clusters_.is_open(lane) && clusters_.Ready(lane)) ready.emplace_back(clusters_.id(lane), lane);
  }
  std::sort(ready.begin(), ready.end());
  for (const auto& [id, lane] : ready) Output(lane);
  while (clusters_.held() > 0) Suppress(clusters_.first());
  if (pool_.size() > 0) EmitSuppressed(pool_.TakeAll());
  stage_.Release(out);
}

// ---- the engine

Result<Castle> Castle::Make(StreamSchema schema, std::span<const ModelSpec> models, CastleOptions options, Random random) {
  CORDON_RETURN_IF_ERROR(options.Validate());
  CORDON_RETURN_IF_ERROR(BoxLoss::Check(schema));
  CORDON_TRY(GroupRequirements needs, GroupRequirements::From(models, schema, "castle"));
  const std::int64_t waiting = options.delay_tuples - (options.batch - 1) + 1;
  if (options.delay_tuples > 0 && waiting < needs.k) {
    return Error::InvalidPolicy("castle: {} tuples wait at most, so no group can have {} people", waiting, needs.k)
        .WithHint("a delay of at least {} is needed, twice that is wise", needs.k - 1 + options.batch - 1);
  }
  return Castle(std::make_unique<CastleState>(std::move(schema), std::move(needs), options, random));
}

Castle::Castle(std::unique_ptr<CastleState> state) : state_(std::move(state)) {}
Castle::Castle(Castle&&) noexcept = default;
Castle& Castle::operator=(Castle&&) noexcept = default;
Castle::~Castle() = default;

void Castle::Push(const Tuple& tuple, std::vector<Departure>& out) { state_->Push(tuple, out); }
void Castle::Advance(EventTime now, std::vector<Departure>& out) { state_->Advance(now, out); }
void Castle::Flush(std::vector<Departure>& out) { state_->Flush(out); }
StreamGauges Castle::gauges() const { return state_->gauges(); }
std::string Castle::Save() const { return state_->Save(); }
double Castle::threshold() const { return state_->threshold(); }

std::vector<std::vector<AxisRange>> Castle::reusable() const {
  std::vector<std::vector<AxisRange>> boxes;
  for (std::size_t i = 0; i < state_->reusable().size(); ++i) boxes.push_back(state_->reusable().entry(i).box);
  return boxes;
}

// Into a fresh state, so that a damaged snapshot leaves this one as it was.
Result<void> Castle::Restore(const std::string& snapshot) {
  auto fresh = std::make_unique<CastleState>(state_->schema(), state_->needs(), state_->options(), state_->FreshRandom());
  CORDON_RETURN_IF_ERROR(fresh->Restore(snapshot));
  state_ = std::move(fresh);
  return {};
}

}  // namespace cordon::engine
