#!/usr/bin/env bash
# Fetches DuckDB's C header and shared library, which Parquet files and sql: inputs need; everything else runs without.
#   scripts/fetch_duckdb.sh FOLDER      writes FOLDER/include/duckdb.h, FOLDER/lib/libduckdb.so and FOLDER/LICENSE
# They come prebuilt out of two npm packages, pinned by version and SHA-512; nothing of npm's stays, nothing is compiled.
# Does nothing if they are there, or if the system has DuckDB. Without a network it says so and leaves it
# at that, unless CORDON_DUCKDB=ON asks for them.
set -euo pipefail
folder=$1
[ -f "$folder/include/duckdb.h" ] && [ -f "$folder/lib/libduckdb.so" ] && exit 0
if echo '#include <duckdb.h>' | ${CXX:-c++} -E -x c++ - 2>/dev/null | grep -q duckdb_register_scalar_function &&
   ldconfig -p 2>/dev/null | grep -q 'libduckdb\.so'; then
  exit 0  # the system's comes first, if it is recent enough
fi

leave_out() {
  echo "bootstrap: $1; Parquet files and sql: inputs are left out of this build" >&2
  [ "${CORDON_DUCKDB:-AUTO}" = ON ] && exit 1
  exit 0
}

header_package=duckdb@1.4.4
header_sha512=844249e61c9517454b8f776638ba6c5ab411d1bddde1892ab72826ea25178c72430e74aa83f5122b171be6abcdace84560f824b5ac94e9d5c2b603ea7269a9a2
case "$(uname -sm)" in
  "Linux x86_64")
    library_package=@duckdb/node-bindings-linux-x64@1.4.4-r.4
    library_sha512=8c14cbfd6bdfc312d3a056bfa551df4fa7a532d96d2469dcdf04aec590fd39f325b62b7d614755152dfbbc1150cd7313d59f0e5a3b528cc87eccf2b13b01cb1c ;;
  *) leave_out "no pinned DuckDB for $(uname -sm)" ;;
esac
if ! command -v npm >/dev/null; then
  echo "bootstrap: installing npm, to fetch DuckDB with"
  sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  export DEBIAN_FRONTEND=noninteractive
  "${sudo[@]}" apt-get update -qq && "${sudo[@]}" apt-get install -y -qq --no-install-recommends npm >/dev/null ||
    leave_out "npm could not be installed"
fi

# fetch PACKAGE SHA512 ARCHIVE
fetch() {
  npm pack --silent --pack-destination "$work" "$1" >/dev/null 2>&1 || leave_out "npm could not fetch $1"
  mv "$work"/*.tgz "$3"
  if ! echo "$2  $3" | sha512sum --check --status; then
    echo "bootstrap: $1 is not the package that was pinned (SHA-512 differs); refusing it" >&2
    exit 1
  fi
}

echo "bootstrap: fetching DuckDB 1.4.4 (32 MB) from npm: $header_package, $library_package"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fetch "$header_package" "$header_sha512" "$work/header"
fetch "$library_package" "$library_sha512" "$work/library"
tar -xzf "$work/header" -C "$work" package/src/duckdb/src/include/duckdb.h package/LICENSE
tar -xzf "$work/library" -C "$work" package/libduckdb.so
mkdir -p "$folder/include" "$folder/lib"
mv "$work/package/LICENSE" "$folder/LICENSE"
mv "$work/package/src/duckdb/src/include/duckdb.h" "$folder/include/duckdb.h"
chmod 755 "$work/package/libduckdb.so"
mv "$work/package/libduckdb.so" "$folder/lib/libduckdb.so"
