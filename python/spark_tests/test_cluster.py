# SPDX-License-Identifier: Apache-2.0
"""pycordon.spark on a standalone cluster: a master and two workers on the loopback device, each a host of its own.

The workers do not have the package. It is unpacked from an archive with the layout of the wheel, as on any cluster.
"""

import os
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pyarrow.parquet
import pyspark
import pytest
from support import columns, digests, k_and_l, people, session

import pycordon
import pycordon.spark
from pycordon.spark import shard, ship

KEY = bytes(range(32))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError("the Spark master did not start")


def archive_of_package(folder):
    """What a wheel is: a zip with the package in it."""
    made = folder / "pycordon.zip"
    package = Path(pycordon.__file__).parent
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(package.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, Path("pycordon") / path.relative_to(package))
        for source in package.iterdir():  # in the build folder, parts of the package are links to folders
            if source.is_symlink() and source.is_dir():
                for path in sorted(source.resolve().rglob("*.py")):
                    archive.write(path, Path("pycordon") / source.name / path.relative_to(source.resolve()))
    return made


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    spark_class = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    port = free_port()
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment |= {"PYSPARK_PYTHON": sys.executable, "SPARK_DAEMON_MEMORY": "256m"}
    started = []

    def start(host, *words):
        with open(folder / f"{len(started)}.log", "w") as log:
            own = {**environment, "SPARK_LOCAL_IP": host}
            command = [spark_class, *words[:1], "--host", host, *words[1:]]
            started.append(subprocess.Popen(command, env=own, stdout=log, stderr=log, cwd=folder))

    master = "org.apache.spark.deploy.master.Master"
    worker = "org.apache.spark.deploy.worker.Worker"
    start("127.0.0.1", master, "--port", str(port), "--webui-port", str(free_port()))
    wait_for(port)
    for number in range(2):  # two hosts: Spark runs no second copy of a task on the host of the first
        start(f"127.0.0.{number + 1}", worker, "--cores", "1", "--memory", "1g", "--webui-port", str(free_port()),
              "--work-dir", str(folder / f"worker{number}"), f"spark://127.0.0.1:{port}")  # fmt: skip
    yield f"spark://127.0.0.1:{port}", folder
    for each in reversed(started):
        each.terminate()
    for each in started:
        each.wait(30)


@pytest.fixture(scope="session")
def spark(cluster):
    master, folder = cluster
    made = session(
        master,
        **{
            "spark.archives": f"{archive_of_package(folder)}#pycordon",
            "spark.executor.memory": "512m",
            "spark.executor.cores": "1",
            "spark.speculation": "true",
            "spark.excludeOnFailure.enabled": "false",
        },
    )
    yield made
    made.stop()


def anonymize(df, policy, staging, **more):
    return pycordon.spark.anonymize(df, policy, staging=staging, shards=4, least_rows=200, key=KEY, **more)


def test_executors_find_the_package_in_the_archive(spark, staging, tmp_path):
    table, policy = people(), k_and_l()
    release = anonymize(spark.createDataFrame(table), policy, staging)
    release.commit(str(tmp_path / "release"))
    assert release.shards == 4
    assert pycordon.verify(pyarrow.parquet.read_table(tmp_path / "release"), policy, original=table)
    find = ship.finder()

    def where(batches):
        import pyarrow

        find()
        import pycordon

        for batch in batches:
            yield pyarrow.record_batch({"file": [pycordon.__file__] * batch.num_rows})

    places = {row[0] for row in spark.range(0, 8, 1, 4).mapInArrow(where, "file string").collect()}
    assert all("/pycordon/pycordon/__init__.py" in place and "/worker" in place for place in places), places


def test_a_second_copy_of_a_slow_task_gives_the_same_bytes(spark, staging, monkeypatch, tmp_path):
    df, policy = spark.createDataFrame(people()), k_and_l()
    expected = digests(anonymize(df, policy, staging))
    real, folder = shard.task, str(tmp_path)

    def slow_once(work):
        inner = real(work)

        def task(key, batches):
            import time

            from pyspark import TaskContext

            if key[0].as_py() == 0:  # the first of the tasks to start
                attempt = TaskContext.get().attemptNumber()
                open(f"{folder}/attempt-{attempt}", "w").close()
                if attempt == 0:
                    time.sleep(900)  # until Spark kills it: the copy is done before
            yield from inner(key, batches)

        task.__annotations__ = inner.__annotations__
        return task

    monkeypatch.setattr(shard, "task", slow_once)
    start = time.monotonic()
    assert digests(anonymize(df, policy, staging)) == expected
    assert time.monotonic() - start < 900
    assert (tmp_path / "attempt-1").exists(), "a copy was run"  # on a busy machine it may be done before the first one begins


def test_a_killed_executor_gives_the_same_bytes(spark, staging, monkeypatch, tmp_path):
    df, policy = spark.createDataFrame(people()), columns().k_anonymity(5).t_closeness("disease", "2/5").build()
    expected = digests(anonymize(df, policy, staging))
    real, mark = shard.task, str(tmp_path / "killed")

    def executor_killed_once(work):
        inner = real(work)

        def task(key, batches):
            import os
            import signal

            def parent(process):
                with open(f"/proc/{process}/stat") as file:
                    return int(file.read().rsplit(")", 1)[1].split()[1])

            rows = list(inner(key, batches))
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                yield from rows
                return
            process = os.getpid()
            while True:  # this worker, the daemon that forked it, the executor
                process = parent(process)
                with open(f"/proc/{process}/cmdline") as file:
                    if "CoarseGrainedExecutorBackend" in file.read():
                        os.kill(process, signal.SIGKILL)

        task.__annotations__ = inner.__annotations__
        return task

    monkeypatch.setattr(shard, "task", executor_killed_once)
    assert digests(anonymize(df, policy, staging)) == expected
    assert os.path.exists(mark)
    executors = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    assert sum(not executors.apply(i).isActive() for i in range(executors.size())) == 1


def test_a_shard_that_fails_on_every_executor_fails_the_run(spark, staging, monkeypatch):
    real = shard.task

    def failing(work):
        inner = real(work)

        def task(key, batches):
            if key[0].as_py() == 2:
                raise RuntimeError("out of luck")
            yield from inner(key, batches)

        task.__annotations__ = inner.__annotations__
        return task

    monkeypatch.setattr(shard, "task", failing)
    with pytest.raises(pycordon.InputOutputError) as refused:
        anonymize(spark.createDataFrame(people()), k_and_l(), staging)
    assert "out of luck" not in str(refused.value)
    assert not os.path.exists(staging) or os.listdir(staging) == []
