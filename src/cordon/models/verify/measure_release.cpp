// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/measure_release.h"

#include <functional>

namespace cordon::engine {
namespace {

// Requirements and where their answers go: one call of the verifier, so one count of the rows.
class Questions {
 public:
  void Ask(ModelSpec spec, std::function<void(Reached)> answer) {
    specs_.push_back(std::move(spec));
    answers_.push_back(std::move(answer));
  }
  Result<std::vector<Verdict>> Answer(const Release& release, const VerifyOptions& options, const Run& run) {
    CORDON_TRY(std::vector<Verdict> verdicts, Verifier(specs_, options).Judge(release, run));
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      answers_[i]({verdicts[i].reached, verdicts[i].reached_text, verdicts[i].reached_shown, verdicts[i].witness});
    }
    return verdicts;
  }

 private:
  std::vector<ModelSpec> specs_;
  std::vector<std::function<void(Reached)>> answers_;
};

void AskAboutPeople(const Attribute& attribute, MeasuredColumn& column, Questions& questions) {
  constexpr CountBy kPersons = CountBy::kPersons;
  const std::string& name = attribute.name;
  const auto into = [](std::optional<Reached>& place) { return [&place](Reached reached) { place = std::move(reached); }; };
  questions.Ask(LDiversitySpec{name, 1, LDiversitySpec::Kind::kDistinct, {}, kPersons}, into(column.distinct_l_by_person));
  questions.Ask(TClosenessSpec{name, 1, Distance::kEqual, kPersons}, into(column.t_equal_by_person));
  if (attribute.domain != nullptr && !attribute.domain->is_categorical()) {
    questions.Ask(TClosenessSpec{name, 1, Distance::kOrdered, kPersons}, into(column.t_ordered_by_person));
  }
  questions.Ask(BetaLikenessSpec{name, 1, BetaLikenessSpec::Kind::kBasic, {}, {}, kPersons}, into(column.beta_by_person));
}

void AskAbout(const Attribute& attribute, MeasuredColumn& column, Questions& questions) {
  using Kind = LDiversitySpec::Kind;
  const std::string& name = attribute.name;
  column.sensitive = name;
  const auto into = [](Reached& place) { return [&place](Reached reached) { place = std::move(reached); }; };
  const auto into_optional = [](std::optional<Reached>& place) {
    return [&place](Reached reached) { place = std::move(reached); };
  };
  questions.Ask(LDiversitySpec{name, 1, Kind::kDistinct, {}}, into(column.distinct_l));
  questions.Ask(LDiversitySpec{name, 1, Kind::kEntropy, {}}, into(column.entropy_l));
  questions.Ask(LDiversitySpec{name, 2, Kind::kRecursive, Rational(1)}, into(column.recursive_c));
  questions.Ask(TClosenessSpec{name, 1, Distance::kEqual}, into(column.t_equal));
  if (attribute.domain != nullptr && !attribute.domain->is_categorical()) {
    questions.Ask(TClosenessSpec{name, 1, Distance::kOrdered}, into_optional(column.t_ordered));
  }
  if (attribute.domain != nullptr && attribute.domain->is_categorical() && attribute.domain->hierarchy()->height() > 1) {
    questions.Ask(TClosenessSpec{name, 1, Distance::kHierarchical}, into_optional(column.t_hierarchical));
  }
  questions.Ask(BetaLikenessSpec{name, 1, BetaLikenessSpec::Kind::kBasic}, into(column.beta));
  questions.Ask(DeltaDisclosureSpec{name, 1}, into(column.delta));
}

}  // namespace

Result<Measured> MeasureRelease(const Release& release, const VerifyOptions& options, const Run& run) {
  const std::vector<std::size_t> sensitive = release.ColumnsOf(Role::kSensitive);
  Measured measured;
  measured.columns.resize(sensitive.size());
  Questions questions;
  questions.Ask(KAnonymitySpec{1, {}}, [&](Reached reached) { measured.k = std::move(reached); });
  for (std::size_t i = 0; i < sensitive.size(); ++i) {
    const Attribute& attribute = release.columns[sensitive[i]].attribute;
    AskAbout(attribute, measured.columns[i], questions);
    if (!release.persons.empty()) AskAboutPeople(attribute, measured.columns[i], questions);
  }
  VerifyOptions counting = options;
  counting.keep_per_group = true;
  CORDON_TRY(const std::vector<Verdict> verdicts, questions.Answer(release, counting, run));
  measured.groups = verdicts[0].per_group.size();
  return measured;
}

}  // namespace cordon::engine
