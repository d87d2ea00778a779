#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `cordon anonymize --registry` before calls that write, change a name or make bytes durable. A release that is there
is in the registry, or `cordon history --check` names it, and the next run with the registry enters it. Nothing is entered that is
not there: registry_kill_test.py CORDON DIE_AT_LIBRARY"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

CORDON, LIBRARY = (os.path.abspath(path) for path in (sys.argv.pop(1), sys.argv.pop(1)))
ALL = "CORDON_TEST_ALL" in os.environ  # every call in every test, not every third
POLICY = """
population = "people"
[attributes.age]
role = "quasi"
type = "numeric"
[attributes.ill]
role = "sensitive"
unguarded = "a test"
[[privacy]]
model = "k-anonymity"
k = 3
"""


def cordon(*arguments, **environment):
    return subprocess.run([CORDON, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


def anonymize(output, **environment):
    return cordon("anonymize", "rows.csv", "--policy", "policy.toml", "--output", output, "--registry", "R.db", **environment)


def history():
    done = cordon("history", "R.db", "--check", "--json")
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def released(said, key="releases"):
    return [release["files"][0]["path"] for release in said[key]]


class RegistryKills(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        os.chdir(self.folder)
        with open("policy.toml", "w") as file:
            file.write(POLICY)
        with open("rows.csv", "w") as file:
            file.write("age,ill\n" + "".join(f"{20 + 7 * i % 50},{'abc'[i % 3]}\n" for i in range(40)))

    def tearDown(self):
        os.chdir("/")
        shutil.rmtree(self.folder)

    def clear(self, keep):
        for name in os.listdir():
            if name not in keep:
                os.remove(name)

    def every_step(self, first, before, **environment):
        """`first`: tests that begin with another step take other ones. `before`: the releases of the registry that is there. Tells in which states the registry was found."""
        kept = {name: pathlib.Path(name).read_bytes() for name in os.listdir()}
        self.assertEqual(anonymize("new.csv", LD_PRELOAD=LIBRARY, DIE_COUNT="count").returncode, 0)
        with open("count") as file:
            steps = json.load(file)[0]
        seen = set()
        for step in range(1, steps + 1) if ALL else range(first, steps + 1, 3):
            self.clear([])
            for name, text in kept.items():
                with open(os.open(name, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
                    file.write(text)
            done = anonymize("new.csv", LD_PRELOAD=LIBRARY, DIE_AT=str(step), **environment)
            self.assertEqual(done.returncode, -signal.SIGKILL, step)
            if os.path.exists("R.db"):
                self.assertEqual(os.stat("R.db").st_nlink, 1, step)  # by a second name, other runs would lose their locks on it
            status, said, error = history()
            there = os.path.exists("new.csv")
            if said is None:  # no registry was there, and none came to be
                self.assertEqual((status, before, there), (2, [], False), (step, error))
                seen.add("no registry")
                continue
            entered, pending = released(said), {p["files"][0]["path"]: p["state"] for p in said["pending"]}
            if "new.csv" in entered:
                self.assertEqual((status, entered, there), (0, before + ["new.csv"], True), step)
                seen.add("entered")
            elif there:
                self.assertEqual((status, entered, pending), (1, before, {"new.csv": "published"}), step)
                self.assertIn("new.csv: published, and not entered", cordon("history", "R.db", "--check").stdout)
                seen.add("published")
            else:
                self.assertEqual((status, entered), (0, before), step)
                self.assertIn(pending, ({}, {"new.csv": "not published"}), step)
                seen.add("not published")
            # The next run enters what was published, and leaves nothing behind.
            done = anonymize("next.csv")
            self.assertEqual(done.returncode, 0, (step, done.stderr))
            self.assertEqual("new.csv" in done.stderr, there and before == [], (step, done.stderr))  # named as the first release
            status, said, error = history()
            expected = before + (["new.csv"] if there else []) + ["next.csv"]
            self.assertEqual((status, released(said), said["pending"]), (0, expected, []), (step, error))
            self.assertEqual([name for name in os.listdir() if name.startswith((".cordon-", "R.db-", "R.db."))], [], step)
        return seen

    def test_killed_with_a_registry(self):
        self.assertEqual(anonymize("old.csv").returncode, 0)
        self.assertEqual(self.every_step(1, ["old.csv"]), {"not published", "published", "entered"})

    def test_killed_while_the_registry_is_made(self):
        self.assertEqual(self.every_step(2, []), {"no registry", "not published", "published", "entered"})

    def test_the_power_fails(self):
        """What was not made durable is lost."""
        self.assertEqual(anonymize("old.csv").returncode, 0)
        self.assertEqual(self.every_step(3, ["old.csv"], DIE_POWER="1"), {"not published", "published", "entered"})

    def test_a_publisher_cannot_be_overtaken(self):
        """Two runs at once: both are entered, or one is told of the other."""
        runs = [subprocess.Popen([CORDON, "anonymize", "rows.csv", "--policy", "policy.toml", "--output", f"{i}.csv", "--registry", "R.db"],
                                 stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) for i in range(6)]
        made = []
        for i, run in enumerate(runs):
            error = run.communicate()[1]
            if run.returncode == 0:
                made.append(f"{i}.csv")
            else:
                self.assertIn("while this run was under way", error)
                self.assertFalse(os.path.exists(f"{i}.csv"))
        status, said, _ = history()
        self.assertEqual((status, sorted(released(said))), (0, sorted(made)))


if __name__ == "__main__":
    unittest.main()
