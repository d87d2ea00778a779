# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this folder share: they run cordon as a user would, take what a run costs, write policies and print tables."""
import csv
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIME = "/usr/bin/time"
TIME_FORM = "%e %U %S %M"  # wall, user and system seconds; peak memory in KB


class Failed(Exception):
    """A command that did not end with 0; the text is what it said."""


class Cost:
    """What a process cost: wall_s, user_s, cpu_s (user and system, of all threads) and peak_mb."""

    def __init__(self, report):
        # If the command fails, `time` says so in a line before.
        wall, user, system, kilobytes = report.strip().splitlines()[-1].split()
        self.wall_s, self.user_s = float(wall), float(user)
        self.cpu_s = round(float(user) + float(system), 2)
        self.peak_mb = round(int(kilobytes) / 1024, 1)


def timed(command, report):
    """The command as a child of `time`, a small process: peak memory is inherited from the process that forks."""
    return [TIME, "-f", TIME_FORM, "-o", str(report), *map(str, command)]


def run(command, **options):
    """Runs a command to its end. -> (stdout, Cost); Failed with its stderr if it does not end with 0."""
    with tempfile.NamedTemporaryFile("r", suffix=".txt") as report:
        done = subprocess.run(timed(command, report.name), capture_output=True, text=True, **options)
        if done.returncode != 0:
            raise Failed(done.stderr.strip() or f"exit {done.returncode}: {' '.join(map(str, command))}")
        return done.stdout, Cost(report.read())


def cpu_seconds_of_all():
    """CPU seconds of this process and all below it, with those of their children that have ended."""
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
    return total / os.sysconf("SC_CLK_TCK")


def find_cordon(given=None, presets=("release", "bench")):
    candidates = [Path(given)] if given else [ROOT / "build" / preset / "cordon" for preset in presets]
    for path in candidates:
        if path.is_file() and os.access(path, os.X_OK):
            return path.resolve()
    sys.exit(f"no cordon at {' or '.join(map(str, candidates))}: run make build, or give --cordon")


def runs_folder():
    """Where results of today and of this machine are kept."""
    return ROOT / "bench" / "runs" / f"{datetime.date.today()}-{platform.machine()}-{os.cpu_count()}cpu"


def read_json(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def toml_value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, list)) else str(value)


def toml_keys(keys):
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in keys.items())


def privacy(models):
    """[(name, {key: value})] -> the [[privacy]] tables of a policy"""
    return "".join("[[privacy]]\n" + toml_keys({"model": name, **keys}) for name, keys in models)


def attributes(columns):
    """{column: {key: value}} -> the [attributes] tables of a policy"""
    return "".join(f"[attributes.{name}]\n" + toml_keys(keys) for name, keys in columns.items())


def markdown_row(values):
    return "| " + " | ".join(str(value) for value in values) + " |"


def markdown_head(names):
    return [markdown_row(names), "|" + "---|" * len(names)]


def markdown_table(rows):
    """[{column: cell}], all with the columns of the first -> lines"""
    return markdown_head(rows[0]) + [markdown_row(row.values()) for row in rows]


def write_results(folder, table, rows, summary, lines):
    """Every run as a CSV file, and what they come to as Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(folder / table, rows)
    (folder / summary).write_text("\n".join([*lines, ""]), encoding="utf-8")


def write_csv(path, rows):
    """[{column: cell}] -> a CSV file with every column that occurs"""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
