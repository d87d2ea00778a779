// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/anonymize.h"

#include <algorithm>

#include "cordon/bind/bind.h"
#include "cordon/bind/bind_shard.h"
#include "cordon/bind/published_scale.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/open_source.h"
#include "cordon/plan/check_supported.h"
#include "cordon/plan/registry.h"
#include "cordon/publish/anonymize_large.h"
#include "cordon/publish/choose_release.h"
#include "cordon/publish/previous_releases.h"
#include "cordon/publish/repeat.h"
#include "cordon/publish/stopwatch.h"
#include "cordon/publish/write_outputs.h"

namespace cordon::engine {
namespace {

struct Input {
  Microdata data;
  std::string sha256;
  CellTypes types;
  std::vector<std::pair<std::string, double>> seconds;  // by step
};

Result<Input> Read(const AnonymizeRequest& request, const Policy& policy, Registration* registration, const Run& run) {
  std::vector<std::pair<std::string, double>> seconds;
  Stopwatch watch;
  const SourceOptions options{
      .text = policy.data.text, .format = request.input_format, .stop = run.stop, .skip_columns = SkipColumns(policy)};
  CORDON_TRY(const std::unique_ptr<Source> source, OpenSource(request.input, options));
  CORDON_TRY(const Table table, ReadTable(*source, run));
  if (registration != nullptr) {
    const bool unequal = request.previous.allow_unequal || request.previous.allow_dangling;
    CORDON_RETURN_IF_ERROR(registration->CheckInput(table, source->InputDigest(), request.person_key, unequal));
  }
  seconds.emplace_back("read", watch.Lap());
  auto bound = request.whole ? BindShard(policy, table, *request.whole, run) : Bind(policy, table, run);
  CORDON_TRY(Microdata data, std::move(bound).WithContext("binding {} to {}", request.input.name, policy.name));
  seconds.emplace_back("bind", watch.Lap());
  if (data.num_rows == 0) {
    return Error::InvalidData("{} has no rows to publish", request.input.name)
        .WithHint("{}", data.dropped_rows > 0 ? "on_missing = \"drop\" left none; use \"leaf\" or fix the missing cells"
                                              : "a header alone is not a table");
  }
  return Input{std::move(data), source->InputDigest(), TypesOf(*source), std::move(seconds)};
}

// What every group has, if the report is to say what any release must lose. A high effort asks for it if the models allow.
Result<std::optional<LeastGroup>> LeastGroupFor(const AnonymizeRequest& request, const Policy& policy, const Microdata& data) {
  const bool by_effort = request.effort == Effort::kHigh && !request.seconds;
  if (!request.bound && !by_effort) return std::optional<LeastGroup>();
  Result<LeastGroup> least = LeastGroupOf(policy.models, data);
  if (!least.ok() && !request.bound) return std::optional<LeastGroup>();
  CORDON_TRY(LeastGroup asked, std::move(least));
  return std::optional(std::move(asked));
}

// Without being asked for, its search for a higher bound takes no longer than that of the release, and a minute at most
// (docs/bound.md).
Result<void> AddBound(const AnonymizeRequest& request, const LeastGroup& least, const Microdata& data, Report& report,
                      const Run& run) {
  constexpr double kMaxSeconds = 60;
  const auto searched =
      std::find_if(report.seconds.begin(), report.seconds.end(), [](const auto& step) { return step.first == "anonymize"; });
  Stopwatch watch;
  const TimeBudget budget(searched == report.seconds.end() ? kMaxSeconds : std::min(searched->second, kMaxSeconds));
  Run own = run;
  if (!request.bound) own.budget = &budget;
  CORDON_TRY(report.bound, BoundLoss(data, least, request.bound.value_or(LossBoundOptions()), own));
  report.seconds.emplace_back("bound", watch.Lap());
  return {};
}

Result<std::optional<Recoding>> RecodingOf(const AnonymizeRequest& request) {
  if (!request.recoding) return std::optional<Recoding>();
  CORDON_TRY(const std::string text, ReadFile(*request.recoding, 256 * kMebibyte));
  CORDON_TRY(Recoding recoding, Recoding::FromJson(text).WithContext("reading {}", *request.recoding));
  return std::optional(std::move(recoding));
}

}  // namespace

std::vector<std::string> TableAlgorithmNames() {
  std::vector<std::string> names = {"auto"};
  for (const AlgorithmEntry& entry : Algorithms()) names.emplace_back(entry.name);
  return names;
}

Result<Anonymized> MakeAnonymized(const AnonymizeRequest& request, const Policy& policy, const Run& run) {
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  CORDON_RETURN_IF_ERROR(CheckFiles(request, policy));
  CORDON_TRY(std::optional<Registration> registration, BeginRegistration(request, policy));
  CORDON_TRY(Anonymized made, MakeAnonymized(request, policy, std::move(registration), run));
  if (made.registration) {
    for (Warning& warning : made.registration->SecondRelease()) made.report.warnings.push_back(std::move(warning));
  }
  return made;
}

Result<Anonymized> MakeAnonymized(const AnonymizeRequest& request, const Policy& policy,
                                  std::optional<Registration> registration, const Run& run) {
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  if (request.previous.tables.empty()) CORDON_RETURN_IF_ERROR(CheckStandsAlone(policy));
  CORDON_RETURN_IF_ERROR(CheckFiles(request, policy));
  CORDON_TRY(const Choice choice, ChooseSupported(request, policy));
  CORDON_TRY(const std::optional<Recoding> recoding, RecodingOf(request));
  if (request.bound) CORDON_RETURN_IF_ERROR(request.bound->Validate());
  CORDON_TRY(Input input, Read(request, policy, registration ? &*registration : nullptr, run));
  CORDON_TRY(const std::optional<LeastGroup> least, LeastGroupFor(request, policy, input.data));
  if (recoding) WidenScale(*recoding, input.data);
  std::optional<PreviousReleases> previous;
  if (!request.previous.tables.empty()) {
    CORDON_TRY(previous, TieToPrevious(request, policy, input.data, run));
  }
  CORDON_TRY(const Random random, RandomOf(request, input.sha256));
  CORDON_TRY(ChosenRelease made, ChooseRelease(request, policy, choice, input.data, recoding ? &*recoding : nullptr,
                                               previous ? &*previous : nullptr, random, run));
  if (least) CORDON_RETURN_IF_ERROR(AddBound(request, *least, input.data, made.report, run));
  made.report.seconds.insert(made.report.seconds.begin(), input.seconds.begin(), input.seconds.end());
  RunRecord record{request.input.name, input.sha256, policy.digest, "", random.Save(), input.types};
  return Anonymized{std::move(input.data), std::move(made.verified), std::move(made.report), std::move(record),
                    std::move(registration)};
}

Result<std::optional<Registration>> BeginRegistration(const AnonymizeRequest& request, const Policy& policy) {
  if (!request.registry) {
    if (request.person_key) return Error::InvalidPolicy("--person-key needs --registry");
    return std::optional<Registration>();
  }
  CORDON_TRY(Registration begun, Registration::Begin(*request.registry, policy, request.output));
  CORDON_RETURN_IF_ERROR(begun.CheckOutputIsNew());
  return std::optional(std::move(begun));
}

Result<Report> Anonymize(const AnonymizeRequest& request, const Policy& policy, const Run& run) {
  CORDON_TRY(const std::optional<std::uint64_t> memory, MemoryOf(request));
  if (memory) {
    AnonymizeRequest limited = request;
    limited.memory = memory;
    return AnonymizeLarge(limited, policy, run);
  }
  CORDON_TRY(Anonymized made, MakeAnonymized(request, policy, run));
  return WriteAnonymized(request, policy, std::move(made), run);
}

Result<Report> WriteAnonymized(const AnonymizeRequest& request, const Policy& policy, Anonymized made, const Run& run) {
  if (request.output.empty()) {
    CORDON_RETURN_IF_ERROR(WriteReportsAlone(request, made.report, policy, made.data, made.verified.release(), run));
    return std::move(made.report);
  }
  return WriteOutputs(request, policy, made.data, made.verified, made.record, std::move(made.report), run,
                      made.registration ? &*made.registration : nullptr);
}

Result<Report> TryPolicy(const AnonymizeRequest& request, const Policy& policy, const Microdata& data, const Run& run) {
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  CORDON_RETURN_IF_ERROR(CheckStandsAlone(policy));
  CORDON_TRY(const Choice choice, ChooseSupported(request, policy));
  CORDON_TRY(const Random random, RandomOf(request, ""));
  CORDON_TRY(ChosenRelease made, ChooseRelease(request, policy, choice, data, nullptr, nullptr, random, run));
  return std::move(made.report);
}

}  // namespace cordon::engine
