// SPDX-License-Identifier: Apache-2.0
#include "cordon/registry/release_registry.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/io/files/random_access_file.h"

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kApplicationId = 0x636F7264;  // "cord"
constexpr std::uint32_t kSchemaVersion = 1;
constexpr const char* kReleaseTable =
    "CREATE TABLE release (number INTEGER PRIMARY KEY, entry TEXT NOT NULL, chain TEXT NOT NULL)";
constexpr const char* kPersonTable =
    "CREATE TABLE person (release INTEGER NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (release, digest)) WITHOUT ROWID";
constexpr int kBusyMs = 10'000;

Error NotARegistry(const std::string& path, const char* why) {
  return Error::InvalidData("{} is not a registry: {}", path, why)
      .WithHint("nothing was written; give --registry another file");
}
Error DamagedRegistry(const std::string& path, std::string_view why) {
  return Error::InvalidData("{} is damaged: {}", path, why).WithHint("nothing was written; restore it from a backup");
}

Error SqliteError(const std::string& path, int code) {
  switch (code & 0xFF) {
    case SQLITE_NOTADB: return NotARegistry(path, "it is not an SQLite file");
    case SQLITE_CORRUPT: return DamagedRegistry(path, "its pages do not fit together");
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return Error::Io("{} is in use by another run", path).WithHint("nothing was written; try again");
    default: return Error::Io("{}: {}", path, sqlite3_errstr(code));
  }
}

class Statement {
 public:
  Statement(sqlite3* database, const std::string& path, const char* sql) : path_(path) {
    code_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  void Bind(int place, std::int64_t number) { Keep(sqlite3_bind_int64(statement_, place, number)); }
  void Bind(int place, std::string_view text) {
    Keep(sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
  }
  void Bind(int place, const Sha256Digest& blob) {
    Keep(sqlite3_bind_blob(statement_, place, blob.data(), static_cast<int>(blob.size()), SQLITE_TRANSIENT));
  }
  // Whether there is another row.
  Result<bool> Next() {
    if (code_ != SQLITE_OK) return SqliteError(path_, code_);
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return SqliteError(path_, code);
  }
  void Reset() { Keep(sqlite3_reset(statement_)); }
  std::int64_t Number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string Text(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return bytes == nullptr ? "" : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }

 private:
  void Keep(int code) {
    if (code_ == SQLITE_OK) code_ = code;
  }
  const std::string& path_;
  sqlite3_stmt* statement_ = nullptr;
  int code_ = SQLITE_OK;
};

// An open database file. `name`: for messages.
class Connection {
 public:
  static Result<Connection> Open(const std::string& path, const std::string& name) {
    Connection made(name);
    const int code = sqlite3_open_v2(path.c_str(), &made.database_, SQLITE_OPEN_READWRITE, nullptr);
    if (code != SQLITE_OK) return SqliteError(name, code);
    sqlite3_extended_result_codes(made.database_, 1);
    sqlite3_busy_timeout(made.database_, kBusyMs);
    CORDON_RETURN_IF_ERROR(made.Do("PRAGMA trusted_schema = OFF"));
    return made;
  }
  Connection(Connection&& other) noexcept : name_(std::move(other.name_)), database_(std::exchange(other.database_, nullptr)) {}
  Connection& operator=(Connection&&) = delete;
  ~Connection() { sqlite3_close(database_); }

  Statement Prepare(const char* sql) const { return {database_, name_, sql}; }
  Result<void> Do(const char* sql) const {
    const int code = sqlite3_exec(database_, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return SqliteError(name_, code);
    return {};
  }
  const std::string& name() const { return name_; }

 private:
  explicit Connection(std::string name) : name_(std::move(name)) {}
  std::string name_;
  sqlite3* database_ = nullptr;
};

std::uint32_t BigEndian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(0, 4)) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

// By its first bytes, before SQLite opens it: a database of somebody else is not touched.
Result<void> CheckHeader(const std::string& path, const std::string& name) {
  constexpr std::size_t kHeader = 100;
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return Error::Io("opening {}: {}", name, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return NotARegistry(name, "it is not a regular file");
  if (info.st_size == 0) return NotARegistry(name, "it is empty");
  CORDON_TRY(const RandomAccessFile file, RandomAccessFile::Open(path));
  std::string buffer(kHeader, '\0');
  CORDON_TRY(const std::string_view header, file.Read(buffer, 0));
  if (header.size() < kHeader || !header.starts_with(std::string_view("SQLite format 3\0", 16))) {
    return NotARegistry(name, "it is not an SQLite file");
  }
  if (BigEndian(header.substr(68)) != kApplicationId) return NotARegistry(name, "it is an SQLite file of another program");
  const std::uint32_t version = BigEndian(header.substr(60));
  if (version > kSchemaVersion) return NotARegistry(name, "a later version of cordon has made it");
  if (version != kSchemaVersion || header[18] != 1 || header[19] != 1) return DamagedRegistry(name, "its header was changed");
  return {};
}

Result<void> CheckSchema(const Connection& connection) {
  Statement check = connection.Prepare("PRAGMA quick_check(1)");
  CORDON_TRY(const bool said, check.Next());
  if (!said || check.Text(0) != "ok") return DamagedRegistry(connection.name(), "its pages do not fit together");
  std::vector<std::string> tables;
  Statement schema = connection.Prepare("SELECT sql FROM sqlite_schema ORDER BY rowid");
  while (true) {
    CORDON_TRY(const bool more, schema.Next());
    if (!more) break;
    tables.push_back(schema.Text(0));
  }
  if (tables != std::vector<std::string>{kReleaseTable, kPersonTable}) {
    return DamagedRegistry(connection.name(), "its tables are not those of a registry");
  }
  return {};
}

std::string ChainOf(const std::string& before, const std::string& entry) { return ToHex(Sha256Of(before + entry)); }

// The entries, each checked against its chain.
Result<std::vector<RegisteredRelease>> ReadReleases(const Connection& connection, std::string& chain) {
  CORDON_RETURN_IF_ERROR(CheckSchema(connection));
  std::vector<RegisteredRelease> releases;
  Statement rows = connection.Prepare("SELECT number, entry, chain FROM release ORDER BY number");
  while (true) {
    CORDON_TRY(const bool more, rows.Next());
    if (!more) return releases;
    const std::string text = rows.Text(1);
    const std::string link = ChainOf(chain, text);
    Result<RegisteredRelease> entry = ReadEntry(text);
    if (rows.Number(0) != static_cast<std::int64_t>(releases.size()) + 1 || rows.Text(2) != link || !entry.ok()) {
      return DamagedRegistry(connection.name(), fmt::format("entry {} is not as it was written", releases.size() + 1));
    }
    chain = link;
    releases.push_back(std::move(entry).value());
  }
}

// Complete and empty under a hidden name; then under its own, unless somebody else was quicker.
Result<void> Make(const std::string& path, const std::string& name) {
  CORDON_TRY(AtomicFile file, AtomicFile::Create(path, AtomicFile::Access::kPrivate));
  {
    CORDON_TRY(const Connection connection, Connection::Open(file.temporary(), name));
    CORDON_RETURN_IF_ERROR(connection.Do("PRAGMA journal_mode = MEMORY"));  // nothing next to the hidden file
    CORDON_RETURN_IF_ERROR(
        connection.Do(fmt::format("BEGIN; PRAGMA application_id = {}; PRAGMA user_version = {}; {}; {}; COMMIT", kApplicationId,
                                  kSchemaVersion, kReleaseTable, kPersonTable)
                          .c_str()));
  }
  return file.CommitIfAbsent();
}

bool HasDigest(const std::string& path, const std::string& sha256) {
  const Result<RandomAccessFile> file = RandomAccessFile::Open(path);
  const Result<std::string> digest = file.ok() ? file.value().Digest() : Result<std::string>(file.error());
  return digest.ok() && digest.value() == sha256;
}

PendingRelease::State StateOf(const RegisteredRelease& entry, const std::string& path,
                              const std::vector<RegisteredRelease>& entered) {
  using State = PendingRelease::State;
  const auto is_it = [&](const RegisteredRelease& other) {
    return other.release().path == entry.release().path && other.release().sha256 == entry.release().sha256;
  };
  if (std::any_of(entered.begin(), entered.end(), is_it)) return State::kEntered;
  if (entry.release().sha256.empty()) return State::kStream;
  CleanFolderOnce(DirectoryOf(path));  // files of a killed run may be about to appear
  if (std::error_code failed; !fs::exists(path, failed)) return State::kNotPublished;
  return HasDigest(path, entry.release().sha256) ? State::kPublished : State::kOtherBytes;
}

// Of a store, the rows come into place last, and what is told of them before that. Numbers of parts are never used twice.
bool IsPartlyThere(const ReleaseRegistry& registry, const RegisteredRelease& entry) {
  return std::any_of(entry.files.begin(), entry.files.end(), [&](const RegisteredFile& file) {
    return &file != entry.store() && HasDigest(registry.PathOf(file), file.sha256);
  });
}

}  // namespace

std::string DigestOf(std::span<const Sha256Digest> people) {
  Sha256 sha256;
  for (const Sha256Digest& digest : people) {
    sha256.Update({reinterpret_cast<const char*>(digest.data()), digest.size()});
  }
  return ToHex(sha256.Finish());
}

ReleaseRegistry::ReleaseRegistry(const std::string& path) : name_(path) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, failed), failed);
  path_ = failed || whole.empty() ? path : whole.string();
  folder_ = DirectoryOf(path_);
  // As people typed it, if they did.
  from_here_ = fs::is_symlink(path, failed) ? fs::path(folder_) : fs::path(path).parent_path();
}

std::string ReleaseRegistry::NameOf(const std::string& file) const {
  std::error_code failed;
  const fs::path name = fs::relative(file, folder_, failed);
  return failed || name.empty() ? file : name.string();
}

std::string ReleaseRegistry::PathOf(const RegisteredFile& file) const {
  return (from_here_ / file.path).lexically_normal().string();
}

bool ReleaseRegistry::Exists() const {
  std::error_code failed;
  return fs::exists(path_, failed);
}

// One per release: a second run to the same file replaces it.
std::string ReleaseRegistry::PendingFile(const RegisteredRelease& entry) const {
  return fmt::format("{}.pending-{}", path_, ToHex(Sha256Of(entry.release().path)).substr(0, 16));
}

Result<std::vector<PendingRelease>> ReleaseRegistry::ReadPending(const std::vector<RegisteredRelease>& entered) const {
  const std::string prefix = fs::path(path_).filename().string() + ".pending-";
  std::vector<PendingRelease> pending;
  std::error_code failed;
  for (const auto& file : fs::directory_iterator(folder_, failed)) {
    if (!file.path().filename().string().starts_with(prefix)) continue;
    const std::string path = file.path().string();
    const Result<std::string> text = ReadFile(path, 16 * kMebibyte);
    if (!text.ok() && !fs::exists(path)) continue;  // its program has just finished
    Result<RegisteredRelease> entry = text.ok() ? ReadEntry(text.value()) : Result<RegisteredRelease>(text.error());
    if (!entry.ok()) return std::move(entry).error().WithContext("reading {}", path);
    if (auto& input = entry.value().input) input->person_key = input->people_sha256 = "";
    PendingRelease::State state = StateOf(entry.value(), PathOf(entry.value().release()), entered);
    if (state == PendingRelease::State::kNotPublished && entry.value().store() != nullptr &&
        IsPartlyThere(*this, entry.value())) {
      state = PendingRelease::State::kPublished;
    }
    pending.push_back({path, std::move(entry).value(), state});
  }
  std::sort(pending.begin(), pending.end(),
            [](const PendingRelease& a, const PendingRelease& b) { return a.entry.published < b.entry.published; });
  return pending;
}

Result<RegistryContents> ReleaseRegistry::Read() const {
  RegistryContents contents;
  if (Exists()) {
    CORDON_RETURN_IF_ERROR(CheckHeader(path_, name_));
    CORDON_TRY(const Connection connection, Connection::Open(path_, name_));
    CORDON_RETURN_IF_ERROR(connection.Do("BEGIN"));
    std::string chain;
    CORDON_TRY(contents.releases, ReadReleases(connection, chain));
  }
  CORDON_TRY(contents.pending, ReadPending(contents.releases));
  return contents;
}

Result<People> ReleaseRegistry::ReadPeople(const RegisteredRelease& entry) const {
  CORDON_TRY(const Connection connection, Connection::Open(path_, name_));
  Statement rows = connection.Prepare(
      "SELECT digest FROM person WHERE release = (SELECT number FROM release WHERE entry = ?) ORDER BY digest");
  rows.Bind(1, std::string_view(Dump(ToJson(entry))));
  People people;
  while (true) {
    CORDON_TRY(const bool more, rows.Next());
    if (!more) break;
    const std::string blob = rows.Text(0);
    Sha256Digest digest = {};
    std::copy_n(blob.begin(), std::min(blob.size(), digest.size()), digest.begin());
    people.push_back(digest);
  }
  if (DigestOf(people) != entry.input->people_sha256) {
    return DamagedRegistry(name_, fmt::format("the people of {} are not as they were written", entry.release().path));
  }
  return people;
}

Result<void> ReleaseRegistry::Announce(const RegisteredRelease& entry) const {
  return WriteFile(PendingFile(entry), Dump(ToJson(entry)), AtomicFile::Access::kPrivate);
}

void ReleaseRegistry::Withdraw(const RegisteredRelease& entry) const { ::unlink(PendingFile(entry).c_str()); }

struct RegistryWriter::Database {
  Connection connection;
  std::string chain;
};

RegistryWriter::RegistryWriter(const ReleaseRegistry& registry, std::unique_ptr<Database> database, RegistryContents contents)
    : registry_(registry), database_(std::move(database)), contents_(std::move(contents)), known_(contents_.releases.size()) {}
RegistryWriter::RegistryWriter(RegistryWriter&&) noexcept = default;
RegistryWriter::~RegistryWriter() = default;  // a connection that closes rolls back

Result<RegistryWriter> RegistryWriter::Begin(const ReleaseRegistry& registry) {
  if (!registry.Exists()) CORDON_RETURN_IF_ERROR(Make(registry.path_, registry.name_));
  CORDON_RETURN_IF_ERROR(CheckHeader(registry.path_, registry.name_));
  CORDON_TRY(Connection connection, Connection::Open(registry.path_, registry.name_));
  CORDON_RETURN_IF_ERROR(connection.Do("BEGIN IMMEDIATE"));
  auto database = std::make_unique<Database>(Database{std::move(connection), ""});
  RegistryContents contents;
  CORDON_TRY(contents.releases, ReadReleases(database->connection, database->chain));
  CORDON_TRY(contents.pending, registry.ReadPending(contents.releases));
  return RegistryWriter(registry, std::move(database), std::move(contents));
}

Result<void> RegistryWriter::Enter(const RegisteredRelease& entry, std::span<const Sha256Digest> people) {
  const auto number = static_cast<std::int64_t>(contents_.releases.size()) + 1;
  const std::string text = Dump(ToJson(entry));
  database_->chain = ChainOf(database_->chain, text);
  Statement row = database_->connection.Prepare("INSERT INTO release VALUES (?, ?, ?)");
  row.Bind(1, number);
  row.Bind(2, std::string_view(text));
  row.Bind(3, std::string_view(database_->chain));
  CORDON_RETURN_IF_ERROR(row.Next());
  Statement person = database_->connection.Prepare("INSERT INTO person VALUES (?, ?)");
  for (const Sha256Digest& digest : people) {
    person.Bind(1, number);
    person.Bind(2, digest);
    CORDON_RETURN_IF_ERROR(person.Next());
    person.Reset();
  }
  contents_.releases.push_back(entry);
  return {};
}

Result<void> RegistryWriter::Commit() {
  CORDON_RETURN_IF_ERROR(database_->connection.Do("COMMIT"));
  for (std::size_t i = known_; i < contents_.releases.size(); ++i) registry_.Withdraw(contents_.releases[i]);
  for (const PendingRelease& pending : contents_.pending) {
    // Of a store it may have been decided, and appears when the next run finishes it (docs/store.md). A release that was
    // entered now was made by a run that had finished what was decided before.
    const bool may_appear =
        pending.entry.store() != nullptr &&
        std::none_of(contents_.releases.begin() + static_cast<std::ptrdiff_t>(known_), contents_.releases.end(),
                     [&](const RegisteredRelease& entered) { return entered.InStoreOf(pending.entry); });
    const bool never = pending.state == PendingRelease::State::kNotPublished && !may_appear;
    if (never || pending.state == PendingRelease::State::kEntered) ::unlink(pending.file.c_str());
  }
  return {};
}

}  // namespace cordon::engine
