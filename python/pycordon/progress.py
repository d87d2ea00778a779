# SPDX-License-Identifier: Apache-2.0
"""How far a call is: a function of one's own, or a bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

# None or False: silent. True: a bar, by tqdm if it is there. Else a function of stage, done and total (0: not known).
Progress = Union[None, bool, Callable[[str, int, int], object]]


class _Bar:
    """One bar of tqdm per stage, in a notebook or on a terminal."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage or self._bar is None:
            self.close()
            self._stage, self._bar = stage, self._tqdm(desc=stage, total=total or None, leave=False)
        if total:
            self._bar.total = total
        self._bar.update(max(0, done - self._bar.n))

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Line:
    """The last line of the terminal, where tqdm is not installed."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        share = f"{100 * min(done, total) // total:3d}%" if total else str(done)
        print(f"\r\x1b[K{stage} {share}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line()
    return _Bar(tqdm)


@contextmanager
def telling(progress: Progress) -> Iterator[Callable[[str, int, int], object] | None]:
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    elif progress is True:
        bar = _bar()
        try:
            yield bar
        finally:
            bar.close()
    else:
        raise TypeError(f"progress is True or a function of (stage, done, total), not {type(progress).__name__}")
