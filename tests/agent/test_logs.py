"""The agent's log: one record a line, few of a kind, and nothing in it that a journal could have a terminal obey."""

import io
import itertools
import json
import logging
from collections.abc import Callable, Iterator

import pytest
from agent_process import AgentProcess, WriterProcess, eventually
from hopwatch_agent.logs.events import EventLogger
from hopwatch_agent.logs.limit import LINES_A_MINUTE, LimitedHandler
from hopwatch_agent.logs.setup import logging_to
from hopwatch_agent.settings.sections import LogSettings

HOSTILE = "a\nb\x1b[31m\x9b\u202e\ud800" + "x" * 5000
Writing = Callable[..., WriterProcess]

log = EventLogger("hopwatch_agent.test")


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    with logging_to(stream, LogSettings(format="json")):
        yield stream


def records(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_event_is_one_line_of_json_with_time_level_name_and_fields(stream: io.StringIO) -> None:
    log.warning("fault", text=HOSTILE, process="p", count=3)

    (record,) = records(stream)
    assert (record["level"], record["event"], record["process"], record["count"]) == (
        "warning",
        "fault",
        "p",
        3,
    )
    assert str(record["time"]).endswith("+00:00")
    assert len(str(record["text"])) == 1000
    assert stream.getvalue().isascii()
    assert all(sign.isprintable() for sign in stream.getvalue().removesuffix("\n"))


def test_what_a_library_logs_is_in_it_too_and_its_exceptions(stream: io.StringIO) -> None:
    try:
        int(HOSTILE)
    except ValueError:
        logging.getLogger("uvicorn.error").exception("it %s", "failed")

    (record,) = records(stream)
    assert (record["event"], record["logger"], record["text"]) == ("log", "uvicorn.error", "it failed")
    assert "ValueError" in str(record["traceback"])


def test_text_for_people_holds_each_event_on_one_line() -> None:
    stream = io.StringIO()
    with logging_to(stream, LogSettings(format="text")):
        log.warning("fault", text=HOSTILE)

    (line,) = stream.getvalue().splitlines()
    assert " warning: fault text=a?b?[31m???x" in line


def test_what_is_below_the_level_is_left_out() -> None:
    stream = io.StringIO()
    with logging_to(stream, LogSettings(level="warning", format="json")):
        log.info("ready")
        log.error("failing")

    assert [record["event"] for record in records(stream)] == ["failing"]


def test_one_kind_that_floods_hides_no_other_and_its_number_is_told() -> None:
    clock = [0.0]
    stream = io.StringIO()
    handler = LimitedHandler(logging.StreamHandler(stream), lambda: clock[0])
    logger = logging.getLogger("hopwatch_agent.flooding")
    logger.addHandler(handler)
    logger.propagate = False
    flooding = EventLogger(logger.name)
    for _ in range(LINES_A_MINUTE + 7):
        flooding.warning("fault")
    flooding.warning("other")
    assert stream.getvalue().split() == ["fault"] * LINES_A_MINUTE + ["other"]

    clock[0] = 61.0
    handler.tell_left_out()
    flooding.warning("fault")
    logger.removeHandler(handler)

    assert stream.getvalue().split()[-2:] == ["fault", "fault"]


def test_the_agent_logs_its_life(agent: AgentProcess, writing: Writing) -> None:
    agent.set("HOPWATCH_AGENT_LOG_FORMAT", "json")
    agent.set("HOPWATCH_AGENT_LOG_LEVEL", "info")
    agent.landed.write_text("in the way")
    agent.start()
    writer = writing()
    eventually(lambda: any(error["source"] == "landing" for error in agent.get("/v1/status")["errors"]))
    agent.landed.unlink()
    eventually(lambda: agent.get("/v1/status")["errors"] == [])
    writer.end()
    eventually(lambda: agent.get("/v1/status")["processes"] == 0)
    status, errors = agent.terminate()
    events = [json.loads(line)["event"] for line in errors.splitlines()]
    assert status == 0
    for earlier, later in itertools.pairwise(
        ["starting", "ready", "process_seen", "process_exited", "stopping", "stopped"]
    ):
        assert events.index(earlier) < events.index(later), events
    of_processes = [json.loads(line) for line in errors.splitlines() if '"process_' in line]
    assert {(record["pid"], record["command"]) for record in of_processes} == {
        (writer.process.pid, "python app.py")
    }
    failing = [json.loads(line) for line in errors.splitlines() if '"failing"' in line]
    assert str(agent.landed) in next(record["text"] for record in failing if record["source"] == "landing")
    assert "works_again" in events
    settings = json.loads(errors.splitlines()[0])["settings"]
    assert settings["listen"] == "127.0.0.1:0"
