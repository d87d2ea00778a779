// SPDX-License-Identifier: Apache-2.0
//
// Minimality inside a group: in which assignments of its values to its members could no straight cut divide it?
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cordon/attack/attacks.h"
#include "cordon/attack/known_groups.h"
#include "cordon/base/parallel_for.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxWorlds = 5'000;    // gone through one by one
constexpr std::size_t kDrawnWorlds = 1'000;  // of more
constexpr double kMaxSteps = 4e8;            // rows looked at; of more groups, some are drawn

// The models as they judge the values of one column: a row of microdata per value, to be counted as often as need be.
struct ValueModel {
  Microdata values;
  Reference reference;
  std::optional<AllOf> model;
  std::optional<CountedColumns> counted;
};

// Models that speak of other sensitive columns are left out: he does not know their values. So are those that go by who has
// which value: he does not know whose the rows are.
Result<void> MakeValueModel(const Scene& scene, const TargetColumn& secret, ValueModel& made) {
  std::vector<ModelSpec> models;
  for (const ModelSpec& spec : scene.input.models) {
    const std::vector<std::string> columns = SensitiveColumns(spec);
    if (CountsPersons(spec)) continue;
    if (std::all_of(columns.begin(), columns.end(), [&](const std::string& name) { return name == secret.name; })) {
      models.push_back(spec);
    }
  }
  const std::size_t num_values = secret.frequency.size();
  made.values.num_rows = num_values;
  made.values.num_persons = num_values;
  made.values.columns.push_back({scene.original().columns[secret.index].attribute,
                                 Codes::Generate(num_values, 1, [](std::size_t row) { return static_cast<Code>(row); }),
                                 {}});
  made.reference.sensitive = {made.values.columns[0].attribute};
  made.reference.histograms.emplace_back(num_values);
  for (std::size_t row = 0; row < scene.release().num_rows; ++row) ++made.reference.histograms[0][secret.shown[row]];
  made.reference.rows = static_cast<std::int64_t>(scene.release().num_rows);
  CORDON_TRY(AllOf model, AllOf::Make(models, made.reference));
  made.model.emplace(std::move(model));
  made.counted.emplace(made.values, std::vector<std::size_t>{0}, false);
  return {};
}

// Members in the order of a column, and where it can be cut: at least `least` rows on either side.
struct Cuts {
  std::vector<std::size_t> order;
  std::vector<std::size_t> after;  // a cut after this many members, ascending
};

std::vector<Cuts> CutsOf(const Scene& scene, std::span<const RowId> people, std::size_t least) {
  std::vector<Cuts> columns;
  for (const std::size_t index : scene.original().ColumnsOf(Role::kQuasi)) {
    const Codes& codes = scene.original().columns[index].codes;
    Cuts cuts;
    cuts.order.resize(people.size());
    std::iota(cuts.order.begin(), cuts.order.end(), std::size_t{0});
    std::stable_sort(cuts.order.begin(), cuts.order.end(),
                     [&](std::size_t a, std::size_t b) { return codes[people[a]] < codes[people[b]]; });
    for (std::size_t i = std::max<std::size_t>(1, least); i + least <= people.size() && i < people.size(); ++i) {
      if (codes[people[cuts.order[i - 1]]] != codes[people[cuts.order[i]]]) cuts.after.push_back(i);
    }
    if (!cuts.after.empty()) columns.push_back(std::move(cuts));
  }
  return columns;
}

class GroupWorlds {
 public:
  GroupWorlds(const ValueModel& model, const KnownGroup& group, std::vector<Cuts> cuts)
      : model_(model), group_(group), cuts_(std::move(cuts)), left_(*model.counted), right_(*model.counted) {
    for (const ValueRows& each : group.values) world_.insert(world_.end(), each.rows, each.value);
    seen_.resize(group.people.size() * group.values.size());
  }

  // How many worlds there are, as far as kMaxWorlds.
  std::size_t Count() const {
    double worlds = 1;
    double placed = 0;
    for (const ValueRows& each : group_.values) {
      for (std::uint32_t i = 1; i <= each.rows; ++i) worlds *= ++placed / i;
      if (worlds > kMaxWorlds) return kMaxWorlds + 1;
    }
    return static_cast<std::size_t>(std::llround(worlds));
  }
  void TryAll() {
    do Try();
    while (std::next_permutation(world_.begin(), world_.end()));
  }
  void TryRandom(QuickRandom random) {
    for (std::size_t i = 0; i < kDrawnWorlds; ++i) {
      for (std::size_t left = world_.size(); left > 1; --left) std::swap(world_[left - 1], world_[random.Below(left)]);
      Try();
    }
  }
  // Worlds in which this member has each value, in the order of the group's; all 0 if no world was left.
  std::span<const std::uint32_t> seen(std::size_t member) const {
    return std::span(seen_).subspan(member * group_.values.size(), group_.values.size());
  }
  std::uint64_t kept() const { return kept_; }

 private:
  void Try() {
    for (const Cuts& cuts : cuts_) {
      if (Divides(cuts)) return;
    }
    ++kept_;
    for (std::size_t member = 0; member < world_.size(); ++member) {
      const auto at = std::lower_bound(group_.values.begin(), group_.values.end(), world_[member],
                                       [](const ValueRows& each, Code value) { return each.value < value; });
      ++seen_[member * group_.values.size() + static_cast<std::size_t>(at - group_.values.begin())];
    }
  }
  bool Divides(const Cuts& cuts) {
    left_.Clear();
    right_.Clear();
    for (const Code value : world_) right_.Add(static_cast<RowId>(value));
    std::size_t moved = 0;
    for (const std::size_t cut : cuts.after) {
      for (; moved < cut; ++moved) {
        const auto value = static_cast<RowId>(world_[cuts.order[moved]]);
        right_.Remove(value);
        left_.Add(value);
      }
      if (model_.model->Admits(left_) && model_.model->Admits(right_)) return true;
    }
    return false;
  }

  const ValueModel& model_;
  const KnownGroup& group_;
  std::vector<Cuts> cuts_;
  GroupCounts left_;
  GroupCounts right_;
  std::vector<Code> world_;          // the value of each member
  std::vector<std::uint32_t> seen_;  // member after member, worlds per value
  std::uint64_t kept_ = 0;
};

// Each member is guessed by the worlds that are left, or by the shares if none is.
std::vector<Score> ScoreMembers(const KnownGroup& group, const GroupWorlds* worlds, const TargetColumn& secret, Code usual) {
  const Code most = MostFrequent(group.values, secret.frequency).value;
  std::vector<Score> scores;
  for (std::size_t member = 0; member < group.people.size(); ++member) {
    std::vector<ValueRows> values(group.values.begin(), group.values.end());
    if (worlds != nullptr && worlds->kept() > 0) {
      for (std::size_t v = 0; v < values.size(); ++v) values[v].rows = worlds->seen(member)[v];
    }
    const ValueRows best = MostFrequent(values, secret.frequency);
    const Code truth = (*secret.truth)[group.people[member]];
    scores.push_back({best.value == truth ? 1.0 : 0.0, truth == usual ? 1.0 : 0.0,
                      static_cast<double>(best.rows) / static_cast<double>(RowsOf(values)), true, truth == most ? 1.0 : 0.0});
  }
  return scores;
}

// All groups, or, drawn at random, those that there is time for.
std::vector<KnownGroup> GroupsInTime(std::vector<KnownGroup> groups, std::size_t least, std::size_t num_columns,
                                     QuickRandom random) {
  for (std::size_t left = groups.size(); left > 1; --left) std::swap(groups[left - 1], groups[random.Below(left)]);
  double steps = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].people.size() < 2 * least) continue;  // it cannot be cut
    steps += static_cast<double>(groups[i].people.size() * num_columns) * static_cast<double>(kDrawnWorlds);
    if (steps <= kMaxSteps || i == 0) continue;
    groups.resize(i);
    break;
  }
  return groups;
}

}  // namespace

Result<Attacked> MinimalityByCuts(const Scene& scene) {
  if (std::string why = WhyNoKnownGroups(scene); !why.empty()) return Attacked{{}, std::move(why)};
  Attacked made;
  for (std::size_t s = 0; s < scene.secrets.size(); ++s) {
    const TargetColumn& secret = scene.secrets[s];
    ValueModel model;
    if (const auto ok = MakeValueModel(scene, secret, model); !ok.ok()) return Attacked{{}, ok.error().message()};
    const KnownGroups known = KnownGroupsOf(scene, s);
    const auto least = static_cast<std::size_t>(std::max<std::int64_t>(1, model.model->MinRows()));
    const Code usual = MostFrequent(ListOf(secret.frequency), secret.frequency).value;
    const std::vector<KnownGroup> groups =
        GroupsInTime(known.groups, least, scene.original().ColumnsOf(Role::kQuasi).size(), scene.Draws("groups"));
    std::vector<std::vector<Score>> by_group(groups.size());
    ParallelFor(scene.run.threads, groups.size(), 16, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end && !scene.run.Stopped(); ++i) {
        const KnownGroup& group = groups[i];
        std::optional<GroupWorlds> worlds;
        std::vector<Cuts> cuts;
        if (group.values.size() > 1) cuts = CutsOf(scene, group.people, least);
        if (!cuts.empty()) {
          worlds.emplace(model, group, std::move(cuts));
          if (worlds->Count() <= kMaxWorlds) {
            worlds->TryAll();
          } else {
            worlds->TryRandom(scene.Draws("worlds", i));
          }
        }
        by_group[i] = ScoreMembers(group, worlds ? &*worlds : nullptr, secret, usual);
      }
    });
    if (scene.run.Stopped()) return Error::Cancelled();
    std::vector<Score> scores;
    for (const auto& each : by_group) scores.insert(scores.end(), each.begin(), each.end());
    Figure figure = scene.Sum({"minimality", "cuts", secret.name}, scores);
    figure.reference_name = "most frequent value of the group";
    made.figures.push_back(std::move(figure));
  }
  return made;
}

}  // namespace cordon::engine
