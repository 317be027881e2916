"""One injector process, from its arguments to its end."""

import asyncio
import sys
from pathlib import Path

from hopwatch.errors import HopwatchError
from hopwatch.version import VERSION
from hopwatch_agent.logs.events import EventLogger
from hopwatch_agent.logs.setup import logging_to
from hopwatch_agent.settings.sections import AccessSettings, ListenSettings, LogSettings, TlsSettings
from hopwatch_api.listening import listening, place_of
from hopwatch_api.server import serve
from hopwatch_api.stopping import stop_signals
from hopwatch_api.tls import Tls

from hopwatch_injector.agent_settings import require_agent_settings
from hopwatch_injector.app import create_app
from hopwatch_injector.fragment import read_fragment
from hopwatch_injector.sound import require_sound

EXIT_UNUSABLE = 2
KEEP_ALIVE_SECONDS = 120
"""Longer than the API server keeps a connection that it does not use (90 seconds, as Go's clients do): a review sent to one that we are closing would be lost."""
log = EventLogger(__name__)


def run_injector(fragment: Path, host: str, port: int, tls_files: TlsSettings | None, linger: float) -> int:
    """Serves until SIGTERM or SIGINT, and ``linger`` seconds longer; 2 if it cannot start.

    Other hosts may ask without a token: the API server has none, and is told nothing that it has not said.
    """
    try:
        added = read_fragment(fragment)
        require_sound(added)
        require_agent_settings(added)
        app = create_app(added)
        tls = Tls(tls_files) if tls_files else None
        place = place_of(ListenSettings(host, port), AccessSettings(insecure=True))
        with (
            logging_to(sys.stderr, LogSettings()) as lines,
            listening(place) as listener,
            stop_signals() as stop,
        ):

            def each_second() -> None:
                if tls is not None:
                    _refresh(tls)
                lines.tell_left_out()

            asyncio.run(
                serve(
                    app,
                    listener,
                    tls,
                    stop,
                    each_second,
                    started=_started,
                    stopping=lambda: log.info("stopping", answers_for_seconds=linger),
                    linger=linger,
                    keep_alive=KEEP_ALIVE_SECONDS,
                )
            )
    except HopwatchError as error:
        for line in str(error).splitlines():
            print(f"hopwatch injector: {line}", file=sys.stderr)
        return EXIT_UNUSABLE
    return 0


def _started(url: str) -> None:
    print(f"hopwatch injector: {url}", flush=True)
    log.info("listening", url=url, version=VERSION)


def _refresh(tls: Tls) -> None:
    """Takes up a new certificate; a bad one is told once, since the old one is served until it is of no use any more."""
    before = tls.problem
    tls.refresh()
    if tls.problem != before:
        if tls.problem is None:
            log.info("certificate_usable")
        else:
            log.error("certificate_unusable", text=tls.problem)
