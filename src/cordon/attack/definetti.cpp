// SPDX-License-Identifier: Apache-2.0
//
// Naive Bayes without labels: what is published of a group is how often each value occurs in it, and all groups together show
// which known values go with which sensitive ones. Beliefs and the learned frequencies improve each other in rounds.
#include <algorithm>
#include <cmath>

#include "cordon/attack/attacks.h"
#include "cordon/attack/known_groups.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr int kRounds = 10;
constexpr int kScalings = 10;                            // of the beliefs in a group, to its counts
constexpr double kPseudo = 1;                            // people of the average kind, added to each value: no frequency is 0
constexpr std::size_t kMaxCells = std::size_t{1} << 22;  // of a table of one known column and the sensitive one

// Beliefs in a group: people after people, a number per value.
using Beliefs = std::vector<float>;

// How often each place of the known columns goes with each value.
class Learner {
 public:
  Learner(const Seen& seen, std::size_t num_values) : seen_(seen), num_values_(num_values), of_value_(num_values) {
    for (const KnownColumn& column : seen.columns) {
      const std::size_t most = std::max<std::size_t>(16, kMaxCells / num_values);
      const std::size_t blocks = std::min(most, static_cast<std::size_t>(column.size));
      blocks_.push_back(blocks);
      tables_.emplace_back(blocks * num_values);
    }
  }

  void Learn(const std::vector<KnownGroup>& groups, const std::vector<Beliefs>& beliefs) {
    for (auto& table : tables_) std::fill(table.begin(), table.end(), 0.0);
    std::fill(of_value_.begin(), of_value_.end(), 0.0);
    double people = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto values = groups[i].values;
      const float* belief = beliefs[i].data();
      for (const RowId row : groups[i].people) {
        for (std::size_t c = 0; c < tables_.size(); ++c) {
          double* cells = tables_[c].data() + Block(c, row) * num_values_;
          for (std::size_t v = 0; v < values.size(); ++v) cells[values[v].value] += static_cast<double>(belief[v]);
        }
        for (std::size_t v = 0; v < values.size(); ++v) of_value_[values[v].value] += static_cast<double>(belief[v]);
        belief += values.size();
      }
      people += static_cast<double>(groups[i].people.size());
    }
    for (std::size_t c = 0; c < tables_.size(); ++c) ToLogs(c, people);
  }

  // ln P(known columns of the row | value), up to a constant of the row.
  double LogLikelihood(RowId row, Code value) const {
    double sum = 0;
    for (std::size_t c = 0; c < tables_.size(); ++c) sum += tables_[c][Block(c, row) * num_values_ + value];
    return sum;
  }

 private:
  std::size_t Block(std::size_t c, RowId row) const {
    const KnownColumn& column = seen_.columns[c];
    return static_cast<std::size_t>(column.place(row)) * blocks_[c] / static_cast<std::size_t>(column.size);
  }
  void ToLogs(std::size_t c, double people) {
    for (std::size_t block = 0; block < blocks_[c]; ++block) {
      double* cells = tables_[c].data() + block * num_values_;
      double share = 0;
      for (std::size_t v = 0; v < num_values_; ++v) share += cells[v];
      share /= people;
      if (share == 0) continue;  // nobody has it: it is never asked for
      for (std::size_t v = 0; v < num_values_; ++v)
        cells[v] = std::log((cells[v] + kPseudo * share) / (of_value_[v] + kPseudo));
    }
  }

  const Seen& seen_;
  std::size_t num_values_;
  std::vector<std::size_t> blocks_;
  std::vector<std::vector<double>> tables_;  // by column: block after block, a number per value
  std::vector<double> of_value_;
};

void Normalize(std::span<float> row) {
  float sum = 0;
  for (const float each : row) sum += each;
  for (float& each : row) each /= sum;
}

// The shares of the group, for everybody in it.
Beliefs SharesOf(const KnownGroup& group) {
  Beliefs beliefs;
  const auto rows = static_cast<float>(RowsOf(group.values));
  for (std::size_t i = 0; i < group.people.size(); ++i) {
    for (const ValueRows& each : group.values) beliefs.push_back(static_cast<float>(each.rows) / rows);
  }
  return beliefs;
}

// All members are known: the beliefs in a value add up to the number of its rows.
void ScaleToCounts(const KnownGroup& group, Beliefs& beliefs) {
  const std::size_t width = group.values.size();
  for (int step = 0; step < kScalings; ++step) {
    for (std::size_t v = 0; v < width; ++v) {
      float sum = 0;
      for (std::size_t i = v; i < beliefs.size(); i += width) sum += beliefs[i];
      const float factor = static_cast<float>(group.values[v].rows) / std::max(sum, 1e-30f);
      for (std::size_t i = v; i < beliefs.size(); i += width) beliefs[i] *= factor;
    }
    for (std::size_t i = 0; i < beliefs.size(); i += width) Normalize(std::span(beliefs).subspan(i, width));
  }
}

void Update(const KnownGroup& group, const Learner& learner, Beliefs& beliefs) {
  const std::size_t width = group.values.size();
  std::vector<double> logs(width);
  for (std::size_t i = 0; i < group.people.size(); ++i) {
    for (std::size_t v = 0; v < width; ++v) {
      logs[v] =
          std::log(static_cast<double>(group.values[v].rows)) + learner.LogLikelihood(group.people[i], group.values[v].value);
    }
    const double most = *std::max_element(logs.begin(), logs.end());
    for (std::size_t v = 0; v < width; ++v) beliefs[i * width + v] = static_cast<float>(std::exp(logs[v] - most));
    Normalize(std::span(beliefs).subspan(i * width, width));
  }
  if (width > 1) ScaleToCounts(group, beliefs);
}

std::vector<Beliefs> Converge(const Scene& scene, const std::vector<KnownGroup>& groups, std::size_t num_values) {
  std::vector<Beliefs> beliefs;
  for (const KnownGroup& group : groups) beliefs.push_back(SharesOf(group));
  Learner learner(scene.seen, num_values);
  for (int round = 0; round < kRounds && !scene.run.Stopped(); ++round) {
    learner.Learn(groups, beliefs);
    constexpr std::size_t kGroupsAtOnce = 64;
    ParallelFor(scene.run.threads, groups.size(), kGroupsAtOnce, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) Update(groups[i], learner, beliefs[i]);
    });
  }
  return beliefs;
}

}  // namespace

Result<Attacked> DeFinetti(const Scene& scene) {
  if (std::string why = WhyNoKnownGroups(scene); !why.empty()) return Attacked{{}, std::move(why)};
  Attacked made;
  for (std::size_t s = 0; s < scene.secrets.size(); ++s) {
    const TargetColumn& secret = scene.secrets[s];
    const KnownGroups known = KnownGroupsOf(scene, s);
    const std::vector<Beliefs> beliefs = Converge(scene, known.groups, secret.frequency.size());
    if (scene.run.Stopped()) return Error::Cancelled();
    const Code usual = MostFrequent(ListOf(secret.frequency), secret.frequency).value;
    std::vector<Score> scores;
    for (std::size_t i = 0; i < known.groups.size(); ++i) {
      const auto values = known.groups[i].values;
      const Code most = MostFrequent(values, secret.frequency).value;
      const float* belief = beliefs[i].data();
      for (const RowId row : known.groups[i].people) {
        const float* best = std::max_element(belief, belief + values.size());
        const Code guess = values[static_cast<std::size_t>(best - belief)].value;
        const Code truth = (*secret.truth)[row];
        scores.push_back({guess == truth ? 1.0 : 0.0, truth == usual ? 1.0 : 0.0, static_cast<double>(*best), true,
                          truth == most ? 1.0 : 0.0});
        belief += values.size();
      }
    }
    Figure figure = scene.Sum({"definetti", "", secret.name}, scores);
    figure.reference_name = "most frequent value of the group";
    made.figures.push_back(std::move(figure));
  }
  return made;
}

}  // namespace cordon::engine
