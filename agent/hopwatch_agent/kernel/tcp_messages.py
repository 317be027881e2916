"""The netlink messages about TCP connections, laid out as pyroute2 declares them."""

import errno
import importlib
import os
import socket
import struct
from collections.abc import Mapping, Sequence
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

_HEAD = {"idiag_state": "state", "idiag_rqueue": "receive_queue", "idiag_wqueue": "send_queue"}
_INFO = {
    "tcpi_ca_state": "congestion",
    "tcpi_rtt": "rtt_us",
    "tcpi_rttvar": "rttvar_us",
    "tcpi_min_rtt": "min_rtt_us",
    "tcpi_snd_mss": "segment_size",
    "tcpi_snd_cwnd": "cwnd",
    "tcpi_lost": "lost",
    "tcpi_unacked": "unacknowledged",
    "tcpi_notsent_bytes": "unsent",
    "tcpi_snd_wnd": "send_window",
    "tcpi_delivery_rate": "delivery_rate",
    "tcpi_total_retrans": "retransmissions",
    "tcpi_data_segs_out": "segments_sent",
    "tcpi_bytes_acked": "bytes_acknowledged",
    "tcpi_bytes_received": "bytes_received",
    "tcpi_busy_time": "busy_us",
    "tcpi_rwnd_limited": "receiver_limited_us",
    "tcpi_sndbuf_limited": "send_buffer_limited_us",
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
        fields = diag.inet_diag_msg.fields
        self._head = _Layout(fields, _HEAD, sum(_size(form) for _, form in fields))
        self._info_fields: Fields = diag.inet_diag_msg.tcp_info.fields
        self._info_layouts: dict[int, _Layout] = {}

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
        head = self._head.read(data, _MESSAGE.size)
        info = self._find_info(data)
        if info is None or head.pop("state") == LISTEN:
            return number, None
        at, length = info
        if length not in self._info_layouts:
            self._info_layouts[length] = _Layout(self._info_fields, _INFO, length)
        told = self._info_layouts[length].read(data, at)
        congestion = _congestion(told.pop("congestion", -1))
        return number, Tcp(congestion=congestion, **head, **told)

    def _find_info(self, data: bytes) -> tuple[int, int] | None:
        """Where it is, and how long: an older kernel tells less."""
        at = _MESSAGE.size + self._head.size
        while at + _ATTRIBUTE.size <= len(data):
            length, kind = _ATTRIBUTE.unpack_from(data, at)
            if kind == INET_DIAG_INFO:
                return at + _ATTRIBUTE.size, min(length, len(data) - at) - _ATTRIBUTE.size
            at += max(length + 3 & ~3, _ATTRIBUTE.size)
        return None


class _Layout:
    """The wanted ones of the fields that fit a length, under our names."""

    def __init__(self, fields: Fields, wanted: Mapping[str, str], length: int) -> None:
        taken, self._names, self.size = "=", [], 0
        for name, form in fields:
            size = _size(form)
            if self.size + size > length:
                break
            self.size += size
            taken += form if name in wanted else f"{size}x"
            self._names += [wanted[name]] if name in wanted else []
        self._struct = struct.Struct(taken)

    def read(self, data: bytes, at: int) -> dict[str, int]:
        return dict(zip(self._names, self._struct.unpack_from(data, at), strict=True))


def _size(form: str) -> int:
    return struct.calcsize(form if form[0] in "<>" else f"={form}")


def _words(end: End) -> tuple[int, ...]:
    words = struct.unpack(f">{len(end.address) // 4}I", end.address)
    return (*words, *[0] * (4 - len(words)))


def _congestion(state: int) -> str | None:
    return CONGESTION[state] if 0 <= state < len(CONGESTION) else None
