#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Releases that a stranger has changed, with digests that fit: attacked_releases_test.py CORDON

Each test is an attack that one of the two verifiers once accepted, or on which they differed. Both give the same exit status.
"""
import contextlib
import copy
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import second_verifier
from second_verifier import verify_release

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:  # then the second verifier reads neither Parquet nor stores
    pyarrow = None

CORDON = ""
PATIENCE = 60  # seconds: what takes longer waits for a pipe
ILLS = ("Flu", "Asthma", "Ulcer", "Angina")
HIERARCHY = "Flu;Lung;*\nAsthma;Lung;*\nUlcer;Other;*\nAngina;Other;*\n"
COLUMNS = """[attributes.age]
role = "quasi"
type = "numeric"
[attributes.sex]
role = "quasi"
[attributes.ill]
role = "sensitive"
hierarchy = "ill.csv"
[attributes.cost]
role = "sensitive"
type = "numeric"
values = [10, 20, 30, 40]
"""
POLICY = COLUMNS + """[[privacy]]
model = "k-anonymity"
k = 3
[[privacy]]
model = "t-closeness"
sensitive = "ill"
distance = "hierarchical"
t = 0.9
[[privacy]]
model = "t-closeness"
sensitive = "cost"
t = 0.9
"""
KE_POLICY = """[attributes.age]
role = "quasi"
type = "numeric"
[attributes.sex]
role = "quasi"
[attributes.cost]
role = "sensitive"
type = "numeric"
[[privacy]]
model = "ke-anonymity"
sensitive = "cost"
k = 3
e = 5
"""
STREAM_POLICY = """[attributes.age]
role = "quasi"
type = "numeric"
range = [0, 99]
[[privacy]]
model = "ks-anonymity"
k = 3
[stream]
delay = 10
"""


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Attack(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)
        (self.folder / "ill.csv").write_text(HIERARCHY)
        (self.folder / "policy.toml").write_text(POLICY)
        rows = [(20 + 7 * i % 40, "MF"[i % 2], ILLS[i * i % 7 % 4], 10 * (i % 4 + 1)) for i in range(48)]
        (self.folder / "in.csv").write_text("age,sex,ill,cost\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))

    def cordon(self, *arguments):
        return subprocess.run([CORDON, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL)

    def made(self, *arguments):
        done = self.cordon(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def release(self, name):
        """Made by cordon; the run record, which knows the true bytes, goes."""
        self.made("anonymize", "in.csv", "--policy", "policy.toml", "--output", name)
        (self.folder / (name + ".private.json")).unlink()
        return json.loads((self.folder / (name + ".manifest.json")).read_text())

    def put(self, name, manifest, data=None):
        data = (self.folder / name).read_bytes() if data is None else data
        (self.folder / name).write_bytes(data)
        manifest["output"].update(sha256=digest(data), bytes=len(data))
        (self.folder / (name + ".manifest.json")).write_text(json.dumps(manifest))

    def answers(self, name, policy="policy.toml", *more):
        """Of cordon, of the second verifier by the manifest, and by the policy: exit status and what is said."""
        done = [self.cordon("verify", name, "--policy", policy, *more), second_verifier.run(name, *more, cwd=self.folder),
                second_verifier.run(name, "--policy", policy, *more, cwd=self.folder)]
        return [each.returncode for each in done], "\n".join(each.stdout + each.stderr for each in done)

    def expect(self, wanted, name, words="", **more):
        status, text = self.answers(name, **more)
        self.assertEqual(status, list(wanted) if isinstance(wanted, tuple) else [wanted] * 3, text)
        self.assertIn(words, text)
        self.assertNotIn("Traceback", text)


class Tables(Attack):
    @unittest.skipUnless(pyarrow, "needs pyarrow")
    def test_types_of_which_readers_would_cut_digits(self):
        manifest = self.release("out.parquet")
        self.expect(0, "out.parquet")
        table = pyarrow.parquet.read_table(self.folder / "out.parquet")
        different = range(table.num_rows)
        instants = pyarrow.array(list(different), "int64").cast(pyarrow.timestamp("ns"))
        times = pyarrow.array(list(different), pyarrow.time64("ns"))
        columns = {"TIME in nanoseconds": times,
                   "TIMESTAMP in nanoseconds with a time zone": pyarrow.array(list(different), pyarrow.timestamp("ns", "UTC")),
                   "INT96": instants,
                   "DECIMAL of more than 38 digits": pyarrow.array(list(different), pyarrow.decimal256(50, 20)),
                   "the Parquet type TIME in": pyarrow.StructArray.from_arrays([times], ["inside"])}
        for kind, cells in columns.items():
            with self.subTest(kind):
                pyarrow.parquet.write_table(table.set_column(table.column_names.index("sex"), "sex", cells),
                                            self.folder / "out.parquet", use_deprecated_int96_timestamps=kind == "INT96")
                self.put("out.parquet", copy.deepcopy(manifest))
                self.expect(2, "out.parquet", "column sex has the Parquet type")
                self.assertIn(kind, self.answers("out.parquet")[1])
                self.assertEqual(self.cordon("anonymize", "out.parquet", "--policy", "policy.toml", "--output", "x.csv").returncode, 2)
                query = self.cordon("inspect", "sql:SELECT CAST(sex AS VARCHAR) AS sex FROM 'out.parquet'")
                self.assertEqual(query.returncode, 2, query.stdout)

    @unittest.skipUnless(pyarrow, "needs pyarrow")
    def test_nanoseconds_without_a_zone_are_read(self):
        """As pandas writes them: none is lost."""
        manifest = self.release("out.parquet")
        table = pyarrow.parquet.read_table(self.folder / "out.parquet")
        for values, wanted in (([0] * 48, 0), (list(range(48)), 1)):
            cells = pyarrow.array(values, "int64").cast(pyarrow.timestamp("ns"))
            pyarrow.parquet.write_table(table.set_column(table.column_names.index("sex"), "sex", cells), self.folder / "out.parquet")
            self.put("out.parquet", copy.deepcopy(manifest))
            status, text = self.answers("out.parquet")
            self.assertEqual([each == 0 for each in status[::2]], [wanted == 0] * 2, text)


if __name__ == "__main__":
    CORDON = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
