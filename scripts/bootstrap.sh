#!/usr/bin/env bash
# Installs what a build of cordon needs on Debian 12 (and its kin), and says what. Does nothing where all is there.
#   scripts/bootstrap.sh build         compiler, CMake, libraries
#   scripts/bootstrap.sh build test    also what the tests use
#   scripts/bootstrap.sh lint fuzz bench package
# The versions these packages must have are stated in cmake/dependencies.cmake.
set -euo pipefail

build=(g++ cmake ninja-build pkg-config libfmt-dev zlib1g-dev nlohmann-json3-dev libsodium-dev libssl-dev libtomlplusplus-dev
       libsimdjson-dev libcli11-dev libxxhash-dev libcpp-httplib-dev libbrotli-dev)
test=(libgtest-dev python3)
lint=(clang-format-19 clang-tidy-19)
fuzz=(clang-19 libclang-rt-19-dev)
bench=(libbenchmark-dev time python3 python3-venv)
package=(dpkg-dev)

wanted=()
for set in "$@"; do
  declare -n packages=$set
  wanted+=("${packages[@]}")
done

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

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
