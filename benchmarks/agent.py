"""What the agent costs, and how soon it tells: memory, CPU at rest, ingest, losses over HTTP, answers while it ingests."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import statistics
import sys
import time
from multiprocessing.synchronize import Event
from pathlib import Path

from agent_under_test import Journal, MeasuredAgent
from requests_at_a_pace import latencies

INGESTED = 500_000
SETTLE_SECONDS = 8.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=[*MEASURES, []], help="default: all")
    parser.add_argument("--seconds", type=float, default=20)
    arguments = parser.parse_args()
    for name in arguments.what or MEASURES:
        MEASURES[name](arguments.seconds)


def memory(seconds: float) -> None:
    """Resident memory at 10 and at 1,000 sockets, each stamped and sending once a second."""
    for sockets in (10, 1000):
        with MeasuredAgent() as agent, Sockets(agent, sockets):
            time.sleep(seconds)
            shown = agent.get("/v1/status")["costs"]["rss_bytes"]
            own = agent.resident_bytes()
            print(
                f"| memory at {sockets:,} sockets | {shown / 1e6:.0f} MB resident, {own / 1e6:.0f} MB of its own |"
            )


def cpu(seconds: float) -> None:
    """CPU at 100 sockets that send once a second."""
    with MeasuredAgent() as agent, Sockets(agent, 100):
        before, began = agent.cpu_seconds(), time.monotonic()
        time.sleep(seconds)
        share = (agent.cpu_seconds() - before) / (time.monotonic() - began)
        print(f"| CPU at 100 sockets and 1 Hz | {100 * share:.2f} % of a core |")


def ingest(_seconds: float) -> None:
    """Gaps a second on one core, from the journal into Parquet: a backlog that the agent finds."""
    with MeasuredAgent(cores={1}, land_seconds=1.0) as agent:
        journal = Journal(agent.journal)
        agent.start()
        eventually(lambda: agent.get("/v1/status")["rows_landed"] >= 2)
        rows, before = agent.get("/v1/status")["rows_landed"], agent.cpu_seconds()
        staged = Journal(agent.folder)
        staged.gaps(INGESTED)
        staged.flush()
        for path in sorted(agent.folder.glob(f"{staged.process}.*"), key=lambda path: path.suffix != ".lock"):
            path.rename(agent.journal / path.name)
        began = time.monotonic()
        eventually(
            lambda: agent.get("/v1/status")["lag"]["unread_bytes"] == 0 and landed(agent) >= rows + INGESTED
        )
        took, used = time.monotonic() - began, agent.cpu_seconds() - before
        costs = agent.get("/v1/status")["costs"]
        print(
            f"| ingest, {INGESTED:,} gaps, landed | {INGESTED / used:,.0f} a second of CPU "
            f"({INGESTED / took:,.0f} a second; ticks {costs['ticking_seconds']:.1f} s, "
            f"landing {costs['landing_seconds']:.1f} s) |"
        )
        assert journal.process


def landed(agent: MeasuredAgent) -> int:
    return int(agent.get("/v1/status")["rows_landed"])


def loss(_seconds: float, samples: int = 100) -> None:
    """From the receive that finds a gap to the event over HTTP, with real sockets."""
    with MeasuredAgent() as agent:
        agent.start()
        parent, child = multiprocessing.Pipe()
        worker = multiprocessing.Process(
            target=losing, args=(str(agent.journal), child, samples), daemon=True
        )
        worker.start()
        parent.recv()
        delays = []
        for _ in range(samples):
            known = len(agent.get("/v1/events?limit=1000"))
            last = agent.get("/v1/events?limit=1000")[-1]["id"] if known else 0
            time.sleep(random.uniform(0, 0.3))  # noqa: S311
            parent.send(None)
            began = parent.recv()
            eventually(
                lambda last=last: any(e["kind"] == "gap" for e in agent.get(f"/v1/events?after={last}")),
                0.005,
            )
            delays.append(time.monotonic() - began)
        parent.send(None)
        delays.sort()
        print(
            f"| a loss over HTTP | median {1000 * statistics.median(delays):.0f} ms, "
            f"99 % {1000 * delays[round(0.99 * samples) - 1]:.0f} ms, longest {1000 * delays[-1]:.0f} ms |"
        )


def losing(directory: str, pipe: multiprocessing.connection.Connection, samples: int) -> None:
    """A receiver of numbered messages of which every other is missing; says when it received."""
    os.environ["HOPWATCH_DIR"] = directory
    import hopwatch
    import zmq

    context = zmq.Context()
    sender, receiver = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    sender.bind("inproc://numbered")
    hopwatch.wrap(receiver, name="slow", sequence=lambda frames: (b"lane", int(frames[0])))
    receiver.connect("inproc://numbered")
    sender.send(b"0")
    receiver.recv()
    pipe.send(None)
    for number in range(samples):
        pipe.recv()
        sender.send(b"%d" % (2 * number + 2))
        began = time.monotonic()
        receiver.recv()
        pipe.send(began)
    pipe.recv()


def status(seconds: float) -> None:
    """Answers of /v1/status at 200 requests a second: at rest, at 10,000 events a second, and at a backlog that does not end."""
    for label, rate in (("at rest", 0), ("at 10,000 events/s", 10_000), ("at a backlog", None)):
        with MeasuredAgent(land_seconds=1.0) as agent:
            agent.start()
            stop = multiprocessing.Event()
            writer = multiprocessing.Process(
                target=write_events, args=(agent.journal, rate, stop), daemon=True
            )
            writer.start()
            time.sleep(2)
            before = landed(agent)
            taken = sorted(latencies(agent.url, "/v1/status", 200, seconds))
            rows = (landed(agent) - before) / seconds
            stop.set()
            writer.join()
            print(
                f"| /v1/status {label} ({rows:,.0f} rows/s landed) | median {1000 * statistics.median(taken):.1f} ms, "
                f"99 % {1000 * taken[int(0.99 * len(taken))]:.1f} ms, longest {1000 * taken[-1]:.1f} ms |"
            )


def write_events(directory: Path, rate: int | None, stop: Event) -> None:
    """So many events a second; None: as fast as it can, in what time others leave."""
    if rate is None:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    journal = Journal(directory)
    while not stop.is_set():
        began = time.monotonic()
        journal.gaps(1000 if rate is None else rate // 50)
        journal.flush()
        if rate is not None:
            time.sleep(max(0.0, 0.02 - (time.monotonic() - began)))


class Sockets:
    """A process with so many wrapped sockets, in pairs, each of which sends once a second."""

    def __init__(self, agent: MeasuredAgent, count: int) -> None:
        self._agent, self._count = agent, count

    def __enter__(self) -> None:
        self._agent.start()
        self._stop = multiprocessing.Event()
        arguments = (str(self._agent.journal), self._count // 2, self._stop)
        self._process = multiprocessing.Process(target=send_each_second, args=arguments, daemon=True)
        self._process.start()
        eventually(lambda: len(self._agent.get("/v1/sockets")) == self._count)
        time.sleep(SETTLE_SECONDS)

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._process.join()


def send_each_second(directory: str, pairs: int, stop: Event) -> None:
    """Stamped messages from PUSH to PULL over TCP."""
    os.environ["HOPWATCH_DIR"] = directory
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    import hopwatch
    import zmq

    context = zmq.Context()
    context.set(zmq.MAX_SOCKETS, 8 * pairs + 100)
    ends = []
    for number in range(pairs):
        sender, receiver = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        for socket in (sender, receiver):
            hopwatch.wrap(socket, name=f"pair-{number}", sequence="stamp")
        receiver.connect(f"tcp://127.0.0.1:{sender.bind_to_random_port('tcp://127.0.0.1')}")
        ends.append((sender, receiver))
    while not stop.wait(1.0):
        for sender, _ in ends:
            sender.send(b"x" * 64)
        for _, receiver in ends:
            receiver.recv()
    context.destroy(linger=0)


def eventually(condition: object, pause: float = 0.05, seconds: float = 300) -> None:
    """Waits until it is true."""
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("it has not become true in time")
        time.sleep(pause)


MEASURES = {"memory": memory, "cpu": cpu, "ingest": ingest, "loss": loss, "status": status}

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
