# SPDX-License-Identifier: Apache-2.0
"""What failed on Spark, as an error of this package. Spark's own messages may quote cells, so they go no further."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from .. import errors

Result = TypeVar("Result")


def told(call: Callable[[], Result]) -> Result:
    """What the engine said on an executor, as it would be said here."""
    try:
        return call()
    except (PySparkException, Py4JJavaError) as error:
        failed = _error_in(str(error))
    raise failed  # here, and not above: a traceback would show what Spark said


def _error_in(text: str) -> errors.Error:
    for kind in (errors.Unsatisfiable, errors.InvalidPolicy, errors.InvalidData, errors.InputOutputError, errors.Cancelled):
        mark = f"pycordon.errors.{kind.__name__}: "
        if mark in text:
            said = text.split(mark, 1)[1].split("\n\n")[0].splitlines()
            hint = said[1].removeprefix("hint: ") if len(said) > 1 and said[1].startswith("hint: ") else ""
            return kind(f"on a shard: {said[0]}", hint)
    if "the table changed while it was read" in text:
        return errors.InvalidData("the table changed while it was read", "keep its rows fixed: df.persist(), or a snapshot")
    return errors.InputOutputError("a Spark job failed; its log has the reason, which may quote cells", "look at the Spark UI")
