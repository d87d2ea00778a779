#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cordon verify and scripts/verify_release.py give the same answers: two_verifiers_test.py CORDON [--tables N] [--streams N] [--joins N] [--seed S] [--jobs N]

Random tables and streams under random policies are published; each output, and copies of it that were tampered with, go to both
verifiers. Verdicts, figures, failing groups and witnesses must agree, and so must exit statuses. The two programs share nothing
but the docs. A disagreement names the seed that repeats it and keeps the files.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from second_verifier import verify_release

try:
    import pyarrow.parquet
except ImportError:  # then Parquet and stores are left out
    pyarrow = None

ALL = "CORDON_TEST_ALL" in os.environ
TREE = {"flu": "lung", "cold": "lung", "asthma": "lung", "ulcer": "stomach", "gastritis": "stomach", "hiv": "hiv"}
ILL = ["flu", "cold", "asthma", "ulcer", "gastritis", "hiv"]


class Disagreement(Exception):
    pass


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(toml(each) for each in value) + "]"
    return json.dumps(value) if isinstance(value, (str, bool)) else str(value)


def policy_text(policy):
    lines = []
    for name in ("data", "stream", "algorithm"):
        options = {key: value for key, value in policy.get(name, {}).items() if not isinstance(value, dict)}
        if name in policy:
            lines += [f"[{name}]"] + [f"{key} = {toml(value)}" for key, value in options.items()]
        for key, value in policy.get(name, {}).items():
            if isinstance(value, dict):
                lines += [f"[{name}.{key}]"] + [f"{each} = {toml(given)}" for each, given in value.items()]
    for name, attribute in policy["attributes"].items():
        lines += [f"[attributes.{name}]"] + [f"{key} = {toml(value)}" for key, value in attribute.items()]
    for model in policy["privacy"]:
        lines += ["[[privacy]]"] + [f"{key} = {toml(value)}" for key, value in model.items()]
    return "\n".join(lines) + "\n"


class Case:
    """A folder, its randomness, and the runs of both verifiers."""

    def __init__(self, cordon, seed, folder):
        self.cordon, self.seed, self.chance, self.folder = cordon, seed, random.Random(seed), Path(folder)
        self.counts = collections.Counter()

    def repeatable(self):
        """So that the seed repeats the bytes that are published, too."""
        return ["--seed", str(self.seed), "--insecure-seed"]

    def run(self, *arguments):
        return subprocess.run([self.cordon, *arguments, "--threads", "1"], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def second(self, *arguments):
        """The Python verifier, in this process: exit status and result."""
        asked = verify_release.parse([str(argument) for argument in arguments])
        for name in ("RELEASE", "MANIFEST", "policy", "original", "row_map", "stream", "audit"):
            if getattr(asked, name):
                setattr(asked, name, str(self.folder / getattr(asked, name)))
        asked.previous = [str(self.folder / path) for path in asked.previous]
        return verify_release.answer(asked)

    def compare(self, what, *arguments):
        done = self.run("verify", *arguments, "--json")
        status, result = self.second(*arguments)
        where = f"seed {self.seed}, {what}: verify {' '.join(arguments)}"
        if done.returncode not in (0, 1, 2):
            raise Disagreement(f"{where}: cordon ends with {done.returncode}: {done.stderr}")
        if status != done.returncode:
            raise Disagreement(f"{where}: cordon says {done.returncode}, python {status}\n{done.stdout}{done.stderr}\n{json.dumps(result, indent=1)}")
        self.counts[f"{what}, {['holds', 'does not hold', 'refused'][status]}"] += 1
        if status < 2:
            self.compare_results(where, json.loads(done.stdout), result)
        return status

    def compare_results(self, where, ours, other):
        for key in ("rows", "people", "groups", "suppressed", "departures", "longest_delay_tuples", "ended", "counts", "rows_below", "holds"):
            if key in ours and ours[key] != other.get(key) and not ours.get("findings"):
                raise Disagreement(f"{where}: {key}: cordon {ours[key]}, python {other.get(key)}")
        found = ours.get("findings") or not ours.get("files", {"holds": True})["holds"]
        if bool(found) != bool(other["findings"]):
            raise Disagreement(f"{where}: findings: cordon {found}, python {other['findings']}")
        if "windows" in ours and not ours["findings"] and any(ours["windows"][key] != other["windows"][key] for key in ("groups", "unknown")):
            raise Disagreement(f"{where}: windows: cordon {ours['windows']}, python {other['windows']}")
        if ours.get("findings"):  # how much is judged after a fault is up to each
            return
        for key in ("privacy", "each_group"):
            if len(ours.get(key, [])) != len(other.get(key, [])):
                raise Disagreement(f"{where}: another number of verdicts")
            for one, two in zip(ours.get(key, []), other.get(key, [])):
                self.compare_verdicts(f"{where}: {key}: {one['text']}", one, two)

    @staticmethod
    def compare_verdicts(where, ours, other):
        same = all(ours.get(key) == other.get(key) for key in ("model", "holds", "failing_groups", "failing_rows"))
        rounded = ours["model"] == "delta-disclosure" or "entropy" in ours["text"]  # of two groups as bad, either may be the witness
        same = same and (rounded or ours.get("witness") == other.get("witness"))
        if ours["reached_exact"] == other["reached_exact"]:
            figures = True
        else:  # a logarithm is in it: both are rounded
            figures = "/" not in ours["reached_exact"] and math.isclose(float(ours["reached"]), other["reached"], rel_tol=1e-9)
        if not same or not figures:
            raise Disagreement(f"{where}:\ncordon {json.dumps(ours)}\npython {json.dumps(other)}")


# ---------------------------------------------------------------------------------------------------------------------
# Tables.


def random_columns(case):
    """(attribute, how a cell is drawn) by name."""
    chance, columns = case.chance, {}
    missing = chance.choice([0, 0, 0.1])
    draw = lambda make: (lambda: case.marker if chance.random() < missing else make())
    if chance.random() < 0.5:
        columns["id"] = ({"role": "identifier"}, lambda: str(chance.randrange(10**6)))
    if chance.random() < 0.4:
        people = chance.randrange(3, 40)
        columns["who"] = ({"role": "person"}, lambda: chance.choice([case.marker, case.marker2, f"p{chance.randrange(people)}", f"p{chance.randrange(people)}"]))
    columns["age"] = ({"role": "quasi", "type": "numeric"}, draw(lambda: str(chance.randrange(20, 60))))
    if chance.random() < 0.3:
        columns["height"] = ({"role": "quasi", "type": "numeric", "hierarchy": {"intervals": [5, 20]}},
                             draw(lambda: str(chance.randrange(1500, 2000) / 10)))
    if chance.random() < 0.5:
        columns["sex"] = ({"role": "quasi"}, draw(lambda: chance.choice(["f", "m", "x, y"])))
    if chance.random() < 0.4:
        columns["zip"] = ({"role": "quasi", "hierarchy": {"prefix": 3}}, draw(lambda: f"{chance.randrange(100, 140)}"))
    if chance.random() < 0.3:
        columns["born"] = ({"role": "quasi", "type": "date"}, draw(lambda: f"19{chance.randrange(50, 60)}-0{chance.randrange(1, 9)}-11"))
    ill = {"role": "sensitive"}
    kind = chance.choice(["file", "flat", "values", "prefix"])
    if kind == "file":
        ill["hierarchy"] = "ill.csv"
    if kind == "values":
        ill["values"] = ILL
    skew = [chance.choice([1, 1, 2, 6]) for _ in ILL]
    columns["ill"] = (ill, draw(lambda: chance.choices(ILL, skew)[0]))
    if kind == "prefix":
        columns["ill"] = ({"role": "sensitive", "hierarchy": {"prefix": 3}}, draw(lambda: chance.choice(["A10", "A11", "B10", "B2", "C33"])))
    if chance.random() < 0.7:
        digits = chance.choice(["", ".5"])
        pay = {"role": "sensitive", "type": "numeric"}
        if chance.random() < 0.3 and not digits:
            pay["values"] = list(range(0, 100, 10))
        columns["pay"] = (pay, draw(lambda: str(10 * chance.randrange(10)) + chance.choice(["", digits])))
    elif chance.random() < 0.5:
        columns["since"] = ({"role": "sensitive", "type": "date"}, draw(lambda: f"2020-0{chance.randrange(1, 4)}-1{chance.randrange(3)}"))
    if "pay" in columns and chance.random() < 0.2:
        del columns["ill"]
    if chance.random() < 0.3:
        columns["class"] = ({"role": "class"}, lambda: chance.choice("ab"))
    if chance.random() < 0.3:
        columns["note"] = ({"role": "insensitive"}, lambda: chance.choice(['say "hi"', "a;b", "", "x|y"]))
    return columns


def random_models(case, columns):
    chance, models = case.chance, []
    quasi = [name for name, (each, _) in columns.items() if each["role"] == "quasi"]
    guarded = [name for name, (each, _) in columns.items() if each["role"] == "sensitive"]
    if chance.random() < 0.7:
        models.append({"model": "k-anonymity", "k": chance.randrange(2, 5)})
    if chance.random() < 0.2:
        models.append({"model": "k-anonymity", "k": chance.randrange(2, 6), "on": chance.sample(quasi, chance.randrange(1, len(quasi) + 1))})
    if chance.random() < 0.1:
        models.append({"model": "ks-anonymity", "k": 2})
    for name in guarded:
        attribute, draw = columns[name]
        number = attribute.get("type") in ("numeric", "date")
        kinds = ["distinct", "entropy", "recursive", "t", "beta", "delta", "alpha", "confidence"] + ["ke"] * (attribute.get("type") == "numeric")
        chosen = chance.sample(kinds, chance.choice([1, 1, 2])) if chance.random() < 0.8 else ["beta"]  # the one with most forms
        for kind in chosen:
            if kind in ("distinct", "entropy", "recursive"):
                model = {"model": "l-diversity", "sensitive": name, "l": chance.choice([2, 2, 3]), "kind": kind}
                if kind == "entropy":
                    model["l"] = chance.choice([1.5, 2, 1.1, 2.5])
                if kind == "recursive":
                    model["c"] = chance.choice([1, 2, 3.5])
            elif kind == "t":
                distances = ["equal"] + ["ordered"] * number + ["hierarchical"] * ("hierarchy" in attribute)
                model = {"model": "t-closeness", "sensitive": name, "t": chance.choice([0.1, 0.2, 0.3, 0.5])}
                if chance.random() < 0.7:
                    model["distance"] = chance.choice(distances)
            elif kind == "beta":
                model = {"model": "beta-likeness", "sensitive": name, "beta": chance.choice([0.5, 1, 2, 4]), "kind": chance.choice(["basic", "enhanced"])}
                if number and chance.random() < 0.8:
                    model.update(kind="enhanced", beta=4, range=chance.choice([0, 10, 20, 25.5]))
                if "hierarchy" in attribute and chance.random() < 0.8:
                    model.update(kind="enhanced", beta=4, min_depth=chance.choice([0, 1, 1, 2]))
            elif kind == "delta":
                model = {"model": "delta-disclosure", "sensitive": name, "delta": chance.choice([1, 2, 0.7])}
            elif kind == "alpha":
                model = {"model": "alpha-k", "sensitive": name, "value": draw(), "alpha": chance.choice([0.3, 0.5, 0.8]), "k": 2}
            elif kind == "confidence":
                model = {"model": "confidence", "values": {name: chance.choice([[], sorted({draw()}), sorted({draw(), draw()})])}, "h": chance.choice([0.4, 0.6, 0.9])}
                if chance.random() < 0.5:
                    model["on"] = chance.sample(quasi, chance.randrange(1, len(quasi) + 1))
            else:
                model = {"model": "ke-anonymity", "sensitive": name, "k": 2, "e": chance.choice([0, 5, 20])}
                if chance.random() < 0.4:
                    model["max_share"] = chance.choice([0.5, 0.7])
            counted = kind in ("distinct", "recursive", "t") or (kind == "beta" and "range" not in model and "min_depth" not in model)
            if counted and "who" in columns and chance.random() < 0.5:
                model["counts"] = chance.choice(["persons", "persons", "rows"])
            models.append(model)
    chance.shuffle(models)
    # Alone, (k,e) is shuffled inside of groups, and sets of values decide more often.
    alone = [model for model in models if model["model"] == "ke-anonymity" or "range" in model or "min_depth" in model]
    if len(guarded) == 1 and columns[guarded[0]][0].get("type") == "numeric" and chance.random() < 0.7:
        return [{"model": "ke-anonymity", "sensitive": guarded[0], "k": 2, "e": chance.choice([0, 5, 20])}]
    return alone[:1] if alone and chance.random() < 0.5 else models


def count_people(models):
    return any(model.get("counts") == "persons" for model in models)


def algorithms_for(models):
    asked = {model["model"] for model in models}
    if count_people(models):
        return ["auto", "mondrian", "partition"]
    found = ["auto", "mondrian", "partition", "peel", "full-domain"]
    found += ["closeness", "sabre-ak", "sabre-knn"] * ("t-closeness" in asked) + ["likeness", "burel-paper"] * ("beta-likeness" in asked)
    if asked == {"ke-anonymity"}:
        found = ["auto", "auto", "auto", "mondrian", "peel"]
    found += ["tdr"] * (asked <= {"k-anonymity", "alpha-k"}) + ["tdd"] * (asked <= {"confidence", "k-anonymity"})
    return found + ["auto"] * 3


def write_cells(path, names, rows, form):
    """As a tampered file: in the form of the release."""
    if str(path).endswith(".parquet"):
        columns = [[row[i] for row in rows] for i in range(len(names))]
        pyarrow.parquet.write_table(pyarrow.table([pyarrow.array(each, pyarrow.string()) for each in columns], names), path)
        return
    if str(path).endswith(".jsonl"):
        path.write_text("".join(json.dumps(dict(zip(names, row))) + "\n" for row in rows), encoding="utf-8")
        return
    delimiter, quote = form.get("delimiter", ","), form.get("quote", '"')
    cell = lambda text: quote + text.replace(quote, quote * 2) + quote if any(each in text for each in (delimiter[0], quote, "\n")) or len(names) == 1 else text
    lines = ([names] if form.get("header", True) else []) + rows
    path.write_text("".join(delimiter.join(cell(text) for text in line) + "\n" for line in lines), encoding="utf-8")


def tampered(case, names, roles, rows):
    """What was done, and the rows."""
    chance, rows = case.chance, [list(row) for row in rows]
    kind = chance.choice(["cell", "value", "moved", "dropped", "merged", "split", "doubled", "missing", "starred"])
    places = {role: [i for i, name in enumerate(names) if roles.get(name, "quasi") == role] for role in ("quasi", "sensitive")}
    if not rows:
        return kind, rows
    one, two = chance.randrange(len(rows)), chance.randrange(len(rows))
    if kind == "cell" and places["quasi"]:  # a box of one row becomes that of another
        for i in places["quasi"]:
            rows[one][i] = rows[two][i]
    elif kind == "value":
        i = chance.choice(places["sensitive"])
        rows[one][i] = rows[two][i]
    elif kind == "moved":
        rows.insert(two, rows.pop(one))
    elif kind == "dropped":
        rows.pop(one)
    elif kind == "merged" and places["quasi"]:
        box = [rows[one][i] for i in places["quasi"]]
        for row in rows:
            if [row[i] for i in places["quasi"]] == box:
                for i in places["quasi"]:
                    row[i] = rows[two][i]
    elif kind in ("split", "starred") and places["quasi"]:
        for row in rows[one:one + 2]:
            for i in places["quasi"]:
                row[i] = "*"
    elif kind == "doubled":
        rows.append(list(rows[one]))
    elif kind == "missing":
        rows[one][chance.choice(places["sensitive"])] = case.marker
    return kind, rows


def published_cells(path, form, names):
    table, count = verify_release.read_table(str(path), path.read_bytes(), form, names)
    return list(table), [list(row) for row in zip(*table.values())] if table else []


def table_policy(case, columns):
    """The policy, and the form of its CSV."""
    chance, form = case.chance, {}
    models = random_models(case, columns)
    data = {"missing": [case.marker, case.marker2][:chance.choice([1, 2, 2])]} if case.marker or chance.random() < 0.7 else {}
    if chance.random() < 0.4:
        form["delimiter"] = chance.choice([";", "||", ", ", "\t"])
    if chance.random() < 0.15:
        form["quote"] = "'"
    if chance.random() < 0.15:
        form["header"], data["columns"] = False, list(columns)
    algorithm = {"name": chance.choice(algorithms_for(models)), "suppression_limit": chance.choice([0, 0, 0.2, 0.5])}
    if algorithm["suppression_limit"] and chance.random() < 0.5:
        algorithm["suppressed"] = "star"
    attributes = {name: {**attribute, **({"unguarded": "a test"} if attribute["role"] == "sensitive" else {})}
                  for name, (attribute, _) in columns.items()}
    return {"data": {**data, **form}, "attributes": attributes, "privacy": models, "algorithm": algorithm}, form


def table_case(case):
    chance = case.chance
    case.marker, case.marker2 = chance.choice(["", "?", "?"]), "NA"
    columns = random_columns(case)
    policy, form = table_policy(case, columns)
    roles = {name: each["role"] for name, each in policy["attributes"].items()}
    (case.folder / "p.toml").write_text(policy_text(policy), encoding="utf-8")
    (case.folder / "ill.csv").write_text("".join(f"{leaf};{TREE[leaf]};*\n" for leaf in ILL), encoding="utf-8")
    rows = [[draw() for _, draw in columns.values()] for _ in range(chance.choice([1, 6, 12, 25, 40, 60]))]
    ending = chance.choice([".csv", ".csv", ".csv", ".jsonl"] + [".parquet"] * (pyarrow is not None))
    manifest = case.folder / f"out{ending}.manifest.json"
    if chance.random() < 0.6:
        write_cells(case.folder / "in.csv", list(columns), rows, form)
        flags = [flag for flag in ("--bounds", "--group-column") if chance.random() < 0.2]
        done = case.run("anonymize", "in.csv", "--policy", "p.toml", "--output", "out" + ending, "--row-map", "map.csv", *flags, *case.repeatable())
        case.counts[f"anonymize, exit {done.returncode}"] += 1
    else:  # not published by cordon, in few groups: every model comes close to its bound
        for row in rows:
            box = chance.choice(rows[:3])
            row[:] = [box[i] if roles[name] == "quasi" else cell for i, (name, cell) in enumerate(zip(columns, row))]
    if "who" in columns:
        check_whose(case, columns, roles, rows, form)
    if manifest.exists():
        check_release(case, ending, "who" in columns, 2 if count_people(policy["privacy"]) else 0)
        names = json.loads(manifest.read_text())["output"]["names"]
        names, rows = published_cells(case.folder / ("out" + ending), form, names if not form.get("header", True) else None)
        if not count_people(policy["privacy"]):
            check_forged(case, ending, form)
        if pyarrow and [model["model"] for model in policy["privacy"]] == ["ke-anonymity"]:
            check_store(case)
    else:
        names = [name for name in columns if roles[name] not in ("identifier", "person")]
        rows = [[cell for name, cell in zip(columns, row) if name in names] for row in rows]
    for place in range(3):
        kind, changed = tampered(case, names, roles, rows)
        copy = case.folder / f"copy{place}{ending}"
        if not changed and (ending != ".csv" or not form.get("header", True)):
            continue  # an empty file
        write_cells(copy, names, changed, form)
        if manifest.exists():
            check_other_bytes(case, copy, manifest)
            reseal(case, copy, manifest, len(changed))
        exempt = ["--exempt-suppressed"] if chance.random() < 0.2 else []
        case.compare(f"tampered table ({kind})", copy.name, "--policy", "p.toml", *exempt)
        if manifest.exists() and not exempt and not count_people(policy["privacy"]):  # a manifest leaves those out
            check_resealed(case, copy)


def put(*path, value):
    """A change of a manifest: the value at the path, which a function may make from the one that is there."""
    def change(manifest):
        for step in path[:-1]:
            manifest = manifest[step]
        manifest[path[-1]] = value(manifest[path[-1]]) if callable(value) else value
    return change


# What is changed, how, and how both verifiers must end. By docs/certificate.md: 1 if it is not so, 2 if it cannot be read.
FORGED = [("bytes", put("output", "bytes", value=1), 1), ("rows", put("output", "rows", value=lambda rows: rows + 1), 1),
          ("text", put("privacy", 0, "text", value=lambda text: text.replace("=", "=5", 1)), 1),
          ("does not hold", put("privacy", 0, "holds", value=False), 1),
          ("column removed", put("output", "columns", value=lambda columns: columns[:-1]), 1),
          ("names", put("output", "names", value=lambda names: [*names[:-1], "other"]), 1),
          ("no claims", put("privacy", value=[]), 1),
          ("suppressed below 0", put("suppressed", value=-1), 2), ("rows as a text", put("output", "rows", value=str), 2),
          ("holds as a text", put("privacy", 0, "holds", value="yes"), 2), ("format", put("format", value=3), 2),
          ("format as a text", put("format", value="1"), 2), ("role", put("output", "columns", 0, "role", value="magic"), 2),
          ("model", put("privacy", 0, "model", value="magic"), 2), ("missing as a text", put("output", "missing", value="NA"), 2),
          ("reached as a number", put("privacy", 0, "reached", value=3), 2), ("policy digest as a number", put("policy_sha256", value=3), 2),
          ("column twice", put("output", "columns", value=lambda columns: [*columns, columns[0]]), 2),
          ("k as a text with an exponent", put("privacy", 0, "text", value="1e999"), 1), ("number beyond 64 bits", put("suppressed", value=2**64), 2),
          ("reached removed", lambda manifest: manifest["privacy"][0].pop("reached"), 0),
          ("claim twice", lambda manifest: manifest["privacy"].append(manifest["privacy"][0]), 0),
          ("optional keys removed", lambda manifest: [manifest["output"].pop(key) for key in ("bytes", "rows", "names")] and manifest.pop("tool"), 0)]
FORGED_CSV = [("delimiter", put("output", "delimiter", value="~"), 1), ("header", put("output", "header", value=lambda header: not header), 1)]


def check_forged(case, ending, form):
    """Manifests next to the bytes of the release that say what is not so, or cannot be read. Without the run record."""
    release, manifest = case.folder / ("out" + ending), json.loads((case.folder / f"out{ending}.manifest.json").read_text())
    copy, beside = case.folder / ("forged" + ending), case.folder / f"forged{ending}.manifest.json"
    csv_header = ending == ".csv" and form.get("header", True) and len(manifest["output"]["names"]) > 1
    headerless = ending == ".csv" and not form.get("header", True)
    changes = FORGED + (FORGED_CSV if csv_header else FORGED_CSV[1:] if ending == ".csv" else [])
    if headerless:  # the names are the manifest's own
        changes = [each for each in changes if each[0] not in ("names", "optional keys removed")]
    copy.write_bytes(release.read_bytes())
    for kind, change, status in case.chance.sample(changes, 3):
        forged = json.loads(json.dumps(manifest))
        change(forged)
        beside.write_text(json.dumps(forged), encoding="utf-8")
        expect(case, f"forged manifest ({kind})", copy.name, status)
    beside.write_text("\ufeff" + json.dumps(manifest), encoding="utf-8")
    expect(case, "manifest with a byte order mark", copy.name, 2)
    if csv_header:
        data = release.read_bytes() + b"\n"
        copy.write_bytes(data)
        manifest["output"].update(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))
        beside.write_text(json.dumps(manifest), encoding="utf-8")
        expect(case, "blank line at the end", copy.name, 0)


def expect(case, what, name, status):
    by_policy, by_manifest = case.compare(what, name, "--policy", "p.toml"), case.second(name)[0]
    if by_policy != status or by_manifest != status:
        raise Disagreement(f"seed {case.seed}, {what}: ends with {by_policy} by the policy, {by_manifest} by the manifest, not {status}")


def check_other_bytes(case, copy, manifest):
    """Next to the manifest of the release both verifiers refuse whatever has other bytes."""
    beside = case.folder / f"{copy.name}.manifest.json"
    shutil.copy(manifest, beside)
    differs = copy.read_bytes() != (case.folder / manifest.name.removesuffix(".manifest.json")).read_bytes()
    status = case.compare("other bytes than the manifest names" if differs else "same bytes", copy.name, "--policy", "p.toml")
    if differs and (status == 0 or case.second(copy.name)[0] == 0):
        raise Disagreement(f"seed {case.seed}, {copy.name}: other bytes than the manifest names are accepted")


def reseal(case, copy, manifest, rows):
    """What a forger does: a manifest that names the new bytes."""
    forged, data = json.loads(manifest.read_text()), copy.read_bytes()
    forged["output"].update(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data), rows=rows)
    (case.folder / f"{copy.name}.manifest.json").write_text(json.dumps(forged))


def check_whose(case, columns, roles, rows, form):
    """The rows as they are, in few groups, as release and as original, which tells whose they are."""
    boxes = rows[:case.chance.choice([1, 2, 3])]
    held = [case.chance.choice(boxes) for _ in rows]
    rows = [[box[i] if roles[name] == "quasi" else cell for i, (name, cell) in enumerate(zip(columns, row))] for row, box in zip(rows, held)]
    published = [i for i, name in enumerate(columns) if roles[name] not in ("identifier", "person")]
    write_cells(case.folder / "whose.csv", list(columns), rows, form)
    write_cells(case.folder / "shown.csv", [list(columns)[i] for i in published], [[row[i] for i in published] for row in rows], form)
    same = "".join(f"{row},{row}\n" for row in range(1, len(rows) + 1))
    (case.folder / "same.csv").write_text("released_row,input_row\n" + same, encoding="utf-8")
    case.compare("table with people", "shown.csv", "--policy", "p.toml", "--original", "whose.csv", "--row-map", "same.csv")


def check_release(case, ending, people, alone):
    """`alone`: how it ends without whose the rows are."""
    name = "out" + ending
    if case.compare("release", name, "--policy", "p.toml") != alone:
        raise Disagreement(f"seed {case.seed}: the release does not hold")
    if people and case.compare("release with people", name, "--policy", "p.toml", "--original", "in.csv", "--row-map", "map.csv") != 0:
        raise Disagreement(f"seed {case.seed}: the release with people does not hold")
    status, result = case.second(name)
    if status != alone:
        raise Disagreement(f"seed {case.seed}: the manifest of the release: {json.dumps(result, indent=1)}")


def check_store(case):
    if case.run("permute", "in.csv", "--policy", "p.toml", "--output", "store", *case.repeatable()).returncode != 0:
        return
    if case.compare("store", "store", "--policy", "p.toml") != 0:
        raise Disagreement(f"seed {case.seed}: the store does not hold")
    if case.run("append", "store", "in.csv", "--again", *case.repeatable()).returncode == 0 and case.compare("store with two parts", "store", "--policy", "p.toml") != 0:
        raise Disagreement(f"seed {case.seed}: the store that has grown does not hold")
    name = case.chance.choice(["table", "help", "groups"])
    part = case.folder / "store" / name / "part-000001.parquet"
    data = bytearray(part.read_bytes())
    data[case.chance.randrange(len(data))] ^= 1 << case.chance.randrange(8)
    shutil.rmtree(case.folder / "store.private")
    part.write_bytes(data)
    case.compare("store with one bit changed", "store", "--policy", "p.toml")


def check_resealed(case, copy):
    """By the manifest the same verdicts come out as by the policy."""
    by_policy, by_manifest = case.second(copy.name, "--policy", "p.toml"), case.second(copy.name)
    if 2 in (by_policy[0], by_manifest[0]):
        if by_policy[0] != by_manifest[0] and by_manifest[0] == 0:
            raise Disagreement(f"seed {case.seed}, {copy.name}: refused by the policy, accepted by the manifest: {by_policy}")
        return
    for one, two in zip(by_policy[1]["privacy"], by_manifest[1]["privacy"]):
        if any(one.get(key) != two.get(key) for key in ("model", "holds", "reached_exact", "witness")):
            raise Disagreement(f"seed {case.seed}, {copy.name}: by policy {one}, by manifest {two}")


# ---------------------------------------------------------------------------------------------------------------------
# Streams.


def stream_columns(case):
    chance = case.chance
    columns = {"age": ({"role": "quasi", "type": "numeric", "range": [0, 99], **chance.choice([{}, {"grid": 5}, {"hierarchy": {"intervals": [10]}}])},
                       lambda i: str(chance.randrange(100))),
               "sex": ({"role": "quasi", "values": ["f", "m"]}, lambda i: chance.choice("fm"))}
    if chance.random() < 0.6:
        people = chance.choice([4, 10, 30])
        columns["who"] = ({"role": "person"}, lambda i: f"p{chance.randrange(people)}")
    skew = [chance.choice([1, 1, 2, 6]) for _ in ILL]
    columns["ill"] = ({"role": "sensitive", **chance.choice([{"values": ILL}, {"hierarchy": "ill.csv"}])}, lambda i: chance.choices(ILL, skew)[0])
    columns["pay"] = ({"role": "sensitive", "type": "numeric", "values": list(range(0, 100, 10))}, lambda i: str(10 * chance.randrange(10)))
    if chance.random() < 0.3:
        columns["note"] = ({"role": "insensitive"}, lambda i: chance.choice(["a", "b, c", ""]))
    return columns


def stream_policy(case, columns):
    """The policy, and flags of the run."""
    chance = case.chance
    name = chance.choice(["castle", "castle", "dynamic-group", "stream-rtree", "sabre-w", "sabre-w"])
    models = [{"model": "ks-anonymity", "k": chance.choice([2, 3])}]
    if name in ("castle", "sabre-w") and chance.random() < 0.4:
        models.append({"model": "l-diversity", "sensitive": "ill", "l": 2})
    stream, algorithm, flags = {}, {"name": name}, []
    if name == "sabre-w":
        window = chance.choice([8, 12, 20, 30])
        for _ in range(chance.choice([1, 1, 2])):
            column = chance.choice(["ill", "pay"])
            if chance.random() < 0.6:
                models.append({"model": "window-closeness", "sensitive": column, "window": window, "t": chance.choice([0.2, 0.4, 0.6])})
                if chance.random() < 0.4:
                    models[-1]["distance"] = "equal"
            else:
                models.append({"model": "window-likeness", "sensitive": column, "window": window, "beta": chance.choice([1, 2, 4]),
                               "kind": chance.choice(["basic", "enhanced"])})
        if chance.random() < 0.5:
            algorithm["sabre-w"] = {"step": chance.choice([each for each in range(1, window + 1) if window % each == 0])}
            if chance.random() < 0.3:
                algorithm["sabre-w"]["short"] = "strict"
    else:
        stream["delay"] = chance.choice([10, 15, 25])
        if name == "stream-rtree":
            algorithm[name] = {"active": chance.choice([6, 8]), "method": chance.choice(["min-delay", "basic", "density-aware", "full"])}
            if chance.random() < 0.3:
                del stream["delay"]
        if name == "dynamic-group":  # takes numbers only
            columns["sex"] = ({"role": "quasi", "type": "numeric", "range": [0, 9]}, lambda i: str(chance.randrange(10)))
        if name == "castle" and chance.random() < 0.6:
            stream.update(delay=chance.choice(["10s", "1m", "20000ms"]), event_time="ts", lateness="2s")
            columns["ts"] = ({"role": "insensitive"}, lambda i: str(1_600_000_000 + 2 * i + chance.randrange(3)))
    if name == "castle":
        algorithm["suppressed"] = chance.choice(["drop", "drop", "blank", "pool"])
    if chance.random() < 0.25 and algorithm.get("suppressed", "drop") == "drop" and (stream or name == "sabre-w"):
        stream["order"] = "arrival"
    if chance.random() < 0.3:
        flags.append("--sequence")
    if chance.random() < 0.3:
        flags.append("--group-column")
    if chance.random() < 0.3:
        flags.append(chance.choice(["--bounds", "--no-bounds"]))
    units = {"10s": 10000, "1m": 60000, "20000ms": 20000}
    case.delay = units.get(stream.get("delay"), stream.get("delay", 30))
    if name == "sabre-w":
        case.delay = window + algorithm.get(name, {}).get("step", window // 4 if window % 4 == 0 else window) - 1
    attributes = {column: {**attribute, **({"unguarded": "a test"} if attribute["role"] == "sensitive" else {})}
                  for column, (attribute, _) in columns.items()}
    return {"attributes": attributes, "privacy": models, "stream": stream, "algorithm": algorithm}, flags


def compact(record):
    """As cordon writes it."""
    return json.dumps(record, separators=(",", ":"))


def tampered_stream(case, header, rows, log):
    """What was done, with the lines of output and log."""
    chance, rows, log = case.chance, [list(row) for row in rows], list(log)
    kind = chance.choice(["cell", "rows exchanged", "row dropped", "row doubled", "departure dropped", "departures exchanged",
                          "position", "person", "at", "window", "end cut off", "boxes exchanged", "kind", "clock", "suppressed"])
    if not rows or len(log) < 3:
        return kind, rows, log
    one, two = chance.randrange(len(rows)), chance.randrange(len(rows))
    place, other = chance.randrange(1, len(log) - 1), chance.randrange(1, len(log) - 1)
    if kind == "cell":
        column = chance.randrange(len(header))
        rows[one][column] = rows[two][column]
    elif kind == "rows exchanged":
        rows[one], rows[two] = rows[two], rows[one]
    elif kind == "row dropped":
        rows.pop(one)
    elif kind == "row doubled":
        rows.insert(one, rows[one])
    elif kind == "boxes exchanged":
        for column, name in enumerate(header):
            if name in ("age", "age_lo", "age_hi", "sex", "sex_lo", "sex_hi"):
                rows[one][column], rows[two][column] = rows[two][column], rows[one][column]
    elif kind == "departure dropped":
        log.pop(place)
    elif kind == "departures exchanged":
        log[place], log[other] = log[other], log[place]
    elif kind == "end cut off":
        log.pop()
    elif kind == "suppressed":  # a whole group, so that its values are not known to windows
        shown = [json.loads(line) for line in log[1:place + 1]]
        shown = [len(each["positions"]) for each in shown if each["kind"] != "suppressed"]
        record = json.loads(log[place])
        if record["kind"] != "suppressed":
            del rows[sum(shown) - len(record["positions"]):sum(shown)]
            log[place] = compact({**record, "kind": "suppressed"})
            log[-1] = compact({**json.loads(log[-1]), "rows": len(rows)})
    else:
        record = json.loads(log[place])
        at = chance.randrange(len(record["positions"]))
        if kind in ("position", "person"):
            numbers = record[kind + "s"]
            numbers[at] = chance.choice([1, numbers[at] + 1, json.loads(log[other])[kind + "s"][0]])
        elif kind == "at":
            record["at"] = chance.choice([record["at"] + chance.choice([-2, -1, 1, 40]), record["positions"][at] + case.delay % 1000 + chance.randrange(2)])
            for later in range(place + 1, len(log) - 1):  # so that it is not out of order as well
                log[later] = compact({**json.loads(log[later]), "at": max(record["at"], json.loads(log[later])["at"])})
        elif kind == "window" and "window" in record:
            record["window"][chance.randrange(2)] += chance.choice([-1, 1])
        elif kind == "kind":
            record["kind"] = chance.choice(["group", "reuse", "suppressed", "pooled"])
        elif kind == "clock" and "clock" in record:
            later = json.loads(log[min(place + 1, len(log) - 2)])["times"][0]
            record["clock"] = chance.choice([record["clock"] + 5000, later + case.delay - chance.randrange(2)])
        log[place] = compact(record)
    return kind, rows, log


def resealed_log(lines, data):
    """What a forger does who can write the log: a chain that fits. All bytes are given to the last line."""
    forged, chain = [], ""
    for place, line in enumerate(lines, 1):
        written = data if place == len(lines) else b""
        record = {**{key: value for key, value in json.loads(line).items() if key != "chain"}, "written": len(written)}
        text = json.dumps(record, separators=(",", ":"), ensure_ascii=False)[:-1]
        chain = hashlib.sha256((chain + text).encode() + written).hexdigest()
        forged.append(f'{text},"chain":"{chain}"}}')
    return forged


def stream_case(case):
    chance = case.chance
    columns = stream_columns(case)
    policy, flags = stream_policy(case, columns)
    (case.folder / "p.toml").write_text(policy_text(policy), encoding="utf-8")
    (case.folder / "ill.csv").write_text("".join(f"{leaf};{TREE[leaf]};*\n" for leaf in ILL), encoding="utf-8")
    count = chance.choice([0, 3, 20, 60, 120])
    write_cells(case.folder / "in.csv", list(columns), [[draw(i) for _, draw in columns.values()] for i in range(count)], {})
    ending = chance.choice([".csv", ".csv", ".jsonl"])
    done = case.run("stream", "in.csv", "--policy", "p.toml", "--output", "out" + ending, "--audit", "log.jsonl", *flags, *case.repeatable())
    if done.returncode != 0:
        case.counts[f"stream not published, exit {done.returncode}"] += 1
        return
    case.compare("stream", "--stream", "out" + ending, "--audit", "log.jsonl", "--policy", "p.toml")
    log = (case.folder / "log.jsonl").read_text().splitlines()
    chain = json.loads(log[-1])["chain"]
    header, rows = published_cells(case.folder / ("out" + ending), {}, None) if (case.folder / ("out" + ending)).stat().st_size else ([], [])
    for place in range(5):
        kind, changed, lines = tampered_stream(case, header, rows, log)
        if not changed:
            continue
        write_cells(case.folder / f"copy{place}{ending}", header, changed, {})
        asked = ["--stream", f"copy{place}{ending}", "--audit", f"log{place}.jsonl", "--policy", "p.toml"]
        (case.folder / f"log{place}.jsonl").write_text("".join(line + "\n" for line in lines))
        if case.compare("tampered stream, chain as it was", *asked, "--chain", chain) == 0 and (changed, lines) != (rows, log):
            raise Disagreement(f"seed {case.seed}, {kind}: a stream that was tampered with is accepted")
        forged = resealed_log(lines, (case.folder / f"copy{place}{ending}").read_bytes())
        (case.folder / f"log{place}.jsonl").write_text("".join(line + "\n" for line in forged))
        case.compare(f"tampered stream, forged chain ({kind})", *asked)


# ---------------------------------------------------------------------------------------------------------------------
# Joins with previous releases.

JOBS = {"banker": "white", "engineer": "white", "clerk": "blue", "driver": "blue"}


def day(number):
    return f"2020-01-{number:02}"


def generalized(case, name, cell):
    """A cell as a release might show it."""
    chance = case.chance
    if chance.random() < 0.5:
        return cell
    if chance.random() < 0.2:
        return "*"
    if name == "job":
        return chance.choice([JOBS[cell], "any"]) if cell in JOBS else cell
    if name in ("age", "born") and re.fullmatch("[0-9-]+", cell):
        at = int(cell[-2:])
        lo, hi = at - chance.randrange(4), at + chance.randrange(1, 4)
        show = day if name == "born" else str
        return f"[{show(max(lo, 1))},{show(hi)}" + chance.choice(["]", ")"])
    return cell


def join_rows(case, columns, people, drawn):
    """A table about the people: columns that several tables have show the same person, more or less exactly."""
    rows = []
    for person in range(people):
        for name in columns:
            if (name, person) not in drawn:
                drawn[name, person] = {
                    "job": lambda: case.chance.choice(list(JOBS)), "sex": lambda: case.chance.choice(["f", "m"]),
                    "age": lambda: case.chance.choice(["", *map(str, range(20, 29))]), "born": lambda: day(case.chance.randrange(5, 14)),
                }.get(name, lambda: name + str(case.chance.randrange(3)))()
        rows.append([drawn[name, person] for name in columns])
    return rows


def join_models(case, now, before):
    chance, models = case.chance, []
    shared = set(now)
    place = lambda t, name: name if t == 0 else f"previous{t}.{name}"
    known = [name for name in now if name != "test"] + [place(t, name) for t, columns in enumerate(before, 1) for name in columns if name not in shared]
    hidden = [(t, name) for t, columns in enumerate([now, *before]) for name in columns if name in ("test", f"ill{t}")]
    for _ in range(chance.choice([1, 1, 2])):
        y = [place(t, name) for t, name in chance.sample(hidden, chance.choice([1, 1, 2]) if len(hidden) > 1 else 1)]
        x = [name for name in chance.sample(known, chance.randrange(1, min(4, len(known)) + 1)) if name not in y]
        if not x:
            continue
        if chance.random() < 0.5:
            models.append({"model": "xy-linkability", "x": x, "values": {name: chance.choice([[], [name.split(".")[-1] + "0"], [name.split(".")[-1] + "1"]]) for name in y},
                           "h": chance.choice(["1/3", "1/2", "2/3", "9/10"])})
        else:
            models.append({"model": "xy-anonymity", "x": x, "y": chance.choice(["person", "pairs", f"rows of previous{len(before)}", y]), "k": chance.choice([2, 2, 3, 5])})
    return models


def join_case(case):
    chance, drawn = case.chance, {}
    common = chance.sample(["job", "sex", "age", "born"], chance.choice([1, 2, 2, 3]))
    now = common + ["town"] * (chance.random() < 0.5) + ["test"]
    before = [chance.sample(common, chance.randrange(1, len(common) + 1)) + ["zip"] * (chance.random() < 0.5) + [f"ill{t}"]
              for t in range(1, chance.choice([2, 2, 2, 3]))]
    people = chance.choice([2, 4, 6, 9])
    models = join_models(case, now, before)
    if not models:
        return
    attributes = {"job": {"role": "quasi", "hierarchy": "job.csv"}, "sex": {"role": "quasi"}, "age": {"role": "quasi", "type": "numeric"},
                  "born": {"role": "quasi", "type": "date"}, "town": {"role": "insensitive"}, "test": {"role": "sensitive", "unguarded": "a test"}}
    policy = {"attributes": {name: attributes[name] for name in now}, "privacy": models}
    asks_nothing = [{**model, **({"h": 1} if "h" in model else {"k": 1})} for model in models]
    (case.folder / "job.csv").write_text("".join(f"{leaf};{label};any\n" for leaf, label in JOBS.items()))
    (case.folder / "p.toml").write_text(policy_text(policy))
    (case.folder / "open.toml").write_text(policy_text({**policy, "privacy": asks_nothing}))
    write_cells(case.folder / "now.csv", now, join_rows(case, now, people, drawn), {})
    previous = []
    for t, columns in enumerate(before, 1):
        rows = [[generalized(case, name, cell) for name, cell in zip(columns, row)] for row in join_rows(case, columns, people, drawn)]
        if "age" in columns and chance.random() < 0.3:  # as anonymize --bounds writes it
            columns, rows, said = two_columns(columns, rows)
        write_cells(case.folder / f"before{t}.csv", columns, rows, {"delimiter": chance.choice([",", ";"])} if any("[" in cell for row in rows for cell in row) is False else {})
        if "age_lo" in columns:
            digest = hashlib.sha256((case.folder / f"before{t}.csv").read_bytes()).hexdigest()
            (case.folder / f"before{t}.csv.manifest.json").write_text(json.dumps({"output": {"sha256": digest, "columns": [said]}}))
        previous += ["--previous", f"before{t}.csv"]
    flags = ["--allow-unequal", "--allow-dangling"]
    done = case.run("release-next", "now.csv", *previous, "--policy", "open.toml", "--output", "out.csv", *flags)
    if "the join is empty" in done.stderr:
        case.counts["join refused: it is empty"] += 1
        return
    if "is not a value of column" in done.stderr:
        case.counts["join refused: nobody has a guarded value"] += 1
        return
    if done.returncode != 0:
        raise Disagreement(f"seed {case.seed}: a policy that asks for nothing is refused: {done.stderr}")
    manifest = json.loads((case.folder / "out.csv.manifest.json").read_text())
    check_forged_joins(case, previous)
    for claim, model in zip(manifest["join"]["privacy"], models):
        claim.update({key: model[key] for key in ("k", "h") if key in model}, reached=None)
    names, rows = published_cells(case.folder / "out.csv", {}, None)
    for place in range(4):
        copy = case.folder / f"copy{place}.csv"
        write_cells(copy, names, [[generalized(case, name, cell) if name in common else cell for name, cell in zip(names, row)] for row in rows] if place else rows, {})
        data = copy.read_bytes()
        manifest["output"].update(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))
        (case.folder / f"{copy.name}.manifest.json").write_text(json.dumps(manifest))
        compare_joins(case, copy.name, previous)
    # With types, where numbers and dates are two columns each.
    done = case.run("release-next", "now.csv", *previous, "--policy", "open.toml", "--output", "out.jsonl", *flags)
    if done.returncode != 0:
        raise Disagreement(f"seed {case.seed}: out.jsonl is refused: {done.stderr}")
    manifest = json.loads((case.folder / "out.jsonl.manifest.json").read_text())
    for claim, model in zip(manifest["join"]["privacy"], models):
        claim.update({key: model[key] for key in ("k", "h") if key in model}, reached=None)
    (case.folder / "out.jsonl.manifest.json").write_text(json.dumps(manifest))
    (case.folder / "out.jsonl.private.json").unlink()
    compare_joins(case, "out.jsonl", previous)


# As FORGED, of what a manifest says of its join. How the two end may differ in one way: the policy shows cordon what was left out.
FORGED_JOINS = [put("join", "holds", value=False), put("join", "holds", value="yes"), put("join", "privacy", value=[]), put("join", "privacy", 0, "holds", value=False),
                put("join", "privacy", 0, "reached", value="7/9"), put("join", "privacy", 0, "reached", value=3), put("join", "privacy", 0, "reached", value=None),
                put("join", "privacy", 0, "x", value=[]), put("join", "privacy", 0, "x", value=lambda x: [*x, x[0]]), put("join", "privacy", 0, "model", value="magic"),
                put("join", "privacy", 0, "text", value="magic"), put("join", "privacy", value=lambda claims: claims[1:]), put("join", "impossible", value=3),
                put("join", "columns", value={}), put("join", "columns", value={"job": []}), put("join", "columns", value={"sex": {"match": "magic"}}),
                put("join", "forced_links", value={"audit": "done"}), put("join", "forced_links", value={"audit": 3}), put("join", "tuples", value=3),
                put("previous", value=[]), put("previous", 0, "sha256", value="00"), put("previous", 0, "name", value=3), lambda manifest: manifest.pop("previous"),
                lambda manifest: manifest.pop("join"), lambda manifest: manifest["join"]["privacy"].reverse(), lambda manifest: manifest["join"].pop("columns")]


def check_forged_joins(case, previous):
    """The release as it is, with a manifest that says of its join what is not so, or cannot be read."""
    manifest = json.loads((case.folder / "out.csv.manifest.json").read_text())
    (case.folder / "forged.csv").write_bytes((case.folder / "out.csv").read_bytes())
    for change in [lambda manifest: None, *case.chance.sample(FORGED_JOINS, 4)]:
        forged = json.loads(json.dumps(manifest))
        change(forged)
        (case.folder / "forged.csv.manifest.json").write_text(json.dumps(forged))
        ours = case.run("verify", "forged.csv", "--policy", "open.toml", *previous, "--allow-unequal")
        status, result = case.second("forged.csv", *previous)
        case.counts[f"forged join, cordon ends with {ours.returncode}, python with {status}"] += 1
        if ours.returncode != status and (ours.returncode, status) != (1, 0):
            what = json.dumps([forged.get("join"), forged.get("previous")])
            raise Disagreement(f"seed {case.seed}, forged join: cordon says {ours.returncode}, python {status}\n{ours.stdout}{ours.stderr}\n{result}\n{what}")


def two_columns(columns, rows):
    """The ages as anonymize --bounds writes them, and what its manifest says of the ends."""
    at = columns.index("age")
    ranges = {row[at][1:-1] for row in rows if row[at][-1:] == "]"}
    opened = {row[at][1:-1] for row in rows if row[at][-1:] == ")"} - ranges
    said = {"name": "age", "upper_end": "excluded" if opened else "included"}
    if opened and ranges:
        said["closed"] = [each.split(",") for each in sorted(ranges)]
    ends = [row[at][1:-1].split(",") if row[at][:1] == "[" else [row[at]] * 2 for row in rows]
    return columns[:at] + ["age_lo", "age_hi"] + columns[at + 1:], [row[:at] + end + row[at + 1:] for row, end in zip(rows, ends)], said


def compare_joins(case, name, previous):
    """The figures on the join, on the release alone and without forced links, and what follows from them."""
    done = case.run("verify", name, "--policy", "p.toml", *previous, "--allow-unequal", "--json")
    status, result = case.second(name, *previous)
    where = f"seed {case.seed}, {name}"
    if done.returncode not in (0, 1) or status not in (0, 1):
        raise Disagreement(f"{where}: cordon ends with {done.returncode}, python with {status}: {done.stderr} {result}")
    ours = json.loads(done.stdout)["join"]
    for one, two in zip(ours["privacy"], result["join"], strict=True):
        nothing = ("0", "None", None)  # nobody has a guarded value, or there is no tuple
        figure = lambda text: None if text in nothing else text
        figures = [figure(one["reached"]), figure(one["reached_alone"]), figure(one["reached_without_forced_links"]), int(ours["tuples"])]
        others = [figure(two["reached_exact"]), figure(two["reached_alone"]), figure(two["reached_without_forced_links"]), two["tuples"]]
        if figures != others:
            raise Disagreement(f"{where}: {one['text']}: cordon {figures}, python {others}")
        if one["holds"] != two["holds"]:
            raise Disagreement(f"{where}: {one['text']}: cordon {one}, python {two}")
        case.counts[f"join, {'holds' if two['holds'] else 'does not hold'}"] += 1
        if one["reached_without_forced_links"] is not None:
            case.counts["join with forced links"] += 1


# ---------------------------------------------------------------------------------------------------------------------


def run_one(cordon, kind, seed):
    folder = tempfile.mkdtemp(prefix=f"two_verifiers_{seed}_")
    case = Case(cordon, seed, folder)
    try:
        {"table": table_case, "stream": stream_case, "join": join_case}[kind](case)
    except Disagreement as found:
        return case.counts, f"{found}\n  files: {folder}"
    except Exception as error:  # of the test itself
        return case.counts, f"seed {seed}: {type(error).__name__}: {error}\n  files: {folder}"
    shutil.rmtree(folder)
    return case.counts, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cordon")
    parser.add_argument("--tables", type=int, default=200 if ALL else 80)
    parser.add_argument("--streams", type=int, default=70 if ALL else 30)
    parser.add_argument("--joins", type=int, default=70 if ALL else 30)
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the others follow")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases that run side by side")
    parser.add_argument("--most", type=int, default=5, help="disagreements after which to stop")
    asked = parser.parse_args()
    cordon = str(Path(asked.cordon).resolve())
    wanted = {"table": asked.tables, "stream": asked.streams, "join": asked.joins}
    cases = [(kind, asked.seed + i) for kind, count in wanted.items() for i in range(count)]
    counts, done, wrong, start = collections.Counter(), collections.Counter(), [], time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(asked.jobs) as pool:
        for (kind, _), (found, error) in zip(cases, pool.map(run_one, *zip(*[(cordon, kind, seed) for kind, seed in cases]), chunksize=4)):
            counts += found
            done[kind] += 1
            if error:
                wrong.append(error)
                print(error, flush=True)
            if len(wrong) >= asked.most:
                break
    for what, count in sorted(counts.items()):
        print(f"{count:7} {what}")
    if pyarrow is None:
        print("Parquet and stores were left out: pyarrow is not installed")
    print(f"{len(wrong)} disagreements in {done['table']} tables, {done['stream']} streams and {done['join']} joins; {time.monotonic() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
