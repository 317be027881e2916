"""What `hopwatch top` takes of a processor, and how soon a key is on the screen, with a thousand sockets that all move.

    python benchmarks/top.py

Real agents, each with the journals of some processes, whose counters a thread moves four times a second; top on a terminal of 160 by 50.
"""

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from agent_process import AgentProcess
from console_command import without_hopwatch
from journal_writer import SOCKET_SLOTS, JournalWriter
from terminal import Terminal, terminal

MOVED_SECONDS = 0.25
SETTLED_SECONDS = 8.0
KEYS = 40


def main() -> None:
    """Prints one line a figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--agents", type=int, default=4)
    parser.add_argument(
        "--processes", type=int, default=4, help=f"of each agent, with {SOCKET_SLOTS} sockets each"
    )
    parser.add_argument("--seconds", type=float, default=30.0)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        agents = [
            stack.enter_context(running_agent(folder / str(number))) for number in range(arguments.agents)
        ]
        writers = [opened(agent, place) for agent in agents for place in range(arguments.processes)]
        stack.enter_context(moving(writers))
        named = [word for agent in agents for word in ("--agent", agent.url)]
        shown = stack.enter_context(terminal("top", *named, columns=160, lines=50))
        shown.shows(f"1 Sockets {len(writers) * SOCKET_SLOTS:,}", 60)
        time.sleep(SETTLED_SECONDS)
        measure(shown, arguments.seconds)


def measure(shown: Terminal, seconds: float) -> None:
    """First left alone, then with keys pressed."""
    pid = shown.process.pid
    before, written, began = processor_seconds(pid), len(shown.raw), time.monotonic()
    time.sleep(seconds)
    passed = time.monotonic() - began
    print(f"of one core: {100 * (processor_seconds(pid) - before) / passed:.1f} %")
    print(f"memory: {resident(pid) / 1e6:.0f} MB")
    print(f"written to the terminal: {(len(shown.raw) - written) / passed / 1000:.0f} kB/s")
    waited = sorted(pressed(shown, number) for number in range(KEYS))
    print(
        f"from a key to the screen, a terminal emulator in Python included: {1000 * statistics.median(waited):.0f} ms"
        f" at the median, {1000 * waited[int(0.95 * KEYS)]:.0f} ms for 95 %"
    )


def pressed(shown: Terminal, number: int) -> float:
    """Seconds until another tab is there."""
    key, text = (("2", "no connections"), ("1", "feed-"))[number % 2]
    began = time.monotonic()
    shown.press(key)
    shown.shows(text)
    return time.monotonic() - began


@contextmanager
def running_agent(folder: Path) -> Iterator[AgentProcess]:
    """Killed at the end."""
    folder.mkdir()
    agent = AgentProcess(folder, without_hopwatch())
    agent.start()
    try:
        yield agent
    finally:
        agent.kill()


def opened(agent: AgentProcess, place: int) -> JournalWriter:
    """A journal with as many sockets as it has room for."""
    writer = JournalWriter(agent.journal)
    for slot in range(SOCKET_SLOTS):
        writer.opened(
            identity(writer, slot), slot=slot, name=f"feed-{place}-{slot}", kind="SUB" if slot % 2 else "PUB"
        )
    return writer


def identity(writer: JournalWriter, slot: int) -> str:
    """16 hex digits."""
    return f"{writer.process[:12]}{slot:04x}"


@contextmanager
def moving(writers: list[JournalWriter]) -> Iterator[None]:
    """Every counter goes up, and one socket in eight loses something."""
    ended = threading.Event()

    def move() -> None:
        rounds = 0
        while not ended.wait(MOVED_SECONDS):
            rounds += 1
            for writer in writers:
                for slot in range(SOCKET_SLOTS):
                    lost = rounds if slot % 8 == 0 else 0
                    writer.set_counters(
                        identity(writer, slot), slot, sent=rounds * (slot + 1), received=rounds, lost=lost
                    )

    thread = threading.Thread(target=move)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def processor_seconds(pid: int) -> float:
    """Of a process, so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    """Bytes of memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
