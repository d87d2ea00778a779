# SPDX-License-Identifier: Apache-2.0
"""The same table by CSV, Parquet and Arrow, through the package and through the program: the same bytes under one seed."""
import hashlib
import os

import pandas
import polars
import pyarrow
import pytest
from conftest import as_duckdb, patients, run_cordon

import pycordon


def columns():
    made = patients(500)
    made["weight"] = [50 + (i * 7 % 400) / 8 for i in range(500)]
    made["visit"] = [f"2024-{1 + i % 12:02d}-{1 + i * 5 % 28:02d}" for i in range(500)]
    made["job"] = [["nurse", "clerk", None][i % 3] for i in range(500)]
    return made


def typed():
    frame = polars.DataFrame(columns())
    return frame.with_columns(polars.col("visit").str.to_date(), polars.col("job").cast(polars.Categorical))


@pytest.fixture
def wide():
    return (
        pycordon.PolicyBuilder()
        .quasi("age", type="numeric")
        .quasi("zip", hierarchy={"prefix": 3})
        .quasi("weight", type="numeric")
        .quasi("visit", type="date", hierarchy={"dates": ["month", "quarter", "year"]})
        .quasi("job")
        .sensitive("disease")
        .k_anonymity(4)
        .t_closeness("disease", 0.4)
        .build()
    )


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_every_way_in_gives_the_same_bytes(wide, tmp_path):
    frame = typed()
    frame.write_csv(tmp_path / "in.csv")
    frame.write_parquet(tmp_path / "in.parquet")
    (tmp_path / "p.toml").write_text(wide.toml)
    ways = {
        "polars": frame,
        "pyarrow": pyarrow.table(frame),
        "pandas": frame.to_pandas(),
        "duckdb": as_duckdb(pyarrow.table(frame)),
        "csv": tmp_path / "in.csv",
        "parquet": tmp_path / "in.parquet",
    }
    for name, data in ways.items():
        pycordon.anonymize(data, wide, seed=7, insecure_seed=True).write(tmp_path / f"{name}.out.csv")
    for name in ("in.csv", "in.parquet"):
        made = run_cordon(
            "anonymize", name, "--policy", "p.toml", "--seed", 7, "--insecure-seed", "--output", f"program.{name}.out.csv",
            cwd=tmp_path,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
    digests = {path.name: digest(path) for path in tmp_path.glob("*.out.csv")}
    assert len(digests) == 8 and len(set(digests.values())) == 1, digests


def test_what_is_written_as_parquet_holds_the_same_rows(wide, tmp_path):
    release = pycordon.anonymize(typed(), wide, seed=7, insecure_seed=True)
    release.write(tmp_path / "out.parquet", bounds=False)
    assert pyarrow.table(pycordon.Table(tmp_path / "out.parquet")).to_pydict() == release.to_pyarrow().to_pydict()
    assert isinstance(release.to_pandas(), pandas.DataFrame)


def test_without_duckdb_the_error_names_the_extra(tmp_path):
    polars.DataFrame({"a": [1]}).write_parquet(tmp_path / "in.parquet")
    made = run_cordon(
        "check", "in.parquet", "--quasi", "a", cwd=tmp_path, env={**os.environ, "CORDON_DUCKDB_LIBRARY": str(tmp_path / "none.so")},
    )
    assert made.returncode == 2 and "DuckDB" in made.stderr and "pycordon[duckdb]" in made.stderr
