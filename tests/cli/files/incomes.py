#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ages in step with pay, one age far from all others, one disease that a single row has: `incomes.py KIND [LIMIT] [SHOWN]` prints a policy, `incomes.py` the table."""
import sys

MODELS = {
    "k": 'model = "k-anonymity"\nk = 5\n',
    "k2": 'model = "k-anonymity"\nk = 2\n',
    "beta": 'model = "beta-likeness"\nsensitive = "disease"\nbeta = 1\nkind = "basic"\n',
    "t": 'model = "t-closeness"\nsensitive = "pay"\nt = 0.4\n',
    "alpha": 'model = "alpha-k"\nsensitive = "disease"\nvalue = "flu"\nalpha = 0.4\nk = 2\n',
}

if len(sys.argv) == 1:
    print("age,disease,pay")
    for row in range(40):
        age = 99 if row == 20 else 20 + row // 10
        print(f"{age},{'gout' if row == 7 else ('flu', 'cold')[row % 2]},{100 + (900 if row == 20 else row)}")
    sys.exit()
kinds = sys.argv[1].split("+")
limit = sys.argv[2] if len(sys.argv) > 2 else "0"
shown = sys.argv[3] if len(sys.argv) > 3 else "drop"
print('[attributes.age]\nrole = "quasi"\ntype = "numeric"\nrange = [0, 100]\n\n[attributes.disease]\nrole = "sensitive"\ntype = "categorical"\nunguarded = "a test"\n')
print('[attributes.pay]\nrole = "sensitive"\ntype = "numeric"\nunguarded = "a test"\n')
for kind in kinds:
    print("[[privacy]]\n" + MODELS[kind])
print(f'[algorithm]\nsuppression_limit = {limit}\nsuppressed = "{shown}"')
