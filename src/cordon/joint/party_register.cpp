// SPDX-License-Identifier: Apache-2.0
#include "cordon/joint/party_register.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "cordon/base/canonical_json.h"
#include "cordon/base/json.h"
#include "cordon/crypto/secret.h"

namespace cordon::engine {
namespace {

constexpr std::string_view kEnding = ".people";

// How many numbers two ascending lists share.
std::size_t CommonOf(const std::vector<std::uint64_t>& a, std::span<const std::uint64_t> b) {
  std::size_t common = 0;
  auto other = b.begin();
  for (const std::uint64_t each : a) {
    other = std::lower_bound(other, b.end(), each);
    if (other == b.end()) break;
    common += *other == each ? 1 : 0;
  }
  return common;
}

struct RegisteredRun {
  std::string joint_policy;
  std::vector<std::uint64_t> people;
};

Result<RegisteredRun> ReadRun(FileSystem& files, const std::string& path) {
  CORDON_TRY(const std::string text, files.Read(path));
  const std::size_t end = text.find('\n');
  const Json head = ParseJsonOnce(std::string_view(text).substr(0, end == std::string::npos ? 0 : end));
  if (!head.is_object() || !head.contains("joint_policy_sha256") || !head["joint_policy_sha256"].is_string() ||
      (text.size() - end - 1) % sizeof(std::uint64_t) != 0) {
    return Error::InvalidData("{} is not a run of the register", path);
  }
  RegisteredRun run{head["joint_policy_sha256"].get<std::string>(), {}};
  run.people.resize((text.size() - end - 1) / sizeof(std::uint64_t));
  if (!run.people.empty()) std::memcpy(run.people.data(), text.data() + end + 1, text.size() - end - 1);
  return run;
}

// Names of its files of people.
Result<std::vector<std::string>> RunsOf(FileSystem& files, const std::string& folder) {
  CORDON_TRY(std::vector<std::string> names, files.List(folder));
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(kEnding); });
  return names;
}

// Another run holds the folder for a moment only.
Result<std::unique_ptr<FolderLock>> LockSoon(FileSystem& files, const std::string& folder) {
  for (int left = 100;; --left) {
    auto lock = files.Lock(folder);
    if (lock.ok() || left == 0) return lock;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

Result<PartyRegister> PartyRegister::Open(FileSystem& files, const std::string& folder) {
  CORDON_RETURN_IF_ERROR(files.MakeFolder(folder));
  if (files.OpenToOthers(folder)) {
    return Error::InvalidData("others may look into {}, which says who was entered into runs", folder)
        .WithHint("chmod 700 {}", folder);
  }
  CORDON_TRY(const auto lock, LockSoon(files, folder));  // two runs at once make one key
  SipKey key;
  const std::string path = folder + "/key";
  if (files.Size(path)) {
    CORDON_TRY(const std::string text, files.Read(path));
    if (text.size() != 2 * key.size() || !FromHex(text, key))
      return Error::InvalidData("{} is not the key of a register", path);
  } else {
    CORDON_TRY(const std::vector<std::string> runs, RunsOf(files, folder));
    if (!runs.empty()) {
      return Error::InvalidData("{} is gone, and without it {} cannot say who was entered into runs", path, folder)
          .WithHint("bring the file back from a copy; no run can be checked without it");
    }
    OperatingSystemBytes()(key);
    CORDON_RETURN_IF_ERROR(WriteWhole(files, folder, "key", ToHex(key)));
  }
  return PartyRegister(files, folder, key);
}

std::vector<std::uint64_t> PartyRegister::Hashed(std::span<const std::string_view> ids) const {
  std::vector<std::uint64_t> hashed;
  hashed.reserve(ids.size());
  for (const std::string_view id : ids) hashed.push_back(SipHash(key_, id)[0]);
  std::sort(hashed.begin(), hashed.end());
  return hashed;
}

Result<void> PartyRegister::Check(const Sha256Digest& joint_policy, std::span<const std::string_view> ids) const {
  const std::vector<std::uint64_t> people = Hashed(ids);
  CORDON_TRY(const std::vector<std::string> runs, RunsOf(*files_, folder_));
  for (const std::string& name : runs) {
    CORDON_TRY(const RegisteredRun run, ReadRun(*files_, folder_ + "/" + name));
    if (run.joint_policy == ToHex(joint_policy)) continue;
    const std::size_t common = CommonOf(people, run.people);
    if (common == 0) continue;
    return Error::InvalidPolicy("{} of these people were in an earlier run by another joint policy ({})", common,
                                run.joint_policy.substr(0, 12))
        .WithHint(
            "two tables of the same people can be put together to something finer than either; run by that policy again, "
            "or say why it is safe: --again REASON");
  }
  return {};
}

Result<void> PartyRegister::Enter(const Sha256Digest& joint_policy, std::span<const std::string_view> ids,
                                  const std::string& why) {
  CORDON_TRY(const auto lock, LockSoon(*files_, folder_));
  if (why.empty()) CORDON_RETURN_IF_ERROR(Check(joint_policy, ids));
  const std::vector<std::uint64_t> people = Hashed(ids);
  Json head = {{"format", 1}, {"joint_policy_sha256", ToHex(joint_policy)}, {"people", people.size()}};
  if (!why.empty()) head["again"] = why;
  std::string text = head.dump() + "\n";
  text.append(reinterpret_cast<const char*>(people.data()), people.size() * sizeof(std::uint64_t));
  CORDON_TRY(const std::vector<std::string> runs, RunsOf(*files_, folder_));
  // After the last name, not by the count: a file that somebody removed must not make room over another.
  std::uint64_t last = 0;
  for (const std::string& name : runs) last = std::max<std::uint64_t>(last, std::strtoull(name.c_str(), nullptr, 10));
  return WriteWhole(*files_, folder_, fmt::format("{:06}{}", last + 1, kEnding), text);
}

}  // namespace cordon::engine
