# SPDX-License-Identifier: Apache-2.0
"""pycordon.spark on a real Spark of one process."""

import hashlib
import os
import random
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from pyspark.sql import functions as F
from support import columns, digests, k_and_l, people

import pycordon
import pycordon.spark
from pycordon.spark import release as release_module
from pycordon.spark import shard, staging as staging_module, tables
from pycordon.spark.plan import Box

KEY = bytes(range(32))


def anonymize(df, policy, staging, **more):
    return pycordon.spark.anonymize(df, policy, staging=staging, **{"shards": 4, "least_rows": 200, "key": KEY, **more})


def collected(path):
    return pyarrow.parquet.read_table(path)


def holds(path, policy, original):
    """By the verifier in C++, on the files that were committed."""
    return bool(pycordon.verify(collected(path), policy, original=original))


def staged_in(staging):
    return [each for each in Path(staging).iterdir()] if Path(staging).exists() else []


def test_a_release_becomes_visible_by_commit(spark, staging, tmp_path):
    table, policy, target = people(), k_and_l(), str(tmp_path / "release")
    release = anonymize(spark.createDataFrame(table), policy, staging)
    assert release.shards == 4
    assert release.rows == table.num_rows
    assert not os.path.exists(target)
    release.commit(target, record=tmp_path / "record.json")
    assert holds(target, policy, table)
    assert staged_in(staging) == []
    assert (tmp_path / "record.json").stat().st_mode & 0o777 == 0o600
    assert pycordon.spark.read(spark, target).count() == table.num_rows
    for each in release.manifest["output"]["files"]:
        assert hashlib.sha256(Path(target, each["name"]).read_bytes()).hexdigest() == each["sha256"]
    manifest = Path(target, "_manifest.json").read_text()
    assert KEY.hex() not in manifest and "shard" not in manifest
    with pytest.raises(pycordon.InputOutputError):
        anonymize(spark.createDataFrame(table), policy, staging).commit(target)


@pytest.mark.parametrize(
    "models",
    [
        [("t-closeness", {"sensitive": "disease", "t": "2/5"})],
        [("beta-likeness", {"sensitive": "disease", "beta": 2})],
        [("delta-disclosure", {"sensitive": "disease", "delta": 2})],
        [("l-diversity", {"sensitive": "disease", "l": "3/2", "kind": "entropy"})],
        [("alpha-k", {"sensitive": "disease", "value": "none", "alpha": "9/10", "k": 4})],
        [("confidence", {"on": ["age"], "values": {"disease": ["angina"]}, "h": "2/5"}), ("k-anonymity", {"k": 4})],
    ],
    ids=lambda models: models[0][0],
)
def test_every_model_holds_for_the_union(spark, staging, tmp_path, models):
    builder = columns()
    for name, keys in models:
        builder.model(name, **keys)
    if models[0][0] == "confidence":
        builder.l_diversity("disease", 2)
    policy, table = builder.build(), people(2000)
    release = anonymize(spark.createDataFrame(table), policy, staging, least_rows=100)
    assert release.shards > 1
    release.commit(str(tmp_path / "release"))
    assert holds(tmp_path / "release", policy, table)


def test_the_same_key_gives_the_same_bytes_and_another_one_another_order(spark, staging):
    df, policy = spark.createDataFrame(people()), k_and_l()
    first = anonymize(df, policy, staging)
    again = anonymize(df.repartition(7, "disease"), policy, staging)
    assert digests(first) == digests(again)
    other = anonymize(df, policy, staging, key=bytes(32))
    assert digests(first) != digests(other)
    assert sorted(map(str, first.to_spark().collect())) == sorted(map(str, other.to_spark().collect()))


def test_rows_of_a_shard_are_not_together(spark, staging):
    release = anonymize(spark.createDataFrame(people()), k_and_l(), staging)
    ages = [row["age"] for row in release.to_spark().collect()]
    runs = sum(a != b for a, b in zip(ages, ages[1:]))
    assert runs > len(ages) / 2


def test_a_killed_task_gives_the_same_bytes(spark, staging, monkeypatch, tmp_path):
    df, policy = spark.createDataFrame(people()), k_and_l()
    expected = digests(anonymize(df, policy, staging))
    real, mark = shard.task, str(tmp_path / "killed")

    def killed_once(work):
        inner = real(work)

        def task(key, batches):
            import os
            import signal

            from pyspark import TaskContext

            if TaskContext.get().attemptNumber() == 0:
                for batch in inner(key, batches):
                    open(mark, "w").close()
                    os.kill(os.getpid(), signal.SIGKILL)  # after the engine, in the middle of its rows
            yield from inner(key, batches)

        task.__annotations__ = inner.__annotations__
        return task

    monkeypatch.setattr(shard, "task", killed_once)
    assert digests(anonymize(df, policy, staging)) == expected
    assert os.path.exists(mark)


def test_a_failing_shard_fails_the_run_and_leaves_nothing(spark, staging, tmp_path):
    (tmp_path / "job.csv").write_text("clerk;office;*\nnurse;care;*\ndriver;road;*\ncook;kitchen;*\n")
    policy = columns_with_jobs(tmp_path)
    table = people()
    jobs = table["the.job"].to_pylist()
    oldest = max(range(len(jobs)), key=lambda i: table["age"][i].as_py())
    jobs[oldest] = "a job that nobody has"
    df = spark.createDataFrame(table.set_column(2, "the.job", [jobs]))
    with pytest.raises(pycordon.InvalidData) as refused:
        anonymize(df, policy, staging)
    assert "the.job" in str(refused.value)
    assert "nobody has" not in str(refused.value)
    assert staged_in(staging) == []


def columns_with_jobs(folder, **more):
    builder = pycordon.PolicyBuilder().quasi("age", type="numeric").quasi("zip-code", hierarchy={"prefix": 5})
    builder.quasi("the.job", hierarchy="job.csv", **more).sensitive("disease")
    return builder.k_anonymity(5).l_diversity("disease", 2).build(folder=folder)


def test_a_category_that_the_hierarchy_lacks_can_have_a_leaf(spark, staging, tmp_path):
    (tmp_path / "job.csv").write_text("clerk;office;*\nnurse;care;*\ndriver;road;*\ncook;kitchen;*\n")
    table = people()
    jobs = ["pilot" if i % 100 == 0 else job for i, job in enumerate(table["the.job"].to_pylist())]
    table = table.set_column(2, "the.job", [jobs])
    policy = columns_with_jobs(tmp_path, other="other")
    release = anonymize(spark.createDataFrame(table), policy, staging)
    release.commit(str(tmp_path / "release"))
    assert holds(tmp_path / "release", policy, table)
    assert "pilot" not in set(collected(tmp_path / "release")["the.job"].to_pylist())


def test_missing_cells(spark, staging, tmp_path):
    table, policy = people(missing=True), k_and_l()
    release = anonymize(spark.createDataFrame(table), policy, staging)
    assert release.shards > 1
    release.commit(str(tmp_path / "leaf"))
    assert holds(tmp_path / "leaf", policy, table)
    drop = columns().set("data", on_missing="drop").k_anonymity(5).l_diversity("disease", 2).build()
    dropped = anonymize(spark.createDataFrame(table), drop, staging)
    complete = sum(a is not None and d is not None for a, d in zip(table["age"].to_pylist(), table["disease"].to_pylist()))
    assert (dropped.rows, dropped.dropped) == (complete, table.num_rows - complete)


def test_half_of_all_rows_are_equal(spark, staging, tmp_path):
    table = people(2000)
    same = pyarrow.table({"age": [40] * 2000, "zip-code": ["53711"] * 2000, "the.job": ["cook"] * 2000,
                          "disease": ["flu", "gout"] * 1000})  # fmt: skip
    table, policy = pyarrow.concat_tables([table, same]), k_and_l()
    release = anonymize(spark.createDataFrame(table), policy, staging, shards=8)
    release.commit(str(tmp_path / "release"))
    assert holds(tmp_path / "release", policy, table)
    exact = [row for row in collected(tmp_path / "release").to_pylist() if row["age"] == "40" and row["zip-code"] == "53711"]
    assert len(exact) >= 1990, "equal rows are a group of their own, but for a few that complete other groups"


def test_typed_columns_are_read_as_everywhere(spark, staging, tmp_path):
    import datetime
    import decimal

    draw = random.Random(3)
    table = pyarrow.table({
        "born": [datetime.date(1950, 1, 1) + datetime.timedelta(days=draw.randrange(20000)) for _ in range(1000)],
        "weight": [decimal.Decimal(draw.randrange(400, 1200)) / 10 for _ in range(1000)],
        "height": [draw.randrange(150, 200) + 0.5 for _ in range(1000)],
        "smokes": [draw.random() < 0.3 for _ in range(1000)],
        "note": [f"n{i}" for i in range(1000)],
        "name": [f"person {i}" for i in range(1000)],
        "disease": [draw.choice([1, 2, 3]) for _ in range(1000)],
    })  # fmt: skip
    policy = (
        pycordon.PolicyBuilder().quasi("born", type="date").quasi("weight", type="numeric").quasi("height", type="numeric")
        .quasi("smokes").column("note", "insensitive").identifier("name").sensitive("disease", type="numeric")
        .k_anonymity(5).t_closeness("disease", "2/5").build()
    )  # fmt: skip
    release = anonymize(spark.createDataFrame(table), policy, staging, shards=2, least_rows=100)
    assert release.shards == 2
    release.commit(str(tmp_path / "release"))
    made = collected(tmp_path / "release")
    assert holds(tmp_path / "release", policy, table)
    assert sorted(made["note"].to_pylist()) == sorted(table["note"].to_pylist())
    assert "name" not in made.column_names


def test_cuts_of_a_sample_are_held_against_all_rows(spark, staging, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MOST_COMBINATIONS", 200)
    table, policy = people(), k_and_l()
    release = anonymize(spark.createDataFrame(table), policy, staging)
    release.commit(str(tmp_path / "release"))
    assert holds(tmp_path / "release", policy, table)


def test_an_empty_shard_is_joined_with_its_sibling(spark):
    policy = k_and_l()
    bound = tables.Bound(spark.createDataFrame(people(500)), release_module.Described.of(policy))
    ages = bound.ranks["age"].size
    empty = Box(column=0, cut=ages + 5, left=Box(), right=Box()).numbered()  # no age is above
    assert sorted(bound.counts_by_shard(empty)) == [0]
    assert len(release_module._checked(bound, empty).leaves()) == 1
    both = Box(column=0, cut=ages // 2, left=Box(), right=Box()).numbered()
    assert len(release_module._checked(bound, both).leaves()) == 2


def test_an_empty_shard_publishes_nothing_and_breaks_nothing(spark, staging, monkeypatch, tmp_path):
    table, policy = people(500), k_and_l()

    def with_empty_shards(bound, shards, least_rows):
        ages = bound.ranks["age"].size
        return Box(0, ages + 5, Box(0, ages // 2, Box(), Box()), Box(1, 3, Box(), Box())).numbered()

    monkeypatch.setattr(release_module, "_plan", with_empty_shards)
    release = anonymize(spark.createDataFrame(table), policy, staging)
    assert (release.shards, release.rows) == (4, 500)
    release.commit(str(tmp_path / "release"))
    assert holds(tmp_path / "release", policy, table)


def test_every_shard_is_a_task_of_its_own(spark, staging, monkeypatch, tmp_path):
    real, folder = shard.task, str(tmp_path)

    def noting(work):
        inner = real(work)

        def task(key, batches):
            from pyspark import TaskContext

            open(f"{folder}/shard-{key[0].as_py()}-{TaskContext.get().partitionId()}", "w").close()
            yield from inner(key, batches)

        task.__annotations__ = inner.__annotations__
        return task

    monkeypatch.setattr(shard, "task", noting)
    anonymize(spark.createDataFrame(people()), k_and_l(), staging)
    places = [path.name.split("-")[1:] for path in tmp_path.glob("shard-*")]
    assert sorted(number for number, _ in places) == ["0", "1", "2", "3"]
    assert len({task for _, task in places}) == 4


def test_no_error_holds_a_cell(spark, staging):
    df = spark.createDataFrame(people(500))
    wrong = df.withColumn("age", F.concat(F.lit("secret "), F.col("age")).cast("int"))
    calls = [
        lambda: anonymize(wrong, k_and_l(), staging),
        lambda: pycordon.spark.verify(wrong, k_and_l()),
        lambda: pycordon.spark.evaluate(wrong, df, k_and_l()),
        lambda: pycordon.spark.check(wrong, quasi=["age"]),
    ]
    for call in calls:
        with pytest.raises(pycordon.InputOutputError) as refused:
            call()
        assert "secret" not in str(refused.value)
        assert refused.value.__cause__ is None and refused.value.__context__ is None


def test_a_broken_release_is_refused_and_never_visible(spark, staging, monkeypatch, tmp_path):
    df = spark.createDataFrame(people())

    def original_rows(bound, box, work, staged):
        texts = [F.col(f"c{i}").cast("string").alias(name) for i, name in enumerate(work.columns)]
        bound.rows.select(texts).write.parquet(staged)

    monkeypatch.setattr(release_module, "_stage", original_rows)
    with pytest.raises(pycordon.Unsatisfiable) as refused:
        anonymize(df, k_and_l(), staging)
    assert "k-anonymity(k=5)" in str(refused.value)
    assert staged_in(staging) == []
    monkeypatch.undo()
    real = release_module._stage

    def one_row_less(bound, box, work, staged):
        real(bound, box, work, staged + "-first")
        rows = spark.read.parquet(staged + "-first")
        rows.limit(rows.count() - 1).write.parquet(staged)

    monkeypatch.setattr(release_module, "_stage", one_row_less)
    with pytest.raises(pycordon.Error):
        anonymize(df, k_and_l(), staging)
    assert [each for each in staged_in(staging) if not each.name.endswith("-first")] == []


def test_files_that_change_after_the_verification_are_not_committed(spark, staging, tmp_path):
    release = anonymize(spark.createDataFrame(people()), k_and_l(), staging)
    [folder] = staged_in(staging)
    part = next(folder.glob("*.parquet"))
    verified = part.read_bytes()
    flipped = verified[:100] + bytes([verified[100] ^ 1]) + verified[101:]  # as many bytes

    def refused(kind):
        with pytest.raises(kind):
            release.commit(str(tmp_path / "release"), record=tmp_path / "record.json")
        assert not (tmp_path / "release").exists()
        assert not (tmp_path / "record.json").exists()

    part.write_bytes(flipped)
    refused(pycordon.InputOutputError)  # Hadoop's checksum next to the file
    (folder / f".{part.name}.crc").unlink()
    refused(pycordon.InvalidData)
    part.write_bytes(verified[:-1])
    refused(pycordon.InvalidData)
    part.write_bytes(verified)
    (folder / "more.parquet").write_bytes(verified)
    refused(pycordon.InvalidData)
    (folder / "more.parquet").unlink()
    release.commit(str(tmp_path / "release"), record=tmp_path / "record.json")
    assert pycordon.spark.read(spark, str(tmp_path / "release")).count() == 3000


def test_a_release_can_be_discarded(spark, staging, tmp_path):
    release = anonymize(spark.createDataFrame(people(500)), k_and_l(), staging)
    (tmp_path / "record.json").write_text("another run's")
    with pytest.raises(pycordon.InputOutputError):
        release.commit(str(tmp_path / "release"), record=tmp_path / "record.json")
    assert (tmp_path / "record.json").read_text() == "another run's"
    release.discard()
    assert staged_in(staging) == []


def test_a_store_without_rename_gets_the_manifest_last(spark, staging, tmp_path, monkeypatch):
    monkeypatch.setattr(staging_module, "_ATOMIC", ())
    table, policy, target = people(), k_and_l(), tmp_path / "release"
    release = anonymize(spark.createDataFrame(table), policy, staging)
    release.commit(str(target))
    assert holds(target, policy, table)
    (target / "_manifest.json").unlink()
    with pytest.raises(pycordon.InvalidData):
        pycordon.spark.read(spark, str(target))


def test_what_has_no_release_says_so(spark, staging):
    df = spark.createDataFrame(people(300))
    with pytest.raises(pycordon.Unsatisfiable):
        anonymize(df, columns().k_anonymity(5).l_diversity("disease", 5).build(), staging)
    with pytest.raises(pycordon.Unsatisfiable):
        anonymize(df, columns().k_anonymity(301).l_diversity("disease", 2).build(), staging)


def test_what_is_refused(spark, staging):
    df = spark.createDataFrame(people(300))
    refused = {
        "person": pycordon.PolicyBuilder().person("age").quasi("zip-code").quasi("the.job").sensitive("disease")
        .k_anonymity(5).l_diversity("disease", 2),
        "ke-anonymity": pycordon.PolicyBuilder().quasi("age").quasi("zip-code").quasi("the.job")
        .sensitive("disease", type="numeric").model("ke-anonymity", sensitive="disease", k=2, e=1),
        "full-domain": columns().k_anonymity(5).l_diversity("disease", 2).set("algorithm", name="full-domain"),
        "suppression_limit": columns().k_anonymity(5).t_closeness("disease", "1/2").set("algorithm", suppression_limit="1/20"),
        "which the data does not have": columns().quasi("more").k_anonymity(5).l_diversity("disease", 2),
    }  # fmt: skip
    for text, builder in refused.items():
        with pytest.raises(pycordon.InvalidPolicy) as error:
            anonymize(df, builder.build(), staging)
        assert text in str(error.value)
    with pytest.raises(pycordon.InvalidData):
        anonymize(df.withColumn("age", F.array("age")), k_and_l(), staging)
    with pytest.raises(pycordon.InvalidPolicy):
        anonymize(df, k_and_l(), staging, key=b"short")


def test_suppression_stays_within_the_limit(spark, staging):
    table = people(2000)
    share = 100 * table["disease"].to_pylist().count("none") // 2000
    # More rows than allowed have the value, so some must go.
    policy = columns().model("alpha-k", sensitive="disease", value="none", alpha=f"{share - 2}/100", k=5)
    policy = policy.set("algorithm", suppression_limit="1/5").build()
    release = anonymize(spark.createDataFrame(table), policy, staging)
    assert 0 < release.suppressed <= 400
    assert release.rows + release.suppressed == 2000


def test_loss_by_number_of_shards(spark, staging):
    table, policy = people(8000), k_and_l()
    df = spark.createDataFrame(table).persist()
    losses = {}
    for shards in (1, 4, 16):
        release = anonymize(df, policy, staging, shards=shards)
        assert release.shards == shards
        losses[shards] = pycordon.spark.evaluate(release.to_spark(), df, policy).information_loss
    assert losses[4] <= 1.05 * losses[1]
    assert losses[16] <= 1.05 * losses[1]


def test_loss_and_check_are_those_of_the_program(spark, staging):
    table, policy = people(1000, missing=True), k_and_l()
    df = spark.createDataFrame(table)
    release = anonymize(df, policy, staging, shards=2)
    rows = release.to_spark()
    mine = pycordon.spark.evaluate(rows, df, policy)
    theirs = pycordon.evaluate(rows.toArrow(), table, policy, risk=False)
    assert mine.information_loss == pytest.approx(theirs.information_loss, rel=1e-9)
    assert mine.loss_by_column == pytest.approx(theirs.loss_by_column, rel=1e-9)
    names = ["age", "zip-code", "the.job"]
    found = pycordon.spark.check(rows, quasi=names, sensitive="disease")
    checked = pycordon.check(rows.toArrow(), quasi=names, sensitive="disease")
    assert (found.rows, found.groups, found.k) == (checked.rows, checked.groups, int(checked.privacy[0].value))


@pytest.mark.parametrize("seed", range(4))
def test_spark_and_the_verifier_agree_on_tampered_releases(spark, seed):
    draw = random.Random(seed)
    table = people(150, seed)
    policy = (
        columns().k_anonymity(3).l_diversity("disease", 2).l_diversity("disease", "3/2", kind="entropy")
        .l_diversity("disease", 2, kind="recursive", c=3).t_closeness("disease", "1/4")
        .model("beta-likeness", sensitive="disease", beta=1).model("beta-likeness", sensitive="disease", beta=1, kind="basic")
        .model("delta-disclosure", sensitive="disease", delta="3/2")
        .model("alpha-k", sensitive="disease", value="flu", alpha="1/4", k=2)
        .model("confidence", on=["age"], values={"disease": []}, h="1/2").build()
    )  # fmt: skip
    boxes = [f"[{20 + 20 * i},{39 + 20 * i}]" for i in range(3)]
    rows = pyarrow.table({
        "age": [boxes[(a - 20) // 20 if draw.random() < 0.95 else 0] for a in table["age"].to_pylist()],
        "zip-code": [draw.choice(["537**", "537**", "5371*"]) for _ in range(150)],
        "the.job": ["*"] * 150,
        "disease": table["disease"],
    })  # fmt: skip
    mine = pycordon.spark.verify(spark.createDataFrame(rows), policy)
    theirs = pycordon.verify(rows, policy)
    assert [(v.model, v.holds, v.failing_groups) for v in mine.privacy] == [
        (v.model, v.holds, v.failing_groups) for v in theirs.privacy
    ]
    assert any(not v.holds for v in mine.privacy)
