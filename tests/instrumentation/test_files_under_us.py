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
from hopwatch.words import SOCKET_SLOT_WORDS
for process in range(1, {SEGMENTS_LEFT} + 6):
    if os.fork() == 0:
        CountersFile(Path(sys.argv[1]), process, 0).take(SOCKET_SLOT_WORDS).words[2] = process
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


def is_told(folder: Path, event: str) -> bool:
    """Whether some log has the event; one that was cut short has no first line until it is left."""
    return any(f'"event":"{event}"' in log.read_text() for log in folder.glob("*.events"))


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
    until(lambda: is_told(journal.directory, "closed"))
    newest = max(journal.directory.glob("*.events"))
    assert '"name":"push"' in newest.read_text()
    assert journal.faults() == []
    assert journal.header()["events_lost"] == 0


def sent_in(content: bytes, socket: str) -> int:
    """The messages that a socket has sent, by the bytes of the file; -1 where they have no such socket."""
    slots = struct.iter_unpack("<24Q", content[4096 : 4096 + 64 * 192])
    return next((words[1] for words in slots if words[0] == int(socket, 16)), -1)


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
from hopwatch.words import SOCKET_SLOT_WORDS
if os.fork() == 0:
    memory = CountersFile(Path({str(tmp_path)!r}), 7, 0)
    memory.take(SOCKET_SLOT_WORDS).words[2] = 7
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


CLOSING_DESCRIPTORS = """
import os, sys, time, zmq, hopwatch
from pathlib import Path

def use(name):
    context = zmq.Context()
    hopwatch.wrap(context.socket(zmq.PAIR), name=name).bind("inproc://x")
    return context

use("before").destroy()
(lock,) = Path(os.environ["HOPWATCH_DIR"]).glob("*.lock")
first = lock.stat().st_ino
highest = max(map(int, os.listdir("/proc/self/fd")))
os.closerange(3, highest + 1)
own = [os.open(f"{sys.argv[1]}/{number}", os.O_RDWR | os.O_CREAT) for number in range(highest)]
context = use("after")
deadline = time.monotonic() + 30
while lock.stat().st_ino == first and time.monotonic() < deadline:
    time.sleep(0.01)
context.destroy()
print([os.pread(each, 10, 0) for each in own if os.lseek(each, 0, os.SEEK_CUR) or os.pread(each, 10, 0)])
"""


def test_files_of_an_application_that_closed_all_descriptors_are_left_alone(
    journal: Journal, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    command = [sys.executable, "-W", "ignore", "-c", CLOSING_DESCRIPTORS, str(own)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("[]\n", "")
    assert [event["name"] for event in journal.events("opened")] == ["before", "after"]
    assert journal.header() == {"events_lost": 0, "faults": 0}


def test_files_come_back_of_a_process_whose_sockets_have_no_monitor(
    context: zmq.Context, journal: Journal, until: Callable[..., None]
) -> None:
    pair = context.socket(zmq.PAIR)
    pair.monitor("inproc://its-own")
    hopwatch.wrap(pair, name="pair").bind("inproc://x")
    assert journal.events("monitor")[0]["state"] == "application"
    unlink_all(journal.directory)
    until(lambda: {path.suffix for path in journal.directory.iterdir()} == {".lock", ".counters", ".events"})


def test_a_journal_stays_where_it_is_when_the_application_goes_elsewhere(
    context: zmq.Context, journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOPWATCH_DIR", "journal")
    hopwatch.wrap(context.socket(zmq.PAIR), name="before")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    hopwatch.wrap(context.socket(zmq.PAIR), name="after").bind("inproc://x")
    assert [event["name"] for event in journal.events("opened")] == ["before", "after"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


LEAVING_NOTHING = """
import resource, sys
from pathlib import Path
from hopwatch.errors import JournalError
from hopwatch.journal import shared_memory
from hopwatch.journal.counters import CountersFile
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))
try:
    CountersFile(Path(sys.argv[1]), 1, 0)
except JournalError:
    print(shared_memory.in_use(), "SYSV" in Path("/proc/self/maps").read_text())
"""


@AS_ROOT
def test_no_shared_memory_is_kept_that_can_have_no_file(tmp_path: Path) -> None:
    command = ["unshare", "--ipc", sys.executable, "-c", LEAVING_NOTHING, str(tmp_path)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "0 False\n"
    assert list(tmp_path.iterdir()) == []


TAKING_HALF = """
import sys
from pathlib import Path
from hopwatch.journal import shared_memory
from hopwatch.journal.counters import CountersFile
Path("/proc/sys/kernel/shmmni").write_text("200")
files = [CountersFile(Path(sys.argv[1]), process, 0) for process in range(1, 151)]
print(shared_memory.in_use(), sum(file.memory.in_shared_memory for file in files), shared_memory.most())
"""


@AS_ROOT
def test_half_of_the_hosts_shared_memory_segments_is_left_to_others(tmp_path: Path) -> None:
    command = ["unshare", "--ipc", sys.executable, "-c", TAKING_HALF, str(tmp_path)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "101 101 200\n"


LEAVING_ELSEWHERE = """
import os, sys
from pathlib import Path
from hopwatch.journal import shared_counters, shared_memory
from hopwatch.journal.counters import CountersFile
folder = Path(sys.argv[1], "journal")
folder.mkdir()
if os.fork() == 0:
    CountersFile(folder, 7, 0)
    os._exit(0)
os.wait()
folder.rename(folder.with_name("elsewhere"))
shared_counters.free_left_behind()
print(shared_memory.in_use())
shared_counters.KEPT_SECONDS = -1
shared_counters.free_left_behind()
print(shared_memory.in_use())
"""


@AS_ROOT
def test_memory_whose_folder_only_others_may_see_is_kept_for_a_day(tmp_path: Path) -> None:
    command = ["unshare", "--ipc", sys.executable, "-c", LEAVING_ELSEWHERE, str(tmp_path)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1\n0\n"


IN_A_FILE = """
import sys
from pathlib import Path
from hopwatch.journal.counters import CountersFile
from hopwatch.words import SOCKET_SLOT_WORDS
Path("/proc/sys/kernel/shmmni").write_text("0")
counters = CountersFile(Path(sys.argv[1]), 1, 0)
words = counters.take(SOCKET_SLOT_WORDS).words
(path,) = Path(sys.argv[1]).iterdir()
path.unlink()
for count in (5, 6):
    words[2] = count
    counters.memory.save()
    print(path.read_bytes()[4096 + 16], counters.memory.in_shared_memory)
"""


@AS_ROOT
def test_counts_that_are_in_the_file_are_copied_where_it_was_removed(tmp_path: Path) -> None:
    command = ["unshare", "--ipc", sys.executable, "-c", IN_A_FILE, str(tmp_path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == "5 False\n6 False\n"
