// SPDX-License-Identifier: Apache-2.0
//
// The cut by people: seeds at random, with each the k - 1 other people whose nearest tuple is nearest to it. What is left
// when fewer than k people remain goes where it widens least.
#include "cordon/algorithms/castle/castle_split.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace internal {

const std::vector<Candidate>& NearestTuples::Find(std::span<const double> distances, std::span<const std::int32_t> tuples,
                                                  std::size_t count, double most) {
  kept_.clear();
  if (count == 0) return kept_;
  // Stretches ascend with the distance, so a tuple in an earlier one is nearer.
  const double per_stretch = most > 0 ? static_cast<double>(kStretches - 1) / most : 0;
  std::size_t last = kStretches - 1;
  stretch_.resize(distances.size());
  if (distances.size() > count) {
    counts_.fill(0);
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const double stretch = std::min(distances[i] * per_stretch, static_cast<double>(kStretches - 1));
      stretch_[i] = static_cast<std::uint16_t>(static_cast<std::int32_t>(stretch));
      ++counts_[stretch_[i]];
    }
    std::size_t so_far = 0;
    for (last = 0; so_far + counts_[last] < count; ++last) so_far += counts_[last];
    so_far += counts_[last];
    kept_.resize(so_far + 1);  // one more is written to, and not kept
    std::size_t kept = 0;
    for (std::size_t i = 0; i < distances.size(); ++i) {
      kept_[kept] = {distances[i], tuples[i]};
      kept += stretch_[i] <= last ? 1 : 0;
    }
    kept_.resize(so_far);
  } else {
    for (std::size_t i = 0; i < distances.size(); ++i) kept_.push_back({distances[i], tuples[i]});
  }
  if (kept_.size() > count) {
    std::nth_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(count - 1), kept_.end());
    kept_.resize(count);
  }
  std::sort(kept_.begin(), kept_.end());  // what was nth_element's business must not show
  return kept_;
}

}  // namespace internal

// People are numbered in the order of their first tuple.
void Splitter::FindPeople(Tuples tuples) {
  std::int32_t most = 0;
  for (const SplitTuple& tuple : tuples) most = std::max(most, tuple.person);
  if (static_cast<std::size_t>(most) >= person_place_.size()) person_place_.resize(static_cast<std::size_t>(most) + 1, -1);
  person_of_.clear();
  rows_of_person_.clear();
  for (const SplitTuple& tuple : tuples) {
    std::int32_t& place = person_place_[tuple.person];
    if (place < 0) {
      place = static_cast<std::int32_t>(rows_of_person_.size());
      rows_of_person_.push_back(0);
    }
    ++rows_of_person_[place];
    person_of_.push_back(place);
  }
  for (const SplitTuple& tuple : tuples) person_place_[tuple.person] = -1;
  const std::size_t people = rows_of_person_.size();
  first_of_person_.assign(people + 1, 0);
  for (std::size_t person = 0; person < people; ++person) {
    first_of_person_[person + 1] = first_of_person_[person] + rows_of_person_[person];
  }
  tuples_of_person_.resize(tuples.size());
  std::vector<std::int32_t> next(first_of_person_.begin(), first_of_person_.end() - 1);
  for (std::size_t i = 0; i < tuples.size(); ++i) tuples_of_person_[next[person_of_[i]]++] = static_cast<std::int32_t>(i);
  all_points_.Clear();
  for (std::size_t i = 0; i < tuples.size(); ++i) all_points_.Add(static_cast<std::int32_t>(i), tuples[i].point);
  for (std::size_t axis = 0; axis < at_.size(); ++axis) {
    at_[axis].resize(tuples.size());
    for (std::size_t i = 0; i < tuples.size(); ++i) at_[axis][i] = tuples[i].point[axis];
  }
}

void Splitter::PlaceNearest(Tuples tuples, std::int32_t tuple, std::vector<SplitPart>& parts) {
  const double least = parts_.Join(tuples[tuple].point, joined_, increase_);
  const auto part = static_cast<std::size_t>(std::find(increase_.begin(), increase_.end(), least) - increase_.begin());
  parts[part].tuples.push_back(tuple);
  parts_.Extend(part, tuples[tuple].point);
}

// One cut by people: what is still to be given to a part.
class Splitter::PersonCut {
 public:
  PersonCut(const Splitter& splitter, PointLanes& points)
      : splitter_(splitter),
        points_(points),
        rows_(splitter.rows_of_person_),
        first_(splitter.first_of_person_.begin(), splitter.first_of_person_.end() - 1),
        live_(rows_.size()),
        live_at_(rows_.size()),
        lane_of_(splitter.person_of_.size()) {
    points_ = splitter.all_points_;
    std::iota(live_.begin(), live_.end(), 0);
    std::iota(live_at_.begin(), live_at_.end(), 0);
    std::iota(lane_of_.begin(), lane_of_.end(), 0);
  }

  const std::vector<std::int32_t>& live() const { return live_; }  // people who have tuples left
  bool is_left(std::int32_t tuple) const { return lane_of_[tuple] >= 0; }
  // The person's earliest tuple that is left.
  std::int32_t FirstOf(std::int32_t person) {
    std::int32_t& at = first_[person];
    while (!is_left(splitter_.tuples_of_person_[at])) ++at;
    return splitter_.tuples_of_person_[at];
  }

  void Take(std::int32_t tuple) {
    const std::int32_t lane = lane_of_[tuple];
    lane_of_[points_.numbers().back()] = lane;
    points_.Remove(static_cast<std::size_t>(lane));
    lane_of_[tuple] = -1;
    const std::int32_t person = splitter_.person_of_[tuple];
    if (--rows_[person] > 0) return;
    const std::int32_t place = live_at_[person];
    live_at_[live_.back()] = place;
    live_[place] = live_.back();
    live_.pop_back();
  }

 private:
  const Splitter& splitter_;
  PointLanes& points_;
  std::vector<std::int32_t> rows_;   // left, by person
  std::vector<std::int32_t> first_;  // by person: where in tuples_of_person_ to look for the first
  std::vector<std::int32_t> live_;
  std::vector<std::int32_t> live_at_;
  std::vector<std::int32_t> lane_of_;  // by tuple; -1: taken
};

// Of each person but the seed's the tuple nearest to the seed; of these the `count` nearest. joined_ holds the distances.
const std::vector<internal::Candidate>& Splitter::FindNearest(std::int32_t seed_person, const std::vector<std::int32_t>& live,
                                                              std::size_t count) {
  if (rows_of_person_.size() == person_of_.size()) {  // one tuple each; the seed's person has none left
    return nearest_.Find(joined_, points_.numbers(), count, widest_);
  }
  nearest_of_person_.resize(rows_of_person_.size());
  for (const std::int32_t person : live) nearest_of_person_[person].tuple = -1;
  for (std::size_t lane = 0; lane < points_.size(); ++lane) {
    const internal::Candidate candidate{joined_[lane], points_.number(lane)};
    internal::Candidate& best = nearest_of_person_[person_of_[candidate.tuple]];
    if (best.tuple < 0 || candidate < best) best = candidate;
  }
  distances_.clear();
  nearest_tuples_.clear();
  for (const std::int32_t person : live) {
    if (person == seed_person) continue;
    distances_.push_back(nearest_of_person_[person].distance);
    nearest_tuples_.push_back(nearest_of_person_[person].tuple);
  }
  return nearest_.Find(distances_, nearest_tuples_, count, widest_);
}

std::vector<SplitPart> Splitter::SplitByPerson(Tuples tuples, Random& random) {
  PersonCut cut(*this, points_);
  const auto others = static_cast<std::size_t>(needs_->k - 1);
  std::vector<SplitPart> parts;
  parts_.Clear();
  while (cut.live().size() > others) {
    const std::int32_t person = cut.live()[random.Below(cut.live().size())];
    const std::int32_t seed = cut.FirstOf(person);
    cut.Take(seed);
    SplitPart part{{seed}, loss_->Of(tuples[seed].point)};
    points_.Join(part.box, joined_);
    for (const internal::Candidate& candidate : FindNearest(person, cut.live(), others)) {
      part.tuples.push_back(candidate.tuple);
      loss_->Extend(part.box, tuples[candidate.tuple].point);
      cut.Take(candidate.tuple);
    }
    parts_.Set(parts_.Add(), part.box);
    parts.push_back(std::move(part));
  }
  std::vector<std::int32_t> left = cut.live();
  std::sort(left.begin(), left.end());
  for (const std::int32_t person : left) {
    for (std::int32_t at = first_of_person_[person]; at < first_of_person_[person + 1]; ++at) {
      if (cut.is_left(tuples_of_person_[at])) PlaceNearest(tuples, tuples_of_person_[at], parts);
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].box = parts_.box(i);
  return parts;
}

bool Splitter::Satisfies(Tuples tuples, const std::vector<std::int32_t>& numbers) const {
  const auto distinct = [&](auto item_of) {
    std::vector<std::int32_t> items;
    for (const std::int32_t tuple : numbers) items.push_back(item_of(tuples[tuple]));
    std::erase(items, kNull);
    std::sort(items.begin(), items.end());
    return std::unique(items.begin(), items.end()) - items.begin();
  };
  if (distinct([](const SplitTuple& tuple) { return tuple.person; }) < needs_->k) return false;
  for (std::size_t need = 0; need < needs_->diversity.size(); ++need) {
    if (distinct([&](const SplitTuple& tuple) { return tuple.values[need]; }) < needs_->diversity[need].l) return false;
  }
  return true;
}

// With needs about several attributes a cut by one of them may leave a part short of another; such parts join the part that
// this widens least, until all have enough. All together have.
void Splitter::Repair(Tuples tuples, std::vector<SplitPart>& parts) {
  for (;;) {
    const auto poor =
        std::find_if(parts.begin(), parts.end(), [&](const SplitPart& part) { return !Satisfies(tuples, part.tuples); });
    if (poor == parts.end()) return;
    CORDON_CHECK_LT(std::size_t{1}, parts.size());
    const SplitPart part = std::move(*poor);
    parts.erase(poor);
    const auto joined_loss = [&](const SplitPart& other) {
      LossBox box = other.box;
      loss_->Extend(box, part.box);
      return loss_->Loss(box);
    };
    SplitPart* nearest = &parts[0];
    for (SplitPart& other : parts) {
      if (joined_loss(other) < joined_loss(*nearest)) nearest = &other;
    }
    loss_->Extend(nearest->box, part.box);
    nearest->tuples.insert(nearest->tuples.end(), part.tuples.begin(), part.tuples.end());
  }
}

std::vector<SplitPart> Splitter::Split(Tuples tuples, Random& random) {
  std::vector<SplitPart> best;
  double least = std::numeric_limits<double>::infinity();
  FindPeople(tuples);
  std::vector<std::int32_t> all(tuples.size());
  std::iota(all.begin(), all.end(), 0);
  widest_ = loss_->Loss(PartOf(std::move(all)).box);
  // Halves come last: if they find no cut they lose no less than a random one, which goes before them.
  for (int i = 0; i < tries_ + (cuts_ == Cuts::kBest ? 1 : 0); ++i) {
    std::vector<SplitPart> parts = i < tries_ ? SplitAtRandom(tuples, random) : SplitByHalves(tuples);
    double loss = 0;
    for (const SplitPart& part : parts) loss += loss_->Loss(part.box) * static_cast<double>(part.tuples.size());
    if (loss >= least) continue;
    least = loss;
    best = std::move(parts);
  }
  return best;
}

std::vector<SplitPart> Splitter::SplitAtRandom(Tuples tuples, Random& random) {
  if (needs_->diversity.empty()) return SplitByPerson(tuples, random);
  const auto widest = std::max_element(needs_->diversity.begin(), needs_->diversity.end(),
                                       [](const auto& a, const auto& b) { return a.l < b.l; });
  std::vector<SplitPart> parts =
      SplitByValue(tuples, static_cast<std::size_t>(widest - needs_->diversity.begin()), widest->l, random);
  if (needs_->diversity.size() > 1) Repair(tuples, parts);
  return parts;
}

}  // namespace cordon::engine
