#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the experiments of the sources again and works out a verdict on every claim.

    bench/reproduce.py [NAME ...] [--scale small|paper] [--seeds 1,2,3] [--data DIR] [--output DIR] [--small DIR] [--claims FILE] [--cordon BINARY]
                       [--list | --page]

NAME is an experiment of bench/reproduce/claims.toml; without one all are run. Each experiment leaves in DIR: NAME.csv with every run, NAME-mean.csv with mean
and range over the seeds, NAME.svg, and NAME.json with the command, the commit and the CPU time. verdicts.csv and the page are then worked out from all CSV
files in DIR, so a long run can be made in pieces; --page works them out and runs nothing.

--scale small (the default) takes about four CPU minutes and writes to build/reproduction. --scale paper has the sizes of the sources; it writes its files to
docs/reproduction and the page to docs/reproduction.md. --small DIR takes the results of a small run along: the page shows them, marked, for experiments
that have no run at the sources' sizes. A later run replaces them. --data is the folder with the tables that cannot be made: uci/adult.data, adult.test, crx.data and
german.data. A claim whose table is not there is "data not available".
"""
import argparse
import csv
import resource
import shutil
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
    sized = {name: value[scale] for name, value in experiment.items() if isinstance(value, dict) and set(value) == set(SEEDS) and name != "rows"}
    return {**experiment, **sized, "grids": grids, "columns": columns}


def commit(root):
    """The commit of the checkout, marked if anything but the results, which a run replaces, differs from it."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/reproduction", ":!docs/reproduction.md")
    return (git("describe", "--always") or "unknown") + ("-dirty" if changed else "")


def read_claims(path):
    """-> ({name: experiment}, [claims])"""
    whole = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    return whole["experiment"], whole["claim"]


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_one(name, experiment, args, seeds, cordon):
    """Runs an experiment and leaves its files in the output folder."""
    own, others = args.output / f"{name}.csv", [args.output / f"{name}-mean.csv", args.output / f"{name}.svg"]
    for old in [own, *others]:
        old.unlink(missing_ok=True)
    facts = {"command": f"bench/reproduce.py {name} --scale {args.scale}", "commit": commit(measure.ROOT), "scale": args.scale, "seeds": runs.seeds_of(experiment, seeds)}
    before = cpu_seconds()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            rows = runs.run(experiment, args.scale, seeds, cordon, Path(scratch), args.data)
        measure.write_csv(own, rows)
    except tables.NotAvailable as missing:
        facts["not_available"] = str(missing)
        print(f"  not available: {missing}")
    facts["cpu_s"] = round(cpu_seconds() - before, 1)
    (args.output / f"{name}.json").write_text(measure.json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def typed(cell):
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            pass
    return cell or None


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [{name: typed(cell) for name, cell in row.items()} for row in csv.DictReader(file)]


def scale_of(name, folder):
    """The scale of an experiment's results in the folder; None if there are none."""
    facts = folder / f"{name}.json"
    return measure.read_json(facts)["scale"] if facts.is_file() else None


def stand_in(name, small, output):
    """The results of a small run, for an experiment without a run at the sources' sizes."""
    if scale_of(name, output) == "paper" or scale_of(name, small) != "small":
        return
    for ending in ("csv", "json"):
        (output / f"{name}.{ending}").unlink(missing_ok=True)
        if (small / f"{name}.{ending}").is_file():
            shutil.copyfile(small / f"{name}.{ending}", output / f"{name}.{ending}")


def work_out(name, experiment, claims, args):
    """The verdicts on an experiment's claims, from its CSV file; and its plot and means."""
    facts_file, table = args.output / f"{name}.json", args.output / f"{name}.csv"
    if not facts_file.is_file():
        return {claim["id"]: judge.NOT_RUN for claim in claims}
    experiment["facts"] = measure.read_json(facts_file)
    if not table.is_file():
        return {claim["id"]: judge.NOT_AVAILABLE for claim in claims}
    rows = read_rows(table)
    experiment["runs"] = len(rows)
    experiment["without_release"] = sum(all(cell is None for name, cell in row.items() if name not in ("seed", *experiment["columns"])) for row in rows)
    measure.write_csv(args.output / f"{name}-mean.csv", page.means(rows, experiment["columns"]))
    drawing = page.plot(experiment, rows)
    if drawing:
        (args.output / f"{name}.svg").write_text(drawing, encoding="utf-8")
        experiment["plotted"] = True
    return {claim["id"]: judge.judge(claim, rows, experiment["columns"]) for claim in claims}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--scale", choices=list(SEEDS), default="small")
    parser.add_argument("--seeds", type=lambda text: [int(value) for value in text.split(",")])
    parser.add_argument("--data")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--small", type=Path)
    parser.add_argument("--claims", default=Path(__file__).resolve().parent / "reproduce" / "claims.toml")
    parser.add_argument("--cordon")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--page", action="store_true")
    args = parser.parse_args()
    experiments, claims = read_claims(args.claims)
    unknown = [name for name in args.names if name not in experiments]
    if unknown:
        sys.exit(f"no experiment {', '.join(unknown)}: bench/reproduce.py --list names them")
    if args.list:
        print("\n".join(f"{name}: {experiment['title']}" for name, experiment in experiments.items()))
        return
    own_folder = args.output is None and args.scale == "paper"  # the one whose page belongs to the documentation
    args.output = args.output or measure.ROOT / ("docs/reproduction" if own_folder else "build/reproduction")
    args.output.mkdir(parents=True, exist_ok=True)
    if args.scale == "small" and "paper" in [scale_of(name, args.output) for name in experiments]:
        sys.exit(f"{args.output} has results of scale paper: give another --output, or --scale paper")
    seeds, verdicts = args.seeds or SEEDS[args.scale], {}
    for name in experiments:
        own = [claim for claim in claims if claim["experiment"] == name]
        chosen = not args.names or name in args.names
        if chosen:
            print(f"{name}: {experiments[name]['title']}", flush=True)
        if chosen and not args.page:
            run_one(name, at_scale(experiments[name], args.scale), args, seeds, str(measure.find_cordon(args.cordon)))
        if args.small:
            stand_in(name, args.small, args.output)
        experiments[name] = experiment = at_scale(experiments[name], scale_of(name, args.output) or args.scale)
        verdicts |= work_out(name, experiment, own, args)
        for claim in own if chosen else []:
            print(f"  {claim['id']} {claim['says']} {verdicts[claim['id']].text()}", flush=True)
    measure.write_csv(args.output / "verdicts.csv", [{"claim": claim["id"], "source": claim["source"], "scale": scale_of(claim["experiment"], args.output),
                                                      "verdict": verdicts[claim["id"]].text(), "held": verdicts[claim["id"]].held,
                                                      "cells": verdicts[claim["id"]].cells} for claim in claims])
    written = args.output.parent / "reproduction.md" if own_folder else args.output / "reproduction.md"
    written.write_text(page.page(claims, verdicts, experiments, "reproduction/" if own_folder else ""), encoding="utf-8")
    print(f"written: {written}")


if __name__ == "__main__":
    main()
