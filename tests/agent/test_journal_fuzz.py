"""Whatever stands in a journal: the agent goes on, and the next good journal is read exactly.

A few with one seed are always tried; ``FUZZ_DEPTH=80`` tries 200,000 journals; ``FUZZ_SEED`` others.
"""

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from every_event import write_every_event
from fuzzed_agent import FuzzedAgent
from hopwatch_agent.live.state import Row
from journal_mutations import Corpus, corpus_of, mutated, write
from journal_writer import COUNTER_NAMES, JournalWriter

INPUTS = 2_500 * int(os.environ.get("FUZZ_DEPTH", "1"))
SEED = os.environ.get("FUZZ_SEED", "hopwatch")
FEW = 1_000
AT_ONCE = 100
MOST_MEMORY_KIB = 150 * 1024
EVENTS = 25

Holding = Callable[[Path], AbstractContextManager[None]]

# real sockets with onsets, gaps, lanes and messages that a ROUTER swallowed; killed with two of them open
REAL_JOURNAL = """
import hopwatch, os, zmq
context = zmq.Context()
pub = hopwatch.wrap(context.socket(zmq.PUB), name="quotes", sequence="stamp")
pub.sndhwm = 3
pub.sndbuf = 4096
port = pub.bind_to_random_port("tcp://127.0.0.1")
subs = [hopwatch.wrap(context.socket(zmq.SUB), name=f"slow-{n}", sequence="stamp") for n in range(2)]
for sub in subs:
    sub.rcvhwm = 3
    sub.rcvbuf = 4096
    sub.subscribe(b"")
    sub.connect(f"tcp://127.0.0.1:{port}")
router = hopwatch.wrap(context.socket(zmq.ROUTER), name="swallows")
router.send_multipart([b"nobody", b"x"])
router.close()
while not all(sub.poll(10) for sub in subs):
    pub.send(b"begin")
for number in range(60):
    pub.send_multipart([b"topic-%d" % (number % 3), b"x" * 2000])
for sub in subs:
    while sub.poll(50):
        sub.recv_multipart()
pub.send(b"end")
for sub in subs:
    sub.recv_multipart()
subs[0].close()
os._exit(0)
"""

HOLDER = """
import fcntl, pathlib, sys
held = []
for line in sys.stdin:
    for file in held:
        file.close()
    held = []
    for path in pathlib.Path(line.strip()).glob("*.lock") if line.strip() else []:
        if path.is_file() and not path.is_symlink():
            held.append(path.open("r+b"))
            fcntl.lockf(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
    print("held", flush=True)
"""


def write_good(directory: Path, chance: random.Random) -> JournalWriter:
    """A journal as it should be, of a process that was killed."""
    writer = JournalWriter(directory, lock=False, segment_limit=chance.choice([700, 1 << 20]), heads=True)
    socket = f"{chance.getrandbits(64) | 1:016x}"
    writer.opened(socket)
    for number in range(EVENTS - 1):
        writer.event("onset", socket=socket, number=number, lane=0, lane_number=number)
    writer.set_counters(socket, 0, sent=EVENTS, sent_bytes=7)
    writer.set_lane(0, socket, socket, 0, EVENTS, 0, 0, 0, 0)
    writer.close()
    return writer


def assert_read_exactly(rows: list[Row]) -> None:
    assert sorted(row.n for row in rows if row.n is not None) == list(range(1, EVENTS + 1))
    of = {kind: [row.values for row in rows if row.kind == kind] for kind in ("counters", "lane", "process")}
    (final,) = [values for values in of["counters"] if values["final"]]
    assert (final["sent"], final["sent_bytes"]) == (EVENTS, 7)
    assert [values["count"] for values in of["lane"] if values["state"] == "final"] == [EVENTS]
    assert sorted(str(values["state"]) for values in of["process"]) == ["gone", "started"]
    assert not [row for row in rows if row.kind == "fault"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Journals of real sockets, and one that has every event."""
    directory = tmp_path_factory.mktemp("corpus")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    subprocess.run(
        [sys.executable, "-c", REAL_JOURNAL],
        env={**environment, "HOPWATCH_DIR": str(directory)},
        check=True,
        capture_output=True,
    )
    writer = JournalWriter(directory, lock=False)
    write_every_event(writer)
    counters = dict.fromkeys(COUNTER_NAMES, 3)
    writer.event(
        "lanes", socket="00000000000000a1", final=True, lanes=[["00000000000000a1", 0, 9, 9, 0, 9, 1]]
    )
    writer.next_with_head(*range(1, 5), **{"00000000000000a1": [1, 2]})
    writer.event("closed", socket="00000000000000a1", counters=counters)
    writer.event("exit")
    writer.close()
    return corpus_of(directory)


@pytest.fixture(scope="module")
def hold() -> Iterator[Holding]:
    """Holds the locks of a directory's processes until it is told otherwise."""
    with subprocess.Popen(
        [sys.executable, "-S", "-E", "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        @contextmanager
        def holding(directory: Path) -> Iterator[None]:
            for line in (f"{directory}\n", "\n"):
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(line)
                process.stdin.flush()
                assert process.stdout.readline() == "held\n"
                if line != "\n":
                    yield

        yield holding
        process.communicate()


def read_batch(agent: FuzzedAgent, corpus: Corpus, hold: Holding, numbers: range) -> None:
    """Journals that are wrong, and a good one among them, from their beginning until nothing of them is left."""
    chance = random.Random(f"{SEED}-{numbers}")  # noqa: S311 -- the same each time
    written = []
    for number in numbers:
        own = random.Random(f"{SEED}-{number}")  # noqa: S311 -- the same each time
        process = f"{own.getrandbits(64) | 1:016x}"
        write(agent.journal, process, mutated(corpus, own, process))
        written.append(process)
    good = write_good(agent.journal, chance)
    if chance.random() < 0.3:
        with hold(agent.journal):
            agent.tick()
            for process in written[::3]:
                change_in_place(agent.journal / f"{process}.0000.events", chance)
            agent.tick()
            agent.show()
    agent.tick()
    agent.tick()
    agent.show()
    rows = agent.land(to_disk=chance.random() < 0.05)
    assert_read_exactly([row for row in rows if row.process == good.process])
    agent.tick()
    assert not good.path("events", 0).exists()
    shutil.rmtree(agent.journal)
    agent.journal.mkdir()


def change_in_place(path: Path, chance: random.Random) -> None:
    """What its writer never does to a segment: it is cut, overwritten or another file."""
    if path.is_symlink() or not path.is_file():
        return
    data = path.read_bytes()
    if chance.random() < 0.5:
        os.truncate(path, chance.randint(0, len(data)))
    else:
        path.unlink()
        path.write_bytes(data[chance.randint(0, len(data)) :] * chance.randint(0, 2))


def memory() -> int:
    """The most that this process ever had resident, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """In memory, where there is such a place: thousands of transactions wait for no disk."""
    memory = Path("/dev/shm")  # noqa: S108 -- a folder of its own is made in it
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    "inputs",
    [
        FEW,
        pytest.param(
            INPUTS,
            marks=(
                pytest.mark.extended("thousands of journals take half a minute, or as long as is asked for"),
                pytest.mark.timeout(300 * max(1, INPUTS // 2_500)),
            ),
        ),
    ],
)
def test_whatever_stands_in_a_journal_the_next_good_one_is_read_exactly(
    folder: Path, corpus: Corpus, hold: Holding, inputs: int
) -> None:
    agent = FuzzedAgent(folder)
    before = 0
    for first in range(0, inputs, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, inputs))
        try:
            read_batch(agent, corpus, hold, numbers)
        except BaseException:
            print(f"FUZZ_SEED={SEED!r}, journals {numbers}")
            raise
        before = before or memory()
    agent.close()
    assert memory() - before < MOST_MEMORY_KIB
