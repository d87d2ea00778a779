# SPDX-License-Identifier: Apache-2.0
"""A stream of rows: each is published within the delay that the policy's [stream] allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from . import _core
from .errors import InvalidPolicy
from .frames import Table, TableLike
from .requests import PolicyLike, inner, whole
from .results import StreamFigures


@dataclass(frozen=True)
class RefusedRow:
    """A row that was not taken in: a value outside its declared domain, an event time that is too late."""

    row: int  # of all that were pushed, from 1
    reason: str


@dataclass(frozen=True)
class StreamOutput:
    rows: Table  # published now
    refused: tuple[RefusedRow, ...]


class Stream:
    """Push batches, publish what comes out. Nothing comes out before it was judged. One thread at a time.

    `columns`: those of the rows to come; None: those of the first batch.
    """

    def __init__(
        self,
        policy: PolicyLike,
        columns: Iterable[str] | None = None,
        *,
        algorithm: str | None = None,
        group_column: bool = False,
        seed: int | None = None,
    ) -> None:
        number = None if seed is None else whole("seed", seed)
        self._start = lambda names: _core.Stream.start(inner(policy), names, algorithm or "", group_column, number)
        self._stream: Any = None if columns is None else self._start(list(columns))

    @classmethod
    def restore(cls, policy: PolicyLike, saved: bytes) -> Stream:
        """Goes on where `snapshot` was called. Push what came since then again: the same rows come out again."""
        made = cls.__new__(cls)
        made._stream = _core.Stream.restore(inner(policy), saved)
        return made

    def push(self, rows: TableLike) -> StreamOutput:
        table = rows if isinstance(rows, Table) else Table(rows)
        if self._stream is None:
            self._stream = self._start(table.columns)
        return _output(self._stream.push(table._table))

    def advance(self, now: datetime | int) -> StreamOutput:
        """Moves the clock of a stream whose delay is one of event time: a datetime, or milliseconds since 1970.

        Rows that come later with an earlier time are refused as late. An earlier time than the clock's does nothing."""
        if isinstance(now, datetime):
            if now.tzinfo is None:
                raise ValueError("a datetime needs a time zone here")
            now = int(now.timestamp() * 1000)
        return _output(self._started().advance(whole("now", now, -(2**63), 2**63 - 1)))

    def flush(self) -> StreamOutput:
        """The end: everything leaves. Nothing can be pushed afterwards."""
        return _output(self._started().flush())

    def snapshot(self) -> bytes:
        """Private: holds the cells of the rows that wait. Keep it together with how far the input was read."""
        return self._started().save()

    @property
    def figures(self) -> StreamFigures:
        return StreamFigures(**self._started().figures())

    def _started(self) -> Any:
        if self._stream is None:
            raise InvalidPolicy("the stream has no columns yet", "push a batch first, or name the columns")
        return self._stream


def _output(out: tuple[Any, list[tuple[int, str]]]) -> StreamOutput:
    rows, refused = out
    return StreamOutput(Table._of(rows), tuple(RefusedRow(*each) for each in refused))
