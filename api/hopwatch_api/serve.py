"""One agent process: startup, main loop, shutdown."""

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType

import uvicorn
from fastapi import FastAPI
from hopwatch.errors import HopwatchError
from hopwatch.version import VERSION
from hopwatch_agent.agent import Agent
from hopwatch_agent.errors import SettingsError
from hopwatch_agent.live.views import AgentView
from hopwatch_agent.settings.sections import AgentSettings, ListenSettings, settings_from
from hopwatch_agent.settings.sources import options_from
from hopwatch_agent.settings.telling import told
from hopwatch_agent.store.database import owned

from hopwatch_api.app import create_app

EXIT_NOT_LANDED = 1
EXIT_UNUSABLE = 2
HTTP_SHUTDOWN_SECONDS = 2
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def run_agent(environ: Mapping[str, str], flags: Mapping[str, str | bool | None]) -> int:
    """Runs until SIGTERM or SIGINT; gives the exit status."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="hopwatch agent: %(message)s")
    try:
        settings = settings_from(options_from(environ, flags), environ)
        with owned(settings.data), _listening(settings.listen) as listener, _stop_signals() as stop:
            return _run(settings, listener, stop)
    except HopwatchError as error:
        print(f"hopwatch agent: {error}", file=sys.stderr)
        return EXIT_UNUSABLE


def check_settings(environ: Mapping[str, str], flags: Mapping[str, str | bool | None]) -> int:
    """Says on standard output what the settings come to, or on standard error what is wrong with them."""
    try:
        options = options_from(environ, flags)
        settings_from(options, environ)
    except HopwatchError as error:
        print(f"hopwatch agent: {error}", file=sys.stderr)
        return EXIT_UNUSABLE
    print("\n".join(told(options)))
    return 0


def _run(settings: AgentSettings, listener: socket.socket, stop: threading.Event) -> int:
    agent = Agent(settings)
    agent.start()
    app = create_app(AgentView(agent.board, settings, VERSION), VERSION, agent.metrics.answer)
    asyncio.run(_serve(app, listener, stop))
    if agent.stop():
        return 0
    print("hopwatch agent: not everything could be landed; the next run does it", file=sys.stderr, flush=True)
    if threading.active_count() > 1:
        # a write that hangs in an object store must not keep the process
        os._exit(EXIT_NOT_LANDED)
    return EXIT_NOT_LANDED


async def _serve(app: FastAPI, listener: socket.socket, stop: threading.Event) -> None:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=HTTP_SHUTDOWN_SECONDS,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if server.started:
        print(f"hopwatch agent: {_url(listener)}", flush=True)
    # a signal that came before uvicorn took them over
    server.should_exit = server.should_exit or stop.is_set()
    await serving


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def _listening(listen: ListenSettings) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        listener = socket.create_server((listen.host, listen.port), family=family, backlog=128)
    except OSError as error:
        raise SettingsError(f"cannot listen on {listen.host}:{listen.port}: {error.strerror}") from error
    with listener:
        yield listener


@contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """SIGTERM and SIGINT only set the event, as long as the block runs."""
    stop = threading.Event()

    def note(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
