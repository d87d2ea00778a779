# SPDX-License-Identifier: Apache-2.0
"""The models by their definitions, for one group of rows, in exact arithmetic.

The planner asks them whether a shard can have a release at all. The verification asks them about the models that SQL does not
decide. Nothing of the engine is used here. Where a logarithm enters, bounds of 50 digits decide, and what lies between them is
refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from typing import Any, Optional

from ..errors import InvalidPolicy

ROWS_ALONE = ("k-anonymity", "ks-anonymity")
COMPARED = ("t-closeness", "beta-likeness", "delta-disclosure")  # with the distribution of all published rows
SERVED = (*ROWS_ALONE, *COMPARED, "l-diversity", "alpha-k", "confidence")


def exact(value: Any) -> Fraction:
    """A number of a policy: 0.2 is 1/5, "2/3" is 2/3."""
    return value if isinstance(value, Fraction) else Fraction(str(value))


def exp_bounds(power: Fraction, digits: int = 50) -> tuple[Fraction, Fraction]:
    """Below and above e ** power."""
    low, high = Context(prec=digits, rounding=ROUND_FLOOR), Context(prec=digits, rounding=ROUND_CEILING)
    ulp = Fraction(1, 10 ** (digits - 3))  # the exponent was rounded too: one more digit than both roundings move it
    return (
        Fraction(low.exp(low.divide(power.numerator, power.denominator))) * (1 - ulp),
        Fraction(high.exp(high.divide(power.numerator, power.denominator))) * (1 + ulp),
    )


@dataclass(frozen=True)
class Axis:
    """The values of a sensitive column, numbered in their order. `missing` is the number of the missing value."""

    size: int
    missing: Optional[int] = None
    numbers: Mapping[str, int] = field(default_factory=dict, repr=False)  # by text
    edges: Sequence[tuple[Sequence[int], int]] = ()  # of a hierarchy: values below a node, and the height of the step above it
    height: int = 0


def _l_diversity(model: Mapping[str, Any], counts: Sequence[int], axis: Axis) -> bool:
    rows = sorted((n for value, n in enumerate(counts) if n and value != axis.missing), reverse=True)
    l = exact(model["l"])  # noqa: E741: the field's name
    kind = model.get("kind", "distinct")
    if kind == "distinct":
        return len(rows) >= l
    if kind == "recursive":
        return len(rows) >= l and rows[0] < exact(model["c"]) * sum(rows[int(l) - 1 :])
    total = sum(rows)  # entropy: the product of (total / n) ** n is at least l ** total
    if total == 0:
        return False
    left = (total * l.denominator) ** total
    right = l.numerator**total
    for n in rows:
        right *= n**n
    return left >= right


def _t_closeness(model: Mapping[str, Any], counts: Sequence[int], whole: Sequence[int], axis: Axis) -> bool:
    n, total = sum(counts), sum(whole)
    extra = [c * total - w * n for c, w in zip(counts, whole)]
    distance = model["distance"]
    if distance == "equal":
        moved, steps = sum(e for e in extra if e > 0), 1
    elif distance == "ordered":
        moved, carried = 0, 0
        for each in extra[:-1]:
            carried += each
            moved += abs(carried)
        steps = max(len(extra) - 1, 1)
    else:
        moved = sum(step * abs(sum(extra[value] for value in below)) for below, step in axis.edges)
        steps = 2 * max(axis.height, 1)
    return moved <= exact(model["t"]) * steps * n * total


def _beta_likeness(model: Mapping[str, Any], counts: Sequence[int], whole: Sequence[int]) -> bool:
    n, total, beta = sum(counts), sum(whole), exact(model["beta"])
    enhanced = model.get("kind", "enhanced") == "enhanced"
    for c, w in zip(counts, whole):
        if c * total <= w * n:
            continue
        gain = Fraction(c * total - w * n, w * n) if w else None
        if gain is None or gain > beta:
            return False
        if enhanced and Fraction(w, total) * exp_bounds(gain)[1] > 1:  # gain <= -ln p, as p * e ** gain <= 1
            return False
    return True


def _delta_disclosure(model: Mapping[str, Any], counts: Sequence[int], whole: Sequence[int]) -> bool:
    n, total = sum(counts), sum(whole)
    most = exp_bounds(exact(model["delta"]))[0]
    for c, w in zip(counts, whole):
        if w and (c == 0 or c * total >= most * w * n or w * n >= most * c * total):
            return False
    return True


def holds(model: Mapping[str, Any], counts: Mapping[str, Sequence[int]], whole: Mapping[str, Sequence[int]], rows: int,
          axes: Mapping[str, Axis]) -> bool:  # fmt: skip
    """Whether a group satisfies the model: `rows` rows, and by sensitive column the rows of each value in it and in the whole."""
    name = model["model"]
    if name in ROWS_ALONE:
        return rows >= model["k"]
    if name == "confidence":
        return all(_within(model, column, values, counts[column], axes[column]) for column, values in model["values"].items())
    column = model["sensitive"]
    if name == "alpha-k":
        number = axes[column].numbers.get(str(model["value"]))
        share = 0 if number is None else counts[column][number]
        return rows >= model["k"] and share <= exact(model["alpha"]) * rows
    if name == "l-diversity":
        return _l_diversity(model, counts[column], axes[column])
    if name == "t-closeness":
        return _t_closeness(model, counts[column], whole[column], axes[column])
    if name == "beta-likeness":
        return _beta_likeness(model, counts[column], whole[column])
    if name == "delta-disclosure":
        return _delta_disclosure(model, counts[column], whole[column])
    raise InvalidPolicy(f"{name} is not judged here")


def _within(model: Mapping[str, Any], column: str, values: Sequence[str], counts: Sequence[int], axis: Axis) -> bool:
    numbers = range(axis.size) if not values else [axis.numbers[str(v)] for v in values if str(v) in axis.numbers]
    rows = sum(counts)
    return all(counts[number] <= exact(model["h"]) * rows for number in numbers)


def with_room(model: Mapping[str, Any]) -> Mapping[str, Any]:
    """The model a little stricter. A shard that just satisfies a model as a whole leaves its groups no choice."""
    bounds = {"t-closeness": "t", "beta-likeness": "beta", "delta-disclosure": "delta", "alpha-k": "alpha", "confidence": "h"}
    key = bounds.get(model["model"])
    return model if key is None else {**model, key: exact(model[key]) * Fraction(4, 5)}


def sensitive_in(model: Mapping[str, Any]) -> list[str]:
    if model["model"] == "confidence":
        return list(model["values"])
    return [model["sensitive"]] if "sensitive" in model else []
