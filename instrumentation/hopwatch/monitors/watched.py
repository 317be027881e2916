"""One socket's monitor: turns its messages into journal events."""

import os
import struct
from dataclasses import dataclass, field

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.ids import as_text
from hopwatch.monitors.addresses import UNKNOWN, Addresses, Called, addresses_of
from hopwatch.own_socket import OwnSocket
from hopwatch.sockets.state import SocketState
from hopwatch.words import RECEIVED, SENT

EVENT = struct.Struct("=hi")
receive = BackendSocket.recv

DONTWAIT = int(zmq.DONTWAIT)
EVENTS = int(zmq.EVENTS)
RETRIED = int(zmq.Event.CONNECT_RETRIED)
STOPPED = int(zmq.Event.MONITOR_STOPPED)

HANDSHAKE_FAILURES: dict[int, str] = {
    zmq.Event.HANDSHAKE_FAILED_NO_DETAIL: "no detail",
    zmq.Event.HANDSHAKE_FAILED_PROTOCOL: "protocol",
    zmq.Event.HANDSHAKE_FAILED_AUTH: "authentication",
}

ASKED_FOR = {
    zmq.Event.CONNECTED,
    zmq.Event.ACCEPTED,
    zmq.Event.DISCONNECTED,
    zmq.Event.HANDSHAKE_SUCCEEDED,
    zmq.Event.CONNECT_RETRIED,
    zmq.Event.MONITOR_STOPPED,
    *HANDSHAKE_FAILURES,
}
"""No others: each wakes our thread. BIND_FAILED must not be among them: sending it overwrites errno, so that the application's failed bind
would raise EAGAIN."""


@dataclass(eq=False)
class Watched:
    """A monitor's receiving end, and the connections that it has told of."""

    pair: zmq.Socket[bytes]
    state: SocketState
    connections: dict[int, tuple[int, Addresses]] = field(default_factory=dict)
    connection_count: int = 0
    retries: dict[bytes, int] = field(default_factory=dict)
    called: Called = field(default_factory=Called)

    @property
    def context(self) -> int:
        """The address of the context that the monitor takes two sockets of."""
        return int(self.pair.context.underlying)

    @property
    def takes_anything(self) -> bool:
        """Whether the PAIR still holds its descriptor: libzmq's reaper thread frees it after close."""
        if not self.pair.closed:
            return True
        try:
            os.fstat(self._descriptor)
        except OSError:
            return False
        return True

    def __post_init__(self) -> None:
        """Keep the PAIR's descriptor number: a closed socket does not return it."""
        self._descriptor = int(self.pair.getsockopt(zmq.FD))

    def drain(self) -> bool:
        """Journal all that has come; returns False once the monitor has ended. Raises struct.error if it is no event.

        The bare calls, and no question whether there is another frame: peers that are not there make a thousand events a second.
        """
        pair, retries = self.pair, self.retries
        while True:
            try:
                head, endpoint = receive(pair, DONTWAIT), receive(pair, DONTWAIT)
            except zmq.Again:
                return True
            except zmq.ZMQError:
                return False
            except ImportError:  # the interpreter ends: pyzmq cannot make its errors then
                return self._is_open()
            number, value = EVENT.unpack(head)
            if number == RETRIED:
                times = retries[endpoint] = retries.get(endpoint, 0) + 1
                if times & (times - 1):
                    continue
            elif number == STOPPED:
                return False
            self._journal(number, value, endpoint.decode(errors="replace"))

    def _is_open(self) -> bool:
        try:
            BackendSocket.get(self.pair, EVENTS)
        except (zmq.ZMQError, ImportError):
            return False
        return True

    def close(self) -> None:
        """Close the receiving end."""
        self.pair.close(linger=0)

    def _journal(self, number: int, value: int, named: str) -> None:
        setup = self.state.setup
        endpoint = self.called.name(named, setup.endpoints if setup is not None else ())
        if number in {zmq.Event.CONNECTED, zmq.Event.ACCEPTED}:
            self.retries.pop(named.encode(), None)
            self._connected(value, endpoint, accepted=number == zmq.Event.ACCEPTED)
        elif number == zmq.Event.DISCONNECTED:
            self._disconnected(value, endpoint)
        elif number == zmq.Event.HANDSHAKE_SUCCEEDED:
            self.state.event("handshake", endpoint=endpoint, **self._counts())
        elif number == RETRIED:
            self.state.event("retried", endpoint=endpoint)
        elif number in HANDSHAKE_FAILURES:
            self.state.event("handshake_failed", endpoint=endpoint, reason=HANDSHAKE_FAILURES[number])

    def _connected(self, descriptor: int, endpoint: str, accepted: bool) -> None:
        counts = self._counts()
        self.connection_count = number = self.connection_count + 1
        addresses = addresses_of(descriptor, endpoint, accepted)
        self.connections[descriptor] = (number, addresses)
        if not accepted:
            self.called.learn(endpoint, addresses.remote)
        self.state.event(
            "connected",
            connection=number,
            endpoint=endpoint,
            **addresses._asdict(),
            accepted=accepted,
            **counts,
        )

    def _disconnected(self, descriptor: int, endpoint: str) -> None:
        counts = self._counts()
        number, addresses = self.connections.pop(descriptor, (0, UNKNOWN))
        self.state.event(
            "disconnected", connection=number, endpoint=endpoint, **addresses._asdict(), **counts
        )
        for lanes in (self.state.sending, *self.state.readings):
            if lanes is not None:
                lanes.write_progress(self.state.slot.words)

    def _counts(self) -> dict[str, int]:
        words = self.state.slot.words
        return {"sent": words[SENT], "received": words[RECEIVED]}


def attach(socket: zmq.Socket[bytes], state: SocketState) -> Watched:
    """Attach a monitor to a socket that has none. Raises ZMQError: there is none then.

    The receiving PAIR is made first, without a mark: libzmq blocks on a monitor that nobody reads, even to detach it. The PAIR is connected
    last, which needs no descriptor. Connected first, it could end the process: ``zmq_ctx_term`` makes a socket for each pending inproc
    connection, and aborts if the context has none left. The PAIR belongs to a shadow of the context, because ``Context.destroy`` would
    close it from another thread.
    """
    shadow: zmq.Context[zmq.Socket[bytes]] = zmq.Context.shadow(socket.context.underlying)
    pair: zmq.Socket[bytes] = OwnSocket(shadow, zmq.PAIR)
    address = f"inproc://hopwatch-monitor-{as_text(state.identifier)}"
    try:
        pair.setsockopt(zmq.LINGER, 0)
        pair.setsockopt(zmq.RCVHWM, 0)
        BackendSocket.monitor(socket, address, sum(ASKED_FOR))
        pair.connect(address)
    except zmq.ZMQError:
        pair.close(linger=0)
        raise
    return Watched(pair, state)
