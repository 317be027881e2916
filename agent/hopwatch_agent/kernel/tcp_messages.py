"""The netlink messages about TCP connections, laid out as pyroute2 declares them."""

import errno
import importlib
import os
import socket
import struct
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from hopwatch_agent.errors import KernelError
from hopwatch_agent.kernel.addresses import End, Ends
from hopwatch_agent.kernel.records import Tcp

NLMSG_ERROR = 2
NLM_F_REQUEST = 1
SOCK_DIAG_BY_FAMILY = 20
INET_DIAG_INFO = 2
ANY_STATE = 0xFFF
LISTEN = 10
NO_COOKIE = 2**64 - 1
CONGESTION = ("open", "disorder", "cwr", "recovery", "loss")

_MESSAGE = struct.Struct("=IHHII")
_NUMBER = struct.Struct("=I")
_NUMBER_AT = 8
_ERRNO = struct.Struct("=i")
_ATTRIBUTE = struct.Struct("=HH")
Fields = Sequence[tuple[str, str]]

_FIELDS = {
    "rtt_us": "tcpi_rtt",
    "rttvar_us": "tcpi_rttvar",
    "min_rtt_us": "tcpi_min_rtt",
    "segment_size": "tcpi_snd_mss",
    "cwnd": "tcpi_snd_cwnd",
    "lost": "tcpi_lost",
    "unacknowledged": "tcpi_unacked",
    "unsent": "tcpi_notsent_bytes",
    "send_window": "tcpi_snd_wnd",
    "delivery_rate": "tcpi_delivery_rate",
    "retransmissions": "tcpi_total_retrans",
    "segments_sent": "tcpi_data_segs_out",
    "bytes_acknowledged": "tcpi_bytes_acked",
    "bytes_received": "tcpi_bytes_received",
    "busy_us": "tcpi_busy_time",
    "receiver_limited_us": "tcpi_rwnd_limited",
    "send_buffer_limited_us": "tcpi_sndbuf_limited",
}


class TcpMessages:
    """Makes requests for single connections, and reads their answers."""

    def __init__(self) -> None:
        """Raises ``KernelError`` where pyroute2 is not installed."""
        try:
            # it takes 14 MB and a tenth of a second, which an agent without TCP connections need not spend
            diag = importlib.import_module("pyroute2.netlink.diag")
        except ImportError as error:
            raise KernelError(f"cannot ask the kernel for TCP connections: {error}") from error
        self._request: Any = diag.inet_diag_req
        self._head = _places(diag.inet_diag_msg.fields)
        self._attributes_at = _MESSAGE.size + sum(form.size for _, form in self._head.values())
        info = _places(diag.inet_diag_msg.tcp_info.fields)
        self._info = [(ours, *info[theirs]) for ours, theirs in _FIELDS.items()]
        self._congestion_at, _ = info["tcpi_ca_state"]

    def request(self, ends: Ends) -> bytes:
        """Asks for one connection; ``numbered`` says which answer is to it."""
        wanted = self._request()
        wanted["header"]["type"] = SOCK_DIAG_BY_FAMILY
        wanted["header"]["flags"] = NLM_F_REQUEST
        wanted["sdiag_family"] = socket.AF_INET if len(ends.local.address) == 4 else socket.AF_INET6
        wanted["sdiag_protocol"] = socket.IPPROTO_TCP
        wanted["idiag_ext"] = 1 << (INET_DIAG_INFO - 1)
        wanted["idiag_states"] = ANY_STATE
        wanted["idiag_sport"], wanted["idiag_dport"] = ends.local.port, ends.remote.port
        wanted["idiag_src"], wanted["idiag_dst"] = _words(ends.local), _words(ends.remote)
        wanted["idiag_if"] = ends.local.interface
        wanted["idiag_cookie"] = NO_COOKIE
        wanted.encode()
        return bytes(wanted.data)

    @staticmethod
    def numbered(request: bytes, number: int) -> bytes:
        """The same request with a number, which its answer will have."""
        return request[:_NUMBER_AT] + _NUMBER.pack(number) + request[_NUMBER_AT + _NUMBER.size :]

    def answer(self, data: bytes) -> tuple[int, Tcp | None]:
        """The number of the request, and the connection; None if there is none (where one is bound, its listener answers).

        Raises ``KernelError`` if the kernel refuses to tell, and ``struct.error`` for what is no answer.
        """
        _, kind, _, number, _ = _MESSAGE.unpack_from(data)
        if kind == NLMSG_ERROR:
            code = -_ERRNO.unpack_from(data, _MESSAGE.size)[0]
            if code != errno.ENOENT:
                raise KernelError(f"the kernel does not tell of TCP connections: {os.strerror(code)}")
            return number, None
        info = self._find_info(data)
        if info is None or self._of_head(data, "idiag_state") == LISTEN:
            return number, None
        return number, Tcp(
            receive_queue=self._of_head(data, "idiag_rqueue"),
            send_queue=self._of_head(data, "idiag_wqueue"),
            congestion=_congestion(info[self._congestion_at]),
            # an older kernel tells less
            **{ours: f.unpack_from(info, at)[0] for ours, at, f in self._info if at + f.size <= len(info)},
        )

    def _of_head(self, data: bytes, name: str) -> int:
        at, form = self._head[name]
        return int(form.unpack_from(data, _MESSAGE.size + at)[0])

    def _find_info(self, data: bytes) -> bytes | None:
        at = self._attributes_at
        while at + _ATTRIBUTE.size <= len(data):
            length, kind = _ATTRIBUTE.unpack_from(data, at)
            if kind == INET_DIAG_INFO:
                return data[at + _ATTRIBUTE.size : at + length]
            at += max(length + 3 & ~3, _ATTRIBUTE.size)
        return None


def _places(fields: Fields) -> dict[str, tuple[int, struct.Struct]]:
    """Where each field is, and its form; they stand one behind the other."""
    forms = [(name, struct.Struct(form if form[0] in "<>" else f"={form}")) for name, form in fields]
    ends = accumulate(form.size for _, form in forms)
    return {name: (end - form.size, form) for (name, form), end in zip(forms, ends, strict=True)}


def _words(end: End) -> tuple[int, ...]:
    words = struct.unpack(f">{len(end.address) // 4}I", end.address)
    return (*words, *[0] * (4 - len(words)))


def _congestion(state: int) -> str | None:
    return CONGESTION[state] if state < len(CONGESTION) else None
