#!/usr/bin/env bash
# scripts/nightly.sh FOLDER PART...   runs `make PART` for each part, and goes on if one fails
# FOLDER gets PART.log of each and summary.md: a table with the commit, the outcome and the seconds of each. A part that has
# passed on this commit is not run again, so a run that was interrupted goes on. Ends with 1 if a part failed.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift
mkdir -p "$folder"
summary=$folder/summary.md
commit=$(git rev-parse --short=8 HEAD)
changed=$(git status --porcelain)
[ -z "$changed" ] || commit="$commit and changes"
[ -s "$summary" ] || printf '| part | commit | outcome | seconds |\n|---|---|---|---|\n' >"$summary"

failed=0
for part in "$@"; do
  [ -z "$changed" ] && grep -q "^| $part | $commit | passed" "$summary" && continue
  started=$SECONDS
  if make --no-print-directory "$part" >"$folder/$part.log" 2>&1; then
    outcome=passed
  else
    outcome=failed
    failed=1
  fi
  echo "| $part | $commit | $outcome | $((SECONDS - started)) |" | tee -a "$summary"
done
exit $failed
