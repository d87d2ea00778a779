#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other tools and cordon on the same data, under one evaluator: cordon evaluate measures every release, cordon verify judges it.

    bench/peers/run.py --data DIR [--arx JAR] [--python PYTHON] [--mondrian DIR] [--castle DIR] [--k 5,10,100] [--stream-rows 3000] [--output DIR] [--cordon BINARY]

Nothing of a peer is in this tree: the reader installs it and says where.
    --arx JAR         ARX (arx.deidentifier.org), the library with its dependencies, and a JDK of version 11 or later
    --python PYTHON   a Python with anjana and pycanon from PyPI (default: this one)
    --mondrian DIR    a checkout of github.com/qiyuangong/Mondrian, Mondrian in Python
    --castle DIR      a checkout of github.com/hallnath1/CASTLEGUARD, CASTLE in Python (pandas, numpy); its noise is turned off
A peer that is not there is a line of the page that says so. DIR has adult/adult.csv and its hierarchies.

Tables: adult with nine quasi columns, each a label of its hierarchy (ARX, anjana; cordon also with free intervals of age, a larger space), and adult with seven columns coded to numbers, age and six categories by sorted label
(Mondrian, CASTLE). Loss is that of cordon evaluate, a row left out counts 1. CPU is that of the whole process with start, reading and writing; peaks
are of resident memory. Ratios are over cordon's best on the same table. Writes peers.csv and peers.md (default: bench/runs/<date>-<machine>).
"""
import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
import arx as peer  # noqa: E402
import measure  # noqa: E402

CODED = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]


class Labelled:
    """Adult with its hierarchies: all nine columns are quasi columns. Age is a label of its hierarchy, as ARX has it, or a number with free intervals."""

    def __init__(self, data, folder, free=False):
        self.name, self.free = "adult, 9 columns, " + ("free intervals of age" if free else "labels of the hierarchies"), free
        self.path, self.folder, self.prefix = data / "adult" / "adult.csv", folder, data / "adult" / "adult_hierarchy_"
        with open(self.path, encoding="utf-8") as file:
            self.columns = file.readline().strip().split(";")

    def policy(self, models):
        columns = {}
        for name in self.columns:
            columns[name] = {"role": "quasi", "type": "numeric", "range": [1, 100]} if name == "age" and self.free else {"role": "quasi", "type": "categorical"}
            columns[name]["hierarchy"] = f"{self.prefix}{name}.csv"
        return '[data]\ndelimiter = ";"\n' + measure.attributes(columns) + models


class Coded:
    """Adult with seven columns, all numbers."""

    name = "adult, 7 columns coded to numbers"

    def __init__(self, data, folder, rows=None):
        with open(data / "adult" / "adult.csv", encoding="utf-8") as file:
            whole = list(csv.DictReader(file, delimiter=";"))
        self.path, self.columns = folder / f"coded-{rows}.csv", CODED
        codes = {name: {label: code for code, label in enumerate(sorted({row[name] for row in whole}))} for name in CODED[1:]}
        self.most = {"age": 100} | {name: len(of) - 1 for name, of in codes.items()}
        with open(self.path, "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(CODED)
            out.writerows([row["age"], *(codes[name][row[name]] for name in CODED[1:])] for row in whole[:rows])

    def policy(self, models):
        return measure.attributes({name: {"role": "quasi", "type": "numeric", "range": [1 if name == "age" else 0, self.most[name]]} for name in CODED}) + models


def k_models(k):
    return measure.privacy([("k-anonymity", {"k": k})])


def judged(cordon, release, table, policy):
    """Loss and suppressed rows of any tool's release, and whether it holds."""
    said, _ = measure.run([cordon, "evaluate", release, "--original", table.path, "--policy", policy, "--json", "--queries", 0])
    found = measure.json.loads(said)
    holds = subprocess.run([cordon, "verify", release, "--policy", policy, "--exempt-suppressed"], capture_output=True).returncode
    return {"loss": round(found["information_loss"], 4), "groups": found["groups"], "suppressed": found["suppressed"], "holds": {0: "yes", 1: "no"}.get(holds, "?")}


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder, self.rows = args, folder, []
        self.arx = None if peer.missing(args.arx) else peer.Arx(args.arx, folder)

    def add(self, table, setting, tool, command, release, policy, absent=None):
        row = {"table": table.name, "setting": setting, "tool": tool}
        if absent:
            print(f"{tool}: {absent}", flush=True)
            self.rows.append({**row, "note": absent})
            return
        Path(release).unlink(missing_ok=True)
        try:
            said, cost = measure.run(command)
            found = judged(self.args.cordon, release, table, policy)
            note = next((line for line in said.splitlines() if line.startswith("failed")), "")
            self.rows.append({**row, **found, "cpu_s": cost.cpu_s, "peak_mb": cost.peak_mb, "note": note})
            print(f"{table.name}, {setting}, {tool}: loss {found['loss']}, {cost.cpu_s} s, {cost.peak_mb} MB", flush=True)
        except measure.Failed as failed:
            print(f"{tool}: {failed}", file=sys.stderr)
            lines = [line for line in str(failed).splitlines() if not line.startswith((" ", "Traceback"))]
            self.rows.append({**row, "note": f"failed: {lines[0][:120] if lines else 'no word'}"})

    def cordon(self, table, setting, algorithm, policy):
        release = self.folder / "cordon.csv"
        self.add(table, setting, f"cordon {algorithm}", [self.args.cordon, "anonymize", table.path, "--policy", policy, "--algorithm", algorithm, "--threads", 1,
                                                         "--output", release, "--force"], release, policy)

    def tables(self, data):
        labelled, free, coded = Labelled(data, self.folder), Labelled(data, self.folder, free=True), Coded(data, self.folder)
        policy, out = self.folder / "policy.toml", self.folder / "peer.csv"
        for k in self.args.k:
            policy.write_text(labelled.policy(k_models(k)), encoding="utf-8")
            for algorithm in ("partition", "full-domain"):
                self.cordon(labelled, f"k = {k}", algorithm, policy)
            for form, limit in (("global", 0), ("global", 0.02), ("local", 1)):
                command = self.arx and self.arx.command(labelled.path, labelled.prefix, form, limit, out, [f"k={k}"])
                self.add(labelled, f"k = {k}", f"ARX, {form}, suppression {limit}", command, out, policy, peer.missing(self.args.arx))
            command = [self.args.python, HERE / "anjana_release.py", labelled.path, labelled.prefix, k, out]
            self.add(labelled, f"k = {k}", "anjana, suppression 2 %", command, out, policy, missing_module(self.args.python, "anjana"))
        for k in self.args.k:
            policy.write_text(free.policy(k_models(k)), encoding="utf-8")
            self.cordon(free, f"k = {k}", "partition", policy)
        for k in self.args.k:
            policy.write_text(coded.policy(k_models(k)), encoding="utf-8")
            for algorithm in ("partition", "mondrian"):
                self.cordon(coded, f"k = {k}", algorithm, policy)
            for form in ("strict", "relaxed"):  # a median that many rows share: one side takes them all, or they are dealt out
                command = [self.args.python, HERE / "mondrian_release.py", self.args.mondrian or "", coded.path, k, form, out]
                self.add(coded, f"k = {k}", f"Mondrian in Python, {form}", command, out, policy, missing_folder(self.args.mondrian, "mondrian.py", "--mondrian"))

    def streams(self, data):
        table, out = Coded(data, self.folder, self.args.stream_rows), self.folder / "stream.csv"
        table.name = f"{table.name}, a stream of {self.args.stream_rows}"
        for k, delay in ((10, 1000),):
            policy = self.folder / "stream.toml"
            policy.write_text(table.policy(measure.privacy([("ks-anonymity", {"k": k})])) + f"[stream]\ndelay = {delay}\n", encoding="utf-8")
            judge = self.folder / "judge.toml"
            judge.write_text(table.policy(k_models(k)), encoding="utf-8")
            setting = f"k = {k}, delay {delay}"
            self.add(table, setting, "cordon castle", [self.args.cordon, "stream", table.path, "--policy", policy, "--algorithm", "castle", "--output", out, "--force"],
                     out, judge)
            command = [self.args.python, HERE / "castle_stream.py", self.args.castle or "", table.path, k, delay, out]
            self.add(table, setting, "CASTLE in Python", command, out, judge, missing_folder(self.args.castle, "src/castle.py", "--castle"))

    def checkers(self, data):
        """How long it takes to say which k a file has; loss is not a question here."""
        table = Labelled(data, self.folder)
        if absent := missing_module(self.args.python, "pycanon"):
            self.rows.append({"table": table.name, "setting": "which k?", "tool": "pycanon", "note": absent})
            print(f"pycanon: {absent}", flush=True)
            return
        answers = {}
        policy = self.folder / "one.toml"
        policy.write_text(table.policy(k_models(1)), encoding="utf-8")
        for tool, command in (("cordon verify", [self.args.cordon, "verify", table.path, "--policy", policy, "--json"]),
                              ("pycanon", [self.args.python, HERE / "pycanon_check.py", table.path])):
            said, cost = measure.run(command)
            answers[tool] = int(measure.json.loads(said)["privacy"][0]["reached"]) if tool != "pycanon" else int(said)
            self.rows.append({"table": table.name, "setting": "which k?", "tool": tool, "cpu_s": cost.cpu_s, "peak_mb": cost.peak_mb, "note": f"says {answers[tool]}"})
            print(f"which k?, {tool}: {answers[tool]}, {cost.cpu_s} s", flush=True)
        if len(set(answers.values())) > 1:
            sys.exit(f"two programs disagree about one file: {answers}")


def missing_module(python, module):
    found = subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0
    return None if found else f"not installed: pip install {module}, and give --python"


def versions(python):
    """What is installed of the peers from PyPI."""
    tell = "import importlib.metadata, sys; print(sys.argv[1], importlib.metadata.version(sys.argv[1]))"
    done = [subprocess.run([python, "-c", tell, module], capture_output=True, text=True).stdout.strip() for module in ("anjana", "pycanon")]
    return ", ".join(said for said in done if said) or "none"


def missing_folder(folder, file, flag):
    if not folder:
        return f"not installed: give {flag} DIR"
    return None if (Path(folder) / file).is_file() else f"not installed: {folder} has no {file}"


def with_ratios(rows):
    """Loss and CPU over those of cordon's run with the least loss on the same table and setting."""
    made = []
    for row in rows:
        own = [each for each in rows if each["tool"].startswith("cordon") and each.get("cpu_s") is not None
               and (each["table"], each["setting"]) == (row["table"], row["setting"])]
        best = min(own, key=lambda each: each.get("loss") or 0, default=None)
        ratios = {}
        for figure in ("loss", "cpu_s", "peak_mb"):
            if best and row.get(figure) is not None and best.get(figure):
                ratios[f"{figure}_ratio"] = round(row[figure] / best[figure], 2)
        made.append({**row, **ratios})
    return made


COLUMNS = ["table", "setting", "tool", "loss", "loss_ratio", "groups", "suppressed", "holds", "cpu_s", "cpu_s_ratio", "peak_mb", "peak_mb_ratio", "note"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--arx")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--mondrian")
    parser.add_argument("--castle")
    parser.add_argument("--k", type=lambda text: [int(value) for value in text.split(",")], default=[5, 10, 100])
    parser.add_argument("--stream-rows", type=int, default=3000)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--cordon")
    args = parser.parse_args()
    args.cordon = measure.find_cordon(args.cordon)
    if not (args.data / "adult" / "adult.csv").is_file():
        sys.exit(f"{args.data} has no adult/adult.csv")
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(args, Path(scratch))
        bench.tables(args.data)
        bench.streams(args.data)
        bench.checkers(args.data)
    rows = [{name: row.get(name, "") for name in COLUMNS} for row in with_ratios(bench.rows)]
    version = subprocess.run([args.cordon, "--version"], capture_output=True, text=True).stdout.strip()
    folder = args.output or measure.runs_folder()
    measure.write_results(folder, "peers.csv", rows, "peers.md",
                          ["# cordon and other tools", "", f"Made by `bench/peers/run.py` with {version}. Every release is measured by `cordon evaluate` and judged by",
                           "`cordon verify`. Ratios are over cordon's run with the lowest loss on the same table. CPU time is that of the whole process.",
                           f"Peers from PyPI: {versions(args.python)}.", "",
                           *measure.markdown_table(rows)])
    print(f"written: {folder / 'peers.md'}")


if __name__ == "__main__":
    main()
