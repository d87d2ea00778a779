// SPDX-License-Identifier: Apache-2.0
#include "cordon/registry/history.h"

#include <filesystem>

#include "cordon/base/printable.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/io/files/stored_file.h"

namespace cordon::engine {
namespace {

using FileState = FileFinding::State;
using PendingState = PendingRelease::State;

FileState CheckFile(const std::string& path, const std::string& sha256) {
  CleanFolderOnce(DirectoryOf(path));  // a killed run may be about to put it there
  if (std::error_code failed; !std::filesystem::exists(path, failed)) return FileState::kMissing;
  const Result<StoredFile> file = StoredFile::Open(path);
  if (!file.ok()) return FileState::kChanged;
  const Result<std::string> digest = file.value().Digest();
  return digest.ok() && digest.value() == sha256 ? FileState::kAsPublished : FileState::kChanged;
}

const char* StateName(FileState state) {
  switch (state) {
    case FileState::kAsPublished: return "as published";
    case FileState::kChanged: return "changed since it was published";
    case FileState::kMissing: return "missing";
  }
  return "";
}

const char* StateName(PendingState state) {
  switch (state) {
    case PendingState::kPublished:
      return "published, and not entered: its run was ended before that, or is about to. The next run with this registry "
             "enters it";
    case PendingState::kNotPublished:
      return "not published: its run was ended before that, or is about to. Nothing is to be done";
    case PendingState::kOtherBytes:
      return "not entered: its run was ended, and the file has other bytes than it was to have. Find out which of them people "
             "have";
    case PendingState::kStream: return "a stream that was begun and has not ended. Run it again with its checkpoint";
    case PendingState::kEntered: return "entered";
  }
  return "";
}

bool IsWrong(PendingState state) { return state != PendingState::kNotPublished && state != PendingState::kEntered; }

}  // namespace

bool History::holds() const {
  for (const auto& release : files) {
    for (const FileFinding& file : release) {
      if (file.state != FileState::kAsPublished) return false;
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
        .WithHint("anonymize, permute, stream and release-next make one: --registry {}", registry);
  }
  if (!check) return history;
  for (const RegisteredRelease& entry : history.contents.releases) {
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
        release["files"][file]["check"] = StateName(history.files[i][file].state);
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
      if (file.state == FileState::kAsPublished) continue;
      text += fmt::format("   {}: {}\n", Printable(file.path), StateName(file.state));
    }
  }
  for (const PendingRelease& pending : history.contents.pending) {
    if (pending.state == PendingState::kEntered) continue;
    text += fmt::format("-  {}  {}: {}: {}\n", pending.entry.published, Printable(pending.entry.population),
                        Printable(pending.entry.release().path), StateName(pending.state));
  }
  if (history.checked) {
    text += history.holds() ? "all files are as published\n" : "not all is as it was published and entered\n";
  }
  return text;
}

}  // namespace cordon::engine
