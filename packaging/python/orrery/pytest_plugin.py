"""Fixtures of pytest: `orrery_server` for all tests of a run, `empty_orrery_server` for one test alone."""

from typing import Iterator

import pytest

from orrery._server import Server, server


@pytest.fixture(scope="session")
def orrery_server() -> Iterator[Server]:
    """A server in memory, which all tests of the run share."""
    with server() as running:
        yield running


@pytest.fixture
def empty_orrery_server() -> Iterator[Server]:
    """A server in memory without any database, for one test."""
    with server() as running:
        yield running
