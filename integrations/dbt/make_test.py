#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a generic test for dbt out of a policy: make_test.py CORDON POLICY NAME [--dialect duckdb|postgres|spark] [--release FILE]

Prints what belongs into tests/generic/NAME.sql of a dbt project. The test fails of a model (a published table) that does not satisfy the
policy, with one row for each privacy model that does not hold (docs/sql.md). With `undecided: pass` in the project, privacy models
that SQL does not decide do not fail it.
"""
import argparse
import re
import subprocess
import sys

PLACE = "cordon_published_table"
TEMPLATE = """{{% test {name}(model, undecided='fail') %}}
SELECT number, model, holds, failing_groups
FROM (
{statement}) AS verdicts
WHERE {{% if undecided == 'pass' %}}NOT holds{{% else %}}holds IS NULL OR NOT holds{{% endif %}}
{{% endtest %}}
"""


def generic_test(name, statement):
    """The statement as it is, but for the table: dbt fills in the relation that is tested."""
    head, tail = re.split(f'["`]{PLACE}["`]', statement)
    raw = lambda text: "{% raw %}" + text + "{% endraw %}"
    return TEMPLATE.format(name=name, statement=raw(head) + "{{ model }}" + raw(tail))


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("cordon")
    parser.add_argument("policy")
    parser.add_argument("name")
    parser.add_argument("--dialect", default="duckdb")
    parser.add_argument("--release", help="a file with the columns of the table, if it has more than the policy says (--bounds, --group-column)")
    asked = parser.parse_args(arguments)
    if not re.fullmatch("[a-z_][a-z0-9_]*", asked.name):
        parser.error("NAME is made of small letters, digits and _")
    command = [asked.cordon, "verify", *([asked.release] if asked.release else []), "--policy", asked.policy, "--sql", asked.dialect, "--table", PLACE]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        sys.stderr.write(made.stderr)
        return made.returncode
    if re.search(r"{%[-+]?\s*endraw", made.stdout):
        sys.stderr.write("the policy has a name or a value that dbt would take for its own: {% endraw\n")
        return 2
    sys.stdout.write(generic_test(asked.name, made.stdout))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
