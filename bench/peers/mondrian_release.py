# SPDX-License-Identifier: Apache-2.0
"""mondrian_release.py DIR TABLE K strict|relaxed OUT: a k-anonymous release by the Mondrian in DIR, a checkout that the reader made. All columns are numbers."""
import csv
import sys

folder, table, k, form, out = sys.argv[1:]
sys.path.insert(0, folder)
from mondrian import mondrian  # noqa: E402

with open(table, encoding="utf-8") as file:
    header, *rows = csv.reader(file)
# It leaves the last column alone.
release, _ = mondrian([[int(cell) for cell in row] + ["-"] for row in rows], int(k), form == "relaxed")
with open(out, "w", encoding="utf-8", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(header)
    for row in release:
        cells = [str(cell).replace("~", ",") for cell in row[:-1]]
        writer.writerow([f"[{cell}]" if "," in cell else cell for cell in cells])
