#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Least loss at a given guarantee: cordon at its efforts next to ARX's best local recoding, in ARX's space and with free intervals, as a Markdown table.

    CORDON_DATA_DIR=DIR bench/lowest_loss.py [--efforts low,normal,high] [--seeds 1,2,3] [--tables adult,fars,german,census] [--cases k5,t-equal]
                                             [--arx JAR] [--arx-releases FOLDER] [--cordon BINARY] [--csv FILE] [--gate]

Every cell comes from a release on disk: `cordon anonymize --threads 1 --seed N` writes it, `cordon verify` judges it, and `cordon evaluate`, one evaluator
for all, measures its loss. ARX runs if the reader has it (--arx, see bench/peers/arx.py); its releases and what they cost are kept in --arx-releases and not
made again if they are there. Without it, the releases of ARX that come with the data (DIR/adult/arx_*.csv) are measured, and other cells are empty. CPU
seconds are those of whole processes: start, reading, searching, verifying, measuring and writing.

Two spaces: "same" has every column as ARX has it, one label of its hierarchy file per cell. "free" takes ages, durations and the like as numbers, which are
published as any interval; part of the lead is then the space. A ratio is cordon's loss over ARX's in the same cell, and below 1 is better.

Tables: adult (30,162 rows; age over the 100 years of its hierarchy), adult-17-90 (age over the years that occur; free alone), fars (100,937), german (1,000)
and census (30,000, generated; synthetic). k: all columns are quasi. Otherwise k = 5 is added to the model and one column is sensitive. t is 0.2. cordon may
suppress no row, ARX any. Losses are means over the seeds, with the least and the largest. The last lines name every cell in which normal effort does not lose
less than ARX, to three digits. With --gate the exit status is 1 if there is such a cell or if a mean misses its target.
"""
import argparse
import csv
import json
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path

import measure

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))
import arx as peer  # noqa: E402

# The most that may be lost with free intervals: {case: {effort: loss}}. low must not lose more than ARX for k.
ADULT_TARGETS = {
    "k5": {"normal": 0.0425}, "k10": {"normal": 0.0687}, "k100": {"normal": 0.190}, "l3": {"normal": 0.0240}, "l5": {"normal": 0.0377},
    "t-equal": {"normal": 0.273, "high": 0.252}, "t-hierarchical": {"normal": 0.190, "high": 0.170}, "t-ordered": {"normal": 0.0412, "high": 0.0388},
    "beta4": {"normal": 0.120, "high": 0.114}, "beta1": {"normal": 0.360, "high": 0.358}, "enhanced4": {"normal": 0.136, "high": 0.124}}
FARS_TARGETS = {"k5": {"normal": 0.0367}}
ADULT_ARX_FILES = {"k5": "arx_k5_local.csv", "t-equal": "arx_t02_equal_local.csv", "beta4": "arx_beta4_local.csv"}
ADULT_CASES = ["k2", "k5", "k10", "k25", "k50", "k100", "k250", "k500", "k1000", "l3", "l5", "t-equal", "t-hierarchical", "t-ordered", "beta4", "beta1", "enhanced4"]

# {column: (its place among the 21 of german.data, the codes under each node or the widths of intervals)}
GERMAN = {
    "status": (0, {"overdrawn": ["A11"], "account": ["A12", "A13"], "none": ["A14"]}), "duration": (1, (6, 12, 24)),
    "purpose": (3, {"car": ["A40", "A41"], "home": ["A42", "A43", "A44", "A45"], "person": ["A46", "A47", "A48"], "other": ["A49", "A410"]}),
    "employment": (6, {"short": ["A71", "A72", "A73"], "long": ["A74", "A75"]}), "personal": (8, {"male": ["A91", "A93", "A94"], "female": ["A92", "A95"]}),
    "age": (12, (5, 10, 20)), "housing": (14, {}), "job": (16, {"unskilled": ["A171", "A172"], "skilled": ["A173", "A174"]})}


class Table:
    """A table whose fields are separated by semicolons, hierarchies PREFIXcolumn.csv, and the columns that are numbers in the free space, with their ranges."""

    def __init__(self, path, prefix, numbers, sensitive, ordered, cases, targets=None, arx_files=None, spaces=("same", "free")):
        self.path, self.prefix, self.numbers, self.sensitive, self.ordered = path, prefix, numbers, sensitive, ordered
        self.cases, self.targets, self.arx_files, self.spaces = cases, targets or {}, arx_files or {}, spaces
        with open(path, encoding="utf-8", newline="") as file:
            self.columns = next(csv.reader(file, delimiter=";"))

    def policy(self, space, case):
        sensitive, models = self.models(case)
        columns = {name: self.attribute(space, name, name == sensitive, case) for name in self.columns}
        return '[data]\ndelimiter = ";"\n' + measure.attributes(columns) + measure.privacy(models)

    def attribute(self, space, name, is_sensitive, case):
        if is_sensitive and case == "t-ordered":
            return {"role": "sensitive", "type": "numeric"}
        keys = {"role": "sensitive" if is_sensitive else "quasi", "type": "categorical"}
        if space == "free" and name in self.numbers and not is_sensitive:
            keys |= {"type": "numeric", "range": self.numbers[name]}
        return keys | {"hierarchy": f"{self.prefix}{name}.csv"}

    def models(self, case):
        """-> (sensitive column or None, models)"""
        kind, number = re.fullmatch(r"([a-z-]+?)([0-9]*)", case).groups()
        if kind == "k":
            return None, [("k-anonymity", {"k": int(number)})]
        column = self.ordered if case == "t-ordered" else self.sensitive
        keys = {"l": ("l-diversity", {"l": number}), "beta": ("beta-likeness", {"beta": number, "kind": "basic"}),
                "enhanced": ("beta-likeness", {"beta": number, "kind": "enhanced"})}
        model, keys = keys.get(kind) or ("t-closeness", {"t": 0.2, "distance": kind.removeprefix("t-")})
        return column, [("k-anonymity", {"k": 5}), (model, {"sensitive": column, **keys})]

    def arx_models(self, case):
        made = []
        for model, keys in self.models(case)[1]:
            name = {"k-anonymity": "k", "l-diversity": "l", "beta-likeness": "enhanced-beta" if keys.get("kind") == "enhanced" else "beta"}.get(model, f"t-{keys.get('distance')}")
            value = next(keys[key] for key in ("k", "l", "t", "beta") if key in keys)
            made.append(f"{name}={value}" + (f":{keys['sensitive']}" if "sensitive" in keys else ""))
        return made


def write_widths(path, least, most, widths):
    """A hierarchy of intervals from `least` on, a level per width."""
    def label(value, width):
        low = least + (value - least) // width * width
        return f"{low}-{low + width - 1}"
    lines = [";".join([str(value), *(label(value, width) for width in widths), "*"]) for value in range(least, most + 1)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def german(data, folder):
    rows = [line.split() for line in (data / "uci" / "german.data").read_text(encoding="utf-8").splitlines() if line]
    path, numbers = folder / "german.csv", {}
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, delimiter=";")
        out.writerow(GERMAN)
        out.writerows([row[place] for place, _ in GERMAN.values()] for row in rows)
    for name, (place, tree) in GERMAN.items():
        hierarchy, values = folder / f"german_{name}.csv", {row[place] for row in rows}
        if isinstance(tree, tuple):
            numbers[name] = [min(map(int, values)), max(map(int, values))]
            write_widths(hierarchy, *numbers[name], tree)
            continue
        node_of = {code: node for node, codes in tree.items() for code in codes}
        hierarchy.write_text("".join(f"{code};{node_of[code]};*\n" if tree else f"{code};*\n" for code in sorted(values)), encoding="utf-8")
    return Table(path, folder / "german_", numbers, "purpose", "age", ["k2", "k5", "k10", "k25", "k50", "k100", "l3", "t-equal", "beta4"])


def census(cordon, folder):
    measure.run([cordon, "generate", "census", "--rows", "30000", "--seed", "1", "--rho", "0.3", "--output", folder / "census", "--force"])
    path = folder / "census" / "table.csv"
    with open(folder / "census" / "census.csv", encoding="utf-8", newline="") as file, open(path, "w", encoding="utf-8", newline="") as made:
        csv.writer(made, delimiter=";").writerows(csv.reader(file))
    write_widths(folder / "census" / "salary.csv", 0, 49, (5, 10, 20))
    return Table(path, f"{folder / 'census'}/", {"age": [17, 95], "education": [1, 17], "salary": [0, 49]}, "salary", "salary",
                 ["k5", "k10", "k50", "k100", "k500", "k1000", "l5", "t-ordered", "beta4"])


def tables_of(data, folder, cordon):
    data = Path(data)
    adult = {"path": data / "adult" / "adult.csv", "prefix": data / "adult" / "adult_hierarchy_", "sensitive": "occupation", "ordered": "age",
             "targets": ADULT_TARGETS, "arx_files": ADULT_ARX_FILES}
    return {"adult": lambda: Table(numbers={"age": [1, 100]}, cases=ADULT_CASES, **adult),
            "adult-17-90": lambda: Table(numbers={"age": [17, 90]}, cases=[case for case in ADULT_CASES if case != "t-ordered"], spaces=("free",), **adult),
            "fars": lambda: Table(data / "fars" / "fars.csv", data / "fars" / "fars_hierarchy_", {"iage": [0, 99]}, "iinjury", "iage",
                                  ["k5", "k25", "k100", "k500", "k1000", "l3", "t-ordered"], FARS_TARGETS),
            "german": lambda: german(data, folder),
            "census": lambda: census(cordon, folder)}


class Bench:
    def __init__(self, cordon, folder):
        self.cordon, self.folder, self.policy, self.report, self.release = cordon, folder, folder / "policy.toml", folder / "report.json", folder / "release.csv"

    def take(self, table, space, case):
        """The policy of the runs that follow."""
        self.table = table
        self.policy.write_text(table.policy(space, case), encoding="utf-8")

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


class ArxReleases:
    """One release of ARX per table and case, made if it is not there; its cost lies next to it."""

    def __init__(self, jar, releases, folder):
        self.releases = releases or folder
        self.releases.mkdir(parents=True, exist_ok=True)
        self.arx = peer.Arx(jar, folder) if jar else None

    def find(self, label, table, case):
        """-> (file or None, its cost or None)"""
        release = self.releases / f"{label}-{case}.csv"
        cost = release.with_suffix(".json")
        if not cost.exists() and self.arx:
            _, paid = measure.run(self.arx.command(table.path, table.prefix, "local", 1, release, table.arx_models(case)))
            cost.write_text(json.dumps({"cpu_s": paid.cpu_s, "peak_mb": paid.peak_mb}), encoding="utf-8")
        if cost.exists():
            return release, measure.read_json(cost)
        given = table.path.parent / table.arx_files.get(case, "none")
        return (given if given.exists() else None), None


def of_arx(bench, release):
    """{loss, suppressed, holds} of its release by our evaluator and our verifier"""
    loss, suppressed = bench.evaluate(release)
    try:
        measure.run([bench.cordon, "verify", release, "--policy", bench.policy, "--exempt-suppressed"])
        holds = "yes"
    except measure.Failed:
        holds = "no"
    return {"loss": loss, "suppressed": suppressed, "holds": holds}


def target_of(table, case, effort, arx_loss):
    if effort == "low":
        return arx_loss if case.startswith("k") else None
    return table.targets.get(case, {}).get(effort)


def mean(runs, figure):
    return statistics.mean(run[figure] for run in runs)


def with_spread(runs):
    losses = [run["loss"] for run in runs]
    least, most = f"{min(losses):.4f}", f"{max(losses):.4f}"
    return f"{statistics.mean(losses):.4f}" + (f" ({least} to {most})" if least != most else "")


def row_of(label, case, effort, runs, arx, arx_cost, target):
    """runs, arx: by space"""
    row = {"table": label, "model": case, "effort": effort, "algorithm": next(iter(runs.values()))[0]["algorithm"]}
    known = next(iter(arx.values()), None)
    row |= {"ARX loss": "" if known is None else f"{known['loss']:.4f}", "ARX suppressed": "" if known is None else known["suppressed"],
            "ARX holds": "" if known is None else known["holds"]}
    for space in ("same", "free"):
        made = runs.get(space)
        row |= {f"loss, {space}": with_spread(made) if made else "",
                f"/ ARX, {space}": f"{mean(made, 'loss') / arx[space]['loss']:.3f}" if made and space in arx else ""}
    last = list(runs.values())[-1]
    cpu, peak = max(mean(made, "cpu_s") for made in runs.values()), max(mean(made, "peak_mb") for made in runs.values())
    row |= {"target": "" if target is None else f"{target:.4f}", "met": "" if target is None else "yes" if mean(last, "loss") <= target else "no",
            "CPU s": f"{cpu:.2f}", "ARX CPU s": arx_cost["cpu_s"] if arx_cost else "", "ARX / cordon CPU": f"{arx_cost['cpu_s'] / cpu:.1f}" if arx_cost else "",
            "MB": f"{peak:.0f}", "ARX MB": f"{arx_cost['peak_mb']:.0f}" if arx_cost else ""}
    return row


def compared(row):
    """[(space, ratio)] at normal effort, which has to lose less than ARX in both spaces"""
    ratios = [(space, row[f"/ ARX, {space}"]) for space in ("same", "free")]
    return [(space, ratio) for space, ratio in ratios if ratio and row["effort"] == "normal"]


def is_behind(row):
    return any(float(ratio) >= 1 for _, ratio in compared(row))


def verdict(rows):
    """In words: the cells in which normal effort does not lose less than ARX; nothing if there is nothing to compare."""
    cells = [(f"{row['table']} {row['model']}, {space} space: {ratio}", float(ratio)) for row in rows for space, ratio in compared(row)]
    behind = [cell for cell, ratio in cells if ratio >= 1]
    if not cells:
        return ""
    return f"Normal effort loses less than ARX in {len(cells) - len(behind)} of {len(cells)} cells." + "".join(f"\n- Not in {cell}" for cell in behind)


def main():
    words = lambda text: text.split(",")  # noqa: E731
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--efforts", type=words, default=["low", "normal", "high"])
    parser.add_argument("--seeds", type=words, default=["1", "2", "3"])
    parser.add_argument("--tables", type=words, default=["adult", "fars", "german", "census"])
    parser.add_argument("--cases", type=words)
    parser.add_argument("--arx", metavar="JAR")
    parser.add_argument("--arx-releases", type=Path, metavar="FOLDER")
    parser.add_argument("--cordon")
    parser.add_argument("--csv", help="write every run")
    parser.add_argument("--gate", action="store_true", help="exit 1 if a target is missed or ARX loses less")
    args = parser.parse_args()
    data = os.environ.get("CORDON_DATA_DIR")
    if not data:
        parser.error("CORDON_DATA_DIR names no folder with adult, fars and uci")
    if args.arx and peer.missing(args.arx):
        parser.error(f"ARX is {peer.missing(args.arx)}")

    log, rows, missed = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(measure.find_cordon(args.cordon), Path(folder))
        known = tables_of(data, Path(folder), bench.cordon)
        for name in args.tables:
            if name not in known:
                parser.error(f"no table '{name}'; there are {', '.join(known)}")
        releases = ArxReleases(args.arx, args.arx_releases, Path(folder))
        for label in args.tables:
            table = known[label]()
            for case in args.cases or table.cases:
                if case not in table.cases:
                    if len(args.tables) > 1:
                        continue
                    parser.error(f"no case '{case}'; there are {', '.join(table.cases)}")
                release, arx_cost = releases.find(label.split("-")[0], table, case)
                runs, arx = {effort: {} for effort in args.efforts}, {}
                for space in table.spaces:
                    bench.take(table, space, case)
                    if release:
                        arx[space] = of_arx(bench, release)
                    for effort in args.efforts:
                        runs[effort][space] = [bench.anonymize(effort, seed) for seed in args.seeds]
                        log += [{"table": label, "model": case, "space": space, "effort": effort, "seed": seed, **run} for seed, run in zip(args.seeds, runs[effort][space])]
                for effort in args.efforts:
                    target = target_of(table, case, effort, arx["free"]["loss"] if arx else None)
                    row = row_of(label, case, effort, runs[effort], arx, arx_cost, target)
                    missed += row["met"] == "no" or is_behind(row)
                    if not rows:
                        print("\n".join(measure.markdown_head(row)))
                    print(measure.markdown_row(row.values()), flush=True)
                    rows.append(row)
    if said := verdict(rows):
        print(f"\n{said}")
    if args.csv:
        measure.write_csv(args.csv, log)
    return 1 if args.gate and missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except measure.Failed as failed:
        sys.exit(f"lowest_loss.py: {failed}")
