// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/files/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/io/support.h"

namespace cordon::engine {
namespace {

using AtomicFileTest = InDirectory;

TEST_F(AtomicFileTest, AppearsOnlyAtCommitAndReplacesWhatWasThere) {
  Put("t", "old");
  AtomicFile file = AtomicFile::Create(Path("t")).value();
  ASSERT_TRUE(file.Write("new ").ok());
  ASSERT_TRUE(file.Write("text").ok());
  EXPECT_EQ(Get("t"), "old");
  EXPECT_EQ(Files().size(), 2u);
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_EQ(Get("t"), "new text");
  EXPECT_EQ(Files(), std::vector<std::string>{"t"});
}

TEST_F(AtomicFileTest, WithoutCommitNothingIsLeft) {
  Put("t", "old");
  {
    AtomicFile file = AtomicFile::Create(Path("t")).value();
    ASSERT_TRUE(file.Write("new").ok());
    const AtomicFile moved(std::move(file));
    EXPECT_EQ(Files().size(), 2u);
  }
  EXPECT_EQ(Get("t"), "old");
  EXPECT_EQ(Files(), std::vector<std::string>{"t"});
}

TEST_F(AtomicFileTest, PrivateFilesAreForTheOwnerOnly) {
  const mode_t before = ::umask(022);
  ASSERT_TRUE(WriteFile(Path("private"), "x", AtomicFile::Access::kPrivate).ok());
  ASSERT_TRUE(WriteFile(Path("public"), "x").ok());
  ::umask(before);
  struct stat info = {};
  ASSERT_EQ(::stat(Path("private").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(Path("public").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644u);
}

TEST_F(AtomicFileTest, ALinkIsFollowed) {
  Put("t", "old");
  std::filesystem::create_symlink("t", Path("link"));
  ASSERT_TRUE(WriteFile(Path("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_EQ(Get("t"), "new");
}

TEST_F(AtomicFileTest, DevicesAreWrittenToNotReplaced) {
  ASSERT_TRUE(WriteFile("/dev/null", "x").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, AFullDiskIsAnIoError) {
  const Result<void> written = WriteFile("/dev/full", "x");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind(), ErrorKind::kIo);
  EXPECT_EQ(written.error().message(), "writing /dev/full: cannot write: the disk is full");
}

TEST_F(AtomicFileTest, AFailedWriteLeavesTheTargetAndNoOtherFile) {
  Put("t", "old");
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<void> written = WriteFile(Path("t"), std::string(100'000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind(), ErrorKind::kIo);
  EXPECT_EQ(Get("t"), "old");
  EXPECT_EQ(Files(), std::vector<std::string>{"t"});
}

TEST_F(AtomicFileTest, ADirectoryThatIsMissingOrNotWritableIsAnIoError) {
  EXPECT_EQ(WriteFile(Path("none/t"), "x").error().message(),
            "writing " + Path("none/t") + ": cannot create a file in its directory: No such file or directory");
  EXPECT_EQ(WriteFile(directory_.string(), "x").error().message(), "writing " + directory_.string() + ": it is a directory");
  EXPECT_EQ(WriteFile("/proc/t", "x").error().kind(), ErrorKind::kIo);  // nobody can create a file there
  if (::geteuid() == 0) return;                                         // root may write anywhere
  std::filesystem::permissions(directory_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(WriteFile(Path("t"), "x").error().message(),
            "writing " + Path("t") + ": cannot create a file in its directory: Permission denied");
}

TEST_F(AtomicFileTest, AClosedPipeIsNoError) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const auto handler = ::signal(SIGPIPE, SIG_IGN);
  EXPECT_TRUE(WriteAll(ends[1], "nobody listens").ok());
  ::signal(SIGPIPE, handler);
  ::close(ends[1]);
}

TEST_F(AtomicFileTest, ReadFileGivesAllBytes) {
  const std::string bytes = std::string("a\0b", 3) + std::string(200'000, 'z');
  EXPECT_EQ(ReadFile(Put("t", bytes)).value(), bytes);
  EXPECT_EQ(ReadFile(Put("e", "")).value(), "");
  EXPECT_EQ(ReadFile(Path("none")).error().message(), "reading " + Path("none") + ": cannot open: No such file or directory");
  EXPECT_FALSE(ReadFile("/proc/self/status").value().empty());  // a file that says it is empty
}

TEST_F(AtomicFileTest, APathIsHeldByOneWriter) {
  {
    const TargetLock lock = TargetLock::Take(Path("t")).value();
    const Result<TargetLock> second = TargetLock::Take(Path("t"));
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.error().message().find("is being written by another run"), std::string::npos);
    EXPECT_TRUE(TargetLock::Take(Path("other")).ok());
    CleanFolder(Path(""));
    EXPECT_EQ(Files().size(), 1u);  // it is held: nobody removes it
  }
  EXPECT_TRUE(Files().empty());
  EXPECT_TRUE(TargetLock::Take(Path("t")).ok());
  EXPECT_TRUE(Files().empty());
}

TEST_F(AtomicFileTest, ALockThatAKilledProgramLeftStopsNobody) {
  std::string name;
  {
    const TargetLock lock = TargetLock::Take(Path("t")).value();
    name = Files().front();
  }
  Put(name, "");
  EXPECT_TRUE(TargetLock::Take(Path("t")).ok());
  EXPECT_TRUE(Files().empty());
  Put(name, "");
  CleanFolder(Path(""));
  EXPECT_TRUE(Files().empty());
}

}  // namespace
}  // namespace cordon::engine
