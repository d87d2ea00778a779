# SPDX-License-Identifier: Apache-2.0
import pytest
from support import session


@pytest.fixture(scope="session")
def spark():
    made = session("local[2,3]")  # a task may fail twice
    yield made
    made.stop()


@pytest.fixture
def staging(tmp_path):
    return str(tmp_path / "staging")
