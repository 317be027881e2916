"""The slow subscriber, mended as many advise: more room, by the option that sets both marks, at the receiving end.

Scaled: 2,000 in place of 10,000 messages.
"""

import sys
import time

import zmq

HOST, WORK = sys.argv[1], float(sys.argv[2])

context = zmq.Context()
socket = context.socket(zmq.SUB)
socket.set_hwm(2000)
socket.connect(f"tcp://{HOST}:5555")
socket.setsockopt_string(zmq.SUBSCRIBE, "")

while True:
    message = socket.recv()
    print(f"Received: {message.decode().strip()}")
    time.sleep(WORK)
