# SPDX-License-Identifier: Apache-2.0
"""A store: a table whose one sensitive number is shuffled inside groups. It grows, and answers queries with bounds."""

from __future__ import annotations

import os

from . import _core, results
from .frames import TableLike, input_of
from .progress import Progress, telling
from .requests import PolicyLike, _threads, file_name, inner, verify


class Store:
    """A directory; STORE.private next to it is private. Needs DuckDB (pip install pycordon[duckdb]).

    `Store(path)` opens one and compares every file with its manifest.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        _core.store_open(self.path)
        self.report: results.StoreReport | None = None  # of the release that `create` made

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        data: TableLike,
        policy: PolicyLike,
        *,
        registry: str | os.PathLike[str] | None = None,
        person_key: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Store:
        """`path`: a directory that is not there yet. registry: where the store is entered; person_key: as of `anonymize`."""
        with telling(progress) as tell:
            asked = _threads(threads)
            name = os.fspath(path)
            raw = _core.store_create(
                name, input_of(data, asked, tell), inner(policy), file_name(registry), file_name(person_key), asked, tell
            )
        made = cls(name)
        made.report = results.StoreReport.of(raw)
        return made

    def append(
        self,
        rows: TableLike,
        *,
        again: bool = False,
        registry: str | os.PathLike[str] | None = None,
        person_key: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> results.StoreReport:
        """again: takes in rows that came before. registry: a store that was entered asks for it."""
        with telling(progress) as tell:
            asked = _threads(threads)
            return results.StoreReport.of(
                _core.store_append(
                    self.path, input_of(rows, asked, tell), again, file_name(registry), file_name(person_key), asked, tell
                )
            )

    def query(self, query: str, *, threads: int | None = None) -> results.QueryAnswer:
        """SELECT COUNT(*), SUM(s), AVG(s), MIN(s), MAX(s) [WHERE condition] [GROUP BY column, ...]"""
        return results.QueryAnswer(*_core.store_query(self.path, query, _threads(threads), None))

    def verify(
        self, policy: PolicyLike, *, original: TableLike | None = None, threads: int | None = None
    ) -> results.Verification:
        return verify(self.path, policy, original=original, threads=threads)

    def __repr__(self) -> str:
        return f"<pycordon.Store {self.path}>"
