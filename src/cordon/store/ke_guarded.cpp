// SPDX-License-Identifier: Apache-2.0
//
// Guarded append: everything grouped anew by the incremental optimum, and a guard over all releases.
#include <algorithm>
#include <map>

#include "cordon/algorithms/ke/ke_incremental.h"
#include "cordon/store/ke_append_internal.h"

namespace cordon::engine::internal {
namespace {

constexpr Int128 kTooManyDigits = 1'000'000'000'000'000'000;  // 10^18

struct Published {
  KeTruth truth;  // in the order of the published table
  Table cells;    // its columns, as texts
};

Result<std::vector<std::int64_t>> WholeNumbers(const SqlColumn& column) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(column.numbers.size());
  for (const auto& number : column.numbers) {
    if (!number) return Error::InvalidData("the private half of the store has an absent number");
    numbers.push_back(static_cast<std::int64_t>(*number));
  }
  return numbers;
}

// The true values and candidates of the published rows, at one scale, and their published cells.
Result<Published> ReadPublished(const OpenedStore& store, int scale, const Run& run) {
  Published made;
  CORDON_TRY(DuckDbSession session, DuckDbSession::Open({.threads = run.threads}));
  for (const Json& part : store.state["truth"]) {
    std::int64_t factor = 1;
    for (int digit = part.value("scale", 0); digit < scale; ++digit) factor *= 10;
    const auto read = [&](const char* file, const char* columns) {
      return session.Query(
          fmt::format("SELECT {} FROM {}", columns, ParquetRows(store.PrivateFile(part[file].value("file", "")))), run);
    };
    CORDON_TRY(const SqlRows values, read("values", "value, candidate"));
    CORDON_TRY(const SqlRows members, read("candidates", "candidate, value"));
    CORDON_TRY(const std::vector<std::int64_t> value, WholeNumbers(values.columns[0]));
    CORDON_TRY(const std::vector<std::int64_t> candidate, WholeNumbers(values.columns[1]));
    CORDON_TRY(const std::vector<std::int64_t> set, WholeNumbers(members.columns[0]));
    CORDON_TRY(const std::vector<std::int64_t> member, WholeNumbers(members.columns[1]));
    const std::size_t before = made.truth.sets.size();
    // More digits after the point may be more than a number here can have.
    const auto too_long = [&](std::int64_t number) {
      const Int128 scaled = static_cast<Int128>(number) * factor;
      return scaled >= kTooManyDigits || scaled <= -kTooManyDigits;
    };
    if (std::any_of(value.begin(), value.end(), too_long) || std::any_of(member.begin(), member.end(), too_long)) {
      return Error::InvalidData("a published number needs more than 18 digits with {} after the point", scale)
          .WithHint("round the new numbers, or append them with --re-release frozen");
    }
    for (std::size_t i = 0; i < set.size(); ++i) {
      made.truth.sets.resize(std::max(made.truth.sets.size(), before + static_cast<std::size_t>(set[i]) + 1));
      made.truth.sets[before + static_cast<std::size_t>(set[i])].push_back(member[i] * factor);
    }
    for (std::size_t row = 0; row < value.size(); ++row) {
      made.truth.values.push_back(value[row] * factor);
      made.truth.candidate.push_back(static_cast<std::int64_t>(before) + candidate[row]);
    }
  }
  CORDON_TRY(const std::unique_ptr<Source> source, OpenStoreTable(store.path));
  CORDON_TRY(made.cells, ReadTable(*source, run));
  if (made.cells.num_rows != made.truth.values.size()) {
    return Error::InvalidData("the private half does not belong to the published rows");
  }
  return made;
}

// The cells of published rows before those of new ones, column by column of the new ones.
std::vector<ReleaseColumn> Joined(const Table& published, std::vector<ReleaseColumn> columns, const Run& run) {
  for (ReleaseColumn& column : columns) {
    const Column* old = published.Find(column.attribute.name);
    CORDON_CHECK(old != nullptr);
    auto dictionary = std::make_shared<Dictionary>(*old->dictionary);
    std::vector<Code> code_of(column.text.dictionary->size());
    for (std::size_t code = 0; code < code_of.size(); ++code)
      code_of[code] = dictionary->Intern((*column.text.dictionary)[static_cast<Code>(code)].bytes());
    const Codes fresh = column.text.codes;
    column.text.codes = Codes::Generate(published.num_rows + fresh.size(), run.threads, [&](std::size_t row) {
      if (row < published.num_rows) return old->codes[row];
      const Code code = fresh[row - published.num_rows];
      return code == kNull ? kNull : code_of[code];
    });
    column.text.dictionary = std::move(dictionary);
  }
  return columns;
}

bool Satisfies(const std::vector<std::int64_t>& ascending, const KeRequirement& requirement) {
  return static_cast<std::int64_t>(ascending.size()) >= requirement.k && !ascending.empty() &&
         ascending.back() - ascending.front() >= requirement.e;
}

// What is left possible for each row after this release: its candidates so far that its new group has too.
struct Guarded {
  KeTruth truth;  // in the order of the rows given
  std::uint64_t exposed = 0;
};
Guarded Intersect(const KeTruth& before, const std::vector<std::int64_t>& values, const KeGroups& groups,
                  const KeRequirement& requirement) {
  Guarded guarded;
  guarded.truth.values = values;
  guarded.truth.candidate.resize(values.size());
  std::map<std::pair<std::int64_t, std::size_t>, std::int64_t> known;  // (candidates so far or -1, group) -> set
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<std::int64_t> distinct;
    for (std::uint64_t at = groups.starts[g]; at < groups.starts[g + 1]; ++at) distinct.push_back(values[groups.rows[at]]);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::uint64_t at = groups.starts[g]; at < groups.starts[g + 1]; ++at) {
      const RowId row = groups.rows[at];
      const std::int64_t so_far = row < before.values.size() ? before.candidate[row] : -1;
      const auto [found, is_new] = known.try_emplace({so_far, g}, static_cast<std::int64_t>(guarded.truth.sets.size()));
      if (is_new) {
        std::vector<std::int64_t> left = distinct;
        if (so_far >= 0) {
          const std::vector<std::int64_t>& old = before.sets[static_cast<std::size_t>(so_far)];
          left.clear();
          std::set_intersection(old.begin(), old.end(), distinct.begin(), distinct.end(), std::back_inserter(left));
        }
        guarded.truth.sets.push_back(std::move(left));
      }
      guarded.truth.candidate[row] = found->second;
      guarded.exposed += Satisfies(guarded.truth.sets[static_cast<std::size_t>(found->second)], requirement) ? 0 : 1;
    }
  }
  return guarded;
}

// Rows of a value that lies in two groups stay on the side where they were: moved to the other, only that value would be
// left of their candidates. New rows are drawn.
void KeepSides(const KeTruth& before, KeOrder& order, KeCut& cut, Random& random) {
  std::uint64_t begin = 0;
  std::size_t g = 1;
  for (std::size_t v = 0; v < order.axis.values.size(); ++v) {
    const std::uint64_t count = static_cast<std::uint64_t>(order.axis.counts[v]);
    while (g < cut.starts.size() && cut.starts[g] <= begin) ++g;
    if (g < cut.starts.size() && cut.starts[g] < begin + count) {
      const auto rows = std::span(order.rows).subspan(begin, count);
      random.Shuffle(rows);
      const auto side = [&](RowId row) {  // 0: value ended its group, 2: it did not, 1: new
        if (row >= before.values.size()) return 1;
        return before.sets[static_cast<std::size_t>(before.candidate[row])].back() == order.axis.values[v] ? 0 : 2;
      };
      std::stable_sort(rows.begin(), rows.end(), [&](RowId a, RowId b) { return side(a) < side(b); });
      const auto on_side = [&](int which) {
        return static_cast<std::uint64_t>(
            std::count_if(rows.begin(), rows.end(), [&](RowId row) { return side(row) == which; }));
      };
      const std::uint64_t left = std::clamp(cut.starts[g] - begin, on_side(0), on_side(0) + on_side(1));
      cut.starts[g] = begin + std::clamp<std::uint64_t>(left, 1, count - 1);
    }
    begin += count;
  }
}

KeGroups GroupsInOrder(KeOrder order, const KeCut& cut) {
  const Rational share = GreatestShare(order.axis, cut);
  return {std::move(order.rows), cut.starts, cut.sum_error, cut.max_error, share};
}

// The optimum over all rows, kept up from that of the published ones.
Result<KeGroups> Regroup(const KeTruth& published, const std::vector<std::int64_t>& values, const KeAnonymitySpec& model,
                         const KeRequirement& requirement, int scale, Random& random) {
  KeOrder order = OrderByValue(values);
  std::optional<KeCut> cut;
  if (model.objective == KeAnonymitySpec::Objective::kSum) {
    IncrementalKe incremental(OrderByValue(published.values).axis, requirement);
    for (std::size_t row = published.values.size(); row < values.size(); ++row) incremental.Append(values[row]);
    cut = incremental.Cut();
  } else {
    cut = CutByMax(order.axis, requirement);
  }
  if (cut && model.max_share) cut = LimitShare(order.axis, *std::move(cut), *model.max_share, model.objective);
  if (!cut) return KeUnsatisfiable(order.axis, scale, model);
  KeepSides(published, order, *cut, random);
  return GroupsInOrder(std::move(order), *cut);
}

}  // namespace

Result<KeReport> PublishGuarded(const OpenedStore& store, NewRows rows, Json state, Random& random, const Run& run) {
  KeRows& fresh = rows.rows;
  const std::uint64_t excluded = fresh.excluded;
  if (std::any_of(store.columns.begin(), store.columns.end(), [&](const StoreColumn& column) {
        const AttributePolicy* attribute = store.policy.Find(column.name);
        return attribute != nullptr && attribute->grid.has_value();
      })) {
    return Error::InvalidPolicy("a store with a column on a grid cannot be grouped anew")
        .WithHint("append with --re-release frozen");
  }
  const int scale = std::max(store.scale, fresh.scale);
  CORDON_RETURN_IF_ERROR(Rescale(fresh, scale));
  const auto e = ScaledE(store.model.e, scale);
  const KeRequirement requirement{store.model.k, e.value_or(KeTable::kInfinite)};

  // 1. The rows that are new, among themselves: their values are the difference between this release and the last.
  std::vector<std::int64_t> distinct = fresh.values;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (!Satisfies(distinct, requirement)) {
    return Error::Unsatisfiable(
               "the new rows ({}) do not satisfy {} among themselves, and the difference of the releases would "
               "show their values",
               fresh.values.size(), Describe(store.model))
        .WithHint("the store is unchanged; append more rows at once, or with --re-release frozen, where they wait");
  }
  // 2. All rows, grouped anew.
  CORDON_TRY(const Published published, ReadPublished(store, scale, run));
  std::vector<std::int64_t> values = published.truth.values;
  values.insert(values.end(), fresh.values.begin(), fresh.values.end());
  CORDON_TRY(const KeGroups groups, Regroup(published.truth, values, store.model, requirement, scale, random));
  // 3. Every row over all releases.
  Guarded guarded = Intersect(published.truth, values, groups, requirement);
  if (guarded.exposed > 0) {
    return Error::Unsatisfiable("{} of {} rows would be left with candidates that do not satisfy {} over all releases",
                                guarded.exposed, values.size(), Describe(store.model))
        .WithHint("the store is unchanged; append with --re-release frozen, which publishes new groups only");
  }
  if (run.Stopped()) return Error::Cancelled();

  KeRows all;
  all.columns = Joined(published.cells, std::move(fresh.columns), run);
  all.sensitive = fresh.sensitive;
  all.values = values;
  all.scale = scale;
  CORDON_TRY(const KePublication publication, PublishRows(std::move(all), groups, 1, store.model, random, run));
  CORDON_TRY(const std::vector<StoreColumn> needed, ColumnsOfRelease(publication.verified.release(), store.policy));
  CORDON_TRY(const std::vector<StoreColumn> columns, Widest(store.columns, needed));

  CORDON_TRY(StoreStage stage, StoreStage::ForNext(store.path, store.manifest));
  CORDON_RETURN_IF_ERROR(WriteKeFiles(publication, columns, scale, store.policy, stage.directory(), run));
  CORDON_TRY(const StorePart whole, DescribePart(stage.directory(), StorePart::kSettled));
  // Candidates go with the rows in their published order.
  KeTruth truth{publication.true_values, std::vector<std::int64_t>(values.size()), std::move(guarded.truth.sets)};
  for (std::size_t row = 0; row < values.size(); ++row) truth.candidate[row] = guarded.truth.candidate[publication.order[row]];
  CORDON_TRY(const Json entry, WriteTruth(truth, scale, stage.private_directory(), run));
  stage.AddTruth(entry);
  state["truth"] = Json::array({entry});
  Json manifest = store.manifest.json;
  SetParts(manifest, std::span(&whole, 1));
  manifest["rows"] = values.size();
  manifest["groups"] = publication.groups;
  manifest["next_group"] = publication.groups + 1;
  manifest["columns"] = Json::array();
  for (const StoreColumn& column : columns) manifest["columns"].push_back(ToJson(column));
  manifest["releases"].push_back(ReleaseEntry(publication, "guarded"));
  stage.SignBy(store.key);
  CORDON_RETURN_IF_ERROR(stage.Seal(std::move(manifest), std::move(state), run));
  if (run.Stopped()) return Error::Cancelled();
  CORDON_RETURN_IF_ERROR(stage.Commit());
  CORDON_RETURN_IF_ERROR(SweepPrivate(store.path, stage.manifest(), stage.state()));
  return ReportOf(publication, excluded, "guarded");
}

}  // namespace cordon::engine::internal
