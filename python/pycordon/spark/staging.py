# SPDX-License-Identifier: Apache-2.0
"""From verified files to a release that readers see: all of it, or nothing.

On a file system whose rename of a folder is atomic, the staged folder gets its manifest and is renamed. Object stores have no
such rename: there the files are copied one by one, and the manifest is written last. Files without a manifest are not a release.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from ..errors import InputOutputError, InvalidData

MANIFEST = "_manifest.json"  # readers of Parquet folders leave names with _ out
_ATOMIC = ("file", "hdfs", "viewfs", "abfs", "abfss")


@dataclass(frozen=True)
class StagedFile:
    name: str
    bytes: int
    sha256: str


class FileSystem(Protocol):
    def scheme(self, path: str) -> str: ...
    def exists(self, path: str) -> bool: ...
    def sizes(self, folder: str) -> dict[str, int]: ...
    def hashed(self, folder: str) -> list[StagedFile]: ...
    def rename(self, old: str, new: str) -> bool: ...
    def copy(self, old: str, new: str) -> None: ...
    def write(self, path: str, text: str) -> None: ...
    def read(self, path: str) -> str: ...
    def delete(self, path: str) -> None: ...


def _joined(folder: str, name: str) -> str:
    return folder.rstrip("/") + "/" + name


def _is_part(name: str) -> bool:
    return not name.startswith(("_", "."))  # _SUCCESS, checksums


def _check_unchanged(system: FileSystem, folder: str, files: list[StagedFile]) -> None:
    """Sizes first, which cost nothing. The hash finds what they do not."""
    found = {name: size for name, size in system.sizes(folder).items() if _is_part(name)}
    if found != {each.name: each.bytes for each in files} or system.hashed(folder) != files:
        raise InvalidData("the staged files are not those that were verified", "keep others away from the staging folder")


def commit(system: FileSystem, staged: str, target: str, manifest: dict[str, Any], files: list[StagedFile]) -> None:
    if system.exists(target):
        raise InputOutputError(f"{target} exists", "name a folder that is not there yet; a release is not replaced")
    _check_unchanged(system, staged, files)
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    if system.scheme(staged) in _ATOMIC and system.scheme(staged) == system.scheme(target):
        system.write(_joined(staged, MANIFEST), text)
        if not system.rename(staged, target):
            raise InputOutputError(f"the staged folder cannot be renamed to {target}", "stage on the same file system")
        return
    for each in files:
        system.copy(_joined(staged, each.name), _joined(target, each.name))
    _check_unchanged(system, target, files)
    system.write(_joined(target, MANIFEST), text)
    system.delete(staged)


def read_manifest(system: FileSystem, folder: str) -> dict[str, Any]:
    """The manifest of a release that was committed as a whole."""
    path = _joined(folder, MANIFEST)
    if not system.exists(path):
        raise InvalidData(f"{folder} has no {MANIFEST}: it is not a release, or its commit was broken off")
    manifest = json.loads(system.read(path))
    sizes = system.sizes(folder)
    for each in manifest["output"]["files"]:
        if sizes.get(each["name"]) != each["bytes"]:
            raise InvalidData(f"{folder}: the file {each['name']} of the manifest is not there, or was changed")
    return manifest


class HadoopFiles:
    """Any file system that Spark itself reads and writes."""

    def __init__(self, spark: Any) -> None:
        self._spark, self._jvm, self._configuration = spark, spark._jvm, spark._jsc.hadoopConfiguration()

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> Any:
        return self._path(path).getFileSystem(self._configuration)

    def scheme(self, path: str) -> str:
        return self._system(path).getUri().getScheme()

    def exists(self, path: str) -> bool:
        return self._system(path).exists(self._path(path))

    def sizes(self, folder: str) -> dict[str, int]:
        listed = self._system(folder).listStatus(self._path(folder))
        return {each.getPath().getName(): each.getLen() for each in listed}

    def hashed(self, folder: str) -> list[StagedFile]:
        """The files and what is in them, worked out by the executors. Spark leaves names with _ and . out."""
        found = self._spark.read.format("binaryFile").load(folder).selectExpr("path", "length", "sha2(content, 256)").collect()
        return sorted((StagedFile(path.rsplit("/", 1)[1], size, sha256) for path, size, sha256 in found), key=lambda f: f.name)

    def rename(self, old: str, new: str) -> bool:
        parent = self._path(new).getParent()
        if parent is not None:
            self._system(new).mkdirs(parent)
        return self._system(old).rename(self._path(old), self._path(new))

    def copy(self, old: str, new: str) -> None:
        copied = self._jvm.org.apache.hadoop.fs.FileUtil.copy(
            self._system(old), self._path(old), self._system(new), self._path(new), False, True, self._configuration
        )
        if not copied:
            raise InputOutputError(f"{new} cannot be written")

    def write(self, path: str, text: str) -> None:
        stream = self._system(path).create(self._path(path), True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def read(self, path: str) -> str:
        stream = self._system(path).open(self._path(path))
        try:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream)).decode()
        finally:
            stream.close()

    def delete(self, path: str) -> None:
        self._system(path).delete(self._path(path), True)
