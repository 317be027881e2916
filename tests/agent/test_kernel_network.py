"""A lossy link, a slow link and a slow receiver look alike to a sender: what is kept of the kernel's view tells them apart."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from agent_process import eventually, landed
from hosts import HOPWATCH, environment_of
from namespaces import SENDER, Wire, inside, missing, wire
from programs import Program

SOURCE = f"""
import sys, hopwatch, zmq
pub = hopwatch.wrap(zmq.Context.instance().socket(zmq.PUB), name="source")
pub.sndhwm = 100
pub.sndbuf = 131072
pub.bind("tcp://{SENDER}:5555")
stdin = zmq.Poller()
stdin.register(sys.stdin, zmq.POLLIN)
while not stdin.poll(10):
    for _ in range(20):
        pub.send(b"x" * 1000)
zmq.Context.instance().destroy(linger=0)
"""
SINK = f"""
import sys, time, zmq
sub = zmq.Context.instance().socket(zmq.SUB)
sub.rcvhwm = 100
sub.rcvbuf = int(sys.argv[2])
sub.subscribe(b"")
sub.connect("tcp://{SENDER}:5555")
while True:
    sub.recv()
    time.sleep(float(sys.argv[1]))
"""

ROOMY = 4 * 2**20
"""A receive buffer that a busy machine does not let run full."""
AS_IT_IS = -1

measured = pytest.mark.extended("what is lost, and how fast it is read, is up to chance and to the machine")

Rows = list[dict[str, Any]]


class Run:
    """A sender, with an agent, at one end of a wire, and a receiver at the other."""

    def __init__(self, folder: Path, over: Wire, *, pause: float = 0.0, buffer: int = ROOMY) -> None:
        folder.mkdir()
        self._over = over
        self._folder = folder
        self._landed = folder / "landed"
        self._programs: list[Program] = []
        folders = ["--dir", folder / "journal", "--data", folder / "data", "--land", self._landed]
        self._agent = self._start(over.sender, HOPWATCH, "agent", *folders, "--listen", "127.0.0.1:0")
        self._start(over.receiver, sys.executable, "-c", SINK, pause, buffer)

    def _start(self, namespace: str, *command: object) -> Program:
        environment = environment_of(
            "upstream", self._folder / "journal", {"HOPWATCH_AGENT_LAND_SECONDS": "0.5"}
        )
        stderr = self._folder / f"{len(self._programs)}.stderr"
        self._programs.append(Program([*inside(namespace), *map(str, command)], environment, stderr))
        return self._programs[-1]

    def begin(self) -> None:
        """Sends, once the agent is there to see it."""
        self._agent.expect("hopwatch")
        self._source = self._start(self._over.sender, sys.executable, "-c", SOURCE)

    def finish(self) -> None:
        """Goes on until the sender has met a full pipe, and something is told to be the limit."""
        eventually(self._has_told, seconds=60)
        self._source.tell("")
        self._source.wait()
        self._agent.terminate()

    def _has_told(self) -> bool:
        told = self.limits() & {"network", "receiver"}
        return bool(told) and self.total("segments_sent") > 300 and len(self.rows("onset")) > 0

    def reap(self) -> None:
        for program in self._programs:
            program.reap()

    def rows(self, kind: str) -> Rows:
        return sorted(landed(self._landed, kind), key=lambda row: row["at"])

    def limits(self) -> set[str]:
        return {row["limited_by"] for row in self.rows("tcp")}

    def total(self, name: str) -> int:
        """As it was last landed, counted since the connection came up."""
        rows = self.rows("tcp")
        return int(rows[-1][name]) if rows else 0


def test_a_link_of_which_ten_times_as_much_is_asked_is_told_to_be_the_limit(tmp_path: Path) -> None:
    if reason := missing():
        pytest.skip(reason)
    with wire() as over:
        over.slow_down("1mbit")
        run = Run(tmp_path / "narrow", over)
        try:
            run.begin()
            eventually(lambda: "network" in run.limits())
            eventually(lambda: run.rows("onset"))
        finally:
            run.reap()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    """All three at the same time, each over a wire of its own."""
    if reason := missing():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("network")
    with ExitStack() as stack:
        lossy, slow, clean = (stack.enter_context(wire()) for _ in range(3))
        lossy.lose(0.2)
        slow.slow_down("4mbit")
        runs = {
            "lossy link": Run(folder / "lossy", lossy),
            "slow link": Run(folder / "slow", slow),
            "slow receiver": Run(folder / "clean", clean, pause=0.005, buffer=AS_IT_IS),
        }
        for run in runs.values():
            stack.callback(run.reap)
        for run in runs.values():
            run.begin()
        for run in runs.values():
            run.finish()
        yield runs


@measured
@pytest.mark.parametrize("name", ["lossy link", "slow link", "slow receiver"])
def test_the_sender_meets_a_full_pipe_whatever_the_reason(runs: dict[str, Run], name: str) -> None:
    assert len(runs[name].rows("onset")) > 0


@measured
@pytest.mark.parametrize("name", ["lossy link", "slow link"])
def test_a_link_that_is_lossy_or_slow_is_told_to_be_the_limit(runs: dict[str, Run], name: str) -> None:
    assert "network" in runs[name].limits()
    assert "receiver" not in runs[name].limits()
    assert runs[name].total("receiver_limited_us") < runs[name].total("busy_us") / 2


@measured
def test_a_receiver_that_is_slow_is_told_to_be_the_limit(runs: dict[str, Run]) -> None:
    run = runs["slow receiver"]
    assert "receiver" in run.limits()
    assert "network" not in run.limits(), run.rows("tcp")
    assert run.total("receiver_limited_us") > run.total("busy_us") / 2


@measured
def test_a_lossy_link_is_told_from_a_slow_one_by_its_retransmissions(runs: dict[str, Run]) -> None:
    lossy, slow = (
        runs[name].total("retransmissions") / runs[name].total("segments_sent")
        for name in ("lossy link", "slow link")
    )
    assert lossy > 0.05
    assert slow < lossy / 2
