// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/bound/loss_bound.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "cordon/base/parallel_for.h"
#include "cordon/base/random.h"
#include "cordon/metrics/bound/price_plan.h"
#include "cordon/metrics/bound/valid_prices.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kCellsPerTask = 64;
constexpr int kMaxRounds = 14;
constexpr int kWideRounds = 8;  // the last ones: cells whose price comes near the radius get more neighbours
constexpr int kLongRounds = 4;  // the last ones: searches are longer
constexpr int kStepsPerRound = 600;
constexpr int kMaxNodesForPlan = 32;
constexpr double kNearRadius = 0.9;
constexpr std::size_t kWide = 8;                          // times as many neighbours
constexpr double kShareOfPlan = 0.8;                      // of a budget of time; the rest is for the proof
constexpr std::size_t kMaxListed = std::size_t{1} << 26;  // near cells of all cells

std::size_t MostNear(const CellSpace& space) {
  const std::size_t wanted = std::max<std::size_t>(256, 8 * static_cast<std::size_t>(space.least().rows));
  return std::clamp<std::size_t>(kMaxListed / std::max<std::size_t>(space.size(), 1), 32, std::min<std::size_t>(wanted, 2048));
}

Neighbourhood NeighbourhoodOf(const CellSpace::Near& found) {
  Neighbourhood near;
  near.radius = found.radius;
  for (const CellAt& other : found.cells) near.cells.push_back(other.cell);
  return near;
}

// The cheapest box of each of the cells; of all cells the neighbourhood too, if asked for.
Result<std::vector<Price>> CheapestBoxes(const CellSpace& space, std::span<const CellId> cells,
                                         std::vector<Neighbourhood>* near, const Run& run) {
  const std::vector<Price> unknown(space.size(), 0);
  const std::size_t most = MostNear(space);
  std::vector<Price> cheapest(cells.size());
  std::atomic<std::size_t> done = 0;
  ParallelFor(run.threads, cells.size(), kCellsPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
    if (run.Stopped()) return;
    PriceSearch search(space, unknown);
    for (std::size_t i = begin; i < end; ++i) {
      const CellSpace::Near found = space.Nearest(cells[i], most);
      cheapest[i] = search.Cheapest(cells[i], found);
      if (near != nullptr) (*near)[i] = NeighbourhoodOf(found);
    }
    run.Report("cheapest boxes", done += end - begin, cells.size());
  });
  if (run.Stopped()) return Error::Cancelled();
  return cheapest;
}

// Boxes beyond the radius limit a price that is not below it. Those that hold more of the cells nearby are looked at one by
// one.
void Widen(const CellSpace& space, std::span<const Price> prices, std::vector<Neighbourhood>& near, std::vector<char>& is_wide,
           const Run& run) {
  const std::size_t most = kWide * MostNear(space);
  ParallelFor(run.threads, space.size(), kCellsPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
    if (run.Stopped()) return;
    for (std::size_t i = begin; i < end; ++i) {
      if (is_wide[i] || near[i].radius == kNoPrice ||
          static_cast<double>(prices[i]) < kNearRadius * static_cast<double>(near[i].radius)) {
        continue;
      }
      is_wide[i] = 1;
      near[i] = NeighbourhoodOf(space.Nearest(static_cast<CellId>(i), most));
    }
  });
}

// Looks for boxes that the planned prices violate and plans again, until there are few.
Result<std::vector<Price>> PlanPrices(const CellSpace& space, std::span<const Price> cheapest, std::vector<Neighbourhood>& near,
                                      bool& cut_short, const Run& run) {
  PricePlan plan(space, cheapest);
  std::vector<TightBox> violated(space.size());
  std::vector<char> is_wide(space.size());
  for (int round = 0; round < kMaxRounds; ++round) {
    if (run.Used() >= kShareOfPlan) {
      cut_short = true;
      break;
    }
    run.Report("prices", static_cast<std::uint64_t>(round), kMaxRounds);
    const std::vector<Price> prices = plan.Prices();
    if (round >= kMaxRounds - kWideRounds) Widen(space, prices, near, is_wide, run);
    const int most_nodes = round >= kMaxRounds - kLongRounds ? 2 * kMaxNodesForPlan : kMaxNodesForPlan;
    ParallelFor(run.threads, space.size(), kCellsPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
      if (run.Stopped()) return;
      PriceSearch search(space, cheapest);
      for (std::size_t i = begin; i < end; ++i) {
        const auto cell = static_cast<CellId>(i);
        const Price goal = prices[i] - prices[i] / 512;
        violated[i] = search.Violated(cell, near[i].cells, prices, goal, most_nodes);
      }
    });
    if (run.Stopped()) return Error::Cancelled();
    std::size_t added = 0;
    for (const TightBox& box : violated) {
      if (!box.rows.empty() && plan.Add(box)) ++added;
    }
    plan.Improve(kStepsPerRound);
    if (round > 0 && added * 200 < space.size()) break;
  }
  return plan.Prices();
}

// Low prices first: a high one would leave nothing to the many boxes that it is in.
Result<Price> SumOfValidPrices(const CellSpace& space, std::span<const Price> cheapest, std::span<const Neighbourhood> near,
                               const std::vector<Price>& planned, bool& cut_short, const Run& run) {
  std::vector<CellId> order(space.size());
  std::iota(order.begin(), order.end(), CellId{0});
  std::stable_sort(order.begin(), order.end(), [&](CellId a, CellId b) { return planned[a] < planned[b]; });
  ValidPrices valid(space, cheapest, near);
  for (const int times : {1, 2}) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i % kCellsPerTask == 0) {
        if (run.Stopped()) return Error::Cancelled();
        cut_short = cut_short || run.ShouldStop();
        if (run.ShouldStop()) return valid.Sum();  // valid after every step
        run.Report("proof", i + (times - 1) * order.size(), 2 * order.size());
      }
      valid.Raise(order[i], times * std::max(planned[order[i]], cheapest[order[i]]));
    }
  }
  return valid.Sum();
}

double RoundedDown(double value) { return value <= 0 ? 0 : std::nextafter(std::nextafter(value, 0.0), 0.0); }

// The loss of rows whose prices add up to this, and of dropped rows, on average.
double MeanLoss(Price sum, const CellSpace& space, const Microdata& data) {
  const auto rows = static_cast<double>(data.num_rows + data.dropped_rows);
  const double lost = space.Whole() == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(space.Whole());
  return rows == 0 ? 0 : RoundedDown((lost + static_cast<double>(data.dropped_rows)) / rows);
}

Result<void> BoundByAllRows(const CellSpace& space, const Microdata& data, LossBound& bound, const Run& run) {
  std::vector<CellId> all(space.size());
  std::iota(all.begin(), all.end(), CellId{0});
  std::vector<Neighbourhood> near(space.size());
  CORDON_TRY(const std::vector<Price> cheapest, CheapestBoxes(space, all, &near, run));
  Price sum = 0;
  for (CellId cell = 0; cell < all.size(); ++cell) sum += cheapest[cell] * space.weight(cell);
  CORDON_TRY(const std::vector<Price> planned, PlanPrices(space, cheapest, near, bound.cut_short, run));
  CORDON_TRY(const Price proved, SumOfValidPrices(space, cheapest, near, planned, bound.cut_short, run));
  bound.cheapest_boxes = MeanLoss(sum, space, data);
  bound.information_loss = MeanLoss(std::max(sum, proved), space, data);
  return {};
}

// The empirical Bernstein bound of Maurer and Pontil (2009), of rows drawn with replacement and costs between 0 and 1.
double LowerMean(std::span<const double> costs) {
  const auto count = static_cast<double>(costs.size());
  if (costs.size() < 2) return 0;
  double mean = 0;
  for (const double cost : costs) mean += cost / count;
  double variance = 0;
  for (const double cost : costs) variance += (cost - mean) * (cost - mean) / (count - 1);
  const double surprise = std::log(2 / (1 - LossBoundOptions::kConfidence));
  return std::max(0.0, mean - std::sqrt(2 * variance * surprise / count) - 7 * surprise / (3 * (count - 1)));
}

Result<void> BoundBySample(const CellSpace& space, const Microdata& data, std::uint64_t rows, std::uint64_t seed,
                           LossBound& bound, const Run& run) {
  Random random = Random::FromSeed(seed).Substream("rows of a bound");
  std::unordered_map<CellId, std::size_t> place_of;
  std::vector<CellId> cells;
  std::vector<std::size_t> drawn;
  for (std::uint64_t i = 0; i < rows; ++i) {
    const CellId cell = space.cell_of_row()[random.Below(data.num_rows)];
    const auto [found, is_new] = place_of.try_emplace(cell, cells.size());
    if (is_new) cells.push_back(cell);
    drawn.push_back(found->second);
  }
  CORDON_TRY(const std::vector<Price> cheapest, CheapestBoxes(space, cells, nullptr, run));
  std::vector<double> costs;
  for (const std::size_t place : drawn) {
    costs.push_back(static_cast<double>(cheapest[place]) / static_cast<double>(space.Whole()));
  }
  const auto kept = static_cast<double>(data.num_rows);
  const auto dropped = static_cast<double>(data.dropped_rows);
  bound.information_loss = RoundedDown((LowerMean(costs) * kept + dropped) / (kept + dropped));
  bound.cheapest_boxes = bound.information_loss;
  bound.sampled = rows;
  return {};
}

}  // namespace

Result<void> LossBoundOptions::Validate() const {
  if (sample && *sample == 1)
    return Error::InvalidPolicy("a sample of 1 row bounds nothing; give 2 or more, or 0 for all rows");
  return {};
}

Result<LossBound> BoundLoss(const Microdata& data, const LeastGroup& least, const LossBoundOptions& options, const Run& run) {
  LossBound bound;
  bound.rows = data.num_rows + data.dropped_rows;
  bound.least = least;
  const CellSpace space(data, least, run);
  if (run.Stopped()) return Error::Cancelled();
  const std::uint64_t sample =
      options.sample.value_or(space.size() > LossBoundOptions::kMaxCells ? LossBoundOptions::kDefaultSample : 0);
  if (sample == 0 || space.width() == 0 || data.num_rows == 0) {
    CORDON_RETURN_IF_ERROR(BoundByAllRows(space, data, bound, run));
  } else {
    CORDON_RETURN_IF_ERROR(BoundBySample(space, data, sample, options.seed, bound, run));
  }
  return bound;
}

}  // namespace cordon::engine
