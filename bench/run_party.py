#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two parties on one machine, end to end: CPU time, memory and bytes per side against one run on the joined table.

    run_party.py CORDON [--data DIR] [--k 50] [--records N] [--kills [--every N]] [--test]

Adult (45,222 complete records) is split as in the source: nine columns at one party, five at the other, one template over all.
--records takes this many of them at random, or draws more with repetition; --test takes 5,000, or all if CORDON_TEST_ALL is set. A figure is printed only if both releases are, byte by
byte, that of tdr on the joined table. With --kills each side is also killed before every write and sync (with --every N
before every N-th until people are matched), and resumed: the bytes must be the same again. CORDON_DIE_AT names the library that
kills (tests/cli).
"""
import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "cli" / "party"))
from two_parties import Parties, Process, scratch, write_csv  # noqa: E402

NAMES = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race", "sex",
         "capital-gain", "capital-loss", "hours-per-week", "native-country", "class"]
BANK = ["age", "education-num", "fnlwgt", "relationship", "race", "sex", "marital-status", "native-country", "education"]
BUREAU = ["hours-per-week", "capital-gain", "capital-loss", "workclass", "occupation"]
NUMBERS = {"age": (0, 99, 1), "education-num": (1, 16, 1), "fnlwgt": (0, 1_499_999, 10_000), "hours-per-week": (0, 99, 1),
           "capital-gain": (0, 99_999, 500), "capital-loss": (0, 4_999, 100)}
RELATIONSHIP = ["Wife;Spouse;Family;*", "Husband;Spouse;Family;*", "Own-child;Relative;Family;*", "Other-relative;Relative;Family;*",
                "Not-in-family;Alone;Alone;*", "Unmarried;Alone;Alone;*"]


def read_adult(data):
    rows = []
    for name in ("adult.data", "adult.test"):
        for line in (data / "uci" / name).read_text().splitlines():
            cells = [cell.strip().rstrip(".") for cell in line.split(",")]
            if len(cells) == len(NAMES) and "?" not in cells:
                rows.append(cells)
    return rows


def policy(k):
    text = '[data]\non_missing = "drop"\n[attributes.person]\nrole = "person"\n'
    for column in BANK + BUREAU:
        text += f'[attributes.{column}]\nrole = "quasi"\nowner = "{"bank" if column in BANK else "bureau"}"\n'
        if column in NUMBERS:
            least, most, grid = NUMBERS[column]
            text += f'type = "numeric"\nrange = [{least}, {most}]\ngrid = {grid}\n'
        else:
            text += f'hierarchy = "{column}.csv"\n'
    return text + f'[attributes.class]\nrole = "class"\n[[privacy]]\nmodel = "k-anonymity"\nk = {k}\n[algorithm]\nname = "tdr"\n'


def draw(rows, count):
    chance = random.Random(1)
    return chance.sample(rows, count) if count <= len(rows) else chance.choices(rows, k=count)


def write_tables(folder, data, count):
    rows = read_adult(data)
    if count:
        rows = draw(rows, count)
    place = {name: i for i, name in enumerate(NAMES)}
    for column in BANK + BUREAU:
        if column in NUMBERS:
            continue
        if column == "relationship":
            (folder / "relationship.csv").write_text("\n".join(RELATIONSHIP) + "\n")
        else:
            shutil.copy(data / "adult" / f"adult_hierarchy_{column}.csv", folder / f"{column}.csv")
    for name, columns in (("bank", BANK), ("bureau", BUREAU), ("joined", BANK + BUREAU)):
        write_csv(folder / f"{name}.csv", ["person", *columns, "class"],
                  [[f"{number:07}", *(row[place[column]] for column in columns), row[place["class"]]] for number, row in enumerate(rows)])
    return len(rows)


def released(parties, run=""):
    return all(parties.bytes_of(f"{name}{run}.out.csv") == parties.bytes_of("central.csv") for name in Parties.NAMES)


ENDINGS = ("journal", "journal.private", "out.csv", "out.csv.manifest.json")


def matched(parties, run):
    """Whether both sides have kept who the common people are."""
    def has_rows(name):
        try:
            return b'"rows"' in parties.bytes_of(f"{name}{run}.journal.private")
        except FileNotFoundError:
            return False
    return all(has_rows(name) for name in Parties.NAMES)


def without_matching(parties):
    """Kills both sides when the common people are known. What the resumed sides take is all but matching."""
    sides = [Process(parties.command("run", "bank", "rest", "--listen", "127.0.0.1:0"), parties.folder, {})]
    sides[0].known.wait()
    sides.append(Process(parties.command("run", "bureau", "rest", "--connect", f"127.0.0.1:{sides[0].port}"), parties.folder, {}))
    while not matched(parties, "rest") and all(side.process.poll() is None for side in sides):
        time.sleep(0.005)
    for side in sides:
        side.stop()
    sides = parties.both("resume", run="rest", more=["--json", "--threads", "1"])
    reports = [json.loads(side.out) for side in sides]
    if not released(parties, "rest"):
        sys.exit("the releases differ after matching")
    if any(report["run"] == "" for report in reports):
        sys.exit("the run was at its end before it could be stopped")
    return reports


class Kills:
    """Kills one side before each of its writes and syncs, resumes both, and compares the bytes. Matching people takes most of the
    time, so what comes after it starts from a copy of a run that was killed there."""

    def __init__(self, parties, library, every):
        self.parties, self.library, self.every, self.killed = parties, library, every, 0

    def preload(self, victim, **more):
        environment = [{}, {}]
        environment[victim] = {"LD_PRELOAD": self.library, **more}
        return environment

    def files(self, run):
        return [path for name in Parties.NAMES for ending in ENDINGS if os.path.exists(path := self.parties.path(f"{name}{run}.{ending}"))]

    def done(self, run):
        return all(os.path.exists(self.parties.path(f"{name}{run}.out.csv")) and
                   not os.path.exists(self.parties.path(f"{name}{run}.journal.private")) for name in Parties.NAMES)

    def finish(self, run, where):
        for _ in range(3):
            if self.done(run):
                break
            self.parties.both("resume", run=run, more=["--timeout", "60"])
        if not self.done(run) or not released(self.parties, run):
            sys.exit(f"{where}: the bytes differ")
        for path in self.files(run):
            os.unlink(path)

    def kill(self, verb, victim, step, run):
        sides = self.parties.both(verb, run=run, environment=self.preload(victim, DIE_AT=str(step)), more=["--timeout", "120"])
        died = sides[victim] is not None and sides[victim].process.returncode == -signal.SIGKILL
        self.killed += died
        return died

    def all_of(self, victim):
        name, run = Parties.NAMES[victim], f"killed{victim}"
        step = 1
        while True:  # up to the step after which both know the common people
            self.kill("run", victim, step, run)
            if matched(self.parties, run):
                break
            self.finish(run, f"{name} killed at step {step} of a run")
            step += self.every
        kept = {path: open(path, "rb").read() for path in self.files(run)}
        early = self.killed
        for step in range(1, 10_000):
            for path, data in kept.items():
                with open(path, "wb") as file:
                    file.write(data)
                os.chmod(path, 0o600)
            died = self.kill("resume", victim, step, run)
            self.finish(run, f"{name} killed at step {step} after matching")
            if not died:
                break
        print(f"{name}: killed {early} times until people were matched, {self.killed - early} times after; the same bytes", flush=True)
        killed, self.killed = self.killed, 0
        return killed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cordon", type=os.path.abspath)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("CORDON_DATA_DIR", "data")))
    parser.add_argument("--k", type=int, default=50)
    parser.add_argument("--records", type=int)
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--kills", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.test and "CORDON_TEST_ALL" not in os.environ:
        arguments.records = 5000
    folder = Path(scratch())
    try:
        records = write_tables(folder, arguments.data, arguments.records)
        parties = Parties(arguments.cordon, str(folder), policy(arguments.k), max_ids=records)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        parties.call("--threads", "1", "anonymize", "joined.csv", "--policy", "joint.toml", "--output", "central.csv")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"adult, {records} records, k = {arguments.k}; one run on the joined table: "
              f"{after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f} CPU s, {after.ru_maxrss >> 10} MB", flush=True)
        sides = parties.both("run", more=["--json", "--threads", "1"])
        if [side.process.returncode for side in sides] != [0, 0] or not released(parties):
            sys.exit(f"the releases differ: {[side.err for side in sides]}")
        for name, side in zip(Parties.NAMES, sides):
            report = json.loads(side.out)
            print(f"{name}: {report['cpu_seconds']:.2f} CPU s, sent {report['sent_bytes']} bytes, {report['refinements']} refinements")
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
        print(f"memory of the larger side: {largest} MB", flush=True)
        for name, report in zip(Parties.NAMES, without_matching(parties)):
            print(f"{name} without matching: {report['cpu_seconds']:.2f} CPU s", flush=True)
        print(re.sub(r"(?s).*?(what left)", r"\1", parties.call("party", "audit", "bank.journal", "--policy", "joint.toml", "--release",
                                                                 "central.csv").stdout), flush=True)
        if arguments.kills:
            kills = Kills(parties, os.environ["CORDON_DIE_AT"], arguments.every)
            killed = sum(kills.all_of(victim) for victim in (0, 1))
            print(f"killed {killed} times: the same bytes after resume")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
