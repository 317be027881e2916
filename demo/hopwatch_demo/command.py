"""The command ``hopwatch demo``."""

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from hopwatch.extras import require

from hopwatch_demo.errors import DemoError

INTERRUPTED = 130


class DemoCommand:
    """A lossy system on this machine, from sockets to report."""

    help = "run a lossy system on this machine, from sockets to report, in about a minute"

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the demo's one argument."""
        parser.add_argument(
            "--out",
            type=Path,
            default=Path("hopwatch-demo"),
            help="the folder it leaves (default: %(default)s)",
        )

    def run(self, args: argparse.Namespace) -> int:
        """Run it: 0 if the report equals the truth, 1 if not, 2 if it could not be run, 130 if interrupted."""
        from hopwatch_demo.folder import fresh_folder
        from hopwatch_demo.story import tell

        require()  # before the report of a former run is cleared away
        try:
            with sigterm_as_interrupt():
                return tell(fresh_folder(args.out))
        except DemoError as error:
            print(f"hopwatch demo: {error}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("hopwatch demo: interrupted; all its processes are ended", file=sys.stderr)
            return INTERRUPTED


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Let SIGTERM unwind as Ctrl-C does, so that the demo's processes are ended."""

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
