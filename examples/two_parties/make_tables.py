#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables about nobody for the walkthrough in docs/two_parties.md: bank.csv and bureau.csv, of which 2,000 people are common.

    make_tables.py FOLDER
"""
import csv
import random
import sys
from pathlib import Path

JOBS = ["Janitor", "Mover", "Carpenter", "Technician", "Manager", "Accountant", "Lawyer"]
COMMON, ALONE = 2000, 300


def person(draw):
    job = draw.randrange(len(JOBS))
    age = draw.randint(20, 69)
    salary = 24 + 9 * job + draw.randint(-8, 8)
    cards = draw.randint(0, 6)
    late = max(0, draw.randint(-6, 8) - job)
    good = "yes" if salary + 2 * cards - 9 * late + draw.randint(-12, 12) > 45 else "no"
    return {"age": age, "job": JOBS[job], "salary": salary, "cards": cards, "late": late, "good": good}


def main(folder):
    draw = random.Random(7)
    people = {f"{draw.randrange(10**9):09}": person(draw) for _ in range(COMMON + 2 * ALONE)}
    ids = list(people)
    for name, columns, own in (("bank", ["age", "job", "salary"], ids[:COMMON + ALONE]),
                               ("bureau", ["cards", "late"], ids[:COMMON] + ids[COMMON + ALONE:])):
        draw.shuffle(own)
        with open(folder / f"{name}.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["person", *columns, "good"])
            writer.writerows([id, *(people[id][column] for column in columns), people[id]["good"]] for id in own)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
