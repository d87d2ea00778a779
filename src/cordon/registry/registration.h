// SPDX-License-Identifier: Apache-2.0
//
// How a command that publishes uses a registry. Begin looks up what was published about the same people, CheckInput refuses
// data that has changed since, Publish puts the files into place and enters the release, last and in one transaction.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cordon/data/table.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/policy/policy.h"
#include "cordon/registry/release_registry.h"
#include "cordon/report/report.h"

namespace cordon::engine {

class Registration {
 public:
  const std::string& registry_name() const { return registry_.name(); }

  // Before any work. `output` is the release, or the manifest of the store that it goes into; empty on a dry run. Refuses a
  // policy that does not name its population, a registry that is damaged or something else, and an output without a file.
  static Result<Registration> Begin(const std::string& registry, const Policy& policy, const std::string& output);
  // Refuses an output that was published before.
  Result<void> CheckOutputIsNew() const;
  // The same run with another output: where a release goes may be said after it was made. Refused as Begin does, or if it was
  // published before.
  Result<Registration> WithOutput(const std::string& output) const;

  // Whether it lists a release of the store whose manifest is the output.
  bool ListsStore() const;

  // A warning that names the first release that is not in the same store; for a policy without a model on the join.
  std::vector<Warning> SecondRelease() const;

  // The files of all earlier releases. Refused, by name, if one has changed; `given` (--previous) must have all of them, unless
  // it is empty.
  Result<std::vector<std::string>> Previous(const std::vector<std::string>& given) const;

  // Counts the people of an input and keeps their digests, if there is a key. Refuses a table from which people were removed,
  // or to which they were added, since an earlier release, unless `allow_unequal`.
  Result<void> CheckInput(const Table& table, std::string sha256, const std::optional<std::string>& person_key,
                          bool allow_unequal);
  // The same of rows for a store: other people than those of whom it holds rows. With a key, people who are in it already are
  // refused, unless `again`.
  Result<void> CheckBatch(const Table& table, std::string sha256, const std::optional<std::string>& person_key, bool again);

  // The facts of this run that are known here; the rest is the caller's.
  RegisteredRelease NewEntry(std::string command, std::string algorithm) const;
  RegisteredFile FileOf(std::string role, const std::string& path, std::string sha256) const {
    return {std::move(role), registry_.NameOf(path), std::move(sha256)};
  }

  // For a stream, before its first row: the entry has no digest yet.
  Result<void> Announce(const RegisteredRelease& entry) const { return registry_.Announce(entry); }
  void Withdraw(const RegisteredRelease& entry) const { registry_.Withdraw(entry); }
  // Whether the registry has it already, as a stream that is asked again after its end.
  bool Has(const RegisteredFile& release) const;
  // `show` puts the files into place. An error of it is given back, and nothing is entered. Refused if another release of these
  // people was entered since Begin.
  Result<void> Publish(const RegisteredRelease& entry, const std::function<Result<void>()>& show) const;
  // Enters what earlier runs have published and could not enter.
  Result<void> EnterPending() const;
  // For a stream at its end: the rows are out already.
  Result<void> Enter(const RegisteredRelease& entry) const;

 private:
  Registration(const Policy& policy, ReleaseRegistry registry) : policy_(&policy), registry_(std::move(registry)) {}
  Result<void> Describe(const Table& table, std::string sha256, const std::optional<std::string>& person_key);
  Result<void> CheckKey(const RegisteredRelease& before) const;
  // The people of a release, with those who came into its store later.
  std::vector<const RegisteredRelease*> WithAppends(const RegisteredRelease& before) const;
  Result<People> PeopleOf(const std::vector<const RegisteredRelease*>& releases) const;
  Result<void> CheckAgainst(const RegisteredRelease& before) const;
  std::vector<RegisteredRelease> OfPopulation(const RegistryContents& contents) const;
  Result<void> EnterInto(RegistryWriter& writer, const RegisteredRelease& entry) const;

  const Policy* policy_;
  ReleaseRegistry registry_;
  std::string output_;  // as the registry names it; empty on a dry run
  RegistryContents contents_;
  std::vector<RegisteredRelease> earlier_;  // of this population, oldest first, those with a pending entry last
  std::optional<InputFacts> input_;
  People people_;
};

// A model and what the release reached, as an entry holds it.
Json ModelEntry(const Verdict& verdict);

}  // namespace cordon::engine
