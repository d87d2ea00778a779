#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/lowest_loss.py on the public tables, one quick case: lowest_loss_test.py CORDON DATA"""
import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORDON, DATA = sys.argv.pop(1), sys.argv.pop(1)


def run(*arguments, data=DATA):
    environment = {name: value for name, value in os.environ.items() if name != "CORDON_DATA_DIR"} | ({"CORDON_DATA_DIR": data} if data else {})
    return subprocess.run([sys.executable, "-B", str(ROOT / "bench" / "lowest_loss.py"), *arguments, "--cordon", CORDON], capture_output=True, text=True, timeout=120,
                          env=environment)


class LowestLoss(unittest.TestCase):
    def test_a_row_a_table_model_and_effort_with_arx_by_the_same_evaluator(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("--tables", "adult", "--cases", "k5", "--efforts", "low", "--seeds", "1,2", "--csv", folder + "/runs.csv", "--gate")
            self.assertEqual(done.returncode, 0, done.stderr)
            head, _, row = [dict(enumerate(line[2:-2].split(" | "))) for line in done.stdout.splitlines()]
            cells = {head[i]: row[i] for i in head}
            self.assertEqual((cells["table"], cells["model"], cells["effort"], cells["ARX suppressed"]), ("adult", "k5", "low", "0"))
            self.assertEqual(cells["ARX loss"], "0.0589")
            self.assertEqual(cells["met"], "yes")
            with open(folder + "/runs.csv", encoding="utf-8") as file:
                runs = list(csv.DictReader(file))
            for space in ("same", "free"):
                losses = [float(each["loss"]) for each in runs if each["space"] == space]
                self.assertEqual(len(losses), 2)
                self.assertTrue(cells[f"loss, {space}"].startswith(f"{sum(losses) / 2:.4f}"), cells)
                self.assertAlmostEqual(float(cells[f"/ ARX, {space}"]), sum(losses) / 2 / 0.0589, delta=0.002)
            self.assertLess(float(cells["/ ARX, free"]), float(cells["/ ARX, same"]))

    def test_cells_behind_arx_are_named(self):
        sys.path[:0] = [str(ROOT / "bench")]
        from lowest_loss import verdict

        def row(model, same, free, effort="normal"):
            return {"table": "adult", "model": model, "effort": effort, "/ ARX, same": same, "/ ARX, free": free}
        self.assertEqual(verdict([row("k2", "0.999", "0.700"), row("k5", "1.000", "0.8"), row("k9", "", "1.200"), row("k9", "1.5", "1.5", "low")]),
                         "Normal effort loses less than ARX in 3 of 5 cells.\n- Not in adult k5, same space: 1.000\n- Not in adult k9, free space: 1.200")
        self.assertEqual(verdict([row("k2", "0.999", "0.700")]), "Normal effort loses less than ARX in 2 of 2 cells.")
        self.assertEqual(verdict([row("k2", "", "")]), "")

    def test_what_it_needs_is_said(self):
        self.assertIn("CORDON_DATA_DIR", run(data=None).stderr)
        self.assertIn("there are k2, k5", run("--tables", "adult", "--cases", "k7").stderr)


if __name__ == "__main__":
    unittest.main()
