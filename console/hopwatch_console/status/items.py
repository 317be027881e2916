"""One problem, incident or finding in a few lines."""

from collections.abc import Iterator

from hopwatch_console.frames import Problem
from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.records import Finding, Incident
from hopwatch_console.told_by import lost_of, told_by
from hopwatch_console.words import day_and_clock


def problem_lines(problem: Problem, width: int) -> Iterator[Line]:
    """Something of the agent's own."""
    since = "" if problem.since is None else f" (since {day_and_clock(problem.since)} UTC)"
    text = f"{plain(problem.source)}: {plain(problem.text)}{since}"
    yield from wrapped(text, width, first="  ", later="    ")


def incident_lines(incident: Incident, width: int) -> Iterator[Line]:
    """With what speaks for its cause, and what to change."""
    certainty = f" ({plain(incident.certainty)})" if incident.certainty else ""
    why = f"{plain(incident.cause)}{certainty}" if incident.cause else "cause not known yet"
    text = f"{plain(incident.hop)}: {lost_of(incident)}, {why}"
    yield from wrapped(text, width, first="  ", later="    ")
    times = f"{day_and_clock(incident.started_at)} to {day_and_clock(incident.ended_at)} UTC"
    yield from wrapped(f"{times}, {told_by(incident)}", width, first="    ", later="    ")
    for evidence in incident.evidence:
        yield from wrapped(plain(evidence.text), width, first="    - ", later="      ")
    for advice in incident.advice or ():
        yield from wrapped(plain(advice), width, first="    → ", later="      ")


def finding_lines(finding: Finding, width: int) -> Iterator[Line]:
    """With its socket, and what to change."""
    who = f"{plain(finding.socket_name, 60)} ({plain(finding.type, 12)}{_of_whom(finding)})"
    yield from wrapped(f"{who}: {plain(finding.text, 1000)}", width, first="  ", later="    ")
    if finding.advice:
        yield from wrapped(plain(finding.advice, 1000), width, first="    → ", later="      ")


def _of_whom(finding: Finding) -> str:
    """The process, and whether it is over."""
    process = finding.process
    pid = "" if process.pid is None else f" of pid {process.pid}"
    is_over = finding.closed_at is not None or process.gone_at is not None
    return f"{pid}, ended" if is_over else pid
