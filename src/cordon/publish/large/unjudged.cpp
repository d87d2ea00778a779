// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/large/unjudged.h"

#include <algorithm>
#include <queue>

namespace cordon::engine {
namespace {

// Of what a row shows in its quasi columns, code after code. Rows that look alike have the same; few others do, and these
// share a part without harm.
void AddToHash(Code code, std::uint64_t& hash) {
  hash = (hash ^ static_cast<std::uint32_t>(code + 1)) * 0x9E3779B97F4A7C15U;
  hash ^= hash >> 32;
}

// `rows` more rows with this loss.
void AddLoss(const InformationLoss& more, double rows, InformationLoss& sum) {
  sum.information_loss += rows * more.information_loss;
  sum.information_loss_thesis += rows * more.information_loss_thesis;
  if (sum.per_attribute.empty()) {
    for (const auto& [name, loss] : more.per_attribute) sum.per_attribute.emplace_back(name, 0);
  }
  for (std::size_t i = 0; i < sum.per_attribute.size(); ++i) sum.per_attribute[i].second += rows * more.per_attribute[i].second;
}

}  // namespace

UnjudgedRows::UnjudgedRows(const LargeTable& table, RowSpill parts)
    : table_(&table), made_{std::move(parts), {}}, together_(table.ColumnsOf(Role::kQuasi)) {
  for (const LargeColumn& column : table.columns) {
    texts_.push_back(column.attribute.role == Role::kQuasi ? std::make_shared<Dictionary>() : nullptr);
  }
}

Result<UnjudgedRows> UnjudgedRows::Create(const LargeTable& table, const std::string& folder, std::uint64_t part_rows) {
  const std::size_t num_parts = static_cast<std::size_t>(2 * table.num_rows / part_rows) + 1;
  CORDON_TRY(RowSpill parts, RowSpill::Create(folder, table.columns.size(), num_parts));
  return UnjudgedRows(table, std::move(parts));
}

// The code of each text of a release's column, by its own code + 1.
std::vector<Code> UnjudgedRows::Take(std::size_t column, const Dictionary& texts) {
  std::vector<Code> codes = {kNull};
  for (std::size_t code = 0; code < texts.size(); ++code) {
    const bool own = texts_[column] != nullptr;
    codes.push_back(own ? texts_[column]->Intern(texts[static_cast<Code>(code)].bytes()) : static_cast<Code>(code));
  }
  return codes;
}

std::uint64_t UnjudgedRows::DealOut(const AllGroups& groups) {
  const std::vector<std::size_t> quasi = table_->ColumnsOf(Role::kQuasi);
  together_.assign(groups.together.begin(), groups.together.end());
  std::vector<std::pair<const std::vector<Code>*, std::vector<Code>>> shown;  // of the columns: by group, and as it is stored
  for (const std::size_t column : together_) {
    const auto q = static_cast<std::size_t>(std::find(quasi.begin(), quasi.end(), column) - quasi.begin());
    shown.emplace_back(&groups.cells.codes[q], Take(column, *groups.cells.dictionaries[q]));
  }
  std::unordered_map<std::uint64_t, std::uint64_t> rows_of;  // by hash
  for (std::size_t group = 0; group < groups.rows.size(); ++group) {
    std::uint64_t hash = 0;
    for (const auto& [cells, stored] : shown) AddToHash(stored[static_cast<std::size_t>((*cells)[group] + 1)], hash);
    rows_of[hash] += groups.rows[group];
  }
  if (groups.starred > 0) {
    std::uint64_t hash = 0;
    for (const std::size_t column : together_) AddToHash(texts_[column]->Intern("*"), hash);
    rows_of[hash] += groups.starred;
  }
  // The largest first, each to the part that has least.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
  for (const auto& [hash, number] : rows_of) order.emplace_back(number, hash);
  std::sort(order.rbegin(), order.rend());
  std::priority_queue<std::pair<std::uint64_t, std::size_t>, std::vector<std::pair<std::uint64_t, std::size_t>>, std::greater<>>
      parts;
  for (std::size_t part = 0; part < made_.parts.num_buckets(); ++part) parts.emplace(0, part);
  std::uint64_t most = 0;
  for (const auto& [number, hash] : order) {
    const auto [has, part] = parts.top();
    parts.pop();
    part_of_[hash] = part;
    parts.emplace(has + number, part);
    most = std::max(most, has + number);
  }
  return most;
}

Result<void> UnjudgedRows::Add(const Release& release, std::uint64_t searched, const Run& run) {
  CORDON_TRY(const InformationLoss loss, MeasureInformationLoss(release, run));
  AddLoss(loss, static_cast<double>(searched), made_.loss);
  made_.rows += release.num_rows;
  made_.suppressed += release.suppressed;
  made_.starred += release.starred.value_or(0);
  std::vector<std::vector<Code>> codes;
  for (std::size_t i = 0; i < release.columns.size(); ++i) codes.push_back(Take(i, *release.columns[i].text.dictionary));
  std::vector<Code> row(release.columns.size());
  for (std::size_t r = 0; r < release.num_rows; ++r) {
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = codes[i][static_cast<std::size_t>(release.columns[i].text.codes[r] + 1)];
    std::uint64_t hash = 0;
    for (const std::size_t column : together_) AddToHash(row[column], hash);
    const auto dealt = part_of_.find(hash);
    const std::size_t part = dealt == part_of_.end() ? hash % made_.parts.num_buckets() : dealt->second;
    CORDON_RETURN_IF_ERROR(made_.parts.Add(part, row));
  }
  return {};
}

Result<Unjudged> UnjudgedRows::Finish() {
  CORDON_RETURN_IF_ERROR(made_.parts.Flush());
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const LargeColumn& column = table_->columns[i];
    const std::shared_ptr<const Dictionary> texts = texts_[i] != nullptr ? texts_[i] : column.texts;
    made_.columns.push_back({column.attribute, {column.attribute.name, texts, {}}});
    made_.columns.back().attribute.whole = nullptr;  // the verifier counts for itself
  }
  return std::move(made_);
}

}  // namespace cordon::engine
