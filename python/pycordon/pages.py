# SPDX-License-Identifier: Apache-2.0
"""Answers as small pages for notebooks. A notebook is saved with what it shows, so these hold figures and no cell."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .results import Report, Verdict, Verification

_STYLE = """body{font:14px system-ui,sans-serif;margin:8px;color:#222;background:#fff}
table{border-collapse:collapse;margin:6px 0}td,th{padding:3px 12px 3px 0;text-align:left;border-bottom:1px solid #ddd}
.yes{color:#0a6b2d}.no{color:#b00020;font-weight:600}pre{font:12px ui-monospace,monospace}
@media (prefers-color-scheme:dark){body{color:#ddd;background:#1c1c1c}td,th{border-color:#444}.yes{color:#6fcf97}.no{color:#ff8a80}}"""


def framed(body: str, height: int = 320) -> str:
    """A separate frame without scripts: its styles do not meet those of the notebook."""
    page = f"<!DOCTYPE html><meta charset='utf-8'><style>{_STYLE}</style>{body}"
    return f'<iframe sandbox="" style="width:100%;height:{height}px;border:0" srcdoc="{escape(page)}"></iframe>'


def preformatted(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def _rows(rows: list[tuple[str, str]]) -> str:
    return "<table>" + "".join(f"<tr><th>{escape(name)}</th><td>{value}</td></tr>" for name, value in rows) + "</table>"


def _verdicts(privacy: tuple[Verdict, ...]) -> str:
    def answer(verdict: Verdict) -> str:
        return '<span class="yes">holds</span>' if verdict.holds else '<span class="no">does not hold</span>'

    body = "".join(
        f"<tr><td>{escape(each.model)}</td><td>{answer(each)}</td><td>{escape(each.reached)}</td></tr>" for each in privacy
    )
    return f"<table><tr><th>model</th><th>verdict</th><th>reached</th></tr>{body}</table>"


def _risk(figures: dict[str, Any]) -> list[tuple[str, str]]:
    if "risk" not in figures:
        return []

    def before_and_after(attacker: str, key: str) -> str:
        before, after = (figures["risk"][side][attacker][key] for side in ("original", "release"))
        return f"{before:.4g} before, {after:.4g} after"

    return [
        ("highest risk of a person", before_and_after("prosecutor", "highest")),
        ("average risk", before_and_after("prosecutor", "average")),
    ]


def report(made: Report, figures: dict[str, Any]) -> str:
    rows = [
        ("rows", f"{made.rows:,}"),
        ("suppressed", f"{made.suppressed:,}"),
        ("algorithm", escape(made.algorithm)),
        ("information loss", f"{made.information_loss:.4f}"),
        *_risk(figures),
    ]
    warnings = "".join(f"<p class='no'>{escape(each.code)}: {escape(each.text)}</p>" for each in made.warnings)
    return _verdicts(made.privacy) + _rows(rows) + warnings


def verification(found: Verification) -> str:
    truth = {None: "not asked", True: "yes", False: '<span class="no">no</span>'}[found.true_of_original]
    notes = "".join(f"<p>{escape(note)}</p>" for note in found.notes)
    return _verdicts(found.privacy) + _rows([("rows", f"{found.rows:,}"), ("true of the original", truth)]) + notes


def _in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None


def show(page: str) -> None:
    if _in_notebook():
        from IPython.display import HTML, display

        display(HTML(f'<iframe sandbox="" style="width:100%;height:640px;border:0" srcdoc="{escape(page)}"></iframe>'))
        return
    import os
    import tempfile
    import webbrowser
    from pathlib import Path

    handle, name = tempfile.mkstemp(prefix="pycordon-", suffix=".html")  # for its owner alone
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(page)
    print(f"private page: {name}")
    webbrowser.open(Path(name).as_uri())
