"""Publishes as fast as it can. Scaled by the arguments: how long a message is, so that the kernel's buffers fill within seconds, and the pause between two."""

import sys
import time

import zmq

HOST, SIZE, PAUSE = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])

context = zmq.Context()
socket = context.socket(zmq.PUB)
socket.bind(f"tcp://{HOST}:5555")

number = 0
while True:
    socket.send(f"Message {number}".encode().ljust(SIZE))
    print(f"Sent: {number}")
    number += 1
    time.sleep(PAUSE)
