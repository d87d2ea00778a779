#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `cordon append` before calls that write, change a name or make bytes durable, with and without the loss of what was not made durable. The
store must be the old one or the new one, every file whole, the private half with it. What a reader of the folders has seen stays, and the next append
must work: append_kill_test.py CORDON DIE_AT_LIBRARY"""
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
ALL = "CORDON_TEST_ALL" in os.environ  # a kill and a loss of power at every step, not one of the two at some
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


def cuts(turn):
    both = ({}, {"DIE_POWER": "1"})
    return both if ALL else both[turn % 2:turn % 2 + 1]


def write(path, first, rows, unit=100):
    with open(path, "w") as file:
        file.write("age,salary\n" + "".join(f"{20 + i % 50},{first + unit * i}\n" for i in range(rows)))


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


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
        """Rows and sum by the program, which checks every digest."""
        done = cordon("query", "store", "SELECT COUNT(*), SUM(salary)", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return tuple(each["lower"] for each in json.loads(done.stdout)["rows"][0]["aggregates"])

    def check_verified(self, when):
        """The private half is whole. A file that no manifest names yet is the one thing to complain about, with its cure."""
        done = cordon("verify", "store", "--policy", "policy.toml")
        if done.returncode != 0:
            self.assertIn("the next append removes it", done.stderr, when)

    def published(self):
        """What a reader of the folders may have seen: names and bytes."""
        return {path: hashlib.sha256(read_bytes(path)).hexdigest() for path in glob.glob("store/*/*.parquet")}

    def check_as_it_was_left(self):
        """Before anything of ours has looked at it: the files that the manifest names are whole."""
        found = self.published()
        for name, entry in read_json("store/manifest.json")["files"].items():
            self.assertEqual(found["store/" + name], entry["sha256"], name)
        return found

    def check_next_append(self, rows, seen, old):
        after = cordon("append", "store", "last.csv")
        self.assertEqual(after.returncode, 0, after.stderr)
        self.assertEqual(self.answer()[0], rows + 5)
        files = read_json("store/manifest.json")["files"]
        self.assertEqual({f"store/{name}" for name in files}, set(glob.glob("store/*/*")), "nothing is left behind")
        for path, sha256 in seen.items():
            if path not in old:
                self.assertEqual(files[path[len("store/"):]]["sha256"], sha256, "what was seen stays")
        left = set(os.listdir("store.private"))
        self.assertEqual(left, {"policy.toml", "state.json", "next"})
        self.assertEqual(glob.glob("store.private/next/*/*"), [])

    def every_step(self, stride, *arguments):
        self.restore()
        old, parts = self.answer(), self.published()
        self.assertEqual(cordon("append", "store", *arguments, LD_PRELOAD=LIBRARY, DIE_COUNT="count").returncode, 0)
        new, (steps, _), seen = self.answer(), read_json("count"), set()
        self.assertGreater(steps, 20)
        stride *= 1 if ALL else 4
        for step in range(1, steps + 1, stride):
            for power in cuts(step // stride):
                self.restore()
                done = cordon("append", "store", *arguments, LD_PRELOAD=LIBRARY, DIE_AT=str(step), **power)
                self.assertEqual(done.returncode, -signal.SIGKILL, f"{step} of {steps}")
                shown = self.check_as_it_was_left()
                now = self.answer()
                self.assertIn(now, (old, new), f"{step} of {steps}")
                seen.add(now)
                if step % (3 * stride) == 1:
                    self.check_verified(f"{step} of {steps}")
                    decided = read_json("store.private/state.json")["manifest"]["rows"]  # what the next append finishes
                    self.check_next_append(decided, shown, parts)
        return {old, new}, seen

    def append_batches(self, count):
        os.rename("kept", "store")
        os.rename("kept.private", "store.private")
        for i in range(count):
            write(f"batch{i}.csv", 20000 + 7000 * i, 10)
            self.assertEqual(cordon("append", "store", f"batch{i}.csv").returncode, 0)
        os.rename("store", "kept")
        os.rename("store.private", "kept.private")

    def test_a_part_more(self):
        write("more.csv", 5000, 20)
        write("last.csv", 90000, 5)
        both, seen = self.every_step(1, "more.csv")
        self.assertEqual(seen, both)
        self.assertEqual(len(glob.glob("kept/table/*.parquet")), 1)

    def test_an_append_writes_new_files_only(self):
        self.append_batches(3)
        self.restore()
        before = {path: os.stat(path).st_ino for path in glob.glob("store/*/*.parquet")}
        write("more.csv", 5000, 20)
        self.assertEqual(cordon("append", "store", "more.csv").returncode, 0)
        after = {path: os.stat(path).st_ino for path in glob.glob("store/*/*.parquet")}
        self.assertEqual({path: after[path] for path in before}, before)
        self.assertEqual(len(after), len(before) + 3)

    def test_all_parts_made_one(self):
        write("more.csv", 5000, 20)
        write("last.csv", 200000, 5)
        self.append_batches(2)
        self.every_step(5, "more.csv", "--compact")
        self.restore()
        self.assertEqual(cordon("append", "store", "more.csv", "--compact").returncode, 0)
        self.assertEqual([part["rows"] for part in read_json("store/manifest.json")["parts"]], [70])

    def test_the_last_parts_made_one(self):
        write("more.csv", 5000, 20)
        write("last.csv", 200000, 5)
        self.append_batches(15)
        self.assertEqual(len(read_json("kept/manifest.json")["parts"]), 16)
        self.every_step(7, "more.csv")
        self.restore()
        self.assertEqual(cordon("append", "store", "more.csv").returncode, 0)
        self.assertEqual([part["rows"] for part in read_json("store/manifest.json")["parts"]], [30, 170])

    def test_a_new_store(self):
        cordon("permute", "rows.csv", "--policy", "policy.toml", "--output", "made", LD_PRELOAD=LIBRARY, DIE_COUNT="count")
        steps, seen = read_json("count")[0], set()
        for step in sorted({*range(1, steps + 1, 2 if ALL else 5), steps}):
            for power in cuts(step // 2):
                for half in ("store", "store.private"):
                    shutil.rmtree(half, ignore_errors=True)
                permute = ("permute", "rows.csv", "--policy", "policy.toml", "--output", "store")
                self.assertEqual(cordon(*permute, LD_PRELOAD=LIBRARY, DIE_AT=str(step), **power).returncode, -signal.SIGKILL)
                there = os.path.exists("store")
                seen.add(there)
                if not there:
                    done = cordon(*permute)  # starts over, or puts into place what was decided
                    self.assertTrue(done.returncode == 0 or "is in place now" in done.stderr, done.stderr)
                self.assertEqual(self.answer()[0], 30)
                self.assertEqual(set(os.listdir("store.private")), {"policy.toml", "state.json"})
        self.assertEqual(seen, {False, True})

    def test_rows_that_wait(self):
        write("more.csv", 5000, 2)
        write("last.csv", 90000, 3)
        taken = set()
        for step in range(1, 20, 1 if ALL else 2):
            self.restore()
            cordon("append", "store", "more.csv", LD_PRELOAD=LIBRARY, DIE_AT=str(step), DIE_POWER="1")
            self.assertEqual(self.answer()[0], 30)
            report = json.loads(cordon("append", "store", "last.csv", "--json").stdout)
            taken.add(report["rows"])
        self.assertEqual(taken, {3, 5})  # the two rows were taken in, or not

    def test_with_a_registry(self):
        """What is published is entered, or named by history --check and entered by the next append. Nothing else is entered."""
        with open("staff.toml", "w") as file:
            file.write('population = "staff"\n' + POLICY)
        for half in ("", ".private"):
            shutil.rmtree("kept" + half)
        self.assertEqual(cordon("permute", "rows.csv", "-p", "staff.toml", "-o", "store", "--registry", "R.db").returncode, 0)
        write("first.csv", 3000, 10)
        self.assertEqual(cordon("append", "store", "first.csv", "--registry", "R.db").returncode, 0)
        for half in ("", ".private"):
            os.rename("store" + half, "kept" + half)
        os.rename("R.db", "kept.db")
        write("more.csv", 5000, 20)
        write("last.csv", 90000, 5)
        self.assertEqual(self.registered_steps(1, "more.csv"), {"not published", "published", "entered"})
        self.assertLessEqual({"not published", "published"}, self.registered_steps(5, "more.csv", "--compact"))

    def check_same_append(self, append, decided, where):
        """Given again, it appends, or says that the rows are there already. Either way they are entered, once."""
        done = cordon(*append)
        self.assertEqual(done.returncode, 2 if decided else 0, (where, done.stderr))
        self.assertEqual("is in the store already" in done.stderr, decided, (where, done.stderr))
        status, said = self.history()
        self.assertEqual((status, said["pending"], [each["rows"] for each in said["releases"]]), (0, [], [30, 10, 20]), where)

    def registered_steps(self, stride, *arguments):
        append = ("append", "store", *arguments, "--registry", "R.db")
        self.restore_registered()
        self.assertEqual(cordon(*append, LD_PRELOAD=LIBRARY, DIE_COUNT="count").returncode, 0)
        states = set()
        for step in range(1, read_json("count")[0] + 1, stride if ALL else 3 * stride):  # odd and even ones
            for power in cuts(step // 2):
                self.restore_registered()
                seen = self.published()
                self.assertEqual(cordon(*append, LD_PRELOAD=LIBRARY, DIE_AT=str(step), **power).returncode, -signal.SIGKILL)
                there = not self.published().keys() <= seen.keys()
                status, said = self.history()
                if len(said["releases"]) == 3:
                    self.assertEqual((status, there), (0, True), (step, power))
                    states.add("entered")
                elif there:
                    self.assertEqual((status, [each["state"] for each in said["pending"]]), (1, ["published"]), (step, power))
                    states.add("published")
                else:
                    self.assertEqual((status, len(said["releases"])), (0, 2), (step, power))
                    states.add("not published")
                decided = read_json("store.private/state.json")["manifest"]["rows"]
                if step % 2 == 0:
                    self.check_same_append(append, decided == 60, (step, power))
                    continue
                done = cordon("append", "store", "last.csv", "--registry", "R.db")
                self.assertEqual(done.returncode, 0, done.stderr)
                status, said = self.history()
                self.assertEqual((status, said["pending"]), (0, []), (step, power))
                self.assertEqual([each["rows"] for each in said["releases"]], [30, 10] + [20] * (decided == 60) + [5])
        return states

    def restore_registered(self):
        self.restore()
        for path in glob.glob("R.db*"):
            os.remove(path)
        shutil.copy("kept.db", "R.db")

    def history(self):
        done = cordon("history", "R.db", "--check", "--json")
        return done.returncode, json.loads(done.stdout)


if __name__ == "__main__":
    unittest.main()
