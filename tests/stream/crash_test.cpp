// SPDX-License-Identifier: Apache-2.0
//
// The power goes at every write, sync, rename, cut and removal there is; the run that follows must end with the very bytes
// of a run that nothing happened to.
#include <gtest/gtest.h>

#include <algorithm>

#include "cordon/publish/stream/run_stream.h"
#include "cordon/stream/audit_log.h"
#include "tests/stream/cases.h"
#include "tests/stream/world.h"

namespace cordon::engine::testing {
namespace {

struct Files {
  std::string out, audit, dead;
  friend bool operator==(const Files&, const Files&) = default;
};

class Crash {
 public:
  Crash(Policy policy, std::string input, std::optional<std::uint64_t> seed)
      : policy_(std::move(policy)), input_(std::move(input)) {
    request_.input = "in.csv";
    request_.output = "out.csv";
    request_.checkpoint = "ck";
    request_.checkpoint_every = 37;
    request_.audit = "audit.jsonl";
    request_.seed = seed;
  }

  Result<StreamReport> Run(Disk& disk) {
    StreamWorld world;
    world.files = &disk;
    world.open = [&](const std::string&) { return Result<std::unique_ptr<LiveInput>>(LiveFromMemory(input_, 1000)); };
    return RunStream(request_, policy_, world, {});
  }
  static Files FilesOf(const Disk& disk) {
    return {disk.Bytes("out.csv"), disk.Bytes("audit.jsonl"), disk.Bytes("out.csv.dead-letters.csv")};
  }

  StreamRequest request_;
  Policy policy_;
  std::string input_;
};

TEST(StreamCrash, PowerCutAtEveryOperationChangesNoByte) {
  Crash crash(PolicyOf({}), RandomRows(1, 400, 20), 7);
  Disk calm;
  const auto report = crash.Run(calm);
  ASSERT_TRUE(report.ok()) << report.error().message();
  const Files expected = Crash::FilesOf(calm);
  EXPECT_GT(report.value().metrics.released, 300u);
  EXPECT_GT(report.value().metrics.dead_letters, 5u);

  std::uint64_t cuts = 0;
  for (std::uint64_t operation = 0;; ++operation) {
    SCOPED_TRACE(operation);
    Disk disk;
    disk.CutPowerAt(operation);
    const auto first = crash.Run(disk);
    if (!disk.lost_power()) break;
    EXPECT_FALSE(first.ok());
    ++cuts;
    const std::string seen = disk.Bytes("out.csv");
    EXPECT_TRUE(expected.out.starts_with(seen));  // a reader who read along saw nothing that is not there in the end
    disk.Restart(operation);
    const auto second = crash.Run(disk);
    ASSERT_TRUE(second.ok()) << second.error().message();
    ASSERT_TRUE(Crash::FilesOf(disk) == expected);
  }
  EXPECT_GT(cuts, 80u);
}

// Without a delay: waits, sample and clock of the R-tree are part of what is taken up again.
TEST(StreamCrash, AnRtreeGoesOnAsItWouldHave) {
  for (const char* method : {"min-delay", "basic", "density-aware", "full"}) {
    SCOPED_TRACE(method);
    StreamCase c;
    c.delay = "";
    c.algorithm = fmt::format(
        "name = \"stream-rtree\"\n[algorithm.stream-rtree]\nmethod = \"{}\"\nactive = 30\nsample = 40\nsample_window = 90",
        method);
    Crash crash(PolicyOf(c), RandomRows(9, 400, 20), 7);
    Disk calm;
    const auto report = crash.Run(calm);
    ASSERT_TRUE(report.ok()) << report.error().message();
    EXPECT_GT(report.value().metrics.released, 300u);
    const Files expected = Crash::FilesOf(calm);
    for (std::uint64_t operation = 3; operation < 90; operation += 4) {
      SCOPED_TRACE(operation);
      Disk disk;
      disk.CutPowerAt(operation);
      ASSERT_FALSE(crash.Run(disk).ok());
      disk.Restart(operation);
      ASSERT_TRUE(crash.Run(disk).ok());
      ASSERT_TRUE(Crash::FilesOf(disk) == expected);
    }
  }
}

TEST(StreamCrash, ManyCutsInARowChangeNoByte) {
  for (const char* mode : {"order = \"ready\"", "order = \"arrival\""}) {
    for (const char* suppressed : {"drop", "blank"}) {
      StreamCase c;
      c.k = 6;
      c.stream = mode;
      c.algorithm = fmt::format("suppressed = \"{}\"", suppressed);
      Crash crash(PolicyOf(c), RandomRows(2, 500, 9), 8);
      Disk calm;
      ASSERT_TRUE(crash.Run(calm).ok());
      const Files expected = Crash::FilesOf(calm);
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(seed);
        Random random = Random::FromSeed(seed);
        Disk disk;
        for (int attempt = 0; attempt < 200; ++attempt) {
          disk.CutPowerAt(3 + random.Below(30));
          const auto run = crash.Run(disk);
          if (run.ok()) break;
          ASSERT_TRUE(disk.lost_power()) << run.error().message();
          disk.Restart(random.Next());
        }
        ASSERT_TRUE(Crash::FilesOf(disk) == expected);
      }
    }
  }
}

// Event times and late rows: the clock is part of what is taken up again.
TEST(StreamCrash, EventTimeGoesOnWhereItStood) {
  const Policy policy = PolicyOf({.delay = "\"9s\"", .stream = "event_time = \"note\"\nlateness = \"2s\""});
  Random random = Random::FromSeed(5);
  std::string input = "id,age,sex,disease,note\n";
  for (int row = 0; row < 400; ++row) {
    input += fmt::format("p{},{},F,flu,{}.{}\n", row, random.Below(100), row / 3 - random.Below(4), random.Below(10));
  }
  Crash crash(policy, input, 3);
  Disk calm;
  const auto report = crash.Run(calm);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_GT(report.value().metrics.dead_letters, 10u);
  const Files expected = Crash::FilesOf(calm);
  for (std::uint64_t operation = 3; operation < 110; operation += 2) {
    SCOPED_TRACE(operation);
    Disk disk;
    disk.CutPowerAt(operation);
    (void)crash.Run(disk);
    disk.Restart(operation);
    ASSERT_TRUE(crash.Run(disk).ok());
    ASSERT_TRUE(Crash::FilesOf(disk) == expected);
  }
}

// Randomness of the operating system cannot be compared with another run: but what was seen before the crash stays.
TEST(StreamCrash, WhatWasWrittenStaysWithoutASeed) {
  Crash crash(PolicyOf({}), RandomRows(3, 300, 30), std::nullopt);
  for (std::uint64_t operation = 2; operation < 90; operation += 3) {
    SCOPED_TRACE(operation);
    Disk disk;
    disk.CutPowerAt(operation);
    (void)crash.Run(disk);
    const std::string seen = disk.Bytes("out.csv");
    disk.Restart(operation);
    ASSERT_TRUE(crash.Run(disk).ok());
    EXPECT_TRUE(disk.Bytes("out.csv").starts_with(seen));
  }
}

TEST(StreamCrash, AnEndedStreamIsNotRunAgain) {
  Crash crash(PolicyOf({}), RandomRows(4, 100, 0), 1);
  Disk disk;
  ASSERT_TRUE(crash.Run(disk).ok());
  const Files before = Crash::FilesOf(disk);
  const auto again = crash.Run(disk);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again.value().had_ended);
  EXPECT_TRUE(Crash::FilesOf(disk) == before);
}

// A run that was cut, for tests that spoil something before it goes on.
void Begin(Crash& crash, Disk& disk) {
  disk.CutPowerAt(60);
  ASSERT_FALSE(crash.Run(disk).ok());
  disk.Restart(1);
}

std::string Newest(const Disk& disk) {
  std::string newest;
  for (const std::string& name : disk.Names()) {
    if (name.starts_with("ck/checkpoint-")) newest = name;
  }
  return newest;
}

std::string Refusal(const Result<StreamReport>& run) { return run.ok() ? "" : run.error().message(); }

TEST(StreamCrash, ADamagedCheckpointIsRefused) {
  Crash crash(PolicyOf({}), RandomRows(5, 400, 0), 1);
  Disk disk;
  Begin(crash, disk);
  const std::string name = Newest(disk);
  const std::string good = disk.Bytes(name);
  for (const std::size_t at : {std::size_t{0}, std::size_t{30}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    disk.Put(name, bad);
    EXPECT_NE(Refusal(crash.Run(disk)).find(at == 0 ? "not a checkpoint" : "damaged"), std::string::npos);
  }
  disk.Put(name, good.substr(0, good.size() / 2));
  EXPECT_NE(Refusal(crash.Run(disk)).find("damaged"), std::string::npos);
  disk.Put(name, good);
  EXPECT_TRUE(crash.Run(disk).ok());
}

TEST(StreamCrash, ForeignCheckpointsAreRefused) {
  Crash crash(PolicyOf({}), RandomRows(6, 400, 0), 1);
  Disk disk;
  Begin(crash, disk);
  Crash other_policy(PolicyOf({.k = 4}), crash.input_, 1);
  EXPECT_NE(Refusal(other_policy.Run(disk)).find("another policy"), std::string::npos);
  Crash other_seed(PolicyOf({}), crash.input_, 2);
  EXPECT_NE(Refusal(other_seed.Run(disk)).find("another seed"), std::string::npos);
  Crash other_input(PolicyOf({}), RandomRows(7, 400, 0), 1);
  EXPECT_NE(Refusal(other_input.Run(disk)).find("not the one that the checkpoint was made of"), std::string::npos);
  Crash other_options(PolicyOf({}), crash.input_, 1);
  other_options.request_.group_column = true;
  EXPECT_NE(Refusal(other_options.Run(disk)).find("other options"), std::string::npos);
  std::string out = disk.Bytes("out.csv");
  ASSERT_GT(out.size(), 40u);
  out[30] ^= 1;
  disk.Put("out.csv", out);
  EXPECT_NE(Refusal(crash.Run(disk)).find("not the output"), std::string::npos);
  disk.Put("out.csv", "short");
  EXPECT_FALSE(crash.Run(disk).ok());
  out[30] ^= 1;
  disk.Put("out.csv", out);
  EXPECT_TRUE(crash.Run(disk).ok());
}

TEST(StreamCrash, AnOutputWithoutItsCheckpointIsNotPublishedTwice) {
  Crash crash(PolicyOf({}), RandomRows(8, 100, 0), 1);
  Disk disk;
  disk.Put("out.csv", "age,sex,disease,note\n");
  EXPECT_NE(Refusal(crash.Run(disk)).find("holds no checkpoint"), std::string::npos);
}

// The room ends at any byte, with and without a checkpoint: output and audit log stop at one and the same departure.
TEST(StreamCrash, AFullDiskLeavesWholeDepartures) {
  for (const bool with_checkpoint : {false, true}) {
    Crash crash(PolicyOf({}), RandomRows(10, 400, 0), 7);
    if (!with_checkpoint) crash.request_.checkpoint.reset();
    Disk calm;
    ASSERT_TRUE(crash.Run(calm).ok());
    const Files expected = Crash::FilesOf(calm);
    const std::size_t all = expected.out.size() + expected.audit.size();
    std::size_t stopped_inside = 0;
    for (std::size_t room = 0; room < all; room += 97) {
      SCOPED_TRACE(room);
      Disk disk;
      disk.LimitTo(room);
      EXPECT_NE(Refusal(crash.Run(disk)).find("no room"), std::string::npos);
      const Files files = Crash::FilesOf(disk);
      ASSERT_TRUE(expected.out.starts_with(files.out));
      ASSERT_TRUE(expected.audit.starts_with(files.audit));
      std::size_t rows = 0;
      AuditReader reader;
      reader.on_head = [](std::string_view) { return Result<void>(); };
      reader.on_departure = [&](const AuditedDeparture& departure) -> Result<void> {
        if (departure.kind != Departure::Kind::kSuppressed) rows += departure.positions.size();
        return {};
      };
      ASSERT_TRUE(files.audit.empty() || ReadAudit(files.audit, reader).ok());
      const auto lines = static_cast<std::size_t>(std::count(files.out.begin(), files.out.end(), '\n'));
      ASSERT_EQ(lines, files.out.empty() ? 0 : rows + 1);
      ASSERT_TRUE(files.out.empty() || files.out.back() == '\n');
      stopped_inside += rows > 0 ? 1 : 0;
    }
    EXPECT_TRUE(!with_checkpoint || stopped_inside > 5);  // without one it depends on how fast rows came
  }
}

// Else it could go on later, and cut what another run has written by then.
TEST(StreamCrash, ARunThatWroteNothingLeavesNoCheckpoint) {
  Crash crash(PolicyOf({}), RandomRows(12, 100, 0), 1);
  Disk disk;
  {
    const auto other = disk.Append("out.csv", FileSystem::Access::kPublic, 0);
    EXPECT_NE(Refusal(crash.Run(disk)).find("in use"), std::string::npos);
  }
  EXPECT_EQ(Newest(disk), "");
  Crash other(PolicyOf({}), crash.input_, 2);
  other.request_.checkpoint.reset();
  ASSERT_TRUE(other.Run(disk).ok());
  const Files written = Crash::FilesOf(disk);
  EXPECT_NE(Refusal(crash.Run(disk)).find("holds no checkpoint"), std::string::npos);
  EXPECT_TRUE(Crash::FilesOf(disk) == written);
}

// Without a checkpoint, or with another folder: only the output itself can tell that two runs write it.
TEST(StreamCrash, FilesThatAnotherRunHoldsAreRefused) {
  for (const char* held : {"out.csv", "audit.jsonl"}) {
    Crash crash(PolicyOf({}), RandomRows(11, 100, 0), 1);
    crash.request_.checkpoint.reset();
    Disk disk;
    {
      const auto other = disk.Append(held, FileSystem::Access::kPublic, 0);
      ASSERT_TRUE(other.ok());
      crash.request_.force = true;
      for (const char* name : {"out.csv", "audit.jsonl"}) {
        if (name != std::string_view(held)) disk.Put(name, "kept");
      }
      EXPECT_NE(Refusal(crash.Run(disk)).find(fmt::format("{} is in use by another run", held)), std::string::npos);
      EXPECT_EQ(disk.Bytes("out.csv") + disk.Bytes("audit.jsonl"), "kept");  // nothing was cut
    }
    EXPECT_TRUE(crash.Run(disk).ok());
  }
}

}  // namespace
}  // namespace cordon::engine::testing
