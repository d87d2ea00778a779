// SPDX-License-Identifier: Apache-2.0
//
// The cut by people: seeds at random, with each the k - 1 other people whose nearest tuple is nearest to it. What is left
// when fewer than k people remain goes where it widens least.
#include "cordon/algorithms/castle_split.h"

#include <algorithm>
#include <limits>

#include "cordon/base/check.h"

namespace cordon {
namespace {

struct Candidate {
  double distance;
  std::int32_t tuple;
  std::int32_t lane;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.tuple < b.tuple;
  }
};

// Keeps the `count` least of all candidates shown to it; most are turned away by one comparison.
class Least {
 public:
  explicit Least(std::size_t count) : count_(count) { kept_.reserve(2 * count + 1); }
  void Show(const Candidate& candidate) {
    if (candidate.distance > limit_ || count_ == 0) return;
    kept_.push_back(candidate);
    if (kept_.size() > 2 * count_) Trim();
  }
  const std::vector<Candidate>& Finish() {
    if (kept_.size() > count_) Trim();
    std::sort(kept_.begin(), kept_.end());
    return kept_;
  }
  void Restart() {
    kept_.clear();
    limit_ = std::numeric_limits<double>::infinity();
  }

 private:
  void Trim() {
    std::nth_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(count_ - 1), kept_.end());
    kept_.resize(count_);
    limit_ = kept_[count_ - 1].distance;
  }
  std::size_t count_;
  double limit_ = std::numeric_limits<double>::infinity();
  std::vector<Candidate> kept_;
};

}  // namespace

// The tuples of each person, in order of arrival; people in order of their first.
std::vector<std::vector<std::int32_t>> Splitter::ByPerson(Tuples tuples) {
  std::vector<std::vector<std::int32_t>> buckets;
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    const auto person = static_cast<std::size_t>(tuples[i].person);
    if (person >= bucket_of_person_.size()) bucket_of_person_.resize(person + 1, -1);
    if (bucket_of_person_[person] < 0) {
      bucket_of_person_[person] = static_cast<std::int32_t>(buckets.size());
      buckets.emplace_back();
    }
    buckets[bucket_of_person_[person]].push_back(static_cast<std::int32_t>(i));
  }
  for (const SplitTuple& tuple : tuples) bucket_of_person_[tuple.person] = -1;
  return buckets;
}

void Splitter::PlaceNearest(Tuples tuples, std::int32_t tuple, std::vector<SplitPart>& parts) {
  const double least = parts_.Join(tuples[tuple].point, joined_, increase_);
  const auto part = static_cast<std::size_t>(std::find(increase_.begin(), increase_.end(), least) - increase_.begin());
  parts[part].tuples.push_back(tuple);
  parts_.Extend(part, tuples[tuple].point);
}

std::vector<SplitPart> Splitter::SplitByPerson(Tuples tuples, Random& random) {
  std::vector<std::vector<std::int32_t>> buckets = ByPerson(tuples);
  const bool one_each = buckets.size() == tuples.size();
  std::vector<std::int32_t> bucket_of(tuples.size());
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    for (const std::int32_t tuple : buckets[b]) bucket_of[tuple] = static_cast<std::int32_t>(b);
  }
  std::vector<std::int32_t> live(buckets.size());  // buckets that are not empty
  std::vector<std::int32_t> live_at(buckets.size());
  for (std::size_t b = 0; b < buckets.size(); ++b) live[b] = live_at[b] = static_cast<std::int32_t>(b);
  std::vector<std::int32_t> lane_of(tuples.size());
  points_.Clear();
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    points_.Add(static_cast<std::int32_t>(i), tuples[i].point);
    lane_of[i] = static_cast<std::int32_t>(i);
  }
  const auto take = [&](std::int32_t tuple) {
    const std::int32_t lane = lane_of[tuple];
    lane_of[points_.numbers().back()] = lane;
    points_.Remove(static_cast<std::size_t>(lane));
    std::vector<std::int32_t>& bucket = buckets[bucket_of[tuple]];
    bucket.erase(std::find(bucket.begin(), bucket.end(), tuple));
    if (!bucket.empty()) return;
    const std::int32_t place = live_at[bucket_of[tuple]];
    live_at[live.back()] = place;
    live[place] = live.back();
    live.pop_back();
  };

  const auto others = static_cast<std::size_t>(needs_->k - 1);
  Least nearest(others);
  std::vector<Candidate> nearest_of(one_each ? 0 : buckets.size());
  std::vector<SplitPart> parts;
  parts_.Clear();
  while (live.size() > others) {
    const std::int32_t seed_bucket = live[random.Below(live.size())];
    const std::int32_t seed = buckets[seed_bucket].front();
    take(seed);
    SplitPart part{{seed}, loss_->Of(tuples[seed].point)};
    points_.Join(part.box, joined_);
    nearest.Restart();
    if (one_each) {
      for (std::size_t lane = 0; lane < points_.size(); ++lane) {
        nearest.Show({joined_[lane], points_.number(lane), static_cast<std::int32_t>(lane)});
      }
    } else {
      for (const std::int32_t b : live) nearest_of[b].tuple = -1;
      for (std::size_t lane = 0; lane < points_.size(); ++lane) {
        const Candidate candidate{joined_[lane], points_.number(lane), static_cast<std::int32_t>(lane)};
        Candidate& best = nearest_of[bucket_of[candidate.tuple]];
        if (best.tuple < 0 || candidate < best) best = candidate;
      }
      for (const std::int32_t b : live) {
        if (b != seed_bucket) nearest.Show(nearest_of[b]);
      }
    }
    for (const Candidate& candidate : nearest.Finish()) {
      part.tuples.push_back(candidate.tuple);
      loss_->Extend(part.box, tuples[candidate.tuple].point);
      take(candidate.tuple);
    }
    parts_.Set(parts_.Add(), part.box);
    parts.push_back(std::move(part));
  }
  std::sort(live.begin(), live.end());
  for (const std::int32_t b : live) {
    for (const std::int32_t tuple : buckets[b]) PlaceNearest(tuples, tuple, parts);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].box = parts_.box(i);
  return parts;
}

bool Splitter::Satisfies(Tuples tuples, const SplitPart& part) const {
  const auto distinct = [&](auto item_of) {
    std::vector<std::int32_t> items;
    for (const std::int32_t tuple : part.tuples) items.push_back(item_of(tuples[tuple]));
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
    const auto poor = std::find_if(parts.begin(), parts.end(), [&](const SplitPart& part) { return !Satisfies(tuples, part); });
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
  if (needs_->diversity.empty()) return SplitByPerson(tuples, random);
  const auto widest = std::max_element(needs_->diversity.begin(), needs_->diversity.end(),
                                       [](const auto& a, const auto& b) { return a.l < b.l; });
  std::vector<SplitPart> parts =
      SplitByValue(tuples, static_cast<std::size_t>(widest - needs_->diversity.begin()), widest->l, random);
  if (needs_->diversity.size() > 1) Repair(tuples, parts);
  return parts;
}

}  // namespace cordon
