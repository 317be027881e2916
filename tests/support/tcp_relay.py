"""A TCP relay between two sockets of a test: the network, which can be paused, cut and mended."""

import socket
import threading
from contextlib import suppress
from pathlib import Path

ESTABLISHED = "01"  # proc_pid_net(5)
READ_AT_ONCE = 65_536


class Relay:
    """Passes bytes between whoever connects to ``port`` and a target port, in threads.

    ``passed`` counts the bytes given to either end since the relay was made or mended.
    """

    def __init__(self, target: int, *, buffer_bytes: int | None = None) -> None:
        self.passed = 0
        self._target = target
        self._buffer_bytes = buffer_bytes
        self._ends: list[socket.socket] = []
        self._is_whole = True
        self._flows = threading.Event()
        self._flows.set()
        self._counting = threading.Lock()
        self._listener = self._socket()
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen()
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def pause(self) -> None:
        """Pass on no more than is being passed on at this moment."""
        self._flows.clear()

    def resume(self) -> None:
        """Pass on what has gathered, and what comes."""
        self._flows.set()

    def cut(self) -> None:
        """Close all connections, and refuse new ones."""
        self._is_whole = False
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._ends.clear()

    def mend(self) -> None:
        """Take connections again."""
        self.passed = 0
        self._is_whole = True

    def holds_any(self) -> bool:
        """Whether a kernel has bytes that one end has not read yet."""
        ports = {f"{self.port:04X}", f"{self._target:04X}"}
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, state, queues, *_ = line.split()
            ours = ports & {local.rpartition(":")[2], remote.rpartition(":")[2]}
            if ours and state == ESTABLISHED and int(queues.replace(":", ""), 16):
                return True
        return False

    def close(self) -> None:
        """Close all connections and the listener."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        self.resume()

    def _socket(self) -> socket.socket:
        """A socket with buffers of the size asked for, which accepted ones inherit."""
        made = socket.socket()
        if self._buffer_bytes is not None:
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                made.setsockopt(socket.SOL_SOCKET, option, self._buffer_bytes)
        return made

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self._listener.accept()
                if not self._is_whole:
                    caller.close()
                    continue
                called = self._socket()
                called.connect(("127.0.0.1", self._target))
                self._ends += (caller, called)
                for one, other in ((caller, called), (called, caller)):
                    threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError), one, other:
            while data := one.recv(READ_AT_ONCE):
                self._flows.wait()
                other.sendall(data)
                with self._counting:
                    self.passed += len(data)
            other.shutdown(socket.SHUT_RDWR)
