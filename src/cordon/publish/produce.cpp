// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/produce.h"

#include <algorithm>
#include <unordered_set>

#include "cordon/plan/check_guarded.h"
#include "cordon/plan/objective.h"
#include "cordon/plan/run_top_down.h"
#include "cordon/plan/unused_keys.h"
#include "cordon/policy/workload.h"
#include "cordon/publish/make_release.h"
#include "cordon/publish/stopwatch.h"

namespace cordon {
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
  Trial(const AnonymizeRequest& request, const Policy& policy, const Microdata& data, const Random& random, Report& report,
        const std::optional<Workload>& workload, const Run& run)
      : request_(request), policy_(policy), data_(data), workload_(workload), random_(random), report_(report), run_(run) {}

  // `left`: candidates that share the time that is left, this one among them.
  Result<void> Try(const Candidate& candidate, std::size_t left) {
    report_.tried.push_back({.algorithm = candidate.algorithm->name, .left_out = candidate.left_out});
    if (!candidate.left_out.empty()) return {};
    const std::optional<double> seconds = SecondsLeft();
    if (seconds && *seconds <= 0 && best_) {
      report_.tried.back().left_out = "the time was used up";
      report_.time_up = true;
      return {};
    }
    return Search(candidate, seconds ? std::optional(*seconds / static_cast<double>(left)) : std::nullopt);
  }

  void Compare() { compares_ = true; }

  Result<void> Recoded(const Recoding& recoding, const std::string& path) {
    report_.tried.push_back({.algorithm = "recoding"});
    return Consider(MakeByRecoding(recoding, path, data_, policy_, OptionsOf(request_, policy_, false), random_, run_), true);
  }

  // REQUIRES: all tries are done. The error of `auto`'s own choice where none came to a release.
  Result<Attempt> Best() {
    if (!best_) return std::move(*failure_);
    report_.tried[best_->candidate].kept = true;
    return std::move(*best_);
  }
  const Times& times() const { return times_; }

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
    TryProgress progress(run_.progress, fmt::format("{}. {}", report_.tried.size(), algorithm.name));
    if (run_.progress != nullptr && compares_) run.progress = &progress;
    Stopwatch watch;
    MakeOptions options = OptionsOf(request_, policy_, algorithm.masks_values);
    options.compared = compares_;
    auto made = MakeByAlgorithm(algorithm, data_, policy_, options, random_, run);
    report_.tried.back().seconds = watch.Lap();
    report_.tried.back().cut_short = budget && budget->cut_short();
    report_.time_up = report_.time_up || report_.tried.back().cut_short;
    return Consider(std::move(made), candidate.own_choice);
  }

  // A release takes the place of a worse one; of those that are as good the one of `auto`'s own choice is kept. What no
  // algorithm could mend is an error of the whole; others are of this try.
  Result<void> Consider(Result<MadeRelease> made, bool own_choice) {
    if (!made.ok()) {
      const ErrorKind kind = made.error().kind();
      if (kind == ErrorKind::kCancelled || kind == ErrorKind::kIo) return std::move(made).error();
      report_.tried.back().failed = made.error().message();
      if (own_choice || !failure_) failure_ = std::move(made).error();
      return {};
    }
    Stopwatch watch;
    Tried& tried = report_.tried.back();
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
    best_.emplace(Attempt{std::move(made).value(), std::move(utility), objective, report_.tried.size() - 1});
    return {};
  }

  const AnonymizeRequest& request_;
  const Policy& policy_;
  const Microdata& data_;
  const std::optional<Workload>& workload_;
  const Random& random_;
  Report& report_;
  const Run& run_;
  Stopwatch since_;
  bool compares_ = false;
  std::optional<Attempt> best_;
  std::optional<Error> failure_;
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

std::vector<Warning> WarningsOf(const ExactRisk& risk) {
  constexpr double kMuch = 0.05;
  if (risk.unique_alone < kMuch) return {};
  return {{"published-as-is", risk.columns,
           fmt::format("{:.0f} % of the rows are unique by the columns that are published as they are ({}): whoever knows "
                       "them finds the person, whatever the models say; make them quasi, or leave them out as identifier",
                       100 * risk.unique_alone, fmt::join(risk.columns, ", "))}};
}

}  // namespace

Result<VerifiedRelease> Produce(const AnonymizeRequest& request, const Policy& policy, const Microdata& bound,
                                const Recoding* recoding, const Random& random, Report& report, const Run& run) {
  CORDON_TRY(const std::optional<Workload> workload, WorkloadOf(policy, bound));
  const Microdata data = SteeredBy(policy, bound);  // columns are shared, not copied
  Trial trial(request, policy, data, random, report, workload, run);
  const std::string name = AlgorithmName(request, policy);
  bool global = false;
  std::vector<const AlgorithmEntry*> ran;
  if (recoding != nullptr) {
    CORDON_RETURN_IF_ERROR(trial.Recoded(*recoding, *request.recoding));
  } else {
    CORDON_TRY(const Choice choice, ChooseAlgorithm(name, policy));
    global = choice.algorithm->masks_values;
    report.why = choice.why;
    const bool compare = name == "auto" && request.effort == Effort::kHigh;
    const std::vector<Candidate> candidates =
        compare ? Candidates(policy, data.num_rows) : std::vector<Candidate>{{choice.algorithm, "", true}};
    std::size_t left = static_cast<std::size_t>(
        std::count_if(candidates.begin(), candidates.end(), [](const Candidate& each) { return each.left_out.empty(); }));
    if (left > 1) trial.Compare();
    if (left > 1) report.why = fmt::format("auto: least {} of those tried", ObjectiveName(policy.algorithm.objective));
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
  report.utility = std::move(best.utility);
  report.risk = MeasureRisks(release, data, request.measure, policy.ColumnsPublishedAsIs(), run);
  report.unguarded = UnguardedIn(policy);
  report.privacy = std::move(best.made.verdicts);
  report.algorithm = report.tried[best.candidate].algorithm;
  report.objective = {ObjectiveName(policy.algorithm.objective), best.objective};
  report.notes = best.made.notes.lines;
  report.rows = release.num_rows;
  report.people = PeopleIn(release);
  report.suppressed = release.suppressed;
  report.dropped = data.dropped_rows;
  report.details = best.made.notes.counts;
  report.warnings = WarningsOf(report.privacy);
  const std::optional<ExactRisk> exact =
      report.risk ? report.risk->exact : MeasureExactRisk(release, policy.ColumnsPublishedAsIs(), run);
  if (exact) {
    for (Warning& warning : WarningsOf(*exact)) report.warnings.push_back(std::move(warning));
  }
  for (Warning& warning : UnusedKeys(policy, request, ran)) report.warnings.push_back(std::move(warning));
  if (global) {
    for (Warning& warning : TopDownWarnings(policy, data, release, run)) report.warnings.push_back(std::move(warning));
  } else if (report.utility.discernibility.min_group == 1) {
    report.warnings.push_back({"groups-of-one", {}, "some group is a single row: nothing hides whose it is; add k-anonymity"});
  }
  report.seconds.emplace_back("anonymize", trial.times().search);
  report.seconds.emplace_back("verify", trial.times().verify);
  report.seconds.emplace_back("metrics", trial.times().measure + watch.Lap());
  report.peak_rss_mb = PeakRssMb();
  return std::move(best.made.verified);
}

}  // namespace cordon
