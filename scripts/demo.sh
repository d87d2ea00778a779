#!/usr/bin/env bash
# The first five minutes: makes a table of invented patients, anonymizes it by its policy, and checks the result again.
#   scripts/demo.sh CORDON FOLDER
set -euo pipefail
cordon=$1
folder=$2
step() { printf '\n$ %s\n' "$*"; "$@"; }

rm -rf "$folder"
step "$cordon" generate patients --output "$folder"
step head -n 4 "$folder/patients.csv"
step "$cordon" anonymize "$folder/patients.csv" --policy "$folder/policy.toml" --output "$folder/release.csv" --report "$folder/report.json" --html "$folder/report.html" --queries 10000
step head -n 4 "$folder/release.csv"
step "$cordon" verify "$folder/release.csv" --policy "$folder/policy.toml"
if command -v python3 >/dev/null; then  # a second program, which shares no code with the first
  step python3 "$(dirname "$0")/verify_release.py" "$folder/release.csv"
fi
printf '\nThe release, its manifest and the report are in %s; open %s/report.html in a browser\n' "$folder" "$folder"
