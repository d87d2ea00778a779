# SPDX-License-Identifier: Apache-2.0
"""DuckDB's library, for Parquet, SQL and stores: the module of the duckdb package has its C functions."""

from __future__ import annotations

from importlib.util import find_spec

from . import _core

HINT = "pip install 'pycordon[duckdb]', or name DuckDB's library in the environment variable CORDON_DUCKDB_LIBRARY"


def name_library() -> None:
    """Tells the engine where the library is. Nothing of it is loaded before it is needed."""
    spec = find_spec("_duckdb")
    _core.name_duckdb(spec.origin if spec is not None and spec.origin is not None else "", HINT)
