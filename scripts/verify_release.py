#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second verifier: judges what cordon has published, by the definitions in docs/models and nothing else.

    verify_release.py RELEASE [MANIFEST] [--previous FILE ...]  the claims of a manifest (default: RELEASE.manifest.json)
    verify_release.py STORE [--policy P.toml]                   a folder that cordon permute made
    verify_release.py RELEASE --policy P.toml [--exempt-suppressed] [--original INPUT --row-map M.csv]
    verify_release.py --stream OUT --audit LOG --policy P.toml [--chain HEX]   the output of cordon stream
    ... --key PUB [--key PUB2]                                  what one of these keys has signed, and nothing else

It shares no code with cordon. Counts and shares are exact; if a definition has a logarithm, precision grows until
the answer is certain. CSV and JSON Lines (also .gz) need the standard library alone, Parquet and stores need pyarrow.
If a manifest stands next to the file, other bytes than it names are refused. With --original people are counted;
that cells are true is not checked. --json prints JSON.

Exit status: 0 everything holds, 1 something does not hold, 2 the request or a file is wrong, or a claim counts people, whom a
release does not tell apart. What is too large to be judged here, or not known of a stream, ends with 1 and `holds` null.
"""
import argparse
import base64
import bisect
import contextlib
import csv
import functools
import gzip
import hashlib
import io
import json
import math
import os
import re
import sys
import zlib
from collections import Counter
from datetime import date, datetime
from decimal import Context, Decimal
from fractions import Fraction
from itertools import accumulate

MISSING = None  # a sensitive cell without a value
csv.field_size_limit(2**31 - 1)
INFINITE = math.inf


class Refused(Exception):
    """A request or file that cannot be judged. The text never holds a cell."""


# ---------------------------------------------------------------------------------------------------------------------
# The models. Each takes its claim (the parameters), one group, and the whole table (or window) as another group, and
# returns whether the group satisfies it and the figure that is reported. A group has its rows, its people, and for each
# sensitive column how many rows have which value, and which values each person has.


class Group:
    def __init__(self, first_row=0):
        self.first_row, self.rows, self.who, self.values, self.held = first_row, 0, set(), {}, {}

    @property
    def people(self):
        return len(self.who)

    def hold(self, name, person, value):
        self.held.setdefault(name, {}).setdefault(person, Counter())[value] += 1


def parameter(claim, name):
    return Fraction(claim[name])


def shares(counts):
    total = sum(counts.values())
    return {value: Fraction(count, total) for value, count in counts.items()}


def present(counts):
    """How many rows have each value, the missing one left out."""
    return {value: count for value, count in counts.items() if value is not MISSING}


def by_person(claim):
    """Whether it goes by who has which value (docs/models/counts_persons.md)."""
    return claim["model"] in ("l-diversity", "t-closeness", "beta-likeness") and claim.get("counts") == "persons"


def share_of_holders(people, wanted):
    """The share of people who have one of the wanted values."""
    return Fraction(sum(1 for values in people.values() if any(value in wanted for value in values)), len(people))


def expected_share(people, wanted, whole):
    """The share that can be expected of people with this many rows, if every row shows a wanted value as often as all rows do."""
    share = Fraction(sum(count for value, count in whole.items() if value in wanted), sum(whole.values()))
    return sum((min(Fraction(1), sum(values.values()) * share) for values in people.values()), Fraction(0)) / len(people)


def k_anonymity(claim, group, whole):
    """At least k people (docs/models/k_anonymity.md, ks_anonymity.md)."""
    return group.people >= parameter(claim, "k"), group.people


def l_diversity(claim, group, whole):
    """Enough different values; a missing value is not one (docs/models/l_diversity.md)."""
    if by_person(claim):
        return l_diversity_of_people(claim, group.held[claim["sensitive"]])
    counts = sorted(present(group.values[claim["sensitive"]]).values(), reverse=True)
    wanted = parameter(claim, "l")
    if claim["kind"] == "distinct":
        return len(counts) >= wanted, len(counts)
    if claim["kind"] == "entropy":
        return entropy_at_least(counts, wanted), math.exp(entropy(counts)) if counts else 0.0
    rarer = sum(counts[int(wanted) - 1:])  # recursive: the l-th and less frequent values
    if rarer == 0:
        return False, INFINITE
    return counts[0] < parameter(claim, "c") * rarer, Fraction(counts[0], rarer)


def l_diversity_of_people(claim, held):
    """The l - 1 most widespread values leave somebody, or (recursive) enough people, however few have two of them."""
    people = [set(values) - {MISSING} for values in held.values() if set(values) != {MISSING}]
    holders = sorted(Counter(value for values in people for value in values).values(), reverse=True)
    rest = lambda l: len(people) - sum(holders[:l - 1])
    wanted = int(parameter(claim, "l"))
    if claim["kind"] == "distinct":
        return bool(people) and rest(wanted) > 0, max((l for l in range(1, len(holders) + 1) if rest(l) > 0), default=0)
    if claim["kind"] != "recursive":
        raise Refused("counts = \"persons\" does not go with entropy")
    if not people or rest(wanted) <= 0:
        return False, INFINITE
    return holders[0] < parameter(claim, "c") * rest(wanted), Fraction(holders[0], rest(wanted))


def entropy(counts):
    rows = sum(counts)
    return math.fsum(count * math.log(rows / count) for count in counts) / rows


def entropy_at_least(counts, wanted):
    """Entropy >= ln l, which is rows^rows >= l^rows * product of count^count: whole numbers decide what is close."""
    if not counts:
        return False
    difference = entropy(counts) - math.log(wanted)
    if abs(difference) > 1e-9:
        return difference > 0
    rows = sum(counts)
    left = rows**rows * wanted.denominator**rows
    return left >= wanted.numerator**rows * math.prod(count**count for count in counts)


def t_closeness(claim, group, whole):
    """Earth mover's distance to the whole at most t (docs/models/t_closeness.md)."""
    if by_person(claim):
        reached = rise_of_people(claim, group.held[claim["sensitive"]], whole.values[claim["sensitive"]])
        return reached <= parameter(claim, "t"), reached
    q, p = (shares(each.values[claim["sensitive"]]) for each in (group, whole))
    distance = {"equal": equal_distance, "ordered": ordered_distance, "hierarchical": hierarchical_distance}
    reached = distance[claim["distance"]](q, p, claim)
    return reached <= parameter(claim, "t"), reached


def rise_of_people(claim, people, whole):
    """How far the shares of people who have a value of a set are above what is expected, each by the weight of its set."""
    rises = ((weight, share_of_holders(people, wanted) - expected_share(people, wanted, whole)) for wanted, weight in weighted_sets(claim, whole))
    return sum((weight * rise for weight, rise in rises if rise > 0), Fraction(0))


def weighted_sets(claim, whole):
    if claim["distance"] == "equal":
        return [({value}, 1) for value in whole]
    if claim["distance"] == "ordered":
        order = claim["order"]
        weight = Fraction(1, max(len(order) - 1, 1))
        return [(set(part), weight) for cut in range(1, len(order)) for part in (order[:cut], order[cut:])]
    heights, parents, leaves = {}, {}, {}
    for leaf, path in claim["paths"].items():
        nodes = list(dict.fromkeys(path))
        for node in nodes:
            heights[node] = max(heights.get(node, 0), path.index(node))
            leaves.setdefault(node, set()).add(leaf)
        parents.update(zip(nodes, nodes[1:]))
    return [(leaves[node], Fraction(heights[parent] - heights[node], max(*heights.values(), 1))) for node, parent in parents.items()]


def equal_distance(q, p, claim):
    return sum((abs(q.get(value, 0) - p[value]) for value in p), Fraction(0)) / 2


def ordered_distance(q, p, claim):
    """What the border between each two neighbours must let through; the smallest and the largest value are 1 apart."""
    differences = [q.get(value, 0) - p.get(value, 0) for value in claim["order"]]
    through = sum((abs(carried) for carried in accumulate(differences)), Fraction(0))
    return through / max(len(claim["order"]) - 1, 1)


def hierarchical_distance(q, p, claim):
    """Two values are as far apart as their first common ancestor is high: what is too much in a subtree must leave it."""
    heights, parents, excess = {}, {}, Counter()
    for leaf, path in claim["paths"].items():
        nodes = list(dict.fromkeys(path))  # a label that repeats along its path is one node
        for node in nodes:
            heights[node] = max(heights.get(node, 0), path.index(node))
            excess[node] += q.get(leaf, 0) - p.get(leaf, 0)
        parents.update(zip(nodes, nodes[1:]))
    steps = (abs(excess[node]) * (heights[parent] - heights[node]) for node, parent in parents.items())
    return sum(steps, Fraction(0)) / (2 * max(*heights.values(), 1))


def beta_likeness(claim, group, whole):
    """No value, nor any set of values that the claim names, rises too far (docs/models/beta_likeness.md)."""
    in_group, in_whole = group.values[claim["sensitive"]], whole.values[claim["sensitive"]]
    beta, most, holds = parameter(claim, "beta"), Fraction(0), True
    if by_person(claim):
        if "range" in claim or "min_depth" in claim:
            raise Refused("counts = \"persons\" does not go with range and min_depth")
        people = group.held[claim["sensitive"]]
        bounded = [(share_of_holders(people, {value}), expected_share(people, {value}, in_whole)) for value in in_group]
    else:
        counts = [(count, in_whole[value]) for value, count in in_group.items()] + named_sets(claim, in_group, in_whole)
        bounded = [(Fraction(count, group.rows), Fraction(all_rows, whole.rows)) for count, all_rows in counts]
    for q, p in bounded:
        if p == 0:  # only against a window in which the value does not occur
            return False, INFINITE
        gain = (q - p) / p
        most = max(most, gain)
        holds = holds and gain <= beta and (claim["kind"] == "basic" or gain <= 0 or exp_at_most(gain, 1 / p))
    return holds, most


def named_sets(claim, in_group, in_whole):
    """The rows of group and whole with a value of each set: runs no wider than `range`, subtrees from `min_depth` down."""
    found = []
    if "range" in claim:
        widest, order = parameter(claim, "range"), sorted(present(in_whole))
        upto_group = [0, *accumulate(in_group.get(value, 0) for value in order)]
        upto_whole = [0, *accumulate(in_whole[value] for value in order)]
        for first, least in enumerate(order):
            for last in range(first, bisect.bisect_right(order, least + widest)):
                if order[first] in in_group and order[last] in in_group:  # a longer run only has more of the whole
                    found.append((upto_group[last + 1] - upto_group[first], upto_whole[last + 1] - upto_whole[first]))
    if "min_depth" in claim:
        below = {}
        for leaf, path in claim["paths"].items():
            nodes = list(dict.fromkeys(path))
            for node in nodes[1:]:
                if len(nodes) - 1 - nodes.index(node) >= int(claim["min_depth"]):
                    below.setdefault(node, []).append(leaf)
        for leaves in below.values():
            count = sum(in_group.get(leaf, 0) for leaf in leaves)
            if count > 0:
                found.append((count, sum(in_whole.get(leaf, 0) for leaf in leaves)))
    return found


def exp_at_most(exponent, bound):
    """e^exponent <= bound for fractions, exponent not 0: the two are never equal, so some precision tells."""
    digits = 30
    while True:
        context = Context(prec=digits)
        left = context.exp(context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator)))
        right = context.divide(Decimal(bound.numerator), Decimal(bound.denominator))
        margin = context.multiply(max(left, right), Decimal(10) ** (8 - digits))  # exponents below 10^6
        if abs(left - right) > margin:
            return left < right
        digits *= 2


def delta_disclosure(claim, group, whole):
    """|ln(q / p)| < delta for every value of the whole; each occurs in the group (docs/models/delta_disclosure.md)."""
    q, p = (shares(each.values[claim["sensitive"]]) for each in (group, whole))
    if any(value not in q for value in p):
        return False, INFINITE
    ratios = [max(q[value] / p[value], p[value] / q[value]) for value in p]
    widest, delta = max(ratios), parameter(claim, "delta")
    return not exp_at_most(delta, widest), math.log(widest)


def alpha_k(claim, group, whole):
    """At least k people, and one value at most the share alpha (docs/models/alpha_k.md)."""
    share = Fraction(group.values[claim["sensitive"]].get(claim["value"], 0), group.rows)
    return group.people >= parameter(claim, "k") and share <= parameter(claim, "alpha"), share


def confidence(claim, group, whole):
    """Listed values at most the share h (docs/models/confidence.md)."""
    counts = [count for name, listed in claim["values"].items()
              for value, count in group.values[name].items() if not listed or value in listed]
    share = Fraction(max(counts, default=0), group.rows)
    return share <= parameter(claim, "h"), share


def ke_anonymity(claim, group, whole):
    """At least k different numbers that span at least e; with max_share none too frequent (docs/models/ke_anonymity.md)."""
    distinct, span, share = ke_figures(claim, group)
    holds = distinct >= parameter(claim, "k") and span >= parameter(claim, "e")
    return holds and ("max_share" not in claim or share <= parameter(claim, "max_share")), distinct


def ke_figures(claim, group):
    counts = present(group.values[claim["sensitive"]])
    if not counts:
        return 0, Fraction(0), Fraction(0)
    return len(counts), max(counts) - min(counts), Fraction(max(counts.values()), sum(counts.values()))


MODELS = {"k-anonymity": k_anonymity, "ks-anonymity": k_anonymity, "l-diversity": l_diversity, "t-closeness": t_closeness,
          "beta-likeness": beta_likeness, "delta-disclosure": delta_disclosure, "alpha-k": alpha_k,
          "confidence": confidence, "ke-anonymity": ke_anonymity}
WINDOW_MODELS = {"window-closeness": t_closeness, "window-likeness": beta_likeness}  # with a window as the whole


def smaller_is_worse(claim):
    return claim["model"] in ("k-anonymity", "ks-anonymity", "ke-anonymity") or claim.get("kind") in ("distinct", "entropy")


def sensitive_columns(claim):
    return list(claim["values"]) if claim["model"] == "confidence" else [claim["sensitive"]] if "sensitive" in claim else []


# ---------------------------------------------------------------------------------------------------------------------
# A release: published cells by column, and what is known about the columns.


class Release:
    def __init__(self, table, rows, roles, types, missing):
        self.table, self.rows, self.roles, self.types = table, rows, roles, types
        self.missing = set(missing)
        self.persons = None  # of each row, if the original tells
        self.permuted = ""   # the column that was shuffled inside the groups that the column `group` names
        self.parsed = {}

    def named(self, role):
        return [name for name in self.roles if self.roles[name] == role]

    def cells(self, name):
        """Of a quasi column the two ends, if it was published so (--bounds)."""
        parts = [name] if name in self.table else [name + "_lo", name + "_hi"]
        if any(part not in self.table for part in parts):
            raise Refused(f"the file has no column '{name}'")
        return [self.table[part] for part in parts]

    def is_missing(self, cell):
        return cell is MISSING or cell in self.missing

    def value(self, name, cell):
        """What a sensitive cell means: a number, a day, or its text."""
        if self.is_missing(cell):
            return MISSING
        kind = self.types.get(name, "categorical")
        try:
            return number(cell) if kind == "numeric" else day(cell) if kind == "date" else cell
        except ValueError:
            raise Refused(f"a cell of '{name}' is not a {'number' if kind == 'numeric' else 'date'}") from None

    def values(self, name):
        if self.roles.get(name) != "sensitive":
            raise Refused(f"'{name}' is not a sensitive column of the file")
        if name not in self.parsed:
            cells = self.cells(name)[0]
            meaning = {cell: self.value(name, cell) for cell in set(cells)}
            self.parsed[name] = [meaning[cell] for cell in cells]
        return self.parsed[name]

    def subset(self, rows):
        part = Release({name: [cells[row] for row in rows] for name, cells in self.table.items()}, len(rows), self.roles,
                       self.types, self.missing)
        part.permuted = self.permuted
        part.persons = [self.persons[row] for row in rows] if self.persons is not None else None
        return part


@functools.lru_cache(2**16)  # cells repeat
def number(text):
    found = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?0*(\d{1,3}))?", text, re.ASCII)
    if not found or int(found[3] or 0) > 400:
        raise ValueError
    return Fraction(text)


@functools.lru_cache(2**16)
def day(text):
    if not re.fullmatch(r"\d{4}-\d\d-\d\d([T ].*)?", text, re.ASCII):
        raise ValueError
    return Fraction(date.fromisoformat(text[:10]).toordinal())


def grouping_columns(release, claim):
    named = release.named("group")
    if claim["model"] == "ke-anonymity" and named and release.permuted == claim["sensitive"]:
        return named
    if any(name not in release.named("quasi") for name in claim.get("on", [])):
        raise Refused(f"{claim['model']}: 'on' names a column that is not quasi")
    return (claim.get("on") or release.named("quasi")) + named


def groups_of(release, columns, sensitive, exempt_suppressed=False):
    """Rows that show the same text in every column, in order of their first rows."""
    parts = [cells for name in columns for cells in release.cells(name)]
    keys = zip(*parts) if parts else [()] * release.rows
    quasi = [cells for name in release.named("quasi") for cells in release.cells(name)]
    values = {name: release.values(name) for name in sensitive}
    found = {}
    for row, key in enumerate(keys):
        if exempt_suppressed and quasi and all(cells[row] == "*" for cells in quasi):
            continue
        if key not in found:
            found[key] = Group(row)
        group = found[key]
        group.rows += 1
        for name in sensitive:
            counts = group.values.setdefault(name, Counter())
            counts[values[name][row]] += 1
            if release.persons is not None:
                group.hold(name, release.persons[row], values[name][row])
        group.who.add(row if release.persons is None else release.persons[row])
    return list(found.values())


def with_domain(claim, release):
    """The claim with its values as the cells are read, and what its distance or sets need to know of the domain."""
    claim = dict(claim)
    name = claim.get("sensitive")
    if claim["model"] == "alpha-k":
        claim["value"] = release.value(name, claim["value"])
    if claim["model"] == "confidence":
        claim["values"] = {each: {release.value(each, cell) for cell in listed} for each, listed in claim["values"].items()}
    found = set(release.values(name)) if name else set()
    if claim.get("distance") == "ordered":
        declared = [release.value(name, cell) for cell in claim["order"]] if "order" in claim else sorted(found - {MISSING})
        claim["order"] = [value for value in declared if value is not MISSING] + [MISSING] * (MISSING in found)
        known = claim["order"]
    elif claim.get("distance") == "hierarchical" or "min_depth" in claim:
        claim["paths"] = paths_of(claim, release, found)
        known = claim["paths"]
    else:
        return claim
    if not found <= set(known):
        raise Refused(f"a cell of '{name}' is not among the declared values")
    return claim


def paths_of(claim, release, found):
    """Each leaf's way to the root. A missing cell is a separate leaf under the root."""
    if "paths" in claim:
        paths = {leaf: list(path) for leaf, path in claim["paths"].items() if not release.is_missing(leaf)}
    elif "prefix" in claim:
        paths = {value: prefix_path(value, int(claim["prefix"])) for value in found - {MISSING}}
    else:
        raise Refused(f"{claim['model']}: the hierarchy of '{claim['sensitive']}' is not known")
    if MISSING in found:
        levels, root = next(((len(path), path[-1]) for path in paths.values()), (2, "*"))
        paths[MISSING] = [MISSING] * (levels - 1) + [root]
    return paths


def prefix_path(value, length):
    """53710, 5371*, 537*, ..., *; a shorter code joins at its length."""
    return [value] + [value if len(value) < keep else value[:keep] + "*" for keep in range(length - 1, -1, -1)]


def judge(release, claims, exempt_suppressed=False):
    """A verdict for each claim. The worst group is named: a failing one before any that holds, else the first of equals."""
    verdicts = []
    for given in claims:
        if given["model"] not in MODELS:
            raise Refused(f"'{given['model']}' cannot be judged of a table")
        if by_person(given) and release.persons is None:
            raise Refused(f"{describe(given)} counts people, and a release does not tell them apart; "
                          "give --original and --row-map")
        claim = with_domain(given, release)
        sensitive = sensitive_columns(claim)
        groups = groups_of(release, grouping_columns(release, claim), sensitive, exempt_suppressed)
        whole = Group()
        whole.rows, whole.values = release.rows, {name: Counter(release.values(name)) for name in sensitive}
        judged = [(*MODELS[claim["model"]](claim, group, whole), group) for group in groups]
        verdicts.append(verdict_of(claim, given, judged))
    return verdicts


def verdict_of(claim, given, judged):
    verdict = {"model": claim["model"], "text": describe(given), "holds": True, "reached": None,
               "reached_exact": "nothing", "failing_groups": 0, "failing_rows": 0}
    if not judged:  # a table without rows holds
        return verdict
    worse = min if smaller_is_worse(claim) else max
    failing = [each for each in judged if not each[0]]
    reached = worse(value for _, value, _ in judged)
    witness = worse(failing or judged, key=lambda each: each[1])[2]
    verdict.update(holds=not failing, reached=None if reached == INFINITE else float(reached), failing_groups=len(failing),
                   failing_rows=sum(group.rows for _, _, group in failing),
                   reached_exact=shown(reached) + note_of(claim, [group for _, _, group in judged]),
                   witness={"first_row": witness.first_row + 1, "rows": witness.rows})
    return verdict


def note_of(claim, groups):
    """The other figures of a model, each for its own worst group."""
    if claim["model"] == "alpha-k":
        return f", k={min(group.people for group in groups)}"
    if claim["model"] == "ke-anonymity":
        figures = [ke_figures(claim, group) for group in groups]
        return f" distinct values, range {decimal_text(min(f[1] for f in figures))}, share {max(f[2] for f in figures)}"
    return ""


def shown(value):
    return "infinite" if value == INFINITE else f"{value:.6g}" if isinstance(value, float) else str(value)


def decimal_text(value):
    """A fraction with a power of ten below it, as a decimal number."""
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = int(abs(value) * 10**digits)
    text = str(whole).rjust(digits + 1, "0")
    return ("-" if value < 0 else "") + (text[:-digits] + "." + text[-digits:] if digits else text)


def describe(claim):
    """The model with its parameters, in cordon's spelling."""
    number_of = lambda name: short_text(parameter(claim, name))
    more = lambda *names: "".join(f", {name}={number_of(name)}" for name in names if name in claim)
    guarded = lambda values: ", ".join(f"{name}={'|'.join(listed) if listed else '*'}" for name, listed in values)
    person = ", by person" if by_person(claim) else ""
    on, model, name = "+".join(claim.get("on", [])), claim["model"], claim.get("sensitive")
    if model == "k-anonymity":
        inside = f"k={number_of('k')}" + (f", on {on}" if on else "")
    elif model == "l-diversity":
        inside = f"{name}, l={number_of('l')}, {claim['kind']}{more('c')}{person}"
    elif model in ("t-closeness", "window-closeness"):
        inside = f"{name}{more('window')}, t={number_of('t')}, {claim['distance']}{person}"
    elif model in ("beta-likeness", "window-likeness"):
        inside = f"{name}{more('window')}, beta={number_of('beta')}, {claim['kind']}{more('range', 'min_depth')}{person}"
    elif model == "delta-disclosure":
        inside = f"{name}, delta={number_of('delta')}"
    elif model == "alpha-k":
        inside = f"{name}={claim['value']}, alpha={number_of('alpha')}, k={number_of('k')}"
    elif model == "confidence":
        inside = f"{on or 'all quasi'} -> {guarded(sorted(claim['values'].items()))}, h={number_of('h')}"
    elif model == "ke-anonymity":
        inside = f"{name}, k={number_of('k')}, e={number_of('e')}, {claim.get('objective', 'sum')}{more('max_share')}"
    elif model == "xy-anonymity":
        inside = f"{'+'.join(claim['x'])} -> {claim['y'] if isinstance(claim['y'], str) else '+'.join(claim['y'])}, k={number_of('k')}"
    elif model == "xy-linkability":
        inside = f"{'+'.join(claim['x'])} -> {guarded(claim['values'].items())}, h={number_of('h')}"
    else:
        inside = f"k={number_of('k')}"
    return f"{model}({inside})"


def short_text(value):
    """A decimal if it is exact and short, in the shorter of its two forms; else a fraction."""
    if value.denominator == 1:
        return str(value)
    _, digits, exponent = Decimal(repr(float(value))).as_tuple()
    plain_form, digits = format(Decimal(repr(float(value))), "f"), "".join(map(str, digits))
    point = len(digits) - 1 + exponent
    other = digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{'-' if point < 0 else '+'}{abs(point):02d}"
    text = plain_form if len(plain_form) <= len(other) else other
    return text if len(text) <= 12 and Fraction(text) == value else str(value)


# ---------------------------------------------------------------------------------------------------------------------
# Reading tables: the columns by name, each a list of texts; None is a JSON null or a Parquet NULL.


class Table(dict):
    several = frozenset()  # columns of JSON Lines with cells of several types, or no cell in two ways


def read_bytes(path):
    if os.path.exists(path) and not os.path.isfile(path):
        raise Refused(f"{path} is not a regular file")  # a pipe may never end
    with open(path, "rb") as file:
        return file.read()


def unpacked(data):
    """The bytes behind gzip, if it is that."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error):
        raise Refused("the compressed data are damaged, or end early") from None


def read_table(path, data, text, names=None, kind=None):
    """`text` has delimiter, quote, header and trim of a CSV; `names` those of a file without a header."""
    kind = kind or kind_of(path)
    if kind == "parquet":
        return read_parquet(path)
    if data[:2] == b"\x1f\x8b":
        data = unpacked(data)
    elif path.lower().endswith(".gz") and data:
        raise Refused("the file is not compressed, as its name says")
    if b"\0" in data:
        raise Refused("the file has a byte of zero")
    if not data and kind == "csv" and not names:
        raise Refused("the file is empty")
    try:
        decoded = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused("the file is not UTF-8") from None
    return read_jsonl(decoded, names) if kind == "jsonl" else read_csv(decoded, text, names)


def kind_of(path):
    found = re.search(r"\.(parquet|pq|jsonl|ndjson)$", path.lower().removesuffix(".gz"))
    return "csv" if not found else "parquet" if found[1] in ("parquet", "pq") else "jsonl"


def read_csv(text, form, names=None):
    records = csv_records(text, form.get("delimiter", ","), form.get("quote", '"'), form.get("trim", False))
    if not is_plain(text, form.get("delimiter", ","), form.get("quote", '"'), form.get("trim", False)):
        raise Refused("a quote or a carriage return stands inside a cell without quotes")
    header = next(records, None) if form.get("header", True) else None
    names = names or header or []
    if len(set(names)) != len(names):
        raise Refused("two columns have the same name")
    columns = [[] for _ in names]
    rows = 0
    blank = False
    for record in records:
        if record == [""] and len(names) > 1:  # the end of a file may have blank lines
            blank = True
            continue
        rows += 1
        if blank:
            raise Refused(f"a blank line comes before row {rows}")
        if len(record) != len(names):
            raise Refused(f"row {rows} has {len(record)} cells instead of {len(names)}")
        for column, cell in zip(columns, record):
            column.append(cell)
    return dict(zip(names, columns)), rows


def csv_records(text, delimiter, quote, trim):
    if len(delimiter) == 1 and not trim:  # the standard library's reader knows no longer delimiters
        options = {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}
        for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, **options):
            yield record or [""]
        return
    place, record = 0, []
    while place < len(text):
        start = place
        while trim and text[place:place + 1] in (" ", "\t") and not text.startswith(delimiter, place):
            place += 1
        if quote and text.startswith(quote, place):
            cell, place = quoted_cell(text, place + 1, quote)
            while trim and text[place:place + 1] in (" ", "\t") and not text.startswith(delimiter, place):
                place += 1
        else:
            ends = [end for end in (text.find(delimiter, start), text.find("\n", start)) if end >= 0]
            place = min(ends, default=len(text))
            cell = text[start:place].removesuffix("\r") if text[place:place + 1] != delimiter[:1] else text[start:place]
            cell = cell.strip(" \t") if trim else cell
            if "\r" in cell or quote and quote in cell:
                raise Refused("a quote or a carriage return stands inside a cell without quotes")
        record.append(cell)
        if text.startswith("\r\n", place):
            place += 1
        if text.startswith(delimiter, place) and text[place:place + 1] != "\n":
            place += len(delimiter)
            if place < len(text):
                continue
            record.append("")
        elif place < len(text) and text[place] != "\n":
            raise Refused("a quoted cell goes on after its quote")
        place += 1
        yield record
        record = []


def is_plain(text, delimiter, quote, trim):
    """No quote and no carriage return stands inside a cell without quotes, where readers differ on it. Longer delimiters and trim have a
    reader of their own, which says so itself."""
    if len(delimiter) > 1 or trim:
        return True
    if quote and quote in text:
        d, q = re.escape(delimiter), re.escape(quote)
        text = re.sub(rf"(?:\A|(?<=[\n{d}])){q}(?:[^{q}]|{q}{q})*{q}(?={d}|\r?\n|\r?\Z)", "", text)
        if quote in text:
            return False
    return "\r" not in text or re.search(r"\r(?!\n|\Z)", text) is None


def quoted_cell(text, place, quote):
    cell = ""
    while True:
        end = text.find(quote, place)
        if end < 0:
            raise Refused("a quoted cell does not end")
        cell += text[place:end]
        if text[end + 1:end + 2] != quote:
            return cell, end + 1
        cell, place = cell + quote, end + 2


def read_jsonl(text, names=None):
    """Every line names its columns; `names` are those of a file without lines."""
    columns, rows, types = Table({name: [] for name in names or []}), 0, {}
    for rows, line in enumerate((line for line in text.split("\n") if line.strip(" \t\r")), 1):
        try:
            record = json.loads(line, parse_int=Number, parse_float=Number, parse_constant=refused, object_pairs_hook=once)
            record = once(fields_of(record)) if isinstance(record, dict) else None
        except (ValueError, RecursionError):
            record = None
        if record is None or not all(cell is None or isinstance(cell, (str, bool)) for cell in record.values()):
            raise Refused(f"line {rows} is not an object of texts")
        if rows == 1:
            columns, types = Table({name: [] for name in record}), {name: set() for name in record}
        if set(record) - set(columns):
            raise Refused(f"line {rows} has a column that the first line does not have")
        for name, cells in columns.items():
            cell = record.get(name)
            types[name].add(type(cell) if name in record else "absent")
            cells.append(cell if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell))
        if any("\0" in cell or not is_utf8(cell) for cell in record.values() if isinstance(cell, str)):
            raise Refused(f"line {rows} has a cell that is not of characters")
    if not rows and names is None:
        raise Refused("the file is empty")
    columns.several = {name for name, found in types.items() if len(found & {str, Number, bool}) > 1 or {type(None), "absent"} <= found}
    return columns, rows


class Number(str):
    """A JSON number as it is written."""


def refused(text):
    raise ValueError


def fields_of(record, before="", depth=0):
    """Name and cell; a field of an object inside has a name such as meta.ip."""
    if depth > 16:
        raise ValueError
    for name, cell in record.items():
        if isinstance(cell, dict):
            yield from fields_of(cell, before + name + ".", depth + 1)
        else:
            yield before + name, cell


def is_utf8(text):
    try:
        return text.encode() is not None
    except UnicodeEncodeError:
        return False


def cut_type(column):
    """Why values of a Parquet column would be cut to fewer digits by a reader (docs/cli.md); None: they would not."""
    kind = json.loads(column.logical_type.to_json())
    if column.physical_type == "INT96":
        return "INT96"
    if kind.get("timeUnit") == "nanoseconds" and (kind["Type"] == "Time" or kind["isAdjustedToUTC"]):
        return "TIME in nanoseconds" if kind["Type"] == "Time" else "TIMESTAMP in nanoseconds with a time zone"
    return "DECIMAL of more than 38 digits" if kind.get("precision", 0) > 38 else None


def read_parquet(*paths):
    """The rows of the files, one file after the other."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise Refused("Parquet needs pyarrow: pip install pyarrow, or publish as CSV") from None
    try:
        files = [pyarrow.parquet.ParquetFile(path) for path in paths]
        for column in (file.schema.column(place) for file in files for place in range(len(file.schema))):
            if kind := cut_type(column):
                raise Refused(f"column {column.path.split('.')[0]} has the Parquet type {kind}, of which digits would be lost")
        table = pyarrow.concat_tables([file.read() for file in files])
    except Refused:
        raise
    except Exception as error:  # its own kinds of errors; their texts could quote the file
        raise Refused(f"{', '.join(paths)}: not a Parquet file that can be read ({type(error).__name__})") from None
    text = lambda cell: cell if cell is None or isinstance(cell, str) else format(cell, "f") if isinstance(cell, Decimal) \
        else json.dumps(cell) if isinstance(cell, bool) else str(cell)
    if len(set(table.column_names)) != len(table.column_names):
        raise Refused("two columns have the same name")
    columns = {}
    for name in table.column_names:
        try:
            columns[name] = [text(cell) for cell in table.column(name).to_pylist()]
        except (OverflowError, ValueError):
            raise Refused(f"a cell of '{name}' is a time that cannot be shown") from None
        if any(cell is not None and "\0" in cell for cell in set(columns[name])):
            raise Refused(f"a cell of '{name}' has a byte of zero")
    return columns, table.num_rows


# ---------------------------------------------------------------------------------------------------------------------
# Signatures (docs/certificate.md): Ed25519 (RFC 8032) over the canonical form of a JSON document (RFC 8785).

P = 2**255 - 19  # the field
L = 2**252 + 27742317777372353535851937790883648493  # the order of the base point
D = -121665 * pow(121666, -1, P) % P
BASE_Y = 4 * pow(5, -1, P) % P


def x_of(y, odd):
    """The x of a point with this y; None if there is none."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and odd):
        return None
    return x if x % 2 == odd else P - x


def add(a, b):
    """Of points (X, Y, Z, T) with x = X / Z, y = Y / Z, x y = T / Z."""
    m, n = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    o, q = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = n - m, q - o, q + o, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number, point):
    found = (0, 1, 1, 0)
    while number:
        if number & 1:
            found = add(found, point)
        point, number = add(point, point), number >> 1
    return found


def decode_point(text):
    number = int.from_bytes(text, "little")
    y, odd = number & (2**255 - 1), number >> 255
    x = x_of(y, odd) if y < P else None
    return None if x is None else (x, y, 1, x * y % P)


def encode_point(point):
    inverse = pow(point[2], -1, P)
    return ((point[1] * inverse % P) | (point[0] * inverse % P & 1) << 255).to_bytes(32, "little")


BASE = (x_of(BASE_Y, 0), BASE_Y, 1, x_of(BASE_Y, 0) * BASE_Y % P)


def ed25519_verifies(key, message, signature):
    """S B = R + H(R, A, message) A. Points of small order are refused: they would fit more than one message."""
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r, s = decode_point(key), decode_point(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L or any(times(8, point)[0] % P == 0 for point in (a, r)):
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    minus_a = (P - a[0], a[1], 1, P - a[3])
    return encode_point(add(times(s, BASE), times(h, minus_a))) == signature[:32]


PUBLIC_HEAD = bytes.fromhex("302a300506032b6570032100")  # SubjectPublicKeyInfo of Ed25519, before the key


def base64_bytes(text):
    """ValueError if bits are left over: then a second text would mean the same bytes."""
    found = base64.b64decode(text, validate=True)
    if base64.b64encode(found).decode() != text:
        raise ValueError
    return found


def read_public_key(path):
    text = re.search(r"-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/= \t\r\n]*)-----END PUBLIC KEY-----", read_bytes(path).decode("latin-1"))
    try:
        der = base64_bytes("".join(text[1].split())) if text else b""
    except ValueError:
        der = b""
    if der[:12] != PUBLIC_HEAD or len(der) != 44:
        raise Refused(f"{path} is not a public Ed25519 key")
    return der[12:]


def key_id(key):
    return hashlib.sha256(PUBLIC_HEAD + key).hexdigest()


def canonical(value):
    """RFC 8785: no spaces, names by their UTF-16 code units, numbers as ECMAScript writes them."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
        return '"' + "".join(short.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in value) + '"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        if abs(value) > 2**53:
            raise Refused("a whole number is beyond 2^53")
        return str(value)
    return canonical_number(value)


def canonical_number(value):
    if not math.isfinite(value):
        raise Refused("a number is not finite")
    if value == 0:
        return "0"
    _, digits, exponent = Decimal(repr(abs(value))).normalize().as_tuple()
    digits, sign = "".join(map(str, digits)), "-" if value < 0 else ""
    point = len(digits) + exponent  # digits before the point
    if len(digits) <= point <= 21:
        return sign + digits + "0" * exponent
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{'-' if point < 1 else '+'}{abs(point - 1)}"


def signed_text(document, kind):
    """What is signed: the document without its signatures, as the payload of a DSSE envelope."""
    payload = canonical({name: value for name, value in document.items() if name != "signatures"}).encode("utf-8")
    kind = f"application/vnd.cordon.{kind}+json"
    return f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload


def signature_fault(document, kind, keys):
    """Why none of the keys has signed the document; empty if one has."""
    if "signatures" not in document:
        return "it is not signed"
    if document.get("format") != 2 or not isinstance(document["signatures"], list):
        return "its signature is not of a form that is known here"
    try:
        message, known = signed_text(document, kind), False
    except Refused as error:
        return f"the JSON has no canonical form: {error}"
    for entry in document["signatures"]:
        try:
            signature = base64_bytes(entry["sig"])
        except (ValueError, KeyError, TypeError):
            continue
        known = known or any(entry.get("keyid") == key_id(key) for key in keys)
        if any(ed25519_verifies(key, message, signature) for key in keys):
            return ""
    return "it was changed after it was signed" if known else "no key that was given has signed it"


def check_signature(document, kind, keys, findings):
    if keys and (fault := signature_fault(document, kind, keys)):
        findings.append(f"certificate: {fault}")


# ---------------------------------------------------------------------------------------------------------------------
# Manifests.


def once(pairs):
    """An object of which no name stands twice: readers differ on which of the two counts."""
    pairs = list(pairs)
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


class MinusZero(int):
    """-0: a whole number, and not a count."""


MOST_NESTED = 200


def whole_or_real(text):
    """Beyond 64 bits readers have floating point."""
    if text == "-0":
        return MinusZero()
    return int(text) if len(text) < 21 and -2**63 <= int(text) < 2**64 else real(text)


def real(text):
    if not math.isfinite(float(text)):
        raise ValueError
    return float(text)


def json_of(data):
    """A JSON text; ValueError if it is not one, has a byte order mark, or is nested too deep for some reader."""
    text = data.decode("utf-8")
    depth = max(accumulate((1 if c in "[{" else -1 for c in re.sub(r'"(?:[^"\\]|\\.)*"?|[^]["{}]+', "", text, flags=re.DOTALL)), initial=0))
    if depth > MOST_NESTED:
        raise ValueError
    found = json.loads(text, object_pairs_hook=once, parse_int=whole_or_real, parse_float=real, parse_constant=refused)
    json.dumps(found, ensure_ascii=False).encode()  # half of a pair, "\\ud800", is not a character
    return found


def read_json(path):
    try:
        found = json_of(read_bytes(path))
    except ValueError:
        raise Refused(f"{path} is not JSON") from None
    if not isinstance(found, dict):
        raise Refused(f"{path} is not a manifest")
    return found


# What a manifest has: a key that is missing claims nothing, for manifests of earlier versions have fewer keys.

def is_text(value):
    return isinstance(value, str)


def is_quote(value):
    return is_text(value) and len(value.encode()) <= 1


def is_delimiter(value):
    return is_text(value) and value != ""


def is_flag(value):
    return isinstance(value, bool)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, (bool, MinusZero)) and 0 <= value < 2**64


def is_time(value):
    """Such as 2026-05-01T10:00:00Z."""
    if not is_text(value) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", value):
        return False
    with contextlib.suppress(ValueError):
        return datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ") is not None
    return False


def is_object(value):
    return isinstance(value, dict)


def is_list_of(fits):
    return lambda value: isinstance(value, list) and all(map(fits, value))


def is_one_of(*names):
    return lambda value: isinstance(value, str) and value in names


def is_lists(value):
    return is_object(value) and all(map(is_list_of(is_text), value.values()))


FRACTION_TEXT = re.compile(r"-?[0-9]{1,40}/[0-9]{1,40}")  # Fraction() also reads " 3" and "1_0"
DECIMAL_TEXT = re.compile(r"[-+]?(?:([0-9]+)\.?([0-9]*)|\.([0-9]+))(?:[eE]([-+]?[0-9]{1,9}))?")


def is_number(value):
    """A whole number, or a text such as "1/5" or "0.2": of two whole numbers of 64 bits, with at most 18 digits after the point."""
    if not is_text(value):
        return isinstance(value, int) and not isinstance(value, bool) and -2**63 <= value < 2**63
    decimal = DECIMAL_TEXT.fullmatch(value)
    if decimal:
        whole, more, only, exponent = decimal.groups()
        digits, scale = (whole or "") + (more or only or ""), len(more or only or "") - int(exponent or 0)
        if int(digits[:40]) > 10 * 2**90 or len(digits.lstrip("0")) > 30 or abs(int(exponent or 0)) > 400:
            return False
        if int(digits) == 0:
            return True
        while scale > 0 and digits.endswith("0"):
            digits, scale = digits[:-1], scale - 1
        if not -9 <= scale <= 18:
            return False
    elif not FRACTION_TEXT.fullmatch(value) or not 0 < int(value.split("/")[1]) < 2**63 or not -2**63 <= int(value.split("/")[0]) < 2**63:
        return False
    return all(-2**63 <= part < 2**63 for part in Fraction(value).as_integer_ratio())


def is_number_in(low, high=math.inf, above=False, whole=False):
    """A number from `low`, or above it, to `high`."""
    def fits(value):
        if not is_number(value) or whole and Fraction(value).denominator != 1:
            return False
        return Fraction(value) <= high and (Fraction(value) > low if above else Fraction(value) >= low)
    return fits


TEXTS = is_list_of(is_text)
TOP = {"format": lambda value: is_count(value) and value in (1, 2), "tool": is_text, "policy_sha256": is_text, "algorithm": is_text,
       "suppressed": is_count, "permuted": is_text, "set": TEXTS, "previous": is_list_of(is_object), "join": is_object,
       "output": is_object, "privacy": is_list_of(is_object),
       "signed_at": is_time,
       "signatures": is_list_of(lambda entry: True)}
OUTPUT = {"name": is_text, "sha256": lambda value: is_text(value) and value != "", "bytes": is_count, "rows": is_count,
          "format": is_one_of("csv", "jsonl", "parquet", "xlsx", "spss", "stata", "sas"), "delimiter": is_delimiter, "quote": is_quote,
          "header": is_flag, "names": TEXTS, "missing": TEXTS, "columns": is_list_of(is_object)}
COLUMN = {"name": is_text, "role": is_one_of("identifier", "person", "quasi", "sensitive", "class", "insensitive", "group"),
          "type": is_one_of("numeric", "date", "categorical"), "upper_end": is_one_of("included", "excluded"),
          "closed": is_list_of(lambda pair: TEXTS(pair) and len(pair) == 2)}
CLAIM = {"model": is_text, "text": is_text, "holds": is_flag, "reached": is_text, "counts": is_one_of("rows", "persons"), "order": TEXTS,
         "paths": lambda value: is_lists(value) and all(value.values()), "prefix": is_count}
SHARE, COUNT, MORE_THAN_0 = is_number_in(0, 1, above=True), is_number_in(1, whole=True), is_number_in(0, above=True)
PARAMETERS = {"sensitive": lambda value: is_text(value) and value != "", "value": is_text, "on": TEXTS,
              "values": lambda value: is_lists(value) and bool(value), "k": COUNT, "window": COUNT, "min_depth": is_number_in(0, whole=True),
              "kind": is_one_of("distinct", "entropy", "recursive", "basic", "enhanced"),
              "distance": is_one_of("ordered", "hierarchical", "equal"), "objective": is_one_of("sum", "max"), "l": is_number_in(1),
              "t": is_number_in(0, 1), "range": is_number_in(0), "e": is_number_in(0), "alpha": SHARE, "h": SHARE, "max_share": SHARE,
              "c": MORE_THAN_0, "beta": MORE_THAN_0, "delta": MORE_THAN_0}
NEEDED = {"k-anonymity": ("k",), "ks-anonymity": ("k",), "l-diversity": ("sensitive", "l"), "t-closeness": ("sensitive", "t"),
          "beta-likeness": ("sensitive", "beta"), "delta-disclosure": ("sensitive", "delta"), "alpha-k": ("sensitive", "value", "alpha", "k"),
          "confidence": ("values", "h"), "ke-anonymity": ("sensitive", "k", "e"), "window-closeness": ("sensitive", "window", "t"),
          "window-likeness": ("sensitive", "window", "beta")}
LEFT_OUT = {"l-diversity": {"kind": "distinct"}, "beta-likeness": {"kind": "enhanced"}, "window-likeness": {"kind": "enhanced"},
            "t-closeness": {"distance": "ordered"}, "window-closeness": {"distance": "ordered"}, "ke-anonymity": {"objective": "sum"}}


def refuse_field(where):
    raise Refused(f"the manifest cannot be read: '{where}' is missing or is not what a manifest has there")


def check_fields(found, fields, needed, where):
    for key, fits in fields.items():
        if not fits(found[key]) if key in found else key in needed:
            refuse_field(where + key)


def is_text_or_null(value):
    return value is None or is_text(value)


def is_paths(value):
    return is_lists(value) and all(value.values())


def is_known(columns):
    """What an attacker knows, X: names, each once."""
    return TEXTS(columns) and columns != [] and len({ref_of(name) for name in columns}) == len(columns)


def is_counted(y):
    return y != [] if TEXTS(y) else is_text(y) and re.fullmatch(r"person|pairs|rows of previous(0*[1-9][0-9]{0,8})?", y) is not None


def is_guarded(values):
    return is_lists(values) and values != {}


PREVIOUS = {"name": is_text, "sha256": is_text, "columns": is_list_of(is_object)}
END = {"name": is_text, "upper_end": COLUMN["upper_end"], "closed": COLUMN["closed"]}
JOIN = {"tuples": is_text, "route": is_one_of("definition", "counting"), "forced_links": is_object, "privacy": is_list_of(is_object),
        "holds": is_flag, "columns": is_object, "impossible": is_list_of(is_object)}
FORCED_LINKS = {"audit": is_one_of("not needed", "done", "not applicable"), "ruled_out": is_count, "why": is_text}
JOIN_CLAIM = {"model": is_text, "text": is_text, "regime": is_one_of("closed", "linking"), "holds": is_flag, "reached": is_text_or_null,
              "reached_alone": is_text_or_null, "reached_without_forced_links": is_text_or_null}
JOIN_PARAMETERS = {"x": is_known, "y": is_counted, "values": is_guarded, "k": COUNT, "h": SHARE}
JOIN_NEEDED = {"xy-anonymity": ("x", "y", "k"), "xy-linkability": ("x", "values", "h")}
MATCH = {"match": is_one_of("text", "paths", "numeric", "date"), "paths": is_paths}
IMPOSSIBLE = {"current": is_text, "previous": is_text, "pairs": is_list_of(lambda pair: TEXTS(pair) and len(pair) == 2)}


def check_join(manifest):
    """The form of what a manifest says of previous releases and the join with them."""
    for previous in manifest.get("previous", []):
        check_fields(previous, PREVIOUS, ("name", "sha256"), "previous.")
        for column in previous.get("columns", []):
            check_fields(column, END, ("name", "upper_end"), "previous.columns.")
    if "join" not in manifest:
        return refuse_field("join") if manifest.get("previous") else None
    join = manifest["join"]
    if not manifest.get("previous"):
        refuse_field("previous")
    check_fields(join, JOIN, ("privacy", "columns", "impossible"), "join.")
    check_fields(join.get("forced_links", {}), FORCED_LINKS, (), "join.forced_links.")
    for how in join["columns"].values():
        if not is_object(how):
            refuse_field("join.columns")
        check_fields(how, MATCH, ("match", "paths") if how.get("match") == "paths" else ("match",), "join.columns.")
    for pairs in join["impossible"]:
        check_fields(pairs, IMPOSSIBLE, tuple(IMPOSSIBLE), "join.impossible.")
    for claim in join["privacy"]:
        check_fields(claim, JOIN_CLAIM, ("model", "holds"), "join.privacy.")
        if claim["model"] not in JOIN_NEEDED:
            refuse_field("join.privacy")
        needed = JOIN_NEEDED[claim["model"]]
        check_fields(claim, {key: JOIN_PARAMETERS[key] for key in needed}, needed, "join.privacy.")
        y = claim.get("y") if "y" in needed else list(claim["values"])
        if isinstance(y, list) and {ref_of(name) for name in claim["x"]} & {ref_of(name) for name in y}:
            refuse_field("join.privacy")


def ref_of(name):
    """The release and the column that a name such as previous2.zip means; -1: the one previous release that has it."""
    found = re.fullmatch(r"previous([0-9]{0,9})\.(.+)", name, re.DOTALL)
    return (0, name) if not found or found[1] and int(found[1]) < 1 else (int(found[1] or -1), found[2])


def read_manifest(path):
    """A manifest of which every key that is known is of its type, and every claim a model with its parameters."""
    manifest = read_json(path)
    check_fields(manifest, TOP, ("format", "output"), "")
    output = manifest["output"]
    check_fields(output, OUTPUT, ("sha256", "columns"), "output.")
    for column in output["columns"]:
        check_fields(column, COLUMN, ("name", "role"), "output.columns.")
    if len({column["name"] for column in output["columns"]}) != len(output["columns"]):
        refuse_field("output.columns.name")
    for place, claim in enumerate(manifest.setdefault("privacy", [])):
        check_fields(claim, CLAIM, ("model", "holds"), f"privacy[{place}].")
        if claim["model"] not in NEEDED:
            raise Refused(f"'{claim['model']}' cannot be judged of a table")
        manifest["privacy"][place] = {**LEFT_OUT.get(claim["model"], {}), **claim}
        check_fields(claim, PARAMETERS, NEEDED[claim["model"]], f"privacy[{place}].")
        if claim["model"] == "l-diversity" and ("c" in claim) != (claim.get("kind") == "recursive"):
            refuse_field(f"privacy[{place}].c")
    check_join(manifest)
    return manifest


def file_faults(path, data, output):
    """What the manifest says of the file that is not so, before its rows are read by what it says."""
    if "bytes" in output and output["bytes"] != len(data):
        return [f"bytes: there are {len(data)}, the manifest says {output['bytes']}"]
    kind, start = output.get("format"), data[:2]
    plain_data = unpacked(data)
    if kind == "jsonl" and (said := plain_data.removeprefix(b"\xef\xbb\xbf").strip()) and not said.startswith(b"{") or kind == "parquet" and data[:4] != b"PAR1":
        return [f"format: the file is not {kind}, as the manifest says"]
    if kind in (None, "csv") and kind_of(path) == "csv" and output.get("header", True):
        form = {key: output[key] for key in ("delimiter", "quote") if key in output}
        first = plain_data.decode("utf-8-sig", errors="replace")
        try:
            header = next(csv_records(first, form.get("delimiter", ","), form.get("quote", '"'), False), [])
        except (Refused, csv.Error):
            return []  # reading it will say what is wrong
        if "names" in output and header != output["names"]:
            return ["names: the first line is not what the manifest says"]
    return []


def column_faults(table, rows, output):
    if output.get("rows", rows) != rows:
        return [f"rows: there are {rows}, the manifest says {output['rows']}"]
    if output.get("names", list(table)) != list(table):
        return ["names: the columns of the file are not those that the manifest names"]
    described = set()
    for name in (column["name"] for column in output["columns"]):
        two = name not in table and name + "_lo" in table
        described |= {name + "_lo", name + "_hi"} if two else {name}
    if described != set(table):
        return ["columns: the manifest describes other columns than the file has"]
    return [fault for column in output["columns"] if (fault := end_fault(table, column))]


def end_fault(table, column):
    """What is said of the upper ends of ranges: of two columns alone. "excluded" if some range is open, and then which ones are not."""
    if "upper_end" not in column and "closed" not in column:
        return None
    name, point = column["name"], {"numeric": number, "date": day}.get(column.get("type"))
    if name in table or name + "_hi" not in table or "upper_end" not in column or point is None and "type" in column:
        return f"columns: the manifest says how ranges of '{name}' end, and it does not show them by their ends"
    if point is None:
        return None
    ranges = set()
    for lo, hi in {(lo, hi) for lo, hi in zip(table[name + "_lo"], table[name + "_hi"]) if lo != hi}:
        try:
            ranges |= {(point(lo), point(hi))} if point(lo) != point(hi) else set()
        except (ValueError, TypeError):
            return None  # not a range, which check_columns refuses
    try:
        closed = {(point(lo), point(hi)) for lo, hi in column.get("closed", [])}
    except ValueError:
        closed = None
    is_so = closed is not None and (closed < ranges if column["upper_end"] == "excluded" else not closed)
    return None if is_so else f"columns: the manifest says of ranges of '{name}' how they end that are not there"


def claim_faults(claims):
    texts = [f"{describe(claim)}: the manifest has another text for it" for claim in claims if claim.get("text", describe(claim)) != describe(claim)]
    return texts + [f"{describe(claim)}: the manifest itself says that it does not hold" for claim in claims if not claim["holds"]]


def release_by(manifest, path, data):
    """The release as its manifest describes it, and what the manifest says of the file that is not so: then there is no release."""
    output = manifest["output"]
    findings = file_faults(path, data, output)
    if findings:
        return None, findings
    try:
        table, rows = read_as(path, data, output)
    except (Refused, csv.Error):
        if not is_written_otherwise(path, data, output):
            raise
        return None, ["delimiter, quote: the file is written in another way than the manifest says"]
    findings = column_faults(table, rows, output)
    if findings:
        return None, findings
    columns = output["columns"]
    release = Release(table, rows, {column["name"]: column["role"] for column in columns},
                      {column["name"]: column.get("type", "categorical") for column in columns}, output.get("missing", [""]))
    check_columns(release)
    release.permuted = manifest.get("permuted", "")
    claims = manifest["privacy"]
    if any(release.roles.get(name) != "sensitive" for claim in claims for name in sensitive_columns(claim)):
        return None, ["columns: a claim is about a column that is not sensitive, as the manifest says"]
    if any(release.roles.get(name) != "quasi" for claim in claims for name in claim.get("on", [])):
        return None, ["columns: a claim is about a column that is not quasi, as the manifest says"]
    return release, []


def read_as(path, data, output):
    kind = output.get("format", kind_of(path))
    return read_table(path, data, output, output.get("names") if kind == "csv" and not output.get("header", True) else None, kind)


def is_written_otherwise(path, data, output):
    """Whether a file that cannot be read as its manifest states can be read by another delimiter or quote."""
    form = output.get("delimiter", ","), output.get("quote", '"')
    others = [(delimiter, quote) for delimiter in (form[0], ",", ";", "\t", "|", "||", ", ") for quote in (form[1], '"', "'", "")]
    for delimiter, quote in others if output.get("format", kind_of(path)) == "csv" else ():
        try:
            table, rows = read_as(path, data, {**output, "delimiter": delimiter, "quote": quote})
        except (Refused, csv.Error):
            continue
        if not column_faults(table, rows, output):
            return True
    return False


def check_set(path, data, manifest_path, row_map, findings):
    """The files of a run, by SHA-256: the manifest names the release; a run record at hand names both, and the row map."""
    digest = lambda bytes_: hashlib.sha256(bytes_).hexdigest()
    if os.path.lexists(manifest_path) and read_manifest(manifest_path)["output"]["sha256"] != digest(data):
        findings.append("sha256: the bytes are not those that the manifest names")
    if not os.access(path + ".private.json", os.R_OK):
        return
    record = read_json(path + ".private.json")
    for key, name, found in (("output_sha256", path, data), ("manifest_sha256", manifest_path, None), ("row_map_sha256", row_map, None)):
        if name and record.get(key) and os.path.exists(name) and record[key] != digest(found if found is not None else read_bytes(name)):
            findings.append(f"sha256: the bytes of {name} are not those that the run record names")


def verify_manifest(path, manifest_path, previous, keys):
    manifest, findings, data = read_manifest(manifest_path), [], read_bytes(path)
    signed = read_json(manifest_path)
    check_signature(signed, "manifest", keys, findings)
    check_set(path, data, manifest_path, None, findings)
    claims = manifest["privacy"]
    release, faults = release_by(manifest, path, data)
    findings += faults + claim_faults(claims)
    if release is None:
        return {"format": 1, "rows": manifest["output"].get("rows"), "counts": "rows", "privacy": [], "rows_below": [], "findings": findings,
                "notes": ["the rows are not judged, because the manifest does not describe this file"], "join": [], "holds": False}
    notes = []
    told = [claim for claim in claims if not by_person(claim)]
    verdicts = judge(release, told)
    for claim, verdict in zip(told, verdicts):
        people = claim.get("counts") == "persons"  # not published: rows are an upper bound of k
        if not people and not same_figure(claim, verdict):
            findings.append(f"{describe(claim)}: reached {verdict['reached_exact']}, the manifest says {claim['reached']}")
    if any(claim.get("counts") == "persons" for claim in told):
        notes.append("people are not published; k counts rows here")
    joins = []
    if "join" in manifest:
        try:
            joins = judge_joins(manifest, release.table, release.rows, previous, findings, notes)
        except NotSo as error:
            findings.append(str(error))
    if not claims and "join" not in manifest:
        findings.append("the manifest claims nothing, so nothing was judged")
    result = result_of(release, verdicts, findings, notes)
    if len(told) < len(claims) and result["holds"] and all(verdict["holds"] for verdict in joins or []):
        claim = next(claim for claim in claims if by_person(claim))
        raise Refused(f"{describe(claim)} counts people, and a release does not tell them apart; give --policy, --original and --row-map")
    holds = result["holds"] and all(verdict["holds"] for verdict in joins or [])
    return {**result, "join": joins or [], "holds": None if joins is None and holds else holds}


def same_figure(claim, verdict):
    """Counts and shares are stated exactly. Of a logarithm both programs round the last digit that is shown."""
    if claim.get("reached") in (None, verdict["reached_exact"]):
        return True
    rounded = claim["model"] == "delta-disclosure" or claim.get("kind") == "entropy"
    return rounded and verdict["reached"] is not None and claim["reached"] in [shown(verdict["reached"] * (1 + error)) for error in (-1e-9, 1e-9)]


def check_columns(release):
    """Every published column is spoken of, and every one that is spoken of is there. Cells tell rows apart in one way only."""
    expected = [part for name in release.roles for part in
                ([name] if name in release.table or name + "_lo" not in release.table else [name + "_lo", name + "_hi"])]
    for name in expected:
        if name not in release.table:
            raise Refused(f"the file has no column '{name}'")
    for place, name in enumerate(release.table, 1):
        if name not in expected:  # not named: it may be a row taken for a header
            raise Refused(f"column {place} of the file is not one that was declared")
    for name in release.named("quasi"):
        for cells in release.cells(name):
            if sum(release.is_missing(cell) and cell != "*" for cell in set(cells)) > 1:
                raise Refused(f"missing cells of '{name}' are shown by several markers")
        if name not in release.table and release.types.get(name) in ("numeric", "date"):
            for lo, hi in {(lo, hi) for lo, hi in zip(*release.cells(name)) if lo != hi}:
                check_range(name, *range_of(name, lo, hi, day if release.types[name] == "date" else number), False)
    for name in release.named("quasi") + release.named("sensitive") + release.named("group"):
        if any(part in getattr(release.table, "several", ()) for part in (name, name + "_lo", name + "_hi")):
            raise Refused(f"cells of '{name}' are of several types, or are not there in some lines")


def small_groups(release, exempt_suppressed):
    """Rows in groups below k = 2, 3, 5, and their people if these are known. Nothing for a permuted release, whose quasi cells
    are exact by intent."""
    if release.permuted:
        return []
    groups = groups_of(release, release.named("quasi") + release.named("group"), [], exempt_suppressed)
    below = [(k, [group for group in groups if group.people < k]) for k in (2, 3, 5)]
    return [{"k": k, "rows": sum(group.rows for group in small), "groups": len(small)} | people_in(release, small) for k, small in below]


def people_in(release, groups):
    return {} if release.persons is None else {"people": len(set().union(*(group.who for group in groups)))}


def result_of(release, verdicts, findings, notes, exempt_suppressed=False):
    return {"format": 1, "rows": release.rows, "counts": "rows" if release.persons is None else "persons",
            "privacy": verdicts, "rows_below": small_groups(release, exempt_suppressed), "findings": findings, "notes": notes,
            "holds": not findings and all(verdict["holds"] for verdict in verdicts)}


def is_few(value):
    return is_count(value) and value <= 2**40


STORE = {"tool": is_text, "policy_sha256": is_text, "algorithm": is_text, "sensitive": is_text, "rows": is_few, "groups": is_few,
         "next_group": is_few, "next_part": is_few, "columns": is_list_of(is_object), "releases": lambda value: isinstance(value, list), "parts": is_list_of(is_object), "files": is_object}
STORE_COLUMN = {"name": is_text, "role": is_one_of("quasi", "sensitive", "class", "insensitive", "group"),
                "type": is_one_of("text", "integer", "decimal", "date"), "scale": lambda value: is_count(value) and value <= 18}
PART = {"number": is_few, "rows": is_few, "level": lambda value: is_count(value) and value <= 1000}


def read_store_manifest(path):
    """A manifest of which everything is there and of its type, whose parts and files belong together."""
    manifest = read_json(os.path.join(path, "manifest.json"))
    sealed = json.dumps({key: value for key, value in manifest.items() if key != "digest"}, ensure_ascii=False, separators=(",", ":"))
    if manifest.get("digest") != hashlib.sha256(sealed.encode()).hexdigest():
        raise Refused(f"{path}/manifest.json is damaged: its digest is not that of the rest of it")
    if manifest.get("kind") != "ke-store" or not is_count(manifest.get("format")) or manifest["format"] not in (1, 2):
        raise Refused(f"{path} is not a store of format 2")
    if manifest["format"] == 1 or "table.parquet" in manifest.get("files", ()):
        raise Refused(f"{path} is a store of an earlier version: `cordon append {path} --convert NEW` makes one of this version")
    check_fields(manifest, STORE, set(STORE) - {"tool", "policy_sha256", "algorithm"}, "")
    for column in manifest["columns"]:
        check_fields(column, STORE_COLUMN, ("name", "role", "type"), "columns.")
    for part in manifest["parts"]:
        check_fields(part, PART, tuple(PART), "parts.")
    for entry in manifest["files"].values():
        if not is_object(entry):
            refuse_field("files")
        check_fields(entry, {"sha256": is_text, "bytes": is_few}, ("sha256", "bytes"), "files.")
    if len({column["name"] for column in manifest["columns"]}) < len(manifest["columns"]):
        refuse_field("columns")
    numbers = {part["number"] for part in manifest["parts"]}
    files = {f"{folder}/part-{number:06}.parquet" for folder in ("table", "help", "groups") for number in numbers}
    if not numbers or len(numbers) < len(manifest["parts"]) or max(numbers) >= manifest["next_part"] or files != set(manifest["files"]):
        refuse_field("parts")
    return manifest


def store_types(path):
    """Of a part of the table: name, type and digits after the point of each column, as cordon writes them; others have no type."""
    import pyarrow.parquet
    types = []
    for column in pyarrow.parquet.ParquetFile(path).schema:
        kind = json.loads(column.logical_type.to_json())
        whole = column.physical_type == "INT64" and kind in ({"Type": "None"}, {"Type": "Int", "bitWidth": 64, "isSigned": True})
        decimal = kind["Type"] == "Decimal" and kind["precision"] == 18
        name = "integer" if whole else "decimal" if decimal else {"String": "text", "Date": "date"}.get(kind["Type"])
        types.append((column.path, name, kind["scale"] if decimal else None))
    return types


def is_store_claim(manifest):
    """One model as cordon writes it: k is a whole number, e and max_share are exact texts, and there is nothing else."""
    claims = manifest.get("privacy")
    claim = claims[0] if is_list_of(is_object)(claims) and len(claims) == 1 else {}
    try:
        check_fields(claim, {**CLAIM, **PARAMETERS}, ("text", "holds", "objective", *NEEDED["ke-anonymity"]), "privacy.")
    except Refused:
        return False
    exact = {key: str(Fraction(claim[key])) for key in ("e", "max_share") if key in claim}
    wanted = {"model": "ke-anonymity", "sensitive": manifest["sensitive"], "k": claim["k"], "objective": claim["objective"], **exact,
              "text": describe({**claim, "model": "ke-anonymity"}), "holds": True}
    return claim == wanted and is_count(claim["k"]) and claim["holds"] is True


def store_faults(path, manifest, table, rows, policy):
    """What the manifest says of its parts and columns that is not so."""
    faults = []
    said = [(column["name"], column["type"], column.get("scale")) for column in manifest["columns"]]
    for part in manifest["parts"]:
        file = os.path.join(path, f"table/part-{part['number']:06}.parquet")
        _, found = read_parquet(file)
        if found != part["rows"]:
            faults.append(f"parts: part {part['number']} has {found} rows, the manifest says {part['rows']}")
        if store_types(file) != said:
            faults.append(f"columns: names and types of part {part['number']} of the table are not those of the manifest")
    if not {("sensitive", manifest["sensitive"]), ("group", "group")} <= {(column["role"], column["name"]) for column in manifest["columns"]}:
        faults.append("columns: the permuted column is not sensitive, or 'group' does not name the groups")
    if not is_store_claim(manifest):
        faults.append("privacy: it is not one ke-anonymity model of the permuted column that holds")
    if not all(is_text(cell) and re.fullmatch(r"-?[0-9]+", cell) and int(cell) < manifest["next_group"] for cell in table.get("group", ())):
        faults.append("next_group: it is not greater than every group")
    for column in manifest["columns"] if policy else ():
        attribute = policy["attributes"].get(column["name"])
        role = "group" if attribute is None else "insensitive" if "pseudonym" in attribute else attribute["role"]
        if column["role"] != role:
            faults.append(f"columns: the role of '{column['name']}' is not that of the policy")
    return faults


def release_fault(releases, numbers):
    """The last release that grouped everything again, and those that added groups since: each has its groups by their numbers."""
    left = [sorted(numbers[group]) for group in sorted(numbers)]
    entries = [entry if is_object(entry) else {} for entry in releases]
    first = max((place for place, entry in enumerate(entries) if entry.get("mode") != "frozen"), default=0)
    for place, entry in enumerate(entries[first:], first + 1):
        count = entry.get("groups")
        wrong = "groups" if not is_count(count) or count > len(left) else wrong_figure(entry, left[:count])
        if wrong:
            return [f"releases: '{wrong}' of release {place} is not what its groups give"]
        left = left[count:]
    return ["releases: they have fewer groups than are published"] if left else []


def wrong_figure(entry, groups):
    """The key of an entry that is not what its groups, each of sorted values, give."""
    ranges = [each[-1] - each[0] for each in groups]
    quartiles = [each[(3 * len(each) + 3) // 4 - 1] - each[(len(each) + 3) // 4 - 1] for each in groups]
    share = max((Fraction(max(Counter(each).values()), len(each)) for each in groups), default=Fraction(0))
    figures = {"sum_error": sum(ranges, Fraction(0)), "max_error": max(ranges, default=0), "least_quartile_range": min(quartiles, default=0),
               "greatest_share": share}
    if isinstance(entry.get("rows"), bool) or entry.get("rows") != sum(map(len, groups)):
        return "rows"
    for key, value in figures.items():
        if not is_text(entry.get(key)) or not is_number(entry[key]) or Fraction(entry[key]) != value:
            return key
    distinct = min((len(set(each)) for each in groups), default=0)
    reached = f"{distinct} distinct values, range {decimal_text(min(ranges))}, share {share}" if groups else "nothing"
    return None if entry.get("reached") == reached else "reached"


def verify_store(path, policy_path, keys):
    """A permuted release that grows: digests, the model by the column `group`, and the two tables made from the rows."""
    manifest, findings = read_store_manifest(path), []
    policy = read_policy(policy_path) if policy_path else None
    check_signature({name: value for name, value in manifest.items() if name != "digest"}, "store", keys, findings)
    for name, output in manifest["files"].items():
        if not re.fullmatch(r"(table|help|groups)/part-[0-9]{6,}\.parquet", name):
            raise Refused("the manifest names a file that is not a part of the store")
        data = read_bytes(os.path.join(path, name))
        if len(data) != output["bytes"] or hashlib.sha256(data).hexdigest() != output["sha256"]:
            raise Refused(f"{name} is damaged: its bytes are not those that the manifest names")
    for folder in ("table", "help", "groups"):
        for name in os.listdir(os.path.join(path, folder)):
            if name.lower().endswith(".parquet") and f"{folder}/{name}" not in manifest["files"]:
                raise Refused(f"{folder}/{name} is not named by the manifest, and readers of the folder would count it")

    def parts_of(folder):
        return [os.path.join(path, f"{folder}/part-{part['number']:06}.parquet") for part in manifest["parts"]]

    table, rows = read_parquet(*parts_of("table"))
    columns = manifest["columns"]
    findings += store_faults(path, manifest, table, rows, policy)
    if any(fault.startswith(("columns: names", "columns: the permuted", "privacy")) for fault in findings):
        return {"format": 1, "rows": rows, "counts": "rows", "privacy": [], "rows_below": [], "findings": findings, "notes": [], "holds": False}
    kinds = {"integer": "numeric", "decimal": "numeric", "date": "date"}
    release = Release(table, rows, {column["name"]: column["role"] for column in columns},
                      {column["name"]: kinds.get(column.get("type"), "categorical") for column in columns}, [])
    check_columns(release)
    release.permuted = manifest["sensitive"]
    verdicts = judge(release, claims_of(policy) if policy else manifest["privacy"])
    if policy and not all(verdict["holds"] for verdict in judge(release, manifest["privacy"])):
        findings.append("privacy: the published rows do not bear out the claim of the manifest")
    numbers = {}
    for group, value in zip(table["group"], release.values(manifest["sensitive"])):
        numbers.setdefault(int(group), []).append(value)
    for key, found in (("rows", rows), ("groups", len(numbers))):
        if manifest[key] != found:
            findings.append(f"{key}: there are {found}, the manifest says {manifest[key]}")
    findings += release_fault(manifest["releases"], numbers)
    for name, lines in (("help", help_lines(numbers)), ("groups", group_lines(numbers))):
        read, _ = read_parquet(*parts_of(name))
        if sorted(tuple(Fraction(cell) for cell in line) for line in zip(*read.values())) != lines:
            findings.append(f"{name}: the lines are not what the published rows give")
    return result_of(release, verdicts, findings, [])


def help_lines(numbers):
    """group, hits, bounds of the sum, the minimum and the maximum of this many rows of the group (docs/algorithms/ke.md)."""
    lines = []
    for group in sorted(numbers):
        up = sorted(numbers[group])
        least, most = [0, *accumulate(up)], [0, *accumulate(reversed(up))]
        for hits in range(1, len(up) + 1):
            lines.append((group, hits, least[hits], most[hits], up[0], up[-hits], up[hits - 1], up[-1]))
    return lines


def group_lines(numbers):
    return [(group, len(each), len(set(each)), min(each), max(each), sum(each)) for group, each in sorted(numbers.items())]


# ---------------------------------------------------------------------------------------------------------------------
# Joins with previous releases (docs/models/xy_privacy.md): all tuples of rows, one of each release, that match pairwise. Rows
# that show the same cells are taken together and counted. Pairs of rows that no one-to-one pairing of the people has are ruled
# out, and what is left is judged again.

MOST_TUPLES = 10_000_000


class NotSo(Exception):
    """What a manifest says of the join that is not so of the files."""


class TooLarge(Exception):
    """More work than is done here. It is said, and the claims are not judged."""


def reader(how, missing):
    """From a cell to what it may stand for: a set of values, a range (lo, hi, whether hi is left out), or None for all."""
    point = day if how["match"] == "date" else number
    under, roots = {}, set()
    for leaf, path in how.get("paths", {}).items():
        roots.add(path[-1])
        for label in path:
            under.setdefault(label, set()).add(leaf)

    def read(cell):
        if cell == "*" or cell in roots:
            return None
        if cell in missing or how["match"] == "text":
            return {("missing",) if cell in missing else cell}
        if how["match"] == "paths":
            if cell not in under:
                raise NotSo("join: a label is not among those that the manifest lists")
            return under[cell]
        if cell[:1] == "[":
            lo, hi = cell[1:-1].split(",")
            return point(lo), point(hi), cell[-1] == ")"
        return point(cell), point(cell), False

    def read_or_refuse(cell):
        try:
            return read(cell)
        except ValueError:
            raise NotSo("join: a cell cannot be read as the manifest says") from None
    return read_or_refuse


def overlap(a, b):
    if a is None or b is None:
        return True
    if isinstance(a, set) or isinstance(b, set):
        return isinstance(a, set) and isinstance(b, set) and not a.isdisjoint(b)
    (lo_a, hi_a, open_a), (lo_b, hi_b, open_b) = a, b
    return (lo_a < hi_b if open_b else lo_a <= hi_b) and (lo_b < hi_a if open_a else lo_b <= hi_a)


def leaves(join, column, cell):
    paths = join["columns"].get(column, {}).get("paths", {})
    return {leaf for leaf, path in paths.items() if cell == "*" or cell in path} or {cell}


def possible(join, a, b):
    """Whether no listed pair of values forbids the two rows."""
    for rule in join["impossible"]:
        pairs = {tuple(pair) for pair in rule["pairs"]}
        for here, there in ((a, b), (b, a)):
            if rule["current"] not in here or rule["previous"] not in there or there[rule["previous"]] == "*":
                continue
            if all((u, w) in pairs for u in leaves(join, rule["current"], here[rule["current"]])
                   for w in leaves(join, rule["previous"], there[rule["previous"]])):
                return False
    return True


class Join:
    """Releases as different rows with how often each occurs, and which of two releases match."""

    def __init__(self, join, tables, missing):
        self.counts = [Counter(tuple(row.items()) for row in table) for table in tables]
        self.rows = [[dict(row) for row in counts] for counts in self.counts]
        self.times = [list(counts.values()) for counts in self.counts]
        readers = {name: reader(how, missing) for name, how in join["columns"].items()}
        ruled = {rule[key] for rule in join["impossible"] for key in ("current", "previous")}
        self.matches, self.ruled_out, self.not_paired, work = {}, {}, False, 0
        for t in range(len(tables)):
            for o in range(t):
                a, b = (self.alike(each, [name for name in self.rows[each][0] if name in ruled or name in self.rows[other][0]])
                        for each, other in ((o, t), (t, o)))
                work += len(a) * len(b)
                if work > MOST_TUPLES:
                    raise TooLarge(f"{work} pairs of different rows would have to be compared")
                links = {}
                meant = [{key: {name: readers[name](cell) for name, cell in key if name in readers} for key in keys} for keys in (a, b)]
                for one in a:
                    links[one] = {two for two in b if possible(join, dict(one), dict(two)) and
                                  all(overlap(place, meant[1][two][name]) for name, place in meant[0][one].items() if name in meant[1][two])}
                self.matches[o, t] = self.lifted(a, b, links)
                sizes = [{key: sum(self.times[each][row] for row in rows) for key, rows in keys.items()} for each, keys in ((o, a), (t, b))]
                excluded = forced_links(*sizes, links)
                self.not_paired = self.not_paired or excluded is None
                left = {one: others - (excluded or {}).get(one, set()) for one, others in links.items()}
                self.ruled_out[o, t] = (self.lifted(a, b, left), sum(sizes[0][one] * sizes[1][two] for one, others in (excluded or {}).items() for two in others))

    def alike(self, table, names):
        """Different rows by the cells that decide what they match."""
        found = {}
        for place, row in enumerate(self.rows[table]):
            found.setdefault(tuple((name, row[name]) for name in names), []).append(place)
        return found

    @staticmethod
    def lifted(a, b, links):
        return {row: {other for two in links[one] for other in b[two]} for one, rows in a.items() for row in rows}

    @property
    def num_ruled_out(self):
        return sum(count for _, count in self.ruled_out.values())

    def tuples(self, without_ruled_out=False):
        """Every tuple of different rows, one of each release, that match pairwise, with how many tuples of rows it stands for."""
        matches = {pair: found[0] for pair, found in self.ruled_out.items()} if without_ruled_out else self.matches
        found = [((row,), times) for row, times in enumerate(self.times[0])]
        for t in range(1, len(self.rows)):
            longer = []
            for chosen, times in found:
                fitting = set.intersection(*(matches[o, t][row] for o, row in enumerate(chosen)))
                longer += [(chosen + (row,), times * self.times[t][row]) for row in fitting]
                if len(longer) > MOST_TUPLES:
                    raise TooLarge(f"there are more than {MOST_TUPLES} different tuples of rows")
            found = longer
        return found


def forced_links(rows_a, rows_b, links):
    """The pairs that are in no pairing of all rows, one to one; None: there is no such pairing. Keys with how many rows each."""
    flow, room = {a: Counter() for a in rows_a}, dict(rows_b)
    if sum(rows_a.values()) != sum(rows_b.values()):
        return None
    for a, wanted in rows_a.items():
        for b in links[a]:
            sent = min(wanted, room[b])
            flow[a][b], room[b], wanted = sent, room[b] - sent, wanted - sent
        while wanted:
            sent = augment(a, wanted, links, flow, room)
            if not sent:
                return None
            wanted -= sent
    return not_in_a_cycle(links, flow)


def augment(start, wanted, links, flow, room):
    """Sends more rows of `start`, by the shortest way over pairs that can be changed; how many."""
    takes = {}
    for a, sent in flow.items():
        for b, count in sent.items():
            if count:
                takes.setdefault(b, []).append(a)
    came, open_, reached = {("a", start): None}, [start], None
    while open_ and reached is None:
        further = []
        for a in open_:
            for b in links[a]:
                if ("b", b) in came:
                    continue
                came["b", b] = a
                if room[b]:
                    reached = b
                    break
                for other in takes.get(b, []):
                    if ("a", other) not in came:
                        came["a", other] = b
                        further.append(other)
            if reached is not None:
                break
        open_ = further
    if reached is None:
        return 0
    steps, b = [], reached
    while True:
        a = came["b", b]
        back = came["a", a]
        steps.append((a, b, back))
        if back is None:
            break
        b = back
    sent = min([wanted, room[reached]] + [flow[a][back] for a, _, back in steps if back is not None])
    room[reached] -= sent
    for a, b, back in steps:
        flow[a][b] += sent
        if back is not None:
            flow[a][back] -= sent
    return sent


def not_in_a_cycle(links, flow):
    """Pairs without flow whose ends are in different strongly connected parts: a leads to all it matches, b to those it takes from."""
    leads = {("a", a): [("b", b) for b in others] for a, others in links.items()}
    for a, sent in flow.items():
        for b, count in sent.items():
            leads.setdefault(("b", b), [])
            if count:
                leads["b", b].append(("a", a))
    backward = {}
    for node, others in leads.items():
        for other in others:
            backward.setdefault(other, []).append(node)
    order, seen = [], set()
    for root in leads:  # Kosaraju: by the end of the visit, then along the arrows turned round
        if root in seen:
            continue
        seen.add(root)
        trail = [(root, iter(leads[root]))]
        while trail:
            node, others = trail[-1]
            step = next((other for other in others if other not in seen), None)
            if step is None:
                order.append(node)
                trail.pop()
            else:
                seen.add(step)
                trail.append((step, iter(leads.get(step, []))))
    part = {}
    for root in reversed(order):
        if root in part:
            continue
        part[root], open_ = root, [root]
        while open_:
            for other in backward.get(open_.pop(), []):
                if other not in part:
                    part[other] = root
                    open_.append(other)
    return {a: {b for b in others if not flow[a][b] and part["a", a] != part["b", b]} for a, others in links.items()}


def place_of(text, tables):
    """The release and the column of "job", "previous.zip", "previous2.zip"."""
    named = re.fullmatch(r"previous([0-9]*)\.(.*)", text, re.DOTALL)
    if not named:
        if text not in tables[0][0]:
            raise NotSo(f"join: a claim names '{text}', which is not a column of the release")
        return 0, text
    having = [t for t in range(1, len(tables)) if named[2] in tables[t][0]]
    if not named[1] and len(having) > 1:
        raise Refused(f"a claim names '{text}', and several previous releases have such a column")
    place = int(named[1]) if named[1] else next(iter(having), 0)
    if not 0 < place < len(tables) or named[2] not in tables[place][0]:
        raise NotSo(f"join: a claim names '{text}', which is not a column of a previous release")
    return place, named[2]


def xy_linkability(claim, tables, matching, x, times):
    """Of the tuples with one x, no value that is named has more than the share h."""
    rows, guarded = Counter(), Counter()
    values = {place_of(text, tables): set(listed) for text, listed in claim["values"].items()}
    for each, count in matching:
        key = x(each)
        rows[key] += count
        for (t, name), listed in values.items():
            cell = tables[t][each[t]][name]
            if not listed or cell in listed:
                guarded[key, t, name, cell] += count
    reached = max((Fraction(count, rows[key[0]]) for key, count in guarded.items()), default=Fraction(0))
    return reached <= parameter(claim, "h"), reached


def xy_anonymity(claim, tables, matching, x, times):
    """The tuples with one x have at least k different y."""
    different = {}  # of each x: y, and how many it stands for
    for each, count in matching:
        if claim["y"] == "pairs":
            y, count = each, count
        elif isinstance(claim["y"], str):  # "person", "rows of previous", "rows of previous2"
            t = 0 if claim["y"] == "person" else int(claim["y"][len("rows of previous"):] or 1)
            if claim["y"] == "rows of previous" and len(tables) > 2:
                raise Refused("a claim does not say of which previous release it counts the rows")
            if t >= len(tables):
                raise NotSo("join: a claim counts the rows of a previous release that is not there")
            y, count = each[t], times[t][each[t]]
        else:
            y, count = tuple(tables[t][each[t]][name] for t, name in (place_of(text, tables) for text in claim["y"])), 1
        different.setdefault(x(each), {})[y] = count
    reached = min((sum(ys.values()) for ys in different.values()), default=None)
    return reached is None or reached >= parameter(claim, "k"), reached


def of_current(claim, tables):
    """What the claim says of the current release alone; None: nothing, its y is of another one."""
    current = lambda text: place_of(text, tables)[0] == 0
    if "values" in claim:
        values = {text: listed for text, listed in claim["values"].items() if current(text)}
        return {**claim, "values": values} if values else None
    y = claim["y"]
    return claim if (y == "person" if isinstance(y, str) else all(current(text) for text in y)) else None


JOIN_MODELS = {"xy-anonymity": xy_anonymity, "xy-linkability": xy_linkability}


def range_of(name, lo, hi, point):
    """The ends of a range that name_lo and name_hi show, as numbers or days."""
    if {lo, hi} & {None, "", "*"}:
        raise Refused(f"only one of '{name}_lo' and '{name}_hi' is a bound")
    try:
        return point(lo), point(hi)
    except ValueError:
        raise Refused(f"column {name}: an end of a range is neither a number nor a date") from None


def check_range(name, first, last, open_):
    if first > last or open_ and first == last:
        raise Refused(f"column {name}: a range ends before it begins")


def join_bounds(table, matched, columns):
    """A number that a release shows as two columns, name_lo and name_hi, becomes one of ranges. `columns` say which ends belong."""
    said = {column["name"]: column for column in columns}
    kinds = {**{name: column.get("type") for name, column in said.items()}, **{name: how["match"] for name, how in matched.items()}}
    for name, each in kinds.items():
        if name in table or each not in ("numeric", "date") or name + "_lo" not in table or name + "_hi" not in table:
            continue
        point = day if each == "date" else number
        closed = {(point(lo), point(hi)) for lo, hi in said.get(name, {}).get("closed", [])}
        kind, cells = said.get(name, {}).get("upper_end"), []
        for lo, hi in zip(table.pop(name + "_lo"), table.pop(name + "_hi")):
            if lo != hi and kind not in ("included", "excluded"):
                raise Refused(f"the manifest does not say whether the end in '{name}_hi' belongs to its range")
            if lo == hi:
                cells.append(lo)
                continue
            first, last = range_of(name, lo, hi, point)
            open_ = kind == "excluded" and (first, last) not in closed
            check_range(name, first, last, open_)
            cells.append(f"[{lo},{hi}{')' if open_ else ']'}")
        table[name] = cells


def plain_bytes(path, data):
    """Text as UTF-8 without compression; Parquet as it is."""
    if path.endswith(".parquet"):
        return data
    data = unpacked(data)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16").encode()
    zeros = [data[:1000][at::2].count(0) for at in (0, 1)]  # of UTF-16 without a mark, every other byte is mostly zero
    if max(zeros) > len(data[:1000]) // 4:
        return data.decode("utf-16-le" if zeros[1] > zeros[0] else "utf-16-be").encode()
    try:
        return data.decode("utf-8-sig").encode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace").encode()


def guessed_form(data):
    """The delimiter that the first line has most of; blanks are cut off if one follows each."""
    line = data.split(b"\n", 1)[0].decode("utf-8").rstrip("\r")
    delimiter = max(",;\t|", key=line.count)
    if delimiter not in line and line.count(" ") >= 5:
        delimiter = " "
    spaced = delimiter == " " or delimiter != "\t" and delimiter in line and line.count(delimiter) == line.count(delimiter + " ")
    return {"delimiter": delimiter, "trim": spaced}


def previous_tables(manifest, paths):
    """The previous releases in the order of the manifest, found by their digests; each row as a dictionary."""
    by_digest = {hashlib.sha256(data).hexdigest(): (path, data) for path, data in ((path, read_bytes(path)) for path in paths)}
    for digest, (path, _) in by_digest.items():
        if digest not in [previous["sha256"] for previous in manifest["previous"]]:
            raise Refused(f"{path} is not one of the previous releases that the manifest names")
    tables = []
    for previous in manifest["previous"]:
        if previous["sha256"] not in by_digest:
            raise Refused(f"give the previous release {previous['name']} by --previous; no file that was given has its digest")
        path, data = by_digest[previous["sha256"]]
        columns = ends_of(path, previous)
        data = plain_bytes(path, data)
        table, rows = read_table(path.lower().removesuffix(".gz"), data, {} if kind_of(path) == "parquet" else guessed_form(data))
        join_bounds(table, manifest["join"]["columns"], columns)
        tables.append(rows_of(table, rows))
    return tables


def ends_of(path, previous):
    """What is said of the ranges of a previous release, by its own manifest if there is one, and by the manifest that names it."""
    columns, own = previous.get("columns", []), []
    if os.path.lexists(path + ".manifest.json"):
        output = read_json(path + ".manifest.json").get("output")
        if not is_object(output) or output.get("sha256") != previous["sha256"]:
            raise Refused(f"the bytes of {path} are not those that {path}.manifest.json names")
        own = output.get("columns", [])
        if not is_list_of(is_object)(own) or any("upper_end" in column and not is_text(column.get("name")) for column in own):
            raise Refused(f"{path}.manifest.json cannot be read")
        own = [column for column in own if column.get("upper_end") in ("included", "excluded")]
    if columns and own and plain_ends(columns) != plain_ends(own):
        raise Refused(f"the manifest says other ends of the ranges of {path} than its own manifest")
    return own or columns


def plain_ends(columns):
    return {column["name"]: (column["upper_end"], {tuple(map(plain_end, pair)) for pair in column.get("closed", [])}) for column in columns}


def plain_end(text):
    for point in (number, day):
        try:
            return point(text)
        except ValueError:
            pass
    return text


def join_claim_faults(join):
    if not join["privacy"]:
        return ["the manifest claims nothing of the join"]
    denied = ["the manifest itself says that the join does not hold"] if not join.get("holds", True) else []
    return denied + claim_faults(join["privacy"])


def rows_of(table, rows):
    return [{name: cells[row] or "" for name, cells in table.items()} for row in range(rows)]


def judge_joins(manifest, table, rows, paths, findings, notes):
    """The verdicts of the claims on the join; None: too much work, which a note says."""
    join, table = manifest["join"], dict(table)
    findings += join_claim_faults(join)
    join_bounds(table, join["columns"], manifest["output"]["columns"])
    tables = [rows_of(table, rows), *previous_tables(manifest, paths)]
    if not all(tables):
        return []
    try:
        linked = Join(join, tables, set(manifest["output"].get("missing", [""])))
        matching = linked.tuples()
        left = linked.tuples(without_ruled_out=True) if linked.num_ruled_out else None
    except TooLarge as error:
        notes.append(f"the claims on the join are not judged here: {error}; cordon verify judges them")
        return None
    if linked.not_paired:
        notes.append("the rows of the releases cannot be paired one to one, so forced links are not looked for")
    audit = join.get("forced_links", {}).get("audit")
    if audit is not None and (audit == "not applicable") != linked.not_paired:
        findings.append("the manifest says of the rows of the releases what is not so: whether they can be paired one to one")
    tables, tuples, verdicts = linked.rows, sum(times for _, times in matching), []
    for claim in join["privacy"]:
        model, names = JOIN_MODELS[claim["model"]], [place_of(text, tables)[1] for text in claim["x"]]
        x = lambda each: tuple(tables[t][each[t]][name] for name in names for t in range(len(each)) if name in tables[t][0])
        holds, reached = model(claim, tables, matching, x, linked.times)
        verdict = {"text": describe(claim), "holds": holds, "reached_exact": str(reached), "reached_alone": None,
                   "reached_without_forced_links": None, "tuples": tuples}
        own = of_current(claim, tables)
        if own:  # an attacker may leave the previous releases aside
            holds, alone = model(own, tables, [((row,), times) for row, times in enumerate(linked.times[0])], x, linked.times)
            verdict.update(holds=holds and verdict["holds"], reached_alone=str(alone))
        if left is not None:  # and may know that everybody has one row in each
            holds, rest = model(claim, tables, left, x, linked.times)
            verdict.update(holds=holds and verdict["holds"], reached_without_forced_links=str(rest))
        verdicts.append(verdict)
        by_rows = claim.get("y") == "person"  # people with several rows are not published
        if not by_rows and claim.get("reached") is not None and claim["reached"] != str(reached or 0):
            findings.append(f"{describe(claim)}: reached {reached}, the manifest says {claim['reached']}")
    return verdicts


# ---------------------------------------------------------------------------------------------------------------------
# Policies (docs/policy.md): what columns are, and what must hold.


def read_policy(path):
    try:
        import tomllib
    except ImportError:
        raise Refused("--policy needs Python 3.11 or later") from None
    with open(path, "rb") as file:
        try:
            policy = tomllib.load(file, parse_float=Fraction)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            raise Refused(f"{path} is not TOML; cordon policy check tells where") from None
    policy.setdefault("data", {})
    policy.setdefault("attributes", {})
    policy.setdefault("algorithm", {})
    policy["folder"] = os.path.dirname(path)
    return policy


def published(attribute):
    return attribute["role"] not in ("identifier", "person") or "pseudonym" in attribute


def release_of(policy, table, rows):
    roles = {name: "insensitive" if "pseudonym" in each else each["role"]
             for name, each in policy["attributes"].items() if published(each)}
    if "group" in table and "group" not in policy["attributes"]:
        roles["group"] = "group"
    types = {name: each.get("type", "categorical") for name, each in policy["attributes"].items()}
    release = Release(table, rows, roles, types, policy["data"].get("missing", [""]))
    check_columns(release)
    if "group" in table:
        release.permuted = permuted_by(policy)
    for name in release.named("sensitive"):
        declared = declared_values(policy, name)
        if declared is not None and not set(release.values(name)) <= {release.value(name, cell) for cell in declared} | {MISSING}:
            raise Refused(f"a cell of '{name}' is not among the declared values")
    return release


def permuted_by(policy):
    """The column that a run under the policy shuffles, "" if it generalizes. A shuffle serves one model, on the one sensitive
    column; with another one next to it `auto` generalizes."""
    models = policy.get("privacy", [])
    if policy["algorithm"].get("name", "auto") not in ("auto", "ke") or [each["model"] for each in models] != ["ke-anonymity"]:
        return ""
    sensitive = {name: each for name, each in policy["attributes"].items() if each["role"] == "sensitive"}
    alone = list(sensitive) == [models[0]["sensitive"]] and "grid" not in sensitive[models[0]["sensitive"]]
    return models[0]["sensitive"] if alone and "group" not in policy["attributes"] else ""


def declared_values(policy, name):
    attribute = policy["attributes"][name]
    if "values" in attribute:
        return [plain(value) for value in attribute["values"]]
    if isinstance(attribute.get("hierarchy"), str) and attribute.get("type", "categorical") == "categorical":
        return list(hierarchy_of(policy, attribute))
    return None


def plain(value):
    return decimal_text(value) if isinstance(value, Fraction) else str(value)


def hierarchy_of(policy, attribute):
    with open(os.path.join(policy["folder"], attribute["hierarchy"]), encoding="utf-8-sig", newline="") as file:
        text = file.read()
    first = text.partition("\n")[0]
    delimiter = next((each for each in ";,\t" if each in first), ";")
    lines = [record for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if record]
    return {line[0]: line for line in lines}


def claims_of(policy):
    claims = []
    for model in policy.get("privacy", []):
        claim = {key: value if isinstance(value, (list, dict)) else str(value) for key, value in model.items()}
        name = claim["model"]
        attribute = policy["attributes"].get(claim.get("sensitive"), {})
        if name == "l-diversity":
            claim.setdefault("kind", "distinct")
        if name in ("beta-likeness", "window-likeness"):
            claim.setdefault("kind", "enhanced")
        if name in ("t-closeness", "window-closeness"):
            ordered = attribute.get("type", "categorical") != "categorical"
            claim.setdefault("distance", "ordered" if ordered else "hierarchical" if "hierarchy" in attribute else "equal")
        if "values" in attribute:
            claim["order"] = [plain(value) for value in attribute["values"]]
            if attribute.get("type", "categorical") != "categorical":
                claim["order"].sort(key=lambda text: number(text) if attribute["type"] == "numeric" else day(text))
        hierarchy = attribute.get("hierarchy")
        if isinstance(hierarchy, str) and attribute.get("type", "categorical") == "categorical":
            claim["paths"] = hierarchy_of(policy, attribute)
        elif isinstance(hierarchy, dict) and "prefix" in hierarchy:
            values = attribute.get("values")
            claim.update({"paths": {value: prefix_path(value, hierarchy["prefix"]) for value in values}} if values else
                         {"prefix": hierarchy["prefix"]})
        claims.append(claim)
    return claims


def text_form(policy):
    return {key: policy["data"][key] for key in ("delimiter", "quote", "header", "trim") if key in policy["data"]}


def release_form(policy, path):
    """A release is compared as it stands: no blanks are cut off."""
    form = {**text_form(policy), "trim": False}
    tabs = re.search(r"\.(tsv|tab)$", path.lower().removesuffix(".gz")) and form.get("delimiter", ",") == ","
    return {**form, "delimiter": "\t"} if tabs else form


def names_of(path, policy, beside):
    """The columns of a release without a header: of its manifest, else those that the policy publishes."""
    if "columns" not in policy["data"] or kind_of(path) != "csv":
        return None
    if beside and "names" in beside["output"]:
        return beside["output"]["names"]
    return [name for name in policy["data"]["columns"] if published(policy["attributes"][name])]


def verify_policy(path, policy_path, original, row_map, exempt_suppressed, keys):
    policy, findings, notes = read_policy(policy_path), [], []
    beside = read_manifest(path + ".manifest.json") if os.path.lexists(path + ".manifest.json") else None
    check_signature(read_json(path + ".manifest.json") if beside else {}, "manifest", keys, findings)
    data = read_bytes(path)
    check_set(path, data, path + ".manifest.json", row_map, findings)
    table, rows = read_table(path, data, release_form(policy, path), names_of(path, policy, beside))
    release = release_of(policy, table, rows)
    if keys:
        notes.append("that this policy is the one that was signed is not checked here: cordon verify does")
    people = [name for name, each in policy["attributes"].items() if each["role"] == "person"]
    if people and original:
        release.persons = persons_of(policy, people[0], original, row_map, release)
    elif people:
        notes.append("the release has no person column, so k was counted in rows. To count people, give --original and --row-map")
    if beside is not None and not findings:
        of_cells = set(MODELS) - ({"k-anonymity", "ks-anonymity", "alpha-k"} if people else set())
        check_claims(path, data, beside, set() if exempt_suppressed else of_cells, findings)
        if {column["name"] for column in beside["output"]["columns"]} != set(release.roles):
            findings.append("columns: the manifest describes other columns than the policy has")
    return result_of(release, judge(release, claims_of(policy), exempt_suppressed), findings, notes, exempt_suppressed)


def check_claims(path, data, manifest, counts, findings):
    """What the manifest next to a release says that is not so: the file, its columns, its claims, counts of published cells."""
    release, faults = release_by(manifest, path, data)
    findings += faults + claim_faults(manifest["privacy"])
    if not manifest["privacy"] and "join" not in manifest:
        findings.append("the manifest claims nothing")
    counted = [claim for claim in manifest["privacy"] if claim["model"] in counts and claim.get("counts") != "persons" and release is not None]
    for claim, verdict in zip(counted, judge(release, counted)):
        if not same_figure(claim, verdict):
            findings.append(f"{describe(claim)}: reached {verdict['reached_exact']}, the manifest says {claim['reached']}")
    if "join" in manifest:
        findings += join_claim_faults(manifest["join"])


def persons_of(policy, column, original, row_map, release):
    """The person of each published row; people that are not given are one common person."""
    lines = read_bytes(original)
    if policy["data"].get("skip"):
        lines = lines.split(b"\n", policy["data"]["skip"])[-1]
    table, rows = read_table(original, lines, text_form(policy), policy["data"].get("columns"))
    if column not in table:
        raise Refused(f"{original} has no column '{column}'")
    found, _ = read_table(row_map, read_bytes(row_map), {})
    try:
        to, source = ([int(cell) - 1 for cell in found[name]] for name in ("released_row", "input_row"))
    except (KeyError, ValueError):
        raise Refused(f"{row_map} is not a row map") from None
    if sorted(to) != list(range(release.rows)) or not all(0 <= row < rows for row in source):
        raise Refused(f"{row_map} does not fit the release and the original")
    row_of = dict(zip(to, source))
    persons = [table[column][row_of[row]] for row in range(release.rows)]
    return [MISSING if release.is_missing(person) else person for person in persons]


# ---------------------------------------------------------------------------------------------------------------------
# Streams (docs/stream.md): the output, line by line with its audit log.


class Log:
    """The departures of an audit log, and its end if the stream has ended. The chain covers what stands before it, so each line
    has exactly the form in which it is written: these keys in this order, no space, and nothing after the chain."""

    NUMBER = r"(?:0|-?[1-9][0-9]*)"
    LIST = rf"\[{NUMBER}(?:,{NUMBER})*\]"
    DEPARTURE = re.compile(rf'\{{"kind":"(?:group|reuse|suppressed|pooled)","group":{NUMBER},"at":{NUMBER}(?:,"clock":{NUMBER})?'
                           rf'(?:,"window":\[{NUMBER},{NUMBER}\])?,"positions":{LIST},"persons":{LIST}(?:,"times":{LIST})?')
    END = re.compile(rf'\{{"end":true,"positions":{NUMBER},"rows":{NUMBER}')
    LINK = re.compile(r'(.*,"written":(0|[1-9][0-9]*)),"chain":"([0-9a-f]{64})"\}', re.DOTALL)

    def __init__(self, path, upto=None):
        """`upto`: the chain of the last line that is read."""
        self.departures, self.end, self.links = [], None, []
        data = read_bytes(path)
        last = f',"chain":"{upto}"}}\n'.encode() if upto else b""
        if last and last in data:
            data = data[:data.index(last) + len(last)]
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        if lines.pop():
            raise Refused(f"the last line of {path} is cut off")
        for place, line in enumerate(lines, 1):
            try:
                self.take(place, line)
            except (ValueError, KeyError, TypeError, AttributeError):
                raise Refused(f"line {place} of {path} is not a record of an audit log") from None
        if not lines:
            raise Refused(f"{path} is empty")

    def take(self, place, line):
        record = json_of(line.encode("utf-8", "surrogateescape"))
        if self.end or (place == 1) != ("cordon_audit" in record):
            raise ValueError
        if place == 1:
            self.columns, self.ends, self.version = record["columns"], record.get("upper_ends", {}), record["cordon_audit"]
            if type(self.version) is not int or self.version not in (1, 2):
                raise ValueError
        rest = line[:-1]  # without the link and the last brace
        if self.version == 2:
            text, written, chain = self.LINK.fullmatch(line).groups()
            self.links.append((text, counted(int(written)), chain))
            rest = text[:text.rindex(',"written":')]
        if place == 1:
            self.check_head(rest, record)
        elif "end" in record:
            self.check_form(self.END, rest, line)
            self.end = {"positions": whole_number(record["positions"]), "rows": counted(record["rows"])}
        else:
            self.check_form(self.DEPARTURE, rest, line)
            self.departures.append(self.departure(record))

    def check_form(self, form, rest, line):
        if not form.fullmatch(rest) or not line.endswith("}"):
            raise ValueError

    def check_head(self, rest, record):
        texts = [record["policy"], *([record["nonce"]] if self.version == 2 or "nonce" in record else []), *self.columns, *self.ends]
        keys = ["cordon_audit", "policy", "nonce", "columns", "upper_ends"]
        written = json.dumps({key: record[key] for key in keys if key in record}, ensure_ascii=False, separators=(",", ":"))
        if rest + "}" != written or not all(type(text) is str for text in texts) or type(self.columns) is not list:
            raise ValueError
        if any(end not in ("included", "excluded") for end in self.ends.values()) or record.get("nonce") == "":
            raise ValueError

    def chain_fault(self, data, wanted):
        """A chain is the SHA-256 of the chain before it, of its line, and of the bytes of the output that belong to it."""
        chain, at = "", 0
        for place, (text, written, said) in enumerate(self.links, 1):
            if hashlib.sha256((chain + text).encode("utf-8", "surrogateescape") + data[at:at + written]).hexdigest() != said:
                return f"line {place} of the log, or the rows that belong to it, are not as they were written"
            chain, at = said, at + written
        if self.links and len(data) > at:
            return f"the output has {len(data)} bytes, the log accounts for {at}: something was added at its end"
        return "the log does not end with the chain that was given" if wanted and wanted != chain else ""

    def accounted(self, data):
        """The output without blank space that no line accounts for: it is told already, and is not a row."""
        end = sum(written for _, written, _ in self.links)
        return data[:end] if self.links and not data[end:].strip() else data

    @staticmethod
    def departure(record):
        lists = {name: [whole_number(each) for each in record.get(name) or []] for name in ("positions", "times", "window")}
        lists["persons"] = [counted(each) for each in record.get("persons") or []]
        clock = None if record.get("clock") is None else whole_number(record["clock"])
        kind, size = record["kind"], len(lists["positions"])
        if kind not in ("group", "reuse", "suppressed", "pooled") or size == 0 or len(lists["persons"]) != size:
            raise ValueError
        if len(lists["times"]) != (0 if clock is None else size) or len(lists["window"]) not in (0, 2):
            raise ValueError
        if lists["window"] and lists["window"][0] < 1:
            raise ValueError
        return {**lists, "kind": kind, "clock": clock, "group": whole_number(record["group"]), "at": whole_number(record["at"])}


def whole_number(found):
    if type(found) is not int or not -2**63 <= found < 2**63:
        raise ValueError
    return found


def counted(found):
    if not is_count(found):
        raise ValueError
    return found


class StreamAudit:
    MOST_HELD = 2**27  # if no delay in tuples bounds how many wait

    def __init__(self, policy, log):
        self.policy, self.log, self.findings = policy, log, []
        if "stream" not in policy:
            raise Refused("the policy has no table [stream]")
        claims = claims_of(policy)
        self.windows = [claim for claim in claims if claim["model"] in WINDOW_MODELS]
        self.claims = [claim for claim in claims if claim["model"] not in WINDOW_MODELS]
        self.suppressed = policy["algorithm"].get("suppressed", "drop")
        self.in_order = policy["stream"].get("order", "ready") == "arrival"
        self.delay, self.delay_ms = self.delays()
        self.newest = max((departure["at"] for departure in log.departures), default=0)

    def delays(self):
        """In tuples, in milliseconds. With windows a tuple has left when window + step - 1 more have arrived."""
        delay = self.policy["stream"].get("delay")
        if self.windows:
            window = max(int(claim["window"]) for claim in self.windows)
            step = self.policy["algorithm"].get("sabre-w", {}).get("step", window // 4 if window % 4 == 0 else window)
            return max(window + step - 1, delay or 0), None
        if isinstance(delay, str):
            found = re.fullmatch(r"(\d+)(ms|s|m|h|d)", delay, re.ASCII)
            if not found:
                raise Refused("the delay of the policy cannot be read")
            return None, int(found[1]) * {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}[found[2]]
        return delay, None

    def waits(self, departure):
        return self.suppressed == "pool" and departure["kind"] in ("pooled", "suppressed")

    def check_log(self):
        """Every tuple left once, after it came and in time; what joins a group joins one that was published."""
        left, groups, before, clock = set(), set(), None, None
        tuples = sum(len(departure["positions"]) for departure in self.log.departures)
        bound = tuples + (self.delay + 1 if self.delay is not None and self.suppressed != "pool" else self.MOST_HELD)
        last = 0
        for departure in self.log.departures:
            at = departure["at"]
            if at > bound:
                self.find("more tuples had arrived than can have left or wait")
            if at < last:
                self.find("departures are out of order")
            last = max(last, at)
            if (self.delay_ms is None) != (departure["clock"] is None):
                self.find("a departure does not have the kind of time that the policy has")
                continue
            if departure["clock"] != clock:
                before, clock = clock, departure["clock"]
            if departure["kind"] == "pooled" and self.suppressed != "pool":
                self.find("a departure is of pooled tuples, and the policy pools none")
            if departure["window"] and not self.windows:
                self.find("a departure has a window, and no model of the policy has one")
            for place, position in enumerate(departure["positions"]):
                if not 1 <= position <= at:
                    self.find(f"tuple {position} left before it had arrived")
                if position in left:
                    self.find(f"tuple {position} left twice")
                left.add(position)
                if self.waits(departure):
                    continue
                self.longest = max(self.longest, at - position)
                if self.delay is not None and at - position > self.delay:
                    self.find(f"tuple {position} left too late")
                if self.delay_ms is not None and before is not None and before >= departure["times"][place] + self.delay_ms:
                    self.find(f"tuple {position} was held for too long")  # it could have left at that moment
            if departure["kind"] == "reuse" and departure["group"] not in groups:
                self.find("a tuple joins a group that was not published")
            elif departure["kind"] in ("group", "pooled"):
                groups.add(departure["group"])
                self.groups += 1
            elif departure["kind"] == "suppressed":
                self.hidden += len(departure["positions"])
        if self.log.end and self.log.end["positions"] < last:
            self.find("the log ends after fewer tuples than had arrived before")
        due = self.log.end["positions"] if self.log.end else last - self.delay - 1 if self.delay is not None and self.suppressed != "pool" else 0
        if any(position not in left for position in range(1, min(due, bound) + 1)):
            self.find("a tuple that had to leave never left")

    longest = groups = hidden = 0

    def find(self, what):
        if len(self.findings) < 20:
            self.findings.append(what)

    def line_up(self):
        """(position, person, departure) of each row: departure by departure, or in the order in which tuples came."""
        shown = [(position, person, number) for number, departure in enumerate(self.log.departures)
                 for position, person in zip(departure["positions"], departure["persons"])
                 if departure["kind"] != "suppressed" or self.suppressed == "blank"]
        return sorted(shown) if self.in_order else shown

    def kind(self, row):
        return self.log.departures[row[2]]["kind"]

    def check_rows(self, table, count):
        rows = self.line_up()
        if self.log.end and self.log.end["rows"] != len(rows):
            self.find("the log does not end after as many rows as it accounts for")
        if "sequence" in table and "sequence" not in self.policy["attributes"]:
            if table["sequence"] != [str(row + 1) for row in range(count)]:
                self.find("the rows are not numbered 1, 2, 3, ...")
        if len(rows) != count and not (self.in_order and not self.log.end and len(rows) > count):
            self.find(f"the output has {count} rows, the log accounts for {len(rows)}")
            return None
        rows = rows[:count]
        quasi = [name for name, each in self.policy["attributes"].items() if each["role"] == "quasi"]
        for place, row in enumerate(rows):
            if self.kind(row) == "suppressed" and any((cells[place] or "") != ("*" if name in quasi else "")
                                                      for name, cells in table.items() if name != "sequence"):
                self.find(f"row {place + 1} is of a suppressed tuple and not blank")
        return rows

    def check_boxes(self, release, rows):
        """Rows of one group show one box; groups of windows have a name each, under which they are promised."""
        boxes, names, owners = {}, {}, {}
        quasi = [cells for name in release.named("quasi") for cells in release.cells(name)]
        named = release.table.get("group") if release.named("group") else None
        if self.windows and rows and named is None:
            self.find("the output has no column 'group'")
        for place, row in enumerate(rows):
            group, box = self.log.departures[row[2]]["group"], [cells[place] for cells in quasi]
            if boxes.setdefault(group, box) != box:
                self.find(f"row {place + 1} does not show the box of its group")
            if self.windows and named is not None:
                if names.setdefault(group, named[place]) != named[place] or owners.setdefault(named[place], group) != group:
                    self.find(f"row {place + 1} does not have the name of its group")

    def judge_windows(self, release, rows):
        """Each group against the window that the log claims; what was never published is not known."""
        judged = unknown = 0
        values = {claim["sensitive"]: {} for claim in self.windows}
        for name, known in values.items():
            known.update((row[0], value) for row, value in zip(rows, release.values(name)))
            if MISSING in known.values():
                raise Refused(f"a cell of '{name}' is missing")
        claims = [with_domain(claim, release) for claim in self.windows]
        for departure in self.log.departures:
            if departure["kind"] == "suppressed":
                continue
            answer = self.judge_window(departure, claims, values)
            if answer is False:
                self.find("a group does not hold against its window")
            judged, unknown = judged + (answer is not None), unknown + (answer is None)
        return judged, unknown

    def judge_window(self, departure, claims, values):
        members, (first, last) = departure["positions"], departure["window"] or (0, -1)
        if any(position not in known for known in values.values() for position in members):
            return None  # a log may be ahead of its output
        strict = self.policy["algorithm"].get("sabre-w", {}).get("short", "static") == "strict"
        whole_stream = self.log.end and not strict and (first, last) == (1, departure["at"])
        if not 1 <= first <= min(members) <= max(members) <= last <= departure["at"]:
            return False
        answers = []
        for claim in claims:
            size, wanted = last - first + 1, int(claim["window"])
            if size != wanted and not (whole_stream and size < wanted):
                return False
            known = values[claim["sensitive"]]
            group, window = Group(), Group()
            group.rows, group.values = len(members), {claim["sensitive"]: Counter(known[each] for each in members)}
            seen = Counter(known[each] for each in range(first, last + 1) if each in known)
            window.rows, window.values = sum(seen.values()), {claim["sensitive"]: seen}
            answers.append(self.answer(claim, group, window, size - window.rows))
        return False if False in answers else None if None in answers else True

    @staticmethod
    def answer(claim, group, window, unseen):
        """True, False, or None if the values of `unseen` tuples of the window could decide either way."""
        model = WINDOW_MODELS[claim["model"]]
        if unseen == 0:
            return model(claim, group, window)[0]
        if claim["model"] == "window-closeness":  # the whole window is no farther from what was seen than the unseen share
            reached, slack = model(claim, group, window)[1], Fraction(unseen, window.rows + unseen)
            t = parameter(claim, "t")
            return True if reached + slack <= t else False if reached - slack > t else None
        window.rows += unseen  # a larger share of the window allows more: none of the unseen have the value, or all
        if all(window.values[claim["sensitive"]].get(value) for value in group.values[claim["sensitive"]]) and model(claim, group, window)[0]:
            return True
        most = Group()
        most.rows, name = window.rows, claim["sensitive"]
        most.values = {name: Counter({value: window.values[name][value] + unseen for value in group.values[name]})}
        return None if model(claim, group, most)[0] else False


def signed_points(path, keys, prefix):
    """The checkpoints of OUT.certificate.jsonl, and what is wrong with them."""
    points, name = [], path + ".certificate.jsonl"
    if not os.path.lexists(name):
        return points, f"there is no {name}"
    *lines, rest = read_bytes(name).split(b"\n")
    for line in lines:
        point = checkpoint_of(line)
        fault = signature_fault(point, "checkpoint", keys) if point else "it is not a checkpoint of a stream"
        if not fault and (point.get("number") != len(points) + 1 or
                          points and (points[-1]["ended"] or points[-1]["output"]["bytes"] > point["output"]["bytes"])):
            fault = "it does not follow the line before it"
        if fault:
            return points, f"line {len(points) + 1} of {name}: {fault}"
        points.append(point)
    if rest and (not prefix or points and points[-1]["ended"]):  # a stream that runs may be writing a line
        return points, f"line {len(points) + 1} of {name}: it is cut off"
    return points, "" if points else f"{name} has no checkpoint yet"


CHECKPOINT = {"kind": is_one_of("stream-checkpoint"), "output": is_object, "ended": is_flag, "chain": is_text}


def checkpoint_of(line):
    """None if the line is not one."""
    try:
        point = json_of(line)
    except ValueError:
        return None
    if not is_object(point) or not all(key in point and fits(point[key]) for key, fits in CHECKPOINT.items()):
        return None
    fits = {"bytes": is_count, "rows": is_count, "sha256": is_text}
    return point if all(key in point["output"] and fit(point["output"][key]) for key, fit in fits.items()) else None


def check_points(points, log, data, whole, prefix, audit):
    """Each signed checkpoint is of these rows and this log; nothing comes after the last, or it is not judged."""
    reached, at = {}, 0
    for _, written, chain in log.links:
        at += written
        reached[chain] = at
    for place, point in enumerate(points, 1):
        size = point["output"]["bytes"]
        if reached.get(point["chain"]) != size or hashlib.sha256(data[:size]).hexdigest() != point["output"]["sha256"]:
            audit.find(f"signed checkpoint {place} is not of these rows")
            return
    last = points[-1]
    after = whole - last["output"]["bytes"]
    if last["ended"] and after > 0:
        audit.find("the stream was signed as one that has ended, and the output goes on")
    elif not prefix and (after > 0 or log.links[-1][2] != last["chain"]):
        audit.find(f"{after} bytes of the output after row {last['output']['rows']} are not signed yet")


def verify_stream(path, log_path, policy_path, chain, keys, prefix):
    policy, data = read_policy(policy_path), read_bytes(path)
    points, fault = signed_points(path, keys, prefix) if keys else ([], "")
    whole = len(data)
    log = Log(log_path, points[-1]["chain"] if prefix and not fault else None)
    if prefix and not fault:
        data = data[:points[-1]["output"]["bytes"]]
    audit = StreamAudit(policy, log)
    if fault:
        audit.find(f"the certificate does not hold: {fault}")
    elif points:
        check_points(points, log, data, whole, prefix, audit)
    if fault := log.chain_fault(data, chain):
        audit.find(fault)
    data = log.accounted(data)
    audit.check_log()
    names = log.columns if "columns" in policy["data"] or not data else None
    table, count = read_table(path, data, {**release_form(policy, path), **({} if data else {"header": False})}, names)
    if list(table) != log.columns:
        audit.find("the columns of the output are not those that the log names")
    for name in log.ends:
        if name + "_lo" not in table or name + "_hi" not in table:
            raise Refused(f"the columns {name}_lo and {name}_hi, which the log speaks of, are not both there")
    join_bounds(table, {}, [{"name": name, "type": policy["attributes"].get(name, {}).get("type"), "upper_end": end}
                            for name, end in log.ends.items()])
    result = {"format": 1, "rows": count, "people": None, "departures": len(log.departures), "groups": audit.groups,
              "suppressed": audit.hidden, "longest_delay_tuples": audit.longest, "ended": log.end is not None,
              "chain": log.links[-1][2] if log.links else None,
              "privacy": [], "each_group": [], "findings": audit.findings, "notes": [], "holds": False}
    if not log.links:
        result["notes"].append("the log has no chain: it is of an earlier version, and changed cells cannot be seen")
    founded = [departure["persons"] for departure in log.departures if departure["kind"] in ("group", "pooled")]
    repeating = sum(len(set(persons)) < len(persons) for persons in founded)
    if repeating and any(sensitive_columns(claim) for claim in audit.claims + audit.windows):
        result["notes"].append(f"in {repeating} of {len(founded)} groups a person has several rows: one person's rows can make a group look "
                               "diverse; models of a stream count rows")
    rows = audit.check_rows(table, count)
    if rows is None:
        return result
    release = release_of(policy, {name: cells for name, cells in table.items() if name != "sequence" or name in policy["attributes"]}, count)
    release.persons = [row[1] for row in rows]
    shown = [place for place, row in enumerate(rows) if audit.kind(row) != "suppressed"]
    release, rows = release.subset(shown), [rows[place] for place in shown]
    audit.check_boxes(release, rows)
    result.update(people=len(set(release.persons)), privacy=judge(release, audit.claims))
    # Each group when it left: rows that joined later left out, rows of two groups never taken together.
    founding = [place for place, row in enumerate(rows) if audit.kind(row) != "reuse"]
    alone = release.subset(founding)
    alone.roles = {**{name: role for name, role in alone.roles.items() if role != "group"}, "group": "group"}
    alone.table = {**alone.table, "group": [rows[place][2] for place in founding]}
    result["each_group"] = judge(alone, audit.claims)
    unknown = 0
    if audit.windows:
        judged, unknown = audit.judge_windows(release, rows)
        result["windows"] = {"groups": judged, "unknown": unknown}
    holds = not audit.findings and all(verdict["holds"] for verdict in result["privacy"] + result["each_group"])
    return {**result, "holds": None if holds and unknown else holds}


# ---------------------------------------------------------------------------------------------------------------------


def decimals(figures):
    """What was reached, for people: 54349/286539 is 0.189674, and 2/3 stays."""
    return re.sub(r"(\d+)/(\d\d+)", lambda found: f"{int(found[1]) / int(found[2]):.6g}", figures)


def explain(result):
    lines = [f"rows: {result['rows']}"]
    for each, before in ((result["privacy"], ""), (result.get("each_group", []), "each group when it was published: ")):
        for verdict in each:
            where = f" in the group of row {verdict['witness']['first_row']}" if not verdict["holds"] else ""
            lines.append(f"{before}{verdict['text']}: {'holds' if verdict['holds'] else 'DOES NOT HOLD'}; reached {decimals(verdict['reached_exact'])}{where}")
    for verdict in result.get("join", []):
        rest = verdict["reached_without_forced_links"]
        lines.append(f"{verdict['text']}: {'holds' if verdict['holds'] else 'DOES NOT HOLD'}; reached {decimals(verdict['reached_exact'])} "
                     f"over {verdict['tuples']} tuples" + (f", {decimals(rest)} without the links that cannot be" if rest is not None else ""))
    if result.get("windows", {}).get("unknown"):
        lines.append(f"{result['windows']['unknown']} groups cannot be checked against their windows: too many tuples were not published")
    return lines + [f"DOES NOT HOLD: {finding}" for finding in result["findings"]] + [f"note: {note}" for note in result["notes"]]


@functools.cache
def command_line():
    parser = argparse.ArgumentParser(prog="verify_release.py", description="Judges what cordon has published, without cordon.")
    parser.add_argument("RELEASE", nargs="?", help="the published table, or a store")
    parser.add_argument("MANIFEST", nargs="?", help="default: RELEASE.manifest.json")
    parser.add_argument("--policy", help="judge by this policy instead of the manifest")
    parser.add_argument("--previous", action="append", default=[], help="a release before it, for claims on their join")
    parser.add_argument("--original", help="the table behind it: people are counted (needs --policy and --row-map)")
    parser.add_argument("--row-map", help="which row of the original is behind each row")
    parser.add_argument("--exempt-suppressed", action="store_true", help="leave rows with * in every quasi column out")
    parser.add_argument("--stream", help="the output of cordon stream")
    parser.add_argument("--audit", help="its audit log")
    parser.add_argument("--chain", help="where the log must end, as the report of the run tells")
    parser.add_argument("--key", action="append", default=[], help="a public key that must have signed it; several: one of them")
    parser.add_argument("--signed-prefix", action="store_true", help="of a stream that still runs: judge what is signed so far")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def parse(arguments):
    parser = command_line()
    asked = parser.parse_args(arguments)
    if asked.stream and (not asked.audit or not asked.policy or asked.RELEASE or asked.original or asked.exempt_suppressed):
        parser.error("--stream needs --audit and --policy, and nothing else")
    if not asked.stream and (not asked.RELEASE or asked.audit or asked.chain is not None):
        parser.error("give a RELEASE, or --stream OUT with --audit LOG")
    if asked.chain == "":
        parser.error("--chain is empty: leave it out, or give \"chain\" in the report of the run")
    if asked.signed_prefix and not (asked.stream and asked.key):
        parser.error("--signed-prefix needs --stream and --key")
    if bool(asked.original) != bool(asked.row_map) or (asked.original and not asked.policy):
        parser.error("--original, --row-map and --policy go together")
    if asked.MANIFEST and asked.policy or asked.exempt_suppressed and not asked.policy:
        parser.error("a MANIFEST speaks for itself: leave --policy and --exempt-suppressed out")
    if asked.previous and asked.policy:
        parser.error("--previous goes with a MANIFEST, not with --policy")
    return asked


def verify(asked):
    keys = [read_public_key(path) for path in asked.key]
    if asked.stream:
        return verify_stream(asked.stream, asked.audit, asked.policy, asked.chain, keys, asked.signed_prefix)
    if os.path.isdir(asked.RELEASE):
        return verify_store(asked.RELEASE, asked.policy, keys)
    if asked.policy:
        return verify_policy(asked.RELEASE, asked.policy, asked.original, asked.row_map, asked.exempt_suppressed, keys)
    return verify_manifest(asked.RELEASE, asked.MANIFEST or asked.RELEASE + ".manifest.json", asked.previous, keys)


def answer(asked):
    """The exit status, and the result or what is wrong."""
    try:
        result = verify(asked)
    except Refused as error:
        return 2, str(error)
    except OSError as error:
        return 2, f"{error.filename}: {error.strerror}"
    except csv.Error:
        return 2, "the CSV cannot be read"
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, IndexError, EOFError, RecursionError, MemoryError) as error:
        return 2, f"a file is not in the form that was expected ({type(error).__name__})"  # its text could hold a cell
    return (0 if result["holds"] else 1), result


def main(arguments):
    asked = parse(arguments)
    status, result = answer(asked)
    if status == 2:
        print(f"verify_release: cannot check {asked.stream or asked.RELEASE}: {result}", file=sys.stderr)
    else:
        print(json.dumps(result, indent=2) if asked.json else "\n".join(explain(result)))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
