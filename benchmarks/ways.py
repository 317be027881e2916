"""Ways to send and receive that each do one thing more than another; ``breakdown.py`` measures them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import zmq
from hopwatch.stamp import HEAD_SIZE, unpack_words
from zmq.backend import Socket as BackendSocket

MESSAGE = b"m" * 64
STAMP = b"s" * 48
SNDMORE, RCVMORE = int(zmq.SNDMORE), int(zmq.RCVMORE)
WORD = 20

backend_send, backend_recv, backend_get = BackendSocket.send, BackendSocket.recv, BackendSocket.get
now = time.time

Function = Callable[..., Any]
Words = memoryview


@dataclass(frozen=True)
class Ways:
    """Each makes the method for one class of sockets; ``words`` and ``times`` are a mapped file's, as integers and as doubles."""

    words: Words
    times: Words

    def below(self) -> Function:
        return backend_send

    def framed_send(self) -> Function:
        def send(socket: Any, data: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            return backend_send(socket, data, flags, copy, track)

        return send

    def checking_send(self) -> Function:
        size = len(MESSAGE)

        def send(socket: Any, data: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            if flags == 0 and socket is not None and track is not None:
                try:
                    tracker = backend_send(socket, data, flags, copy, track)
                except zmq.Again:
                    raise ValueError from None
                if data.__class__ is not bytes or len(data) != size:
                    raise ValueError
                return tracker
            raise ValueError

        return send

    def summing_send(self) -> Function:
        sent = 0

        def send(socket: Any, data: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            nonlocal sent
            tracker = backend_send(socket, data, flags, copy, track)
            sent += 1
            return tracker

        return send

    def storing_send(self) -> Function:
        words, sent = self.words, 0

        def send(socket: Any, data: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            nonlocal sent
            tracker = backend_send(socket, data, flags, copy, track)
            sent += 1
            words[WORD] = sent
            return tracker

        return send

    def timing_send(self) -> Function:
        def send(socket: Any, data: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            now()
            return backend_send(socket, data, flags, copy, track)

        return send

    def time_storing_send(self) -> Function:
        times = self.times

        def send(socket: Any, data: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            times[WORD] = now()
            return backend_send(socket, data, flags, copy, track)

        return send

    def two_frames_send(self) -> Function:
        def send(socket: Any, data: Any, flags: int = SNDMORE, copy: bool = True, track: bool = False) -> Any:
            tracker = backend_send(socket, data, flags, copy, track)
            backend_send(socket, STAMP)
            return tracker

        return send

    def framed_recv(self) -> Function:
        def recv(socket: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            return backend_recv(socket, flags, copy, track)

        return recv

    def checking_recv(self) -> Function:
        size, look_at = len(MESSAGE), -1

        def recv(socket: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            try:
                if size == look_at:
                    raise ValueError
                frame = backend_recv(socket, flags, copy, track)
                if len(frame) == size and copy:
                    return frame
            except zmq.Again:
                raise ValueError from None
            raise ValueError

        return recv

    def summing_recv(self) -> Function:
        received = 0

        def recv(socket: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            nonlocal received
            frame = backend_recv(socket, flags, copy, track)
            received += 1
            return frame

        return recv

    def storing_recv(self) -> Function:
        words, received = self.words, 0

        def recv(socket: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            nonlocal received
            frame = backend_recv(socket, flags, copy, track)
            received += 1
            words[WORD] = received
            return frame

        return recv

    def frame_recv(self) -> Function:
        def recv(socket: Any, flags: int = 0, copy: bool = False, track: bool = False) -> Any:
            frame = backend_recv(socket, flags, copy, track)
            return None if frame.more else frame.bytes

        return recv

    def two_frames_recv(self) -> Function:
        def recv(socket: Any, flags: int = 0, copy: bool = False, track: bool = False) -> Any:
            frame = backend_recv(socket, flags, copy, track)
            following = backend_recv(socket) if frame.more else b""
            return frame.bytes if following else None

        return recv

    def unpacking_recv(self) -> Function:
        def recv(socket: Any, flags: int = 0, copy: bool = False, track: bool = False) -> Any:
            frame = backend_recv(socket, flags, copy, track)
            following = backend_recv(socket) if frame.more else b""
            unpack_words(following, HEAD_SIZE)
            return frame.bytes if following else None

        return recv

    def asking_recv(self) -> Function:
        def recv(socket: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
            frame = backend_recv(socket, flags, copy, track)
            return None if backend_get(socket, RCVMORE) else frame

        return recv
