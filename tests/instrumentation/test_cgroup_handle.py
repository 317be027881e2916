"""In a pod, the monitor thread looks for an agent: whatever it finds there, the application notices nothing."""

import fcntl
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import hopwatch
import pytest
import zmq
from background_threads import background_threads
from hopwatch.cgroups import MEMORY_FILES, cgroup_of, find_hierarchy
from hopwatch.monitors import cgroup_handle
from hopwatch.monitors.cgroup_handle import DOOR
from journal_reader import Journal

Until = Callable[[Callable[[], object]], None]


@pytest.fixture
def pod(journal: Journal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The journal directory of a process in a pod, which looks for an agent very often."""
    monkeypatch.setenv("K8S_POD_NAME", "feed-0")
    for name in ("LOOK_SECONDS", "SELDOM_SECONDS"):
        monkeypatch.setattr(cgroup_handle, name, 0.05)
    if find_hierarchy() is None:
        pytest.skip("no cgroups are mounted that account for memory")
    directory = tmp_path / "journal"
    directory.mkdir()
    yield directory
    hopwatch.uninstall()


@pytest.fixture
def use(context: zmq.Context) -> Callable[[], None]:
    def use() -> None:
        hopwatch.wrap(context.socket(zmq.PULL)).bind("tcp://127.0.0.1:*")

    return use


def agent_in(directory: Path) -> socket.socket:
    door = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    door.bind(str(directory / DOOR))
    door.settimeout(10)
    return door


@contextmanager
def handed_over(door: socket.socket) -> Iterator[tuple[list[str], list[int]]]:
    message, descriptors, _, _ = socket.recv_fds(door, 4096, 100)
    try:
        yield message.decode().split(" ", 2), descriptors
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def test_each_agent_that_comes_is_handed_what_tells_of_memory_once(
    pod: Path, use: Callable[[], None]
) -> None:
    use()
    (lock,) = pod.glob("*.lock")
    hierarchy = find_hierarchy()
    assert hierarchy is not None
    for _ in range(2):
        with agent_in(pod) as door:
            with handed_over(door) as ((process, names, cgroup), descriptors):
                assert process == lock.stem
                assert cgroup == str(cgroup_of("self", hierarchy))
                called = names.split(",")
                assert called[0] == MEMORY_FILES[hierarchy.version][0]
                texts = {
                    name: os.pread(descriptor, 4096, 0)
                    for name, descriptor in zip(called, descriptors, strict=True)
                }
                assert b"oom_kill" in texts[called[0]]
                assert set(called) <= set(MEMORY_FILES[hierarchy.version])
            door.settimeout(0.3)  # several looks
            with pytest.raises(TimeoutError):
                door.recv(1)
        (pod / DOOR).unlink()


def test_whoever_is_at_the_door_can_reach_nothing_else_of_this_container_by_it(
    pod: Path, use: Callable[[], None]
) -> None:
    with agent_in(pod) as door:
        use()
        with handed_over(door) as (_, descriptors):
            assert descriptors
            for descriptor in descriptors:
                assert fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
                with pytest.raises(NotADirectoryError):
                    os.open("..", os.O_RDONLY, dir_fd=descriptor)


def a_file(door: Path) -> None:
    door.write_text("")


def a_folder(door: Path) -> None:
    door.mkdir()


def nobody_any_more(door: Path) -> None:
    agent_in(door.parent).close()


@pytest.mark.parametrize("there", [a_file, a_folder, nobody_any_more])
def test_what_is_no_agent_is_let_be_and_the_agent_that_comes_is_met(
    pod: Path, use: Callable[[], None], journal: Journal, there: Callable[[Path], None]
) -> None:
    there(pod / DOOR)
    use()
    (pod / DOOR).rename(pod / "before")
    with agent_in(pod) as door:
        assert door.recv(100)
    assert journal.header()["faults"] == 0


def test_an_agent_that_takes_nothing_is_not_waited_for(
    pod: Path, use: Callable[[], None], journal: Journal
) -> None:
    others = b"others'"
    with agent_in(pod) as door, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.setblocking(False)
        with suppress(BlockingIOError):  # the queue is full
            while True:
                other.sendto(others, str(pod / DOOR))
        use()
        while door.recv(100) == others:
            pass
    assert journal.header()["faults"] == 0


def test_the_thread_ends_with_the_last_socket_and_the_next_one_looks_again(
    pod: Path, use: Callable[[], None], context: zmq.Context, until: Until
) -> None:
    others = background_threads()
    for _ in range(2):
        with agent_in(pod) as door:
            use()
            assert door.recv(100)
        (pod / DOOR).unlink()
        for opened in context.kept:
            opened.close(linger=0)
        hopwatch.uninstall()
        until(lambda: background_threads() <= others)
