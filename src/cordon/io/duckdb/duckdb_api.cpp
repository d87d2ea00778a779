// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "cordon/io/duckdb/duckdb_api_internal.h"

namespace cordon::engine {
namespace {

constexpr const char* kHint =
    "`scripts/bootstrap.sh duckdb` fetches the library; or install DuckDB, or name its library in CORDON_DUCKDB_LIBRARY";

struct Named {
  std::string library;
  std::string hint = kHint;
};
Named& NamedDuckDb() {
  static Named named;
  return named;
}

// The folder of the program or shared library that this code is part of; /proc need not be there.
std::filesystem::path OwnFolder() {
  static const char kHere = 0;
  Dl_info info = {};
  link_map* map = nullptr;
  if (dladdr1(&kHere, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return {};
  std::error_code failed;
  std::filesystem::path file = map->l_name;
  if (file.empty()) {  // the program itself
    file = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed) file = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  }
  const std::filesystem::path whole = std::filesystem::canonical(file, failed);
  return (failed ? file : whole).parent_path();
}

std::vector<std::string> Places() {
  if (const char* named = std::getenv("CORDON_DUCKDB_LIBRARY"); named != nullptr && *named != '\0') return {named};
  const std::filesystem::path folder = OwnFolder();
  std::vector<std::string> places;
  if (!NamedDuckDb().library.empty()) places.push_back(NamedDuckDb().library);
  places.insert(places.end(), {"libduckdb.so", (folder / "lib/cordon/libduckdb.so").string(),
                               (folder / "../lib/cordon/libduckdb.so").string()});
  return places;
}

// What keeps a library from being used; nothing if it can be.
std::optional<std::string> Bind(void* library, DuckDbApi& api) {
#define CORDON_DUCKDB_BIND(name)                                                    \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, "duckdb_" #name)); \
  if (api.name == nullptr) return std::string("it has no function duckdb_" #name);
  CORDON_DUCKDB_FUNCTIONS(CORDON_DUCKDB_BIND)
#undef CORDON_DUCKDB_BIND
  return std::nullopt;
}

Result<const DuckDbApi*> Load() {
  static DuckDbApi api;
  std::string why;
  for (const std::string& place : Places()) {
    void* library = dlopen(place.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
      // A library that is there and does not load says why; one that is not there need not.
      if (std::error_code failed; std::filesystem::exists(place, failed) || Places().size() == 1)
        why = fmt::format(" ({})", dlerror());
      continue;
    }
    const auto bad = Bind(library, api);
    if (!bad) return &api;
    why = fmt::format(" ({} {} is too old: {})", place, api.library_version != nullptr ? api.library_version() : "", *bad);
    dlclose(library);
  }
  return Error::Io("Parquet files and sql: inputs need DuckDB's library, which was not found{}", why)
      .WithHint("{}", NamedDuckDb().hint);
}

}  // namespace

void NameDuckDb(const std::string& library, const std::string& hint) { NamedDuckDb() = {library, hint}; }

Result<const DuckDbApi*> LoadDuckDb() {
  static const Result<const DuckDbApi*> loaded = Load();
  return loaded;
}

}  // namespace cordon::engine
