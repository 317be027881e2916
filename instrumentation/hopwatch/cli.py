"""The ``hopwatch`` command: finds its sub-commands by entry point, so that each part brings its own."""

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple, Protocol

from hopwatch.extras import missing_extra
from hopwatch.version import VERSION


class Command(Protocol):
    """One sub-command, found by its entry point in the group ``hopwatch.commands``."""

    help: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments to its own parser."""

    def run(self, args: argparse.Namespace) -> int:
        """Do the work; returns the exit status."""


class CommandLine(NamedTuple):
    """The parser of everything, that of each command, and the commands; of one whose extra is missing, the line that says so."""

    parser: argparse.ArgumentParser
    parsers: Mapping[str, argparse.ArgumentParser]
    commands: Mapping[str, Command | str]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command; returns its exit status, 2 for wrong usage or a missing extra."""
    given = sys.argv[1:] if argv is None else argv
    line = command_line(given[:1])
    args, unknown = line.parser.parse_known_args(argv)
    command = line.commands[args.command]
    if isinstance(command, str):  # its arguments are not known without its extra
        print(command, file=sys.stderr)
        return 2
    if unknown:
        line.parsers[args.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        return command.run(args)
    except ModuleNotFoundError as error:
        text = missing_extra(args.command, error)
        if text is None:
            raise
        print(text, file=sys.stderr)
        return 2


def command_line(only: Collection[str] = ()) -> CommandLine:
    """Return the whole command line, or that of the commands named in ``only`` if there are any.

    Load only what the arguments of each command need.
    """
    found = {point.name: point for point in sorted(entry_points(group="hopwatch.commands"))}
    found = {name: point for name, point in found.items() if name in only} or found
    parser = argparse.ArgumentParser(
        prog="hopwatch", description="Which hop of a ZeroMQ system lost which messages, how many, and why."
    )
    parser.add_argument("--version", action="version", version=f"hopwatch {VERSION}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    commands = {name: _add(subparsers, point) for name, point in found.items()}
    return CommandLine(parser, subparsers.choices, commands)


def _add(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]", point: EntryPoint
) -> Command | str:
    """Add one sub-command; returns it, or the line that says which extra it is missing."""
    try:
        command: Command = point.load()()
    except ModuleNotFoundError as error:
        text = missing_extra(point.name, error)
        if text is None:
            raise
        subparsers.add_parser(point.name, help=f"({text})")
        return text
    command.configure(subparsers.add_parser(point.name, help=command.help, description=command.help))
    return command
