"""The server that `preloaded` asks for processes: it has loaded all that ``hopwatch`` can come to need, and forks."""

import atexit
import ctypes
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import socket
import sys
import termios
import threading
from collections.abc import Mapping, Sequence
from typing import TextIO

PACKAGES = ("hopwatch_agent", "hopwatch_api", "hopwatch_console", "hopwatch_injector")
LOADED_LATE = (
    *("pandas", "pyarrow.pandas_compat"),
    "pydantic.v1",
    *("uvicorn.lifespan.off", "uvicorn.lifespan.on", "uvicorn.loops.auto"),
    *("uvicorn.protocols.http.auto", "uvicorn.protocols.websockets.auto"),
    *("anyio._backends._asyncio", "anyio.streams.tls", "httpcore"),
    "rich.cells",
)
"""What pyarrow, FastAPI, uvicorn, httpx and rich load when they are first used."""
LARGEST_REQUEST = 1 << 20
SET_CHILD_SUBREAPER = 36
"""prctl(2): what this process's descendants leave behind becomes its child."""
SET_NAME = 15


def prctl(option: int, value: "int | bytes") -> None:
    """Change how the kernel treats this process."""
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def serve(door: socket.socket) -> None:
    """Fork a process for each request, until the other end closes. Return in each that was forked."""
    while True:
        request, streams, _, _ = socket.recv_fds(door, LARGEST_REQUEST, 3)
        if not request:
            sys.exit()
        forked = fork_on()
        if forked == 0:
            door.close()
            become(*json.loads(request), streams)
            return
        for each in streams:
            os.close(each)
        door.send(b"%d" % forked)


def fork_on() -> int:
    """Fork a process whose parent has ended, and return its id; return 0 in it."""
    reader, writer = os.pipe()
    between = os.fork()
    if between == 0:
        forked = os.fork()
        if forked:
            os.write(writer, b"%d" % forked)
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        if between == 0:
            return 0
        os.waitpid(between, 0)
        return int(told.read())


def become(
    args: Sequence[str], cwd: str, env: Mapping[str, str], new_session: bool, streams: Sequence[int]
) -> None:
    """Be the process that was asked for; with a session of its own, on the terminal that is its standard input."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if new_session:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = list(args)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = written_as(sys.stdout, 1)
    sys.stderr = written_as(sys.stderr, 2)
    prctl(SET_NAME, b"hopwatch")


def written_as(stream: TextIO, number: int) -> TextIO:
    """Return what Python would write to a descriptor with if it had started with it, given what it writes with now."""
    unbuffered = bool(getattr(stream, "write_through", False))
    binary = os.fdopen(number, "wb", 0 if unbuffered else -1, closefd=False)
    lines = stream is sys.stderr or os.isatty(number)
    return io.TextIOWrapper(binary, stream.encoding, stream.errors, None, lines, write_through=unbuffered)


def load_all() -> None:
    """Import all that a command can come to need."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            importlib.import_module(module.name)
    for name in LOADED_LATE:
        importlib.import_module(name)
    importlib.import_module("hopwatch.cli").command_line()
    gc.collect()
    gc.freeze()


def run() -> int:
    """Run the command, and return the exit status that Python would end with."""
    try:
        return int(importlib.import_module("hopwatch.cli").main())
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)


def end(status: int) -> None:
    """End as Python does, but leave it to the kernel to free the modules: every page of them would have to be copied first."""
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001
    atexit._run_exitfuncs()  # noqa: SLF001
    try:
        sys.stdout.flush()
    except OSError:
        sys.exit(status)  # says so
    os._exit(status)


if __name__ == "__main__":
    load_all()
    serve(socket.socket(fileno=int(sys.argv[1])))
    end(run())
