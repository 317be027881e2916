"""Folders that may not be written for a while, as an agent without any capability meets them."""

import os
import shutil
from collections.abc import Callable

import plain_http
import pytest
from agent_process import AgentProcess, WriterProcess, eventually

Writing = Callable[..., WriterProcess]


@pytest.fixture
def bound(agent: AgentProcess) -> AgentProcess:
    """An agent that the modes of files hold for, whoever runs it."""
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is not installed")
        agent.before = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]
    return agent


def errors_of(agent: AgentProcess, source: str) -> list[str]:
    return [error["text"] for error in agent.get("/v1/status")["errors"] if error["source"] == source]


def test_a_data_directory_that_is_read_only_is_one_clear_line_until_it_is_not(
    bound: AgentProcess, writing: Writing
) -> None:
    bound.data.mkdir()
    bound.data.chmod(0o500)
    refused = bound.launch()
    out, errors = refused.communicate(timeout=120)
    assert (refused.returncode, out, errors.count("\n")) == (2, "", 1)
    assert f"cannot use the data directory {bound.data}" in errors
    bound.data.chmod(0o700)
    bound.start()
    writer = writing()
    eventually(lambda: bound.get("/v1/sockets"))
    written = writer.end()
    assert bound.terminate() == (0, "")
    assert len(bound.rows("onset")) == written


@pytest.mark.extended("an agent that tries for long")
def test_folders_that_become_read_only_are_told_and_written_again_when_they_may_be(
    bound: AgentProcess, writing: Writing
) -> None:
    bound.start()
    writer = writing("--segment-limit", "20000")
    eventually(lambda: bound.get("/v1/status")["rows_landed"])
    folders = [bound.data, *sorted(path for path in bound.landed.rglob("*") if path.is_dir()), bound.landed]
    for folder in folders:
        folder.chmod(0o500)
    gone = writing()
    gone.kill()
    (error,) = eventually(lambda: errors_of(bound, "landing"))
    assert str(bound.landed) in error
    bound.journal.chmod(0o500)
    (error,) = eventually(lambda: errors_of(bound, "cleaning"))
    assert str(bound.journal) in error
    assert plain_http.get(f"{bound.url}/healthz").status_code == 200
    for folder in (*folders, bound.journal):
        folder.chmod(0o700)
    eventually(lambda: bound.get("/v1/status")["errors"] == [])
    written = writer.end()
    assert bound.terminate()[0] == 0
    onsets = [row["number"] for row in bound.rows("onset") if row["socket"] == writer.socket]
    assert sorted(onsets) == list(range(written))
    assert not any(bound.journal.iterdir())
