# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows and keeps: figures in a frame without scripts, and no cell."""
import html
import pickle
import re

import polars
import pytest
from conftest import patients

import pycordon


@pytest.fixture
def secret_frame():
    made = patients()
    made["disease"] = [f"secret{i * 7 % 4}" for i in range(300)]
    made["zip"] = [f"9{each}" for each in made["zip"]]
    return polars.DataFrame(made)


def test_the_frame_of_a_release_shows_verdicts_loss_and_risk(secret_frame, policy):
    release = pycordon.anonymize(secret_frame, policy)
    page = release._repr_html_()
    assert page.startswith('<iframe sandbox=""') and page.endswith("</iframe>")
    inside = html.unescape(re.search(r'srcdoc="([^"]*)"', page).group(1))
    assert "k-anonymity(k=5)" in inside and "holds" in inside
    assert f"{release.report.information_loss:.4f}" in inside and "risk" in inside
    assert "<script" not in inside and "http" not in inside


def test_no_page_holds_a_cell(secret_frame, policy):
    release = pycordon.anonymize(secret_frame, policy)
    answers = [
        release,
        release.report,
        pycordon.verify(release, policy, original=secret_frame),
        pycordon.evaluate(release, secret_frame, policy, queries=20),
        pycordon.check(secret_frame, quasi=["age", "zip"], sensitive="disease"),
        pycordon.compare({"a": release, "b": release}, secret_frame, policy, queries=20),
        pycordon.sweep(secret_frame, policy, k=[2, 5]),
        pycordon.inspect(secret_frame),
    ]
    cells = set(secret_frame["disease"]) | set(secret_frame["zip"])
    for answer in answers:
        shown = answer._repr_html_() + repr(answer) + str(getattr(answer, "json", ""))
        # Numbers may meet by chance: what counts are texts that only the data has, as words of their own.
        words = set(re.findall(r"[A-Za-z]\w+", shown))
        assert not words & cells, type(answer)


def test_names_of_columns_cannot_break_out_of_the_frame(tmp_path):
    name = '"><script>alert(1)</script>'
    frame = polars.DataFrame({name: [1, 1, 2, 2]})
    policy = pycordon.Policy.from_dict(
        {"attributes": {name: {"role": "quasi", "type": "numeric"}}, "privacy": [{"model": "k-anonymity", "k": 2}]}
    )
    release = pycordon.anonymize(frame, policy)
    for page in (release._repr_html_(), pycordon.inspect(frame)._repr_html_(), pycordon.sweep(frame, policy, k=2)._repr_html_()):
        assert "<script" not in page and page.count("<iframe") == 1


def test_the_full_page_is_that_of_the_command_line(frame, policy, monkeypatch, capsys):
    release = pycordon.anonymize(frame, policy)
    page = release.report.html()
    assert page.startswith("<!DOCTYPE html>") and "k-anonymity(k=5)" in page
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    release.report.show()
    assert opened and opened[0].startswith("file:")
    assert "private page" in capsys.readouterr().out


def test_errors_and_figures_print(frame, policy):
    assert "k-anonymity(k=5): holds" in str(pycordon.anonymize(frame, policy).report)
    error = pycordon.InvalidPolicy("what", "how")
    assert str(error) == "what\nhint: how" and error.message == "what" and error.hint == "how"
    assert str(pycordon.InputOutputError("what", "how")) == "what\nhint: how"
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is pycordon.InvalidPolicy and copy.hint == "how"
    assert isinstance(error, ValueError) and issubclass(pycordon.InputOutputError, OSError)
