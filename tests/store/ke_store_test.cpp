// SPDX-License-Identifier: Apache-2.0
//
// The directory protocol of a store: killed anywhere, it is the old store with its old state or the new one with its new
// state; damage is found. The files are stand-ins: what is in them does not matter here.
#include "cordon/store/ke_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>

#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;

class KeStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("ke_store_test_" + FreshName());
    fs::create_directory(folder_);
    store_ = (folder_ / "store").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void Fill(const StoreStage& stage, const std::string& content) {
    for (const char* table : kStoreTables)
      std::ofstream(stage.directory() + "/" + TableFile(table)) << content << TableFile(table);
  }
  static Json Manifest(unsigned rows) {
    Json manifest = {{"format", 1},          {"kind", "ke-store"},       {"rows", rows},
                     {"sensitive", "value"}, {"columns", Json::array()}, {"releases", Json::array()}};
    const StorePart whole{rows, StorePart::kSettled, {1, 1, 1}, {}};
    SetParts(manifest, std::span(&whole, 1));
    return manifest;
  }
  // The store with one more part. Up to a step, where the process ends: 1 the stage, 2 files, 3 sealed, 4 in place.
  void AddPart(int steps) const {
    const StoreManifest old = OpenStore(store_).value();
    StoreStage stage = StoreStage::ForNext(store_, OpenStore(store_).value()).value();
    const std::string scratch = stage.Scratch("new").value();
    if (steps == 1) ::_exit(HasFailure() ? 1 : 0);
    std::ofstream(scratch + "/part") << "on the way";
    const unsigned rows = old.json.value("rows", 0u) + 1;
    std::vector<StorePart> parts = PartsOf(old.json);
    parts.push_back({1, 0, {1, 1, 1}, {}});
    Fill(stage, fmt::format("{} rows", rows));
    if (steps == 2) ::_exit(HasFailure() ? 1 : 0);
    Json manifest = old.json;
    manifest["rows"] = rows;
    SetParts(manifest, parts);
    ASSERT_TRUE(stage.Seal(manifest, {{"is", fmt::format("with {}", rows)}}).ok());
    if (steps == 3) ::_exit(HasFailure() ? 1 : 0);
    ASSERT_TRUE(stage.Commit().ok());
  }

  void Make() {
    StoreStage stage = StoreStage::ForNew(store_).value();
    Fill(stage, "old");
    ASSERT_TRUE(stage.Seal(Manifest(1), {{"pending", {{"file", "none"}}}, {"is", "old"}}).ok());
    ASSERT_TRUE(stage.Commit().ok());
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
  void ExpectState(unsigned rows, const std::string& is) const {
    const auto manifest = OpenStore(store_);
    ASSERT_TRUE(manifest.ok()) << manifest.error().message();
    EXPECT_EQ(manifest.value().json["rows"], rows);
    const auto state = ReadPrivateState(store_, manifest.value());
    ASSERT_TRUE(state.ok()) << state.error().message();
    EXPECT_EQ(state.value()["is"], is);
    ASSERT_TRUE(SweepPrivate(store_, manifest.value(), state.value()).ok());
    std::size_t left = 0;
    for (const auto& entry : fs::directory_iterator(PrivatePath(store_))) {
      if (entry.path().filename() == "lock" || entry.path().filename() == "journal") continue;
      if (entry.path().filename() == "spare" && state.value().contains("spare")) continue;
      EXPECT_TRUE(entry.path().filename().string().starts_with("state-")) << entry.path();
      ++left;
    }
    EXPECT_EQ(left, 1u);
  }

  fs::path folder_;
  std::string store_;
};

TEST_F(KeStoreTest, AppearsWholeWithAPrivateHalf) {
  Make();
  ExpectState(1, "old");
  struct stat info = {};
  ASSERT_EQ(::stat(PrivatePath(store_).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_EQ(StorePath("a/store//"), "a/store");
  EXPECT_EQ(StorePath(store_ + "/."), fs::canonical(store_));
  EXPECT_EQ(StorePath(store_ + "/../"), fs::canonical(folder_));
  EXPECT_EQ(StorePath("no/such/."), "no/such/.");
}

TEST_F(KeStoreTest, IsNeverReplacedByAnother) {
  Make();
  EXPECT_FALSE(StoreStage::ForNew(store_).ok());
  fs::remove_all(store_);
  EXPECT_FALSE(StoreStage::ForNew(store_).ok());  // the private half of a store that went away
}

TEST_F(KeStoreTest, AnUnfinishedStageGoesAway) {
  {
    StoreStage stage = StoreStage::ForNew(store_).value();
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  Make();
  {
    StoreStage stage = StoreStage::ForNext(store_, OpenStore(store_).value()).value();
    Fill(stage, "new");
  }
  ExpectState(1, "old");
}

TEST_F(KeStoreTest, AKilledPermuteLeavesNothingInTheWay) {
  Killed([&] {
    StoreStage stage = StoreStage::ForNew(store_).value();
    Fill(stage, "gone");
    if (!stage.Seal(Manifest(5), {{"is", "gone"}}).ok()) ::_exit(1);
    ::_exit(0);
  });
  EXPECT_FALSE(fs::exists(store_));
  Make();
  ExpectState(1, "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(KeStoreTest, KilledBetweenTheTwoRenamesOfAPermuteItStartsOver) {
  fs::create_directories(PrivatePath(store_) + "/next");
  std::ofstream(PrivatePath(store_) + "/lock") << "";
  Make();
  ExpectState(1, "old");
}

TEST_F(KeStoreTest, KilledBeforeTheExchangeItIsTheOldStore) {
  Make();
  for (const int steps : {1, 2, 3}) {
    Killed([&] {
      StoreStage stage = StoreStage::ForNext(store_, OpenStore(store_).value()).value();
      if (steps > 1) Fill(stage, "new");
      if (steps > 2 && !stage.Seal(Manifest(2), {{"is", "new"}}).ok()) ::_exit(1);
      ::_exit(0);
    });
    ExpectState(1, "old");
  }
}

TEST_F(KeStoreTest, KilledAfterTheExchangeItIsTheNewStore) {
  Make();
  Killed([&] {
    StoreStage stage = StoreStage::ForNext(store_, OpenStore(store_).value()).value();
    Fill(stage, "new");
    if (!stage.Seal(Manifest(2), {{"is", "new"}}).ok() || !stage.Commit().ok()) ::_exit(1);
    ::_exit(0);  // nothing was swept
  });
  ExpectState(2, "new");
  std::ifstream table(store_ + "/table.parquet");
  std::string content;
  table >> content;
  EXPECT_EQ(content, "newtable.parquet");
}

TEST_F(KeStoreTest, APartMoreIsANewStoreOfTheSameFiles) {
  Make();
  for (unsigned rows = 2; rows <= 4; ++rows) {
    AddPart(4);
    ExpectState(rows, fmt::format("with {}", rows));
    EXPECT_EQ(ReadFile(store_ + "/help.parquet").value(), fmt::format("{} rowshelp.parquet", rows));
    EXPECT_EQ(PartsOf(OpenStore(store_).value().json).size(), rows);
    EXPECT_EQ(std::distance(fs::directory_iterator(store_), fs::directory_iterator()), 4);
  }
}

TEST_F(KeStoreTest, KilledWhileAPartIsAddedItIsTheOldStoreOrTheNewOne) {
  Make();
  AddPart(4);
  for (const int steps : {1, 2, 3}) {
    Killed([&] { AddPart(steps); });
    ExpectState(2, "with 2");
  }
  Killed([&] { AddPart(4); });
  ExpectState(3, "with 3");
}

TEST_F(KeStoreTest, WhatIsNotTheStoresIsNotLost) {
  Make();
  for (const char* name : {"README", "table-000002.parquet"}) {
    std::ofstream(store_ + "/" + name) << "mine";
    EXPECT_TRUE(OpenStore(store_).ok());
    EXPECT_FALSE(StoreStage::ForNext(store_, OpenStore(store_).value()).ok());
    EXPECT_TRUE(fs::exists(store_ + "/" + name));
    fs::remove(store_ + "/" + name);
  }
  EXPECT_TRUE(StoreStage::ForNext(store_, OpenStore(store_).value()).ok());
}

TEST_F(KeStoreTest, TablesInSeveralFilesAreOfNoReleasedVersion) {
  Make();
  Json old = OpenStore(store_).value().json;
  old["parts"] = {{{"number", 1u}, {"rows", 1u}, {"level", 1000u}}, {{"number", 2u}, {"rows", 1u}, {"level", 0u}}};
  ASSERT_TRUE(WriteFile(store_ + "/manifest.json", SealManifest(old).Text()).ok());
  const auto opened = OpenStore(store_);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message().find("kept a table in several files"), std::string::npos) << opened.error().message();
}

TEST_F(KeStoreTest, APermuteThatRunsIsLetBe) {
  StoreStage running = StoreStage::ForNew(store_).value();
  Fill(running, "first");
  {
    StoreStage second = StoreStage::ForNew(store_).value();  // sweeps what was abandoned
    Fill(second, "second");
    ASSERT_TRUE(second.Seal(Manifest(2), {{"is", "second"}}).ok());
    ASSERT_TRUE(fs::exists(running.directory() + "/table.parquet"));
    ASSERT_TRUE(running.Seal(Manifest(1), {{"is", "first"}}).ok());
    ASSERT_TRUE(running.Commit().ok());
    const auto late = second.Commit();
    ASSERT_FALSE(late.ok());
    EXPECT_NE(late.error().message().find("has appeared meanwhile"), std::string::npos) << late.error().message();
  }
  ExpectState(1, "first");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(KeStoreTest, AManifestWithAFittingDigestIsNoProofOfItsForm) {
  Make();
  const Json good = OpenStore(store_).value().json;
  const auto opens = [&](Json json) {
    EXPECT_TRUE(WriteFile(store_ + "/manifest.json", SealManifest(std::move(json)).Text()).ok());
    return OpenStore(store_).ok();
  };
  EXPECT_TRUE(opens(good));
  for (const auto& [key, value] :
       {std::pair<const char*, Json>{"files", 3},
        {"files", {{"table.parquet", "text"}}},
        {"columns", {{{"name", 7}}}},
        {"columns", {{{"name", "a"}, {"role", "quasi"}, {"type", "text"}, {"scale", 40u}}}},
        {"parts", Json::array()},
        {"parts", 3},
        {"parts", {{{"rows", 1u}, {"level", 0u}}}},
        {"parts", {{{"rows", 1u}, {"level", 0u}, {"row_groups", {{"table", 1u}, {"help", 1u}}}}}},
        {"parts", {{{"rows", 1u}, {"level", 0u}, {"row_groups", {{"table", 1u}, {"help", -1}, {"groups", 1u}}}}}},
        {"parts",
         {{{"rows", 1u},
           {"level", 0u},
           {"row_groups", {{"table", 1u}, {"help", 1u}, {"groups", 1u}}},
           {"sha256", {{"table", 1}}}}}},
        {"rows", -1},
        {"format", "one"},
        {"kind", 1},
        {"sensitive", Json()}}) {
    Json bad = good;
    bad[key] = value;
    EXPECT_FALSE(opens(bad)) << key << value;
    bad.erase(key);
    const bool optional = std::string(key) == "rows";
    EXPECT_EQ(opens(bad), optional) << key;
  }
}

TEST_F(KeStoreTest, AQuickCheckHasABoundAndSeesBothEnds) {
  const std::string path = (folder_ / "file").string();
  const auto write = [&](std::size_t at, char what) {
    std::string bytes(std::size_t{20} << 20, 'a');
    bytes[at] = what;
    return WriteFile(path, bytes).ok();
  };
  ASSERT_TRUE(write(0, 'a'));
  const Json entry = ToJson(DigestOfFile(path).value());
  const auto quick = [&] { return FileCheck(FileCheck::Depth::kQuick)(path, entry, "it").ok(); };
  const auto whole = [&] { return FileCheck(FileCheck::Depth::kWhole)(path, entry, "it").ok(); };
  const auto sizes = [&] { return FileCheck(FileCheck::Depth::kSizes)(path, entry, "it").ok(); };
  EXPECT_TRUE(quick() && whole());
  for (const std::size_t at : {std::size_t{0}, std::size_t{65535}, (std::size_t{20} << 20) - 1}) {
    ASSERT_TRUE(write(at, 'b'));
    EXPECT_FALSE(quick()) << at;
    EXPECT_FALSE(whole()) << at;
  }
  ASSERT_TRUE(write(std::size_t{10} << 20, 'b'));  // in the middle of a large file: for verify and query to find
  EXPECT_TRUE(quick() && sizes());
  EXPECT_FALSE(whole());
  fs::resize_file(path, std::size_t{19} << 20);
  EXPECT_FALSE(quick() || sizes());
}

TEST(KeParts, AreMergedSixteenAtATimeAndStayFew) {
  std::vector<StorePart> parts = {{500, StorePart::kSettled, {1, 1, 1}, {}}};
  std::uint64_t rewritten = 0;
  std::size_t most = 0;
  constexpr std::uint64_t kAppends = 5000;
  for (std::uint64_t append = 1; append <= kAppends; ++append) {
    parts.push_back({10, 0, {1, 1, 1}, {}});
    const MergePlan plan = PlanMerge(parts);
    ASSERT_GE(plan.parts, 1u);
    ASSERT_LT(plan.parts, parts.size());  // what permute made is never merged by itself
    if (plan.parts > 1) {
      StorePart made{0, plan.level, {1, 1, 1}, {}};
      for (const StorePart& part : std::span(parts).last(plan.parts)) made.rows += part.rows;
      rewritten += made.rows;
      parts.resize(parts.size() - plan.parts);
      parts.push_back(made);
    }
    most = std::max(most, parts.size());
  }
  std::uint64_t rows = 0;
  for (const StorePart& part : parts) rows += part.rows;
  EXPECT_EQ(rows, 500 + 10 * kAppends);
  EXPECT_LE(most, 1 + 15 * 4);
  EXPECT_LE(rewritten, 3 * 10 * kAppends);
}

TEST(KeParts, LargeOnesAreLeftAlone) {
  std::vector<StorePart> parts;
  for (int part = 0; part < 40; ++part) parts.push_back({1'000'000, 0, {9, 9, 1}, {}});
  EXPECT_EQ(PlanMerge(parts).parts, 1u);
}

TEST_F(KeStoreTest, OneAppendAtATime) {
  Make();
  const auto first = StoreLock::Take(store_);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(StoreLock::Take(store_).ok());
}

TEST_F(KeStoreTest, AReaderReadsAgainWhatAnAppendHasExchanged) {
  Make();
  int reads = 0;
  const auto exchange = [&] {  // by a copy: the manifest and all files are the same, the directory is not
    fs::copy(store_, store_ + ".copy");
    fs::remove_all(store_);
    fs::rename(store_ + ".copy", store_);
  };
  const auto read = [&](int appends) {
    reads = 0;
    return ReadSteady(store_, {}, [&]() -> Result<std::string> {
      if (++reads <= appends) exchange();
      if (reads <= appends && reads % 2 == 0) return Error::Io("a file has gone meanwhile");
      return std::string("all of one state");
    });
  };
  EXPECT_EQ(read(0).value(), "all of one state");
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(read(2).value(), "all of one state");
  EXPECT_EQ(reads, 3);
  const auto never = read(1000);
  ASSERT_FALSE(never.ok());
  EXPECT_EQ(never.error().message(), store_ + " changed while it was read");
  const auto missing = ReadSteady(store_ + "2", {}, [&] { return OpenStore(store_ + "2"); });
  EXPECT_NE(missing.error().message().find("is no store"), std::string::npos);
}

TEST_F(KeStoreTest, AReaderBesideAppendsSeesOneStateOrAnother) {
  Make();
  const pid_t writer = ::fork();
  if (writer == 0) {
    for (int append = 0; append < 15; ++append) AddPart(4);
    ::_exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  std::size_t reads = 0;
  for (; ::waitpid(writer, &status, WNOHANG) == 0; ++reads) {
    const auto manifest = ReadSteady(store_, {}, [&] { return OpenStore(store_); });
    ASSERT_TRUE(manifest.ok()) << manifest.error().message();
    EXPECT_EQ(manifest.value().json["rows"], PartsOf(manifest.value().json).size());
  }
  EXPECT_EQ(status, 0);
  EXPECT_GT(reads, 0u);
  EXPECT_EQ(OpenStore(store_).value().json["rows"], 16);
}

TEST_F(KeStoreTest, EveryChangedByteIsFound) {
  Make();
  for (const char* name : {"table.parquet", "help.parquet", "groups.parquet", "manifest.json"}) {
    SCOPED_TRACE(name);
    const std::string path = store_ + "/" + name;
    const std::string good = ReadFile(path).value();
    for (std::size_t at = 0; at < good.size(); at += good.size() / 13 + 1) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1);
      ASSERT_TRUE(WriteFile(path, bad).ok());
      if (std::string(name) == "manifest.json" && ParseJson(bad) == ParseJson(good)) continue;  // white space
      EXPECT_FALSE(OpenStore(store_).ok()) << at;
    }
    ASSERT_TRUE(WriteFile(path, good.substr(0, good.size() - 2)).ok());
    EXPECT_FALSE(OpenStore(store_).ok());
    fs::remove(path);
    EXPECT_FALSE(OpenStore(store_).ok());
    ASSERT_TRUE(WriteFile(path, good).ok());
    EXPECT_TRUE(OpenStore(store_).ok());
  }
}

}  // namespace
}  // namespace cordon::engine
