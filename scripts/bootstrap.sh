#!/usr/bin/env bash
# Installs what a build of cordon needs on Debian 12 (and its kin), and says what. Does nothing if all is there.
#   scripts/bootstrap.sh build         compiler, CMake, libraries
#   scripts/bootstrap.sh build test    also what the tests use
#   scripts/bootstrap.sh duckdb        DuckDB's library, for Parquet and SQL (CORDON_DUCKDB=OFF: not wanted)
#   scripts/bootstrap.sh format lint fuzz bench package python spark
# The versions these packages must have are stated in cmake/dependencies.cmake.
set -euo pipefail

build=(g++ cmake ninja-build pkg-config libfmt-dev zlib1g-dev nlohmann-json3-dev libsodium-dev libssl-dev libtomlplusplus-dev
       libsimdjson-dev libcli11-dev libxxhash-dev libcpp-httplib-dev libbrotli-dev libsqlite3-dev libzip-dev libexpat1-dev
       libxlsxwriter-dev libreadstat-dev)
test=(libgtest-dev python3)
format=(clang-format-19)
lint=(clang-format-19 clang-tidy-19)
fuzz=(clang-19 libclang-rt-19-dev)
bench=(libbenchmark-dev time python3 python3-venv)
package=(dpkg-dev file)
python=(python3-dev python3-venv)
spark=(openjdk-17-jre-headless)
duckdb=()  # no package of Debian's: scripts/fetch_duckdb.sh

wanted=()
for set in "$@"; do
  declare -n packages=$set
  wanted+=("${packages[@]}")
done

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
# Last, once a compiler is there.
fetch_duckdb() {
  case " $* " in *" duckdb "*) ;; *) return 0 ;; esac
  [ "${CORDON_DUCKDB:-AUTO}" != OFF ] || return 0
  "$(dirname "$0")/fetch_duckdb.sh" "$(dirname "$0")/../build/duckdb-1.4.4"
}
if [ ${#missing[@]} -eq 0 ]; then
  fetch_duckdb "$@"
  exit 0
fi

echo "bootstrap: installing ${missing[*]}"
if ! command -v apt-get >/dev/null; then
  echo "bootstrap: no apt-get here; install the equivalents of these Debian packages by hand: ${missing[*]}" >&2
  exit 1
fi
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fetch_duckdb "$@"
