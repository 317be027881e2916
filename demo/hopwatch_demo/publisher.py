"""A publisher of numbered quotes: ``python -m hopwatch_demo.publisher ENDPOINT COUNT TRUTH_FILE``."""

import sys
import time
from pathlib import Path

import hopwatch
import zmq

SUBSCRIBERS = 2
EVERY_SECONDS = 0.0005


def wait_for_subscribers(socket: zmq.Socket[bytes]) -> None:
    """Each subscriber asks for one topic of its own besides the common one, so that topics tell how many are there."""
    while True:
        socket.getsockopt(zmq.EVENTS)  # makes libzmq look at what has arrived
        if int(socket.getsockopt(zmq.TOPICS_COUNT)) > SUBSCRIBERS:
            return
        time.sleep(0.01)


def main() -> None:
    endpoint, count, truth = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    context = zmq.Context()
    socket = hopwatch.wrap(context.socket(zmq.PUB), name="quotes", sequence="stamp")
    socket.connect(endpoint)
    wait_for_subscribers(socket)
    for number in range(count):
        socket.send_multipart([b"EURUSD", b"%d" % number])
        time.sleep(EVERY_SECONDS)
    truth.write_text(f"{count}\n")
    socket.close()
    context.term()


if __name__ == "__main__":
    main()
