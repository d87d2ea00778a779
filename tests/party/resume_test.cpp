// SPDX-License-Identifier: Apache-2.0
//
// Two parties whose connection is lost, or who lose their memory, at any frame: the run goes on from the journals, to the same
// table.
#include "cordon/party/resume.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <thread>

#include "tests/party/two_sides.h"
#include "tests/scratch_folder.h"
#include "tests/some_or_all.h"

namespace cordon::engine::testing {
namespace {

// One party with its journal, which outlives connections.
struct Endpoint {
  Side& side;
  std::string journal;
  std::optional<Result<PartyResult>> result;
  std::vector<std::string> wire;  // every frame that left, by all connections

  // One connection. `first`: there is no journal yet.
  void Go(PipeEnd& end, Pipe& out, const Sha256Digest& binding, bool first) {
    PartyInput input = side.input;
    input.channel_binding = binding;
    input.bytes = OperatingSystemBytes();
    result = Connected(input, end, first);
    wire.insert(wire.end(), end.sent().begin(), end.sent().end());
    out.Close();
  }

 private:
  Result<PartyResult> Connected(PartyInput& input, PipeEnd& end, bool first) {
    if (first) {
      CORDON_TRY(const auto fresh, JournaledTransport::Make(PosixFiles(), journal, {}, end));
      return RunParty(input, {}, *fresh, {});
    }
    const std::string text = PosixFiles().Read(journal).value();
    CORDON_TRY(const PartyJournal read, ReadPartyJournal(text));
    CORDON_TRY(const JournalAudit audit, AuditJournal(text));
    PartyPast past = read.Past();
    CORDON_TRY(const auto again, JournaledTransport::Continue(PosixFiles(), journal, read.whole_bytes, end));
    CORDON_RETURN_IF_ERROR(CatchUp(input.role, input.channel_binding, audit, past, *again));
    input.resumed = true;
    return RunParty(input, std::move(past), *again, {});
  }
};

void Connect(Endpoint& a, Endpoint& b, bool first, PipeEnd::Tamper tamper_a = {}, PipeEnd::Tamper tamper_b = {}) {
  static std::uint8_t connections = 0;
  const Sha256Digest binding = {++connections};
  Pipe to_a, to_b;
  PipeEnd end_a(to_b, to_a, std::move(tamper_a)), end_b(to_a, to_b, std::move(tamper_b));
  std::thread other([&] { b.Go(end_b, to_a, binding, first); });
  a.Go(end_a, to_b, binding, first);
  other.join();
}

// The connection is lost at the n-th frame, which may or may not arrive.
PipeEnd::Tamper LostAt(std::size_t lost, bool arrives) {
  return [=](std::size_t n, const std::string& frame) -> std::vector<std::string> {
    if (n < lost || (n == lost && arrives)) return {frame};
    return {};
  };
}

TEST(ResumeProperty, ARunGoesOnAfterItsConnectionIsLostAtAnyFrame) {
  const std::string published = [] {
    JointParty central(Table7(true), {true, true, true});
    auto search = central.Make();
    EXPECT_TRUE(search.value()->ToTheEnd({}).ok());
    return central.Published(*search.value());
  }();
  for (const PartyInput::Compare compare : {PartyInput::Compare::kPrivate, PartyInput::Compare::kPlain}) {
    const bool is_private = compare == PartyInput::Compare::kPrivate;
    const std::size_t step = is_private ? SomeOrAll(3, 1) : SomeOrAll(5, 3);  // odd: frames arrive and are lost in turn
    std::size_t resumed = 0;
    for (const bool of_a : {true, false}) {
      for (std::size_t lost = 0;; lost += step) {
        const bool arrives = lost % 2 == 1;
        SCOPED_TRACE(::testing::Message() << (of_a ? "A " : "B ") << lost << (arrives ? " arrives" : " is lost"));
        const test::ScratchFolder folder;
        TwoSides sides(Table7(true), {true, false, false}, 1, 1);
        sides.a().input.compare = sides.b().input.compare = compare;
        Endpoint a{sides.a(), folder / "a", {}, {}}, b{sides.b(), folder / "b", {}, {}};
        Connect(a, b, true, of_a ? LostAt(lost, arrives) : PipeEnd::Tamper(), of_a ? PipeEnd::Tamper() : LostAt(lost, arrives));
        const bool whole = a.result->ok() && b.result->ok();
        if (!whole) {
          ++resumed;
          Connect(a, b, false);
        }
        ASSERT_TRUE(a.result->ok()) << a.result->error().message();
        ASSERT_TRUE(b.result->ok()) << b.result->error().message();
        EXPECT_EQ(sides.a().party->Published(*a.result->value().search), published);
        EXPECT_EQ(sides.b().party->Published(*b.result->value().search), published);
        EXPECT_EQ(a.result->value().statement, b.result->value().statement);
        const std::string journal = PosixFiles().Read(folder / "a").value();
        const JournalAudit audit = AuditJournal(journal).value();
        EXPECT_TRUE(audit.finished);
        EXPECT_EQ(audit.resumes, whole ? 0u : 1u);
        // What left is in the journal, and no garbled table was made twice for one comparison.
        std::set<std::string> tables;
        for (const std::string& frame : a.wire) EXPECT_NE(journal.find('>' + frame), std::string::npos);
        const PartyJournal read = ReadPartyJournal(journal).value();
        for (const PartyJournal::Entry& entry : read.entries) {
          if (entry.sent && DecodeFrameHeader(entry.frame).value().type == FrameType::kCompareTable) {
            EXPECT_TRUE(tables.insert(std::string(entry.frame.substr(kFrameHeaderBytes, 64))).second);
          }
        }
        if (whole && !arrives) {
          ASSERT_GT(lost, 10u);
          break;
        }
      }
    }
    EXPECT_GT(resumed, (is_private ? 40 : 30) / step);
  }
}

TEST(Resume, JournalsOfDifferentRunsAreRefused) {
  const test::ScratchFolder folder;
  TwoSides sides(Table7(true), {true, false, false}, 1, 1);
  Endpoint a{sides.a(), folder / "a", {}, {}}, b{sides.b(), folder / "b", {}, {}}, other{sides.a(), folder / "c", {}, {}};
  Connect(a, b, true, LostAt(6, true));
  std::filesystem::rename(folder / "b", folder / "b of another run");
  Connect(other, b, true, LostAt(6, true));
  Connect(a, b, false);
  EXPECT_EQ(a.result->error().message(), "the journals of the two parties do not fit together");
  EXPECT_EQ(b.result->error().message(), "the journals of the two parties do not fit together");
  Connect(other, b, false);  // those that fit go on
  EXPECT_TRUE(other.result->ok() && b.result->ok());
}

TEST(Resume, APeerThatStartsANewRunSpoilsNothing) {
  const test::ScratchFolder folder;
  TwoSides sides(Table7(true), {true, false, false}, 1, 1);
  Endpoint a{sides.a(), folder / "a", {}, {}}, b{sides.b(), folder / "b", {}, {}}, fresh{sides.b(), folder / "c", {}, {}};
  Connect(a, b, true, LostAt(9, true));
  Pipe to_a, to_b;
  PipeEnd end_a(to_b, to_a, {}), end_b(to_a, to_b, {});
  std::thread other([&] { fresh.Go(end_b, to_a, {9}, true); });
  a.Go(end_a, to_b, {9}, false);
  other.join();
  EXPECT_EQ(a.result->error().message(), "the other party does not resume this run");
  EXPECT_EQ(fresh.result->error().message(), "the other party goes on with an earlier run");
  Connect(a, b, false);
  EXPECT_TRUE(a.result->ok() && b.result->ok());
}

TEST(Resume, APartyWhoseTableHasChangedSendsNothingElse) {
  const test::ScratchFolder folder;
  TwoSides sides(Table7(true), {true, false, false}, 1, 1);
  Endpoint a{sides.a(), folder / "a", {}, {}}, b{sides.b(), folder / "b", {}, {}};
  Connect(a, b, true, LostAt(9, true));
  sides.a().input.input_commitment[0] ^= 1;
  Connect(a, b, false);
  EXPECT_EQ(a.result->error().message(), "this party would now send other bytes than those in its journal");
  sides.a().input.input_commitment[0] ^= 1;
  Connect(a, b, false);
  EXPECT_TRUE(a.result->ok() && b.result->ok());
}

}  // namespace
}  // namespace cordon::engine::testing
