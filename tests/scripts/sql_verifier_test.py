#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A third verifier: the statements of cordon verify --sql, run by databases.

    sql_verifier_test.py CORDON --duckdb LIBDUCKDB [--postgres FOLDER_OF_INITDB --psql PSQL] [--tables N] [--seed S]

The random tables of two_verifiers_test.py, published and tampered with, go to cordon, to the Python verifier, to DuckDB and, if
asked for, to a PostgreSQL server that is started for the test. For every model that SQL decides, whether it holds must be the
same, and so must the number of failing groups. So it is for the five ways to tamper with a release.
"""
import argparse
import collections
import ctypes
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
specification = importlib.util.spec_from_file_location("two_verifiers_test", HERE / "two_verifiers_test.py")
two = importlib.util.module_from_spec(specification)
specification.loader.exec_module(two)

DECIDED = ("k-anonymity", "ks-anonymity", "l-diversity", "t-closeness", "beta-likeness", "alpha-k", "confidence", "ke-anonymity")


def quoted(text):
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def table_statements(names, rows, text_type):
    columns = ", ".join('"' + name.replace('"', '""') + f'" {text_type}' for name in names)
    made = [f"CREATE TEMP TABLE release ({columns})"]
    if rows:
        made.append("INSERT INTO release VALUES " + ", ".join("(" + ", ".join(map(quoted, row)) + ")" for row in rows))
    return made


class DuckDb:
    name = "duckdb"

    def __init__(self, library):
        self.lib = ctypes.CDLL(library)
        self.lib.duckdb_result_error.restype = ctypes.c_char_p
        self.lib.duckdb_value_varchar.restype = ctypes.c_void_p
        self.lib.duckdb_row_count.restype = self.lib.duckdb_column_count.restype = ctypes.c_uint64
        self.lib.duckdb_value_varchar.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        self.lib.duckdb_free.argtypes = [ctypes.c_void_p]

    def ask(self, names, rows, statement):
        database, connection = ctypes.c_void_p(), ctypes.c_void_p()
        self.lib.duckdb_open(None, ctypes.byref(database))
        self.lib.duckdb_connect(database, ctypes.byref(connection))
        try:
            for each in table_statements(names, rows, "VARCHAR") + [statement]:
                result = ctypes.create_string_buffer(1024)
                if self.lib.duckdb_query(connection, each.encode(), result) != 0:
                    raise two.Disagreement(f"duckdb: {self.lib.duckdb_result_error(result).decode()}\n{each}")
            found = []
            for row in range(self.lib.duckdb_row_count(result)):
                cells = []
                for column in range(4):
                    pointer = self.lib.duckdb_value_varchar(result, column, row)
                    cells.append(ctypes.string_at(pointer).decode() if pointer else None)
                    self.lib.duckdb_free(pointer)
                found.append(cells)
            return found
        finally:
            self.lib.duckdb_disconnect(ctypes.byref(connection))
            self.lib.duckdb_close(ctypes.byref(database))


class Postgres:
    """A separate server in a folder, which listens to nobody but a socket there."""
    name = "postgres"

    def __init__(self, programs, psql):
        self.psql, self.programs, self.folder = psql, Path(programs), tempfile.mkdtemp(prefix="cordon_pg_", dir="/tmp")
        self.user = []
        if os.geteuid() == 0:  # the server refuses to run as root
            os.chown(self.folder, 65534, 65534)
            self.user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        data = f"{self.folder}/data"
        self.run("initdb", "-D", data, "-A", "trust", "-U", "cordon", "--no-sync", "-E", "UTF8", "--locale", "C.UTF-8")
        self.run("pg_ctl", "-D", data, "-w", "-l", f"{self.folder}/log", "-o", f"-c listen_addresses='' -k {self.folder} -c fsync=off", "start")

    def run(self, program, *arguments, **options):
        done = subprocess.run([*self.user, self.psql if program == "psql" else self.programs / program, *arguments], cwd="/", stdout=subprocess.PIPE if "input" in options else subprocess.DEVNULL,
                              stderr=subprocess.PIPE if "input" in options else subprocess.DEVNULL, text=True, timeout=120, **options)
        if done.returncode != 0:
            raise two.Disagreement(f"{program}: {done.returncode} {done.stderr}")
        return done.stdout

    def ask(self, names, rows, statement):
        script = "SET client_min_messages = error;\n" + "".join(each + ";\n" for each in table_statements(names, rows, "TEXT") + [statement])
        text = self.run("psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-P", "null=\x1e", "-h", self.folder, "-U", "cordon", "postgres",
                        input=script)
        cells = [line.split("\x1f") for line in text.split("\n") if line]
        return [[None if cell == "\x1e" else {"t": "true", "f": "false"}.get(cell, cell) for cell in line] for line in cells]

    def stop(self):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


class SqlCase(two.Case):
    engines = []

    def compare(self, what, *arguments):
        status = super().compare(what, *arguments)
        if status == 2 or len(arguments) != 3 or arguments[1] != "--policy" or (self.folder / arguments[0]).is_dir():
            return status
        self.third(what, arguments[0], self.second(*arguments)[1])
        return status

    def third(self, what, name, judged):
        policy = two.verify_release.read_policy(str(self.folder / "p.toml"))
        beside = self.folder / f"{name}.manifest.json"
        beside = two.verify_release.read_json(str(beside)) if beside.exists() else None
        names, rows = two.published_cells(self.folder / name, two.verify_release.text_form(policy), two.verify_release.names_of(name, policy, beside))
        for engine in self.engines:
            asked = self.run("verify", name, "--policy", "p.toml", "--sql", engine.name)
            if asked.returncode != 0:
                raise two.Disagreement(f"seed {self.seed}, {what}: verify --sql ends with {asked.returncode}: {asked.stderr}")
            found = engine.ask(names, rows, asked.stdout)
            if len(found) != len(judged["privacy"]):
                raise two.Disagreement(f"seed {self.seed}, {what}: {engine.name} has {len(found)} verdicts")
            for (_, model, holds, failing), verdict in zip(found, judged["privacy"]):
                self.counts[f"{engine.name}: {re.sub('[(].*', '', model)}, {'not decided' if holds is None else 'holds' if holds == 'true' else 'does not hold'}"] += 1
                if holds is not None and (holds, int(failing)) != (str(verdict["holds"]).lower(), verdict["failing_groups"]):
                    raise two.Disagreement(f"seed {self.seed}, {what}, {name}: {engine.name} says {model} {holds}, {failing} failing; the others {json.dumps(verdict)}")


POLICY = """[attributes.age]
role = "quasi"
type = "numeric"
[attributes.ill]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 3
[[privacy]]
model = "l-diversity"
sensitive = "ill"
l = 2
[[privacy]]
model = "t-closeness"
sensitive = "ill"
t = 0.2
distance = "equal"
"""


def five_ways(cordon, engines):
    """A deleted row, a doubled group, a falsified box, a changed and an exchanged sensitive cell, each so that a model breaks. Every
    verifier refuses all five, next to the old manifest and next to none."""
    folder = Path(tempfile.mkdtemp(prefix="five_ways_"))
    (folder / "p.toml").write_text(POLICY)
    (folder / "in.csv").write_text("age,ill\n" + "".join(f"{20 + i},{['flu', 'cold', 'ulcer'][i % 3]}\n" for i in range(30)))
    run = lambda *arguments: subprocess.run([cordon, *arguments], cwd=folder, capture_output=True, text=True)
    assert run("anonymize", "in.csv", "--policy", "p.toml", "--output", "out.csv", "--order", "sorted").returncode == 0
    header, *lines = (folder / "out.csv").read_text().splitlines()
    rows = [line.rsplit(",", 1) for line in lines]
    box = rows[0][0]
    first = [i for i, row in enumerate(rows) if row[0] == box]
    other = next(i for i, row in enumerate(rows) if row[0] != box and row[1] != rows[first[0]][1])
    ways = {"deleted": [row for i, row in enumerate(rows) if i not in first[2:]],
            "box falsified": [['"[0,99]"', ill] if i == first[0] else [age, ill] for i, (age, ill) in enumerate(rows)],
            "moved": [[box, ill] if i == other else [rows[other][0], ill] if i in first[1:] else [age, ill] for i, (age, ill) in enumerate(rows)],
            "changed": [[age, "flu"] if age == box else [age, ill] for age, ill in rows],
            "exchanged": [[age, sorted(each[1] for each in rows)[i]] for i, (age, ill) in enumerate(rows)]}
    wrong = []
    for what, made in ways.items():
        (folder / "out.csv").write_text("\n".join([header, *(",".join(row) for row in made)]) + "\n")
        shutil.copy(folder / "out.csv", folder / "bare.csv")
        script = [sys.executable, "-B", str(HERE.parents[1] / "scripts" / "verify_release.py")]
        answers = {"verify": run("verify", "out.csv", "--policy", "p.toml").returncode, "verify, no manifest": run("verify", "bare.csv", "--policy", "p.toml").returncode,
                   "python": subprocess.run([*script, "out.csv"], cwd=folder, capture_output=True).returncode,
                   "python, no manifest": subprocess.run([*script, "bare.csv", "--policy", "p.toml"], cwd=folder, capture_output=True).returncode}
        for engine in engines:
            found = engine.ask(["age", "ill"], [[age.strip('"'), ill] for age, ill in made], run("verify", "--policy", "p.toml", "--sql", engine.name).stdout)
            answers[engine.name] = 1 if any(row[2] != "true" for row in found) else 0
        print(f"{what}: {answers}")
        wrong += [f"{what}: {who} says {answer}" for who, answer in answers.items() if answer != 1]
    shutil.rmtree(folder)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cordon")
    parser.add_argument("--duckdb", required=True)
    parser.add_argument("--postgres", help="the folder of initdb and pg_ctl")
    parser.add_argument("--psql", default="psql")
    parser.add_argument("--tables", type=int, default=40 if two.ALL else 15)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    cordon = str(Path(asked.cordon).resolve())
    postgres = Postgres(asked.postgres, asked.psql) if asked.postgres else None
    SqlCase.engines = [DuckDb(asked.duckdb)] + ([postgres] if postgres else [])
    counts = collections.Counter()
    try:
        wrong = five_ways(cordon, SqlCase.engines)
        for seed in range(asked.seed, asked.seed + asked.tables):
            folder = tempfile.mkdtemp(prefix=f"sql_verifier_{seed}_")
            case = SqlCase(cordon, seed, folder)
            try:
                two.table_case(case)
                shutil.rmtree(folder)
            except two.Disagreement as found:
                wrong.append(f"{found}\n  files: {folder}")
                print(wrong[-1], flush=True)
            counts += case.counts
            if len(wrong) >= 5:
                break
    finally:
        if postgres:
            postgres.stop()
    if asked.tables >= 80:  # a verifier that never decides agrees with everybody
        answers = [f"{engine.name}: {model}, {answer}" for engine in SqlCase.engines for model in DECIDED for answer in ("holds", "does not hold")]
        wrong += [f"never seen: {answer}" for answer in answers if not counts[answer]]
    for what, count in sorted(counts.items()):
        print(f"{count:7} {what}")
    print("\n".join(wrong + [f"{len(wrong)} disagreements"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
