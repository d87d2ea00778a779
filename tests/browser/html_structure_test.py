#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What can be said of the HTML report without a browser: html_structure_test.py CORDON"""
import os
import re
import stat
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pages  # noqa: E402

CORDON = os.path.abspath(sys.argv.pop(1))
VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """Notes tags, attributes and text, and whatever is not well-formed."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.tags, self.attributes, self.text = [], [], [], [], ""
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        if "style" not in self.open and "title" not in self.open[-1:]:
            self.text += data + " "


class Structure(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = Path(cls.folder.name)
        cls.made = [pages.patients(CORDON, folder), pages.failing(CORDON, folder), pages.hostile(CORDON, folder)]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def each(self):
        for path, report in self.made:
            with self.subTest(page=path.name):
                text = path.read_text(encoding="utf-8")
                yield path, text, Page(text), report

    def test_pages_are_well_formed(self):
        for _, text, page, _ in self.each():
            self.assertTrue(text.startswith("<!DOCTYPE html>\n"))
            self.assertEqual(page.faults, [])
            self.assertEqual(page.tags.count("h1"), 1)
            self.assertIn(("html", "lang", "en"), page.attributes)

    def test_nothing_outside_is_named(self):
        for _, text, page, _ in self.each():
            self.assertNotRegex(text, r"(?i)https?:|ftp:|@import|url\s*\(|data:")
            self.assertEqual([name for _, name, _ in page.attributes if name in ("src", "href", "srcset", "action", "xlink:href")], [])
            self.assertFalse({"script", "link", "img", "iframe", "object", "embed", "base", "form"} & set(page.tags))
            self.assertEqual([name for _, name, _ in page.attributes if name.startswith("on")], [])

    def test_every_number_of_privacy_and_utility_stands_in_the_text(self):
        for _, _, page, report in self.each():
            self.assertGreater(len(pages.numbers(report)), 5)
            self.assertEqual(pages.missing(report, page.text), [])

    def test_statistics_stand_before_and_after(self):
        path, report = self.made[0]
        page = Page(path.read_text(encoding="utf-8"))
        self.assertTrue(report["statistics"]["correlations"])
        for pair in report["statistics"]["correlations"]:
            self.assertRegex(page.text, rf'correlation of {pair["columns"][0]} and {pair["columns"][1]}\s+{pair["original"]:.4f}\s+{pair["release"]:.4f}')

    def test_the_policy_stands_in_words(self):
        for path, _, page, _ in self.each():
            self.assertIn("The policy", page.text)
        page = Page(self.made[0][0].read_text(encoding="utf-8"))
        self.assertIn("finds at least 5 people who look alike", page.text)
        self.assertIn("at least 3 different values of disease", page.text)
        self.assertRegex(page.text, r"name\s+identifier\s+left out")
        self.assertRegex(page.text, r"patient_id\s+person\s+left out")
        self.assertRegex(page.text, r"disease\s+sensitive\s+published; guarded by l-diversity")
        self.assertRegex(page.text, r"rows in groups below k = 5\s+0")
        self.assertRegex(page.text, r"also knows the columns that are published as they are \(disease\)")

    def test_verdicts_come_first_and_the_page_says_whose_it_is(self):
        for path, _, page, _ in self.each():
            headline = page.text.index("hold")
            self.assertLess(headline, page.text.index("What was done"))
            self.assertIn("do not publish this page", page.text)
            if path.name != "failing.html":
                self.assertIn("requirements hold", page.text)
            else:
                self.assertIn("2 of 2 requirements do not hold", page.text)
                self.assertIn("does not hold", page.text)

    def test_only_the_owner_can_read_it(self):
        for path, *_ in self.each():
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)

    def test_charts_speak(self):
        for _, text, page, _ in self.each():
            charts = page.tags.count("svg")
            self.assertGreaterEqual(charts, 5)
            named = [value for tag, name, value in page.attributes if tag == "svg" and name == "aria-label"]
            self.assertEqual(len(named), charts)
            self.assertTrue(all(named))
            self.assertNotRegex(text, r'="(-?nan|-?inf)')

    def test_the_page_of_attacks(self):
        path, found = pages.attacked(CORDON, Path(self.folder.name))
        text = path.read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual(page.faults, [])
        self.assertEqual(page.tags.count("h1"), 1)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertNotRegex(text, r"(?i)https?:|@import|url\s*\(|data:|<script")
        self.assertIn("do not publish this page", page.text)
        self.assertNotRegex(page.text, r"(?i)\bis safe\b(?<!that a release is safe)")
        self.assertIn(pages.HOSTILE, page.text)  # the name of a column, as text
        self.assertNotIn("a&b", page.text)  # a cell
        self.assertGreater(len(found["attacks"]), 12)
        for figure in found["attacks"]:
            self.assertIn(f'{figure["guesses"]} of {figure["targets"]} {figure["counts"]}', page.text)
        for left in found["left_out"]:
            self.assertIn(left["why"], page.text)
        charts = [value for tag, name, value in page.attributes if tag == "svg" and name == "aria-label"]
        self.assertEqual(len(charts), len({figure["attack"] for figure in found["attacks"]}))

    def test_rare_values_are_not_shown(self):
        path, _ = self.made[0]
        page = path.read_text()
        lines = (Path(self.folder.name) / "demo/patients.csv").read_text().strip().split("\n")
        names = lines[0].split(",")
        for column in ("name", "zip"):
            values = [line.split(",")[names.index(column)] for line in lines[1:]]
            rare = {value for value in values if len(value) > 3 and values.count(value) < 10}
            for value in sorted(rare)[:200]:
                self.assertNotRegex(page, rf"[>\s]{re.escape(value)}[<\s]")


if __name__ == "__main__":
    unittest.main()
