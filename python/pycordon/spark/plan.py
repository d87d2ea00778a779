# SPDX-License-Identifier: Apache-2.0
"""Which rows go to which shard: boxes of quasi values, cut so that every shard has a release and loses little.

Groups of rows cannot cross a cut. So a trial release of some rows is made without cuts, and the cuts are those that its groups
cross least: between women and men, say, if no group has both.

A box is cut only if both sides satisfy every model as one group, with room. Models are merge-closed, so a side that does not
has no release at all, and one that does has at least that one. Equal combinations are never split. A cut falls between two
numbers, or between children of the lowest node of a hierarchy that covers the box, never through a node.

Whatever is cut, the release is correct: the engine and the verification judge it. The plan decides what it costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Optional

import numpy as np

from ..errors import Unsatisfiable
from . import models
from .described import Described

_MISSING = "\0"  # no cell has this text
_TRIES = 24  # cuts of a box that the models are asked about
# A share of rows in groups that a cut crosses, next to which less does not matter: the more even cut is taken. Loss of 16 shards:
# adult .0239 at 0 and .002, .0245 at .005, .0249 at .01; fars .0300 at all. At 0 the 16 shards of fars have 1,562 to 10,472 rows, at .002 3,994 to 8,572.
_FEW = 0.002


def _number(text: str, kind: str) -> Optional[Any]:
    try:
        return Decimal(text).normalize() if kind == "numeric" else Decimal(date.fromisoformat(text[:10]).toordinal())
    except (InvalidOperation, ValueError):
        return None


def paths_of_file(content: bytes) -> dict[str, list[str]]:
    """The lines of a hierarchy file by leaf: leaf;level1;...;root."""
    import csv
    import io

    text = content.decode("utf-8-sig")
    first = text.split("\n", 1)[0]
    delimiter = max(";,\t", key=first.count)
    return {row[0]: row[1:] for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row}


def _path(text: str, keys: Mapping[str, Any], files: Mapping[str, dict[str, list[str]]]) -> list[str]:
    hierarchy = keys.get("hierarchy")
    if isinstance(hierarchy, str):
        return files[hierarchy].get(text, ["*"])
    if isinstance(hierarchy, Mapping) and "prefix" in hierarchy:
        length = int(hierarchy["prefix"])
        return [text[:end] + "*" for end in range(length - 1, -1, -1)] if len(text) == length else ["*"]
    return ["*"]


@dataclass
class Ranks:
    """The values of a column in an order in which boxes are runs. `of` has the rank of each text; None is an absent cell."""

    of: dict[Optional[str], int]
    size: int
    nodes: Optional[np.ndarray] = None  # by rank and level: the node of a category, the leaf first; None for numbers

    def cuts(self, low: int, high: int) -> np.ndarray:
        """The ranks in low..high-1 behind which a box may end."""
        if self.nodes is None:
            return np.arange(low, high)
        level = next(i for i, (node, other) in enumerate(zip(self.nodes[low], self.nodes[high])) if node == other)
        below = self.nodes[low : high + 1, level - 1]
        return low + np.nonzero(below[1:] != below[:-1])[0]


def ranks_of(texts: Sequence[Optional[str]], name: str, described: Described, files: Mapping[str, Any]) -> Ranks:
    """The column by the texts that its cells have. Missing cells come last: with values they are generalized to `*`."""
    keys, kind = described.columns[name], described.type_of(name)
    missing = [text for text in texts if text is None or text in described.missing]
    values = [text for text in texts if text is not None and text not in described.missing]
    if kind != "categorical":
        numbers = {text: _number(text, kind) for text in values}
        known = sorted({number for number in numbers.values() if number is not None})
        rank_of = {number: rank for rank, number in enumerate(known)}
        of: dict[Optional[str], int] = {t: len(known) if n is None else rank_of[n] for t, n in numbers.items()}
        of |= {text: len(known) for text in missing}
        return Ranks(of, len(known) + (len(known) in of.values()))
    paths = {text: [text, *_path(text, keys, files)] for text in values}
    if missing:
        paths[_MISSING] = [_MISSING, "*"]
    levels = max((len(path) for path in paths.values()), default=2)
    padded = {text: [path[0]] * (levels - len(path)) + path for text, path in paths.items()}
    order = sorted(padded, key=lambda text: padded[text][::-1])
    numbers_of: dict[tuple[str, ...], int] = {}  # a node is its path to the root: labels may repeat
    nodes = np.array(
        [[numbers_of.setdefault(tuple(padded[t][level:]), len(numbers_of)) for level in range(levels)] for t in order],
        dtype=np.int64,
    )
    rank_by_text = {text: rank for rank, text in enumerate(order)}
    of = {text: rank_by_text[text] for text in values}
    of |= {text: rank_by_text[_MISSING] for text in missing}
    return Ranks(of, len(order), nodes)


@dataclass
class Box:
    """A node of the tree of cuts. A leaf is a shard."""

    column: int = -1
    cut: int = -1  # ranks up to this one go left
    left: Optional[Box] = None
    right: Optional[Box] = None
    rows: float = 0
    number: int = -1  # of a leaf

    @property
    def is_leaf(self) -> bool:
        return self.left is None

    def leaves(self) -> list[Box]:
        return [self] if self.left is None or self.right is None else self.left.leaves() + self.right.leaves()

    def numbered(self) -> Box:
        for number, leaf in enumerate(self.leaves()):
            leaf.number = number
        return self


@dataclass
class Summary:
    """Combinations of ranks, of sensitive values, and how many rows have them."""

    quasi: list[np.ndarray]
    sensitive: dict[str, np.ndarray]
    rows: np.ndarray
    scale: float = 1.0  # of a sample: for how many rows one of its rows stands, as it is counted in `rows`


@dataclass
class Trial:
    """The rows of a release that knows no cuts: the combination of each, by its place in the summary, and its group."""

    places: np.ndarray
    groups: np.ndarray


class Planner:
    def __init__(self, ranks: Sequence[Ranks], summary: Summary, trial: Trial, privacy: Sequence[Mapping[str, Any]],
                 axes: Mapping[str, models.Axis], whole: Mapping[str, Sequence[int]], least_rows: int) -> None:  # fmt: skip
        self._ranks, self._summary, self._trial = ranks, summary, trial
        self._privacy = [models.with_room(model) for model in privacy]
        self._axes, self._whole, self._least_rows = axes, whole, least_rows

    def plan(self, shards: int) -> Box:
        """At most this many shards; fewer if no more cuts are admitted."""
        root = Box(rows=float(self._summary.rows.sum()))
        open_boxes = [(root, np.arange(len(self._summary.rows)))]
        while open_boxes and len(root.leaves()) < shards:
            open_boxes.sort(key=lambda each: each[0].rows)
            box, rows = open_boxes.pop()
            open_boxes += self._cut(box, rows)
        return root.numbered()

    def _cut(self, box: Box, rows: np.ndarray) -> list[tuple[Box, np.ndarray]]:
        for column, cut in self._candidates(rows):
            goes_left = self._summary.quasi[column][rows] <= cut
            left, right = rows[goes_left], rows[~goes_left]
            if self._admits(left) and self._admits(right):
                box.column, box.cut = column, int(cut)
                box.left = Box(rows=float(self._summary.rows[left].sum()))
                box.right = Box(rows=float(self._summary.rows[right].sum()))
                return [(box.left, left), (box.right, right)]
        return []

    def _candidates(self, rows: np.ndarray) -> list[tuple[int, int]]:
        """The cuts that groups of the trial cross least and that leave sides of similar size, the best first."""
        scored: list[tuple[float, float, int, int]] = []
        weights = self._summary.rows[rows]
        total = float(weights.sum())
        inside = np.zeros(len(self._summary.rows), dtype=bool)
        inside[rows] = True
        tried = inside[self._trial.places]
        places = self._trial.places[tried]
        groups = np.unique(self._trial.groups[tried], return_inverse=True)[1]
        for column, ranks in enumerate(self._ranks):
            values = self._summary.quasi[column][rows]
            low, high = int(values.min()), int(values.max())
            if low == high:
                continue
            before = np.cumsum(np.bincount(values - low, weights, high - low + 1))
            cuts = ranks.cuts(low, high)
            left = before[cuts - low]
            cuts = cuts[(left >= self._least_rows) & (total - left >= self._least_rows)]
            if len(cuts) > 64:  # the sides matter, not the last row of them
                cuts = np.unique(cuts[np.linspace(0, len(cuts) - 1, 64).astype(int)])
            crossed = _crossed(self._summary.quasi[column][places] - low, groups, high - low + 1)
            share = before[cuts - low] / total
            even = share * (1 - share)
            cost = (crossed[cuts - low] / max(len(places), 1) + _FEW) / even
            scored += zip(cost.tolist(), (-even).tolist(), [column] * len(cuts), cuts.tolist())
        return [(column, cut) for _, _, column, cut in sorted(scored)[:_TRIES]]

    def _admits(self, rows: np.ndarray) -> bool:
        weights = self._summary.rows[rows]
        total = int(round(weights.sum()))
        counts = {
            column: [int(round(n)) for n in np.bincount(codes[rows], weights, self._axes[column].size)]
            for column, codes in self._summary.sensitive.items()
        }
        return total >= self._least_rows and admits(self._privacy, counts, self._whole, total, self._axes)


def _crossed(values: np.ndarray, groups: np.ndarray, size: int) -> np.ndarray:
    """By value 0 .. size - 1: how many rows are in groups that have values up to it and above it."""
    rows = np.bincount(groups)
    first, last = np.full(len(rows), size), np.zeros(len(rows), dtype=np.int64)
    np.minimum.at(first, groups, values)
    np.maximum.at(last, groups, values)
    begun, ended = (np.bincount(at, rows, size) for at in (first, last))
    return np.cumsum(begun - ended)


def admits(privacy: Sequence[Mapping[str, Any]], counts: Mapping[str, Sequence[int]], whole: Mapping[str, Sequence[int]],
           rows: int, axes: Mapping[str, models.Axis]) -> bool:  # fmt: skip
    return all(models.holds(model, counts, whole, rows, axes) for model in privacy)


def join_failing(root: Box, holds: Callable[[frozenset[int]], bool]) -> Box:
    """Joins sides with their siblings until every shard holds. `holds` is asked about sets of leaves, by their numbers."""

    def join(box: Box) -> tuple[frozenset[int], bool]:
        if box.left is None or box.right is None:
            return frozenset([box.number]), holds(frozenset([box.number]))
        (left, left_holds), (right, right_holds) = join(box.left), join(box.right)
        both = left | right
        if left_holds and right_holds:
            return both, True
        box.left = box.right = None
        return both, holds(both)

    if not join(root)[1]:
        raise Unsatisfiable("no release satisfies the policy: not even all rows as one group do", "ask for less")
    return root.numbered()
