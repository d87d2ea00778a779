# SPDX-License-Identifier: Apache-2.0
"""How executors find the package: installed there, or in the wheel that `spark.archives` unpacked under the name `pycordon`.

Functions are sent to executors as they are only if they are defined inside others. So these are, and import what they need when
they run.
"""

from __future__ import annotations

from collections.abc import Callable

ARCHIVE = "pycordon"  # spark.archives=….zip#pycordon


def finder() -> Callable[[], None]:
    archive = ARCHIVE

    def find() -> None:
        import os
        import sys

        from pyspark import SparkFiles

        folder = os.path.join(SparkFiles.getRootDirectory(), archive)
        if os.path.isdir(os.path.join(folder, "pycordon")) and folder not in sys.path:
            sys.path.insert(0, folder)

    return find
