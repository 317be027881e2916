"""What the agent sees of real processes: what they take, the memory of their cgroups, and that one was killed for it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from agent_process import eventually
from hopwatch.cgroups import Hierarchy, find_hierarchy
from hopwatch_agent.journal.lock import owner_of
from hopwatch_agent.kernel.cgroup_memory import memory_of
from hopwatch_agent.kernel.handed_cgroups import HandedCgroups
from hopwatch_agent.kernel.memory import CgroupMemory
from hopwatch_agent.kernel.records import Memory
from hopwatch_agent.kernel.usage import Pid, own_pid, pid_of, usage_of
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.state import ProcessState
from hopwatch_agent.sampling import Moment
from hosts import environment_of
from memory_limit import NoLimitError, limited
from programs import Program

MEGABYTE = 2**20
HOLDER = """
import fcntl, sys
file = open(sys.argv[1], "w+b")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""
GREEDY = """
import sys
from pathlib import Path
if sys.argv[1:]:
    Path(sys.argv[1], "cgroup.procs").write_text("0")
import hopwatch, zmq
socket = hopwatch.wrap(zmq.Context.instance().socket(zmq.PUSH), name="greedy")
socket.bind("tcp://127.0.0.1:*")
print("bound", flush=True)
sys.stdin.readline()
taken = []
while True:
    taken.append(bytearray(b"x") * 2**20)
"""

Start = Callable[..., Program]


@pytest.fixture
def start(bench: Any, tmp_path: Path) -> Iterator[Start]:
    started: list[Program] = []

    def start(*command: object) -> Program:
        environment = environment_of("web-1", bench.journal)
        started.append(Program([*map(str, command)], environment, tmp_path / f"{len(started)}.stderr"))
        return started[-1]

    yield start
    for program in started:
        program.reap()


def shown(bench: Any) -> Any:
    """The only process, after a tick."""
    bench.tick()
    (socket,) = bench.view.sockets()
    return socket.process


def test_a_process_is_shown_with_what_it_takes(bench: Any, start: Start) -> None:
    greedy = start(sys.executable, "-c", GREEDY)
    greedy.expect("bound")
    usage = eventually(lambda: shown(bench).usage)
    assert 10 * MEGABYTE < usage.resident < 200 * MEGABYTE
    assert 0 < usage.user_us + usage.system_us < 60_000_000
    assert usage.threads >= 3  # its own, two of libzmq
    assert usage.descriptors > 5
    (row, *_) = bench.rows("usage")
    assert (row["resident"] > 10 * MEGABYTE, row["process"]) == (True, next(iter(bench.tables.processes)))


def test_the_agent_shows_what_it_takes_itself(bench: Any) -> None:
    def descriptors_are_told() -> bool:
        bench.tick()
        return bench.view.status().usage.descriptors == len(list(Path("/proc/self/fd").iterdir())) - 1

    eventually(descriptors_are_told)
    assert bench.view.status().usage.resident > 10 * MEGABYTE


def test_a_process_that_is_killed_for_memory_is_told_from_one_that_is_killed(
    bench: Any, start: Start
) -> None:
    killed = start(sys.executable, "-c", GREEDY)
    killed.expect("bound")
    try:
        with limited(100 * MEGABYTE) as cgroup:
            greedy = start(sys.executable, "-c", GREEDY, cgroup)
            greedy.expect("bound")
            memory = eventually(lambda: of_process(bench, cgroup.name))
            assert (memory.limit, memory.oom_kills) == (100 * MEGABYTE, 0)
            assert 0 < memory.current <= memory.limit
            (victim,) = [name for name, found in bench.tables.processes.items() if found.pid == greedy.pid]
            killed.sigkill()
            greedy.tell("")
            greedy.wait(status=-9)
            eventually(lambda: bench.tick() or bench.view.status().processes == 0)
    except NoLimitError as error:
        pytest.skip(str(error))
    (row,) = bench.rows("oom")
    assert (row["process"], row["kills"], row["vanished"]) == (victim, 1, 1)
    assert (row["limit"], row["oom_kills"], row["host"]) == (100 * MEGABYTE, 1, "web-1")
    assert row["cgroup"].endswith(cgroup.name)
    assert row["cgroup"] in {usage["cgroup"] for usage in bench.rows("usage") if usage["process"] == victim}
    assert "oom" in {event.kind for event in bench.view.events(0, 1000)}
    last = [found for found in bench.rows("memory") if found["cgroup"] == row["cgroup"]][-1]
    assert (last["oom_kills"], last["process"]) == (1, None)


def test_who_is_killed_between_two_looks_of_one_tick_was_killed_for_memory_too(
    bench: Any, start: Start
) -> None:
    memory, draft = CgroupMemory(find_hierarchy(), HandedCgroups(None), "web-1"), Draft(bench.tables)
    try:
        with limited(20 * MEGABYTE) as cgroup:
            command = f"echo 0 > {cgroup}/cgroup.procs; echo moved; read go; exec tail /dev/zero"
            victim = start("sh", "-c", command)
            victim.expect("moved")
            memory.sample({"victim": victim.pid}, {"victim"}, draft, Moment(1, 1.0))
            victim.tell("")
            eventually(
                lambda: Path(f"/proc/{victim.pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
            )
            memory.sample({"victim": victim.pid}, {"victim"}, draft, Moment(2, 1.5))
            victim.wait(status=-9)
            # found to live by its lock, and gone when it is asked for
            memory.sample({}, {"victim"}, draft, Moment(2, 2.0))
            memory.tell_kills([ProcessState("victim", "web-1")], draft, Moment(3, 2.1))
    except NoLimitError as error:
        pytest.skip(str(error))
    (row,) = [row for row in draft.rows if row.kind == "oom"]
    assert (row.process, row.values["vanished"]) == ("victim", 1)


def of_process(bench: Any, cgroup: str) -> Memory | None:
    """The memory of the process in a cgroup, after a tick."""
    bench.tick()
    found = [socket.process.memory for socket in bench.view.sockets()]
    return next((memory for memory in found if memory is not None and memory.cgroup.endswith(cgroup)), None)


def test_kills_that_took_no_process_of_ours_are_told_too(bench: Any, start: Start) -> None:
    try:
        with limited(100 * MEGABYTE) as cgroup:
            ours = start(sys.executable, "-c", GREEDY, cgroup)
            ours.expect("bound")
            eventually(lambda: of_process(bench, cgroup.name))
            command = (
                f"echo 0 > {cgroup}/cgroup.procs; echo 1000 > /proc/self/oom_score_adj; exec tail /dev/zero"
            )
            assert subprocess.run(["sh", "-c", command], check=False).returncode == -9
            eventually(lambda: bench.tick() or bench.rows("oom"))
            ours.sigkill()
    except NoLimitError as error:
        pytest.skip(str(error))
    (row,) = bench.rows("oom")
    assert (row["process"], row["vanished"], row["host"]) == (None, 0, "box-1")
    assert row["kills"] >= 1


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="a pid namespace needs root and unshare"
)
def test_a_process_of_another_pid_namespace_has_no_pid_here(start: Start, tmp_path: Path) -> None:
    lock = tmp_path / "p.lock"
    holder = start(sys.executable, "-c", HOLDER, lock)
    holder.expect("held")
    assert owner_of(lock) == holder.pid
    pid = pid_of(lock)
    assert pid is not None
    assert pid.number == holder.pid
    ask = "from pathlib import Path; from hopwatch_agent.journal.lock import asked, owner_of; p = Path({!r}); print(asked(p).value, owner_of(p))"
    command = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", ask.format(str(lock))]
    asked = subprocess.run(command, capture_output=True, text=True, check=True)
    assert asked.stdout.split() == ["held", "None"]


def test_a_pid_that_was_given_again_is_another_process() -> None:
    own = own_pid()
    assert own is not None
    assert usage_of(own) is not None
    assert usage_of(Pid(own.number, own.started - 1)) is None


def test_a_lock_that_nobody_holds_has_no_process(tmp_path: Path) -> None:
    (tmp_path / "free.lock").touch()
    assert pid_of(tmp_path / "free.lock") is None
    assert pid_of(tmp_path / "missing.lock") is None


def test_memory_of_version_2_is_read_as_the_kernel_writes_it(tmp_path: Path) -> None:
    files = {
        "memory.current": "73400320\n",
        "memory.peak": "104857600\n",
        "memory.max": "104857600\n",
        "memory.high": "max\n",
        "memory.events": "low 0\nhigh 0\nmax 517\noom 3\noom_kill 2\noom_group_kill 0\n",
        "memory.pressure": "some avg10=0.00 avg60=0.12 avg300=0.05 total=7159\nfull avg10=0.00 avg60=0.12 avg300=0.05 total=6907\n",
    }
    (tmp_path / "app").mkdir()
    for name, text in files.items():
        (tmp_path / "app" / name).write_text(text)
    hierarchy = Hierarchy(2, tmp_path, PurePosixPath("/pod"))
    assert memory_of(PurePosixPath("/pod/app"), hierarchy) == Memory(
        cgroup="/pod/app",
        current=73400320,
        peak=104857600,
        limit=104857600,
        high=None,
        ooms=3,
        oom_kills=2,
        stalled_us=7159,
    )
    (tmp_path / "app" / "memory.peak").unlink()
    found = memory_of(PurePosixPath("/pod/app"), hierarchy)
    assert found is not None
    assert found.peak is None
    assert memory_of(PurePosixPath("/pod/gone"), hierarchy) is None
