# SPDX-License-Identifier: Apache-2.0
"""The page of verdicts, and a plot per experiment as SVG."""
import html
from collections import defaultdict
from statistics import mean

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 320, 60, 40, 30, 200
COLOURS = ["#1f5f99", "#c2561a", "#3a7d44", "#7d4f9e", "#8a6d1d", "#4a4a4a", "#b0305c", "#2b8c8c"]


def number(value):
    return f"{value:.4g}"


def lines_of(experiment, rows):
    """{name of the line: [(x, y)]}: one line per combination of the other columns that vary. x and y are the experiment's."""
    x, y = experiment["x"], experiment["y"]
    columns = [name for name in experiment["columns"] if name != x]
    varied = [name for name in columns if len({row.get(name) for row in rows}) > 1]
    found = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.get(y) is not None and row.get(x) is not None:
            label = ", ".join(str(row[name]) if name == "algorithm" else f"{name} {row[name]}" for name in varied if row.get(name) is not None)
            found[label or str(row.get("algorithm", y))][row[x]].append(row[y])
    return {label: [(at, mean(values)) for at, values in sorted(line.items())] for label, line in found.items() if len(line) > 1}


def plot(experiment, rows):
    lines = lines_of(experiment, rows)
    if not lines:
        return None
    xs, ys = [x for line in lines.values() for x, _ in line], [y for line in lines.values() for _, y in line]
    low, high, top = min(xs), max(xs), max(ys) * 1.05 or 1
    across = lambda x: LEFT + (x - low) / ((high - low) or 1) * (WIDTH - LEFT - RIGHT)  # noqa: E731
    down = lambda y: HEIGHT - BOTTOM - y / top * (HEIGHT - BOTTOM - TOP)  # noqa: E731
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="10">',
             f'<title>{html.escape(experiment["title"])}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
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
        parts.append('<path d="M' + "L".join(f"{across(x):.1f},{down(y):.1f}" for x, y in line) + f'" fill="none" stroke="{colour}"{dash}/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{TOP + 12 * index + 8}" fill="{colour}">{html.escape(label[:42])}</text>')
    return "\n".join([*parts, "</svg>", ""])


def page(claims, verdicts, experiments, facts):
    """Markdown: what was run, a table of all claims, how to repeat each experiment."""
    words = defaultdict(int)
    for verdict in verdicts.values():
        words[verdict.word] += 1
    lines = ["# What the sources claim, run again", "",
             f"Made by `{facts['command']}` at commit {facts['commit']}: scale `{facts['scale']}`, seeds {facts['seeds']}. Verdicts are worked out from the",
             "figures by the tests in `bench/reproduce/claims.toml`; nobody writes them. A claim is *reproduced* if its test holds in every cell of the grid,",
             "*in part* if in some, *not* if in none. Census, sal and transactions are synthetic tables that stand in for data nobody may distribute.", "",
             "; ".join(f"{words[word]} {word}" for word in ["reproduced", "in part", "depends on", "not", "no figures", "data not available"] if words[word]) + ".", "",
             "| claim | source | what it says | verdict | figures |", "|---|---|---|---|---|"]
    for claim in claims:
        name = claim["experiment"]
        shown = f"[{name}]({name}.csv)" + (f", [plot]({name}.svg)" if experiments[name].get("plotted") else "")
        lines.append(f"| {claim['id']} | {claim['source']} | {claim['says']} | {verdicts[claim['id']].text()} | {shown} |")
    lines += ["", "## To repeat one experiment", ""]
    lines += [f"- {experiment['title']}: `bench/reproduce.py {name} --scale {facts['scale']}`" for name, experiment in experiments.items()]
    return "\n".join([*lines, ""])
