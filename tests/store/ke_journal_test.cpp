// SPDX-License-Identifier: Apache-2.0
//
// The journal of a store, and what becomes of a store whose machine stopped. The tables are stand-ins: only their bytes matter.
#include "cordon/store/ke_journal.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "cordon/base/digest.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/store/ke_recover.h"
#include "cordon/store/ke_store.h"
#include "cordon/store/ke_store_internal.h"

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;
using namespace internal;

class KeJournal : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / ("ke_journal_test_" + FreshName())).string();
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  static JournalEntry Entry(const std::string& text) {
    JournalEntry entry{.boot = BootId(), .base = text + "0", .next = text + "1", .state = "state-" + text};
    entry.tails = {{"table.parquet", 7, "tail\n\0 of " + text}, {"help.parquet", 0, ""}};
    entry.files = {{"state-" + text, "{}"}, {"values-" + text, std::string(300, 'x')}};
    entry.manifest = "{\"of\":\"" + text + "\"}";
    return entry;
  }
  static void ExpectSame(const JournalEntry& a, const JournalEntry& b) {
    EXPECT_EQ(std::tie(a.boot, a.base, a.next, a.state, a.manifest), std::tie(b.boot, b.base, b.next, b.state, b.manifest));
    ASSERT_EQ(a.tails.size(), b.tails.size());
    ASSERT_EQ(a.files.size(), b.files.size());
    for (std::size_t i = 0; i < a.tails.size(); ++i) {
      EXPECT_EQ(std::tie(a.tails[i].table, a.tails[i].at, a.tails[i].bytes),
                std::tie(b.tails[i].table, b.tails[i].at, b.tails[i].bytes));
    }
    for (std::size_t i = 0; i < a.files.size(); ++i) {
      EXPECT_EQ(std::tie(a.files[i].name, a.files[i].bytes), std::tie(b.files[i].name, b.files[i].bytes));
    }
  }
  std::string folder_;
};

TEST_F(KeJournal, KeepsEntriesInOrder) {
  EXPECT_TRUE(ReadJournal(folder_).value().entries.empty());
  for (const char* text : {"a", "b", "c"}) {
    ASSERT_TRUE(AddToJournal(folder_, ReadJournal(folder_).value(), Entry(text)).ok());
  }
  Journal journal = ReadJournal(folder_).value();
  ASSERT_EQ(journal.entries.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) ExpectSame(journal.entries[i], Entry(std::string(1, "abc"[i])));
  EXPECT_EQ(journal.bytes, fs::file_size(folder_ + "/journal"));
  ASSERT_TRUE(ClearJournal(folder_).ok());
  EXPECT_TRUE(ReadJournal(folder_).value().entries.empty());
}

TEST_F(KeJournal, AnEntryThatWasNotFinishedIsNone) {
  ASSERT_TRUE(AddToJournal(folder_, {}, Entry("a")).ok());
  const Journal one = ReadJournal(folder_).value();
  ASSERT_TRUE(AddToJournal(folder_, one, Entry("b")).ok());
  const std::string path = folder_ + "/journal";
  const std::string two = ReadFile(path).value();
  for (std::size_t size = one.bytes; size < two.size(); ++size) {
    std::ofstream(path, std::ios::binary) << two.substr(0, size);
    EXPECT_EQ(ReadJournal(folder_).value().entries.size(), 1u) << size;
  }
  for (std::size_t at = one.bytes; at < two.size(); ++at) {  // or was written in parts
    std::string bad = two;
    bad[at] = static_cast<char>(bad[at] ^ 64);
    std::ofstream(path, std::ios::binary) << bad;
    EXPECT_EQ(ReadJournal(folder_).value().entries.size(), 1u) << at;
  }
  // The next one takes its place.
  ASSERT_TRUE(AddToJournal(folder_, ReadJournal(folder_).value(), Entry("c")).ok());
  ASSERT_EQ(ReadJournal(folder_).value().entries.size(), 2u);
  ExpectSame(ReadJournal(folder_).value().entries[1], Entry("c"));
}

TEST_F(KeJournal, AFittingDigestIsNoProofOfItsForm) {
  for (const std::string body : {"", "{}\n", "[]\n", "{\"boot\":1}\n", "no line", "{\"tails\":[{}]}\n"}) {
    const std::string digest = ToHex(Sha256Of(body));
    ASSERT_TRUE(WriteFile(folder_ + "/journal", fmt::format("{:020}{}{}", body.size(), digest, body)).ok());
    EXPECT_TRUE(ReadJournal(folder_).value().entries.empty()) << body;
  }
}

TEST_F(KeJournal, HasRoomForSoMuch) {
  Journal journal;
  JournalEntry entry = Entry("a");
  EXPECT_TRUE(journal.HasRoomFor(entry));
  entry.tails[0].bytes.resize(Journal::kLargestEntry + 1);
  EXPECT_FALSE(journal.HasRoomFor(entry));
  journal.bytes = Journal::kLargest;
  EXPECT_FALSE(journal.HasRoomFor(Entry("a")));
  journal.bytes = 0;
  journal.entries.resize(256);
  EXPECT_FALSE(journal.HasRoomFor(Entry("a")));
}

// A store as some appends leave it: what STORE and the spare hold, and the journal that says so.
class KeRecovery : public KeJournal {
 protected:
  struct Version {
    StoreManifest manifest;
    Json json_state;
    std::string state;                // its text
    std::vector<std::string> tables;  // their bytes
  };

  void SetUp() override {
    KeJournal::SetUp();
    store_ = folder_ + "/store";
    kept_ = PrivatePath(store_);
    versions_.push_back(Make("first ", 1));
    StoreStage stage = StoreStage::ForNew(store_).value();
    for (std::size_t table = 0; table < kNumStoreTables; ++table)
      ASSERT_TRUE(WriteFile(stage.directory() + "/" + TableFile(kStoreTables[table]), versions_[0].tables[table]).ok());
    ASSERT_TRUE(WriteFile(stage.private_directory() + "/policy.toml", "").ok());
    ASSERT_TRUE(stage.SealAs(versions_[0].manifest, versions_[0].json_state).ok());
    ASSERT_TRUE(stage.Commit().ok());
  }

  static Version Make(const std::string& bytes, std::uint64_t number) {
    Json json = {{"format", 1},          {"kind", "ke-store"},       {"rows", bytes.size()},
                 {"sensitive", "value"}, {"columns", Json::array()}, {"releases", Json::array()}};
    const StorePart whole{bytes.size(), StorePart::kSettled, {1, 1, 1}, {}};
    SetParts(json, std::span(&whole, 1));
    Version version;
    for (const char* table : kStoreTables) {
      version.tables.push_back(TableFile(table) + " " + bytes);
      json["files"][TableFile(table)] = {{"sha256", ToHex(Sha256Of(version.tables.back()))},
                                         {"bytes", version.tables.back().size()}};
    }
    version.manifest = SealManifest(std::move(json));
    version.json_state = {{"is", bytes}, {"number", number}, {"spare", {{"boot", "b"}}}};
    version.state = SealedState(version.json_state);
    return version;
  }
  // An append, as far as the journal goes.
  void Enter(const std::string& boot = BootId()) {
    const Version& old = versions_.back();
    const std::string before = old.tables[0].substr(TableFile(kStoreTables[0]).size() + 1);
    Version next = Make(before + fmt::format("and {} ", versions_.size()), versions_.size() + 1);
    JournalEntry entry{.boot = boot, .base = old.manifest.digest, .next = next.manifest.digest};
    entry.state = StateName(next.manifest);
    entry.number = versions_.size() + 1;
    entry.manifest = next.manifest.Text();
    entry.files = {{entry.state, next.state}};
    for (std::size_t table = 0; table < kNumStoreTables; ++table) {
      const std::size_t at = old.tables[table].size();
      entry.tails.push_back({TableFile(kStoreTables[table]), at, next.tables[table].substr(at)});
    }
    ASSERT_TRUE(AddToJournal(kept_, ReadJournal(kept_).value(), entry).ok());
    versions_.push_back(std::move(next));
  }
  void Put(const std::string& directory, std::size_t version) {
    fs::create_directories(directory);
    const Version& put = versions_[version];
    for (std::size_t table = 0; table < kNumStoreTables; ++table)
      ASSERT_TRUE(WriteFile(directory + "/" + TableFile(kStoreTables[table]), put.tables[table]).ok());
    ASSERT_TRUE(WriteFile(directory + "/manifest.json", put.manifest.Text()).ok());
    ASSERT_TRUE(WriteFile(kept_ + "/" + StateName(put.manifest), put.state).ok());
  }
  void ExpectVersion(std::size_t version) {
    const auto manifest = OpenStore(store_);
    ASSERT_TRUE(manifest.ok()) << manifest.error().message();
    EXPECT_EQ(manifest.value().digest, versions_[version].manifest.digest);
    const auto state = ReadPrivateState(store_, manifest.value());
    ASSERT_TRUE(state.ok()) << state.error().message();
    EXPECT_EQ(state.value()["is"], ParseJson(versions_[version].state)["is"]);
  }
  void Recover() {
    const auto done = RecoverIfAtHand(store_, {});
    ASSERT_TRUE(done.ok()) << done.error().message();
  }
  bool JournalIsEmpty() { return ReadJournal(kept_).value().entries.empty(); }

  std::string store_;
  std::string kept_;
  std::vector<Version> versions_;
};

TEST_F(KeRecovery, NothingIsToDoAfterAnAppend) {
  Recover();
  ExpectVersion(0);
  Enter();
  Put(store_, 1);
  Recover();
  ExpectVersion(1);
  EXPECT_FALSE(JournalIsEmpty());
}

TEST_F(KeRecovery, AnAppendThatWasEnteredHasHappened) {
  Enter();
  Recover();
  ExpectVersion(1);
  EXPECT_TRUE(JournalIsEmpty());
  for (int i = 0; i < 3; ++i) Enter();
  Recover();
  ExpectVersion(4);
}

TEST_F(KeRecovery, BytesThatHaveNotReachedTheDiskAreInTheJournal) {
  for (int i = 0; i < 3; ++i) Enter("another start of the machine");
  const auto lost = [&](const std::function<void()>& damage) {
    fs::remove_all(store_);
    fs::remove_all(kept_ + "/spare");
    Put(store_, 3);
    Put(kept_ + "/spare", 2);
    damage();
    const Journal journal = ReadJournal(kept_).value();
    Recover();
    ExpectVersion(3);
    EXPECT_TRUE(JournalIsEmpty());
    for (const JournalEntry& entry : journal.entries) {
      ASSERT_TRUE(AddToJournal(kept_, ReadJournal(kept_).value(), entry).ok());
    }
  };
  const std::string state = kept_ + "/" + StateName(versions_[3].manifest);
  const auto resize = [](const std::string& path, std::size_t size) { fs::resize_file(path, size); };
  lost([] {});
  lost([&] { resize(store_ + "/table.parquet", versions_[0].tables[0].size()); });
  lost([&] { resize(store_ + "/help.parquet", 3); });  // then the spare has the front
  lost([&] { fs::remove(store_ + "/groups.parquet"); });
  lost([&] { resize(store_ + "/manifest.json", 0); });
  lost([&] { fs::remove(store_ + "/manifest.json"); });
  lost([&] { Put(store_, 0); });
  lost([&] { Put(store_, 2); });
  lost([&] { resize(state, 5); });
  lost([&] { fs::remove(state); });
  lost([&] { fs::remove_all(kept_ + "/spare"); });
  lost([&] {
    fs::rename(kept_ + "/spare", kept_ + "/next-1234");
    ASSERT_TRUE(WriteFile(store_ + "/table.parquet", std::string(500, '\0')).ok());
  });
}

TEST_F(KeRecovery, WhatCannotBePutTogetherIsRefusedAndLeft) {
  Enter("another start of the machine");
  Put(store_, 1);
  ASSERT_TRUE(WriteFile(store_ + "/table.parquet", "something else, long enough to be a front").ok());
  const auto done = RecoverIfAtHand(store_, {});
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message(), store_ + "/table.parquet is damaged: it cannot be put together from the journal");
  EXPECT_FALSE(JournalIsEmpty());
  EXPECT_EQ(ReadFile(store_ + "/table.parquet").value(), "something else, long enough to be a front");
}

TEST_F(KeRecovery, AJournalOfBeforeIsForgotten) {
  Enter();
  Put(store_, 1);
  versions_.push_back(
      Make("all of it grouped anew", 3));  // durable by itself, and the machine stopped before the journal was cleared
  Put(store_, 2);
  Recover();
  ExpectVersion(2);
  EXPECT_TRUE(JournalIsEmpty());
}

TEST_F(KeRecovery, AStoreFromABackupOfBeforeIsLeftAlone) {
  Enter();
  Put(store_, 1);
  versions_.push_back(Make("what the store was long ago", 0));
  Put(store_, 2);
  fs::remove(kept_ + "/" + StateName(versions_[2].manifest));
  Recover();
  EXPECT_FALSE(JournalIsEmpty());
  EXPECT_EQ(OpenStore(store_).value().digest, versions_[2].manifest.digest);
  EXPECT_FALSE(ReadPrivateState(store_, versions_[2].manifest).ok());
  Put(store_, 0);  // that of a backup the journal knows of is brought up to it
  Recover();
  ExpectVersion(1);
}

TEST_F(KeRecovery, RowsThatWaitAreInTheJournal) {
  const StoreManifest& manifest = versions_[0].manifest;
  const Json state = {
      {"is", "with rows"}, {"number", 1u}, {"pending", {{"file", "pending-1"}, {"sha256", ToHex(Sha256Of("rows"))}}}};
  ASSERT_TRUE(ReplacePending(store_, manifest, "pending-1", "rows", state).ok());
  EXPECT_EQ(ReadJournal(kept_).value().entries.size(), 1u);
  Recover();
  EXPECT_FALSE(JournalIsEmpty());
  fs::remove(kept_ + "/pending-1");
  ASSERT_TRUE(WriteFile(kept_ + "/" + StateName(manifest), SealedState({{"is", "before"}})).ok());
  Recover();
  EXPECT_TRUE(JournalIsEmpty());
  EXPECT_EQ(ReadFile(kept_ + "/pending-1").value(), "rows");
  EXPECT_EQ(ReadPrivateState(store_, manifest).value()["is"], "with rows");
}

// A journal that has lost entries takes nothing back.
TEST_F(KeRecovery, AStoreThatIsAheadOfADamagedJournalIsKept) {
  const StoreManifest& manifest = versions_[0].manifest;
  Json state = versions_[0].json_state;
  for (const char* name : {"pending-1", "pending-2"}) {
    state["is"] = name;
    state["pending"] = {{"file", name}, {"sha256", ToHex(Sha256Of("rows"))}};
    ASSERT_TRUE(ReplacePending(store_, manifest, name, "rows", state).ok());
    state = ReadPrivateState(store_, manifest).value();
  }
  const std::string journal = ReadFile(kept_ + "/journal").value();
  for (const std::size_t at : {std::size_t{100}, journal.size() - 20}) {  // in the first entry, and in the last
    for (const bool cut : {false, true}) {
      std::string bad = journal.substr(0, cut ? at : journal.size());
      if (!cut) bad[at] = static_cast<char>(bad[at] ^ 1);
      ASSERT_TRUE(WriteFile(kept_ + "/journal", bad).ok());
      Recover();
      EXPECT_TRUE(JournalIsEmpty());
      EXPECT_EQ(fs::file_size(kept_ + "/journal"), 0u);
      EXPECT_EQ(ReadPrivateState(store_, manifest).value()["is"], "pending-2");
      EXPECT_EQ(ReadFile(kept_ + "/pending-2").value(), "rows");
    }
  }
}

TEST_F(KeRecovery, WhatIsNotOursIsLetBe) {
  for (const char* name : {"notes.txt", "values-1.parquet", "state-1.json", "pending-1.jsonl"})
    ASSERT_TRUE(WriteFile(kept_ + "/" + name, "mine or ours").ok());
  fs::create_directory(kept_ + "/mine");
  ASSERT_TRUE(SweepPrivate(store_, versions_[0].manifest, versions_[0].json_state).ok());
  EXPECT_TRUE(fs::exists(kept_ + "/notes.txt") && fs::exists(kept_ + "/mine"));
  for (const char* name : {"values-1.parquet", "state-1.json", "pending-1.jsonl"}) EXPECT_FALSE(fs::exists(kept_ + "/" + name));
}

TEST_F(KeRecovery, ALongJournalMakesWayForFilesThatAreDurable) {
  const StoreManifest& manifest = versions_[0].manifest;
  const std::string rows(Journal::kLargestEntry / 2, 'x');
  std::size_t most = 0;
  for (int i = 0; i < 8; ++i) {
    const std::string name = fmt::format("pending-{}", i);
    ASSERT_TRUE(ReplacePending(store_, manifest, name, rows, {{"is", name}, {"pending", {{"file", name}}}}).ok());
    most = std::max(most, ReadJournal(kept_).value().entries.size());
    EXPECT_EQ(ReadPrivateState(store_, manifest).value()["is"], name);
  }
  EXPECT_GT(most, 1u);
  EXPECT_LT(most, 5u);
  EXPECT_LE(fs::file_size(kept_ + "/journal"), Journal::kLargest + 4096);
}

TEST_F(KeRecovery, NobodyIsInTheWayOfAnAppendThatRuns) {
  Enter();
  const auto lock = StoreLock::Take(store_);
  Recover();
  ExpectVersion(0);
  EXPECT_FALSE(JournalIsEmpty());
}

// A spare that an append was about to grow may have the only bytes that are durable.
TEST_F(KeRecovery, NothingIsSweptBeforeTheStoreIsDurable) {
  Enter();
  Put(store_, 1);
  Put(kept_ + "/next-1234", 0);
  ASSERT_TRUE(SweepPrivate(store_, versions_[1].manifest, ReadPrivateState(store_, versions_[1].manifest).value()).ok());
  EXPECT_FALSE(fs::exists(kept_ + "/next-1234"));
  EXPECT_TRUE(JournalIsEmpty());
  ExpectVersion(1);
}

}  // namespace
}  // namespace cordon::engine
