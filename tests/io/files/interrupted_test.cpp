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
  EXPECT_TRUE(std::filesystem::exists(held.temporary()));
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

TEST_F(InterruptedTest, ASetThatCannotBePutIntoPlaceIsTakenBack) {
  for (const bool old_head : {true, false}) {
    std::filesystem::remove_all(Path("z"));
    std::filesystem::remove(Path("head"));
    Put("a", "old a");
    if (old_head) Put("head", "old head");
    Outputs outputs;
    for (const char* name : {"a", "b", "head", "z"}) {
      ASSERT_TRUE(outputs.Reserve(Path(name), AtomicFile::Access::kPrivate).ok());
      ASSERT_TRUE(outputs.Write(Path(name), "new").ok());
    }
    std::filesystem::create_directory(Path("z"));  // a and b are in place before this one fails
    const Result<void> shown = outputs.Show(Path("head"));
    ASSERT_FALSE(shown.ok());
    EXPECT_NE(shown.error().message().find("the folder is as it was"), std::string::npos) << shown.error().message();
    EXPECT_EQ(Get("a"), "old a");
    EXPECT_FALSE(std::filesystem::exists(Path("b")));
    EXPECT_EQ(std::filesystem::exists(Path("head")), old_head);
    if (old_head) {
      EXPECT_EQ(Get("head"), "old head");
    }
    EXPECT_EQ(Files().size(), old_head ? 3u : 2u);  // nothing hidden
  }
}

TEST_F(InterruptedTest, OldFilesComeBackOnlyWhereTheyWereReplaced) {
  Put("head", "old head");
  Put("side", "old side");
  Put(".cordon-1.tmp", "new side");
  Put(".cordon-2.tmp", "new head");
  const std::vector<Renaming> set = {{Path(".cordon-1.tmp"), Path("side")}, {Path(".cordon-2.tmp"), Path("head")}};
  {
    const OldFiles old(set);
    EXPECT_EQ(old.PutBack().value(), std::vector<std::string>{});  // nothing was renamed yet
    EXPECT_EQ(Get("head") + Get("side"), "old headold side");
    ASSERT_TRUE(FinishSet(set).ok());
    EXPECT_EQ(Get("head") + Get("side"), "new headnew side");
    EXPECT_EQ(old.PutBack().value(), std::vector<std::string>{});
    EXPECT_EQ(Get("head") + Get("side"), "old headold side");
    EXPECT_EQ(Get(".cordon-1.tmp") + Get(".cordon-2.tmp"), "new sidenew head");
  }
  EXPECT_EQ(Files().size(), 4u);
}

TEST_F(InterruptedTest, ANameThatIsTooLongIsRefusedBeforeAnythingIsWritten) {
  Put("t", "old");
  Outputs outputs;
  EXPECT_FALSE(outputs.Reserve(Path(std::string(256, 'n')), AtomicFile::Access::kPublic).ok());
  EXPECT_TRUE(outputs.Reserve(Path(std::string(255, 'n')), AtomicFile::Access::kPublic).ok());
  std::filesystem::create_symlink(std::string(256, 'n'), Path("link"));
  EXPECT_FALSE(outputs.Reserve(Path("link"), AtomicFile::Access::kPublic).ok());
}

TEST_F(InterruptedTest, TwoSetsNeverShareAPath) {
  Outputs first;
  ASSERT_TRUE(first.Reserve(Path("head"), AtomicFile::Access::kPublic).ok());
  ASSERT_TRUE(first.Reserve(Path("side"), AtomicFile::Access::kPublic).ok());
  {
    Outputs second;
    ASSERT_TRUE(second.Reserve(Path("other"), AtomicFile::Access::kPublic).ok());
    EXPECT_FALSE(second.Reserve(Path("side"), AtomicFile::Access::kPublic).ok());
    EXPECT_FALSE(second.Adopt(Path("head"), AtomicFile::Create(Path("head")).value()).ok());
  }
  ASSERT_TRUE(first.Write(Path("head"), "1").ok());
  ASSERT_TRUE(first.Write(Path("side"), "1").ok());
  ASSERT_TRUE(first.Show(Path("head")).ok());
  EXPECT_EQ(Get("head") + Get("side"), "11");
}

}  // namespace
}  // namespace cordon::engine
