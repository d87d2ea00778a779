#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sabre-w on the census stream over window, step, t and the number of quasi columns, beside the comparators, and its memory at two lengths.

    bench/run_stream_windows.py [--cordon BINARY] [--rows 200000] [--main 1000000] [--long 5000000] [--output DIR] [--full-domain] [--gate]

Every run is `cordon stream` on a file, end to end: reading, engine, verifier, writing. CPU seconds are those of all its threads; one thread reads, one
does the rest. The first table is the setting of the issue (seven quasi columns, window 20,000, step 5,000, t = 0.35, k = 6) at --main tuples. With
--full-domain tIncognito_W is run, too, on a tenth of the tuples and three quasi columns. Writes stream_windows.csv and stream_windows.md to the output
folder; with --gate the exit status is 1 where sabre does not lose less than mondrian in the first table, or memory grows by more than 5 %.
"""
import argparse
import csv
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUASI = ["age", "sex", "education", "marital_status", "race", "work_class", "birth_place"]
K = 6


def policy_of(folder, quasi, window, step, t, partition, extra=""):
    """The generated policy with the first `quasi` columns as quasi, the others published as they are."""
    text = (folder / "policy.toml").read_text().split("[[privacy]]")[0]
    for name in QUASI[quasi:]:
        head, _, rest = text.partition(f"[attributes.{name}]")
        block, bracket, rest = rest.partition("\n[")
        text = head + f"[attributes.{name}]\nrole = \"insensitive\"\n" + bracket + rest
    return text + (f'\n[[privacy]]\nmodel = "window-closeness"\nsensitive = "salary"\nwindow = {window}\nt = {t}\n'
                   f'[[privacy]]\nmodel = "ks-anonymity"\nk = {K}\n[stream]\n[algorithm]\nname = "sabre-w"\n'
                   f'[algorithm.sabre-w]\nstep = {step}\npartition = "{partition}"\n{extra}')


def run(cordon, data, policy, scratch):
    report, cost, path = scratch / "report.json", scratch / "cost.txt", data.parent / "run.toml"
    path.write_text(policy)
    subprocess.run(["/usr/bin/time", "-f", "%M %U %S", "-o", str(cost), cordon, "stream", str(data), "--policy", str(path), "--output",
                    str(scratch / "out.csv"), "--report", str(report)], check=True, stdout=subprocess.DEVNULL)
    result = json.loads(report.read_text())
    kilobytes, user, system = cost.read_text().split()
    return {"tuples": result["tuples"], "loss": round(result["utility"]["information_loss"], 4), "groups": result["groups"],
            "suppressed": result["suppressed"], "cpu_s": round(float(user) + float(system), 2),
            "tuples_per_cpu_s": round(result["tuples"] / (float(user) + float(system))),
            "tuples_per_s": round(result["tuples"] / result["seconds"]), "peak_mb": round(int(kilobytes) / 1024, 1)}


def table(rows):
    columns = list(rows[0])
    return ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)] + ["| " + " | ".join(str(r[c]) for c in columns) + " |" for r in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cordon", default=str(ROOT / "build" / "release" / "cordon"))
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--main", type=int, default=1_000_000)
    parser.add_argument("--long", type=int, default=5_000_000)
    parser.add_argument("--output", default=str(ROOT / "bench" / "runs" / f"{datetime.date.today()}-{platform.machine()}-{os.cpu_count()}cpu"))
    parser.add_argument("--full-domain", action="store_true")
    parser.add_argument("--gate", action="store_true")
    args = parser.parse_args()
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        census = scratch / "census"
        subprocess.run([args.cordon, "generate", "census", "--rows", str(args.main), "--output", str(census)], check=True, capture_output=True)
        whole = census / "census.csv"
        small = census / "small.csv"

        def take(target, rows):
            with open(whole, "rb") as source, open(target, "wb") as sink:
                header, body = source.readline(), source.read()
                sink.write(header)
                for _ in range(rows // args.main):
                    sink.write(body)
                if rows < args.main:
                    sink.write(b"\n".join(body.split(b"\n", rows)[:rows]) + b"\n")

        def measure(data, vary, quasi=7, window=20_000, step=5_000, t=0.35, partition="sabre", extra=""):
            result = run(args.cordon, data, policy_of(census, quasi, window, step, t, partition, extra), scratch)
            runs.append({"vary": vary, "quasi": quasi, "window": window, "step": step, "t": t, "partition": partition + extra.strip().replace(" ", ""), **result})
            print(runs[-1], flush=True)
            return result

        for partition in ["sabre", "sabre-ak", "mondrian"]:
            measure(whole, "main", partition=partition)
        take(small, args.rows)
        for partition in ["sabre", "mondrian"]:
            for window in [10_000, 40_000]:
                measure(small, "window", window=window, partition=partition)
            for step in [1_000, 2_500, 10_000, 20_000]:
                measure(small, "step", step=step, partition=partition)
            for t in [0.05, 0.15, 0.25, 0.55]:
                measure(small, "t", t=t, partition=partition)
            for quasi in [3, 4, 5, 6]:
                measure(small, "quasi", quasi=quasi, partition=partition)
        measure(small, "lazy", extra="lazy = true\n")
        measure(small, "rho", extra="lazy = true\nrho = 0\n")
        measure(small, "sweeps", extra="sweeps = 5\n")
        if args.full_domain:
            take(small, args.rows // 10)
            for partition in ["sabre", "mondrian", "full-domain"]:
                measure(small, "full-domain", quasi=3, partition=partition)
        growth = 1.0
        if args.long > args.main:
            long = census / "long.csv"
            take(long, args.long)
            growth = measure(long, "memory")["peak_mb"] / runs[0]["peak_mb"]
    output = Path(args.output)
    output.mkdir(parents=True, exist_ok=True)
    with open(output / "stream_windows.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(runs[0]))
        writer.writeheader()
        writer.writerows(runs)
    lines = ["# sabre-w over windows", "", f"`{' '.join(['bench/run_stream_windows.py', *sys.argv[1:]])}`", "", *table(runs), "",
             f"Peak memory at {args.long:,} tuples against {args.main:,}: {growth:.3f}.", ""]
    (output / "stream_windows.md").write_text("\n".join(lines), encoding="utf-8")
    met = runs[0]["loss"] < runs[2]["loss"] and growth <= 1.05
    return 1 if args.gate and not met else 0


if __name__ == "__main__":
    sys.exit(main())
