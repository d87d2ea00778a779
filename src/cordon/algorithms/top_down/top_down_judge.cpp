// SPDX-License-Identifier: Apache-2.0
//
// What the refinements that are left would do, and which of them is best.
#include <algorithm>

#include "cordon/algorithms/top_down/top_down.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kRowsPerTask = std::size_t{1} << 16;
constexpr double kScoreUnit = 1 << kLossBits;
constexpr double kCertain = 1 - 1e-9;  // doubles are far closer than that

}  // namespace

// Of one attribute in some groups.
struct TopDown::Judged {
  std::vector<Bound> would;  // by node and requirement of the grouping
  std::vector<char> asked;   // by node
  std::vector<char> dead;    // by node
};

// All refinements against all groups. If nothing is pruned, all start over.
void TopDown::JudgeAll() {
  for (AttributeState& state : attributes_) {
    for (std::size_t place = 0; place < state.would.size(); ++place) {
      state.would[place] = requirement(state.requirements[place % state.requirements.size()]).Best();
    }
    if (state.masked.foreign()) continue;
    for (const int node : state.masked.Refinements()) state.alive[node] = 1;
  }
  const std::vector<std::uint32_t> leaves = AllLeavesInOrder();
  for (std::size_t g = 0; g < groupings_.size(); ++g) {
    std::vector<Changed> all;
    for (const std::uint32_t leaf : leaves) all.push_back({group_of(leaf, g), leaf});
    JudgeGroups(groupings_[g], std::move(all));
  }
  Cull();
}

void TopDown::JudgeGroups(const Grouping& grouping, std::vector<Changed> changed) {
  std::stable_sort(changed.begin(), changed.end(), [](const Changed& a, const Changed& b) { return a.group < b.group; });
  // Chunks of whole groups.
  std::vector<std::size_t> chunks = {0};
  std::size_t rows = 0;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    rows += runs_[changed[i].leaf].size();
    const bool group_ends = i + 1 == changed.size() || changed[i + 1].group != changed[i].group;
    if (!group_ends || (rows < kRowsPerTask && i + 1 < changed.size())) continue;
    chunks.push_back(i + 1);
    rows = 0;
  }
  std::vector<std::size_t> asked;  // attributes
  for (const std::size_t attribute : grouping.on) {
    const std::vector<char>& alive = attributes_[attribute].alive;
    if (std::find(alive.begin(), alive.end(), 1) != alive.end()) asked.push_back(attribute);
  }
  const std::size_t num_chunks = chunks.size() - 1;
  std::vector<Judged> judged(asked.size() * num_chunks);
  ParallelFor(run_.threads, judged.size(), 1, [&](std::size_t task, std::size_t, std::size_t) {
    const std::size_t chunk = task % num_chunks;
    JudgeTask(grouping, asked[task / num_chunks], std::span(changed).subspan(chunks[chunk], chunks[chunk + 1] - chunks[chunk]),
              judged[task]);
  });
  // The worst of all tasks: the order does not matter.
  for (std::size_t task = 0; task < judged.size(); ++task) Take(grouping, asked[task / num_chunks], judged[task]);
}

void TopDown::JudgeTask(const Grouping& grouping, std::size_t attribute, std::span<const Changed> changed,
                        Judged& judged) const {
  const AttributeState& state = attributes_[attribute];
  const bool one_by_one = state.masked.one_by_one();
  const std::size_t num_requirements = grouping.requirements.size();
  judged.would.resize(state.alive.size() * num_requirements);
  judged.asked.resize(state.alive.size());
  judged.dead.resize(state.alive.size());
  RequirementScratch scratch;
  std::vector<RowRun> runs;
  std::vector<PartBound> bounds;
  for (std::size_t i = 0, next = 0; i < changed.size(); i = next) {
    runs.clear();
    for (; next < changed.size() && changed[next].group == changed[i].group; ++next) runs.push_back(runs_[changed[next].leaf]);
    const int node = shown(changed[i].leaf, attribute);
    if (one_by_one ? node != 0 : state.alive[node] != 1 || (options_.prune && judged.dead[node] != 0)) continue;
    const GroupRows group{rows_, runs};
    GroupCut cut{attribute, state.masked.part_of(), 0, one_by_one};
    cut.num_parts = one_by_one ? cut.part_of.size() : state.masked.num_parts(node);
    if (one_by_one) cut.wanted = std::span(state.alive).subspan(1);
    for (std::size_t place = 0; place < num_requirements; ++place) {
      const Requirement& asking = requirement(grouping.requirements[place]);
      bounds.clear();
      asking.Judge(group, cut, scratch, bounds);
      for (const PartBound& bound : bounds) {
        const int refinement = one_by_one ? bound.part + 1 : node;
        Bound& worst = judged.would[static_cast<std::size_t>(refinement) * num_requirements + place];
        if (judged.asked[refinement] == 0) {
          for (std::size_t each = 0; each < num_requirements; ++each) {
            judged.would[static_cast<std::size_t>(refinement) * num_requirements + each] =
                requirement(grouping.requirements[each]).Best();
          }
          judged.asked[refinement] = 1;
        }
        if (asking.Worse(bound.bound, worst)) worst = bound.bound;
        if (!asking.Holds(bound.bound)) judged.dead[refinement] = 1;
      }
    }
  }
}

void TopDown::Take(const Grouping& grouping, std::size_t attribute, const Judged& judged) {
  AttributeState& state = attributes_[attribute];
  for (std::size_t node = 0; node < judged.asked.size(); ++node) {
    if (judged.asked[node] == 0) continue;
    for (std::size_t place = 0; place < grouping.requirements.size(); ++place) {
      const std::size_t number = grouping.requirements[place];
      const auto at = std::find(state.requirements.begin(), state.requirements.end(), number) - state.requirements.begin();
      Bound& would = state.would[node * state.requirements.size() + static_cast<std::size_t>(at)];
      const Bound& found = judged.would[node * grouping.requirements.size() + place];
      if (requirement(number).Worse(found, would)) would = found;
    }
  }
}

// Drops what is not valid or not beneficial.
void TopDown::Cull() {
  for (std::size_t attribute = 0; attribute < attributes_.size(); ++attribute) {
    AttributeState& state = attributes_[attribute];
    for (const int node : state.masked.Refinements()) {
      if (state.alive[node] != 1) continue;
      bool good = state.masked.beneficial(node) || (options_.zero_gain && state.masked.scored_rows(node) > 0);
      for (std::size_t place = 0; good && place < state.requirements.size(); ++place) {
        good = requirement(state.requirements[place]).Holds(Then(attribute, node, place));
      }
      state.alive[node] = good ? 1 : 0;
    }
  }
}

// What the requirements of the state reach, now and after each refinement that is left. Nothing is kept from step to step
// but a refusal by one that is monotone.
void TopDown::JudgeState(std::span<const std::uint32_t> leaves) {
  const auto& of_state = plan_.state_requirements;
  if (of_state.empty()) return;
  for (const auto& each : of_state) each->Settle(*this, leaves);
  struct Open {
    std::size_t attribute;
    int node;
  };
  std::vector<Open> open;
  for (std::size_t attribute = 0; attribute < attributes_.size(); ++attribute) {
    AttributeState& state = attributes_[attribute];
    state.after.resize(state.masked.num_nodes() * of_state.size());
    for (const int node : state.masked.Refinements()) {
      if (state.alive[node] == 1) open.push_back({attribute, node});
    }
  }
  ParallelFor(run_.threads, open.size(), 1, [&](std::size_t task, std::size_t, std::size_t) {
    const auto [attribute, node] = open[task];
    for (std::size_t i = 0; i < of_state.size(); ++i) {
      attributes_[attribute].after[static_cast<std::size_t>(node) * of_state.size() + i] =
          of_state[i]->After(*this, {attribute, node});
    }
  });
  for (const auto& [attribute, node] : open) {
    const auto after = After(attribute, node);
    for (std::size_t i = 0; options_.prune && i < after.size(); ++i) {
      if (of_state[i]->monotone() && !after[i].holds) attributes_[attribute].alive[node] = 0;
    }
  }
}

std::span<const StateRequirement::Reached> TopDown::After(std::size_t attribute, int node) const {
  const std::size_t count = plan_.state_requirements.size();
  return count == 0 ? std::span<const StateRequirement::Reached>()
                    : std::span(attributes_[attribute].after).subspan(static_cast<std::size_t>(node) * count, count);
}

bool TopDown::StateAllows(std::size_t attribute, int node) const {
  const auto after = After(attribute, node);
  return std::all_of(after.begin(), after.end(), [](const auto& each) { return each.holds; });
}

// Losses of what the state reaches. A gain in privacy is not a loss below 0: the score would change its sign.
LossSum TopDown::StateLoss(std::size_t attribute, int node) const {
  LossSum loss;
  const auto after = After(attribute, node);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const StateRequirement& asking = *plan_.state_requirements[i];
    if (asking.loss() == Requirement::Loss::kNone || !asking.Concerns(attribute)) continue;
    const Bound now = asking.Now().bound;
    const Bound then = after[i].bound;
    const auto share = [](const Bound& bound) { return (static_cast<Int128>(bound.above) << kLossBits) / bound.below; };
    Int128 lost = 0;
    if (asking.loss() == Requirement::Loss::kShare) {
      lost = share(then) - share(now);
    } else {
      lost = static_cast<Int128>(now.above - then.above) << kLossBits;
      if (share_units_ && now.above > 0) lost /= now.above;  // next to shares, counts lose in shares of themselves
    }
    loss.sum += std::max<Int128>(0, lost);
    ++loss.terms;
  }
  return loss;
}

// What the requirement at that place of the attribute's would reach after the refinement.
Bound TopDown::Then(std::size_t attribute, int node, std::size_t place) const {
  const AttributeState& state = attributes_[attribute];
  const std::size_t number = state.requirements[place];
  const Bound& would = state.would[static_cast<std::size_t>(node) * state.requirements.size() + place];
  return requirement(number).Worse(would, reached_[number]) ? would : reached_[number];
}

UInt128 TopDown::ScoreOf(std::size_t attribute, int node) const {
  const AttributeState& state = attributes_[attribute];
  LossSum loss = options_.choice == TopDownOptions::Choice::kGain ? LossSum() : StateLoss(attribute, node);
  for (std::size_t place = 0; place < state.requirements.size(); ++place) {
    if (options_.choice == TopDownOptions::Choice::kGain) break;
    const std::size_t number = state.requirements[place];
    const Bound now = reached_[number];
    const Bound then = Then(attribute, node, place);
    switch (requirement(number).loss()) {
      case Requirement::Loss::kNone: continue;
      case Requirement::Loss::kRows:
        // Next to shares, counts lose in shares of themselves.
        loss.sum += share_units_ ? (static_cast<Int128>(now.above - then.above) << kLossBits) / now.above
                                 : static_cast<Int128>(now.above - then.above) << kLossBits;
        break;
      case Requirement::Loss::kShare:
        loss.sum += ((static_cast<Int128>(then.above) * now.below - static_cast<Int128>(now.above) * then.below) << kLossBits) /
                    (static_cast<Int128>(now.below) * then.below);
    }
    ++loss.terms;
  }
  return GainPerLoss(state.masked.gain(node), state.masked.scored_rows(node), loss);
}

std::optional<Refinement> TopDown::Best() const {
  std::optional<Refinement> best;
  UInt128 best_score = 0;
  for (std::size_t attribute = 0; attribute < attributes_.size(); ++attribute) {
    for (const int node : attributes_[attribute].masked.Refinements()) {
      const AttributeState& state = attributes_[attribute];
      if (state.alive[node] != 1 || !StateAllows(attribute, node)) continue;
      // Without any loss it would score this much; most are out of the question by that alone.
      const double most = static_cast<double>(state.masked.gain(node)) / static_cast<double>(state.masked.scored_rows(node));
      if (best && most * kScoreUnit < static_cast<double>(best_score) * kCertain) continue;
      const UInt128 score = ScoreOf(attribute, node);
      if (best && score <= best_score) continue;
      best = Refinement{attribute, node};
      best_score = score;
    }
  }
  return best || Holds() ? best : LeastViolation();
}

// Towards a state in which all hold: the refinement after which the first requirement that fails now is at its best, the
// one of the highest score among equals.
std::optional<Refinement> TopDown::LeastViolation() const {
  const auto& of_state = plan_.state_requirements;
  const auto first = std::find_if(of_state.begin(), of_state.end(), [](const auto& each) { return !each->Now().holds; });
  const auto failing = static_cast<std::size_t>(first - of_state.begin());
  std::optional<Refinement> best;
  Bound best_bound;
  UInt128 best_score = 0;
  for (std::size_t attribute = 0; attribute < attributes_.size(); ++attribute) {
    for (const int node : attributes_[attribute].masked.Refinements()) {
      if (attributes_[attribute].alive[node] != 1) continue;
      const Bound bound = After(attribute, node)[failing].bound;
      const UInt128 score = ScoreOf(attribute, node);
      if (best && ((*first)->Worse(bound, best_bound) || (!(*first)->Worse(best_bound, bound) && score <= best_score)))
        continue;
      best = Refinement{attribute, node};
      best_bound = bound;
      best_score = score;
    }
  }
  return best;
}

TopDown::Standing TopDown::StandingOf(const Refinement& refinement) const {
  const AttributeState& state = attributes_[refinement.attribute];
  Standing standing;
  standing.alive = state.alive[refinement.node] == 1 && StateAllows(refinement.attribute, refinement.node);
  for (std::size_t place = 0; place < state.requirements.size(); ++place) {
    standing.bounds.push_back(Then(refinement.attribute, refinement.node, place));
  }
  for (const auto& each : plan_.state_requirements) standing.bounds.push_back(each->After(*this, refinement).bound);
  if (state.masked.scored_rows(refinement.node) > 0) standing.score = ScoreOf(refinement.attribute, refinement.node);
  return standing;
}

}  // namespace cordon::engine
