# SPDX-License-Identifier: Apache-2.0
"""What can be asked: the commands of the program as functions. Nothing is decided here."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _core, results
from .frames import Frame, TableLike, input_of
from .policy import Policy, written
from .progress import Progress, telling

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

Number = Union[int, float, str, "Fraction", "Decimal"]


def whole(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is a whole number, not {type(value).__name__}")
    if not least <= value.__index__() <= most:
        raise ValueError(f"{name} is a number from {least} to {most}")
    return value.__index__()


def _threads(threads: int | None) -> int:
    return 0 if threads is None else whole("threads", threads, 1, 1024)


def _optional(name: str, value: Any) -> int | None:
    return None if value is None else whole(name, value)


def file_name(path: str | os.PathLike[str] | None) -> str:
    return "" if path is None else os.fspath(path)


def _names(what: str, names: str | Iterable[str]) -> list[str]:
    made = [names] if isinstance(names, str) else list(names)
    for name in made:
        if not isinstance(name, str):
            raise TypeError(f"{what} are names of columns, not {type(name).__name__}")
    return made


PolicyLike = Union[Policy, str, "os.PathLike[str]", Mapping[str, Any]]


def policy_of(policy: PolicyLike) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, (str, os.PathLike)):
        return Policy(policy)
    if isinstance(policy, Mapping):
        return Policy.from_dict(policy)
    raise TypeError(f"a policy is a Policy, the path of one or a dict, not {type(policy).__name__}")


def inner(policy: PolicyLike) -> _core.Policy:
    return policy_of(policy)._policy


class Release(Frame):
    """Rows that the verifier has found to satisfy the policy; there is no other way to get one."""

    def __init__(self, release: _core.Release) -> None:
        self._release = release
        self._table = release.table
        self.report = results.Report.of(release.report, release.html)

    @property
    def input_rows(self) -> Sequence[int]:
        """Private: the row of the input behind each row, from 0. Who has it can undo the shuffle of the rows."""
        return array("Q", self._release.input_rows)

    def write(
        self, path: str | os.PathLike[str], *, format: str | None = None, bounds: bool | None = None, force: bool = False
    ) -> None:
        """Writes the rows, and next to them the manifest, the codebook and the private run record: all of them, or none.

        format: "csv", "jsonl", "parquet"; None: by the name. bounds: numeric ranges as two columns; None: in JSON Lines and
        Parquet. force: replaces files that are there.
        """
        self._release.write(os.fspath(path), format or "", bounds, force)

    def __repr__(self) -> str:
        return f"<pycordon.Release>\n{self.report.text}"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def anonymize(
    data: TableLike,
    policy: PolicyLike,
    *,
    algorithm: str | None = None,
    effort: Literal["low", "normal", "high"] = "normal",
    order: Literal["shuffled", "sorted", "input"] | None = None,
    seconds: float | None = None,
    group_column: bool = False,
    risk: bool = True,
    bound: bool = False,
    seed: int | None = None,
    insecure_seed: bool = False,
    registry: str | os.PathLike[str] | None = None,
    person_key: str | os.PathLike[str] | None = None,
    whole: Sequence[TableLike] = (),
    threads: int | None = None,
    progress: Progress = None,
) -> Release:
    """A release of `data` that satisfies `policy`; Unsatisfiable if there is none.

    algorithm: None: the policy's. seconds: for the search; the release then depends on the machine. group_column: adds a
    column with an opaque name of each row's group. risk: measures the risks that are left. bound: tells what any
    release must lose, as effort="high" without seconds does too. seed: repeats a run; insecure_seed allows it where
    randomness protects, for tests. registry: what was published of these people is looked up there, and `Release.write` enters the release; the policy names the population. person_key: file of the key by which the
    registry knows people. whole: `data` is a shard of a larger table, given by its columns: per quasi and sensitive column a
    table of its values, and how many rows have each. The union of the shards then satisfies the policy.
    """
    with telling(progress) as tell:
        asked = _threads(threads)
        return Release(
            _core.anonymize(
                input_of(data, asked, tell), inner(policy), algorithm or "", effort, order or "",
                None if seconds is None else float(seconds), group_column, risk, bound, _optional("seed", seed), insecure_seed,
                file_name(registry), file_name(person_key), [_table(each, asked, tell) for each in whole], asked, tell,
            )
        )  # fmt: skip


def _table(data: TableLike, threads: int, tell: Any) -> _core.Table:
    made = input_of(data, threads, tell)
    return _core.Table.read(made, "", threads, tell) if isinstance(made, str) else made


def release_next(
    data: TableLike,
    previous: TableLike | Iterable[TableLike] | None,
    policy: PolicyLike,
    *,
    allow_unequal: bool = False,
    allow_dangling: bool = False,
    through_violation: bool = False,
    registry: str | os.PathLike[str] | None = None,
    person_key: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Release:
    """A release that is safe to join with previous ones about the same people, as the policy's models on the join ask.

    previous: None: all releases of the population that the registry lists. registry, person_key: as of `anonymize`.
    """
    with telling(progress) as tell:
        asked = _threads(threads)
        return Release(
            _core.release_next(
                input_of(data, asked, tell), _previous(previous, asked, tell), inner(policy), allow_unequal, allow_dangling,
                through_violation, file_name(registry), file_name(person_key), asked, tell,
            )
        )  # fmt: skip


def _previous(previous: TableLike | Iterable[TableLike] | None, threads: int, tell: Any) -> list[Any]:
    if previous is None:
        return []
    tables = list(previous) if isinstance(previous, (list, tuple)) else [previous]
    return [input_of(each, threads, tell) for each in tables]  # type: ignore[arg-type]


def verify(
    release: TableLike,
    policy: PolicyLike,
    *,
    original: TableLike | None = None,
    input_order: bool = False,
    exempt_suppressed: bool = False,
    previous: TableLike | Iterable[TableLike] | None = None,
    allow_unequal: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> results.Verification:
    """Does a release hold? It may be any tool's. With `original` it is also judged whether the release is true of it."""
    with telling(progress) as tell:
        asked = _threads(threads)
        return results.Verification.of(
            _core.verify(
                input_of(release, asked, tell), inner(policy),
                None if original is None else input_of(original, asked, tell), input_order, exempt_suppressed,
                _previous(previous, asked, tell), allow_unequal, asked, tell,
            )
        )  # fmt: skip


def evaluate(
    release: TableLike,
    original: TableLike,
    policy: PolicyLike,
    *,
    queries: int | None = None,
    seed: int = 1,
    risk: bool = True,
    bound: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> results.Evaluation:
    """What did a release cost, and what is it worth?

    queries: the number of random count queries that are asked of both. bound: tells what any release with the same guarantees
    must lose (docs/bound.md); it may take minutes.
    """
    with telling(progress) as tell:
        asked = _threads(threads)
        return results.Evaluation.of(
            _core.evaluate(
                input_of(release, asked, tell), input_of(original, asked, tell), inner(policy), _optional("queries", queries),
                whole("seed", seed), risk, bound, asked, tell,
            )
        )  # fmt: skip


def attack(
    release: TableLike,
    original: TableLike,
    policy: PolicyLike,
    *,
    known: str | Iterable[str] = (),
    row_map: str | os.PathLike[str] | None = None,
    second: TableLike | None = None,
    seed: int = 1,
    max_targets: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> results.Attacked:
    """What would an attacker get right? Known attacks on any tool's release; no figure says that a release is safe.

    known: columns that the attacker knows of people; (): all quasi columns. row_map: file of the row map, by which the
    attacker knows who is in which group. second: another release of the same people. seed: of samples; it protects nothing.
    """
    with telling(progress) as tell:
        asked = _threads(threads)
        return results.Attacked.of(
            _core.attack(
                input_of(release, asked, tell), input_of(original, asked, tell), inner(policy), _names("known columns", known),
                file_name(row_map), None if second is None else input_of(second, asked, tell), whole("seed", seed),
                _optional("max_targets", max_targets), asked, tell,
            )
        )  # fmt: skip


def check(
    data: TableLike,
    *,
    quasi: str | Iterable[str],
    sensitive: str | Iterable[str] = (),
    delimiter: str = "",
    exempt_suppressed: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> results.Checked:
    """Which k, l, t, beta and delta does a table have? No policy is needed."""
    with telling(progress) as tell:
        asked = _threads(threads)
        return results.Checked.of(
            _core.check(
                input_of(data, asked, tell), _names("quasi columns", quasi), _names("sensitive columns", sensitive), delimiter,
                exempt_suppressed, asked, tell,
            )
        )  # fmt: skip


def compare(
    releases: Mapping[str, TableLike] | Sequence[TableLike],
    original: TableLike,
    policy: PolicyLike,
    *,
    queries: int = 10000,
    seed: int = 1,
    exempt_suppressed: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> results.Comparison:
    """Releases of one table, any tool's, side by side. A dict names them."""
    named = releases.items() if isinstance(releases, Mapping) else [(f"release {i + 1}", r) for i, r in enumerate(releases)]
    with telling(progress) as tell:
        asked = _threads(threads)
        return results.Comparison.of(
            _core.compare(
                [(str(name), input_of(each, asked, tell)) for name, each in named], input_of(original, asked, tell),
                inner(policy), whole("queries", queries), whole("seed", seed), exempt_suppressed, asked, tell,
            )
        )  # fmt: skip


def _values(values: Number | Iterable[Number]) -> list[str]:
    many = values if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    return [str(value) for value in many]


def sweep(
    data: TableLike,
    policy: PolicyLike,
    *,
    k: Number | Iterable[Number] = (),
    l: Number | Iterable[Number] = (),  # noqa: E741: the field's name
    t: Number | Iterable[Number] = (),
    beta: Number | Iterable[Number] = (),
    algorithms: str | Iterable[str] = (),
    queries: int = 0,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress = None,
) -> results.Swept:
    """What does a parameter cost? Every point is a release that was made and verified, and then thrown away."""
    with telling(progress) as tell:
        asked = _threads(threads)
        return results.Swept.of(
            _core.sweep(
                input_of(data, asked, tell), inner(policy), _values(k), _values(l), _values(t), _values(beta),
                _names("algorithms", algorithms), whole("queries", queries), whole("seed", seed), asked, tell,
            )
        )  # fmt: skip


def inspect(
    data: TableLike, *, delimiter: str = "", threads: int | None = None, progress: Progress = None
) -> results.Inspection:
    """What is in a table: types, distinct values, how well columns tell rows apart, and from that a guess at roles."""
    with telling(progress) as tell:
        asked = _threads(threads)
        return results.Inspection.of(_core.inspect(input_of(data, asked, tell), delimiter, "", None, False, asked, tell))


def draft_policy(
    data: TableLike,
    k: int,
    *,
    path: str | os.PathLike[str] | None = None,
    force: bool = False,
    delimiter: str = "",
    threads: int | None = None,
    progress: Progress = None,
) -> Policy:
    """A first policy for a table: read its roles (`print(policy.toml)`) before you use it.

    path: where it is written, with hierarchies next to it, which hold values of the data. None: nothing is kept on disk.
    """
    with telling(progress) as tell:
        asked = _threads(threads)
        table = input_of(data, asked, tell)
        number = whole("k", k, 0, 2**63 - 1)

        def draft(name: str, replace: bool) -> None:
            _core.inspect(table, delimiter, name, number, replace, asked, tell)

        return written(draft, path, force)
