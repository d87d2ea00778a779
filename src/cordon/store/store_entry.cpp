// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/store_entry.h"

#include <filesystem>

#include "cordon/base/digest.h"

namespace cordon::engine {

Result<std::optional<Registration>> RegistrationOf(const std::string& store, const Json& own,
                                                   const std::optional<std::string>& registry, const Policy& policy) {
  if (!registry) {
    if (!own.contains("registry")) return std::optional<Registration>();
    return Error::InvalidPolicy("{} is entered in a registry of releases, and so is what is appended to it", store)
        .WithHint("give --registry {}", own.value("registry", "R.db"));
  }
  if (policy.population.empty()) {
    return Error::InvalidPolicy("{} was made by a policy that does not say whose people these are, and cannot be entered",
                                store)
        .WithHint("append to it without --registry; add population = \"...\" to the policy of the next store");
  }
  CORDON_TRY(Registration begun, Registration::Begin(*registry, policy, ManifestPath(store)));
  if (own.contains("registry") && !begun.ListsStore()) {
    return Error::InvalidPolicy("{} does not list {}, which is entered in another registry", *registry, store)
        .WithHint("give --registry {}", own.value("registry", "R.db"));
  }
  return std::optional<Registration>(std::move(begun));
}

void RememberRegistry(const Registration* registration, Json& own) {
  if (registration == nullptr) return;
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(registration->registry_name(), failed);
  own["registry"] = failed ? registration->registry_name() : whole.lexically_normal().string();
}

Result<void> CommitAndEnter(const StoreRelease& release, const Registration* registration,
                            const std::function<Result<void>()>& commit) {
  if (registration == nullptr) return commit();
  RegisteredRelease entry = registration->NewEntry(release.command, "ke");
  if (release.publication != nullptr) {
    entry.rows = release.publication->verified.release().num_rows;
    entry.models.push_back(ModelEntry(release.publication->verdict));
  }
  const Json& files = release.manifest.json["files"];
  const std::uint64_t part = release.manifest.Parts().back().number;  // new rows are in the last part, merged or not
  for (const char* table : kStoreTables) {
    const std::string name = PartFile(table, part);
    const std::string role = table == kStoreTables[0] ? "release" : table;
    entry.files.push_back(registration->FileOf(role, release.store + "/" + name, files[name]["sha256"]));
  }
  const std::string manifest_sha256 = ToHex(Sha256Of(release.manifest.Text()));
  entry.files.push_back(registration->FileOf("manifest", ManifestPath(release.store), manifest_sha256));
  return registration->Publish(entry, commit);
}

}  // namespace cordon::engine
