#!/usr/bin/env bash
# Every Google Benchmark of the build, then the end-to-end runs; results under bench/runs/<date>-<machine>/.
#   bench/run_all.sh BUILD
set -euo pipefail
build=$1
root=$(cd "$(dirname "$0")/.." && pwd)
runs="$root/bench/runs/$(date +%F)-$(uname -m)-$(nproc)cpu"
mkdir -p "$runs"
for program in "$build"/bench/*_bench; do
  name=$(basename "$program")
  "$program" --benchmark_out="$runs/$name.json" --benchmark_out_format=json --benchmark_counters_tabular=true
done
python3 "$root/bench/stream_rtree_table.py" --json "$runs/stream_rtree_bench.json" --output "$runs"
python3 "$root/bench/run_end_to_end.py" --cordon "$build/cordon" --output "$runs"
python3 "$root/bench/run_stream.py" --cordon "$build/cordon" --output "$runs"
if [ -d "${CORDON_DATA_DIR:-data}/uci" ]; then
  python3 "$root/bench/run_party.py" "$build/cordon" | tee "$runs/party.txt"
fi
