#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it would cost to make only cuts that satisfy distinct l-diversity however the values of a group are arranged
(docs/decisions/0010-minimality.md).

    CORDON_DATA_DIR=DIR bench/safe_cuts.py [--tables adult,fars] [--k 5] [--l 2,3,4]

Cuts from the top down: a number at a threshold, a category into the rows under one node and the rest. Of all cuts the one after
which the sides lose least is made. `safe`: each side has at least k rows, and more than the l - 1 most frequent values of the
group together. `seen`: each side has at least k rows and l values. Occupation (adult) and iinjury (fars) are sensitive.
"""
import argparse
import csv
import os
from collections import Counter

SENSITIVE = {"adult": "occupation", "fars": "iinjury"}
NUMBERS = {"age", "iage"}


class Axis:
    """A column as codes 0 .. n - 1, the runs of codes that a cut may take out, and the loss of every run."""

    def __init__(self, path, number):
        with open(path) as file:
            paths = sorted(tuple(reversed(row)) for row in csv.reader(file, delimiter=";"))
        if number:
            values = sorted(int(each[-1]) for each in paths)
            self.code = {str(value): value - values[0] for value in values}
            size = values[-1] - values[0] + 1
            self.cuts = [(0, last) for last in range(size - 1)]
            self.loss = [[(hi - lo) / (size - 1) for hi in range(size)] for lo in range(size)]
            return
        self.code = {each[-1]: code for code, each in enumerate(paths)}
        size, nodes = len(paths), {}
        for code, each in enumerate(paths):
            for depth in range(1, len(each) + 1):
                first, _ = nodes.get(each[:depth], (code, code))
                nodes[each[:depth]] = (first, code)
        runs = set(nodes.values())
        self.cuts = sorted(run for run in runs if run != (0, size - 1))
        width = lambda lo, hi: min(b - a for a, b in runs if a <= lo and hi <= b)
        self.loss = [[width(lo, hi) / max(size - 1, 1) if hi >= lo else 0 for hi in range(size)] for lo in range(size)]


def read(folder, table):
    with open(f"{folder}/{table}/{table}.csv") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    quasi = [name for name in rows[0] if name != SENSITIVE[table]]
    axes = [Axis(f"{folder}/{table}/{table}_hierarchy_{name}.csv", name in NUMBERS) for name in quasi]
    points = [tuple(axis.code[row[name]] for axis, name in zip(axes, quasi)) for row in rows]
    return axes, points, [row[SENSITIVE[table]] for row in rows]


class Part:
    """Rows: how many, their box, their values."""

    def __init__(self, size):
        self.rows, self.lo, self.hi, self.values = 0, [10**9] * size, [-1] * size, Counter()

    def add(self, other):
        self.rows += other.rows
        self.lo = list(map(min, self.lo, other.lo))
        self.hi = list(map(max, self.hi, other.hi))
        self.values.update(other.values)

    def loss(self, axes):
        return self.rows * sum(axis.loss[lo][hi] for axis, lo, hi in zip(axes, self.lo, self.hi))


def part_of(rows, points, values):
    made = Part(len(points[0]))
    columns = list(zip(*(points[row] for row in rows)))
    made.rows, made.lo, made.hi = len(rows), list(map(min, columns)), list(map(max, columns))
    made.values.update(values[row] for row in rows)
    return made


def best_cut(rows, axes, points, values, allowed):
    """The side inside the best allowed cut, or nothing."""
    whole = part_of(rows, points, values)
    best, least = None, whole.loss(axes) - 1e-9
    for q, axis in enumerate(axes):
        at = {}
        for row in rows:
            at.setdefault(points[row][q], []).append(row)
        parts, tried = {code: part_of(each, points, values) for code, each in at.items()}, set()
        for first, last in axis.cuts:
            inside = tuple(code for code in parts if first <= code <= last)
            if not inside or len(inside) == len(parts) or inside in tried:
                continue
            tried.add(inside)
            sides = Part(len(axes)), Part(len(axes))
            for code, part in parts.items():
                sides[0 if first <= code <= last else 1].add(part)
            if not all(allowed(side, whole) for side in sides):
                continue
            loss = sum(side.loss(axes) for side in sides)
            if loss < least:
                best, least = (q, first, last), loss
    return best


def groups(axes, points, values, allowed):
    waiting, made = [list(range(len(points)))], []
    while waiting:
        rows = waiting.pop()
        cut = best_cut(rows, axes, points, values, allowed)
        if cut is None:
            made.append(part_of(rows, points, values))
            continue
        q, first, last = cut
        waiting += [[row for row in rows if first <= points[row][q] <= last], [row for row in rows if not first <= points[row][q] <= last]]
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default="adult,fars")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--l", default="2,3,4")
    asked = parser.parse_args()
    print("table  l  cuts  groups  information loss")
    for table in asked.tables.split(","):
        axes, points, values = read(os.environ["CORDON_DATA_DIR"], table)
        for l in map(int, asked.l.split(",")):
            frequent = lambda whole: sum(count for _, count in whole.values.most_common(l - 1))
            rules = {"safe": lambda side, whole: side.rows >= max(asked.k, frequent(whole) + 1),
                     "seen": lambda side, whole: side.rows >= asked.k and len(side.values) >= l}
            for name, rule in rules.items():
                found = groups(axes, points, values, rule)
                loss = sum(part.loss(axes) for part in found) / len(points) / len(axes)
                print(f"{table:5}  {l}  {name}  {len(found):6}  {loss:.4f}", flush=True)


if __name__ == "__main__":
    main()
