"""An application that knows nothing of hopwatch: sends or receives numbered messages, as it is told through a pipe.

party.py PIPE OUT sender|receiver ENDPOINT
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import zmq

SIZE = 10_000
MARK = 100


def main(pipe: str, out: str, part: str, endpoint: str) -> None:
    # the first process of a container takes no notice of it by itself
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    socket = zmq.Context.instance().socket(zmq.PUB if part == "sender" else zmq.SUB)
    with Path(out).open("a", buffering=1) as told, socket, Path(pipe).open() as commands:
        (send if part == "sender" else receive)(socket, endpoint, commands, told)


def send(socket, endpoint, commands, told) -> None:
    socket.sndhwm = MARK
    socket.bind(endpoint)
    sent = 0
    for command in commands:
        if command.startswith("work on for"):
            work_on(socket, sent, float(command.split()[-1]), told)
        for _ in range(int(command)):
            socket.send(b"%d" % sent + bytes(SIZE))
            sent += 1
            time.sleep(0.0005)
        told.write(f"sent {sent}\n")


def work_on(socket, sent, seconds, told) -> None:
    """Some way into its grace period, as whoever has requests to answer."""
    ending = []
    signal.signal(signal.SIGTERM, lambda *_: ending.append(time.monotonic()))
    told.write(f"sent {sent}\n")
    while not ending or time.monotonic() < ending[0] + seconds:
        if ending:
            socket.send(b"%d" % sent)
            sent += 1
        time.sleep(0.05)
    told.write(f"sent {sent}\n")
    sys.exit(0)


def receive(socket, endpoint, commands, told) -> None:
    socket.rcvhwm = MARK
    socket.subscribe(b"")
    socket.connect(endpoint)
    numbers = []
    for command in commands:
        if command.strip() == "eat":
            eat()
        if command.strip() == "crash":
            os.abort()
        while socket.poll(2000):
            numbers.append(int(socket.recv().partition(b"\0")[0]))
            if command.strip() == "some" and len(numbers) % 100 == 0:
                break
        told.write(f"received {json.dumps(numbers)}\n")


def eat() -> None:
    """Until there is no more memory."""
    eaten = []
    while True:
        eaten.append(bytearray(b"x") * 2**20)


if __name__ == "__main__":
    main(*sys.argv[1:])
