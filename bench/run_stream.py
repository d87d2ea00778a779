#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A CSV pipe through `cordon stream`: tuples a second, loss, delay, and peak memory at two lengths.

    bench/run_stream.py [--cordon BINARY] [--rows 1000000] [--short 2000000] [--long 10000000] [--output DIR] [--gate]

1. Speed: the census table (seven quasi columns with hierarchies, one sensitive one) comes through a pipe as often as it takes to
   have --rows tuples, at k = 100 and delay 10,000, and at k = 10 and delay 1,000.
2. Memory: `cordon generate powerlaw` (castle) and `sal` (stream-rtree) write into the pipe, --short and --long tuples of each. Peak memory must not differ by
   more than 5 %.

Wall time is what a user sees; CPU time (all threads, the reader's included) is what a busy machine does not spoil. Writes raw.csv and
summary.md to the output folder. With --gate the exit status is 1 if a target is missed.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import measure

LEAST_TUPLES_PER_SECOND = 300_000
MOST_GROWTH = 1.05


def run(cordon, policy, feed, scratch):
    """Feeds the stream through a pipe on both sides; `feed(pipe)` writes the input. -> the report and what the run cost"""
    report, cost = scratch / "report.json", scratch / "cost.txt"
    stream = subprocess.Popen(measure.timed([cordon, "stream", "-", "--policy", policy, "--output", "-", "--report", report], cost),
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    reader = subprocess.Popen(["cat"], stdin=stream.stdout, stdout=subprocess.DEVNULL)
    stream.stdout.close()
    feed(stream.stdin)
    stream.stdin.close()
    stream.wait()
    reader.wait()
    if stream.returncode != 0:
        sys.exit(f"cordon stream failed with {stream.returncode}")
    spent = measure.Cost(cost.read_text())
    return measure.read_json(report) | {"cpu": spent.cpu_s, "peak_mb": spent.peak_mb}


def census(cordon, rows, k, delay, scratch):
    folder = scratch / "census"
    if not folder.exists():
        subprocess.run([cordon, "generate", "census", "--rows", "100000", "--output", str(folder)], check=True, capture_output=True)
    policy = (folder / "policy.toml").read_text().split("[[privacy]]")[0]
    path = folder / f"k{k}.toml"
    path.write_text(policy + "\n" + measure.privacy([("ks-anonymity", {"k": k})]) + "[stream]\n" + measure.toml_keys({"delay": delay}))
    header, _, body = (folder / "census.csv").read_bytes().partition(b"\n")
    per_pass = body.count(b"\n")

    def feed(pipe):
        pipe.write(header + b"\n")
        for _ in range(max(1, rows // per_pass)):
            pipe.write(body)

    return run(cordon, path, feed, scratch)


def generated(cordon, name, rows, scratch):
    folder = scratch / name
    if not folder.exists():
        subprocess.run([cordon, "generate", name, "--rows", "10", "--output", str(folder)], check=True, capture_output=True)

    def feed(pipe):
        subprocess.run([cordon, "generate", name, "--rows", str(rows), "--output", "-"], check=True, stdout=pipe,
                       stderr=subprocess.DEVNULL)

    return run(cordon, folder / "policy.toml", feed, scratch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cordon")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--short", type=int, default=2_000_000)
    parser.add_argument("--long", type=int, default=10_000_000)
    parser.add_argument("--output", type=Path, default=measure.runs_folder())
    parser.add_argument("--gate", action="store_true")
    args = parser.parse_args()
    args.cordon = str(measure.find_cordon(args.cordon))
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for name, made in [("census, 7 quasi columns, k=100, delay 10,000", lambda: census(args.cordon, args.rows, 100, 10_000, scratch)),
                           ("census, 7 quasi columns, k=10, delay 1,000", lambda: census(args.cordon, args.rows, 10, 1_000, scratch)),
                           (f"powerlaw, {args.short:,} tuples", lambda: generated(args.cordon, "powerlaw", args.short, scratch)),
                           (f"powerlaw, {args.long:,} tuples", lambda: generated(args.cordon, "powerlaw", args.long, scratch)),
                           (f"sal, stream-rtree, {args.short:,} tuples", lambda: generated(args.cordon, "sal", args.short, scratch)),
                           (f"sal, stream-rtree, {args.long:,} tuples", lambda: generated(args.cordon, "sal", args.long, scratch))]:
            result = made()
            runs.append({"run": name, "tuples": result["tuples"], "seconds": round(result["seconds"], 2), "cpu_s": round(result["cpu"], 2),
                         "tuples_per_s": round(result["tuples"] / result["seconds"]),
                         "tuples_per_cpu_s": round(result["tuples"] / result["cpu"]),
                         "information_loss": round(result["utility"]["information_loss"], 4), "suppressed": result["suppressed"],
                         "delay_p99": result["delay_tuples"]["p99"], "peak_mb": round(result["peak_mb"], 1)})
            print(runs[-1], flush=True)
    growths = [runs[3]["peak_mb"] / runs[2]["peak_mb"], runs[5]["peak_mb"] / runs[4]["peak_mb"]]
    met = [min(r["tuples_per_s"] for r in runs[:2]) >= LEAST_TUPLES_PER_SECOND, max(growths) <= MOST_GROWTH]
    measure.write_results(args.output, "stream_raw.csv", runs, "stream_summary.md",
                          ["# cordon stream, a CSV pipe on both sides", "", f"`{' '.join(['bench/run_stream.py', *sys.argv[1:]])}`", "",
                           *measure.markdown_table(runs), "",
                           f"Peak memory of the long runs against the short ones: {growths[0]:.3f} and {growths[1]:.3f} (at most {MOST_GROWTH})."])
    return 1 if args.gate and not all(met) else 0


if __name__ == "__main__":
    sys.exit(main())
