# SPDX-License-Identifier: Apache-2.0
"""A small table of patients, the same in every library."""
import subprocess
import sys

import duckdb
import nanoarrow
import pandas
import polars
import pyarrow
import pytest

import pycordon

# pycordon.spark needs Python 3.11, as Spark does.
collect_ignore = ["test_spark_parts.py"] if sys.version_info < (3, 11) else []

DISEASES = ["flu", "cold", "angina", "gout"]


def patients(rows=300):
    return {
        "age": [20 + (i * 37) % 60 for i in range(rows)],
        "zip": [str(100 + (i * 13) % 40) for i in range(rows)],
        "disease": [DISEASES[i * 7 % 4] for i in range(rows)],
    }


def as_duckdb(columns):
    handed = pyarrow.table(columns)  # noqa: F841: DuckDB finds it by its name
    return duckdb.connect().sql("SELECT * FROM handed")


LIBRARIES = {
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.table,
    "duckdb": as_duckdb,
    "nanoarrow": lambda columns: nanoarrow.ArrayStream(pyarrow.table(columns)),
}


@pytest.fixture(params=sorted(LIBRARIES))
def library(request):
    """Makes a frame of one of the libraries out of a dict of lists."""
    return LIBRARIES[request.param]


@pytest.fixture
def policy():
    return (
        pycordon.PolicyBuilder()
        .quasi("age", type="numeric")
        .quasi("zip", hierarchy={"prefix": 3})
        .sensitive("disease")
        .k_anonymity(5)
        .l_diversity("disease", 2)
        .build()
    )


@pytest.fixture
def frame():
    return polars.DataFrame(patients())


def rows_of(table):
    return pyarrow.table(table).to_pydict()


def run_cordon(*words, **options):
    """The program as the package installs it."""
    return subprocess.run([sys.executable, "-m", "pycordon", *map(str, words)], capture_output=True, text=True, **options)
