# SPDX-License-Identifier: Apache-2.0
"""scripts/verify_release.py as a module, and its runs in this process: to start another takes longer than most answers."""
import contextlib
import importlib.util
import io
import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "verify_release.py"
specification = importlib.util.spec_from_file_location("verify_release", SCRIPT)
verify_release = importlib.util.module_from_spec(specification)
specification.loader.exec_module(verify_release)


def run(*arguments, cwd="."):
    """As subprocess.run would. An exception that gets out is a failure of the script."""
    out, error, before = io.StringIO(), io.StringIO(), os.getcwd()
    os.chdir(cwd)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            status = verify_release.main([str(each) for each in arguments])
    except SystemExit as end:
        status = end.code
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), error.getvalue())
