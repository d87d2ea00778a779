# SPDX-License-Identifier: Apache-2.0
"""ARX, if the reader has it: a jar of its library (with what it depends on, or with their names in its manifest) and a JDK of version 11 or later."""
import shutil
import subprocess
from pathlib import Path

DRIVER = Path(__file__).resolve().parent / "ArxRelease.java"


def missing(jar):
    """Why ARX cannot run, or None"""
    if not jar:
        return "not installed: give --arx JAR"
    if not Path(jar).is_file():
        return f"not installed: there is no {jar}"
    return None if shutil.which("java") and shutil.which("javac") else "not installed: there is no java and javac"


class Arx:
    def __init__(self, jar, folder):
        """The driver is compiled once, into the folder, so that no run pays for it."""
        self.classes = f"{Path(jar).resolve()}:{folder}"
        subprocess.run(["javac", "-cp", jar, "-d", str(folder), str(DRIVER)], check=True)

    def command(self, table, prefix, form, limit, out, models):
        """models: as ArxRelease.java has them, such as k=5 or l=3:occupation"""
        return ["java", "-cp", self.classes, "ArxRelease", table, prefix, form, limit, out, *models]
