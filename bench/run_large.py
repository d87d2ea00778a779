#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large tables: loss, CPU and wall time, and peak memory, as a Markdown table.

    bench/run_large.py [--data DIR] [--cordon BINARY] [--cells adult-like,models,census] [--rows N] [--threads 1,2] [--seed S]

- adult-like: 40 copies of adult, 1,206,480 rows. Every age moves by up to 3 years, and in 80 % of the rows one column is drawn
  again from the whole table. Nine quasi columns, k = 5. It needs --data (or CORDON_DATA_DIR), a folder with adult/adult.csv.
- models: a generated census of a million rows (--rows) under t-closeness and beta-likeness, k = 5, low effort, seven quasi
  columns. "wide" has 150,000 sensitive values instead of 50.
- census: ten million generated rows, k = 10: Mondrian, then partition at low and at normal effort.

Every release is verified by the run that makes it. CPU seconds are those of whole processes.
"""
import argparse
import csv
import os
import random
import sys
import tempfile
from pathlib import Path

import measure

MODELS = {
    "ordered t = 0.2": ("t-closeness", {"t": 0.2, "distance": "ordered"}), "ordered t = 0.1": ("t-closeness", {"t": 0.1, "distance": "ordered"}),
    "equal t = 0.4": ("t-closeness", {"t": 0.4, "distance": "equal"}), "beta = 4": ("beta-likeness", {"beta": 4}), "beta = 1": ("beta-likeness", {"beta": 1})}


def adult_like(data, folder):
    chance = random.Random(1)
    with open(data / "adult" / "adult.csv", newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file, delimiter=";")
    age = names.index("age")
    with open(folder / "adult.csv", "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, delimiter=";", lineterminator="\n")
        out.writerow(names)
        for _ in range(40):
            for row in rows:
                row = list(row)
                row[age] = str(min(100, max(1, int(row[age]) + chance.randint(-3, 3))))
                if chance.random() < 0.8:
                    column = chance.randrange(len(names))
                    row[column] = chance.choice(rows)[column]
                out.writerow(row)
    columns = {name: {"role": "quasi", "type": "categorical", "hierarchy": str(data.resolve() / "adult" / f"adult_hierarchy_{name}.csv")} for name in names}
    columns["age"] = {"role": "quasi", "type": "numeric", "range": [1, 100]}
    (folder / "policy.toml").write_text('[data]\ndelimiter = ";"\n' + measure.attributes(columns) + measure.privacy([("k-anonymity", {"k": 5})]), encoding="utf-8")


def census(cordon, folder, rows):
    measure.run([cordon, "generate", "census", "--rows", rows, "--rho", 0.3, "--seed", 1, "--output", folder])
    return (folder / "policy.toml").read_text(encoding="utf-8")


def wide(folder):
    """salary x 3,000 plus a random number below 3,000"""
    chance = random.Random(1)
    with open(folder / "census.csv", newline="", encoding="utf-8") as file, open(folder / "wide.csv", "w", newline="", encoding="utf-8") as out:
        reader, writer = csv.reader(file), csv.writer(out, lineterminator="\n")
        names = next(reader)
        writer.writerow(names)
        place = names.index("salary")
        for row in reader:
            row[place] = str(int(row[place]) * 3000 + chance.randrange(3000))
            writer.writerow(row)


def with_model(policy, values, model, keys):
    """The policy of `generate` with k = 5 and another model on salary."""
    head = policy.split("[attributes.salary]")[0]
    return head + measure.attributes({"salary": {"role": "sensitive", "type": "numeric"} | values}) + measure.privacy(
        [("k-anonymity", {"k": 5}), (model, {"sensitive": "salary"} | keys)])


class Bench:
    def __init__(self, asked):
        self.cordon, self.threads, self.seed = measure.find_cordon(asked.cordon), asked.threads.split(","), asked.seed
        print("\n".join(measure.markdown_head(["table", "rows", "model or algorithm", "effort", "threads", "loss", "CPU s", "wall s", "peak MB"])))

    def cell(self, folder, table, policy, what, effort, *flags):
        for threads in self.threads:
            report = folder / "report.json"
            _, cost = measure.run([self.cordon, "anonymize", folder / table, "--policy", folder / policy, "--output", folder / "out.csv", "--report", report,
                                   "--effort", effort, "--threads", threads, "--seed", self.seed, "--force", *flags])
            facts = measure.read_json(report)
            print(measure.markdown_row([table.split(".")[0], f"{facts['rows']:,}", what, effort, threads, f"{facts['utility']['information_loss']:.6f}",
                                        f"{cost.cpu_s:.1f}", f"{cost.wall_s:.1f}", f"{cost.peak_mb:.0f}"]), flush=True)

    def adult_like(self, data, folder):
        adult_like(data, folder)
        for effort in ("low", "normal"):
            self.cell(folder, "adult.csv", "policy.toml", "k = 5, partition", effort)

    def models(self, folder, rows):
        policy = census(self.cordon, folder, rows)
        for what, (model, keys) in MODELS.items():
            (folder / "model.toml").write_text(with_model(policy, {"values": list(range(50))}, model, keys), encoding="utf-8")
            self.cell(folder, "census.csv", "model.toml", what, "low")
        wide(folder)
        (folder / "model.toml").write_text(with_model(policy, {}, *MODELS["ordered t = 0.2"]), encoding="utf-8")
        self.cell(folder, "wide.csv", "model.toml", "ordered t = 0.2", "low")

    def census(self, folder):
        census(self.cordon, folder, 10_000_000)
        self.cell(folder, "census.csv", "policy.toml", "k = 10, mondrian", "low", "--algorithm", "mondrian")
        for effort in ("low", "normal"):
            self.cell(folder, "census.csv", "policy.toml", "k = 10, partition", effort)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("CORDON_DATA_DIR"))
    parser.add_argument("--cordon")
    parser.add_argument("--cells", default="adult-like,models,census")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    cells = asked.cells.split(",")
    if "adult-like" in cells and not asked.data:
        sys.exit("adult-like needs --data or CORDON_DATA_DIR, or leave it out of --cells")
    bench = Bench(asked)
    for cell in cells:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if cell == "adult-like":
                bench.adult_like(Path(asked.data), folder)
            elif cell == "models":
                bench.models(folder, asked.rows)
            else:
                bench.census(folder)


if __name__ == "__main__":
    main()
