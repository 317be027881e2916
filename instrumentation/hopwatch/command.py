"""What a sub-command of ``hopwatch`` offers to the command line."""

import argparse
from typing import Protocol


class Command(Protocol):
    """One sub-command, found by its entry point in the group ``hopwatch.commands``."""

    help: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments to its own parser."""

    def run(self, args: argparse.Namespace) -> int:
        """Do the work; returns the exit status."""
