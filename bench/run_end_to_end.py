#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a CSV file to a verified release, against the time DuckDB takes to read the same file.

    bench/run_end_to_end.py [--rows 100000,1000000,10000000] [--threads N] [--repeats 3] [--output DIR] [--gate]

For each size: makes the census table once, then runs `cordon anonymize` (k = 10, seven quasi columns) and DuckDB's
`CREATE TABLE t AS FROM read_csv(...)` in turn, each in a separate process and with the same number of threads, so
that a busy machine hurts both. Writes raw.csv (every run) and summary.md (medians, ratios, growth exponents, commands
and versions) to the output folder. With --gate the exit status is 1 if a target is missed.
"""
import argparse
import datetime
import math
import os
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path

import measure
from measure import ROOT

REQUIREMENTS = ROOT / "bench" / "requirements.txt"  # the one place with DuckDB's version

# What the project holds itself to.
MAX_READ_RATIO = 1.5        # own CSV read against the yardstick
MAX_WORK_RATIO = 3.0        # anonymize + verify against the yardstick, from 1M rows on
MAX_PEAK_MB = 4096          # at 10M rows
MAX_EXPONENT = 1.1          # growth of the time from the smallest to the largest size

DUCKDB_PROGRAM = """
import sys, time, duckdb
path, threads = sys.argv[1], int(sys.argv[2])
connection = duckdb.connect()
connection.execute(f"SET threads = {threads}")
start = time.perf_counter()
connection.execute("CREATE TABLE t AS FROM read_csv(?)", [path])
seconds = time.perf_counter() - start
rows = connection.execute("SELECT count(*) FROM t").fetchone()[0]
print(seconds, rows, duckdb.__version__)
"""


def run_timed(command):
    """-> stdout, and what the process cost"""
    try:
        out, cost = measure.run(command)
    except measure.Failed as failed:
        sys.exit(f"{' '.join(map(str, command))}\n{failed}")
    return out, {"wall_s": cost.wall_s, "cpu_s": cost.cpu_s, "peak_mb": cost.peak_mb}


def duckdb_python(folder):
    """A Python with the pinned DuckDB, made once."""
    python = folder / "bin" / "python"
    stamp = folder / "installed.txt"
    wanted = REQUIREMENTS.read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"installing {wanted.strip()} into {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS], check=True)
        stamp.write_text(wanted)
    return python


def census(cordon, rows, options):
    folder = options.work / f"census-{rows}-{options.seed}-{options.rho}"
    if not (folder / "census.csv").exists():
        command = [cordon, "generate", "census", "--rows", rows, "--seed", options.seed, "--rho", options.rho, "--output", folder]
        subprocess.run(list(map(str, command)), check=True, stderr=subprocess.DEVNULL)
    return folder


def anonymize_command(cordon, folder, options):
    return [cordon, "--threads", options.threads, "anonymize", folder / "census.csv", "--policy", folder / "policy.toml",
            "--output", options.work / "released.csv", "--force", "--report", options.work / "report.json"]


def run_cordon(cordon, rows, folder, options):
    _, timed = run_timed(anonymize_command(cordon, folder, options))
    report = measure.read_json(options.work / "report.json")
    if report["rows"] != rows or not report["privacy"] or not all(verdict["holds"] for verdict in report["privacy"]):
        sys.exit(f"the release of {rows} rows is not what was asked for")
    seconds = report["seconds"]
    steps = {f"{step}_s": seconds.get(step, 0.0) for step in ("read", "bind", "anonymize", "verify", "metrics", "write")}
    return {"engine": "cordon", "rows": rows, **timed, **steps, "work_s": round(seconds["anonymize"] + seconds["verify"], 4),
            "groups": report["groups"], "information_loss": report["utility"]["information_loss"]}


def run_duckdb(python, rows, folder, options):
    program = options.work / "read_csv.py"
    program.write_text(DUCKDB_PROGRAM)
    out, timed = run_timed([python, program, folder / "census.csv", options.threads])
    seconds, counted, _ = out.split()
    if int(counted) != rows:
        sys.exit(f"DuckDB read {counted} of {rows} rows")
    return {"engine": "duckdb", "rows": rows, **timed, "read_s": round(float(seconds), 4)}


def medians(runs):
    """{(engine, rows): {measure: median}}"""
    grouped = {}
    for run in runs:
        grouped.setdefault((run["engine"], run["rows"]), []).append(run)
    return {key: {name: statistics.median(run[name] for run in group) for name in group[0] if name not in ("engine", "rows")}
            for key, group in grouped.items()}


def exponent(first, last):
    """Of t = c * rows^x through two points (rows, seconds)."""
    return math.log(last[1] / first[1]) / math.log(last[0] / first[0])


def ratios(median, sizes):
    table = []
    for rows in sizes:
        own, yardstick = median["cordon", rows], median["duckdb", rows]
        table.append({"rows": rows, "duckdb_s": yardstick["read_s"], "read_s": own["read_s"], "work_s": own["work_s"], "wall_s": own["wall_s"],
                      "cpu_s": own["cpu_s"], "peak_mb": own["peak_mb"], "read_ratio": own["read_s"] / yardstick["read_s"],
                      "work_ratio": own["work_s"] / yardstick["read_s"], "wall_ratio": own["wall_s"] / yardstick["read_s"],
                      "information_loss": own["information_loss"]})
    return table


def missed_targets(table, exponents):
    missed = []
    for line in table:
        if line["rows"] >= 1_000_000 and line["read_ratio"] > MAX_READ_RATIO:
            missed.append(f"read at {line['rows']} rows: {line['read_ratio']:.2f} times the yardstick, target {MAX_READ_RATIO}")
        if line["rows"] >= 1_000_000 and line["work_ratio"] > MAX_WORK_RATIO:
            missed.append(f"anonymize + verify at {line['rows']} rows: {line['work_ratio']:.2f} times, target {MAX_WORK_RATIO}")
        if line["peak_mb"] > MAX_PEAK_MB:
            missed.append(f"peak memory at {line['rows']} rows: {line['peak_mb']:.0f} MB, target {MAX_PEAK_MB}")
    return missed + [f"growth of {name}: exponent {x:.2f}, target {MAX_EXPONENT}" for name, x in exponents.items() if x > MAX_EXPONENT]


def markdown(table):
    heads = {"rows": "{:,}", "duckdb_s": "{:.3f}", "read_s": "{:.3f}", "work_s": "{:.3f}", "wall_s": "{:.2f}", "cpu_s": "{:.2f}", "peak_mb": "{:.0f}",
             "read_ratio": "{:.2f}", "work_ratio": "{:.2f}", "wall_ratio": "{:.2f}", "information_loss": "{:.4f}"}
    lines = ["| " + " | ".join(heads) + " |", "|" + "---:|" * len(heads)]
    lines += ["| " + " | ".join(form.format(line[name]) for name, form in heads.items()) + " |" for line in table]
    return "\n".join(lines)


def processor():
    try:
        return re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE).group(1)
    except (OSError, AttributeError):
        return platform.processor() or platform.machine()


def summary(table, exponents, missed, versions, commands, options):
    text = ["# End to end: CSV to verified release", "",
            f"{datetime.date.today()}, {options.machine}: {processor()}, {options.threads} threads, {platform.system()}; "
            f"medians of {options.repeats} runs.", "",
            "`duckdb_s` is the yardstick, `CREATE TABLE t AS FROM read_csv(...)` on the same file with the same threads; `read_s` our CSV read,",
            "`work_s` anonymize + verify, `wall_s` the whole process; ratios are against the yardstick. Synthetic data (docs/generate.md).", "",
            markdown(table), ""]
    text += [f"Growth exponent of {name}, {table[0]['rows']:,} to {table[-1]['rows']:,} rows: {x:.3f}" for name, x in exponents.items()]
    text += ["", "Targets missed: " + ("none" if not missed else ""), *[f"- {line}" for line in missed], "", "Versions: " + ", ".join(versions), "",
             "```", *commands, "```", ""]
    return "\n".join(text)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", default="100000,1000000,10000000", help="sizes, ascending")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rho", type=float, default=0.0)
    parser.add_argument("--cordon", help="binary; default build/bench/cordon, else build/release/cordon")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "end_to_end", help="for tables and releases, may grow to 2 GB")
    parser.add_argument("--machine", default=f"{platform.machine()}-{os.cpu_count()}cpu", help="name of this machine in the results")
    parser.add_argument("--output", type=Path, help="default bench/runs/<date>-<machine>")
    parser.add_argument("--gate", action="store_true", help="exit 1 if a target is missed")
    options = parser.parse_args()
    options.sizes = sorted(int(part) for part in options.rows.split(","))
    options.output = options.output or ROOT / "bench" / "runs" / f"{datetime.date.today()}-{options.machine}"
    return options


def main():
    options = parse_options()
    options.work.mkdir(parents=True, exist_ok=True)
    cordon = measure.find_cordon(options.cordon, ("bench", "release"))
    python = duckdb_python(ROOT / "build" / "bench_venv")
    runs = []
    for rows in options.sizes:
        folder = census(cordon, rows, options)
        for repeat in range(options.repeats):
            for run in (run_duckdb(python, rows, folder, options), run_cordon(cordon, rows, folder, options)):
                runs.append({"repeat": repeat, **run})
                print(f"{rows:>10} {run['engine']:<7} wall {run['wall_s']:.2f} s, peak {run['peak_mb']:.0f} MB", file=sys.stderr)

    table = ratios(medians(runs), options.sizes)
    ends = (table[0], table[-1])
    exponents = {name: exponent(*((line["rows"], line[name]) for line in ends)) for name in ("work_s", "wall_s")} if len(table) > 1 else {}
    missed = missed_targets(table, exponents)
    version = subprocess.run([cordon, "--version"], capture_output=True, text=True).stdout.strip()
    relative = [str(part).replace(str(ROOT) + "/", "") for part in anonymize_command(cordon, folder, options)]
    text = summary(table, exponents, missed, [version, REQUIREMENTS.read_text().strip()],
                   ["bench/run_end_to_end.py " + " ".join(sys.argv[1:]), " ".join(relative)], options)
    measure.write_results(options.output, "raw.csv", runs, "summary.md", [text.rstrip("\n")])
    print(text)
    return 1 if options.gate and missed else 0


if __name__ == "__main__":
    sys.exit(main())
