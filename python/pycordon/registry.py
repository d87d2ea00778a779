# SPDX-License-Identifier: Apache-2.0
"""A registry: what was published about whom."""

from __future__ import annotations

import os

from . import _core, results


class Registry:
    """One SQLite file, private. `anonymize`, `release_next` and stores enter their releases by `registry=`.

    `Registry(path)` opens one that is there.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.list()

    def list(self) -> results.History:
        """The releases, the oldest first."""
        return results.History.of(_core.registry(self.path, False))

    def check(self) -> results.History:
        """The same after the files of all releases were read again: `holds` says whether they are as they were published."""
        return results.History.of(_core.registry(self.path, True))

    def __repr__(self) -> str:
        return f"<pycordon.Registry {self.path}>"
