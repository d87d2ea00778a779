# SPDX-License-Identifier: Apache-2.0
"""Everything that can go wrong, each kind with another next step. No message holds a cell of the data."""

from __future__ import annotations


class Error(Exception):
    """What is wrong and where (`message`), and a way out (`hint`, which may be empty)."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return type(self), (self.message, self.hint)  # so that other processes get the hint, too

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class InvalidPolicy(Error, ValueError):
    """The policy or the call is wrong: fix it."""


class InvalidData(Error, ValueError):
    """The table is wrong: fix it."""


class Unsatisfiable(Error):
    """A valid request whose answer is no: no release satisfies the policy. The hint tells what these rows allow."""


class InputOutputError(Error, OSError):
    """A file could not be read or written, or a library that is needed is not there."""


class Cancelled(Error):
    """Somebody asked to stop."""
