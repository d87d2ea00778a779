// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/make_release.h"

#include <algorithm>

#include "cordon/algorithms/grouping/satisfiable.h"
#include "cordon/bind/bind_column_internal.h"
#include "cordon/data/recoding.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/verify/check_against_original.h"
#include "cordon/plan/fit_recoding.h"
#include "cordon/plan/run_ke.h"
#include "cordon/plan/suggest_parameters.h"
#include "cordon/publish/stopwatch.h"

namespace cordon::engine {

std::vector<std::size_t> NamedColumns(const Microdata& data, const Policy& policy) {
  std::vector<std::size_t> named;
  for (const std::size_t column : data.ColumnsOf(Role::kSensitive)) {
    const auto names_it = [&](const ModelSpec& spec) {
      const std::vector<std::string> columns = SensitiveColumns(spec);
      return std::find(columns.begin(), columns.end(), data.columns[column].attribute.name) != columns.end();
    };
    if (std::any_of(policy.models.begin(), policy.models.end(), names_it)) named.push_back(column);
  }
  return named;
}

namespace {

// A share of the rows in four digits, rounded up: as a limit it allows that many.
std::string ShareThatAllows(std::uint64_t some, std::uint64_t all) {
  constexpr std::uint64_t kUnits = 10'000;
  const std::uint64_t units = (some * kUnits + all - 1) / all;
  return fmt::format("{}.{:04}", units / kUnits, units % kUnits);
}

bool MaySuppress(std::uint64_t some, std::uint64_t all, const Policy& policy) {
  const Rational limit = policy.algorithm.suppression_limit;
  return static_cast<Int128>(some) * limit.denominator() <= static_cast<Int128>(all) * limit.numerator();
}

// More suppressed rows than the policy allows is an answer, not a release. `otherwise`: what would do as well.
Result<void> CheckSuppression(std::uint64_t some, std::uint64_t all, const Policy& policy, std::string_view otherwise) {
  if (MaySuppress(some, all, policy)) return {};
  return Error::Unsatisfiable("{} of {} rows would have to be suppressed, more than algorithm.suppression_limit = {}", some,
                              all, policy.algorithm.suppression_limit.ToShortString())
      .WithHint("allow at least {}, or {}", ShareThatAllows(some, all), otherwise);
}

// A release of ours that is not true is a bug; it is stopped here like one that does not hold.
Result<void> RequireTruth(const Release& release, const Microdata& data, const Run& run) {
  std::vector<RowId> rows(release.num_rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::uint64_t input = release.input_rows[row];
    if (data.input_rows.empty()) {
      rows[row] = static_cast<RowId>(input);
    } else {  // ascending: rows are dropped, never moved
      rows[row] =
          static_cast<RowId>(std::lower_bound(data.input_rows.begin(), data.input_rows.end(), input) - data.input_rows.begin());
    }
  }
  CORDON_TRY(const Truth truth, CheckAgainstOriginal(release, data, std::span<const RowId>(rows), run));
  if (truth.holds) return {};
  return Error::InvalidData("the release was not written: {}", truth.Explain());
}

// If rows were left out, an axis that was read off the data is that of the rows that stay: a reader of the release
// sees no other, and the place of a value on it counts for the ordered distance.
Result<void> NarrowSensitiveDomains(const Policy& policy, Release& release) {
  for (ReleaseColumn& column : release.columns) {
    const AttributePolicy* attribute = policy.Find(column.attribute.name);
    if (attribute == nullptr || column.attribute.role != Role::kSensitive) continue;
    if (column.attribute.whole != nullptr) continue;  // a shard: the axis is that of the whole table
    const auto view = internal::ViewOf(column.text, nullptr, internal::MissingTexts(column.text, policy.data));
    CORDON_TRY(internal::BoundColumn bound, internal::BindColumn(*attribute, policy.data, view, internal::DomainFrom::kData));
    column.attribute.domain = std::move(bound.domain);
  }
  return {};
}

// Rows that might be published, and how they stand together with previous releases.
struct Draft {
  Release release;
  AlgorithmNotes notes;
  std::optional<JoinVerification> join = std::nullopt;  // with previous releases
  double judge_seconds = 0;
};

Result<Draft> Judged(Release release, AlgorithmNotes notes, const Policy& policy, const MakeOptions& options, const Run& run) {
  Draft draft{std::move(release), std::move(notes)};
  if (options.previous == nullptr) return draft;
  Stopwatch watch;
  CORDON_TRY(const LinkedReleases linked, LinkRelease(policy, draft.release, "the release", options.previous->tables));
  const JoinOptions join{.allow_unequal = options.previous->allow_unequal};
  CORDON_TRY(draft.join, JudgeJoin(linked.linked, policy.join_models, policy.impossible, join, run));
  draft.judge_seconds = watch.Lap();
  return draft;
}

// Judged on the very rows that will be written, and so is whether every cell tells the truth.
Result<MadeRelease> Verified(Draft draft, const Microdata& data, const Policy& policy, const MakeOptions& options,
                             Stopwatch watch, const Run& run) {
  if (run.Stopped()) return Error::Cancelled();
  Release release = std::move(draft.release);
  CORDON_RETURN_IF_ERROR(CheckSuppression(release.suppressed, release.input_size, policy, "choose weaker models"));
  const double search_seconds = watch.Lap() - draft.judge_seconds;
  CORDON_RETURN_IF_ERROR(RequireTruth(release, data, run));
  if (release.suppressed > 0) CORDON_RETURN_IF_ERROR(NarrowSensitiveDomains(policy, release));
  const Verifier verifier(policy.models, {.keep_per_group = options.keep_per_group}, policy.join_models);
  std::vector<Verdict> verdicts;
  CORDON_TRY(VerifiedRelease verified,
             verifier.Accept(std::move(release), run, &verdicts, draft.join ? &*draft.join : nullptr));
  if (run.Stopped()) return Error::Cancelled();
  return MadeRelease{
      std::move(verified),  std::move(verdicts), std::move(draft.notes), search_seconds, watch.Lap() + draft.judge_seconds,
      std::move(draft.join)};
}

// What these rows allow, if an answer is no.
Error WithWhatWouldDo(Error error, const View& view, const Policy& policy, const Run& run) {
  const Result<std::string> feasible = SuggestParameters(view, policy, run);
  if (!feasible.ok()) return feasible.error();
  if (feasible.value().empty()) return error;
  return std::move(error).WithHint("{}", feasible.value());
}

// Boxes may serve no row of a batch, or too few. Rows that are shown as "*" need company that dropped rows do not.
Result<void> CheckFits(const AppliedRecoding& applied, const Recoding& recoding, const View& view, const Policy& policy,
                       const Run& run) {
  const bool star = policy.algorithm.suppressed == Suppression::kStar;
  const std::vector<std::size_t> sensitive = NamedColumns(view.data(), policy);
  if (applied.groups.size() == 0) {
    const Reference reference = ReferenceOf(view.data(), sensitive, view.rows());
    CORDON_TRY(const AllOf model, AllOf::Make(policy.models, reference));
    const CountedColumns counted = ColumnsFor(model, view.data(), sensitive);
    if (auto any = CheckSatisfiable(view, model, counted); !any.ok()) {
      return WithWhatWouldDo(std::move(any).error(), view, policy, run);
    }
    if (!star) {
      return Error::Unsatisfiable("no row would be left: no box of the recoding takes rows so that the models hold")
          .WithHint("make a new release of these rows, without --recoding");
    }
  }
  const std::uint64_t all = view.size() + view.data().dropped_rows;
  const std::uint64_t starred = applied.groups.suppressed.size();
  if (!star || MaySuppress(starred, all, policy)) return {};
  Policy dropping = policy;
  dropping.algorithm.suppressed = Suppression::kDrop;
  CORDON_TRY(const AppliedRecoding other, FitRecoding(recoding, view, sensitive, dropping, run));
  const bool drop_does = other.groups.size() > 0 && MaySuppress(other.groups.suppressed.size(), all, policy);
  return CheckSuppression(starred, all, policy,
                          drop_does ? "suppressed = \"drop\", or make a new release of these rows, without --recoding"
                                    : "make a new release of these rows, without --recoding");
}

}  // namespace

Result<MadeRelease> MakeByRecoding(const Recoding& recoding, const std::string& path, const Microdata& data,
                                   const Policy& policy, const MakeOptions& options, const Random& random, const Run& run) {
  Stopwatch watch;
  const View view = View::All(data);
  CORDON_TRY(const AppliedRecoding applied,
             FitRecoding(recoding, view, NamedColumns(data, policy), policy, run).WithContext("applying {}", path));
  CORDON_RETURN_IF_ERROR(CheckFits(applied, recoding, view, policy, run));
  Random own = random;
  CORDON_TRY(Draft draft,
             Judged(Recode(view, applied.groups, applied.texts, options.recode, own, run), {}, policy, options, run));
  return Verified(std::move(draft), data, policy, options, watch, run);
}

namespace {

struct Found {
  Groups groups;
  AlgorithmNotes notes;
};

Result<Found> FindGroups(const AlgorithmEntry& algorithm, const View& view, const Policy& policy, const MakeOptions& options,
                         std::optional<std::int64_t> max_refinements, const Random& random, const Run& run) {
  const bool weighted = view.data().weights != nullptr;
  if (weighted && !algorithm.counts_weights) return Error::InvalidPolicy("{} does not serve weighted rows", algorithm.name);
  const std::vector<std::size_t> sensitive = NamedColumns(view.data(), policy);
  const Reference reference = ReferenceOf(view.data(), sensitive, view.rows());
  CORDON_TRY(const AllOf model, AllOf::Make(policy.models, reference));
  const CountedColumns counted = ColumnsFor(model, view.data(), sensitive);
  Random own = random.Substream(algorithm.lasting_name());
  AlgorithmNotes notes;
  auto groups = algorithm.run(
      {view, model, reference, counted, policy, &notes, options.effort, options.compared, options.previous, max_refinements},
      own, run);
  if (!groups.ok() && groups.error().kind() == ErrorKind::kUnsatisfiable && !algorithm.permutes() && !weighted) {
    return WithWhatWouldDo(std::move(groups).error(), view, policy, run);
  }
  CORDON_TRY(Groups found, std::move(groups));
  run.Report("recode", 0, 0);
  return Found{std::move(found), std::move(notes)};
}

Result<Draft> MakeOnce(const AlgorithmEntry& algorithm, const Microdata& data, const Policy& policy, const MakeOptions& options,
                       std::optional<std::int64_t> max_refinements, const Random& random, const Run& run) {
  const View view = View::All(data);
  CORDON_TRY(Found found, FindGroups(algorithm, view, policy, options, max_refinements, random, run));
  Random order = random;
  if (algorithm.permutes()) {
    CORDON_TRY(const std::string column, ColumnToPermute(policy));
    CORDON_TRY(Release release, PermuteRelease(view, found.groups, column, order, run));
    return Judged(std::move(release), std::move(found.notes), policy, options, run);
  }
  return Judged(Recode(view, found.groups, options.recode, order, run), std::move(found.notes), policy, options, run);
}

std::int64_t RefinementsIn(const AlgorithmNotes& notes) {
  for (const auto& [name, count] : notes.counts) {
    if (name == "refinements") return count;
  }
  return 0;
}

// What may be done if the join of every release that the search can make reveals too much.
std::string WaysOut(const Policy& policy, const PreviousReleases& previous) {
  if (!policy.generalize_joining) {
    return "ask for less, or generalize what the releases share: [sequential] generalize = \"x+join\"";
  }
  std::vector<std::string> shown;  // that link the releases and are published as they are
  for (const AttributePolicy& attribute : policy.attributes) {
    const bool impossible = std::any_of(policy.impossible.begin(), policy.impossible.end(),
                                        [&](const ImpossiblePairs& pairs) { return pairs.current == attribute.name; });
    const bool is_shown = attribute.role == Role::kInsensitive || attribute.role == Role::kClass;
    if (is_shown && (impossible || previous.linked.axes.contains(attribute.name))) shown.push_back(attribute.name);
  }
  if (shown.empty()) return "ask for less: a larger h or a smaller k";
  return fmt::format("ask for less, or make quasi what links the releases and is published as it is: {}",
                     fmt::join(shown, ", "));
}

// The search knows nothing of forced links. If they make the verifier refuse, refinements are taken back, the newest first
// and more at a time, until it does not.
Result<Draft> MakeJoinable(const AlgorithmEntry& algorithm, const Microdata& data, const Policy& policy,
                           const MakeOptions& options, const Random& random, const Run& run) {
  CORDON_TRY(Draft draft, MakeOnce(algorithm, data, policy, options, std::nullopt, random, run));
  if (!draft.join || draft.join->holds()) return draft;
  const std::string refused = Explain(draft.join->verdicts[0]) + "; " + Explain(*draft.join);
  const std::int64_t all = RefinementsIn(draft.notes);
  for (std::int64_t back = 1; back < 2 * all; back *= 2) {
    const std::int64_t kept = std::max<std::int64_t>(0, all - back);
    CORDON_TRY(draft, MakeOnce(algorithm, data, policy, options, kept, random, run));
    if (!draft.join->holds()) continue;
    draft.notes.lines.push_back(fmt::format("{} of {} refinements were taken back: {}", all - kept, all, refused));
    return draft;
  }
  return Error::Unsatisfiable("the release was not written: {}", refused).WithHint("{}", WaysOut(policy, *options.previous));
}

}  // namespace

Result<Groups> SearchShard(const AlgorithmEntry& algorithm, const View& shard, const Policy& policy, Effort effort,
                           const Random& random, const Run& run) {
  CORDON_TRY(Found found, FindGroups(algorithm, shard, policy, {.effort = effort}, std::nullopt, random, run));
  return std::move(found.groups);
}

Result<Groups> SearchWeighted(const AlgorithmEntry& algorithm, const Microdata& combinations, const Policy& policy,
                              Effort effort, const Random& random, AlgorithmNotes& notes, const Run& run) {
  CORDON_CHECK(combinations.weights != nullptr);
  CORDON_TRY(Found found,
             FindGroups(algorithm, View::All(combinations), policy, {.effort = effort}, std::nullopt, random, run));
  notes = std::move(found.notes);
  return std::move(found.groups);
}

Result<Groups> RefineShard(const AlgorithmEntry& algorithm, const Microdata& shard, const Groups& groups, const Policy& policy,
                           Effort effort, const Run& run) {
  const View view = View::All(shard);
  const std::vector<std::size_t> sensitive = NamedColumns(shard, policy);
  const Reference reference = ReferenceOf(shard, sensitive, view.rows());
  CORDON_TRY(const AllOf model, AllOf::Make(policy.models, reference));
  const CountedColumns counted = ColumnsFor(model, shard, sensitive);
  return algorithm.refine({view, model, reference, counted, policy, nullptr, effort}, groups, run);
}

Result<Release> PublishShard(const View& rows, const Groups& groups, const RecodeOptions& options, const Random& random,
                             const Run& run) {
  if (run.Stopped()) return Error::Cancelled();
  Random order = random;
  Release release = Recode(rows, groups, options, order, run);
  CORDON_RETURN_IF_ERROR(RequireTruth(release, rows.data(), run));
  return release;
}

Result<MadeRelease> MakeByAlgorithm(const AlgorithmEntry& algorithm, const Microdata& data, const Policy& policy,
                                    const MakeOptions& options, const Random& random, const Run& run) {
  Stopwatch watch;
  CORDON_TRY(Draft draft, MakeJoinable(algorithm, data, policy, options, random, run));
  auto made = Verified(std::move(draft), data, policy, options, watch, run);
  if (made.ok() || !algorithm.chooses_blindly() || made.error().kind() != ErrorKind::kUnsatisfiable) return made;
  return std::move(made).error().WithHint(
      "{} makes groups by k alone, and these do not satisfy the other models; a larger k may do (docs/algorithms/blind.md says "
      "what several tries reveal)",
      algorithm.name);
}

}  // namespace cordon::engine
