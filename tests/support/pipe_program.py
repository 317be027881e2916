"""A sender and its receivers in one process, told by lines what to do: ``send 5``, ``receive 0 3``, ``open``, ``close 0`` ..."""

import sys
import threading

import hopwatch
import zmq

SMALL = 4096


class Pipes:
    """A sender of a type, bound at a host's address, with receivers of another by IPv4; ``mark``: both high water marks."""

    def __init__(self, sender: str, receiver: str, mark: int, host: str = "127.0.0.1") -> None:
        self._context = zmq.Context()
        self._receiver_type = getattr(zmq, receiver)
        self._mark = mark
        self._sender = self._context.socket(getattr(zmq, sender))
        self._sender.sndhwm, self._sender.sndbuf = mark, SMALL
        self._sender.ipv6 = ":" in host
        hopwatch.wrap(self._sender, name="source", sequence="stamp")
        self._endpoint = f"tcp://127.0.0.1:{self._sender.bind_to_random_port(f'tcp://{host}')}"
        self._receivers: list[zmq.Socket[bytes]] = []

    def open(self) -> str:
        """One more receiver, which has got a first message."""
        return self._opened(self._wrapped(), self._endpoint)

    def open_bare(self) -> str:
        """One more, of which hopwatch knows nothing."""
        return self._opened(self._context.socket(self._receiver_type), self._endpoint)

    def open_behind(self) -> str:
        """One more, of a publisher, behind a proxy that keeps hardly anything for it."""
        between = zmq.Context()
        front, back = between.socket(zmq.XSUB), between.socket(zmq.XPUB)
        front.rcvhwm, back.sndhwm, back.sndbuf = self._mark, 1, SMALL
        front.connect(self._endpoint)
        port = back.bind_to_random_port("tcp://127.0.0.1")
        receiver = self._connected(self._wrapped(), f"tcp://127.0.0.1:{port}")
        back.poll()  # its subscription has come: hopwatch.proxy wraps a socket that is connected
        threading.Thread(target=hopwatch.proxy, args=(front, back), daemon=True).start()
        return self._reached(receiver)

    def _wrapped(self) -> zmq.Socket[bytes]:
        return hopwatch.wrap(self._context.socket(self._receiver_type), sequence="stamp")

    def _opened(self, receiver: zmq.Socket[bytes], endpoint: str) -> str:
        return self._reached(self._connected(receiver, endpoint))

    def _connected(self, receiver: zmq.Socket[bytes], endpoint: str) -> zmq.Socket[bytes]:
        receiver.rcvhwm, receiver.rcvbuf = self._mark, SMALL
        if self._receiver_type == zmq.SUB:
            receiver.subscribe(b"")
        receiver.connect(endpoint)
        self._receivers.append(receiver)
        return receiver

    def _reached(self, receiver: zmq.Socket[bytes]) -> str:
        sent = 0
        while not receiver.poll(20):
            self._sender.send(b"%d " % sent)
            sent += 1
        first = int(receiver.recv().partition(b" ")[0])  # a bare one gets the stamp behind it
        # what a subscriber was sent before its subscription came was never on its way
        return str(sent - first if self._receiver_type == zmq.SUB else sent)

    def send(self, count: str) -> str:
        """So many messages of 200 bytes."""
        for _ in range(int(count)):
            self._sender.send(b"x" * 200)
        return count

    def receive(self, place: str, count: str) -> str:
        """So many, which have to be there within a minute each."""
        for _ in range(int(count)):
            assert self._receivers[int(place)].poll(60_000)
            self._receivers[int(place)].recv()
        return count

    def drain(self, place: str) -> str:
        """All there are, until none has come for a while; says how many."""
        receiver, count = self._receivers[int(place)], 0
        while receiver.poll(1000):
            receiver.recv()
            count += 1
        return str(count)

    def ask_past_us(self) -> str:
        """Sets what hopwatch would probe full pipes with."""
        self._sender.setsockopt(zmq.XPUB_NODROP, 1)
        return "0"

    def unsubscribe(self, place: str) -> str:
        """From everything."""
        self._receivers[int(place)].unsubscribe(b"")
        return place

    def cut(self, place: str) -> str:
        """Takes a receiver's connection down."""
        self._receivers[int(place)].disconnect(self._endpoint)
        self._receivers[int(place)].poll(100)  # it does not go before its socket is used again
        return place

    def end(self) -> None:
        """Closes everything."""
        self._context.destroy(linger=0)

    def close_sender(self) -> str:
        """In good order: what it has queued goes out meanwhile."""
        self._sender.close()
        return "0"

    def close(self, place: str) -> str:
        """Closes a receiver."""
        self._receivers[int(place)].close(linger=0)
        return place


def main() -> None:
    """Does what each line says, and answers with "done" and what came of it."""
    pipes = Pipes(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
    for line in sys.stdin:
        name, *arguments = line.split()
        print("done", getattr(pipes, name)(*arguments), flush=True)
    pipes.end()


if __name__ == "__main__":
    main()
