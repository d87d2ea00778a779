// SPDX-License-Identifier: Apache-2.0
//
// Tables from and to the Arrow C stream interface (cordon/arrow_c_data.h), by which pandas, polars, DuckDB, pyarrow and Spark
// hand over tables inside a process. Nothing of libarrow is linked.
//
// Read are texts, whole and floating numbers, booleans, decimals, dates, times, timestamps, nulls, and dictionaries of these.
// Every cell becomes the text that it has if the same table is read from a Parquet file: what DuckDB 1.4 casts to VARCHAR. So
// the same rows give the same digests by either way. In particular:
//   - a double 1 is "1.0", and not-a-number is "nan", or "-nan" if its sign bit is set;
//   - a decimal whose digits are all behind the point has no zero in front: ".50". Decimals of more than 38 digits, which
//     DuckDB reads as doubles, keep all of theirs;
//   - a timestamp with a time zone is shown in UTC, "2024-03-31 12:00:00+00", whatever the zone: the zone of a column is how
//     somebody wants it shown, the cell is an instant.
// DuckDB miswrites some numbers that no table of people holds, and these are not followed: a few doubles above 2^80 (2^81 is
// shown as 2^82), and zoned timestamps of years beyond 280,000. Here they are what they are.
// Refused instead of guessed: a timestamp outside of what DuckDB can show, a time of day outside of 0 to 24 hours, and a date
// in milliseconds that is not a whole day. A zoned timestamp or a time of day with a
// fraction of a microsecond is refused too: DuckDB would turn several values into one. Metadata, such as extension types, are
// not looked at.
#pragma once

#include <memory>

#include "cordon/arrow_c_data.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/table.h"

namespace cordon::engine {

// All rows of the stream. The stream is released in every case, and so is all that it gave.
//
// The dictionaries of the table hold what some row shows, in the order of the rows; categories that no row has do not come
// in. Codes and errors are the same for any number of threads. An error names the column, the row (from 1) if it is about a
// cell, and never quotes a cell or the producer's own message, which may hold some.
//
// What the interface says about sizes is checked before anything is read. It does not say how long the buffers are: a
// producer that lies about that is beyond checking.
Result<Table> ReadArrowStream(ArrowArrayStream* stream, const Run& run);

// Fills `out` with a stream of the table: dictionary columns with int32 indices and large-utf8 texts, a batch for every
// kChunkRows rows, absent cells as nulls. A table without rows gives its schema and no batch. The codes are not copied.
//
// A text that no row shows does not leave: a column whose dictionary has such texts gets its own codes and dictionary.
//
// The stream, its schemas and its arrays keep what they need alive, each for itself, and may be released in any order and by
// any thread.
// REQUIRES: every column has num_rows codes.
void ExportArrowStream(const std::shared_ptr<const Table>& table, ArrowArrayStream* out);

}  // namespace cordon::engine
