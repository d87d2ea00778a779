// SPDX-License-Identifier: Apache-2.0
//
// A source for whatever a request names: a file, standard input, a query, or a table in memory.
#pragma once

#include <memory>
#include <string>

#include "cordon/base/result.h"
#include "cordon/io/table_input.h"
#include "cordon/io/text/source.h"

namespace cordon::engine {

// A path "-" is standard input, "sql:SELECT ..." a query (duckdb.h). gzip is recognized by its first bytes, whatever the name.
// A .tsv file is separated by tabs unless the options say otherwise. The header is read here, so this may already fail for the
// data's sake. A table in memory is taken as it is: the options are for files. Its digest is that of its names and cells.
Result<std::unique_ptr<Source>> OpenSource(const TableInput& input, const SourceOptions& options);
// All of it.
Result<Table> ReadTableFile(const TableInput& input, const TextFormat& text, std::optional<FileFormat> format, const Run& run);
// From bytes in memory: tests, fuzzing, small files.
Result<std::unique_ptr<Source>> SourceFromBytes(std::string bytes, FileFormat format, const SourceOptions& options);

}  // namespace cordon::engine
