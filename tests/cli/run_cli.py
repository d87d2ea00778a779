#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a .cli file and compares exit status, stdout and stderr.

    # what it shows
    $ cordon verify short.csv --policy k5.toml
    exit 1
    stdout
    k-anonymity(k=5): does not hold; reached 3 in the group of row 1 (1 failing group)
    stderr
    ...

A file that a command needs is written before it:

    file k5.toml
    [attributes.age]
    role = "quasi"
    end
    $ cordon policy check k5.toml

Commands run by bash in a fresh folder that holds a copy of tests/cli/files. A command behind `$$` runs only if
CORDON_TEST_ALL is set (make full). `exit 0` and empty streams are the defaults. A line "..." stands for any lines, "<...>" inside a line for any text. With --update the file is rewritten
to what was seen; read the diff.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ALL = "CORDON_TEST_ALL" in os.environ
TIMEOUT = 600  # seconds per command; the sanitizers are slow


def parse(path):
    """-> [(comments, prompt, command, expected)], expected = {"exit": int, "stdout": [lines], "stderr": [lines]}; files are among the comments"""
    cases, comments, section, in_file = [], [], None, False
    for line in open(path, encoding="utf-8").read().split("\n"):
        if in_file or re.match(r"file \S+$", line):
            if section is not None:
                comments, section = [], None
            in_file = line != "end"
            comments.append(line)
        elif line.startswith(("$ ", "$$ ")):
            prompt, command = line.split(" ", 1)
            cases.append((comments, prompt, command, {"exit": 0, "stdout": [], "stderr": []}))
            comments, section = [], None
        elif not cases or (section is None and (line.startswith("#") or not line.strip())):
            comments.append(line)
        elif line.startswith("#") and section is not None:
            comments, section = [line], None
        elif line in ("stdout", "stderr"):
            section = line
        elif section is None and line.startswith("exit "):
            cases[-1][3]["exit"] = int(line[5:])
        elif section is not None:
            cases[-1][3][section].append(line)
        else:
            sys.exit(f"{path}: cannot read the line: {line}")
    for *_, expected in cases:
        for name in ("stdout", "stderr"):
            while expected[name] and not expected[name][-1]:
                expected[name].pop()
    return cases


def matches(expected, seen):
    pattern = []
    for line in expected:
        if line == "...":
            pattern.append(r"(?:[^\n]*\n)*?")
        else:
            pattern.append(".*?".join(re.escape(part) for part in line.split("<...>")) + r"\n")
    text = "".join(line + "\n" for line in seen)
    return re.fullmatch("".join(pattern), text) is not None


def write_files(comments, folder):
    """The files among the comments of a case."""
    name, lines = None, []
    for line in comments:
        if name is None and re.match(r"file \S+$", line):
            name, lines = line[5:], []
        elif name is not None and line == "end":
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("".join(each + "\n" for each in lines))
            name = None
        elif name is not None:
            lines.append(line)


def run(command, folder, binary):
    environment = dict(os.environ, PATH=os.path.dirname(binary) + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, timeout=TIMEOUT,
                          stdin=subprocess.DEVNULL)
    lines = lambda data: data.decode("utf-8", "replace").rstrip("\n").split("\n") if data.rstrip(b"\n") else []
    return {"exit": done.returncode, "stdout": lines(done.stdout), "stderr": lines(done.stderr)}


def main():
    update = "--update" in sys.argv
    binary, path = [argument for argument in sys.argv[1:] if argument != "--update"]
    binary = os.path.abspath(binary)
    files = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")
    cases, failed, written = parse(path), 0, []
    if not cases:
        sys.exit(f"{path}: no command in it")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(files, folder, dirs_exist_ok=True)
        for comments, prompt, command, expected in cases:
            write_files(comments, folder)
            if prompt == "$$" and not (ALL or update):
                continue
            seen = run(command, folder, binary)
            good = seen["exit"] == expected["exit"] and all(matches(expected[s], seen[s]) for s in ("stdout", "stderr"))
            failed += not good
            if not good and not update:
                print(f"$ {command}")
                for name in ("exit", "stdout", "stderr"):
                    print(f"  expected {name}: {expected[name]}\n  seen     {name}: {seen[name]}")
            show = expected if good else seen
            while comments and not comments[0]:
                comments = comments[1:]
            written += comments + [f"{prompt} {command}"]
            if show["exit"]:
                written.append(f"exit {show['exit']}")
            for name in ("stdout", "stderr"):
                if show[name]:
                    written += [name] + show[name]
            written.append("")
    if update:
        while written and not written[-1]:
            written.pop()
        open(path, "w", encoding="utf-8").write("\n".join(written) + "\n")
        return 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
