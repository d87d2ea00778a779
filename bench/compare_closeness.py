#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Information loss of algorithms for t-closeness and beta-likeness, side by side, as Markdown tables.

    bench/compare_closeness.py t    [--t 0.15,0.35,0.55] [--k 6]      loss at equal t and k
    bench/compare_closeness.py beta [--beta 1,2,3,4,5] [--quasi 3]    loss at equal beta
    bench/compare_closeness.py face [--beta 1,2,3,4,5] [--quasi 3]    t-closeness and beta-likeness face to face, by beta
    bench/compare_closeness.py face-t [--t 0.15,0.35] [--quasi 3]     the same, by t

Common flags: --algorithms NAMES, --rows N, --rho 0,0.3,0.6,0.9, --quasi N (the first N columns), --table census|adult|fars, --data DIR (where adult and
fars are), --sensitive COLUMN, --distance ordered|hierarchical|equal, --effort low|normal|high, --cordon BINARY, --csv FILE (every run).

An algorithm is a name of cordon's, with options if it has some: mondrian, mondrian:dims=widest-only, sabre-ak, burel-paper:margin=0.1. "dmondrian" is
mondrian with the delta-disclosure that implies beta-likeness, delta = ln(1 + min(beta, -ln p_max)). Every run is made and judged by `cordon anonymize
--dry-run --seed 1 --threads 1`; "-" stands for a run without a release. Seconds are those of the anonymization alone.

face asks what a release of one model is worth in terms of the other. Equal t: the t that BUREL's release reaches is asked of the t-closeness algorithms, and the
gains in belief that the releases allow are compared. Equal loss: t is searched, by halving, so that the t-closeness release has the loss of BUREL's, or the nearest
above it, and again the gains are compared. face-t goes the other way: for the t that a t-closeness release reaches, the largest beta is searched (40 values from 0.05 to
50, then halvings beyond the best) at which BUREL's release reaches no larger t; reached t does not fall or rise steadily with beta, so all 40 are tried.
"""
import argparse
import csv
import json
import math
import sys
import tempfile
from collections import Counter
from pathlib import Path

import measure

OPTION_TABLES = {"sabre-ak": "sabre", "sabre-knn": "sabre", "burel-paper": "burel"}


class Table:
    """A table on disk, and the part of a policy that describes its columns."""

    def __init__(self, path, columns, sensitive, quasi, delimiter):
        self.path, self.sensitive = path, sensitive
        chosen = [name for name in columns if name != sensitive][:quasi]
        self.policy = f'[data]\ndelimiter = "{delimiter}"\n'
        for name, text in columns.items():
            role = "sensitive" if name == sensitive else "quasi" if name in chosen else "insensitive"
            lines = [line for line in text.splitlines(True) if role == "quasi" or not line.startswith("range")]
            self.policy += f'[attributes.{name}]\nrole = "{role}"\n' + ("" if role == "insensitive" else "".join(lines))
        with open(path, encoding="utf-8") as file:
            counts = Counter(row[sensitive] for row in csv.DictReader(file, delimiter=delimiter))
        self.largest_share = max(counts.values()) / sum(counts.values())


def census(cordon, rows, rho, folder, args):
    measure.run([cordon, "generate", "census", "--rows", rows, "--rho", rho, "--seed", "1", "--output", folder])
    columns = {}
    for name in "age sex education marital_status race work_class birth_place".split():
        numeric = {"age": "[17, 95]", "education": "[1, 17]"}.get(name)
        kind = f'type = "numeric"\nrange = {numeric}\n' if numeric else 'type = "categorical"\n'
        columns[name] = kind + f'hierarchy = "{folder}/{name}.csv"\n'
    columns["salary"] = f'type = "numeric"\nvalues = {list(range(50))}\n'
    return Table(folder / "census.csv", columns, args.sensitive or "salary", args.quasi, ",")


def public(name, args):
    folder = Path(args.data) / name
    with open(folder / f"{name}.csv", encoding="utf-8") as file:
        header = file.readline().strip().split(";")
    columns = {}
    for column in header:
        age = 'type = "numeric"\nrange = [1, 100]\n' if column == "age" else 'type = "categorical"\n'
        columns[column] = age + f'hierarchy = "{folder}/{name}_hierarchy_{column}.csv"\n'
    default = {"adult": "occupation", "fars": "iinjury"}[name]
    return Table(folder / f"{name}.csv", columns, args.sensitive or default, args.quasi, ";")


class Runner:
    """Runs cordon on one table and remembers every run."""

    def __init__(self, cordon, table, folder, label, log, effort):
        self.cordon, self.table, self.folder, self.label, self.log, self.effort = cordon, table, folder, label, log, effort

    def run(self, algorithm, models):
        """models: [(name, {key: value})]. -> {loss, groups, seconds, reached: {model: value}} or None."""
        name, _, options = algorithm.partition(":")
        if name == "dmondrian":
            name, models = "mondrian", [self.derived(model) for model in models]
        text = self.table.policy + measure.privacy(models)
        if options:
            text += f"[algorithm.{OPTION_TABLES.get(name, name)}]\n"
            for option in options.split(","):
                key, _, value = option.partition("=")
                text += f"{key} = " + (value if value[0].isdigit() else f'"{value}"') + "\n"
        policy, report = self.folder / "compare.toml", self.folder / "compare.json"
        policy.write_text(text, encoding="utf-8")
        try:
            measure.run([self.cordon, "anonymize", self.table.path, "--policy", policy, "--algorithm", name, "--dry-run", "--seed", "1", "--threads", "1",
                         "--effort", self.effort, "--report", report])
        except measure.Failed as failed:
            print(f"{algorithm}: {failed}", file=sys.stderr)
            return None
        result = measure.read_json(report)
        answer = {"loss": result["utility"]["information_loss"], "groups": result["groups"], "seconds": result["seconds"]["anonymize"],
                  "reached": {verdict["model"]: verdict["reached"] for verdict in result["privacy"]}}
        self.log.append([self.label, algorithm, "; ".join(f"{m} {k}" for m, k in models), answer["loss"], answer["groups"], answer["seconds"], json.dumps(answer["reached"])])
        return answer

    def derived(self, model):
        name, keys = model
        if name != "beta-likeness" or keys.get("kind") == "basic":
            return model
        delta = math.log1p(min(keys["beta"], -math.log(self.table.largest_share)))
        return "delta-disclosure", {"sensitive": keys["sensitive"], "delta": math.floor(delta * 1e6) / 1e6}

    # Models that hold always: their verdicts tell what a release reaches.
    def watch_t(self, args):
        return "t-closeness", {"sensitive": self.table.sensitive, "t": 1, "distance": args.distance}

    def watch_beta(self):
        return "beta-likeness", {"sensitive": self.table.sensitive, "beta": 100000000, "kind": "basic"}


def cells(answers):
    return [f"{a['loss']:.4f} ({a['groups']}, {a['seconds']:.2f} s)" if a else "-" for a in answers]


def print_row(values):
    print(measure.markdown_row(values), flush=True)


def print_head(values):
    print("\n".join(measure.markdown_head(values)), flush=True)


def compare(runners, args, parameter, values, models_of):
    algorithms = args.algorithms.split(",")
    print_head(["table", parameter] + [f"{name}: loss (groups, time)" for name in algorithms] + ["best"])
    for runner in runners:
        for value in values:
            answers = [runner.run(name, models_of(runner, value)) for name in algorithms]
            made = [(answer["loss"], name) for answer, name in zip(answers, algorithms) if answer]
            print_row([runner.label, value] + cells(answers) + [min(made)[1] if made else "-"])


def at_equal_loss(runner, name, loss, args):
    """The t-closeness release with the least loss that is not below `loss`, among ten halvings of t."""
    low, high, best = 0.0, 1.0, None
    for _ in range(10):
        t = round((low + high) / 2, 6)
        answer = runner.run(name, [("t-closeness", {"sensitive": runner.table.sensitive, "t": t, "distance": args.distance}), runner.watch_beta()])
        if answer and answer["loss"] >= loss:
            best = answer if best is None or answer["loss"] < best["loss"] else best
            low = t
        else:
            high = t
    return best


def face(runners, args):
    likes, closes = args.algorithms.split(";")
    closes = closes.split(",")
    print_head(["table", "beta", "algorithm", "loss", "t reached", "gain reached"] + [f"{name}, equal t: gain (loss)" for name in closes] +
               [f"{name}, equal loss: gain (loss)" for name in closes])
    for runner in runners:
        for beta in args.beta:
            for like in likes.split(","):
                own = runner.run(like, [("beta-likeness", {"sensitive": runner.table.sensitive, "beta": beta}), runner.watch_t(args), runner.watch_beta()])
                if own is None:
                    continue
                t = own["reached"]["t-closeness"]
                row = [runner.label, beta, like, f"{own['loss']:.4f}", f"{t:.4f}", f"{own['reached']['beta-likeness']:.2f}"]
                exact = math.ceil(t * 1e6) / 1e6
                equal = [runner.run(name, [("t-closeness", {"sensitive": runner.table.sensitive, "t": exact, "distance": args.distance}), runner.watch_beta()]) for name in closes]
                costs = [at_equal_loss(runner, name, own["loss"], args) for name in closes]
                row += [f"{a['reached']['beta-likeness']:.2f} ({a['loss']:.4f})" if a else "-" for a in equal + costs]
                print_row(row)


class LargestBeta:
    """The release of the largest beta whose t stays within a bound. Runs are kept: the grid serves every bound."""

    def __init__(self, runner, name, args):
        self.runner, self.name, self.args, self.runs = runner, name, args, {}
        self.grid = [round(0.05 * 1000 ** (i / 39), 4) for i in range(40)]

    def at(self, beta):
        if beta not in self.runs:
            self.runs[beta] = self.runner.run(self.name, [("beta-likeness", {"sensitive": self.runner.table.sensitive, "beta": beta}), self.runner.watch_t(self.args),
                                                          self.runner.watch_beta()])
        return self.runs[beta]

    def within(self, bound):
        fits = lambda beta: self.at(beta) is not None and self.at(beta)["reached"]["t-closeness"] <= bound  # noqa: E731
        low = max(filter(fits, self.grid), default=None)
        if low is None or low == self.grid[-1]:
            return low, low and self.at(low)
        high = self.grid[self.grid.index(low) + 1]
        for _ in range(6):
            middle = round((low + high) / 2, 4)
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low, self.at(low)


def face_t(runners, args):
    likes, closes = args.algorithms.split(";")
    print_head(["table", "t", "algorithm", "loss", "t reached", "gain reached"] + [f"{name}: beta, gain (loss)" for name in likes.split(",")])
    for runner in runners:
        searches = [LargestBeta(runner, like, args) for like in likes.split(",")]
        for t in args.t:
            for name in closes.split(","):
                own = runner.run(name, [("t-closeness", {"sensitive": runner.table.sensitive, "t": t, "distance": args.distance}), runner.watch_beta()])
                if own is None:
                    continue
                reached = own["reached"]["t-closeness"]
                found = [search.within(reached) for search in searches]
                print_row([runner.label, t, name, f"{own['loss']:.4f}", f"{reached:.4f}", f"{own['reached']['beta-likeness']:.2f}"] +
                          [f"{beta}, {a['reached']['beta-likeness']:.2f} ({a['loss']:.4f})" if a else "-" for beta, a in found])


def main():
    numbers = lambda text: [float(value) if "." in value else int(value) for value in text.split(",")]  # noqa: E731
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["t", "beta", "face", "face-t"])
    parser.add_argument("--algorithms")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rho", type=numbers, default=[0, 0.3, 0.6, 0.9])
    parser.add_argument("--quasi", type=int)
    parser.add_argument("--t", type=numbers, default=[0.15, 0.25, 0.35, 0.45, 0.55])
    parser.add_argument("--beta", type=numbers, default=[1, 2, 3, 4, 5])
    parser.add_argument("--k", type=int)
    parser.add_argument("--table", choices=["census", "adult", "fars"], default="census")
    parser.add_argument("--data")
    parser.add_argument("--sensitive")
    parser.add_argument("--distance", choices=["ordered", "hierarchical", "equal"])
    parser.add_argument("--cordon")
    parser.add_argument("--effort", choices=["low", "normal", "high"], default="normal")
    parser.add_argument("--csv")
    args = parser.parse_args()
    args.cordon = measure.find_cordon(args.cordon)
    defaults = {"t": ("sabre-ak,sabre-knn,mondrian", 6, 7), "beta": ("burel-paper,burel-paper:margin=0.1,mondrian,dmondrian", None, 3),
                "face": ("burel-paper,burel-paper:margin=0.1;sabre-ak,mondrian", None, 3), "face-t": ("burel-paper:margin=0.1;sabre-ak,mondrian", None, 3)}[args.what]
    args.algorithms = args.algorithms or defaults[0]
    args.k = args.k or defaults[1]
    args.quasi = args.quasi or (defaults[2] if args.table == "census" else 99)
    args.distance = args.distance or ("ordered" if args.table == "census" else "equal")
    if args.table != "census" and not args.data:
        parser.error("--table adult and fars need --data DIR")

    log = []
    with tempfile.TemporaryDirectory() as scratch:
        runners = []
        if args.table == "census":
            for rho in args.rho:
                folder = Path(scratch) / f"rho{rho}"
                table = census(args.cordon, args.rows, rho, folder, args)
                runners.append(Runner(args.cordon, table, folder, f"census {args.rows // 1000}k, rho {rho}", log, args.effort))
        else:
            runners.append(Runner(args.cordon, public(args.table, args), Path(scratch), args.table, log, args.effort))
        k = [("k-anonymity", {"k": args.k})] if args.k else []
        if args.what == "t":
            compare(runners, args, "t", args.t,
                    lambda runner, t: k + [("t-closeness", {"sensitive": runner.table.sensitive, "t": t, "distance": args.distance})])
        elif args.what == "beta":
            compare(runners, args, "beta", args.beta, lambda runner, beta: k + [("beta-likeness", {"sensitive": runner.table.sensitive, "beta": beta})])
        else:
            (face if args.what == "face" else face_t)(runners, args)
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["table", "algorithm", "models", "information_loss", "groups", "seconds", "reached"]] + log)


if __name__ == "__main__":
    main()
