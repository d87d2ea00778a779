# SPDX-License-Identifier: Apache-2.0
"""What the columns are and what must hold: from a file, a text, a dict, a builder, or drafted for a table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import InvalidPolicy

if TYPE_CHECKING:
    from fractions import Fraction

_LEAST, _MOST = -(2**63), 2**63 - 1


def _plain(value: Any, where: str) -> Any:
    """A value of TOML. Exact numbers stay exact: a Fraction is "2/3"."""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, Mapping):
        return {_key(key, where): _plain(each, f"{where}.{key}" if where else str(key)) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each, where) for each in value]
    if type(value).__module__ in ("fractions", "decimal"):  # without an import of either
        return str(value)
    if hasattr(value, "__index__"):
        number = value.__index__()
        if not _LEAST <= number <= _MOST:
            raise InvalidPolicy(f"{where}: the number is too large for a policy", "numbers have at most 18 digits")
        return number
    if hasattr(value, "__float__"):
        return float(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise InvalidPolicy(f"{where}: a policy holds texts, numbers, lists and tables, not {type(value).__name__}")


def _key(key: Any, where: str) -> str:
    if isinstance(key, str):
        return key
    raise InvalidPolicy(f"{where or 'the policy'}: a key is a text, not {type(key).__name__}")


class Policy:
    """A policy that was read and checked as a whole. `Policy(path)` reads a file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        name = os.fspath(path)
        self._policy = _core.Policy.from_file(name)
        self._folder = os.path.dirname(name) or "."
        with open(name, encoding="utf-8") as file:
            self._toml = file.read()

    @classmethod
    def _of(cls, policy: _core.Policy, toml: str, folder: str) -> Policy:
        made = cls.__new__(cls)
        made._policy, made._toml, made._folder = policy, toml, folder
        return made

    @classmethod
    def from_toml(cls, text: str, *, folder: str | os.PathLike[str] = ".") -> Policy:
        """The text of a policy file; `folder` is the base of relative paths in it, of hierarchies for example."""
        return cls._of(_core.Policy.from_toml(text, os.fspath(folder)), text, os.fspath(folder))

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any], *, folder: str | os.PathLike[str] = ".") -> Policy:
        """The tables of a policy file: {"attributes": {...}, "privacy": [{...}], "algorithm": {...}}."""
        return cls.from_toml(_core.policy_to_toml(_plain(tables, "")), folder=folder)

    @property
    def toml(self) -> str:
        """The text that was read."""
        return self._toml

    @property
    def folder(self) -> str:
        """The base of relative paths in it."""
        return self._folder

    @property
    def digest(self) -> str:
        """SHA-256 over the meaning, hierarchies included: layout and comments do not change it."""
        return self._policy.digest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<pycordon.Policy {self.digest[:12]}>\n{self._toml}"


class PolicyBuilder:
    """A policy in code, with the names of the policy file:

    PolicyBuilder().quasi("age", type="numeric").sensitive("disease").k_anonymity(5).l_diversity("disease", 2).build()
    """

    def __init__(self) -> None:
        self._tables: dict[str, Any] = {}

    def column(self, name: str, role: str, **keys: Any) -> PolicyBuilder:
        """[attributes.NAME] with a role and other keys."""
        columns = self._tables.setdefault("attributes", {})
        if name in columns:
            raise InvalidPolicy(f"the column '{name}' is described twice")
        columns[name] = {"role": role, **keys}
        return self

    def identifier(self, name: str, **keys: Any) -> PolicyBuilder:
        return self.column(name, "identifier", **keys)

    def person(self, name: str) -> PolicyBuilder:
        return self.column(name, "person")

    def quasi(self, name: str, **keys: Any) -> PolicyBuilder:
        return self.column(name, "quasi", **keys)

    def sensitive(self, name: str, **keys: Any) -> PolicyBuilder:
        return self.column(name, "sensitive", **keys)

    def insensitive(self, name: str, **keys: Any) -> PolicyBuilder:
        return self.column(name, "insensitive", **keys)

    def model(self, name: str, **keys: Any) -> PolicyBuilder:
        """One [[privacy]] table."""
        self._tables.setdefault("privacy", []).append({"model": name, **keys})
        return self

    def k_anonymity(self, k: int, **keys: Any) -> PolicyBuilder:
        return self.model("k-anonymity", k=k, **keys)

    def l_diversity(self, sensitive: str, l: int, **keys: Any) -> PolicyBuilder:  # noqa: E741: the field's name
        return self.model("l-diversity", sensitive=sensitive, l=l, **keys)

    def t_closeness(self, sensitive: str, t: float | str | Fraction, **keys: Any) -> PolicyBuilder:
        return self.model("t-closeness", sensitive=sensitive, t=t, **keys)

    def population(self, name: str) -> PolicyBuilder:
        """Whose people these are; a registry of releases needs it."""
        self._tables["population"] = name
        return self

    def set(self, table: str, **keys: Any) -> PolicyBuilder:
        """Keys of [data], [algorithm], [stream], ..."""
        self._tables.setdefault(table, {}).update(keys)
        return self

    def to_dict(self) -> dict[str, Any]:
        return _plain(self._tables, "")

    def build(self, *, folder: str | os.PathLike[str] = ".") -> Policy:
        return Policy.from_dict(self._tables, folder=folder)


def written(inspect: Any, path: str | os.PathLike[str] | None, force: bool) -> Policy:
    """The policy that `inspect(path, force)` has written. Without a path its files do not outlive the call."""
    if path is not None:
        inspect(os.fspath(path), force)
        return Policy(path)
    import tempfile

    with tempfile.TemporaryDirectory(prefix="pycordon-") as folder:
        name = os.path.join(folder, "policy.toml")
        inspect(name, False)
        return Policy(name)
