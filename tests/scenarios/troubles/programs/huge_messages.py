"""Publishes large messages, at the marks that libzmq gives. Scaled: of 200 kB in place of 1 MB; its subscriber is run with little memory."""

import sys
import time

import zmq

HOST = sys.argv[1]
LARGE = b"x" * 200_000

context = zmq.Context()
socket = context.socket(zmq.PUB)
socket.bind(f"tcp://{HOST}:5555")

number = 0
while True:
    socket.send(f"Message {number} ".encode() + LARGE)
    print(f"Sent: {number}")
    number += 1
    time.sleep(0.01)
