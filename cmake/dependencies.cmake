# Every third-party part, with the least version that is known to work (Debian 12 ships these).
# scripts/bootstrap.sh installs them by the same list.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt 9.1 REQUIRED)                  # text formatting
if(CORDON_SELF_CONTAINED)
  set(OPENSSL_USE_STATIC_LIBS ON)
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
if(CORDON_CLI)
  find_package(CLI11 2.1 REQUIRED)              # the command line
endif()
if(CORDON_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()
if(CORDON_BENCH)
  find_package(benchmark 1.7 REQUIRED)
endif()
