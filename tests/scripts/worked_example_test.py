#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The worked example of a page can be followed as it is printed: worked_example_test.py CORDON PAGE

Under "## Worked example" a block ```csv NAME or ```toml NAME is a file, and in a block ```console each line "$ command" is run by
bash in a folder with these files; what it prints is what stands below it.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CORDON, PAGE = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1))


class WorkedExample(unittest.TestCase):
    maxDiff = None

    def test_every_command_prints_what_stands_below_it(self):
        section = PAGE.read_text(encoding="utf-8").split("\n## Worked example\n")[1].split("\n## ")[0]
        blocks = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        environment = os.environ | {"PATH": f"{CORDON.parent}:{os.environ['PATH']}"}
        commands = 0
        with tempfile.TemporaryDirectory() as folder:
            for kind, name, text in blocks:
                if kind in ("csv", "toml"):
                    Path(folder, name).write_text(text, encoding="utf-8")
                for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:] if kind == "console" else []:
                    command, _, expected = step.partition("\n")
                    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
                    self.assertEqual(done.stdout + done.stderr, expected, command)
                    commands += 1
        self.assertGreater(commands, 0)


if __name__ == "__main__":
    unittest.main()
