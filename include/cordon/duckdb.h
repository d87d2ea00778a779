// SPDX-License-Identifier: Apache-2.0
//
// DuckDB's library, for Parquet, SQL and stores, is opened when it is first needed. A program that brings one along says where.
#pragma once

#include <string>

#include "cordon/export.h"

namespace cordon {

// Looked at after CORDON_DUCKDB_LIBRARY and before the system and the installation; empty: none. `hint` tells a person how to
// get the library. Call it before other functions, from one thread.
CORDON_API void NameDuckDb(const std::string& library, const std::string& hint);

}  // namespace cordon
