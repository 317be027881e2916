"""The part of the verdict that says what it does not rest on."""

import textwrap
from collections.abc import Iterator, Sequence

from hopwatch_analysis.files.contradictions import MEANING, SetAside
from hopwatch_analysis.report.records import Analysis, Fault
from hopwatch_analysis.report.remarks import behind_remark

WIDTH = 100
FAULTS_SHOWN = 3
FILES_SHOWN = 3
HOSTS_SHOWN = 3


def incomplete(analysis: Analysis) -> Iterator[str]:
    """Lines about files that were skipped, hosts that are behind, lost events and faults; none where there are none."""
    if not analysis.evidence_is_incomplete:
        return
    yield ""
    yield "INCOMPLETE: some of what happened was not told, so that losses may be missing or misplaced above:"
    for file, reason in analysis.skipped[:FILES_SHOWN]:
        yield from _item(f"{file} was skipped: {reason}")
    more = len(analysis.skipped) - FILES_SHOWN
    if more > 0:
        yield f"  - and {_some(more, 'more file')}: see skipped_files in the report"
    yield from _contradictory(analysis.contradictions)
    yield from _behind(analysis)
    for lost in analysis.lost_events:
        who = f"{lost.command or 'a process'} on {lost.host}"
        if lost.unreadable:
            yield from _item(f"{_some(lost.unreadable, 'event')} of {who} could not be read")
        if lost.events > lost.unreadable:
            gone = _some(lost.events - lost.unreadable, "event")
            yield from _item(f"{gone} of {who} went before the agent had read them")
    for fault in analysis.faults[:FAULTS_SHOWN]:
        yield from _item(_told(fault))
    others = analysis.fault_count - min(len(analysis.faults), FAULTS_SHOWN)
    if others:
        yield f"  - and {_some(others, 'more fault')}: see faults in the report"


def _told(fault: Fault) -> str:
    if fault.label is None:
        return f"{fault.host}: {fault.text}"
    return f"{fault.host}: {fault.text}: why anything is missing at {fault.label} is not known"


def _contradictory(found: Sequence[SetAside]) -> Iterator[str]:
    for each in found[:FILES_SHOWN]:
        told = f"{_some(each.rows, 'row')} of {each.file}: " if each.file else f"{_some(each.rows, 'time')}, "
        yield from _item(f"{told}{MEANING[each.rule]} ({each.example})")
    more = len(found) - FILES_SHOWN
    if more > 0:
        yield f"  - and {_some(more, 'more contradiction')}: see contradictions in the report"


def _behind(analysis: Analysis) -> Iterator[str]:
    for host in analysis.behind[:HOSTS_SHOWN]:
        yield from _item(behind_remark(host))
    more = len(analysis.behind) - HOSTS_SHOWN
    if more > 0:
        yield f"  - and {_some(more, 'more host')}: see hosts_behind in the report"


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
