// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/anonymize.h"

#include <algorithm>

#include "cordon/io/atomic_file.h"
#include "cordon/io/source.h"
#include "cordon/publish/bind.h"
#include "cordon/publish/produce.h"
#include "cordon/publish/run_ke.h"
#include "cordon/publish/stopwatch.h"
#include "cordon/publish/write_run.h"

namespace cordon {
namespace {

struct Input {
  Microdata data;
  std::string sha256;
};

Result<Input> Read(const AnonymizeRequest& request, const Policy& policy, const Run& run,
                   std::vector<std::pair<std::string, double>>& seconds) {
  Stopwatch watch;
  const SourceOptions options{
      .text = policy.data.text, .format = request.input_format, .stop = run.stop, .skip_columns = SkipColumns(policy)};
  CORDON_TRY(const std::unique_ptr<Source> source, OpenSource(request.input, options));
  CORDON_TRY(const Table table, ReadTable(*source, run));
  seconds.emplace_back("read", watch.Lap());
  CORDON_TRY(Microdata data, Bind(policy, table, run).WithContext("binding {} to {}", request.input, policy.name));
  seconds.emplace_back("bind", watch.Lap());
  if (data.num_rows == 0) {
    return Error::InvalidData("{} has no rows to publish", request.input)
        .WithHint("{}", data.dropped_rows > 0 ? "on_missing = \"drop\" left none; use \"leaf\" or mend the missing cells"
                                              : "a header alone is no table");
  }
  return Input{std::move(data), source->InputDigest()};
}

// Whether some model looks at part of the quasi columns only.
bool HasTemplates(const Policy& policy) {
  const auto num_quasi = std::count_if(policy.attributes.begin(), policy.attributes.end(),
                                       [](const AttributePolicy& attribute) { return attribute.role == Role::kQuasi; });
  return std::any_of(policy.models.begin(), policy.models.end(), [&](const ModelSpec& spec) {
    std::size_t on = 0;
    if (const auto* anonymity = std::get_if<KAnonymitySpec>(&spec)) on = anonymity->on.size();
    if (const auto* confidence = std::get_if<ConfidenceSpec>(&spec)) on = confidence->on.size();
    return on > 0 && on < static_cast<std::size_t>(num_quasi);
  });
}

// A shuffled release is what it is only in a random order, and has no boxes.
Result<void> CheckPermutes(const AnonymizeRequest& request, const Policy& policy) {
  CORDON_RETURN_IF_ERROR(ColumnToPermute(policy));
  if (request.order && *request.order != RowOrder::kShuffled) {
    return Error::InvalidPolicy("ke publishes rows in random order, whatever --order says").WithHint("leave --order out");
  }
  if (request.save_recoding) {
    return Error::InvalidPolicy("ke generalizes nothing, so there is no recoding to save")
        .WithHint("cordon permute makes a store to which later batches can be appended");
  }
  if (policy.algorithm.suppressed == Suppression::kStar) {
    return Error::InvalidPolicy("{}:{}: ke leaves rows without a value out: suppressed = \"drop\"", policy.name,
                                policy.algorithm.line);
  }
  return {};
}

// What this door does not do is refused, not passed over.
Result<void> CheckServed(const AnonymizeRequest& request, const Policy& policy) {
  CORDON_TRY(const Choice choice, ChooseAlgorithm(AlgorithmName(request, policy), policy));
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.mask == Mask::kSuppress && !request.recoding && !choice.algorithm->masks_values) {
      return Error::InvalidPolicy("{}:{}: {} does not serve mask = \"suppress\" (column '{}')", policy.name, attribute.line,
                                  choice.algorithm->name, attribute.name)
          .WithHint("use tdr or tdd, or leave mask out: values are then generalized along the hierarchy");
    }
  }
  if (choice.algorithm->permutes && !request.recoding) CORDON_RETURN_IF_ERROR(CheckPermutes(request, policy));
  if (request.seconds && !(*request.seconds >= 0)) {
    return Error::InvalidPolicy("--seconds must be a number of at least 0, not {}", *request.seconds);
  }
  if (request.group_column && !request.recoding && choice.algorithm->groups_by_template && HasTemplates(policy)) {
    return Error::InvalidPolicy(
               "{} groups the rows of each template by themselves, so --group-column would name groups that are "
               "smaller than the models allow",
               choice.algorithm->name)
        .WithHint("leave --group-column out, or take --algorithm partition, whose groups hold on all quasi columns");
  }
  if (request.group_column && policy.Find("group") != nullptr) {
    return Error::InvalidPolicy("--group-column would make a second column 'group'").WithHint("rename the column in the data");
  }
  if (policy.algorithm.suppressed == Suppression::kBlank || policy.algorithm.suppressed == Suppression::kPool) {
    return Error::InvalidPolicy("{}:{}: suppressed = \"blank\" and \"pool\" are for streams", policy.name,
                                policy.algorithm.line)
        .WithHint("use \"drop\" or \"star\"");
  }
  return {};
}

// The operating system's, that of a seed, or that of an earlier run.
Result<Random> RandomOf(const AnonymizeRequest& request) {
  if (request.seed) return Random::FromSeed(*request.seed);
  if (!request.repeat) return Random::FromOperatingSystem();
  CORDON_TRY(const std::string text, ReadFile(*request.repeat));
  const Json record = Json::parse(text, nullptr, false);
  if (!record.is_object() || !record.contains("random") || !record["random"].is_string()) {
    return Error::InvalidData("{} is no run record", *request.repeat).WithHint("give the OUT.private.json of an earlier run");
  }
  return Random::Restore(record["random"].get<std::string>()).WithContext("reading {}", *request.repeat);
}

}  // namespace

Result<Report> Anonymize(const AnonymizeRequest& request, const Policy& policy, const Run& run) {
  Report report;
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  CORDON_RETURN_IF_ERROR(CheckFiles(request, policy));
  CORDON_RETURN_IF_ERROR(CheckServed(request, policy));
  CORDON_TRY(const Input input, Read(request, policy, run, report.seconds));
  CORDON_TRY(const Random random, RandomOf(request));
  CORDON_TRY(const VerifiedRelease verified, Produce(request, policy, input.data, random, report, run));
  if (request.output.empty()) {
    CORDON_RETURN_IF_ERROR(WriteReportsAlone(request, report, input.data, verified.release(), run));
    return report;
  }
  const RunRecord record{request.input, input.sha256, policy.digest, "", random.Save()};
  CORDON_RETURN_IF_ERROR(WriteRun(request, policy, input.data, verified, record, report, run));
  return report;
}

Result<Report> TryPolicy(const AnonymizeRequest& request, const Policy& policy, const Microdata& data, const Run& run) {
  Report report;
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  CORDON_RETURN_IF_ERROR(CheckServed(request, policy));
  CORDON_TRY(const Random random, RandomOf(request));
  CORDON_RETURN_IF_ERROR(Produce(request, policy, data, random, report, run));
  return report;
}

}  // namespace cordon
