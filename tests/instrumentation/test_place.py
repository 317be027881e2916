"""Where Kubernetes says that a process runs, and what its host is called."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hopwatch.settings import LONGEST_HOST, PLACE, host_called, place_in

OPEN_ONE = "import hopwatch, zmq; hopwatch.wrap(zmq.Context().socket(zmq.PAIR)).bind('inproc://x')"


def segment_line(folder: Path, **variables: str) -> dict[str, object]:
    """The first line of the journal of a process with these in its environment."""
    elsewhere = {name: value for name, value in os.environ.items() if name not in PLACE.values()}
    environment = elsewhere | {"HOPWATCH_DIR": str(folder)} | variables
    subprocess.run([sys.executable, "-c", OPEN_ONE], env=environment, check=True, timeout=60)
    (events,) = folder.glob("*.events")
    line: dict[str, object] = json.loads(events.read_text().splitlines()[0])
    return line


def test_the_journal_says_where_its_process_runs(tmp_path: Path) -> None:
    line = segment_line(tmp_path, K8S_POD_NAME="feed-0", K8S_OWNER="StatefulSet/feed", K8S_NODE_NAME="")
    assert line["place"] == {"pod": "feed-0", "owner": "StatefulSet/feed"}


def test_the_journal_says_nothing_where_nobody_says_anything(tmp_path: Path) -> None:
    assert "place" not in segment_line(tmp_path)


def test_a_place_is_bounded() -> None:
    assert place_in({"K8S_POD_NAME": "x" * 1000}) == (("pod", "x" * 253),)


@pytest.mark.parametrize("name", ["web-1", "trading/feed-0", "x" * LONGEST_HOST, "é" * 40])
def test_a_host_goes_by_its_name(name: str) -> None:
    assert host_called(name) == name


@pytest.mark.parametrize("name", ["trading/" + "feed-" * 60, "x" * (LONGEST_HOST + 1), "é" * 41, "/" * 300])
def test_a_host_whose_name_is_too_long_for_a_folder_goes_by_its_beginning(name: str) -> None:
    from urllib.parse import quote

    called = host_called(name)
    assert len(quote(called, safe="")) <= LONGEST_HOST
    assert called[:20] == name[:20]
    assert called != host_called(name + "y")


def test_the_same_name_is_called_the_same_by_application_and_agent(tmp_path: Path) -> None:
    name = "trading/" + "feed-" * 60
    assert segment_line(tmp_path, HOPWATCH_HOST=name)["host"] == host_called(name)
