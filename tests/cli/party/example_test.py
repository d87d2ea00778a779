#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example of docs/two_parties.md runs from end to end, and the policy on the page is one: example_test.py CORDON ROOT"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CORDON, ROOT = os.path.abspath(sys.argv.pop(1)), Path(sys.argv.pop(1)).resolve()
EXAMPLE = ROOT / "examples" / "two_parties"


class Example(unittest.TestCase):
    def test_it_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["sh", EXAMPLE / "run.sh", CORDON, os.path.join(folder, "run")], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("2000 common people of 2300", done.stdout)
            self.assertIn("release: shows what was told, no less and no more", done.stdout)
            self.assertRegex(done.stdout, r"the same: \d+ refinements over 2000 common people")

    def test_the_policy_of_the_page_is_one(self):
        page = (ROOT / "docs" / "two_parties.md").read_text()
        policy = re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1]
        self.assertIn((EXAMPLE / "joint.toml").read_text().split("\n", 1)[1].strip(), policy)  # that of the tables made here
        for key in ("1" * 64, "2" * 64):
            policy = policy.replace('"..."', f'"{key}"', 1)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "joint.toml").write_text(policy)
            Path(folder, "job.csv").write_text((EXAMPLE / "job.csv").read_text())
            done = subprocess.run([CORDON, "policy", "check", "joint.toml", "--party", "bank"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
