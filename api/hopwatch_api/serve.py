"""One agent process: startup, main loop, shutdown."""

import asyncio
import gc
import os
import socket
import sys
import threading
import time
from collections.abc import Mapping

from hopwatch.errors import HopwatchError
from hopwatch.version import VERSION
from hopwatch_agent.agent import Agent
from hopwatch_agent.errors import SettingsError
from hopwatch_agent.landing.address import NOWHERE, without_secret
from hopwatch_agent.live.views import AgentView
from hopwatch_agent.logs.events import EventLogger
from hopwatch_agent.logs.limit import LimitedHandler
from hopwatch_agent.logs.setup import logging_to
from hopwatch_agent.settings.sections import AgentSettings, settings_from
from hopwatch_agent.settings.sources import options_from
from hopwatch_agent.settings.telling import in_force, told
from hopwatch_agent.store.database import owned

from hopwatch_api.app import create_app
from hopwatch_api.checking import everything_wrong
from hopwatch_api.listening import listening, place_of
from hopwatch_api.server import Access, serve
from hopwatch_api.stopping import EXIT_NOT_LANDED, Stop, stop_signals

EXIT_UNUSABLE = 2
SWITCH_SECONDS = 0.0005
"""How long one thread may keep the others from running: an answer takes several turns, and the ticks are always busy."""

COLLECTED_AFTER = (2_000, 20, 500)
"""The oldest objects are looked through each half minute of an ingest that does not end, not twice a second: that takes 20 to 40 ms."""

log = EventLogger(__name__)


def run_agent(environ: Mapping[str, str], flags: Mapping[str, str | bool | None]) -> int:
    """Runs until SIGTERM or SIGINT; gives the exit status."""
    try:
        settings = settings_from(options_from(environ, flags), environ)
        access = Access(settings.access)
        place = place_of(settings.listen, settings.access)
        with (
            logging_to(sys.stderr, settings.log) as lines,
            owned(settings.data),
            listening(place) as listener,
            stop_signals() as stop,
        ):
            return _run(settings, access, listener, stop, lines)
    except HopwatchError as error:
        return _refuse(error)


def check_settings(environ: Mapping[str, str], flags: Mapping[str, str | bool | None]) -> int:
    """Says on standard output what the settings come to, or on standard error all that is wrong with them."""
    try:
        problems = everything_wrong(environ, flags)
        if problems:
            raise SettingsError(*problems)
        print("\n".join(told(options_from(environ, flags))))
    except HopwatchError as error:
        return _refuse(error)
    return 0


def _refuse(error: HopwatchError) -> int:
    for line in str(error).splitlines():
        print(f"hopwatch agent: {line}", file=sys.stderr)
    return EXIT_UNUSABLE


def _run(
    settings: AgentSettings, access: Access, listener: socket.socket, stop: Stop, lines: LimitedHandler
) -> int:
    _keep_pauses_short()
    agent = Agent(settings)
    log.info("starting", version=VERSION, pid=os.getpid(), settings=in_force(settings.options))
    agent.start()
    _serve(agent, settings, access, listener, stop, lines)
    began = time.monotonic()
    log.info("stopping", text=f"within {settings.stop_seconds:g} s; a second signal ends it at once")
    if agent.stop(settings.stop_seconds):
        log.info("stopped", seconds=round(time.monotonic() - began, 3))
        return 0
    log.error("stopped", text=agent.left)
    if threading.active_count() > 1:
        # a write that hangs in an object store must not keep the process
        lines.tell_left_out(at_end=True)
        os._exit(EXIT_NOT_LANDED)
    return EXIT_NOT_LANDED


def _keep_pauses_short() -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    # what was imported stays: looking through it again and again holds up everything for 50 ms each time
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED_AFTER)


def _where_it_lands(settings: AgentSettings) -> str:
    place = without_secret(settings.landing.uri)
    if place.startswith(NOWHERE):
        return "lands nothing"
    return f"lands in {place}, for hopwatch analyze"


def _serve(
    agent: Agent,
    settings: AgentSettings,
    access: Access,
    listener: socket.socket,
    stop: Stop,
    lines: LimitedHandler,
) -> None:
    app = create_app(AgentView(agent.board, settings, VERSION), VERSION, agent.metrics.answer)

    def each_second() -> None:
        for source, problem in access.refresh().items():
            agent.board.set_error(source, problem)
        lines.tell_left_out()

    def started(url: str) -> None:
        print(f"hopwatch agent: {url}", flush=True)
        print(f"hopwatch agent: {_where_it_lands(settings)}", flush=True)
        log.info("listening", url=url)

    guarded = access.guard(app, settings.listen)
    asyncio.run(
        serve(guarded, listener, access.tls, stop, each_second, started=started, stopping=app.state.live.end)
    )
