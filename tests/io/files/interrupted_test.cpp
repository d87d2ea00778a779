// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/files/interrupted.h"

#include <chrono>
#include <thread>

#include "cordon/io/files/atomic_file_set.h"
#include "tests/io/support.h"

namespace cordon::engine {
namespace {

using InterruptedTest = InDirectory;

TEST_F(InterruptedTest, HiddenFilesThatNobodyHoldsAreRemoved) {
  Put(".cordon-1.tmp", "left");
  Put(".cordon-1.txt", "not ours");
  Put("cordon-1.tmp", "not ours");
  const AtomicFile held = AtomicFile::Create(Path("t")).value();
  Put(".cordon-2.tmp", "left");
  CleanFolder(Path(""));
  EXPECT_EQ(Files().size(), 3u);
  EXPECT_TRUE(std::filesystem::exists(held.beside()));
}

TEST_F(InterruptedTest, ASetThatWasBegunIsFinished) {
  Put("head", "old");
  Put("side", "old");
  Put(".cordon-1.tmp", "new side");
  Put(".cordon-2.tmp", "new head");
  Put(".cordon-3.set", JournalOf({{Path(".cordon-1.tmp"), Path("side")}, {Path(".cordon-2.tmp"), Path("head")}}));
  CleanFolder(Path(""));
  EXPECT_EQ(Get("head"), "new head");
  EXPECT_EQ(Get("side"), "new side");
  EXPECT_EQ(Files().size(), 2u);
}

TEST_F(InterruptedTest, AFileThatCameAfterTheJournalStays) {
  Put(".cordon-1.tmp", "new side");
  Put(".cordon-2.tmp", "new head");
  Put(".cordon-3.set", JournalOf({{Path(".cordon-1.tmp"), Path("side")}, {Path(".cordon-2.tmp"), Path("head")}}));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Put("head", "put back");
  CleanFolder(Path(""));
  EXPECT_EQ(Get("head"), "put back");
  EXPECT_EQ(Files(), std::vector<std::string>{"head"});
}

TEST_F(InterruptedTest, WhatIsNotAJournalMovesNothing) {
  Put("precious", "text");
  const std::string moves = JournalOf({{Path("precious"), Path("gone")}});
  const std::string elsewhere = JournalOf({{"/.cordon-1.tmp", Path("gone")}});
  const std::string half = JournalOf({{Path(".cordon-1.tmp"), Path("gone")}});
  for (const std::string& bytes :
       {moves, elsewhere, half.substr(0, half.size() - 1), std::string("cordon set 1"), std::string()}) {
    Put(".cordon-3.set", bytes);
    CleanFolder(Path(""));
    EXPECT_EQ(Get("precious"), "text");
    EXPECT_FALSE(std::filesystem::exists(Path("gone")));
  }
}

TEST_F(InterruptedTest, ASetReplacesAllItsFiles) {
  Put("head", "old");
  Put("side", "old");
  Outputs outputs;
  for (const char* name : {"head", "side", "more"}) {
    ASSERT_TRUE(outputs.Reserve(Path(name), AtomicFile::Access::kPublic).ok());
    ASSERT_TRUE(outputs.Write(Path(name), "new").ok());
  }
  ASSERT_TRUE(outputs.Show(Path("head")).ok());
  for (const char* name : {"head", "side", "more"}) EXPECT_EQ(Get(name), "new");
  EXPECT_EQ(Files().size(), 3u);
}

}  // namespace
}  // namespace cordon::engine
