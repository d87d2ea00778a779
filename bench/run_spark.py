#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What shards on Spark cost: loss, CPU seconds and wall seconds by number of shards, and without Spark.

    PYTHONPATH=build/release/python build/spark/bin/python bench/run_spark.py DATA [--tables adult fars] [--shards 1 4 16]
        [--mosaicrown DIR --mosaicrown-python PYTHON]

DATA is the folder with adult/adult.csv and fars/fars.csv and their hierarchies. "one process" is pycordon.anonymize on the same
rows. "boxes" is pycordon.spark on local[2]. "quantiles" cuts one column, the age, into runs of equal size, as simple tools do;
the engine and the verification are the same. CPU seconds are those of this process, of Java and of all Python workers: values,
plan, shards, staging and verification. A first run, which is not shown, starts them.

With --mosaicrown the same tables also go through another Mondrian on Spark (bench/peers/mosaicrown.py says how to install it), under
the same hierarchies, and there is one more table: "adults", the example of that tool. Its releases are judged and measured by cordon.
"""
import argparse
import csv
import shutil
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import measure
import numpy
import pyarrow
import pyarrow.csv

import pycordon
import pycordon.spark
from pycordon.spark import release as release_module
from pycordon.spark.plan import Box

sys.path.insert(0, str(measure.ROOT / "bench" / "peers"))
import mosaicrown  # noqa: E402

KEY = bytes(range(32))


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


def adults(folder):
    """The job of mosaicrown/mondrian: its columns, K and L. Ages and years of education are ranges for both tools."""
    builder = pycordon.PolicyBuilder().quasi("age", type="numeric").quasi("education-num", type="numeric").sensitive("income")
    for name in ("race", "native-country"):
        builder.quasi(name, hierarchy=f"{name}.csv")
    return builder.k_anonymity(3).l_diversity("income", 2).build(folder=folder), "age"


TABLES = {"adult": adult, "fars": fars, "adults": adults}  # by name: the policy and the column that "quantiles" cuts
PEER = [  # of mosaicrown: how it cuts fragments, its score of columns, whether categories are ordered by their hierarchy
    ("quantile", "entropy", False),  # the job of its example
    ("mondrian", "entropy", False),
]


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


def write_example(checkout, folder):
    """The example of mosaicrown/mondrian, and hierarchies of its tree of countries and of its races."""
    table = pyarrow.csv.read_csv(checkout / "distributed" / "dataset" / "adults.csv")
    table = table.select(["age", "education-num", "race", "native-country", "income"])
    tree = measure.read_json(checkout / "distributed" / "taxonomy" / "countries.json")
    files = {"native-country": mosaicrown.hierarchy(tree), "race": [[race, "*"] for race in table["race"].unique().to_pylist()]}
    folder.mkdir()
    pyarrow.csv.write_csv(table, folder / "adults.csv", pyarrow.csv.WriteOptions(delimiter=";", quoting_style="none"))
    for name, paths in files.items():
        with open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";").writerows(paths)


class Bench:
    def __init__(self, spark, staging, peer):
        self.spark, self.staging, self.peer, self.rows = spark, staging, peer, []

    def take(self, table, folder):
        self.name = table
        self.policy, self.column = TABLES[table](folder)
        options = pyarrow.csv.ParseOptions(delimiter=";")
        self.table = pyarrow.csv.read_csv(folder / f"{table}.csv", parse_options=options)
        self.df = self.spark.createDataFrame(self.table).persist()
        self.df.count()

    def timed(self, call):
        wall, cpu = time.monotonic(), measure.cpu_seconds_of_all()
        made = call()
        return made, {"CPU s": f"{measure.cpu_seconds_of_all() - cpu:.1f}", "wall s": f"{time.monotonic() - wall:.1f}"}

    def note(self, how, shards, loss, cost, verdict):
        first = next((row for row in self.rows if row["table"] == self.name), None)
        base = float(first["loss"]) if first else loss
        row = {"table": self.name, "rows": self.table.num_rows, "cuts": how, "shards": shards, "loss": f"{loss:.5f}",
               "against one process": f"{100 * (loss / base - 1):+.1f} %", "models": verdict, **cost}  # fmt: skip
        self.rows.append(row)
        print(row, file=sys.stderr, flush=True)

    def one_process(self):
        release, cost = self.timed(lambda: pycordon.anonymize(self.table, self.policy, seed=1, risk=False))
        loss = pycordon.evaluate(release, self.table, self.policy, risk=False).information_loss
        self.note("one process", 1, loss, cost, "hold")  # the engine does not give a release that does not hold

    def sharded(self, how, plan, shards):
        release_module._plan = plan
        release, cost = self.timed(
            lambda: pycordon.spark.anonymize(self.df, self.policy, staging=self.staging, shards=shards, key=KEY)
        )
        loss = pycordon.spark.evaluate(release.to_spark(), self.df, self.policy).information_loss
        self.note(how, release.shards, loss, cost, "hold")  # Spark has verified it
        release.discard()

    def of_peer(self, cuts, score, ordered, fragments):
        path = Path(self.staging) / f"{self.name}.csv"
        pyarrow.csv.write_csv(self.table, path)
        policy = {**tomllib.loads(self.policy.toml), "folder": self.policy.folder}
        made, cost = self.peer.release(self.peer.job(path, policy, cuts, score, ordered, fragments))
        texts = pyarrow.csv.ConvertOptions(column_types={name: pyarrow.string() for name in self.table.column_names})
        release = pyarrow.csv.read_csv(made, convert_options=texts)
        found = pycordon.verify(release, self.policy)
        violated = ", ".join(verdict.model for verdict in found.privacy if not verdict.holds)
        loss = pycordon.evaluate(release, self.table, self.policy, risk=False).information_loss
        how = f"mosaicrown: {cuts}, {score}{', ordered categories' if ordered else ''}"
        self.note(how, fragments, loss, {"CPU s": cost["cpu_s"], "wall s": cost["wall_s"]}, violated and f"violated: {violated}" or "hold")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=["adult", "fars"])
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--mosaicrown", type=Path)
    parser.add_argument("--mosaicrown-python", type=Path)
    args = parser.parse_args()
    if "adults" in args.tables and not args.mosaicrown:
        parser.error("the table adults is of mosaicrown: give --mosaicrown DIR")
    if args.mosaicrown and not args.mosaicrown_python:
        parser.error("give --mosaicrown-python, a Python with its requirements")
    sys.path.insert(0, str(measure.ROOT / "python" / "spark_tests"))
    from support import session

    spark, staging, boxes = session("local[2]"), tempfile.mkdtemp(), release_module._plan
    bench = Bench(spark, staging, args.mosaicrown and mosaicrown.Mosaicrown(args.mosaicrown, args.mosaicrown_python, staging))
    folders = {table: args.data / table for table in args.tables}
    if "adults" in folders:
        folders["adults"] = Path(staging) / "example"
        write_example(args.mosaicrown, folders["adults"])
    try:
        bench.take(args.tables[0], folders[args.tables[0]])
        bench.sharded("first", boxes, 2)
        bench.rows.clear()
        for table in args.tables:
            bench.take(table, folders[table])
            bench.one_process()
            for shards in args.shards:
                bench.sharded("boxes", boxes, shards)
            for shards in args.shards:
                if shards > 1:
                    bench.sharded("quantiles", by_quantiles(bench.column), shards)
            for cuts, score, ordered in PEER if bench.peer else ():
                for shards in args.shards:
                    if shards > 1 or cuts == "quantile":
                        bench.of_peer(cuts, score, ordered, shards)
        print("\n".join(measure.markdown_table(bench.rows)))
    finally:
        shutil.rmtree(staging)
        spark.stop()


if __name__ == "__main__":
    main()
