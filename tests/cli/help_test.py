#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual page and the completion scripts know every command and flag that --help shows.

    help_test.py CORDON
"""
import functools
import re
import shutil
import subprocess
import sys
import unittest

CORDON = sys.argv[1]


def run(*arguments, **more):
    return subprocess.run([CORDON, *arguments], capture_output=True, text=True, check=True, **more).stdout


@functools.cache
def help_of(*path):
    return run(*path, "--help")


def own_part(text):
    """Without what goes with every command, and the examples."""
    return text.split("\nWith every command:\n")[0].split("\nExamples:\n")[0]


def flags_of(*path):
    return set(re.findall(r"^  (?:-[a-z], |    )(--[a-z-]+)", own_part(help_of(*path)), re.MULTILINE))


def commands_of(*path):
    found = re.search(r"^Commands:\n((?:  .*\n)+)", help_of(*path), re.MULTILINE)
    return re.findall(r"^  ([a-z-]+) ", found.group(1), re.MULTILINE) if found else []


def examples_of(*path):
    return re.findall(r"^  (.*)$", help_of(*path).split("\nExamples:\n")[1], re.MULTILINE)


@functools.cache
def paths():
    found = [()]
    for command in commands_of():
        found += [(command,), *((command, below) for below in commands_of(command))]
    return found


def bash_completes(*words):
    script = 'eval "$(' + CORDON + ' completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cordon; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script, "bash", "cordon", *words], capture_output=True, text=True, check=True, cwd="/")
    return set(done.stdout.split("\n")) - {""}


class Help(unittest.TestCase):
    def test_there_are_commands(self):
        self.assertLessEqual({"anonymize", "verify", "inspect", "hierarchy", "policy"}, set(commands_of()))
        self.assertIn("--policy", flags_of("anonymize"))

    def test_help_has_groups_and_three_examples(self):
        for path in paths():
            with self.subTest(command=path):
                examples = examples_of(*path)
                self.assertEqual(len(examples), 3)
                self.assertTrue(all("cordon" in example for example in examples), examples)
                if len(flags_of(*path)) > 8:
                    groups = re.findall(r"^([A-Z][^:\n]*):$", own_part(help_of(*path)), re.MULTILINE)
                    self.assertGreaterEqual(len(groups), 3, groups)
                self.assertLessEqual(max(len(line) for line in help_of(*path).split("\nExamples:")[0].split("\n")), 100)

    def test_flags_of_examples_are_flags(self):
        short = {"-p": "--policy", "-o": "--output", "-q": "--quiet"}
        for path in paths():
            for example in examples_of(*path):
                words = example.split("cordon ", 1)[1].split(" | ")[0].split()
                command = tuple(word for word in words[:2] if re.fullmatch("[a-z-]+", word))
                while command and command not in paths():
                    command = command[:-1]
                for word in words:
                    if re.match("--?[a-z]", word):
                        self.assertIn(short.get(word, word), flags_of(*command) | flags_of(), example)

    def test_help_is_a_command(self):
        for path in ((), ("anonymize",), ("hierarchy", "build")):
            self.assertEqual(run("help", *path), help_of(*path))
        done = subprocess.run([CORDON, "help", "anonimize"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.split("hint: ")[1]), (2, "did you mean 'anonymize'?\n"))

    def test_bash_completes_values(self):
        self.assertEqual(bash_completes("anonymize", "--effort", ""), {"low", "normal", "high"})
        self.assertIn("mondrian", bash_completes("anonymize", "--algorithm", "m"))
        self.assertEqual(bash_completes("stream", "--algorithm", "ca"), {"castle"})
        self.assertEqual(bash_completes("check", "x.csv", "--quasi", "e"), set())
        self.assertEqual(bash_completes("generate", "pa"), {"patients"})
        self.assertEqual(bash_completes("completion", ""), {"bash", "zsh", "fish"})
        self.assertIn("etc", bash_completes("anonymize", "-p", "et"))
        self.assertEqual(bash_completes("--threads", ""), set())

    def test_the_manual_has_every_command_and_flag(self):
        page = run("manual").replace("\\-", "-")
        sections = dict(re.findall(r"^\.SS (.+)\n((?:(?!\.S[SH] ).*\n)*)", page, re.MULTILINE))
        for path in paths()[1:]:
            with self.subTest(command=path):
                section = sections[" ".join(path)]
                self.assertEqual(set(re.findall(r"^\.B (?:-[a-z], )?(--[a-z-]+)", section, re.MULTILINE)), flags_of(*path))
                for example in examples_of(*path):
                    self.assertIn(example.replace("\\", "\\e"), section)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww"], input=run("manual"), capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_bash_completes_commands_and_flags(self):
        everywhere = flags_of()
        for path in paths():
            with self.subTest(command=path):
                self.assertEqual(bash_completes(*path, "--"), flags_of(*path) | everywhere)
        self.assertEqual(bash_completes("an"), {"anonymize"})
        self.assertEqual(bash_completes("hierarchy", "b"), {"build"})
        self.assertEqual(bash_completes("--threads", "2", "anonymize", "x.csv", "--po"), {"--policy"})
        self.assertIn("etc", bash_completes("anonymize", "et"))

    def test_zsh_and_fish_name_every_flag(self):
        zsh, fish = run("completion", "zsh"), run("completion", "fish")
        for path in paths():
            line = next(line for line in zsh.split("\n") if line.startswith(f'    "{"".join(" " + word for word in path)}") compadd'))
            self.assertLessEqual(flags_of(*path), set(line.split()))
            for flag in flags_of(*path):
                self.assertIn(f" -l {flag[2:]} ", fish)
        for shell, check in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
            if shutil.which(shell):
                self.assertEqual(subprocess.run(check, input=run("completion", shell), capture_output=True, text=True).stderr, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
