// SPDX-License-Identifier: Apache-2.0
#include "cordon/joint/party_register.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

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

TEST(PartyRegister, OfTwoRunsAtOnceByDifferentPoliciesOneIsEntered) {
  const test::ScratchFolder folder;
  // Both were opened, and found nothing, before either has entered anybody.
  PartyRegister one = PartyRegister::Open(PosixFiles(), folder / "register").value();
  PartyRegister other = PartyRegister::Open(PosixFiles(), folder / "register").value();
  EXPECT_TRUE(one.Check({1}, Ids{"a"}).ok() && other.Check({2}, Ids{"a"}).ok());
  EXPECT_TRUE(one.Enter({1}, Ids{"a"}, "").ok());
  EXPECT_EQ(other.Enter({2}, Ids{"a"}, "").error().kind(), ErrorKind::kInvalidPolicy);
  EXPECT_EQ(PosixFiles().List(folder / "register").value().size(), 2u);  // key and one run
  EXPECT_TRUE(other.Enter({2}, Ids{"a"}, "a reason").ok());
}

TEST(PartyRegister, RunsThatMakeItAtOnceHaveOneKey) {
  for (int i = 0; i < 20; ++i) {
    const test::ScratchFolder folder;
    std::vector<int> entered(4);
    std::vector<std::thread> runs;
    for (std::uint8_t policy = 0; policy < 4; ++policy) {
      runs.emplace_back([&, policy] {
        auto opened = PartyRegister::Open(PosixFiles(), folder / "register");
        ASSERT_TRUE(opened.ok()) << opened.error().message();
        entered[policy] = opened.value().Enter({policy}, Ids{"a"}, "").ok() ? 1 : 0;
      });
    }
    for (std::thread& run : runs) run.join();
    EXPECT_EQ(std::count(entered.begin(), entered.end(), 1), 1);
  }
}

TEST(PartyRegister, IsRefusedWithoutItsKey) {
  const test::ScratchFolder folder;
  ASSERT_TRUE(PartyRegister::Open(PosixFiles(), folder / "register").value().Enter({1}, Ids{"a"}, "").ok());
  std::filesystem::remove(folder / "register/key");
  const auto opened = PartyRegister::Open(PosixFiles(), folder / "register");
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message().find("register/key is gone"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "register/key"));
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
