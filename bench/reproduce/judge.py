# SPDX-License-Identifier: Apache-2.0
"""Verdicts on claims, worked out from the figures of an experiment. Nothing here knows what a claim is about.

A claim names a test of one figure over the rows of its experiment. The rows are first averaged over seeds. The test is applied to every cell: what is
left of the grid when the columns that the test itself uses are taken out. The verdict is the share of cells in which the test holds.
"""
from collections import defaultdict
from dataclasses import dataclass
from statistics import mean


@dataclass
class Verdict:
    word: str  # reproduced, in part, not, depends on, no figures, data not available, not run
    held: int = 0
    cells: int = 0
    detail: str = ""

    def text(self):
        if self.word == "in part":
            return f"in part ({self.held} of {self.cells})"
        return f"{self.word} {self.detail}" if self.word == "depends on" else self.word


NOT_AVAILABLE = Verdict("data not available")
NOT_RUN = Verdict("not run")


def averaged(rows, grid, figure):
    """[{grid and figures}] over seeds -> [({grid}, mean of the figure)]; rows without the figure are runs that made no release."""
    sums = defaultdict(list)
    for row in rows:
        if row.get(figure) is not None:
            sums[tuple(row.get(name) for name in grid)].append(row[figure])
    return [(dict(zip(grid, key)), mean(values)) for key, values in sums.items()]


def chosen(points, wanted):
    """The points whose grid values are among those wanted: {column: value or list}."""
    def fits(at):
        return all(at.get(name) in (value if isinstance(value, list) else [value]) for name, value in wanted.items())
    return [(at, value) for at, value in points if fits(at)]


def cells(points, without):
    """The points by what is left of the grid without the named columns."""
    split = defaultdict(list)
    for at, value in points:
        split[tuple((name, each) for name, each in at.items() if name not in without)].append((at, value))
    return split.values()


def monotone(points, test, sign):
    """From the first to the last value of the column the figure moves that way, and no step goes back by more than the tolerance."""
    answers = []
    for cell in cells(points, [test["along"]]):
        line = [value for _, value in sorted(cell, key=lambda point: point[0][test["along"]])]
        room = test.get("tolerance", 0) * max(abs(value) for value in line)
        steps = all(sign * (after - before) >= -room for before, after in zip(line, line[1:]))
        answers.append(len(line) > 1 and steps and sign * (line[-1] - line[0]) > 0)
    return answers


def flat(points, test):
    """The figure varies along the column by no more than the tolerance, as a share of its greatest value."""
    answers = []
    for cell in cells(points, [test["along"]]):
        line = [value for _, value in cell]
        answers.append(len(line) > 1 and max(line) - min(line) <= test["tolerance"] * max(line))
    return answers


def below(points, test):
    """The figure of `left` times `factor` is at most that of `right`, each a choice of grid values; other columns are the cells."""
    left, right = chosen(points, test["left"]), chosen(points, test["right"])
    named = set(test["left"]) | set(test["right"])
    answers = []
    for cell in cells(left, named):
        rest = {name: value for name, value in cell[0][0].items() if name not in named}
        against = [value for at, value in right if all(at.get(name) == each for name, each in rest.items())]
        if against:
            low, high = max(value for _, value in cell) * test.get("factor", 1), min(against)
            answers.append(low < high if test.get("strictly", True) else low <= high * (1 + test.get("tolerance", 0)))
    return answers


def between(points, test):
    return [test.get("least", float("-inf")) <= value <= test.get("most", float("inf")) for _, value in points]


def ratio(points, test):
    """The figure of `left` over that of `right` lies between `least` and `most`; cells as in below."""
    right, named, answers = chosen(points, test["right"]), set(test["left"]) | set(test["right"]), []
    for at, value in chosen(points, test["left"]):
        against = [other for each, other in right if all(each.get(name) == cell for name, cell in at.items() if name not in named)]
        answers += [test["least"] <= value / other <= test["most"] for other in against]
    return answers


def equals(points, test):
    """Along the column the figure is what is written down: `values` has pairs of the column's value and the figure."""
    expected = {at: figure for at, figure in test["values"]}
    return [abs(value - expected[at[test["along"]]]) <= test.get("tolerance", 0) for at, value in points if at[test["along"]] in expected]


def least_at(points, test):
    """Along the column the figure is least at the value named."""
    answers = []
    for cell in cells(points, [test["along"]]):
        best = min(cell, key=lambda point: point[1])
        answers.append(best[0][test["along"]] == test["at"])
    return answers


TESTS = {"falls": lambda points, test: monotone(points, test, -1), "rises": lambda points, test: monotone(points, test, 1),
         "flat": flat, "below": below, "between": between, "least_at": least_at, "ratio": ratio, "equals": equals}


def outcome(rows, grid, test):
    points = chosen(averaged(rows, grid, test["figure"]), test.get("where", {}))
    answers = TESTS[test["is"]](points, test)
    return verdict_of(sum(answers), len(answers))


def verdict_of(held, all_cells):
    if all_cells == 0:
        return Verdict("no figures")  # every run failed: that says nothing about the claim
    return Verdict("reproduced" if held == all_cells else "not" if held == 0 else "in part", held, all_cells)


def judge(claim, rows, grid):
    """The verdict on a claim. `tests`: all must hold. `variants`: {name: changes to the test}; they may disagree."""
    if "variants" not in claim:
        parts = [outcome(rows, grid, test) for test in claim["tests"]]
        if any(part.cells == 0 for part in parts):
            return Verdict("no figures")
        return verdict_of(sum(part.held for part in parts), sum(part.cells for part in parts))
    by_variant = {}
    for name, changes in claim["variants"].items():
        by_variant[name] = judge({"tests": [{**test, **changes} for test in claim["tests"]]}, rows, grid)
    words = {verdict.word for verdict in by_variant.values()}
    if len(words) == 1:
        return next(iter(by_variant.values()))
    detail = "; ".join(f"{name}: {verdict.text()}" for name, verdict in by_variant.items())
    return Verdict("depends on", sum(v.held for v in by_variant.values()), sum(v.cells for v in by_variant.values()), detail)
