# SPDX-License-Identifier: Apache-2.0
"""Releases of tables that live on a Spark cluster (docs/spark.md).

    release = pycordon.spark.anonymize(df, policy, staging="hdfs:///staging")
    release.commit("hdfs:///releases/2025")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..requests import PolicyLike
    from ..results import Verification
    from .measures import Checked, Evaluation, check, evaluate
    from .release import SparkRelease, anonymize, read

_HOMES = {"Checked": "measures", "Evaluation": "measures", "check": "measures", "evaluate": "measures",
          "SparkRelease": "release", "anonymize": "release", "read": "release"}  # fmt: skip


def __getattr__(name: str) -> object:
    # Executors import parts of this package. Spark itself is imported by who asks for what needs it.
    if name not in _HOMES:
        raise AttributeError(f"module 'pycordon.spark' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def verify(df: object, policy: PolicyLike) -> Verification:
    """Does a release hold, by Spark SQL? It may be any tool's: every published column as text, ranges in one column."""
    from ..requests import policy_of
    from .failures import told
    from .verification import verify as judge

    return told(lambda: judge(df, policy_of(policy)))  # type: ignore[arg-type]


__all__ = ["Checked", "Evaluation", "SparkRelease", "anonymize", "check", "evaluate", "read", "verify"]
