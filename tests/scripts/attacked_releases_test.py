#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Releases that a stranger has changed, with digests that fit: attacked_releases_test.py CORDON

Each test is an attack that one of the two verifiers once accepted, or on which they differed. Both give the same exit status.
"""
import copy
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import second_verifier
from certificate_test import STREAM_POLICY

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:  # then the second verifier reads neither Parquet nor stores
    pyarrow = None

CORDON = ""
PATIENCE = 60  # seconds: what takes longer waits for a pipe
ILLS = ("Flu", "Asthma", "Ulcer", "Angina")
HIERARCHY = "Flu;Lung;*\nAsthma;Lung;*\nUlcer;Other;*\nAngina;Other;*\n"
COLUMNS = """[attributes.age]
role = "quasi"
type = "numeric"
[attributes.sex]
role = "quasi"
[attributes.ill]
role = "sensitive"
hierarchy = "ill.csv"
[attributes.cost]
role = "sensitive"
type = "numeric"
values = [10, 20, 30, 40]
"""
POLICY = COLUMNS + """[[privacy]]
model = "k-anonymity"
k = 3
[[privacy]]
model = "t-closeness"
sensitive = "ill"
distance = "hierarchical"
t = 0.9
[[privacy]]
model = "t-closeness"
sensitive = "cost"
t = 0.9
"""
KE_POLICY = """[attributes.age]
role = "quasi"
type = "numeric"
[attributes.sex]
role = "quasi"
[attributes.cost]
role = "sensitive"
type = "numeric"
[[privacy]]
model = "ke-anonymity"
sensitive = "cost"
k = 3
e = 5
"""


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Attack(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)
        (self.folder / "ill.csv").write_text(HIERARCHY)
        (self.folder / "policy.toml").write_text(POLICY)
        rows = [(20 + 7 * i % 40, "MF"[i % 2], ILLS[i * i % 7 % 4], 10 * (i % 4 + 1)) for i in range(48)]
        (self.folder / "in.csv").write_text("age,sex,ill,cost\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))

    def cordon(self, *arguments):
        return subprocess.run([CORDON, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL)

    def made(self, *arguments):
        done = self.cordon(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def release(self, name):
        """Made by cordon; the run record, which knows the true bytes, goes."""
        self.made("anonymize", "in.csv", "--policy", "policy.toml", "--output", name)
        (self.folder / (name + ".private.json")).unlink()
        return json.loads((self.folder / (name + ".manifest.json")).read_text())

    def put(self, name, manifest, data=None):
        data = (self.folder / name).read_bytes() if data is None else data
        (self.folder / name).write_bytes(data)
        manifest["output"].update(sha256=digest(data), bytes=len(data))
        (self.folder / (name + ".manifest.json")).write_text(json.dumps(manifest))

    def answers(self, name, policy="policy.toml", *more):
        """Of cordon, of the second verifier by the manifest, and by the policy: exit status and what is said."""
        done = [self.cordon("verify", name, "--policy", policy, *more), second_verifier.run(name, *more, cwd=self.folder),
                second_verifier.run(name, "--policy", policy, *more, cwd=self.folder)]
        return [each.returncode for each in done], "\n".join(each.stdout + each.stderr for each in done)

    def expect(self, wanted, name, words="", **more):
        status, text = self.answers(name, **more)
        self.assertEqual(status, list(wanted) if isinstance(wanted, tuple) else [wanted] * 3, text)
        self.assertIn(words, text)
        self.assertNotIn("Traceback", text)


class Tables(Attack):
    @unittest.skipUnless(pyarrow, "needs pyarrow")
    def test_types_of_which_readers_would_cut_digits(self):
        manifest = self.release("out.parquet")
        self.expect(0, "out.parquet")
        table = pyarrow.parquet.read_table(self.folder / "out.parquet")
        different = range(table.num_rows)
        instants = pyarrow.array(list(different), "int64").cast(pyarrow.timestamp("ns"))
        times = pyarrow.array(list(different), pyarrow.time64("ns"))
        columns = {"TIME in nanoseconds": times,
                   "TIMESTAMP in nanoseconds with a time zone": pyarrow.array(list(different), pyarrow.timestamp("ns", "UTC")),
                   "INT96": instants,
                   "DECIMAL of more than 38 digits": pyarrow.array(list(different), pyarrow.decimal256(50, 20)),
                   "the Parquet type TIME in": pyarrow.StructArray.from_arrays([times], ["inside"])}
        for kind, cells in columns.items():
            with self.subTest(kind):
                pyarrow.parquet.write_table(table.set_column(table.column_names.index("sex"), "sex", cells),
                                            self.folder / "out.parquet", use_deprecated_int96_timestamps=kind == "INT96")
                self.put("out.parquet", copy.deepcopy(manifest))
                self.expect(2, "out.parquet", "column sex has the Parquet type")
                self.assertIn(kind, self.answers("out.parquet")[1])
                query = "sql:SELECT CAST(sex AS VARCHAR) AS sex FROM 'out.parquet'"
                self.assertEqual(self.cordon("verify", query, "--policy", "policy.toml").returncode, 2)
                for read in ("out.parquet", query):  # an input is read
                    self.assertEqual(self.cordon("inspect", read).returncode, 0)

    @unittest.skipUnless(pyarrow, "needs pyarrow")
    def test_nanoseconds_without_a_zone_are_read(self):
        """As pandas writes them: none is lost."""
        manifest = self.release("out.parquet")
        table = pyarrow.parquet.read_table(self.folder / "out.parquet")
        for values, wanted in (([0] * 48, 0), (list(range(48)), 1)):
            cells = pyarrow.array(values, "int64").cast(pyarrow.timestamp("ns"))
            pyarrow.parquet.write_table(table.set_column(table.column_names.index("sex"), "sex", cells), self.folder / "out.parquet")
            self.put("out.parquet", copy.deepcopy(manifest))
            status, text = self.answers("out.parquet")
            self.assertEqual([each == 0 for each in status[::2]], [wanted == 0] * 2, text)

    def changed(self, name, change):
        """The manifest of a release with a change, next to the release."""
        manifest = copy.deepcopy(self.manifest)
        change(manifest)
        self.put(name, manifest)

    def test_the_ends_of_a_column_are_not_columns_of_any_role(self):
        self.manifest = self.release("out.jsonl")
        self.expect(0, "out.jsonl")

        def as_two(role):
            def change(manifest):
                columns = manifest["output"]["columns"]
                columns[:1] = [{"name": end, "role": role, "type": "categorical"} for end in ("age_lo", "age_hi")]
            return change
        for role in ("insensitive", "quasi"):
            self.changed("out.jsonl", as_two(role))
            status, text = self.answers("out.jsonl")  # without the policy nobody knows that they are one
            self.assertEqual((status[0], status[2]), (1, 1), text)

    def test_values_of_a_claim_are_those_of_the_policy(self):
        self.manifest = self.release("out.csv")
        self.assertIn("paths", self.manifest["privacy"][1])
        self.assertIn("order", self.manifest["privacy"][2])
        flat = {ill: ["X"] for ill in ILLS}
        changes = [lambda m: m["privacy"][1].update(paths=flat), lambda m: m["privacy"][2].update(order=["40", "10", "20", "30"]),
                   lambda m: m["privacy"][2].update(order=["10", "20", "30", "40", "50"]),
                   lambda m: m["privacy"][0].update(order=["10"]), lambda m: m["privacy"][1].update(prefix=2)]
        for place, change in enumerate(changes):
            with self.subTest(place):
                self.changed("out.csv", change)
                done = self.cordon("verify", "out.csv", "--policy", "policy.toml")
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("other values, or another order of them", done.stdout)
        self.changed("out.csv", lambda m: m["privacy"][2].update(order=["10.0", "20", "30", "40"]))
        self.assertEqual(self.cordon("verify", "out.csv", "--policy", "policy.toml").returncode, 0)
        self.changed("out.csv", lambda m: m["privacy"][1].update(paths=dict(reversed(m["privacy"][1]["paths"].items()))))
        self.assertEqual(self.cordon("verify", "out.csv", "--policy", "policy.toml").returncode, 0)

    def test_what_every_model_reached(self):
        self.manifest = self.release("out.csv")
        for place in (1, 2):
            self.changed("out.csv", lambda m, place=place: m["privacy"][place].update(reached="0"))
            self.expect(1, "out.csv", "reached")

    def test_ends_that_no_range_has(self):
        for name in ("out.jsonl", "out.csv"):
            self.manifest = self.release(name)
            age = lambda m: m["output"]["columns"][0]
            changes = [lambda m: age(m).update(closed=[["1", "2"]]), lambda m: age(m).update(upper_end="excluded", closed=[["x", "y"]]),
                       lambda m: age(m).update(upper_end="excluded", closed=[["1", "2"]]),
                       lambda m: m["output"]["columns"][1].update(upper_end="included"),
                       lambda m: m["output"]["columns"][2].update(closed=[])]
            for place, change in enumerate(changes):
                with self.subTest(name=name, place=place):
                    self.changed(name, change)
                    self.expect(1, name, "end")

    def test_ends_that_are_not_numbers(self):
        manifest = self.release("out.jsonl")
        data = re.sub(rb'"age_lo": ?[0-9]+', b'"age_lo":"x"', (self.folder / "out.jsonl").read_bytes())
        self.put("out.jsonl", manifest, data)
        self.expect(2, "out.jsonl")

    def test_previous_releases_without_a_join(self):
        self.manifest = self.release("out.csv")
        self.changed("out.csv", lambda m: m.update(previous=[{"name": "x", "sha256": "00"}]))
        self.expect(2, "out.csv", "'join' is missing")

    def test_claims_that_cannot_be_read(self):
        self.manifest = self.release("out.csv")
        self.changed("out.csv", lambda m: m["privacy"][1].update(paths={ill: [] for ill in ILLS}))
        self.expect(2, "out.csv", "paths")
        diverse = {"model": "l-diversity", "sensitive": "ill", "l": 2, "kind": "distinct", "c": 1, "holds": True}
        self.changed("out.csv", lambda m: m["privacy"].append(diverse))
        self.expect(2, "out.csv", "privacy[3]")

    def test_messages_say_what_is_wrong(self):
        self.manifest = self.release("out.csv.gz")
        self.put("out.csv.gz", self.manifest, (self.folder / "out.csv.gz").read_bytes()[:-9])
        self.expect(2, "out.csv.gz", "end early")

    def test_json_lines_with_a_byte_order_mark(self):
        manifest = self.release("out.jsonl")
        self.put("out.jsonl", manifest, b"\xef\xbb\xbf" + (self.folder / "out.jsonl").read_bytes())
        self.expect(0, "out.jsonl")

    def test_a_time_that_no_calendar_has(self):
        self.manifest = self.release("out.csv")
        for time, wanted in (("2026-02-28T23:59:59Z", 0), ("2026-13-01T10:00:00Z", 2), ("2026-02-30T10:00:00Z", 2),
                             ("2026-02-28T24:00:00Z", 2), ("2026-02-28T10:60:00Z", 2), ("0000-01-01T10:00:00Z", 2)):
            self.changed("out.csv", lambda m, time=time: m.update(signed_at=time))
            self.expect(wanted, "out.csv")


class Files(Attack):
    def test_pipes(self):
        self.release("out.csv")
        manifest, release = self.folder / "out.csv.manifest.json", self.folder / "out.csv"
        for path in (manifest, release):
            kept = path.read_bytes()
            path.unlink()
            os.mkfifo(path)
            with self.subTest(path.name):
                self.expect(2, "out.csv", "regular file")
            path.unlink()
            path.write_bytes(kept)
        manifest.unlink()
        manifest.symlink_to("nowhere")
        self.expect(2, "out.csv")

    def test_keys(self):
        os.mkfifo(self.folder / "pipe")
        done = self.cordon("anonymize", "in.csv", "--policy", "policy.toml", "--output", "out.csv", "--sign", "pipe")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.made("keygen", "key")
        self.made("anonymize", "in.csv", "--policy", "policy.toml", "--output", "out.csv", "--sign", "key")
        self.expect(0, "out.csv", policy="policy.toml")
        public = (self.folder / "key.pub").read_text()
        (self.folder / "tab.pub").write_text(public.replace("MCow", "MCo\tw"))
        (self.folder / "vertical.pub").write_text(public.replace("MCow", "MCo\vw"))
        for name, wanted in (("key.pub", 0), ("tab.pub", 0), ("vertical.pub", 2), ("pipe", 2)):
            status, text = self.answers("out.csv", "policy.toml", "--key", name)
            self.assertEqual(status, [wanted] * 3, name + ": " + text)


@unittest.skipUnless(pyarrow, "the second verifier reads stores with pyarrow")
class Stores(Attack):
    def setUp(self):
        super().setUp()
        (self.folder / "policy.toml").write_text(KE_POLICY)
        rows = ["age,sex,cost", *(f"{20 + 7 * i % 40},{'MF'[i % 2]},{100 + 13 * i % 97}.{i % 5}" for i in range(40))]
        (self.folder / "rows.csv").write_text("\n".join(rows[:25]) + "\n")
        (self.folder / "more.csv").write_text("\n".join([rows[0], *rows[25:]]) + "\n")
        self.made("permute", "rows.csv", "--policy", "policy.toml", "--output", "store")
        self.made("append", "store", "more.csv")
        self.store = self.folder / "store"
        (self.folder / "store.private").rename(self.folder / "elsewhere")
        self.manifest = (self.store / "manifest.json").read_text()

    def judged(self, wanted, change, words="", seal=True):
        manifest = json.loads(self.manifest)
        change(manifest)
        if seal:
            manifest.pop("digest", None)
            manifest["digest"] = digest(json.dumps(manifest, ensure_ascii=False, separators=(",", ":")).encode())
        (self.store / "manifest.json").write_text(json.dumps(manifest))
        self.expect(wanted, "store", words)

    def test_what_cannot_be_read(self):
        self.judged(0, lambda m: None)
        self.judged(2, lambda m: m.update(digest="0" * 64), seal=False)
        self.judged(2, lambda m: m.pop("digest"), seal=False)
        self.judged(2, lambda m: next(iter(m["files"].values())).update(bytes=1))
        (self.store / "manifest.json").unlink()
        os.mkfifo(self.store / "manifest.json")
        self.expect(2, "store", "regular file")

    def test_a_pipe_as_a_part(self):
        part = next(self.store.glob("help/*.parquet"))
        part.unlink()
        os.mkfifo(part)
        self.expect(2, "store")

    def test_types_and_roles(self):
        cost = lambda m: m["columns"][2]
        for change in (lambda m: cost(m).update(type="text"), lambda m: cost(m).update(scale=3), lambda m: cost(m).pop("scale"),
                       lambda m: cost(m).update(type="integer"), lambda m: m["columns"][0].update(type="date"),
                       lambda m: m["columns"][0].update(scale=0), lambda m: m["columns"][1].update(type="integer"),
                       lambda m: cost(m).update(role="insensitive"), lambda m: m.update(sensitive="age")):
            self.judged(1, change)

    def test_a_claim_is_as_cordon_writes_it(self):
        claim = lambda m: m["privacy"][0]
        for change in (lambda m: claim(m).update(reached="99"), lambda m: claim(m).update(counts="persons"), lambda m: claim(m).update(k="3"),
                       lambda m: claim(m).update(k=3.0), lambda m: claim(m).update(e="5.0"), lambda m: claim(m).update(e="10/2"),
                       lambda m: claim(m).update(order=["a"]), lambda m: m.update(privacy=[]), lambda m: m.pop("privacy"),
                       lambda m: claim(m).update(holds=1)):
            self.judged(1, change)

    def test_figures_of_releases(self):
        last = lambda m: m["releases"][-1]
        for key, value in (("rows", 1), ("groups", 1), ("sum_error", "1"), ("max_error", "1"), ("least_quartile_range", "1"),
                           ("greatest_share", "1/7"), ("reached", "nothing"), ("mode", "first")):
            self.judged(1, lambda m, key=key, value=value: last(m).update({key: value}), "release")
            if key != "mode":
                self.judged(1, lambda m, key=key: last(m).pop(key), "release")
        for change in (lambda m: m["releases"].pop(), lambda m: m.update(releases=[]), lambda m: m["releases"].append("x")):
            self.judged(1, change, "releases")

    def test_the_claim_is_that_of_the_policy(self):
        def weaker(manifest):
            manifest["privacy"][0].update(k=2, text="ke-anonymity(cost, k=2, e=5, sum)")
        self.judged(0, lambda m: m.update(privacy=[dict(reversed(m["privacy"][0].items()))]))

        def stronger(manifest):
            manifest["privacy"][0].update(k=40, text="ke-anonymity(cost, k=40, e=5, sum)")
        self.judged(1, stronger)
        self.judged((1, 0, 0), weaker, "does not ask for")  # the second verifier does not know whose policy it is

    def test_the_order_of_parts_says_nothing(self):
        self.judged(0, lambda m: m.update(files=dict(reversed(m["files"].items()))))
        parts = sorted(part["number"] for part in json.loads(self.manifest)["parts"])
        self.assertGreater(len(parts), 1)
        for folders in (["table", "help", "groups"], ["help"]):  # the lines are there, whichever file has them
            for folder in folders:
                first, second = (self.store / folder / f"part-{number:06}.parquet" for number in parts[:2])
                kept = first.read_bytes()
                first.write_bytes(second.read_bytes())
                second.write_bytes(kept)

            def exchange(manifest, folders=folders):
                for folder in folders:
                    one, two = (f"{folder}/part-{number:06}.parquet" for number in parts[:2])
                    manifest["files"][one], manifest["files"][two] = manifest["files"][two], manifest["files"][one]
                if "table" in folders:
                    one, two = manifest["parts"][:2]
                    one["rows"], two["rows"] = two["rows"], one["rows"]
            self.judged(0, exchange)
            self.manifest = (self.store / "manifest.json").read_text()


class Streams(Attack):
    def setUp(self):
        super().setUp()
        (self.folder / "policy.toml").write_text(STREAM_POLICY)
        (self.folder / "ages.csv").write_text("age\n" + "".join(f"{20 + 7 * i % 40}\n" for i in range(40)))
        self.made("stream", "ages.csv", "--policy", "policy.toml", "--output", "out.csv", "--audit", "log.jsonl")
        self.lines = (self.folder / "log.jsonl").read_text().splitlines()

    def judged(self, wanted, change=None, place=0, *more):
        """A line of the log is changed, and the chain is computed again."""
        lines, data, chain, at = list(self.lines), (self.folder / "out.csv").read_bytes(), "", 0
        if change is not None:
            lines[place] = re.sub(*change, lines[place], count=1)
            self.assertNotEqual(lines, self.lines)
        for number, line in enumerate(lines):
            text, written = re.fullmatch(r'(.*,"written":([0-9]+)),"chain":"[0-9a-f]*"}', line).groups()
            chain = digest((chain + text).encode() + data[at:at + int(written)])
            lines[number], at = f'{text},"chain":"{chain}"}}', at + int(written)
        (self.folder / "log.jsonl").write_text("".join(line + "\n" for line in lines))
        asked = ("--stream", "out.csv", "--audit", "log.jsonl", "--policy", "policy.toml", *more)
        done = [self.cordon("verify", *asked), second_verifier.run(*asked, cwd=self.folder)]
        self.assertEqual([each.returncode for each in done], [wanted] * 2, [each.stdout + each.stderr for each in done])

    def test_what_a_log_says_of_the_stream(self):
        self.judged(0)
        for place, change, wanted in [(-1, (r'"positions":[0-9]+', '"positions":39'), 1), (-1, (r'"positions":[0-9]+', '"positions":-1'), 1),
                                      (0, ('"age"', '"zip"'), 1), (0, (r'\["age"', '["age","zip"'), 1), (0, (r'\["age"\]', "[]"), 1),
                                      (0, (r'"nonce":"\w+"', '"nonce":""'), 2), (2, ('"kind":"group"', '"kind":"pooled"'), 1),
                                      (2, (r'("at":[0-9]+)', r'\1,"window":[1,5]'), 1), (2, (r'("at":[0-9]+)', r'\1,"window":[0,0]'), 2)]:
            with self.subTest(change=change):
                self.judged(wanted, change, place)

    def test_no_chain_and_pipes(self):
        self.judged(2, None, 0, "--chain", "")
        for name in ("log.jsonl", "out.csv", "out.csv.certificate.jsonl"):
            path = self.folder / name
            kept = path.read_bytes() if path.exists() else None
            path.unlink(missing_ok=True)
            os.mkfifo(path)
            self.made("keygen", name + ".key")
            asked = ("--stream", "out.csv", "--audit", "log.jsonl", "--policy", "policy.toml", "--key", name + ".key.pub")
            done = [self.cordon("verify", *asked), second_verifier.run(*asked, cwd=self.folder)]
            self.assertEqual([each.returncode for each in done], [2, 2], [each.stderr for each in done])
            path.unlink()
            if kept is not None:
                path.write_bytes(kept)


class Joins(Attack):
    def test_an_audit_that_can_be_made(self):
        columns = COLUMNS.split("[attributes.ill]")[0]
        (self.folder / "first.toml").write_text(POLICY)
        (self.folder / "next.toml").write_text(columns + """[[privacy]]
model = "k-anonymity"
k = 3
[[privacy]]
model = "xy-linkability"
x = ["age", "sex"]
values = { "previous.ill" = ["Flu"] }
h = 1
""")
        self.made("anonymize", "in.csv", "--policy", "first.toml", "--output", "first.csv")
        rows = (self.folder / "in.csv").read_text().splitlines()
        (self.folder / "in2.csv").write_text("".join(",".join(row.split(",")[:2]) + "\n" for row in rows))
        self.made("release-next", "in2.csv", "--policy", "next.toml", "--previous", "first.csv", "--output", "next.csv")
        (self.folder / "next.csv.private.json").unlink()
        manifest = json.loads((self.folder / "next.csv.manifest.json").read_text())
        for said, wanted in ((manifest["join"]["forced_links"]["audit"], 0), ("not applicable", 1)):
            manifest["join"]["forced_links"]["audit"] = said
            self.put("next.csv", manifest)
            done = [self.cordon("verify", "next.csv", "--policy", "next.toml", "--previous", "first.csv"),
                    second_verifier.run("next.csv", "--previous", "first.csv", cwd=self.folder)]
            self.assertEqual([each.returncode for each in done], [wanted] * 2, [each.stdout + each.stderr for each in done])


if __name__ == "__main__":
    CORDON = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
