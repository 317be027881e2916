"""The command ``hopwatch status``."""

import argparse
import os
import sys

from hopwatch.errors import HopwatchError

from hopwatch_console.arguments import add_agent_arguments, wanted_in
from hopwatch_console.status.outcome import CONDITIONS
from hopwatch_console.words_by_comma import WordsByComma

EXIT_UNUSABLE = 2
INTERRUPTED = 130
NOT_READ = 141
"""As shells say that whoever read the output has gone (SIGPIPE)."""

_EPILOG = """exit status: 0 all agents answered; 1 some did not, or have not read their journals; 2 wrong usage;
3 something is as --fail-on names it (also where, beside that, some did not answer)"""


class StatusCommand:
    """One look: what loses, what is pressed, what was found, and what does not work."""

    help = "what agents know now: sockets that lose or are pressed, incidents, findings, connections"

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's arguments."""
        parser.epilog = _EPILOG
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        add_agent_arguments(parser)
        parser.add_argument(
            "--json", action="store_true", help="one JSON object over all agents, for programs"
        )
        parser.add_argument("--all", action="store_true", help="leave nothing out, quiet sockets included")
        parser.add_argument(
            "--fail-on",
            action="append",
            default=[],
            type=WordsByComma(tuple(CONDITIONS)),
            metavar="WHAT",
            help=f"end with 3 if anything is so; one or more, by comma, of {', '.join(CONDITIONS)}",
        )

    def run(self, args: argparse.Namespace) -> int:
        """0 if all answered, 1 if some did not or know nothing yet, 2 for wrong usage, 3 for what ``--fail-on`` names, 130 if interrupted, 141 if nobody reads on."""
        import asyncio

        from hopwatch_console.fleet.asking_once import asked_once
        from hopwatch_console.status.outcome import exit_status
        from hopwatch_console.status.printing import print_document, print_text

        try:
            picture = asyncio.run(asked_once(wanted_in(args, os.environ)))
            if args.json:
                print_document(picture)
            else:
                print_text(picture, everything=args.all)
        except HopwatchError as error:
            print(f"hopwatch status: {error}", file=sys.stderr)
            return EXIT_UNUSABLE
        except BrokenPipeError:
            # what is still in the buffer would fail once more as the interpreter ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return NOT_READ
        except KeyboardInterrupt:
            return INTERRUPTED
        return exit_status(picture, [name for names in args.fail_on for name in names])
