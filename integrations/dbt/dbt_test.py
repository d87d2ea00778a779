#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dbt passes a release that holds, and fails tampered ones: dbt_test.py CORDON DBT"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
POLICY = """[attributes.age]
role = "quasi"
type = "numeric"
[attributes.ill]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 3
[[privacy]]
model = "l-diversity"
sensitive = "ill"
l = 2
[[privacy]]
model = "t-closeness"
sensitive = "ill"
t = 0.3
distance = "equal"
"""
ENTROPY = '[[privacy]]\nmodel = "l-diversity"\nsensitive = "ill"\nl = 1.5\nkind = "entropy"\n'
PROJECT = "name: published\nversion: '1.0'\nprofile: published\nmodel-paths: [models]\ntest-paths: [tests]\n"
PROFILE = "published:\n  target: dev\n  outputs:\n    dev:\n      type: duckdb\n      path: here.duckdb\n"


def main():
    cordon, dbt = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("models", "tests/generic"):
            os.makedirs(name)
        Path("dbt_project.yml").write_text(PROJECT)
        Path("profiles.yml").write_text(PROFILE)
        Path("p.toml").write_text(POLICY)
        Path("more.toml").write_text(POLICY + ENTROPY)
        Path("in.csv").write_text("age,ill\n" + "".join(f"{20 + i},{['flu', 'cold', 'ulcer'][i % 3]}\n" for i in range(30)))
        subprocess.run([cordon, "anonymize", "in.csv", "--policy", "more.toml", "--output", "out.csv", "--order", "sorted"], check=True, stdout=subprocess.DEVNULL)
        Path("models/release.sql").write_text("{{ config(materialized='table') }} SELECT * FROM read_csv('current.csv', all_varchar = true)\n")
        for policy, name in (("p.toml", "holds_policy"), ("more.toml", "holds_more")):
            made = subprocess.run([sys.executable, HERE / "make_test.py", cordon, policy, name], check=True, capture_output=True, text=True)
            Path(f"tests/generic/{name}.sql").write_text(made.stdout)
        Path("models/schema.yml").write_text("models:\n  - name: release\n    tests:\n      - holds_policy\n      - holds_more:\n          undecided: pass\n"
                                             "      - holds_more:\n          name: strict\n")
        rows = Path("out.csv").read_text().splitlines()
        box = rows[-1].rsplit(",", 1)[0]
        others, last = [row for row in rows if not row.startswith(box)], [row for row in rows if row.startswith(box)]
        ways = {"as it was": rows, "a group of two": others + last[:2], "a value changed": [row.replace("cold", "flu").replace("ulcer", "flu") for row in rows],
                "a box changed": [rows[0], '"[0,99]",' + rows[1].rsplit(",", 1)[1], *rows[2:]]}
        failed = []
        for what, lines in ways.items():
            Path("current.csv").write_text("\n".join(lines) + "\n")
            done = subprocess.run([dbt, "--no-send-anonymous-usage-stats", "build", "--profiles-dir", "."], capture_output=True, text=True)
            found = {name: re.search(f"(PASS|FAIL|ERROR)[ 0-9]* {name}", done.stdout) for name in ("holds_policy_release_", "holds_more_release_pass", "strict")}
            passed = {name: {"PASS": True, "FAIL": False}.get(each[1]) if each else None for name, each in found.items()}
            print(what, passed)
            expected = {"holds_policy_release_": what == "as it was", "holds_more_release_pass": what == "as it was", "strict": False}
            if passed != expected:
                failed.append(what)
                print(done.stdout)
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
