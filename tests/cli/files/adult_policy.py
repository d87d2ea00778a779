# SPDX-License-Identifier: Apache-2.0
"""Prints a policy for the public Adult table: adult_policy.py FOLDER [--sensitive COLUMN] MODEL key=value... MODEL ..."""
import sys

COLUMNS = "sex age race marital-status education native-country workclass occupation salary-class".split()
folder, words = sys.argv[1], sys.argv[2:]
sensitive = words[1] if words[0] == "--sensitive" else None
words = words[2:] if sensitive else words
print('[data]\ndelimiter = ";"\n')
for name in COLUMNS:
    kind = 'type = "numeric"\nrange = [1, 100]' if name == "age" else 'type = "categorical"'
    role = "sensitive" if name == sensitive else "quasi"
    kind += '\nunguarded = "a test"' if name == sensitive else ""
    print(f'[attributes.{name}]\nrole = "{role}"\n{kind}\nhierarchy = "{folder}/adult_hierarchy_{name}.csv"\n')
for word in words:
    key, _, value = word.partition("=")
    if not value:
        print(f'[[privacy]]\nmodel = "{key}"')
    else:
        print(f"{key} = " + (value if value[0].isdigit() else f'"{value}"'))
