#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sequential releases from the command line: CPU time and peak memory of release-next.

    run_sequential.py CORDON [--data DIR] [--rows 200000,1000000]

Adult is split as in the source: the taxation view is published now, the immigration view was published before. Set A has
categories only (Top6, k = 40..200), set B six numbers more. The scaled tables share five columns of 2 to 12 values; `closed`
knows all of them, `linking` one. Every release is verified by the run itself, and a figure is printed only if it holds.
"""
import argparse
import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race", "sex",
         "capital-gain", "capital-loss", "hours-per-week", "native-country", "class"]
NOW = ["education", "occupation", "workclass", "marital-status", "relationship", "sex"]
SHARED = ["marital-status", "relationship", "sex"]
BEFORE = SHARED + ["native-country", "race"]
NUMBERS = ["age", "capital-gain", "capital-loss", "education-num", "fnlwgt", "hours-per-week"]


def measure(cordon, folder, current, previous, policy, label):
    report = folder / "report.json"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["/usr/bin/env", "bash", "-c", 'ulimit -c 0; exec "$@"', "-", cordon, "--threads", "1", "release-next", current,
               "--previous", previous, "--policy", policy, "--output", folder / "out.csv", "--report", report, "--force"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0:
        print(f"{label}: exit {done.returncode} after {cpu:.2f} CPU s: {done.stderr.splitlines()[-1] if done.stderr else ''}")
        return
    facts = json.loads(report.read_text())
    reached = ", ".join(f"{claim['reached']}" for claim in facts["join"]["privacy"])
    print(f"{label}: {cpu:.2f} CPU s, peak {facts['peak_rss_mb']:.0f} MB, {facts['details']['refinements']} refinements, "
          f"loss {facts['utility']['information_loss']:.4f}, reached {reached}, {facts['join']['tuples']} tuples")
    for line in facts.get("search", []):
        print(f"    {line}")


def adult_rows(data):
    rows = []
    for name in ("adult.data", "adult.test"):
        for row in csv.reader(open(data / "uci" / name), skipinitialspace=True):
            if len(row) == len(NAMES) and "?" not in row:
                rows.append(dict(zip(NAMES, row[:-1] + [row[-1].rstrip(".")])))
    return rows


def write(path, rows, columns):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(columns)
        out.writerows([row[column] for column in columns] for row in rows)


def attribute(name, role, data, numeric=False):
    text = f'[attributes."{name}"]\nrole = "{role}"\n'
    if numeric:
        text += 'type = "numeric"\n'
    tree = data / "adult" / f"adult_hierarchy_{name}.csv" if data else None
    if role == "quasi" and not numeric and tree and tree.exists():
        text += f'hierarchy = "{tree}"\n'
    return text


def adult(cordon, data, folder):
    rows = adult_rows(data)
    random.Random(1).shuffle(rows)
    for numbers, label in (([], "Set A"), (NUMBERS, "Set B")):
        write(folder / "now.csv", rows, NOW + numbers + ["class"])
        write(folder / "before.csv", rows, BEFORE)
        columns = "".join(attribute(name, "quasi", data) for name in NOW)
        columns += "".join(attribute(name, "quasi", data, True) for name in numbers) + attribute("class", "class", data)
        x = json.dumps(NOW + numbers + ["previous.native-country", "previous.race"])
        for k in (40, 80, 120, 160, 200):
            (folder / "policy.toml").write_text(columns + f'[[privacy]]\nmodel = "xy-anonymity"\nx = {x}\ny = "person"\nk = {k}\n')
            measure(cordon, folder, folder / "now.csv", folder / "before.csv", folder / "policy.toml", f"adult {label}, Top6, k = {k}")


SIZES = {"j1": 7, "j2": 6, "j3": 2, "j4": 10, "j5": 12, "a1": 16, "a2": 14}


def scaled(cordon, folder, rows):
    draw = random.Random(1)
    for column, size in SIZES.items():
        (folder / f"{column}.csv").write_text("".join(f"{column}v{v};{column}g{v // 3};*\n" for v in range(size)))
    previous = []
    joined = list(SIZES)[:5]
    with open(folder / "now.csv", "w") as file:
        file.write(",".join(SIZES) + ",sick,class\n")
        for _ in range(rows):
            cells = {column: f"{column}v{min(size - 1, int(draw.expovariate(1.0) * size / 3))}" for column, size in SIZES.items()}
            label = draw.randrange(2) if draw.random() < .3 else len(cells["a1"]) % 2
            file.write(",".join(cells.values()) + f",{'yes' if draw.random() < .1 else 'no'},{label}\n")
            previous.append(",".join(cells[column] for column in joined) + f",z{draw.randrange(40)},r{draw.randrange(5)}\n")
    draw.shuffle(previous)
    with open(folder / "before.csv", "w") as file:
        file.write(",".join(joined) + ",zip,race\n")
        file.writelines(previous)
    columns = "".join(f'[attributes.{c}]\nrole = "quasi"\nhierarchy = "{c}.csv"\n' for c in SIZES)
    columns += '[attributes.sick]\nrole = "sensitive"\nunguarded = "a benchmark"\n[attributes.class]\nrole = "class"\n'
    models = {"closed": 'model = "xy-anonymity"\nx = ["a1", "a2", "j1", "j2", "j3", "j4", "j5", "previous.zip", "previous.race"]\n'
                        'y = "person"\nk = 40\n',
              "linking": 'model = "xy-linkability"\nx = ["a1", "j1", "previous.zip"]\nvalues = { sick = ["yes"] }\nh = 0.5\n'}
    for label, model in models.items():
        (folder / "policy.toml").write_text(columns + "[[privacy]]\n" + model)
        measure(cordon, folder, folder / "now.csv", folder / "before.csv", folder / "policy.toml", f"{rows} x {rows} rows, {label}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cordon")
    parser.add_argument("--data", default=os.environ.get("CORDON_DATA_DIR"))
    parser.add_argument("--rows", default="200000,1000000")
    arguments = parser.parse_args()
    cordon = Path(arguments.cordon).resolve()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.data:
            adult(cordon, Path(arguments.data), Path(folder))
        for rows in filter(None, arguments.rows.split(",")):
            scaled(cordon, Path(folder), int(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
