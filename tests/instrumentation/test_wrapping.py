"""``wrap`` gives back the same object, instrumented; ``unwrap`` gives it back bare."""

import gc
import os
import weakref
from abc import ABCMeta
from pathlib import Path
from typing import ClassVar

import hopwatch
import pytest
import zmq
from hopwatch.settings import from_environment
from journal_reader import Journal


def test_wrap_returns_the_same_object(context: zmq.Context, journal: Journal) -> None:
    socket = context.socket(zmq.PUB)
    assert hopwatch.wrap(socket) is socket
    assert isinstance(socket, zmq.Socket)


def test_the_repr_reads_as_before(context: zmq.Context, journal: Journal) -> None:
    socket = context.socket(zmq.PUB)
    before, before_context = repr(socket), repr(context)
    hopwatch.wrap(socket)
    assert (repr(socket), repr(context)) == (before, before_context)


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("kind", [zmq.PUB, zmq.SUB, zmq.ROUTER, zmq.PULL])
def test_a_wrapped_socket_has_the_attributes_of_a_bare_one(
    context: zmq.Context, journal: Journal, kind: int, sequence: str | None
) -> None:
    socket = context.socket(kind)
    bare = dir(socket)
    hopwatch.wrap(socket, sequence=sequence)
    assert [name for name in dir(socket) if not name.startswith("_hopwatch")] == bare


def test_wrapping_twice_is_wrapping_once(context: zmq.Context, journal: Journal) -> None:
    socket = hopwatch.wrap(hopwatch.wrap(context.socket(zmq.PUSH), name="once"), name="twice")
    assert [event["name"] for event in journal.events("opened")] == ["once"]
    assert not socket.closed


def test_a_socket_wrapped_late_names_the_last_endpoint_that_it_had(
    context: zmq.Context, journal: Journal
) -> None:
    fresh, late = context.socket(zmq.SUB), context.socket(zmq.SUB)
    late.connect("tcp://127.0.0.1:9")
    for socket in (fresh, late):
        hopwatch.wrap(socket)
    assert [event["endpoint"] for event in journal.events("endpoint")] == ["tcp://127.0.0.1:9"]


def test_unwrap_restores_class_attributes_and_options(context: zmq.Context, journal: Journal) -> None:
    socket = context.socket(zmq.PUB)
    bare_class, attributes = type(socket), dict(socket.__dict__)
    assert hopwatch.unwrap(hopwatch.wrap(socket)) is socket
    assert type(socket) is bare_class
    assert socket.__dict__ == attributes
    assert hopwatch.unwrap(socket) is socket


def test_unwrap_ends_the_stream_with_its_last_counts(context: zmq.Context, journal: Journal, link) -> None:
    push, pull = hopwatch.wrap(context.socket(zmq.PUSH), name="p"), context.socket(zmq.PULL)
    link(push, pull)
    push.send(b"x")
    hopwatch.unwrap(push)
    push.send(b"y")
    assert [pull.recv(), pull.recv()] == [b"x", b"y"]
    assert journal.socket("p")["sent"] == 1


def test_a_subclass_of_the_application_keeps_its_own_ways(
    context: zmq.Context, journal: Journal, link
) -> None:
    class Shouting(zmq.Socket):
        def send(self, data: str, flags: int = 0, **kwargs: object) -> object:  # type: ignore[override]
            return super().send(data.upper().encode(), flags, **kwargs)

        def recv(self, flags: int = 0, *args: object, **kwargs: object) -> str:  # type: ignore[override]
            return super().recv(flags, *args, **kwargs).decode()

    push, pull = Shouting(context, zmq.PUSH), Shouting(context, zmq.PULL)
    hopwatch.wrap(push, name="push", sequence="stamp")
    hopwatch.wrap(pull, name="pull", sequence="stamp")
    link(push, pull)
    push.send("quiet")
    assert pull.recv() == "QUIET"
    assert (journal.socket("push")["sent_bytes"], journal.socket("pull")["received"]) == (5, 1)
    push.close()
    pull.close()


class Registering(type):
    """Keeps a list of its classes, of which some are to have no subclasses."""

    known: ClassVar[list[str]] = []

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> "Registering":
        if any(getattr(base, "is_last", False) for base in bases):
            raise TypeError("no subclasses of this one")
        return super().__new__(cls, name, bases, namespace)

    def __init__(cls, name: str, *_: object) -> None:
        cls.known.append(name)


class Registered(zmq.Socket, metaclass=Registering):
    is_last = True


class Picky(zmq.Socket):
    """Takes no attribute that it does not know."""

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("_hopwatch"):
            raise AttributeError(name)
        super().__setattr__(name, value)


class Slotted(zmq.Socket):
    __slots__ = ("own",)


class Abstract(zmq.Socket, metaclass=ABCMeta):
    pass


class Unbound(zmq.Socket):
    """Calls pyzmq's functions past its own class, as subclasses were once written."""

    def send(self, data, flags=0, copy=True, track=False, **kwargs):
        return zmq.Socket.send(self, data, flags, copy, track, **kwargs)

    def recv(self, flags=0, copy=True, track=False):
        return zmq.Socket.recv(self, flags, copy, track)

    def recv_into(self, buffer, /, **kwargs):
        return zmq.Socket.recv_into(self, buffer, **kwargs)


@pytest.mark.parametrize("sequence", [None, "count", "stamp", hopwatch.sequences.bitcoin_core])
@pytest.mark.parametrize("kind", [Registered, Picky, Slotted, Abstract, Unbound])
def test_a_subclass_of_whatever_kind_is_counted_and_notices_nothing(
    context, journal: Journal, link, kind: type[zmq.Socket], sequence: object
) -> None:
    hopwatch.uninstall()
    classes, own = list(Registering.known), dict(vars(zmq.Socket))
    push, pull = kind(context, zmq.PUSH), kind(context, zmq.PULL)
    context.kept += [push, pull]
    hopwatch.wrap(push, name="push", sequence=sequence)
    hopwatch.wrap(pull, name="pull", sequence=sequence)
    link(push, pull)
    push.send(b"alone")
    push.send_multipart([b"two", b"frames"])
    push.send(b"into")
    buffer = bytearray(4)
    assert [pull.recv(), pull.recv_multipart()] == [b"alone", [b"two", b"frames"]]
    assert (pull.recv_into(buffer), bytes(buffer)) == (4, b"into")
    counters = journal.socket("push"), journal.socket("pull")
    assert [counters[0][f"sent{word}"] for word in ("", "_more_frames", "_bytes")] == [3, 1, 18]
    assert [counters[1][f"received{word}"] for word in ("", "_more_frames", "_bytes")] == [3, 1, 18]
    assert isinstance(push, kind)
    assert Registering.known == classes
    for socket in (push, pull):
        hopwatch.unwrap(socket)
    assert vars(zmq.Socket) == own
    push.send(b"bare")
    assert pull.recv() == b"bare"


class Half(zmq.Socket):
    """Can be given another class, and no more."""

    def __getattribute__(self, name: str) -> object:
        if name == "_hopwatch_bare":
            raise AttributeError(name)
        return super().__getattribute__(name)


def test_a_socket_that_cannot_be_wrapped_to_the_end_stays_bare(context, journal: Journal, link) -> None:
    push, pull = Half(context, zmq.PUSH), context.socket(zmq.PULL)
    context.kept.append(push)
    assert hopwatch.wrap(push) is push
    link(push, pull)
    push.send(b"as ever")
    assert (type(push), pull.recv()) == (Half, b"as ever")


def test_a_wrapped_socket_is_collected_like_a_bare_one(context: zmq.Context, journal: Journal) -> None:
    gc.disable()
    try:
        socket = hopwatch.wrap(zmq.Socket(context, zmq.PUSH), name="forgotten")
        gone = weakref.ref(socket)
        with pytest.warns(ResourceWarning, match="Unclosed socket"):
            del socket
        assert gone() is None
    finally:
        gc.enable()
    assert len(journal.of("forgotten", "closed")) == 1


def test_disabled_leaves_the_socket_bare(
    context: zmq.Context, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPWATCH_DISABLED", "1")
    socket = context.socket(zmq.PUB)
    bare_class = type(socket)
    assert type(hopwatch.wrap(socket, sequence="stamp")) is bare_class
    assert not journal.directory.exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [({"sequence": "stmp"}, "stmp"), ({"stamp_every": 0}, "stamp_every"), ({"topic": 1.5}, "1.5")],
)
def test_arguments_that_cannot_be_used_are_named(
    context: zmq.Context, journal: Journal, arguments: dict[str, object], named: str
) -> None:
    with pytest.raises(hopwatch.UsageError, match=named), context.socket(zmq.PUB) as socket:
        hopwatch.wrap(socket, **arguments)  # type: ignore[arg-type]


def test_a_number_serves_as_a_name(context: zmq.Context, journal: Journal) -> None:
    with hopwatch.wrap(context.socket(zmq.PUB), name=7):
        pass
    (opened,) = journal.events("opened")
    assert opened["name"] == "7"


def test_the_default_directory_is_the_same_whatever_the_temporary_directory_is() -> None:
    elsewhere = from_environment({"TMPDIR": "/elsewhere"})
    assert elsewhere.directory == Path(f"/tmp/hopwatch-{os.getuid()}")  # noqa: S108
    assert from_environment({"XDG_RUNTIME_DIR": "/run/user/7"}).directory == Path("/run/user/7/hopwatch")


@pytest.mark.parametrize(
    ("variable", "value"),
    [("HOPWATCH_SEQUENCE", "Stamp"), ("HOPWATCH_STAMP_EVERY", "often"), ("HOPWATCH_FILE_MODE", "0666")],
)
def test_an_environment_variable_that_cannot_be_used_is_told_once_and_left_out(
    context: zmq.Context,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    variable: str,
    value: str,
) -> None:
    monkeypatch.setenv(variable, value)
    for _ in range(2):
        hopwatch.wrap(context.socket(zmq.PUSH))
    (record,) = caplog.records
    assert variable in record.getMessage()
    assert value in record.getMessage()


def test_the_public_names_are_sorted_and_there() -> None:
    assert sorted(hopwatch.__all__) == hopwatch.__all__
    assert all(hasattr(hopwatch, name) for name in hopwatch.__all__)
