// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/stream_rtree/chain_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cordon/algorithms/stream_rtree/release_probability.h"
#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

constexpr double kMaxCode = 255;

}  // namespace

void ChainSampler::Calendar::Put(std::int32_t chain, Position step) {
  const auto place = static_cast<std::int64_t>(step % static_cast<Position>(first_.size()));
  Link& link = links_[chain];
  link = {-1, first_[place], place};
  if (link.after >= 0) links_[link.after].before = chain;
  first_[place] = chain;
}

void ChainSampler::Calendar::Remove(std::int32_t chain) {
  Link& link = links_[chain];
  if (link.place < 0) return;
  (link.before >= 0 ? links_[link.before].after : first_[link.place]) = link.after;
  if (link.after >= 0) links_[link.after].before = link.before;
  link = {};
}

void ChainSampler::Calendar::Take(Position step, std::vector<std::int32_t>& chains) {
  chains.clear();
  std::int32_t& first = first_[static_cast<std::size_t>(step) % first_.size()];
  while (first >= 0) {
    const std::int32_t chain = first;
    first = links_[chain].after;
    links_[chain] = {};
    chains.push_back(chain);
  }
  std::sort(chains.begin(), chains.end());  // the order of drawing is not that of the links
}

ChainSampler::ChainSampler(std::vector<double> ranges, std::int64_t sample, std::int64_t window, Random random)
    : ranges_(std::move(ranges)),
      window_(window),
      random_(std::move(random)),
      points_(ranges_.size() * static_cast<std::size_t>(window)),
      chains_(static_cast<std::size_t>(sample)),
      samples_(ranges_.size() * chains_.size()),
      expiry_(chains_.size(), static_cast<std::size_t>(window)),
      turns_(chains_.size(), static_cast<std::size_t>(window)),
      codes_(ranges_.size() * chains_.size()),
      marks_(chains_.size()) {
  for (const double range : ranges_) {
    code_scales_.push_back(range <= kMaxCode ? 1 : kMaxCode / range);
    exact_codes_ = exact_codes_ && range <= kMaxCode;
  }
}

// Monotone, since rounding is: what lies between two points lies between their codes.
std::uint8_t ChainSampler::CodeOf(std::size_t axis, double x) const {
  return static_cast<std::uint8_t>(std::clamp(x * code_scales_[axis], 0.0, kMaxCode));
}

void ChainSampler::NewSample(std::int32_t chain) {
  const Position arrival = chains_[chain].queue.front();
  const double* point = PointOf(arrival);
  std::copy_n(point, ranges_.size(), samples_.data() + static_cast<std::size_t>(chain) * ranges_.size());
  for (std::size_t axis = 0; axis < ranges_.size(); ++axis) {
    codes_[axis * chains_.size() + static_cast<std::size_t>(chain)] = CodeOf(axis, point[axis]);
  }
  expiry_.Put(chain, arrival);  // it goes when the window has come round
}

// The arrival joins the chain's queue, and the turn after it is drawn.
void ChainSampler::Append(std::int32_t chain) {
  Chain& its = chains_[chain];
  its.queue.push_back(steps_);
  if (its.queue.size() == 1) NewSample(chain);
  its.next = steps_ + 1 + static_cast<Position>(random_.Below(static_cast<std::uint64_t>(window_)));
  turns_.Put(chain, its.next);
}

// Every chain has its own coin; the wait for the next success is geometric. A chain whose sample has just expired has
// none: its successor is already even over the window, this arrival included, and a coin would favour the arrival.
void ChainSampler::FindRestarts() {
  restarts_.clear();
  const double p = 1 / static_cast<double>(std::min(steps_, window_));
  double chain = -1;
  for (;;) {
    chain += 1 + GeometricWait(p, 1 - random_.Unit());
    if (!(chain < static_cast<double>(chains_.size()))) return;
    const auto at = static_cast<std::int32_t>(chain);
    if (!std::binary_search(expired_.begin(), expired_.end(), at)) restarts_.push_back(at);
  }
}

void ChainSampler::Step(const double* point) {
  ++steps_;
  expiry_.Take(steps_, expired_);
  std::copy_n(point, ranges_.size(), PointOf(steps_));  // in the place of the one that leaves the window
  for (const std::int32_t chain : expired_) {
    std::vector<Position>& queue = chains_[chain].queue;
    queue.erase(queue.begin());
    if (!queue.empty()) NewSample(chain);
  }
  FindRestarts();
  for (const std::int32_t chain : restarts_) {
    chains_[chain].queue.clear();
    expiry_.Remove(chain);
    turns_.Remove(chain);
  }
  turns_.Take(steps_, turning_);
  for (const std::int32_t chain : restarts_) Append(chain);
  for (const std::int32_t chain : turning_) Append(chain);
}

std::size_t ChainSampler::MarkWithin(std::span<const double> lo, std::span<const double> hi) const {
  tests_.clear();
  for (std::size_t axis = 0; axis < ranges_.size(); ++axis) {
    if (lo[axis] <= 0 && hi[axis] >= ranges_[axis]) continue;
    const std::uint8_t low = CodeOf(axis, lo[axis]);
    tests_.push_back({codes_.data() + axis * chains_.size(), low, static_cast<std::uint8_t>(CodeOf(axis, hi[axis]) - low)});
  }
  const std::size_t count = internal::MarkAll(tests_, marks_.data(), marks_.size());
  return exact_codes_ ? count : Sieve(lo, hi);
}

// Calls with the chains that are marked, eight marks at a glance.
template <typename Visit>
void ChainSampler::ForEachMarked(const Visit& visit) const {
  for (std::size_t start = 0; start < marks_.size(); start += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, marks_.data() + start, std::min<std::size_t>(8, marks_.size() - start));
    if (word == 0) continue;
    for (std::size_t chain = start; chain < std::min(start + 8, marks_.size()); ++chain) {
      if (marks_[chain] != 0) visit(chain);
    }
  }
}

// Of those that are marked, the points decide.
std::size_t ChainSampler::Sieve(std::span<const double> lo, std::span<const double> hi) const {
  std::size_t count = 0;
  ForEachMarked([&](std::size_t chain) {
    const double* its = point(chain);
    for (std::size_t axis = 0; axis < ranges_.size(); ++axis) {
      if (its[axis] < lo[axis] || its[axis] > hi[axis]) marks_[chain] = 0;
    }
    count += marks_[chain];
  });
  return count;
}

std::int64_t ChainSampler::CountWithin(std::span<const double> lo, std::span<const double> hi) const {
  return static_cast<std::int64_t>(MarkWithin(lo, hi));
}

void ChainSampler::FindWithin(std::span<const double> lo, std::span<const double> hi, std::vector<std::int32_t>& chains) const {
  MarkWithin(lo, hi);
  chains.clear();
  ForEachMarked([&](std::size_t chain) { chains.push_back(static_cast<std::int32_t>(chain)); });
}

// Of the window only those arrivals that stand in a queue: no other is ever asked for again.
void ChainSampler::Save(ByteWriter& writer) const {
  writer.Text(random_.Save());
  std::vector<Position> arrivals;
  for (const Chain& chain : chains_) arrivals.insert(arrivals.end(), chain.queue.begin(), chain.queue.end());
  std::sort(arrivals.begin(), arrivals.end());
  arrivals.erase(std::unique(arrivals.begin(), arrivals.end()), arrivals.end());
  writer.Count(arrivals.size());
  for (const Position arrival : arrivals) {
    writer.Whole(arrival);
    for (std::size_t axis = 0; axis < ranges_.size(); ++axis) writer.Count(static_cast<std::uint64_t>(PointOf(arrival)[axis]));
  }
  if (arrivals.empty()) return;
  for (const Chain& chain : chains_) {
    writer.Count(chain.queue.size());
    for (const Position arrival : chain.queue) {
      writer.Whole(std::lower_bound(arrivals.begin(), arrivals.end(), arrival) - arrivals.begin());
    }
    writer.Whole(chain.next);
  }
}

void ChainSampler::LoadChain(ByteReader& reader, std::int32_t chain, const std::vector<Position>& arrivals) {
  Chain& its = chains_[chain];
  its.queue.clear();
  for (std::size_t left = reader.Length(); left > 0 && reader.ok(); --left) {
    const auto place = static_cast<std::size_t>(reader.Whole(0, static_cast<std::int64_t>(arrivals.size()) - 1));
    if (!reader.ok() || (!its.queue.empty() && arrivals[place] <= its.queue.back())) return reader.Fail();
    its.queue.push_back(arrivals[place]);
  }
  if (its.queue.empty()) return reader.Fail();
  its.next = reader.Whole(steps_ + 1, its.queue.back() + window_);
  if (!reader.ok()) return;
  NewSample(chain);
  turns_.Put(chain, its.next);
}

void ChainSampler::Restore(ByteReader& reader, Position steps) {
  Result<Random> random = Random::Restore(reader.Text());
  if (!random.ok()) return reader.Fail();
  random_ = std::move(random).value();
  CORDON_CHECK_EQ(steps_, Position{0});
  steps_ = steps;
  std::vector<Position> arrivals(reader.Length());
  if ((steps == 0) != arrivals.empty()) return reader.Fail();
  Position least = std::max<Position>(1, steps - window_ + 1);
  for (Position& arrival : arrivals) {
    arrival = reader.Whole(least, steps);
    if (!reader.ok()) return;
    least = arrival + 1;
    for (std::size_t axis = 0; axis < ranges_.size(); ++axis) {
      const std::uint64_t x = reader.Count();
      if (x > static_cast<std::uint64_t>(ranges_[axis])) return reader.Fail();
      PointOf(arrival)[axis] = static_cast<double>(x);
    }
  }
  std::vector<bool> used(arrivals.size());
  for (std::size_t chain = 0; chain < chains_.size() && !arrivals.empty() && reader.ok(); ++chain) {
    LoadChain(reader, static_cast<std::int32_t>(chain), arrivals);
    for (const Position arrival : chains_[chain].queue) {
      used[static_cast<std::size_t>(std::lower_bound(arrivals.begin(), arrivals.end(), arrival) - arrivals.begin())] = true;
    }
  }
  if (!std::all_of(used.begin(), used.end(), [](bool is) { return is; })) reader.Fail();
}

}  // namespace cordon::engine
