#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A bar on stderr where that is a terminal, wiped at the end; nothing elsewhere: progress_test.py CORDON"""
import os
import pty
import re
import subprocess
import sys
import tempfile

cordon = os.path.abspath(sys.argv[1])


def on_terminal(arguments, folder):
    """What a terminal on stderr is sent."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([cordon] + arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=follower)
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(leader)
    assert process.wait() == 0, seen
    return seen.decode()


with tempfile.TemporaryDirectory() as folder:
    run = lambda *arguments: subprocess.run([cordon, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    run("generate", "census", "--rows", "4000", "--output", ".")
    anonymize = ["anonymize", "census.csv", "--policy", "policy.toml", "--output", "out.csv", "--force"]
    silent = run(*anonymize)
    assert silent.stderr == "", silent.stderr

    seen = on_terminal(anonymize, folder)
    drawn = [line for line in re.split(r"\r\x1b\[K", seen) if line]
    stages = [re.match(r"[\w. -]*[a-z]", line).group() for line in drawn]
    for stage in ("read", "refine", "verify", "write"):
        assert stage in stages, (stage, stages)
    assert any(re.fullmatch(r"refine +\[#* *\] +\d+%", line) for line in drawn), drawn
    assert seen.endswith("\r\x1b[K"), repr(seen[-40:])

    seen = on_terminal(anonymize + ["--effort", "high", "--seconds", "2"], folder)
    assert "1. mondrian" in seen and "2. partition" in seen, seen
print("ok")
