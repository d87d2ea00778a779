#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stranger installs the library, builds the examples against it and runs them.

    install_test.py BUILD SOURCE COMPILER
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, SOURCE, COMPILER = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]

ALL = "CORDON_TEST_ALL" in os.environ
POLICY = """
[attributes.age]
role = "quasi"
type = "numeric"
[attributes.disease]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 2
[[privacy]]
model = "l-diversity"
sensitive = "disease"
l = 2
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", "library")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def build_examples(self, kind, *flags, target="all"):
        build = self.folder / kind
        run("cmake", "-S", SOURCE / "examples", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={COMPILER}", *flags)
        run("cmake", "--build", build, "--target", target)
        return build

    def run_examples(self, build):
        lines = run(build / "anonymize_in_memory").splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual({line.split()[0] for line in lines}, {"[23,25]", "[41,44]"})
        self.assertEqual(run(build / "arrow"), "2 columns, 4 rows\n")
        rows = run(build / "stream").splitlines()  # of 20; fewer than k at the end are suppressed
        self.assertTrue(18 <= len(rows) <= 20, rows)
        self.assertEqual(run(build / "next_release", tempfile.mkdtemp(dir=self.folder)),
                         "2 releases, as they were published; 4 people attacked\n")
        self.run_files(build)

    def run_files(self, build):
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        (folder / "in.csv").write_text("age,disease\n23,flu\n25,cold\n41,flu\n44,cold\n")
        (folder / "policy.toml").write_text(POLICY)
        self.assertIn("k-anonymity(k=2): holds", run(build / "files", "in.csv", "policy.toml", "out.csv", cwd=folder))
        self.assertEqual(sorted(os.listdir(folder)),
                         ["in.csv", "out.csv", "out.csv.codebook.json", "out.csv.manifest.json", "out.csv.private.json", "policy.toml"])

    def test_shared(self):
        self.run_examples(self.build_examples("shared"))

    def test_static(self):
        if ALL:
            self.run_examples(self.build_examples("static", "-DCORDON_EXAMPLES_STATIC=ON"))
        else:  # the other sources are compiled for the shared library
            self.run_files(self.build_examples("static", "-DCORDON_EXAMPLES_STATIC=ON", target="files"))

    def test_every_header_stands_alone(self):
        for header in sorted((self.prefix / "include" / "cordon").iterdir())[::1 if ALL else 3]:  # to compile one takes a second
            source = self.folder / "alone.cpp"
            source.write_text(f"#include <cordon/{header.name}>\n")
            run(COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{self.prefix / 'include'}", source)

    def test_only_the_public_names_are_shown(self):
        library = next(self.prefix.rglob("libcordon.so"))
        shown = run("nm", "-D", "--defined-only", "-C", library)
        engine = [line for line in shown.splitlines() if " cordon::engine::" in line and re.search(r" [TD] ", line)]
        self.assertEqual(engine, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
