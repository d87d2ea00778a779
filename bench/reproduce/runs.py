# SPDX-License-Identifier: Apache-2.0
"""Runs of cordon for the experiments. Every function here makes one release, as a user would, and returns its figures by name."""
import csv
import itertools
import math
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from statistics import mean

import measure
import tables

OPTION_TABLES = {"dmondrian": "mondrian", "sabre-ak": "sabre", "sabre-knn": "sabre", "burel-paper": "burel"}


# Models that hold always: their verdicts tell what a release reaches.
WATCH_CLOSENESS = {"model": "t-closeness", "sensitive": "$sensitive", "t": 1, "distance": "ordered"}
WATCH_GAIN = {"model": "beta-likeness", "sensitive": "$sensitive", "beta": 100000000, "kind": "basic"}


def faced(own, burel):
    """What a release of t-closeness allows beside one of BUREL."""
    return {"loss": own["loss"], "gain": own["beta-likeness"], "t-closeness": own["t-closeness"], "burel_loss": burel["loss"], "burel_gain": burel["beta-likeness"],
            "times": own["beta-likeness"] / burel["beta-likeness"] if burel["beta-likeness"] else math.inf}


def points(grid):
    """{column: [values]} -> every combination, as {column: value}"""
    return [dict(zip(grid, values)) for values in itertools.product(*grid.values())]


def algorithm_text(name):
    """"mondrian:dims=all" -> ("mondrian", its options as TOML)"""
    name, _, options = name.partition(":")
    pairs = [option.split("=") for option in options.split(",") if option]
    lines = [f"{key} = {value if value[0].isdigit() or value in ('true', 'false') else measure.toml_value(value)}\n" for key, value in pairs]
    return name, (f"[algorithm.{OPTION_TABLES.get(name, name)}]\n" + "".join(lines)) if lines else ""


def filled(keys, at, sensitive):
    """The keys of a model with "$name" replaced by the point's value; a key whose name the point lacks is left out."""
    whole = {}
    for key, value in keys.items():
        if value == "$sensitive":
            value = sensitive
        elif isinstance(value, str) and value.startswith("$"):
            if value[1:] not in at:
                continue
            value = at[value[1:]]
        whole[key] = value
    return whole


def models_text(models, at, sensitive):
    chosen = [filled(keys, at, sensitive) for keys in models]
    return measure.privacy([(keys.pop("model"), keys) for keys in chosen])


def derived_delta(table, beta):
    with open(table.path, encoding="utf-8") as file:
        counts = Counter(row[table.sensitive] for row in csv.DictReader(file))
    largest = max(counts.values()) / sum(counts.values())
    return math.floor(math.log1p(min(beta, -math.log(largest))) * 1e6) / 1e6


def share_of_few_people(table, release, known, k):
    """The share, in points, of the x of a join in the closed regime behind which fewer than k people stand. x is a row of the release in the
    columns that are known, with an earlier row that matches it."""
    leaves = {}
    for column in table.SHARED:
        with open(table.folder / f"{column}.csv", encoding="utf-8") as file:
            paths = [line.strip().split(";") for line in file]
        leaves[column] = {label: {path[0] for path in paths if label in path} for path in paths for label in path}
    people = Counter(tuple(row[column] for column in known) for row in csv.DictReader(open(release, encoding="utf-8")))
    before = Counter(tuple(row[column] for column in table.SHARED) for row in {tuple(row.items()): row for row in table.earlier()}.values())
    all_x = few = 0
    for x, count in people.items():
        cells = dict(zip(known, x))
        met = sum(many for row, many in before.items() if all(value in leaves[column][cells[column]] for column, value in zip(table.SHARED, row)))
        all_x, few = all_x + met, few + met * (count < k)
    return 100 * few / all_x


class Runner:
    """One experiment on one table: policies, runs and evaluations in a scratch folder."""

    def __init__(self, cordon, folder, seed):
        self.cordon, self.folder, self.seed, self.kept, self.last = cordon, folder, seed, {}, (None, None)
        self.policy, self.report, self.output = folder / "run.toml", folder / "run.json", folder / "out.csv"
        self.audit = folder / "audit.jsonl"

    def release(self, table, experiment, at):
        """A table's release: loss, groups, CPU seconds and what each model reached; with the measures of utility that are asked for."""
        name, options = algorithm_text(at["algorithm"])
        models = experiment["models"]
        if name == "dmondrian":  # Mondrian under the delta-disclosure that implies beta-likeness
            name, models = "mondrian", [{"model": "delta-disclosure", "sensitive": "$sensitive", "delta": derived_delta(table, at["beta"])}]
        text = table.policy(at.get("quasi"), at.get("sensitive")) + models_text(models, at, at.get("sensitive") or table.sensitive)
        if self.last[0] != (table.path, name, text + options):  # the next cell may only ask other queries of the same release
            self.last = (None, None)
            figures = self.anonymize(table, name, text + options, experiment.get("repeats", 1))
            self.last = ((table.path, name, text + options), figures)
        return self.last[1] | self.utility(table, experiment, at)

    def anonymize(self, table, name, policy, repeats):
        self.policy.write_text(policy, encoding="utf-8")
        self.output.unlink(missing_ok=True)
        command = [self.cordon, "anonymize", table.path, "--policy", self.policy, "--algorithm", name, "--seed", self.seed, "--threads", 1, "--report",
                   self.report, "--force", "--output", self.output]
        seconds = []
        for _ in range(repeats):  # the least time of several is that of the run which other programs disturbed least
            _, cost = measure.run(command)
            report = measure.read_json(self.report)
            seconds.append(report["seconds"]["anonymize"])
        figures = {"loss": report["utility"]["information_loss"], "groups": report["groups"], "cpu": cost.cpu_s, "seconds": min(seconds)}
        for verdict in report["privacy"]:
            figures[verdict["model"]] = verdict["reached"]
        return figures

    def close(self, table, at, t):
        """A release of t-closeness, with the gain in belief that it allows."""
        return self.release(table, {"models": [{"model": "t-closeness", "sensitive": "$sensitive", "t": t, "distance": "ordered"}, WATCH_GAIN]}, at)

    def alike(self, table, at, beta):
        """BUREL's release, with the closeness that it reaches and the gain in belief that it allows. Kept: searches ask again."""
        key = (table.path, at["quasi"], at["burel"], beta)
        if key not in self.kept:
            likeness = {"model": "beta-likeness", "sensitive": "$sensitive", "beta": beta}
            self.kept[key] = self.release(table, {"models": [likeness, WATCH_CLOSENESS, WATCH_GAIN]}, {**at, "algorithm": at["burel"]})
        return self.kept[key]

    def face(self, table, experiment, at):
        """The gain in belief that a release of t-closeness allows, at the closeness that BUREL's release reaches for the same beta."""
        burel = self.alike(table, at, at["beta"])
        own = self.close(table, at, math.ceil(burel["t-closeness"] * 1e6) / 1e6)
        return faced(own, burel)

    def face_loss(self, table, experiment, at):
        """The same at equal loss: of some halvings of t, the release with the least loss that is not below BUREL's."""
        burel, low, high, best = self.alike(table, at, at["beta"]), 0.0, 1.0, None
        for _ in range(at["halvings"]):
            middle = round((low + high) / 2, 6)
            try:
                own = self.close(table, at, middle)
            except measure.Failed:  # no release is that close
                low = middle
                continue
            if own["loss"] >= burel["loss"]:
                best, low = own if best is None or own["loss"] < best["loss"] else best, middle
            else:
                high = middle
        if best is None:
            raise measure.Failed(f"no release of {at['algorithm']} loses as much as BUREL's")
        return faced(best, burel)

    def face_t(self, table, experiment, at):
        """The other way round: BUREL with the largest of some betas whose release is as close as that of t-closeness. How close a release of BUREL is does not
        rise steadily with beta, so all are tried."""
        own = self.close(table, at, at["t"])
        for beta in [round(50 * 1000 ** (-step / (at["betas"] - 1)), 4) for step in range(at["betas"])]:  # from 50 down to 0.05
            burel = self.alike(table, at, beta)
            if burel["t-closeness"] <= own["t-closeness"]:
                return faced(own, burel) | {"beta": beta}
        raise measure.Failed(f"no release of BUREL is as close as {at['algorithm']}'s")

    def utility(self, table, experiment, at):
        flags = []
        if "queries" in experiment:
            flags += ["--queries", experiment["queries"], "--query-quasi", at.get("lambda", 3), "--query-selectivity", at.get("theta", 0.1)]
        if "level" in at:
            flags += ["--kl", at["level"]] + ([] if flags else ["--queries", 1])
        if not flags:
            return {}
        said, _ = measure.run([self.cordon, "evaluate", self.output, "--original", table.path, "--policy", self.policy, "--json", *flags])
        found = measure.json.loads(said)
        return {name: found.get(key) for name, key, asked in (("error", "query_error_median", "queries" in experiment), ("kl", "kl_divergence", "level" in at)) if asked}

    def classify(self, table, experiment, at):
        """Errors of a learner: trained on the original, on the release, without what is masked, without what is sensitive. Adult has test rows of
        its own, masked as the release is; other tables are cross-validated."""
        return self.errors(table, experiment["policy"].format(**at), at["learner"])

    def errors(self, table, words, learner):
        self.policy = table.folder / "run.toml"
        self.policy.write_text(table.policy(words), encoding="utf-8")
        measure.run([self.cordon, "anonymize", table.path, "--policy", self.policy, "--output", self.output, "--force"])
        test = ["--test", table.test, "--masked-test"] if table.test else []
        said, _ = measure.run([self.cordon, "evaluate", self.output, "--original", table.path, "--policy", self.policy, "--json", "--queries", 1, "--classify",
                               "class", "--learner", learner, *test])
        found = measure.json.loads(said)["classification"]
        errors = {name: 100 * found[f"{name}_error"] for name in ["baseline", "anonymization", "upper", "removal"] if f"{name}_error" in found}
        errors["cost"] = errors["anonymization"] - errors["baseline"]
        errors["saved"] = errors.get("removal", errors["upper"]) - errors["anonymization"]
        return errors

    def templates(self, table, experiment, at):
        """Several templates against one of all their columns: errors. The templates are drawn by number, as the source draws them: three to seven of one
        length from two to nine."""
        draw = random.Random(at["requirement"])
        many, length = draw.randint(3, 7), draw.randint(2, 9)
        several = list(dict.fromkeys(tuple(sorted(draw.sample(table.columns(), length))) for _ in range(many)))
        united = sorted({column for template in several for column in template})
        several, united = (self.errors(table, " ".join([f"k={at['k']}", "sup", *("on=" + "+".join(each) for each in templates)]), at["learner"])
                           for templates in (several, [united]))
        return {"several": several["anonymization"], "united": united["anonymization"], "saved": united["anonymization"] - several["anonymization"]}

    def pairs(self, table, experiment, at):
        """How many pairs of a combination and a guarded value are above h in the raw table."""
        self.policy = table.folder / "run.toml"
        self.policy.write_text(table.policy(experiment["policy"].format(**at)), encoding="utf-8")
        said = subprocess.run([self.cordon, "verify", table.whole, "--policy", self.policy, "--json"], capture_output=True, text=True).stdout
        return {"pairs": sum(verdict["failing_groups"] for verdict in measure.json.loads(said)["privacy"])}

    def party(self, table, experiment, at):
        """Adult split between two parties: whether both make the release of one run on the joined table, byte by byte; CPU seconds of that run and of a side."""
        try:
            said, _ = measure.run([sys.executable, "-B", measure.ROOT / "bench" / "run_party.py", self.cordon, "--data", table.environment["DATA"], "--k", at["k"],
                                   "--records", at["records"]])
        except measure.Failed as failed:
            if "the releases differ" in str(failed):
                return {"same": 0}
            raise
        central, bank, bureau = map(float, re.findall(r"([0-9.]+) CPU s", said)[:3])
        return {"same": 1, "central_cpu": central, "side_cpu": max(bank, bureau)}

    def ke_appends(self, table, experiment, at):
        """Rows appended one by one to a (k,e)-anonymous list: what the report's methods try, and their time."""
        said, _ = measure.run([self.beside("ke_appends"), table.source, at["k"], at["e"], at["percent"]])
        found = measure.json.loads(said)
        return found | {f"{name}_over_approximation": found[f"{each}_us"] / found["approximation_us"] for name, each in (("indexed", "incremental"), ("linear", "linear"))}

    def ke_queries(self, table, experiment, at):
        """Sums over random ranges of age and education: mean error of the estimate and mean width of the bounds in per cent of the truth, and how often the truth
        lies outside."""
        store = self.folder / "store"
        shutil.rmtree(store, ignore_errors=True)
        shutil.rmtree(f"{store}.private", ignore_errors=True)
        self.policy.write_text(table.text + measure.privacy([("ke-anonymity", {"sensitive": "loss", "k": at["k"], "e": at["e"]})]), encoding="utf-8")
        measure.run([self.cordon, "permute", table.path, "--policy", self.policy, "--output", store, "--seed", self.seed, "--insecure-seed"])
        draw, errors, widths, violations = random.Random(self.seed), [], [], 0
        while len(errors) < at["queries"]:
            ages, schools = sorted(draw.choices(range(17, 91), k=2)), sorted(draw.choices(range(1, 17), k=2))
            hits = [loss for age, school, loss in table.rows if ages[0] <= age <= ages[1] and schools[0] <= school <= schools[1]]
            if len(hits) < 20:
                continue
            said, _ = measure.run([self.cordon, "query", store, "--json", "SELECT SUM(loss) WHERE age BETWEEN {} AND {} AND school BETWEEN {} AND {}".format(*ages, *schools)])
            answer, truth = measure.json.loads(said)["rows"][0]["aggregates"][0], sum(hits)
            low, middle, high = (float(answer[name]) for name in ("lower", "estimate", "upper"))
            errors.append(abs(middle - truth) / truth)
            widths.append((high - low) / truth)
            violations += not low <= truth <= high
        return {"error": 100 * mean(errors), "width": 100 * mean(widths), "violations": violations}

    def beside(self, program):
        """A program that `make reproduce` builds next to cordon."""
        path = Path(self.cordon).parent / program
        if not path.is_file():
            raise tables.NotAvailable(f"{path}, which make reproduce builds")
        return path

    def penalty(self, table, experiment, at):
        """The penalty of published cells, the sum over the columns of what they lose: of a stream, or of its distinct rows as a table."""
        if at["algorithm"].startswith("stream-rtree"):
            figures = self.stream(table, experiment, at)
        else:
            figures = self.release(table.distinct(), {"models": [{"model": "k-anonymity", "k": at["k"]}]}, at)
        return {"loss": figures["loss"], "penalty_published": figures["loss"] * len(table.quasi()), "cpu": figures["cpu"]}

    def release_next(self, folder, policy):
        """A release of now.csv next to before.csv. -> its report"""
        self.policy = folder / "next.toml"
        self.policy.write_text(policy, encoding="utf-8")
        measure.run([self.cordon, "release-next", folder / "now.csv", "--previous", folder / "before.csv", "--policy", self.policy, "--threads", 1,
                     "--report", self.report, "--output", self.output, "--force"])
        return measure.read_json(self.report)

    def views(self, table, experiment, at):
        """Adult, the current view made safe to join with the earlier one: loss, errors of a learner, and how many people stand behind an x."""
        now, ranks = table.NOW[at["set"]], table.RANKS[at["set"]]
        guarded = now[:at["sensitive"]] if "sensitive" in at else []
        known = [column for column in now if column not in guarded] if guarded else list(dict.fromkeys(ranks[:at["top"]] + table.SHARED))
        table.write_views(now + ["class"])
        roles = {column: "sensitive" if column in guarded else "quasi" if column in known else "insensitive" for column in now} | {"class": "class"}
        text = "".join(table.attribute(column, role) for column, role in roles.items())
        if guarded:
            values = ", ".join(f"{measure.toml_value(column)} = {measure.toml_value(table.rarer_half(column))}" for column in guarded)
            model = f'model = "xy-linkability"\nx = {measure.toml_value(known)}\nvalues = {{ {values} }}\nh = {at["h"]}\n'
        else:
            x = known + ["previous.native-country", "previous.race"]
            model = f'model = "xy-anonymity"\nx = {measure.toml_value(x)}\ny = "{at.get("y", "person")}"\nk = {at["k"]}\n'
        report = self.release_next(table.folder, text + "[[privacy]]\n" + model)
        figures = {"loss": report["utility"]["information_loss"]}
        if not guarded:
            figures["few_people"] = share_of_few_people(table, self.output, known, at["k"])
        return figures | self.errors_of_views(table, text)

    def errors_of_views(self, table, columns):
        """cost: over the original. join_saved, sensitive_saved: over the original without the shared columns, or without the sensitive ones."""
        def errors(release, policy):
            said, _ = measure.run([self.cordon, "evaluate", release, "--original", table.folder / "now.csv", "--policy", policy, "--json", "--queries", 1,
                                   "--classify", "class", "--learner", "tree", "--test", table.folder / "now_test.csv", "--masked-test"])
            return measure.json.loads(said)["classification"]
        found = errors(self.output, self.policy)
        policy = "".join(table.attribute(column, "quasi" if column in table.SHARED else "class" if column == "class" else "insensitive")
                         for column in re.findall(r"\[attributes\.(.*)\]", columns)) + '[[privacy]]\nmodel = "k-anonymity"\nk = 1\n'
        if policy not in self.kept:  # a model that speaks of the shared columns: what is left without them, the same for every release of these columns
            without = table.folder / "without.toml"
            without.write_text(policy, encoding="utf-8")
            self.kept[policy] = errors(table.folder / "now.csv", without)["upper_error"]
        shared = self.kept[policy]
        made = {"baseline": 100 * found["baseline_error"], "anonymization": 100 * found["anonymization_error"], "without_shared": 100 * shared}
        made |= {"cost": made["anonymization"] - made["baseline"], "join_saved": made["without_shared"] - made["anonymization"]}
        if "removal_error" in found:
            made["sensitive_saved"] = 100 * found["removal_error"] - made["anonymization"]
        return made

    def names(self, table, experiment, at):
        """Whether a release exists that hides the diseases of a name, and what it costs; `closed` assumes that the job of a target is known."""
        table.write("now.csv", ["name", "job"])
        table.write("before.csv", ["job", "ill"])
        x = ["name"] if at["regime"] == "linking" else ["name", "job"]
        policy = ('[attributes.name]\nrole = "insensitive"\n[attributes.job]\nrole = "quasi"\nhierarchy = "job.csv"\n[[privacy]]\nmodel = "xy-linkability"\n'
                  f'x = {measure.toml_value(x)}\nvalues = {{ "previous.ill" = ["HIV"] }}\nh = {at["h"]}\n')
        try:
            return {"made": 1, "loss": self.release_next(table.folder, policy)["utility"]["information_loss"]}
        except measure.Failed:
            return {"made": 0}

    def refusals(self, table, experiment, at):
        """Of small random tables with jobs as they are and generalized: how many bounds hold on the join and are refused, because the table alone
        tells more or because links are forced. The earlier release is recoded locally."""
        policy, most = table.folder / "small.toml", Fraction(str(at["h"]))
        models = "".join(f'[[privacy]]\nmodel = "xy-linkability"\nx = ["name"]\nvalues = {{ {values} }}\nh = {at["h"]}\n'
                         for values in ('ill = ["HIV"]', '"previous.test" = ["yes"]'))
        policy.write_text('[attributes.name]\nrole = "insensitive"\n[attributes.job]\nrole = "quasi"\nhierarchy = "job.csv"\n[attributes.ill]\nrole = "sensitive"\n'
                          + models, encoding="utf-8")
        figures = {"hold": 0, "alone": 0, "links": 0}
        for number in range(at["tables"]):
            small = type(table)(table.folder, len(table.people), 1000 * self.seed + number)
            if not {"HIV", "yes"} <= {cell for person in small.people for cell in person.values()}:
                continue  # nobody has what is to be hidden
            draw = random.Random(number)
            small.write("before.csv", ["job", "test"], lambda person: table.JOBS[person["job"]] if draw.random() < 0.4 else person["job"])
            for job in (lambda person: person["job"], lambda person: table.JOBS[person["job"]]):
                small.write("now.csv", ["name", "job", "ill"], job)
                said = subprocess.run([self.cordon, "verify", table.folder / "now.csv", "--previous", table.folder / "before.csv", "--policy", policy, "--json"],
                                      capture_output=True, text=True).stdout
                for found in measure.json.loads(said)["join"]["privacy"]:
                    if Fraction(found["reached"]) <= most:
                        figures["hold"] += 1
                        figures["alone"] += Fraction(found["reached_alone"] or 0) > most
                        figures["links"] += Fraction(found["reached_without_forced_links"] or 0) > most
        return figures

    def stream(self, table, experiment, at):
        """A stream's output: loss, penalty, cost, delay, CPU seconds."""
        self.last = (None, None)  # its output takes the place of the last release
        name, options = algorithm_text(at["algorithm"])
        text = table.policy(at.get("quasi"), at.get("sensitive"), extra="unguarded") + models_text(experiment["models"], at, at.get("sensitive") or table.sensitive)
        settings = filled(experiment.get("stream", {}), at, None)
        extra = filled(experiment.get("algorithm", {}), at, None)
        if extra and not options:
            options = f"[algorithm.{name}]\n"
        text += "[stream]\n" + measure.toml_keys(settings) + options + measure.toml_keys(extra)
        self.policy.write_text(text, encoding="utf-8")
        command = [self.cordon, "stream", table.path, "--policy", self.policy, "--algorithm", name, "--seed", self.seed, "--insecure-seed", "--report",
                   self.report, "--output", self.output, "--audit", self.audit, "--force"]
        _, cost = measure.run(command)
        report = measure.read_json(self.report)
        figures = {"loss": report["utility"]["information_loss"], "suppressed": report["suppressed"], "cpu": cost.cpu_s, **report.get("figures", {})}
        if "windows" in experiment:
            figures["window_error"] = self.window_error(table, experiment, at)
        return figures | self.utility(table, experiment, at)

    def window_error(self, table, experiment, at):
        """The median error of counting queries in a window of the stream, on average over the windows."""
        windows = filled({"windows": experiment["windows"]}, at, None)["windows"]
        said, _ = measure.run([self.cordon, "evaluate", "--stream", self.output, "--audit", self.audit, "--original", table.path, "--policy", self.policy, "--json",
                               "--windows", windows, "--queries", experiment["window_queries"], "--query-quasi", at.get("lambda", 3), "--query-selectivity",
                               at.get("theta", 0.1)])
        return measure.json.loads(said)["query_error_median"]


NOTHING_DRAWN = ("classify", "views", "party", "templates", "pairs", "ke_appends")


def seeds_of(experiment, seeds):
    """One seed is enough if nothing is drawn."""
    return seeds[:1] if experiment.get("kind") in NOTHING_DRAWN else seeds


def run(experiment, scale, seeds, cordon, folder, data):
    """Every point of the experiment's grids for every seed. -> rows with the grid's values and the figures"""
    rows = []
    for seed in seeds_of(experiment, seeds):
        runner = Runner(cordon, folder, seed)
        for grid in experiment["grids"]:
            for at in points(grid):
                fixed = {**experiment.get("table_keys", {}), **{key: at[key] for key in experiment.get("table_grid", []) if key in at}}
                size = at.get("rows") or experiment["rows"][scale]
                table = tables.TABLES[experiment["table"]](cordon, folder, data, int(size), seed, **fixed)
                try:
                    figures = getattr(runner, experiment.get("kind", "release"))(table, experiment, at)
                except measure.Failed as failed:
                    print(f"{at}: {failed}", file=sys.stderr)
                    figures = {}
                rows.append({"seed": seed, **at, **figures})
    return rows
