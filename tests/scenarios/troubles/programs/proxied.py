"""A publisher with a mark of 100, a proxy, and a subscriber that is far slower: nothing is dropped.

Scaled: the one ten times as fast, the other thirty times, so that it lasts while page and terminal are looked at.
"""

import sys
import time
from threading import Thread

import zmq

HOST = sys.argv[1]


def forward(context):
    frontend = context.socket(zmq.XSUB)
    frontend.bind(f"tcp://{HOST}:5556")
    backend = context.socket(zmq.XPUB)
    backend.bind(f"tcp://{HOST}:5557")
    zmq.proxy(frontend, backend)


def publish(context):
    publisher = context.socket(zmq.PUB)
    publisher.connect(f"tcp://{HOST}:5556")
    publisher.setsockopt(zmq.RCVHWM, 100)
    for number in range(1000):
        publisher.send(f"Message {number}".encode())
        print(f"Sent: {number}")
        time.sleep(0.001)


def subscribe(context):
    subscriber = context.socket(zmq.SUB)
    subscriber.connect(f"tcp://{HOST}:5557")
    subscriber.setsockopt_string(zmq.SUBSCRIBE, "")
    for _ in range(1000):
        message = subscriber.recv()
        print(f"Received: {message.decode()}")
        time.sleep(0.03)


if __name__ == "__main__":
    context = zmq.Context()
    Thread(target=forward, args=(context,)).start()
    Thread(target=publish, args=(context,)).start()
    subscribe(context)
