"""A whole system under test: hosts with agents, programs on them, and the truth they write."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import plain_http
from hosts import Host
from programs import DEADLINE, Program, ProgramError
from truth import Truth, read_truth, received_so_far, sent_so_far

PROGRAMS = Path(__file__).parent.parent / "scenarios" / "programs"
LOOPBACK = "tcp://127.0.0.1:*"
BARE = os.environ.get("SCENARIO_BARE") == "1"


class System:
    """Starts what a scenario needs and ends all of it, in whatever state it is.

    ``mark`` is what the names of its hosts and sockets begin with in what is landed.
    """

    def __init__(self, folder: Path, mark: str = "") -> None:
        self.folder = folder
        self.mark = mark
        self.truth_folder = folder / "truth"
        self.truth_folder.mkdir()
        self._hosts: dict[str, Host] = {}
        self._programs: list[Program] = []

    def host(self, name: str, inside: Sequence[str] = ()) -> Host:
        """The host of that name, made when first asked for: then ``inside`` says what to put before its commands."""
        if name not in self._hosts:
            self._hosts[name] = Host(self.mark + name, self.folder / name, with_agent=not BARE, inside=inside)
        return self._hosts[name]

    def start(self, host: str, script: str, *arguments: object) -> Program:
        """Start one of the scenarios' programs on a host."""
        stderr_path = self.folder / f"{len(self._programs)}-{script}.stderr"
        at = self.host(host)
        at.environment["SCENARIO_MARK"] = self.mark
        program = at.start(PROGRAMS / f"{script}.py", *arguments, stderr_path=stderr_path)
        self._programs.append(program)
        return program

    def sender(self, name: str, *arguments: object, kind: str = "PUB", host: str = "upstream") -> Program:
        """A sender with kernel buffers kept small, so that losses come soon."""
        common = ["--type", kind, "--name", name, "--truth", self.truth_folder, "--sndbuf", 4096]
        return self.start(host, "sender", *common, *arguments)

    def receiver(self, name: str, *arguments: object, kind: str = "SUB", host: str = "downstream") -> Program:
        return self.start(
            host, "receiver", "--type", kind, "--name", name, "--truth", self.truth_folder, *arguments
        )

    def proxy(self, name: str, *arguments: object) -> tuple[Program, str, str]:
        """A proxy, its frontend and its backend."""
        proxy = self.start("middle", "proxy", "--name", name, *arguments)
        frontend, backend = proxy.expect("ready")
        return proxy, frontend, backend

    def await_sent(self, sender: str, count: int) -> None:
        """Wait until a sender at work has sent so many."""
        _await(
            lambda: sent_so_far(self.truth_folder, sender) >= count,
            f"{sender} has not sent {count} messages in time",
            every=0.002,
        )

    def await_received(self, receiver: str, *, more: int) -> None:
        """Wait until a receiver at work has received so many more than by now."""
        self.await_received_in_all(receiver, received_so_far(self.truth_folder, receiver) + more)

    def await_received_in_all(self, receiver: str, count: int) -> None:
        """Wait until a receiver at work has received so many."""
        _await(
            lambda: received_so_far(self.truth_folder, receiver) >= count,
            f"{receiver} has not received {count} messages in time",
            every=0.002,
        )

    def await_seen(self, host: str, name: str) -> None:
        """Wait until the agent of a host knows a socket: from then on it takes samples of it."""
        if not BARE:
            _await(
                lambda: name in self._sockets_seen(host),
                f"the agent of {host} has not seen {name} in time",
            )

    def _sockets_seen(self, host: str) -> set[str]:
        answer = plain_http.get(f"{self.host(host).url}/v1/sockets", timeout=DEADLINE)
        return {socket["name"].removeprefix(self.mark) for socket in answer.json()}

    def await_parted(self, host: str, name: str) -> None:
        """Wait until a socket's own agent knows that none of its peers is there any more: so it went after them."""
        if not BARE:
            _await(
                lambda: self._states_of_connections(host, name) == {"disconnected"},
                f"{name} has not seen its peers go in time",
            )

    def _states_of_connections(self, host: str, name: str) -> set[str]:
        answer = plain_http.get(f"{self.host(host).url}/v1/connections", timeout=DEADLINE)
        return {each["state"] for each in answer.json() if each["socket_name"] == self.mark + name}

    def landed_folders(self) -> list[Path]:
        """End the agents by SIGTERM; where they have landed everything."""
        for host in self._hosts.values():
            host.stop_agent()
        return [host.landed for host in self._hosts.values()]

    def await_memory_of(self, host: str, cgroup: str) -> None:
        """Wait until the agent of a host has looked at the memory of a cgroup."""
        _await(
            lambda: any(cgroup in name for name in self._cgroups_seen(host)),
            f"the agent of {host} has not seen {cgroup} in time",
        )

    def _cgroups_seen(self, host: str) -> set[str]:
        answer = plain_http.get(f"{self.host(host).url}/v1/sockets", timeout=DEADLINE)
        found = [socket["process"]["memory"] for socket in answer.json()]
        return {memory["cgroup"] for memory in found if memory is not None}

    def truth(self) -> Truth:
        return read_truth(self.truth_folder)

    def reap(self) -> None:
        for program in self._programs:
            program.reap()
        for host in self._hosts.values():
            if host.agent is not None:
                host.agent.reap()


@contextmanager
def another_system(folder: Path) -> Iterator[System]:
    """One for a scenario that is played again, in a folder of its own."""
    folder.mkdir()
    system = System(folder)
    try:
        yield system
    finally:
        system.reap()


def _await(is_so: Callable[[], bool], failure: str, *, every: float = 0.05) -> None:
    deadline = time.monotonic() + DEADLINE
    while not is_so():
        if time.monotonic() > deadline:
            raise ProgramError(failure)
        time.sleep(every)
