"""A PUSH that sends ten messages and ends in good order, and a PULL that takes its time over them. Scaled: ten times as fast."""

import sys
import time
from multiprocessing import Process

import zmq

ADDRESS = sys.argv[1]
MESSAGES = 10
SENDING, RECEIVING = 0.2, 0.4  # seconds


def send():
    context = zmq.Context()
    socket = context.socket(zmq.PUSH)
    socket.bind(ADDRESS)
    for number in range(MESSAGES):
        time.sleep(SENDING / MESSAGES)
        socket.send(b"Message %d" % number)
        print(f"Sent: {number}")
    socket.close()
    context.term()
    print("Sender exits")


if __name__ == "__main__":
    Process(target=send).start()
    context = zmq.Context()
    socket = context.socket(zmq.PULL)
    socket.setsockopt(zmq.RCVHWM, 1)
    socket.connect(ADDRESS)
    for _ in range(MESSAGES):
        message = socket.recv()
        print(f"Received: {message.decode()}")
        time.sleep(RECEIVING / MESSAGES)
