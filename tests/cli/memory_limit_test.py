#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With --memory a run takes no more than that, on a table that takes more without it: memory_limit_test.py CORDON

CORDON_TEST_ALL=1: also by partition, under t-closeness, with a whole column recoded at once, and with rows that are all different."""
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

cordon = os.path.abspath(sys.argv.pop(1))
every_case = os.environ.get("CORDON_TEST_ALL") == "1"

LIMIT = 256  # MiB, the least that --memory takes
CLOSENESS = '\n[[privacy]]\nmodel = "t-closeness"\nsensitive = "salary"\nt = 0.3\ndistance = "ordered"\n'


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.home.name)
        cls.run_cordon("generate", "census", "--rows", "2500000", "--rho", "0.3", "-o", "census")

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    @classmethod
    def run_cordon(cls, *arguments):
        """The largest part of memory that the run took, in MiB."""
        process = subprocess.Popen([cordon, "--quiet", *arguments], cwd=cls.folder, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, (arguments, process.returncode)
        return usage.ru_maxrss / 1024

    def peak(self, table, policy, algorithm, *more):
        return self.run_cordon("anonymize", table, "--policy", policy, "--algorithm", algorithm, "--threads", "2",
                               "-o", "release.csv", "--force", *more)

    def stays_within(self, table, policy, algorithm, *more):
        self.assertLess(self.peak(table, policy, algorithm, "--memory", f"{LIMIT}MiB", *more), LIMIT)


class Memory(Runs):
    def test_what_takes_more_in_memory_stays_within_the_limit(self):
        self.assertGreater(self.peak("census/census.csv", "census/policy.toml", "mondrian"), LIMIT)
        self.stays_within("census/census.csv", "census/policy.toml", "mondrian")


class EveryCase(Runs):
    def test_partition(self):
        self.stays_within("census/census.csv", "census/policy.toml", "partition", "--effort", "low")

    def test_closeness(self):
        policy = (self.folder / "census/policy.toml").read_text()
        self.assertIn("\nunguarded", policy)
        guarded = "\n".join(line for line in policy.split("\n") if not line.startswith("unguarded"))
        (self.folder / "census/close.toml").write_text(guarded + CLOSENESS)
        self.stays_within("census/census.csv", "census/close.toml", "closeness", "--effort", "low")

    def test_whole_columns(self):
        few = ("sex", "marital_status", "race", "work_class", "birth_place")
        columns = "".join(f'[attributes.{name}]\nrole = "quasi"\ntype = "categorical"\nhierarchy = "{name}.csv"\n' for name in few)
        columns += "".join(f'[attributes.{name}]\nrole = "identifier"\n' for name in ("age", "education", "salary"))
        (self.folder / "census/few.toml").write_text(columns + '[[privacy]]\nmodel = "k-anonymity"\nk = 5\n')
        self.stays_within("census/census.csv", "census/few.toml", "full-domain")

    def test_rows_that_are_all_different(self):
        draw = random.Random(1)
        with open(self.folder / "different.csv", "w") as file:
            file.write("a,b,c,d,e,f\n")
            for _ in range(3_000_000):
                file.write(",".join(str(draw.randrange(1000)) for _ in range(6)) + "\n")
        columns = "".join(f'[attributes.{name}]\nrole = "quasi"\ntype = "numeric"\nrange = [0, 999]\n' for name in "abcdef")
        (self.folder / "different.toml").write_text(columns + '[[privacy]]\nmodel = "k-anonymity"\nk = 5\n')
        self.assertGreater(self.peak("different.csv", "different.toml", "mondrian"), LIMIT)
        self.stays_within("different.csv", "different.toml", "mondrian")


if not every_case:
    del EveryCase

if __name__ == "__main__":
    unittest.main()
