// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/files/atomic_file_set.h"

#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace cordon::engine {

Result<void> Outputs::Reserve(const std::string& path, AtomicFile::Access access) {
  CORDON_TRY(AtomicFile file, AtomicFile::Create(path, access));
  return Adopt(path, std::move(file));
}

Result<void> Outputs::Write(const std::string& path, std::string_view bytes) {
  const auto found = files_.find(path);
  CORDON_CHECK(found != files_.end());
  return found->second.Write(bytes);
}

Result<void> Outputs::Adopt(const std::string& path, AtomicFile file) {
  if (!file.temporary().empty()) {
    CORDON_TRY(TargetLock lock, TargetLock::Take(file.target()));
    locks_.push_back(std::move(lock));
  }
  files_.emplace(path, std::move(file));
  return {};
}

Result<void> Outputs::Show(const std::string& head) {
  for (auto& [path, file] : files_) CORDON_RETURN_IF_ERROR(file.Sync());
  std::vector<AtomicFile*> set;
  for (auto& [path, file] : files_) {
    if (file.temporary().empty()) {  // a device or a pipe
      CORDON_RETURN_IF_ERROR(file.Commit());
    } else if (path != head) {
      set.push_back(&file);
    }
  }
  if (const auto found = files_.find(head); found != files_.end() && !found->second.temporary().empty()) {
    set.push_back(&found->second);
  }
  if (set.empty()) return {};
  Result<void> shown = set.size() == 1 ? set.front()->Commit() : ShowSet(set);
  locks_.clear();  // what is there now, others may see
  return shown;
}

namespace {

// The journal first: without it nobody puts a file of the set into place.
void RemoveSet(const std::string& journal, const std::vector<Renaming>& set) {
  ::unlink(journal.c_str());
  for (const Renaming& each : set) ::unlink(each.from.c_str());
}

// The error of a set that could not be put into place, with what the folder holds now.
Error TakeBack(const Error& failed, const OldFiles& old, const std::string& journal, const std::vector<Renaming>& set) {
  const Result<std::vector<std::string>> lost = old.PutBack();
  std::string state = "the files of this run are not complete, the next run that writes into the folder tries again";
  if (lost.ok()) {
    RemoveSet(journal, set);
    state = "nothing was written, and the folder is as it was";
    if (!lost.value().empty()) {
      state = fmt::format("nothing was written, but what was there before is lost: {}", fmt::join(lost.value(), ", "));
    }
  }
  return Error(failed.kind(), fmt::format("{}; {}", failed.message(), state)).WithHint("{}", failed.hint());
}

}  // namespace

Result<void> Outputs::ShowSet(const std::vector<AtomicFile*>& files) {
  std::vector<Renaming> set;
  for (const AtomicFile* file : files) set.push_back({file->temporary(), file->target()});
  // The hidden names have to be as durable as the journal that speaks of them; its own folder is synced with it.
  std::set<std::string> elsewhere;
  for (const Renaming& each : set) elsewhere.insert(DirectoryOf(each.from));
  elsewhere.erase(DirectoryOf(set.back().to));
  for (const std::string& directory : elsewhere) CORDON_RETURN_IF_ERROR(SyncDirectory(directory));
  const OldFiles old(set);
  const std::string journal = HiddenName(DirectoryOf(set.back().to), "set");
  CORDON_TRY(AtomicFile entry, AtomicFile::Create(journal, AtomicFile::Access::kPrivate));  // held until the set is in place
  CORDON_RETURN_IF_ERROR(entry.Write(JournalOf(set)));
  CORDON_RETURN_IF_ERROR(entry.Commit());
  for (AtomicFile* file : files) {  // the head last: without it the old set stands
    if (Result<Renaming> handed = file->HandOver(); !handed.ok()) {
      RemoveSet(journal, set);
      return std::move(handed).error();
    }
  }
  if (Result<void> shown = FinishSet(set); !shown.ok()) return TakeBack(std::move(shown).error(), old, journal, set);
  ::unlink(journal.c_str());
  return {};
}

bool IsSpecialFile(const std::string& path) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  return !failed && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

Result<void> RequireRegularFile(const std::string& path) {
  if (!IsSpecialFile(path)) return {};
  return Error::Io("reading {}: it is not a regular file", path)
      .WithHint("a pipe or a device may never end; save it to a file");
}

Result<void> CheckNotThere(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    CleanFolderOnce(DirectoryOf(path));  // a killed run may be about to put its files there
    std::error_code failed;
    if (path == "-" || !std::filesystem::is_regular_file(path, failed) || std::filesystem::file_size(path, failed) == 0)
      continue;
    return Error::InvalidPolicy("{} is there already", path).WithHint("nothing was written; give another name, or --force");
  }
  return {};
}

Result<void> CheckReplaces(const std::string& path, std::string_view mark) {
  if (CheckNotThere({path}).ok()) return {};
  constexpr std::size_t kEnough = std::size_t{4} << 20;  // a report says early what it is
  std::ifstream file(path, std::ios::binary);
  std::string start(kEnough, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  if (start.find(mark) != std::string::npos) return {};
  return Error::InvalidPolicy("{} is there already, and is not an earlier report of this kind", path)
      .WithHint("nothing was written; give another name, or remove it");
}

Result<void> CheckDistinct(const std::vector<std::pair<std::string, std::string>>& paths) {
  std::map<std::filesystem::path, const std::string*> seen;
  std::map<std::pair<dev_t, ino_t>, const std::string*> files;  // a hard link is the same file by another name
  for (const auto& [purpose, path] : paths) {
    if (path == "-") {  // a file may stand behind it
      struct stat behind{};
      const int stream = purpose == "--output" ? STDOUT_FILENO : STDIN_FILENO;
      if (fstat(stream, &behind) != 0 || !S_ISREG(behind.st_mode)) continue;
      const auto [file, is_new_file] = files.emplace(std::pair(behind.st_dev, behind.st_ino), &purpose);
      if (!is_new_file) {
        return Error::InvalidPolicy("{} and {} are the same file", *file->second, purpose)
            .WithHint("send standard output to another file");
      }
      continue;
    }
    if (path.empty() || IsSpecialFile(path)) continue;
    std::error_code failed;
    std::filesystem::path resolved = std::filesystem::weakly_canonical(std::filesystem::absolute(path), failed);
    if (failed) resolved = path;
    const auto [other, is_new] = seen.emplace(std::move(resolved), &purpose);
    if (!is_new) {
      return Error::InvalidPolicy("{} and {} are the same file, {}", *other->second, purpose, path)
          .WithHint("nothing was written; give each its own name");
    }
    struct stat found{};
    if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    const auto [file, is_new_file] = files.emplace(std::pair(found.st_dev, found.st_ino), &purpose);
    if (!is_new_file) {
      return Error::InvalidPolicy("{} and {} are the same file, {}", *file->second, purpose, path)
          .WithHint("nothing was written; a hard link or a redirected file is not a separate file");
    }
  }
  return {};
}

}  // namespace cordon::engine
