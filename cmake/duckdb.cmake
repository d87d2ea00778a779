# DuckDB, for Parquet and SQL. Only its C header is needed to build; the library is opened while the program runs
# (src/cordon/io/duckdb/duckdb_api.cpp), so that everything else works if it is missing. A system DuckDB comes first, then the
# one that scripts/bootstrap.sh has fetched.
#   CORDON_DUCKDB   AUTO: if it is found; ON: it must be; OFF: left out
# Sets cordon_duckdb_FOUND, cordon_duckdb_INCLUDE and, unless the system's is used, cordon_duckdb_LIBRARY.
if(CORDON_DUCKDB STREQUAL "")  # a preset whose environment does not say
  unset(CORDON_DUCKDB CACHE)
endif()
set(CORDON_DUCKDB AUTO CACHE STRING "Parquet and SQL through DuckDB: AUTO, ON or OFF")
set_property(CACHE CORDON_DUCKDB PROPERTY STRINGS AUTO ON OFF)
set(cordon_duckdb_FOUND FALSE)
if(NOT CORDON_DUCKDB STREQUAL "OFF")
  set(fetched ${PROJECT_SOURCE_DIR}/build/duckdb-1.4.4)
  find_path(CORDON_DUCKDB_INCLUDE duckdb.h NO_CACHE)
  find_library(CORDON_DUCKDB_LIBRARY duckdb NO_CACHE)
  if(CORDON_DUCKDB_INCLUDE AND CORDON_DUCKDB_LIBRARY)
    file(STRINGS ${CORDON_DUCKDB_INCLUDE}/duckdb.h recent REGEX "duckdb_register_scalar_function" LIMIT_COUNT 1)
  endif()
  if(recent)
    set(cordon_duckdb_FOUND TRUE)
    set(cordon_duckdb_INCLUDE ${CORDON_DUCKDB_INCLUDE})
  elseif(EXISTS ${fetched}/include/duckdb.h AND EXISTS ${fetched}/lib/libduckdb.so)
    set(cordon_duckdb_FOUND TRUE)
    set(cordon_duckdb_INCLUDE ${fetched}/include)
    set(cordon_duckdb_LIBRARY ${fetched}/lib/libduckdb.so)
    set(cordon_duckdb_LICENSE ${fetched}/LICENSE)
  elseif(CORDON_DUCKDB STREQUAL "ON")
    message(FATAL_ERROR "CORDON_DUCKDB is ON and there is no DuckDB: run scripts/bootstrap.sh duckdb")
  else()
    message(STATUS "No DuckDB: Parquet files and sql: inputs are left out (scripts/bootstrap.sh duckdb fetches it)")
  endif()
endif()
if(cordon_duckdb_LIBRARY)
  # Where programs of the build tree look for it: lib/cordon next to themselves, or one folder up.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib/cordon)
  file(CREATE_LINK ${cordon_duckdb_LIBRARY} ${PROJECT_BINARY_DIR}/lib/cordon/libduckdb.so SYMBOLIC)
  install(PROGRAMS ${cordon_duckdb_LIBRARY} DESTINATION lib/cordon)
  install(FILES ${cordon_duckdb_LICENSE} DESTINATION lib/cordon RENAME libduckdb.LICENSE)
endif()
