#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/algorithms/stream_rtree.md from bench/algorithms/stream_rtree_bench.cpp.

    bench/stream_rtree_table.py [--bench BINARY] [--json FILE] [--output DIR] [--gate]

Runs the benchmark (build it with the preset `bench`), or reads the JSON of an earlier run, and writes stream_rtree_raw.csv and
stream_rtree_summary.md to the output folder. Times are CPU time of one thread. With --gate the exit status is 1 where full is slower
than 200,000 tuples a second at k = 10 and 1,000 active.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean

import measure
from measure import ROOT

METHODS = ["min-delay", "basic", "density-aware", "full"]
CONTROLS = ["proportional", "fixed", "literal"]
FIELDS = ["method", "control", "active", "alpha", "k", "rows", "more", "seed"]
LEAST_TUPLES_PER_SECOND = 200_000


def read(data):
    """-> a list of runs: family, arguments by name, counters"""
    runs = []
    for each in data["benchmarks"]:
        if each.get("error_occurred"):
            sys.exit(f"{each['name']}: {each['error_message']}")
        family, *arguments = [part for part in each["name"].split("/") if ":" not in part]
        run = {"family": family.removeprefix("BM_")}
        run.update(zip(FIELDS, map(int, arguments)))
        run["method"], run["control"] = METHODS[run["method"]], CONTROLS[run["control"]]
        run["alpha"] /= 10_000
        run["rows"] *= 1000
        run.update({key: value for key, value in each.items() if key in COUNTERS})
        runs.append(run)
    return runs


COUNTERS = ["penalty", "cost", "delay", "delay_p50", "delay_p99", "delay_max", "suppressed", "groups", "just_k", "homogeneity",
            "active_mean", "active_peak", "items_per_second"]


def table(title, head, rows):
    return [f"### {title}", "", *measure.markdown_head(head), *map(measure.markdown_row, rows), ""]


def triple(run):
    return f"{run['penalty']:.3f} / {run['cost']:.3f} / {run['delay']:.0f}"


def summary(runs):
    of = lambda family, **want: [r for r in runs if r["family"] == family and all(r[k] == v for k, v in want.items())]
    lines = []
    lines += table("Speed", ["method", "active", "tuples/s", "penalty", "cost", "delay", "p50", "p99", "most", "groups of k", "homogeneity"],
                   [[r["method"], f"{r['active']:,}", f"{r['items_per_second'] / 1e3:,.0f}k", f"{r['penalty']:.3f}", f"{r['cost']:.2f}",
                     f"{r['delay']:.0f}", f"{r['delay_p50']:.0f}", f"{r['delay_p99']:.0f}", f"{r['delay_max']:.0f}",
                     f"{100 * r['just_k']:.0f} %", f"{r['homogeneity']:.2f}"] for r in of("SalSpeed") + of("SalManyActive")])
    rows = []
    for people in (0, 1):
        for size in sorted({r["rows"] for r in of("SalMethods")}):
            for active in sorted({r["active"] for r in of("SalMethods")}):
                found = [of("SalMethods", method=m, more=people, rows=size, active=active) for m in METHODS]
                rows.append(["rows" if people == 0 else "objects", f"{size:,}", f"{active:,}", *(triple(f[0]) for f in found)])
    lines += table("Methods: penalty / cost / delay, proportional, alpha .001", ["people", "rows", "active", *METHODS], rows)
    rows = []
    for control in ("fixed", "proportional"):
        for alpha in sorted({r["alpha"] for r in of("SalAlpha")}):
            rows.append([control, f"{alpha:.4f}", *(triple(of("SalAlpha", method=m, control=control, alpha=alpha)[0]) for m in METHODS[1:])])
    lines += table("Alpha: penalty / cost / delay, 300 active, 30,000 rows", ["control", "alpha", *METHODS[1:]], rows)
    lines += table("k, active = 30 k, 100,000 rows: penalty / cost / delay", ["k", "basic", "full"],
                   [[k, *(triple(of("SalK", method=m, k=k)[0]) for m in ("basic", "full"))] for k in sorted({r["k"] for r in of("SalK")})])
    lines += table("Columns, 300 active, 100,000 rows: penalty / cost / delay", ["columns", "basic", "full"],
                   [[d, *(triple(of("SalColumns", method=m, more=d)[0]) for m in ("basic", "full"))]
                    for d in sorted({r["more"] for r in of("SalColumns")})])
    lines += table("Sample size, full, 300 active, 100,000 rows", ["sample", "penalty / cost / delay"],
                   [[r["more"], triple(r)] for r in of("SalSample")])
    rows = []
    for shape, name in ((0, "even"), (1, "normal")):
        for m in METHODS:
            found = of("Synthetic", method=m, more=shape)
            rows.append([name, m, " / ".join(f"{mean(r[c] for r in found):.{d}f}" for c, d in (("penalty", 3), ("cost", 3), ("delay", 1)))])
    lines += table("Three numbers, 5 x 30,000 tuples, 300 active, fixed, no caps", ["values", "method", "penalty / cost / delay"], rows)
    rows = []
    for control in CONTROLS:
        found = of("Control", control=control)
        rows.append([control, " ".join(f"{r['active_mean']:.0f}" for r in found), " ".join(f"{r['active_peak']:.0f}" for r in found)])
    lines += table("Control: tuples that wait, basic, target 200, 100,000 tuples, 5 seeds", ["control", "mean", "most"], rows)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bench", default=str(ROOT / "build" / "bench" / "bench" / "stream_rtree_bench"))
    parser.add_argument("--json")
    parser.add_argument("--output", type=Path, default=measure.runs_folder())
    parser.add_argument("--gate", action="store_true")
    args = parser.parse_args()
    path = args.json
    if path is None:
        with tempfile.NamedTemporaryFile(suffix=".json", delete=False) as file:
            path = file.name
        subprocess.run([args.bench, "--benchmark_min_time=0.5", f"--benchmark_out={path}", "--benchmark_out_format=json"], check=True,
                       stdout=subprocess.DEVNULL)
    runs = read(json.loads(Path(path).read_text(encoding="utf-8")))
    lines = ["# stream-rtree", "", "Times are CPU time of one thread.", "", *summary(runs)]
    measure.write_results(args.output, "stream_rtree_raw.csv", runs, "stream_rtree_summary.md", lines)
    print("\n".join(lines))
    speed = [r["items_per_second"] for r in runs if r["family"] == "SalSpeed" and r["method"] == "full"]
    return 1 if args.gate and min(speed) < LEAST_TUPLES_PER_SECOND else 0


if __name__ == "__main__":
    sys.exit(main())
