"""Whatever a signal handler does between two lines of ours, the call that it interrupts ends as it would have, and the counts are true."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import hopwatch
import pytest
import zmq
from alike import SEQUENCES
from hopwatch.words import LANE_COUNT, RECEIVED, SENT
from journal_reader import Journal

OURS = str(Path(hopwatch.__file__).parent / "sockets")

SENDS: dict[str, Callable[[zmq.Socket], Any]] = {
    "send": lambda push: push.send(b"x"),
    "send at once": lambda push: push.send(b"x", zmq.DONTWAIT),
    "send uncopied": lambda push: push.send(b"x", copy=False),
    "send_multipart": lambda push: push.send_multipart([b"x", b"y"]),
    "set": lambda push: push.set(zmq.LINGER, 1),
    "get": lambda push: push.get(zmq.RCVMORE),
    "bind": lambda push: push.bind("inproc://another"),
}
RECEIVES: dict[str, Callable[[zmq.Socket], Any]] = {
    "recv": lambda pull: pull.recv(),
    "recv at once": lambda pull: pull.recv(zmq.DONTWAIT),
    "recv uncopied": lambda pull: pull.recv(copy=False).bytes,
    "recv_multipart": lambda pull: pull.recv_multipart()[0],
    "recv_into": lambda pull: b"x" * pull.recv_into(bytearray(4)),
}


class Interruption:
    """Does something once, before the line of ours that is so many lines on."""

    def __init__(self, line: int, act: Callable[[], Any]) -> None:
        self.lines_left = line
        self.act = act
        self.happened = False

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        if event == "line" and not self.happened:
            self.lines_left -= 1
            if self.lines_left < 0:
                self.happened = True
                self.act()
        return self


def interrupted(call: Callable[[], Any], act: Callable[[], Any], line: int) -> tuple[Any, bool]:
    """What comes of a call, and whether it was interrupted."""
    interruption = Interruption(line, act)
    sys.settrace(interruption)
    try:
        came = call()
    finally:
        sys.settrace(None)
    return came, interruption.happened


@contextmanager
def pair() -> Iterator[tuple[zmq.Socket, zmq.Socket]]:
    with zmq.Context() as context, context.socket(zmq.PUSH) as push, context.socket(zmq.PULL) as pull:
        push.linger = pull.linger = 0
        pull.rcvtimeo = push.sndtimeo = 5000
        yield push, pull


def connect(push: zmq.Socket, pull: zmq.Socket) -> None:
    pull.bind("inproc://pair")
    push.connect("inproc://pair")


@pytest.mark.parametrize("warm", [False, True], ids=["first call", "later call"])
@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("call", SENDS)
def test_a_call_goes_on_while_its_socket_is_unwrapped(
    journal: Journal, sequence: str, call: str, warm: bool
) -> None:
    line, happened = 0, True
    while happened:
        with pair() as (push, pull):
            for socket in (push, pull):
                hopwatch.wrap(socket, **SEQUENCES[sequence])
            connect(push, pull)
            if warm:
                push.send(b"w")
                push.send_multipart([b"w", b"w"])
            _, happened = interrupted(lambda: SENDS[call](push), lambda: hopwatch.unwrap(push), line)
            hopwatch.unwrap(push)
            assert (type(push), vars(push).get("_hopwatch")) == (zmq.Socket, None)
            push.send(b"after")
            came = [pull.recv_multipart()]
            while came[-1] != [b"after"]:
                came.append(pull.recv_multipart())
            sent = {"send_multipart": [[b"x", b"y"]], "set": [], "get": [], "bind": []}.get(call, [[b"x"]])
            assert came == [*([[b"w"], [b"w", b"w"]] if warm else []), *sent, [b"after"]]
        line += 1
    assert line > 2


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("call", RECEIVES)
def test_a_receive_goes_on_while_its_socket_is_unwrapped(journal: Journal, sequence: str, call: str) -> None:
    line, happened = 0, True
    while happened:
        with pair() as (push, pull):
            hopwatch.wrap(pull, **SEQUENCES[sequence])
            connect(push, pull)
            for body in (b"x", b"xx"):
                push.send(body)
            came, happened = interrupted(lambda: RECEIVES[call](pull), lambda: hopwatch.unwrap(pull), line)
            hopwatch.unwrap(pull)
            assert (came, type(pull), pull.recv()) == (b"x", zmq.Socket, b"xx")
        line += 1
    assert line > 2


@pytest.mark.parametrize("sequence", ["counting", "topics counted", "stamped", "every third stamped"])
@pytest.mark.parametrize("call", ["send", "send at once", "send uncopied", "send_multipart"])
def test_a_handler_that_sends_within_a_send_leaves_all_counts_true(
    journal: Journal, sequence: str, call: str
) -> None:
    with pair() as (push, pull):
        for socket in (push, pull):
            hopwatch.wrap(socket, name="push" if socket is push else "pull", **SEQUENCES[sequence])
        connect(push, pull)
        push.send(b"w")
        push.send_multipart([b"w", b"w"])
        line, sent, happened = 0, 2, True
        within = [b"h"] if "multipart" not in call else None
        while happened:
            other = (lambda: push.send_multipart(within)) if within else (lambda: None)
            _, happened = interrupted(lambda: SENDS[call](push), other, line)
            sent += 1 + (happened and within is not None)
            line += 1
        received = 0
        while pull.poll(0):
            pull.recv_multipart()
            received += 1
        state = push._hopwatch
        assert (received, state.slot.words[SENT]) == (sent, sent)
        assert pull._hopwatch.slot.words[RECEIVED] == sent
        for lanes in [state.sending] if state.sending else []:
            assert sum(slot.words[LANE_COUNT] for slot in lanes.slots) == sent
    assert journal.of("pull", "gap") == []


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_what_pyzmq_raises_has_no_other_exception_behind_it(journal: Journal, sequence: str) -> None:
    """A handler that runs meanwhile would see that one as being handled."""
    with pair() as (push, pull):
        for socket in (push, pull):
            hopwatch.wrap(socket, **SEQUENCES[sequence])
        pull.rcvtimeo = push.sndtimeo = 1
        for flags in (0, zmq.DONTWAIT):
            for call in (
                lambda: push.send(b"x", flags),  # noqa: B023
                lambda: push.send_multipart([b"x", b"y"], flags),  # noqa: B023
                lambda: pull.recv(flags),  # noqa: B023
                lambda: pull.recv_multipart(flags),  # noqa: B023
            ):
                with pytest.raises(zmq.Again) as raised:
                    call()
                assert (raised.value.__context__, raised.value.__cause__) == (None, None)
