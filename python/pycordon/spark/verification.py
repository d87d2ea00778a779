# SPDX-License-Identifier: Apache-2.0
"""Spark judges published rows: by the SQL statement of `cordon verify --sql spark` if that decides a model, else by the
definitions in models.py, group by group. Nothing of the engine runs here."""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Optional

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .. import _core
from ..errors import InvalidData, InvalidPolicy
from ..policy import Policy
from ..results import Verdict, Verification
from . import models
from .described import Described
from .plan import ranks_of
from .ship import finder
from .tables import quoted

_BY_DEFINITION = ("l-diversity", "beta-likeness", "delta-disclosure")  # if SQL does not decide them


def verify(df: DataFrame, policy: Policy, described: Optional[Described] = None) -> Verification:
    described = described or Described.of(policy)
    missing = [name for name in described.published if name not in df.columns]
    more = [name for name in df.columns if name not in described.published]
    if missing or more:
        raise InvalidData("the release does not have the columns that the policy publishes",
                          f"lacking: {', '.join(missing) or 'none'}; not of the policy: {', '.join(more) or 'none'}")  # fmt: skip
    verdicts = []
    for (number, text, holds, failing), model in zip(_by_sql(df, policy), described.privacy, strict=True):
        if holds is None and failing is None:
            failing = _by_definition(df, model, described)
        verdicts.append(Verdict(text, failing == 0, "", failing))  # NULL in `failing` means too large a number: refused
    rows = df.count()
    text = "\n".join(f"{v.model}: {'holds' if v.holds else f'does not hold in {v.failing_groups} groups'}" for v in verdicts)
    holds_all = all(verdict.holds for verdict in verdicts) and rows > 0
    notes = ("Spark judged the models. That every row is true of its original was judged shard by shard when it was made.",)
    return Verification("", text, holds_all, rows, False, tuple(verdicts), None, notes)


def _by_sql(df: DataFrame, policy: Policy) -> list[tuple[int, str, Optional[bool], Optional[int]]]:
    name = "cordon_" + uuid.uuid4().hex
    df.createOrReplaceTempView(name)
    try:
        found = df.sparkSession.sql(_core.verify_sql(policy._policy, "spark", name)).collect()
    finally:
        df.sparkSession.catalog.dropTempView(name)
    return [tuple(row) for row in found]


def _by_definition(df: DataFrame, model: Mapping[str, Any], described: Described) -> int:
    """The number of groups that fail. A group is a list of the numbers of its values and how many rows have each."""
    if model["model"] not in _BY_DEFINITION:
        raise InvalidPolicy(f"{model['model']} as the policy asks for it cannot be verified by Spark")
    column = model["sensitive"]
    place = F.col(quoted(column))
    texts = [(row[0], row[1]) for row in df.groupBy(place).count().collect()]
    ranks = ranks_of([text for text, _ in texts], column, _without_hierarchy(described, column), {})
    absent = next((ranks.of[t] for t in ranks.of if t is None or t in described.missing), None)
    axis = models.Axis(ranks.size, absent)
    whole = [0] * axis.size
    for text, rows in texts:
        whole[ranks.of[text]] += rows
    keys = [f"q{i}" for i in range(len(described.of_role("quasi")))]
    named = df.select([F.col(quoted(name)).alias(key) for name, key in zip(described.of_role("quasi"), keys)] + [place.alias("v")])
    counted = named.groupBy(*keys, "v").agg(F.count(F.lit(1)).alias("n"))
    histograms = counted.groupBy(*keys).agg(F.collect_list(F.struct("v", "n")).alias("h"))
    packed, find = pickle.dumps((dict(model), whole, axis, ranks.of)), finder()

    def judge(batches):  # type: ignore[no-untyped-def]
        find()
        from pycordon.spark import verification

        yield from verification.judged(packed, batches)

    failing = histograms.select("h").mapInArrow(judge, "failing long").agg(F.sum("failing")).collect()[0][0]
    return int(failing or 0)


def _without_hierarchy(described: Described, column: str) -> Described:
    keys = {key: value for key, value in described.columns[column].items() if key != "hierarchy"}
    return replace(described, columns={**described.columns, column: keys})


def judged(packed: bytes, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    model, whole, axis, number_of = pickle.loads(packed)
    column = model["sensitive"]
    for batch in batches:
        failing = 0
        for histogram in batch.column(0).to_pylist():
            counts = [0] * axis.size
            for entry in histogram:
                counts[number_of[entry["v"]]] += entry["n"]
            failing += not models.holds(model, {column: counts}, {column: whole}, sum(counts), {column: axis})
        yield pyarrow.record_batch([pyarrow.array([failing], pyarrow.int64())], names=["failing"])
