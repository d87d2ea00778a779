// SPDX-License-Identifier: Apache-2.0
#include "cordon/joint/party_register.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/scratch_folder.h"

namespace cordon::engine {
namespace {

using Ids = std::vector<std::string_view>;

TEST(PartyRegister, RefusesPeopleWhoWereEnteredByAnotherPolicy) {
  const test::ScratchFolder folder;
  const Sha256Digest first = {1}, second = {2};
  PartyRegister entered = PartyRegister::Open(PosixFiles(), folder / "register").value();
  EXPECT_TRUE(entered.Check(first, Ids{"a", "b"}).ok());
  ASSERT_TRUE(entered.Enter(first, Ids{"a", "b", "c"}, "").ok());
  EXPECT_TRUE(entered.Check(first, Ids{"c", "d"}).ok());   // the same policy
  EXPECT_TRUE(entered.Check(second, Ids{"d", "e"}).ok());  // other people
  const PartyRegister again = PartyRegister::Open(PosixFiles(), folder / "register").value();
  const auto refused = again.Check(second, Ids{"d", "c", "b"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(), "2 of these people were in an earlier run by another joint policy (010000000000)");
}

TEST(PartyRegister, HoldsNoIdsAndIsPrivate) {
  const test::ScratchFolder folder;
  PartyRegister entered = PartyRegister::Open(PosixFiles(), folder / "register").value();
  ASSERT_TRUE(entered.Enter({1}, Ids{"a long id of a person"}, "a reason").ok());
  const std::string text = PosixFiles().Read(folder / "register/000001.people").value();
  EXPECT_EQ(text.find("person"), std::string::npos);
  EXPECT_NE(text.find("a reason"), std::string::npos);
  std::filesystem::permissions(folder / "register", std::filesystem::perms(0755));
  EXPECT_FALSE(PartyRegister::Open(PosixFiles(), folder / "register").ok());
}

TEST(PartyRegister, ADamagedRunIsAnError) {
  const test::ScratchFolder folder;
  PartyRegister entered = PartyRegister::Open(PosixFiles(), folder / "register").value();
  folder.Write("register/000001.people", "{}\n123");
  EXPECT_FALSE(entered.Check({1}, Ids{"a"}).ok());
}

}  // namespace
}  // namespace cordon::engine
