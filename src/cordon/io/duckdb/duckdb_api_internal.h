// SPDX-License-Identifier: Apache-2.0
//
// DuckDB's C functions, found in a library that is opened while the program runs: a program without the library still
// does everything else. Looked for in this order, the first that loads and is recent enough counts:
//
//   $CORDON_DUCKDB_LIBRARY              that file and no other, if it is set
//   NameDuckDb (duckdb.h)               what a program that embeds this one has found
//   the system's libduckdb.so           as the dynamic loader finds it
//   lib/cordon/libduckdb.so             in the folder of the program (or of the library that holds this code) and one up:
//                                       the build tree, /usr/bin next to /usr/lib, an unpacked tarball
#pragma once

#include <duckdb.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "cordon/base/result.h"

namespace cordon::engine {

// clang-format off
#define CORDON_DUCKDB_FUNCTIONS(X)                                                                                        \
  X(library_version) X(create_config) X(set_config) X(destroy_config) X(open_ext) X(close) X(connect) X(disconnect)       \
  X(interrupt) X(free) X(query) X(destroy_result) X(result_error) X(result_error_type) X(column_count) X(column_name)     \
  X(column_type) X(fetch_chunk) X(prepare) X(destroy_prepare) X(prepare_error) X(bind_varchar_length)                     \
  X(prepared_statement_type) X(prepared_statement_column_count) X(prepared_statement_column_name)                         \
  X(prepared_statement_column_type) X(execute_prepared) X(pending_prepared_streaming) X(pending_error) X(execute_pending) \
  X(destroy_pending) X(data_chunk_get_size)        \
  X(data_chunk_get_vector) X(destroy_data_chunk) X(vector_get_data) X(vector_get_validity)                                \
  X(vector_ensure_validity_writable) X(vector_assign_string_element_len) X(create_logical_type) X(create_decimal_type)    \
  X(destroy_logical_type) X(create_scalar_function) X(destroy_scalar_function) X(scalar_function_set_name)                \
  X(scalar_function_add_parameter) X(scalar_function_set_return_type) X(scalar_function_set_extra_info)                   \
  X(scalar_function_set_function) X(register_scalar_function) X(scalar_function_get_extra_info)                               \
  X(column_logical_type) X(decimal_scale) X(decimal_internal_type)
// clang-format on

struct DuckDbApi {
#define CORDON_DUCKDB_MEMBER(name) decltype(&::duckdb_##name) name = nullptr;
  CORDON_DUCKDB_FUNCTIONS(CORDON_DUCKDB_MEMBER)
#undef CORDON_DUCKDB_MEMBER
};

// Whether the cell is not null; `valid` is the validity mask of its vector, and without one no cell is null.
inline bool IsValid(const std::uint64_t* valid, std::size_t row) {
  return valid == nullptr || (valid[row / 64] >> (row % 64) & 1) != 0;
}

// Opens the library once; safe to call from any thread.
Result<const DuckDbApi*> LoadDuckDb();

}  // namespace cordon::engine
