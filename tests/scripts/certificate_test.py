#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signed releases, stores and streams: certificate_test.py CORDON

Whatever a signature covers is changed, one thing at a time, and both verifiers refuse it. openssl, which shares no code with
either, agrees with them if it is installed.
"""
import base64
import copy
import json
import os
import random
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import second_verifier
from second_verifier import verify_release

ROOT = Path(__file__).resolve().parents[2]
try:
    import pyarrow.parquet
except ImportError:  # then the second verifier does not read stores
    pyarrow = None

CORDON = ""
POLICY = """[attributes.age]
role = "quasi"
type = "numeric"
[attributes.zip]
role = "quasi"
hierarchy = { prefix = 5 }
[attributes.ill]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 3
[[privacy]]
model = "l-diversity"
sensitive = "ill"
l = 2
"""
STREAM_POLICY = """[attributes.age]
role = "quasi"
type = "numeric"
range = [0, 99]
[[privacy]]
model = "ks-anonymity"
k = 3
[stream]
delay = 10
"""
KE_POLICY = """[attributes.age]
role = "quasi"
type = "numeric"
[attributes.pay]
role = "sensitive"
type = "numeric"
[[privacy]]
model = "ke-anonymity"
sensitive = "pay"
k = 2
e = 5
"""


def leaves(value, path=()):
    """Every place in a JSON value that holds a text, a number or a truth value."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, path + (key,))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from leaves(each, path + (place,))
    else:
        yield path


def changed(document, path):
    made = copy.deepcopy(document)
    at = made
    for key in path[:-1]:
        at = at[key]
    old = at[path[-1]]
    at[path[-1]] = not old if isinstance(old, bool) else old + 1 if isinstance(old, int) else "x" if old is None else old + "x"
    return made


class Certificate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        chance = random.Random(7)
        rows = [f"{chance.randint(20, 60)},{chance.choice(['53710', '53711', '53712', '54001'])},{chance.choice(['flu', 'cold', 'ulcer'])}"
                for _ in range(60)]
        self.write("in.csv", "\n".join(["age,zip,ill", *rows]) + "\n")
        self.write("p.toml", POLICY)
        self.write("s.csv", "\n".join(["age", *(str(20 + i * 7 % 40) for i in range(400))]) + "\n")
        self.write("s.toml", STREAM_POLICY)
        self.write("pay.csv", "\n".join(["age,pay", *(f"{20 + i % 30},{1000 + i * 37 % 400}" for i in range(40))]) + "\n")
        self.write("more.csv", "\n".join(["age,pay", *(f"{20 + i % 30},{1000 + i * 53 % 400}" for i in range(30))]) + "\n")
        self.write("ke.toml", KE_POLICY)
        for key in ("key", "other"):
            self.cordon("keygen", key)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def read(self, name):
        return (self.folder / name).read_text()

    def cordon(self, *arguments, status=0):
        done = subprocess.run([CORDON, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def second(self, *arguments, status=0):
        done = second_verifier.run(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def both(self, status, *arguments, second=None):
        """The same exit status of both verifiers."""
        text = self.cordon("verify", *arguments, status=status)
        return text, self.second(*(arguments if second is None else second), status=status)

    def release(self, name="out.csv", *more):
        self.cordon("anonymize", "in.csv", "--policy", "p.toml", "--output", name, *more)
        return json.loads(self.read(name + ".manifest.json"))

    def put(self, manifest, name="out.csv"):
        self.write(name + ".manifest.json", json.dumps(manifest))

    def refused(self, status=1, key="key.pub"):
        arguments = ("out.csv", "--policy", "p.toml", "--key", key)
        return self.both(status, *arguments, second=("out.csv", "--key", key))[0]

    # --- keys ---

    def test_keys_are_private_and_of_the_common_form(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "key").st_mode), 0o600)
        self.assertIn("key is there already", self.cordon("keygen", "key", status=2))
        os.remove(self.folder / "other")
        self.assertIn("other.pub is there already", self.cordon("keygen", "other", status=2))
        self.assertFalse((self.folder / "other").exists())
        if not shutil.which("openssl"):
            return
        der = subprocess.run(["openssl", "pkey", "-in", "key", "-pubout", "-outform", "DER"], cwd=self.folder, capture_output=True, check=True).stdout
        self.assertEqual(der[12:], verify_release.read_public_key(str(self.folder / "key.pub")))
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", "made"], cwd=self.folder, check=True)
        os.chmod(self.folder / "made", 0o600)
        subprocess.run(["openssl", "pkey", "-in", "made", "-pubout", "-out", "made.pub"], cwd=self.folder, check=True)
        self.release("out.csv", "--sign", "made")
        self.refused(status=0, key="made.pub")

    def test_keys_that_cannot_be_used(self):
        os.chmod(self.folder / "key", 0o640)
        arguments = ("anonymize", "in.csv", "--policy", "p.toml", "--output", "out.csv", "--sign")
        self.assertIn("hint: chmod 600 key", self.cordon(*arguments, "key", status=2))
        shutil.copy(self.folder / "other.pub", self.folder / "wrong")
        os.chmod(self.folder / "wrong", 0o600)
        self.assertIn("not a private Ed25519 key", self.cordon(*arguments, "wrong", status=2))
        self.assertIn("--sign needs an output that is a file", self.cordon("anonymize", "in.csv", "--policy", "p.toml", "--output", "-", "--sign", "other", status=2))
        self.assertFalse((self.folder / "out.csv").exists())
        self.release()
        self.assertIn("not a public Ed25519 key", self.cordon("verify", "out.csv", "--policy", "p.toml", "--key", "other", status=2))
        self.second("out.csv", "--key", "other", status=2)

    # --- tables ---

    def test_a_signed_release_holds_and_an_unsigned_one_does_not(self):
        manifest = self.release("out.csv", "--sign", "key")
        self.assertEqual(manifest["format"], 2)
        self.assertIn("certificate: holds; signed by key " + manifest["signatures"][0]["keyid"], self.refused(status=0))
        self.both(0, "out.csv", "--policy", "p.toml")  # readers that do not ask for a signature read it as ever
        self.assertIn("no key that was given has signed it", self.refused(key="other.pub"))
        del manifest["signatures"]
        self.put(manifest)
        os.remove(self.folder / "out.csv.private.json")
        self.assertIn("it is not signed", self.refused())
        os.remove(self.folder / "out.csv.manifest.json")
        self.assertIn("there is no manifest", self.cordon("verify", "out.csv", "--policy", "p.toml", "--key", "key.pub", status=1))

    def test_several_keys_are_trusted(self):
        self.release("out.csv", "--sign", "other")
        self.both(0, "out.csv", "--policy", "p.toml", "--key", "key.pub", "--key", "other.pub")

    def test_every_change_of_a_signed_manifest_is_refused(self):
        manifest = self.release("out.csv", "--sign", "key")
        os.remove(self.folder / "out.csv.private.json")  # it has a digest of the manifest, and would see all of it
        keys = [verify_release.read_public_key(str(self.folder / "key.pub"))]
        self.assertEqual(verify_release.signature_fault(manifest, "manifest", keys), "")
        paths = [path for path in leaves(manifest) if path[:1] != ("signatures",)]
        self.assertGreater(len(paths), 25)
        for path in paths:
            self.assertNotEqual(verify_release.signature_fault(changed(manifest, path), "manifest", keys), "", path)
        for path in [("output", "sha256"), ("tool",), ("privacy", 0, "k"), ("policy_sha256",), ("suppressed",)]:
            self.put(changed(manifest, path))
            self.cordon("verify", "out.csv", "--policy", "p.toml", "--key", "key.pub", status=1)
        for more in [{"note": 1}, {"privacy": manifest["privacy"][:1]}, {"format": 1}, {"signed_at": "2020-01-01T00:00:00Z"}]:
            self.put({**manifest, **more})
            self.refused()
        signature = manifest["signatures"][0]
        for entry in [{**signature, "sig": base64.b64encode(bytes(64)).decode()}, {**signature, "sig": signature["sig"][:-4]}, {}, 7]:
            self.put({**manifest, "signatures": [entry]})
            self.refused()
        self.put({**manifest, "signatures": [7, {**signature, "keyid": "another"}]})  # the id is a hint, not a part of what is signed
        self.refused(status=0)
        self.write("out.csv.manifest.json", json.dumps(manifest, indent=7, sort_keys=True))  # another spelling of the same value
        self.refused(status=0)
        text = json.dumps(manifest)
        self.write("out.csv.manifest.json", '{"suppressed":' + str(manifest["suppressed"]) + "," + text[1:])
        self.refused(status=2)  # a name that stands twice

    def test_what_is_not_the_form_of_a_certificate_cannot_be_read(self):
        manifest = self.release("out.csv", "--sign", "key")
        for more in [{"signatures": {}}, {"signatures": "none"}, {"signed_at": "yesterday"}, {"signed_at": "2020-01-01 00:00:00Z"}, {"signed_at": 3}]:
            self.put({**manifest, **more})
            self.both(2, "out.csv", "--policy", "p.toml", second=("out.csv",))  # also if nobody asks for a key
            self.refused(status=2)

    def test_the_five_ways_to_tamper_are_refused_even_with_a_new_digest(self):
        """Deleted, moved, doubled rows, a falsified interval, an exchanged sensitive cell; the manifest is made to fit."""
        manifest = self.release("out.csv", "--sign", "key")
        os.remove(self.folder / "out.csv.private.json")
        header, *rows = self.read("out.csv").splitlines()
        exchanged = next(i for i in range(1, len(rows)) if rows[i].rsplit(",", 1)[1] != rows[0].rsplit(",", 1)[1])
        swapped = list(rows)
        for a, b in ((0, exchanged), (exchanged, 0)):
            swapped[a] = rows[a].rsplit(",", 1)[0] + "," + rows[b].rsplit(",", 1)[1]
        for made in (rows[:-1], rows[1:] + rows[:1], rows + rows[:1], [re.sub(r'"\[\d+,', '"[0,', row) for row in rows], swapped):
            self.write("out.csv", "\n".join([header, *made]) + "\n")
            data = (self.folder / "out.csv").read_bytes()
            fitting = copy.deepcopy(manifest)
            fitting["output"].update(sha256=verify_release.hashlib.sha256(data).hexdigest(), bytes=len(data), rows=len(made))
            self.put(fitting)
            self.cordon("verify", "out.csv", "--policy", "p.toml", "--key", "key.pub", status=1)
            self.second("out.csv", "--key", "key.pub", status=1)

    def test_an_unsigned_manifest_must_not_contradict_its_file(self):
        manifest = self.release()
        os.remove(self.folder / "out.csv.private.json")
        self.both(0, "out.csv", "--policy", "p.toml", second=("out.csv",))

        def claim(place, key, value):
            return lambda made: made["privacy"][place].update({key: value})

        def output(key, value):
            return lambda made: made["output"].update({key: value})

        def column(place, key, value):
            return lambda made: made["output"]["columns"][place].update({key: value})

        sensitive = next(i for i, each in enumerate(manifest["output"]["columns"]) if each["role"] == "sensitive")
        quasi = next(i for i, each in enumerate(manifest["output"]["columns"]) if each["role"] == "quasi")
        for change in (claim(0, "k", 500), claim(0, "reached", "500"), claim(1, "l", "3"), claim(0, "holds", False), claim(1, "holds", False),
                       claim(0, "text", "k-anonymity(k=50)"), claim(0, "text", ""), output("rows", 7), output("bytes", 1), output("delimiter", ";"),
                       output("header", False), output("names", ["other"]), output("format", "jsonl"), output("missing", ["flu"]),
                       column(quasi, "role", "insensitive"), column(sensitive, "role", "insensitive"),
                       lambda made: made["output"]["columns"].pop(quasi)):
            made = copy.deepcopy(manifest)
            change(made)
            self.put(made)
            self.assertIn("out.csv.manifest.json", self.both(1, "out.csv", "--policy", "p.toml", second=("out.csv",))[0])
            self.second("out.csv", "--policy", "p.toml", status=1)
        for change in (lambda made: made.update(privacy="none"), output("rows", "60"), output("rows", -1), output("bytes", 1.5), output("header", "yes"),
                       output("names", "age"), output("columns", 3), output("format", "magic"), claim(0, "holds", "yes"), claim(0, "reached", 3),
                       claim(0, "text", 3), claim(0, "k", "many"), claim(0, "model", "magic"), claim(1, "kind", "magic"),
                       output("delimiter", ""), output("quote", "''"), claim(1, "l", " 2"), claim(1, "l", "\u0662"), claim(1, "l", "2_0"),
                       lambda made: made.update(tool="\ud800"), column(0, "upper_end", "nonsense"), column(0, "role", "magic"), column(0, "type", 3), lambda made: made.update(policy_sha256=3),
                       lambda made: made.update(suppressed=-1), lambda made: made.update(format=3), lambda made: made.update(format="1"),
                       lambda made: made["privacy"][0].pop("k"), lambda made: made["output"].pop("columns"), lambda made: made.pop("format")):
            made = copy.deepcopy(manifest)
            change(made)
            self.put(made)
            self.both(2, "out.csv", "--policy", "p.toml", second=("out.csv",))
            self.second("out.csv", "--policy", "p.toml", status=2)
        for change in (lambda made: made["privacy"][0].pop("reached"), lambda made: made["privacy"].append(made["privacy"][0]),
                       lambda made: made["privacy"][0].pop("text"), lambda made: [made["output"].pop(key) for key in ("bytes", "rows", "names")]):
            made = copy.deepcopy(manifest)
            change(made)
            self.put(made)
            self.both(0, "out.csv", "--policy", "p.toml", second=("out.csv",))
        self.write("out.csv.manifest.json", "\ufeff" + json.dumps(manifest))
        self.both(2, "out.csv", "--policy", "p.toml", second=("out.csv",))
        self.put({**manifest, "privacy": []})
        self.assertIn("nothing was judged", self.both(1, "out.csv", "--policy", "p.toml", second=("out.csv",))[1])

    def test_rows_are_counted_next_to_people(self):
        self.write("p.toml", POLICY + '[attributes.who]\nrole = "person"\n')
        self.write("in.csv", "".join(f"{line},{'who' if not place else place}\n" for place, line in enumerate(self.read("in.csv").splitlines())))
        manifest = self.release()
        os.remove(self.folder / "out.csv.private.json")
        self.both(0, "out.csv", "--policy", "p.toml", second=("out.csv",))
        self.assertEqual([manifest["privacy"][0]["counts"], manifest["privacy"][1]["model"]], ["persons", "l-diversity"])
        manifest["privacy"][1]["reached"] += "0"
        self.put(manifest)
        self.assertIn("reached another figure", self.both(1, "out.csv", "--policy", "p.toml", second=("out.csv",))[0])
        self.second("out.csv", "--policy", "p.toml", status=1)

    def test_a_release_may_be_judged_by_another_policy(self):
        manifest = self.release()
        note = "the release was made by another policy than"
        self.assertNotIn(note, self.cordon("verify", "out.csv", "--policy", "p.toml"))
        self.assertIn(note, self.cordon("verify", "out.csv", "--policy", "p.toml", "--set", "privacy[0].k=2"))
        os.remove(self.folder / "out.csv.private.json")
        self.put({**manifest, "policy_sha256": "0" * 64})
        self.assertIn(note, self.cordon("verify", "out.csv", "--policy", "p.toml"))

    def test_a_name_that_stands_twice_is_refused(self):
        manifest = json.dumps(self.release())
        os.remove(self.folder / "out.csv.private.json")
        self.write("out.csv.manifest.json", manifest.replace('"format"', '"format": 1, "format"', 1))
        self.both(2, "out.csv", "--policy", "p.toml", second=("out.csv",))
        self.write("twice.jsonl", '{"age":"20","zip":"5","ill":"flu"}\n{"age":"20","zip":"4","zip":"5","ill":"cold"}\n')
        self.both(2, "twice.jsonl", "--policy", "p.toml")

    def test_a_certificate_is_of_one_policy(self):
        self.release("out.csv", "--sign", "key")
        self.write("p.toml", POLICY.replace("k = 3", "k = 2"))
        self.assertIn("signed for another policy", self.cordon("verify", "out.csv", "--policy", "p.toml", "--key", "key.pub", status=1))

    def test_a_signature_of_one_kind_does_not_serve_for_another(self):
        manifest = self.release("out.csv", "--sign", "key")
        keys = [verify_release.read_public_key(str(self.folder / "key.pub"))]
        for kind in ("store", "checkpoint"):
            self.assertNotEqual(verify_release.signature_fault(manifest, kind, keys), "")

    @unittest.skipUnless(shutil.which("openssl"), "needs openssl")
    def test_openssl_agrees(self):
        manifest = self.release("out.csv", "--sign", "key")
        (self.folder / "message").write_bytes(verify_release.signed_text(manifest, "manifest"))
        (self.folder / "sig").write_bytes(base64.b64decode(manifest["signatures"][0]["sig"]))
        done = subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "key.pub", "-rawin", "-in", "message", "-sigfile", "sig"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_release_next_is_signed(self):
        self.write("t1.csv", "name,job\nAlice,Banker\nAlice,Banker\nBob,Clerk\nBob,Driver\nCathy,Engineer\n")
        self.write("t2.csv", "job,disease\nBanker,Cancer\nBanker,Cancer\nClerk,HIV\nDriver,Cancer\nEngineer,HIV\n")
        self.write("job.csv", "Banker;White;ANY\nEngineer;White;ANY\nClerk;Blue;ANY\nDriver;Blue;ANY\n")
        self.write("w.toml", '[attributes.name]\nrole = "insensitive"\n[attributes.job]\nrole = "quasi"\nhierarchy = "job.csv"\n[[privacy]]\n'
                             'model = "xy-linkability"\nx = ["name"]\nvalues = { "previous.disease" = ["HIV", "Cancer"] }\nh = "2/3"\n')
        self.cordon("release-next", "t1.csv", "--previous", "t2.csv", "--policy", "w.toml", "--output", "next.csv", "--sign", "key")
        self.both(0, "next.csv", "--policy", "w.toml", "--previous", "t2.csv", "--key", "key.pub",
                  second=("next.csv", "--previous", "t2.csv", "--key", "key.pub"))
        manifest = json.loads(self.read("next.csv.manifest.json"))
        os.remove(self.folder / "next.csv.private.json")
        manifest["previous"][0]["name"] = "t3.csv"
        self.put(manifest, "next.csv")
        self.both(1, "next.csv", "--policy", "w.toml", "--previous", "t2.csv", "--key", "key.pub",
                  second=("next.csv", "--previous", "t2.csv", "--key", "key.pub"))

    def next_release(self):
        """A release next to two claims on its join, without a run record, and its manifest."""
        self.write("t1.csv", "name,job\nAlice,Banker\nAlice,Banker\nBob,Clerk\nBob,Driver\nCathy,Engineer\n")
        self.write("t2.csv", "job,disease\nBanker,Cancer\nBanker,Cancer\nClerk,HIV\nDriver,Cancer\nEngineer,HIV\n")
        self.write("job.csv", "Banker;White;ANY\nEngineer;White;ANY\nClerk;Blue;ANY\nDriver;Blue;ANY\n")
        self.write("w.toml", '[attributes.name]\nrole = "insensitive"\n[attributes.job]\nrole = "quasi"\nhierarchy = "job.csv"\n[[privacy]]\n'
                             'model = "xy-linkability"\nx = ["name"]\nvalues = { "previous.disease" = ["HIV", "Cancer"] }\nh = "2/3"\n'
                             '[[privacy]]\nmodel = "xy-anonymity"\nx = ["job"]\ny = "rows of previous"\nk = 1\n')
        self.cordon("release-next", "t1.csv", "--previous", "t2.csv", "--policy", "w.toml", "--output", "next.csv", "--sign", "key")
        os.remove(self.folder / "next.csv.private.json")
        return json.loads(self.read("next.csv.manifest.json"))

    def joined(self, status, *previous):
        previous = [part for name in previous or ("t2.csv",) for part in ("--previous", name)]
        return self.both(status, "next.csv", "--policy", "w.toml", *previous, second=("next.csv", *previous))

    def test_previous_releases_are_those_that_the_manifest_names(self):
        manifest = self.next_release()
        self.joined(0)
        self.write("other.csv", self.read("t2.csv").replace("Clerk,HIV", "Clerk,Cancer"))
        for previous in (("other.csv",), ("t2.csv", "other.csv")):
            self.joined(2, *previous)
        self.both(2, "next.csv", "--policy", "w.toml", "--previous", "other.csv", "--key", "key.pub",
                  second=("next.csv", "--previous", "other.csv", "--key", "key.pub"))
        self.write("t2.csv.manifest.json", '{"output":{"sha256":"00"}}')
        for said in self.joined(2):
            self.assertIn("the bytes of t2.csv are not those that t2.csv.manifest.json names", said)
        self.write("t2.csv.manifest.json", "[]")
        self.joined(2)
        digest = manifest["previous"][0]["sha256"]
        self.write("t2.csv.manifest.json", json.dumps({"output": {"sha256": digest}}))
        self.joined(0)

    def test_what_a_manifest_says_of_a_join_is_checked(self):
        manifest = self.next_release()
        for name in ("signatures", "signed_at"):
            del manifest[name]
        manifest["format"] = 1

        def join(*path, value):
            def change(made):
                at = made
                for key in path[:-1]:
                    at = at[key]
                at[path[-1]] = value
            return change

        claim = lambda key, value: join("join", "privacy", 0, key, value=value)
        for change in (claim("holds", False), claim("reached", "1/2"), claim("h", "9/10"), claim("text", "xy"), join("join", "holds", value=False),
                       lambda made: made["join"]["privacy"].pop(), lambda made: made["join"].update(privacy=[]),
                       lambda made: made["join"]["columns"].clear(), join("join", "columns", "job", "paths", "Clerk", value=["Clerk", "White", "ANY"])):
            made = copy.deepcopy(manifest)
            change(made)
            self.put(made, "next.csv")
            self.cordon("verify", "next.csv", "--policy", "w.toml", "--previous", "t2.csv", status=1)
        # By itself a manifest does not show that a claim was left out, or how columns are to be matched.
        for change, status in ((claim("holds", False), 1), (claim("reached", "1/2"), 1), (claim("h", "9/10"), 1), (claim("text", "xy"), 1),
                               (join("join", "holds", value=False), 1), (lambda made: made["join"].update(privacy=[]), 1)):
            made = copy.deepcopy(manifest)
            change(made)
            self.put(made, "next.csv")
            self.second("next.csv", "--previous", "t2.csv", status=status)
        for change in (join("previous", 0, "sha256", value="0" * 64), join("previous", 0, "sha256", value=3), join("previous", value=[]),
                       join("previous", value="t2.csv"), lambda made: made.pop("previous"), lambda made: made["join"].pop("privacy"),
                       lambda made: made["join"].pop("columns"), lambda made: made["join"].pop("impossible"),
                       join("join", "columns", value={"job": []}), join("join", "columns", "job", "match", value="magic"),
                       join("join", "columns", "job", "paths", "Clerk", value=[]), join("join", "holds", value="false"), join("join", "tuples", value=3),
                       join("join", "forced_links", value={"audit": "maybe"}), claim("holds", "yes"), claim("reached", 1), claim("x", []),
                       claim("x", "name"), claim("x", ["name", "name"]), claim("x", ["previous.disease"]), claim("values", {}), claim("h", "many"),
                       claim("h", "0"), claim("model", "magic"), join("join", "privacy", 1, "y", value="nobody"), join("join", "privacy", 1, "k", value=0),
                       join("join", "impossible", value=[{"current": "job", "previous": "disease", "pairs": [["Clerk"]]}])):
            made = copy.deepcopy(manifest)
            change(made)
            self.put(made, "next.csv")
            self.joined(2)
        for change in (claim("reached", None), lambda made: made["join"].pop("holds"), lambda made: made["join"].pop("tuples"),
                       lambda made: made["join"]["privacy"].reverse(), lambda made: made["join"]["privacy"].append(made["join"]["privacy"][0])):
            made = copy.deepcopy(manifest)
            change(made)
            self.put(made, "next.csv")
            self.joined(0)

    # --- what is JSON, and what is one text ---

    def test_nothing_comes_before_or_after_a_json_document(self):
        hidden = '\0{"privacy":[{"model":"k-anonymity","k":1000}]}'
        self.release("out.csv", "--sign", "key")
        os.remove(self.folder / "out.csv.private.json")
        text = self.read("out.csv.manifest.json")
        deep = lambda size: text.rstrip()[:-1] + ',"more":' + "[" * size + "]" * size + "}"
        for made in (text + hidden, "\ufeff" + text, text + "x", text + "\f", deep(200), deep(100_000),
                     text.replace('"suppressed": 0', '"suppressed": NaN'), text.replace('"suppressed": 0', '"suppressed": -0'),
                     text.replace('"suppressed": 0', '"suppressed": 1e400')):
            self.assertNotEqual(made, text)
            self.write("out.csv.manifest.json", made)
            self.refused(status=2)
            self.both(2, "out.csv", "--policy", "p.toml", second=("out.csv",))
        self.write("out.csv.manifest.json", deep(199))
        self.both(0, "out.csv", "--policy", "p.toml", second=("out.csv",))
        self.write("out.csv.manifest.json", text.replace('"suppressed": 0', '"suppressed": 9007199254740993'))
        self.refused()
        self.cordon("permute", "pay.csv", "--policy", "ke.toml", "--output", "store", "--sign", "key")
        self.write("store/manifest.json", self.read("store/manifest.json") + hidden)
        self.cordon("verify", "store", "--policy", "ke.toml", "--key", "key.pub", status=2)
        self.second("store", "--key", "key.pub", status=2)

    def test_base64_has_no_second_text_of_the_same_bytes(self):
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        manifest = self.release("out.csv", "--sign", "key")
        os.remove(self.folder / "out.csv.private.json")
        text = manifest["signatures"][0]["sig"]
        manifest["signatures"][0]["sig"] = text[:-3] + letters[letters.index(text[-3]) ^ 1] + "=="
        self.put(manifest)
        self.refused()

    def test_a_key_is_a_regular_file(self):
        self.release("out.csv", "--sign", "key")
        os.mkfifo(self.folder / "pipe")
        self.assertIn("it is not a regular file", self.refused(status=2, key="pipe"))

    def test_cells_of_one_group_are_one_text_for_every_reader(self):
        self.write("q.toml", '[data]\ntrim = true\n[attributes.q]\nrole = "quasi"\n[attributes.s]\nrole = "sensitive"\n[attributes.n]\nrole = "insensitive"\n'
                             '[[privacy]]\nmodel = "k-anonymity"\nk = 2\n[[privacy]]\nmodel = "l-diversity"\nsensitive = "s"\nl = 2\n')
        rows = lambda one, two, key="q": "".join(json.dumps({**{"q": "a", "s": value, "n": 1}, **({key: each} if each != "absent" else {})}) + "\n"
                                                 for each, value in ((one, "x"), (two, "y")))
        without = lambda text: text.replace('"q": "a", ', "", 1)
        for one, two in ((1, "1"), (True, "true"), (1, True), ("", None), (None, {}), (False, "false"), (1.0, "1.0")):
            self.write("mixed.jsonl", rows(one, two))
            self.both(2, "mixed.jsonl", "--policy", "q.toml")
        for text in (without(rows("absent", "")), without(rows("absent", None))):
            self.write("mixed.jsonl", text)
            self.both(2, "mixed.jsonl", "--policy", "q.toml")
        self.write("mixed.jsonl", '{"q":"a","s":1,"n":1}\n{"q":"a","s":"1","n":1}\n{"q":"a","s":2,"n":1}\n')
        self.both(2, "mixed.jsonl", "--policy", "q.toml")
        for one, two in ((1, 1), ("a", "a"), (None, None), ("", ""), (True, True)):
            self.write("mixed.jsonl", rows(one, two))
            self.both(0, "mixed.jsonl", "--policy", "q.toml")
        self.write("mixed.jsonl", rows(1, "1", "n"))  # no model looks at it
        self.both(0, "mixed.jsonl", "--policy", "q.toml")
        for mark in (" ", "\t", "  "):
            self.write("blank.csv", f"q,s,n\n{mark}a,x,1\na,y,1\n")
            self.both(1, "blank.csv", "--policy", "q.toml")
        self.write("plain.csv", "q,s,n\n a,x,1\na,y,1\n")
        self.cordon("anonymize", "plain.csv", "--policy", "q.toml", "--output", "trimmed.csv")  # of an input they are cut off
        self.both(0, "trimmed.csv", "--policy", "q.toml", second=("trimmed.csv",))

    def test_files_that_readers_differ_on_are_refused(self):
        self.write("q.toml", '[attributes.q]\nrole = "quasi"\n[attributes.s]\nrole = "sensitive"\n[[privacy]]\nmodel = "k-anonymity"\nk = 2\n')
        self.write("b.toml", '[attributes.q]\nrole = "quasi"\ntype = "numeric"\n[[privacy]]\nmodel = "k-anonymity"\nk = 2\n')
        for name, policy, text in (("a.csv", "q", 'q,s\na,x\na"b,y\n'), ("a.csv", "q", "q,s\na,x\ra,y\n"), ("a.csv", "q", "q,s\na,x\na,y\0\n"),
                                   ("a.csv.gz", "q", "q,s\na,x\na,y\n"), ("a.jsonl", "q", ""), ("a.jsonl", "q", '\v\n{"q":"a","s":"x"}\n'),
                                   ("a.jsonl", "q", '{"q":"a","s":"\\ud800"}\n'), ("a.jsonl", "q", '{"q":"a","s":"\\u0000"}\n'),
                                   ("a.csv", "b", "q_lo,q_hi\n3,2\n3,2\n"), ("a.csv", "b", "q_lo,q_hi\n3,\n3,\n"), ("a.csv", "b", "q_lo,q_hi\n*,3\n*,3\n")):
            self.write(name, text)
            self.both(2, name, "--policy", policy + ".toml")
        self.write("n.toml", '[data]\nheader = false\ncolumns = ["q", "s"]\n' + self.read("q.toml"))
        for text in ("", "\n"):  # the names of its columns would be in its lines
            self.write("a.jsonl", text)
            self.both(2, "a.jsonl", "--policy", "n.toml")
        self.write("wide.csv", "q,s\na," + "w" * 140_000 + "\na,1\n")
        self.both(0, "wide.csv", "--policy", "q.toml")
        self.write("a.tsv", "q\ts\na\tx\na\ty\n")
        self.both(0, "a.tsv", "--policy", "q.toml")
        self.write("e.toml", '[attributes.q]\nrole = "quasi"\n[attributes.s]\nrole = "sensitive"\ntype = "numeric"\n[[privacy]]\nmodel = "l-diversity"\nsensitive = "s"\nl = 2\n')
        for cells, status in ((("1e1", "2"), 0), (("1e1", "10"), 1), (("2.50e+1", "25"), 1), (("1e", "2"), 2), (("1e1000", "2"), 2)):
            self.write("e.csv", "q,s\na,{}\na,{}\n".format(*cells))
            self.both(status, "e.csv", "--policy", "e.toml")

    def test_figures_and_numbers_have_one_text(self):
        manifest = self.release()
        os.remove(self.folder / "out.csv.private.json")
        reached = manifest["privacy"][0]["reached"]
        for text in (reached + ".0", "+" + reached, reached + "e0", "1.2.3", ""):
            manifest["privacy"][0]["reached"] = text
            self.put(manifest)
            self.both(1, "out.csv", "--policy", "p.toml", second=("out.csv",))
            self.second("out.csv", "--policy", "p.toml", status=1)
        manifest["privacy"][0]["reached"] = reached
        for k in ("1e999", "1e-19", "1" + "0" * 30, "99999999999999999999", "1/0", "1_0", "1e"):
            self.put({**manifest, "privacy": [{**manifest["privacy"][0], "k": k}, manifest["privacy"][1]]})
            self.both(2, "out.csv", "--policy", "p.toml", second=("out.csv",))
        twice = copy.deepcopy(manifest)
        for more in ({}, {"role": "insensitive"}):
            twice["output"]["columns"] = [*manifest["output"]["columns"], {**manifest["output"]["columns"][0], **more}]
            self.put(twice)
            self.both(2, "out.csv", "--policy", "p.toml", second=("out.csv",))
        quote = copy.deepcopy(manifest)
        quote["output"]["quote"] = "'"  # ranges are quoted, as they have a comma
        self.put(quote)
        self.both(1, "out.csv", "--policy", "p.toml", second=("out.csv",))

    # --- stores ---

    @unittest.skipIf(pyarrow is None, "needs pyarrow")
    def test_what_the_manifest_of_a_store_says_is_checked(self):
        self.cordon("permute", "pay.csv", "--policy", "ke.toml", "--output", "store")
        self.cordon("append", "store", "more.csv")
        shutil.rmtree(self.folder / "store.private")
        manifest = json.loads(self.read("store/manifest.json"))
        del manifest["digest"]

        def judged(status, change):
            made = copy.deepcopy(manifest)
            change(made)
            text = json.dumps(made, separators=(",", ":"), ensure_ascii=False)
            self.write("store/manifest.json", json.dumps({**made, "digest": verify_release.hashlib.sha256(text.encode()).hexdigest()}))
            return self.both(status, "store", "--policy", "ke.toml")

        judged(0, lambda made: None)
        column = lambda **more: lambda made: made["columns"][0].update(more)
        part = lambda **more: lambda made: made["parts"][0].update(more)
        for change in (column(name="x"), column(role="insensitive"), lambda made: made.update(columns=[]), part(rows=0), part(rows=manifest["parts"][0]["rows"] + 1),
                       lambda made: made.update(rows=1), lambda made: made.update(privacy=[]), lambda made: made.update(next_group=1)):
            judged(1, change)
        for change in (column(role="x"), column(type="x"), column(name=3), lambda made: made.pop("columns"),
                       lambda made: made["columns"].append(made["columns"][0]), part(rows="1"), part(rows=-1), part(level="1"), part(level=1001),
                       lambda made: made.update(format=2.0), lambda made: made.update(format="2"), lambda made: made.update(policy_sha256=3),
                       lambda made: made.update(next_part=2), lambda made: made.update(next_part="3"), lambda made: made.pop("next_part")):
            judged(2, change)
        judged(0, lambda made: made.pop("policy_sha256"))
        note = "the release was made by another policy"
        self.assertIn(note, judged(0, lambda made: made.update(policy_sha256="0"))[0])
        shutil.copy(self.folder / "store/table/part-000001.parquet", self.folder / "store/table/x.PARQUET")
        judged(2, lambda made: None)

    def test_a_store_is_signed_and_stays_so(self):
        self.cordon("permute", "pay.csv", "--policy", "ke.toml", "--output", "store", "--sign", "key")
        self.assertIn("certificate: holds", self.cordon("verify", "store", "--policy", "ke.toml", "--key", "key.pub"))
        self.assertIn("give --sign KEY", self.cordon("append", "store", "more.csv", status=2))
        self.cordon("append", "store", "more.csv", "--sign", "other")
        self.cordon("verify", "store", "--policy", "ke.toml", "--key", "key.pub", status=1)
        self.cordon("verify", "store", "--policy", "ke.toml", "--key", "other.pub")
        self.cordon("append", "store", "--compact", "--sign", "key")
        self.cordon("verify", "store", "--policy", "ke.toml", "--key", "key.pub")
        manifest = json.loads(self.read("store/manifest.json"))
        del manifest["digest"]
        keys = [verify_release.read_public_key(str(self.folder / "key.pub"))]
        self.assertEqual(verify_release.signature_fault(manifest, "store", keys), "")
        for path in leaves(manifest):
            if path[0] != "signatures":
                self.assertNotEqual(verify_release.signature_fault(changed(manifest, path), "store", keys), "", path)
        self.cordon("permute", "pay.csv", "--policy", "ke.toml", "--output", "plain")
        self.cordon("verify", "plain", "--policy", "ke.toml", "--key", "key.pub", status=1)
        if pyarrow is None:
            return
        self.second("store", "--key", "key.pub")
        self.second("store", "--key", "other.pub", status=1)
        self.second("plain", "--key", "key.pub", status=1)

    def test_a_store_of_an_earlier_version_is_signed_when_it_is_converted(self):
        files = ROOT / "tests" / "cli" / "files"
        for half in ("old_store", "old_store.private"):
            shutil.copytree(files / half, self.folder / half)
        shutil.copy(files / "salaries.toml", self.folder)
        self.cordon("append", "old_store", "--convert", "new", "--sign", "key")
        self.cordon("verify", "new", "--policy", "salaries.toml", "--key", "key.pub")
        self.cordon("verify", "new", "--policy", "salaries.toml", "--key", "other.pub", status=1)
        self.assertIn("give --sign KEY", self.cordon("append", "new", "--compact", status=2))

    # --- streams ---

    def stream(self, *more, **options):
        return self.cordon("stream", "s.csv", "--policy", "s.toml", "--output", "o.csv", "--audit", "log", "--sign", "key", *more, **options)

    def checked(self, status, *more, key="key.pub"):
        return self.both(status, "--stream", "o.csv", "--audit", "log", "--policy", "s.toml", "--key", key, *more)[0]

    def test_a_stream_is_signed_at_every_checkpoint(self):
        self.stream("--checkpoint-every", 50)
        lines = [json.loads(line) for line in self.read("o.csv.certificate.jsonl").splitlines()]
        self.assertEqual([line["ended"] for line in lines], [False] * 8 + [True])
        self.assertEqual([line["number"] for line in lines], list(range(1, 10)))
        self.assertIn("up to row 400", self.checked(0))
        self.checked(1, key="other.pub")
        self.assertIn("nonce", json.loads(self.read("log").splitlines()[0]))
        kept = {name: self.read(name) for name in ("o.csv", "log", "o.csv.certificate.jsonl")}
        for name, change in [("o.csv", lambda text: text.replace("]", "9]", 1)), ("o.csv", lambda text: text + text.splitlines()[-1] + "\n"),
                             ("log", lambda text: "".join(text.splitlines(True)[:-1])),
                             ("o.csv.certificate.jsonl", lambda text: "".join(text.splitlines(True)[:-1])),
                             ("o.csv.certificate.jsonl", lambda text: "".join(text.splitlines(True)[1:])),
                             ("o.csv.certificate.jsonl", lambda text: text.replace('"rows":', '"rows":1', 1)),
                             ("o.csv.certificate.jsonl", lambda text: "")]:
            self.write(name, change(kept[name]))
            self.checked(1)
            self.write(name, kept[name])
        self.checked(0)
        os.remove(self.folder / "o.csv.certificate.jsonl")
        self.checked(1)

    def test_a_line_of_the_log_has_the_form_in_which_it_was_written(self):
        self.stream("--checkpoint-every", 50)
        log, end = self.read("log"), '"}\n'
        lines = log.splitlines(True)
        people = iter(range(1000))
        number = lambda line: ",".join(str(next(people)) for _ in json.loads(line)["positions"])
        add = lambda line, text: line.replace(end, f'",{text}}}\n')
        self.write("k5.toml", STREAM_POLICY.replace("k = 3", "k = 5"))
        self.cordon("stream", "s.csv", "--policy", "k5.toml", "--output", "o5.csv", "--audit", "log5")
        digest = json.loads(self.read("log5").splitlines()[0])["policy"]
        forged = [add(lines[0], f'"policy":"{digest}"'), *(add(line, f'"persons":[{number(line)}]') for line in lines[1:-1]), lines[-1]]
        self.write("log", "".join(forged))
        for policy in ("k5.toml", "s.toml"):
            self.both(2, "--stream", "o.csv", "--audit", "log", "--policy", policy)
            self.both(2, "--stream", "o.csv", "--audit", "log", "--policy", policy, "--key", "key.pub")
        changes = [(0, lambda line: add(line, '"columns":["age","age"]')), (1, lambda line: add(line, '"group":1')),
                   (1, lambda line: add(line, '"note":1')), (-1, lambda line: add(line, '"rows":1')),
                   (1, lambda line: line.replace(end, '"} \n')), (1, lambda line: line.replace(end, '"}\r\n')),
                   (1, lambda line: line.replace(end, '" }\n')), (1, lambda line: line.replace('"chain":"', '"chain": "')),
                   (0, lambda line: line.replace('"chain":"', '"chain":"', 1).replace(end, '","chain":"' + "0" * 64 + end)),
                   (1, lambda line: re.sub('"chain":"[0-9a-f]*"', lambda found: found[0].upper().replace("CHAIN", "chain"), line)),
                   (1, lambda line: re.sub('"group":[0-9]*', '"group":9223372036854775808', line)),
                   (1, lambda line: re.sub('"at":[0-9]*', '"at":9223372036854775808', line)),
                   (1, lambda line: re.sub('"persons":.[0-9]*', '"persons":[18446744073709551616', line)),
                   (1, lambda line: re.sub('"persons":.', '"persons":[-', line)),
                   (1, lambda line: re.sub('"written":[0-9]*', '"written":18446744073709551616', line)),
                   (1, lambda line: line.replace('{"kind"', '{ "kind"')), (1, lambda line: line + "\n")]
        for place, change in changes:
            made = lines.copy()
            made[place] = change(made[place])
            self.assertNotEqual(made, lines)
            self.write("log", "".join(made))
            self.checked(2)
        self.write("log", log)
        self.checked(0)

    def test_nothing_comes_after_what_the_log_accounts_for(self):
        for output in ("o.csv", "o.jsonl"):
            self.cordon("stream", "s.csv", "--policy", "s.toml", "--output", output, "--audit", output + ".log")
            text = self.read(output)
            for more in ("\n", " ", "\n\n", " \n"):
                self.write(output, text + more)
                for said in self.both(1, "--stream", output, "--audit", output + ".log", "--policy", "s.toml"):
                    self.assertIn(f"the output has {len(text + more)} bytes, the log accounts for {len(text)}", said)
            self.write(output, text)
            self.both(0, "--stream", output, "--audit", output + ".log", "--policy", "s.toml")

    def test_a_prefix_is_verified_while_the_stream_runs(self):
        """Only what is signed so far is judged; without --signed-prefix rows after it are refused."""
        self.stream("--checkpoint-every", 50)
        lines = self.read("o.csv.certificate.jsonl").splitlines(True)
        self.write("o.csv.certificate.jsonl", "".join(lines[:3]))
        self.assertIn("are not signed yet", self.checked(1))
        rows = json.loads(lines[2])["output"]["rows"]
        self.assertIn(f"up to row {rows}; the ", self.checked(0, "--signed-prefix"))
        size = json.loads(lines[2])["output"]["bytes"]
        self.write("o.csv", self.read("o.csv")[:size] + "garbage,garbage\n")  # what is not signed is not read either
        self.checked(0, "--signed-prefix")
        self.write("o.csv", self.read("o.csv")[:size].replace("]", "9]", 1))
        self.checked(1, "--signed-prefix")

    def test_a_certificate_has_whole_lines_of_json_alone(self):
        self.stream("--checkpoint-every", 50)
        name = "o.csv.certificate.jsonl"
        text = (self.folder / name).read_bytes()
        lines = text.splitlines(True)
        hidden = b'\0{"x":1}\n'
        for made in (b"\xef\xbb\xbf" + text, text + b"garbage", text + b"\xff", text + b"\n", lines[0] + b"\n" + b"".join(lines[1:]), text[:-1] + hidden):
            (self.folder / name).write_bytes(made)
            self.checked(1)
            self.checked(1, "--signed-prefix")
        for rest in (b'{"format":2', b"\xff"):  # a stream that runs may be writing a line
            (self.folder / name).write_bytes(b"".join(lines[:3]) + rest)
            self.checked(1)
            self.checked(0, "--signed-prefix")
        (self.folder / name).write_bytes(b"".join(lines[:3]))
        log = (self.folder / "log").read_bytes()
        for rest in (b"garbage\n", b'{"kind', b"\xff\n"):  # what is not signed is not read
            (self.folder / "log").write_bytes(log + rest)
            self.checked(0, "--signed-prefix")
        line = json.loads(log.splitlines()[0])
        for change in ({"nonce": "N"}, {"upper_ends": {"other": "excluded"}}):
            head = json.dumps({**{key: value for key, value in line.items() if key not in ("written", "chain")}, **change, "written": line["written"]}, separators=(",", ":"))
            head = head.encode().replace(b"N\"", b"\xff\"") if "nonce" in change else head.encode()
            chain = verify_release.hashlib.sha256(head[:-1] + (self.folder / "o.csv").read_bytes()[:line["written"]]).hexdigest()
            (self.folder / "log").write_bytes(head[:-1] + f',"chain":"{chain}"}}\n'.encode() + b"".join(log.splitlines(True)[1:]))
            self.both(2, "--stream", "o.csv", "--audit", "log", "--policy", "s.toml")

    def test_a_running_stream(self):
        run = subprocess.Popen([CORDON, "stream", "-", "--policy", "s.toml", "--output", "o.csv", "--audit", "log", "--sign", "key", "--checkpoint",
                                "ck", "--checkpoint-every", "50"], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        lines = self.read("s.csv").splitlines(True)
        run.stdin.write("".join(lines[:200]).encode())
        run.stdin.flush()
        certificate = self.folder / "o.csv.certificate.jsonl"
        for _ in range(500):
            if certificate.exists() and certificate.read_text().count("\n") == 3:
                break
            time.sleep(0.02)
        self.checked(0, "--signed-prefix")
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdin.close()
        self.checked(0, "--signed-prefix")
        # It goes on, by another key, and the certificate has no gap.
        done = subprocess.run([CORDON, "stream", "-", "--policy", "s.toml", "--output", "o.csv", "--audit", "log", "--sign", "other", "--checkpoint",
                               "ck", "--checkpoint-every", "50"], cwd=self.folder, input="".join(lines), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.checked(1)
        self.both(0, "--stream", "o.csv", "--audit", "log", "--policy", "s.toml", "--key", "key.pub", "--key", "other.pub")

    def test_a_resumed_stream_signs_only_what_it_signed_before(self):
        self.stream("--checkpoint-every", 50, "--checkpoint", "ck")
        self.assertIn("--sign needs --audit", self.cordon("stream", "s.csv", "--policy", "s.toml", "--output", "p.csv", "--sign", "key", status=2))
        self.assertIn("--sign needs an output that is a file", self.cordon("stream", "s.csv", "--policy", "s.toml", "--output", "-", "--audit", "l2", "--sign", "key", status=2))
        self.assertIn("there already", self.cordon("stream", "s.csv", "--policy", "s.toml", "--output", "o.csv", "--audit", "log", "--sign", "key", status=2))
        self.assertIn("--signed-prefix needs", self.cordon("verify", "--stream", "o.csv", "--audit", "log", "--policy", "s.toml", "--signed-prefix", status=2))


class SecondVerifier(unittest.TestCase):
    def test_ed25519_by_the_vectors_of_rfc_8032(self):
        vectors = json.loads((ROOT / "tests/crypto/vectors/rfc8032.json").read_text())["ed25519"]
        for each in vectors:
            key, message, signature = (bytes.fromhex(each[name]) for name in ("verify_key", "message", "signature"))
            self.assertTrue(verify_release.ed25519_verifies(key, message, signature))
            self.assertFalse(verify_release.ed25519_verifies(key, message + b"x", signature))
            for at in range(0, 64, 7):
                wrong = bytearray(signature)
                wrong[at] ^= 1
                self.assertFalse(verify_release.ed25519_verifies(key, message, bytes(wrong)))
            larger = int.from_bytes(signature[32:], "little") + verify_release.L  # the same number, spelled otherwise
            self.assertFalse(verify_release.ed25519_verifies(key, message, signature[:32] + larger.to_bytes(32, "little")))
        one = bytes([1]) + bytes(31)  # the neutral point: it fits every message
        self.assertFalse(verify_release.ed25519_verifies(one, b"anything", one + bytes(32)))

    def test_canonical_json_by_the_vectors_of_rfc_8785(self):
        numbers = {"0000000000000000": "0", "8000000000000000": "0", "0000000000000001": "5e-324", "8000000000000001": "-5e-324",
                   "7fefffffffffffff": "1.7976931348623157e+308", "4340000000000000": "9007199254740992",
                   "4430000000000000": "295147905179352830000", "44b52d02c7e14af5": "9.999999999999997e+22", "44b52d02c7e14af6": "1e+23",
                   "44b52d02c7e14af7": "1.0000000000000001e+23", "444b1ae4d6e2ef4e": "999999999999999700000", "444b1ae4d6e2ef50": "1e+21",
                   "3eb0c6f7a0b5ed8c": "9.999999999999997e-7", "3eb0c6f7a0b5ed8d": "0.000001", "41b3de4355555553": "333333333.3333332",
                   "41b3de4355555557": "333333333.33333343", "becbf647612f3696": "-0.0000033333333333333333", "43143ff3c1cb0959": "1424953923781206.2"}
        for bits, text in numbers.items():
            self.assertEqual(verify_release.canonical_number(struct.unpack(">d", bytes.fromhex(bits))[0]), text)
        sample = json.loads('{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],'
                            r' "string": "\u20ac$\u000F\u000aA' + "'" + r'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}')
        self.assertEqual(verify_release.canonical(sample), '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
                                                           '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}')
        names = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7}
        self.assertEqual(list(json.loads(verify_release.canonical(names)).values()), [2, 4, 6, 7, 1, 5, 3])


if __name__ == "__main__":
    CORDON = os.path.abspath(sys.argv.pop(1))
    unittest.main()
