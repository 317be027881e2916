"""Sockets of the scenarios' programs: made as an application makes them, then wrapped in one line."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

import hopwatch
import zmq
from payload import decode

OPTIONS = ("sndhwm", "rcvhwm", "sndbuf", "rcvbuf", "linger", "reconnect_ivl", "maxmsgsize", "conflate")
BARE = os.environ.get("SCENARIO_BARE") == "1"


def add_socket_options(parser: ArgumentParser) -> None:
    for option in OPTIONS:
        parser.add_argument(f"--{option}", type=int)
    parser.add_argument("--sequence", default="stamp")
    parser.add_argument("--stamp-every", type=int, default=1)
    parser.add_argument("--bind")
    parser.add_argument("--connect", action="append", default=[])


def open_socket(context: zmq.Context, kind: str, name: str, options: Namespace) -> zmq.Socket:
    """A socket with its options set, wrapped unless the run is a bare one; neither bound nor connected yet."""
    socket = context.socket(getattr(zmq, kind))
    wrap(socket, name, options.sequence, options.stamp_every)
    for option in OPTIONS:
        value = getattr(options, option)
        if value is not None:
            socket.setsockopt(getattr(zmq, option.upper()), value)
    return socket


def wrap(socket: zmq.Socket, name: str, sequence: str = "stamp", stamp_every: int = 1) -> None:
    """``sequence`` is as for hopwatch, ``none`` for the sums alone, or ``dark``: not wrapped at all."""
    if not BARE and sequence != "dark":
        reads = {"payload": number_in_payload, "none": None}.get(sequence, sequence)
        hopwatch.wrap(socket, name=marked(name), sequence=reads, stamp_every=stamp_every)


def marked(name: str) -> str:
    """The name that is the scenario's alone, where several are analysed together."""
    return os.environ.get("SCENARIO_MARK", "") + name


def number_in_payload(frames: Sequence[bytes]) -> tuple[bytes, int]:
    """The number that the payload carries, as a sequence to read: of single frames, so of one topic."""
    return b"", decode(list(frames))[2]


def attach(socket: zmq.Socket, options: Namespace) -> str:
    """Bind and connect as told; the endpoint bound, if any."""
    for endpoint in options.connect:
        socket.connect(endpoint)
    if options.bind is None:
        return ""
    socket.bind(options.bind)
    return socket.getsockopt_string(zmq.LAST_ENDPOINT)


def subscriptions_arrived(publisher: zmq.Socket) -> int:
    """Distinct topics that subscribers have asked this PUB for; asking for EVENTS makes libzmq look first."""
    publisher.getsockopt(zmq.EVENTS)
    return publisher.getsockopt(zmq.TOPICS_COUNT)
