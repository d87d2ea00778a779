# SPDX-License-Identifier: Apache-2.0
"""anjana_release.py TABLE HIERARCHY_PREFIX K OUT: a k-anonymous release by anjana, which the reader has installed; 2 % of the rows may be suppressed."""
import sys

import pandas
from anjana.anonymity import k_anonymity

table, prefix, k, out = sys.argv[1:]
rows = pandas.read_csv(table, sep=";", dtype=str)
hierarchies = {name: dict(pandas.read_csv(f"{prefix}{name}.csv", sep=";", header=None, dtype=str)) for name in rows.columns}
release = k_anonymity(rows, [], list(rows.columns), int(k), 2, hierarchies)
if len(release) == 0:
    sys.exit("anjana found no release")
release[list(rows.columns)].to_csv(out, sep=";", index=False)  # it adds a column of row numbers
