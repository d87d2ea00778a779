// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/files/file_system.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"

namespace cordon::engine {
namespace {

using Access = FileSystem::Access;

class FileLayerTest : public ::testing::Test {
 protected:
  std::unique_ptr<WritableFile> Open(std::uint64_t keep) {
    auto file = PosixFiles().Append(path_, Access::kPublic, keep);
    return file.ok() ? std::move(file).value() : nullptr;
  }
  std::string Bytes() const { return PosixFiles().Read(path_).value(); }

  test::ScratchFolder folder_;
  std::string path_ = folder_ / "out.csv";
};

TEST_F(FileLayerTest, AFileHasOneWriter) {
  const auto first = Open(0);
  ASSERT_TRUE(first->Write("age\n31\n").ok());
  const auto second = PosixFiles().Append(path_, Access::kPublic, 0);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message(), path_ + " is in use by another run");
  EXPECT_EQ(Bytes(), "age\n31\n");  // and nothing was cut off
}

TEST_F(FileLayerTest, AFileIsFreeWhenItsWriterHasGone) {
  ASSERT_TRUE(Open(0)->Write("age\n31\n").ok());
  ASSERT_TRUE(Open(4)->Write("40\n").ok());
  EXPECT_EQ(Bytes(), "age\n40\n");
}

TEST_F(FileLayerTest, WhatWasWrittenCanBeTakenBack) {
  {
    ASSERT_TRUE(Open(0)->Write("age\n").ok());
  }
  const auto file = Open(4);
  ASSERT_TRUE(file->Write("31\n").ok());
  const std::uint64_t mark = file->written();
  ASSERT_TRUE(file->Write("4").ok());
  ASSERT_TRUE(file->Write("0").ok());
  ASSERT_TRUE(file->CutBack(mark).ok());
  EXPECT_EQ(Bytes(), "age\n31\n");
  ASSERT_TRUE(file->Write("52\n").ok());
  EXPECT_EQ(Bytes(), "age\n31\n52\n");
}

}  // namespace
}  // namespace cordon::engine
