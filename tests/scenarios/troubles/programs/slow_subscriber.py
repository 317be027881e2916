"""Works on each message for a while. Scaled: for as many seconds as the second argument says, in place of 0.1."""

import sys
import time

import zmq

HOST, WORK = sys.argv[1], float(sys.argv[2])

context = zmq.Context()
socket = context.socket(zmq.SUB)
socket.connect(f"tcp://{HOST}:5555")
socket.setsockopt_string(zmq.SUBSCRIBE, "")

while True:
    message = socket.recv()
    print(f"Received: {message.decode().strip()}")
    time.sleep(WORK)
