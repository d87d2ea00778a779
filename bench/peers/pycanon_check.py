# SPDX-License-Identifier: Apache-2.0
"""pycanon_check.py TABLE: the k of a file by pycanon, which the reader has installed."""
import sys

import pandas
from pycanon.anonymity import k_anonymity

rows = pandas.read_csv(sys.argv[1], sep=";", dtype=str)
print(k_anonymity(rows, list(rows.columns)))
