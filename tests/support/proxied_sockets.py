"""A real process of a PUB and a SUB with a proxy between them, through which messages go on and on."""

from contextlib import AbstractContextManager
from pathlib import Path

from playing import playing

_PROGRAM = """
import threading, time, zmq, hopwatch
context = zmq.Context.instance()
front = hopwatch.wrap(context.socket(zmq.XSUB), name="front")
back = hopwatch.wrap(context.socket(zmq.XPUB), name="back")
entry = front.bind_to_random_port("tcp://127.0.0.1")
exit_ = back.bind_to_random_port("tcp://127.0.0.1")
threading.Thread(target=hopwatch.proxy, args=(front, back), daemon=True).start()
quotes = hopwatch.wrap(context.socket(zmq.PUB), name="quotes", sequence="stamp")
quotes.connect(f"tcp://127.0.0.1:{entry}")
screen = hopwatch.wrap(context.socket(zmq.SUB), name="screen", sequence="stamp")
screen.subscribe(b"")
screen.connect(f"tcp://127.0.0.1:{exit_}")
while not screen.poll(20):
    quotes.send_multipart([b"quote", b"two frames, so that the proxy is busiest"])
print("through", flush=True)
while True:
    quotes.send_multipart([b"quote", b"two frames, so that the proxy is busiest"])
    while screen.poll(0):
        screen.recv_multipart()
    time.sleep(0.005)
"""


def proxied_sockets(journal: Path) -> AbstractContextManager[None]:
    """Lives as long as the block does, which begins when the first message has come."""
    return playing(_PROGRAM, journal, until="through")
