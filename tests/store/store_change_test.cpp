// SPDX-License-Identifier: Apache-2.0
//
// The power goes, or the program is killed, at every file operation of every kind of change, and again while the next run
// finishes it: a reader by the manifest finds the old store or the new one, whole; what a reader of the folders has seen is
// never taken back. The files are stand-ins: what is in them does not matter here.
#include "cordon/store/store_change.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "cordon/base/digest.h"
#include "tests/scratch_folder.h"
#include "tests/some_or_all.h"
#include "tests/stream/world.h"

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;
using testing::Disk;

constexpr const char* kStore = "s";  // its paths begin with "s/"

// Rows are shuffled again whenever they are written: `draw` tells one shuffle from another.
std::string BytesOf(const std::string& name, std::uint64_t draw) {
  return fmt::format("the rows in {}, shuffle {:04}", name, draw);
}

// Parts in `fresh` are of that shuffle, the others of the first.
StoreManifest ManifestOf(const std::vector<std::uint64_t>& numbers, const std::set<std::uint64_t>& fresh = {},
                         std::uint64_t draw = 0) {
  Json manifest = {{"format", 2},      {"kind", "ke-store"}, {"sensitive", "value"},     {"rows", numbers.size()},
                   {"groups", 1u},     {"next_group", 2u},   {"columns", Json::array()}, {"releases", Json::array()},
                   {"next_part", 100u}};
  std::vector<StorePart> parts;
  Json files = Json::object();
  for (const std::uint64_t number : numbers) {
    parts.push_back({number, 1, 0});
    for (const char* table : kStoreTables) {
      const std::string bytes = BytesOf(PartFile(table, number), fresh.contains(number) ? draw : 0);
      files[PartFile(table, number)] = {{"sha256", ToHex(Sha256Of(bytes))}, {"bytes", bytes.size()}};
    }
  }
  SetParts(manifest, parts, files);
  return SealManifest(manifest);
}

// As a library would write it: nothing of it is durable.
Result<void> WriteParts(Disk& disk, const std::string& stage, const std::set<std::uint64_t>& numbers, std::uint64_t draw) {
  for (const std::uint64_t number : numbers) {
    for (const char* table : kStoreTables) {
      const std::string name = PartFile(table, number);
      CORDON_TRY(const auto file, disk.Append(stage + "/" + name, FileSystem::Access::kPublic, 0));
      CORDON_RETURN_IF_ERROR(file->Write(BytesOf(name, draw)));
    }
  }
  return {};
}

Result<void> MakeNew(Disk& disk, const StoreState& state, const std::vector<std::uint64_t>& numbers) {
  CORDON_RETURN_IF_ERROR(WriteParts(disk, NewStage(kStore), {numbers.begin(), numbers.end()}, 0));
  return CommitNew(disk, kStore, state);
}

struct Change {
  const char* name;
  std::vector<std::uint64_t> old;
  std::vector<std::uint64_t> next;
  std::set<std::uint64_t> written;
};
const Change kChanges[] = {{"a part more", {1, 2}, {1, 2, 3}, {3}},
                           {"the last parts made one", {1, 2, 3}, {1, 5}, {4, 5}},
                           {"all parts made one", {1, 2, 3}, {4}, {4}},
                           {"rows that wait", {1}, {1}, {}}};

StoreState OldOf(const Change& change) { return {ManifestOf(change.old), "", {{"is", "old"}}}; }

// All of an append: what the last one may have left, then its own change.
Result<void> RunAppend(Disk& disk, const Change& change, std::uint64_t draw) {
  CORDON_TRY(const StoreState now, ReadState(disk, kStore));
  CORDON_RETURN_IF_ERROR(FinishChange(disk, kStore, now));
  CORDON_RETURN_IF_ERROR(Sweep(disk, kStore, now));
  if (now.own["is"] == "new") return {};
  StoreState next{ManifestOf(change.next, change.written, draw), now.manifest.digest, {{"is", "new"}}};
  if (change.written.empty()) {
    next.previous = now.previous;
    CORDON_TRY(next.own["pending"], WritePending(disk, kStore, "a row\n", 1));
  }
  CORDON_RETURN_IF_ERROR(WriteParts(disk, NextStage(kStore), change.written, draw));
  return CommitChange(disk, kStore, next);
}

StoreManifest Shown(const Disk& disk) {
  auto manifest = ParseManifest(kStore, disk.Bytes(ManifestPath(kStore)));
  EXPECT_TRUE(manifest.ok());
  return manifest.ok() ? std::move(manifest).value() : StoreManifest{{{"files", Json::object()}, {"parts", Json::array()}}, ""};
}

// What a reader of the folders finds: paths in the store, and bytes.
std::map<std::string, std::string> FoundParts(const Disk& disk) {
  std::map<std::string, std::string> found;
  for (const std::string& name : disk.Names()) {
    if (name.starts_with(std::string(kStore) + "/") && name.ends_with(".parquet")) found[name.substr(2)] = disk.Bytes(name);
  }
  return found;
}

void ExpectWhole(const Disk& disk, const StoreManifest& manifest) {
  const auto found = FoundParts(disk);
  for (const auto& [name, entry] : manifest.json["files"].items()) {
    ASSERT_TRUE(found.contains(name)) << name;
    ASSERT_EQ(ToHex(Sha256Of(found.at(name))), entry["sha256"]) << name;
  }
}

// As a reader finds the store, before anything of ours has looked at it.
void ExpectOneState(const Disk& disk, const Change& change) {
  const StoreManifest manifest = Shown(disk);
  std::vector<std::uint64_t> numbers;
  for (const StorePart& part : manifest.Parts()) numbers.push_back(part.number);
  EXPECT_TRUE(numbers == change.old || numbers == change.next);
  ExpectWhole(disk, manifest);
}

// What was seen of a change stays, byte for byte; only parts of before it may go.
void ExpectNothingTakenBack(const std::map<std::string, std::string>& seen, const Disk& disk, const Change& change) {
  const Json old = ManifestOf(change.old).json["files"];
  const auto now = FoundParts(disk);
  for (const auto& [part, bytes] : seen) {
    if (old.contains(part)) continue;
    ASSERT_TRUE(now.contains(part)) << part << " was taken back";
    EXPECT_EQ(now.at(part), bytes) << part << " was shuffled again";
  }
}

// The next append ends with the new store, which has all that a reader may have seen.
void ExpectNextAppendEnds(Disk& disk, const Change& change, std::uint64_t draw) {
  const auto seen = FoundParts(disk);
  const auto ended = RunAppend(disk, change, draw);
  ASSERT_TRUE(ended.ok()) << ended.error().message();
  const StoreManifest next = Shown(disk);
  ASSERT_EQ(next.Parts().size(), change.next.size());
  ExpectOneState(disk, change);
  EXPECT_EQ(FoundParts(disk).size(), next.json["files"].size());
  ExpectNothingTakenBack(seen, disk, change);
  const StoreState state = ReadState(disk, kStore).value();
  EXPECT_EQ(state.own["is"], "new");
  EXPECT_EQ(state.manifest.digest, next.digest);
  if (state.own.contains("pending")) {
    EXPECT_EQ(ReadPending(disk, kStore, state.own["pending"]).value(), "a row\n");
  }
  std::size_t waiting = 0;
  for (const std::string& name : disk.Names()) {
    waiting += name.find("/pending-") != std::string::npos ? 1 : 0;
    EXPECT_EQ(name.find("/next/"), std::string::npos) << name;
  }
  EXPECT_EQ(waiting, state.own.contains("pending") ? 1u : 0u);
}

class StoreChangeTest : public ::testing::TestWithParam<bool> {
 protected:
  // The power comes back, or only the program is gone.
  static void Restart(Disk& disk, std::uint64_t seed) {
    if (GetParam()) return disk.Restart(seed);
    disk.CutPowerAt(Disk::kNever);
  }
};
INSTANTIATE_TEST_SUITE_P(PowerLossAndKill, StoreChangeTest, ::testing::Bool());

TEST_P(StoreChangeTest, AtEveryOperationItIsTheOldStoreOrTheNewOne) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    std::set<std::size_t> states;
    std::uint64_t cuts = 0;
    bool lost = true;
    for (std::uint64_t operation = 0; lost; ++operation) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(::testing::Message() << "operation " << operation << ", seed " << seed);
        Disk disk;
        ASSERT_TRUE(MakeNew(disk, OldOf(change), change.old).ok());
        disk.Restart(seed);
        disk.CutPowerAt(operation);
        const auto ended = RunAppend(disk, change, 1);
        lost = disk.lost_power();
        ASSERT_TRUE(lost || ended.ok()) << ended.error().message();
        Restart(disk, 31 * operation + seed);
        ExpectOneState(disk, change);
        states.insert(Shown(disk).Parts().size());
        ExpectNextAppendEnds(disk, change, 2);
      }
      ++cuts;
    }
    EXPECT_EQ(states.size(), change.written.empty() ? 1u : 2u);
    EXPECT_GT(cuts, change.written.empty() ? 6u : 20u);
  }
}

TEST_P(StoreChangeTest, AndWhenTheNextRunIsCutTooAndTheNext) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    for (std::uint64_t seed = 0; seed < SomeOrAll(60u, 300u); ++seed) {
      SCOPED_TRACE(seed);
      Random random = Random::FromSeed(seed);
      Disk disk;
      ASSERT_TRUE(MakeNew(disk, OldOf(change), change.old).ok());
      std::map<std::string, std::string> seen;
      for (std::uint64_t run = 1; run <= 6; ++run) {
        disk.CutPowerAt(random.Below(40));
        (void)RunAppend(disk, change, run);
        Restart(disk, random.Next());
        ExpectOneState(disk, change);
        ExpectNothingTakenBack(seen, disk, change);
        seen = FoundParts(disk);
      }
      ExpectNextAppendEnds(disk, change, 7);
    }
  }
}

TEST_P(StoreChangeTest, ANewStoreIsThereWholeOrNotAtAll) {
  const StoreState state{ManifestOf({1}), "", {{"is", "new"}}};
  std::set<bool> made;
  bool lost = true;
  for (std::uint64_t operation = 0; lost; ++operation) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      SCOPED_TRACE(::testing::Message() << "operation " << operation << ", seed " << seed);
      Disk disk;
      disk.CutPowerAt(operation);
      const auto ended = MakeNew(disk, state, {1});
      lost = disk.lost_power();
      const bool seen = disk.Has(ManifestPath(kStore));
      Restart(disk, 31 * operation + seed);
      if (!disk.Has(ManifestPath(kStore)) && IsDecidedNew(disk, kStore)) {
        EXPECT_TRUE(FoundParts(disk).empty());
        ASSERT_TRUE(FinishNew(disk, kStore).ok());
      }
      const bool there = disk.Has(ManifestPath(kStore));
      made.insert(there);
      EXPECT_TRUE(there || (!ended.ok() && !seen));  // what was seen comes back
      if (!there) {
        EXPECT_TRUE(FoundParts(disk).empty());
        continue;
      }
      ExpectWhole(disk, Shown(disk));
      EXPECT_EQ(ReadState(disk, kStore).value().manifest.digest, state.manifest.digest);
    }
  }
  EXPECT_EQ(made.size(), 2u);
}

TEST(StoreChange, HalvesOfTwoBackupsAreRefused) {
  const Change& change = kChanges[0];
  Disk disk;
  ASSERT_TRUE(MakeNew(disk, OldOf(change), change.old).ok());
  const std::string old_state = disk.Bytes("s.private/state.json");
  const std::string old_manifest = disk.Bytes(ManifestPath(kStore));
  ASSERT_TRUE(RunAppend(disk, change, 1).ok());
  const std::string new_state = disk.Bytes("s.private/state.json");
  const std::string new_manifest = disk.Bytes(ManifestPath(kStore));
  // The state of before, and the store of after: bringing the store back would take back what was published.
  disk.Put("s.private/state.json", old_state);
  EXPECT_FALSE(RunAppend(disk, change, 2).ok());
  EXPECT_EQ(disk.Bytes(ManifestPath(kStore)), new_manifest);
  // The store of before that decision, without the parts that were decided.
  disk.Put("s.private/state.json", new_state);
  disk.Put(ManifestPath(kStore), old_manifest);
  ASSERT_TRUE(disk.Remove("s/table/part-000003.parquet").ok());
  EXPECT_FALSE(RunAppend(disk, change, 2).ok());
  EXPECT_EQ(disk.Bytes(ManifestPath(kStore)), old_manifest);
}

// On the real disk: names, modes and locks.
class NewStoreTest : public ::testing::Test {
 protected:
  static void Fill(const std::string& stage) {
    for (const char* table : kStoreTables) {
      const std::string name = PartFile(table, 1);
      ASSERT_TRUE(WriteFile(stage + "/" + name, BytesOf(name, 0)).ok());
    }
  }
  static StoreState State() { return {ManifestOf({1}), "", {{"is", "made"}}}; }
  void Make() {
    NewStore made = NewStore::Begin(store_).value();
    Fill(made.stage());
    const auto committed = made.Commit(State(), "a policy");
    ASSERT_TRUE(committed.ok()) << committed.error().message();
  }
  // Runs in a process that is gone at the end, without unwinding.
  static void Killed(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::_exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }
  std::size_t Entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  cordon::test::ScratchFolder folder_;
  std::string store_ = folder_ / "store";
};

TEST_F(NewStoreTest, AppearsWholeWithAPrivateHalf) {
  Make();
  EXPECT_TRUE(OpenStore(store_).ok());
  EXPECT_EQ(ReadState(PosixFiles(), store_).value().own["is"], "made");
  struct stat info = {};
  ASSERT_EQ(::stat(PrivatePath(store_).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  for (const char* name : {"state.json", "policy.toml"}) {
    ASSERT_EQ(::stat((PrivatePath(store_) + "/" + name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
  }
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(NewStoreTest, IsNeverReplacedByAnother) {
  Make();
  EXPECT_FALSE(NewStore::Begin(store_).ok());
  fs::remove_all(store_);
  EXPECT_FALSE(NewStore::Begin(store_).ok());  // the private half of a store that went away
  EXPECT_TRUE(fs::exists(PrivatePath(store_) + "/state.json"));
}

TEST_F(NewStoreTest, WithoutCommitNothingIsLeft) {
  {
    NewStore made = NewStore::Begin(store_).value();
    Fill(made.stage());
  }
  EXPECT_EQ(Entries(), 0u);
}

TEST_F(NewStoreTest, AKilledPermuteLeavesNothingInTheWay) {
  for (const bool with_state : {false, true}) {
    Killed([&] {
      NewStore made = NewStore::Begin(store_).value();
      Fill(made.stage());
      if (with_state) fs::copy_file(made.stage() + "/" + PartFile("table", 1), PrivatePath(store_) + "/state.json");
      ::_exit(0);
    });
    EXPECT_FALSE(fs::exists(store_));
    EXPECT_EQ(Entries(), 1u);
  }
  Make();
  EXPECT_TRUE(OpenStore(store_).ok());
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(NewStoreTest, WhatAKilledPermuteHadDecidedIsPutIntoPlace) {
  Make();
  fs::rename(store_, NewStage(store_));  // the last step was lost
  const auto again = NewStore::Begin(store_);
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message().find("is in place now"), std::string::npos) << again.error().message();
  EXPECT_TRUE(OpenStore(store_).ok());
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(NewStoreTest, WhatIsNotAKilledPermuteIsLetBe) {
  fs::create_directory(PrivatePath(store_));
  ASSERT_TRUE(WriteFile(PrivatePath(store_) + "/letters", "mine").ok());
  EXPECT_FALSE(NewStore::Begin(store_).ok());
  EXPECT_TRUE(fs::exists(PrivatePath(store_) + "/letters"));
}

TEST_F(NewStoreTest, OneRunAtATime) {
  NewStore running = NewStore::Begin(store_).value();
  Fill(running.stage());
  Killed([&] { EXPECT_FALSE(NewStore::Begin(store_).ok()); });
  EXPECT_TRUE(running.Commit(State(), "a policy").ok());
  const auto lock = PosixFiles().Lock(PrivatePath(store_));
  ASSERT_TRUE(lock.ok());
  EXPECT_FALSE(PosixFiles().Lock(PrivatePath(store_)).ok());
}

}  // namespace
}  // namespace cordon::engine
