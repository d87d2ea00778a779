# SPDX-License-Identifier: Apache-2.0
"""What runs on an executor: the rows of one shard go in, in any order, and their published rows come out, always the same.

A task may run twice, at the same time even. So the rows are sorted before the engine sees them, and all randomness comes from
the key of the run and the number of the shard.
"""

from __future__ import annotations

import hashlib
import pickle
import tempfile
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Optional

import pyarrow

from ..requests import anonymize
from .described import Shipped
from .ship import finder

_BATCH = 65536  # rows


@dataclass(frozen=True)
class Work:
    """What every shard is told."""

    policy: Shipped
    columns: list[str]  # the columns of the rows, in their order, by their names in the policy
    whole: list[pyarrow.Table] = field(repr=False)  # by quasi and sensitive column: its values, and how many rows have each
    key: bytes = field(repr=False)
    identifiers: list[str] = field(default_factory=list)  # columns of the policy that no executor sees
    algorithm: Optional[str] = None
    effort: str = "normal"


def secret(key: bytes, purpose: str, shard: int, size: int) -> bytes:
    """Bytes that only the key tells, other ones for every purpose and shard."""
    return hashlib.shake_256(key + f"|pycordon.spark|{purpose}|{shard}".encode()).digest(size)


def _sorted(rows: pyarrow.Table) -> pyarrow.Table:
    """In an order that the shuffle of the rows does not change: rows that compare equal are equal."""
    return rows.sort_by([(name, "ascending") for name in rows.column_names])


def run(work: Work, shard: int, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The published columns as texts, in the order of the policy, and a random number by which rows are put in order."""
    rows = pyarrow.Table.from_batches(list(batches)).rename_columns([*work.columns, "shard"]).drop_columns(["shard"])
    rows = _sorted(rows)
    for name in work.identifiers:
        rows = rows.append_column(name, pyarrow.nulls(len(rows), pyarrow.string()))
    with tempfile.TemporaryDirectory(prefix="pycordon-") as folder:
        policy = work.policy.read(folder)
    seed = int.from_bytes(secret(work.key, "seed", shard, 8), "big")
    release = anonymize(
        rows, policy, algorithm=work.algorithm, effort=work.effort, order="sorted", seed=seed, risk=False,  # type: ignore[arg-type]
        whole=work.whole, threads=1,
    )  # fmt: skip
    published = pyarrow.table(release)
    order = pyarrow.Array.from_buffers(
        pyarrow.int64(), len(release), [None, pyarrow.py_buffer(secret(work.key, "order", shard, 8 * len(release)))]
    )
    texts = [published.column(name).cast(pyarrow.string()) for name in published.column_names]
    table = pyarrow.table([*texts, order], names=[*(f"c{i}" for i in range(len(texts))), "place"])
    yield from table.combine_chunks().to_batches(max_chunksize=_BATCH)


def task(work: Work) -> Any:
    """The function for applyInArrow."""
    packed, find = pickle.dumps(work), finder()

    def shard_task(key, batches):  # type: ignore[no-untyped-def]
        import pickle

        find()
        from pycordon.spark import shard

        yield from shard.run(pickle.loads(packed), key[0].as_py(), batches)

    shard_task.__annotations__ = {
        "key": typing.Tuple[pyarrow.Scalar, ...],
        "batches": typing.Iterator[pyarrow.RecordBatch],
        "return": typing.Iterator[pyarrow.RecordBatch],
    }
    return shard_task
