// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/bound/price_plan.h"

#include <algorithm>

namespace cordon::engine {
namespace {

constexpr double kStart = 1.5;    // times the cheapest box: about where the prices end
constexpr double kGrowth = 1.12;  // of the highest price that a round allows

}  // namespace

PricePlan::PricePlan(const CellSpace& space, std::span<const Price> cheapest) : space_(space), in_(space.size()) {
  for (const Price cost : cheapest) highest_.push_back(kStart * static_cast<double>(cost) / static_cast<double>(kWholeColumn));
  ahead_ = prices_ = highest_;
}

bool PricePlan::Add(const TightBox& box) {
  auto rows_of_cells = box.rows;
  std::sort(rows_of_cells.begin(), rows_of_cells.end());
  if (!known_.insert(std::move(rows_of_cells)).second) return false;
  Condition condition;
  condition.begin = terms_.size();
  double all = 0;
  for (const auto& [cell, rows] : box.rows) {
    terms_.push_back({cell, static_cast<double>(rows)});
    in_[cell] += static_cast<double>(rows);
    all += static_cast<double>(rows);
  }
  condition.limit = all * static_cast<double>(box.cost) / static_cast<double>(kWholeColumn);
  conditions_.push_back(condition);
  return true;
}

// Steps by the sums of rows and columns (Pock and Chambolle, 2011), which need no estimate of a norm. Without conditions enough
// prices would rise without end, and take many rounds to come down again. So no round lets them rise far.
void PricePlan::Improve(int steps) {
  const auto k = static_cast<double>(space_.least().rows);
  const auto whole = static_cast<double>(space_.width());
  std::vector<double> gain(space_.size());
  for (double& price : highest_) price = std::min(whole, price * kGrowth);
  for (int step = 0; step < steps; ++step) {
    for (CellId cell = 0; cell < gain.size(); ++cell) gain[cell] = static_cast<double>(space_.weight(cell));
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      Condition& condition = conditions_[i];
      const std::size_t end = i + 1 < conditions_.size() ? conditions_[i + 1].begin : terms_.size();
      double over = -condition.limit;
      for (std::size_t t = condition.begin; t < end; ++t) over += terms_[t].rows * ahead_[terms_[t].cell];
      condition.multiplier = std::max(0.0, condition.multiplier + over / k);
      if (condition.multiplier == 0) continue;
      for (std::size_t t = condition.begin; t < end; ++t) gain[terms_[t].cell] -= terms_[t].rows * condition.multiplier;
    }
    for (CellId cell = 0; cell < gain.size(); ++cell) {
      if (in_[cell] == 0) continue;
      const double next = std::clamp(prices_[cell] + gain[cell] / in_[cell], 0.0, highest_[cell]);
      ahead_[cell] = 2 * next - prices_[cell];
      prices_[cell] = next;
    }
  }
  for (CellId cell = 0; cell < gain.size(); ++cell) {
    if (in_[cell] == 0) ahead_[cell] = prices_[cell] = highest_[cell];
  }
}

std::vector<Price> PricePlan::Prices() const {
  std::vector<Price> rounded;
  rounded.reserve(prices_.size());
  for (const double price : prices_) rounded.push_back(static_cast<Price>(price * static_cast<double>(kWholeColumn)));
  return rounded;
}

}  // namespace cordon::engine
