# SPDX-License-Identifier: Apache-2.0
"""What `stream` and `evaluate` say of the same rows: python3 stream_losses.py REPORT EVALUATION"""
import json
import sys

report, evaluation = (json.load(open(path)) for path in sys.argv[1:])
same = abs(report["utility"]["information_loss"] - evaluation["information_loss"]) < 1e-9
# docs/algorithms/stream_rtree.md, 20,000 rows, 100 active: penalties of this seed lie within 2 %.
documented = {"basic.json": 2.770, "density-aware.json": 2.737, "full.json": 2.395}
near = ""
if sys.argv[1] in documented:
    penalty = report["figures"]["penalty"]
    near = f", penalty within 2 %: {abs(penalty / documented[sys.argv[1]] - 1) < 0.02}"
print(f"losses agree: {same}{near}")
