# SPDX-License-Identifier: Apache-2.0
"""A Spark table bound to a policy: one pass counts the values of every column, a second one the combinations.

Columns are renamed c0, c1, ... at once, so names with hyphens, dots or backticks reach no expression.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
import pyarrow
import pyarrow.compute
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import InvalidData, InvalidPolicy, Unsatisfiable
from ..frames import Table
from ..policy import Policy
from ..requests import anonymize
from . import models
from .described import Described
from .plan import Box, Ranks, Summary, Trial, paths_of_file, ranks_of

_SIMPLE = (T.StringType, T.IntegralType, T.FloatType, T.DoubleType, T.DecimalType, T.BooleanType, T.DateType, T.TimestampType,
           T.TimestampNTZType)  # fmt: skip
MOST_VALUES = 4_000_000  # of a column: they are counted on the driver
MOST_COMBINATIONS = 4_000_000
_CHANGED = "the table changed while it was read: a value was not there before"


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@dataclass
class Values:
    """The values of a column as Spark has them, the texts that the engine makes of them, and how many rows have each."""

    table: pyarrow.Table  # value, rows
    texts: list[Optional[str]]
    rows: list[int]


class Bound:
    """The rows of a table without identifiers, and what was counted of them."""

    def __init__(self, df: DataFrame, described: Described) -> None:
        self.described = described
        self.columns = described.published
        self.protected = described.of_role("quasi", "sensitive")
        self.quasi = described.of_role("quasi")
        self.sensitive = sorted({name for model in described.privacy for name in models.sensitive_in(model)})
        _check_columns(df, described)
        selected = df.select([df[quoted(name)].alias(f"c{i}") for i, name in enumerate(self.columns)])
        self.rows, self.dropped = self._complete(selected)
        self.values = self._count_values()
        self.num_rows = sum(next(iter(self.values.values())).rows) if self.values else self.rows.count()
        if self.num_rows == 0:
            raise InvalidData("the table has no rows to publish")
        self._files = {name: paths_of_file(content) for name, content in described.shipped.files.items()}
        self.ranks = {name: ranks_of(self.values[name].texts, name, described, self._files) for name in self.quasi}
        self.axes = {name: self._axis(name) for name in self.sensitive}
        self.whole = {name: self._histogram(name) for name in self.sensitive}

    def _place(self, name: str) -> str:
        return f"c{self.columns.index(name)}"

    def _complete(self, rows: DataFrame) -> tuple[DataFrame, int]:
        if not self.described.drops_missing:
            return rows, 0
        kept = rows
        for name in self.protected:
            place = self._place(name)
            kept = kept.filter(F.col(place).isNotNull())
            if isinstance(rows.schema[place].dataType, T.StringType):
                kept = kept.filter(~F.col(place).isin(self.described.missing))
        return kept, rows.count() - kept.count()

    def _count_values(self) -> dict[str, Values]:
        places = [self._place(name) for name in self.protected]
        if not places:
            raise InvalidPolicy("the policy has neither a quasi nor a sensitive column")
        counted = self.rows.groupingSets([[p] for p in places], *places).agg(
            F.grouping_id().alias("set"), F.count(F.lit(1)).alias("rows")
        )
        limited = counted.limit(MOST_VALUES * len(places) + 1).toArrow()
        made = {}
        for i, (name, place) in enumerate(zip(self.protected, places)):
            ones = (1 << len(places)) - 1
            number = ones ^ (1 << (len(places) - 1 - i))  # the bits of the columns that were not grouped by
            rows = limited.filter(pyarrow.compute.equal(limited["set"], number)) if len(places) > 1 else limited
            rows = rows.select([place, "rows"]).rename_columns(["value", "rows"])
            if rows.num_rows > MOST_VALUES:
                raise InvalidData(
                    f"the column '{name}' has more than {MOST_VALUES} different values",
                    "round its numbers, or make days of its times, before you hand the table over",
                )
            texts = pyarrow.table(Table(rows.select(["value"]))).column("value").cast(pyarrow.string()).to_pylist()
            order = sorted(range(len(texts)), key=lambda at: (texts[at] is None, texts[at] or ""))
            rows = rows.take(order)
            made[name] = Values(rows, [texts[at] for at in order], rows["rows"].to_pylist())
        return made

    def _axis(self, name: str) -> models.Axis:
        """The values of a sensitive column in their order, declared ones included."""
        keys = self.described.columns[name]
        ranks = ranks_of(self.values[name].texts, name, self.described, self._files)
        texts = {text: rank for text, rank in ranks.of.items() if text is not None}
        missing = next((ranks.of[t] for t in ranks.of if t is None or t in self.described.missing), None)
        if "values" in keys and self.described.type_of(name) != "categorical":
            declared = [str(value) for value in keys["values"]]
            all_ranks = ranks_of([*declared, *self.values[name].texts], name, self.described, self._files)
            return models.Axis(all_ranks.size, _rank_of_missing(all_ranks, self.described), _texts(all_ranks))
        edges, height = self._edges(name, ranks) if isinstance(keys.get("hierarchy"), str) else ((), 0)
        return models.Axis(ranks.size, missing, texts, edges, height)

    def _edges(self, name: str, ranks: Ranks) -> tuple[Sequence[tuple[Sequence[int], int]], int]:
        """The steps of the hierarchy above each node, one per level. If labels repeat along a path, the plan is less exact."""
        paths = self._files[self.described.columns[name]["hierarchy"]]
        below: dict[tuple[str, ...], set[int]] = {}
        height = max(len(path) for path in paths.values())
        for text, rank in ranks.of.items():
            path = [text, *paths.get(text or "", [])] if text in paths else None
            if path is None:  # missing: a leaf under the root
                below.setdefault((f"missing {rank}",) * height, set()).add(rank)
                continue
            for level in range(len(path) - 1):
                below.setdefault(tuple(path[level:]), set()).add(rank)
        edges: list[tuple[list[int], int]] = []
        for node, values in below.items():
            edges.append((sorted(values), height if node[0].startswith("missing ") else 1))
        return edges, height

    def numbers(self, name: str) -> list[int]:
        """Of each value of a sensitive column: its number on the axis."""
        axis = self.axes[name]
        return [axis.missing if t is None else axis.numbers[t] for t in self.values[name].texts]  # type: ignore[misc]

    def _histogram(self, name: str) -> list[int]:
        counts = [0] * self.axes[name].size
        for number, rows in zip(self.numbers(name), self.values[name].rows):
            counts[number] += rows
        return counts

    def _with_numbers(self, rows: DataFrame, name: str, numbers: Sequence[int], column: str) -> DataFrame:
        """The rows with the number of their value, by a join that is sent to every executor."""
        values = self.values[name].table.column("value")
        place = self._place(name)
        kind = self.rows.schema[place].dataType
        table = pyarrow.table({"value": values, "number": pyarrow.array(numbers, pyarrow.int32())})
        schema = T.StructType([T.StructField("value", kind), T.StructField("number", T.IntegerType())])
        small = rows.sparkSession.createDataFrame(table, schema).withColumnsRenamed({"value": f"v_{column}", "number": column})
        joined = rows.join(F.broadcast(small), F.col(place).eqNullSafe(F.col(f"v_{column}")), "left").drop(f"v_{column}")
        known = F.when(F.col(column).isNull(), F.raise_error(F.lit(_CHANGED)).cast("int")).otherwise(F.col(column))
        return joined.withColumn(column, known)

    def _ranked(self, rows: DataFrame) -> DataFrame:
        for i, name in enumerate(self.quasi):
            of = self.ranks[name].of
            rows = self._with_numbers(rows, name, [of[text] for text in self.values[name].texts], f"r{i}")
        return rows

    def _valued(self, rows: DataFrame) -> DataFrame:
        for i, name in enumerate(self.sensitive):
            rows = self._with_numbers(rows, name, self.numbers(name), f"s{i}")
        return rows

    def summary(self) -> tuple[Summary, bool]:
        """The combinations and whether they are those of a sample only."""
        places = [f"r{i}" for i in range(len(self.quasi))] + [f"s{i}" for i in range(len(self.sensitive))]
        counted = self._valued(self._ranked(self.rows)).groupBy(*places).agg(F.count(F.lit(1)).alias("rows"))
        found = counted.limit(MOST_COMBINATIONS + 1).toArrow()
        scale = 1.0
        if sampled := found.num_rows > MOST_COMBINATIONS:
            share = MOST_COMBINATIONS / 2 / self.num_rows
            sample = self._valued(self._ranked(self.rows.sample(share, 1)))
            found = sample.groupBy(*places).agg(F.count(F.lit(1)).alias("rows")).toArrow()
            scale = self.num_rows / max(pyarrow.compute.sum(found["rows"]).as_py() or 0, 1)
        found = found.sort_by([(place, "ascending") for place in places])  # Spark gives them in any order
        quasi = [found[f"r{i}"].to_numpy() for i in range(len(self.quasi))]
        sensitive = {name: found[f"s{i}"].to_numpy() for i, name in enumerate(self.sensitive)}
        return Summary(quasi, sensitive, found["rows"].to_numpy().astype(np.float64) * scale, scale), sampled

    def trial(self, summary: Summary, most_rows: int) -> Trial:
        """The groups of a release of at most so many rows, which lie evenly in the order of the summary, made with low effort."""
        ends = np.cumsum(summary.rows / summary.scale)
        rows = max(1, min(int(round(ends[-1])), most_rows))
        places = np.searchsorted(ends, (np.arange(rows) + 0.5) * ends[-1] / rows, side="right")
        number = "number" + "_" * max(map(len, self.described.columns))  # no column has this name
        cells: dict[str, Any] = {name: pyarrow.nulls(rows, pyarrow.string()) for name in self.described.columns}
        cells |= {name: self._cells(name, summary, places) for name in self.protected}
        tables = tomllib.loads(self.described.shipped.toml)
        tables["attributes"][number] = {"role": "insensitive"}
        with tempfile.TemporaryDirectory(prefix="pycordon-") as folder:
            self.described.shipped.read(folder)
            policy = Policy.from_dict(tables, folder=folder)
        try:
            release = anonymize(pyarrow.table({**cells, number: np.arange(rows)}), policy, effort="low", order="sorted", seed=1,
                                risk=False, whole=self.whole_tables())  # fmt: skip
        except Unsatisfiable:  # so few rows do not satisfy the models: the most even cuts are taken
            return Trial(places, np.zeros(rows, dtype=np.int64))
        made = pyarrow.table(release)
        groups = np.zeros(len(made), dtype=np.int64)
        for name in self.quasi:
            codes = made[name].cast(pyarrow.string()).combine_chunks().dictionary_encode("encode").indices.to_numpy()
            groups = np.unique(groups * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
        return Trial(places[made[number].cast(pyarrow.int64()).to_numpy()], groups)

    def _cells(self, name: str, summary: Summary, places: np.ndarray) -> pyarrow.ChunkedArray:
        """Cells of a column, by places in the summary. A column that is not in it has the same cell in all rows."""
        values, taken = self.values[name], np.zeros(len(places), dtype=np.int64)
        if name in self.quasi or name in self.sensitive:
            quasi = name in self.quasi
            numbers = [self.ranks[name].of[text] for text in values.texts] if quasi else self.numbers(name)
            codes = summary.quasi[self.quasi.index(name)] if quasi else summary.sensitive[name]
            of_number = np.zeros(max(numbers) + 1, dtype=np.int64)
            of_number[numbers] = np.arange(len(numbers))
            taken = of_number[codes[places]]
        return values.table.column("value").take(taken)

    def assigned(self, box: Box) -> DataFrame:
        """The rows, each with the number of its shard."""
        used = sorted({each.column for each in _inner(box)})
        rows = self.rows
        for i in used:
            of = self.ranks[self.quasi[i]].of
            rows = self._with_numbers(rows, self.quasi[i], [of[t] for t in self.values[self.quasi[i]].texts], f"r{i}")
        return rows.withColumn("shard", _shard(box)).select(*self.rows.columns, "shard")

    def counts_by_shard(self, box: Box) -> dict[int, tuple[int, dict[str, list[int]]]]:
        """By shard: its rows, and by sensitive column the rows of each value. Exact."""
        rows = self._valued(self.assigned(box))
        places = [f"s{i}" for i in range(len(self.sensitive))]
        made: dict[int, tuple[int, dict[str, list[int]]]] = {}
        for shard, n in rows.groupBy("shard").count().collect():
            made[shard] = (n, {name: [0] * self.axes[name].size for name in self.sensitive})
        for name, place in zip(self.sensitive, places):
            for shard, number, n in rows.groupBy("shard", place).count().collect():
                made[shard][1][name][number] = n
        return made

    def whole_tables(self) -> list[pyarrow.Table]:
        return [self.values[name].table.rename_columns([name, "rows"]) for name in self.protected]


def _texts(ranks: Ranks) -> dict[str, int]:
    return {text: rank for text, rank in ranks.of.items() if text is not None}


def _rank_of_missing(ranks: Ranks, described: Described) -> Optional[int]:
    return next((ranks.of[t] for t in ranks.of if t is None or t in described.missing), None)


def _inner(box: Box) -> list[Box]:
    return [] if box.left is None or box.right is None else [box, *_inner(box.left), *_inner(box.right)]


def _shard(box: Box) -> Any:
    if box.left is None or box.right is None:
        return F.lit(box.number)
    return F.when(F.col(f"r{box.column}") <= box.cut, _shard(box.left)).otherwise(_shard(box.right))


def _check_columns(df: DataFrame, described: Described) -> None:
    names = df.columns
    for name in names:
        if names.count(name) > 1:
            raise InvalidData(f"two columns are called '{name}'", "give every column a different name")
    only_data = [name for name in names if name not in described.columns]
    only_policy = [name for name in described.columns if name not in names]
    if only_data or only_policy:
        what = [f"the data has {_list(only_data)}, which the policy does not describe"] if only_data else []
        what += [f"the policy describes {_list(only_policy)}, which the data does not have"] if only_policy else []
        raise InvalidPolicy("; ".join(what), "every column needs a role; role = \"identifier\" leaves it out")
    for name in described.published:
        if not isinstance(df.schema[name].dataType, _SIMPLE):
            raise InvalidData(f"the column '{name}' is of type {df.schema[name].dataType.simpleString()}",
                              "make it a text, a number, a date or a time, or an identifier")  # fmt: skip


def _list(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
