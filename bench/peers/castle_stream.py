# SPDX-License-Identifier: Apache-2.0
"""castle_stream.py DIR TABLE K DELAY OUT: a stream by the CASTLE in DIR, a checkout that the reader made. All columns are numbers; nobody comes twice. What it
still holds at the end, or when it fails, is not published: the evaluator counts it as suppressed."""
import csv
import sys

folder, table, k, delay, out = sys.argv[1:]
sys.path.insert(0, f"{folder}/src")
import pandas  # noqa: E402
from castle import CASTLE, Parameters  # noqa: E402

with open(table, encoding="utf-8") as file:
    header, *rows = csv.reader(file)
parameters = Parameters()
parameters.k, parameters.delta, parameters.beta, parameters.mu, parameters.l, parameters.dp = int(k), int(delay), 50, 100, 1, False
with open(out, "w", encoding="utf-8", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(header)

    def publish(item):
        cells = [(int(item.data[f"min{name}"]), int(item.data[f"max{name}"])) for name in header]
        writer.writerow([f"[{low},{high}]" if low < high else low for low, high in cells])
    castle = CASTLE(publish, header, header[0], parameters)
    try:
        for number, row in enumerate(rows):
            castle.insert(pandas.Series([int(cell) for cell in row] + [number], index=[*header, "pid"]))
        while castle.global_tuples:
            before = len(castle.global_tuples)
            castle.cycle()
            if len(castle.global_tuples) == before:
                break
    except Exception as failed:  # whatever it fails by: what it published so far is its release
        print(f"failed after {number} rows: {type(failed).__name__}")
