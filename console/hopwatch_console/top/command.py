"""The command ``hopwatch top``."""

import argparse
import os
import sys

from hopwatch.errors import HopwatchError

from hopwatch_console.arguments import add_agent_arguments, wanted_in

EXIT_UNUSABLE = 2
NO_TERMINAL = (
    "hopwatch top: it needs a terminal, which it draws on. For what is piped, or for a look: hopwatch status"
)
WEAK_TERMINAL = (
    "hopwatch top: a terminal of the type {type!r} cannot be drawn on (TERM). For a look: hopwatch status"
)


class TopCommand:
    """Draws what agents tell, until it is left."""

    help = "agents, live in a terminal: sockets, connections, findings, incidents, events"

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's arguments."""
        parser.epilog = "Keys: ? says which there are, q ends it."
        add_agent_arguments(parser)

    def run(self, args: argparse.Namespace) -> int:
        """0 when it is left, 2 for wrong usage or without a terminal, 128 and more by a signal."""
        kind = os.environ.get("TERM", "")
        # Textual reads from standard input, and draws on standard error
        if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
            print(NO_TERMINAL, file=sys.stderr)
            return EXIT_UNUSABLE
        if kind in {"", "dumb"}:
            print(WEAK_TERMINAL.format(type=kind), file=sys.stderr)
            return EXIT_UNUSABLE
        from hopwatch_console.top.running import run_top

        try:
            return run_top(wanted_in(args, os.environ))
        except HopwatchError as error:
            print(f"hopwatch top: {error}", file=sys.stderr)
            return EXIT_UNUSABLE
