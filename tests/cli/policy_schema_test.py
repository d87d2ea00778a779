#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema that `cordon policy schema` prints accepts every good policy of the tests, and rejects what is malformed.

    policy_schema_test.py CORDON FOLDER...

The validator below knows the few keywords the schema uses, and refuses others: nothing is passed over.
"""
import json
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

CORDON, FOLDERS = sys.argv[1], [Path(folder) for folder in sys.argv[2:]]
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def problems(value, schema, where="policy"):
    if schema is True:
        return []
    found = []
    for keyword, rule in schema.items():
        if keyword == "type":
            if not any(is_type(value, name) for name in ([rule] if isinstance(rule, str) else rule)):
                return [f"{where}: not {rule}"]
        elif keyword == "enum":
            found += [] if value in rule else [f"{where}: not one of {rule}"]
        elif keyword == "const":
            found += [] if value == rule else [f"{where}: not {rule}"]
        elif keyword == "properties":
            for key, inner in rule.items():
                found += problems(value[key], inner, f"{where}.{key}") if key in value else []
        elif keyword == "additionalProperties":
            for key in value.keys() - schema.get("properties", {}).keys():
                found += [f"{where}: unknown {key}"] if rule is False else problems(value[key], rule, f"{where}.{key}")
        elif keyword == "required":
            found += [f"{where}: lacks {key}" for key in rule if key not in value]
        elif keyword == "items":
            for i, item in enumerate(value):
                found += problems(item, rule, f"{where}[{i}]")
        elif keyword == "oneOf":
            fitting = [inner for inner in rule if not problems(value, inner, where)]
            found += [] if len(fitting) == 1 else [f"{where}: fits {len(fitting)} of {len(rule)} forms"]
        elif keyword in ("minItems", "minLength", "minProperties"):
            found += [] if len(value) >= rule else [f"{where}: too short"]
        elif keyword in ("maxItems", "maxLength"):
            found += [] if len(value) <= rule else [f"{where}: too long"]
        elif keyword == "minimum":
            found += [] if value >= rule else [f"{where}: below {rule}"]
        elif keyword == "maximum":
            found += [] if value <= rule else [f"{where}: above {rule}"]
        elif keyword == "exclusiveMinimum":
            found += [] if value > rule else [f"{where}: not above {rule}"]
        elif keyword == "uniqueItems":
            found += [] if len({json.dumps(item) for item in value}) == len(value) else [f"{where}: an item is twice in it"]
        elif keyword not in ("$schema", "title", "description"):
            raise ValueError(f"the schema uses {keyword}")
    return found


def schema():
    return json.loads(subprocess.run([CORDON, "policy", "schema"], capture_output=True, check=True).stdout)


GOOD = """
[attributes.a]
role = "quasi"
[[privacy]]
model = "k-anonymity"
k = 2
"""


class Schema(unittest.TestCase):
    def test_what_the_reader_accepts_fits(self):
        seen = 0
        rules = schema()
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([CORDON, "generate", "patients", "--output", f"{folder}/p"], capture_output=True, check=True)
            subprocess.run([CORDON, "generate", "census", "--rows", "50", "--output", f"{folder}/c"], capture_output=True, check=True)
            for path in sorted(path for base in [*FOLDERS, Path(folder)] for path in base.rglob("*.toml")):
                if subprocess.run([CORDON, "policy", "check", path], capture_output=True).returncode != 0:
                    continue
                seen += 1
                with self.subTest(policy=str(path)):
                    self.assertEqual(problems(tomllib.loads(path.read_text()), rules), [])
        self.assertGreater(seen, 10)

    def test_what_is_malformed_does_not(self):
        rules = schema()
        self.assertEqual(problems(tomllib.loads(GOOD), rules), [])
        for change in [("quasi", "quasy"), ("k = 2", "k = 0"), ("k = 2", 'k = "2"'), ("k = 2", ""), ("k = 2", "k = 2\\nl = 3"), ("k-anonymity", "k-anonymty"),
                       ("[attributes.a]", "[attribute.a]"), ('"quasi"', '"quasi"\\nhierarchy = { prefix = 0 }'), ('"quasi"', '"quasi"\\nrange = [1]'),
                       ("k = 2", 'k = 2\\n[algorithm]\\nname = "magic"'), ("k = 2", "k = 2\\n[algorithm.mondrian]\\nrelaxed = 1"),
                       ("k = 2", "k = 2\\n[data]\\nheader = 1")]:
            text = GOOD.replace(change[0], change[1].replace("\\n", "\n"))
            with self.subTest(policy=text):
                self.assertNotEqual(problems(tomllib.loads(text), rules), [])
                with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
                    file.write(text)
                    file.flush()
                    self.assertEqual(subprocess.run([CORDON, "policy", "check", file.name], capture_output=True).returncode, 2)

    def test_every_algorithm_of_the_catalog_can_be_run(self):
        names = schema()["properties"]["algorithm"]["properties"]["name"]["enum"]
        self.assertGreater(len(names), 15)
        for name in names:
            with self.subTest(algorithm=name), tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
                file.write(GOOD + f'[algorithm]\nname = "{name}"\n[stream]\ndelay = 10\n')
                file.flush()
                checked = subprocess.run([CORDON, "policy", "check", file.name], capture_output=True, text=True)
                self.assertIn(checked.returncode, (0, 2), checked.stderr)  # some are not made for this policy
                self.assertNotIn("no algorithm", checked.stderr)

    def test_every_option_is_described_on_its_page(self):
        pages = FOLDERS[0].parent / "docs/algorithms"
        tables = schema()["properties"]["algorithm"]["properties"]
        seen = 0
        for name, table in tables.items():
            for key, rule in table.get("properties", {}).items():
                with self.subTest(algorithm=name, key=key):
                    self.assertTrue(rule["description"])
                    self.assertIn(f"`{key}`", (pages / f"{name.replace('-', '_')}.md").read_text())
                    seen += 1
        self.assertGreater(seen, 35)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
