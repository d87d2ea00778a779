// SPDX-License-Identifier: Apache-2.0
#include "cordon/registry/release_registry.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "cordon/io/files/atomic_file.h"
#include "cordon/registry/history.h"
#include "tests/scratch_folder.h"

namespace cordon::engine {
namespace {

RegisteredRelease EntryOf(const std::string& file, const std::string& bytes) {
  RegisteredRelease entry;
  entry.population = "people";
  entry.published = "2025-03-01T12:00:00Z";
  entry.command = "anonymize";
  entry.algorithm = "mondrian";
  entry.tool = "cordon";
  entry.policy_sha256 = "p";
  entry.input = InputFacts{"i", 12, "", ""};
  entry.rows = 12;
  entry.columns = {"age", "zip"};
  entry.files = {{"release", file, ToHex(Sha256Of(bytes))}};
  entry.previous = {{"before.csv", "b"}};
  entry.models = Json::array({{{"model", "k-anonymity"}, {"k", 5}, {"text", "k-anonymity(k=5)"}, {"reached", "6"}}});
  return entry;
}

class RegistryFile : public ::testing::Test {
 protected:
  std::string Path() const { return folder_ / "R.db"; }
  std::string Bytes() const { return ReadFile(Path()).value(); }
  void Enter(const RegisteredRelease& entry, const People& people = {}) const {
    RegistryWriter writer = RegistryWriter::Begin(registry_).value();
    ASSERT_TRUE(writer.Enter(entry, people).ok());
    const Result<void> done = writer.Commit();
    ASSERT_TRUE(done.ok()) << done.error().message();
  }

  test::ScratchFolder folder_;
  ReleaseRegistry registry_{folder_ / "R.db"};
};

TEST_F(RegistryFile, KeepsEntriesInTheirOrder) {
  EXPECT_TRUE(registry_.Read().value().releases.empty());
  EXPECT_FALSE(registry_.Exists());
  Enter(EntryOf("a.csv", "a"));
  Enter(EntryOf("b.csv", "b"));
  const RegistryContents contents = registry_.Read().value();
  ASSERT_EQ(contents.releases.size(), 2u);
  EXPECT_EQ(ToJson(contents.releases[0]), ToJson(EntryOf("a.csv", "a")));
  EXPECT_EQ(ToJson(contents.releases[1]), ToJson(EntryOf("b.csv", "b")));
  EXPECT_TRUE(contents.pending.empty());
}

TEST_F(RegistryFile, IsPrivate) {
  Enter(EntryOf("a.csv", "a"));
  struct stat info = {};
  ASSERT_EQ(::stat(Path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_TRUE(registry_.Announce(EntryOf("b.csv", "b")).ok());
  const std::string pending = registry_.Read().value().pending.at(0).file;
  ASSERT_EQ(::stat(pending.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(RegistryFile, ReadingChangesNothing) {
  Enter(EntryOf("a.csv", "a"));
  const std::string before = Bytes();
  EXPECT_TRUE(registry_.Read().ok());
  EXPECT_TRUE(ReadHistory(Path(), true).ok());
  {
    const RegistryWriter writer = RegistryWriter::Begin(registry_).value();
  }
  {
    RegistryWriter writer = RegistryWriter::Begin(registry_).value();
    EXPECT_TRUE(writer.Enter(EntryOf("b.csv", "b"), {}).ok());  // and no Commit
  }
  EXPECT_EQ(Bytes(), before);
}

// Whatever byte changes: the registry is refused, or says the same as before. Its file is not touched.
TEST_F(RegistryFile, DamageIsRefusedOrHarmless) {
  Enter(EntryOf("a.csv", "a"));
  Enter(EntryOf("b.csv", "b"));
  const std::string good = Bytes();
  const Json said = ToJson(ReadHistory(Path(), false).value());
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); at += at < 100 ? 1 : 31) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x15);
    folder_.Write("R.db", bad);
    const Result<History> read = ReadHistory(Path(), false);
    if (read.ok()) {
      EXPECT_EQ(ToJson(read.value()), said) << at;
    } else {
      ++refused;
      EXPECT_FALSE(RegistryWriter::Begin(registry_).ok()) << at;
    }
    EXPECT_EQ(Bytes(), bad) << at;
  }
  EXPECT_GT(refused, 50);
  for (const std::size_t size : {std::size_t{1}, std::size_t{99}, good.size() / 3, good.size() / 2}) {
    folder_.Write("R.db", good.substr(0, size));
    EXPECT_FALSE(registry_.Read().ok()) << size;
    EXPECT_EQ(Bytes().size(), size);
  }
}

TEST_F(RegistryFile, PeopleAreHeldAgainstTheirDigest) {
  const People people = {Sha256Of("1"), Sha256Of("2")};
  People sorted = people;
  std::sort(sorted.begin(), sorted.end());
  RegisteredRelease entry = EntryOf("a.csv", "a");
  entry.input = InputFacts{"i", 2, "key", DigestOf(sorted)};
  Enter(entry, sorted);
  EXPECT_EQ(registry_.ReadPeople(entry).value(), sorted);
  std::string bytes = Bytes();
  const std::string digest(sorted[0].begin(), sorted[0].end());
  const std::size_t at = bytes.rfind(digest);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  folder_.Write("R.db", bytes);
  const Result<People> read = registry_.ReadPeople(entry);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message().find("a.csv"), std::string::npos);
}

TEST_F(RegistryFile, PendingReleasesAreToldApart) {
  using State = PendingRelease::State;
  folder_.Write("out.csv", "published");
  folder_.Write("changed.csv", "other bytes");
  RegisteredRelease stream = EntryOf("stream.csv", "");
  stream.files[0].sha256 = "";
  for (const RegisteredRelease& entry :
       {EntryOf("out.csv", "published"), EntryOf("changed.csv", "published"), EntryOf("never.csv", "published"), stream}) {
    ASSERT_TRUE(registry_.Announce(entry).ok());
  }
  std::map<std::string, State> states;
  const RegistryContents before = registry_.Read().value();
  for (const PendingRelease& pending : before.pending) {
    states[pending.entry.release().path] = pending.state;
  }
  EXPECT_EQ(states, (std::map<std::string, State>{{"out.csv", State::kPublished},
                                                  {"changed.csv", State::kOtherBytes},
                                                  {"never.csv", State::kNotPublished},
                                                  {"stream.csv", State::kStream}}));
  EXPECT_FALSE(ReadHistory(Path(), true).value().holds());
  Enter(EntryOf("out.csv", "published"));  // what was never published is forgotten with it
  std::vector<std::string> left;
  const RegistryContents after = registry_.Read().value();
  for (const PendingRelease& pending : after.pending) left.push_back(pending.entry.release().path);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"changed.csv", "stream.csv"}));
}

// A permute that was killed after its store was decided: the next one of that name puts it into place.
TEST_F(RegistryFile, AStoreThatMayStillAppearIsNotForgotten) {
  RegisteredRelease store = EntryOf("store", "published");
  store.command = "permute";
  store.files.push_back({"manifest", "manifest.json", ToHex(Sha256Of("m"))});
  ASSERT_TRUE(registry_.Announce(store).ok());
  Enter(EntryOf("a.csv", "a"));
  ASSERT_EQ(registry_.Read().value().pending.size(), 1u);
  folder_.Write("store", "published");
  EXPECT_EQ(registry_.Read().value().pending.at(0).state, PendingRelease::State::kPublished);
  Enter(store);
  EXPECT_TRUE(registry_.Read().value().pending.empty());
}

// An append that was killed before its decision: the next one is made in another part, or with other bytes, and this one never.
TEST_F(RegistryFile, AnAppendThatWillNotAppearGoesWithTheNext) {
  const auto append = [](const std::string& part, const std::string& manifest) {
    RegisteredRelease entry = EntryOf(part, part);
    entry.command = "append";
    entry.files.push_back({"groups", "groups-" + part, ToHex(Sha256Of("groups of " + part))});
    entry.files.push_back({"manifest", "manifest.json", ToHex(Sha256Of(manifest))});
    return entry;
  };
  ASSERT_TRUE(registry_.Announce(append("part-6", "six")).ok());
  Enter(EntryOf("a.csv", "a"));
  EXPECT_EQ(registry_.Read().value().pending.size(), 1u) << "another command cannot know";
  // What is told of the rows comes into place before them: it is published then.
  folder_.Write("groups-part-6", "groups of part-6");
  EXPECT_EQ(registry_.Read().value().pending.at(0).state, PendingRelease::State::kPublished);
  std::filesystem::remove(folder_ / "groups-part-6");
  Enter(append("part-7", "seven"));
  EXPECT_TRUE(registry_.Read().value().pending.empty());
}

// Killed between the transaction and the removal of the announcement.
TEST_F(RegistryFile, AnEntryIsNotPendingAnyMore) {
  folder_.Write("out.csv", "published");
  Enter(EntryOf("out.csv", "published"));
  ASSERT_TRUE(registry_.Announce(EntryOf("out.csv", "published")).ok());
  EXPECT_EQ(registry_.Read().value().pending.at(0).state, PendingRelease::State::kEntered);
  EXPECT_TRUE(ReadHistory(Path(), true).value().holds());
}

// Many writers, one after the other, each with what the others have entered; also the one that makes the file.
TEST_F(RegistryFile, WritersComeOneAfterTheOther) {
  constexpr int kWriters = 8;
  std::vector<std::thread> threads;
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&, i] { Enter(EntryOf(fmt::format("{}.csv", i), "x")); });
  }
  for (std::thread& thread : threads) thread.join();
  const RegistryContents contents = registry_.Read().value();
  std::set<std::string> files;
  for (const RegisteredRelease& entry : contents.releases) files.insert(entry.release().path);
  EXPECT_EQ(files.size(), static_cast<std::size_t>(kWriters));
}

TEST_F(RegistryFile, NamesAreRelativeToItsFolder) {
  std::filesystem::create_directory(folder_.path() / "data");
  EXPECT_EQ(registry_.NameOf(folder_ / "data/a.csv"), "data/a.csv");
  EXPECT_EQ(registry_.PathOf({"release", "data/a.csv", ""}), folder_ / "data/a.csv");
  EXPECT_EQ(ReleaseRegistry(folder_ / "data/R.db").NameOf(folder_ / "a.csv"), "../a.csv");
}

TEST(RegisteredReleases, WhatCannotBeReadIsRefused) {
  const std::string good = Dump(ToJson(EntryOf("a.csv", "a")));
  ASSERT_TRUE(ReadEntry(good).ok());
  EXPECT_EQ(Dump(ToJson(ReadEntry(good).value())), good);
  const Json members = ParseJson(good);
  for (const auto& [key, value] : members.items()) {
    if (key == "input") continue;  // a stream has none
    Json without = ParseJson(good);
    without.erase(key);
    EXPECT_FALSE(ReadEntry(Dump(without)).ok()) << key;
    Json other = ParseJson(good);
    other[key] = nullptr;
    EXPECT_FALSE(ReadEntry(Dump(other)).ok()) << key;
  }
  EXPECT_FALSE(ReadEntry("").ok());
  EXPECT_FALSE(ReadEntry("[]").ok());
}

}  // namespace
}  // namespace cordon::engine
