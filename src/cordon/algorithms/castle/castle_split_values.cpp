// SPDX-License-Identifier: Apache-2.0
//
// The cut with l-diversity: one tuple is chosen of each person, the chosen are put into buckets by their value, and each part
// takes from the buckets in proportion, from at least l of them. The rest of a person's tuples follow the chosen one.
#include <algorithm>
#include <map>
#include <numeric>

#include "cordon/algorithms/castle/castle_split.h"
#include "cordon/base/check.h"
#include "cordon/data/codes.h"

namespace cordon::engine {
namespace {

using Numbers = std::vector<std::int32_t>;

// One tuple of each person that has a value: people with few different values first, each the value chosen least so far.
std::map<std::int32_t, Numbers> ChooseOneEach(std::span<const SplitTuple> tuples, const std::vector<Numbers>& people,
                                              std::size_t need) {
  std::vector<std::pair<std::size_t, std::size_t>> order;  // different values, person
  std::vector<std::map<std::int32_t, std::int32_t>> first_with(people.size());
  for (std::size_t person = 0; person < people.size(); ++person) {
    for (const std::int32_t tuple : people[person]) {
      if (tuples[tuple].values[need] != kNull) first_with[person].emplace(tuples[tuple].values[need], tuple);
    }
    if (!first_with[person].empty()) order.emplace_back(first_with[person].size(), person);
  }
  std::sort(order.begin(), order.end());
  std::map<std::int32_t, Numbers> chosen;
  for (const auto& [values, person] : order) {
    const auto better = [&](const auto& a, const auto& b) {
      const auto size = [&](std::int32_t value) { return chosen.contains(value) ? chosen.at(value).size() : 0; };
      const std::size_t of_a = size(a.first);
      const std::size_t of_b = size(b.first);
      return of_a != of_b ? of_a < of_b : a.second < b.second;
    };
    const auto& [value, tuple] = *std::min_element(first_with[person].begin(), first_with[person].end(), better);
    chosen[value].push_back(tuple);
  }
  return chosen;
}

}  // namespace

std::vector<std::int64_t> CastleQuotas(std::span<const std::int64_t> sizes, std::int64_t k, std::int64_t l) {
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) sum += size;
  CORDON_CHECK_LE(k, sum);
  std::vector<std::int64_t> quotas;
  std::vector<std::pair<std::int64_t, std::size_t>> remainders;  // larger first, then the earlier bucket
  std::int64_t given = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    quotas.push_back(k * sizes[i] / sum);
    given += quotas.back();
    remainders.emplace_back(-(k * sizes[i] % sum), i);
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t i = 0; given < k; ++i, ++given) ++quotas[remainders[i].second];
  for (;;) {
    const auto giving = std::count_if(quotas.begin(), quotas.end(), [](std::int64_t quota) { return quota > 0; });
    if (giving >= l) return quotas;
    std::size_t into = sizes.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (quotas[i] == 0 && sizes[i] > 0 && (into == sizes.size() || sizes[i] > sizes[into])) into = i;
    }
    CORDON_CHECK_LT(into, sizes.size());
    --*std::max_element(quotas.begin(), quotas.end());
    ++quotas[into];
  }
}

// Buckets of the chosen tuples by value, in the order of their first.
std::vector<PointLanes> Splitter::ValueBuckets(Tuples tuples, const std::vector<Numbers>& people, std::size_t need) const {
  std::vector<Numbers> chosen;
  for (auto& [value, numbers] : ChooseOneEach(tuples, people, need)) {
    chosen.push_back(std::move(numbers));
    std::sort(chosen.back().begin(), chosen.back().end());
  }
  std::sort(chosen.begin(), chosen.end(), [](const Numbers& a, const Numbers& b) { return a.front() < b.front(); });
  std::vector<PointLanes> buckets;
  for (const Numbers& numbers : chosen) {
    buckets.emplace_back(*loss_);
    for (const std::int32_t tuple : numbers) buckets.back().Add(tuple, tuples[tuple].point);
  }
  return buckets;
}

// Moves the `count` tuples of the bucket that widen the part least, as it has grown so far, into it.
void Splitter::TakeNearest(Tuples tuples, PointLanes& bucket, std::int64_t count, SplitPart& part) {
  bucket.Join(part.box, joined_);
  std::vector<std::pair<double, std::int32_t>> order;
  for (std::size_t lane = 0; lane < bucket.size(); ++lane) order.emplace_back(joined_[lane], bucket.number(lane));
  const auto end = order.begin() + count;
  std::nth_element(order.begin(), end, order.end());
  std::sort(order.begin(), end);
  for (auto it = order.begin(); it != end; ++it) {
    part.tuples.push_back(it->second);
    loss_->Extend(part.box, tuples[it->second].point);
    const auto& numbers = bucket.numbers();
    bucket.Remove(static_cast<std::size_t>(std::find(numbers.begin(), numbers.end(), it->second) - numbers.begin()));
  }
}

// One part of k tuples, in proportion from the buckets and from l of them at least; nothing if they hold too little.
std::optional<SplitPart> Splitter::TakePart(Tuples tuples, std::vector<PointLanes>& buckets, std::int64_t l, Random& random) {
  std::vector<std::int64_t> sizes;
  std::int64_t sum = 0;
  for (const PointLanes& bucket : buckets) {
    sizes.push_back(static_cast<std::int64_t>(bucket.size()));
    sum += sizes.back();
  }
  if (static_cast<std::int64_t>(buckets.size()) < l || sum < needs_->k) return std::nullopt;
  std::vector<std::int64_t> quotas = CastleQuotas(sizes, needs_->k, l);
  std::vector<std::size_t> giving;
  for (std::size_t i = 0; i < quotas.size(); ++i) {
    if (quotas[i] > 0) giving.push_back(i);
  }
  const std::size_t seed_bucket = giving[random.Below(giving.size())];
  const std::size_t seed_lane = random.Below(buckets[seed_bucket].size());
  const std::int32_t seed = buckets[seed_bucket].number(seed_lane);
  buckets[seed_bucket].Remove(seed_lane);
  --quotas[seed_bucket];
  SplitPart part{{seed}, loss_->Of(tuples[seed].point)};
  for (std::size_t i = 0; i < buckets.size(); ++i) TakeNearest(tuples, buckets[i], quotas[i], part);
  std::erase_if(buckets, [](const PointLanes& bucket) { return bucket.size() == 0; });
  return part;
}

// The tuples that were not chosen follow their person; people without any value go where they widen least.
void Splitter::PlaceUnchosen(Tuples tuples, const std::vector<Numbers>& people, std::vector<SplitPart>& parts) {
  std::vector<std::int32_t> part_of(tuples.size(), -1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const std::int32_t tuple : parts[i].tuples) part_of[tuple] = static_cast<std::int32_t>(i);
  }
  for (const Numbers& own : people) {
    std::int32_t home = -1;
    for (const std::int32_t tuple : own) home = std::max(home, part_of[tuple]);
    for (const std::int32_t tuple : own) {
      if (part_of[tuple] >= 0) continue;
      if (home < 0) {
        PlaceNearest(tuples, tuple, parts);
      } else {
        parts[home].tuples.push_back(tuple);
        parts_.Extend(static_cast<std::size_t>(home), tuples[tuple].point);
      }
    }
  }
}

std::vector<SplitPart> Splitter::SplitByValue(Tuples tuples, std::size_t need, std::int64_t l, Random& random) {
  std::vector<Numbers> people;
  for (std::size_t person = 0; person < rows_of_person_.size(); ++person) {
    people.emplace_back(tuples_of_person_.begin() + first_of_person_[person],
                        tuples_of_person_.begin() + first_of_person_[person + 1]);
  }
  std::vector<PointLanes> buckets = ValueBuckets(tuples, people, need);
  std::vector<SplitPart> parts;
  parts_.Clear();
  while (auto part = TakePart(tuples, buckets, l, random)) {
    parts_.Set(parts_.Add(), part->box);
    parts.push_back(*std::move(part));
  }
  if (parts.empty()) {  // fewer than l values among one tuple per person: no cut
    Numbers all(tuples.size());
    std::iota(all.begin(), all.end(), 0);
    return {PartOf(std::move(all))};
  }
  for (const PointLanes& bucket : buckets) {
    Numbers left = bucket.numbers();
    std::sort(left.begin(), left.end());
    for (const std::int32_t tuple : left) PlaceNearest(tuples, tuple, parts);
  }
  PlaceUnchosen(tuples, people, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].box = parts_.box(i);
  return parts;
}

}  // namespace cordon::engine
