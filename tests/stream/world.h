// SPDX-License-Identifier: Apache-2.0
//
// A disk that can lose power: files in memory, each with what is durable and what is only written. Every write, sync,
// rename, cut and removal is counted; at a chosen one the power goes, and what was not durable survives as chance has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/io/files/file_system.h"

namespace cordon::engine::testing {

class Disk final : public FileSystem {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  // The operation that fails, from 0, and all after it.
  void CutPowerAt(std::uint64_t operation) { cut_ = operation; }
  // No more than this many bytes in all files together; a write that meets the limit leaves what still fits.
  void LimitTo(std::uint64_t bytes) { room_ = bytes; }
  std::uint64_t operations() const { return operations_; }
  bool lost_power() const { return operations_ > cut_; }
  const std::vector<std::string>& log() const { return log_; }

  // The power comes back: of each file some of the bytes that were not synced are there; of files made, renames and removals
  // whose folder was not synced some happened (a prefix of them: a journal keeps their order).
  void Restart(std::uint64_t seed) {
    Random random = Random::FromSeed(seed);
    std::map<std::string, File> names = durable_names_;
    const std::size_t happened = random.Below(changes_.size() + 1);
    for (std::size_t i = 0; i < happened; ++i) changes_[i](names);
    for (auto& [path, file] : names) {
      Content& content = *file;
      const std::size_t most = content.bytes.size();
      if (most > content.synced) content.bytes.resize(content.synced + random.Below(most - content.synced + 1));
      content.synced = content.bytes.size();
    }
    names_ = durable_names_ = names;
    changes_.clear();
    operations_ = 0;
    cut_ = kNever;
    log_.clear();
  }

  std::string Bytes(const std::string& path) const {
    const auto found = names_.find(path);
    return found == names_.end() ? "" : found->second->bytes;
  }
  bool Has(const std::string& path) const { return names_.contains(path); }
  void Put(const std::string& path, std::string bytes) {
    auto file = std::make_shared<Content>();
    file->synced = bytes.size();
    file->bytes = std::move(bytes);
    names_[path] = durable_names_[path] = file;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [path, file] : names_) names.push_back(path);
    return names;
  }

  Result<std::unique_ptr<WritableFile>> Append(const std::string& path, Access, std::uint64_t keep) override {
    CORDON_RETURN_IF_ERROR(Count("open " + path));
    auto& file = names_[path];
    if (file == nullptr) {
      file = std::make_shared<Content>();
      changes_.push_back([path, made = file](auto& names) { names.emplace(path, made); });
    }
    if (file->held) return Error::Io("{} is in use by another run", path);
    if (file->bytes.size() < keep) return Error::Io("{} is shorter than {}", path, keep);
    file->bytes.resize(keep);
    file->synced = std::min<std::size_t>(file->synced, keep);
    return std::unique_ptr<WritableFile>(std::make_unique<Open>(*this, path, file));
  }
  Result<void> Rename(const std::string& from, const std::string& to) override {
    CORDON_RETURN_IF_ERROR(Count("rename " + to));
    const auto apply = [from, to](auto& names) {
      std::map<std::string, File> moved;  // a file, or a folder with all that is in it
      for (auto at = names.begin(); at != names.end();) {
        if (at->first == from || at->first.starts_with(from + "/")) {
          moved[to + at->first.substr(from.size())] = at->second;
          at = names.erase(at);
        } else {
          ++at;
        }
      }
      for (const auto& [path, file] : moved) names[path] = file;
    };
    apply(names_);
    changes_.push_back(apply);
    return {};
  }
  Result<void> Remove(const std::string& path) override {
    CORDON_RETURN_IF_ERROR(Count("remove " + path));
    names_.erase(path);
    changes_.push_back([path](auto& names) { names.erase(path); });
    return {};
  }
  Result<void> MakeFolder(const std::string&) override { return {}; }
  Result<void> SyncFile(const std::string& path) override {
    CORDON_RETURN_IF_ERROR(Count("sync " + path));
    const auto found = names_.find(path);
    if (found == names_.end()) return Error::Io("no {}", path);
    found->second->synced = found->second->bytes.size();
    return {};
  }
  Result<void> SyncFolder(const std::string& path) override {
    CORDON_RETURN_IF_ERROR(Count("sync folder " + path));
    for (const auto& change : changes_) change(durable_names_);
    changes_.clear();
    return {};
  }
  Result<std::unique_ptr<FolderLock>> Lock(const std::string&) override { return std::make_unique<FolderLock>(); }
  Result<std::vector<std::string>> List(const std::string& folder) override {
    std::vector<std::string> names;
    for (const auto& [path, file] : names_) {
      if (path.starts_with(folder + "/")) names.push_back(path.substr(folder.size() + 1));
    }
    return names;
  }
  Result<std::string> Read(const std::string& path) override {
    const auto found = names_.find(path);
    if (found == names_.end()) return Error::Io("no {}", path);
    return found->second->bytes;
  }
  Result<std::string> ReadBefore(const std::string& path, std::uint64_t end, std::uint64_t size) override {
    CORDON_TRY(const std::string bytes, Read(path));
    const std::uint64_t from = end - std::min(end, size);
    return bytes.substr(std::min<std::uint64_t>(from, bytes.size()), end - from);
  }
  std::optional<std::uint64_t> Size(const std::string& path) override {
    const auto found = names_.find(path);
    return found == names_.end() ? std::nullopt : std::optional<std::uint64_t>(found->second->bytes.size());
  }

 private:
  struct Content {
    std::string bytes;
    std::size_t synced = 0;
    bool held = false;
  };
  using File = std::shared_ptr<Content>;

  class Open final : public WritableFile {
   public:
    Open(Disk& disk, std::string path, File file) : disk_(disk), path_(std::move(path)), file_(std::move(file)) {
      file_->held = true;
    }
    ~Open() override { file_->held = false; }
    Result<void> Write(std::string_view bytes) override {
      const Result<void> counted = disk_.Count("write " + path_);
      // Power may go in the middle of a write, and so may the room.
      const std::string_view fits = bytes.substr(0, disk_.Room());
      Put(counted.ok() ? fits : bytes.substr(0, disk_.Once(bytes.size() / 2)));
      if (counted.ok() && fits.size() < bytes.size()) return Error::Io("no room for {}", path_);
      return counted;
    }
    std::uint64_t written() const override { return written_; }
    Result<void> CutBack(std::uint64_t written) override {
      CORDON_RETURN_IF_ERROR(disk_.Count("cut " + path_));
      file_->bytes.resize(file_->bytes.size() - (written_ - written));
      file_->synced = std::min(file_->synced, file_->bytes.size());
      written_ = written;
      return {};
    }
    Result<void> Sync() override {
      CORDON_RETURN_IF_ERROR(disk_.Count("sync " + path_));
      file_->synced = file_->bytes.size();
      return {};
    }

   private:
    void Put(std::string_view bytes) {
      file_->bytes += bytes;
      written_ += bytes.size();
    }

    Disk& disk_;
    std::string path_;
    File file_;
    std::uint64_t written_ = 0;
  };

  std::uint64_t Room() const {
    std::uint64_t used = 0;
    for (const auto& [path, file] : names_) used += file->bytes.size();
    return room_ - std::min(room_, used);
  }

  Result<void> Count(const std::string& what) {
    log_.push_back(what);
    if (operations_++ < cut_) return {};
    return Error::Io("the power is gone");
  }
  // Only the operation that meets the end of the power leaves something behind.
  std::size_t Once(std::size_t bytes) const { return operations_ == cut_ + 1 ? bytes : 0; }

  std::map<std::string, File> names_;
  std::map<std::string, File> durable_names_;
  std::vector<std::function<void(std::map<std::string, File>&)>> changes_;
  std::vector<std::string> log_;
  std::uint64_t operations_ = 0;
  std::uint64_t cut_ = kNever;
  std::uint64_t room_ = kNever;
};

}  // namespace cordon::engine::testing
