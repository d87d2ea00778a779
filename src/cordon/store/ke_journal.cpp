// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/ke_journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cordon/base/digest.h"
#include "cordon/base/json.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/store/store_names_internal.h"

namespace cordon::engine {

using namespace internal;

namespace {

constexpr std::size_t kMostEntries = 256;
constexpr std::size_t kDigest = 64;

// An entry: the length of the rest and the SHA-256 of its body, then the body: a line of JSON, which says how long the pieces
// are, and the pieces.
std::string Encode(const JournalEntry& entry) {
  Json head = {{"boot", entry.boot}, {"base", entry.base}, {"next", entry.next}, {"state", entry.state}};
  head["number"] = entry.number;
  head["tails"] = Json::array();
  head["files"] = Json::array();
  std::string pieces;
  for (const JournalEntry::Tail& tail : entry.tails) {
    head["tails"].push_back({{"table", tail.table}, {"at", tail.at}, {"bytes", tail.bytes.size()}});
    pieces += tail.bytes;
  }
  for (const JournalEntry::File& file : entry.files) {
    head["files"].push_back({{"name", file.name}, {"bytes", file.bytes.size()}});
    pieces += file.bytes;
  }
  head["manifest"] = entry.manifest.size();
  const std::string body = head.dump() + "\n" + pieces + entry.manifest;
  return fmt::format("{:020}{}", body.size(), ToHex(Sha256Of(body))) + body;
}

constexpr std::size_t kFrame = 20 + kDigest;

// Nothing where it is not as Encode makes it.
std::optional<JournalEntry> Decode(std::string_view body) try {
  const std::size_t end = body.find('\n');
  const Json head = ParseJson(body.substr(0, end));
  std::size_t at = end + 1;
  const auto piece = [&](std::size_t bytes) {
    const std::size_t from = std::exchange(at, at + bytes);
    return std::string(body.substr(from, bytes));
  };
  JournalEntry entry;
  for (const auto& [key, to] : {std::pair{"boot", &entry.boot}, std::pair{"base", &entry.base}, std::pair{"next", &entry.next},
                                std::pair{"state", &entry.state}})
    *to = head.at(key).get<std::string>();
  entry.number = head.at("number").get<std::uint64_t>();
  for (const Json& tail : head.at("tails")) {
    entry.tails.push_back({tail.at("table").get<std::string>(), tail.at("at").get<std::uint64_t>(), piece(tail.at("bytes"))});
  }
  for (const Json& file : head.at("files"))
    entry.files.push_back({file.at("name").get<std::string>(), piece(file.at("bytes"))});
  entry.manifest = piece(head.at("manifest"));
  return entry;
} catch (const std::exception&) {  // of the JSON library, or a piece that is not there
  return std::nullopt;
}

std::string PathOf(const std::string& private_directory) { return private_directory + "/" + kJournal; }

// To `size` bytes, and what follows them.
Result<void> WriteAt(const std::string& path, std::uint64_t size, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return SystemError("opening " + path);
  const auto write = [&]() -> Result<void> {
    if (::ftruncate(file, static_cast<off_t>(size)) != 0 || ::lseek(file, 0, SEEK_END) < 0)
      return SystemError("writing " + path);
    CORDON_RETURN_IF_ERROR(WriteAll(file, bytes).WithContext("writing {}", path));
    if (::fsync(file) != 0) return SystemError("writing " + path);
    return {};
  };
  Result<void> written = write();
  ::close(file);
  return written;
}

}  // namespace

std::uint64_t JournalEntry::num_bytes() const {
  std::uint64_t sum = manifest.size();
  for (const Tail& tail : tails) sum += tail.bytes.size();
  for (const File& file : files) sum += file.bytes.size();
  return sum;
}

bool Journal::HasRoomFor(const JournalEntry& entry) const {
  return entries.size() < kMostEntries && entry.num_bytes() <= kLargestEntry && bytes + entry.num_bytes() <= kLargest;
}

Result<Journal> ReadJournal(const std::string& private_directory) {
  const std::string path = PathOf(private_directory);
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return Journal{};
  CORDON_TRY(const std::string text, ReadFile(path));
  Journal journal;
  for (std::string_view rest = text; rest.size() > kFrame;) {
    const std::string_view length = rest.substr(0, 20);
    if (!std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; })) break;
    std::uint64_t size = 0;
    for (const char c : length) size = size * 10 + static_cast<std::uint64_t>(c - '0');  // modulo 2^64
    if (size > rest.size() - kFrame) break;
    const std::string_view body = rest.substr(kFrame, size);
    if (rest.substr(20, kDigest) != ToHex(Sha256Of(body))) break;
    std::optional<JournalEntry> entry = Decode(body);
    if (!entry) break;
    journal.entries.push_back(*std::move(entry));
    rest.remove_prefix(kFrame + size);
    journal.bytes = text.size() - rest.size();
  }
  journal.has_more = journal.bytes < text.size();
  return journal;
}

Result<void> AddToJournal(const std::string& private_directory, const Journal& journal, const JournalEntry& entry) {
  const std::string path = PathOf(private_directory);
  std::error_code failed;
  const bool is_new = !std::filesystem::exists(path, failed);
  Result<void> written = WriteAt(path, journal.bytes, Encode(entry));
  if (written.ok() && is_new) written = SyncPath(private_directory);
  if (!written.ok()) (void)CutJournal(private_directory, journal);
  return written;
}

Result<void> CutJournal(const std::string& private_directory, const Journal& before) {
  return WriteAt(PathOf(private_directory), before.bytes, "");
}

Result<void> ClearJournal(const std::string& private_directory) { return WriteAt(PathOf(private_directory), 0, ""); }

std::string BootId() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace cordon::engine
