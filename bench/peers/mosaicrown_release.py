# SPDX-License-Identifier: Apache-2.0
"""mosaicrown_release.py DIR JOB OUT: a release by the Mondrian on Spark in DIR, a checkout of github.com/mosaicrown/mondrian that the reader made.

JOB is a job of that tool, a JSON file with the number of fragments. Its Docker images are not used: distributed/anonymize.py runs as it is, on local[2],
by a Python with pyspark 3.5.0 and distributed/spark/requirements.txt. A first run, of 3,000 rows, starts Spark and the workers. The second one is measured:
prints CPU seconds of all processes and wall seconds. OUT has ranges as cordon reads them, [20,29] for [20-29].
"""
import contextlib
import csv
import json
import os
import re
import runpy
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import measure  # noqa: E402

folder, job, out = Path(sys.argv[1]).resolve() / "distributed", *map(Path, sys.argv[2:])
modules = str(folder / "mondrian")
sys.path.insert(0, modules)
os.environ.update(PYTHONPATH=modules, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")  # of the workers
from pyspark.sql import SparkSession  # noqa: E402

settings = json.loads(job.read_text(encoding="utf-8"))
fragments = settings["fragments"]
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).config("spark.driver.memory", "2g")
spark = spark.config("spark.default.parallelism", fragments).config("spark.sql.shuffle.partitions", fragments).getOrCreate()  # as its submit.sh has them
stop, SparkSession.stop = SparkSession.stop, lambda _: None  # the job stops Spark, and workers that have ended would not be counted


def run(path):
    wall, cpu = time.monotonic(), measure.cpu_seconds_of_all()
    sys.argv = ["anonymize.py", str(path), str(fragments), "0", "0"]
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        runpy.run_path(str(folder / "anonymize.py"), run_name="__main__")
    return {"cpu_s": round(measure.cpu_seconds_of_all() - cpu, 1), "wall_s": round(time.monotonic() - wall, 1)}


first, first_rows = job.with_name("first.json"), job.with_name("first.csv")
with open(settings["input"], encoding="utf-8") as file:
    first_rows.write_text("".join(line for line, _ in zip(file, range(3001))), encoding="utf-8")
first.write_text(json.dumps({**settings, "input": str(first_rows)}), encoding="utf-8")
run(first)
spark.catalog.clearCache()
cost = run(job)
stop(spark)

written, header = [], None
for part in sorted(Path(settings["output"]).glob("part-*")):
    with open(part, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file) if part.stat().st_size else ([header] if header else [[]])
    written += rows
quasi = {header.index(name) for name in settings["quasiid_columns"]}
with open(out, "w", encoding="utf-8", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(header)
    for row in written:
        writer.writerow([re.sub(r"^\[(.+)-(.+)\]$", r"[\1,\2]", cell) if at in quasi else cell for at, cell in enumerate(row)])
print(json.dumps(cost))
