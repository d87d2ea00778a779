// SPDX-License-Identifier: Apache-2.0
//
// A store: a table whose one sensitive number is shuffled inside groups, under (k,e)-anonymity. Quasi columns stay exact, so
// aggregates have tight bounds. It is a directory; STORE.private next to it is private. Needs DuckDB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/export.h"
#include "cordon/policy.h"
#include "cordon/result.h"
#include "cordon/run.h"
#include "cordon/table.h"
#include "cordon/verify.h"

namespace cordon {

struct StoreReport {
  std::uint64_t rows = 0;  // published by this call
  std::uint64_t groups = 0;
  std::uint64_t waiting = 0;  // taken in, not published yet
  std::vector<std::string> warnings;
  std::string json;  // as the command line prints it
  std::string text;  // for a person
};

struct CreateOptions {
  std::string sign = {};        // file of the private key that signs the manifest; empty: it is not signed
  std::string registry = {};    // of releases, where the store is entered (cordon/registry.h); empty: it is not
  std::string person_key = {};  // file of the key by which the registry knows people; empty: it does not
  RunOptions run = {};
};

struct AppendOptions {
  bool again = false;           // takes in a batch although the same rows were taken in before
  std::string sign = {};        // as above; a signed store asks for one
  std::string registry = {};    // as above; a store that was entered asks for it
  std::string person_key = {};  // as above
  RunOptions run = {};
};

struct QueryAnswer {
  std::string json;  // numbers with all their digits
  std::string text;  // aligned columns
};

class CORDON_API Store {
 public:
  // `path`: a directory that is not there yet. The report of the first release is in `report`, if it is given.
  static Result<Store> Create(const std::string& path, const Input& input, const Policy& policy, StoreReport* report = nullptr,
                              const CreateOptions& options = {});
  // Compares every file with the manifest.
  static Result<Store> Open(const std::string& path);

  const std::string& path() const { return path_; }

  Result<StoreReport> Append(const Input& rows, const AppendOptions& options = {});
  // SELECT COUNT(*), SUM(s), AVG(s), MIN(s), MAX(s) [WHERE condition] [GROUP BY column, ...]
  Result<QueryAnswer> Query(const std::string& query, const RunOptions& run = {}) const;
  Result<Verification> Verify(const Policy& policy, const VerifyOptions& options = {}) const;

 private:
  explicit Store(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace cordon
