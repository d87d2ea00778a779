#!/usr/bin/env bash
# Runs every fuzz target for some seconds, starting from the corpus in the tree, as many at a time as there are jobs. What it
# finds new stays in the build folder, and so does what each target prints (BUILD/NAME.log).
#   scripts/fuzz.sh BUILD SECONDS JOBS
set -euo pipefail
export build=$1 seconds=$2
root=$(cd "$(dirname "$0")/.." && pwd)
export root
fuzz() {
  name=$(basename "$1" _fuzz)
  mkdir -p "$build/corpus/$name"
  if "$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$build/$name-" \
    "$build/corpus/$name" "$root/fuzz/corpus/$name" >"$build/$name.log" 2>&1; then
    echo "fuzz: $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") inputs in $seconds s, nothing found"
  else
    tail -n 60 "$build/$name.log"
    echo "fuzz: $name failed; its log is $build/$name.log"
    return 1
  fi
}
export -f fuzz
printf '%s\0' "$build"/*_fuzz | xargs -0 -n 1 -P "$3" bash -c 'fuzz "$0"'
