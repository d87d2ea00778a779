# SPDX-License-Identifier: Apache-2.0
"""mosaicrown/mondrian, Mondrian on Spark, if the reader has it: a checkout, and a Python with what its Docker images have.

    git clone https://github.com/mosaicrown/mondrian DIR
    python3.11 -m venv VENV && VENV/bin/pip install pyspark==3.5.0 setuptools -r DIR/distributed/spark/requirements.txt
"""
import csv
import json
from pathlib import Path

import measure

DRIVER = Path(__file__).resolve().parent / "mosaicrown_release.py"


def taxonomy(paths):
    """[[leaf, ..., root]] -> the tree as that tool reads it. A label that repeats along a path is one node."""
    nodes = {}
    for path in paths:
        path = [label for at, label in enumerate(path) if at == 0 or label != path[at - 1]]
        above = None
        for label in reversed(path):
            if label not in nodes:
                nodes[label] = {"cat": label, "subcats": None}
                if above:
                    above["subcats"] = [*(above["subcats"] or []), nodes[label]]
            above = nodes[label]
    return nodes[path[-1]]


def hierarchy(tree, above=()):
    """A tree of that tool -> [[leaf, ..., root]]"""
    path = [tree["cat"], *above]
    return [row for below in tree["subcats"] for row in hierarchy(below, path)] if tree["subcats"] else [path]


class Mosaicrown:
    def __init__(self, checkout, python, folder):
        self.checkout, self.python, self.folder = Path(checkout), python, Path(folder)

    def job(self, table, policy, cuts, score, ordered, fragments):
        """policy: as a dict, with hierarchies below `policy["folder"]`. A category of two values or more becomes their lowest common ancestor."""
        quasi = {name: keys for name, keys in policy["attributes"].items() if keys["role"] == "quasi"}
        generalizations = []
        for name, keys in quasi.items():
            if "hierarchy" in keys:
                with open(Path(policy["folder"]) / keys["hierarchy"], encoding="utf-8") as file:
                    tree = taxonomy(list(csv.reader(file, delimiter=";")))
                path = self.folder / f"{name}.json"
                path.write_text(json.dumps(tree), encoding="utf-8")
                generalizations.append({"qi_name": name, "generalization_type": "categorical",
                                        "params": {"taxonomy_tree": str(path), "create_ordering": ordered}})
        parameters = {key.upper(): model[key] for model in policy["privacy"] for key in ("k", "l") if key in model}
        return {
            "input": str(table), "output": str(self.folder / "mosaicrown.csv"), "fragments": fragments, "fragmentation": cuts, "column_score": score,
            "quasiid_columns": list(quasi), "sensitive_columns": [name for name, keys in policy["attributes"].items() if keys["role"] == "sensitive"],
            "use_categorical": [each["qi_name"] for each in generalizations], "quasiid_generalizations": generalizations, **parameters,
        }  # fmt: skip

    def release(self, job):
        """-> the path of the release, and its CPU and wall seconds without the start of Spark"""
        path, out = self.folder / "job.json", self.folder / "release.csv"
        path.write_text(json.dumps(job), encoding="utf-8")
        said, _ = measure.run([self.python, DRIVER, self.checkout, path, out])
        return out, json.loads(said)
