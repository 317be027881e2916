"""Processes of other containers, whose cgroups the agent does not see, hand them over: real processes, sockets and limits of memory."""

import os
import socket
import struct
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from agent_process import eventually
from hopwatch.cgroups import MEMORY_FILES, cgroup_of, find_hierarchy
from hopwatch.monitors.cgroup_handle import DOOR, hand_over
from hopwatch_agent.kernel.door import Door, Handed
from hopwatch_agent.kernel.handed_cgroups import UNREAD_SECONDS, HandedCgroups
from hopwatch_agent.kernel.memory import CgroupMemory
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.state import ProcessState
from hopwatch_agent.sampling import Moment
from hosts import environment_of
from memory_limit import NoLimitError, limited
from programs import Program

MEGABYTE = 2**20
ONE, OTHER = "1" * 16, "2" * 16
GREEDY = """
import sys
from pathlib import Path
Path(sys.argv[1], "cgroup.procs").write_text("0")
import hopwatch, zmq
socket = hopwatch.wrap(zmq.Context.instance().socket(zmq.PUSH), name="greedy")
socket.bind("tcp://127.0.0.1:*")
print("bound", flush=True)
if sys.stdin.readline() == "more\\n":
    taken = []
    while True:
        taken.append(bytearray(b"x") * 2**20)
"""
LINGER_SECONDS = 1000
"""Longer than a test may take."""
IN_A_POD = {"K8S_POD_NAME": "feed-0"}


def door_in(folder: Path) -> Door:
    hierarchy = find_hierarchy()
    assert hierarchy is not None
    return Door(folder, hierarchy.mounted.stat().st_dev)


@pytest.fixture
def handed(tmp_path: Path) -> Iterator[HandedCgroups]:
    if find_hierarchy() is None:
        pytest.skip("no cgroups are mounted that account for memory")
    handed = HandedCgroups(door_in(tmp_path))
    assert handed.take((), 0.0) == {}
    yield handed
    handed.close()
    assert not (tmp_path / DOOR).exists()


@pytest.fixture
def cgroup() -> Iterator[Path]:
    try:
        with limited(100 * MEGABYTE) as folder:
            yield folder
    except NoLimitError as error:
        pytest.skip(str(error))


def greedy_in(folder: Path, cgroup: Path, place: Mapping[str, str] = IN_A_POD) -> Program:
    environment = {**environment_of("web-1", folder), **place}
    program = Program([sys.executable, "-c", GREEDY, str(cgroup)], environment, folder / "greedy.stderr")
    program.expect("bound")
    return program


def end(*programs: Program) -> None:
    for program in programs:
        program.tell("end")
        program.wait()
        program.reap()


def the_process(folder: Path) -> str:
    (lock,) = folder.glob("*.lock")
    return lock.stem


def held_for_one() -> int:
    """The files of this process's cgroup, and what the watch has open."""
    hierarchy = find_hierarchy()
    assert hierarchy is not None
    cgroup = cgroup_of("self", hierarchy)
    assert cgroup is not None
    folder = hierarchy.folder(cgroup)
    return sum((folder / name).exists() for name in MEMORY_FILES[hierarchy.version]) + 1


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_who_was_killed_for_memory_is_known_though_its_container_is_gone(
    handed: HandedCgroups, tmp_path: Path
) -> None:
    memory, draft = CgroupMemory(None, handed, "web-1"), Draft(Tables())
    try:
        with limited(100 * MEGABYTE) as cgroup:
            greedy = greedy_in(tmp_path, cgroup)
            process = the_process(tmp_path)
            shown = eventually(lambda: memory.sample({}, {process}, draft, Moment(1, 1.0)).get(process))
            assert (shown.limit, shown.oom_kills) == (100 * MEGABYTE, 0)
            assert f"/{cgroup.name}#" in shown.cgroup
            greedy.tell("more")
            greedy.wait(status=-9)
            greedy.reap()
            eventually(lambda: handed.memory(PurePosixPath(shown.cgroup)).oom_kills == 1)
    except NoLimitError as error:
        pytest.skip(str(error))
    memory.tell_kills([ProcessState(process, "web-1")], draft, Moment(2, 2.0))
    (row,) = [row for row in draft.rows if row.kind == "oom"]
    assert (row.process, row.values["vanished"], row.values["kills"]) == (process, 1, 1)
    assert row.values["limit"] == 100 * MEGABYTE


@pytest.mark.extended("waits for a cgroup to be handed over")
def test_an_agent_that_comes_later_is_handed_it_too(tmp_path: Path, cgroup: Path) -> None:
    greedy = greedy_in(tmp_path, cgroup)
    process = the_process(tmp_path)
    for _ in range(2):
        handed = HandedCgroups(door_in(tmp_path))
        eventually(lambda handed=handed: process in handed.take({process}, 0.0), seconds=30)
        handed.close()
    end(greedy)


def test_nothing_is_handed_over_where_nothing_says_that_this_is_a_pod(
    handed: HandedCgroups, tmp_path: Path, cgroup: Path
) -> None:
    plain = greedy_in(tmp_path, cgroup, {})
    without = the_process(tmp_path)
    in_a_pod = greedy_in(tmp_path, cgroup)
    (other,) = {lock.stem for lock in tmp_path.glob("*.lock")} - {without}
    assert eventually(lambda: set(handed.take({without, other}, 0.0))) == {other}
    end(plain, in_a_pod)


def hand_over_in_time(door: Path, process: str) -> None:
    """As soon as there is room behind all that was sent before."""

    def is_sent() -> bool:
        with suppress(BlockingIOError):
            hand_over(door, process)
            return True
        return False

    eventually(is_sent)


def test_what_is_no_handle_is_closed_and_forgotten(handed: HandedCgroups, tmp_path: Path) -> None:
    before = open_descriptors()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client, (tmp_path / "x").open("w") as file:
        client.connect(str(tmp_path / DOOR))
        os.mkfifo(tmp_path / "fifo")  # reading it would never end
        fifo = os.open(tmp_path / "fifo", os.O_RDWR)
        hierarchy = find_hierarchy()
        assert hierarchy is not None
        version = hierarchy.version
        folder = os.open(hierarchy.mounted, os.O_RDONLY)
        events = os.open(hierarchy.mounted / "cgroup.procs", os.O_RDONLY)
        kills, current = MEMORY_FILES[version][:2]
        for message, sent in (
            (b"", []),
            (b"\xff" * 3000, [file.fileno()] * 8),
            (f"{ONE} {kills} /".encode(), []),
            (f"{ONE} {kills} /".encode(), [file.fileno()]),
            (f"{ONE} {kills} /".encode(), [fifo]),
            (f"{ONE} {kills} /".encode(), [folder]),
            (f"{ONE} {kills},{current} /".encode(), [events, folder]),
            (f"{ONE} {kills},{current} /".encode(), [events]),
            (f"{ONE} {kills},{kills} /".encode(), [events, events]),
            (f"{ONE} {kills} /".encode(), [events, events]),
            (f"{ONE} {current} /".encode(), [events]),
            (f"{ONE} {kills} /".encode(), [events]),
            (f"../../etc {kills} /".encode(), [events]),
            (f"{ONE} {kills} /\0".encode(), [events]),
        ):
            socket.send_fds(client, [message], sent)
        for descriptor in (fifo, folder, events):
            os.close(descriptor)
    hand_over_in_time(tmp_path / DOOR, OTHER)
    assert eventually(lambda: handed.take({ONE, OTHER}, 0.0)).keys() == {OTHER}
    handed.take((), 0.0)
    assert open_descriptors() == before


def test_nobody_waits_for_a_descriptor_that_takes_long_to_close(
    handed: HandedCgroups, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed_here = threading.Event()
    look = Door._handed  # noqa: SLF001 -- where it has a descriptor and closes it next

    def look_later(door: Door, *received: Any) -> Handed | None:
        closed_here.wait()
        return look(door, *received)

    monkeypatch.setattr(Door, "_handed", look_later)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        for _ in range(3):  # one is being closed, others wait for it
            send_what_lingers(listener, tmp_path / DOOR)
        closed_here.set()
        for _ in range(100):
            handed.take({ONE}, 0.0)
        (tmp_path / DOOR).unlink()
        for _ in range(10):
            handed.take({ONE}, 0.0)
        # it is not over: else the next one would be open
        assert not (tmp_path / DOOR).exists()
    # once it is over, the next one is met
    eventually(lambda: handed.take((), 0.0) == {} and (tmp_path / DOOR).exists(), seconds=60)


def send_what_lingers(listener: socket.socket, door: Path) -> None:
    """A descriptor that takes so long to close."""
    full = socket.create_connection(listener.getsockname())
    full.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, LINGER_SECONDS))
    full.setblocking(False)
    with suppress(BlockingIOError):
        while True:
            full.send(bytes(2**16))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
        client.connect(str(door))
        socket.send_fds(client, [f"{ONE} memory.events /".encode()], [full.fileno()])
    full.close()


def test_a_cgroup_is_held_once_and_only_while_one_of_its_processes_lives(
    handed: HandedCgroups, tmp_path: Path
) -> None:
    before = open_descriptors()
    for process in (ONE, ONE, OTHER):
        hand_over(tmp_path / DOOR, process)
    held = held_for_one()
    eventually(
        lambda: handed.take({ONE, OTHER}, 0.0).keys() == {ONE, OTHER} and open_descriptors() == before + held
    )
    handed.take({OTHER}, 0.0)
    assert open_descriptors() - before == held
    assert handed.take((), 0.0) == {}
    assert open_descriptors() == before


def test_who_comes_before_its_journal_is_read_is_not_forgotten_at_once(
    handed: HandedCgroups, tmp_path: Path
) -> None:
    before = open_descriptors()
    hand_over(tmp_path / DOOR, ONE)
    eventually(lambda: handed.take((), 0.0) == {} and open_descriptors() >= before + held_for_one())
    assert handed.take((), UNREAD_SECONDS) == {}
    assert set(handed.take({ONE}, UNREAD_SECONDS + 100)) == {ONE}
    assert handed.take((), UNREAD_SECONDS + 101) == {}
    assert open_descriptors() == before


def test_who_is_never_met_in_the_journal_directory_is_forgotten(
    handed: HandedCgroups, tmp_path: Path
) -> None:
    before = open_descriptors()
    hand_over(tmp_path / DOOR, OTHER)
    eventually(lambda: handed.take((), 0.0) == {} and open_descriptors() >= before + held_for_one())
    assert handed.take((), UNREAD_SECONDS + 1) == {}
    assert handed.take({OTHER}, UNREAD_SECONDS + 1) == {}
    assert open_descriptors() == before


def test_processes_of_different_containers_that_see_the_same_name_are_told_apart(
    handed: HandedCgroups, tmp_path: Path
) -> None:
    try:
        with limited(100 * MEGABYTE) as one, limited(200 * MEGABYTE) as other:
            cgroups = {ONE: one, OTHER: other}
            hierarchy = find_hierarchy()
            assert hierarchy is not None
            names = MEMORY_FILES[hierarchy.version]
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
                client.connect(str(tmp_path / DOOR))
                for process, folder in cgroups.items():
                    there = [name for name in names if (folder / name).exists()]
                    descriptors = [os.open(folder / name, os.O_RDONLY) for name in there]
                    socket.send_fds(client, [f"{process} {','.join(there)} /".encode()], descriptors)
                    for descriptor in descriptors:
                        os.close(descriptor)
            eventually(lambda: handed.take(cgroups, 0.0).keys() == {ONE, OTHER})
            limits = {
                process: memory.limit
                for process, cgroup in handed.take(cgroups, 0.0).items()
                if (memory := handed.memory(cgroup)) is not None
            }
            assert limits == {ONE: 100 * MEGABYTE, OTHER: 200 * MEGABYTE}
            handed.take((), 0.0)
    except NoLimitError as error:
        pytest.skip(str(error))


def test_what_is_closed_twice_closes_nothing_of_others(tmp_path: Path) -> None:
    before = open_descriptors()
    handed = HandedCgroups(door_in(tmp_path))
    hand_over_to(handed, tmp_path)
    handed.close()
    assert open_descriptors() == before
    others = [os.open(tmp_path, os.O_RDONLY) for _ in range(20)]
    handed.close()
    for other in others:
        os.close(other)


def hand_over_to(handed: HandedCgroups, folder: Path) -> None:
    handed.take((), 0.0)
    hand_over(folder / DOOR, ONE)
    eventually(lambda: handed.take({ONE}, 0.0))


def test_the_door_is_opened_again_where_somebody_took_it_away(handed: HandedCgroups, tmp_path: Path) -> None:
    (tmp_path / DOOR).unlink()
    eventually(lambda: handed.take((), 0.0) == {} and (tmp_path / DOOR).exists())
    assert (tmp_path / DOOR).stat().st_mode & 0o777 == 0o666
    hand_over(tmp_path / DOOR, ONE)
