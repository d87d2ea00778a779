#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The certificate checker: holds what holds, names what does not, and never mistakes one for the other."""
import gzip
import hashlib
import itertools
import json
import random
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from fractions import Fraction
from pathlib import Path

import second_verifier
from second_verifier import SCRIPT, verify_release

TEXTS_OF = {*verify_release.NEEDED, *verify_release.JOIN_MODELS}
K = {"model": "k-anonymity", "text": "k-anonymity(k=3)", "holds": True, "reached": "3", "counts": "rows", "k": "3"}
L = {"model": "l-diversity", "text": "l-diversity(pay, l=2, distinct)", "holds": True, "reached": "2", "sensitive": "pay",
     "l": "2", "kind": "distinct"}


def with_texts(claims):
    """The claims with the texts that cordon gives them."""
    return [{**claim, "text": verify_release.describe(claim)} if claim["model"] in TEXTS_OF else claim for claim in claims]


def t_claim(distance, t, reached, **more):
    return {"model": "t-closeness", "text": f"t-closeness(pay, t={t}, {distance})", "holds": True, "reached": reached,
            "sensitive": "pay", "t": t, "distance": distance, **more}


# Two groups of three.
ROWS = [("[20,29]", "M", "1"), ("[20,29]", "M", "1"), ("[20,29]", "M", "2"),
        ("[30,39]", "*", "2"), ("[30,39]", "*", "3"), ("[30,39]", "*", "4")]


class VerifyRelease(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def run_on(self, rows, claims, /, header=("age", "sex", "pay"), delimiter=";", roles=None, name="out.csv", **output):
        lines = [delimiter.join(f'"{cell}"' if "," in cell else cell for cell in row) for row in [header, *rows]]
        data = ("\n".join(lines) + "\n").encode()
        if name.endswith(".gz"):
            data = gzip.compress(data)
        path = Path(self.directory.name) / name
        path.write_bytes(data)
        kind = "numeric" if any(claim.get("distance") == "ordered" for claim in claims) else "categorical"
        roles = roles or [("age", "quasi"), ("sex", "quasi"), ("pay", "sensitive")]
        manifest = {"format": 1, "tool": "cordon 0.1.0", "policy_sha256": "00", "suppressed": 0, "privacy": with_texts(claims),
                    "output": {"name": name, "sha256": hashlib.sha256(data).hexdigest(), "rows": len(rows), "delimiter": delimiter,
                               "columns": [{"name": n, "role": r, "type": kind if n == "pay" else "categorical"} for n, r in roles], **output}}
        manifest_path = Path(self.directory.name) / "manifest.json"
        manifest_path.write_text(json.dumps(manifest))
        done = second_verifier.run(path, manifest_path)
        return done.returncode, done.stdout + done.stderr

    def test_which_column_a_policy_shuffles(self):
        ke = {"model": "ke-anonymity", "sensitive": "pay", "k": 2, "e": 0}
        def shuffled(models, name="auto", **more):
            attributes = {"age": {"role": "quasi"}, "pay": {"role": "sensitive"}, **more}
            return verify_release.permuted_by({"privacy": models, "algorithm": {"name": name}, "attributes": attributes})
        self.assertEqual(shuffled([ke]), "pay")
        self.assertEqual(shuffled([ke], "ke"), "pay")
        self.assertEqual(shuffled([ke], "partition"), "")
        self.assertEqual(shuffled([ke, {"model": "k-anonymity", "k": 2}]), "")
        # With another sensitive column, a grid or a column of the name `group`, auto generalizes.
        self.assertEqual(shuffled([ke], ill={"role": "sensitive", "unguarded": "a test"}), "")
        self.assertEqual(shuffled([ke], pay={"role": "sensitive", "grid": 5}), "")
        self.assertEqual(shuffled([ke], group={"role": "insensitive"}), "")

    def test_a_release_that_holds(self):
        status, text = self.run_on(ROWS, [K, L])
        self.assertEqual(status, 0, text)
        self.assertIn("rows: 6\n", text)
        self.assertIn("k-anonymity(k=3): holds; reached 3\n", text)
        self.assertIn("l-diversity(pay, l=2, distinct): holds; reached 2\n", text)

    def judged_of_people(self, rows, **claim):
        """rows: group, person, value."""
        table = {"q": [row[0] for row in rows], "pay": [row[2] for row in rows]}
        release = verify_release.Release(table, len(rows), {"q": "quasi", "pay": "sensitive"}, {"pay": "numeric"}, [""])
        release.persons = [row[1] for row in rows]
        return verify_release.judge(release, [{"sensitive": "pay", "counts": "persons", **claim}])[0]

    def test_people_are_counted(self):
        everybody_has_1 = [("x", "a", "1"), ("x", "b", "1"), ("x", "c", "1"), ("x", "c", "2"), ("x", "c", "3"), ("x", "c", "4")]
        distinct = self.judged_of_people(everybody_has_1, model="l-diversity", kind="distinct", l="2")
        self.assertEqual((distinct["holds"], distinct["reached_exact"]), (False, "1"))
        recursive = self.judged_of_people(everybody_has_1, model="l-diversity", kind="recursive", l="2", c="9")
        self.assertEqual((recursive["holds"], recursive["reached_exact"]), (False, "infinite"))
        rows = [("x", "a", "1"), ("x", "a", "3"), ("y", "b", "2"), ("y", "c", "2")]
        ordered = self.judged_of_people(rows, model="t-closeness", distance="ordered", t="1/2")
        self.assertEqual((ordered["holds"], ordered["reached_exact"]), (True, "1/2"))
        beta = self.judged_of_people(rows, model="beta-likeness", kind="basic", beta="1/2")
        self.assertEqual((beta["holds"], beta["reached_exact"]), (False, "1"))

    def test_people_are_not_judged_by_a_manifest(self):
        people = {**L, "counts": "persons", "reached": "1"}
        for claims in ([people], [K, people]):
            status, text = self.run_on(ROWS, claims)
            self.assertEqual(status, 2, text)
            self.assertIn("l-diversity(pay, l=2, distinct, by person) counts people, and a release does not tell them apart", text)
        self.assertEqual(self.run_on(ROWS, [{**K, "k": "4"}, people])[0], 1)
        status, text = self.run_on(ROWS, [K, {**L, "counts": "persons", "holds": False}])
        self.assertEqual(status, 1, text)

    def test_one_cell_breaks_k(self):
        rows = [*ROWS[:5], ("[30,39]", "F", "4")]
        status, text = self.run_on(rows, [K])
        self.assertEqual(status, 1)
        self.assertIn("k-anonymity(k=3): DOES NOT HOLD; reached 1 in the group of row 6\n", text)
        self.assertIn("k-anonymity(k=3): reached 1, the manifest says 3\n", text)

    def test_one_cell_breaks_l(self):
        status, text = self.run_on([*ROWS[:2], ("[20,29]", "M", "1"), *ROWS[3:]], [K, L])
        self.assertEqual(status, 1)
        self.assertIn("k-anonymity(k=3): holds", text)
        self.assertIn("distinct): DOES NOT HOLD; reached 1", text)

    def test_a_missing_cell_is_no_value_for_l(self):
        rows = [*ROWS[:2], ("[20,29]", "M", "?"), *ROWS[3:]]
        self.assertEqual(self.run_on(rows, [L], missing=["?", ""])[0], 1)
        self.assertEqual(self.run_on(rows, [L], missing=[""])[0], 0)

    def test_k_on_a_template_groups_by_its_columns_only(self):
        claim = {**K, "on": ["sex"], "k": "3"}
        rows = [(f"{i}", sex, pay) for i, (_, sex, pay) in enumerate(ROWS)]
        self.assertEqual(self.run_on(rows, [claim])[0], 0)
        self.assertEqual(self.run_on(rows, [K])[0], 1)

    def test_persons_can_only_be_bounded_by_rows(self):
        status, text = self.run_on(ROWS, [{**K, "counts": "persons", "reached": "2", "k": "2"}])
        self.assertEqual(status, 0, text)
        self.assertIn("people are not published; k counts rows here", text)
        self.assertEqual(self.run_on(ROWS, [{**K, "counts": "persons", "k": "4"}])[0], 1)

    def test_equal_distance(self):
        # Whole: 1 1 2 2 3 4. First group 1 1 2: |2/3-1/3| + |1/3-1/3| + 1/6 + 1/6 = 2/3, half of it.
        self.assertEqual(self.run_on(ROWS, [t_claim("equal", "1/3", "1/3")])[0], 0)
        self.assertEqual(self.run_on(ROWS, [t_claim("equal", "33/100", "1/3")])[0], 1)

    def test_ordered_distance_uses_the_declared_values(self):
        # Cumulative differences of 1 1 2 against the whole: 1/3, 1/3, 1/6, then 0.
        self.assertEqual(self.run_on(ROWS, [t_claim("ordered", "5/18", "5/18", order=["1", "2", "3", "4"])])[0], 0)
        # A fifth value that nobody has makes every step shorter: 5/6 over 4.
        self.assertEqual(self.run_on(ROWS, [t_claim("ordered", "5/24", "5/24", order=["1", "2", "3", "4", "5"])])[0], 0)
        self.assertEqual(self.run_on(ROWS, [t_claim("ordered", "1/5", "5/18", order=["1", "2", "3", "4"])])[0], 1)

    def test_numbers_may_be_spelled_in_several_ways(self):
        rows = [(age, sex, pay + ".0") for age, sex, pay in ROWS]
        self.assertEqual(self.run_on(rows, [t_claim("ordered", "5/18", "5/18", order=["1", "2", "3", "4"])])[0], 0)

    def test_without_declared_values_the_published_numbers_are_the_order(self):
        self.assertEqual(self.run_on(ROWS, [t_claim("ordered", "5/18", "5/18")])[0], 0)
        rows = [(age, sex, {"1": "9", "2": "10", "3": "11", "4": "12"}[pay]) for age, sex, pay in ROWS]
        self.assertEqual(self.run_on(rows, [t_claim("ordered", "5/18", "5/18")])[0], 0)

    def test_a_missing_cell_is_the_last_value_for_t(self):
        rows = [(age, sex, {"4": "?"}.get(pay, pay)) for age, sex, pay in ROWS]
        claim = t_claim("ordered", "5/18", "5/18", order=["1", "2", "3"])
        self.assertEqual(self.run_on(rows, [claim], missing=["?", ""])[0], 0)
        self.assertEqual(self.run_on(rows, [t_claim("ordered", "5/18", "5/18")], missing=["?", ""])[0], 0)
        listed = t_claim("ordered", "5/18", "5/18", order=["1", "2", "3", "?"])  # as manifests have it: not counted twice
        self.assertEqual(self.run_on(rows, [listed], missing=["?", ""])[0], 0)
        self.assertEqual(self.run_on(rows, [claim], missing=[""])[0], 2)

    def test_hierarchical_distance(self):
        paths = {"1": ["1", "low", "*"], "2": ["2", "low", "*"], "3": ["3", "high", "*"], "4": ["4", "high", "*"]}
        # First group 1 1 2: 1/3 crosses the root at cost 1, nothing moves inside a branch.
        self.assertEqual(self.run_on(ROWS, [t_claim("hierarchical", "1/3", "1/3", paths=paths)])[0], 0)
        self.assertEqual(self.run_on(ROWS, [t_claim("hierarchical", "3/10", "1/3", paths=paths)])[0], 1)

    def test_a_wrong_reached_value_is_a_false_claim(self):
        status, text = self.run_on(ROWS, [{**K, "k": "2", "reached": "2"}])
        self.assertEqual(status, 1)
        self.assertIn("reached 3, the manifest says 2", text)

    def test_a_verdict_that_does_not_hold_is_passed_on(self):
        self.assertEqual(self.run_on(ROWS, [{**K, "holds": False}])[0], 1)

    def test_a_model_that_it_does_not_know_is_refused(self):
        status, text = self.run_on(ROWS, [{"model": "m-invariance", "text": "m-invariance(m=2)", "holds": True}])
        self.assertEqual(status, 2)
        self.assertIn("'m-invariance' cannot be judged", text)

    def test_changed_bytes_and_rows_are_noticed(self):
        status, text = self.run_on(ROWS, [K], sha256="00")
        self.assertEqual(status, 1)
        self.assertIn("the bytes are not those that the manifest names", text)
        status, text = self.run_on(ROWS, [K], rows=7)
        self.assertEqual(status, 1)
        self.assertIn("rows: there are 6, the manifest says 7", text)

    def test_what_is_printed_comes_from_the_parameters(self):
        path = Path(self.directory.name) / "manifest.json"
        self.run_on(ROWS, [K])
        manifest = json.loads(path.read_text())
        manifest["privacy"][0]["text"] = "k-anonymity(k=50)"
        path.write_text(json.dumps(manifest))
        done = second_verifier.run(path.with_name("out.csv"), path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("k-anonymity(k=3): holds; reached 3\n", done.stdout)
        self.assertNotIn("50", done.stdout)

    def test_a_guarded_missing_cell_is_not_every_value(self):
        text = lambda values: verify_release.describe({"model": "confidence", "values": {"pay": values}, "h": "1/2"})
        self.assertEqual(text([]), "confidence(all quasi -> pay=*, h=0.5)")
        self.assertEqual(text([""]), "confidence(all quasi -> pay=, h=0.5)")
        self.assertEqual(text(["1", "2"]), "confidence(all quasi -> pay=1|2, h=0.5)")

    def test_numbers_in_texts_are_written_as_cordon_writes_them(self):
        for value, text in (("1/5", "0.2"), ("2/3", "2/3"), ("3", "3"), ("1/10000", "1e-04"), ("1/1000", "0.001"), ("100000", "100000"),
                            ("12345678/10000000", "1.2345678"), ("3/200000", "1.5e-05"), ("1/3000000", "1/3000000")):
            self.assertEqual(verify_release.short_text(verify_release.Fraction(value)), text)

    def test_the_end_of_a_file_may_have_blank_lines(self):
        self.assertEqual(verify_release.read_csv("a,b\n1,2\n\n\r\n", {})[1], 1)
        with self.assertRaises(verify_release.Refused):
            verify_release.read_csv("a,b\n\n1,2\n", {})
        self.assertEqual(verify_release.read_csv("a\n1\n\n", {})[1], 2)  # of one column it is an empty cell

    def test_bounds_gzip_and_delimiters(self):
        header = ("age_lo", "age_hi", "sex", "pay")
        rows = [("20", "29", s, p) if a == "[20,29]" else ("30", "39", s, p) for a, s, p in ROWS]
        self.assertEqual(self.run_on(rows, [K, L], header=header)[0], 0)
        self.assertEqual(self.run_on(ROWS, [K, L], name="out.csv.gz")[0], 0)
        self.assertEqual(self.run_on(ROWS, [K, L], delimiter=",")[0], 0)
        self.assertEqual(self.run_on(ROWS, [K, L], delimiter=", ")[0], 0)
        self.assertEqual(self.run_on(ROWS, [K, L], delimiter="||")[0], 0)

    def test_json_lines_name_their_columns_also_by_a_policy_of_files_without_a_header(self):
        policy, release = (Path(self.directory.name) / name for name in ("p.toml", "out.jsonl"))
        policy.write_text('[data]\nheader = false\ncolumns = ["id", "age"]\n[attributes.id]\nrole = "identifier"\n'
                          '[attributes.age]\nrole = "quasi"\ntype = "numeric"\n[[privacy]]\nmodel = "k-anonymity"\nk = 2\n')
        release.write_text('{"age_lo":20,"age_hi":29}\n{"age_lo":20,"age_hi":29}\n')
        done = second_verifier.run(release, "--policy", policy)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("k-anonymity(k=2): holds; reached 2\n", done.stdout)
        self.assertEqual(verify_release.read_jsonl("", ["age"]), ({"age": []}, 0))

    def test_a_range_that_ends_before_it_begins_cannot_be_read(self):
        columns = lambda kind: [{"name": "age", "type": kind, "upper_end": "included"}]
        for kind, lo, hi in (("numeric", "9", "10"), ("date", "1999-12-31", "2000-01-01")):
            table = {"age_lo": [lo, lo], "age_hi": [hi, lo]}
            verify_release.join_bounds(table, {}, columns(kind))
            self.assertEqual(table, {"age": [f"[{lo},{hi}]", lo]})
            with self.assertRaises(verify_release.Refused):
                verify_release.join_bounds({"age_lo": [hi], "age_hi": [lo]}, {}, columns(kind))

    def test_a_range_of_one_end_or_of_other_texts_or_without_a_number_in_it_cannot_be_read(self):
        join = lambda lo, hi, end: verify_release.join_bounds({"age_lo": [lo], "age_hi": [hi]}, {}, [{"name": "age", "type": "numeric", "upper_end": end}])
        for end in ("included", "excluded"):
            for lo, hi in (("*", "20"), ("20", "*"), ("", "20"), (None, "20"), ("20", None), ("20", "abc"), ("x", "20")):
                with self.assertRaises(verify_release.Refused):
                    join(lo, hi, end)
            join("*", "*", end)
            join(None, None, end)
        join("20", "20.0", "included")
        with self.assertRaises(verify_release.Refused):
            join("20", "20.0", "excluded")

    def test_no_rows_and_no_quasi_columns(self):
        self.assertEqual(self.run_on([], [{**K, "reached": "nothing"}, t_claim("equal", "0", "nothing")])[0], 0)
        roles = [("age", "insensitive"), ("sex", "insensitive"), ("pay", "sensitive")]
        status, text = self.run_on(ROWS, [{**K, "reached": "6"}], roles=roles)
        self.assertEqual(status, 0, text)  # then all rows are one group

    def test_unreadable_input_is_an_error_that_shows_no_cell(self):
        self.assertEqual(self.run_on(ROWS, [{**L, "sensitive": "cost"}])[0], 1)  # it can be read, and is not so
        status, text = self.run_on([*ROWS, ("[30,39]", "secret")], [K])
        self.assertEqual(status, 2)
        self.assertNotIn("secret", text)
        status, text = self.run_on([*ROWS, ("[30,39]", "*", "secret")], [t_claim("ordered", "1", "0", order=["1", "2", "3", "4"])])
        self.assertEqual(status, 2)
        self.assertIn("'pay'", text)
        self.assertNotIn("secret", text)
        done = subprocess.run([sys.executable, "-B", SCRIPT, "nowhere.csv", "nowhere.json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(subprocess.run([sys.executable, "-B", SCRIPT], capture_output=True).returncode, 2)


def group_of(first, second=None):
    """A group with these values, and its whole."""
    group, whole = verify_release.Group(), verify_release.Group()
    for each, values in ((group, first), (whole, second or first)):
        each.rows, each.who = len(values), set(range(len(values)))
        each.values = {"s": Counter(values)}
    return group, whole


class Models(unittest.TestCase):
    """Each definition at its bound: the last parameter that holds, the first that does not."""

    def judged(self, model, group, whole=None, /, **parameters):
        return verify_release.MODELS[model]({"model": model, "sensitive": "s", **parameters}, *group_of(group, whole))

    def test_entropy_l_is_decided_exactly(self):
        for l in range(1, 8):  # l even values have entropy ln l
            even = list("abcdefg"[:l]) * 3
            self.assertTrue(self.judged("l-diversity", even, kind="entropy", l=str(l))[0])
            self.assertFalse(self.judged("l-diversity", even, kind="entropy", l=f"{10**12 * l + 1}/{10**12}")[0])
        self.assertEqual(self.judged("l-diversity", [None, None], kind="entropy", l="1"), (False, 0.0))

    def test_recursive_l(self):
        values = list("aaabbc")  # 3 < c * 1 for l = 3, 3 < c * 3 for l = 2
        self.assertEqual(self.judged("l-diversity", values, kind="recursive", l="3", c="3"), (False, 3))
        self.assertEqual(self.judged("l-diversity", values, kind="recursive", l="3", c="31/10"), (True, 3))
        self.assertEqual(self.judged("l-diversity", values, kind="recursive", l="2", c="1"), (False, 1))
        self.assertEqual(self.judged("l-diversity", values, kind="recursive", l="4", c="9")[0], False)

    def test_beta_basic_and_enhanced(self):
        whole = list("a" * 2 + "b" * 8)
        self.assertEqual(self.judged("beta-likeness", list("aabbb"), whole, kind="basic", beta="1"), (True, 1))
        self.assertEqual(self.judged("beta-likeness", list("aabbb"), whole, kind="basic", beta="99/100"), (False, 1))
        # -ln 0.2 = 1.609...: a gain of 3/2 passes, of 5/3 does not, whatever beta is.
        self.assertTrue(self.judged("beta-likeness", list("aabb"), whole, kind="enhanced", beta="9")[0])
        self.assertFalse(self.judged("beta-likeness", list("aaaaaaaabbbbbbb"), whole, kind="enhanced", beta="9")[0])

    def test_related_values_rise_together(self):
        # Two lung diseases of 5 % each: 20 % each is allowed, 40 % of both together is not (docs/models/beta_likeness.md).
        whole = [1] * 5 + [2] * 5 + [9] * 90
        group = [1] * 19 + [2] * 19 + [9] * 62
        asked = {"kind": "enhanced", "beta": "4"}
        self.assertTrue(self.judged("beta-likeness", group, whole, **asked)[0])
        self.assertTrue(self.judged("beta-likeness", group, whole, range="99/100", **asked)[0])
        self.assertFalse(self.judged("beta-likeness", group, whole, range="1", **asked)[0])
        paths = {1: [1, "lung", "*"], 2: [2, "lung", "*"], 9: [9, "other", "*"]}
        self.assertFalse(self.judged("beta-likeness", group, whole, min_depth="1", paths=paths, **asked)[0])
        self.assertTrue(self.judged("beta-likeness", group, whole, min_depth="2", paths=paths, **asked)[0])

    def test_delta_disclosure(self):
        whole = list("aabb")
        self.assertTrue(self.judged("delta-disclosure", list("aaab"), whole, delta="7/10")[0])  # ln 2 = 0.6931...
        self.assertFalse(self.judged("delta-disclosure", list("aaab"), whole, delta="69/100")[0])
        self.assertEqual(self.judged("delta-disclosure", list("aa"), whole, delta="9"), (False, verify_release.INFINITE))

    def test_alpha_k_and_confidence(self):
        self.assertEqual(self.judged("alpha-k", list("ab"), k="2", value="a", alpha="1/2"), (True, Fraction(1, 2)))
        self.assertFalse(self.judged("alpha-k", list("ab"), k="3", value="a", alpha="1/2")[0])
        self.assertFalse(self.judged("alpha-k", list("ab"), k="2", value="a", alpha="49/100")[0])
        self.assertEqual(self.judged("confidence", list("aab"), values={"s": {"b"}}, h="1/3"), (True, Fraction(1, 3)))
        self.assertEqual(self.judged("confidence", list("aab"), values={"s": set()}, h="1/3"), (False, Fraction(2, 3)))

    def test_k_e(self):
        self.assertTrue(self.judged("ke-anonymity", [1, 2, 6, None], k="3", e="5", max_share="1/3")[0])
        self.assertFalse(self.judged("ke-anonymity", [1, 2, 6, None], k="3", e="501/100")[0])
        self.assertFalse(self.judged("ke-anonymity", [1, 1, 6], k="2", e="5", max_share="1/2")[0])
        self.assertFalse(self.judged("ke-anonymity", [None], k="2", e="0")[0])


class BadInput(unittest.TestCase):
    """Nothing is a traceback, and no cell is told."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.folder = Path(self.directory.name)

    def run_in(self, *arguments):
        done = second_verifier.run(*arguments, cwd=self.folder)
        return done.returncode, done.stdout + done.stderr

    def test_flags_that_do_not_go_together(self):
        for arguments in ([], ["a.csv", "--audit", "b"], ["--stream", "a"], ["a.csv", "--original", "b"], ["a.csv", "b", "--policy", "c"]):
            self.assertEqual(self.run_in(*arguments)[0], 2, arguments)

    def test_random_bytes_in_every_file(self):
        chance = random.Random(3)
        (self.folder / "out.csv").write_text("age,pay\n1,secret\n")
        (self.folder / "p.toml").write_text('[attributes.age]\nrole = "quasi"\n[attributes.pay]\nrole = "sensitive"\n'
                                            '[stream]\ndelay = 5\n[[privacy]]\nmodel = "k-anonymity"\nk = 1\n')
        (self.folder / "log").write_text('{"cordon_audit":1,"policy":"00","columns":["age","pay"]}\n'
                                         '{"kind":"group","group":1,"at":1,"positions":[1],"persons":[1]}\n{"end":true,"positions":1,"rows":1}\n')
        self.assertEqual(self.run_in("out.csv", "--policy", "p.toml")[0], 0)
        self.assertEqual(self.run_in("--stream", "out.csv", "--audit", "log", "--policy", "p.toml")[0], 0)
        for name in ("out.csv", "p.toml", "log") * 4:
            whole = (self.folder / name).read_bytes()
            place, kind = chance.randrange(len(whole)), chance.randrange(3)
            broken = [whole[:place], whole[:place] + bytes([chance.randrange(256)]) + whole[place + 1:], b"[1]\n"][kind]
            (self.folder / name).write_bytes(broken)
            for arguments in (["out.csv", "--policy", "p.toml"], ["--stream", "out.csv", "--audit", "log", "--policy", "p.toml"]):
                status, text = self.run_in(*arguments)
                self.assertIn(status, (0, 1, 2))
                self.assertNotIn("secret", text)
            (self.folder / name).write_bytes(whole)

    def test_manifests_of_any_shape(self):
        (self.folder / "out.csv").write_text("age,pay\n1,secret\n")
        for manifest in ("", "[]", "{}", '{"format":2}', '{"format":1}', '{"format":1,"output":[],"privacy":[]}',
                         '{"format":1,"output":{"sha256":"","rows":1,"columns":[3]},"privacy":[]}', "[" * 100000):
            (self.folder / "out.csv.manifest.json").write_text(manifest)
            status, text = self.run_in("out.csv")
            self.assertEqual(status, 2, manifest[:40])
            self.assertNotIn("secret", text)

    def test_parquet_without_pyarrow_says_what_to_do(self):
        (self.folder / "pyarrow.py").write_text("raise ImportError\n")
        (self.folder / "out.parquet").write_bytes(b"PAR1")
        (self.folder / "p.toml").write_text('[attributes.age]\nrole = "quasi"\n')
        done = subprocess.run([sys.executable, "-B", SCRIPT, "out.parquet", "--policy", "p.toml"], cwd=self.folder, capture_output=True, text=True,
                              env={"PYTHONPATH": str(self.folder)})
        self.assertEqual(done.returncode, 2)
        self.assertIn("Parquet needs pyarrow", done.stderr)


class Joins(unittest.TestCase):
    """Claims on the join with previous releases: the worked examples of the specification."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_on(self, current, previous, claims, columns, impossible=(), forget=False, encoding="utf-8", ends=None, before_ends=None):
        """Exit status and output; `current` and `previous` are lines of CSV. `ends`: of columns that are two, what is said of them."""
        out = self.folder / "out.csv"
        out.write_text("\n".join(current) + "\n")
        files, listed = [], []
        for i, lines in enumerate(previous):
            file = self.folder / f"before{i + 1}.csv"
            file.write_text("\n".join(lines) + "\n", encoding=encoding)
            files.append(str(file))
            listed.append({"name": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest(), **({"columns": before_ends} if before_ends else {})})
        manifest = {"format": 1, "privacy": [], "previous": listed,
                    "output": {"sha256": hashlib.sha256(out.read_bytes()).hexdigest(), "rows": len(current) - 1,
                               "columns": [{"name": name, "role": "insensitive"} for name in current[0].split(",") if name[-3:] not in ("_lo", "_hi")] +
                               [{**end, "role": "quasi", "type": "numeric"} for end in ends or []]},
                    "join": {"holds": True, "privacy": with_texts(claims), "columns": columns, "impossible": list(impossible)}}
        (self.folder / "out.json").write_text(json.dumps(manifest))
        done = second_verifier.run(out, self.folder / "out.json", *(part for file in (files[:-1] if forget else files) for part in ("--previous", file)))
        return done.returncode, done.stdout + done.stderr

    JOBS = {"job": {"match": "paths", "paths": {"Banker": ["Banker", "White", "ANY"], "Engineer": ["Engineer", "White", "ANY"],
                                                "Clerk": ["Clerk", "Blue", "ANY"], "Driver": ["Driver", "Blue", "ANY"]}}}
    DISEASES = ["job,disease", "Banker,Cancer", "Banker,Cancer", "Clerk,HIV", "Driver,Cancer", "Engineer,HIV"]

    def names(self, *jobs):
        return ["name,job"] + [f"{name},{job}" for name, job in zip(("Alice", "Alice", "Bob", "Bob", "Cathy"), jobs)]

    def linkability(self, reached):
        return {"model": "xy-linkability", "text": "link", "x": ["name"], "values": {"previous.disease": ["HIV", "Cancer"]},
                "h": "2/3", "holds": True, "reached": reached}

    def test_a_name_tells_no_disease(self):
        for jobs, reached, tuples, status in ((("White", "White", "Clerk", "Driver", "White"), "2/3", 11, 0),
                                              (("ANY",) * 5, "3/5", 25, 0),
                                              (("Banker", "Banker", "Clerk", "Driver", "Engineer"), "1", 7, 1)):
            code, text = self.run_on(self.names(*jobs), [self.DISEASES], [self.linkability(reached)], self.JOBS)
            self.assertEqual(code, status, text)
            self.assertIn(f"reached {reached} over {tuples} tuples", text)

    def test_a_wrong_value_and_a_missing_file_are_noticed(self):
        code, text = self.run_on(self.names(*("ANY",) * 5), [self.DISEASES], [self.linkability("1/2")], self.JOBS)
        self.assertEqual(code, 1)
        self.assertIn("the manifest says 1/2", text)
        code, text = self.run_on(self.names(*("ANY",) * 5), [self.DISEASES], [self.linkability("3/5")], self.JOBS, forget=True)
        self.assertEqual(code, 2)
        self.assertIn("give the previous release before1.csv", text)

    def test_three_releases_match_pairwise(self):
        tree = {"a": {"match": "paths", "paths": {"UK": ["UK", "ANY"], "FR": ["FR", "ANY"]}}}
        claim = {"model": "xy-linkability", "text": "s1", "x": ["previous.b"], "values": {"previous2.s": ["s1"]}, "h": "2/3",
                 "holds": True, "reached": "2/3"}
        code, text = self.run_on(["a,p", "ANY,u", "ANY,v", "ANY,w"],
                                 [["a,b", "UK,b1", "FR,b2", "FR,b1"], ["a;s", "UK;s1", "FR;s1", "FR;s2"]], [claim], tree)
        self.assertEqual(code, 0, text)
        self.assertIn("over 15 tuples", text)

    def test_ranges_missing_cells_and_impossible_pairs(self):
        age = {"age": {"match": "numeric"}}
        claim = {"model": "xy-anonymity", "text": "n", "x": ["n"], "y": "rows of previous", "k": 1, "holds": True, "reached": "1"}
        code, text = self.run_on(["age,n", '"[1,37)",a', '"[37,50]",b'], [["age;s", "[30,36];s1", "[37,40];s2"]], [claim], age)
        self.assertEqual(code, 0, text)
        self.assertIn("over 2 tuples", text)
        code, text = self.run_on(["age,n", ",a", "5,b"], [["age;s", ";s1", "5;s2"]], [claim], age)
        self.assertIn("over 2 tuples", text)
        pairs = {"model": "xy-anonymity", "text": "p", "x": ["sex"], "y": "pairs", "k": 1, "holds": True, "reached": "4"}
        code, text = self.run_on(["sex,n", "M,1", "M,2", "F,3", "F,4"], [["pregnant,m", "N,1", "N,2", "Y,3", "Y,4"]], [pairs], {},
                                 [{"current": "sex", "previous": "pregnant", "pairs": [["M", "Y"]]}])
        self.assertEqual(code, 0, text)
        self.assertIn("over 12 tuples", text)
        # Both men have the two rows that are not pregnant, so a woman has one of the others.
        self.assertIn("reached 4 over 12 tuples, 4 without the links that cannot be", text)

    def test_forced_links_are_ruled_out(self):
        claim = {"model": "xy-linkability", "text": "f", "x": ["sex"], "values": {"previous.pregnant": ["Y"]}, "h": "1/2", "holds": True, "reached": "1/2"}
        code, text = self.run_on(["sex,n", "M,1", "M,2", "F,3", "F,4"], [["pregnant,m", "N,1", "N,2", "Y,3", "Y,4"]], [claim], {},
                                 [{"current": "sex", "previous": "pregnant", "pairs": [["M", "Y"]]}])
        self.assertEqual(code, 1, text)
        self.assertIn("DOES NOT HOLD; reached 1/2 over 12 tuples, 1 without the links that cannot be", text)
        code, text = self.run_on(["sex,n", "M,1", "M,2", "M,3", "F,4"], [["pregnant,m", "N,1", "N,2", "Y,3", "Y,4"]], [{**claim, "reached": None}], {},
                                 [{"current": "sex", "previous": "pregnant", "pairs": [["M", "Y"]]}])
        self.assertIn("cannot be paired one to one", text)

    def test_forced_links_are_those_of_all_pairings(self):
        chance = random.Random(19)
        for _ in range(300):
            size = chance.randrange(1, 6)
            links = {a: {b for b in range(size) if chance.random() < 0.5} for a in range(size)}
            pairings = [each for each in itertools.permutations(range(size)) if all(b in links[a] for a, b in enumerate(each))]
            expected = {a: {b for b in links[a] if all(each[a] != b for each in pairings)} for a in links} if pairings else None
            one_each = {at: 1 for at in range(size)}
            self.assertEqual(verify_release.forced_links(one_each, dict(one_each), links), expected, links)

    def test_a_large_join_is_counted_or_not_judged(self):
        # 16,000,000 tuples of rows, of few different ones.
        claim = {"model": "xy-linkability", "text": "big", "x": ["n"], "values": {"previous.d": []}, "h": "1/2", "holds": True, "reached": "1/2"}
        text_of = {"a": {"match": "text"}}
        code, text = self.run_on(["a,n"] + ["1,x"] * 4000, [["a,d"] + ["1,p", "1,q"] * 2000], [claim], text_of)
        self.assertEqual(code, 0, text)
        self.assertIn("holds; reached 1/2 over 16000000 tuples", text)
        code, text = self.run_on(["a,n"] + ["1,x"] * 4000, [["a,d"] + ["1,p"] * 4000], [{**claim, "reached": "1"}], text_of)
        self.assertEqual(code, 1, text)
        different = [[f"a,{name}"] + [f"[{i},{i + 9}];{name}" for i in range(4000)] for name in "nd"]
        code, text = self.run_on([line.replace("[", '"[').replace("];", ']",') for line in different[0]], [[line.replace("a,", "a;") if line == "a,d" else line for line in different[1]]],
                                 [claim], {"a": {"match": "numeric"}})
        self.assertEqual(code, 1, text)
        self.assertIn("not judged here: 16000000 pairs", text)

    def test_previous_files_of_other_forms(self):
        spaced = [line.replace(",", ", ") for line in self.DISEASES]
        for lines, encoding in ((spaced, "utf-8"), (self.DISEASES, "utf-16"), (self.DISEASES, "utf-16-le"), (spaced, "utf-8-sig")):
            code, text = self.run_on(self.names(*("ANY",) * 5), [lines], [self.linkability("3/5")], self.JOBS, encoding=encoding)
            self.assertEqual(code, 0, text)
        claim = {**self.linkability("3/5"), "x": ["previously.job"]}
        code, text = self.run_on([line.replace("name", "previously.job") for line in self.names(*("ANY",) * 5)], [self.DISEASES], [claim], self.JOBS)
        self.assertEqual(code, 0, text)

    def test_two_columns_mean_what_the_manifest_says(self):
        age = {"age": {"match": "numeric"}}
        claim = {"model": "xy-anonymity", "text": "n", "x": ["n"], "y": "rows of previous", "k": 1, "holds": True, "reached": None}
        for said, tuples in (({"upper_end": "included"}, 3), ({"upper_end": "excluded"}, 2), ({"upper_end": "excluded", "closed": [["1", "37.0"]]}, 3)):
            code, text = self.run_on(["age_lo,age_hi,n", "1,37,a", "37,50,b"], [["age,s", "36,s1", "37,s2"]], [claim], age, ends=[{"name": "age", **said}])
            self.assertIn(f"over {tuples} tuples", text)
            code, text = self.run_on(["age,n", "36,a", "37,b"], [["age_lo,age_hi,s", "1,37,s1", "37,50,s2"]], [claim], age, before_ends=[{"name": "age", **said}])
            self.assertIn(f"over {tuples} tuples", text)
        code, text = self.run_on(["age,n", "36,a", "37,b"], [["age_lo,age_hi,s", "1,37,s1", "37,50,s2"]], [claim], age)
        self.assertEqual(code, 2)
        self.assertIn("does not say whether the end in 'age_hi' belongs", text)


def least_cost(supply, demand, distance):
    """The earth mover's distance from its definition: successive cheapest paths (Bellman-Ford) on whole units."""
    values = sorted(set(supply) | set(demand))
    total = 1
    for share in [*supply.values(), *demand.values()]:
        total *= share.denominator
    left = {v: int(supply.get(v, 0) * total) for v in values}
    need = {v: int(demand.get(v, 0) * total) for v in values}
    flow = Counter()
    while any(left.values()):
        cost = {("s", v): Fraction(0) for v in values if left[v]}
        before = {}
        for _ in range(2 * len(values)):
            for a in values:
                for b in values:
                    if ("s", a) in cost and cost[("s", a)] + distance(a, b) < cost.get(("d", b), 10**9):
                        cost[("d", b)], before[("d", b)] = cost[("s", a)] + distance(a, b), ("s", a)
                    if flow[a, b] and ("d", b) in cost and cost[("d", b)] - distance(a, b) < cost.get(("s", a), 10**9):
                        cost[("s", a)], before[("s", a)] = cost[("d", b)] - distance(a, b), ("d", b)
        at = min((("d", v) for v in values if need[v]), key=lambda node: cost[node])
        path = [at]
        while path[-1] in before and not (path[-1][0] == "s" and left[path[-1][1]] and cost[path[-1]] == 0):
            path.append(before[path[-1]])
        steps = list(zip(path[1:], path))
        amount = min(need[at[1]], left[path[-1][1]], *(flow[b[1], a[1]] for a, b in steps if a[0] == "d"))
        for a, b in steps:
            if a[0] == "s":
                flow[a[1], b[1]] += amount
            else:
                flow[b[1], a[1]] -= amount
        left[path[-1][1]] -= amount
        need[at[1]] -= amount
    return sum((Fraction(units) * distance(a, b) for (a, b), units in flow.items()), Fraction(0)) / total


class Distances(unittest.TestCase):
    ORDER = ["a", "b", "c", "d", "e"]
    PATHS = {"a": ["a", "x", "u", "*"], "b": ["b", "x", "u", "*"], "c": ["c", "c", "u", "*"], "d": ["d", "y", "y", "*"],
             "e": ["e", "y", "y", "*"]}

    def tree_distance(self, one, other):
        return Fraction(next(i for i, (p, q) in enumerate(zip(self.PATHS[one], self.PATHS[other])) if p == q), 3)

    def test_closed_forms_equal_the_cheapest_transport(self):
        chance = random.Random(7)
        ground = {"equal": lambda a, b: Fraction(int(a != b)),
                  "ordered": lambda a, b: Fraction(abs(self.ORDER.index(a) - self.ORDER.index(b)), 4),
                  "hierarchical": self.tree_distance}
        claim = {"order": self.ORDER, "paths": self.PATHS}
        for _ in range(60):
            whole = Counter(chance.choice(self.ORDER) for _ in range(6))
            group = Counter(chance.sample(list(whole.elements()), chance.choice([1, 2, 3, 6])))
            p, q = verify_release.shares(whole), verify_release.shares(group)
            for name, distance in ground.items():
                found = getattr(verify_release, name + "_distance")(q, p, claim)
                self.assertEqual(found, least_cost(q, p, distance), (name, whole, group))


if __name__ == "__main__":
    unittest.main()
