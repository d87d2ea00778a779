#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the Python package costs next to the program: import, anonymize at 1.2 million rows, check at 10 million rows.

    build/python/bin/python bench/run_python.py build/release/cordon [--runs 3] [--effort normal]
    (with PYTHONPATH=build/release/python, or pycordon installed)

Every figure is that of the run with the least CPU time; the wall time of a shared machine says little. The program's time
includes its start, reading and writing; the search alone is what its report says.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import polars

import pycordon


def cpu(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def timed(work, who=resource.RUSAGE_SELF):
    best = None
    for _ in range(ARGS.runs):
        wall, used = time.monotonic(), cpu(who)
        answer = work()
        wall, used = time.monotonic() - wall, cpu(who) - used
        best = min(best or (wall, used), (wall, used), key=lambda pair: pair[1])
    return best, answer


def show(name, figures):
    print(f"{name:<58} {figures[0]:8.2f} s wall {figures[1]:8.2f} s CPU", flush=True)


def census(rows):
    random = numpy.random.default_rng(1)
    return polars.DataFrame(
        {
            "age": random.integers(17, 90, rows),
            "zip": random.integers(10000, 10400, rows),
            "hours": random.integers(1, 99, rows),
            "job": random.choice(["clerk", "nurse", "driver", "farmer", "engineer", "teacher"], rows),
            "pay": random.integers(0, 50, rows) * 1000,
        }
    ).with_columns(polars.col("job").cast(polars.Categorical))


def policy_of():
    return (
        pycordon.PolicyBuilder()
        .quasi("age", type="numeric")
        .quasi("zip", type="numeric")
        .quasi("hours", type="numeric")
        .quasi("job")
        .sensitive("pay", type="numeric", unguarded="a benchmark")
        .k_anonymity(10)
        .build()
    )


def bench_import():
    code = "import time; t = time.process_time(); import pycordon; print(time.process_time() - t)"
    seconds = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in range(9)]
    print(f"import pycordon: {1000 * min(seconds):.0f} ms CPU least, {1000 * sorted(seconds)[4]:.0f} ms median")


def bench_anonymize(cordon, folder, rows=1_200_000):
    frame, policy = census(rows), policy_of()
    frame.write_csv(folder / "in.csv")
    frame.write_parquet(folder / "in.parquet")
    (folder / "p.toml").write_text(policy.toml)

    def program(source):
        words = ["anonymize", source, "--policy", "p.toml", "--output", "out.csv", "--force", "--report", "report.json"]
        words += ["--effort", ARGS.effort]
        subprocess.run([cordon, *words], cwd=folder, check=True, capture_output=True)
        return json.loads((folder / "report.json").read_text())["seconds"]

    for source in ("in.csv", "in.parquet"):
        figures, steps = timed(lambda source=source: program(source), who=resource.RUSAGE_CHILDREN)
        show(f"anonymize {rows:,} rows: the program, {source} to csv", figures)
        print(f"    {steps}")

    def python():
        release = pycordon.anonymize(frame, policy, effort=ARGS.effort)
        release.write(folder / "py.csv", force=True)
        return release

    figures, release = timed(python)
    show(f"anonymize {rows:,} rows: Polars to csv", figures)
    print(f"    {release.report.to_dict()['seconds']}")
    figures, _ = timed(lambda: polars.DataFrame(pycordon.anonymize(frame, policy, effort=ARGS.effort)))
    show(f"anonymize {rows:,} rows: Polars to Polars", figures)


def bench_check(cordon, folder, rows=10_000_000):
    frame = census(rows)
    frame.write_parquet(folder / "large.parquet")
    words = ["check", "large.parquet", "--quasi", "age,zip,hours,job", "--sensitive", "pay", "--json"]
    figures, said = timed(
        lambda: subprocess.run([cordon, *words], cwd=folder, check=True, capture_output=True, text=True).stdout,
        who=resource.RUSAGE_CHILDREN,
    )
    show(f"check {rows:,} rows: the program on Parquet", figures)
    figures, checked = timed(lambda: pycordon.check(frame, quasi=["age", "zip", "hours", "job"], sensitive="pay"))
    show(f"check {rows:,} rows: from Polars", figures)
    assert checked.json == said
    figures, _ = timed(lambda: pycordon.Table(frame))
    show("    of that, the table from Polars", figures)


def main():
    cordon = os.path.abspath(ARGS.cordon)
    bench_import()
    with tempfile.TemporaryDirectory() as name:
        bench_anonymize(cordon, Path(name))
        bench_check(cordon, Path(name))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("cordon")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--effort", default="normal")
    ARGS = parser.parse_args()
    main()
