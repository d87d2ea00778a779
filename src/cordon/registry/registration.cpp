// SPDX-License-Identifier: Apache-2.0
#include "cordon/registry/registration.h"

#include <fmt/chrono.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/io/files/random_access_file.h"
#include "cordon/report/version.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kShortestPersonKey = 16;  // bytes

std::string Now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

const std::string* PersonColumn(const Policy& policy) {
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.role == Role::kPerson) return &attribute.name;
  }
  return nullptr;
}

std::vector<std::string> PublishedColumns(const Policy& policy) {
  std::vector<std::string> columns;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (IsPublished(attribute)) columns.push_back(attribute.name);
  }
  std::sort(columns.begin(), columns.end());
  return columns;
}

Result<std::string> ReadPersonKey(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & 077) != 0) {
    return Error::InvalidPolicy("--person-key {}: other users may read this key", path).WithHint("chmod 600 {}", path);
  }
  CORDON_TRY(std::string key, ReadFile(path, kMebibyte).WithContext("reading --person-key"));
  if (key.size() >= kShortestPersonKey) return key;
  return Error::InvalidPolicy("--person-key {} has fewer than {} bytes", path, kShortestPersonKey)
      .WithHint("make one: (umask 077; head -c 32 /dev/urandom > {})", path);
}

// Texts that some row shows; missing ones are one person, as they are everywhere.
std::vector<std::optional<std::string_view>> PeopleIn(const Column& column, std::size_t num_rows, const DataPolicy& data) {
  std::vector<bool> seen(column.dictionary->size());
  bool missing = false;
  for (std::size_t row = 0; row < num_rows; ++row) {
    const Code code = column.codes[row];
    if (code == kNull) {
      missing = true;
    } else {
      seen[code] = true;
    }
  }
  std::vector<std::optional<std::string_view>> people;
  for (std::size_t code = 0; code < seen.size(); ++code) {
    if (!seen[code]) continue;
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    if (data.IsMissing(text)) {
      missing = true;
    } else {
      people.emplace_back(text);
    }
  }
  if (missing) people.emplace_back();
  return people;
}

// Names the population as well, so one key gives different digests for each.
People DigestsOf(const std::vector<std::optional<std::string_view>>& people, const std::string& population,
                 const std::string& key) {
  People digests;
  digests.reserve(people.size());
  for (const auto& person : people) {
    const std::string text = fmt::format("{}{:c}{:c}{}", population, '\0', person ? '=' : '-', person.value_or(""));
    digests.push_back(HmacSha256(key, text));
  }
  std::sort(digests.begin(), digests.end());
  return digests;
}

std::size_t NotIn(const People& some, const People& others) {
  People missing;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(), std::back_inserter(missing));
  return missing.size();
}

Error DataChanged(const RegisteredRelease& before, const std::string& what) {
  return Error::InvalidData("the data has changed since {} was published of '{}': {}", before.release().path, before.population,
                            what)
      .WithHint(
          "anyone who compares the releases can tell who was added, removed or changed, and no model covers that. Publish the "
          "input of that release; if these are other people, give the policy another population");
}

// Found before the work, not after it. Next to the registry there will be files of SQLite and of releases to come.
Result<void> CheckWritable(const std::string& registry) {
  const std::string folder = DirectoryOf(registry);
  for (const std::string& path : {folder, registry}) {
    if (::access(path.c_str(), W_OK) == 0 || (path == registry && errno == ENOENT)) continue;
    return Error::Io("writing {}: {}", path, std::strerror(errno));
  }
  struct stat info = {};
  if (::stat(registry.c_str(), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 077) != 0) {
    return Error::InvalidData("{} can be read or written by others", registry).WithHint("chmod 600 {}", registry);
  }
  return {};
}

Result<void> CheckIsFile(const std::string& output) {
  if (output != "-" && (output.empty() || !IsSpecialFile(output))) return {};
  return Error::InvalidPolicy("--registry is for releases that are files, and --output {} is not", output)
      .WithHint("give --output FILE");
}

}  // namespace

Json ModelEntry(const Verdict& verdict) {
  Json json = ToJson(verdict.spec);
  json["text"] = verdict.text;
  json["holds"] = verdict.holds;
  json["reached"] = verdict.reached_text;
  return json;
}

Result<Registration> Registration::Begin(const std::string& registry, const Policy& policy, const std::string& output) {
  if (registry.empty() || registry == "-") return Error::InvalidPolicy("--registry needs the name of a file");
  CORDON_RETURN_IF_ERROR(CheckIsFile(output));
  if (policy.population.empty()) {
    return Error::InvalidPolicy("{}: --registry needs to know whose people these are", policy.name)
        .WithHint("add population = \"...\" at the top of the policy");
  }
  Registration made(policy, ReleaseRegistry(registry));
  CORDON_RETURN_IF_ERROR(CheckWritable(registry));
  CORDON_TRY(made.contents_, made.registry_.Read());
  if (!output.empty()) made.output_ = made.registry_.NameOf(output);
  made.earlier_ = made.OfPopulation(made.contents_);
  for (const PendingRelease& pending : made.contents_.pending) {
    const RegisteredRelease& other = pending.entry;
    const bool unclear = pending.state == PendingRelease::State::kOtherBytes && other.population == policy.population;
    if (!unclear || other.release().path == made.output_) continue;
    return Error::InvalidData("{} was to be published of '{}' by a run that was ended, and has other bytes",
                              other.release().path, other.population)
        .WithHint("put the published file back; if it was never published, remove {}", pending.file);
  }
  return made;
}

Result<void> Registration::CheckOutputIsNew() const {
  const auto published = [&](const RegisteredRelease& entry) { return entry.release().path == output_; };
  const bool entered = std::any_of(contents_.releases.begin(), contents_.releases.end(), published);
  const bool pending = std::any_of(contents_.pending.begin(), contents_.pending.end(), [&](const PendingRelease& each) {
    return each.state == PendingRelease::State::kPublished && published(each.entry);
  });
  if (!entered && !pending) return {};
  return Error::InvalidPolicy("{} is a release of {}: it was published, and is not replaced", output_, registry_.name())
      .WithHint("give --output another name");
}

Result<Registration> Registration::WithOutput(const std::string& output) const {
  CORDON_RETURN_IF_ERROR(CheckIsFile(output));
  Registration made = *this;
  made.output_ = registry_.NameOf(output);
  CORDON_RETURN_IF_ERROR(made.CheckOutputIsNew());
  return made;
}

std::vector<RegisteredRelease> Registration::OfPopulation(const RegistryContents& contents) const {
  std::vector<RegisteredRelease> found;
  for (const RegisteredRelease& entry : contents.releases) {
    if (entry.population == policy_->population) found.push_back(entry);
  }
  for (const PendingRelease& pending : contents.pending) {
    const bool is_out = pending.state == PendingRelease::State::kPublished || pending.state == PendingRelease::State::kStream;
    const bool is_this = pending.entry.release().path == output_;  // a stream that goes on
    if (is_out && !is_this && pending.entry.population == policy_->population) found.push_back(pending.entry);
  }
  return found;
}

bool Registration::ListsStore() const {
  const auto is_it = [&](const RegisteredRelease& entry) { return entry.store() != nullptr && entry.store()->path == output_; };
  return std::any_of(contents_.releases.begin(), contents_.releases.end(), is_it) ||
         std::any_of(contents_.pending.begin(), contents_.pending.end(),
                     [&](const PendingRelease& pending) { return is_it(pending.entry); });
}

std::vector<Warning> Registration::SecondRelease() const {
  std::vector<const RegisteredRelease*> elsewhere;
  for (const RegisteredRelease& entry : earlier_) {
    if (entry.store() == nullptr || entry.store()->path != output_) elsewhere.push_back(&entry);
  }
  if (elsewhere.empty()) return {};
  const RegisteredRelease& first = *elsewhere.front();
  const std::size_t others = elsewhere.size() - 1;
  return {{"second-release",
           {},
           fmt::format(
               "'{}' was published before: {} by {} on {}{}; anyone who has both can join them, and no model of this policy "
               "looks at the join; cordon release-next with xy-anonymity or xy-linkability does",
               first.population, first.release().path, first.command, first.published.substr(0, 10),
               others == 0 ? "" : fmt::format(", and {} more", others))}};
}

Result<std::vector<std::string>> Registration::Previous(const std::vector<std::string>& given) const {
  std::vector<std::string> found;
  std::vector<std::string> digests;
  for (const std::string& file : given) {
    CORDON_TRY(const RandomAccessFile opened, RandomAccessFile::Open(file));
    CORDON_TRY(digests.emplace_back(), opened.Digest());
  }
  for (const RegisteredRelease& entry : earlier_) {
    const std::string& name = entry.release().path;
    const bool in_store = entry.store() != nullptr;
    if (in_store || entry.release().sha256.empty()) {
      return Error::InvalidPolicy("'{}' was published by {} before, as {}: release-next cannot judge the join with it",
                                  entry.population, entry.command, name)
          .WithHint("{}", in_store ? "a permuted column has no join with other releases that could be bounded"
                                   : "wait for the end of the stream; cordon history says what to do if it was killed");
    }
    const std::string path = registry_.PathOf(entry.release());
    const Result<RandomAccessFile> file = RandomAccessFile::Open(path);
    if (!file.ok()) {
      return Error(file.error())
          .WithContext("{} was published of '{}' before", name, entry.population)
          .WithHint("put the published file back: the join with it must be judged");
    }
    CORDON_TRY(const std::string digest, file.value().Digest());
    if (digest != entry.release().sha256) {
      return Error::InvalidData("{} has changed since it was published on {}: its bytes are not those that {} lists", name,
                                entry.published.substr(0, 10), registry_.name())
          .WithHint("put the published file back; what people have is what must be judged");
    }
    if (!given.empty() && std::find(digests.begin(), digests.end(), digest) == digests.end()) {
      return Error::InvalidPolicy("{} was published of '{}' before, and is not among --previous", name, entry.population)
          .WithHint("add --previous {}, or leave out --previous to take all that {} lists", path, registry_.name());
    }
    found.push_back(path);
  }
  return given.empty() ? found : given;
}

Result<void> Registration::Describe(const Table& table, std::string sha256, const std::optional<std::string>& person_key) {
  const std::string* person = PersonColumn(*policy_);
  if (person_key && person == nullptr) {
    return Error::InvalidPolicy("{}: --person-key needs a column with role = \"person\"", policy_->name);
  }
  const Column* column = person == nullptr ? nullptr : table.Find(*person);
  InputFacts input{std::move(sha256), table.num_rows, "", ""};
  if (column != nullptr) {
    const auto people = PeopleIn(*column, table.num_rows, policy_->data);
    input.people = people.size();
    if (person_key) {
      CORDON_TRY(const std::string key, ReadPersonKey(*person_key));
      people_ = DigestsOf(people, policy_->population, key);
      input.person_key = ToHex(HmacSha256(key, "the key of a registry")).substr(0, 32);
      input.people_sha256 = DigestOf(people_);
    }
  }
  input_ = std::move(input);
  return {};
}

Result<void> Registration::CheckInput(const Table& table, std::string sha256, const std::optional<std::string>& person_key,
                                      bool allow_unequal) {
  CORDON_RETURN_IF_ERROR(Describe(table, std::move(sha256), person_key));
  for (std::size_t i = 0; i < earlier_.size() && !allow_unequal; ++i) {
    if (earlier_[i].input && earlier_[i].command != "append") CORDON_RETURN_IF_ERROR(CheckAgainst(earlier_[i]));
  }
  return {};
}

Result<void> Registration::CheckBatch(const Table& table, std::string sha256, const std::optional<std::string>& person_key,
                                      bool again) {
  CORDON_RETURN_IF_ERROR(Describe(table, std::move(sha256), person_key));
  for (const RegisteredRelease& before : earlier_) {
    if (!before.input || before.input->person_key.empty()) continue;
    CORDON_RETURN_IF_ERROR(CheckKey(before));
    if (again || before.store() == nullptr || before.store()->path != output_) continue;
    CORDON_TRY(const People there, registry_.ReadPeople(before));
    const std::size_t twice = people_.size() - NotIn(people_, there);
    if (twice == 0) continue;
    return Error::InvalidData("people of this batch who are in {} already: {}", before.release().path, twice)
        .WithHint("publishing rows twice reveals more about their people; give --again to do so");
  }
  return {};
}

Result<void> Registration::CheckKey(const RegisteredRelease& before) const {
  if (input_->person_key == before.input->person_key) return {};
  return Error::InvalidPolicy("{} was entered with digests of its people, and {}", before.release().path,
                              input_->person_key.empty() ? "there is no --person-key" : "--person-key is another key")
      .WithHint("give --person-key the file that it was entered with");
}

std::vector<const RegisteredRelease*> Registration::WithAppends(const RegisteredRelease& before) const {
  std::vector<const RegisteredRelease*> found = {&before};
  for (const RegisteredRelease& entry : earlier_) {
    if (entry.command == "append" && entry.input && entry.InStoreOf(before)) found.push_back(&entry);
  }
  return found;
}

Result<People> Registration::PeopleOf(const std::vector<const RegisteredRelease*>& releases) const {
  People all;
  for (const RegisteredRelease* release : releases) {
    CORDON_TRY(const People some, registry_.ReadPeople(*release));
    People both;
    std::set_union(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(both));
    all = std::move(both);
  }
  return all;
}

Result<void> Registration::CheckAgainst(const RegisteredRelease& before) const {
  if (!before.input->person_key.empty()) CORDON_RETURN_IF_ERROR(CheckKey(before));
  const std::vector<const RegisteredRelease*> whole = WithAppends(before);
  // One that a killed run left has lost its digests.
  const bool known = std::all_of(whole.begin(), whole.end(), [&](const RegisteredRelease* release) {
    return !release->input->person_key.empty() && release->input->person_key == input_->person_key;
  });
  if (known) {
    CORDON_TRY(const People then, PeopleOf(whole));
    const std::size_t added = NotIn(people_, then);
    const std::size_t removed = NotIn(then, people_);
    if (added + removed > 0) return DataChanged(before, fmt::format("people added: {}, removed: {}", added, removed));
  } else {
    std::uint64_t people = 0;
    for (const RegisteredRelease* release : whole) people += release->input->people;
    if (people != input_->people) {
      return DataChanged(before, fmt::format("it was made from {} people{}, and the input has {}", people,
                                             whole.size() > 1 ? " with those appended" : "", input_->people));
    }
  }
  const std::string& sha256 = before.input->sha256;
  const bool same_bytes = whole.size() > 1 || input_->sha256.empty() || sha256.empty() || input_->sha256 == sha256;
  if (same_bytes || before.columns != PublishedColumns(*policy_)) return {};
  return DataChanged(before, "it has the same columns, and the input has other bytes");
}

RegisteredRelease Registration::NewEntry(std::string command, std::string algorithm) const {
  RegisteredRelease entry;
  entry.population = policy_->population;
  entry.published = Now();
  entry.command = std::move(command);
  entry.algorithm = std::move(algorithm);
  entry.tool = std::string("cordon ") + kVersion;
  entry.policy_sha256 = policy_->digest;
  entry.input = input_;
  entry.columns = PublishedColumns(*policy_);
  return entry;
}

bool Registration::Has(const RegisteredFile& release) const {
  return std::any_of(contents_.releases.begin(), contents_.releases.end(), [&](const RegisteredRelease& entry) {
    return entry.release().path == release.path && entry.release().sha256 == release.sha256;
  });
}

Result<void> Registration::Publish(const RegisteredRelease& entry, const std::function<Result<void>()>& show) const {
  CORDON_TRY(RegistryWriter writer, RegistryWriter::Begin(registry_));
  const std::vector<RegisteredRelease> now = OfPopulation(writer.contents());
  if (now.size() > earlier_.size()) {
    return Error::Io("{} was published of '{}' while this run was under way", now.back().release().path, entry.population)
        .WithHint("nothing was written; run it again");
  }
  CORDON_RETURN_IF_ERROR(registry_.Announce(entry));
  CORDON_RETURN_IF_ERROR(show());  // what an error leaves is told by the announcement
  return EnterInto(writer, entry);
}

Result<void> Registration::Enter(const RegisteredRelease& entry) const {
  CORDON_TRY(RegistryWriter writer, RegistryWriter::Begin(registry_));
  return EnterInto(writer, entry);
}

Result<void> Registration::EnterPending() const {
  const auto is_out = [](const PendingRelease& each) { return each.state == PendingRelease::State::kPublished; };
  if (std::none_of(contents_.pending.begin(), contents_.pending.end(), is_out)) return {};
  CORDON_TRY(RegistryWriter writer, RegistryWriter::Begin(registry_));
  for (const PendingRelease& pending : writer.contents().pending) {
    if (is_out(pending)) CORDON_RETURN_IF_ERROR(writer.Enter(pending.entry, {}));
  }
  return writer.Commit();
}

// With what earlier runs have published and could not enter.
Result<void> Registration::EnterInto(RegistryWriter& writer, const RegisteredRelease& entry) const {
  const auto enter = [&]() -> Result<void> {
    for (const PendingRelease& pending : writer.contents().pending) {
      if (pending.state == PendingRelease::State::kPublished) CORDON_RETURN_IF_ERROR(writer.Enter(pending.entry, {}));
    }
    CORDON_RETURN_IF_ERROR(writer.Enter(entry, people_));
    return writer.Commit();
  };
  Result<void> entered = enter();
  if (entered.ok()) return {};
  return std::move(entered).error().WithContext("{} is published and not entered", entry.release().path);
}

}  // namespace cordon::engine
