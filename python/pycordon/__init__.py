# SPDX-License-Identifier: Apache-2.0
"""cordon publishes personal data without publishing people.

    release = pycordon.anonymize(df, pycordon.draft_policy(df, k=5))
    release.to_pandas(); release.report; release.write("release.csv")

Any data frame with __arrow_c_stream__ goes in (pandas, Polars, pyarrow, DuckDB relations, nanoarrow), and so do paths of
files. docs/python.md walks through it; the functions are the commands of the program and mean the same.
"""

from ._core import __version__
from .duckdb_library import name_library as _name_library
from .errors import Cancelled, Error, InputOutputError, InvalidData, InvalidPolicy, Unsatisfiable
from .frames import Frame, Table
from .policy import Policy, PolicyBuilder
from .registry import Registry
from .requests import (
    Release,
    anonymize,
    attack,
    check,
    compare,
    draft_policy,
    evaluate,
    inspect,
    release_next,
    sweep,
    verify,
)
from .results import (
    Attacked,
    AttackFigure,
    Checked,
    ColumnProfile,
    ComparedRelease,
    Comparison,
    Evaluation,
    History,
    Inspection,
    LossBound,
    Measured,
    QueryAnswer,
    RegisteredRelease,
    Report,
    StoreReport,
    StreamFigures,
    SweepPoint,
    Swept,
    Verdict,
    Verification,
    Warned,
)
from .store import Store
from .stream import RefusedRow, Stream, StreamOutput

_name_library()

__all__ = [
    "AttackFigure",
    "Attacked",
    "Cancelled",
    "Checked",
    "ColumnProfile",
    "ComparedRelease",
    "Comparison",
    "Error",
    "Evaluation",
    "Frame",
    "History",
    "InputOutputError",
    "Inspection",
    "InvalidData",
    "InvalidPolicy",
    "LossBound",
    "Measured",
    "Policy",
    "PolicyBuilder",
    "QueryAnswer",
    "RefusedRow",
    "RegisteredRelease",
    "Registry",
    "Release",
    "Report",
    "Store",
    "StoreReport",
    "Stream",
    "StreamFigures",
    "StreamOutput",
    "SweepPoint",
    "Swept",
    "Table",
    "Unsatisfiable",
    "Verdict",
    "Verification",
    "Warned",
    "__version__",
    "anonymize",
    "attack",
    "check",
    "compare",
    "draft_policy",
    "evaluate",
    "inspect",
    "release_next",
    "sweep",
    "verify",
]
