# SPDX-License-Identifier: Apache-2.0
"""From a Spark table to a release in files that Spark has verified, and from there to readers."""

from __future__ import annotations

import json
import os
import secrets
import uuid
from typing import Any, Literal, Optional, Union

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .. import errors, results
from .._core import __version__
from ..policy import Policy
from ..requests import PolicyLike, policy_of, whole
from . import shard, staging, verification
from .described import Described
from .failures import told
from .plan import Box, Planner, admits, join_failing
from .staging import HadoopFiles, StagedFile
from .tables import Bound, quoted

TRIAL_ROWS = 100_000  # some 2 CPU seconds; 16 shards of fars lose .0301 by a trial of 20,000 rows, .0300 by one of all 100,937
ROWS_PER_SHARD = 1_000_000  # of shards="auto": some 300 MB in a Python worker


class SparkRelease:
    """Rows in staged files that Spark has verified. Nobody sees them as a release before `commit`."""

    def __init__(self, spark: SparkSession, staged: str, files: list[StagedFile], facts: dict[str, Any],
                 verification: results.Verification, record: dict[str, Any]) -> None:  # fmt: skip
        self._spark, self._system = spark, HadoopFiles(spark)
        self._staged, self._files, self._facts = staged, files, facts
        self.verification = verification
        self.rows: int = facts["output"]["rows"]
        self.suppressed: int = facts["suppressed"]
        self.dropped: int = record["dropped"]
        self.shards: int = record["shards"]
        self.record = record  # private: with the key the run can be repeated
        self.path: Optional[str] = None

    def to_spark(self) -> DataFrame:
        """The verified rows, read from the files."""
        return _read(self._spark, self.path or self._staged, [each.name for each in self._files])

    @property
    def manifest(self) -> dict[str, Any]:
        return json.loads(json.dumps(self._facts))

    def commit(self, path: str, *, record: Union[str, os.PathLike[str], None] = None) -> None:
        """Makes the release visible at `path`, a folder that is not there yet: its files and their manifest, or nothing.

        record: a file on this machine for the private run record, which only its owner can read.
        """
        if self.path is not None:
            raise errors.InvalidPolicy("the release was committed before")
        if record is not None:
            _write_private(record, self.record)
        try:
            told(lambda: staging.commit(self._system, self._staged, path, self._facts, self._files))
        except BaseException:
            if record is not None:
                os.unlink(record)
            raise
        self.path = path

    def discard(self) -> None:
        """Removes the staged files."""
        if self.path is None:
            self._system.delete(self._staged)

    def __repr__(self) -> str:
        where = f"committed to {self.path}" if self.path else "staged"
        return f"<pycordon.spark.SparkRelease: {self.rows} rows, {where}>\n{self.verification.text}"


def _write_private(path: Union[str, os.PathLike[str]], facts: dict[str, Any]) -> None:
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(facts, file, indent=1)
    except OSError as error:
        raise errors.InputOutputError(f"{os.fspath(path)} cannot be written: {error.strerror}", "name a new file") from None


def anonymize(
    df: DataFrame,
    policy: PolicyLike,
    *,
    staging: str,
    shards: Union[int, Literal["auto"]] = "auto",
    algorithm: Optional[str] = None,
    effort: Literal["low", "normal", "high"] = "normal",
    key: Optional[bytes] = None,
    least_rows: Optional[int] = None,
) -> SparkRelease:
    """A release of `df` that satisfies `policy`, in files below `staging`; Unsatisfiable if there is none.

    shards: at most this many; "auto": one per million rows. key: at least 16 secret bytes; they repeat a run of the same rows.
    None: the operating system's. least_rows: of a shard; None: 1,000, or 200 k if that is more. Rows are read several times:
    call `df.persist()` first if they are costly to make. They must not change in between.
    """
    spark = _classic(df)
    if key is not None and len(key) < 16:
        raise errors.InvalidPolicy("the key has fewer than 16 bytes", "leave it out, or take secrets.token_bytes(32)")
    read = policy_of(policy)
    described = Described.of(read)
    asked = None if shards == "auto" else whole("shards", shards, 1, 1 << 20)
    bound = told(lambda: Bound(df, described))
    box = told(lambda: _plan(bound, asked, least_rows))
    key = key or secrets.token_bytes(32)
    work = shard.Work(described.shipped, bound.columns, bound.whole_tables(), key, described.of_role("identifier"),
                      algorithm, effort)  # fmt: skip
    staged = f"{staging.rstrip('/')}/cordon-{uuid.uuid4().hex}"
    system = HadoopFiles(spark)
    try:
        told(lambda: _stage(bound, box, work, staged))
        return told(lambda: _verified(spark, staged, bound, box, read, key))
    except BaseException:
        system.delete(staged)
        raise


def _classic(df: DataFrame) -> SparkSession:
    if type(df).__module__.startswith("pyspark.sql.connect"):
        raise errors.InvalidPolicy(
            "a Spark Connect session has no file systems, so nothing could be committed",
            "run the job on the cluster: spark-submit, or a notebook of a classic session",
        )
    if not isinstance(df, DataFrame):
        raise TypeError(f"a table is a Spark DataFrame, not {type(df).__name__}")
    return df.sparkSession


def _plan(bound: Bound, shards: Optional[int], least_rows: Optional[int]) -> Box:
    described = bound.described
    if not described.may_suppress and not admits(described.privacy, bound.whole, bound.whole, bound.num_rows, bound.axes):
        raise errors.Unsatisfiable("no release satisfies the policy: not even all rows as one group do", "ask for less")
    shards = shards or max(1, -(-bound.num_rows // ROWS_PER_SHARD))
    if shards == 1 or not bound.quasi:
        return Box(rows=bound.num_rows).numbered()
    k = max([int(model["k"]) for model in described.privacy if "k" in model], default=1)
    summary, sampled = bound.summary()
    trial = bound.trial(summary, max(TRIAL_ROWS, 200 * k))
    planner = Planner(
        [bound.ranks[name] for name in bound.quasi], summary, trial, described.privacy, bound.axes, bound.whole,
        least_rows or max(1000, 200 * k),
    )  # fmt: skip
    box = planner.plan(shards)
    return _checked(bound, box) if sampled else box


def _checked(bound: Bound, box: Box) -> Box:
    """A sample chose the cuts. All rows decide whether each shard has a release."""
    counts, shards = bound.counts_by_shard(box), len(box.leaves())

    def holds(numbers: frozenset[int]) -> bool:
        rows = sum(counts[number][0] for number in numbers if number in counts)
        added = {name: [0] * bound.axes[name].size for name in bound.sensitive}
        for number in numbers:
            for name, values in counts[number][1].items() if number in counts else ():
                added[name] = [a + b for a, b in zip(added[name], values)]
        if len(numbers) == shards and bound.described.may_suppress:
            return True  # rows may be left out until it does
        return rows > 0 and admits(bound.described.privacy, added, bound.whole, rows, bound.axes)

    return join_failing(box, holds)


def _stage(bound: Bound, box: Box, work: shard.Work, staged: str) -> None:
    """One job: rows to shards, shards through the engine, published rows to files in an order that says nothing."""
    published = ", ".join([f"c{i} string" for i in range(len(work.columns))] + ["place long"])
    # One task per shard. Adaptive execution would put small shards into one task, to run one after the other.
    rows = bound.assigned(box).repartitionById(len(box.leaves()), "shard")
    made = rows.groupBy("shard").applyInArrow(shard.task(work), published)
    files = max(1, -(-bound.num_rows // ROWS_PER_SHARD))
    mixed = made.repartition(files, "place").sortWithinPartitions("place")
    mixed.select([F.col(f"c{i}").alias(name) for i, name in enumerate(work.columns)]).write.parquet(staged)


def _read(spark: SparkSession, folder: str, names: list[str]) -> DataFrame:
    return spark.read.parquet(*[f"{folder}/{name}" for name in names])


def _verified(spark: SparkSession, staged: str, bound: Bound, box: Box, policy: Policy, key: bytes) -> SparkRelease:
    files = HadoopFiles(spark).hashed(staged)  # before Spark judges them: commit refuses files that changed since
    if not files:
        raise errors.Unsatisfiable("no row would be published")
    rows = _read(spark, staged, [each.name for each in files])
    found = verification.verify(rows, policy, bound.described)
    if not found.holds:
        raise errors.Unsatisfiable(f"Spark refuses what the shards made: {found.text}", "this is a defect; please report it")
    _check_sensitive(rows, bound)
    suppressed = bound.num_rows - found.rows
    if suppressed < 0 or (suppressed > 0 and not bound.described.may_suppress):
        raise errors.InvalidData(f"{bound.num_rows} rows went in and {found.rows} came out",
                                 "keep the rows of the table fixed: df.persist(), or a snapshot")  # fmt: skip
    facts = _manifest(files, bound, policy, found, suppressed)
    record = {"format": 1, "tool": f"cordon {__version__}", "policy_sha256": policy.digest, "random": key.hex(),
              "shards": len(box.leaves()), "rows": bound.num_rows, "dropped": bound.dropped}  # fmt: skip
    return SparkRelease(spark, staged, files, facts, found, record)


def _check_sensitive(rows: DataFrame, bound: Bound) -> None:
    """Sensitive cells are published as they are: no value may come up more often, nor less often unless rows are suppressed."""
    for name in bound.described.of_role("sensitive"):
        if "round" in bound.described.columns[name]:
            continue
        expected: dict[str, int] = {}
        for text, n in zip(bound.values[name].texts, bound.values[name].rows):
            shown = bound.described.missing[0] if text is None or text in bound.described.missing else text
            expected[shown] = expected.get(shown, 0) + n
        for text, n in rows.groupBy(F.col(quoted(name))).count().collect():
            shown = bound.described.missing[0] if text is None else text
            expected[shown] = expected.get(shown, 0) - n
        if any(n < 0 or (n > 0 and not bound.described.may_suppress) for n in expected.values()):
            raise errors.InvalidData(f"the column '{name}' was not published as it is",
                                     "keep the rows of the table fixed: df.persist(), or a snapshot")  # fmt: skip


def _manifest(files: list[StagedFile], bound: Bound, policy: Policy, found: results.Verification, suppressed: int) -> Any:
    described = bound.described
    columns = [{"name": name, "role": described.columns[name]["role"], "type": described.type_of(name)} for name in bound.columns]
    return {
        "format": 1,
        "tool": f"cordon {__version__}",
        "policy_sha256": policy.digest,
        "output": {
            "format": "parquet",
            "rows": found.rows,
            "names": bound.columns,
            "missing": described.missing,
            "columns": columns,
            "files": [{"name": each.name, "bytes": each.bytes, "sha256": each.sha256} for each in files],
        },
        "suppressed": suppressed,
        "privacy": [{"text": verdict.model, "holds": verdict.holds} for verdict in found.privacy],
    }


def read(spark: SparkSession, path: str) -> DataFrame:
    """A release that was committed: the files of its manifest and no others."""
    manifest = staging.read_manifest(HadoopFiles(spark), path)
    return _read(spark, path.rstrip("/"), [each["name"] for each in manifest["output"]["files"]])
