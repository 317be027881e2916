"""What came of a check or of a stage of tests, and how a run speaks of itself."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Failure:
    """A check or a test that failed, with the lines that say why."""

    what: str
    why: str
    when: str = ""
    """Of a test: ``setup``, ``call`` or ``teardown``. Both others than the call may be of what tests of a file share."""


@dataclass(frozen=True)
class Done:
    """What came of a check or a stage."""

    name: str
    seconds: float
    passed: int = 0
    failures: tuple[Failure, ...] = ()


def say(text: str) -> None:
    """Print a line about the run itself."""
    print(f"test: {text}", flush=True)
