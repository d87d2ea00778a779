// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/ke_append.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cordon/algorithms/ke/ke.h"
#include "cordon/bind/bind.h"
#include "cordon/io/open_source.h"
#include "cordon/store/batch_fingerprint.h"
#include "cordon/store/ke_permute_internal.h"
#include "cordon/store/publish_part.h"
#include "cordon/store/store_entry.h"

namespace cordon::engine {
namespace {

// The rows that wait and the new ones.
struct NewRows {
  Table table;  // raw
  KeRows rows;
};

// After what the last append may have left to do. Sizes are compared, and nothing is read: an append costs what it adds.
Result<OpenedStore> OpenForAppend(const AppendRequest& request) {
  FileSystem& files = PosixFiles();
  OpenedStore store;
  store.path = StorePath(request.store);
  const std::string& path = store.path;
  CORDON_TRY(store.state, ReadState(files, path));
  CORDON_RETURN_IF_ERROR(FinishChange(files, path, store.state));
  CORDON_RETURN_IF_ERROR(Sweep(files, path, store.state));
  CORDON_RETURN_IF_ERROR(OpenStore(path, FileCheck::kSizes));
  CORDON_TRY(store.key, KeyFor(path, store.state.manifest.json, request.sign));
  CORDON_TRY(store.policy, ReadPrivatePolicy(path, store.state));
  CORDON_TRY(store.model, KeModelOf(store.policy));
  for (const Json& column : store.state.manifest.json["columns"]) {
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
  if (!store.state.own.contains("pending")) return Table{};
  CORDON_TRY(std::string bytes, ReadPending(PosixFiles(), store.path, store.state.own["pending"]));
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
Result<NewRows> ReadRows(const AppendRequest& request, const OpenedStore& store, Registration* registration, Json& own,
                         const Run& run) {
  const Policy& policy = store.policy;
  CORDON_TRY(const std::unique_ptr<Source> source, OpenSource(request.input, {.text = policy.data.text,
                                                                              .format = request.input_format,
                                                                              .stop = run.stop,
                                                                              .skip_columns = SkipColumns(policy)}));
  CORDON_TRY(Table more, ReadTable(*source, run));
  PutInOrder(more, store.columns);
  if (more.num_rows == 0) {  // a header alone is not a batch, but it must be one of the store's
    CORDON_TRY(KeRows none,
               BindKeRows(policy, store.model, more, run).WithContext("binding {} to the store's policy", request.input.name));
    return NewRows{std::move(more), std::move(none)};
  }
  const BatchDigests batch = DescribeBatch(more, source->InputDigest(), policy, store.model.sensitive, own, run);
  if (const Seen seen = WasTakenIn(batch, own); seen != Seen::kNo && !request.again) {
    return Error::InvalidPolicy("{} is in the store already{}", request.input.name,
                                seen == Seen::kSameRows ? ": the same rows in other bytes" : "")
        .WithHint("publishing rows twice reveals more about their people; give --again if these are other people");
  }
  RememberBatch(batch, own);
  CORDON_TRY(KeRows rows,
             BindKeRows(policy, store.model, more, run).WithContext("binding {} to the store's policy", request.input.name));
  CORDON_TRY(const Table pending, PendingRows(store, run));
  Table both = pending.num_rows == 0 ? std::move(more) : Concatenated(pending, more);
  if (registration != nullptr) {
    CORDON_RETURN_IF_ERROR(registration->CheckBatch(both, source->InputDigest(), request.person_key, request.again));
  }
  if (pending.num_rows == 0) return NewRows{std::move(both), std::move(rows)};
  CORDON_TRY(rows, BindKeRows(policy, store.model, both, run).WithContext("the rows that wait with {}", request.input.name));
  return NewRows{std::move(both), std::move(rows)};
}

// The rows wait: nothing of them is published.
Result<KeReport> KeepPending(const OpenedStore& store, const NewRows& rows, Json own) {
  FileSystem& files = PosixFiles();
  KeReport report;
  report.mode = "frozen";
  report.pending = rows.rows.values.size();
  report.excluded = rows.rows.excluded;
  CORDON_TRY(own["pending"],
             WritePending(files, store.path, internal::PendingText(rows.table, rows.rows.table_rows), report.pending));
  StoreState next = store.state;
  next.own = std::move(own);
  CORDON_RETURN_IF_ERROR(CommitChange(files, store.path, next));
  return report;
}

Result<KeReport> AppendRows(const AppendRequest& request, const OpenedStore& store, Registration* registration,
                            const Run& run) {
  Json own = store.state.own;
  CORDON_TRY(NewRows rows, ReadRows(request, store, registration, own, run));
  if (rows.rows.values.empty() && rows.table.num_rows > 0) {
    return Error::InvalidData("{} has no row with a value of '{}'", request.input.name, store.model.sensitive);
  }
  if (rows.rows.values.empty()) return KeReport{.mode = "frozen"};  // nothing came, nothing changes
  own.erase("pending");
  Random random = request.seed ? Random::FromSeed(*request.seed) : Random::FromOperatingSystem();
  auto groups = Ke(rows.rows.values, rows.rows.scale, store.model, random);
  if (!groups.ok() && groups.error().kind() == ErrorKind::kUnsatisfiable) return KeepPending(store, rows, std::move(own));
  CORDON_TRY(const KeGroups found, std::move(groups));
  const auto compact = request.compact ? Compact::kYes : Compact::kNo;
  return PublishPart(store, std::move(rows.rows), found, std::move(own), compact, random, run);
}

Result<KeReport> AppendAndCompact(const AppendRequest& request, OpenedStore& store, const Run& run) {
  CORDON_TRY(std::optional<Registration> registration,
             RegistrationOf(store.path, store.state.own, request.registry, store.policy));
  if (!registration && request.person_key) return Error::InvalidPolicy("--person-key needs --registry");
  // An append that was killed after its rows were out: given again it is refused, so it must be entered before that.
  if (registration) CORDON_RETURN_IF_ERROR(registration->EnterPending());
  KeReport report;
  report.mode = "compact";
  if (store.state.own.contains("pending")) report.pending = store.state.own["pending"].value("rows", std::uint64_t{0});
  Registration* const entered = registration ? &*registration : nullptr;
  store.registration = entered;
  if (!request.input.empty()) {
    CORDON_TRY(report, AppendRows(request, store, entered, run));
  }
  if (request.compact && report.groups == 0) {  // no rows were given, or they wait
    CORDON_TRY(store, OpenForAppend(request));
    store.registration = entered;
    CORDON_RETURN_IF_ERROR(CompactParts(store, run));
  }
  if (registration) {
    for (const Warning& each : registration->SecondRelease()) {
      report.warnings.push_back(fmt::format("{}: {}", each.code, each.fix));
    }
  }
  return report;
}

}  // namespace

Result<KeReport> Append(const AppendRequest& request, const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string path = StorePath(request.store);
  CORDON_RETURN_IF_ERROR(DuckDbVersion());
  CORDON_RETURN_IF_ERROR(ReadManifest(path));
  std::error_code failed;
  if (!std::filesystem::exists(PrivatePath(path), failed)) CORDON_RETURN_IF_ERROR(ReadState(PosixFiles(), path));
  CORDON_TRY(const std::unique_ptr<FolderLock> lock, PosixFiles().Lock(PrivatePath(path)).WithContext("appending to {}", path));
  CORDON_TRY(OpenedStore store, OpenForAppend(request));
  auto made = AppendAndCompact(request, store, run);
  if (!made.ok()) {
    if (const auto now = ReadState(PosixFiles(), path); now.ok()) (void)Sweep(PosixFiles(), path, now.value());
    return made;
  }
  made.value().seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return made;
}

}  // namespace cordon::engine
