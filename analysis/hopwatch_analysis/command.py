"""``hopwatch analyze``: the Spark job from the command line."""

import argparse
import sys
from datetime import datetime, timezone
from pathlib import Path


class AnalyzeCommand:
    """Finds out from landed files which hop lost which messages, and why."""

    help = "find the hop that loses messages, and why, from landed events (a Spark job)"

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "events", nargs="+", metavar="EVENTS", help="folder or URI that agents landed files in"
        )
        parser.add_argument(
            "--out", required=True, type=Path, metavar="DIR", help="where report and tables go"
        )
        parser.add_argument("--master", default="local[*]", help="Spark master (default: this machine)")
        parser.add_argument(
            "--from",
            dest="since",
            type=_time,
            metavar="TIME",
            help="leave out streams that ended before (ISO 8601)",
        )
        parser.add_argument(
            "--to",
            dest="until",
            type=_time,
            metavar="TIME",
            help="leave out all that happened later (ISO 8601)",
        )
        parser.add_argument(
            "--guard",
            type=float,
            default=5.0,
            metavar="SECONDS",
            help="a lane that moved so shortly before the end is not closed yet (default: 5)",
        )

    def run(self, args: argparse.Namespace) -> int:
        """Run the job; 0 whatever it found, 2 on unusable input."""
        from hopwatch_analysis.errors import AnalysisError
        from hopwatch_analysis.job import Job, run_job

        job = Job(tuple(args.events), args.out, args.since, args.until, args.guard)
        try:
            run_job(job, args.master, progress=_progress)
        except AnalysisError as error:
            print(f"hopwatch analyze: {error}", file=sys.stderr)
            return 2
        return 0


def _progress(line: str) -> None:
    print(f"hopwatch analyze: {line}", file=sys.stderr, flush=True)


def _time(text: str) -> datetime:
    value = datetime.fromisoformat(text.removesuffix("Z") + "+00:00" if text.endswith("Z") else text)
    return value if value.tzinfo else value.replace(tzinfo=timezone.utc)
