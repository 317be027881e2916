"""The same with the mark where it is said to belong, at publisher and proxy, and drops that are to be noticed by EAGAIN.

Scaled: faster, and messages are long and many enough to fill what is behind the proxy.
"""

import sys
import time
from threading import Thread

import zmq

HOST, COUNT, SIZE = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def forward(context):
    frontend = context.socket(zmq.XSUB)
    frontend.bind(f"tcp://{HOST}:5556")
    backend = context.socket(zmq.XPUB)
    backend.bind(f"tcp://{HOST}:5557")
    backend.setsockopt(zmq.SNDHWM, 100)
    zmq.proxy(frontend, backend)


def publish(context):
    publisher = context.socket(zmq.PUB)
    publisher.connect(f"tcp://{HOST}:5556")
    publisher.setsockopt(zmq.SNDHWM, 100)
    for number in range(COUNT):
        try:
            publisher.send(f"Message {number}".encode().ljust(SIZE), zmq.DONTWAIT)
            print(f"Sent: {number}")
        except zmq.Again:
            print(f"Dropped: {number}")
        time.sleep(0.0005)


def subscribe(context):
    subscriber = context.socket(zmq.SUB)
    subscriber.connect(f"tcp://{HOST}:5557")
    subscriber.setsockopt_string(zmq.SUBSCRIBE, "")
    for _ in range(COUNT):
        message = subscriber.recv()
        print(f"Received: {message.decode().strip()}")
        time.sleep(0.002)


if __name__ == "__main__":
    context = zmq.Context()
    Thread(target=forward, args=(context,)).start()
    Thread(target=publish, args=(context,)).start()
    subscribe(context)
