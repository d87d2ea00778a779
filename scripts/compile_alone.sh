#!/usr/bin/env bash
# Compiles every file of a build folder alone, without making code: shows missing includes and all warnings of the front end as
# errors. Half of the time of a build.
#   scripts/compile_alone.sh BUILD JOBS
set -euo pipefail
python3 - "$1/compile_commands.json" <<'PYTHON' | xargs -0 -n 1 -P "$2" bash -c
import json, re, sys
for entry in json.load(open(sys.argv[1], encoding="utf-8")):
    command = re.sub(r" -o \S+ -c ", " -fsyntax-only ", entry["command"])
    print(f"cd '{entry['directory']}' && {command}", end="\0")
PYTHON
echo "all files compile alone"
