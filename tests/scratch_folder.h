// SPDX-License-Identifier: Apache-2.0
//
// A folder that no other test sees, gone with the object: ctest runs tests side by side, each in a separate process,
// so a fixed name would be shared.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace cordon::test {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cordon_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~ScratchFolder() {
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  void Write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name, std::ios::binary) << text; }

 private:
  std::filesystem::path path_;
};

}  // namespace cordon::test
