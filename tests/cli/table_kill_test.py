#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `cordon anonymize` before calls that write, change a name or make bytes durable. A release is never next to files
of another run: the old set stands, or the new one, or no release. The next command finishes what was begun and removes hidden
files. The same if the power fails and takes away what was not durable, bytes and names: table_kill_test.py CORDON DIE_AT_LIBRARY"""
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
ALL = "CORDON_TEST_ALL" in os.environ  # every call in every test, not every third
SET = ["out.csv", "out.csv.manifest.json", "out.csv.private.json", "map.csv"]
POLICY = """
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


def anonymize(*flags, **environment):
    return cordon("anonymize", "rows.csv", "--policy", "policy.toml", "--output", "out.csv", "--row-map", SET[3], "--force", *flags, **environment)


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def hidden(*folders):
    return sorted(os.path.join(folder, name) for folder in folders or {".", os.path.dirname(SET[3]) or "."} for name in os.listdir(folder)
                  if name.startswith(".cordon-"))


class TableKills(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        os.chdir(self.folder)
        SET[3] = "map.csv"
        with open("policy.toml", "w") as file:
            file.write(POLICY)
        with open("rows.csv", "w") as file:
            file.write("age,ill\n" + "".join(f"{20 + 7 * i % 50},{'abc'[i % 3]}\n" for i in range(40)))
        self.first_run()

    def first_run(self):
        """The steps are those of a run that replaces a set: it keeps the old files until the new ones stand."""
        self.assertEqual(anonymize().returncode, 0)
        self.assertEqual(anonymize(DIE_COUNT="count", LD_PRELOAD=LIBRARY).returncode, 0)
        with open("count") as file:
            self.steps = json.load(file)[0]
        self.old = {name: self.bytes_of(name) for name in SET}

    def tearDown(self):
        os.chdir("/")
        shutil.rmtree(self.folder)

    @staticmethod
    def bytes_of(name):
        with open(name, "rb") as file:
            return file.read()

    def restore(self, there):
        for name in hidden() + SET:
            if os.path.exists(name):
                os.remove(name)
        for name in SET if there else []:
            with open(name, "wb") as file:
                file.write(self.old[name])

    def check_set(self, step):
        """If the release is there, everything next to it is of its run. Tells whether it is the old one, the new one, or none."""
        if not os.path.exists("out.csv"):
            return "none"
        with open("out.csv.manifest.json") as file:
            self.assertEqual(json.load(file)["output"]["sha256"], sha256("out.csv"), step)
        with open("out.csv.private.json") as file:
            record = json.load(file)
        self.assertEqual([record["output_sha256"], record["manifest_sha256"], record["row_map_sha256"]],
                         [sha256(name) for name in ("out.csv", "out.csv.manifest.json", SET[3])], step)
        return "old" if self.bytes_of("out.csv") == self.old["out.csv"] else "new"

    def verify(self):
        return cordon("verify", "out.csv", "--policy", "policy.toml", "--original", "rows.csv", "--row-map", SET[3])

    def some_steps(self, first):
        """Tests that begin with another step take other ones."""
        return range(1, self.steps + 1) if ALL else range(first, self.steps + 1, 3)

    def every_step(self, first, there, **environment):
        seen, names_lost = set(), "DIE_NAMES" in environment
        for step in self.some_steps(first):
            self.restore(there)
            if names_lost:
                shutil.rmtree(environment["DIE_NAMES"], ignore_errors=True)
                os.mkdir(environment["DIE_NAMES"])
            done = anonymize(LD_PRELOAD=LIBRARY, DIE_AT=str(step), **environment)
            if done.returncode == 0:  # one call less: nothing to replace
                break
            self.assertEqual(done.returncode, -signal.SIGKILL, step)
            state = self.check_set(step)
            seen.add(state)
            # The next command finishes a set that was begun, and clears up.
            done = self.verify()
            after = self.check_set(step)
            self.assertEqual(done.returncode, 2 if after == "none" else 0, (step, done.stderr))
            self.assertEqual(hidden("."), [], step)  # those in another folder go when something is written there
            # Once the journal is durable the new set will stand; only then the old release is removed.
            self.assertIn(after, {"old": ("old", "new"), "new": ("new",), "none": ("new",) if there else ("none", "new")}[state], step)
            if not names_lost:  # a name that comes back there is new, and a file that somebody has put there since is kept
                self.assertFalse("finished" in seen and after != "new", step)
            seen |= {"finished"} if after == "new" else set()
            if not there and after == "none":
                self.assertEqual([name for name in SET if os.path.exists(name)], [], step)
        return seen

    def test_killed_where_an_older_release_stands(self):
        self.assertEqual(self.every_step(1, True), {"old", "none", "new", "finished"})

    def test_killed_in_a_fresh_folder(self):
        self.assertEqual(self.every_step(2, False), {"none", "new", "finished"})

    def test_the_power_fails(self):
        """What was not made durable is lost."""
        for first, there in ((2, True), (3, False)):
            self.every_step(first, there, DIE_POWER="1")

    def test_the_power_fails_and_names_are_lost(self):
        """Files that were made, renamed or removed in a directory that was not synced since are as before; at every step."""
        for first, there in ((3, True), (1, False)):
            self.assertIn("finished", self.every_step(first, there, DIE_POWER="1", DIE_NAMES=self.folder + "/kept"))

    def test_the_power_fails_and_the_row_map_is_in_another_folder(self):
        os.mkdir("elsewhere")
        SET[3] = "elsewhere/map.csv"
        self.first_run()
        for first, there in ((1, True), (2, False)):
            self.assertIn("finished", self.every_step(first, there, DIE_POWER="1", DIE_NAMES=self.folder + "/kept"))

    def test_signed_manifests_are_of_the_set(self):
        self.assertEqual(cordon("keygen", "key").returncode, 0)
        seen = set()
        for step in self.some_steps(2):
            self.restore(True)
            anonymize("--sign", "key", LD_PRELOAD=LIBRARY, DIE_AT=str(step), DIE_POWER="1")
            self.verify()
            state = self.check_set(step)
            seen.add(state)
            signed = cordon("verify", "out.csv", "--policy", "policy.toml", "--key", "key.pub").returncode
            self.assertEqual(signed, {"old": 1, "new": 0}[state], step)
        self.assertEqual(seen, {"old", "new"})

    def test_files_of_two_runs_are_refused(self):
        self.assertEqual(anonymize().returncode, 0)
        new = {name: self.bytes_of(name) for name in SET}
        self.assertNotEqual(new[SET[3]], self.old[SET[3]])
        for mixed in SET:
            self.restore(True)
            with open(mixed, "wb") as file:
                file.write(new[mixed])
            done = self.verify()
            self.assertEqual(done.returncode, 1, (mixed, done.stdout, done.stderr))
            self.assertIn("files: do not hold", done.stdout)

    def test_a_running_program_keeps_its_hidden_files(self):
        running = subprocess.Popen([CORDON, "generate", "patients", "--rows", "300000", "--output", "big.csv"], stderr=subprocess.DEVNULL)
        try:
            while not hidden() and running.poll() is None:
                pass
            running.send_signal(signal.SIGSTOP)  # it may not end before it was looked for
            self.assertNotEqual(hidden(), [])
            self.assertEqual(anonymize().returncode, 0)
            self.assertNotEqual(hidden(), [])
        finally:
            running.send_signal(signal.SIGCONT)
            self.assertEqual(running.wait(), 0)
        self.assertTrue(os.path.exists("big.csv"))
        self.assertEqual(hidden(), [])

    def test_a_file_that_came_later_is_kept(self):
        """Killed after the journal; then somebody puts the old release back."""
        for step in range(1, self.steps + 1):
            self.restore(True)
            anonymize(LD_PRELOAD=LIBRARY, DIE_AT=str(step))
            if not os.path.exists("out.csv"):
                break
        for name in SET:
            with open(name, "wb") as file:
                file.write(self.old[name])
        self.assertEqual(self.verify().returncode, 0)
        self.assertEqual(self.bytes_of("out.csv"), self.old["out.csv"])
        self.assertEqual(hidden(), [])


if __name__ == "__main__":
    unittest.main()
