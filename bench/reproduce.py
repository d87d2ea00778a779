#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the experiments of the sources again and works out a verdict on every claim.

    bench/reproduce.py [NAME ...] [--scale small|paper] [--seeds 1,2,3] [--data DIR] [--output DIR] [--claims FILE] [--cordon BINARY] [--list]

NAME is an experiment of bench/reproduce/claims.toml; without one all are run. Writes a CSV file with every run and a plot per experiment, verdicts.csv, and
reproduction.md. --data is the folder with the tables that cannot be made: uci/adult.data. A claim whose table is not there is "data not available".
The scale `small` takes about four CPU minutes; `paper` has the sizes of the sources.
"""
import argparse
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "reproduce"))
import judge  # noqa: E402
import measure  # noqa: E402
import page  # noqa: E402
import runs  # noqa: E402
import tables  # noqa: E402

SEEDS = {"small": [1, 2, 3], "paper": [1, 2, 3, 4, 5]}


def at_scale(experiment, scale):
    """The experiment with the grid values of the scale if a column has different ones."""
    grids = [{name: values[scale] if isinstance(values, dict) else values for name, values in grid.items()} for grid in experiment["grids"]]
    columns = list(dict.fromkeys(name for grid in grids for name in grid))
    return {**experiment, "grids": grids, "columns": columns}


def commit():
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=measure.ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def read_claims(path, names):
    """-> ({name: experiment}, [claims]) of the experiments named; of all if none is."""
    whole = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    unknown = [name for name in names if name not in whole["experiment"]]
    if unknown:
        sys.exit(f"no experiment {', '.join(unknown)}: bench/reproduce.py --list names them")
    chosen = {name: value for name, value in whole["experiment"].items() if not names or name in names}
    return chosen, [claim for claim in whole["claim"] if claim["experiment"] in chosen]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--scale", choices=list(SEEDS), default="small")
    parser.add_argument("--seeds", type=lambda text: [int(value) for value in text.split(",")])
    parser.add_argument("--data")
    parser.add_argument("--output", type=Path, default=measure.ROOT / "build" / "reproduction")
    parser.add_argument("--claims", default=Path(__file__).resolve().parent / "reproduce" / "claims.toml")
    parser.add_argument("--cordon")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    experiments, claims = read_claims(args.claims, args.names)
    if args.list:
        print("\n".join(f"{name}: {experiment['title']}" for name, experiment in experiments.items()))
        return
    cordon, seeds = str(measure.find_cordon(args.cordon)), args.seeds or SEEDS[args.scale]
    args.output.mkdir(parents=True, exist_ok=True)
    verdicts = {}
    for name in experiments:
        experiment = experiments[name] = at_scale(experiments[name], args.scale)
        own = [claim for claim in claims if claim["experiment"] == name]
        print(f"{name}: {experiment['title']}", flush=True)
        try:
            with tempfile.TemporaryDirectory() as scratch:
                rows = runs.run(experiment, args.scale, seeds, cordon, Path(scratch), args.data, tables.TABLES, lambda row: None)
        except tables.NotAvailable as missing:
            print(f"  not available: {missing}")
            verdicts |= {claim["id"]: judge.NOT_AVAILABLE for claim in own}
            continue
        measure.write_csv(args.output / f"{name}.csv", rows)
        drawing = page.plot(experiment, rows)
        if drawing:
            (args.output / f"{name}.svg").write_text(drawing, encoding="utf-8")
            experiment["plotted"] = True
        for claim in own:
            verdicts[claim["id"]] = judge.judge(claim, rows, experiment["columns"])
            print(f"  {claim['id']} {claim['says']} {verdicts[claim['id']].text()}", flush=True)
    measure.write_csv(args.output / "verdicts.csv", [{"claim": claim["id"], "source": claim["source"], "verdict": verdicts[claim["id"]].text(),
                                                      "held": verdicts[claim["id"]].held, "cells": verdicts[claim["id"]].cells} for claim in claims])
    facts = {"command": " ".join(["bench/reproduce.py", *args.names, "--scale", args.scale]), "commit": commit(), "scale": args.scale, "seeds": seeds}
    (args.output / "reproduction.md").write_text(page.page(claims, verdicts, experiments, facts), encoding="utf-8")
    print(f"written: {args.output / 'reproduction.md'}")


if __name__ == "__main__":
    main()
