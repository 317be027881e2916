"""The analysis' report in a real S3 server: read as in a folder, and what goes wrong there is told in words."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_process import AgentProcess, eventually
from hopwatch_agent.errors import ReportError, SettingsError
from hopwatch_agent.report.file import NAME, ReportFile
from object_store import SECRET, ObjectStore
from reports import incident, now, report

FOLDER = "reports/latest"
WRONG = "wr0ng"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    store = ObjectStore(tmp_path_factory.mktemp("object-store"))
    store.start()
    store.make_bucket("reports")
    yield store
    store.kill()


def put(store: ObjectStore, text: str) -> None:
    with store.filesystem().open_output_stream(f"{FOLDER}/{NAME}") as stream:
        stream.write(text.encode())


@pytest.mark.extended("twenty seconds of a real object store")
def test_it_is_told_as_one_in_a_folder_is_and_its_secret_is_not(store: ObjectStore, tmp_path: Path) -> None:
    found = [incident("quotes → slow", "00000000000000a1", now(-70), now(-60))]
    put(store, json.dumps(report(now(-100), now(), incidents=found)))
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(tmp_path, {**others, "HOPWATCH_AGENT_REPORT": store.uri(FOLDER)})
    agent.start()
    try:
        (told,) = eventually(lambda: agent.get("/v1/incidents"))
        assert (told["hop"], told["source"]) == ("quotes → slow", "analysis")
        assert told["analysed_at"] is not None
        put(store, "rubbish")
        text = eventually(
            lambda: next(
                (e["text"] for e in agent.get("/v1/status")["errors"] if e["source"] == "report"), ""
            ),
            60,
        )
        assert text.startswith(f"cannot use the analysis' report s3://{FOLDER}/{NAME}?")
        assert "it is no report of hopwatch analyze" in text
        assert len(agent.get("/v1/incidents")) == 1
        assert SECRET not in json.dumps(agent.get("/v1/status"))
        assert agent.get("/v1/status")["settings"]["report"].startswith(f"s3://{FOLDER}?")
    finally:
        status, _ = agent.terminate()
    assert status == 0


def test_a_report_that_is_not_there_is_told_as_such(store: ObjectStore) -> None:
    with pytest.raises(ReportError, match="there is no such file"):
        ReportFile(store.uri("reports/elsewhere")).mark()


def test_a_secret_that_does_not_hold_is_told_of_and_not_told(store: ObjectStore) -> None:
    put(store, "{}")
    with pytest.raises(ReportError) as refused:
        ReportFile(store.uri(FOLDER, WRONG)).mark()
    assert WRONG not in str(refused.value)
    assert "ACCESS_DENIED" in str(refused.value) or "denied" in str(refused.value).lower()


def test_a_server_that_does_not_answer_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = "{}:{}".format(*silent.getsockname())
        query = f"endpoint_override={endpoint}&scheme=http&region=us-east-1"
        with pytest.raises(ReportError, match="it does not answer"):
            ReportFile(f"s3://key:secret@{FOLDER}?{query}").mark()


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("nowhere://", "nothing is there"),
        ("ftp://host/folder", "cannot read a report at ftp://host/folder: the scheme is not known"),
        ("s3://", "cannot read a report at s3://: it must be s3://BUCKET/FOLDER"),
    ],
)
def test_an_address_that_can_be_none_keeps_the_agent_from_starting(address: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=fault):
        ReportFile(address)
