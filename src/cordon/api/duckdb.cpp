// SPDX-License-Identifier: Apache-2.0
#include "cordon/duckdb.h"

#include "cordon/io/duckdb/duckdb.h"

namespace cordon {

void NameDuckDb(const std::string& library, const std::string& hint) { engine::NameDuckDb(library, hint); }

}  // namespace cordon
