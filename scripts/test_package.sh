#!/usr/bin/env bash
# Runs the packages where nothing else is: the .deb in a root that holds it, the packages it depends on and Debian's essential
# shell tools, and nothing more; the tarball in one that holds the shell tools alone.
#   scripts/test_package.sh FOLDER
# Needs to be root, or user namespaces (unshare); says so if it has neither.
set -euo pipefail
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

enter=(chroot)
[ "$(id -u)" -eq 0 ] || enter=(unshare --map-root-user chroot)
if ! "${enter[@]}" / true 2>/dev/null; then
  echo "package: neither root nor user namespaces here: the packages are made, but not tried" >&2
  exit 1
fi

# Names of a package and of all that it depends on, as installed here.
closure() {
  local todo=("$@") seen=" " name
  while [ ${#todo[@]} -gt 0 ]; do
    name=${todo[0]} todo=("${todo[@]:1}")
    case "$seen" in *" $name "*) continue ;; esac
    seen="$seen$name "
    # shellcheck disable=SC2016
    for name in $(dpkg-query -W -f='${Depends}, ${Pre-Depends}' "$name" 2>/dev/null | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/:.*//; s/ //g'); do
      todo+=("$name")
    done
  done
  echo "$seen"
}

# An empty root with the files of these packages.
fill() {
  local root=$1 name; shift
  mkdir -p "$root"/{usr/bin,usr/sbin,usr/lib,usr/lib64,tmp,dev}
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
  for name in "$@"; do
    { dpkg -L "$name" 2>/dev/null || true; } | while read -r path; do
      if [ -f "$path" ] || [ -L "$path" ]; then echo "${path#/}"; fi
    done
  done | grep -vE '^usr/share/(doc|man|locale|info)/' | sed -E 's#^(bin|sbin|lib|lib64)/#usr/\1/#' | sort -u |
    { tar -C / --ignore-failed-read -cf - -T - 2>/dev/null || true; } | tar -C "$root" --keep-directory-symlink -xf -
  : >"$root/dev/null"
}

# In a root without /proc the loader cannot see where a program lies; LD_ORIGIN_PATH tells it.
try() {
  local root=$1 cordon=$2 demo=$3
  inside() { "${enter[@]}" "$root" /usr/bin/env -i PATH=/usr/bin "LD_ORIGIN_PATH=$(dirname "$cordon")" "$@"; }
  inside "$cordon" --help >"$work/help"
  grep -q anonymize "$work/help"
  inside /bin/bash "$demo" "$cordon" /tmp/demo >"$work/demo" 2>&1 || { cat "$work/demo"; return 1; }
  grep -q 'k-anonymity(k=5): holds' "$work/demo"
  inside "$cordon" inspect /tmp/demo/patients.csv >"$work/inspect"
  if find "$root" -name libduckdb.so | grep -q .; then  # packed with Parquet
    inside "$cordon" anonymize /tmp/demo/patients.csv --policy /tmp/demo/policy.toml --output /tmp/release.parquet >"$work/parquet" 2>&1 ||
      { cat "$work/parquet"; return 1; }
    inside "$cordon" check "sql:SELECT * FROM '/tmp/release.parquet'" --quasi age,sex,zip,job,admitted >"$work/check"
    grep -q '^2000 rows in' "$work/check"
  fi
}

tools="bash coreutils"
deb=$(ls "$folder"/*.deb)
depends=$(dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g')
# shellcheck disable=SC2046,SC2086
fill "$work/deb" $(closure $tools $depends)
dpkg-deb -x "$deb" "$work/deb"
try "$work/deb" /usr/bin/cordon /usr/share/cordon/demo.sh
echo "package: $(basename "$deb") runs with its dependencies alone ($(echo $depends))"

tarball=$(ls "$folder"/*.tar.gz)
# shellcheck disable=SC2046
fill "$work/tar" $(closure $tools)
mkdir -p "$work/tar/opt"
tar -C "$work/tar/opt" -xzf "$tarball"
mv "$work/tar/opt/$(basename "$tarball" .tar.gz)" "$work/tar/opt/somewhere else"
try "$work/tar" "/opt/somewhere else/bin/cordon" "/opt/somewhere else/share/cordon/demo.sh"
echo "package: $(basename "$tarball") runs from any folder, with no library but the shell's"
