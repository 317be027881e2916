"""The part of the verdict that says what it does not rest on."""

import textwrap
from collections.abc import Iterator

from hopwatch_analysis.records import Analysis

WIDTH = 100
FAULTS_SHOWN = 3
FILES_SHOWN = 3


def incomplete(analysis: Analysis) -> Iterator[str]:
    """Lines about files that were skipped, lost events and faults; none where there are none."""
    if not analysis.evidence_is_incomplete:
        return
    yield ""
    yield "INCOMPLETE: some of what happened was not told, so that losses may be missing or misplaced above:"
    for file, reason in analysis.skipped[:FILES_SHOWN]:
        yield from _item(f"{file} was skipped: {reason}")
    more = len(analysis.skipped) - FILES_SHOWN
    if more > 0:
        yield f"  - and {_some(more, 'more file')}: see skipped_files in the report"
    for lost in analysis.lost_events:
        who = f"{lost.command or 'a process'} on {lost.host}"
        if lost.unreadable:
            yield from _item(f"{_some(lost.unreadable, 'event')} of {who} could not be read")
        if lost.events > lost.unreadable:
            gone = _some(lost.events - lost.unreadable, "event")
            yield from _item(f"{gone} of {who} went before the agent had read them")
    for fault in analysis.faults[:FAULTS_SHOWN]:
        yield from _item(f"{fault.host}: {fault.text}")
    others = analysis.fault_count - min(len(analysis.faults), FAULTS_SHOWN)
    if others:
        yield f"  - and {_some(others, 'more fault')}: see faults in the report"


def _some(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count} {what}s"


def _item(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent="  - ",
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
