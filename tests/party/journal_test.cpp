// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/journal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/party/two_sides.h"
#include "tests/scratch_folder.h"

namespace cordon::engine::testing {
namespace {

struct Journals {
  std::string a, b;
  std::vector<std::string> sent_by_a;
};

// The journals of a run over a pipe.
const Journals& WorkedRun() {
  static const Journals journals = [] {
    const test::ScratchFolder folder;
    TwoSides sides(Table7(false), {true, false}, 1, 1);
    Pipe to_a, to_b;
    PipeEnd end_a(to_b, to_a, {}), end_b(to_a, to_b, {});
    {
      const auto journal_a = JournaledTransport::Make(PosixFiles(), folder / "a", {}, end_a).value();
      const auto journal_b = JournaledTransport::Make(PosixFiles(), folder / "b", {}, end_b).value();
      std::thread other([&] { EXPECT_TRUE(RunParty(sides.b().input, {}, *journal_b, {}).ok()); });
      EXPECT_TRUE(RunParty(sides.a().input, {}, *journal_a, {}).ok());
      other.join();
      struct stat facts{};
      EXPECT_EQ(stat((folder / "a").c_str(), &facts), 0);
      EXPECT_EQ(facts.st_mode & 0777U, 0600U);
      EXPECT_FALSE(JournaledTransport::Make(PosixFiles(), folder / "a", {}, end_a).ok());  // it is there
    }
    return Journals{PosixFiles().Read(folder / "a").value(), PosixFiles().Read(folder / "b").value(), end_a.sent()};
  }();
  return journals;
}

TEST(Journal, BothSidesHoldTheSameRun) {
  const JournalAudit a = AuditJournal(WorkedRun().a).value(), b = AuditJournal(WorkedRun().b).value();
  EXPECT_EQ(a.role, PartyRole::kA);
  EXPECT_EQ(b.role, PartyRole::kB);
  EXPECT_EQ(a.run, b.run);
  const auto totals = [](const std::map<FrameType, JournalAudit::Traffic>& traffic) {
    std::vector<std::tuple<int, std::uint64_t, std::uint64_t>> rows;
    for (const auto& [type, each] : traffic) rows.emplace_back(static_cast<int>(type), each.frames, each.bytes);
    return rows;
  };
  EXPECT_EQ(totals(a.sent), totals(b.received));
  EXPECT_EQ(totals(b.sent), totals(a.received));
  ASSERT_EQ(a.steps.size(), 5u);
  ASSERT_EQ(b.steps.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(a.steps[i].instruct, b.steps[i].instruct);
    EXPECT_EQ(a.steps[i].sent, i == 3);  // ANY_Sex
    EXPECT_EQ(b.steps[i].sent, i != 3);
  }
  EXPECT_EQ(a.committed_round, 5u);
  // What a comparison costs is what docs/crypto.md says; six rounds, the last of which ends the run.
  EXPECT_EQ(a.sent.at(FrameType::kCompareTable).frames, 6u);
  EXPECT_EQ(a.sent.at(FrameType::kCompareTable).bytes, 6u * (kFrameHeaderBytes + 7828));
  EXPECT_EQ(a.sent.count(FrameType::kScoreReveal), 0u);
  EXPECT_TRUE(a.finished && b.finished && !a.torn);
  EXPECT_EQ(a.statement, b.statement);
  EXPECT_TRUE(VerifySignature(KeyOfRole(PartyRole::kA).verify_key(), a.statement, a.signature));
  EXPECT_TRUE(VerifySignature(KeyOfRole(PartyRole::kB).verify_key(), a.statement, a.peer_signature));
}

TEST(Journal, HoldsWhatLeftByteByByte) {
  std::string_view rest = WorkedRun().a;
  for (const std::string& frame : WorkedRun().sent_by_a) {
    const std::size_t at = rest.find('>' + frame);
    ASSERT_NE(at, std::string_view::npos);
    rest.remove_prefix(at + 1 + frame.size());
  }
}

TEST(JournalProperty, AChangedByteIsNoticed) {
  const JournalAudit good = AuditJournal(WorkedRun().a).value();
  const std::size_t head = WorkedRun().a.find('}') + 1;  // what is signed comes after it
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string changed = WorkedRun().a;
    const std::size_t at = head + random() % (changed.size() - head);
    changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
    const auto audit = AuditJournal(changed);
    const bool signed_so =
        audit.ok() && audit.value().finished &&
        VerifySignature(KeyOfRole(PartyRole::kA).verify_key(), audit.value().statement, audit.value().signature) &&
        VerifySignature(KeyOfRole(PartyRole::kB).verify_key(), audit.value().statement, audit.value().peer_signature);
    EXPECT_FALSE(signed_so) << at;
    // Frames that were sent after a changed one prove the change; a length that was changed looks like a cut.
    EXPECT_TRUE(!audit.ok() || !audit.value().whole() || audit.value().finished || audit.value().torn) << at;
  }
}

TEST(Journal, AReceivedFrameAfterWhichThePartyWentOnWasNotAnother) {
  const PartyJournal journal = ReadPartyJournal(WorkedRun().a).value();
  std::size_t changed_frames = 0;
  for (std::size_t i = 0; i + 4 < journal.entries.size(); ++i) {
    if (journal.entries[i].sent) continue;
    std::string changed = WorkedRun().a;
    const std::size_t last =
        static_cast<std::size_t>(journal.entries[i].frame.data() - WorkedRun().a.data()) + journal.entries[i].frame.size() - 1;
    changed[last] = static_cast<char>(changed[last] ^ 1);
    const auto audit = AuditJournal(changed);
    ASSERT_FALSE(audit.ok()) << i;
    ++changed_frames;
  }
  EXPECT_GT(changed_frames, 10u);
}

TEST(Journal, ACutAtTheEndOfARunIsNotWhole) {
  const std::string_view text = WorkedRun().a;
  EXPECT_TRUE(AuditJournal(text).value().whole());
  const JournalAudit cut = AuditJournal(text.substr(0, text.size() - 1)).value();
  EXPECT_TRUE(cut.torn && cut.finishing && !cut.finished && !cut.whole());
  EXPECT_FALSE(AuditJournal(std::string(text) + '>').value().whole());
}

// The journal of a party that says it has committed itself to another table, chained again, without its signed end.
std::string WithAnotherCommitment(const std::string& text) {
  const PartyJournal journal = ReadPartyJournal(text).value();
  std::string made = text.substr(0, static_cast<std::size_t>(journal.entries[0].frame.data() - text.data()) - 1);
  Sha256Digest chain{};
  for (const PartyJournal::Entry& entry : journal.entries) {
    std::string frame(entry.frame);
    const FrameHeader header = DecodeFrameHeader(frame).value();
    if (header.type == FrameType::kFinish) break;
    if (entry.sent) {
      if (header.number > 0) std::copy(chain.begin(), chain.end(), frame.begin() + 40);
      if (header.type == FrameType::kConfig) frame.back() = static_cast<char>(frame.back() ^ 1);
      chain = FrameHash(frame);
    }
    made += (entry.sent ? '>' : '<') + frame;
  }
  return made;
}

TEST(Journal, WhatOneSentIsWhatTheOtherReceived) {
  const PartyJournal a = ReadPartyJournal(WorkedRun().a).value(), b = ReadPartyJournal(WorkedRun().b).value();
  EXPECT_EQ(DifferenceOf(a, b), std::nullopt);
  EXPECT_EQ(DifferenceOf(b, a), std::nullopt);
  const std::string forged = WithAnotherCommitment(WorkedRun().b);
  ASSERT_TRUE(AuditJournal(forged).ok());  // alone it holds together
  const PartyJournal other = ReadPartyJournal(forged).value();
  ASSERT_TRUE(DifferenceOf(a, other).has_value());
  EXPECT_EQ(DifferenceOf(a, other), DifferenceOf(other, a));
  EXPECT_NE(DifferenceOf(a, other)->find("is not frame"), std::string::npos);
  // A frame that was received and never sent; a frame that was sent and did not arrive.
  PartyJournal less = b;
  while (!less.entries.back().sent) less.entries.pop_back();
  less.entries.pop_back();
  EXPECT_NE(DifferenceOf(a, less)->find("does not have it as sent"), std::string::npos);
  less = a;
  while (less.entries.back().sent) less.entries.pop_back();
  less.entries.pop_back();
  EXPECT_EQ(DifferenceOf(less, b), std::nullopt);
}

TEST(Journal, AHeadOfAnotherFormatIsNotRead) {
  std::string text = WorkedRun().a;
  const std::size_t at = text.find("\"format\":1");
  ASSERT_NE(at, std::string::npos);
  text[at + 9] = '2';
  EXPECT_FALSE(AuditJournal(text).ok());
}

TEST(JournalProperty, AJournalThatEndsAnywhereIsReadUpToThere) {
  const std::string& whole = WorkedRun().b;
  std::size_t torn = 0;
  const std::size_t head = whole.find('}') + 1;
  EXPECT_FALSE(AuditJournal(std::string_view(whole).substr(0, head - 1)).ok());
  for (std::size_t size = head; size < whole.size(); size += 1 + size / 50) {
    const auto audit = AuditJournal(std::string_view(whole).substr(0, size));
    ASSERT_TRUE(audit.ok()) << audit.error().message();
    EXPECT_FALSE(audit.value().finished);
    torn += audit.value().torn ? 1 : 0;
  }
  EXPECT_LT(50u, torn);
}

// A disk that is full.
class FullDisk final : public WritableFile {
 public:
  Result<void> Write(std::string_view) override { return Error::Io("the disk is full"); }
  Result<void> Sync() override { return {}; }
  std::uint64_t written() const override { return 0; }
  Result<void> CutBack(std::uint64_t) override { return {}; }
};

TEST(Journal, NothingLeavesThatCannotBeWrittenDown) {
  Pipe out, in;
  PipeEnd end(out, in, {});
  JournaledTransport transport(std::make_unique<FullDisk>(), end);
  EXPECT_EQ(transport.Send("a frame").error().kind(), ErrorKind::kIo);
  EXPECT_TRUE(end.sent().empty());
}

}  // namespace
}  // namespace cordon::engine::testing
