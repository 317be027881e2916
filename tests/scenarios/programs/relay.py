"""A plain TCP relay: a wire that can be cut.

Commands: ``cut`` (close both sides of every connection and refuse new ones), ``mend`` (accept again), ``close``.
Events: ``ready PORT``, ``cut``, ``mended``.
"""

import selectors
import socket
import sys
from argparse import ArgumentParser

from control import CLOSE, Control

CHUNK = 4096


class Relay:
    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._selector = selectors.DefaultSelector()
        self._other_side: dict[socket.socket, socket.socket] = {}
        self._listener: socket.socket | None = None
        self._port = 0

    def listen(self) -> int:
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._port = self._listener.getsockname()[1]
        self._selector.register(self._listener, selectors.EVENT_READ)
        return self._port

    def cut(self) -> None:
        if self._listener is not None:
            self._selector.unregister(self._listener)
            self._listener.close()
            self._listener = None
        for side in list(self._other_side):
            self._drop(side)

    def run(self, control: Control) -> None:
        """Relay until told to close."""
        self._selector.register(sys.stdin, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    for command in control.arrived():
                        if command == CLOSE:
                            self.cut()
                            return
                        self._obey(command, control)
                elif key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj in self._other_side:
                    self._pass_on(key.fileobj)

    def _obey(self, command: list[str], control: Control) -> None:
        if command == ["cut"]:
            self.cut()
            control.say("cut")
        elif command == ["mend"]:
            self.listen()
            control.say("mended")

    def _accept(self) -> None:
        near, _ = self._listener.accept()
        try:
            far = socket.create_connection(("127.0.0.1", self._target_port))
        except OSError:  # the target is gone, and who called will call again
            near.close()
            return
        for side, other in ((near, far), (far, near)):
            self._other_side[side] = other
            self._selector.register(side, selectors.EVENT_READ)

    def _pass_on(self, side: socket.socket) -> None:
        try:
            data = side.recv(CHUNK)
            if data:
                self._other_side[side].sendall(data)
                return
        except OSError:
            data = b""
        self._drop(side)

    def _drop(self, side: socket.socket) -> None:
        other = self._other_side.pop(side, None)
        if other is None:
            return
        self._selector.unregister(side)
        side.close()
        self._drop(other)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--target-port", type=int, required=True)
    settings = parser.parse_args()
    control = Control()
    relay = Relay(settings.target_port)
    control.say("ready", relay.listen())
    relay.run(control)


if __name__ == "__main__":
    main()
