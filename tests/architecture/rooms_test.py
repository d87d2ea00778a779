#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house rules that a compiler does not check: which room may include and link which, and how a file begins."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "cordon"
PUBLIC = ROOT / "include" / "cordon"

# What a room may use in addition to itself; docs/architecture.md draws it. From the ground up: a room comes after all that it uses.
# A sub-room has its own line; naming a room allows all of its sub-rooms. "include" is include/cordon, the public headers.
ALLOWED = {
    "include": set(),
    "base": {"include"},
    "data": {"base"},
    "crypto": {"base"},
    "models/spec": {"base"},
    "models/admit": {"base", "data", "models/spec"},
    "models/verify": {"base", "data", "models/spec"},
    "query": {"base", "data"},
    "metrics": {"base", "data"},
    "metrics/bound": {"base", "data", "metrics"},
    "io/files": {"base"},
    "io/text": {"base", "data", "io/files"},
    "io/arrow": {"include", "base", "data", "io/text"},
    "io/duckdb": {"base", "data", "io/files", "io/text"},
    "io/spill": {"base", "data"},
    "io/parquet": {"base", "data", "io/files", "io/text", "io/duckdb", "io/spill"},
    "io/foreign": {"base", "data", "io/files", "io/text"},
    "io": {"base", "data", "io/files", "io/text", "io/duckdb", "io/spill", "io/parquet", "io/foreign"},
    "synthetic": {"base", "data"},
    # No search includes what will judge it: models/verify is in none of these lines.
    "algorithms/grouping": {"base", "data", "models/admit"},
    "algorithms/full_domain": {"base", "data", "models/spec", "models/admit"},
    "algorithms/mondrian": {"base", "data", "models/admit", "algorithms/grouping"},
    "algorithms/partition": {"base", "data", "models/admit", "algorithms/grouping", "algorithms/full_domain"},
    "algorithms/closeness": {"base", "data", "models/admit", "algorithms/grouping", "algorithms/mondrian",
                             "algorithms/partition"},
    "algorithms/buckets": {"base", "data", "models/spec", "models/admit", "algorithms/grouping"},
    "algorithms/top_down": {"base", "data", "models/admit", "algorithms/grouping"},
    "algorithms/tdssa": {"base", "data", "models/spec", "algorithms/top_down"},
    "algorithms/suppression": {"base", "data", "models/admit", "algorithms/grouping", "algorithms/partition"},
    "algorithms/ke": {"base", "data", "models/spec"},
    "algorithms/engine": {"base", "data", "models/spec"},
    "algorithms/castle": {"base", "data", "models/spec", "algorithms/engine"},
    "algorithms/stream_rtree": {"base", "data", "models/spec", "algorithms/engine"},
    "algorithms/sabre_w": {"base", "data", "models/spec", "models/admit", "algorithms/engine", "algorithms/grouping",
                           "algorithms/buckets", "algorithms/closeness", "algorithms/full_domain", "algorithms/mondrian"},
    "party": {"base", "crypto", "io/files", "algorithms/top_down"},
    "stream": {"base", "data", "models/verify", "io", "algorithms/engine"},
    "policy": {"base", "data", "models/spec", "query", "metrics", "io", "algorithms"},
    "bind": {"base", "data", "io", "stream", "policy"},
    "attack": {"base", "data", "models/spec", "models/admit", "metrics"},
    "report": {"base", "data", "attack", "crypto", "models/spec", "models/verify", "metrics", "io", "algorithms/engine", "stream", "policy"},
    "registry": {"base", "data", "models/verify", "io/files", "policy", "report"},
    "inspect": {"base", "data", "metrics", "io", "policy", "bind"},
    "permute": {"base", "data", "models/verify", "query", "algorithms/ke", "policy", "bind"},
    "plan": {"base", "data", "models", "metrics", "io", "algorithms", "policy", "bind", "report", "permute"},
    "joint": {"base", "data", "crypto", "models/admit", "models/verify", "io", "algorithms/top_down", "party", "policy", "bind", "report",
              "plan"},
    "store": {"base", "data", "models/spec", "models/verify", "query", "io", "algorithms/ke", "policy", "bind", "report",
              "registry", "permute", "plan"},
    "publish/stream": {"base", "data", "models/verify", "io", "stream", "policy", "bind", "report", "registry", "plan"},
    "publish/large": {"base", "data", "models/spec", "models/admit", "models/verify", "metrics", "io", "policy", "bind", "plan"},
    "publish": {"base", "data", "models/admit", "models/verify", "metrics", "io", "algorithms/grouping", "stream", "policy",
                "bind", "attack", "report", "registry", "plan", "store", "publish/stream", "publish/large"},
    "api": {"include", "base", "data", "models/verify", "io", "policy", "bind", "report", "inspect", "store", "publish", "registry"},
    "cli": {"base", "data", "io", "synthetic", "policy", "bind", "report", "registry", "inspect", "joint", "store", "publish"},
    "python": {"include", "cli"},
}
TARGETS = {"commands": "cli"}  # the library of the room, if the target of its name is the program
MOST_FILES = 45  # in one folder

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]cordon/([^">]+)[">]', re.MULTILINE)
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
LINKS = re.compile(r"\bcordon_(\w+)\b")
CODE = {".h", ".cpp"}
SPDX = "SPDX-License-Identifier: Apache-2.0"


def code_files(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in CODE)


def room_of(file):
    """The room or sub-room of "io/text/source.h"."""
    return file.rpartition("/")[0] or "include"


def top(room):
    return room.partition("/")[0]


def may_include(room, other):
    return other == room or other in ALLOWED[room] or (top(other) != top(room) and top(other) in ALLOWED[room])


def wrong_includes(room, text):
    return [f"cordon/{file}" for file in INCLUDE.findall(text) if not may_include(room, room_of(file))]


def includes_of(room):
    """The other rooms and sub-rooms that the files of a room include."""
    files = [path for path in (PUBLIC if room == "include" else SOURCE / room).iterdir() if path.suffix in CODE]
    return {room_of(file) for path in files for file in INCLUDE.findall(path.read_text())} - {room}


def stem_of(file):
    return re.sub(r"(_internal)?\.(h|cpp)$", "", file)


def include_graph(files):
    """Which stems a stem includes; `files`: name -> text."""
    graph = {}
    for name, text in files.items():
        stem = stem_of(name)
        graph.setdefault(stem, set()).update(stem_of(other) for other in INCLUDE.findall(text) if stem_of(other) != stem)
    return graph


def cycle_in(graph):
    """Some cycle, as a list of stems; empty if there is none."""
    done, path = set(), []

    def walk(stem):
        if stem in path:
            return path[path.index(stem):]
        if stem in done:
            return []
        path.append(stem)
        for other in sorted(graph.get(stem, ())):
            found = walk(other)
            if found:
                return found
        path.pop()
        done.add(stem)
        return []

    for stem in sorted(graph):
        found = walk(stem)
        if found:
            return found
    return []


class Rooms(unittest.TestCase):
    def test_every_room_is_known(self):
        rooms = {room_of(str(path.relative_to(SOURCE))) for path in code_files(SOURCE)}
        self.assertEqual(rooms, set(ALLOWED) - {"include"})

    def test_a_folder_holds_one_idea(self):
        for folder in [SOURCE, *SOURCE.rglob("*/")]:
            with self.subTest(folder=str(folder.relative_to(ROOT))):
                self.assertLessEqual(sum(path.is_file() for path in folder.iterdir()), MOST_FILES)

    def test_the_tests_stand_in_the_same_rooms(self):
        for path in sorted((ROOT / "tests").rglob("*_test.cpp")):
            with self.subTest(file=str(path.relative_to(ROOT))):
                room = path.parent.relative_to(ROOT / "tests")
                self.assertTrue((SOURCE / room).is_dir(), f"src/cordon/{room} does not exist")

    def test_the_arrows_point_down_only(self):
        rooms = list(ALLOWED)  # from the ground up
        for room, below in ALLOWED.items():
            for other in below:
                for each in [name for name in rooms if name != room and (name == other or top(name) == other)]:
                    self.assertLess(rooms.index(each), rooms.index(room), f"{room} -> {each}")

    def test_a_room_includes_only_rooms_below_it(self):
        for path in code_files(SOURCE):
            with self.subTest(file=str(path.relative_to(ROOT))):
                self.assertEqual(wrong_includes(room_of(str(path.relative_to(SOURCE))), path.read_text()), [])

    def test_a_wrong_arrow_is_noticed(self):
        text = '#include "cordon/base/result.h"\n#include "cordon/policy/policy.h"\n#include <cordon/models/verify/verifier.h>\n'
        self.assertEqual(wrong_includes("data", text), ["cordon/policy/policy.h", "cordon/models/verify/verifier.h"])
        self.assertEqual(wrong_includes("publish", text), [])
        self.assertEqual(wrong_includes("algorithms/ke", text), ["cordon/policy/policy.h", "cordon/models/verify/verifier.h"])
        inside = '#include "cordon/models/admit/emd.h"\n#include "cordon/models/spec/model_spec.h"\n'
        self.assertEqual(wrong_includes("models/verify", inside), ["cordon/models/admit/emd.h"])
        self.assertEqual(wrong_includes("plan", inside), [])
        self.assertEqual(wrong_includes("io/text", '#include "cordon/io/open_source.h"'), ["cordon/io/open_source.h"])
        self.assertEqual(wrong_includes("io/text", '#include "cordon/io/duckdb/duckdb.h"'), ["cordon/io/duckdb/duckdb.h"])

    def test_public_headers_include_each_other_and_the_standard_library(self):
        own = {path.name for path in PUBLIC.iterdir()}
        for path in sorted(PUBLIC.iterdir()):
            for name in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', path.read_text(), re.MULTILINE):
                with self.subTest(file=path.name, include=name):
                    self.assertTrue(name.removeprefix("cordon/") in own or re.fullmatch(r"[a-z_0-9]+", name))

    def test_no_files_include_each_other_in_a_circle(self):
        files = {str(path.relative_to(SOURCE)): path.read_text() for path in code_files(SOURCE)}
        self.assertEqual(cycle_in(include_graph(files)), [])

    def test_a_circle_is_noticed(self):
        files = {
            "plan/a.h": '#include "cordon/base/x.h"\n',
            "plan/a.cpp": '#include "cordon/plan/a.h"\n#include "cordon/plan/b.h"\n',
            "plan/b_internal.h": '#include "cordon/plan/c.h"\n',
            "plan/c.h": '#include "cordon/plan/a.h"\n',
        }
        self.assertEqual(cycle_in(include_graph(files)), ["plan/a", "plan/b", "plan/c"])
        del files["plan/c.h"]
        self.assertEqual(cycle_in(include_graph(files)), [])

    def test_includes_are_by_full_path(self):
        for path in code_files(SOURCE):
            for name in OWN_INCLUDE.findall(path.read_text()):
                with self.subTest(file=str(path.relative_to(ROOT)), include=name):
                    self.assertTrue(name.startswith("cordon/"), "include by full path")

    def test_no_arrow_is_without_use(self):
        for room, allowed in ALLOWED.items():
            used = includes_of(room)
            with self.subTest(room=room):
                self.assertEqual([other for other in sorted(allowed) if other not in used | {top(each) for each in used}], [])

    def test_a_room_links_what_it_includes(self):
        for path in sorted(SOURCE.glob("*/CMakeLists.txt")):
            room = path.parent.name
            used = {top(other) for each in ALLOWED if top(each) == room for other in includes_of(each)} - {room}
            used = (used | {"api"} if room == "python" else used) - {"include"}  # a door that goes through the public headers
            with self.subTest(room=room):
                linked = {TARGETS.get(name, name) for name in LINKS.findall(path.read_text())}
                linked = linked & {top(each) for each in ALLOWED} - {room}
                self.assertEqual(linked | {"base", "data"}, used | {"base", "data"})  # these two come with the others

    def test_the_verifier_shares_nothing_with_the_search(self):
        admit, verify = code_files(SOURCE / "models" / "admit"), code_files(SOURCE / "models" / "verify")
        self.assertGreater(min(len(admit), len(verify)), 8)
        for path in verify:
            with self.subTest(file=path.name):
                self.assertNotIn('"cordon/models/admit/', path.read_text())
        for path in [*admit, *code_files(SOURCE / "algorithms")]:
            with self.subTest(file=path.name):
                self.assertNotIn('"cordon/models/verify/', path.read_text())

    def test_files_carry_the_licence_line_first(self):
        for folder in [SOURCE, PUBLIC, ROOT / "examples", ROOT / "tests", ROOT / "bench", ROOT / "fuzz"]:
            for path in code_files(folder):
                with self.subTest(file=str(path.relative_to(ROOT))):
                    self.assertEqual(path.read_text().split("\n", 1)[0], f"// {SPDX}")
        for path in sorted(path for folder in ("scripts", "tests", "bench", "python") for path in ROOT.glob(f"{folder}/**/*.py")):
            with self.subTest(file=str(path.relative_to(ROOT))):
                self.assertIn(f"# {SPDX}", path.read_text().split("\n")[:2])

    def test_headers_are_guarded(self):
        for path in code_files(SOURCE):
            if path.suffix == ".h":
                with self.subTest(file=str(path.relative_to(ROOT))):
                    self.assertIn("\n#pragma once\n", path.read_text())


if __name__ == "__main__":
    unittest.main()
