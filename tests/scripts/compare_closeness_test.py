#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/compare_closeness.py on a small table: every comparison runs, and its cells are what they say."""
import csv
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORDON = sys.argv.pop(1)


def rows_of(*arguments):
    command = [sys.executable, str(ROOT / "bench" / "compare_closeness.py"), *arguments, "--cordon", CORDON, "--rows", "2000", "--rho", "0.3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    lines = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()]
    return done, lines[0], lines[2:]


class CompareCloseness(unittest.TestCase):
    def test_losses_at_equal_t_and_the_best_of_them(self):
        with tempfile.TemporaryDirectory() as folder:
            _, head, rows = rows_of("t", "--t", "0.2,0.4", "--algorithms", "sabre-ak,mondrian:dims=widest-only", "--csv", folder + "/runs.csv")
            self.assertEqual(head[2:4], ["sabre-ak: loss (groups, time)", "mondrian:dims=widest-only: loss (groups, time)"])
            self.assertEqual([row[1] for row in rows], ["0.2", "0.4"])
            for row in rows:
                losses = [float(re.match(r"(\d\.\d{4}) \(\d+, ", cell).group(1)) for cell in row[2:4]]
                self.assertEqual(row[4], ["sabre-ak", "mondrian:dims=widest-only"][losses.index(min(losses))])
            with open(folder + "/runs.csv", encoding="utf-8") as file:
                self.assertEqual(len(list(csv.reader(file))), 5)

    def test_a_run_without_a_release_is_a_dash(self):
        done, _, rows = rows_of("beta", "--beta", "2", "--algorithms", "burel-paper,dmondrian,sabre-ak")
        self.assertEqual(rows[0][4], "-")
        self.assertIn("sabre-ak is made for t-closeness", done.stderr)
        self.assertNotEqual(rows[0][2], "-")

    def test_face_to_face_the_gain_stays_below_beta(self):
        _, _, rows = rows_of("face", "--beta", "2", "--algorithms", "burel-paper;sabre-ak")
        self.assertLessEqual(float(rows[0][5]), 2)
        self.assertGreaterEqual(float(re.search(r"\((.*)\)", rows[0][7]).group(1)), float(rows[0][3]))  # equal loss: not below


if __name__ == "__main__":
    unittest.main()
