"""An application under load: real wrapped sockets that meet full pipes, lose messages, open and close.

It runs until standard input ends, and then says as JSON what it did: its process's id, how many events it wrote, and how many
messages each socket sent and received by the application's own count.
"""

import atexit
import json
import os
import sys
import time
from typing import Any

ROUND_SECONDS = 0.05
BURST = 60


class Load:
    """The sockets, and what was done with them."""

    def __init__(self) -> None:
        import hopwatch
        import zmq

        self._zmq = zmq
        self._wrap = hopwatch.wrap
        self._context = zmq.Context()
        self.counts: dict[str, list[int]] = {}
        self.pub = self._open(zmq.PUB, "quotes")
        self.pub.sndhwm, self.pub.sndbuf = 10, 4096
        self.sub = self._open(zmq.SUB, "slow")
        self.sub.rcvhwm, self.sub.rcvbuf = 10, 4096
        self.sub.subscribe(b"")
        self.sub.connect(f"tcp://127.0.0.1:{self.pub.bind_to_random_port('tcp://127.0.0.1')}")
        self._round = 0

    def go_on(self) -> None:
        """One round: a burst past the mark, half of it received, and now and then a pair of sockets for a moment."""
        self._round += 1
        for number in range(BURST):
            self._send(self.pub, [b"topic-%d" % (number % 3), b"x" * 1000])
        while self.sub.poll(0) and self._round % 4:
            self._receive(self.sub)
        if self._round % 10 == 0:
            self._pass_on()

    def close(self) -> None:
        """Closes every socket in order."""
        while self.sub.poll(50):
            self._receive(self.sub)
        self.pub.close()
        self.sub.close()
        self._context.term()

    def told(self) -> dict[str, Any]:
        """What was done, for the test to compare."""
        journal = self.pub._hopwatch.journal
        events = journal._log._next - 1  # noqa: SLF001 -- the truth, from where it is made
        return {"process": f"{journal._process:016x}", "events": events, "counts": self.counts}  # noqa: SLF001

    def _pass_on(self) -> None:
        push, pull = self._open(self._zmq.PUSH, "brief"), self._open(self._zmq.PULL, "brief")
        pull.bind(f"inproc://brief-{self._round}")
        push.connect(f"inproc://brief-{self._round}")
        for _ in range(5):
            self._send(push, [b"x"])
            self._receive(pull)
        push.close()
        pull.close()

    def _open(self, kind: int, name: str) -> Any:
        socket = self._wrap(self._context.socket(kind), name=name, sequence="stamp")
        self.counts[f"{socket._hopwatch.identifier:016x}"] = [0, 0]
        return socket

    def _send(self, socket: Any, frames: list[bytes]) -> None:
        socket.send_multipart(frames)
        self.counts[f"{socket._hopwatch.identifier:016x}"][0] += 1

    def _receive(self, socket: Any) -> None:
        socket.recv_multipart()
        self.counts[f"{socket._hopwatch.identifier:016x}"][1] += 1


def main() -> None:
    """Runs until standard input ends."""
    load: list[Load] = []
    # registered before hopwatch's own, and so called after it, when the last event has been written
    atexit.register(lambda: print(json.dumps(load[0].told()), flush=True))
    load.append(Load())
    load[0].go_on()
    print("running", flush=True)
    os.set_blocking(sys.stdin.fileno(), False)
    while sys.stdin.buffer.raw.read(1) is None:
        load[0].go_on()
        time.sleep(ROUND_SECONDS)
    load[0].close()


if __name__ == "__main__":
    main()
