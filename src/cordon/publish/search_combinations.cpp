// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "cordon/data/recode.h"
#include "cordon/plan/homogeneous.h"
#include "cordon/publish/make_release.h"
#include "cordon/publish/search_large.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kPublishedAtOnce = std::uint64_t{1} << 17;  // that are published at a time
constexpr std::uint64_t kBytesToJudge = 40;                         // of a row, and 8 per column

// What was found, by combination.
struct FoundGroups {
  std::vector<std::uint32_t> group_of;  // by combination; groups.size(): suppressed
  std::size_t num_groups = 0;
  GroupCells cells;
};

Result<FoundGroups> SearchAll(const Combinations& combinations, const SearchLargeOptions& options, const Random& random,
                              CombinationsNotes& notes, const Run& run) {
  const Microdata data = combinations.Rows();
  CORDON_TRY(const Groups groups,
             SearchWeighted(options.algorithm, data, options.policy, options.effort, random, notes.algorithm, run));
  CORDON_TRY(notes.warnings, HomogeneousAllowed(options.policy, data));
  FoundGroups found;
  found.num_groups = groups.size();
  found.group_of.assign(combinations.size(), static_cast<std::uint32_t>(groups.size()));
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const RowId row : groups[group]) found.group_of[row] = static_cast<std::uint32_t>(group);
  }
  CORDON_CHECK(!groups.shown.empty() || groups.cells != nullptr);  // boxes would be those of combinations
  found.cells = groups.shown.empty() ? *groups.cells : CellsOf(data, groups.shown, run);
  return found;
}

// The groups that rows are in, as groups of these rows.
Groups GroupsOfBlock(std::span<const std::uint32_t> group_of_row, const FoundGroups& found) {
  std::vector<std::uint32_t> starts(found.num_groups + 2);
  for (const std::uint32_t group : group_of_row) ++starts[group + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<RowId> rows(group_of_row.size());
  std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t row = 0; row < rows.size(); ++row) rows[next[group_of_row[row]]++] = static_cast<RowId>(row);
  auto cells = std::make_shared<GroupCells>();
  cells->dictionaries = found.cells.dictionaries;
  cells->codes.resize(found.cells.codes.size());
  Groups groups;
  groups.starts.push_back(0);
  for (std::size_t group = 0; group < found.num_groups; ++group) {
    if (starts[group] == starts[group + 1]) continue;
    groups.Add(std::span(rows).subspan(starts[group], starts[group + 1] - starts[group]));
    for (std::size_t q = 0; q < cells->codes.size(); ++q) cells->codes[q].push_back(found.cells.codes[q][group]);
  }
  groups.suppressed.assign(rows.begin() + starts[found.num_groups], rows.end());
  groups.cells = std::move(cells);
  return groups;
}

std::vector<std::size_t> ColumnsOfAllModels(const LargeTable& table, const Policy& policy) {
  std::vector<std::size_t> columns = table.ColumnsOf(Role::kQuasi);
  for (const ModelSpec& spec : policy.models) {
    const std::vector<std::string> on = GroupingColumns(spec);
    std::erase_if(columns, [&](std::size_t column) {
      return !on.empty() && std::find(on.begin(), on.end(), table.columns[column].attribute.name) == on.end();
    });
  }
  return columns;
}

class Publisher {
 public:
  Publisher(const LargeTable& table, const Combinations& combinations, const FoundGroups& found,
            const SearchLargeOptions& options, const Random& random, const Run& run, UnjudgedRows unjudged)
      : table_(table),
        combinations_(combinations),
        found_(found),
        options_(options),
        random_(random),
        run_(run),
        unjudged_(std::move(unjudged)),
        block_(std::in_place, table),
        star_(options.policy.algorithm.suppressed == Suppression::kStar) {}

  Result<Unjudged> All() {
    CORDON_RETURN_IF_ERROR(DealOut());
    const std::size_t width = table_.columns.size();
    const std::uint64_t block_rows = std::min(kPublishedAtOnce, options_.part_rows);
    const auto take = [&](std::span<const Code> rows) -> Result<void> {
      for (std::size_t at = 0; at < rows.size(); at += width) {
        const std::span<const Code> row = rows.subspan(at, width);
        block_->Add(row);
        group_of_row_.push_back(found_.group_of[combinations_.NumberOf(row)]);
        if (group_of_row_.size() == block_rows) CORDON_RETURN_IF_ERROR(Publish());
      }
      return {};
    };
    CORDON_RETURN_IF_ERROR(table_.rows.Each(0, run_, take));
    CORDON_RETURN_IF_ERROR(Publish());
    return unjudged_.Finish();
  }

 private:
  // Rows of one group of some model are judged together: those that agree in the columns that all models look at. They have to
  // fit.
  Result<void> DealOut() {
    std::vector<std::uint64_t> rows(found_.num_groups + 1);
    for (std::uint32_t number = 0; number < combinations_.size(); ++number)
      rows[found_.group_of[number]] += combinations_.weight(number);
    const std::uint64_t starred = star_ ? rows.back() : 0;
    rows.pop_back();
    const std::vector<std::size_t> together = ColumnsOfAllModels(table_, options_.policy);
    const std::uint64_t most = unjudged_.DealOut({found_.cells, rows, starred, together});
    const std::uint64_t bytes = most * (kBytesToJudge + 8 * table_.columns.size());
    if (bytes <= options_.bytes) return {};
    return Error::InvalidPolicy(
               "{} rows have to be judged together, as they look alike in the columns that all models name, and do not fit in "
               "--memory",
               most)
        .WithHint("give at least {}MiB more", ((bytes - options_.bytes) >> 20) + 1);
  }

  Result<void> Publish() {
    if (group_of_row_.empty()) return {};
    const Microdata data = block_->Finish();
    const RecodeOptions recode{.order = RowOrder::kInput,  // rows are shuffled when all of them are judged
                               .suppressed = star_ ? SuppressedRows::kStar : SuppressedRows::kDrop};
    CORDON_TRY(const Release release,
               PublishShard(View::All(data), GroupsOfBlock(group_of_row_, found_), recode, random_, run_.Silent()));
    CORDON_RETURN_IF_ERROR(unjudged_.Add(release, data.num_rows, run_.Silent()));
    run_.Report("recode", published_ += data.num_rows, table_.num_rows);
    block_.emplace(table_);
    group_of_row_.clear();
    return {};
  }

  const LargeTable& table_;
  const Combinations& combinations_;
  const FoundGroups& found_;
  const SearchLargeOptions& options_;
  const Random& random_;
  const Run& run_;
  UnjudgedRows unjudged_;
  std::optional<MicrodataBuilder> block_;
  bool star_;
  std::vector<std::uint32_t> group_of_row_;  // of the block
  std::uint64_t published_ = 0;
};

}  // namespace

std::vector<std::size_t> ColumnsThatDecide(const LargeTable& table, const Policy& policy, const AlgorithmEntry& algorithm) {
  std::vector<std::size_t> columns = table.ColumnsOf(Role::kQuasi);
  const std::vector<std::size_t> sensitive = NamedColumns(MicrodataBuilder(table).Finish(), policy);
  columns.insert(columns.end(), sensitive.begin(), sensitive.end());
  if (algorithm.masks_values()) {  // by what it tells about the class
    const std::vector<std::size_t> classes = table.ColumnsOf(Role::kClass);
    columns.insert(columns.end(), classes.begin(), classes.end());
  }
  return columns;
}

Result<Unjudged> SearchCombinations(const LargeTable& table, const Combinations& combinations,
                                    const SearchLargeOptions& options, const Random& random, CombinationsNotes& notes,
                                    const Run& run) {
  CORDON_TRY(const FoundGroups found, SearchAll(combinations, options, random, notes, run));
  CORDON_TRY(UnjudgedRows unjudged, UnjudgedRows::Create(table, options.folder, options.part_rows));
  return Publisher(table, combinations, found, options, random, run, std::move(unjudged)).All();
}

}  // namespace cordon::engine
