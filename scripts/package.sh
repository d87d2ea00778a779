#!/usr/bin/env bash
# Packs a build: a .deb, whose dependencies dpkg knows, and a tarball that runs from any folder and brings its libraries along.
#   scripts/package.sh BUILD FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2"
folder=$(cd "$2" && pwd)
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=cordon-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)

(cd "$folder" && cpack --config "$build/CPackConfig.cmake" -G DEB -B "$folder/stage" >"$folder/cpack.log" 2>&1) || { cat "$folder/cpack.log"; exit 1; }
mv "$folder"/stage/*.deb "$folder"

DESTDIR='' cmake --install "$build" --prefix "$folder/$name" --component Unspecified --strip >/dev/null
mkdir -p "$folder/$name/lib/cordon"
# Everything but the C library itself, which must be that of the machine.
ldd "$folder/$name/bin/cordon" | awk '$2 == "=>" { print $3 }' | grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\.so' |
  xargs -I{} cp -L {} "$folder/$name/lib/cordon/"
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$folder" -czf "$folder/$name.tar.gz" "$name"
rm -rf "$folder/stage" "$folder/cpack.log" "${folder:?}/$name"
ls -l "$folder" | awk 'NR > 1 { print "package: " $NF ", " $5 " bytes" }'
