// SPDX-License-Identifier: Apache-2.0
#include "cordon/registry/registration.h"

#include <gtest/gtest.h>

#include "cordon/io/files/atomic_file.h"
#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"
#include "tests/scratch_folder.h"

namespace cordon::engine {
namespace {

constexpr const char* kPeople = R"(
population = "people"
[attributes.id]
role = "person"
[attributes.age]
role = "quasi"
type = "numeric"
[[privacy]]
model = "k-anonymity"
k = 2
)";

class Registrations : public ::testing::Test {
 protected:
  Registrations() : policy_(ParsePolicy(kPeople, folder_.path(), "people.toml").value()) {
    folder_.Write("key", "0123456789abcdef");
    std::filesystem::permissions(folder_ / "key", std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  Registration Begin(const std::string& output) const {
    return Registration::Begin(folder_ / "R.db", policy_, folder_ / output).value();
  }
  // What a run does; what it refuses is given back.
  Result<void> Publish(const std::string& output, const std::vector<std::string>& ids, bool keyed = false) const {
    Registration registration = Begin(output);
    const std::optional<std::string> key = keyed ? std::optional(folder_ / "key") : std::nullopt;
    CORDON_RETURN_IF_ERROR(registration.CheckInput(Rows(ids), Digest(ids), key, false));
    return registration.Publish(EntryOf(registration, output), [&] { return WriteFile(folder_ / output, output); });
  }
  RegisteredRelease EntryOf(const Registration& registration, const std::string& output) const {
    RegisteredRelease entry = registration.NewEntry("anonymize", "mondrian");
    entry.files = {registration.FileOf("release", folder_ / output, ToHex(Sha256Of(output)))};
    return entry;
  }
  static Table Rows(const std::vector<std::string>& ids) {
    return TableOf({{"id", ids}, {"age", std::vector<std::string>(ids.size(), "20")}});
  }
  static std::string Digest(const std::vector<std::string>& ids) {
    return ToHex(Sha256Of(fmt::format("{}", fmt::join(ids, " "))));
  }
  std::string Bytes() const { return ReadFile(folder_ / "R.db").value(); }
  std::string Refusal(const Result<void>& result) const { return result.ok() ? "" : result.error().message(); }

  test::ScratchFolder folder_;
  Policy policy_;
};

TEST_F(Registrations, TheSamePeopleMayBePublishedAgainWithAWarning) {
  ASSERT_TRUE(Publish("a.csv", {"p1", "p2"}).ok());
  EXPECT_TRUE(Begin("a2.csv").SecondRelease().at(0).fix.find("a.csv") != std::string::npos);
  ASSERT_TRUE(Publish("b.csv", {"p1", "p2"}).ok());
  const std::string said = Begin("c.csv").SecondRelease().at(0).fix;
  EXPECT_NE(said.find("a.csv"), std::string::npos);
  EXPECT_NE(said.find("1 more"), std::string::npos);
}

TEST_F(Registrations, PeopleWhoWereAddedOrRemovedAreRefused) {
  ASSERT_TRUE(Publish("a.csv", {"p1", "p2", "p3"}).ok());
  const std::string before = Bytes();
  EXPECT_NE(Refusal(Publish("b.csv", {"p1", "p2"})).find("3 people, and the input has 2"), std::string::npos);
  EXPECT_NE(Refusal(Publish("b.csv", {"p1", "p2", "p3", "p4"})).find("a.csv"), std::string::npos);
  EXPECT_NE(Refusal(Publish("b.csv", {"p1", "p2", "p4"})).find("other bytes"), std::string::npos);
  EXPECT_EQ(Bytes(), before);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b.csv"));
}

TEST_F(Registrations, DigestsFindSinglePeople) {
  ASSERT_TRUE(Publish("a.csv", {"the first person", "p2", "p3", "p3"}, true).ok());
  EXPECT_EQ(Bytes().find("the first person"), std::string::npos);
  EXPECT_NE(Refusal(Publish("b.csv", {"the first person", "p2", "p4"}, true)).find("people added: 1, removed: 1"),
            std::string::npos);
  EXPECT_NE(Refusal(Publish("b.csv", {"the first person", "p2", "p3", "p3"}, false)).find("there is no --person-key"),
            std::string::npos);
  folder_.Write("key", "another key, as long");
  EXPECT_NE(Refusal(Publish("b.csv", {"the first person", "p2", "p3", "p3"}, true)).find("another key"), std::string::npos);
}

TEST_F(Registrations, MissingPeopleAreOne) {
  policy_.data.missing = {"", "NA"};
  ASSERT_TRUE(Publish("a.csv", {"p1", "", "NA", "<null>"}, true).ok());
  EXPECT_EQ(ReleaseRegistry(folder_ / "R.db").Read().value().releases.at(0).input->people, 2u);
}

// The same person has other digests under another name of the population: two registries cannot be compared without the key.
TEST_F(Registrations, DigestsDependOnThePopulation) {
  ASSERT_TRUE(Publish("a.csv", {"p1"}, true).ok());
  policy_.population = "others";
  ASSERT_TRUE(Publish("b.csv", {"p1"}, true).ok());
  const RegistryContents contents = ReleaseRegistry(folder_ / "R.db").Read().value();
  EXPECT_EQ(contents.releases[0].input->person_key, contents.releases[1].input->person_key);
  EXPECT_NE(contents.releases[0].input->people_sha256, contents.releases[1].input->people_sha256);
}

TEST_F(Registrations, AReleaseThatDoesNotAppearIsNotEntered) {
  ASSERT_TRUE(Publish("a.csv", {"p1"}).ok());
  const std::string before = Bytes();
  Registration registration = Begin("b.csv");
  ASSERT_TRUE(registration.CheckInput(Rows({"p1"}), Digest({"p1"}), std::nullopt, false).ok());
  const Result<void> done =
      registration.Publish(EntryOf(registration, "b.csv"), []() -> Result<void> { return Error::Io("the disk is full"); });
  EXPECT_EQ(Refusal(done), "the disk is full");
  EXPECT_EQ(Bytes(), before);
}

TEST_F(Registrations, AnotherReleaseInTheMeantimeIsNoticed) {
  Registration slow = Begin("slow.csv");
  ASSERT_TRUE(Publish("quick.csv", {"p1"}).ok());
  const Result<void> done =
      slow.Publish(EntryOf(slow, "slow.csv"), [&] { return WriteFile(folder_ / "slow.csv", "slow.csv"); });
  EXPECT_NE(Refusal(done).find("quick.csv"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "slow.csv"));
}

// Killed after the files and before the entry: the next run counts with the release, and enters it.
TEST_F(Registrations, WhatWasPublishedAndNotEnteredIsEnteredByTheNext) {
  {
    const Registration killed = Begin("killed.csv");
    ASSERT_TRUE(killed.Announce(EntryOf(killed, "killed.csv")).ok());
    folder_.Write("killed.csv", "killed.csv");
  }
  EXPECT_NE(Begin("next.csv").SecondRelease().at(0).fix.find("killed.csv"), std::string::npos);
  EXPECT_FALSE(Begin("killed.csv").CheckOutputIsNew().ok());
  ASSERT_TRUE(Publish("next.csv", {"p1"}).ok());
  const RegistryContents contents = ReleaseRegistry(folder_ / "R.db").Read().value();
  ASSERT_EQ(contents.releases.size(), 2u);
  EXPECT_EQ(contents.releases[0].release().path, "killed.csv");
  EXPECT_TRUE(contents.pending.empty());
}

// A stream is out when it ends, whatever was published meanwhile.
TEST_F(Registrations, AStreamIsEnteredAfterOthers) {
  Registration stream = Begin("stream.csv");
  RegisteredRelease entry = EntryOf(stream, "stream.csv");
  entry.files[0].sha256 = "";
  ASSERT_TRUE(stream.Announce(entry).ok());
  EXPECT_NE(Begin("other.csv").SecondRelease().at(0).fix.find("stream.csv"), std::string::npos);
  EXPECT_TRUE(Begin("stream.csv").SecondRelease().empty());  // goes on
  ASSERT_TRUE(Publish("other.csv", {"p1"}).ok());
  ASSERT_TRUE(stream.Enter(EntryOf(stream, "stream.csv")).ok());
  const RegistryContents contents = ReleaseRegistry(folder_ / "R.db").Read().value();
  EXPECT_EQ(contents.releases.size(), 2u);
  EXPECT_TRUE(contents.pending.empty());
}

TEST_F(Registrations, AReleaseOfAKilledRunThatHasChangedIsRefused) {
  const Registration killed = Begin("killed.csv");
  ASSERT_TRUE(killed.Announce(EntryOf(killed, "killed.csv")).ok());
  folder_.Write("killed.csv", "other bytes");
  const auto next = Registration::Begin(folder_ / "R.db", policy_, folder_ / "next.csv");
  ASSERT_FALSE(next.ok());
  EXPECT_NE(next.error().message().find("killed.csv"), std::string::npos);
  policy_.population = "others";
  EXPECT_TRUE(Registration::Begin(folder_ / "R.db", policy_, folder_ / "next.csv").ok());
}

TEST_F(Registrations, PreviousReleasesHaveTheBytesThatWerePublished) {
  ASSERT_TRUE(Publish("a.csv", {"p1"}).ok());
  ASSERT_TRUE(Publish("b.csv", {"p1"}).ok());
  const Registration registration = Begin("c.csv");
  const std::vector<std::string> all = registration.Previous({}).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].ends_with("/a.csv"));
  EXPECT_TRUE(all[1].ends_with("/b.csv"));
  const auto left_out = registration.Previous({folder_ / "a.csv"});
  ASSERT_FALSE(left_out.ok());
  EXPECT_NE(left_out.error().message().find("b.csv"), std::string::npos);
  folder_.Write("copy.csv", "a.csv");
  folder_.Write("foreign.csv", "of another tool");
  EXPECT_TRUE(registration.Previous({folder_ / "foreign.csv", folder_ / "b.csv", folder_ / "copy.csv"}).ok());
  folder_.Write("a.csv", "A.csv");
  const auto changed = registration.Previous({});
  ASSERT_FALSE(changed.ok());
  EXPECT_NE(changed.error().message().find("a.csv has changed"), std::string::npos);
}

}  // namespace
}  // namespace cordon::engine
