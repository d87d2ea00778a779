// SPDX-License-Identifier: Apache-2.0
#include "cordon/joint/party_search.h"

#include <algorithm>

#include "cordon/base/random.h"
#include "cordon/bind/bind.h"
#include "cordon/data/recode.h"
#include "cordon/models/verify/check_against_original.h"
#include "cordon/plan/run_top_down.h"

namespace cordon::engine {

PartySearch::PartySearch(const Policy& policy, Microdata records)
    : policy_(policy), data_(std::move(records)), view_(View::All(data_)), reference_(ReferenceOf(data_, {}, view_.rows())) {}

Result<std::unique_ptr<PartySearch>> PartySearch::Make(const Policy& policy, Microdata records, const Run& run) {
  if (records.num_rows == 0) return Error::Unsatisfiable("the two parties have no people in common");
  std::unique_ptr<PartySearch> made(new PartySearch(policy, std::move(records)));
  CORDON_TRY(AllOf model, AllOf::Make(policy.models, made->reference_));
  made->model_ = std::make_unique<AllOf>(std::move(model));
  made->counted_ = std::make_unique<CountedColumns>(made->data_, std::vector<std::size_t>(), false);
  CORDON_TRY(made->search_, StartTdr({made->view_, *made->model_, made->reference_, *made->counted_, policy}, run));
  return made;
}

Result<VerifiedRelease> PartySearch::Publish(const TopDown& search, std::vector<Verdict>* verdicts, const Run& run) const {
  Random order = Random::FromOperatingSystem();
  Release release = Recode(view_, search.ToGroups(run), {.order = RowOrder::kSorted}, order, run);
  CORDON_RETURN_IF_ERROR(CheckOwnTruth(release, run));
  return Verifier(policy_.models).Accept(std::move(release), run, verdicts);
}

Result<void> PartySearch::CheckOwnTruth(const Release& release, const Run& run) const {
  Release own = release;
  Microdata data = data_;
  std::erase_if(data.columns,
                [](const MicrodataColumn& column) { return column.attribute.role == Role::kQuasi && column.codes.empty(); });
  std::erase_if(own.columns, [&](const ReleaseColumn& column) { return !data.Find(column.attribute.name); });
  std::vector<std::pair<std::uint64_t, RowId>> record_of;  // by row of the file
  for (std::size_t row = 0; row < data.num_rows; ++row) {
    record_of.emplace_back(data.input_row(static_cast<RowId>(row)), static_cast<RowId>(row));
  }
  std::sort(record_of.begin(), record_of.end());
  std::vector<RowId> rows;
  rows.reserve(release.num_rows);
  for (const std::uint64_t input : release.input_rows) {
    rows.push_back(std::lower_bound(record_of.begin(), record_of.end(), std::pair(input, RowId{0}))->second);
  }
  CORDON_TRY(const Truth truth, CheckAgainstOriginal(own, data, std::span<const RowId>(rows), run));
  if (truth.holds) return {};
  return Error::InvalidData("the release was not written: {}", truth.Explain());
}

Result<Ledger> LedgerOf(const Policy& policy) {
  CORDON_TRY(const std::vector<Attribute> attributes, BindAttributes(policy));
  Microdata shape;
  for (const Attribute& attribute : attributes) {
    if (attribute.role == Role::kQuasi) shape.columns.push_back({attribute, {}, {}});
  }
  const std::vector<Masking> maskings = MaskingsOf(shape, policy);
  std::vector<Ledger::Column> columns;
  for (std::size_t i = 0; i < shape.columns.size(); ++i) columns.push_back({shape.columns[i].attribute, maskings[i]});
  std::vector<Ledger::Template> templates;
  for (const ModelSpec& spec : policy.models) {
    Ledger::Template made{{}, std::get<KAnonymitySpec>(spec).k, Describe(spec)};
    const std::vector<std::string> on = GroupingColumns(spec);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (on.empty() || std::find(on.begin(), on.end(), columns[i].attribute.name) != on.end()) made.columns.push_back(i);
    }
    templates.push_back(std::move(made));
  }
  return Ledger(columns, std::move(templates));
}

CountedRows CountRows(const std::vector<const Column*>& columns, std::size_t num_rows) {
  std::map<std::vector<Code>, std::uint64_t> by_code;
  for (std::size_t row = 0; row < num_rows; ++row) {
    std::vector<Code> codes;
    for (const Column* column : columns) codes.push_back(column->codes[row]);
    ++by_code[std::move(codes)];
  }
  CountedRows counted;
  for (const auto& [codes, rows] : by_code) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      texts.emplace_back(codes[i] == kNull ? std::string_view() : (*columns[i]->dictionary)[codes[i]].bytes());
    }
    counted[std::move(texts)] += rows;
  }
  return counted;
}

}  // namespace cordon::engine
