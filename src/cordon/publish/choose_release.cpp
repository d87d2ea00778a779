// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/choose_release.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "cordon/plan/check_guarded.h"
#include "cordon/plan/homogeneous.h"
#include "cordon/plan/objective.h"
#include "cordon/plan/run_top_down.h"
#include "cordon/plan/unused_settings.h"
#include "cordon/plan/warn_several_rows.h"
#include "cordon/policy/exact_columns.h"
#include "cordon/policy/workload.h"
#include "cordon/publish/make_release.h"
#include "cordon/publish/stopwatch.h"

namespace cordon::engine {
namespace {

// A release that could be kept.
struct Attempt {
  MadeRelease made;
  Utility utility;
  double objective = 0;
  std::size_t candidate = 0;  // of those tried
};

struct Times {
  double search = 0;
  double verify = 0;
  double measure = 0;
};

// Releases of one global recoding are sorted by what they show, others shuffled.
RowOrder OrderOf(const AnonymizeRequest& request, bool global) {
  if (request.order) return *request.order;
  return global ? RowOrder::kSorted : RowOrder::kShuffled;
}

MakeOptions OptionsOf(const AnonymizeRequest& request, const Policy& policy, bool global) {
  return {.effort = request.effort.value_or(Effort::kNormal),
          .recode = {.order = OrderOf(request, global),
                     .suppressed =
                         policy.algorithm.suppressed == Suppression::kStar ? SuppressedRows::kStar : SuppressedRows::kDrop,
                     .group_column = request.group_column},
          .keep_per_group = request.html.has_value() || ShowsSpread(policy.models)};
}

// Tells which of several tries goes on, with its own share.
class TryProgress final : public Progress {
 public:
  TryProgress(Progress* inner, std::string name) : inner_(inner), name_(std::move(name)) {}
  void Report(std::string_view, std::uint64_t done, std::uint64_t total) override { inner_->Report(name_, done, total); }

 private:
  Progress* inner_;
  std::string name_;
};

// Tries algorithms one after the other and keeps the best release so far.
class Trial {
 public:
  Trial(const AnonymizeRequest& request, const Policy& policy, const Microdata& data, const Random& random,
        const std::optional<Workload>& workload, const PreviousReleases* previous, const Run& run)
      : request_(request), policy_(policy), data_(data), workload_(workload), previous_(previous), random_(random), run_(run) {}

  // `left`: candidates that share the time that is left, this one among them.
  Result<void> Try(const Candidate& candidate, std::size_t left) {
    tried_.push_back({.algorithm = candidate.algorithm->name, .left_out = candidate.left_out});
    if (!candidate.left_out.empty()) return {};
    const std::optional<double> seconds = SecondsLeft();
    if (seconds && *seconds <= 0 && best_) {
      tried_.back().left_out = "the time was used up";
      time_up_ = true;
      return {};
    }
    return Search(candidate, seconds ? std::optional(*seconds / static_cast<double>(left)) : std::nullopt);
  }

  void Compare() { compares_ = true; }

  Result<void> Recoded(const Recoding& recoding, const std::string& path) {
    tried_.push_back({.algorithm = "recoding"});
    return Consider(MakeByRecoding(recoding, path, data_, policy_, OptionsOf(request_, policy_, false), random_, run_), true);
  }

  // REQUIRES: all tries are done. The error of `auto`'s own choice where none came to a release.
  Result<Attempt> Best() {
    if (!best_) return std::move(*failure_);
    tried_[best_->candidate].kept = true;
    return std::move(*best_);
  }
  const Times& times() const { return times_; }
  std::vector<Tried> TakeTried() { return std::move(tried_); }
  bool time_up() const { return time_up_; }

 private:
  std::optional<double> SecondsLeft() const {
    if (!request_.seconds) return std::nullopt;
    return *request_.seconds - since_.Elapsed();
  }

  Result<void> Search(const Candidate& candidate, std::optional<double> seconds) {
    const AlgorithmEntry& algorithm = *candidate.algorithm;
    Run run = run_;
    std::optional<TimeBudget> budget;
    if (seconds) run.budget = &budget.emplace(*seconds);
    TryProgress progress(run_.progress, fmt::format("{}. {}", tried_.size(), algorithm.name));
    if (run_.progress != nullptr && compares_) run.progress = &progress;
    Stopwatch watch;
    MakeOptions options = OptionsOf(request_, policy_, algorithm.masks_values());
    options.compared = compares_;
    options.previous = previous_;
    auto made = MakeByAlgorithm(algorithm, data_, policy_, options, random_, run);
    tried_.back().seconds = watch.Lap();
    tried_.back().cut_short = budget && budget->cut_short();
    time_up_ = time_up_ || tried_.back().cut_short;
    return Consider(std::move(made), candidate.own_choice);
  }

  // A release takes the place of a worse one; of those that are as good the one of `auto`'s own choice is kept. What no
  // algorithm could fix is an error of the whole; others are of this try.
  Result<void> Consider(Result<MadeRelease> made, bool own_choice) {
    if (!made.ok()) {
      const ErrorKind kind = made.error().kind();
      if (kind == ErrorKind::kCancelled || kind == ErrorKind::kIo) return std::move(made).error();
      tried_.back().failed = made.error().message();
      if (own_choice || !failure_) failure_ = std::move(made).error();
      return {};
    }
    Stopwatch watch;
    Tried& tried = tried_.back();
    CORDON_TRY(Utility utility, MeasureUtility(made.value().verified.release(), data_, request_.measure, run_));
    if (workload_) {
      CORDON_TRY(utility.workload, MeasureWorkloadError(data_, made.value().verified.release(), *workload_, run_));
    }
    const double objective = ObjectiveValue(policy_, utility);
    tried.information_loss = utility.loss.information_loss;
    tried.objective = objective;
    tried.seconds = made.value().search_seconds;
    times_.search += made.value().search_seconds;
    times_.verify += made.value().verify_seconds;
    times_.measure += watch.Lap();
    if (best_ && (best_->objective < objective || (best_->objective == objective && !own_choice))) return {};
    best_.emplace(Attempt{std::move(made).value(), std::move(utility), objective, tried_.size() - 1});
    return {};
  }

  const AnonymizeRequest& request_;
  const Policy& policy_;
  const Microdata& data_;
  const std::optional<Workload>& workload_;
  const PreviousReleases* previous_;
  const Random& random_;
  const Run& run_;
  Stopwatch since_;
  bool compares_ = false;
  std::optional<Attempt> best_;
  std::optional<Error> failure_;
  std::vector<Tried> tried_;
  bool time_up_ = false;
  Times times_;
};

std::uint64_t PeopleIn(const Release& release) {
  if (release.persons.empty()) return release.num_rows;
  std::unordered_set<Code> people;
  for (std::size_t row = 0; row < release.num_rows; ++row) people.insert(release.persons[row]);
  return people.size();
}

std::vector<Warning> WarningsOf(const std::vector<Verdict>& verdicts) {
  std::vector<Warning> warnings;
  for (const Verdict& verdict : verdicts) {
    for (const std::string& text : verdict.warnings) {
      warnings.push_back({ModelName(verdict.spec), SensitiveColumns(verdict.spec), text});
    }
  }
  return warnings;
}

// At this many quasi columns the choice of `auto` may not come far in the time given.
bool IsWide(const Microdata& data) {
  constexpr std::ptrdiff_t kManyColumns = 100;
  return std::count_if(data.columns.begin(), data.columns.end(),
                       [](const MicrodataColumn& column) { return column.attribute.role == Role::kQuasi; }) > kManyColumns;
}

// The quickest algorithm first, so that there is a release when the time is used up.
std::vector<Candidate> QuickestAndChoice(const Policy& policy, std::size_t num_rows) {
  std::vector<Candidate> used;
  for (const Candidate& each : Candidates(policy, num_rows)) {
    if (each.left_out.empty() && (used.empty() || each.own_choice)) used.push_back(each);
  }
  return used;
}

}  // namespace

Result<ChosenRelease> ChooseRelease(const AnonymizeRequest& request, const Policy& policy, const Choice& choice,
                                    const Microdata& bound, const Recoding* recoding, const PreviousReleases* previous,
                                    const Random& random, const Run& run) {
  CORDON_TRY(const std::optional<Workload> workload, WorkloadOf(policy, bound));
  const Microdata data = WithWorkloadWeights(policy, bound);  // columns are shared, not copied
  Trial trial(request, policy, data, random, workload, previous, run);
  std::string why;
  std::vector<const AlgorithmEntry*> ran;
  if (recoding != nullptr) {
    CORDON_RETURN_IF_ERROR(trial.Recoded(*recoding, *request.recoding));
  } else {
    why = choice.why;
    const bool compare = AlgorithmName(request, policy) == "auto" && request.effort == Effort::kHigh;
    std::vector<Candidate> candidates =
        compare ? Candidates(policy, data.num_rows) : std::vector<Candidate>{{choice.algorithm, "", true}};
    if (!compare && AlgorithmName(request, policy) == "auto" && request.seconds && IsWide(data)) {
      candidates = QuickestAndChoice(policy, data.num_rows);
    }
    std::size_t left = static_cast<std::size_t>(
        std::count_if(candidates.begin(), candidates.end(), [](const Candidate& each) { return each.left_out.empty(); }));
    if (left > 1) trial.Compare();
    if (left > 1) why = fmt::format("auto: least {} of those tried", ObjectiveName(policy.algorithm.objective));
    for (const Candidate& candidate : candidates) {
      // The own choice may use all the time there is: it is the likeliest to be the best. Others share what it leaves.
      CORDON_RETURN_IF_ERROR(trial.Try(candidate, candidate.own_choice || left == 0 ? 1 : left));
      left -= candidate.left_out.empty() ? 1 : 0;
      if (candidate.left_out.empty()) ran.push_back(candidate.algorithm);
    }
  }
  CORDON_TRY(Attempt best, trial.Best());
  Stopwatch watch;
  const Release& release = best.made.verified.release();
  Report report;
  report.why = std::move(why);
  report.tried = trial.TakeTried();
  report.time_up = trial.time_up();
  report.algorithm = report.tried[best.candidate].algorithm;
  report.rows = release.num_rows;
  report.people = PeopleIn(release);
  report.suppressed = release.suppressed;
  report.dropped = data.dropped_rows;
  report.privacy = std::move(best.made.verdicts);
  CORDON_TRY(report.small_groups, CountSmallGroups(release, {}, run));
  if (best.made.join) {
    report.join = JoinReport{{}, {}, *std::move(best.made.join)};
    for (const auto& [column, axis] : previous->linked.axes) report.join->shared.push_back(column);
    for (const PreviousTable& table : previous->tables) {
      report.join->previous.push_back(
          {std::filesystem::path(table.name).filename().string(), table.sha256, table.table.num_rows, table.ends});
    }
  }
  report.unguarded = UnguardedIn(policy);
  report.utility = std::move(best.utility);
  report.risk = MeasureRisks(release, data, request.measure, ColumnsWithExactCells(policy), run);
  if (request.measure.statistics) {
    CORDON_TRY(report.statistics, MeasureStatistics(data, release, run));
  }
  report.objective = {ObjectiveName(policy.algorithm.objective), best.objective};
  report.notes = best.made.notes.lines;
  report.details = best.made.notes.counts;
  report.warnings = WarningsOf(report.privacy);
  const std::optional<ExactRisk> exact = MeasureExactRisk(release, policy.ColumnsPublishedAsIs(), run);
  if (exact) {
    if (auto warning = WarnOfUniqueRows(exact->columns, exact->unique_alone)) report.warnings.push_back(*std::move(warning));
  }
  if (const auto sensitive = MeasureExactRisk(release, GuardedSensitive(policy), run)) {
    auto warning = WarnOfExactSensitive(sensitive->columns, sensitive->unique_alone, release.num_rows);
    if (warning) report.warnings.push_back(*std::move(warning));
  }
  if (auto warning = WarnOfSeveralRows(data, run)) report.warnings.push_back(*std::move(warning));
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.role != Role::kPerson) continue;
    if (auto warning = WarnOfMissingPersons(data, attribute.name)) report.warnings.push_back(*std::move(warning));
  }
  CORDON_TRY(std::vector<Warning> allowed, HomogeneousAllowed(policy, data));
  for (Warning& warning : allowed) report.warnings.push_back(std::move(warning));
  for (Warning& warning : UnusedSettings(policy, request, ran)) report.warnings.push_back(std::move(warning));
  if (recoding == nullptr && choice.algorithm->masks_values()) {
    for (Warning& warning : TopDownWarnings(policy, data, release, RefinedColumns(best.made.notes), run))
      report.warnings.push_back(std::move(warning));
  } else if (report.utility.discernibility.min_group == 1) {
    report.warnings.push_back({"groups-of-one", {}, "some group is a single row: nothing hides whose it is; add k-anonymity"});
  }
  report.seconds = {
      {"anonymize", trial.times().search}, {"verify", trial.times().verify}, {"metrics", trial.times().measure + watch.Lap()}};
  report.peak_rss_mb = PeakRssMb();
  return ChosenRelease{std::move(best.made.verified), std::move(report)};
}

}  // namespace cordon::engine
