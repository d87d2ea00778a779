// SPDX-License-Identifier: Apache-2.0
#include "cordon/registry/history.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "cordon/base/canonical_json.h"
#include "cordon/base/digest.h"
#include "cordon/base/printable.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/io/files/random_access_file.h"

namespace cordon::engine {
namespace {

using FileState = FileFinding::State;
using PendingState = PendingRelease::State;

FileState CheckFile(const std::string& path, const std::string& sha256) {
  CleanFolderOnce(DirectoryOf(path));  // a killed run may be about to put it there
  if (std::error_code failed; !std::filesystem::exists(path, failed)) return FileState::kMissing;
  const Result<RandomAccessFile> file = RandomAccessFile::Open(path);
  if (!file.ok()) return FileState::kChanged;
  const Result<std::string> digest = file.value().Digest();
  return digest.ok() && digest.value() == sha256 ? FileState::kAsPublished : FileState::kChanged;
}

const char* StateName(FileState state) {
  switch (state) {
    case FileState::kAsPublished: return "as published";
    case FileState::kChanged: return "changed since it was published";
    case FileState::kMissing: return "missing";
    case FileState::kReplaced: return "replaced by a later append";
  }
  return "";
}

bool IsWrong(FileState state) { return state == FileState::kChanged || state == FileState::kMissing; }

// A stream without a checkpoint has forgotten what it held: it can only begin again, and what left is out.
std::string DescribeBegun(const PendingRelease& pending) {
  for (const RegisteredFile& file : pending.entry.files) {
    if (file.role != "checkpoint") continue;
    return fmt::format("a stream that was begun and has not ended. If it was killed, run it again with --checkpoint {}",
                       Printable(file.path));
  }
  return "a stream that was begun and has not ended. If it was killed, it cannot go on, because it had no --checkpoint. If "
         "nobody has its rows, run it again from the beginning, with --force";
}

std::string DescribeState(const PendingRelease& pending) {
  switch (pending.state) {
    case PendingState::kPublished:
      return "published, and not entered: its run was ended before that, or is about to. The next run with this registry "
             "enters it";
    case PendingState::kNotPublished:
      return "not published: its run was ended before that, or is about to. Nothing is to be done";
    case PendingState::kOtherBytes:
      return "not entered: its run was ended, and the file has other bytes than it was to have. Find out which of them people "
             "have";
    case PendingState::kStream: return DescribeBegun(pending);
    case PendingState::kEntered: return "entered";
  }
  return "";
}

// The releases of one store, compared with what its manifest shows now. `releases` are those that were entered and, after them,
// those that were published and not entered.
class StoreCheck {
 public:
  StoreCheck(const ReleaseRegistry& registry, const RegisteredFile& manifest, std::vector<const RegisteredRelease*> releases)
      : registry_(registry), folder_(std::filesystem::path(manifest.path).parent_path()), releases_(std::move(releases)) {
    const Result<std::string> text = ReadFile(registry.PathOf(manifest));
    if (!text.ok()) return;
    sha256_ = ToHex(Sha256Of(text.value()));
    const Json json = ParseJsonOnce(text.value());
    if (json.is_object() && json.contains("files") && json["files"].is_object()) named_ = json["files"];
    is_known_ = std::any_of(releases_.begin(), releases_.end(), [&](const auto* release) { return IsNow(*release); });
  }

  std::vector<FileFinding> Check(const RegisteredRelease& entry) const {
    std::vector<FileFinding> found;
    for (const RegisteredFile& file : entry.files) {
      found.push_back({file.path, &file == entry.store() ? OfManifest(entry) : OfPart(file)});
    }
    if (!IsNow(entry)) return found;
    for (const auto& [name, described] : named_.items()) {  // parts of earlier releases, merged or not
      const std::string path = (folder_ / name).string();
      if (Lists(entry, path)) continue;
      const FileState state = CheckFile(registry_.PathOf({"", path, ""}), described.value("sha256", ""));
      if (IsWrong(state)) found.push_back({path, state});
    }
    return found;
  }

 private:
  bool IsNow(const RegisteredRelease& entry) const { return entry.store()->sha256 == sha256_; }
  static bool Lists(const RegisteredRelease& entry, const std::string& path) {
    return std::any_of(entry.files.begin(), entry.files.end(), [&](const RegisteredFile& file) { return file.path == path; });
  }

  FileState OfManifest(const RegisteredRelease& entry) const {
    if (IsNow(entry)) return FileState::kAsPublished;
    if (&entry != releases_.back()) return FileState::kReplaced;
    // If one of before is there, an append was killed, and the next one puts this into place.
    return sha256_.empty() || is_known_ ? FileState::kMissing : FileState::kChanged;
  }

  FileState OfPart(const RegisteredFile& part) const {
    const FileState state = CheckFile(registry_.PathOf(part), part.sha256);
    if (state != FileState::kMissing || !is_known_ || Lists(*releases_.back(), part.path)) return state;
    return named_.contains(std::filesystem::path(part.path).lexically_relative(folder_).string()) ? state
                                                                                                  : FileState::kReplaced;
  }

  const ReleaseRegistry& registry_;
  std::filesystem::path folder_;  // of the store, as the registry names it
  std::vector<const RegisteredRelease*> releases_;
  std::string sha256_;           // of the manifest; empty: it cannot be read
  Json named_ = Json::object();  // files below the folder, by the manifest
  bool is_known_ = false;        // whether a release has made this manifest
};

std::map<std::string, StoreCheck> StoresOf(const ReleaseRegistry& registry, const RegistryContents& contents) {
  std::map<std::string, std::vector<const RegisteredRelease*>> releases;
  const auto add = [&](const RegisteredRelease& release) {
    if (release.store() != nullptr) releases[release.store()->path].push_back(&release);
  };
  for (const RegisteredRelease& release : contents.releases) add(release);
  for (const PendingRelease& pending : contents.pending) {
    if (pending.state == PendingState::kPublished) add(pending.entry);
  }
  std::map<std::string, StoreCheck> stores;
  for (auto& [path, of_store] : releases) {
    const RegisteredFile manifest = *of_store.front()->store();
    stores.emplace(path, StoreCheck(registry, manifest, std::move(of_store)));
  }
  return stores;
}

bool IsWrong(PendingState state) { return state != PendingState::kNotPublished && state != PendingState::kEntered; }

}  // namespace

bool History::holds() const {
  for (const auto& release : files) {
    for (const FileFinding& file : release) {
      if (IsWrong(file.state)) return false;
    }
  }
  for (const PendingRelease& pending : contents.pending) {
    if (IsWrong(pending.state)) return false;
  }
  return true;
}

Result<History> ReadHistory(const std::string& registry, bool check) {
  const ReleaseRegistry file(registry);
  History history{registry, {}, check, {}};
  CORDON_TRY(history.contents, file.Read());
  if (!file.Exists() && history.contents.pending.empty()) {
    return Error::Io("there is no registry {}", registry)
        .WithHint("anonymize, permute, append, stream and release-next make one: --registry {}", registry);
  }
  if (!check) return history;
  const std::map<std::string, StoreCheck> stores = StoresOf(file, history.contents);
  for (const RegisteredRelease& entry : history.contents.releases) {
    if (entry.store() != nullptr) {
      history.files.push_back(stores.at(entry.store()->path).Check(entry));
      continue;
    }
    std::vector<FileFinding>& found = history.files.emplace_back();
    for (const RegisteredFile& each : entry.files) found.push_back({each.path, CheckFile(file.PathOf(each), each.sha256)});
  }
  return history;
}

Json ToJson(const History& history) {
  Json json = {{"format", 1}, {"registry", history.registry}, {"releases", Json::array()}, {"pending", Json::array()}};
  for (std::size_t i = 0; i < history.contents.releases.size(); ++i) {
    Json release = {{"number", i + 1}};
    release.update(ToJson(history.contents.releases[i]));
    if (history.checked) {
      for (std::size_t file = 0; file < history.files[i].size(); ++file) {
        const FileFinding& found = history.files[i][file];
        if (file == release["files"].size()) release["files"].push_back({{"role", "earlier part"}, {"path", found.path}});
        release["files"][file]["check"] = StateName(found.state);
      }
    }
    json["releases"].push_back(std::move(release));
  }
  static constexpr const char* kStates[] = {"published", "not published", "other bytes", "stream", "entered"};
  for (const PendingRelease& pending : history.contents.pending) {
    Json release = {{"state", kStates[static_cast<int>(pending.state)]}};
    release.update(ToJson(pending.entry));
    json["pending"].push_back(std::move(release));
  }
  if (history.checked) json["holds"] = history.holds();
  return json;
}

std::string Describe(const History& history) {
  std::string text;
  for (std::size_t i = 0; i < history.contents.releases.size(); ++i) {
    const RegisteredRelease& entry = history.contents.releases[i];
    text += fmt::format("{}  {}  {}: {}, {} rows, by {} ({})\n", i + 1, entry.published, Printable(entry.population),
                        Printable(entry.release().path), entry.rows, entry.command, entry.algorithm);
    for (const Json& model : entry.models) {
      text += fmt::format("   {}: {}\n", Printable(model.value("text", "")),
                          model.contains("reached") && model["reached"].is_string()
                              ? "reached " + Printable(model["reached"].get<std::string>())
                              : "held at every departure");
    }
    for (const RegisteredRelease::Previous& previous : entry.previous) {
      text += fmt::format("   joined with {}\n", Printable(previous.name));
    }
    if (!history.checked) continue;
    for (const FileFinding& file : history.files[i]) {
      if (!IsWrong(file.state)) continue;
      text += fmt::format("   {}: {}\n", Printable(file.path), StateName(file.state));
    }
  }
  for (const PendingRelease& pending : history.contents.pending) {
    if (pending.state == PendingState::kEntered) continue;
    text += fmt::format("-  {}  {}: {}: {}\n", pending.entry.published, Printable(pending.entry.population),
                        Printable(pending.entry.release().path), DescribeState(pending));
  }
  if (history.checked) {
    text += history.holds() ? "all files are as published\n" : "not all is as it was published and entered\n";
  }
  return text;
}

}  // namespace cordon::engine
