"""A subscriber: ``python -m hopwatch_demo.subscriber NAME ENDPOINT SECONDS_PER_MESSAGE TRUTH_FILE``.

It ends when nothing has come for a while, and leaves the numbers that it got, one a line.
"""

import sys
import time
from pathlib import Path

import hopwatch
import zmq

FIRST_MESSAGE_MS = 30_000
QUIET_MS = 1_000


def main() -> None:
    name, endpoint, seconds, truth = sys.argv[1], sys.argv[2], float(sys.argv[3]), Path(sys.argv[4])
    context = zmq.Context()
    socket = hopwatch.wrap(context.socket(zmq.SUB), name=name, sequence="stamp")
    if seconds:
        socket.rcvhwm = 100
        socket.rcvbuf = 8192  # small kernel buffers, or it takes minutes until they are full
    socket.subscribe(b"")
    socket.subscribe(f"~{name}".encode())  # lets the publisher count its subscribers
    socket.connect(endpoint)
    with truth.open("w") as numbers:
        patience = FIRST_MESSAGE_MS
        while socket.poll(patience):
            _topic, number = socket.recv_multipart()
            numbers.write(number.decode() + "\n")
            time.sleep(seconds)
            patience = QUIET_MS
    socket.close()
    context.term()


if __name__ == "__main__":
    main()
