// SPDX-License-Identifier: Apache-2.0
//
// The directory protocol of a store: killed anywhere, it is the old store with its old state or the new one with its new
// state; damage is found. The files are stand-ins: what is in them does not matter here.
#include "cordon/publish/ke_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "cordon/io/atomic_file.h"

namespace cordon {
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
    for (const char* name : kStoreFiles) std::ofstream(stage.directory() + "/" + name) << content << name;
  }
  static Json Manifest(int rows) { return {{"format", 1}, {"kind", "ke-store"}, {"rows", rows}}; }

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
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }
  void ExpectState(int rows, const std::string& is) const {
    const auto manifest = OpenStore(store_);
    ASSERT_TRUE(manifest.ok()) << manifest.error().message();
    EXPECT_EQ(manifest.value().json["rows"], rows);
    const auto state = ReadPrivateState(store_, manifest.value());
    ASSERT_TRUE(state.ok()) << state.error().message();
    EXPECT_EQ(state.value()["is"], is);
    SweepPrivate(store_, manifest.value(), state.value());
    std::size_t left = 0;
    for (const auto& entry : fs::directory_iterator(PrivatePath(store_))) {
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
    StoreStage stage = StoreStage::ForNext(store_).value();
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
  Make();
  ExpectState(1, "old");
}

TEST_F(KeStoreTest, KilledBeforeTheExchangeItIsTheOldStore) {
  Make();
  for (const int steps : {1, 2, 3}) {
    Killed([&] {
      StoreStage stage = StoreStage::ForNext(store_).value();
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
    StoreStage stage = StoreStage::ForNext(store_).value();
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

TEST_F(KeStoreTest, OneAppendAtATime) {
  Make();
  const auto first = StoreLock::Take(store_);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(StoreLock::Take(store_).ok());
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
      if (std::string(name) == "manifest.json" && Json::parse(bad, nullptr, false) == Json::parse(good))
        continue;  // white space
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
}  // namespace cordon
