# SPDX-License-Identifier: Apache-2.0
"""Writes wide.csv and wide.toml: a hundred quasi columns and a class."""
import random

random.seed(1)
names = ["q%d" % i for i in range(100)]
with open("wide.csv", "w") as table:
    print(",".join(names + ["class"]), file=table)
    for _ in range(300):
        print(",".join([str(random.randint(0, 3)) for _ in names] + [random.choice("yn")]), file=table)
with open("wide.toml", "w") as policy:
    for i, name in enumerate(names):
        print('[attributes.%s]\nrole = "quasi"' % name, file=policy)
        print('type = "numeric"\nrange = [0, 3]' if i % 2 else 'type = "categorical"', file=policy)
    print('[attributes.class]\nrole = "class"\n[[privacy]]\nmodel = "k-anonymity"\nk = 5', file=policy)
