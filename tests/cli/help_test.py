#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual page and the completion scripts know every command and flag that --help shows.

    help_test.py CORDON
"""
import re
import shutil
import subprocess
import sys
import unittest

CORDON = sys.argv[1]


def run(*arguments, **more):
    return subprocess.run([CORDON, *arguments], capture_output=True, text=True, check=True, **more).stdout


def flags_of(*path):
    return set(re.findall(r"^  (?:-h,)?(--[a-z-]+)", run(*path, "--help"), re.MULTILINE))


def commands_of(*path):
    found = re.search(r"^Subcommands:\n((?:  .*\n)+)", run(*path, "--help"), re.MULTILINE)
    return re.findall(r"^  ([a-z-]+) ", found.group(1), re.MULTILINE) if found else []


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

    def test_the_manual_has_every_command_and_flag(self):
        page = run("manual").replace("\\-", "-")
        sections = dict(re.findall(r"^\.SS (.+)\n((?:(?!\.S[SH] ).*\n)*)", page, re.MULTILINE))
        for path in paths()[1:]:
            with self.subTest(command=path):
                section = sections[" ".join(path)]
                self.assertEqual(set(re.findall(r"^\.B (--[a-z-]+)", section, re.MULTILINE)), flags_of(*path))
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
