"""``hopwatch run``: a program as it is, its pyzmq sockets wrapped."""

import argparse
import errno
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from hopwatch.sequences import KNOWN

STARTUP = Path(__file__).parent / "startup"
"""Holds the ``sitecustomize`` that instruments a starting interpreter."""

NOT_FOUND = 127
NOT_RUNNABLE = 126
"""As shells say it."""

SIGNALS_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


class RunCommand:
    """Takes the place of this process: pid, signals, files and exit status are the program's own."""

    help = "run a program with its pyzmq sockets instrumented, without a change in it"

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""
        parser.usage = "%(prog)s [--sequence SEQUENCE] [--stamp-every N] [--topic TOPIC] [--name NAME] [--dir DIR] [--] program [argument ...]"
        parser.add_argument(
            "--sequence",
            choices=["stamp", "count", *KNOWN],
            help="how messages are numbered or counted (HOPWATCH_SEQUENCE); at all ends",
        )
        parser.add_argument(
            "--stamp-every",
            type=_positive,
            metavar="N",
            help="one stamp in N messages (HOPWATCH_STAMP_EVERY)",
        )
        parser.add_argument(
            "--topic",
            help="where messages of one frame have their topic (HOPWATCH_TOPIC): before this text, such as a space, or in so many bytes",
        )
        parser.add_argument("--name", help="what reports call the sockets (HOPWATCH_NAME)")
        parser.add_argument("--dir", help="the journal directory (HOPWATCH_DIR)")
        parser.add_argument(
            "program",
            nargs=argparse.REMAINDER,
            help="a command such as 'python -m app', or a .py file, and its arguments",
        )
        self._parser = parser

    def run(self, args: argparse.Namespace) -> int:
        """Become the program; returns only where that cannot be."""
        words = args.program[1:] if args.program[:1] == ["--"] else args.program
        if not words:
            self._parser.error("which program?")
        settings = {
            "SEQUENCE": args.sequence,
            "STAMP_EVERY": args.stamp_every,
            "TOPIC": args.topic,
            "NAME": args.name,
            "DIR": args.dir and str(Path(args.dir).absolute()),
        }
        environment = instrumented_environment(_given_environment(), settings)
        option = _shuts_out(words)
        if option:
            print(
                f"hopwatch run: {words[0]} {option} keeps hopwatch out: the program runs bare",
                file=sys.stderr,
            )
        is_python_file = words[0].endswith(".py") and Path(words[0]).is_file()
        return _become([sys.executable, *words] if is_python_file else words, environment)


def instrumented_environment(
    environ: Mapping[str, str], settings: Mapping[str, str | None]
) -> dict[str, str]:
    """What a program needs in its environment to be instrumented, it and all its child processes."""
    inherited = environ.get("PYTHONPATH")
    others = [entry for entry in inherited.split(os.pathsep) if entry != str(STARTUP)] if inherited else []
    given = {f"HOPWATCH_{name}": value for name, value in settings.items() if value is not None}
    return {**environ, **given, "PYTHONPATH": os.pathsep.join([str(STARTUP), *others])}


def _given_environment() -> dict[str, str]:
    """What this process was given, without what Python adds to it: where the locale is C, it sets LC_CTYPE for itself."""
    given = Path("/proc/self/environ").read_bytes().split(b"\0")
    coerced = not any(entry.startswith(b"LC_CTYPE=") for entry in given)
    return {name: value for name, value in os.environ.items() if name != "LC_CTYPE" or not coerced}


def _positive(text: str) -> str:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a number from 1 on, not {text!r}")
    return text


def _shuts_out(words: list[str]) -> str | None:
    """The option by which a Python that is started here and now leaves ``PYTHONPATH`` or ``sitecustomize`` out, if there is one."""
    if not Path(words[0]).name.startswith("python"):
        return None
    options = iter(words[1:])
    for word in options:
        if not word.startswith("-") or word.startswith(("-c", "-m", "--")) or word == "-":
            return None
        letters = word[1:]
        if letters[0] in "WX":
            if letters in {"W", "X"}:
                next(options, None)
        elif set(letters) & set("IES"):
            return word
    return None


def _become(argv: list[str], environment: Mapping[str, str]) -> int:
    for ignored in SIGNALS_IGNORED_BY_PYTHON:
        signal.signal(ignored, signal.SIG_DFL)
    # what a sitecustomize has printed here would be gone with this program
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.flush()
    try:
        os.execvpe(argv[0], argv, environment)  # noqa: S606 -- what the user asked for
    except OSError as error:
        found = error.errno not in {errno.ENOENT, errno.ENOTDIR}
        reason = error.strerror if found or os.sep in argv[0] else "command not found"
        print(f"hopwatch run: {argv[0]}: {reason}", file=sys.stderr)
        return NOT_RUNNABLE if found else NOT_FOUND
