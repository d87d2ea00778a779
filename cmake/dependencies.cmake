# Every third-party part, with the least version that is known to work (Debian 12 ships these).
# scripts/bootstrap.sh installs them by the same list.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt 9.1 REQUIRED)                  # text formatting
if(CORDON_SELF_CONTAINED)
  set(OPENSSL_USE_STATIC_LIBS ON)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()
find_package(ZLIB 1.2.13 REQUIRED)              # .gz in and out
find_package(nlohmann_json 3.11 REQUIRED)       # reports and manifests
pkg_check_modules(xxhash REQUIRED libxxhash>=0.8)  # hashing of texts; used as a header
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto SSL)  # SHA-256; TLS between parties
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium>=1.0.18)  # HMAC, ChaCha20, BLAKE2, OS randomness
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus>=3.3)  # policies
find_package(SQLite3 3.40 REQUIRED)             # the registry of releases
find_package(simdjson 3.0 REQUIRED)             # JSON Lines, UTF-8 validation
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib>=0.11)  # the metrics of a stream
# Files of other programs: each library is used if it is found. CORDON_FOREIGN=OFF leaves all of them out.
#   libxlsxwriter 1.1, libzip 1.7, expat 2.5 (.xlsx out and in), ReadStat 1.1 (SPSS, Stata, SAS in)
set(CORDON_FOREIGN AUTO CACHE STRING "Excel, SPSS, Stata and SAS files: AUTO or OFF")
set(cordon_foreign_LIBRARIES)
function(cordon_optional_library name header)
  find_path(${name}_HEADER ${header})
  set(found TRUE)
  set(paths)
  foreach(library ${ARGN})
    find_library(${name}_${library} ${library})
    if(NOT ${name}_${library})
      set(found FALSE)
    endif()
    list(APPEND paths ${${name}_${library}})
  endforeach()
  if(NOT ${name}_HEADER OR NOT found OR CORDON_FOREIGN STREQUAL OFF OR CORDON_SELF_CONTAINED)
    set(${name}_FOUND FALSE PARENT_SCOPE)
    message(STATUS "cordon: without ${ARGN}")
    return()
  endif()
  set(${name}_FOUND TRUE PARENT_SCOPE)
  set(cordon_foreign_LIBRARIES ${cordon_foreign_LIBRARIES} ${paths} PARENT_SCOPE)
endfunction()
cordon_optional_library(cordon_xlsxwriter xlsxwriter.h xlsxwriter)
cordon_optional_library(cordon_xlsx zip.h zip expat)
cordon_optional_library(cordon_readstat readstat.h readstat)
if(CORDON_CLI)
  find_package(CLI11 2.1 REQUIRED)              # the command line
endif()
if(CORDON_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()
if(CORDON_BENCH)
  find_package(benchmark 1.7 REQUIRED)
endif()
