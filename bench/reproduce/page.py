# SPDX-License-Identifier: Apache-2.0
"""The page of verdicts, and a plot per experiment as SVG."""
import html
import math
from collections import defaultdict
from statistics import mean

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 320, 60, 40, 30, 200
COLOURS = ["#1f5f99", "#c2561a", "#3a7d44", "#7d4f9e", "#8a6d1d", "#4a4a4a", "#b0305c", "#2b8c8c"]


def number(value):
    return f"{value:.4g}"


def means(rows, columns):
    """A row per point of the grid: mean, least and most of every figure over the seeds."""
    found = defaultdict(list)
    for row in rows:
        found[tuple(row.get(name) for name in columns)].append(row)
    figures = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in ("seed", *columns)]
    lines = []
    for key, same in found.items():
        line = {**dict(zip(columns, key)), "seeds": len(same)}
        for name in figures:
            values = [row[name] for row in same if row.get(name) is not None]
            line |= {name: number(mean(values)), f"{name}_least": number(min(values)), f"{name}_most": number(max(values))} if values else {}
        lines.append(line)
    return lines


def lines_of(experiment, rows):
    """{name of the line: [(x, mean y, least, most)]}: one line per combination of the other columns that vary. x and y are the experiment's."""
    x, y = experiment["x"], experiment["y"]
    columns = [name for name in experiment["columns"] if name != x]
    varied = [name for name in columns if len({row.get(name) for row in rows}) > 1]
    found = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.get(y) is not None and row.get(x) is not None and math.isfinite(row[y]):
            label = ", ".join(str(row[name]) if name == "algorithm" else f"{name} {row[name]}" for name in varied if row.get(name) is not None)
            found[label or str(row.get("algorithm", y))][row[x]].append(row[y])
    return {label: [(at, mean(values), min(values), max(values)) for at, values in sorted(line.items())] for label, line in found.items() if len(line) > 1}


def plot(experiment, rows):
    lines = lines_of(experiment, rows)
    if not lines:
        return None
    xs, ys = [point[0] for line in lines.values() for point in line], [point[3] for line in lines.values() for point in line]
    low, high, top = min(xs), max(xs), max(ys) * 1.05 or 1
    across = lambda x: LEFT + (x - low) / ((high - low) or 1) * (WIDTH - LEFT - RIGHT)  # noqa: E731
    down = lambda y: HEIGHT - BOTTOM - y / top * (HEIGHT - BOTTOM - TOP)  # noqa: E731
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + 14}" font-family="sans-serif" font-size="10">',
             f'<title>{html.escape(experiment["title"])}</title><rect width="{WIDTH}" height="{HEIGHT + 14}" fill="white"/>',
             f'<text x="{LEFT}" y="16" font-size="12">{html.escape(experiment["title"])}</text>',
             f'<path d="M{LEFT},{TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="#888"/>',
             f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(experiment["x"])}</text>',
             f'<text x="14" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 {HEIGHT / 2})">{html.escape(experiment["y"])}</text>']
    for value in sorted(set(xs)):
        parts.append(f'<text x="{across(value):.1f}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{number(value)}</text>')
    for step in range(5):
        value = top * step / 4
        parts.append(f'<text x="{LEFT - 6}" y="{down(value) + 3:.1f}" text-anchor="end">{number(value)}</text>')
    for index, (label, line) in enumerate(lines.items()):
        colour = COLOURS[index % len(COLOURS)]
        dash = f' stroke-dasharray="{4 + index // len(COLOURS) * 3}"' if index >= len(COLOURS) else ""
        parts.append('<path d="M' + "L".join(f"{across(x):.1f},{down(y):.1f}" for x, y, _, _ in line) + f'" fill="none" stroke="{colour}"{dash}/>')
        ranges = "".join(f"M{across(x):.1f},{down(least):.1f}V{down(most):.1f}" for x, _, least, most in line if most > least)
        parts += [f'<path d="{ranges}" stroke="{colour}"/>'] if ranges else []
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{TOP + 12 * index + 8}" fill="{colour}">{html.escape(label[:42])}</text>')
    made = f"{experiment['facts']['command']}, commit {experiment['facts']['commit']}; bars: least and most of the seeds"
    parts.append(f'<text x="{LEFT}" y="{HEIGHT + 8}" font-size="8" fill="#666">{html.escape(made)}</text>')
    return "\n".join([*parts, "</svg>", ""])


WORDS = ["reproduced", "in part", "depends on", "not", "no figures", "data not available", "not run"]
SIZES = {"paper": "the sources'", "small": "small", None: ""}
HEAD = """# What the sources claim, run again

`bench/reproduce.py --scale paper` runs the experiments of the sources at their sizes. Each claim
has a test in `bench/reproduce/claims.toml`. The verdict is computed from the CSV file of the
experiment. Nobody writes verdicts.

- *reproduced*: the test holds in every cell of the grid.
- *in part*: it holds in some cells.
- *not*: it holds in none.
- *depends on*: the source leaves something open. The verdict of each reading is given.

Each figure is the mean over the seeds. Plots and the `-mean` files show the range. An experiment in
which nothing is drawn has one seed. Census, sal, power-law streams and transactions are synthetic
tables. They stand in for data that nobody may distribute."""


def summary(claims, verdicts, experiments):
    """How many claims came out how, by scale."""
    lines = []
    for scale, size in (("paper", "At the sources' sizes"), ("small", "Not at the sources' sizes, but in a small run"), (None, "Without a run")):
        words = [verdicts[claim["id"]].word for claim in claims if scale_of(experiments[claim["experiment"]]) == scale]
        counts = ", ".join(f"{words.count(word)} {'by the reading' if word == 'depends on' else word}" for word in WORDS if word in words)
        lines += [f"- {size}: {counts}."] if words else []
    return lines


def scale_of(experiment):
    return experiment.get("facts", {}).get("scale")


def made_by(name, experiment, folder):
    """What made an experiment's figures, and where they are."""
    facts = experiment.get("facts")
    if facts is None:
        return [f"Not run. `bench/reproduce.py {name} --scale paper` runs it."]
    if "not_available" in facts:
        return [f"Not run, because {facts['not_available']} is not there: `{facts['command']}`."]
    lines = ["Not run at the sources' sizes. The figures are those of a small run.", ""] if facts["scale"] == "small" else []
    seeds = facts["seeds"]
    files = [f"[every run]({folder}{name}.csv)", f"[mean and range]({folder}{name}-mean.csv)"] + ([f"[plot]({folder}{name}.svg)"] if experiment.get("plotted") else [])
    return [*lines, f"- command: `{facts['command']}`", f"- commit {facts['commit']}, {'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, seeds))}, "
            f"{facts['cpu_s']:.0f} CPU seconds", *([f"- {experiment['without_release']} of {experiment['runs']} runs made no release and do not count"] if experiment["without_release"] else []),
            *(f"- {file}" for file in files)]


def page(claims, verdicts, experiments, folder):
    """Markdown: how the claims came out, a table of all of them, and what made each experiment. `folder`: where its files are, as seen from the page."""
    lines = [HEAD, "", *summary(claims, verdicts, experiments), "",
             "| claim | source | what it says | scale | verdict | figures |", "|---|---|---|---|---|---|"]
    for claim in claims:
        name = claim["experiment"]
        shown = f"[{name}](#{name})"
        shown += f", [plot]({folder}{name}.svg)" if experiments[name].get("plotted") else ""
        lines.append(f"| <a id=\"{claim['id'].lower()}\"></a>{claim['id']} | {claim['source']} | {claim['says']} | {SIZES[scale_of(experiments[name])]} | "
                     f"{verdicts[claim['id']].text()} | {shown} |")
    lines += ["", "## The experiments", ""]
    for name, experiment in experiments.items():
        lines += [f"### {name}", "", experiment["title"] + ".", "", *made_by(name, experiment, folder), ""]
    return "\n".join(lines)
