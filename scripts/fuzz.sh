#!/usr/bin/env bash
# Runs every fuzz target for some seconds, starting from the corpus in the tree; what it finds new stays in the build folder.
#   scripts/fuzz.sh BUILD SECONDS
set -euo pipefail
build=$1
seconds=$2
root=$(cd "$(dirname "$0")/.." && pwd)
for target in "$build"/*_fuzz; do
  name=$(basename "$target" _fuzz)
  mkdir -p "$build/corpus/$name"
  echo "fuzz: $name for $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$build/$name-" \
    "$build/corpus/$name" "$root/fuzz/corpus/$name"
done
