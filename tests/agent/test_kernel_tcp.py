"""What the kernel is asked of single connections, and what it answers."""

import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest
from agent_process import eventually
from hopwatch_agent.errors import KernelError
from hopwatch_agent.kernel.addresses import Ends, ends_of
from hopwatch_agent.kernel.records import Tcp
from hopwatch_agent.kernel.tcp_info import ANSWER_SIZE, NETLINK_SOCK_DIAG, TcpReader
from hopwatch_agent.kernel.tcp_messages import INET_DIAG_INFO, TcpMessages
from msgspec.structs import replace
from pyroute2 import DiagSocket
from pyroute2.netlink.diag import SS_ESTABLISHED

OLD_SIZE = 104
"""Bytes of ``struct tcp_info`` up to the retransmissions, as Linux 3.2 had it."""
AS_NOBODY = """
import os, socket, sys
from hopwatch_agent.kernel.addresses import ends_of
from hopwatch_agent.kernel.tcp_info import TcpReader
reader = TcpReader()
reader.read([ends_of("127.0.0.1:1", "127.0.0.1:2")])
reader.close()
os.setgroups([]), os.setgid(65534), os.setuid(65534)
print(len(reader.read([ends_of(*sys.argv[1:])])))
"""


@contextmanager
def connection(host: str, listener: str | None = None) -> Iterator[tuple[socket.socket, socket.socket]]:
    """A connection to a host, from its near and its far end."""
    family = socket.AF_INET6 if ":" in (listener or host) else socket.AF_INET
    dual = listener == "::"
    with socket.create_server((listener or host, 0), family=family, dualstack_ipv6=dual) as server:
        near = socket.create_connection((host, server.getsockname()[1]))
        far, _ = server.accept()
        with near, far:
            yield near, far


def seen_by(end: socket.socket) -> Ends:
    ends = ends_of(*(_told(address) for address in (end.getsockname(), end.getpeername())))
    assert ends is not None
    return ends


def _told(address: tuple[str, int]) -> str:
    """As the instrumentation tells it."""
    return f"[{address[0]}]:{address[1]}" if ":" in address[0] else f"{address[0]}:{address[1]}"


@pytest.fixture
def reader() -> Iterator[TcpReader]:
    with closing(TcpReader()) as reader:
        yield reader


@pytest.mark.parametrize(
    ("host", "listener"), [("127.0.0.1", None), ("::1", None), ("127.0.0.1", "::")], ids=["4", "6", "4 on 6"]
)
def test_both_ends_of_a_connection_are_read(reader: TcpReader, host: str, listener: str | None) -> None:
    with connection(host, listener) as (near, far):
        near.sendall(b"x" * 1000)
        far.recv(400)
        ends = seen_by(near)
        assert seen_by(far) == ends.seen_from_the_other
        both = [ends, ends.seen_from_the_other]
        # its SYN is one
        found = eventually(lambda: (read := reader.read(both))[ends].bytes_acknowledged == 1001 and read)
        assert found[ends.seen_from_the_other].bytes_received == 1000
        assert found[ends.seen_from_the_other].receive_queue == 600
        assert found[ends].receive_queue == 0


def without_times(tcp: Tcp) -> Tcp:
    """Without what grows for as long as something waits to be sent."""
    return replace(tcp, busy_us=0, receiver_limited_us=0, send_buffer_limited_us=0)


def read_between(reader: TcpReader, end: socket.socket) -> tuple[Tcp, Any] | None:
    """Our reading and pyroute2's, if nothing has happened between ours and another one after it."""
    ends = seen_by(end)
    ours = reader.read([ends])[ends]
    with DiagSocket() as diag:
        diag.bind()
        found = diag.get_sock_stats(family=socket.AF_INET, states=1 << SS_ESTABLISHED, extensions=2)
    (theirs,) = [one for one in found if one["idiag_sport"] == end.getsockname()[1]]
    later = reader.read([ends])[ends]
    return (ours, theirs) if without_times(ours) == without_times(later) else None


def test_what_is_read_is_what_pyroute2_reads(reader: TcpReader) -> None:
    with connection("127.0.0.1") as (near, far):
        near.sendall(b"x" * 100_000)
        assert len(far.recv(50_000)) > 0
        near.setblocking(False)
        with suppress(BlockingIOError):
            while near.send(b"x" * 100_000):
                pass
        ours, theirs = eventually(lambda: read_between(reader, near))
        info = dict(theirs["attrs"])["INET_DIAG_INFO"]
        assert (ours.send_queue, ours.receive_queue) == (theirs["idiag_wqueue"], theirs["idiag_rqueue"])
        assert ours.unsent == info["tcpi_notsent_bytes"] > 0
        assert (ours.rtt_us, ours.rttvar_us, ours.min_rtt_us) == (
            info["tcpi_rtt"],
            info["tcpi_rttvar"],
            info["tcpi_min_rtt"],
        )
        assert (ours.cwnd, ours.segment_size) == (info["tcpi_snd_cwnd"], info["tcpi_snd_mss"])
        assert (ours.segments_sent, ours.retransmissions) == (
            info["tcpi_data_segs_out"],
            info["tcpi_total_retrans"],
        )
        assert ours.delivery_rate == info["tcpi_delivery_rate"]
        assert (ours.busy_us or 0) <= info["tcpi_busy_time"]
        assert ours.congestion == "open"


def test_a_connection_that_is_not_there_is_not_found(reader: TcpReader) -> None:
    with connection("127.0.0.1") as (near, far):
        known = seen_by(near)
        only_bound = ends_of(_told(far.getsockname()), "127.0.0.1:1")
        nowhere = ends_of("127.0.0.1:1", "127.0.0.1:2")
        assert only_bound is not None
        assert nowhere is not None
        assert reader.read([nowhere, known, only_bound]).keys() == {known}


def test_more_connections_than_fit_one_message_are_read(reader: TcpReader) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=300) as server:
        near = [socket.create_connection(server.getsockname()) for _ in range(300)]
        wanted = [seen_by(end) for end in near]
        assert reader.read(wanted).keys() == set(wanted)
        assert reader.read(wanted[:1]).keys() == {wanted[0]}
        for end in near:
            end.close()


def _attributes(answer: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    while at < len(answer):
        length, kind = struct.unpack_from("=HH", answer, at)
        yield kind, answer[at + 4 : at + length]
        at += (length + 3) // 4 * 4


def test_what_an_older_kernel_does_not_tell_is_not_known() -> None:
    messages = TcpMessages()
    with (
        connection("127.0.0.1") as (near, _far),
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as netlink,
    ):
        near.sendall(b"x")
        netlink.send(messages.numbered(messages.request(seen_by(near)), 7))
        answer = netlink.recv(ANSWER_SIZE)
    number, whole = messages.answer(answer)
    attributes = 16 + 72  # behind the headers of netlink and of the socket
    found = dict(_attributes(answer, attributes))
    head = struct.pack("=HH", 4 + OLD_SIZE, INET_DIAG_INFO)
    old = answer[:attributes] + head + found[INET_DIAG_INFO][:OLD_SIZE]
    _, told = messages.answer(old)
    assert number == 7
    assert whole is not None
    assert told is not None
    assert (told.rtt_us, told.cwnd, told.retransmissions) == (whole.rtt_us, whole.cwnd, whole.retransmissions)
    assert (told.busy_us, told.unsent, told.min_rtt_us, told.send_window) == (None,) * 4
    assert whole.busy_us is not None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
def test_it_takes_no_capability() -> None:
    with connection("127.0.0.1") as (near, _far):
        addresses = [_told(near.getsockname()), _told(near.getpeername())]
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, *addresses], capture_output=True, text=True, check=False
        )
    assert (done.stdout.strip(), done.stderr) == ("1", "")


def test_without_pyroute2_it_says_so(reader: TcpReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyroute2.netlink.diag", None)
    ends = ends_of("127.0.0.1:1", "127.0.0.1:2")
    assert ends is not None
    assert reader.read([]) == {}
    with pytest.raises(KernelError, match=r"TCP connections: .*pyroute2"):
        reader.read([ends])


@pytest.mark.parametrize(
    ("local", "remote"),
    [
        (None, "127.0.0.1:2"),
        ("127.0.0.1:1", None),
        ("127.0.0.1", "127.0.0.1:2"),
        ("127.0.0.1:x", "127.0.0.1:2"),
        ("127.0.0.1:70000", "127.0.0.1:2"),
        ("127.0.0.1:" + "9" * 5000, "127.0.0.1:2"),
        ("127.0.0.1:0", "127.0.0.1:2"),
        ("[::1]:1", "127.0.0.1:2"),
        ("[fe80::1%nowhere]:1", "[fe80::2]:2"),
        ("[::1\0]:1", "[::1]:2"),
        ("a\ud800:1", "[::1]:2"),
        ("/run/socket", ""),
    ],
)
def test_addresses_that_are_none_are_no_connection(local: str | None, remote: str | None) -> None:
    assert ends_of(local, remote) is None


def test_a_mapped_address_is_the_one_that_it_maps() -> None:
    assert ends_of("[::ffff:10.0.0.1]:1", "10.0.0.2:2") == ends_of("10.0.0.1:1", "10.0.0.2:2")


def test_a_link_local_address_has_an_interface() -> None:
    ends = ends_of("[fe80::1%lo]:1", "[fe80::2%lo]:2")
    assert ends is not None
    assert ends.local.interface == socket.if_nametoindex("lo")
