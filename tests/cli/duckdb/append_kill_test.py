#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `cordon append` before every third call that writes, changes a name or makes bytes durable. The store must be the old one or the new one,
every file whole, the private half with it, and the next append must work: append_kill_test.py CORDON DIE_AT_LIBRARY"""
import glob
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

CORDON, LIBRARY = (os.path.abspath(path) for path in (sys.argv.pop(1), sys.argv.pop(1)))
POLICY = """
[attributes.age]
role = "quasi"
type = "numeric"
[attributes.salary]
role = "sensitive"
type = "numeric"
[[privacy]]
model = "ke-anonymity"
sensitive = "salary"
k = 3
e = 10
"""


def cordon(*arguments, **environment):
    return subprocess.run([CORDON, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


def write(path, first, rows, unit=100):
    with open(path, "w") as file:
        file.write("age,salary\n" + "".join(f"{20 + i % 50},{first + unit * i}\n" for i in range(rows)))


def read_json(path):
    with open(path) as file:
        return json.load(file)


class AppendKills(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        os.chdir(self.folder)
        with open("policy.toml", "w") as file:
            file.write(POLICY)
        write("rows.csv", 1000, 30)
        self.assertEqual(cordon("permute", "rows.csv", "--policy", "policy.toml", "--output", "kept").returncode, 0)

    def tearDown(self):
        os.chdir("/")
        shutil.rmtree(self.folder)

    def restore(self):
        for half in ("", ".private"):
            shutil.rmtree("store" + half, ignore_errors=True)
            shutil.copytree("kept" + half, "store" + half)

    def answer(self):
        """Rows and sum by the program, which checks every digest; rows by the manifest."""
        done = cordon("query", "store", "SELECT COUNT(*), SUM(salary)", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return tuple(each["lower"] for each in json.loads(done.stdout)["rows"][0]["aggregates"])

    def every_step(self, stride, *arguments):
        self.restore()
        old = self.answer()
        self.assertEqual(cordon("append", "store", *arguments, LD_PRELOAD=LIBRARY, DIE_COUNT="count").returncode, 0)
        new, steps, seen = self.answer(), read_json("count"), set()
        self.assertGreater(steps, 20)
        for step in range(1, steps + 1, stride):
            self.restore()
            done = cordon("append", "store", *arguments, LD_PRELOAD=LIBRARY, DIE_AT=str(step))
            self.assertEqual(done.returncode, -signal.SIGKILL, f"{step} of {steps}")
            now = self.answer()
            self.assertIn(now, (old, new), f"{step} of {steps}")
            # The three tables are those of the manifest, and there is no other file.
            files = read_json("store/manifest.json")["files"]
            self.assertEqual({*files, "manifest.json"}, set(os.listdir("store")))
            for name, entry in files.items():
                with open(f"store/{name}", "rb") as file:
                    self.assertEqual(hashlib.sha256(file.read()).hexdigest(), entry["sha256"])
            seen.add(now)
            if step % (3 * stride) != 1:
                continue
            after = cordon("append", "store", "last.csv")
            self.assertEqual(after.returncode, 0, after.stderr)
            self.assertEqual(self.answer()[0], now[0] + 5)
            state = read_json(glob.glob("store.private/state-*.json")[0])
            known = {part[kind]["file"] for part in state["truth"] for kind in ("values", "candidates")}
            left = {name for name in os.listdir("store.private") if name.endswith((".parquet", ".tmp")) or "next" in name}
            self.assertEqual(left, known, "nothing is left behind")
        return {old, new}, seen

    def test_a_part_more(self):
        write("more.csv", 5000, 20)
        write("last.csv", 90000, 5)
        both, seen = self.every_step(3, "more.csv")
        self.assertEqual(seen, both)

    def append_batches(self, count):
        os.rename("kept", "store")
        os.rename("kept.private", "store.private")
        for i in range(count):
            write(f"batch{i}.csv", 20000 + 7000 * i, 10)
            self.assertEqual(cordon("append", "store", f"batch{i}.csv").returncode, 0)
        os.rename("store", "kept")
        os.rename("store.private", "kept.private")

    def test_all_parts_made_one(self):
        write("more.csv", 5000, 20)
        write("last.csv", 200000, 5)
        self.append_batches(2)
        self.every_step(11, "more.csv", "--compact")
        self.restore()
        self.assertEqual(cordon("append", "store", "more.csv", "--compact").returncode, 0)
        self.assertEqual([part["rows"] for part in read_json("store/manifest.json")["parts"]], [70])

    def test_the_last_parts_made_one(self):
        write("more.csv", 5000, 20)
        write("last.csv", 200000, 5)
        self.append_batches(15)
        self.assertEqual(len(read_json("kept/manifest.json")["parts"]), 16)
        self.every_step(11, "more.csv")
        self.restore()
        self.assertEqual(cordon("append", "store", "more.csv").returncode, 0)
        self.assertEqual([part["rows"] for part in read_json("store/manifest.json")["parts"]], [30, 170])

    def test_rows_that_wait(self):
        write("more.csv", 5000, 2)
        write("last.csv", 90000, 3)
        self.restore()
        for step in range(1, 10):
            self.restore()
            cordon("append", "store", "more.csv", LD_PRELOAD=LIBRARY, DIE_AT=str(step))
            self.assertEqual(self.answer()[0], 30)
            report = json.loads(cordon("append", "store", "last.csv", "--json").stdout)
            self.assertIn(report["rows"], (3, 5))  # the two rows were taken in, or not


if __name__ == "__main__":
    unittest.main()
