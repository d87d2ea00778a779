#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A bar on stderr if that is a terminal, wiped before anything else is printed; nothing elsewhere: progress_test.py CORDON"""
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

cordon = os.path.abspath(sys.argv[1])


def on_terminal(arguments, folder, stdout=subprocess.DEVNULL, pause=0, **variables):
    """What a terminal on stderr is sent; stdout=None: and on stdout, as a person sees it. The program is stopped for `pause`
    seconds in the middle of a step."""
    leader, follower = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("TERM", "JPY_PARENT_PID")}
    process = subprocess.Popen([cordon] + arguments, cwd=folder, stdout=follower if stdout is None else stdout, stderr=follower,
                               env={**environment, "TERM": "xterm", **variables})
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
        if pause and re.search(rb"refine +\[[^]]*\] +[1-6]\d%", part):
            process.send_signal(signal.SIGSTOP)
            time.sleep(pause)
            process.send_signal(signal.SIGCONT)
            pause = 0
    os.close(leader)
    assert process.wait() == 0, seen
    return seen.decode()


with tempfile.TemporaryDirectory() as folder:
    run = lambda *arguments: subprocess.run([cordon, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    run("generate", "census", "--rows", "1000", "--output", ".")
    anonymize = ["anonymize", "census.csv", "--policy", "policy.toml", "--output", "out.csv", "--force"]
    quick = [*anonymize, "--effort", "low"]
    silent = run(*quick)
    files = "written: out.csv, out.csv.manifest.json, out.csv.codebook.json; private: out.csv.private.json\n"
    assert silent.stderr == files, silent.stderr
    quiet = run(*quick, "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", ""), quiet

    seen = on_terminal(quick, folder)
    drawn = [line for line in re.split(r"\r\x1b\[K", seen) if line]
    stages = [re.match(r"[\w. -]*[a-z]", line).group() for line in drawn]
    for stage in ("read", "refine", "verify", "write"):
        assert stage in stages, (stage, stages)
    assert any(re.fullmatch(r"refine +\[#* *\] +\d+%(  \d+ (s|min|h) left)?", line) for line in drawn), drawn
    assert seen.endswith("\r\x1b[K" + files.replace("\n", "\r\n")), repr(seen[-140:])

    # What a person sees after all: no part of the bar is left on a line with text.
    def shown(bytes_seen):
        return [re.split(r"\r\x1b\[K", line)[-1] for line in bytes_seen.replace("\r\n", "\n").split("\n")]
    both = shown(on_terminal(quick, folder, stdout=None))
    assert re.match(r"1000 rows", both[0]) and not any("[#" in line for line in both), both
    assert shown(on_terminal(["inspect", "census.csv"], folder, stdout=None))[0].startswith("1000 rows"), both

    # A notebook gives a terminal and keeps every byte; a dumb terminal cannot wipe. Rows on a terminal are not cut by a bar.
    for name, value in (("JPY_PARENT_PID", "1"), ("TERM", "dumb")):
        seen = on_terminal(quick, folder, **{name: value})
        assert "\x1b" not in seen and "\r" not in seen.replace("\r\n", "\n"), repr(seen)
    rows = on_terminal(["anonymize", "census.csv", "--policy", "policy.toml", "--effort", "low", "--output", "-", "--quiet"], folder, stdout=None)
    assert "\x1b" not in rows, repr(rows[:200])
    rows = on_terminal(["anonymize", "census.csv", "--policy", "policy.toml", "--effort", "low", "--output", "-"], folder, stdout=None)
    assert "\x1b" not in rows, repr(rows[:200])

    seen = on_terminal([*anonymize, "--effort", "high", "--seconds", "1"], folder)
    assert "1. mondrian" in seen and "2. partition" in seen, seen
    # A step that takes a while tells the time that is left, on a machine of any speed.
    run("generate", "census", "--rows", "200000", "--output", "large")
    seen = on_terminal(["anonymize", "large/census.csv", "--policy", "large/policy.toml", "--dry-run", "--threads", "1"], folder, pause=4)
    assert re.search(r"%  \d+ (s|min|h) left", seen), seen[-300:]
print("ok")
