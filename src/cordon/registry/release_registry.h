// SPDX-License-Identifier: Apache-2.0
//
// The file of a registry: an SQLite database with one row per release, and next to it R.db.pending-* for releases that are
// being put into place (docs/registry.md). Reading changes no byte of it. Every entry is chained to those before it, so a
// registry in which one was changed or removed is refused.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/digest.h"
#include "cordon/base/result.h"
#include "cordon/registry/registered_release.h"

namespace cordon::engine {

using People = std::vector<Sha256Digest>;  // keyed digests, sorted

// A release whose entry is not in the registry yet: its program runs, or was killed.
struct PendingRelease {
  enum class State {
    kPublished,     // the release is there; its entry is not
    kNotPublished,  // the release did not appear
    kOtherBytes,    // a file of that name is there, with other bytes
    kStream,        // a stream that has not ended
    kEntered,       // nothing is missing: the program was killed before it could remove this
  };
  std::string file;         // that holds the entry
  RegisteredRelease entry;  // without digests of people: they went with the program
  State state = State::kNotPublished;
};

struct RegistryContents {
  std::vector<RegisteredRelease> releases;  // number 1 first
  std::vector<PendingRelease> pending;
};

class ReleaseRegistry {
 public:
  explicit ReleaseRegistry(const std::string& path);

  const std::string& name() const { return name_; }  // as it was given
  // How a file is named in the registry, and where it is.
  std::string NameOf(const std::string& file) const;
  std::string PathOf(const RegisteredFile& file) const;

  bool Exists() const;
  // All of it, checked. A registry that does not exist has no releases.
  Result<RegistryContents> Read() const;
  // REQUIRES: the release was entered with the digests of its people.
  Result<People> ReadPeople(const RegisteredRelease& entry) const;

  // Tells that the files of an entry are about to appear, or that they will not. Durable on return.
  Result<void> Announce(const RegisteredRelease& entry) const;
  void Withdraw(const RegisteredRelease& entry) const;

 private:
  friend class RegistryWriter;
  std::string PendingFile(const RegisteredRelease& entry) const;
  Result<std::vector<PendingRelease>> ReadPending(const std::vector<RegisteredRelease>& entered) const;

  std::string name_;
  std::string path_;
  std::string folder_;
  std::filesystem::path from_here_;  // the same folder
};

// The one writer of a registry, from Begin until it goes: nobody else can enter a release in between.
class RegistryWriter {
 public:
  // Makes the registry if it does not exist.
  static Result<RegistryWriter> Begin(const ReleaseRegistry& registry);
  RegistryWriter(RegistryWriter&&) noexcept;
  RegistryWriter& operator=(RegistryWriter&&) = delete;
  ~RegistryWriter();  // without Commit nothing has changed

  const RegistryContents& contents() const { return contents_; }
  Result<void> Enter(const RegisteredRelease& entry, std::span<const Sha256Digest> people);
  // What is pending and was entered, or will never be, is forgotten.
  Result<void> Commit();

 private:
  struct Database;
  RegistryWriter(const ReleaseRegistry& registry, std::unique_ptr<Database> database, RegistryContents contents);

  const ReleaseRegistry& registry_;
  std::unique_ptr<Database> database_;
  RegistryContents contents_;
  std::size_t known_;  // releases before this one began
};

// Of all digests, in their order.
std::string DigestOf(std::span<const Sha256Digest> people);

}  // namespace cordon::engine
