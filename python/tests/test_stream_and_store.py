# SPDX-License-Identifier: Apache-2.0
import datetime
import threading

import polars
import pyarrow
import pytest
from conftest import rows_of

import pycordon


@pytest.fixture
def stream_policy():
    return (
        pycordon.PolicyBuilder()
        .quasi("age", type="numeric", range=[0, 120])
        .insensitive("page")
        .model("ks-anonymity", k=3)
        .set("stream", delay=10)
        .build()
    )


def batch(first, count=5):
    return polars.DataFrame({"age": [20 + 7 * i % 60 for i in range(first, first + count)], "page": [f"/{i}" for i in range(first, first + count)]})


def test_a_stream_publishes_every_row_once(stream_policy):
    stream = pycordon.Stream(stream_policy)
    pages = []
    for first in range(0, 60, 5):
        pages += rows_of(stream.push(batch(first)).rows)["page"]
    assert stream.figures.pushed == 60 and stream.figures.waiting > 0
    pages += rows_of(stream.flush().rows)["page"]
    assert stream.figures.published + stream.figures.suppressed == 60
    assert sorted(pages) == sorted(f"/{i}" for i in range(60))[: len(pages)] or len(set(pages)) == len(pages)


def test_a_snapshot_goes_on_with_the_same_rows(stream_policy):
    stream = pycordon.Stream(stream_policy, ["age", "page"], seed=5)
    stream.push(batch(0, 20))
    saved = stream.snapshot()
    rest = [rows_of(stream.push(batch(20, 20)).rows), rows_of(stream.flush().rows)]
    again = pycordon.Stream.restore(stream_policy, saved)
    assert [rows_of(again.push(batch(20, 20)).rows), rows_of(again.flush().rows)] == rest


def test_rows_that_do_not_fit_are_told(stream_policy):
    stream = pycordon.Stream(stream_policy)
    out = stream.push(pyarrow.table({"age": [30, 500], "page": ["/a", "/b"]}))
    assert [each.row for each in out.refused] == [2]
    assert "500" not in out.refused[0].reason


def test_bad_streams(stream_policy, policy):
    with pytest.raises(pycordon.InvalidPolicy, match="columns"):
        pycordon.Stream(stream_policy).snapshot()
    with pytest.raises(pycordon.Error):
        pycordon.Stream(stream_policy).push(polars.DataFrame({"age": [1]}))
    with pytest.raises(pycordon.Error):
        pycordon.Stream.restore(stream_policy, b"nonsense")
    with pytest.raises(pycordon.Error):
        pycordon.Stream(policy, ["age", "zip", "disease"])  # asks nothing of a stream
    stream = pycordon.Stream(stream_policy, ["age", "page"])
    with pytest.raises(ValueError):
        stream.advance(datetime.datetime(2024, 1, 1))
    stream.flush()
    with pytest.raises(pycordon.Error):
        stream.push(batch(0))


def test_a_stream_serves_one_thread_at_a_time(stream_policy):
    stream = pycordon.Stream(stream_policy, ["age", "page"])
    seen = []

    def push():
        for first in range(0, 400, 20):
            try:
                stream.push(batch(first, 20))
            except pycordon.InvalidPolicy as error:
                seen.append(error.message)

    threads = [threading.Thread(target=push) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in message for message in seen)
    assert stream.figures.pushed == 4 * 400 - 20 * len(seen)


@pytest.fixture
def salaries():
    return (
        pycordon.PolicyBuilder()
        .quasi("age", type="numeric")
        .sensitive("salary", type="numeric")
        .model("ke-anonymity", sensitive="salary", k=3, e=100)
        .build()
    )


def people(first, count):
    numbers = range(first, first + count)
    return polars.DataFrame({"age": [20 + i * 7 % 50 for i in numbers], "salary": [1000 + i * 61 % 997 for i in numbers]})


def test_a_store_grows_and_answers(salaries, tmp_path):
    store = pycordon.Store.create(tmp_path / "salaries", people(0, 60), salaries)
    assert store.report.rows == 60
    appended = store.append(people(60, 30))
    assert appended.rows + appended.waiting == 30
    with pytest.raises(pycordon.Error):
        store.append(people(60, 30))  # the same rows a second time tell more of their people
    answer = pycordon.Store(tmp_path / "salaries").query("SELECT COUNT(*)")
    assert "90" in str(answer)
    assert store.verify(salaries)
    with pytest.raises(pycordon.InvalidPolicy):
        store.query("SELECT nonsense")
    with pytest.raises(pycordon.Error):
        pycordon.Store(tmp_path / "none")
