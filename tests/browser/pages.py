# SPDX-License-Identifier: Apache-2.0
"""Pages to look at, made by the binary under test: one of invented patients, one of a release that does not hold, and one
whose column names and values are markup."""
import json
import subprocess
from pathlib import Path

HOSTILE = '"><script>alert(1)</script>'


def run(*command, status=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"{command} exited {done.returncode}: {done.stderr}")
    return done.stdout


def patients(cordon, folder):
    """-> the page and the JSON report of one run, everything measured."""
    run(cordon, "generate", "patients", "--output", folder / "demo")
    run(cordon, "anonymize", folder / "demo/patients.csv", "--policy", folder / "demo/policy.toml", "--output", folder / "release.csv",
        "--report", folder / "report.json", "--html", folder / "report.html", "--queries", 500, "--kl", 1, "--sampling-fraction", 0.01)
    return folder / "report.html", json.loads((folder / "report.json").read_text())


def failing(cordon, folder):
    """The original, taken for a release of itself: it holds nothing."""
    text = (folder / "demo/policy.toml").read_text()
    columns = (folder / "demo/patients.csv").read_text().split("\n")[0].split(",")
    rows = [line.split(",") for line in (folder / "demo/patients.csv").read_text().strip().split("\n")]
    kept = [i for i, name in enumerate(columns) if f'[attributes.{name}]\nrole = "identifier"' not in text
            and f'[attributes.{name}]\nrole = "person"' not in text]
    (folder / "raw.csv").write_text("".join(",".join(row[i] for i in kept) + "\n" for row in rows))
    numbers = json.loads(run(cordon, "evaluate", folder / "raw.csv", "--policy", folder / "demo/policy.toml", "--original",
                             folder / "demo/patients.csv", "--html", folder / "failing.html", "--queries", 300, "--json"))
    return folder / "failing.html", {"utility": {key: value for key, value in numbers.items() if key not in ("rows", "groups", "suppressed", "risk", "statistics")}}


def hostile(cordon, folder):
    name = f"age {HOSTILE}"
    quote = lambda text: '"' + text.replace('"', '""') + '"'
    rows = [f"{20 + i % 30},{quote(HOSTILE if i % 2 else 'a&b')},{i % 3}" for i in range(120)]
    (folder / "hostile.csv").write_text(f"{quote(name)},{quote('<b>city</b>')},ill\n" + "\n".join(rows) + "\n")
    (folder / "hostile.toml").write_text(f"""[attributes.{json.dumps(name)}]
role = "quasi"
type = "numeric"
[attributes."<b>city</b>"]
role = "quasi"
type = "categorical"
[attributes.ill]
role = "sensitive"
type = "categorical"
[[privacy]]
model = "k-anonymity"
k = 3
[[privacy]]
model = "t-closeness"
sensitive = "ill"
t = 0.3
distance = "equal"
""")
    run(cordon, "anonymize", folder / "hostile.csv", "--policy", folder / "hostile.toml", "--dry-run", "--report", folder / "hostile.json",
        "--html", folder / "hostile.html", "--queries", 50)
    return folder / "hostile.html", json.loads((folder / "hostile.json").read_text())


def attacked(cordon, folder):
    """The page of attacks on the table whose names are markup. REQUIRES: hostile() made it."""
    run(cordon, "anonymize", folder / "hostile.csv", "--policy", folder / "hostile.toml", "--output", folder / "hostile_out.csv")
    found = run(cordon, "attack", folder / "hostile_out.csv", "--original", folder / "hostile.csv", "--policy", folder / "hostile.toml",
                "--html", folder / "attacked.html", "--json")
    return folder / "attacked.html", json.loads(found)


def numbers(report):
    """Every number of `privacy` and `utility`."""
    found = []

    def walk(value):
        if isinstance(value, dict):
            for part in value.values():
                walk(part)
        elif isinstance(value, list):
            for part in value:
                walk(part)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found.append(value)

    walk(report.get("privacy", []))
    walk(report["utility"])
    return found


def missing(report, text):
    """The numbers of the report that the text lacks. By value: the same number may be written with more or fewer digits."""
    shown = set()
    for word in text.replace(",", " ").split():
        try:
            shown.add(float(word))
        except ValueError:
            pass
    return [number for number in numbers(report) if number not in shown]
