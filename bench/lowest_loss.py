#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Least loss at a given guarantee on two public tables: cordon at its efforts next to ARX's best local recoding, as a Markdown table.

    CORDON_DATA_DIR=DIR bench/lowest_loss.py [--efforts low,normal,high] [--seeds 1,2,3] [--tables adult,adult-17-90,fars] [--cases k5,t-equal]
                                             [--cordon BINARY] [--csv FILE] [--gate]

Every cell comes from a release on disk: `cordon anonymize --threads 1 --seed N` writes it, `cordon verify` judges it, and `cordon evaluate`, one evaluator
for all, measures its loss; the releases of ARX that come with the data (DIR/adult/arx_*.csv) go through the same `cordon evaluate`. Other figures of ARX are
those reported for ARX 3.9.2 on the same data by the same measure (in brackets); its seconds are CPU seconds of the anonymization alone in a warm JVM, ours are
those of the whole process: reading, binding, searching, verifying, measuring and writing.

Tables: adult (30,162 rows; age over the 100 years of its hierarchy), adult-17-90 (age over the years that occur), fars (100,937 rows). k: all columns are quasi.
Otherwise k = 5 is added to the model and occupation (fars: iinjury) is sensitive; t-ordered: age (iage). No row may be suppressed. Losses are means over the seeds,
with the least and the largest. With --gate the exit status is 1 if a mean misses its target.
"""
import argparse
import csv
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import measure

K5 = ("k-anonymity", {"k": 5})
# The most that may be lost: {case: {effort: loss}}. normal is asked of normal, high of high; low must not lose more than ARX for k.
ADULT_TARGETS = {
    "k5": {"normal": 0.0425}, "k10": {"normal": 0.0687}, "k100": {"normal": 0.190}, "l3": {"normal": 0.0240}, "l5": {"normal": 0.0377},
    "t-equal": {"normal": 0.273, "high": 0.252}, "t-hierarchical": {"normal": 0.190, "high": 0.170}, "t-ordered": {"normal": 0.0412, "high": 0.0388},
    "beta4": {"normal": 0.120, "high": 0.114}, "beta1": {"normal": 0.360, "high": 0.358}, "enhanced4": {"normal": 0.136, "high": 0.124}}
FARS_TARGETS = {"k5": {"normal": 0.0367}}
# {case: (loss, CPU seconds, share of rows suppressed)}
ADULT_ARX = {
    "k5": (0.059, 4.3, 0), "k10": (0.082, 6.8, 0), "k100": (0.197, 22.5, 0), "l3": (0.037, 1.2, 0), "l5": (0.054, 2.3, 0), "t-equal": (0.443, 71, 0.036),
    "t-hierarchical": (0.335, 61, 0.061), "t-ordered": (0.049, 2.1, 0.002), "beta4": (0.148, 10.7, 0.078), "beta1": (0.452, 55, 0.24), "enhanced4": (0.173, 19, 0.07)}
FARS_ARX = {"k5": (0.041, 17, 0)}
ADULT_ARX_FILES = {"k5": "arx_k5_local.csv", "t-equal": "arx_t02_equal_local.csv", "beta4": "arx_beta4_local.csv"}


class Table:
    """A public table: its file, its columns and what others lose on it."""

    def __init__(self, data, name, age, age_range, sensitive, targets, arx, arx_files):
        self.folder, self.name, self.age, self.age_range = Path(data) / name, name, age, age_range
        self.sensitive, self.targets, self.arx, self.arx_files = sensitive, targets, arx, arx_files
        self.path = self.folder / f"{name}.csv"
        with open(self.path, encoding="utf-8", newline="") as file:
            self.columns = next(csv.reader(file, delimiter=";"))

    def policy(self, sensitive, models):
        return '[data]\ndelimiter = ";"\n' + measure.attributes({name: self.attribute(name, sensitive) for name in self.columns}) + measure.privacy(models)

    def attribute(self, name, sensitive):
        numeric = name == self.age and (self.age_range or name == sensitive)
        keys = {"role": "sensitive" if name == sensitive else "quasi", "type": "numeric" if numeric else "categorical"}
        if numeric and name == sensitive:
            return keys
        if numeric:
            keys["range"] = self.age_range
        return keys | {"hierarchy": str(self.folder / f"{self.name}_hierarchy_{name}.csv")}


def tables_of(data):
    adult = {"sensitive": "occupation", "targets": ADULT_TARGETS, "arx": ADULT_ARX, "arx_files": ADULT_ARX_FILES}
    return {"adult": lambda: Table(data, "adult", "age", [1, 100], **adult),
            "adult-17-90": lambda: Table(data, "adult", "age", [17, 90], **adult),
            "fars": lambda: Table(data, "fars", "iage", None, "iinjury", FARS_TARGETS, FARS_ARX, {})}


def cases_of(table):
    """{case: (sensitive column or None, models)}"""
    cases = {f"k{k}": (None, [("k-anonymity", {"k": k})]) for k in (5, 10, 100)}
    for name, model, keys in [("l3", "l-diversity", {"l": 3}), ("l5", "l-diversity", {"l": 5}),
                              ("t-equal", "t-closeness", {"t": 0.2, "distance": "equal"}),
                              ("t-hierarchical", "t-closeness", {"t": 0.2, "distance": "hierarchical"}),
                              ("t-ordered", "t-closeness", {"t": 0.2, "distance": "ordered"}),
                              ("beta4", "beta-likeness", {"beta": 4, "kind": "basic"}), ("beta1", "beta-likeness", {"beta": 1, "kind": "basic"}),
                              ("enhanced4", "beta-likeness", {"beta": 4, "kind": "enhanced"})]:
        column = table.age if name == "t-ordered" else table.sensitive
        cases[name] = (column, [K5, (model, {"sensitive": column, **keys})])
    return cases


class Bench:
    def __init__(self, cordon, folder):
        self.cordon, self.policy, self.report, self.release = cordon, folder / "policy.toml", folder / "report.json", folder / "release.csv"

    def take(self, table, sensitive, models):
        """The policy of the runs that follow."""
        self.table = table
        self.policy.write_text(table.policy(sensitive, models), encoding="utf-8")

    def evaluate(self, release):
        out, _ = measure.run([self.cordon, "evaluate", release, "--policy", self.policy, "--original", self.table.path, "--queries", "1", "--json"])
        found = json.loads(out)
        return found["information_loss"], found["suppressed"]

    def anonymize(self, effort, seed):
        _, cost = measure.run([self.cordon, "anonymize", self.table.path, "--policy", self.policy, "--output", self.release, "--force", "--report", self.report, "--effort", effort,
                               "--seed", seed, "--threads", "1"])
        measure.run([self.cordon, "verify", self.release, "--policy", self.policy])
        loss, _ = self.evaluate(self.release)  # it counts a group of * in every column as suppressed, so the report tells how many are
        report = measure.read_json(self.report)
        return {"algorithm": report["algorithm"], "loss": loss, "cpu_s": cost.cpu_s, "search_s": report["seconds"]["anonymize"], "peak_mb": cost.peak_mb,
                "suppressed": report["suppressed"], "groups": report["groups"]}


def arx_cells(bench, case):
    """-> (loss, as text, seconds) of ARX, by our evaluator if its release is at hand"""
    loss, seconds, share = bench.table.arx.get(case, (None, None, None))
    if loss is None:
        return None, "", None
    file = bench.table.arx_files.get(case)  # other losses are reported for the ages 1 to 100 alone
    if file and (bench.table.folder / file).exists():
        loss, suppressed = bench.evaluate(bench.table.folder / file)
        return loss, f"{loss:.4f}" + (f", {suppressed} rows suppressed" if suppressed else ""), seconds
    if bench.table.age_range == [17, 90]:
        return None, "", seconds
    return loss, f"({loss:.3f}" + (f", {share:.1%} suppressed)" if share else ")"), seconds


def target_of(table, case, effort, arx_loss):
    if effort == "low":
        return arx_loss if case.startswith("k") else None
    return table.targets.get(case, {}).get(effort)


def row_of(label, case, effort, runs, target, arx):
    arx_loss, arx_text, arx_seconds = arx
    loss, cpu = statistics.mean(run["loss"] for run in runs), statistics.mean(run["cpu_s"] for run in runs)
    spread = f" ({min(run['loss'] for run in runs):.4f} to {max(run['loss'] for run in runs):.4f})" if len(runs) > 1 else ""
    return {"table": label, "model": case, "effort": effort, "algorithm": runs[0]["algorithm"], "loss": f"{loss:.4f}{spread}", "CPU s": f"{cpu:.2f}",
            "suppressed": max(run["suppressed"] for run in runs), "target": "" if target is None else f"{target:.4f}",
            "met": "" if target is None else "yes" if loss <= target else f"no, {loss / target - 1:.1%} above", "ARX loss": arx_text,
            "ARX CPU s": "" if arx_seconds is None else arx_seconds, "ARX / cordon CPU": "" if arx_seconds is None else f"{arx_seconds / cpu:.1f}"}


def main():
    words = lambda text: text.split(",")  # noqa: E731
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--efforts", type=words, default=["low", "normal", "high"])
    parser.add_argument("--seeds", type=words, default=["1", "2", "3"])
    parser.add_argument("--tables", type=words, default=["adult", "adult-17-90", "fars"])
    parser.add_argument("--cases", type=words)
    parser.add_argument("--cordon")
    parser.add_argument("--csv", help="write every run")
    parser.add_argument("--gate", action="store_true", help="exit 1 if a target is missed")
    args = parser.parse_args()
    data = os.environ.get("CORDON_DATA_DIR")
    if not data:
        parser.error("CORDON_DATA_DIR names no folder with adult and fars")
    known = tables_of(data)
    for name in args.tables:
        if name not in known:
            parser.error(f"no table '{name}'; there are {', '.join(known)}")

    log, missed, started = [], 0, False
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(measure.find_cordon(args.cordon), Path(folder))
        for label in args.tables:
            table = known[label]()
            cases = cases_of(table)
            for case in args.cases or cases:
                if case not in cases:
                    parser.error(f"no case '{case}'; there are {', '.join(cases)}")
                if label == "adult-17-90" and case == "t-ordered":
                    continue  # age is sensitive there: its range plays no part
                bench.take(table, *cases[case])
                arx = arx_cells(bench, case)
                for effort in args.efforts:
                    runs = []
                    for seed in args.seeds:
                        runs.append(bench.anonymize(effort, seed))
                        log.append({"table": label, "model": case, "effort": effort, "seed": seed, **runs[-1]})
                    target = target_of(table, case, effort, arx[0])
                    row = row_of(label, case, effort, runs, target, arx)
                    missed += row["met"].startswith("no")
                    if not started:
                        print("\n".join(measure.markdown_head(row)))
                        started = True
                    print(measure.markdown_row(row.values()), flush=True)
    if args.csv:
        measure.write_csv(args.csv, log)
    return 1 if args.gate and missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except measure.Failed as failed:
        sys.exit(f"lowest_loss.py: {failed}")
