"""Processes fork, end and are ended as they would without hopwatch, and leave a journal that says so."""

import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path

import hopwatch
import pytest
import zmq
from interpreters import frees_classes
from journal_reader import Journal

SOCKETS = """
    import os, signal, sys, threading, time
    import zmq
    BARE = len(sys.argv) > 1
    if not BARE:
        import hopwatch
    signal.signal(signal.SIGINT, signal.default_int_handler)
    context = zmq.Context()
    def socket(kind, name, sequence="stamp"):
        made = context.socket(kind)
        return made if BARE else hopwatch.wrap(made, name=name, sequence=sequence)
    push, pull = socket(zmq.PUSH, "push"), socket(zmq.PULL, "pull")
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    push.send(b"x")
    pull.recv()
    context.linger = 0
"""

ENDINGS = {
    "returns": "push.linger = 0",
    "exits with a status": "sys.exit(3)",
    "raises": "raise ValueError('as the application does')",
    "is interrupted": "os.kill(os.getpid(), signal.SIGINT); time.sleep(5)",
    "leaves at once": "os._exit(4)",
    "closes everything": "push.close(); pull.close(); context.term()",
    "ends in another thread's time": "threading.Thread(target=time.sleep, args=(0.05,)).start()",
}
BY_ITSELF = set(ENDINGS) - {"leaves at once"}


def run(tmp_path: Path, body: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(SOCKETS) + textwrap.dedent(body))
    command = [sys.executable, "-W", "ignore", str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


@frees_classes
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_process_ends_as_a_bare_one_does(tmp_path: Path, journal: Journal, ending: str) -> None:
    wrapped, bare = run(tmp_path, ENDINGS[ending]), run(tmp_path, ENDINGS[ending], "bare")
    assert (wrapped.returncode, wrapped.stdout, wrapped.stderr) == (
        bare.returncode,
        bare.stdout,
        bare.stderr,
    )
    assert journal.socket("pull")["received"] == 1
    assert len(journal.events("exit")) == (ending in BY_ITSELF)
    assert journal.header() == {"events_lost": 0, "faults": 0}


@frees_classes
def test_the_exit_is_the_last_event_of_sockets_that_were_left_open(tmp_path: Path, journal: Journal) -> None:
    run(tmp_path, ENDINGS["returns"])
    kinds = [event["event"] for event in journal.events()]
    assert "closed" not in kinds[: kinds.index("exit")]


@frees_classes
def test_a_forked_child_has_a_journal_of_its_own(tmp_path: Path, journal: Journal) -> None:
    ended = run(
        tmp_path,
        """
        child = os.fork()
        if child == 0:
            context = zmq.Context()
            push, pull = socket(zmq.PUSH, "child push"), socket(zmq.PULL, "child pull")
            pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
            for _ in range(7):
                push.send(b"y")
                pull.recv()
            push.close(); pull.close(); context.term()
            sys.exit(5)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
        push.send(b"x")
        pull.recv()
        """,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len({path.name.split(".")[0] for path in journal.directory.iterdir()}) == 2
    assert (journal.socket("push")["sent"], journal.socket("pull")["received"]) == (2, 2)
    assert (journal.socket("child push")["sent"], journal.socket("child pull")["received"]) == (7, 7)
    assert len(journal.events("exit")) == 2


@frees_classes
@pytest.mark.parametrize(
    "use",
    ["pass", "push.close(); pull.close()", "hopwatch.unwrap(push); hopwatch.unwrap(pull)", "del push, pull"],
)
def test_a_child_that_lets_go_of_its_parents_sockets_leaves_the_parents_journal_alone(
    tmp_path: Path, journal: Journal, use: str
) -> None:
    ended = run(
        tmp_path,
        f"""
        import fcntl, glob, struct
        child = os.fork()
        if child == 0:
            {use}
            sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0
        asker = os.fork()
        if asker == 0:
            (lock,) = glob.glob(os.environ["HOPWATCH_DIR"] + "/*.lock")
            query = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            with open(lock, "rb") as file:
                held = struct.unpack("hhqqi", fcntl.fcntl(file, fcntl.F_GETLK, query))[0] != fcntl.F_UNLCK
            os._exit(0 if held else 1)
        assert os.waitpid(asker, 0)[1] == 0, "the child's end took the parent's lock with it"
        push.send(b"x")
        pull.recv()
        os._exit(0)
        """,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(journal.events("opened")) == len(journal.sockets()) == 2
    assert journal.events("closed", "exit") == []
    assert len(journal.lanes()) == 2
    assert journal.socket("push")["sent"] == 2


def test_sockets_made_used_and_closed_by_many_threads_are_all_counted(
    context: zmq.Context, journal: Journal
) -> None:
    def exchange(name: str) -> None:
        push = hopwatch.wrap(context.socket(zmq.PUSH), name=f"push-{name}", sequence="stamp")
        pull = hopwatch.wrap(context.socket(zmq.PULL), name=f"pull-{name}", sequence="stamp")
        push.bind(f"inproc://{name}")
        pull.connect(f"inproc://{name}")
        for _ in range(200):
            push.send(b"12345")
            pull.recv()
        push.close()
        pull.close()

    threads = [threading.Thread(target=exchange, args=(str(number),)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(12):
        assert journal.socket(f"push-{number}")["sent"] == 200
        assert journal.socket(f"pull-{number}")["received_bytes"] == 1000


def test_a_signal_handler_may_use_a_socket_at_any_time(context: zmq.Context, journal: Journal, link) -> None:
    push, pull = hopwatch.wrap(context.socket(zmq.PUSH), name="push"), context.socket(zmq.PULL)
    link(push, pull)
    handled = 0

    def handle(*_: object) -> None:
        nonlocal handled
        handled += 1
        hopwatch.wrap(context.socket(zmq.PUSH), name="handler's").close()

    previous = signal.signal(signal.SIGALRM, handle)
    try:
        for number in range(3000):
            if (
                number % 50 == 0
            ):  # one alarm at a time: a handler that is slow for once must not be all that runs
                signal.setitimer(signal.ITIMER_REAL, 0.0003)
            push.linger = number
            push.send(b"x")
            pull.recv()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    numbers = [event["n"] for event in journal.events()]
    assert handled > 3
    assert numbers == list(range(1, len(numbers) + 1))
    assert journal.header() == {"events_lost": 0, "faults": 0}


def test_a_socket_says_when_it_is_closed_whether_messages_were_left_unread(
    context: zmq.Context,
    journal: Journal,
    link: Callable[[zmq.Socket, zmq.Socket], None],
    until: Callable[[Callable[[], object]], None],
) -> None:
    for name, sequence in (("tidy", None), ("hasty", None), ("stamped and hasty", "stamp")):
        push = hopwatch.wrap(context.socket(zmq.PUSH), sequence=sequence)
        pull = hopwatch.wrap(context.socket(zmq.PULL), name=name, sequence=sequence)
        link(push, pull)
        push.send(b"x")
        until(lambda pull=pull: pull.poll(0))
        if name == "tidy":
            pull.recv()
        pull.close()
    unread = {
        name: journal.of(name, "closed")[0]["unread"] for name in ("tidy", "hasty", "stamped and hasty")
    }
    assert unread == {"tidy": False, "hasty": True, "stamped and hasty": True}
