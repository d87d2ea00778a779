# SPDX-License-Identifier: Apache-2.0
"""The parts of pycordon.spark that need no Spark: definitions of models, the plan, what runs on an executor, the commit."""
import hashlib
import random

import numpy
import pyarrow
import pytest

import pycordon
from pycordon.spark import models, plan, shard, staging
from pycordon.spark.described import Described

DISEASES = ["none", "flu", "gout", "angina"]


def people(rows=600, seed=1):
    draw = random.Random(seed)
    ages = [20 + draw.randrange(60) for _ in range(rows)]
    return pyarrow.table(
        {
            "age": ages,
            "zip": [str(100 + draw.randrange(40)) for _ in range(rows)],
            "disease": [draw.choice(DISEASES) if draw.random() < age / 90 else "none" for age in ages],
        }
    )


def columns():
    return pycordon.PolicyBuilder().quasi("age", type="numeric").quasi("zip", hierarchy={"prefix": 3}).sensitive("disease")


def whole_of(table):
    counted = []
    for name in table.column_names:
        values = table[name].value_counts()
        counted.append(pyarrow.table({name: values.field("values"), "rows": values.field("counts")}))
    return counted


MODELS = [
    {"model": "k-anonymity", "k": 3},
    {"model": "l-diversity", "sensitive": "disease", "l": 3},
    {"model": "l-diversity", "sensitive": "disease", "l": "5/2", "kind": "entropy"},
    {"model": "l-diversity", "sensitive": "disease", "l": 2, "kind": "recursive", "c": 2},
    {"model": "t-closeness", "sensitive": "disease", "t": "1/5", "distance": "equal"},
    {"model": "beta-likeness", "sensitive": "disease", "beta": 1},
    {"model": "beta-likeness", "sensitive": "disease", "beta": 1, "kind": "basic"},
    {"model": "delta-disclosure", "sensitive": "disease", "delta": 1},
    {"model": "alpha-k", "sensitive": "disease", "value": "flu", "alpha": "1/4", "k": 2},
    {"model": "confidence", "on": ["age"], "values": {"disease": ["gout"]}, "h": "1/3"},
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model['model']} {model.get('kind', '')}")
def test_definitions_agree_with_the_verifier(model):
    """Random histograms of a few groups, each judged by the definition here and by the verifier in C++."""
    draw = random.Random(str(model))
    keys = {key: value for key, value in model.items() if key != "model"}
    policy = pycordon.PolicyBuilder().quasi("age").sensitive("disease", unguarded="a test").model(model["model"], **keys).build()
    axis = models.Axis(4, None, {name: number for number, name in enumerate(DISEASES)})
    answers = set()
    for _ in range(60):
        size = draw.choice([2, 3, 6])
        groups = [[draw.choice([0, 1, 2, 2, 3, size]) for _ in DISEASES] for _ in range(draw.choice([1, 2, 3]))]
        if draw.random() < 0.3:
            groups = [[2 * n for n in groups[0]], *groups[:1]]  # groups like the whole
        groups = [group for group in groups if sum(group)]
        if not groups:
            continue
        whole = [sum(column) for column in zip(*groups)]
        rows = [(str(g), DISEASES[v]) for g, group in enumerate(groups) for v, n in enumerate(group) for _ in range(n)]
        table = pyarrow.table({"age": [g for g, _ in rows], "disease": [d for _, d in rows]})
        [verdict] = pycordon.verify(table, policy).privacy
        failing = sum(
            not models.holds(model, {"disease": g}, {"disease": whole}, sum(g), {"disease": axis}) for g in groups
        )
        assert (failing == 0, failing) == (verdict.holds, verdict.failing_groups), groups
        answers.add(verdict.holds)
    assert answers == {True, False}


def test_ordered_distance_and_missing_values():
    axis = models.Axis(3, 2)
    t = {"model": "t-closeness", "sensitive": "s", "t": "1/4", "distance": "ordered"}
    # (2, 0, 0) against (1, 1, 0): half of the rows move one of two steps.
    assert models.holds(t, {"s": [2, 0, 0]}, {"s": [1, 1, 0]}, 2, {"s": axis})
    assert not models.holds({**t, "t": "6/25"}, {"s": [2, 0, 0]}, {"s": [1, 1, 0]}, 2, {"s": axis})
    two = {"model": "l-diversity", "sensitive": "s", "l": 2}
    assert not models.holds(two, {"s": [3, 0, 3]}, {"s": [3, 3, 3]}, 6, {"s": axis}), "missing is not a value"


def test_hierarchical_distance():
    """Leaves 0 and 1 are below one node, 2 and 3 below another: a step to a sibling costs 1/2, one across the root 1."""
    axis = models.Axis(4, edges=[([0], 1), ([1], 1), ([2], 1), ([3], 1), ([0, 1], 1), ([2, 3], 1)], height=2)
    t = {"model": "t-closeness", "sensitive": "s", "distance": "hierarchical"}
    for whole, distance in [([1, 1, 0, 0], 0.25), ([1, 0, 1, 0], 0.5), ([1, 0, 0, 1], 0.5)]:
        group = {"s": [2, 0, 0, 0]}
        assert models.holds({**t, "t": distance}, group, {"s": whole}, 2, {"s": axis})
        assert not models.holds({**t, "t": distance - 0.01}, group, {"s": whole}, 2, {"s": axis})


def test_bounds_of_the_exponential():
    from fractions import Fraction
    from math import e

    low, high = models.exp_bounds(Fraction(1))
    assert low < high < low + Fraction(1, 10**40)
    assert abs(float(low) - e) < 1e-15


def ranks(table, policy):
    described = Described.of(policy)
    return [plan.ranks_of(sorted({str(v) for v in table[n].to_pylist()}), n, described, {}) for n in described.of_role("quasi")]


def planned(table, policy, shards, least_rows, groups=None):
    """groups: of the rows in the trial; None: all are one group."""
    described = Described.of(policy)
    of = ranks(table, policy)
    quasi = [numpy.array([r.of[str(v)] for v in table[n].to_pylist()]) for r, n in zip(of, described.of_role("quasi"))]
    codes = numpy.array([DISEASES.index(v) for v in table["disease"].to_pylist()])
    summary = plan.Summary(quasi, {"disease": codes}, numpy.ones(table.num_rows))
    axes = {"disease": models.Axis(4, None, {name: number for number, name in enumerate(DISEASES)})}
    whole = {"disease": [int(n) for n in numpy.bincount(codes, minlength=4)]}
    groups = numpy.zeros(table.num_rows, dtype=int) if groups is None else numpy.array(groups)
    trial = plan.Trial(numpy.arange(table.num_rows), groups)
    planner = plan.Planner(of, summary, trial, described.privacy, axes, whole, least_rows)
    box = planner.plan(shards)
    return box, quasi, described, whole, axes, codes


def shard_of(box, row):
    while not box.is_leaf:
        box = box.left if row[box.column] <= box.cut else box.right
    return box.number


@pytest.mark.parametrize("seed", range(5))
def test_every_shard_of_a_plan_has_a_release(seed):
    table = people(seed=seed)
    policy = columns().k_anonymity(5).l_diversity("disease", 3).t_closeness("disease", "2/5").build()
    box, quasi, described, whole, axes, codes = planned(table, policy, 8, 40)
    numbers = numpy.array([shard_of(box, row) for row in zip(*quasi)])
    assert sorted(set(numbers)) == list(range(len(box.leaves())))
    assert len(box.leaves()) > 1
    for number in set(numbers):
        rows = numbers == number
        counts = {"disease": [int(n) for n in numpy.bincount(codes[rows], minlength=4)]}
        assert rows.sum() >= 40
        assert plan.admits(described.privacy, counts, whole, int(rows.sum()), axes)


def test_no_cut_goes_through_a_node_or_a_combination():
    table = people()
    of = ranks(table, columns().k_anonymity(2).l_diversity("disease", 2).build())[1]
    texts = sorted(of.of, key=lambda text: of.of[text])
    cuts = of.cuts(0, of.size - 1)
    assert [texts[c][:2] != texts[c + 1][:2] for c in cuts] == [True] * len(cuts)
    assert of.size == len(texts)


def test_cuts_are_made_where_groups_of_the_trial_end():
    table, policy = people(), columns().k_anonymity(2).build()
    ages, zips = table["age"].to_pylist(), table["zip"].to_pylist()
    box, *_ = planned(table, policy, 2, 40, [age >= 33 for age in ages])
    assert (box.column, box.cut) == (0, ranks(table, policy)[0].of["33"] - 1)
    box, *_ = planned(table, policy, 2, 40, [int(each[:2]) for each in zips])
    assert box.column == 1
    box, *_ = planned(table, policy, 2, 40, range(table.num_rows))  # no group crosses any cut: the most even one
    assert abs(box.left.rows - box.right.rows) < 20


@pytest.mark.parametrize("low", [True, False])
def test_a_value_in_one_corner_alone_is_not_cut_off(low):
    rows = 1000
    diseases = ["gout"] * 10 + ["flu"] * (rows - 10)
    table = pyarrow.table({"age": list(range(rows)), "zip": ["100"] * rows, "disease": diseases if low else diseases[::-1]})
    box, *_ = planned(table, columns().k_anonymity(2).l_diversity("disease", 2).build(), 8, 50)
    assert box.is_leaf


def test_shards_that_fail_are_joined_with_their_siblings():
    def tree():
        return plan.Box(0, 1, plan.Box(1, 1, plan.Box(), plan.Box()), plan.Box(1, 1, plan.Box(), plan.Box())).numbered()

    assert len(plan.join_failing(tree(), lambda numbers: True).leaves()) == 4
    assert len(plan.join_failing(tree(), lambda numbers: numbers != {1}).leaves()) == 3
    assert len(plan.join_failing(tree(), lambda numbers: len(numbers) > 2).leaves()) == 1
    with pytest.raises(pycordon.Unsatisfiable):
        plan.join_failing(tree(), lambda numbers: False)


def work(table, policy, **more):
    return shard.Work(Described.of(policy).shipped, table.column_names, whole_of(table), bytes(32), **more)


def run(table, rows, number, told):
    part = table.filter(rows).append_column("shard", [[number] * sum(rows)])
    return pyarrow.Table.from_batches(list(shard.run(told, number, iter(part.to_batches()))))


def test_the_order_of_the_rows_does_not_matter():
    table, policy = people(), columns().k_anonymity(5).l_diversity("disease", 2).build()
    everything = [True] * table.num_rows
    mixed = table.take(numpy.random.default_rng(1).permutation(table.num_rows))
    assert run(table, everything, 3, work(table, policy)).equals(run(mixed, everything, 3, work(table, policy)))
    other = run(table, everything, 4, work(table, policy))
    assert other["place"] != run(table, everything, 3, work(table, policy))["place"], "another shard, another order"


@pytest.mark.parametrize("model", [("t-closeness", {"t": "2/5"}), ("beta-likeness", {"beta": 2})])
def test_the_union_of_shards_holds_against_the_whole(model):
    table = people()
    policy = columns().k_anonymity(4).model(model[0], sensitive="disease", **model[1]).build()
    young = [age < 50 for age in table["age"].to_pylist()]
    told = work(table, policy)
    union = pyarrow.concat_tables([run(table, young, 0, told), run(table, [not y for y in young], 1, told)])
    union = union.drop_columns(["place"]).rename_columns(table.column_names)
    assert pycordon.verify(union, policy)
    assert len(union) == len(table)


class Crash(Exception):
    pass


def staged_file(name, text):
    return staging.StagedFile(name, len(text), hashlib.sha256(text.encode()).hexdigest())


class Memory:
    """A file system that fails after a given number of writes, renames, copies and deletions."""

    def __init__(self, kind, steps):
        self.kind, self.steps, self.files = kind, steps, {}

    def _step(self):
        if self.steps == 0:
            raise Crash
        self.steps -= 1

    def scheme(self, path):
        return self.kind

    def exists(self, path):
        return any(name == path or name.startswith(path + "/") for name in self.files)

    def sizes(self, folder):
        return {name[len(folder) + 1 :]: len(text) for name, text in self.files.items() if name.startswith(folder + "/")}

    def hashed(self, folder):
        found = {name: text for name, text in self.files.items() if name.startswith(folder + "/part")}
        return [staged_file(name[len(folder) + 1 :], text) for name, text in sorted(found.items())]

    def rename(self, old, new):
        self._step()
        self.files = {new + n[len(old) :] if n.startswith(old + "/") else n: text for n, text in self.files.items()}
        return True

    def copy(self, old, new):
        self._step()
        self.files[new] = self.files[old]

    def write(self, path, text):
        self._step()
        self.files[path] = text

    def read(self, path):
        return self.files[path]

    def delete(self, path):
        self._step()
        self.files = {n: t for n, t in self.files.items() if not n.startswith(path + "/")}


@pytest.mark.parametrize("kind", ["hdfs", "s3a"])
def test_a_commit_that_crashes_anywhere_shows_all_or_nothing(kind):
    files = [staged_file(f"part-{i}.parquet", "x" * (10 + i)) for i in range(3)]
    manifest = {"output": {"files": [{"name": each.name, "bytes": each.bytes} for each in files]}}
    outcomes = set()
    for steps in range(8):
        system = Memory(kind, steps)
        system.files = {f"staged/{each.name}": "x" * each.bytes for each in files} | {"staged/_SUCCESS": ""}
        try:
            staging.commit(system, "staged", "target", manifest, files)
        except Crash:
            pass
        try:
            staging.read_manifest(system, "target")
            visible = {n.removeprefix("target/") for n in system.files if n.startswith("target/part")}
            assert visible == {each.name for each in files}
            outcomes.add(True)
        except pycordon.InvalidData:
            assert {f"staged/{each.name}" for each in files} <= set(system.files), "neither a release nor what to make it of"
            outcomes.add(False)
    assert outcomes == {True, False}


def test_a_commit_replaces_nothing_and_takes_nothing_else():
    files = [staged_file("part-0.parquet", "abc")]
    system = Memory("hdfs", 9)
    system.files = {"staged/part-0.parquet": "abc", "target/other": "x"}
    with pytest.raises(pycordon.InputOutputError):
        staging.commit(system, "staged", "target", {}, files)
    for changed in ({"part-0.parquet": "abcd"}, {"part-0.parquet": "abd"}, {}, {"part-0.parquet": "abc", "part-1.parquet": "d"}):
        system.files = {f"staged/{name}": text for name, text in changed.items()}
        with pytest.raises(pycordon.InvalidData):
            staging.commit(system, "staged", "target", {}, files)
    assert not system.exists("target")


def test_a_copy_that_differs_gets_no_manifest():
    class Careless(Memory):
        def copy(self, old, new):
            self.files[new] = self.files[old].upper()

    system = Careless("s3a", 9)
    system.files = {"staged/part-0.parquet": "abc"}
    with pytest.raises(pycordon.InvalidData):
        staging.commit(system, "staged", "target", {}, [staged_file("part-0.parquet", "abc")])
    with pytest.raises(pycordon.InvalidData):
        staging.read_manifest(system, "target")
    assert "staged/part-0.parquet" in system.files


def test_a_rename_that_fails_is_an_error_and_a_changed_file_is_not_of_the_release():
    class Full(Memory):
        def rename(self, old, new):
            return False

    files = [staged_file("part-0.parquet", "abc")]
    manifest = {"output": {"files": [{"name": "part-0.parquet", "bytes": 3}]}}
    full = Full("hdfs", 9)
    full.files = {"staged/part-0.parquet": "abc"}
    with pytest.raises(pycordon.InputOutputError):
        staging.commit(full, "staged", "target", manifest, files)
    system = Memory("hdfs", 9)
    system.files = {"staged/part-0.parquet": "abc"}
    staging.commit(system, "staged", "target", manifest, files)
    assert staging.read_manifest(system, "target") == manifest
    system.files["target/part-0.parquet"] = "abcd"
    with pytest.raises(pycordon.InvalidData):
        staging.read_manifest(system, "target")


def test_from_one_file_system_to_another_files_are_copied():
    class Two(Memory):
        def scheme(self, path):
            return "hdfs" if path.startswith("staged") else "s3a"

        def rename(self, old, new):
            raise AssertionError("a rename does not cross file systems")

    system = Two("hdfs", 9)
    system.files = {"staged/part-0.parquet": "abc"}
    staging.commit(system, "staged", "target", {"output": {"files": []}}, [staged_file("part-0.parquet", "abc")])
    assert set(system.files) == {"target/part-0.parquet", "target/_manifest.json"}
