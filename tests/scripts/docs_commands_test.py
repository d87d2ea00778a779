#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands in the pages are commands of this program: docs_commands_test.py CORDON ROOT [--parquet]

Every command and flag that a code block shows is one that the program knows. The commands of the README run as printed, in the
order of the page; those that need Parquet only with --parquet.
"""
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CORDON = str(pathlib.Path(sys.argv[1]).resolve())
ROOT = pathlib.Path(sys.argv[2]).resolve()
PARQUET = "--parquet" in sys.argv
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("integrations/**/*.md")])


def code_blocks(page):
    """The indented and the fenced blocks of a page, each a list of its lines."""
    blocks, block, fenced = [], [], False
    for line in page.read_text().splitlines() + [""]:
        inside = fenced or line.startswith("    ")
        if line.startswith("```"):
            fenced, inside = not fenced, False
        if inside:
            block.append(line.strip())
        elif block:
            blocks.append(block)
            block = []
    return blocks


def commands(block):
    """The calls of cordon in a block, with lines that continue joined and the rest of a pipe left out."""
    for line in "\n".join(block).replace("\\\n", " ").split("\n"):
        for call in re.split(r"&&|\|(?![a-z-])|;(?!')", line.split(" # ")[0]):
            words = call.replace("$ ", "", 1).split()
            if words[:1] == ["cordon"] and len(words) > 1:
                yield words[1:]


@functools.cache
def help_of(*path):
    done = subprocess.run([CORDON, *path, "--help"], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


class Commands(unittest.TestCase):
    def test_every_flag_that_a_page_shows_exists(self):
        seen = 0
        for page in PAGES:
            for words in [each for block in code_blocks(page) for each in commands(block)]:
                with self.subTest(page=str(page.relative_to(ROOT)), command=" ".join(words)):
                    if not re.fullmatch(r"[a-z-]+", words[0]):
                        continue  # a list such as hierarchy build|check, or COMMAND
                    text = help_of(words[0])
                    self.assertIsNotNone(text, "no such command")
                    if re.search(r"^Commands:$", text, re.MULTILINE) and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
                        text = help_of(*words[:2])
                        self.assertIsNotNone(text, "no such command")
                    flags = re.findall(r"(?<![\w-])--[a-z][a-z-]*", " ".join(words))
                    for flag in flags:
                        self.assertRegex(text, rf"{re.escape(flag)}(?![\w-])")
                    seen += len(flags)
        self.assertGreater(seen, 200)

    def test_the_commands_of_the_readme_run_as_printed(self):
        tried = [block for block in code_blocks(ROOT / "README.md") if any(line.startswith("cordon ") and "[" not in line for line in block)]
        self.assertEqual(len(tried), 4)
        short, minutes, with_policy, check = tried
        self.run_lines(minutes)
        self.run_lines(["cordon generate patients --output patients.csv", *short])
        self.run_lines(["cordon generate patients --output demo", *with_policy, *check])

    def run_lines(self, lines):
        with tempfile.TemporaryDirectory() as folder:
            bin_folder = pathlib.Path(folder, "bin")
            bin_folder.mkdir()
            (bin_folder / "cordon").symlink_to(CORDON)
            pathlib.Path(folder, "scripts").symlink_to(ROOT / "scripts")
            environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
            for line in lines:
                if ".parquet" in line and not PARQUET:
                    continue
                with self.subTest(command=line):
                    done = subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
