// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/ke_append.h"

#include <algorithm>
#include <chrono>

#include "cordon/base/digest.h"
#include "cordon/bind/bind.h"
#include "cordon/io/open_source.h"
#include "cordon/report/key_file.h"
#include "cordon/store/ke_append_internal.h"
#include "cordon/store/ke_batch.h"
#include "cordon/store/ke_recover.h"

namespace cordon::engine {
namespace internal {
namespace {

// A frozen append looks at what it needs and at both ends of the rest, so that it costs what it adds; grouping everything anew
// reads everything.
enum class Reads { kLittle, kEverything };

Result<OpenedStore> OpenForAppend(const std::string& path, Reads reads) {
  using Depth = FileCheck::Depth;
  OpenedStore store;
  store.path = path;
  const Depth depth = reads == Reads::kEverything ? Depth::kWhole : Depth::kQuick;
  CORDON_TRY(store.manifest, OpenStore(path, depth));
  CORDON_TRY(store.state, ReadPrivateState(path, store.manifest));
  CORDON_RETURN_IF_ERROR(CheckPrivateFiles(path, store.state, depth));
  if (store.state.value("truth", Json::array()).size() != PartsOf(store.manifest.json).size()) {
    return Error::InvalidData("the private half of {} does not belong to it", path)
        .WithHint("restore the whole STORE and STORE.private from one backup");
  }
  CORDON_TRY(store.policy, ReadPrivatePolicy(path, store.manifest, store.state));
  CORDON_TRY(store.model, KeModelOf(store.policy));
  for (const Json& column : store.manifest.json["columns"]) {
    CORDON_TRY(StoreColumn read, StoreColumnFromJson(column));
    if (read.name == store.model.sensitive) store.scale = read.scale;
    store.columns.push_back(std::move(read));
  }
  return store;
}

// The rows of two tables with the same columns, those of `a` first.
Table Concatenated(const Table& a, const Table& b) {
  Table both;
  both.num_rows = a.num_rows + b.num_rows;
  for (const Column& right : b.columns) {
    const Column* left = a.Find(right.name);
    auto dictionary = std::make_shared<Dictionary>();
    CodesBuilder codes;
    const auto add = [&](const Column* column, std::size_t rows) {
      for (std::size_t row = 0; row < rows; ++row) {
        const Code code = column == nullptr ? kNull : column->codes[row];
        codes.Add(code == kNull ? kNull : dictionary->Intern((*column->dictionary)[code].bytes()));
      }
    };
    add(left, a.num_rows);
    add(&right, b.num_rows);
    both.columns.push_back({right.name, std::move(dictionary), codes.Finish()});
  }
  return both;
}

Result<Table> PendingRows(const OpenedStore& store, const Run& run) {
  if (!store.state.contains("pending")) return Table{};
  CORDON_TRY(std::string bytes, ReadPrivateFile(store.path, store.state["pending"]));
  CORDON_TRY(const std::unique_ptr<Source> source, SourceFromBytes(std::move(bytes), FileFormat::kJsonLines, {}));
  return ReadTable(*source, run);
}

// Columns are known by their names: in the order of the store, those that it does not publish last.
void PutInOrder(Table& table, const std::vector<StoreColumn>& columns) {
  const auto place = [&](const Column& column) {
    return std::find_if(columns.begin(), columns.end(), [&](const StoreColumn& each) { return each.name == column.name; });
  };
  std::stable_sort(table.columns.begin(), table.columns.end(),
                   [&](const Column& a, const Column& b) { return place(a) < place(b); });
}

// The new rows, checked by themselves so that an error names their own row numbers, and those that wait before them.
Result<NewRows> ReadRows(const AppendRequest& request, const OpenedStore& store, Json& state, const Run& run) {
  const Policy& policy = store.policy;
  CORDON_TRY(const std::unique_ptr<Source> source, OpenSource(request.input, {.text = policy.data.text,
                                                                              .format = request.input_format,
                                                                              .stop = run.stop,
                                                                              .skip_columns = SkipColumns(policy)}));
  CORDON_TRY(Table more, ReadTable(*source, run));
  PutInOrder(more, store.columns);
  if (more.num_rows == 0) {  // a header alone is no batch, but it must be one of the store's
    CORDON_TRY(KeRows none,
               BindKeRows(policy, store.model, more, run).WithContext("binding {} to the store's policy", request.input.name));
    return NewRows{std::move(more), std::move(none)};
  }
  const BatchDigests batch = DescribeBatch(more, source->InputDigest(), policy, store.model.sensitive, state, run);
  if (const Seen seen = WasTakenIn(batch, state); seen != Seen::kNo && !request.again) {
    return Error::InvalidPolicy("{} is in the store already{}", request.input.name,
                                seen == Seen::kSameRows ? ": the same rows in other bytes" : "")
        .WithHint("rows published twice tell more of their people; --again if these are other people");
  }
  RememberBatch(batch, state);
  CORDON_TRY(KeRows rows,
             BindKeRows(policy, store.model, more, run).WithContext("binding {} to the store's policy", request.input.name));
  CORDON_TRY(const Table pending, PendingRows(store, run));
  if (pending.num_rows == 0) return NewRows{std::move(more), std::move(rows)};
  Table both = Concatenated(pending, more);
  CORDON_TRY(rows, BindKeRows(policy, store.model, both, run).WithContext("the rows that wait with {}", request.input.name));
  return NewRows{std::move(both), std::move(rows)};
}

// A signed store stays signed: readers who ask for a signature would refuse what an append leaves.
Result<std::shared_ptr<const SigningKey>> KeyFor(const AppendRequest& request, const OpenedStore& store) {
  if (request.sign) {
    CORDON_TRY(SigningKey key, ReadSigningKey(*request.sign));
    return std::make_shared<const SigningKey>(std::move(key));
  }
  if (!IsSigned(store.manifest.json)) return std::shared_ptr<const SigningKey>();
  return Error::InvalidPolicy("{} is signed: what is appended has to be signed as well", store.path)
      .WithHint("give --sign KEY");
}

// The rows wait: nothing of them is published.
Result<KeReport> KeepPending(const OpenedStore& store, const NewRows& rows, Json state) {
  const std::string name = "pending-" + FreshName() + ".jsonl";
  const std::string text = PendingText(rows.table, rows.rows.table_rows);
  state["pending"] = {{"file", name}, {"sha256", ToHex(Sha256Of(text))}, {"rows", rows.rows.values.size()}};
  CORDON_RETURN_IF_ERROR(ReplacePending(store.path, store.manifest, name, text, state));
  CORDON_RETURN_IF_ERROR(SweepPrivate(store.path, store.manifest, state));
  KeReport report;
  report.mode = "frozen";
  report.pending = rows.rows.values.size();
  report.excluded = rows.rows.excluded;
  return report;
}

}  // namespace
}  // namespace internal

Result<KeReport> Append(const AppendRequest& request, const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string path = StorePath(request.store);
  const bool guarded = request.mode == AppendRequest::Mode::kGuarded;
  CORDON_RETURN_IF_ERROR(DuckDbVersion());
  CORDON_RETURN_IF_ERROR(RecoverIfAtHand(path, run));
  CORDON_RETURN_IF_ERROR(  // what is no store gets no lock file
      ReadSteady(path, run, [&] { return OpenStore(path, FileCheck::Depth::kSizes); }));
  CORDON_TRY(const StoreLock lock, StoreLock::Take(path));
  CORDON_RETURN_IF_ERROR(RecoverStore(path, run));  // what the last one left
  const auto reads = guarded ? internal::Reads::kEverything : internal::Reads::kLittle;
  CORDON_TRY(internal::OpenedStore store, internal::OpenForAppend(path, reads));
  CORDON_TRY(store.key, internal::KeyFor(request, store));
  CORDON_RETURN_IF_ERROR(SweepPrivate(path, store.manifest, store.state));
  const auto append = [&]() -> Result<KeReport> {
    Json state = store.state;
    CORDON_TRY(internal::NewRows rows, internal::ReadRows(request, store, state, run));
    if (rows.rows.values.empty() && rows.table.num_rows > 0) {
      return Error::InvalidData("{} has no row with a value of '{}'", request.input.name, store.model.sensitive);
    }
    if (rows.rows.values.empty()) return KeReport{.mode = guarded ? "guarded" : "frozen"};  // nothing came, nothing changes
    state.erase("pending");
    Random random = request.seed ? Random::FromSeed(*request.seed) : Random::FromOperatingSystem();
    if (guarded) return internal::PublishGuarded(store, std::move(rows), std::move(state), random, run);
    auto groups = Ke(rows.rows.values, rows.rows.scale, store.model, random);
    if (!groups.ok() && groups.error().kind() == ErrorKind::kUnsatisfiable) {
      return internal::KeepPending(store, rows, std::move(state));
    }
    CORDON_TRY(const KeGroups found, std::move(groups));
    const auto compact = request.compact ? internal::Compact::kYes : internal::Compact::kNo;
    return internal::PublishFrozen(store, std::move(rows), found, std::move(state), compact, random, run);
  };
  KeReport report;
  report.mode = "compact";
  if (store.state.contains("pending")) report.pending = store.state["pending"].value("rows", std::uint64_t{0});
  if (!request.input.empty()) {
    CORDON_TRY(report, append());
  }
  if (request.compact && report.groups == 0) {  // no rows were given, or they wait
    CORDON_TRY(internal::OpenedStore now, internal::OpenForAppend(path, reads));
    now.key = store.key;
    CORDON_RETURN_IF_ERROR(internal::CompactParts(now, run));
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace cordon::engine
