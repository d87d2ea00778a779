// SPDX-License-Identifier: Apache-2.0
#include "cordon/registry.h"

#include "cordon/api/convert_internal.h"
#include "cordon/registry/history.h"

namespace cordon {
namespace {

RegisteredRelease ListedOf(const engine::RegisteredRelease& entry, std::uint64_t number) {
  return {.number = number,
          .population = entry.population,
          .published = entry.published,
          .command = entry.command,
          .algorithm = entry.algorithm,
          .path = entry.release().path,
          .rows = entry.rows};
}

Result<History> ReadAll(const std::string& path, bool check) {
  CORDON_TRY(const engine::History found, internal::ForCaller(engine::ReadHistory(path, check)));
  History made;
  for (const engine::RegisteredRelease& entry : found.contents.releases) {
    made.releases.push_back(ListedOf(entry, made.releases.size() + 1));
  }
  for (const engine::PendingRelease& pending : found.contents.pending) made.pending.push_back(ListedOf(pending.entry, 0));
  made.checked = check;
  made.holds = found.holds();
  made.json = engine::Dump(engine::ToJson(found));
  made.text = engine::Describe(found);
  return made;
}

}  // namespace

Result<Registry> Registry::Open(const std::string& path) {
  CORDON_RETURN_IF_ERROR(internal::ForCaller(engine::ReadHistory(path, false)));
  return Registry(path);
}

Result<History> Registry::List() const { return ReadAll(path_, false); }
Result<History> Registry::Check() const { return ReadAll(path_, true); }

}  // namespace cordon
