"""Whatever others do to the files of a journal: the process goes on, its counts are exact, and the files come back."""

import os
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import hopwatch
import pytest
import zmq
from hopwatch.journal import shared_memory
from hopwatch.journal.shared_counters import SEGMENTS_LEFT
from journal_reader import Journal

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have a namespace of its own")

CLOSING = """
import os, sys, zmq, hopwatch
context = zmq.Context()
push, pull = (hopwatch.wrap(context.socket(kind), name=name) for kind, name in ((zmq.PUSH, "push"), (zmq.PULL, "pull")))
pull.bind("inproc://x")
push.connect("inproc://x")
for _ in range(7):
    push.send(b"x")
    pull.recv()
if sys.argv[1] == "closes":
    push.close()
    pull.close()
    context.term()
elif sys.argv[1] == "is killed":
    os.kill(os.getpid(), 9)
"""

LEAVING = f"""
import os, sys
from pathlib import Path
from hopwatch.journal import shared_memory
from hopwatch.journal.counters import CountersFile
for process in range(1, {SEGMENTS_LEFT} + 6):
    if os.fork() == 0:
        CountersFile(Path(sys.argv[1]), process, 0).take_socket_slot().words[2] = process
        os._exit(0)
    os.wait()
print(shared_memory.in_use())
"""


def is_held(path: Path) -> bool:
    """Whether the lock is held, asked from another process: a lock never stands in its holder's own way."""
    code = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    return (
        subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=False).returncode
        != 0
    )


def unlink_all(path: Path) -> None:
    for each in path.iterdir():
        each.unlink()


def cut_off_all(path: Path) -> None:
    for each in path.iterdir():
        os.truncate(each, 0)


def replace_all(path: Path) -> None:
    for each in path.iterdir():
        shutil.copy(each, each.with_suffix(".copy"))
        each.with_suffix(".copy").rename(each)


@pytest.mark.parametrize("harm", [unlink_all, cut_off_all, replace_all, shutil.rmtree])
def test_files_that_were_harmed_come_back_and_no_count_is_lost(
    context: zmq.Context, journal: Journal, link, until: Callable[..., None], harm: Callable[[Path], None]
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull")
    link(push, pull)
    for _ in range(3):
        push.send(b"x")
        pull.recv()
    (lock,) = journal.directory.glob("*.lock")
    (counters,) = journal.directory.glob("*.counters")
    slot = journal.sockets()
    harm(journal.directory)
    for _ in range(4):
        push.send(b"x")
        pull.recv()

    def copied() -> bool:
        return counters.exists() and sorted(sent_in(counters.read_bytes(), socket) for socket in slot) == [
            0,
            7,
        ]

    until(lambda: lock.exists() and is_held(lock) and copied())
    push.close()
    until(lambda: any(event["event"] == "closed" for event in journal.events()))
    newest = max(journal.directory.glob("*.events"))
    assert '"name":"push"' in newest.read_text()
    assert journal.faults() == []
    assert journal.header()["events_lost"] == 0


def sent_in(content: bytes, socket: str) -> int:
    """The messages that a socket has sent, by the bytes of the file; -1 where they have no such socket."""
    slots = struct.iter_unpack("<40Q", content[4096 : 4096 + 64 * 320])
    return next((words[4] for words in slots if words[2] == int(socket, 16)), -1)


@pytest.mark.parametrize("ending", ["closes", "ends", "is killed"])
def test_the_last_counts_can_be_read_however_a_process_ends(journal: Journal, ending: str) -> None:
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", CLOSING, ending], check=False)
    assert ended.returncode == (-signal.SIGKILL if ending == "is killed" else 0)
    assert (journal.socket("push")["sent"], journal.socket("pull")["received"]) == (7, 7)
    (path,) = journal.directory.glob("*.counters")
    (segment,) = struct.unpack_from("<Q", path.read_bytes(), 96)
    assert (segment == 0) == (ending == "closes")


@AS_ROOT
def test_where_there_is_no_shared_memory_the_counts_are_in_the_file(journal: Journal) -> None:
    none = 'echo 0 > /proc/sys/kernel/shmmni; exec "$@"'
    program = [sys.executable, "-W", "ignore", "-c", CLOSING, "is killed"]
    subprocess.run(["unshare", "--ipc", "sh", "-c", none, "sh", *program], check=False)
    (path,) = journal.directory.glob("*.counters")
    assert struct.unpack_from("<Q", path.read_bytes(), 96) == (0,)
    assert (journal.socket("push")["sent"], journal.socket("pull")["received"]) == (7, 7)
    (segment,) = (path.read_text() for path in journal.directory.glob("*.events"))
    assert '"counts_in":"file"' in segment.splitlines()[0]


@AS_ROOT
def test_what_dead_processes_leave_is_saved_and_freed_by_the_next(tmp_path: Path) -> None:
    command = ["unshare", "--ipc", sys.executable, "-c", LEAVING, str(tmp_path)]
    left = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(left.stdout) <= SEGMENTS_LEFT + 1
    for path in tmp_path.glob("*.counters"):
        content = path.read_bytes()
        process, place = struct.unpack_from("<16xQ", content)[0], struct.unpack_from("<Q", content, 96)[0]
        saved = struct.unpack_from("<3Q", content, 4096)[2]
        assert saved == (0 if place else process)


@AS_ROOT
def test_nothing_is_saved_to_a_file_that_another_user_put_there(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(bytes(100_000))
    make = f"""
import os, sys
from pathlib import Path
from hopwatch.journal.counters import CountersFile
if os.fork() == 0:
    memory = CountersFile(Path({str(tmp_path)!r}), 7, 0)
    memory.take_socket_slot().words[2] = 7
    os._exit(0)
os.wait()
(path,) = Path({str(tmp_path)!r}).glob("*.counters")
path.unlink()
path.symlink_to({str(victim)!r})
from hopwatch.journal import shared_counters
shared_counters.SEGMENTS_LEFT = 0
shared_counters.free_left_behind()
"""
    subprocess.run(["unshare", "--ipc", sys.executable, "-c", make], check=True)
    assert victim.read_bytes() == bytes(100_000)


def test_another_process_reads_the_counters_and_may_not_end_them(
    context: zmq.Context, journal: Journal
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    push.bind("inproc://x")
    (path,) = journal.directory.glob("*.counters")
    (number,) = struct.unpack_from("<Q", path.read_bytes(), 96)
    assert shared_memory.status(number - 1).attached == 1
    with pytest.raises(OSError, match="too long"):
        shared_memory.read(number - 1, 100)


CHANGING_ITS_USER = """
import os, zmq, hopwatch
from contextlib import suppress
from hopwatch.errors import JournalError
from hopwatch.instrument import PROCESS
context = zmq.Context()
hopwatch.wrap(context.socket(zmq.PAIR), name="before").bind("inproc://before")
os.seteuid(65534)
(instrument,) = PROCESS._by_settings.values()
with suppress(JournalError, OSError):
    instrument.journal.keep_up()
hopwatch.wrap(context.socket(zmq.PAIR), name="after").bind("inproc://after")
context.destroy(linger=0)
"""


@AS_ROOT
def test_a_process_that_changes_its_user_goes_on_writing(journal: Journal) -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", CHANGING_ITS_USER], check=True)
    assert [event["name"] for event in journal.events("opened")] == ["before", "after"]
    assert journal.header()["events_lost"] == 0
