// SPDX-License-Identifier: Apache-2.0
//
// Releases through the library are entered as those of the command line are, and a registry can be read.
#include <filesystem>

#include "tests/api/support.h"

namespace cordon {
namespace {

using test::Bytes;
using test::Put;
using test::ScratchFolder;

Table Diseases(int people) {
  std::vector<std::string> job, disease;
  for (int i = 0; i < people; ++i) {
    job.push_back(i % 2 == 0 ? "Banker" : "Clerk");
    disease.push_back(i % 4 < 2 ? "flu" : "gout");
  }
  return TableBuilder().Column("job", job).Column("disease", disease).Build().value();
}

Policy FirstPolicy() {
  return PolicyBuilder()
      .Population("people \"of\" 2025")
      .Quasi("job")
      .Sensitive("disease", {{"unguarded", "a test"}})
      .KAnonymity(2)
      .Build()
      .value();
}

Policy NextPolicy() {
  return PolicyBuilder()
      .Population("people \"of\" 2025")
      .Insensitive("name")
      .Quasi("job")
      .Model("xy-linkability", {{"x", PolicyValue::Array{"name"}},
                                {"values", PolicyKeys{{"previous.disease", PolicyValue::Array{"gout"}}}},
                                {"h", "2/3"}})
      .Build()
      .value();
}

Table Names(int people) {
  std::vector<std::string> name, job;
  for (int i = 0; i < people; ++i) {
    name.push_back("n" + std::to_string(i % 3));
    job.push_back(i % 2 == 0 ? "Banker" : "Clerk");
  }
  return TableBuilder().Column("name", name).Column("job", job).Build().value();
}

TEST(Registry, AReleaseIsEnteredWhenItIsWritten) {
  const ScratchFolder folder;
  const std::string registry = folder / "R.db";
  EXPECT_EQ(Registry::Open(registry).error().kind(), ErrorKind::kIo);
  const Policy policy = FirstPolicy();
  const auto first = Anonymize(Diseases(8), policy, {.registry = registry});
  ASSERT_TRUE(first.ok()) << first.error().message();
  EXPECT_FALSE(Registry::Open(registry).ok()) << "nothing is published yet";
  ASSERT_TRUE(first.value().Write(folder / "first.csv").ok());
  const History listed = Registry::Open(registry).value().List().value();
  ASSERT_EQ(listed.releases.size(), 1u);
  EXPECT_EQ(listed.releases[0].population, "people \"of\" 2025");
  EXPECT_EQ(listed.releases[0].path, "first.csv");
  EXPECT_EQ(listed.releases[0].command, "anonymize");
  EXPECT_EQ(listed.releases[0].rows, 8u);
  EXPECT_FALSE(listed.checked);
  EXPECT_TRUE(Registry::Open(registry).value().Check().value().holds);
  // The same release under a second name, or again under the first, would be another one.
  EXPECT_FALSE(first.value().Write(folder / "copy.csv").ok());
  EXPECT_FALSE(std::filesystem::exists(folder / "copy.csv"));
  EXPECT_FALSE(first.value().Write(folder / "first.csv", {.force = true}).ok());
  EXPECT_EQ(Registry::Open(registry).value().List().value().releases.size(), 1u);
}

TEST(Registry, TheNextReleaseIsJudgedWithAllThatItLists) {
  const ScratchFolder folder;
  const std::string registry = folder / "R.db";
  ASSERT_TRUE(Anonymize(Diseases(8), FirstPolicy(), {.registry = registry}).value().Write(folder / "first.csv").ok());
  const auto next = ReleaseNext(Names(8), {}, NextPolicy(), {.registry = registry});
  ASSERT_TRUE(next.ok()) << next.error().message();
  ASSERT_TRUE(next.value().Write(folder / "next.csv").ok());
  const History history = Registry::Open(registry).value().Check().value();
  ASSERT_EQ(history.releases.size(), 2u);
  EXPECT_EQ(history.releases[1].command, "release-next");
  EXPECT_NE(history.json.find("\"name\": \"first.csv\""), std::string::npos) << history.json;
  EXPECT_TRUE(Verify(folder / "next.csv", NextPolicy(), {.previous = {Input(folder / "first.csv")}}).value().holds);
  // A registry knows files, by their bytes; fewer people are other data.
  EXPECT_FALSE(ReleaseNext(Names(8), {Input(Diseases(8))}, NextPolicy(), {.registry = registry}).ok());
  EXPECT_EQ(ReleaseNext(Names(7), {}, NextPolicy(), {.registry = registry}).error().kind(), ErrorKind::kInvalidData);
  Put(folder / "first.csv", Bytes(folder / "first.csv") + "\n");
  EXPECT_EQ(ReleaseNext(Names(8), {}, NextPolicy(), {.registry = registry}).error().kind(), ErrorKind::kInvalidData);
  EXPECT_FALSE(Registry::Open(registry).value().Check().value().holds);
}

TEST(Registry, WhatItNeedsIsAskedFor) {
  const ScratchFolder folder;
  const Policy nameless =
      PolicyBuilder().Quasi("job").Sensitive("disease", {{"unguarded", "a test"}}).KAnonymity(2).Build().value();
  EXPECT_EQ(Anonymize(Diseases(8), nameless, {.registry = folder / "R.db"}).error().kind(), ErrorKind::kInvalidPolicy);
  EXPECT_EQ(Anonymize(Diseases(8), FirstPolicy(), {.person_key = folder / "key"}).error().kind(), ErrorKind::kInvalidPolicy);
  Put(folder / "R.db", "not a registry");
  std::filesystem::permissions(folder / "R.db", std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(Anonymize(Diseases(8), FirstPolicy(), {.registry = folder / "R.db"}).error().kind(), ErrorKind::kInvalidData);
  EXPECT_EQ(Bytes(folder / "R.db"), "not a registry");
}

}  // namespace
}  // namespace cordon
