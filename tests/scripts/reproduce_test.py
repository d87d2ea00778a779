# SPDX-License-Identifier: Apache-2.0
"""bench/reproduce.py works out verdicts: true and false claims, variants that disagree, data that is not there, runs that fail."""
import csv
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORDON = sys.argv.pop(1)

CLAIMS = """
[experiment.loss]
title = "loss against k & t"
table = "census"
rows = { small = 2000, paper = 4000 }
models = [{ model = "k-anonymity", k = "$k" }, { model = "t-closeness", sensitive = "$sensitive", t = 0.35, distance = "ordered" }]
x = "k"
y = "loss"
[[experiment.loss.grids]]
algorithm = ["sabre-ak", "mondrian:dims=all"]
k = { small = [2, 50], paper = [2, 50] }
quasi = [4]

[experiment.absent]
title = "a table that is not there"
kind = "stream"
table = "uci-adult"
rows = { small = 100, paper = 100 }
models = [{ model = "ks-anonymity", k = 10 }]
x = "k"
y = "loss"
[[experiment.absent.grids]]
algorithm = ["castle"]
k = [2, 3]

[experiment.refused]
title = "an algorithm that refuses the models"
table = "census"
rows = { small = 500, paper = 500 }
models = [{ model = "k-anonymity", k = "$k" }]
x = "k"
y = "loss"
[[experiment.refused.grids]]
algorithm = ["sabre-ak"]
k = [2, 3]
quasi = [3]

[[claim]]
id = "true"
source = "here"
says = "Loss rises with k."
experiment = "loss"
tests = [{ is = "rises", figure = "loss", along = "k" }]

[[claim]]
id = "planted"
source = "nowhere"
says = "Loss falls with k."
experiment = "loss"
tests = [{ is = "falls", figure = "loss", along = "k" }]

[[claim]]
id = "half"
source = "nowhere"
says = "Every loss is that of Mondrian, or less."
experiment = "loss"
tests = [{ is = "below", figure = "loss", strictly = false, left = { algorithm = "mondrian:dims=all" }, right = { algorithm = "mondrian:dims=all" } },
         { is = "between", figure = "loss", most = -1, where = { algorithm = "sabre-ak", k = 2 } }]

[[claim]]
id = "either"
source = "here"
says = "Loss moves with k."
experiment = "loss"
tests = [{ is = "rises", figure = "loss", along = "k" }]
[claim.variants]
"up" = {}
"down" = { is = "falls" }

[[claim]]
id = "absent"
source = "here"
says = "Anything."
experiment = "absent"
tests = [{ is = "rises", figure = "loss", along = "k" }]

[[claim]]
id = "refused"
source = "here"
says = "Anything."
experiment = "refused"
tests = [{ is = "falls", figure = "loss", along = "k" }]
"""


def reproduce(folder, *arguments):
    return subprocess.run([sys.executable, "-B", ROOT / "bench" / "reproduce.py", "--cordon", CORDON, "--output", folder / "out", "--seeds", "1,2", *arguments],
                          capture_output=True, text=True)


class Reproduce(unittest.TestCase):
    def test_verdicts_are_worked_out(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            claims = folder / "claims.toml"
            claims.write_text(CLAIMS, encoding="utf-8")
            done = reproduce(folder, "--claims", claims)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(folder / "out" / "verdicts.csv", encoding="utf-8") as file:
                verdicts = {row["claim"]: row["verdict"] for row in csv.DictReader(file)}
            self.assertEqual(verdicts, {"true": "reproduced", "planted": "not", "half": "in part (2 of 3)", "either": "depends on up: reproduced; down: not",
                                        "absent": "data not available", "refused": "no figures"})
            page = (folder / "out" / "reproduction.md").read_text(encoding="utf-8")
            self.assertIn('| <a id="planted"></a>planted | nowhere | Loss falls with k. | small | not |', page)
            self.assertIn("loss against k &amp; t", (folder / "out" / "loss.svg").read_text(encoding="utf-8"))
            with open(folder / "out" / "loss.csv", encoding="utf-8") as file:
                self.assertEqual(len(list(csv.DictReader(file))), 8)  # two seeds, two algorithms, two k
            reproduce(folder, "--claims", claims)
            again = (folder / "out" / "reproduction.md").read_text(encoding="utf-8")
            self.assertEqual(*(re.sub("[0-9]+ CPU seconds", "", text) for text in (again, page)))
            self.assertIn("- 4 of 4 runs made no release and do not count", page)  # the experiment `refused`
            self.assertIn("- command: `bench/reproduce.py loss --scale small`\n- commit ", page)
            self.assertIn("bench/reproduce.py loss --scale small, commit ", (folder / "out" / "loss.svg").read_text(encoding="utf-8"))
            with open(folder / "out" / "loss-mean.csv", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    self.assertLessEqual(float(row["loss_least"]), float(row["loss"]))
                    self.assertLessEqual(float(row["loss"]), float(row["loss_most"]))

    def test_a_run_can_be_made_in_pieces(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            claims = folder / "claims.toml"
            claims.write_text(CLAIMS, encoding="utf-8")
            self.assertEqual(reproduce(folder, "loss", "--claims", claims).returncode, 0)
            page = (folder / "out" / "reproduction.md").read_text(encoding="utf-8")
            self.assertIn("true | here | Loss rises with k. | small | reproduced |", page)
            self.assertIn("refused | here | Anything. |  | not run |", page)
            self.assertIn("- Without a run: 2 not run.", page)
            # Verdicts come out of the CSV file, no matter who wrote it.
            with open(folder / "out" / "loss.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            with open(folder / "out" / "loss.csv", "w", encoding="utf-8", newline="") as file:
                out = csv.DictWriter(file, rows[0])
                out.writeheader()
                out.writerows({**row, "loss": 1 / float(row["loss"])} for row in rows)
            self.assertEqual(reproduce(folder, "--page", "--claims", claims).returncode, 0)
            page = (folder / "out" / "reproduction.md").read_text(encoding="utf-8")
            self.assertIn("true | here | Loss rises with k. | small | not |", page)
            self.assertIn("planted | nowhere | Loss falls with k. | small | reproduced |", page)

    def test_a_small_run_stands_in_until_the_sources_sizes_are_run(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            claims = folder / "claims.toml"
            claims.write_text(CLAIMS.replace("[2, 50] }\nquasi", "[2, 20, 50] }\nquasi"), encoding="utf-8")
            small = folder / "small"
            self.assertEqual(reproduce(folder, "loss", "--claims", claims, "--output", small).returncode, 0)
            paper = ["--scale", "paper", "--claims", claims]
            self.assertEqual(reproduce(folder, "--page", "--small", small, *paper).returncode, 0)
            page = (folder / "out" / "reproduction.md").read_text(encoding="utf-8")
            self.assertIn("true | here | Loss rises with k. | small | reproduced |", page)
            self.assertIn("- Not at the sources' sizes, but in a small run: 1 reproduced, 1 in part, 1 by the reading, 1 not.", page)
            self.assertIn("Not run at the sources' sizes. The figures are those of a small run.", page)
            self.assertEqual(reproduce(folder, "loss", *paper).returncode, 0)
            self.assertEqual(reproduce(folder, "--page", "--small", small, *paper).returncode, 0)  # it no longer stands in
            page = (folder / "out" / "reproduction.md").read_text(encoding="utf-8")
            self.assertIn("true | here | Loss rises with k. | the sources' | reproduced |", page)
            self.assertNotIn("small run", page)
            with open(folder / "out" / "loss.csv", encoding="utf-8") as file:
                self.assertEqual(len(list(csv.DictReader(file))), 12)  # two seeds, two algorithms, three k
            refused = reproduce(folder, "--page", "--claims", claims)
            self.assertIn("has results of scale paper", refused.stderr)

    def test_results_that_a_run_replaces_do_not_mark_its_commit(self):
        sys.path[:0] = [str(ROOT / "bench")]
        import reproduce as script
        with tempfile.TemporaryDirectory() as scratch:
            result, source = Path(scratch) / "docs" / "reproduction" / "loss.csv", Path(scratch) / "source.cpp"
            result.parent.mkdir(parents=True)
            result.write_text("old", encoding="utf-8")
            source.write_text("old", encoding="utf-8")
            for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all"]):
                subprocess.run(["git", *words], cwd=scratch, check=True)
            result.unlink()
            self.assertRegex(script.commit(scratch), "^[0-9a-f]{7,}$")
            source.write_text("new", encoding="utf-8")
            self.assertRegex(script.commit(scratch), "^[0-9a-f]{7,}-dirty$")

    def test_ratios_and_numbers_that_are_written_down(self):
        sys.path[:0] = [str(ROOT / "bench" / "reproduce")]
        import judge
        rows = [{"of": "a", "k": 1, "y": 20}, {"of": "b", "k": 1, "y": 2}, {"of": "a", "k": 2, "y": 20}, {"of": "b", "k": 2, "y": 10}]

        def word(**test):
            return judge.judge({"tests": [{"figure": "y", **test}]}, rows, ["of", "k"]).text()
        ratio = {"is": "ratio", "left": {"of": "a"}, "right": {"of": "b"}}
        self.assertEqual(word(**ratio, least=9, most=11), "in part (1 of 2)")
        self.assertEqual(word(**ratio, least=1, most=11), "reproduced")
        self.assertEqual(word(**{"is": "equals"}, along="k", values=[[1, 2], [2, 10]], where={"of": "b"}), "reproduced")
        self.assertEqual(word(**{"is": "equals"}, along="k", values=[[1, 3], [2, 11]], where={"of": "b"}), "not")

    def test_every_claim_names_an_experiment_that_is_there(self):
        with tempfile.TemporaryDirectory() as scratch:
            listed = reproduce(Path(scratch), "--list")
            self.assertIn("closeness-t:", listed.stdout)
            refused = reproduce(Path(scratch), "closenes-t")
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("no experiment closenes-t", refused.stderr)


if __name__ == "__main__":
    unittest.main()
