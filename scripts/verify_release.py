#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a release against its manifest with nothing but the Python standard library.

    verify_release.py OUT.csv OUT.manifest.json

A second program for the certificate: it shares no code with cordon, reads the published rows alone and computes
with exact fractions. Prints one line per claim. Exit status: 0 all that can be checked holds, 1 a claim is false,
2 the files cannot be read. Claims beyond k, distinct l and t are reported as not checked.
"""
import csv
import gzip
import hashlib
import io
import json
import sys
from collections import Counter, defaultdict
from fractions import Fraction


def read_rows(data, output):
    """The cells of every row, by column name."""
    if output.get("format", "csv") != "csv":
        raise ValueError("this program reads CSV only")
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    delimiter = output.get("delimiter", ",")
    if len(delimiter.strip(" ")) > 1:
        raise ValueError(f"cells are separated by {delimiter!r}: this program reads a delimiter of one character, "
                         "with or without spaces; cordon verify reads it")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter.strip(" ") or " ",
                       quotechar=output.get("quote", '"') or None, quoting=csv.QUOTE_MINIMAL if output.get("quote", '"') else csv.QUOTE_NONE,
                       skipinitialspace=len(delimiter) > 1, strict=True)
    header = next(lines, []) if output.get("header", True) else output["names"]
    rows = [row or [""] for row in lines]  # csv gives [] for a line that is one empty cell
    if any(len(row) != len(header) for row in rows):
        raise ValueError("a row has another number of cells than the header")
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}, len(rows)


def cells_of(table, names):
    """The key of every row's group; with --bounds a column was published as its two ends."""
    found = []
    for name in names:
        parts = [name] if name in table else [name + "_lo", name + "_hi"]
        if any(part not in table for part in parts):
            raise ValueError(f"the file has no column '{name}'")
        found += [table[part] for part in parts]
    return list(zip(*found)) if found else None


def group_counts(keys, values):
    groups = defaultdict(Counter)
    for key, value in zip(keys, values):
        groups[key][value] += 1
    return groups


def equal_distance(group, whole, _):
    return sum((abs(group[v] - whole[v]) for v in whole), Fraction(0)) / 2


def ordered_distance(group, whole, claim):
    order, carried, moved = claim["order"], Fraction(0), Fraction(0)
    for value in order[:-1]:  # what a border between neighbours must let through
        carried += group.get(value, 0) - whole.get(value, 0)
        moved += abs(carried)
    return moved / max(len(order) - 1, 1)


def hierarchical_distance(group, whole, claim):
    level = {}  # of a label: the lowest at which it stands on a path, the largest of these over the paths
    parent, excess = {}, defaultdict(Fraction)
    for leaf, path in claim["paths"].items():
        for label in path:
            level[label] = max(level.get(label, 0), path.index(label))
        nodes = list(dict.fromkeys(path))
        parent.update(zip(nodes, nodes[1:]))
        for label in nodes:
            excess[label] += group.get(leaf, 0) - whole.get(leaf, 0)
    height = level[path[-1]]
    return sum((abs(excess[n]) * (level[parent[n]] - level[n]) for n in parent), Fraction(0)) / (2 * max(height, 1))


DISTANCES = {"equal": equal_distance, "ordered": ordered_distance, "hierarchical": hierarchical_distance}


def shares(counts):
    total = sum(counts.values())
    return Counter({value: Fraction(count, total) for value, count in counts.items()})


def number(text):
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text


def in_order(cells, claim, missing):
    """The declared values, else the published ones by size; a missing cell is one more value, the last."""
    values = {number(cell): cell for cell in sorted(set(cells)) if cell not in missing}  # 5 and 5.0 are one
    found = [values[value] for value in sorted(values, key=lambda value: (isinstance(value, str), value))]
    order = claim.get("order", found)
    return order + [marker for marker in missing[:1] if marker not in order and any(cell in missing for cell in cells)]


def known_values(cells, claim, missing):
    """The cells as the manifest spells them: 5.0 is its 5."""
    if claim["distance"] == "ordered":
        claim["order"] = in_order(cells, claim, missing)
    listed = {"equal": set(cells), "ordered": claim.get("order"), "hierarchical": claim.get("paths")}[claim["distance"]]
    spelling = {**{number(value): value for value in listed}, **{value: value for value in listed}}
    spelling.update((marker, missing[0]) for marker in missing if missing[0] in spelling)
    found = {cell: spelling.get(cell, spelling.get(number(cell))) for cell in set(cells)}
    if None in found.values():
        raise ValueError(f"a cell of '{claim['sensitive']}' is not among the values the manifest lists")
    return [found[cell] for cell in cells]


def reached_t(groups, claim):
    whole = shares(sum(groups.values(), Counter()))
    distance = DISTANCES[claim["distance"]]
    return max((distance(shares(group), whole, claim) for group in groups.values()), default=Fraction(0))


def judge(claim, table, output):
    """(what was found, whether the claim holds); None where this program cannot tell."""
    named = lambda role: [column["name"] for column in output["columns"] if column["role"] == role]
    rows = len(next(iter(table.values()), []))
    keys = cells_of(table, (claim.get("on") or named("quasi")) + named("group")) or [()] * rows
    missing = output.get("missing", [""])
    if claim["model"] in ("k-anonymity", "ks-anonymity"):
        reached, k = min(Counter(keys).values(), default=None), int(claim["k"])
        if claim.get("counts") == "persons":
            return f"{reached} rows (persons are not published)", reached is None or reached >= k
        return reached, reached is None or reached >= k
    if claim["model"] == "l-diversity" and claim["kind"] == "distinct":
        numeric = {column["name"]: column.get("type") for column in output["columns"]}[claim["sensitive"]] == "numeric"
        cells = table[claim["sensitive"]]
        groups = group_counts(keys, [cell if not numeric or cell in missing else number(cell) for cell in cells])
        reached = min((len(set(group) - set(missing)) for group in groups.values()), default=None)
        return reached, reached is None or reached >= Fraction(claim["l"])
    if claim["model"] == "t-closeness" and (claim["distance"] != "hierarchical" or "paths" in claim):
        reached = reached_t(group_counts(keys, known_values(table[claim["sensitive"]], claim, missing)), claim)
        return reached, reached <= Fraction(claim["t"])
    return None


def check_claim(claim, table, output):
    judged = judge(claim, table, output)
    if judged is None:
        print(f"{claim['text']}: not checked by this program")
        return bool(claim["holds"])
    reached, holds = judged
    said = claim.get("reached")
    differs = isinstance(reached, (int, Fraction)) and said is not None and "." not in str(said) and Fraction(said) != reached
    holds = holds and bool(claim["holds"]) and not differs
    print(f"{claim['text']}: {'holds' if holds else 'DOES NOT HOLD'}; reached {'no rows' if reached is None else reached}"
          + (f", the manifest says {said}" if differs else ""))
    return holds


def verify(csv_path, manifest_path):
    with open(manifest_path, encoding="utf-8") as file:
        manifest = json.load(file)
    if manifest.get("format") != 1:
        raise ValueError("the manifest is of another format than 1")
    with open(csv_path, "rb") as file:
        data = file.read()
    output = manifest["output"]
    same = hashlib.sha256(data).hexdigest() == output["sha256"]
    print(f"sha256: {'as in the manifest' if same else 'DIFFERS from the manifest'}")
    table, rows = read_rows(data, output)
    print(f"rows: {rows}" + ("" if rows == output["rows"] else f", the manifest says {output['rows']}"))
    if not manifest["privacy"]:
        print("privacy: the manifest claims nothing")
    verdicts = [check_claim(claim, table, output) for claim in manifest["privacy"]]
    return same and rows == output["rows"] and all(verdicts)


def main(arguments):
    if len(arguments) != 2:
        print("usage: verify_release.py OUT.csv OUT.manifest.json", file=sys.stderr)
        return 2
    try:
        return 0 if verify(*arguments) else 1
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, EOFError, csv.Error) as error:
        # The kind of a stray error only: its text could hold a cell.
        text = error.args[0] if type(error) is ValueError else f"{type(error).__name__}"
        print(f"verify_release: cannot check {arguments[0]}: {text}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
