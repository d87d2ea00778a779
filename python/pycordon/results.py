# SPDX-License-Identifier: Apache-2.0
"""What calls answer: figures alone, no cell of the data."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from . import pages

T = TypeVar("T")


def _make(kind: type[T], raw: dict[str, Any], **more: Any) -> T:
    """A dataclass out of the fields that the module gives."""
    names = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in raw.items() if name in names}, **more)


@dataclass(frozen=True)
class Verdict:
    """What the verifier found of one model."""

    model: str  # "k-anonymity(k=5)"
    holds: bool
    reached: str  # by the worst group: exact if it is a fraction, as "11/60"
    failing_groups: int


@dataclass(frozen=True)
class Warned:
    """What deserves a second look."""

    code: str  # stays the same over versions: "groups-of-one"
    text: str


@dataclass(frozen=True)
class LossBound:
    """No release with the same guarantees loses less. The best one lies between this and the release."""

    information_loss: float
    ratio: float | None  # the release loses at most this many times as much; None: the bound is 0
    confidence: float  # below 1 if rows of a large table were sampled
    cut_short: bool  # with more time it might be higher


def loss_bound(raw: dict[str, Any]) -> LossBound | None:
    return None if raw["bound"] is None else LossBound(**raw["bound"])


@dataclass(frozen=True)
class Figures:
    """What all answers share: `str()` is for a person, `to_dict()` has every figure (docs/report.md)."""

    json: str = field(repr=False)  # as the command line prints it with --json
    text: str = field(repr=False)

    def to_dict(self) -> Any:
        return json.loads(self.json)

    def __str__(self) -> str:
        return self.text

    def _page(self) -> str:
        return pages.preformatted(self.text)

    def _repr_html_(self) -> str:
        return pages.framed(self._page())


@dataclass(frozen=True)
class Report(Figures):
    """Figures of a release."""

    algorithm: str
    rows: int
    people: int
    suppressed: int
    dropped: int  # rows with missing cells, if the policy drops them
    information_loss: float
    bound: LossBound | None  # None: not asked for
    privacy: tuple[Verdict, ...]
    warnings: tuple[Warned, ...]
    _full_page: Callable[[], str] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: dict[str, Any], full_page: Callable[[], str]) -> Report:
        warnings = tuple(Warned(*each) for each in raw["warnings"])
        raw = {**raw, "privacy": verdicts(raw), "bound": loss_bound(raw), "warnings": warnings}
        return _make(cls, raw, _full_page=full_page)

    def _page(self) -> str:
        return pages.report(self, self.to_dict())

    def html(self) -> str:
        """Private: the page of `cordon anonymize --html`, which shows how the original is distributed."""
        return self._full_page()

    def show(self) -> None:
        """Shows that page: in a notebook below the cell, else in a browser. Private: a notebook is saved with it."""
        pages.show(self.html())


@dataclass(frozen=True)
class Verification(Figures):
    """Whether a release holds. It is true or false like its `holds`."""

    holds: bool  # all that was judged
    rows: int
    counts_people: bool  # k counted people, not rows
    privacy: tuple[Verdict, ...]
    true_of_original: bool | None  # None: no original was given
    notes: tuple[str, ...]  # what no release can show

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Verification:
        return _make(cls, {**raw, "privacy": verdicts(raw), "notes": tuple(raw["notes"])})

    def __bool__(self) -> bool:
        return self.holds

    def _page(self) -> str:
        return pages.verification(self)


@dataclass(frozen=True)
class Evaluation(Figures):
    """What a release cost, and what it is worth."""

    rows: int
    input_rows: int
    groups: int
    information_loss: float
    loss_by_column: dict[str, float]
    median_query_error: float | None
    bound: LossBound | None  # None: not asked for

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Evaluation:
        return _make(cls, {**raw, "bound": loss_bound(raw)})


@dataclass(frozen=True)
class AttackFigure:
    """What one attack came to (docs/attack.md)."""

    attack: str  # "linkage"
    variant: str  # "prosecutor"; may be empty
    column: str  # the column that the attacker is after; empty: the person or the row itself
    targets: int
    guesses: int
    right: float  # expected, if he picks at random
    share: float  # of the targets
    baseline: float  # the share without the release
    gain: float  # share - baseline
    gain_interval: tuple[float, float]  # 95 % of the resamples
    highest: float  # his belief in one guess


@dataclass(frozen=True)
class Attacked(Figures):
    """What attackers get right of a release."""

    rows: int
    people: int
    targets: int
    figures: tuple[AttackFigure, ...]
    left_out: dict[str, str]  # attack: why

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Attacked:
        return _make(cls, {**raw, "figures": tuple(AttackFigure(**each) for each in raw["figures"])})


@dataclass(frozen=True)
class RegisteredRelease:
    number: int  # from 1; 0: it was not entered
    population: str
    published: str  # "2025-03-01T12:00:00Z"
    command: str
    algorithm: str
    path: str  # relative to the folder of the registry
    rows: int


@dataclass(frozen=True)
class History(Figures):
    """The releases of a registry, the oldest first."""

    releases: tuple[RegisteredRelease, ...]
    pending: tuple[RegisteredRelease, ...]  # announced by runs that go on, or were killed
    checked: bool  # the files were read again
    holds: bool  # nothing was found missing, changed or left over

    @classmethod
    def of(cls, raw: dict[str, Any]) -> History:
        listed = {name: tuple(RegisteredRelease(**each) for each in raw[name]) for name in ("releases", "pending")}
        return _make(cls, {**raw, **listed})


@dataclass(frozen=True)
class Measured:
    """What a table reaches of one model."""

    model: str  # "l-diversity(disease, distinct)"
    value: float
    reached: str  # exact if it is a fraction
    worst_row: int | None  # a row of the worst group, from 1


@dataclass(frozen=True)
class Checked(Figures):
    """The k, l, t, beta and delta that a table has."""

    rows: int
    groups: int
    privacy: tuple[Measured, ...]  # k first

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Checked:
        return _make(cls, {**raw, "privacy": tuple(Measured(**each) for each in raw["privacy"])})

    @property
    def k(self) -> int:
        return int(self.privacy[0].value)


@dataclass(frozen=True)
class ComparedRelease:
    name: str
    rows: int
    suppressed: int
    groups: int
    information_loss: float
    median_query_error: float | None
    highest_risk: float | None  # of a person, for an attacker who knows the quasi columns
    privacy: tuple[Verdict, ...]


@dataclass(frozen=True)
class Comparison(Figures):
    """Releases of one table side by side."""

    releases: tuple[ComparedRelease, ...]

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Comparison:
        made = tuple(ComparedRelease(**{**each, "privacy": verdicts(each)}) for each in raw["releases"])
        return _make(cls, {**raw, "releases": made})


@dataclass(frozen=True)
class SweepPoint:
    algorithm: str
    parameters: dict[str, str]  # {"k": "5", "t": "0.2"}
    satisfiable: bool
    why_not: str
    rows: int
    suppressed: int
    groups: int
    information_loss: float | None  # None: no release satisfies it
    median_query_error: float | None


@dataclass(frozen=True)
class Swept(Figures):
    """What a parameter costs, point by point."""

    points: tuple[SweepPoint, ...]
    svg: str = field(repr=False)  # loss against the parameter with the most values

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Swept:
        return _make(cls, {**raw, "points": tuple(SweepPoint(**each) for each in raw["points"])})

    def _page(self) -> str:
        return self.svg + pages.preformatted(self.text)


@dataclass(frozen=True)
class ColumnProfile:
    name: str
    type: str  # "categorical", "numeric", "date"
    distinct: int
    missing: int
    unique_rows: int  # rows whose value no other row has
    distinction: float  # distinct values / rows
    separation: float  # share of the pairs of rows that the column tells apart
    role: str  # suggested
    why: str


@dataclass(frozen=True)
class Inspection(Figures):
    """What is in a table that nobody has described yet."""

    rows: int
    columns: tuple[ColumnProfile, ...]

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Inspection:
        return _make(cls, {**raw, "columns": tuple(ColumnProfile(**each) for each in raw["columns"])})


@dataclass(frozen=True)
class StoreReport(Figures):
    """What a call has done to a store."""

    rows: int  # published by this call
    groups: int
    waiting: int  # taken in, not published yet
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, raw: dict[str, Any]) -> StoreReport:
        return _make(cls, {**raw, "warnings": tuple(raw["warnings"])})


@dataclass(frozen=True)
class QueryAnswer(Figures):
    """What a store answers: bounds and estimates. `to_dict()` has the rows; numbers keep all their digits in `json`."""


@dataclass(frozen=True)
class StreamFigures:
    pushed: int
    published: int
    suppressed: int
    refused: int
    waiting: int
    information_loss: float  # of what was published, per tuple


def verdicts(raw: dict[str, Any]) -> tuple[Verdict, ...]:
    return tuple(Verdict(**each) for each in raw["privacy"])
