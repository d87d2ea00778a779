# SPDX-License-Identifier: Apache-2.0
"""Tables, policies and sessions of the tests on Spark."""

import hashlib
import os
import random
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet

import pycordon

DISEASES = ["none", "flu", "gout", "angina"]


def session(master, **settings):
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("pycordon")
    fixed = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.memory": "1g",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
    for name, value in {**fixed, **settings}.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def people(rows=3000, seed=1, missing=False):
    """Older people are ill more often: shards by age differ from the whole."""
    draw = random.Random(seed)
    ages = [20 + int(60 * draw.random() ** 1.5) for _ in range(rows)]
    table = {
        "age": ages,
        "zip-code": [str(53700 + draw.randrange(60)) for _ in range(rows)],
        "the.job": [draw.choice(["clerk", "nurse", "driver", "cook"]) for _ in range(rows)],
        "disease": [draw.choice(DISEASES) if draw.random() < age / 90 else "none" for age in ages],
    }
    if missing:
        table["age"] = [None if draw.random() < 0.02 else age for age in ages]
        table["disease"] = [None if draw.random() < 0.02 else each for each in table["disease"]]
    return pyarrow.table(table)


def columns():
    return (
        pycordon.PolicyBuilder()
        .quasi("age", type="numeric")
        .quasi("zip-code", hierarchy={"prefix": 5})
        .quasi("the.job")
        .sensitive("disease")
    )


def k_and_l(k=5, l=2):  # noqa: E741: the field's name
    return columns().k_anonymity(k).l_diversity("disease", l).build()


def digests(release):
    """Of each file: its pages byte by byte, and its footer. The footer names the encodings of a column in an order that differs
    from one Java process to another (parquet-java keeps them in a hash set), so they are put in order here."""
    made = []
    for each in release.manifest["output"]["files"]:
        path = Path(release.path or release._staged, each["name"])
        content = path.read_bytes()
        assert hashlib.sha256(content).hexdigest() == each["sha256"]
        footer = int.from_bytes(content[-8:-4], "little")
        read = pyarrow.parquet.read_metadata(path)
        described = read.to_dict()
        for group in described["row_groups"]:
            for column in group["columns"]:
                column["encodings"] = sorted(column["encodings"])
        made.append((hashlib.sha256(content[: -8 - footer]).hexdigest(), len(content), repr(described), repr(read.metadata)))
    return sorted(made)
