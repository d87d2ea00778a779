#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What shards on Spark cost: loss, CPU seconds and wall seconds by number of shards, and without Spark.

    PYTHONPATH=build/release/python build/spark/bin/python bench/run_spark.py DATA [--tables adult fars] [--shards 1 4 16]

DATA is the folder with adult/adult.csv and fars/fars.csv and their hierarchies. "one process" is pycordon.anonymize on the same
rows. "boxes" is pycordon.spark on local[2]. "quantiles" cuts one column, the age, into runs of equal size, as simple tools do;
the engine and the verification are the same. CPU seconds are those of this process, of Java and of all Python workers: values,
plan, shards, staging and verification. A first run, which is not shown, starts them.
"""
import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import measure
import numpy
import pyarrow.csv

import pycordon
import pycordon.spark
from pycordon.spark import release as release_module
from pycordon.spark.plan import Box

KEY = bytes(range(32))
TICKS = os.sysconf("SC_CLK_TCK")


def adult(folder):
    builder = pycordon.PolicyBuilder().quasi("age", type="numeric").sensitive("occupation")
    for name in ("sex", "race", "marital-status", "education", "native-country", "workclass", "salary-class"):
        builder.quasi(name, hierarchy=f"adult_hierarchy_{name}.csv")
    return builder.k_anonymity(5).l_diversity("occupation", 3).build(folder=folder), "age"


def fars(folder):
    builder = pycordon.PolicyBuilder().quasi("iage", type="numeric", range=[0, 99])
    for name in ("irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum", "iinjury"):
        builder.quasi(name, hierarchy=f"fars_hierarchy_{name}.csv")
    return builder.k_anonymity(5).build(folder=folder), "iage"


TABLES = {"adult": adult, "fars": fars}  # by name: the policy and the column that "quantiles" cuts


def cpu_seconds():
    """Of this process and all below it, with those of their children that have ended."""
    children, spent = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
        process = int(path.parent.name)
        children.setdefault(int(fields[1]), []).append(process)
        spent[process] = sum(map(int, fields[11:15]))
    below, total = [os.getpid()], 0
    while below:
        process = below.pop()
        total += spent.get(process, 0)
        below += children.get(process, [])
    return total / TICKS


def by_quantiles(name):
    def plan(bound, shards, _):
        summary, _ = bound.summary()
        column = bound.quasi.index(name)
        order = numpy.sort(numpy.repeat(summary.quasi[column], summary.rows.astype(int)))

        def cut(low, high):
            if high - low == 1:
                return Box()
            middle = (low + high) // 2
            return Box(column, int(order[len(order) * middle // shards]), cut(low, middle), cut(middle, high))

        return release_module._checked(bound, cut(0, shards).numbered())

    return plan


class Bench:
    def __init__(self, spark, staging):
        self.spark, self.staging, self.rows = spark, staging, []

    def take(self, table, folder):
        self.name = table
        self.policy, self.column = TABLES[table](folder)
        options = pyarrow.csv.ParseOptions(delimiter=";")
        self.table = pyarrow.csv.read_csv(folder / f"{table}.csv", parse_options=options)
        self.df = self.spark.createDataFrame(self.table).persist()
        self.df.count()

    def timed(self, call):
        wall, cpu = time.monotonic(), cpu_seconds()
        made = call()
        return made, {"CPU s": f"{cpu_seconds() - cpu:.1f}", "wall s": f"{time.monotonic() - wall:.1f}"}

    def note(self, how, shards, loss, cost):
        first = next((row for row in self.rows if row["table"] == self.name), None)
        base = float(first["loss"]) if first else loss
        row = {"table": self.name, "rows": self.table.num_rows, "cuts": how, "shards": shards, "loss": f"{loss:.5f}",
               "against one process": f"{100 * (loss / base - 1):+.1f} %", **cost}  # fmt: skip
        self.rows.append(row)
        print(row, file=sys.stderr, flush=True)

    def one_process(self):
        release, cost = self.timed(lambda: pycordon.anonymize(self.table, self.policy, seed=1, risk=False))
        loss = pycordon.evaluate(release, self.table, self.policy, risk=False).information_loss
        self.note("one process", 1, loss, cost)

    def sharded(self, how, plan, shards):
        release_module._plan = plan
        release, cost = self.timed(
            lambda: pycordon.spark.anonymize(self.df, self.policy, staging=self.staging, shards=shards, key=KEY)
        )
        loss = pycordon.spark.evaluate(release.to_spark(), self.df, self.policy).information_loss
        self.note(how, release.shards, loss, cost)
        release.discard()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 4, 16])
    args = parser.parse_args()
    sys.path.insert(0, str(measure.ROOT / "python" / "spark_tests"))
    from support import session

    spark, staging, boxes = session("local[2]"), tempfile.mkdtemp(), release_module._plan
    bench = Bench(spark, staging)
    try:
        bench.take(args.tables[0], args.data / args.tables[0])
        bench.sharded("first", boxes, 2)
        bench.rows.clear()
        for table in args.tables:
            bench.take(table, args.data / table)
            bench.one_process()
            for shards in args.shards:
                bench.sharded("boxes", boxes, shards)
            for shards in args.shards:
                if shards > 1:
                    bench.sharded("quantiles", by_quantiles(bench.column), shards)
        print("\n".join(measure.markdown_table(bench.rows)))
    finally:
        shutil.rmtree(staging)
        spark.stop()


if __name__ == "__main__":
    main()
