"""The journal on disk is what FORMAT.md says, also when the disk is full or the process is gone."""

import fcntl
import json
import os
import signal
import stat
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import hopwatch
import pytest
import zmq
from hopwatch.journal import shared_memory
from hopwatch.journal.counters import CountersFile, Slots
from hopwatch.journal.events import EventLog
from hopwatch.journal.journal import FileJournal
from hopwatch.settings import Settings
from hopwatch.words import SOCKET_SLOT_WORDS
from journal_reader import Journal, counters_of


def file_journal(directory: Path) -> FileJournal:
    return FileJournal(Settings(directory, False, "host", None, None, False))


def lock_is_held(path: Path) -> bool:
    """Asks as the agent does: F_GETLK never takes the lock."""
    with path.open("rb") as file:
        query = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        answer = fcntl.fcntl(file, fcntl.F_GETLK, query)
    return struct.unpack("hhqqi", answer)[0] != fcntl.F_UNLCK


def lines_of(directory: Path) -> list[dict[str, object]]:
    paths = sorted(directory.glob("*.events"))
    return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]


def test_the_counters_file_has_the_documented_bytes(context: zmq.Context, journal: Journal, link) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence="stamp")
    pull = context.socket(zmq.PULL)
    link(push, pull)
    push.send_multipart([b"abc", b"de"])
    (path,) = journal.directory.glob("*.counters")
    data = counters_of(path)
    process, index = path.name.split(".")[:2]
    assert data[:8] == b"HOPWATCH"
    header = struct.unpack_from("<11Q", data, 8)
    assert header == (2, int(process, 16), int(index), 4096, 64, 192, 4096 + 64 * 192, 1024, 64, 0, 0)
    assert len(data) == 4096 + 64 * 192 + 1024 * 64
    (segment,) = struct.unpack_from("<Q", data, 96)
    assert shared_memory.status(segment - 1).size == len(data)
    assert data[128:4096].rstrip(b"\0") == bytes(path)
    assert not any(data[104:128])
    opened, lane = journal.of("push", "opened")[0], journal.of("push", "lane")[0]
    at = 4096 + 192 * opened["slot"][1]
    assert struct.unpack_from("<5Q", data, at) == (int(opened["socket"], 16), 1, 1, 5, 0)
    at = 4096 + 64 * 192 + 64 * lane["slot"][1]
    stream = int(opened["socket"], 16)
    assert struct.unpack_from("<8Q", data, at) == (stream, stream, 0, 1, 1, 0, 0, 0)


def test_every_segment_says_whose_it_is(context: zmq.Context, journal: Journal) -> None:
    hopwatch.wrap(context.socket(zmq.PUSH))
    first = lines_of(journal.directory)[0]
    (path,) = journal.directory.glob("*.events")
    assert (first["event"], first["format"], first["index"], first["first"]) == ("segment", 2, 0, 1)
    assert (first["process"], first["pid"]) == (path.name.split(".")[0], os.getpid())
    assert (first["pyzmq"], first["libzmq"]) == (zmq.__version__, zmq.zmq_version())


def test_segments_are_left_at_1_mib_and_the_last_16_stay(tmp_path: Path) -> None:
    journal = file_journal(tmp_path)
    for _ in range(18_500):
        journal.event("onset", text="x" * 950)
    paths = sorted(tmp_path.glob("*.events"))
    indices = [int(path.name.split(".")[1]) for path in paths]
    assert indices == list(range(indices[-1] - 15, indices[-1] + 1))
    assert indices[0] > 0
    assert all(1 << 20 <= path.stat().st_size < (1 << 20) + 2000 for path in paths[:-1])
    numbers = []
    for path in paths:
        head, standing, *events = map(json.loads, path.read_bytes().splitlines())
        assert (head["event"], standing["event"]) == ("segment", "standing")
        assert (head["index"], head["first"]) == (int(path.name.split(".")[1]), events[0]["n"])
        numbers += [event["n"] for event in events]
    assert numbers == list(range(numbers[0], 18_501))


def test_an_event_too_long_or_not_to_be_written_as_json_is_a_hole_that_is_counted(tmp_path: Path) -> None:
    journal = file_journal(tmp_path)
    for value in ("first", "x" * 70_000, b"bytes", "last"):
        journal.event("option", option="linger", value=value)
    events = lines_of(tmp_path)[1:]
    assert [(event["n"], event["value"]) for event in events] == [(1, "first"), (4, "last")]
    assert Journal(tmp_path).header()["events_lost"] == 2


def test_an_event_that_comes_while_another_is_written_follows_it(tmp_path: Path) -> None:
    """A signal handler or a finalizer of the same thread may journal at any point."""
    lost: list[int] = []

    def header(index: int, first: int) -> dict[str, object]:
        if index == 1:
            log.write("inner", {})
        return {"event": "segment", "index": index, "first": first}

    log = EventLog(tmp_path, "p", header, lost.append)
    while not (tmp_path / "p.0001.events").exists():
        log.write("outer", {"text": "x" * 10_000})
    last = [(line["event"], line.get("n")) for line in lines_of(tmp_path)[-4:]]
    number = last[2][1]
    assert last == [("segment", None), ("standing", None), ("outer", number), ("inner", number + 1)]
    assert lost == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    directory = tmp_path / "disk"
    directory.mkdir()
    mounting = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", directory], capture_output=True, check=False
    )
    if mounting.returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield directory
    subprocess.run(["umount", "--lazy", directory], check=True)


def test_what_a_full_disk_refuses_is_a_hole_and_the_log_goes_on_cleanly(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, context: zmq.Context, link
) -> None:
    monkeypatch.setenv("HOPWATCH_DIR", str(small_disk))
    journal = Journal(small_disk)
    push, pull = hopwatch.wrap(context.socket(zmq.PUSH), name="push"), context.socket(zmq.PULL)
    link(push, pull)
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 140 * 1024)
    for number in range(500):
        push.linger = number
        push.send(b"%d" % number)
        assert pull.recv() == b"%d" % number
    lost = journal.header()["events_lost"]
    assert lost > 100
    filler.unlink()
    push.linger = 7
    numbers = [event["n"] for event in journal.events()]
    missing = set(range(1, numbers[-1] + 1)) - set(numbers)
    assert len(missing) == lost == journal.header()["events_lost"]
    assert journal.of("push", "option")[-1]["value"] == 7
    assert journal.socket("push")["sent"] == 500


def test_a_disk_without_room_for_a_journal_costs_one_warning(
    small_disk: Path,
    monkeypatch: pytest.MonkeyPatch,
    context: zmq.Context,
    link,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("HOPWATCH_DIR", str(small_disk))
    (small_disk / "filler").write_bytes(b"x" * 240 * 1024)
    sockets = [hopwatch.wrap(context.socket(kind), sequence="stamp") for kind in (zmq.PUSH, zmq.PULL)]
    link(*sockets)
    sockets[0].send(b"x")
    assert sockets[1].recv() == b"x"
    assert len(caplog.records) == 1
    assert [path.name for path in small_disk.iterdir()] == ["filler"]


def test_no_event_can_be_written_and_yet_nothing_fails_once_the_directory_is_gone(
    context: zmq.Context, journal: Journal, link
) -> None:
    push, pull = hopwatch.wrap(context.socket(zmq.PUSH)), context.socket(zmq.PULL)
    file = journal.directory.with_name("file")
    file.touch()
    for number in range(100):  # it may come back before the file has its name
        journal.directory.rename(journal.directory.with_name(f"elsewhere-{number}"))
        with suppress(IsADirectoryError):
            file.rename(journal.directory)
            break
    link(push, pull)
    push.send(b"x")
    assert pull.recv() == b"x"
    push.close()


def test_the_lock_is_held_as_long_as_the_process_lives(journal: Journal) -> None:
    program = (
        "import zmq, hopwatch, sys\n"
        "hopwatch.wrap(zmq.Context().socket(zmq.PUSH))\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        (lock,) = journal.directory.glob("*.lock")
        assert lock_is_held(lock)
        process.send_signal(signal.SIGKILL)
    assert not lock_is_held(lock)


def test_the_directory_and_its_files_are_for_this_user_alone(context: zmq.Context, journal: Journal) -> None:
    hopwatch.wrap(context.socket(zmq.PUSH))
    assert stat.S_IMODE(journal.directory.stat().st_mode) == 0o700
    files = list(journal.directory.iterdir())
    assert sorted(path.suffix for path in files) == [".counters", ".events", ".lock"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


@pytest.mark.parametrize("mode", ["0640", "644"])
def test_its_files_are_for_whom_they_are_said_to_be_whatever_the_umask(
    context: zmq.Context, journal: Journal, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("HOPWATCH_FILE_MODE", mode)
    before = os.umask(0o077)
    try:
        hopwatch.wrap(context.socket(zmq.PUSH))
    finally:
        os.umask(before)
    files = list(journal.directory.iterdir())
    assert sorted(path.suffix for path in files) == [".counters", ".events", ".lock"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {int(mode, 8)}


def test_a_closed_sockets_slot_is_free_and_used_again(context: zmq.Context, journal: Journal, link) -> None:
    first = hopwatch.wrap(context.socket(zmq.PUSH), name="first", sequence="stamp")
    link(first, context.socket(zmq.PULL))
    first.send(b"x")
    first.close()
    assert (journal.sockets(), journal.lanes()) == ({}, [])
    hopwatch.wrap(context.socket(zmq.PUSH), name="second")
    slots = [event["slot"] for event in journal.events("opened")]
    assert slots[0] == slots[1]
    assert (journal.socket("first")["sent"], journal.socket("second")["sent"]) == (1, 0)


def test_past_64_sockets_a_second_counters_file_appears(context: zmq.Context, journal: Journal) -> None:
    for _ in range(70):
        hopwatch.wrap(context.socket(zmq.PUSH))
    places = [tuple(event["slot"]) for event in journal.events("opened")]
    assert len(set(places)) == 70
    assert sorted(places)[-6:] == [(1, number) for number in range(6)]
    assert len(list(journal.directory.glob("*.0001.counters"))) == 1
    assert len(journal.sockets()) == 70


def test_threads_that_take_slots_at_once_get_different_ones(tmp_path: Path) -> None:
    slots = Slots(lambda index: CountersFile(tmp_path, 1, index))
    places: list[tuple[int, int] | None] = []
    start = threading.Barrier(8)

    def take() -> None:
        start.wait()
        places.extend(slots.take(SOCKET_SLOT_WORDS).place for _ in range(64))

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(places)) == 8 * 64
    assert len(list(tmp_path.iterdir())) == 4  # of 64, 128, 256 and 512 slots
