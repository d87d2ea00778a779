#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `cordon append` before calls that write, change a name or make bytes durable. The store must be the old one or the new one, every file whole,
the private half with it, and the next append must work. Then takes away what may not have reached a disk when its machine stops: the journal must bring
it back. And counts how often an append waits for the disk: append_kill_test.py CORDON DIE_AT_LIBRARY"""
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
        """Rows and sum by the program, which checks every digest."""
        done = cordon("query", "store", "SELECT COUNT(*), SUM(salary)", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return tuple(each["lower"] for each in json.loads(done.stdout)["rows"][0]["aggregates"])

    def every_step(self, stride, *arguments):
        self.restore()
        old = self.answer()
        self.assertEqual(cordon("append", "store", *arguments, LD_PRELOAD=LIBRARY, DIE_COUNT="count").returncode, 0)
        new, (steps, _), seen = self.answer(), read_json("count"), set()
        self.assertGreater(steps, 20)
        for step in range(1, steps + 1, stride):
            self.restore()
            done = cordon("append", "store", *arguments, LD_PRELOAD=LIBRARY, DIE_AT=str(step))
            self.assertEqual(done.returncode, -signal.SIGKILL, f"{step} of {steps}")
            # As it was left, before anything of ours has looked at it: the three tables are those of the manifest, and there is no other file.
            files = read_json("store/manifest.json")["files"]
            self.assertEqual({*files, "manifest.json"}, set(os.listdir("store")))
            for name, entry in files.items():
                with open(f"store/{name}", "rb") as file:
                    self.assertEqual(hashlib.sha256(file.read()).hexdigest(), entry["sha256"])
            now = self.answer()
            self.assertIn(now, (old, new), f"{step} of {steps}")
            seen.add(now)
            if step % (3 * stride) != 1:
                continue
            after = cordon("append", "store", "last.csv")
            self.assertEqual(after.returncode, 0, after.stderr)
            self.assertEqual(self.answer()[0], now[0] + 5)
            state = read_json(glob.glob("store.private/state-*.json")[0])
            known = {part[kind]["file"] for part in state["truth"] for kind in ("values", "candidates")}
            kept = known | {"lock", "policy.toml", "journal", "spare"}
            left = {name for name in os.listdir("store.private") if not name.startswith("state-")}
            self.assertLessEqual(left, kept, "nothing is left behind")
            self.assertLessEqual(known, left)
        return {old, new}, seen

    def test_a_part_more(self):
        write("more.csv", 5000, 20)
        write("last.csv", 90000, 5)
        both, seen = self.every_step(3, "more.csv")
        self.assertEqual(seen, both)

    def append_batches(self, count, *options):
        os.rename("kept", "store")
        os.rename("kept.private", "store.private")
        for i in range(count):
            write(f"batch{i}.csv", 20000 + 7000 * i, 10)
            self.assertEqual(cordon("append", "store", f"batch{i}.csv", *options).returncode, 0)
        os.rename("store", "kept")
        os.rename("store.private", "kept.private")

    def test_a_part_more_in_the_spare(self):
        write("more.csv", 5000, 20)
        write("last.csv", 200000, 5)
        self.append_batches(3)
        self.assertTrue(os.path.exists("kept.private/spare"))
        both, seen = self.every_step(1, "more.csv")
        self.assertEqual(seen, both)

    def test_an_append_waits_for_the_disk_once(self):
        self.restore()
        syncs = []
        for i in range(20):
            write("batch.csv", 20000 + 7000 * i, 10)
            done = cordon("append", "store", "batch.csv", LD_PRELOAD=LIBRARY, DIE_COUNT="count")
            self.assertEqual(done.returncode, 0, done.stderr)
            syncs.append(read_json("count")[1])
        self.assertEqual(set(syncs), {1}, syncs)
        self.assertEqual(cordon("append", "store", "--compact").returncode, 0)
        write("batch.csv", 800000, 10)
        self.assertEqual(cordon("append", "store", "batch.csv", LD_PRELOAD=LIBRARY, DIE_COUNT="count").returncode, 0)
        self.assertEqual(read_json("count")[1], 1)
        shutil.rmtree("store.private/spare")  # it can be done without
        write("batch.csv", 850000, 10)
        self.assertEqual(cordon("append", "store", "batch.csv", LD_PRELOAD=LIBRARY, DIE_COUNT="count").returncode, 0)
        self.assertGreater(read_json("count")[1], 5)
        write("batch.csv", 5, 2)  # waits in the private half
        self.assertEqual(cordon("append", "store", "batch.csv", LD_PRELOAD=LIBRARY, DIE_COUNT="count").returncode, 0)
        self.assertEqual(read_json("count")[1], 1)
        # With another start of the machine the spare is read before it is used, and the store is made durable first.
        self.start_machine()
        write("batch.csv", 900000, 10)
        done = cordon("append", "store", "batch.csv", LD_PRELOAD=LIBRARY, DIE_COUNT="count")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(read_json("count")[1], 5)
        self.assertEqual(self.answer()[0], 30 + 22 * 10 + 2 + 10)

    def start_machine(self):
        """The journal is of before the machine was started, so all that is not durable may be lost."""
        with open("store.private/journal", "rb") as file:
            rest, entries = file.read(), []
        while rest:
            size = int(rest[:20])
            head, pieces = rest[84 : 84 + size].split(b"\n", 1)
            body = json.dumps({**json.loads(head), "boot": "before"}).encode() + b"\n" + pieces
            entries.append(b"%020d" % len(body) + hashlib.sha256(body).hexdigest().encode() + body)
            rest = rest[84 + size :]
        with open("store.private/journal", "wb") as file:
            file.write(b"".join(entries))
        return len(entries)

    def test_a_machine_that_stops_loses_nothing(self):
        self.append_batches(1, "--compact")  # all of it is durable
        durable = {name: os.path.getsize("kept/" + name) for name in os.listdir("kept")}
        private = set(os.listdir("kept.private"))
        os.rename("kept", "store")
        os.rename("kept.private", "store.private")
        for i in range(1, 6):
            write(f"batch{i}.csv", 20000 + 7000 * i, 10)
            self.assertEqual(cordon("append", "store", f"batch{i}.csv").returncode, 0)
        os.rename("store", "kept")
        os.rename("store.private", "kept.private")
        self.restore()
        new = self.answer()
        self.assertEqual(new[0], 90)

        def cut(path, size):
            with open(path, "r+b") as file:
                file.truncate(size)

        def tables(folder, what):
            for name, size in durable.items():
                if name != "manifest.json":
                    what(f"{folder}/{name}", size)

        def zeros(path, size):
            length = os.path.getsize(path)
            cut(path, size)
            cut(path, length)

        def remove_private(_):
            for name in set(os.listdir("store.private")) - private - {"journal", "spare"}:
                os.remove("store.private/" + name)

        losses = {
            "nothing": lambda _: None,
            "the new ends of the tables": lambda _: tables("store", cut),
            "what is in the new ends": lambda _: tables("store", zeros),
            "the new ends of the spare": lambda _: tables("store.private/spare", cut),
            "the manifest": lambda _: cut("store/manifest.json", 0),
            "new private files": remove_private,
            "the exchange": lambda _: (os.rename("store", "x"), os.rename("store.private/spare", "store"), os.rename("x", "store.private/spare")),
            "the tables of the store": lambda _: tables("store", lambda path, _: cut(path, 0)),
        }
        everything = [losses[each] for each in ("the new ends of the tables", "the manifest", "new private files")]
        losses["most of it"] = lambda _: [each(None) for each in everything]
        for name, lose in losses.items():
            with self.subTest(loss=name):
                self.restore()
                self.assertGreaterEqual(self.start_machine(), 4)
                lose(None)
                self.assertEqual(self.answer(), new)
                done = cordon("verify", "store", "--policy", "policy.toml")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                write("last.csv", 500000, 5)
                done = cordon("append", "store", "last.csv")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.answer()[0], 95)

    def test_a_table_that_is_mostly_dead_is_written_anew(self):
        os.rename("kept", "store")
        os.rename("kept.private", "store.private")
        columns = [f"column{i}" for i in range(120)]
        with open("policy.toml", "w") as file:
            file.write(POLICY + "".join(f'[attributes.{name}]\nrole = "insensitive"\n' for name in columns))
        shutil.rmtree("store")
        shutil.rmtree("store.private")

        def write_wide(path, first):
            with open(path, "w") as file:
                file.write(",".join(["age", "salary", *columns]) + "\n")
                for i in range(10):
                    file.write(",".join([str(20 + i), str(first + 100 * i), *(f"{name} {first} {i}" for name in columns)]) + "\n")

        write_wide("wide.csv", 1000)
        self.assertEqual(cordon("permute", "wide.csv", "--policy", "policy.toml", "--output", "store").returncode, 0)
        sizes = []
        for i in range(1, 15):
            write_wide("wide.csv", 1000 + 5000 * i)
            done = cordon("append", "store", "wide.csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            sizes.append(os.path.getsize("store/table.parquet"))
        self.assertLess(min(after - before for before, after in zip(sizes, sizes[1:])), 0, sizes)
        self.assertEqual(self.answer()[0], 150)
        self.assertEqual(cordon("verify", "store", "--policy", "policy.toml").returncode, 0)

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
