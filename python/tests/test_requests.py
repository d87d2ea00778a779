# SPDX-License-Identifier: Apache-2.0
"""Every function, and that it says what the command line says."""
import json

import polars
import pytest
from conftest import patients, rows_of, run_cordon

import pycordon


def test_anonymize_makes_a_release_that_verifies(frame, policy):
    release = pycordon.anonymize(frame, policy)
    assert len(release) == 300
    assert [verdict.holds for verdict in release.report.privacy] == [True, True]
    assert release.report.privacy[0].model == "k-anonymity(k=5)"
    assert sorted(release.input_rows) == list(range(300))
    found = pycordon.verify(release, policy, original=frame)
    assert found and found.holds and found.true_of_original and found.rows == 300
    assert not pycordon.verify(frame, policy)


def test_options_reach_the_engine(frame, policy):
    release = pycordon.anonymize(frame, policy, order="input", group_column=True, algorithm="mondrian", effort="low", threads=1)
    assert release.report.algorithm.startswith("mondrian")
    assert list(release.input_rows) == list(range(300))
    assert release.columns[-1] == "group"
    assert "risk" in release.report.to_dict()
    assert "risk" not in pycordon.anonymize(frame, policy, risk=False).report.to_dict()
    assert pycordon.anonymize(frame, policy, seconds=0.2).report.rows == 300


def test_a_seed_repeats_a_run(frame, policy):
    assert rows_of(pycordon.anonymize(frame, policy, seed=3)) == rows_of(pycordon.anonymize(frame, policy, seed=3))


def test_unsatisfiable_tells_what_would_do(frame):
    policy = pycordon.PolicyBuilder().quasi("age", type="numeric").k_anonymity(301).build()
    with pytest.raises(pycordon.Unsatisfiable) as caught:
        pycordon.anonymize(frame.select("age"), policy)
    assert caught.value.hint and caught.value.hint in str(caught.value)


def test_write_makes_the_files_of_the_command_line(frame, policy, tmp_path):
    release = pycordon.anonymize(frame, policy)
    release.write(tmp_path / "out.csv")
    names = ["out.csv", "out.csv.codebook.json", "out.csv.manifest.json", "out.csv.private.json"]
    assert sorted(each.name for each in tmp_path.iterdir()) == names
    assert pycordon.verify(tmp_path / "out.csv", policy)
    with pytest.raises(pycordon.Error):
        release.write(tmp_path / "out.csv")  # is there already
    release.write(tmp_path / "out.csv", force=True)
    release.write(tmp_path / "out.jsonl")
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert set(first) == {"age_lo", "age_hi", "zip", "disease"}
    release.write(tmp_path / "one.jsonl", bounds=False)
    assert set(json.loads((tmp_path / "one.jsonl").read_text().splitlines()[0])) == {"age", "zip", "disease"}
    with pytest.raises(pycordon.InputOutputError):
        release.write(tmp_path / "no such folder" / "out.csv")
    with pytest.raises(pycordon.InvalidPolicy):
        release.write(tmp_path / "out.x", format="nonsense")


def test_evaluate(frame, policy):
    release = pycordon.anonymize(frame, policy)
    found = pycordon.evaluate(release, frame, policy, queries=50)
    assert found.information_loss == pytest.approx(release.report.information_loss)
    assert set(found.loss_by_column) == {"age", "zip"}
    assert found.median_query_error is not None and found.groups > 1
    assert pycordon.evaluate(release, frame, policy).median_query_error is None


def test_bound(frame, policy):
    release = pycordon.anonymize(frame, policy, bound=True)
    bound = release.report.bound
    assert 0 < bound.information_loss <= release.report.information_loss and bound.confidence == 1
    assert bound.ratio == pytest.approx(release.report.information_loss / bound.information_loss)
    assert release.report.to_dict()["bound"]["ratio"] == bound.ratio
    found = pycordon.evaluate(release, frame, policy, bound=True).bound
    assert found.information_loss == bound.information_loss and found.ratio == pytest.approx(bound.ratio)
    assert pycordon.evaluate(release, frame, policy).bound is None


def test_check(frame):
    checked = pycordon.check(frame, quasi=["age", "zip"], sensitive="disease")
    assert checked.k == checked.privacy[0].value >= 1
    assert checked.privacy[1].model == "l-diversity(disease, distinct)"
    assert checked.rows == 300 and checked.groups > 1
    with pytest.raises(pycordon.Error, match="aeg"):
        pycordon.check(frame, quasi="aeg")
    with pytest.raises(TypeError):
        pycordon.check(frame, quasi=[1])


def test_compare(frame, policy):
    fine = pycordon.anonymize(frame, policy)
    coarse = pycordon.anonymize(frame, pycordon.Policy.from_toml(policy.toml.replace('"k" = 5', '"k" = 50')))
    compared = pycordon.compare({"fine": fine, "coarse": coarse}, frame, policy, queries=20)
    assert [each.name for each in compared.releases] == ["fine", "coarse"]
    assert compared.releases[0].information_loss < compared.releases[1].information_loss
    assert compared.releases[0].highest_risk > compared.releases[1].highest_risk
    assert pycordon.compare([fine, coarse], frame, policy, queries=0).releases[1].name == "release 2"


def test_sweep(frame, policy):
    swept = pycordon.sweep(frame, policy, k=[2, 10, 301])
    assert [point.parameters["k"] for point in swept.points] == ["2", "10", "301"]
    assert [point.satisfiable for point in swept.points] == [True, True, False]
    assert swept.points[2].information_loss is None and swept.points[2].why_not
    assert swept.svg.startswith("<svg")
    with pytest.raises(pycordon.InvalidPolicy):
        pycordon.sweep(frame, policy)
    with pytest.raises(pycordon.InvalidPolicy, match="whole"):
        pycordon.sweep(frame, policy, k=2.5)


def test_inspect_and_draft(frame, tmp_path):
    found = pycordon.inspect(frame)
    assert [column.name for column in found.columns] == ["age", "zip", "disease"]
    assert found.columns[0].type == "numeric" and found.columns[0].distinct == 60
    policy = pycordon.draft_policy(frame, k=5)
    assert 'role = "' in policy.toml
    assert pycordon.anonymize(frame, policy).report.privacy[0].holds
    written = pycordon.draft_policy(frame, k=5, path=tmp_path / "draft.toml")
    assert written == policy and (tmp_path / "draft.toml").exists()
    with pytest.raises(pycordon.Error):
        pycordon.draft_policy(frame, k=5, path=tmp_path / "draft.toml")
    with pytest.raises(pycordon.InvalidPolicy):
        pycordon.draft_policy(frame, k=1)


# The join attack of docs/models: as it is, the second table tells that Alice has cancer.
def test_release_next(tmp_path):
    (tmp_path / "job.csv").write_text("Banker;White;ANY\nEngineer;White;ANY\nClerk;Blue;ANY\nDriver;Blue;ANY\n")
    policy = (
        pycordon.PolicyBuilder()
        .insensitive("name")
        .quasi("job", hierarchy="job.csv")
        .model("xy-linkability", x=["name"], values={"previous.disease": ["HIV", "Cancer"]}, h="2/3")
        .build(folder=tmp_path)
    )
    jobs = ["Banker", "Banker", "Clerk", "Driver", "Engineer"]
    before = polars.DataFrame({"job": jobs, "disease": ["Cancer", "Cancer", "HIV", "Cancer", "HIV"]})
    now = polars.DataFrame({"name": ["Alice", "Alice", "Bob", "Bob", "Cathy"], "job": jobs})
    assert not pycordon.verify(now, policy, previous=before)
    release = pycordon.release_next(now, before, policy)
    assert pycordon.verify(release, policy, previous=[before])
    with pytest.raises(pycordon.InvalidPolicy):
        pycordon.release_next(now, [], policy)
    with pytest.raises(pycordon.InvalidData, match="allow_dangling") as refused:  # an option of Python, not a flag
        pycordon.release_next(now, before.head(4), policy)
    assert "--allow" not in str(refused.value)


def test_policies_mean_the_same_however_they_are_made(policy, tmp_path):
    tables = {
        "attributes": {
            "age": {"role": "quasi", "type": "numeric"},
            "zip": {"role": "quasi", "hierarchy": {"prefix": 3}},
            "disease": {"role": "sensitive"},
        },
        "privacy": [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "sensitive": "disease", "l": 2}],
    }
    assert pycordon.Policy.from_dict(tables) == policy
    (tmp_path / "p.toml").write_text(policy.toml)
    assert pycordon.Policy(tmp_path / "p.toml") == policy and hash(pycordon.Policy(str(tmp_path / "p.toml"))) == hash(policy)
    frame = polars.DataFrame(patients())
    assert len(pycordon.anonymize(frame, tables)) == len(pycordon.anonymize(frame, tmp_path / "p.toml")) == 300


def test_bad_policies(tmp_path):
    with pytest.raises(pycordon.InvalidPolicy) as caught:
        pycordon.Policy.from_toml('[attributes.age]\nrole = "quasy"')
    assert "quasi" in caught.value.hint
    with pytest.raises(pycordon.InputOutputError):
        pycordon.Policy(tmp_path / "none.toml")
    with pytest.raises(pycordon.InvalidPolicy, match="too large"):
        pycordon.PolicyBuilder().quasi("a").k_anonymity(2**70).build()
    with pytest.raises(pycordon.InvalidPolicy, match="attributes.a.grid"):
        pycordon.PolicyBuilder().quasi("a", grid=object()).build()
    with pytest.raises(pycordon.InvalidPolicy, match="twice"):
        pycordon.PolicyBuilder().quasi("a").sensitive("a")
    with pytest.raises(TypeError):
        pycordon.anonymize(polars.DataFrame({"a": [1]}), 7)


def test_bad_arguments(frame, policy):
    for options in ({"seed": -1}, {"seed": 2**64}, {"threads": 0}, {"threads": 10**9}):
        with pytest.raises(ValueError):
            pycordon.anonymize(frame, policy, **options)
    for options in ({"seed": "one"}, {"seed": 1.5}, {"progress": 7}):
        with pytest.raises(TypeError):
            pycordon.anonymize(frame, policy, **options)
    for options in ({"effort": "great"}, {"order": "random"}, {"algorithm": "nonsense"}):
        with pytest.raises(pycordon.InvalidPolicy):
            pycordon.anonymize(frame, policy, **options)


def test_columns_that_do_not_fit(frame, policy):
    with pytest.raises(pycordon.Error, match="zip"):
        pycordon.anonymize(frame.drop("zip"), policy)
    with pytest.raises(pycordon.Error, match="shoe"):
        pycordon.anonymize(frame.with_columns(shoe=polars.lit(1)), policy)
    with pytest.raises(pycordon.InvalidData, match="column age:"):
        pycordon.anonymize(frame.with_columns(age=polars.lit("old")), policy)


def test_errors_quote_no_cell(frame, policy):
    with pytest.raises(pycordon.InvalidData) as caught:
        pycordon.anonymize(frame.with_columns(age=polars.lit("a secret")), policy)
    assert "secret" not in str(caught.value)


def test_the_command_line_is_there(tmp_path, policy):
    polars.DataFrame(patients()).write_csv(tmp_path / "in.csv")
    (tmp_path / "p.toml").write_text(policy.toml)
    made = run_cordon("anonymize", "in.csv", "--policy", "p.toml", "--output", "out.csv", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert run_cordon("verify", "out.csv", "--policy", "p.toml", cwd=tmp_path).returncode == 0
    assert run_cordon("verify", "in.csv", "--policy", "p.toml", cwd=tmp_path).returncode == 1
    assert run_cordon("nonsense").returncode == 2
    assert run_cordon("--version").stdout == f"cordon {pycordon.__version__}\n"


def test_answers_are_those_of_the_command_line(frame, policy, tmp_path):
    frame.write_csv(tmp_path / "in.csv")
    (tmp_path / "p.toml").write_text(policy.toml)
    pycordon.anonymize(frame, policy, seed=1).write(tmp_path / "out.csv")

    def said(*words):
        made = run_cordon(*words, cwd=tmp_path)
        assert made.returncode == 0, made.stderr
        return made.stdout

    checked = pycordon.check(frame, quasi=["age", "zip"], sensitive=["disease"])
    assert said("check", "in.csv", "--quasi", "age,zip", "--sensitive", "disease", "--json") == checked.json
    assert said("check", "in.csv", "--quasi", "age,zip", "--sensitive", "disease") == str(checked)
    assert said("inspect", "in.csv", "--json") == pycordon.inspect(frame).json
    verified = pycordon.verify(tmp_path / "out.csv", policy, original=frame)
    assert said("verify", "out.csv", "--policy", "p.toml", "--original", "in.csv", "--json") == verified.json
    evaluated = pycordon.evaluate(tmp_path / "out.csv", frame, policy, queries=40)
    assert said("evaluate", "out.csv", "--policy", "p.toml", "--original", "in.csv", "--queries", 40, "--json") == evaluated.json
