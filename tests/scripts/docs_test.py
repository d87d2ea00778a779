#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages hold together: every link leads to a file and a heading that exist: docs_test.py ROOT"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/runs/*.md"), *ROOT.glob("integrations/**/*.md")])


def prose(page):
    """The lines of a page outside code blocks."""
    fenced = False
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield line


def anchor(heading):
    """What a link calls a heading, as GitHub forms it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def anchors(page):
    lines = list(prose(page))
    return {anchor(line.lstrip("#")) for line in lines if line.startswith("#")} | {name for line in lines for name in re.findall(r'<a id="([^"]+)">', line)}


class Docs(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        seen = 0
        for page in PAGES:
            text = "\n".join(prose(page))
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, heading = target.partition("#")
                with self.subTest(page=str(page.relative_to(ROOT)), link=target):
                    file = (page.parent / path).resolve() if path else page
                    self.assertTrue(file.exists(), "no such file")
                    if heading and file.suffix == ".md":
                        self.assertIn(heading, anchors(file))
                    seen += 1
        self.assertGreater(seen, 200)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
