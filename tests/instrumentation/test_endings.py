"""Processes and contexts that end in ways that are not an interpreter's own: as bare ones do, and with their counts kept."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from interpreters import frees_classes
from journal_reader import Journal

SOCKETS = """
    import fcntl, glob, os, signal, struct, sys, threading, time
    import zmq
    BARE = len(sys.argv) > 1
    if not BARE:
        import hopwatch
    context = zmq.Context()
    context.linger = 0
    def socket(kind, name):
        made = context.socket(kind)
        return made if BARE else hopwatch.wrap(made, name=name, sequence="stamp")
    push, pull = socket(zmq.PUSH, "push"), socket(zmq.PULL, "pull")
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    for _ in range(100):
        push.send(b"x")
        pull.recv()
"""

AFTER_EXEC = """
import os, sys
sockets = [os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if int(name) > 2 and os.path.exists(f"/proc/self/fd/{name}")]
print(sorted(name for name in sockets if "hopwatch" in name or "journal" in name))
"""

RECEIVE_UNTIL_ENDED = """
    def receive():
        try:
            while True:
                pull.recv()
        except zmq.ContextTerminated:
            pull.close(linger=0)
            print("ended")
    receiving = threading.Thread(target=receive)
    receiving.start()
    push.send(b"y")
    time.sleep(0.05)
    push.close()
"""


def run(
    tmp_path: Path, body: str, *arguments: str, interpreter_options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(SOCKETS) + textwrap.dedent(body))
    command = [sys.executable, "-W", "ignore", *interpreter_options, str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


def both(tmp_path: Path, body: str) -> subprocess.CompletedProcess[str]:
    """The wrapped run, which ended as the bare one did."""
    wrapped, bare = run(tmp_path, body), run(tmp_path, body, "bare")
    assert (wrapped.returncode, wrapped.stdout, wrapped.stderr) == (
        bare.returncode,
        bare.stdout,
        bare.stderr,
    )
    return wrapped


@pytest.mark.parametrize("number", ["SIGKILL", "SIGTERM", "SIGSEGV", "SIGABRT"])
def test_a_signal_that_nobody_handles_ends_the_process_and_loses_no_count(
    tmp_path: Path, journal: Journal, number: str
) -> None:
    ended = both(tmp_path, f"os.kill(os.getpid(), signal.{number}); time.sleep(5)")
    assert ended.returncode < 0
    assert (journal.socket("push")["sent"], journal.socket("pull")["received"]) == (100, 100)
    assert [lane["count"] for lane in journal.lanes()] == [100, 100]
    assert journal.events("exit", "closed") == []


@frees_classes
def test_a_sigterm_that_the_application_turns_into_an_exit_is_one(tmp_path: Path, journal: Journal) -> None:
    ended = both(
        tmp_path,
        """
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM)).start()
        pull.recv()
        """,
    )
    assert ended.returncode == 7
    assert len(journal.events("exit")) == 1


def test_another_program_takes_the_processs_place_with_none_of_our_files(
    tmp_path: Path, journal: Journal
) -> None:
    ended = both(tmp_path, f"os.execv(sys.executable, [sys.executable, '-c', {AFTER_EXEC!r}])")
    assert (ended.returncode, ended.stdout) == (0, "[]\n")
    assert journal.socket("push")["sent"] == 100
    assert journal.events("exit") == []


def test_exec_lets_the_lock_go(tmp_path: Path, journal: Journal) -> None:
    look = (
        "import fcntl, glob, os, struct; "
        "lock, = glob.glob(os.environ['HOPWATCH_DIR'] + '/*.lock'); "
        "fcntl.lockf(open(lock, 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB); print('free')"
    )
    assert run(tmp_path, f"os.execv(sys.executable, [sys.executable, '-c', {look!r}])").stdout == "free\n"


def test_a_context_terminated_by_another_thread_than_the_one_that_receives(
    tmp_path: Path, journal: Journal
) -> None:
    ended = both(
        tmp_path,
        RECEIVE_UNTIL_ENDED
        + """
    ending = threading.Thread(target=context.term)
    ending.start()
    ending.join()
    receiving.join()
    print("over")
    """,
    )
    assert (ended.returncode, ended.stdout) == (0, "ended\nover\n")


def test_sockets_that_are_collected_unclosed_are_closed_in_the_journal_too(
    tmp_path: Path, journal: Journal
) -> None:
    ended = both(tmp_path, "del push, pull; import gc; gc.collect(); context.term(); print('over')")
    assert ended.stdout == "over\n"
    assert len(journal.events("closed")) == 2
