# SPDX-License-Identifier: Apache-2.0
"""The tables of the experiments: a file on disk, and the columns of a policy for it."""
import csv
import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

CENSUS = {"age": "[17, 95]", "sex": None, "education": "[1, 17]", "marital_status": None, "race": None, "work_class": None, "birth_place": None}
UCI_ADULT = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship", "race", "sex", "capital_gain",
             "capital_loss", "hours_per_week", "native_country", "class"]
ADULT_NUMBERS = {"age": [17, 90], "fnlwgt": [12285, 1490400], "education_num": [1, 16], "capital_gain": [0, 99999], "capital_loss": [0, 4356],
                 "hours_per_week": [1, 99]}


class NotAvailable(Exception):
    """The table cannot be distributed and is not there."""


class Table:
    """columns: {name: text of its keys, without the role}; the first `quasi` of `order` are quasi columns."""

    def __init__(self, path, head, columns, order, sensitive):
        self.path, self.head, self.columns, self.order, self.sensitive = path, head, columns, order, sensitive

    def policy(self, quasi, sensitive=None, extra=""):
        sensitive = sensitive or self.sensitive
        chosen = [name for name in self.order if name != sensitive][:quasi]
        text = self.head
        for name, keys in self.columns.items():
            role = "quasi" if name in chosen else "sensitive" if name == sensitive else "insensitive"
            text += f"[attributes.{name}]\nrole = \"{role}\"\n"
            if role != "insensitive":
                text += keys if role == "quasi" else "".join(line for line in keys.splitlines(True) if not line.startswith("range"))
            if role == "sensitive" and "unguarded" in extra:
                text += 'unguarded = "an experiment on public data"\n'
        return text


def made(cordon, folder, name, rows, *flags):
    target = folder / "-".join(map(str, [name, rows, *flags])).replace("--", "")
    if not target.exists():
        subprocess.run([cordon, "generate", name, "--rows", str(rows), *map(str, flags), "--output", str(target)], check=True, capture_output=True)
    return target


def census(cordon, folder, data, rows, seed, rho=0.3, fanout=None):
    home = made(cordon, folder, "census", rows, "--rho", rho, "--seed", seed)
    columns = {}
    for name, limits in CENSUS.items():
        kind = f'type = "numeric"\nrange = {limits}\n' if limits else 'type = "categorical"\n'
        columns[name] = kind + f'hierarchy = "{home}/{name}.csv"\n'
    columns["salary"] = f'type = "numeric"\nvalues = {list(range(50))}\n'
    if fanout:
        columns["salary"] = f'type = "categorical"\nhierarchy = "{salary_tree(home, fanout)}"\n'
    return Table(home / "census.csv", "", columns, list(CENSUS), "salary")


def salary_tree(home, fanout):
    """Fifty salary classes under a tree in which every node has `fanout` children: one level per column, as hierarchy files are."""
    path = home / f"salary-{fanout}.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        for leaf in range(50):
            line, width = [str(leaf)], fanout
            while width < 50:
                line.append(f"{leaf // width * width}-{min(49, leaf // width * width + width - 1)} by {width}")
                width *= fanout
            csv.writer(file, delimiter=";").writerow([*line, "*"])
    return path


def generated_stream(name):
    def table(cordon, folder, data, rows, seed, **parameters):
        flags = [part for key, value in parameters.items() for part in (f"--{key}", value)]
        home = made(cordon, folder, name, rows, "--seed", seed, *flags)
        text = (home / "policy.toml").read_text(encoding="utf-8").split("[[privacy]]")[0]
        return StreamTable(home / f"{name}.csv", text, home)
    return table


class StreamTable:
    """A generated table with the policy that comes with it; `quasi` keeps the first columns of the policy."""

    def __init__(self, path, text, home):
        self.path, self.text, self.home = path, text, home
        self.sensitive = None

    def quasi(self):
        return re.findall(r'\[attributes\.(\w+)\]\nrole = "quasi"', self.text)

    def distinct(self):
        """The table with one row for all that look alike."""
        path = self.path.with_name("distinct.csv")
        with open(self.path, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        kept = {tuple(row[name] for name in self.quasi()): row for row in rows}.values()
        with open(path, "w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, rows[0])
            out.writeheader()
            out.writerows(kept)
        return StreamTable(path, self.text, self.home)

    def policy(self, quasi=None, sensitive=None, extra=""):
        blocks = ["[" + block for block in self.text.split("\n[")[1:]] if not self.text.startswith("[") else self.text.split("\n[")
        text, seen = "", 0
        for block in blocks:
            if 'role = "quasi"' in block:
                seen += 1
                if quasi and seen > quasi:
                    block = block.split("\n")[0] + '\nrole = "insensitive"\n'
            text += block.replace('hierarchy = "', f'hierarchy = "{self.home}/') + "\n"
            if 'role = "sensitive"' in block and "unguarded" not in block:
                text += 'unguarded = "the data is synthetic"\n'
        return text


def uci_adult(cordon, folder, data, rows, seed, **_):
    """The adult table of the UCI repository as the stream papers use it: no row with a missing cell, numbers with their declared ranges."""
    source = Path(data or "") / "uci" / "adult.data"
    if not data or not source.is_file():
        raise NotAvailable("adult of the UCI repository")
    path = folder / f"adult-{rows}.csv"
    if not path.exists():
        lines = [line.strip().split(", ") for line in source.read_text(encoding="utf-8").splitlines() if line.strip() and "?" not in line][:rows]
        with open(path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["person", *UCI_ADULT]] + [[number, *line] for number, line in enumerate(lines)])
    values = {name: sorted({row[name] for row in csv.DictReader(open(path, encoding="utf-8"))}) for name in UCI_ADULT if name not in ADULT_NUMBERS}
    columns = {"person": ""}
    for name in UCI_ADULT:
        if name in ADULT_NUMBERS:
            columns[name] = f'type = "numeric"\nrange = {ADULT_NUMBERS[name]}\n'
        else:
            columns[name] = f'type = "categorical"\nvalues = {values[name]}\n'.replace("'", '"')
    order = ["age", "education_num", "hours_per_week", "fnlwgt", "capital_gain", "capital_loss", "workclass", "marital_status", "race", "sex"]
    return AdultStream(path, columns, order)


class AdultStream(Table):
    def __init__(self, path, columns, order):
        super().__init__(path, "", columns, order, None)

    def policy(self, quasi, sensitive=None, extra=""):
        return super().policy(quasi, sensitive, extra).replace('[attributes.person]\nrole = "insensitive"', '[attributes.person]\nrole = "person"')


class UciTable:
    """A table of the UCI repository with its complete rows. Its policies are those that the tests use: tests/cli/files/uci.py."""

    SCRIPT = Path(__file__).resolve().parents[2] / "tests" / "cli" / "files" / "uci.py"

    def __init__(self, name, folder, data):
        self.name, self.folder, self.environment = name, folder, {**os.environ, "DATA": str(data)}
        self.path = folder / ("adult_data.csv" if name == "adult" else f"{name}.csv")
        self.whole = folder / f"{name}.csv"
        self.test = folder / "adult_test.csv" if name == "adult" else None
        if not self.path.exists():
            self.say(name)

    def say(self, *words):
        return subprocess.run([sys.executable, self.SCRIPT, *words], cwd=self.folder, env=self.environment, check=True, capture_output=True, text=True).stdout

    def policy(self, words):
        return self.say(self.name, *words.split())

    def columns(self):
        """All but the class, which is the last."""
        with open(self.path, encoding="utf-8") as file:
            return file.readline().strip().split(",")[:-1]


def uci(name):
    def table(cordon, folder, data, rows, seed, **_):
        if not data or not (Path(data) / "uci" / f"{name}.data").is_file():
            raise NotAvailable(f"{name} of the UCI repository")
        return UciTable(name, folder, data)
    return table


class CapitalLoss:
    """The people of adult.data who lost capital: age, years of school, and the loss."""

    def __init__(self, source, folder):
        cells = [line.strip().split(", ") for line in source.read_text(encoding="utf-8").splitlines() if line.strip() and "?" not in line]
        self.source, self.path = source, folder / "losses.csv"
        self.rows = [tuple(int(row[UCI_ADULT.index(name)]) for name in ("age", "education_num", "capital_loss")) for row in cells]
        self.rows = [row for row in self.rows if row[2] > 0]
        self.text = "".join(f'[attributes.{name}]\nrole = "{role}"\ntype = "numeric"\n' for name, role in (("age", "quasi"), ("school", "quasi"), ("loss", "sensitive")))
        with open(self.path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("age", "school", "loss"), *self.rows])


def capital_loss(cordon, folder, data, rows, seed, **_):
    source = Path(data or "") / "uci" / "adult.data"
    if not data or not source.is_file():
        raise NotAvailable("adult of the UCI repository")
    return CapitalLoss(source, folder)


class AdultViews(UciTable):
    """Adult as two views of the same people: taxation is published now, immigration was published before. Rows of adult.data; those of adult.test
    are for a learner to be tested on."""

    SHARED = ["marital-status", "relationship", "sex"]
    BEFORE = SHARED + ["native-country", "race"]
    NUMBERS = {"age": (17, 90), "capital-gain": (0, 99999), "capital-loss": (0, 4356), "education-num": (1, 16), "fnlwgt": (13492, 1490400),
               "hours-per-week": (1, 99)}
    NOW = {"A": SHARED + ["education", "occupation", "workclass"]}  # by what they tell of the class
    NOW["B"] = NOW["A"] + list(NUMBERS)
    RANKS = {"A": NOW["A"], "B": ["capital-gain", "age", "marital-status", "education-num", "relationship", "hours-per-week", "sex"]}

    def __init__(self, folder, data):
        super().__init__("adult", folder, data)
        self.rows = {part: list(csv.DictReader(open(folder / f"adult_{part}.csv", encoding="utf-8"))) for part in ("data", "test")}

    def write_views(self, columns):
        for name, part, shown in (("now.csv", "data", columns), ("before.csv", "data", self.BEFORE), ("now_test.csv", "test", columns)):
            with open(self.folder / name, "w", encoding="utf-8", newline="") as file:
                out = csv.writer(file)
                out.writerow(shown)
                out.writerows([row[column] for column in shown] for row in self.rows[part])

    def earlier(self):
        """The rows of the earlier view."""
        return [{column: row[column] for column in self.BEFORE} for row in self.rows["data"]]

    def rarer_half(self, column):
        counts = Counter(row[column] for part in self.rows.values() for row in part)
        return sorted(counts, key=lambda value: (counts[value], value))[:len(counts) // 2]

    def attribute(self, column, role):
        text = f'[attributes.{column}]\nrole = "{role}"\n'
        if role != "quasi":
            return text
        return text + (f'type = "numeric"\nrange = {list(self.NUMBERS[column])}\n' if column in self.NUMBERS else f'hierarchy = "{column}.csv"\n')


def adult_views(cordon, folder, data, rows, seed, **_):
    if not data or not (Path(data) / "uci" / "adult.data").is_file():
        raise NotAvailable("adult of the UCI repository")
    return AdultViews(folder, data)


class NamesAndDiseases:
    """People with a name, a job and a disease, in two tables that share the job. The illness goes with some jobs, and names go with jobs."""

    JOBS = {"Banker": "White", "Engineer": "White", "Clerk": "Blue", "Driver": "Blue", "Nurse": "Care", "Doctor": "Care"}

    def __init__(self, folder, rows, seed):
        self.folder, self.people, draw = folder, [], random.Random(seed)
        for _ in range(rows):
            job = draw.choice(list(self.JOBS))
            name = "name of a " + (job if draw.random() < 0.7 else draw.choice(list(self.JOBS)))
            ill = "HIV" if draw.random() < (0.7 if job in ("Clerk", "Nurse") else 0.1) else "flu"
            self.people.append({"name": name, "job": job, "ill": ill})
        (folder / "job.csv").write_text("".join(f"{job};{group};ANY\n" for job, group in self.JOBS.items()), encoding="utf-8")

    def write(self, name, columns, job=lambda person: person["job"]):
        with open(self.folder / name, "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(columns)
            out.writerows([job(person) if column == "job" else person[column] for column in columns] for person in self.people)


class FewPeople(NamesAndDiseases):
    """A handful of them: the illness goes with rare jobs, and each table has its own finding."""

    def __init__(self, folder, rows, seed):
        super().__init__(folder, rows, seed)
        draw, rare = random.Random(seed), ("Banker", "Clerk")
        for person in self.people:
            person["name"] = f"n{draw.randrange(6)}"
            person["job"] = draw.choices(["Banker", "Engineer", "Clerk", "Driver"], [1, 2, 1, 2])[0]
            person["ill"] = "HIV" if person["job"] in rare or draw.random() < 0.1 else "flu"
            person["test"] = draw.choice(["yes", "no", "no"])


def names_and_diseases(cordon, folder, data, rows, seed, **_):
    return NamesAndDiseases(folder, rows, seed)


def few_people(cordon, folder, data, rows, seed, **_):
    return FewPeople(folder, rows, seed)


TABLES = {"capital-loss": capital_loss, "adult-views": adult_views, "names": names_and_diseases, "few-people": few_people,
          "census": census, "sal": generated_stream("sal"), "powerlaw": generated_stream("powerlaw"), "transactions": generated_stream("transactions"),
          "uci-adult": uci_adult, "adult": uci("adult"), "crx": uci("crx"), "german": uci("german")}
