# SPDX-License-Identifier: Apache-2.0
"""Prints what a report says was tried: tried.py R.json; figures are checked, not shown."""
import json
import sys

report = json.load(open(sys.argv[1]))
made = [each for each in report["tried"] if "objective" in each]
kept = [each for each in made if each.get("kept")]
assert len(kept) == 1 and kept[0]["algorithm"] == report["algorithm"], report["tried"]
assert kept[0]["objective"] == min(each["objective"] for each in made) == report["objective"]["value"], report["tried"]
assert kept[0]["information_loss"] == report["utility"]["information_loss"]
assert all(each["seconds"] >= 0 for each in made)
for each in sorted(report["tried"], key=lambda each: each["algorithm"]):
    outcome = each.get("left_out") or each.get("failed") or "a release"
    print(f"{each['algorithm']}: {outcome}")
