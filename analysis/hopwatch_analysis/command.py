"""``hopwatch analyze``: the Spark job from the command line."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event

from hopwatch_analysis.arguments import moment, seconds
from hopwatch_analysis.errors import AnalysisError, NothingLandedError
from hopwatch_analysis.following import defaults
from hopwatch_analysis.interruption import Interruption
from hopwatch_analysis.spark.jvm import Jvm

TIMES_OF_FOLLOWING = {
    "every": (defaults.EVERY, "look for new files so often"),
    "late": (defaults.LATE, "wait so long for files that come late before an incident is closed"),
    "window": (defaults.WINDOW, "read samples so far back"),
}


class AnalyzeCommand:
    """Finds out from landed files which hop lost which messages, and why."""

    help = "find the hop that loses messages, and why, from landed events (a Spark job)"

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "events", nargs="+", metavar="EVENTS", help="folder or URI that agents landed files in"
        )
        # not "required": argparse would ask for it before it names an option that is misspelt
        parser.add_argument(
            "--out", type=Path, metavar="DIR", help="where report and tables go (to be given)"
        )
        parser.add_argument(
            "--master",
            help="Spark master (default: spark-submit's where that has started this, else this machine)",
        )
        parser.add_argument(
            "--from",
            dest="since",
            type=moment,
            metavar="TIME",
            help="leave out streams that ended before (ISO 8601, or 24h for a day ago); of others, all is told",
        )
        parser.add_argument(
            "--to",
            dest="until",
            type=moment,
            metavar="TIME",
            help="leave out all that happened later, by the clock that most hosts agree with (likewise)",
        )
        parser.add_argument(
            "--guard",
            type=seconds,
            default=5.0,
            metavar="SECONDS",
            help="a lane that moved so shortly before the end is not closed yet (default: 5)",
        )
        parser.add_argument(
            "--may-be-empty",
            action="store_true",
            help="end well, without a report, where nothing has landed yet: for what runs on a schedule",
        )
        _configure_following(parser)

    def run(self, args: argparse.Namespace) -> int:
        """Run the job; 0 whatever it found, 2 on unusable input, 128 + the signal that ended it."""
        if args.out is None:
            return _told(_ask_for_out)
        interruption = Interruption("hopwatch analyze")
        jvm = Jvm(hold=interruption.held)
        with interruption.watched(jvm.kill):
            if args.follow:
                return _told(lambda: _follow(args, jvm, interruption))
            return _told(lambda: _run(args, jvm), may_be_empty=args.may_be_empty)


def _configure_following(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("to go on as files land")
    group.add_argument(
        "--follow", action="store_true", help="run on, and land incidents in DIR/incidents as they close"
    )
    for name, (default, help_) in TIMES_OF_FOLLOWING.items():
        text = f"{help_} (default: {default:g})"
        group.add_argument(f"--{name}", type=seconds, metavar="SECONDS", help=text)
    group.add_argument(
        "--once", action="store_true", default=None, help="with --follow: end when nothing is new"
    )


def _ask_for_out() -> None:
    raise AnalysisError("say with --out DIR where report and tables are to go")


def _run(args: argparse.Namespace, jvm: Jvm) -> None:
    from hopwatch_analysis.job import Job, run_job

    for name in ("once", *TIMES_OF_FOLLOWING):
        if getattr(args, name) is not None:
            raise AnalysisError(f"--{name} goes with --follow: without it, one analysis is all there is")
    if args.since and args.until and args.since > args.until:
        raise AnalysisError(
            f"--from {args.since:%Y-%m-%d %H:%M:%S} is later than --to {args.until:%Y-%m-%d %H:%M:%S}"
        )
    run_job(
        Job(tuple(args.events), args.out, args.since, args.until, args.guard), args.master, _progress, jvm
    )


def _follow(args: argparse.Namespace, jvm: Jvm, interruption: Interruption) -> None:
    from hopwatch_analysis.following.follow import run_following
    from hopwatch_analysis.following.settings import Following

    if args.since or args.until:
        raise AnalysisError("--from and --to are for what has an end: leave them out with --follow")
    if args.may_be_empty:
        raise AnalysisError("--may-be-empty is for what has an end: --follow waits for what will land")
    times = {
        name: default if getattr(args, name) is None else getattr(args, name)
        for name, (default, _) in TIMES_OF_FOLLOWING.items()
    }
    job = Following(tuple(args.events), args.out, args.guard, once=bool(args.once), **times)
    stop = Event()
    with interruption.deferred(lambda: _stop(stop)):
        run_following(job, args.master, _progress, jvm, stop)


def _stop(stop: Event) -> None:
    _progress(
        "ending once this turn is done; a second signal ends it at once, and nothing is lost then either"
    )
    stop.set()


def _told(run: Callable[[], None], *, may_be_empty: bool = False) -> int:
    try:
        run()
    except AnalysisError as error:
        print(f"hopwatch analyze: {error}", file=sys.stderr)
        return 0 if may_be_empty and isinstance(error, NothingLandedError) else 2
    return 0


def _progress(line: str) -> None:
    print(f"hopwatch analyze: {line}", file=sys.stderr, flush=True)
