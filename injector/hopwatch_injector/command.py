"""``hopwatch injector``."""

import argparse
from pathlib import Path

LONGEST_LINGER = 300


class InjectorCommand:
    """Answers Kubernetes what to add to new pods, until SIGTERM or SIGINT."""

    help = "the admission webhook of Kubernetes: adds agent and instrumentation to pods that ask for it"

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's arguments."""
        parser.add_argument(
            "--fragment",
            type=Path,
            required=True,
            metavar="FILE",
            help="what is added, as the chart wrote it (JSON)",
        )
        parser.add_argument(
            "--listen",
            type=_address,
            default="127.0.0.1:8443",
            metavar="HOST:PORT",
            help="port 0 takes a free one (default: %(default)s)",
        )
        parser.add_argument(
            "--linger",
            type=_seconds,
            default=0.0,
            metavar="SECONDS",
            help="how long it answers after it was told to stop: until all API servers know of it (default: %(default)g)",
        )
        parser.add_argument("--tls-cert", type=Path, metavar="FILE", help="PEM; read again when it changes")
        parser.add_argument("--tls-key", type=Path, metavar="FILE", help="PEM (default: in the same file)")

    def run(self, args: argparse.Namespace) -> int:
        """0 after an orderly end, 2 if it could not start."""
        from hopwatch_agent.settings.sections import TlsSettings

        from hopwatch_injector.serve import run_injector

        tls = TlsSettings(args.tls_cert, args.tls_key or args.tls_cert) if args.tls_cert else None
        host, port = args.listen
        return run_injector(args.fragment, host, port, tls, args.linger)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, like 127.0.0.1:8443")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_LINGER:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to {LONGEST_LINGER}")
    return seconds
