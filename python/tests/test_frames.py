# SPDX-License-Identifier: Apache-2.0
"""Tables of every library and type come in as the texts that a Parquet file of them gives, and go out again."""
import datetime
import decimal
import threading

import duckdb
import nanoarrow
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from conftest import as_duckdb, patients, rows_of

import pycordon

INTS = [pyarrow.int8(), pyarrow.int16(), pyarrow.int32(), pyarrow.int64()]
UINTS = [pyarrow.uint8(), pyarrow.uint16(), pyarrow.uint32(), pyarrow.uint64()]
DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime(2024, 2, 29, 10, 15, 30, 120000)

# Type, two cells, their texts. The texts are DuckDB's casts to VARCHAR: what the same column of a Parquet file gives.
TYPES = [
    *[(kind, [1, -7], ["1", "-7"]) for kind in INTS],
    *[(kind, [1, 200], ["1", "200"]) for kind in UINTS],
    (pyarrow.float32(), [1.0, -0.5], ["1.0", "-0.5"]),
    (pyarrow.float64(), [1.0, 2.25], ["1.0", "2.25"]),
    (pyarrow.bool_(), [True, False], ["true", "false"]),
    (pyarrow.string(), ["flu", "ü"], ["flu", "ü"]),
    (pyarrow.large_string(), ["flu", ""], ["flu", ""]),
    (pyarrow.string_view(), ["flu", "a text that is longer than twelve bytes"], None),
    (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), ["flu", "cold"], ["flu", "cold"]),
    (pyarrow.dictionary(pyarrow.uint32(), pyarrow.large_string()), ["flu", "cold"], ["flu", "cold"]),
    (pyarrow.date32(), [DAY, DAY], ["2024-02-29", "2024-02-29"]),
    (pyarrow.date64(), [DAY, DAY], ["2024-02-29", "2024-02-29"]),
    (pyarrow.timestamp("us"), [MOMENT, MOMENT], ["2024-02-29 10:15:30.12"] * 2),
    (pyarrow.timestamp("ms"), [MOMENT, MOMENT], ["2024-02-29 10:15:30.12"] * 2),
    (pyarrow.timestamp("s"), [MOMENT.replace(microsecond=0)] * 2, ["2024-02-29 10:15:30"] * 2),
    (pyarrow.timestamp("us", "UTC"), [MOMENT, MOMENT], ["2024-02-29 10:15:30.12+00"] * 2),
    (pyarrow.decimal128(9, 2), [decimal.Decimal("1.50"), decimal.Decimal("-3.25")], ["1.50", "-3.25"]),
    (pyarrow.decimal128(38, 0), [decimal.Decimal(10**30), decimal.Decimal(2)], [str(10**30), "2"]),
    (pyarrow.time64("us"), [datetime.time(10, 15), datetime.time(0, 0, 1)], ["10:15:00", "00:00:01"]),
]


@pytest.mark.parametrize("kind,cells,texts", TYPES, ids=[str(kind) for kind, _, _ in TYPES])
def test_every_type_becomes_the_text_it_has_in_a_file(kind, cells, texts):
    table = pyarrow.table({"a": pyarrow.array([*cells, None], kind)})
    assert rows_of(pycordon.Table(table)) == {"a": [*(texts or cells), None]}


@pytest.mark.parametrize("kind,cells", [(kind, cells) for kind, cells, _ in TYPES], ids=[str(kind) for kind, _, _ in TYPES])
def test_a_parquet_file_of_the_type_gives_the_same(kind, cells, tmp_path):
    table = pyarrow.table({"a": pyarrow.array([*cells, None], kind)})
    try:
        pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    except pyarrow.ArrowNotImplementedError:  # string views of older pyarrow
        table = pyarrow.table({"a": pyarrow.array([*cells, None], pyarrow.string())})
        pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    assert rows_of(pycordon.Table(tmp_path / "a.parquet")) == rows_of(pycordon.Table(table))


def test_every_library_gives_the_same_table(library):
    assert rows_of(pycordon.Table(library(patients()))) == {
        name: [str(cell) for cell in cells] for name, cells in patients().items()
    }


def test_nulls(library):
    table = pycordon.Table(library({"a": ["x", None, "y"], "b": ["1", "2", None]}))
    assert rows_of(table) == {"a": ["x", None, "y"], "b": ["1", "2", None]}


def test_whole_numbers_with_nulls():
    cells = {"a": [1, None, 3]}
    assert rows_of(pycordon.Table(polars.DataFrame(cells))) == {"a": ["1", None, "3"]}
    assert rows_of(pycordon.Table(pyarrow.table(cells))) == {"a": ["1", None, "3"]}
    assert rows_of(pycordon.Table(pandas.DataFrame(cells, dtype="Int64"))) == {"a": ["1", None, "3"]}
    # pandas without a nullable type has made floating-point numbers of them before cordon sees them.
    assert rows_of(pycordon.Table(pandas.DataFrame(cells))) == {"a": ["1.0", None, "3.0"]}


def test_slices():
    table = pyarrow.table({"a": list(range(20)), "b": [str(i) if i % 3 else None for i in range(20)]})
    assert rows_of(pycordon.Table(table.slice(7, 5))) == {
        "a": [str(i) for i in range(7, 12)],
        "b": [str(i) if i % 3 else None for i in range(7, 12)],
    }
    frame = polars.DataFrame({"a": [True, False, None, True, False, True, True, False, None, True]})
    assert rows_of(pycordon.Table(frame[3:9])) == {"a": ["true", "false", "true", "true", "false", None]}


def test_chunks_with_dictionaries_of_their_own():
    chunks = [pyarrow.array(texts, pyarrow.string()).dictionary_encode() for texts in (["a", "b"], ["c", "a", None], [])]
    table = pyarrow.table({"a": pyarrow.chunked_array(chunks)})
    assert rows_of(pycordon.Table(table)) == {"a": ["a", "b", "c", "a", None]}


def test_many_chunks():
    frame = polars.concat([polars.DataFrame({"a": [i, i]}) for i in range(200)], rechunk=False)
    assert rows_of(pycordon.Table(frame)) == {"a": [str(i) for i in range(200) for _ in range(2)]}


def test_categories_that_no_row_has_stay_outside():
    column = pandas.Categorical(["a", "b", "a"], categories=["a", "b", "rare"])
    table = pycordon.Table(pandas.DataFrame({"a": column}))
    assert pyarrow.table(table)["a"].chunk(0).dictionary.to_pylist() == ["a", "b"]


@pytest.mark.parametrize("kind", [polars.Categorical, polars.Enum(["a", "b"])])
def test_categories_of_polars(kind):
    frame = polars.DataFrame({"a": ["a", None, "b", "a"]}, schema={"a": kind})
    assert rows_of(pycordon.Table(frame)) == {"a": ["a", None, "b", "a"]}


def test_an_enum_of_duckdb():
    relation = duckdb.connect().sql("SELECT unnest(['a', 'b', 'a'])::ENUM('a', 'b', 'c') AS a, 7::HUGEINT AS b")
    assert rows_of(pycordon.Table(relation)) == {"a": ["a", "b", "a"], "b": ["7", "7", "7"]}


def test_huge_numbers():
    table = pyarrow.table({"a": pyarrow.array([2**63 - 1, -(2**63)]), "b": pyarrow.array([2**64 - 1, 0], pyarrow.uint64())})
    assert rows_of(pycordon.Table(table)) == {"a": [str(2**63 - 1), str(-(2**63))], "b": [str(2**64 - 1), "0"]}


def test_numbers_that_are_none_are_refused_by_a_numeric_column():
    policy = pycordon.PolicyBuilder().quasi("a", type="numeric").k_anonymity(2).build()
    for bad in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(pycordon.InvalidData, match="column a:"):
            pycordon.anonymize(polars.DataFrame({"a": [1.0, 2.0, bad, 1.0]}), policy)


def test_empty_frames(library, policy):
    empty = pyarrow.table({"age": pyarrow.array([], pyarrow.int64()), "zip": pyarrow.array([], pyarrow.string())})
    table = pycordon.Table(library(empty.to_pydict()) if library is not as_duckdb else empty)
    assert len(table) == 0 and table.columns == ["age", "zip"]
    with pytest.raises(pycordon.Error):
        pycordon.anonymize(table, policy)


def test_a_frame_without_columns(policy):
    for frame in (polars.DataFrame(), pandas.DataFrame(), pyarrow.table({})):
        with pytest.raises(pycordon.Error):
            pycordon.anonymize(frame, policy)


def test_row_labels_of_pandas_are_no_column():
    frame = pandas.DataFrame({"a": ["x", "y", "z"]})[lambda each: each["a"] != "y"]
    assert pycordon.Table(frame).columns == ["a"]
    assert pycordon.Table(frame.set_index(pandas.Index(["p", "q"], name="name"))).columns == ["a", "name"]


def test_a_column_of_mixed_objects_is_named_and_not_quoted():
    frame = pandas.DataFrame({"good": [1, 2, 3], "mixed": pandas.Series([1, "a secret", 2.5], dtype=object)})
    with pytest.raises(pycordon.InvalidData, match="column 'mixed'") as caught:
        pycordon.Table(frame)
    assert "secret" not in str(caught.value) and caught.value.__context__ is None
    assert "astype(str)" in caught.value.hint


def test_a_column_of_objects_in_polars_is_named():
    frame = polars.DataFrame({"good": [1, 2], "odd": polars.Series([object(), object()], dtype=polars.Object)})
    with pytest.raises(pycordon.InvalidData):
        pycordon.Table(frame)


def test_two_columns_of_one_name():
    with pytest.raises(pycordon.InvalidData, match="'a'"):
        pycordon.Table(pandas.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(pycordon.InvalidData, match="'a'"):
        pycordon.Table(pyarrow.table([[1], [2]], names=["a", "a"]))


@pytest.mark.parametrize(
    "kind,cell",
    [
        (pyarrow.list_(pyarrow.int64()), [1]),
        (pyarrow.struct([("x", pyarrow.int64())]), {"x": 1}),
        (pyarrow.binary(), b"\xff"),
        (pyarrow.duration("s"), datetime.timedelta(1)),
    ],
    ids=str,
)
def test_types_that_are_no_cells_are_refused_by_the_name_of_their_column(kind, cell):
    table = pyarrow.table({"good": [1], "odd": pyarrow.array([cell], kind)})
    with pytest.raises(pycordon.InvalidData, match="column odd:"):
        pycordon.Table(table)


def test_what_is_no_table():
    with pytest.raises(TypeError, match="collect"):
        pycordon.Table(polars.LazyFrame({"a": [1]}))
    for bad in (None, 7, [1, 2], {"a": [1]}, numpy.zeros(3)):
        with pytest.raises(TypeError):
            pycordon.Table(bad)

    class Liar:
        def __arrow_c_stream__(self, requested_schema=None):
            return "no capsule"

    with pytest.raises(Exception, match="PyCapsule|capsule"):
        pycordon.Table(Liar())


def test_a_stream_is_read_once():
    reader = pyarrow.table({"a": [1, 2]}).to_reader()
    assert len(pycordon.Table(reader)) == 2
    assert len(pycordon.Table(reader)) == 0  # pyarrow says that nothing is left
    stream = nanoarrow.ArrayStream(pyarrow.table({"a": [1, 2]}))
    pycordon.Table(stream)
    with pytest.raises(pycordon.Error):
        pycordon.Table(stream)


def test_a_producer_that_fails_midway():
    schema = pyarrow.schema([("a", pyarrow.int64())])

    def batches():
        yield pyarrow.record_batch([pyarrow.array([1])], schema=schema)
        raise RuntimeError("a secret cell")

    with pytest.raises(pycordon.Error) as caught:
        pycordon.Table(pyarrow.RecordBatchReader.from_batches(schema, batches()))
    assert "secret" not in str(caught.value)


def test_a_producer_in_python_runs_while_the_engine_reads():
    schema = pyarrow.schema([("a", pyarrow.int64())])
    made = (pyarrow.record_batch([pyarrow.array([i] * 100)], schema=schema) for i in range(50))
    assert len(pycordon.Table(pyarrow.RecordBatchReader.from_batches(schema, made))) == 5000


def test_a_frame_that_changes_during_the_call_breaks_nothing():
    column = numpy.zeros(400_000, dtype=numpy.int64)
    frame = pandas.DataFrame({"a": column}, copy=False)
    stop = threading.Event()

    def change():
        while not stop.is_set():
            column[:] = numpy.random.randint(0, 1000, len(column))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(5):
            checked = pycordon.check(frame, quasi="a")
            assert checked.rows == 400_000 and checked.k >= 1
    finally:
        stop.set()
        thread.join()


def test_releases_go_out_to_every_library(frame, policy):
    release = pycordon.anonymize(frame, policy, seed=1)
    expected = rows_of(release)
    assert release.to_polars().to_dict(as_series=False) == expected
    assert {name: list(column) for name, column in release.to_pandas().items()} == expected
    assert release.to_pyarrow().to_pydict() == expected
    assert nanoarrow.ArrayStream(release).read_all().to_pylist()[0]["age"] == expected["age"][0]
    assert duckdb.connect().sql("SELECT count(*) FROM release").fetchall() == [(300,)]
    assert release.columns == ["age", "zip", "disease"] and len(release) == 300


def test_a_table_may_be_read_many_times_and_after_its_owner_is_gone(frame):
    stream = pycordon.Table(frame).__arrow_c_stream__()
    table = pycordon.Table(frame)
    first, second = pyarrow.table(table), pyarrow.table(table)
    del table
    assert first == second
    del stream  # never read
