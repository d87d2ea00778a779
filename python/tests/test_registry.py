# SPDX-License-Identifier: Apache-2.0
"""Releases, stores and the registry that lists them; attacks."""
import json

import polars
import pytest
from conftest import patients, run_cordon

import pycordon


@pytest.fixture
def first_policy():
    return pycordon.PolicyBuilder().population("people").quasi("job").sensitive("disease", unguarded="a test").k_anonymity(2).build()


@pytest.fixture
def next_policy():
    return (
        pycordon.PolicyBuilder()
        .population("people")
        .insensitive("name")
        .quasi("job")
        .model("xy-linkability", x=["name"], values={"previous.disease": ["gout"]}, h="2/3")
        .build()
    )


JOBS = ["Banker", "Clerk"] * 4
DISEASES = polars.DataFrame({"job": JOBS, "disease": ["flu", "flu", "gout", "gout"] * 2})
NAMES = polars.DataFrame({"name": [f"n{i % 3}" for i in range(8)], "job": JOBS})


def test_releases_are_entered_when_they_are_written(first_policy, next_policy, tmp_path):
    registry = tmp_path / "R.db"
    with pytest.raises(pycordon.InputOutputError):
        pycordon.Registry(registry)
    pycordon.anonymize(DISEASES, first_policy, registry=registry).write(tmp_path / "first.csv")
    again = pycordon.anonymize(DISEASES, first_policy, registry=registry)
    assert [warning.code for warning in again.report.warnings] == ["second-release"]
    pycordon.release_next(NAMES, None, next_policy, registry=registry).write(tmp_path / "next.csv")
    with pytest.raises(pycordon.InputOutputError, match="while this run was under way"):
        again.write(tmp_path / "again.csv")
    found = pycordon.Registry(registry).check()
    assert found.holds and found.checked and not found.pending
    assert [(each.number, each.path, each.command, each.rows) for each in found.releases] == [
        (1, "first.csv", "anonymize", 8), (2, "next.csv", "release-next", 8),
    ]  # fmt: skip
    assert pycordon.verify(tmp_path / "next.csv", next_policy, previous=[tmp_path / "first.csv"])
    said = json.loads(run_cordon("history", str(registry), "--json").stdout)
    assert said["releases"] == pycordon.Registry(registry).list().to_dict()["releases"]


def test_what_has_changed_is_told(first_policy, next_policy, tmp_path):
    registry = tmp_path / "R.db"
    pycordon.anonymize(DISEASES, first_policy, registry=registry).write(tmp_path / "first.csv")
    with pytest.raises(pycordon.InvalidData, match="the data has changed"):
        pycordon.anonymize(DISEASES.head(7), first_policy, registry=registry)
    with pytest.raises(pycordon.InvalidPolicy, match="population|whose people"):
        pycordon.anonymize(DISEASES, {"attributes": {"job": {"role": "quasi"}, "disease": {"role": "sensitive", "unguarded": "a test"}},
                                      "privacy": [{"model": "k-anonymity", "k": 2}]}, registry=registry)  # fmt: skip
    with open(tmp_path / "first.csv", "a") as file:
        file.write("\n")
    assert not pycordon.Registry(registry).check().holds
    assert "first.csv: changed" in str(pycordon.Registry(registry).check())
    with pytest.raises(pycordon.InvalidData, match="has changed since it was published"):
        pycordon.release_next(NAMES, None, next_policy, registry=registry)


def test_people_are_known_by_a_key(tmp_path):
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    policy = pycordon.PolicyBuilder().population("people").person("id").quasi("job").k_anonymity(2).build()
    people = polars.DataFrame({"id": list("abcdefgh"), "job": JOBS})
    pycordon.anonymize(people, policy, registry=tmp_path / "R.db", person_key=key).write(tmp_path / "first.csv")
    others = people.with_columns(id=polars.Series(list("abcdefgx")))
    with pytest.raises(pycordon.InvalidData, match="people added: 1, removed: 1"):
        pycordon.anonymize(others, policy, registry=tmp_path / "R.db", person_key=key)


def test_a_store_that_was_entered_stays_so(tmp_path):
    def salaries(first, count):
        rows = range(first, first + count)
        return polars.DataFrame({"age": [20 + i * 7 % 50 for i in rows], "salary": [1000 + i * 61 % 997 for i in rows]})

    policy = (
        pycordon.PolicyBuilder()
        .population("staff")
        .quasi("age", type="numeric")
        .sensitive("salary", type="numeric")
        .model("ke-anonymity", sensitive="salary", k=3, e=100)
        .build()
    )
    store = pycordon.Store.create(tmp_path / "store", salaries(0, 60), policy, registry=tmp_path / "R.db")
    with pytest.raises(pycordon.InvalidPolicy, match="registry"):
        store.append(salaries(60, 30))
    assert store.append(salaries(60, 30), registry=tmp_path / "R.db").rows == 30
    found = pycordon.Registry(tmp_path / "R.db").check()
    assert found.holds and [each.command for each in found.releases] == ["permute", "append"]


def test_attack_says_what_the_command_line_says(policy, tmp_path):
    frame = polars.DataFrame(patients(120))
    frame.write_csv(tmp_path / "in.csv")
    (tmp_path / "policy.toml").write_text(policy.toml)
    release = pycordon.anonymize(frame, policy)
    release.write(tmp_path / "out.csv")
    found = pycordon.attack(release, frame, policy)
    said = run_cordon("attack", str(tmp_path / "out.csv"), "--original", str(tmp_path / "in.csv"), "--policy", str(tmp_path / "policy.toml"), "--json")
    assert found.to_dict()["attacks"] == json.loads(said.stdout)["attacks"]
    prosecutor = next(each for each in found.figures if each.variant == "prosecutor")
    assert prosecutor.targets == 120 and 0 < prosecutor.share <= 1 / 5 and prosecutor.gain == pytest.approx(prosecutor.share - prosecutor.baseline)
    assert "intersection" in {each.attack for each in pycordon.attack(release, frame, policy, second=tmp_path / "out.csv").figures}
    with pytest.raises(pycordon.InvalidPolicy):
        pycordon.attack(release, frame, policy, known="disease")
