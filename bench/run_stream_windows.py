#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sabre-w on the census stream over window, step, t and the number of quasi columns, next to the comparators, and its memory at two lengths.

    bench/run_stream_windows.py [--cordon BINARY] [--rows 200000] [--main 1000000] [--long 5000000] [--output DIR] [--full-domain] [--gate]

Every run is `cordon stream` on a file, end to end: reading, engine, verifier, writing. CPU seconds are those of all its threads; one thread reads, one
does the rest. The first table is the setting of the issue (seven quasi columns, window 20,000, step 5,000, t = 0.35, k = 6) at --main tuples. With
--full-domain tIncognito_W is run, too, on a tenth of the tuples and three quasi columns. Writes stream_windows.csv and stream_windows.md to the output
folder; with --gate the exit status is 1 where closeness does not lose less than mondrian in the first table, or memory grows by more than 5 %.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import measure

QUASI = ["age", "sex", "education", "marital_status", "race", "work_class", "birth_place"]
K = 6


def policy_of(folder, quasi, window, step, t, partition, extra=""):
    """The generated policy with the first `quasi` columns as quasi, the others published as they are."""
    text = (folder / "policy.toml").read_text().split("[[privacy]]")[0]
    for name in QUASI[quasi:]:
        head, _, rest = text.partition(f"[attributes.{name}]")
        block, bracket, rest = rest.partition("\n[")
        text = head + f"[attributes.{name}]\nrole = \"insensitive\"\n" + bracket + rest
    models = [("window-closeness", {"sensitive": "salary", "window": window, "t": t}), ("ks-anonymity", {"k": K})]
    return (text + "\n" + measure.privacy(models) + '[stream]\n[algorithm]\nname = "sabre-w"\n[algorithm.sabre-w]\n' +
            measure.toml_keys({"step": step, "partition": partition}) + extra)


def run(cordon, data, policy, scratch):
    report, path = scratch / "report.json", data.parent / "run.toml"
    path.write_text(policy)
    _, cost = measure.run([cordon, "stream", data, "--policy", path, "--output", scratch / "out.csv", "--force", "--report", report])
    result = measure.read_json(report)
    return {"tuples": result["tuples"], "loss": round(result["utility"]["information_loss"], 4), "groups": result["groups"],
            "suppressed": result["suppressed"], "cpu_s": cost.cpu_s, "tuples_per_cpu_s": round(result["tuples"] / cost.cpu_s),
            "tuples_per_s": round(result["tuples"] / result["seconds"]), "peak_mb": cost.peak_mb}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cordon")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--main", type=int, default=1_000_000)
    parser.add_argument("--long", type=int, default=5_000_000)
    parser.add_argument("--output", type=Path, default=measure.runs_folder())
    parser.add_argument("--full-domain", action="store_true")
    parser.add_argument("--gate", action="store_true")
    args = parser.parse_args()
    args.cordon = str(measure.find_cordon(args.cordon))
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

        def take_one(data, vary, quasi=7, window=20_000, step=5_000, t=0.35, partition="closeness", extra=""):
            result = run(args.cordon, data, policy_of(census, quasi, window, step, t, partition, extra), scratch)
            runs.append({"vary": vary, "quasi": quasi, "window": window, "step": step, "t": t, "partition": partition + extra.strip().replace(" ", ""), **result})
            print(runs[-1], flush=True)
            return result

        for partition in ["closeness", "sabre-ak", "mondrian"]:
            take_one(whole, "main", partition=partition)
        take(small, args.rows)
        for partition in ["closeness", "mondrian"]:
            for window in [10_000, 40_000]:
                take_one(small, "window", window=window, partition=partition)
            for step in [1_000, 2_500, 10_000, 20_000]:
                take_one(small, "step", step=step, partition=partition)
            for t in [0.05, 0.15, 0.25, 0.55]:
                take_one(small, "t", t=t, partition=partition)
            for quasi in [3, 4, 5, 6]:
                take_one(small, "quasi", quasi=quasi, partition=partition)
        take_one(small, "lazy", extra="lazy = true\n")
        take_one(small, "rho", extra="lazy = true\nrho = 0\n")
        take_one(small, "sweeps", extra="sweeps = 5\n")
        if args.full_domain:
            take(small, args.rows // 10)
            for partition in ["closeness", "mondrian", "full-domain"]:
                take_one(small, "full-domain", quasi=3, partition=partition)
        growth = 1.0
        if args.long > args.main:
            long = census / "long.csv"
            take(long, args.long)
            growth = take_one(long, "memory")["peak_mb"] / runs[0]["peak_mb"]
    measure.write_results(args.output, "stream_windows.csv", runs, "stream_windows.md",
                          ["# sabre-w over windows", "", f"`{' '.join(['bench/run_stream_windows.py', *sys.argv[1:]])}`", "", *measure.markdown_table(runs), "",
                           f"Peak memory at {args.long:,} tuples against {args.main:,}: {growth:.3f}."])
    met = runs[0]["loss"] < runs[2]["loss"] and growth <= 1.05
    return 1 if args.gate and not met else 0


if __name__ == "__main__":
    sys.exit(main())
