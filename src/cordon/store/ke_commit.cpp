// SPDX-License-Identifier: Apache-2.0
//
// How what was staged becomes the store. Durable before it is in place: by one entry of the journal, or file by file. In the
// second case files are written first and made durable together, each once and each directory once: the first of them makes the
// file system write its own journal, and the others find little left to do.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/stored_file.h"
#include "cordon/store/ke_journal.h"
#include "cordon/store/ke_store_internal.h"

namespace cordon::engine {

namespace fs = std::filesystem;
using namespace internal;

namespace {

// Two directories change places in one step.
Result<void> Exchange(const std::string& a, const std::string& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return {};
  const bool cannot = errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
  return SystemError("putting " + b + " into place")
      .WithHint("{}the store is unchanged",
                cannot ? "the file system must be able to exchange two directories (ext4, xfs, btrfs, tmpfs can); " : "");
}

// Who may do what with the files of the new STORE is what it was with those of the old one.
Result<void> CarryModes(const std::string& from, const std::string& to) {
  for (const std::string& name :
       {std::string(), TableFile("table"), TableFile("help"), TableFile("groups"), std::string(kManifest)}) {
    const std::string old = name.empty() ? from : from + "/" + name;
    const std::string made = name.empty() ? to : to + "/" + name;
    struct stat info = {};
    if (::stat(old.c_str(), &info) != 0) continue;                        // a store that is being recovered
    if (::chown(made.c_str(), info.st_uid, info.st_gid) != 0) errno = 0;  // for those who may
    if (::chmod(made.c_str(), info.st_mode & 07777) != 0) return SystemError("preparing " + made);
  }
  return {};
}

// A directory comes to a name that is free.
Result<void> PutInPlace(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) return SystemError("putting " + to + " into place");
  return Error::Io("{} has appeared meanwhile", to).WithHint("another permute made it; this one has left nothing");
}

// The bytes of a file after the first ones.
Result<std::string> BytesAfter(const std::string& path, std::uint64_t from) {
  CORDON_TRY(const StoredFile file, StoredFile::Open(path));
  std::string bytes(static_cast<std::size_t>(file.size() - std::min(file.size(), from)), '\0');
  CORDON_RETURN_IF_ERROR(file.ReadExactly(bytes, from));
  return bytes;
}

// Files of the private half that an entry of the journal holds and a state refers to: they may not have reached the disk.
std::vector<std::string> FilesInJournal(const Journal& journal, const Json& state) {
  std::set<std::string> in_journal;
  for (const JournalEntry& entry : journal.entries) {
    for (const JournalEntry::File& file : entry.files) in_journal.insert(file.name);
  }
  std::vector<std::string> names = FilesOf(state);
  std::erase_if(names, [&](const std::string& name) { return !in_journal.contains(name); });
  return names;
}

}  // namespace

namespace internal {

std::string ParentOf(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace internal

std::vector<std::string> StoreStage::StagedFiles() const {
  std::vector<std::string> paths = {directory_ + "/" + kManifest, private_ + "/" + StateName(sealed_)};
  for (const char* table : kStoreTables) paths.push_back(directory_ + "/" + TableFile(table));
  for (const std::string& name : private_files_) paths.push_back(private_ + "/" + name);
  return paths;
}

Result<void> StoreStage::CommitNew() {
  CORDON_RETURN_IF_ERROR(ClearJournal(private_));
  std::vector<std::string> paths = StagedFiles();
  paths.insert(paths.end(), {directory_, private_});  // names last
  for (const std::string& path : paths) CORDON_RETURN_IF_ERROR(SyncPath(path));
  if (!twin_.empty()) CORDON_RETURN_IF_ERROR(PutInPlace(private_ + "/" + twin_, private_ + "/" + kSpare));
  const std::string kept = PrivatePath(store_);
  CORDON_RETURN_IF_ERROR(PutInPlace(private_, kept));
  private_ = kept;
  directory_ = private_ + "/" + kNext;
  CORDON_RETURN_IF_ERROR(PutInPlace(directory_, store_));
  done_ = true;
  return SyncPath(ParentOf(store_));
}

// False where there is no room in it, or what it says could not be relied upon: without a spare nothing else has the bytes that
// the tables had before.
Result<bool> StoreStage::EnterIntoJournal(const Journal& journal) {
  if (!from_spare_) return false;
  JournalEntry entry{.boot = BootId(), .base = base_.digest, .next = sealed_.digest, .state = StateName(sealed_)};
  entry.number = NumberOf(state_);
  entry.manifest = sealed_.Text();
  for (std::size_t table = 0; table < kNumStoreTables; ++table) {
    const std::string name = TableFile(kStoreTables[table]);
    if (digests_[name].value("bytes", std::uint64_t{0}) - lengths_[table] > Journal::kLargestEntry) return false;
    CORDON_TRY(std::string bytes, BytesAfter(directory_ + "/" + name, lengths_[table]));
    entry.tails.push_back({name, lengths_[table], std::move(bytes)});
  }
  for (const std::string& name : private_files_) {
    std::error_code failed;
    if (fs::file_size(private_ + "/" + name, failed) > Journal::kLargestEntry) return false;
    CORDON_TRY(std::string bytes, ReadFile(private_ + "/" + name));
    entry.files.push_back({name, std::move(bytes)});
  }
  if (!journal.HasRoomFor(entry)) return false;
  CORDON_RETURN_IF_ERROR(AddToJournal(private_, journal, entry));
  return true;
}

Result<void> StoreStage::Commit() {
  if (is_new_) return CommitNew();
  CORDON_RETURN_IF_ERROR(CarryModes(store_, directory_));
  CORDON_TRY(const Journal before, ReadJournal(private_));
  CORDON_TRY(const bool in_journal, EnterIntoJournal(before));
  if (!in_journal) {
    std::vector<std::string> paths = StagedFiles();
    for (const std::string& name : FilesInJournal(before, state_)) paths.push_back(private_ + "/" + name);
    paths.insert(paths.end(), {directory_, private_});
    for (const std::string& path : paths) CORDON_RETURN_IF_ERROR(SyncPath(path));
  }
  if (auto exchanged = Exchange(directory_, store_); !exchanged.ok()) {
    if (in_journal) CORDON_RETURN_IF_ERROR(CutJournal(private_, before));
    return exchanged;
  }
  done_ = true;
  if (!in_journal) {
    CORDON_RETURN_IF_ERROR(SyncPath(ParentOf(store_)));
    CORDON_RETURN_IF_ERROR(ClearJournal(private_));
  }
  // Now directory_ is the old one.
  std::error_code failed;
  const std::string spare = private_ + "/" + kSpare;
  if (!in_journal) fs::remove_all(spare, failed);
  if (lengths_.empty()) fs::remove_all(directory_, failed);
  const std::string next = lengths_.empty() ? private_ + "/" + twin_ : directory_;
  if (!twin_.empty() || !lengths_.empty()) fs::rename(next, spare, failed);  // where that fails it is swept
  return {};
}

Result<void> SettleStore(const std::string& store, const StoreManifest& manifest, const Json& state) {
  const std::string kept = PrivatePath(store);
  CORDON_TRY(const Journal journal, ReadJournal(kept));
  std::vector<std::string> paths = {store + "/" + kManifest, kept + "/" + StateName(manifest)};
  for (const char* table : kStoreTables) paths.push_back(store + "/" + TableFile(table));
  for (const std::string& name : FilesInJournal(journal, state)) paths.push_back(kept + "/" + name);
  paths.insert(paths.end(), {store, kept, ParentOf(store)});
  for (const std::string& path : paths) CORDON_RETURN_IF_ERROR(SyncPath(path));
  return ClearJournal(kept);
}

Result<void> ReplacePending(const std::string& store, const StoreManifest& manifest, const std::string& name,
                            const std::string& rows, const Json& state) {
  const std::string kept = PrivatePath(store);
  Json counted = state;
  counted["number"] = NumberOf(state) + 1;
  const std::string text = SealedState(counted);
  CORDON_RETURN_IF_ERROR(WriteNew(kept + "/" + name, rows, 0600));
  CORDON_TRY(const Journal journal, ReadJournal(kept));
  JournalEntry entry{.boot = BootId(), .base = manifest.digest, .next = manifest.digest, .state = StateName(manifest)};
  entry.number = NumberOf(counted);
  entry.files = {{name, rows}, {entry.state, text}};
  if (!journal.HasRoomFor(entry)) {
    CORDON_TRY(const Json old, ReadPrivateState(store, manifest));
    CORDON_RETURN_IF_ERROR(SettleStore(store, manifest, old));
    CORDON_RETURN_IF_ERROR(SyncPath(kept + "/" + name));
    // The rename that puts the state into place makes both names durable.
    return WriteFile(kept + "/" + entry.state, text, AtomicFile::Access::kPrivate);
  }
  const std::string beside = kept + "/" + entry.state + "." + FreshName();
  CORDON_RETURN_IF_ERROR(WriteNew(beside, text, 0600));
  CORDON_RETURN_IF_ERROR(AddToJournal(kept, journal, entry));
  if (::rename(beside.c_str(), (kept + "/" + entry.state).c_str()) == 0) return {};
  const Error error = SystemError("writing " + kept + "/" + entry.state);
  CORDON_RETURN_IF_ERROR(CutJournal(kept, journal));
  return error;
}

}  // namespace cordon::engine
