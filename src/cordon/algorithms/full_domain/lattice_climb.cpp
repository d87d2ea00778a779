// SPDX-License-Identifier: Apache-2.0
//
// Lattices too large to be searched to the end: a good node, and how far from the best it can be.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "cordon/algorithms/full_domain/lattice_search.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kFirstBeam = 8;
constexpr std::size_t kLastBeam = 512;
constexpr double kRefused = std::numeric_limits<double>::infinity();

class Climb {
 public:
  Climb(const LatticeProblem& problem, LevelVector top, std::uint64_t checks, const Run& run)
      : problem_(problem), top_(std::move(top)), checks_(checks), run_(run), check_(problem) {}

  LatticeSearch Run() {
    // Wider and wider, as long as there are checks left.
    for (std::size_t beam = kFirstBeam; beam <= kLastBeam && !Spent(); beam *= 4) {
      Down(beam);
      while (Sideways()) {
      }
    }
    found_.stopped = run_.Stopped();
    found_.cut = !found_.stopped && OutOfTime();
    return std::move(found_);
  }

 private:
  bool OutOfTime() const { return found_.best && run_.ShouldStop(); }
  bool Spent() const { return found_.checked >= checks_ || run_.Stopped() || OutOfTime(); }

  // Whether the node satisfies; a better one than the best becomes the best.
  bool Look(const LevelVector& levels) {
    if (const auto known = seen_.find(levels); known != seen_.end()) {
      loss_ = known->second;
      return loss_ < kRefused;
    }
    if (Spent()) return false;
    seen_[levels] = kRefused;
    for (const LevelVector& above : hopeless_) {
      if (NotAbove(levels, above)) return false;
    }
    ++found_.checked;
    run_.Report("full-domain", found_.checked, checks_);
    const NodeOutcome outcome = check_.Check(levels);
    if (outcome.hopeless_below) {
      std::erase_if(hopeless_, [&](const LevelVector& each) { return NotAbove(each, levels); });
      hopeless_.push_back(levels);
    }
    loss_ = outcome.loss;
    if (outcome.satisfies) seen_[levels] = outcome.loss;
    if (outcome.satisfies && (!found_.best || outcome.loss < found_.best->loss)) found_.best = FoundNode{levels, outcome.loss};
    return outcome.satisfies;
  }

  // From the top, a level at a time; the best few of each step go on.
  void Down(std::size_t beam) {
    std::vector<FoundNode> front = {{top_, 0}};
    Look(top_);
    while (!front.empty() && !Spent()) {
      std::set<std::pair<double, LevelVector>> steps;  // cheapest levels first
      for (const FoundNode& from : front) {
        for (std::size_t q = 0; q < top_.size(); ++q) {
          if (from.levels[q] == 0) continue;
          LevelVector levels = from.levels;
          --levels[q];
          steps.emplace(problem_.Loss(levels), std::move(levels));
        }
      }
      std::vector<FoundNode> next;
      for (const auto& [loss, levels] : steps) {
        // Without suppression the loss of the levels is the loss: later ones cannot be better.
        if (next.size() >= beam && (problem_.options().max_suppressed == 0 || loss > next[beam - 1].loss)) break;
        if (!Look(levels)) continue;
        next.push_back({levels, loss_});
        std::stable_sort(next.begin(), next.end(), [](const FoundNode& a, const FoundNode& b) { return a.loss < b.loss; });
        if (next.size() > beam) next.pop_back();
      }
      front = std::move(next);
    }
  }

  // One column up, another down as far as it pays. True where something better was found.
  bool Sideways() {
    if (!found_.best || Spent()) return false;
    const FoundNode from = *found_.best;
    std::set<std::pair<double, LevelVector>> steps;
    for (std::size_t up = 0; up < top_.size(); ++up) {
      for (std::size_t down = 0; down < top_.size(); ++down) {
        for (int raise = 0; raise <= top_[up] - from.levels[up]; ++raise) {
          for (int lower = 0; lower <= from.levels[down]; ++lower) {
            if ((up == down && raise > 0 && lower > 0) || raise + lower == 0) continue;
            LevelVector levels = from.levels;
            levels[up] = static_cast<std::uint8_t>(levels[up] + raise);
            levels[down] = static_cast<std::uint8_t>(levels[down] - lower);
            const double loss = problem_.Loss(levels);
            if (loss < from.loss) steps.emplace(loss, std::move(levels));
          }
        }
      }
    }
    // The most that could be gained comes last: nodes that lose little less satisfy more often.
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (!seen_.contains(step->second) && Look(step->second) && found_.best->loss < from.loss) return true;
      if (Spent()) return false;
    }
    return false;
  }

  const LatticeProblem& problem_;
  LevelVector top_;
  std::uint64_t checks_;
  const cordon::engine::Run& run_;
  NodeCheck check_;
  LatticeSearch found_;
  double loss_ = 0;                     // of the node last looked at
  std::map<LevelVector, double> seen_;  // the loss if it satisfies
  std::vector<LevelVector> hopeless_;
};

}  // namespace

LatticeSearch ClimbLattice(const LatticeProblem& problem, const LevelVector& top, std::uint64_t checks, const Run& run) {
  return Climb(problem, top, checks, run).Run();
}

double LossAtLeast(LatticeProblem& problem, std::uint64_t block_nodes, const Run& run) {
  const LevelVector top = problem.cells().Top();
  double sum = 0;
  for (std::size_t first = 0; first < top.size();) {
    LevelVector bottom = top;
    std::vector<std::size_t> block;
    std::uint64_t nodes = 1;
    for (; first < top.size(); ++first) {
      nodes *= static_cast<std::uint64_t>(top[first]) + 1;
      if (nodes > block_nodes && !block.empty()) break;
      bottom[first] = 0;
      block.push_back(first);
    }
    problem.WeighOnly(block);
    const LatticeSearch search = SearchLattice(problem, Lattice(bottom, top), run);
    if (search.stopped || !search.best) return sum;
    sum += search.best->loss;
  }
  return sum;
}

}  // namespace cordon::engine
