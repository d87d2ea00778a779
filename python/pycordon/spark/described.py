# SPDX-License-Identifier: Apache-2.0
"""What a policy says, as far as the Spark side must know it: columns, models, files. The engine alone reads it in full."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..errors import InputOutputError, InvalidPolicy
from ..policy import Policy
from . import models

_LOCAL = ("auto", "partition", "peel", "mondrian", "closeness", "likeness")


@dataclass(frozen=True)
class Shipped:
    """A policy with the files that it names, for another machine."""

    toml: str
    files: dict[str, bytes] = field(repr=False)

    def read(self, folder: str) -> Policy:
        for name, content in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
        return Policy.from_toml(self.toml, folder=folder)


@dataclass(frozen=True)
class Described:
    columns: dict[str, dict[str, Any]]  # by name: the keys of [attributes.NAME]
    privacy: list[dict[str, Any]]
    missing: list[str]  # texts that mean "no value"; the first one is what a release shows
    drops_missing: bool
    may_suppress: bool
    shipped: Shipped

    @classmethod
    def of(cls, policy: Policy) -> Described:
        tables = tomllib.loads(policy.toml, parse_float=Fraction)
        columns = {name: dict(keys) for name, keys in tables.get("attributes", {}).items()}
        data, algorithm = tables.get("data", {}), tables.get("algorithm", {})
        _refuse(columns, tables.get("privacy", []), algorithm)
        return cls(
            columns,
            [_with_distance(model, columns) for model in tables.get("privacy", [])],
            list(data.get("missing", [""])),
            data.get("on_missing", "leaf") == "drop",
            models.exact(algorithm.get("suppression_limit", 0)) > 0,
            _ship(policy, columns),
        )

    def of_role(self, *roles: str) -> list[str]:
        return [name for name, keys in self.columns.items() if keys["role"] in roles]

    @property
    def published(self) -> list[str]:
        return [name for name, keys in self.columns.items() if keys["role"] != "identifier"]

    def type_of(self, name: str) -> str:
        return self.columns[name].get("type", "categorical")


def _refuse(columns: dict[str, dict[str, Any]], privacy: list[dict[str, Any]], algorithm: dict[str, Any]) -> None:
    for name, keys in columns.items():
        if keys["role"] == "person":
            raise InvalidPolicy(
                f"the column '{name}' is a person's: people may be in several shards, and a release does not show who they are",
                "make one row per person, and give the column role = \"identifier\"",
            )
        if "pseudonym" in keys:
            raise InvalidPolicy(
                f"the column '{name}' has a pseudonym, whose key would have to be on every executor",
                "make the pseudonyms first, or leave the key out",
            )
    for model in privacy:
        if model["model"] not in models.SERVED:
            raise InvalidPolicy(f"{model['model']} is not served on Spark", f"served: {', '.join(models.SERVED)}")
        if model.get("counts", "rows") == "persons":
            raise InvalidPolicy(f"{model['model']} with counts = \"persons\" is not served on Spark")
        if "range" in model or "min_depth" in model:
            raise InvalidPolicy(f"{model['model']} of sets of values (range, min_depth) is not served on Spark")
        if model["model"] in models.COMPARED and models.exact(algorithm.get("suppression_limit", 0)) > 0:
            raise InvalidPolicy(
                f"{model['model']} compares with the published rows, and a shard does not know which rows others suppress",
                "set algorithm.suppression_limit = 0",
            )
        for column in models.sensitive_in(model):
            odd = {"format", "grid", "round", "top", "bottom"} & set(columns.get(column, {}))
            if odd:
                raise InvalidPolicy(f"the sensitive column '{column}' has {', '.join(sorted(odd))}, which Spark does not verify")
    if algorithm.get("name", "auto") not in _LOCAL:
        raise InvalidPolicy(
            f"{algorithm['name']} needs all rows at once, so it does not run on shards", f"served: {', '.join(_LOCAL)}"
        )
    if algorithm.get("objective", "information-loss") != "information-loss":
        raise InvalidPolicy("on Spark the objective is the information loss", "leave algorithm.objective out")


def _with_distance(model: dict[str, Any], columns: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if model["model"] != "t-closeness":
        return model
    keys = columns.get(model["sensitive"], {})
    ordered = keys.get("type", "categorical") != "categorical"
    default = "ordered" if ordered else "hierarchical" if "hierarchy" in keys else "equal"
    model = {**model, "distance": model.get("distance", default)}
    if model["distance"] == "hierarchical" and not isinstance(keys.get("hierarchy"), str):
        raise InvalidPolicy("hierarchical t-closeness needs a hierarchy file on Spark")
    return model


def _ship(policy: Policy, columns: dict[str, dict[str, Any]]) -> Shipped:
    files = {}
    for keys in columns.values():
        name = keys.get("hierarchy")
        if not isinstance(name, str):
            continue
        if os.path.isabs(name) or ".." in name.split(os.sep):
            raise InvalidPolicy("hierarchy files are below the folder of the policy, to be shipped with it")
        try:
            with open(os.path.join(policy.folder, name), "rb") as file:
                files[name] = file.read()
        except OSError as error:
            raise InputOutputError(f"{name} cannot be read: {error.strerror}", "keep the policy's files next to it") from None
    return Shipped(policy.toml, files)
