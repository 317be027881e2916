"""Two hosts with a wire between them: network namespaces of the test's own, joined by a veth pair."""

import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

SENDER, RECEIVER = "10.77.0.1", "10.77.0.2"
SERVICE, GATEWAY = "10.99.0.1", "10.88.0.1"
"""What the receiver calls, and whence the sender sees it call, where addresses are translated."""

_numbers = itertools.count()


def missing() -> str | None:
    """Why there can be no namespaces here."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    lacking = [program for program in ("ip", "tc", "iptables") if shutil.which(program) is None]
    return f"{', '.join(lacking)} not installed" if lacking else None


@dataclass(frozen=True)
class Wire:
    """The namespace at each end, and the device that the wire is in each."""

    sender: str
    receiver: str
    device: str

    def lose(self, part: float) -> None:
        """Loses so much of what comes in at the receiver."""
        rule = ["INPUT", "-m", "statistic", "--mode", "random", "--probability", str(part), "-j", "DROP"]
        _run(*inside(self.receiver), "iptables", "-A", *rule)

    def narrow(self, segments: int) -> None:
        """Let no more of a connection than so many segments be on their way from the sender at once."""
        clamp = ["src", SENDER, "cwnd", "lock", str(segments)]
        _run("ip", "-n", self.sender, "route", "replace", "10.77.0.0/24", "dev", self.device, *clamp)

    def slow_down(self, rate: str) -> None:
        """Lets no more than a rate, like "4mbit", out at the sender."""
        limit = ["tbf", "rate", rate, "burst", "16kb", "latency", "400ms"]
        _run("tc", "-n", self.sender, "qdisc", "add", "dev", self.device, "root", *limit)

    def translate(self, port: int, service_port: int) -> None:
        """What the receiver calls at the service's address and port comes to this port of the sender, as from the gateway."""
        to_sender = ["-j", "DNAT", "--to-destination", f"{SENDER}:{port}"]
        as_gateway = ["-j", "SNAT", "--to-source", GATEWAY]
        for namespace, address in ((self.receiver, SERVICE), (self.sender, GATEWAY)):
            _run("ip", "-n", namespace, "route", "replace", address, "dev", self.device)
        called = ["-p", "tcp", "-d", SERVICE, "--dport", str(service_port)]
        _run(*inside(self.receiver), "iptables", "-t", "nat", "-A", "OUTPUT", *called, *to_sender)
        arrived = ["-p", "tcp", "--dport", str(port)]
        _run(*inside(self.sender), "iptables", "-t", "nat", "-A", "INPUT", *arrived, *as_gateway)


def inside(namespace: str) -> list[str]:
    """What to put before a command that is to run there."""
    return ["ip", "netns", "exec", namespace]


@contextmanager
def wire() -> Iterator[Wire]:
    """A clean one, ``SENDER`` at one end and ``RECEIVER`` at the other."""
    name = f"hw{os.getpid()}-{next(_numbers)}"
    made = Wire(f"{name}a", f"{name}b", "wire")
    try:
        for namespace in (made.sender, made.receiver):
            _run("ip", "netns", "add", namespace)
            _run("ip", "-n", namespace, "link", "set", "lo", "up")
        ends = ["netns", made.sender, "type", "veth", "peer", "name", made.device, "netns", made.receiver]
        _run("ip", "link", "add", made.device, *ends)
        for namespace, address in ((made.sender, SENDER), (made.receiver, RECEIVER)):
            _run("ip", "-n", namespace, "addr", "add", f"{address}/24", "dev", made.device)
            _run("ip", "-n", namespace, "link", "set", made.device, "up")
        yield made
    finally:
        for namespace in (made.sender, made.receiver):
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True, check=False)


@contextmanager
def lonely() -> Iterator[str]:
    """A namespace with a loopback of its own, and nothing else: every port in it is free."""
    name = f"hw{os.getpid()}-{next(_numbers)}"
    try:
        _run("ip", "netns", "add", name)
        _run("ip", "-n", name, "link", "set", "lo", "up")
        yield name
    finally:
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
