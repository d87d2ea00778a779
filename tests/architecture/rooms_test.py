#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house rules that a compiler does not check: which room may include and link which, and how a file begins."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "cordon"

# What a room may use besides itself; docs/architecture.md draws it. A new room is a new line here.
ALLOWED = {
    "base": set(),
    "data": {"base"},
    "models": {"base", "data"},
    "metrics": {"base", "data"},
    "query": {"base", "data"},
    "io": {"base", "data"},
    "synthetic": {"base", "data"},
    "algorithms": {"base", "data", "models", "metrics"},
    "stream": {"base", "data", "models", "io", "algorithms"},
    "publish": {"base", "data", "models", "metrics", "query", "io", "synthetic", "algorithms", "stream"},
    "cli": {"base", "data", "models", "metrics", "query", "io", "synthetic", "stream", "publish"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]cordon/([^/">]+)/([^">]+)[">]', re.MULTILINE)
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
LINKS = re.compile(r"\bcordon_(\w+)\b")
CODE = {".h", ".cpp"}
SPDX = "SPDX-License-Identifier: Apache-2.0"


def code_files(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in CODE)


def wrong_includes(room, text):
    return [f"cordon/{other}/{file}" for other, file in INCLUDE.findall(text) if other != room and other not in ALLOWED[room]]


class Rooms(unittest.TestCase):
    def test_every_room_is_known(self):
        rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and code_files(path)}
        self.assertLessEqual({"base", "data", "synthetic"}, rooms)
        self.assertLessEqual(rooms, set(ALLOWED))

    def test_the_arrows_point_down_only(self):
        rooms = list(ALLOWED)  # from the ground up
        for room, below in ALLOWED.items():
            for other in below:
                self.assertLess(rooms.index(other), rooms.index(room), f"{room} -> {other}")

    def test_a_room_includes_only_rooms_below_it(self):
        for room in ALLOWED:
            for path in code_files(SOURCE / room):
                with self.subTest(file=str(path.relative_to(ROOT))):
                    self.assertEqual(wrong_includes(room, path.read_text()), [])

    def test_a_wrong_arrow_is_noticed(self):
        text = '#include "cordon/base/result.h"\n#include "cordon/publish/policy.h"\n#include <cordon/models/verifier.h>\n'
        self.assertEqual(wrong_includes("data", text), ["cordon/publish/policy.h", "cordon/models/verifier.h"])
        self.assertEqual(wrong_includes("cli", '#include "cordon/algorithms/mondrian.h"'), ["cordon/algorithms/mondrian.h"])
        self.assertEqual(wrong_includes("publish", text), [])

    def test_includes_are_by_full_path(self):
        for path in code_files(SOURCE):
            for name in OWN_INCLUDE.findall(path.read_text()):
                with self.subTest(file=str(path.relative_to(ROOT)), include=name):
                    self.assertTrue(name.startswith("cordon/"), "include by full path")

    def test_a_room_links_only_rooms_below_it(self):
        for room, below in ALLOWED.items():
            path = SOURCE / room / "CMakeLists.txt"
            if not path.exists():
                continue
            with self.subTest(room=room):
                linked = set(LINKS.findall(path.read_text())) & set(ALLOWED)
                self.assertLessEqual(linked - {room}, below)

    def test_the_verifier_shares_nothing_with_the_search(self):
        search = "group_model group_counts emd t_closeness l_diversity beta_likeness k_anonymity ke_anonymity confidence".split()
        judging = [path for name in ("verif*", "tally*", "truth*", "measure*") for path in (SOURCE / "models").glob(name)]
        self.assertGreater(len(judging), 8)
        for path in judging:
            with self.subTest(file=path.name):
                self.assertNotRegex(path.read_text(), r'#include "cordon/models/(%s)\.h"' % "|".join(search))

    def test_files_carry_the_licence_line_first(self):
        for folder in [SOURCE, ROOT / "tests", ROOT / "bench", ROOT / "fuzz"]:
            for path in code_files(folder):
                with self.subTest(file=str(path.relative_to(ROOT))):
                    self.assertEqual(path.read_text().split("\n", 1)[0], f"// {SPDX}")
        for path in sorted([*ROOT.glob("scripts/*.py"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("bench/**/*.py")]):
            with self.subTest(file=str(path.relative_to(ROOT))):
                self.assertIn(f"# {SPDX}", path.read_text().split("\n")[:2])

    def test_headers_are_guarded(self):
        for path in code_files(SOURCE):
            if path.suffix == ".h":
                with self.subTest(file=str(path.relative_to(ROOT))):
                    self.assertIn("\n#pragma once\n", path.read_text())


if __name__ == "__main__":
    unittest.main()
