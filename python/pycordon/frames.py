# SPDX-License-Identifier: Apache-2.0
"""Tables in and out, by the Arrow PyCapsule interface that data frame libraries share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol, Union, runtime_checkable

from . import _core
from .errors import InvalidData

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


@runtime_checkable
class ArrowStream(Protocol):
    """A data frame: pandas, Polars, pyarrow, DuckDB relations, nanoarrow, and whatever else has this method."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


# A data frame, or the path of a file: .csv, .jsonl (also .gz), .parquet, or "sql:SELECT ...".
TableLike = Union[ArrowStream, str, "os.PathLike[str]"]


class Frame:
    """A table that can be handed on: `pl.DataFrame(frame)`, `pa.table(frame)`, `duckdb.sql("FROM frame")`."""

    _table: _core.Table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.to_capsule()

    def __len__(self) -> int:
        return self._table.num_rows

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._table.column_names

    def to_pyarrow(self) -> pyarrow.Table:
        """As a pyarrow.Table; every column is a dictionary of texts."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """As a pandas.DataFrame; every column is a category of texts. Needs pyarrow."""
        return self.to_pyarrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """As a polars.DataFrame; every column is categorical."""
        import polars

        return polars.DataFrame(self)


class Table(Frame):
    """A table of texts that was read once and may be used in many calls."""

    def __init__(self, data: TableLike, *, delimiter: str = "") -> None:
        self._table = _read(data, delimiter) if isinstance(data, (str, os.PathLike)) else _imported(data, 0, None)

    @classmethod
    def _of(cls, table: _core.Table) -> Table:
        made = cls.__new__(cls)
        made._table = table
        return made

    def __repr__(self) -> str:
        return f"<pycordon.Table: {len(self)} rows, columns {', '.join(self.columns)}>"


def _read(path: str | os.PathLike[str], delimiter: str) -> _core.Table:
    return _core.Table.read(os.fspath(path), delimiter, 0, None)


def _is_pandas(data: object) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "reset_index")


def _without_row_labels(data: Any) -> Any:
    """Row labels without a name are not a column; Arrow would make one of them."""
    return data.reset_index(drop=True) if list(data.index.names) == [None] else data


def _capsule(data: Any) -> object:
    return data.__arrow_c_stream__()


def _fails(data: Any) -> type[Exception] | None:
    """What keeps a frame from being handed over. The exception itself may quote cells, so it goes no further."""
    try:
        _capsule(data)
    except Exception as error:
        return type(error)
    return None


def _culprit(data: Any) -> str | None:
    """The first column of a pandas frame that Arrow cannot take."""
    if not _is_pandas(data) or len(set(data.columns)) < len(data.columns):
        return None
    return next((str(name) for name in data.columns if _fails(data[[name]]) is not None), None)


def _refusal(data: Any, kind: str) -> InvalidData:
    if _is_pandas(data):
        names = [str(name) for name in data.columns]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            return InvalidData(f"two columns are called '{twice}'", "give every column a different name")
        column = _culprit(data)
        if column is not None:
            return InvalidData(
                f"column '{column}' cannot be handed over by Arrow ({kind}): its cells are not of one type",
                f"make it one type first, for example df[{column!r}] = df[{column!r}].astype(str)",
            )
    return InvalidData(f"the {type(data).__name__} cannot be handed over by Arrow ({kind})", "look at the types of its columns")


def _exported(data: Any) -> object:
    if _is_pandas(data):
        data = _without_row_labels(data)
    kind = None
    try:
        return _capsule(data)
    except ImportError:
        raise  # pandas without pyarrow says so itself
    except Exception as error:
        kind = type(error).__name__
    raise _refusal(data, kind)  # outside of the except: the error that may quote cells does not come along


def _imported(data: Any, threads: int, progress: Any) -> _core.Table:
    if isinstance(data, Frame):
        return data._table
    if not hasattr(data, "__arrow_c_stream__"):
        raise TypeError(_not_a_table(data))
    return _core.Table.from_capsule(_exported(data), threads, progress)


def _not_a_table(data: object) -> str:
    name = f"{type(data).__module__}.{type(data).__qualname__}"
    message = f"a table is a data frame with __arrow_c_stream__ or a path, not {name}"
    if hasattr(data, "collect"):
        message += "; call .collect() on it first"
    return message


def input_of(data: TableLike, threads: int, progress: Any) -> _core.Table | str:
    """What the module takes: one of its tables, or a path."""
    return os.fspath(data) if isinstance(data, (str, os.PathLike)) else _imported(data, threads, progress)
