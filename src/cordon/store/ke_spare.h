// SPDX-License-Identifier: Apache-2.0
//
// How the tables of a store grow without a copy and without a moment in which they are not whole. There are two of each: those
// of STORE, and a spare of them in the private half, which is what STORE was before the last append. Tables only ever get
// longer (io/parquet/parquet_splice.h), so the spare is the front of STORE: an append brings it up to date, adds what is new,
// and the two directories change places. What it costs is what the last two appends have brought.
//
// Tables that are new are copied once, for the first append. Where there is no spare all the same, or it is not what it
// should be, an append copies the tables, and those of STORE become the spare.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cordon/store/ke_store.h"

namespace cordon::engine {

struct GrownTable {
  FileDigest digest;
  std::uint64_t at = 0;       // its length before
  std::string sha256_so_far;  // for the next time (base/digest.h)
};
using GrownTables = std::array<GrownTable, kNumStoreTables>;

// Tables of a store, of each the first `keep` row groups, and after them those of the tables in the directory `more`.
struct TableGrowth {
  std::string store;
  const StoreManifest& manifest;
  const Json& state;
  std::array<std::uint64_t, kNumStoreTables> keep = {};
  std::string more;
};

// Whether the spare is what the state says, as far as a quick look tells; after a start of the machine by its digests.
bool SpareFits(const std::string& store, const StoreManifest& manifest, const Json& state);

// Writes the tables into `to`, which is the spare by another name, or empty. A copy is held against the manifest in passing.
enum class From { kSpare, kCopy };
Result<GrownTables> GrowTables(const TableGrowth& growth, From from, const std::string& to, const Run& run);

// A spare of tables that are new, in `to`; it lacks their manifest.
Result<GrownTables> CopyTables(const std::string& from, const std::string& to, const Run& run);

// The entry of a private state for the next time: what the spare's manifest is, and how far the digests of STORE's tables are.
Json SpareEntry(const StoreManifest& spare, const Json& so_far);
Json DigestsSoFar(const GrownTables& tables);

}  // namespace cordon::engine
