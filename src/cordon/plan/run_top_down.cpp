// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/run_top_down.h"

#include <algorithm>

#include "cordon/algorithms/tdssa/tdssa.h"
#include "cordon/algorithms/top_down/tdd.h"
#include "cordon/algorithms/top_down/tdr.h"

namespace cordon::engine {
namespace {

constexpr Code kMaxClasses = 1000;

// Rows without a class take part in every count, and say nothing about the class.
Result<ClassLabels> LabelsOf(const Microdata& data, const Policy& policy) {
  const std::vector<std::size_t> columns = data.ColumnsOf(Role::kClass);
  ClassLabels labels;
  if (columns.empty()) return labels;
  const Column& text = data.columns[columns[0]].text;
  std::vector<Code> number(text.dictionary->size(), kNull);
  std::vector<char> missing(text.dictionary->size());
  for (std::size_t code = 0; code < missing.size(); ++code) {
    missing[code] = policy.data.IsMissing((*text.dictionary)[static_cast<Code>(code)].bytes());
  }
  labels.of_row.resize(data.num_rows, kNull);
  for (std::size_t row = 0; row < data.num_rows; ++row) {
    const Code code = text.codes[row];
    if (code == kNull || missing[code] != 0) continue;
    if (number[code] == kNull) number[code] = labels.num_classes++;
    labels.of_row[row] = number[code];
  }
  if (labels.num_classes > kMaxClasses) {
    return Error::InvalidPolicy("the class column '{}' has {} different values, more than {}",
                                data.columns[columns[0]].attribute.name, labels.num_classes, kMaxClasses)
        .WithHint("a class is what a classifier predicts; give the column another role, or set utility = \"distortion\"");
  }
  return labels;
}

Result<TopDownOptions> OptionsOf(const AlgorithmPolicy& policy, const std::string& name, bool has_class) {
  TopDownOptions options;
  const auto utility = policy.Option<std::string>(name, "utility");
  if (utility == "class" && !has_class) {
    return Error::InvalidPolicy("[algorithm.{}] utility = \"class\" needs a column with role = \"class\"", name);
  }
  if (utility ? *utility == "distortion" : !has_class) options.utility = TopDownUtility::kDistortion;
  if (policy.Option<std::string>(name, "score") == "gain") options.choice = TopDownOptions::Choice::kGain;
  options.max_refinements = policy.Option<std::int64_t>(name, "max_refinements");
  return options;
}

using Search = Result<Groups> (*)(const TopDownInput&, const TopDownOptions&, TopDownFacts*, const Run&);

Result<TopDownInput> InputOf(const AlgorithmInput& input, const TopDownOptions& options) {
  const Microdata& data = input.view.data();
  ClassLabels labels;
  if (options.utility == TopDownUtility::kClass) {
    CORDON_TRY(labels, LabelsOf(data, input.policy));
  }
  return TopDownInput{input.view,        input.policy.models,
                      input.model,       input.reference,
                      input.counted,     MaskingsOf(data, input.policy),
                      std::move(labels), {}};
}

void TellFacts(const TopDownFacts& facts, AlgorithmNotes* notes) {
  if (notes == nullptr) return;
  notes->counts.emplace_back("refinements", facts.refinements);
  notes->counts.emplace_back("stopped_early", facts.stopped_early ? 1 : 0);
  for (const auto& [column, shown] : facts.shown) {
    notes->counts.emplace_back("shown_" + column, static_cast<std::int64_t>(shown));
  }
}

Result<Groups> RunBy(Search search, const std::string& name, const AlgorithmInput& input, const Run& run) {
  const bool has_class = !input.view.data().ColumnsOf(Role::kClass).empty();
  CORDON_TRY(const TopDownOptions options, OptionsOf(input.policy.algorithm, name, has_class));
  CORDON_TRY(const TopDownInput given, InputOf(input, options));
  TopDownFacts facts;
  CORDON_TRY(Groups groups, search(given, options, &facts, run));
  TellFacts(facts, input.notes);
  return groups;
}

}  // namespace

std::vector<Masking> MaskingsOf(const Microdata& data, const Policy& policy) {
  std::vector<Masking> maskings;
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) {
    const AttributePolicy& attribute = *policy.Find(data.columns[column].attribute.name);
    const bool categorical = attribute.type == Domain::Kind::kCategorical;
    if (attribute.mask == Mask::kSuppress || (categorical && attribute.hierarchy.kind == HierarchySource::Kind::kNone)) {
      maskings.push_back(Masking::kSuppression);
    } else {
      maskings.push_back(categorical ? Masking::kTaxonomy : Masking::kIntervals);
    }
  }
  return maskings;
}

Result<std::unique_ptr<TopDown>> StartTdr(const AlgorithmInput& input, const Run& run) {
  const bool has_class = !input.view.data().ColumnsOf(Role::kClass).empty();
  CORDON_TRY(const TopDownOptions options, OptionsOf(input.policy.algorithm, "tdr", has_class));
  CORDON_TRY(const TopDownInput given, InputOf(input, options));
  CORDON_TRY(TopDown::Plan plan, MakePlan(given));
  return TopDown::Make(input.view, std::move(plan), options, run);
}

Result<void> CheckTopDown(const Policy& policy, const char* name) {
  std::vector<std::string> classes;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.role == Role::kClass) classes.push_back(attribute.name);
  }
  CORDON_TRY(const TopDownOptions options, OptionsOf(policy.algorithm, name, !classes.empty()));
  if (options.utility == TopDownUtility::kClass && classes.size() > 1) {
    return Error::InvalidPolicy("tdr and tdd keep one class column, and the policy has {}: '{}', '{}'", classes.size(),
                                classes[0], classes[1])
        .WithHint("keep the one that analysts predict; the others are sensitive, quasi, or left out as identifier");
  }
  return name == std::string_view("tdd") ? CheckTddModels(policy.models) : Result<void>();
}

Result<void> CheckTdssa(const Policy& policy, const char* name) {
  if (policy.join_models.empty()) {
    return Error::InvalidPolicy("tdssa keeps xy-anonymity and xy-linkability, and the policy asks for neither")
        .WithHint("leave algorithm.name out");
  }
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.mask != Mask::kSuppress) continue;
    return Error::InvalidPolicy("{}:{}: tdssa does not serve mask = \"suppress\" (column '{}')", policy.name, attribute.line,
                                attribute.name)
        .WithHint("leave mask out: without a hierarchy a value is shown or generalized to *");
  }
  return CheckTopDown(policy, name);
}

Result<Groups> RunTdssa(const AlgorithmInput& input, Random&, const Run& run) {
  CORDON_CHECK(input.previous != nullptr);
  const PreviousReleases& previous = *input.previous;
  const Policy& policy = input.policy;
  const bool has_class = !input.view.data().ColumnsOf(Role::kClass).empty();
  CORDON_TRY(TopDownOptions options, OptionsOf(policy.algorithm, "tdssa", has_class));
  options.zero_gain = true;  // what tells nothing about the class still lowers distortion
  if (previous.through_violation) options.on_start = TopDownOptions::OnStart::kSearchFurther;
  if (input.max_refinements) {
    options.max_refinements = std::min(options.max_refinements.value_or(*input.max_refinements), *input.max_refinements);
  }
  CORDON_TRY(TopDownInput given, InputOf(input, options));
  std::replace(given.maskings.begin(), given.maskings.end(), Masking::kSuppression, Masking::kTaxonomy);
  const SequentialInput sequential{previous.linked.linked, previous.linked.axes, policy.data.missing,
                                   policy.join_models,     policy.impossible,    policy.generalize_joining};
  TdssaFacts facts;
  CORDON_TRY(Groups groups, Tdssa(given, sequential, options, &facts, run));
  TellFacts(facts.top_down, input.notes);
  if (input.notes != nullptr) {
    for (const JoinFacts& join : facts.joins) {
      input.notes->lines.push_back(fmt::format("{}: {} regime, {} entries in {} classes of previous rows", join.text,
                                               join.closed ? "closed" : "linking", join.entries, join.classes));
    }
  }
  return groups;
}

Result<Groups> RunTdr(const AlgorithmInput& input, Random&, const Run& run) { return RunBy(Tdr, "tdr", input, run); }
Result<Groups> RunTdd(const AlgorithmInput& input, Random&, const Run& run) { return RunBy(Tdd, "tdd", input, run); }

}  // namespace cordon::engine
