# SPDX-License-Identifier: Apache-2.0
"""The program `cordon`, as a console script and as `python -m pycordon`."""

from __future__ import annotations

import os
import sys

from . import _core


def main() -> int:
    status = _core.command_line(["cordon", *sys.argv[1:]])
    sys.stdout.flush()
    os._exit(status)  # the command line has taken the signals over: nothing of Python is to run after it


if __name__ == "__main__":
    main()
