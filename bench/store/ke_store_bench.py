#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A store end to end: permute, append and query by the command line, with wall time, CPU time and peak memory of each.

    ke_store_bench.py CORDON [ROWS]         one store: permute, queries, an append of a hundredth
    ke_store_bench.py CORDON --appends      appends of 1000 rows to stores of three sizes, 40 each: each costs its batch (every sixteenth
                                            also merges the parts of the last sixteen)

Answers are checked: the true sum lies within the bounds, and the count is exact.
"""
import json
import math
import os
import random
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import measure

POLICY = """
[attributes.age]
role = "quasi"
type = "numeric"
[attributes.sex]
role = "quasi"
type = "categorical"
[attributes.zip]
role = "quasi"
type = "categorical"
[attributes.salary]
role = "sensitive"
type = "numeric"
[[privacy]]
model = "ke-anonymity"
sensitive = "salary"
k = 5
e = 100
"""


def write_rows(path, rows, seed):
    """-> (rows, salaries added up) of people aged 40 to 48"""
    draw = random.Random(seed)
    count = total = 0
    with open(path, "w") as file:
        file.write("age,sex,zip,salary\n")
        for _ in range(rows):
            age, salary = draw.randrange(18, 88), 12000 + int(math.exp(draw.random() * 4.5 + draw.random() * 2) * 120)
            file.write(f"{age},{'MF'[draw.randrange(2)]},{draw.randrange(10000, 10900)},{salary}\n")
            if 40 <= age <= 48:
                count, total = count + 1, total + salary
    return count, total


def run(title, *command):
    output, cost = measure.run(command)
    print(f"{title:<28} {cost.wall_s:7.2f} s wall {cost.cpu_s:7.2f} s cpu {cost.peak_mb:6.0f} MB", flush=True)
    return output


def appends(cordon):
    table = []
    for rows in (10_000, 300_000, 10_000_000):
        write_rows("rows.csv", rows, 1)
        measure.run([cordon, "permute", "rows.csv", "--policy", "policy.toml", "--output", "store"])
        costs = []
        for batch in range(40):
            write_rows("more.csv", 1000, 100 + batch)
            costs.append(measure.run([cordon, "append", "store", "more.csv"])[1])
        answer = json.loads(measure.run([cordon, "query", "store", "SELECT COUNT(*)", "--json"])[0])
        assert answer["rows"][0]["aggregates"][0]["lower"] == rows + 40_000
        merges = [costs[15], costs[31]]
        others = [cost for cost in costs if cost not in merges]
        table.append({
            "rows in the store": f"{rows:,}",
            "MB": round(sum(path.stat().st_size for path in Path("store").rglob("*.parquet")) / 1e6, 1),
            "files": len(list(Path("store").rglob("*.parquet"))),
            "first append, cpu s": costs[0].cpu_s,
            "median cpu s": statistics.median(cost.cpu_s for cost in others),
            "median wall s": statistics.median(cost.wall_s for cost in others),
            "most wall s": max(cost.wall_s for cost in others),
            "with a merge, cpu s": max(cost.cpu_s for cost in merges),
            "peak MB": max(cost.peak_mb for cost in others),
        })
        shutil.rmtree("store")
        shutil.rmtree("store.private")
    print("\n".join(measure.markdown_table(table)))


def main():
    if sys.argv[2:] == ["--appends"]:
        cordon, folder = os.path.abspath(sys.argv[1]), tempfile.mkdtemp()
        try:
            os.chdir(folder)
            open("policy.toml", "w").write(POLICY)
            return appends(cordon)
        finally:
            shutil.rmtree(folder)
    cordon, rows = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    folder = tempfile.mkdtemp()
    try:
        os.chdir(folder)
        open("policy.toml", "w").write(POLICY)
        counts = [write_rows("rows.csv", rows, 1), write_rows("more.csv", max(rows // 100, 1000), 2)]
        small = "SELECT COUNT(*), {} WHERE age BETWEEN 40 AND 48"
        run("permute", cordon, "permute", "rows.csv", "--policy", "policy.toml", "--output", "store")
        for aggregate in ("SUM(salary)", "AVG(salary)", "MIN(salary)", "MAX(salary)"):
            answer = json.loads(run(aggregate, cordon, "query", "store", small.format(aggregate), "--json"))
            found = {each["aggregate"]: each for each in answer["rows"][0]["aggregates"]}
            assert found["COUNT(*)"]["lower"] == counts[0][0]
            if aggregate == "SUM(salary)":
                bounds = found[aggregate]
                assert bounds["lower"] <= counts[0][1] <= bounds["upper"]
                print(f"    bounds are {100 * (bounds['upper'] - bounds['lower']) / counts[0][1]:.3f} % of the sum wide, the estimate is "
                      f"{100 * abs(bounds['estimate'] - counts[0][1]) / counts[0][1]:.4f} % off")
        run("SUM(salary) GROUP BY sex", cordon, "query", "store", small.format("SUM(salary)") + " GROUP BY sex")
        run("append", cordon, "append", "store", "more.csv")
        sizes = {str(path): path.stat().st_size for path in sorted(Path("store").rglob("*.*"))}
        print("    bytes:", sizes)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
