"""Patches of pyzmq: wrapped sockets need them, nobody else notices them, and ``unwrap`` removes them."""

import asyncio
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import hopwatch
import pytest
import zmq
import zmq.asyncio
from journal_reader import Journal
from pyzmq_attributes import changed, pyzmq_attributes


class Own(zmq.Socket):
    """Calls past its class, as subclasses were once written."""

    def send(self, *arguments: Any, **options: Any) -> Any:
        return zmq.Socket.send(self, *arguments, **options)

    def bind(self, addr: str) -> Any:
        return zmq.Socket.bind(self, addr)


KINDS = [zmq.Socket, Own, zmq.asyncio.Socket]


@pytest.fixture(autouse=True)
def nothing_in_place() -> Iterator[None]:
    hopwatch.uninstall()  # puts back what closed sockets of other tests had needed
    before = pyzmq_attributes()
    yield
    hopwatch.uninstall()
    assert changed(before) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_unwrapping_the_last_socket_puts_back_pyzmqs_own(
    context: zmq.Context, journal: Journal, kind: type[zmq.Socket]
) -> None:
    before = pyzmq_attributes()
    first, second = (hopwatch.wrap(context.socket(zmq.PUSH, socket_class=kind)) for _ in range(2))
    in_place = changed(before)
    hopwatch.unwrap(first)
    assert changed(before) == in_place != set()
    hopwatch.unwrap(second)
    assert changed(before) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_closed_sockets_hold_nothing_in_place(
    context: zmq.Context, journal: Journal, kind: type[zmq.Socket]
) -> None:
    before = pyzmq_attributes()
    for _ in range(3):
        hopwatch.wrap(context.socket(zmq.PUSH, socket_class=kind)).close()
    assert changed(before)
    hopwatch.unwrap(hopwatch.wrap(context.socket(zmq.PUSH)))
    assert changed(before) == set()


def test_asynchronous_sockets_may_be_loaded_while_a_socket_is_wrapped(journal: Journal) -> None:
    program = """
        import zmq, hopwatch
        bare = zmq.Socket.__init__
        with zmq.Context() as context, context.socket(zmq.PUSH) as push:
            hopwatch.wrap(push)
            import asyncio, zmq.asyncio

            async def further():
                socket = zmq.asyncio.Socket.shadow(push.underlying)
                assert hopwatch.findings(socket) == hopwatch.findings(push) != []

            push.setsockopt(zmq.RCVHWM, 7)
            push.bind("inproc://push")
            asyncio.run(further())
            hopwatch.unwrap(push)
        assert zmq.Socket.__init__ is bare
        assert not hasattr(zmq._future._AsyncSocket.__init__, "__wrapped__")
        assert "__init_subclass__" not in vars(zmq.Socket)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=60)


@pytest.fixture
def patch_by_others() -> Iterator[Callable[[str], list[str]]]:
    """Has another library put a function in place of pyzmq's; returns the list that it notes its calls in."""
    undo: list[Callable[[], None]] = []

    def patch(name: str) -> list[str]:
        found, calls = getattr(zmq.Socket, name), []

        def theirs(socket: zmq.Socket, *arguments: Any, **options: Any) -> Any:
            calls.append(name)
            return found(socket, *arguments, **options)

        before = vars(zmq.Socket)[name]
        setattr(zmq.Socket, name, theirs)
        undo.append(lambda: setattr(zmq.Socket, name, before))
        return calls

    yield patch
    while undo:
        undo.pop()()


@pytest.mark.parametrize("kind", [zmq.Socket, Own])
def test_other_libraries_functions_are_called_as_by_a_bare_socket(
    context: zmq.Context, journal: Journal, patch_by_others: Any, kind: type[zmq.Socket]
) -> None:
    calls = patch_by_others("bind")
    push = hopwatch.wrap(kind(context, zmq.PUSH), name="push")
    push.bind("inproc://push")
    assert calls == ["bind"]
    assert len(journal.of("push", "bind")) == 1
    hopwatch.unwrap(push).close()


def test_a_function_that_another_library_puts_on_top_stays(journal: Journal) -> None:
    """Wrapping goes on beneath it and, where it comes and goes in between, above what is left."""
    bare = {name: vars(zmq.Socket)[name] for name in ("__init__", "bind", "send")}

    def on_top(found: Callable[..., Any]) -> Callable[..., Any]:
        def theirs(*arguments: Any, **options: Any) -> Any:
            return found(*arguments, **options)

        return theirs

    def check(context: zmq.Context, number: int) -> zmq.Socket:
        push = hopwatch.wrap(Own(context, zmq.PUSH), name=f"push-{number}")
        push.bind(f"inproc://{number}")
        with zmq.Socket(context, zmq.PULL) as pull:
            pull.connect(f"inproc://{number}")
            for socket in (push, zmq.Socket.shadow(push), push):
                socket.send(b"x")
            assert [pull.recv() for _ in range(3)] == [b"x"] * 3
        assert journal.socket(f"push-{number}")["sent"] == 3
        assert len(journal.of(f"push-{number}", "bind")) == 1
        return push

    try:
        with zmq.Context() as context:
            first = check(context, 1)
            theirs = {name: on_top(getattr(zmq.Socket, name)) for name in bare}
            for name, function in theirs.items():
                setattr(zmq.Socket, name, function)
            check(context, 2).close()
            hopwatch.unwrap(first).close()
            assert {name: vars(zmq.Socket)[name] for name in bare} == theirs
            hopwatch.unwrap(check(context, 3)).close()
            assert {name: vars(zmq.Socket)[name] for name in bare} == theirs
    finally:
        for name, function in bare.items():
            setattr(zmq.Socket, name, function)
    assert journal.events("fault") == []


def test_a_method_kept_while_a_socket_was_wrapped_is_pyzmqs_own_after(
    context: zmq.Context, journal: Journal
) -> None:
    push, pull = hopwatch.wrap(Own(context, zmq.PUSH)), context.socket(zmq.PULL)
    kept = zmq.Socket.send
    push.bind("inproc://push")
    pull.connect("inproc://push")
    hopwatch.unwrap(push)
    assert kept is not zmq.Socket.send
    kept(push, b"x")
    assert pull.recv() == b"x"
    push.close()


def test_a_new_socket_at_the_address_of_one_that_was_closed_past_us_is_no_shadow(
    journal: Journal, until: Callable[[Callable[[], object]], None]
) -> None:
    async def main() -> None:
        with zmq.asyncio.Context() as context:
            closed = [hopwatch.wrap(zmq.Socket(context, zmq.PUSH)) for _ in range(20)]
            addresses = {push.underlying for push in closed}
            for push in closed:
                zmq.Socket(push).close()
            made: list[zmq.asyncio.Socket] = []

            def is_there() -> bool:
                made.append(context.socket(zmq.PUSH))
                return made[-1].underlying in addresses

            until(is_there)
            assert "send" not in vars(made[-1]._shadow_sock)
            for socket in (*made, *closed):
                socket.close()

    asyncio.run(main())
