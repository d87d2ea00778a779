# SPDX-License-Identifier: Apache-2.0
"""bench/peers/run.py: a peer that is not there is said so, one that is there is measured by cordon's evaluator, and one that fails does not end the run."""
import csv
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORDON = sys.argv.pop(1)
COLUMNS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class"]

# Stands for a peer: everything in one group, or in the relaxed form the younger and the older half.
MONDRIAN = """
def mondrian(data, k, relax):
    if relax:
        data, half = sorted(data), len(data) // 2
        return mondrian(data[:half], k, False)[0] + mondrian(data[half:], k, False)[0], (0, 0)
    size = len(data[0]) - 1
    ends = [(min(row[i] for row in data), max(row[i] for row in data)) for i in range(size)]
    return [["%d~%d" % end if end[0] < end[1] else str(end[0]) for end in ends] + row[size:] for row in data], (0, 0)
"""

# Stands for a stream peer: it publishes a group of 100 and gives up at the 150th tuple. It brings the little of pandas that is asked for.
CASTLE = """
class Parameters: pass
class CASTLE:
    def __init__(self, publish, names, sensitive, parameters):
        self.publish, self.names, self.seen, self.global_tuples = publish, names, [], []
    def insert(self, row):
        self.seen.append(row)
        if len(self.seen) == 150:
            raise KeyError("gone")
        if len(self.seen) == 100:
            self.data = {end + name: pick(row[name] for row in self.seen) for name in self.names for end, pick in (("min", min), ("max", max))}
            for _ in self.seen:
                self.publish(self)
"""
PANDAS = "def Series(values, index): return dict(zip(index, values))\n"


def write_adult(folder):
    draw = random.Random(1)
    values = {name: [f"{name} {i}" for i in range(3)] for name in COLUMNS} | {"age": [str(age) for age in range(1, 101)]}
    (folder / "adult").mkdir()
    with open(folder / "adult" / "adult.csv", "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, delimiter=";")
        out.writerow(COLUMNS)
        out.writerows([draw.choice(values[name]) for name in COLUMNS] for _ in range(300))
    for name in COLUMNS:
        (folder / "adult" / f"adult_hierarchy_{name}.csv").write_text("".join(f"{value};*\n" for value in values[name]), encoding="utf-8")


class Peers(unittest.TestCase):
    def run_peers(self, folder, *peers):
        """-> {(table, tool): row of the page}"""
        done = subprocess.run([sys.executable, "-B", ROOT / "bench" / "peers" / "run.py", "--data", folder, "--cordon", CORDON, "--k", "5", "--stream-rows", "200",
                               "--output", folder / "out", *peers], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(folder / "out" / "peers.csv", encoding="utf-8") as file:
            return {(row["table"], row["tool"]): row for row in csv.DictReader(file)}

    def test_one_page_for_those_that_are_there_and_those_that_are_not(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            write_adult(folder)
            (folder / "mondrian").mkdir()
            (folder / "mondrian" / "mondrian.py").write_text(MONDRIAN, encoding="utf-8")
            (folder / "castle" / "src").mkdir(parents=True)
            (folder / "castle" / "src" / "castle.py").write_text("raise RuntimeError('broken')\n", encoding="utf-8")
            rows = self.run_peers(folder, "--mondrian", folder / "mondrian", "--castle", folder / "castle")
            arx = rows["adult, 9 columns, labels of the hierarchies", "ARX, local, suppression 1"]
            self.assertEqual((arx["note"], arx["loss"]), ("not installed: give --arx JAR", ""))
            one_group = rows["adult, 7 columns coded to numbers", "Mondrian in Python, strict"]
            self.assertEqual((one_group["groups"], one_group["holds"]), ("1", "yes"))
            self.assertGreater(float(one_group["loss"]), 0.9)
            self.assertLess(float(rows["adult, 7 columns coded to numbers", "Mondrian in Python, relaxed"]["loss"]), float(one_group["loss"]))
            own = rows["adult, 7 columns coded to numbers", "cordon partition"]
            self.assertAlmostEqual(float(one_group["loss_ratio"]), float(one_group["loss"]) / float(own["loss"]), delta=0.01)
            self.assertTrue(next(row for (_, tool), row in rows.items() if tool == "CASTLE in Python")["note"].startswith("failed: "))
            self.assertIn("not installed: give --arx JAR", (folder / "out" / "peers.md").read_text(encoding="utf-8"))

    def test_a_stream_peer_that_stops_is_measured_by_what_it_published(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            write_adult(folder)
            (folder / "castle" / "src").mkdir(parents=True)
            (folder / "castle" / "src" / "castle.py").write_text(CASTLE, encoding="utf-8")
            (folder / "castle" / "src" / "pandas.py").write_text(PANDAS, encoding="utf-8")
            rows = self.run_peers(folder, "--castle", folder / "castle")
            castle = next(row for (_, tool), row in rows.items() if tool == "CASTLE in Python")
            self.assertEqual((castle["note"], castle["suppressed"]), ("failed after 149 rows: KeyError", "100"))


if __name__ == "__main__":
    unittest.main()
