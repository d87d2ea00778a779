# SPDX-License-Identifier: Apache-2.0
"""Figures of tables that live on Spark: what a table has, and what a release cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Optional, Union

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..errors import InvalidData, InvalidPolicy
from ..requests import PolicyLike, policy_of
from .described import Described
from .failures import told
from .plan import _number, paths_of_file
from .tables import Bound, quoted


@dataclass(frozen=True)
class Checked:
    """The k of a table, and the distinct l of each sensitive column."""

    rows: int
    groups: int
    k: int
    l: dict[str, int]  # noqa: E741: the field's name


def check(df: DataFrame, *, quasi: Union[str, Iterable[str]], sensitive: Union[str, Iterable[str]] = ()) -> Checked:
    """Which k and distinct l does a table have? Cells are compared as they are; NULL is not a sensitive value."""
    keys = [quasi] if isinstance(quasi, str) else list(quasi)
    guarded = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    for name in (*keys, *guarded):
        if name not in df.columns:
            raise InvalidData(f"the data has no column '{name}'")
    named = df.select([F.col(quoted(name)).alias(f"c{i}") for i, name in enumerate((*keys, *guarded))])
    places = [f"c{i}" for i in range(len(keys))]
    different = [F.count_distinct(F.col(f"c{len(keys) + i}")).alias(f"l{i}") for i in range(len(guarded))]
    groups = named.groupBy(*places).agg(F.count(F.lit(1)).alias("n"), *different)
    least = [F.min(f"l{i}") for i in range(len(guarded))]
    found = told(groups.agg(F.sum("n"), F.count(F.lit(1)), F.min("n"), *least).collect)
    rows, number, k, *diversity = found[0]
    if not number:
        raise InvalidData("the table has no rows")
    return Checked(rows, number, k, dict(zip(guarded, diversity)))


@dataclass(frozen=True)
class Evaluation:
    """The information loss, as `cordon evaluate` defines it."""

    rows: int
    input_rows: int
    information_loss: float
    loss_by_column: dict[str, float]


_NOT_MEASURED = ("format", "grid", "round", "top", "bottom")


def evaluate(release: DataFrame, original: DataFrame, policy: PolicyLike) -> Evaluation:
    """What did a release cost? Rows that the release lacks cost 1 each."""
    return told(lambda: _evaluate(release, original, Described.of(policy_of(policy))))


def _evaluate(release: DataFrame, original: DataFrame, described: Described) -> Evaluation:
    for name in described.of_role("quasi"):
        odd = set(described.columns[name]) & set(_NOT_MEASURED)
        if odd or (described.type_of(name) != "categorical" and "hierarchy" in described.columns[name]):
            raise InvalidPolicy(f"the loss of '{name}' is not measured on Spark, because of {', '.join(odd) or 'hierarchy'}",
                                "collect both tables, and call pycordon.evaluate")  # fmt: skip
    bound = Bound(original, described)
    rows = release.count()
    lacking = bound.num_rows + bound.dropped - rows
    if lacking < 0:
        raise InvalidData("the release has more rows than the original")
    by_column, total = {}, 0.0
    for name in bound.quasi:
        cost = _Cost(bound, name)
        lost = sum(cost(text) * n for text, n in release.groupBy(F.col(quoted(name))).count().collect())
        by_column[name] = (lost + lacking) / (rows + lacking)
        total += by_column[name]
    return Evaluation(rows, rows + lacking, total / max(len(bound.quasi), 1), by_column)


class _Cost:
    """What a published cell of a column loses."""

    def __init__(self, bound: Bound, name: str) -> None:
        described = bound.described
        self._name = name
        self._missing = described.missing
        keys = described.columns[name]
        self._kind = described.type_of(name)
        values = [t for t in bound.values[name].texts if t is not None and t not in described.missing]
        self._has_missing = len(values) < len(bound.values[name].texts)
        if self._kind == "categorical":
            below = _leaves(values, keys, described)
            every = set().union(*below.values())
            self._all = len(every) + self._has_missing
            self._leaves = {label: self._all if leaves == every and len(every) > 1 else len(leaves) for label, leaves in below.items()}
            return
        numbers = [n for n in (_number(text, self._kind) for text in values) if n is not None]
        low, high = (_number(str(end), self._kind) for end in keys["range"]) if "range" in keys else (min(numbers), max(numbers))
        self._range = high - low

    def __call__(self, text: Optional[str]) -> float:
        if text == "*":
            return 1.0
        if text is None or text in self._missing:
            return 0.0
        if self._kind == "categorical":
            if text not in self._leaves:
                raise InvalidData(f"the column '{self._name}' of the release shows a label that the policy does not have")
            return (self._leaves[text] - 1) / max(self._all - 1, 1)
        if not text.startswith("["):
            return 0.0
        low, high = (_number(end, self._kind) for end in text[1:-1].split(","))
        return float((high - low) / self._range) if self._range else 0.0


def _leaves(values: list[str], keys: Mapping[str, Any], described: Described) -> dict[str, set[str]]:
    """By label the leaves under it."""
    hierarchy = keys.get("hierarchy")
    if isinstance(hierarchy, str):
        paths = paths_of_file(described.shipped.files[hierarchy])
    elif isinstance(hierarchy, Mapping) and "prefix" in hierarchy:
        length = int(hierarchy["prefix"])
        paths = {v: [v[:end] + "*" for end in range(min(length, len(v)) - 1, 0, -1)] for v in values}
    else:
        paths = {value: [] for value in ([str(v) for v in keys["values"]] if "values" in keys else values)}
    if "other" in keys:
        paths.setdefault(str(keys["other"]), [])
    below: dict[str, set[str]] = {}
    for leaf, path in paths.items():
        for label in {leaf, *path}:
            below.setdefault(label, set()).add(leaf)
    return below


