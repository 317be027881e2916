"""Asking the kernel for single TCP connections over netlink (``sock_diag``), many at once.

pyroute2's own request lists every socket of the host and takes some 75 microseconds of CPU for each (benchmarks/kernel_view.py). Here
the kernel is asked for the connections concerned alone, which it finds by their addresses, whatever else the host has open. It
needs no capability, and sees the agent's own network namespace.
"""

import socket
import struct
from collections.abc import Sequence

from hopwatch_agent.errors import KernelError
from hopwatch_agent.kernel.addresses import Ends
from hopwatch_agent.kernel.records import Tcp
from hopwatch_agent.kernel.tcp_messages import TcpMessages

AT_ONCE = 64
"""Requests a message: all answers wait in the receive buffer when the kernel has taken it, and have to fit there."""
ANSWER_SIZE = 4096
NETLINK_SOCK_DIAG = 4


class TcpReader:
    """Reads connections of this host. Used by one thread."""

    def __init__(self) -> None:
        self._messages: TcpMessages | None = None
        self._socket: socket.socket | None = None
        self._requests: dict[Ends, bytes] = {}
        self._asked = 0

    def close(self) -> None:
        """Closes the netlink socket, if there is one."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def read(self, connections: Sequence[Ends]) -> dict[Ends, Tcp]:
        """Those of them that this network namespace has; raises ``KernelError`` if the kernel tells nothing."""
        if not connections:
            return {}
        messages = self._messages = self._messages or TcpMessages()
        self._requests = {ends: self._requests.get(ends) or messages.request(ends) for ends in connections}
        found: dict[Ends, Tcp] = {}
        try:
            netlink = self._socket = self._socket or _netlink()
            for first in range(0, len(connections), AT_ONCE):
                self._read_some(connections[first : first + AT_ONCE], netlink, messages, found)
        except (OSError, KernelError, struct.error) as error:
            self.close()
            raise KernelError(f"cannot ask the kernel for TCP connections: {error}") from error
        return found

    def _read_some(
        self,
        connections: Sequence[Ends],
        netlink: socket.socket,
        messages: TcpMessages,
        found: dict[Ends, Tcp],
    ) -> None:
        first = self._asked % 2**31
        self._asked += len(connections)
        requests = (messages.numbered(self._requests[ends], n) for n, ends in enumerate(connections, first))
        netlink.send(b"".join(requests))
        for _ in connections:
            number, tcp = messages.answer(netlink.recv(ANSWER_SIZE, socket.MSG_DONTWAIT))
            if tcp is not None:
                found[connections[number - first]] = tcp


def _netlink() -> socket.socket:
    netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, NETLINK_SOCK_DIAG)
    netlink.bind((0, 0))
    return netlink
