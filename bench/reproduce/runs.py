# SPDX-License-Identifier: Apache-2.0
"""Runs of cordon for the experiments. Every function here makes one release, as a user would, and returns its figures by name."""
import csv
import itertools
import math
import sys
from collections import Counter

import measure

OPTION_TABLES = {"dmondrian": "mondrian", "sabre-ak": "sabre", "sabre-knn": "sabre", "burel-paper": "burel"}


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


class Runner:
    """One experiment on one table: policies, runs and evaluations in a scratch folder."""

    def __init__(self, cordon, folder, seed):
        self.cordon, self.folder, self.seed, self.tables = cordon, folder, seed, {}
        self.policy, self.report, self.output = folder / "run.toml", folder / "run.json", folder / "out.csv"

    def release(self, table, experiment, at):
        """A table's release: loss, groups, CPU seconds and what each model reached; with the measures of utility that are asked for."""
        name, options = algorithm_text(at["algorithm"])
        models = experiment["models"]
        if name == "dmondrian":  # Mondrian under the delta-disclosure that implies beta-likeness
            name, models = "mondrian", [{"model": "delta-disclosure", "sensitive": "$sensitive", "delta": derived_delta(table, at["beta"])}]
        text = table.policy(at.get("quasi"), at.get("sensitive")) + models_text(models, at, at.get("sensitive") or table.sensitive)
        self.policy.write_text(text + options, encoding="utf-8")
        self.output.unlink(missing_ok=True)
        command = [self.cordon, "anonymize", table.path, "--policy", self.policy, "--algorithm", name, "--seed", self.seed, "--threads", 1, "--report",
                   self.report, "--force", "--output", self.output]
        _, cost = measure.run(command)
        report = measure.read_json(self.report)
        figures = {"loss": report["utility"]["information_loss"], "groups": report["groups"], "cpu": cost.cpu_s, "seconds": report["seconds"]["anonymize"]}
        for verdict in report["privacy"]:
            figures[verdict["model"]] = verdict["reached"]
        return figures | self.utility(table, experiment, at)

    def face(self, table, experiment, at):
        """The gain in belief that a release allows, at the closeness that BUREL's release reaches for the same beta."""
        watch = [{"model": "t-closeness", "sensitive": "$sensitive", "t": 1, "distance": "ordered"},
                 {"model": "beta-likeness", "sensitive": "$sensitive", "beta": 100000000, "kind": "basic"}]
        likeness = {"model": "beta-likeness", "sensitive": "$sensitive", "beta": at["beta"]}
        burel = self.release(table, {"models": [likeness, *watch]}, {**at, "algorithm": "burel-paper"})
        if at["algorithm"] != "burel-paper":
            closeness = {"model": "t-closeness", "sensitive": "$sensitive", "t": math.ceil(burel["t-closeness"] * 1e6) / 1e6, "distance": "ordered"}
            burel = self.release(table, {"models": [closeness, watch[1]]}, at)
        return {"loss": burel["loss"], "gain": burel["beta-likeness"], "t-closeness": burel["t-closeness"]}

    def utility(self, table, experiment, at):
        flags = []
        if "queries" in experiment:
            flags += ["--queries", experiment["queries"], "--query-quasi", at.get("lambda", 3), "--query-selectivity", at.get("theta", 0.1)]
        if "level" in at or "kl" in experiment:
            flags += ["--kl", at.get("level", experiment.get("kl"))]
        if not flags:
            return {}
        said, _ = measure.run([self.cordon, "evaluate", self.output, "--original", table.path, "--policy", self.policy, "--json", *flags])
        found = measure.json.loads(said)
        return {"error": found.get("query_error_median"), "kl": found.get("kl_divergence")}

    def classify(self, table, experiment, at):
        """Errors of a learner: trained on the original, on the release, without what is masked, without what is sensitive. Adult has test rows of
        its own, masked as the release is; other tables are cross-validated."""
        words = experiment["policy"].format(**at)
        self.policy = table.folder / "run.toml"
        self.policy.write_text(table.policy(words), encoding="utf-8")
        measure.run([self.cordon, "anonymize", table.path, "--policy", self.policy, "--output", self.output, "--force"])
        test = ["--test", table.test, "--masked-test"] if table.test else []
        said, _ = measure.run([self.cordon, "evaluate", self.output, "--original", table.path, "--policy", self.policy, "--json", "--queries", 1, "--classify",
                               "class", "--learner", at["learner"], *test])
        found = measure.json.loads(said)["classification"]
        errors = {name: 100 * found[f"{name}_error"] for name in ["baseline", "anonymization", "upper", "removal"] if f"{name}_error" in found}
        errors["cost"] = errors["anonymization"] - errors["baseline"]
        errors["saved"] = errors.get("removal", errors["upper"]) - errors["anonymization"]
        return errors

    def stream(self, table, experiment, at):
        """A stream's output: loss, penalty, cost, delay, CPU seconds."""
        name, options = algorithm_text(at["algorithm"])
        text = table.policy(at.get("quasi"), at.get("sensitive"), extra="unguarded") + models_text(experiment["models"], at, at.get("sensitive") or table.sensitive)
        settings = filled(experiment.get("stream", {}), at, None)
        extra = filled(experiment.get("algorithm", {}), at, None)
        if extra and not options:
            options = f"[algorithm.{name}]\n"
        text += "[stream]\n" + measure.toml_keys(settings) + options + measure.toml_keys(extra)
        self.policy.write_text(text, encoding="utf-8")
        command = [self.cordon, "stream", table.path, "--policy", self.policy, "--algorithm", name, "--seed", self.seed, "--insecure-seed", "--report",
                   self.report, "--output", self.output, "--force"]
        _, cost = measure.run(command)
        report = measure.read_json(self.report)
        figures = {"loss": report["utility"]["information_loss"], "suppressed": report["suppressed"], "cpu": cost.cpu_s, **report.get("figures", {})}
        return figures | self.utility(table, experiment, at)


def run(experiment, scale, seeds, cordon, folder, data, tables, say):
    """Every point of the experiment's grids for every seed. -> rows with the grid's values and the figures"""
    rows = []
    for seed in seeds[:1] if experiment.get("kind") == "classify" else seeds:  # nothing is drawn there
        runner = Runner(cordon, folder, seed)
        for grid in experiment["grids"]:
            for at in points(grid):
                fixed = {**experiment.get("table_keys", {}), **{key: at[key] for key in experiment.get("table_grid", []) if key in at}}
                size = at.get("rows") or experiment["rows"][scale]
                table = tables[experiment["table"]](cordon, folder, data, int(size), seed, **fixed)
                try:
                    figures = getattr(runner, experiment.get("kind", "release"))(table, experiment, at)
                except measure.Failed as failed:
                    print(f"{at}: {failed}", file=sys.stderr)
                    figures = {}
                rows.append({"seed": seed, **at, **figures})
                say(rows[-1])
    return rows
