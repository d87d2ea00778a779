// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/ke_recover.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cordon/base/digest.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/stored_file.h"
#include "cordon/store/ke_journal.h"
#include "cordon/store/ke_store_internal.h"

namespace cordon::engine {

namespace fs = std::filesystem;
using namespace internal;

namespace {

constexpr std::size_t kRebuildBlock = 1 << 20;

enum class Standing {
  kNothingToDo,
  kAhead,    // the store is further than what can be read of the journal
  kWritten,  // all was put into place, but the machine has stopped since, or something follows the last entry
  kBehind,
};

// The digest of the manifest that is there, where it can be read.
std::optional<std::string> DigestOfManifest(const std::string& store) {
  const std::string path = store + "/" + kManifest;
  std::error_code failed;
  if (!fs::exists(path, failed)) return std::nullopt;
  const auto text = ReadFile(path);
  if (!text.ok()) return std::nullopt;
  auto json = Unseal(path, text.value());
  if (!json.ok()) return std::nullopt;
  return SealManifest(std::move(json).value()).digest;
}

// The number of the state that belongs to a manifest, where it is there and whole.
std::optional<std::uint64_t> NumberOfState(const std::string& store, const std::string& digest) {
  const auto state = ReadPrivateState(store, {.json = {}, .digest = digest});
  if (!state.ok()) return std::nullopt;
  return NumberOf(state.value());
}

Standing StandingOf(const std::string& store, const Journal& journal) {
  const auto& entries = journal.entries;
  if (entries.empty()) return journal.has_more ? Standing::kAhead : Standing::kNothingToDo;
  const auto digest = DigestOfManifest(store);
  if (!digest) return Standing::kBehind;
  const JournalEntry& last = entries.back();
  const auto number = NumberOfState(store, *digest);
  const bool in_chain = std::any_of(entries.begin(), entries.end(),
                                    [&](const JournalEntry& entry) { return entry.base == *digest || entry.next == *digest; });
  if (number && *number > last.number) return Standing::kAhead;
  // With no state for it that the journal knows of, somebody has put an older STORE here; its private half is that of another.
  if (!in_chain) return Standing::kNothingToDo;
  if (*digest != last.next || number != last.number) return Standing::kBehind;
  const std::string boot = BootId();
  const bool same_boot = !boot.empty() && std::all_of(entries.begin(), entries.end(),
                                                      [&](const JournalEntry& entry) { return entry.boot == boot; });
  return same_boot && !journal.has_more ? Standing::kNothingToDo : Standing::kWritten;
}

// STORE, the spare and spares that were being grown.
std::vector<std::string> PlacesOfTables(const std::string& store) {
  std::vector<std::string> places = {store};
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(PrivatePath(store), failed)) {
    if (MayHoldTables(entry.path().filename().string())) places.push_back(entry.path().string());
  }
  return places;
}

// The first bytes of a file and those of the journal. False where the file is shorter, or what comes out is not what it should.
Result<bool> PutTogether(const std::string& from, std::uint64_t first, const std::vector<const std::string*>& tails,
                         const std::string& sha256, const std::string& to, const Run& run) {
  std::error_code failed;
  if (!fs::exists(from, failed)) return false;
  CORDON_TRY(const StoredFile file, StoredFile::Open(from));
  if (file.size() < first) return false;
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  Sha256 digest;
  const auto add = [&](std::string_view bytes) {
    digest.Update(bytes);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  std::string buffer;
  for (std::uint64_t at = 0; at < first; at += buffer.size()) {
    if (run.Stopped()) return Error::Cancelled();
    buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kRebuildBlock, first - at)));
    CORDON_RETURN_IF_ERROR(file.ReadExactly(buffer, at));
    add(buffer);
  }
  for (const std::string* tail : tails) add(*tail);
  out.close();
  if (!out) return Error::Io("writing {} failed", to);
  return ToHex(digest.Finish()) == sha256;
}

Result<void> RebuildTable(const std::vector<std::string>& places, const Journal& journal, const std::string& name,
                          const std::string& sha256, const std::string& to, const Run& run) {
  std::optional<std::uint64_t> first;
  std::vector<const std::string*> tails;
  for (const JournalEntry& entry : journal.entries) {
    for (const JournalEntry::Tail& tail : entry.tails) {
      if (tail.table != name) continue;
      if (!first) first = tail.at;
      tails.push_back(&tail.bytes);
    }
  }
  for (const std::string& place : places) {
    CORDON_TRY(const bool made, PutTogether(place + "/" + name, first.value_or(0), tails, sha256, to + "/" + name, run));
    if (made) return {};
  }
  return DamagedFile(places[0] + "/" + name, "it cannot be put together from the journal");
}

// The private half as the journal has it. What the last state does not refer to is swept later.
Result<Json> RewritePrivateFiles(const std::string& store, const Journal& journal) {
  const std::string& state = journal.entries.back().state;
  Result<Json> last = DamagedFile(PrivatePath(store) + "/" + kJournal, "it lacks a state");
  for (const JournalEntry& entry : journal.entries) {
    for (const JournalEntry::File& file : entry.files) {
      const std::string path = PrivatePath(store) + "/" + file.name;
      if (file.name.find('/') != std::string::npos) return DamagedFile(path, "it names another place");
      if (file.name == state) last = Unseal(path, file.bytes);
      CORDON_RETURN_IF_ERROR(WriteFile(path, file.bytes, AtomicFile::Access::kPrivate));
    }
  }
  return last;
}

Result<void> Rebuild(const std::string& store, const Journal& journal, const Run& run) {
  CORDON_TRY(Json state, RewritePrivateFiles(store, journal));
  const auto published = std::find_if(journal.entries.rbegin(), journal.entries.rend(),
                                      [](const JournalEntry& entry) { return !entry.manifest.empty(); });
  if (published == journal.entries.rend()) return ClearJournal(PrivatePath(store));  // the private half alone has changed
  CORDON_TRY(Json json, Unseal(store + "/" + kManifest, published->manifest));
  const std::vector<std::string> places = PlacesOfTables(store);
  CORDON_TRY(StoreStage stage, StoreStage::ForNext(store, {}));
  for (const char* table : kStoreTables) {
    const std::string name = TableFile(table);
    const std::string sha256 = json["files"][name].value("sha256", "");
    CORDON_RETURN_IF_ERROR(RebuildTable(places, journal, name, sha256, stage.directory(), run));
  }
  state.erase("spare");
  CORDON_RETURN_IF_ERROR(stage.SealAs(SealManifest(std::move(json)), std::move(state)));
  CORDON_RETURN_IF_ERROR(stage.Commit());
  return SweepPrivate(store, stage.manifest(), stage.state());
}

// All of it read, and made durable. A spare that has not reached the disk is of no use, and not needed then.
Result<void> CheckAndSettle(const std::string& store) {
  CORDON_TRY(const StoreManifest manifest, OpenStore(store));
  CORDON_TRY(const Json state, ReadPrivateState(store, manifest));
  CORDON_RETURN_IF_ERROR(CheckPrivateFiles(store, state, FileCheck::Depth::kWhole));
  CORDON_RETURN_IF_ERROR(SettleStore(store, manifest, state));
  const std::string spare = PrivatePath(store) + "/" + kSpare;
  std::error_code failed;
  if (fs::exists(spare, failed) && !OpenStore(spare).ok()) fs::remove_all(spare, failed);
  return {};
}

Result<void> Recover(const std::string& store, const Journal& journal, const Run& run) {
  switch (StandingOf(store, journal)) {
    case Standing::kNothingToDo: return {};
    case Standing::kAhead: return CheckAndSettle(store);
    case Standing::kWritten:
      if (CheckAndSettle(store).ok()) return {};
      break;
    case Standing::kBehind: break;
  }
  return Rebuild(store, journal, run);
}

}  // namespace

Result<void> RecoverStore(const std::string& store, const Run& run) {
  CORDON_TRY(const Journal journal, ReadJournal(PrivatePath(store)));
  return Recover(store, journal, run);
}

Result<void> RecoverIfAtHand(const std::string& store, const Run& run) {
  const std::string kept = PrivatePath(store);
  if (::access(kept.c_str(), R_OK | W_OK | X_OK) != 0 || ::access((kept + "/" + kJournal).c_str(), R_OK | W_OK) != 0) return {};
  const auto journal = ReadJournal(kept);
  if (!journal.ok() || StandingOf(store, journal.value()) == Standing::kNothingToDo) return {};
  const auto lock = StoreLock::Take(store);
  if (!lock.ok()) return {};
  return RecoverStore(store, run);
}

}  // namespace cordon::engine
