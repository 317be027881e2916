"""CPU that the agent's look at the kernel takes a second: connections, processes and their cgroups, and the backlog of lanes."""

import argparse
import fcntl
import multiprocessing
import resource
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median

from hopwatch_agent.backlog.read import LanesRead, Span
from hopwatch_agent.backlog.tracking import BacklogTracker
from hopwatch_agent.kernel.sampling import KernelSampler
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.state import ConnectionState, LaneState, ProcessState, SocketState
from hopwatch_agent.sampling import Moment
from hopwatch_agent.settings.sections import JournalSettings
from hopwatch_agent.store.database import prepare
from hopwatch_agent.store.store import Store

PROCESS, SOCKET, RECEIVER = "0" * 15 + "1", "0" * 15 + "2", "0" * 15 + "3"


EACH_TIME = 1000.0
"""Seconds of the clock from one reading to the next: enough for each to be due, however much it takes."""


def connected(count: int) -> list[tuple[socket.socket, socket.socket]]:
    """So many connections of this process with itself."""
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as server:
        return [(socket.create_connection(server.getsockname()), server.accept()[0]) for _ in range(count)]


def told(address: tuple[str, int]) -> str:
    """An address as the instrumentation tells it."""
    return f"{address[0]}:{address[1]}"


def tables_of(ends: list[socket.socket], processes: list[str]) -> Tables:
    """What the agent would know of sockets with these connections, and of these processes."""
    tables = Tables()
    for process in (PROCESS, *processes):
        tables.processes[process] = ProcessState(process, "box-1")
    for name, kind in ((SOCKET, "PUB"), (RECEIVER, "SUB")):
        tables.sockets[name] = SocketState(name, PROCESS, "s", kind, "stamp", True, None, {}, None, 0)
    for number, end in enumerate(ends):
        local, remote = told(end.getsockname()), told(end.getpeername())
        key = (SOCKET, str(number))
        tables.connections[key] = ConnectionState(
            SOCKET, number, PROCESS, "", local, remote, False, "ready", time.time_ns()
        )
    return tables


def hold(folder: str, names: list[str], held: Barrier) -> None:
    """A process that holds these locks, as that many processes would, and lives until it is killed."""
    with ExitStack() as files:
        for name in names:
            fcntl.lockf(files.enter_context(Path(folder, f"{name}.lock").open("wb")), fcntl.LOCK_EX)
        held.wait()
        time.sleep(3600)


def cpu_ms(step: Callable[[float], object], seconds: int) -> float:
    """Milliseconds of CPU of a step that is done once a second: the median of so many."""
    step(0.0)
    taken = []
    for second in range(1, seconds + 1):
        began = time.process_time()
        step(float(second))
        taken.append(time.process_time() - began)
    return median(taken) * 1000


def kernel_view(folder: Path, ends: list[socket.socket], processes: list[str], seconds: int) -> float:
    """With what it lands kept in a database, as in the agent."""
    data = Path(tempfile.mkdtemp(dir=folder))
    prepare(data)
    store, tables = Store(data), tables_of(ends, processes)
    sampler = KernelSampler(JournalSettings(folder, "box-1"), tables, Board(tables))

    def step(clock: float) -> None:
        draft = Draft(tables)
        sampler.sample(draft, Moment(time.time_ns(), EACH_TIME * clock))
        if not draft.empty:
            store.commit(draft)

    taken = cpu_ms(step, seconds)
    sampler.close()
    store.close()
    return taken


def backlog(lanes: int, seconds: int) -> float:
    """Of one publisher and one subscriber that is behind on so many lanes."""
    tables = tables_of([], [])
    numbers = {}
    for lane in range(lanes):
        for name in (SOCKET, RECEIVER):
            tables.lanes[name, SOCKET, lane] = LaneState(name, SOCKET, lane, PROCESS, "6162")
    board = Board(tables)
    tracker = BacklogTracker(tables, board)

    def step(clock: float) -> None:
        for lane in range(lanes):
            numbers[SOCKET, SOCKET, lane] = (100 + int(clock), 0, 0, 0, 0)
            numbers[RECEIVER, SOCKET, lane] = (50, 0, 0, 50, time.time_ns())
        read = LanesRead(dict(numbers), {PROCESS: Span(time.monotonic(), time.monotonic())})
        tracker.show(read, Moment(time.time_ns(), EACH_TIME * clock), more=False)

    with_counting = cpu_ms(step, seconds)
    return with_counting - cpu_ms(lambda _: step(0.0), seconds)


def pyroute2_alone() -> float:
    """What its own reading of all connections takes."""
    from pyroute2 import DiagSocket

    with DiagSocket() as diag:
        diag.bind()
        return cpu_ms(lambda _: diag.get_sock_stats(family=socket.AF_INET, extensions=2), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="how many readings are averaged")
    seconds = parser.parse_args().seconds
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as name:
        measure_all(Path(name), seconds)


def measure_all(folder: Path, seconds: int) -> None:
    print("| read once a second | CPU, ms | of a core |\n| --- | ---: | ---: |")
    ends = [end for pair in connected(500) for end in pair]
    for count in (1, 100, 1000):
        report(several(count, "connection"), kernel_view(folder, ends[:count], [], seconds))
    report("pyroute2 listing all of the host's 1,000 sockets", pyroute2_alone())
    others = connected(2500)
    report("100 connections on a host with 5,000 more sockets", kernel_view(folder, ends[:100], [], seconds))
    report("pyroute2 listing all of the host's 6,000 sockets", pyroute2_alone())
    del others
    with_processes(folder, seconds)
    for lanes in (100, 1000, 10_000):
        report(f"backlog of {several(lanes, 'lane')}", backlog(lanes, seconds))


def with_processes(folder: Path, seconds: int) -> None:
    names = [f"{number:016x}" for number in range(16, 116)]
    spawn = multiprocessing.get_context("spawn")
    held = spawn.Barrier(2)
    holder = spawn.Process(target=hold, args=(str(folder), names, held))
    holder.start()
    held.wait()
    for count in (1, 100):
        report(several(count, "process"), kernel_view(folder, [], names[:count], seconds))
    holder.kill()
    holder.join()


def several(count: int, what: str) -> str:
    """A count in words."""
    ending = "" if count == 1 else "es" if what.endswith("s") else "s"
    return f"{count:,} {what}{ending}"


def report(label: str, milliseconds: float) -> None:
    """One row of the table."""
    print(f"| {label} | {milliseconds:.2f} | {milliseconds / 10:.2f} % |", flush=True)


if __name__ == "__main__":
    main()
