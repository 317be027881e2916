"""Two programs, a sender and a receiver that is kept nine or ten messages behind it, however fast both go."""

import sys

import hopwatch
import zmq

BEHIND = 10


def send(context: "zmq.Context[zmq.Socket[bytes]]", kind: str) -> None:
    """Says where it is, then sends a message for each that is received."""
    sender = hopwatch.wrap(context.socket(getattr(zmq, kind)), name="source", sequence="stamp")
    control = context.socket(zmq.PAIR)
    ports = [each.bind_to_random_port("tcp://127.0.0.1") for each in (sender, control)]
    print("bound", *ports, flush=True)
    while not control.poll(20):
        sender.send(b"first")
    control.recv()
    sender.send(b"last")
    control.recv()
    for _ in range(BEHIND):
        sender.send(b"")
    while True:
        control.send(b"")
        control.recv()
        sender.send(b"")


def receive(context: "zmq.Context[zmq.Socket[bytes]]", kind: str, port: str, control_port: str) -> None:
    """Says "behind" once it is, then receives on and on."""
    receiver = hopwatch.wrap(context.socket(getattr(zmq, kind)), name="sink", sequence="stamp")
    control = context.socket(zmq.PAIR)
    if receiver.type == zmq.SUB:
        receiver.subscribe(b"")
    receiver.connect(f"tcp://127.0.0.1:{port}")
    control.connect(f"tcp://127.0.0.1:{control_port}")
    receiver.recv()
    control.send(b"")
    while receiver.recv() != b"last":
        pass
    control.send(b"")
    control.recv()
    print("behind", flush=True)
    while True:
        receiver.recv()
        control.send(b"")
        control.recv()


if __name__ == "__main__":
    (send if len(sys.argv) == 2 else receive)(zmq.Context(), *sys.argv[1:])
